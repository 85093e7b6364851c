/* alergia.c - automata of strings, by hand; the choice between them and EM */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kernel/cpu.h"
#include "kernel/decoder.h"
#include "learn/alergia.h"
#include "tap.h"
#include "walker.h"

enum { END = 2 };

static const struct cscg_learn usual = { .iterations = 100,
	.restarts = 1,
	.tolerance = 1e-5,
	.pseudocount = 2e-3,
	.seed = 42,
	.threads = 1 };

/*
 * Strings of a and b with an even number of b: an automaton of two states.  In
 * the even state the string ends with probability .2, else a or b follow; in
 * the odd state a has probability .8.
 */
static struct cscg_walk *
even_strings(int n, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int i, odd;

	cscg_rng_seed(&rng, seed, CSCG_RNG_WALK, 0, 0);
	for (i = 0; i < n; i++)
		for (odd = 0;;) {
			double u = cscg_rng_uniform(&rng);
			struct cscg_step s = { .z = -1, .goal = -1, .r = NAN };

			s.x = odd ? u >= .8 : u < .2 ? END : u < .6;
			s.a = s.x == END ? -1 : 0;
			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
			if (s.x == END)
				break;
			odd ^= s.x;
		}
	return w;
}

/* Nats per string of the source: log-likelihood of w by the true automaton. */
static double
true_loglik(const struct cscg_walk *w)
{
	double sum = 0;
	int odd = 0;
	long t;

	for (t = 0; t < w->n_steps; t++) {
		sum += log(odd ? (w->x[t] ? .2 : .8) :
				 (w->x[t] == END ? .2 : .4));
		odd = w->x[t] == END ? 0 : odd ^ w->x[t];
	}
	return sum;
}

static double
count(const struct cscg_model *m, int from, int to)
{
	long i;

	for (i = m->first[from]; i < m->first[from + 1]; i++)
		if (m->to[i] == to)
			return m->count[i];
	return 0;
}

/* a, even and odd, b likewise, and the end: five states. */
static void
even(void)
{
	struct cscg_walk *w = even_strings(4000, 1);
	struct cscg_model *m;
	static const int clone[5] = { 0, 0, 1, 1, END },
			 even_odd[5] = { 0, 1, 0, 1, -1 };
	double ends = 0, all = 0;
	int *group, j;

	need(cscg_alergia(w, &usual, 1e-6, &m, &group, &err) < 0 ? NULL : m);
	need(cscg_model_check(m, &err) < 0 ? NULL : m);
	ok(m->n_states == 5 && !memcmp(m->clone, clone, sizeof clone),
	    "an automaton of two states gives %d model states", m->n_states);
	ok(!memcmp(group, even_odd, sizeof even_odd),
	    "each state has its automaton state, the end none");
	free(group);
	/* Rows of (a, s) and (b, s) are those of s. */
	for (j = 0; j < 5; j++)
		ok(count(m, 0, j) == count(m, 2, j) &&
			count(m, 1, j) == count(m, 3, j),
		    "rows of merged states are equal (%d)", j);
	for (j = 0; j < 5; j++)
		all += count(m, 0, j);
	ends = count(m, 0, 4);
	ok(near(ends / all, .2, .02), "strings end in the even state: %.3f",
	    ends / all);
	ok(count(m, 1, 4) == 0, "strings never end in the odd state");
	ok(ends == 4000, "every end of a string is counted");
	/* Of all visits, not of the first ones alone. */
	for (j = 0; j < 5; j++)
		ok(near(m->pi[j], count(m, 0, j) / all, 1e-12),
		    "pi is the row of the first automaton state (%d)", j);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* On other strings it is as good as the source. */
static void
choice(void)
{
	struct cscg_walk *w = even_strings(2000, 1),
			 *v = even_strings(3000, 2);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	struct cscg_learn_progress last;
	struct cscg_model *m;
	double held = -INFINITY, loglik;

	ok(cscg_alergia_applies(w),
	    "applies to many episodes without actions");
	ok(cscg_alergia_select(h, &usual, &held, &m, &last, &err) == 1,
	    "a model is selected");
	need(cscg_decode_loglik(m, v, &cscg_plain_double, NULL, &loglik,
		 &err) < 0 ?
		NULL :
		m);
	ok(loglik > 1.005 * true_loglik(v),
	    "%.4f nats per string, source %.4f", -loglik / 3000,
	    -true_loglik(v) / 3000);
	/* Of larger automata and of EM none predicts 3 nats better. */
	ok(m->n_states == 5 && count(m, 0, 1) == count(m, 2, 1) &&
		count(m, 0, 4) == count(m, 2, 4),
	    "the automaton of the source is chosen: %d states, rows of merged "
	    "states are equal",
	    m->n_states);
	ok(held < 0 && isfinite(held),
	    "the held-out log-likelihood is finite");
	cscg_model_free(m);
	ok(cscg_alergia_select(h, &usual, &held, &m, &last, &err) == 0 && !m,
	    "none is fitted that is no better than another candidate");
	cscg_holdout_free(h);
	v->head.n_actions = 2;
	ok(!cscg_alergia_applies(v),
	    "does not apply to walks with two actions");
	cscg_walk_free(v);
	cscg_walk_free(w);
	w = even_strings(99, 1);
	ok(!cscg_alergia_applies(w), "does not apply to few episodes");
	cscg_walk_free(w);
}

/*
 * Strings of a source with two hidden states: its state stays with probability .9
 * and emits its own symbol with .8; a string ends with probability .05 after
 * each symbol.  No automaton has finitely many states for it.
 */
static struct cscg_walk *
hidden_strings(int n, uint64_t seed)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_rng rng;
	int i, z;

	cscg_rng_seed(&rng, seed, CSCG_RNG_WALK, 0, 0);
	for (i = 0; i < n; i++)
		for (z = 0;;) {
			struct cscg_step s = { .z = -1, .goal = -1, .r = NAN };

			z ^= cscg_rng_uniform(&rng) < .1;
			s.x = z ^ (cscg_rng_uniform(&rng) < .2);
			if (cscg_rng_uniform(&rng) < .05)
				s.x = END;
			s.a = s.x == END ? -1 : 0;
			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
			if (s.x == END)
				break;
		}
	return w;
}

/* The log-likelihood of w by that source: forward probabilities. */
static double
hidden_loglik(const struct cscg_walk *w)
{
	double p[2] = { 1, 0 }, q[2], sum = 0, all;
	long t;
	int z;

	for (t = 0; t < w->n_steps; t++) {
		for (z = 0; z < 2; z++)
			q[z] = (.9 * p[z] + .1 * p[1 - z]) *
			    (w->x[t] == END ? .05 :
					      .95 * (w->x[t] == z ? .8 : .2));
		all = q[0] + q[1];
		sum += log(all);
		for (z = 0; z < 2; z++)
			p[z] = w->x[t] == END ? !z : q[z] / all;
	}
	return sum;
}

/* EM from the automaton is chosen, and states of the automaton keep one row. */
static void
hidden(void)
{
	struct cscg_walk *w = hidden_strings(3000, 1),
			 *v = hidden_strings(3000, 2);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	struct cscg_learn_progress last;
	struct cscg_model *m;
	double held = -INFINITY, loglik, source = hidden_loglik(v);
	int j, k, equal = 0;

	ok(cscg_alergia_select(h, &usual, &held, &m, &last, &err) == 1,
	    "strings of hidden states: a model is selected");
	ok(last.iteration >= 5, "EM is chosen: %ld updates", last.iteration);
	need(cscg_decode_loglik(m, v, &cscg_plain_double, NULL, &loglik,
		 &err) < 0 ?
		NULL :
		m);
	ok(loglik > 1.002 * source, "%.4f nats per string, source %.4f",
	    -loglik / 3000, -source / 3000);
	for (j = 0; j < m->n_states; j++)
		for (k = 0; k < j; k++)
			equal += count(m, j, 0) > 0 &&
			    count(m, j, 0) == count(m, k, 0) &&
			    count(m, j, m->n_states - 1) ==
				count(m, k, m->n_states - 1);
	cscg_model_free(m);
	ok(equal >= 1, "states of the same automaton state keep equal rows");
	cscg_holdout_free(h);
	cscg_walk_free(w);
	cscg_walk_free(v);
}

/* ---- ends by poll ---- */

/* Calls of poll for prefix trees; one of them, or the first of a tree, stops. */
struct calls {
	int n, stop_at;      /* calls; the number of the last one, 0: none */
	int tree, stop_tree; /* trees, from 1; the one that stops, 0: none */
	double before;       /* done of the last call */
	int wrong;           /* calls with less done, or more than all */
};

static int
on_poll(void *ctx, const char *stage, double done, double total)
{
	struct calls *c = ctx;

	if (strcmp(stage, "prefix tree"))
		return 0;
	/* One node is red when the comparisons of a tree begin. */
	if (done <= 1 && c->before != 1)
		c->tree++;
	else
		c->wrong += done < c->before;
	c->wrong += done < 1 || done >= total;
	c->before = done;
	return ++c->n == c->stop_at || c->tree == c->stop_tree;
}

/* Without its last comparison a tree has no automaton. */
static void
stopped_tree(void)
{
	struct cscg_walk *w = even_strings(4000, 1);
	struct calls c = { 0 }, first = { .stop_at = 1 }, late;
	struct cscg_poll poll = { .call = on_poll, .ctx = &c };
	struct cscg_learn set = usual;
	struct cscg_model *m;
	int *group;

	set.poll = &poll;
	need(cscg_alergia(w, &set, 1e-6, &m, &group, &err) < 1 ? NULL : m);
	ok(!c.wrong && c.tree == 1,
	    "poll gets the nodes that are red or folded, of all");
	/*
	 * a and b after the odd state are compared with both states, b after
	 * the even one with itself alone, and a with it, too, unless b comes
	 * first.
	 */
	ok(c.n == 6 || c.n == 7, "each comparison polls: %d calls", c.n);
	cscg_model_free(m);
	free(group);
	poll.ctx = &first;
	ok(cscg_alergia(w, &set, 1e-6, &m, &group, &err) == 0 && !m &&
		!group && first.n == 1,
	    "poll stops the first comparison: no automaton");
	late = (struct calls){ .stop_at = c.n };
	poll = (struct cscg_poll){ .call = on_poll, .ctx = &late };
	ok(cscg_alergia(w, &set, 1e-6, &m, &group, &err) == 0 && !m &&
		!group && late.n == c.n,
	    "poll stops the last comparison: no automaton");
	cscg_walk_free(w);
}

/* The selection with poll: it stops at the first call of a tree. */
static int
select_until(const struct cscg_holdout *h, struct calls *c,
    struct cscg_model **m, struct cscg_learn_progress *last)
{
	struct cscg_poll poll = { .call = on_poll, .ctx = c };
	struct cscg_learn set = usual;
	double held = -INFINITY;

	set.poll = &poll;
	return cscg_alergia_select(h, &set, &held, m, last, &err);
}

/*
 * A level needs the automata of all folds; the automaton of the whole walk
 * comes last.
 */
static void
stopped_levels(void)
{
	struct cscg_walk *w = even_strings(200, 1);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	struct calls c = { .stop_tree = h->n_folds };
	struct cscg_learn_progress last;
	struct cscg_model *m;

	ok(h->n_folds > 1 && select_until(h, &c, &m, &last) == 0 && !m &&
		c.tree == h->n_folds,
	    "poll stops the last fold of the first level: no model");
	c = (struct calls){ .stop_tree = h->n_folds + 1 };
	ok(select_until(h, &c, &m, &last) == 1 &&
		cscg_model_check(m, &err) == 0 && c.tree == h->n_folds + 1,
	    "poll stops the second level: a model");
	/* All episodes end in the even state. */
	ok(m->n_states == 5 && count(m, 0, 4) == h->train[0]->n_episodes,
	    "that of the first fold, of %d strings", h->train[0]->n_episodes);
	ok(isfinite(last.loglik) && last.iteration == 0 && last.n_states == 5,
	    "its line has the likelihood of the whole walk");
	cscg_model_free(m);
	c = (struct calls){ 0 };
	need(select_until(h, &c, &m, &last) < 1 ? NULL : m);
	ok(c.tree % h->n_folds == 1 && !c.wrong && count(m, 0, 4) == 200,
	    "%d trees without a stop: the last is that of the whole walk",
	    c.tree);
	cscg_model_free(m);
	c = (struct calls){ .stop_tree = c.tree };
	ok(select_until(h, &c, &m, &last) == 1 &&
		count(m, 0, 4) == h->train[0]->n_episodes,
	    "poll stops that of the whole walk: the model of the first fold");
	cscg_model_free(m);
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

/* The model of the first fold has the updates of EM that were chosen. */
static void
stopped_em(void)
{
	struct cscg_walk *w = hidden_strings(3000, 1);
	struct cscg_holdout *h = need(cscg_holdout_new(w, &err));
	struct calls c = { 0 };
	struct cscg_learn_progress whole, last;
	struct cscg_model *m;
	double before, after;

	need(select_until(h, &c, &m, &whole) < 1 ? NULL : m);
	cscg_model_free(m);
	c = (struct calls){ .stop_tree = c.tree };
	need(select_until(h, &c, &m, &last) < 1 ? NULL : m);
	ok(last.iteration == whole.iteration && last.iteration > 0,
	    "poll stops after EM was chosen: %ld updates", last.iteration);
	need(cscg_decode_loglik(m, w, &cscg_plain_double, NULL, &after, &err) <
		    0 ?
		NULL :
		m);
	cscg_model_free(m);
	/* Without EM: stopped at the second level. */
	c = (struct calls){ .stop_tree = h->n_folds + 1 };
	need(select_until(h, &c, &m, &last) < 1 ? NULL : m);
	need(cscg_decode_loglik(m, w, &cscg_plain_double, NULL, &before,
		 &err) < 0 ?
		NULL :
		m);
	ok(after > before, "the model has been updated: %.1f nats, %.1f",
	    after, before);
	cscg_model_free(m);
	cscg_holdout_free(h);
	cscg_walk_free(w);
}

int
main(void)
{
	even();
	choice();
	hidden();
	stopped_tree();
	stopped_levels();
	stopped_em();
	return done();
}
