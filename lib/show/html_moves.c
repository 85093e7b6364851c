/*
 * html_moves.c - which way the moves of a component go in its picture
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html_moves.h"
#include "base/mem.h"

#define STRAY 0.4	/* a move so far from its way is of another kind */
#define TWINS 0.35	/* nodes nearer than that are in each other's way */
#define ASIDE 0.3	/* how far apart they are put, right and down */
#define HOLD 1e-6	/* how much each node clings to its place */

enum {
	TWINS_MAX = 4,		/* at one place; more, and it is no grid */
	SOLVE_MAX = 2000	/* rounds; far fewer are needed as a rule */
};

double
cscg_point_square(cscg_point p)
{
	return creal(p) * creal(p) + cimag(p) * cimag(p);
}

double
cscg_point_size(cscg_point p)
{
	return sqrt(cscg_point_square(p));
}

cscg_point
cscg_point_at(const double *at, int i)
{
	return at[2 * (size_t)i] + at[2 * (size_t)i + 1] * I;
}

void
cscg_point_put(double *at, int i, cscg_point p)
{
	at[2 * (size_t)i] = creal(p);
	at[2 * (size_t)i + 1] = cimag(p);
}

/* Where an action of this name should lead. */
static cscg_point
named(const struct cscg_names *names, int a)
{
	static const struct {
		const char *name;
		double x, y;
	} known[] = {
		{ "up", 0, -1 }, { "down", 0, 1 }, { "left", -1, 0 },
		{ "right", 1, 0 }, { "north", 0, -1 }, { "south", 0, 1 },
		{ "west", -1, 0 }, { "east", 1, 0 }, { "forward", 0, -1 },
		{ "back", 0, 1 }, { "backward", 0, 1 }
	};
	size_t i;

	for (i = 0; names && names->n && i < sizeof known / sizeof *known; i++)
		if (!strcmp(names->v[a], known[i].name))
			return known[i].x + known[i].y * I;
	return 0;
}

int
cscg_html_moves_new(struct cscg_html_moves *v, const struct cscg_graph *g,
    const int *node, const int *where, int m, struct cscg_err *err)
{
	long i, row, n = 0;
	int a, k;

	*v = (struct cscg_html_moves){ .m = m, .n_actions = g->n_actions };
	for (a = 0; a < g->n_actions; a++)
		for (k = 0; k < m; k++) {
			row = (long)a * g->n_nodes + node[k];
			n += g->first[row + 1] - g->first[row];
		}
	v->way = cscg_alloc((size_t)g->n_actions, sizeof *v->way, err);
	v->move = cscg_alloc((size_t)n + 1, sizeof *v->move, err);
	if (!v->way || !v->move) {
		cscg_html_moves_free(v);
		return -1;
	}
	for (a = 0; a < g->n_actions; a++) {
		v->way[a].named = named(g->actions, a);
		for (k = 0; k < m; k++) {
			row = (long)a * g->n_nodes + node[k];
			for (i = g->first[row]; i < g->first[row + 1]; i++)
				if (g->to[i] != node[k])
					v->move[v->n++] =
					    (struct cscg_html_move){ k,
					    where[g->to[i]], a, 0 };
		}
	}
	return 0;
}

void
cscg_html_moves_free(struct cscg_html_moves *v)
{
	free(v->way);
	free(v->move);
	*v = (struct cscg_html_moves){ 0 };
}

void
cscg_html_moves_look(struct cscg_html_moves *v, const double *at)
{
	long i;
	int a;

	for (a = 0; a < v->n_actions; a++) {
		v->way[a].n = 0;
		v->way[a].mean = 0;
	}
	for (i = 0; i < v->n; i++) {
		struct cscg_html_move *q = &v->move[i];

		q->by = cscg_point_at(at, q->to) - cscg_point_at(at, q->from);
		v->way[q->a].n++;
		v->way[q->a].mean += q->by;
	}
	for (a = 0; a < v->n_actions; a++)
		if (v->way[a].n > 0)
			v->way[a].mean /= v->way[a].n;
}

/* ---- ways made even ---- */

/* out = (L + HOLD) in, L the Laplacian of the moves. */
static void
apply(const struct cscg_html_moves *v, const cscg_point *in, cscg_point *out)
{
	cscg_point way;
	long i;
	int k;

	for (k = 0; k < v->m; k++)
		out[k] = HOLD * in[k];
	for (i = 0; i < v->n; i++) {
		way = in[v->move[i].to] - in[v->move[i].from];
		out[v->move[i].to] += way;
		out[v->move[i].from] -= way;
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
 * Change at so that the sum of |by - way|^2 over moves is least, by conjugate
 * gradients.  work has room for 4 * m.
 */
static void
solve(const struct cscg_html_moves *v, const cscg_point *way, double *at,
    cscg_point *work)
{
	cscg_point *x = work, *r = x + v->m, *d = r + v->m, *q = d + v->m;
	double now, before, step;
	int k, round;
	long i;

	memset(work, 0, 4 * (size_t)v->m * sizeof *work);
	for (i = 0; i < v->n; i++) {
		const struct cscg_html_move *e = &v->move[i];

		r[e->to] += way[e->a] - e->by;
		r[e->from] -= way[e->a] - e->by;
	}
	memcpy(d, r, (size_t)v->m * sizeof *d);
	now = dot(r, r, v->m);
	for (round = 0; round < SOLVE_MAX && now > 1e-12 * v->m; round++) {
		apply(v, d, q);
		step = now / dot(d, q, v->m);
		for (k = 0; k < v->m; k++) {
			x[k] += step * d[k];
			r[k] -= step * q[k];
		}
		before = now;
		now = dot(r, r, v->m);
		for (k = 0; k < v->m; k++)
			d[k] = r[k] + now / before * d[k];
	}
	for (k = 0; k < v->m; k++)
		cscg_point_put(at, k, cscg_point_at(at, k) + x[k]);
}

/* Forget moves that go another way, behind the others; how many? */
static long
drop_strays(struct cscg_html_moves *v, const cscg_point *way)
{
	struct cscg_html_move swap;
	long i, n = 0, all = v->n;

	for (i = 0; i < v->n; i++)
		if (cscg_point_size(v->move[i].by - way[v->move[i].a]) <
		    STRAY) {
			swap = v->move[n];
			v->move[n++] = v->move[i];
			v->move[i] = swap;
		}
	v->n = n;
	return all - n;
}

struct rank {
	double x, y;
	int k;
};

static int
by_x(const void *pa, const void *pb)
{
	const struct rank *a = pa, *b = pb;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return (a->k > b->k) - (a->k < b->k);
}

/*
 * Put nodes that share a place side by side.  0 if so many do that the picture
 * is none, -1 with err filled.
 */
static int
part_twins(double *at, int m, struct cscg_err *err)
{
	struct rank *rank = cscg_alloc((size_t)m, sizeof *rank, err);
	bool *moved = cscg_alloc((size_t)m, sizeof *moved, err);
	int i, j, n, fine = rank && moved ? 1 : -1;

	for (i = 0; fine > 0 && i < m; i++)
		rank[i] = (struct rank){ at[2 * (size_t)i],
		    at[2 * (size_t)i + 1], i };
	if (fine > 0)
		qsort(rank, (size_t)m, sizeof *rank, by_x);
	for (i = 0; fine > 0 && i < m; i++)
		for (n = 1, j = i + 1; !moved[i] && j < m &&
		    rank[j].x - rank[i].x < TWINS; j++) {
			if (moved[j] || fabs(rank[j].y - rank[i].y) >= TWINS)
				continue;
			moved[j] = true;
			cscg_point_put(at, rank[j].k, rank[i].x + n * ASIDE +
			    (rank[i].y + n * ASIDE) * I);
			fine = ++n > TWINS_MAX ? 0 : fine;
		}
	free(rank);
	free(moved);
	return fine;
}

int
cscg_html_moves_even(struct cscg_html_moves *v, const cscg_point *way,
    double strays, double *at, struct cscg_err *err)
{
	size_t m = (size_t)v->m;
	cscg_point *work = cscg_alloc(4 * m, sizeof *work, err);
	double *to = cscg_copy(at, 2 * m, sizeof *to, err);
	long all = v->n, round;
	int rc = work && to ? 1 : -1;

	/* A stray move pulls others with it: look again without those found. */
	for (round = 0; rc > 0 && round < 3; round++) {
		cscg_html_moves_look(v, to);
		solve(v, way, to, work);
		cscg_html_moves_look(v, to);
		if (!drop_strays(v, way))
			break;
		if ((double)(all - v->n) > strays * (double)all)
			rc = 0;
	}
	if (rc > 0)
		rc = part_twins(to, v->m, err);
	if (rc > 0)
		memcpy(at, to, 2 * m * sizeof *at);
	free(work);
	free(to);
	return rc;
}
