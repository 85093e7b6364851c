/* cscg-plan - find the way to a goal, on a map or in a live world */
#include <stdlib.h>
#include <string.h>

#include "cmd_isa.h"
#include "cscg-plan.h"
#include "plan/explore.h"
#include "base/mem.h"

static struct plan_set set = {
	.confidence = .5, .from = "walk", .max_length = -1,
	.explore = "random", .detour = 3, .episodes = 1, .surprise = 1e-4,
	.timeout = 10, .verify = 20
};

static const char *const tasks[] = { "goal", "match", NULL };
static const char *const replans[] = { "fail", "end", "step", NULL };
static const char *const untils[] = { "steps", "seen", "tried", NULL };

static const struct cmd_opt opts[] = {
	CMD_LIST(0, "goal", &set.goals, "WHERE",
	    "arrive here: symbol:X, state:N or start; if repeated, at any; "
	    "env: where the environment says"),
	CMD_DOUBLE(0, "confidence", &set.confidence, 0, 1, "P",
	    "success probability of a plan that is good enough; of several "
	    "models: the posterior, 0.95 by default"),
	CMD_FLAG(0, "best", &set.best,
	    "the likeliest plan instead of the shortest that is good enough"),
	CMD_DOUBLE(0, "smooth", &set.smooth, 0, 1e6, "LAMBDA",
	    "add LAMBDA times the largest T to the chance to stay"),
	CMD_FLAG(0, "json", &set.json, "JSON instead of lines or TSV"),

	CMD_TITLE("Without an environment:"),
	CMD_STRING(0, "from", &set.from, "WHERE",
	    "start here: walk (where it ends), posterior (all places where it "
	    "may end) or state:N"),
	CMD_LONG(0, "max-length", &set.max_length, 0, 1e9, "N",
	    "actions of a plan at most (default: any number)"),

	CMD_TITLE("In an environment:"),
	CMD_CHOICE(0, "task", &set.task, tasks,
	    "reach the goal, or find out which of the models this is"),
	CMD_LONG(0, "verify", &set.verify, 0, 1e9, "N",
	    "match: until it is sure for N steps; 0: until all was tried"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, .9, "P",
	    "several models: how often a move fails"),
	CMD_CHOICE(0, "agent", &set.agent, plan_agents,
	    "who acts: plan explores and plans; tracker keeps all that may be, "
	    "on a schema without chance; informed learns a new place while it "
	    "collects"),
	CMD_STRING(0, "explore", &set.explore, "HOW",
	    "explore so: random, random:ACTION,..., repeat:K, cover, frontier "
	    "or ACTION,..."),
	CMD_LONG(0, "explore-steps", &set.explore_steps, 0, 1e9, "N",
	    "explore so many steps before anything else"),
	CMD_CHOICE(0, "explore-until", &set.until, untils,
	    "and until all symbols were seen, or all actions were tried after "
	    "what is seen"),
	CMD_FLAG(0, "pass-by", &set.no_collect,
	    "collect nothing until then"),
	CMD_CHOICE(0, "replan", &set.replan, replans,
	    "plan again if the plan seems to fail, at its end, or after each "
	    "step"),
	CMD_DOUBLE(0, "surprise", &set.surprise, 0, 1, "P",
	    "a plan fails where what is seen is less probable"),
	CMD_LONG(0, "detour", &set.detour, 0, 1e9, "N",
	    "informed: the goal first if it is N moves further than anything "
	    "not tried, or less"),
	CMD_LIST(0, "inverse", &set.inverse, "A,B",
	    "informed: these two actions undo each other; may be repeated"),
	CMD_LONG(0, "max-plans", &set.max_plans, 1, 1e9, "N",
	    "give an episode up after N plans (default: never)"),
	CMD_LONG(0, "max-steps", &set.max_steps, 1, 1e15, "N",
	    "give an episode up after N actions (default: never)"),
	CMD_LONG(0, "episodes", &set.episodes, 0, 1e9, "N",
	    "play so many episodes; 0: all there are"),
	CMD_FLAG(0, "forget", &set.new_world,
	    "each episode is another world: bind or learn anew"),
	CMD_FLAG(0, "untied", &set.untied,
	    "bind the states of a schema one by one, not by clones"),
	CMD_LONG(0, "iterations", &set.iterations, 1, 1000000, "N",
	    "EM updates of a binding at most (default: 50, untied 80)"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "starts of a binding or of learning (default: 3)"),
	CMD_FLAG(0, "summary", &set.summary,
	    "a row for each episode, not for each step"),
	CMD_WRITES(0, "save", &set.save, "FILE",
	    "write the model that the agent ends with here"),
	{ 0, "timeout", CMD_T_DOUBLE, &set.timeout, 0, 1e6, NULL, "SECONDS",
	    "how long the environment may be silent; 0: for ever",
	    CMD_QUIET_HISTORY },
	CMD_ISA(&set.isa),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-plan", "[[NAME=]MODEL...] [-- COMMAND...]",
	"find the way to a goal, on a map or in a live world", opts, 0, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS
};

void
plan_refuse(const void *const *var, const char *const *word, const char *why)
{
	for (; *var; var++, word++)
		if (cmd_given(*var))
			cmd_usage("--%s %s", *word, why);
}

static void
judge_goals(struct cscg_goal *goal)
{
	struct cscg_err err;
	int i;

	if (!set.goals.n && set.task == PLAN_TASK_GOAL)
		cmd_usage("--goal is missing: where to?");
	for (i = 0; i < set.goals.n; i++)
		if (cscg_goal_parse(set.goals.v[i], &goal[i], &err) < 0)
			cmd_usage("--goal: %s", err.msg);
}

static void
judge_live(const struct cscg_goal *goal, char **paths)
{
	static const void *const map[] = { &set.from, &set.max_length,
	    &cmd.walks, NULL };
	static const char *const words[] = { "from", "max-length", "walk" };
	struct cscg_err err;

	plan_refuse(map, words, "does not go with an environment");
	if (set.goals.n > 1)
		cmd_usage("--goal: one at a time in an environment");
	set.who = plan_agent_judge(&set, goal, paths);
	if (cscg_explore_check(set.explore, &err) < 0)
		cmd_usage("--explore: %s", err.msg);
	set.simd = cmd_isa(set.isa);
	cmd.live = true;
}

/* What is behind the first "--" is a command, and no operand of ours. */
static char **
split(int *argc, char **argv)
{
	int i;

	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		*argc = i;
		argv[i] = NULL;
		return argv + i + 1;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **command = split(&argc, argv);
	char **paths = cmd_begin(&info, argc, argv, NULL);
	struct cscg_goal *goals = cscg_alloc((size_t)set.goals.n,
	    sizeof *goals, &err);
	const struct cscg_goal *goal = set.goals.n ? goals : NULL;
	int rc = -1;

	if (!goals)
		return cmd_end(-1, &err);
	judge_goals(goals);
	if (command && !*command)
		cmd_usage("no command behind --");
	if (command) {
		judge_live(goal, paths);
		rc = plan_live(&set, goal, paths, command, &err);
	} else {
		rc = plan_map(&set, goal, paths, &err);
	}
	free(goals);
	return cmd_end(rc, &err);
}
