/*
 * refine.c - the graph of a noisy walk, improved by local changes: each change
 * repairs what it is for, and contexts become the graph of a room
 */
#include <string.h>

#include "base/mem.h"
#include "learn/context.h"
#include "learn/refine.h"
#include "tap.h"
#include "walker.h"

enum { ROWS = 5, COLUMNS = 6, N = ROWS * COLUMNS, SYMBOLS = 12 };

/* Random symbols; 8 and 20 have the same one, and so have their neighbours 9, 21. */
static const int symbols[N] = { 3, 7, 0, 11, 5, 2, /* row 0 */
	9, 1, 4, 6, 10, 8,                         /* row 1 */
	0, 5, 7, 2, 3, 11,                         /* row 2 */
	1, 10, 4, 6, 9, 0,                         /* row 3 */
	8, 2, 11, 5, 1, 7 };

/* A walk of n steps with 2 % slips in a room, 2 % of its symbols redrawn. */
static struct cscg_walk *
noisy_walk(long n, uint64_t seed)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, ROWS, COLUMNS);
	struct walker how = { .n = n, .seed = seed };
	struct cscg_rng rng;
	struct cscg_walk *w;
	long t;
	int v;

	for (v = 0; v < N; v++)
		room->obs[v] = symbols[v];
	room->n_obs = SYMBOLS;
	need(cscg_room_slip(room, .02, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 8);
	for (t = 0; t < w->n_steps; t++)
		if (cscg_rng_uniform(&rng) < .02)
			w->x[t] = (int)cscg_rng_below(&rng, SYMBOLS);
	cscg_room_free(room);
	return w;
}

/* The share of the steps in the state of most steps of their node. */
static double
located(const struct cscg_merge *f, const struct cscg_walk *w)
{
	int *both = need(calloc((size_t)f->n_states * N, sizeof *both));
	long t, right = 0;
	int z, j, most;

	for (t = 0; t < w->n_steps; t++)
		both[w->z[t] * f->n_states + f->state[t]]++;
	for (z = 0; z < N; z++) {
		for (j = most = 0; j < f->n_states; j++)
			if (both[z * f->n_states + j] > most)
				most = both[z * f->n_states + j];
		right += most;
	}
	free(both);
	return (double)right / (double)w->n_steps;
}

/* From this assignment to n states the search finds the room; takes state. */
static void
repairs(const struct cscg_walk *w, int *state, int n, const char *what)
{
	struct cscg_merge *f;
	int rc = cscg_refine(w, state, n, NULL, &f, &err), j, ascending = 1;

	need(f);
	for (j = 1; j < f->n_states; j++)
		ascending &= f->symbol[j - 1] <= f->symbol[j];
	ok(rc == 1 && f->n_states == N && located(f, w) > .99 && ascending,
	    "%s: %d states, %g of the steps located", what, f->n_states,
	    located(f, w));
	cscg_merge_free(f);
	free(state);
}

static int *
nodes(const struct cscg_walk *w)
{
	return need(cscg_copy(w->z, (size_t)w->n_steps, sizeof *w->z, &err));
}

static void
single_changes(void)
{
	struct cscg_walk *w = noisy_walk(4000, 5);
	int *state = nodes(w);
	long t;

	repairs(w, state, N, "the nodes themselves");
	state = nodes(w);
	for (t = 0; t < w->n_steps; t++)
		state[t] = state[t] == 20 ? 8 : state[t];
	repairs(w, state, N, "two nodes in one state are split");
	state = nodes(w);
	for (t = 0; t < w->n_steps; t++)
		if (state[t] == 20 || state[t] == 21)
			state[t] -= 12;
	repairs(w, state, N, "so are two pairs next to each other");
	state = nodes(w);
	for (t = 0; t < w->n_steps; t++)
		state[t] = state[t] == 9 && t > 2000 ? N : state[t];
	repairs(w, state, N + 1, "two states for one node are merged");
	state = nodes(w);
	for (t = 0; t < w->n_steps; t++)
		if (w->z[t] > 14 && t > 2000)
			state[t] += N - 15;
	repairs(w, state, 2 * N - 15, "so is half of the room");
	state = nodes(w);
	for (t = 100; t < 103; t++)
		state[t] = N;
	repairs(w, state, N + 1, "a state of three steps is removed");
	state = nodes(w);
	for (t = 1; t < w->n_steps; t++)
		if (w->z[t] == 10 && w->z[t - 1] == 9)
			state[t] = 19;
	repairs(w, state, N, "arrivals go to the right state of a symbol");
	cscg_walk_free(w);
}

/*
 * Nodes 8 and 20 are one state, and of node 21, beside 20, the arrivals from
 * elsewhere are in the state of 9, beside 8: the most frequent contradiction of
 * a state does not separate them.
 */
static void
partial_confusion(void)
{
	struct cscg_walk *w = noisy_walk(1000, 7);
	int *state = nodes(w);
	long t, u;

	for (t = 1; t < w->n_steps; t++) {
		if (w->z[t] == 20)
			state[t] = 8;
		if (w->z[t] == 21 && w->z[t - 1] != 20)
			for (u = t; u < w->n_steps && w->z[u] == 21; u++)
				state[u] = 9;
	}
	repairs(w, state, N, "two pairs that are confused in part");
	cscg_walk_free(w);
}

/*
 * The arrivals at a node by one row are in the state beside it.  Its other
 * symbol is then a misread one at each of them.
 */
static void
misread_row(void)
{
	static const struct {
		int from, node, state;
	} row[] = { { 14, 20, 26 }, { 25, 19, 18 }, { 21, 27, 28 } };
	struct cscg_walk *w = noisy_walk(1000, 7);
	size_t i;

	for (i = 0; i < sizeof row / sizeof *row; i++) {
		int *state = nodes(w);
		long t, u;

		for (t = 1; t < w->n_steps; t++)
			if (w->z[t - 1] == row[i].from &&
			    w->z[t] == row[i].node)
				for (u = t;
				     u < w->n_steps && w->z[u] == row[i].node;
				     u++)
					state[u] = row[i].state;
		repairs(w, state, N, "a row leads to the symbol observed");
	}
	cscg_walk_free(w);
}

static int
stop_at_once(void *ctx, const char *stage, double done, double total)
{
	(void)ctx;
	(void)stage;
	(void)done;
	(void)total;
	return 1;
}

static void
whole(void)
{
	struct cscg_poll poll = { .call = stop_at_once };
	struct cscg_walk *w = noisy_walk(4000, 9);
	struct cscg_merge *start = need(cscg_context_symbols(w, &err)), *f;
	int *state;
	long t;

	need(cscg_context_round(w, start, &err) < 0 ? NULL : w);
	state = need(cscg_copy(start->state, (size_t)w->n_steps, sizeof *state,
	    &err));
	ok(start->n_states != N || located(start, w) < .99,
	    "contexts alone are not the room: %d states, %g", start->n_states,
	    located(start, w));
	repairs(w, state, start->n_states, "contexts become the room");
	ok(cscg_refine(w, start->state, start->n_states, &poll, &f, &err) ==
		    1 &&
		f->n_states > 1,
	    "a search that is stopped at once has a result");
	cscg_merge_free(f);
	state = nodes(w);
	ok(cscg_refine(w, state, 513, NULL, &f, &err) == 0 && !f,
	    "too many states");
	w->head.n_obs = 10001;
	ok(cscg_refine(w, state, N, NULL, &f, &err) == 0 && !f,
	    "too many symbols");
	w->head.n_obs = SYMBOLS;
	w->head.n_actions = 65;
	ok(cscg_refine(w, state, N, NULL, &f, &err) == 0 && !f,
	    "too many actions");
	w->head.n_actions = 4;
	for (t = 0; t < w->n_steps; t++)
		state[t] = -1;
	ok(cscg_refine(w, state, 1, NULL, &f, &err) == 0 && !f,
	    "nothing is assigned");
	free(state);
	cscg_merge_free(start);
	cscg_walk_free(w);
}

int
main(void)
{
	single_changes();
	partial_confusion();
	misread_row();
	whole();
	return done();
}
