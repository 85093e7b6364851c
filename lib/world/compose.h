/*
 * compose.h - several rooms as one: overlapping, or side by side with doors
 */
#ifndef CSCG_COMPOSE_H
#define CSCG_COMPOSE_H

#include <stdbool.h>

#include "base/rng.h"
#include "world/room.h"

enum { CSCG_COMPOSE_MIN_SHARED = 6 }; /* usual value of shared */

/*
 * Lay b over a, shifted along the row: to the right by the largest number of
 * columns (to the left by the smallest, if it must be) at which at least
 * shared cells belong to both and all cells are in one piece.  Rows stay.
 *
 * The result is a new room: two cells next to each other are connected
 * whichever room they come from, unless a room that has both keeps that way
 * shut; symbols are by the border rule (see cscg_grid_to_room()) on the union.
 * Its parts are the two rooms, and cells of both have part -1.
 *
 * Returns NULL with err filled: CSCG_EMISMATCH if a room was not cut from a
 * grid or has joined edges, if there is no such shift, or if the result would
 * have too many cells; CSCG_ENOMEM.
 */
struct cscg_room *cscg_compose_overlap(const struct cscg_room *a,
    const struct cscg_room *b, int shared, struct cscg_err *err);

/*
 * rooms side by side as one room, with doors between them
 *
 * cscg_compose_join() puts any rooms together whose actions are the same, given where
 * each goes and which moves lead through doors; cscg_compose_layout() finds places
 * and doors for rooms cut from grids.
 */

/* Move a of a node leads to a node of another part; nodes as in their rooms. */
struct cscg_door {
	int part, node, a;
	int to_part, to;
};

enum cscg_compose_symbols {
	CSCG_COMPOSE_BORDER, /* one for all interiors, others each their own */
	CSCG_COMPOSE_DISTINCT, /* symbols of different parts are different */
	CSCG_COMPOSE_SHARED, /* the same, by name if all are named, else number */
};

/*
 * One room of n: the nodes of the first, then of the second, and so on; the
 * move of a door does what the door says, all others what they did.  Actions
 * are matched by name with those of the first room.  place has two numbers for
 * each room, added to row and column of its nodes; without coordinates of all
 * rooms the result has none.  Doors are the frontiers of the result; those of
 * the rooms are forgotten.
 *
 * Returns NULL with err filled: CSCG_EMISMATCH if actions differ, if the
 * result has too many nodes, or if a room was not cut from a grid and
 * CSCG_COMPOSE_BORDER is wanted.  Borrows all.
 */
struct cscg_room *cscg_compose_join(const struct cscg_room *const *room, int n,
    const double *offset, const struct cscg_door *door, long n_doors,
    enum cscg_compose_symbols symbols, struct cscg_err *err);

struct cscg_compose_plan {
	int rows, cols; /* rooms row by row; rows * cols >= n */
	int gap;        /* empty rows and columns between them */
	int width;      /* doors are so many cells wide */
	bool one_way;   /* only from a room to a later one */
	int (*way)[2];  /* n_ways doors that lead only this way */
	long n_ways;
	struct cscg_rng *rng; /* where doors are; NULL: in the middle */
};
#define CSCG_COMPOSE_PLAN_DEFAULTS \
	{ \
		.rows = 1, .gap = 1, .width = 1 \
	}

/*
 * Places for n rooms cut from grids, and a door between any two that are next
 * to each other in a row or column.  A door takes the nearest cells that face
 * each other across walls; one steps over the gap in one move.  If a room has
 * frontiers, its doors can only be there, and if both have, their frontiers
 * that face each other are joined in order, wherever they are.
 *
 * Fills place (2 n numbers) and sets *door, to be freed, and *n_doors.
 * Returns -1 with err filled: CSCG_EMISMATCH if a room was not cut from a grid
 * or there is no place for a door, CSCG_EUSAGE if a way leads between rooms
 * that are not neighbours.
 */
int cscg_compose_layout(const struct cscg_room *const *room, int n,
    const struct cscg_compose_plan *plan, double *offset,
    struct cscg_door **door, long *n_doors, struct cscg_err *err);

#endif
