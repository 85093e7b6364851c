/*
 * kmeans_seed.c - where k-means begins: greedy k-means++
 *
 * For every frame the nearest centre so far is known, and how far a candidate
 * is from that centre.  If that is twice as far as the frame is, the candidate
 * cannot be nearer, and the frame need not be looked at.
 */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "learn/kmeans.h"
#include "base/mem.h"
#include "learn/space.h"

enum { SEED_PACK = CSCG_DISTANCE_PACK, MAX_TRIES = 40 };

struct seeding {
	struct cscg_distance *s;
	struct cscg_rng *rng;
	int tries;
	long *chosen;		/* [k] frames */
	int n;			/* of them */
	double *nearest;		/* [frames] squared distance from the nearest, */
	int *owner;		/* and which it is */
	double *mass;		/* [frames] weight * near */
	long drawn[MAX_TRIES];
	int n_drawn;
	double *between;		/* [tries * k] of the drawn and the chosen */
	double *dist;		/* [frames * tries] */
	double *sum;		/* [packs * tries] */
};

static void
seeding_free(struct seeding *t)
{
	free(t->chosen);
	free(t->nearest);
	free(t->owner);
	free(t->mass);
	free(t->between);
	free(t->dist);
	free(t->sum);
}

static int
seeding_new(struct seeding *t, struct cscg_err *err)
{
	size_t n = (size_t)t->s->f->n, k = (size_t)t->s->k;
	size_t tries = (size_t)t->tries;

	t->chosen = cscg_alloc(k, sizeof *t->chosen, err);
	t->nearest = cscg_alloc(n, sizeof *t->nearest, err);
	t->owner = cscg_alloc(n, sizeof *t->owner, err);
	t->mass = cscg_alloc(n, sizeof *t->mass, err);
	t->between = cscg_alloc(tries * k, sizeof *t->between, err);
	t->dist = cscg_alloc(n * tries, sizeof *t->dist, err);
	t->sum = cscg_alloc((n / SEED_PACK + 1) * tries, sizeof *t->sum, err);
	return t->chosen && t->nearest && t->owner && t->mass && t->between &&
	    t->dist && t->sum ? 0 : -1;
}

/* A frame in proportion to its mass; rounding never picks one without. */
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

/* How far the frames of a pack would be, and the mass they would have. */
static void
try_pack(void *ctx, long pack, void *mine)
{
	struct seeding *t = ctx;
	const struct cscg_frames *f = t->s->f;
	int n_drawn = t->n_drawn, n = 0, c, k;
	double out[SEED_PACK * MAX_TRIES], d, *sum = t->sum + pack * n_drawn;
	long frame[SEED_PACK], i, end = (pack + 1) * SEED_PACK;

	if (end > f->n)
		end = f->n;
	for (i = pack * SEED_PACK; i < end; i++)
		for (c = 0; c < n_drawn; c++) {
			t->dist[i * n_drawn + c] = t->nearest[i];
			if (t->n && t->between[c * t->n + t->owner[i]] >=
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
		for (i = pack * SEED_PACK; i < end; i++)
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

/* All packs; which of the drawn leaves the least mass, or -1 (ENOMEM). */
static int
try_all(struct seeding *t, struct cscg_err *err)
{
	struct cscg_parallel each = { try_pack, scratch_new, scratch_free, t };
	long pack, packs = (t->s->f->n + SEED_PACK - 1) / SEED_PACK;
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

/* The best of the drawn is a centre. */
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

/* The first is drawn in proportion to weight, and nothing is near yet. */
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
seed_all(struct seeding *t, struct cscg_distance_scratch *scratch, struct cscg_err *err)
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

int
cscg_kmeans_seed(struct cscg_distance *s, struct cscg_rng *rng,
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
	seeding_free(&t);
	free(c);
	return rc;
}
