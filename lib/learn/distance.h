/*
 * distance.h - distances between frames and centroids, bytes or reals
 *
 * Two ways to hold them behind one set of functions.  Frames of bytes have
 * centres that are multiples of 2^-16 and everything about them is computed in
 * whole numbers, exactly; others are computed in doubles, always in the same
 * order.  So in both, a result does not depend on threads.
 *
 * Threads may share a space in the functions that take it as const.
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
	bool is_byte; /* the first way */
};

/* Scratch of one thread; made for up to CSCG_DISTANCE_PACK frames at a time. */
struct cscg_distance_scratch;
enum { CSCG_DISTANCE_PACK = 64 };

struct cscg_distance_ops {
	void (*free)(struct cscg_distance *s);
	struct cscg_distance_scratch *(*scratch)(const struct cscg_distance *s,
	    struct cscg_err *err);

	/* Put centre k at c, as near as it can be; and where it is. */
	void (*set)(struct cscg_distance *s, int k, const double *c);
	void (*get)(const struct cscg_distance *s, int k, double *c);

	/*
	 * Which of the centres cand (ascending, nc of them) is nearest to each
	 * of n frames: best[i], the first of equals.  Its distance from
	 * cand[c] is between low[i * nc + c] and high[i * nc + c].
	 */
	void (*nearest)(const struct cscg_distance *s, const long *frame,
	    int n, const int *cand, int nc, int *best, double *low,
	    double *high, struct cscg_distance_scratch *scratch);

	/* Squared distances, the same way. */
	void (*squares)(const struct cscg_distance *s, const long *frame,
	    int n, const int *cand, int nc, double *out,
	    struct cscg_distance_scratch *scratch);

	/* Squared distances of frames from ny other frames, at most k. */
	void (*between)(const struct cscg_distance *s, const long *frame,
	    int n, const long *other, int ny, double *out,
	    struct cscg_distance_scratch *scratch);

	/*
	 * n frames have changed hands: frame[i] from centre from[i] (-1: none)
	 * to label[frame[i]].  Put each centre that is touched in the middle
	 * of its frames; shift[k] becomes at least the distance that centre k
	 * moved.  A centre with no weight stays.
	 */
	void (*update)(struct cscg_distance *s, const int *label,
	    const long *frame, const int *from, long n, double *shift);

	/* The numbers of all frames were changed behind its back. */
	void (*frames_changed)(struct cscg_distance *s);

	/* Sum of weight * squared distance from the frame's own centre. */
	double (*cost)(const struct cscg_distance *s, const int *label);
};

/*
 * Borrows f.  NULL with err filled (ENOMEM).  Centres are at 0 at first.
 * cscg_distance_new() is one of the other two: of bytes if that is possible for
 * the centres given (k * dim, or NULL: any that update() makes).
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
