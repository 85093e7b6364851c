/*
 * html_facing.c - pictures of worlds whose walker turns and goes forward
 */
#include <stdlib.h>
#include <string.h>

#include "show/html_facing.h"
#include "base/mem.h"

#define TURN_SHARE_MIN 0.9	/* of the states, for which a rule must hold */
#define CONTRADICTIONS_MAX 0.05	/* of the moves, that may break it */
#define PLACE_SPACING 3.0	/* of places */
#define HEADING_RADIUS 0.75	/* of a heading from the middle of its place */

struct heading_layout {
	const struct cscg_layout_component *t;
	const struct cscg_directions *directions;
	int *quarter_turns;		/* [n_actions] quarters, 0: goes straight on */
	int *heading;		/* [m] 0..3, -1: not known yet */
};

/* Where a leads if it is taken so many times. */
static int
repeat_action(const struct heading_layout *w, int a, int k, int times)
{
	while (times-- > 0 && k >= 0)
		k = cscg_layout_next(w->t, a, k);
	return k;
}

/* Does b lead back from where a led, mostly? */
static bool
is_inverse_turn(const struct heading_layout *w, int a, int b)
{
	int k, j, n = 0;

	for (k = 0; k < w->t->m; k++) {
		j = cscg_layout_next(w->t, a, k);
		n += j >= 0 && j != k &&
		    cscg_layout_next(w->t, b, j) == k;
	}
	return n >= TURN_SHARE_MIN * w->t->m;
}

static bool
is_rotation(const struct heading_layout *w, int a)
{
	int k, n = 0;

	for (k = 0; k < w->t->m; k++)
		n += repeat_action(w, a, k, 4) == k && repeat_action(w, a, k, 2) != k;
	return n >= TURN_SHARE_MIN * w->t->m;
}

/* The first action that turns is a quarter; its way back is three. */
static int
find_rotations(struct heading_layout *w)
{
	int a, first = -1;

	for (a = 0; a < w->directions->n_actions; a++) {
		if (!is_rotation(w, a))
			continue;
		if (first < 0)
			first = a;
		w->quarter_turns[a] = a != first && is_inverse_turn(w, first, a) ? 3 : 1;
	}
	return first;
}

/* Where the walker faces, from move to move; true if few moves contradict. */
static bool
find_headings(struct heading_layout *w)
{
	long i, wrong = 0;
	bool more = true;
	int k;

	for (k = 0; k < w->t->m; k++)
		w->heading[k] = -1;
	w->heading[0] = 0;
	while (more)
		for (more = false, i = 0; i < w->directions->n; i++) {
			const struct cscg_directions_move *v = &w->directions->move[i];
			int *from = &w->heading[v->from];
			int *to = &w->heading[v->to], by = w->quarter_turns[v->a];

			if ((*from < 0) == (*to < 0))
				continue;
			if (*to < 0)
				*to = (*from + by) % 4;
			else
				*from = (*to + 4 - by) % 4;
			more = true;
		}
	for (i = 0; i < w->directions->n; i++) {
		const struct cscg_directions_move *v = &w->directions->move[i];

		wrong += w->heading[v->to] !=
		    (w->heading[v->from] + w->quarter_turns[v->a]) % 4;
	}
	return (double)wrong <= CONTRADICTIONS_MAX * (double)w->directions->n;
}

/* Where each action leads from each heading: direction[a * 4 + heading]. */
static void
set_directions(const struct heading_layout *w, bool clockwise, cscg_point *direction)
{
	const cscg_point side = clockwise ? 1 : -1;
	const cscg_point heading[4] = { -I, side, I, -side };
	int a, h, to;

	for (a = 0; a < w->directions->n_actions; a++)
		for (h = 0; h < 4; h++) {
			to = (h + w->quarter_turns[a]) % 4;
			direction[4 * a + h] = w->quarter_turns[a] ? HEADING_RADIUS * (heading[to] -
			    heading[h]) : PLACE_SPACING * heading[h];
		}
}

/* The same moves, with each heading's as those of an action of its own. */
static int
layout_headings(const struct heading_layout *w, int first, double *at, struct cscg_err *err)
{
	const struct cscg_names *names = w->t->g->actions;
	size_t classes = 4 * (size_t)w->directions->n_actions;
	struct cscg_directions by_heading = *w->directions;
	cscg_point *direction = cscg_alloc(classes, sizeof *direction, err);
	int rc = -1;
	long i;

	by_heading.n_actions = (int)classes;
	by_heading.direction = cscg_alloc(classes, sizeof *by_heading.direction, err);
	by_heading.move = cscg_copy(w->directions->move, (size_t)w->directions->n + 1,
	    sizeof *by_heading.move, err);
	if (direction && by_heading.direction && by_heading.move) {
		for (i = 0; i < by_heading.n; i++)
			by_heading.move[i].a = 4 * by_heading.move[i].a +
			    w->heading[by_heading.move[i].from];
		set_directions(w, names && names->n &&
		    !strcmp(names->v[first], "right"), direction);
		rc = cscg_directions_fit(&by_heading, direction, CONTRADICTIONS_MAX, at, err);
	}
	free(direction);
	cscg_directions_free(&by_heading);
	return rc;
}

int
cscg_layout_egocentric(const struct cscg_layout_component *t,
    const struct cscg_directions *directions, double *at, struct cscg_err *err)
{
	struct heading_layout w = { .t = t, .directions = directions };
	int first, rc = -1;

	w.quarter_turns = cscg_alloc((size_t)directions->n_actions, sizeof *w.quarter_turns, err);
	w.heading = cscg_alloc((size_t)t->m, sizeof *w.heading, err);
	if (w.quarter_turns && w.heading) {
		first = directions->n > 0 ? find_rotations(&w) : -1;
		rc = first < 0 || !find_headings(&w) ? 0 :
		    layout_headings(&w, first, at, err);
	}
	free(w.quarter_turns);
	free(w.heading);
	return rc;
}
