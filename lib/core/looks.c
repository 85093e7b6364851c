/* looks.c - the frames that the states of a model look like */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/looks.h"
#include "base/mem.h"

struct cscg_looks *
cscg_looks_new(int n, int ndim, const long *shape, struct cscg_err *err)
{
	struct cscg_looks *looks = cscg_alloc(1, sizeof *looks, err);
	int i;

	if (!looks)
		return NULL;
	looks->n = n;
	looks->ndim = ndim;
	looks->dim = 1;
	looks->sigma2 = 1;
	for (i = 0; i < ndim; i++)
		looks->dim *= looks->shape[i] = shape[i];
	looks->mu = cscg_alloc((size_t)n * (size_t)looks->dim,
	    sizeof *looks->mu, err);
	if (!looks->mu) {
		cscg_looks_free(looks);
		return NULL;
	}
	return looks;
}

struct cscg_looks *
cscg_looks_copy(const struct cscg_looks *from, struct cscg_err *err)
{
	struct cscg_looks *looks = cscg_looks_new(from->n, from->ndim,
	    from->shape, err);

	if (looks) {
		looks->sigma2 = from->sigma2;
		memcpy(looks->mu, from->mu, (size_t)from->n *
		    (size_t)from->dim * sizeof *from->mu);
	}
	return looks;
}

void
cscg_looks_free(struct cscg_looks *looks)
{
	if (!looks)
		return;
	free(looks->mu);
	free(looks);
}

int
cscg_looks_units(const struct cscg_model *m, bool tied, int *unit)
{
	int j, n = 0;

	for (j = 0; j < m->n_states; j++) {
		n += !j || !tied || m->clone[j] != m->clone[j - 1];
		unit[j] = n - 1;
	}
	return n;
}

/* How many groups have states; 0 without clone structure. */
static int
groups(const struct cscg_model *m)
{
	int j, n = 0;

	for (j = 0; m->clone && j < m->n_states; j++)
		n += !j || m->clone[j] != m->clone[j - 1];
	return n;
}

int
cscg_looks_check(const struct cscg_model *m, struct cscg_err *err)
{
	const struct cscg_looks *looks = m->looks;
	size_t i, n = (size_t)looks->n * (size_t)looks->dim;

	if (m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EFORMAT, "/looks: only a grounded "
		    "model has them, this is %s",
		    cscg_kind_text(m->kind));
	if (looks->n != m->n_states && looks->n != groups(m))
		return cscg_fail(err, CSCG_EFORMAT, "/looks/n: %d centroids, "
		    "but there are %d states and %d groups of them", looks->n,
		    m->n_states, groups(m));
	if (!(looks->sigma2 > 0) || !isfinite(looks->sigma2))
		return cscg_fail(err, CSCG_ERANGE, "/looks/sigma2: must be "
		    "finite and above 0");
	for (i = 0; i < n; i++)
		if (!isfinite(looks->mu[i]))
			return cscg_fail(err, CSCG_ERANGE, "/looks/centroids: "
			    "number %zu is not finite", i);
	return 0;
}
