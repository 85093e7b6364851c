/* maintain.c - a model of a place that may have changed, and a new walk there */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/expect.h"
#include "learn/maintain.h"
#include "base/mem.h"
#include "kernel/viterbi.h"

enum {
	ROUNDS = 20,		/* of Viterbi and counting, at most */
	SOFT_ROUNDS = 5		/* of what follows */
};
static const double least = .5;	/* expected visits that make an edge */

/*
 * What is known of a move is worth so many steps while the path is sought: much
 * finds its way where little has changed, little where much has.
 */
static const double worth[] = { 10, 3, 1, .3 };
enum { TRIES = sizeof worth / sizeof *worth };

struct job {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_maintain *set;
	size_t cells;		/* [actions][states][states] */
	double *old, *counts;	/* [cells] of the model; expected, or new */
	struct cscg_trans *tr;
	struct cscg_work work;
	int *path, *before;	/* [steps] */
	long *visit;		/* [steps] moves by their rows, in order ... */
	long *first;		/* [rows + 1] ... where those of each begin */
	int *seen;		/* [steps] their outcomes, the same */
	unsigned char *gone;	/* [rows] has it changed? */
	double worth;		/* the one that is tried */
	double value;		/* log of what the path is worth */
	int *best;		/* [steps] the best path so far, ... */
	double best_value;	/* ... and its value */
};

/* ---- has a move changed? ---- */

/*
 * P of sequences are exchangeable: that of the last ones grows by one factor
 * for each outcome that is put in front.
 */
static void
fill_late(double *C, int S, double p, const int *k, long n, double *late)
{
	long i;

	memset(C, 0, (size_t)S * sizeof *C);
	for (i = n - 1; i >= 0; i--) {
		late[i] = late[i + 1] + log((C[k[i]] + p) /
		    ((double)(n - 1 - i) + p * S));
		C[k[i]]++;
	}
}

int
cscg_maintain_judge(const double *old, int S, double p, double forget,
    const int *k, long n, long *late, double *value, struct cscg_err *err)
{
	double *C = cscg_alloc((size_t)S, sizeof *C, err), *after, sum = 0;
	double kept = 0, no = log1p(-forget), v;
	long i;
	int j;

	after = C ? cscg_alloc((size_t)n + 1, sizeof *after, err) : NULL;
	if (!after) {
		free(C);
		return -1;
	}
	fill_late(C, S, p, k, n, after);
	memcpy(C, old, (size_t)S * sizeof *C);
	for (j = 0; j < S; j++)
		sum += C[j];
	*late = 0;
	for (i = 0, *value = -INFINITY; i < n; i++) {
		v = log(forget) + (double)i * no + kept + after[i];
		if (v > *value) {
			*value = v;
			*late = n - i;
		}
		kept += log((C[k[i]] + p) / (sum + p * S));
		C[k[i]]++;
		sum++;
	}
	kept += (double)n * no;
	if (kept >= *value) {
		*value = kept;
		*late = 0;
	}
	free(C);
	free(after);
	return 0;
}

/* ---- the path ---- */

/*
 * T from what is known, worth little, and what is expected; returns what is
 * added to the log-likelihood.
 */
static double
mix(const struct job *job)
{
	const double *known = job->old;
	int S = job->m->n_states, k;
	size_t r, at;
	double prior = 0;

	for (r = 0; r < job->cells / (size_t)S; r++) {
		double sum = 0, share, p;

		at = r * (size_t)S;
		for (k = 0; k < S; k++)
			sum += known[at + (size_t)k];
		share = job->gone[r] ? 0 : sum > job->worth ?
		    job->worth / sum : 1;
		for (k = 0; k < S; k++)
			job->counts[at + (size_t)k] += share *
			    known[at + (size_t)k];
		for (sum = 0, k = 0; k < S; k++)
			sum += job->counts[at + (size_t)k] +
			    job->set->pseudocount;
		for (k = 0; k < S; k++) {
			p = (job->counts[at + (size_t)k] +
			    job->set->pseudocount) / sum;
			prior += (share * known[at + (size_t)k] +
			    job->set->pseudocount) * log(p);
		}
	}
	cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	return prior;
}

static int
impossible(struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ERANGE, "the model cannot produce this "
	    "walk: a symbol has no clone");
}

/* EM on T as it is, what did not change being the prior. */
static int
seek(struct job *job, struct cscg_err *err)
{
	const struct cscg_maintain *set = job->set;
	struct cscg_em_line line = { 0, 0, 0 };
	double prior, before = -INFINITY, slack;

	if (cscg_expect(job->tr, job->w, &job->work, job->counts, NULL,
	    &line.loglik, err) < 0)
		return -1;
	for (;; line.iteration++) {
		prior = mix(job);
		if (cscg_expect(job->tr, job->w, &job->work, job->counts, NULL,
		    &line.loglik, err) < 0)
			return -1;
		if (isinf(line.loglik))
			return impossible(err);
		line.objective = line.loglik + prior;
		slack = 1e-11 * fabs(before) + 2 * DBL_EPSILON *
		    (double)job->w->n_steps;
		if (line.objective < before - slack)
			return cscg_fail(err, CSCG_EBUG, "the objective fell "
			    "from %.17g to %.17g at iteration %ld: please "
			    "report this as a bug", before, line.objective,
			    line.iteration);
		if ((set->report && set->report(set->ctx, &line)) ||
		    line.iteration == set->iterations ||
		    (set->tolerance > 0 && line.iteration && line.objective -
		    before < set->tolerance * fabs(line.objective)))
			return 0;
		before = line.objective;
	}
}

/* ---- counting ---- */

/* The row of move t, from step t to t + 1, or -1: it is none. */
static long
row_of(const struct job *job, long t)
{
	const struct cscg_walk *w = job->w;

	if (w->a[t] < 0 || (w->reset && w->reset[t + 1]))
		return -1;
	return (long)w->a[t] * job->m->n_states + job->path[t];
}

/* The outcomes of each row one after the other, in their order. */
static void
sort_moves(struct job *job)
{
	long rows = (long)(job->cells / (size_t)job->m->n_states), t, r;

	memset(job->first, 0, (size_t)(rows + 1) * sizeof *job->first);
	for (t = 0; t < job->w->n_steps; t++)
		if ((r = row_of(job, t)) >= 0)
			job->first[r + 1]++;
	for (r = 0; r < rows; r++) {
		job->first[r + 1] += job->first[r];
		job->visit[r] = job->first[r];
	}
	for (t = 0; t < job->w->n_steps; t++)
		if ((r = row_of(job, t)) >= 0)
			job->seen[job->visit[r]++] = job->path[t + 1];
}

/* The counts of row r after its n outcomes k. */
static int
count_row(struct job *job, long r, const int *k, long n,
    struct cscg_maintained *out, struct cscg_err *err)
{
	int S = job->m->n_states, j;
	double *c = job->counts + r * S, sum = 0, value;
	long late, i;

	for (j = 0; j < S; j++)
		sum += c[j];
	/* What was never known cannot have changed. */
	if (cscg_maintain_judge(c, S, job->set->pseudocount, sum > 0 ?
	    job->set->forget : 0, k, n, &late, &value, err) < 0)
		return -1;
	if (late)
		memset(c, 0, (size_t)S * sizeof *c);
	for (i = late ? n - late : 0; i < n; i++)
		c[k[i]]++;
	out->moves++;
	out->fresh += sum <= 0;
	out->changed += late > 0;
	job->gone[r] = late > 0;
	job->value += value;
	return 0;
}

/* The log of what the states of the path have to do with what was seen. */
static double
looks(const struct job *job)
{
	double sum = 0;
	long t;

	for (t = 0; t < job->w->n_steps; t++)
		if (job->m->e_first && job->w->x[t] >= 0)
			sum += log(cscg_model_E(job->m, job->path[t],
			    job->w->x[t]));
	return sum;
}

/* Counts along the path, and what the path is worth. */
static int
count(struct job *job, struct cscg_maintained *out, struct cscg_err *err)
{
	long rows = (long)(job->cells / (size_t)job->m->n_states), r;

	sort_moves(job);
	out->moves = out->fresh = out->changed = 0;
	job->value = looks(job);
	memset(job->gone, 0, (size_t)rows);
	memcpy(job->counts, job->old, job->cells * sizeof *job->counts);
	for (r = 0; r < rows; r++)
		if (job->first[r + 1] > job->first[r] && count_row(job, r,
		    job->seen + job->first[r], job->first[r + 1] -
		    job->first[r], out, err) < 0)
			return -1;
	return 0;
}

/* Viterbi and counting until the path stays. */
static int
settle(struct job *job, struct cscg_maintained *out, struct cscg_err *err)
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
			return impossible(err);
		if (round && !memcmp(job->before, job->path,
		    n * sizeof *job->path))
			break;
		if (count(job, out, err) < 0)
			return -1;
		cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	}
	return 0;
}

/* Both by turns, until no other moves have changed. */
static int
try(struct job *job, struct cscg_maintained *out, struct cscg_err *err)
{
	long before;
	int round;

	out->changed = 0;
	memset(job->gone, 0, job->cells / (size_t)job->m->n_states);
	memset(job->counts, 0, job->cells * sizeof *job->counts);
	mix(job);
	for (round = 0; round < ROUNDS; round++) {
		before = out->changed;
		if (seek(job, err) < 0 || settle(job, out, err) < 0)
			return -1;
		if (out->changed == before)
			break;
	}
	return 0;
}

static int
find(struct job *job, struct cscg_maintained *out, struct cscg_err *err)
{
	size_t n = (size_t)job->w->n_steps;
	int i;

	for (i = 0; i < TRIES; i++) {
		job->worth = worth[i];
		if (try(job, out, err) < 0)
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
 * Where there is chance, the likeliest path shows too little of it.  So the
 * counts of moves that did not change are those expected, beside what was
 * known, as long as they are no mere possibility; of moves that changed, they
 * are those of the path.
 */
static int
soften(struct job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->m->n_states, i;
	double *hard = cscg_copy(job->counts, job->cells, sizeof *hard, err);
	double loglik;
	int round, rc = hard ? 0 : -1;

	for (round = 0; round < SOFT_ROUNDS && rc == 0; round++) {
		rc = cscg_expect(job->tr, job->w, &job->work, job->counts,
		    NULL, &loglik, err);
		for (i = 0; i < job->cells && rc == 0; i++)
			if (job->gone[i / S])
				job->counts[i] = hard[i];
			else if (job->counts[i] < least && job->old[i] <= 0)
				job->counts[i] = 0;
			else
				job->counts[i] += job->old[i];
		cscg_trans_set(job->tr, job->counts, job->set->pseudocount);
	}
	free(hard);
	return rc;
}

/* ---- all of it ---- */

static int
job_new(struct job *job, struct cscg_err *err)
{
	size_t S = (size_t)job->m->n_states, A = (size_t)job->m->n_actions;
	size_t n = (size_t)job->w->n_steps;
	long r, i;

	if (__builtin_mul_overflow(A * S, S, &job->cells))
		return cscg_fail(err, CSCG_ENOMEM, "out of memory (%zu states)",
		    S);
	job->old = cscg_alloc(job->cells, sizeof *job->old, err);
	job->counts = cscg_alloc(job->cells, sizeof *job->counts, err);
	job->path = cscg_alloc(n, sizeof *job->path, err);
	job->before = cscg_alloc(n, sizeof *job->before, err);
	job->best = cscg_alloc(n, sizeof *job->best, err);
	job->seen = cscg_alloc(n, sizeof *job->seen, err);
	job->visit = cscg_alloc(A * S, sizeof *job->visit, err);
	job->first = cscg_alloc(A * S + 1, sizeof *job->first, err);
	job->gone = cscg_alloc(A * S, 1, err);
	if (!job->old || !job->counts || !job->path || !job->before ||
	    !job->best ||
	    !job->seen || !job->visit || !job->first || !job->gone)
		return -1;
	job->tr = cscg_trans_dense(job->m, &cscg_kern_plain64, err);
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
	free(job->old);
	free(job->counts);
	free(job->path);
	free(job->before);
	free(job->best);
	free(job->seen);
	free(job->visit);
	free(job->first);
	free(job->gone);
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
cscg_maintain(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_maintain *set, struct cscg_maintained *out,
    struct cscg_err *err)
{
	struct job job = { .m = m, .w = w, .set = set };
	struct cscg_model *new = NULL;

	*out = (struct cscg_maintained){ .before = 0 };
	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH, "a grounded model is needed to "
		    "go on from");
		return NULL;
	}
	if (job_new(&job, err) < 0)
		goto out;
	cscg_trans_set(job.tr, job.old, set->pseudocount);
	if (cscg_expect(job.tr, w, &job.work, NULL, NULL, &out->before,
	    err) < 0)
		goto out;
	if (isinf(out->before)) {
		impossible(err);
		goto out;
	}
	if (find(&job, out, err) < 0 || soften(&job, err) < 0 ||
	    cscg_expect(job.tr, w, &job.work, NULL, NULL, &out->loglik,
	    err) < 0)
		goto out;
	new = result(&job, err);
out:
	job_free(&job);
	return new;
}
