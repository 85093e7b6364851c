/*
 * distance_reals.c - distances of real frames
 *
 * The readable implementation, and the only one for floats.  Squares are
 * accumulated in eight sums so that a compiler may vectorise them without
 * changing the result.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "learn/distance.h"

/* Frames of any numbers, computed in doubles */

struct real_distance {
	struct cscg_distance base;
	double *at;             /* [k * dim] */
	unsigned char *touched; /* [k] */
};

struct cscg_distance_scratch {
	double *y;  /* [dim] another frame */
	double x[]; /* [dim] a frame */
};

static struct cscg_distance_scratch *
reals_scratch_new(const struct cscg_distance *s, struct cscg_err *err)
{
	size_t dim = (size_t)s->f->dim;
	struct cscg_distance_scratch *t = cscg_alloc(
	    sizeof *t + 2 * dim * sizeof *t->x, 1, err);

	if (t)
		t->y = t->x + dim;
	return t;
}

static void
reals_free(struct cscg_distance *base)
{
	struct real_distance *s = (struct real_distance *)base;

	free(s->at);
	free(s->touched);
	free(s);
}

static double *
centre(const struct real_distance *s, int k)
{
	return s->at + k * s->base.f->dim;
}

static void
reals_set(struct cscg_distance *base, int k, const double *c)
{
	struct real_distance *s = (struct real_distance *)base;

	memcpy(centre(s, k), c, (size_t)base->f->dim * sizeof *c);
}

static void
reals_get(const struct cscg_distance *base, int k, double *c)
{
	const struct real_distance *s = (const struct real_distance *)base;

	memcpy(c, centre(s, k), (size_t)base->f->dim * sizeof *c);
}

static double
square(const double *a, const double *b, long n)
{
	double sum[8] = { 0 }, d;
	long j;
	int i;

	for (j = 0; j + 8 <= n; j += 8)
		for (i = 0; i < 8; i++) {
			d = a[j + i] - b[j + i];
			sum[i] += d * d;
		}
	for (i = 0; j < n; i++, j++) {
		d = a[j] - b[j];
		sum[i] += d * d;
	}
	return ((sum[0] + sum[4]) + (sum[1] + sum[5])) +
	    ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static void
reals_nearest(const struct cscg_distance *base, const long *frame, int n,
    const int *cand, int nc, int *best, double *low, double *high,
    struct cscg_distance_scratch *t)
{
	const struct real_distance *s = (const struct real_distance *)base;
	double least, v;
	int i, c;

	for (i = 0; i < n; i++, low += nc, high += nc) {
		cscg_frames_get(base->f, frame[i], t->x);
		least = INFINITY;
		for (c = 0; c < nc; c++) {
			v = square(t->x, centre(s, cand[c]), base->f->dim);
			if (v < least || c == 0) {
				least = v;
				best[i] = cand[c];
			}
			/*
			 * Wider than any rounding error, so that bounds never
			 * contradict computed distances.
			 */
			low[c] = sqrt(v) * (1 - 1e-9);
			high[c] = sqrt(v) * (1 + 1e-9);
		}
	}
}

static void
reals_squares(const struct cscg_distance *base, const long *frame, int n,
    const int *cand, int nc, double *out, struct cscg_distance_scratch *t)
{
	const struct real_distance *s = (const struct real_distance *)base;
	int i, c;

	for (i = 0; i < n; i++, out += nc) {
		cscg_frames_get(base->f, frame[i], t->x);
		for (c = 0; c < nc; c++)
			out[c] = square(t->x, centre(s, cand[c]),
			    base->f->dim);
	}
}

static void
reals_between(const struct cscg_distance *base, const long *frame, int n,
    const long *other, int ny, double *out, struct cscg_distance_scratch *t)
{
	int i, c;

	for (c = 0; c < ny; c++) {
		cscg_frames_get(base->f, other[c], t->y);
		for (i = 0; i < n; i++) {
			cscg_frames_get(base->f, frame[i], t->x);
			out[i * ny + c] = square(t->x, t->y, base->f->dim);
		}
	}
}

/* The mean of a cluster's frames, in their order, into new. */
static bool
mean(const struct cscg_frames *f, const int *label, int k, double *fresh)
{
	const unsigned char *b;
	const double *d;
	const float *s;
	double w, sum = 0;
	long i, j;

	memset(fresh, 0, (size_t)f->dim * sizeof *fresh);
	for (i = 0; i < f->n; i++) {
		if (label[i] != k || !f->weight[i])
			continue;
		b = cscg_frames_at(f, i);
		d = cscg_frames_at(f, i);
		s = cscg_frames_at(f, i);
		w = (double)f->weight[i];
		sum += w;
		for (j = 0; j < f->dim; j++)
			fresh[j] += w *
			    (f->type == CSCG_PIXEL_BYTE ? b[j] :
				    f->type == CSCG_PIXEL_SINGLE ?
							  (double)s[j] :
							  d[j]);
	}
	for (j = 0; j < f->dim && sum > 0; j++)
		fresh[j] /= sum;
	return sum > 0;
}

/* Shared data of the parallel loops of reals_update(). */
struct real_update {
	struct real_distance *s;
	const int *label;
	double *shift;
};

static void
reals_move_centre(void *ctx, long k, void *mine)
{
	const struct real_update *c = ctx;
	struct cscg_distance *base = &c->s->base;
	double *at = centre(c->s, (int)k),
	       *fresh = centre(c->s, base->k + (int)k);

	(void)mine;
	c->shift[k] = 0;
	if (!c->s->touched[k] || !mean(base->f, c->label, (int)k, fresh))
		return;
	c->shift[k] = sqrt(square(at, fresh, base->f->dim)) * (1 + 1e-9);
	memcpy(at, fresh, (size_t)base->f->dim * sizeof *at);
}

static void
reals_update(struct cscg_distance *base, const int *label, const long *frame,
    const int *from, long n, double *shift)
{
	struct real_distance *s = (struct real_distance *)base;
	struct real_update c = { s, label, shift };
	struct cscg_parallel each = { .body = reals_move_centre, .ctx = &c };
	long i;

	memset(s->touched, 0, (size_t)base->k);
	for (i = 0; i < n; i++) {
		if (from[i] >= 0)
			s->touched[from[i]] = 1;
		s->touched[label[frame[i]]] = 1;
	}
	cscg_parallel_for(&each, base->k, base->threads, NULL);
}

static void
reals_frames_changed(struct cscg_distance *base)
{
	(void)base; /* it stores no data about frames */
}

static double
reals_cost(const struct cscg_distance *base, const int *label)
{
	const struct real_distance *s = (const struct real_distance *)base;
	const struct cscg_frames *f = base->f;
	double sum = 0, *x = centre(s, base->k); /* free but in update */
	long i;

	for (i = 0; i < f->n; i++) {
		if (!f->weight[i])
			continue;
		cscg_frames_get(f, i, x);
		sum += (double)f->weight[i] *
		    square(x, centre(s, label[i]), f->dim);
	}
	return sum;
}

static const struct cscg_distance_ops reals_ops = {
	reals_free,
	reals_scratch_new,
	reals_set,
	reals_get,
	reals_nearest,
	reals_squares,
	reals_between,
	reals_update,
	reals_frames_changed,
	reals_cost,
};

struct cscg_distance *
cscg_distance_reals(const struct cscg_frames *f, int k, int threads,
    struct cscg_err *err)
{
	struct real_distance *s = cscg_alloc(1, sizeof *s, err);

	if (!s)
		return NULL;
	s->base = (struct cscg_distance){ &reals_ops, f, k, threads, false };
	/* The second half holds the new centroids. */
	s->at = cscg_alloc(2 * (size_t)k * (size_t)f->dim, sizeof *s->at, err);
	s->touched = cscg_alloc((size_t)k, 1, err);
	if (s->at && s->touched)
		return &s->base;
	reals_free(&s->base);
	return NULL;
}
