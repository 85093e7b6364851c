/*
 * learn_noisy.c - graphs of walks with noise
 */
#include <math.h>
#include <stdlib.h>

#include "learn/assess.h"
#include "learn/constants.h"
#include "learn/em_restarts.h"
#include "learn/learn_contexts.h"
#include "learn/learn_model.h"
#include "learn/learn_noisy.h"
#include "learn/learn_tied.h"
#include "learn/noisy.h"
#include "learn/outward.h"
#include "learn/structure.h"

/*
 * End the search of a graph with noise.  rc > 0: report the log-likelihood of
 * *m; else discard *m.  Returns rc, or -1 with err filled.
 */
static int
finish_noisy(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, int rc, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	double loglik;

	if (rc > 0 && cscg_learn_loglik(*m, w, set, &loglik, err) < 0)
		rc = -1;
	if (rc > 0) {
		cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states,
		    loglik, NAN, last);
		return 1;
	}
	cscg_model_free(*m);
	*m = NULL;
	return rc;
}

bool
cscg_learn_noisy_is_sure(const struct cscg_model *m)
{
	const struct cscg_learned *l = m->learned;

	return (!l->doubtful ||
		   ((double)l->supported >=
			   cscg_learn_constants.sure_supported *
			       (double)l->rows &&
		       l->mixed <= cscg_learn_constants.sure_mixed &&
		       l->memory <= cscg_learn_constants.sure_memory)) &&
	    (m->misread <= 0 ||
		cscg_model_main_share(m, -1) >=
		    cscg_learn_constants.sure_main);
}

/* ---- the graph of a part of the walk ---- */

/*
 * Fit *m, the graph of a part of walk w, to all of w, and assess it.  1 if
 * there is no doubt and it has all rows, 0, or -1.
 */
static int
fit_whole(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn how = *set;
	double loglik;
	int rc;

	how.report = NULL;
	how.iterations = cscg_learn_constants.part_iterations;
	rc = (*m)->misread > 0 ?
	    cscg_noisy_fit(m, w, set, false, &loglik, err) :
	    cscg_em_restarts(*m, w, &how, false, 0, last, err);
	if (rc == 0 && !((*m)->misread > 0))
		rc = cscg_learn_tied(m, w, &how, true, &loglik, err);
	rc = finish_noisy(w, &how, m, rc < 0 ? -1 : 1, last, err);
	if (rc < 0 || cscg_assess(*m, w, set, last->loglik, err) < 0)
		return -1;
	if (!cscg_learn_noisy_is_sure(*m) || (*m)->learned->doubtful ||
	    (*m)->learned->rows < (long)(*m)->n_states * (*m)->n_actions)
		return 0;
	cscg_learn_report_progress(set, last, NULL);
	return 1;
}

/*
 * The graph of a part of a walk with noise, from landmarks outward or, if there
 * are few of them, from the states of contexts.  1 with *m new, 0 if there is
 * none or the part has too few steps for the states that are expected, -1 with
 * err filled.
 */
static int
learn_graph(const struct cscg_walk *part, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_err *err)
{
	struct cscg_model *from = NULL;
	long states = cscg_outward_states(part, err);
	long rows = part->n_steps / part->head.n_actions;
	int rc = states < 0 ?
	    -1 :
	    states <= rows / cscg_learn_constants.landmark_visits;

	*m = NULL;
	if (states == 0)
		rc = cscg_noisy_contexts(part, set,
		    rows / cscg_learn_constants.context_visits, &from, err);
	if (rc > 0)
		rc = cscg_outward_distinct(part, set, from, m, err);
	cscg_model_free(from);
	return rc;
}

/* The graph of a part of walk w, fitted to all of it, if it is sure: 1, 0, -1. */
static int
learn_part(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_walk *part, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_learn quiet = *set;
	int rc;

	quiet.report = NULL;
	quiet.estep_ranks = NULL;
	rc = learn_graph(part, &quiet, m, err);
	if (rc > 0)
		rc = cscg_learn_model_has_symbols(*m, w) ?
		    fit_whole(w, set, m, last, err) :
		    0;
	if (rc <= 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	return rc;
}

int
cscg_learn_noisy_parts(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_walk *part, *rest;
	long n;
	int rc = 0;

	for (n = w->n_steps; n / 2 >= cscg_learn_constants.min_part; n /= 2)
		;
	for (; n <= w->n_steps * 2 / 3 && rc == 0 &&
	     !cscg_poll_stopped(set->poll);
	     n += n / 2) {
		rc = cscg_walk_split(w, 1 - (double)n / (double)w->n_steps,
		    &part, &rest, err);
		cscg_walk_free(rest);
		if (rc == 0)
			rc = learn_part(w, set, part, m, last, err);
		cscg_walk_free(part);
	}
	return rc;
}

/* ---- landmarks ---- */

int
cscg_learn_noisy_outward(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	double loglik;
	bool distinct;
	int rc = cscg_outward(w, set, m, &distinct, &loglik, err);

	how.report = NULL;
	how.iterations = cscg_learn_constants.outward_iterations;
	if (rc > 0 && (*m)->misread > 0) {
		if (cscg_noisy_fit(m, w, set, !distinct, &loglik, err) < 0)
			rc = -1;
	} else if (rc > 0 && !distinct &&
	    (cscg_em_restarts(*m, w, &how, false, 0.5, last, err) < 0 ||
		cscg_structure_clean(m, w, &how, &loglik, err) < 0)) {
		rc = -1;
	}
	if (rc > 0 && !((*m)->misread > 0) &&
	    cscg_learn_tied(m, w, &how, distinct, &loglik, err) < 0)
		rc = -1;
	return finish_noisy(w, set, m, rc, last, err);
}

/* ---- misread symbols ---- */

/*
 * The structure of the walk with its symbols replaced by x, fitted to the
 * original walk: *m is new, or NULL if no structure was found.
 */
static int
fit_replaced(const struct cscg_walk *w, const struct cscg_learn *set, int *x,
    double misread, struct cscg_model **m, double *loglik,
    struct cscg_err *err)
{
	struct cscg_walk seen = *w;
	struct cscg_learn_progress line;
	int rc;

	seen.x = x;
	rc = cscg_learn_contexts(&seen, set, m, &line, true, err);
	if (rc <= 0)
		return rc;
	(*m)->misread = misread;
	return cscg_noisy_fit(m, w, set, true, loglik, err);
}

/*
 * Replace *m by the model of the walk with misread symbols replaced by x, then
 * by the symbols decoded by that model, as long as BIC improves.
 */
static int
refine_misread(const struct cscg_walk *w, const struct cscg_learn *set, int *x,
    struct cscg_model **m, struct cscg_err *err)
{
	struct cscg_model *found;
	double loglik, bic, most = -INFINITY;
	int round, rc = 0;

	for (round = 0; round < cscg_learn_constants.misread_rounds &&
	     !cscg_poll_stopped(set->poll) && rc == 0;
	     round++) {
		found = NULL;
		rc = fit_replaced(w, set, x, (*m)->misread, &found, &loglik,
		    err);
		bic = rc == 0 && found ? cscg_bic(found, w->n_steps, loglik) :
					 -INFINITY;
		if (rc < 0 || !(bic > most)) {
			cscg_model_free(found);
			break;
		}
		most = bic;
		cscg_model_free(*m);
		*m = found;
		if (cscg_noisy_is_certain(*m))
			break;
		rc = cscg_noisy_symbols(*m, w, x, err);
	}
	if (rc == 0 && round == 0)
		rc = cscg_noisy_fit(m, w, set, true, &loglik, err);
	return rc;
}

/*
 * Reduce *m, a rough model of a walk with slips, and assess it.  1 if there is no
 * doubt and all rows are supported, or no time is left, 0 with *m freed, -1.
 */
static int
learn_rough(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn quiet = *set;
	int rc = -1;

	quiet.report = NULL;
	(*m)->misread = 0;
	if (cscg_learn_contexts_finish(w, &quiet, m, last, err) == 0 &&
	    cscg_assess(*m, w, set, last->loglik, err) == 0)
		rc = cscg_poll_stopped(set->poll) ||
		    (!(*m)->learned->doubtful &&
			(*m)->learned->supported == (*m)->learned->rows);
	return finish_noisy(w, set, m, rc, last, err);
}

int
cscg_learn_noisy_misread(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	double loglik;
	int rc, *x;

	*m = NULL;
	rc = cscg_noisy_replace(w, set, &x, m, err);
	if (rc == 0)
		return learn_rough(w, set, m, last, err);
	if (rc > 0 &&
	    (cscg_noisy_is_certain(*m) ?
		    cscg_noisy_fit(m, w, set, true, &loglik, err) :
		    refine_misread(w, set, x, m, err)) < 0)
		rc = -1;
	free(x);
	if (rc > 0 &&
	    cscg_model_main_share(*m, -1) < cscg_learn_constants.misread_main)
		rc = 0;
	return finish_noisy(w, set, m, rc, last, err);
}
