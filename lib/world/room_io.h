/*
 * room_io.h - room files as JSON, one room per line: cscg-room(5)
 */
#ifndef CSCG_ROOM_IO_H
#define CSCG_ROOM_IO_H

#include "world/room.h"
#include "io/stream.h"

/* 1 with *room new, 0 at a clean end, -1 with err filled. */
int cscg_room_read(struct cscg_in *in, struct cscg_room **room,
    struct cscg_err *err);

/*
 * Pass every room of a file to take(), which then owns it, also if take()
 * fails; an error CSCG_EMISMATCH or CSCG_EUSAGE of take() gets the line of the
 * room prepended.  A file without rooms is an error.
 */
int cscg_room_for_each(const char *path,
    int (*take)(void *ctx, struct cscg_room *room, struct cscg_err *err),
    void *ctx, struct cscg_err *err);

int cscg_room_write(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err);

#endif
