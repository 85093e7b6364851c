/* update.c - update of a model by a new walk, with change detection */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/passes.h"
#include "learn/update.h"

enum {
	ROUNDS = 20,   /* rounds of Viterbi and counting, at most */
	EM_ROUNDS = 5, /* rounds of em_polish() */
};
static const double min_visits = .5; /* expected transitions for a new edge */

/*
 * Limits of the total of the old counts of a row while the path is searched: a
 * large weight finds the path where little has changed, a small weight where
 * much has.
 */
static const double prior_weights[] = { 10, 3, 1, .3 };
enum { N_WEIGHTS = sizeof prior_weights / sizeof *prior_weights };

#define IMPOSSIBLE "the model cannot produce this walk: a symbol has no clone"

struct job {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_update *set;
	size_t cells;         /* [actions][states][states] */
	double *old, *counts; /* [cells] of the model; expected, or new */
	struct cscg_trans *tr;
	struct cscg_work work;
	int *path, *before;     /* [steps] */
	long *fill;             /* [steps] transitions by row, in order ... */
	long *first;            /* [rows + 1] ... the first of each row */
	int *outcome;           /* [steps] their outcomes, in the same order */
	unsigned char *changed; /* [rows] whether the row has changed */
	double prior_weight;    /* the current weight */
	double log_prior;       /* of the current T */
	double value;           /* log-probability of the path */
	int *best;              /* [steps] the best path so far, ... */
	double best_value;      /* ... and its value */
	struct cscg_pool mem;
};

/* ---- change detection ---- */

/*
 * The probability of a sequence does not depend on its order: so the
 * probability of the last outcomes is extended by one factor for each outcome
 * prepended.
 */
static void
fill_after(double *C, int S, double p, const int *k, long n, double *n_after)
{
	long i;

	memset(C, 0, (size_t)S * sizeof *C);
	for (i = n - 1; i >= 0; i--) {
		n_after[i] = n_after[i + 1] +
		    log((C[k[i]] + p) / ((double)(n - 1 - i) + p * S));
		C[k[i]]++;
	}
}

int
cscg_update_change_point(const double *old, int S, double p,
    double change_rate, const int *k, long n, long *n_after, double *value,
    struct cscg_err *err)
{
	struct cscg_pool mem = { .err = err };
	double *C = cscg_pool_add(&mem, (size_t)S, sizeof *C), sum = 0;
	double *after = cscg_pool_add(&mem, (size_t)n + 1, sizeof *after);
	double kept = 0, no = log1p(-change_rate), v;
	int j, rc = -1;
	long i;

	if (mem.failed)
		goto out;
	fill_after(C, S, p, k, n, after);
	memcpy(C, old, (size_t)S * sizeof *C);
	for (j = 0; j < S; j++)
		sum += C[j];
	*n_after = 0;
	for (i = 0, *value = -INFINITY; i < n; i++) {
		v = log(change_rate) + (double)i * no + kept + after[i];
		if (v > *value) {
			*value = v;
			*n_after = n - i;
		}
		kept += log((C[k[i]] + p) / (sum + p * S));
		C[k[i]]++;
		sum++;
	}
	kept += (double)n * no;
	if (kept >= *value) {
		*value = kept;
		*n_after = 0;
	}
	rc = 0;
out:
	cscg_pool_free(&mem);
	return rc;
}

/* ---- the path ---- */

/*
 * T from the weighted old counts and the expected counts; returns the log
 * prior, which is added to the log-likelihood.
 */
static double
set_trans(const struct job *job)
{
	const double *prior_counts = job->old;
	int S = job->m->n_states, k;
	size_t r, at;
	double prior = 0;

	for (r = 0; r < job->cells / (size_t)S; r++) {
		double sum = 0, share, p;

		at = r * (size_t)S;
		for (k = 0; k < S; k++)
			sum += prior_counts[at + (size_t)k];
		share = job->changed[r]     ? 0 :
		    sum > job->prior_weight ? job->prior_weight / sum :
					      1;
		for (k = 0; k < S; k++)
			job->counts[at + (size_t)k] += share *
			    prior_counts[at + (size_t)k];
		for (sum = 0, k = 0; k < S; k++)
			sum += job->counts[at + (size_t)k] +
			    job->set->pseudocount;
		for (k = 0; k < S; k++) {
			p = (job->counts[at + (size_t)k] +
				job->set->pseudocount) /
			    sum;
			prior += (share * prior_counts[at + (size_t)k] +
				     job->set->pseudocount) *
			    log(p);
		}
	}
	cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	return prior;
}

static int
fail_impossible(struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ERANGE, IMPOSSIBLE);
}

/* The expected counts under the current T, into counts. */
static int
expect_counts(struct job *job, double *loglik, struct cscg_err *err)
{
	const struct cscg_sink sink = { .counts = job->counts };

	memset(job->counts, 0, job->cells * sizeof *job->counts);
	return cscg_expect(job->tr, job->w, &job->work, &sink, loglik, err);
}

static int
expect_update(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct job *job = ctx;

	(void)update;
	if (expect_counts(job, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik + job->log_prior;
	return 0;
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct job *job = ctx;

	(void)err;
	job->log_prior = set_trans(job);
	return 0;
}

/*
 * EM from the current T; the old counts of unchanged rows are the prior.  The
 * current T was not computed with that prior, so one update precedes the loop,
 * which checks monotonicity.
 */
static int
run_em(struct job *job, struct cscg_err *err)
{
	const struct cscg_update *set = job->set;
	struct cscg_em_problem problem = { .expect = expect_update,
		.maximise = maximise,
		.ctx = job,
		.steps = job->w->n_steps,
		.impossible = IMPOSSIBLE };
	const struct cscg_em em = { .iterations = set->iterations,
		.tolerance = set->tolerance,
		.report = set->report,
		.ctx = set->ctx };
	struct cscg_em_progress line = { 0 };

	cscg_em_set_slack(&problem, true);
	if (expect_update(job, true, &line, err) < 0)
		return -1;
	job->log_prior = set_trans(job);
	return cscg_em(&problem, &em, &line, err);
}

/* ---- counting ---- */

/*
 * The row of the transition from step t to t + 1, or -1: there is no
 * transition.
 */
static long
row_of(const struct job *job, long t)
{
	const struct cscg_walk *w = job->w;

	if (!cscg_walk_has_transition(w, t))
		return -1;
	return (long)w->a[t] * job->m->n_states + job->path[t];
}

/* The outcomes of each row one after the other, in their order. */
static void
sort_outcomes(struct job *job)
{
	long rows = (long)(job->cells / (size_t)job->m->n_states), t, r;

	memset(job->first, 0, (size_t)(rows + 1) * sizeof *job->first);
	for (t = 0; t < job->w->n_steps; t++)
		if ((r = row_of(job, t)) >= 0)
			job->first[r + 1]++;
	for (r = 0; r < rows; r++) {
		job->first[r + 1] += job->first[r];
		job->fill[r] = job->first[r];
	}
	for (t = 0; t < job->w->n_steps; t++)
		if ((r = row_of(job, t)) >= 0)
			job->outcome[job->fill[r]++] = job->path[t + 1];
}

/* The counts of row r after its n outcomes k. */
static int
count_row(struct job *job, long r, const int *k, long n,
    struct cscg_update_result *out, struct cscg_err *err)
{
	int S = job->m->n_states, j;
	double *c = job->counts + r * S, sum = 0, value;
	long n_after, i;

	for (j = 0; j < S; j++)
		sum += c[j];
	/* A row without old counts cannot have changed. */
	if (cscg_update_change_point(c, S, job->set->pseudocount,
		sum > 0 ? job->set->change_rate : 0, k, n, &n_after, &value,
		err) < 0)
		return -1;
	if (n_after)
		memset(c, 0, (size_t)S * sizeof *c);
	for (i = n_after ? n - n_after : 0; i < n; i++)
		c[k[i]]++;
	out->rows++;
	out->added += sum <= 0;
	out->changed += n_after > 0;
	job->changed[r] = n_after > 0;
	job->value += value;
	return 0;
}

/* The log-probability of the observations given the states of the path. */
static double
log_emissions(const struct job *job)
{
	double sum = 0;
	long t;

	for (t = 0; t < job->w->n_steps; t++)
		if (job->m->e_first && job->w->x[t] >= 0)
			sum += log(cscg_model_E(job->m, job->path[t],
			    job->w->x[t]));
	return sum;
}

/* Counts along the path, and the log-probability of the path. */
static int
count(struct job *job, struct cscg_update_result *out, struct cscg_err *err)
{
	long rows = (long)(job->cells / (size_t)job->m->n_states), r;

	sort_outcomes(job);
	out->rows = out->added = out->changed = 0;
	job->value = log_emissions(job);
	memset(job->changed, 0, (size_t)rows);
	memcpy(job->counts, job->old, job->cells * sizeof *job->counts);
	for (r = 0; r < rows; r++)
		if (job->first[r + 1] > job->first[r] &&
		    count_row(job, r, job->outcome + job->first[r],
			job->first[r + 1] - job->first[r], out, err) < 0)
			return -1;
	return 0;
}

/* Viterbi and counting until the path is stable. */
static int
viterbi_and_count(struct job *job, struct cscg_update_result *out,
    struct cscg_err *err)
{
	size_t n = (size_t)job->w->n_steps;
	double logp;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		memcpy(job->before, job->path, n * sizeof *job->path);
		if (cscg_viterbi_all(job->tr, job->w, &job->work, job->path,
			&logp, err) < 0)
			return -1;
		if (isinf(logp))
			return fail_impossible(err);
		if (round &&
		    !memcmp(job->before, job->path, n * sizeof *job->path))
			break;
		if (count(job, out, err) < 0)
			return -1;
		cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	}
	return 0;
}

/* Alternate EM and Viterbi until the number of changed rows is stable. */
static int
try_weight(struct job *job, struct cscg_update_result *out,
    struct cscg_err *err)
{
	long before;
	int round;

	out->changed = 0;
	memset(job->changed, 0, job->cells / (size_t)job->m->n_states);
	memset(job->counts, 0, job->cells * sizeof *job->counts);
	set_trans(job);
	for (round = 0; round < ROUNDS; round++) {
		before = out->changed;
		if (run_em(job, err) < 0 ||
		    viterbi_and_count(job, out, err) < 0)
			return -1;
		if (out->changed == before)
			break;
	}
	return 0;
}

static int
find_path(struct job *job, struct cscg_update_result *out,
    struct cscg_err *err)
{
	size_t n = (size_t)job->w->n_steps;
	int i;

	for (i = 0; i < N_WEIGHTS; i++) {
		job->prior_weight = prior_weights[i];
		if (try_weight(job, out, err) < 0)
			return -1;
		if (i == 0 || job->value > job->best_value) {
			job->best_value = job->value;
			memcpy(job->best, job->path, n * sizeof *job->path);
		}
	}
	memcpy(job->path, job->best, n * sizeof *job->path);
	if (count(job, out, err) < 0)
		return -1;
	cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	return 0;
}

/*
 * The Viterbi path underestimates transition noise.  So the counts of
 * unchanged rows are the expected counts plus the old ones; expected counts
 * below min_visits of entries without old counts are dropped.  The counts of
 * changed rows are those of the path.
 */
static int
em_polish(struct job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->m->n_states, i;
	double *viterbi_counts = cscg_copy(job->counts, job->cells,
	    sizeof *viterbi_counts, err);
	double loglik;
	int round, rc = viterbi_counts ? 0 : -1;

	for (round = 0; round < EM_ROUNDS && rc == 0; round++) {
		rc = expect_counts(job, &loglik, err);
		for (i = 0; i < job->cells && rc == 0; i++)
			if (job->changed[i / S])
				job->counts[i] = viterbi_counts[i];
			else if (job->counts[i] < min_visits &&
			    job->old[i] <= 0)
				job->counts[i] = 0;
			else
				job->counts[i] += job->old[i];
		cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	}
	free(viterbi_counts);
	return rc;
}

/* ---- the whole update ---- */

static int
job_new(struct job *job, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&job->mem, err);
	size_t S = (size_t)job->m->n_states, A = (size_t)job->m->n_actions;
	size_t n = (size_t)job->w->n_steps;
	long r, i;

	if (__builtin_mul_overflow(A * S, S, &job->cells))
		return cscg_fail(err, CSCG_ENOMEM,
		    "out of memory (%zu states)", S);
	job->old = cscg_pool_add(mem, job->cells, sizeof *job->old);
	job->counts = cscg_pool_add(mem, job->cells, sizeof *job->counts);
	job->path = cscg_pool_add(mem, n, sizeof *job->path);
	job->before = cscg_pool_add(mem, n, sizeof *job->before);
	job->best = cscg_pool_add(mem, n, sizeof *job->best);
	job->outcome = cscg_pool_add(mem, n, sizeof *job->outcome);
	job->fill = cscg_pool_add(mem, A * S, sizeof *job->fill);
	job->first = cscg_pool_add(mem, A * S + 1, sizeof *job->first);
	job->changed = cscg_pool_add(mem, A * S, 1);
	if (mem->failed)
		return -1;
	job->tr = cscg_trans_dense(job->m, &cscg_plain_double, err);
	if (!job->tr)
		return -1;
	for (r = 0; r < (long)(A * S); r++)
		for (i = job->m->first[r]; i < job->m->first[r + 1]; i++)
			job->old[r * (long)S + job->m->to[i]] =
			    job->m->count[i];
	return 0;
}

static void
job_free(struct job *job)
{
	cscg_pool_free(&job->mem);
	cscg_trans_free(job->tr);
	cscg_work_free(&job->work);
}

/* m with the counts of the job. */
static struct cscg_model *
result(const struct job *job, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_copy(job->m, err);

	if (!m)
		return NULL;
	m->pseudocount = job->set->pseudocount;
	m->fit_steps = 0;
	if (cscg_model_set_dense(m, job->counts, 0, err) == 0)
		return m;
	cscg_model_free(m);
	return NULL;
}

struct cscg_model *
cscg_update(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_update *set, struct cscg_update_result *out,
    struct cscg_err *err)
{
	struct job job = { .m = m, .w = w, .set = set };
	struct cscg_model *fresh = NULL;

	*out = (struct cscg_update_result){ .before = 0 };
	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "only a grounded model can be updated");
		return NULL;
	}
	if (job_new(&job, err) < 0)
		goto out;
	cscg_trans_set(job.tr, job.old, set->pseudocount);
	if (cscg_expect(job.tr, w, &job.work, NULL, &out->before, err) < 0)
		goto out;
	if (isinf(out->before)) {
		fail_impossible(err);
		goto out;
	}
	if (find_path(&job, out, err) < 0 || em_polish(&job, err) < 0 ||
	    cscg_expect(job.tr, w, &job.work, NULL, &out->loglik, err) < 0)
		goto out;
	fresh = result(&job, err);
out:
	job_free(&job);
	return fresh;
}
