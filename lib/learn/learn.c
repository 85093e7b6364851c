/*
 * learn.c - learning of a model from a walk: clones per symbol (given or by
 * BIC), initialisation, EM, structure
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/decoder.h"
#include "learn/alergia.h"
#include "learn/assess.h"
#include "learn/clones.h"
#include "learn/constants.h"
#include "learn/context.h"
#include "learn/em_select.h"
#include "learn/holdout.h"
#include "learn/merge.h"
#include "learn/merge_beam.h"
#include "learn/learn.h"
#include "learn/noisy.h"
#include "learn/outward.h"
#include "learn/structure.h"
#include "learn/em_restarts.h"
#include "learn/tied_noise.h"

/*
 * Initialisation without given clones: state merging, or model selection by
 * BIC
 */

/* Graphs found by state merging (merge.h); each may be NULL. */
struct merges {
	struct cscg_merge *evidence, *inverses;
};

/*
 * Merge the states of the walk, by inverse actions as well if the graph found
 * by evidence is not complete (a beam, then guesses): 1 with the model of the
 * graph of less cost, 0 if neither has nearly all steps, -1.
 */
static int learn_by_merging(const struct cscg_walk *w,
    const struct cscg_learn *set, struct merges *found, struct cscg_model **m,
    struct cscg_err *err);

/*
 * 1 with the new, reduced model of a graph found by merging with inverse
 * actions, possibly of a part of the walk; 0 if there is none, -1.
 */
static int learn_by_inverses(const struct cscg_walk *w,
    const struct cscg_learn *set, const struct cscg_merge *f,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err);

/*
 * For a walk with noise: states from contexts (context.h) and EM alternately,
 * as long as BIC improves.  EM finds transitions that contexts of one step do
 * not show, contexts split and merge states that EM does not.  1 if the states
 * converged and transitions are nearly deterministic: *m is the new, reduced
 * model.  0 if not, and *m is NULL; -1 with err filled.  A rough model is not
 * reduced, and its states need not converge.
 */
static int learn_by_contexts(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, bool rough, struct cscg_err *err);

/* Reduce a model of contexts and tie its noise. */
static int finish_contexts(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

/* Add clones until BIC no longer improves: *m is new, reduced or raw. */
static int learn_select_clones(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

/*
 * Start with one clone of each symbol and split states; replaces *m if its BIC
 * is better.  In a nearly deterministic environment it mostly is, since an
 * ambiguous successor then implies that states are wrongly merged.
 */
static int learn_by_splits(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

static const struct cscg_kernel *
kernel_of(const struct cscg_learn *set)
{
	return set->is_double ? &cscg_plain_double : &cscg_plain_float;
}

/* A copy of the initial model, with the settings of this run. */
static struct cscg_model *
start_from_model(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *m;

	if (set->init->kind != CSCG_GROUNDED || set->init->e_first) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "a grounded model with emissions by clone is needed to "
		    "start from");
		return NULL;
	}
	/* walk.h ensures equality; later code does not check it. */
	if (set->init->n_actions != w->head.n_actions ||
	    set->init->n_obs != w->head.n_obs) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "the model to start from has %d actions and %d symbols, "
		    "the walk %d and %d",
		    set->init->n_actions, set->init->n_obs, w->head.n_actions,
		    w->head.n_obs);
		return NULL;
	}
	m = cscg_model_copy(set->init, err);
	if (!m)
		return NULL;
	m->pseudocount = set->pseudocount;
	m->is_double = set->is_double;
	if ((!m->actions.n &&
		cscg_names_copy(&m->actions, &w->head.actions, err) < 0) ||
	    (!m->symbols.n &&
		cscg_names_copy(&m->symbols, &w->head.symbols, err) < 0)) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

struct loglik_ctx {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
walk_loglik(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	struct loglik_ctx *on = ctx;

	return cscg_learn_loglik(m, on->w, on->set, loglik, err);
}

/*
 * EM on a copy of *m, whose noise is tied, reduction, and tied noise again: the
 * copy replaces *m if its BIC is better.  1 if so, 0, or -1.
 */
static int
tie_again(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_tied_noise_walk *walk,
    double *loglik, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct cscg_learn_progress line;
	struct cscg_model *next = cscg_model_copy(*m, err);
	double tied;
	int rc = -1;

	how.report = NULL;
	how.iterations = cscg_learn_constants.tie_iterations;
	how.noisy = true;
	if (next &&
	    cscg_em_restarts(next, w, &how, false, 0, &line, err) == 0 &&
	    cscg_structure_clean(&next, w, &how, &tied, err) == 0)
		rc = cscg_tied_noise_fit(&next, walk, &tied, err);
	if (rc > 0 &&
	    cscg_bic_noise(next, w->n_steps, tied) >
		cscg_bic_noise(*m, w->n_steps, *loglik)) {
		cscg_model_free(*m);
		*m = next;
		*loglik = tied;
		return 1;
	}
	cscg_model_free(next);
	return rc < 0 ? -1 : 0;
}

/*
 * Estimate transition noise from all rows of an action together.  With it EM
 * may find that another successor of a row is the main one, and reduction that
 * two states are one, unless the number of states is given or final.  Without
 * a pseudocount tied rows may make a transition of the walk impossible, and EM
 * cannot start from them.
 */
static int
tie_noise(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool final, double *loglik,
    struct cscg_err *err)
{
	struct loglik_ctx on = { w, set };
	struct cscg_tied_noise_walk walk = { w->n_steps, walk_loglik, &on };
	double tied;
	int rc, round;

	if (set->raw || set->untied_noise || cscg_poll_stopped(set->poll))
		return 0;
	rc = cscg_tied_noise_fit(m, &walk, &tied, err);
	if (rc <= 0)
		return rc;
	for (round = 0; round < cscg_learn_constants.tie_rounds && rc > 0 &&
	     !final && !set->clones && !set->init && set->pseudocount > 0 &&
	     !cscg_poll_stopped(set->poll);
	     round++)
		rc = tie_again(m, w, set, &walk, &tied, err);
	if (rc < 0)
		return -1;
	*loglik = tied;
	cscg_learn_report_stage(set, "tied-noise", 0, 0, (*m)->n_states, tied,
	    NAN, NULL);
	return 0;
}

static bool
nothing_observed(const struct cscg_walk *w)
{
	long t;

	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			return false;
	return true;
}

/* A long walk without actions: text, strings. */
static bool
is_text(const struct cscg_walk *w)
{
	return w->head.n_actions == 1 &&
	    w->n_steps >= cscg_learn_constants.dense_steps;
}

/*
 * True if the source has no sparse graph: text, of which state merging assigns
 * few steps.  Reduction by BIC would then only lower the likelihood.
 */
static bool
is_dense(const struct cscg_walk *w, const struct merges *found)
{
	return is_text(w) &&
	    !(found->evidence &&
		found->evidence->assigned >=
		    cscg_learn_constants.nearly_merged);
}

/*
 * The model of a walk for which state merging fails: the best by BIC of
 * merging with inverse actions, more clones, and splits.  0, or -1 with err
 * filled.
 */
static int
select_model(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct merges *found, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *by_inverses = NULL;
	struct cscg_learn_progress line;
	bool nearly_deterministic = found->evidence &&
	    found->evidence->assigned >= cscg_learn_constants.nearly_merged;

	if (learn_by_inverses(w, set, found->inverses, &by_inverses, &line,
		err) < 0 ||
	    learn_select_clones(w, set, m, last, err) < 0 ||
	    (!set->raw && nearly_deterministic &&
		!cscg_poll_stopped(set->poll) &&
		learn_by_splits(w, set, m, last, err) < 0)) {
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

/* Results of learn_structure() besides the model. */
struct structured {
	struct cscg_learn_progress last;
	bool settled; /* plain EM need not be tried: explains_walk(), or
	                 contexts of a noisy walk have converged */
};

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

/*
 * The graph of m after Viterbi training replaces *reduced if it is
 * deterministic and *reduced is not: with few visits, reduction merges states
 * that state merging has distinguished.
 */
static int
keep_deterministic(struct cscg_model **reduced, struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_learn *set, double *loglik,
    struct cscg_err *err)
{
	int *path = cscg_alloc((size_t)w->n_steps, sizeof *path, err), rc = -1;
	struct cscg_model *old = *reduced;
	double logp;

	if (path)
		rc = cscg_viterbi_train(m, w, kernel_of(set), set->simd,
		    cscg_learn_constants.viterbi_rounds, path, &logp, err);
	free(path);
	if (rc < 0 || !cscg_learn_is_deterministic(m) ||
	    cscg_learn_loglik(m, w, set, &logp, err) < 0) {
		cscg_model_free(m);
		return rc;
	}
	*reduced = m;
	*loglik = logp;
	cscg_model_free(old);
	return 0;
}

/* EM and reduction of the model *m of merged states. */
static int
finish_merged(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct structured *out, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct cscg_model *graph;
	double loglik;
	int rc;

	how.split = true;
	if (cscg_em_restarts(*m, w, set, false, 0, &out->last, err) < 0)
		return -1;
	if (set->raw)
		return 0;
	graph = cscg_model_copy(*m, err);
	if (!graph)
		return -1;
	rc = cscg_structure_clean(m, w, &how, &loglik, err);
	if (rc == 0 && !cscg_learn_is_deterministic(*m))
		rc = keep_deterministic(m, graph, w, set, &loglik, err);
	else
		cscg_model_free(graph);
	if (rc < 0 || tie_noise(m, w, set, false, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states, loglik,
	    NAN, &out->last);
	out->settled = explains_walk(*m, w, set, loglik);
	return 0;
}

/*
 * Evidence leaves out the steps of states with few visits, and EM does not find
 * them: replace *m by a graph of the beam that explains the walk.
 */
static int
try_beam(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct structured *out, struct cscg_err *err)
{
	struct structured found = { 0 };
	struct cscg_merge *f;
	struct cscg_model *beam = NULL;
	int rc = cscg_merge_beam(w, set->poll, &f, err);

	if (rc > 0 && f->complete) {
		beam = cscg_learn_merged_model(f, w, set, err);
		rc = beam ? finish_merged(w, set, &beam, &found, err) : -1;
	}
	if (rc == 0 && beam && cscg_learn_is_deterministic(beam)) {
		cscg_model_free(*m);
		*m = beam;
		*out = found;
	} else {
		cscg_model_free(beam);
	}
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

/* Model selection where state merging fails; *m NULL: the source is dense. */
static int
finish_selected(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct merges *found, struct cscg_model **m, struct structured *out,
    struct cscg_err *err)
{
	double loglik;

	if (!set->raw && is_dense(w, found))
		return 0;
	if (select_model(w, set, found, m, &out->last, err) < 0)
		return -1;
	loglik = out->last.loglik;
	if (tie_noise(m, w, set, false, &loglik, err) < 0)
		return -1;
	/* The last model reported need not be the one selected. */
	cscg_learn_report_stage(set, "final", out->last.restart,
	    out->last.iteration, (*m)->n_states, loglik, out->last.objective,
	    &out->last);
	out->settled = explains_walk(*m, w, set, loglik);
	return 0;
}

/*
 * The structure of the walk, without given clones: contexts if the walk is
 * noisy, state merging, or model selection by BIC.  *m is
 * new, or NULL if the walk has no actions and state merging assigns few of its
 * steps.  0, or -1 with err filled.
 */
static int
learn_structure(const struct cscg_walk *w, const struct cscg_learn *set,
    bool noisy, struct cscg_model **m, struct structured *out,
    struct cscg_err *err)
{
	struct merges found = { NULL, NULL };
	int rc = 0;

	*m = NULL;
	*out = (struct structured){ 0 };
	if (noisy)
		rc = learn_by_contexts(w, set, m, &out->last, false, err);
	if (rc != 0) {
		out->settled = w->head.n_actions > 1;
		return rc < 0 ? -1 : 0;
	}
	rc = learn_by_merging(w, set, &found, m, err);
	if (rc > 0) {
		rc = finish_merged(w, set, m, out, err);
		if (rc == 0 && !set->raw && !found.inverses &&
		    !cscg_learn_is_deterministic(*m))
			rc = try_beam(w, set, m, out, err);
	} else if (rc == 0) {
		rc = finish_selected(w, set, &found, m, out, err);
	}
	cscg_merge_free(found.evidence);
	cscg_merge_free(found.inverses);
	if (rc < 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	return rc;
}

/* A state without counts for each symbol that has none; replaces *m. */
static int
add_symbols(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	const struct cscg_model *old = *m;
	int S = old->n_states, *clones, *number, j, k, a;
	struct cscg_model *all = NULL;
	struct cscg_count *c;
	long n = old->first[(long)old->n_actions * S], i;

	clones = cscg_alloc((size_t)old->n_obs, sizeof *clones, err);
	number = cscg_alloc((size_t)S, sizeof *number, err);
	c = cscg_alloc((size_t)n, sizeof *c, err);
	if (clones && number && c) {
		for (j = 0; j < S; j++)
			clones[old->clone[j]]++;
		for (j = 0; j < old->n_obs; j++)
			clones[j] += !clones[j];
		all = cscg_learn_new_model(w, set, clones, err);
	}
	if (all) {
		for (j = k = 0; j < S; number[j++] = k++)
			while (all->clone[k] != old->clone[j])
				k++;
		for (a = 0; a < old->n_actions; a++)
			for (j = 0; j < S; j++)
				for (i = old->first[(long)a * S + j];
				     i < old->first[(long)a * S + j + 1]; i++)
					c[i] = (struct cscg_count){ a,
						number[j], number[old->to[i]],
						old->count[i] };
		all->pseudocount = old->pseudocount;
		if (cscg_model_set_counts(all, c, n, err) < 0) {
			cscg_model_free(all);
			all = NULL;
		}
	}
	free(clones);
	free(number);
	free(c);
	if (!all)
		return -1;
	cscg_model_free(*m);
	*m = all;
	return 0;
}

/* The held-out log-likelihood of the structure found in each fold. */
static int
score_structure(const struct cscg_holdout *h, const struct cscg_learn *set,
    bool noisy, double *held, struct cscg_err *err)
{
	struct cscg_learn quiet = *set;
	struct structured out;
	struct cscg_model *m;
	double loglik;
	int f, rc = 0;

	quiet.report = NULL;
	quiet.estep_ranks = NULL;
	*held = 0;
	for (f = 0; f < h->n_folds && rc == 0; f++) {
		rc = learn_structure(h->train[f], &quiet, noisy, &m, &out,
		    err);
		if (rc == 0 && !m) {
			*held = -INFINITY;
			break;
		}
		if (rc == 0)
			rc = add_symbols(&m, h->w, set, err);
		if (rc == 0)
			rc = cscg_holdout_loglik(h, f, m, kernel_of(set),
			    set->simd, &loglik, err);
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

/*
 * The best by held-out likelihood of the structure *m, or NULL, and the
 * candidates above; replaces *m.
 */
static int
compare_with_em(const struct cscg_walk *w, const struct cscg_learn *set,
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
		rc = add_symbols(m, w, set, err);
	}
	if (rc == 0)
		cscg_learn_report_stage(set, "final", last->restart,
		    last->iteration, (*m)->n_states, last->loglik, NAN, last);
	cscg_model_free(found);
	cscg_holdout_free(h);
	return rc;
}

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
	rc = learn_by_contexts(&seen, set, m, &line, true, err);
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
	if (finish_contexts(w, &quiet, m, last, err) == 0 &&
	    cscg_assess(*m, w, set, last->loglik, err) == 0)
		rc = cscg_poll_stopped(set->poll) ||
		    (!(*m)->learned->doubtful &&
			(*m)->learned->supported == (*m)->learned->rows);
	return finish_noisy(w, set, m, rc, last, err);
}

/*
 * A model with a misreading probability, if the walk shows that symbols are
 * misread: the structure of the walk with misread symbols replaced.  Otherwise
 * the rough model of the walk, if there is no doubt.  1 with *m new, 0 if there
 * is none, -1 with err filled.
 */
static int
learn_misread(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
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

/*
 * The graph of a walk with noise, from landmarks outward.  1 with *m new, 0 if
 * there is none, -1 with err filled.
 */
static int
learn_outward(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
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
	    tie_noise(m, w, &how, distinct, &loglik, err) < 0)
		rc = -1;
	return finish_noisy(w, set, m, rc, last, err);
}

/*
 * True if an assessed graph needs no comparison with others: no doubt, or only
 * a few rows with more noise than others, which the others would have as well.
 * With misread symbols and without transition noise, a state for two nodes
 * shows in its transitions.
 */
static bool
is_sure(const struct cscg_model *m)
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
		rc = tie_noise(m, w, &how, true, &loglik, err);
	rc = finish_noisy(w, &how, m, rc < 0 ? -1 : 1, last, err);
	if (rc < 0 || cscg_assess(*m, w, set, last->loglik, err) < 0)
		return -1;
	if (!is_sure(*m) || (*m)->learned->doubtful ||
	    (*m)->learned->rows < (long)(*m)->n_states * (*m)->n_actions)
		return 0;
	cscg_learn_report_progress(set, last, NULL);
	return 1;
}

/* True if every symbol of w has a state, or may be a misread one. */
static bool
has_symbols(const struct cscg_model *m, const struct cscg_walk *w)
{
	long t;
	int j;

	for (t = 0; t < w->n_steps && !(m->misread > 0); t++) {
		for (j = 0; j < m->n_states && m->clone[j] != w->x[t]; j++)
			;
		if (j == m->n_states && w->x[t] >= 0)
			return false;
	}
	return true;
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
		rc = has_symbols(*m, w) ? fit_whole(w, set, m, last, err) : 0;
	if (rc <= 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	return rc;
}

/*
 * The graph of a walk with noise by a part of its steps: the first ones, half
 * as many more each time.  1 with *m new if it is sure, 0, or -1.
 */
static int
learn_parts(const struct cscg_walk *w, const struct cscg_learn *set,
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

/* A model of a walk without noise, or of which the noise hides the graph. */
static int
learn_other(const struct cscg_walk *w, const struct cscg_learn *set,
    bool noisy, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct structured out;
	int rc = learn_structure(w, set, noisy, m, &out, err);

	*last = out.last;
	if (rc == 0 && !set->raw && !out.settled &&
	    w->n_steps >= CSCG_HOLDOUT_MIN_STEPS &&
	    !(*m && cscg_poll_stopped(set->poll)))
		rc = compare_with_em(w, set, noisy, m, last, err);
	return rc;
}

/* A model without given clones. */
static struct cscg_model *
learn_any(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *outward = NULL, *m = NULL;
	struct cscg_learn_progress line = { 0 };
	bool tested = !set->raw && set->pseudocount > 0 && !is_text(w);
	bool has_actions = w->head.n_actions > 1;
	int noisy = tested ? cscg_context_is_noisy(w, set->poll, err) : 0;
	int rc = 0;

	if (noisy > 0 && has_actions)
		rc = learn_parts(w, set, &m, last, err);
	if (noisy < 0 || rc != 0)
		return m;
	if (noisy > 0 && has_actions)
		rc = learn_outward(w, set, &outward, last, err);
	if (rc < 0)
		return NULL;
	if (outward) {
		if (cscg_assess(outward, w, set, last->loglik, err) < 0) {
			cscg_model_free(outward);
			return NULL;
		}
		if (is_sure(outward) || cscg_poll_stopped(set->poll))
			return outward;
	}
	if (noisy && has_actions)
		rc = learn_misread(w, set, &m, &line, err);
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
	    start_from_model(w, set, err) :
	    cscg_learn_new_model(w, set, set->clones, err);
	double loglik;

	if (!m || cscg_em_restarts(m, w, set, !set->init, 0, last, err) < 0 ||
	    (!set->raw &&
		(cscg_structure_clean(&m, w, set, &loglik, err) < 0 ||
		    tie_noise(&m, w, set, false, &loglik, err) < 0))) {
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

/*
 * Model selection: the number of clones of each symbol
 *
 * A walk with noise is learned from contexts (learn_by_contexts()), if that
 * converges.  A deterministic walk is reduced to its graph by state merging
 * (merge.c), which EM then hardly changes.  Unless its graph is complete,
 * merging with guesses (merge_inverse.c) is tried, and the graph of less cost
 * is used.  If neither has nearly all steps, the model of the latter is used
 * only if its BIC is better than that of the following.  Clones are added in
 * proportion to the number of observations of a symbol, twice as many each
 * time, until two additions in a row do not raise the log-likelihood by
 * ln(steps)/2 for each edge they add (the BIC rule, counted on the reduced
 * graph).
 */

struct cscg_model *
cscg_learn_new_model(const struct cscg_walk *w, const struct cscg_learn *set,
    const int *clones, struct cscg_err *err)
{
	struct cscg_model *m;
	long n = 0;
	int x, i, j = 0;

	for (x = 0; x < w->head.n_obs; x++)
		n += clones[x];
	if (n < 1 || n > CSCG_STATE_MAX) {
		cscg_fail(err, CSCG_ERANGE,
		    "%ld clones in all are outside 1..%d", n, CSCG_STATE_MAX);
		return NULL;
	}
	m = cscg_model_new(CSCG_GROUNDED, (int)n, w->head.n_actions,
	    w->head.n_obs, err);
	if (!m)
		return NULL;
	for (x = 0; x < w->head.n_obs; x++)
		for (i = 0; i < clones[x]; i++)
			m->clone[j++] = x;
	m->pseudocount = set->pseudocount;
	m->is_double = set->is_double;
	if (cscg_names_copy(&m->actions, &w->head.actions, err) < 0 ||
	    cscg_names_copy(&m->symbols, &w->head.symbols, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

struct cscg_model *
cscg_learn_merged_model(const struct cscg_merge *f, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_count *buf = NULL;
	int *clones = NULL, *number = NULL, i, j;
	long t, n = 0, *seen = NULL;

	clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	number = cscg_alloc((size_t)f->n_states, sizeof *number, err);
	buf = cscg_alloc((size_t)w->n_steps, sizeof *buf, err);
	seen = cscg_clones_count_symbols(w, err);
	if (!clones || !number || !buf || !seen)
		goto out;
	for (i = 0; i < f->n_states; i++)
		clones[f->symbol[i]]++;
	for (i = 0; i < w->head.n_obs; i++)
		if (seen[i] && !clones[i])
			clones[i] = 1;
	m = cscg_learn_new_model(w, set, clones, err);
	if (!m)
		goto out;
	for (i = j = 0; i < f->n_states; i++) {
		while (m->clone[j] != f->symbol[i])
			j++;
		number[i] = j++;
	}
	for (t = 1; t < w->n_steps; t++) {
		if (w->a[t - 1] < 0 || (w->reset && w->reset[t]) ||
		    f->state[t - 1] < 0 || f->state[t] < 0)
			continue;
		buf[n].a = w->a[t - 1];
		buf[n].from = number[f->state[t - 1]];
		buf[n].to = number[f->state[t]];
		buf[n++].c = 1;
	}
	if (cscg_model_set_counts(m, buf, n, err) < 0) {
		cscg_model_free(m);
		m = NULL;
	}
out:
	free(clones);
	free(number);
	free(buf);
	free(seen);
	return m;
}

/* True if graph f, or NULL, is better than g: complete, then of less cost. */
static bool
is_better(const struct cscg_merge *f, const struct cscg_merge *g)
{
	if (!f || !g)
		return f;
	return f->complete != g->complete ? f->complete : f->cost < g->cost;
}

/*
 * The better graph by inverse actions of the beam, if it is used, and of
 * guesses, if that of the beam is not complete: 0 with *best new or NULL, -1.
 */
static int
merge_inverses(const struct cscg_walk *w, const struct cscg_learn *set,
    bool beam, struct cscg_merge **best, struct cscg_err *err)
{
	struct cscg_merge *guessed;

	if (beam && cscg_merge_beam(w, set->poll, best, err) < 0)
		return -1;
	if (*best && (*best)->complete)
		return 0;
	if (cscg_merge_by_inverses(w, set->seed, set->poll, &guessed, err) < 0)
		return -1;
	if (is_better(guessed, *best)) {
		cscg_merge_free(*best);
		*best = guessed;
	} else {
		cscg_merge_free(guessed);
	}
	return 0;
}

/*
 * A complete graph by evidence of the walk without its last steps, twice as many
 * each time.  In a large room with few symbols the first merges rest on little
 * evidence, and a wrong one ends the search; another number of steps changes
 * their order.  1 with the model of that graph, 0 if there is none, -1.
 */
static int
merge_most(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_err *err)
{
	struct cscg_walk *part, *rest;
	struct cscg_merge *f = NULL;
	double cut = cscg_learn_constants.merge_cut;
	int i, rc = 0;

	for (i = 0; i < cscg_learn_constants.merge_parts && rc == 0 &&
	     !cscg_poll_stopped(set->poll);
	     i++, cut *= 2) {
		rc = cscg_walk_split(w, cut, &part, &rest, err);
		cscg_walk_free(rest);
		if (rc == 0 &&
		    cscg_merge(part, SIZE_MAX, set->poll, &f, err) < 0)
			rc = -1;
		if (rc == 0 && f && f->complete) {
			*m = cscg_learn_merged_model(f, part, set, err);
			rc = !*m ? -1 : has_symbols(*m, w);
		}
		if (rc == 0) {
			cscg_model_free(*m);
			*m = NULL;
		}
		cscg_merge_free(f);
		f = NULL;
		cscg_walk_free(part);
	}
	return rc;
}

/*
 * Merge the states of the walk by evidence and, if that graph is not complete,
 * by inverse actions, with a beam first or not: 1 with the model of the better
 * graph, 0 if neither has nearly all steps, -1.
 */
static int
merge_walk(const struct cscg_walk *w, const struct cscg_learn *set, bool beam,
    struct merges *found, struct cscg_model **m, struct cscg_err *err)
{
	const struct cscg_merge *f;
	int rc;

	if (cscg_merge(w, SIZE_MAX, set->poll, &found->evidence, err) < 0)
		return -1;
	f = found->evidence;
	if (!(f && f->complete) && !set->raw &&
	    merge_inverses(w, set, beam, &found->inverses, err) < 0)
		return -1;
	if (is_better(found->inverses, f))
		f = found->inverses;
	if (f && !f->complete && !set->raw && f->n_states > CSCG_BEAM_STATES) {
		rc = merge_most(w, set, m, err);
		if (rc > 0)
			cscg_learn_report_stage(set, "edsm", 0, 0,
			    (*m)->n_states, NAN, NAN, NULL);
		if (rc != 0)
			return rc;
	}
	if (!f || f->assigned < cscg_learn_constants.merged_share)
		return 0;
	*m = cscg_learn_merged_model(f, w, set, err);
	if (!*m)
		return -1;
	cscg_learn_report_stage(set, f == found->evidence ? "edsm" : "inverse",
	    0, 0, (*m)->n_states, NAN, NAN, NULL);
	return 1;
}

static int
learn_by_merging(const struct cscg_walk *w, const struct cscg_learn *set,
    struct merges *found, struct cscg_model **m, struct cscg_err *err)
{
	return merge_walk(w, set, true, found, m, err);
}

/* EM and reduction of a model found by merging; replaces *m. */
static int
refit(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn how = *set;
	double loglik;

	how.split = true;
	if (cscg_em_restarts(*m, w, set, false, 0, last, err) < 0 ||
	    cscg_structure_clean(m, w, &how, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states, loglik,
	    NAN, last);
	return 0;
}

/*
 * Whether the symbols are the states: no action leads from one symbol to two.
 * 1 with *m new, 0, or -1 with err filled.
 */
static int
learn_symbols(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_err *err)
{
	size_t K = (size_t)w->head.n_obs, A = (size_t)w->head.n_actions;
	int *next = cscg_alloc(K * A, sizeof *next, err), *to;
	int *number = cscg_alloc(2 * K, sizeof *number, err);
	struct cscg_merge all = { .state = cscg_alloc((size_t)w->n_steps,
				      sizeof *all.state, err) };
	int x, rc = next && number && all.state ? 1 : -1;
	long t;

	for (t = 0; rc > 0 && t < w->n_steps; t++) {
		rc = w->x[t] >= 0;
		if (rc > 0)
			number[w->x[t]] = 1;
		if (rc == 0 || t == 0 || w->a[t - 1] < 0 ||
		    (w->reset && w->reset[t]))
			continue;
		to = &next[(size_t)w->x[t - 1] * A + (size_t)w->a[t - 1]];
		rc = *to == 0 || *to == w->x[t] + 1;
		*to = w->x[t] + 1;
	}
	if (rc > 0) {
		all.symbol = number + K;
		for (x = 0; x < w->head.n_obs; x++)
			if (number[x]) {
				number[x] = all.n_states;
				all.symbol[all.n_states++] = x;
			}
		for (t = 0; t < w->n_steps; t++)
			all.state[t] = number[w->x[t]];
		*m = cscg_learn_merged_model(&all, w, set, err);
		rc = *m ? 1 : -1;
	}
	free(next);
	free(number);
	free(all.state);
	return rc;
}

int
cscg_learn_deterministic(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m, struct cscg_err *err)
{
	struct merges found = { NULL, NULL };
	struct cscg_learn_progress last;
	int rc = learn_symbols(w, set, m, err);

	if (rc == 0)
		rc = merge_walk(w, set, false, &found, m, err);
	if (rc > 0 && cscg_em_restarts(*m, w, set, false, 0, &last, err) < 0)
		rc = -1;
	if (rc > 0 &&
	    cscg_model_main_share(*m, -1) < cscg_learn_constants.deterministic)
		rc = 0;
	if (rc <= 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	cscg_merge_free(found.evidence);
	cscg_merge_free(found.inverses);
	return rc;
}

static int
learn_by_inverses(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_merge *f, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_model *fresh;

	if (!f)
		return 0;
	fresh = cscg_learn_merged_model(f, w, set, err);
	if (!fresh)
		return -1;
	cscg_learn_report_stage(set, "inverse", 0, 0, fresh->n_states, NAN,
	    NAN, NULL);
	if (refit(&fresh, w, set, last, err) < 0) {
		cscg_model_free(fresh);
		return -1;
	}
	*m = fresh;
	return 1;
}

static const struct cscg_context_constants *const context_limits =
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
	quiet.tolerance = context_limits->tolerance * set->tolerance;
	*m = cscg_learn_merged_model(f, w, set, err);
	if (!*m)
		return -1;
	quiet.iterations = context_limits->iterations;
	if (cscg_em_restarts(*m, w, &quiet, false, 0.5, line, err) < 0 ||
	    cscg_structure_merge_rows(m, w->n_steps, err) < 0)
		return -1;
	quiet.iterations = context_limits->polish;
	return cscg_em_restarts(*m, w, &quiet, false, 1, line, err);
}

/* The states of f become those of the Viterbi path of m. */
static int
decode_states(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_merge *f, struct cscg_err *err)
{
	double logp;
	long t;
	int rc = cscg_decode_viterbi(m, w, kernel_of(set), set->simd, f->state,
	    &logp, err);

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
	    context_limits->max_change * m->n_states &&
	    fabs(loglik - before) <= context_limits->max_gain * fabs(before);
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

	for (cycle = 0; cycle < context_limits->cycles && rc == 0 &&
	     n_failed < context_limits->max_failed &&
	     !cscg_poll(set->poll, "contexts", cycle, context_limits->cycles);
	     cycle++) {
		for (round = cycle ? context_limits->rounds - 1 : 0;
		     round < context_limits->rounds && rc == 0 &&
		     f->n_states <= context_limits->max_states;
		     round++)
			rc = cscg_context_round(w, f, err);
		if (rc < 0 || f->n_states > context_limits->max_states)
			break;
		rc = fit_contexts(w, set, f, &m, &line, err);
		if (rc < 0 || (rc = decode_states(m, w, set, f, err)) < 0)
			break;
		bic = cscg_bic_noise(m, w->n_steps, line.loglik);
		cscg_learn_report_stage(set, "context", 0, cycle, m->n_states,
		    line.loglik, bic, NULL);
		*settled = most_clones(m) <= context_limits->max_clones &&
		    is_settled(m, line.loglik, n_before, before);
		n_before = m->n_states;
		before = line.loglik;
		n_failed = bic > best_bic ? 0 : n_failed + 1;
		if (most_clones(m) > context_limits->max_clones)
			n_failed = context_limits->max_failed;
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

static int
finish_contexts(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn how = *set;
	double loglik;

	how.noisy = true;
	how.tolerance = context_limits->tolerance * set->tolerance;
	if (cscg_structure_clean(m, w, &how, &loglik, err) < 0 ||
	    tie_noise(m, w, set, false, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states, loglik,
	    NAN, last);
	return 0;
}

static int
learn_by_contexts(const struct cscg_walk *w, const struct cscg_learn *set,
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
		cscg_model_main_share(*m, -1) < context_limits->main))
		rc = 0;
	if (rc > 0 && !rough && finish_contexts(w, set, m, last, err) < 0)
		rc = -1;
	if (rc <= 0) {
		cscg_model_free(*m);
		*m = NULL;
	}
	return rc;
}

/*
 * True if the gain of a larger model is less than the cost of its additional
 * states, each with as many edges as the states of the best model.  Then
 * reducing it cannot improve BIC either.
 */
static bool
cannot_improve(const struct cscg_model *best, double loglik, int n_states,
    double new_loglik, long steps)
{
	double cost_per_state = (loglik - cscg_bic(best, steps, loglik)) /
	    best->n_states;

	return new_loglik - loglik <
	    cost_per_state * (n_states - best->n_states);
}

/*
 * The best model so far: reduced, and with set->raw the unreduced result of
 * EM.
 */
struct candidate {
	struct cscg_model *clean, *raw;
	struct cscg_learn_progress clean_line, raw_line;
	double bic;
};

static void
candidate_free(struct candidate *g)
{
	cscg_model_free(g->clean);
	cscg_model_free(g->raw);
	g->clean = g->raw = NULL;
}

/*
 * Fit and reduce a model with the given clones.  1 with *g new, 0 if it cannot
 * be better than the best, -1 with err filled.
 */
static int
try_clones(const struct cscg_walk *w, const struct cscg_learn *set,
    const int *clones, long total, const struct candidate *best,
    struct candidate *g, struct cscg_err *err)
{
	struct cscg_learn rough = *set;
	double loglik;

	rough.tolerance = 10 * set->tolerance;
	g->clean = cscg_learn_new_model(w, set, clones, err);
	if (!g->clean ||
	    cscg_em_restarts(g->clean, w, &rough, true, 0, &g->raw_line, err) <
		0)
		return -1;
	if (best->clean &&
	    cannot_improve(best->clean, best->clean_line.loglik,
		g->clean->n_states, g->raw_line.loglik, w->n_steps))
		return 0;
	if (set->raw) {
		g->raw = cscg_model_copy(g->clean, err);
		if (!g->raw)
			return -1;
	}
	if (cscg_structure_clean(&g->clean, w, set, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, g->clean->n_states, loglik,
	    NAN, &g->clean_line);
	g->bic = cscg_bic(g->clean, w->n_steps, g->clean_line.loglik);
	cscg_learn_report_stage(set, "select", 0, total, g->clean->n_states,
	    g->clean_line.loglik, g->bic, NULL);
	return 1;
}

static int
learn_select_clones(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct candidate best = { 0 }, g = { 0 };
	int *clones, x, n_failed = 0, rc = -1;
	long total, before = 0, *seen = cscg_clones_count_symbols(w, err);
	double unit = 1;

	clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	if (!clones || !seen)
		goto out;
	for (x = 0; x < w->head.n_obs; x++)
		unit = fmax(unit, (double)seen[x]);
	/* NOLINTNEXTLINE(cert-flp30-c): a half is exact */
	for (; n_failed < 2 && unit >= 1 &&
	     !(best.clean && cscg_poll_stopped(set->poll));
	     unit /= 2) {
		total = cscg_clones_by_count(unit, seen, w->head.n_obs,
		    clones);
		if (total == before)
			continue;
		if (before && total > w->n_steps / 2 + 1)
			break; /* fewer than two visits per state */
		before = total;
		rc = try_clones(w, set, clones, total, &best, &g, err);
		if (rc < 0)
			goto out;
		if (rc == 0)
			break;
		if (!best.clean || g.bic > best.bic) {
			n_failed = 0;
			candidate_free(&best);
			best = g;
			g = (struct candidate){ 0 };
		} else {
			n_failed++;
			candidate_free(&g);
		}
	}
	*m = set->raw ? best.raw : best.clean;
	*last = set->raw ? best.raw_line : best.clean_line;
	*(set->raw ? &best.raw : &best.clean) = NULL;
	rc = 0;
out:
	candidate_free(&best);
	candidate_free(&g);
	free(clones);
	free(seen);
	return rc;
}

static int
learn_by_splits(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct candidate none = { 0 }, g = { 0 };
	int *clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	long *seen = cscg_clones_count_symbols(w, err), total;
	int rc = -1;

	how.restarts = 1;
	how.split = true;
	if (clones && seen) {
		total = cscg_clones_by_count((double)w->n_steps, seen,
		    w->head.n_obs, clones);
		rc = try_clones(w, &how, clones, total, &none, &g, err);
	}
	if (rc > 0 && g.bic > cscg_bic(*m, w->n_steps, last->loglik)) {
		cscg_model_free(*m);
		*m = g.clean;
		*last = g.clean_line;
		g.clean = NULL;
	}
	candidate_free(&g);
	free(clones);
	free(seen);
	return rc < 0 ? -1 : 0;
}
