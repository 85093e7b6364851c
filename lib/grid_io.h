/*
 * grid_io.h - grids as text maps: roomgen(1)
 */
#ifndef CSCG_GRID_IO_H
#define CSCG_GRID_IO_H

#include "grid.h"
#include "stream.h"

/*
 * The map that in holds.  Returns NULL with err filled and file, line and
 * column named (CSCG_EFORMAT, CSCG_ERANGE).
 */
struct cscg_grid *cscg_grid_read(struct cscg_in *in, struct cscg_err *err);

#endif
