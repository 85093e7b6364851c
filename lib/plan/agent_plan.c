/*
 * agent_plan.c - agent that explores, binds, plans and replans
 *
 * Binding and learning dominate the cost.  They run only where they can change
 * the next action: quickly in each step of exploration for confidence, and
 * fully at the end of the initial exploration, when a plan has failed, and at
 * the end of a plan.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/agent_plan.h"
#include "plan/explore.h"
#include "plan/plan.h"

static const double SURPRISE_DEFAULT = 1e-4;
static const double MIN_AT_GOAL = .5; /* probability of the state */

struct plan_agent {
	struct cscg_agent base; /* first member */
	struct cscg_agent_plan_options set;
	struct cscg_knowledge *knowledge;
	struct cscg_explore *explore;
	double *weight; /* [states] of the goal */
	size_t cap_weight;
	struct cscg_transitions_seen
	    transitions;     /* actions tried; UNTIL_TRIED only */
	unsigned char *seen; /* [n_obs] symbols observed; UNTIL_SEEN only */
	int n_obs, n_seen;

	/* this episode */
	double p;            /* P(x | previous steps), NaN: unknown */
	long full_bind_step; /* step of the last full binding */
	struct cscg_plan plan;
	long n_done;          /* actions of the plan taken */
	long suspect_version; /* version of the model whose plan failed */
	bool explored;        /* the initial exploration is over */
};

static struct plan_agent *
plan_self(struct cscg_agent *base)
{
	return (struct plan_agent *)base;
}

/* ---- the goal ---- */

/* The state that is the goal; -1: unknown. */
static int
goal_state(const struct plan_agent *g, const struct cscg_goal *goal)
{
	return goal->kind == CSCG_GOAL_START ?
	    cscg_knowledge_origin(g->knowledge) :
	    goal->state;
}

/* With --best the likeliest state is taken for the true one. */
static bool
is_at(const struct cscg_agent *base, const struct cscg_goal *goal)
{
	const struct plan_agent *g = (const struct plan_agent *)base;
	int now = cscg_knowledge_state(g->knowledge);

	return now >= 0 && now == goal_state(g, goal) &&
	    (g->set.best ||
		cscg_knowledge_state_prob(g->knowledge) >= MIN_AT_GOAL);
}

static bool
emits(const struct cscg_agent *base, int j, int x)
{
	return cscg_knowledge_emits(
	    ((const struct plan_agent *)base)->knowledge, j, x);
}

/* Whether the goal can be planned for, or must be found first. */
static bool
can_plan(const struct plan_agent *g)
{
	const struct cscg_model *m = g->set.knowledge.model;
	int x = cscg_agent_goal_symbol(&g->base);

	if (!cscg_knowledge_graph(g->knowledge) ||
	    cscg_knowledge_state(g->knowledge) < 0)
		return false;
	if (cscg_agent_goal_is_state(&g->base))
		return true;
	return x >= 0 &&
	    ((m && m->kind == CSCG_GROUNDED) ||
		cscg_knowledge_has_seen(g->knowledge, x));
}

static int
set_goal_weight(struct plan_agent *g, struct cscg_err *err)
{
	int n = cscg_knowledge_graph(g->knowledge)->n_states, j;
	int x = cscg_agent_goal_symbol(&g->base);

	if (cscg_grow(&g->weight, &g->cap_weight, (size_t)n, sizeof *g->weight,
		err) < 0)
		return -1;
	if (x >= 0) {
		cscg_knowledge_emission(g->knowledge, x, g->weight);
		return 0;
	}
	for (j = 0; j < n; j++)
		g->weight[j] = 0;
	g->weight[goal_state(g, g->set.goal)] = 1;
	return 0;
}

/* ---- the alternatives of a step ---- */

static void
drop_plan(struct plan_agent *g)
{
	cscg_plan_free(&g->plan);
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
	if (g->full_bind_step == g->base.steps)
		return 0;
	if (!quick)
		g->full_bind_step = g->base.steps;
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
		.key = (uint64_t)g->base.steps };
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
	return rc < 0 ? -1 : rc > 0 && g->plan.n > 0;
}

/* Take the next action of the plan. */
static int
follow_plan(struct plan_agent *g, bool is_new, int *a)
{
	*a = cscg_knowledge_action(g->knowledge, g->plan.a[g->n_done++]);
	cscg_agent_follow(&g->base, is_new, g->plan.n - g->n_done);
	return 1;
}

/* ---- how long to explore ---- */

/* Record that action a (-1: none) led from symbol before to x. */
static void
record_transition(struct plan_agent *g, int before, int a, int x)
{
	if (x < 0)
		return;
	if (g->set.until == CSCG_AGENT_UNTIL_TRIED && a >= 0 && before >= 0)
		cscg_transitions_seen_add(&g->transitions, before, a, x);
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

	if (g->base.steps < g->set.explore_steps)
		return true;
	if (g->set.until == CSCG_AGENT_UNTIL_SEEN)
		return g->n_seen < g->n_obs;
	if (g->set.until != CSCG_AGENT_UNTIL_TRIED || g->base.x < 0)
		return false;
	cscg_transitions_seen_search(&g->transitions, g->base.x);
	return cscg_transitions_seen_untried(&g->transitions, g->base.collect,
		   &x, &a) >= 0;
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

/* ---- belief ---- */

static int
begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);

	drop_plan(g);
	g->p = NAN;
	g->full_bind_step = -1;
	g->suspect_version = -1;
	g->explored = false;
	if (g->set.new_world)
		discard_environment(g);
	cscg_explore_begin_episode(g->explore, g->set.knowledge.seed, episode);
	return cscg_knowledge_begin_episode(g->knowledge, g->set.new_world,
	    err);
}

static int
observe(struct cscg_agent *base, int before, int a, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);

	record_transition(g, before, a, base->x);
	return cscg_knowledge_observe(g->knowledge, a, base->x, &g->p, err);
}

static int
state(const struct cscg_agent *base, double *p)
{
	const struct plan_agent *g = (const struct plan_agent *)base;
	int now = cscg_knowledge_state(g->knowledge);

	*p = now < 0 ? NAN : cscg_knowledge_state_prob(g->knowledge);
	return now;
}

/* ---- strategies ---- */

static int
explore(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);

	return cscg_explore_next(g->explore, g->knowledge, a, err) < 0 ? -1 :
									 1;
}

/* At a goal that is observed; one that is a state needs a binding first. */
static int
collect_symbol(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	return cscg_agent_goal_is_state(base) ?
	    0 :
	    cscg_agent_collect(base, a, err);
}

/*
 * Initial exploration.  With UNTIL_TRIED, learning starts only when all
 * actions were tried after all observed symbols.
 */
static int
explore_first(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);
	bool defers_learning = g->set.until == CSCG_AGENT_UNTIL_TRIED &&
	    cscg_knowledge_learns(g->knowledge);

	if (!must_explore(g))
		return 0;
	g->explored = false;
	if (base->collect >= 0 && !g->set.no_collect &&
	    !cscg_agent_goal_is_state(base) && cscg_agent_at_goal(base))
		return cscg_agent_collect(base, a, err);
	if (cscg_explore_needs_belief(g->set.explore) && !defers_learning &&
	    bind_knowledge(g, true, err) < 0)
		return -1;
	return explore(base, a, err);
}

/* Continue the plan, unless it has failed or ended; then bind or learn. */
static int
continue_plan(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);
	bool quick = g->explored, failed;

	if (base->follows_plan) {
		failed = plan_fails(g);
		if (!failed && g->n_done < g->plan.n &&
		    g->set.replan != CSCG_AGENT_REPLAN_STEP)
			return follow_plan(g, false, a);
		quick = !failed && g->n_done < g->plan.n;
		if (!quick && cscg_knowledge_learns(g->knowledge))
			g->suspect_version = cscg_knowledge_version(
			    g->knowledge);
	}
	g->explored = true;
	return bind_knowledge(g, quick, err);
}

/* A learned model whose plan failed is not used again. */
static int
plan(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct plan_agent *g = plan_self(base);
	int rc;

	if (g->suspect_version == cscg_knowledge_version(g->knowledge))
		return 0;
	rc = make_plan(g, err);
	if (rc <= 0)
		return rc;
	return g->set.max_plans && base->plans == g->set.max_plans ?
	    CSCG_AGENT_LEAVE :
	    follow_plan(g, true, a);
}

static const struct cscg_agent_strategy strategies[] = { { explore_first },
	{ collect_symbol }, { continue_plan }, { cscg_agent_collect },
	{ plan }, { explore }, { NULL } };

/* ---- results ---- */

static const char *
failure(const struct cscg_agent *base)
{
	const struct plan_agent *g = (const struct plan_agent *)base;

	return g->set.max_plans && base->plans == g->set.max_plans ?
	    "all plans failed" :
	    NULL;
}

static struct cscg_model *
model(const struct cscg_agent *base, struct cscg_err *err)
{
	return cscg_knowledge_model(
	    ((const struct plan_agent *)base)->knowledge, err);
}

static void
release(struct cscg_agent *base)
{
	struct plan_agent *g = plan_self(base);

	cscg_plan_free(&g->plan);
	cscg_knowledge_free(g->knowledge);
	cscg_explore_free(g->explore);
	cscg_transitions_seen_free(&g->transitions);
	free(g->seen);
	free(g->weight);
}

static const struct cscg_agent_kind kind = {
	.strategy = strategies,
	.begin = begin,
	.observe = observe,
	.state = state,
	.is_at = is_at,
	.emits = emits,
	.failure = failure,
	.model = model,
	.free = release,
};

/* ---- construction ---- */

struct cscg_agent *
cscg_agent_plan_new(const struct cscg_env_header *world,
    const struct cscg_agent_plan_options *set, struct cscg_err *err)
{
	struct plan_agent *g = cscg_alloc(1, sizeof *g, err);

	if (!g)
		return NULL;
	g->set = *set;
	g->set.knowledge.stationary = world->collect;
	cscg_knowledge_defaults(&g->set.knowledge);
	if (set->surprise < 0)
		g->set.surprise = SURPRISE_DEFAULT;
	if (cscg_agent_init(&g->base, &kind, world, set->goal, 1,
		set->knowledge.model,
		"a state cannot be the goal without a model", err) < 0 ||
	    set_until(g, world, err) < 0)
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
	cscg_agent_free(&g->base);
	return NULL;
}
