/*
 * message.c - the messages of the fast engine
 *
 * Forward and backward are chains of small vector-matrix products over the
 * blocks of pack.h; both run the same loop, backward on a transposed copy of
 * T.  They do not need each other, so they run side by side.  Messages are not
 * normalised, only kept from underflow by powers of two: the weight of a
 * transition is one over alpha . beta at its end.
 *
 * A long run is cut into parts at units, which may run side by side, too: a
 * part guesses the message it begins with by starting BURN_IN steps earlier from
 * a uniform one, since the past is soon forgotten.  The part before then says
 * what it should have been; if the guess was not the same up to a factor, the
 * part is run again from there.  While guesses fail, they are not made.
 *
 * With low_memory the forward messages are kept only where units begin; units
 * are then taken from the last to the first, each with its own forward and
 * backward messages in one buffer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "kernel/fast.h"
#include "base/mem.h"

enum {
	BATCH = 256,	/* links handed to the kernel at a time */
	BURN_IN = 1024,	/* steps after which the past is forgotten, perhaps */
	RETRY = 8	/* passes until guesses that failed are made again */
};

/* Three messages that belong to this thread. */
static float *
scratch_of(const struct cscg_blocked *f)
{
	int i = 0;

#ifdef _OPENMP
	if (f->threads > 1)
		i = omp_get_thread_num();
#endif
	return f->scratch + 3 * f->widest * (size_t)i;
}

/* ---- the chains ---- */

/*
 * The backward message of step t of run r, in unit u: it stands at the right
 * of transition t-1 -> t; where that is in the unit before, this is what it is
 * told.
 */
static float *
beta_at(const struct cscg_blocked *f, int u, long r, long t)
{
	if (t == f->pack->run[r])
		return f->tail_beta + f->head[r];
	return t > f->pack->unit[u].from ? cscg_blocked_right(f, u, t - 1) :
	    f->backward + f->edge[u];
}

/*
 * Forward from step `from` of part q, whose message `at` is there, to the end
 * of the part and, if the run goes on, to the first step of the next.  With
 * scratch no messages are kept but those two.  Returns the sum of the last.
 */
static double
forward(struct cscg_blocked *f, const struct cscg_run_part *q, const float *at,
    float *scratch)
{
	float *to[BATCH];
	long t = q->from, last = q->ends_run ? q->to - 1 : q->to, n, first;
	double sum = 0;

	while (t < last) {
		first = t;
		for (n = 0; n < BATCH && t < last; n++, t++) {
			if (t + 1 == q->to)
				to[n] = f->check + f->edge[q->unit + 1];
			else if (!scratch || f->pack->of[t + 1] < 0)
				to[n] = cscg_blocked_alpha(f, q->unit, q->run,
				    t + 1);
			else
				to[n] = scratch + (t & 1) * f->widest;
		}
		sum = f->simd->follow(at, f->block, f->pack->of + first, 1, to,
		    n, f->shift + first + 1);
		at = to[n - 1];
	}
	return sum;
}

/*
 * Backward from step `from` of part q, whose message `at` is there, to the
 * first step of the part, or the second if nobody needs the first.
 */
static void
backward(struct cscg_blocked *f, const struct cscg_run_part *q, long from,
    const float *at)
{
	float *to[BATCH];
	int16_t shift[BATCH];
	long t = from, last = q->from, n, i;

	if (q->begins_run && !f->learn_pi && q->to - q->from > 1)
		last++;
	while (t > last) {
		for (n = 0; n < BATCH && t > last; n++, t--)
			to[n] = beta_at(f, q->unit, q->run, t - 1);
		f->simd->follow(at, f->block + 1, f->pack->of + t + n - 1, -1,
		    to, n, shift);
		for (i = 0; i < n; i++)
			f->shift_back[t + n - 1 - i] = shift[i];
		at = to[n - 1];
	}
}

/* A message of ones over the clones of the symbol of step t. */
static void
fill_ones(const struct cscg_blocked *f, long t, float *at)
{
	int x = f->w->x[t];

	memcpy(at, f->ones + f->pi_at[x],
	    cscg_blocked_width(f, x) * sizeof *at);
}

static void
fill_pi(const struct cscg_blocked *f, long t, float *at)
{
	int x = f->w->x[t];

	memcpy(at, f->pi + f->pi_at[x], cscg_blocked_width(f, x) * sizeof *at);
}

static double
sum_of(const struct cscg_blocked *f, long t, const float *at)
{
	double sum = 0;
	int x = f->w->x[t], j;

	for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
		sum += at[j];
	return sum;
}

/* Are two messages of step t the same up to a factor? */
static bool
same_message(const struct cscg_blocked *f, long t, const float *a, const float *b)
{
	double p = sum_of(f, t, a), q = sum_of(f, t, b);
	int x = f->w->x[t], j;

	if (!(p > 0) || !(q > 0))
		return false;
	for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
		if (fabs(a[j] / p - b[j] / q) > 1e-6)
			return false;
	return true;
}

/* Guess the forward message with which part q begins. */
static void
guess_begin(struct cscg_blocked *f, const struct cscg_run_part *q, float *to)
{
	float *scratch = scratch_of(f), *at = scratch + 2 * f->widest;
	long t = q->from - BURN_IN, run = f->pack->run[q->run];
	int16_t shift;
	float *next;

	if (t <= run) {
		t = run;
		fill_pi(f, t, at);
	} else {
		fill_ones(f, t, at);
	}
	for (; t < q->from; t++) {
		next = t + 1 == q->from ? to : scratch + (t & 1) * f->widest;
		f->simd->follow(at, f->block, f->pack->of + t, 1, &next, 1,
		    &shift);
		at = next;
	}
}

/* Guess the backward message with which part q, which does not close, ends. */
static void
guess_end(struct cscg_blocked *f, const struct cscg_run_part *q, float *to)
{
	float *scratch = scratch_of(f), *at = scratch + 2 * f->widest;
	long t = q->to + BURN_IN, last = f->pack->run[q->run + 1] - 1;
	int16_t shift;
	float *next;

	if (t > last)
		t = last;
	if (t == q->to) {
		fill_ones(f, t, to);
		return;
	}
	fill_ones(f, t, at);
	for (; t > q->to; t--) {
		next = t - 1 == q->to ? to : scratch + (t & 1) * f->widest;
		f->simd->follow(at, f->block + 1, f->pack->of + t - 1, -1,
		    &next, 1, &shift);
		at = next;
	}
}

/* ---- parts ---- */

/* Part q forward from its beginning, which is there unless it opens a run. */
static void
forward_part(struct cscg_blocked *f, long i)
{
	const struct cscg_run_part *q = &f->part[i];
	float *scratch = scratch_of(f), *at;
	double before = 1, sum;
	long t, shifts = 0;

	at = f->low_memory && f->pack->of[q->from] >= 0 ?
	    scratch + 2 * f->widest :
	    cscg_blocked_alpha(f, q->unit, q->run, q->from);
	if (q->begins_run) {
		fill_pi(f, q->from, at);
		f->shift[q->from] = 0;
	} else {
		memcpy(at, f->begin + f->edge[q->unit], cscg_blocked_width(f,
		    f->w->x[q->from]) * sizeof *at);
		before = sum_of(f, q->from, at);
	}
	sum = q->to - q->from > 1 || !q->ends_run ?
	    forward(f, q, at, f->low_memory ? scratch : NULL) :
	    sum_of(f, q->from, at);
	for (t = q->from + 1; t < q->to + !q->ends_run; t++)
		shifts += f->shift[t];
	f->loglik[i] = sum > 0 && before > 0 ? log(sum) - log(before) -
	    (double)shifts * M_LN2 : -INFINITY;
}

static void
guess_forward(struct cscg_blocked *f, long i)
{
	const struct cscg_run_part *q = &f->part[i];

	if (!q->begins_run)
		guess_begin(f, q, f->begin + f->edge[q->unit]);
	forward_part(f, i);
}

/* Part q begins as the part before it says. */
static void
correct_begin(struct cscg_blocked *f, const struct cscg_run_part *q)
{
	memcpy(f->begin + f->edge[q->unit], f->check + f->edge[q->unit],
	    cscg_blocked_width(f, f->w->x[q->from]) * sizeof *f->begin);
}

/* Part q backward; where it does not close its run, its end is there. */
static void
backward_part(struct cscg_blocked *f, long i)
{
	const struct cscg_run_part *q = &f->part[i];
	float *at;

	if (q->ends_run) {
		at = beta_at(f, q->unit, q->run, q->to - 1);
		fill_ones(f, q->to - 1, at);
		backward(f, q, q->to - 1, at);
	} else {
		backward(f, q, q->to, cscg_blocked_right(f, q->unit, q->to - 1));
	}
}

static void
guess_backward(struct cscg_blocked *f, long i)
{
	const struct cscg_run_part *q = &f->part[i];

	if (!q->ends_run)
		guess_end(f, q, cscg_blocked_right(f, q->unit, q->to - 1));
	backward_part(f, i);
}

/* Part q ends as the part after it says. */
static void
correct_end(struct cscg_blocked *f, const struct cscg_run_part *q)
{
	memcpy(cscg_blocked_right(f, q->unit, q->to - 1),
	    f->backward + f->edge[q->unit + 1],
	    cscg_blocked_width(f, f->w->x[q->to]) * sizeof *f->backward);
}

/* Both directions of all parts as one list of jobs; even: forward. */
static void
guess_part(struct cscg_blocked *f, long i)
{
	if (i % 2 == 0)
		guess_forward(f, i / 2);
	else
		guess_backward(f, i / 2);
}

/* Forward parts whose guess was wrong, in order. */
static void
redo_wrong_forward(struct cscg_blocked *f)
{
	const struct cscg_run_part *q;
	long i;

	for (i = 0; i < f->n_parts; i++) {
		q = &f->part[i];
		if (q->begins_run || same_message(f, q->from, f->begin + f->edge[q->unit],
		    f->check + f->edge[q->unit]))
			continue;
		f->misses++;
		correct_begin(f, q);
		forward_part(f, i);
	}
}

/* The end of part q was guessed: is it what the part after it says? */
static bool
end_is_right(const struct cscg_blocked *f, const struct cscg_run_part *q)
{
	return q->ends_run || same_message(f, q->to, cscg_blocked_right(f, q->unit, q->to - 1),
	    f->backward + f->edge[q->unit + 1]);
}

static void
redo_wrong_backward(struct cscg_blocked *f)
{
	long i;

	for (i = f->n_parts - 1; i >= 0; i--) {
		if (end_is_right(f, &f->part[i]))
			continue;
		f->misses++;
		correct_end(f, &f->part[i]);
		backward_part(f, i);
	}
}

/* All parts of a run one after the other, without guessing. */
static void
run_in_order(struct cscg_blocked *f, long i)
{
	long r = i / 2, first = f->part_of_run[r], last, k;

	last = f->part_of_run[r + 1];
	for (k = first; i % 2 == 0 && k < last; k++) {
		if (!f->part[k].begins_run)
			correct_begin(f, &f->part[k]);
		forward_part(f, k);
	}
	for (k = last - 1; i % 2 == 1 && k >= first; k--) {
		if (!f->part[k].ends_run)
			correct_end(f, &f->part[k]);
		backward_part(f, k);
	}
}

static void
forward_in_order(struct cscg_blocked *f, long r)
{
	run_in_order(f, 2 * r);
}

/* A part of unit `now` a second time, with its messages kept. */
static void
recompute_part(struct cscg_blocked *f, long i)
{
	const struct cscg_run_part *q = &f->part[f->part_of_unit[f->current_unit] + i / 2];
	float *at;

	if (i % 2 == 1) {
		backward_part(f, q - f->part);
		return;
	}
	at = cscg_blocked_alpha(f, q->unit, q->run, q->from);
	if (q->begins_run)
		fill_pi(f, q->from, at);
	else
		memcpy(at, f->begin + f->edge[q->unit], cscg_blocked_width(f,
		    f->w->x[q->from]) * sizeof *at);
	forward(f, q, at, NULL);
}

/* Both directions of unit `now`, from what the first time has kept. */
static void
recompute_unit(struct cscg_blocked *f)
{
	const struct cscg_run_part *q = &f->part[f->part_of_unit[f->current_unit + 1] - 1];

	/* Only the last part of a unit can go on in the next. */
	if (!q->ends_run) {
		if (!f->in_order)
			guess_end(f, q, cscg_blocked_right(f, q->unit, q->to - 1));
		if (f->in_order || !end_is_right(f, q)) {
			f->misses += !f->in_order;
			correct_end(f, q);
		}
	}
	cscg_blocked_parallel(f, 2 * (f->part_of_unit[f->current_unit + 1] - f->part_of_unit[f->current_unit]),
	    recompute_part);
}

/* The first time: all messages, or with low_memory what a second needs. */
static void
first_pass(struct cscg_blocked *f, bool both)
{
	if (f->in_order && both) {
		cscg_blocked_parallel(f, 2 * f->pack->n_runs, run_in_order);
	} else if (f->in_order) {
		cscg_blocked_parallel(f, f->pack->n_runs, forward_in_order);
	} else if (both) {
		cscg_blocked_parallel(f, 2 * f->n_parts, guess_part);
		redo_wrong_forward(f);
		redo_wrong_backward(f);
	} else {
		cscg_blocked_parallel(f, f->n_parts, guess_forward);
		redo_wrong_forward(f);
	}
}

void
cscg_blocked_sum_misses(struct cscg_blocked *f)
{
	f->all_misses = f->misses;
	if (f->has_cuts)
		cscg_ranks_sum(f->ranks, &f->all_misses, 1);
}

/*
 * The log-likelihood of all units of all ranks, in their order.  A sum of the
 * bits of one double and of zeros is that double.
 */
static double
sum_loglik(struct cscg_blocked *f)
{
	double sum = 0;
	long i;
	int u;

	for (i = 0; i < f->all_units; i++)
		f->sum[i].bits = 0;
	for (u = 0; u < f->pack->n_units; u++)
		for (i = f->part_of_unit[u]; i < f->part_of_unit[u + 1]; i++)
			f->sum[f->before + u].v += f->loglik[i];
	cscg_ranks_sum(f->ranks, &f->sum->bits, (size_t)f->all_units);
	for (i = 0; i < f->all_units; i++)
		sum += f->sum[i].v;
	return sum;
}

void
cscg_blocked_pass(struct cscg_blocked *f, bool counts, double *loglik)
{
	cscg_blocked_sum_misses(f);
	f->in_order = f->all_misses && f->passes % RETRY;
	if (!f->in_order)
		f->misses = 0;
	f->passes++;
	first_pass(f, counts && !f->low_memory);
	*loglik = sum_loglik(f);
	if (!counts || isinf(*loglik) || f->low_memory)
		return;
	memset(f->start, 0, (size_t)f->S * sizeof *f->start);
	cscg_blocked_set_weights(f, 0, f->pack->n_units);
}

void
cscg_blocked_recompute(struct cscg_blocked *f)
{
	int u;

	memset(f->start, 0, (size_t)f->S * sizeof *f->start);
	for (u = f->pack->n_units - 1; u >= 0; u--) {
		f->current_unit = u;
		recompute_unit(f);
		cscg_blocked_set_weights(f, u, u + 1);
		f->current_unit = u;
		cscg_blocked_count_unit(f);
	}
}
