/*
 * rooms_cut.c - where a graph is easiest to cut in two
 *
 * Spectral cuts: the second and third eigenvectors of the normalised Laplacian
 * are nearly constant in a room and differ between rooms.  For eight mixtures
 * of the two (a ring of rooms has no first one), nodes are put in order and the
 * best place to cut the order is taken.  What is cut off on the wrong side then
 * moves over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/rooms_cut.h"
#include "schema/rooms_spectral.h"

enum { ANGLES = 8, VECTORS = 2 };

struct node_value {
	double value;
	int v;
};

/* A cut of a web in two. */
struct cut {
	char *side;		/* [n] 0 or 1 */
	double weight, volume;	/* cut; of the smaller side */
};

static int
by_value(const void *pa, const void *pb)
{
	const struct node_value *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->v > b->v) - (a->v < b->v);
}

/* The weight between v and the nodes on a side. */
static double
weight_to_side(const struct cscg_wgraph *w, const char *side, int v, int which)
{
	double s = 0;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++)
		s += side[w->to[i]] == which ? w->w[i] : 0;
	return s;
}

static double
total_weight(const struct cscg_wgraph *w)
{
	double s = 0;
	int v;

	for (v = 0; v < w->n; v++)
		s += w->degree[v];
	return s;
}

/* Weight and volume of a cut by its sides. */
static void
measure_cut(const struct cscg_wgraph *w, struct cut *cut)
{
	double one = 0;
	int v;

	cut->weight = 0;
	for (v = 0; v < w->n; v++)
		if (cut->side[v]) {
			one += w->degree[v];
			cut->weight += weight_to_side(w, cut->side, v, 0);
		}
	cut->volume = one < total_weight(w) - one ? one : total_weight(w) - one;
}

/*
 * Cut the order of nodes where the conductance is least; *best is the least so
 * far, and side is set if there is a better one.
 */
static void
sweep_cut(const struct cscg_wgraph *w, const struct node_value *order, long min_size,
    char *in, char *side, double *best)
{
	double all = total_weight(w), cut = 0, volume = 0, phi, smaller;
	int i, cut_at = -1;

	memset(in, 0, (size_t)w->n);
	for (i = 0; i < w->n - min_size; i++) {
		int v = order[i].v;

		cut += w->degree[v] - 2 * weight_to_side(w, in, v, 1);
		volume += w->degree[v];
		in[v] = 1;
		smaller = volume < all - volume ? volume : all - volume;
		phi = cut / smaller;
		if (i + 1 >= min_size && phi < *best) {
			*best = phi;
			cut_at = i;
		}
	}
	if (cut_at < 0)
		return;
	memset(side, 0, (size_t)w->n);
	for (i = 0; i <= cut_at; i++)
		side[order[i].v] = 1;
}

/* Returns 1 with side set, 0 if no cut leaves enough on both sides. */
static int
best_sweep_cut(const struct cscg_wgraph *w, long min_size, char *side,
    struct cscg_err *err)
{
	size_t n = (size_t)w->n;
	double *v = cscg_alloc(VECTORS * n, sizeof *v, err);
	struct node_value *order = cscg_alloc(n, sizeof *order, err);
	char *in = cscg_alloc(n, 1, err);
	double lambda[VECTORS], best = INFINITY;
	int k = VECTORS < w->n - 1 ? VECTORS : w->n - 1, i, j, rc = -1;

	if (!v || !order || !in || cscg_spectral_vectors(w, k, v, lambda, err) < 0)
		goto out;
	for (i = 0; i < ANGLES; i++) {
		double c = cos(M_PI * i / ANGLES), s = sin(M_PI * i / ANGLES);

		for (j = 0; j < w->n; j++)
			order[j] = (struct node_value){ (c * v[j] + s *
			    v[n + (size_t)j]) / sqrt(w->degree[j]), j };
		qsort(order, n, sizeof *order, by_value);
		sweep_cut(w, order, min_size, in, side, &best);
	}
	rc = isfinite(best);
out:
	free(v);
	free(order);
	free(in);
	return rc;
}

/* Let nodes go over that hang more on the other side; the cut only shrinks. */
static void
refine_cut(const struct cscg_wgraph *w, long min_size, char *side)
{
	int count[2] = { 0, 0 }, v, moved;

	for (v = 0; v < w->n; v++)
		count[(int)side[v]]++;
	do {
		moved = 0;
		for (v = 0; v < w->n; v++) {
			double own = weight_to_side(w, side, v, side[v]);

			if (count[(int)side[v]] <= min_size ||
			    !(w->degree[v] - own > own * (1 + 1e-9)))
				continue;
			count[(int)side[v]]--;
			side[v] = !side[v];
			count[(int)side[v]]++;
			moved = 1;
		}
	} while (moved);
}

/*
 * What hangs together on its side but is too small for a room goes over, so
 * that each side is made of pieces that are large enough.
 */
static int
absorb_small(const struct cscg_wgraph *w, long min_size, char *side, int *component,
    struct cscg_err *err)
{
	int *size = cscg_alloc((size_t)w->n, sizeof *size, err);
	int which, v, n = 0;

	for (which = 0; size && which < 2; which++) {
		n = cscg_wgraph_components(w, side, component, err);
		if (n < 0)
			break;
		memset(size, 0, (size_t)w->n * sizeof *size);
		for (v = 0; v < w->n; v++)
			size[component[v]]++;
		for (v = 0; v < w->n; v++)
			if (side[v] == which && size[component[v]] < min_size)
				side[v] = !side[v];
	}
	free(size);
	return size && n >= 0 ? 0 : -1;
}

int
cscg_partition_cut(const struct cscg_wgraph *w, const struct cscg_partition_options *set,
    char *side, int *component, struct cscg_err *err)
{
	struct cut cut = { .side = side };
	int rc;

	if (w->n < 2 * set->min_size || w->n < 2)
		return 0;
	rc = best_sweep_cut(w, set->min_size, side, err);
	if (rc <= 0)
		return rc;
	refine_cut(w, set->min_size, side);
	if (absorb_small(w, set->min_size, side, component, err) < 0)
		return -1;
	measure_cut(w, &cut);
	return cut.volume > 0 && cut.weight < set->max_conductance * cut.volume &&
	    cut.weight < set->max_cut_ratio * sqrt(cut.volume);
}
