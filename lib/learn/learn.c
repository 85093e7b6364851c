/*
 * learn.c - learning of a model from a walk: clones per symbol (given or by
 * BIC), initialisation, EM, structure
 *
 * The cascade.  With given clones or an initial model: EM and reduction.
 * Otherwise, of a walk with noise and actions (context.h), the first that
 * succeeds of: the graph of a part of the walk; the graph from landmarks, if it
 * is sure; the model with misread symbols replaced (learn_noisy.h).  Of other
 * walks, and if these fail, the structure of the walk (learn_structure.h),
 * compared with plain EM and automata by held-out likelihood (learn_holdout.h)
 * unless it explains the walk.  A graph from landmarks that is not sure is
 * compared with the result by BIC.
 */
#include <math.h>
#include <stdbool.h>

#include "learn/assess.h"
#include "learn/context.h"
#include "learn/em_restarts.h"
#include "learn/holdout.h"
#include "learn/learn.h"
#include "learn/learn_holdout.h"
#include "learn/learn_model.h"
#include "learn/learn_noisy.h"
#include "learn/learn_structure.h"
#include "learn/learn_tied.h"
#include "learn/structure.h"

static bool
nothing_observed(const struct cscg_walk *w)
{
	long t;

	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			return false;
	return true;
}

/* A model of a walk without noise, or of which the noise hides the graph. */
static int
learn_other(const struct cscg_walk *w, const struct cscg_learn *set,
    bool noisy, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	bool settled;
	int rc = cscg_learn_structure(w, set, noisy, m, last, &settled, err);

	if (rc == 0 && !set->raw && !settled &&
	    w->n_steps >= CSCG_HOLDOUT_MIN_STEPS &&
	    !(*m && cscg_poll_stopped(set->poll)))
		rc = cscg_learn_holdout(w, set, noisy, m, last, err);
	return rc;
}

/* A model without given clones. */
static struct cscg_model *
learn_any(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *outward = NULL, *m = NULL;
	struct cscg_learn_progress line = { 0 };
	bool tested = !set->raw && set->pseudocount > 0 &&
	    !cscg_learn_structure_is_text(w);
	bool has_actions = w->head.n_actions > 1;
	int noisy = tested ? cscg_context_is_noisy(w, set->poll, err) : 0;
	int rc = 0;

	if (noisy > 0 && has_actions)
		rc = cscg_learn_noisy_parts(w, set, &m, last, err);
	if (noisy < 0 || rc != 0)
		return m;
	if (noisy > 0 && has_actions)
		rc = cscg_learn_noisy_outward(w, set, &outward, last, err);
	if (rc < 0)
		return NULL;
	if (outward) {
		if (cscg_assess(outward, w, set, last->loglik, err) < 0) {
			cscg_model_free(outward);
			return NULL;
		}
		if (cscg_learn_noisy_is_sure(outward) ||
		    cscg_poll_stopped(set->poll))
			return outward;
	}
	if (noisy && has_actions)
		rc = cscg_learn_noisy_misread(w, set, &m, &line, err);
	if (rc == 0)
		rc = learn_other(w, set, noisy, &m, &line, err);
	if (rc >= 0 && outward && m &&
	    cscg_bic_noise(outward, w->n_steps, last->loglik) >
		cscg_bic_noise(m, w->n_steps, line.loglik)) {
		cscg_model_free(m);
		cscg_learn_report_progress(set, last, NULL);
		return outward;
	}
	cscg_model_free(outward);
	*last = line;
	if (rc < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

/* A model with given clones or from a given model. */
static struct cscg_model *
learn_given(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *m = set->init ?
	    cscg_learn_model_copy(w, set, err) :
	    cscg_learn_model_new(w, set, set->clones, err);
	double loglik;

	if (!m || cscg_em_restarts(m, w, set, !set->init, 0, last, err) < 0 ||
	    (!set->raw &&
		(cscg_structure_clean(&m, w, set, &loglik, err) < 0 ||
		    cscg_learn_tied(&m, w, set, false, &loglik, err) < 0))) {
		cscg_model_free(m);
		return NULL;
	}
	if (!set->raw)
		cscg_learn_report_stage(set, "final", 0, 0, m->n_states,
		    loglik, NAN, last);
	return m;
}

struct cscg_model *
cscg_learn(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *m;

	if (nothing_observed(w)) {
		cscg_fail(err, CSCG_ERANGE,
		    "the walk has no observation: there is nothing to learn "
		    "from");
		return NULL;
	}
	m = set->init || set->clones ? learn_given(w, set, last, err) :
				       learn_any(w, set, last, err);
	if (m && set->assess && !set->raw && (set->init || !m->learned) &&
	    cscg_assess(m, w, set, last->loglik, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}
