/*
 * fast.c - the fast engine: packed blocks, one matrix product per group
 *
 * Forward and backward are chains of small vector-matrix products over the
 * blocks of pack.h; both run the same loop, backward on a transposed copy of
 * T.  They do not need each other, so they run side by side.  Messages are not
 * normalised, only kept from underflow by powers of two: the weight of a
 * transition is one over alpha . beta at its end.
 *
 * Where do the bytes come from?  A chain runs in the order of time.  A piece
 * (a group within a unit) is summed by one thread in the order of time, and
 * pieces are added as whole numbers, which no order can change.  Log-
 * likelihoods are added in the order of runs.  So the result is the same for
 * any number of threads, with or without low_memory.
 *
 * With low_memory forward messages are kept at the start of each unit only;
 * units are then taken from the last to the first, each with its own forward
 * and backward messages in one buffer.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "engine.h"
#include "mem.h"
#include "pack.h"

enum {
	LINKS = 256,	/* links handed to the kernel at a time */
	STRETCH = 1024	/* steps weighed by one thread at a time */
};

struct fast {
	struct cscg_engine base;
	const struct cscg_walk *w;
	const struct cscg_simd *simd;
	struct cscg_pack *pack;
	int S, A, threads;
	bool learn_pi, low_memory;
	int *clones;		/* [n_obs + 1] */
	int *symbol;		/* [n_states] */

	float *T, *turned;	/* blocks, and transposed */
	double *counts;		/* like T */
	int64_t *next;		/* like T, in units of 2^-bits */
	int bits;
	double *rest, *rest_log;	/* [A * S] counts outside all blocks */
	bool fresh;		/* are the counts those that were loaded? */
	const struct cscg_model *loaded;	/* from here, or ... */
	struct cscg_rng rng;	/* ... by this */
	double pseudocount;
	int *panel;		/* [A * n_obs + 1] first group of (a, symbol) */
	double *prior;		/* [A * n_obs] sum of log T */

	float *pi;		/* [n_states], each symbol's padded: pi_at */
	size_t *pi_at;		/* [n_obs] */
	double *pi_d, *start;	/* [n_states] */

	float *alpha, *beta;	/* messages of all units, or of one */
	size_t *left, *right;	/* [n_units] where those of a unit start */
	float *tail_alpha;	/* the last forward message of each run ... */
	float *tail_beta;	/* ... and the first backward one */
	size_t *tail, *head;	/* [n_runs] where */
	float *check;		/* low memory: forward, at the start of units */
	size_t *check_at;	/* [n_units] */
	float *carry;		/* low memory: backward, to the unit before */
	float *scratch;		/* low memory: [threads][3][widest] */
	size_t widest;		/* reals of the widest message */
	int now;		/* the unit whose counts are added */
	int16_t *shift;		/* [n_steps] powers of two put into alpha */
	float *factor;		/* [transitions of the largest unit] */
	double *loglik;		/* [n_runs] */
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

static uint32_t
width_of(const struct fast *f, int x)
{
	return cscg_pad(f->pack, (uint32_t)(f->clones[x + 1] - f->clones[x]));
}

/* Do fn for 0 .. n-1, on as many threads as there are. */
static void
each(struct fast *f, long n, void (*fn)(struct fast *, long))
{
	long i;

	if (f->threads > 1 && n > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(f->threads)
		for (i = 0; i < n; i++)
			fn(f, i);
	} else {
		for (i = 0; i < n; i++)
			fn(f, i);
	}
}

/* ---- where messages are ---- */

static const struct cscg_piece *
piece_at(const struct fast *f, int u, long t)
{
	const struct cscg_pack *p = f->pack;

	return &p->unit[u].piece[p->piece_of[u][p->of[t]]];
}

/* The forward message at the left of transition t -> t+1, in its unit u. */
static float *
left_at(const struct fast *f, int u, long t)
{
	const struct cscg_piece *q = piece_at(f, u, t);

	return f->alpha + f->left[u] + q->left +
	    (size_t)(f->pack->order[t] - q->first) *
	    f->pack->group[q->group].rows_pad;
}

/* The backward message at its right. */
static float *
right_at(const struct fast *f, int u, long t)
{
	const struct cscg_piece *q = piece_at(f, u, t);

	return f->beta + f->right[u] + q->right +
	    (size_t)(f->pack->order[t] - q->first) *
	    f->pack->group[q->group].cols_pad;
}

/* The forward message of step t of run r, in unit u. */
static float *
alpha_at(const struct fast *f, int u, long r, long t)
{
	return f->pack->of[t] < 0 ? f->tail_alpha + f->tail[r] :
	    left_at(f, u, t);
}

/*
 * The backward message of step t of run r, in unit u: it stands at the right
 * of transition t-1 -> t, which may be in the unit before.
 */
static float *
beta_at(const struct fast *f, int u, long r, long t)
{
	if (t == f->pack->run[r])
		return f->tail_beta + f->head[r];
	if (t > f->pack->unit[u].from)
		return right_at(f, u, t - 1);
	return f->low_memory ? f->carry : right_at(f, u - 1, t - 1);
}

/* The unit of step t. */
static int
unit_of(const struct fast *f, long t)
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
forward(struct fast *f, int u, long r, long from, long to, const float *at,
    float *scratch)
{
	const struct cscg_pack *p = f->pack;
	struct cscg_link link[LINKS];
	double sum = 0;
	long t = from, n;

	while (t + 1 < to) {
		long first = t;

		for (n = 0; n < LINKS && t + 1 < to; n++, t++) {
			const struct cscg_group *g = &p->group[p->of[t]];
			bool enters = t + 1 == p->unit[u].to;

			u += enters;
			link[n].block = f->T + g->block;
			link[n].rows = g->rows;
			link[n].cols = g->cols_pad;
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
backward(struct fast *f, int u, long r, long from, long to, const float *at)
{
	const struct cscg_pack *p = f->pack;
	struct cscg_link link[LINKS];
	int16_t shift[LINKS];
	long t = from, n;

	while (t > to) {
		for (n = 0; n < LINKS && t > to; n++, t--) {
			const struct cscg_group *g = &p->group[p->of[t - 1]];

			u -= t == p->unit[u].from;
			link[n].block = f->turned + g->turned;
			link[n].rows = g->cols;
			link[n].cols = g->rows_pad;
			link[n].to = beta_at(f, u, r, t - 1);
		}
		f->simd->chain(at, link, n, shift);
		at = link[n - 1].to;
	}
}

/* The first forward message of run r into `at`; returns its sum. */
static double
start_run(struct fast *f, long r, float *at)
{
	int x = f->w->x[f->pack->run[r]], j;
	const float *pi = f->pi + f->pi_at[x];
	double sum = 0;

	memcpy(at, pi, width_of(f, x) * sizeof *at);
	for (j = f->clones[x]; j < f->clones[x + 1]; j++)
		sum += pi[j - f->clones[x]];
	f->shift[f->pack->run[r]] = 0;
	return sum;
}

/* The last backward message of run r into `at`. */
static void
end_run(struct fast *f, long r, float *at)
{
	int x = f->w->x[f->pack->run[r + 1] - 1], j;

	memset(at, 0, width_of(f, x) * sizeof *at);
	for (j = f->clones[x]; j < f->clones[x + 1]; j++)
		at[j - f->clones[x]] = 1;
}

static void
set_loglik(struct fast *f, long r, double sum)
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
forward_run(struct fast *f, long r)
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
forward_sweep(struct fast *f, long r)
{
	const struct cscg_pack *p = f->pack;
	long from = p->run[r], to = p->run[r + 1];
	int u = unit_of(f, from);
	float *scratch = f->scratch + 3 * f->widest * (size_t)thread();
	float *at = p->of[from] < 0 ? f->tail_alpha + f->tail[r] :
	    scratch + 2 * f->widest;
	double sum = start_run(f, r, at);

	if (to - from > 1)
		sum = forward(f, u, r, from, to, at, scratch);
	set_loglik(f, r, sum);
}

/* Backward needs the first message of a run only for learning pi. */
static long
last_stop(const struct fast *f, long r)
{
	long from = f->pack->run[r];

	return f->learn_pi || f->pack->of[from] < 0 ? from : from + 1;
}

static void
backward_run(struct fast *f, long r)
{
	long end = f->pack->run[r + 1] - 1;
	int u = unit_of(f, end);
	float *at = beta_at(f, u, r, end);

	end_run(f, r, at);
	backward(f, u, r, end, last_stop(f, r), at);
}

/* Both directions as one list of jobs; even: forward. */
static void
one_way(struct fast *f, long i)
{
	if (i % 2 == 0)
		forward_run(f, i / 2);
	else
		backward_run(f, i / 2);
}

/* The part of a run within unit `now`, from what the sweep kept. */
static void
one_way_again(struct fast *f, long i)
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
			    width_of(f, f->w->x[from]) * sizeof *at);
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
take_carry(struct fast *f)
{
	long t = f->pack->unit[f->now].to;

	if (t < f->w->n_steps && f->pack->of[t - 1] >= 0)
		memcpy(right_at(f, f->now, t - 1), f->carry,
		    width_of(f, f->w->x[t]) * sizeof *f->carry);
}

/* ---- counts ---- */

/* The weights of some transitions of unit `now`. */
static void
weigh(struct fast *f, long i)
{
	const struct cscg_pack *p = f->pack;
	const struct cscg_unit *u = &p->unit[f->now];
	long t = u->from + i * STRETCH, end = t + STRETCH, r = u->run;
	const float *a;
	float z;

	if (end > u->to)
		end = u->to;
	while (p->run[r + 1] <= t)
		r++;
	for (; t < end; t++) {
		if (p->of[t] < 0) {
			r++;
			continue;
		}
		if (t + 1 < u->to)
			a = alpha_at(f, f->now, r, t + 1);
		else if (f->low_memory)
			a = f->check + f->check_at[f->now + 1];
		else
			a = alpha_at(f, f->now + 1, r, t + 1);
		z = f->simd->dot(a, right_at(f, f->now, t),
		    p->group[p->of[t]].cols_pad);
		f->factor[p->order[t]] = ldexpf(1, f->shift[t + 1]) / z;
	}
}

static void
add_piece(struct fast *f, long i)
{
	const struct cscg_piece *q = &f->pack->unit[f->now].piece[i];
	const struct cscg_group *g = &f->pack->group[q->group];
	struct cscg_gram gram = {
		f->alpha + f->left[f->now] + q->left,
		f->beta + f->right[f->now] + q->right,
		f->factor + q->first, f->T + g->block, g->rows, g->rows_pad,
		g->cols_pad, (long)q->n, f->next + g->block
	};

	f->simd->gram(&gram, ldexp(1, f->bits));
}

/* The posterior of the first step of each run that starts in unit `now`. */
static void
add_starts(struct fast *f)
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
		z = f->simd->dot(a, b, width_of(f, x));
		for (j = 0; j < f->clones[x + 1] - f->clones[x]; j++)
			f->start[f->clones[x] + j] += a[j] * b[j] / z;
	}
}

/* The counts of unit `now`, whose messages are there. */
static void
add_unit(struct fast *f)
{
	const struct cscg_unit *u = &f->pack->unit[f->now];

	each(f, (u->to - u->from + STRETCH - 1) / STRETCH, weigh);
	each(f, u->n_pieces, add_piece);
	if (f->learn_pi)
		add_starts(f);
}

static int
expect(struct cscg_engine *e, bool counts, double *loglik,
    struct cscg_err *err)
{
	struct fast *f = (struct fast *)e;
	const struct cscg_pack *p = f->pack;
	long r, n;

	(void)err;
	if (f->low_memory)
		each(f, p->n_runs, forward_sweep);
	else if (counts)
		each(f, 2 * p->n_runs, one_way);
	else
		each(f, p->n_runs, forward_run);
	for (*loglik = 0, r = 0; r < p->n_runs; r++)
		*loglik += f->loglik[r];
	if (!counts || isinf(*loglik))
		return 0;
	memset(f->next, 0, p->n_block * sizeof *f->next);
	memset(f->start, 0, (size_t)f->S * sizeof *f->start);
	for (f->now = p->n_units - 1; f->now >= 0; f->now--) {
		if (f->low_memory) {
			for (n = 0, r = p->unit[f->now].run; r < p->n_runs &&
			    p->run[r] < p->unit[f->now].to; r++)
				n++;
			take_carry(f);
			each(f, 2 * n, one_way_again);
		}
		add_unit(f);
	}
	return 0;
}

/* ---- T and pi ---- */

static void
set_pi(struct fast *f)
{
	int x, j;

	for (x = 0; x < f->w->head.n_obs; x++)
		for (j = f->clones[x]; j < f->clones[x + 1]; j++)
			f->pi[f->pi_at[x] + (size_t)(j - f->clones[x])] =
			    (float)f->pi_d[j];
}

/* ---- counts as they were loaded ---- */

/* Call fn for every count as it was loaded. */
static void
each_loaded(const struct fast *f, void (*fn)(void *ctx, int a, int j, int k,
    double c), void *ctx)
{
	const struct cscg_model *m = f->loaded;
	struct cscg_rng rng = f->rng;
	int a, j, k;
	long i;

	for (a = 0; a < f->A; a++)
		for (j = 0; j < f->S; j++) {
			long row = (long)a * f->S + j;

			for (k = 0; !m && k < f->S; k++)
				fn(ctx, a, j, k, cscg_rng_uniform(&rng));
			for (i = m ? m->first[row] : 0;
			    m && i < m->first[row + 1]; i++)
				fn(ctx, a, j, m->to[i], m->count[i]);
		}
}

/* Where in the blocks is T[a][j][k]?  -1: nowhere. */
static long
place(const struct fast *f, int a, int j, int k)
{
	int x = f->symbol[j], y = f->symbol[k];
	int g = cscg_pack_find(f->pack, a, x, y);
	const struct cscg_group *q;

	if (g < 0)
		return -1;
	q = &f->pack->group[g];
	return (long)(q->block + (size_t)(j - f->clones[x]) * q->cols_pad +
	    (size_t)(k - f->clones[y]));
}

/* Of the entries outside the blocks, each count adds log(c + p) - log(p). */
static void
log_one(void *ctx, int a, int j, int k, double c)
{
	struct fast *f = ctx;

	if (place(f, a, j, k) < 0)
		f->rest_log[(long)a * f->S + j] += log(c + f->pseudocount) -
		    log(f->pseudocount);
}

static void
log_rest(struct fast *f)
{
	long row;
	int a, j, g, missing;

	if (f->pseudocount <= 0)
		return;
	for (row = 0; row < (long)f->A * f->S; row++) {
		a = (int)(row / f->S);
		j = (int)(row % f->S);
		missing = f->S;
		for (g = f->panel[(long)a * f->w->head.n_obs + f->symbol[j]];
		    g < f->panel[(long)a * f->w->head.n_obs + f->symbol[j] +
		    1]; g++)
			missing -= (int)f->pack->group[g].cols;
		f->rest_log[row] = missing * log(f->pseudocount);
	}
	each_loaded(f, log_one, f);
}

/* Row j of the groups first..last-1, which share action and symbol. */
static double
set_row(struct fast *f, long row, uint32_t j, int first, int last)
{
	const struct cscg_group *g;
	double p = f->pseudocount, norm = p * f->S + f->rest[row], prior = 0;
	uint32_t k;
	int i, missing = f->S;

	for (i = first; i < last; i++) {
		g = &f->pack->group[i];
		for (k = 0; k < g->cols; k++)
			norm += f->counts[g->block + (size_t)j * g->cols_pad +
			    k];
	}
	for (i = first; i < last; i++) {
		size_t at;

		g = &f->pack->group[i];
		at = g->block + (size_t)j * g->cols_pad;
		/* A row without counts and pseudocount is uniform. */
		prior += f->simd->row(f->counts + at, norm > 0 ? p : 1,
		    norm > 0 ? 1 / norm : 1.0 / f->S, f->T + at, g->cols,
		    g->cols_pad);
		missing -= (int)g->cols;
	}
	if (p <= 0)
		return 0;
	prior += f->fresh ? f->rest_log[row] : missing * log(p);
	return prior - f->S * log(norm);
}

/* All rows of one action and symbol. */
static void
set_panel(struct fast *f, long i)
{
	const struct cscg_pack *p = f->pack;
	int a = (int)(i / f->w->head.n_obs), x = (int)(i % f->w->head.n_obs);
	int first = f->panel[i], last = f->panel[i + 1], g, j;
	uint32_t k, r;

	f->prior[i] = 0;
	for (j = f->clones[x]; j < f->clones[x + 1]; j++)
		f->prior[i] += set_row(f, (long)a * f->S + j,
		    (uint32_t)(j - f->clones[x]), first, last);
	for (g = first; g < last; g++) {
		const struct cscg_group *q = &p->group[g];
		const float *from = f->T + q->block;
		float *to = f->turned + q->turned;

		for (r = 0; r < q->rows; r++)
			for (k = 0; k < q->cols; k++)
				to[(size_t)k * q->rows_pad + r] =
				    from[(size_t)r * q->cols_pad + k];
	}
}

static double
set_T(struct cscg_engine *e, double pseudocount)
{
	struct fast *f = (struct fast *)e;
	long i, n = (long)f->A * f->w->head.n_obs;
	double prior = 0;

	f->pseudocount = pseudocount;
	if (f->fresh)
		log_rest(f);
	each(f, n, set_panel);
	for (i = 0; i < n; i++)
		prior += f->prior[i];
	return prior;
}

/* ---- counts in and out ---- */

static void
load_one(void *ctx, int a, int j, int k, double c)
{
	struct fast *f = ctx;
	long at = place(f, a, j, k);

	if (at >= 0)
		f->counts[at] = c;
	else
		f->rest[(long)a * f->S + j] += c;
}

static int
load(struct cscg_engine *e, const struct cscg_model *m, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct fast *f = (struct fast *)e;

	(void)err;
	f->loaded = rng ? NULL : m;
	if (rng)
		f->rng = *rng;
	f->fresh = true;
	memset(f->counts, 0, f->pack->n_block * sizeof *f->counts);
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	each_loaded(f, load_one, f);
	return 0;
}

static void
accept_next(struct cscg_engine *e)
{
	struct fast *f = (struct fast *)e;
	double unit = ldexp(1, -f->bits), sum = 0;
	size_t i;
	int j;

	for (i = 0; i < f->pack->n_block; i++)
		f->counts[i] = (double)f->next[i] * unit;
	memset(f->rest, 0, (size_t)f->A * (size_t)f->S * sizeof *f->rest);
	f->fresh = false;
	if (!f->learn_pi)
		return;
	for (j = 0; j < f->S; j++)
		sum += f->start[j];
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = f->start[j] / sum;
	set_pi(f);
}

/* Counts on their way into a model. */
struct taken {
	struct cscg_count *c;
	long n;
	double floor;
};

static void
take_one(void *ctx, int a, int j, int k, double c)
{
	struct taken *t = ctx;

	if (c <= t->floor)
		return;
	if (t->c)
		t->c[t->n] = (struct cscg_count){ a, j, k, c };
	t->n++;
}

static void
take_all(const struct fast *f, struct taken *t)
{
	const struct cscg_group *g;
	uint32_t j, k;
	int i;

	t->n = 0;
	if (f->fresh) {
		each_loaded(f, take_one, t);
		return;
	}
	for (i = 0; i < f->pack->n_groups; i++) {
		g = &f->pack->group[i];
		for (j = 0; j < g->rows; j++)
			for (k = 0; k < g->cols; k++)
				take_one(t, g->a, f->clones[g->from] + (int)j,
				    f->clones[g->to] + (int)k,
				    f->counts[g->block +
				    (size_t)j * g->cols_pad + k]);
	}
}

static int
store(struct cscg_engine *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct fast *f = (struct fast *)e;
	struct taken t = { NULL, 0, floor };
	int rc;

	if (f->learn_pi) {
		free(m->pi);
		m->pi = cscg_copy(f->pi_d, (size_t)f->S, sizeof *m->pi, err);
		if (!m->pi)
			return -1;
	}
	take_all(f, &t);
	t.c = cscg_alloc((size_t)t.n, sizeof *t.c, err);
	if (!t.c)
		return -1;
	take_all(f, &t);
	rc = cscg_model_set_counts(m, t.c, t.n, err);
	free(t.c);
	return rc;
}

/* ---- making and unmaking ---- */

static void
fast_free(struct cscg_engine *e)
{
	struct fast *f = (struct fast *)e;

	cscg_pack_free(f->pack);
	free(f->clones);
	free(f->symbol);
	free(f->T);
	free(f->turned);
	free(f->counts);
	free(f->next);
	free(f->rest);
	free(f->rest_log);
	free(f->panel);
	free(f->prior);
	free(f->pi);
	free(f->pi_at);
	free(f->pi_d);
	free(f->start);
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
	free(f->factor);
	free(f->loglik);
	free(f);
}

static float *
reals(size_t n, struct cscg_err *err)
{
	return cscg_alloc_aligned(n, sizeof(float), CSCG_ALIGN, err);
}

/* Room for T, counts and pi. */
static int
new_blocks(struct fast *f, struct cscg_err *err)
{
	const struct cscg_pack *p = f->pack;
	size_t rows = (size_t)f->A * (size_t)f->S, n = 0;
	size_t panels = (size_t)f->A * (size_t)f->w->head.n_obs, i;
	int x, g = 0;

	f->T = reals(p->n_block, err);
	f->turned = reals(p->n_turned, err);
	f->counts = cscg_alloc(p->n_block, sizeof *f->counts, err);
	f->next = cscg_alloc(p->n_block, sizeof *f->next, err);
	f->rest = cscg_alloc(rows, sizeof *f->rest, err);
	f->rest_log = cscg_alloc(rows, sizeof *f->rest_log, err);
	f->panel = cscg_alloc(panels + 1, sizeof *f->panel, err);
	f->prior = cscg_alloc(panels, sizeof *f->prior, err);
	f->pi_at = cscg_alloc((size_t)f->w->head.n_obs, sizeof *f->pi_at, err);
	f->start = cscg_alloc((size_t)f->S, sizeof *f->start, err);
	if (!f->T || !f->turned || !f->counts || !f->next || !f->rest ||
	    !f->rest_log || !f->panel || !f->prior || !f->pi_at || !f->start)
		return -1;
	for (i = 0; i < panels; i++) {
		f->panel[i] = g;
		while (g < p->n_groups && (size_t)p->group[g].a *
		    (size_t)f->w->head.n_obs + (size_t)p->group[g].from == i)
			g++;
	}
	f->panel[panels] = g;
	for (x = 0; x < f->w->head.n_obs; x++) {
		f->pi_at[x] = n;
		n += width_of(f, x);
		if (width_of(f, x) > f->widest)
			f->widest = width_of(f, x);
	}
	f->pi = reals(n, err);
	return f->pi ? 0 : -1;
}

/* Room for the messages of the walk. */
static int
new_messages(struct fast *f, struct cscg_err *err)
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
		check += width_of(f, f->w->x[q->from]);
		if (q->n > most)
			most = q->n;
	}
	for (r = 0; r < p->n_runs; r++) {
		f->tail[r] = tail;
		f->head[r] = head;
		tail += width_of(f, f->w->x[p->run[r + 1] - 1]);
		head += width_of(f, f->w->x[p->run[r]]);
	}
	f->alpha = reals(left, err);
	f->beta = reals(right, err);
	f->tail_alpha = reals(tail, err);
	f->tail_beta = reals(head, err);
	f->check = reals(f->low_memory ? check : 1, err);
	f->carry = reals(f->widest, err);
	f->scratch = reals(f->low_memory ?
	    3 * f->widest * (size_t)f->threads : 1, err);
	f->shift = cscg_alloc((size_t)f->w->n_steps, sizeof *f->shift, err);
	f->factor = cscg_alloc((size_t)most, sizeof *f->factor, err);
	f->loglik = cscg_alloc(runs, sizeof *f->loglik, err);
	return f->alpha && f->beta && f->tail_alpha && f->tail_beta &&
	    f->check && f->carry && f->scratch && f->shift && f->factor &&
	    f->loglik ? 0 : -1;
}

struct cscg_engine *
cscg_engine_fast(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_engine_set *set, struct cscg_err *err)
{
	static const struct cscg_engine ops = { load, set_T, expect,
	    accept_next, store, fast_free, NULL, 1e-6, 2 * FLT_EPSILON };
	struct fast *f = cscg_alloc(1, sizeof *f, err);
	int j;

	if (!f)
		return NULL;
	f->base = ops;
	f->base.name = set->simd->name;
	f->w = w;
	f->simd = set->simd;
	f->S = m->n_states;
	f->A = m->n_actions;
	f->threads = set->threads;
	f->learn_pi = set->learn_pi;
	f->low_memory = set->low_memory;
	/* A piece of 512 transitions must stay below 2^51, all below 2^62. */
	f->bits = 61 - (int)ceil(log2((double)w->n_steps + 1));
	if (f->bits > 41)
		f->bits = 41;
	f->clones = cscg_alloc((size_t)m->n_obs + 1, sizeof *f->clones, err);
	f->symbol = cscg_copy(m->clone, (size_t)f->S, sizeof *f->symbol, err);
	f->pi_d = cscg_alloc((size_t)f->S, sizeof *f->pi_d, err);
	if (!f->clones || !f->symbol || !f->pi_d)
		goto fail;
	cscg_model_groups(m, f->clones);
	f->pack = cscg_pack_new(w, f->clones, f->simd->width, err);
	if (!f->pack || new_blocks(f, err) < 0 || new_messages(f, err) < 0)
		goto fail;
	for (j = 0; j < f->S; j++)
		f->pi_d[j] = m->pi ? m->pi[j] : 1.0 / f->S;
	set_pi(f);
	return &f->base;
fail:
	fast_free(&f->base);
	return NULL;
}
