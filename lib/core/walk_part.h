/*
 * walk_part.h - parts of walks: for training and test, in other numbers
 */
#ifndef CSCG_WALK_PART_H
#define CSCG_WALK_PART_H

#include "base/err.h"
#include "core/walk.h"

/*
 * Append episodes from..to-1 of walk, each cut after head steps (0: whole).
 * The alphabets must be the same: this is not checked.
 */
int cscg_walk_add_episodes(struct cscg_walk *part, const struct cscg_walk *walk,
    int from, int to, long head, struct cscg_err *err);

/*
 * Two new walks: *test is the last fraction of the episodes, *train the rest.
 * A walk of one episode is cut in two instead, and the move between is lost.
 * Each side has at least one episode.  -1 with err filled (CSCG_EMISMATCH if
 * there are fewer than two steps); free both whatever happens.
 */
int cscg_walk_split(const struct cscg_walk *walk, double fraction,
    struct cscg_walk **train, struct cscg_walk **test, struct cscg_err *err);

/*
 * Renumber symbols and actions as like has them: by name if both have names,
 * else by number with equal count.  -1 with err filled (CSCG_EMISMATCH).
 */
int cscg_walk_align(struct cscg_walk *walk, const struct cscg_walk_header *like,
    struct cscg_err *err);

#endif
