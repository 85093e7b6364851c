/* grid - walls, edges, shapes, labels, digits and text maps */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world/digit.h"
#include "world/grid.h"
#include "tap.h"

static struct cscg_err err;

/* The map in text, or NULL with err filled. */
static struct cscg_grid *
read_map(const char *text)
{
	char path[] = "/tmp/cscg-grid-XXXXXX";
	int fd = mkstemp(path);
	struct cscg_grid *grid = NULL;
	struct cscg_in *in;
	size_t n = strlen(text);

	if (write(fd, text, n) == (ssize_t)n) {
		in = cscg_in_open(path, &err);
		grid = cscg_grid_read(in, &err);
		cscg_in_close(in);
	}
	close(fd);
	unlink(path);
	return grid;
}

static struct cscg_room *
map_room(const char *text, bool letters)
{
	struct cscg_grid *grid = read_map(text);
	struct cscg_room *room;

	room = grid ? cscg_grid_to_room(grid, letters, &err) : NULL;
	cscg_grid_free(grid);
	return room;
}

static int
next(const struct cscg_room *room, int a, int v)
{
	return room->to[room->first[(long)a * room->n_nodes + v]];
}

/* The message of an error, without the name of the file. */
static int
refuses(const char *text, const char *why)
{
	struct cscg_grid *grid = read_map(text);
	const char *at = strstr(err.msg, "': ");
	int good = !grid && at && !strcmp(at + 3, why);

	if (!good)
		printf("# %s\n", grid ? "accepted" : err.msg);
	cscg_grid_free(grid);
	return good;
}

static void
test_moves(void)
{
	/*
	 * 0 1 2    a hole in the middle
	 * 3 . 4
	 */
	struct cscg_room *room = map_room("###\n#.#\n", false);

	ok(room && cscg_room_check(room, &err) == 0 && room->n_nodes == 5,
	    "a map of five cells is read");
	ok(next(room, CSCG_UP, 1) == 1 && next(room, CSCG_LEFT, 0) == 0 &&
		next(room, CSCG_RIGHT, 4) == 4 &&
		next(room, CSCG_DOWN, 3) == 3,
	    "moves off the edge stay");
	ok(next(room, CSCG_DOWN, 1) == 1 && next(room, CSCG_RIGHT, 3) == 3 &&
		next(room, CSCG_LEFT, 4) == 4,
	    "moves into an obstacle stay");
	ok(next(room, CSCG_RIGHT, 0) == 1 && next(room, CSCG_DOWN, 2) == 4 &&
		next(room, CSCG_UP, 3) == 0 && next(room, CSCG_LEFT, 2) == 1,
	    "other moves lead to the next cell");
	ok(room->coords[8] == 1 && room->coords[9] == 2,
	    "coordinates are row and column");
	ok(room->n_obs == 5 && room->obs[0] == 0 && room->obs[4] == 4,
	    "without an interior, symbols start at 0");
	cscg_room_free(room);

	room = map_room("###\n#.#\n\nwrap rows\nwrap cols\n", false);
	ok(next(room, CSCG_LEFT, 0) == 2 && next(room, CSCG_RIGHT, 4) == 3 &&
		next(room, CSCG_UP, 0) == 3 && next(room, CSCG_DOWN, 4) == 2,
	    "moves across a wrapped edge lead to the other side");
	ok(next(room, CSCG_UP, 1) == 1 && next(room, CSCG_DOWN, 1) == 1,
	    "moves across a wrapped edge into an obstacle stay");
	cscg_room_free(room);
}

static void
test_rules(void)
{
	struct cscg_room *room = map_room(
	    "###\n###\n\nblock 0,0 right\n"
	    "# a remark\n\noneway 0,2 down\noneway 1,2 right\nwrap cols\n",
	    false);

	ok(room != NULL, "a map with rules: %s", err.msg);
	if (!room)
		return;
	ok(next(room, CSCG_RIGHT, 0) == 0 && next(room, CSCG_LEFT, 1) == 0,
	    "block: the action stays, its inverse does not");
	ok(next(room, CSCG_DOWN, 2) == 5 && next(room, CSCG_UP, 5) == 5,
	    "oneway: the inverse action stays, the action does not");
	ok(next(room, CSCG_RIGHT, 5) == 3 && next(room, CSCG_LEFT, 3) == 3,
	    "oneway across an edge that a later rule wraps");
	cscg_room_free(room);
}

static void
test_letters(void)
{
	/* The middle cell is interior: its neighbours are letters or '#'. */
	struct cscg_room *room = map_room("bA#\r\n###\r\n#bb", true);

	ok(room && room->n_nodes == 9 && room->n_obs == 7, "letters: %s",
	    err.msg);
	if (!room)
		return;
	/* 0 interior, 1..4 cells of their own, 5 A, 6 b */
	ok(room->obs[4] == 0 && room->obs[2] == 1 && room->obs[3] == 2 &&
		room->obs[5] == 3 && room->obs[6] == 4 && room->obs[1] == 5 &&
		room->obs[0] == 6 && room->obs[7] == 6 && room->obs[8] == 6,
	    "cells with the same letter share a symbol; letters come last, by "
	    "code");
	ok(!strcmp(room->symbols.v[0], "#") &&
		!strcmp(room->symbols.v[1], "0,2") &&
		!strcmp(room->symbols.v[5], "A") &&
		!strcmp(room->symbols.v[6], "b"),
	    "all symbols are named");
	cscg_room_free(room);
	room = map_room("bA#\n###\n#bb", false);
	ok(room->n_obs == 9 && !room->symbols.n,
	    "without letters all cells have their own symbol");
	cscg_room_free(room);
	room = map_room("AB\nBA\n", true);
	ok(room->n_obs == 2 && room->obs[0] == 0 && room->obs[3] == 0 &&
		room->symbols.n == 2,
	    "a map of letters only");
	cscg_room_free(room);
	room = map_room("#\n# #\n", true);
	ok(room->n_nodes == 3 && room->cols == 3 && !room->symbols.n,
	    "short rows are padded; without letters there are no names");
	cscg_room_free(room);
}

/* Empty lines before the first row are not rows, and do not start the rules. */
static void
test_first_lines(void)
{
	struct cscg_grid *grid = read_map("\n\r\n##\n\nblock 0,0 right\n");

	ok(grid && grid->rows == 1 && grid->cols == 2,
	    "a map may begin with empty lines");
	cscg_grid_free(grid);
}

static void
test_faults(void)
{
	const char *cell = "a cell is '#', '.', a space, a letter or a digit";
	char why[128];

	snprintf(why, sizeof why, "line 2, column 3: %s", cell);
	ok(refuses("###\n##?\n", why), "a cell of an unknown kind is refused");
	ok(refuses("##\n##\t\n", why), "a tab is refused");
	ok(refuses("", "no accessible cell"), "an empty map is refused");
	ok(refuses("..\n  \n", "no accessible cell"),
	    "a map of obstacles only is refused");
	ok(refuses("\n\n", "no accessible cell"),
	    "a map of empty lines only is refused");
	ok(refuses("##\n\n  blok 0,0 up\n",
	       "line 3, column 3: 'blok' is not block, oneway or wrap"),
	    "an unknown rule is refused");
	ok(refuses("##\n\nblock 0,0\n",
	       "line 3, column 1: expected: block ROW,COL ACTION"),
	    "a rule with too few words is refused");
	ok(refuses("##\n\noneway 0,0 right now\n",
	       "line 3, column 18: expected: oneway ROW,COL ACTION"),
	    "a rule with too many words is refused");
	ok(refuses("##\n\nblock 0;0 right\n",
	       "line 3, column 7: '0;0' is not ROW,COL"),
	    "a malformed position is refused");
	ok(refuses("##\n\nblock -1,0 right\n",
	       "line 3, column 7: '-1,0' is not ROW,COL"),
	    "a negative row is refused");
	ok(refuses("##\n\nblock 0,99999999999999999999 right\n",
	       "line 3, column 7: '0,99999999999999999999' is not ROW,COL"),
	    "a number that overflows is refused");
	ok(refuses("##\n\nblock 0,2 left\n",
	       "line 3, column 7: 0,2 is not an accessible cell"),
	    "a position outside the map is refused");
	ok(refuses("##\n\nblock 0,0 north\n",
	       "line 3, column 11: 'north' is not up, down, left or right"),
	    "an unknown action is refused");
	ok(refuses("##\n\noneway 0,0 up\n",
	       "line 3, column 8: up of 0,0 leads to no cell"),
	    "a one-way rule into a wall is refused");
	ok(refuses("##\n\nwrap sides\n",
	       "line 3, column 1: expected: wrap rows, or wrap cols"),
	    "an unknown edge is refused");
}

static void
test_shapes(void)
{
	struct cscg_shape s = { .kind = CSCG_HOLE,
		.rows = 6,
		.cols = 9,
		.hole_row = -1,
		.hole_col = -1 };

	ok(cscg_shape_resolve(&s, &err) < 0 && err.code == CSCG_EUSAGE,
	    "a hole with passages of less than three cells is refused");
	s.hole_h = s.hole_w = 2;
	ok(cscg_shape_resolve(&s, &err) == 0 && s.hole_row == 2 &&
		s.hole_col == 3,
	    "a 2x2 hole is centred");
	s.hole_row = 4;
	ok(cscg_shape_resolve(&s, &err) < 0 &&
		!strcmp(err.msg, "a 2x2 hole at 4,3 is not inside a 6x9 room"),
	    "a hole that touches the edge is refused");
	s.hole_h = CSCG_NODE_MAX;
	ok(cscg_shape_resolve(&s, &err) < 0,
	    "a hole larger than the room is refused");
	s = (struct cscg_shape){ .kind = CSCG_USHAPE,
		.rows = 4,
		.cols = 4,
		.notch_h = 4,
		.notch_w = 2 };
	ok(cscg_shape_resolve(&s, &err) < 0,
	    "a notch through the bottom is refused");
	s.notch_h = 3;
	ok(cscg_shape_resolve(&s, &err) == 0,
	    "a notch that leaves one row is accepted");
	s.notch_w = 3;
	ok(cscg_shape_resolve(&s, &err) < 0,
	    "a notch that leaves one side is refused");
	s = (struct cscg_shape){
		.kind = CSCG_TORUS, .rows = 100000, .cols = 100000
	};
	ok(cscg_shape_resolve(&s, &err) < 0 &&
		!strcmp(err.msg,
		    "100000x100000 is 10000000000 cells, more than 1000000"),
	    "a room that is too large is refused");
}

/* Is the grid of the room equal to that of its map, walls included? */
static int
comes_back(const char *text)
{
	struct cscg_grid *grid = read_map(text), *back = NULL;
	struct cscg_room *room = cscg_grid_to_room(grid, false, &err);
	size_t n = (size_t)grid->rows * grid->cols;
	int *node = NULL, good, v = 0;
	size_t i;

	back = cscg_grid_from_room(room, &node, &err);
	good = back && back->rows == grid->rows && back->cols == grid->cols &&
	    back->wrap_rows == grid->wrap_rows &&
	    !memcmp(back->cell, grid->cell, n) &&
	    !memcmp(back->blocked, grid->blocked, n);
	/* Nodes are numbered by cell. */
	for (i = 0; good && i < n; i++)
		good = node[i] == (grid->cell[i] == '.' ? -1 : v++);
	free(node);
	cscg_grid_free(grid);
	cscg_grid_free(back);
	cscg_room_free(room);
	return good;
}

static void
test_back(void)
{
	struct cscg_room *room = map_room("##\n##\n", false);

	ok(comes_back("##.\n###\n"), "the grid of a room is restored");
	ok(comes_back("###\n###\n\nblock 0,0 right\noneway 0,2 down\n"),
	    "blocked and one-way moves are restored");
	ok(comes_back("##\n#.\n##\n\nwrap rows\nwrap cols\n"),
	    "wrapped edges are restored");
	room->coords[1] = .5;
	ok(!cscg_grid_from_room(room, NULL, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "node 0 is at 0,0.5, which is not a cell of a 2x2 grid"),
	    "a node between columns is refused");
	room->coords[1] = 1;
	ok(!cscg_grid_from_room(room, NULL, &err) &&
		!strcmp(err.msg, "nodes 0 and 1 are in the same cell"),
	    "two nodes in one cell are refused");
	room->coords[1] = 0;
	free(room->actions.v[0]);
	room->actions.v[0] = strdup("jump");
	ok(!cscg_grid_from_room(room, NULL, &err) &&
		!strcmp(err.msg,
		    "its actions are not up, down, left and right"),
	    "other actions are refused");
	free(room->actions.v[0]);
	room->actions.v[0] = strdup("up");
	cscg_room_slip(room, .1, &err);
	ok(!cscg_grid_from_room(room, NULL, &err) &&
		!strcmp(err.msg, "up of 0,0 does not lead to the next cell"),
	    "stochastic transitions are refused");
	cscg_room_free(room);
}

/* Each digit is connected, and has the size of its image. */
static void
test_digits(void)
{
	static const int nodes[] = {
		125,
		97,
		98,
		110,
		119,
		111,
		113,
		99,
		110,
		91,
	};
	int d, v, a, head, tail;

	for (d = 0; d <= CSCG_DIGIT_MAX; d++) {
		struct cscg_grid *grid = cscg_digit_grid(d, &err);
		struct cscg_room *room = cscg_grid_to_room(grid, false, &err);
		int *queue = calloc(room->n_nodes, sizeof *queue);
		char *seen = calloc(room->n_nodes, 1);

		seen[0] = 1;
		for (head = 0, tail = 1; head < tail; head++)
			for (a = 0; a < 4; a++) {
				v = next(room, a, queue[head]);
				if (!seen[v])
					queue[tail++] = v;
				seen[v] = 1;
			}
		ok(grid->rows == 28 && grid->cols == 28 &&
			room->n_nodes == nodes[d] && tail == nodes[d],
		    "digit %d: %d pixels in one piece", d, tail);
		free(queue);
		free(seen);
		cscg_room_free(room);
		cscg_grid_free(grid);
	}
}

int
main(void)
{
	test_moves();
	test_rules();
	test_letters();
	test_first_lines();
	test_faults();
	test_shapes();
	test_back();
	test_digits();
	return done();
}
