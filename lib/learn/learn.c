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
static const double HARDLY_CHANCE = 0.2;

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

struct measured {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
measure_it(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	struct measured *on = ctx;

	return cscg_learn_measure(m, on->w, on->set, loglik, err);
}

/* Chance that is the same everywhere is learned from all rows at once. */
static int
share(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct measured on = { w, set };
	struct cscg_pool_walk walk = { w->n_steps, measure_it, &on };
	double pooled;
	int rc;

	if (set->raw || set->own_rows)
		return 0;
	rc = cscg_pool_fit(m, &walk, &pooled, err);
	if (rc > 0) {
		*loglik = pooled;
		cscg_learn_stage(set, "pool", 0, 0, (*m)->n_states, pooled,
		    NAN, NULL);
	}
	return rc < 0 ? -1 : 0;
}

static bool
sees_nothing(const struct cscg_walk *w)
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
choose(const struct cscg_walk *w, const struct cscg_learn *set, double settled,
    struct cscg_model **m, struct cscg_learn_line *last, struct cscg_err *err)
{
	struct cscg_model *lawful = NULL;
	struct cscg_learn_line line;
	bool hardly = settled >= HARDLY_CHANCE;

	if ((!set->raw &&
	    cscg_learn_by_law(w, set, &lawful, &line, err) < 0) ||
	    cscg_learn_grow(w, set, m, last, err) < 0 ||
	    (!set->raw && hardly &&
	    cscg_learn_by_splits(w, set, m, last, err) < 0)) {
		cscg_model_free(lawful);
		return -1;
	}
	hardly |= lawful != NULL;
	if (lawful && cscg_worth(lawful, w->n_steps, line.loglik) >
	    cscg_worth(*m, w->n_steps, last->loglik)) {
		cscg_model_free(*m);
		*m = lawful;
		*last = line;
	} else {
		cscg_model_free(lawful);
	}
	return hardly && !set->raw && !cscg_learn_no_chance(*m);
}

struct cscg_model *
cscg_learn(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_line *last, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_learn how = *set;
	double loglik, settled;
	bool any_size = !set->init && !set->clones;
	int folded = 0, unsure;

	if (set->unsure)
		*set->unsure = false;
	if (sees_nothing(w)) {
		cscg_fail(err, CSCG_ERANGE, "no symbol is seen in the walk: "
		    "there is nothing to learn from");
		return NULL;
	}
	if (set->init)
		m = start_from_model(w, set, err);
	else if (set->clones)
		m = cscg_learn_blank(w, set, set->clones, err);
	else
		folded = cscg_learn_fold(w, set, &m, &settled, err);
	if (folded < 0)
		return NULL;
	if (any_size && !folded) {
		unsure = choose(w, set, settled, &m, last, err);
		if (unsure < 0)
			goto fail;
		loglik = last->loglik;
		if (share(&m, w, set, &loglik, err) < 0)
			goto fail;
		/* The last one tried is not the one chosen. */
		cscg_learn_stage(set, "final", last->restart, last->iteration,
		    m->n_states, loglik, last->objective, last);
		if (set->unsure)
			*set->unsure = unsure;
		return m;
	}
	how.split |= folded;
	if (!m || cscg_learn_runs(m, w, set, !set->init && !folded, 0, last,
	    err) < 0 ||
	    (!set->raw && (cscg_learn_clean(&m, w, &how, &loglik, err) < 0 ||
	    share(&m, w, set, &loglik, err) < 0)))
		goto fail;
	if (!set->raw)
		cscg_learn_stage(set, "final", 0, 0, m->n_states, loglik, NAN,
		    last);
	return m;
fail:
	cscg_model_free(m);
	return NULL;
}
