/*
 * quantize.h - walks whose frames become symbols
 */
#ifndef CSCG_QUANTIZE_H
#define CSCG_QUANTIZE_H

#include "base/error.h"
#include "core/codebook.h"
#include "core/frames.h"
#include "core/walk.h"
#include "io/stream.h"

struct cscg_quantize {
	/*
	 * The frames of the views: on entry rows read from a file, or NULL if
	 * the walks contain frames; these are then collected here, unless a
	 * codebook is given.
	 */
	struct cscg_frames *frames;
	const struct cscg_codebook *book; /* or NULL: to be fitted */
	const struct cscg_simd_bytes *bytes;

	struct cscg_walk *walk; /* its steps have views */
	int *symbol; /* [n_symbols] of each view, if frames are not kept */
	size_t n_symbols;
};

/*
 * Read n walks (none: standard input) as one.  The weight of a frame is the
 * number of steps with it.  0, or -1 with err filled: CSCG_EMISMATCH if the
 * walks have no views, or none that belong to the frames.  Free it after
 * failure as well.
 */
int cscg_quantize_read(struct cscg_quantize *q, char *const *paths, int n,
    struct cscg_err *err);

/*
 * The walk gets the symbols of a codebook: label[i] for frame i, or the
 * symbols found while reading if label is NULL.  Steps without a view have no
 * symbol; goals and names of the former symbols are dropped; the header has
 * the priors.
 */
int cscg_quantize_apply(struct cscg_quantize *q,
    const struct cscg_codebook *book, const int *label, struct cscg_err *err);

/* Write the walk, without its views. */
int cscg_quantize_write(const struct cscg_quantize *q, struct cscg_out *out,
    struct cscg_err *err);

void cscg_quantize_free(struct cscg_quantize *q); /* also frees the frames */

/* Walks with frames, and a codebook of these frames */

struct cscg_frame_walk {
	struct cscg_quantize q; /* the walk and its frames */
	struct cscg_codebook *book;
	int *label; /* [frame] symbol of each frame */
};

/*
 * Read a codebook and n walks (none: standard input) as one; the walks contain
 * the frames or, unless frames is NULL, the frames are the rows of that .npy
 * file. Symbols of the walk are those of the codebook, whose sigma2 must be
 * above 0 (CSCG_ERANGE): with sigma2 = 0 the symbols hold all information of
 * the frames. 0, or -1 with err filled: free it after failure as well.
 */
int cscg_frame_walk_read(struct cscg_frame_walk *s, const char *book,
    const char *frames, char *const *paths, int n, int threads,
    struct cscg_err *err);
void cscg_frame_walk_free(struct cscg_frame_walk *s);

#endif
