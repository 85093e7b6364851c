/*
 * update.c - detection of changed transitions, by hand and against the
 * definition; counts of models without aliasing
 */
#include <string.h>

#include "learn/update.h"
#include "base/mem.h"
#include "tap.h"
#include "walker.h"

/* ---- has a transition changed? ---- */

/*
 * P(k[from .. to-1] | C) by the definition in the header, outcome by outcome.
 */
static double
sequence(const double *C, int S, double p, const int *k, long from, long to)
{
	double c[8], sum = 0, product = 1;
	long i;
	int j;

	for (j = 0; j < S; j++)
		sum += c[j] = C[j];
	for (i = from; i < to; i++) {
		product *= (c[k[i]] + p) / (sum + p * S);
		c[k[i]]++;
		sum++;
	}
	return product;
}

static void
test_judge_by_hand(void)
{
	static const double old[] = { 3, 0 };
	static const int k[] = { 1 };
	double value;
	long late;

	/* Unchanged: (0 + 1) / (3 + 2); changed: 1 / 2. */
	ok(cscg_update_change_point(old, 2, 1, .1, k, 1, &late, &value,
	       &err) == 0 &&
		late == 0 && near(value, log(.9 * .2), 1e-12),
	    "one new outcome does not change a row");
	ok(cscg_update_change_point(old, 2, 1, .4, k, 1, &late, &value,
	       &err) == 0 &&
		late == 1 && near(value, log(.4 * .5), 1e-12),
	    "with a high change rate one new outcome changes a row");
	ok(cscg_update_change_point(old, 2, 1, 0, k, 1, &late, &value, &err) ==
		    0 &&
		late == 0 && near(value, log(.2), 1e-12),
	    "with a rate of 0 no count is discarded");
}

static void
test_judge(void)
{
	static const double zero[4];
	struct cscg_rng rng;
	int k[9], bad = 0, changed = 0, round, S, j;
	double old[4], p, forget, best, v, value;
	long n, i, want, late;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (round = 0; round < 500; round++) {
		S = 2 + (int)cscg_rng_below(&rng, 3);
		n = 1 + cscg_rng_below(&rng, 9);
		p = .001 + cscg_rng_uniform(&rng);
		forget = .5 * cscg_rng_uniform(&rng);
		for (j = 0; j < S; j++)
			old[j] = (double)cscg_rng_below(&rng, 20);
		for (i = 0; i < n; i++)
			k[i] = (int)cscg_rng_below(&rng, S);
		best = pow(1 - forget, (double)n) *
		    sequence(old, S, p, k, 0, n);
		for (want = 0, i = 0; i < n; i++) {
			v = forget * pow(1 - forget, (double)i) *
			    sequence(old, S, p, k, 0, i) *
			    sequence(zero, S, p, k, i, n);
			if (v > best * (1 + 1e-9)) {
				best = v;
				want = n - i;
			}
		}
		need(cscg_update_change_point(old, S, p, forget, k, n, &late,
			 &value, &err) < 0 ?
			NULL :
			&late);
		bad += !near(value, log(best), 1e-9) || late != want;
		changed += late > 0;
	}
	ok(!bad && changed > 50 && changed < 450,
	    "the most probable change point is found (%d of 500 have changed)",
	    changed);
}

/* ---- models ---- */

/*
 * Three nodes in a ring, each with a symbol of its own: action 0 leads to the
 * next, action 1 stays; ten counts each.
 */
static struct cscg_model *
ring(bool rows)
{
	static const double E[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 3, 2, 3,
	    &err));
	struct cscg_count c[6];
	int j;

	for (j = 0; j < 3; j++) {
		m->clone[j] = j;
		c[2 * j] = (struct cscg_count){ 0, j, (j + 1) % 3, 10 };
		c[2 * j + 1] = (struct cscg_count){ 1, j, j, 10 };
	}
	m->pseudocount = .1;
	need(cscg_model_set_counts(m, c, 6, &err) < 0 ||
		    (rows && cscg_model_set_E(m, E, 3, &err) < 0) ?
		NULL :
		m);
	return m;
}

static double
count_of(const struct cscg_model *m, int a, int j, int k)
{
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		if (m->to[i] == k)
			return m->count[i];
	return 0;
}

static const struct cscg_update usual = { .change_rate = 1e-2,
	.iterations = 50,
	.tolerance = 1e-6,
	.pseudocount = .002 };

/* From node 1 action 0 now leads back to 0; action 1 at 2 is never taken. */
static struct cscg_walk *
changed_walk(void)
{
	static const int x[] = { 0, 1, 0, 0, 1, 0, 1, 0 };
	static const int a[] = { 0, 0, 1, 0, 0, 0, 0 };

	return hand_walk(2, 3, 8, x, a);
}

static void
test_counts(bool rows)
{
	const char *name = rows ? "rows" : "clones";
	struct cscg_model *m = ring(rows), *fresh;
	struct cscg_walk *w = changed_walk();
	struct cscg_update set = usual;
	struct cscg_update_result out;

	fresh = need(cscg_update(m, w, &set, &out, &err));
	ok(out.rows == 3 && out.changed == 1 && out.added == 0 &&
		out.loglik > out.before,
	    "%s: one of three rows has changed", name);
	ok(count_of(fresh, 0, 1, 2) <= 0 &&
		near(count_of(fresh, 0, 1, 0), 3, 1e-9),
	    "%s: the old counts of the changed row are discarded", name);
	ok(near(count_of(fresh, 0, 0, 1), 13, 1e-9) &&
		near(count_of(fresh, 1, 0, 0), 11, 1e-9),
	    "%s: counts of unchanged rows are added", name);
	ok(count_of(fresh, 0, 2, 0) >= 10 && count_of(fresh, 0, 2, 0) <= 10 &&
		near(count_of(fresh, 1, 2, 2), 10, 0) &&
		near(count_of(fresh, 1, 1, 1), 10, 0) && fresh->first[6] == 6,
	    "%s: untried rows are unchanged", name);
	ok(fresh->pseudocount == .002 && fresh->n_states == 3 &&
		!fresh->e_first == !rows && cscg_model_check(fresh, &err) == 0,
	    "%s: states and emissions are the same", name);
	cscg_model_free(fresh);
	set.change_rate = 0;
	fresh = need(cscg_update(m, w, &set, &out, &err));
	ok(out.changed == 0 && near(count_of(fresh, 0, 1, 2), 10, 1e-9) &&
		near(count_of(fresh, 0, 1, 0), 3, 1e-9),
	    "%s: with a change rate of 0 counts are added", name);
	cscg_model_free(fresh);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* A transition that changes during the walk. */
static void
test_on_the_way(void)
{
	struct cscg_model *m = ring(false), *fresh;
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_update_result out;
	int t, at = 0;

	for (t = 0; t < 60; t++) {
		struct cscg_step s = { .x = at,
			.a = t < 59 ? 0 : -1,
			.z = -1,
			.goal = -1,
			.r = NAN,
			.reset = t == 40 };

		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		at = t == 39 ? 0 : t >= 30 && at == 1 ? 0 : (at + 1) % 3;
	}
	fresh = need(cscg_update(m, w, &usual, &out, &err));
	/*
	 * From step 30 on nodes are 0 1 0 1 ...: 14 times 1 to 0, once by
	 * reset.
	 */
	ok(out.changed == 1 && near(count_of(fresh, 0, 1, 0), 13, 1e-9) &&
		count_of(fresh, 0, 1, 2) <= 0,
	    "only counts after the change are kept");
	ok(near(count_of(fresh, 0, 0, 1), 10 + 10 + 15, 1e-9) &&
		near(count_of(fresh, 0, 2, 0), 10 + 10, 1e-9),
	    "a step across a reset is not a transition");
	cscg_model_free(fresh);
	cscg_model_free(m);
	cscg_walk_free(w);
}

static void
test_faults(void)
{
	static const int x[] = { 0, 1 }, a[] = { 0 };
	struct cscg_model *m = ring(false), *schema = ring(false);
	struct cscg_walk *w = hand_walk(2, 3, 2, x, a);
	struct cscg_update_result out;

	cscg_model_unground(schema, CSCG_CLONES);
	ok(!cscg_update(schema, w, &usual, &out, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg, "only a grounded model can be updated"),
	    "a schema without emissions is refused");
	m->clone[1] = 2;
	ok(!cscg_update(m, w, &usual, &out, &err) && err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "the model cannot produce this walk: a symbol has no "
		    "clone"),
	    "a symbol that no state emits is refused");
	cscg_model_free(m);
	cscg_model_free(schema);
	cscg_walk_free(w);
}

int
main(void)
{
	test_judge_by_hand();
	test_judge();
	test_counts(false);
	test_counts(true);
	test_on_the_way();
	test_faults();
	return done();
}
