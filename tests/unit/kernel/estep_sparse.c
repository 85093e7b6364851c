/*
 * estep_sparse.c - rows of T that store all states, some, or none, by hand
 *
 * tests/unit/schema/stitch.c has the E-step against enumeration.
 */
#include <math.h>
#include <string.h>

#include "kernel/estep_sparse.h"
#include "tap.h"
#include "walker.h"

/* Row 0 stores all states, row 1 all but one, row 2 none. */
static const struct cscg_count counts[] = { { 0, 0, 0, 1 }, { 0, 0, 1, 2 },
	{ 0, 0, 2, 5 }, { 0, 1, 0, 3 }, { 0, 1, 1, 1 } };
static const int stay[7];

static struct cscg_model *
three_states(void)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 3, 1, 3,
	    &err));

	m->clone[1] = 1;
	m->clone[2] = 2;
	need(cscg_model_set_counts(m, counts, 5, &err) < 0 ? NULL : m);
	return m;
}

static double
loglik_of(struct cscg_estep *e, bool with_counts)
{
	double loglik = NAN;

	need(e->expect(e, with_counts, &loglik, &err) < 0 ? NULL : e);
	return loglik;
}

/* Each symbol has one state, so that the path is known. */
static void
test_rows(void)
{
	static const int x[] = { 0, 0, 1, 2, 2, 1, 0, 2 };
	struct cscg_model *m = three_states(), *out = three_states();
	struct cscg_walk *w = hand_walk(1, 3, 8, x, stay);
	struct cscg_estep *e = need(cscg_estep_sparse(m, w, NULL, &err));

	ok(!strcmp(e->name, "sparse") && e->slack_relative == 1e-11 &&
		e->slack_per_step == 0x1p-51 && !e->save && !e->restore,
	    "rounding errors are those of double precision");
	ok(e->set(e, 0) == 0 && loglik_of(e, false) == -INFINITY,
	    "without a pseudocount the entry that is missing has no "
	    "probability");
	/* 2, 3, 6 of 11; 4, 2, 1 of 7; a third each. */
	ok(near(e->set(e, 1), log(36. / 1331) + log(8. / 343) + log(1. / 27),
	       1e-12),
	    "the sum of log T as loaded");
	ok(near(loglik_of(e, true),
	       log(1. / 3 * 2 / 11 * 3 / 11 * 1 / 7 / 3 / 3 * 4 / 7 * 6 / 11),
	       1e-12),
	    "the likelihood as loaded");
	need(e->store(e, out, 2, &err) < 0 ? NULL : out);
	ok(out->first[3] == 2 && out->to[0] == 2 && out->count[0] == 5 &&
		out->first[1] == 1 && out->to[1] == 0 && out->count[1] == 3,
	    "counts above a limit are stored, as loaded");
	e->accept(e);
	/*
	 * One each; 1.5, .5, 1.5 of 3.5; a third each.  Three transitions have
	 * no entry: one of state 1, two of state 2.
	 */
	ok(near(e->set(e, .5), 6 * log(1. / 3) + log(9. / 343), 1e-12),
	    "the sum of log T after an update");
	ok(near(loglik_of(e, false),
	       log(1. / 3 / 3 / 3 * 3 / 7 / 3 / 3 * 3 / 7 / 3), 1e-12),
	    "the likelihood after an update");
	need(e->store(e, out, .5, &err) < 0 ? NULL : out);
	ok(out->first[1] == 3 && out->first[2] == 4 && out->first[3] == 4 &&
		near(out->count[2], 1, 1e-12) && near(out->count[3], 1, 1e-12),
	    "expected counts are stored");
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_model_free(out);
	cscg_walk_free(w);
}

/* Without counts and pseudocount a row is uniform, whatever it was before. */
static void
test_empty_row(void)
{
	static const int x[] = { 0, 1, 0, 2, 1, 0 };
	struct cscg_model *m = three_states(), *none = three_states();
	struct cscg_walk *w = hand_walk(1, 3, 6, x, stay);
	struct cscg_estep *e = need(cscg_estep_sparse(m, w, NULL, &err));

	none->count[0] = none->count[1] = none->count[2] = 0;
	e->set(e, 1);
	need(e->load(e, none, NULL, &err) < 0 ? NULL : e);
	ok(e->set(e, 0) == 0 &&
		near(loglik_of(e, false),
		    log(1. / 3 / 3 * 3 / 4 / 3 / 3 * 3 / 4), 1e-12),
	    "a row without counts and one without entries are uniform");
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_model_free(none);
	cscg_walk_free(w);
}

/* Random counts are those of the generator, in the order of entries. */
static void
test_random(void)
{
	static const int x[] = { 0, 1 };
	struct cscg_model *m = three_states(), *out = three_states();
	struct cscg_walk *w = hand_walk(1, 3, 2, x, stay);
	struct cscg_estep *e = need(cscg_estep_sparse(m, w, NULL, &err));
	struct cscg_rng rng;
	int i, right = 0;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	need(e->load(e, m, &rng, &err) < 0 || e->store(e, out, -1, &err) < 0 ?
		NULL :
		e);
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 5; i++)
		right += out->count[i] == cscg_rng_uniform(&rng);
	ok(right == 5 && out->first[3] == 5, "random counts");
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_model_free(out);
	cscg_walk_free(w);
}

int
main(void)
{
	test_rows();
	test_empty_row();
	test_random();
	return done();
}
