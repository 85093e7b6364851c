/*
 * holdout.h - the held-out log-likelihood of a walk: the criterion that
 * compares models from every start, sparse or dense
 *
 * Steps are held out in blocks, or in whole episodes where there are many.  A
 * model is fitted to the other steps and predicts each held-out step from all
 * steps before it.  BIC counts every edge of a clone model as a free
 * parameter, which is right for a sparse graph but not for a dense HMM, whose
 * edges have few degrees of freedom; the held-out likelihood needs no count of
 * parameters.
 *
 * Short walks have several folds, and each block is held out in one of them;
 * long walks have one fold.
 */
#ifndef CSCG_HOLDOUT_H
#define CSCG_HOLDOUT_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/plain.h"
#include "kernel/simd.h"
#include "learn/learn.h"

struct cscg_holdout {
	const struct cscg_walk *w;
	int n_folds;
	struct cscg_walk **train; /* [n_folds] the walk of each fold, without
	                             its held-out steps */
	signed char *fold; /* [n_steps] the fold in which a step is held out;
	                      -1: none */
	long n_held;       /* observations held out, in all folds */
};

/*
 * The folds of w, which is borrowed.  NULL with err filled: CSCG_ENOMEM, or
 * CSCG_EMISMATCH for a walk of less than CSCG_HOLDOUT_MIN_STEPS steps.
 */
enum { CSCG_HOLDOUT_MIN_STEPS = 50, CSCG_HOLDOUT_FOLDS_MAX = 5 };
struct cscg_holdout *cscg_holdout_new(const struct cscg_walk *w,
    struct cscg_err *err);
void cscg_holdout_free(struct cscg_holdout *h);

/*
 * The log-likelihood of the held-out steps of a fold given the steps before
 * them, under a model of the training walk of that fold.  A step that the
 * model cannot produce counts as one of the smallest positive probability.
 */
int cscg_holdout_loglik(const struct cscg_holdout *h, int fold,
    const struct cscg_model *m, const struct cscg_kernel *kern,
    const struct cscg_simd *simd, double *loglik, struct cscg_err *err);

/*
 * Smoothing as a part of a candidate: a tenth of the pseudocount that is set,
 * itself, or ten times as much (i = 0, 1, 2).
 */
enum { CSCG_HOLDOUT_SMOOTHINGS = 3 };
double cscg_holdout_pseudocount(const struct cscg_learn *set, int i);

/*
 * Set the pseudocount of m; it is also added to the number of episodes that
 * start in each state, if m has start probabilities.
 */
void cscg_holdout_smooth(struct cscg_model *m, int episodes,
    double pseudocount);

/* As cscg_holdout_loglik(), for m smoothed by this pseudocount. */
int cscg_holdout_smoothed_loglik(const struct cscg_holdout *h, int fold,
    const struct cscg_model *m, double pseudocount,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

#endif
