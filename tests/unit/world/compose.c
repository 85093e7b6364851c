/*
 * compose - position of the second room, cells, edges and parts of the result
 */
#include <stdlib.h>
#include <string.h>

#include "world/compose.h"
#include "world/digit.h"
#include "tap.h"
#include "walker.h"

/* The room of a map, with a name. */
static struct cscg_room *
room_of(const char *map, const char *name)
{
	struct cscg_room *room = rows_room(map);

	room->name = need(strdup(name));
	return room;
}

static struct cscg_room *
composed(const char *a, const char *b, int shared)
{
	struct cscg_room *ra = room_of(a, "a"), *rb = room_of(b, "b");
	struct cscg_room *room = cscg_compose_overlap(ra, rb, shared, &err);

	cscg_room_free(ra);
	cscg_room_free(rb);
	return room;
}

/* The parts of a room drawn: 0, 1, * for both, . for none. */
static int
looks(const struct cscg_room *room, const char *want)
{
	char got[256];
	int v, n = (room->cols + 1) * room->rows;

	memset(got, '.', sizeof got);
	for (v = 0; v < room->rows; v++)
		got[v * (room->cols + 1) + room->cols] = '/';
	got[n - 1] = '\0';
	for (v = 0; v < room->n_nodes; v++)
		got[(int)room->coords[2 * v] * (room->cols + 1) +
		    (int)room->coords[2 * v + 1]] = room->part[v] < 0 ?
		    '*' :
		    (char)('0' + room->part[v]);
	if (strcmp(got, want))
		printf("# %s, not %s\n", got, want);
	return cscg_room_check(room, &err) == 0 && !strcmp(got, want);
}

static void
check(const char *a, const char *b, int shared, const char *want,
    const char *why)
{
	struct cscg_room *room = composed(a, b, shared);

	ok(room && looks(room, want), "%s", why);
	cscg_room_free(room);
}

static void
test_shift(void)
{
	check("##/##", "##/##", 2, "0*1/0*1",
	    "two shared cells are one column");
	check("##/##", "##/##", 1, "0*1/0*1",
	    "one shared cell is not possible: two are shared");
	check("##/##", "##/##", 3, "**/**",
	    "three shared cells: the rooms coincide");
	check("##/##", "##/##", 0, "0011/0011",
	    "no shared cell: the rooms are adjacent");
	check("##/#.", "##/##", 1, "0*1/011",
	    "the rightmost shift with one shared cell is chosen");
	check("#.#", "###", 1, "01*1",
	    "a shift that leaves two components is skipped");
	check(".#", "#", 1, ".*", "a room may lie inside the other");
	check("#.", ".#", 1, ".*.", "a room may begin left of the other");
	check("#/#/#", "##", 1, "*1/0./0.", "rows are not shifted");
}

static void
test_faults(void)
{
	struct cscg_shape torus = { .kind = CSCG_TORUS, .rows = 3, .cols = 3 };
	struct cscg_grid *grid = need(cscg_shape_grid(&torus, &err));
	struct cscg_room *ring = need(cscg_grid_to_room(grid, false, &err));
	struct cscg_room *flat = room_of("##", "flat");

	ok(!composed("##", "##", 3) && err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "no shift along the row makes the rooms share 3 cells in "
		    "one piece"),
	    "more shared cells than exist are refused");
	ok(!cscg_compose_overlap(ring, flat, 1, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg, "the first room: its edges wrap"),
	    "a torus is refused");
	free(flat->coords);
	flat->coords = NULL;
	ring->wrap_rows = ring->wrap_cols = false;
	ok(!cscg_compose_overlap(flat, ring, 1, &err) &&
		!strcmp(err.msg,
		    "the first room: it was not cut from a grid of at most "
		    "1000000 cells"),
	    "a room without coordinates is refused");
	ok(!cscg_compose_overlap(ring, ring, 1, &err) &&
		!strcmp(err.msg,
		    "the first room: up of 0,0 does not lead to the next "
		    "cell"),
	    "a torus without wrap flags is refused");
	cscg_room_free(ring);
	cscg_room_free(flat);
	cscg_grid_free(grid);
}

static void
test_whole(void)
{
	struct cscg_room *room = composed("##/##/##", "##/##/##", 3), *a, *b;

	ok(room && looks(room, "0*1/0*1/0*1") && room->n_obs == 9 &&
		room->obs[4] == 0 && room->obs[0] == 1 && room->obs[5] == 5,
	    "a cell that is border in both rooms may be interior in the "
	    "whole");
	ok(room->parts.n == 2 && !strcmp(room->parts.v[0], "a") &&
		!strcmp(room->parts.v[1], "b"),
	    "parts have the rooms' names");
	cscg_room_free(room);

	a = room_of("##", "twin");
	b = room_of("##", "twin");
	/*
	 * From the first cell of a, right is blocked; the inverse transition is
	 * not.
	 */
	a->to[a->first[CSCG_RIGHT * 2]] = 0;
	room = need(cscg_compose_overlap(a, b, 1, &err));
	ok(looks(room, "0*1") &&
		cscg_room_successor(room, CSCG_RIGHT, 0) == 0 &&
		cscg_room_successor(room, CSCG_LEFT, 1) == 0 &&
		cscg_room_successor(room, CSCG_RIGHT, 1) == 2,
	    "a move blocked in one room stays blocked");
	ok(!strcmp(room->parts.v[1], "twin-2"),
	    "equal names are made distinct");
	cscg_room_free(room);
	cscg_room_free(a);
	cscg_room_free(b);
}

/*
 * The eight pairs of the paper.  Shift and shared pixels were counted in the
 * images by a few lines of Python, not with this library.
 */
static void
test_digits(void)
{
	static const int want[][4] = {
		{ 2, 3, 13, 6 },
		{ 5, 1, 13, 7 },
		{ 5, 3, 10, 7 },
		{ 2, 7, 10, 6 },
		{ 0, 9, 14, 8 },
		{ 9, 3, 8, 6 },
		{ 4, 6, 14, 7 },
		{ 8, 7, 10, 9 },
	};
	size_t i;
	int v, both;

	for (i = 0; i < sizeof want / sizeof *want; i++) {
		struct cscg_grid *a = need(cscg_digit_grid(want[i][0], &err));
		struct cscg_grid *b = need(cscg_digit_grid(want[i][1], &err));
		struct cscg_room *ra = need(cscg_grid_to_room(a, false, &err));
		struct cscg_room *rb = need(cscg_grid_to_room(b, false, &err));
		struct cscg_room *room = need(cscg_compose_overlap(ra, rb, 6,
		    &err));

		for (v = both = 0; v < room->n_nodes; v++)
			both += room->part[v] < 0;
		ok(cscg_room_check(room, &err) == 0 && room->rows == 28 &&
			room->cols == 28 + want[i][2] && both == want[i][3] &&
			room->n_nodes == ra->n_nodes + rb->n_nodes - both,
		    "%d and %d: %d to the right, %d shared", want[i][0],
		    want[i][1], room->cols - 28, both);
		cscg_room_free(room);
		cscg_room_free(ra);
		cscg_room_free(rb);
		cscg_grid_free(a);
		cscg_grid_free(b);
	}
}

int
main(void)
{
	test_shift();
	test_faults();
	test_whole();
	test_digits();
	return done();
}
