/*
 * noisy.h - observation noise in learning: misread symbols are found, replaced
 * for the structure search, and their probability is estimated
 *
 * A misread symbol contradicts the transitions before and after it.  A rough
 * model of contexts (context.h) and EM on T and the misreading probability
 * (kernel/estep_beam.h) find such symbols; the structure is then learned from
 * a walk in which the symbol of the likeliest state replaces them, and EM on
 * the original walk completes the model.
 */
#ifndef CSCG_NOISY_H
#define CSCG_NOISY_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * A rough model of w by contexts, new, with a misreading probability.  Returns
 * 1, 0 if contexts have more states than states_max, or -1 with err filled.
 */
int cscg_noisy_contexts(const struct cscg_walk *w,
    const struct cscg_learn *set, long states_max, struct cscg_model **m,
    struct cscg_err *err);

/*
 * The symbols of w with misread ones replaced, new: free() *x; and the rough
 * model *m by which they were found, new, with its misreading probability.
 * Returns 1, 0 if the walk has no misread symbols (*x is NULL), or -1 with err
 * filled.
 */
int cscg_noisy_replace(const struct cscg_walk *w, const struct cscg_learn *set,
    int **x, struct cscg_model **m, struct cscg_err *err);

/* Write the symbol of the likeliest state of each step of w to x; 0, or -1. */
int cscg_noisy_symbols(const struct cscg_model *m, const struct cscg_walk *w,
    int *x, struct cscg_err *err);

/* True if the rough model is nearly deterministic: no search is needed. */
bool cscg_noisy_is_certain(const struct cscg_model *m);

/*
 * Fit T, and the misreading probability of a model that has one, to walk w;
 * with reduce, drop transitions and states that do not improve BIC.  *loglik
 * is the log-likelihood.
 */
int cscg_noisy_fit(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool reduce, double *loglik,
    struct cscg_err *err);

#endif
