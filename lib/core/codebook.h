/*
 * codebook.h - centroids that stand for frames, and how likely each is
 *
 * What is always true of a codebook:
 *   - k >= 1 centroids of dim finite numbers, one after the other
 *   - prior[i] >= 0 and they sum to one; count[i] >= 0 is how many frames
 *     centroid i stands for, which need not be whole if they were shared out
 *   - sigma2 >= 0 is the variance of a number about its centroid's:
 *     sum ||x - mu||^2 / (N dim)
 *   - if is_byte, frames are bytes and centroids are multiples of 2^-16 from 0
 *     to 255
 */
#ifndef CSCG_CODEBOOK_H
#define CSCG_CODEBOOK_H

#include <stdbool.h>

#include "base/err.h"
#include "core/frames.h"
#include "io/history.h"

struct cscg_codebook {
	int k;
	int ndim;			/* of a frame */
	long shape[CSCG_FRAME_DIMS], dim;
	bool is_byte;
	bool is_mixture;			/* a mixture: the likeliest centroid
					   stands for a frame, not the nearest */
	double *centroid;		/* [k * dim] */
	double *prior, *count;		/* [k] */
	double sigma2, inertia;		/* inertia: sum ||x - mu||^2 */
	struct cscg_history history;
};

/* For frames shaped like f; numbers are 0.  NULL with err filled (ENOMEM). */
struct cscg_codebook *cscg_codebook_new(const struct cscg_frames *f, int k,
    struct cscg_err *err);
void cscg_codebook_free(struct cscg_codebook *book);

/* Do the promises above hold?  -1 with err filled if not. */
int cscg_codebook_check(const struct cscg_codebook *book,
    struct cscg_err *err);

/* Do frames of these sizes fit?  -1 with err filled (CSCG_EMISMATCH). */
int cscg_codebook_check_shape(const struct cscg_codebook *book, int ndim,
    const long *shape, struct cscg_err *err);

/* The sizes of a frame, "64 x 64 x 3", as far as there is room. */
void cscg_codebook_format_shape(char *buf, size_t size, int ndim, const long *shape);

#endif
