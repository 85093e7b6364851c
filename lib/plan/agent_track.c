/*
 * agent_track.c - agent that plans on the exact posterior over bindings
 *
 * Rollouts of the rest of the episode for each action give no higher reward
 * than this rule, at a thousand times the cost.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "plan/agent_track.h"
#include "base/mem.h"
#include "base/rng.h"
#include "plan/candidate.h"

enum { HYPOTHESES_MAX = 4096 }; /* hypotheses */

/* Below 1 action, so that they only decide between paths of equal length. */
static const double UNSEEN_BONUS = .01; /* for passing an unobserved state */
static const double ISOLATED_BONUS =
    .1; /* for an unobserved state with few unobserved neighbours */

struct track_agent {
	struct cscg_agent base; /* first member */
	struct cscg_agent_track_options set;
	struct cscg_candidate *candidate; /* in exact mode */
	const struct cscg_track_exact *h; /* its hypotheses */
	const struct cscg_track_exact_graph *graph;
	struct cscg_rng rng;
};

static struct track_agent *
self(struct cscg_agent *base)
{
	return (struct track_agent *)base;
}

static int
distance(const struct track_agent *g, int j, int k)
{
	return g->graph
	    ->distance[(size_t)j * (size_t)g->graph->n_states + (size_t)k];
}

static int
next_state(const struct track_agent *g, int a, int j)
{
	return cscg_candidate_next(g->candidate, j, a);
}

/* ---- the choice of actions ---- */

/* The number of actions from state k to unobserved states. */
static int
count_unseen_around(const struct track_agent *g, const int *symbol, int k)
{
	int a, n = 0;

	for (a = 0; a < g->base.n_actions; a++)
		n += a != g->base.collect && next_state(g, a, k) != k &&
		    symbol[next_state(g, a, k)] < 0;
	return n;
}

/*
 * Distance from state j to the nearest unobserved state.  Among equally near
 * ones a state with few unobserved neighbours is preferred, since returning to
 * it later would cost more.
 */
static double
distance_to_unseen(const struct track_agent *g, const int *symbol, int j)
{
	double best = g->graph->n_states, d;
	int k, m;

	for (k = 0; k < g->graph->n_states; k++) {
		m = symbol[k] < 0 ? distance(g, j, k) : -1;
		if (m < 0 || m > best)
			continue;
		d = m +
		    ISOLATED_BONUS * count_unseen_around(g, symbol, k) /
			g->graph->n_actions;
		if (d < best)
			best = d;
	}
	return best;
}

/* Distance from state j to the goal's state under hypothesis h. */
static double
distance_to_goal(const struct track_agent *g,
    const struct cscg_track_exact_hypothesis *h, int j)
{
	int m = distance(g, j, h->state_of[g->base.requested]);

	return m < 0 ? g->graph->n_states :
		       m - UNSEEN_BONUS * (h->symbol[j] < 0);
}

/* Expected number of remaining actions after action a. */
static double
expected_actions(const struct track_agent *g, int a)
{
	double sum = 0;
	long i;

	for (i = 0; i < g->h->n; i++) {
		struct cscg_track_exact_hypothesis h = cscg_track_exact_get(
		    g->h, i);
		int j = next_state(g, a, h.state);

		sum += h.p *
		    (g->base.requested >= 0 &&
				h.state_of[g->base.requested] >= 0 ?
			    distance_to_goal(g, &h, j) :
			    distance_to_unseen(g, h.symbol, j));
	}
	return sum;
}

/* The best action; ties are broken at random. */
static int
best_action(struct track_agent *g)
{
	double best = DBL_MAX / 2, d;
	int a, choice = 0;
	long n = 0;

	for (a = 0; a < g->base.n_actions; a++) {
		d = a == g->base.collect ? DBL_MAX : expected_actions(g, a);
		if (d > best + 1e-9)
			continue;
		n = d < best - 1e-9 ? 1 : n + 1;
		if (d < best)
			best = d;
		if (cscg_rng_below(&g->rng, n) == 0)
			choice = a;
	}
	return choice;
}

static int
go(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct track_agent *g = self(base);
	struct cscg_track_exact_hypothesis h = cscg_track_exact_get(g->h, 0);
	int to;

	(void)err;
	*a = best_action(g);
	to = base->requested >= 0 && g->h->n == 1 ?
	    h.state_of[base->requested] :
	    -1;
	if (to >= 0)
		cscg_agent_follow(base, !base->follows_plan,
		    distance(g, next_state(g, *a, h.state), to));
	return 1;
}

/* ---- belief ---- */

static int
begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct track_agent *g = self(base);

	(void)err;
	if (g->set.new_world)
		cscg_candidate_reset(g->candidate);
	cscg_rng_seed(&g->rng, g->set.seed, CSCG_RNG_PLAN, (uint64_t)episode,
	    2);
	return 0;
}

static int
observe(struct cscg_agent *base, int before, int a, struct cscg_err *err)
{
	(void)before;
	return cscg_candidate_observe(self(base)->candidate, a, base->x, err);
}

static int
state(const struct cscg_agent *base, double *p)
{
	struct cscg_candidate_hypothesis h = { NAN, -1, NULL };

	cscg_candidate_top(((const struct track_agent *)base)->candidate, &h,
	    1);
	*p = h.p;
	return h.state;
}

static struct cscg_model *
model(const struct cscg_agent *base, struct cscg_err *err)
{
	const struct track_agent *g = (const struct track_agent *)base;

	if (g->h->n)
		return cscg_candidate_ground(g->candidate, err);
	cscg_fail(err, CSCG_ERANGE, "no model is known yet");
	return NULL;
}

static void
release(struct cscg_agent *base)
{
	cscg_candidate_free(self(base)->candidate);
}

static const struct cscg_agent_strategy strategies[] = {
	{ cscg_agent_collect }, { go }, { NULL }
};

static const struct cscg_agent_kind kind = {
	.needs_symbols = true,
	.strategy = strategies,
	.begin = begin,
	.observe = observe,
	.state = state,
	.model = model,
	.free = release,
};

/* ---- construction ---- */

/*
 * Check that the environment and the model meet the requirements of this
 * agent: 0, or -1 with err filled.
 */
static int
check_model(const struct cscg_env_header *world, const struct cscg_model *m,
    struct cscg_err *err)
{
	if (world->collect < 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the environment has no action that collects goals");
	if (m->kind != CSCG_GROUNDED)
		return 0;
	cscg_fail(err, CSCG_EMISMATCH,
	    "a schema is required, but this model is grounded");
	return cscg_fail_hint(err, "schema-needed");
}

struct cscg_agent *
cscg_agent_track_new(const struct cscg_env_header *world,
    const struct cscg_agent_track_options *set, struct cscg_err *err)
{
	static const struct cscg_goal goal = { .kind = CSCG_GOAL_ENV };
	struct track_agent *g;

	if (check_model(world, set->model, err) < 0)
		return NULL;
	g = cscg_alloc(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->set = *set;
	if (cscg_agent_init(&g->base, &kind, world, &goal, 1, NULL, NULL,
		err) == 0)
		g->candidate = cscg_candidate_new_exact(world, set->model,
		    set->max_hypotheses ? set->max_hypotheses : HYPOTHESES_MAX,
		    &g->rng, err);
	if (!g->candidate) {
		cscg_agent_free(&g->base);
		return NULL;
	}
	g->h = cscg_candidate_exact(g->candidate);
	g->graph = g->h->graph;
	return &g->base;
}
