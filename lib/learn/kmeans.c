/*
 * kmeans.c - k-means and isotropic Gaussian mixtures
 *
 * Each frame has an upper bound on the distance from its own centroid and a
 * lower bound for every centroid.  When centroids move, the bounds are relaxed
 * by the same distance, and distances are computed only where bounds overlap
 * (Elkan): after a few iterations only a few distances remain to be computed.
 * Bounds need little memory compared with images; for small frames they would
 * need more than the frames, and all distances are computed instead.
 *
 * Every label is that of the nearest centroid, by the rule of distance.h, with
 * or without bounds.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "learn/em.h"
#include "learn/encoder.h"
#include "learn/kmeans.h"
#include "learn/distance.h"

/* The best start so far: -1 and INFINITY if there is none. */
struct cscg_kmeans_best {
	long restart, iterations;
	double inertia;
	struct cscg_codebook *book; /* the codebook of that start */
	int *label;
};

enum { PACK = CSCG_DISTANCE_PACK };

/*
 * k-means over ranks
 *
 * Every rank has all frames.  Starts are distributed; the labels of a single
 * start are computed by all ranks, each for its part of the frames.
 */

/* A non-negative double as an integer with the same order. */
static int64_t
bits_of(double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* Serialise a start, and restore it. */
static int
kmeans_save(struct cscg_blob *b, const struct cscg_kmeans_best *best, long n,
    struct cscg_err *err)
{
	const struct cscg_codebook *book = best->book;
	size_t k = (size_t)book->k;

	cscg_blob_write_long(b, best->restart, err);
	cscg_blob_write_long(b, best->iterations, err);
	cscg_blob_write_double(b, best->inertia, err);
	cscg_blob_write_long(b, book->is_byte, err);
	cscg_blob_write_double(b, book->sigma2, err);
	cscg_blob_write(b, book->centroid,
	    k * (size_t)book->dim * sizeof *book->centroid, err);
	cscg_blob_write(b, book->prior, k * sizeof *book->prior, err);
	cscg_blob_write(b, book->count, k * sizeof *book->count, err);
	return cscg_blob_write(b, best->label, (size_t)n * sizeof *best->label,
	    err);
}

static int
kmeans_restore(struct cscg_blob *b, struct cscg_kmeans_best *best, long n,
    struct cscg_err *err)
{
	struct cscg_codebook *book = best->book;
	size_t k = (size_t)book->k;
	long is_byte;

	cscg_blob_read_long(b, 0, LONG_MAX, &best->restart, err);
	cscg_blob_read_long(b, 0, LONG_MAX, &best->iterations, err);
	cscg_blob_read_double(b, &best->inertia, err);
	cscg_blob_read_long(b, 0, 1, &is_byte, err);
	cscg_blob_read_double(b, &book->sigma2, err);
	cscg_blob_read(b, book->centroid,
	    k * (size_t)book->dim * sizeof *book->centroid, err);
	cscg_blob_read(b, book->prior, k * sizeof *book->prior, err);
	cscg_blob_read(b, book->count, k * sizeof *book->count, err);
	book->is_byte = is_byte;
	book->inertia = best->inertia;
	return cscg_blob_read(b, best->label, (size_t)n * sizeof *best->label,
	    err);
}

/*
 * All ranks call it with the best of their starts: rank 0 gets the best of
 * all, the first of equals.  rc < 0 with err filled reports a failure of this
 * rank; then all ranks fail.
 */
static int
kmeans_reduce(struct cscg_ranks *ranks, int rc, struct cscg_kmeans_best *best,
    long n, struct cscg_err *err)
{
	int size = cscg_ranks_size(ranks), rank = cscg_ranks_rank(ranks), i;
	struct cscg_blob mine = { 0 }, *all = NULL;
	int64_t lowest[2];

	if (size == 1)
		return rc;
	all = cscg_alloc((size_t)size, sizeof *all, err);
	if (cscg_ranks_agree(ranks, all ? rc : -1, 0, err) < 0) {
		free(all);
		return -1;
	}
	lowest[0] = -bits_of(best->inertia);
	cscg_ranks_max(ranks, lowest, 1);
	lowest[1] = bits_of(best->inertia) == -lowest[0] ? -best->restart :
							   INT64_MIN;
	cscg_ranks_max(ranks, lowest + 1, 1);
	rc = 0;
	if (rank && best->restart == -lowest[1])
		rc = kmeans_save(&mine, best, n, err);
	rc = cscg_ranks_agree(ranks, rc, 0, err);
	if (rc == 0)
		rc = cscg_ranks_gather(ranks, &mine, all, err);
	for (i = 1; rank == 0 && i < size && rc == 0; i++)
		if (all[i].n)
			rc = kmeans_restore(&all[i], best, n, err);
	for (i = 0; i < size; i++)
		cscg_blob_free(&all[i]);
	free(all);
	cscg_blob_free(&mine);
	return rc;
}

/*
 * Exchange labels: frames first..last-1 are labelled by this rank, and all
 * ranks get all labels.  wire has room for n.
 */
static void
kmeans_share_labels(struct cscg_ranks *ranks, int *label, long n, long first,
    long last, int64_t *exchange)
{
	long i;

	memset(exchange, 0, (size_t)n * sizeof *exchange);
	for (i = first; i < last; i++)
		exchange[i] = label[i];
	cscg_ranks_sum(ranks, exchange, (size_t)n);
	for (i = 0; i < n; i++)
		label[i] = (int)exchange[i];
}

/*
 * Initialisation: greedy k-means++
 *
 * For every frame the nearest centroid so far is known, and the distance of a
 * candidate from that centroid.  If the candidate is at least twice as far
 * from it as the frame is, the candidate cannot be nearer (triangle
 * inequality), and the frame is skipped.
 */

enum { MAX_TRIES = 40 };

struct seeding {
	struct cscg_distance *s;
	struct cscg_rng *rng;
	int tries;
	long *chosen;    /* [k] frames */
	int n;           /* number of chosen frames */
	double *nearest; /* [frames] squared distance from the nearest, */
	int *owner;      /* and the index of the nearest */
	double *mass;    /* [frames] weight * nearest */
	long drawn[MAX_TRIES];
	int n_drawn;
	double *between; /* [tries * k] between drawn and chosen frames */
	double *dist;    /* [frames * tries] */
	double *sum;     /* [packs * tries] */
	struct cscg_pool mem;
};

static int
seeding_new(struct seeding *t, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&t->mem, err);
	size_t n = (size_t)t->s->f->n, k = (size_t)t->s->k;
	size_t tries = (size_t)t->tries;

	t->chosen = cscg_pool_add(mem, k, sizeof *t->chosen);
	t->nearest = cscg_pool_add(mem, n, sizeof *t->nearest);
	t->owner = cscg_pool_add(mem, n, sizeof *t->owner);
	t->mass = cscg_pool_add(mem, n, sizeof *t->mass);
	t->between = cscg_pool_add(mem, tries * k, sizeof *t->between);
	t->dist = cscg_pool_add(mem, n * tries, sizeof *t->dist);
	t->sum = cscg_pool_add(mem, (n / PACK + 1) * tries, sizeof *t->sum);
	return mem->failed ? -1 : 0;
}

/*
 * Draw a frame in proportion to its mass; rounding never selects one without
 * mass.
 */
static long
draw(struct seeding *t)
{
	double total = 0, r, so_far = 0;
	long i, last = 0;

	for (i = 0; i < t->s->f->n; i++)
		total += t->mass[i];
	r = cscg_rng_uniform(t->rng) * total;
	for (i = 0; i < t->s->f->n; i++) {
		if (t->mass[i] <= 0)
			continue;
		last = i;
		so_far += t->mass[i];
		if (so_far > r)
			break;
	}
	return last;
}

/* Distances and masses of the frames of a pack for each candidate. */
static void
try_pack(void *ctx, long pack, void *mine)
{
	struct seeding *t = ctx;
	const struct cscg_frames *f = t->s->f;
	int n_drawn = t->n_drawn, n = 0, c, k;
	double out[PACK * MAX_TRIES], d, *sum = t->sum + pack * n_drawn;
	long frame[PACK], i, end = (pack + 1) * PACK;

	if (end > f->n)
		end = f->n;
	for (i = pack * PACK; i < end; i++)
		for (c = 0; c < n_drawn; c++) {
			t->dist[i * n_drawn + c] = t->nearest[i];
			if (t->n &&
			    t->between[c * t->n + t->owner[i]] >=
				4 * t->nearest[i])
				continue;
			if (!n || frame[n - 1] != i)
				frame[n++] = i;
		}
	if (n)
		t->s->ops->between(t->s, frame, n, t->drawn, n_drawn, out,
		    mine);
	for (k = 0; k < n; k++)
		for (c = 0; c < n_drawn; c++) {
			d = out[k * n_drawn + c];
			if (d < t->nearest[frame[k]])
				t->dist[frame[k] * n_drawn + c] = d;
		}
	for (c = 0; c < n_drawn; c++) {
		sum[c] = 0;
		for (i = pack * PACK; i < end; i++)
			sum[c] += (double)f->weight[i] *
			    t->dist[i * n_drawn + c];
	}
}

static void *
scratch_new(void *ctx, struct cscg_err *err)
{
	const struct seeding *t = ctx;

	return t->s->ops->scratch(t->s, err);
}

static void
scratch_free(void *mine)
{
	cscg_distance_scratch_free(mine);
}

/*
 * All packs; returns the candidate with the least remaining mass, or -1
 * (ENOMEM).
 */
static int
try_all(struct seeding *t, struct cscg_err *err)
{
	struct cscg_parallel each = { .body = try_pack,
		.thread_new = scratch_new,
		.thread_free = scratch_free,
		.ctx = t };
	long pack, packs = (t->s->f->n + PACK - 1) / PACK;
	double least = INFINITY, sum;
	int c, best = 0;

	if (cscg_parallel_for(&each, packs, t->s->threads, err) < 0)
		return -1;
	for (c = 0; c < t->n_drawn; c++) {
		sum = 0;
		for (pack = 0; pack < packs; pack++)
			sum += t->sum[pack * t->n_drawn + c];
		if (sum < least) {
			least = sum;
			best = c;
		}
	}
	return best;
}

/* Accept the best candidate as a centroid. */
static int
add_centre(struct seeding *t, struct cscg_err *err)
{
	const struct cscg_frames *f = t->s->f;
	int best = try_all(t, err);
	double d;
	long i;

	if (best < 0)
		return -1;
	for (i = 0; i < f->n; i++) {
		d = t->dist[i * t->n_drawn + best];
		if (d < t->nearest[i] || t->n == 0) {
			t->nearest[i] = d;
			t->owner[i] = t->n;
		}
		t->mass[i] = (double)f->weight[i] * t->nearest[i];
	}
	t->chosen[t->n++] = t->drawn[best];
	return 0;
}

/* The first centroid is drawn in proportion to weight. */
static int
first_centre(struct seeding *t, struct cscg_err *err)
{
	const struct cscg_frames *f = t->s->f;
	long i;

	for (i = 0; i < f->n; i++) {
		t->nearest[i] = INFINITY;
		t->mass[i] = (double)f->weight[i];
	}
	t->drawn[0] = draw(t);
	t->n_drawn = 1;
	return add_centre(t, err);
}

static int
seed_all(struct seeding *t, struct cscg_distance_scratch *scratch,
    struct cscg_err *err)
{
	int c;

	if (first_centre(t, err) < 0)
		return -1;
	t->n_drawn = t->tries;
	while (t->n < t->s->k) {
		for (c = 0; c < t->tries; c++)
			t->drawn[c] = draw(t);
		t->s->ops->between(t->s, t->drawn, t->tries, t->chosen, t->n,
		    t->between, scratch);
		if (add_centre(t, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Place the centroids of s on frames by greedy k-means++: each is the best of
 * 2 + log k frames drawn in proportion to weight * squared distance from the
 * centroids before.  At least k frames have weight.  0, or -1 (ENOMEM).
 */
static int
kmeans_seed(struct cscg_distance *s, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct seeding t = { .s = s, .rng = rng };
	struct cscg_distance_scratch *scratch = s->ops->scratch(s, err);
	double *c = cscg_alloc((size_t)s->f->dim, sizeof *c, err);
	int rc = -1, k;

	t.tries = 2 + (int)log((double)s->k);
	if (scratch && c && seeding_new(&t, err) == 0)
		rc = seed_all(&t, scratch, err);
	for (k = 0; k < s->k && rc == 0; k++) {
		cscg_frames_get(s->f, t.chosen[k], c);
		s->ops->set(s, k, c);
	}
	cscg_distance_scratch_free(scratch);
	cscg_pool_free(&t.mem);
	free(c);
	return rc;
}

/* ---- Lloyd's algorithm ---- */

struct lloyd {
	struct cscg_distance *s;
	const struct cscg_kmeans *set;
	int k;
	int *label, *next; /* [n] current and next */
	double *upper;     /* [n] */
	float *lower;      /* [n * k], or NULL: no bounds */
	double *shift;     /* [k] of the last update, */
	float *shift_up;   /* and rounded up */
	int *all;          /* [k] 0, 1, 2, ... */
	long *moved;       /* [n] frames, */
	int *from;         /* and their former centroids */
	long n_moved;
	long *used;               /* [k] frames with weight */
	bool first;               /* there are no labels yet */
	struct cscg_ranks *ranks; /* ranks that share the labelling, or NULL */
	long from_pack, to_pack;  /* this rank's share */
	int64_t *exchange;        /* [n] */
	bool rank_failed;         /* a rank has failed, and all ranks have been
	                             informed */
	struct cscg_pool mem;
};

/* Scratch of one thread. */
struct label_scratch {
	struct cscg_pool mem; /* the arrays */
	struct cscg_distance_scratch *scratch;
	double *low, *high; /* [PACK * k] */
	int *cand;          /* [k] */
};

static void
label_scratch_free(void *mine)
{
	struct label_scratch *h = mine;

	if (!h)
		return;
	cscg_distance_scratch_free(h->scratch);
	cscg_pool_free(&h->mem);
	free(h);
}

static void *
label_scratch_new(void *ctx, struct cscg_err *err)
{
	const struct lloyd *t = ctx;
	size_t k = (size_t)t->k;
	struct label_scratch *h = cscg_alloc(1, sizeof *h, err);

	if (!h)
		return NULL;
	h->mem.err = err;
	h->scratch = t->s->ops->scratch(t->s, err);
	h->low = cscg_pool_add(&h->mem, PACK * k, sizeof *h->low);
	h->high = cscg_pool_add(&h->mem, PACK * k, sizeof *h->high);
	h->cand = cscg_pool_add(&h->mem, k, sizeof *h->cand);
	if (h->scratch && !h->mem.failed)
		return h;
	label_scratch_free(h);
	return NULL;
}

/* ---- labels ---- */

static float
below(double v)
{
	return v > 0 ? (float)(v * (1 - 2e-7)) : 0;
}

/* Set the bounds of frame i from the result of nearest(). */
static void
set_bounds(struct lloyd *t, long i, const int *cand, int nc, int best,
    const double *low, const double *high)
{
	int c;

	t->next[i] = best;
	for (c = 0; c < nc; c++) {
		if (cand[c] == best)
			t->upper[i] = high[c];
		if (t->lower)
			t->lower[i * t->k + cand[c]] = below(low[c]);
	}
}

/* The nearest of all centres for n frames at once. */
static void
label_by_all(struct lloyd *t, const long *frame, int n,
    struct label_scratch *h)
{
	int best[PACK], i;

	t->s->ops->nearest(t->s, frame, n, t->all, t->k, best, h->low, h->high,
	    h->scratch);
	for (i = 0; i < n; i++)
		set_bounds(t, frame[i], t->all, t->k, best[i],
		    h->low + (size_t)i * t->k, h->high + (size_t)i * t->k);
}

/* Centroids that may be as near to frame i as its own, which is included. */
static int
candidates(const struct lloyd *t, long i, int *cand)
{
	const float *lower = t->lower + i * t->k;
	int k, n = 0;

	for (k = 0; k < t->k; k++)
		if (k == t->label[i] || lower[k] <= t->upper[i])
			cand[n++] = k;
	return n;
}

/* The nearest centroid of one frame, among those that the bounds allow. */
static void
label_by_bounds(struct lloyd *t, long i, struct label_scratch *h)
{
	int best, nc;

	h->cand[0] = t->label[i];
	t->s->ops->nearest(t->s, &i, 1, h->cand, 1, &best, h->low, h->high,
	    h->scratch);
	set_bounds(t, i, h->cand, 1, best, h->low, h->high);
	nc = candidates(t, i, h->cand);
	if (nc == 1)
		return;
	t->s->ops->nearest(t->s, &i, 1, h->cand, nc, &best, h->low, h->high,
	    h->scratch);
	set_bounds(t, i, h->cand, nc, best, h->low, h->high);
}

/* Relax the bounds after centroids have moved. */
static void
relax_bounds(struct lloyd *t, long i)
{
	float *lower = t->lower + i * t->k, v;
	int k;

	t->upper[i] = (t->upper[i] + t->shift[t->label[i]]) * (1 + 1e-15);
	for (k = 0; k < t->k; k++) {
		/* Subtract the possible rounding error. */
		v = (lower[k] - t->shift_up[k]) * (1 - 0x1p-22f);
		lower[k] = v > 0 ? v : 0;
	}
}

static void
label_pack(void *ctx, long pack, void *mine)
{
	struct lloyd *t = ctx;
	struct label_scratch *h = mine;
	bool fresh = t->first || !t->lower;
	long frame[PACK], i, end, total = 0;
	int n = 0, j, nc;

	pack += t->from_pack;
	end = (pack + 1) * PACK;
	if (end > t->s->f->n)
		end = t->s->f->n;
	for (i = pack * PACK; i < end; i++) {
		if (fresh) {
			frame[n++] = i;
			continue;
		}
		relax_bounds(t, i);
		t->next[i] = t->label[i];
		nc = candidates(t, i, h->cand);
		total += nc;
		if (nc > 1)
			frame[n++] = i;
	}
	if (!n)
		return;
	/* Processing many frames at once is several times faster. */
	if (fresh || total > (long)n * t->k / 3)
		label_by_all(t, frame, n, h);
	else
		for (j = 0; j < n; j++)
			label_by_bounds(t, frame[j], h);
}

static int
label_all(struct lloyd *t, bool first, struct cscg_err *err)
{
	struct cscg_parallel each = { .body = label_pack,
		.thread_new = label_scratch_new,
		.thread_free = label_scratch_free,
		.ctx = t };
	long n = t->s->f->n, to = t->to_pack * PACK;
	int k, rc;

	t->first = first;
	for (k = 0; k < t->k; k++)
		t->shift_up[k] = (float)(t->shift[k] * (1 + 2e-7));
	rc = cscg_parallel_for(&each, t->to_pack - t->from_pack, t->s->threads,
	    err);
	if (!t->ranks)
		return rc;
	/* A failure since the last exchange is reported here. */
	if (cscg_ranks_agree(t->ranks, rc, 0, err) < 0) {
		t->rank_failed = true;
		return -1;
	}
	kmeans_share_labels(t->ranks, t->next, n, t->from_pack * PACK,
	    to < n ? to : n, t->exchange);
	return 0;
}

/* ---- centroids without frames ---- */

/*
 * The frame with the largest cost, among those not alone with their centroid.
 */
static int
costliest_frame(const struct lloyd *t, struct cscg_distance_scratch *scratch,
    long *frame)
{
	const struct cscg_frames *f = t->s->f;
	double d, most = -1;
	long i;

	for (i = 0; i < f->n; i++) {
		if (!f->weight[i] || t->used[t->next[i]] < 2)
			continue;
		t->s->ops->squares(t->s, &i, 1, &t->next[i], 1, &d, scratch);
		if ((double)f->weight[i] * d > most) {
			most = (double)f->weight[i] * d;
			*frame = i;
		}
	}
	return most >= 0;
}

static int
fill_empty(struct lloyd *t, struct cscg_err *err)
{
	const struct cscg_frames *f = t->s->f;
	struct cscg_distance_scratch *scratch = NULL;
	long i;
	int k;

	memset(t->used, 0, (size_t)t->k * sizeof *t->used);
	for (i = 0; i < f->n; i++)
		t->used[t->next[i]] += f->weight[i] > 0;
	for (k = 0; k < t->k; k++) {
		if (t->used[k])
			continue;
		if (!scratch)
			scratch = t->s->ops->scratch(t->s, err);
		if (!scratch)
			return -1;
		if (!costliest_frame(t, scratch, &i))
			break;
		t->used[t->next[i]]--;
		t->used[k]++;
		t->next[i] = k;
		t->upper[i] = INFINITY; /* no bound is known */
	}
	cscg_distance_scratch_free(scratch);
	return 0;
}

/* ---- one start ---- */

/* Accept the next labels; list the changes. */
static void
take_labels(struct lloyd *t, bool first)
{
	long i;

	t->n_moved = 0;
	for (i = 0; i < t->s->f->n; i++) {
		if (!first && t->next[i] == t->label[i])
			continue;
		t->from[t->n_moved] = first ? -1 : t->label[i];
		t->moved[t->n_moved++] = i;
		t->label[i] = t->next[i];
	}
}

static int
report(const struct lloyd *t, const char *stage, long restart, long iteration,
    double inertia, struct cscg_err *err)
{
	struct cscg_kmeans_progress line = { stage, restart, iteration,
		inertia, NAN, t->n_moved };

	return t->set->report ? t->set->report(t->set->ctx, &line, err) : 0;
}

/* sum_i weight * squared distance of frame i from the centre label[i]. */
static int
kmeans_inertia(const struct cscg_distance *s, const int *label,
    double *inertia, struct cscg_err *err)
{
	struct cscg_distance_scratch *scratch = s->ops->scratch(s, err);
	double d, sum = 0;
	long i;

	if (!scratch)
		return -1;
	for (i = 0; i < s->f->n; i++) {
		s->ops->squares(s, &i, 1, &label[i], 1, &d, scratch);
		sum += (double)s->f->weight[i] * d;
	}
	cscg_distance_scratch_free(scratch);
	*inertia = sum;
	return 0;
}

/*
 * Lloyd iterations from the current centroids.  At the end every label is that
 * of the nearest centroid, even if the iteration limit was reached.
 */
static int
run_lloyd(struct lloyd *t, long restart, double *inertia, long *iterations,
    struct cscg_err *err)
{
	double before = INFINITY, now;
	long iteration = 0;
	bool converged = false;

	for (;;) {
		if (label_all(t, iteration == 0, err) < 0)
			return -1;
		if (iteration == t->set->iterations || converged)
			break;
		if (fill_empty(t, err) < 0)
			return -1;
		take_labels(t, iteration == 0);
		if (!t->n_moved)
			break;
		t->s->ops->update(t->s, t->label, t->moved, t->from,
		    t->n_moved, t->shift);
		iteration++;
		now = t->s->ops->cost(t->s, t->label);
		if (report(t, "lloyd", restart, iteration, now, err))
			return -1;
		converged = t->set->tolerance > 0 && iteration > 1 &&
		    before - now <= t->set->tolerance * before;
		before = now;
	}
	take_labels(t, false);
	if (kmeans_inertia(t->s, t->label, inertia, err) < 0)
		return -1;
	*iterations = iteration;
	return report(t, "restart", restart, iteration, *inertia, err);
}

static void
lloyd_free(struct lloyd *t)
{
	cscg_distance_free(t->s);
	free(t->label);
	cscg_pool_free(&t->mem);
}

/* The frames of this rank, if ranks share the labelling. */
static int
share_frames(struct lloyd *t, struct cscg_ranks *ranks, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&t->mem, err);
	long packs = (t->s->f->n + PACK - 1) / PACK;
	int size = cscg_ranks_size(ranks), rank = cscg_ranks_rank(ranks);

	t->to_pack = packs;
	if (size == 1)
		return 0;
	t->ranks = ranks;
	t->from_pack = packs * rank / size;
	t->to_pack = packs * (rank + 1) / size;
	t->exchange = cscg_pool_add(mem, (size_t)t->s->f->n,
	    sizeof *t->exchange);
	return t->exchange ? 0 : -1;
}

static int
lloyd_new(struct lloyd *t, const struct cscg_frames *f,
    const struct cscg_kmeans *set, bool shared, struct cscg_err *err)
{
	struct cscg_pool *mem = &t->mem;
	size_t n = (size_t)f->n, k = (size_t)set->k, i;

	*t = (struct lloyd){ .set = set, .k = set->k, .mem.err = err };
	t->s = cscg_distance_new(f, set->k, set->init, set->bytes,
	    set->threads, err);
	t->label = cscg_alloc(n, sizeof *t->label, err);
	t->next = cscg_pool_add(mem, n, sizeof *t->next);
	t->upper = cscg_pool_add(mem, n, sizeof *t->upper);
	t->shift = cscg_pool_add(mem, k, sizeof *t->shift);
	t->shift_up = cscg_pool_add(mem, k, sizeof *t->shift_up);
	t->all = cscg_pool_add(mem, k, sizeof *t->all);
	t->moved = cscg_pool_add(mem, n, sizeof *t->moved);
	t->from = cscg_pool_add(mem, n, sizeof *t->from);
	t->used = cscg_pool_add(mem, k, sizeof *t->used);
	if (!t->s || !t->label || mem->failed)
		return -1;
	if (share_frames(t, shared ? set->ranks : NULL, err) < 0)
		return -1;
	for (i = 0; i < k; i++)
		t->all[i] = (int)i;
	if (set->all || k * sizeof *t->lower > f->size)
		return 0;
	t->lower = cscg_pool_add(mem, n * k, sizeof *t->lower);
	return t->lower ? 0 : -1;
}

/* Centroids, counts and priors from the distance object and the labels. */
static void
fill_book(struct cscg_codebook *book, const struct cscg_distance *s,
    const int *label, double inertia)
{
	const struct cscg_frames *f = s->f;
	double total = (double)cscg_frames_total_weight(f);
	long i;
	int k;

	for (k = 0; k < s->k; k++) {
		s->ops->get(s, k, book->centroid + k * f->dim);
		book->count[k] = 0;
	}
	for (i = 0; i < f->n; i++)
		book->count[label[i]] += (double)f->weight[i];
	for (k = 0; k < s->k; k++)
		book->prior[k] = book->count[k] / total;
	book->is_byte = s->is_byte;
	book->inertia = inertia;
	book->sigma2 = inertia / (total * (double)f->dim);
}

/* One start; replaces *best if its inertia is lower. */
static int
one_start(const struct cscg_frames *f, const struct cscg_kmeans *set,
    long restart, bool shared, struct cscg_kmeans_best *best,
    struct cscg_err *err)
{
	struct cscg_rng rng;
	struct lloyd t = { 0 };
	double inertia = 0;
	long iterations = 0;
	/* A new distance object: sums begin at 0. */
	int rc = lloyd_new(&t, f, set, shared, err);

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_KMEANS, (uint64_t)restart, 0);
	if (rc == 0 && !set->init)
		rc = kmeans_seed(t.s, &rng, err);
	if (rc == 0)
		rc = run_lloyd(&t, restart, &inertia, &iterations, err);
	/* Other ranks check for failures while labelling frames, or here. */
	if (shared && !t.rank_failed)
		rc = cscg_ranks_agree(set->ranks, rc, 0, err);
	if (rc == 0 && (inertia < best->inertia || best->restart < 0)) {
		best->restart = restart;
		best->iterations = iterations;
		best->inertia = inertia;
		fill_book(best->book, t.s, t.label, inertia);
		memcpy(best->label, t.label, (size_t)f->n * sizeof *t.label);
	}
	lloyd_free(&t);
	return rc;
}

/*
 * The state in a checkpoint: the best start so far, and the number of starts
 * done.
 */
static int
restore_starts(const struct cscg_frames *f, const struct cscg_kmeans *set,
    struct cscg_kmeans_best *best, long *done, struct cscg_err *err)
{
	struct cscg_blob *b = cscg_checkpoint_get(set->save, "starts");

	if (!b)
		return 0;
	cscg_blob_read_long(b, 1, set->restarts, done, err);
	if (kmeans_restore(b, best, f->n, err) < 0)
		return cscg_fail_at(err, "checkpoint");
	return 0;
}

static int
checkpoint_starts(const struct cscg_frames *f, const struct cscg_kmeans *set,
    const struct cscg_kmeans_best *best, long done, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc;

	if (!set->save)
		return 0;
	cscg_blob_write_long(&b, done, err);
	rc = kmeans_save(&b, best, f->n, err) < 0 ||
		cscg_checkpoint_take(set->save, "starts", &b, err) < 0 ?
	    -1 :
	    cscg_checkpoint_save(set->save, err);
	cscg_blob_free(&b);
	return rc;
}

/*
 * All starts.  Each rank takes one per round, and after every round rank 0 has
 * the best; a round of a single start is shared by all ranks.
 */
static int
all_starts(const struct cscg_frames *f, const struct cscg_kmeans *set,
    struct cscg_kmeans_best *best, struct cscg_err *err)
{
	int size = cscg_ranks_size(set->ranks);
	int rank = cscg_ranks_rank(set->ranks), rc;
	long n = set->init ? 1 : set->restarts, done = 0, some;

	rc = best->book ? 0 : -1;
	if (rc == 0 && rank == 0)
		rc = restore_starts(f, set, best, &done, err);
	rc = cscg_ranks_agree(set->ranks, rc, 0, err);
	cscg_ranks_bcast(set->ranks, &done, sizeof done);
	for (; done < n && rc == 0; done += some) {
		some = n - done < size ? n - done : size;
		if (some == 1)
			rc = one_start(f, set, done, size > 1, best, err);
		else if (rank < some)
			rc = one_start(f, set, done + rank, false, best, err);
		rc = kmeans_reduce(set->ranks, rc, best, f->n, err);
		if (rc == 0 && rank == 0)
			rc = checkpoint_starts(f, set, best, done + some, err);
		rc = cscg_ranks_agree(set->ranks, rc, 0, err);
	}
	return rc;
}

struct cscg_codebook *
cscg_kmeans(const struct cscg_frames *f, const struct cscg_kmeans *set,
    int *label, struct cscg_err *err)
{
	struct cscg_kmeans_best best = {
		.restart = -1, .inertia = INFINITY, .label = label
	};

	if (cscg_frames_n_used(f) < set->k) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "%d centroids are requested, but there are only %ld "
		    "different frames",
		    set->k, cscg_frames_n_used(f));
		return NULL;
	}
	best.book = cscg_codebook_new(f, set->k, err);
	if (all_starts(f, set, &best, err) == 0)
		return best.book;
	cscg_codebook_free(best.book);
	return NULL;
}

/*
 * EM for a Gaussian mixture with one variance
 *
 * With thousands of pixels nearly every frame belongs to one centroid alone,
 * and responsibilities below 2^-60 are dropped, so the M-step costs as much as
 * that of k-means.  The sums of each centroid are taken in the order of frames
 * by one thread.
 */

struct mix {
	const struct cscg_frames *f;
	struct cscg_codebook *book;
	struct cscg_distance *s;
	int *all;               /* [k] 0, 1, 2, ... */
	double *responsibility; /* [n * k] weight * responsibility */
	double *loglik;         /* [n] log-likelihood, */
	double *squared;        /* [n] and squared distance, both weighted */
	double *shift;          /* [k] mass * squared shift */
	double *new_one;        /* [k * dim] */
	double min_sigma2;
	const struct cscg_kmeans *set;
	struct cscg_err *err; /* of the report, ... */
	bool failed;          /* ... if it failed */
	struct cscg_pool mem;
};

static void
mix_free(struct mix *m)
{
	cscg_distance_free(m->s);
	cscg_pool_free(&m->mem);
}

static int
mix_new(struct mix *m, const struct cscg_kmeans *set, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&m->mem, err);
	size_t n = (size_t)m->f->n, k = (size_t)m->book->k, i;

	m->s = cscg_distance_new(m->f, m->book->k, m->book->centroid,
	    set->bytes, set->threads, err);
	m->all = cscg_pool_add(mem, k, sizeof *m->all);
	m->responsibility = cscg_pool_add(mem, n * k,
	    sizeof *m->responsibility);
	m->loglik = cscg_pool_add(mem, n, sizeof *m->loglik);
	m->squared = cscg_pool_add(mem, n, sizeof *m->squared);
	m->shift = cscg_pool_add(mem, k, sizeof *m->shift);
	m->new_one = cscg_pool_add(mem, k * (size_t)m->f->dim,
	    sizeof *m->new_one);
	if (!m->s || mem->failed)
		return -1;
	for (i = 0; i < k; i++)
		m->all[i] = (int)i;
	return 0;
}

/* Responsibilities of frame i, given its squared distances. */
static void
responsibilities(struct mix *m, long i, const double *square)
{
	const struct cscg_codebook *b = m->book;
	double *share = m->responsibility + i * b->k, most = -INFINITY,
	       sum = 0;
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
	m->loglik[i] = w *
	    (most + log(sum) -
		0.5 * (double)b->dim * log(2 * M_PI * b->sigma2));
	m->squared[i] = spread;
}

/* Scratch of one thread, for the E-step and for the M-step. */
struct mix_scratch {
	struct cscg_pool mem; /* the arrays */
	struct cscg_distance_scratch *scratch;
	double *square; /* [PACK * k] */
	double *x;      /* [dim] */
};

static void
mix_scratch_free(void *mine)
{
	struct mix_scratch *h = mine;

	if (!h)
		return;
	cscg_distance_scratch_free(h->scratch);
	cscg_pool_free(&h->mem);
	free(h);
}

static void *
mix_scratch_new(void *ctx, struct cscg_err *err)
{
	const struct mix *m = ctx;
	struct mix_scratch *h = cscg_alloc(1, sizeof *h, err);

	if (!h)
		return NULL;
	h->mem.err = err;
	h->scratch = m->s->ops->scratch(m->s, err);
	h->square = cscg_pool_add(&h->mem, PACK * (size_t)m->book->k,
	    sizeof *h->square);
	h->x = cscg_pool_add(&h->mem, (size_t)m->book->dim, sizeof *h->x);
	if (h->scratch && !h->mem.failed)
		return h;
	mix_scratch_free(h);
	return NULL;
}

static void
expect_pack(void *ctx, long pack, void *mine)
{
	struct mix *m = ctx;
	struct mix_scratch *h = mine;
	long frame[PACK], i = pack * PACK;
	int n;

	for (n = 0; n < PACK && i + n < m->f->n; n++)
		frame[n] = i + n;
	m->s->ops->squares(m->s, frame, n, m->all, m->book->k, h->square,
	    h->scratch);
	while (n-- > 0)
		responsibilities(m, frame[n],
		    h->square + (size_t)n * m->book->k);
}

/* The E-step, and its log-likelihood. */
static int
expect(struct mix *m, double *loglik, struct cscg_err *err)
{
	struct cscg_parallel each = { .body = expect_pack,
		.thread_new = mix_scratch_new,
		.thread_free = mix_scratch_free,
		.ctx = m };
	long i;

	if (cscg_parallel_for(&each, (m->f->n + PACK - 1) / PACK,
		m->s->threads, err) < 0)
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
	double *new_one = m->new_one + k * f->dim, mass = 0, r;
	long i, j;

	memset(new_one, 0, (size_t)f->dim * sizeof *new_one);
	for (i = 0; i < f->n; i++) {
		r = m->responsibility[i * m->book->k + k];
		if (r == 0)
			continue;
		mass += r;
		cscg_frames_get(f, i, x);
		for (j = 0; j < f->dim; j++)
			new_one[j] += r * x[j];
	}
	for (j = 0; j < f->dim && mass > 0; j++)
		new_one[j] /= mass;
	return mass;
}

/* Move centroid k to its mean. */
static void
move_centroid(void *ctx, long k, void *mine)
{
	struct mix *m = ctx;
	struct mix_scratch *h = mine;
	struct cscg_codebook *b = m->book;
	double *at = b->centroid + k * b->dim,
	       *new_one = m->new_one + k * b->dim, d;
	long j;

	m->shift[k] = 0;
	b->count[k] = mean(m, (int)k, h->x);
	if (b->count[k] <= 0)
		return;
	m->s->ops->set(m->s, (int)k, new_one);
	m->s->ops->get(m->s, (int)k, new_one);
	for (j = 0; j < b->dim; j++) {
		d = new_one[j] - at[j];
		m->shift[k] += d * d;
	}
	m->shift[k] *= b->count[k];
	memcpy(at, new_one, (size_t)b->dim * sizeof *at);
}

/*
 * The M-step.  About the new means, the squares are less by mass * shift^2
 * than about the old, so the variance needs no further pass.
 */
static int
maximize(void *ctx, struct cscg_err *err)
{
	struct mix *m = ctx;
	struct cscg_parallel each = { .body = move_centroid,
		.thread_new = mix_scratch_new,
		.thread_free = mix_scratch_free,
		.ctx = m };
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
	if (!(b->sigma2 > m->min_sigma2))
		b->sigma2 = m->min_sigma2;
	return 0;
}

static int
expect_mixture(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	(void)update;
	if (expect(ctx, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik;
	return 0;
}

/* Report a line; the failure of the report ends EM. */
static int
report_mixture(void *ctx, const struct cscg_em_progress *line)
{
	struct mix *m = ctx;
	const struct cscg_kmeans_progress to = { "mixture", 0, line->iteration,
		NAN, line->loglik, 0 };

	m->failed = m->set->report &&
	    m->set->report(m->set->ctx, &to, m->err) != 0;
	return m->failed;
}

static int
run_em(struct mix *m, struct cscg_err *err)
{
	const struct cscg_kmeans *set = m->set;
	/*
	 * Centroids are rounded, and the variance is a difference, so that the
	 * log-likelihood may fall.
	 */
	const struct cscg_em_problem problem = { .expect = expect_mixture,
		.maximise = maximize,
		.ctx = m,
		.slack_per_step = INFINITY,
		.steps = cscg_frames_total_weight(m->f),
		.impossible = "the mixture cannot produce the frames" };
	const struct cscg_em em = { .iterations = set->iterations,
		.tolerance = set->tolerance > 0 ? set->tolerance : 1e-12,
		.report = report_mixture,
		.ctx = m };
	struct cscg_em_progress last;

	m->min_sigma2 = m->book->sigma2 * 1e-9;
	m->err = err;
	if (cscg_em(&problem, &em, &last, err) < 0)
		return -1;
	return m->failed ? -1 : 0;
}

int
cscg_kmeans_mixture(const struct cscg_frames *f, const struct cscg_kmeans *set,
    struct cscg_codebook *book, int *label, struct cscg_err *err)
{
	struct mix m = { .f = f, .book = book, .set = set };
	int rc = -1;

	book->is_mixture = true;
	if (!(book->sigma2 > 0))
		return 0;
	if (mix_new(&m, set, err) == 0 && run_em(&m, err) == 0 &&
	    cscg_codebook_label(book, f, set->bytes, set->threads, label,
		err) == 0)
		rc = kmeans_inertia(m.s, label, &book->inertia, err);
	mix_free(&m);
	return rc;
}
