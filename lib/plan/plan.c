/*
 * plan.c - the way to a goal by max-product
 *
 * W_t(j), the best probability of a path of at most t moves from state j to
 * the goal, is max(goal(j), max_{a,k} T_a(j,k) W_{t-1}(k)).  A layer t holds
 * the states whose W_t is above W_{t-1}; only ways into those can change
 * anything in the next layer, so where T is all ones this is a breadth-first
 * search, and when a layer is empty, no longer plan is any better.
 *
 * A path of t moves whose value is new in layer t passes through values that
 * are new in layers t-1, t-2, ..., 0: if one were older, there would be a
 * shorter path as good.  So the plan is read off the layers, forwards.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "plan/plan.h"
#include "base/rng.h"

static const double SAME = 1e-12;	/* rounding of a product of factors */

/* A value that was new in a layer. */
struct value {
	int state;
	long layer;
	double w;
	long older;		/* value of the same state before, or -1 */
};

struct search {
	const struct cscg_map *map;
	const struct cscg_ask *ask;
	struct value *v;
	size_t n, cap;
	long *latest;		/* [n_states] value of the state, or -1 */
	double best;		/* success of the best start so far, */
	long best_layer;	/* new in this layer; -1: none */
};

static double
start_weight(const struct search *s, int j)
{
	return s->ask->start ? s->ask->start[j] : j == s->ask->from;
}

/* Set W(j) = w in layer t, if that is more than it is. */
static int
raise_to(struct search *s, int j, double w, long t, struct cscg_err *err)
{
	long at = s->latest[j];

	if (w <= (at < 0 ? 0 : s->v[at].w * (1 + SAME)))
		return 0;
	if (at < 0 || s->v[at].layer < t) {
		if (cscg_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, err) < 0)
			return -1;
		s->v[s->n] = (struct value){ j, t, w, at };
		s->latest[j] = (long)s->n++;
	} else {
		s->v[at].w = w;
	}
	return 0;
}

/* Does a start gain by the values from place first on, those of layer t? */
static void
look(struct search *s, size_t first, long t)
{
	double p;

	for (; first < s->n; first++) {
		p = start_weight(s, s->v[first].state) * s->v[first].w;
		if (p > s->best * (1 + SAME)) {
			s->best = p;
			s->best_layer = t;
		}
	}
}

static bool
passes(const struct search *s)
{
	return !s->ask->best && s->best > 0 &&
	    s->best >= s->ask->confidence * (1 - SAME);
}

static int
search(struct search *s, struct cscg_err *err)
{
	const struct cscg_map *map = s->map;
	long limit = s->ask->max_length, t, i;
	size_t from = 0, to, at;
	int j;

	for (j = 0; j < map->n_states; j++)
		if (raise_to(s, j, s->ask->goal[j], 0, err) < 0)
			return -1;
	look(s, 0, 0);
	for (t = 1; !passes(s) && from < s->n && (limit < 0 || t <= limit);
	    t++) {
		to = s->n;
		for (at = from; at < to; at++) {
			double w = s->v[at].w;
			int k = s->v[at].state;

			for (i = map->in_first[k]; i < map->in_first[k + 1];
			    i++)
				if (raise_to(s, map->in[i].from,
				    map->in[i].p * w, t, err) < 0)
					return -1;
		}
		from = to;
		look(s, from, t);
	}
	return 0;
}

/* W of state k if it was new in layer t, else 0. */
static double
new_in(const struct search *s, int k, long t)
{
	long at = s->latest[k];

	while (at >= 0 && s->v[at].layer > t)
		at = s->v[at].older;
	return at >= 0 && s->v[at].layer == t ? s->v[at].w : 0;
}

/* Is a candidate as good as the best, and the one to take of n so far? */
static bool
take(double p, double best, long *n, struct cscg_rng *rng)
{
	return p >= best * (1 - 10 * SAME) && p > 0 &&
	    cscg_rng_below(rng, ++*n) == 0;
}

static int
first_state(const struct search *s, struct cscg_rng *rng)
{
	int j, from = -1;
	long n = 0;

	for (j = 0; j < s->map->n_states; j++)
		if (take(start_weight(s, j) * new_in(s, j, s->best_layer),
		    s->best, &n, rng))
			from = j;
	return from;
}

/* The move out of plan->z[t] with so many more to go behind it. */
static void
choose_move(const struct search *s, struct cscg_plan *plan, long t, long left,
    struct cscg_rng *rng)
{
	const struct cscg_map *map = s->map;
	int a, j = plan->z[t];
	double w = new_in(s, j, left + 1);
	long n = 0, r, i;

	for (a = 0; a < map->n_actions; a++) {
		r = (long)a * map->n_states + j;
		for (i = map->first[r]; i < map->first[r + 1]; i++) {
			if (!take(map->p[i] * new_in(s, map->to[i], left), w,
			    &n, rng))
				continue;
			plan->a[t] = a;
			plan->z[t + 1] = map->to[i];
			plan->p[t + 1] = plan->p[t] * map->p[i];
		}
	}
}

static int
read_off(const struct search *s, struct cscg_plan *plan, struct cscg_err *err)
{
	size_t n = (size_t)s->best_layer;
	struct cscg_rng rng;
	long t;

	plan->n = (long)n;
	plan->a = cscg_alloc(n, sizeof *plan->a, err);
	plan->z = cscg_alloc(n + 1, sizeof *plan->z, err);
	plan->p = cscg_alloc(n + 1, sizeof *plan->p, err);
	if (!plan->a || !plan->z || !plan->p) {
		cscg_plan_free(plan);
		return -1;
	}
	cscg_rng_seed(&rng, s->ask->seed, CSCG_RNG_PLAN, s->ask->key, 0);
	plan->z[0] = first_state(s, &rng);
	plan->p[0] = start_weight(s, plan->z[0]);
	for (t = 0; t < plan->n; t++)
		choose_move(s, plan, t, plan->n - t - 1, &rng);
	plan->success = plan->p[plan->n] * s->ask->goal[plan->z[plan->n]];
	return 1;
}

int
cscg_plan(const struct cscg_map *map, const struct cscg_ask *ask,
    struct cscg_plan *plan, double *best, struct cscg_err *err)
{
	struct search s = { .map = map, .ask = ask, .best_layer = -1 };
	int j, rc = -1;

	*plan = (struct cscg_plan){ 0 };
	s.latest = cscg_alloc((size_t)map->n_states, sizeof *s.latest, err);
	if (!s.latest)
		return -1;
	for (j = 0; j < map->n_states; j++)
		s.latest[j] = -1;
	if (search(&s, err) < 0)
		goto out;
	if (best)
		*best = s.best;
	rc = passes(&s) || (ask->best && s.best > 0) ?
	    read_off(&s, plan, err) : 0;
out:
	free(s.latest);
	free(s.v);
	return rc;
}

void
cscg_plan_free(struct cscg_plan *plan)
{
	free(plan->a);
	free(plan->z);
	free(plan->p);
	*plan = (struct cscg_plan){ 0 };
}
