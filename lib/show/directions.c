/* directions.c - directions of actions in a layout */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "show/directions.h"

#define STRAY_DISTANCE_MAX \
	0.4 /* an edge further from its direction is an outlier */
#define OVERLAP_DISTANCE 0.35 /* nodes nearer than this overlap */
#define OVERLAP_OFFSET 0.3    /* of overlapping nodes, right and down */
#define ANCHOR_WEIGHT 1e-6    /* weight of each node's position */

enum {
	OVERLAP_MAX = 4,          /* nodes at one position; more: not a grid */
	CG_ITERATIONS_MAX = 2000, /* usually far fewer are needed */
};

double
cscg_point_norm2(cscg_point p)
{
	return creal(p) * creal(p) + cimag(p) * cimag(p);
}

double
cscg_point_norm(cscg_point p)
{
	return sqrt(cscg_point_norm2(p));
}

cscg_point
cscg_point_at(const double *at, int i)
{
	return at[2 * (size_t)i] + at[2 * (size_t)i + 1] * I;
}

void
cscg_point_set(double *at, int i, cscg_point p)
{
	at[2 * (size_t)i] = creal(p);
	at[2 * (size_t)i + 1] = cimag(p);
}

/* The direction of an action of this name; 0: none. */
static cscg_point
direction_of_name(const struct cscg_names *names, int a)
{
	static const struct {
		const char *name;
		double x, y;
	} known[] = {
		{ "up", 0, -1 },
		{ "down", 0, 1 },
		{ "left", -1, 0 },
		{ "right", 1, 0 },
		{ "north", 0, -1 },
		{ "south", 0, 1 },
		{ "west", -1, 0 },
		{ "east", 1, 0 },
		{ "forward", 0, -1 },
		{ "back", 0, 1 },
		{ "backward", 0, 1 },
	};
	size_t i;

	for (i = 0; names && names->n && i < sizeof known / sizeof *known; i++)
		if (!strcmp(names->v[a], known[i].name))
			return known[i].x + known[i].y * I;
	return 0;
}

int
cscg_directions_new(struct cscg_directions *v, const struct cscg_graph *g,
    const int *node, const int *index, int m, struct cscg_err *err)
{
	long i, row, n = 0;
	int a, k;

	*v = (struct cscg_directions){ .m = m, .n_actions = g->n_actions };
	for (a = 0; a < g->n_actions; a++)
		for (k = 0; k < m; k++) {
			row = (long)a * g->n_nodes + node[k];
			n += g->first[row + 1] - g->first[row];
		}
	v->direction = cscg_alloc((size_t)g->n_actions, sizeof *v->direction,
	    err);
	v->edge = cscg_alloc((size_t)n + 1, sizeof *v->edge, err);
	if (!v->direction || !v->edge) {
		cscg_directions_free(v);
		return -1;
	}
	for (a = 0; a < g->n_actions; a++) {
		v->direction[a].named = direction_of_name(g->actions, a);
		for (k = 0; k < m; k++) {
			row = (long)a * g->n_nodes + node[k];
			for (i = g->first[row]; i < g->first[row + 1]; i++)
				if (g->to[i] != node[k])
					v->edge[v->n++] =
					    (struct cscg_directions_edge){ k,
						    index[g->to[i]], a, 0 };
		}
	}
	return 0;
}

void
cscg_directions_free(struct cscg_directions *v)
{
	free(v->direction);
	free(v->edge);
	*v = (struct cscg_directions){ 0 };
}

void
cscg_directions_measure(struct cscg_directions *v, const double *at)
{
	long i;
	int a;

	for (a = 0; a < v->n_actions; a++) {
		v->direction[a].n = 0;
		v->direction[a].mean = 0;
	}
	for (i = 0; i < v->n; i++) {
		struct cscg_directions_edge *q = &v->edge[i];

		q->offset = cscg_point_at(at, q->to) -
		    cscg_point_at(at, q->from);
		v->direction[q->a].n++;
		v->direction[q->a].mean += q->offset;
	}
	for (a = 0; a < v->n_actions; a++)
		if (v->direction[a].n > 0)
			v->direction[a].mean /= v->direction[a].n;
}

/* ---- least-squares fit ---- */

/* out = (L + ANCHOR_WEIGHT) in, L the Laplacian of the edges. */
static void
apply_laplacian(const struct cscg_directions *v, const cscg_point *in,
    cscg_point *out)
{
	cscg_point direction;
	long i;
	int k;

	for (k = 0; k < v->m; k++)
		out[k] = ANCHOR_WEIGHT * in[k];
	for (i = 0; i < v->n; i++) {
		direction = in[v->edge[i].to] - in[v->edge[i].from];
		out[v->edge[i].to] += direction;
		out[v->edge[i].from] -= direction;
	}
}

static double
dot(const cscg_point *a, const cscg_point *b, int n)
{
	double sum = 0;
	int k;

	for (k = 0; k < n; k++)
		sum += creal(a[k]) * creal(b[k]) + cimag(a[k]) * cimag(b[k]);
	return sum;
}

/*
 * Change at to minimise the sum of |offset - direction|^2 over the edges, by
 * conjugate gradients.  work has room for 4 * m.
 */
static void
solve_cg(const struct cscg_directions *v, const cscg_point *direction,
    double *at, cscg_point *work)
{
	cscg_point *x = work, *r = x + v->m, *d = r + v->m, *q = d + v->m;
	double residual, residual_before, step;
	int k, round;
	long i;

	memset(work, 0, 4 * (size_t)v->m * sizeof *work);
	for (i = 0; i < v->n; i++) {
		const struct cscg_directions_edge *e = &v->edge[i];

		r[e->to] += direction[e->a] - e->offset;
		r[e->from] -= direction[e->a] - e->offset;
	}
	memcpy(d, r, (size_t)v->m * sizeof *d);
	residual = dot(r, r, v->m);
	for (round = 0; round < CG_ITERATIONS_MAX && residual > 1e-12 * v->m;
	     round++) {
		apply_laplacian(v, d, q);
		step = residual / dot(d, q, v->m);
		for (k = 0; k < v->m; k++) {
			x[k] += step * d[k];
			r[k] -= step * q[k];
		}
		residual_before = residual;
		residual = dot(r, r, v->m);
		for (k = 0; k < v->m; k++)
			d[k] = r[k] + residual / residual_before * d[k];
	}
	for (k = 0; k < v->m; k++)
		cscg_point_set(at, k, cscg_point_at(at, k) + x[k]);
}

/* Move outliers behind the other edges; returns their number. */
static long
drop_outliers(struct cscg_directions *v, const cscg_point *direction)
{
	struct cscg_directions_edge swap;
	long i, n = 0, all = v->n;

	for (i = 0; i < v->n; i++)
		if (cscg_point_norm(v->edge[i].offset -
			direction[v->edge[i].a]) < STRAY_DISTANCE_MAX) {
			swap = v->edge[n];
			v->edge[n++] = v->edge[i];
			v->edge[i] = swap;
		}
	v->n = n;
	return all - n;
}

struct ranked_point {
	double x, y;
	int k;
};

static int
by_x(const void *pa, const void *pb)
{
	const struct ranked_point *a = pa, *b = pb;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return (a->k > b->k) - (a->k < b->k);
}

/*
 * Put nodes that share a position side by side.  1; 0 if more than OVERLAP_MAX
 * share one; -1 with err filled.
 */
static int
separate_overlaps(double *at, int m, struct cscg_err *err)
{
	struct ranked_point *rank = cscg_alloc((size_t)m, sizeof *rank, err);
	bool *moved = cscg_alloc((size_t)m, sizeof *moved, err);
	int i, j, n, ok = rank && moved ? 1 : -1;

	for (i = 0; ok > 0 && i < m; i++)
		rank[i] = (struct ranked_point){ at[2 * (size_t)i],
			at[2 * (size_t)i + 1], i };
	if (ok > 0)
		qsort(rank, (size_t)m, sizeof *rank, by_x);
	for (i = 0; ok > 0 && i < m; i++)
		for (n = 1, j = i + 1; !moved[i] && j < m &&
		     rank[j].x - rank[i].x < OVERLAP_DISTANCE;
		     j++) {
			if (moved[j] ||
			    fabs(rank[j].y - rank[i].y) >= OVERLAP_DISTANCE)
				continue;
			moved[j] = true;
			cscg_point_set(at, rank[j].k,
			    rank[i].x + n * OVERLAP_OFFSET +
				(rank[i].y + n * OVERLAP_OFFSET) * I);
			ok = ++n > OVERLAP_MAX ? 0 : ok;
		}
	free(rank);
	free(moved);
	return ok;
}

int
cscg_directions_fit(struct cscg_directions *v, const cscg_point *direction,
    double max_outliers, double *at, struct cscg_err *err)
{
	size_t m = (size_t)v->m;
	cscg_point *work = cscg_alloc(4 * m, sizeof *work, err);
	double *to = cscg_copy(at, 2 * m, sizeof *to, err);
	long all = v->n, round;
	int rc = work && to ? 1 : -1;

	/* Outliers bias the fit: repeat it without those found. */
	for (round = 0; rc > 0 && round < 3; round++) {
		cscg_directions_measure(v, to);
		solve_cg(v, direction, to, work);
		cscg_directions_measure(v, to);
		if (!drop_outliers(v, direction))
			break;
		if ((double)(all - v->n) > max_outliers * (double)all)
			rc = 0;
	}
	if (rc > 0)
		rc = separate_overlaps(to, v->m, err);
	if (rc > 0)
		memcpy(at, to, 2 * m * sizeof *at);
	free(work);
	free(to);
	return rc;
}
