/* learn_frames.c - EM on T with frames as evidence, from a model of symbols */
#include <stdlib.h>
#include <string.h>

#include "learn/learn.h"
#include "core/looks.h"
#include "base/mem.h"

int
cscg_learn_frames(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_soft *set, const struct cscg_codebook *book,
    double pseudocount, struct cscg_em_line *last, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, dim = (size_t)book->dim, j;
	int *unit = cscg_alloc(S, sizeof *unit, err), n, rc = -1;
	struct cscg_soft how = *set;
	struct cscg_looks *looks = NULL;

	if (!unit)
		return -1;
	n = cscg_looks_units(m, true, unit);
	looks = cscg_looks_new(n, book->ndim, book->shape, err);
	if (!looks)
		goto out;
	how.sigma2 = looks->sigma2 = book->sigma2;
	for (j = 0; j < S; j++)
		memcpy(looks->mu + (size_t)unit[j] * dim, book->centroid +
		    (size_t)m->clone[j] * dim, dim * sizeof *looks->mu);
	if (cscg_soft_learn(m, w, &how, unit, n, looks->mu, pseudocount, last,
	    err) < 0)
		goto out;
	cscg_looks_free(m->looks);
	m->looks = looks;
	looks = NULL;
	rc = 0;
out:
	cscg_looks_free(looks);
	free(unit);
	return rc;
}
