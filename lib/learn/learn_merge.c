/*
 * learn_merge.c - models of walks by state merging
 *
 * A deterministic walk is reduced to its graph by state merging (merge.c),
 * which EM then hardly changes.  Unless its graph is complete, merging by a
 * beam (merge_beam.c) and with guesses (merge_inverse.c) is tried, and the
 * graph of less cost is used.  A graph too large for the beam is searched in
 * most of the walk.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/context.h"
#include "learn/em_restarts.h"
#include "learn/learn_merge.h"
#include "learn/learn_model.h"
#include "learn/learn_tied.h"
#include "learn/merge_beam.h"
#include "learn/structure.h"

void
cscg_learn_merges_free(struct cscg_learn_merges *found)
{
	cscg_merge_free(found->evidence);
	cscg_merge_free(found->inverses);
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

	*m = NULL;
	for (i = 0; i < cscg_learn_constants.merge_parts && rc == 0 &&
	     !cscg_poll_stopped(set->poll);
	     i++, cut *= 2) {
		rc = cscg_walk_split(w, cut, &part, &rest, err);
		cscg_walk_free(rest);
		if (rc == 0 &&
		    cscg_merge(part, SIZE_MAX, set->poll, &f, err) < 0)
			rc = -1;
		if (rc == 0 && f && f->complete) {
			*m = cscg_learn_model_merged(f, part, set, err);
			rc = !*m ? -1 : cscg_learn_model_has_symbols(*m, w);
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
    struct cscg_learn_merges *found, struct cscg_model **m,
    struct cscg_err *err)
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
	*m = cscg_learn_model_merged(f, w, set, err);
	if (!*m)
		return -1;
	cscg_learn_report_stage(set, f == found->evidence ? "edsm" : "inverse",
	    0, 0, (*m)->n_states, NAN, NAN, NULL);
	return 1;
}

int
cscg_learn_merge(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_merges *found, struct cscg_model **m,
    struct cscg_err *err)
{
	return merge_walk(w, set, true, found, m, err);
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
		rc = cscg_viterbi_train(m, w, cscg_learn_kernel(set),
		    set->simd, cscg_learn_constants.viterbi_rounds, NULL, path,
		    &logp, err);
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
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct cscg_model *graph;
	double loglik;
	int rc;

	how.split = true;
	if (cscg_em_restarts(*m, w, set, false, 0, last, err) < 0)
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
	if (rc < 0 || cscg_learn_tied(m, w, set, false, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states, loglik,
	    NAN, last);
	return 0;
}

/*
 * Evidence leaves out the steps of states with few visits, and EM does not find
 * them: replace *m by a graph of the beam that explains the walk.
 */
static int
try_beam(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn_progress line = { 0 };
	struct cscg_merge *f;
	struct cscg_model *beam = NULL;
	int rc = cscg_merge_beam(w, set->poll, &f, err);

	if (rc > 0 && f->complete) {
		beam = cscg_learn_model_merged(f, w, set, err);
		rc = beam ? finish_merged(w, set, &beam, &line, err) : -1;
	}
	if (rc == 0 && beam && cscg_learn_is_deterministic(beam)) {
		cscg_model_free(*m);
		*m = beam;
		*last = line;
	} else {
		cscg_model_free(beam);
	}
	cscg_merge_free(f);
	return rc < 0 ? -1 : 0;
}

int
cscg_learn_merge_finish(const struct cscg_walk *w,
    const struct cscg_learn *set, const struct cscg_learn_merges *found,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	if (finish_merged(w, set, m, last, err) < 0)
		return -1;
	return set->raw || found->inverses || cscg_learn_is_deterministic(*m) ?
	    0 :
	    try_beam(w, set, m, last, err);
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

int
cscg_learn_merge_by_inverses(const struct cscg_walk *w,
    const struct cscg_learn *set, const struct cscg_merge *f,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_model *fresh;

	if (!f)
		return 0;
	fresh = cscg_learn_model_merged(f, w, set, err);
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
	struct cscg_merge *all = NULL;
	int rc = next ? 1 : -1;
	long t;

	for (t = 0; rc > 0 && t < w->n_steps; t++) {
		rc = w->x[t] >= 0;
		if (rc == 0 || !cscg_walk_continues(w, t))
			continue;
		to = &next[(size_t)w->x[t - 1] * A + (size_t)w->a[t - 1]];
		rc = *to == 0 || *to == w->x[t] + 1;
		*to = w->x[t] + 1;
	}
	free(next);
	if (rc > 0) {
		all = cscg_context_symbols(w, err);
		*m = all ? cscg_learn_model_merged(all, w, set, err) : NULL;
		rc = *m ? 1 : -1;
	}
	cscg_merge_free(all);
	return rc;
}

int
cscg_learn_merge_deterministic(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m, struct cscg_err *err)
{
	struct cscg_learn_merges found = { NULL, NULL };
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
	cscg_learn_merges_free(&found);
	return rc;
}
