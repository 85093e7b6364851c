/* codebook_io.c - codebooks as JSON: cscg-codebook(5); centroids as .npy */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codebook_io.h"
#include "io/json.h"
#include "io/npy.h"
#include "io/reals_io.h"

enum { VERSION = 1, K_MAX = 10000000 };

static const char *const codebook_keys[] = {
	"format", "version", "k", "shape", "pixels", "kind", "sigma2",
	"inertia", "priors", "counts", "centroids", "history", NULL
};

static const char *const pixels[] = { "byte", "real", NULL };
static const char *const kinds[] = { "kmeans", "mixture", NULL };

static int
get_numbers(json_t *obj, const char *key, int n, double hi, double *out,
    struct cscg_err *err)
{
	char where[16];
	json_t *arr;

	snprintf(where, sizeof where, "/%s", key);
	if (cscg_json_array(obj, key, n, &arr, err) < 0)
		return -1;
	return cscg_json_doubles(arr, where, 0, hi, out, err);
}

/* A codebook of the size that obj says, with nothing in it. */
static struct cscg_codebook *
get_size(json_t *obj, struct cscg_err *err)
{
	struct cscg_frames dims = { 0 };
	json_t *arr;
	int k, i, shape[CSCG_FRAME_DIMS];

	if (cscg_json_int(obj, "k", 1, K_MAX, &k, err) < 0 ||
	    cscg_json_array(obj, "shape", -1, &arr, err) < 0)
		return NULL;
	dims.ndim = (int)json_array_size(arr);
	if (json_array_size(arr) > CSCG_FRAME_DIMS) {
		cscg_fail(err, CSCG_ERANGE, "/shape: more than %d dimensions",
		    CSCG_FRAME_DIMS);
		return NULL;
	}
	if (cscg_json_ints(arr, "/shape", 1, CSCG_FRAME_MAX, false, shape,
	    err) < 0)
		return NULL;
	dims.dim = 1;
	for (i = 0; i < dims.ndim; i++) {
		dims.shape[i] = shape[i];
		if (shape[i] > CSCG_FRAME_MAX / dims.dim) {
			cscg_fail(err, CSCG_ERANGE, "/shape: more than %d "
			    "numbers", CSCG_FRAME_MAX);
			return NULL;
		}
		dims.dim *= shape[i];
	}
	/* Believe in so many only if so many are there. */
	if (cscg_json_check_reals(obj, "centroids", k, dims.dim, err) < 0)
		return NULL;
	return cscg_codebook_new(&dims, k, err);
}

static int
get_fields(json_t *obj, struct cscg_codebook *b, struct cscg_err *err)
{
	int pixel = cscg_json_enum(obj, "pixels", pixels, err), kind;

	if (pixel < 0)
		return -1;
	b->is_byte = pixel == 0;
	kind = cscg_json_enum(obj, "kind", kinds, err);
	if (kind < 0)
		return -1;
	b->is_mixture = kind == 1;
	if (cscg_json_double(obj, "sigma2", 0, INFINITY, &b->sigma2, err) < 0 ||
	    cscg_json_double(obj, "inertia", 0, INFINITY, &b->inertia,
	    err) < 0 ||
	    get_numbers(obj, "priors", b->k, 1, b->prior, err) < 0 ||
	    get_numbers(obj, "counts", b->k, INFINITY, b->count, err) < 0 ||
	    cscg_json_reals(obj, "centroids", (size_t)b->k * (size_t)b->dim,
	    b->is_byte, b->centroid, err) < 0 ||
	    cscg_history_from_json(obj, &b->history, err) < 0)
		return -1;
	return cscg_codebook_check(b, err);
}

static void *
codebook_from_json(json_t *obj, struct cscg_err *err)
{
	struct cscg_codebook *b;

	if (cscg_json_check_format(obj, "cscg-codebook", VERSION, err) < 0 ||
	    cscg_json_check_keys(obj, codebook_keys, err) < 0)
		return NULL;
	b = get_size(obj, err);
	if (b && get_fields(obj, b, err) < 0) {
		cscg_codebook_free(b);
		return NULL;
	}
	return b;
}

/* Nothing may follow. */
static int
check_end(struct cscg_in *in, struct cscg_err *err)
{
	json_t *more;
	int rc = cscg_json_read(in, &more, err);

	if (rc <= 0)
		return rc;
	json_decref(more);
	return cscg_fail(err, CSCG_EFORMAT, "%s: line %ld: more than one "
	    "codebook", cscg_in_name(in), cscg_in_lineno(in));
}

int
cscg_codebook_read_next(struct cscg_in *in, struct cscg_codebook **book,
    struct cscg_err *err)
{
	int rc;

	*book = cscg_json_read_item(in, codebook_from_json, &rc, err);
	return rc;
}

struct cscg_codebook *
cscg_codebook_read_file(const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_codebook *b = NULL;

	if (!in)
		return NULL;
	if (cscg_codebook_read_next(in, &b, err) == 0)
		cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no "
		    "cscg-codebook", cscg_in_name(in));
	if (b && check_end(in, err) < 0) {
		cscg_codebook_free(b);
		b = NULL;
	}
	cscg_in_close(in);
	return b;
}

int
cscg_codebook_write(const struct cscg_codebook *b, struct cscg_out *out,
    struct cscg_err *err)
{
	json_t *obj = json_object();
	int shape[CSCG_FRAME_DIMS], i;

	for (i = 0; i < b->ndim; i++)
		shape[i] = (int)b->shape[i];
	if (cscg_json_set(obj, "format", json_string("cscg-codebook"),
	    err) < 0 ||
	    cscg_json_set(obj, "version", json_integer(VERSION), err) < 0 ||
	    cscg_json_set(obj, "k", json_integer(b->k), err) < 0 ||
	    cscg_json_set(obj, "shape", cscg_json_new_ints(shape, b->ndim,
	    false), err) < 0 ||
	    cscg_json_set(obj, "pixels", json_string(pixels[!b->is_byte]),
	    err) < 0 ||
	    cscg_json_set(obj, "kind", json_string(kinds[b->is_mixture]), err) < 0 ||
	    cscg_json_set(obj, "sigma2", json_real(b->sigma2), err) < 0 ||
	    cscg_json_set(obj, "inertia", json_real(b->inertia), err) < 0 ||
	    cscg_json_set(obj, "priors", cscg_json_new_doubles(b->prior, b->k),
	    err) < 0 ||
	    cscg_json_set(obj, "counts", cscg_json_new_doubles(b->count, b->k),
	    err) < 0 ||
	    cscg_json_set(obj, "centroids", cscg_json_new_reals(b->centroid,
	    (size_t)b->k * (size_t)b->dim, b->is_byte, err), err) < 0 ||
	    cscg_history_to_json(obj, &b->history, err) < 0) {
		json_decref(obj);
		return -1;
	}
	return cscg_json_write(obj, 17, out, err);
}

/* ---- .npy ---- */

int
cscg_codebook_write_npy(const struct cscg_codebook *b, struct cscg_out *out,
    struct cscg_err *err)
{
	long shape[1 + CSCG_FRAME_DIMS] = { b->k };

	memcpy(shape + 1, b->shape, (size_t)b->ndim * sizeof *shape);
	return cscg_npy_write(out, 1 + b->ndim, shape, b->centroid,
	    b->is_byte, err);
}

static int
check_npy(const struct cscg_npy *a, int ndim, const long *shape, int k,
    struct cscg_err *err)
{
	long i;

	if (a->ndim != ndim + 1 || memcmp(a->shape + 1, shape, (size_t)ndim *
	    sizeof *shape))
		return cscg_fail(err, CSCG_EMISMATCH, "centroids are not shaped "
		    "like the frames");
	if (a->shape[0] < 1 || a->shape[0] > K_MAX)
		return cscg_fail(err, CSCG_ERANGE, "%ld centroids, but 1..%d "
		    "can be had", a->shape[0], K_MAX);
	if (k && a->shape[0] != k)
		return cscg_fail(err, CSCG_EMISMATCH, "%ld centroids, but %d "
		    "are asked for", a->shape[0], k);
	for (i = 0; i < a->size; i++)
		if (!isfinite(a->data[i]))
			return cscg_fail(err, CSCG_ERANGE, "item %ld is %s", i,
			    isnan(a->data[i]) ? "NaN" : "infinite");
	return 0;
}

double *
cscg_codebook_read_npy(const char *path, int ndim, const long *shape, int *k,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_npy a = { 0 };
	double *data = NULL;

	if (in && cscg_npy_read(in, &a, err) == 0) {
		if (check_npy(&a, ndim, shape, *k, err) < 0) {
			cscg_fail_at(err, "%s", cscg_in_name(in));
		} else {
			*k = (int)a.shape[0];
			data = a.data;
			a.data = NULL;
		}
	}
	cscg_npy_free(&a);
	cscg_in_close(in);
	return data;
}
