/*
 * distance_bytes.c - exact integer distances of byte frames
 *
 * A mean of bytes is rounded to the nearest multiple of 2^-16, which is the
 * best point of that grid, so Lloyd iterations still never increase the cost;
 * and a single-precision float holds it exactly.  A centroid C (in units of
 * 2^-16) is split as 256 (32768 + word) + rest, word of 16 bits and rest of 8,
 * so that its products with a frame are sums of products of small numbers.
 *
 * The word alone is the nearby point C16 on a grid of 2^-8.  The distance
 * between C and C16 is known, so a distance from C16 gives bounds on that from
 * C.  Most decisions need no more; the others use the rest and are exact
 * integer comparisons.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "learn/distance.h"

/* Frames of bytes, with centroids that are multiples of 2^-16 */

typedef __int128 wide;

enum {
	UNIT = 65536, /* of a centre in 1 */
	SLICE = 1024, /* columns summed at a time */
	OTHERS = 64,  /* bytes_between() has room for max(OTHERS, k) */
};

struct byte_distance {
	struct cscg_distance base;
	const struct cscg_simd_bytes *bytes;
	size_t pad;             /* numbers in a row of words, or of rests */
	int64_t *norm, *total;  /* [n] |x|^2 and sum of x */
	int32_t *at;            /* [k * dim] C */
	int16_t *word;          /* [k * pad] */
	int8_t *rest;           /* [k * pad] */
	int64_t *norm16;        /* [k] |C16|^2 */
	wide *square;           /* [k] |C|^2 */
	double *rounding;       /* [k] |C - 256 C16| in 1s */
	int64_t *sum;           /* [k * dim] of weight * frame */
	int64_t *count, *norms; /* [k] sums of weight, weight * |x|^2 */
	wide *cost;             /* [k] in units of 2^-32 */
	unsigned char *touched; /* [k] */
	struct cscg_pool mem;
};

/* One block; the arrays are behind it. */
struct cscg_distance_scratch {
	const uint8_t *x[CSCG_DISTANCE_PACK];
	const void **r; /* [most] */
	int64_t *dot;   /* [PACK * most] */
	int64_t *more;  /* [most] */
	int *close;     /* [most] */
	int8_t *row;    /* [most * pad] */
};

static int
most_rows(const struct cscg_distance *s)
{
	return s->k > OTHERS ? s->k : OTHERS;
}

static struct cscg_distance_scratch *
bytes_scratch_new(const struct cscg_distance *base, struct cscg_err *err)
{
	const struct byte_distance *s = (const struct byte_distance *)base;
	size_t most = (size_t)most_rows(base), head, dots, ptrs;
	struct cscg_distance_scratch *t;
	unsigned char *p;

	head = cscg_simd_bytes_pad(sizeof *t);
	ptrs = cscg_simd_bytes_pad(most * sizeof *t->r);
	dots = cscg_simd_bytes_pad(CSCG_DISTANCE_PACK * most * sizeof *t->dot);
	p = cscg_alloc_aligned(head + ptrs + dots +
		cscg_simd_bytes_pad(most * sizeof *t->more) +
		cscg_simd_bytes_pad(most * sizeof *t->close) + most * s->pad,
	    1, CSCG_SIMD_BYTES_PAD, err);
	if (!p)
		return NULL;
	t = (void *)p;
	t->r = (void *)(p += head);
	t->dot = (void *)(p += ptrs);
	t->more = (void *)(p += dots);
	t->close = (void *)(p += cscg_simd_bytes_pad(most * sizeof *t->more));
	t->row = (void *)(p + cscg_simd_bytes_pad(most * sizeof *t->close));
	return t;
}

static void
bytes_free(struct cscg_distance *base)
{
	struct byte_distance *s = (struct byte_distance *)base;

	cscg_pool_free(&s->mem);
	free(s);
}

/* The digits and norms of centroid k from its coordinates. */
static void
split_digits(struct byte_distance *s, int k)
{
	long j, dim = s->base.f->dim;
	const int32_t *at = s->at + k * dim;
	int16_t *word = s->word + (size_t)k * s->pad;
	int8_t *rest = s->rest + (size_t)k * s->pad;
	int64_t norm16 = 0, off = 0, part = 0;
	int32_t c16, digit;
	wide square = 0;

	for (j = 0; j < dim; j++) {
		c16 = (at[j] + 128) >> 8;
		digit = at[j] - 256 * c16;
		rest[j] = (int8_t)digit;
		off += digit * digit;
		norm16 += (int64_t)c16 * c16;
		part += (int64_t)at[j] * at[j];
		if (j % 1024 == 1023) { /* 2^48 each */
			square += part;
			part = 0;
		}
		word[j] = (int16_t)(c16 - 32768);
	}
	s->norm16[k] = norm16;
	s->square[k] = square + part;
	s->rounding[k] = sqrt((double)off) / UNIT * (1 + 1e-12);
}

static void
bytes_set(struct cscg_distance *base, int k, const double *c)
{
	struct byte_distance *s = (struct byte_distance *)base;
	long j, dim = base->f->dim;
	double v;

	for (j = 0; j < dim; j++) {
		v = c[j] < 0 ? 0 : c[j] > 255 ? 255 : c[j];
		s->at[k * dim + j] = (int32_t)floor(v * UNIT + 0.5);
	}
	split_digits(s, k);
}

static void
bytes_get(const struct cscg_distance *base, int k, double *c)
{
	const struct byte_distance *s = (const struct byte_distance *)base;
	long j, dim = base->f->dim;

	for (j = 0; j < dim; j++)
		c[j] = (double)s->at[k * dim + j] / UNIT;
}

/* Products of frames with words of centroids in t->dot. */
static void
multiply(const struct byte_distance *s, const long *frame, int n,
    const int *cand, int nc, struct cscg_distance_scratch *t)
{
	int i;

	for (i = 0; i < n; i++)
		t->x[i] = cscg_frames_at(s->base.f, frame[i]);
	for (i = 0; i < nc; i++)
		t->r[i] = s->word + (size_t)cand[i] * s->pad;
	s->bytes->dots16(t->x, n, t->r, nc, s->pad, t->dot);
}

/* Frame times C16. */
static int64_t
times16(const struct byte_distance *s, long frame, int64_t dot)
{
	return dot + 32768 * s->total[frame];
}

/*
 * The nearest of the n centroids close to the frame: |C|^2 - 2 x C decides, in
 * units of 2^-32.  dot has the products of all centroids of cand.
 */
static int
nearest_exact(const struct byte_distance *s, long frame, const int *cand,
    const int *close, int n, const int64_t *dot,
    struct cscg_distance_scratch *t)
{
	const uint8_t *x = cscg_frames_at(s->base.f, frame);
	wide least = 0, v;
	int i, k, best = 0;

	for (i = 0; i < n; i++)
		t->r[i] = s->rest + (size_t)cand[close[i]] * s->pad;
	s->bytes->dots(&x, 1, t->r, n, s->pad, t->more);
	for (i = 0; i < n; i++) {
		k = cand[close[i]];
		v = s->square[k] -
		    (wide)2 * UNIT *
			(256 * times16(s, frame, dot[close[i]]) + t->more[i]);
		if (i == 0 || v < least) {
			least = v;
			best = k;
		}
	}
	return best;
}

static void
bytes_nearest(const struct cscg_distance *base, const long *frame, int n,
    const int *cand, int nc, int *best, double *low, double *high,
    struct cscg_distance_scratch *t)
{
	const struct byte_distance *s = (const struct byte_distance *)base;
	const int64_t *dot = t->dot;
	double least, d;
	int64_t square;
	int i, c, k, close;

	multiply(s, frame, n, cand, nc, t);
	for (i = 0; i < n; i++, dot += nc, low += nc, high += nc) {
		least = INFINITY;
		for (c = 0; c < nc; c++) {
			k = cand[c];
			square = UNIT * s->norm[frame[i]] -
			    512 * times16(s, frame[i], dot[c]) + s->norm16[k];
			d = sqrt((double)square) / 256;
			low[c] = d * (1 - 1e-12) - s->rounding[k];
			high[c] = d * (1 + 1e-12) + s->rounding[k];
			if (high[c] < least) {
				least = high[c];
				best[i] = k;
			}
		}
		close = 0;
		for (c = 0; c < nc; c++)
			if (low[c] <= least)
				t->close[close++] = c;
		if (close > 1)
			best[i] = nearest_exact(s, frame[i], cand, t->close,
			    close, dot, t);
	}
}

static void
bytes_squares(const struct cscg_distance *base, const long *frame, int n,
    const int *cand, int nc, double *out, struct cscg_distance_scratch *t)
{
	const struct byte_distance *s = (const struct byte_distance *)base;
	const int64_t *dot = t->dot;
	wide v;
	int i, c;

	multiply(s, frame, n, cand, nc, t);
	for (c = 0; c < nc; c++)
		t->r[c] = s->rest + (size_t)cand[c] * s->pad;
	for (i = 0; i < n; i++, dot += nc, out += nc) {
		s->bytes->dots(t->x + i, 1, t->r, nc, s->pad, t->more);
		for (c = 0; c < nc; c++) {
			v = s->square[cand[c]] -
			    (wide)2 * UNIT *
				(256 * times16(s, frame[i], dot[c]) +
				    t->more[c]) +
			    ((wide)s->norm[frame[i]] << 32);
			out[c] = (double)v * 0x1p-32;
		}
	}
}

static void
bytes_between(const struct cscg_distance *base, const long *frame, int n,
    const long *other, int ny, double *out, struct cscg_distance_scratch *t)
{
	const struct byte_distance *s = (const struct byte_distance *)base;
	const unsigned char *y;
	int64_t product;
	long j;
	int i, c;

	for (c = 0; c < ny; c++) {
		y = cscg_frames_at(base->f, other[c]);
		for (j = 0; j < base->f->dim; j++)
			t->row[(size_t)c * s->pad + (size_t)j] =
			    (int8_t)(y[j] - 128);
		t->r[c] = t->row + (size_t)c * s->pad;
	}
	for (i = 0; i < n; i++)
		t->x[i] = cscg_frames_at(base->f, frame[i]);
	s->bytes->dots(t->x, n, t->r, ny, s->pad, t->dot);
	for (i = 0; i < n; i++)
		for (c = 0; c < ny; c++) {
			product = t->dot[i * ny + c] +
			    128 * s->total[frame[i]];
			out[i * ny + c] = (double)(s->norm[frame[i]] +
			    s->norm[other[c]] - 2 * product);
		}
}

/* Move centroid k to the mean of its frames; returns the distance moved. */
static double
move_centre(struct byte_distance *s, int k)
{
	long j, dim = s->base.f->dim;
	int32_t *at = s->at + k * dim, fresh;
	const int64_t *sum = s->sum + k * dim;
	double by = (double)s->count[k], far = 0, d;

	for (j = 0; j < dim; j++) {
		fresh = (int32_t)floor((double)(sum[j] * UNIT) / by + 0.5);
		d = (double)(fresh - at[j]);
		far += d * d;
		at[j] = fresh;
	}
	split_digits(s, k);
	return sqrt(far) / UNIT * (1 + 1e-12);
}

/* sum_f weight |x|^2 - 2 C (sum_f weight x) + |C|^2 sum_f weight */
static wide
cost_of(const struct byte_distance *s, int k)
{
	long j, dim = s->base.f->dim;
	const int32_t *at = s->at + k * dim;
	const int64_t *sum = s->sum + k * dim;
	bool small = s->count[k] < 1 << 24;
	wide product = 0;
	int64_t part = 0;

	for (j = 0; j < dim; j++) {
		if (!small) {
			product += (wide)at[j] * sum[j];
			continue;
		}
		part += at[j] * sum[j]; /* 2^24 * 2^8 * 2^24 */
		if (j % 64 == 63) {
			product += part;
			part = 0;
		}
	}
	product += part;
	return ((wide)s->norms[k] << 32) - 2 * UNIT * product +
	    s->count[k] * s->square[k];
}

/* Shared data of the parallel loops of bytes_update(). */
struct byte_update {
	struct byte_distance *s;
	const int *label, *from;
	const long *frame;
	long n;
	double *shift;
};

/* The sums of a slice of columns. */
static void
add_slice(void *ctx, long slice, void *mine)
{
	const struct byte_update *c = ctx;
	struct byte_distance *s = c->s;
	const struct cscg_frames *f = s->base.f;
	long i, a = slice * SLICE;
	size_t m = (size_t)(f->dim - a < SLICE ? f->dim - a : SLICE);
	const unsigned char *x;

	(void)mine;
	for (i = 0; i < c->n; i++) {
		x = cscg_frames_at(f, c->frame[i]);
		if (c->from[i] >= 0)
			s->bytes->add(x + a, -f->weight[c->frame[i]], m,
			    s->sum + c->from[i] * f->dim + a);
		s->bytes->add(x + a, f->weight[c->frame[i]], m,
		    s->sum + c->label[c->frame[i]] * f->dim + a);
	}
}

static void
move_one(void *ctx, long k, void *mine)
{
	const struct byte_update *c = ctx;
	struct byte_distance *s = c->s;

	(void)mine;
	c->shift[k] = 0;
	if (!s->touched[k])
		return;
	if (s->count[k])
		c->shift[k] = move_centre(s, (int)k);
	s->cost[k] = cost_of(s, (int)k);
}

static void
add_frame(struct byte_distance *s, int k, long frame, int sign)
{
	int64_t w = sign * s->base.f->weight[frame];

	s->count[k] += w;
	s->norms[k] += w * s->norm[frame];
	s->touched[k] = 1;
}

static void
bytes_update(struct cscg_distance *base, const int *label, const long *frame,
    const int *from, long n, double *shift)
{
	struct byte_distance *s = (struct byte_distance *)base;
	struct byte_update c = { s, label, from, frame, n, shift };
	struct cscg_parallel sums = { .body = add_slice, .ctx = &c };
	struct cscg_parallel centres = { .body = move_one, .ctx = &c };
	long i;

	memset(s->touched, 0, (size_t)base->k);
	for (i = 0; i < n; i++) {
		if (from[i] >= 0)
			add_frame(s, from[i], frame[i], -1);
		add_frame(s, label[frame[i]], frame[i], 1);
	}
	/* Loops without scratch do not fail. */
	cscg_parallel_for(&sums, (base->f->dim + SLICE - 1) / SLICE,
	    base->threads, NULL);
	cscg_parallel_for(&centres, base->k, base->threads, NULL);
}

/* Norm and sum of the frames of a pack. */
static void
frame_norms(void *ctx, long pack, void *mine)
{
	struct byte_distance *s = ctx;
	const struct cscg_frames *f = s->base.f;
	long i = pack * CSCG_DISTANCE_PACK, end = i + CSCG_DISTANCE_PACK, j;
	const unsigned char *x;
	int64_t norm, total;

	(void)mine;
	for (; i < end && i < f->n; i++) {
		x = cscg_frames_at(f, i);
		norm = total = 0;
		for (j = 0; j < f->dim; j++) {
			norm += x[j] * x[j];
			total += x[j];
		}
		s->norm[i] = norm;
		s->total[i] = total;
	}
}

static void
bytes_frames_changed(struct cscg_distance *base)
{
	struct cscg_parallel each = { .body = frame_norms, .ctx = base };

	cscg_parallel_for(&each,
	    (base->f->n + CSCG_DISTANCE_PACK - 1) / CSCG_DISTANCE_PACK,
	    base->threads, NULL);
}

static double
bytes_cost(const struct cscg_distance *base, const int *label)
{
	const struct byte_distance *s = (const struct byte_distance *)base;
	wide sum = 0;
	int k;

	(void)label; /* known from bytes_update() */
	for (k = 0; k < base->k; k++)
		sum += s->cost[k];
	return (double)sum * 0x1p-32;
}

static const struct cscg_distance_ops bytes_ops = {
	bytes_free,
	bytes_scratch_new,
	bytes_set,
	bytes_get,
	bytes_nearest,
	bytes_squares,
	bytes_between,
	bytes_update,
	bytes_frames_changed,
	bytes_cost,
};

static int
allocate(struct byte_distance *s, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&s->mem, err);
	size_t n = (size_t)s->base.f->n, k = (size_t)s->base.k;
	size_t all = k * (size_t)s->base.f->dim;

	s->norm = cscg_pool_add(mem, n, sizeof *s->norm);
	s->total = cscg_pool_add(mem, n, sizeof *s->total);
	s->at = cscg_pool_add(mem, all, sizeof *s->at);
	s->word = cscg_pool_aligned(mem, k * sizeof *s->word, s->pad,
	    CSCG_SIMD_BYTES_PAD);
	s->rest = cscg_pool_aligned(mem, k, s->pad, CSCG_SIMD_BYTES_PAD);
	s->norm16 = cscg_pool_add(mem, k, sizeof *s->norm16);
	s->square = cscg_pool_add(mem, k, sizeof *s->square);
	s->rounding = cscg_pool_add(mem, k, sizeof *s->rounding);
	s->sum = cscg_pool_add(mem, all, sizeof *s->sum);
	s->count = cscg_pool_add(mem, k, sizeof *s->count);
	s->norms = cscg_pool_add(mem, k, sizeof *s->norms);
	s->cost = cscg_pool_add(mem, k, sizeof *s->cost);
	s->touched = cscg_pool_add(mem, k, 1);
	return mem->failed ? -1 : 0;
}

struct cscg_distance *
cscg_distance_bytes(const struct cscg_frames *f, int k,
    const struct cscg_simd_bytes *bytes, int threads, struct cscg_err *err)
{
	struct byte_distance *s = cscg_alloc(1, sizeof *s, err);

	if (!s)
		return NULL;
	s->base = (struct cscg_distance){ &bytes_ops, f, k, threads, true };
	s->bytes = bytes;
	s->pad = cscg_simd_bytes_pad((size_t)f->dim);
	if (allocate(s, err) < 0) {
		bytes_free(&s->base);
		return NULL;
	}
	bytes_frames_changed(&s->base);
	return &s->base;
}
