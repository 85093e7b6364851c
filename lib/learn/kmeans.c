/*
 * kmeans.c - k-means: Lloyd's iterations
 *
 * A frame keeps a limit above its distance from its own centre and, for every
 * centre, one below.  When centres move the limits give way by as much, and
 * only where they overlap is anything computed (Elkan): after a few iterations
 * that is a few distances of a few frames.  The limits are a few bytes beside
 * the thousands of a picture.  Where frames are small, limits would be larger
 * than they, and computing all distances is cheap.
 *
 * Every label is that of the nearest centre, by the rule of space.h, whether
 * limits were used or not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "learn/kmeans_ranks.h"
#include "base/mem.h"
#include "learn/space.h"

enum { PACK = CSCG_DISTANCE_PACK };

struct lloyd {
	struct cscg_distance *s;
	const struct cscg_kmeans *set;
	int k;
	int *label, *next;	/* [n] as it is, and as it will be */
	double *upper;		/* [n] */
	float *lower;		/* [n * k], or NULL: no limits */
	double *shift;		/* [k] of the last update, */
	float *shift_up;		/* and rounded up */
	int *all;		/* [k] 0, 1, 2, ... */
	long *moved;		/* [n] frames, */
	int *from;		/* and where they were */
	long n_moved;
	long *used;		/* [k] frames with weight */
	bool first;		/* there are no labels yet */
	struct cscg_ranks *ranks;	/* who label frames together, or NULL */
	long from_pack, to_pack;	/* this rank's share */
	int64_t *exchange;		/* [n] */
	bool rank_failed;		/* a rank has failed, and all know */
};

/* What a thread needs. */
struct label_scratch {
	struct cscg_distance_scratch *scratch;
	double *low, *high;	/* [PACK * k] */
	int *cand;		/* [k] */
};

static void
label_scratch_free(void *mine)
{
	struct label_scratch *h = mine;

	if (!h)
		return;
	cscg_distance_scratch_free(h->scratch);
	free(h->low);
	free(h->high);
	free(h->cand);
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
	h->scratch = t->s->ops->scratch(t->s, err);
	h->low = cscg_alloc(PACK * k, sizeof *h->low, err);
	h->high = cscg_alloc(PACK * k, sizeof *h->high, err);
	h->cand = cscg_alloc(k, sizeof *h->cand, err);
	if (h->scratch && h->low && h->high && h->cand)
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

/* What nearest() said about frame i. */
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
label_by_all(struct lloyd *t, const long *frame, int n, struct label_scratch *h)
{
	int best[PACK], i;

	t->s->ops->nearest(t->s, frame, n, t->all, t->k, best, h->low,
	    h->high, h->scratch);
	for (i = 0; i < n; i++)
		set_bounds(t, frame[i], t->all, t->k, best[i], h->low +
		    (size_t)i * t->k, h->high + (size_t)i * t->k);
}

/* Centres that may be as near to frame i as its own, which is among them. */
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

/* The nearest for one frame, of as few as will do. */
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

/* Centres have moved: limits give way. */
static void
relax_bounds(struct lloyd *t, long i)
{
	float *lower = t->lower + i * t->k, v;
	int k;

	t->upper[i] = (t->upper[i] + t->shift[t->label[i]]) * (1 + 1e-15);
	for (k = 0; k < t->k; k++) {
		/* Less what rounding may have added. */
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
	/* Many frames at once are several times as quick. */
	if (fresh || total > (long)n * t->k / 3)
		label_by_all(t, frame, n, h);
	else
		for (j = 0; j < n; j++)
			label_by_bounds(t, frame[j], h);
}

static int
label_all(struct lloyd *t, bool first, struct cscg_err *err)
{
	struct cscg_parallel each = { label_pack, label_scratch_new, label_scratch_free, t };
	long n = t->s->f->n, to = t->to_pack * PACK;
	int k, rc;

	t->first = first;
	for (k = 0; k < t->k; k++)
		t->shift_up[k] = (float)(t->shift[k] * (1 + 2e-7));
	rc = cscg_parallel_for(&each, t->to_pack - t->from_pack, t->s->threads, err);
	if (!t->ranks)
		return rc;
	/* Who has failed since the last time says so here. */
	if (cscg_ranks_agree(t->ranks, rc, 0, err) < 0) {
		t->rank_failed = true;
		return -1;
	}
	cscg_kmeans_share_labels(t->ranks, t->next, n, t->from_pack * PACK,
	    to < n ? to : n, t->exchange);
	return 0;
}

/* ---- centres that nobody is nearest to ---- */

/* The frame that costs most, of those not alone with their centre. */
static int
costliest_frame(const struct lloyd *t, struct cscg_distance_scratch *scratch, long *frame)
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
		t->upper[i] = INFINITY;	/* nothing is known of this one */
	}
	cscg_distance_scratch_free(scratch);
	return 0;
}

/* ---- one start ---- */

/* Labels become what they will be; which have changed. */
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
	struct cscg_kmeans_progress line = { stage, restart, iteration, inertia,
	    NAN, t->n_moved };

	return t->set->report ? t->set->report(t->set->ctx, &line, err) : 0;
}

int
cscg_kmeans_inertia(const struct cscg_distance *s, const int *label,
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
 * From where the centres are.  At the end every label is that of the nearest
 * centre, also if the iterations were too few.
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
		converged = t->set->tolerance > 0 && before - now <=
		    t->set->tolerance * before;
		before = now;
	}
	take_labels(t, false);
	if (cscg_kmeans_inertia(t->s, t->label, inertia, err) < 0)
		return -1;
	*iterations = iteration;
	return report(t, "restart", restart, iteration, *inertia, err);
}

static void
lloyd_free(struct lloyd *t)
{
	cscg_distance_free(t->s);
	free(t->label);
	free(t->next);
	free(t->upper);
	free(t->lower);
	free(t->shift);
	free(t->shift_up);
	free(t->all);
	free(t->moved);
	free(t->from);
	free(t->used);
	free(t->exchange);
}

/* The frames of this rank, if several look at them together. */
static int
share_frames(struct lloyd *t, struct cscg_ranks *ranks, struct cscg_err *err)
{
	long packs = (t->s->f->n + PACK - 1) / PACK;
	int size = cscg_ranks_size(ranks), rank = cscg_ranks_rank(ranks);

	t->to_pack = packs;
	if (size == 1)
		return 0;
	t->ranks = ranks;
	t->from_pack = packs * rank / size;
	t->to_pack = packs * (rank + 1) / size;
	t->exchange = cscg_alloc((size_t)t->s->f->n, sizeof *t->exchange, err);
	return t->exchange ? 0 : -1;
}

static int
lloyd_new(struct lloyd *t, const struct cscg_frames *f,
    const struct cscg_kmeans *set, bool shared, struct cscg_err *err)
{
	size_t n = (size_t)f->n, k = (size_t)set->k, i;

	*t = (struct lloyd){ .set = set, .k = set->k };
	t->s = cscg_distance_new(f, set->k, set->init, set->bytes, set->threads,
	    err);
	t->label = cscg_alloc(n, sizeof *t->label, err);
	t->next = cscg_alloc(n, sizeof *t->next, err);
	t->upper = cscg_alloc(n, sizeof *t->upper, err);
	t->shift = cscg_alloc(k, sizeof *t->shift, err);
	t->shift_up = cscg_alloc(k, sizeof *t->shift_up, err);
	t->all = cscg_alloc(k, sizeof *t->all, err);
	t->moved = cscg_alloc(n, sizeof *t->moved, err);
	t->from = cscg_alloc(n, sizeof *t->from, err);
	t->used = cscg_alloc(k, sizeof *t->used, err);
	if (!t->s || !t->label || !t->next || !t->upper || !t->shift ||
	    !t->shift_up || !t->all || !t->moved || !t->from || !t->used)
		return -1;
	if (share_frames(t, shared ? set->ranks : NULL, err) < 0)
		return -1;
	for (i = 0; i < k; i++)
		t->all[i] = (int)i;
	if (set->all || k * sizeof *t->lower > f->size)
		return 0;
	t->lower = cscg_alloc(n * k, sizeof *t->lower, err);
	return t->lower ? 0 : -1;
}

/* Centres, counts and priors as the space and the labels have them. */
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

/* One start; *best is what it found if that is better. */
static int
one_start(const struct cscg_frames *f, const struct cscg_kmeans *set,
    long restart, bool shared, struct cscg_kmeans_best *best,
    struct cscg_err *err)
{
	struct cscg_rng rng;
	struct lloyd t = { 0 };
	double inertia = 0;
	long iterations = 0;
	/* A new space: sums begin at 0. */
	int rc = lloyd_new(&t, f, set, shared, err);

	cscg_rng_seed(&rng, set->seed, CSCG_RNG_KMEANS, (uint64_t)restart, 0);
	if (rc == 0 && !set->init)
		rc = cscg_kmeans_seed(t.s, &rng, err);
	if (rc == 0)
		rc = run_lloyd(&t, restart, &inertia, &iterations, err);
	/* The others look out for us where they label frames, or here. */
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

/* What a checkpoint has: the best so far, and how many were done for it. */
static int
restore_starts(const struct cscg_frames *f, const struct cscg_kmeans *set,
    struct cscg_kmeans_best *best, long *done, struct cscg_err *err)
{
	struct cscg_blob *b = cscg_checkpoint_get(set->save, "starts");

	if (!b)
		return 0;
	if (cscg_blob_read_long(b, 1, set->restarts, done, err) < 0 ||
	    cscg_kmeans_restore(b, best, f->n, err) < 0)
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
	rc = cscg_blob_write_long(&b, done, err) < 0 ||
	    cscg_kmeans_save(&b, best, f->n, err) < 0 ||
	    cscg_checkpoint_take(set->save, "starts", &b, err) < 0 ? -1 :
	    cscg_checkpoint_save(set->save, err);
	cscg_blob_free(&b);
	return rc;
}

/*
 * All starts.  Ranks take one each, and after every round rank 0 has the best;
 * a round of one start is theirs together.
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
		rc = cscg_kmeans_reduce(set->ranks, rc, best, f->n, err);
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
	struct cscg_kmeans_best best = { .restart = -1, .inertia = INFINITY,
	    .label = label };

	if (cscg_frames_n_used(f) < set->k) {
		cscg_fail(err, CSCG_EMISMATCH, "%d centroids are asked for, "
		    "but there are only %ld different frames", set->k,
		    cscg_frames_n_used(f));
		return NULL;
	}
	best.book = cscg_codebook_new(f, set->k, err);
	if (all_starts(f, set, &best, err) == 0)
		return best.book;
	cscg_codebook_free(best.book);
	return NULL;
}
