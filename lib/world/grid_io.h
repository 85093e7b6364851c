/*
 * grid_io.h - grids as text maps: roomgen(1)
 */
#ifndef CSCG_GRID_IO_H
#define CSCG_GRID_IO_H

#include <stdbool.h>

#include "world/grid.h"
#include "io/stream.h"

/*
 * The map that in holds; empty lines before it and a byte order mark are passed
 * over.  Returns NULL with err filled and file, line and
 * column named (CSCG_EFORMAT, CSCG_ERANGE).
 */
struct cscg_grid *cscg_grid_read(struct cscg_in *in, struct cscg_err *err);

/*
 * Does it look like a map in which '#' is a wall?  It is all around, and next
 * to it there is mostly something else.
 */
bool cscg_grid_is_walled(const struct cscg_grid *grid);

#endif
