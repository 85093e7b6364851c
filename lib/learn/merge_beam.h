/*
 * merge_beam.h - state merging with inverse actions by a beam of partial
 * graphs
 */
#ifndef CSCG_MERGE_BEAM_H
#define CSCG_MERGE_BEAM_H

#include "base/error.h"
#include "base/poll.h"
#include "core/walk.h"
#include "learn/merge.h"

/*
 * The smallest graph found by which the walk is deterministic and actions have
 * inverses.  Returns 1 with *out new; 0 if none was found, there would be more
 * than CSCG_BEAM_STATES states or CSCG_BEAM_ACTIONS actions (constants.h), no
 * symbol can be that of a single state, or no action has an inverse; -1 with err filled.  poll may be NULL; if it stops
 * the search, the smallest graph so far is the result.
 */
int cscg_merge_beam(const struct cscg_walk *w, struct cscg_poll *poll,
    struct cscg_merge **out, struct cscg_err *err);

#endif
