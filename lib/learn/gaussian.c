/*
 * gaussian.c - EM with Gaussian emissions of frames
 *
 * Plain loops in double precision, over states and stored counts: T[j][k] is
 * exp(log_base[j]), the same for all k, plus count / norm where a count is
 * stored, so that a step from all states is one sum for all k and a few
 * additional terms.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "core/codebook.h"
#include "kernel/passes.h"
#include "learn/gaussian.h"
#include "learn/learn.h"

/* Terms below this log share are lost in the rounding of the sum. */
static const double MIN_LOG = -80;

struct gaussian_pass {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_gaussian *set;
	const int *unit;
	int n_units;
	size_t S;
	const double *mu;
	double *mu_new; /* new mu, if mu is learned */
	double *pi;
	double *log_base;          /* [action * S + j] log */
	double *log_trans;         /* [count] log, beside base */
	double *log_density;       /* [frame * n_units + u] log density */
	double *posterior;         /* [frame * S + j] */
	double *start;             /* [S] */
	double *alpha;             /* [step of a run * S + j] log */
	double *beta, *next, *top; /* [S] log */
	double *counts;            /* [(action * S + j) * S + k], or NULL: T is
	                              fixed */
};

/* ---- logs ---- */

static double
log_sum(const double *v, const double *more, size_t n)
{
	double top = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		top = fmax(top, v[i] + (more ? more[i] : 0));
	if (isinf(top))
		return top;
	for (i = 0; i < n; i++)
		sum += exp(v[i] + (more ? more[i] : 0) - top);
	return top + log(sum);
}

/* ---- log-probabilities of the parameters ---- */

/* T of the model, in logs. */
static void
set_log_trans(struct gaussian_pass *p, double pseudocount)
{
	const struct cscg_model *m = p->m;
	long i, row, rows = (long)m->n_actions * m->n_states;

	for (row = 0; row < rows; row++) {
		double norm = cscg_model_row_sum(m, (int)(row / m->n_states),
				  (int)(row % m->n_states)) +
		    pseudocount * m->n_states;

		p->log_base[row] = norm > 0 ? log(pseudocount / norm) :
					      -log(m->n_states);
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			p->log_trans[i] = log(m->count[i] / norm);
	}
}

/* The sum of log T over all actions and pairs of states. */
static double
prior(const struct gaussian_pass *p)
{
	const struct cscg_model *m = p->m;
	long i, row, rows = (long)m->n_actions * m->n_states;
	double sum = 0;

	for (row = 0; row < rows; row++) {
		sum += (double)(m->n_states -
			   (m->first[row + 1] - m->first[row])) *
		    p->log_base[row];
		for (i = m->first[row]; i < m->first[row + 1]; i++)
			sum += log(exp(p->log_base[row]) +
			    exp(p->log_trans[i]));
	}
	return sum;
}

static double
square(const double *x, const double *y, size_t n)
{
	double part[8] = { 0 }, sum = 0;
	size_t i, k;

	for (i = 0; i + 8 <= n; i += 8)
		for (k = 0; k < 8; k++)
			part[k] += (x[i + k] - y[i + k]) *
			    (x[i + k] - y[i + k]);
	for (; i < n; i++)
		sum += (x[i] - y[i]) * (x[i] - y[i]);
	for (k = 0; k < 8; k++)
		sum += part[k];
	return sum;
}

static void *
new_frame(void *ctx, struct cscg_err *err)
{
	struct gaussian_pass *p = ctx;

	return cscg_alloc((size_t)p->set->frames->dim, sizeof(double), err);
}

static void
frame_densities(void *ctx, long i, void *mine)
{
	struct gaussian_pass *p = ctx;
	const struct cscg_frames *f = p->set->frames;
	size_t dim = (size_t)f->dim;
	double s2 = p->set->sigma2, *log_density, *x = mine;
	int u;

	if (!f->weight[i])
		return;
	log_density = p->log_density + (size_t)i * (size_t)p->n_units;
	cscg_frames_get(f, i, x);
	for (u = 0; u < p->n_units; u++)
		log_density[u] = -square(x, p->mu + (size_t)u * dim, dim) /
			(2 * s2) -
		    (double)dim / 2 * log(2 * M_PI * s2);
}

/* The density of each frame about each centroid. */
static int
set_log_density(struct gaussian_pass *p, struct cscg_err *err)
{
	struct cscg_parallel each = { .body = frame_densities,
		.thread_new = new_frame,
		.thread_free = free,
		.ctx = p };

	return cscg_parallel_for(&each, p->set->frames->n, p->set->threads,
	    err);
}

/* ---- messages ---- */

/* The frame of step t, or -1. */
static long
frame_at(const struct gaussian_pass *p, long t)
{
	const int *view = p->w->view;

	return view && view[t] ? p->set->frames->frame_of[view[t] - 1] : -1;
}

/* Add the log emission density of step t to a message. */
static void
add_evidence(const struct gaussian_pass *p, long t, double *message)
{
	long frame = frame_at(p, t);
	const double *log_density = p->log_density +
	    (size_t)(frame < 0 ? 0 : frame) * (size_t)p->n_units;
	size_t j;

	for (j = 0; j < p->S && frame >= 0; j++)
		message[j] += log_density[p->unit[j]];
}

static void
step_forward(struct gaussian_pass *p, int a, const double *from, double *to)
{
	const struct cscg_model *m = p->m;
	const long *first = m->first + (long)a * m->n_states;
	double base = log_sum(from, p->log_base + (size_t)a * p->S, p->S);
	double *top = p->top;
	size_t j, k;
	long i;

	for (k = 0; k < p->S; k++)
		top[k] = base;
	for (j = 0; j < p->S; j++)
		for (i = first[j]; i < first[j + 1]; i++)
			top[m->to[i]] = fmax(top[m->to[i]],
			    from[j] + p->log_trans[i]);
	for (k = 0; k < p->S; k++)
		to[k] = isinf(top[k]) ? 0 : exp(base - top[k]);
	for (j = 0; j < p->S; j++)
		for (i = first[j]; i < first[j + 1]; i++)
			if (!isinf(top[m->to[i]]))
				to[m->to[i]] += exp(from[j] + p->log_trans[i] -
				    top[m->to[i]]);
	for (k = 0; k < p->S; k++)
		to[k] = isinf(top[k]) ? -INFINITY : top[k] + log(to[k]);
}

static void
step_back(struct gaussian_pass *p, int a, const double *next, double *to)
{
	const struct cscg_model *m = p->m;
	const long *first = m->first + (long)a * m->n_states;
	double all = log_sum(next, NULL, p->S), base, top, sum;
	size_t j;
	long i;

	for (j = 0; j < p->S; j++) {
		top = base = all + p->log_base[(size_t)a * p->S + j];
		for (i = first[j]; i < first[j + 1]; i++)
			top = fmax(top, next[m->to[i]] + p->log_trans[i]);
		to[j] = top;
		if (isinf(top))
			continue;
		sum = exp(base - top);
		for (i = first[j]; i < first[j + 1]; i++)
			sum += exp(next[m->to[i]] + p->log_trans[i] - top);
		to[j] += log(sum);
	}
}

/*
 * Expected transitions of one step; next includes the evidence after the step.
 */
static void
add_counts(struct gaussian_pass *p, int a, const double *alpha, double loglik)
{
	const struct cscg_model *m = p->m;
	const double *next = p->next;
	double max_next = -INFINITY, part, *row;
	size_t j, k;
	long i, at;

	for (k = 0; k < p->S; k++)
		max_next = fmax(max_next, next[k]);
	for (j = 0; j < p->S; j++) {
		at = (long)a * m->n_states + (long)j;
		row = p->counts + (size_t)at * p->S;
		part = alpha[j] - loglik;
		if (part + max_next < MIN_LOG)
			continue;
		for (i = m->first[at]; i < m->first[at + 1]; i++)
			row[m->to[i]] += exp(part + p->log_trans[i] +
			    next[m->to[i]]);
		part += p->log_base[at];
		for (k = 0; k < p->S && part + max_next > MIN_LOG; k++)
			if (part + next[k] > MIN_LOG)
				row[k] += exp(part + next[k]);
	}
}

/* Steps from .. to-1 without a reset in between: their log-likelihood. */
static double
run_pass(struct gaussian_pass *p, long from, long to)
{
	size_t S = p->S, j;
	double loglik, *alpha = p->alpha;
	long t, frame;

	for (j = 0; j < S; j++)
		alpha[j] = log(p->pi[j]);
	add_evidence(p, from, alpha);
	for (t = from + 1; t < to; t++, alpha += S) {
		step_forward(p, p->w->a[t - 1], alpha, alpha + S);
		add_evidence(p, t, alpha + S);
	}
	loglik = log_sum(alpha, NULL, S);
	memset(p->beta, 0, S * sizeof *p->beta);
	for (t = to - 1; t >= from && !isinf(loglik); t--, alpha -= S) {
		frame = frame_at(p, t);
		for (j = 0; j < S; j++) {
			double part = exp(alpha[j] + p->beta[j] - loglik);

			if (frame >= 0)
				p->posterior[(size_t)frame * S + j] += part;
			if (t == from)
				p->start[j] += part;
		}
		if (t == from)
			break;
		memcpy(p->next, p->beta, S * sizeof *p->next);
		add_evidence(p, t, p->next);
		if (p->counts)
			add_counts(p, p->w->a[t - 1], alpha - S, loglik);
		step_back(p, p->w->a[t - 1], p->next, p->beta);
	}
	return loglik;
}

/* One behind the last step of the run that begins at from. */
static long
run_end(const struct cscg_walk *w, int e, long from)
{
	for (from++;
	     from < w->start[e + 1] && !cscg_walk_starts_run(w, e, from);
	     from++)
		;
	return from;
}

static double
expect(struct gaussian_pass *p)
{
	const struct cscg_walk *w = p->w;
	size_t S = p->S;
	double loglik = 0;
	long from, to;
	int e;

	memset(p->posterior, 0,
	    (size_t)p->set->frames->n * S * sizeof *p->posterior);
	memset(p->start, 0, S * sizeof *p->start);
	if (p->counts)
		memset(p->counts, 0,
		    (size_t)p->m->n_actions * S * S * sizeof *p->counts);
	for (e = 0; e < w->n_episodes; e++)
		for (from = w->start[e]; from < w->start[e + 1]; from = to) {
			to = run_end(w, e, from);
			loglik += run_pass(p, from, to);
		}
	return loglik;
}

/* ---- the M-steps ---- */

static void
maximise_pi(struct gaussian_pass *p)
{
	double sum = 0;
	size_t j;

	for (j = 0; j < p->S; j++)
		sum += p->start[j];
	for (j = 0; j < p->S; j++)
		p->pi[j] = p->start[j] / sum;
}

/* The posterior of each unit for each frame; all[u] is the sum. */
static void
sum_units(const struct gaussian_pass *p, double *weight, double *all)
{
	size_t f, j, n = (size_t)p->set->frames->n, U = (size_t)p->n_units;

	memset(weight, 0, n * U * sizeof *weight);
	memset(all, 0, U * sizeof *all);
	for (f = 0; f < n; f++)
		for (j = 0; j < p->S; j++) {
			weight[f * U + (size_t)p->unit[j]] +=
			    p->posterior[f * p->S + j];
			all[p->unit[j]] += p->posterior[f * p->S + j];
		}
}

static int
maximise_mu(struct gaussian_pass *p, struct cscg_err *err)
{
	const struct cscg_frames *f = p->set->frames;
	size_t U = (size_t)p->n_units, dim = (size_t)f->dim, i, u;
	double *weight = cscg_alloc((size_t)f->n * U, sizeof *weight, err);
	double *all = cscg_alloc(U, sizeof *all, err);
	double *x = cscg_alloc(dim, sizeof *x, err), share;
	long v;
	int rc = -1;

	if (!weight || !all || !x)
		goto out;
	sum_units(p, weight, all);
	for (u = 0; u < U; u++)
		for (i = 0; i < dim && all[u] > 0; i++)
			p->mu_new[u * dim + i] = 0;
	for (v = 0; v < f->n; v++) {
		if (!f->weight[v])
			continue;
		cscg_frames_get(f, v, x);
		for (u = 0; u < U; u++) {
			share = weight[(size_t)v * U + u] / all[u];
			for (i = 0; i < dim && share > 0; i++)
				p->mu_new[u * dim + i] += share * x[i];
		}
	}
	rc = 0;
out:
	free(weight);
	free(all);
	free(x);
	return rc;
}

/* The counts become the expected counts. */
static int
maximise_T(struct gaussian_pass *p, struct cscg_model *m, double pseudocount,
    struct cscg_err *err)
{
	double *log_trans;

	/* Smaller counts do not change T. */
	if (cscg_model_set_dense(m, p->counts, 1e-9 * pseudocount, err) < 0)
		return -1;
	log_trans = cscg_alloc(
	    (size_t)m->first[(long)m->n_actions * m->n_states],
	    sizeof *log_trans, err);
	if (!log_trans)
		return -1;
	free(p->log_trans);
	p->log_trans = log_trans;
	set_log_trans(p, pseudocount);
	return 0;
}

/* ---- EM ---- */

static long
longest_run(const struct cscg_walk *w)
{
	long from, to, most = 0;
	int e;

	for (e = 0; e < w->n_episodes; e++)
		for (from = w->start[e]; from < w->start[e + 1]; from = to) {
			to = run_end(w, e, from);
			most = to - from > most ? to - from : most;
		}
	return most;
}

static void
pass_free(struct gaussian_pass *p)
{
	free(p->log_base);
	free(p->log_trans);
	free(p->log_density);
	free(p->posterior);
	free(p->start);
	free(p->alpha);
	free(p->beta);
	free(p->next);
	free(p->top);
	free(p->counts);
}

/* Allocate the arrays for the sizes set in p. */
static int
pass_new(struct gaussian_pass *p, bool learn, struct cscg_err *err)
{
	const struct cscg_model *m = p->m;
	size_t S = (size_t)m->n_states, n = (size_t)p->set->frames->n;
	size_t rows = (size_t)m->n_actions * S;

	p->S = S;
	p->log_base = cscg_alloc(rows, sizeof *p->log_base, err);
	p->log_trans = cscg_alloc((size_t)m->first[rows], sizeof *p->log_trans,
	    err);
	p->log_density = cscg_alloc(n,
	    (size_t)p->n_units * sizeof *p->log_density, err);
	p->posterior = cscg_alloc(n, S * sizeof *p->posterior, err);
	p->start = cscg_alloc(S, sizeof *p->start, err);
	p->alpha = cscg_alloc((size_t)longest_run(p->w), S * sizeof *p->alpha,
	    err);
	p->beta = cscg_alloc(S, sizeof *p->beta, err);
	p->next = cscg_alloc(S, sizeof *p->next, err);
	p->top = cscg_alloc(S, sizeof *p->top, err);
	if (learn)
		p->counts = cscg_alloc(rows, S * sizeof *p->counts, err);
	return p->log_base && p->log_trans && p->log_density && p->posterior &&
		p->start && p->alpha && p->beta && p->next && p->top &&
		(p->counts || !learn) ?
	    0 :
	    -1;
}

/* EM on T of model, or on mu if model is NULL. */
struct gaussian_em {
	struct gaussian_pass *pass;
	struct cscg_model *model;
	double pseudocount;
};

static int
expect_frames(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct gaussian_em *em = ctx;
	struct gaussian_pass *p = em->pass;

	(void)update;
	if ((!em->model || !line->iteration) && set_log_density(p, err) < 0)
		return -1;
	line->objective = line->loglik = expect(p);
	if (em->model && em->pseudocount > 0)
		line->objective += em->pseudocount * prior(p);
	return 0;
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct gaussian_em *em = ctx;

	if (em->pass->set->learn_pi)
		maximise_pi(em->pass);
	return em->model ?
	    maximise_T(em->pass, em->model, em->pseudocount, err) :
	    maximise_mu(em->pass, err);
}

static int
run_em(struct gaussian_pass *p, struct cscg_model *model, double pseudocount,
    struct cscg_em_progress *last, struct cscg_err *err)
{
	const struct cscg_gaussian *set = p->set;
	struct gaussian_em ctx = { p, model, pseudocount };
	const struct cscg_em_problem problem = { .expect = expect_frames,
		.maximise = maximise,
		.ctx = &ctx,
		.slack_relative = 1e-11,
		.slack_per_step = 1e-9,
		.steps = p->w->n_steps,
		.impossible = "the schema cannot produce this walk: a "
			      "transition that is needed has probability "
			      "zero" };
	const struct cscg_em em = { .iterations = set->iterations,
		.tolerance = set->tolerance,
		.per_step = true,
		.report = set->report,
		.ctx = set->ctx };

	set_log_trans(p, pseudocount);
	return cscg_em(&problem, &em, last, err);
}

int
cscg_gaussian_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const int *unit, int n_units, double *mu,
    double *pi, double *seen, struct cscg_em_progress *last,
    struct cscg_err *err)
{
	struct gaussian_pass p = { .m = m,
		.w = w,
		.set = set,
		.unit = unit,
		.n_units = n_units,
		.mu = mu,
		.mu_new = mu,
		.pi = pi };
	int rc = pass_new(&p, false, err);

	if (rc == 0)
		rc = run_em(&p, NULL, m->pseudocount, last, err);
	if (rc == 0 && seen)
		memcpy(seen, p.posterior,
		    (size_t)set->frames->n * p.S * sizeof *seen);
	pass_free(&p);
	return rc;
}

int
cscg_gaussian_learn(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const int *unit, int n_units,
    const double *mu, double pseudocount, struct cscg_em_progress *last,
    struct cscg_err *err)
{
	struct gaussian_pass p = { .m = m,
		.w = w,
		.set = set,
		.unit = unit,
		.n_units = n_units,
		.mu = mu };
	size_t S = (size_t)m->n_states, j;
	double *pi = m->pi ? cscg_copy(m->pi, S, sizeof *pi, err) :
			     cscg_alloc(S, sizeof *pi, err);
	int rc = pi ? pass_new(&p, true, err) : -1;

	for (j = 0; pi && !m->pi && j < S; j++)
		pi[j] = 1.0 / (double)S;
	p.pi = pi;
	m->pseudocount = pseudocount;
	if (rc == 0)
		rc = run_em(&p, m, pseudocount, last, err);
	if (rc == 0 && set->learn_pi) {
		free(m->pi);
		m->pi = pi;
		pi = NULL;
	}
	free(pi);
	pass_free(&p);
	return rc;
}

/* EM on T with frames as observations, from a model of symbols */

int
cscg_gaussian_learn_frames(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const struct cscg_codebook *book,
    double pseudocount, struct cscg_em_progress *last, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, dim = (size_t)book->dim, j;
	int *unit = cscg_alloc(S, sizeof *unit, err), n, rc = -1;
	struct cscg_gaussian how = *set;
	struct cscg_frame_emission *emission = NULL;

	if (!unit)
		return -1;
	n = cscg_frame_emission_units(m, true, unit);
	emission = cscg_frame_emission_new(n, book->ndim, book->shape, err);
	if (!emission)
		goto out;
	how.sigma2 = emission->sigma2 = book->sigma2;
	for (j = 0; j < S; j++)
		memcpy(emission->mu + (size_t)unit[j] * dim,
		    book->centroid + (size_t)m->clone[j] * dim,
		    dim * sizeof *emission->mu);
	if (cscg_gaussian_learn(m, w, &how, unit, n, emission->mu, pseudocount,
		last, err) < 0)
		goto out;
	cscg_frame_emission_free(m->frame_emission);
	m->frame_emission = emission;
	emission = NULL;
	rc = 0;
out:
	cscg_frame_emission_free(emission);
	free(unit);
	return rc;
}
