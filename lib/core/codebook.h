/*
 * codebook.h - vector-quantization codebooks, and Gaussian emissions of states
 *
 * Invariants of a codebook:
 *   - k >= 1 centroids of dim finite numbers each, stored contiguously
 *   - prior[i] >= 0, and the priors sum to one; count[i] >= 0 is the number
 *     of frames assigned to centroid i, a fraction under soft assignment
 *   - sigma2 >= 0 is the variance per dimension about the assigned centroid:
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
	bool is_mixture;        /* a mixture: a frame is assigned to the most
	                           probable centroid, not to the nearest */
	double *centroid;       /* [k * dim] */
	double *prior, *count;  /* [k] */
	double sigma2, inertia; /* inertia: sum ||x - mu||^2 */
	struct cscg_history history;
};

/*
 * A codebook for frames of the shape of f, all numbers 0.  NULL with err
 * filled (ENOMEM).
 */
struct cscg_codebook *cscg_codebook_new(const struct cscg_frames *f, int k,
    struct cscg_err *err);

/* Check the invariants above.  -1 with err filled if one is violated. */
int cscg_codebook_check(const struct cscg_codebook *book,
    struct cscg_err *err);

/* Check the shape of frames.  -1 with err filled (CSCG_EMISMATCH). */
int cscg_codebook_check_shape(const struct cscg_codebook *book, int ndim,
    const long *shape, struct cscg_err *err);

/* The shape of a frame as text, "64 x 64 x 3", truncated to size bytes. */
void cscg_codebook_format_shape(char *buf, size_t size, int ndim,
    const long *shape);

/*
 * codebooks as JSON: cscg-codebook(5); centroids as .npy
 */

/*
 * Read the next codebook of in: 1 with *book new, 0 at a clean end, -1 with
 * err filled; the message names the position.
 */
int cscg_codebook_read_next(struct cscg_in *in, struct cscg_codebook **book,
    struct cscg_err *err);

int cscg_codebook_write(const struct cscg_codebook *book, struct cscg_out *out,
    struct cscg_err *err);

/* The centroids as an array of k frames: f4 if is_byte, else f8. */
int cscg_codebook_write_npy(const struct cscg_codebook *book,
    struct cscg_out *out, struct cscg_err *err);

/*
 * Gaussian emissions: the frames that the states of a model emit
 *
 * Invariants of frame emissions:
 *   - n >= 1 centroids of dim finite numbers each, stored contiguously; dim is
 *     the product of shape
 *   - sigma2 > 0 and finite: a state emits frame x with the density
 *     N(x | mu, sigma2 I)
 *   - a model has one centroid for each state or, if n is smaller (tied
 *     emissions), one for each group of clones that has states, in order
 */

struct cscg_frame_emission {
	int n;
	int ndim; /* of a frame */
	long shape[CSCG_FRAME_DIMS], dim;
	double sigma2;
	double *mu; /* [n * dim] */
};

/* New emissions: centroids 0, sigma2 1.  NULL with err filled (ENOMEM). */
struct cscg_frame_emission *cscg_frame_emission_new(int n, int ndim,
    const long *shape, struct cscg_err *err);
struct cscg_frame_emission *cscg_frame_emission_copy(
    const struct cscg_frame_emission *from, struct cscg_err *err);
void cscg_frame_emission_free(struct cscg_frame_emission *emission);

/*
 * Store the centroid of each state in unit[n_states] and return the number of
 * centroids: one per state, or one per nonempty group if tied.  Only a model
 * with clone structure can be tied.
 */
int cscg_frame_emission_units(const struct cscg_model *m, bool tied,
    int *unit);

/* Check the invariants above.  -1 with err filled if one is violated. */
int cscg_frame_emission_check(const struct cscg_model *m,
    struct cscg_err *err);

/*
 * frame emissions in the JSON of a model, key "gaussian": cscg-model(5)
 */

/*
 * Read the optional "gaussian" of obj into m->frame_emission; 0, or -1 with err
 * filled.  Files of version 1.0.0 of the tools have the key "looks" instead;
 * having both is an error.
 */
int cscg_frame_emission_from_json(json_t *obj, struct cscg_model *m,
    struct cscg_err *err);

/* Write the frame emissions of m, if present. */
void cscg_frame_emission_write_json(struct cscg_json_writer *w,
    const struct cscg_model *m);

#endif
