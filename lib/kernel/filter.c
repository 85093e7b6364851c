/*
 * filter.c - online filter, prediction and online Viterbi: the belief over
 * states, step by step
 *
 * A prediction is a message over all states.  The filter message of the next
 * step is the part of it that the symbol allows, so that a prediction and the
 * update after it cost one product with T.
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
#include "kernel/trans_blocks.h"

struct cscg_filter {
	const struct cscg_trans *tr;
	struct cscg_filter_options set;
	struct cscg_trans_blocks *blocks; /* NULL: the plain loops */
	int *block;            /* [n_actions][n_obs] to all states */
	struct cscg_span span; /* states of both messages */
	int x;                 /* symbol of that span, or -1: all states */
	void *alpha, *viterbi; /* [n_states] messages of filter and Viterbi */
	int *origin;           /* [n_states] first state of the path, like
	                          viterbi */
	void *next;            /* [n_states] scratch */
	int *next_origin, *arg;
	bool lost; /* no observation, or an impossible one */
	int state; /* last of the likeliest path, or -1 */

	void *ahead; /* [n_states] message after action ahead_a, ... */
	int ahead_a;
	bool has_ahead; /* ... if it is computed */
};

/* A message; blocks need padding and alignment. */
static void *
new_message(const struct cscg_filter *b, struct cscg_err *err)
{
	size_t n = b->blocks ? b->blocks->width[0] : (size_t)b->tr->n_states;

	return cscg_alloc_aligned(n, b->tr->kern->size, CSCG_ALIGN, err);
}

/* Build the blocks from each symbol to all states. */
static int
new_blocks(struct cscg_filter *b, struct cscg_err *err)
{
	int K = b->tr->n_obs, i, n = b->tr->n_actions * K;

	b->blocks = cscg_trans_blocks_new(b->tr, b->set.simd, false, err);
	b->block = cscg_alloc((size_t)n, sizeof *b->block, err);
	if (!b->blocks || !b->block)
		return -1;
	for (i = 0; i < n; i++) {
		b->block[i] = cscg_trans_blocks_find(b->blocks, i / K, i % K,
		    -1, err);
		if (b->block[i] < 0)
			return -1;
	}
	return 0;
}

static int
new_path(struct cscg_filter *b, struct cscg_err *err)
{
	size_t S = (size_t)b->tr->n_states;

	b->viterbi = new_message(b, err);
	b->origin = cscg_alloc(S, sizeof *b->origin, err);
	b->next_origin = cscg_alloc(S, sizeof *b->next_origin, err);
	b->arg = cscg_alloc(S, sizeof *b->arg, err);
	return b->viterbi && b->origin && b->next_origin && b->arg ? 0 : -1;
}

struct cscg_filter *
cscg_filter_new(const struct cscg_trans *tr,
    const struct cscg_filter_options *set, struct cscg_err *err)
{
	struct cscg_filter *b = cscg_alloc(1, sizeof *b, err);

	if (!b)
		return NULL;
	b->tr = tr;
	b->set = *set;
	if (set->simd && cscg_trans_blocks_suit(tr) && new_blocks(b, err) < 0)
		goto fail;
	b->alpha = new_message(b, err);
	b->next = new_message(b, err);
	b->ahead = new_message(b, err);
	if (!b->alpha || !b->next || !b->ahead ||
	    (set->path && new_path(b, err) < 0))
		goto fail;
	cscg_filter_reset(b);
	return b;
fail:
	cscg_filter_free(b);
	return NULL;
}

void
cscg_filter_free(struct cscg_filter *b)
{
	if (!b)
		return;
	cscg_trans_blocks_free(b->blocks);
	free(b->block);
	free(b->alpha);
	free(b->viterbi);
	free(b->next);
	free(b->ahead);
	free(b->origin);
	free(b->next_origin);
	free(b->arg);
	free(b);
}

void
cscg_filter_reset(struct cscg_filter *b)
{
	b->state = -1;
	b->lost = true;
	b->has_ahead = false;
}

void
cscg_filter_set_restart(struct cscg_filter *b, bool restart)
{
	b->set.restart = restart;
}

static void
swap(void *a, void *b)
{
	void *old;

	memcpy(&old, a, sizeof old);
	memcpy(a, b, sizeof old);
	memcpy(b, &old, sizeof old);
}

/* ---- prediction ---- */

/* Through the block from the states of the present symbol to all. */
static void
push_block(struct cscg_filter *b, int a)
{
	struct cscg_block_chain c = { .of = b->block +
		    (size_t)a * (size_t)b->tr->n_obs + b->x,
		.n = 1,
		.at = b->alpha,
		.to = b->ahead,
		.size = 1 };

	b->blocks->simd->sum_chain(b->blocks->block, &c);
}

/* Compute the message of all states after action a. */
static void
compute_ahead(struct cscg_filter *b, int a)
{
	const struct cscg_trans *tr = b->tr;
	const struct cscg_span all = { .hi = tr->n_states };

	if (b->has_ahead && b->ahead_a == a)
		return;
	if (a < 0)
		memcpy(b->ahead, tr->pi,
		    (size_t)tr->n_states * tr->kern->size);
	else if (b->blocks && b->x >= 0)
		push_block(b, a);
	else
		cscg_trans_push(tr, a, &b->span, &all, b->alpha, b->ahead);
	b->has_ahead = true;
	b->ahead_a = a;
}

void
cscg_filter_emit(const struct cscg_trans *tr, const void *q, double *p)
{
	const struct cscg_kernel *k = tr->kern;
	double all = 0;
	int x;

	for (x = 0; x < tr->n_obs && tr->E; x++)
		p[x] = k->dot((char *)tr->E + (size_t)x * tr->stride * k->size,
		    q, tr->n_states);
	for (x = 0; x < tr->n_obs && !tr->E; x++) {
		p[x] = k->sum((const char *)q + (size_t)tr->group[x] * k->size,
		    tr->group[x + 1] - tr->group[x]);
		all += p[x];
	}
	for (x = 0; x < tr->n_obs && !tr->E && tr->misread > 0; x++)
		p[x] = (1 - tr->misread) * p[x] +
		    tr->misread / tr->n_obs * all;
}

const void *
cscg_filter_ahead(struct cscg_filter *b, int a)
{
	if (b->lost && a >= 0)
		return NULL;
	compute_ahead(b, a);
	return b->ahead;
}

bool
cscg_filter_predict(struct cscg_filter *b, int a, double *p)
{
	const void *ahead = cscg_filter_ahead(b, a);

	if (ahead)
		cscg_filter_emit(b->tr, ahead, p);
	else
		memset(p, 0, (size_t)b->tr->n_obs * sizeof *p);
	return ahead;
}

/* ---- update ---- */

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

/* The part of the prediction that span `to` allows, into next. */
static double
take_ahead(struct cscg_filter *b, const struct cscg_span *to)
{
	size_t size = b->tr->kern->size;

	memcpy(b->next, (char *)b->ahead + (size_t)to->lo * size,
	    (size_t)(to->hi - to->lo) * size);
	return cscg_observe_step(b->tr, to, b->next);
}

/* The belief after symbol x, which was impossible; returns its span. */
static struct cscg_span
restart(struct cscg_filter *b, int a, int *x)
{
	struct cscg_span to = cscg_trans_span(b->tr, *x < 0 ? -1 : *x);

	if (*x >= 0) {
		b->tr->kern->fill(b->next, 1, to.hi - to.lo);
		if (cscg_observe_step(b->tr, &to, b->next) > 0)
			return to;
	}
	*x = -1;
	to = cscg_trans_span(b->tr, -1);
	compute_ahead(b, a);
	take_ahead(b, &to);
	return to;
}

double
cscg_filter_observe(struct cscg_filter *b, int a, int x)
{
	struct cscg_span to = cscg_trans_span(b->tr, x < 0 ? -1 : x);
	size_t size = b->tr->kern->size, n;
	double p = 0;

	if (b->lost && a >= 0)
		return 0;
	if (b->blocks && x != CSCG_UNKNOWN)
		compute_ahead(b, a);
	if (b->has_ahead && b->ahead_a == a && x != CSCG_UNKNOWN)
		p = take_ahead(b, &to);
	else if (x != CSCG_UNKNOWN)
		p = cscg_forward_step(b->tr, &b->span, b->alpha, a, x,
		    b->next);
	b->lost = !(p > 0) && !b->set.restart;
	if (!(p > 0) && b->set.restart)
		to = restart(b, a, &x);
	swap(&b->next, &b->alpha);
	if (b->set.path) {
		b->state = b->lost ? -1 : viterbi_step(b, a, x, &to);
		b->lost = b->state < 0;
	}
	n = (size_t)(to.hi - to.lo);
	if (b->blocks && x >= 0)
		memset((char *)b->alpha + n * size, 0,
		    (b->blocks->width[x + 1] - n) * size);
	b->span = to;
	b->x = x;
	b->has_ahead = false;
	return b->lost ? 0 : p;
}

/* ---- the belief ---- */

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

	if (!b->lost && j >= b->span.lo && j < b->span.hi)
		b->tr->kern->get((char *)b->alpha +
			(size_t)(j - b->span.lo) * b->tr->kern->size,
		    &p, 1);
	return p;
}

void
cscg_filter_probs(const struct cscg_filter *b, double *p)
{
	memset(p, 0, (size_t)b->tr->n_states * sizeof *p);
	if (!b->lost)
		b->tr->kern->get(b->alpha, p + b->span.lo,
		    b->span.hi - b->span.lo);
}

int
cscg_filter_top(const struct cscg_filter *b, int n, int *state, double *p)
{
	int j, i, found = 0;
	double v;

	for (j = b->span.lo; !b->lost && j < b->span.hi; j++) {
		v = cscg_filter_prob(b, j);
		if (!(v > 0) || (found == n && v <= p[n - 1]))
			continue;
		for (i = found < n ? found++ : n - 1; i > 0 && v > p[i - 1];
		     i--) {
			p[i] = p[i - 1];
			state[i] = state[i - 1];
		}
		p[i] = v;
		state[i] = j;
	}
	return found;
}
