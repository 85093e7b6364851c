/*
 * estep_sparse.c - E-step of EM on T for sparse T and emission rows
 *
 * Each row of T is a level common to all states plus a few entries, as in
 * trans.h; an entry may be below its level.  The passes are those of passes.h,
 * which count the entries and the remainder of each row.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/estep_sparse.h"
#include "kernel/passes.h"

struct sparse {
	struct cscg_estep base;
	const struct cscg_model *m;
	const struct cscg_walk *w;
	size_t S;
	struct cscg_trans *tr;
	struct cscg_work work;
	double *count, *next;             /* of each entry */
	const double *extra;              /* added to each count, or NULL */
	double *unstored, *next_unstored; /* [row] transitions without an
	                                     entry */
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
	double sum = s->unstored[r] + p * (double)s->S, logs = 0, T;
	double *excess = s->tr->excess, *level = (double *)s->tr->level + r;

	for (i = from; i < to; i++)
		sum += count_of(s, i);
	if (!(sum > 0)) {
		/* A row without counts and pseudocount is uniform. */
		for (i = from; i < to; i++)
			excess[i] = 0;
		*level = 1 / (double)s->S;
		return 0;
	}
	*level = others > 0 ? (s->unstored[r] / others + p) / sum : 0;
	for (i = from; i < to; i++) {
		T = (count_of(s, i) + p) / sum;
		excess[i] = T - *level;
		s->tr->is_signed |= excess[i] < 0;
		if (p > 0)
			logs += (1 + (s->extra ? s->extra[i] / p : 0)) *
			    log(T);
	}
	return p > 0 && others > 0 ? logs + others * log(*level) : logs;
}

static double
set_T(struct cscg_estep *e, double pseudocount)
{
	struct sparse *s = (struct sparse *)e;
	double sum = 0;
	long r;

	s->tr->is_signed = false;
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

/* ---- the E-step ---- */

static int
expect(struct cscg_estep *eng, bool counts, double *loglik,
    struct cscg_err *err)
{
	struct sparse *s = (struct sparse *)eng;
	const struct cscg_sink sink = { .entries = s->next,
		.rest = s->next_unstored };

	memset(s->next, 0, (size_t)s->m->first[n_rows(s)] * sizeof *s->next);
	memset(s->next_unstored, 0,
	    (size_t)n_rows(s) * sizeof *s->next_unstored);
	return cscg_expect(s->tr, s->w, &s->work, counts ? &sink : NULL,
	    loglik, err);
}

/* ---- construction ---- */

static void
sparse_free(struct cscg_estep *e)
{
	struct sparse *s = (struct sparse *)e;

	cscg_trans_free(s->tr);
	cscg_work_free(&s->work);
	free(s->count);
	free(s->next);
	free(s->unstored);
	free(s->next_unstored);
	free(s);
}

static int
allocate(struct sparse *s, struct cscg_err *err)
{
	size_t n = (size_t)s->m->first[n_rows(s)], rows = (size_t)n_rows(s);

	s->tr = cscg_trans_new(s->m, &cscg_plain_double, err);
	if (!s->tr)
		return -1;
	s->count = cscg_alloc(n, sizeof *s->count, err);
	s->next = cscg_alloc(n, sizeof *s->next, err);
	s->unstored = cscg_alloc(rows, sizeof *s->unstored, err);
	s->next_unstored = cscg_alloc(rows, sizeof *s->next_unstored, err);
	return s->count && s->next && s->unstored && s->next_unstored ? 0 : -1;
}

struct cscg_estep *
cscg_estep_sparse(const struct cscg_model *m, const struct cscg_walk *w,
    const double *extra, struct cscg_err *err)
{
	static const struct cscg_estep ops = { load, set_T, expect,
		accept_next, store, sparse_free, "sparse", 1e-11,
		2 * DBL_EPSILON, NULL, NULL };
	struct sparse *s;

	s = cscg_alloc(1, sizeof *s, err);
	if (!s)
		return NULL;
	s->base = ops;
	s->m = m;
	s->w = w;
	s->extra = extra;
	s->S = (size_t)m->n_states;
	if (allocate(s, err) < 0) {
		sparse_free(&s->base);
		return NULL;
	}
	load(&s->base, m, NULL, err);
	return &s->base;
}
