/* holdout.c - which steps are held out, and their likelihood, by hand */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "learn/holdout.h"
#include "tap.h"
#include "walk_check.h"
#include "walker.h"

/* A walk of n steps of symbols 0, 1, 0, 1, ... in episodes of the same length. */
static struct cscg_walk *
alternating(int n, int episodes)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 2 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t, length = n / episodes;

	for (t = 0; t < n; t++) {
		struct cscg_step s = { .x = t % length % 2,
			.a = t % length == length - 1 ? -1 : 0,
			.z = -1,
			.goal = -1,
			.r = NAN };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

/*
 * Two states, one for each symbol, with counts of `other` and `same`
 * transitions.
 */
static struct cscg_model *
two_states(double other, double same)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 2, 1, 2,
	    &err));
	struct cscg_count c[] = { { 0, 0, 0, same }, { 0, 1, 1, same },
		{ 0, 0, 1, other }, { 0, 1, 0, other } };

	m->clone[1] = 1;
	need(cscg_model_set_counts(m, c, other > 0 ? 4 : 2, &err) < 0 ? NULL :
									m);
	return m;
}

static double
loglik(const struct cscg_holdout *h, int fold, struct cscg_model *m)
{
	double l;

	need(cscg_holdout_loglik(h, fold, m, &cscg_plain_double, NULL, &l,
		 &err) < 0 ?
		NULL :
		m);
	cscg_model_free(m);
	return l;
}

/* Ten blocks of ten steps: each fold holds out two. */
static void
short_walk(void)
{
	struct cscg_walk *w = alternating(100, 1);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	const struct cscg_walk *train = h->train[1];
	int t, right = 0;

	for (t = 0; t < 100; t++)
		right += h->fold[t] == t / 10 % 5;
	ok(h->n_folds == 5 && h->n_held == 100 && right == 100,
	    "each step of a short walk is held out once");
	ok(train->n_steps == 80 && train->n_episodes == 3 &&
		train->start[1] == 10 && train->start[2] == 50,
	    "the training walk ends where a block begins");
	ok(walk_is_valid(train), "the training walk is valid");
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

static void
long_walk(void)
{
	struct cscg_walk *w = alternating(8000, 1);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));

	ok(h->n_folds == 1 && h->n_held == 800 && h->fold[1799] == -1 &&
		h->fold[1800] == 0 && h->fold[1999] == 0 &&
		h->fold[2000] == -1,
	    "four blocks of a long walk are held out, a tenth in all");
	ok(h->train[0]->n_steps == 7200 && h->train[0]->n_episodes == 4,
	    "the rest is the training walk");
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

static void
many_episodes(void)
{
	struct cscg_walk *w = alternating(6000, 100);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));

	ok(h->n_held == 600 && h->fold[9 * 60] == 0 &&
		h->fold[10 * 60 - 1] == 0 && h->fold[10 * 60] == -1,
	    "whole episodes are held out if there are many");
	ok(h->train[0]->n_episodes == 90,
	    "the other episodes are the training walk");
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

static void
likelihood(void)
{
	struct cscg_walk *w = alternating(100, 1);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));

	ok(near(loglik(h, 1, two_states(9, 1)), 20 * log(.9), 1e-9),
	    "a held-out step is predicted from the step before it");
	ok(near(loglik(h, 0, two_states(9, 1)), 19 * log(.9) + log(.5), 1e-9),
	    "the first step of the walk is predicted from the initial "
	    "distribution");
	ok(near(loglik(h, 1, two_states(0, 1)), 20 * log(DBL_MIN), 1e-6),
	    "an impossible step has the smallest positive probability");
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

int
main(void)
{
	struct cscg_walk *w = alternating(49, 1);

	short_walk();
	long_walk();
	many_episodes();
	likelihood();
	ok(!cscg_holdout_new(w, &err) && err.code == CSCG_EMISMATCH,
	    "49 steps are too few to hold out");
	cscg_walk_free(w);
	return done();
}
