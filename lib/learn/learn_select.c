/*
 * learn_select.c - the number of clones of each symbol, chosen by BIC
 *
 * Clones are added in proportion to the number of observations of a symbol,
 * twice as many each time, until two additions in a row do not raise the
 * log-likelihood by ln(steps)/2 for each edge they add (the BIC rule, counted
 * on the reduced graph).
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "learn/clones.h"
#include "learn/em_restarts.h"
#include "learn/learn_model.h"
#include "learn/learn_select.h"
#include "learn/structure.h"

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
	g->clean = cscg_learn_model_new(w, set, clones, err);
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

int
cscg_learn_select_clones(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
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

int
cscg_learn_select_splits(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err)
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
