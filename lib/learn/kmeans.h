/*
 * kmeans.h - k-means and isotropic Gaussian mixtures
 *
 * Each frame is weighted.  The seed determines the result, whatever the number
 * of threads; for frames of bytes the result does not depend on the kind of
 * CPU either.
 */
#ifndef CSCG_KMEANS_H
#define CSCG_KMEANS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "core/codebook.h"
#include "core/frames.h"
#include "dist/checkpoint.h"
#include "dist/ranks.h"
#include "kernel/cpu.h"

/* Progress after each iteration, and at the end of each restart. */
struct cscg_kmeans_progress {
	const char *stage; /* "lloyd", "restart" or "mixture" */
	long restart, iteration;
	double inertia; /* NaN: unknown */
	double loglik;  /* of a mixture, in nats; else NaN */
	long moved;     /* frames whose assignment changed */
};

struct cscg_kmeans {
	int k;
	const double *init; /* k * dim numbers to start from, or NULL: greedy
	                       k-means++ */
	long restarts;      /* the lowest inertia is kept; with init: 1 */
	long iterations;    /* at most, each */
	double tolerance;   /* stop when inertia falls, or likelihood rises, by
	                       less than this share; 0: when assignments are
	                       stable */
	uint64_t seed;
	int threads;
	bool all; /* compute every distance: slower, same result */
	const struct cscg_simd_bytes *bytes;

	/*
	 * Ranks that share the work, or NULL.  All of them call cscg_kmeans()
	 * with the same frames and settings; rank 0 gets the result, and only
	 * its report() receives the lines of all starts.
	 */
	struct cscg_ranks *ranks;
	struct cscg_checkpoint *save; /* checkpoint of finished starts, or
	                                 NULL */

	/*
	 * Called from one thread; may be NULL.  A result other than 0 stops
	 * with failure.
	 */
	int (*report)(void *ctx, const struct cscg_kmeans_progress *line,
	    struct cscg_err *err);
	void *ctx;
};

/*
 * A new codebook, and the centroid of each frame in label[f->n].  A centroid
 * without frames is moved to the frame with the largest contribution to the
 * inertia, among frames that are not the only one of their centroid.
 *
 * NULL with err filled: CSCG_EMISMATCH if fewer than k different frames have
 * weight, CSCG_ENOMEM.
 */
struct cscg_codebook *cscg_kmeans(const struct cscg_frames *f,
    const struct cscg_kmeans *set, int *label, struct cscg_err *err);

/*
 * Continue from a codebook of k-means by EM for the mixture
 * sum_k prior_k N(x; mu_k, sigma2 I), which is stored in book; label becomes
 * the likeliest centroids.  sigma2 stays above 1e-9 of its initial value; if sigma2 is 0
 * initially, book is unchanged.  0, or -1 with err filled (ENOMEM).
 */
int cscg_kmeans_mixture(const struct cscg_frames *f,
    const struct cscg_kmeans *set, struct cscg_codebook *book, int *label,
    struct cscg_err *err);

struct cscg_distance;

#endif
