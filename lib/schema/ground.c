/* ground.c - from a schema and a walk to a grounded model */
#include <stdlib.h>
#include <string.h>

#include "core/walk.h"
#include "schema/ground.h"
#include "base/mem.h"

double
cscg_ground_confidence(const double *n, const double *row, int K)
{
	double sum = 0;
	int x, best = 0;

	for (x = 0; x < K; x++) {
		sum += n[x];
		if (row[x] > row[best])
			best = x;
	}
	return (n[best] + 1.0 / K) / (sum + 1);
}

/* All rows of a group become their mean. */
static void
tie_rows(const struct cscg_model *m, double *E, size_t K)
{
	int first, last, j;
	size_t x;

	for (first = 0; first < m->n_states; first = last) {
		for (last = first + 1; last < m->n_states &&
		    m->clone[last] == m->clone[first]; last++)
			;
		for (x = 0; x < K; x++) {
			double sum = 0;

			for (j = first; j < last; j++)
				sum += E[(size_t)j * K + x];
			for (j = first; j < last; j++)
				E[(size_t)j * K + x] = sum / (last - first);
		}
	}
}

/* The looks of init in the alphabet of the walk. */
static int
init_from_model(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, double *E, struct cscg_err *err)
{
	const struct cscg_model *init = set->init;
	size_t K = (size_t)w->head.n_obs, x;
	struct cscg_alphabet_map fit;
	double sum;
	int j;

	if (init->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EMISMATCH, "a grounded model is "
		    "needed to start from, this is %s",
		    cscg_model_kind_text(init->kind));
	if (init->n_states != m->n_states)
		return cscg_fail(err, CSCG_EMISMATCH, "%d states to start from "
		    "do not fit the %d of the schema", init->n_states,
		    m->n_states);
	if (cscg_alphabet_map_new(&fit, &w->head, init, err) < 0)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		double *row = E + (size_t)j * K;

		for (sum = 0, x = 0; x < K; x++) {
			int y = fit.symbols[x];

			row[x] = set->bind.pseudocount +
			    (y < 0 ? 0 : cscg_model_E(init, j, y));
			sum += row[x];
		}
		/* A state with none of these looks may have any of them. */
		for (x = 0; x < K; x++)
			row[x] = sum > 0 ? row[x] / sum : 1.0 / (double)K;
	}
	if (set->bind.tied)
		tie_rows(m, E, K);
	cscg_alphabet_map_free(&fit);
	return 0;
}

int
cscg_ground_apply(struct cscg_model *m, const struct cscg_walk *w,
    bool learn_pi, const double *E, const double *pi, const double *visits,
    double loglik, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, K = (size_t)w->head.n_obs, j;

	cscg_model_unground(m, CSCG_CLONES);
	free(m->pi);
	m->pi = learn_pi ? cscg_copy(pi, S, sizeof *pi, err) : NULL;
	m->confidence = cscg_alloc(S, sizeof *m->confidence, err);
	if ((learn_pi && !m->pi) || !m->confidence ||
	    cscg_model_set_E(m, E, w->head.n_obs, err) < 0 ||
	    cscg_names_copy(&m->symbols, &w->head.symbols, err) < 0)
		return -1;
	for (j = 0; j < S; j++)
		m->confidence[j] = cscg_ground_confidence(visits + j * K,
		    E + j * K, w->head.n_obs);
	m->fit_steps = w->n_steps;
	m->fit_nats = -loglik / (double)w->n_steps;
	return 0;
}

int
cscg_ground(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, struct cscg_em_progress *last, long *which,
    struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, K = (size_t)w->head.n_obs, j;
	double *E = NULL, *pi = NULL, *visits = NULL;
	int rc = -1;

	if (!w->n_steps)
		return cscg_fail(err, CSCG_ERANGE, "the walk has no steps: "
		    "there is nothing to bind to");
	E = cscg_alloc(S, K * sizeof *E, err);
	visits = E ? cscg_alloc(S, K * sizeof *visits, err) : NULL;
	pi = visits ? cscg_alloc(S, sizeof *pi, err) : NULL;
	if (!pi)
		goto out;
	/* Where walks began elsewhere says nothing of this place. */
	free(m->pi);
	m->pi = NULL;
	for (j = 0; j < S; j++)
		pi[j] = 1.0 / (double)S;
	if (which)
		*which = 0;
	if (set->init ? init_from_model(m, w, set, E, err) < 0 ||
	    cscg_bind(m, w, &set->bind, E, pi, last, err) < 0 :
	    cscg_bind_restarts(m, w, &set->bind, &set->starts, E, pi, last, which,
	    err) < 0)
		goto out;
	if (cscg_bind_visits(m, w, &set->bind, E, pi, visits, err) == 0)
		rc = cscg_ground_apply(m, w, set->bind.learn_pi, E, pi, visits,
		    last->loglik, err);
out:
	free(E);
	free(pi);
	free(visits);
	return rc;
}
