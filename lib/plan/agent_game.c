/*
 * agent_game.c - agents that collect requested symbols in a deterministic
 * environment without aliasing
 *
 * With a model, rollouts of the rest of the episode for each action give no
 * higher reward than the rule of agent_game.h, at a thousand times the cost.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "plan/agent_game.h"
#include "plan/candidate.h"
#include "plan/explore.h"

enum {
	HYPOTHESES_MAX = 4096, /* hypotheses */
	DETOUR_DEFAULT = 3     /* actions */
};

/* Below 1 action, so that they only decide between paths of equal length. */
static const double UNSEEN_BONUS = .01; /* for passing an unobserved state */
static const double ISOLATED_BONUS =
    .1; /* for an unobserved state with few unobserved neighbours */

struct game_agent {
	struct cscg_agent base; /* first member */
	struct cscg_agent_game_options set;

	/* with a model */
	struct cscg_candidate *candidate; /* in exact mode */
	const struct cscg_track_exact *h; /* its hypotheses */
	const struct cscg_track_exact_graph *graph;
	struct cscg_rng rng;

	/* without a model */
	struct cscg_walk_header head; /* the environment's names */
	struct cscg_transitions_seen transitions;
};

static struct game_agent *
self(struct cscg_agent *base)
{
	return (struct game_agent *)base;
}

/* ---- with a model ---- */

static int
distance(const struct game_agent *g, int j, int k)
{
	return g->graph
	    ->distance[(size_t)j * (size_t)g->graph->n_states + (size_t)k];
}

static int
next_state(const struct game_agent *g, int a, int j)
{
	return cscg_candidate_next(g->candidate, j, a);
}

/* The number of actions from state k to unobserved states. */
static int
count_unseen_around(const struct game_agent *g, const int *symbol, int k)
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
distance_to_unseen(const struct game_agent *g, const int *symbol, int j)
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
distance_to_goal(const struct game_agent *g,
    const struct cscg_track_exact_hypothesis *h, int j)
{
	int m = distance(g, j, h->state_of[g->base.requested]);

	return m < 0 ? g->graph->n_states :
		       m - UNSEEN_BONUS * (h->symbol[j] < 0);
}

/* Expected number of remaining actions after action a. */
static double
expected_actions(const struct game_agent *g, int a)
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
best_action(struct game_agent *g)
{
	double best = DBL_MAX / 2, d;
	int a, choice = 0;
	long n = 0;

	for (a = 0; a < g->base.n_actions; a++) {
		d = a == g->base.collect ? DBL_MAX : expected_actions(g, a);
		if (d > best + 1e-9)
			continue;
		if (cscg_rng_tie(&g->rng, d < best - 1e-9, &n))
			choice = a;
		if (d < best)
			best = d;
	}
	return choice;
}

static int
track_go(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct game_agent *g = self(base);
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

static int
track_begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct game_agent *g = self(base);

	(void)err;
	if (g->set.new_world)
		cscg_candidate_reset(g->candidate);
	cscg_rng_seed(&g->rng, g->set.seed, CSCG_RNG_PLAN, (uint64_t)episode,
	    2);
	return 0;
}

static int
track_observe(struct cscg_agent *base, int before, int a, struct cscg_err *err)
{
	(void)before;
	return cscg_candidate_observe(self(base)->candidate, a, base->x, err);
}

static int
track_state(const struct cscg_agent *base, double *p)
{
	struct cscg_candidate_hypothesis h = { NAN, -1, NULL };

	cscg_candidate_top(((const struct game_agent *)base)->candidate, &h,
	    1);
	*p = h.p;
	return h.state;
}

static struct cscg_model *
track_model(const struct cscg_agent *base, struct cscg_err *err)
{
	const struct game_agent *g = (const struct game_agent *)base;

	if (g->h->n)
		return cscg_candidate_ground(g->candidate, err);
	cscg_fail(err, CSCG_ERANGE, "no model is known yet");
	return NULL;
}

/* ---- without a model ---- */

static int
table_begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct game_agent *g = self(base);

	(void)episode;
	(void)err;
	if (g->set.new_world)
		cscg_transitions_seen_clear(&g->transitions);
	return 0;
}

static int
table_observe(struct cscg_agent *base, int before, int a, struct cscg_err *err)
{
	(void)err;
	if (a >= 0)
		cscg_transitions_seen_add(&self(base)->transitions, before, a,
		    base->x);
	return 0;
}

static int
table_state(const struct cscg_agent *base, double *p)
{
	*p = 1;
	return base->x;
}

/*
 * Go to the goal, or to the nearest untried action if that is nearer by more
 * than `detour` actions.
 */
static int
table_go(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct game_agent *g = self(base);
	struct cscg_transitions_seen *f = &g->transitions;
	int n_to_goal = -1, n_to_untried, x = base->x, b = 0;

	cscg_transitions_seen_search(f, base->x);
	n_to_untried = cscg_transitions_seen_untried(f, base->collect, &x, &b);
	if (base->requested >= 0)
		n_to_goal = f->search.distance[base->requested];
	if (n_to_goal >= 0 &&
	    (n_to_untried < 0 || n_to_goal <= n_to_untried + g->set.detour)) {
		cscg_agent_follow(base, !base->follows_plan, n_to_goal - 1);
		*a = cscg_bfs_first_label(&f->search, base->requested);
		return 1;
	}
	if (n_to_untried >= 0) {
		*a = x == base->x ? b : cscg_bfs_first_label(&f->search, x);
		return 1;
	}
	/*
	 * All actions were tried and the goal was not found: an inferred
	 * transition is wrong, or the goal cannot be reached.
	 */
	return cscg_transitions_seen_drop_inferred(f) ?
	    table_go(base, a, err) :
	    CSCG_AGENT_LEAVE;
}

/* One state per symbol, and a count of 1 per known transition. */
static struct cscg_model *
table_model(const struct cscg_agent *base, struct cscg_err *err)
{
	const struct game_agent *g = (const struct game_agent *)base;
	const struct cscg_transitions_seen *f = &g->transitions;
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, f->n_obs,
	    f->n_actions, f->n_obs, err);
	struct cscg_count *c = cscg_alloc(
	    (size_t)f->n_obs * (size_t)f->n_actions, sizeof *c, err);
	int x, a, rc = -1;
	long n = 0;

	if (!m || !c)
		goto out;
	for (x = 0; x < f->n_obs; x++) {
		m->clone[x] = x;
		for (a = 0; a < f->n_actions; a++)
			if (cscg_transitions_seen_next(f, x, a) >= 0)
				c[n++] = (struct cscg_count){ a, x,
					cscg_transitions_seen_next(f, x, a),
					1 };
	}
	rc = cscg_model_set_counts(m, c, n, err);
	if (rc == 0)
		rc = cscg_names_copy(&m->actions, &g->head.actions, err);
	if (rc == 0)
		rc = cscg_names_copy(&m->symbols, &g->head.symbols, err);
out:
	free(c);
	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

/* ---- construction ---- */

static void
release(struct cscg_agent *base)
{
	struct game_agent *g = self(base);

	cscg_candidate_free(g->candidate);
	cscg_transitions_seen_free(&g->transitions);
	cscg_walk_header_free(&g->head);
}

static const struct cscg_agent_strategy track_strategies[] = {
	{ cscg_agent_collect }, { track_go }, { NULL }
};

static const struct cscg_agent_kind track_kind = {
	.needs_symbols = true,
	.strategy = track_strategies,
	.begin = track_begin,
	.observe = track_observe,
	.state = track_state,
	.model = track_model,
	.free = release,
};

static const struct cscg_agent_strategy table_strategies[] = {
	{ cscg_agent_collect }, { table_go }, { NULL }
};

static const struct cscg_agent_kind table_kind = {
	.needs_symbols = true,
	.strategy = table_strategies,
	.begin = table_begin,
	.observe = table_observe,
	.state = table_state,
	.model = table_model,
	.free = release,
};

static int
track_init(struct game_agent *g, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	const struct cscg_model *m = g->set.model;

	if (m->kind == CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a schema is required, but this model is grounded");
		return cscg_fail_hint(err, "schema-needed");
	}
	g->candidate = cscg_candidate_new_exact(world, m,
	    g->set.max_hypotheses ? g->set.max_hypotheses : HYPOTHESES_MAX,
	    &g->rng, err);
	if (!g->candidate)
		return -1;
	g->h = cscg_candidate_exact(g->candidate);
	g->graph = g->h->graph;
	return 0;
}

/* Parse "a,b", a pair of inverse actions. */
static int
add_inverse(struct game_agent *g, const char *text, struct cscg_err *err)
{
	int *list = NULL, rc;
	long n = 0;

	rc = cscg_explore_parse_actions(text, &g->head, &list, &n, err);
	if (rc == 0 && n != 2)
		rc = cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not a pair of actions", text);
	if (rc == 0)
		cscg_transitions_seen_set_inverse(&g->transitions, list[0],
		    list[1]);
	free(list);
	return rc;
}

static int
table_init(struct game_agent *g, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	int i;

	if (g->set.detour < 0)
		g->set.detour = DETOUR_DEFAULT;
	if (cscg_walk_header_copy(&g->head, &world->head, err) < 0 ||
	    cscg_transitions_seen_init(&g->transitions, world->head.n_obs,
		world->head.n_actions, err) < 0)
		return -1;
	for (i = 0; i < g->set.n_inverse; i++)
		if (add_inverse(g, g->set.inverse[i], err) < 0)
			return -1;
	return 0;
}

struct cscg_agent *
cscg_agent_game_new(const struct cscg_env_header *world,
    const struct cscg_agent_game_options *set, struct cscg_err *err)
{
	static const struct cscg_goal goal = { .kind = CSCG_GOAL_ENV };
	struct game_agent *g;

	if (world->collect < 0) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "the environment has no action that collects goals");
		return NULL;
	}
	g = cscg_alloc(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->set = *set;
	if (cscg_agent_init(&g->base, set->model ? &track_kind : &table_kind,
		world, &goal, 1, NULL, NULL, err) == 0 &&
	    (set->model ? track_init(g, world, err) :
			  table_init(g, world, err)) == 0)
		return &g->base;
	cscg_agent_free(&g->base);
	return NULL;
}
