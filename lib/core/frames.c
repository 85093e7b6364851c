/*
 * frames.c - frames (images or vectors), deduplicated
 *
 * A walk through a room without observation noise repeats some hundred frames:
 * stored once, with a weight, a hundred thousand steps cost as much as a
 * hundred frames.  With noise every step has a distinct frame and memory is
 * the limit, so the allocation grows to the required size and not beyond.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/frames.h"
#include "io/npy.h"

enum { ALIGN = 64, SLACK = 2 * ALIGN };

struct cscg_frames *
cscg_frames_new(enum cscg_pixel type, int ndim, const long *shape,
    struct cscg_err *err)
{
	static const size_t sizes[] = { 1, sizeof(float), sizeof(double) };
	struct cscg_frames *f;
	long dim = 1;
	int i;

	for (i = 0; i < ndim; i++) {
		if (shape[i] < 1 || shape[i] > CSCG_FRAME_MAX / dim) {
			cscg_fail(err, CSCG_ERANGE,
			    "frames must have 1 to %d numbers",
			    CSCG_FRAME_MAX);
			return NULL;
		}
		dim *= shape[i];
	}
	f = cscg_alloc(1, sizeof *f, err);
	if (!f)
		return NULL;
	f->type = type;
	f->ndim = ndim;
	for (i = 0; i < ndim; i++)
		f->shape[i] = shape[i];
	f->dim = dim;
	f->size = (size_t)dim * sizes[type];
	return f;
}

void
cscg_frames_free(struct cscg_frames *f)
{
	if (!f)
		return;
	free(f->mem);
	free(f->weight);
	free(f->frame_of);
	free(f->slot);
	free(f);
}

const void *
cscg_frames_at(const struct cscg_frames *f, long i)
{
	return f->data + (size_t)i * f->size;
}

void
cscg_frames_get(const struct cscg_frames *f, long i, double *out)
{
	const void *p = cscg_frames_at(f, i);
	const unsigned char *b = p;
	const float *s = p;
	long j;

	if (f->type == CSCG_PIXEL_DOUBLE)
		memcpy(out, p, f->size);
	else if (f->type == CSCG_PIXEL_SINGLE)
		for (j = 0; j < f->dim; j++)
			out[j] = (double)s[j];
	else
		for (j = 0; j < f->dim; j++)
			out[j] = b[j];
}

int64_t
cscg_frames_total_weight(const struct cscg_frames *f)
{
	int64_t sum = 0;
	long i;

	for (i = 0; i < f->n; i++)
		sum += f->weight[i];
	return sum;
}

long
cscg_frames_n_used(const struct cscg_frames *f)
{
	long i, n = 0;

	for (i = 0; i < f->n; i++)
		n += f->weight[i] > 0;
	return n;
}

/* Hash of a frame: eight bytes at a time, mixed as in SplitMix64. */
static uint64_t
hash(const unsigned char *p, size_t n)
{
	uint64_t h = n, v;

	for (; n; p += 8, n -= n < 8 ? n : 8) {
		v = 0;
		memcpy(&v, p, n < 8 ? n : 8);
		h = (h ^ v) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 29;
	}
	h *= 0x94d049bb133111ebu;
	return h ^ h >> 31;
}

/* The slot of a frame equal to p, or the free slot for it. */
static size_t
find_slot(const struct cscg_frames *f, const void *p)
{
	size_t i = (size_t)hash(p, f->size) & (f->n_slots - 1);

	while (f->slot[i] &&
	    memcmp(cscg_frames_at(f, f->slot[i] - 1), p, f->size))
		i = (i + 1) & (f->n_slots - 1);
	return i;
}

/* Keep the table at most half full. */
static int
grow_slots(struct cscg_frames *f, struct cscg_err *err)
{
	size_t n = f->n_slots ? f->n_slots * 2 : 64;
	int *slot;
	long i;

	if ((size_t)f->n * 2 < f->n_slots)
		return 0;
	slot = cscg_alloc(n, sizeof *slot, err);
	if (!slot)
		return -1;
	free(f->slot);
	f->slot = slot;
	f->n_slots = n;
	for (i = 0; i < f->n; i++)
		slot[find_slot(f, cscg_frames_at(f, i))] = (int)i + 1;
	return 0;
}

/*
 * Allocate one more frame.  cscg_grow() is not used: it zeroes all it
 * allocates, so the last doubling would cost as much as all the frames.
 */
static int
grow_data(struct cscg_frames *f, struct cscg_err *err)
{
	size_t cap = f->cap + f->cap / 4 + 16, before;
	size_t limit = cscg_mem_limit();
	unsigned char *mem;

	if ((size_t)f->n < f->cap)
		return 0;
	if (f->n_expected > f->n && (size_t)f->n_expected < cap)
		cap = (size_t)f->n_expected;
	before = f->mem ? (size_t)(f->data - (unsigned char *)f->mem) : 0;
	mem = limit < SLACK || cap > (limit - SLACK) / f->size ?
	    NULL :
	    realloc(f->mem, cap * f->size + SLACK);
	if (!mem)
		return cscg_fail(err, CSCG_ENOMEM,
		    "out of memory for %zu frames of %zu bytes", cap, f->size);
	f->mem = mem;
	f->data = mem + (ALIGN - (uintptr_t)mem % ALIGN) % ALIGN;
	if (f->n && f->data != mem + before)
		memmove(f->data, mem + before, (size_t)f->n * f->size);
	f->cap = cap;
	return 0;
}

/*
 * Index of the frame equal to p, which is added if absent; -1 with err filled.
 */
static int
add(struct cscg_frames *f, const void *p, struct cscg_err *err)
{
	size_t i;

	if (grow_slots(f, err) < 0)
		return -1;
	i = find_slot(f, p);
	if (f->slot[i])
		return f->slot[i] - 1;
	if (f->n == CSCG_FRAME_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d frames",
		    CSCG_FRAME_MAX);
	if (grow_data(f, err) < 0 ||
	    cscg_grow(&f->weight, &f->cap_weight, (size_t)f->n + 1,
		sizeof *f->weight, err) < 0)
		return -1;
	memcpy(f->data + (size_t)f->n * f->size, p, f->size);
	/* The padding after the last frame may be read: define it. */
	memset(f->data + (size_t)(f->n + 1) * f->size, 0, ALIGN);
	f->slot[i] = (int)++f->n;
	return (int)f->n - 1;
}

int
cscg_frames_add(struct cscg_frames *f, long view, const void *p,
    struct cscg_err *err)
{
	int i = add(f, p, err);

	if (i < 0 ||
	    cscg_grow(&f->frame_of, &f->cap_frame_of, (size_t)view + 1,
		sizeof *f->frame_of, err) < 0)
		return -1;
	for (; f->n_views <= view; f->n_views++)
		f->frame_of[f->n_views] = -1;
	f->frame_of[view] = i;
	return 0;
}

/* frames from a .npy array */

static enum cscg_pixel
pixel_of(const struct cscg_npy_head *h)
{
	if (h->item == 1 && h->type != 'i')
		return CSCG_PIXEL_BYTE;
	return h->item == 4 && h->type == 'f' ? CSCG_PIXEL_SINGLE :
						CSCG_PIXEL_DOUBLE;
}

/* Convert number j of the array at p to the frame at to. */
static int
set_value(const struct cscg_frames *f, const struct cscg_npy_head *h, void *to,
    long j, const unsigned char *p, struct cscg_err *err)
{
	double v;

	if (f->type == CSCG_PIXEL_BYTE) {
		((unsigned char *)to)[j] = *p;
		return 0;
	}
	v = cscg_npy_value(h, p) + 0.0; /* turns -0 into 0 */
	if (!isfinite(v))
		return cscg_fail(err, CSCG_ERANGE, "number %ld is %s", j,
		    isnan(v) ? "NaN" : "infinite");
	/* Sums of squares must not overflow. */
	if (fabs(v) > CSCG_PIXEL_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "number %ld is %.9g, beyond %g", j, v, CSCG_PIXEL_MAX);
	if (f->type == CSCG_PIXEL_SINGLE)
		((float *)to)[j] = (float)v;
	else
		((double *)to)[j] = v;
	return 0;
}

/* The rows of an array in C order, one by one. */
static int
read_rows(struct cscg_frames *f, const struct cscg_npy_head *h,
    struct cscg_in *in, unsigned char *raw, void *row, struct cscg_err *err)
{
	long i, j;

	for (i = 0; i < h->shape[0]; i++) {
		if (cscg_npy_read_items(in, h, i * f->dim, f->dim, raw, err) <
		    0)
			return -1;
		for (j = 0; j < f->dim; j++)
			if (set_value(f, h, row, j, raw + j * h->item, err) <
			    0)
				return cscg_fail_at(err, "%s: frame %ld",
				    cscg_in_name(in), i);
		if (cscg_frames_add(f, i, row, err) < 0)
			return -1;
	}
	return 0;
}

/* An array in Fortran order, whose rows are complete only at its end. */
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
			err) < 0 ||
		    cscg_npy_read_items(in, h, i, n, raw + i * h->item, err) <
			0)
			goto out;
	}
	for (i = 0; i < h->shape[0]; i++) {
		for (j = 0; j < f->dim; j++)
			if (set_value(f, h, row, j,
				raw +
				    h->item *
					cscg_npy_offset(h, i * f->dim + j),
				err) < 0) {
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
check_array(const struct cscg_npy_head *h, struct cscg_in *in,
    struct cscg_err *err)
{
	long held;

	if (h->ndim < 1)
		return cscg_fail(err, CSCG_EFORMAT,
		    "%s: a single number is not an array of frames",
		    cscg_in_name(in));
	if (h->size < 1)
		return cscg_fail(err, CSCG_ERANGE,
		    "%s: an empty array has no frames", cscg_in_name(in));
	if (h->shape[0] > CSCG_FRAME_MAX)
		return cscg_fail(err, CSCG_ERANGE,
		    "%s: %ld frames, but at most %d are supported",
		    cscg_in_name(in), h->shape[0], CSCG_FRAME_MAX);
	/*
	 * In C order equal rows are stored once while reading; in Fortran order
	 * the whole array is held.
	 */
	held = h->fortran && h->ndim > 1 ? h->size : h->size / h->shape[0];
	if (cscg_mem_check((size_t)held, (size_t)h->item, err) < 0)
		return cscg_fail_at(err,
		    "%s: an array of %ld frames of %ld numbers",
		    cscg_in_name(in), h->shape[0], h->size / h->shape[0]);
	return 0;
}

static struct cscg_frames *
read_frames(struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_npy_head h;
	struct cscg_frames *f = NULL;
	unsigned char *raw = NULL, *row = NULL;
	int rc = -1;

	if (cscg_npy_read_head(in, &h, err) < 0 ||
	    check_array(&h, in, err) < 0)
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
