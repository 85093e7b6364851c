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

struct place {
	double at;
	int v;
};

/* A cut of a web in two. */
struct cut {
	char *side;		/* [n] 0 or 1 */
	double weight, volume;	/* cut; of the smaller side */
};

static int
by_place(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->v > b->v) - (a->v < b->v);
}

/* The weight between v and the nodes on a side. */
static double
pull(const struct cscg_web *w, const char *side, int v, int which)
{
	double s = 0;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++)
		s += side[w->to[i]] == which ? w->w[i] : 0;
	return s;
}

static double
total(const struct cscg_web *w)
{
	double s = 0;
	int v;

	for (v = 0; v < w->n; v++)
		s += w->degree[v];
	return s;
}

/* Weight and volume of a cut by its sides. */
static void
measure(const struct cscg_web *w, struct cut *cut)
{
	double one = 0;
	int v;

	cut->weight = 0;
	for (v = 0; v < w->n; v++)
		if (cut->side[v]) {
			one += w->degree[v];
			cut->weight += pull(w, cut->side, v, 0);
		}
	cut->volume = one < total(w) - one ? one : total(w) - one;
}

/*
 * Cut the order of nodes where the conductance is least; *best is the least so
 * far, and side is set if there is a better one.
 */
static void
sweep(const struct cscg_web *w, const struct place *order, long least,
    char *in, char *side, double *best)
{
	double all = total(w), cut = 0, volume = 0, phi, less;
	int i, where = -1;

	memset(in, 0, (size_t)w->n);
	for (i = 0; i < w->n - least; i++) {
		int v = order[i].v;

		cut += w->degree[v] - 2 * pull(w, in, v, 1);
		volume += w->degree[v];
		in[v] = 1;
		less = volume < all - volume ? volume : all - volume;
		phi = cut / less;
		if (i + 1 >= least && phi < *best) {
			*best = phi;
			where = i;
		}
	}
	if (where < 0)
		return;
	memset(side, 0, (size_t)w->n);
	for (i = 0; i <= where; i++)
		side[order[i].v] = 1;
}

/* Returns 1 with side set, 0 if no cut leaves enough on both sides. */
static int
best_cut(const struct cscg_web *w, long least, char *side,
    struct cscg_err *err)
{
	size_t n = (size_t)w->n;
	double *v = cscg_alloc(VECTORS * n, sizeof *v, err);
	struct place *order = cscg_alloc(n, sizeof *order, err);
	char *in = cscg_alloc(n, 1, err);
	double lambda[VECTORS], best = INFINITY;
	int k = VECTORS < w->n - 1 ? VECTORS : w->n - 1, i, j, rc = -1;

	if (!v || !order || !in || cscg_spectral(w, k, v, lambda, err) < 0)
		goto out;
	for (i = 0; i < ANGLES; i++) {
		double c = cos(M_PI * i / ANGLES), s = sin(M_PI * i / ANGLES);

		for (j = 0; j < w->n; j++)
			order[j] = (struct place){ (c * v[j] + s *
			    v[n + (size_t)j]) / sqrt(w->degree[j]), j };
		qsort(order, n, sizeof *order, by_place);
		sweep(w, order, least, in, side, &best);
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
settle(const struct cscg_web *w, long least, char *side)
{
	int count[2] = { 0, 0 }, v, moved;

	for (v = 0; v < w->n; v++)
		count[(int)side[v]]++;
	do {
		moved = 0;
		for (v = 0; v < w->n; v++) {
			double own = pull(w, side, v, side[v]);

			if (count[(int)side[v]] <= least ||
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
gather(const struct cscg_web *w, long least, char *side, int *piece,
    struct cscg_err *err)
{
	int *size = cscg_alloc((size_t)w->n, sizeof *size, err);
	int which, v, n = 0;

	for (which = 0; size && which < 2; which++) {
		n = cscg_web_pieces(w, side, piece, err);
		if (n < 0)
			break;
		memset(size, 0, (size_t)w->n * sizeof *size);
		for (v = 0; v < w->n; v++)
			size[piece[v]]++;
		for (v = 0; v < w->n; v++)
			if (side[v] == which && size[piece[v]] < least)
				side[v] = !side[v];
	}
	free(size);
	return size && n >= 0 ? 0 : -1;
}

int
cscg_web_cut(const struct cscg_web *w, const struct cscg_rooms_set *set,
    char *side, int *piece, struct cscg_err *err)
{
	struct cut cut = { .side = side };
	int rc;

	if (w->n < 2 * set->least || w->n < 2)
		return 0;
	rc = best_cut(w, set->least, side, err);
	if (rc <= 0)
		return rc;
	settle(w, set->least, side);
	if (gather(w, set->least, side, piece, err) < 0)
		return -1;
	measure(w, &cut);
	return cut.volume > 0 && cut.weight < set->conductance * cut.volume &&
	    cut.weight < set->narrow * sqrt(cut.volume);
}
