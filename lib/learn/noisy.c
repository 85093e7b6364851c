/*
 * noisy.c - observation noise in learning: misread symbols are found, replaced
 * for the structure search, and their probability is estimated
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/context.h"
#include "learn/learn_model.h"
#include "learn/merge.h"
#include "learn/noisy.h"
#include "learn/noisy_em.h"
#include "learn/structure.h"

static const struct cscg_noisy_constants *const limits =
    &cscg_learn_constants.noisy;

struct noisy {
	struct cscg_noisy_em em;
	const struct cscg_learn *set;
	bool rough; /* few iterations of EM, of a model to start from */
};

/* Merge states with the same successors, then EM, until there are none. */
static int
merge_equal(struct noisy *p, double *loglik, struct cscg_err *err)
{
	struct cscg_model *fresh;
	int *into, n, rc = 0;

	do {
		into = cscg_alloc((size_t)p->em.m->n_states, sizeof *into,
		    err);
		n = into && cscg_noisy_em_decode(&p->em, err) == 0 ?
		    cscg_structure_refine_partition(p->em.m, p->em.r.state,
			p->em.w->n_steps, into, err) :
		    -1;
		fresh = n > 0 && n < p->em.m->n_states ?
		    cscg_model_merge_states(p->em.m, into, n, err) :
		    NULL;
		free(into);
		if (n < 0 || (n > 0 && n < p->em.m->n_states && !fresh))
			return -1;
		if (fresh) {
			cscg_model_free(p->em.m);
			p->em.m = fresh;
			rc = cscg_noisy_em_run(&p->em, limits->polish,
			    limits->min_count, loglik, err);
		}
	} while (fresh && rc == 0);
	return rc;
}

/* ---- misread symbols ---- */

/* States from contexts of seen, the walk as it is thought to be; new, or NULL. */
static struct cscg_merge *
find_contexts(const struct cscg_walk *seen, int rounds, struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(seen, err);
	int round, rc = f ? 0 : -1;

	for (round = 0;
	     round < rounds && rc == 0 && f->n_states <= limits->max_states;
	     round++)
		rc = cscg_context_round(seen, f, err);
	if (rc == 0)
		return f;
	cscg_merge_free(f);
	return NULL;
}

/*
 * A rough model of the states of f: EM on the walk as it is, merging, and EM
 * again.  p->em.m is new.
 */
static int
fit_contexts(struct noisy *p, const struct cscg_walk *seen,
    const struct cscg_merge *f, double misread, double *loglik,
    struct cscg_err *err)
{
	cscg_model_free(p->em.m);
	p->em.m = cscg_learn_model_merged(f, seen, p->set, err);
	if (!p->em.m)
		return -1;
	p->em.m->misread = misread;
	if (cscg_noisy_em_run(&p->em,
		p->rough ? limits->polish : limits->iterations,
		limits->min_count, loglik, err) < 0 ||
	    cscg_structure_merge_rows(&p->em.m, p->em.w->n_steps, err) < 0 ||
	    cscg_noisy_em_drop_unused(&p->em.m, err) < 0 ||
	    cscg_noisy_em_run(&p->em, limits->polish, limits->min_count,
		loglik, err) < 0 ||
	    merge_equal(p, loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(p->set, "misread", 0, 0, p->em.m->n_states,
	    *loglik, NAN, NULL);
	return 0;
}

int
cscg_noisy_contexts(const struct cscg_walk *w, const struct cscg_learn *set,
    long states_max, struct cscg_model **m, struct cscg_err *err)
{
	struct noisy p = { .set = set, .rough = true };
	struct cscg_merge *f = find_contexts(w, limits->rough_rounds, err);
	double loglik;
	int rc = f ? f->n_states <= states_max : -1;

	*m = NULL;
	if (rc > 0 &&
	    (cscg_noisy_em_new(&p.em, w, limits->rough_share, err) < 0 ||
		fit_contexts(&p, w, f, cscg_learn_constants.misread_start,
		    &loglik, err) < 0))
		rc = -1;
	if (rc > 0) {
		*m = p.em.m;
		p.em.m = NULL;
	}
	cscg_noisy_em_free(&p.em);
	cscg_merge_free(f);
	return rc;
}

/* Replace the symbols that differ from that of the likeliest state. */
static int
replace_symbols(struct noisy *p, int *x, struct cscg_err *err)
{
	long t;

	if (cscg_noisy_em_decode(&p->em, err) < 0)
		return -1;
	for (t = 0; t < p->em.w->n_steps; t++)
		x[t] = p->em.w->x[t] < 0 ? -1 :
					   p->em.m->clone[p->em.r.state[t]];
	free(p->em.r.state);
	p->em.r.state = NULL;
	return 0;
}

/* Cycles of contexts and EM; *best is the best model by BIC, and x its symbols. */
static int
run_cycles(struct noisy *p, int *x, struct cscg_model **best,
    struct cscg_err *err)
{
	struct cscg_walk seen = *p->em.w;
	struct cscg_merge *f;
	double misread = cscg_learn_constants.misread_start, loglik, bic,
	       most = -INFINITY;
	int *next = cscg_copy(x, (size_t)p->em.w->n_steps, sizeof *next, err);
	int cycle, rc = next ? 1 : -1;

	seen.x = next;
	for (cycle = 0; cycle < limits->cycles && rc > 0; cycle++) {
		f = find_contexts(&seen, limits->rounds, err);
		rc = f &&
			fit_contexts(p, &seen, f, misread, &loglik, err) ==
			    0 &&
			replace_symbols(p, next, err) == 0 ?
		    1 :
		    -1;
		cscg_merge_free(f);
		if (rc < 0)
			break;
		bic = cscg_bic(p->em.m, p->em.w->n_steps, loglik);
		misread = p->em.m->misread;
		if (misread < cscg_learn_constants.min_misread) {
			rc = 0;
			cscg_model_free(*best);
			*best = p->em.m;
			p->em.m = NULL;
		} else if (bic > most) {
			most = bic;
			memcpy(x, next, (size_t)p->em.w->n_steps * sizeof *x);
			cscg_model_free(*best);
			*best = p->em.m;
			p->em.m = NULL;
			if (cscg_model_main_share(*best, -1) >=
			    limits->certain)
				break;
		} else {
			break;
		}
	}
	free(next);
	return rc;
}

int
cscg_noisy_replace(const struct cscg_walk *w, const struct cscg_learn *set,
    int **x, struct cscg_model **m, struct cscg_err *err)
{
	struct noisy p = { .set = set };
	int rc;

	*x = NULL;
	*m = NULL;
	*x = cscg_copy(w->x, (size_t)w->n_steps, sizeof **x, err);
	rc = *x && cscg_noisy_em_new(&p.em, w, limits->beam_share, err) == 0 ?
	    run_cycles(&p, *x, m, err) :
	    -1;
	if (rc <= 0) {
		free(*x);
		*x = NULL;
	}
	if (rc < 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	cscg_noisy_em_free(&p.em);
	return rc;
}

int
cscg_noisy_symbols(const struct cscg_model *m, const struct cscg_walk *w,
    int *x, struct cscg_err *err)
{
	struct noisy p = { 0 };
	int rc = -1;

	if (cscg_noisy_em_new(&p.em, w, limits->beam_share, err) == 0)
		p.em.m = cscg_model_copy(m, err);
	if (p.em.m)
		rc = replace_symbols(&p, x, err);
	cscg_noisy_em_free(&p.em);
	return rc;
}

bool
cscg_noisy_is_certain(const struct cscg_model *m)
{
	return cscg_model_main_share(m, -1) >= limits->certain;
}

/* ---- the final model ---- */

/* Replace *m by p->em.m if its BIC is not less; frees the other. */
static bool
keep_better(struct noisy *p, struct cscg_model **m, double loglik,
    double *best)
{
	double bic = cscg_bic(p->em.m, p->em.w->n_steps, loglik);
	bool better = bic >= *best;

	if (better) {
		cscg_model_free(*m);
		*m = p->em.m;
		*best = bic;
	} else {
		cscg_model_free(p->em.m);
	}
	p->em.m = NULL;
	return better;
}

/* Drop the transitions whose likelihood gain is below their BIC cost. */
static int
prune_edges(struct noisy *p, struct cscg_model **m, double *bic,
    struct cscg_err *err)
{
	double loglik, least = log((double)p->em.w->n_steps) / 2;

	p->em.m = cscg_model_copy(*m, err);
	if (!p->em.m || cscg_noisy_em_prune(p->em.m, least, err) < 0 ||
	    cscg_noisy_em_drop_unused(&p->em.m, err) < 0 ||
	    cscg_noisy_em_run(&p->em, limits->polish, limits->min_count,
		&loglik, err) < 0)
		return -1;
	keep_better(p, m, loglik, bic);
	return 0;
}

/*
 * Merge states of *m by into (-1: removed) and run EM; keep the result if its
 * BIC is not less.  1 if so, 0 if not, -1.
 */
static int
try_smaller(struct noisy *p, struct cscg_model **m, const int *into, int n,
    double *bic, struct cscg_err *err)
{
	double loglik;

	p->em.m = cscg_model_merge_states(*m, into, n, err);
	if (!p->em.m ||
	    cscg_noisy_em_run(&p->em, limits->polish, limits->min_count,
		&loglik, err) < 0)
		return -1;
	return keep_better(p, m, loglik, bic);
}

/* The least visited state that was not tried, -1: none. */
static int
least_visited(const struct noisy *p, const struct cscg_model *m,
    const bool *tried)
{
	int j, least = -1;

	for (j = 0; j < m->n_states; j++)
		if (!tried[j] &&
		    (least < 0 || p->em.r.visits[j] < p->em.r.visits[least]))
			least = j;
	return least;
}

/*
 * The next state to remove, or pair of states of one symbol to merge: into has
 * the new numbers.  Returns the number of states, 0 if nothing is left to try,
 * -1.
 */
static int
next_smaller(const struct noisy *p, const struct cscg_model *m, bool remove,
    bool *tried, int *into, struct cscg_err *err)
{
	int i = -1, j, n = 0, k, found = 1;

	if (remove) {
		i = least_visited(p, m, tried);
		j = -1;
		if (i >= 0)
			tried[i] = true;
	} else {
		found = cscg_merge_candidate(m, p->em.w->n_steps, tried, &i,
		    &j, err);
	}
	if (found <= 0 || i < 0 || m->n_states < 2)
		return found < 0 ? -1 : 0;
	for (k = 0; k < m->n_states; k++)
		into[k] = remove && k == i ? -1 :
		    !remove && k == j      ? into[i] :
					     n++;
	return n;
}

/* Remove states (or merge pairs) as long as BIC improves. */
static int
reduce_states(struct noisy *p, struct cscg_model **m, bool remove, double *bic,
    struct cscg_err *err)
{
	size_t S = (size_t)(*m)->n_states;
	int *into = cscg_alloc(S, sizeof *into, err), n, rc = -1, failed = 0;
	bool *tried = cscg_alloc(remove ? S : S * S, sizeof *tried, err);

	if (into && tried)
		rc = cscg_beam_expect(p->em.beam, *m, &p->em.r, err);
	while (rc >= 0 && failed < limits->max_failed) {
		n = next_smaller(p, *m, remove, tried, into, err);
		if (n <= 0) {
			rc = n;
			break;
		}
		rc = try_smaller(p, m, into, n, bic, err);
		failed = rc > 0 ? 0 : failed + 1;
		if (rc > 0) {
			memset(tried, 0, (remove ? S : S * S) * sizeof *tried);
			rc = cscg_beam_expect(p->em.beam, *m, &p->em.r, err);
		}
	}
	free(into);
	free(tried);
	return rc < 0 ? -1 : 0;
}

int
cscg_noisy_fit(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool reduce, double *loglik,
    struct cscg_err *err)
{
	struct noisy p = { .set = set };
	double bic;
	int rc = -1;

	if (cscg_noisy_em_new(&p.em, w, limits->beam_share, err) < 0) {
		cscg_noisy_em_free(&p.em);
		return -1;
	}
	p.em.m = *m;
	if (cscg_noisy_em_run(&p.em, reduce ? limits->last : limits->polish,
		limits->min_count, loglik, err) == 0)
		rc = reduce ? merge_equal(&p, loglik, err) : 0;
	*m = p.em.m;
	p.em.m = NULL;
	if (rc == 0 && reduce) {
		rc = -1;
		bic = cscg_bic(*m, w->n_steps, *loglik);
		if (prune_edges(&p, m, &bic, err) == 0 &&
		    reduce_states(&p, m, true, &bic, err) == 0 &&
		    reduce_states(&p, m, false, &bic, err) == 0) {
			p.em.m = *m;
			rc = cscg_noisy_em_run(&p.em, limits->last,
			    limits->min_count, loglik, err);
			p.em.m = NULL;
		}
	}
	cscg_noisy_em_free(&p.em);
	return rc;
}
