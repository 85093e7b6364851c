/*
 * compose.h - several rooms as one: overlapping, or side by side with doors
 */
#ifndef CSCG_COMPOSE_H
#define CSCG_COMPOSE_H

#include <stdbool.h>

#include "base/rng.h"
#include "world/room.h"

enum { CSCG_COMPOSE_MIN_SHARED = 6 }; /* default of shared */

/*
 * Overlay b on a, shifted along the row: to the right by the largest number of
 * columns at which at least shared cells belong to both and the union is
 * connected (to the left by the smallest such number, if there is no such
 * shift to the right).  Rows are not shifted.
 *
 * The result is a new room: adjacent cells are connected, whichever room they
 * come from, unless a room that has both blocks the transition; symbols follow
 * the border rule (see cscg_grid_to_room()) on the union.
 * Its parts are the two rooms, and cells of both have part -1.
 *
 * Returns NULL with err filled: CSCG_EMISMATCH if a room was not cut from a
 * grid or has wrapped edges, if there is no such shift, or if the result would
 * have too many cells; CSCG_ENOMEM.
 */
struct cscg_room *cscg_compose_overlap(const struct cscg_room *a,
    const struct cscg_room *b, int shared, struct cscg_err *err);

/*
 * rooms side by side as one room, with doors between them
 *
 * cscg_compose_join() joins rooms with the same actions, given the offset of
 * each room and the doors; cscg_compose_layout() computes offsets and doors
 * for rooms cut from grids.
 */

/*
 * A door: action a at node of part leads to node to of to_part.  Nodes are
 * numbered as in their rooms.
 */
struct cscg_door {
	int part, node, a;
	int to_part, to;
};

enum cscg_compose_symbols {
	CSCG_COMPOSE_BORDER, /* one for all interiors, unique ones elsewhere */
	CSCG_COMPOSE_DISTINCT, /* symbols of different parts are distinct */
	CSCG_COMPOSE_SHARED, /* equal by name if all are named, or by number */
};

/*
 * Join n rooms into one: the nodes of the first, then of the second, and so
 * on.  The action of a door leads through the door; all other transitions are
 * unchanged.  Actions are matched by name with those of the first room.
 * offset has two numbers for each room, added to row and column of its nodes;
 * unless all rooms have coordinates the result has none.  The frontiers of the
 * result are the doors; the frontiers of the rooms are dropped.
 *
 * Returns NULL with err filled: CSCG_EMISMATCH if actions differ, if the
 * result has too many nodes, or if a room was not cut from a grid and labels
 * are CSCG_COMPOSE_BORDER.  Borrows all.
 */
struct cscg_room *cscg_compose_join(const struct cscg_room *const *room, int n,
    const double *offset, const struct cscg_door *door, long n_doors,
    enum cscg_compose_symbols symbols, struct cscg_err *err);

struct cscg_compose_plan {
	int rows, cols;       /* rooms row by row; rows * cols >= n */
	struct cscg_rng *rng; /* draws positions of doors; NULL: the middle */
};

/*
 * Compute offsets for n rooms cut from grids, and a door between any two rooms
 * adjacent in a row or column.  A door connects the nearest cells that face
 * each other across walls; one action crosses the gap of one cell.  If a room has
 * frontiers, its doors are at frontiers only; if both rooms have frontiers,
 * those that face each other are joined in order, at any position.
 *
 * Fills offset (2 n numbers) and sets *door, to be freed, and *n_doors.
 * Returns -1 with err filled: CSCG_EMISMATCH if a room was not cut from a grid
 * or no position for a door exists.
 */
int cscg_compose_layout(const struct cscg_room *const *room, int n,
    const struct cscg_compose_plan *plan, double *offset,
    struct cscg_door **door, long *n_doors, struct cscg_err *err);

#endif
