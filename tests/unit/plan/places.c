/*
 * places - a line of four cells, 0 to 3, whose end leads into a ring of three,
 * 4 to 6; all cells emit different symbols
 *
 * The belief is compared with the true cells.
 */
#include <math.h>

#include "need.h"
#include "plan/places.h"
#include "tap.h"

enum { FORTH, BACK, ACTIONS };

static struct cscg_model *
make(enum cscg_model_kind kind, int n, const int *forth, const int *back)
{
	struct cscg_model *m = need(cscg_model_new(kind, n, ACTIONS,
	    kind == CSCG_GROUNDED ? 9 : n, &err));
	struct cscg_count c[2 * 7];
	int j, k = 0;

	for (j = 0; j < n; j++) {
		m->clone[j] = j;
		if (forth[j] >= 0)
			c[k++] = (struct cscg_count){ FORTH, j, forth[j], 5 };
		c[k++] = (struct cscg_count){ BACK, j, back[j], 5 };
	}
	need(cscg_model_set_counts(m, c, k, &err) < 0 ? NULL : m);
	return m;
}

static struct cscg_env_header world = {
	.head = { .n_actions = ACTIONS, .n_obs = 9 }, .collect = -1
};

/* Whether the door, from cell 3 to cell 4, leads back as well. */
static bool is_two_way;

/* The true successor of a cell. */
static int
next(int at, int a)
{
	if (a == FORTH)
		return at == 6 ? 4 : at + 1;
	if (at == 4)
		return is_two_way ? 3 : 6;
	return at == 0 ? 0 : at - 1;
}

/* The symbol of a cell; a test may give two cells the same. */
static int symbol_of[] = { 0, 1, 2, 3, 4, 5, 6 };

/* Take the actions of a text: f forth, b back.  Returns the cell. */
static int
go(struct cscg_places *p, int at, const char *how)
{
	for (; *how; how++) {
		int a = *how == 'f' ? FORTH : BACK;

		at = next(at, a);
		need(cscg_places_observe(p, a, symbol_of[at], &err) < 0 ?
			NULL :
			p);
	}
	return at;
}

static struct cscg_places *
begin(struct cscg_model **model, int n)
{
	static char hall[] = "hall", court[] = "court";
	static char *const name[] = { hall, court };
	struct cscg_places_options set = { .world = &world,
		.model = model,
		.name = name,
		.n = n,
		.track = { .slip = CSCG_NOISE_ESTIMATED,
		    .misread = CSCG_NOISE_ESTIMATED } };

	return need(cscg_places_new(&set, &err));
}

/* The number of steps of the path to the cell with a symbol, or -1. */
static int
steps_to(struct cscg_places *p, int symbol)
{
	const int *plan;
	int node;

	need(cscg_places_search(p, 0, &err) < 0 ? NULL : p);
	for (node = 0; node < cscg_places_n_nodes(p); node++)
		if (cscg_places_symbol(p, node) == symbol &&
		    cscg_places_paths(p)->distance[node] >= 0)
			return cscg_places_path(p, node, &plan, &err);
	return -1;
}

static void
test_two_places(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 2);
	struct cscg_places_world *w = cscg_places_best(p);
	struct cscg_candidate *candidate[2];
	double posterior[2];
	struct cscg_model *m;
	struct cscg_names none = { 0 };
	int at, j, x, good = 0;

	ok(near(cscg_places_posterior(p), .5, 1e-12),
	    "all models have equal prior probability");
	ok(near(cscg_places_agreement(p), .5, 1e-12),
	    "and do not agree before an observation");
	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	at = go(p, 0, "bfbffbbfff");
	w = cscg_places_best(p);
	cscg_places_by_model(p, candidate, posterior);
	ok(cscg_places_model(p) == 0 && posterior[0] > .95 &&
		w->n_places == 1 && w->path.state == at,
	    "the hall and the state in it are identified");
	ok(cscg_places_steps(p, 0) == 11 && cscg_places_steps(p, 1) == 0,
	    "all steps are attributed to the hall");
	ok(steps_to(p, 0) == 3 && steps_to(p, 5) < 0,
	    "paths lead to seen symbols only");
	at = go(p, at, "fffffbfff");
	w = cscg_places_best(p);
	ok(at == 4 && cscg_places_model(p) == 1 && w->n_places == 2 &&
		w->n_doors == 1,
	    "a door into the court is found");
	ok(w->door[0].from == 0 && w->door[0].state == 3 &&
		w->door[0].a == FORTH && w->door[0].to == 1,
	    "the door is at the end of the hall");
	ok(cscg_places_steps(p, 0) == 11 && cscg_places_steps(p, 1) == 9,
	    "steps are attributed to each place");
	/* Back, at the cell behind the door, leads to the hall. */
	ok(steps_to(p, 5) == 1 && steps_to(p, 6) == 2 && steps_to(p, 3) == 1,
	    "paths inside the court and back to the hall");
	m = need(cscg_places_ground(p, &none, &err));
	ok(m->kind == CSCG_GROUNDED && m->n_states == 7 && m->n_obs == 9,
	    "one model of both places");
	for (j = 0; j < 4; j++)
		for (x = 0; x < 9; x++)
			good += near(cscg_model_E_unmixed(m, j, x), x == j,
			    1e-12);
	for (j = 4; j < 7; j++)
		for (x = 4; x < 7; x++)
			if (cscg_model_E_unmixed(m, j, x) > .5)
				good += cscg_model_likely_successor(m, FORTH,
					    j) >= 4;
	ok(good == 4 * 9 + 3, "each cell has its symbol: %d", good);
	j = cscg_model_likely_successor(m, FORTH, 3);
	ok(j >= 4 && cscg_model_E_unmixed(m, j, 4) > .5,
	    "the door is a transition to the cell behind it");
	ok(cscg_model_likely_successor(m, FORTH, 2) == 3 &&
		cscg_model_likely_successor(m, BACK, 0) == 0,
	    "the other transitions are those of the schemas");
	cscg_model_free(m);
	need(cscg_places_reset(p, &err) < 0 ? NULL : p);
	ok(cscg_places_best(p)->n_places == 1 &&
		near(cscg_places_posterior(p), .5, 1e-12),
	    "a reset restores the prior");
	cscg_places_free(p);
}

/*
 * A line of four cells is a map.  At its end the agent observes the symbol of
 * the start, four times: the map is not a second place behind a door there.
 */
static void
test_one_map(void)
{
	static const int forth[] = { 1, 2, 3, 3 }, back[] = { 0, 0, 1, 2 };
	static const int x[] = { 1, 2, 3, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1,
		2, 3, 0, 1 };
	static const int a[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0 };
	struct cscg_model *map = make(CSCG_GROUNDED, 4, forth, back);
	struct cscg_places *p = begin(&map, 1);
	size_t i;
	int most = 0;

	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	for (i = 0; i < sizeof x / sizeof *x; i++) {
		need(cscg_places_observe(p, a[i], x[i], &err) < 0 ? NULL : p);
		if (cscg_places_best(p)->n_places > most)
			most = cscg_places_best(p)->n_places;
	}
	ok(most == 1, "a map is one place: %d", most);
	cscg_places_free(p);
	cscg_model_free(map);
}

/*
 * A door from each of two cells: hypotheses that differ in the places before
 * agree about the present state.
 */
static void
test_agreement(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 2);
	double least = 1;
	int at, i;

	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	at = go(p, 0, "bfbffbbfff");
	for (i = 0; i < 12; i++) {
		at = go(p, at, "f");
		least = fmin(least,
		    cscg_places_agreement(p) - cscg_places_posterior(p));
	}
	ok(least >= -1e-12 && cscg_places_agreement(p) <= 1 + 1e-12 &&
		cscg_places_agreement(p) > .9,
	    "hypotheses agree about the state: %g, the first of them %g",
	    cscg_places_agreement(p), cscg_places_posterior(p));
	cscg_places_free(p);
}

/* A map whose last row has no counts: its transitions are learned. */
static void
test_map(void)
{
	static const int forth[] = { 1, 2, -1 }, back[] = { 0, 0, 1 };
	struct cscg_model *map = make(CSCG_GROUNDED, 3, forth, back);
	struct cscg_frontier open = { 2, FORTH };
	/* All rows with counts but one, which was inferred. */
	static const unsigned char tried[] = { 1, 1, 0, 1, 0, 1 };
	struct cscg_places *p;
	struct cscg_model *m;
	struct cscg_names none = { 0 };
	double before;

	need(cscg_model_set_frontiers(map, &open, 1, &err) < 0 ? NULL : map);
	p = begin(&map, 1);
	need(cscg_places_enter(p, 0, 1, 1, 1, tried, &err) < 0 ? NULL : p);
	ok(cscg_places_best(p)->path.state == 1,
	    "the agent starts in a given state of a map");
	need(cscg_places_search(p, 0, &err) < 0 ? NULL : p);
	ok(cscg_places_untried(p, 2, FORTH) == 4 &&
		cscg_places_untried(p, 2, BACK) == 0 &&
		cscg_places_untried(p, 0, BACK) == 0,
	    "transitions that the map lacks are untried, others are not");
	ok(cscg_places_untried(p, 1, FORTH) == 1,
	    "a transition of the map that was not visited is untried");
	before = cscg_places_loglik(p);
	need(cscg_places_observe(p, FORTH, 2, &err) < 0 ? NULL : p);
	ok(near(cscg_places_loglik(p) - before, log(.96), .03),
	    "a predicted observation is probable: %g",
	    exp(cscg_places_loglik(p) - before));
	need(cscg_places_observe(p, BACK, 1, &err) < 0 ||
		    cscg_places_observe(p, FORTH, 2, &err) < 0 ||
		    cscg_places_observe(p, FORTH, 0, &err) < 0 ?
		NULL :
		p);
	ok(cscg_places_best(p)->path.state == 0,
	    "an unknown transition may lead to any state");
	need(cscg_places_search(p, 0, &err) < 0 ? NULL : p);
	ok(cscg_places_untried(p, 2, FORTH) == 0 &&
		cscg_candidate_next(cscg_places_best(p)->candidate, 2,
		    FORTH) == 0,
	    "the observed transition is known");
	m = need(cscg_places_ground(p, &none, &err));
	ok(cscg_model_likely_successor(m, FORTH, 2) == 0 &&
		cscg_model_likely_successor(map, FORTH, 2) < 0,
	    "the observed transition is part of the saved model");
	cscg_model_free(m);
	cscg_places_free(p);
	cscg_model_free(map);
}

/*
 * The first cell of the court has the symbol of the last one of the hall, so
 * that the door first looks as the wall that the hall has there.
 */
static void
test_same_symbol(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 2);
	const struct cscg_places_world *w;
	int at, k, n_wrong = 0;

	symbol_of[4] = 3;
	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	at = go(p, 0, "bfbffbbffff");
	w = cscg_places_best(p);
	ok(at == 4 && w->n_places == 1 && w->path.state == 3,
	    "a door to a cell with the same symbol is taken for a wall");
	at = go(p, at, "bbbfffbfffbb");
	w = cscg_places_best(p);
	for (k = 0; k < w->n_doors; k++)
		n_wrong += w->door[k].n > 0 &&
		    (w->door[k].state != 3 || w->door[k].a != FORTH);
	ok(w->n_places == 2 && w->now == 1 && w->n_doors > 0 && n_wrong == 0,
	    "the door is placed at the earlier step: %d doors, %d elsewhere",
	    w->n_doors, n_wrong);
	symbol_of[4] = 4;
	cscg_places_free(p);
}

/*
 * The agent passes a door, returns at once and passes it again, before it has
 * stayed long enough on either side to assume another door.
 */
static void
test_door_again(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 2);
	const struct cscg_places_world *w;
	int at, k, n_wrong = 0;

	is_two_way = true;
	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	at = go(p, 0, "bfbffbbffffbfbfffbbfff");
	w = cscg_places_best(p);
	for (k = 0; k < w->n_doors; k++)
		n_wrong += w->door[k].n > 0 &&
		    (w->door[k].state != 3 || w->door[k].a != FORTH);
	ok(at == 4 && w->n_places == 2 && w->now == 1 && w->n_doors > 0 &&
		n_wrong == 0,
	    "a door is passed twice, none is assumed elsewhere: %d, %d",
	    w->n_doors, n_wrong);
	is_two_way = false;
	cscg_places_free(p);
}

/*
 * The agent passes a door and returns at once, again and again: the state behind
 * the door stays unknown, but not its symbol.
 */
static void
test_same_symbol_again(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 2);
	double before, first, later;
	int at;

	is_two_way = true;
	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	at = go(p, 0, "bfbffbbfff");
	before = cscg_places_loglik(p);
	at = go(p, at, "f");
	first = exp(cscg_places_loglik(p) - before);
	ok(at == 4 && cscg_places_way_back(p) == BACK,
	    "behind a door, the way back is known");
	at = go(p, at, "b");
	ok(at == 3 && cscg_places_way_back(p) < 0,
	    "where the door began, it does not lead back");
	before = cscg_places_loglik(p);
	at = go(p, at, "f");
	later = exp(cscg_places_loglik(p) - before);
	ok(at == 4 && first < .05 && later > .5,
	    "the symbol behind a known door is expected, %.3f, %.3f before",
	    later, first);
	is_two_way = false;
	cscg_places_free(p);
}

/* Each hypothesis has the state where the episode began, also behind a door. */
static void
test_start(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 2);
	const struct cscg_places_world *w;
	int at, place, start;

	need(cscg_places_observe(p, -1, 1, &err) < 0 ? NULL : p);
	at = go(p, 1, "bfbffbbfff");
	start = cscg_places_start(p, 1, &place);
	ok(start == 1 && place == 0, "the episode began in the hall");
	ok(cscg_places_start(p, 2, &place) < 0,
	    "its state is unknown if it has another symbol");
	at = go(p, at, "fffffbfff");
	w = cscg_places_best(p);
	start = cscg_places_start(p, 1, &place);
	ok(w->now == 1 && start == 1 && place == 0,
	    "from the court, the start is in the hall");
	cscg_places_begin_episode(p);
	need(cscg_places_observe(p, -1, at, &err) < 0 ? NULL : p);
	w = cscg_places_best(p);
	start = cscg_places_start(p, at, &place);
	ok(w->now == 1 && start == w->path.state && place == 1,
	    "the next episode begins in the court");
	cscg_places_free(p);

	p = begin(model, 2);
	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	go(p, go(p, 0, "bfbffbbfff"), "fffffbfff");
	cscg_places_begin_episode(p);
	need(cscg_places_observe(p, -1, 5, &err) < 0 ? NULL : p);
	w = cscg_places_best(p);
	/* The states of the court are equal, so that behind the door is unknown. */
	ok(w->now == 1 && steps_to(p, 4) == 1 && steps_to(p, 3) < 0,
	    "the state behind a door is not the start of the next episode");
	cscg_places_free(p);
}

/* Walls that were tried are tried again. */
static void
test_walls(struct cscg_model **model)
{
	struct cscg_places *p = begin(model, 1);

	need(cscg_places_observe(p, -1, 0, &err) < 0 ? NULL : p);
	go(p, 0, "bffb");
	need(cscg_places_search(p, 0, &err) < 0 ? NULL : p);
	ok(cscg_places_untried(p, 0, BACK) == 0 &&
		cscg_places_untried(p, 0, FORTH) == 0 &&
		cscg_places_untried(p, 3, FORTH) == 3,
	    "tried actions are known, others are not");
	cscg_places_retry_walls(p);
	ok(cscg_places_untried(p, 0, BACK) == 3 &&
		cscg_places_untried(p, 0, FORTH) == 0,
	    "all walls are untried again, other actions are not");
	cscg_places_free(p);
}

static void
test_nothing(void)
{
	struct cscg_places *p = begin(NULL, 0);

	ok(!cscg_places_best(p) && cscg_places_model(p) < 0 &&
		cscg_places_loglik(p) == 0 && cscg_places_posterior(p) == 0,
	    "without models there is no belief");
	ok(cscg_places_observe(p, -1, 3, &err) == 0 && !cscg_places_best(p),
	    "without models observations are accepted");
	cscg_places_free(p);
}

int
main(void)
{
	static const int line[] = { 1, 2, 3, 3 }, back[] = { 0, 0, 1, 2 };
	static const int ring[] = { 1, 2, 0 }, around[] = { 2, 0, 1 };
	struct cscg_model *model[2];

	model[0] = make(CSCG_CLONES, 4, line, back);
	model[1] = make(CSCG_CLONES, 3, ring, around);
	test_two_places(model);
	test_same_symbol(model);
	test_door_again(model);
	test_same_symbol_again(model);
	test_start(model);
	test_walls(model);
	test_map();
	test_one_map();
	test_agreement(model);
	test_nothing();
	cscg_model_free(model[0]);
	cscg_model_free(model[1]);
	return done();
}
