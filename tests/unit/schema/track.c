/*
 * track: the beam against a plain tracker that stores all hypotheses in lists,
 * against a sum over all paths, and against values computed by hand
 */
#include <string.h>

#include "tap.h"
#include "schema/track.h"
#include "walker.h"

enum { GROUPS = 40, MANY = 20000 };

/* ---- a plain tracker ---- */

struct one {
	double w, slip, misread; /* and the parts of it by noise */
	int state;
	int symbol[GROUPS];
};

struct plain {
	const struct cscg_model *m;
	struct cscg_track_options set; /* total weight */
	bool fresh;
	int n, n_obs;
	struct one *v;
	double score, slip, misread;
};

static void
plain_begin(struct plain *p)
{
	int g;

	p->n = 1;
	p->v[0] = (struct one){ .w = 1, .state = -1 };
	for (g = 0; g < GROUPS; g++)
		p->v[0].symbol[g] = -1;
	p->fresh = true;
	p->score = 0;
}

static int
plain_to(const struct cscg_model *m, int j, int a)
{
	int k, best = -1;

	if (cscg_model_row_sum(m, a, j) == 0)
		return -1;
	for (k = 0; k < m->n_states; k++)
		if (best < 0 ||
		    cscg_model_T(m, a, j, k) > cscg_model_T(m, a, j, best))
			best = k;
	return best;
}

static bool
plain_fits(const struct plain *p, const struct one *o, int k, int x)
{
	int g, mine = p->m->clone[k];

	if (x < 0 || o->symbol[mine] == x)
		return true;
	for (g = 0; g < GROUPS; g++)
		if (o->symbol[g] == x)
			return false;
	return o->symbol[mine] < 0;
}

/* Hypothesis o in state k with symbol x, earlier bindings of both removed. */
static struct one
plain_child(const struct plain *p, const struct one *o, int k, int x, double w)
{
	struct one c = *o;
	int g;

	c.w = w;
	c.slip = c.misread = 0;
	c.state = k;
	for (g = 0; g < GROUPS && x >= 0; g++)
		if (c.symbol[g] == x)
			c.symbol[g] = -1;
	if (x >= 0)
		c.symbol[p->m->clone[k]] = x;
	return c;
}

/*
 * Hypothesis o moves to state k: x is read if k is consistent with it, or
 * misread, which binds nothing.  slips: by noise.  Returns the number of
 * successors.
 */
static int
plain_move(const struct plain *p, const struct one *o, int k, int x, double w,
    bool slips, struct one *c)
{
	double e = x < 0       ? 0 :
	    p->set.misread > 0 ? p->set.misread :
				 p->m->misread;
	int n = 0, i;

	if (plain_fits(p, o, k, x))
		c[n++] = plain_child(p, o, k, x, w * (1 - e));
	if (e > 0) {
		c[n] = plain_child(p, o, k, -1, w * e / p->n_obs);
		c[n].misread = c[n].w;
		n++;
	}
	for (i = 0; i < n && slips; i++)
		c[i].slip = c[i].w;
	return n;
}

/* All successors of hypothesis o; returns their number. */
static int
plain_children(const struct plain *p, const struct one *o, bool fresh, int a,
    int x, struct one *c)
{
	const struct cscg_track_options *set = &p->set;
	int n = 0, k, Z = p->m->n_states, A = p->m->n_actions, q = -1, before;
	double w = o->w;

	if (!fresh && a >= 0)
		q = plain_to(p->m, o->state, a);
	for (k = -1; k < A && !fresh && a >= 0 && set->slip > 0; k++) {
		int to = k < 0 ? o->state : plain_to(p->m, o->state, k);

		if (k != a && to >= 0)
			n += plain_move(p, o, to, x,
			    w * set->slip * (k < 0 ? .5 : .5 / (A - 1)), true,
			    c + n);
	}
	if (!fresh && a >= 0)
		w *= 1 - set->slip;
	before = n;
	if (q >= 0) {
		n += plain_move(p, o, q, x, w, false, c + n);
		if (plain_fits(p, o, q, x))
			return n;
		c[n++] = plain_child(p, o, q, x, w * set->rebind);
	}
	for (k = 0; k < Z; k++)
		if (plain_fits(p, o, k, x))
			c[n++] = plain_child(p, o, k, x,
			    w / Z * (q < 0 ? 1 : set->jump));
	if (n > before)
		return n;
	for (k = 0; k < Z; k++)
		c[n++] = plain_child(p, o, k, x, w / Z * set->rebind);
	return n;
}

static bool
same_one(const struct one *a, const struct one *b)
{
	return a->state == b->state &&
	    !memcmp(a->symbol, b->symbol, sizeof a->symbol);
}

/* All hypotheses after a step, equal ones merged; none is dropped. */
static void
plain_step(struct plain *p, int a, int x)
{
	struct one *all = need(calloc(MANY, sizeof *all));
	struct one *c = need(
	    calloc((size_t)(p->m->n_states * 2 + 2 * p->m->n_actions + 5),
		sizeof *c));
	double sum = 0;
	int i, k, j, n = 0, found;

	p->slip = p->misread = 0;
	for (i = 0; i < p->n; i++) {
		found = plain_children(p, &p->v[i], p->fresh, a, x, c);
		for (k = 0; k < found; k++) {
			for (j = 0; j < n && !same_one(&all[j], &c[k]); j++)
				;
			if (j < n)
				all[j].w += c[k].w;
			else
				all[n++] = c[k];
			sum += c[k].w;
			p->slip += c[k].slip;
			p->misread += c[k].misread;
		}
	}
	p->slip /= sum;
	p->misread /= sum;
	for (i = 0; i < n; i++)
		all[i].w /= sum;
	p->score += log(sum);
	p->fresh = false;
	memcpy(p->v, all, (size_t)n * sizeof *all);
	p->n = n;
	free(all);
	free(c);
}

/* The weight of all paths that begin with o and explain steps from t on. */
static double
paths(const struct plain *p, const struct one *o, const int *a, const int *x,
    int t, int n)
{
	struct one c[128];
	double sum = 0;
	int i, k;

	if (t == n)
		return o->w;
	k = plain_children(p, o, t == 0, t ? a[t - 1] : -1, x[t], c);
	for (i = 0; i < k; i++)
		sum += paths(p, &c[i], a, x, t + 1, n);
	return sum;
}

/* ---- comparing both ---- */

static int
by_weight(const void *a, const void *b)
{
	double v = *(const double *)a, w = *(const double *)b;

	return (v < w) - (v > w);
}

/* Up to rounding, which may also decide which hypothesis is dropped last. */
static bool
alike(double a, double b)
{
	return fabs(a - b) <= 1e-9 * b + 2e-16;
}

/* The weight of h in p; -1: it is missing, or inconsistent. */
static double
weight(const struct plain *p, const struct cscg_track_hypothesis *h,
    int n_groups, int n_obs)
{
	int i, g, x;

	for (x = 0; x < n_obs; x++)
		if (h->group[x] >= 0 && h->symbol[h->group[x]] != x)
			return -1;
	for (g = 0; g < n_groups; g++)
		if (h->symbol[g] >= 0 && h->group[h->symbol[g]] != g)
			return -1;
	for (i = 0; i < p->n; i++) {
		if (p->v[i].state != h->state)
			continue;
		for (g = 0; g < n_groups && p->v[i].symbol[g] == h->symbol[g];
		     g++)
			;
		if (g == n_groups)
			return p->v[i].w;
	}
	return -1;
}

/* Is the i-th hypothesis of the beam the i-th in p, whose weights are w? */
static bool
agree(const struct plain *p, const struct cscg_track *t, int n_groups,
    int n_obs, int beam, double score)
{
	double *w = need(calloc((size_t)p->n, sizeof *w)), kept = 0;
	int i, n = cscg_track_count(t), m = p->n < beam ? p->n : beam;
	bool good;

	for (i = 0; i < p->n; i++)
		w[i] = p->v[i].w;
	qsort(w, (size_t)p->n, sizeof *w, by_weight);
	for (i = 0; i < m; i++)
		kept += w[i];
	good = n <= m && near(score, p->score + log(kept), 1e-9);
	for (i = 0; i < n && good; i++) {
		struct cscg_track_hypothesis h = cscg_track_get(t, i);

		good = alike(h.p * kept, w[i]) &&
		    alike(h.p * kept, weight(p, &h, n_groups, n_obs));
	}
	for (; i < m && good; i++)
		good = alike(0, w[i]);
	free(w);
	return good;
}

/*
 * p continues from the beam: of equal weights at the cut it might keep others.
 */
static void
follow(struct plain *p, const struct cscg_track *t, int n_groups)
{
	int i, g;

	for (i = 0; i < cscg_track_count(t); i++) {
		struct cscg_track_hypothesis h = cscg_track_get(t, i);

		p->v[i].w = h.p;
		p->v[i].state = h.state;
		for (g = 0; g < n_groups; g++)
			p->v[i].symbol[g] = h.symbol[g];
	}
	p->n = cscg_track_count(t);
	p->score = 0;
}

/* ---- random models and walks ---- */

/* Rows with up to three counts, some without any. */
static struct cscg_model *
chance_model(struct cscg_rng *rng, int states, int groups, int actions,
    double empty)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_CLONES, states,
	    actions, groups, &err));
	struct cscg_count *c = need(calloc((size_t)(3 * states * actions),
	    sizeof *c));
	long n = 0;
	int a, j, i;

	for (a = 0; a < actions; a++)
		for (j = 0; j < states; j++) {
			if (cscg_rng_uniform(rng) < empty)
				continue;
			for (i = 0; i <= cscg_rng_below(rng, 3); i++)
				c[n++] = (struct cscg_count){
					a, j, (int)cscg_rng_below(rng, states),
					1 + (double)cscg_rng_below(rng, 1000)
				};
		}
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
	m->pseudocount = 2e-3;
	for (j = 0; j < states; j++)
		m->clone[j] = j * groups / states;
	need(cscg_model_check(m, &err) < 0 ? NULL : m);
	free(c);
	return m;
}

struct chance {
	int states, groups, actions, n_obs, steps, beam;
	double slip, dropout, reset, empty, misread;
};

/* Both get the same steps, and must agree at each. */
static bool
compare(const struct chance *c, uint64_t seed)
{
	struct cscg_track_options set = {
		.beam = c->beam, .slip = c->slip, .misread = c->misread
	};
	struct plain p = { .set = { c->beam, 1e-2, 1e-4, c->slip, c->misread },
		.n_obs = c->n_obs };
	struct cscg_track_tables *map;
	struct cscg_track *t;
	struct cscg_rng rng;
	struct cscg_model *m;
	bool good = true;
	int i, a, x;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 11, 0);
	m = chance_model(&rng, c->states, c->groups, c->actions, c->empty);
	map = need(cscg_track_tables_new(m, &set, &err));
	t = need(cscg_track_new(map, c->n_obs, &err));
	p.m = m;
	p.v = need(calloc(MANY, sizeof *p.v));
	plain_begin(&p);
	for (i = 0; i < c->steps && good; i++) {
		double before = cscg_track_score(t), slip, misread;

		a = i == 0 || cscg_rng_uniform(&rng) < c->reset ?
		    -1 :
		    (int)cscg_rng_below(&rng, c->actions);
		x = cscg_rng_uniform(&rng) < c->dropout ?
		    -1 :
		    (int)cscg_rng_below(&rng, c->n_obs);
		need(cscg_track_step(t, a, x, &err) < 0 ? NULL : t);
		plain_step(&p, a, x);
		good = agree(&p, t, c->groups, c->n_obs, c->beam,
		    cscg_track_score(t) - before);
		cscg_track_noise(t, &slip, &misread);
		if (p.n <= c->beam)
			good = good && near(slip, p.slip, 1e-9) &&
			    near(misread, p.misread, 1e-9);
		follow(&p, t, c->groups);
	}
	if (!good)
		printf("# seed %d, step %d\n", (int)seed, i);
	free(p.v);
	cscg_track_free(t);
	cscg_track_tables_free(map);
	cscg_model_free(m);
	return good;
}

static void
against_plain(void)
{
	static const struct {
		const char *name;
		struct chance c;
	} tests[] = {
		{ "all are kept", { 5, 3, 2, 4, 30, 5000, 0, 0, 0, 0, 0 } },
		{ "with slips", { 5, 3, 2, 4, 30, 5000, .1, 0, 0, 0, 0 } },
		{ "with dropouts",
		    { 5, 3, 2, 4, 30, 5000, .05, .3, 0, 0, 0 } },
		{ "with resets", { 5, 3, 2, 4, 30, 5000, .05, .1, .2, 0, 0 } },
		{ "rows without counts",
		    { 5, 3, 2, 4, 30, 5000, .05, .1, .1, .4, 0 } },
		{ "no counts at all",
		    { 4, 2, 2, 3, 20, 5000, .05, .1, .1, 1, 0 } },
		{ "one group", { 4, 1, 2, 3, 30, 5000, .05, .1, .1, .2, 0 } },
		{ "one symbol", { 4, 3, 2, 1, 30, 5000, .05, .1, .1, .2, 0 } },
		{ "one state", { 1, 1, 2, 3, 30, 5000, .05, .1, .1, .2, 0 } },
		{ "no clones", { 4, 4, 3, 3, 30, 5000, .05, .1, .1, .1, 0 } },
		{ "more symbols than groups",
		    { 4, 2, 2, 9, 30, 5000, .05, 0, .1, .1, 0 } },
		{ "a beam of 10", { 12, 5, 3, 6, 60, 10, 0, 0, 0, 0, 0 } },
		{ "of 10, with all",
		    { 12, 5, 3, 6, 60, 10, .05, .1, .1, .2, 0 } },
		{ "of 40, with all",
		    { 30, 8, 4, 12, 60, 40, .05, .1, .05, .1, 0 } },
		{ "of 200 in 70 states",
		    { 70, 30, 4, 35, 60, 200, 0, .02, .01, 0, 0 } },
		{ "of 3, less than states",
		    { 9, 4, 2, 5, 40, 3, .1, .1, .1, .1, 0 } },
		{ "of 1", { 9, 4, 2, 5, 40, 1, .1, .1, .1, .1, 0 } },
		{ "with misreading",
		    { 5, 3, 2, 4, 20, 5000, 0, 0, 0, 0, .1 } },
		{ "misreading, and all else",
		    { 5, 3, 2, 4, 20, 5000, .05, .1, .1, .2, .1 } },
		{ "of 40, misreading, and all else",
		    { 30, 8, 4, 12, 60, 40, .05, .1, .05, .1, .05 } },
	};
	size_t i;
	uint64_t seed;
	int good;

	for (i = 0; i < sizeof tests / sizeof *tests; i++) {
		int n = tests[i].c.states > 50 ? 3 : 20;

		for (good = 0, seed = 1; seed <= (uint64_t)n; seed++)
			good += compare(&tests[i].c, seed);
		ok(good == n,
		    "the tracker equals a plain tracker: %s (%d of %d)",
		    tests[i].name, good, n);
	}
}

/* Without merging and dropping: all paths one by one. */
static void
against_paths(void)
{
	enum { STEPS = 6 };
	struct cscg_track_options set = {
		.beam = 5000, .slip = .1, .jump = .03, .rebind = .002
	};
	struct plain p = { .set = set };
	struct cscg_rng rng;
	int x[STEPS], a[STEPS], good = 0, i, seed;

	for (seed = 0; seed < 20; seed++) {
		struct one begin = { .w = 1, .state = -1 };
		struct cscg_track_tables *map;
		struct cscg_track *t;
		struct cscg_model *m;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 12, 0);
		m = chance_model(&rng, 4, 3, 2, .15);
		m->misread = seed % 2 ? .2 : 0;
		p.n_obs = 3;
		map = need(cscg_track_tables_new(m, &set, &err));
		t = need(cscg_track_new(map, 3, &err));
		p.m = m;
		for (i = 0; i < STEPS; i++) {
			x[i] = (int)cscg_rng_below(&rng, 4) - 1;
			a[i] = (int)cscg_rng_below(&rng, 8) % 3 - 1;
			need(cscg_track_step(t, i ? a[i - 1] : -1, x[i],
				 &err) < 0 ?
				NULL :
				t);
		}
		memset(begin.symbol, -1, sizeof begin.symbol);
		good += near(cscg_track_score(t),
		    log(paths(&p, &begin, a, x, 0, STEPS)), 1e-12);
		cscg_track_free(t);
		cscg_track_tables_free(map);
		cscg_model_free(m);
	}
	ok(good == 20, "the score is the sum over all paths");
}

/* ---- by hand ---- */

/* Two states that action 0 swaps, each a group of its own. */
static struct cscg_model *
swap(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_CLONES, 2, 1, 2,
	    &err));
	struct cscg_count c[] = { { 0, 0, 1, 5 }, { 0, 1, 0, 5 } };

	need(cscg_model_set_counts(m, c, 2, &err) < 0 ? NULL : m);
	m->clone[1] = 1;
	return m;
}

/* The score after the steps. */
static double
score(const struct cscg_track_options *set, int n, const int *a, const int *x)
{
	struct cscg_model *m = swap();
	struct cscg_track_tables *map = need(cscg_track_tables_new(m, set,
	    &err));
	struct cscg_track *t = need(cscg_track_new(map, 3, &err));
	double s;
	int i;

	for (i = 0; i < n; i++)
		need(cscg_track_step(t, a[i], x[i], &err) < 0 ? NULL : t);
	s = cscg_track_score(t);
	cscg_track_free(t);
	cscg_track_tables_free(map);
	cscg_model_free(m);
	return s;
}

static void
by_hand(void)
{
	static const int go[] = { -1, 0, 0, 0 }, put[] = { -1, -1, 0, 0 };
	struct cscg_track_options usual = { 0 }, slips = { .slip = .1 };
	struct cscg_track_options other = { .jump = .2, .rebind = .1 };

	ok(score(&usual, 1, go, (int[]){ 2 }) == 0,
	    "any first symbol has score 0");
	ok(near(score(&usual, 4, go, (int[]){ 2, 0, 2, 0 }), 0, 1e-15),
	    "alternating symbols are explained by both states");
	/*
	 * One hypothesis rebinds, or jumps back, to one of two states: 1e-4 +
	 * 1e-2/2.
	 */
	ok(near(score(&usual, 2, go, (int[]){ 1, 1 }), log(51e-4), 1e-12),
	    "a repeated symbol costs a rebinding or a jump");
	ok(near(score(&other, 2, go, (int[]){ 1, 1 }), log(.1 + .2 / 2),
	       1e-12),
	    "rebinding and jump probabilities of the settings are used");
	/*
	 * Or the action failed, and the state is the same: .1 / 2 + .9 (1e-4 +
	 * 5e-3).
	 */
	ok(near(score(&slips, 2, go, (int[]){ 1, 1 }), log(.05 + .9 * 51e-4),
	       1e-12),
	    "slips explain a repeated symbol");
	ok(near(score(&slips, 2, go, (int[]){ 1, 0 }), log(.9), 1e-12),
	    "with slips a normal transition costs log(1 - slip)");
	/*
	 * A third symbol in two states: rebind; there is no state to jump to.
	 */
	ok(near(score(&usual, 3, go, (int[]){ 0, 1, 2 }), log(1e-4), 1e-12),
	    "a symbol more than groups costs a rebinding");
	ok(near(score(&usual, 3, go, (int[]){ 0, -1, 0 }), 0, 1e-15),
	    "missing observations cost 0");
	/* After a reset: the same state, or the other one. */
	ok(near(score(&usual, 2, put, (int[]){ 1, 1 }), log(.5), 1e-12) &&
		near(score(&usual, 2, put, (int[]){ 1, 2 }), log(.5), 1e-12),
	    "a relocation costs the choice of the state");
	ok(near(score(&usual, 3, put, (int[]){ 1, 2, 1 }), log(.5), 1e-12),
	    "a relocation keeps the binding");
}

static void
hypotheses(void)
{
	struct cscg_track_options set = { 0 };
	struct cscg_model *m = swap();
	struct cscg_track_tables *map = need(cscg_track_tables_new(m, &set,
	    &err));
	struct cscg_track *t = need(cscg_track_new(map, 3, &err));
	struct cscg_track_hypothesis h;

	ok(cscg_track_count(t) == 0,
	    "without observations there are no hypotheses");
	cscg_track_step(t, -1, 2, &err);
	ok(cscg_track_count(t) == 2,
	    "the first symbol gives a hypothesis for each state");
	h = cscg_track_get(t, 0);
	ok(h.state == 0 && h.p == .5 && h.symbol[0] == 2 &&
		h.symbol[1] == -1 && h.group[2] == 0 && h.group[0] == -1 &&
		h.group[1] == -1,
	    "the state's group is bound to the observed symbol");
	h = cscg_track_get(t, 1);
	ok(h.state == 1 && h.symbol[1] == 2,
	    "the second hypothesis is the other state");
	cscg_track_step(t, 0, 2, &err);
	/* .5 * (1e-4 + 5e-3) each, there and here. */
	ok(cscg_track_count(t) == 2 && cscg_track_get(t, 0).state == 0 &&
		near(cscg_track_get(t, 0).p, .5, 1e-12),
	    "equal hypotheses are merged");
	cscg_track_reset(t);
	ok(cscg_track_count(t) == 0 && cscg_track_score(t) == 0,
	    "a reset removes all hypotheses");
	cscg_track_step(t, -1, 0, &err);
	cscg_track_step(t, 0, 1, &err);
	h = cscg_track_get(t, 0);
	ok(cscg_track_score(t) == 0 && h.symbol[h.state] == 1 &&
		h.symbol[!h.state] == 0,
	    "after a reset the tracker is as new");
	ok(cscg_track_next(map, 0, 0) == 1 &&
		cscg_track_next(map, 1, 0) == 0 &&
		cscg_track_group(map, 1) == 1,
	    "most probable successors and groups of states");
	cscg_track_free(t);
	cscg_track_tables_free(map);
	cscg_model_free(m);
	m = need(cscg_model_new(CSCG_SCHEMA, 2, 1, 1, &err));
	ok(!cscg_track_tables_new(m, &set, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "no clone structure, which tracking bindings requires"),
	    "a schema without clones is refused: %s", err.msg);
	cscg_model_free(m);
	m = need(cscg_model_new(CSCG_CLONES, 2, 1, 1, &err));
	map = need(cscg_track_tables_new(m, &set, &err));
	ok(cscg_track_next(map, 1, 0) == -1,
	    "an action without counts has no successor");
	cscg_track_tables_free(map);
	cscg_model_free(m);
}

/* In a schema's own room the true hypothesis is never dropped. */
static void
at_home(void)
{
	static const enum cscg_shape_kind kinds[] = { CSCG_RECTANGLE,
		CSCG_HOLE, CSCG_TORUS };
	struct cscg_track_options set = { 0 };
	int i, bad = 0, right = 0;

	for (i = 0; i < 3; i++) {
		struct cscg_room *room = shape_room(kinds[i], 8, 9);
		struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4,
		    NULL, &err));
		struct cscg_track_tables *map = need(cscg_track_tables_new(m,
		    &set, &err));
		struct cscg_track *t = need(cscg_track_new(map, room->n_obs,
		    &err));
		struct walker how = { .n = 400, .seed = 3 };
		struct cscg_walk *w = walk_in(room, &how);
		long s;

		for (s = 0; s < w->n_steps; s++) {
			need(cscg_track_step(t, s ? w->a[s - 1] : -1, w->x[s],
				 &err) < 0 ?
				NULL :
				t);
			bad += cscg_track_score(t) < -log(m->n_states) - 1e-9;
		}
		/*
		 * Emissions are those of the exact model up to its symmetries.
		 */
		right += cscg_track_get(t, 0)
			     .symbol[m->clone[cscg_track_get(t, 0).state]] ==
		    w->x[s - 1];
		cscg_walk_free(w);
		cscg_track_free(t);
		cscg_track_tables_free(map);
		cscg_model_free(m);
		cscg_room_free(room);
	}
	ok(!bad, "a walk in its own room costs at most log Z");
	ok(right == 3, "bound symbols are those of the room");
}

/*
 * A walk is its steps one by one; the first of an episode, and one after a reset, is
 * without an action.  Beams of a few hypotheses, jumps and noise.
 */
static void
walks(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 5);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	int i, k, x, bad = 0, same = 0, groups = cscg_model_n_groups(m);

	for (i = 0; i < 12; i++) {
		struct cscg_track_options set = { .beam = 1 + 5 * (i % 4),
			.jump = i % 2 ? .1 : 0,
			.slip = i % 3 ? 0 : .1,
			.misread = i % 5 ? 0 : .05 };
		struct walker how = { .n = 30,
			.episodes = 2,
			.dropout = .1,
			.reset = .05,
			.slip = .05,
			.seed = (uint64_t)i };
		struct cscg_walk *w = walk_in(room, &how);
		struct cscg_track_tables *map = need(cscg_track_tables_new(m,
		    &set, &err));
		struct cscg_track *t = need(cscg_track_new(map, room->n_obs,
				      &err)),
				  *u = need(cscg_track_new(map, room->n_obs,
				      &err));
		long s;

		need(cscg_track_walk(t, w, &err) < 0 ? NULL : t);
		for (s = 0; s < w->n_steps; s++) {
			int a = s % 30 && !w->reset[s] ? w->a[s - 1] : -1;

			need(cscg_track_step(u, a, w->x[s], &err) < 0 ? NULL :
									u);
			bad += cscg_track_count(u) > set.beam;
		}
		same += cscg_track_score(t) == cscg_track_score(u) &&
		    cscg_track_count(t) == cscg_track_count(u);
		for (k = 0; k < cscg_track_count(t); k++) {
			struct cscg_track_hypothesis g = cscg_track_get(t, k),
						     h = cscg_track_get(u, k);

			bad += g.p != h.p || g.state != h.state ||
			    memcmp(g.symbol, h.symbol,
				(size_t)groups * sizeof *g.symbol);
			/* A group of each symbol that a group has. */
			for (x = 0; x < room->n_obs; x++)
				bad += g.group[x] >= 0 &&
				    g.symbol[g.group[x]] != x;
			bad += k && g.p > cscg_track_get(t, k - 1).p;
		}
		cscg_track_free(t);
		cscg_track_free(u);
		cscg_track_tables_free(map);
		cscg_walk_free(w);
	}
	ok(same == 12 && !bad, "a walk is its steps: %d of 12", same);
	cscg_model_free(m);
	cscg_room_free(room);
}

/* ---- the limit of the beam ---- */

static double
plain_cut(const struct cscg_track_weight *lot, long n, long most)
{
	double best = -1;
	long i, j, sum;

	for (i = 0; i < n; i++) {
		for (sum = 0, j = 0; j < n; j++)
			sum += lot[j].w >= lot[i].w ? lot[j].n : 0;
		if (sum >= most && lot[i].w > best)
			best = lot[i].w;
	}
	return best;
}

static void
cuts(void)
{
	struct cscg_track_weight lot[50], copy[50];
	struct cscg_rng rng;
	int good = 0, k;
	long i, n, sum, most;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 13, 0);
	for (k = 0; k < 500; k++) {
		n = 1 + cscg_rng_below(&rng, 50);
		for (sum = 0, i = 0; i < n; i++) {
			lot[i] = copy[i] = (struct cscg_track_weight){
				(double)cscg_rng_below(&rng, k % 2 ? 8 : 1000),
				1 + cscg_rng_below(&rng, k % 3 ? 1 : 20)
			};
			sum += lot[i].n;
		}
		most = 1 + cscg_rng_below(&rng, sum);
		good += cscg_track_kth_weight(copy, n, most) ==
		    plain_cut(lot, n, most);
	}
	ok(good == 500, "the threshold is the weight of the n-th hypothesis");
}

int
main(void)
{
	by_hand();
	hypotheses();
	walks();
	cuts();
	against_paths();
	against_plain();
	at_home();
	return done();
}
