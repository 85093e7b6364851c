/*
 * merge_pairs.c - short walks of an agent with a heading in a room of 3x3 cells
 *
 * The agent turns left, turns right and goes forward; its symbol is that of the
 * cell ahead, or a wall.  States are compared with the true ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/merge.h"
#include "need.h"
#include "tap.h"

enum {
	SIDE = 3,
	STATES = 4 * SIDE * SIDE,
	ACTIONS = 3,
	WALL = 8,
	STEPS = 600
};

static const int symbol[SIDE * SIDE] = { 0, 1, 2, 3, 4, 5, 6, 7, 1 };

/* The cell ahead of a state, 4 * cell + heading; -1: a wall. */
static int
ahead(int z)
{
	static const int rows[] = { -1, 0, 1, 0 }, cols[] = { 0, 1, 0, -1 };
	int r = z / 4 / SIDE + rows[z % 4], c = z / 4 % SIDE + cols[z % 4];

	return r < 0 || r >= SIDE || c < 0 || c >= SIDE ? -1 : r * SIDE + c;
}

static int
next(int z, int a)
{
	if (a == 2)
		return ahead(z) < 0 ? z : 4 * ahead(z) + z % 4;
	return z - z % 4 + (z + (a ? 1 : 3)) % 4;
}

static int
view(int z)
{
	return ahead(z) < 0 ? WALL : symbol[ahead(z)];
}

/*
 * Turns to the left, four to seven, then a step forward; the other turn, where
 * rights, in one case of three.  The walk is that of two episodes.
 */
static struct cscg_walk *
new_walk(long n, bool rights, int *z, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = ACTIONS,
		.n_obs = WALL + 1 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int at = 0, left = 0, turn = 0;
	long t;

	cscg_rng_seed(&rng, seed, 0, 0, 0);
	for (t = 0; t < n; t++) {
		struct cscg_step s = {
			.x = view(at), .z = -1, .goal = -1, .r = NAN
		};

		z[t] = at;
		s.a = left ? turn : 2;
		at = next(at, s.a);
		if (left-- == 0) {
			left = 4 + (int)cscg_rng_below(&rng, 4);
			turn = rights && cscg_rng_below(&rng, 3) == 0;
		}
		if (t == n / 2) {
			at = (int)cscg_rng_below(&rng, STATES);
			s.a = -1;
		} else if (t == n - 1) {
			s.a = -1;
		}
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

/* The true state of each state, or NULL if one has several. */
static int *
true_states(const struct cscg_merge *f, const int *z, long n)
{
	int *of = need(calloc((size_t)f->n_states, sizeof *of));
	long t;

	for (t = 0; t < n; t++) {
		if (of[f->state[t]] && of[f->state[t]] != z[t] + 1) {
			free(of);
			return NULL;
		}
		of[f->state[t]] = z[t] + 1;
	}
	return of;
}

static int
count_visited(const int *z, long n)
{
	char seen[STATES] = { 0 };
	int count = 0;
	long t;

	for (t = 0; t < n; t++) {
		count += !seen[z[t]];
		seen[z[t]] = 1;
	}
	return count;
}

static struct cscg_merge *
merge(const struct cscg_walk *w, const int *before, long n_before)
{
	struct cscg_merge *f = NULL;

	need(cscg_merge_pairs(w, before, n_before, &f, &err) == 1 ? f : NULL);
	return f;
}

static void
graphs(void)
{
	int z[STEPS], a, j, known = 0, wrong = 0, *of, impure = 0;
	uint64_t seed;

	for (seed = 1; seed <= 10; seed++) {
		struct cscg_walk *w = new_walk(STEPS, true, z, seed);
		struct cscg_merge *f = merge(w, NULL, 0);

		of = true_states(f, z, STEPS);
		impure += !of;
		for (j = 0; of && j < f->n_states; j++)
			for (a = 0; a < ACTIONS; a++) {
				int to = f->next[j * ACTIONS + a];

				known += to >= 0;
				wrong += to >= 0 &&
				    of[to] - 1 != next(of[j] - 1, a);
			}
		free(of);
		cscg_merge_free(f);
		cscg_walk_free(w);
	}
	ok(impure == 0, "states that have one true state each (%d of 10 not)",
	    impure);
	ok(known > 9 * 2 * STATES && wrong == 0,
	    "successors that are right (%d of %d not)", wrong, known);
}

/* Three turns show all four headings of a cell, once the order is known. */
static void
orders(void)
{
	int z[STEPS], *of, j, closed = 0, n = 0;
	struct cscg_walk *w = new_walk(STEPS, false, z, 3);
	struct cscg_merge *f = merge(w, NULL, 0);

	of = need(true_states(f, z, STEPS));
	for (j = 0; j < f->n_states; j++) {
		int k = j, i;

		for (i = 0; i < 4 && k >= 0; i++)
			k = f->next[k * ACTIONS];
		n += k >= 0;
		closed += k == j;
	}
	/* The last steps of the two episodes have too short a future. */
	ok(f->n_states <= count_visited(z, STEPS) + 4,
	    "each visited state once (%d states)", f->n_states);
	ok(n > 0 && closed == n, "four turns lead back (%d of %d)", closed, n);
	free(of);
	cscg_merge_free(f);
	cscg_walk_free(w);
}

static void
before(void)
{
	int z[STEPS], *state;
	struct cscg_walk *w = new_walk(STEPS, true, z, 5);
	struct cscg_merge *f = merge(w, NULL, 0), *g;
	long t, bad = 0;

	state = need(malloc(STEPS * sizeof *state));
	memcpy(state, f->state, STEPS * sizeof *state);
	g = merge(w, state, STEPS);
	for (t = 0; t < STEPS; t++)
		bad += g->state[t] != f->state[t];
	ok(!bad, "a result continues from itself");
	cscg_merge_free(g);
	/* Steps with different symbols. */
	for (t = 1; view(z[t]) == view(z[0]); t++)
		;
	state[t] = state[0];
	ok(cscg_merge_pairs(w, state, STEPS, &g, &err) == 0 && !g,
	    "states that contradict the walk");
	w->x[7] = -1;
	ok(cscg_merge_pairs(w, NULL, 0, &g, &err) == 0 && !g,
	    "a missing observation");
	free(state);
	cscg_merge_free(f);
	cscg_walk_free(w);
}

int
main(void)
{
	graphs();
	orders();
	before();
	return done();
}
