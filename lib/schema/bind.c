/*
 * bind.c - binding a schema to a walk: EM on E with T fixed
 *
 * The E-step computes the expected visits of each state with each symbol, the
 * M-step E from them.  Both work by columns, the states of one symbol
 * contiguous.  Symbols that the walk does not contain are handled in closed
 * form: a short walk over a large alphabet costs no more than over a small
 * one.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "kernel/passes.h"
#include "kernel/trans.h"
#include "learn/restarts.h"
#include "schema/bind.h"

/*
 * The E-step of binding: expected visits of each state with each symbol.
 *
 * Emissions and visits are stored by columns, one for each symbol of the walk.
 * Symbols that the walk does not contain have no column, since their emissions
 * follow from the pseudocount.
 */

struct bind_estep {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_bind *set;
	int S, K;         /* states, symbols */
	int n;            /* symbols that are observed: columns */
	int *column_of;   /* [K] of a symbol; -1: none */
	size_t stride;    /* of a column: S, padded for the SIMD loops */
	double *emission; /* [n][stride] E by columns */
	double *visits;   /* [n + 1][stride] expected visits; the last: no
	                     observation */
	double *start;    /* [S] expected starts */
	double *pi;       /* [S] the caller's */
	double *norm;     /* [S] scratch of the M-step, as is line */
	double *line;     /* [stride] */

	double *E; /* [S][K] the caller's */

	/* The passes: */
	const struct cscg_trans *tr;
	struct cscg_work *work;
	char *column;   /* [n + 1][stride] emission, as reals of tr; the last:
	                   ones */
	void *start_pi; /* [stride] pi, as reals of tr */
	const int *x;   /* symbols of the current episode */
};

/* ---- memory ---- */

/* Arrays within one block; without a block only the size is computed. */
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
place_arrays(struct bind_estep *b, struct arena *p)
{
	size_t S = (size_t)b->S, n = (size_t)b->n, size = b->tr->kern->size;

	b->emission = arena_take(p, n, b->stride, sizeof *b->emission);
	b->visits = arena_take(p, n + 1, b->stride, sizeof *b->visits);
	b->start = arena_take(p, S, 1, sizeof *b->start);
	b->norm = arena_take(p, S, 1, sizeof *b->norm);
	b->line = arena_take(p, b->stride, 1, sizeof *b->line);
	b->column = arena_take(p, n + 1, b->stride, size);
	b->start_pi = arena_take(p, b->stride, 1, size);
}

/* Reserve at least this number of bytes; the contents are lost. */
static int
reserve(struct cscg_bind_work *mem, size_t bytes, struct cscg_err *err)
{
	if (bytes <= mem->size)
		return 0;
	/* Prefixes grow in small steps: grow by half at least. */
	if (bytes < mem->size + mem->size / 2)
		bytes = mem->size + mem->size / 2;
	free(mem->block);
	mem->block = cscg_alloc_aligned(bytes, 1, CSCG_ALIGN, err);
	mem->size = mem->block ? bytes : 0;
	return mem->block ? 0 : -1;
}

void
cscg_bind_work_free(struct cscg_bind_work *mem)
{
	free(mem->block);
	mem->block = NULL;
	mem->size = 0;
	cscg_work_free(&mem->passes);
}

/* ---- columns ---- */

/* A column for each symbol that is observed. */
static int
number_columns(struct bind_estep *b, struct cscg_err *err)
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
		b->column_of[x] = b->column_of[x] ? b->n++ : -1;
	return 0;
}

/*
 * The E that the caller starts with; rows are all rows if it is NULL, else
 * those that it marks.
 */
static void
load_E(struct bind_estep *b, const bool *rows)
{
	int x, j;

	for (x = 0; x < b->K; x++) {
		double *emission;

		if (b->column_of[x] < 0)
			continue;
		emission = b->emission + (size_t)b->column_of[x] * b->stride;
		for (j = 0; j < b->S; j++)
			if (!rows || rows[j])
				emission[j] =
				    b->E[(size_t)j * (size_t)b->K + (size_t)x];
	}
}

/*
 * Allocate (in mem) and convert E, [S][K], to columns.  Requires set->tr.  -1
 * with err filled (CSCG_ENOMEM).
 */
static int
bind_estep_new(struct bind_estep *b, const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_bind *set, double *E,
    double *pi, struct cscg_bind_work *mem, struct cscg_err *err)
{
	struct arena p = { NULL, 0, false };

	*b = (struct bind_estep){ .m = m,
		.w = w,
		.set = set,
		.S = m->n_states,
		.K = w->head.n_obs,
		.E = E,
		.pi = pi };
	b->tr = set->tr;
	b->work = &mem->passes;
	b->stride = b->tr->stride;
	if (number_columns(b, err) < 0)
		return -1;
	place_arrays(b, &p);
	if (p.overflow)
		return cscg_fail(err, CSCG_ENOMEM,
		    "out of memory (%ld steps of %d states)", w->n_steps,
		    b->S);
	if (reserve(mem, p.used, err) < 0)
		return -1;
	p = (struct arena){ mem->block, 0, false };
	place_arrays(b, &p);
	/* Pads are zero. */
	memset(b->emission, 0, (size_t)b->n * b->stride * sizeof *b->emission);
	load_E(b, NULL);
	memset(b->column + (size_t)b->n * b->stride * b->tr->kern->size, 0,
	    b->stride * b->tr->kern->size);
	b->tr->kern->fill(
	    b->column + (size_t)b->n * b->stride * b->tr->kern->size, 1, b->S);
	memset(b->start_pi, 0, b->stride * b->tr->kern->size);
	return 0;
}

static void
bind_estep_free(struct bind_estep *b)
{
	free(b->column_of);
}

/* ---- the E-step ---- */

/* The column of a symbol; no observation has its own column. */
static size_t
column_at(const struct bind_estep *b, int x)
{
	return (size_t)(x < 0 ? b->n : b->column_of[x]) * b->stride;
}

static void
emission_at(const struct cscg_evidence *ev, long t, struct cscg_span *s)
{
	const struct bind_estep *b = ev->ctx;

	s->hi = b->S;
	s->weight = b->column + column_at(b, ev->x[t]) * b->tr->kern->size;
}

static double *
visits_at(void *ctx, long t)
{
	struct bind_estep *b = ctx;

	return b->visits + column_at(b, b->x[t]);
}

/* P(x | state) of every column: the emissions, mixed with misreading. */
static void
set_columns(struct bind_estep *b)
{
	double eps = b->m->misread;
	size_t c, j;

	b->tr->kern->set(b->column, b->emission, (long)b->n * (long)b->stride);
	if (!(eps > 0))
		return;
	memset(b->line, 0, b->stride * sizeof *b->line);
	for (c = 0; c < (size_t)b->n; c++) {
		for (j = 0; j < (size_t)b->S; j++)
			b->line[j] = (1 - eps) *
				b->emission[c * b->stride + j] +
			    eps / b->K;
		b->tr->kern->set(b->column + c * b->stride * b->tr->kern->size,
		    b->line, (long)b->stride);
	}
}

/*
 * Fill visits and start; *loglik is -INFINITY if the walk has probability 0.
 */
static int
bind_estep(struct bind_estep *b, double *loglik, struct cscg_err *err)
{
	const struct cscg_sink sink = { .start = b->start,
		.visits = visits_at,
		.visits_only = true,
		.ctx = b };
	struct cscg_evidence ev;
	double one;
	long t;
	int e;

	memset(b->visits, 0,
	    ((size_t)b->n + 1) * b->stride * sizeof *b->visits);
	memset(b->start, 0, (size_t)b->S * sizeof *b->start);
	set_columns(b);
	b->tr->kern->set(b->start_pi, b->pi, b->S);
	*loglik = 0;
	for (e = 0; e < b->w->n_episodes; e++) {
		ev = cscg_evidence_walk(b->tr, b->w, e);
		ev.pi = b->start_pi;
		ev.at = emission_at;
		ev.ctx = b;
		b->x = ev.x;
		cscg_work_limit(b->work, b->tr, ev.n);
		if (cscg_pass_forward(b->tr, &ev, b->work, &one, err) < 0)
			return -1;
		*loglik += one;
		if (isinf(one))
			continue;
		t = cscg_pass_backward(b->tr, &ev, b->work, &sink);
		if (t >= 0)
			return cscg_pass_underflow(t, err);
	}
	return 0;
}

/* ---- the M-step ---- */

/* The end of the range of states that share the row of state j. */
static int
group_end(const struct bind_estep *b, int j)
{
	int g;

	if (!b->set->tied)
		return j + 1;
	for (g = b->m->clone[j++]; j < b->S && b->m->clone[j] == g; j++)
		;
	return j;
}

/* Only the expected visits with a symbol that was not misread count. */
static void
discount_misreading(struct bind_estep *b)
{
	double eps = b->m->misread, own;
	size_t i, n = (size_t)b->n * b->stride;

	for (i = 0; i < n && eps > 0; i++) {
		own = (1 - eps) * b->emission[i];
		b->visits[i] *= own / (own + eps / b->K);
	}
}

/* Set the visits of each state of a group to the sum over the group. */
static void
tie_visits(struct bind_estep *b)
{
	int c, j, first, last;

	for (first = 0; first < b->S; first = last) {
		last = group_end(b, first);
		for (c = 0; c < b->n; c++) {
			double *visits = b->visits + (size_t)c * b->stride;
			double sum = 0;

			for (j = first; j < last; j++)
				sum += visits[j];
			for (j = first; j < last; j++)
				visits[j] = sum;
		}
	}
}

/* E from visits; norm receives the normalising factor of each row. */
static void
m_step(struct bind_estep *b)
{
	double p = b->set->pseudocount, *restrict norm = b->norm;
	int c, j;

	discount_misreading(b);
	if (b->set->tied)
		tie_visits(b);
	for (j = 0; j < b->S; j++)
		norm[j] = p * b->K;
	for (c = 0; c < b->n; c++) {
		const double *restrict visits = b->visits +
		    (size_t)c * b->stride;

		for (j = 0; j < b->S; j++)
			norm[j] += visits[j];
	}
	for (j = 0; j < b->S; j++)
		norm[j] = norm[j] > 0 ? 1 / norm[j] : 0;
	for (c = 0; c < b->n; c++) {
		const double *restrict visits = b->visits +
		    (size_t)c * b->stride;
		double *restrict emission = b->emission +
		    (size_t)c * b->stride;

		for (j = 0; j < b->S; j++)
			emission[j] = norm[j] > 0 ? (visits[j] + p) * norm[j] :
						    1.0 / b->K;
	}
	if (b->set->keep)
		load_E(b, b->set->keep);
	if (b->set->learn_pi)
		cscg_normalise(b->start, b->S, b->pi);
}

/* The emission of state j for a symbol that the walk does not contain. */
static double
unseen_emission(const struct bind_estep *b, int j)
{
	return b->norm[j] > 0 ? b->set->pseudocount * b->norm[j] : 1.0 / b->K;
}

/* Write the caller's E from the columns, after an M-step. */
static void
store_E(const struct bind_estep *b)
{
	size_t K = (size_t)b->K;
	int j, x;

	for (j = 0; j < b->S; j++)
		for (x = 0; x < b->K && (!b->set->keep || !b->set->keep[j]);
		     x++)
			b->E[(size_t)j * K + (size_t)x] = b->column_of[x] < 0 ?
			    unseen_emission(b, j) :
			    b->emission[(size_t)b->column_of[x] * b->stride +
				(size_t)j];
}

/* ---- the prior: the sum of log E, each group once if tied ---- */

/* The prior of the caller's E; -INFINITY if E contains a zero. */
static double
prior_rows(const struct bind_estep *b)
{
	double sum = 0;
	int j, x;

	for (j = 0; j < b->S; j = group_end(b, j)) {
		const double *row = b->E + (size_t)j * (size_t)b->K;

		for (x = 0; x < b->K; x++)
			if (row[x] <= DBL_MIN)
				return -INFINITY;
		sum += cscg_trans_log_sum(b->tr, row, b->K);
	}
	return sum;
}

/* The value of one state of each group of a column. */
static int
first_of_groups(const struct bind_estep *b, const double *column, double *out)
{
	int n = 0, j;

	for (j = 0; j < b->S; j = group_end(b, j))
		out[n++] = column[j];
	return n;
}

/* The prior of the E of the last M-step. */
static double
prior_columns(const struct bind_estep *b)
{
	double sum, *line = b->line;
	int c, j, n;

	n = first_of_groups(b, b->norm, line);
	for (j = 0; j < n; j++) {
		line[j] *= b->set->pseudocount;
		if (line[j] <= DBL_MIN) /* the lower bound of all entries */
			return -INFINITY;
	}
	sum = (b->K - b->n) * cscg_trans_log_sum(b->tr, line, n);
	for (c = 0; c < b->n; c++) {
		const double *emission = b->emission + (size_t)c * b->stride;

		if (b->set->tied)
			n = first_of_groups(b, emission, line);
		sum += cscg_trans_log_sum(b->tr,
		    b->set->tied ? line : emission, n);
	}
	return sum;
}

/* ---- EM ---- */

/* The E-step under the present E.  The visits are also results. */
static int
expect(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct bind_estep *b = ctx;
	double p = b->set->pseudocount;

	(void)update;
	if (bind_estep(b, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik;
	if (p > 0)
		line->objective += p *
		    (line->iteration ? prior_columns(b) : prior_rows(b));
	return 0;
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	(void)err;
	m_step(ctx);
	return 0;
}

static int
run_em(struct bind_estep *b, struct cscg_em_progress *last,
    struct cscg_err *err)
{
	const struct cscg_bind *set = b->set;
	struct cscg_em_problem problem = { .expect = expect,
		.maximise = maximise,
		.ctx = b,
		.steps = b->w->n_steps,
		.impossible = "the schema cannot produce this walk: a "
			      "transition that is needed has probability "
			      "zero" };
	const struct cscg_em em = { .iterations = set->iterations,
		.tolerance = set->tolerance,
		.successive = true,
		.report = set->report,
		.ctx = set->ctx };

	cscg_em_set_slack(&problem, set->is_double);
	if (cscg_em(&problem, &em, last, err) < 0)
		return -1;
	if (last->iteration)
		store_E(b);
	return 0;
}

/* EM on E; visits, if not NULL, receives those of the last E-step. */
static int
run_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *how, double *E, double *pi,
    struct cscg_em_progress *last, double *visits, struct cscg_err *err)
{
	struct cscg_bind_work own = { .size = 0 };
	struct bind_estep b = { .m = NULL };
	struct cscg_bind set = *how;
	struct cscg_trans *tr = NULL;
	int rc = -1, j, x;

	if (!set.tr)
		set.tr = tr = cscg_trans_select(m, set.simd, set.is_double,
		    err);
	if (!set.tr ||
	    bind_estep_new(&b, m, w, &set, E, pi, set.work ? set.work : &own,
		err) < 0)
		goto out;
	rc = run_em(&b, last, err);
	for (j = 0; visits && rc == 0 && j < b.S; j++)
		for (x = 0; x < b.K; x++)
			visits[(size_t)j * (size_t)b.K + (size_t)x] =
			    b.column_of[x] < 0 ?
			    0 :
			    b.visits[(size_t)b.column_of[x] * b.stride +
				(size_t)j];
out:
	bind_estep_free(&b);
	cscg_bind_work_free(&own);
	cscg_trans_free(tr);
	return rc;
}

int
cscg_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, double *E, double *pi,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	if (set->tied && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "tied emissions need clone structure, which the schema "
		    "lacks");
	return run_bind(m, w, set, E, pi, last, NULL, err);
}

int
cscg_bind_visits(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *how, const double *E, const double *pi,
    double *visits, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, K = (size_t)w->head.n_obs;
	struct cscg_bind set = *how;
	struct cscg_em_progress last;
	double *rows = NULL, *start = NULL;
	int rc = -1;

	set.tied = false;
	set.pseudocount = 0;
	set.iterations = 0;
	set.report = NULL;
	rows = cscg_copy(E, S * K, sizeof *rows, err);
	start = cscg_copy(pi, S, sizeof *start, err);
	if (rows && start)
		rc = run_bind(m, w, &set, rows, start, &last, visits, err);
	free(rows);
	free(start);
	return rc;
}

/* Binding from several starts in parallel */

void
cscg_bind_random_E(const struct cscg_model *m, int n_obs, bool tied,
    double jitter, struct cscg_rng *rng, double *E)
{
	size_t K = (size_t)n_obs, x;
	double *row = E;
	int j;

	for (j = 0; j < m->n_states; j++, row += K) {
		if (tied && m->clone && j && m->clone[j] == m->clone[j - 1]) {
			memcpy(row, row - K, K * sizeof *row);
			continue;
		}
		for (x = 0; x < K; x++)
			row[x] = 1 +
			    (jitter > 0 ? jitter * cscg_rng_uniform(rng) : 0);
		cscg_normalise(row, n_obs, row);
	}
}

struct bind_search {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	struct cscg_bind set;
	const struct cscg_bind_starts *starts;
	bool report_later; /* when a start has ended, in the order of starts */
	double *E, *pi;    /* of the best */
	struct cscg_em_progress *last;
};

/* The result of a start, and the memory of a thread. */
struct bind_start {
	struct cscg_bind_work work;
	double *E, *pi;
	struct cscg_em_progress last;
	struct cscg_em_log log;
};

static int
record_line(void *ctx, const struct cscg_em_progress *line)
{
	return cscg_em_log_add(ctx, NULL, line);
}

static int
run_start(void *ctx, long i, void *state, double *value, struct cscg_err *err)
{
	const struct bind_search *search = ctx;
	const struct cscg_model *m = search->m;
	struct bind_start *own = state;
	struct cscg_bind set = search->set;
	struct cscg_rng rng;
	int j;

	if (search->report_later || !set.work)
		set.work = &own->work;
	own->log.n = 0;
	if (search->report_later && set.report) {
		set.report = record_line;
		set.ctx = &own->log;
	}
	cscg_rng_seed(&rng, search->starts->seed, CSCG_RNG_BIND, (uint64_t)i,
	    search->starts->key);
	cscg_bind_random_E(m, search->w->head.n_obs, set.tied,
	    cscg_bind_starts_jitter(search->starts, i), &rng, own->E);
	for (j = 0; j < m->n_states; j++)
		own->pi[j] = m->pi ? m->pi[j] : 1.0 / m->n_states;
	if (cscg_bind(m, search->w, &set, own->E, own->pi, &own->last, err) <
	    0)
		return -1;
	*value = own->last.objective;
	if (own->log.rc < 0)
		*err = own->log.err;
	return own->log.rc;
}

static int
finish_start(void *ctx, long i, void *state, bool better, struct cscg_err *err)
{
	const struct bind_search *search = ctx;
	const struct bind_start *own = state;
	size_t S = (size_t)search->m->n_states,
	       K = (size_t)search->w->head.n_obs, k;

	(void)i;
	(void)err;
	for (k = 0; k < own->log.n; k++)
		search->set.report(search->set.ctx,
		    &own->log.lines[k].progress);
	if (better) {
		*search->last = own->last;
		memcpy(search->E, own->E, S * K * sizeof *search->E);
		memcpy(search->pi, own->pi, S * sizeof *search->pi);
	}
	return 0;
}

static void
bind_start_clear(void *state)
{
	struct bind_start *own = state;

	cscg_bind_work_free(&own->work);
	cscg_em_log_free(&own->log);
	free(own->E);
	free(own->pi);
}

static int
bind_start_init(void *ctx, void *state, struct cscg_err *err)
{
	const struct bind_search *search = ctx;
	struct bind_start *own = state;
	size_t S = (size_t)search->m->n_states,
	       K = (size_t)search->w->head.n_obs;

	own->E = cscg_alloc(S * K, sizeof *own->E, err);
	own->pi = cscg_alloc(S, sizeof *own->pi, err);
	return own->E && own->pi ? 0 : -1;
}

int
cscg_bind_restarts(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, const struct cscg_bind_starts *starts,
    double *E, double *pi, struct cscg_em_progress *last, long *which,
    struct cscg_err *err)
{
	struct bind_search search = { .m = m,
		.w = w,
		.set = *set,
		.starts = starts,
		.report_later = starts->threads > 1 && starts->restarts > 1,
		.E = E,
		.pi = pi,
		.last = last };
	struct cscg_restarts restarts = { .run = run_start,
		.finish = finish_start,
		.state_size = sizeof(struct bind_start),
		.state_init = bind_start_init,
		.state_clear = bind_start_clear,
		.ctx = &search,
		.in_order = search.report_later };
	struct cscg_trans *tr = NULL;
	int rc;

	if (!set->tr)
		search.set.tr = tr = cscg_trans_select(m, set->simd,
		    set->is_double, err);
	if (!search.set.tr)
		return -1;
	rc = cscg_restarts_run(&restarts, NULL, starts->restarts,
	    starts->threads, err);
	if (which)
		*which = restarts.is_found ? restarts.best : -1;
	cscg_trans_free(tr);
	return rc;
}
