/* looks.c - the frames that the states of a model look like */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/looks.h"
#include "base/mem.h"

struct cscg_frame_emission *
cscg_frame_emission_new(int n, int ndim, const long *shape, struct cscg_err *err)
{
	struct cscg_frame_emission *emission = cscg_alloc(1, sizeof *emission, err);
	int i;

	if (!emission)
		return NULL;
	emission->n = n;
	emission->ndim = ndim;
	emission->dim = 1;
	emission->sigma2 = 1;
	for (i = 0; i < ndim; i++)
		emission->dim *= emission->shape[i] = shape[i];
	emission->mu = cscg_alloc((size_t)n * (size_t)emission->dim,
	    sizeof *emission->mu, err);
	if (!emission->mu) {
		cscg_frame_emission_free(emission);
		return NULL;
	}
	return emission;
}

struct cscg_frame_emission *
cscg_frame_emission_copy(const struct cscg_frame_emission *from, struct cscg_err *err)
{
	struct cscg_frame_emission *emission = cscg_frame_emission_new(from->n, from->ndim,
	    from->shape, err);

	if (emission) {
		emission->sigma2 = from->sigma2;
		memcpy(emission->mu, from->mu, (size_t)from->n *
		    (size_t)from->dim * sizeof *from->mu);
	}
	return emission;
}

void
cscg_frame_emission_free(struct cscg_frame_emission *emission)
{
	if (!emission)
		return;
	free(emission->mu);
	free(emission);
}

int
cscg_frame_emission_units(const struct cscg_model *m, bool tied, int *unit)
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
n_nonempty_groups(const struct cscg_model *m)
{
	int j, n = 0;

	for (j = 0; m->clone && j < m->n_states; j++)
		n += !j || m->clone[j] != m->clone[j - 1];
	return n;
}

int
cscg_frame_emission_check(const struct cscg_model *m, struct cscg_err *err)
{
	const struct cscg_frame_emission *emission = m->frame_emission;
	size_t i, n = (size_t)emission->n * (size_t)emission->dim;

	if (m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EFORMAT, "/looks: only a grounded "
		    "model has them, this is %s",
		    cscg_model_kind_text(m->kind));
	if (emission->n != m->n_states && emission->n != n_nonempty_groups(m))
		return cscg_fail(err, CSCG_EFORMAT, "/looks/n: %d centroids, "
		    "but there are %d states and %d groups of them", emission->n,
		    m->n_states, n_nonempty_groups(m));
	if (!(emission->sigma2 > 0) || !isfinite(emission->sigma2))
		return cscg_fail(err, CSCG_ERANGE, "/looks/sigma2: must be "
		    "finite and above 0");
	for (i = 0; i < n; i++)
		if (!isfinite(emission->mu[i]))
			return cscg_fail(err, CSCG_ERANGE, "/looks/centroids: "
			    "number %zu is not finite", i);
	return 0;
}
