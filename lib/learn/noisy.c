/*
 * noisy.c - observation noise in learning: misread symbols are found, replaced
 * for the structure search, and their probability is estimated
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/estep_beam.h"
#include "learn/context.h"
#include "learn/em.h"
#include "learn/merge.h"
#include "learn/noisy.h"
#include "learn/structure.h"
#include "learn/tied_noise.h"

/* Constants; tests/unit/learn/noisy.c needs them, for rooms with misreading. */
enum {
	ROUNDS = 4,     /* of contexts before EM */
	CYCLES = 3,     /* of contexts and EM */
	ITERATIONS = 8, /* of EM before states are merged ... */
	POLISH = 4,     /* ... and after */
	FINAL = 30,     /* of EM on the final model, at most */
	FAILED_MAX = 5, /* removals or merges in a row that lower BIC */
	STATES_MAX = 2000,
};
static const double BEAM_SHARE = 1e-4;
static const double MISREAD_START = 0.02;
static const double MISREAD_MIN = 4e-3; /* smaller: no misreading */
static const double CERTAIN = 0.99;  /* share of the transitions that are the
                                        likeliest of their row */
static const double MIN_COUNT = 0.5; /* expected, of a transition */

struct noisy {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	struct cscg_beam *beam;
	struct cscg_model *m; /* under EM */
	struct cscg_beam_result r;
	size_t cap_counts, cap_visits;
};

/* ---- EM ---- */

static int
expect(void *ctx, bool update, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct noisy *p = ctx;
	struct cscg_beam_result only = { 0 };

	if (cscg_beam_expect(p->beam, p->m, update ? &p->r : &only, err) < 0)
		return -1;
	line->loglik = line->objective = update ? p->r.loglik : only.loglik;
	return 0;
}

/*
 * The misreading probability: a symbol drawn by misreading may be the correct
 * one.
 */
static double
misread_of(const struct noisy *p)
{
	double K = p->w->head.n_obs;
	double q = p->r.misread * K / ((K - 1) * (double)p->r.n_observed);

	return K < 2 ? 0 : fmin(q, 0.9);
}

static int
maximise(void *ctx, struct cscg_err *err)
{
	struct noisy *p = ctx;
	long n = p->m->first[(long)p->m->n_actions * p->m->n_states], i;

	(void)err;
	for (i = 0; i < n; i++)
		p->m->count[i] = fmax(p->r.counts[i], 1e-9);
	p->m->misread = misread_of(p);
	return 0;
}

/* Drop counts below the least. */
static int
prune_counts(struct cscg_model *m, double least, struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, r, i, n = 0;
	struct cscg_count *c = cscg_alloc((size_t)m->first[rows] + 1,
	    sizeof *c, err);
	int rc;

	if (!c)
		return -1;
	for (r = 0; r < rows; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if (m->count[i] >= least)
				c[n++] = (struct cscg_count){ (int)(r /
								  m->n_states),
					(int)(r % m->n_states), m->to[i],
					m->count[i] };
	rc = cscg_model_set_counts(m, c, n, err);
	free(c);
	return rc;
}

/* EM on T and the misreading probability of p->m; counts are pruned after. */
static int
run_em(struct noisy *p, long iterations, double *loglik, struct cscg_err *err)
{
	struct cscg_model *m = p->m;
	const struct cscg_em_problem problem = { .expect = expect,
		.maximise = maximise,
		.ctx = p,
		.slack_relative = INFINITY,
		.steps = p->w->n_steps,
		.impossible = "" };
	const struct cscg_em em = { .iterations = iterations,
		.tolerance = 1e-4 };
	struct cscg_em_progress line;

	if (cscg_grow(&p->r.counts, &p->cap_counts,
		(size_t)m->first[(long)m->n_actions * m->n_states] + 1,
		sizeof *p->r.counts, err) < 0 ||
	    cscg_grow(&p->r.visits, &p->cap_visits, (size_t)m->n_states,
		sizeof *p->r.visits, err) < 0 ||
	    cscg_em(&problem, &em, &line, err) < 0)
		return -1;
	*loglik = line.loglik;
	return prune_counts(m, MIN_COUNT, err);
}

/* Remove states without transitions out of them. */
static int
drop_unused(struct cscg_model **m, struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)(*m)->n_states, sizeof *into, err);
	long rows = (long)(*m)->n_actions * (*m)->n_states, r;
	struct cscg_model *fresh = NULL;
	int j, n = 0, S = (*m)->n_states;

	if (!into)
		return -1;
	for (r = 0; r < rows; r++)
		if ((*m)->first[r + 1] > (*m)->first[r])
			into[r % S] = 1;
	for (j = 0; j < S; j++)
		into[j] = into[j] ? n++ : -1;
	if (n > 0 && n < S)
		fresh = cscg_model_merge_states(*m, into, n, err);
	free(into);
	if (n == 0 || n == S)
		return 0;
	if (!fresh)
		return -1;
	cscg_model_free(*m);
	*m = fresh;
	return 0;
}

static void
noisy_free(struct noisy *p)
{
	cscg_model_free(p->m);
	cscg_beam_free(p->beam);
	free(p->r.counts);
	free(p->r.visits);
	free(p->r.state);
}

/* The likeliest state of every step into p->r.state, new. */
static int
decode(struct noisy *p, struct cscg_err *err)
{
	free(p->r.state);
	p->r.state = cscg_alloc((size_t)p->w->n_steps, sizeof *p->r.state,
	    err);
	return p->r.state ? cscg_beam_expect(p->beam, p->m, &p->r, err) : -1;
}

/* Merge states with the same successors, then EM, until there are none. */
static int
merge_equal(struct noisy *p, double *loglik, struct cscg_err *err)
{
	struct cscg_model *fresh;
	int *into, n, rc = 0;

	do {
		into = cscg_alloc((size_t)p->m->n_states, sizeof *into, err);
		n = into && decode(p, err) == 0 ?
		    cscg_structure_refine_partition(p->m, p->r.state,
			p->w->n_steps, into, err) :
		    -1;
		fresh = n > 0 && n < p->m->n_states ?
		    cscg_model_merge_states(p->m, into, n, err) :
		    NULL;
		free(into);
		if (n < 0 || (n > 0 && n < p->m->n_states && !fresh))
			return -1;
		if (fresh) {
			cscg_model_free(p->m);
			p->m = fresh;
			rc = run_em(p, POLISH, loglik, err);
		}
	} while (fresh && rc == 0);
	return rc;
}

/* ---- misread symbols ---- */

/*
 * A rough model: states from the contexts of seen, the walk with misread
 * symbols replaced; EM on the original walk, merging, and EM again.  p->m is
 * new.
 */
static int
fit_contexts(struct noisy *p, const struct cscg_walk *seen, double misread,
    double *loglik, struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(seen, err);
	int round, rc = f ? 0 : -1;

	for (round = 0; round < ROUNDS && rc == 0 && f->n_states <= STATES_MAX;
	     round++)
		rc = cscg_context_round(seen, f, err);
	cscg_model_free(p->m);
	p->m = rc < 0 ? NULL : cscg_learn_merged_model(f, seen, p->set, err);
	cscg_merge_free(f);
	if (!p->m)
		return -1;
	p->m->misread = misread;
	if (run_em(p, ITERATIONS, loglik, err) < 0 ||
	    cscg_structure_merge_rows(&p->m, p->w->n_steps, err) < 0 ||
	    drop_unused(&p->m, err) < 0 ||
	    run_em(p, POLISH, loglik, err) < 0 ||
	    merge_equal(p, loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(p->set, "misread", 0, 0, p->m->n_states,
	    *loglik, NAN, NULL);
	return 0;
}

/* Replace the symbols that differ from that of the likeliest state. */
static int
replace_symbols(struct noisy *p, int *x, struct cscg_err *err)
{
	long t;

	if (decode(p, err) < 0)
		return -1;
	for (t = 0; t < p->w->n_steps; t++)
		x[t] = p->w->x[t] < 0 ? -1 : p->m->clone[p->r.state[t]];
	free(p->r.state);
	p->r.state = NULL;
	return 0;
}

/* True if the walk shows noise of any kind. */
static int
shows_noise(const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(w, err);
	int rc = f ? cscg_context_is_noisy(w, f, err) : -1;

	cscg_merge_free(f);
	return rc;
}

/* Cycles of contexts and EM; *best is the best model by BIC, and x its symbols. */
static int
run_cycles(struct noisy *p, int *x, struct cscg_model **best,
    struct cscg_err *err)
{
	struct cscg_walk seen = *p->w;
	double misread = MISREAD_START, loglik, bic, most = -INFINITY;
	int *next = cscg_copy(x, (size_t)p->w->n_steps, sizeof *next, err);
	int cycle, rc = next ? 1 : -1;

	seen.x = next;
	for (cycle = 0; cycle < CYCLES && rc > 0; cycle++) {
		if (fit_contexts(p, &seen, misread, &loglik, err) < 0 ||
		    replace_symbols(p, next, err) < 0) {
			rc = -1;
			break;
		}
		bic = cscg_bic(p->m, p->w->n_steps, loglik);
		misread = p->m->misread;
		if (misread < MISREAD_MIN) {
			rc = 0;
		} else if (bic > most) {
			most = bic;
			memcpy(x, next, (size_t)p->w->n_steps * sizeof *x);
			cscg_model_free(*best);
			*best = p->m;
			p->m = NULL;
			if (cscg_model_main_share(*best, -1) >= CERTAIN)
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
	struct noisy p = { .w = w, .set = set };
	int rc = shows_noise(w, err);

	*x = NULL;
	*m = NULL;
	if (rc <= 0)
		return rc;
	*x = cscg_copy(w->x, (size_t)w->n_steps, sizeof **x, err);
	p.beam = cscg_beam_new(w, BEAM_SHARE, err);
	rc = *x && p.beam ? run_cycles(&p, *x, m, err) : -1;
	if (rc <= 0) {
		free(*x);
		*x = NULL;
		cscg_model_free(*m);
		*m = NULL;
	}
	noisy_free(&p);
	return rc;
}

int
cscg_noisy_symbols(const struct cscg_model *m, const struct cscg_walk *w,
    int *x, struct cscg_err *err)
{
	struct noisy p = { .w = w };
	int rc = -1;

	p.beam = cscg_beam_new(w, BEAM_SHARE, err);
	p.m = p.beam ? cscg_model_copy(m, err) : NULL;
	if (p.m)
		rc = replace_symbols(&p, x, err);
	noisy_free(&p);
	return rc;
}

bool
cscg_noisy_is_certain(const struct cscg_model *m)
{
	return cscg_model_main_share(m, -1) >= CERTAIN;
}

/* ---- the final model ---- */

/* Replace *m by p->m if its BIC is not less; frees the other. */
static bool
keep_better(struct noisy *p, struct cscg_model **m, double loglik,
    double *best)
{
	double bic = cscg_bic(p->m, p->w->n_steps, loglik);
	bool better = bic >= *best;

	if (better) {
		cscg_model_free(*m);
		*m = p->m;
		*best = bic;
	} else {
		cscg_model_free(p->m);
	}
	p->m = NULL;
	return better;
}

/* Drop the transitions whose likelihood gain is below their BIC cost. */
static int
prune_edges(struct noisy *p, struct cscg_model **m, double *bic,
    struct cscg_err *err)
{
	double loglik, least = log((double)p->w->n_steps) / 2;

	p->m = cscg_model_copy(*m, err);
	if (!p->m || prune_counts(p->m, least, err) < 0 ||
	    drop_unused(&p->m, err) < 0 || run_em(p, POLISH, &loglik, err) < 0)
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

	p->m = cscg_model_merge_states(*m, into, n, err);
	if (!p->m || run_em(p, POLISH, &loglik, err) < 0)
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
		    (least < 0 || p->r.visits[j] < p->r.visits[least]))
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
		found = cscg_merge_candidate(m, p->w->n_steps, tried, &i, &j,
		    err);
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
		rc = cscg_beam_expect(p->beam, *m, &p->r, err);
	while (rc >= 0 && failed < FAILED_MAX) {
		n = next_smaller(p, *m, remove, tried, into, err);
		if (n <= 0) {
			rc = n;
			break;
		}
		rc = try_smaller(p, m, into, n, bic, err);
		failed = rc > 0 ? 0 : failed + 1;
		if (rc > 0) {
			memset(tried, 0, (remove ? S : S * S) * sizeof *tried);
			rc = cscg_beam_expect(p->beam, *m, &p->r, err);
		}
	}
	free(into);
	free(tried);
	return rc < 0 ? -1 : 0;
}

int
cscg_noisy_fit(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct noisy p = { .w = w, .set = set };
	double bic;
	int rc = -1;

	p.beam = cscg_beam_new(w, BEAM_SHARE, err);
	p.m = *m;
	if (p.beam && run_em(&p, FINAL, loglik, err) == 0)
		rc = merge_equal(&p, loglik, err);
	*m = p.m;
	p.m = NULL;
	if (rc == 0) {
		rc = -1;
		bic = cscg_bic(*m, w->n_steps, *loglik);
		if (prune_edges(&p, m, &bic, err) == 0 &&
		    reduce_states(&p, m, true, &bic, err) == 0 &&
		    reduce_states(&p, m, false, &bic, err) == 0) {
			p.m = *m;
			rc = run_em(&p, FINAL, loglik, err);
			p.m = NULL;
		}
	}
	noisy_free(&p);
	return rc;
}
