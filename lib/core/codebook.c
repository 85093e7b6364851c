/* codebook.c - centroids that stand for frames, and how likely each is */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codebook.h"
#include "base/mem.h"

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
			return cscg_fail(err, CSCG_ERANGE, "centroid %d: "
			    "number %ld is not finite", k, j);
		if (b->is_byte && (c[j] < 0 || c[j] > 255 ||
		    c[j] * 65536 != floor(c[j] * 65536)))
			return cscg_fail(err, CSCG_ERANGE, "centroid %d: "
			    "number %ld is %.9g, which is no multiple of "
			    "2^-16 in 0..255", k, j, c[j]);
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
			return cscg_fail(err, CSCG_ERANGE, "centroid %d: "
			    "prior %g, count %g", k, book->prior[k],
			    book->count[k]);
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

	if (ndim == book->ndim && !memcmp(shape, book->shape, (size_t)ndim *
	    sizeof *shape))
		return 0;
	cscg_codebook_format_shape(have, sizeof have, ndim, shape);
	cscg_codebook_format_shape(want, sizeof want, book->ndim, book->shape);
	return cscg_fail(err, CSCG_EMISMATCH, "frames of %s numbers, but the "
	    "codebook is for %s", have, want);
}
