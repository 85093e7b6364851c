/*
 * grid.h - 2D rooms cut from a grid of cells: rectangle, hole, U, cylinder,
 * torus
 *
 * The actions are up, down, left and right.  An action into an obstacle, off
 * the edge or in a blocked direction leaves the node unchanged.  Nodes are the
 * accessible cells in row order; coords are their row and column.
 */
#ifndef CSCG_GRID_H
#define CSCG_GRID_H

#include <stdbool.h>

#include "base/error.h"
#include "io/stream.h"
#include "world/room.h"

enum {
	CSCG_UP,
	CSCG_DOWN,
	CSCG_LEFT,
	CSCG_RIGHT,
	CSCG_GRID_ACTIONS,
};

extern const char *const cscg_grid_actions[]; /* their names, and NULL */

struct cscg_grid {
	int rows, cols;
	bool wrap_rows, wrap_cols; /* last row is next to the first; ... */
	char *cell; /* [rows * cols] '.', '#' or the letter of a symbol */
	unsigned char *blocked; /* [rows * cols] bit a: action a is blocked */
};

/* All cells accessible, or all obstacles. */
struct cscg_grid *cscg_grid_new(int rows, int cols, bool open,
    struct cscg_err *err);
void cscg_grid_free(struct cscg_grid *grid);

/*
 * Two numbers 0..CSCG_NODE_MAX with sep between them and nothing else, like
 * "3x4" or "0,2".  Returns -1 if word is anything else.
 */
int cscg_grid_parse_pair(const char *word, char sep, int *first, int *second);

/*
 * The five shapes of the paper.  0 in a size, or -1 in hole_row and hole_col,
 * is set by cscg_shape_resolve(): a hole or notch that leaves corridors three
 * cells wide, and a hole in the middle.
 */
enum cscg_shape_kind {
	CSCG_RECTANGLE,
	CSCG_HOLE,
	CSCG_USHAPE,
	CSCG_CYLINDER,
	CSCG_TORUS,
};

struct cscg_shape {
	enum cscg_shape_kind kind;
	int rows, cols;
	int hole_h, hole_w, hole_row, hole_col; /* CSCG_HOLE */
	int notch_h, notch_w; /* CSCG_USHAPE: from the top, in the middle */
};

/* Rows and columns of size 0, 1, 2: small, medium, large. */
void cscg_shape_size(enum cscg_shape_kind kind, int size, int *rows,
    int *cols);

/*
 * Set the unspecified members and check the others.  Returns -1 with err
 * filled (CSCG_EUSAGE) and shape unchanged: too many cells, a hole that is not
 * inside, a notch that leaves no sides or no bottom.
 */
int cscg_shape_resolve(struct cscg_shape *shape, struct cscg_err *err);

/* The grid of a shape that cscg_shape_resolve() has accepted. */
struct cscg_grid *cscg_shape_grid(const struct cscg_shape *shape,
    struct cscg_err *err);

/*
 * The room of a grid.  A cell whose 8 neighbours are all accessible, without
 * neighbours across wrapped edges, is interior and emits the shared symbol 0.
 * Every other cell emits a unique symbol, in row order from 1 on (from 0 if no
 * cell is interior).  With letters, a cell with a letter emits the symbol of
 * its letter instead; these symbols come last, in the order of their codes,
 * and all symbols are named: by letter, "#" for the interior, "row,col" for a
 * unique symbol.  Returns NULL with err filled (CSCG_EFORMAT) if no cell is
 * accessible.
 */
struct cscg_room *cscg_grid_to_room(const struct cscg_grid *grid, bool letters,
    struct cscg_err *err);

/* Whether this cell is interior, as above. */
bool cscg_grid_is_interior(const struct cscg_grid *grid, int row, int col);

/*
 * The inverse: the grid that room was cut from, with its blocked directions.
 * node (may be NULL) is set to an array, to be freed, of the node of each
 * cell, -1 for none.  Returns NULL with err filled (CSCG_EMISMATCH) if room
 * was not cut from a grid: its actions are not up, down, left and right, its
 * nodes do not have distinct cells, or a transition leads to a cell that is
 * not adjacent.
 */
struct cscg_grid *cscg_grid_from_room(const struct cscg_room *room, int **node,
    struct cscg_err *err);

/*
 * grids as text maps: roomgen(1)
 */

/*
 * Read the map of in; empty lines before it and a byte order mark are skipped.
 * Returns NULL with err filled and file, line and column named (CSCG_EFORMAT,
 * CSCG_ERANGE).
 */
struct cscg_grid *cscg_grid_read(struct cscg_in *in, struct cscg_err *err);

/*
 * Whether '#' probably means a wall in this map (heuristic): all cells of the
 * border are '#', and less than half of the cells next to the border are.
 */
bool cscg_grid_is_walled(const struct cscg_grid *grid);

#endif
