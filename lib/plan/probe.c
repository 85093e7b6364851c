/*
 * probe.c - which actions tell rivals apart
 *
 * Outcomes are kept as hashes of their strings, made symbol by symbol, so that
 * plans share their beginnings: a run of i actions is played once, and every
 * plan that turns after it goes on from there.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/probe.h"
#include "plan/stroll.h"

enum {
	GUESSES = 100, LENGTH = 6,
	LONGER = 5		/* times, of runs if nothing else tells */
};

static const double FLOOR = .02;
static const double DULL = 1e-6;	/* nats that are none */

struct cscg_probe {
	struct cscg_probe_set set;
	struct cscg_strolls plans;
	int entries;		/* n * guesses */
	uint64_t *outcome;	/* [plans][entries] */
	double *weight;		/* [entries] */
	double *p;		/* [n] */
	int *first;		/* [n + 1] entries of each rival */
	struct cscg_guess *guess;	/* [guesses] */
	int *fresh;		/* [longest run] groups that are new */

	/* outcomes of one plan */
	int slots;		/* a power of two */
	int *slot;		/* [slots] 1 + number of an outcome, or 0 */
	int *used;		/* [entries] slots to be cleared */
	int *id;		/* [entries] number of its outcome */
	uint64_t *key;		/* [entries] of outcomes */
	double *total, *part;	/* [entries] weight of outcomes: all, a rival's */
};

/* ---- making ---- */

static void
set_defaults(struct cscg_probe_set *set)
{
	if (!set->guesses)
		set->guesses = GUESSES;
	if (set->floor <= 0)
		set->floor = FLOOR;
	if (!set->length)
		set->length = LENGTH;
}

static int
allocate(struct cscg_probe *pr, struct cscg_err *err)
{
	size_t n = (size_t)pr->set.n, all = n * (size_t)pr->set.guesses;

	pr->entries = (int)all;
	for (pr->slots = 16; pr->slots < 2 * pr->entries; )
		pr->slots *= 2;
	if (cscg_strolls_new(&pr->plans, pr->set.n_actions, pr->set.apart,
	    pr->set.length, LONGER, err) < 0)
		return -1;
	pr->outcome = cscg_alloc((size_t)pr->plans.n * all,
	    sizeof *pr->outcome, err);
	pr->weight = cscg_alloc(all, sizeof *pr->weight, err);
	pr->p = cscg_alloc(n, sizeof *pr->p, err);
	pr->first = cscg_alloc(n + 1, sizeof *pr->first, err);
	pr->guess = cscg_alloc((size_t)pr->set.guesses, sizeof *pr->guess,
	    err);
	pr->fresh = cscg_alloc((size_t)pr->plans.longest,
	    sizeof *pr->fresh, err);
	pr->slot = cscg_alloc((size_t)pr->slots, sizeof *pr->slot, err);
	pr->used = cscg_alloc(all, sizeof *pr->used, err);
	pr->id = cscg_alloc(all, sizeof *pr->id, err);
	pr->key = cscg_alloc(all, sizeof *pr->key, err);
	pr->total = cscg_alloc(all, sizeof *pr->total, err);
	pr->part = cscg_alloc(all, sizeof *pr->part, err);
	return pr->outcome && pr->weight && pr->p && pr->first &&
	    pr->guess && pr->fresh && pr->slot && pr->used && pr->id &&
	    pr->key && pr->total && pr->part ? 0 : -1;
}

struct cscg_probe *
cscg_probe_new(const struct cscg_probe_set *set, struct cscg_err *err)
{
	struct cscg_probe *pr = cscg_alloc(1, sizeof *pr, err);

	if (!pr)
		return NULL;
	pr->set = *set;
	set_defaults(&pr->set);
	if (allocate(pr, err) < 0) {
		cscg_probe_free(pr);
		return NULL;
	}
	return pr;
}

void
cscg_probe_free(struct cscg_probe *pr)
{
	if (!pr)
		return;
	cscg_strolls_free(&pr->plans);
	free(pr->outcome);
	free(pr->weight);
	free(pr->p);
	free(pr->first);
	free(pr->guess);
	free(pr->fresh);
	free(pr->slot);
	free(pr->used);
	free(pr->id);
	free(pr->key);
	free(pr->total);
	free(pr->part);
	free(pr);
}

/* ---- what a plan tells ---- */

/* The number of an outcome; a new one has no weight yet. */
static int
find(struct cscg_probe *pr, uint64_t key, int *n)
{
	int at = (int)(key & (uint64_t)(pr->slots - 1));

	while (pr->slot[at] && pr->key[pr->slot[at] - 1] != key)
		at = (at + 1) & (pr->slots - 1);
	if (!pr->slot[at]) {
		pr->used[*n] = at;
		pr->key[*n] = key;
		pr->total[*n] = pr->part[*n] = 0;
		pr->slot[at] = ++*n;
	}
	return pr->slot[at] - 1;
}

double
cscg_probe_information(struct cscg_probe *pr, const uint64_t *outcome,
    const double *weight, const int *first)
{
	double sum = 0, p;
	int i, e, o, n = 0;

	for (e = 0; e < first[pr->set.n]; e++) {
		pr->id[e] = find(pr, outcome[e], &n);
		pr->total[pr->id[e]] += weight[e];
	}
	for (i = 0; i < pr->set.n; i++) {
		p = 0;
		for (e = first[i]; e < first[i + 1]; e++) {
			pr->part[pr->id[e]] += weight[e];
			p += weight[e];
		}
		for (e = first[i]; e < first[i + 1]; e++) {
			o = pr->id[e];
			if (pr->part[o] > 0)
				sum += pr->part[o] * log(pr->part[o] /
				    (pr->total[o] * p));
			pr->part[o] = 0;
		}
	}
	for (o = 0; o < n; o++)
		pr->slot[pr->used[o]] = 0;
	return sum;
}

/* ---- playing in mind ---- */

/* A place in a plan. */
struct spot {
	int state, n_fresh;
	uint64_t hash;
};

/* Take action a and look. */
static void
move(struct cscg_probe *pr, const struct cscg_rival *r,
    const struct cscg_guess *guess, int a, struct spot *s)
{
	int to = cscg_rival_to(r, s->state, a), look, i;
	uint64_t h;

	/* What is not known is taken for a wall. */
	s->state = to < 0 ? s->state : to;
	look = cscg_rival_look(r, guess, s->state);
	if (look < 0) {
		for (i = 0; i < s->n_fresh && pr->fresh[i] != look; i++)
			;
		if (i == s->n_fresh)
			pr->fresh[s->n_fresh++] = look;
		look = -1 - i;
	}
	h = (s->hash ^ (uint64_t)((int64_t)look + INT32_MAX)) *
	    0x9e3779b97f4a7c15u;
	s->hash = h ^ h >> 29;
}

/* Plans from..to-1 from where this guess has the agent, as entry e. */
static void
play(struct cscg_probe *pr, const struct cscg_rival *r,
    const struct cscg_guess *guess, int e, int from, int to)
{
	struct spot begin = { guess->state, 0, 1 }, run = begin, turn = begin;
	int i;

	for (i = from; i < to; i++) {
		const struct cscg_stroll *p = &pr->plans.v[i];

		if (p->turn == 0) {
			if (p->run == 1)
				run = begin;
			move(pr, r, guess, p->a, &run);
		} else {
			if (p->turn == 1)
				turn = run;
			move(pr, r, guess, p->b, &turn);
		}
		pr->outcome[(size_t)i * (size_t)pr->entries + (size_t)e] =
		    p->turn ? turn.hash : run.hash;
	}
}

/*
 * Probabilities of rivals, those of schemas not too low.  A memory that does
 * not fit is out for good, and to rule it out again would be all that counts.
 */
static void
set_p(struct cscg_probe *pr, struct cscg_rival *const *rival,
    const double *posterior)
{
	double sum = 0;
	int i;

	for (i = 0; i < pr->set.n; i++) {
		pr->p[i] = cscg_rival_is_memory(rival[i]) ? posterior[i] :
		    fmax(posterior[i], pr->set.floor);
		sum += pr->p[i];
	}
	for (i = 0; i < pr->set.n && sum > 0; i++)
		pr->p[i] /= sum;
}

/* Play plans on the likeliest ways of all rivals, each with its probability. */
static void
play_all(struct cscg_probe *pr, struct cscg_rival *const *rival, int from,
    int to)
{
	int i, k, n, e = 0;
	double sum;

	for (i = 0; i < pr->set.n; i++) {
		pr->first[i] = e;
		if (pr->p[i] <= 0)
			continue;
		n = cscg_rival_guess(rival[i], pr->guess, pr->set.guesses);
		for (k = 0, sum = 0; k < n; k++)
			sum += pr->guess[k].p;
		for (k = 0; k < n; k++, e++) {
			pr->weight[e] = pr->p[i] * pr->guess[k].p / sum;
			play(pr, rival[i], &pr->guess[k], e, from, to);
		}
	}
	pr->first[i] = e;
}

/* The best of these plans, as cscg_probe_choose() does. */
static int
choose(struct cscg_probe *pr, struct cscg_rival *const *rival, int from,
    int to, struct cscg_rng *rng, double *gain)
{
	double best = 0, worth, told;
	int i, choice = -1;
	long equal = 0;

	play_all(pr, rival, from, to);
	for (i = from; i < to; i++) {
		told = cscg_probe_information(pr, pr->outcome + (size_t)i *
		    (size_t)pr->entries, pr->weight, pr->first);
		worth = told / (cscg_stroll_length(&pr->plans.v[i]) + 2);
		if (told < DULL || worth < best - 1e-12)
			continue;
		equal = worth > best + 1e-12 ? 1 : equal + 1;
		best = fmax(best, worth);
		if (cscg_rng_below(rng, equal) == 0) {
			choice = pr->plans.v[i].a;
			*gain = told;
		}
	}
	return choice;
}

int
cscg_probe_choose(struct cscg_probe *pr, struct cscg_rival *const *rival,
    const double *posterior, struct cscg_rng *rng, double *gain)
{
	int a;

	set_p(pr, rival, posterior);
	*gain = 0;
	a = choose(pr, rival, 0, pr->plans.n_near, rng, gain);
	return a >= 0 ? a : choose(pr, rival, pr->plans.n_near, pr->plans.n, rng,
	    gain);
}
