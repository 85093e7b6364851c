/*
 * gaussian.c - EM with Gaussian emissions of frames
 *
 * The passes of kernel/passes on natural logs; the evidence of a step is the
 * log density of its frame about the centroid of each state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/stats.h"
#include "core/codebook.h"
#include "kernel/passes.h"
#include "learn/gaussian.h"
#include "learn/learn.h"

struct gaussian_pass {
	const struct cscg_model *m;
	struct cscg_model *learned; /* m if T is learned, NULL: mu is */
	const struct cscg_walk *w;
	const struct cscg_gaussian *set;
	const int *unit;
	int n_units;
	size_t S;
	const double *mu;
	double *mu_new; /* new mu, if mu is learned */
	double *pi;
	struct cscg_trans *tr;
	struct cscg_work work;
	double *log_density; /* [frame * S + j] */
	double *posterior;   /* [frame * S + j] */
	double *start;       /* [S] */
	double *log_pi;      /* [S] */
	double *counts;      /* [(action * S + j) * S + k], or NULL: T is
	                        fixed */
	long at;             /* first step of the current episode */
	struct cscg_pool mem;
};

/* ---- log-probabilities of the parameters ---- */

/* T of the model. */
static int
set_trans(struct gaussian_pass *p, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_schema(p->m, &cscg_plain_log, err);

	if (!tr)
		return -1;
	cscg_trans_free(p->tr);
	p->tr = tr;
	return 0;
}

/* The sum of log T over all actions and pairs of states. */
static double
prior(const struct gaussian_pass *p)
{
	const struct cscg_trans *tr = p->tr;
	const double *level = tr->level, *excess = tr->excess; /* logs */
	long i, row, rows = (long)tr->n_actions * tr->n_states;
	double sum = 0;

	for (row = 0; row < rows; row++) {
		sum += (double)(tr->n_states -
			   (tr->first[row + 1] - tr->first[row])) *
		    level[row];
		for (i = tr->first[row]; i < tr->first[row + 1]; i++)
			sum += log(exp(level[row]) + exp(excess[i]));
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

	return cscg_alloc((size_t)p->set->frames->dim + (size_t)p->n_units,
	    sizeof(double), err);
}

static void
frame_densities(void *ctx, long i, void *mine)
{
	struct gaussian_pass *p = ctx;
	const struct cscg_frames *f = p->set->frames;
	size_t dim = (size_t)f->dim;
	double s2 = p->set->sigma2, *x = mine, *of_unit = x + dim;
	double *log_density = p->log_density + (size_t)i * p->S;
	size_t j;
	int u;

	if (!f->weight[i])
		return;
	cscg_frames_get(f, i, x);
	for (u = 0; u < p->n_units; u++)
		of_unit[u] = -square(x, p->mu + (size_t)u * dim, dim) /
			(2 * s2) -
		    (double)dim / 2 * log(2 * M_PI * s2);
	for (j = 0; j < p->S; j++)
		log_density[j] = of_unit[p->unit[j]];
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

/* ---- the E-step ---- */

/* The frame of step t, or -1. */
static long
frame_at(const struct gaussian_pass *p, long t)
{
	const int *view = p->w->view;

	return view && view[t] ? p->set->frames->frame_of[view[t] - 1] : -1;
}

static void
density_at(const struct cscg_evidence *ev, long t, struct cscg_span *s)
{
	const struct gaussian_pass *p = ev->ctx;
	long frame = frame_at(p, p->at + t);

	s->hi = (int)p->S;
	if (frame >= 0)
		s->log_weight = p->log_density + (size_t)frame * p->S;
}

static double *
posterior_at(void *ctx, long t)
{
	const struct gaussian_pass *p = ctx;
	long frame = frame_at(p, p->at + t);

	return frame < 0 ? NULL : p->posterior + (size_t)frame * p->S;
}

static int
expect_episode(struct gaussian_pass *p, int e, double *loglik,
    struct cscg_err *err)
{
	const struct cscg_sink sink = { .counts = p->counts,
		.start = p->start,
		.visits = posterior_at,
		.ctx = p };
	struct cscg_evidence ev = cscg_evidence_walk(p->tr, p->w, e);
	long t;

	p->tr->kern->set(p->log_pi, p->pi, (long)p->S);
	ev.pi = p->log_pi;
	ev.at = density_at;
	ev.ctx = p;
	p->at = p->w->start[e];
	cscg_work_limit(&p->work, p->tr, ev.n);
	if (cscg_pass_forward(p->tr, &ev, &p->work, loglik, err) < 0)
		return -1;
	if (isinf(*loglik))
		return 0;
	t = cscg_pass_backward(p->tr, &ev, &p->work, &sink);
	return t < 0 ? 0 : cscg_pass_underflow(t, err);
}

static int
expect(struct gaussian_pass *p, double *loglik, struct cscg_err *err)
{
	size_t S = p->S;
	double one;
	int e;

	memset(p->posterior, 0,
	    (size_t)p->set->frames->n * S * sizeof *p->posterior);
	memset(p->start, 0, S * sizeof *p->start);
	if (p->counts)
		memset(p->counts, 0,
		    (size_t)p->m->n_actions * S * S * sizeof *p->counts);
	*loglik = 0;
	for (e = 0; e < p->w->n_episodes; e++) {
		if (expect_episode(p, e, &one, err) < 0)
			return -1;
		*loglik += one;
	}
	return 0;
}

/* ---- the M-steps ---- */

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
	struct cscg_pool mem = { .err = err };
	const struct cscg_frames *f = p->set->frames;
	size_t U = (size_t)p->n_units, dim = (size_t)f->dim, i, u;
	double *weight = cscg_pool_add(&mem, (size_t)f->n * U, sizeof *weight);
	double *all = cscg_pool_add(&mem, U, sizeof *all);
	double *x = cscg_pool_add(&mem, dim, sizeof *x), share;
	long v;
	int rc = -1;

	if (mem.failed)
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
	cscg_pool_free(&mem);
	return rc;
}

/* The counts become the expected counts. */
static int
maximise_T(struct gaussian_pass *p, struct cscg_err *err)
{
	/* Smaller counts are negligible in T. */
	if (cscg_model_set_dense(p->learned, p->counts,
		1e-9 * p->m->pseudocount, err) < 0)
		return -1;
	return set_trans(p, err);
}

/* ---- EM ---- */

static void
pass_free(struct gaussian_pass *p)
{
	cscg_trans_free(p->tr);
	cscg_work_free(&p->work);
	cscg_pool_free(&p->mem);
}

/* Allocate the arrays for the sizes set in p. */
static int
pass_new(struct gaussian_pass *p, struct cscg_err *err)
{
	struct cscg_pool *mem = cscg_pool_begin(&p->mem, err);
	const struct cscg_model *m = p->m;
	size_t S = (size_t)m->n_states, n = (size_t)p->set->frames->n;

	p->S = S;
	p->log_density = cscg_pool_add(mem, n, S * sizeof *p->log_density);
	p->posterior = cscg_pool_add(mem, n, S * sizeof *p->posterior);
	p->start = cscg_pool_add(mem, S, sizeof *p->start);
	p->log_pi = cscg_pool_add(mem, S, sizeof *p->log_pi);
	if (p->learned)
		p->counts = cscg_pool_add(mem, (size_t)m->n_actions * S,
		    S * sizeof *p->counts);
	return mem->failed ? -1 : 0;
}

static int
expect_frames(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct gaussian_pass *p = ctx;

	(void)update;
	if ((!p->learned || !line->iteration) && set_log_density(p, err) < 0)
		return -1;
	if (expect(p, &line->loglik, err) < 0)
		return -1;
	line->objective = line->loglik;
	if (p->learned && p->m->pseudocount > 0)
		line->objective += p->m->pseudocount * prior(p);
	return 0;
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct gaussian_pass *p = ctx;

	if (p->set->learn_pi)
		cscg_normalise(p->start, (long)p->S, p->pi);
	return p->learned ? maximise_T(p, err) : maximise_mu(p, err);
}

static int
run_em(struct gaussian_pass *p, struct cscg_em_progress *last,
    struct cscg_err *err)
{
	const struct cscg_gaussian *set = p->set;
	const struct cscg_em_problem problem = { .expect = expect_frames,
		.maximise = maximise,
		.ctx = p,
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

	if (set_trans(p, err) < 0)
		return -1;
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
	int rc = pass_new(&p, err);

	if (rc == 0)
		rc = run_em(&p, last, err);
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
		.learned = m,
		.w = w,
		.set = set,
		.unit = unit,
		.n_units = n_units,
		.mu = mu };
	size_t S = (size_t)m->n_states, j;
	double *pi = m->pi ? cscg_copy(m->pi, S, sizeof *pi, err) :
			     cscg_alloc(S, sizeof *pi, err);
	int rc = pi ? pass_new(&p, err) : -1;

	for (j = 0; pi && !m->pi && j < S; j++)
		pi[j] = 1.0 / (double)S;
	p.pi = pi;
	m->pseudocount = pseudocount;
	if (rc == 0)
		rc = run_em(&p, last, err);
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
