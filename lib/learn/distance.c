/* distance.c - distances between frames and centroids, bytes or reals */
#include <stdlib.h>

#include "learn/distance.h"

/* Choice of the representation of frames and centroids */

struct cscg_distance *
cscg_distance_new(const struct cscg_frames *f, int k, const double *centres,
    const struct cscg_simd_bytes *bytes, int threads, struct cscg_err *err)
{
	bool fits = f->type == CSCG_PIXEL_BYTE;
	struct cscg_distance *s;
	long i;

	/*
	 * Centroids need not be on the grid, but the grid ends at 0 and 255.
	 */
	for (i = 0; fits && centres && i < k * f->dim; i++)
		fits = centres[i] >= 0 && centres[i] <= 255;
	s = fits ? cscg_distance_bytes(f, k, bytes, threads, err) :
		   cscg_distance_reals(f, k, threads, err);
	for (i = 0; s && centres && i < k; i++)
		s->ops->set(s, (int)i, centres + i * f->dim);
	return s;
}

void
cscg_distance_free(struct cscg_distance *s)
{
	if (s)
		s->ops->free(s);
}

void
cscg_distance_scratch_free(struct cscg_distance_scratch *scratch)
{
	free(scratch);
}
