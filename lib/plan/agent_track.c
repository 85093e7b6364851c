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
	struct cscg_agent base; /* first member: the interface */
	struct cscg_agent_track_options set;
	struct cscg_candidate *candidate; /* in exact mode */
	const struct cscg_track_exact *h; /* its hypotheses */
	const struct cscg_track_exact_graph *graph;
	int n_actions, collect;
	struct cscg_rng rng;

	/* this episode */
	long plans, left; /* left: actions to the goal after this one */
	int x, goal;
	bool follows_plan; /* the last action was on a path to the goal */
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
	return g->graph->to[(long)a * g->graph->n_states + j];
}

/* ---- the choice of actions ---- */

/* The number of actions from state k to unobserved states. */
static int
count_unseen_around(const struct track_agent *g, const int *symbol, int k)
{
	int a, n = 0;

	for (a = 0; a < g->graph->n_actions; a++)
		n += next_state(g, a, k) != k &&
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
	int m = distance(g, j, h->state_of[g->goal]);

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
		int j = next_state(g,
		    cscg_candidate_model_action(g->candidate, a), h.state);

		sum += h.p *
		    (g->goal >= 0 && h.state_of[g->goal] >= 0 ?
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

	for (a = 0; a < g->n_actions; a++) {
		d = a == g->collect ? DBL_MAX : expected_actions(g, a);
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

/* ---- the interface ---- */

static int
on_begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct track_agent *g = self(base);

	(void)err;
	if (g->set.new_world)
		cscg_candidate_reset(g->candidate);
	cscg_rng_seed(&g->rng, g->set.seed, CSCG_RNG_PLAN, (uint64_t)episode,
	    2);
	g->plans = 0;
	g->x = g->goal = -1;
	g->follows_plan = false;
	return 0;
}

static int
on_observe(struct cscg_agent *base, int a, const struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	struct track_agent *g = self(base);

	if (obs->x < 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "missing observation: this agent needs one at each step");
	g->follows_plan &= obs->goal == g->goal && !obs->reset;
	g->x = obs->x;
	g->goal = obs->goal;
	if (a == g->collect && a >= 0 && !obs->reset)
		return 0;
	return cscg_candidate_observe(g->candidate, obs->reset ? -1 : a,
	    obs->x, err);
}

static int
on_choose(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct track_agent *g = self(base);
	struct cscg_track_exact_hypothesis h = cscg_track_exact_get(g->h, 0);
	bool followed_plan = g->follows_plan;

	(void)err;
	g->follows_plan = false;
	*a = g->collect;
	if (g->goal >= 0 && g->x == g->goal)
		return 1;
	*a = best_action(g);
	g->follows_plan = g->goal >= 0 && g->h->n == 1 &&
	    h.state_of[g->goal] >= 0;
	g->left = g->follows_plan ?
	    distance(g,
		next_state(g, cscg_candidate_model_action(g->candidate, *a),
		    h.state),
		h.state_of[g->goal]) :
	    0;
	g->plans += g->follows_plan && !followed_plan;
	return 1;
}

static void
on_report(const struct cscg_agent *base, struct cscg_agent_status *status)
{
	const struct track_agent *g = (const struct track_agent *)base;
	struct cscg_candidate_hypothesis h;

	cscg_candidate_top(g->candidate, &h, 1);
	status->state = h.state;
	status->p = h.p;
	status->plan = g->follows_plan ? g->plans : 0;
	status->left = g->follows_plan ? g->left : 0;
	status->success = g->follows_plan ? 1 : NAN;
}

static bool
on_reached(const struct cscg_agent *base)
{
	(void)base;
	return true;
}

static struct cscg_model *
on_model(const struct cscg_agent *base, struct cscg_err *err)
{
	const struct track_agent *g = (const struct track_agent *)base;

	if (g->h->n)
		return cscg_candidate_ground(g->candidate, err);
	cscg_fail(err, CSCG_ERANGE, "no model is known yet");
	return NULL;
}

static void
on_free(struct cscg_agent *base)
{
	struct track_agent *g = self(base);

	cscg_candidate_free(g->candidate);
	free(g);
}

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
	struct track_agent *g;

	if (check_model(world, set->model, err) < 0)
		return NULL;
	g = cscg_alloc(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->base = (struct cscg_agent){ on_begin, on_observe, on_choose,
		on_report, on_reached, on_model, on_free, NULL };
	g->set = *set;
	g->collect = world->collect;
	g->n_actions = world->head.n_actions;
	g->candidate = cscg_candidate_new_exact(world, set->model,
	    set->max_hypotheses ? set->max_hypotheses : HYPOTHESES_MAX,
	    &g->rng, err);
	if (!g->candidate) {
		on_free(&g->base);
		return NULL;
	}
	g->h = cscg_candidate_exact(g->candidate);
	g->graph = g->h->graph;
	return &g->base;
}
