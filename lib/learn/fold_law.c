/*
 * fold_law.c - the graph behind a walk whose moves undo each other
 *
 * Agreement says little where all looks the same.  But in most worlds one action
 * undoes another, and the walk shows which: wherever a changed what is seen, b
 * brought back what was seen before.  By that law, if a leads from place s to
 * another place t, then b leads from t to s.  So there are few things that the
 * successor x of a settled place t by b can be:
 *
 *   - s, if a is known to lead from s to t;
 *   - t itself (a wall);
 *   - a settled place from which a may lead to t, and nowhere else;
 *   - a new place, from which a leads to t.
 *
 * Each is tried, with all that follows from it.  If one is left, it is so.  If
 * none is, a guess was wrong.  Else the successor for which one possibility
 * explains most, compared with the next best, is guessed; the guess is taken
 * back when it ends in contradiction.  Since an early guess that is wrong may
 * show only late, there are several runs, with guesses in other orders, and the
 * smallest graph is the answer.
 */
#include <math.h>
#include <stdlib.h>

#include "learn/fold_place.h"
#include "base/mem.h"
#include "base/rng.h"

enum { MAX_RUNS = 20, MAX_GUESSES = 100, MAX_ACTIONS = 64 };

/* Pairs of moments to look at in all the runs from one start. */
static const long MAX_PAIRS = 30000000;

static const double MIN_INVERSE_NATS = 7;		/* nats to believe a law */
static const double COMPLETE = 0.99;	/* share of steps to place */
static const double NEARLY_COMPLETE = 0.95;	/* to ask for smaller graphs then */

/* What x may be: a settled place, or -1: a new one. */
struct option {
	int node;
	double nats;
};

struct inverse_search {
	struct cscg_merge_sets f;
	int inverse[MAX_ACTIONS];	/* what undoes an action, or -1 */
	struct cscg_rng rng;
	double order_noise;
	long guesses;		/* left in this run */
	size_t max_states;		/* there are fewer places than that */
	struct option *option;	/* of what was looked at last */
	size_t cap_option;
	struct cscg_merge *best;
};

/* What became of a run, and of a look at all that is open. */
enum { CONTRADICTION, SOLVED };
enum { UNCHANGED = 1, CHANGED = 2 };

/* ---- the law ---- */

static bool
is_inverse(const long *yes, const long *no, int n_actions, int a, int b)
{
	double sum = 1, all = 2;
	int k;

	for (k = 0; k < n_actions; k++) {
		sum += (double)yes[a * n_actions + k];
		all += (double)(yes[a * n_actions + k] +
		    no[a * n_actions + k]);
	}
	return !no[a * n_actions + b] &&
	    -log(sum / all) * (double)yes[a * n_actions + b] >= MIN_INVERSE_NATS;
}

/* Find what undoes what: 1 if anything does. */
static int
find_inverses(struct inverse_search *l, const struct cscg_walk *w, struct cscg_err *err)
{
	int A = w->head.n_actions, a, b, any = 0;
	long *yes = cscg_alloc((size_t)A * (size_t)A, sizeof *yes, err), t;
	long *no = cscg_alloc((size_t)A * (size_t)A, sizeof *no, err);

	for (t = 2; yes && no && t < w->n_steps; t++) {
		if (cscg_merge_starts_run(w, t - 1) || cscg_merge_starts_run(w, t) ||
		    w->x[t - 2] < 0 || w->x[t - 1] < 0 || w->x[t] < 0 ||
		    w->x[t - 2] == w->x[t - 1])
			continue;
		(w->x[t] == w->x[t - 2] ? yes : no)[w->a[t - 2] * A +
		    w->a[t - 1]]++;
	}
	for (b = 0; yes && no && b < A; b++) {
		l->inverse[b] = -1;
		for (a = 0; a < A; a++)
			if (is_inverse(yes, no, A, a, b) &&
			    is_inverse(yes, no, A, b, a))
				l->inverse[b] = l->inverse[b] == -1 ? a : -2;
	}
	a = yes && no ? 0 : -1;
	free(yes);
	free(no);
	if (a < 0)
		return -1;
	for (b = 0; b < A; b++)
		if (l->inverse[b] < 0 || l->inverse[l->inverse[b]] != b)
			l->inverse[b] = -1;
		else
			any = 1;
	return any;
}

/* ---- what a successor may be ---- */

static int
successor(const struct cscg_merge_sets *f, int v, int a)
{
	int to = f->next[(size_t)v * (size_t)f->A + (size_t)a];

	return to < 0 ? -1 : cscg_merge_sets_find(f, to);
}

/*
 * Let x, the successor of t by what a undoes, be this place: 1 with the evidence
 * in *nats, 0 if that cannot be, -1 on failure.  The log has what to take back.
 */
static int
apply_option(struct inverse_search *l, int t, int a, int x, int node, double *nats,
    struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	int rc = 1, y;

	*nats = 0;
	f->trial++;
	if (node >= 0)
		rc = cscg_merge_sets_union(f, node, x, nats, err);
	x = cscg_merge_sets_find(f, x);
	y = rc > 0 && x != t ? successor(f, x, a) : -1;
	if (y >= 0)
		rc = cscg_merge_sets_union(f, t, y, nats, err);
	else if (rc > 0 && x != t &&	/* never seen, but by the law */
	    cscg_merge_sets_assign(f, &f->next[(size_t)x * (size_t)f->A + (size_t)a],
	    t, err) < 0)
		rc = -1;
	if (rc > 0 && node < 0 && f->red[cscg_merge_sets_find(f, x)])
		rc = 0;		/* not so new */
	return rc;
}

/* Could x be this place, by its looks and by where a leads from there? */
static bool
is_possible(const struct cscg_merge_sets *f, int t, int a, int x, int node)
{
	int y;

	if (f->label[node] >= 0 && f->label[x] >= 0 &&
	    f->label[node] != f->label[x])
		return false;
	y = node == t ? -1 : successor(f, node, a);
	return y < 0 || !f->red[y] || y == t;
}

/* Add a possibility if it is one; staying is likelier than any one place. */
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
	/* Agreement is not independent where all looks the same: half of it. */
	l->option[n].node = node;
	l->option[n].nats = nats / 2 +
	    (node == t ? log((double)l->f.n_reds + 1) : 0);
	return n + 1;
}

/* The possibilities for the successor x of t by b: how many, or -1. */
static int
list_options(struct inverse_search *l, int t, int b, int x, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	int a = l->inverse[b], n = 0, s = -1;
	size_t i;

	for (i = 0; i < f->n_reds && s < 0; i++)
		if (f->reds[i] != t && successor(f, f->reds[i], a) == t)
			s = f->reds[i];
	if (s >= 0)
		return is_possible(f, t, a, x, s) ?
		    add_option(l, t, a, x, s, 0, err) : 0;
	for (i = 0; i < f->n_reds && n >= 0; i++)
		if (is_possible(f, t, a, x, f->reds[i]))
			n = add_option(l, t, a, x, f->reds[i], n, err);
	return n < 0 ? -1 : add_option(l, t, a, x, -1, n, err);
}

static int
commit_option(struct inverse_search *l, int t, int b, int node, struct cscg_err *err)
{
	int x = successor(&l->f, t, b);
	double nats;

	if (apply_option(l, t, l->inverse[b], x, node, &nats, err) < 0)
		return -1;
	return node >= 0 ? 0 :
	    cscg_merge_sets_add_red(&l->f, cscg_merge_sets_find(&l->f, x), err);
}

/* ---- the search ---- */

/* Take back all since then. */
static void
undo_to(struct cscg_merge_sets *f, size_t log_mark, size_t n_reds)
{
	while (f->n_reds > n_reds)
		f->red[f->reds[--f->n_reds]] = 0;
	cscg_merge_sets_undo(f, log_mark);
}

/* How far the best of n options is ahead of the next. */
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
over_budget(const struct inverse_search *l)
{
	return l->f.n_reds >= l->max_states || l->f.n_pairs > MAX_PAIRS;
}

/*
 * Look at every open successor once and settle those that can be one thing only:
 * CONTRADICTION, UNCHANGED, or CHANGED if any was; or -1.  The one to guess at is that of *t
 * by *b; of none (-1), if nothing speaks for any and there is no noise.
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
	for (i = 0; i < f->n_reds; i++)
		for (a = 0; a < f->A; a++) {
			x = l->inverse[a] < 0 ? -1 : successor(f, f->reds[i], a);
			if (x < 0 || f->red[x])
				continue;
			n = list_options(l, f->reds[i], a, x, err);
			if (n < 0)
				return -1;
			if (n == 0 || over_budget(l))
				return CONTRADICTION;
			if (n == 1) {
				if (commit_option(l, f->reds[i], a,
				    l->option[0].node, err) < 0)
					return -1;
				rc = CHANGED;
				continue;
			}
			g = margin(l->option, n) * exp(l->order_noise * (2 *
			    cscg_rng_uniform(&l->rng) - 1));
			if (g > most) {
				most = g;
				*t = f->reds[i];
				*b = a;
			}
		}
	return rc;
}

/* The share of the steps that are in a settled place. */
static double
fraction_assigned(const struct cscg_merge_sets *f)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < f->n_reds; i++)
		sum += f->size[f->reds[i]];
	return sum / (double)f->n;
}

/* Keep this graph if it takes fewer places for all steps than the best. */
static int
keep_best(struct inverse_search *l, struct cscg_err *err)
{
	struct cscg_merge *new = cscg_alloc(1, sizeof *new, err);

	if (!new || cscg_merge_sets_number(&l->f, new, err) < 0) {
		cscg_merge_free(new);
		return -1;
	}
	if (new->assigned >= NEARLY_COMPLETE && l->f.n_reds < l->max_states)
		l->max_states = l->f.n_reds;
	if (!l->best || new->n_states / new->assigned <
	    l->best->n_states / l->best->assigned) {
		cscg_merge_free(l->best);
		l->best = new;
	} else {
		cscg_merge_free(new);
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

/* Guess what the successor of t by b is: SOLVED, or CONTRADICTION if nothing goes. */
static int
guess(struct inverse_search *l, int t, int b, struct cscg_err *err)
{
	size_t log_mark = l->f.n_log, n_reds = l->f.n_reds;
	struct option *o;
	int i, n, rc = CONTRADICTION;

	n = list_options(l, t, b, successor(&l->f, t, b), err);
	if (n < 0)
		return -1;
	/* What follows needs the list for itself. */
	o = l->option;
	l->option = NULL;
	l->cap_option = 0;
	qsort(o, (size_t)n, sizeof *o, by_nats);
	for (i = 0; i < n && rc == CONTRADICTION && l->guesses > 0; i++) {
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

/* From the places settled so far to all: SOLVED, CONTRADICTION, or -1. */
static int
solve(struct inverse_search *l, struct cscg_err *err)
{
	int t = -1, b = 0, rc;

	do
		rc = propagate(l, &t, &b, err);
	while (rc == CHANGED);
	if (rc <= CONTRADICTION)
		return rc;
	if (t < 0 || fraction_assigned(&l->f) >= COMPLETE)
		return keep_best(l, err);
	return guess(l, t, b, err);
}

/* All runs from the places that are settled in l->f. */
static int
search(struct inverse_search *l, uint64_t seed, struct cscg_err *err)
{
	struct cscg_merge_sets *f = &l->f;
	size_t n_reds, most = (size_t)(f->n / (4 * f->A)) + 1;
	int run, rc = CONTRADICTION;

	cscg_merge_sets_refresh(f);
	f->reds_distinct = true;
	f->n_log = 0;
	f->n_pairs = 0;
	n_reds = f->n_reds;
	if (l->max_states > most)
		l->max_states = most;
	for (run = 0; n_reds && run < MAX_RUNS && rc >= 0; run++) {
		cscg_rng_seed(&l->rng, seed, CSCG_RNG_TIES, (uint64_t)run, 1);
		l->order_noise = run > 0;
		l->guesses = MAX_GUESSES;
		rc = solve(l, err);
		undo_to(f, 0, n_reds);
		/* Without a guess all runs are the same. */
		if (l->guesses == MAX_GUESSES || f->n_pairs > MAX_PAIRS)
			break;
	}
	return rc < 0 ? -1 : 0;
}

/* The runs that start from landmarks alone, or from all that agreement tells. */
static int
search_from(struct inverse_search *l, const struct cscg_walk *w, bool landmarks,
    uint64_t seed, struct cscg_err *err)
{
	int rc = cscg_merge_sets_new(&l->f, w, err), moves;

	if (rc == 0 && !landmarks)
		rc = cscg_merge_sets_blue_fringe(&l->f, err) < 0 ? -1 : 0;
	for (moves = 0; rc == 0 && moves <= CSCG_MERGE_LANDMARK_MAX &&
	    !l->f.n_reds; moves++)
		rc = cscg_merge_sets_landmarks(&l->f, moves, err);
	if (rc == 0)
		rc = search(l, seed, err);
	cscg_merge_sets_free(&l->f);
	l->f = (struct cscg_merge_sets){ 0 };
	return rc;
}

int
cscg_merge_by_inverses(const struct cscg_walk *w, uint64_t seed,
    struct cscg_merge **out, struct cscg_err *err)
{
	struct inverse_search l = { .max_states = SIZE_MAX };
	int rc;

	*out = NULL;
	if (!cscg_merge_sets_fits(w) || w->head.n_actions > MAX_ACTIONS)
		return 0;
	rc = find_inverses(&l, w, err);
	if (rc <= 0)
		return rc;
	rc = search_from(&l, w, true, seed, err);
	if (rc == 0)
		rc = search_from(&l, w, false, seed, err);
	free(l.option);
	if (rc < 0) {
		cscg_merge_free(l.best);
		return -1;
	}
	*out = l.best;
	return l.best != NULL;
}
