/*
 * kmeans_mixture.c - a mixture of Gaussians with one variance, by EM
 *
 * With thousands of pixels nearly every frame belongs to one centroid alone,
 * and shares below 2^-60 are dropped, so the M-step is as long as k-means's.
 * The sums of each centroid are taken in the order of frames by one thread.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "learn/kmeans.h"
#include "learn/encoder.h"
#include "base/mem.h"
#include "learn/space.h"

enum { MIX_PACK = CSCG_DISTANCE_PACK };

struct mix {
	const struct cscg_frames *f;
	struct cscg_codebook *book;
	struct cscg_distance *s;
	int *all;		/* [k] 0, 1, 2, ... */
	double *responsibility;		/* [n * k] weight * responsibility */
	double *loglik;		/* [n] log-likelihood, */
	double *squared;		/* [n] and squared distance, both weighted */
	double *shift;		/* [k] mass * squared shift */
	double *new;		/* [k * dim] */
};

static void
mix_free(struct mix *m)
{
	cscg_distance_free(m->s);
	free(m->all);
	free(m->responsibility);
	free(m->loglik);
	free(m->squared);
	free(m->shift);
	free(m->new);
}

static int
mix_new(struct mix *m, const struct cscg_kmeans *set, struct cscg_err *err)
{
	size_t n = (size_t)m->f->n, k = (size_t)m->book->k, i;

	m->s = cscg_distance_new(m->f, m->book->k, m->book->centroid, set->bytes,
	    set->threads, err);
	m->all = cscg_alloc(k, sizeof *m->all, err);
	m->responsibility = cscg_alloc(n * k, sizeof *m->responsibility, err);
	m->loglik = cscg_alloc(n, sizeof *m->loglik, err);
	m->squared = cscg_alloc(n, sizeof *m->squared, err);
	m->shift = cscg_alloc(k, sizeof *m->shift, err);
	m->new = cscg_alloc(k * (size_t)m->f->dim, sizeof *m->new, err);
	if (!m->s || !m->all || !m->responsibility || !m->loglik || !m->squared ||
	    !m->shift || !m->new)
		return -1;
	for (i = 0; i < k; i++)
		m->all[i] = (int)i;
	return 0;
}

/* Shares of frame i, given its squared distances. */
static void
responsibilities(struct mix *m, long i, const double *square)
{
	const struct cscg_codebook *b = m->book;
	double *share = m->responsibility + i * b->k, most = -INFINITY, sum = 0;
	double w = (double)m->f->weight[i], spread = 0;
	int k;

	for (k = 0; k < b->k; k++) {
		share[k] = log(b->prior[k]) - square[k] / (2 * b->sigma2);
		if (share[k] > most)
			most = share[k];
	}
	for (k = 0; k < b->k; k++) {
		share[k] = exp(share[k] - most);
		if (share[k] < 0x1p-60)
			share[k] = 0;
		sum += share[k];
	}
	for (k = 0; k < b->k; k++) {
		share[k] *= w / sum;
		spread += share[k] * square[k];
	}
	m->loglik[i] = w * (most + log(sum) - 0.5 * (double)b->dim *
	    log(2 * M_PI * b->sigma2));
	m->squared[i] = spread;
}

/* What a thread needs: for the E-step, and for the M-step. */
struct mix_scratch {
	struct cscg_distance_scratch *scratch;
	double *square;		/* [MIX_PACK * k] */
	double *x;		/* [dim] */
};

static void
mix_scratch_free(void *mine)
{
	struct mix_scratch *h = mine;

	if (!h)
		return;
	cscg_distance_scratch_free(h->scratch);
	free(h->square);
	free(h->x);
	free(h);
}

static void *
mix_scratch_new(void *ctx, struct cscg_err *err)
{
	const struct mix *m = ctx;
	struct mix_scratch *h = cscg_alloc(1, sizeof *h, err);

	if (!h)
		return NULL;
	h->scratch = m->s->ops->scratch(m->s, err);
	h->square = cscg_alloc(MIX_PACK * (size_t)m->book->k, sizeof *h->square,
	    err);
	h->x = cscg_alloc((size_t)m->book->dim, sizeof *h->x, err);
	if (h->scratch && h->square && h->x)
		return h;
	mix_scratch_free(h);
	return NULL;
}

static void
expect_pack(void *ctx, long pack, void *mine)
{
	struct mix *m = ctx;
	struct mix_scratch *h = mine;
	long frame[MIX_PACK], i = pack * MIX_PACK;
	int n;

	for (n = 0; n < MIX_PACK && i + n < m->f->n; n++)
		frame[n] = i + n;
	m->s->ops->squares(m->s, frame, n, m->all, m->book->k, h->square,
	    h->scratch);
	while (n-- > 0)
		responsibilities(m, frame[n], h->square + (size_t)n *
		    m->book->k);
}

/* The E-step, and its log-likelihood. */
static int
expect(struct mix *m, double *loglik, struct cscg_err *err)
{
	struct cscg_parallel each = { expect_pack, mix_scratch_new, mix_scratch_free, m };
	long i;

	if (cscg_parallel_for(&each, (m->f->n + MIX_PACK - 1) / MIX_PACK, m->s->threads,
	    err) < 0)
		return -1;
	*loglik = 0;
	for (i = 0; i < m->f->n; i++)
		*loglik += m->loglik[i];
	return 0;
}

/* Mean of centroid k into m->new; its mass. */
static double
mean(struct mix *m, int k, double *x)
{
	const struct cscg_frames *f = m->f;
	double *new = m->new + k * f->dim, mass = 0, r;
	long i, j;

	memset(new, 0, (size_t)f->dim * sizeof *new);
	for (i = 0; i < f->n; i++) {
		r = m->responsibility[i * m->book->k + k];
		if (r == 0)
			continue;
		mass += r;
		cscg_frames_get(f, i, x);
		for (j = 0; j < f->dim; j++)
			new[j] += r * x[j];
	}
	for (j = 0; j < f->dim && mass > 0; j++)
		new[j] /= mass;
	return mass;
}

/* Centroid k goes to its mean. */
static void
move_centroid(void *ctx, long k, void *mine)
{
	struct mix *m = ctx;
	struct mix_scratch *h = mine;
	struct cscg_codebook *b = m->book;
	double *at = b->centroid + k * b->dim, *new = m->new + k * b->dim, d;
	long j;

	m->shift[k] = 0;
	b->count[k] = mean(m, (int)k, h->x);
	if (b->count[k] <= 0)
		return;
	m->s->ops->set(m->s, (int)k, new);
	m->s->ops->get(m->s, (int)k, new);
	for (j = 0; j < b->dim; j++) {
		d = new[j] - at[j];
		m->shift[k] += d * d;
	}
	m->shift[k] *= b->count[k];
	memcpy(at, new, (size_t)b->dim * sizeof *at);
}

/*
 * The M-step.  About the new means, the squares are less by mass * shift^2
 * than about the old, so the variance needs no further pass.
 */
static int
maximize(struct mix *m, double min_sigma2, struct cscg_err *err)
{
	struct cscg_parallel each = { move_centroid, mix_scratch_new, mix_scratch_free, m };
	struct cscg_codebook *b = m->book;
	double total = (double)cscg_frames_total_weight(m->f), sum = 0;
	long i;
	int k;

	if (cscg_parallel_for(&each, b->k, m->s->threads, err) < 0)
		return -1;
	for (i = 0; i < m->f->n; i++)
		sum += m->squared[i];
	for (k = 0; k < b->k; k++) {
		sum -= m->shift[k];
		b->prior[k] = b->count[k] / total;
	}
	b->sigma2 = sum / (total * (double)b->dim);
	if (!(b->sigma2 > min_sigma2))
		b->sigma2 = min_sigma2;
	return 0;
}

static int
run_em(struct mix *m, const struct cscg_kmeans *set, struct cscg_err *err)
{
	double before = -INFINITY, now, min_sigma2 = m->book->sigma2 * 1e-9;
	double tolerance = set->tolerance > 0 ? set->tolerance : 1e-12;
	struct cscg_kmeans_progress line = { "mixture", 0, 0, NAN, NAN, 0 };

	for (line.iteration = 0;; line.iteration++) {
		if (expect(m, &now, err) < 0)
			return -1;
		line.loglik = now;
		if (set->report && set->report(set->ctx, &line, err))
			return -1;
		if (line.iteration == set->iterations ||
		    now - before <= tolerance * fabs(now))
			return 0;
		before = now;
		if (maximize(m, min_sigma2, err) < 0)
			return -1;
	}
}

int
cscg_kmeans_mixture(const struct cscg_frames *f, const struct cscg_kmeans *set,
    struct cscg_codebook *book, int *label, struct cscg_err *err)
{
	struct mix m = { .f = f, .book = book };
	int rc = -1;

	book->is_mixture = true;
	if (!(book->sigma2 > 0))
		return 0;
	if (mix_new(&m, set, err) == 0 && run_em(&m, set, err) == 0 &&
	    cscg_codebook_label(book, f, set->bytes, set->threads, label,
	    err) == 0)
		rc = cscg_kmeans_inertia(m.s, label, &book->inertia, err);
	mix_free(&m);
	return rc;
}
