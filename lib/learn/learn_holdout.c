/*
 * learn_holdout.c - the structure of a walk compared with automata and plain
 * EM by held-out likelihood
 */
#include <math.h>

#include "learn/alergia.h"
#include "learn/em_select.h"
#include "learn/holdout.h"
#include "learn/learn_holdout.h"
#include "learn/learn_model.h"
#include "learn/learn_structure.h"
#include "learn/structure.h"

/* The held-out log-likelihood of the structure found in each fold. */
static int
score_structure(const struct cscg_holdout *h, const struct cscg_learn *set,
    bool noisy, double *held, struct cscg_err *err)
{
	struct cscg_learn quiet = *set;
	struct cscg_learn_progress last;
	struct cscg_model *m;
	double loglik;
	bool settled;
	int f, rc = 0;

	quiet.report = NULL;
	quiet.estep_ranks = NULL;
	*held = 0;
	for (f = 0; f < h->n_folds && rc == 0; f++) {
		rc = cscg_learn_structure(h->train[f], &quiet, noisy, &m,
		    &last, &settled, err);
		if (rc == 0 && !m) {
			*held = -INFINITY;
			break;
		}
		if (rc == 0)
			rc = cscg_learn_model_add_symbols(&m, h->w, set, err);
		if (rc == 0)
			rc = cscg_holdout_loglik(h, f, m,
			    cscg_learn_kernel(set), set->simd, &loglik, err);
		*held += loglik;
		cscg_model_free(m);
	}
	return rc;
}

/*
 * The best of automata of many episodes and plain EM, if its held-out
 * log-likelihood is above held: *m is new, or NULL.
 */
static int
learn_by_holdout(const struct cscg_holdout *h, const struct cscg_learn *set,
    double held, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_model *em = NULL;
	int rc = 0;

	*m = NULL;
	if (cscg_alergia_applies(h->w))
		rc = cscg_alergia_select(h, set, &held, m, last, err);
	if (rc == 0 || (rc > 0 && !cscg_poll_stopped(set->poll)))
		rc = cscg_em_select(h, set, &held, &em, last, err);
	if (em) {
		cscg_model_free(*m);
		*m = em;
	}
	return rc < 0 ? -1 : 0;
}

int
cscg_learn_holdout(const struct cscg_walk *w, const struct cscg_learn *set,
    bool noisy, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_holdout *h = cscg_holdout_new(w, err);
	struct cscg_model *found = NULL;
	struct cscg_learn_progress line = *last;
	double held = -INFINITY;
	int rc = -1;

	if (h && (!*m || score_structure(h, set, noisy, &held, err) == 0))
		rc = learn_by_holdout(h, set, held, &found, &line, err);
	/* Folds that were stopped by poll are not comparable. */
	if (found && rc == 0 && (!*m || !cscg_poll_stopped(set->poll))) {
		cscg_model_free(*m);
		*m = found;
		*last = line;
		found = NULL;
	} else if (rc == 0) {
		rc = cscg_learn_model_add_symbols(m, w, set, err);
	}
	if (rc == 0)
		cscg_learn_report_stage(set, "final", last->restart,
		    last->iteration, (*m)->n_states, last->loglik, NAN, last);
	cscg_model_free(found);
	cscg_holdout_free(h);
	return rc;
}
