/*
 * experience - a grid of 4x5 cells with different symbols, and a walk at random
 *
 * The learned map is compared with the grid.
 */
#include <math.h>

#include "base/rng.h"
#include "need.h"
#include "plan/experience.h"
#include "tap.h"

enum { ROWS = 4, COLS = 5, CELLS = ROWS * COLS, ACTIONS = 4 };

static int
next(int at, int a)
{
	int r = at / COLS + (a == 2) - (a == 0);
	int c = at % COLS + (a == 1) - (a == 3);

	return r < 0 || r >= ROWS || c < 0 || c >= COLS ? at : r * COLS + c;
}

/* East of cell 12, and north of cell 0, a wall, are never tried. */
static bool
is_tried(int at, int a)
{
	return !(at == 12 && a == 1) && !(at == 0 && a == 0);
}

/* Walk n steps at random, each observed with probability p.  The last cell. */
static int
walk(struct cscg_experience *e, int at, long n, double p, struct cscg_rng *rng)
{
	int a;

	while (n-- > 0) {
		do
			a = (int)cscg_rng_below(rng, ACTIONS);
		while (!is_tried(at, a));
		at = next(at, a);
		/* The action that collects is the first. */
		need(cscg_experience_add(e, a + 1, at, p, &err) < 0 ? NULL :
								      e);
	}
	return at;
}

/* Is every transition of the map that of the cells its states emit? */
static bool
is_grid(const struct cscg_model *m)
{
	int cell[CELLS], j, a, x, to;

	if (m->n_states != CELLS)
		return false;
	for (j = 0; j < CELLS; j++)
		for (x = 0; x < CELLS; x++)
			if (cscg_model_E_unmixed(m, j, x) > .5)
				cell[j] = x;
	for (j = 0; j < CELLS; j++)
		for (a = 0; a < ACTIONS; a++) {
			to = cscg_model_likely_successor(m, a, j);
			if (to < 0 || cell[to] != next(cell[j], a))
				return false;
		}
	return true;
}

/* The untried actions of the map; -1: one of them was taken. */
static int
count_untried(const struct cscg_experience *e)
{
	int j, a, cell, n = 0;

	for (j = 0; j < CELLS; j++)
		for (a = 0; a < ACTIONS; a++) {
			if (e->tried[j * ACTIONS + a])
				continue;
			cell = cscg_model_best_symbol(e->map, j);
			if (is_tried(cell, a))
				return -1;
			n++;
		}
	return n;
}

/* For poll.h: stop at call number *ctx. */
static int
stop(void *ctx, const char *stage, double done, double total)
{
	int *left = ctx;

	(void)stage, (void)done, (void)total;
	return --*left == 0;
}

/*
 * Places explain the walk with probability p of each symbol, and their number
 * is noted at steps 400, 800 and 1600.  Is the walk then due, and does learning
 * it give a map?
 */
static void
replace_places(double p, const int n_places[3], bool is_due, int gives_map,
    const char *name)
{
	struct cscg_env_header world = { .head = { .n_actions = ACTIONS + 1,
					     .n_obs = CELLS },
		.collect = 0 };
	struct cscg_experience *e = need(cscg_experience_new(&world, 1, &err));
	struct cscg_rng rng;
	int i, at = 7;

	cscg_rng_seed(&rng, 5, CSCG_RNG_WALK, 0, 0);
	need(cscg_experience_add(e, -1, at, 1, &err) < 0 ? NULL : e);
	for (i = 0; i < 3; i++) {
		at = walk(e, at, i ? 400 * i : 400, p, &rng);
		cscg_experience_note_places(e, n_places[i]);
	}
	ok(!cscg_experience_is_lost(e) &&
		cscg_experience_is_due(e, false) == is_due,
	    "%s: the walk is %sdue", name, is_due ? "" : "not ");
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == gives_map &&
		!e->map == !gives_map && !cscg_experience_is_due(e, false),
	    "%s: the map is %sused", name, gives_map ? "" : "not ");
	cscg_experience_free(e);
}

/*
 * Places predicted well until step 400, and later with another probability, for
 * 300 steps or until the walk has doubled: they cost less than the 267 nats of a
 * map in both cases, but the map will predict better than places of probability
 * .7.
 */
static void
recent_places(double late, bool doubles, int gives_map, const char *name)
{
	struct cscg_env_header world = { .head = { .n_actions = ACTIONS + 1,
					     .n_obs = CELLS },
		.collect = 0 };
	struct cscg_experience *e = need(cscg_experience_new(&world, 1, &err));
	struct cscg_rng rng;
	int at = 7;

	cscg_rng_seed(&rng, 5, CSCG_RNG_WALK, 0, 0);
	need(cscg_experience_add(e, -1, at, 1, &err) < 0 ? NULL : e);
	at = walk(e, at, 400, .999, &rng);
	cscg_experience_note_places(e, 2);
	at = walk(e, at, 300, late, &rng);
	ok(cscg_experience_is_due(e, true) == gives_map,
	    "%s: the walk is %sdue at its end", name, gives_map ? "" : "not ");
	if (doubles) {
		walk(e, at, 102, late, &rng);
		cscg_experience_note_places(e, 2);
	}
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == gives_map,
	    "%s: the map is %sused", name, gives_map ? "" : "not ");
	cscg_experience_free(e);
}

/*
 * A partial map: learned after the first step and each that it missed, with the
 * cells that were visited; given up where symbols are random.
 */
static void
partial_map(void)
{
	struct cscg_env_header world = { .head = { .n_actions = ACTIONS + 1,
					     .n_obs = CELLS },
		.collect = 0 };
	struct cscg_experience *e = need(cscg_experience_new(&world, 1, &err));
	struct cscg_rng rng;
	int at = 7, rc = 1;

	cscg_rng_seed(&rng, 5, CSCG_RNG_WALK, 0, 0);
	e->is_partial = true;
	need(cscg_experience_add(e, -1, at, NAN, &err) < 0 ? NULL : e);
	ok(cscg_experience_is_lost(e) && cscg_experience_is_due(e, false) &&
		cscg_experience_learn(e, NULL, 0, false, &err) == 1 &&
		e->map->n_states == 1 && !cscg_experience_is_lost(e),
	    "a partial map after the first step");
	ok(e->map->n_frontiers == ACTIONS, "all its actions are frontiers");
	at = walk(e, at, 1, 1, &rng);
	ok(!cscg_experience_is_due(e, false), "a step that it predicted");
	at = walk(e, at, 1, .001, &rng);
	ok(cscg_experience_is_due(e, false), "a step that it missed");
	cscg_experience_begin_episode(e);
	need(cscg_experience_add(e, -1, at, .001, &err) < 0 ? NULL : e);
	ok(!cscg_experience_is_due(e, false), "the start of an episode");
	at = walk(e, at, 900, NAN, &rng);
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == 1 &&
		e->is_partial && e->n_refuted == 0 &&
		e->tried[e->state * ACTIONS] <= 1,
	    "a longer walk");
	while (e->is_partial && rc == 1 && e->n < 3000) {
		need(cscg_experience_add(e,
			 1 + (int)cscg_rng_below(&rng, ACTIONS),
			 (int)cscg_rng_below(&rng, 2), NAN, &err) < 0 ?
			NULL :
			e);
		rc = e->n % 20 ?
		    1 :
		    cscg_experience_learn(e, NULL, 0, false, &err);
	}
	ok(rc == 1 && !e->is_partial && !e->map, "random symbols: given up");
	cscg_experience_free(e);
}

/* After the first half of the walk is dropped, the sums are of the second. */
static void
long_walk(void)
{
	struct cscg_env_header world = { .head = { .n_actions = ACTIONS + 1,
					     .n_obs = CELLS },
		.collect = 0 };
	struct cscg_experience *e = need(cscg_experience_new(&world, 1, &err));
	double one = log(2) / log(CELLS); /* of a step of probability 1/2 */
	struct cscg_rng rng;
	int at = 7, wrong = 0;
	long t;

	cscg_rng_seed(&rng, 5, CSCG_RNG_WALK, 0, 0);
	need(cscg_experience_add(e, -1, at, NAN, &err) < 0 ? NULL : e);
	for (t = 0; t < 170000; t++) {
		at = walk(e, at, 1, .5, &rng);
		cscg_experience_note_places(e, 1);
		/* The first step and those of new symbols are others. */
		wrong += fabs(e->sum_surprise - one * (double)e->n) > CELLS ||
		    fabs(e->mark_surprise - one * (double)e->mark) > CELLS ||
		    e->mark > e->n;
	}
	ok(e->n < e->n_total && !wrong,
	    "the surprise is that of the %ld steps that are stored", e->n);
	cscg_experience_free(e);
}

int
main(void)
{
	static const int constant[] = { 3, 3, 3 }, growing[] = { 3, 3, 4 };
	struct cscg_poll poll = { .call = stop };
	int left = 1;
	struct cscg_env_header world = { .head = { .n_actions = ACTIONS + 1,
					     .n_obs = CELLS },
		.collect = 0 };
	struct cscg_experience *e = need(cscg_experience_new(&world, 1, &err));
	struct cscg_model *schema;
	struct cscg_rng rng;
	long before;
	int at = 7;

	cscg_rng_seed(&rng, 5, CSCG_RNG_WALK, 0, 0);
	need(cscg_experience_add(e, -1, at, NAN, &err) < 0 ? NULL : e);
	at = walk(e, at, 100, .9, &rng);
	ok(!cscg_experience_is_lost(e),
	    "a model that predicts explains the walk");
	at = walk(e, at, 45, NAN, &rng);
	ok(!cscg_experience_is_lost(e), "45 unexplained steps are too few");
	at = walk(e, at, 15, NAN, &rng);
	/* 1 - .99^50 is .395, of 60 it is .453. */
	ok(cscg_experience_is_lost(e) && !cscg_experience_is_due(e, false),
	    "60 unexplained steps are enough, but too few to learn from");
	at = walk(e, at, 840, NAN, &rng);
	ok(cscg_experience_is_due(e, false),
	    "after 900 steps a map can be learned");
	poll.ctx = &left;
	e->poll = &poll;
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == 0 &&
		poll.stopped && !e->map && !e->n_rooms,
	    "learning that is stopped leaves no map");
	e->poll = NULL;
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == 1 &&
		is_grid(e->map),
	    "the map is the grid, untried actions included");
	ok(fabs(cscg_model_E_unmixed(e->map, e->state, at) - 1) < 1e-9 &&
		fabs(cscg_model_E_unmixed(e->map, e->origin, 7) - 1) < 1e-9,
	    "state and origin of the map are those of the agent");
	need(cscg_experience_add_reward(e, 0, 2.5, &err) < 0 ? NULL : e);
	ok(e->n_path == e->n && e->path[e->reward[0].t] == e->state &&
		e->reward[0].a == 0,
	    "a reward after the last step is one of its state on the map");
	ok(count_untried(e) == 2,
	    "actions that were never taken are untried, also if inferred");
	ok(e->n_rooms == 1 && cscg_experience_is_complete(e->room[0]) &&
		e->room[0]->n_states == CELLS &&
		e->room[0]->kind == CSCG_CLONES && e->n_steps[0] == 1001,
	    "its only room is a new schema");
	ok(!cscg_experience_is_lost(e) && !cscg_experience_is_due(e, false) &&
		!cscg_experience_is_due(e, true),
	    "after learning nothing is due");
	at = walk(e, at, 38, .9, &rng);
	at = walk(e, at, 2, .4, &rng);
	ok(!cscg_experience_is_due(e, false) &&
		cscg_experience_is_due(e, true),
	    "two steps that the map does not predict are due at the end");
	e->n_missed = 0;
	at = walk(e, at, 1, .9, &rng);
	ok(!cscg_experience_is_due(e, true),
	    "a walk longer by a twenty-fifth is not due at its end");
	at = walk(e, at, 20, .9, &rng);
	ok(!cscg_experience_is_due(e, false) &&
		cscg_experience_is_due(e, true),
	    "a walk longer by a twentieth is");
	at = walk(e, at, 539, .9, &rng);
	ok(!cscg_experience_is_due(e, false) &&
		cscg_experience_is_due(e, true),
	    "a walk longer by half is due at its end");
	at = walk(e, at, 3, .4, &rng);
	ok(cscg_experience_is_due(e, false),
	    "three steps that the map does not predict are due at any time");
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == 1 &&
		is_grid(e->map) && e->n_learned == e->n,
	    "merging finds the map again");
	before = e->n;
	at = walk(e, at, before / 10, NAN, &rng);
	ok(!cscg_experience_is_due(e, false),
	    "a walk longer by less than a tenth is not due");
	at = walk(e, at, 1, NAN, &rng);
	ok(cscg_experience_is_due(e, false),
	    "a walk longer by a tenth that was not predicted is due");
	walk(e, at, 1600, .9, &rng);
	ok(cscg_experience_is_due(e, false),
	    "a walk twice as long is due at any time");
	cscg_experience_reset(e);
	ok(e->n == 0 && !e->map && e->n_rooms == 1 && e->n_kept == 1,
	    "forgetting the walk keeps the rooms");
	schema = e->room[0];
	need(cscg_experience_add(e, -1, 3, NAN, &err) < 0 ? NULL : e);
	walk(e, 3, 900, NAN, &rng);
	ok(cscg_experience_learn(e, NULL, 0, false, &err) == 1 &&
		is_grid(e->map) && e->n_rooms == 1 && e->room[0] == schema &&
		e->n_steps[0] == 901,
	    "the kept room explains the next walk");
	cscg_experience_free(e);
	/*
	 * A map of 20 states and 80 rows costs about 80 * log(1600) / 2 = 295
	 * nats and little more; 1600 steps of probability .95 cost 82, of .9
	 * 169, of .8 357, of .4 1466, and have a surprise of .02, .04, .07 and
	 * .31.
	 */
	replace_places(.8, constant, false, 1, "places as before");
	replace_places(.8, growing, true, 1, "a further place");
	replace_places(.4, constant, true, 1, "places that predict badly");
	replace_places(.9, growing, true, 0, "a further place that predicts");
	recent_places(.7, false, 1, "places that predict badly of late");
	recent_places(.7, true, 1, "places that predict badly for 400 steps");
	recent_places(.95, true, 0, "places that predict well");
	partial_map();
	long_walk();
	return done();
}
