/*
 * expect.h - the plain E-step: expected counts over all episodes
 */
#ifndef CSCG_EXPECT_H
#define CSCG_EXPECT_H

#include "base/error.h"
#include "kernel/trans.h"
#include "core/walk.h"
#include "kernel/work.h"

/*
 * The log-likelihood of all of w, -INFINITY if impossible.  counts (dense
 * [a][j][k], zeroed here) and start (posterior at each beginning, summed) may
 * be NULL.
 */
int cscg_expect(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, double *counts, double *start, double *loglik,
    struct cscg_err *err);

#endif
