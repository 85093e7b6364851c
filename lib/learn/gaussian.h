/*
 * gaussian.h - EM with Gaussian emissions of frames
 *
 * State j emits frame x with density N(x | mu[unit[j]], sigma2 I); a step
 * without a view has no observation.  Every state can emit every frame: frames
 * are not assigned to their nearest centroids first.  Probabilities are kept
 * as natural logs, so that frames of thousands of numbers, whose densities
 * exceed the range of floating point, need no special case.
 *
 * Transition rows are stored as a few counts plus a constant, so that the cost
 * of a step is proportional to the number of states and counts.
 */
#ifndef CSCG_GAUSSIAN_H
#define CSCG_GAUSSIAN_H

#include <stdbool.h>

#include "base/error.h"
#include "core/frames.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/em.h"

struct cscg_gaussian {
	/*
	 * The frames of the views of the walk; a frame that occurs in the walk
	 * has a weight.  Each frame is compared with the centroids once,
	 * independent of the number of its observations.
	 */
	const struct cscg_frames *frames;
	double sigma2; /* above 0; not learned */
	bool learn_pi;
	long iterations;  /* at most */
	double tolerance; /* stop when an update gains at most this, in nats
	                     per step; 0: make all iterations */
	int threads;      /* the result does not depend on it */

	/*
	 * Called after each E-step; may be NULL.  A result other than 0 stops
	 * EM.
	 */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;
};

/*
 * Learn mu[n_units][dim] with T of m fixed: each mu becomes the mean of all
 * frames, weighted by the posterior of the states of its unit.  unit[j], in
 * 0..n_units-1, is the centroid of state j (codebook.h).  mu and pi (n_states)
 * are the start and become the result; a centroid without weight is unchanged.
 * The objective is the log-likelihood, and *last is that of the result;
 * seen[frame * n_states + j], which may be NULL, is then the expected number
 * of visits to state j with each frame.
 *
 * Returns 0, or -1 with err filled: CSCG_ERANGE (the schema cannot produce the
 * walk), CSCG_EBUG (the objective fell), CSCG_ENOMEM.
 */
int cscg_gaussian_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const int *unit, int n_units, double *mu,
    double *pi, double *seen, struct cscg_em_progress *last,
    struct cscg_err *err);

/*
 * Learn T with mu fixed: the counts of m are the start and become the expected
 * transitions, with this pseudocount from the start on.  The objective is as
 * in em.h.  pi is that of the model, or uniform; if pi is learned, it is
 * stored in the model.  Fails as above.
 */
int cscg_gaussian_learn(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const int *unit, int n_units,
    const double *mu, double pseudocount, struct cscg_em_progress *last,
    struct cscg_err *err);

#endif
