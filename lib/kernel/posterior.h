/* posterior.h - P(state | all steps of its episode) of each step of a walk */
#ifndef CSCG_POSTERIOR_H
#define CSCG_POSTERIOR_H

#include "base/error.h"
#include "core/walk.h"
#include "kernel/trans.h"

/* p[j - lo] is the posterior of state j at step t of the walk; others have 0. */
typedef void cscg_posterior_fn(void *ctx, long t, int lo, int hi,
    const double *p);

/*
 * Call step() for each step of episodes from..to-1, in no particular order.
 * 0, or -1 with err filled: CSCG_EMISMATCH (an episode that the model cannot
 * produce), CSCG_ERANGE (underflow), CSCG_ENOMEM.
 */
int cscg_posterior_each(const struct cscg_trans *tr, const struct cscg_walk *w,
    int from, int to, cscg_posterior_fn *step, void *ctx,
    struct cscg_err *err);

#endif
