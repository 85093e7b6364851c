/* cscg-plan - find the way to a goal, on a map or in a live world */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tool.h"
#include "options.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "io/table.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "kernel/simd.h"
#include "plan/agent.h"
#include "plan/agent_inform.h"
#include "plan/agent_match.h"
#include "plan/agent_track.h"
#include "plan/env.h"
#include "plan/explore.h"
#include "plan/plan.h"

/* The last is no word: it acts where there are several models. */
enum plan_agent {
	PLAN_AGENT_PLAN, PLAN_AGENT_TRACKER, PLAN_AGENT_INFORMED,
	PLAN_AGENT_MATCH
};
enum plan_task { PLAN_TASK_GOAL, PLAN_TASK_MATCH };

struct plan_set {
	struct cmd_list goals;
	double confidence, smooth;
	bool best, json;

	/* without an environment */
	const char *from;
	long max_length;

	/* with one */
	int task, agent, until;
	bool no_collect;
	struct cmd_list inverse;
	long detour;
	const char *explore, *save, *isa;
	long explore_steps, max_plans, max_steps, episodes;
	long iterations, restarts;
	int replan;
	double surprise, timeout, slip;
	long verify;
	bool new_world, untied, summary;
	const struct cscg_simd *simd;	/* chosen by isa */
	enum plan_agent who;	/* acts: that of the option, or the last */
};

/*
 * Write a plan on the map at paths (one at most; none: standard input).  1, 0
 * if there is none, -1 with err filled.
 */
static int plan_map(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, struct cscg_err *err);

/*
 * Act in the environment that command starts, with the models in the files of
 * paths, if any.  1 if all episodes reached the goal, 0 if not, -1 with err
 * filled.
 */
static int plan_live(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, char **command, struct cscg_err *err);

/* Refuse options (var ends in NULL) that were given, and why. */
static void plan_refuse(const void *const *var, const char *const *word,
    const char *why);

/*
 * Who acts?  Ends the program if options do not fit the agent, the goal (NULL:
 * none) or the models.
 */
static enum plan_agent plan_agent_check(const struct plan_set *set,
    const struct cscg_goal *goal, char **paths);

/* The agent that set asks for; NULL with err filled.  Borrows the models. */
static struct cscg_agent *plan_agent_new(const struct plan_set *set,
    const struct cscg_goal *goal, const struct cscg_schemas *models,
    const struct cscg_env_header *world, struct cscg_err *err);

/* The agent for several models: the same, and what its rows say more. */
static void plan_match_check(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths);
static struct cscg_agent *plan_match_new(const struct plan_set *set,
    const struct cscg_goal *goal, const struct cscg_schemas *models,
    const struct cscg_env_header *world, struct cscg_err *err);

enum { PLAN_MATCH_TURN = 2, PLAN_MATCH_EPISODE = 5 };
static void plan_match_cells(const struct cscg_agent *agent,
    const struct cscg_schemas *models, union cscg_cell *cell);

/* a plan on a map, without an environment */

/* What the options come to. */
struct job {
	const struct plan_set *set;
	const struct cscg_goal *goal;	/* [set->goals.n] */
	bool walk, posterior;	/* is a walk needed? all places of it? */
	int from;		/* -1: where the walk ends */
};

/* ---- where we are, and where to ---- */

/* Put the last episode of the walk into the belief. */
static int
follow(struct cscg_filter *b, const struct cscg_walk *w, struct cscg_err *err)
{
	int e = w->n_episodes - 1;
	long t;

	if (e < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "a walk without "
		    "episodes ends nowhere");
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		if (cscg_filter_observe(b, cscg_walk_starts_run(w, e, t) ? -1 :
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
/*
 * How likely each state shows x.  What EM left in a group that was met less than
 * once is no more than a guess, however sure it looks.
 */
static void
weigh_symbol(const struct cscg_model *m, int x, double *weight)
{
	int first, last, j;

	for (first = 0; first < m->n_states; first = last) {
		double seen = 0;

		for (last = first; last < m->n_states && (last == first ||
		    (m->clone && m->clone[last] == m->clone[first])); last++)
			seen = fmax(seen, m->confidence ? m->confidence[last] :
			    1);
		for (j = first; j < last; j++)
			weight[j] = fmax(weight[j], fmin(seen < .5 ? seen : 1,
			    cscg_model_E(m, j, x)));
	}
}

static int
weigh_goal(const struct cscg_goal *goal, const struct cscg_model *m,
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
			return cscg_fail(err, CSCG_EMISMATCH, "--goal: this "
			    "model does not know what its states look like");
		x = cscg_goal_symbol(goal, &m->symbols, m->n_obs, err);
		if (x < 0)
			return cscg_fail_at(err, "--goal");
		weigh_symbol(m, x, weight);
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
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, job->set->smooth, err);
	struct cscg_plan found = { 0 };
	struct cscg_plan_query ask = { .start = job->posterior ? start : NULL,
	    .from = now, .goal = goal, .confidence = job->set->confidence,
	    .best = job->set->best, .max_length = job->set->max_length,
	    .seed = (uint64_t)cmd.seed };
	double best = 0;
	int i, rc = -1;

	for (i = 0; goal && i < job->set->goals.n; i++)
		if (weigh_goal(&job->goal[i], m, origin, goal, err) < 0)
			goto out;
	if (!goal || !map)
		goto out;
	rc = cscg_plan(map, &ask, &found, &best, err);
	if (rc == 0)
		cmd_warn("no plan: the best found succeeds with probability "
		    "%.6g%s", best, best > 0 ? "" : ask.max_length < 0 ?
		    ", the goal cannot be reached" : ", the goal cannot be "
		    "reached by so few actions");
	if (rc <= 0)
		goto out;
	cmd_verbose("plan: %ld actions from state %d to state %d, probability "
	    "%.6g%s", found.n, found.z[0], found.z[found.n], found.success,
	    found.n ? "" : ": already there");
	if ((job->set->json ? cscg_plan_write_json(&found, m,
	    start ? start[found.z[0]] : NAN, cmd_out(err), err) :
	    cscg_plan_write(&found, m, cmd_out(err), err)) < 0)
		rc = -1;
out:
	cscg_plan_free(&found);
	cscg_plan_graph_free(map);
	free(goal);
	return rc;
}

/* Decode the walk, if there must be one, and plan. */
static int
decode(const struct job *job, const struct cscg_model *m,
    const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_model *smooth = cscg_plan_smooth(m, job->set->smooth, err);
	struct cscg_trans *tr = NULL;
	struct cscg_filter *belief = NULL;
	double *p = NULL;
	int rc = -1, now = job->from, origin;

	if (!smooth)
		return -1;
	tr = cscg_trans_new(smooth, &cscg_plain_double, err);
	if (!tr)
		goto out;
	belief = cscg_filter_new(tr, err);
	p = cscg_alloc((size_t)m->n_states, sizeof *p, err);
	if (!belief || !p)
		goto out;
	if (follow(belief, w, err) < 0) {
		cmd_fail_in_walks(err);
		goto out;
	}
	origin = cscg_filter_first_state(belief);
	cmd_verbose("the walk goes from state %d to state %d, where it ends with "
	    "probability %.6g", origin, cscg_filter_state(belief),
	    cscg_filter_prob(belief, cscg_filter_state(belief)));
	cscg_filter_probs(belief, p);
	if (now < 0)
		now = cscg_filter_state(belief);
	rc = plan(job, m, now, origin, job->from < 0 ? p : NULL, err);
out:
	free(p);
	cscg_filter_free(belief);
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
		    "grounded model alone, and this is %s: see cscg-bind(1)",
		    cscg_model_kind_text(m->kind));
		cmd_fail_in(path, err);
		goto out;
	}
	w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (w && cscg_alphabet_map_walk(w, m, err) < 0)
		cmd_fail_in_walks(err);
	else if (w)
		rc = decode(job, m, w, err);
out:
	cscg_walk_free(w);
	cscg_model_free(m);
	return rc;
}

/* ---- the options ---- */

static void
check_from(struct job *job)
{
	const char *from = job->set->from;
	struct cscg_err err;

	if (!strcmp(from, "posterior"))
		job->posterior = true;
	else if (!strncmp(from, "state:", 6)) {
		if (cscg_goal_parse_state(from + 6, &job->from, &err) < 0)
			cmd_usage("--from: %s", err.msg);
	} else if (strcmp(from, "walk"))
		cmd_usage("--from: '%s' is none of walk, posterior, state:N",
		    from);
}

static void
check(struct job *job, char **paths)
{
	const struct plan_set *set = job->set;
	const void *const live[] = { &set->task, &set->agent, &set->explore,
	    &set->explore_steps, &set->until, &set->no_collect, &set->detour,
	    &set->inverse, &set->replan, &set->surprise, &set->verify,
	    &set->slip, &set->max_plans, &set->max_steps, &set->episodes,
	    &set->new_world, &set->untied, &set->iterations, &set->restarts,
	    &set->summary, &set->save, &set->timeout, NULL };
	static const char *const words[] = { "task", "agent", "explore",
	    "explore-steps", "explore-until", "pass-by", "detour", "inverse",
	    "replan", "surprise", "verify", "slip", "max-plans", "max-steps",
	    "episodes", "forget", "untied", "iterations", "restarts",
	    "summary", "save", "timeout" };
	int i;

	plan_refuse(live, words, "needs an environment: -- COMMAND...");
	if (paths[0] && paths[1])
		cmd_usage("several models need an environment: -- COMMAND...; "
		    "a walk goes after -w");
	for (i = 0; i < set->goals.n; i++) {
		if (job->goal[i].kind == CSCG_GOAL_ENV)
			cmd_usage("--goal env needs an environment: -- "
			    "COMMAND...");
		job->walk |= job->goal[i].kind == CSCG_GOAL_START;
	}
	check_from(job);
	job->walk |= job->from < 0;
	if (!job->walk && cmd.walks.n)
		cmd_usage("-w: no walk is needed from state:N to such a goal");
	if (job->walk && !cmd.walks.n && (!paths[0] || !strcmp(paths[0], "-")))
		cmd_usage("standard input can be read only once");
}

static int
plan_map(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, struct cscg_err *err)
{
	struct job job = { .set = set, .goal = goal, .from = -1 };

	check(&job, paths);
	return run(&job, paths[0] ? paths[0] : "-", err);
}

/* the agents that can act in an environment */

static const char *const plan_agents[] = { "plan", "tracker", "informed", NULL };

static enum plan_agent
plan_agent_check(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths)
{
	const void *const plans[] = { &set->confidence, &set->best,
	    &set->smooth, &set->explore, &set->explore_steps, &set->until,
	    &set->no_collect, &set->replan, &set->surprise, &set->max_plans,
	    &set->untied, &set->iterations, &set->restarts, NULL };
	static const char *const plan_words[] = { "confidence", "best",
	    "smooth", "explore", "explore-steps", "explore-until", "pass-by",
	    "replan", "surprise", "max-plans", "untied", "iterations",
	    "restarts" };
	const void *const inform[] = { &set->detour, &set->inverse, NULL };
	static const char *const inform_words[] = { "detour", "inverse" };
	const void *const match[] = { &set->verify, &set->slip, NULL };
	static const char *const match_words[] = { "verify", "slip" };

	if (set->task == PLAN_TASK_MATCH || (paths[0] && paths[1])) {
		plan_match_check(set, goal, paths);
		return PLAN_AGENT_MATCH;
	}
	plan_refuse(match, match_words, "goes with several models, or --task "
	    "match");
	if (set->agent != PLAN_AGENT_INFORMED)
		plan_refuse(inform, inform_words, "goes with --agent informed "
		    "alone");
	if (set->agent == PLAN_AGENT_PLAN)
		return PLAN_AGENT_PLAN;
	plan_refuse(plans, plan_words, "goes with --agent plan alone");
	if (goal->kind != CSCG_GOAL_ENV)
		cmd_usage("--agent %s knows no other goal than env",
		    plan_agents[set->agent]);
	if (set->agent == PLAN_AGENT_TRACKER && !paths[0])
		cmd_usage("--agent tracker needs a model");
	if (set->agent == PLAN_AGENT_INFORMED && paths[0])
		cmd_usage("--agent informed takes no model");
	return set->agent;
}

static struct cscg_agent *
new_planner(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_model *m, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	struct cscg_agent_plan_options how = {
		.knowledge = { .model = m, .smooth = set->smooth,
		    .untied = set->untied, .iterations = set->iterations,
		    .restarts = set->restarts, .seed = (uint64_t)cmd.seed,
		    .threads = (int)cmd.threads, .simd = set->simd },
		.goal = goal, .explore = set->explore,
		.explore_steps = set->explore_steps,
		.until = (enum cscg_agent_until)set->until,
		.no_collect = set->no_collect,
		.confidence = set->confidence, .best = set->best,
		.replan = (enum cscg_agent_replan)set->replan,
		.surprise = set->surprise, .max_plans = set->max_plans,
		.new_world = set->new_world
	};

	return cscg_agent_plan_new(world, &how, err);
}

static struct cscg_agent *
plan_agent_new(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_schemas *models, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	const struct cscg_model *m = models->n ? models->m[0] : NULL;
	struct cscg_agent_track_options track = { .model = m, .new_world = set->new_world,
	    .seed = (uint64_t)cmd.seed };
	struct cscg_agent_informed_options inform = { .detour = set->detour,
	    .inverse = (const char *const *)set->inverse.v,
	    .n_inverse = set->inverse.n, .new_world = set->new_world };
	struct cscg_agent *agent;

	switch (set->who) {
	case PLAN_AGENT_MATCH:
		return plan_match_new(set, goal, models, world, err);
	case PLAN_AGENT_TRACKER:
		return cscg_agent_track_new(world, &track, err);
	case PLAN_AGENT_INFORMED:
		agent = cscg_agent_informed_new(world, &inform, err);
		if (!agent && err->code == CSCG_EUSAGE)
			cscg_fail_at(err, "--inverse");
		return agent;
	default:
		return new_planner(set, goal, m, world, err);
	}
}

/* the agent for several models, and what it says of them */

static const struct cscg_col plan_match_cols[PLAN_MATCH_EPISODE] = {
	{ "model", CSCG_COL_STRING, 0 }, { "posterior", CSCG_COL_DOUBLE, 0 },
	{ "memory", CSCG_COL_BOOL, 0 }, { "verdict", CSCG_COL_STRING, 0 },
	{ "margin", CSCG_COL_DOUBLE, 0 }
};

static void
check_files(char **paths)
{
	if (!paths[0])
		cmd_usage("--task match needs models");
	cmd_check_schemas(paths, 0);
}

static void
plan_match_check(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths)
{
	const void *const others[] = { &set->agent, &set->best, &set->smooth,
	    &set->explore_steps, &set->until, &set->no_collect, &set->replan,
	    &set->surprise, &set->max_plans, &set->untied, &set->iterations,
	    &set->restarts, &set->detour, &set->inverse, &set->isa, NULL };
	static const char *const words[] = { "agent", "best", "smooth",
	    "explore-steps", "explore-until", "pass-by", "replan", "surprise",
	    "max-plans", "untied", "iterations", "restarts", "detour",
	    "inverse", "isa" };
	const void *const verify[] = { &set->verify, NULL };
	static const char *const verify_word[] = { "verify" };

	check_files(paths);
	plan_refuse(others, words, "does not go with several models, or "
	    "--task match");
	if (set->task == PLAN_TASK_MATCH && goal)
		cmd_usage("--task match has no goal");
	if (set->task != PLAN_TASK_MATCH)
		plan_refuse(verify, verify_word, "goes with --task match "
		    "alone");
	if (goal && goal->kind == CSCG_GOAL_STATE)
		cmd_usage("--goal state:N needs one model");
}

static struct cscg_agent *
plan_match_new(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_schemas *models, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	struct cscg_agent_match_options how = {
		.model = models->m, .name = models->names.v, .n = models->n,
		.goal = goal, .verify = set->verify,
		.confidence = cmd_given(&set->confidence) ? set->confidence :
		    -1,
		.explore = cmd_given(&set->explore) ? set->explore : NULL,
		.track = { .slip = set->slip }, .new_world = set->new_world,
		.seed = (uint64_t)cmd.seed
	};

	return cscg_agent_match_new(world, &how, err);
}

static void
plan_match_cells(const struct cscg_agent *agent,
    const struct cscg_schemas *models, union cscg_cell *cell)
{
	struct cscg_agent_match_result v;

	cscg_agent_match_get_result(agent, &v);
	cell[0].s = models->names.v[v.best];
	cell[1].d = v.posterior;
	cell[2].l = v.is_grounded;
	cell[3].s = cscg_novelty_text(v.novelty);
	cell[4].d = v.margin;
}

/* act in a live environment, and tell what happens */

static const struct cscg_col turn_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "t", CSCG_COL_LONG, 0 },
	{ "x", CSCG_COL_LONG, 0 }, { "goal", CSCG_COL_LONG, 0 },
	{ "reward", CSCG_COL_DOUBLE, 0 }, { "distance", CSCG_COL_DOUBLE, 0 },
	{ "state", CSCG_COL_LONG, 0 }, { "p", CSCG_COL_DOUBLE, 0 },
	{ "plan", CSCG_COL_LONG, 0 }, { "left", CSCG_COL_LONG, 0 },
	{ "a", CSCG_COL_STRING, 0 }
};

static const struct cscg_col episode_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "steps", CSCG_COL_LONG, 0 },
	{ "plans", CSCG_COL_LONG, 0 }, { "reached", CSCG_COL_BOOL, 0 },
	{ "rewards", CSCG_COL_LONG, 0 }, { "reward", CSCG_COL_DOUBLE, 0 },
	{ "distance", CSCG_COL_DOUBLE, 0 }
};

enum {
	N_TURN = sizeof turn_cols / sizeof *turn_cols,
	N_EPISODE = sizeof episode_cols / sizeof *episode_cols
};

enum { N_COLS = N_TURN + PLAN_MATCH_EPISODE };	/* at most */

struct tell {
	struct cscg_table table;
	struct cscg_col cols[N_COLS];
	bool summary, match;	/* match: that is the task */
	const struct cscg_walk_header *head;
	/* of several models */
	const struct cscg_agent *agent;	/* or NULL */
	const struct cscg_schemas *models;
};

/* The columns there are, and more if there are several models. */
static int
begin(struct tell *tell, bool json, struct cscg_err *err)
{
	int n = tell->summary ? N_EPISODE : N_TURN;
	int more = !tell->agent ? 0 : tell->summary ? PLAN_MATCH_EPISODE :
	    PLAN_MATCH_TURN;

	memcpy(tell->cols, tell->summary ? episode_cols : turn_cols,
	    (size_t)n * sizeof *tell->cols);
	memcpy(tell->cols + n, plan_match_cols, (size_t)more *
	    sizeof *tell->cols);
	return cscg_table_init(&tell->table, cmd_out(err), tell->cols,
	    n + more, json, err);
}

static long
known(int v)
{
	return v < 0 ? CSCG_CELL_NONE : v;
}

static int
on_turn(void *ctx, const struct cscg_agent_step *turn, struct cscg_err *err)
{
	const struct tell *tell = ctx;
	const struct cscg_env_obs *obs = &turn->obs;
	const struct cscg_agent_status *thought = &turn->status;
	union cscg_cell row[N_COLS];
	char number[16];

	snprintf(number, sizeof number, "%d", turn->a);
	row[0].l = obs->episode;
	row[1].l = turn->t;
	row[2].l = known(obs->x);
	row[3].l = known(obs->goal);
	row[4].d = obs->reward;
	row[5].d = obs->distance;
	row[6].l = known(thought->state);
	row[7].d = thought->p;
	row[8].l = thought->plan;
	row[9].l = thought->left;
	row[10].s = turn->a < 0 ? NULL : tell->head->actions.n ?
	    tell->head->actions.v[turn->a] : number;
	if (tell->agent)
		plan_match_cells(tell->agent, tell->models, row + N_TURN);
	return cscg_table_write_row(&tell->table, row, err);
}

static int
on_episode(void *ctx, const struct cscg_agent_episode *played, struct cscg_err *err)
{
	const struct tell *tell = ctx;
	union cscg_cell row[N_COLS];

	cmd_verbose("episode %ld: %ld steps, %ld plans, reward %g, %s %s%s",
	    played->episode, played->steps, played->plans, played->reward,
	    tell->match ? "model" : "goal", played->reached ? "" : "not ",
	    tell->match ? "found" : "reached");
	if (!tell->summary)
		return 0;
	row[0].l = played->episode;
	row[1].l = played->steps;
	row[2].l = played->plans;
	row[3].l = played->reached;
	row[4].l = played->rewards;
	row[5].d = played->reward;
	row[6].d = played->distance;
	if (tell->agent)
		plan_match_cells(tell->agent, tell->models, row + N_EPISODE);
	return cscg_table_write_row(&tell->table, row, err);
}

static int
observe(void *ctx, struct cscg_env_obs *obs, struct cscg_err *err)
{
	return cscg_env_observe(ctx, obs, err);
}

static int
act(void *ctx, int a, struct cscg_err *err)
{
	return cscg_env_act(ctx, a, err);
}

/* The model that the agent ends with. */
static int
save(struct cscg_out *out, const struct cscg_agent *agent,
    const struct cscg_walk_header *world, struct cscg_err *err)
{
	struct cscg_model *m = agent->model(agent, err);
	int rc = -1;

	if (!m)
		return cscg_fail_at(err, "--save");
	if (cscg_history_join(&m->history, &world->history, err) == 0 &&
	    cmd_history(&m->history, err) == 0)
		rc = cscg_model_write(m, out, err);
	cscg_model_free(m);
	return rc;
}

static int
play(const struct plan_set *set, struct cscg_agent *agent,
    const struct cscg_schemas *models, struct cscg_env *env,
    struct cscg_err *err)
{
	struct cscg_agent_env world = { .head = cscg_env_header(env),
	    .observe = observe, .act = act, .ctx = env };
	struct tell tell = { .head = &world.head->head,
	    .summary = set->summary, .match = set->task == PLAN_TASK_MATCH,
	    .models = models,
	    .agent = set->who == PLAN_AGENT_MATCH ? agent : NULL };
	struct cscg_agent_run_options how = { .episodes = set->episodes,
	    .max_steps = set->max_steps,
	    .on_step = set->summary ? NULL : on_turn,
	    .on_episode = on_episode, .ctx = &tell };
	long played, missed;

	if (begin(&tell, set->json, err) < 0 ||
	    cscg_agent_run(agent, &world, &how, &played, &missed, err) < 0)
		return -1;
	if (!played)
		cmd_warn("the environment has no episodes");
	else if (missed)
		cmd_warn("%s in %ld of %ld episodes", tell.match ?
		    "no model was found" : "the goal was not reached", missed,
		    played);
	return played && !missed;
}

/* One model is a file that holds one, several may be in one. */
static int
read_models(const struct plan_set *set, char **paths,
    struct cscg_schemas *models, struct cscg_err *err)
{
	if (set->who == PLAN_AGENT_MATCH) {
		for (; *paths; paths++)
			if (cscg_schemas_read(models, *paths, err) < 0)
				return -1;
	} else if (*paths) {
		if (cscg_grow(&models->m, &models->cap, 1, sizeof *models->m,
		    err) < 0)
			return -1;
		models->m[0] = cscg_model_read_file(*paths, err);
		models->n = models->m[0] != NULL;
		return models->n ? 0 : -1;
	}
	return 0;
}

static int
plan_live(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, char **command, struct cscg_err *err)
{
	struct cscg_err other = { 0 };
	struct cscg_out *saved = NULL;
	struct cscg_schemas models = { .n = 0 };
	struct cscg_agent *agent = NULL;
	struct cscg_env *env = NULL;
	int rc = -1;

	if (!cmd_out(err))
		return -1;
	if (set->save) {
		saved = cmd_out_also(set->save, CSCG_OUT_GZIP, err);
		if (!saved)
			return -1;
	}
	/* Before any thread is started. */
	if (read_models(set, paths, &models, err) == 0)
		env = cscg_env_start(command, set->timeout, err);
	if (env)
		agent = plan_agent_new(set, goal, &models, cscg_env_header(env),
		    err);
	/* Of several models the agent knows which. */
	if (env && !agent && models.n && set->who != PLAN_AGENT_MATCH &&
	    err->code == CSCG_EMISMATCH)
		cmd_fail_in(paths[0], err);
	if (agent)
		rc = play(set, agent, &models, env, err);
	if (rc >= 0 && saved && save(saved, agent,
	    &cscg_env_header(env)->head, err) < 0)
		rc = -1;
	if (cscg_env_stop(env, rc < 0 ? &other : err) < 0)
		rc = -1;
	cscg_agent_free(agent);
	cscg_schemas_free(&models);
	return rc;
}

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
	CMD_JSON(&set.json, ""),

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
	    CMD_NOT_IN_HISTORY },
	CMD_ISA(&set.isa),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-plan", "[[NAME=]MODEL...] [-- COMMAND...]",
	"find the way to a goal, on a map or in a live world", opts, 0, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS,
	"cscg-plan model.gz -w walk.gz --goal symbol:3"
};

static void
plan_refuse(const void *const *var, const char *const *word, const char *why)
{
	for (; *var; var++, word++)
		if (cmd_given(*var))
			cmd_usage("--%s %s", *word, why);
}

static void
check_goals(struct cscg_goal *goal)
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
check_live(const struct cscg_goal *goal, char **paths)
{
	static const void *const map[] = { &set.from, &set.max_length,
	    &cmd.walks, NULL };
	static const char *const words[] = { "from", "max-length", "walk" };
	struct cscg_err err;

	plan_refuse(map, words, "does not go with an environment");
	if (set.goals.n > 1)
		cmd_usage("--goal: one at a time in an environment");
	set.who = plan_agent_check(&set, goal, paths);
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
	check_goals(goals);
	if (command && !*command)
		cmd_usage("no command behind --");
	if (command) {
		check_live(goal, paths);
		rc = plan_live(&set, goal, paths, command, &err);
	} else {
		rc = plan_map(&set, goal, paths, &err);
	}
	free(goals);
	return cmd_end(rc, &err);
}
