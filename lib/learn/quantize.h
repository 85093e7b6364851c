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
	 * What views are: rows read from a file, to begin with, or NULL if
	 * frames come with the walks; then they are gathered here, unless a
	 * codebook is given.
	 */
	struct cscg_frames *frames;
	const struct cscg_codebook *book; /* or NULL: one will be fitted */
	const struct cscg_simd_bytes *bytes;

	struct cscg_walk *walk; /* its steps, with views */
	int *symbol; /* [n_symbols] of each view, if frames are gone */
	size_t n_symbols;
};

/*
 * Read n walks (none: standard input) as one.  Frames have been weighed by the
 * steps that show them.  0, or -1 with err filled: CSCG_EMISMATCH if there are
 * no views, or none that go with the frames.  Free it whatever happens.
 */
int cscg_quantize_read(struct cscg_quantize *q, char *const *paths, int n,
    struct cscg_err *err);

/*
 * The walk gets the symbols of a codebook: label[i] for frame i, or what was
 * found while reading if label is NULL.  Steps without a view have no symbol;
 * goals and names of the symbols before are gone; the header has the priors.
 */
int cscg_quantize_apply(struct cscg_quantize *q,
    const struct cscg_codebook *book, const int *label, struct cscg_err *err);

/* Write the walk, without its views. */
int cscg_quantize_write(const struct cscg_quantize *q, struct cscg_out *out,
    struct cscg_err *err);

void cscg_quantize_free(struct cscg_quantize *q); /* and the frames */

/*
 * walks with what was seen, and a codebook for it
 */

struct cscg_frame_walk {
	struct cscg_quantize q; /* the walk and the frames it shows */
	struct cscg_codebook *book;
	int *label; /* [frame] its symbol */
};

/*
 * Read a codebook and n walks (none: standard input) as one; frames come with
 * them or, unless frames is NULL, are the rows of that .npy file.  Symbols of
 * the walk are those of the codebook, whose sigma2 must be above 0
 * (CSCG_ERANGE): where it is 0, symbols tell all there is to see.  0, or -1 with
 * err filled: free it whatever happens.
 */
int cscg_frame_walk_read(struct cscg_frame_walk *s, const char *book,
    const char *frames, char *const *paths, int n, int threads,
    struct cscg_err *err);
void cscg_frame_walk_free(struct cscg_frame_walk *s);

#endif
