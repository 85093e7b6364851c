/*
 * html_turn.c - turn, mirror and straighten the picture of a component
 *
 * Angles are halved by square roots, so that no function is used that differs
 * between machines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/eigen.h"
#include "show/html_facing.h"
#include "show/html_moves.h"
#include "show/html_turn.h"
#include "base/mem.h"

#define MEAN_SHARE_MIN 0.6	/* share of moves that the mean of their action tells */
#define AXIS_ALIGNMENT_MIN 0.35	/* how far moves keep to two axes, 0..1 */
#define AXIS_SINE_MAX 0.26	/* sine of the angle up to which an axis is meant */
#define STRAYS_MAX_GRID 0.05	/* moves of a grid that may lead elsewhere */
#define STRAYS_MAX_LOOSE 0.2	/* the same, where the picture is nearly a grid */

enum { INVERSE_ACTIONS_MAX = 16 };	/* actions among which ways back are looked for */

struct orientation {
	const struct cscg_layout_component *t;
	struct cscg_directions directions;
	cscg_point *direction;	/* [n_actions] where each should lead */
	double *at;
};

int
cscg_layout_next(const struct cscg_layout_component *t, int a, int k)
{
	const struct cscg_graph *g = t->g;
	long row = (long)a * g->n_nodes + t->node[k], i, best;

	best = g->first[row];
	if (best == g->first[row + 1])
		return -1;
	for (i = best; i < g->first[row + 1]; i++)
		if (g->share[i] > g->share[best])
			best = i;
	return t->index[g->to[best]];
}

/* The direction half as far from the x axis. */
static cscg_point
half_angle(cscg_point p)
{
	double c = creal(p) / cscg_point_norm(p);
	double s = sqrt(fmax(0, (1 - c) / 2));

	return sqrt(fmax(0, (1 + c) / 2)) + (cimag(p) < 0 ? -s : s) * I;
}

/* Multiply by a direction, after mirroring it if asked to. */
static void
rotate(struct orientation *p, cscg_point by, bool mirror)
{
	cscg_point q;
	int i;

	for (i = 0; i < p->t->m; i++) {
		q = cscg_point_at(p->at, i);
		cscg_point_set(p->at, i, (mirror ? conj(q) : q) * by);
	}
	cscg_directions_measure(&p->directions, p->at);
}

/* Turn it so that actions go where their names say; can that be done? */
static bool
orient_by_names(struct orientation *p)
{
	cscg_point plain = 0, mirrored = 0, best;
	double all = 0;
	int a;

	for (a = 0; a < p->directions.n_actions; a++) {
		const struct cscg_directions_action *w = &p->directions.direction[a];

		if (w->named == 0)
			continue;
		plain += w->n * conj(w->mean) * w->named;
		mirrored += w->n * w->mean * w->named;
		all += w->n;
	}
	best = cscg_point_norm(mirrored) > 1.000001 * cscg_point_norm(plain) ?
	    mirrored : plain;
	if (all <= 0 || cscg_point_norm(best) < all / 2)
		return false;
	rotate(p, best / cscg_point_norm(best), best != plain);
	return true;
}

/* Lay it on its long side. */
static void
orient_landscape(struct orientation *p)
{
	double low[2] = { INFINITY, INFINITY };
	double high[2] = { -INFINITY, -INFINITY };
	int i;

	for (i = 0; i < 2 * p->t->m; i++) {
		low[i % 2] = fmin(low[i % 2], p->at[i]);
		high[i % 2] = fmax(high[i % 2], p->at[i]);
	}
	if (high[1] - low[1] > high[0] - low[0])
		rotate(p, I, false);
}

/* Turn it so that most moves are level or upright, or else its long side is. */
static void
orient_by_shape(struct orientation *p)
{
	cscg_point four = 0, mean = 0, two = 0, z;
	long i;
	int k;

	for (i = 0; i < p->directions.n; i++) {
		z = p->directions.move[i].offset;
		if (cscg_point_norm(z) > 0) {
			z /= cscg_point_norm(z);
			four += z * z * z * z;
		}
	}
	for (k = 0; k < p->t->m; k++)
		mean += cscg_point_at(p->at, k) / p->t->m;
	for (k = 0; k < p->t->m; k++) {
		z = cscg_point_at(p->at, k) - mean;
		two += z * z;
	}
	if (p->directions.n &&
	    cscg_point_norm(four) > AXIS_ALIGNMENT_MIN * (double)p->directions.n)
		rotate(p, conj(half_angle(half_angle(four))), false);
	else if (cscg_point_norm(two) > 0)
		rotate(p, conj(half_angle(two)), false);
	orient_landscape(p);
}

/* The axis that is meant, of length one; or what it was. */
static cscg_point
snap_to_axis(cscg_point mean)
{
	cscg_point z = mean / cscg_point_norm(mean);

	if (fabs(cimag(z)) < AXIS_SINE_MAX)
		return creal(z) < 0 ? -1 : 1;
	if (fabs(creal(z)) < AXIS_SINE_MAX)
		return cimag(z) < 0 ? -I : I;
	return mean;
}

/* Do actions go about the same way everywhere?  Then that is their way. */
static bool
directions_by_mean(struct orientation *p)
{
	double explained = 0, all = 0;
	long i;
	int a;

	for (i = 0; i < p->directions.n; i++)
		all += cscg_point_norm2(p->directions.move[i].offset);
	for (a = 0; a < p->directions.n_actions; a++) {
		const struct cscg_directions_action *w = &p->directions.direction[a];

		explained += w->n * cscg_point_norm2(w->mean);
		p->direction[a] = cscg_point_norm(w->mean) > 0 ? snap_to_axis(w->mean) : 0;
	}
	return p->directions.n > 0 && explained >= MEAN_SHARE_MIN * all;
}

/* Do all actions that lead somewhere have names that say where? */
static bool
directions_by_name(struct orientation *p)
{
	bool all = true;
	int a;

	for (a = 0; a < p->directions.n_actions; a++) {
		p->direction[a] = p->directions.direction[a].named;
		all &= p->directions.direction[a].n == 0 || p->direction[a] != 0;
	}
	return all;
}

/* Does b lead back from where a led, more often than not? */
static bool
is_inverse_action(const struct orientation *p, int a, int b)
{
	const struct cscg_graph *g = p->t->g;
	long i, k, row, back = 0;

	for (i = 0; i < p->directions.n; i++) {
		const struct cscg_directions_move *v = &p->directions.move[i];

		row = (long)b * g->n_nodes + p->t->node[v->to];
		for (k = g->first[row]; v->a == a && k < g->first[row + 1];
		    k++)
			back += g->to[k] == p->t->node[v->from];
	}
	return (double)back > p->directions.direction[a].n / 2;
}

/* Does any action have a name that says it leads along this axis, either way? */
static bool
has_axis(const struct orientation *p, cscg_point axis)
{
	int a;

	for (a = 0; a < p->directions.n_actions; a++)
		if (p->directions.direction[a].named == axis ||
		    p->directions.direction[a].named == -axis)
			return true;
	return false;
}

/*
 * Are there two actions and their ways back, and no other?  Try two axes: those
 * that names tell, up and then left for others.
 */
static bool
directions_by_inverse(struct orientation *p)
{
	cscg_point free_axis = has_axis(p, I) ? -1 : -I;
	int a, b, n = p->directions.n_actions, axes = 0;

	for (a = 0; a < n; a++)
		p->direction[a] = 0;
	for (a = 0; a < n && n <= INVERSE_ACTIONS_MAX; a++) {
		if (p->direction[a] != 0 || p->directions.direction[a].n == 0)
			continue;
		for (b = a + 1; b < n; b++)
			if (p->direction[b] == 0 && p->directions.direction[b].n > 0 &&
			    is_inverse_action(p, a, b) && is_inverse_action(p, b, a))
				break;
		if (b == n || ++axes > 2)
			return false;
		p->direction[a] = p->directions.direction[a].named;
		if (p->direction[a] == 0)
			p->direction[a] = -p->directions.direction[b].named;
		if (p->direction[a] == 0) {
			p->direction[a] = free_axis;
			free_axis = -1;
		}
		p->direction[b] = -p->direction[a];
	}
	return axes == 2;
}

/* Make a grid of what is one; 0 if it is not, -1 with err filled. */
static int
snap_to_grid(struct orientation *p, struct cscg_err *err)
{
	long all = p->directions.n;
	int rc = cscg_layout_egocentric(p->t, &p->directions, p->at, err);

	if (rc != 0)
		return rc;
	if (directions_by_name(p) || directions_by_inverse(p))
		rc = cscg_directions_fit(&p->directions, p->direction, STRAYS_MAX_GRID, p->at, err);
	if (rc != 0)
		return rc;
	p->directions.n = all;
	cscg_directions_measure(&p->directions, p->at);
	if (directions_by_mean(p))
		rc = cscg_directions_fit(&p->directions, p->direction, STRAYS_MAX_LOOSE, p->at, err);
	return rc;
}

int
cscg_layout_orient_flat(const struct cscg_layout_component *t, double *at,
    struct cscg_err *err)
{
	struct orientation p = { .t = t, .at = at };
	int rc = -1;

	if (cscg_directions_new(&p.directions, t->g, t->node, t->index, t->m,
	    err) < 0)
		return -1;
	p.direction = cscg_alloc((size_t)t->g->n_actions, sizeof *p.direction, err);
	if (p.direction) {
		cscg_directions_measure(&p.directions, at);
		if (!orient_by_names(&p))
			orient_by_shape(&p);
		rc = snap_to_grid(&p, err);
		if (rc > 0 && !has_axis(&p, 1) && !has_axis(&p, I))
			orient_landscape(&p);
	}
	free(p.direction);
	cscg_directions_free(&p.directions);
	return rc < 0 ? -1 : 0;
}

/* ---- solid ---- */

/* The three axes by falling spread about the origin, as columns of v. */
static void
find_axes(const double *at, int m, double (*v)[CSCG_EIGEN_MAX], int order[3])
{
	double c[3][CSCG_EIGEN_MAX] = { { 0 } };
	int i, x, y;

	for (i = 0; i < m; i++)
		for (x = 0; x < 3; x++)
			for (y = 0; y < 3; y++)
				c[x][y] += at[3 * (size_t)i + x] *
				    at[3 * (size_t)i + y];
	cscg_eigen(c, v, 3);
	for (x = 0; x < 3; x++)
		order[x] = x;
	for (x = 0; x < 2; x++)
		for (y = x + 1; y < 3; y++)
			if (c[order[y]][order[y]] > c[order[x]][order[x]]) {
				i = order[x];
				order[x] = order[y];
				order[y] = i;
			}
}

void
cscg_layout_orient_solid(const struct cscg_layout_component *t, double *at)
{
	double v[3][CSCG_EIGEN_MAX], q[3], mean[3] = { 0 };
	int i, x, y, order[3];

	for (i = 0; i < 3 * t->m; i++)
		mean[i % 3] += at[i] / t->m;
	for (i = 0; i < 3 * t->m; i++)
		at[i] -= mean[i % 3];
	find_axes(at, t->m, v, order);
	for (i = 0; i < t->m; i++) {
		double *p = at + 3 * (size_t)i;

		for (x = 0; x < 3; x++)
			for (q[x] = 0, y = 0; y < 3; y++)
				q[x] += p[y] * v[y][order[x]];
		memcpy(p, q, sizeof q);
	}
}
