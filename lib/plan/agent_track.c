/*
 * agent_track.c - know the graph, keep every way the world may be laid onto it
 *
 * To play the rest of an episode in mind, for each action, and to take the one
 * by which most was collected, was tried: it finds nothing better than this rule
 * and costs a thousand times as much.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "plan/agent_track.h"
#include "schema/hypo.h"
#include "kernel/map.h"
#include "base/mem.h"
#include "plan/mind.h"
#include "base/rng.h"

enum { MOST = 4096 };		/* hypotheses */

/* Less than a move, so that they decide between ways of the same length. */
static const double NEW = .01;	/* to pass by a place that was not seen */
static const double LONELY = .1;	/* to leave none of those behind */

struct agent {
	struct cscg_agent part;	/* first: what the world is played with */
	struct cscg_agent_track set;
	struct cscg_moves *moves;
	int *to_world, *to_model;	/* numbers of actions */
	struct cscg_names symbols;
	int collect, n_obs;
	struct cscg_hypos h;
	struct cscg_rng rng;

	/* this episode */
	long plans, left;	/* left: moves to the goal, after this one */
	int x, goal;
	bool goes;		/* the last move was on the way to a goal */
};

static struct agent *
self(struct cscg_agent *part)
{
	return (struct agent *)part;
}

static int
apart(const struct agent *g, int j, int k)
{
	return g->moves->apart[(size_t)j * (size_t)g->moves->n_states +
	    (size_t)k];
}

static int
next(const struct agent *g, int a, int j)
{
	return g->moves->to[(long)a * g->moves->n_states + j];
}

/* ---- the rule ---- */

/* Neighbours of state k that were not seen. */
static int
new_around(const struct agent *g, const int *symbol, int k)
{
	int a, n = 0;

	for (a = 0; a < g->moves->n_actions; a++)
		n += next(g, a, k) != k && symbol[next(g, a, k)] < 0;
	return n;
}

/*
 * How far it is from state j to the nearest place that was not seen; of those
 * as far one with few such neighbours is best, for it would be left behind.
 */
static double
to_new(const struct agent *g, const int *symbol, int j)
{
	double best = g->moves->n_states, d;
	int k, m;

	for (k = 0; k < g->moves->n_states; k++) {
		m = symbol[k] < 0 ? apart(g, j, k) : -1;
		if (m < 0 || m > best)
			continue;
		d = m + LONELY * new_around(g, symbol, k) /
		    g->moves->n_actions;
		if (d < best)
			best = d;
	}
	return best;
}

/* How far it is to where the goal is, as hypothesis y has it. */
static double
to_goal(const struct agent *g, const struct cscg_hypo *y, int j)
{
	int m = apart(g, j, y->place[g->goal]);

	return m < 0 ? g->moves->n_states : m - NEW * (y->symbol[j] < 0);
}

/* Expected moves after action a. */
static double
cost(const struct agent *g, int a)
{
	double sum = 0;
	long i;

	for (i = 0; i < g->h.n; i++) {
		struct cscg_hypo y = cscg_hypos_get(&g->h, i);
		int j = next(g, a, y.state);

		sum += y.p * (g->goal >= 0 && y.place[g->goal] >= 0 ?
		    to_goal(g, &y, j) : to_new(g, y.symbol, j));
	}
	return sum;
}

/* The best move, by the model's number; of equals any. */
static int
best_move(struct agent *g)
{
	double best = DBL_MAX / 2, d;
	int a, choice = 0;
	long n = 0;

	for (a = 0; a < g->moves->n_actions; a++) {
		d = g->to_world[a] == g->collect ? DBL_MAX : cost(g, a);
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

/* ---- the part ---- */

static int
on_begin(struct cscg_agent *part, long episode, struct cscg_err *err)
{
	struct agent *g = self(part);

	(void)err;
	if (g->set.forget || !g->h.moves)
		cscg_hypos_begin(&g->h, g->moves, g->n_obs, g->set.most);
	cscg_rng_seed(&g->rng, g->set.seed, CSCG_RNG_PLAN, (uint64_t)episode,
	    2);
	g->plans = 0;
	g->x = g->goal = -1;
	g->goes = false;
	return 0;
}

static int
on_see(struct cscg_agent *part, int a, const struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	struct agent *g = self(part);

	if (obs->x < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "nothing is seen: this "
		    "agent must see something in each step");
	g->goes &= obs->goal == g->goal && !obs->reset;
	g->x = obs->x;
	g->goal = obs->goal;
	if (a < 0 || obs->reset) {
		if (cscg_hypos_put(&g->h, obs->x, &g->rng, err) < 0)
			return -1;
	} else if (a != g->collect)
		cscg_hypos_step(&g->h, g->to_model[a], obs->x);
	if (g->h.n)
		return 0;
	/* This is not the world that it was taken for. */
	cscg_hypos_begin(&g->h, g->moves, g->n_obs, g->set.most);
	return cscg_hypos_put(&g->h, obs->x, &g->rng, err);
}

static int
on_choose(struct cscg_agent *part, int *a, struct cscg_err *err)
{
	struct agent *g = self(part);
	struct cscg_hypo y = cscg_hypos_get(&g->h, 0);
	bool went = g->goes;
	int b;

	(void)err;
	g->goes = false;
	*a = g->collect;
	if (g->goal >= 0 && g->x == g->goal)
		return 1;
	b = best_move(g);
	*a = g->to_world[b];
	g->goes = g->goal >= 0 && g->h.n == 1 && y.place[g->goal] >= 0;
	g->left = g->goes ? apart(g, next(g, b, y.state), y.place[g->goal]) :
	    0;
	g->plans += g->goes && !went;
	return 1;
}

/* The likeliest hypothesis, the first of equals. */
static long
likeliest(const struct agent *g)
{
	long i, best = 0;

	for (i = 1; i < g->h.n; i++)
		if (g->h.p[i] > g->h.p[best])
			best = i;
	return best;
}

static void
on_tell(const struct cscg_agent *part, struct cscg_thought *thought)
{
	const struct agent *g = (const struct agent *)part;
	struct cscg_hypo y = cscg_hypos_get(&g->h, likeliest(g));

	thought->state = y.state;
	thought->p = y.p;
	thought->plan = g->goes ? g->plans : 0;
	thought->left = g->goes ? g->left : 0;
	thought->success = g->goes ? 1 : NAN;
}

static bool
on_reached(const struct cscg_agent *part)
{
	(void)part;
	return true;
}

/* What was not seen may look like anything that was not. */
static void
set_looks(const struct agent *g, const struct cscg_hypo *y, double *E)
{
	int n = g->moves->n_states, K = g->n_obs, j, x;
	long left = K - g->h.known;

	for (j = 0; j < n; j++)
		for (x = 0; x < K; x++)
			E[(size_t)j * (size_t)K + (size_t)x] =
			    y->symbol[j] >= 0 ? y->symbol[j] == x :
			    left <= 0 ? 1. / K :
			    (y->place[x] < 0) / (double)left;
}

static struct cscg_model *
on_model(const struct cscg_agent *part, struct cscg_err *err)
{
	const struct agent *g = (const struct agent *)part;
	struct cscg_hypo y;
	struct cscg_model *m;
	double *E;
	int rc = -1;

	if (!g->h.n) {
		cscg_fail(err, CSCG_ERANGE, "nothing was learned");
		return NULL;
	}
	y = cscg_hypos_get(&g->h, likeliest(g));
	m = cscg_model_copy(g->set.model, err);
	E = cscg_alloc((size_t)g->moves->n_states * (size_t)g->n_obs,
	    sizeof *E, err);
	if (m && E) {
		set_looks(g, &y, E);
		rc = cscg_model_set_E(m, E, g->n_obs, err);
	}
	if (rc == 0)
		rc = cscg_names_copy(&m->symbols, &g->symbols, err);
	free(E);
	if (rc == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

static void
on_free(struct cscg_agent *part)
{
	struct agent *g = self(part);

	cscg_moves_free(g->moves);
	cscg_hypos_free(&g->h);
	cscg_names_free(&g->symbols);
	free(g->to_world);
	free(g->to_model);
	free(g);
}

/* ---- making ---- */

/* Which action is which: a mind finds out, and is not needed otherwise. */
static int
set_actions(struct agent *g, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	struct cscg_mind_set set = { .model = g->set.model,
	    .apart = world->collect };
	struct cscg_mind *mind;
	int a, n = g->set.model->n_actions;

	g->to_world = cscg_alloc((size_t)n, sizeof *g->to_world, err);
	g->to_model = cscg_alloc((size_t)world->head.n_actions,
	    sizeof *g->to_model, err);
	if (!g->to_world || !g->to_model)
		return -1;
	cscg_mind_defaults(&set);
	mind = cscg_mind_new(&world->head, &set, err);
	if (!mind)
		return -1;
	g->to_model[g->collect] = -1;
	for (a = 0; a < n; a++) {
		g->to_world[a] = cscg_mind_action(mind, a);
		g->to_model[g->to_world[a]] = a;
	}
	cscg_mind_free(mind);
	return 0;
}

static int
set_graph(struct agent *g, struct cscg_err *err)
{
	struct cscg_map *map = cscg_map_new(g->set.model, 0, err);

	if (!map)
		return -1;
	g->moves = cscg_moves_new(map, g->to_model[g->collect], err);
	cscg_map_free(map);
	return g->moves ? 0 : -1;
}

/* Is there something to do for this agent?  -1 with err filled if not. */
static int
check(const struct cscg_env_head *world, const struct cscg_model *m,
    struct cscg_err *err)
{
	if (world->collect < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "the environment has no "
		    "action that collects");
	if (m->kind == CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EMISMATCH, "a schema is needed, and "
		    "this model is grounded: see cscg-show --as clones");
	return 0;
}

struct cscg_agent *
cscg_agent_track_new(const struct cscg_env_head *world,
    const struct cscg_agent_track *set, struct cscg_err *err)
{
	struct agent *g;

	if (check(world, set->model, err) < 0)
		return NULL;
	g = cscg_alloc(1, sizeof *g, err);
	if (!g)
		return NULL;
	g->part = (struct cscg_agent){ on_begin, on_see, on_choose, on_tell,
	    on_reached, on_model, on_free };
	g->set = *set;
	g->set.most = set->most ? set->most : MOST;
	g->collect = world->collect;
	g->n_obs = world->head.n_obs;
	if (set_actions(g, world, err) == 0 && set_graph(g, err) == 0 &&
	    cscg_names_copy(&g->symbols, &world->head.symbols, err) == 0)
		return &g->part;
	on_free(&g->part);
	return NULL;
}
