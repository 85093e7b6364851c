/*
 * learned.c - assessment of a learned model: support, confidence of edges,
 * noise, and whether the map is likely wrong
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/learned.h"

struct cscg_learned *
cscg_learned_new(long n_edges, struct cscg_err *err)
{
	struct cscg_learned *l = cscg_alloc(1, sizeof *l, err);

	if (!l)
		return NULL;
	l->n_edges = n_edges;
	l->edge = cscg_alloc((size_t)n_edges, sizeof *l->edge, err);
	if (!l->edge) {
		cscg_learned_free(l);
		return NULL;
	}
	return l;
}

struct cscg_learned *
cscg_learned_copy(const struct cscg_learned *l, struct cscg_err *err)
{
	struct cscg_learned *copy = cscg_learned_new(l->n_edges, err);
	double *edge;
	long i;

	if (!copy)
		return NULL;
	edge = copy->edge;
	*copy = *l;
	copy->edge = edge;
	for (i = 0; i < l->n_edges; i++)
		edge[i] = l->edge[i];
	return copy;
}

void
cscg_learned_free(struct cscg_learned *l)
{
	if (!l)
		return;
	free(l->edge);
	free(l);
}

int
cscg_learned_check(const struct cscg_learned *l, long n_edges,
    struct cscg_err *err)
{
	long i;

	if (l->n_edges != n_edges)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/learned/edges: %ld numbers for %ld edges", l->n_edges,
		    n_edges);
	if (l->steps < 1 || !isfinite(l->nats) || !isfinite(l->left_out) ||
	    !(l->memory >= 0 && isfinite(l->memory)))
		return cscg_fail(err, CSCG_ERANGE,
		    "/learned: must be about a number of steps above 0, and "
		    "finite");
	if (l->rows < 0 || l->supported < 0 || l->supported > l->rows)
		return cscg_fail(err, CSCG_ERANGE,
		    "/learned/rows_supported: %ld is outside 0..%ld",
		    l->supported, l->rows);
	if (!(l->noise >= 0 && l->noise <= 1))
		return cscg_fail(err, CSCG_ERANGE,
		    "/learned/noise: must be 0 to 1");
	if (!(l->mixed >= 0 && l->mixed <= 1))
		return cscg_fail(err, CSCG_ERANGE,
		    "/learned/mixed: must be 0 to 1");
	for (i = 0; i < n_edges; i++)
		if (!(l->edge[i] >= 0 && l->edge[i] <= 1))
			return cscg_fail(err, CSCG_ERANGE,
			    "/learned/edges: number %ld must be 0 to 1", i);
	return 0;
}
