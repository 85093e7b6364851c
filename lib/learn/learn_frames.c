/* learn_frames.c - EM on T with frames as evidence, from a model of symbols */
#include <stdlib.h>
#include <string.h>

#include "learn/learn.h"
#include "core/codebook.h"
#include "base/mem.h"

int
cscg_gaussian_learn_frames(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const struct cscg_codebook *book,
    double pseudocount, struct cscg_em_progress *last, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, dim = (size_t)book->dim, j;
	int *unit = cscg_alloc(S, sizeof *unit, err), n, rc = -1;
	struct cscg_gaussian how = *set;
	struct cscg_frame_emission *emission = NULL;

	if (!unit)
		return -1;
	n = cscg_frame_emission_units(m, true, unit);
	emission = cscg_frame_emission_new(n, book->ndim, book->shape, err);
	if (!emission)
		goto out;
	how.sigma2 = emission->sigma2 = book->sigma2;
	for (j = 0; j < S; j++)
		memcpy(emission->mu + (size_t)unit[j] * dim, book->centroid +
		    (size_t)m->clone[j] * dim, dim * sizeof *emission->mu);
	if (cscg_gaussian_learn(m, w, &how, unit, n, emission->mu, pseudocount, last,
	    err) < 0)
		goto out;
	cscg_frame_emission_free(m->frame_emission);
	m->frame_emission = emission;
	emission = NULL;
	rc = 0;
out:
	cscg_frame_emission_free(emission);
	free(unit);
	return rc;
}
