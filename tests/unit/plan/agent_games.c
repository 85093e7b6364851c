/*
 * agent_games - the memory game and the streets: rewards, and lengths of paths
 *
 * Results are those of the environment (true nodes, and the distance to each
 * goal when it is asked for), not of the agents.
 */
#include <stdlib.h>

#include "plan/agent_plan.h"
#include "plan/agent_game.h"
#include "kernel/cpu.h"
#include "base/rng.h"
#include "stage.h"
#include "world/street.h"
#include "tap.h"

enum { NODES = 512, ACTIONS = 8 };

/* Results of a run. */
struct book {
	const struct stage *stage;
	long episodes, rewards;
	long first; /* steps until the first reward, all episodes */
	long blind; /* episodes whose first reward came before all was
	                     seen */
	long known,
	    late;        /* tasks begun when all was seen; those not optimal */
	long sure, slow; /* tasks begun when all was tried; likewise */
	/* this episode */
	long t, due, rewards_here;
	bool was_known, was_sure;
	bool seen[NODES], tried[NODES][ACTIONS];
	int n_seen, n_tried, last, a;
};

static void
begin_task(struct book *b, const struct cscg_env_obs *obs)
{
	const struct cscg_room *room = b->stage->room;

	b->due = b->t + (long)obs->distance + 1;
	b->was_known = b->n_seen == room->n_nodes;
	b->was_sure = b->was_known &&
	    b->n_tried == room->n_nodes * room->n_actions;
}

static void
end_task(struct book *b)
{
	b->known += b->was_known;
	b->late += b->was_known && b->t != b->due;
	b->sure += b->was_sure;
	b->slow += b->was_sure && b->t != b->due;
	if (b->rewards_here++ == 0) {
		b->first += b->t;
		b->blind += b->n_seen < b->stage->room->n_nodes;
	}
}

static int
on_turn(void *ctx, const struct cscg_agent_step *turn, struct cscg_err *e)
{
	struct book *b = ctx;
	int z = b->stage->obs.z;

	(void)e;
	b->t = turn->t;
	if (turn->t == 0) {
		b->n_seen = b->n_tried = 0;
		b->rewards_here = 0;
		memset(b->seen, 0, sizeof b->seen);
		memset(b->tried, 0, sizeof b->tried);
	} else if (b->a < b->stage->room->n_actions) {
		b->n_tried += !b->tried[b->last][b->a];
		b->tried[b->last][b->a] = true;
	}
	if (turn->obs.reward > 0)
		end_task(b);
	b->n_seen += !b->seen[z];
	b->seen[z] = true;
	if (turn->t == 0 || turn->obs.reward > 0)
		begin_task(b, &turn->obs);
	b->last = z;
	b->a = turn->a;
	return 0;
}

static int
on_episode(void *ctx, const struct cscg_agent_episode *p, struct cscg_err *e)
{
	struct book *b = ctx;

	(void)e;
	b->episodes++;
	b->rewards += p->rewards;
	return 0;
}

static double
mean(const struct book *b)
{
	return (double)b->rewards / (double)b->episodes;
}

/* Play, and free the agent unless the caller keeps it. */
static struct book
play(struct stage *stage, struct cscg_agent *agent, bool keep)
{
	struct book b = { .stage = stage };
	struct cscg_agent_run_options how = {
		.on_step = on_turn, .on_episode = on_episode, .ctx = &b
	};
	struct cscg_agent_env world = { &stage->head, stage_observe, stage_act,
		stage };
	long played, missed;

	need(agent);
	need(cscg_agent_run(agent, &world, &how, &played, &missed, &err) < 0 ?
		NULL :
		agent);
	if (!keep)
		cscg_agent_free(agent);
	cscg_serve_free(stage->serve);
	return b;
}

static const struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };

static struct cscg_agent_plan_options
planner(const struct cscg_model *m)
{
	struct cscg_agent_plan_options set = {
		.knowledge = { .model = m, .seed = 42, .threads = 1 },
		.goal = &env,
		.explore = "random",
		.confidence = .8,
		.surprise = 1e-4,
		.new_world = true,
	};

	need(cscg_cpu_choose_simd("auto", &set.knowledge.simd, &err) < 0 ?
		NULL :
		&set);
	return set;
}

static struct cscg_model *
schema_of(const struct cscg_room *room)
{
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	cscg_model_unground(m, CSCG_CLONES);
	return m;
}

static struct cscg_serve_options
game(uint64_t seed)
{
	return (struct cscg_serve_options){ .task = CSCG_TASK_GOALS,
		.steps = 100,
		.start = CSCG_START_RANDOM,
		.respawn = true,
		.permute = true,
		.seed = seed };
}

/* ---- the tracker ---- */

static struct book
track(struct cscg_room *room, const struct cscg_model *m,
    const struct cscg_serve_options *serve, long episodes, bool forget)
{
	static struct stage stage;
	struct cscg_agent_game_options set = {
		.model = m, .new_world = forget, .seed = 42
	};

	stage_set(&stage, room, serve, episodes);
	return play(&stage, cscg_agent_game_new(&stage.head, &set, &err),
	    false);
}

static void
test_tracker(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_room *walls = shape_room(CSCG_RECTANGLE, 3, 4);
	struct cscg_serve_options serve = game(901);
	struct cscg_model *m, *w;
	struct book b, c;

	cscg_room_label_unique(room);
	cscg_room_label_unique(walls);
	m = schema_of(room);
	w = schema_of(walls);
	b = track(room, m, &serve, 200, true);
	/*
	 * With full knowledge 100 / (1 + 32/15) rewards, and a little less
	 * because of the end.
	 */
	ok(mean(&b) >= 28.3 && mean(&b) < 31.92,
	    "the game, tracker: %.2f rewards", mean(&b));
	ok(b.known > 200 * 20 && b.late == 0,
	    "all %ld tasks that begin when all symbols are seen take shortest "
	    "paths",
	    b.known);
	c = track(room, m, &serve, 200, true);
	ok(c.rewards == b.rewards && c.first == b.first,
	    "the tracker gives the same rewards again");
	serve.permute = false;
	c = track(room, m, &serve, 10, false);
	ok(mean(&c) > 30.5, "one board for ten games: %.2f rewards", mean(&c));
	serve.respawn = false;
	c = track(room, m, &serve, 200, true);
	/* The tracker always knows its state, which compensates this. */
	ok(mean(&c) >= 28.3 && c.late == 0,
	    "without relocations: %.2f rewards", mean(&c));

	serve = game(902);
	b = track(walls, w, &serve, 100, true);
	ok(b.known > 100 * 15 && b.late == 0,
	    "a board with walls: all %ld tasks take shortest paths", b.known);
	/* A wrong schema of the board: the agent continues without an error. */
	b = track(walls, m, &serve, 20, true);
	ok(b.episodes == 20 && b.rewards > 0,
	    "a schema of another board: %.2f rewards", mean(&b));
	b = track(room, w, &serve, 20, true);
	ok(b.episodes == 20 && b.rewards > 0,
	    "a schema that is too small: %.2f rewards", mean(&b));
	cscg_model_free(m);
	cscg_model_free(w);
	cscg_room_free(room);
	cscg_room_free(walls);
}

/* The final model: the board, with the emissions observed. */
static void
test_tracked_model(void)
{
	static struct stage stage;
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 3);
	struct cscg_model *m, *found;
	struct cscg_serve_options serve = game(903);
	struct cscg_agent_game_options set = { .seed = 42 };
	struct cscg_agent *agent;
	int j, right = 1;

	cscg_room_label_unique(room);
	serve.permute = false;
	set.model = m = schema_of(room);
	stage_set(&stage, room, &serve, 1);
	agent = need(cscg_agent_game_new(&stage.head, &set, &err));
	ok(!cscg_agent_ground(agent, &err) && err.code == CSCG_ERANGE,
	    "without observations there is no model");
	play(&stage, agent, true);
	found = need(cscg_agent_ground(agent, &err));
	/* Walls on all sides leave one possible binding. */
	for (j = 0; j < 9; j++)
		right &= cscg_model_E(found, j, room->obs[j]) == 1;
	ok(right && found->kind == CSCG_GROUNDED,
	    "the emissions of the model are those of the room");
	cscg_agent_free(agent);
	cscg_model_free(found);
	cscg_model_free(m);
	cscg_room_free(room);
}

static void
test_tracker_refuses(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 3, 3);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	struct cscg_env_header head = { .head = { .n_actions = 5, .n_obs = 9 },
		.collect = -1 };
	struct cscg_agent_game_options set = { .model = m };

	ok(!cscg_agent_game_new(&head, &set, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "the environment has no action that collects goals"),
	    "an environment without collect is refused");
	head.collect = 4;
	ok(!cscg_agent_game_new(&head, &set, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "a schema is required, but this model is grounded") &&
		!strcmp(err.hint, "schema-needed"),
	    "a grounded model is refused");
	cscg_model_unground(m, CSCG_CLONES);
	head.head.n_actions = 3;
	head.collect = 2;
	ok(!cscg_agent_game_new(&head, &set, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "the environment has 3 actions, the model has 4"),
	    "an environment with too few actions is refused");
	cscg_model_free(m);
	cscg_room_free(room);
}

/* ---- exploring until all was seen ---- */

static void
test_cover(void)
{
	static struct stage stage;
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_serve_options serve = game(904);
	struct cscg_agent_plan_options set;
	struct cscg_model *m;
	struct book b;

	cscg_room_label_unique(room);
	m = schema_of(room);
	set = planner(m);
	set.explore = "0,0,0,3"; /* up, up, up, right: a Hamiltonian cycle */
	set.until = CSCG_AGENT_UNTIL_SEEN;
	set.no_collect = true;
	stage_set(&stage, room, &serve, 50);
	b = play(&stage, cscg_agent_plan_new(&stage.head, &set, &err), false);
	/* 15 moves, 32/15 to the goal on average, and one to collect. */
	ok(b.blind == 0 && b.first >= 50 * 16 && b.first <= 50 * 20,
	    "a Hamiltonian cycle, then plans: %.2f steps of the first task",
	    (double)b.first / 50);
	ok(b.known > 50 * 20 && b.late == 0,
	    "all %ld later tasks take shortest paths", b.known);
	ok(mean(&b) >= 26, "Hamiltonian cycle, then plans: %.2f rewards",
	    mean(&b));
	set.no_collect = false;
	stage_set(&stage, room, &serve, 20);
	b = play(&stage, cscg_agent_plan_new(&stage.head, &set, &err), false);
	ok(b.blind > 10, "without --explore-only goals are collected earlier");
	cscg_model_free(m);
	cscg_room_free(room);
}

/* ---- streets ---- */

static struct cscg_room *
neighbourhood(uint64_t seed)
{
	struct cscg_streets *net;
	struct cscg_town *town;
	struct cscg_room *room;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 5);
	net = need(cscg_streets_generate(&rng, &err));
	town = need(cscg_town_new(net, &err));
	room = need(cscg_town_room(town, 5, &rng, &err));
	cscg_town_free(town);
	cscg_streets_free(net);
	return room;
}

/*
 * Do the rows of m that were tried have the successors of the room, and no
 * others?
 */
static bool
same_moves(const struct cscg_model *m, const struct cscg_room *room,
    const struct book *b)
{
	int a, z, j, k;

	for (z = 0; z < room->n_nodes; z++)
		for (a = 0; a < room->n_actions; a++) {
			long i, row = -1;

			if (!b->tried[z][a])
				continue;
			/* The only state with the symbol of z. */
			for (j = 0, k = 0; j < m->n_states; j++)
				if (m->clone[j] == room->obs[z]) {
					row = (long)a * m->n_states + j;
					k++;
				}
			if (k != 1 || m->first[row + 1] - m->first[row] != 1)
				return false;
			i = m->first[row];
			if (m->clone[m->to[i]] !=
			    room->obs[cscg_room_successor(room, a, z)])
				return false;
		}
	return true;
}

/*
 * Try all actions, learn a CSCG from the walk, and plan on it: in each of these
 * neighbourhoods the model is the room's.
 */
static void
test_streets(void)
{
	static struct stage stage;
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 200,
		.start = CSCG_START_RANDOM,
		.respawn = true };
	long sure = 0, slow = 0, rewards = 0, right = 0;
	int i, n = 10;

	for (i = 0; i < n; i++) {
		struct cscg_room *room = neighbourhood((uint64_t)i);
		struct cscg_agent_plan_options set = planner(NULL);
		struct cscg_agent *agent;
		struct cscg_model *m;
		struct book b;

		serve.seed = (uint64_t)(905 + i);
		set.explore = "cover";
		set.until = CSCG_AGENT_UNTIL_TRIED;
		set.replan = CSCG_AGENT_REPLAN_STEP;
		stage_set(&stage, room, &serve, 1);
		agent = need(cscg_agent_plan_new(&stage.head, &set, &err));
		b = play(&stage, agent, true);
		m = need(cscg_agent_ground(agent, &err));
		right += same_moves(m, room, &b) &&
		    b.n_tried == room->n_nodes * room->n_actions;
		sure += b.sure;
		slow += b.slow;
		rewards += b.rewards;
		cscg_model_free(m);
		cscg_agent_free(agent);
		cscg_room_free(room);
	}
	ok(right == n, "streets: T is the neighbourhood's graph (%ld of %d)",
	    right, n);
	ok(sure > 10 * n && slow == 0,
	    "all %ld tasks after exploration take shortest paths", sure);
	ok(rewards > 15 * n, "streets: %.1f rewards", (double)rewards / n);
}

static struct book
inform(struct cscg_room *room, uint64_t seed, const char *pair, long episodes,
    bool new_world, long detour)
{
	static struct stage stage;
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 200,
		.start = CSCG_START_RANDOM,
		.respawn = true,
		.seed = seed };
	struct cscg_agent_game_options set = { .detour = detour,
		.inverse = &pair,
		.n_inverse = pair != NULL,
		.new_world = new_world };

	stage_set(&stage, room, &serve, episodes);
	return play(&stage, cscg_agent_game_new(&stage.head, &set, &err),
	    false);
}

static void
test_informed(void)
{
	static struct stage stage;
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 30,
		.start = CSCG_START_RANDOM,
		.respawn = true,
		.seed = 3 };
	struct cscg_agent_game_options set = { .detour = 3 };
	long with = 0, without = 0, known = 0, same = 0, nearest = 0,
	     goal_first = 0;
	struct cscg_room *room;
	struct cscg_agent *agent;
	struct cscg_model *m;
	struct book b;
	int i, n = 10;

	for (i = 0; i < n; i++) {
		room = neighbourhood((uint64_t)i);
		b = inform(room, (uint64_t)(920 + i), "1,2", 2, true, 3);
		with += b.rewards;
		without += inform(room, (uint64_t)(920 + i), NULL, 2, true, 3)
			       .rewards;
		known += inform(room, (uint64_t)(920 + i), "1,2", 2, false, 3)
			     .rewards;
		same += inform(room, (uint64_t)(920 + i), "1,2", 2, true, -1)
			    .rewards == b.rewards;
		nearest += inform(room, (uint64_t)(920 + i), "1,2", 2, true, 0)
			       .rewards;
		goal_first += inform(room, (uint64_t)(920 + i), "1,2", 2, true,
		    1000)
				  .rewards;
		cscg_room_free(room);
	}
	ok(with > 27 * 2 * n, "streets, informed: %.1f rewards",
	    (double)with / 2 / n);
	ok(with > without + 2 * 2 * n,
	    "inverse actions increase the rewards: %.1f without them",
	    (double)without / 2 / n);
	ok(known > with + 2 * 2 * n,
	    "a map kept over episodes increases the rewards: %.1f",
	    (double)known / 2 / n);
	ok(same == n, "a detour of 3 actions is the default");
	ok(nearest != with && goal_first != with,
	    "another detour gives another run: %.1f rewards with 0, %.1f "
	    "without limit",
	    (double)nearest / 2 / n, (double)goal_first / 2 / n);

	room = neighbourhood(1);
	stage_set(&stage, room, &serve, 1);
	agent = need(cscg_agent_game_new(&stage.head, &set, &err));
	b = play(&stage, agent, true);
	m = need(cscg_agent_ground(agent, &err));
	ok(same_moves(m, room, &b) &&
		b.n_tried < room->n_nodes * room->n_actions &&
		m->first[m->n_states * m->n_actions] == b.n_tried,
	    "after 30 steps the model has exactly the transitions taken");
	cscg_model_free(m);
	cscg_agent_free(agent);
	cscg_room_free(room);
}

static void
test_informed_refuses(void)
{
	static const char *const names[] = { "go", "left", "right", "take",
		NULL };
	const char *bad = "left,fly", *one = "left";
	struct cscg_env_header head = { .head = { .n_actions = 4, .n_obs = 9 },
		.collect = -1 };
	struct cscg_agent_game_options set = { .inverse = &bad,
		.n_inverse = 1 };

	need(cscg_names_set(&head.head.actions, names, &err) < 0 ? NULL :
								   &set);
	ok(!cscg_agent_game_new(&head, &set, &err) &&
		err.code == CSCG_EMISMATCH,
	    "an environment without collect is refused");
	head.collect = 3;
	ok(!cscg_agent_game_new(&head, &set, &err) &&
		err.code == CSCG_EUSAGE &&
		!strcmp(err.msg,
		    "'fly' is not an action of the environment, nor a number "
		    "in 0..3"),
	    "an unknown inverse action is refused");
	set.inverse = &one;
	ok(!cscg_agent_game_new(&head, &set, &err) &&
		err.code == CSCG_EUSAGE &&
		!strcmp(err.msg, "'left' is not a pair of actions"),
	    "an inverse pair of one action is refused");
	cscg_walk_header_free(&head.head);
}

int
main(void)
{
	test_tracker();
	test_tracked_model();
	test_tracker_refuses();
	test_cover();
	test_streets();
	test_informed();
	test_informed_refuses();
	return done();
}
