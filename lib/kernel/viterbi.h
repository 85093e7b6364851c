/*
 * viterbi.h - the likeliest path of states behind a walk
 */
#ifndef CSCG_VITERBI_H
#define CSCG_VITERBI_H

#include "base/error.h"
#include "kernel/trans.h"
#include "core/walk.h"
#include "kernel/work.h"

/*
 * The likeliest states of episode e of w into states[0 .. its length - 1] and
 * the log of their joint probability with the walk into *logp.  Of equal
 * paths the one with the lower states from the end backwards is taken, so the
 * answer depends on the input alone.
 *
 * A walk the model cannot produce: 0 is returned, *logp is -INFINITY and
 * states are -1 from the first impossible step on.  Returns -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_viterbi(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err);

/* All episodes: states has an item for every step, *logp is the sum. */
int cscg_viterbi_all(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err);

#endif
