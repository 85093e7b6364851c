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

enum { RUNS = 20, GUESSES = 100, MOST_ACTIONS = 64 };

/* Pairs of moments to look at in all the runs from one start. */
static const long MOST_WORK = 30000000;

static const double SURE = 7;		/* nats to believe a law */
static const double ENOUGH = 0.99;	/* share of steps to place */
static const double NEARLY = 0.95;	/* to ask for smaller graphs then */

/* What x may be: a settled place, or -1: a new one. */
struct option {
	int place;
	double nats;
};

struct law {
	struct cscg_places f;
	int back[MOST_ACTIONS];	/* what undoes an action, or -1 */
	struct cscg_rng rng;
	double noise;
	long guesses;		/* left in this run */
	size_t bound;		/* there are fewer places than that */
	struct option *option;	/* of what was looked at last */
	size_t cap_option;
	struct cscg_fold *best;
};

/* What became of a run, and of a look at all that is open. */
enum { CLASH, SOLVED };
enum { STILL = 1, MOVED = 2 };

/* ---- the law ---- */

static bool
undoes(const long *yes, const long *no, int n_actions, int a, int b)
{
	double sum = 1, all = 2;
	int k;

	for (k = 0; k < n_actions; k++) {
		sum += (double)yes[a * n_actions + k];
		all += (double)(yes[a * n_actions + k] +
		    no[a * n_actions + k]);
	}
	return !no[a * n_actions + b] &&
	    -log(sum / all) * (double)yes[a * n_actions + b] >= SURE;
}

/* Find what undoes what: 1 if anything does. */
static int
find_law(struct law *l, const struct cscg_walk *w, struct cscg_err *err)
{
	int A = w->head.n_actions, a, b, any = 0;
	long *yes = cscg_alloc((size_t)A * (size_t)A, sizeof *yes, err), t;
	long *no = cscg_alloc((size_t)A * (size_t)A, sizeof *no, err);

	for (t = 2; yes && no && t < w->n_steps; t++) {
		if (cscg_places_fresh(w, t - 1) || cscg_places_fresh(w, t) ||
		    w->x[t - 2] < 0 || w->x[t - 1] < 0 || w->x[t] < 0 ||
		    w->x[t - 2] == w->x[t - 1])
			continue;
		(w->x[t] == w->x[t - 2] ? yes : no)[w->a[t - 2] * A +
		    w->a[t - 1]]++;
	}
	for (b = 0; yes && no && b < A; b++) {
		l->back[b] = -1;
		for (a = 0; a < A; a++)
			if (undoes(yes, no, A, a, b) &&
			    undoes(yes, no, A, b, a))
				l->back[b] = l->back[b] == -1 ? a : -2;
	}
	a = yes && no ? 0 : -1;
	free(yes);
	free(no);
	if (a < 0)
		return -1;
	for (b = 0; b < A; b++)
		if (l->back[b] < 0 || l->back[l->back[b]] != b)
			l->back[b] = -1;
		else
			any = 1;
	return any;
}

/* ---- what a successor may be ---- */

static int
successor(const struct cscg_places *f, int v, int a)
{
	int to = f->next[(size_t)v * (size_t)f->A + (size_t)a];

	return to < 0 ? -1 : cscg_places_find(f, to);
}

/*
 * Let x, the successor of t by what a undoes, be this place: 1 with the evidence
 * in *nats, 0 if that cannot be, -1 on failure.  The log has what to take back.
 */
static int
suppose(struct law *l, int t, int a, int x, int place, double *nats,
    struct cscg_err *err)
{
	struct cscg_places *f = &l->f;
	int rc = 1, y;

	*nats = 0;
	f->now++;
	if (place >= 0)
		rc = cscg_places_merge(f, place, x, nats, err);
	x = cscg_places_find(f, x);
	y = rc > 0 && x != t ? successor(f, x, a) : -1;
	if (y >= 0)
		rc = cscg_places_merge(f, t, y, nats, err);
	else if (rc > 0 && x != t &&	/* never seen, but by the law */
	    cscg_places_put(f, &f->next[(size_t)x * (size_t)f->A + (size_t)a],
	    t, err) < 0)
		rc = -1;
	if (rc > 0 && place < 0 && f->red[cscg_places_find(f, x)])
		rc = 0;		/* not so new */
	return rc;
}

/* Could x be this place, by its looks and by where a leads from there? */
static bool
possible(const struct cscg_places *f, int t, int a, int x, int place)
{
	int y;

	if (f->label[place] >= 0 && f->label[x] >= 0 &&
	    f->label[place] != f->label[x])
		return false;
	y = place == t ? -1 : successor(f, place, a);
	return y < 0 || !f->red[y] || y == t;
}

/* Add a possibility if it is one; staying is likelier than any one place. */
static int
add_option(struct law *l, int t, int a, int x, int place, int n,
    struct cscg_err *err)
{
	size_t mark = l->f.n_log;
	double nats;
	int rc = suppose(l, t, a, x, place, &nats, err);

	cscg_places_take_back(&l->f, mark);
	if (rc <= 0)
		return rc < 0 ? -1 : n;
	if (cscg_grow(&l->option, &l->cap_option, (size_t)n + 1,
	    sizeof *l->option, err) < 0)
		return -1;
	/* Agreement is not independent where all looks the same: half of it. */
	l->option[n].place = place;
	l->option[n].nats = nats / 2 +
	    (place == t ? log((double)l->f.n_reds + 1) : 0);
	return n + 1;
}

/* The possibilities for the successor x of t by b: how many, or -1. */
static int
list_options(struct law *l, int t, int b, int x, struct cscg_err *err)
{
	struct cscg_places *f = &l->f;
	int a = l->back[b], n = 0, s = -1;
	size_t i;

	for (i = 0; i < f->n_reds && s < 0; i++)
		if (f->reds[i] != t && successor(f, f->reds[i], a) == t)
			s = f->reds[i];
	if (s >= 0)
		return possible(f, t, a, x, s) ?
		    add_option(l, t, a, x, s, 0, err) : 0;
	for (i = 0; i < f->n_reds && n >= 0; i++)
		if (possible(f, t, a, x, f->reds[i]))
			n = add_option(l, t, a, x, f->reds[i], n, err);
	return n < 0 ? -1 : add_option(l, t, a, x, -1, n, err);
}

static int
settle(struct law *l, int t, int b, int place, struct cscg_err *err)
{
	int x = successor(&l->f, t, b);
	double nats;

	if (suppose(l, t, l->back[b], x, place, &nats, err) < 0)
		return -1;
	return place >= 0 ? 0 :
	    cscg_places_add_red(&l->f, cscg_places_find(&l->f, x), err);
}

/* ---- the search ---- */

/* Take back all since then. */
static void
back_to(struct cscg_places *f, size_t mark, size_t n_reds)
{
	while (f->n_reds > n_reds)
		f->red[f->reds[--f->n_reds]] = 0;
	cscg_places_take_back(f, mark);
}

/* How far the best of n options is ahead of the next. */
static double
lead(const struct option *o, int n)
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
too_much(const struct law *l)
{
	return l->f.n_reds >= l->bound || l->f.work > MOST_WORK;
}

/*
 * Look at every open successor once and settle those that can be one thing only:
 * CLASH, STILL, or MOVED if any was; or -1.  The one to guess at is that of *t
 * by *b; of none (-1), if nothing speaks for any and there is no noise.
 */
static int
look(struct law *l, int *t, int *b, struct cscg_err *err)
{
	struct cscg_places *f = &l->f;
	double g, most = -1;
	int a, n, x, rc = STILL;
	size_t i;

	*t = -1;
	*b = 0;
	for (i = 0; i < f->n_reds; i++)
		for (a = 0; a < f->A; a++) {
			x = l->back[a] < 0 ? -1 : successor(f, f->reds[i], a);
			if (x < 0 || f->red[x])
				continue;
			n = list_options(l, f->reds[i], a, x, err);
			if (n < 0)
				return -1;
			if (n == 0 || too_much(l))
				return CLASH;
			if (n == 1) {
				if (settle(l, f->reds[i], a,
				    l->option[0].place, err) < 0)
					return -1;
				rc = MOVED;
				continue;
			}
			g = lead(l->option, n) * exp(l->noise * (2 *
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
share(const struct cscg_places *f)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < f->n_reds; i++)
		sum += f->size[f->reds[i]];
	return sum / (double)f->n;
}

/* Keep this graph if it takes fewer places for all steps than the best. */
static int
keep(struct law *l, struct cscg_err *err)
{
	struct cscg_fold *new = cscg_alloc(1, sizeof *new, err);

	if (!new || cscg_places_number(&l->f, new, err) < 0) {
		cscg_fold_free(new);
		return -1;
	}
	if (new->settled >= NEARLY && l->f.n_reds < l->bound)
		l->bound = l->f.n_reds;
	if (!l->best || new->n_states / new->settled <
	    l->best->n_states / l->best->settled) {
		cscg_fold_free(l->best);
		l->best = new;
	} else {
		cscg_fold_free(new);
	}
	return SOLVED;
}

static int
by_nats(const void *p, const void *q)
{
	const struct option *u = p, *v = q;

	if (u->nats != v->nats)
		return u->nats > v->nats ? -1 : 1;
	return u->place < v->place ? -1 : u->place > v->place;
}

static int solve(struct law *l, struct cscg_err *err);

/* Guess what the successor of t by b is: SOLVED, or CLASH if nothing goes. */
static int
guess(struct law *l, int t, int b, struct cscg_err *err)
{
	size_t mark = l->f.n_log, n_reds = l->f.n_reds;
	struct option *o;
	int i, n, rc = CLASH;

	n = list_options(l, t, b, successor(&l->f, t, b), err);
	if (n < 0)
		return -1;
	/* What follows needs the list for itself. */
	o = l->option;
	l->option = NULL;
	l->cap_option = 0;
	qsort(o, (size_t)n, sizeof *o, by_nats);
	for (i = 0; i < n && rc == CLASH && l->guesses > 0; i++) {
		l->guesses--;
		rc = settle(l, t, b, o[i].place, err);
		if (rc == 0)
			rc = solve(l, err);
		if (rc == CLASH)
			back_to(&l->f, mark, n_reds);
	}
	free(o);
	return rc;
}

/* From the places settled so far to all: SOLVED, CLASH, or -1. */
static int
solve(struct law *l, struct cscg_err *err)
{
	int t = -1, b = 0, rc;

	do
		rc = look(l, &t, &b, err);
	while (rc == MOVED);
	if (rc <= CLASH)
		return rc;
	if (t < 0 || share(&l->f) >= ENOUGH)
		return keep(l, err);
	return guess(l, t, b, err);
}

/* All runs from the places that are settled in l->f. */
static int
search(struct law *l, uint64_t seed, struct cscg_err *err)
{
	struct cscg_places *f = &l->f;
	size_t n_reds, most = (size_t)(f->n / (4 * f->A)) + 1;
	int run, rc = CLASH;

	cscg_places_refresh(f);
	f->apart = true;
	f->n_log = 0;
	f->work = 0;
	n_reds = f->n_reds;
	if (l->bound > most)
		l->bound = most;
	for (run = 0; n_reds && run < RUNS && rc >= 0; run++) {
		cscg_rng_seed(&l->rng, seed, CSCG_RNG_TIES, (uint64_t)run, 1);
		l->noise = run > 0;
		l->guesses = GUESSES;
		rc = solve(l, err);
		back_to(f, 0, n_reds);
		/* Without a guess all runs are the same. */
		if (l->guesses == GUESSES || f->work > MOST_WORK)
			break;
	}
	return rc < 0 ? -1 : 0;
}

/* The runs that start from landmarks alone, or from all that agreement tells. */
static int
search_from(struct law *l, const struct cscg_walk *w, bool landmarks,
    uint64_t seed, struct cscg_err *err)
{
	int rc = cscg_places_begin(&l->f, w, err), moves;

	if (rc == 0 && !landmarks)
		rc = cscg_places_settle(&l->f, err) < 0 ? -1 : 0;
	for (moves = 0; rc == 0 && moves <= CSCG_PLACES_LONGEST &&
	    !l->f.n_reds; moves++)
		rc = cscg_places_landmarks(&l->f, moves, err);
	if (rc == 0)
		rc = search(l, seed, err);
	cscg_places_end(&l->f);
	l->f = (struct cscg_places){ 0 };
	return rc;
}

int
cscg_fold_by_law(const struct cscg_walk *w, uint64_t seed,
    struct cscg_fold **out, struct cscg_err *err)
{
	struct law l = { .bound = SIZE_MAX };
	int rc;

	*out = NULL;
	if (!cscg_places_fit(w) || w->head.n_actions > MOST_ACTIONS)
		return 0;
	rc = find_law(&l, w, err);
	if (rc <= 0)
		return rc;
	rc = search_from(&l, w, true, seed, err);
	if (rc == 0)
		rc = search_from(&l, w, false, seed, err);
	free(l.option);
	if (rc < 0) {
		cscg_fold_free(l.best);
		return -1;
	}
	*out = l.best;
	return l.best != NULL;
}
