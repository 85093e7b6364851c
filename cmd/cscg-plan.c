/*
 * cscg-plan - plan the likeliest path to a goal, or act in a live environment
 *
 * Without a command: a plan on a model, from the last state of a walk or from
 * a given state.  With a command ("-- COMMAND..."): an agent in the
 * environment started by the command.
 */
#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/poll.h"
#include "tool.h"
#include "options.h"
#include "suggest.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "io/table.h"
#include "kernel/simd.h"
#include "plan/agent_plan.h"
#include "plan/agent_match.h"
#include "plan/agent_game.h"
#include "plan/env.h"
#include "plan/explore.h"
#include "plan/keep.h"
#include "plan/plan.h"

/* In the order of agent_words; the last is not one of them. */
enum agent_kind { AGENT_PLAN, AGENT_TRACKER, AGENT_INFORMED, AGENT_MATCH };
enum { AS_STEPS, AS_SUMMARY };

static struct {
	struct cmd_list goals, inverse;
	const char *start, *explore, *explore_until, *save, *library, *isa;
	double confidence, smooth, slip, misread, timeout, max_time;
	long max_steps, max_plans, episodes, restarts, verify;
	int agent, replan, as;
	bool best, explore_only, new_world, json;

	/* Not set by options. */
	double deadline; /* by --max-time */
} set = {
	.start = "walk",
	.explore = "random",
	.explore_until = "0",
	.confidence = .5,
	.timeout = 10,
	.max_steps = -1,
	.episodes = 1,
	.verify = 20,
};

static const char *const agent_words[] = {
	"plan",
	"tracker",
	"informed",
	NULL,
};
static const char *const replan_words[] = { "fail", "end", "step", NULL };
static const char *const as_words[] = { "steps", "summary", NULL };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_LIST(0, "goal", &set.goals, "WHERE",
	    "goal: symbol:X, state:N, start; in an environment also env (as "
	    "requested), reward (maximise rewards) or match (identify the "
	    "model that applies); may be repeated"),
	CMD_STRING(0, "start", &set.start, "WHERE",
	    "start: walk (Viterbi state at its end), posterior (belief at its "
	    "end) or state:N"),
	CMD_MODEL,
	CMD_DOUBLE(0, "smooth", &set.smooth, 0, 1e6, "LAMBDA",
	    "add LAMBDA * max T to every self-transition, so that larger "
	    "rooms are possible"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, .9, "P",
	    "probability that an action fails or another one is taken, 0..0.9 "
	    "(default: estimated)"),
	CMD_DOUBLE(0, "misread", &set.misread, 0, .9, "P",
	    "probability that a symbol is drawn at random, 0..0.9 (default: "
	    "estimated)"),
	CMD_LIST(0, "inverse", &set.inverse, "A,B",
	    "--agent informed: these two actions are inverse; may be "
	    "repeated"),
	CMD_FILE(0, "library", &set.library, "DIR",
	    "also use the schemas and memories of this library; those visited "
	    "and learned are added to it"),
	CMD_FLAG(0, "new-world", &set.new_world,
	    "every episode is a new environment: discard the model or binding "
	    "of earlier ones"),
	CMD_ALGORITHM,
	CMD_DOUBLE(0, "confidence", &set.confidence, 0, 1, "P",
	    "success probability at which a plan is accepted, 0..1"),
	CMD_FLAG(0, "best", &set.best,
	    "the plan with the highest success probability, not the shortest "
	    "with --confidence"),
	CMD_CHOICE(0, "agent", &set.agent, agent_words,
	    "strategy: explore, then plan; exact tracker on a deterministic "
	    "schema; collect while learning an unknown environment"),
	CMD_STRING(0, "explore", &set.explore, "HOW",
	    "exploration policy: random, random:ACTION,..., repeat:K, cover, "
	    "frontier, or ACTION,..."),
	CMD_STRING(0, "explore-until", &set.explore_until, "N|seen|tried",
	    "explore first: N steps, until all symbols were observed, or "
	    "until all actions were tried after each"),
	CMD_FLAG(0, "explore-only", &set.explore_only,
	    "collect no reward while exploring"),
	CMD_CHOICE(0, "replan", &set.replan, replan_words,
	    "plan again when the plan fails, at its end, or after each step"),
	CMD_LONG(0, "verify", &set.verify, 0, 1e9, "N",
	    "--goal match: stop when one model was confident for N steps; 0: "
	    "when every action was tried"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random initialisations of a binding or of learning (default: 3)"),
	CMD_LONG(0, "max-plans", &set.max_plans, 1, 1e9, "N",
	    "plans per episode at most (default: no limit)"),
	CMD_LONG(0, "max-steps", &set.max_steps, 0, 1e15, "N",
	    "actions at most, of a plan or of an episode (default: no limit)"),
	CMD_LONG(0, "episodes", &set.episodes, 0, 1e9, "N",
	    "episodes to play; 0: all that the environment has"),
	{ 0, "timeout", CMD_T_DOUBLE, &set.timeout, 0, 1e6, NULL, "SECONDS",
	    "timeout for a line of the environment; 0: no limit",
	    CMD_NOT_IN_HISTORY },
	{ 0, "max-time", CMD_T_DOUBLE, &set.max_time, 0, 1e9, NULL, "SECONDS",
	    "end the run in an environment after this time; 0: no limit",
	    CMD_NOT_IN_HISTORY },
	CMD_ISA(&set.isa),
	CMD_OUTPUT,
	CMD_CHOICE(0, "as", &set.as, as_words,
	    "form of the table: a row per step, or a row per episode"),
	CMD_WRITES(0, "save", &set.save, "FILE",
	    "write the model at the end of the run, also if SIGINT or SIGTERM "
	    "ends it"),
	CMD_JSON(&set.json, ", and a plan as JSON"),
	CMD_END,
};

static const struct cmd_info info = {
	.name = "cscg-plan",
	.operands = "[[NAME=]MODEL...] [-- COMMAND...]",
	.purpose =
	    "plan the likeliest path to a goal, or act in a live environment",
	.opts = opts,
	.min = 0,
	.max = -1,
	.uses = CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS,
	.example = "cscg-plan model.gz -w walk.gz --goal symbol:3",
};

/* Whether any option of var, which ends in NULL, was given. */
static bool
any_given(const void *const *var)
{
	for (; *var; var++)
		if (cmd_given(*var))
			return true;
	return false;
}

/* A plan on a model, without an environment */

struct offline {
	const struct cscg_goal *goal; /* [set.goals.n] */
	bool needs_walk;
	bool posterior; /* start: the belief at the end of the walk */
	int start;      /* a state; -1: at the end of the walk */
};

static int
check_state(const char *option, int state, const struct cscg_model *m,
    struct cscg_err *err)
{
	return state < m->n_states ?
	    0 :
	    cscg_fail(err, CSCG_EUSAGE, "--%s: state %d is outside 0..%d",
		option, state, m->n_states - 1);
}

/*
 * Weights of the states that are a goal; origin is the first state of the
 * walk.
 */
static int
add_goal_weights(const struct cscg_goal *goal, const struct cscg_model *m,
    int origin, double *weight, struct cscg_err *err)
{
	int x;

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
			return cscg_fail(err, CSCG_EMISMATCH,
			    "--goal: this model has no emissions, so its "
			    "symbols are unknown");
		x = cscg_goal_symbol(goal, &m->symbols, m->n_obs, err);
		if (x < 0)
			return cscg_fail_at(err, "--goal");
		cscg_goal_weigh_symbol(m, x, weight);
		break;
	case CSCG_GOAL_ENV:
	case CSCG_GOAL_MATCH:
	case CSCG_GOAL_REWARD:
		break;
	}
	return 0;
}

/* Returns 1 with a plan written, 0 if there is none, -1 with err filled. */
static int
write_plan(const struct offline *job, const struct cscg_model *m, int now,
    int origin, const double *start, struct cscg_err *err)
{
	double *goal = cscg_alloc((size_t)m->n_states, sizeof *goal, err);
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, set.smooth, err);
	struct cscg_plan found = { 0 };
	struct cscg_plan_query ask = { .start = job->posterior ? start : NULL,
		.from = now,
		.goal = goal,
		.confidence = set.confidence,
		.best = set.best,
		.max_steps = set.max_steps,
		.seed = (uint64_t)cmd.seed };
	double best = 0;
	int i, rc = -1;

	for (i = 0; goal && i < set.goals.n; i++)
		if (add_goal_weights(&job->goal[i], m, origin, goal, err) < 0)
			goto out;
	if (!goal || !map)
		goto out;
	rc = cscg_plan(map, &ask, &found, &best, err);
	if (rc == 0)
		cmd_warn(
		    "no plan: the best found succeeds with probability %.6g%s",
		    best,
		    best > 0              ? "" :
			ask.max_steps < 0 ? ", the goal cannot be reached" :
					    ", the goal cannot be reached "
					    "within --max-steps actions");
	if (rc <= 0)
		goto out;
	cmd_verbose(
	    "plan: %ld actions from state %d to state %d, probability %.6g%s",
	    found.n, found.z[0], found.z[found.n], found.success,
	    found.n ? "" : ": already there");
	if ((set.json ?
		    cscg_plan_write_json(&found, m,
			start ? start[found.z[0]] : NAN, cmd_out(err), err) :
		    cscg_plan_write(&found, m, cmd_out(err), err)) < 0)
		rc = -1;
out:
	cscg_plan_free(&found);
	cscg_plan_graph_free(map);
	free(goal);
	return rc;
}

/* Filter the walk, and plan from its end or from the state of --start. */
static int
plan_after_walk(const struct offline *job, const struct cscg_model *m,
    const struct cscg_walk *w, struct cscg_err *err)
{
	double *p = cscg_alloc((size_t)m->n_states, sizeof *p, err);
	int rc = -1, last, origin;

	if (!p ||
	    cscg_plan_locate(m, set.smooth, w, &last, &origin, p, err) < 0) {
		if (err->code == CSCG_EMISMATCH)
			cmd_fail_in_walks(err);
		goto out;
	}
	cmd_verbose("the walk goes from state %d to state %d, its last state "
		    "with probability %.6g",
	    origin, last, p[last]);
	rc = write_plan(job, m, job->start < 0 ? last : job->start, origin,
	    job->start < 0 ? p : NULL, err);
out:
	free(p);
	return rc;
}

static int
plan_on_model(const struct offline *job, const char *path,
    struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!cmd_out(err))
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m ||
	    (job->start >= 0 && check_state("start", job->start, m, err) < 0))
		goto out;
	if (!job->needs_walk) {
		rc = write_plan(job, m, job->start, -1, NULL, err);
		goto out;
	}
	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a walk requires a grounded model, but "
		    "this is %s: see cscg-bind(1)",
		    cscg_model_kind_text(m->kind));
		cmd_fail_in(path, err);
		goto out;
	}
	w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (w && cscg_alphabet_map_walk(w, m, err) < 0)
		cmd_fail_in_walks(err);
	else if (w)
		rc = plan_after_walk(job, m, w, err);
out:
	cscg_walk_free(w);
	cscg_model_free(m);
	return rc;
}

static void
parse_start(struct offline *job)
{
	struct cscg_err err;

	if (!strcmp(set.start, "posterior"))
		job->posterior = true;
	else if (!strncmp(set.start, "state:", 6)) {
		if (cscg_goal_parse_state(set.start + 6, &job->start, &err) <
		    0)
			cmd_usage("--start: %s", err.msg);
	} else if (strcmp(set.start, "walk"))
		cmd_usage(
		    "--start: '%s' is not one of walk, posterior, state:N",
		    set.start);
}

static void
check_offline(struct offline *job, char **paths)
{
	int i;

	CMD_REFUSE("needs an environment: -- COMMAND...", &set.agent,
	    &set.explore, &set.explore_until, &set.explore_only, &set.inverse,
	    &set.replan, &set.verify, &set.slip, &set.misread, &set.max_plans,
	    &set.episodes, &set.new_world, &set.restarts, &set.as, &set.save,
	    &set.library, &set.timeout, &set.max_time);
	for (i = 0; i < set.goals.n; i++) {
		if (job->goal[i].kind == CSCG_GOAL_ENV ||
		    job->goal[i].kind == CSCG_GOAL_MATCH ||
		    job->goal[i].kind == CSCG_GOAL_REWARD)
			cmd_usage(
			    "--goal %s needs an environment: -- COMMAND...",
			    set.goals.v[i]);
		job->needs_walk |= job->goal[i].kind == CSCG_GOAL_START;
	}
	if (paths[0] && paths[1])
		cmd_usage("several models need an environment: -- COMMAND...; "
			  "a walk goes after -w");
	parse_start(job);
	job->needs_walk |= job->start < 0;
	if (!job->needs_walk && cmd.walks.n)
		cmd_usage("-w: no walk is needed from state:N to such a goal");
	if (job->needs_walk && !cmd.walks.n &&
	    (!paths[0] || !strcmp(paths[0], "-")))
		cmd_usage("standard input can be read only once");
}

/*
 * Write a plan on the model at paths (one at most; none: standard input).  1, 0
 * if there is no plan, -1 with err filled.
 */
static int
run_offline(const struct cscg_goal *goal, char **paths, struct cscg_err *err)
{
	struct offline job = { .goal = goal, .start = -1 };

	check_offline(&job, paths);
	return plan_on_model(&job, paths[0] ? paths[0] : "-", err);
}

/* Agents in an environment */

/* Settings derived from the options. */
struct live {
	const struct cscg_goal *goal;
	enum agent_kind kind; /* --agent, or AGENT_MATCH */
	bool several;         /* several models, --library, or --goal match */
	long explore_steps;
	enum cscg_agent_until until;
	const struct cscg_simd *simd;
	struct cscg_keep *keep; /* --library, or NULL */
	bool is_kept; /* it was updated at the end of the last episode */
	struct cscg_poll *poll; /* stops learning when must_stop() is true */
};

/* Options for several models, a library, or --goal match. */
static void
check_match(const struct cscg_goal *goal, char **paths)
{
	if (!paths[0] && goal->kind == CSCG_GOAL_MATCH && !set.library)
		cmd_usage("--goal match requires models");
	if (set.library && goal->kind == CSCG_GOAL_MATCH)
		cmd_usage("--library cannot be combined with --goal match: "
			  "see cscg-match(1)");
	if (paths[0])
		cmd_check_schemas(paths, 0);
	CMD_REFUSE("cannot be combined with several models, --library, --goal "
		   "reward or match",
	    &set.agent, &set.confidence, &set.best, &set.smooth,
	    &set.explore_until, &set.explore_only, &set.replan, &set.max_plans,
	    &set.restarts, &set.inverse, &set.isa);
	if (goal->kind == CSCG_GOAL_STATE)
		cmd_usage("--goal state:N requires a single model");
}

/* The agent to use.  Exits if options contradict it, the goal or the models. */
static enum agent_kind
check_agent(const struct cscg_goal *goal, char **paths)
{
	static const void *const plans[] = { &set.confidence, &set.best,
		&set.smooth, &set.explore, &set.explore_until,
		&set.explore_only, &set.replan, &set.max_plans, &set.restarts,
		NULL };

	if (goal->kind != CSCG_GOAL_MATCH)
		CMD_REFUSE("requires --goal match", &set.verify);
	if (goal->kind == CSCG_GOAL_MATCH || goal->kind == CSCG_GOAL_REWARD ||
	    set.library || (paths[0] && paths[1])) {
		check_match(goal, paths);
		return AGENT_MATCH;
	}
	if (set.agent != AGENT_INFORMED)
		CMD_REFUSE("requires --agent informed", &set.inverse);
	if (!any_given(plans) && !cmd_given(&set.agent))
		return AGENT_MATCH;
	CMD_REFUSE("cannot be combined with options of --agent plan",
	    &set.slip, &set.misread);
	if (set.agent == AGENT_PLAN)
		return AGENT_PLAN;
	cmd_refuse("requires --agent plan", plans);
	if (goal->kind != CSCG_GOAL_ENV)
		cmd_usage("--agent %s requires --goal env",
		    agent_words[set.agent]);
	if (set.agent == AGENT_TRACKER && !paths[0])
		cmd_usage("--agent tracker requires a model");
	if (set.agent == AGENT_INFORMED && paths[0])
		cmd_usage("--agent informed takes no model");
	return (enum agent_kind)set.agent;
}

static void
parse_explore_until(struct live *live)
{
	const char *s = set.explore_until, *meant;
	char *end = NULL;
	double n = -1;

	live->until = !strcmp(s, "seen") ? CSCG_AGENT_UNTIL_SEEN :
	    !strcmp(s, "tried")          ? CSCG_AGENT_UNTIL_TRIED :
					   CSCG_AGENT_UNTIL_STEPS;
	if (live->until != CSCG_AGENT_UNTIL_STEPS)
		return;
	if (isdigit((unsigned char)*s) && !s[strspn(s, "0123456789.eE+")])
		n = strtod(s, &end);
	if (!end || *end || n != floor(n)) {
		meant = cmd_suggest_meaning(info.name, "explore-until",
		    strlen("explore-until"), s, NULL);
		cmd_usage(
		    "--explore-until: '%s' is not one of N, seen, tried%s%s",
		    s, meant ? ": " : "", meant ? meant : "");
	}
	if (n > 1e9)
		cmd_usage("--explore-until: %s is outside 0..1000000000", s);
	live->explore_steps = (long)n;
}

static void
check_live(struct live *live, char **paths)
{
	struct cscg_err err;
	int i;

	CMD_REFUSE("cannot be combined with an environment", &set.start,
	    &cmd.walks);
	if (set.max_steps == 0)
		cmd_usage(
		    "--max-steps: 0 cannot be combined with an environment");
	live->kind = check_agent(live->goal, paths);
	for (i = 0; i < set.goals.n && set.goals.n > 1; i++)
		if (live->goal[i].kind == CSCG_GOAL_ENV ||
		    live->goal[i].kind == CSCG_GOAL_MATCH ||
		    live->goal[i].kind == CSCG_GOAL_REWARD)
			cmd_usage(
			    "--goal %s cannot be combined with other goals",
			    set.goals.v[i]);
	if (set.goals.n > 1 && live->kind != AGENT_MATCH)
		cmd_usage("several goals in an environment cannot be "
			  "combined with options of --agent plan");
	for (i = 0; i < set.goals.n && !paths[0]; i++)
		if (live->goal[i].kind == CSCG_GOAL_STATE)
			cmd_usage("--goal %s requires a model",
			    set.goals.v[i]);
	live->several = live->goal->kind == CSCG_GOAL_MATCH ||
	    live->goal->kind == CSCG_GOAL_REWARD || set.library ||
	    (paths[0] && paths[1]);
	parse_explore_until(live);
	if (cscg_explore_check(set.explore, &err) < 0)
		cmd_usage("--explore: %s", err.msg);
	live->simd = cmd_isa(set.isa);
	cmd.live = true;
}

static struct cscg_agent *
new_planner(const struct live *live, const struct cscg_model *m,
    const struct cscg_env_header *world, struct cscg_err *err)
{
	struct cscg_agent_plan_options how = {
		.knowledge = { .model = m,
		    .smooth = set.smooth,
		    .restarts = set.restarts,
		    .seed = (uint64_t)cmd.seed,
		    .threads = (int)cmd.threads,
		    .simd = live->simd },
		.goal = live->goal,
		.explore = set.explore,
		.explore_steps = live->explore_steps,
		.until = live->until,
		.no_collect = set.explore_only,
		.confidence = set.confidence,
		.best = set.best,
		.replan = (enum cscg_agent_replan)set.replan,
		.surprise = -1,
		.max_plans = set.max_plans,
		.new_world = set.new_world,
	};

	return cscg_agent_plan_new(world, &how, err);
}

static struct cscg_agent *
new_match_agent(const struct live *live, const struct cscg_schemas *models,
    const struct cscg_env_header *world, struct cscg_err *err)
{
	struct cscg_agent_match_options how = {
		.model = models->m,
		.name = models->names.v,
		.n = models->n,
		.goal = live->goal,
		.n_goals = set.goals.n,
		.verify = set.verify,
		.confidence = -1,
		.explore = cmd_given(&set.explore) ? set.explore : NULL,
		.track = { .slip = cmd_given(&set.slip) ? set.slip :
							  CSCG_NOISE_ESTIMATED,
		    .misread = cmd_given(&set.misread) ?
			set.misread :
			CSCG_NOISE_ESTIMATED },
		.partial_map = !live->keep,
		.new_world = set.new_world,
		.seed = (uint64_t)cmd.seed,
		.poll = live->poll,
	};

	if (live->keep)
		cscg_keep_priors(live->keep, &how.track);
	return cscg_agent_match_new(world, &how, err);
}

/* NULL with err filled.  Borrows the models. */
static struct cscg_agent *
new_agent(const struct live *live, const struct cscg_schemas *models,
    const struct cscg_env_header *world, struct cscg_err *err)
{
	const struct cscg_model *m = models->n ? models->m[0] : NULL;
	struct cscg_agent_game_options game = { .model = m,
		.detour = -1,
		.inverse = (const char *const *)set.inverse.v,
		.n_inverse = set.inverse.n,
		.new_world = set.new_world,
		.seed = (uint64_t)cmd.seed };
	struct cscg_agent *agent;

	switch (live->kind) {
	case AGENT_MATCH:
		return new_match_agent(live, models, world, err);
	case AGENT_TRACKER:
	case AGENT_INFORMED:
		agent = cscg_agent_game_new(world, &game, err);
		if (!agent && err->code == CSCG_EUSAGE)
			cscg_fail_at(err, "--inverse");
		return agent;
	default:
		return new_planner(live, m, world, err);
	}
}

/* The table: a row per step, or per episode */

static const struct cscg_col step_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 },
	{ "t", CSCG_COL_LONG, 0 },
	{ "x", CSCG_COL_LONG, 0 },
	{ "goal", CSCG_COL_LONG, 0 },
	{ "reward", CSCG_COL_DOUBLE, 0 },
	{ "distance", CSCG_COL_DOUBLE, 0 },
	{ "state", CSCG_COL_LONG, 0 },
	{ "p", CSCG_COL_DOUBLE, 0 },
	{ "plan", CSCG_COL_LONG, 0 },
	{ "left", CSCG_COL_LONG, 0 },
	{ "a", CSCG_COL_STRING, 0 },
};

static const struct cscg_col episode_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 },
	{ "steps", CSCG_COL_LONG, 0 },
	{ "plans", CSCG_COL_LONG, 0 },
	{ "reached", CSCG_COL_BOOL, 0 },
	{ "rewards", CSCG_COL_LONG, 0 },
	{ "reward", CSCG_COL_DOUBLE, 0 },
	{ "distance", CSCG_COL_DOUBLE, 0 },
};

/* Of several models; in a row per step, the first N_MATCH_STEP. */
static const struct cscg_col match_cols[] = {
	{ "model", CSCG_COL_STRING, 0 },
	{ "posterior", CSCG_COL_DOUBLE, 0 },
	{ "memory", CSCG_COL_BOOL, 0 },
	{ "verdict", CSCG_COL_STRING, 0 },
	{ "margin", CSCG_COL_DOUBLE, 0 },
};

enum {
	N_STEP = sizeof step_cols / sizeof *step_cols,
	N_EPISODE = sizeof episode_cols / sizeof *episode_cols,
	N_MATCH = sizeof match_cols / sizeof *match_cols,
	N_MATCH_STEP = 2,
	N_COLS = N_STEP + N_MATCH, /* at most */
};

struct report {
	struct cscg_table table;
	struct cscg_col cols[N_COLS];
	bool goal_is_match;
	const struct cscg_walk_header *head;
	struct cscg_agent *match; /* the agent for several models, or NULL */
	struct cscg_keep *keep;   /* of --library, or NULL */
	struct live *live;
	const char *failure; /* of the last episode that has one, or NULL */
};

static int
begin_table(struct report *report, struct cscg_err *err)
{
	bool summary = set.as == AS_SUMMARY;
	int n = summary ? N_EPISODE : N_STEP;
	int more = !report->match ? 0 : summary ? N_MATCH : N_MATCH_STEP;

	memcpy(report->cols, summary ? episode_cols : step_cols,
	    (size_t)n * sizeof *report->cols);
	memcpy(report->cols + n, match_cols,
	    (size_t)more * sizeof *report->cols);
	return cscg_table_init(&report->table, cmd_out(err), report->cols,
	    n + more, set.json, err);
}

static void
set_match_cells(const struct report *report, union cscg_cell *cell)
{
	struct cscg_agent_match_result result;

	if (!report->match)
		return;
	cscg_agent_match_get_result(report->match, &result);
	cell[0].s = result.name;
	cell[1].d = result.posterior;
	cell[2].l = result.is_grounded;
	cell[3].s = cscg_novelty_text(result.novelty);
	cell[4].d = result.margin;
}

static int
write_step(void *ctx, const struct cscg_agent_step *step, struct cscg_err *err)
{
	const struct report *report = ctx;
	const struct cscg_env_obs *obs = &step->obs;
	const struct cscg_agent_status *status = &step->status;
	union cscg_cell row[N_COLS];
	char number[CSCG_NUMBER_TEXT];

	row[0].l = obs->episode;
	row[1].l = step->t;
	row[2].l = cscg_cell_known(obs->x);
	row[3].l = cscg_cell_known(obs->goal);
	row[4].d = obs->reward;
	row[5].d = obs->distance;
	row[6].l = cscg_cell_known(status->state);
	row[7].d = status->p;
	row[8].l = status->plan;
	row[9].l = status->left;
	row[10].s = cscg_name_or_number(&report->head->actions, step->a,
	    number);
	set_match_cells(report, row + N_STEP);
	return cscg_table_write_row(&report->table, row, err);
}

/* The row of a step, if there are such rows, and the library. */
static int
after_step(void *ctx, const struct cscg_agent_step *step, struct cscg_err *err)
{
	const struct report *report = ctx;

	report->live->is_kept = false;
	if (set.as == AS_STEPS && write_step(ctx, step, err) < 0)
		return -1;
	return report->keep && cscg_keep_is_due(report->keep, report->match) ?
	    cscg_keep_update(report->keep, report->match, false, err) :
	    0;
}

static int
write_episode(void *ctx, const struct cscg_agent_episode *played,
    struct cscg_err *err)
{
	struct report *report = ctx;
	union cscg_cell row[N_COLS];

	if (!played->reached)
		report->failure = played->failure;
	if (report->keep && set.new_world) {
		if (cscg_keep_update(report->keep, report->match, true, err) <
		    0)
			return -1;
		report->live->is_kept = true;
	}
	cmd_verbose("episode %ld: %ld steps, %ld plans, reward %g, %s %s%s",
	    played->episode, played->steps, played->plans, played->reward,
	    report->goal_is_match ? "model" : "goal",
	    played->reached ? "" : "not ",
	    report->goal_is_match ? "found" : "reached");
	if (set.as != AS_SUMMARY)
		return 0;
	row[0].l = played->episode;
	row[1].l = played->steps;
	row[2].l = played->plans;
	row[3].l = played->reached;
	row[4].l = played->rewards;
	row[5].d = played->reward;
	row[6].d = played->distance;
	set_match_cells(report, row + N_EPISODE);
	return cscg_table_write_row(&report->table, row, err);
}

/* Run in an environment */

/* An environment, and whether it has failed. */
struct world {
	struct cscg_env *env;
	bool has_failed;
};

static int
observe(void *ctx, struct cscg_env_obs *obs, struct cscg_err *err)
{
	struct world *world = ctx;
	int rc = cscg_env_observe(world->env, obs, err);

	world->has_failed |= rc < 0;
	return rc;
}

static int
act(void *ctx, int a, struct cscg_err *err)
{
	struct world *world = ctx;
	int rc = cscg_env_act(world->env, a, err);

	world->has_failed |= rc < 0;
	return rc;
}

/* The signal that was deferred until the model is saved, or 0. */
static int
deferred_signal(void)
{
	return cmd_signals & cmd_signal_bit(SIGINT) ? SIGINT :
	    cmd_signals & cmd_signal_bit(SIGTERM)   ? SIGTERM :
						      0;
}

/* For cscg_agent_run(): whether a signal or --max-time ends the run. */
static bool
must_stop(void *ctx)
{
	(void)ctx;
	if (deferred_signal()) {
		cmd_defer_signals(false); /* a second one ends at once */
		return true;
	}
	return set.max_time > 0 && cscg_clock() >= set.deadline;
}

/* For poll.h: the same, while the agent learns a map. */
static int
poll_stop(void *ctx, const char *stage, double done, double total)
{
	(void)stage, (void)done, (void)total;
	return must_stop(ctx);
}

static int
run_episodes(struct live *live, struct cscg_agent *agent,
    struct world *environment, struct cscg_err *err)
{
	struct cscg_agent_env world = {
		.head = cscg_env_header(environment->env),
		.observe = observe,
		.act = act,
		.ctx = environment
	};
	struct report report = { .head = &world.head->head,
		.goal_is_match = live->goal->kind == CSCG_GOAL_MATCH,
		.match = live->several ? agent : NULL,
		.keep = live->keep,
		.live = live };
	struct cscg_agent_run_options how = { .episodes = set.episodes,
		.max_steps = set.max_steps < 0 ? 0 : set.max_steps,
		.stop = must_stop,
		.on_step = after_step,
		.on_episode = write_episode,
		.ctx = &report };
	long played, missed;

	if (begin_table(&report, err) < 0 ||
	    cscg_agent_run(agent, &world, &how, &played, &missed, err) < 0)
		return -1;
	if (live->keep && !live->is_kept &&
	    cscg_keep_update(live->keep, agent, true, err) < 0)
		return -1;
	if (!played)
		cmd_warn("the environment has no episodes");
	else if (missed)
		cmd_warn("%s in %ld of %ld episodes%s%s",
		    report.goal_is_match ? "no model was identified" :
					   "the goal was not reached",
		    missed, played, report.failure ? ": " : "",
		    report.failure ? report.failure : "");
	return played && !missed;
}

/* Save the model of the agent at the end. */
static int
save_model(struct cscg_out *out, const struct cscg_agent *agent,
    const struct cscg_walk_header *world, struct cscg_err *err)
{
	struct cscg_model *m = cscg_agent_ground(agent, err);
	int rc = -1;

	if (!m)
		return cscg_fail_at(err, "--save");
	if (cscg_history_join(&m->history, &world->history, err) == 0 &&
	    cmd_history(&m->history, err) == 0)
		rc = cscg_model_write(m, out, err);
	cscg_model_free(m);
	return rc;
}

/*
 * The environment has failed: keep what was learned before, if there is a
 * model, and leave err to tell the failure.
 */
static void
save_after_failure(const struct live *live, struct cscg_out *out,
    struct cscg_agent *agent, const struct cscg_walk_header *world)
{
	struct cscg_err err;

	if (live->keep && !live->is_kept &&
	    cscg_keep_update(live->keep, agent, true, &err) < 0)
		cmd_verbose("--library: %s", err.msg);
	if (out &&
	    (save_model(out, agent, world, &err) < 0 ||
		cmd_out_close_also(out, &err) < 0))
		cmd_verbose("%s", err.msg);
}

/*
 * Read the models: several per file for AGENT_MATCH, one in all for other
 * agents.
 */
static int
read_models(struct live *live, char **paths, struct cscg_schemas *models,
    struct cscg_err *err)
{
	if (set.library) {
		live->keep = cscg_keep_open(set.library, err);
		if (!live->keep)
			return -1;
	}
	if (live->several) {
		for (; *paths; paths++)
			if (cscg_schemas_read(models, *paths, err) < 0)
				return -1;
	} else if (*paths) {
		if (cscg_grow(&models->m, &models->cap, 1, sizeof *models->m,
			err) < 0)
			return -1;
		models->m[0] = cscg_model_read_file(*paths, err);
		models->n = models->m[0] != NULL;
		if (!models->n)
			return -1;
		/* A schema without clone structure is bound by EM. */
		if (live->kind == AGENT_MATCH &&
		    models->m[0]->kind == CSCG_SCHEMA)
			live->kind = AGENT_PLAN;
		if (live->kind == AGENT_PLAN && set.goals.n > 1)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "'%s': several goals require clone structure",
			    *paths);
		return cscg_names_add(&models->names, *paths, err);
	}
	return 0;
}

/* Schemas and memories of the library, after those of the operands. */
static int
use_library(const struct live *live, const struct cscg_env *env,
    struct cscg_schemas *models, struct cscg_err *err)
{
	int n = models->n, skipped;

	if (cscg_keep_models(live->keep, cscg_env_header(env), models,
		&skipped, err) < 0)
		return -1;
	cmd_verbose("library: %d items are used; %d are not, since they have "
		    "other actions or no clone structure",
	    models->n - n, skipped);
	if (skipped && models->n == n)
		cmd_warn(
		    "--library: '%s': no item can be used: they have other "
		    "actions or no clone structure",
		    set.library);
	return 0;
}

/*
 * Act in the environment that command starts, with the models in the files of
 * paths, if any.  1 if all episodes reached the goal, 0 if not, -1 with err
 * filled.
 */
static int
run_live(const struct cscg_goal *goal, char **paths, char **command,
    struct cscg_err *err)
{
	struct cscg_poll poll = { .call = poll_stop };
	struct live live = { .goal = goal, .poll = &poll };
	struct cscg_err other = { 0 };
	struct cscg_out *saved = NULL;
	struct cscg_schemas models = { .n = 0 };
	struct cscg_agent *agent = NULL;
	struct cscg_env *env = NULL;
	struct world world = { 0 };
	int rc = -1;

	check_live(&live, paths);
	if (!cmd_out(err))
		return -1;
	if (set.save) {
		saved = cmd_out_also(set.save, CSCG_OUT_GZIP, err);
		if (!saved)
			return -1;
	}
	set.deadline = cscg_clock() + set.max_time;
	/* Before any thread is started. */
	if (read_models(&live, paths, &models, err) == 0)
		env = cscg_env_start(command, set.timeout, err);
	if (env && (!live.keep || use_library(&live, env, &models, err) == 0))
		agent = new_agent(&live, &models, cscg_env_header(env), err);
	/* The hint is the option that the agent rejects. */
	if (env && !agent && err->code == CSCG_EUSAGE && *err->hint)
		cscg_fail_at(err, "--%s", err->hint);
	/* AGENT_MATCH names the file in its message. */
	if (env && !agent && models.n && live.kind != AGENT_MATCH &&
	    err->code == CSCG_EMISMATCH)
		cmd_fail_in(paths[0], err);
	if (set.save || set.library)
		cmd_defer_signals(true);
	world.env = env;
	if (agent)
		rc = run_episodes(&live, agent, &world, err);
	if (world.has_failed)
		save_after_failure(&live, saved, agent,
		    &cscg_env_header(env)->head);
	if (rc >= 0 && saved &&
	    save_model(saved, agent, &cscg_env_header(env)->head, err) < 0)
		rc = -1;
	if (cscg_env_stop(env, rc < 0 ? &other : err) < 0)
		rc = -1;
	cscg_agent_free(agent);
	cscg_schemas_free(&models);
	cscg_keep_free(live.keep);
	return rc;
}

/* Start and end */

static void
parse_goals(struct cscg_goal *goal)
{
	struct cscg_err err;
	int i;

	if (!set.goals.n)
		cmd_usage("--goal is required");
	for (i = 0; i < set.goals.n; i++)
		if (cscg_goal_parse(set.goals.v[i], &goal[i], &err) < 0)
			cmd_usage("--goal: %s", err.msg);
}

/* The command after the first "--", cut off the arguments; or NULL. */
static char **
split_command(int *argc, char **argv)
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
	char **command = split_command(&argc, argv);
	char **paths = cmd_begin(&info, argc, argv, NULL);
	struct cscg_goal *goal = cscg_alloc((size_t)set.goals.n, sizeof *goal,
	    &err);
	int rc;

	if (!goal)
		return cmd_end(-1, &err);
	parse_goals(goal);
	if (command && !*command)
		cmd_usage("no command after --");
	rc = command ? run_live(goal, paths, command, &err) :
		       run_offline(goal, paths, &err);
	free(goal);
	rc = cmd_end(rc, &err);
	if (deferred_signal())
		cmd_exit_by_signal(deferred_signal());
	return rc;
}
