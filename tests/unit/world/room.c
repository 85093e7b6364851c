/* room - edges, steps, labels, slips, the exact schema, and the file */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/model.h"
#include "world/room_io.h"
#include "tap.h"

static struct cscg_err err;

/*
 * Three nodes in a ring; "go" leads to the next node, "try" does so with
 * probability one half.
 */
static struct cscg_room *
ring(void)
{
	static const char *const actions[] = { "go", "try", NULL };
	static const char *const symbols[] = { "red", "green", NULL };
	struct cscg_room *room = cscg_room_new(3, 2, 2, &err);
	struct cscg_edge e[9];
	int v;

	for (v = 0; v < 3; v++) {
		e[3 * v] = (struct cscg_edge){ 0, v, (v + 1) % 3, 1 };
		e[3 * v + 1] = (struct cscg_edge){ 1, v, (v + 1) % 3, .5 };
		e[3 * v + 2] = (struct cscg_edge){ 1, v, v, .5 };
		room->obs[v] = v == 1;
	}
	cscg_room_set_edges(room, e, 9, &err);
	cscg_names_set(&room->actions, actions, &err);
	cscg_names_set(&room->symbols, symbols, &err);
	return room;
}

/* 2x2 with the actions of a grid. */
static struct cscg_room *
square(void)
{
	static const char *const actions[] = {
		"up",
		"down",
		"left",
		"right",
		NULL,
	};
	static const int next[4][4] = {
		{ 0, 1, 0, 1 },
		{ 2, 3, 2, 3 },
		{ 0, 0, 2, 2 },
		{ 1, 1, 3, 3 },
	};
	struct cscg_room *room = cscg_room_new(4, 4, 4, &err);
	struct cscg_edge e[16];
	int a, v;

	for (a = 0; a < 4; a++)
		for (v = 0; v < 4; v++)
			e[4 * a + v] = (struct cscg_edge){ a, v, next[a][v],
				1 };
	cscg_room_set_edges(room, e, 16, &err);
	cscg_names_set(&room->actions, actions, &err);
	cscg_room_label_unique(room);
	return room;
}

/* P(to | from, a) */
static double
prob(const struct cscg_room *room, int a, int from, int to)
{
	const long *f = room->first + (long)a * room->n_nodes + from;
	long i;

	for (i = f[0]; i < f[1]; i++)
		if (room->to[i] == to)
			return room->p[i];
	return 0;
}

static void
test_edges(void)
{
	struct cscg_room *room = ring();
	struct cscg_edge twice[] = {
		{ 0, 0, 2, .25 },
		{ 0, 0, 1, .5 },
		{ 0, 0, 2, .25 },
		{ 0, 1, 0, 1 },
		{ 0, 2, 0, 1 },
		{ 1, 0, 0, 1 },
		{ 1, 1, 1, 1 },
		{ 1, 2, 2, 1 },
	};

	ok(cscg_room_check(room, &err) == 0, "a ring is a valid room");
	ok(room->first[6] == 9 && room->to[3] == 0 && room->to[4] == 1,
	    "targets of transitions are sorted");
	ok(cscg_room_set_edges(room, twice, 8, &err) == 0 &&
		room->first[6] == 7 && prob(room, 0, 0, 2) == .5,
	    "equal edges are added");
	ok(cscg_room_check(room, &err) == 0,
	    "a room with added edges is valid");
	cscg_room_free(room);
}

/* Violate one invariant after the other. */
static void
test_check(void)
{
	struct cscg_room *room = ring();

	room->obs[2] = 2;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "/obs/2: symbol 2 is outside 0..1"),
	    "a symbol out of range is refused");
	room->obs[2] = 0;
	room->to[1] = 3;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "/next/0/1: target 3 is outside 0..2"),
	    "a target out of range is refused");
	room->to[1] = 2;
	room->p[3] = .6;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "/next/1/0: probabilities sum to 1.1, not 1"),
	    "probabilities that sum to 1.1 are refused");
	room->p[3] = 0;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_ERANGE &&
		strstr(err.msg, "probability 0 is not above 0"),
	    "a probability of 0 is refused");
	room->p[3] = NAN;
	ok(cscg_room_check(room, &err) < 0, "a probability of NaN is refused");
	room->p[3] = .5;
	room->to[3] = 1;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_EFORMAT &&
		strstr(err.msg, "targets must ascend, but 1 follows 1"),
	    "a repeated target is refused");
	room->to[3] = 0;
	ok(cscg_room_check(room, &err) == 0, "the repaired room is valid");
	free(room->symbols.v[1]);
	room->symbols.n = 1;
	ok(cscg_room_check(room, &err) < 0 &&
		!strcmp(err.msg, "/symbols: 1 names for 2"),
	    "too few names are refused");
	cscg_room_free(room);
	cscg_room_free(NULL);
}

static void
test_step(void)
{
	struct cscg_room *room = ring();
	struct cscg_rng rng, same;
	int i, moved = 0;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	same = rng;
	ok(cscg_room_step(room, 2, 0, &rng) == 0 &&
		!memcmp(&rng, &same, sizeof rng),
	    "a deterministic transition draws no random number");
	for (i = 0; i < 10000; i++)
		moved += cscg_room_step(room, 0, 1, &rng) == 1;
	/* sd is 50 */
	ok(abs(moved - 5000) < 250,
	    "half of the stochastic transitions succeed: %d of 10000", moved);
	cscg_room_free(room);
}

/* Does every node keep the name of its symbol, and is map one-to-one? */
static void
test_permute(void)
{
	struct cscg_room *room = ring();
	struct cscg_rng rng;
	int seed, swapped = 0, good = 1, v;

	for (seed = 0; seed < 100; seed++) {
		int before = room->obs[0];

		cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 0);
		if (cscg_room_permute(room, &rng, &err) < 0)
			good = 0;
		swapped += room->obs[0] != before;
		good &= room->obs[0] == room->obs[2] &&
		    room->obs[1] == 1 - room->obs[0];
		for (v = 0; v < 3; v++)
			good &= !strcmp(room->symbols.v[room->obs[v]],
			    v == 1 ? "green" : "red");
	}
	ok(good, "permuted symbols are one-to-one, names follow");
	/* sd is 5 */
	ok(swapped > 25 && swapped < 75,
	    "both permutations are equally likely: %d", swapped);
	cscg_room_label_unique(room);
	ok(room->n_obs == 3 && room->obs[2] == 2 && !room->symbols.n,
	    "unique symbols");
	cscg_room_label_random(room, 7, &rng);
	ok(room->n_obs == 7 && cscg_room_check(room, &err) == 0,
	    "random symbols");
	cscg_room_free(room);
}

static void
test_slip(void)
{
	struct cscg_room *room = square(), *other = ring();

	ok(cscg_room_slip(room, 0, &err) == 0 && room->first[16] == 16,
	    "a slip probability of 0 changes nothing");
	ok(cscg_room_slip(room, .3, &err) == 0 &&
		cscg_room_check(room, &err) == 0,
	    "a slip probability of 0.3 gives a valid room");
	/* At 0 (upper left) right leads to 1; sideways is up (a wall) or down. */
	ok(near(prob(room, 3, 0, 1), .7, 1e-12) &&
		near(prob(room, 3, 0, 2), .1, 1e-12) &&
		near(prob(room, 3, 0, 0), .2, 1e-12),
	    "right: 0.7 right, 0.1 down, 0.2 stays (0.1 of it up)");
	/* up is a wall: it stays, or slips right, or left into a wall. */
	ok(near(prob(room, 0, 0, 0), .9, 1e-12) &&
		near(prob(room, 0, 0, 1), .1, 1e-12),
	    "up into a wall: 0.9 stays, 0.1 right");
	ok(cscg_room_slip(other, .3, &err) < 0 && err.code == CSCG_EMISMATCH,
	    "slips in a ring, which has no sideways actions, are refused");
	cscg_room_free(room);
	cscg_room_free(other);
	room = square();
	ok(cscg_room_slip(room, 1, &err) == 0 &&
		cscg_room_check(room, &err) == 0 && prob(room, 3, 0, 1) == 0,
	    "with a slip probability of 1 the action never succeeds");
	cscg_room_free(room);
}

static void
test_align(void)
{
	static const char *const turned[] = { "try", "go", NULL };
	static const char *const other[] = { "try", "fly", NULL };
	struct cscg_room *a = ring(), *b = ring();
	struct cscg_rng rng = { { 1, 2, 3, 4 } };

	cscg_names_free(&b->actions);
	cscg_names_set(&b->actions, turned, &err);
	b->obs[0] = b->obs[2] = 1;
	b->obs[1] = 0;
	free(b->symbols.v[0]);
	free(b->symbols.v[1]);
	b->symbols.v[0] = strdup("green");
	b->symbols.v[1] = strdup("red");
	ok(cscg_room_align(b, a, &err) == 0 &&
		!strcmp(b->actions.v[0], "go") && prob(b, 1, 0, 1) == 1 &&
		prob(b, 0, 0, 1) == .5,
	    "actions are matched by name");
	ok(b->obs[0] == 0 && b->obs[1] == 1 && !strcmp(b->symbols.v[0], "red"),
	    "symbols are matched by name");
	cscg_names_free(&b->actions);
	cscg_names_set(&b->actions, other, &err);
	ok(cscg_room_align(b, a, &err) < 0 && err.code == CSCG_EMISMATCH,
	    "an action that the other room lacks is refused");
	cscg_room_label_random(b, 5, &rng);
	ok(cscg_room_align(b, a, &err) < 0 && err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg, "5 symbols, but the first room has 2"),
	    "more symbols than the other room are refused");
	cscg_room_free(a);
	cscg_room_free(b);
}

static void
test_frontiers(void)
{
	static const char *const turned[] = { "try", "go", NULL };
	struct cscg_room *room = ring(), *like = ring();
	int i;

	for (i = 0; i < 2; i++) { /* twice is once */
		cscg_room_add_frontier(room, 2, 0, &err);
		cscg_room_add_frontier(room, 0, 1, &err);
		cscg_room_add_frontier(room, 0, 0, &err);
	}
	ok(room->n_frontiers == 3 && room->frontier[0].a == 0 &&
		room->frontier[1].a == 1 && room->frontier[2].state == 2 &&
		cscg_room_check(room, &err) == 0,
	    "frontiers are sorted");
	ok(cscg_room_successor(room, 0, 2) == 0 &&
		cscg_room_successor(room, 1, 2) == -1,
	    "the successor of a deterministic transition");
	cscg_names_free(&like->actions);
	cscg_names_set(&like->actions, turned, &err);
	room->n_frontiers = 2; /* both actions of node 0 */
	room->frontier[1].state = 1;
	ok(cscg_room_align(room, like, &err) == 0 &&
		room->frontier[0].state == 0 && room->frontier[0].a == 1 &&
		room->frontier[1].state == 1 && room->frontier[1].a == 0,
	    "actions of frontiers are renumbered");
	room->frontier[1].state = 0;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_EFORMAT &&
		!strcmp(err.msg,
		    "/frontiers/1: frontiers must ascend, by node, then "
		    "action"),
	    "frontiers out of order are refused");
	room->frontier[1].state = 3;
	ok(cscg_room_check(room, &err) < 0 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "/frontiers/1: node 3 is outside 0..2"),
	    "a frontier node out of range is refused");
	room->n_frontiers = 0;
	room->part = cscg_alloc(3, sizeof *room->part, &err);
	ok(cscg_room_check(room, &err) < 0 &&
		!strcmp(err.msg, "/part: part and parts require each other"),
	    "parts without names are refused");
	cscg_names_add(&room->parts, "one", &err);
	room->part[2] = -1;
	ok(cscg_room_check(room, &err) == 0,
	    "a node may belong to several parts");
	room->part[1] = 1;
	ok(cscg_room_check(room, &err) < 0 &&
		!strcmp(err.msg, "/part/1: 1 is outside -1..0"),
	    "a part out of range is refused");
	cscg_room_free(room);
	cscg_room_free(like);
}

static void
test_model(void)
{
	struct cscg_room *room = ring();
	struct cscg_model *m;
	int node_of[3];

	room->coords = cscg_alloc(6, sizeof *room->coords, &err);
	room->coords[2] = 7; /* row of node 1 */
	m = cscg_room_model(room, 100, 1e-4, node_of, &err);
	ok(m && cscg_model_check(m, &err) == 0 && m->kind == CSCG_GROUNDED &&
		m->n_states == 3 && m->n_actions == 2 && m->n_obs == 2,
	    "the exact schema of a room is valid");
	/* Nodes 0 and 2 are red (symbol 0), node 1 is green. */
	ok(node_of[0] == 0 && node_of[1] == 2 && node_of[2] == 1 &&
		m->clone[1] == 0 && m->clone[2] == 1,
	    "states are sorted by symbol");
	ok(m->coords[4] == 7, "states have the coordinates of their nodes");
	/* (100 + p) / (100 + 3 p), p = 1e-4; node 0 -> 1 is state 0 -> 2. */
	ok(near(cscg_model_T(m, 0, 0, 2), 100.0001 / 100.0003, 1e-12),
	    "a deterministic transition has the whole count");
	ok(near(cscg_model_T(m, 1, 1, 0), 50.0001 / 100.0003, 1e-12),
	    "a transition of probability .5 has half of the count");
	cscg_model_free(m);
	m = cscg_room_model(room, 7, 0, NULL, &err);
	ok(m && m->pseudocount == 0 && near(cscg_model_T(m, 0, 0, 2), 1, 0) &&
		near(cscg_model_T(m, 1, 1, 0), .5, 0) && m->count[0] == 7,
	    "counts and pseudocount can be chosen");
	cscg_model_free(m);
	cscg_room_free(room);
}

/* Write room to path, plain; then read it back. */
static struct cscg_room *
through(const struct cscg_room *room, const char *path)
{
	struct cscg_out *out = cscg_out_open(path, 0, &err);

	if (!out || cscg_room_write(room, out, &err) < 0 ||
	    cscg_out_close(out, &err) < 0)
		return NULL;
	return cscg_room_read_file(path, &err);
}

static char *
text_of(const char *path)
{
	struct cscg_in *in = cscg_in_open(path, &err);
	char *line = NULL, *copy;
	size_t len;

	cscg_in_line(in, &line, &len, &err);
	copy = strdup(line ? line : "");
	cscg_in_close(in);
	return copy;
}

static void
test_file(void)
{
	char path[] = "/tmp/cscg-room-XXXXXX";
	struct cscg_room *room = square(), *back, *again;
	char *one, *two;
	int fd = mkstemp(path);

	close(fd);
	cscg_room_slip(room, .1, &err); /* thirds of tenths: all 17 digits */
	room->name = strdup("na\"me \xc3\xa9");
	room->coords = cscg_alloc(8, sizeof *room->coords, &err);
	room->coords[3] = 1. / 3;
	room->rows = room->cols = 2;
	room->wrap_cols = true;
	room->part = cscg_alloc(4, sizeof *room->part, &err);
	room->part[1] = 1;
	room->part[2] = -1;
	cscg_names_add(&room->parts, "left", &err);
	cscg_names_add(&room->parts, "right", &err);
	cscg_room_add_frontier(room, 3, 0, &err);
	cscg_room_add_frontier(room, 1, 2, &err);
	back = through(room, path);
	ok(back != NULL, "a room is written and read: %s", err.msg);
	if (!back)
		return;
	one = text_of(path);
	ok(back->n_nodes == 4 && back->wrap_cols && !back->wrap_rows &&
		back->rows == 2 && !strcmp(back->name, room->name) &&
		back->coords[3] == 1. / 3,
	    "a room is read back with its grid, name and coordinates");
	ok(back->first[16] == room->first[16] &&
		!memcmp(back->p, room->p, room->first[16] * sizeof *room->p),
	    "probabilities are read back to the last bit");
	ok(back->parts.n == 2 && !strcmp(back->parts.v[1], "right") &&
		back->part[0] == 0 && back->part[1] == 1 &&
		back->part[2] == -1 && back->n_frontiers == 2 &&
		back->frontier[0].state == 1 && back->frontier[0].a == 2 &&
		back->frontier[1].state == 3,
	    "with its parts and frontiers");
	again = through(back, path);
	two = text_of(path);
	ok(again && !strcmp(one, two),
	    "a room that is read and written has the same text");
	ok(cscg_room_read_file("/nonexistent/room", &err) == NULL &&
		err.code == CSCG_EREAD,
	    "a missing file is refused");
	ok(truncate(path, 0) == 0, "a file is emptied");
	ok(cscg_room_read_file(path, &err) == NULL && err.code == CSCG_ECUT &&
		strstr(err.msg, "unexpected end: no cscg-room"),
	    "an empty file is refused");
	free(one);
	free(two);
	cscg_room_free(room);
	cscg_room_free(back);
	cscg_room_free(again);
	unlink(path);
}

int
main(void)
{
	test_edges();
	test_check();
	test_step();
	test_permute();
	test_slip();
	test_align();
	test_frontiers();
	test_model();
	test_file();
	return done();
}
