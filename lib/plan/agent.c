/*
 * agent.c - perceive-act loop, and the agent that explores, binds, plans and
 * replans
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/agent.h"
#include "plan/explore.h"
#include "plan/plan.h"

static const double SURPRISE_DEFAULT = 1e-4;

const char cscg_agent_contradicted[] =
    "the last symbol is not the one of the believed state";

/* Run one episode whose first observation is in turn. */
static int
run_episode(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, struct cscg_agent_step *step,
    struct cscg_agent_episode *episode, bool *stopped, struct cscg_err *err)
{
	struct cscg_env_obs *obs = &step->obs;
	int rc, last = -1;

	if (agent->begin(agent, obs->episode, err) < 0)
		return -1;
	for (step->t = 0;; step->t++) {
		if (agent->observe(agent, last, obs, err) < 0)
			return -1;
		episode->reward += obs->reward;
		episode->rewards += obs->reward > 0;
		episode->distance = obs->distance;
		episode->steps = step->t;
		step->a = -1;
		rc = 0;
		*stopped = options->stop && options->stop(options->ctx);
		if (!obs->done && !*stopped &&
		    (!options->max_steps || step->t < options->max_steps))
			rc = agent->choose(agent, &step->a, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			step->a = -1;
		agent->report(agent, &step->status);
		if (step->status.plan > episode->plans)
			episode->plans = step->status.plan;
		if (options->on_step &&
		    options->on_step(options->ctx, step, err) < 0)
			return -1;
		if (obs->done)
			break;
		if (env->act(env->ctx, step->a, err) < 0)
			return -1;
		if (rc == 0)
			break;
		last = step->a;
		rc = env->observe(env->ctx, obs, err);
		if (rc <= 0)
			return rc < 0 ? -1 :
					cscg_fail(err, CSCG_ECUT,
					    "the environment ended in the "
					    "middle of an episode");
	}
	episode->reached = agent->reached(agent);
	if (!episode->reached && agent->failure)
		episode->failure = agent->failure(agent);
	return 0;
}

int
cscg_agent_run(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, long *n_episodes,
    long *n_failed, struct cscg_err *err)
{
	bool stopped = false;
	int rc = 1;

	*n_episodes = *n_failed = 0;
	while (!stopped &&
	    (!options->episodes || *n_episodes < options->episodes)) {
		struct cscg_agent_step step = { 0 };
		struct cscg_agent_episode episode = { .distance = NAN };

		rc = env->observe(env->ctx, &step.obs, err);
		if (rc <= 0)
			break;
		episode.episode = step.obs.episode;
		rc = run_episode(agent, env, options, &step, &episode,
		    &stopped, err);
		if (rc < 0)
			break;
		++*n_episodes;
		*n_failed += !episode.reached;
		if (options->on_episode &&
		    options->on_episode(options->ctx, &episode, err) < 0)
			return -1;
	}
	return rc < 0 ? -1 : 0;
}

void
cscg_agent_free(struct cscg_agent *agent)
{
	if (agent)
		agent->free(agent);
}

/*
 * The agent that explores, plans, acts and replans.
 *
 * Binding and learning dominate the cost.  They run only where they can change
 * the next action: quickly in each step of exploration for confidence, and
 * fully at the end of the initial exploration, when a plan has failed, and at
 * the end of a plan.
 */

struct plan_agent {
	struct cscg_agent base; /* first member: the interface */
	struct cscg_agent_plan_options set;
	struct cscg_knowledge *knowledge;
	struct cscg_explore *explore;
	int collect;    /* or -1 */
	int goal_id;    /* symbol or state that the goal names, or -1 */
	double *weight; /* [states] of the goal */
	size_t cap_weight;
	struct cscg_transitions_seen
	    transitions;     /* actions tried; UNTIL_TRIED only */
	unsigned char *seen; /* [n_obs] symbols observed; UNTIL_SEEN only */
	int n_obs, n_seen;

	/* this episode */
	int x, goal; /* last observed, requested; -1: none */
	int start_x; /* observed in the first step; -1: nothing */
	double p;    /* P(x | previous steps), NaN: unknown */
	long steps, plans, full_bind_step; /* step of the last full binding */
	struct cscg_plan plan;
	long n_done;          /* actions of the plan taken */
	bool active;          /* the plan is being executed */
	long suspect_version; /* version of the model whose plan failed */
	bool explored;        /* the initial exploration is over */
	bool reached;
};

static struct plan_agent *
plan_self(struct cscg_agent *base)
{
	return (struct plan_agent *)base;
}

/* ---- the goal ---- */

/*
 * Whether the goal is a symbol: it can be observed without a binding; a goal
 * state can only be inferred.
 */
static bool
goal_is_symbol(const struct plan_agent *g)
{
	return g->set.goal->kind == CSCG_GOAL_SYMBOL ||
	    g->set.goal->kind == CSCG_GOAL_ENV;
}

/* The symbol of the goal, or -1. */
static int
goal_symbol(const struct plan_agent *g)
{
	switch (g->set.goal->kind) {
	case CSCG_GOAL_SYMBOL:
		return g->goal_id;
	case CSCG_GOAL_ENV:
		return g->goal;
	default:
		return -1;
	}
}

/* Whether the believed current state is the goal's. */
static bool
believes_at_goal(const struct plan_agent *g)
{
	int now = cscg_knowledge_state(g->knowledge);

	return now >= 0 &&
	    now ==
	    (g->set.goal->kind == CSCG_GOAL_START ?
		    cscg_knowledge_origin(g->knowledge) :
		    g->goal_id);
}

/*
 * Whether the last observation agrees with a goal that is a state: it is the
 * symbol of the start, or one that the state emits.  A missing observation
 * also agrees.
 */
static bool
observation_agrees(const struct plan_agent *g)
{
	if (g->x < 0)
		return true;
	if (g->set.goal->kind == CSCG_GOAL_START)
		return g->start_x < 0 || g->x == g->start_x;
	return cscg_knowledge_emits(g->knowledge, g->goal_id, g->x);
}

/*
 * Whether the agent observes the goal, or believes that it is there and the
 * last observation agrees.
 */
static bool
at_goal(const struct plan_agent *g)
{
	int x = goal_symbol(g);

	return goal_is_symbol(g) ?
	    x >= 0 && x == g->x :
	    believes_at_goal(g) && observation_agrees(g);
}

/* Whether the goal can be planned for, or must be found first. */
static bool
can_plan(const struct plan_agent *g)
{
	const struct cscg_model *m = g->set.knowledge.model;
	int x = goal_symbol(g);

	if (!cscg_knowledge_graph(g->knowledge) ||
	    cscg_knowledge_state(g->knowledge) < 0)
		return false;
	if (g->set.goal->kind == CSCG_GOAL_START ||
	    g->set.goal->kind == CSCG_GOAL_STATE)
		return true;
	return x >= 0 &&
	    ((m && m->kind == CSCG_GROUNDED) ||
		cscg_knowledge_has_seen(g->knowledge, x));
}

static int
set_goal_weight(struct plan_agent *g, struct cscg_err *err)
{
	int n = cscg_knowledge_graph(g->knowledge)->n_states,
	    x = goal_symbol(g), j;

	if (cscg_grow(&g->weight, &g->cap_weight, (size_t)n, sizeof *g->weight,
		err) < 0)
		return -1;
	if (x >= 0) {
		cscg_knowledge_emission(g->knowledge, x, g->weight);
		return 0;
	}
	for (j = 0; j < n; j++)
		g->weight[j] = 0;
	g->weight[g->set.goal->kind == CSCG_GOAL_START ?
		cscg_knowledge_origin(g->knowledge) :
		g->goal_id] = 1;
	return 0;
}

/* ---- the alternatives of a step ---- */

static void
drop_plan(struct plan_agent *g)
{
	cscg_plan_free(&g->plan);
	g->active = false;
	g->n_done = 0;
}

/* Whether the observation after the last action shows that the plan failed. */
static bool
plan_fails(const struct plan_agent *g)
{
	if (g->set.replan == CSCG_AGENT_REPLAN_END || g->n_done == 0)
		return false;
	return g->p < g->set.surprise ||
	    cscg_knowledge_state(g->knowledge) != g->plan.z[g->n_done];
}

/* Bind or learn; a full binding is done once per step at most. */
static int
bind_knowledge(struct plan_agent *g, bool quick, struct cscg_err *err)
{
	if (g->full_bind_step == g->steps)
		return 0;
	if (!quick)
		g->full_bind_step = g->steps;
	return cscg_knowledge_bind(g->knowledge, quick, err);
}

/*
 * Search for a plan: 1 if one is not empty and has sufficient success
 * probability, else 0.
 */
static int
make_plan(struct plan_agent *g, struct cscg_err *err)
{
	struct cscg_plan_query ask = { .best = g->set.best,
		.max_steps = -1,
		.seed = g->set.knowledge.seed,
		.key = (uint64_t)g->steps };
	int rc;

	drop_plan(g);
	if (!can_plan(g))
		return 0;
	if (set_goal_weight(g, err) < 0)
		return -1;
	ask.from = cscg_knowledge_state(g->knowledge);
	ask.goal = g->weight;
	ask.confidence = g->set.confidence /
	    cscg_knowledge_state_prob(g->knowledge);
	if (!ask.best && ask.confidence > 1)
		return 0;
	rc = cscg_plan(cscg_knowledge_graph(g->knowledge), &ask, &g->plan,
	    NULL, err);
	g->active = rc > 0 && g->plan.n > 0;
	return rc < 0 ? -1 : g->active;
}

/* Take the next action of the plan. */
static int
follow_plan(struct plan_agent *g, int *a)
{
	*a = cscg_knowledge_action(g->knowledge, g->plan.a[g->n_done++]);
	return 1;
}

static int
explore(struct plan_agent *g, int *a, struct cscg_err *err)
{
	return cscg_explore_next(g->explore, g->knowledge, a, err) < 0 ? -1 :
									 1;
}

/*
 * At the goal: collect if the environment has an action for it and continue;
 * otherwise the episode is finished.
 */
static int
collect_or_finish(struct plan_agent *g, int *a)
{
	drop_plan(g);
	if (g->set.goal->kind == CSCG_GOAL_ENV && g->collect >= 0) {
		*a = g->collect;
		return 1;
	}
	g->reached = true;
	return 0;
}

/* ---- how long to explore ---- */

/* Record that action a (-1: none) led from g->x to x. */
static void
record_transition(struct plan_agent *g, int a, int x)
{
	if (x < 0)
		return;
	if (g->set.until == CSCG_AGENT_UNTIL_TRIED && a >= 0 && g->x >= 0)
		cscg_transitions_seen_add(&g->transitions, g->x, a, x);
	if (g->set.until == CSCG_AGENT_UNTIL_SEEN && !g->seen[x]) {
		g->seen[x] = 1;
		g->n_seen++;
	}
}

static void
discard_environment(struct plan_agent *g)
{
	if (g->set.until == CSCG_AGENT_UNTIL_TRIED)
		cscg_transitions_seen_clear(&g->transitions);
	if (g->set.until == CSCG_AGENT_UNTIL_SEEN)
		memset(g->seen, 0, (size_t)g->n_obs);
	g->n_seen = 0;
}

static bool
must_explore(struct plan_agent *g)
{
	int x, a;

	if (g->steps < g->set.explore_steps)
		return true;
	if (g->set.until == CSCG_AGENT_UNTIL_SEEN)
		return g->n_seen < g->n_obs;
	if (g->set.until != CSCG_AGENT_UNTIL_TRIED || g->x < 0)
		return false;
	cscg_transitions_seen_search(&g->transitions, g->x);
	return cscg_transitions_seen_untried(&g->transitions, g->collect, &x,
		   &a) >= 0;
}

static int
set_until(struct plan_agent *g, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	g->n_obs = world->head.n_obs;
	if (g->set.until == CSCG_AGENT_UNTIL_TRIED)
		return cscg_transitions_seen_init(&g->transitions, g->n_obs,
		    world->head.n_actions, err);
	g->seen = cscg_alloc((size_t)g->n_obs, 1, err);
	return g->seen ? 0 : -1;
}

/* ---- the interface ---- */

static int
plan_begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);

	drop_plan(g);
	g->x = g->goal = g->start_x = -1;
	g->p = NAN;
	g->steps = g->plans = 0;
	g->full_bind_step = -1;
	g->suspect_version = -1;
	g->reached = false;
	g->explored = false;
	if (g->set.new_world)
		discard_environment(g);
	cscg_explore_begin_episode(g->explore, g->set.knowledge.seed, episode);
	return cscg_knowledge_begin_episode(g->knowledge, g->set.new_world,
	    err);
}

static int
plan_observe(struct cscg_agent *base, int a, const struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);

	g->steps += a >= 0;
	record_transition(g, obs->reset || a == g->collect ? -1 : a, obs->x);
	g->x = obs->x;
	g->goal = obs->goal;
	if (a < 0)
		g->start_x = obs->x;
	/* Collecting does not change the state, unless there is a reset. */
	if (a >= 0 && a == g->collect && !obs->reset)
		return 0;
	if (obs->reset)
		drop_plan(g);
	return cscg_knowledge_observe(g->knowledge, a, obs->x, obs->reset,
	    &g->p, err);
}

/*
 * Initial exploration.  With UNTIL_TRIED, learning starts only when all
 * actions were tried after all observed symbols.
 */
static int
explore_first(struct plan_agent *g, int *a, struct cscg_err *err)
{
	bool defers_learning = g->set.until == CSCG_AGENT_UNTIL_TRIED &&
	    cscg_knowledge_learns(g->knowledge);

	if (goal_is_symbol(g) && at_goal(g) && g->collect >= 0 &&
	    !g->set.no_collect)
		return collect_or_finish(g, a);
	if (cscg_explore_needs_belief(g->set.explore) && !defers_learning &&
	    bind_knowledge(g, true, err) < 0)
		return -1;
	return explore(g, a, err);
}

static int
plan_choose(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);
	bool quick = true, failed;
	int rc;

	if (must_explore(g)) {
		g->explored = false;
		drop_plan(g);
		return explore_first(g, a, err);
	}
	if (goal_is_symbol(g) && at_goal(g))
		return collect_or_finish(g, a);
	if (g->active) {
		failed = plan_fails(g);
		if (!failed && g->n_done < g->plan.n &&
		    g->set.replan != CSCG_AGENT_REPLAN_STEP)
			return follow_plan(g, a);
		quick = !failed && g->n_done < g->plan.n;
		if (!quick && cscg_knowledge_learns(g->knowledge))
			g->suspect_version = cscg_knowledge_version(
			    g->knowledge);
	} else if (!g->explored) {
		quick = false;
	}
	g->explored = true;
	if (bind_knowledge(g, quick, err) < 0)
		return -1;
	if (at_goal(g))
		return collect_or_finish(g, a);
	/* A learned model whose plan failed is not used again. */
	rc = g->suspect_version == cscg_knowledge_version(g->knowledge) ?
	    0 :
	    make_plan(g, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		drop_plan(g);
		return explore(g, a, err);
	}
	if (g->set.max_plans && g->plans == g->set.max_plans) {
		drop_plan(g);
		return 0;
	}
	g->plans++;
	return follow_plan(g, a);
}

static void
plan_report(const struct cscg_agent *base, struct cscg_agent_status *status)
{
	const struct plan_agent *g = (const struct plan_agent *)base;

	status->state = cscg_knowledge_state(g->knowledge);
	status->p = status->state < 0 ?
	    NAN :
	    cscg_knowledge_state_prob(g->knowledge);
	status->plan = g->active ? g->plans : 0;
	status->left = g->active ? g->plan.n - g->n_done : 0;
	status->success = g->active ? g->plan.success : NAN;
}

/* If goals are collected, every episode counts as reached. */
static bool
plan_reached(const struct cscg_agent *base)
{
	const struct plan_agent *g = (const struct plan_agent *)base;

	return g->reached || (goal_is_symbol(g) && at_goal(g)) ||
	    (g->set.goal->kind == CSCG_GOAL_ENV && g->collect >= 0);
}

static const char *
plan_failure(const struct cscg_agent *base)
{
	const struct plan_agent *g = (const struct plan_agent *)base;

	if (!goal_is_symbol(g) && believes_at_goal(g))
		return cscg_agent_contradicted;
	return g->set.max_plans && g->plans == g->set.max_plans ?
	    "all plans failed" :
	    NULL;
}

static struct cscg_model *
plan_model(const struct cscg_agent *base, struct cscg_err *err)
{
	return cscg_knowledge_model(
	    ((const struct plan_agent *)base)->knowledge, err);
}

static void
plan_free(struct cscg_agent *base)
{
	struct plan_agent *g = plan_self(base);

	cscg_plan_free(&g->plan);
	cscg_knowledge_free(g->knowledge);
	cscg_explore_free(g->explore);
	cscg_transitions_seen_free(&g->transitions);
	free(g->seen);
	free(g->weight);
	free(g);
}

/* ---- construction ---- */

static int
set_goal(struct plan_agent *g, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	const struct cscg_goal *goal = g->set.goal;
	const struct cscg_model *m = g->set.knowledge.model;

	g->goal_id = -1;
	if (goal->kind == CSCG_GOAL_MATCH) {
		cscg_fail(err, CSCG_EUSAGE, "match is not a goal of planning");
		return cscg_fail_hint(err, "goal");
	}
	if (goal->kind == CSCG_GOAL_SYMBOL) {
		g->goal_id = cscg_goal_symbol(goal, &world->head.symbols,
		    world->head.n_obs, err);
		return g->goal_id < 0 ? cscg_fail_hint(err, "goal") : 0;
	}
	if (goal->kind != CSCG_GOAL_STATE)
		return 0;
	g->goal_id = goal->state;
	if (m && goal->state < m->n_states)
		return 0;
	if (!m)
		cscg_fail(err, CSCG_EUSAGE,
		    "a state cannot be the goal without a model");
	else
		cscg_fail(err, CSCG_EUSAGE, "state %d is outside 0..%d",
		    goal->state, m->n_states - 1);
	return cscg_fail_hint(err, "goal");
}

struct cscg_agent *
cscg_agent_plan_new(const struct cscg_env_header *world,
    const struct cscg_agent_plan_options *set, struct cscg_err *err)
{
	struct plan_agent *g = cscg_alloc(1, sizeof *g, err);

	if (!g)
		return NULL;
	g->base = (struct cscg_agent){ plan_begin, plan_observe, plan_choose,
		plan_report, plan_reached, plan_model, plan_free,
		plan_failure };
	g->set = *set;
	g->collect = world->collect;
	g->set.knowledge.stationary = world->collect;
	cscg_knowledge_defaults(&g->set.knowledge);
	if (set->surprise < 0)
		g->set.surprise = SURPRISE_DEFAULT;
	if (set_goal(g, world, err) < 0 || set_until(g, world, err) < 0)
		goto fail;
	g->explore = cscg_explore_new(set->explore, &world->head,
	    world->collect, err);
	if (!g->explore) {
		cscg_fail_hint(err, "explore");
		goto fail;
	}
	g->knowledge = cscg_knowledge_new(&world->head, &g->set.knowledge,
	    err);
	if (!g->knowledge)
		goto fail;
	return &g->base;
fail:
	plan_free(&g->base);
	return NULL;
}

struct cscg_knowledge *
cscg_agent_plan_knowledge(struct cscg_agent *agent)
{
	return plan_self(agent)->knowledge;
}
