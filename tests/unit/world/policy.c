/* policy - random, repeated and covering walks */
#include <stdlib.h>
#include <string.h>

#include "world/grid.h"
#include "world/policy.h"
#include "tap.h"

static struct cscg_err err;

static struct cscg_room *
shape(enum cscg_shape_kind kind)
{
	struct cscg_shape s = { .kind = kind, .hole_row = -1, .hole_col = -1 };
	struct cscg_grid *grid;
	struct cscg_room *room;

	cscg_shape_size(kind, 1, &s.rows, &s.cols);
	cscg_shape_resolve(&s, &err);
	grid = cscg_shape_grid(&s, &err);
	room = cscg_grid_to_room(grid, false, &err);
	cscg_grid_free(grid);
	return room;
}

/* Steps until every (node, action) was taken rounds times; at most max. */
static long
steps_to_cover(const struct cscg_room *room, enum cscg_policy_kind kind,
    int rounds, long max, uint64_t seed)
{
	int pairs = room->n_nodes * room->n_actions, left = pairs;
	int *n = calloc(pairs, sizeof *n);
	struct cscg_policy *policy = cscg_policy_new(kind, 1, room, &err);
	struct cscg_rng rng, world;
	int node, a;
	long t;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 0);
	cscg_rng_seed(&world, seed, CSCG_RNG_TEST, 1, 0);
	node = (int)cscg_rng_below(&world, room->n_nodes);
	for (t = 0; left && t < max; t++) {
		a = cscg_policy_next(policy, node, &rng);
		left -= ++n[node * room->n_actions + a] == rounds;
		node = cscg_room_step(room, node, a, &world);
	}
	cscg_policy_free(policy);
	free(n);
	return t;
}

static void
test_cover(void)
{
	static const char *const names[] = {
		"rectangle",
		"hole",
		"ushape",
		"cylinder",
		"torus",
	};
	int kind, seed;

	for (kind = CSCG_RECTANGLE; kind <= CSCG_TORUS; kind++) {
		struct cscg_room *room = shape(kind);
		int pairs = 4 * room->n_nodes;
		long cover = 0, random = 0, thrice = 0;

		for (seed = 0; seed < 5; seed++) {
			cover += steps_to_cover(room, CSCG_COVER, 1, 100000,
			    seed);
			thrice += steps_to_cover(room, CSCG_COVER, 3, 100000,
			    seed);
			random += steps_to_cover(room, CSCG_RANDOM, 1, 100000,
			    seed);
		}
		/*
		 * Each pair takes one step; other steps lead to untried pairs.
		 */
		ok(2 * cover < 3 * 5 * pairs,
		    "%s: cover takes all %d pairs of node and action in %ld "
		    "steps",
		    names[kind], pairs, cover / 5);
		ok(cover * 4 < random, "%s: a random walk takes %ld steps",
		    names[kind], random / 5);
		ok(2 * thrice < 3 * 5 * 3 * pairs,
		    "%s: three rounds of cover take %ld steps", names[kind],
		    thrice / 5);
		cscg_room_free(room);
	}
}

/* A room with an absorbing node: from 0 to 1, and no transition back. */
static void
test_trap(void)
{
	struct cscg_room *room = cscg_room_new(2, 2, 1, &err);
	struct cscg_edge e[] = {
		{ 0, 0, 1, 1 },
		{ 1, 0, 1, 1 },
		{ 0, 1, 1, 1 },
		{ 1, 1, 1, 1 },
	};
	struct cscg_policy *policy;
	struct cscg_rng rng;
	int node = 0, n[2] = { 0, 0 }, t, a;

	cscg_room_set_edges(room, e, 4, &err);
	policy = cscg_policy_new(CSCG_COVER, 1, room, &err);
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (t = 0; t < 101; t++) {
		a = cscg_policy_next(policy, node, &rng);
		n[a] += t > 0;
		node = cscg_room_step(room, node, a, &rng);
	}
	ok(n[0] == 50 && n[1] == 50,
	    "in an absorbing node cover takes all its actions");
	cscg_policy_free(policy);
	cscg_room_free(room);
}

/*
 * With slips some pairs are reached at random only; all are reached eventually.
 */
static void
test_slip(void)
{
	struct cscg_room *room = shape(CSCG_HOLE);
	long cover, random;

	cscg_room_slip(room, .2, &err);
	cover = steps_to_cover(room, CSCG_COVER, 1, 100000, 1);
	random = steps_to_cover(room, CSCG_RANDOM, 1, 100000, 1);
	ok(cover * 3 < random,
	    "with slips cover takes %ld steps, a random walk %ld", cover,
	    random);
	cscg_room_free(room);
}

static void
test_repeat(void)
{
	struct cscg_room *room = shape(CSCG_TORUS);
	struct cscg_policy *policy = cscg_policy_new(CSCG_REPEAT, 3, room,
	    &err);
	struct cscg_rng rng;
	int n[4] = { 0 }, t, a = -1, last, same = 1;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 0);
	for (t = 0; t < 12000; t++) {
		last = a;
		a = cscg_policy_next(policy, 0, &rng);
		same &= t % 3 == 0 || a == last;
		n[a] += t % 3 == 0;
	}
	ok(same, "repeat: each action is taken three times");
	/* 4000 choices, sd is 27 */
	ok(abs(n[0] - 1000) < 140 && abs(n[1] - 1000) < 140 &&
		abs(n[2] - 1000) < 140 && abs(n[3] - 1000) < 140,
	    "repeat: all actions are equally likely: %d %d %d %d", n[0], n[1],
	    n[2], n[3]);
	cscg_policy_free(policy);
	cscg_room_free(room);
}

static void
test_parse(void)
{
	enum cscg_policy_kind kind;
	long k;

	ok(cscg_policy_parse("random", &kind, &k, &err) == 0 &&
		kind == CSCG_RANDOM,
	    "random is parsed");
	ok(cscg_policy_parse("cover", &kind, &k, &err) == 0 &&
		kind == CSCG_COVER,
	    "cover is parsed");
	ok(cscg_policy_parse("repeat:12", &kind, &k, &err) == 0 &&
		kind == CSCG_REPEAT && k == 12,
	    "repeat:12 is parsed");
	ok(cscg_policy_parse("repeat:0", &kind, &k, &err) < 0 &&
		err.code == CSCG_EUSAGE,
	    "repeat:0 is refused");
	ok(cscg_policy_parse("repeat:3x", &kind, &k, &err) < 0 &&
		cscg_policy_parse("repeat:99999999999", &kind, &k, &err) < 0 &&
		cscg_policy_parse("repeat", &kind, &k, &err) < 0 &&
		cscg_policy_parse("", &kind, &k, &err) < 0,
	    "malformed policies are refused");
}

int
main(void)
{
	test_parse();
	test_cover();
	test_trap();
	test_slip();
	test_repeat();
	return done();
}
