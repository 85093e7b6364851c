/* join - positions, doors, symbols, and errors */
#include <stdlib.h>
#include <string.h>

#include "world/grid.h"
#include "world/compose.h"
#include "world/room.h"
#include "tap.h"
#include "walker.h"

enum { UP, DOWN, LEFT, RIGHT };

static struct cscg_room *
joined(struct cscg_room **v, int n, const struct cscg_compose_plan *plan)
{
	const struct cscg_room *const *rooms =
	    (const struct cscg_room *const *)v;
	struct cscg_door *door = NULL;
	struct cscg_room *room = NULL;
	double place[20];
	long n_doors;

	if (cscg_compose_layout(rooms, n, plan, place, &door, &n_doors,
		&err) == 0)
		room = cscg_compose_join(rooms, n, place, door, n_doors,
		    CSCG_COMPOSE_BORDER, &err);
	free(door);
	return room;
}

/* Are these the frontiers, n pairs of node and action? */
static int
frontiers(const struct cscg_room *room, long n, const int (*want)[2])
{
	long i;

	for (i = 0; i < n && i < room->n_frontiers; i++)
		if (room->frontier[i].state != want[i][0] ||
		    room->frontier[i].a != want[i][1]) {
			printf("# %ld: %d %d\n", i, room->frontier[i].state,
			    room->frontier[i].a);
			return 0;
		}
	return room->n_frontiers == n;
}

/*
 *	0 1 . 4 5
 *	2 3-.-6 7	the door is in the later of the two middles
 */
static void
test_row(void)
{
	struct cscg_room *v[] = { rows_room("##/##"), rows_room("##/##") };
	struct cscg_compose_plan plan = { .rows = 1, .cols = 2 };
	struct cscg_room *room = need(joined(v, 2, &plan));

	ok(cscg_room_check(room, &err) == 0 && room->n_nodes == 8 &&
		room->rows == 2 && room->cols == 5 &&
		room->coords[2 * 6] == 1 && room->coords[2 * 6 + 1] == 3,
	    "two rooms are placed side by side with a gap");
	ok(cscg_room_successor(room, RIGHT, 3) == 6 &&
		cscg_room_successor(room, LEFT, 6) == 3,
	    "a door leads in both directions");
	ok(cscg_room_successor(room, RIGHT, 1) == 1 &&
		cscg_room_successor(room, LEFT, 4) == 4 &&
		cscg_room_successor(room, RIGHT, 7) == 7 &&
		cscg_room_successor(room, UP, 6) == 4,
	    "other moves between the rooms are blocked");
	ok(frontiers(room, 2, (const int[][2]){ { 3, RIGHT }, { 6, LEFT } }),
	    "moves through the door are frontiers");
	ok(room->part[3] == 0 && room->part[4] == 1 &&
		cscg_room_part_size(room, 1) == 4 && room->parts.n == 2 &&
		!strcmp(room->parts.v[1], "part-2"),
	    "each node has its part");
	cscg_room_free(room);

	cscg_room_free(v[0]);
	cscg_room_free(v[1]);
}

/*
 *	0 .|. 3		the rooms are closest on the second line only
 *	1 2|. 4
 */
static void
test_shapes(void)
{
	struct cscg_room *v[] = { rows_room("#./##"), rows_room(".#/.#"),
		rows_room("##"), rows_room("##") };
	struct cscg_compose_plan plan = { .rows = 1, .cols = 2 };
	struct cscg_room *room = need(joined(v, 2, &plan));

	ok(frontiers(room, 2, (const int[][2]){ { 2, RIGHT }, { 4, LEFT } }),
	    "doors are placed where rooms are closest");
	cscg_room_free(room);

	/*
	 * 0 .|. 3
	 * 1 2|. 4
	 * ---+---
	 * 5 6|7 8	down from 2 to 6 or 1 to 5: the later middle, 2
	 */
	plan.rows = 2;
	room = need(joined(v, 4, &plan));
	ok(cscg_room_check(room, &err) == 0 && room->n_nodes == 9 &&
		frontiers(room, 8,
		    (const int[][2]){ { 2, DOWN }, { 2, RIGHT }, { 4, DOWN },
			{ 4, LEFT }, { 6, UP }, { 6, RIGHT }, { 7, LEFT },
			{ 8, UP } }),
	    "two rows of two have four doors");
	ok(cscg_room_successor(room, DOWN, 2) == 6 &&
		cscg_room_successor(room, UP, 8) == 4,
	    "doors lead to the room below and back");
	cscg_room_free(room);
	/* The last position stays empty. */
	room = need(joined(v, 3, &plan));
	ok(room->n_frontiers == 4, "three rooms in two rows have two doors");
	cscg_room_free(room);
	for (plan.rows = 0; plan.rows < 4; plan.rows++)
		cscg_room_free(v[plan.rows]);
}

static void
test_random(void)
{
	struct cscg_room *v[] = { rows_room("#/#/#/#"), rows_room("#/#/#/#") };
	struct cscg_rng rng;
	struct cscg_compose_plan plan = { .rows = 1, .cols = 2, .rng = &rng };
	int count[4] = { 0 }, i;

	for (i = 0; i < 400; i++) {
		struct cscg_room *room;

		cscg_rng_seed(&rng, i, CSCG_RNG_TEST, 0, 0);
		room = need(joined(v, 2, &plan));
		count[room->frontier[0].state]++;
		cscg_room_free(room);
	}
	/* sd is 8.7 */
	for (i = 0; i < 4; i++)
		ok(abs(count[i] - 100) < 45,
		    "row %d has the door %d times of 400", i, count[i]);
	cscg_room_free(v[0]);
	cscg_room_free(v[1]);
}

/* Rooms with frontiers. */
static void
test_marked(void)
{
	struct cscg_room *v[] = { rows_room("##/##/##"),
		rows_room("##/##/##") };
	struct cscg_compose_plan plan = { .rows = 1, .cols = 2 };
	struct cscg_room *room;

	cscg_room_add_frontier(v[0], 1, RIGHT, &err);
	room = need(joined(v, 2, &plan));
	ok(frontiers(room, 2, (const int[][2]){ { 1, RIGHT }, { 6, LEFT } }),
	    "a marked door is used instead of the middle");
	cscg_room_free(room);
	cscg_room_add_frontier(v[1], 4, LEFT, &err);
	cscg_room_add_frontier(v[1], 0, UP, &err);
	room = need(joined(v, 2, &plan));
	ok(frontiers(room, 2, (const int[][2]){ { 1, RIGHT }, { 10, LEFT } }),
	    "two marked doors are joined; other marks are removed");
	cscg_room_free(room);
	v[1]->n_frontiers = 1; /* the one up */
	ok(!joined(v, 2, &plan) && err.code == CSCG_EMISMATCH,
	    "marked doors that do not face each other are refused");
	cscg_room_free(v[0]);
	cscg_room_free(v[1]);
}

static void
test_symbols(void)
{
	static const char *const names[2][4] = {
		{ "red", "green", "blue", NULL },
		{ "blue", "red", "white", NULL },
	};
	struct cscg_room *v[] = { rows_room("###/###/###"),
		rows_room("###/###/###") },
			 *room;
	const struct cscg_room *const *rooms =
	    (const struct cscg_room *const *)v;
	const double place[4] = { 0 };
	const struct cscg_door door = { 0, 5, RIGHT, 1, 3 };
	int i, k;

	room = need(cscg_compose_join(rooms, 2, place, &door, 1,
	    CSCG_COMPOSE_BORDER, &err));
	ok(room->n_obs == 17 && room->obs[4] == 0 && room->obs[13] == 0 &&
		room->obs[0] == 1 && room->obs[9] == 9 && room->obs[17] == 16,
	    "border: interiors share a symbol, 16 border cells have their "
	    "own");
	ok(cscg_room_successor(room, RIGHT, 5) == 12 &&
		cscg_room_successor(room, LEFT, 12) == 12,
	    "a door is one-way");
	cscg_room_free(room);
	room = need(cscg_compose_join(rooms, 2, place, &door, 1,
	    CSCG_COMPOSE_DISTINCT, &err));
	ok(room->n_obs == 18 && room->obs[4] == 0 && room->obs[13] == 9 &&
		room->obs[17] == 17,
	    "distinct: symbols of the second room follow those of the first");
	cscg_room_free(room);
	room = need(cscg_compose_join(rooms, 2, place, &door, 1,
	    CSCG_COMPOSE_SHARED, &err));
	ok(room->n_obs == 9 && room->obs[13] == 0 && room->obs[17] == 8,
	    "shared: both rooms have the same symbols");
	cscg_room_free(room);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 9; i++)
			v[k]->obs[i] = i % 3;
		v[k]->n_obs = 3;
		cscg_names_set(&v[k]->symbols, names[k], &err);
	}
	room = need(cscg_compose_join(rooms, 2, place, &door, 1,
	    CSCG_COMPOSE_SHARED, &err));
	ok(room->n_obs == 4 && room->obs[9] == 2 && room->obs[10] == 0 &&
		room->obs[11] == 3 && !strcmp(room->symbols.v[3], "white"),
	    "shared: named symbols are joined by name");
	cscg_room_free(room);
	cscg_room_free(v[0]);
	cscg_room_free(v[1]);
}

/* Three nodes in a ring; actions "go" and "stay", in either order. */
static struct cscg_room *
ring(int go)
{
	static const char *const actions[][3] = {
		{ "go", "stay", NULL },
		{ "stay", "go", NULL },
	};
	struct cscg_room *room = need(cscg_room_new(3, 2, 1, &err));
	struct cscg_edge e[6];
	int v;

	for (v = 0; v < 3; v++) {
		e[2 * v] = (struct cscg_edge){ go, v, (v + 1) % 3, 1 };
		e[2 * v + 1] = (struct cscg_edge){ 1 - go, v, v, 1 };
	}
	cscg_room_set_edges(room, e, 6, &err);
	cscg_names_set(&room->actions, actions[go], &err);
	return room;
}

static void
test_any(void)
{
	struct cscg_room *v[] = { ring(0), ring(1) }, *room;
	const struct cscg_room *const *rooms =
	    (const struct cscg_room *const *)v;
	/* stay of node 2 of either leads to node 0 of the other */
	const struct cscg_door door[] = { { 0, 2, 1, 1, 0 },
		{ 1, 2, 0, 0, 0 } };
	const double place[4] = { 0 };

	room = need(cscg_compose_join(rooms, 2, place, door, 2,
	    CSCG_COMPOSE_DISTINCT, &err));
	ok(cscg_room_check(room, &err) == 0 && !room->coords &&
		cscg_room_successor(room, 0, 3) == 4 &&
		cscg_room_successor(room, 1, 3) == 3,
	    "rooms without coordinates are joined, actions by name");
	ok(cscg_room_successor(room, 1, 2) == 3 &&
		cscg_room_successor(room, 1, 5) == 0 &&
		frontiers(room, 2, (const int[][2]){ { 2, 1 }, { 5, 1 } }),
	    "given doors are made");
	cscg_room_free(room);
	ok(!cscg_compose_join(rooms, 2, place, door, 2, CSCG_COMPOSE_BORDER,
	       &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "room 0: it was not cut from a grid of at most 1000000 "
		    "cells"),
	    "border symbols need coordinates");
	free(v[1]->actions.v[0]);
	v[1]->actions.v[0] = strdup("fly");
	ok(!cscg_compose_join(rooms, 2, place, door, 2, CSCG_COMPOSE_DISTINCT,
	       &err) &&
		err.code == CSCG_EMISMATCH && !strncmp(err.msg, "room 1: ", 8),
	    "other actions are refused");
	cscg_room_free(v[0]);
	cscg_room_free(v[1]);
}

int
main(void)
{
	test_row();
	test_shapes();
	test_random();
	test_marked();
	test_symbols();
	test_any();
	return done();
}
