/*
 * estep_sparse.c - E-step of EM on T for sparse T and emission rows
 *
 * Each row is a level common to all states plus a few entries.  So a message
 * is one sum over the levels and one pass over the entries.  Forward messages
 * are stored, backward messages are not: counts are added during the backward
 * pass.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/estep_sparse.h"
#include "kernel/passes.h"

/* E-step on T with a cost proportional to the stored entries */

struct sparse {
	struct cscg_estep base;
	const struct cscg_model *m;
	const struct cscg_walk *w;
	size_t S;
	double *T, *excess;   /* of each entry; excess: above the level */
	double *level;        /* [row] */
	double *count, *next; /* of each entry */
	const double *extra;  /* added to each count, or NULL */
	double *unstored, *next_unstored; /* [row] transitions without an
	                                     entry */
	int *column_of;                   /* [n_obs] */
	double *emission; /* [columns + 1][S] P(x | state); last: ones */
	double *pi;       /* [S] */
	double *alpha;    /* [steps][S] of an episode */
	double *scale;    /* [steps] P(x[t] | steps before) */
	double *beta, *v; /* [S] */
	size_t cap_alpha, cap_scale;
};

static long
n_rows(const struct sparse *s)
{
	return (long)s->m->n_actions * s->m->n_states;
}

/* ---- counts and T ---- */

static int
load(struct cscg_estep *e, const struct cscg_model *m, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct sparse *s = (struct sparse *)e;
	long i, n = s->m->first[n_rows(s)];

	(void)err;
	for (i = 0; i < n; i++)
		s->count[i] = rng ? cscg_rng_uniform(rng) : m->count[i];
	memset(s->unstored, 0, (size_t)n_rows(s) * sizeof *s->unstored);
	return 0;
}

static double
count_of(const struct sparse *s, long i)
{
	return s->count[i] + (s->extra ? s->extra[i] : 0);
}

/* One row of T; returns its log prior for each unit of p. */
static double
set_row(struct sparse *s, long r, double p)
{
	long from = s->m->first[r], to = s->m->first[r + 1], i;
	double others = (double)s->S - (double)(to - from);
	double sum = s->unstored[r] + p * (double)s->S, level = 0, logs = 0;

	for (i = from; i < to; i++)
		sum += count_of(s, i);
	if (!(sum > 0)) {
		/* A row without counts and pseudocount is uniform. */
		for (i = from; i < to; i++) {
			s->T[i] = 1 / (double)s->S;
			s->excess[i] = 0;
		}
		s->level[r] = 1 / (double)s->S;
		return p > 0 ? -(double)s->S * log((double)s->S) : 0;
	}
	if (others > 0)
		level = (s->unstored[r] / others + p) / sum;
	for (i = from; i < to; i++) {
		s->T[i] = (count_of(s, i) + p) / sum;
		s->excess[i] = s->T[i] - level;
		if (p > 0)
			logs += (1 + (s->extra ? s->extra[i] / p : 0)) *
			    log(s->T[i]);
	}
	s->level[r] = level;
	return p > 0 && others > 0 ? logs + others * log(level) : logs;
}

static double
set_T(struct cscg_estep *e, double pseudocount)
{
	struct sparse *s = (struct sparse *)e;
	double sum = 0;
	long r;

	for (r = 0; r < n_rows(s); r++)
		sum += set_row(s, r, pseudocount);
	return sum;
}

static void
accept_next(struct cscg_estep *e)
{
	struct sparse *s = (struct sparse *)e;

	memcpy(s->count, s->next,
	    (size_t)s->m->first[n_rows(s)] * sizeof *s->count);
	memcpy(s->unstored, s->next_unstored,
	    (size_t)n_rows(s) * sizeof *s->unstored);
}

/* Entries keep their order; those without counts are omitted. */
static int
store(struct cscg_estep *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct sparse *s = (struct sparse *)e;
	struct cscg_count *c = cscg_alloc((size_t)s->m->first[n_rows(s)],
	    sizeof *c, err);
	long r, i, n = 0;
	int rc;

	if (!c)
		return -1;
	for (r = 0; r < n_rows(s); r++)
		for (i = s->m->first[r]; i < s->m->first[r + 1]; i++)
			if (count_of(s, i) > floor)
				c[n++] = (struct cscg_count){
					(int)(r / s->m->n_states),
					(int)(r % s->m->n_states), s->m->to[i],
					count_of(s, i)
				};
	rc = cscg_model_set_counts(m, c, n, err);
	free(c);
	return rc;
}

/* ---- messages ---- */

static const double *
emission_of(const struct sparse *s, long t)
{
	int x = s->w->x[t], n = s->column_of[s->m->n_obs];

	return s->emission + (size_t)(x < 0 ? n : s->column_of[x]) * s->S;
}

/* out[k] = sum_j in[j] T[a][j][k] */
static void
push(const struct sparse *s, int a, const double *restrict in,
    double *restrict out)
{
	const long *first = s->m->first + (long)a * s->m->n_states;
	const double *level = s->level + (size_t)a * s->S;
	double base = 0;
	size_t j;
	long i;

	for (j = 0; j < s->S; j++)
		base += in[j] * level[j];
	for (j = 0; j < s->S; j++)
		out[j] = base;
	for (j = 0; j < s->S; j++)
		for (i = first[j]; i < first[j + 1]; i++)
			out[s->m->to[i]] += in[j] * s->excess[i];
	/*
	 * An entry below its level is subtracted: rounding may make the sum
	 * negative.
	 */
	for (j = 0; j < s->S; j++)
		out[j] = out[j] > 0 ? out[j] : 0;
}

/* The message of step t into out; returns P(x[t] | steps before). */
static double
forward_step(struct sparse *s, int e, long t, const double *before,
    double *out)
{
	const double *emission = emission_of(s, t);
	double sum = 0;
	size_t j;

	if (cscg_walk_starts_run(s->w, e, t))
		memcpy(out, s->pi, s->S * sizeof *out);
	else
		push(s, s->w->a[t - 1], before, out);
	for (j = 0; j < s->S; j++)
		sum += out[j] *= emission[j];
	for (j = 0; j < s->S && sum > 0; j++)
		out[j] /= sum;
	return sum;
}

static double
forward(struct sparse *s, int e)
{
	long n = s->w->start[e + 1] - s->w->start[e], t;
	double loglik = 0;

	for (t = 0; t < n; t++) {
		double *out = s->alpha + (size_t)t * s->S;

		s->scale[t] = forward_step(s, e, s->w->start[e] + t,
		    out - (t ? s->S : 0), out);
		if (!(s->scale[t] > 0))
			return -INFINITY;
		loglik += log(s->scale[t]);
	}
	return loglik;
}

/*
 * Backward through action a: beta from v, which is beta of the next step,
 * weighted and scaled, and the expected counts from alpha and v.
 */
static void
back_step(struct sparse *s, int a, const double *restrict alpha,
    const double *restrict v, double *restrict beta)
{
	long row = (long)a * s->m->n_states;
	const long *first = s->m->first + row;
	double all = 0, stored, excess, x;
	size_t j;
	long i;

	for (j = 0; j < s->S; j++)
		all += v[j];
	for (j = 0; j < s->S; j++) {
		stored = excess = 0;
		for (i = first[j]; i < first[j + 1]; i++) {
			x = v[s->m->to[i]];
			stored += x;
			excess += s->excess[i] * x;
			s->next[i] += alpha[j] * s->T[i] * x;
		}
		x = alpha[j] * s->level[row + (long)j] * (all - stored);
		s->next_unstored[row + (long)j] += x > 0 ? x : 0;
		x = s->level[row + (long)j] * all + excess;
		beta[j] = x > 0 ? x : 0;
	}
}

static void
backward(struct sparse *s, int e)
{
	long from = s->w->start[e], t = s->w->start[e + 1] - from - 1;
	size_t j;

	for (j = 0; j < s->S; j++)
		s->beta[j] = 1;
	for (; t > 0; t--) {
		const double *emission = emission_of(s, from + t);

		if (cscg_walk_starts_run(s->w, e, from + t)) {
			for (j = 0; j < s->S; j++)
				s->beta[j] = 1;
			continue;
		}
		for (j = 0; j < s->S; j++)
			s->v[j] = emission[j] * s->beta[j] / s->scale[t];
		back_step(s, s->w->a[from + t - 1],
		    s->alpha + (size_t)(t - 1) * s->S, s->v, s->beta);
	}
}

static int
expect(struct cscg_estep *eng, bool counts, double *loglik,
    struct cscg_err *err)
{
	struct sparse *s = (struct sparse *)eng;
	double one;
	size_t n;
	int e;

	*loglik = 0;
	memset(s->next, 0, (size_t)s->m->first[n_rows(s)] * sizeof *s->next);
	memset(s->next_unstored, 0,
	    (size_t)n_rows(s) * sizeof *s->next_unstored);
	for (e = 0; e < s->w->n_episodes; e++) {
		n = (size_t)(s->w->start[e + 1] - s->w->start[e]);
		if (cscg_grow(&s->alpha, &s->cap_alpha, n,
			s->S * sizeof *s->alpha, err) < 0 ||
		    cscg_grow(&s->scale, &s->cap_scale, n, sizeof *s->scale,
			err) < 0)
			return -1;
		*loglik += one = forward(s, e);
		if (counts && isfinite(one))
			backward(s, e);
	}
	return 0;
}

double
cscg_estep_sparse_rest(const struct cscg_estep *e)
{
	const struct sparse *s = (const struct sparse *)e;
	double sum = 0;
	long r;

	for (r = 0; r < n_rows(s); r++)
		sum += s->next_unstored[r];
	return sum;
}

/* ---- construction ---- */

static void
sparse_free(struct cscg_estep *e)
{
	struct sparse *s = (struct sparse *)e;

	free(s->T);
	free(s->excess);
	free(s->level);
	free(s->count);
	free(s->next);
	free(s->unstored);
	free(s->next_unstored);
	free(s->column_of);
	free(s->emission);
	free(s->pi);
	free(s->alpha);
	free(s->scale);
	free(s->beta);
	free(s->v);
	free(s);
}

/* A column for each observed symbol; column_of[n_obs] is their number. */
static int
set_emissions(struct sparse *s, struct cscg_err *err)
{
	int K = s->m->n_obs, x, n = 0;
	size_t j;
	long t;

	s->column_of = cscg_alloc((size_t)K + 1, sizeof *s->column_of, err);
	if (!s->column_of)
		return -1;
	for (t = 0; t < s->w->n_steps; t++)
		if (s->w->x[t] >= 0)
			s->column_of[s->w->x[t]] = 1;
	for (x = 0; x < K; x++)
		s->column_of[x] = s->column_of[x] ? n++ : -1;
	s->column_of[K] = n;
	s->emission = cscg_alloc((size_t)n + 1, s->S * sizeof *s->emission,
	    err);
	if (!s->emission)
		return -1;
	for (x = 0; x <= K; x++)
		for (j = 0; j < s->S && s->column_of[x] >= 0; j++)
			s->emission[(size_t)s->column_of[x] * s->S + j] =
			    x == K ? 1 : cscg_model_E(s->m, (int)j, x);
	return 0;
}

static int
allocate(struct sparse *s, struct cscg_err *err)
{
	size_t n = (size_t)s->m->first[n_rows(s)], rows = (size_t)n_rows(s);

	s->T = cscg_alloc(n, sizeof *s->T, err);
	s->excess = cscg_alloc(n, sizeof *s->excess, err);
	s->level = cscg_alloc(rows, sizeof *s->level, err);
	s->count = cscg_alloc(n, sizeof *s->count, err);
	s->next = cscg_alloc(n, sizeof *s->next, err);
	s->unstored = cscg_alloc(rows, sizeof *s->unstored, err);
	s->next_unstored = cscg_alloc(rows, sizeof *s->next_unstored, err);
	s->pi = cscg_alloc(s->S, sizeof *s->pi, err);
	s->beta = cscg_alloc(s->S, sizeof *s->beta, err);
	s->v = cscg_alloc(s->S, sizeof *s->v, err);
	return s->T && s->excess && s->level && s->count && s->next &&
		s->unstored && s->next_unstored && s->pi && s->beta && s->v ?
	    0 :
	    -1;
}

struct cscg_estep *
cscg_estep_sparse(const struct cscg_model *m, const struct cscg_walk *w,
    const double *extra, struct cscg_err *err)
{
	static const struct cscg_estep ops = { load, set_T, expect,
		accept_next, store, sparse_free, "sparse", 1e-11,
		2 * DBL_EPSILON, NULL, NULL };
	struct sparse *s;
	size_t j;

	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a grounded model is needed, this is a schema");
		cscg_fail_hint(err, "grounded-needed");
		return NULL;
	}
	s = cscg_alloc(1, sizeof *s, err);
	if (!s)
		return NULL;
	s->base = ops;
	s->m = m;
	s->w = w;
	s->extra = extra;
	s->S = (size_t)m->n_states;
	if (allocate(s, err) < 0 || set_emissions(s, err) < 0) {
		sparse_free(&s->base);
		return NULL;
	}
	for (j = 0; j < s->S; j++)
		s->pi[j] = m->pi ? m->pi[j] : 1 / (double)s->S;
	load(&s->base, m, NULL, err);
	return &s->base;
}
