/*
 * distance.h - distances between frames and centroids, bytes or reals
 *
 * Two representations behind one table of functions.  Frames of bytes have
 * centroids that are multiples of 2^-16, and all computations are exact
 * integer arithmetic; other frames are computed in doubles, always in the same
 * order.  So the result does not depend on threads in either.
 *
 * Threads may share a struct cscg_distance in the functions that take it as
 * const.
 */
#ifndef CSCG_DISTANCE_H
#define CSCG_DISTANCE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/frames.h"
#include "kernel/cpu.h"

struct cscg_distance {
	const struct cscg_distance_ops *ops;
	const struct cscg_frames *f;
	int k;
	int threads;
	bool is_byte; /* frames of bytes, exact */
};

/* Scratch of one thread, for up to CSCG_DISTANCE_PACK frames at a time. */
struct cscg_distance_scratch;
enum { CSCG_DISTANCE_PACK = 64 };

struct cscg_distance_ops {
	void (*free)(struct cscg_distance *s);
	struct cscg_distance_scratch *(*scratch)(const struct cscg_distance *s,
	    struct cscg_err *err);

	/* Set centroid k to c, rounded if necessary; get the centroid. */
	void (*set)(struct cscg_distance *s, int k, const double *c);
	void (*get)(const struct cscg_distance *s, int k, double *c);

	/*
	 * The nearest of the nc centroids cand (ascending) to each of n
	 * frames: best[i], the first of equals.  The distance of frame i from
	 * cand[c] is between low[i * nc + c] and high[i * nc + c].
	 */
	void (*nearest)(const struct cscg_distance *s, const long *frame,
	    int n, const int *cand, int nc, int *best, double *low,
	    double *high, struct cscg_distance_scratch *scratch);

	/* Squared distances, in the same layout. */
	void (*squares)(const struct cscg_distance *s, const long *frame,
	    int n, const int *cand, int nc, double *out,
	    struct cscg_distance_scratch *scratch);

	/* Squared distances of frames from ny other frames, at most k. */
	void (*between)(const struct cscg_distance *s, const long *frame,
	    int n, const long *other, int ny, double *out,
	    struct cscg_distance_scratch *scratch);

	/*
	 * The assignment of n frames has changed: frame[i] from centroid
	 * from[i] (-1: none) to label[frame[i]].  Set each affected centroid
	 * to the mean of its frames; shift[k] becomes an upper bound on the
	 * distance that centroid k moved.  A centroid without weight is
	 * unchanged.
	 */
	void (*update)(struct cscg_distance *s, const int *label,
	    const long *frame, const int *from, long n, double *shift);

	/* The caller has changed the numbers of all frames. */
	void (*frames_changed)(struct cscg_distance *s);

	/* Sum of weight * squared distance of a frame from its centroid. */
	double (*cost)(const struct cscg_distance *s, const int *label);
};

/*
 * Borrows f.  NULL with err filled (ENOMEM).  Centroids are 0 initially.
 * cscg_distance_new() chooses one of the other two: bytes if the given
 * centroids allow it (k * dim, or NULL: any that update() makes).
 */
struct cscg_distance *cscg_distance_new(const struct cscg_frames *f, int k,
    const double *centres, const struct cscg_simd_bytes *bytes, int threads,
    struct cscg_err *err);
struct cscg_distance *cscg_distance_bytes(const struct cscg_frames *f, int k,
    const struct cscg_simd_bytes *bytes, int threads, struct cscg_err *err);
struct cscg_distance *cscg_distance_reals(const struct cscg_frames *f, int k,
    int threads, struct cscg_err *err);
void cscg_distance_free(struct cscg_distance *s);
void cscg_distance_scratch_free(struct cscg_distance_scratch *scratch);

#endif
