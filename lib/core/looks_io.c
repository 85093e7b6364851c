/* looks_io.c - looks in the JSON of a model */
#include <float.h>
#include <string.h>

#include "core/looks_io.h"
#include "io/reals_io.h"

static const char *const emission_keys[] = { "n", "shape", "sigma2", "centroids", NULL };

/* The shape of a frame, and the product of it. */
static int
get_shape(json_t *obj, int *ndim, long *shape, long *dim,
    struct cscg_err *err)
{
	int i, v[CSCG_FRAME_DIMS];
	json_t *arr;

	if (cscg_json_array(obj, "shape", -1, &arr, err) < 0)
		return -1;
	if (json_array_size(arr) > CSCG_FRAME_DIMS)
		return cscg_fail(err, CSCG_ERANGE, "/shape: more than %d "
		    "dimensions", CSCG_FRAME_DIMS);
	*ndim = (int)json_array_size(arr);
	if (cscg_json_ints(arr, "/shape", 1, CSCG_FRAME_MAX, false, v,
	    err) < 0)
		return -1;
	for (*dim = 1, i = 0; i < *ndim; i++) {
		if (v[i] > CSCG_FRAME_MAX / *dim)
			return cscg_fail(err, CSCG_ERANGE, "/shape: more than "
			    "%d numbers", CSCG_FRAME_MAX);
		*dim *= shape[i] = v[i];
	}
	return 0;
}

static int
get_emission(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	long shape[CSCG_FRAME_DIMS], dim = 1;
	int n, ndim = 0;

	if (!json_is_object(obj))
		return cscg_fail(err, CSCG_EFORMAT, "must be an object");
	if (cscg_json_check_keys(obj, emission_keys, err) < 0 ||
	    cscg_json_int(obj, "n", 1, CSCG_STATE_MAX, &n, err) < 0 ||
	    get_shape(obj, &ndim, shape, &dim, err) < 0)
		return -1;
	/* Believe in so many only if so many are there. */
	if (cscg_json_check_reals(obj, "centroids", n, dim, err) < 0)
		return -1;
	m->frame_emission = cscg_frame_emission_new(n, ndim, shape, err);
	if (!m->frame_emission || cscg_json_reals(obj, "centroids", (size_t)n *
	    (size_t)dim, !m->is_double, m->frame_emission->mu, err) < 0)
		return -1;
	return cscg_json_double(obj, "sigma2", 0, DBL_MAX, &m->frame_emission->sigma2,
	    err);
}

int
cscg_frame_emission_from_json(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	char msg[sizeof err->msg];

	if (!cscg_json_has(obj, "looks") ||
	    get_emission(json_object_get(obj, "looks"), m, err) == 0)
		return 0;
	if (err->code == CSCG_ENOMEM)
		return -1;
	memcpy(msg, err->msg, sizeof msg);
	return cscg_fail(err, err->code, "/looks%s%.900s",
	    msg[0] == '/' ? "" : ": ", msg);
}

int
cscg_frame_emission_to_json(json_t *obj, const struct cscg_model *m, struct cscg_err *err)
{
	const struct cscg_frame_emission *emission = m->frame_emission;
	json_t *inner;
	int shape[CSCG_FRAME_DIMS], i;

	if (!emission)
		return 0;
	for (i = 0; i < emission->ndim; i++)
		shape[i] = (int)emission->shape[i];
	inner = json_object();
	if (cscg_json_set(inner, "n", json_integer(emission->n), err) < 0 ||
	    cscg_json_set(inner, "shape", cscg_json_new_ints(shape,
	    emission->ndim, false), err) < 0 ||
	    cscg_json_set(inner, "sigma2", json_real(emission->sigma2),
	    err) < 0 ||
	    cscg_json_set(inner, "centroids", cscg_json_new_reals(emission->mu,
	    (size_t)emission->n * (size_t)emission->dim, !m->is_double, err),
	    err) < 0) {
		json_decref(inner);
		return -1;
	}
	return cscg_json_set(obj, "looks", inner, err);
}
