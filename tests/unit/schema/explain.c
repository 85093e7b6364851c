/*
 * explain - segments of a walk that a known room explains, and those that it
 * does not
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "schema/explain.h"
#include "tap.h"
#include "walker.h"

/* Where action a leads from cell v of a grid: up, down, left, right. */
static int
moved(int v, int a, int rows, int cols)
{
	int r = v / cols, c = v % cols;

	r += a == 0 ? -(r > 0) : a == 1 ? r < rows - 1 : 0;
	c += a == 2 ? -(c > 0) : a == 3 ? c < cols - 1 : 0;
	return r * cols + c;
}

/*
 * A walk of n steps in a grid of 3 x 4 (symbols 0 .. 11), then n in one of
 * 4 x 4 (symbols 12 .. 27), entered from cell 7 by right at its cell 4.
 */
static struct cscg_walk *
two_rooms(int n)
{
	struct cscg_walk_header head = { .n_actions = 4, .n_obs = 28 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step step = { .z = -1, .goal = -1 };
	unsigned draw = 1;
	int v = 0, t, room = 0;

	for (t = 0; t < 2 * n; t++) {
		draw = draw * 1664525u + 1013904223u;
		step.x = room ? 12 + v : v;
		step.z = room;
		step.a = t == 2 * n - 1 ? -1 : (int)(draw >> 30);
		if (!room && t >= n && v == 7)
			step.a = 3;
		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
		if (!room && t >= n && v == 7) {
			room = 1;
			v = 4;
		} else if (step.a >= 0)
			v = room ? moved(v, step.a, 4, 4) :
				   moved(v, step.a, 3, 4);
	}
	return w;
}

/*
 * Explain w by the known grid of 3 x 4; count the steps that are explained
 * wrongly, and those of the known room that are not.
 */
static void
explain_known(const struct cscg_walk *w, struct cscg_explain *e, long *wrong,
    long *missed)
{
	struct cscg_model *known = grid_model(3, 4);
	long t;

	if (cscg_explain((const struct cscg_model *const *)&known, 1, w, NULL,
		NULL, e, &err) < 0)
		need(NULL);
	for (t = 0, *wrong = *missed = 0; t < w->n_steps; t++) {
		*wrong += e->binding[t] >= 0 &&
		    (w->z[t] || e->state[t] != w->x[t]);
		*missed += e->binding[t] < 0 && !w->z[t];
	}
	cscg_model_free(known);
}

static void
test_two(void)
{
	struct cscg_walk *w = two_rooms(400);
	struct cscg_explain e;
	long t, wrong, missed;

	explain_known(w, &e, &wrong, &missed);
	ok(e.n == 1 && e.schema[0] == 0, "the known room has one binding");
	ok(wrong == 0, "no step of the other room is explained");
	ok(missed == 0, "all steps of the known room are explained");
	for (t = 0, wrong = 0; t < 12; t++)
		wrong += e.symbol[t] != t;
	ok(wrong == 0, "explained steps have their symbols");
	cscg_explain_free(&e);
	cscg_walk_free(w);
}

/*
 * A walk of n steps at random in the grids of two_rooms(), with a door both
 * ways; cell 10 of the other room has symbol 7, as the cell before the door.
 */
static struct cscg_walk *
back_and_forth(int n)
{
	struct cscg_walk_header head = { .n_actions = 4, .n_obs = 28 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step step = { .z = -1, .goal = -1 };
	unsigned draw = 1;
	int v = 0, t, room = 0;

	for (t = 0; t < n; t++) {
		draw = draw * 1664525u + 1013904223u;
		step.x = !room ? v : v == 10 ? 7 : 12 + v;
		step.z = room;
		step.a = t == n - 1 ? -1 : (int)(draw >> 30);
		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
		if (room ? v == 4 && step.a == 2 : v == 7 && step.a == 3) {
			room = !room;
			v = room ? 4 : 7;
		} else if (step.a >= 0)
			v = moved(v, step.a, room ? 4 : 3, 4);
	}
	return w;
}

/*
 * A step at the symbol of a doorway, followed by the action through the door,
 * is not a visit of the known room: it is not entered there by its door.
 */
static void
test_doorway(void)
{
	struct cscg_walk *w = back_and_forth(4000);
	struct cscg_explain e;
	long wrong, missed;

	explain_known(w, &e, &wrong, &missed);
	ok(e.n == 1 && wrong == 0,
	    "no step of the other room is explained by a doorway: %ld", wrong);
	ok(missed == 0, "short visits of the known room are explained: %ld",
	    missed);
	cscg_explain_free(&e);
	cscg_walk_free(w);
}

static void
test_none(void)
{
	struct cscg_model *other = grid_model(2, 9);
	const struct cscg_model *const *schemas =
	    (const struct cscg_model *const *)&other;
	struct cscg_walk *w = two_rooms(200);
	struct cscg_explain e;

	need(cscg_explain(schemas, 1, w, NULL, NULL, &e, &err) < 0 ? NULL : w);
	ok(e.n == 0 && e.n_explained == 0 && e.binding[0] == -1 &&
		e.binding[399] == -1,
	    "a schema that does not occur explains no step");
	cscg_explain_free(&e);
	cscg_walk_free(w);
	/* Too short for a stretch: nothing is sorted, which UBSan checks. */
	w = two_rooms(1);
	need(cscg_explain(schemas, 1, w, NULL, NULL, &e, &err) < 0 ? NULL : w);
	ok(e.n == 0 && e.n_explained == 0,
	    "a walk of two steps is not explained");
	cscg_explain_free(&e);
	cscg_walk_free(w);
	cscg_model_free(other);
}

enum { MAP_STATES = 29, MAP_ACTIONS = 4 };

/*
 * A map of both rooms of two_rooms(), with a door both ways.  State 28 is cell
 * 5 of the known room once more, to which cell 4 leads by right; n_wrong
 * transitions of that room lead to wrong cells, and n_around walls to the
 * opposite side.
 */
static struct cscg_model *
map_of_two_rooms(int n_wrong, int n_around)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, MAP_STATES,
	    MAP_ACTIONS, 1, &err));
	struct cscg_count c[MAP_STATES * MAP_ACTIONS];
	double E[MAP_STATES * 28] = { 0 };
	int j, a, n = 0;

	for (j = 0; j < MAP_STATES; j++)
		for (a = 0; a < MAP_ACTIONS; a++, n++) {
			c[n] = (struct cscg_count){ a, j, 0, 1 };
			c[n].to = j == 28 ? moved(5, a, 3, 4) :
			    j < 12        ? moved(j, a, 3, 4) :
					    12 + moved(j - 12, a, 4, 4);
			if (j == 7 && a == 3)
				c[n].to = 16;
			if (j == 16 && a == 2)
				c[n].to = 7;
			if (j == 4 && a == 3)
				c[n].to = 28;
			if (j >= 8 && j < 8 + n_wrong && a == 0)
				c[n].to = j - 7;
			if (j < n_around && a == 0)
				c[n].to = j + 8;
		}
	for (j = 0; j < MAP_STATES; j++)
		E[j * 28 + (j == 28 ? 5 : j)] = 1;
	need(cscg_model_set_counts(m, c, n, &err) < 0 ||
		    cscg_model_set_E(m, E, 28, &err) < 0 ?
		NULL :
		m);
	return m;
}

/*
 * The bindings of this schema on that map, the steps of the known room that are
 * not explained by their cell, and those of the other room that are explained.
 */
static int
explain_map(const struct cscg_model *schema, int n_wrong, int n_around,
    long *missed, long *wrong)
{
	struct cscg_walk *w = two_rooms(400);
	struct cscg_model *map = map_of_two_rooms(n_wrong, n_around);
	int *path = need(malloc((size_t)w->n_steps * sizeof *path)), n;
	struct cscg_explain e;
	long t;

	for (t = 0; t < w->n_steps; t++)
		path[t] = t % 2 && w->x[t] == 5 ? 28 : w->x[t];
	need(cscg_explain(&schema, 1, w, map, path, &e, &err) < 0 ? NULL : w);
	n = e.n;
	*missed = *wrong = 0;
	for (t = 0; t < w->n_steps; t++) {
		*wrong += w->z[t] && e.binding[t] >= 0;
		*missed += !w->z[t] &&
		    (e.binding[t] != 0 || e.state[t] != w->x[t] ||
			e.symbol[e.state[t]] != w->x[t]);
	}
	cscg_explain_free(&e);
	free(path);
	cscg_model_free(map);
	cscg_walk_free(w);
	return n;
}

static void
test_map(void)
{
	struct cscg_model *known = grid_model(3, 4), *other = grid_model(2, 9);
	long missed, wrong;

	ok(explain_map(known, 0, 0, &missed, &wrong) == 1 && missed == 0 &&
		wrong == 0,
	    "a schema is placed on a map in which a state is found twice");
	ok(explain_map(known, 3, 0, &missed, &wrong) == 1 && missed == 0 &&
		wrong == 0,
	    "three wrong transitions of the map do not matter");
	ok(explain_map(known, 4, 0, &missed, &wrong) == 0, "four do");
	ok(explain_map(known, 0, 3, &missed, &wrong) == 1 && missed == 0 &&
		explain_map(known, 0, 4, &missed, &wrong) == 0,
	    "doors that lead back into the room are wrong transitions");
	ok(explain_map(other, 0, 0, &missed, &wrong) == 0,
	    "a schema that does not fit is not placed");
	/* The corners are of one clone group, but have four symbols. */
	known->clone[3] = known->clone[8] = known->clone[11] = 0;
	ok(explain_map(known, 0, 0, &missed, &wrong) == 0,
	    "a clone group has one symbol");
	cscg_model_free(known);
	cscg_model_free(other);
}

/* ---- a map with noise ---- */

enum { NOISE_ONE_IN = 32 };

/*
 * A walk at random in a grid of 4 x 4, in which one action in 32 is another one
 * and one symbol in 32 is any.  Cells 5 and 10 emit symbol 5, z is the cell.
 */
static struct cscg_walk *
noisy_room(int n)
{
	struct cscg_walk_header head = { .n_actions = 4, .n_obs = 16 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step step = { .goal = -1 };
	struct cscg_rng rng;
	int t, v = 0, a;

	cscg_rng_seed(&rng, 7, 0, 0, 0);
	for (t = 0; t < n; t++) {
		step.z = v;
		step.x = cscg_rng_below(&rng, NOISE_ONE_IN) == 0 ?
		    (int)cscg_rng_below(&rng, 16) :
		    v == 10 ? 5 :
			      v;
		a = (int)cscg_rng_below(&rng, 4);
		step.a = t == n - 1 ? -1 : a;
		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
		if (cscg_rng_below(&rng, NOISE_ONE_IN) == 0)
			a = (int)cscg_rng_below(&rng, 4);
		v = moved(v, a, 4, 4);
	}
	return w;
}

static struct cscg_poll *stop; /* of explain_noisy() */

static int
stop_at_once(void *ctx, const char *stage, double done, double total)
{
	(void)stage;
	(void)done;
	(void)total;
	++*(int *)ctx;
	return 1;
}

/*
 * Explain that walk by a schema on a map in which cell 10 is merged with cell
 * 5; returns as cscg_explain_piece(), with the share of the steps whose state
 * is the cell.
 */
static int
explain_noisy(const struct cscg_model *schema, int n, int piece_of,
    double *right)
{
	struct cscg_walk *w = noisy_room(n);
	struct cscg_model *map = grid_model(4, 4);
	int *path = need(malloc((size_t)w->n_steps * sizeof *path)), rc, j;
	int piece[16];
	struct cscg_explain e;
	long t;

	for (j = 0; j < 16; j++)
		piece[j] = piece_of;
	for (t = 0; t < w->n_steps; t++)
		path[t] = w->z[t] == 10 ? 5 : (int)w->z[t];
	need(cscg_explain(NULL, 0, w, NULL, NULL, &e, &err) < 0 ? NULL : w);
	rc = cscg_explain_piece(&schema, 1, w, map, path, piece, 1, stop, &e,
	    &err);
	*right = 0;
	for (t = 0; t < w->n_steps; t++)
		*right += e.binding[t] == 0 && e.state[t] == w->z[t];
	*right /= (double)w->n_steps;
	if (rc > 0)
		ok(e.n == 1 && e.schema[0] == 0 && e.base[1] == 16 &&
			e.symbol[10] == 5 && e.n_explained == w->n_steps,
		    "all steps have the binding");
	cscg_explain_free(&e);
	free(path);
	cscg_model_free(map);
	cscg_walk_free(w);
	return rc;
}

static void
test_piece(void)
{
	struct cscg_model *same = grid_model(4, 4), *small = grid_model(3, 4);
	struct cscg_model *large = grid_model(4, 5);
	int found, calls = 0;
	struct cscg_poll poll = { .call = stop_at_once, .ctx = &calls };
	double right;

	same->clone[10] = 5;
	found = explain_noisy(same, 2000, 1, &right);
	ok(found == 1 && right > .97,
	    "a schema explains a noisy piece, also two cells that the map "
	    "merged: %g",
	    right);
	ok(explain_noisy(same, 2000, 0, &right) == 0,
	    "states of other pieces are not explained");
	ok(explain_noisy(small, 2000, 1, &right) == 0,
	    "a room with one row more is another kind");
	ok(explain_noisy(large, 2000, 1, &right) == 0,
	    "a room with one column less as well");
	stop = &poll;
	ok(explain_noisy(same, 2000, 1, &right) == 0 && calls > 0,
	    "the caller can stop the placement");
	stop = NULL;
	cscg_model_free(same);
	cscg_model_free(small);
	cscg_model_free(large);
}

/* The steps of two_rooms() that a schema explains on a piece of both rooms. */
static long
explain_part(const struct cscg_model *schema, long *wrong)
{
	struct cscg_walk *w = two_rooms(400);
	struct cscg_model *map = map_of_two_rooms(0, 0);
	int piece[MAP_STATES] = { 0 }, rc;
	struct cscg_explain e;
	long t, n;

	need(cscg_explain(NULL, 0, w, NULL, NULL, &e, &err) < 0 ? NULL : w);
	rc = cscg_explain_piece(&schema, 1, w, map, w->x, piece, 0, NULL, &e,
	    &err);
	for (t = 0, *wrong = 0; t < w->n_steps; t++)
		*wrong += e.binding[t] >= 0 &&
		    (w->z[t] || e.state[t] != w->x[t]);
	n = e.n_explained;
	*wrong += rc != (n > 0);
	cscg_explain_free(&e);
	cscg_model_free(map);
	cscg_walk_free(w);
	return n;
}

static void
test_part(void)
{
	struct cscg_model *known = grid_model(3, 4),
			  *inside = grid_model(3, 3);
	long wrong, n = explain_part(known, &wrong);

	ok(n >= 400 && wrong == 0,
	    "a schema explains one of two rooms of a piece: %ld, %ld wrong", n,
	    wrong);
	n = explain_part(inside, &wrong);
	ok(n == 0 && wrong == 0,
	    "a schema that fits inside a room has too many ways out: %ld", n);
	cscg_model_free(known);
	cscg_model_free(inside);
}

int
main(void)
{
	test_piece();
	test_part();
	test_two();
	test_map();
	test_doorway();
	test_none();
	return done();
}
