/*
 * gaussian.h - EM with Gaussian emissions of frames
 *
 * State j shows frame x with density N(x | mu[unit[j]], sigma2 I); a step
 * without a view is no evidence.  Every state may be behind every frame: no
 * frame has to be taken for the nearest centroid first.  All that is multiplied
 * is kept as natural logs, so that frames of thousands of numbers, whose
 * densities no floating point number could hold, are as good as any.
 *
 * Transitions are sums of a few counts and a constant for each row, so that a
 * step costs as much as there are states and counts.
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
	 * What the views of the walk are, those that are shown having a
	 * weight.  Each is compared with the centroids once, however often it
	 * is seen.
	 */
	const struct cscg_frames *frames;
	double sigma2; /* above 0; stays as it is */
	bool learn_pi;
	long iterations;  /* at most */
	double tolerance; /* stop when an update gains no more than this, in
	                     nats a step; 0: make all */
	int threads;      /* any number gives the same */

	/* Called after each E-step; may be NULL.  Not 0: stop there. */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;
};

/*
 * Learn mu[n_units][dim], T of m fixed: each becomes the mean of all frames,
 * weighed by how likely a state of the unit was behind each.  unit[n_states]
 * says which centroid each state has, 0..n_units-1 (codebook.h).  mu and pi
 * (n_states) are the start and become the result; a centroid that nothing is
 * seen of stays.  The objective is the log-likelihood, and *last is that of the
 * result; posterior[frame * n_states + j], which may be NULL, is how often state j
 * was behind each frame, then.
 *
 * Returns 0, or -1 with err filled: CSCG_ERANGE (the schema cannot produce the
 * walk), CSCG_EBUG (the objective fell), CSCG_ENOMEM.
 */
int cscg_gaussian_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const int *unit, int n_units, double *mu,
    double *pi, double *seen, struct cscg_em_progress *last,
    struct cscg_err *err);

/*
 * Learn T, mu fixed: the counts of m are the start and become the expected
 * transitions, with this pseudocount from the start on.  The objective is as in
 * em.h.  pi is the model's, or uniform; if it is learned, the model gets it.
 * Fails as above.
 */
int cscg_gaussian_learn(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const int *unit, int n_units,
    const double *mu, double pseudocount, struct cscg_em_progress *last,
    struct cscg_err *err);

#endif
