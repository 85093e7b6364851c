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

#define EVEN 0.6	/* share of moves that the mean of their action tells */
#define SQUARE 0.35	/* how far moves keep to two axes, 0..1 */
#define AXIS 0.26	/* sine of the angle up to which an axis is meant */
#define FEW 0.05	/* moves of a grid that may lead elsewhere */
#define SOME 0.2	/* the same, where the picture is nearly a grid */

enum { AXES_MAX = 16 };	/* actions among which ways back are looked for */

struct plan {
	const struct cscg_html_turn *t;
	struct cscg_html_moves moves;
	cscg_point *way;	/* [n_actions] where each should lead */
	double *at;
};

int
cscg_html_turn_next(const struct cscg_html_turn *t, int a, int k)
{
	const struct cscg_graph *g = t->g;
	long row = (long)a * g->n_nodes + t->node[k], i, best;

	best = g->first[row];
	if (best == g->first[row + 1])
		return -1;
	for (i = best; i < g->first[row + 1]; i++)
		if (g->share[i] > g->share[best])
			best = i;
	return t->where[g->to[best]];
}

/* The direction half as far from the x axis. */
static cscg_point
half(cscg_point p)
{
	double c = creal(p) / cscg_point_size(p);
	double s = sqrt(fmax(0, (1 - c) / 2));

	return sqrt(fmax(0, (1 + c) / 2)) + (cimag(p) < 0 ? -s : s) * I;
}

/* Multiply by a direction, after mirroring it if asked to. */
static void
turn(struct plan *p, cscg_point by, bool mirror)
{
	cscg_point q;
	int i;

	for (i = 0; i < p->t->m; i++) {
		q = cscg_point_at(p->at, i);
		cscg_point_put(p->at, i, (mirror ? conj(q) : q) * by);
	}
	cscg_html_moves_look(&p->moves, p->at);
}

/* Turn it so that actions go where their names say; can that be done? */
static bool
turn_by_names(struct plan *p)
{
	cscg_point plain = 0, mirrored = 0, best;
	double all = 0;
	int a;

	for (a = 0; a < p->moves.n_actions; a++) {
		const struct cscg_html_way *w = &p->moves.way[a];

		if (w->named == 0)
			continue;
		plain += w->n * conj(w->mean) * w->named;
		mirrored += w->n * w->mean * w->named;
		all += w->n;
	}
	best = cscg_point_size(mirrored) > 1.000001 * cscg_point_size(plain) ?
	    mirrored : plain;
	if (all <= 0 || cscg_point_size(best) < all / 2)
		return false;
	turn(p, best / cscg_point_size(best), best != plain);
	return true;
}

/* Lay it on its long side. */
static void
lay(struct plan *p)
{
	double low[2] = { INFINITY, INFINITY };
	double high[2] = { -INFINITY, -INFINITY };
	int i;

	for (i = 0; i < 2 * p->t->m; i++) {
		low[i % 2] = fmin(low[i % 2], p->at[i]);
		high[i % 2] = fmax(high[i % 2], p->at[i]);
	}
	if (high[1] - low[1] > high[0] - low[0])
		turn(p, I, false);
}

/* Turn it so that most moves are level or upright, or else its long side is. */
static void
turn_by_shape(struct plan *p)
{
	cscg_point four = 0, mean = 0, two = 0, z;
	long i;
	int k;

	for (i = 0; i < p->moves.n; i++) {
		z = p->moves.move[i].by;
		if (cscg_point_size(z) > 0) {
			z /= cscg_point_size(z);
			four += z * z * z * z;
		}
	}
	for (k = 0; k < p->t->m; k++)
		mean += cscg_point_at(p->at, k) / p->t->m;
	for (k = 0; k < p->t->m; k++) {
		z = cscg_point_at(p->at, k) - mean;
		two += z * z;
	}
	if (p->moves.n &&
	    cscg_point_size(four) > SQUARE * (double)p->moves.n)
		turn(p, conj(half(half(four))), false);
	else if (cscg_point_size(two) > 0)
		turn(p, conj(half(two)), false);
	lay(p);
}

/* The axis that is meant, of length one; or what it was. */
static cscg_point
snap(cscg_point mean)
{
	cscg_point z = mean / cscg_point_size(mean);

	if (fabs(cimag(z)) < AXIS)
		return creal(z) < 0 ? -1 : 1;
	if (fabs(creal(z)) < AXIS)
		return cimag(z) < 0 ? -I : I;
	return mean;
}

/* Do actions go about the same way everywhere?  Then that is their way. */
static bool
ways_by_means(struct plan *p)
{
	double told = 0, all = 0;
	long i;
	int a;

	for (i = 0; i < p->moves.n; i++)
		all += cscg_point_square(p->moves.move[i].by);
	for (a = 0; a < p->moves.n_actions; a++) {
		const struct cscg_html_way *w = &p->moves.way[a];

		told += w->n * cscg_point_square(w->mean);
		p->way[a] = cscg_point_size(w->mean) > 0 ? snap(w->mean) : 0;
	}
	return p->moves.n > 0 && told >= EVEN * all;
}

/* Do all actions that lead somewhere have names that say where? */
static bool
ways_by_names(struct plan *p)
{
	bool all = true;
	int a;

	for (a = 0; a < p->moves.n_actions; a++) {
		p->way[a] = p->moves.way[a].named;
		all &= p->moves.way[a].n == 0 || p->way[a] != 0;
	}
	return all;
}

/* Does b lead back from where a led, more often than not? */
static bool
leads_back(const struct plan *p, int a, int b)
{
	const struct cscg_graph *g = p->t->g;
	long i, k, row, back = 0;

	for (i = 0; i < p->moves.n; i++) {
		const struct cscg_html_move *v = &p->moves.move[i];

		row = (long)b * g->n_nodes + p->t->node[v->to];
		for (k = g->first[row]; v->a == a && k < g->first[row + 1];
		    k++)
			back += g->to[k] == p->t->node[v->from];
	}
	return (double)back > p->moves.way[a].n / 2;
}

/* Does any action have a name that says it leads along this axis, either way? */
static bool
has_axis(const struct plan *p, cscg_point axis)
{
	int a;

	for (a = 0; a < p->moves.n_actions; a++)
		if (p->moves.way[a].named == axis ||
		    p->moves.way[a].named == -axis)
			return true;
	return false;
}

/*
 * Are there two actions and their ways back, and no other?  Try two axes: those
 * that names tell, up and then left for others.
 */
static bool
ways_by_pairs(struct plan *p)
{
	cscg_point free_axis = has_axis(p, I) ? -1 : -I;
	int a, b, n = p->moves.n_actions, axes = 0;

	for (a = 0; a < n; a++)
		p->way[a] = 0;
	for (a = 0; a < n && n <= AXES_MAX; a++) {
		if (p->way[a] != 0 || p->moves.way[a].n == 0)
			continue;
		for (b = a + 1; b < n; b++)
			if (p->way[b] == 0 && p->moves.way[b].n > 0 &&
			    leads_back(p, a, b) && leads_back(p, b, a))
				break;
		if (b == n || ++axes > 2)
			return false;
		p->way[a] = p->moves.way[a].named;
		if (p->way[a] == 0)
			p->way[a] = -p->moves.way[b].named;
		if (p->way[a] == 0) {
			p->way[a] = free_axis;
			free_axis = -1;
		}
		p->way[b] = -p->way[a];
	}
	return axes == 2;
}

/* Make a grid of what is one; 0 if it is not, -1 with err filled. */
static int
straighten(struct plan *p, struct cscg_err *err)
{
	long all = p->moves.n;
	int rc = cscg_html_facing(p->t, &p->moves, p->at, err);

	if (rc != 0)
		return rc;
	if (ways_by_names(p) || ways_by_pairs(p))
		rc = cscg_html_moves_even(&p->moves, p->way, FEW, p->at, err);
	if (rc != 0)
		return rc;
	p->moves.n = all;
	cscg_html_moves_look(&p->moves, p->at);
	if (ways_by_means(p))
		rc = cscg_html_moves_even(&p->moves, p->way, SOME, p->at, err);
	return rc;
}

int
cscg_html_turn_flat(const struct cscg_html_turn *t, double *at,
    struct cscg_err *err)
{
	struct plan p = { .t = t, .at = at };
	int rc = -1;

	if (cscg_html_moves_new(&p.moves, t->g, t->node, t->where, t->m,
	    err) < 0)
		return -1;
	p.way = cscg_alloc((size_t)t->g->n_actions, sizeof *p.way, err);
	if (p.way) {
		cscg_html_moves_look(&p.moves, at);
		if (!turn_by_names(&p))
			turn_by_shape(&p);
		rc = straighten(&p, err);
		if (rc > 0 && !has_axis(&p, 1) && !has_axis(&p, I))
			lay(&p);
	}
	free(p.way);
	cscg_html_moves_free(&p.moves);
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
cscg_html_turn_solid(const struct cscg_html_turn *t, double *at)
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
