/* ground.c - grounded models from a schema and its binding */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/codebook.h"
#include "core/walk.h"
#include "schema/ground.h"

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
		for (last = first + 1;
		     last < m->n_states && m->clone[last] == m->clone[first];
		     last++)
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

/* The emissions of init in the alphabet of the walk. */
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
		return cscg_fail(err, CSCG_EMISMATCH,
		    "a grounded model is needed to start from, this is %s",
		    cscg_model_kind_text(init->kind));
	if (init->n_states != m->n_states)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%d states to start from do not fit the %d of the schema",
		    init->n_states, m->n_states);
	if (cscg_alphabet_map_new(&fit, &w->head, init, err) < 0)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		double *row = E + (size_t)j * K;

		for (sum = 0, x = 0; x < K; x++) {
			int y = fit.symbols[x];

			row[x] = set->bind.pseudocount +
			    (y < 0 ? 0 : cscg_model_E_unmixed(init, j, y));
			sum += row[x];
		}
		/*
		 * A state that emits none of the walk's symbols starts
		 * uniform.
		 */
		for (x = 0; x < K; x++)
			row[x] = sum > 0 ? row[x] / sum : 1.0 / (double)K;
	}
	if (set->bind.tied)
		tie_rows(m, E, K);
	cscg_alphabet_map_free(&fit);
	return 0;
}

/*
 * Make m the grounded model of w with emissions E: pi (only if it was
 * learned), names, confidence from visits[n_states][n_obs], fit from loglik.
 */
static int
ground_apply(struct cscg_model *m, const struct cscg_walk *w, bool learn_pi,
    const double *E, const double *pi, const double *visits, double loglik,
    struct cscg_err *err)
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
		return cscg_fail(err, CSCG_ERANGE,
		    "the walk has no steps: binding needs at least one");
	E = cscg_alloc(S, K * sizeof *E, err);
	visits = E ? cscg_alloc(S, K * sizeof *visits, err) : NULL;
	pi = visits ? cscg_alloc(S, sizeof *pi, err) : NULL;
	if (!pi)
		goto out;
	/* The initial distribution of another environment does not apply. */
	free(m->pi);
	m->pi = NULL;
	for (j = 0; j < S; j++)
		pi[j] = 1.0 / (double)S;
	if (which)
		*which = 0;
	if (set->init ? init_from_model(m, w, set, E, err) < 0 ||
		    cscg_bind(m, w, &set->bind, E, pi, last, err) < 0 :
			cscg_bind_restarts(m, w, &set->bind, &set->starts, E,
			    pi, last, which, err) < 0)
		goto out;
	if (cscg_bind_visits(m, w, &set->bind, E, pi, visits, err) == 0)
		rc = ground_apply(m, w, set->bind.learn_pi, E, pi, visits,
		    last->loglik, err);
out:
	free(E);
	free(pi);
	free(visits);
	return rc;
}

/* from a schema and frames to a grounded model */

struct grounding {
	struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_ground *set;
	const struct cscg_frames *f;
	size_t S, K, dim;
	int *unit, n_units;
	double *E, *pi, *visits; /* [S * K], [S], [S * K] */
	double *seen;            /* [frame * S + j] */
	struct cscg_frame_emission *frame_emission;
};

static int
grounding_new(struct grounding *p, const struct cscg_codebook *book,
    struct cscg_err *err)
{
	p->S = (size_t)p->m->n_states;
	p->K = (size_t)p->w->head.n_obs;
	p->dim = (size_t)book->dim;
	p->unit = cscg_alloc(p->S, sizeof *p->unit, err);
	p->E = cscg_alloc(p->S, p->K * sizeof *p->E, err);
	p->visits = cscg_alloc(p->S, p->K * sizeof *p->visits, err);
	p->pi = cscg_alloc(p->S, sizeof *p->pi, err);
	p->seen = cscg_alloc((size_t)p->f->n, p->S * sizeof *p->seen, err);
	if (!p->unit || !p->E || !p->visits || !p->pi || !p->seen)
		return -1;
	p->n_units = cscg_frame_emission_units(p->m, p->set->bind.tied,
	    p->unit);
	p->frame_emission = cscg_frame_emission_new(p->n_units, book->ndim,
	    book->shape, err);
	if (!p->frame_emission)
		return -1;
	p->frame_emission->sigma2 = book->sigma2;
	return 0;
}

static void
grounding_free(struct grounding *p)
{
	free(p->unit);
	free(p->E);
	free(p->visits);
	free(p->pi);
	free(p->seen);
	cscg_frame_emission_free(p->frame_emission);
}

/* Initial centroids: the emissions of the binding by symbols, weighted. */
static void
init_centroids(struct grounding *p, const struct cscg_codebook *book)
{
	size_t j, i;
	int x;

	for (j = 0; j < p->S; j++) {
		double *mu = p->frame_emission->mu +
		    (size_t)p->unit[j] * p->dim;

		p->pi[j] = p->m->pi ? p->m->pi[j] : 1.0 / (double)p->S;
		if (j && p->unit[j] == p->unit[j - 1])
			continue; /* a clone of the same group: equal row */
		for (x = 0; x < book->k; x++) {
			double e = cscg_model_E_unmixed(p->m, (int)j, x);

			for (i = 0; i < p->dim && e > 0; i++)
				mu[i] += e *
				    book->centroid[(size_t)x * p->dim + i];
		}
	}
}

/* Expected visits of each state with each symbol. */
static void
count_visits(struct grounding *p, const int *label)
{
	size_t j;
	long f;

	for (f = 0; f < p->f->n; f++)
		for (j = 0; j < p->S; j++)
			p->visits[j * p->K + (size_t)label[f]] +=
			    p->seen[(size_t)f * p->S + j];
}

/* E of a unit: its visits and the pseudocount, which sum to one. */
static void
set_emissions(struct grounding *p)
{
	double pseudocount = p->set->bind.pseudocount, sum;
	size_t first, last, j, x;

	for (first = 0; first < p->S; first = last) {
		double *row = p->E + first * p->K;

		for (last = first;
		     last < p->S && p->unit[last] == p->unit[first]; last++)
			;
		for (sum = 0, x = 0; x < p->K; x++) {
			row[x] = pseudocount;
			for (j = first; j < last; j++)
				row[x] += p->visits[j * p->K + x];
			sum += row[x];
		}
		for (x = 0; x < p->K; x++)
			row[x] = sum > 0 ? row[x] / sum : 1.0 / (double)p->K;
		for (j = first + 1; j < last; j++)
			memcpy(p->E + j * p->K, row, p->K * sizeof *row);
	}
}

/* Turn visits and centroids into the grounded model. */
static int
finish_model(struct grounding *p, struct cscg_err *err)
{
	struct cscg_bind no_update = p->set->bind;
	struct cscg_em_progress line;

	/* The log-likelihood of the symbols under these emissions. */
	no_update.iterations = 0;
	no_update.report = NULL;
	if (cscg_bind(p->m, p->w, &no_update, p->E, p->pi, &line, err) < 0 ||
	    ground_apply(p->m, p->w, no_update.learn_pi, p->E, p->pi,
		p->visits, line.loglik, err) < 0)
		return -1;
	p->m->frame_emission = p->frame_emission;
	p->frame_emission = NULL;
	return 0;
}

int
cscg_ground_gaussian(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, const struct cscg_gaussian *gaussian,
    const struct cscg_codebook *book, const int *label,
    struct cscg_em_progress *last, long *which,
    struct cscg_em_progress *gaussian_last, struct cscg_err *err)
{
	struct grounding p = {
		.m = m, .w = w, .set = set, .f = gaussian->frames
	};
	struct cscg_gaussian how = *gaussian;
	int rc = -1;

	how.sigma2 = book->sigma2;
	how.learn_pi = set->bind.learn_pi;
	if (cscg_ground(m, w, set, last, which, err) < 0 ||
	    grounding_new(&p, book, err) < 0)
		goto out;
	init_centroids(&p, book);
	if (cscg_gaussian_bind(m, w, &how, p.unit, p.n_units,
		p.frame_emission->mu, p.pi, p.seen, gaussian_last, err) < 0)
		goto out;
	count_visits(&p, label);
	set_emissions(&p);
	rc = finish_model(&p, err);
out:
	grounding_free(&p);
	return rc;
}
