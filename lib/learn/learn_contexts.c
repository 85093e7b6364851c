/*
 * learn_contexts.c - states of a walk with noise from contexts, alternated
 * with EM
 *
 * EM finds transitions that contexts of one step do not show, contexts split
 * and merge states that EM does not.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel/decoder.h"
#include "learn/constants.h"
#include "learn/context.h"
#include "learn/em_restarts.h"
#include "learn/learn_contexts.h"
#include "learn/learn_model.h"
#include "learn/learn_tied.h"
#include "learn/structure.h"

static const struct cscg_context_constants *const limits =
    &cscg_learn_constants.context;

/* The number of states of the symbol that has most. */
static int
most_clones(const struct cscg_model *m)
{
	int j, n = 0, most = 0;

	for (j = 0; j < m->n_states; j++) {
		n = j && m->clone[j] == m->clone[j - 1] ? n + 1 : 1;
		most = n > most ? n : most;
	}
	return most;
}

/* EM, merging and EM again from the states of f; *m is new. */
static int
fit_contexts(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_merge *f, struct cscg_model **m,
    struct cscg_learn_progress *line, struct cscg_err *err)
{
	struct cscg_learn quiet = *set;

	quiet.report = NULL;
	quiet.tolerance = limits->tolerance * set->tolerance;
	*m = cscg_learn_model_merged(f, w, set, err);
	if (!*m)
		return -1;
	quiet.iterations = limits->iterations;
	if (cscg_em_restarts(*m, w, &quiet, false, 0.5, line, err) < 0 ||
	    cscg_structure_merge_rows(m, w->n_steps, err) < 0)
		return -1;
	quiet.iterations = limits->polish;
	return cscg_em_restarts(*m, w, &quiet, false, 1, line, err);
}

/* The states of f become those of the Viterbi path of m. */
static int
decode_states(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_merge *f, struct cscg_err *err)
{
	double logp;
	long t;
	int rc = cscg_decode_viterbi(m, w, cscg_learn_kernel(set), set->simd,
	    f->state, &logp, err);

	for (t = 0; t < w->n_steps && rc == 0; t++)
		if (w->x[t] < 0)
			f->state[t] = -1;
	f->n_states = m->n_states;
	return rc;
}

/* True if a cycle changed states and log-likelihood little: convergence. */
static bool
is_settled(const struct cscg_model *m, double loglik, int n_before,
    double before)
{
	return abs(m->n_states - n_before) <=
	    limits->max_change * m->n_states &&
	    fabs(loglik - before) <= limits->max_gain * fabs(before);
}

/* Cycles of contexts and EM: the best model by BIC, or NULL. */
static int
run_cycles(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_merge *f, struct cscg_model **best, bool *settled,
    struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_learn_progress line;
	double bic, best_bic = -INFINITY, before = 0;
	int cycle, round, n_failed = 0, n_before = 0, rc = 0;

	for (cycle = 0; cycle < limits->cycles && rc == 0 &&
	     n_failed < limits->max_failed &&
	     !cscg_poll(set->poll, "contexts", cycle, limits->cycles);
	     cycle++) {
		for (round = cycle ? limits->rounds - 1 : 0;
		     round < limits->rounds && rc == 0 &&
		     f->n_states <= limits->max_states;
		     round++)
			rc = cscg_context_round(w, f, err);
		if (rc < 0 || f->n_states > limits->max_states)
			break;
		rc = fit_contexts(w, set, f, &m, &line, err);
		if (rc < 0 || (rc = decode_states(m, w, set, f, err)) < 0)
			break;
		bic = cscg_bic_noise(m, w->n_steps, line.loglik);
		cscg_learn_report_stage(set, "context", 0, cycle, m->n_states,
		    line.loglik, bic, NULL);
		*settled = most_clones(m) <= limits->max_clones &&
		    is_settled(m, line.loglik, n_before, before);
		n_before = m->n_states;
		before = line.loglik;
		n_failed = bic > best_bic ? 0 : n_failed + 1;
		if (most_clones(m) > limits->max_clones)
			n_failed = limits->max_failed;
		if (bic > best_bic) {
			best_bic = bic;
			cscg_model_free(*best);
			*best = m;
			m = NULL;
		}
		cscg_model_free(m);
		m = NULL;
	}
	cscg_model_free(m);
	return rc;
}

int
cscg_learn_contexts_finish(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	double loglik;

	how.noisy = true;
	how.tolerance = limits->tolerance * set->tolerance;
	if (cscg_structure_clean(m, w, &how, &loglik, err) < 0 ||
	    cscg_learn_tied(m, w, set, false, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states, loglik,
	    NAN, last);
	return 0;
}

int
cscg_learn_contexts(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last, bool rough,
    struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(w, err);
	bool settled = false;
	int rc;

	*m = NULL;
	rc = f && run_cycles(w, set, f, m, &settled, err) == 0 ? 1 : -1;
	cscg_merge_free(f);
	if (rc > 0 &&
	    (!*m || (!rough && !settled && !cscg_poll_stopped(set->poll)) ||
		cscg_model_main_share(*m, -1) < limits->main))
		rc = 0;
	if (rc > 0 && !rough &&
	    cscg_learn_contexts_finish(w, set, m, last, err) < 0)
		rc = -1;
	if (rc <= 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	return rc;
}
