/* split.c - splits of states, by hand; random worlds are not split */
#include <stdlib.h>
#include <string.h>

#include "kernel/passes.h"
#include "learn/structure.h"
#include "learn/split.h"
#include "tap.h"
#include "walker.h"

/* A walk of n steps with the symbols ring[0], ring[1], ... repeated. */
static struct cscg_walk *
round_walk(int n, int n_obs, const int *ring, int length)
{
	int *x = need(calloc((size_t)n, sizeof *x)), t;
	int *a = need(calloc((size_t)n, sizeof *a));
	struct cscg_walk *w;

	for (t = 0; t < n; t++)
		x[t] = ring[t % length];
	w = hand_walk(1, n_obs, n, x, a);
	free(x);
	free(a);
	return w;
}

/* One state for each symbol, with the counts of w. */
static struct cscg_model *
one_each(const struct cscg_walk *w)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED,
	    w->head.n_obs, w->head.n_actions, w->head.n_obs, &err));
	struct cscg_count *c = need(calloc((size_t)w->n_steps, sizeof *c));
	long t, n = 0;
	int j;

	for (j = 0; j < m->n_states; j++)
		m->clone[j] = j;
	for (t = 0; t + 1 < w->n_steps; t++)
		if (w->a[t] >= 0 && !(w->reset && w->reset[t + 1]))
			c[n++] = (struct cscg_count){ w->a[t], w->x[t],
				w->x[t + 1], 1 };
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	m->pseudocount = 1e-3;
	free(c);
	return m;
}

/* The counts from j to k by action a. */
static double
at(const struct cscg_model *m, int a, int j, int k)
{
	long i;

	for (i = m->first[(long)a * m->n_states + j];
	     i < m->first[(long)a * m->n_states + j + 1]; i++)
		if (m->to[i] == k)
			return m->count[i];
	return 0;
}

/*
 * A ring of four nodes with symbols 0 1 2 1.  With three states, 1 leads 100
 * times to 2 and 100 times to 0: 200 ln 200 - 2 * 100 ln 100 = 200 ln 2 nats of
 * ambiguity.
 */
static void
by_hand(void)
{
	static const int ring[4] = { 0, 1, 2, 1 };
	static const bool which[3] = { false, true, false };
	struct cscg_walk *w = round_walk(401, 3, ring, 4);
	struct cscg_model *m = one_each(w), *s;
	int a = -1;

	ok(near(cscg_split_entropy(m, 1, false, &a), 200 * log(2), 1e-12) &&
		a == 0,
	    "one state for two nodes: ln 2 nats of ambiguity per visit");
	ok(cscg_split_entropy(m, 0, false, &a) == 0 &&
		cscg_split_entropy(m, 2, false, &a) == 0,
	    "other states are not ambiguous");
	s = need(cscg_split_states(m, w, w->x, which, false, &err));
	need(cscg_model_check(s, &err) < 0 ? NULL : s);
	ok(s->n_states == 4 && s->clone[0] == 0 && s->clone[1] == 1 &&
		s->clone[2] == 1 && s->clone[3] == 2,
	    "the new clone follows the split state");
	/* 0 and 2 follow equally often: the first is the main successor. */
	ok(at(s, 0, 0, 2) == 100 && at(s, 0, 2, 3) == 100 &&
		at(s, 0, 3, 1) == 100 && at(s, 0, 1, 0) == 100,
	    "each clone has the transitions of its visits");
	ok(s->first[4] == 4, "there are no other transitions");
	ok(s->pseudocount == m->pseudocount, "the pseudocount is kept");
	cscg_model_free(s);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * Two actions: 0 follows the same ring, 1 stays.  A visit that stays does not
 * identify its node, but the transition before it does: from 0 it is the node
 * before 2, from 2 the one before 0.  After staying, the walk continues from
 * there.
 */
static void
by_moves(void)
{
	/* 0 1 1 2 1 1: one self-transition at each node with symbol 1. */
	static const int x[6] = { 0, 1, 1, 2, 1, 1 };
	static const int a[6] = { 0, 1, 0, 0, 1, 0 };
	static const bool which[3] = { false, true, false };
	enum { N = 601 };
	int xs[N], as[N], t, act = -1;
	struct cscg_walk *w;
	struct cscg_model *m, *s;

	for (t = 0; t < N; t++) {
		xs[t] = x[t % 6];
		as[t] = a[t % 6];
	}
	w = hand_walk(2, 3, N, xs, as);
	m = one_each(w);
	ok(near(cscg_split_entropy(m, 1, false, &act), 200 * log(2), 1e-12) &&
		act == 0,
	    "action 0 is ambiguous, the self-transition is not");
	s = need(cscg_split_states(m, w, w->x, which, false, &err));
	/*
	 * Outcomes assign the second step at each node.  The first step has no
	 * outcome, nor has any visit from 0 or 2: it stays with the first
	 * clone, and EM must correct this.
	 */
	ok(at(s, 0, 1, 0) == 100 && at(s, 0, 2, 3) == 100,
	    "visits with an outcome are assigned by it");
	ok(at(s, 1, 1, 1) == 100 && at(s, 1, 1, 2) == 100,
	    "visits without evidence go to the first clone");
	cscg_model_free(s);
	cscg_model_free(m);
	cscg_walk_free(w);

	/*
	 * If some visits continue at once, visits that stay are assigned like
	 * them.
	 */
	for (t = 0; t < N; t++) {
		static const int y[10] = { 0, 1, 2, 1, 0, 1, 1, 2, 1, 1 };
		static const int b[10] = { 0, 0, 0, 0, 0, 1, 0, 0, 1, 0 };

		xs[t] = y[t % 10];
		as[t] = b[t % 10];
	}
	w = hand_walk(2, 3, N, xs, as);
	m = one_each(w);
	s = need(cscg_split_states(m, w, w->x, which, false, &err));
	ok(at(s, 1, 2, 2) == 60 && at(s, 1, 1, 1) == 60 &&
		at(s, 1, 1, 2) == 0 && at(s, 1, 2, 1) == 0,
	    "visits without an outcome are assigned by the transition before "
	    "them");
	ok(at(s, 0, 0, 2) == 120 && at(s, 0, 2, 3) == 120 &&
		at(s, 0, 3, 1) == 120 && at(s, 0, 1, 0) == 120,
	    "all transitions are deterministic");
	cscg_model_free(s);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * ---- the whole search, with Viterbi training and merging instead of EM ----
 */

struct fitter {
	const struct cscg_walk *w;
	long assigned, reports, fail_at;
	double last;
	bool fell;
};

static int
settle(void *ctx, struct cscg_model **m, double *loglik, struct cscg_err *e)
{
	struct fitter *f = ctx;
	struct cscg_work work = { 0 };
	struct cscg_trans *tr;
	struct cscg_model *less;
	int *path = need(calloc((size_t)f->w->n_steps, sizeof *path));
	int *into = need(calloc((size_t)(*m)->n_states, sizeof *into)), n;
	double logp;

	if (++f->assigned == f->fail_at) {
		free(path);
		free(into);
		return cscg_fail(e, CSCG_ENOMEM,
		    "out of memory, with a message");
	}
	need(cscg_viterbi_train(*m, f->w, &cscg_plain_double, NULL, 20, NULL,
		 path, &logp, &err) < 0 ?
		NULL :
		*m);
	n = cscg_structure_refine_partition(*m, path, f->w->n_steps, into,
	    &err);
	less = need(cscg_model_merge_states(*m, into, n, &err));
	cscg_model_free(*m);
	*m = less;
	tr = need(cscg_trans_new(*m, &cscg_plain_double, &err));
	need(cscg_expect(tr, f->w, &work, NULL, loglik, &err) < 0 ? NULL : tr);
	cscg_trans_free(tr);
	cscg_work_free(&work);
	free(path);
	free(into);
	return 0;
}

static void
on_split(void *ctx, const struct cscg_model *m, long tried, double loglik)
{
	struct fitter *f = ctx;

	(void)m;
	f->fell |= loglik <= f->last || tried != f->assigned - 1;
	f->last = loglik;
	f->reports++;
}

/*
 * Split the model of one state per symbol; *gain is the gain in log-likelihood
 * of w.
 */
static struct cscg_model *
split_all(struct fitter *f, double *gain, int *rc)
{
	struct cscg_split set = { &cscg_plain_double, NULL, settle, on_split,
		f, NULL };
	struct cscg_model *m = one_each(f->w);
	double before, after;
	long fail_at = f->fail_at;

	f->fail_at = 0;
	need(settle(f, &m, &before, &err) < 0 ? NULL : m);
	f->fail_at = fail_at;
	f->last = after = before;
	*rc = cscg_split(&m, f->w, &set, &after, &err);
	*gain = after - before;
	return m;
}

static void
mixed(void)
{
	/*
	 * Symbol 1 is two nodes; then three in a row, which need splits by
	 * ambiguous successor states.
	 */
	static const int two[4] = { 0, 1, 2, 1 };
	static const int three[5] = { 0, 1, 1, 1, 2 };
	struct fitter f = { .w = round_walk(401, 3, two, 4) };
	struct cscg_model *m;
	double gain;
	int rc, a;

	m = split_all(&f, &gain, &rc);
	ok(rc == 0 && m->n_states == 4 && m->first[4] == 4,
	    "a ring of four has four states");
	/* all 200 ln 2 nats, up to the pseudocount, 1e-3 in rows of 100 */
	ok(near(gain, 200 * log(2), 0.05),
	    "almost no ambiguity is left: %.1f nats gained", gain);
	ok(f.reports == 1 && !f.fell, "one split was made");
	cscg_model_free(m);
	cscg_walk_free((struct cscg_walk *)f.w);

	f = (struct fitter){ .w = round_walk(501, 3, three, 5) };
	m = split_all(&f, &gain, &rc);
	ok(rc == 0 && m->n_states == 5 && m->first[5] == 5,
	    "a ring of five, three with one symbol, has five states");
	ok(f.reports == 2 && !f.fell,
	    "one split by symbol and one by state were made");
	ok(cscg_split_entropy(m, 2, true, &a) == 0, "no ambiguity is left");
	cscg_model_free(m);

	f = (struct fitter){ .w = f.w, .fail_at = 2 };
	m = split_all(&f, &gain, &rc);
	ok(rc < 0 && err.code == CSCG_ENOMEM && m->n_states == 3,
	    "a failed split leaves the model unchanged");
	cscg_model_free(m);
	cscg_walk_free((struct cscg_walk *)f.w);
}

/* Independent random symbols: no state can predict them. */
static void
chance(void)
{
	enum { N = 4000 };
	struct cscg_rng rng;
	int x[N], a[N], t, seed, kept = 0, states = 0, rc, bad = 0;

	for (seed = 0; seed < 10; seed++) {
		struct fitter f = { 0 };
		struct cscg_model *m;
		double gain;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 3, 3);
		for (t = 0; t < N; t++) {
			x[t] = (int)cscg_rng_below(&rng, 3);
			a[t] = (int)cscg_rng_below(&rng, 2);
		}
		f.w = hand_walk(2, 3, N, x, a);
		m = split_all(&f, &gain, &rc);
		kept += f.reports > 0;
		states += m->n_states;
		bad += rc < 0 || gain != 0;
		cscg_model_free(m);
		cscg_walk_free((struct cscg_walk *)f.w);
	}
	ok(!kept && states == 10 * 3 && !bad,
	    "ten stochastic worlds are not split: %d split, %d states", kept,
	    states);
}

int
main(void)
{
	by_hand();
	by_moves();
	mixed();
	chance();
	return done();
}
