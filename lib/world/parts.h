/*
 * parts.h - a room put together from others: what all ways to do so share
 */
#ifndef CSCG_PARTS_H
#define CSCG_PARTS_H

#include "world/room.h"

/*
 * Say of whole that it is made of the n rooms of from: its parts are named by
 * the names of the rooms ("part" for one without; "-2", "-3", ... is added
 * where a name would appear twice), all nodes belong to part 0, and the
 * histories of the rooms come before its own.  Returns 0, or -1 with err
 * filled.
 */
int cscg_room_init_parts(struct cscg_room *whole,
    const struct cscg_room *const *from, int n, struct cscg_err *err);

/* How many nodes belong to part k, or to several of them (k = -1)? */
int cscg_room_part_size(const struct cscg_room *whole, int k);

#endif
