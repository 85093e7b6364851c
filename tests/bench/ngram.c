/*
 * ngram.c - held-out perplexity of n-gram models with Witten-Bell smoothing
 *
 *	ngram TRAIN TEST ORDER
 *
 * Counts the n-grams of the walk TRAIN up to ORDER symbols and prints for each
 * order from 1 on: order, nats per symbol of the walk TEST, perplexity.
 *
 *	P(x | h) = (c(h x) + n(h) P(x | h')) / (c(h) + n(h)),
 *
 * where c counts, n(h) is the number of different symbols after h, and h' is h
 * without its first symbol.  Below the empty context the distribution is
 * uniform over the symbols of TRAIN and one unknown symbol, which stands for
 * all others.  No context reaches beyond its episode.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/walk.h"
#include "core/walk_io.h"

enum { ORDER_MAX = 8 };

/* Counts by key: a sequence of symbols as a number, with its length. */
struct table {
	struct slot {
		uint64_t key; /* 0: free */
		long count;   /* of the sequence */
		long total;   /* of symbols after it */
		int types;    /* of different ones */
	} * slot;
	size_t n, size; /* size: a power of two */
};

static struct slot *
find(struct table *t, uint64_t key)
{
	size_t i = key * 0x9e3779b97f4a7c15u >> 20 & (t->size - 1);

	while (t->slot[i].key && t->slot[i].key != key)
		i = (i + 1) & (t->size - 1);
	return &t->slot[i];
}

static void
grow(struct table *t, struct cscg_err *err)
{
	struct table old = *t;
	size_t i;

	t->size = old.size ? 2 * old.size : 1 << 16;
	t->slot = cscg_alloc(t->size, sizeof *t->slot, err);
	if (!t->slot)
		exit(1);
	for (i = 0; i < old.size; i++)
		if (old.slot[i].key)
			*find(t, old.slot[i].key) = old.slot[i];
	free(old.slot);
}

static struct slot *
add(struct table *t, uint64_t key, struct cscg_err *err)
{
	struct slot *s;

	if (2 * (t->n + 1) > t->size)
		grow(t, err);
	s = find(t, key);
	t->n += !s->key;
	s->key = key;
	return s;
}

/* The key of the n symbols of w that end before step t, oldest first. */
static uint64_t
key_of(const struct cscg_walk *w, long t, int n, int K)
{
	uint64_t key = 1;
	int i;

	for (i = n; i > 0; i--)
		key = key * (uint64_t)(K + 2) + (uint64_t)w->x[t - i] + 1;
	return key;
}

static void
count(struct table *t, const struct cscg_walk *w, int order, int K,
    struct cscg_err *err)
{
	struct slot *s;
	uint64_t h;
	long i;
	int e, n, is_new;

	for (e = 0; e < w->n_episodes; e++)
		for (i = w->start[e]; i < w->start[e + 1]; i++)
			for (n = 0; n < order && i - n >= w->start[e]; n++) {
				h = key_of(w, i, n, K);
				s = add(t,
				    h * (uint64_t)(K + 2) + (uint64_t)w->x[i] +
					1,
				    err);
				is_new = s->count++ == 0;
				s = add(t, h, err);
				s->total++;
				s->types += is_new;
			}
}

/* P(step i | the n steps before it). */
static double
prob(struct table *t, const struct cscg_walk *w, long i, int n, int K)
{
	double lower = n ? prob(t, w, i, n - 1, K) : 1.0 / (K + 1);
	uint64_t h = key_of(w, i, n, K);
	struct slot *s = find(t, h);

	if (!s->key || !s->total)
		return lower;
	return ((double)find(t, h * (uint64_t)(K + 2) + (uint64_t)w->x[i] + 1)
		       ->count +
		   s->types * lower) /
	    (double)(s->total + s->types);
}

/* The symbols of w in the numbers of train, unknown ones as n_obs. */
static int
renumber(struct cscg_walk *w, const struct cscg_walk_header *train)
{
	long t;
	int x;

	for (t = 0; t < w->n_steps; t++) {
		if (w->x[t] < 0)
			return -1;
		x = train->symbols.n && w->head.symbols.n ?
		    cscg_names_find(&train->symbols,
			w->head.symbols.v[w->x[t]]) :
		    w->x[t];
		w->x[t] = x < 0 || x > train->n_obs ? train->n_obs : x;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	struct cscg_walk *train, *test;
	struct table t = { 0 };
	double nats;
	long i;
	int order = argc == 4 ? atoi(argv[3]) : 0, e, n, k, K;

	if (order < 1 || order > ORDER_MAX) {
		fprintf(stderr, "usage: ngram TRAIN TEST ORDER (1 to %d)\n",
		    ORDER_MAX);
		return 2;
	}
	train = cscg_walk_read_file(argv[1], &err);
	test = train ? cscg_walk_read_file(argv[2], &err) : NULL;
	if (!test || renumber(test, &train->head) < 0 ||
	    renumber(train, &train->head) < 0) {
		fprintf(stderr, "ngram: %s\n",
		    test ? "a missing observation" : err.msg);
		return 1;
	}
	K = train->head.n_obs;
	if (order * log(K + 2) > 63 * M_LN2) {
		fprintf(stderr, "ngram: too many symbols for this order\n");
		return 1;
	}
	count(&t, train, order, K, &err);
	for (k = 1; k <= order; k++) {
		nats = 0;
		for (e = 0; e < test->n_episodes; e++)
			for (i = test->start[e]; i < test->start[e + 1]; i++) {
				n = i - test->start[e] < k - 1 ?
				    (int)(i - test->start[e]) :
				    k - 1;
				nats -= log(prob(&t, test, i, n, K));
			}
		nats /= (double)test->n_steps;
		printf("%d\t%.6f\t%.6f\n", k, nats, exp(nats));
	}
	free(t.slot);
	cscg_walk_free(train);
	cscg_walk_free(test);
	return 0;
}
