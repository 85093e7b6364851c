/*
 * tied_noise.h - transition noise shared by all states of an action
 *
 * Transition noise is assumed to depend on the action more than on the state:
 * a failed transition leads to the successor of another action, or stays.  The
 * noise estimated from a single row of T rests on the steps of that row only;
 * the rows of an action together give a better estimate.
 *
 * The shared distribution of action a has a share w(a, c) for each kind c of
 * outcome: the main successor of action c from the same state, staying, or any
 * other state.  A row is tied to this distribution unless a separate row has
 * the better BIC, given its counts.
 */
#ifndef CSCG_TIED_NOISE_H
#define CSCG_TIED_NOISE_H

#include "base/error.h"
#include "core/model.h"

enum {
	CSCG_NOISE_BY_BIC, /* tied or untied, decided by BIC */
	CSCG_NOISE_TIED,   /* by the shared distribution of its action */
	CSCG_NOISE_UNTIED, /* by the counts of the row */
};

/*
 * Replace the counts of tied rows by the expected counts of as many steps
 * under the shared distribution of their action.  mode[a * n_states + j] is
 * the mode of each row; CSCG_NOISE_BY_BIC is replaced by the mode chosen.
 * Rows with counts without a main successor (more than half of the counts) are
 * untied; an action without noise is unchanged.  Counts of a tied row that no
 * kind of outcome explains are dropped as errors.
 *
 * Returns the number of rows with tied noise, or -1 with err filled
 * (CSCG_ENOMEM), the model being unchanged.
 */
long cscg_tied_noise(struct cscg_model *m, unsigned char *mode,
    struct cscg_err *err);

/*
 * The same, with a test on the walk behind the counts: steps is its length,
 * and measure() computes its log-likelihood.  Counts of hidden states are
 * expected, not observed, so a row stays untied only if that improves BIC on
 * the walk.  1: *m was replaced, and *loglik is its log-likelihood; 0: *m is
 * unchanged; -1 with err filled.
 */
struct cscg_tied_noise_walk {
	long steps;
	int (*measure)(void *ctx, const struct cscg_model *m, double *loglik,
	    struct cscg_err *err);
	void *ctx;
};
int cscg_tied_noise_fit(struct cscg_model **m,
    const struct cscg_tied_noise_walk *walk, double *loglik,
    struct cscg_err *err);

#endif
