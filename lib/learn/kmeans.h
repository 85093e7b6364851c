/*
 * kmeans.h - k-means and isotropic Gaussian mixtures
 *
 * Each frame counts as often as its weight says.  A seed fixes the result,
 * whatever the number of threads; for frames of bytes it does not depend on the
 * kind of CPU either.
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

/* What is told after each iteration, and at the end of each restart. */
struct cscg_kmeans_progress {
	const char *stage; /* "lloyd", "restart" or "mixture" */
	long restart, iteration;
	double inertia; /* NaN: not known */
	double loglik;  /* of a mixture, in nats; else NaN */
	long moved;     /* frames that changed hands */
};

struct cscg_kmeans {
	int k;
	const double *init; /* k * dim numbers to start from, or NULL: greedy
	                       k-means++ */
	long restarts;      /* the lowest inertia is kept; with init: 1 */
	long iterations;    /* at most, each */
	double tolerance;   /* stop when inertia falls, or likelihood rises, by
	                       less than this share of it; 0: when assignments
	                       are stable */
	uint64_t seed;
	int threads;
	bool all; /* compute every distance: slower, and the same result */
	const struct cscg_simd_bytes *bytes;

	/*
	 * Ranks that share the work, or NULL.  All of them call cscg_kmeans()
	 * with the same frames and settings; rank 0 gets the result, and only
	 * its report is told of all starts.
	 */
	struct cscg_ranks *ranks;
	struct cscg_checkpoint *save; /* starts that are done, or NULL */

	/* Called from one thread; may be NULL.  Not 0: stop and fail. */
	int (*report)(void *ctx, const struct cscg_kmeans_progress *line,
	    struct cscg_err *err);
	void *ctx;
};

/*
 * A new codebook, and the centroid of each frame in label[f->n].  A centroid
 * that no frame is nearest to takes over the frame that adds most to the
 * inertia, of those that are not alone with their centroid.
 *
 * NULL with err filled: CSCG_EMISMATCH if fewer than k different frames have
 * weight, CSCG_ENOMEM.
 */
struct cscg_codebook *cscg_kmeans(const struct cscg_frames *f,
    const struct cscg_kmeans *set, int *label, struct cscg_err *err);

/*
 * Go on from a codebook of k-means by EM for sum_k prior_k N(x; mu_k, sigma2 I):
 * book becomes that mixture and label its likeliest centroids.  sigma2 stays
 * above a billionth of what it was; if it was 0, there is nothing to do.  0, or
 * -1 with err filled (ENOMEM).
 */
int cscg_kmeans_mixture(const struct cscg_frames *f,
    const struct cscg_kmeans *set, struct cscg_codebook *book, int *label,
    struct cscg_err *err);

struct cscg_distance;

#endif
