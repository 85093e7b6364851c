/*
 * learn_clean.h - what learn.c does with what EM found: Viterbi refinement,
 * merging, splits, and how well the graph that is left explains the walk
 */
#ifndef CSCG_LEARN_CLEAN_H
#define CSCG_LEARN_CLEAN_H

#include <stdbool.h>

#include "base/error.h"
#include "learn/learn.h"
#include "core/model.h"
#include "core/walk.h"

/* Report that a stage is done; *last is its line, if not NULL. */
int cscg_learn_report_stage(const struct cscg_learn *set, const char *stage,
    long restart, long iteration, int n_states, double loglik,
    double objective, struct cscg_learn_progress *last);

/* The log-likelihood of w under m. */
int cscg_learn_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

/* Does no action ever lead to two places? */
bool cscg_learn_is_deterministic(const struct cscg_model *m);

/*
 * From what EM found to a clean graph.  Whole counts along the likeliest path
 * are tried first; where they show chance, expected counts are tried, too, and
 * the model that is worth more (refine.h) is kept.  *loglik is its
 * log-likelihood.
 */
int cscg_structure_clean(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

#endif
