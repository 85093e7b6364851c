/*
 * track_exact.c - exact posterior over bindings of a deterministic schema
 *
 * A hypothesis is a row of v: the state, the symbol of each state, the state
 * of each symbol.  A row is dropped by overwriting it with the last one.  All
 * rows have the same number of bound symbols, since they share the
 * observations.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "kernel/plan_graph.h"
#include "schema/track_exact.h"

enum { STATES_MAX = 5000 }; /* 100 MB of distances */

/* ---- transitions ---- */

static int
set_successors(struct cscg_track_exact_graph *m,
    const struct cscg_plan_graph *map, int stationary, struct cscg_err *err)
{
	int a, j;
	long row, i;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			row = (long)a * m->n_states + j;
			m->to[row] = a == stationary ?
			    j :
			    cscg_plan_graph_next(map, a, j);
			if (a == stationary)
				continue;
			if (m->to[row] < 0)
				return cscg_fail(err, CSCG_EMISMATCH,
				    "state %d: action %d has no counts", j, a);
			for (i = map->first[row]; map->to[i] != m->to[row];
			     i++)
				;
			if (map->p[i] <= .5)
				return cscg_fail(err, CSCG_EMISMATCH,
				    "state %d: action %d leads to several "
				    "states, none of them likelier than one "
				    "half",
				    j, a);
		}
	return 0;
}

/* Lengths of the shortest paths from j to all states. */
static void
set_distances(const struct cscg_track_exact_graph *m, int j,
    struct cscg_bfs *search)
{
	size_t n = (size_t)m->n_states;
	int z, a;

	cscg_bfs_clear(search);
	cscg_bfs_reach(search, j, -1, -1);
	while ((z = cscg_bfs_next(search)) >= 0)
		for (a = 0; a < m->n_actions; a++)
			cscg_bfs_reach(search,
			    m->to[(long)a * m->n_states + z], z, a);
	memcpy(m->distance + (size_t)j * n, search->distance,
	    n * sizeof *m->distance);
}

/*
 * Whether an automorphism of the graph maps j to k.  If all states are
 * reachable from j, it is unique: it maps the end of each action sequence from
 * j to the end of the same sequence from k.
 */
static bool
is_automorphic(const struct cscg_track_exact_graph *m, int j, int k,
    int *image, int *back, struct cscg_bfs *search)
{
	int n = m->n_states, a, z, to, want;

	for (z = 0; z < n; z++)
		image[z] = back[z] = -1;
	image[j] = k;
	back[k] = j;
	cscg_bfs_clear(search);
	cscg_bfs_reach(search, j, -1, -1);
	while ((z = cscg_bfs_next(search)) >= 0)
		for (a = 0; a < m->n_actions; a++) {
			to = m->to[(long)a * n + z];
			want = m->to[(long)a * n + image[z]];
			if (image[to] == want)
				continue;
			if (image[to] >= 0 || back[want] >= 0)
				return false;
			image[to] = want;
			back[want] = to;
			cscg_bfs_reach(search, to, z, a);
		}
	return search->n_reached == n;
}

static int
set_start_prob(struct cscg_track_exact_graph *m, struct cscg_bfs *search,
    struct cscg_err *err)
{
	int n = m->n_states, j, k;
	int *image = cscg_alloc(2 * (size_t)n, sizeof *image, err);

	if (!image)
		return -1;
	for (k = 0; k < n; k++) {
		for (j = 0; j < k; j++)
			if (m->start_prob[j] > 0 &&
			    is_automorphic(m, j, k, image, image + n, search))
				break;
		m->start_prob[j] += 1. / n;
	}
	free(image);
	return 0;
}

struct cscg_track_exact_graph *
cscg_track_exact_graph_new(const struct cscg_plan_graph *map, int stationary,
    struct cscg_err *err)
{
	struct cscg_track_exact_graph *m = cscg_alloc(1, sizeof *m, err);
	size_t n = (size_t)map->n_states;
	struct cscg_bfs search = { 0 };
	int j, rc = -1;

	if (!m)
		return NULL;
	m->n_states = map->n_states;
	m->n_actions = map->n_actions;
	if (map->n_states > STATES_MAX) {
		cscg_fail(err, CSCG_ERANGE,
		    "%d states are too many for a table of all distances: at "
		    "most %d",
		    map->n_states, STATES_MAX);
		goto out;
	}
	m->to = cscg_alloc(n * (size_t)map->n_actions, sizeof *m->to, err);
	m->distance = cscg_alloc(n * n, sizeof *m->distance, err);
	m->start_prob = cscg_alloc(n, sizeof *m->start_prob, err);
	if (!m->to || !m->distance || !m->start_prob ||
	    cscg_bfs_fit(&search, m->n_states, err) < 0 ||
	    set_successors(m, map, stationary, err) < 0)
		goto out;
	for (j = 0; j < m->n_states; j++)
		set_distances(m, j, &search);
	rc = set_start_prob(m, &search, err);
out:
	cscg_bfs_free(&search);
	if (rc == 0)
		return m;
	cscg_track_exact_graph_free(m);
	return NULL;
}

void
cscg_track_exact_graph_free(struct cscg_track_exact_graph *m)
{
	if (!m)
		return;
	free(m->to);
	free(m->distance);
	free(m->start_prob);
	free(m);
}

/* ---- hypotheses ---- */

void
cscg_track_exact_init(struct cscg_track_exact *h,
    const struct cscg_track_exact_graph *graph, int n_obs, long max_hypotheses)
{
	h->graph = graph;
	h->n_obs = n_obs;
	h->max_hypotheses = max_hypotheses;
	h->n = h->n_bound = 0;
	h->is_new = true;
}

void
cscg_track_exact_free(struct cscg_track_exact *h)
{
	free(h->p);
	free(h->v);
	*h = (struct cscg_track_exact){ 0 };
}

static size_t
width(const struct cscg_track_exact *h)
{
	return 1 + (size_t)h->graph->n_states + (size_t)h->n_obs;
}

static int *
row(const struct cscg_track_exact *h, long i)
{
	return h->v + (size_t)i * width(h);
}

struct cscg_track_exact_hypothesis
cscg_track_exact_get(const struct cscg_track_exact *h, long i)
{
	const int *r = row(h, i);

	return (struct cscg_track_exact_hypothesis){ h->p[i], r[0], r + 1,
		r + 1 + h->graph->n_states };
}

static void
normalise(struct cscg_track_exact *h)
{
	double sum = 0;
	long i;

	for (i = 0; i < h->n; i++)
		sum += h->p[i];
	for (i = 0; i < h->n; i++)
		h->p[i] /= sum;
}

static void
drop_hypothesis(struct cscg_track_exact *h, long i)
{
	h->n--;
	h->p[i] = h->p[h->n];
	if (i != h->n)
		memcpy(row(h, i), row(h, h->n), width(h) * sizeof *h->v);
}

/*
 * Hypothesis i is in state j and observes x; false if that is a contradiction.
 */
static bool
bind_state(struct cscg_track_exact *h, long i, int j, int x)
{
	int *r = row(h, i), *symbol = r + 1;
	int *state_of = symbol + h->graph->n_states;

	r[0] = j;
	if (symbol[j] < 0 && state_of[x] < 0) {
		symbol[j] = x;
		state_of[x] = j;
	}
	return symbol[j] == x;
}

/*
 * Whether x was observed before.  All hypotheses have bound the same symbols.
 */
static bool
is_known(const struct cscg_track_exact *h, int x)
{
	return h->n > 0 && cscg_track_exact_get(h, 0).state_of[x] >= 0;
}

static int
reserve(struct cscg_track_exact *h, long n, struct cscg_err *err)
{
	return cscg_grow(&h->p, &h->cap_p, (size_t)n, sizeof *h->p, err) < 0 ||
		cscg_grow(&h->v, &h->cap_v, (size_t)n * width(h), sizeof *h->v,
		    err) < 0 ?
	    -1 :
	    0;
}

/* The hypotheses after the first observation. */
static int
init_hypotheses(struct cscg_track_exact *h, int x, struct cscg_err *err)
{
	const struct cscg_track_exact_graph *m = h->graph;
	size_t i;
	int j;

	if (reserve(h, m->n_states, err) < 0)
		return -1;
	h->n = 0;
	for (j = 0; j < m->n_states; j++) {
		if (m->start_prob[j] <= 0)
			continue;
		for (i = 0; i < width(h); i++)
			row(h, h->n)[i] = -1;
		h->p[h->n] = m->start_prob[j];
		bind_state(h, h->n++, j, x);
	}
	return 0;
}

/* x is a new symbol: split each hypothesis over its unbound states. */
static int
split_unseen(struct cscg_track_exact *h, int x, struct cscg_err *err)
{
	long i, n = h->n, free_states = h->graph->n_states - h->n_bound;
	int j;

	if (free_states <= 0) {
		h->n = 0;
		return 0;
	}
	if (reserve(h, n * free_states, err) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		bool is_first = true;
		int own = -1;

		for (j = 0; j < h->graph->n_states; j++) {
			if (row(h, i)[1 + j] >= 0)
				continue;
			if (is_first) {
				own = j;
				is_first = false;
				continue;
			}
			memcpy(row(h, h->n), row(h, i),
			    width(h) * sizeof *h->v);
			h->p[h->n] = h->p[i];
			bind_state(h, h->n++, j, x);
		}
		bind_state(h, i, own, x);
	}
	return 0;
}

/* Systematic resampling down to max_hypotheses. */
static void
resample(struct cscg_track_exact *h, struct cscg_rng *rng)
{
	double step, at, sum = 0;
	long i, kept = 0;

	if (h->n <= h->max_hypotheses)
		return;
	normalise(h);
	step = 1. / (double)h->max_hypotheses;
	at = step * cscg_rng_uniform(rng);
	for (i = 0; i < h->n && kept < h->max_hypotheses; i++) {
		double p = 0;

		sum += h->p[i];
		while (at < sum) {
			p += step;
			at += step;
		}
		if (p <= 0)
			continue;
		if (kept != i)
			memcpy(row(h, kept), row(h, i),
			    width(h) * sizeof *h->v);
		h->p[kept++] = p;
	}
	h->n = kept;
}

int
cscg_track_exact_reset(struct cscg_track_exact *h, int x, struct cscg_rng *rng,
    struct cscg_err *err)
{
	bool fresh = !is_known(h, x);
	long i;

	if (h->is_new) {
		if (init_hypotheses(h, x, err) < 0)
			return -1;
		h->is_new = false;
	} else if (fresh) {
		if (split_unseen(h, x, err) < 0)
			return -1;
	} else {
		for (i = 0; i < h->n; i++)
			row(h, i)[0] = cscg_track_exact_get(h, i).state_of[x];
	}
	h->n_bound += fresh;
	resample(h, rng);
	if (h->n)
		normalise(h);
	return 0;
}

void
cscg_track_exact_step(struct cscg_track_exact *h, int a, int x)
{
	const struct cscg_track_exact_graph *m = h->graph;
	bool fresh = !is_known(h, x);
	long i;

	for (i = h->n - 1; i >= 0; i--)
		if (!bind_state(h, i,
			m->to[(long)a * m->n_states + row(h, i)[0]], x))
			drop_hypothesis(h, i);
	h->n_bound += fresh;
	if (h->n)
		normalise(h);
}
