/*
 * filter.c - online filter and online Viterbi: the belief over states, step by
 * step
 *
 * Viterbi needs its back pointers only to find the first state of the path;
 * instead each state carries the first state of the likeliest path that ends
 * in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/filter.h"
#include "kernel/passes.h"

/* The belief over states, step by step */

struct cscg_filter {
	const struct cscg_trans *tr;
	struct cscg_span span; /* states of both messages */
	void *alpha, *viterbi; /* [n_states] messages of filter and Viterbi */
	int *origin;           /* [n_states] first state of the path, like
	                          viterbi */
	void *next;            /* [n_states] scratch */
	int *next_origin, *arg;
	int state; /* -1: no observation, or lost */
};

struct cscg_filter *
cscg_filter_new(const struct cscg_trans *tr, struct cscg_err *err)
{
	struct cscg_filter *b = cscg_alloc(1, sizeof *b, err);
	size_t S = (size_t)tr->n_states;

	if (!b)
		return NULL;
	b->tr = tr;
	b->alpha = cscg_alloc(S, tr->kern->size, err);
	b->viterbi = cscg_alloc(S, tr->kern->size, err);
	b->next = cscg_alloc(S, tr->kern->size, err);
	b->origin = cscg_alloc(S, sizeof *b->origin, err);
	b->next_origin = cscg_alloc(S, sizeof *b->next_origin, err);
	b->arg = cscg_alloc(S, sizeof *b->arg, err);
	if (!b->alpha || !b->viterbi || !b->next || !b->origin ||
	    !b->next_origin || !b->arg) {
		cscg_filter_free(b);
		return NULL;
	}
	cscg_filter_reset(b);
	return b;
}

void
cscg_filter_free(struct cscg_filter *b)
{
	if (!b)
		return;
	free(b->alpha);
	free(b->viterbi);
	free(b->next);
	free(b->origin);
	free(b->next_origin);
	free(b->arg);
	free(b);
}

void
cscg_filter_reset(struct cscg_filter *b)
{
	b->state = -1;
}

static void
swap(void *a, void *b)
{
	void *old;

	memcpy(&old, a, sizeof old);
	memcpy(a, b, sizeof old);
	memcpy(b, &old, sizeof old);
}

/* The Viterbi message of symbol x, of span to; returns the likeliest state. */
static int
viterbi_step(struct cscg_filter *b, int a, int x, const struct cscg_span *to)
{
	/* After a reset the first state is that of the best path before. */
	int first = b->state < 0 ? -1 : b->origin[b->state - b->span.lo];
	int n = to->hi - to->lo, best = 0, k;
	double p = cscg_viterbi_step(b->tr, &b->span, b->viterbi, a, x,
	    b->next, b->arg, &best);

	for (k = 0; k < n; k++)
		b->next_origin[k] = a >= 0 ? b->origin[b->arg[k]] :
		    first >= 0             ? first :
					     to->lo + k;
	swap(&b->next, &b->viterbi);
	swap(&b->next_origin, &b->origin);
	return p > 0 ? to->lo + best : -1;
}

double
cscg_filter_observe(struct cscg_filter *b, int a, int x)
{
	struct cscg_span to = cscg_trans_span(b->tr, x);
	double p;

	if (b->state < 0 && a >= 0)
		return 0; /* lost */
	p = cscg_forward_step(b->tr, &b->span, b->alpha, a, x, b->next);
	swap(&b->next, &b->alpha);
	b->state = viterbi_step(b, a, x, &to);
	b->span = to;
	if (p <= 0)
		b->state = -1;
	return b->state < 0 ? 0 : p;
}

int
cscg_filter_state(const struct cscg_filter *b)
{
	return b->state;
}

int
cscg_filter_first_state(const struct cscg_filter *b)
{
	return b->state < 0 ? -1 : b->origin[b->state - b->span.lo];
}

double
cscg_filter_prob(const struct cscg_filter *b, int j)
{
	double p = 0;

	if (b->state >= 0 && j >= b->span.lo && j < b->span.hi)
		b->tr->kern->get((char *)b->alpha +
			(size_t)(j - b->span.lo) * b->tr->kern->size,
		    &p, 1);
	return p;
}

void
cscg_filter_probs(const struct cscg_filter *b, double *p)
{
	memset(p, 0, (size_t)b->tr->n_states * sizeof *p);
	if (b->state >= 0)
		b->tr->kern->get(b->alpha, p + b->span.lo,
		    b->span.hi - b->span.lo);
}
