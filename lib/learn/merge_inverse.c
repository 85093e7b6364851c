/*
 * merge_inverse.c - state merging with inverse actions and guesses
 *
 * Agreement is weak evidence in a uniform environment.  But if a leads from
 * state s to another state t, then its inverse b leads from t to s.  Hence the
 * successor x of a red state t by b has few possibilities:
 *
 *  - s, if a is known to lead from s to t;
 *  - t itself (a wall);
 *  - a red state from which a may lead to t, and to no other state;
 *  - a new state, from which a leads to t.
 *
 * Each is tried and propagated.  A single remaining possibility is accepted.
 * If none remains, an earlier guess was wrong.  Otherwise the successor whose
 * best possibility has the largest margin of evidence over the second best is
 * guessed; the guess is undone on contradiction.  Since a wrong early guess
 * may lead to a contradiction only late, there are several runs, with guesses
 * in different orders, and the smallest graph is the result.
 *
 * The probability that an action leaves the state unchanged depends on the
 * symbol, if the symbol shows the walls: its prior odds come from the known
 * transitions of the red states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "learn/constants.h"
#include "learn/merge.h"
#include "learn/merge_sets.h"

static const struct cscg_merge_constants *const limits =
    &cscg_learn_constants.merge;

/* A possible state of x: a red state, or -1: a new one. */
struct option {
	int node;
	double nats;
};

struct inverse_search {
	struct cscg_merge_sets f;
	struct cscg_rng rng;
	double order_noise;
	long guesses;          /* left in this run */
	size_t max_states;     /* upper limit (exclusive) of the number of
	                          states */
	struct option *option; /* possibilities of the last successor listed */
	size_t cap_option;
	struct cscg_merge *best;
	long *stays; /* [n_obs + 1][n_actions][2] self-transitions of red
	                states, and all transitions; the first row: all
	                symbols */
};

/* Results of a run, and of propagate(). */
enum { CONTRADICTION, SOLVED };
enum { UNCHANGED = 1, CHANGED = 2 };

/* ---- possibilities of a successor ---- */

/*
 * Let x, the successor of t by the inverse of a, be this state: 1 with the
 * evidence in *nats, 0 on contradiction, -1 on failure.  The log holds the
 * changes to undo.
 */
static int
apply_option(struct inverse_search *l, int t, int a, int x, int node,
    double *nats, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	int rc = 1, y;

	*nats = 0;
	if (node >= 0)
		rc = cscg_merge_sets_union(f, node, x, nats, err);
	x = cscg_merge_sets_find(f, x);
	y = rc > 0 && x != t ? cscg_merge_sets_successor(f, x, a) : -1;
	if (y >= 0)
		rc = cscg_merge_sets_union(f, t, y, nats, err);
	else if (rc > 0 && x != t && /* not observed, but implied by the
	                                inverse */
	    cscg_merge_sets_assign(f,
		&f->next[(size_t)x * (size_t)f->A + (size_t)a], t, err) < 0)
		rc = -1;
	if (rc > 0 && node < 0 && f->red[cscg_merge_sets_find(f, x)])
		rc = 0; /* not a new state */
	return rc;
}

/* True if x can be this state, by its symbol and by its successor under a. */
static bool
is_possible(const struct cscg_merge_sets *f, int t, int a, int x, int node)
{
	int y;

	if (f->label[node] >= 0 && f->label[x] >= 0 &&
	    f->label[node] != f->label[x])
		return false;
	y = node == t ? -1 : cscg_merge_sets_successor(f, node, a);
	return y < 0 || !f->red[y] || y == t;
}

/* Count the self-transitions of each action in the red states. */
static void
count_stays(struct inverse_search *l)
{
	const struct cscg_merge_sets *f = &l->f;
	size_t i, A = (size_t)f->A;
	int a, r, to;
	long *n;

	memset(l->stays, 0,
	    2 * A * ((size_t)f->w->head.n_obs + 1) * sizeof *l->stays);
	for (i = 0; i < f->reds.n; i++)
		for (a = 0; a < f->A; a++) {
			r = cscg_merge_sets_find(f, f->reds.v[i]);
			to = cscg_merge_sets_successor(f, r, a);
			if (to < 0 || !f->red[to])
				continue;
			n = l->stays + 2 * a;
			n[0] += to == r;
			n[1]++;
			if (f->label[r] < 0)
				continue;
			n += 2 * A * ((size_t)f->label[r] + 1);
			n[0] += to == r;
			n[1]++;
		}
}

/*
 * ln of the odds that action b leaves state t unchanged: of its symbol if
 * observed, else of all symbols.
 */
static double
stay_odds(const struct inverse_search *l, int t, int b)
{
	const struct cscg_merge_sets *f = &l->f;
	const long *n = l->stays + 2 * b;
	double p = ((double)n[0] + 1) / ((double)n[1] + 2);

	if (f->label[t] >= 0) {
		n += 2 * (size_t)f->A * ((size_t)f->label[t] + 1);
		p = ((double)n[0] + p) / ((double)n[1] + 1);
	}
	return log(p / (1 - p));
}

/*
 * Add a possibility if it is consistent; staying has prior odds against all
 * other states together.
 */
static int
add_option(struct inverse_search *l, int t, int a, int x, int node, int n,
    struct cscg_err *err)
{
	size_t log_mark = l->f.n_log;
	double nats;
	int rc = apply_option(l, t, a, x, node, &nats, err);

	cscg_merge_sets_undo(&l->f, log_mark);
	if (rc <= 0)
		return rc < 0 ? -1 : n;
	if (cscg_grow(&l->option, &l->cap_option, (size_t)n + 1,
		sizeof *l->option, err) < 0)
		return -1;
	/* Agreements are not independent in a uniform area: count half. */
	l->option[n].node = node;
	l->option[n].nats = nats / 2 +
	    (node == t ? log((double)l->f.reds.n + 1) +
			stay_odds(l, t, l->f.inverse[a]) :
			 0);
	return n + 1;
}

/* The possibilities for the successor x of t by b: their number, or -1. */
static int
list_options(struct inverse_search *l, int t, int b, int x,
    struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	int a = l->f.inverse[b], n = 0, s = -1, rc;
	double nats;
	size_t i;

	for (i = 0; i < f->reds.n && s < 0; i++)
		if (f->reds.v[i] != t &&
		    cscg_merge_sets_successor(f, f->reds.v[i], a) == t)
			s = f->reds.v[i];
	if (s >= 0)
		return is_possible(f, t, a, x, s) ?
		    add_option(l, t, a, x, s, 0, err) :
		    0;
	for (i = 0; i < f->reds.n && n >= 0; i++) {
		if (!is_possible(f, t, a, x, f->reds.v[i]))
			continue;
		rc = cscg_merge_sets_agreement(f, f->reds.v[i], x,
		    limits->pairs / 10, &nats, err);
		if (rc > 0)
			n = add_option(l, t, a, x, f->reds.v[i], n, err);
		else if (rc < 0)
			n = -1;
	}
	return n < 0 ? -1 : add_option(l, t, a, x, -1, n, err);
}

static int
commit_option(struct inverse_search *l, int t, int b, int node,
    struct cscg_err *err)
{
	int x = cscg_merge_sets_successor(&l->f, t, b);
	double nats;

	if (apply_option(l, t, l->f.inverse[b], x, node, &nats, err) < 0)
		return -1;
	return node >= 0 ? 0 :
			   cscg_merge_sets_add_red(&l->f,
			       cscg_merge_sets_find(&l->f, x), err);
}

/* ---- the search ---- */

/* Undo all changes since log_mark and n_reds. */
static void
undo_to(struct cscg_merge_sets *f, size_t log_mark, size_t n_reds)
{
	while (f->reds.n > n_reds)
		f->red[f->reds.v[--f->reds.n]] = 0;
	cscg_merge_sets_undo(f, log_mark);
}

/* Evidence of the best of n options less that of the second best. */
static double
margin(const struct option *o, int n)
{
	double top = -1, second = -1;
	int i;

	for (i = 0; i < n; i++)
		if (o[i].nats > top) {
			second = top;
			top = o[i].nats;
		} else if (o[i].nats > second) {
			second = o[i].nats;
		}
	return top > 0 ? top - second : -1;
}

static bool
over_budget(struct inverse_search *l)
{
	return l->f.reds.n >= l->max_states ||
	    l->f.n_pairs > limits->all_pairs ||
	    cscg_poll(l->f.poll, "inverse-action merging",
		(double)l->f.n_pairs, (double)limits->all_pairs);
}

/*
 * Try every undecided successor once and accept those with one possibility:
 * CONTRADICTION, UNCHANGED, or CHANGED if any was accepted; or -1.  The
 * successor to guess is that of *t by *b; *t is -1 if none has evidence and
 * order_noise is 0.
 */
static int
propagate(struct inverse_search *l, int *t, int *b, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	double g, most = -1;
	int a, n, x, rc = UNCHANGED;
	size_t i;

	*t = -1;
	*b = 0;
	count_stays(l);
	for (i = 0; i < f->reds.n; i++)
		for (a = 0; a < f->A; a++) {
			x = l->f.inverse[a] < 0 ?
			    -1 :
			    cscg_merge_sets_successor(f, f->reds.v[i], a);
			if (x < 0 || f->red[x])
				continue;
			n = list_options(l, f->reds.v[i], a, x, err);
			if (n < 0)
				return -1;
			if (n == 0 || over_budget(l))
				return CONTRADICTION;
			if (n == 1) {
				if (commit_option(l, f->reds.v[i], a,
					l->option[0].node, err) < 0)
					return -1;
				rc = CHANGED;
				continue;
			}
			g = margin(l->option, n) *
			    exp(l->order_noise *
				(2 * cscg_rng_uniform(&l->rng) - 1));
			if (g > most) {
				most = g;
				*t = f->reds.v[i];
				*b = a;
			}
		}
	return rc;
}

/* Keep this graph if its cost is less than that of the best. */
static int
keep_best(struct inverse_search *l, struct cscg_err *err)
{
	struct cscg_merge *fresh = cscg_merge_sets_number(&l->f, err);

	if (!fresh)
		return -1;
	if (fresh->assigned >= limits->nearly_complete &&
	    l->f.reds.n < l->max_states)
		l->max_states = l->f.reds.n;
	fresh->complete = fresh->assigned >= limits->complete;
	if (!l->best || fresh->cost < l->best->cost) {
		cscg_merge_free(l->best);
		l->best = fresh;
	} else {
		cscg_merge_free(fresh);
	}
	return SOLVED;
}

static int
by_nats(const void *p, const void *q)
{
	const struct option *u = p, *v = q;

	if (u->nats != v->nats)
		return u->nats > v->nats ? -1 : 1;
	return u->node < v->node ? -1 : u->node > v->node;
}

static int solve(struct inverse_search *l, struct cscg_err *err);

/*
 * Guess the successor of t by b: SOLVED, or CONTRADICTION if no option works.
 */
static int
guess(struct inverse_search *l, int t, int b, struct cscg_err *err)
{
	size_t log_mark = l->f.n_log, n_reds = l->f.reds.n;
	struct option *o;
	int i, n, rc = CONTRADICTION;

	n = list_options(l, t, b, cscg_merge_sets_successor(&l->f, t, b), err);
	if (n < 0)
		return -1;
	/* Recursive calls reuse the list. */
	o = l->option;
	l->option = NULL;
	l->cap_option = 0;
	qsort(o, (size_t)n, sizeof *o, by_nats);
	for (i = 0; i < n && rc == CONTRADICTION && l->guesses > 0 &&
	     !cscg_poll_stopped(l->f.poll);
	     i++) {
		l->guesses--;
		rc = commit_option(l, t, b, o[i].node, err);
		if (rc == 0)
			rc = solve(l, err);
		if (rc == CONTRADICTION)
			undo_to(&l->f, log_mark, n_reds);
	}
	free(o);
	return rc;
}

/* Extend the red states to the whole walk: SOLVED, CONTRADICTION, or -1. */
static int
solve(struct inverse_search *l, struct cscg_err *err)
{
	int t = -1, b = 0, rc;

	do
		rc = propagate(l, &t, &b, err);
	while (rc == CHANGED);
	if (rc <= CONTRADICTION)
		return rc;
	if (t < 0 || cscg_merge_sets_assigned(&l->f) >= limits->complete)
		return keep_best(l, err);
	return guess(l, t, b, err);
}

/* All runs from the red states of l->f. */
static int
search(struct inverse_search *l, uint64_t seed, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	size_t n_reds, most = (size_t)(f->n / (limits->visits * f->A)) + 1;
	int run, rc = CONTRADICTION;

	cscg_merge_sets_refresh(f);
	f->reds_distinct = true;
	f->n_log = 0;
	f->n_pairs = 0;
	n_reds = f->reds.n;
	if (l->max_states > most)
		l->max_states = most;
	for (run = 0; n_reds && run < limits->runs && rc >= 0; run++) {
		cscg_rng_seed(&l->rng, seed, CSCG_RNG_TIES, (uint64_t)run, 1);
		l->order_noise = run > 0;
		l->guesses = limits->guesses;
		rc = solve(l, err);
		undo_to(f, 0, n_reds);
		/* Without a guess all runs are identical. */
		if (l->guesses == limits->guesses ||
		    f->n_pairs > limits->all_pairs ||
		    cscg_poll_stopped(f->poll))
			break;
	}
	return rc < 0 ? -1 : 0;
}

/* The runs from landmarks alone, or from the states that evidence decides. */
static int
search_from(struct inverse_search *l, const struct cscg_walk *w,
    bool landmarks, uint64_t seed, struct cscg_err *err)
{
	const double factor = limits->start[0].landmark;
	struct cscg_merge_sets *f = &l->f;
	struct cscg_poll *poll = f->poll;
	int rc = cscg_merge_sets_new(f, w, err), k;

	if (rc == 0 && !landmarks)
		rc = cscg_merge_sets_settle(f, factor, err);
	else if (rc == 0 && cscg_merge_sets_apply_inverses(f, err) < 0)
		rc = -1;
	for (k = 0; rc == 0 && k <= limits->context_max && !f->reds.n &&
	     f->has_inverses;
	     k++)
		rc = cscg_merge_sets_landmarks(f, k, factor, err) < 0 ? -1 : 0;
	if (rc == 0 && f->has_inverses)
		rc = search(l, seed, err);
	cscg_merge_sets_free(f);
	f->poll = poll;
	return rc;
}

int
cscg_merge_by_inverses(const struct cscg_walk *w, uint64_t seed,
    struct cscg_poll *poll, struct cscg_merge **out, struct cscg_err *err)
{
	struct inverse_search l = { .max_states = SIZE_MAX, .f.poll = poll };
	int rc = -1;

	*out = NULL;
	if (!cscg_merge_sets_fits(w) || cscg_poll_stopped(poll))
		return 0;
	l.stays = cscg_alloc(2 * (size_t)w->head.n_actions *
		((size_t)w->head.n_obs + 1),
	    sizeof *l.stays, err);
	if (l.stays)
		rc = search_from(&l, w, true, seed, err);
	if (rc == 0)
		rc = search_from(&l, w, false, seed, err);
	free(l.option);
	free(l.stays);
	if (rc < 0) {
		cscg_merge_free(l.best);
		return -1;
	}
	*out = l.best;
	return l.best != NULL;
}
