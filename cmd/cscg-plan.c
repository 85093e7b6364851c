/* cscg-plan - find the way to a goal, on a map or in a live world */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "belief.h"
#include "cmd_isa.h"
#include "cscg-plan.h"
#include "explore.h"
#include "fit.h"
#include "mem.h"
#include "model_io.h"
#include "plan_io.h"
#include "walk_io.h"
#include "work.h"

static struct plan_set set = {
	.confidence = .5, .from = "walk", .max_length = -1,
	.explore = "random", .detour = 3, .episodes = 1, .surprise = 1e-4, .timeout = 10
};

static const char *const replans[] = { "fail", "end", "step", NULL };
static const char *const untils[] = { "steps", "seen", "tried", NULL };

static const struct cmd_opt opts[] = {
	CMD_LIST(0, "goal", &set.goals, "WHERE",
	    "arrive here: symbol:X, state:N or start; if repeated, at any; "
	    "env: where the environment says"),
	CMD_DOUBLE(0, "confidence", &set.confidence, 0, 1, "P",
	    "success probability of a plan that is good enough"),
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
	CMD_FLAG(0, "pass-by", &set.pass_by,
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
	CMD_FLAG(0, "forget", &set.forget,
	    "each episode is another world: bind or learn anew"),
	CMD_FLAG(0, "untied", &set.untied,
	    "bind the states of a schema one by one, not by clones"),
	CMD_LONG(0, "iterations", &set.iterations, 1, 1000000, "N",
	    "EM updates of a binding at most (default: 50, untied 80)"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "starts of a binding or of learning (default: 3)"),
	CMD_FLAG(0, "summary", &set.summary,
	    "a row for each episode, not for each step"),
	CMD_FILE(0, "save", &set.save, "FILE",
	    "write the model that the agent ends with here"),
	{ 0, "timeout", CMD_T_DOUBLE, &set.timeout, 0, 1e6, NULL, "SECONDS",
	    "how long the environment may be silent; 0: for ever",
	    CMD_QUIET_HISTORY },
	CMD_ISA(&set.isa),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-plan", "[MODEL] [-- COMMAND...]",
	"find the way to a goal, on a map or in a live world", opts, 0, 1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS
};

/* What the options come to. */
struct job {
	struct cscg_goal *goal;	/* [set.goals.n] */
	bool walk, posterior;	/* is a walk needed? all places of it? */
	int from;		/* -1: where the walk ends */
};

/* ---- where we are, and where to ---- */

/* Put the last episode of the walk into the belief. */
static int
follow(struct cscg_belief *b, const struct cscg_walk *w, struct cscg_err *err)
{
	int e = w->n_episodes - 1;
	long t;

	if (e < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "a walk without "
		    "episodes ends nowhere");
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		if (cscg_belief_step(b, cscg_walk_fresh(w, e, t) ? -1 :
		    w->a[t - 1], w->x[t]) <= 0)
			return cscg_fail(err, CSCG_EMISMATCH, "episode %d, "
			    "step %ld: the model cannot produce this walk", e,
			    t - w->start[e]);
	return 0;
}

static int
check_state(const char *option, int state, const struct cscg_model *m,
    struct cscg_err *err)
{
	return state < m->n_states ? 0 : cscg_fail(err, CSCG_EUSAGE,
	    "--%s: state %d is outside 0..%d", option, state, m->n_states - 1);
}

/* Weights of the states that are a goal; origin is where the walk began. */
static int
weigh_goal(const struct cscg_goal *goal, const struct cscg_model *m,
    int origin, double *weight, struct cscg_err *err)
{
	int j, x;

	switch (goal->kind) {
	case CSCG_GOAL_START:
		weight[origin] = 1;
		break;
	case CSCG_GOAL_STATE:
		if (check_state("goal", goal->state, m, err) < 0)
			return -1;
		weight[goal->state] = 1;
		break;
	case CSCG_GOAL_SYMBOL:
		if (m->kind != CSCG_GROUNDED)
			return cscg_fail(err, CSCG_EMISMATCH, "--goal: this "
			    "model does not know what its states look like");
		x = cscg_goal_symbol(goal, &m->symbols, m->n_obs, err);
		if (x < 0)
			return cscg_fail_at(err, "--goal");
		for (j = 0; j < m->n_states; j++)
			weight[j] = fmax(weight[j], cscg_model_E(m, j, x));
		break;
	case CSCG_GOAL_ENV:
		break;
	}
	return 0;
}

/* ---- a plan ---- */

/* Returns 1 with a plan written, 0 if there is none, -1 with err filled. */
static int
plan(const struct job *job, const struct cscg_model *m, int now, int origin,
    const double *start, struct cscg_err *err)
{
	double *goal = cscg_alloc((size_t)m->n_states, sizeof *goal, err);
	struct cscg_map *map = cscg_map_new(m, set.smooth, err);
	struct cscg_plan found = { 0 };
	struct cscg_ask ask = { .start = job->posterior ? start : NULL,
	    .from = now, .goal = goal, .confidence = set.confidence,
	    .best = set.best, .max_length = set.max_length,
	    .seed = (uint64_t)cmd.seed };
	double best = 0;
	int i, rc = -1;

	for (i = 0; goal && i < set.goals.n; i++)
		if (weigh_goal(&job->goal[i], m, origin, goal, err) < 0)
			goto out;
	if (!goal || !map)
		goto out;
	rc = cscg_plan(map, &ask, &found, &best, err);
	if (rc == 0)
		cmd_say("no plan: the best found succeeds with probability "
		    "%.6g%s", best, best > 0 ? "" : ", the goal cannot be "
		    "reached");
	if (rc <= 0)
		goto out;
	cmd_talk("plan: %ld actions from state %d to state %d, probability "
	    "%.6g%s", found.n, found.z[0], found.z[found.n], found.success,
	    found.n ? "" : ": already there");
	if ((set.json ? cscg_plan_write_json(&found, m,
	    start ? start[found.z[0]] : NAN, cmd_out(err), err) :
	    cscg_plan_write(&found, m, cmd_out(err), err)) < 0)
		rc = -1;
out:
	cscg_plan_free(&found);
	cscg_map_free(map);
	free(goal);
	return rc;
}

/* Decode the walk, if there must be one, and plan. */
static int
decode(const struct job *job, const struct cscg_model *m,
    const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_model *smooth = cscg_map_smooth(m, set.smooth, err);
	struct cscg_trans *tr = NULL;
	struct cscg_belief *belief = NULL;
	double *p = NULL;
	int rc = -1, now = job->from, origin;

	if (!smooth)
		return -1;
	tr = cscg_trans_new(smooth, &cscg_kern_plain64, err);
	if (!tr)
		goto out;
	belief = cscg_belief_new(tr, err);
	p = cscg_alloc((size_t)m->n_states, sizeof *p, err);
	if (!belief || !p || follow(belief, w, err) < 0)
		goto out;
	origin = cscg_belief_origin(belief);
	cmd_talk("the walk goes from state %d to state %d, where it ends with "
	    "probability %.6g", origin, cscg_belief_now(belief),
	    cscg_belief_p(belief, cscg_belief_now(belief)));
	cscg_belief_get(belief, p);
	if (now < 0)
		now = cscg_belief_now(belief);
	rc = plan(job, m, now, origin, job->from < 0 ? p : NULL, err);
out:
	free(p);
	cscg_belief_free(belief);
	cscg_trans_free(tr);
	cscg_model_free(smooth);
	return rc;
}

static int
run(const struct job *job, const char *path, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!cmd_out(err))
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m || (job->from >= 0 && check_state("from", job->from, m, err) < 0))
		goto out;
	if (!job->walk) {
		rc = plan(job, m, job->from, -1, NULL, err);
		goto out;
	}
	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH, "a walk can be followed on a "
		    "grounded model alone, and this is a %s: see cscg-bind(1)",
		    cscg_kind_name(m->kind));
		goto out;
	}
	w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (w && cscg_fit_walk(w, m, err) == 0)
		rc = decode(job, m, w, err);
out:
	cscg_walk_free(w);
	cscg_model_free(m);
	return rc;
}

/* ---- the options ---- */

void
plan_refuse(const void *const *var, const char *const *word, const char *why)
{
	for (; *var; var++, word++)
		if (cmd_given(*var))
			cmd_usage("--%s %s", *word, why);
}

static void
judge_goals(struct job *job)
{
	struct cscg_err err;
	int i;

	if (!set.goals.n)
		cmd_usage("--goal is missing: where to?");
	for (i = 0; i < set.goals.n; i++)
		if (cscg_goal_parse(set.goals.v[i], &job->goal[i], &err) < 0)
			cmd_usage("--goal: %s", err.msg);
}

static void
judge_map(struct job *job, const char *path)
{
	static const void *const live[] = { &set.agent, &set.explore,
	    &set.explore_steps, &set.until, &set.pass_by, &set.detour,
	    &set.inverse,
	    &set.replan, &set.surprise, &set.max_plans, &set.max_steps,
	    &set.episodes, &set.forget, &set.untied, &set.iterations,
	    &set.restarts, &set.summary, &set.save, &set.timeout, NULL };
	static const char *const words[] = { "agent", "explore",
	    "explore-steps", "explore-until", "pass-by", "detour", "inverse",
	    "replan", "surprise", "max-plans", "max-steps", "episodes",
	    "forget", "untied", "iterations", "restarts", "summary", "save",
	    "timeout" };
	struct cscg_err err;
	int i;

	plan_refuse(live, words, "needs an environment: -- COMMAND...");
	for (i = 0; i < set.goals.n; i++) {
		if (job->goal[i].kind == CSCG_GOAL_ENV)
			cmd_usage("--goal env needs an environment: -- "
			    "COMMAND...");
		job->walk |= job->goal[i].kind == CSCG_GOAL_START;
	}
	if (!strcmp(set.from, "posterior"))
		job->posterior = true;
	else if (!strncmp(set.from, "state:", 6)) {
		if (cscg_goal_number(set.from + 6, &job->from, &err) < 0)
			cmd_usage("--from: %s", err.msg);
	} else if (strcmp(set.from, "walk"))
		cmd_usage("--from: '%s' is none of walk, posterior, state:N",
		    set.from);
	job->walk |= job->from < 0;
	if (!job->walk && cmd.walks.n)
		cmd_usage("-w: no walk is needed from state:N to such a goal");
	if (job->walk && !cmd.walks.n && !strcmp(path, "-"))
		cmd_usage("standard input can be read only once");
}

static void
judge_live(const struct cscg_goal *goal, const char *path)
{
	static const void *const map[] = { &set.from, &set.max_length,
	    &cmd.walks, NULL };
	static const char *const words[] = { "from", "max-length", "walk" };
	struct cscg_err err;

	plan_refuse(map, words, "does not go with an environment");
	if (set.goals.n > 1)
		cmd_usage("--goal: one at a time in an environment");
	plan_agent_judge(&set, goal, path);
	if (cscg_explore_judge(set.explore, &err) < 0)
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
	struct job job = { .from = -1 };
	char **command = split(&argc, argv);
	char **paths = cmd_begin(&info, argc, argv, NULL);
	const char *path = paths[0];
	int rc = -1;

	job.goal = cscg_alloc((size_t)set.goals.n, sizeof *job.goal, &err);
	if (!job.goal)
		return cmd_end(-1, &err);
	judge_goals(&job);
	if (command && !*command)
		cmd_usage("no command behind --");
	if (command) {
		judge_live(job.goal, path);
		rc = plan_live(&set, job.goal, path, command, &err);
	} else {
		path = path ? path : "-";
		judge_map(&job, path);
		rc = run(&job, path, &err);
	}
	free(job.goal);
	return cmd_end(rc, &err);
}
