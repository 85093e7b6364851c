/*
 * backward.h - what the whole walk says about each step
 */
#ifndef CSCG_BACKWARD_H
#define CSCG_BACKWARD_H

#include "kernel/trans.h"
#include "core/walk.h"
#include "kernel/work.h"

/*
 * Pass messages backward along episode e of w, after cscg_forward() with the
 * same work and a finite log-likelihood.
 *
 * Turns the forward message of each step into the posterior over its states
 * (P(z[t] | whole walk), summing to one), and adds the expected transitions
 * P(z[t] = j, z[t+1] = k | whole walk) to counts[a[t]][j][k] (dense, as tr must
 * be then; NULL: not wanted).
 */
void cscg_backward(const struct cscg_trans *tr, const struct cscg_walk *w,
    int e, struct cscg_work *work, double *counts);

#endif
