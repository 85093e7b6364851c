/*
 * ranks_walk.h - walk files read once and shared among ranks
 *
 * Only the data that learning uses: x, a, reset and the ends of episodes.
 */
#ifndef CSCG_RANKS_WALK_H
#define CSCG_RANKS_WALK_H

#include "dist/blob.h"
#include "base/error.h"
#include "dist/ranks.h"
#include "core/walk.h"

/*
 * All ranks call it.  Rank 0 gets the walk that cscg_walk_read() returns;
 * other ranks get a walk with its header and without steps.  Each file is read
 * by one rank, and standard input by rank 0.  On failure every rank gets the
 * error of the first file that has one.
 */
struct cscg_walk *cscg_ranks_walk_read(struct cscg_ranks *r,
    char *const *paths, int n, struct cscg_err *err);

/*
 * Steps from..to-1, which are whole episodes, and the header without history.
 */
int cscg_blob_write_walk(struct cscg_blob *b, const struct cscg_walk *w,
    long from, long to, struct cscg_err *err);
struct cscg_walk *cscg_blob_read_walk(struct cscg_blob *b,
    struct cscg_err *err);

#endif
