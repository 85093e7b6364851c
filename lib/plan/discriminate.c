/*
 * discriminate.c - action sequences by expected information gain between
 * candidates
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/discriminate.h"

enum { SEQUENCES_MAX = 2000 }; /* unless a length of 2 needs more */

/* Rates of sequences, in nats a step, that differ by less are equal. */
static const double EQUAL = 1e-9;

static long
count_sequences(long n, int length)
{
	return n * length + n * (n - 1) * length * (length - 1) / 2;
}

/* Runs of a, each followed by its continuations with another action. */
static struct cscg_action_sequence *
list_sequences(struct cscg_action_sequence *p, int a, int n_actions,
    int stationary, int length)
{
	int b, i, j;

	for (i = 1; i <= length; i++) {
		*p++ = (struct cscg_action_sequence){ a, i, -1, 0 };
		for (b = 0; b < n_actions; b++)
			for (j = 1;
			     j <= length - i && b != a && b != stationary; j++)
				*p++ = (struct cscg_action_sequence){ a, i, b,
					j };
	}
	return p;
}

int
cscg_action_sequences_new(struct cscg_action_sequences *s, int n_actions,
    int stationary, int length, int longer, struct cscg_err *err)
{
	int a, i, n = n_actions - (stationary >= 0);
	struct cscg_action_sequence *p;

	while (length > 2 && count_sequences(n, length) > SEQUENCES_MAX)
		length--;
	s->longest = longer * length;
	s->v = p = cscg_alloc(
	    (size_t)(count_sequences(n, length) + (long)n * s->longest),
	    sizeof *s->v, err);
	if (!p)
		return -1;
	for (a = 0; a < n_actions; a++)
		if (a != stationary)
			p = list_sequences(p, a, n_actions, stationary,
			    length);
	s->n_short = (int)(p - s->v);
	for (a = 0; a < n_actions; a++)
		for (i = 1; i <= s->longest && a != stationary; i++)
			*p++ = (struct cscg_action_sequence){ a, i, -1, 0 };
	s->n = (int)(p - s->v);
	return 0;
}

void
cscg_action_sequences_free(struct cscg_action_sequences *s)
{
	free(s->v);
	s->v = NULL;
}

int
cscg_action_sequences_best(const struct cscg_action_sequences *s,
    const double *gain, double min_gain, int from, int to,
    struct cscg_rng *rng)
{
	double best = 0, rate;
	int i, choice = -1;
	long n_equal = 0;

	for (i = from; i < to; i++) {
		rate = gain[i] / (cscg_action_sequence_length(&s->v[i]) + 2);
		if (gain[i] < min_gain || rate < best - EQUAL)
			continue;
		if (cscg_rng_tie(rng, rate > best + EQUAL, &n_equal))
			choice = i;
		best = fmax(best, rate);
	}
	return choice;
}

/*
 * Choice of the action sequence that discriminates candidates best.
 *
 * An outcome is stored as a hash of its symbols, computed symbol by symbol, so
 * that plans share prefixes: a run of i actions is simulated once, and every
 * plan that continues it with another action starts from there.
 */

enum {
	HYPOTHESES_DEFAULT = 100,
	LENGTH_DEFAULT = 6,
	LONG_FACTOR = 5, /* of long runs: multiple of the short length */
};

/* Lower bound on the probability of a schema, so that it can recover. */
static const double MIN_PROB = .02;
static const double MIN_INFORMATION = 1e-6; /* nats; a smaller gain counts
                                               as 0 */

struct cscg_discriminate {
	struct cscg_discriminate_options set;
	struct cscg_action_sequences plans;
	int entries;       /* n * hypotheses */
	uint64_t *outcome; /* [plans][entries] */
	double *weight;    /* [entries] */
	double *gain;      /* [plans] */
	double *p;         /* [n] */
	int *first;        /* [n + 1] entries of each candidate */
	struct cscg_candidate_hypothesis *hypothesis; /* [n_hypotheses] */
	int *unseen; /* [longest run] groups without a known symbol */

	/* outcomes of one plan */
	int slots;     /* a power of two */
	int *slot;     /* [slots] 1 + number of an outcome, or 0 */
	int *used;     /* [entries] slots to be cleared */
	int *id;       /* [entries] number of its outcome */
	uint64_t *key; /* [entries] of outcomes */
	double *total,
	    *part; /* [entries] weight of outcomes: all, one candidate's */
};

/* ---- construction ---- */

static void
set_defaults(struct cscg_discriminate_options *set)
{
	if (!set->n_hypotheses)
		set->n_hypotheses = HYPOTHESES_DEFAULT;
	if (!set->length)
		set->length = LENGTH_DEFAULT;
}

static int
alloc_tables(struct cscg_discriminate *d, struct cscg_err *err)
{
	size_t n = (size_t)d->set.n, all = n * (size_t)d->set.n_hypotheses;

	d->entries = (int)all;
	for (d->slots = 16; d->slots < 2 * d->entries;)
		d->slots *= 2;
	if (cscg_action_sequences_new(&d->plans, d->set.n_actions,
		d->set.stationary, d->set.length, LONG_FACTOR, err) < 0)
		return -1;
	d->outcome = cscg_alloc((size_t)d->plans.n * all, sizeof *d->outcome,
	    err);
	d->weight = cscg_alloc(all, sizeof *d->weight, err);
	d->gain = cscg_alloc((size_t)d->plans.n, sizeof *d->gain, err);
	d->p = cscg_alloc(n, sizeof *d->p, err);
	d->first = cscg_alloc(n + 1, sizeof *d->first, err);
	d->hypothesis = cscg_alloc((size_t)d->set.n_hypotheses,
	    sizeof *d->hypothesis, err);
	d->unseen = cscg_alloc((size_t)d->plans.longest, sizeof *d->unseen,
	    err);
	d->slot = cscg_alloc((size_t)d->slots, sizeof *d->slot, err);
	d->used = cscg_alloc(all, sizeof *d->used, err);
	d->id = cscg_alloc(all, sizeof *d->id, err);
	d->key = cscg_alloc(all, sizeof *d->key, err);
	d->total = cscg_alloc(all, sizeof *d->total, err);
	d->part = cscg_alloc(all, sizeof *d->part, err);
	return d->outcome && d->weight && d->gain && d->p && d->first &&
		d->hypothesis && d->unseen && d->slot && d->used && d->id &&
		d->key && d->total && d->part ?
	    0 :
	    -1;
}

struct cscg_discriminate *
cscg_discriminate_new(const struct cscg_discriminate_options *set,
    struct cscg_err *err)
{
	struct cscg_discriminate *d = cscg_alloc(1, sizeof *d, err);

	if (!d)
		return NULL;
	d->set = *set;
	set_defaults(&d->set);
	if (alloc_tables(d, err) < 0) {
		cscg_discriminate_free(d);
		return NULL;
	}
	return d;
}

void
cscg_discriminate_free(struct cscg_discriminate *d)
{
	if (!d)
		return;
	cscg_action_sequences_free(&d->plans);
	free(d->outcome);
	free(d->weight);
	free(d->gain);
	free(d->p);
	free(d->first);
	free(d->hypothesis);
	free(d->unseen);
	free(d->slot);
	free(d->used);
	free(d->id);
	free(d->key);
	free(d->total);
	free(d->part);
	free(d);
}

/* ---- mutual information ---- */

/* The number of an outcome; a new one has no weight yet. */
static int
find_outcome(struct cscg_discriminate *d, uint64_t key, int *n)
{
	int at = (int)(key & (uint64_t)(d->slots - 1));

	while (d->slot[at] && d->key[d->slot[at] - 1] != key)
		at = (at + 1) & (d->slots - 1);
	if (!d->slot[at]) {
		d->used[*n] = at;
		d->key[*n] = key;
		d->total[*n] = d->part[*n] = 0;
		d->slot[at] = ++*n;
	}
	return d->slot[at] - 1;
}

double
cscg_discriminate_information(struct cscg_discriminate *d,
    const uint64_t *outcome, const double *weight, const int *first)
{
	double sum = 0, p;
	int i, e, o, n = 0;

	for (e = 0; e < first[d->set.n]; e++) {
		d->id[e] = find_outcome(d, outcome[e], &n);
		d->total[d->id[e]] += weight[e];
	}
	for (i = 0; i < d->set.n; i++) {
		p = 0;
		for (e = first[i]; e < first[i + 1]; e++) {
			d->part[d->id[e]] += weight[e];
			p += weight[e];
		}
		for (e = first[i]; e < first[i + 1]; e++) {
			o = d->id[e];
			if (d->part[o] > 0)
				sum += d->part[o] *
				    log(d->part[o] / (d->total[o] * p));
			d->part[o] = 0;
		}
	}
	for (o = 0; o < n; o++)
		d->slot[d->used[o]] = 0;
	return sum;
}

/* ---- simulation ---- */

/* The simulation after some actions of a plan. */
struct rollout {
	int state, n_unseen;
	uint64_t hash;
};

/* Simulate action a and add its symbol to the outcome. */
static void
rollout_step(struct cscg_discriminate *d, const struct cscg_candidate *r,
    const struct cscg_candidate_hypothesis *hypothesis, int a,
    struct rollout *s)
{
	int to = cscg_candidate_next(r, s->state, a), symbol, i;
	uint64_t h;

	/* An unknown transition leaves the state unchanged. */
	s->state = to < 0 ? s->state : to;
	symbol = cscg_candidate_symbol(r, hypothesis, s->state);
	if (symbol < 0) {
		for (i = 0; i < s->n_unseen && d->unseen[i] != symbol; i++)
			;
		if (i == s->n_unseen)
			d->unseen[s->n_unseen++] = symbol;
		symbol = -1 - i;
	}
	h = (s->hash ^ (uint64_t)((int64_t)symbol + INT32_MAX)) *
	    0x9e3779b97f4a7c15u;
	s->hash = h ^ h >> 29;
}

/* Simulate plans from..to-1 from the hypothesis's state, as entry e. */
static void
rollout_plans(struct cscg_discriminate *d, const struct cscg_candidate *r,
    const struct cscg_candidate_hypothesis *hypothesis, int e, int from,
    int to)
{
	struct rollout begin = { hypothesis->state, 0, 1 }, run = begin,
		       turn = begin;
	int i;

	for (i = from; i < to; i++) {
		const struct cscg_action_sequence *p = &d->plans.v[i];

		if (p->n_b == 0) {
			if (p->n_a == 1)
				run = begin;
			rollout_step(d, r, hypothesis, p->a, &run);
		} else {
			if (p->n_b == 1)
				turn = run;
			rollout_step(d, r, hypothesis, p->b, &turn);
		}
		d->outcome[(size_t)i * (size_t)d->entries + (size_t)e] =
		    p->n_b ? turn.hash : run.hash;
	}
}

/*
 * Probabilities of the candidates, with a lower bound for schemas.  Grounded
 * models have no lower bound: an incorrect one stays excluded; with a bound,
 * excluding it again would dominate the information gain.
 */
static void
set_probs(struct cscg_discriminate *d, struct cscg_candidate *const *candidate,
    const double *posterior)
{
	double sum = 0;
	int i;

	for (i = 0; i < d->set.n; i++) {
		d->p[i] = cscg_candidate_is_grounded(candidate[i]) ?
		    posterior[i] :
		    fmax(posterior[i], MIN_PROB);
		sum += d->p[i];
	}
	for (i = 0; i < d->set.n && sum > 0; i++)
		d->p[i] /= sum;
}

/* Simulate plans under the likeliest hypotheses of all candidates. */
static void
rollout_all(struct cscg_discriminate *d,
    struct cscg_candidate *const *candidate, int from, int to)
{
	int i, k, n, e = 0;
	double sum;

	for (i = 0; i < d->set.n; i++) {
		d->first[i] = e;
		if (d->p[i] <= 0)
			continue;
		n = cscg_candidate_top(candidate[i], d->hypothesis,
		    d->set.n_hypotheses);
		for (k = 0, sum = 0; k < n; k++)
			sum += d->hypothesis[k].p;
		for (k = 0; k < n; k++, e++) {
			d->weight[e] = d->p[i] * d->hypothesis[k].p / sum;
			rollout_plans(d, candidate[i], &d->hypothesis[k], e,
			    from, to);
		}
	}
	d->first[i] = e;
}

/* The best of these plans, as cscg_discriminate_choose() does. */
static int
choose_plan(struct cscg_discriminate *d,
    struct cscg_candidate *const *candidate, int from, int to, int avoid,
    struct cscg_rng *rng, double *gain)
{
	int i;

	rollout_all(d, candidate, from, to);
	for (i = from; i < to; i++)
		d->gain[i] = d->plans.v[i].a == avoid ?
		    0 :
		    cscg_discriminate_information(d,
			d->outcome + (size_t)i * (size_t)d->entries, d->weight,
			d->first);
	i = cscg_action_sequences_best(&d->plans, d->gain, MIN_INFORMATION,
	    from, to, rng);
	if (i < 0)
		return -1;
	*gain = d->gain[i];
	return d->plans.v[i].a;
}

int
cscg_discriminate_choose(struct cscg_discriminate *d,
    struct cscg_candidate *const *candidate, const double *posterior,
    int avoid, struct cscg_rng *rng, double *gain)
{
	int a;

	set_probs(d, candidate, posterior);
	*gain = 0;
	a = choose_plan(d, candidate, 0, d->plans.n_short, avoid, rng, gain);
	return a >= 0 ? a :
			choose_plan(d, candidate, d->plans.n_short, d->plans.n,
			    avoid, rng, gain);
}
