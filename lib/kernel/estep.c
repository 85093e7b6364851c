/*
 * estep.c - the E-step of EM on T behind one interface; the plain
 * implementation
 *
 * The plain engine keeps T and counts as dense matrices and uses the loops of
 * passes.c; it is the reference for the blocked engine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "kernel/estep_ranks.h"
#include "kernel/estep.h"
#include "kernel/passes.h"
#include "kernel/trans.h"

struct plain {
	struct cscg_estep base;
	const struct cscg_walk *w;
	struct cscg_trans *tr;
	struct cscg_work work;
	size_t S, n; /* states, counts */
	bool learn_pi;
	double *counts, *next; /* dense */
	double *pi, *start;
};

static int
load(struct cscg_estep *e, const struct cscg_model *m, struct cscg_rng *rng,
    struct cscg_err *err)
{
	struct plain *p = (struct plain *)e;
	size_t i;
	long r, k;

	(void)err;
	for (i = 0; i < p->n; i++)
		p->counts[i] = rng ? cscg_rng_uniform(rng) : 0;
	for (r = 0; !rng && r < (long)m->n_actions * m->n_states; r++)
		for (k = m->first[r]; k < m->first[r + 1]; k++)
			p->counts[(size_t)r * p->S + (size_t)m->to[k]] =
			    m->count[k];
	if (m->pi) {
		memcpy(p->pi, m->pi, p->S * sizeof *p->pi);
		cscg_trans_set_pi(p->tr, p->pi);
	}
	return 0;
}

static double
set_T(struct cscg_estep *e, double pseudocount)
{
	struct plain *p = (struct plain *)e;

	return cscg_trans_set(p->tr, p->counts, pseudocount);
}

static int
expect(struct cscg_estep *e, bool counts, double *loglik, struct cscg_err *err)
{
	struct plain *p = (struct plain *)e;

	const struct cscg_sink sink = { .counts = p->next,
		.start = p->learn_pi ? p->start : NULL };

	if (counts) {
		memset(p->next, 0, p->n * sizeof *p->next);
		memset(p->start, 0, p->S * sizeof *p->start);
	}
	return cscg_expect(p->tr, p->w, &p->work, counts ? &sink : NULL,
	    loglik, err);
}

static void
accept_next(struct cscg_estep *e)
{
	struct plain *p = (struct plain *)e;

	memcpy(p->counts, p->next, p->n * sizeof *p->counts);
	if (!p->learn_pi)
		return;
	cscg_normalise(p->start, (long)p->S, p->pi);
	cscg_trans_set_pi(p->tr, p->pi);
}

static int
store(struct cscg_estep *e, struct cscg_model *m, double floor,
    struct cscg_err *err)
{
	struct plain *p = (struct plain *)e;

	if (p->learn_pi) {
		free(m->pi);
		m->pi = cscg_copy(p->pi, p->S, sizeof *m->pi, err);
		if (!m->pi)
			return -1;
	}
	return cscg_model_set_dense(m, p->counts, floor, err);
}

static int
save(struct cscg_estep *e, struct cscg_blob *to, struct cscg_err *err)
{
	struct plain *p = (struct plain *)e;

	cscg_blob_write(to, p->pi, p->S * sizeof *p->pi, err);
	return cscg_blob_write(to, p->counts, p->n * sizeof *p->counts, err);
}

static int
restore(struct cscg_estep *e, struct cscg_blob *from, struct cscg_err *err)
{
	struct plain *p = (struct plain *)e;

	cscg_blob_read(from, p->pi, p->S * sizeof *p->pi, err);
	if (cscg_blob_read(from, p->counts, p->n * sizeof *p->counts, err) < 0)
		return -1;
	cscg_trans_set_pi(p->tr, p->pi);
	return 0;
}

static void
plain_free(struct cscg_estep *e)
{
	struct plain *p = (struct plain *)e;

	cscg_trans_free(p->tr);
	cscg_work_free(&p->work);
	free(p->counts);
	free(p->next);
	free(p->pi);
	free(p->start);
	free(p);
}

static struct cscg_estep *
estep_plain(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_err *err)
{
	static const struct cscg_estep ops = { load, set_T, expect,
		accept_next, store, plain_free, "plain", 0, 0, save, restore };
	struct plain *p = cscg_alloc(1, sizeof *p, err);
	size_t j;

	if (!p)
		return NULL;
	p->base = ops;
	p->base.slack_relative = set->is_double ? 1e-11 : 1e-6;
	p->base.slack_per_step = 2 *
	    (set->is_double ? cscg_plain_double.epsilon :
			      cscg_plain_float.epsilon);
	p->w = w;
	p->S = (size_t)m->n_states;
	p->n = p->S * p->S * (size_t)m->n_actions;
	p->learn_pi = set->learn_pi;
	p->tr = cscg_trans_dense(m,
	    set->is_double ? &cscg_plain_double : &cscg_plain_float, err);
	p->counts = p->tr ? cscg_alloc(p->n, sizeof *p->counts, err) : NULL;
	p->next = p->counts ? cscg_alloc(p->n, sizeof *p->next, err) : NULL;
	p->pi = p->next ? cscg_alloc(p->S, sizeof *p->pi, err) : NULL;
	p->start = p->pi ? cscg_alloc(p->S, sizeof *p->start, err) : NULL;
	if (!p->start) {
		plain_free(&p->base);
		return NULL;
	}
	for (j = 0; j < p->S; j++)
		p->pi[j] = m->pi ? m->pi[j] : 1.0 / (double)p->S;
	return &p->base;
}

/* True if every step has an observation, as the blocked engine requires. */
static bool
all_observed(const struct cscg_walk *w, const int *first)
{
	long t;

	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] < 0 || first[w->x[t] + 1] == first[w->x[t]])
			return false;
	return true;
}

/* 1 if the blocked engine can be used, 0 if not, -1 with err filled. */
static int
can_be_blocked(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_err *err)
{
	int *first, blocked;

	if (!set->simd || set->is_double || m->e_first || m->misread > 0 ||
	    m->kind != CSCG_GROUNDED)
		return 0;
	first = cscg_alloc((size_t)m->n_obs + 1, sizeof *first, err);
	if (!first)
		return -1;
	cscg_model_groups(m, first);
	blocked = all_observed(w, first);
	free(first);
	return blocked;
}

bool
cscg_estep_is_shared(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_estep_options *set)
{
	struct cscg_err none;

	return set->estep_ranks &&
	    cscg_estep_ranks_parts(set->estep_ranks) > 1 &&
	    can_be_blocked(m, w, set, &none) > 0;
}

struct cscg_estep *
cscg_estep_new(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_estep_options *set, struct cscg_err *err)
{
	int blocked = can_be_blocked(m, w, set, err);

	if (blocked < 0)
		return NULL;
	if (blocked && set->estep_ranks &&
	    cscg_estep_ranks_parts(set->estep_ranks) > 1)
		return cscg_estep_shared(set->estep_ranks, m, set, err);
	return blocked ? cscg_estep_blocked(m, w, set, err) :
			 estep_plain(m, w, set, err);
}

void
cscg_estep_free(struct cscg_estep *e)
{
	if (e)
		e->free(e);
}
