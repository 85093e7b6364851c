/*
 * rebind.c - rebinding against an enumeration of all paths with all sets of
 * changes, and against cases worked out by hand
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "schema/rebind.h"
#include "need.h"
#include "tap.h"

enum { S = 5, K = 4, STEPS = 4, SLOTS = S, SETS = 3125 }; /* (K + 1)^SLOTS */

/* ---- every path, one by one ---- */

/* A path, the symbol that each slot was bound to (-1: none), its weight. */
struct path {
	int state, bound[SLOTS];
	double w;
};

struct paths {
	struct path *v;
	long n;
	size_t cap;
};

struct brute {
	const struct cscg_model *m;
	struct cscg_rebind_options set;
	const int *slot; /* [S] */
	double T[2][S][S], pi[S];
	struct paths now, next;
};

static void
put(struct paths *p, const struct path *one)
{
	need(cscg_grow(&p->v, &p->cap, (size_t)p->n + 1, sizeof *p->v, &err) <
		    0 ?
		NULL :
		p);
	p->v[p->n++] = *one;
}

static double
emission(const struct brute *b, const struct path *p, int j, int x)
{
	int y = p->bound[b->slot[j]];
	double e = y >= 0   ? y == x :
	    x < b->m->n_obs ? cscg_model_E(b->m, j, x) :
			      0;

	return (1 - b->set.unseen) * e + b->set.unseen / K;
}

static double
moves(const struct brute *b, const struct path *p, int a, int j)
{
	return a < 0 ? b->pi[j] : b->T[a][p->state][j];
}

/* P(x) of the paths with the changes of p, before x is observed. */
static double
predicted(const struct brute *b, const struct path *p, int a, int x)
{
	double sum = 0, all = 0;
	long i;
	int j;

	for (i = 0; i < b->now.n; i++) {
		const struct path *q = &b->now.v[i];

		if (memcmp(q->bound, p->bound, sizeof q->bound))
			continue;
		all += q->w;
		for (j = 0; j < S; j++)
			sum += q->w * moves(b, q, a, j) * emission(b, q, j, x);
	}
	return sum / all;
}

static bool
emits(const struct brute *b, const struct path *p, int j, int x)
{
	int y = p->bound[b->slot[j]];

	return y >= 0 ? y == x :
			x < b->m->n_obs && cscg_model_E(b->m, j, x) > .5;
}

static void
observe(struct brute *b, int a, int x)
{
	double rebind = b->set.rebind;
	struct paths swap;
	long i;
	int j;

	b->next.n = 0;
	for (i = 0; i < b->now.n; i++) {
		const struct path *p = &b->now.v[i];
		bool contradicted = (1 - rebind) * predicted(b, p, a, x) <
		    rebind / K;

		for (j = 0; j < S; j++) {
			struct path one = *p;
			double w = p->w * moves(b, p, a, j);

			one.state = j;
			one.w = w * (1 - rebind) * emission(b, p, j, x);
			if (!contradicted || emits(b, p, j, x))
				one.w += w * rebind / K;
			put(&b->next, &one);
			if (!contradicted || emits(b, p, j, x))
				continue;
			one.w = w * rebind / K;
			one.bound[b->slot[j]] = x;
			put(&b->next, &one);
		}
	}
	swap = b->now;
	b->now = b->next;
	b->next = swap;
}

static double
total(const struct brute *b)
{
	double sum = 0;
	long i;

	for (i = 0; i < b->now.n; i++)
		sum += b->now.v[i].w;
	return sum;
}

/* ---- models ---- */

static struct cscg_model *
random_model(struct cscg_rng *rng, bool rows)
{
	static const int clone[S] = { 0, 0, 1, 2, 2 };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, 2, 3,
	    &err));
	double dense[2 * S * S], E[S * 3];
	int i, j, x;

	memcpy(m->clone, clone, sizeof clone);
	m->pseudocount = .01;
	for (i = 0; i < 2 * S * S; i++) {
		dense[i] = cscg_rng_uniform(rng) * 9;
		if (dense[i] < 6)
			dense[i] = 0;
	}
	need(cscg_model_set_dense(m, dense, 0, &err) < 0 ? NULL : m);
	for (j = 0; j < S; j++)
		for (x = 0; x < 3; x++)
			E[j * 3 + x] = x == (clone[j] + 1) % 3 ? .7 : .15;
	if (rows)
		need(cscg_model_set_E(m, E, 3, &err) < 0 ? NULL : m);
	return m;
}

/* T as core/model.h defines it. */
static void
fill_T(struct brute *b)
{
	const struct cscg_model *m = b->m;
	int a, j, k;
	long i;

	for (a = 0; a < 2; a++)
		for (j = 0; j < S; j++) {
			double sum = cscg_model_row_sum(m, a, j) +
			    m->pseudocount * S;

			for (k = 0; k < S; k++)
				b->T[a][j][k] = m->pseudocount / sum;
			for (i = m->first[a * S + j];
			     i < m->first[a * S + j + 1]; i++)
				b->T[a][j][m->to[i]] += m->count[i] / sum;
		}
	for (j = 0; j < S; j++)
		b->pi[j] = 1.0 / S;
}

/* The number of a set of changes: digits of base K + 1, 0 for unchanged. */
static int
set_number(const int *bound)
{
	int n = 0, g;

	for (g = 0; g < SLOTS; g++)
		n = n * (K + 1) + bound[g] + 1;
	return n;
}

/* The weight of the paths that have the changes of h; *most: of the best set. */
static double
brute_weight(const struct brute *b, const struct cscg_rebind_hypothesis *h,
    double *most)
{
	static double w[SETS];
	long i;
	int c, bound[SLOTS];

	memset(w, 0, sizeof w);
	for (i = 0; i < b->now.n; i++)
		w[set_number(b->now.v[i].bound)] += b->now.v[i].w;
	for (*most = 0, c = 0; c < SETS; c++)
		*most = fmax(*most, w[c]);
	memset(bound, -1, sizeof bound);
	for (c = 0; c < h->n_changes; c++)
		bound[h->changes[c].slot] = h->changes[c].x;
	return w[set_number(bound)];
}

/* Answers of r that differ from the paths. */
static int
differ(const struct brute *b, const struct cscg_rebind *r)
{
	struct cscg_rebind_hypothesis h = cscg_rebind_best(r);
	double p[K], want[K] = { 0 }, state[S], at[S] = { 0 }, sum = 0,
		     all = total(b), most;
	int bad = 0, j, x;
	long k;

	bad += !near(h.p, brute_weight(b, &h, &most) / all, 1e-11) ||
	    !near(h.p, most / all, 1e-11);
	cscg_rebind_predict(r, 1, p);
	cscg_rebind_states(r, state);
	for (k = 0; k < b->now.n; k++) {
		const struct path *q = &b->now.v[k];

		at[q->state] += q->w / all;
		for (j = 0; j < S; j++)
			for (x = 0; x < K; x++)
				want[x] += q->w / all * b->T[1][q->state][j] *
				    ((1 - b->set.rebind) *
					    emission(b, q, j, x) +
					b->set.rebind / K);
	}
	for (sum = 0, x = 0; x < K; x++) {
		bad += !near(p[x], want[x], 1e-11);
		sum += p[x];
	}
	bad += !near(sum, 1, 1e-12);
	for (j = 0; j < S; j++)
		bad += !near(state[j], at[j], 1e-11);
	return bad;
}

static void
test_enumeration(bool rows, bool tied)
{
	static const int by_group[S] = { 0, 0, 1, 2, 2 },
			 by_state[S] = { 0, 1, 2, 3, 4 };
	struct cscg_rebind_options set = CSCG_REBIND_DEFAULTS;
	int trial, t, bad = 0, contradicted = 0;
	struct cscg_rng rng;

	set.rebind = .2;
	set.unseen = .01;
	set.tied = tied;
	set.beam = 2000;
	set.share = 0;
	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, rows, tied);
	for (trial = 0; trial < 10; trial++) {
		struct cscg_model *m = random_model(&rng, rows);
		struct brute b = {
			.m = m, .set = set, .slot = tied ? by_group : by_state
		};
		struct path start = { .w = 1 };
		struct cscg_rebind *r;
		double p, before = 1;

		r = need(cscg_rebind_new(m, K, &set, &err));
		memset(start.bound, -1, sizeof start.bound);
		fill_T(&b);
		put(&b.now, &start);
		for (t = 0; t < STEPS; t++) {
			int a = t ? (int)cscg_rng_below(&rng, 3) - 1 : -1;
			int x = (int)cscg_rng_below(&rng, K);

			need(cscg_rebind_observe(r, a, x, &p, &err) < 0 ?
				NULL :
				r);
			observe(&b, a, x);
			bad += !near(p, total(&b) / before, 1e-11);
			before = total(&b);
			bad += differ(&b, r);
			contradicted += cscg_rebind_best(r).p < .99;
		}
		cscg_rebind_free(r);
		cscg_model_free(m);
		free(b.now.v);
		free(b.next.v);
	}
	ok(!bad && contradicted > 10,
	    "%s, slots are %s: probability, posterior of the best set, "
	    "states, prediction are those of all paths",
	    rows ? "emission rows" : "emission by clone",
	    tied ? "groups" : "states");
}

/* ---- by hand ---- */

/* A cycle of 4 states 0 1 2 3 that emit a b c b; clones of b together. */
static struct cscg_model *
cycle(void)
{
	static const int clone[4] = { 0, 1, 1, 2 }; /* a, b, b', c */
	static const struct cscg_count c[] = { { 0, 0, 1, 1 }, { 0, 1, 3, 1 },
		{ 0, 3, 2, 1 }, { 0, 2, 0, 1 } };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 4, 1, 3,
	    &err));

	memcpy(m->clone, clone, sizeof clone);
	m->pseudocount = 0;
	need(cscg_model_set_counts(m, c, 4, &err) < 0 ? NULL : m);
	return m;
}

static struct cscg_walk *
walk_of(const int *x, int n, int n_obs)
{
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int t;

	for (t = 0; t < n; t++) {
		struct cscg_step s = {
			.x = x[t], .a = t + 1 < n ? 0 : -1, .z = -1, .goal = -1
		};

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

/* c, then a, then a novel symbol 3 where b was expected. */
static void
test_novel_symbol(void)
{
	struct cscg_rebind_options set = {
		.rebind = .01, .unseen = .001, .beam = 10, .tied = true
	};
	struct cscg_model *m = cycle();
	struct cscg_rebind *r = need(cscg_rebind_new(m, 4, &set, &err));
	struct cscg_rebind_hypothesis h;
	double p, next[4], keep = .99 * .999;

	cscg_rebind_observe(r, -1, 0, &p, &err);
	/* One state of four emits a; all else is drawn from 4 symbols. */
	ok(near(p, keep / 4 + (1 - keep) / 4, 1e-12),
	    "the first symbol has the probability of its state");
	cscg_rebind_observe(r, 0, 3, &p, &err);
	ok(near(p, (1 - keep) / 4, 1e-12),
	    "a novel symbol has the probability of unseen and rebound "
	    "symbols");
	h = cscg_rebind_best(r);
	ok(h.n_changes == 1 && h.changes[0].slot == 1 && h.changes[0].x == 3,
	    "the expected slot is bound to the novel symbol");
	/* rebind / 4 against (1 - rebind) unseen / 4; that the first a was
	 * drawn by chance in another state is below 1 %. */
	ok(near(h.p, .01 / (.01 + .99 * .001), .01),
	    "its posterior follows from the probabilities of rebinding and "
	    "exception");
	cscg_rebind_observe(r, 0, 2, &p, &err);
	cscg_rebind_predict(r, 0, next);
	ok(next[3] > .85 && next[1] < .15,
	    "after one presentation the other clone is predicted to emit the "
	    "novel symbol");
	cscg_rebind_observe(r, 0, 3, &p, &err);
	cscg_rebind_observe(r, 0, 0, &p, &err);
	cscg_rebind_predict(r, 0, next);
	ok(next[3] > .98,
	    "after two presentations the binding is nearly certain");
	cscg_rebind_reset(r);
	cscg_rebind_observe(r, -1, 0, &p, &err);
	cscg_rebind_predict(r, 0, next);
	h = cscg_rebind_best(r);
	ok(h.p == 1 && !h.n_changes && next[1] > .95,
	    "a reset restores the emissions");
	cscg_rebind_free(r);

	set.beam = 1;
	r = need(cscg_rebind_new(m, 4, &set, &err));
	cscg_rebind_observe(r, -1, 0, &p, &err);
	cscg_rebind_observe(r, 0, 3, &p, &err);
	h = cscg_rebind_best(r);
	ok(h.n_changes == 1 && h.p == 1,
	    "a beam of one keeps the best hypothesis only");
	cscg_rebind_free(r);
	cscg_model_free(m);
}

/* Expected symbols change no slot; missing observations are no evidence. */
static void
test_expected(void)
{
	struct cscg_rebind_options set = CSCG_REBIND_DEFAULTS;
	struct cscg_model *m = cycle();
	struct cscg_rebind *r = need(cscg_rebind_new(m, 3, &set, &err));
	static const int x[] = { 1, 2, 1, -1, 1, -1, 1, 0, 1, 2 };
	double p;
	int t, right = 0;

	for (t = 0; t < 10; t++) {
		cscg_rebind_observe(r, t ? 0 : -1, x[t], &p, &err);
		right += cscg_rebind_best(r).p == 1 &&
		    !cscg_rebind_best(r).n_changes && (x[t] >= 0 || p == 1);
	}
	ok(right == 10, "expected symbols add no hypotheses");
	cscg_rebind_free(r);
	cscg_model_free(m);
}

/* EM: the rebound slot gets the frequencies of its symbols. */
static void
test_walk(void)
{
	static const int x[] = { 0, 3, 2, 3, 0, 3, 2, 1, 0, 3, 2, 3, 0 };
	struct cscg_rebind_options set = CSCG_REBIND_DEFAULTS;
	struct cscg_bind bind = CSCG_BIND_DEFAULTS;
	struct cscg_model *m = cycle();
	struct cscg_walk *w = walk_of(x, 13, 4);
	struct cscg_em_progress last;
	double want;
	int changed, rc, j;

	bind.is_double = true;
	rc = cscg_rebind_walk(m, w, &set, &bind, &last, &changed, &err);
	ok(rc == 0 && changed == 1 && m->n_obs == 4, "one slot is rebound");
	/* Slot b was at 6 steps: 5 times the new symbol, once its own. */
	for (j = 1; j <= 2; j++)
		ok(near(cscg_model_E(m, j, 3), 5.0 / 6, 1e-6) &&
			near(cscg_model_E(m, j, 1), 1.0 / 6, 1e-6),
		    "clone %d emits both symbols by their frequencies", j);
	ok(cscg_model_E(m, 0, 0) == 1 && cscg_model_E(m, 3, 2) == 1 &&
		m->e_first[1] == 1,
	    "other rows are unchanged");
	cscg_model_free(m);

	/*
	 * Only its row is estimated: a and c keep the floor, .9 + .1 / 4.  The
	 * walk starts in one of four states; what other starts add is below
	 * 1e-6.
	 */
	m = cycle();
	set.rebind = .5;
	set.unseen = .1;
	rc = cscg_rebind_walk(m, w, &set, &bind, &last, &changed, &err);
	want = log(.25) + 7 * log(.925) + 5 * log(5.0 / 6) + log(1.0 / 6);
	ok(rc == 0 && changed == 1 && m->fit_steps == 13 &&
		near(m->fit_nats, -want / 13, 1e-6),
	    "the fit is computed with the other rows unchanged");
	set.rebind = 1e-3;
	set.unseen = 1e-6;
	cscg_model_free(m);

	m = cycle();
	set.tied = false;
	rc = cscg_rebind_walk(m, w, &set, &bind, &last, &changed, &err);
	ok(rc == 0 && changed == 2 && near(cscg_model_E(m, 1, 3), 1, 1e-9) &&
		near(cscg_model_E(m, 2, 3), 2.0 / 3, 1e-6),
	    "untied, each state is rebound separately");
	cscg_model_free(m);
	cscg_walk_free(w);

	m = cycle();
	cscg_model_unground(m, CSCG_CLONES);
	ok(!cscg_rebind_new(m, 4, &set, &err) && err.code == CSCG_EMISMATCH,
	    "a schema is refused: it has no emissions");
	cscg_model_free(m);
}

/* ---- alphabets ---- */

static void
test_alphabet(void)
{
	static const char *const model[] = { "a", "b", "c", NULL },
				 *const walk[] = { "new", "c", "a", "other",
					 NULL };
	struct cscg_model *m = cycle();
	struct cscg_walk_header head = { .n_actions = 1, .n_obs = 4 };
	struct cscg_names all = { .n = 0 };
	int map[4], n;

	n = cscg_rebind_alphabet(m, &head, map, &all, &err);
	ok(n == 4 && map[0] == 0 && map[3] == 3 && !all.n,
	    "without names symbols are mapped by number");
	cscg_names_set(&head.symbols, walk, &err);
	n = cscg_rebind_alphabet(m, &head, map, &all, &err);
	ok(n == 4 && map[3] == 3 && all.n == 4 && !strcmp(all.v[3], "other"),
	    "a model without names takes the names of the walk");
	cscg_names_free(&all);
	cscg_names_set(&m->symbols, model, &err);
	n = cscg_rebind_alphabet(m, &head, map, &all, &err);
	ok(n == 5 && map[0] == 3 && map[1] == 2 && map[2] == 0 && map[3] == 4,
	    "symbols are mapped by name, new ones are appended");
	ok(all.n == 5 && !strcmp(all.v[1], "b") && !strcmp(all.v[4], "other"),
	    "names of new symbols are appended");
	cscg_names_free(&all);
	cscg_names_free(&head.symbols);
	head.n_obs = 2;
	n = cscg_rebind_alphabet(m, &head, map, &all, &err);
	ok(n == 3 && all.n == 3,
	    "a walk of fewer symbols keeps the model's alphabet");
	cscg_names_free(&all);
	cscg_model_free(m);
}

int
main(void)
{
	test_enumeration(false, true);
	test_enumeration(true, true);
	test_enumeration(false, false);
	test_enumeration(true, false);
	test_novel_symbol();
	test_expected();
	test_walk();
	test_alphabet();
	return done();
}
