/*
 * checks.c - each value that a model, a room, or the arrays and steps of a walk may
 * not have is refused, with its place in the message
 *
 * A valid object has one value changed at a time.
 */
#include <math.h>
#include <string.h>

#include "cscg.h"
#include "core/learned.h"
#include "core/model.h"
#include "core/walk.h"
#include "tap.h"
#include "walker.h"
#include "world/room.h"

/* Whether a check failed with this code and a message that contains text. */
static void
refused(int rc, enum cscg_code code, const char *text, const char *what)
{
	if (!ok(rc < 0 && err.code == code && strstr(err.msg, text), "%s",
		what))
		printf("# %d, code %d '%s', wanted code %d '%s'\n", rc,
		    (int)err.code, rc < 0 ? err.msg : "", (int)code, text);
}

/* Set a value, check, restore it. */
#define WRONG(check, lvalue, value, code, text) \
	do { \
		__typeof__(lvalue) before = lvalue; \
		lvalue = value; \
		refused(check, code, text, #lvalue " = " #value); \
		lvalue = before; \
	} while (0)

/* ---- models ---- */

#define WRONG_MODEL(lvalue, value, code, text) \
	WRONG(cscg_model_check(m, &err), lvalue, value, code, text)

static void
test_sizes(struct cscg_model *m)
{
	WRONG_MODEL(m->n_states, 0, CSCG_ERANGE,
	    "/n_states: 0 is outside 1..");
	WRONG_MODEL(m->n_states, CSCG_STATE_MAX + 1, CSCG_ERANGE,
	    "/n_states:");
	WRONG_MODEL(m->n_actions, 0, CSCG_ERANGE, "/n_actions: 0");
	WRONG_MODEL(m->n_actions, CSCG_ACTION_MAX + 1, CSCG_ERANGE,
	    "/n_actions:");
	WRONG_MODEL(m->n_obs, 0, CSCG_ERANGE, "/n_obs: 0 is outside 1..");
	WRONG_MODEL(m->n_obs, CSCG_OBS_MAX + 1, CSCG_ERANGE, "/n_obs:");
	WRONG_MODEL(m->actions.n, 3, CSCG_EFORMAT,
	    "/actions: 3 names for 4 actions");
	WRONG_MODEL(m->symbols.n, 3, CSCG_EFORMAT,
	    "/symbols: 3 names for 6 symbols");
	WRONG_MODEL(m->pseudocount, NAN, CSCG_ERANGE, "/pseudocount: must be");
	WRONG_MODEL(m->pseudocount, INFINITY, CSCG_ERANGE, "/pseudocount:");
	WRONG_MODEL(m->pseudocount, -1e-300, CSCG_ERANGE, "/pseudocount:");
	WRONG_MODEL(m->pseudocount, 2 * CSCG_COUNT_MAX, CSCG_ERANGE,
	    "/pseudocount: ");
	WRONG_MODEL(m->misread, -1e-9, CSCG_ERANGE, "/misread:");
	WRONG_MODEL(m->misread, 1 + 1e-9, CSCG_ERANGE, "/misread:");
	WRONG_MODEL(m->misread, NAN, CSCG_ERANGE, "/misread:");
}

static void
test_states(struct cscg_model *m)
{
	WRONG_MODEL(m->kind, CSCG_SCHEMA, CSCG_EFORMAT, "/symbols: only a");
	WRONG_MODEL(m->clone, NULL, CSCG_EFORMAT, "/clone: missing");
	WRONG_MODEL(m->clone[0], -1, CSCG_ERANGE,
	    "/clone/0: group -1 is outside 0..5");
	WRONG_MODEL(m->clone[5], 6, CSCG_ERANGE, "/clone/5: group 6");
	WRONG_MODEL(m->clone[1], 3, CSCG_EFORMAT,
	    "/clone/2: group 2 comes after group 3");
	WRONG_MODEL(m->pi[1], -.1, CSCG_ERANGE, "/pi/1: a probability");
	WRONG_MODEL(m->pi[1], NAN, CSCG_ERANGE, "/pi/1:");
	WRONG_MODEL(m->pi[1], INFINITY, CSCG_ERANGE, "/pi/1:");
	WRONG_MODEL(m->pi[1], .6, CSCG_ERANGE, "/pi: sums to 1.1, not 1");
	WRONG_MODEL(m->coords[3], NAN, CSCG_ERANGE, "/coords/1/1:");
	WRONG_MODEL(m->coords[4], INFINITY, CSCG_ERANGE, "/coords/2/0:");
	WRONG_MODEL(m->fit_steps, 1, CSCG_EFORMAT, "/fit: only a model with");
}

/* Rows are sorted by action and state: action 0 leads up, to the state itself. */
static void
test_counts(struct cscg_model *m)
{
	WRONG_MODEL(m->to[0], -1, CSCG_ERANGE,
	    "/counts/0/to/0: state -1 is outside 0..5");
	WRONG_MODEL(m->to[0], 6, CSCG_ERANGE, "/counts/0/to/0: state 6");
	WRONG_MODEL(m->count[1], 0, CSCG_ERANGE, "/counts/0/count/1: a count");
	WRONG_MODEL(m->count[1], -1, CSCG_ERANGE, "/counts/0/count/1:");
	WRONG_MODEL(m->count[1], NAN, CSCG_ERANGE, "/counts/0/count/1:");
	WRONG_MODEL(m->count[1], 2 * CSCG_COUNT_MAX, CSCG_ERANGE, "is above");
}

static void
test_frontiers(struct cscg_model *m)
{
	WRONG_MODEL(m->frontier[0].state, -1, CSCG_ERANGE,
	    "/frontiers/0: state -1 is outside 0..5");
	WRONG_MODEL(m->frontier[1].state, 6, CSCG_ERANGE,
	    "/frontiers/1: state");
	WRONG_MODEL(m->frontier[0].a, -1, CSCG_ERANGE,
	    "/frontiers/0: action -1 is outside 0..3");
	WRONG_MODEL(m->frontier[1].a, 4, CSCG_ERANGE,
	    "/frontiers/1: action 4");
	WRONG_MODEL(m->frontier[0].state, 5, CSCG_EFORMAT,
	    "/frontiers/1: frontiers must ascend");
	WRONG_MODEL(m->entry[0], -1, CSCG_ERANGE,
	    "/entries/0: state -1 is outside 0..5");
	WRONG_MODEL(m->entry[1], 6, CSCG_ERANGE, "/entries/1: state 6");
	WRONG_MODEL(m->entry[1], m->entry[0], CSCG_EFORMAT,
	    "/entries/1: entries must ascend");
}

static void
test_learned(struct cscg_model *m)
{
	long n = m->first[(long)m->n_actions * m->n_states];
	struct cscg_learned *l = m->learned = need(cscg_learned_new(n, &err));

	l->steps = 9;
	l->rows = 4;
	l->supported = 4;
	ok(cscg_model_check(m, &err) == 0,
	    "a model with an assessment is valid");
	WRONG_MODEL(l->n_edges, n - 1, CSCG_EFORMAT, "/learned/edges: ");
	WRONG_MODEL(l->steps, 0, CSCG_ERANGE, "/learned: must be about");
	WRONG_MODEL(l->nats, NAN, CSCG_ERANGE, "/learned: must be");
	WRONG_MODEL(l->left_out, INFINITY, CSCG_ERANGE, "/learned: must be");
	WRONG_MODEL(l->memory, -1, CSCG_ERANGE, "/learned: must be");
	WRONG_MODEL(l->memory, INFINITY, CSCG_ERANGE, "/learned: must be");
	WRONG_MODEL(l->rows, -1, CSCG_ERANGE, "/learned/rows_supported:");
	WRONG_MODEL(l->supported, -1, CSCG_ERANGE,
	    "/learned/rows_supported: -1 is outside 0..4");
	WRONG_MODEL(l->supported, 5, CSCG_ERANGE,
	    "/learned/rows_supported: 5");
	WRONG_MODEL(l->noise, -1, CSCG_ERANGE, "/learned/noise:");
	WRONG_MODEL(l->noise, 1.5, CSCG_ERANGE, "/learned/noise:");
	WRONG_MODEL(l->mixed, -1, CSCG_ERANGE, "/learned/mixed:");
	WRONG_MODEL(l->mixed, 1.5, CSCG_ERANGE, "/learned/mixed:");
	WRONG_MODEL(l->edge[2], -1, CSCG_ERANGE, "/learned/edges: number 2");
	WRONG_MODEL(l->edge[2], 2, CSCG_ERANGE, "/learned/edges: number 2");
}

static void
test_emissions(void)
{
	struct cscg_model *m = grid_model(2, 3);
	double E[6 * 6] = { 0 };
	int j;

	for (j = 0; j < 6; j++) {
		E[7 * j] = .75;
		E[6 * j + (j + 1) % 6] = .25;
	}
	need(cscg_model_set_E(m, E, 6, &err) < 0 ? NULL : m);
	m->confidence = need(calloc(6, sizeof *m->confidence));
	ok(cscg_model_check(m, &err) == 0, "a model with emissions is valid");
	WRONG_MODEL(m->kind, CSCG_CLONES, CSCG_EFORMAT, "/emissions: only a");
	WRONG_MODEL(m->e_obs[0], -1, CSCG_ERANGE,
	    "/emissions/0/0: symbol -1 is outside 0..5");
	WRONG_MODEL(m->e_obs[1], 6, CSCG_ERANGE, "/emissions/0/2: symbol 6");
	WRONG_MODEL(m->e_obs[1], 0, CSCG_EFORMAT,
	    "/emissions/0/2: symbol 0 does not come after 0");
	WRONG_MODEL(m->e_p[1], 0, CSCG_ERANGE,
	    "/emissions/0/3: a probability");
	WRONG_MODEL(m->e_p[1], NAN, CSCG_ERANGE, "/emissions/0/3:");
	WRONG_MODEL(m->e_p[1], .5, CSCG_ERANGE,
	    "/emissions/0: sums to 1.25, not 1");
	WRONG_MODEL(m->confidence[4], -1, CSCG_ERANGE, "/confidence/4:");
	WRONG_MODEL(m->confidence[4], 1.5, CSCG_ERANGE, "/confidence/4:");
	WRONG_MODEL(m->fit_steps, -1, CSCG_ERANGE, "/fit: must be about");
	m->fit_steps = 3;
	WRONG_MODEL(m->fit_nats, INFINITY, CSCG_ERANGE, "/fit: must be about");
	cscg_model_free(m);
}

/* Counts as triples, and as an array. */
static void
test_set_counts(struct cscg_model *m)
{
	struct cscg_count c = { 0, 0, 1, 1 };
	double dense[4 * 6 * 6] = { 0 };

#define WRONG_COUNT(lvalue, value, text) \
	WRONG(cscg_model_set_counts(m, &c, 1, &err), lvalue, value, \
	    CSCG_ERANGE, text)
	WRONG_COUNT(c.a, -1, "count 0: action -1 is outside 0..3");
	WRONG_COUNT(c.a, 4, "count 0: action 4 is outside 0..3");
	WRONG_COUNT(c.from, -1, "count 0: state -1 is outside 0..5");
	WRONG_COUNT(c.from, 6, "count 0: state 6 is outside 0..5");
	WRONG_COUNT(c.to, -1, "count 0: state -1 is outside 0..5");
	WRONG_COUNT(c.to, 6, "count 0: state 6 is outside 0..5");
	WRONG_COUNT(c.c, -1, "count 0: a count must be finite");
	WRONG_COUNT(c.c, NAN, "count 0: a count must be finite");
	WRONG(cscg_model_set_dense(m, dense, -1, &err), dense[6 * 6 + 6 + 2],
	    -1, CSCG_ERANGE, "action 1, from 1, to 2: a count must be");
	WRONG(cscg_model_set_dense(m, dense, -1, &err), dense[3], INFINITY,
	    CSCG_ERANGE, "action 0, from 0, to 3: a count must be");
	dense[2] = 3;
	dense[3] = -0.;
	ok(cscg_model_set_dense(m, dense, -1, &err) == 0 && m->first[1] == 1 &&
		m->to[0] == 2 && m->count[0] == 3,
	    "a negative floor is 0");
}

static void
test_models(void)
{
	struct cscg_model *m = grid_model(2, 3);
	const struct cscg_frontier f[] = { { 1, 0 }, { 4, 1 } };
	const int entry[] = { 1, 4 };
	int i;

	m->pi = need(calloc(6, sizeof *m->pi));
	m->pi[0] = m->pi[1] = .5;
	if (!m->coords)
		m->coords = need(calloc(12, sizeof *m->coords));
	need(cscg_model_set_frontiers(m, f, 2, &err) < 0 ||
		    cscg_model_set_entries(m, entry, 2, &err) < 0 ?
		NULL :
		m);
	for (i = 0; i < 6 && m->symbols.n < 6; i++)
		need(cscg_names_add(&m->symbols, &"a\0b\0c\0d\0e\0f"[2 * i],
			 &err) < 0 ?
			NULL :
			m);
	ok(cscg_model_check(m, &err) == 0, "a model with all fields is valid");
	test_sizes(m);
	test_states(m);
	test_counts(m);
	test_frontiers(m);
	test_learned(m);
	ok(cscg_model_check(m, &err) == 0, "the restored model is valid");
	cscg_learned_free(m->learned);
	m->learned = NULL;
	test_set_counts(m);
	cscg_model_free(m);
}

/* ---- rooms ---- */

#define WRONG_ROOM(lvalue, value, code, text) \
	WRONG(cscg_room_check(r, &err), lvalue, value, code, text)

static void
test_rooms(void)
{
	struct cscg_room *r = shape_room(CSCG_RECTANGLE, 2, 3);
	const struct cscg_frontier f[] = { { 1, 0 }, { 4, 1 } };

	r->frontier = need(calloc(2, sizeof *r->frontier));
	memcpy(r->frontier, f, sizeof f);
	r->n_frontiers = 2;
	r->part = need(calloc(6, sizeof *r->part));
	need(cscg_names_add(&r->parts, "all", &err) < 0 ? NULL : r);
	ok(cscg_room_check(r, &err) == 0, "a room with all fields is valid");
	WRONG_ROOM(r->n_nodes, 0, CSCG_ERANGE, "needs a node, an action");
	WRONG_ROOM(r->n_actions, 0, CSCG_ERANGE, "needs a node, an action");
	WRONG_ROOM(r->n_obs, 0, CSCG_ERANGE, "needs a node, an action");
	WRONG_ROOM(r->first, NULL, CSCG_EFORMAT, "a room needs edges");
	WRONG_ROOM(r->obs[2], -1, CSCG_ERANGE, "/obs/2: symbol -1 is outside");
	WRONG_ROOM(r->obs[2], r->n_obs, CSCG_ERANGE, "/obs/2: symbol");
	WRONG_ROOM(r->first[1], 0, CSCG_EFORMAT, "/next/0/0: at least one");
	WRONG_ROOM(r->to[0], -1, CSCG_ERANGE,
	    "/next/0/0: target -1 is outside 0..5");
	WRONG_ROOM(r->to[0], 6, CSCG_ERANGE, "/next/0/0: target 6");
	WRONG_ROOM(r->p[0], 0, CSCG_ERANGE, "/next/0/0: probability 0 is not");
	WRONG_ROOM(r->p[0], 1.1, CSCG_ERANGE, "/next/0/0: probability 1.1");
	WRONG_ROOM(r->p[0], .5, CSCG_ERANGE,
	    "/next/0/0: probabilities sum to");
	WRONG_ROOM(r->actions.n, 3, CSCG_EFORMAT, "/actions: 3 names for 4");
	WRONG_ROOM(r->symbols.n, r->n_obs + 1, CSCG_EFORMAT, "/symbols: ");
	WRONG_ROOM(r->part, NULL, CSCG_EFORMAT, "/part: part and parts");
	WRONG_ROOM(r->part[5], -2, CSCG_ERANGE,
	    "/part/5: -2 is outside -1..0");
	WRONG_ROOM(r->part[5], 1, CSCG_ERANGE, "/part/5: 1 is outside -1..0");
	WRONG_ROOM(r->frontier[0].state, -1, CSCG_ERANGE,
	    "/frontiers/0: node -1 is outside 0..5");
	WRONG_ROOM(r->frontier[1].state, 6, CSCG_ERANGE,
	    "/frontiers/1: node 6");
	WRONG_ROOM(r->frontier[0].a, -1, CSCG_ERANGE,
	    "/frontiers/0: action -1 is outside 0..3");
	WRONG_ROOM(r->frontier[1].a, 4, CSCG_ERANGE, "/frontiers/1: action 4");
	WRONG_ROOM(r->frontier[0].state, 5, CSCG_EFORMAT,
	    "/frontiers/1: frontiers must ascend");
	ok(cscg_room_check(r, &err) == 0, "the restored room is valid");
	cscg_room_free(r);
}

/* ---- arrays ---- */

static int
from_arrays(const struct cscg_alphabet *alphabet,
    const struct cscg_model_arrays *arrays)
{
	struct cscg_model *m = cscg_model_from_arrays(alphabet, arrays, &err);

	cscg_model_free(m);
	return m ? 0 : -1;
}

/* Two states with emission rows. */
static void
test_model_arrays(void)
{
	static const char *const names[] = { "a", NULL };
	struct cscg_alphabet alphabet = { .n_actions = 1, .n_symbols = 2 };
	long first[] = { 0, 1, 2 }, e_first[] = { 0, 1, 2 };
	int to[] = { 1, 0 }, symbol[] = { 0, 1 }, clone[] = { 0, 1 };
	double count[] = { 2, 3 }, pi[] = { .5, .5 }, p[] = { 1, 1 };
	struct cscg_model_arrays m = { .kind = CSCG_GROUNDED,
		.n_states = 2,
		.clone = clone,
		.first = first,
		.to = to,
		.count = count,
		.pi = pi,
		.e_first = e_first,
		.e_symbol = symbol,
		.e_p = p };

#define WRONG_ARRAY(lvalue, value, text) \
	WRONG(from_arrays(&alphabet, &m), lvalue, value, CSCG_ERANGE, text)
	ok(from_arrays(&alphabet, &m) == 0, "a model from arrays");
	WRONG_ARRAY(m.kind, (enum cscg_model_kind)9, "kind");
	WRONG_ARRAY(m.n_states, 0, "/n_states");
	WRONG_ARRAY(m.first, NULL, "first: no array");
	WRONG_ARRAY(first[0], 1, "first[0] is 1, not 0");
	WRONG_ARRAY(first[1], 3, "first[2] is 2, less than first[1]");
	WRONG_ARRAY(m.to, NULL, "an array of 2 items is missing");
	WRONG_ARRAY(m.count, NULL, "an array of 2 items is missing");
	WRONG_ARRAY(e_first[0], 1, "e_first[0] is 1, not 0");
	WRONG_ARRAY(e_first[1], 3, "e_first[2] is 2, less than e_first[1]");
	WRONG_ARRAY(m.e_symbol, NULL, "an array of 2 items is missing");
	WRONG_ARRAY(m.e_p, NULL, "an array of 2 items is missing");
	WRONG_ARRAY(pi[0], 2, "/pi: sums to 2.5");
	WRONG_ARRAY(alphabet.n_actions, 0, "");
	WRONG_ARRAY(alphabet.n_symbols, 0, "");
	WRONG(from_arrays(&alphabet, &m), alphabet.symbols, names,
	    CSCG_EFORMAT, "symbol 1 has no name");
}

static int
walk_from(const struct cscg_walk_arrays *arrays)
{
	struct cscg_alphabet alphabet = { .n_actions = 2, .n_symbols = 3 };
	struct cscg_walk *w = cscg_walk_from_arrays(&alphabet, arrays, &err);

	cscg_walk_free(w);
	return w ? 0 : -1;
}

static int
add_step(const struct cscg_step *step)
{
	struct cscg_walk_header head = { .n_actions = 2, .n_obs = 3 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int rc = cscg_walk_add_step(w, step, &err);

	cscg_walk_free(w);
	return rc;
}

static void
test_walk_arrays(void)
{
	int x[] = { 0, 2 }, a[] = { 1, -1 };
	struct cscg_walk_arrays w = { .n_steps = 2, .x = x, .a = a };
	struct cscg_step step = {
		.x = 1, .a = 1, .z = -1, .goal = -1, .r = 2
	};

#define WRONG_STEP(lvalue, value, text) \
	WRONG(add_step(&step), lvalue, value, CSCG_ERANGE, text)
	ok(walk_from(&w) == 0, "a walk from arrays");
	WRONG(walk_from(&w), w.x, NULL, CSCG_ERANGE, "no arrays of symbols");
	WRONG(walk_from(&w), w.a, NULL, CSCG_ERANGE, "no arrays of symbols");
	WRONG(walk_from(&w), x[1], 3, CSCG_ERANGE, "step 1: symbol");
	WRONG(walk_from(&w), a[1], 0, CSCG_EFORMAT, "the last action is 0");
	ok(add_step(&step) == 0, "a step");
	WRONG_STEP(step.x, -2, "symbol");
	WRONG_STEP(step.x, 3, "symbol");
	WRONG_STEP(step.a, -2, "action");
	WRONG_STEP(step.a, 2, "action");
	WRONG_STEP(step.goal, 3, "goal");
	WRONG_STEP(step.z, -2, "node");
	WRONG_STEP(step.view, -1, "view");
	WRONG_STEP(step.r, INFINITY, "the reward is infinite");
}

/* Settings that a table cannot have, before its file is opened. */
static int
read_table(const struct cscg_table_settings *set)
{
	const char *paths[] = { "/none" };
	struct cscg_walk *w = cscg_walk_read_table(paths, 1, set, &err);

	cscg_walk_free(w);
	return w ? 0 : -1;
}

static void
test_table(void)
{
	struct cscg_table_settings set = cscg_table_defaults();

#define WRONG_TABLE(lvalue, value, text) \
	WRONG(read_table(&set), lvalue, value, CSCG_EUSAGE, text)
	ok(read_table(&set) < 0 && err.code == CSCG_EREAD, "no such table");
	WRONG_TABLE(set.quantile, 3, "require positions");
	WRONG_TABLE(set.grid[0], 3, "require positions");
	WRONG_TABLE(set.cell[0], 3, "require positions");
	WRONG_TABLE(set.n_see, 1000, "columns");
	WRONG_TABLE(set.n_episode, 1000, "columns");
	WRONG_TABLE(set.actions, CSCG_ACTIONS_COMPASS4, "two columns");
	WRONG_TABLE(set.bin[0], "x", "require one of cell, grid and quantile");
	set.bin[0] = "x";
	set.bin[1] = "y";
	set.cell[0] = 1;
	WRONG_TABLE(set.cell[1], 0, "along axis 1 is not above 0");
	set.cell[0] = 0;
	set.grid[0] = 3;
	WRONG_TABLE(set.grid[1], 0, "along axis 1 is not above 0");
}

int
main(void)
{
	test_model_arrays();
	test_walk_arrays();
	test_table();
	test_models();
	test_emissions();
	test_rooms();
	return done();
}
