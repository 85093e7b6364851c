/*
 * merge_inverse.c - inverse-action merging gives the graph that generated the
 * walk, or none
 *
 * The true nodes are in the walk (z), which merging does not use.
 */
#include <string.h>

#include "learn/merge.h"
#include "maze.h"
#include "tap.h"
#include "walker.h"

enum { SEEDS = 5 };

/* Aliased corridors, and a few cells with symbols of their own. */
static const char *const maze[] = {
	"Kkkkk.Bbb",
	"k...k.b.b",
	"kkCkkkbbb",
	".k...k...",
	"kkkTkkkkS",
	NULL,
};

/*
 * Corridors give too little evidence for merging by agreement alone: wrong merges
 * must be undone.
 */
static void
corridors(void)
{
	struct cscg_room *room = map_room(maze);
	int i, plain = 0, lawful = 0;

	for (i = 1; i <= SEEDS; i++) {
		struct walker how = {
			.n = 400, .episodes = 24, .seed = (uint64_t)i
		};
		struct cscg_walk *w = walk_in(room, &how);
		struct cscg_merge *f = NULL, *g = NULL;

		need(cscg_merge(w, SIZE_MAX, NULL, &f, &err) < 0 ||
			    cscg_merge_by_inverses(w, 1, NULL, &g, &err) < 0 ?
			NULL :
			w);
		plain += exact(f, w, room->n_nodes);
		lawful += exact(g, w, room->n_nodes);
		cscg_merge_free(f);
		cscg_merge_free(g);
		cscg_walk_free(w);
	}
	ok(plain == SEEDS,
	    "with merges checked by inverse transitions %d of %d mazes are "
	    "found",
	    plain, SEEDS);
	ok(lawful == SEEDS, "with guesses all %d are found", lawful);
	cscg_room_free(room);
}

/* Runs of 2 to 6 equal actions, with 4 symbols for 49 cells. */
static void
straight_runs(void)
{
	int i, good = 0;

	for (i = 1; i <= SEEDS; i++) {
		struct cscg_room *room = shape_room(CSCG_RECTANGLE, 7, 7);
		struct walker how = {
			.n = 20000, .run = 6, .seed = (uint64_t)i
		};
		struct cscg_merge *f = NULL;
		struct cscg_rng rng;
		struct cscg_walk *w;

		cscg_rng_seed(&rng, (uint64_t)i, CSCG_RNG_TEST, 0, 1);
		cscg_room_label_random(room, 4, &rng);
		w = walk_in(room, &how);
		need(cscg_merge_by_inverses(w, 1, NULL, &f, &err) < 0 ? NULL :
									w);
		good += exact(f, w, room->n_nodes);
		cscg_merge_free(f);
		cscg_walk_free(w);
		cscg_room_free(room);
	}
	ok(good == SEEDS, "straight runs: %d of %d rooms are found", good,
	    SEEDS);
}

static bool
equal(const struct cscg_merge *f, const struct cscg_merge *g, long n)
{
	return f && g && f->n_states == g->n_states &&
	    f->assigned == g->assigned &&
	    !memcmp(f->symbol, g->symbol,
		(size_t)f->n_states * sizeof *f->symbol) &&
	    !memcmp(f->state, g->state, (size_t)n * sizeof *f->state);
}

static void
invariants(void)
{
	struct cscg_room *room = map_room(maze);
	struct walker how = { .n = 300, .episodes = 16, .seed = 3 };
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_merge *f = NULL, *again = NULL;
	int rc = cscg_merge_by_inverses(w, 7, NULL, &f, &err), bad = 0,
	    *z = w->z;
	long t, settled = 0;

	ok(rc == 1 && f, "inverse-action merging succeeds");
	for (t = 0; f && t < w->n_steps; t++) {
		settled += f->state[t] >= 0;
		bad += f->state[t] < -1 || f->state[t] >= f->n_states ||
		    (f->state[t] >= 0 && f->symbol[f->state[t]] != w->x[t]);
	}
	ok(!bad, "every step is in a state of its symbol, or in none");
	ok(f && f->assigned == (double)settled / (double)w->n_steps,
	    "assigned is the fraction of steps with a state");
	w->z = NULL;
	cscg_merge_by_inverses(w, 7, NULL, &again, &err);
	ok(equal(f, again, w->n_steps),
	    "a seed fixes the result, without true nodes");
	w->z = z;
	cscg_merge_free(f);
	cscg_merge_free(again);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/*
 * No result for a walk in room, in which no action has an inverse; frees room.
 */
static void
declines(const char *name, struct cscg_room *room, struct walker how)
{
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_merge *f = NULL;
	int rc = cscg_merge_by_inverses(w, 1, NULL, &f, &err);

	ok(rc == 0 && !f, "%s: without inverse actions there is no result",
	    name);
	cscg_merge_free(f);
	cscg_walk_free(w);
	cscg_room_free(room);
}

static void
lawless(void)
{
	/*
	 * A ring of five with steps of one or two: no two actions are inverse.
	 */
	static const int obs[5] = { 0, 1, 2, 1, 2 };
	static const int next[10] = { 1, 2, 3, 4, 0, 2, 3, 4, 0, 1 };
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);

	need(cscg_room_slip(room, 0.1, &err) < 0 ? NULL : room);
	declines("chance", room, (struct walker){ .n = 5000, .seed = 1 });
	declines("one-way transitions", hand_room(5, 2, 3, obs, next),
	    (struct walker){ .n = 2000, .seed = 1 });
	declines("ten steps", map_room(maze),
	    (struct walker){ .n = 10, .seed = 1 });
	declines("one step", map_room(maze),
	    (struct walker){ .n = 1, .seed = 1 });
	declines("no observations", map_room(maze),
	    (struct walker){ .n = 1000, .dropout = 1, .seed = 1 });
}

/* ---- short walks, where every rule of the search decides something ---- */

/* A smaller maze, and a ring with an arm. */
static const char *const small[] = { "Kkk.B", "k.kkk", "kkk.S", NULL };
static const char *const arm[] = { "aaab", "a.a.", "aaac", NULL };

static int
count_poll(void *ctx, const char *stage, double done, double total)
{
	long *n = ctx;

	(void)stage;
	(void)total;
	n[0]++;
	n[1] += (long)done;
	return 0;
}

/*
 * The results and the numbers of polls and of pairs compared of version 2.0.0, summed
 * over five seeds (merge.c).
 */
static void
kept_results(void)
{
	struct {
		const char *name;
		struct cscg_room *room;
		struct walker how;
		long want[5]; /* states, complete graphs, steps with a state,
		                 polls, pairs so far at each */
	} row[] = {
		{ "maze of 1500 steps", map_room(maze),
		    { .n = 300, .episodes = 5 },
		    { 31, 0, 941, 2159, 3822005 } },
		{ "small maze", map_room(small), { .n = 1000 },
		    { 10, 0, 537, 756, 1676546 } },
		{ "a longer walk", map_room(small), { .n = 2000 },
		    { 41, 1, 4861, 24827, 5193108328 } },
		{ "ring with arms", map_room(arm), { .n = 4000 },
		    { 66, 0, 6871, 4973, 50142956 } },
		{ "missing symbols", map_room(small),
		    { .n = 300, .episodes = 5, .dropout = .05 },
		    { 42, 0, 2333, 2491, 14523273 } },
		{ "4x4 with 3 symbols", random_symbols(4, 4, 3), { .n = 1500 },
		    { 80, 4, 7464, 545, 58573 } },
		{ "straight runs in 4x5", random_symbols(4, 5, 3),
		    { .n = 3000, .run = 4 },
		    { 100, 3, 14864, 23544, 3627176243 } },
		{ "resets", random_symbols(3, 4, 3),
		    { .n = 2000, .reset = .02 }, { 60, 0, 9340, 170, 816 } },
	};
	size_t k;

	for (k = 0; k < sizeof row / sizeof *row; k++) {
		long got[5] = { 0 };
		int i;

		for (i = 0; i < 5; i++) {
			struct cscg_poll poll = { .call = count_poll,
				.ctx = got + 3 };
			struct cscg_merge *f = NULL;
			struct cscg_walk *w;

			row[k].how.seed = (uint64_t)i + 1;
			w = walk_in(row[k].room, &row[k].how);
			need(cscg_merge_by_inverses(w, 1, &poll, &f, &err) <
				    0 ?
				NULL :
				w);
			if (f) {
				got[0] += f->n_states;
				got[1] += f->complete;
				got[2] += lround(f->assigned *
				    (double)w->n_steps);
			}
			cscg_merge_free(f);
			cscg_walk_free(w);
		}
		if (!ok(!memcmp(got, row[k].want, sizeof got),
			"%s: the results of version 2.0.0", row[k].name))
			printf("# { %ld, %ld, %ld, %ld, %ld }\n", got[0],
			    got[1], got[2], got[3], got[4]);
		cscg_room_free(row[k].room);
	}
}

int
main(void)
{
	corridors();
	straight_runs();
	invariants();
	lawless();
	kept_results();
	return done();
}
