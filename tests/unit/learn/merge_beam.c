/*
 * merge_beam.c - a beam of partial graphs gives the graph that generated the
 * walk where nearly all cells have the same symbol, or a smaller one, or none
 *
 * The true nodes are in the walk (z), which merging does not use.
 */
#include <string.h>

#include "learn/inverse.h"
#include "learn/constants.h"
#include "learn/merge_beam.h"
#include "maze.h"
#include "tap.h"
#include "walker.h"

enum { SEEDS = 5 };

/* Capitals are the only cells with symbols of their own. */
static const char *const corridor[] = { "Aooo", NULL };
static const char *const turn[] = { "Aoo", "..o", "B.o", "ooo", NULL };
static const char *const maze[] = {
	"Aoooo.Boo",
	"o...o.o.o",
	"ooCoooooo",
	".o...o...",
	"oooDooooE",
	NULL,
};

/* The number of the seeds whose graph is exact; *any: that have a graph. */
static int
count_exact(const char *const *map, struct walker how, int *any)
{
	struct cscg_room *room = map_room(map);
	int i, good = 0;

	*any = 0;
	for (i = 1; i <= SEEDS; i++) {
		struct cscg_merge *f = NULL;
		struct cscg_walk *w;

		how.seed = (uint64_t)i;
		w = walk_in(room, &how);
		need(cscg_merge_beam(w, NULL, &f, &err) < 0 ? NULL : w);
		*any += f != NULL;
		good += exact(f, w, room->n_nodes);
		cscg_merge_free(f);
		cscg_walk_free(w);
	}
	cscg_room_free(room);
	return good;
}

static void
is_found(const char *name, const char *const *map, struct walker how)
{
	int any, good = count_exact(map, how, &any);

	ok(good == SEEDS, "%s: %d of %d graphs are exact", name, good, SEEDS);
}

static void
mazes(void)
{
	is_found("a corridor of four cells", corridor,
	    (struct walker){ .n = 2000 });
	is_found("a corridor with turns", turn, (struct walker){ .n = 2000 });
	is_found("a maze with loops", maze, (struct walker){ .n = 8000 });
	is_found("episodes", turn,
	    (struct walker){ .n = 200, .episodes = 10 });
	is_found("jumps", turn, (struct walker){ .n = 6000, .reset = .002 });
	is_found("missing symbols", turn,
	    (struct walker){ .n = 3000, .dropout = .05 });
}

/* ---- mazes whose transitions must be chosen ---- */

enum { CELLS_MAX = 20, MAZES = 10 };

/*
 * A maze without loops: a tree of corridors by depth-first search, with some
 * cells of their own symbols, the marks.
 */
static struct cscg_room *
tree_room(int rows, int cols, int marks, int seed)
{
	static const int dr[4] = { -1, 1, 0, 0 }, dc[4] = { 0, 0, -1, 1 };
	int next[4 * CELLS_MAX], obs[CELLS_MAX] = { 0 };
	int seen[CELLS_MAX] = { 1 }, stack[CELLS_MAX] = { 0 };
	int cells = rows * cols, top = 1, way[4], a, m, r, c, u, v;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 1, 1);
	for (v = 0; v < 4 * cells; v++)
		next[v] = v % cells;
	while (top) {
		v = stack[top - 1];
		for (a = m = 0; a < 4; a++) {
			r = v / cols + dr[a];
			c = v % cols + dc[a];
			if (r >= 0 && r < rows && c >= 0 && c < cols &&
			    !seen[r * cols + c])
				way[m++] = a;
		}
		if (!m) {
			top--;
			continue;
		}
		a = way[(int)(cscg_rng_uniform(&rng) * m)];
		u = v + dr[a] * cols + dc[a];
		next[a * cells + v] = u;
		next[(a ^ 1) * cells + u] = v;
		seen[u] = 1;
		stack[top++] = u;
	}
	for (m = 1; m <= marks; m++) {
		do
			v = (int)(cscg_rng_uniform(&rng) * cells);
		while (obs[v]);
		obs[v] = m;
	}
	return hand_room(cells, 4, marks + 1, obs, next);
}

/* Does every state of f have one successor by each action? */
static bool
deterministic(const struct cscg_merge *f, const struct cscg_walk *w)
{
	int next[CSCG_BEAM_STATES][4], *to;
	long t;

	memset(next, -1, sizeof next);
	for (t = 1; t < w->n_steps; t++) {
		if (f->state[t - 1] < 0)
			continue;
		to = &next[f->state[t - 1]][w->a[t - 1]];
		if (f->state[t] < 0 || (*to >= 0 && *to != f->state[t]) ||
		    f->symbol[f->state[t]] != w->x[t])
			return false;
		*to = f->state[t];
	}
	return true;
}

/*
 * Count the exact graphs of MAZES trees.  None is larger than the maze, and all
 * explain every step.
 */
static int
count_trees(int rows, int cols, int marks, long steps)
{
	int i, right = 0, larger = 0, wrong = 0;

	for (i = 1; i <= MAZES; i++) {
		struct walker how = { .n = steps, .seed = (uint64_t)i };
		struct cscg_room *room = tree_room(rows, cols, marks, i);
		struct cscg_walk *w = walk_in(room, &how);
		struct cscg_merge *f = NULL;

		need(cscg_merge_beam(w, NULL, &f, &err) < 0 ? NULL : w);
		wrong += f && !deterministic(f, w);
		right += exact(f, w, room->n_nodes);
		larger += !f || f->n_states > room->n_nodes;
		cscg_merge_free(f);
		cscg_walk_free(w);
		cscg_room_free(room);
	}
	ok(wrong == 0, "all graphs of %d mazes explain every step", MAZES);
	ok(larger == 0, "none is larger than the maze (%d)", larger);
	return right;
}

static void
trees(void)
{
	int right = count_trees(4, 4, 3, 4000);

	/*
	 * One of ten may be another graph of as many states that explains every
	 * step.
	 */
	ok(right >= 9, "%d of %d are exact", right, MAZES);
	/* Seven without coordinates. */
	right = count_trees(4, 5, 3, 5000);
	ok(right >= 9, "with 20 cells %d of %d are exact", right, MAZES);
}

/*
 * No mark is left or entered by a vertical move: that these are inverse to each
 * other is seen in the graph alone.
 */
static void
vertical_moves(void)
{
	static const char *const few[] = { "AooooB", "..o...", "CooooD",
		NULL };

	is_found("inverse actions that change no symbol", few,
	    (struct walker){ .n = 3000 });
}

/* ---- walks with few visits to many states ---- */

/* The number of nodes of a walk. */
static int
count_nodes(const struct cscg_walk *w)
{
	bool seen[CSCG_BEAM_STATES] = { 0 };
	int n = 0;
	long t;

	for (t = 0; t < w->n_steps; t++) {
		n += !seen[w->z[t]];
		seen[w->z[t]] = true;
	}
	return n;
}

/*
 * A bias keeps the walk at one side.  Of the cells at the other side, most of
 * which have the same symbol, a few visits alone do not say which is which; that
 * the order of moves does not matter does, and that cells with this symbol have
 * no walls.
 */
static void
biased(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 7, 7);
	int i, good = 0, complete = 0, few = 0;

	for (i = 1; i <= 2 * SEEDS; i++) {
		struct walker how = {
			.n = 15000, .bias = 4, .seed = (uint64_t)i
		};
		struct cscg_walk *w = walk_in(room, &how);
		struct cscg_merge *f = NULL;

		need(cscg_merge_beam(w, NULL, &f, &err) < 0 ? NULL : w);
		good += exact(f, w, count_nodes(w));
		complete += f && f->complete;
		few += count_nodes(w) < room->n_nodes;
		cscg_merge_free(f);
		cscg_walk_free(w);
	}
	ok(few > 0, "%d of %d walks with a bias miss cells", few, 2 * SEEDS);
	ok(good == 2 * SEEDS, "%d of %d graphs have the other cells", good,
	    2 * SEEDS);
	ok(complete == 2 * SEEDS, "and %d are complete", complete);
	cscg_room_free(room);
}

/*
 * A corridor of four cells, of which the first has its own symbol.  The walk
 * begins in the last and never returns to it.
 */
static void
first_cell(void)
{
	enum { N = 400, LEFT = 0, RIGHT = 1 };
	int x[N], a[N], cell = 3, t;
	struct cscg_merge *f = NULL;
	struct cscg_rng rng;
	struct cscg_walk *w;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 1, 1);
	for (t = 0; t < N; t++) {
		x[t] = cell > 0;
		a[t] = t < 3 || cell == 2 ? LEFT :
					    (int)cscg_rng_below(&rng, 2);
		cell += a[t] == RIGHT ? 1 : cell > 0 ? -1 : 0;
	}
	w = hand_walk(2, 2, N, x, a);
	need(cscg_merge_beam(w, NULL, &f, &err) < 0 ? NULL : w);
	ok(f && f->n_states == 4 && f->assigned == 1,
	    "the cell in which the walk begins has a state");
	cscg_merge_free(f);
	cscg_walk_free(w);
}

/* ---- worlds in which a walk avoids some moves ---- */

enum { UP, DOWN, LEFT, RIGHT, WAIT, ACTIONS, CELLS = 64 };

/* Cells with walls around them; the walk never takes barred moves. */
struct world {
	int cells, actions, symbols, next[CELLS][ACTIONS], obs[CELLS];
	bool barred[CELLS][ACTIONS];
};

/*
 * A cell with a symbol of its own, or with symbol 0: its number.  Not inline,
 * since gcc 12 at -O3 vectorises a loop of add_cell() and join() in the wrong order.
 */
__attribute__((noinline)) static int
add_cell(struct world *r, bool mark)
{
	int v = r->cells++, a;

	r->obs[v] = mark ? ++r->symbols : 0;
	for (a = 0; a < ACTIONS; a++)
		r->next[v][a] = v;
	return v;
}

/* Action a leads from u to v, and its inverse back. */
static void
join(struct world *r, int u, int a, int v)
{
	r->next[u][a] = v;
	r->next[v][a ^ 1] = u;
}

/* Bar all moves of a cell but two, which may be equal. */
static void
bar_others(struct world *r, int v, int a, int b)
{
	int c;

	for (c = 0; c < ACTIONS; c++)
		r->barred[v][c] = c != a && c != b;
}

/* The number of states of the graph of n steps, 0: none. */
static int
count_states(const struct world *r, int n)
{
	struct cscg_walk_header head = { .n_actions = r->actions,
		.n_obs = r->symbols + 1 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step s = { .goal = -1, .r = NAN };
	struct cscg_merge *f = NULL;
	struct cscg_rng rng;
	int t;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 1, 1);
	for (t = 1; t <= n; t++) {
		do
			s.a = (int)cscg_rng_below(&rng, r->actions);
		while (r->barred[s.z][s.a]);
		s.x = r->obs[s.z];
		if (t == n)
			s.a = -1;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		if (t < n)
			s.z = r->next[s.z][s.a];
	}
	need(cscg_merge_beam(w, NULL, &f, &err) < 0 ? NULL : w);
	n = f ? f->n_states : 0;
	cscg_merge_free(f);
	cscg_walk_free(w);
	return n;
}

/*
 * A corridor of marks with a cell of symbol 0 before the first, above the last
 * and after the last.  The walk never takes the moves by which the last two
 * differ: down from the one after the marks, left from the one above.
 */
static int
count_of_corridor(int marks)
{
	struct world r = { .actions = 4 };
	int v = add_cell(&r, false), above, after;

	for (; marks; marks--, v++)
		join(&r, v, RIGHT, add_cell(&r, true));
	above = add_cell(&r, false);
	after = add_cell(&r, false);
	join(&r, v, UP, above);
	join(&r, v, RIGHT, after);
	r.barred[above][LEFT] = r.barred[after][DOWN] = true;
	return count_states(&r, 6000);
}

/*
 * The cells above and after the last mark can be one state with two
 * coordinates.  The others and one of them are certain: a path, of which two
 * cells have an even distance of 4, 6, 8, 10 or 12 moves.  If the order of moves
 * mattered, their coordinates would be the same with probabilities of 8 / 108,
 * 24 / 972, 216 / 8748, 1520 / 78732 and 12080 / 708588: .88 pairs of a path of
 * 12 cells and 1.04 of one of 13.
 */
static void
coordinates(void)
{
	int few = count_of_corridor(10), enough = count_of_corridor(11);

	ok(few == 10 + 2,
	    "coordinates of a path of 12 cells say little: %d states, two "
	    "cells are one",
	    few);
	ok(enough == 11 + 3,
	    "those of 13 cells are certain: %d states, one for each cell",
	    enough);
}

/*
 * Two rows of cells, of which capitals are marks:
 *
 *	A o B o ... C o D o E o
 *	G o H o ...   s   t F o
 *
 * Vertical moves lead only from one o to another, so that no symbol changes:
 * that they are inverse to each other shows in the graph alone.  At s the walk
 * moves left, against a wall, or up; at t right.  So s and t can be one state,
 * unless t leads up where the move down to t began.  The marks of the first
 * columns and the o between them are certain.
 */
static int
count_of_rows(int columns, int actions, int *cells)
{
	struct world r = { .actions = actions };
	int u = -1, v = -1, i, side;

	for (i = 0; i < columns; i++)
		for (side = 0; side < 2; side++) {
			int *last = side ? &v : &u, mark = add_cell(&r, true);

			if (*last >= 0)
				join(&r, *last, RIGHT, mark);
			*last = add_cell(&r, false);
			join(&r, mark, RIGHT, *last);
			if (side)
				join(&r, u, DOWN, v);
		}
	for (i = 0; i < 3; i++) {
		int mark = add_cell(&r, true), o = add_cell(&r, false);
		int below = add_cell(&r, false);

		join(&r, u, RIGHT, mark);
		join(&r, mark, RIGHT, o);
		join(&r, o, DOWN, below);
		if (i == 0)
			bar_others(&r, below, LEFT, UP);
		else if (i == 1)
			bar_others(&r, v = below, RIGHT, RIGHT);
		else
			join(&r, mark = add_cell(&r, true), RIGHT, below);
		if (i == 2)
			join(&r, v, RIGHT, mark);
		u = o;
	}
	*cells = r.cells;
	return count_states(&r, 1000 * r.cells);
}

/*
 * Of two actions without an inverse each is that of the other if it led back
 * once.  With a third one, which does nothing, there must be 7 nats of evidence.
 * One of five actions leads back, so that a vertical move gives about log 5 nats:
 * too little from three columns, enough from ten.
 */
static void
inverses(void)
{
	int cells, n = count_of_rows(1, 4, &cells);

	ok(n == cells, "two actions are left: inverse, %d of %d states", n,
	    cells);
	n = count_of_rows(1, 5, &cells);
	ok(n == cells - 1, "three are left, with little evidence: %d of %d", n,
	    cells);
	n = count_of_rows(8, 5, &cells);
	ok(n == cells, "with evidence: %d of %d", n, cells);
}

/* ---- many small mazes ---- */

/* Two rows of three cells with random walls, of which one has its own symbol. */
static struct cscg_room *
small_room(struct cscg_rng *rng)
{
	static const int pair[][3] = { { 3, 0, 1 }, { 3, 1, 2 }, { 3, 3, 4 },
		{ 3, 4, 5 }, { 1, 0, 3 }, { 1, 1, 4 }, { 1, 2, 5 } };
	int next[24], obs[6] = { 0 }, i;

	for (i = 0; i < 24; i++)
		next[i] = i % 6;
	for (i = 0; i < 7; i++)
		if (cscg_rng_uniform(rng) < .7) {
			next[pair[i][0] * 6 + pair[i][1]] = pair[i][2];
			next[(pair[i][0] ^ 1) * 6 + pair[i][2]] = pair[i][1];
		}
	for (i = 1; i < 6; i++)
		obs[i] = 1 + (int)cscg_rng_below(rng, 2);
	return hand_room(6, 4, 3, obs, next);
}

/* Whether each of the six cells can be reached from the first. */
static bool
is_connected(const struct cscg_room *room)
{
	int seen = 1, was = 0, i;

	while (seen != was)
		for (was = seen, i = 0; i < 24; i++)
			if (seen >> i % 6 & 1)
				seen |= 1 << room->to[i];
	return seen == 63;
}

/* Does f explain every step, and does each move lead back? */
static bool
explains(const struct cscg_merge *f, const struct cscg_walk *w)
{
	int next[CSCG_BEAM_STATES][4], *to, j, a;
	long t;

	memset(next, -1, sizeof next);
	for (t = 0; t < w->n_steps; t++) {
		if (f->state[t] >= f->n_states)
			return false;
		if (f->state[t] >= 0 && w->x[t] >= 0 &&
		    f->symbol[f->state[t]] != w->x[t])
			return false;
		if (!cscg_walk_continues(w, t) || f->state[t - 1] < 0)
			continue;
		if (f->state[t] < 0)
			return false;
		to = &next[f->state[t - 1]][w->a[t - 1]];
		if (*to >= 0 && *to != f->state[t])
			return false;
		*to = f->state[t];
	}
	for (j = 0; j < f->n_states; j++)
		for (a = 0; a < 4; a++)
			if (next[j][a] >= 0 && next[j][a] != j &&
			    next[next[j][a]][a ^ 1] >= 0 &&
			    next[next[j][a]][a ^ 1] != j)
				return false;
	return true;
}

/*
 * The maze itself explains the walk, so that no smallest graph is larger.  The
 * beam is wider than the graphs of such a maze are many.
 */
static void
small(const char *name, struct walker how)
{
	enum { ROOMS = 60 };
	int i, n = 0, found = 0, wrong = 0, larger = 0, same = 0;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 1, 1);
	for (i = 1; i <= ROOMS; i++) {
		struct cscg_room *room = small_room(&rng);
		struct cscg_merge *f = NULL;
		struct cscg_walk *w;
		int rc, nodes;

		how.seed = (uint64_t)i;
		w = walk_in(room, &how);
		nodes = count_nodes(w);
		rc = cscg_merge_beam(w, NULL, &f, &err);
		need(rc < 0 ? NULL : w);
		/* If cells are not connected, there may be no landmark. */
		n += is_connected(room);
		found += f && is_connected(room);
		wrong += rc != (f != NULL) || (f && !explains(f, w));
		larger += f && f->n_states > nodes;
		same += exact(f, w, nodes);
		cscg_merge_free(f);
		cscg_walk_free(w);
		cscg_room_free(room);
	}
	ok(wrong == 0 && larger == 0 && found == n,
	    "%s: %d of %d mazes have a graph, %d the same (%d wrong, %d "
	    "larger)",
	    name, found, n, same, wrong, larger);
}

/* ---- no result ---- */

static void
declines(const char *name, struct cscg_room *room, struct walker how)
{
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_beam(w, NULL, &f, &err);

	ok(rc == 0 && !f, "%s: no result", name);
	cscg_merge_free(f);
	cscg_walk_free(w);
	cscg_room_free(room);
}

static void
refusals(void)
{
	static const int ring_obs[5] = { 0, 1, 2, 1, 2 };
	static const int ring[10] = { 1, 2, 3, 4, 0, 2, 3, 4, 0, 1 };
	static const int two_obs[2] = { 0, 1 };
	int many[18], a;
	static const char *const hall[] = { "Aoooooooo", "ooooooooo",
		"ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo",
		"ooooooooo", "ooooooooB", NULL };
	struct cscg_room *slips = shape_room(CSCG_RECTANGLE, 4, 4);

	need(cscg_room_slip(slips, 0.1, &err) < 0 ? NULL : slips);
	declines("slips", slips, (struct walker){ .n = 3000, .seed = 1 });
	declines("one-way transitions", hand_room(5, 2, 3, ring_obs, ring),
	    (struct walker){ .n = 2000, .seed = 1 });
	/* The last of nine actions changes the cell, the others do not. */
	for (a = 0; a < 18; a++)
		many[a] = a < 16 ? a % 2 : 1 - a % 2;
	declines("nine actions", hand_room(2, 9, 2, two_obs, many),
	    (struct walker){ .n = 2000, .seed = 1 });
	declines("72 cells", map_room(hall),
	    (struct walker){ .n = 2000, .seed = 1 });
	declines("one step", map_room(turn),
	    (struct walker){ .n = 1, .seed = 1 });
	declines("no observations", map_room(turn),
	    (struct walker){ .n = 1000, .dropout = 1, .seed = 1 });
}

static int
stop_at_once(void *ctx, const char *stage, double done, double total)
{
	(void)stage;
	(void)done;
	(void)total;
	++*(int *)ctx;
	return 1;
}

static void
stopped(void)
{
	struct cscg_room *room = map_room(maze);
	struct walker how = { .n = 1500, .seed = 1 };
	struct cscg_walk *w = walk_in(room, &how);
	int calls = 0;
	struct cscg_poll poll = { .call = stop_at_once, .ctx = &calls };
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_beam(w, &poll, &f, &err);

	ok(rc == 0 && !f && calls == 1, "a stopped search has no result");
	rc = cscg_merge_beam(w, &poll, &f, &err);
	ok(rc == 0 && !f && calls == 1, "and is not begun again");
	cscg_walk_free(w);
	cscg_room_free(room);
}

int
main(void)
{
	mazes();
	trees();
	vertical_moves();
	biased();
	first_cell();
	coordinates();
	inverses();
	small("small mazes", (struct walker){ .n = 2000 });
	small("in episodes", (struct walker){ .n = 200, .episodes = 10 });
	small("with dropouts", (struct walker){ .n = 2000, .dropout = .05 });
	small("with resets", (struct walker){ .n = 2000, .reset = .02 });
	refusals();
	stopped();
	return done();
}
