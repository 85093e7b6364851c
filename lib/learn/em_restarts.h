/*
 * em_restarts.h - EM on T from several starts, over threads and ranks, with
 * checkpoints
 */
#ifndef CSCG_EM_RESTARTS_H
#define CSCG_EM_RESTARTS_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/estep_ranks.h"
#include "learn/em.h"
#include "learn/learn.h"

/*
 * Report a line; *last becomes that line, if not NULL.  A result other than 0
 * stops EM.
 */
int cscg_learn_report_progress(const struct cscg_learn *set,
    const struct cscg_learn_progress *line, struct cscg_learn_progress *last);

/*
 * EM on m from its counts, or (random) from set->restarts random starts.  m
 * gets the counts above floor of the start with the highest likelihood, the
 * first of equals, and *last is its progress line.  With more than one start
 * each is reported.
 */
int cscg_em_restarts(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool random, double floor,
    struct cscg_learn_progress *last, struct cscg_err *err);

/*
 * Job of one rank: random starts assigned to it; for cscg_estep_ranks_serve().
 */
cscg_estep_ranks_job cscg_em_restarts_job;

#endif
