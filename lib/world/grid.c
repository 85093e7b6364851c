/*
 * grid.c - 2D rooms cut from a grid of cells: rectangle, hole, U, cylinder,
 * torus
 *
 * Shapes, digits and text maps become a grid first and a room second, so that
 * walls, wrapped edges, blocked transitions and the labelling of cells are
 * written once.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/textmap.h"
#include "world/grid.h"

const char *const cscg_grid_actions[] = {
	"up",
	"down",
	"left",
	"right",
	NULL,
};

static const int row_step[] = { -1, 1, 0, 0 };
static const int col_step[] = { 0, 0, -1, 1 };

struct cscg_grid *
cscg_grid_new(int rows, int cols, bool open, struct cscg_err *err)
{
	struct cscg_grid *grid = cscg_alloc(1, sizeof *grid, err);
	size_t n = (size_t)rows * cols;

	if (!grid)
		return NULL;
	grid->rows = rows;
	grid->cols = cols;
	grid->cell = cscg_alloc(n, 1, err);
	grid->blocked = cscg_alloc(n, 1, err);
	if (!grid->cell || !grid->blocked) {
		cscg_grid_free(grid);
		return NULL;
	}
	memset(grid->cell, open ? '#' : '.', n);
	return grid;
}

void
cscg_grid_free(struct cscg_grid *grid)
{
	if (!grid)
		return;
	free(grid->cell);
	free(grid->blocked);
	free(grid);
}

/* Make h * w cells from (row, col) on obstacles; they lie within the grid. */
static void
grid_fill(struct cscg_grid *grid, int row, int col, int h, int w)
{
	int r;

	for (r = row; r < row + h; r++)
		memset(grid->cell + (long)r * grid->cols + col, '.', w);
}

/* Wrap i into 0..n-1 if the edges wrap; false: beyond the edge. */
static bool
wrap_index(int *i, int n, bool wrap)
{
	if (*i >= 0 && *i < n)
		return true;
	*i = *i < 0 ? n - 1 : 0;
	return wrap;
}

/*
 * The cell that action a leads to from (row, col), or -1: the position does not
 * change.
 */
static long
grid_successor(const struct cscg_grid *grid, int row, int col, int a)
{
	int r = row + row_step[a], c = col + col_step[a];
	long at;

	if (grid->blocked[(long)row * grid->cols + col] >> a & 1)
		return -1;
	if (!wrap_index(&r, grid->rows, grid->wrap_rows) ||
	    !wrap_index(&c, grid->cols, grid->wrap_cols))
		return -1;
	at = (long)r * grid->cols + c;
	return grid->cell[at] == '.' ? -1 : at;
}

/* Digits at *s, at most CSCG_NODE_MAX, or -1. */
static int
get_number(const char **s)
{
	long v = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); ++*s)
		if ((v = 10 * v + (**s - '0')) > CSCG_NODE_MAX)
			return -1;
	return (int)v;
}

int
cscg_grid_parse_pair(const char *word, char sep, int *first, int *second)
{
	*first = get_number(&word);
	if (*first < 0 || *word++ != sep)
		return -1;
	*second = get_number(&word);
	return *second < 0 || *word ? -1 : 0;
}

void
cscg_shape_size(enum cscg_shape_kind kind, int size, int *rows, int *cols)
{
	switch (kind) {
	case CSCG_HOLE:
		*rows = *cols = 8 + size;
		break;
	case CSCG_USHAPE:
		*rows = 7 + 3 * size;
		*cols = 9;
		break;
	case CSCG_RECTANGLE:
	case CSCG_CYLINDER:
	case CSCG_TORUS:
		*rows = 7 + size;
		*cols = 8 + size;
		break;
	}
}

static int
resolve_hole(struct cscg_shape *s, struct cscg_err *err)
{
	if (!s->hole_h) {
		s->hole_h = s->rows - 6;
		s->hole_w = s->cols - 6;
	}
	if (s->hole_row < 0) {
		s->hole_row = (s->rows - s->hole_h) / 2;
		s->hole_col = (s->cols - s->hole_w) / 2;
	}
	if (s->hole_h < 1 || s->hole_w < 1) {
		cscg_fail(err, CSCG_EUSAGE,
		    "a %dx%d room is too small for a hole with passages three "
		    "cells wide",
		    s->rows, s->cols);
		return cscg_fail_hint(err, "hole-size");
	}
	if (s->hole_row < 1 || s->hole_row + (long)s->hole_h >= s->rows ||
	    s->hole_col < 1 || s->hole_col + (long)s->hole_w >= s->cols)
		return cscg_fail(err, CSCG_EUSAGE,
		    "a %dx%d hole at %d,%d is not inside a %dx%d room",
		    s->hole_h, s->hole_w, s->hole_row, s->hole_col, s->rows,
		    s->cols);
	return 0;
}

static int
resolve_notch(struct cscg_shape *s, struct cscg_err *err)
{
	if (!s->notch_h) {
		s->notch_h = s->rows - 3;
		s->notch_w = s->cols - 6;
	}
	if (s->notch_h < 1 || s->notch_w < 1) {
		cscg_fail(err, CSCG_EUSAGE,
		    "a %dx%d room is too small for a notch with passages "
		    "three cells wide",
		    s->rows, s->cols);
		return cscg_fail_hint(err, "notch-size");
	}
	if (s->notch_h >= s->rows || s->notch_w > s->cols - 2)
		return cscg_fail(err, CSCG_EUSAGE,
		    "a %dx%d notch leaves no bottom or no sides in a %dx%d "
		    "room",
		    s->notch_h, s->notch_w, s->rows, s->cols);
	return 0;
}

int
cscg_shape_resolve(struct cscg_shape *shape, struct cscg_err *err)
{
	long cells = (long)shape->rows * shape->cols;
	struct cscg_shape resolved = *shape;

	if (cells > CSCG_NODE_MAX)
		return cscg_fail(err, CSCG_EUSAGE,
		    "%dx%d is %ld cells, more than %d", shape->rows,
		    shape->cols, cells, CSCG_NODE_MAX);
	if (shape->kind == CSCG_HOLE && resolve_hole(&resolved, err) < 0)
		return -1;
	if (shape->kind == CSCG_USHAPE && resolve_notch(&resolved, err) < 0)
		return -1;
	*shape = resolved;
	return 0;
}

struct cscg_grid *
cscg_shape_grid(const struct cscg_shape *s, struct cscg_err *err)
{
	struct cscg_grid *grid = cscg_grid_new(s->rows, s->cols, true, err);

	if (!grid)
		return NULL;
	grid->wrap_rows = s->kind == CSCG_CYLINDER || s->kind == CSCG_TORUS;
	grid->wrap_cols = s->kind == CSCG_TORUS;
	if (s->kind == CSCG_HOLE)
		grid_fill(grid, s->hole_row, s->hole_col, s->hole_h,
		    s->hole_w);
	if (s->kind == CSCG_USHAPE)
		grid_fill(grid, 0, (s->cols - s->notch_w) / 2, s->notch_h,
		    s->notch_w);
	return grid;
}

bool
cscg_grid_is_interior(const struct cscg_grid *grid, int row, int col)
{
	int r, c;

	if (row < 1 || row >= grid->rows - 1 || col < 1 ||
	    col >= grid->cols - 1)
		return false;
	for (r = row - 1; r <= row + 1; r++)
		for (c = col - 1; c <= col + 1; c++)
			if (grid->cell[(long)r * grid->cols + c] == '.')
				return false;
	return true;
}

/* Symbols of the room; see cscg_grid_to_room(). */
struct labels {
	bool letters;
	bool interior;   /* whether any cell is interior */
	int n_own;       /* cells with a unique symbol */
	int letter[256]; /* symbol of a letter, or -1: not used */
	int n_obs;
};

/* Whether the symbol of this cell is that of its letter. */
static bool
by_letter(const struct labels *lab, char cell)
{
	return lab->letters && cell != '#';
}

static void
count_labels(const struct cscg_grid *grid, struct labels *lab)
{
	bool seen[256] = { false };
	int r, c, i;

	for (r = 0; r < grid->rows; r++)
		for (c = 0; c < grid->cols; c++) {
			char cell = grid->cell[(long)r * grid->cols + c];

			if (cell == '.')
				continue;
			if (by_letter(lab, cell))
				seen[(unsigned char)cell] = true;
			else if (cscg_grid_is_interior(grid, r, c))
				lab->interior = true;
			else
				lab->n_own++;
		}
	lab->n_obs = lab->interior + lab->n_own;
	for (i = 0; i < 256; i++)
		lab->letter[i] = seen[i] ? lab->n_obs++ : -1;
}

/* With letters, all symbols have names; without, none has. */
static int
name_labels(const struct cscg_grid *grid, const struct labels *lab,
    struct cscg_names *names, struct cscg_err *err)
{
	char name[32];
	int r, c, i;

	if (lab->n_obs == lab->interior + lab->n_own)
		return 0;
	if (lab->interior && cscg_names_add(names, "#", err) < 0)
		return -1;
	for (r = 0; r < grid->rows; r++)
		for (c = 0; c < grid->cols; c++) {
			char cell = grid->cell[(long)r * grid->cols + c];

			if (cell != '#' || cscg_grid_is_interior(grid, r, c))
				continue;
			snprintf(name, sizeof name, "%d,%d", r, c);
			if (cscg_names_add(names, name, err) < 0)
				return -1;
		}
	for (i = 0; i < 256; i++) {
		snprintf(name, sizeof name, "%c", i);
		if (lab->letter[i] >= 0 &&
		    cscg_names_add(names, name, err) < 0)
			return -1;
	}
	return 0;
}

/* Symbol and position of every node, in row order. */
static void
set_nodes(const struct cscg_grid *grid, const struct labels *lab,
    struct cscg_room *room)
{
	int own = lab->interior, v = 0, r, c;

	for (r = 0; r < grid->rows; r++)
		for (c = 0; c < grid->cols; c++) {
			char cell = grid->cell[(long)r * grid->cols + c];

			if (cell == '.')
				continue;
			if (by_letter(lab, cell))
				room->obs[v] =
				    lab->letter[(unsigned char)cell];
			else if (cscg_grid_is_interior(grid, r, c))
				room->obs[v] = 0;
			else
				room->obs[v] = own++;
			room->coords[2 * v] = r;
			room->coords[2 * v + 1] = c;
			v++;
		}
}

static int
set_edges(const struct cscg_grid *grid, const int *node,
    struct cscg_room *room, struct cscg_err *err)
{
	struct cscg_edge *e = cscg_alloc(
	    (size_t)room->n_nodes * CSCG_GRID_ACTIONS, sizeof *e, err);
	long n = 0;
	int a, v, rc;

	if (!e)
		return -1;
	for (a = 0; a < CSCG_GRID_ACTIONS; a++)
		for (v = 0; v < room->n_nodes; v++) {
			long next = grid_successor(grid,
			    (int)room->coords[2 * v],
			    (int)room->coords[2 * v + 1], a);

			e[n++] = (struct cscg_edge){ a, v,
				next < 0 ? v : node[next], 1 };
		}
	rc = cscg_room_set_edges(room, e, n, err);
	free(e);
	return rc;
}

/* Fill grid and node from the cells of the nodes, which must be distinct. */
static int
set_cells(const struct cscg_room *room, struct cscg_grid *grid, int *node,
    struct cscg_err *err)
{
	long at;
	int v;

	for (v = 0; v < room->n_nodes; v++) {
		double r = room->coords[2 * v], c = room->coords[2 * v + 1];

		if (!(r >= 0 && r < grid->rows && c >= 0 && c < grid->cols) ||
		    r != (int)r || c != (int)c)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "node %d is at %g,%g, which is not a cell of a "
			    "%dx%d grid",
			    v, r, c, grid->rows, grid->cols);
		at = (long)r * grid->cols + (long)c;
		if (node[at] >= 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "nodes %d and %d are in the same cell", node[at],
			    v);
		node[at] = v;
		grid->cell[at] = '#';
	}
	return 0;
}

/* Derive the walls between cells from the transitions of the room. */
static int
set_blocked(const struct cscg_room *room, struct cscg_grid *grid,
    const int *node, struct cscg_err *err)
{
	int act, a, v;

	for (a = 0; a < CSCG_GRID_ACTIONS; a++) {
		act = cscg_names_find(&room->actions, cscg_grid_actions[a]);
		if (act < 0 || room->n_actions != CSCG_GRID_ACTIONS)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "its actions are not up, down, left and right");
		for (v = 0; v < room->n_nodes; v++) {
			int r = (int)room->coords[2 * v];
			int c = (int)room->coords[2 * v + 1];
			long cell = grid_successor(grid, r, c, a);
			int to = cscg_room_successor(room, act, v);

			if (to == v && cell >= 0 && node[cell] != v)
				grid->blocked[(long)r * grid->cols + c] |= 1
				    << a;
			else if (to != (cell < 0 ? v : node[cell]))
				return cscg_fail(err, CSCG_EMISMATCH,
				    "%s of %d,%d does not lead to the next "
				    "cell",
				    cscg_grid_actions[a], r, c);
		}
	}
	return 0;
}

struct cscg_grid *
cscg_grid_from_room(const struct cscg_room *room, int **node,
    struct cscg_err *err)
{
	long n = (long)room->rows * room->cols, i;
	struct cscg_grid *grid;
	int *at = NULL;

	if (!room->coords || n < 1 || n > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "it was not cut from a grid of at most %d cells",
		    CSCG_NODE_MAX);
		return NULL;
	}
	grid = cscg_grid_new(room->rows, room->cols, false, err);
	at = grid ? cscg_alloc(n, sizeof *at, err) : NULL;
	if (!at)
		goto fail;
	for (i = 0; i < n; i++)
		at[i] = -1;
	grid->wrap_rows = room->wrap_rows;
	grid->wrap_cols = room->wrap_cols;
	if (set_cells(room, grid, at, err) < 0 ||
	    set_blocked(room, grid, at, err) < 0)
		goto fail;
	if (node)
		*node = at;
	else
		free(at);
	return grid;
fail:
	free(at);
	cscg_grid_free(grid);
	return NULL;
}

struct cscg_room *
cscg_grid_to_room(const struct cscg_grid *grid, bool letters,
    struct cscg_err *err)
{
	long n_cells = (long)grid->rows * grid->cols, i;
	struct labels lab = { .letters = letters };
	struct cscg_room *room = NULL;
	int *node = NULL;
	int n = 0, rc = -1;

	node = cscg_alloc(n_cells, sizeof *node, err);
	if (!node)
		return NULL;
	for (i = 0; i < n_cells; i++)
		node[i] = grid->cell[i] == '.' ? -1 : n++;
	if (!n) {
		cscg_fail(err, CSCG_EFORMAT, "no accessible cell");
		goto out;
	}
	count_labels(grid, &lab);
	room = cscg_room_new(n, CSCG_GRID_ACTIONS, lab.n_obs, err);
	if (!room)
		goto out;
	room->rows = grid->rows;
	room->cols = grid->cols;
	room->wrap_rows = grid->wrap_rows;
	room->wrap_cols = grid->wrap_cols;
	room->coords = cscg_alloc(2 * (size_t)n, sizeof *room->coords, err);
	if (!room->coords)
		goto out;
	set_nodes(grid, &lab, room);
	if (name_labels(grid, &lab, &room->symbols, err) < 0 ||
	    cscg_names_set(&room->actions, cscg_grid_actions, err) < 0 ||
	    set_edges(grid, node, room, err) < 0)
		goto out;
	rc = 0;
out:
	free(node);
	if (rc < 0) {
		cscg_room_free(room);
		room = NULL;
	}
	return room;
}

/*
 * grids as text maps
 *
 * Rows of cells, and after an empty line the rules.  Rules are applied after
 * all have been read, so that their order does not matter: a blocked
 * transition may cross an edge that a later rule makes wrap.
 */

/* A map being read. */
struct map {
	struct cscg_textmap src;
	char *cell; /* rows one after the other, of any length */
	size_t cap_cell, n_cell;
	size_t *end; /* end of each row in cell */
	size_t cap_end;
	int rows, cols;
	struct rule {
		long line;
		int column; /* column of the cell's coordinates */
		int row, col, a;
		bool oneway;
	} * rule;
	size_t cap_rule, n_rule;
	bool wrap_rows, wrap_cols;
};

static int
add_row(struct map *map, const char *line, size_t len, struct cscg_err *err)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)line[i]) &&
		    !strchr("#. ", line[i] ? line[i] : '?'))
			return cscg_textmap_fail(&map->src, 0, (long)i + 1,
			    CSCG_EFORMAT,
			    "a cell is '#', '.', a space, a letter or a "
			    "digit");
	if (len > (size_t)map->cols)
		map->cols = len > CSCG_NODE_MAX ? CSCG_NODE_MAX + 1 : (int)len;
	if ((long)map->cols * (map->rows + 1) > CSCG_NODE_MAX)
		return cscg_textmap_fail(&map->src, 0, 1, CSCG_ERANGE,
		    "the map has more than %d cells", CSCG_NODE_MAX);
	if (cscg_grow(&map->cell, &map->cap_cell, map->n_cell + len, 1, err) <
		0 ||
	    cscg_grow(&map->end, &map->cap_end, map->rows + 1,
		sizeof *map->end, err) < 0)
		return -1;
	memcpy(map->cell + map->n_cell, line, len);
	map->n_cell += len;
	map->end[map->rows++] = map->n_cell;
	return 0;
}

static int
get_action(const char *word, struct rule *rule, struct cscg_err *err)
{
	for (rule->a = 0; rule->a < CSCG_GRID_ACTIONS; rule->a++)
		if (!strcmp(word, cscg_grid_actions[rule->a]))
			return 0;
	return cscg_fail(err, CSCG_EFORMAT,
	    "'%.40s' is not up, down, left or right", word);
}

/* block ROW,COL ACTION and oneway ROW,COL ACTION */
static int
add_move(struct map *map, const struct cscg_tokens *tokens,
    struct cscg_err *err)
{
	struct rule rule = { .line = map->src.line };

	rule.oneway = !strcmp(tokens->v[0], "oneway");
	if (tokens->n != 3)
		return cscg_textmap_fail(&map->src, 0,
		    tokens->column[tokens->n > 3 ? 3 : 0], CSCG_EFORMAT,
		    "expected: %s ROW,COL ACTION", tokens->v[0]);
	rule.column = tokens->column[1];
	if (cscg_grid_parse_pair(tokens->v[1], ',', &rule.row, &rule.col) < 0)
		return cscg_textmap_fail(&map->src, 0, rule.column,
		    CSCG_EFORMAT, "'%.40s' is not ROW,COL", tokens->v[1]);
	if (get_action(tokens->v[2], &rule, err) < 0)
		return cscg_textmap_fail_at(&map->src, 0, tokens->column[2]);
	if (cscg_grow(&map->rule, &map->cap_rule, map->n_rule + 1, sizeof rule,
		err) < 0)
		return -1;
	map->rule[map->n_rule++] = rule;
	return 0;
}

static int
add_wrap(struct map *map, const struct cscg_tokens *tokens)
{
	if (tokens->n == 2 && !strcmp(tokens->v[1], "rows"))
		map->wrap_rows = true;
	else if (tokens->n == 2 && !strcmp(tokens->v[1], "cols"))
		map->wrap_cols = true;
	else

		return cscg_textmap_fail(&map->src, 0, tokens->column[0],
		    CSCG_EFORMAT, "expected: wrap rows, or wrap cols");
	return 0;
}

static int
add_rule(struct map *map, char *line, size_t len, struct cscg_err *err)
{
	struct cscg_tokens tokens;

	if (strlen(line) != len)
		return cscg_textmap_fail(&map->src, 0, (long)strlen(line) + 1,
		    CSCG_EFORMAT, "a NUL byte");
	cscg_tokens_split(line, &tokens);
	if (!tokens.n || *tokens.v[0] == '#')
		return 0;
	if (!strcmp(tokens.v[0], "block") || !strcmp(tokens.v[0], "oneway"))
		return add_move(map, &tokens, err);
	if (!strcmp(tokens.v[0], "wrap"))
		return add_wrap(map, &tokens);
	return cscg_textmap_fail(&map->src, 0, tokens.column[0], CSCG_EFORMAT,
	    "'%.40s' is not block, oneway or wrap", tokens.v[0]);
}

static int
read_lines(struct map *map, struct cscg_err *err)
{
	bool rules = false;
	char *line;
	size_t len;
	int rc;

	while ((rc = cscg_textmap_next(&map->src, &line, &len)) > 0)
		if (!len)
			rules = map->rows > 0;
		else if ((rules ? add_rule(map, line, len, err) :
				  add_row(map, line, len, err)) < 0)
			return -1;
	return rc;
}

/*
 * A rule for a transition that leads to no cell is an error, since it is
 * probably a mistake.
 */
static int
apply_rule(const struct map *map, const struct rule *rule,
    struct cscg_grid *grid)
{
	static const int back[] = {
		CSCG_DOWN,
		CSCG_UP,
		CSCG_RIGHT,
		CSCG_LEFT,
	};
	long at = (long)rule->row * grid->cols + rule->col, next;

	if (rule->row >= grid->rows || rule->col >= grid->cols ||
	    grid->cell[at] == '.')
		return cscg_textmap_fail(&map->src, rule->line, rule->column,
		    CSCG_ERANGE, "%d,%d is not an accessible cell", rule->row,
		    rule->col);
	next = grid_successor(grid, rule->row, rule->col, rule->a);
	if (next < 0)
		return cscg_textmap_fail(&map->src, rule->line, rule->column,
		    CSCG_ERANGE, "%s of %d,%d leads to no cell",
		    cscg_grid_actions[rule->a], rule->row, rule->col);
	if (rule->oneway)
		grid->blocked[next] |= 1 << back[rule->a];
	else
		grid->blocked[at] |= 1 << rule->a;
	return 0;
}

static struct cscg_grid *
build_grid(const struct map *map, struct cscg_err *err)
{
	struct cscg_grid *grid;
	size_t i, from = 0;
	int r;

	for (i = 0; i < map->n_cell && strchr(". ", map->cell[i]); i++)
		;
	if (i == map->n_cell) {
		cscg_fail(err, CSCG_EFORMAT, "%s: no accessible cell",
		    map->src.name);
		return NULL;
	}
	grid = cscg_grid_new(map->rows, map->cols, false, err);
	if (!grid)
		return NULL;
	for (r = 0; r < map->rows; r++) {
		for (i = from; i < map->end[r]; i++)
			if (map->cell[i] != ' ')
				grid->cell[(long)r * map->cols + (i - from)] =
				    map->cell[i];
		from = map->end[r];
	}
	grid->wrap_rows = map->wrap_rows;
	grid->wrap_cols = map->wrap_cols;
	for (i = 0; i < map->n_rule; i++)
		if (apply_rule(map, map->rule + i, grid) < 0) {
			cscg_grid_free(grid);
			return NULL;
		}
	return grid;
}

struct cscg_grid *
cscg_grid_read(struct cscg_in *in, struct cscg_err *err)
{
	struct map map = { .src = { .in = in, .err = err } };
	struct cscg_grid *grid = NULL;

	if (read_lines(&map, err) == 0)
		grid = build_grid(&map, err);
	free(map.cell);
	free(map.end);
	free(map.rule);
	return grid;
}

bool
cscg_grid_is_walled(const struct cscg_grid *grid)
{
	long inner = 0, floor = 0;
	int r, c, edge;
	char cell;

	for (r = 0; r < grid->rows; r++)
		for (c = 0; c < grid->cols; c++) {
			cell = grid->cell[(long)r * grid->cols + c];
			edge = r < c ? r : c;
			if (grid->rows - 1 - r < edge)
				edge = grid->rows - 1 - r;
			if (grid->cols - 1 - c < edge)
				edge = grid->cols - 1 - c;
			if (edge == 0 && cell != '#')
				return false;
			inner += edge == 1;
			floor += edge == 1 && cell == '#';
		}
	return 2 * floor < inner;
}
