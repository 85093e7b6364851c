/*
 * looks.h - the frames that the states of a model look like
 *
 * What is always true of looks:
 *   - n >= 1 centroids of dim finite numbers, one after the other; dim is the
 *     product of shape
 *   - sigma2 > 0 and finite: a state shows x with density N(x | mu, sigma2 I)
 *   - in a model there is one for each state or, if they are fewer, one for
 *     each group of clones that has states, in order
 */
#ifndef CSCG_LOOKS_H
#define CSCG_LOOKS_H

#include "base/err.h"
#include "core/frames.h"
#include "core/model.h"

struct cscg_frame_emission {
	int n;
	int ndim;		/* of a frame */
	long shape[CSCG_FRAME_DIMS], dim;
	double sigma2;
	double *mu;		/* [n * dim] */
};

/* Centroids are 0 and sigma2 is 1.  NULL with err filled (ENOMEM). */
struct cscg_frame_emission *cscg_frame_emission_new(int n, int ndim, const long *shape,
    struct cscg_err *err);
struct cscg_frame_emission *cscg_frame_emission_copy(const struct cscg_frame_emission *from,
    struct cscg_err *err);
void cscg_frame_emission_free(struct cscg_frame_emission *emission);

/*
 * Which centroid is that of each state, into unit[n_states], and how many there
 * are: one a state, or one a group if tied.  Only a model with clone structure
 * can be tied.
 */
int cscg_frame_emission_units(const struct cscg_model *m, bool tied, int *unit);

/* Do the promises above hold for the looks of m?  -1 with err filled if not. */
int cscg_frame_emission_check(const struct cscg_model *m, struct cscg_err *err);

#endif
