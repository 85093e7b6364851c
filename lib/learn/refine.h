/*
 * refine.h - the graph of a noisy walk, improved by local changes
 *
 * A graph has one symbol for each state and one successor for each state and
 * action; slips and misread symbols have probabilities that all states share.
 * From a first assignment of steps to states the search removes, splits and
 * merges states as long as the description length of the walk falls.
 * refine.c describes the changes.
 */
#ifndef CSCG_REFINE_H
#define CSCG_REFINE_H

#include "base/error.h"
#include "base/poll.h"
#include "core/walk.h"
#include "learn/merge.h"

/*
 * Improve the assignment state[n_steps] (-1: none) to n states.  1 with *out
 * new, of which assigned and complete are 1 and true, and cost is the
 * description length of the walk; 0 if there are too many states, actions or
 * symbols for dense tables, or nothing was assigned; -1 with err filled (CSCG_ENOMEM).  poll may be NULL; if it
 * stops the search, the best graph so far is the result.
 */
int cscg_refine(const struct cscg_walk *w, const int *state, int n,
    struct cscg_poll *poll, struct cscg_merge **out, struct cscg_err *err);

#endif
