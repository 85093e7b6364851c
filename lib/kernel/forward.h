/*
 * forward.h - likelihood of a walk under a model
 */
#ifndef CSCG_FORWARD_H
#define CSCG_FORWARD_H

#include "base/error.h"
#include "kernel/trans.h"
#include "core/walk.h"
#include "kernel/work.h"

/*
 * One step of the filter: from the belief alpha over span from, through action
 * a (a < 0: from pi instead), to the belief over the span of symbol x in out,
 * which has room for n_states and does not overlap alpha.
 *
 * Returns P(x | what came before) and leaves out summing to one; 0 if the
 * model cannot produce x here, and then out is zero.
 */
double cscg_forward_step(const struct cscg_trans *tr,
    const struct cscg_span *from, const void *alpha, int a, int x, void *out);

/*
 * Pass messages forward along episode e of walk w.
 *
 * Returns 0 and sets *loglik (natural log); the scaled messages and P(x[t] |
 * ...) stay in work, where cscg_backward() expects them.  A walk the model
 * cannot produce is an answer, not a failure: *loglik is then -INFINITY, and
 * work->p is 0 from the first impossible step on.
 *
 * Returns -1 with err filled (CSCG_ENOMEM).  Symbols and actions of the walk
 * must be the model's: see fit.h.  Threads may share tr and w, never work.
 */
int cscg_forward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *loglik, struct cscg_err *err);

#endif
