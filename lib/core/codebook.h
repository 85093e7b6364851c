/*
 * codebook.h - vector-quantization codebooks, and Gaussian emissions of states
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

#include "base/error.h"
#include "core/frames.h"
#include "core/model.h"
#include "io/history.h"
#include "io/json.h"
#include "io/stream.h"

struct cscg_codebook {
	int k;
	int ndim; /* of a frame */
	long shape[CSCG_FRAME_DIMS], dim;
	bool is_byte;
	bool is_mixture;        /* a mixture: the likeliest centroid stands for
	                           a frame, not the nearest */
	double *centroid;       /* [k * dim] */
	double *prior, *count;  /* [k] */
	double sigma2, inertia; /* inertia: sum ||x - mu||^2 */
	struct cscg_history history;
};

/* For frames shaped like f; numbers are 0.  NULL with err filled (ENOMEM). */
struct cscg_codebook *cscg_codebook_new(const struct cscg_frames *f, int k,
    struct cscg_err *err);

/* Do the promises above hold?  -1 with err filled if not. */
int cscg_codebook_check(const struct cscg_codebook *book,
    struct cscg_err *err);

/* Do frames of these sizes fit?  -1 with err filled (CSCG_EMISMATCH). */
int cscg_codebook_check_shape(const struct cscg_codebook *book, int ndim,
    const long *shape, struct cscg_err *err);

/* The sizes of a frame, "64 x 64 x 3", as far as there is room. */
void cscg_codebook_format_shape(char *buf, size_t size, int ndim,
    const long *shape);

/*
 * codebooks as JSON: cscg-codebook(5); centroids as .npy
 */

/*
 * The next codebook of in: 1 with *book new, 0 at a clean end, -1 with err
 * filled and the place named.
 */
int cscg_codebook_read_next(struct cscg_in *in, struct cscg_codebook **book,
    struct cscg_err *err);

int cscg_codebook_write(const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err);

/* The centroids alone, an array of k frames: f4 if they are of bytes, or f8. */
int cscg_codebook_write_npy(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err);

/*
 * Centroids from a .npy file, new: k * dim numbers; they must fit frames of
 * this shape (CSCG_EMISMATCH) and be finite (CSCG_ERANGE).  *k is 0 on entry
 * if any number will do, and else the number there must be.
 */
double *cscg_codebook_read_npy(const char *path, int ndim, const long *shape,
    int *k, struct cscg_err *err);

/*
 * the frames that the states of a model look like
 *
 * What is always true of looks:
 *   - n >= 1 centroids of dim finite numbers, one after the other; dim is the
 *     product of shape
 *   - sigma2 > 0 and finite: a state shows x with density N(x | mu, sigma2 I)
 *   - in a model there is one for each state or, if they are fewer, one for
 *     each group of clones that has states, in order
 */

struct cscg_frame_emission {
	int n;
	int ndim; /* of a frame */
	long shape[CSCG_FRAME_DIMS], dim;
	double sigma2;
	double *mu; /* [n * dim] */
};

/* Centroids are 0 and sigma2 is 1.  NULL with err filled (ENOMEM). */
struct cscg_frame_emission *cscg_frame_emission_new(int n, int ndim,
    const long *shape, struct cscg_err *err);
struct cscg_frame_emission *cscg_frame_emission_copy(
    const struct cscg_frame_emission *from, struct cscg_err *err);
void cscg_frame_emission_free(struct cscg_frame_emission *emission);

/*
 * Which centroid is that of each state, into unit[n_states], and how many there
 * are: one a state, or one a group if tied.  Only a model with clone structure
 * can be tied.
 */
int cscg_frame_emission_units(const struct cscg_model *m, bool tied,
    int *unit);

/* Do the promises above hold for the looks of m?  -1 with err filled if not. */
int cscg_frame_emission_check(const struct cscg_model *m,
    struct cscg_err *err);

/*
 * looks in the JSON of a model: cscg-model(5)
 */

/* The optional "looks" of obj into m->frame_emission; 0, or -1 with err filled. */
int cscg_frame_emission_from_json(json_t *obj, struct cscg_model *m,
    struct cscg_err *err);

/* Those of m into obj, if there are any. */
int cscg_frame_emission_to_json(json_t *obj, const struct cscg_model *m,
    struct cscg_err *err);

#endif
