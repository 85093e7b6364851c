/*
 * inverse.c - inverse actions, and the symbols at which actions are blocked
 *
 * The grids of this test are walked at random.  In one the symbol of a cell
 * determines which actions are blocked, in another symbols are drawn at random.
 */
#include <string.h>

#include "base/rng.h"
#include "learn/inverse.h"
#include "learn/merge.h"
#include "tap.h"
#include "walker.h"

enum { UP, DOWN, LEFT, RIGHT, ACTIONS };

/* The cell after an action in a grid of h x w cells. */
static int
move(int h, int w, int v, int a)
{
	int r = v / w, c = v % w;

	r += a == DOWN ? r < h - 1 : a == UP ? -(r > 0) : 0;
	c += a == RIGHT ? c < w - 1 : a == LEFT ? -(c > 0) : 0;
	return r * w + c;
}

/* Blocked actions as bits. */
static int
pattern(int h, int w, int v)
{
	int a, bits = 0;

	for (a = 0; a < ACTIONS; a++)
		bits |= (move(h, w, v, a) == v) << a;
	return bits;
}

/* A random walk; symbols are patterns, or n_random random ones. */
static struct cscg_walk *
grid_walk(int h, int w, long n, int n_random, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = ACTIONS,
		.n_obs = n_random ? n_random : 16 };
	struct cscg_walk *walk = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int *symbol = need(malloc((size_t)(h * w) * sizeof *symbol)), v;
	long t;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 0);
	for (v = 0; v < h * w; v++)
		symbol[v] = n_random ?
		    (int)(cscg_rng_uniform(&rng) * n_random) :
		    pattern(h, w, v);
	v = 0;
	for (t = 0; t < n; t++) {
		int a = (int)(cscg_rng_uniform(&rng) * ACTIONS);
		struct cscg_step step = {
			.x = symbol[v], .a = t + 1 < n ? a : -1, .z = v
		};

		need(cscg_walk_add(walk, &step, &err) < 0 ? NULL : walk);
		v = move(h, w, v, a);
	}
	free(symbol);
	return walk;
}

static void
finds_inverses(void)
{
	struct cscg_walk *w = grid_walk(5, 5, 4000, 0, 1);
	int inverse[ACTIONS];

	ok(cscg_inverse_find(w, inverse, &err) == 1 && inverse[UP] == DOWN &&
		inverse[DOWN] == UP && inverse[LEFT] == RIGHT &&
		inverse[RIGHT] == LEFT,
	    "inverse actions of a room: up and down, left and right");
	w->n_steps = 12;
	ok(cscg_inverse_find(w, inverse, &err) == 0,
	    "12 steps are too few for inverse actions");
	w->n_steps = 4000;
	/* One step whose observation is not restored refutes the inverse. */
	for (long t = 2; t < w->n_steps; t++)
		if (w->a[t - 2] == UP && w->a[t - 1] == DOWN &&
		    w->x[t - 2] != w->x[t - 1]) {
			w->x[t] = w->x[t - 2] ? 0 : 1;
			break;
		}
	ok(cscg_inverse_find(w, inverse, &err) == 1 && inverse[UP] == -1 &&
		inverse[LEFT] == RIGHT,
	    "one exception refutes an inverse pair");
	cscg_walk_free(w);
}

static void
finds_blocked(void)
{
	const int h = 6, w = 7;
	struct cscg_walk *walk = grid_walk(h, w, 20000, 0, 2);
	int inverse[ACTIONS], v, a, x, rc, wrong = 0, unknown = 0;
	char blocked[16 * ACTIONS];

	need(cscg_inverse_find(walk, inverse, &err) < 0 ? NULL : walk);
	rc = cscg_inverse_find_blocked(walk, inverse, blocked, &err);
	for (v = 0; v < h * w; v++)
		for (a = 0; a < ACTIONS; a++) {
			x = pattern(h, w, v);
			unknown += blocked[x * ACTIONS + a] ==
			    CSCG_BLOCKED_UNKNOWN;
			wrong += blocked[x * ACTIONS + a] ==
			    (x >> a & 1 ? CSCG_BLOCKED_NEVER :
					  CSCG_BLOCKED_ALWAYS);
		}
	ok(rc == 1 && !wrong, "wall patterns determine blocked actions");
	/*
	 * Actions that always change the symbol need no test for being blocked.
	 */
	ok(blocked[0 * ACTIONS + UP] == CSCG_BLOCKED_NEVER &&
		blocked[(1 << UP) * ACTIONS + UP] == CSCG_BLOCKED_ALWAYS,
	    "inside never, at the upper wall always (%d unknown)", unknown);
	cscg_walk_free(walk);

	walk = grid_walk(h, w, 20000, 4, 3);
	need(cscg_inverse_find(walk, inverse, &err) < 0 ? NULL : walk);
	rc = cscg_inverse_find_blocked(walk, inverse, blocked, &err);
	for (x = 0; x < 4 * ACTIONS; x++)
		rc |= blocked[x] != CSCG_BLOCKED_UNKNOWN;
	ok(rc == 0, "random symbols do not determine blocked actions");
	cscg_walk_free(walk);
}

/* Rooms that merging solves only with blocked actions known. */
static void
large_rooms(void)
{
	uint64_t seed;
	int exact = 0;

	for (seed = 1; seed <= 3; seed++) {
		struct cscg_walk *walk = grid_walk(11, 12, 50000, 0, seed);
		struct cscg_merge *f = NULL;
		int *of, v;
		bool bad = cscg_merge(walk, SIZE_MAX, NULL, &f, &err) <= 0 ||
		    f->n_states != 132 || !f->complete;
		long t;

		of = need(calloc(132, sizeof *of));
		for (t = 0; !bad && t < walk->n_steps; t++) {
			v = walk->z[t];
			if (f->state[t] < 0)
				continue;
			bad |= of[v] && of[v] != f->state[t] + 1;
			of[v] = f->state[t] + 1;
		}
		exact += !bad;
		free(of);
		cscg_merge_free(f);
		cscg_walk_free(walk);
	}
	ok(exact == 3, "rooms of 11x12 with wall patterns: %d of 3 found",
	    exact);
}

/* Few symbols: runs of merging with different thresholds are tried. */
static void
few_symbols(void)
{
	uint64_t seed;
	int exact = 0;

	for (seed = 1; seed <= 4; seed++) {
		struct cscg_walk *walk = grid_walk(14, 14, 50000, 4, seed);
		struct cscg_merge *f = NULL;

		exact += cscg_merge(walk, SIZE_MAX, NULL, &f, &err) > 0 &&
		    f->n_states == 196 && f->complete;
		cscg_merge_free(f);
		cscg_walk_free(walk);
	}
	ok(exact == 4, "rooms of 14x14 with 4 symbols: %d of 4 found", exact);
}

int
main(void)
{
	finds_inverses();
	finds_blocked();
	large_rooms();
	few_symbols();
	return done();
}
