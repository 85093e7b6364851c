/*
 * html_facing.c - pictures of worlds whose walker turns and goes forward
 */
#include <stdlib.h>
#include <string.h>

#include "show/html_facing.h"
#include "base/mem.h"

#define MOST 0.9	/* of the states, for which a rule must hold */
#define FEW 0.05	/* of the moves, that may break it */
#define APART 3.0	/* of places */
#define ROUND 0.75	/* of a heading from the middle of its place */

struct walker {
	const struct cscg_html_turn *t;
	const struct cscg_html_moves *moves;
	int *turns;		/* [n_actions] quarters, 0: goes straight on */
	int *facing;		/* [m] 0..3, -1: not known yet */
};

/* Where a leads if it is taken so many times. */
static int
often(const struct walker *w, int a, int k, int times)
{
	while (times-- > 0 && k >= 0)
		k = cscg_html_turn_next(w->t, a, k);
	return k;
}

/* Does b lead back from where a led, mostly? */
static bool
undoes(const struct walker *w, int a, int b)
{
	int k, j, n = 0;

	for (k = 0; k < w->t->m; k++) {
		j = cscg_html_turn_next(w->t, a, k);
		n += j >= 0 && j != k &&
		    cscg_html_turn_next(w->t, b, j) == k;
	}
	return n >= MOST * w->t->m;
}

static bool
is_turn(const struct walker *w, int a)
{
	int k, n = 0;

	for (k = 0; k < w->t->m; k++)
		n += often(w, a, k, 4) == k && often(w, a, k, 2) != k;
	return n >= MOST * w->t->m;
}

/* The first action that turns is a quarter; its way back is three. */
static int
find_turns(struct walker *w)
{
	int a, first = -1;

	for (a = 0; a < w->moves->n_actions; a++) {
		if (!is_turn(w, a))
			continue;
		if (first < 0)
			first = a;
		w->turns[a] = a != first && undoes(w, first, a) ? 3 : 1;
	}
	return first;
}

/* Where the walker faces, from move to move; true if few moves contradict. */
static bool
find_facing(struct walker *w)
{
	long i, wrong = 0;
	bool more = true;
	int k;

	for (k = 0; k < w->t->m; k++)
		w->facing[k] = -1;
	w->facing[0] = 0;
	while (more)
		for (more = false, i = 0; i < w->moves->n; i++) {
			const struct cscg_html_move *v = &w->moves->move[i];
			int *from = &w->facing[v->from];
			int *to = &w->facing[v->to], by = w->turns[v->a];

			if ((*from < 0) == (*to < 0))
				continue;
			if (*to < 0)
				*to = (*from + by) % 4;
			else
				*from = (*to + 4 - by) % 4;
			more = true;
		}
	for (i = 0; i < w->moves->n; i++) {
		const struct cscg_html_move *v = &w->moves->move[i];

		wrong += w->facing[v->to] !=
		    (w->facing[v->from] + w->turns[v->a]) % 4;
	}
	return (double)wrong <= FEW * (double)w->moves->n;
}

/* Where each action leads from each heading: way[a * 4 + heading]. */
static void
find_ways(const struct walker *w, bool clockwise, cscg_point *way)
{
	const cscg_point side = clockwise ? 1 : -1;
	const cscg_point heading[4] = { -I, side, I, -side };
	int a, h, to;

	for (a = 0; a < w->moves->n_actions; a++)
		for (h = 0; h < 4; h++) {
			to = (h + w->turns[a]) % 4;
			way[4 * a + h] = w->turns[a] ? ROUND * (heading[to] -
			    heading[h]) : APART * heading[h];
		}
}

/* The same moves, with each heading's as those of an action of its own. */
static int
lay(const struct walker *w, int first, double *at, struct cscg_err *err)
{
	const struct cscg_names *names = w->t->g->actions;
	size_t classes = 4 * (size_t)w->moves->n_actions;
	struct cscg_html_moves faced = *w->moves;
	cscg_point *way = cscg_alloc(classes, sizeof *way, err);
	int rc = -1;
	long i;

	faced.n_actions = (int)classes;
	faced.way = cscg_alloc(classes, sizeof *faced.way, err);
	faced.move = cscg_copy(w->moves->move, (size_t)w->moves->n + 1,
	    sizeof *faced.move, err);
	if (way && faced.way && faced.move) {
		for (i = 0; i < faced.n; i++)
			faced.move[i].a = 4 * faced.move[i].a +
			    w->facing[faced.move[i].from];
		find_ways(w, names && names->n &&
		    !strcmp(names->v[first], "right"), way);
		rc = cscg_html_moves_even(&faced, way, FEW, at, err);
	}
	free(way);
	cscg_html_moves_free(&faced);
	return rc;
}

int
cscg_html_facing(const struct cscg_html_turn *t,
    const struct cscg_html_moves *moves, double *at, struct cscg_err *err)
{
	struct walker w = { .t = t, .moves = moves };
	int first, rc = -1;

	w.turns = cscg_alloc((size_t)moves->n_actions, sizeof *w.turns, err);
	w.facing = cscg_alloc((size_t)t->m, sizeof *w.facing, err);
	if (w.turns && w.facing) {
		first = moves->n > 0 ? find_turns(&w) : -1;
		rc = first < 0 || !find_facing(&w) ? 0 :
		    lay(&w, first, at, err);
	}
	free(w.turns);
	free(w.facing);
	return rc;
}
