/*
 * bind_step.c - the E-step of binding: which state was seen with which symbol
 *
 * The plain loops are forward.c and backward.c with emission rows.  The fast
 * ones run the chains of simd.h over all states: messages are weighed by the
 * column of E of the symbol before they go on.  Neither alpha nor beta then
 * holds the weight of its own step, so that the posterior is
 * alpha * weight * beta.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/backward.h"
#include "schema/bind_step.h"
#include "kernel/forward.h"
#include "base/mem.h"

/* ---- memory ---- */

/* Pieces of one block; without a block they are only counted. */
struct arena {
	char *block;
	size_t used;
	bool overflow;
};

static void *
arena_take(struct arena *p, size_t n, size_t m, size_t size)
{
	size_t at = p->used, bytes;

	if (__builtin_mul_overflow(n, m, &bytes) ||
	    __builtin_mul_overflow(bytes, size, &bytes) ||
	    __builtin_add_overflow(bytes, CSCG_ALIGN - 1, &bytes) ||
	    __builtin_add_overflow(bytes / CSCG_ALIGN * CSCG_ALIGN, at,
	    &p->used))
		p->overflow = true;
	return p->block ? p->block + at : NULL;
}

static void
place_arrays(struct cscg_bind_estep *b, struct arena *p)
{
	size_t S = (size_t)b->S, n = (size_t)b->n, longest = 0, len;
	const struct cscg_walk *w = b->w;
	int e;

	b->emission = arena_take(p, n, b->stride, sizeof *b->emission);
	b->visits = arena_take(p, n + 1, b->stride, sizeof *b->visits);
	b->start = arena_take(p, S, 1, sizeof *b->start);
	b->norm = arena_take(p, S, 1, sizeof *b->norm);
	b->line = arena_take(p, b->stride, 1, sizeof *b->line);
	if (!b->trans_simd) {
		b->gamma = arena_take(p, S, 1, sizeof *b->gamma);
		return;
	}
	for (e = 0; e < w->n_episodes; e++) {
		len = (size_t)(w->start[e + 1] - w->start[e]);
		longest = len > longest ? len : longest;
	}
	b->column = arena_take(p, n + 1, b->stride, sizeof *b->column);
	b->alpha = arena_take(p, longest, b->stride, sizeof *b->alpha);
	b->beta = arena_take(p, longest, b->stride, sizeof *b->beta);
	b->scratch = arena_take(p, b->stride, 1, sizeof *b->scratch);
}

/* At least so many bytes; what was there is lost. */
static int
reserve(struct cscg_bind_work *mem, size_t bytes, struct cscg_err *err)
{
	if (bytes <= mem->size)
		return 0;
	/* Prefixes grow a little each time: do not follow each of them. */
	if (bytes < mem->size + mem->size / 2)
		bytes = mem->size + mem->size / 2;
	cscg_bind_work_free(mem);
	mem->block = cscg_alloc_aligned(bytes, 1, CSCG_ALIGN, err);
	if (!mem->block)
		return -1;
	mem->size = bytes;
	return 0;
}

void
cscg_bind_work_free(struct cscg_bind_work *mem)
{
	free(mem->block);
	mem->block = NULL;
	mem->size = 0;
}

/* ---- columns ---- */

/* The plain loops look symbols up themselves, so they have all. */
static int
number_columns(struct cscg_bind_estep *b, struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	int x;
	long t;

	b->column_of = cscg_alloc((size_t)b->K, sizeof *b->column_of, err);
	if (!b->column_of)
		return -1;
	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			b->column_of[w->x[t]] = 1;
	for (x = 0; x < b->K; x++)
		b->column_of[x] = b->column_of[x] || !b->trans_simd ? b->n++ : -1;
	return 0;
}

/* The E that the caller starts with; pads are zero. */
static void
load_E(struct cscg_bind_estep *b)
{
	int x, j;

	for (x = 0; x < b->K; x++) {
		double *emission;

		if (b->column_of[x] < 0)
			continue;
		emission = b->emission + (size_t)b->column_of[x] * b->stride;
		memset(emission, 0, b->stride * sizeof *emission);
		for (j = 0; j < b->S; j++)
			emission[j] = b->E[(size_t)j * (size_t)b->K + (size_t)x];
	}
}

int
cscg_bind_estep_new(struct cscg_bind_estep *b, const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_bind *set, double *E,
    double *pi, struct cscg_bind_work *mem, struct cscg_err *err)
{
	struct arena p = { NULL, 0, false };

	*b = (struct cscg_bind_estep){ .m = m, .w = w, .set = set,
	    .S = m->n_states, .K = w->head.n_obs, .E = E, .pi = pi };
	if (set->simd && !set->is_double)
		b->trans_simd = set->trans_simd;
	b->stride = b->trans_simd ? b->trans_simd->pad : (size_t)b->S;
	if (number_columns(b, err) < 0)
		return -1;
	place_arrays(b, &p);
	if (p.overflow)
		return cscg_fail(err, CSCG_ENOMEM, "out of memory (%ld steps "
		    "of %d states)", w->n_steps, b->S);
	if (reserve(mem, p.used, err) < 0)
		return -1;
	p = (struct arena){ mem->block, 0, false };
	place_arrays(b, &p);
	load_E(b);
	if (b->trans_simd) {
		memcpy(b->column + (size_t)b->n * b->stride, b->trans_simd->ones,
		    b->stride * sizeof *b->column);
		return 0;
	}
	b->tr = cscg_trans_schema(m, set->is_double ? &cscg_plain_double :
	    &cscg_plain_float, err);
	return b->tr ? 0 : -1;
}

void
cscg_bind_estep_free(struct cscg_bind_estep *b)
{
	free(b->column_of);
	cscg_trans_free(b->tr);
	cscg_work_free(&b->work);
}

/* The column of what was seen at step t; no symbol has one of its own. */
static size_t
column_at(const struct cscg_bind_estep *b, long t)
{
	int x = b->w->x[t];

	return (size_t)(x < 0 ? b->n : b->column_of[x]) * b->stride;
}

/* ---- the plain E-step ---- */

static void
add_visits(struct cscg_bind_estep *b, const double *p, long t, bool first)
{
	double *visits = b->visits + column_at(b, t);
	int j;

	for (j = 0; j < b->S; j++)
		visits[j] += p[j];
	for (j = 0; j < b->S && first; j++)
		b->start[j] += p[j];
}

static int
plain_episode(struct cscg_bind_estep *b, int e, double *loglik,
    struct cscg_err *err)
{
	const struct cscg_walk *w = b->w;
	long t;

	if (cscg_forward(b->tr, w, e, &b->work, loglik, err) < 0)
		return -1;
	if (isinf(*loglik))
		return 0;
	cscg_backward(b->tr, w, e, &b->work, NULL);
	for (t = 0; t < b->work.n; t++) {
		b->tr->kern->get(cscg_work_message(&b->work, b->tr, t), b->gamma,
		    b->S);
		add_visits(b, b->gamma, w->start[e] + t,
		    cscg_walk_starts_run(w, e, w->start[e] + t));
	}
	return 0;
}

/* ---- the fast one ---- */

/* Steps from .. to-1 have no reset in between: forward, and log P. */
static double
fast_forward(struct cscg_bind_estep *b, long from, long to,
    struct cscg_chain_step *link)
{
	const struct cscg_simd *simd = b->set->simd;
	float *alpha = b->alpha;
	double shift_sum = 0, sum;
	int16_t shift;
	long t;
	int j;

	memset(alpha, 0, b->stride * sizeof *alpha);
	for (j = 0; j < b->S; j++)
		alpha[j] = (float)b->pi[j];
	for (t = from; t + 1 < to; t++) {
		cscg_trans_simd_forward(b->trans_simd, b->w->a[t], link);
		link->weight = b->column + column_at(b, t);
		link->to = alpha + b->stride;
		if (simd->chain(alpha, link, 1, &shift) <= 0)
			return -INFINITY;
		shift_sum += shift;
		alpha = link->to;
	}
	sum = simd->dot(alpha, b->column + column_at(b, to - 1),
	    (uint32_t)b->stride);
	return sum > 0 ? log(sum) - shift_sum * M_LN2 : -INFINITY;
}

static void
fast_backward(struct cscg_bind_estep *b, long from, long to,
    struct cscg_chain_step *link)
{
	const struct cscg_simd *simd = b->set->simd;
	float *beta = b->beta + (size_t)(to - 1 - from) * b->stride;
	int16_t shift;
	long t;

	memcpy(beta, b->trans_simd->ones, b->stride * sizeof *beta);
	for (t = to - 2; t >= from; t--) {
		cscg_trans_simd_backward(b->trans_simd, b->w->a[t], link);
		link->weight = b->column + column_at(b, t + 1);
		link->to = beta - b->stride;
		simd->chain(beta, link, 1, &shift);
		beta = link->to;
	}
}

/* The messages of one run, and what they say of its steps. */
static double
fast_run(struct cscg_bind_estep *b, long from, long to)
{
	struct cscg_chain_step link = { .cols = (uint32_t)b->stride, .is_sparse = 1,
	    .rows_pad = (uint32_t)b->stride, .scratch = b->scratch };
	double loglik = fast_forward(b, from, to, &link);
	size_t i = 0;
	long t;
	int j;

	if (isinf(loglik))
		return loglik;
	fast_backward(b, from, to, &link);
	for (t = from; t < to; t++, i += b->stride)
		b->set->simd->posterior(b->alpha + i, b->beta + i,
		    b->column + column_at(b, t), (uint32_t)b->stride,
		    b->visits + column_at(b, t));
	for (j = 0; j < b->S; j++)
		b->start[j] += b->alpha[j];
	return loglik;
}

static double
fast_episode(struct cscg_bind_estep *b, int e)
{
	long from = b->w->start[e], to;
	double loglik = 0;

	for (; from < b->w->start[e + 1]; from = to) {
		for (to = from + 1; to < b->w->start[e + 1] &&
		    !cscg_walk_starts_run(b->w, e, to); to++)
			;
		loglik += fast_run(b, from, to);
	}
	return loglik;
}

/* ---- both ---- */

/* The columns as the passes want them. */
static int
set_emissions(struct cscg_bind_estep *b, struct cscg_err *err)
{
	size_t i, n = (size_t)b->n * b->stride;

	for (i = 0; b->trans_simd && i < n; i++)
		b->column[i] = (float)b->emission[i];
	if (b->trans_simd)
		return 0;
	/* trans.c turns rows into columns; these are all of them. */
	for (i = 0; i < n; i++)
		b->E[i % b->stride * (size_t)b->K + i / b->stride] =
		    b->emission[i];
	cscg_trans_set_pi(b->tr, b->pi);
	return cscg_trans_set_E(b->tr, b->E, b->K, err);
}

int
cscg_bind_estep(struct cscg_bind_estep *b, double *loglik, struct cscg_err *err)
{
	double one;
	int e;

	memset(b->visits, 0, ((size_t)b->n + 1) * b->stride * sizeof *b->visits);
	memset(b->start, 0, (size_t)b->S * sizeof *b->start);
	if (set_emissions(b, err) < 0)
		return -1;
	*loglik = 0;
	for (e = 0; e < b->w->n_episodes; e++) {
		if (b->trans_simd)
			one = fast_episode(b, e);
		else if (plain_episode(b, e, &one, err) < 0)
			return -1;
		*loglik += one;
	}
	return 0;
}
