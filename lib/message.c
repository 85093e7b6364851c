/*
 * message.c - the messages of the fast engine
 *
 * Forward and backward are chains of small vector-matrix products over the
 * blocks of pack.h; both run the same loop, backward on a transposed copy of
 * T.  They do not need each other, so they run side by side.  Messages are not
 * normalised, only kept from underflow by powers of two: the weight of a
 * transition is one over alpha . beta at its end.
 *
 * With low_memory forward messages are kept at the start of each unit only;
 * units are then taken from the last to the first, each with its own forward
 * and backward messages in one buffer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "fast.h"
#include "mem.h"

enum {
	LINKS = 256,	/* links handed to the kernel at a time */
	STRETCH = 1024,	/* steps weighed by one thread at a time */
	ANCHOR = 32	/* steps from one alpha . beta to the next */
};

static int
thread(void)
{
#ifdef _OPENMP
	return omp_get_thread_num();
#else
	return 0;
#endif
}

/* ---- where messages are ---- */

/* The forward message at the left of transition t -> t+1, in its unit u. */
static float *
left_at(const struct cscg_fast *f, int u, long t)
{
	return f->alpha + f->left[u] +
	    (size_t)f->pack->left[t] * (size_t)f->pack->width;
}

/* The backward message at its right. */
static float *
right_at(const struct cscg_fast *f, int u, long t)
{
	return f->beta + f->right[u] +
	    (size_t)f->pack->right[t] * (size_t)f->pack->width;
}

/* The forward message of step t of run r, in unit u. */
static float *
alpha_at(const struct cscg_fast *f, int u, long r, long t)
{
	return f->pack->of[t] < 0 ? f->tail_alpha + f->tail[r] :
	    left_at(f, u, t);
}

/*
 * The backward message of step t of run r, in unit u: it stands at the right
 * of transition t-1 -> t, which may be in the unit before.
 */
static float *
beta_at(const struct cscg_fast *f, int u, long r, long t)
{
	if (t == f->pack->run[r])
		return f->tail_beta + f->head[r];
	if (t > f->pack->unit[u].from)
		return right_at(f, u, t - 1);
	return f->low_memory ? f->carry : right_at(f, u - 1, t - 1);
}

/* The unit of step t. */
static int
unit_of(const struct cscg_fast *f, long t)
{
	int lo = 0, hi = f->pack->n_units - 1, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t < f->pack->unit[mid].to)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* ---- the chains ---- */

/*
 * Forward from step `from` of run r, whose message `at` is there, to step
 * to - 1; u is the unit of `from`.  With scratch, messages are kept only at
 * the start of units and at the end of the run.  Returns the sum of the last.
 */
static double
forward(struct cscg_fast *f, int u, long r, long from, long to, const float *at,
    float *scratch)
{
	const struct cscg_pack *p = f->pack;
	struct cscg_link link[LINKS];
	double sum = 0;
	long t = from, n;

	while (t + 1 < to) {
		long first = t;

		for (n = 0; n < LINKS && t + 1 < to; n++, t++) {
			bool enters = t + 1 == p->unit[u].to;

			u += enters;
			link[n] = f->link[2 * p->of[t]];
			if (!scratch || p->of[t + 1] < 0)
				link[n].to = alpha_at(f, u, r, t + 1);
			else if (enters)
				link[n].to = f->check + f->check_at[u];
			else
				link[n].to = scratch + (t & 1) * f->widest;
		}
		sum = f->simd->chain(at, link, n, f->shift + first + 1);
		at = link[n - 1].to;
	}
	return sum;
}

/*
 * Backward from step `from` of run r, whose message is there, to step `to`; u
 * is the unit of `from` (the one before, if the message stands there).
 */
static void
backward(struct cscg_fast *f, int u, long r, long from, long to, const float *at)
{
	const struct cscg_pack *p = f->pack;
	struct cscg_link link[LINKS];
	int16_t shift[LINKS];
	long t = from, n, i;

	while (t > to) {
		for (n = 0; n < LINKS && t > to; n++, t--) {
			u -= t == p->unit[u].from;
			link[n] = f->link[2 * p->of[t - 1] + 1];
			link[n].to = beta_at(f, u, r, t - 1);
		}
		f->simd->chain(at, link, n, shift);
		for (i = 0; i < n; i++)
			f->shift_back[t + n - 1 - i] = shift[i];
		at = link[n - 1].to;
	}
}

/* The first forward message of run r into `at`; returns its sum. */
static double
start_run(struct cscg_fast *f, long r, float *at)
{
	int x = f->w->x[f->pack->run[r]], j;
	const float *pi = f->pi + f->pi_at[x];
	double sum = 0;

	memcpy(at, pi, cscg_fast_width(f, x) * sizeof *at);
	for (j = f->clones[x]; j < f->clones[x + 1]; j++)
		sum += pi[j - f->clones[x]];
	f->shift[f->pack->run[r]] = 0;
	return sum;
}

/* The last backward message of run r into `at`. */
static void
end_run(struct cscg_fast *f, long r, float *at)
{
	int x = f->w->x[f->pack->run[r + 1] - 1], j;

	memset(at, 0, cscg_fast_width(f, x) * sizeof *at);
	for (j = f->clones[x]; j < f->clones[x + 1]; j++)
		at[j - f->clones[x]] = 1;
}

static void
set_loglik(struct cscg_fast *f, long r, double sum)
{
	const struct cscg_pack *p = f->pack;
	double shifts = 0;
	long t;

	for (t = p->run[r]; t < p->run[r + 1]; t++)
		shifts += f->shift[t];
	f->loglik[r] = sum > 0 ? log(sum) - shifts * M_LN2 : -INFINITY;
}

/* Run r forward from start to end. */
static void
forward_run(struct cscg_fast *f, long r)
{
	const struct cscg_pack *p = f->pack;
	long from = p->run[r], to = p->run[r + 1];
	int u = unit_of(f, from);
	float *at = alpha_at(f, u, r, from);
	double sum = start_run(f, r, at);

	if (to - from > 1)
		sum = forward(f, u, r, from, to, at, NULL);
	set_loglik(f, r, sum);
}

/* The same, keeping only what a second time needs. */
static void
forward_sweep(struct cscg_fast *f, long r)
{
	const struct cscg_pack *p = f->pack;
	long from = p->run[r], to = p->run[r + 1];
	int u = unit_of(f, from);
	float *scratch = f->scratch +
	    3 * f->widest * (size_t)(f->threads > 1 ? thread() : 0);
	float *at = p->of[from] < 0 ? f->tail_alpha + f->tail[r] :
	    scratch + 2 * f->widest;
	double sum = start_run(f, r, at);

	if (to - from > 1)
		sum = forward(f, u, r, from, to, at, scratch);
	set_loglik(f, r, sum);
}

/* Backward needs the first message of a run only for learning pi. */
static long
last_stop(const struct cscg_fast *f, long r)
{
	long from = f->pack->run[r];

	return f->learn_pi || f->pack->of[from] < 0 ? from : from + 1;
}

static void
backward_run(struct cscg_fast *f, long r)
{
	long end = f->pack->run[r + 1] - 1;
	int u = unit_of(f, end);
	float *at = beta_at(f, u, r, end);

	end_run(f, r, at);
	backward(f, u, r, end, last_stop(f, r), at);
}

/* Both directions as one list of jobs; even: forward. */
static void
one_way(struct cscg_fast *f, long i)
{
	if (i % 2 == 0)
		forward_run(f, i / 2);
	else
		backward_run(f, i / 2);
}

/* The part of a run within unit `now`, from what the sweep kept. */
static void
one_way_again(struct cscg_fast *f, long i)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_unit *u = &p->unit[f->now];
	long r = u->run + i / 2, stop;
	long from = p->run[r] > u->from ? p->run[r] : u->from;
	long to = p->run[r + 1] < u->to ? p->run[r + 1] : u->to;
	float *at;

	if (i % 2 == 0) {
		at = alpha_at(f, f->now, r, from);
		if (from == p->run[r])
			start_run(f, r, at);
		else
			memcpy(at, f->check + f->check_at[f->now],
			    cscg_fast_width(f, f->w->x[from]) * sizeof *at);
		forward(f, f->now, r, from, to, at, NULL);
		return;
	}
	stop = from == p->run[r] ? last_stop(f, r) : from;
	if (to == p->run[r + 1]) {
		at = beta_at(f, f->now, r, to - 1);
		end_run(f, r, at);
		backward(f, f->now, r, to - 1, stop, at);
	} else {
		/* take_carry() has put it there. */
		at = right_at(f, f->now, to - 1);
		backward(f, f->now, r, to, stop, at);
	}
}

/* The message carried back from the unit after `now` goes to its place. */
static void
take_carry(struct cscg_fast *f)
{
	long t = f->pack->unit[f->now].to;

	if (t < f->w->n_steps && f->pack->of[t - 1] >= 0)
		memcpy(right_at(f, f->now, t - 1), f->carry,
		    cscg_fast_width(f, f->w->x[t]) * sizeof *f->carry);
}

/* ---- counts ---- */

/* alpha . beta at the end of transition t of run r, which is in unit `now`. */
static float
meet(const struct cscg_fast *f, long r, long t)
{
	const struct cscg_pack *p = f->pack;
	const float *a;

	if (t + 1 < p->unit[f->now].to)
		a = alpha_at(f, f->now, r, t + 1);
	else if (f->low_memory)
		a = f->check + f->check_at[f->now + 1];
	else
		a = alpha_at(f, f->now + 1, r, t + 1);
	return f->simd->dot(a, right_at(f, f->now, t),
	    p->group[p->of[t]].cols_pad);
}

/*
 * The weights of some transitions of unit `now`.  alpha . beta is the same all
 * along a run but for the powers of two, so it is computed only now and then,
 * often enough that rounding does not add up.
 */
static void
weigh(struct cscg_fast *f, long i)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_unit *u = &p->unit[f->now];
	long t = u->from + i * STRETCH, end = t + STRETCH, r = u->run;
	float one = 0;	/* 1 / (alpha . beta) at t, 0: not known */

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
		if (t % ANCHOR == 0 || one == 0)
			one = 1 / meet(f, r, t);
		else if (f->shift_back[t] != f->shift[t + 1])
			one = scalbnf(one, f->shift_back[t] - f->shift[t + 1]);
		f->factor[p->order[t]] = f->shift[t + 1] ?
		    scalbnf(one, f->shift[t + 1]) : one;
	}
}

static void
add_piece(struct cscg_fast *f, long i)
{
	const struct cscg_piece *q = &f->pack->unit[f->now].piece[i];
	const struct cscg_group *g = &f->pack->group[q->group];
	struct cscg_gram gram = {
		f->alpha + f->left[f->now] + q->left,
		f->beta + f->right[f->now] + q->right,
		f->factor + q->first, f->T + g->block, g->rows, g->rows_pad,
		g->cols_pad, (long)q->n, f->next + g->block, q->last
	};

	f->simd->gram(&gram, ldexp(1, f->bits));
}

/* The posterior of the first step of each run that starts in unit `now`. */
static void
add_starts(struct cscg_fast *f)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_unit *u = &p->unit[f->now];
	double z;
	long r;
	int j, x;

	for (r = u->run; r < p->n_runs && p->run[r] < u->to; r++) {
		const float *a, *b;

		if (p->run[r] < u->from)
			continue;
		x = f->w->x[p->run[r]];
		a = alpha_at(f, f->now, r, p->run[r]);
		b = f->tail_beta + f->head[r];
		z = f->simd->dot(a, b, cscg_fast_width(f, x));
		for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
			f->start[f->clones[x] + j] += a[j] * b[j] / z;
	}
}

/* The counts of unit `now`, whose messages are there. */
static void
add_unit(struct cscg_fast *f)
{
	const struct cscg_unit *u = &f->pack->unit[f->now];

	cscg_fast_each(f, (u->to - u->from + STRETCH - 1) / STRETCH, weigh);
	cscg_fast_each(f, u->n_pieces, add_piece);
	if (f->learn_pi)
		add_starts(f);
}

void
cscg_message_pass(struct cscg_fast *f, bool counts, double *loglik)
{
	const struct cscg_pack *p = f->pack;
	long r, n;

	if (f->low_memory)
		cscg_fast_each(f, p->n_runs, forward_sweep);
	else if (counts)
		cscg_fast_each(f, 2 * p->n_runs, one_way);
	else
		cscg_fast_each(f, p->n_runs, forward_run);
	for (*loglik = 0, r = 0; r < p->n_runs; r++)
		*loglik += f->loglik[r];
	if (!counts || isinf(*loglik))
		return;
	memset(f->start, 0, (size_t)f->S * sizeof *f->start);
	for (f->now = p->n_units - 1; f->now >= 0; f->now--) {
		if (f->low_memory) {
			for (n = 0, r = p->unit[f->now].run; r < p->n_runs &&
			    p->run[r] < p->unit[f->now].to; r++)
				n++;
			take_carry(f);
			cscg_fast_each(f, 2 * n, one_way_again);
		}
		add_unit(f);
	}
}

/* Room for the messages of the walk. */
int
cscg_message_new(struct cscg_fast *f, struct cscg_err *err)
{
	const struct cscg_pack *p = f->pack;
	size_t units = (size_t)p->n_units, runs = (size_t)p->n_runs;
	size_t left = 0, right = 0, tail = 0, head = 0, check = 0;
	long r, most = 0;
	int u;

	f->left = cscg_alloc(units, sizeof *f->left, err);
	f->right = cscg_alloc(units, sizeof *f->right, err);
	f->check_at = cscg_alloc(units + 1, sizeof *f->check_at, err);
	f->tail = cscg_alloc(runs, sizeof *f->tail, err);
	f->head = cscg_alloc(runs, sizeof *f->head, err);
	if (!f->left || !f->right || !f->check_at || !f->tail || !f->head)
		return -1;
	for (u = 0; u < p->n_units; u++) {
		const struct cscg_unit *q = &p->unit[u];

		f->left[u] = f->low_memory ? 0 : left;
		f->right[u] = f->low_memory ? 0 : right;
		if (!f->low_memory || q->left > left)
			left = f->left[u] + q->left;
		if (!f->low_memory || q->right > right)
			right = f->right[u] + q->right;
		f->check_at[u] = check;
		check += cscg_fast_width(f, f->w->x[q->from]);
		if (q->n > most)
			most = q->n;
	}
	for (r = 0; r < p->n_runs; r++) {
		f->tail[r] = tail;
		f->head[r] = head;
		tail += cscg_fast_width(f, f->w->x[p->run[r + 1] - 1]);
		head += cscg_fast_width(f, f->w->x[p->run[r]]);
	}
	f->alpha = cscg_reals(left, err);
	f->beta = cscg_reals(right, err);
	f->tail_alpha = cscg_reals(tail, err);
	f->tail_beta = cscg_reals(head, err);
	f->check = cscg_reals(f->low_memory ? check : 1, err);
	f->carry = cscg_reals(f->widest, err);
	f->scratch = cscg_reals(f->low_memory ?
	    3 * f->widest * (size_t)f->threads : 1, err);
	f->shift = cscg_alloc((size_t)f->w->n_steps, sizeof *f->shift, err);
	f->shift_back = cscg_alloc((size_t)f->w->n_steps,
	    sizeof *f->shift_back, err);
	f->factor = cscg_alloc((size_t)most, sizeof *f->factor, err);
	f->loglik = cscg_alloc(runs, sizeof *f->loglik, err);
	return f->alpha && f->beta && f->tail_alpha && f->tail_beta &&
	    f->check && f->carry && f->scratch && f->shift && f->shift_back &&
	    f->factor && f->loglik ? 0 : -1;
}

void
cscg_message_free(struct cscg_fast *f)
{
	free(f->alpha);
	free(f->beta);
	free(f->left);
	free(f->right);
	free(f->tail_alpha);
	free(f->tail_beta);
	free(f->tail);
	free(f->head);
	free(f->check);
	free(f->check_at);
	free(f->carry);
	free(f->scratch);
	free(f->shift);
	free(f->shift_back);
	free(f->factor);
	free(f->loglik);
}
