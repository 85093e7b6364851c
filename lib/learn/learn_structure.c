/*
 * learn_structure.c - the structure of a walk without given clones
 *
 * A walk with noise is learned from contexts (learn_contexts.c), if that
 * converges.  A deterministic walk is reduced to its graph by state merging
 * (learn_merge.c).  If no graph has nearly all steps, the model of merging
 * with inverse actions is used only if its BIC is better than that of clones
 * chosen by BIC (learn_select.c).
 */
#include <math.h>

#include "learn/constants.h"
#include "learn/em_select.h"
#include "learn/learn_contexts.h"
#include "learn/learn_merge.h"
#include "learn/learn_select.h"
#include "learn/learn_structure.h"
#include "learn/learn_tied.h"
#include "learn/structure.h"

bool
cscg_learn_structure_is_text(const struct cscg_walk *w)
{
	return w->head.n_actions == 1 &&
	    w->n_steps >= cscg_learn_constants.dense_steps;
}

/* True if the walk is nearly deterministic: many steps have a state. */
static bool
is_nearly_merged(const struct cscg_learn_merges *found)
{
	return found->evidence &&
	    found->evidence->assigned >= cscg_learn_constants.nearly_merged;
}

/*
 * True if the source has no sparse graph: text, of which state merging assigns
 * few steps.  Reduction by BIC would then only lower the likelihood.
 */
static bool
is_dense(const struct cscg_walk *w, const struct cscg_learn_merges *found)
{
	return cscg_learn_structure_is_text(w) && !is_nearly_merged(found);
}

/*
 * The model of a walk for which state merging fails: the best by BIC of
 * merging with inverse actions, more clones, and splits.  0, or -1 with err
 * filled.
 */
static int
select_model(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_learn_merges *found, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *by_inverses = NULL;
	struct cscg_learn_progress line;

	if (cscg_learn_merge_by_inverses(w, set, found->inverses, &by_inverses,
		&line, err) < 0 ||
	    cscg_learn_select_clones(w, set, m, last, err) < 0 ||
	    (!set->raw && is_nearly_merged(found) &&
		!cscg_poll_stopped(set->poll) &&
		cscg_learn_select_splits(w, set, m, last, err) < 0)) {
		cscg_model_free(by_inverses);
		return -1;
	}
	if (by_inverses &&
	    cscg_bic(by_inverses, w->n_steps, line.loglik) >
		cscg_bic(*m, w->n_steps, last->loglik)) {
		cscg_model_free(*m);
		*m = by_inverses;
		*last = line;
	} else {
		cscg_model_free(by_inverses);
	}
	return 0;
}

/*
 * True if plain EM cannot be better: the model is deterministic, or the steps
 * that it does not predict cost less than one parameter for each of its
 * states, which a short walk does not show.  A graph of few steps may explain
 * them all and predict others worse than EM does, by the rows that it lacks.
 */
static bool
explains_walk(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double loglik)
{
	if (set->mixture &&
	    (double)w->n_steps < cscg_learn_constants.settled_visits *
		    (double)m->n_states * (double)m->n_actions)
		return false;
	return cscg_learn_is_deterministic(m) ||
	    (!cscg_em_select_mixes(w, set) &&
		-loglik < log((double)w->n_steps) / 2 * m->n_states);
}

/* Model selection where state merging fails; *m NULL: the source is dense. */
static int
finish_selected(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_learn_merges *found, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	double loglik;

	if (!set->raw && is_dense(w, found))
		return 0;
	if (select_model(w, set, found, m, last, err) < 0)
		return -1;
	loglik = last->loglik;
	if (cscg_learn_tied(m, w, set, false, &loglik, err) < 0)
		return -1;
	/* The last model reported need not be the one selected. */
	cscg_learn_report_stage(set, "final", last->restart, last->iteration,
	    (*m)->n_states, loglik, last->objective, last);
	return 0;
}

int
cscg_learn_structure(const struct cscg_walk *w, const struct cscg_learn *set,
    bool noisy, struct cscg_model **m, struct cscg_learn_progress *last,
    bool *settled, struct cscg_err *err)
{
	struct cscg_learn_merges found = { NULL, NULL };
	int rc = 0;

	*m = NULL;
	*last = (struct cscg_learn_progress){ 0 };
	*settled = false;
	if (noisy)
		rc = cscg_learn_contexts(w, set, m, last, false, err);
	if (rc != 0) {
		*settled = w->head.n_actions > 1;
		return rc < 0 ? -1 : 0;
	}
	rc = cscg_learn_merge(w, set, &found, m, err);
	if (rc > 0)
		rc = cscg_learn_merge_finish(w, set, &found, m, last, err);
	else if (rc == 0)
		rc = finish_selected(w, set, &found, m, last, err);
	cscg_learn_merges_free(&found);
	if (rc < 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	*settled = *m && !set->raw && explains_walk(*m, w, set, last->loglik);
	return rc;
}
