/*
 * memory_schemas.c - allocations of learning, of schemas and of agents fail, one at
 * a time, as in memory.c
 *
 * The world has two rooms, of 3x3 and 2x4 cells, joined by a door.
 */
/* all: slow (10 s of CPU time): agents that act hundreds of times */
#include <string.h>
#include <unistd.h>

#include "dist/checkpoint.h"
#include "fail_alloc.h"
#include "kernel/cpu.h"
#include "learn/alergia.h"
#include "learn/learn.h"
#include "learn/multi.h"
#include "learn/noisy.h"
#include "learn/outward.h"
#include "learn/tied_em.h"
#include "learn/update.h"
#include "plan/agent_match.h"
#include "plan/experience.h"
#include "plan/keep.h"
#include "plan/places.h"
#include "schema/discover.h"
#include "schema/explain.h"
#include "schema/library.h"
#include "schema/match_table.h"
#include "schema/novelty.h"
#include "schema/rebind.h"
#include "schema/residual.h"
#include "stage.h"
#include "world/compose.h"

static char dir[] = "/tmp/cscg-memory.XXXXXX";
static char path[64], file[64]; /* of a library, of other output */

static struct cscg_room *room[2], *world, *exits;
static struct cscg_model *schema[2], *exact;
static struct cscg_walk *walk, *games, *strings, *noisy;
static struct cscg_learn learn_set = { .iterations = 3,
	.restarts = 1,
	.tolerance = 1e-3,
	.pseudocount = 2e-3,
	.seed = 1,
	.threads = 1 };

/* Takes m. */
static int
end_model(struct cscg_model *m)
{
	long i;

	if (!m)
		return -1;
	for (i = 0; i < m->first[(long)m->n_actions * m->n_states]; i++)
		fail_value += m->count[i] * (double)(1 + m->to[i]);
	cscg_model_free(m);
	return 0;
}

/* ---- learning ---- */

static int
several_emissions(void)
{
	struct cscg_multi set = {
		.draws = 2, .iterations = 5, .pseudocount = 2e-3, .seed = 1
	};
	struct cscg_multi_progress last;

	return end_model(cscg_multi(games, &set, &last, &err));
}

static int
update(void)
{
	struct cscg_update set = { .change_rate = .01,
		.iterations = 3,
		.tolerance = 1e-6,
		.pseudocount = 2e-3 };
	struct cscg_update_result out;

	return end_model(cscg_update(exact, walk, &set, &out, &err));
}

static int
automaton(void)
{
	struct cscg_learn_progress last;
	struct cscg_model *m;
	int *group;

	if (cscg_alergia(strings, &learn_set, 1e-3, &m, &group, &err) > 0 &&
	    cscg_em_tied(m, group, strings, &learn_set, &last, &err) < 0) {
		cscg_model_free(m);
		m = NULL;
	}
	free(group);
	return end_model(m);
}

static int
outward(void)
{
	struct cscg_model *m = NULL;
	bool distinct;
	double loglik = 0;
	int rc = cscg_outward(noisy, &learn_set, &m, &distinct, &loglik, &err);

	if (rc > 0)
		fail_value = loglik;
	cscg_model_free(m);
	return rc < 0 ? -1 : 0;
}

static int
noisy_walk(void)
{
	struct cscg_learn_progress last;

	return end_model(cscg_learn(noisy, &learn_set, &last, &err));
}

static int
write_nothing(void *ctx, struct cscg_err *e)
{
	(void)ctx, (void)e;
	return 0;
}

/* EM in two parts: the second continues from what the first one stored. */
static int
stored(void)
{
	static const int clones[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
		2, 2, 2 };
	struct cscg_checkpoint_options how = {
		.options = "-", .every = 1, .write = write_nothing
	};
	struct cscg_checkpoint *c = cscg_checkpoint_new(&how, &err);
	struct cscg_learn set = learn_set;
	struct cscg_learn_progress last;
	int rc = -1;

	set.clones = clones;
	set.restarts = 2;
	set.raw = true;
	set.save = c;
	if (c)
		rc = end_model(cscg_learn(walk, &set, &last, &err));
	if (rc == 0)
		rc = cscg_checkpoint_write(c, file, &err);
	cscg_checkpoint_free(c);
	return rc;
}

/* ---- schemas ---- */

static int
explain(void)
{
	struct cscg_explain e = { 0 };
	int rc = cscg_explain((const struct cscg_model *const *)schema, 2,
	    walk, NULL, NULL, &e, &err);

	fail_value = rc < 0 ? 0 : (double)e.n_explained + e.n;
	cscg_explain_free(&e);
	return rc;
}

/* Takes out, which may be NULL; rc is the result of writing to it. */
static int
end_output(struct cscg_out *out, int rc)
{
	if (rc == 0)
		return cscg_out_close(out, &err);
	cscg_out_abort(out);
	return -1;
}

/* The second room is learned, and a report written. */
static int
residual(void)
{
	static char first[] = "first", second[] = "second";
	static char *name[] = { first, second };
	const struct cscg_names names = { 2, name };
	struct cscg_stitch_result s = { .n_blocks = 0 };
	struct cscg_out *out;
	struct cscg_residual rest = { .n = 0 };
	int rc = cscg_residual_learn((const struct cscg_model *const *)schema,
	    1, walk, &learn_set, false, &s, &rest, &err);

	if (rc == 0) {
		need(s.n_blocks == names.n ? &s : NULL);
		fail_value = (double)rest.n_explained + s.model->n_states;
		out = cscg_out_open(file, 0, &err);
		rc = end_output(out,
		    out ? cscg_stitch_result_write(&s, &names, false, out,
			      &err) :
			  -1);
	}
	cscg_stitch_result_free(&s);
	cscg_residual_free(&rest);
	return rc;
}

static int
discover(void)
{
	const struct cscg_model *both[] = { exact, schema[0] };
	struct cscg_partition_options set = {
		.max_conductance = .15, .max_cut_ratio = .5, .min_size = 4
	};
	struct cscg_discovery d;
	int rc = cscg_discover(both, 2, &set, .01, &d, NULL, &err);

	fail_value = rc < 0 ? 0 : 10 * d.n + d.n_rooms;
	cscg_discovery_free(&d);
	return rc;
}

static int
side_by_side(void)
{
	const struct cscg_model *both[] = { exact, schema[0] };

	return end_model(cscg_discover_union(both, 2, NULL, &err));
}

static int
remove_all(const char *name)
{
	char command[80];

	snprintf(command, sizeof command, "rm -rf %s", name);
	return system(command);
}

/* The library of two schemas that the job "a library" has left. */
static int
restore_library(void)
{
	char command[400];

	snprintf(command, sizeof command,
	    "[ -d %s/kept ] || mv %s %s/kept; rm -rf %s; cp -r %s/kept %s",
	    dir, path, dir, path, dir, path);
	return system(command);
}

static int
library(void)
{
	struct cscg_library *lib;
	int rc = -1, id[3] = { 0 };

	need(remove_all(path) ? NULL : dir);
	lib = cscg_library_open(path, &err);
	if (lib && cscg_library_begin(lib, &err) == 0 &&
	    cscg_library_add_schema(lib, schema[0], true, 5, &id[0], &err) >=
		0 &&
	    cscg_library_add_schema(lib, schema[1], true, 5, &id[1], &err) >=
		0 &&
	    cscg_library_add_memory(lib, exact, id[0], 7, &id[2], &err) >= 0 &&
	    cscg_library_commit(lib, &err) == 0)
		rc = 0;
	cscg_library_free(lib);
	lib = rc == 0 ? cscg_library_open(path, &err) : NULL;
	if (lib)
		fail_value = 100 * id[0] + 10 * id[2] + lib->n;
	rc = lib ? 0 : -1;
	cscg_library_free(lib);
	return rc;
}

/* A schema met again, with another exit, and all schemas listed. */
static int
exits_added(void)
{
	const struct cscg_frontier exit[] = { { 3, 1 } };
	const int entry[] = { 2 };
	struct cscg_model *m = cscg_room_model(exits, 1, 1e-4, NULL, &err);
	struct cscg_schemas list = { 0 };
	struct cscg_library *lib = NULL;
	struct cscg_out *out = NULL;
	int id[2], rc = -1;

	if (!m)
		return -1;
	cscg_model_unground(m, CSCG_CLONES);
	need(remove_all(path) ? NULL : dir);
	if ((lib = cscg_library_open(path, &err)) != NULL &&
	    cscg_library_begin(lib, &err) == 0 &&
	    cscg_library_add_schema(lib, m, true, 5, &id[0], &err) >= 0 &&
	    cscg_model_set_frontiers(m, exit, 1, &err) == 0 &&
	    cscg_model_set_entries(m, entry, 1, &err) == 0 &&
	    cscg_library_add_schema(lib, m, true, 5, &id[1], &err) >= 0 &&
	    cscg_library_commit(lib, &err) == 0 &&
	    cscg_library_schemas(lib, CSCG_LIBRARY_SCHEMA, &list, &err) == 0 &&
	    (out = cscg_out_open(file, 0, &err)) != NULL)
		rc = end_output(out,
		    cscg_library_write(lib, false, out, &err));
	if (rc == 0)
		fail_value = list.n + 10. * (double)list.m[0]->n_frontiers +
		    100. * (double)list.m[0]->n_entries +
		    1000 * (id[0] == id[1]);
	cscg_schemas_free(&list);
	cscg_library_free(lib);
	cscg_model_free(m);
	return rc;
}

static int
thresholds(void)
{
	struct cscg_novelty_options set = {
		.walks = 2, .steps = 10, .seed = 1, .threads = 1
	};
	struct cscg_novelty *n = cscg_novelty_new(&set, schema, 2, &err);
	double resembles;

	if (n)
		cscg_novelty_thresholds(n, 1, 10, &fail_value, &resembles);
	cscg_novelty_free(n);
	return n ? 0 : -1;
}

/* The walk's symbols in reverse order. */
static int
rebind(void)
{
	struct cscg_rebind_options set = {
		.rebind = .01, .unseen = .01, .beam = 20, .tied = true
	};
	struct cscg_model *m = cscg_model_copy(exact, &err);
	struct cscg_rebind *r = m ?
	    cscg_rebind_new(m, world->n_obs, &set, &err) :
	    NULL;
	double p = 0;
	int t, rc = r ? 0 : -1;

	for (t = 0; rc == 0 && t < 20; t++) {
		rc = cscg_rebind_observe(r, t ? walk->a[t - 1] : -1,
		    world->n_obs - 1 - walk->x[t], &p, &err);
		fail_value += p;
	}
	cscg_rebind_free(r);
	cscg_model_free(m);
	return rc;
}

/* A table of both schemas over prefixes of the walk. */
static int
match_table(void)
{
	static char first[] = "first", second[] = "second";
	static char *name[] = { first, second };
	struct cscg_names names = { 2, name };
	struct cscg_out *out = cscg_out_open(file, 0, &err);
	struct cscg_match_table_options set = { .out = out,
		.form = CSCG_MULTI_TABLE_WIDE,
		.names = &names,
		.summary = true,
		.truth = 0,
		.alpha = .05,
		.min_posterior = .5 };
	struct cscg_match_table *table = out ?
	    cscg_match_table_new(&set, &err) :
	    NULL;
	double loglik[] = { -3, -9 }, posterior[] = { .99, .01 };
	int rank[] = { 1, 2 }, rc = -1;
	struct cscg_match_row row = { .length = 4,
		.n_starts = 1,
		.node = -1,
		.n = 2,
		.loglik = loglik,
		.posterior = posterior,
		.rank = rank };

	if (table && cscg_match_table_write_header(table, &err) == 0)
		for (rc = 0; rc == 0 && row.episode < 3; row.episode++) {
			row.step = 4;
			loglik[1] -= (double)row.episode;
			rc = cscg_match_table_write_row(table, &row, &err);
		}
	if (rc == 0)
		rc = cscg_match_table_finish(table, &err);
	cscg_match_table_free(table);
	return end_output(out, rc < 0 ? -1 : 0);
}

/* ---- agents ---- */

static struct stage stage;

/* A new stage for a world that was set up before: its server is fallible. */
static int
set_stage(void)
{
	static const struct cscg_serve_options how = { .start = 0, .seed = 3 };

	memset(&stage, 0, sizeof stage);
	stage.head.head.n_actions = world->n_actions;
	stage.head.head.n_obs = world->n_obs + 1; /* one is nowhere */
	stage.head.collect = -1;
	stage.room = world;
	stage.serve = cscg_serve_new(&stage.room, 1, -1, &how, &err);
	stage.episodes = 1;
	stage.begin = true;
	return stage.serve ? 0 : -1;
}

static int
act(struct cscg_agent *agent, long steps)
{
	struct cscg_agent_run_options how = { .max_steps = steps };
	struct cscg_agent_env env = { &stage.head, stage_observe, stage_act,
		&stage };
	long played, missed, t;

	if (cscg_agent_run(agent, &env, &how, &played, &missed, &err) < 0)
		return -1;
	for (t = 0; t < stage.n; t++)
		fail_value += (double)(1 + t) * stage.z[t];
	return 0;
}

/* An agent that seeks a symbol in both rooms and keeps what it has seen. */
static int
agent_keeps(void)
{
	struct cscg_goal goal;
	struct cscg_agent_match_options set = { .goal = &goal,
		.confidence = -1,
		.track = { .slip = CSCG_NOISE_ESTIMATED,
		    .misread = CSCG_NOISE_ESTIMATED },
		.seed = 2 };
	struct cscg_agent *agent = NULL;
	struct cscg_keep *keep = NULL;
	struct cscg_schemas models = { 0 };
	int rc = -1, n_skipped;

	need(restore_library() ||
		    cscg_goal_parse("symbol:17", &goal, &err) < 0 ?
		NULL :
		dir);
	if (set_stage() == 0 && (keep = cscg_keep_open(path, &err)) != NULL &&
	    cscg_keep_models(keep, &stage.head, &models, &n_skipped, &err) ==
		0) {
		set.model = models.m;
		set.name = models.names.v;
		set.n = models.n;
		agent = cscg_agent_match_new(&stage.head, &set, &err);
	}
	if (agent)
		rc = act(agent, 60);
	if (rc == 0)
		rc = cscg_keep_update(keep, agent, true, &err);
	cscg_agent_free(agent);
	cscg_keep_free(keep);
	cscg_schemas_free(&models);
	cscg_serve_free(stage.serve);
	return rc;
}

/* An agent without a model: it learns the map. */
static int
experience(void)
{
	struct cscg_env_header head = {
		.head = { .n_actions = world->n_actions,
		    .n_obs = world->n_obs },
		.collect = -1
	};
	struct cscg_experience *e = cscg_experience_new(&head, 1, &err);
	int t, rc = e ? 0 : -1;

	for (t = 0; rc == 0 && t < walk->n_steps; t++)
		rc = cscg_experience_add(e, t ? walk->a[t - 1] : -1,
		    walk->x[t], .01, &err);
	if (rc == 0)
		rc = cscg_experience_learn(e, schema, 1, false, &err);
	if (rc > 0)
		fail_value = e->map->n_states + 100 * e->state;
	cscg_experience_free(e);
	return rc < 0 ? -1 : 0;
}

static int
places(void)
{
	static char first[] = "first", second[] = "second";
	static char *const name[] = { first, second };
	struct cscg_env_header head = {
		.head = { .n_actions = world->n_actions,
		    .n_obs = world->n_obs },
		.collect = -1
	};
	struct cscg_places_options set = { .world = &head,
		.model = schema,
		.name = name,
		.n = 2,
		.track = { .slip = CSCG_NOISE_ESTIMATED,
		    .misread = CSCG_NOISE_ESTIMATED } };
	struct cscg_places *p = cscg_places_new(&set, &err);
	struct cscg_names none = { 0 };
	int door, t, rc = p ? 0 : -1;

	/* Some steps before and after the first one behind the door. */
	for (door = 10; walk->z[door] < room[0]->n_nodes; door++)
		;
	for (t = door - 10; rc >= 0 && t < door + 6; t++)
		rc = cscg_places_observe(p,
		    t > door - 10 ? walk->a[t - 1] : -1, walk->x[t], &err);
	if (rc >= 0)
		rc = cscg_places_search(p, 0, &err);
	if (rc >= 0)
		fail_value = cscg_places_loglik(p);
	if (rc >= 0)
		rc = end_model(cscg_places_ground(p, &none, &err));
	cscg_places_free(p);
	return rc < 0 ? -1 : 0;
}

/* ---- the world ---- */

static void
set_up(void)
{
	struct cscg_compose_plan plan = { .rows = 1, .cols = 2 };
	struct walker how = { .n = 240, .seed = 1 };
	struct walker game = { .n = 60, .episodes = 2, .seed = 2 };
	struct walker slips = { .n = 100, .slip = .05, .seed = 4 };
	struct walker line = { .n = 6, .episodes = 40, .seed = 3 };
	struct cscg_door *door = NULL;
	struct cscg_room *one;
	double offset[4];
	long n_doors;
	int i;

	need(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/library", dir);
	snprintf(file, sizeof file, "%s/file", dir);
	room[0] = shape_room(CSCG_RECTANGLE, 3, 3);
	room[1] = shape_room(CSCG_RECTANGLE, 2, 4);
	need(cscg_compose_layout((const struct cscg_room *const *)room, 2,
		 &plan, offset, &door, &n_doors, &err) < 0 ?
		NULL :
		room[0]);
	world = need(cscg_compose_join((const struct cscg_room *const *)room,
	    2, offset, door, n_doors, CSCG_COMPOSE_DISTINCT, &err));
	free(door);
	cscg_room_label_unique(world);
	for (i = 0; i < 2; i++) {
		cscg_room_label_unique(room[i]);
		schema[i] = need(cscg_room_model(room[i], 100, 1e-4, NULL,
		    &err));
		cscg_model_unground(schema[i], CSCG_CLONES);
	}
	exact = need(cscg_room_model(world, 100, 1e-4, NULL, &err));
	exits = shape_room(CSCG_RECTANGLE, 2, 4);
	cscg_room_label_unique(exits);
	need(cscg_room_add_frontier(exits, 0, 0, &err) < 0 ? NULL : exits);
	for (i = 0; i < exits->n_obs; i++) {
		char name[] = { (char)('a' + i), '\0' };

		need(cscg_names_add(&exits->symbols, name, &err) < 0 ? NULL :
								       exits);
	}
	walk = walk_in(world, &how);
	noisy = walk_in(world, &slips);
	one = shape_room(CSCG_RECTANGLE, 1, 3);
	games = walk_in(one, &game);
	cscg_room_free(one);
	/* Strings: one action, and symbols of a torus without a map. */
	one = hand_room(3, 1, 3, (const int[]){ 0, 1, 2 },
	    (const int[]){ 1, 2, 0 });
	strings = walk_in(one, &line);
	cscg_room_free(one);
}

int
main(void)
{
	static const struct {
		const char *name;
		int (*job)(void);
	} jobs[] = {
		{ "one graph of several emissions", several_emissions },
		{ "a model updated", update },
		{ "an automaton", automaton },
		{ "states grown outward", outward },
		{ "learning a noisy walk", noisy_walk },
		{ "EM with a checkpoint", stored },
		{ "a walk explained", explain },
		{ "a room learned beside a known one", residual },
		{ "schemas discovered", discover },
		{ "models side by side", side_by_side },
		{ "a schema met again with another exit", exits_added },
		{ "a library", library },
		{ "thresholds of novelty", thresholds },
		{ "rebinding", rebind },
		{ "a table of matches", match_table },
		{ "an agent with a library", agent_keeps },
		{ "a map learned by an agent", experience },
		{ "places joined by doors", places },
	};
	size_t i;

	set_up();
	for (i = 0; i < sizeof jobs / sizeof *jobs; i++)
		fail_sites(jobs[i].name, jobs[i].job);
	need(remove_all(dir) ? NULL : dir);
	for (i = 0; i < 2; i++) {
		cscg_room_free(room[i]);
		cscg_model_free(schema[i]);
	}
	cscg_room_free(world);
	cscg_room_free(exits);
	cscg_model_free(exact);
	cscg_walk_free(walk);
	cscg_walk_free(games);
	cscg_walk_free(strings);
	cscg_walk_free(noisy);
	return done();
}
