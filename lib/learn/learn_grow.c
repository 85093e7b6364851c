/*
 * learn_grow.c - how many clones?  The walk itself decides
 *
 * A walk in a world without chance folds onto its graph (fold.c), which EM then
 * only confirms.  If it does not fold, it may by a law of its moves (fold_law.c);
 * but then it is a guess, and has to be worth more than what follows.  Clones
 * are added in proportion to how often a symbol is seen, twice as many each
 * time, until two additions in a row do not raise the log-likelihood by
 * ln(steps)/2 for each edge they add (the BIC rule, counted on the cleaned
 * graph).
 */
#include <math.h>
#include <stdlib.h>

#include "learn/clones.h"
#include "learn/fold.h"
#include "learn/learn_clean.h"
#include "learn/learn_grow.h"
#include "learn/learn_run.h"
#include "base/mem.h"
#include "learn/refine.h"

/* The share of its steps that a walk must place to count as folded. */
static const double MIN_ASSIGNED = 0.9;

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
		cscg_fail(err, CSCG_ERANGE, "%ld clones in all are outside "
		    "1..%d", n, CSCG_STATE_MAX);
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

/* The states of a fold as a model; a symbol that did not settle gets one. */
static struct cscg_model *
merged_model(const struct cscg_merge *f, const struct cscg_walk *w,
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

int
cscg_learn_by_merging(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, double *assigned, struct cscg_err *err)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge(w, &f, err);

	*assigned = rc > 0 ? f->assigned : 0;
	if (rc > 0 && f->assigned < MIN_ASSIGNED)
		rc = 0;
	if (rc > 0) {
		*m = merged_model(f, w, set, err);
		if (*m)
			cscg_learn_report_stage(set, "fold", 0, 0, (*m)->n_states,
			    NAN, NAN, NULL);
		else
			rc = -1;
	}
	cscg_merge_free(f);
	return rc;
}

/* What EM and cleaning make of a fold: *m is it then. */
static int
refit(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn how = *set;
	double loglik;

	how.split = true;
	if (cscg_restarts_run(*m, w, set, false, 0, last, err) < 0 ||
	    cscg_structure_clean(m, w, &how, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, (*m)->n_states, loglik, NAN,
	    last);
	return 0;
}

int
cscg_learn_by_inverses(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_merge *f = NULL;
	struct cscg_model *new = NULL;
	int rc = cscg_merge_by_inverses(w, set->seed, &f, err);

	if (rc > 0) {
		new = merged_model(f, w, set, err);
		rc = new ? 1 : -1;
	}
	cscg_merge_free(f);
	if (rc <= 0)
		return rc;
	cscg_learn_report_stage(set, "law", 0, 0, new->n_states, NAN, NAN, NULL);
	if (refit(&new, w, set, last, err) < 0) {
		cscg_model_free(new);
		return -1;
	}
	*m = new;
	return 1;
}

/*
 * Is the gain of a larger fit less than its states would cost if each had as
 * many edges as those of the best?  Then cleaning it cannot pay either.
 */
static bool
cannot_improve(const struct cscg_model *best, double loglik, int n_states,
    double new_loglik, long steps)
{
	double cost_per_state = (loglik - cscg_bic(best, steps, loglik)) /
	    best->n_states;

	return new_loglik - loglik < cost_per_state * (n_states - best->n_states);
}

/* The best so far: as cleaned, and with set->raw as EM left it. */
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
 * Fit and clean a model of so many clones.  1 with *g new, 0 if it cannot be
 * better than the best, -1 with err filled.
 */
static int
try_clones(const struct cscg_walk *w, const struct cscg_learn *set,
    const int *clones, long total, const struct candidate *best, struct candidate *g,
    struct cscg_err *err)
{
	struct cscg_learn rough = *set;
	double loglik;

	rough.tolerance = 10 * set->tolerance;
	g->clean = cscg_learn_new_model(w, set, clones, err);
	if (!g->clean ||
	    cscg_restarts_run(g->clean, w, &rough, true, 0, &g->raw_line,
	    err) < 0)
		return -1;
	if (best->clean && cannot_improve(best->clean, best->clean_line.loglik,
	    g->clean->n_states, g->raw_line.loglik, w->n_steps))
		return 0;
	if (set->raw) {
		g->raw = cscg_model_copy(g->clean, err);
		if (!g->raw)
			return -1;
	}
	if (cscg_structure_clean(&g->clean, w, set, &loglik, err) < 0)
		return -1;
	cscg_learn_report_stage(set, "final", 0, 0, g->clean->n_states, loglik, NAN,
	    &g->clean_line);
	g->bic = cscg_bic(g->clean, w->n_steps, g->clean_line.loglik);
	cscg_learn_report_stage(set, "grow", 0, total, g->clean->n_states,
	    g->clean_line.loglik, g->bic, NULL);
	return 1;
}

/* A clone for every so many sightings of a symbol; returns how many in all. */
static long
clones_by_count(double unit, const long *seen, int n_obs, int *clones)
{
	long total = 0;
	int x;

	for (x = 0; x < n_obs; x++) {
		clones[x] = (int)round((double)seen[x] / unit);
		if (seen[x] && !clones[x])
			clones[x] = 1;
		total += clones[x];
	}
	return total;
}

int
cscg_learn_select_clones(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last, struct cscg_err *err)
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
	for (; n_failed < 2 && unit >= 1; unit /= 2) {
		total = clones_by_count(unit, seen, w->head.n_obs, clones);
		if (total == before)
			continue;
		if (before && total > w->n_steps / 2 + 1)
			break;	/* less than two visits to a state */
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
cscg_learn_by_splits(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct candidate none = { 0 }, g = { 0 };
	int *clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	long *seen = cscg_clones_count_symbols(w, err), total;
	int rc = -1;

	how.restarts = 1;
	how.split = true;
	if (clones && seen) {
		total = clones_by_count((double)w->n_steps, seen, w->head.n_obs,
		    clones);
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
