/*
 * learn.c - from walks to a grounded model: a start, EM, a clean graph
 */
#include <math.h>

#include "learn/learn_clean.h"
#include "learn/learn_grow.h"
#include "learn/learn_run.h"
#include "learn/pool.h"
#include "learn/refine.h"

/*
 * The share of its steps that a walk places which is likely to have no chance
 * in it, though there is too little of it to fold.
 */
static const double NEARLY_DETERMINISTIC = 0.2;

/* A copy of the model to start from, with our settings. */
static struct cscg_model *
start_from_model(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *m;

	if (set->init->kind != CSCG_GROUNDED || set->init->e_first) {
		cscg_fail(err, CSCG_EMISMATCH, "a grounded model with "
		    "emissions by clone is needed to start from");
		return NULL;
	}
	/* What fit.h makes equal; past here nothing would notice. */
	if (set->init->n_actions != w->head.n_actions ||
	    set->init->n_obs != w->head.n_obs) {
		cscg_fail(err, CSCG_EMISMATCH, "the model to start from has "
		    "%d actions and %d symbols, the walk %d and %d",
		    set->init->n_actions, set->init->n_obs, w->head.n_actions,
		    w->head.n_obs);
		return NULL;
	}
	m = cscg_model_copy(set->init, err);
	if (!m)
		return NULL;
	m->pseudocount = set->pseudocount;
	m->is_double = set->is_double;
	if ((!m->actions.n && cscg_names_copy(&m->actions, &w->head.actions,
	    err) < 0) || (!m->symbols.n && cscg_names_copy(&m->symbols,
	    &w->head.symbols, err) < 0)) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

struct loglik_ctx {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
walk_loglik(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	struct loglik_ctx *on = ctx;

	return cscg_learn_loglik(m, on->w, on->set, loglik, err);
}

/* Chance that is the same everywhere is learned from all rows at once. */
static int
tie_noise(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct loglik_ctx on = { w, set };
	struct cscg_tied_noise_walk walk = { w->n_steps, walk_loglik, &on };
	double tied;
	int rc;

	if (set->raw || set->untied_noise)
		return 0;
	rc = cscg_tied_noise_fit(m, &walk, &tied, err);
	if (rc > 0) {
		*loglik = tied;
		cscg_learn_report_stage(set, "pool", 0, 0, (*m)->n_states, tied,
		    NAN, NULL);
	}
	return rc < 0 ? -1 : 0;
}

static bool
nothing_observed(const struct cscg_walk *w)
{
	long t;

	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			return false;
	return true;
}

/*
 * The model of a walk that does not fold: the best by worth of what can be had
 * by a law of its moves, by more clones, and by splits.  1 if it shows chance
 * where there is hardly any, else 0, or -1.
 */
static int
select_model(const struct cscg_walk *w, const struct cscg_learn *set, double assigned,
    struct cscg_model **m, struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *by_inverses = NULL;
	struct cscg_learn_progress line;
	bool nearly_deterministic = assigned >= NEARLY_DETERMINISTIC;

	if ((!set->raw &&
	    cscg_learn_by_inverses(w, set, &by_inverses, &line, err) < 0) ||
	    cscg_learn_select_clones(w, set, m, last, err) < 0 ||
	    (!set->raw && nearly_deterministic &&
	    cscg_learn_by_splits(w, set, m, last, err) < 0)) {
		cscg_model_free(by_inverses);
		return -1;
	}
	nearly_deterministic |= by_inverses != NULL;
	if (by_inverses && cscg_bic(by_inverses, w->n_steps, line.loglik) >
	    cscg_bic(*m, w->n_steps, last->loglik)) {
		cscg_model_free(*m);
		*m = by_inverses;
		*last = line;
	} else {
		cscg_model_free(by_inverses);
	}
	return nearly_deterministic && !set->raw && !cscg_learn_is_deterministic(*m);
}

struct cscg_model *
cscg_learn(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_learn how = *set;
	double loglik, assigned;
	bool any_size = !set->init && !set->clones;
	int merged = 0, ambiguous;

	if (set->ambiguous)
		*set->ambiguous = false;
	if (nothing_observed(w)) {
		cscg_fail(err, CSCG_ERANGE, "no symbol is seen in the walk: "
		    "there is nothing to learn from");
		return NULL;
	}
	if (set->init)
		m = start_from_model(w, set, err);
	else if (set->clones)
		m = cscg_learn_new_model(w, set, set->clones, err);
	else
		merged = cscg_learn_by_merging(w, set, &m, &assigned, err);
	if (merged < 0)
		return NULL;
	if (any_size && !merged) {
		ambiguous = select_model(w, set, assigned, &m, last, err);
		if (ambiguous < 0)
			goto fail;
		loglik = last->loglik;
		if (tie_noise(&m, w, set, &loglik, err) < 0)
			goto fail;
		/* The last one tried is not the one chosen. */
		cscg_learn_report_stage(set, "final", last->restart, last->iteration,
		    m->n_states, loglik, last->objective, last);
		if (set->ambiguous)
			*set->ambiguous = ambiguous;
		return m;
	}
	how.split |= merged;
	if (!m || cscg_restarts_run(m, w, set, !set->init && !merged, 0, last,
	    err) < 0 ||
	    (!set->raw && (cscg_structure_clean(&m, w, &how, &loglik, err) < 0 ||
	    tie_noise(&m, w, set, &loglik, err) < 0)))
		goto fail;
	if (!set->raw)
		cscg_learn_report_stage(set, "final", 0, 0, m->n_states, loglik, NAN,
		    last);
	return m;
fail:
	cscg_model_free(m);
	return NULL;
}
