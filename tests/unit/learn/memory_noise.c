/*
 * memory_noise.c - allocations of the searches for noisy walks fail, one at a time
 *
 * A room of 4x4 cells whose four inner ones have the same symbol.
 */
/* all: slow (16 s of CPU time): long walks, learned hundreds of times */
#include "fail_alloc.h"
#include "learn/learn.h"
#include "learn/noisy.h"
#include "learn/outward.h"
#include "walker.h"

static struct cscg_walk *slips, *few_slips, *misread, *text;
static struct cscg_learn set = { .iterations = 20,
	.restarts = 1,
	.tolerance = 1e-3,
	.pseudocount = 2e-3,
	.seed = 42,
	.threads = 1 };

/* Takes m. */
static int
end_model(struct cscg_model *m)
{
	fail_value += m ? m->n_states : 0;
	cscg_model_free(m);
	return m ? 0 : -1;
}

static int
outward(void)
{
	struct cscg_model *m = NULL;
	bool distinct;
	int rc = cscg_outward(slips, &set, &m, &distinct, &fail_value, &err);

	cscg_model_free(m);
	return rc < 0 ? -1 : 0;
}

static int
learn(const struct cscg_walk *w)
{
	struct cscg_learn_progress last;
	int rc = end_model(cscg_learn(w, &set, &last, &err));

	if (rc == 0)
		fail_value += last.loglik;
	return rc;
}

static int
learn_slips(void)
{
	return learn(few_slips);
}

static int
learn_text(void)
{
	return learn(text);
}

static int
replace_symbols(void)
{
	struct cscg_model *m = NULL;
	int *x = NULL, rc = cscg_noisy_replace(misread, &set, &x, &m, &err);
	long t;

	for (t = 0; x && t < misread->n_steps; t++)
		fail_value += x[t];
	free(x);
	cscg_model_free(m);
	return rc < 0 ? -1 : 0;
}

int
main(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 4);
	struct cscg_room *ring = hand_room(4, 1, 2,
	    (const int[]){ 0, 0, 1, 1 }, (const int[]){ 1, 2, 3, 0 });
	struct walker slip = { .n = 600, .slip = .05, .seed = 3 };
	struct walker clean = { .n = 300, .seed = 4 };
	struct walker words = {
		.n = 20, .episodes = 20, .slip = .3, .seed = 5
	};
	struct cscg_rng rng;
	long t;

	slips = walk_in(room, &slip);
	slip.n = 300;
	few_slips = walk_in(room, &slip);
	misread = walk_in(room, &clean);
	text = walk_in(ring, &words);
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 8);
	for (t = 0; t < misread->n_steps; t++)
		if (cscg_rng_uniform(&rng) < .03)
			misread->x[t] = (int)cscg_rng_below(&rng, room->n_obs);
	fail_sites("states grown outward", outward);
	fail_sites("misread symbols replaced", replace_symbols);
	fail_sites("a walk with slips", learn_slips);
	fail_sites("a walk without a map", learn_text);
	cscg_walk_free(slips);
	cscg_walk_free(few_slips);
	cscg_walk_free(misread);
	cscg_walk_free(text);
	cscg_room_free(room);
	cscg_room_free(ring);
	return done();
}
