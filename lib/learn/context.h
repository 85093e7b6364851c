/*
 * context.h - states from contexts: steps are clustered by their predecessor
 * and compared by their successors
 *
 * The context of step t is (state of step t-1, action a[t-1], symbol x[t]).
 * If the predecessor is one true state and transitions are nearly
 * deterministic, nearly all steps of a context have the same true state.  Two
 * contexts of one symbol with the same true state have the same distribution
 * of successors under each action.  So contexts are clustered by a
 * likelihood-ratio test of these distributions, and the clusters are the
 * states of the next round.  A round both splits and merges states.  A step
 * with a slip or a misread symbol has a rare context and adds noise to a count
 * instead of refuting a merge, so the walk need not be deterministic.
 */
#ifndef CSCG_CONTEXT_H
#define CSCG_CONTEXT_H

#include "base/error.h"
#include "core/walk.h"
#include "learn/merge.h"

/*
 * One state for each observed symbol: the states before the first round.
 * Steps without observation have no state (-1).  NULL with err filled
 * (CSCG_ENOMEM).
 */
struct cscg_merge *cscg_context_symbols(const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * 1 if the walk shows transition noise or observation noise, 0 if not, -1 with
 * err filled.  It does if, of the (context, action) pairs with many steps and
 * one nearly certain next symbol, more than a quarter have exceptions, and
 * state merging does not explain the walk.  In a shorter walk, where pairs have
 * fewer steps, a tenth suffices.  Where symbols are so ambiguous that contexts of
 * one step have no nearly certain next symbol, contexts of several steps are
 * tested.  If poll, which may be NULL, stops state merging, there is noise.
 */
int cscg_context_is_noisy(const struct cscg_walk *w, struct cscg_poll *poll,
    struct cscg_err *err);

/*
 * One round: replace the states of f, each of which has one symbol, by the
 * clusters of their contexts.  -1 with err filled (CSCG_ENOMEM), f being
 * unchanged.
 */
int cscg_context_round(const struct cscg_walk *w, struct cscg_merge *f,
    struct cscg_err *err);

#endif
