/*
 * estep_blocked.c - fast E-step of EM on T: blocked messages with SIMD
 *
 * Reproducibility: a chain of messages is computed in time order.  A piece (a
 * group within a unit) is summed by one thread in time order, and pieces are
 * added as integers, whose sum does not depend on the order.  Log-likelihoods
 * are added in the order of units.  So the result is the same for any number
 * of threads, with or without low_memory.
 *
 * The same holds for any number of ranks: each has whole units of the walk, in
 * order, and the groups of all ranks.  Counts are added over ranks when they
 * are accepted; each rank then computes T from them.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/stats.h"
#include "kernel/estep_blocked.h"

/*
 * A count below this fraction of the pseudocount is replaced by 0, since it
 * hardly changes T.
 */
static const double MIN_SHARE = 1.0 / 5000;

/* A job of a parallel loop; scratch: three messages of this thread. */
typedef void blocked_job(struct cscg_blocked *f, long i, float *scratch);

struct blocked_loop {
	struct cscg_blocked *f;
	blocked_job *job;
};

static void
run_job(void *ctx, long i, void *scratch)
{
	const struct blocked_loop *loop = ctx;

	loop->job(loop->f, i, scratch);
}

/* Run job for 0 .. n-1 on all threads. */
static void
blocked_parallel(struct cscg_blocked *f, long n, blocked_job *job)
{
	struct blocked_loop loop = { f, job };
	const struct cscg_parallel each = { .body = run_job,
		.ctx = &loop,
		.states = f->scratch,
		.state_size = 3 * f->widest * sizeof *f->scratch };

	cscg_parallel_for(&each, n, f->threads, NULL);
}

/*
 * The messages of the blocked engine
 *
 * Forward and backward are chains of small vector-matrix products over the
 * blocks of pack.h; both run the same loop, backward on a transposed copy of
 * T.  They are independent, so they run in parallel.  Messages are not
 * normalised, only scaled by powers of two against underflow: the weight of a
 * transition is one over alpha . beta at its end.
 *
 * A long run is cut into parts at units, which also run in parallel: a part
 * guesses its initial message by starting BURN_IN steps earlier from a uniform
 * one, since an HMM forgets its initial message quickly.  The part before then
 * provides the exact message; if the guess differs by more than a factor, the
 * part is computed again.  While guesses fail, they are made only in every
 * RETRY-th pass.
 *
 * With low_memory the forward messages are stored only where units begin;
 * units are then processed from the last to the first, each with its own
 * forward and backward messages in one buffer.
 */

enum {
	BATCH = 256,    /* chain steps per call of the kernel */
	BURN_IN = 1024, /* steps after which the initial message is
	                   forgotten */
	RETRY = 8,      /* passes until failed guesses are tried again */
	SEGMENT =
	    4096, /* steps of a chain that a thread takes at a time ... */
	FEW_PARTS = 16, /* ... where a walk has at most this number of parts */
};

/* ---- the chains ---- */

/*
 * The backward message of step t of run r, in unit u: it is stored at the
 * right of transition t-1 -> t; where that transition is in the unit before,
 * it is in f->backward.
 */
static float *
beta_at(const struct cscg_blocked *f, int u, long r, long t)
{
	if (t == f->pack->run[r])
		return f->tail_beta + f->head[r];
	return t > f->pack->unit[u].from ? cscg_blocked_right(f, u, t - 1) :
					   f->backward + f->edge[u];
}

/* The step at which the forward chain of part q ends: its last, or the next. */
static long
forward_end(const struct cscg_run_part *q)
{
	return q->ends_run ? q->to - 1 : q->to;
}

/* The step at which the backward chain ends: the first if it is needed. */
static long
backward_end(const struct cscg_blocked *f, const struct cscg_run_part *q)
{
	return q->from +
	    (q->begins_run && !f->learn_pi && q->to - q->from > 1);
}

/*
 * Forward from step t of part q, whose message is `at`, to step last.  With
 * scratch only these two messages are stored.  Returns the sum of the last
 * message.
 */
static double
forward(struct cscg_blocked *f, const struct cscg_run_part *q, long t,
    long last, const float *at, float *scratch)
{
	float *to[BATCH];
	double sum = 0;
	long n, first;

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
		    n, f->shift + first + 1, f->is_far);
		at = to[n - 1];
	}
	return sum;
}

/* Backward from step t of part q, whose message is `at`, to step last. */
static void
backward(struct cscg_blocked *f, const struct cscg_run_part *q, long t,
    long last, const float *at)
{
	float *to[BATCH];
	int16_t shift[BATCH];
	long n, i;

	while (t > last) {
		for (n = 0; n < BATCH && t > last; n++, t--)
			to[n] = beta_at(f, q->unit, q->run, t - 1);
		f->simd->follow(at, f->block + 1, f->pack->of + t + n - 1, -1,
		    to, n, shift, f->is_far);
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

/* Whether two messages of step t are proportional. */
static bool
same_message(const struct cscg_blocked *f, long t, const float *a,
    const float *b)
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

/*
 * The message of step `last` into `to`: by the chain in this direction (1, -1)
 * from step t, whose message is at scratch + 2 * widest.
 */
static void
burn_in(struct cscg_blocked *f, long t, long last, int by, float *to,
    float *scratch)
{
	float *at = scratch + 2 * f->widest, *next;
	int16_t shift;

	for (; t != last; t += by, at = next) {
		next = t + by == last ? to : scratch + (t & 1) * f->widest;
		f->simd->follow(at, f->block + (by < 0),
		    f->pack->of + t - (by < 0), by, &next, 1, &shift,
		    f->is_far);
	}
}

/* ---- parts ---- */

/*
 * The chains of a part: chain 2 i is the forward one of part i, 2 i + 1 the
 * backward one.  The initial message of a chain is known where a run begins or
 * ends; elsewhere it is guessed, and the chain of the next part computes it.
 */
struct joint {
	bool is_known;
	long t;             /* its step */
	float *guess;       /* with which the chain starts */
	const float *exact; /* from the other part */
};

static struct joint
joint_of(const struct cscg_blocked *f, long chain)
{
	const struct cscg_run_part *q = &f->part[chain / 2];

	if (chain % 2 == 0)
		return (struct joint){ q->begins_run, q->from,
			f->begin + f->edge[q->unit],
			f->check + f->edge[q->unit] };
	if (q->ends_run)
		return (struct joint){ .is_known = true };
	return (struct joint){ false, q->to,
		cscg_blocked_right(f, q->unit, q->to - 1),
		f->backward + f->edge[q->unit + 1] };
}

/* Guess the initial message of a chain, unless it is known. */
static void
guess(struct cscg_blocked *f, long chain, float *scratch)
{
	const struct cscg_run_part *q = &f->part[chain / 2];
	const struct joint joint = joint_of(f, chain);
	long run = f->pack->run[q->run], last = f->pack->run[q->run + 1] - 1;
	long t = joint.t + (chain % 2 ? BURN_IN : -BURN_IN);
	float *at = scratch + 2 * f->widest;

	if (joint.is_known)
		return;
	if (t <= run) {
		t = run;
		fill_pi(f, t, at);
	} else {
		t = t < last ? t : last;
		fill_ones(f, t, t == joint.t ? joint.guess : at);
	}
	burn_in(f, t, joint.t, chain % 2 ? -1 : 1, joint.guess, scratch);
}

static bool
guess_is_right(const struct cscg_blocked *f, long chain)
{
	const struct joint joint = joint_of(f, chain);

	return joint.is_known ||
	    same_message(f, joint.t, joint.guess, joint.exact);
}

/* Replace the guess by the message of the other part. */
static void
correct(struct cscg_blocked *f, long chain)
{
	const struct joint joint = joint_of(f, chain);

	if (!joint.is_known)
		memcpy(joint.guess, joint.exact,
		    cscg_blocked_width(f, f->w->x[joint.t]) *
			sizeof *joint.guess);
}

/* Set the forward message `at` of the first step of part q. */
static void
begin_forward(struct cscg_blocked *f, const struct cscg_run_part *q, float *at)
{
	if (q->begins_run) {
		fill_pi(f, q->from, at);
		f->shift[q->from] = 0;
	} else {
		memcpy(at, f->begin + f->edge[q->unit],
		    cscg_blocked_width(f, f->w->x[q->from]) * sizeof *at);
	}
}

/* The log-likelihood of part i, whose last forward message has this sum. */
static void
end_forward(struct cscg_blocked *f, long i, double sum)
{
	const struct cscg_run_part *q = &f->part[i];
	double before = q->begins_run ?
	    1 :
	    sum_of(f, q->from, f->begin + f->edge[q->unit]);
	long t, shifts = 0;

	for (t = q->from + 1; t <= forward_end(q); t++)
		shifts += f->shift[t];
	f->loglik[i] = before > 0 ?
	    log(sum) - log(before) - (double)shifts * M_LN2 :
	    -INFINITY;
}

/* Advance the forward chain of part i from step t to step last. */
static void
advance_forward(struct cscg_blocked *f, long i, long t, long last,
    float *scratch)
{
	const struct cscg_run_part *q = &f->part[i];
	float *at = f->low_memory && f->pack->of[t] >= 0 ?
	    scratch + 2 * f->widest :
	    cscg_blocked_alpha(f, q->unit, q->run, t);
	double sum;

	if (t == q->from)
		begin_forward(f, q, at);
	sum = last > t ?
	    forward(f, q, t, last, at, f->low_memory ? scratch : NULL) :
	    sum_of(f, t, at);
	if (last == forward_end(q))
		end_forward(f, i, sum);
}

/* The same for the backward chain. */
static void
advance_backward(struct cscg_blocked *f, long i, long t, long last)
{
	const struct cscg_run_part *q = &f->part[i];
	float *at = t == q->to ? cscg_blocked_right(f, q->unit, t - 1) :
				 beta_at(f, q->unit, q->run, t);

	if (t == q->to - 1 && q->ends_run)
		fill_ones(f, t, at);
	backward(f, q, t, last, at);
}

/* The number of steps of a chain. */
static long
chain_steps(const struct cscg_blocked *f, long chain)
{
	const struct cscg_run_part *q = &f->part[chain / 2];

	return forward_end(q) - (chain % 2 ? backward_end(f, q) : q->from);
}

/*
 * Advance a chain of which `left` steps are left by at most `most` steps;
 * returns the rest.
 */
static long
advance(struct cscg_blocked *f, long chain, long left, long most,
    float *scratch)
{
	const struct cscg_run_part *q = &f->part[chain / 2];
	long n = left < most ? left : most, end;

	if (chain % 2 == 0) {
		end = forward_end(q);
		advance_forward(f, chain / 2, end - left, end - left + n,
		    scratch);
	} else {
		end = backward_end(f, q);
		advance_backward(f, chain / 2, end + left, end + left - n);
	}
	return left - n;
}

/* A whole chain from its initial message. */
static void
run_chain(struct cscg_blocked *f, long chain, float *scratch)
{
	advance(f, chain, chain_steps(f, chain), LONG_MAX, scratch);
}

static void
guess_and_run(struct cscg_blocked *f, long chain, float *scratch)
{
	guess(f, chain, scratch);
	run_chain(f, chain, scratch);
}

static void
guess_forward(struct cscg_blocked *f, long i, float *scratch)
{
	guess_and_run(f, 2 * i, scratch);
}

/*
 * Few parts on several threads: a thread advances the chain that has most steps left by
 * a segment, so that all threads end at about the same time.  The messages
 * are the same.
 */
struct segments {
	struct cscg_blocked *f;
	pthread_mutex_t lock;
	long left[2 * FEW_PARTS]; /* steps of each chain */
	bool is_taken[2 * FEW_PARTS];
};

/* A chain that no thread advances, the longest; -1: none. */
static int
take_chain(struct segments *s, int before, long left)
{
	int i, best = -1;

	pthread_mutex_lock(&s->lock);
	if (before >= 0) {
		s->left[before] = left;
		s->is_taken[before] = false;
	}
	for (i = 0; i < 2 * (int)s->f->n_parts; i++)
		if (!s->is_taken[i] && s->left[i] > 0 &&
		    (best < 0 || s->left[i] > s->left[best]))
			best = i;
	if (best >= 0)
		s->is_taken[best] = true;
	pthread_mutex_unlock(&s->lock);
	return best;
}

static void
run_segments(void *ctx, long thread, void *scratch)
{
	struct segments *s = ctx;
	long left = 0;
	int i = -1;

	(void)thread;
	while ((i = take_chain(s, i, left)) >= 0) {
		if (s->left[i] == chain_steps(s->f, i))
			guess(s->f, i, scratch);
		left = advance(s->f, i, s->left[i], SEGMENT, scratch);
	}
}

/* Both directions of all parts; false if there are too many or too short ones. */
static bool
guess_by_segments(struct cscg_blocked *f)
{
	struct segments s = { .f = f, .lock = PTHREAD_MUTEX_INITIALIZER };
	const struct cscg_parallel each = { .body = run_segments,
		.ctx = &s,
		.states = f->scratch,
		.state_size = 3 * f->widest * sizeof *f->scratch };
	long i;

	if (f->n_parts > FEW_PARTS || 2 * f->n_parts <= f->threads)
		return false;
	for (i = 0; i < 2 * f->n_parts; i++) {
		s.left[i] = chain_steps(f, i);
		if (s.left[i] < 1)
			return false;
	}
	cscg_parallel_for(&each, f->threads, f->threads, NULL);
	pthread_mutex_destroy(&s.lock);
	return true;
}

/*
 * The chain that comes k-th of n parts from the first on, if they are computed
 * in order in this direction (0: forward, 1: backward).
 */
static long
chain_in_order(long first, long n, long k, int direction)
{
	return 2 * (first + (direction ? n - 1 - k : k)) + direction;
}

/* Recompute chains whose guess was wrong, in order. */
static void
redo_wrong(struct cscg_blocked *f, int direction)
{
	long k, chain;

	for (k = 0; k < f->n_parts; k++) {
		chain = chain_in_order(0, f->n_parts, k, direction);
		if (guess_is_right(f, chain))
			continue;
		f->misses++;
		correct(f, chain);
		run_chain(f, chain, f->scratch);
	}
}

/* All parts of a run in sequence, without guessing. */
static void
run_in_order(struct cscg_blocked *f, long i, float *scratch)
{
	long first = f->part_of_run[i / 2], k, chain;
	long n = f->part_of_run[i / 2 + 1] - first;

	for (k = 0; k < n; k++) {
		chain = chain_in_order(first, n, k, (int)(i % 2));
		correct(f, chain);
		run_chain(f, chain, scratch);
	}
}

static void
forward_in_order(struct cscg_blocked *f, long r, float *scratch)
{
	run_in_order(f, 2 * r, scratch);
}

/* Recompute a part of the current unit, storing its messages. */
static void
recompute_part(struct cscg_blocked *f, long i, float *scratch)
{
	long chain = 2 * f->part_of_unit[f->current_unit] + i;
	const struct cscg_run_part *q = &f->part[chain / 2];
	float *at;

	if (chain % 2 == 1) {
		run_chain(f, chain, scratch);
		return;
	}
	at = cscg_blocked_alpha(f, q->unit, q->run, q->from);
	begin_forward(f, q, at);
	forward(f, q, q->from, forward_end(q), at, NULL);
}

/*
 * Both directions of the current unit, from the messages stored by the first
 * pass.
 */
static void
recompute_unit(struct cscg_blocked *f)
{
	long first = f->part_of_unit[f->current_unit];
	long end = f->part_of_unit[f->current_unit + 1];
	/* Only the last part of a unit can continue in the next. */
	long chain = 2 * (end - 1) + 1;

	if (!f->in_order)
		guess(f, chain, f->scratch);
	if (f->in_order || !guess_is_right(f, chain)) {
		f->misses += !f->in_order;
		correct(f, chain);
	}
	blocked_parallel(f, 2 * (end - first), recompute_part);
}

/*
 * The first pass: all messages, or with low_memory those the second pass
 * needs.
 */
static void
first_pass(struct cscg_blocked *f, bool both)
{
	if (f->in_order && both) {
		blocked_parallel(f, 2 * f->pack->n_runs, run_in_order);
	} else if (f->in_order) {
		blocked_parallel(f, f->pack->n_runs, forward_in_order);
	} else if (both) {
		if (f->threads == 1 || !guess_by_segments(f))
			blocked_parallel(f, 2 * f->n_parts, guess_and_run);
		redo_wrong(f, 0);
		redo_wrong(f, 1);
	} else {
		blocked_parallel(f, f->n_parts, guess_forward);
		redo_wrong(f, 0);
	}
}

/* The number of wrong guesses of all ranks: f->all_misses. */
static void
blocked_sum_misses(struct cscg_blocked *f)
{
	f->all_misses = f->misses;
	cscg_ranks_sum(f->ranks, &f->all_misses, 1);
}

/*
 * The log-likelihood of all units of all ranks, added in order.  A sum of the
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

/*
 * The expected counts of a unit from its messages
 *
 * The transitions of a group within a unit are adjacent, so that their counts
 * are one matrix product, added up as integers.
 */

enum {
	STEPS_PER_JOB = 1024, /* steps per job of set_weights() */
	RENORM_STEPS = 32,    /* steps from one alpha . beta to the next */
};

/* The weights of the transitions of unit u, in its order. */
static float *
factor_of(const struct cscg_blocked *f, int u)
{
	return f->factor + (f->low_memory ? 0 : f->pack->unit[u].before);
}

/*
 * alpha . beta at the end of transition t of run r, which is in the current
 * unit.
 */
static float
alpha_dot_beta(const struct cscg_blocked *f, long r, long t)
{
	const struct cscg_pack *p = f->pack;
	const float *a;

	if (t + 1 < p->unit[f->current_unit].to)
		a = cscg_blocked_alpha(f, f->current_unit, r, t + 1);
	else
		a = f->check + f->edge[f->current_unit + 1];
	return f->simd->dot(a, cscg_blocked_right(f, f->current_unit, t),
	    p->group[p->of[t]].cols_pad);
}

/*
 * The weights of some transitions of the current unit.  alpha . beta is
 * constant along a run except for the powers of two, so it is computed only
 * every RENORM_STEPS steps, often enough that rounding errors do not
 * accumulate.
 */
static void
set_weights(struct cscg_blocked *f, long i, float *scratch)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_pack_unit *u = &p->unit[f->current_unit];
	long t = u->from + i * STEPS_PER_JOB, end = t + STEPS_PER_JOB,
	     r = u->run;
	float one = 0; /* 1 / (alpha . beta) at t, 0: unknown */
	float *factor = factor_of(f, f->current_unit);

	(void)scratch;
	if (end > u->to)
		end = u->to;
	while (p->run[r + 1] <= t)
		r++;
	for (; t < end; t++) {
		if (p->of[t] < 0) {
			r++;
			one = 0;
			continue;
		}
		if ((t - u->from) % RENORM_STEPS == 0 || one == 0)
			one = 1 / alpha_dot_beta(f, r, t);
		else if (f->shift_back[t] != f->shift[t + 1])
			one = scalbnf(one, f->shift_back[t] - f->shift[t + 1]);
		factor[p->order[t]] = f->shift[t + 1] ?
		    scalbnf(one, f->shift[t + 1]) :
		    one;
	}
}

/* The counts of one piece. */
static void
add_piece(struct cscg_blocked *f, const struct cscg_pack_piece *q)
{
	const struct cscg_pack_group *g = &f->pack->group[q->group];
	bool is_sparse = !f->block[2 * q->group].dense;
	struct cscg_gram gram = {
		f->alpha + f->left[q->unit] + q->left,
		f->beta + f->right[q->unit] + q->right,
		factor_of(f, q->unit) + q->first,
		f->T + g->block,
		g->rows,
		g->rows_pad,
		g->cols_pad,
		(long)q->n,
		f->counts + g->block,
		q->last,
		f->live + g->live,
		f->block[2 * q->group].row_factor,
		f->block[2 * q->group].col_factor,
		f->live_next + g->live,
		f->min_count / (double)g->n,
	};

	if (q->last)
		cscg_blocked_set_live(f, g, !is_sparse, f->live_next);
	if (is_sparse)
		f->simd->gram_sparse(&gram, ldexp(1, f->bits));
	else
		f->simd->gram(&gram, ldexp(1, f->bits));
}

static void
add_unit_piece(struct cscg_blocked *f, long i, float *scratch)
{
	(void)scratch;
	add_piece(f, &f->pack->unit[f->current_unit].piece[i]);
}

/* Add the counts of the current unit, whose weights are set. */
static void
blocked_count_unit(struct cscg_blocked *f)
{
	blocked_parallel(f, f->pack->unit[f->current_unit].n_pieces,
	    add_unit_piece);
}

/* Replace the counts of group g by those of all units. */
static void
blocked_count_group(struct cscg_blocked *f, int g)
{
	const struct cscg_pack *p = f->pack;
	long k;

	for (k = p->piece_of[g]; k < p->piece_of[g + 1]; k++)
		add_piece(f, p->piece[k]);
}

/*
 * The posterior of the first step of each run that starts in the current unit.
 */
static void
add_starts(struct cscg_blocked *f)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_pack_unit *u = &p->unit[f->current_unit];
	double z, unit = ldexp(1, f->bits);
	long r;
	int j, x;

	for (r = u->run; r < p->n_runs && p->run[r] < u->to; r++) {
		const float *a, *b;

		if (p->run[r] < u->from)
			continue;
		x = f->w->x[p->run[r]];
		a = cscg_blocked_alpha(f, f->current_unit, r, p->run[r]);
		b = f->tail_beta + f->head[r];
		z = f->simd->dot(a, b, cscg_blocked_width(f, x));
		for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
			f->start[f->clones[x] + j] += llrint(a[j] * b[j] / z *
			    unit);
	}
}

/*
 * Set the weights of the transitions of units first..last-1, whose messages
 * have been computed.
 */
static void
blocked_set_weights(struct cscg_blocked *f, int first, int last)
{
	const struct cscg_pack_unit *u;

	/* From the last to the first, as with low_memory. */
	for (f->current_unit = last - 1; f->current_unit >= first;
	     f->current_unit--) {
		u = &f->pack->unit[f->current_unit];
		blocked_parallel(f,
		    (u->to - u->from + STEPS_PER_JOB - 1) / STEPS_PER_JOB,
		    set_weights);
		if (f->learn_pi)
			add_starts(f);
	}
}

/* ---- a pass ---- */

/*
 * Pass messages under T: the log-likelihood and, with counts, the data for the
 * counts: all messages, weighted, and f->start; with low_memory only the
 * messages from which blocked_recompute() starts.
 */
static void
blocked_pass(struct cscg_blocked *f, bool counts, double *loglik)
{
	blocked_sum_misses(f);
	f->in_order = f->all_misses && f->passes % RETRY;
	if (!f->in_order)
		f->misses = 0;
	f->passes++;
	first_pass(f, counts && !f->low_memory);
	*loglik = sum_loglik(f);
	if (!counts || isinf(*loglik) || f->low_memory)
		return;
	memset(f->start, 0, (size_t)f->S * sizeof *f->start);
	blocked_set_weights(f, 0, f->pack->n_units);
}

/* With low_memory: the counts and f->start, unit by unit. */
static void
blocked_recompute(struct cscg_blocked *f)
{
	int u;

	memset(f->start, 0, (size_t)f->S * sizeof *f->start);
	for (u = f->pack->n_units - 1; u >= 0; u--) {
		f->current_unit = u;
		recompute_unit(f);
		blocked_set_weights(f, u, u + 1);
		f->current_unit = u;
		blocked_count_unit(f);
	}
}

/* ---- T and pi ---- */

/* Set pi in the layout of messages. */
static void
blocked_set_pi(struct cscg_blocked *f)
{
	int x, j;

	for (x = 0; x < f->w->head.n_obs; x++)
		for (j = f->clones[x]; j < f->clones[x + 1]; j++)
			f->pi[f->pi_at[x] + (size_t)(j - f->clones[x])] =
			    (float)f->pi_d[j];
}

/* ---- loaded counts ---- */

/* The loaded counts of a row: of states k[0 .. n-1], ascending; NULL: of all. */
struct loaded_row {
	int a, j, n;
	const int *k;
	const double *c;
};

/* Receives a row; scratch: n_states numbers of this thread. */
typedef void blocked_row(void *ctx, const struct loaded_row *r,
    double *scratch);

/*
 * Call fn for the rows of one part of the loaded counts.  Returns the generator
 * after it.
 */
static struct cscg_rng
for_each_of_part(struct cscg_blocked *f, int part, blocked_row *fn, void *ctx,
    double *scratch)
{
	const struct cscg_model *m = f->loaded;
	long rows = (long)f->A * f->S, row, from;
	long end = rows * (part + 1) / CSCG_BLOCKED_PARTS;
	struct cscg_rng rng = f->rng[part];
	int k;

	for (row = rows * part / CSCG_BLOCKED_PARTS; row < end; row++) {
		struct loaded_row r = { (int)(row / f->S), (int)(row % f->S),
			f->S, NULL, scratch };

		for (k = 0; !m && k < f->S; k++)
			scratch[k] = cscg_rng_uniform(&rng);
		if (m) {
			from = m->first[row];
			r.n = (int)(m->first[row + 1] - from);
			r.k = m->to + from;
			r.c = m->count + from;
		}
		fn(ctx, &r, scratch + f->S);
	}
	return rng;
}

/* Call fn for every row of the loaded counts, in order; sets f->rng from [1] on. */
static void
for_each_loaded(struct cscg_blocked *f, blocked_row *fn, void *ctx)
{
	struct cscg_rng after;
	int part;

	for (part = 0; part < CSCG_BLOCKED_PARTS; part++) {
		after = for_each_of_part(f, part, fn, ctx, f->row_scratch);
		if (part + 1 < CSCG_BLOCKED_PARTS)
			f->rng[part + 1] = after;
	}
}

/*
 * The next counts of row r from the i-th on that are in no block, then those of
 * one block: groups are tried from *g, the first of the row's panel, on.  Sets
 * *in and *end to their indices; *g is the group of in..end-1, if any.
 */
static void
next_block(const struct cscg_blocked *f, const struct loaded_row *r, int i,
    int *g, int *in, int *end)
{
	long panel = (long)r->a * f->w->head.n_obs + f->symbol[r->j];
	int to;

	for (; *g < f->panel[panel + 1]; ++*g) {
		to = f->pack->group[*g].to;
		*in = f->clones[to];
		*end = f->clones[to + 1];
		if (!r->k)
			return;
		for (*in = i; *in < r->n && r->k[*in] < f->clones[to]; ++*in)
			;
		for (*end = *in; *end < r->n && r->k[*end] < f->clones[to + 1];
		     ++*end)
			;
		if (*end > *in)
			return;
	}
	*in = *end = r->n;
}

static int
first_group(const struct cscg_blocked *f, const struct loaded_row *r)
{
	return f->panel[(long)r->a * f->w->head.n_obs + f->symbol[r->j]];
}

/* Add the logs of c + p of a row outside the blocks, less those of p. */
static void
log_row(void *ctx, const struct loaded_row *r, double *outside)
{
	struct cscg_blocked *f = ctx;
	int g = first_group(f, r), i = 0, in, end;
	long n = 0;

	for (; i < r->n; i = end, g++) {
		next_block(f, r, i, &g, &in, &end);
		for (; i < in; i++)
			outside[n++] = r->c[i] + f->pseudocount;
	}
	if (n)
		f->rest_log[(long)r->a * f->S + r->j] += f->simd->log_sum(
							     outside, n) -
		    (double)n * log(f->pseudocount);
}

static void
log_part(void *ctx, long part, void *scratch)
{
	for_each_of_part(ctx, (int)part, log_row, ctx, scratch);
}

/* The sum of log(c + p) over the entries of each row outside the blocks. */
static void
log_rest(struct cscg_blocked *f)
{
	const struct cscg_parallel each = { .body = log_part,
		.ctx = f,
		.states = f->row_scratch,
		.state_size = 2 * (size_t)f->S * sizeof *f->row_scratch };
	long row;
	int a, j, g, missing;

	if (f->pseudocount <= 0)
		return;
	for (row = 0; row < (long)f->A * f->S; row++) {
		a = (int)(row / f->S);
		j = (int)(row % f->S);
		missing = f->S;
		for (g = f->panel[(long)a * f->w->head.n_obs + f->symbol[j]];
		     g <
		     f->panel[(long)a * f->w->head.n_obs + f->symbol[j] + 1];
		     g++)
			missing -= (int)f->pack->group[g].cols;
		f->rest_log[row] = missing * log(f->pseudocount);
	}
	cscg_parallel_for(&each, CSCG_BLOCKED_PARTS, f->threads, NULL);
}

/* Fill in the vectors of group q that are not stored, of T and the counts. */
static void
fill_missing(struct cscg_blocked *f, const struct cscg_pack_group *q,
    const float *level, const float *ones)
{
	uint32_t width = (uint32_t)f->pack->width, j, k, c;

	for (j = 0; j < q->rows; j++)
		for (c = 0; c < q->cols_pad / width; c++) {
			size_t at = q->block + (size_t)j * q->cols_pad +
			    c * width;

			if (f->live[q->live + j] >> c & 1)
				continue;
			for (k = 0; k < width; k++) {
				f->T[at + k] = level[j] * ones[c * width + k];
				f->counts[at + k] = 0;
			}
		}
	cscg_blocked_set_live(f, q, true, f->live);
}

/*
 * Set the block of group g for the chains, forward and backward.  Where blocks exceed
 * the inner caches, both directions read the same one: reading half as much
 * matters more than the order of the products.
 */
static void
set_blocks(struct cscg_blocked *f, int g)
{
	const struct cscg_pack_group *q = &f->pack->group[g];
	const float *T = f->T + q->block, *ones = f->ones + f->pi_at[q->to];
	const float *level = f->level + (size_t)q->a * f->n_pi +
	    f->pi_at[q->from];
	float *transposed = f->transposed + q->transposed;
	uint16_t *col = f->row + q->row, *col_back = f->row + q->row_back;
	const float *dense = NULL; /* of the backward chains */
	bool right = false;
	struct cscg_sparsify s = { .block = T,
		.level = level,
		.rows = q->rows,
		.rows_pad = q->rows_pad,
		.cols_pad = q->cols_pad,
		.live = f->live + q->live,
		.forward = { f->bundles + q->bundles, col,
		    col + q->max_bundles, q->max_bundles },
		.backward = { transposed, col_back,
		    col_back + q->max_bundles_back, q->max_bundles_back },
		.n_back = -1 };

	if (q->max_bundles &&
	    f->n_counts[g] <=
		(long)q->max_bundles * CSCG_BUNDLE * f->pack->width)
		f->simd->sparsify(&s);
	if (s.n_back < 0) {
		if (q->max_bundles)
			fill_missing(f, q, level, ones);
		right = f->is_far &&
		    q->cols_pad <= CSCG_RIGHT_MAX * (uint32_t)f->pack->width;
		if (!right)
			f->simd->transpose(T, q->rows, q->cols_pad, q->cols,
			    transposed, q->rows_pad);
		s.n = 0;
		s.n_back = right;
		dense = right ? T : transposed;
	}
	f->block[2 * g] = (struct cscg_block){ dense ? T : NULL,
		s.forward.value, ones, level, s.forward.col, s.forward.row,
		(uint32_t)s.n, q->rows, q->rows_pad, q->cols_pad };
	f->block[2 * g + 1] = (struct cscg_block){ dense, s.backward.value,
		level, ones, s.backward.col, s.backward.row,
		(uint32_t)s.n_back, right ? q->rows : q->cols, q->cols_pad,
		q->rows_pad };
}

/*
 * The norms of the rows of one action and symbol, and the value of T for a
 * count of 0.  Returns their part of the sum of log T.
 */
static double
set_norms(struct cscg_blocked *f, long row, int n, int missing, float *level)
{
	double p = f->pseudocount, norm, prior = 0;
	int j;

	for (j = 0; j < n; j++, row++) {
		norm = p * f->S + f->rest[row] +
		    (double)f->row_sum[row] * f->unit;
		/* A row without counts and pseudocount is uniform. */
		f->row_add[row] = norm > 0 ? p : 1;
		f->row_by[row] = 1 / (norm > 0 ? norm : f->S);
		level[j] = (float)(f->row_add[row] * f->row_by[row]);
		if (p > 0)
			prior += (f->as_loaded ? f->rest_log[row] :
						 missing * log(p)) -
			    f->S * log(norm);
	}
	return prior;
}

/* Compute the accepted counts of group g. */
static void
make_counts(struct cscg_blocked *f, int g)
{
	const struct cscg_pack_group *q = &f->pack->group[g];

	if (!f->low_memory)
		blocked_count_group(f, g);
	memcpy(f->live + q->live, f->live_next + q->live,
	    q->rows * sizeof *f->live);
}

/* Which vectors of the counts of a group are stored; NULL: always all. */
static const uint64_t *
live_of(const struct cscg_blocked *f, const struct cscg_pack_group *q)
{
	return q->max_bundles ? f->live + q->live : NULL;
}

/* All rows of one action and symbol. */
static void
set_panel(struct cscg_blocked *f, long i, float *scratch)
{
	int a = (int)(i / f->w->head.n_obs), x = (int)(i % f->w->head.n_obs);
	int n = f->clones[x + 1] - f->clones[x], missing = f->S, g;
	long row = (long)a * f->S + f->clones[x];
	const struct cscg_pack_group *q = f->pack->group;
	double p = f->pseudocount, prior;
	int64_t low = (int64_t)(p * MIN_SHARE / f->unit);

	(void)scratch;
	memset(f->row_sum + row, 0, (size_t)n * sizeof *f->row_sum);
	for (g = f->panel[i]; g < f->panel[i + 1]; g++) {
		if (f->pending)
			make_counts(f, g);
		f->n_counts[g] = f->simd->sums(f->counts + q[g].block, low,
		    q[g].rows, q[g].cols_pad, live_of(f, &q[g]),
		    f->row_sum + row);
		missing -= (int)q[g].cols;
	}
	prior = set_norms(f, row, n, missing,
	    f->level + (size_t)a * f->n_pi + f->pi_at[x]);
	for (g = f->panel[i]; g < f->panel[i + 1]; g++) {
		struct cscg_count_rows r = { f->counts + q[g].block, f->unit,
			(double)low * f->unit, f->row_add + row,
			f->row_by + row, f->ones + f->pi_at[q[g].to],
			f->T + q[g].block, q[g].rows, q[g].cols_pad, p > 0,
			live_of(f, &q[g]), 0 };

		prior += f->simd->rows(&r);
		/*
		 * Add log p for entries that are not stored; r.n includes
		 * padding columns.
		 */
		if (p > 0)
			prior += ((double)q[g].rows * q[g].cols -
				     (double)r.n) *
			    log(p);
		set_blocks(f, g);
	}
	f->prior[i] = prior;
}

static double
set_T(struct cscg_estep *e, double pseudocount)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	long i, n = (long)f->A * f->w->head.n_obs;
	double prior = 0;

	f->pseudocount = pseudocount;
	f->min_count = MIN_SHARE / 4 * pseudocount;
	if (f->as_loaded)
		log_rest(f);
	blocked_parallel(f, n, set_panel);
	f->pending = false;
	for (i = 0; i < n; i++)
		prior += f->prior[i];
	return prior;
}

/*
 * The blocked engine over ranks
 *
 * All ranks share the list of groups, so that their blocks have the same
 * layout, and the counts.  Both are integers.
 */

/* ---- the sum over ranks ---- */

/* Clear the vectors of the next counts that are not stored. */
static void
clear_missing(struct cscg_blocked *f, const struct cscg_pack_group *q,
    const uint64_t *live)
{
	uint32_t width = (uint32_t)f->pack->width, j, c;

	for (j = 0; q->max_bundles && j < q->rows; j++)
		for (c = 0; c < q->cols_pad / width; c++)
			if (!(live[q->live + j] >> c & 1))
				memset(f->counts + q->block +
					(size_t)j * q->cols_pad + c * width,
				    0, width * sizeof *f->counts);
}

/* The counts of group g of this rank, for the sum over ranks. */
static void
make_rank_counts(struct cscg_blocked *f, long g, float *scratch)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_pack_group *q = &p->group[g];

	(void)scratch;
	if (p->piece_of[g] == p->piece_of[g + 1]) {
		cscg_blocked_set_live(f, q, !!f->block[2 * g].dense,
		    f->live_next);
		memset(f->counts + q->block, 0,
		    (size_t)q->rows * q->cols_pad * sizeof *f->counts);
		return;
	}
	if (!f->low_memory)
		blocked_count_group(f, (int)g);
	clear_missing(f, q, f->live_next);
}

static void
blocked_add_ranks(struct cscg_blocked *f)
{
	const struct cscg_pack *p = f->pack;

	blocked_parallel(f, p->n_groups, make_rank_counts);
	cscg_ranks_or(f->ranks, f->live_next, p->n_live);
	cscg_ranks_sum(f->ranks, f->counts, p->n_block);
	cscg_ranks_sum(f->ranks, f->start, (size_t)f->S);
	memcpy(f->live, f->live_next, p->n_live * sizeof *f->live);
	f->pending = false;
	blocked_sum_misses(f); /* save() runs on one rank only */
}

/* ---- counts in and out ---- */

static void
max_count(void *ctx, const struct loaded_row *r, double *scratch)
{
	double *largest = ctx;
	int i;

	(void)scratch;
	for (i = 0; i < r->n; i++)
		if (r->c[i] > *largest)
			*largest = r->c[i];
}

static void
load_row(void *ctx, const struct loaded_row *r, double *scratch)
{
	struct cscg_blocked *f = ctx;
	int g = first_group(f, r), i = 0, in, end;
	double *rest = &f->rest[(long)r->a * f->S + r->j];
	const struct cscg_pack_group *q;
	int64_t *to;

	(void)scratch;
	for (; i < r->n; i = end, g++) {
		next_block(f, r, i, &g, &in, &end);
		for (; i < in; i++)
			*rest += r->c[i];
		if (in == end)
			continue;
		q = &f->pack->group[g];
		to = f->counts + q->block +
		    (size_t)(r->j - f->clones[q->from]) * q->cols_pad;
		for (; i < end; i++)
			to[(r->k ? r->k[i] : i) - f->clones[q->to]] =
			    (int64_t)(r->c[i] / f->unit + 0.5);
	}
}

static void
clear_counts(struct cscg_blocked *f, long g, float *scratch)
{
	const struct cscg_pack_group *q = &f->pack->group[g];

	(void)scratch;
	memset(f->counts + q->block, 0,
	    (size_t)q->rows * q->cols_pad * sizeof *f->counts);
	cscg_blocked_set_live(f, q, true, f->live);
}

static int
load(struct cscg_estep *e, const struct cscg_model *m, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	double largest = 1;

	(void)err;
	f->loaded = rng ? NULL : m;
	if (rng)
		f->rng[0] = *rng;
	f->as_loaded = true;
	f->pending = false;
	/* By all threads, since the kernel clears a new page when it is touched. */
	blocked_parallel(f, f->pack->n_groups, clear_counts);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	/* The finest unit at which a row does not overflow. */
	if (!rng)
		for_each_loaded(f, max_count, &largest);
	f->unit = ldexp(1, (int)ceil(log2(largest)) - 45);
	for_each_loaded(f, load_row, f);
	if (m->pi) {
		memcpy(f->pi_d, m->pi, (size_t)f->S * sizeof *f->pi_d);
		blocked_set_pi(f);
	}
	return 0;
}

/*
 * Accept the next counts.  They are computed lazily: set_T() computes them
 * block by block, so that they are still in the cache.
 */
static void
accept_next(struct cscg_estep *e)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	double sum = 0;
	int j;

	f->pending = true;
	if (f->low_memory)
		blocked_recompute(f);
	if (cscg_ranks_size(f->ranks) > 1)
		blocked_add_ranks(f);
	f->unit = ldexp(1, -f->bits);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	f->as_loaded = false;
	if (!f->learn_pi)
		return;
	for (j = 0; j < f->S; j++)
		sum += (double)f->start[j];
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = (double)f->start[j] / sum;
	blocked_set_pi(f);
}

/* Counts collected for a model. */
struct collected {
	struct cscg_count *c;
	size_t n, cap;
	double floor;
	bool failed; /* no memory: err is filled */
	struct cscg_err *err;
};

static void
collect_one(struct collected *t, int a, int j, int k, double c)
{
	if (c <= t->floor || t->failed)
		return;
	if (t->n == t->cap &&
	    cscg_grow_unset(&t->c, &t->cap, t->n + 1, sizeof *t->c, t->err) <
		0) {
		t->failed = true;
		return;
	}
	t->c[t->n++] = (struct cscg_count){ a, j, k, c };
}

static void
collect_row(void *ctx, const struct loaded_row *r, double *scratch)
{
	int i;

	(void)scratch;
	for (i = 0; i < r->n; i++)
		collect_one(ctx, r->a, r->j, r->k ? r->k[i] : i, r->c[i]);
}

static void
blocked_finish_counts(struct cscg_blocked *f)
{
	int g;

	for (g = 0; f->pending && g < f->pack->n_groups; g++)
		make_counts(f, g);
	f->pending = false;
}

static void
collect_all(struct cscg_blocked *f, struct collected *t)
{
	/* Most counts are small: the first comparison is one of integers. */
	const int64_t low = t->floor > 0 ? (int64_t)(t->floor / f->unit) - 1 :
					   0;
	const struct cscg_pack_group *g;
	const int64_t *row;
	uint32_t j, k;
	int i;

	blocked_finish_counts(f);
	if (f->as_loaded) {
		for_each_loaded(f, collect_row, t);
		return;
	}
	for (i = 0; i < f->pack->n_groups; i++) {
		g = &f->pack->group[i];
		row = f->counts + g->block;
		for (j = 0; j < g->rows; j++, row += g->cols_pad)
			for (k = 0; k < g->cols; k++)
				if (row[k] > low &&
				    (!g->max_bundles ||
					(f->live[g->live + j] >>
						k / (uint32_t)f->pack->width &
					    1)))
					collect_one(t, g->a,
					    f->clones[g->from] + (int)j,
					    f->clones[g->to] + (int)k,
					    f->unit * (double)row[k]);
	}
}

static int
store(struct cscg_estep *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	struct collected t = { .floor = floor, .err = err };
	int rc = -1;

	/* Counts too small to change T are not stored. */
	if (!f->as_loaded && floor < MIN_SHARE * f->pseudocount)
		t.floor = MIN_SHARE * f->pseudocount;

	if (f->learn_pi) {
		free(m->pi);
		m->pi = cscg_copy(f->pi_d, (size_t)f->S, sizeof *m->pi, err);
		if (!m->pi)
			return -1;
	}
	collect_all(f, &t);
	if (!t.failed)
		rc = cscg_model_set_counts(m, t.c, (long)t.n, err);
	free(t.c);
	return rc;
}

/* ---- serialisation: integers, hence lossless ---- */

static int
blocked_save(struct cscg_estep *e, struct cscg_blob *to, struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	const struct cscg_pack *p = f->pack;
	int g;

	blocked_finish_counts(f);
	for (g = 0; g < p->n_groups; g++)
		clear_missing(f, &p->group[g], f->live);
	if (cscg_ranks_size(f->ranks) == 1)
		blocked_sum_misses(f);
	cscg_blob_write_long(to, f->passes, err);
	cscg_blob_write_long(to, (long)f->all_misses, err);
	cscg_blob_write_array(to, f->pi_d, (size_t)f->S, sizeof *f->pi_d, err);
	cscg_blob_write_array(to, f->live, p->n_live, sizeof *f->live, err);
	return cscg_blob_write_array(to, f->counts, p->n_block,
	    sizeof *f->counts, err);
}

static int
blocked_restore(struct cscg_estep *e, struct cscg_blob *from,
    struct cscg_err *err)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;
	const struct cscg_pack *p = f->pack;
	long n[3] = { f->S, (long)p->n_live, (long)p->n_block }, missed;
	uint64_t *live = NULL;
	int64_t *counts = NULL;
	double *pi = NULL;
	int rc = -1;

	cscg_blob_read_long(from, 0, LONG_MAX, &f->passes, err);
	cscg_blob_read_long(from, 0, LONG_MAX, &missed, err);
	cscg_blob_read_array(from, &pi, &n[0], sizeof *pi, err);
	cscg_blob_read_array(from, &live, &n[1], sizeof *live, err);
	if (cscg_blob_read_array(from, &counts, &n[2], sizeof *counts, err) <
	    0)
		goto out;
	if (!pi || !live || !counts) {
		cscg_fail(err, CSCG_EFORMAT, "no counts");
		goto out;
	}
	f->misses = cscg_ranks_rank(f->ranks) ? 0 : missed;
	memcpy(f->pi_d, pi, (size_t)f->S * sizeof *pi);
	memcpy(f->live, live, p->n_live * sizeof *live);
	memcpy(f->counts, counts, p->n_block * sizeof *counts);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	f->as_loaded = f->pending = false;
	f->unit = ldexp(1, -f->bits);
	blocked_set_pi(f);
	rc = 0;
out:
	free(pi);
	free(live);
	free(counts);
	return rc;
}

/* ---- groups ---- */

/* The union of the keys of all ranks, ascending. */
static int
merge_keys(const struct cscg_blob *all, int size, struct cscg_blob *to,
    struct cscg_err *err)
{
	uint64_t *key;
	long n;
	int r;

	for (r = 0; r < size; r++)
		cscg_blob_write(to, all[r].p, all[r].n, err);
	if (to->failed)
		return -1;
	key = (uint64_t *)(void *)to->p;
	n = cscg_unique_keys(key, (long)(to->n / sizeof *key));
	to->n = (size_t)n * sizeof *key;
	return 0;
}

/* Replace the groups of this rank, which are freed, by those of all ranks. */
static uint64_t *
gather_keys(struct cscg_ranks *ranks, uint64_t *key, size_t *n,
    struct cscg_err *err)
{
	int size = cscg_ranks_size(ranks), i, rc;
	struct cscg_blob mine = { 0 }, both = { 0 }, *all = NULL;
	uint64_t *out = NULL;

	if (size == 1)
		return key;
	all = cscg_alloc((size_t)size, sizeof *all, err);
	rc = key && all ? cscg_blob_write(&mine, key, *n * sizeof *key, err) :
			  -1;
	if (cscg_ranks_agree(ranks, rc, 0, err) < 0 ||
	    cscg_ranks_gather(ranks, &mine, all, err) < 0)
		goto out;
	rc = cscg_ranks_rank(ranks) ? 0 : merge_keys(all, size, &both, err);
	if (cscg_ranks_agree(ranks, rc, 0, err) < 0 ||
	    cscg_ranks_bcast_blob(ranks, &both, err) < 0)
		goto out;
	*n = both.n / sizeof *out;
	out = cscg_copy(both.p, *n, sizeof *out, err);
out:
	for (i = 0; all && i < size; i++)
		cscg_blob_free(&all[i]);
	free(all);
	cscg_blob_free(&mine);
	cscg_blob_free(&both);
	free(key);
	return out;
}

static struct cscg_pack *
blocked_pack(const struct cscg_blocked *f, struct cscg_err *err)
{
	struct cscg_pack *p = NULL;
	int64_t *count = NULL;
	size_t n = 0;
	uint64_t *key = gather_keys(f->ranks, cscg_pack_keys(f->w, &n, err),
	    &n, err);
	int g;

	if (key)
		p = cscg_pack_take(f->w, f->clones, f->simd->width, key, n,
		    err);
	if (p)
		count = cscg_alloc((size_t)p->n_groups, sizeof *count, err);
	if (cscg_ranks_agree(f->ranks, count ? 0 : -1, 0, err) < 0) {
		cscg_pack_free(p);
		p = NULL;
	}
	for (g = 0; p && g < p->n_groups; g++)
		count[g] = p->group[g].n;
	if (p)
		cscg_ranks_sum(f->ranks, count, (size_t)p->n_groups);
	for (g = 0; p && g < p->n_groups; g++)
		p->group[g].n = (long)count[g];
	free(count);
	return p;
}

/* n floats, aligned for the kernels. */
static float *
blocked_reals(struct cscg_pool *mem, size_t n)
{
	return cscg_pool_aligned(mem, n, sizeof(float), CSCG_ALIGN);
}

/* ---- allocation of the messages ---- */

static int
new_parts(struct cscg_blocked *f, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&f->mem, err);
	const struct cscg_pack *p = f->pack;
	size_t max_transitions = (size_t)p->n_runs + (size_t)p->n_units, n = 0;
	long r = 0;
	int u;

	f->part = cscg_pool_add(mem, max_transitions, sizeof *f->part);
	f->part_of_unit = cscg_pool_add(mem, (size_t)p->n_units + 1,
	    sizeof *f->part_of_unit);
	f->part_of_run = cscg_pool_add(mem, (size_t)p->n_runs + 1,
	    sizeof *f->part_of_run);
	f->loglik = cscg_pool_add(mem, max_transitions, sizeof *f->loglik);
	if (mem->failed)
		return -1;
	for (u = 0; u < p->n_units; u++) {
		f->part_of_unit[u] = (long)n;
		for (r = p->unit[u].run;
		     r < p->n_runs && p->run[r] < p->unit[u].to; r++) {
			struct cscg_run_part *q = &f->part[n];

			q->unit = u;
			q->run = r;
			q->from = p->run[r] > p->unit[u].from ?
			    p->run[r] :
			    p->unit[u].from;
			q->to = p->run[r + 1] < p->unit[u].to ? p->run[r + 1] :
								p->unit[u].to;
			q->begins_run = q->from == p->run[r];
			q->ends_run = q->to == p->run[r + 1];
			if (q->begins_run)
				f->part_of_run[r] = (long)n;
			n++;
		}
	}
	f->n_parts = f->part_of_unit[p->n_units] = f->part_of_run[p->n_runs] =
	    (long)n;
	return 0;
}

/* The units of all ranks. */
static int
new_sums(struct cscg_blocked *f, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&f->mem, err);
	int size = cscg_ranks_size(f->ranks), rank = cscg_ranks_rank(f->ranks);
	int64_t *n = cscg_alloc((size_t)size, sizeof *n, err);
	int i, rc = cscg_ranks_agree(f->ranks, n ? 0 : -1, 0, err);

	if (rc == 0) {
		n[rank] = f->pack->n_units;
		cscg_ranks_sum(f->ranks, n, (size_t)size);
		for (i = 0; i < size; i++) {
			f->all_units += n[i];
			f->before += i < rank ? n[i] : 0;
		}
		f->sum = cscg_pool_add(mem, (size_t)f->all_units,
		    sizeof *f->sum);
	}
	free(n);
	return f->sum ? rc : -1;
}

/* Allocate the messages of the walk. */
static int
new_messages(struct cscg_blocked *f, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&f->mem, err);
	const struct cscg_pack *p = f->pack;
	size_t units = (size_t)p->n_units, runs = (size_t)p->n_runs;
	size_t left = 0, right = 0, tail = 0, head = 0, edge = 0;
	long r, max_transitions = 0;
	int u;

	f->left = cscg_pool_add(mem, units, sizeof *f->left);
	f->right = cscg_pool_add(mem, units, sizeof *f->right);
	f->edge = cscg_pool_add(mem, units, sizeof *f->edge);
	f->tail = cscg_pool_add(mem, runs, sizeof *f->tail);
	f->head = cscg_pool_add(mem, runs, sizeof *f->head);
	if (mem->failed)
		return -1;
	for (u = 0; u < p->n_units; u++) {
		const struct cscg_pack_unit *q = &p->unit[u];

		f->left[u] = f->low_memory ? 0 : left;
		f->right[u] = f->low_memory ? 0 : right;
		if (!f->low_memory || q->left > left)
			left = f->left[u] + q->left;
		if (!f->low_memory || q->right > right)
			right = f->right[u] + q->right;
		f->edge[u] = edge;
		edge += cscg_blocked_width(f, f->w->x[q->from]);
		if (!f->low_memory)
			max_transitions += q->n;
		else if (q->n > max_transitions)
			max_transitions = q->n;
	}
	for (r = 0; r < p->n_runs; r++) {
		f->tail[r] = tail;
		f->head[r] = head;
		tail += cscg_blocked_width(f, f->w->x[p->run[r + 1] - 1]);
		head += cscg_blocked_width(f, f->w->x[p->run[r]]);
	}
	f->alpha = blocked_reals(mem, left);
	f->beta = blocked_reals(mem, right);
	f->tail_alpha = blocked_reals(mem, tail);
	f->tail_beta = blocked_reals(mem, head);
	f->check = blocked_reals(mem, edge);
	f->begin = blocked_reals(mem, edge);
	f->backward = blocked_reals(mem, edge);
	f->scratch = blocked_reals(mem, 3 * f->widest * (size_t)f->threads);
	f->shift = cscg_pool_add(mem, (size_t)f->w->n_steps, sizeof *f->shift);
	f->shift_back = cscg_pool_add(mem, (size_t)f->w->n_steps,
	    sizeof *f->shift_back);
	f->factor = cscg_pool_add(mem, (size_t)max_transitions,
	    sizeof *f->factor);
	return mem->failed ? -1 : new_parts(f, err);
}

static int
blocked_messages_new(struct cscg_blocked *f, struct cscg_err *err)
{
	if (cscg_ranks_agree(f->ranks, new_messages(f, err), 0, err) < 0)
		return -1;
	return cscg_ranks_agree(f->ranks, new_sums(f, err), 0, err);
}

/* ---- construction ---- */

static void
blocked_free(struct cscg_estep *e)
{
	struct cscg_blocked *f = (struct cscg_blocked *)e;

	cscg_pack_free(f->pack);
	cscg_pool_free(&f->mem);
	free(f);
}

/* Allocate T, counts and pi. */
static int
new_blocks(struct cscg_blocked *f, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&f->mem, err);
	const struct cscg_pack *p = f->pack;
	size_t rows = (size_t)f->A * (size_t)f->S, n = 0;
	size_t panels = (size_t)f->A * (size_t)f->w->head.n_obs, i;
	int x, j, g = 0;

	f->T = blocked_reals(mem, p->n_block);
	f->block = cscg_pool_aligned(mem, 2 * (size_t)p->n_groups,
	    sizeof *f->block, CSCG_ALIGN);
	f->bundles = blocked_reals(mem, p->n_bundle_reals);
	f->row = cscg_pool_aligned(mem, p->n_row, sizeof *f->row, CSCG_ALIGN);
	f->live = cscg_pool_add(mem, p->n_live, sizeof *f->live);
	f->live_next = cscg_pool_add(mem, p->n_live, sizeof *f->live);
	f->n_counts = cscg_pool_add(mem, (size_t)p->n_groups,
	    sizeof *f->n_counts);
	f->row_sum = cscg_pool_add(mem, rows, sizeof *f->row_sum);
	f->row_add = cscg_pool_add(mem, rows, sizeof *f->row_add);
	f->row_by = cscg_pool_add(mem, rows, sizeof *f->row_by);
	f->transposed = blocked_reals(mem, p->n_transposed);
	f->counts = cscg_pool_aligned(mem, p->n_block, sizeof *f->counts,
	    CSCG_ALIGN);
	f->rest = cscg_pool_add(mem, rows, sizeof *f->rest);
	f->rest_log = cscg_pool_add(mem, rows, sizeof *f->rest_log);
	f->panel = cscg_pool_add(mem, panels + 1, sizeof *f->panel);
	f->prior = cscg_pool_add(mem, panels, sizeof *f->prior);
	f->pi_at = cscg_pool_add(mem, (size_t)f->w->head.n_obs,
	    sizeof *f->pi_at);
	f->start = cscg_pool_add(mem, (size_t)f->S, sizeof *f->start);
	f->row_scratch = cscg_pool_add(mem,
	    (size_t)f->threads * 2 * (size_t)f->S, sizeof *f->row_scratch);
	if (mem->failed)
		return -1;
	for (i = 0; i < panels; i++) {
		f->panel[i] = g;
		while (g < p->n_groups &&
		    (size_t)p->group[g].a * (size_t)f->w->head.n_obs +
			    (size_t)p->group[g].from ==
			i)
			g++;
	}
	f->panel[panels] = g;
	for (x = 0; x < f->w->head.n_obs; x++) {
		f->pi_at[x] = n;
		n += cscg_blocked_width(f, x);
		if (cscg_blocked_width(f, x) > f->widest)
			f->widest = cscg_blocked_width(f, x);
	}
	f->n_pi = n;
	f->pi = blocked_reals(mem, n);
	f->ones = blocked_reals(mem, n);
	f->level = blocked_reals(mem, n * (size_t)f->A);
	if (mem->failed)
		return -1;
	for (x = 0; x < f->w->head.n_obs; x++)
		for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
			f->ones[f->pi_at[x] + (size_t)j] = 1;
	return 0;
}

/*
 * Short vectors need less padding: use them where long vectors would need 15 %
 * more floats.
 */
static const struct cscg_simd *
best_width(struct cscg_ranks *ranks, const struct cscg_walk *w,
    const int *clones, const struct cscg_simd *simd)
{
	const struct cscg_simd *s = simd->narrow;
	int64_t need[2] = { 0, 0 }; /* floats, wide and narrow */
	long t;

	if (!s)
		return simd;
	for (t = 0; t < w->n_steps; t++) {
		int n = clones[w->x[t] + 1] - clones[w->x[t]];

		need[0] += (n + simd->width - 1) / simd->width * simd->width;
		need[1] += (n + s->width - 1) / s->width * s->width;
	}
	cscg_ranks_sum(ranks, need, 2);
	return (double)need[0] > 1.15 * (double)need[1] ? s : simd;
}

/*
 * For small problems the synchronisation of threads costs more than they gain.
 */
static bool
use_threads(const struct cscg_walk *w, const struct cscg_model *m)
{
	double clones = (double)m->n_states / m->n_obs;

	return (double)w->n_steps * clones * clones > 2e6;
}

static int
expect(struct cscg_estep *e, bool counts, double *loglik, struct cscg_err *err)
{
	(void)err;
	blocked_pass((struct cscg_blocked *)e, counts, loglik);
	return 0;
}

struct cscg_estep *
cscg_estep_blocked(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_err *err)
{
	static const struct cscg_estep ops = { load, set_T, expect,
		accept_next, store, blocked_free, NULL, 1e-6, 2 * FLT_EPSILON,
		blocked_save, blocked_restore };
	struct cscg_blocked *f = cscg_alloc(1, sizeof *f, err);
	int64_t steps = w->n_steps;
	int j;

	if (cscg_ranks_agree(set->ranks, f ? 0 : -1, 0, err) < 0) {
		free(f);
		return NULL;
	}
	f->base = ops;
	f->base.name = set->simd->name;
	f->w = w;
	f->ranks = set->ranks;
	cscg_ranks_sum(f->ranks, &steps, 1);
	f->S = m->n_states;
	f->A = m->n_actions;
	f->threads = use_threads(w, m) ? set->threads : 1;
	f->learn_pi = set->learn_pi;
	f->low_memory = set->low_memory;
	/* A piece of 512 transitions must stay below 2^51, all below 2^62. */
	f->bits = 61 - (int)ceil(log2((double)steps + 1));
	if (f->bits > 41)
		f->bits = 41;
	f->mem.err = err;
	f->clones = cscg_pool_add(&f->mem, (size_t)m->n_obs + 1,
	    sizeof *f->clones);
	f->symbol = cscg_pool_copy(&f->mem, m->clone, (size_t)f->S,
	    sizeof *f->symbol);
	f->pi_d = cscg_pool_add(&f->mem, (size_t)f->S, sizeof *f->pi_d);
	if (cscg_ranks_agree(f->ranks, !f->mem.failed ? 0 : -1, 0, err) < 0)
		goto fail;
	cscg_model_groups(m, f->clones);
	f->simd = best_width(f->ranks, w, f->clones, set->simd);
	f->pack = blocked_pack(f, err);
	if (!f->pack ||
	    cscg_ranks_agree(f->ranks, new_blocks(f, err), 0, err) < 0 ||
	    blocked_messages_new(f, err) < 0)
		goto fail;
	f->is_far = cscg_pack_is_far(f->pack);
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = m->pi ? m->pi[j] : 1.0 / f->S;
	blocked_set_pi(f);
	return &f->base;
fail:
	blocked_free(&f->base);
	return NULL;
}
