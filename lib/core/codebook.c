/* codebook.c - centroids that stand for frames, and how likely each is */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codebook.h"
#include "base/each.h"
#include "base/mem.h"
#include "learn/space.h"

enum { PACK = CSCG_SPACE_PACK };

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
cscg_codebook_spell(char *buf, size_t size, int ndim, const long *shape)
{
	size_t n = 0;
	int i;

	snprintf(buf, size, "1");
	for (i = 0; i < ndim && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%ld",
		    i ? " x " : "", shape[i]);
}

int
cscg_codebook_fits(const struct cscg_codebook *book, int ndim,
    const long *shape, struct cscg_err *err)
{
	char want[80], have[80];

	if (ndim == book->ndim && !memcmp(shape, book->shape, (size_t)ndim *
	    sizeof *shape))
		return 0;
	cscg_codebook_spell(have, sizeof have, ndim, shape);
	cscg_codebook_spell(want, sizeof want, book->ndim, book->shape);
	return cscg_fail(err, CSCG_EMISMATCH, "frames of %s numbers, but the "
	    "codebook is for %s", have, want);
}

/* What nearest() is for the likeliest: squared distance / 2 sigma2 - log p. */
static void
likeliest(const struct cscg_codebook *b, const struct cscg_space *s,
    const long *frame, int n, const int *every, double *d, int *best,
    struct cscg_scratch *scratch)
{
	double v, least;
	int i, k;

	s->ops->squares(s, frame, n, every, b->k, d, scratch);
	for (i = 0; i < n; i++, d += b->k) {
		least = INFINITY;
		best[i] = 0;
		for (k = 0; k < b->k; k++) {
			v = d[k] / (2 * b->sigma2) - log(b->prior[k]);
			if (v < least) {
				least = v;
				best[i] = k;
			}
		}
	}
}

/* What labelling shares, and what each thread needs for it. */
struct cscg_encoder {
	const struct cscg_codebook *book;
	struct cscg_space *s;
	int *every;		/* [k] 0, 1, 2, ... */
	int *label;		/* of frames in s */
	struct desk *desk;	/* of an encoder alone, with one frame: */
	struct cscg_frames *one;
};

struct desk {
	struct cscg_scratch *scratch;
	double *room;		/* [2 * PACK * k] */
};

static void
desk_free(void *mine)
{
	struct desk *d = mine;

	if (!d)
		return;
	cscg_scratch_free(d->scratch);
	free(d->room);
	free(d);
}

static void *
desk_new(void *ctx, struct cscg_err *err)
{
	const struct cscg_encoder *e = ctx;
	struct desk *d = cscg_alloc(1, sizeof *d, err);

	if (!d)
		return NULL;
	d->scratch = e->s->ops->scratch(e->s, err);
	d->room = cscg_alloc(2 * PACK * (size_t)e->book->k, sizeof *d->room,
	    err);
	if (d->scratch && d->room)
		return d;
	desk_free(d);
	return NULL;
}

static void
label_pack(void *ctx, long pack, void *mine)
{
	const struct cscg_encoder *e = ctx;
	const struct cscg_codebook *b = e->book;
	const struct cscg_space *s = e->s;
	struct desk *d = mine;
	long frame[PACK], i = pack * PACK;
	int n;

	for (n = 0; n < PACK && i + n < s->f->n; n++)
		frame[n] = i + n;
	if (b->soft && b->sigma2 > 0)
		likeliest(b, s, frame, n, e->every, d->room, e->label + i,
		    d->scratch);
	else
		s->ops->nearest(s, frame, n, e->every, b->k, e->label + i,
		    d->room, d->room + PACK * (size_t)b->k, d->scratch);
}

/* For the frames f. */
static struct cscg_encoder *
encoder_for(const struct cscg_codebook *book, const struct cscg_frames *f,
    const struct cscg_bytes *bytes, int threads, struct cscg_err *err)
{
	struct cscg_encoder *e = cscg_alloc(1, sizeof *e, err);
	int k;

	if (!e)
		return NULL;
	e->book = book;
	e->s = cscg_space_new(f, book->k, book->centroid, bytes, threads, err);
	e->every = cscg_alloc((size_t)book->k, sizeof *e->every, err);
	if (!e->s || !e->every) {
		cscg_encoder_free(e);
		return NULL;
	}
	for (k = 0; k < book->k; k++)
		e->every[k] = k;
	return e;
}

int
cscg_codebook_label(const struct cscg_codebook *book,
    const struct cscg_frames *f, const struct cscg_bytes *bytes, int threads,
    int *label, struct cscg_err *err)
{
	struct cscg_encoder *e = encoder_for(book, f, bytes, threads, err);
	struct cscg_each each = { label_pack, desk_new, desk_free, e };
	int rc;

	if (!e)
		return -1;
	e->label = label;
	rc = cscg_each(&each, (f->n + PACK - 1) / PACK, threads, err);
	cscg_encoder_free(e);
	return rc;
}

struct cscg_encoder *
cscg_encoder_new(const struct cscg_codebook *book,
    const struct cscg_bytes *bytes, struct cscg_err *err)
{
	struct cscg_frames *one = cscg_frames_new(CSCG_PIXEL_BYTE, book->ndim,
	    book->shape, err);
	unsigned char *black = cscg_alloc((size_t)book->dim, 1, err);
	struct cscg_encoder *e = NULL;

	if (one && black && cscg_frames_show(one, 0, black, err) == 0)
		e = encoder_for(book, one, bytes, 1, err);
	free(black);
	if (!e) {
		cscg_frames_free(one);
		return NULL;
	}
	e->one = one;
	e->desk = desk_new(e, err);
	if (!e->desk) {
		cscg_encoder_free(e);
		return NULL;
	}
	return e;
}

int
cscg_encoder_label(struct cscg_encoder *e, const unsigned char *frame)
{
	int label = 0;

	memcpy(e->one->data, frame, e->one->size);
	e->s->ops->renew(e->s);
	e->label = &label;
	label_pack(e, 0, e->desk);
	e->label = NULL;
	return label;
}

void
cscg_encoder_free(struct cscg_encoder *e)
{
	if (!e)
		return;
	desk_free(e->desk);
	cscg_space_free(e->s);
	cscg_frames_free(e->one);
	free(e->every);
	free(e);
}
