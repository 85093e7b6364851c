/*
 * widths.c - EM with blocks of one to ten vectors, and of 17 to 25: each instruction
 * set gives the likelihoods of the plain loops
 *
 * Symbol i has about 4 i clones, so that blocks of all widths occur between symbols
 * of a random walk; or two symbols have 260 and 390 clones, which is wider than one
 * pass of any instruction set.  An instruction set that the CPU lacks is left out.
 */
#include <math.h>

#include "cscg.h"
#include "tap.h"
#include "walker.h"

enum { STEPS = 400 };

/* The log-likelihoods of the walk: by the updates, and by their model; NaN: none. */
struct logliks {
	double update, model;
};

/* Three updates from the same start. */
static struct logliks
logliks_by(const struct cscg_walk *w, const int *clones, const char *isa)
{
	struct cscg_learn_settings set = cscg_learn_defaults();
	struct logliks by = { NAN, NAN };
	struct cscg_model *m;

	set.em.restarts = 1;
	set.em.iterations = 3;
	set.em.threads = 1;
	set.em.isa = isa;
	set.structure = CSCG_STRUCTURE_NONE;
	set.clones = clones;
	m = cscg_model_learn(w, &set, &by.update, &err);
	if (m && cscg_model_loglik(m, w, &by.model, NULL, &err) < 0)
		by.model = NAN;
	cscg_model_free(m);
	return by;
}

/* A random walk of symbols with these numbers of clones. */
static void
test_widths(const int *clones, int n)
{
	static const char *const isas[] = { "c", "sse2", "avx2", "avx512" };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = n };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step step = { .z = -1, .goal = -1, .r = NAN };
	struct cscg_rng rng;
	struct logliks plain, by;
	size_t i;
	int t;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 9);
	for (t = 0; t < STEPS; t++) {
		step.x = (int)cscg_rng_below(&rng, n);
		/* The sum of the last message is the likelihood of the walk. */
		if (t + 1 == STEPS)
			step.x = n - 1;
		step.a = t + 1 < STEPS ? (int)cscg_rng_below(&rng, 2) : -1;
		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
	}
	plain = logliks_by(w, clones, "plain");
	ok(isfinite(plain.update) && plain.update < 0 &&
		isfinite(plain.model) && plain.model < 0,
	    "the plain loops: %g, %g", plain.update, plain.model);
	for (i = 0; i < sizeof isas / sizeof *isas; i++) {
		by = logliks_by(w, clones, isas[i]);
		/* Messages are in single precision. */
		ok(isnan(by.model) ? err.code == CSCG_EUSAGE :
				     near(by.update / plain.update, 1, 1e-5) &&
			    near(by.model / plain.model, 1, 1e-3),
		    "%s: %.9g, %.9g", isas[i], by.update, by.model);
	}
	cscg_walk_free(w);
}

int
main(void)
{
	static const int few[] = { 1, 3, 7, 11, 15, 19, 23, 27, 31, 38 };
	static const int many[] = { 2, 260, 390 };

	test_widths(few, sizeof few / sizeof *few);
	test_widths(many, sizeof many / sizeof *many);
	return done();
}
