/*
 * codebook.c - vector-quantization codebooks, and Gaussian emissions of states
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/codebook.h"
#include "io/json.h"
#include "io/json_write.h"
#include "io/npy.h"

struct cscg_codebook *
cscg_codebook_new(const struct cscg_frames *f, int k, struct cscg_err *err)
{
	struct cscg_codebook *b = cscg_alloc(1, sizeof *b, err);

	if (!b)
		return NULL;
	b->k = k;
	b->ndim = f->ndim;
	memcpy(b->shape, f->shape, sizeof b->shape);
	b->dim = f->dim;
	b->centroid = cscg_alloc((size_t)k * (size_t)f->dim,
	    sizeof *b->centroid, err);
	b->prior = cscg_alloc((size_t)k, sizeof *b->prior, err);
	b->count = cscg_alloc((size_t)k, sizeof *b->count, err);
	if (b->centroid && b->prior && b->count)
		return b;
	cscg_codebook_free(b);
	return NULL;
}

void
cscg_codebook_free(struct cscg_codebook *book)
{
	if (!book)
		return;
	free(book->centroid);
	free(book->prior);
	free(book->count);
	cscg_history_free(&book->history);
	free(book);
}

static int
check_centroid(const struct cscg_codebook *b, int k, struct cscg_err *err)
{
	const double *c = b->centroid + k * b->dim;
	long j;

	for (j = 0; j < b->dim; j++) {
		if (!isfinite(c[j]))
			return cscg_fail(err, CSCG_ERANGE,
			    "centroid %d: number %ld is not finite", k, j);
		if (b->is_byte &&
		    (c[j] < 0 || c[j] > 255 ||
			c[j] * 65536 != floor(c[j] * 65536)))
			return cscg_fail(err, CSCG_ERANGE,
			    "centroid %d: number %ld is %.9g, which is not a "
			    "multiple of 2^-16 in 0..255",
			    k, j, c[j]);
	}
	return 0;
}

int
cscg_codebook_check(const struct cscg_codebook *book, struct cscg_err *err)
{
	double sum = 0;
	int k;

	for (k = 0; k < book->k; k++) {
		if (!(book->prior[k] >= 0) || !(book->count[k] >= 0) ||
		    !isfinite(book->count[k]))
			return cscg_fail(err, CSCG_ERANGE,
			    "centroid %d: prior %g, count %g", k,
			    book->prior[k], book->count[k]);
		sum += book->prior[k];
		if (check_centroid(book, k, err) < 0)
			return -1;
	}
	if (!(fabs(sum - 1) <= 1e-6))
		return cscg_fail(err, CSCG_ERANGE, "priors sum to %g, not 1",
		    sum);
	if (!(book->sigma2 >= 0) || !isfinite(book->sigma2))
		return cscg_fail(err, CSCG_ERANGE, "sigma2 is %g",
		    book->sigma2);
	return 0;
}

void
cscg_codebook_format_shape(char *buf, size_t size, int ndim, const long *shape)
{
	size_t n = 0;
	int i;

	snprintf(buf, size, "1");
	for (i = 0; i < ndim && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%ld",
		    i ? " x " : "", shape[i]);
}

int
cscg_codebook_check_shape(const struct cscg_codebook *book, int ndim,
    const long *shape, struct cscg_err *err)
{
	char want[80], have[80];

	if (ndim == book->ndim &&
	    !memcmp(shape, book->shape, (size_t)ndim * sizeof *shape))
		return 0;
	cscg_codebook_format_shape(have, sizeof have, ndim, shape);
	cscg_codebook_format_shape(want, sizeof want, book->ndim, book->shape);
	return cscg_fail(err, CSCG_EMISMATCH,
	    "frames of %s numbers, but the codebook is for %s", have, want);
}

/* codebooks as JSON: cscg-codebook(5); centroids as .npy */

enum { VERSION = 1, K_MAX = 10000000 };

static const char *const codebook_keys[] = {
	"format",
	"version",
	"k",
	"shape",
	"pixels",
	"kind",
	"sigma2",
	"inertia",
	"priors",
	"counts",
	"centroids",
	"history",
	NULL,
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

/* An empty codebook of the size given in obj. */
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
	if (cscg_json_ints(arr, "/shape", 1, CSCG_FRAME_MAX, shape, err) < 0)
		return NULL;
	dims.dim = 1;
	for (i = 0; i < dims.ndim; i++) {
		dims.shape[i] = shape[i];
		if (shape[i] > CSCG_FRAME_MAX / dims.dim) {
			cscg_fail(err, CSCG_ERANGE,
			    "/shape: more than %d numbers", CSCG_FRAME_MAX);
			return NULL;
		}
		dims.dim *= shape[i];
	}
	/* Check the claimed size against the data before allocating. */
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
	if (cscg_json_double(obj, "sigma2", 0, INFINITY, &b->sigma2, err) <
		0 ||
	    cscg_json_double(obj, "inertia", 0, INFINITY, &b->inertia, err) <
		0 ||
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

/* Only blank lines may follow the codebook. */
static int
check_end(struct cscg_in *in, struct cscg_err *err)
{
	json_t *more;
	int rc = cscg_json_read(in, &more, err);

	if (rc <= 0)
		return rc;
	json_decref(more);
	return cscg_fail(err, CSCG_EFORMAT,
	    "%s: line %ld: more than one codebook", cscg_in_name(in),
	    cscg_in_lineno(in));
}

int
cscg_codebook_read_next(struct cscg_in *in, struct cscg_codebook **book,
    struct cscg_err *err)
{
	int rc;

	*book = cscg_json_read_item(in, NULL, codebook_from_json, &rc, err);
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
		cscg_json_fail_empty(in, "cscg-codebook", err);
	if (b && check_end(in, err) < 0) {
		cscg_codebook_free(b);
		b = NULL;
	}
	cscg_in_close(in);
	return b;
}

static void
write_shape(struct cscg_json_writer *w, const long *shape, int ndim)
{
	int i;

	cscg_json_open(w, "shape", '[');
	for (i = 0; i < ndim; i++)
		cscg_json_put_int(w, NULL, shape[i]);
	cscg_json_close(w, ']');
}

int
cscg_codebook_write(const struct cscg_codebook *b, struct cscg_out *out,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = out, .digits = 17, .err = err };

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_string(&w, "format", "cscg-codebook");
	cscg_json_put_int(&w, "version", VERSION);
	cscg_json_put_int(&w, "k", b->k);
	write_shape(&w, b->shape, b->ndim);
	cscg_json_put_string(&w, "pixels", pixels[!b->is_byte]);
	cscg_json_put_string(&w, "kind", kinds[b->is_mixture]);
	cscg_json_put_real(&w, "sigma2", b->sigma2);
	cscg_json_put_real(&w, "inertia", b->inertia);
	cscg_json_put_doubles(&w, "priors", b->prior, b->k);
	cscg_json_put_doubles(&w, "counts", b->count, b->k);
	cscg_json_put_reals(&w, "centroids", b->centroid,
	    (size_t)b->k * (size_t)b->dim, b->is_byte);
	cscg_history_write_json(&w, &b->history);
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

/* ---- .npy ---- */

int
cscg_codebook_write_npy(const struct cscg_codebook *b, struct cscg_out *out,
    struct cscg_err *err)
{
	long shape[1 + CSCG_FRAME_DIMS] = { b->k };

	memcpy(shape + 1, b->shape, (size_t)b->ndim * sizeof *shape);
	return cscg_npy_write(out, 1 + b->ndim, shape, b->centroid, b->is_byte,
	    err);
}

/* Gaussian emissions: the frames that the states of a model emit */

struct cscg_frame_emission *
cscg_frame_emission_new(int n, int ndim, const long *shape,
    struct cscg_err *err)
{
	struct cscg_frame_emission *emission = cscg_alloc(1, sizeof *emission,
	    err);
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
cscg_frame_emission_copy(const struct cscg_frame_emission *from,
    struct cscg_err *err)
{
	struct cscg_frame_emission *emission = cscg_frame_emission_new(from->n,
	    from->ndim, from->shape, err);

	if (emission) {
		emission->sigma2 = from->sigma2;
		memcpy(emission->mu, from->mu,
		    (size_t)from->n * (size_t)from->dim * sizeof *from->mu);
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

/* Number of nonempty groups; 0 without clone structure. */
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
		return cscg_fail(err, CSCG_EFORMAT,
		    "/gaussian: only a grounded model has these emissions, "
		    "this "
		    "is %s",
		    cscg_model_kind_text(m->kind));
	if (emission->n != m->n_states && emission->n != n_nonempty_groups(m))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/gaussian/n: %d centroids, but there are %d states and "
		    "%d "
		    "groups of them",
		    emission->n, m->n_states, n_nonempty_groups(m));
	if (!(emission->sigma2 > 0) || !isfinite(emission->sigma2))
		return cscg_fail(err, CSCG_ERANGE,
		    "/gaussian/sigma2: must be finite and above 0");
	for (i = 0; i < n; i++)
		if (!isfinite(emission->mu[i]))
			return cscg_fail(err, CSCG_ERANGE,
			    "/gaussian/centroids: number %zu is not finite",
			    i);
	return 0;
}

/*
 * frame emissions in the JSON of a model: key "gaussian", in files of version
 * 1.0.0 of the tools "looks"
 */

static const char *const emission_keys[] = { "n", "shape", "sigma2",
	"centroids", NULL };

/* The shape of a frame, and the product of it. */
static int
get_shape(json_t *obj, int *ndim, long *shape, long *dim, struct cscg_err *err)
{
	int i, v[CSCG_FRAME_DIMS];
	json_t *arr;

	if (cscg_json_array(obj, "shape", -1, &arr, err) < 0)
		return -1;
	if (json_array_size(arr) > CSCG_FRAME_DIMS)
		return cscg_fail(err, CSCG_ERANGE,
		    "/shape: more than %d dimensions", CSCG_FRAME_DIMS);
	*ndim = (int)json_array_size(arr);
	if (cscg_json_ints(arr, "/shape", 1, CSCG_FRAME_MAX, v, err) < 0)
		return -1;
	for (*dim = 1, i = 0; i < *ndim; i++) {
		if (v[i] > CSCG_FRAME_MAX / *dim)
			return cscg_fail(err, CSCG_ERANGE,
			    "/shape: more than %d numbers", CSCG_FRAME_MAX);
		*dim *= shape[i] = v[i];
	}
	return 0;
}

static int
get_emission(json_t *obj, struct cscg_model *m, struct cscg_err *err)
{
	long shape[CSCG_FRAME_DIMS], dim = 1;
	int n, ndim = 0;

	if (json_typeof(obj) != JSON_OBJECT)
		return cscg_fail(err, CSCG_EFORMAT, "must be an object");
	if (cscg_json_check_keys(obj, emission_keys, err) < 0 ||
	    cscg_json_int(obj, "n", 1, CSCG_STATE_MAX, &n, err) < 0 ||
	    get_shape(obj, &ndim, shape, &dim, err) < 0)
		return -1;
	/* Check the claimed size against the data before allocating. */
	if (cscg_json_check_reals(obj, "centroids", n, dim, err) < 0)
		return -1;
	m->frame_emission = cscg_frame_emission_new(n, ndim, shape, err);
	if (!m->frame_emission ||
	    cscg_json_reals(obj, "centroids", (size_t)n * (size_t)dim,
		!m->is_double, m->frame_emission->mu, err) < 0)
		return -1;
	return cscg_json_double(obj, "sigma2", 0, DBL_MAX,
	    &m->frame_emission->sigma2, err);
}

int
cscg_frame_emission_from_json(json_t *obj, struct cscg_model *m,
    struct cscg_err *err)
{
	bool old = cscg_json_has(obj, "looks");
	const char *key = old ? "looks" : "gaussian";

	if (old && cscg_json_has(obj, "gaussian"))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/looks: the old name of gaussian, which is present as "
		    "well");
	if (!cscg_json_has(obj, key) ||
	    get_emission(json_object_get(obj, key), m, err) == 0)
		return 0;
	return cscg_json_fail_below(old ? "/looks" : "/gaussian", err);
}

void
cscg_frame_emission_write_json(struct cscg_json_writer *w,
    const struct cscg_model *m)
{
	const struct cscg_frame_emission *emission = m->frame_emission;

	if (!emission)
		return;
	cscg_json_open(w, "gaussian", '{');
	cscg_json_put_int(w, "n", emission->n);
	write_shape(w, emission->shape, emission->ndim);
	cscg_json_put_real(w, "sigma2", emission->sigma2);
	cscg_json_put_reals(w, "centroids", emission->mu,
	    (size_t)emission->n * (size_t)emission->dim, !m->is_double);
	cscg_json_close(w, '}');
}
