/* encoder.c - the symbol of a frame: its nearest or likeliest centroid */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/mem.h"
#include "learn/encoder.h"
#include "learn/distance.h"

enum { BATCH = CSCG_DISTANCE_PACK };

/*
 * The likeliest centroid, like nearest(): squared distance / 2 sigma2 - log p.
 */
static void
most_likely(const struct cscg_codebook *b, const struct cscg_distance *s,
    const long *frame, int n, const int *all_centroids, double *d, int *best,
    struct cscg_distance_scratch *scratch)
{
	double v, least;
	int i, k;

	s->ops->squares(s, frame, n, all_centroids, b->k, d, scratch);
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

/* Shared data of labelling, and buffers of one thread. */
struct cscg_encoder {
	const struct cscg_codebook *book;
	struct cscg_distance *s;
	int *all_centroids;      /* [k] 0, 1, 2, ... */
	int *label;              /* of frames in s */
	struct buffers *buffers; /* of an encoder for single frames: */
	struct cscg_frames *one;
};

struct buffers {
	struct cscg_distance_scratch *scratch;
	double *distances; /* [2 * BATCH * k] */
};

static void
buffers_free(void *mine)
{
	struct buffers *d = mine;

	if (!d)
		return;
	cscg_distance_scratch_free(d->scratch);
	free(d->distances);
	free(d);
}

static void *
buffers_new(void *ctx, struct cscg_err *err)
{
	const struct cscg_encoder *e = ctx;
	struct buffers *d = cscg_alloc(1, sizeof *d, err);

	if (!d)
		return NULL;
	d->scratch = e->s->ops->scratch(e->s, err);
	d->distances = cscg_alloc(2 * BATCH * (size_t)e->book->k,
	    sizeof *d->distances, err);
	if (d->scratch && d->distances)
		return d;
	buffers_free(d);
	return NULL;
}

static void
label_batch(void *ctx, long pack, void *mine)
{
	const struct cscg_encoder *e = ctx;
	const struct cscg_codebook *b = e->book;
	const struct cscg_distance *s = e->s;
	struct buffers *d = mine;
	long frame[BATCH], i = pack * BATCH;
	int n;

	for (n = 0; n < BATCH && i + n < s->f->n; n++)
		frame[n] = i + n;
	if (b->is_mixture && b->sigma2 > 0)
		most_likely(b, s, frame, n, e->all_centroids, d->distances,
		    e->label + i, d->scratch);
	else
		s->ops->nearest(s, frame, n, e->all_centroids, b->k,
		    e->label + i, d->distances,
		    d->distances + BATCH * (size_t)b->k, d->scratch);
}

/* For the frames f. */
static struct cscg_encoder *
encoder_for(const struct cscg_codebook *book, const struct cscg_frames *f,
    const struct cscg_simd_bytes *bytes, int threads, struct cscg_err *err)
{
	struct cscg_encoder *e = cscg_alloc(1, sizeof *e, err);
	int k;

	if (!e)
		return NULL;
	e->book = book;
	e->s = cscg_distance_new(f, book->k, book->centroid, bytes, threads,
	    err);
	e->all_centroids = cscg_alloc((size_t)book->k,
	    sizeof *e->all_centroids, err);
	if (!e->s || !e->all_centroids) {
		cscg_encoder_free(e);
		return NULL;
	}
	for (k = 0; k < book->k; k++)
		e->all_centroids[k] = k;
	return e;
}

int
cscg_codebook_label(const struct cscg_codebook *book,
    const struct cscg_frames *f, const struct cscg_simd_bytes *bytes,
    int threads, int *label, struct cscg_err *err)
{
	struct cscg_encoder *e = encoder_for(book, f, bytes, threads, err);
	struct cscg_parallel each = { .body = label_batch,
		.thread_new = buffers_new,
		.thread_free = buffers_free,
		.ctx = e };
	int rc;

	if (!e)
		return -1;
	e->label = label;
	rc = cscg_parallel_for(&each, (f->n + BATCH - 1) / BATCH, threads,
	    err);
	cscg_encoder_free(e);
	return rc;
}

struct cscg_encoder *
cscg_encoder_new(const struct cscg_codebook *book,
    const struct cscg_simd_bytes *bytes, struct cscg_err *err)
{
	struct cscg_frames *one = cscg_frames_new(CSCG_PIXEL_BYTE, book->ndim,
	    book->shape, err);
	unsigned char *black = cscg_alloc((size_t)book->dim, 1, err);
	struct cscg_encoder *e = NULL;

	if (one && black && cscg_frames_add(one, 0, black, err) == 0)
		e = encoder_for(book, one, bytes, 1, err);
	free(black);
	if (!e) {
		cscg_frames_free(one);
		return NULL;
	}
	e->one = one;
	e->buffers = buffers_new(e, err);
	if (!e->buffers) {
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
	e->s->ops->frames_changed(e->s);
	e->label = &label;
	label_batch(e, 0, e->buffers);
	e->label = NULL;
	return label;
}

void
cscg_encoder_free(struct cscg_encoder *e)
{
	if (!e)
		return;
	buffers_free(e->buffers);
	cscg_distance_free(e->s);
	cscg_frames_free(e->one);
	free(e->all_centroids);
	free(e);
}
