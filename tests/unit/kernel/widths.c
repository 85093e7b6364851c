/*
 * widths.c - EM with blocks of one to ten vectors: each instruction set gives the
 * likelihoods of the plain loops
 *
 * Symbol i has about 4 i clones, so that blocks of all widths occur between symbols
 * of a random walk.  An instruction set that the CPU lacks is left out.
 */
#include <math.h>

#include "cscg.h"
#include "tap.h"
#include "walker.h"

enum { SYMBOLS = 10, STEPS = 400 };

static const int clones[SYMBOLS] = { 1, 3, 7, 11, 15, 19, 23, 27, 31, 38 };

/* The likelihood of the walk after three updates from the same start; NaN: none. */
static double
loglik_by(const struct cscg_walk *w, const char *isa)
{
	struct cscg_learn_settings set = cscg_learn_defaults();
	struct cscg_model *m;
	double loglik = NAN;

	set.em.restarts = 1;
	set.em.iterations = 3;
	set.em.threads = 1;
	set.em.isa = isa;
	set.structure = CSCG_STRUCTURE_NONE;
	set.clones = clones;
	m = cscg_model_learn(w, &set, NULL, &err);
	if (m && cscg_model_loglik(m, w, &loglik, NULL, &err) < 0)
		loglik = NAN;
	cscg_model_free(m);
	return loglik;
}

int
main(void)
{
	static const char *const isas[] = { "c", "sse2", "avx2", "avx512" };
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = SYMBOLS };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_step step = { .z = -1, .goal = -1, .r = NAN };
	struct cscg_rng rng;
	double plain, by;
	size_t i;
	int t;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 9);
	for (t = 0; t < STEPS; t++) {
		step.x = (int)cscg_rng_below(&rng, SYMBOLS);
		step.a = t + 1 < STEPS ? (int)cscg_rng_below(&rng, 2) : -1;
		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
	}
	plain = loglik_by(w, "plain");
	ok(isfinite(plain) && plain < 0, "the plain loops: %g", plain);
	for (i = 0; i < sizeof isas / sizeof *isas; i++) {
		by = loglik_by(w, isas[i]);
		ok(isnan(by) ? err.code == CSCG_EUSAGE :
			       fabs(by - plain) < 1e-3 * fabs(plain),
		    "%s: %g", isas[i], by);
	}
	cscg_walk_free(w);
	return done();
}
