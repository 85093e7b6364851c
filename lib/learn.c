/*
 * learn.c - from walks to a grounded model
 *
 * Without given clones the walk itself decides.  A walk in a world without
 * chance folds onto its graph (fold.c), which EM then only confirms.  If it
 * does not fold, clones are added in proportion to how often a symbol is seen,
 * twice as many each time, until two additions in a row do not raise the
 * log-likelihood by ln(steps)/2 for each edge they add (the BIC rule, counted
 * on the cleaned graph).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clones.h"
#include "expect.h"
#include "fold.h"
#include "forward.h"
#include "learn_run.h"
#include "mem.h"
#include "pool.h"
#include "refine.h"
#include "split.h"

enum { VITERBI_ROUNDS = 20, CLEAN_ROUNDS = 10, MERGES_IN_VAIN = 4 };

/* The share of its steps that a walk must place to count as folded. */
static const double SETTLED = 0.9;

/* And to be likely to have no chance in it, though there is too little of it. */
static const double HARDLY_CHANCE = 0.2;

static const struct cscg_kern *
kernel(const struct cscg_learn *set)
{
	return set->is_double ? &cscg_kern_plain64 : &cscg_kern_plain32;
}

static int
tell(const struct cscg_learn *set, const char *stage, long restart,
    long iteration, int n_states, double loglik, double objective,
    struct cscg_learn_line *last)
{
	struct cscg_learn_line line = { stage, restart, iteration, n_states,
	    loglik, objective };

	return cscg_learn_tell(set, &line, last);
}

/* A model without counts for so many clones of each symbol. */
static struct cscg_model *
new_model(const struct cscg_walk *w, const struct cscg_learn *set,
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

/* The log-likelihood of w under m. */
static int
measure(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct cscg_trans *tr = cscg_trans_new(m, kernel(set), err);
	struct cscg_work work = { 0 };
	int rc;

	if (!tr)
		return -1;
	rc = cscg_expect(tr, w, &work, NULL, NULL, loglik, err);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return rc;
}

/* Scratch of refinement. */
struct harden {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	struct cscg_work work;
	int *path, *into;
	long step;		/* for a checkpoint */
	int round;
};

/* Refine *m and find what to merge: how many states are left. */
static int
refine_round(struct harden *h, struct cscg_model *m, double *logp,
    struct cscg_err *err)
{
	if (cscg_refine(m, h->w, kernel(h->set), VITERBI_ROUNDS, &h->work,
	    h->path, logp, err) < 0)
		return -1;
	return cscg_lump(m, h->path, h->w->n_steps, h->into, err);
}

/* What a round has found, into a checkpoint; counts and map. */
static int
keep_round(const struct harden *h, const struct cscg_model *m,
    const char *name, int n, double logp, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = -1;

	if (cscg_blob_put_long(&b, n, err) == 0 &&
	    cscg_blob_put_double(&b, logp, err) == 0 &&
	    cscg_blob_put(&b, h->into, (size_t)m->n_states * sizeof *h->into,
	    err) == 0 && cscg_blob_put_counts(&b, m, err) == 0)
		rc = cscg_checkpoint_take(h->set->save, name, &b, err);
	cscg_blob_free(&b);
	return rc;
}

/* The same round as it was done before, or done now. */
static int
kept_round(struct harden *h, struct cscg_model *m, double *logp,
    struct cscg_err *err)
{
	struct cscg_blob *b;
	char name[64];
	long n;

	if (!h->set->save)
		return refine_round(h, m, logp, err);
	snprintf(name, sizeof name, "refine %ld.%d", h->step, h->round);
	b = cscg_checkpoint_get(h->set->save, name);
	if (b)
		return cscg_blob_get_long(b, 1, m->n_states, &n, err) < 0 ||
		    cscg_blob_get_double(b, logp, err) < 0 ||
		    cscg_blob_get(b, h->into, (size_t)m->n_states *
		    sizeof *h->into, err) < 0 ||
		    cscg_blob_get_counts(b, m, err) < 0 ?
		    cscg_fail_at(err, "checkpoint: %s", name) : (int)n;
	n = refine_round(h, m, logp, err);
	return n < 0 || keep_round(h, m, name, (int)n, *logp, err) < 0 ? -1 :
	    (int)n;
}

/* Viterbi refinement and merging until nothing is left to merge. */
static int
harden_with(struct harden *h, struct cscg_model **m, struct cscg_err *err)
{
	struct cscg_model *smaller;
	double logp;
	int n;

	for (h->round = 0; h->round < CLEAN_ROUNDS; h->round++) {
		n = kept_round(h, *m, &logp, err);
		if (n < 0)
			return -1;
		tell(h->set, "refine", 0, h->round, (*m)->n_states, logp, NAN,
		    NULL);
		if (n == (*m)->n_states)
			break;
		smaller = cscg_model_pour(*m, h->into, n, err);
		if (!smaller)
			return -1;
		cscg_model_free(*m);
		*m = smaller;
	}
	return 0;
}

static int
harden(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	struct harden h = { .w = w, .set = set,
	    .step = cscg_checkpoint_step(set->save) };
	int rc = -1;

	/* When all that was done is written, a signal may end us. */
	if (cscg_checkpoint_now(set->save, err) < 0)
		return -1;
	cscg_checkpoint_hold(set->save, false);
	h.path = cscg_alloc((size_t)w->n_steps, sizeof *h.path, err);
	h.into = cscg_alloc((size_t)(*m)->n_states, sizeof *h.into, err);
	if (h.path && h.into)
		rc = harden_with(&h, m, err);
	cscg_work_free(&h.work);
	free(h.path);
	free(h.into);
	return rc;
}

/*
 * A copy of m after EM from its own counts, without the edges that carry less
 * than one transition; *value is what it is worth.
 */
static struct cscg_model *
soften(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *value, double *loglik,
    struct cscg_err *err)
{
	struct cscg_model *s = cscg_model_copy(m, err);
	struct cscg_learn quiet = *set;
	struct cscg_learn_line line;

	quiet.report = NULL;
	if (!s)
		return NULL;
	if (cscg_learn_runs(s, w, &quiet, false, 1, &line, err) < 0 ||
	    measure(s, w, set, loglik, err) < 0) {
		cscg_model_free(s);
		return NULL;
	}
	*value = cscg_worth(s, w->n_steps, *loglik);
	return s;
}

/* A copy of m with state j poured into state i < j. */
static struct cscg_model *
merge_two(const struct cscg_model *m, int i, int j, struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)m->n_states, sizeof *into, err), k;
	struct cscg_model *out;

	if (!into)
		return NULL;
	for (k = 0; k < m->n_states; k++)
		into[k] = k == j ? i : k - (k > j);
	out = cscg_model_pour(m, into, m->n_states - 1, err);
	free(into);
	return out;
}

/*
 * Merge states as long as the model is worth more after it, EM having the last
 * word: with chance in the world rows alone do not tell which are the same.
 */
static int
thin(struct cscg_model **m, double *value, double *loglik,
    const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *merged, *s;
	double v, l;
	bool *tried = NULL;
	int i, j, in_vain, rc = 0;

	for (in_vain = 0; in_vain < MERGES_IN_VAIN;) {
		if (!tried)
			tried = cscg_alloc((size_t)(*m)->n_states *
			    (size_t)(*m)->n_states, sizeof *tried, err);
		rc = tried ? cscg_closest(*m, w->n_steps, tried, &i, &j,
		    err) : -1;
		if (rc <= 0)
			break;
		rc = -1;
		merged = merge_two(*m, i, j, err);
		s = merged ? soften(merged, w, set, &v, &l, err) : NULL;
		cscg_model_free(merged);
		if (!s)
			break;
		rc = 0;
		if (v > *value) {
			tell(set, "merge", 0, 0, s->n_states, l, v, NULL);
			cscg_model_free(*m);
			*m = s;
			*value = v;
			*loglik = l;
			in_vain = 0;
			free(tried);
			tried = NULL;
		} else {
			in_vain++;
			cscg_model_free(s);
		}
	}
	free(tried);
	return rc < 0 ? -1 : 0;
}

/* Does no action ever lead to two places? */
static bool
no_chance(const struct cscg_model *m)
{
	long r;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		if (m->first[r + 1] - m->first[r] > 1)
			return false;
	return true;
}

/* For split.h: EM from what a split made, and a clean graph of it. */
struct settle {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
settle(void *ctx, struct cscg_model **m, double *loglik, struct cscg_err *err)
{
	const struct settle *s = ctx;
	struct cscg_learn quiet = *s->set;
	struct cscg_learn_line line;

	quiet.report = NULL;
	if (cscg_learn_runs(*m, s->w, &quiet, false, 0, &line, err) < 0 ||
	    harden(m, s->w, &quiet, err) < 0)
		return -1;
	return measure(*m, s->w, &quiet, loglik, err);
}

static void
on_split(void *ctx, const struct cscg_model *m, long tried, double loglik)
{
	const struct settle *s = ctx;

	tell(s->set, "split", 0, tried, m->n_states, loglik, NAN, NULL);
}

static int
split(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct settle s = { w, set };
	struct cscg_split how = { kernel(set), settle, on_split, &s };

	return set->split ? cscg_split(m, w, &how, loglik, err) : 0;
}

/*
 * From what EM found to a clean graph.  Whole counts along the likeliest path
 * are tried first; where they show chance, expected counts are tried, too, and
 * the model that is worth more is kept.
 */
static int
clean(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	double value, soft_loglik;
	struct cscg_model *s = NULL;

	if (harden(m, w, set, err) < 0 ||
	    measure(*m, w, set, loglik, err) < 0 ||
	    split(m, w, set, loglik, err) < 0)
		return -1;
	if (!no_chance(*m)) {
		s = soften(*m, w, set, &value, &soft_loglik, err);
		if (!s)
			return -1;
		if (thin(&s, &value, &soft_loglik, w, set, err) < 0) {
			cscg_model_free(s);
			return -1;
		}
		if (value > cscg_worth(*m, w->n_steps, *loglik)) {
			cscg_model_free(*m);
			*m = s;
			*loglik = soft_loglik;
		} else {
			cscg_model_free(s);
		}
	}
	return 0;
}

/* The states of a fold as a model; a symbol that did not settle gets one. */
static struct cscg_model *
fold_model(const struct cscg_fold *f, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_count *buf = NULL;
	int *clones = NULL, *number = NULL, i, j;
	long t, n = 0, *seen = NULL;

	clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	number = cscg_alloc((size_t)f->n_states, sizeof *number, err);
	buf = cscg_alloc((size_t)w->n_steps, sizeof *buf, err);
	seen = cscg_clones_tally(w, err);
	if (!clones || !number || !buf || !seen)
		goto out;
	for (i = 0; i < f->n_states; i++)
		clones[f->symbol[i]]++;
	for (i = 0; i < w->head.n_obs; i++)
		if (seen[i] && !clones[i])
			clones[i] = 1;
	m = new_model(w, set, clones, err);
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

/*
 * 1 with the model of a walk that folds, 0 if it does not, -1.  *settled is the
 * share of its steps that do.
 */
static int
start_from_fold(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, double *settled, struct cscg_err *err)
{
	struct cscg_fold *f = NULL;
	int rc = cscg_fold(w, &f, err);

	*settled = rc > 0 ? f->settled : 0;
	if (rc > 0 && f->settled < SETTLED)
		rc = 0;
	if (rc > 0) {
		*m = fold_model(f, w, set, err);
		if (*m)
			tell(set, "fold", 0, 0, (*m)->n_states, NAN, NAN, NULL);
		else
			rc = -1;
	}
	cscg_fold_free(f);
	return rc;
}

/*
 * Is the gain of a larger fit less than its states would cost if each had as
 * many edges as those of the best?  Then cleaning it cannot pay either.
 */
static bool
hopeless(const struct cscg_model *best, double loglik, int n_states,
    double new_loglik, long steps)
{
	double price = (loglik - cscg_worth(best, steps, loglik)) /
	    best->n_states;

	return new_loglik - loglik < price * (n_states - best->n_states);
}

/* The best so far: as cleaned, and with set->raw as EM left it. */
struct grown {
	struct cscg_model *clean, *raw;
	struct cscg_learn_line clean_line, raw_line;
	double value;
};

static void
grown_free(struct grown *g)
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
    const int *clones, long total, const struct grown *best, struct grown *g,
    struct cscg_err *err)
{
	struct cscg_learn rough = *set;
	double loglik;

	rough.tolerance = 10 * set->tolerance;
	g->clean = new_model(w, set, clones, err);
	if (!g->clean ||
	    cscg_learn_runs(g->clean, w, &rough, true, 0, &g->raw_line,
	    err) < 0)
		return -1;
	if (best->clean && hopeless(best->clean, best->clean_line.loglik,
	    g->clean->n_states, g->raw_line.loglik, w->n_steps))
		return 0;
	if (set->raw) {
		g->raw = cscg_model_copy(g->clean, err);
		if (!g->raw)
			return -1;
	}
	if (clean(&g->clean, w, set, &loglik, err) < 0)
		return -1;
	tell(set, "final", 0, 0, g->clean->n_states, loglik, NAN,
	    &g->clean_line);
	g->value = cscg_worth(g->clean, w->n_steps, g->clean_line.loglik);
	tell(set, "grow", 0, total, g->clean->n_states, g->clean_line.loglik,
	    g->value, NULL);
	return 1;
}

/* A clone for every so many sightings of a symbol; returns how many in all. */
static long
spread_by(double unit, const long *seen, int n_obs, int *clones)
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

/* Add clones until it stops paying. */
static int
grow(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_line *last, struct cscg_err *err)
{
	struct grown best = { 0 }, g = { 0 };
	int *clones, x, in_vain = 0, rc = -1;
	long total, before = 0, *seen = cscg_clones_tally(w, err);
	double unit = 1;

	clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	if (!clones || !seen)
		goto out;
	for (x = 0; x < w->head.n_obs; x++)
		unit = fmax(unit, (double)seen[x]);
	for (; in_vain < 2 && unit >= 1; unit /= 2) {
		total = spread_by(unit, seen, w->head.n_obs, clones);
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
		if (!best.clean || g.value > best.value) {
			in_vain = 0;
			grown_free(&best);
			best = g;
			g = (struct grown){ 0 };
		} else {
			in_vain++;
			grown_free(&g);
		}
	}
	*m = set->raw ? best.raw : best.clean;
	*last = set->raw ? best.raw_line : best.clean_line;
	*(set->raw ? &best.raw : &best.clean) = NULL;
	rc = 0;
out:
	grown_free(&best);
	grown_free(&g);
	free(clones);
	free(seen);
	return rc;
}

/*
 * One clone of each symbol, and splits from there on: instead of *m, if that is
 * worth more.  Where there is hardly any chance it mostly is, for doubt is then
 * a sure sign of places that are taken for one.
 */
static int
grow_by_splits(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_line *last, struct cscg_err *err)
{
	struct cscg_learn how = *set;
	struct grown none = { 0 }, g = { 0 };
	int *clones = cscg_alloc((size_t)w->head.n_obs, sizeof *clones, err);
	long *seen = cscg_clones_tally(w, err), total;
	int rc = -1;

	how.restarts = 1;
	how.split = true;
	if (clones && seen) {
		total = spread_by((double)w->n_steps, seen, w->head.n_obs,
		    clones);
		rc = try_clones(w, &how, clones, total, &none, &g, err);
	}
	if (rc > 0 && g.value > cscg_worth(*m, w->n_steps, last->loglik)) {
		cscg_model_free(*m);
		*m = g.clean;
		*last = g.clean_line;
		g.clean = NULL;
	}
	grown_free(&g);
	free(clones);
	free(seen);
	return rc < 0 ? -1 : 0;
}

/* A copy of the model to start from, with our settings. */
static struct cscg_model *
start_from_model(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *m;

	if (set->init->kind != CSCG_GROUNDED || set->init->e_first) {
		cscg_fail(err, CSCG_EMISMATCH, "a grounded model with "
		    "emissions by clone is needed to start from");
		return NULL;
	}
	/* What fit.h makes equal; past here nothing would notice. */
	if (set->init->n_actions != w->head.n_actions ||
	    set->init->n_obs != w->head.n_obs) {
		cscg_fail(err, CSCG_EMISMATCH, "the model to start from has "
		    "%d actions and %d symbols, the walk %d and %d",
		    set->init->n_actions, set->init->n_obs, w->head.n_actions,
		    w->head.n_obs);
		return NULL;
	}
	m = cscg_model_copy(set->init, err);
	if (!m)
		return NULL;
	m->pseudocount = set->pseudocount;
	m->is_double = set->is_double;
	if ((!m->actions.n && cscg_names_copy(&m->actions, &w->head.actions,
	    err) < 0) || (!m->symbols.n && cscg_names_copy(&m->symbols,
	    &w->head.symbols, err) < 0)) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}

struct measured {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
measure_it(void *ctx, const struct cscg_model *m, double *loglik,
    struct cscg_err *err)
{
	struct measured *on = ctx;

	return measure(m, on->w, on->set, loglik, err);
}

/* Chance that is the same everywhere is learned from all rows at once. */
static int
share(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct measured on = { w, set };
	struct cscg_pool_walk walk = { w->n_steps, measure_it, &on };
	double pooled;
	int rc;

	if (set->raw || set->own_rows)
		return 0;
	rc = cscg_pool_fit(m, &walk, &pooled, err);
	if (rc > 0) {
		*loglik = pooled;
		tell(set, "pool", 0, 0, (*m)->n_states, pooled, NAN, NULL);
	}
	return rc < 0 ? -1 : 0;
}

static bool
sees_nothing(const struct cscg_walk *w)
{
	long t;

	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			return false;
	return true;
}

struct cscg_model *
cscg_learn(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_line *last, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_learn how = *set;
	double loglik, settled;
	int folded = 0;

	if (sees_nothing(w)) {
		cscg_fail(err, CSCG_ERANGE, "no symbol is seen in the walk: "
		    "there is nothing to learn from");
		return NULL;
	}
	if (set->init) {
		m = start_from_model(w, set, err);
	} else if (set->clones) {
		m = new_model(w, set, set->clones, err);
	} else {
		folded = start_from_fold(w, set, &m, &settled, err);
		if (folded < 0)
			return NULL;
		how.split |= folded;
		if (!folded) {
			if (grow(w, set, &m, last, err) < 0)
				goto fail;
			if (!set->raw && settled >= HARDLY_CHANCE &&
			    grow_by_splits(w, set, &m, last, err) < 0)
				goto fail;
			loglik = last->loglik;
			if (share(&m, w, set, &loglik, err) < 0)
				goto fail;
			/* The last one tried is not the one chosen. */
			tell(set, "final", last->restart, last->iteration,
			    m->n_states, loglik, last->objective, last);
			return m;
		}
	}
	if (!m || cscg_learn_runs(m, w, set, !set->init && !folded, 0, last,
	    err) < 0 ||
	    (!set->raw && (clean(&m, w, &how, &loglik, err) < 0 ||
	    share(&m, w, set, &loglik, err) < 0)))
		goto fail;
	if (!set->raw)
		tell(set, "final", 0, 0, m->n_states, loglik, NAN, last);
	return m;
fail:
	cscg_model_free(m);
	return NULL;
}
