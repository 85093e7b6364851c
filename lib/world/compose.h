/*
 * compose.h - two rooms cut from grids as one room, overlapping
 */
#ifndef CSCG_COMPOSE_H
#define CSCG_COMPOSE_H

#include "world/room.h"

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

#endif
