/* noisy_em.c - EM on T and the misreading probability by a beam of states */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/em.h"
#include "learn/noisy_em.h"
#include "learn/tied_noise.h"

int
cscg_noisy_em_new(struct cscg_noisy_em *p, const struct cscg_walk *w,
    double share, struct cscg_err *err)
{
	*p = (struct cscg_noisy_em){ .w = w };
	p->beam = cscg_beam_new(w, share, err);
	return p->beam ? 0 : -1;
}

void
cscg_noisy_em_free(struct cscg_noisy_em *p)
{
	cscg_model_free(p->m);
	cscg_beam_free(p->beam);
	free(p->r.counts);
	free(p->r.visits);
	free(p->r.state);
	free(p->mode);
}

/* Memory for what an E-step of p->m gives. */
static int
reserve(struct cscg_noisy_em *p, struct cscg_err *err)
{
	const struct cscg_model *m = p->m;

	return cscg_grow(&p->r.counts, &p->cap_counts,
		   (size_t)m->first[(long)m->n_actions * m->n_states] + 1,
		   sizeof *p->r.counts, err) < 0 ||
		cscg_grow(&p->r.visits, &p->cap_visits, (size_t)m->n_states,
		    sizeof *p->r.visits, err) < 0 ?
	    -1 :
	    0;
}

static int
expect(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct cscg_noisy_em *p = ctx;
	struct cscg_beam_result only = { .state = p->r.state };

	if (reserve(p, err) < 0 ||
	    cscg_beam_expect(p->beam, p->m, update ? &p->r : &only, err) < 0)
		return -1;
	line->loglik = line->objective = update ? p->r.loglik : only.loglik;
	return 0;
}

/*
 * The misreading probability: a symbol drawn by misreading may be the correct
 * one.
 */
static double
misread_of(const struct cscg_noisy_em *p)
{
	double K = p->w->head.n_obs;
	double q = p->r.misread * K / ((K - 1) * (double)p->r.n_observed);

	return K < 2 ? 0 : fmin(q, 0.9);
}

/* Tie the noise of all rows but those of unknown states. */
static int
tie(struct cscg_noisy_em *p, struct cscg_err *err)
{
	size_t S = (size_t)p->m->n_states, n = S * (size_t)p->m->n_actions, i;

	if (cscg_grow(&p->mode, &p->cap_mode, n, 1, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		p->mode[i] = p->unknown && p->unknown[i % S] ?
		    CSCG_NOISE_UNTIED :
		    CSCG_NOISE_TIED;
	return cscg_tied_noise(p->m, p->mode, err) < 0 ? -1 : 0;
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct cscg_noisy_em *p = ctx;
	long n = p->m->first[(long)p->m->n_actions * p->m->n_states], i;

	for (i = 0; i < n; i++)
		p->m->count[i] = fmax(p->r.counts[i], 1e-9);
	p->m->misread = misread_of(p);
	return p->tied ? tie(p, err) : 0;
}

int
cscg_noisy_em_prune(struct cscg_model *m, double least, struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, r, i, n = 0;
	struct cscg_count *c = cscg_alloc((size_t)m->first[rows] + 1,
	    sizeof *c, err);
	int rc;

	if (!c)
		return -1;
	for (r = 0; r < rows; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if (m->count[i] >= least)
				c[n++] = (struct cscg_count){ (int)(r /
								  m->n_states),
					(int)(r % m->n_states), m->to[i],
					m->count[i] };
	rc = cscg_model_set_counts(m, c, n, err);
	free(c);
	return rc;
}

int
cscg_noisy_em_run(struct cscg_noisy_em *p, long iterations, double least,
    double *loglik, struct cscg_err *err)
{
	const struct cscg_em_problem problem = { .expect = expect,
		.maximise = maximise,
		.ctx = p,
		.slack_relative = INFINITY,
		.steps = p->w->n_steps,
		.impossible = "" };
	const struct cscg_em em = { .iterations = iterations,
		.tolerance = 1e-4 };
	struct cscg_em_progress line;

	if (cscg_em(&problem, &em, &line, err) < 0)
		return -1;
	*loglik = line.loglik;
	return cscg_noisy_em_prune(p->m, least, err);
}

int
cscg_noisy_em_drop_unused(struct cscg_model **m, struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)(*m)->n_states, sizeof *into, err);
	long rows = (long)(*m)->n_actions * (*m)->n_states, r;
	struct cscg_model *fresh = NULL;
	int j, n = 0, S = (*m)->n_states;

	if (!into)
		return -1;
	for (r = 0; r < rows; r++)
		if ((*m)->first[r + 1] > (*m)->first[r])
			into[r % S] = 1;
	for (j = 0; j < S; j++)
		into[j] = into[j] ? n++ : -1;
	if (n > 0 && n < S)
		fresh = cscg_model_merge_states(*m, into, n, err);
	free(into);
	if (n == 0 || n == S)
		return 0;
	if (!fresh)
		return -1;
	cscg_model_free(*m);
	*m = fresh;
	return 0;
}

int
cscg_noisy_em_decode(struct cscg_noisy_em *p, struct cscg_err *err)
{
	if (!p->r.state)
		p->r.state = cscg_alloc((size_t)p->w->n_steps,
		    sizeof *p->r.state, err);
	return p->r.state && reserve(p, err) == 0 ?
	    cscg_beam_expect(p->beam, p->m, &p->r, err) :
	    -1;
}
