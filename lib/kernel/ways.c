/* ways.c - T of a schema as the fast passes of binding want it */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/ways.h"

static float *
reals(size_t n, struct cscg_err *err)
{
	return cscg_alloc_aligned(n, sizeof(float), CSCG_ALIGN, err);
}

/*
 * How deep to go: a level costs a gather for every state, an entry left over
 * costs about four.  in[] has so many entries of each column.
 */
static uint32_t
best_depth(const long *in, int S)
{
	long left = 0, cost, least;
	uint32_t d, best = 0;
	int k, more = 1;

	for (k = 0; k < S; k++)
		left += in[k];
	least = 4 * left;
	for (d = 1; more; d++) {
		more = 0;
		for (k = 0; k < S; k++) {
			left -= in[k] >= (long)d;
			more |= in[k] > (long)d;
		}
		cost = (long)d * S + 4 * left;
		if (cost < least) {
			least = cost;
			best = d;
		}
	}
	return best;
}

/* What the row of (a, j) is divided by; 0: it is uniform. */
static double
norm_of(const struct cscg_model *m, int a, int j)
{
	return cscg_model_row_sum(m, a, j) + m->pseudocount * m->n_states;
}

/* The entries of action a into the room that is there for them. */
static void
fill_way(const struct cscg_model *m, size_t pad, struct cscg_way *way, int a,
    bool forward, long *in)
{
	int S = m->n_states, j;
	long i, r;

	memset(in, 0, (size_t)S * sizeof *in);
	for (j = 0; j < S; j++) {
		double norm = norm_of(m, a, j);

		r = (long)a * S + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			int from = forward ? j : m->to[i];
			int to = forward ? m->to[i] : j;
			float v = (float)(m->count[i] / norm);

			if (in[to] < (long)way->depth) {
				size_t at = (size_t)in[to]++ * pad +
				    (size_t)to;

				way->value[at] = v;
				way->index[at] = from;
			} else {
				way->extra[way->n_extra++] =
				    (struct cscg_extra){ from, to, v };
			}
		}
	}
}

/* Action a as columns (forward: the targets; backward: the sources). */
static int
way_new(const struct cscg_model *m, size_t pad, struct cscg_way *way, int a,
    bool forward, struct cscg_err *err)
{
	int S = m->n_states, j;
	long *in = cscg_alloc((size_t)S, sizeof *in, err), i, n = 0, r;

	if (!in)
		return -1;
	for (j = 0; j < S; j++) {
		r = (long)a * S + j;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			in[forward ? m->to[i] : j]++;
	}
	way->depth = best_depth(in, S);
	for (j = 0; j < S; j++)
		n += in[j] > (long)way->depth ? in[j] - (long)way->depth : 0;
	way->value = reals(way->depth * pad, err);
	way->index = cscg_alloc_aligned(way->depth * pad, sizeof *way->index,
	    CSCG_ALIGN, err);
	way->extra = cscg_alloc((size_t)n, sizeof *way->extra, err);
	if (way->value && way->index && way->extra)
		fill_way(m, pad, way, a, forward, in);
	free(in);
	return way->value && way->index && way->extra ? 0 : -1;
}

static int
fill_ways(struct cscg_ways *ways, const struct cscg_model *m,
    struct cscg_err *err)
{
	int a, j;

	for (a = 0; a < m->n_actions; a++) {
		float *level = ways->level + (size_t)a * ways->pad;

		if (way_new(m, ways->pad, &ways->fwd[a], a, true, err) < 0 ||
		    way_new(m, ways->pad, &ways->bwd[a], a, false, err) < 0)
			return -1;
		for (j = 0; j < m->n_states; j++) {
			double norm = norm_of(m, a, j);

			level[j] = (float)(norm > 0 ? m->pseudocount / norm :
			    1.0 / m->n_states);
		}
	}
	for (j = 0; j < m->n_states; j++)
		ways->ones[j] = 1;
	return 0;
}

struct cscg_ways *
cscg_ways_new(const struct cscg_model *m, const struct cscg_simd *simd,
    struct cscg_err *err)
{
	struct cscg_ways *ways = cscg_alloc(1, sizeof *ways, err);
	size_t A = (size_t)m->n_actions, width = (size_t)simd->width;

	if (!ways)
		return NULL;
	ways->n_states = m->n_states;
	ways->n_actions = m->n_actions;
	ways->pad = ((size_t)m->n_states + width - 1) / width * width;
	ways->fwd = cscg_alloc(A, sizeof *ways->fwd, err);
	ways->bwd = cscg_alloc(A, sizeof *ways->bwd, err);
	ways->level = reals(A * ways->pad, err);
	ways->ones = reals(ways->pad, err);
	if (!ways->fwd || !ways->bwd || !ways->level || !ways->ones ||
	    fill_ways(ways, m, err) < 0) {
		cscg_ways_free(ways);
		return NULL;
	}
	return ways;
}

static void
free_way(struct cscg_way *way)
{
	free(way->value);
	free(way->index);
	free(way->extra);
}

void
cscg_ways_free(struct cscg_ways *ways)
{
	int a;

	if (!ways)
		return;
	for (a = 0; a < ways->n_actions && ways->fwd; a++)
		free_way(&ways->fwd[a]);
	for (a = 0; a < ways->n_actions && ways->bwd; a++)
		free_way(&ways->bwd[a]);
	free(ways->fwd);
	free(ways->bwd);
	free(ways->level);
	free(ways->ones);
	free(ways);
}

static void
set_way(struct cscg_link *link, const struct cscg_way *way)
{
	link->value = way->value;
	link->index = way->index;
	link->depth = way->depth;
	link->extra = way->extra;
	link->n_extra = way->n_extra;
}

void
cscg_ways_forward(const struct cscg_ways *ways, int a, struct cscg_link *link)
{
	set_way(link, &ways->fwd[a]);
	link->up = ways->ones;
	link->down = ways->level + (size_t)a * ways->pad;
}

void
cscg_ways_back(const struct cscg_ways *ways, int a, struct cscg_link *link)
{
	set_way(link, &ways->bwd[a]);
	link->up = ways->level + (size_t)a * ways->pad;
	link->down = ways->ones;
}
