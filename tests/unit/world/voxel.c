/* voxel - heights, transitions and maps of 3D rooms */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "need.h"
#include "world/room_io.h"
#include "tap.h"
#include "world/voxel_io.h"

/* The map in text, or NULL with err filled. */
static struct cscg_voxel *
read_map(const char *text)
{
	char path[] = "/tmp/cscg-voxel-XXXXXX";
	int fd = mkstemp(path);
	struct cscg_voxel *v = NULL;
	struct cscg_in *in;
	size_t n = strlen(text);

	if (write(fd, text, n) == (ssize_t)n) {
		in = cscg_in_open(path, &err);
		v = cscg_voxel_read(in, &err);
		cscg_in_close(in);
	}
	close(fd);
	unlink(path);
	return v;
}

/* The message of an error, without the name of the file. */
static int
refuses(const char *text, const char *why)
{
	struct cscg_voxel *v = read_map(text);
	const char *at = strstr(err.msg, "': ");
	int good = !v && at && !strcmp(at + 3, why);

	if (!good)
		printf("# %s\n", v ? "accepted" : err.msg);
	cscg_voxel_free(v);
	return good;
}

/* Does forward lead from one cell to the next? */
static int
goes(const struct cscg_voxel *v, int row, int col, int heading)
{
	return cscg_voxel_successor(v, row * v->cols + col, heading) >= 0;
}

/*
 * By hand: the ramp rises by 1 m in two cells, so its cells lie at 0.25 m and
 * 0.75 m in the middle, and at 0, 0.5 and 1 m where they meet.
 */
static void
test_heights(void)
{
	struct cscg_voxel *v = read_map("0>>2\n0002\n");
	const double middle[] = { 0, 0.25, 0.75, 1 };
	const double east[] = { 0, 0.5, 1, 1 };
	int c, good = 1;

	need(v);
	for (c = 0; c < 4; c++)
		good &= v->plane[c].z == middle[c] &&
		    cscg_voxel_edge_height(v, c, CSCG_EAST) == east[c] &&
		    cscg_voxel_edge_height(v, c, CSCG_SOUTH) == middle[c];
	ok(good, "a ramp is a slope between two floors");
	ok(goes(v, 0, 0, CSCG_EAST) && goes(v, 0, 1, CSCG_EAST) &&
		goes(v, 0, 2, CSCG_EAST) && goes(v, 0, 3, CSCG_WEST) &&
		goes(v, 0, 2, CSCG_WEST),
	    "a ramp is passable in both directions");
	ok(!goes(v, 1, 2, CSCG_EAST) && goes(v, 1, 3, CSCG_WEST),
	    "a ledge of 1 m is passable downwards only");
	/* From the side it is 0.25 m up, then 0.75 m; 0.3 m is the limit. */
	ok(goes(v, 1, 1, CSCG_NORTH) && goes(v, 0, 1, CSCG_SOUTH),
	    "the low end of a ramp is passable from the side");
	ok(!goes(v, 1, 2, CSCG_NORTH) && goes(v, 0, 2, CSCG_SOUTH),
	    "the high end of a ramp is passable to the side downwards only");
	ok(!goes(v, 0, 0, CSCG_NORTH) && !goes(v, 0, 0, CSCG_WEST) &&
		!goes(v, 1, 3, CSCG_SOUTH),
	    "the border of the map has walls");
	cscg_voxel_free(v);

	v = read_map("0>1\n001\n");
	need(v);
	ok(!goes(v, 1, 1, CSCG_EAST) && goes(v, 1, 2, CSCG_WEST),
	    "a rise of 0.5 m is passable downwards only");
	cscg_voxel_free(v);

	/* 1 m in three cells: thirds of a metre, which are not exact. */
	v = read_map("2<<<0\n");
	need(v);
	ok(near(v->plane[3].z, 1.0 / 6, 1e-12) && goes(v, 0, 4, CSCG_WEST) &&
		goes(v, 0, 3, CSCG_WEST) && goes(v, 0, 2, CSCG_WEST) &&
		goes(v, 0, 1, CSCG_WEST),
	    "a ramp of three cells");
	cscg_voxel_free(v);

	v = read_map("2\nv\nv\n6\n^\n0\n");
	need(v);
	ok(v->plane[1].z == 1.5 && v->plane[1].south == 1 &&
		v->plane[4].z == 1.5 && v->plane[4].south == -3,
	    "ramps rise in their directions");
	cscg_voxel_free(v);
}

static int
next(const struct cscg_room *room, int a, int v)
{
	return cscg_room_successor(room, a, v);
}

static void
test_room(void)
{
	struct cscg_voxel *v = read_map("00\n#0\n");
	struct cscg_room *room;
	int h, good = 1;

	need(v);
	room = cscg_voxel_room_take(v, &err);
	need(room);
	ok(cscg_room_check(room, &err) == 0,
	    "the room of a voxel map is valid");
	ok(room->n_nodes == 12 && room->n_obs == 12 && room->n_actions == 3,
	    "four nodes for each of three cells, each with its symbol");
	for (h = 0; h < 4; h++)
		good &= next(room, CSCG_TURN_RIGHT, 4 + h) ==
			4 + (h + 1) % 4 &&
		    next(room, CSCG_TURN_LEFT, 4 + h) == 4 + (h + 3) % 4;
	ok(good, "right turns north to east, left north to west");
	/* Cell 0 is at 0,0, cell 1 at 0,1, cell 2 at 1,1. */
	ok(next(room, CSCG_FORWARD, 0 * 4 + CSCG_EAST) == 1 * 4 + CSCG_EAST &&
		next(room, CSCG_FORWARD, 1 * 4 + CSCG_SOUTH) ==
		    2 * 4 + CSCG_SOUTH &&
		next(room, CSCG_FORWARD, 0 * 4 + CSCG_SOUTH) ==
		    0 * 4 + CSCG_SOUTH,
	    "forward keeps the heading, or stays at a wall");
	ok(room->coords[2 * 9] == 1 && room->coords[2 * 9 + 1] == 1.25,
	    "coordinates are offset by the heading");
	ok(cscg_voxel_node(room, "1,1,east", &err) == 9,
	    "a node is found by row, column and heading");
	ok(cscg_voxel_node(room, "1,0,east", &err) < 0 &&
		!strcmp(err.msg, "1,0 is inside a wall"),
	    "a wall is not a node");
	ok(cscg_voxel_node(room, "2,0,east", &err) < 0 &&
		!strcmp(err.msg, "2,0 is outside the room"),
	    "a position outside the room is not a node");
	ok(cscg_voxel_node(room, "1,1,up", &err) < 0 &&
		!strcmp(err.msg,
		    "'1,1,up' is not a row, a column and a heading like "
		    "3,4,north"),
	    "a malformed position is refused");
	ok(cscg_voxel_add_frontier(room, "1,1,south", &err) == 0 &&
		room->n_frontiers == 1 && room->frontier[0].state == 10 &&
		room->frontier[0].a == CSCG_FORWARD,
	    "a frontier can be marked");
	ok(cscg_voxel_add_frontier(room, "0,0,east", &err) < 0 &&
		!strcmp(err.msg, "0,0,east is not a wall"),
	    "a frontier must face a wall");
	cscg_room_free(room);
}

static void
test_faults(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "000\n0.0\n",
		    "line 2, column 2: a cell is a digit, '^', '>', 'v', '<', "
		    "'#' or a space" },
		{ "", "no floor" },
		{ "; nothing\n\n", "no floor" },
		{ "###\n###\n", "line 1, column 1: no floor" },
		{ "000\n0 0\n000\n",
		    "line 2, column 2: a hole in the floor: draw '#' if it is "
		    "solid" },
		{ "; a comment\n0#0\n0#0\n",
		    "line 2, column 3: this floor cannot be reached from "
		    "0,0" },
		/* The agent can drop into the pit, but not leave it. */
		{ "222\n202\n222\n",
		    "line 2, column 2: no path leads from here to 0,0" },
		/* The upper floor cannot be reached. */
		{ "002\n",
		    "line 1, column 3: this floor cannot be reached from "
		    "0,0" },
		{ ">2\n",
		    "line 1, column 1: a ramp needs a floor before it and one "
		    "behind it" },
		{ "0>#\n",
		    "line 1, column 2: a ramp needs a floor before it and one "
		    "behind it" },
		{ "0>^2\n",
		    "line 1, column 2: a ramp needs a floor before it and one "
		    "behind it" },
		{ "0>0\n",
		    "line 1, column 2: a ramp rises to the east, but the "
		    "floor there is no higher" },
		{ "0\nv\nv\n0\n",
		    "line 2, column 1: a ramp rises to the south, but the "
		    "floor there is no higher" },
		{ "00\n\ndoors 0,0 east\n",
		    "line 3, column 1: 'doors' is not part, wall, door or "
		    "exit" },
		{ "00\n\nwall 0,0\n",
		    "line 3, column 1: expected: wall ROW,COL HEADING" },
		{ "00\n\nwall 0,0 east now\n",
		    "line 3, column 15: expected: wall ROW,COL HEADING" },
		{ "00\n\npart a 0,0\n",
		    "line 3, column 1: expected: part NAME ROW,COL "
		    "ROWSxCOLS" },
		{ "00\n\nwall 0.0 east\n",
		    "line 3, column 6: '0.0' is not ROW,COL" },
		{ "00\n\nwall 0,0 up\n",
		    "line 3, column 10: 'up' is not north, east, south or "
		    "west" },
		{ "00\n\nwall 1,0 east\n",
		    "line 3, column 6: there is no floor at 1,0" },
		{ "00\n\nwall 0,0 east\n",
		    "line 1, column 2: this floor cannot be reached from "
		    "0,0" },
		{ "00\n\ndoor 0,0 east\n",
		    "line 3, column 6: no wall east of 0,0, where the door "
		    "should be" },
		{ "00\n\nexit 0,0 east\n",
		    "line 3, column 6: east of 0,0 is not a wall: an exit "
		    "leads out of the map" },
		{ "00\n\npart a 0,0 1x1\n",
		    "line 1, column 2: this floor belongs to no part" },
		{ "00\n\npart a 0,0 1x2\npart b 0,1 1x1\n",
		    "line 4, column 8: parts 'a' and 'b' both have 0,1" },
		{ "00\n\npart a 0,0 1x2\npart a 0,1 1x1\n",
		    "line 4, column 6: part 'a' is defined twice" },
		{ "00\n\npart a 0,0 1x2\npart b 7,1 1x1\n",
		    "line 4, column 8: part 'b' has no floor" },
		{ "00\n\npart a 0,0 2\n",
		    "line 3, column 12: '2' is not ROWSxCOLS" },
	};
	char wide[CSCG_VOXEL_SIDE + 3];
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(refuses(bad[i].text, bad[i].why), "refused: %s",
		    bad[i].why);
	memset(wide, '0', sizeof wide);
	wide[CSCG_VOXEL_SIDE + 1] = '\n';
	wide[CSCG_VOXEL_SIDE + 2] = '\0';
	ok(refuses(wide,
	       "line 1, column 1: the map has more than 128 columns"),
	    "a map that is too wide");
}

/*
 * Number of neighbours connected in both directions, and in one direction only.
 */
static void
count_moves(const struct cscg_voxel *v, int *both, int *one)
{
	int i, h, other, there, back;

	*both = *one = 0;
	for (i = 0; i < v->n_cells; i++)
		for (h = CSCG_EAST; h <= CSCG_SOUTH; h++) {
			other = cscg_voxel_neighbour(v, v->floor_cell[i], h);
			if (other < 0 || !cscg_voxel_has_floor(v, other))
				continue;
			there = cscg_voxel_successor(v, v->floor_cell[i], h) >=
			    0;
			back = cscg_voxel_successor(v, other, (h + 2) % 4) >=
			    0;
			*both += there && back;
			*one += there != back;
		}
}

/*
 * Counted by hand: R x C cells have R (C - 1) + C (R - 1) pairs of neighbours;
 * pairs with a solid cell are not connected, and a difference of more than 0.3
 * m at the edge is a drop (one-way).
 */
static void
test_layouts(void)
{
	static const struct {
		const char *name;
		int cells, both, one;
	} want[] = {
		/* 5 * 8 + 9 * 4 = 76 pairs, two pillars with four each */
		{ "room1", 43, 68, 0 },
		/* 3 * 6 + 7 * 2 = 32, 4 * 3 + 4 * 3 = 24, 4 between them */
		{ "room2", 36, 32 + 24 + 4 - 4, 0 },
		/*
		 * 6 * 6 + 7 * 5 = 71 pairs.  Drops: from the northern ramp's
		 * high end (1,2)-(2,2), from the podium (1,3)-(2,3),
		 * (2,4)-(2,3), (2,6)-(3,6), and from the other ramp's high
		 * end (3,4)-(3,3), (3,5)-(3,6).
		 */
		{ "room3", 42, 71 - 6, 6 },
		/*
		 * 5 * 6 + 7 * 4 = 58 pairs.  Drops: four beside the ramp from
		 * above, and from both sides of its high end.
		 */
		{ "room4", 35, 58 - 6, 6 },
		/*
		 * 5 * 7 + 8 * 4 = 67 pairs.  North and south of the bridge:
		 * two columns of it and the high ends of two ramps.
		 */
		{ "room5", 40, 67 - 8, 8 },
		/*
		 * 71 pairs, 13 with a solid cell.  Drops: from the deck,
		 * (4,4)-(4,3) and (5,4)-(5,3).
		 */
		{ "room6", 38, 71 - 13 - 2, 2 },
		/* Their sums, and six doors, two of them drops. */
		{ "compose4", 42 + 35 + 43 + 38, 65 + 52 + 68 + 56 + 4,
		    6 + 6 + 0 + 2 + 2 },
	};
	int both, one, i, at, seen[8][3] = { { 0 } };

	for (i = 0; i < 7; i++) {
		struct cscg_voxel *v = cscg_voxel_layout(want[i].name, &err);

		need(v);
		ok(!strcmp(cscg_voxel_layout_name(i), want[i].name),
		    "layout %s exists", want[i].name);
		count_moves(v, &both, &one);
		ok(v->n_cells == want[i].cells, "%s has %d cells",
		    want[i].name, want[i].cells);
		ok(both == want[i].both && one == want[i].one,
		    "%s: %d connections in both directions, %d one-way",
		    want[i].name, both, one);
		seen[i][0] = v->n_cells;
		seen[i][1] = both;
		seen[i][2] = one;
		cscg_voxel_free(v);
	}
	for (i = 0; i < 6; i++)
		for (at = 0; at < i; at++)
			if (!memcmp(seen[i], seen[at], sizeof *seen))
				ok(0, "rooms %d and %d differ", at, i);
	ok(!cscg_voxel_layout_name(7), "there are no other layouts");
	ok(!cscg_voxel_layout("attic", &err) && err.code == CSCG_EUSAGE &&
		!strcmp(err.msg,
		    "'attic' is not a layout: room1, room2, room3, room4, "
		    "room5, room6, compose4"),
	    "other names are refused");
}

/* Each room of the composed one keeps its transitions, except at doors. */
static void
test_compose(void)
{
	static const struct {
		const char *name;
		int row, col;
	} part[] = {
		{ "room3", 0, 0 },
		{ "room4", 0, 7 },
		{ "room1", 6, 0 },
		{ "room6", 5, 9 },
	};
	/*
	 * From, to: both directions, except for the two doors from a platform.
	 */
	static const int door[6][5] = {
		{ 2, 6, 2, 7, 1 },
		{ 4, 6, 4, 7, 2 },
		{ 5, 3, 6, 3, 2 },
		{ 4, 9, 5, 9, 2 },
		{ 5, 12, 4, 12, 1 },
		{ 8, 8, 8, 9, 2 },
	};
	struct cscg_voxel *whole = cscg_voxel_layout("compose4", &err);
	int k, i, h, wrong = 0, through = 0, ways = 0;

	need(whole);
	for (k = 0; k < 4; k++) {
		struct cscg_voxel *v = cscg_voxel_layout(part[k].name, &err);

		need(v);
		ok(!strcmp(whole->parts.v[k], part[k].name), "part %s",
		    part[k].name);
		for (i = 0; i < v->n_cells; i++) {
			int at = (v->floor_cell[i] / v->cols + part[k].row) *
				whole->cols +
			    v->floor_cell[i] % v->cols + part[k].col;

			wrong += whole->part[at] != k;
			for (h = 0; h < 4; h++) {
				int own = cscg_voxel_successor(v,
				    v->floor_cell[i], h);
				int next_ = cscg_voxel_successor(whole, at, h);
				bool leaves = next_ >= 0 &&
				    whole->part[next_] != k;

				through += leaves;
				wrong += !leaves && (own >= 0) != (next_ >= 0);
			}
		}
		cscg_voxel_free(v);
	}
	ok(wrong == 0,
	    "the rooms of the composed world equal the single rooms");
	for (k = 0; k < 6; k++) {
		int a = door[k][0] * whole->cols + door[k][1];
		int b = door[k][2] * whole->cols + door[k][3];

		for (h = 0; h < 4; h++)
			ways += cscg_voxel_successor(whole, a, h) == b;
		for (h = 0; h < 4; h++)
			ways += door[k][4] == 2 &&
			    cscg_voxel_successor(whole, b, h) == a;
	}
	ok(ways == 10 && through == 10 && whole->n_exits == 10,
	    "six doors, two of them one-way, are the only connections between "
	    "parts");
	cscg_voxel_free(whole);
}

/* A room with its whole geometry, written and read again. */
static void
test_round_trip(void)
{
	struct cscg_voxel *v = need(
	    read_map("0>>2 \n0002\n0#02\n000\n\n"
		     "exit 3,2 east\nwall 1,2 south\n"));
	char path[] = "/tmp/cscg-voxel-XXXXXX";
	struct cscg_room *room, *again;
	struct cscg_out *out;
	int fd;

	v->theme = 77;
	room = cscg_voxel_room_take(v, &err);
	need(room);
	fd = mkstemp(path);
	close(fd);
	out = cscg_out_open(path, 0, &err);
	need(out);
	ok(cscg_room_write(room, out, &err) == 0 &&
		cscg_out_close(out, &err) == 0,
	    "a room is written");
	again = need(cscg_room_read_file(path, &err));
	v = again->voxel;
	ok(v && v->theme == 77 && v->rows == 4 && v->cols == 4 &&
		!memcmp(v->cell, room->voxel->cell, 16) &&
		!memcmp(v->wall, room->voxel->wall, 16) &&
		!memcmp(v->plane, room->voxel->plane, 16 * sizeof *v->plane),
	    "map, walls and theme are read back");
	/* South of 1,2 and north of 2,2. */
	ok(v->wall[6] == 1 << CSCG_SOUTH && v->wall[10] == 1 << CSCG_NORTH,
	    "a wall is stored for both cells");
	ok(again->n_frontiers == 1 &&
		again->frontier[0].state ==
		    cscg_voxel_node(again, "3,2,east", &err),
	    "frontiers are read back");
	unlink(path);
	cscg_room_free(room);
	cscg_room_free(again);
}

int
main(void)
{
	test_heights();
	test_room();
	test_faults();
	test_layouts();
	test_compose();
	test_round_trip();
	return done();
}
