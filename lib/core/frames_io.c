/* frames_io.c - frames from a .npy array */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/frames.h"
#include "base/mem.h"
#include "io/npy.h"

static enum cscg_pixel
pixel_of(const struct cscg_npy_head *h)
{
	if (h->item == 1 && h->type != 'i')
		return CSCG_PIXEL_BYTE;
	return h->item == 4 && h->type == 'f' ? CSCG_PIXEL_SINGLE :
	    CSCG_PIXEL_DOUBLE;
}

/* Number j of the frame at to becomes the one at p. */
static int
set_value(const struct cscg_frames *f, const struct cscg_npy_head *h, void *to,
    long j, const unsigned char *p, struct cscg_err *err)
{
	double v;

	if (f->type == CSCG_PIXEL_BYTE) {
		((unsigned char *)to)[j] = *p;
		return 0;
	}
	v = cscg_npy_value(h, p) + 0.0;	/* there is no -0 */
	if (!isfinite(v))
		return cscg_fail(err, CSCG_ERANGE, "number %ld is %s", j,
		    isnan(v) ? "NaN" : "infinite");
	/* Sums of squares must not overflow. */
	if (fabs(v) > CSCG_PIXEL_MAX)
		return cscg_fail(err, CSCG_ERANGE, "number %ld is %.9g, beyond "
		    "%g", j, v, CSCG_PIXEL_MAX);
	if (f->type == CSCG_PIXEL_SINGLE)
		((float *)to)[j] = (float)v;
	else
		((double *)to)[j] = v;
	return 0;
}

/* The rows of an array in C's order, as they come. */
static int
read_rows(struct cscg_frames *f, const struct cscg_npy_head *h,
    struct cscg_in *in, unsigned char *raw, void *row, struct cscg_err *err)
{
	long i, j;

	for (i = 0; i < h->shape[0]; i++) {
		if (cscg_npy_read_items(in, h, i * f->dim, f->dim, raw, err) < 0)
			return -1;
		for (j = 0; j < f->dim; j++)
			if (set_value(f, h, row, j, raw + j * h->item, err) < 0)
				return cscg_fail_at(err, "%s: frame %ld",
				    cscg_in_name(in), i);
		if (cscg_frames_add(f, i, row, err) < 0)
			return -1;
	}
	return 0;
}

/* All of an array in Fortran's order, which has no rows until it is there. */
static int
read_fortran(struct cscg_frames *f, const struct cscg_npy_head *h,
    struct cscg_in *in, void *row, struct cscg_err *err)
{
	unsigned char *raw = NULL;
	size_t cap = 0;
	long i, j, n;
	int rc = -1;

	for (i = 0; i < h->size; i += n) {
		n = h->size - i < 65536 ? h->size - i : 65536;
		if (cscg_grow(&raw, &cap, (size_t)(i + n) * (size_t)h->item, 1,
		    err) < 0 || cscg_npy_read_items(in, h, i, n,
		    raw + i * h->item, err) < 0)
			goto out;
	}
	for (i = 0; i < h->shape[0]; i++) {
		for (j = 0; j < f->dim; j++)
			if (set_value(f, h, row, j, raw + h->item *
			    cscg_npy_offset(h, i * f->dim + j), err) < 0) {
				cscg_fail_at(err, "%s: frame %ld",
				    cscg_in_name(in), i);
				goto out;
			}
		if (cscg_frames_add(f, i, row, err) < 0)
			goto out;
	}
	rc = 0;
out:
	free(raw);
	return rc;
}

static int
check_array(const struct cscg_npy_head *h, struct cscg_in *in, struct cscg_err *err)
{
	long held;

	if (h->ndim < 1)
		return cscg_fail(err, CSCG_EFORMAT, "%s: a single number is no "
		    "array of frames", cscg_in_name(in));
	if (h->size < 1)
		return cscg_fail(err, CSCG_ERANGE, "%s: an empty array has no "
		    "frames", cscg_in_name(in));
	if (h->shape[0] > CSCG_FRAME_MAX)
		return cscg_fail(err, CSCG_ERANGE, "%s: %ld frames, but at "
		    "most %d are read", cscg_in_name(in), h->shape[0],
		    CSCG_FRAME_MAX);
	/* Row by row what is equal is kept once; turned, all is held. */
	held = h->fortran && h->ndim > 1 ? h->size : h->size / h->shape[0];
	if (cscg_mem_check((size_t)held, (size_t)h->item, err) < 0)
		return cscg_fail_at(err, "%s: an array of %ld frames of %ld "
		    "numbers", cscg_in_name(in), h->shape[0],
		    h->size / h->shape[0]);
	return 0;
}

static struct cscg_frames *
read_frames(struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_npy_head h;
	struct cscg_frames *f = NULL;
	unsigned char *raw = NULL, *row = NULL;
	int rc = -1;

	if (cscg_npy_read_head(in, &h, err) < 0 || check_array(&h, in, err) < 0)
		return NULL;
	f = cscg_frames_new(pixel_of(&h), h.ndim - 1, h.shape + 1, err);
	if (!f) {
		cscg_fail_at(err, "%s", cscg_in_name(in));
		return NULL;
	}
	f->n_expected = h.shape[0];
	raw = cscg_alloc((size_t)f->dim, (size_t)h.item, err);
	row = cscg_alloc(f->size, 1, err);
	if (!raw || !row)
		goto out;
	rc = h.fortran && h.ndim > 1 ? read_fortran(f, &h, in, row, err) :
	    read_rows(f, &h, in, raw, row, err);
	if (rc == 0)
		rc = cscg_npy_check_end(in, err);
out:
	free(raw);
	free(row);
	if (rc == 0)
		return f;
	cscg_frames_free(f);
	return NULL;
}

struct cscg_frames *
cscg_frames_read(const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_frames *f = in ? read_frames(in, err) : NULL;

	cscg_in_close(in);
	return f;
}
