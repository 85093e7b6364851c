/*
 * residual.c - a walk without schemas: states that only a misread symbol made are
 * removed, also if memory is short, unless the walk is deterministic with them;
 * a schema with a hole does not explain a room without; a short walk with noise;
 * noise and schemas, of which the graph with or without their labels is kept
 */
#include "fail_alloc.h"
#include "schema/residual.h"
#include "walker.h"

static struct cscg_walk *walk;
static struct cscg_stitch_result out;
static struct cscg_residual rest;

static int
learn_with(const struct cscg_model *const *schema, int n)
{
	const struct cscg_learn set = { .iterations = 3,
		.restarts = 1,
		.tolerance = 1e-3,
		.pseudocount = 2e-3,
		.seed = 1,
		.threads = 1 };

	return cscg_residual_learn(schema, n, walk, &set, false, &out, &rest,
	    &err);
}

static int
learn(void)
{
	return learn_with(NULL, 0);
}

static void
free_results(void)
{
	cscg_stitch_result_free(&out);
	cscg_residual_free(&rest);
}

static int
job(void)
{
	int rc = learn();

	fail_value = rc < 0 ? 0 : out.model->n_states;
	free_results();
	return rc;
}

static struct cscg_model *
schema_of(const struct cscg_room *room)
{
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	cscg_model_unground(m, CSCG_CLONES);
	return m;
}

/* A share of the symbols is drawn at random. */
static void
misread_walk(double share, uint64_t seed)
{
	struct cscg_rng rng;
	long t;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 8);
	for (t = 0; t < walk->n_steps; t++)
		if (cscg_rng_uniform(&rng) < share)
			walk->x[t] = (int)cscg_rng_below(&rng,
			    walk->head.n_obs);
}

/* Steps from a given one whose state is not that of an earlier one in the cell. */
static int
wrong_states(long from, int n_cells)
{
	int state[16], wrong = 0;
	long t;

	memset(state, -1, sizeof state);
	need(n_cells <= 16 ? &rest : NULL);
	for (t = from; t < walk->n_steps; t++) {
		int *s = &state[walk->z[t]];

		if (*s < 0)
			*s = rest.path[t];
		wrong += *s != rest.path[t];
	}
	return wrong;
}

static void
test_misread(struct cscg_room *room, long at, int states, const char *what)
{
	int x = walk->x[at];

	walk->x[at] = room->n_obs; /* a symbol that no cell has */
	need(learn() < 0 ? NULL : &out);
	ok(out.model->n_states == states && out.n_blocks == 1,
	    "%s: %d states of %d cells", what, out.model->n_states,
	    room->n_nodes);
	/* What comes before the first step is not known. */
	ok(wrong_states(at == 0, room->n_nodes) == 0,
	    "%s: the path visits the state of each cell", what);
	free_results();
	walk->x[at] = x;
}

/*
 * The schema of a grid of 5 x 5 without its middle cell does not explain the
 * whole grid, as if there were a cell behind four doors.
 */
static void
test_hole(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 5);
	struct walker how = { .n = 2000, .seed = 1 };
	int obs[24], next[4 * 24], a, v, to;
	struct cscg_room *hole;
	struct cscg_model *m;
	const struct cscg_model *schema;

	cscg_room_label_unique(room);
	for (v = 0; v < 24; v++) {
		obs[v] = v;
		for (a = 0; a < 4; a++) {
			to = cscg_room_successor(room, a, v + (v >= 12));
			next[a * 24 + v] = to == 12 ? v : to - (to > 12);
		}
	}
	hole = hand_room(24, 4, 24, obs, next);
	schema = m = schema_of(hole);
	walk = walk_in(room, &how);
	need(learn_with(&schema, 1) < 0 ? NULL : &out);
	ok(rest.n == 1 && rest.schema[0] == -1 && rest.room[0] &&
		rest.room[0]->n_states == 25 && rest.n_explained == 0,
	    "a room with a cell inside that the schema lacks is a new kind");
	free_results();
	cscg_walk_free(walk);
	cscg_model_free(m);
	cscg_room_free(hole);
	cscg_room_free(room);
}

/*
 * 1,200 steps with 2 % slips and 2 % misread symbols in 30 cells of 12 symbols:
 * too few for a test of noise, and contexts of symbols confuse some cells.
 */
static void
test_noise(void)
{
	static const int symbols[] = { 3, 7, 0, 11, 5, 2, /* row 0 */
		9, 1, 4, 6, 10, 8,                        /* row 1 */
		0, 5, 7, 2, 3, 11,                        /* row 2 */
		1, 10, 4, 6, 9, 0,                        /* row 3 */
		8, 2, 11, 5, 1, 7 };
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct walker how = { .n = 1200, .seed = 1 };
	int v;

	for (v = 0; v < 30; v++)
		room->obs[v] = symbols[v];
	room->n_obs = 12;
	need(cscg_room_slip(room, .02, &err) < 0 ? NULL : room);
	walk = walk_in(room, &how);
	misread_walk(.02, how.seed);
	need(learn() < 0 ? NULL : &out);
	ok(out.model->n_states == 30 && rest.n_noisy > 0 &&
		rest.n_noisy < 60 && rest.n == 1 && rest.room[0],
	    "a short walk with noise: %d states, %ld noisy transitions",
	    out.model->n_states, rest.n_noisy);
	free_results();
	cscg_walk_free(walk);
	cscg_room_free(room);
}

/*
 * Two kinds of rooms, of which each lacks another corner of a new room, explain
 * parts of its walk, and steps in one cell get the labels of both: that is more
 * states than cells.  In the graph without labels each cell has its own symbol,
 * and one state.
 */
static void
test_two_kinds(void)
{
	enum { WALKS = 8 };
	struct cscg_room *room = rows_room("#######/#######/#######");
	struct cscg_room *kind[] = { rows_room("#######/#######/######."),
		rows_room("#######/#######/.######") };
	struct cscg_model *m[2];
	int i, right = 0, explained = 0;

	cscg_room_label_unique(room);
	need(cscg_room_slip(room, .02, &err) < 0 ? NULL : room);
	for (i = 0; i < 2; i++) {
		cscg_room_label_unique(kind[i]);
		m[i] = schema_of(kind[i]);
	}
	for (i = 1; i <= WALKS; i++) {
		struct walker how = { .n = 1500, .seed = (uint64_t)i };

		walk = walk_in(room, &how);
		misread_walk(.02, how.seed);
		need(learn_with((const struct cscg_model *const *)m, 2) < 0 ?
			NULL :
			&out);
		right += out.model->n_states == room->n_nodes;
		explained += rest.n_explained > 0;
		free_results();
		cscg_walk_free(walk);
	}
	/* Noise may give one walk another graph of less description length. */
	ok(right >= WALKS - 1 && explained == WALKS,
	    "two kinds that share most cells of a room: of %d walks %d give a "
	    "state for each cell",
	    WALKS, right);
	for (i = 0; i < 2; i++) {
		cscg_model_free(m[i]);
		cscg_room_free(kind[i]);
	}
	cscg_room_free(room);
}

enum { ROWS = 3, COLS = 4, ROOM = ROWS * COLS, SYMBOLS = 6 };

/*
 * Two rooms of one kind, with the symbols in another order, on both sides of a
 * cell between them.
 */
static struct cscg_room *
two_rooms(const struct cscg_room *kind)
{
	enum { LEFT = 2, RIGHT = 3, N = 2 * ROOM + 1, DOOR = 2 * ROOM };
	int obs[N], next[4 * N], v, a;
	const int west = COLS * (ROWS / 2) + COLS - 1,
		  east = ROOM + COLS * (ROWS / 2);

	for (v = 0; v < ROOM; v++) {
		obs[v] = kind->obs[v];
		obs[ROOM + v] = SYMBOLS - 1 - kind->obs[v];
		for (a = 0; a < 4; a++) {
			next[a * N + v] = cscg_room_successor(kind, a, v);
			next[a * N + ROOM + v] = ROOM + next[a * N + v];
		}
	}
	obs[DOOR] = SYMBOLS;
	for (a = 0; a < 4; a++)
		next[a * N + DOOR] = DOOR;
	next[RIGHT * N + west] = next[LEFT * N + east] = DOOR;
	next[LEFT * N + DOOR] = west;
	next[RIGHT * N + DOOR] = east;
	return hand_room(N, 4, SYMBOLS + 1, obs, next);
}

/*
 * 500 steps are too few to learn 25 cells of 7 symbols without labels; with
 * those of the known kind there are two rooms and the cell between them.
 */
static void
test_labels(void)
{
	enum { WALKS = 3 };
	struct cscg_room *kind = shape_room(CSCG_RECTANGLE, ROWS, COLS), *room;
	const struct cscg_model *schema;
	struct cscg_model *m;
	int i, v, right = 0;

	for (v = 0; v < ROOM; v++)
		kind->obs[v] = (7 * v + 3 * v * v + v / 3) % SYMBOLS;
	kind->n_obs = SYMBOLS;
	schema = m = schema_of(kind);
	room = two_rooms(kind);
	for (i = 1; i <= WALKS; i++) {
		struct walker how = {
			.n = 500, .slip = .01, .seed = (uint64_t)i
		};

		walk = walk_in(room, &how);
		misread_walk(.01, how.seed);
		need(learn_with(&schema, 1) < 0 ? NULL : &out);
		right += rest.n_noisy > 0 && rest.n == 3 &&
		    out.model->n_states == room->n_nodes;
		free_results();
		cscg_walk_free(walk);
	}
	ok(right >= WALKS - 1,
	    "two rooms of a known kind: of %d walks %d give these", WALKS,
	    right);
	cscg_model_free(m);
	cscg_room_free(kind);
	cscg_room_free(room);
}

int
main(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 3);
	struct walker how = { .n = 240, .seed = 1 };

	cscg_room_label_unique(room);
	walk = walk_in(room, &how);
	walk->head.n_obs++;
	/* The walk may begin in a place to which it does not return. */
	test_misread(room, 0, room->n_nodes + 1, "the first symbol misread");
	test_misread(room, 100, room->n_nodes, "a symbol misread once");
	walk->x[77] = room->n_obs;
	fail_sites("a symbol misread once", job);
	cscg_walk_free(walk);
	cscg_room_free(room);
	test_hole();
	test_noise();
	test_two_kinds();
	test_labels();
	return done();
}
