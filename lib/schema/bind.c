/*
 * bind.c - give a schema new looks: EM on E with T fixed
 *
 * bind_step.c says how often each state was seen with each symbol; here is what
 * follows from it.  All is done by columns, a symbol's states side by side, and
 * for the symbols that the walk does not show in closed form: a short walk in a
 * large alphabet costs no more than in a small one.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/bind.h"
#include "schema/bind_step.h"
#include "base/mem.h"

/* ---- the M-step ---- */

/* One behind the states that share the row of state j. */
static int
group_end(const struct cscg_bind_estep *b, int j)
{
	int g;

	if (!b->set->tied)
		return j + 1;
	for (g = b->m->clone[j++]; j < b->S && b->m->clone[j] == g; j++)
		;
	return j;
}

/* Each state of a group was seen as often as all of them together. */
static void
tie_visits(struct cscg_bind_estep *b)
{
	int c, j, first, last;

	for (first = 0; first < b->S; first = last) {
		last = group_end(b, first);
		for (c = 0; c < b->n && last > first + 1; c++) {
			double *visits = b->visits + (size_t)c * b->stride;
			double sum = 0;

			for (j = first; j < last; j++)
				sum += visits[j];
			for (j = first; j < last; j++)
				visits[j] = sum;
		}
	}
}

static void
m_step_pi(struct cscg_bind_estep *b)
{
	double sum = 0;
	int j;

	for (j = 0; j < b->S; j++)
		sum += b->start[j];
	for (j = 0; j < b->S; j++)
		b->pi[j] = b->start[j] / sum;
}

/* E from what was seen; norm becomes what rows were multiplied with. */
static void
m_step(struct cscg_bind_estep *b)
{
	double p = b->set->pseudocount, *restrict norm = b->norm;
	int c, j;

	if (b->set->tied)
		tie_visits(b);
	for (j = 0; j < b->S; j++)
		norm[j] = p * b->K;
	for (c = 0; c < b->n; c++) {
		const double *restrict visits = b->visits + (size_t)c * b->stride;

		for (j = 0; j < b->S; j++)
			norm[j] += visits[j];
	}
	for (j = 0; j < b->S; j++)
		norm[j] = norm[j] > 0 ? 1 / norm[j] : 0;
	for (c = 0; c < b->n; c++) {
		const double *restrict visits = b->visits + (size_t)c * b->stride;
		double *restrict emission = b->emission + (size_t)c * b->stride;

		for (j = 0; j < b->S; j++)
			emission[j] = norm[j] > 0 ? (visits[j] + p) * norm[j] :
			    1.0 / b->K;
	}
	if (b->set->learn_pi)
		m_step_pi(b);
}

/* What a symbol that the walk does not show has left of state j. */
static double
unseen_emission(const struct cscg_bind_estep *b, int j)
{
	return b->norm[j] > 0 ? b->set->pseudocount * b->norm[j] :
	    1.0 / b->K;
}

/* The caller's E from the columns, once there was an M-step. */
static void
store_E(const struct cscg_bind_estep *b)
{
	size_t K = (size_t)b->K;
	int j, x;

	for (j = 0; j < b->S; j++)
		for (x = 0; x < b->K; x++)
			b->E[(size_t)j * K + (size_t)x] =
			    b->column_of[x] < 0 ? unseen_emission(b, j) :
			    b->emission[(size_t)b->column_of[x] * b->stride +
			    (size_t)j];
}

/* ---- the prior: the sum of log E, each group once if tied ---- */

static double
sum_log(const struct cscg_bind_estep *b, const double *v, int n)
{
	double sum = 0;
	int i;

	if (b->trans_simd)
		return b->set->simd->log_sum(v, n);
	for (i = 0; i < n; i++)
		sum += log(v[i]);
	return sum;
}

/* Of the caller's E; a zero in it makes it -INFINITY. */
static double
prior_rows(const struct cscg_bind_estep *b)
{
	double sum = 0;
	int j, x;

	for (j = 0; j < b->S; j = group_end(b, j)) {
		const double *row = b->E + (size_t)j * (size_t)b->K;

		for (x = 0; x < b->K; x++)
			if (row[x] <= DBL_MIN)
				return -INFINITY;
		sum += sum_log(b, row, b->K);
	}
	return sum;
}

/* One of each group of a column. */
static int
first_of_groups(const struct cscg_bind_estep *b, const double *column, double *out)
{
	int n = 0, j;

	for (j = 0; j < b->S; j = group_end(b, j))
		out[n++] = column[j];
	return n;
}

/* Of the E of the last M-step. */
static double
prior_columns(const struct cscg_bind_estep *b)
{
	double sum = 0, *line = b->line;
	int c, j, n;

	n = first_of_groups(b, b->norm, line);
	for (j = 0; j < n; j++) {
		line[j] *= b->set->pseudocount;
		if (line[j] <= DBL_MIN)	/* nothing is smaller than this */
			return -INFINITY;
	}
	if (b->n < b->K)
		sum = (b->K - b->n) * sum_log(b, line, n);
	for (c = 0; c < b->n; c++) {
		const double *emission = b->emission + (size_t)c * b->stride;

		if (b->set->tied)
			n = first_of_groups(b, emission, line);
		sum += sum_log(b, b->set->tied ? line : emission, n);
	}
	return sum;
}

/* ---- EM ---- */

/* The walk under E as it is; the line says what came out. */
static int
e_step(struct cscg_bind_estep *b, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	double p = b->set->pseudocount;

	if (cscg_bind_estep(b, &line->loglik, err) < 0)
		return -1;
	if (isinf(line->loglik))
		return cscg_fail(err, CSCG_ERANGE, "the schema cannot "
		    "produce this walk: a transition that is needed has "
		    "probability zero");
	line->objective = line->loglik;
	if (p > 0)
		line->objective += p * (line->iteration ? prior_columns(b) :
		    prior_rows(b));
	return 0;
}

/*
 * Is EM done?  Near a symmetric start an update gains next to nothing, but more
 * each time, so one small gain does not count, nor one that grows.
 */
static bool
has_converged(const struct cscg_bind *set, double objective, double gain,
    double gain_before)
{
	double least = set->tolerance * fabs(objective);

	return set->tolerance > 0 && gain < least && gain_before < least &&
	    gain <= gain_before;
}

static int
run_em(struct cscg_bind_estep *b, struct cscg_em_progress *last, struct cscg_err *err)
{
	const struct cscg_bind *set = b->set;
	struct cscg_em_progress line = { 0, 0, 0 };
	double before = -INFINITY, gain = INFINITY, gain_before, tolerance_down;

	for (;; line.iteration++) {
		if (e_step(b, &line, err) < 0)
			return -1;
		*last = line;
		tolerance_down = (set->is_double ? 1e-11 : 1e-6) * fabs(before) +
		    2 * (set->is_double ? DBL_EPSILON : FLT_EPSILON) *
		    (double)b->w->n_steps;
		/* A start with zeros in E has no prior to compare with. */
		if (line.iteration && isfinite(before) &&
		    line.objective < before - tolerance_down)
			return cscg_fail(err, CSCG_EBUG, "the objective fell "
			    "from %.17g to %.17g at iteration %ld: please "
			    "report this as a bug", before, line.objective,
			    line.iteration);
		gain_before = gain;
		gain = line.iteration ? line.objective - before : INFINITY;
		if ((set->report && set->report(set->ctx, &line)) ||
		    line.iteration == set->iterations ||
		    has_converged(set, line.objective, gain, gain_before))
			break;
		before = line.objective;
		m_step(b);
	}
	if (line.iteration)
		store_E(b);
	return 0;
}

/* The tables of the schema, if they are needed and not given. */
static int
get_trans(const struct cscg_model *m, struct cscg_bind *set,
    struct cscg_trans_simd **own, struct cscg_err *err)
{
	*own = NULL;
	if (!set->simd || set->is_double || set->trans_simd)
		return 0;
	set->trans_simd = *own = cscg_trans_simd_new(m, set->simd, err);
	return *own ? 0 : -1;
}

/* EM with last, or the visits of one E-step. */
static int
run_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *how, double *E, double *pi,
    struct cscg_em_progress *last, double *visits, struct cscg_err *err)
{
	struct cscg_bind_work own = { NULL, 0 };
	struct cscg_bind_estep b = { .m = NULL };
	struct cscg_em_progress line = { 0, 0, 0 };
	struct cscg_bind set = *how;
	struct cscg_trans_simd *trans_simd;
	int rc = -1, j, x;

	if (get_trans(m, &set, &trans_simd, err) < 0 || cscg_bind_estep_new(&b, m, w,
	    &set, E, pi, set.work ? set.work : &own, err) < 0)
		goto out;
	rc = last ? run_em(&b, last, err) : e_step(&b, &line, err);
	for (j = 0; visits && rc == 0 && j < b.S; j++)
		for (x = 0; x < b.K; x++)
			visits[(size_t)j * (size_t)b.K + (size_t)x] =
			    b.column_of[x] < 0 ? 0 :
			    b.visits[(size_t)b.column_of[x] * b.stride +
			    (size_t)j];
out:
	cscg_bind_estep_free(&b);
	cscg_bind_work_free(&own);
	cscg_trans_simd_free(trans_simd);
	return rc;
}

int
cscg_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, double *E, double *pi,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	if (set->tied && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "there is no clone "
		    "structure to tie emissions by");
	return run_bind(m, w, set, E, pi, last, NULL, err);
}

int
cscg_bind_visits(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *how, const double *E, const double *pi,
    double *visits, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, K = (size_t)w->head.n_obs;
	struct cscg_bind set = *how;
	double *rows = NULL, *start = NULL;
	int rc = -1;

	set.tied = false;
	set.pseudocount = 0;
	rows = cscg_copy(E, S * K, sizeof *rows, err);
	start = cscg_copy(pi, S, sizeof *start, err);
	if (rows && start)
		rc = run_bind(m, w, &set, rows, start, NULL, visits, err);
	free(rows);
	free(start);
	return rc;
}
