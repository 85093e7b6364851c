/*
 * residual.c - a walk without schemas: states that only a misread symbol made are
 * removed, also if memory is short, unless the walk is deterministic with them;
 * a schema with a hole does not explain a room without; a short walk with noise
 */
#include "fail_alloc.h"
#include "schema/residual.h"
#include "walker.h"

static struct cscg_walk *walk;
static struct cscg_stitch_result out;
static struct cscg_residual rest;

static int
learn(void)
{
	const struct cscg_learn set = { .iterations = 3,
		.restarts = 1,
		.tolerance = 1e-3,
		.pseudocount = 2e-3,
		.seed = 1,
		.threads = 1 };

	return cscg_residual_learn(NULL, 0, walk, &set, false, &out, &rest,
	    &err);
}

static int
job(void)
{
	int rc = learn();

	fail_value = rc < 0 ? 0 : out.model->n_states;
	cscg_stitch_result_free(&out);
	cscg_residual_free(&rest);
	return rc;
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
	cscg_stitch_result_free(&out);
	cscg_residual_free(&rest);
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
	const struct cscg_learn set = { .iterations = 3,
		.restarts = 1,
		.tolerance = 1e-3,
		.pseudocount = 2e-3,
		.seed = 1,
		.threads = 1 };

	cscg_room_label_unique(room);
	for (v = 0; v < 24; v++) {
		obs[v] = v;
		for (a = 0; a < 4; a++) {
			to = cscg_room_successor(room, a, v + (v >= 12));
			next[a * 24 + v] = to == 12 ? v : to - (to > 12);
		}
	}
	hole = hand_room(24, 4, 24, obs, next);
	m = need(cscg_room_model(hole, 100, 1e-4, NULL, &err));
	cscg_model_unground(m, CSCG_CLONES);
	schema = m;
	walk = walk_in(room, &how);
	need(cscg_residual_learn(&schema, 1, walk, &set, false, &out, &rest,
		 &err) < 0 ?
		NULL :
		&out);
	ok(rest.n == 1 && rest.schema[0] == -1 && rest.room[0] &&
		rest.room[0]->n_states == 25 && rest.n_explained == 0,
	    "a room with a cell inside that the schema lacks is a new kind");
	cscg_stitch_result_free(&out);
	cscg_residual_free(&rest);
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
	struct cscg_rng rng;
	long t;
	int v;

	for (v = 0; v < 30; v++)
		room->obs[v] = symbols[v];
	room->n_obs = 12;
	need(cscg_room_slip(room, .02, &err) < 0 ? NULL : room);
	walk = walk_in(room, &how);
	cscg_rng_seed(&rng, how.seed, CSCG_RNG_TEST, 0, 8);
	for (t = 0; t < walk->n_steps; t++)
		if (cscg_rng_uniform(&rng) < .02)
			walk->x[t] = (int)cscg_rng_below(&rng, 12);
	need(learn() < 0 ? NULL : &out);
	ok(out.model->n_states == 30 && rest.n_noisy > 0 &&
		rest.n_noisy < 60 && rest.n == 1 && rest.room[0],
	    "a short walk with noise: %d states, %ld noisy transitions",
	    out.model->n_states, rest.n_noisy);
	cscg_stitch_result_free(&out);
	cscg_residual_free(&rest);
	cscg_walk_free(walk);
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
	return done();
}
