/*
 * agent_match - identification of the model of a place by acting
 *
 * Results are those of the environment: true nodes, and distances to goals.
 */
#include <limits.h>
#include <string.h>

#include "plan/agent_match.h"
#include "stage.h"
#include "tap.h"

enum { MODELS = 4 };

/* Rooms and their models. */
struct library {
	int n;
	struct cscg_room *room[MODELS];
	struct cscg_model *model[MODELS];
	char *name[MODELS];
};

static void
add(struct library *lib, struct cscg_room *room, const char *name, bool memory)
{
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	if (!memory)
		cscg_model_unground(m, CSCG_CLONES);
	lib->room[lib->n] = room;
	lib->model[lib->n] = m;
	lib->name[lib->n++] = (char *)name;
}

static void
library_free(struct library *lib)
{
	int i;

	for (i = 0; i < lib->n; i++) {
		cscg_model_free(lib->model[i]);
		cscg_room_free(lib->room[i]);
	}
	lib->n = 0;
}

/* Results of a run. */
struct sums {
	struct cscg_agent *agent;
	int truth;
	long episodes, reached, right, steps, late, rewards, due;
	int last; /* model of the last episode */
};

static int
on_episode(void *ctx, const struct cscg_agent_episode *p, struct cscg_err *e)
{
	struct sums *s = ctx;
	struct cscg_agent_match_result v;

	(void)e;
	cscg_agent_match_get_result(s->agent, &v);
	s->episodes++;
	s->reached += p->reached;
	s->right += v.best == s->truth;
	s->steps += p->steps;
	s->rewards += p->rewards;
	s->last = v.best;
	s->due = 0;
	return 0;
}

/* A goal at distance d is collected after d steps and one more action. */
static int
on_turn(void *ctx, const struct cscg_agent_step *turn, struct cscg_err *e)
{
	struct sums *s = ctx;

	(void)e;
	if (turn->obs.goal < 0)
		return 0;
	if (turn->t == 0 || turn->obs.reward > 0) {
		s->late += turn->t > 0 && turn->t != s->due;
		s->due = turn->t + (long)turn->obs.distance + 1;
	}
	return 0;
}

static struct cscg_agent_match_options
setting(const struct library *lib)
{
	return (struct cscg_agent_match_options){ .model = lib->model,
		.name = lib->name,
		.n = lib->n,
		.confidence = -1,
		.verify = 20,
		.new_world = true,
		.seed = 42 };
}

static struct stage stage;

static struct sums
play(struct cscg_room *room, int truth, const struct cscg_serve_options *serve,
    const struct cscg_agent_match_options *set, long episodes, long max_steps,
    struct cscg_model **kept)
{
	struct sums sums = { .truth = truth };
	struct cscg_agent_run_options how = { .max_steps = max_steps,
		.on_step = on_turn,
		.on_episode = on_episode,
		.ctx = &sums };
	struct cscg_agent_env world = { &stage.head, stage_observe, stage_act,
		&stage };
	long played, missed;

	stage_set(&stage, room, serve, episodes);
	sums.agent = need(cscg_agent_match_new(&stage.head, set, &err));
	need(cscg_agent_run(sums.agent, &world, &how, &played, &missed, &err) <
		    0 ?
		NULL :
		sums.agent);
	need(played != sums.episodes ||
		    missed != sums.episodes - sums.reached ?
		NULL :
		sums.agent);
	if (kept)
		*kept = need(cscg_agent_ground(sums.agent, &err));
	cscg_agent_free(sums.agent);
	cscg_serve_free(stage.serve);
	return sums;
}

/* ---- identification ---- */

static void
test_find(void)
{
	struct library lib = { 0 };
	struct cscg_serve_options serve = {
		.permute = true, .seed = 5, .start = CSCG_START_RANDOM
	};
	struct cscg_agent_match_options set;
	struct sums s;
	long active = 0, any = 0;
	int i, first[2];

	add(&lib, shape_room(CSCG_RECTANGLE, 5, 6), "rectangle", false);
	add(&lib, shape_room(CSCG_TORUS, 5, 6), "torus", false);
	add(&lib, shape_room(CSCG_CYLINDER, 5, 6), "cylinder", false);
	set = setting(&lib);
	for (i = 0; i < 3; i++) {
		set.explore = NULL;
		s = play(lib.room[i], i, &serve, &set, 20, 200, NULL);
		active += s.steps;
		/* Posterior .95, and verified: one in twenty may be wrong. */
		ok(s.reached == 20 && s.right >= 19,
		    "%s: found in %ld of 20 (%g steps, 20 of them to verify)",
		    lib.name[i], s.right, s.steps / 20.);
		set.explore = "random";
		s = play(lib.room[i], i, &serve, &set, 20, 200, NULL);
		any += s.steps;
	}
	ok(active < any,
	    "information gain identifies the model earlier than a random walk "
	    "(%ld, %ld)",
	    active, any);
	set.explore = NULL;
	play(lib.room[1], 1, &serve, &set, 1, 30, NULL);
	memcpy(first, stage.z + 5, sizeof first);
	i = stage.z[25];
	play(lib.room[1], 1, &serve, &set, 1, 30, NULL);
	ok(!memcmp(first, stage.z + 5, sizeof first) && i == stage.z[25],
	    "a seed fixes the actions");
	s = play(lib.room[0], 0, &serve, &set, 3, 1, NULL);
	ok(s.reached == 0, "one step does not identify the model");
	set.confidence = 0;
	set.verify = 2;
	s = play(lib.room[0], 0, &serve, &set, 3, 200, NULL);
	ok(s.reached == 3 && s.steps == 3 * 2,
	    "with a threshold of 0 the model is verified for exactly the "
	    "steps given");
	library_free(&lib);
}

/* Two actions along a ring, which are not up, down, left or right. */
static void
test_ring(void)
{
	static const int obs[] = { 0, 1, 2, 3, 4 };
	static const int line[] = { 1, 2, 3, 4, 4, 0, 0, 1, 2, 3 };
	static const int ring[] = { 1, 2, 3, 4, 0, 4, 0, 1, 2, 3 };
	struct library lib = { 0 };
	struct cscg_serve_options serve = {
		.permute = true, .seed = 1, .start = CSCG_START_RANDOM
	};
	struct cscg_agent_match_options set;
	struct sums s;
	int i;

	add(&lib, hand_room(5, 2, 5, obs, line), "line", false);
	add(&lib, hand_room(5, 2, 5, obs, ring), "ring", false);
	set = setting(&lib);
	for (i = 0; i < 2; i++) {
		s = play(lib.room[i], i, &serve, &set, 20, 60, NULL);
		ok(s.right == 20 && s.reached == 20,
		    "two actions: the %s is always identified (%g steps)",
		    lib.name[i], s.steps / 20.);
	}
	library_free(&lib);
}

/* ---- verification ---- */

/*
 * A line has walls at its ends, a ring has none.  A ring of five explains a
 * blocked action by a jump of probability .1 / 5, which costs log 50 = 3.9
 * nats; so one gives the line a posterior of .95, and 10 nats take at least
 * three.  To try all actions, one at each end is enough.  Then the others are
 * tried, with at most four steps to each of ten.
 */
static void
test_doubt(void)
{
	static const int obs[] = { 0, 1, 2, 3, 4 };
	static const int line[] = { 1, 2, 3, 4, 4, 0, 0, 1, 2, 3 };
	static const int ring[] = { 1, 2, 3, 4, 0, 4, 0, 1, 2, 3 };
	struct library lib = { 0 };
	struct cscg_serve_options serve = {
		.permute = true, .seed = 4, .start = CSCG_START_RANDOM
	};
	struct cscg_agent_match_options set;
	unsigned char did[5][2] = { { 0 } };
	long t, bumps = 0, tried = 0;
	struct sums s;

	add(&lib, hand_room(5, 2, 5, obs, line), "line", false);
	add(&lib, hand_room(5, 2, 5, obs, ring), "ring", false);
	set = setting(&lib);
	set.verify = 0;
	s = play(lib.room[0], 0, &serve, &set, 1, 1000, NULL);
	for (t = 0; t + 1 < stage.n; t++) {
		bumps += stage.z[t] == stage.z[t + 1];
		tried += !did[stage.z[t]][stage.a[t]];
		did[stage.z[t]][stage.a[t]] = 1;
	}
	ok(s.right == 1 && s.reached == 1 && bumps >= 3 && bumps < 10,
	    "the line is identified, then verified at the walls (%ld times)",
	    bumps);
	ok(tried == 10 && s.steps <= 10 + 5 * 10,
	    "verification without limit tries all actions (%ld steps)",
	    s.steps);
	library_free(&lib);
}

/* ---- all actions are tried ---- */

static void
test_verify(enum cscg_shape_kind kind)
{
	struct library lib = { 0 };
	struct cscg_serve_options serve = {
		.permute = true, .seed = 8, .start = CSCG_START_RANDOM
	};
	struct cscg_model *kept;
	struct cscg_agent_match_options set;
	unsigned char did[64][4] = { { 0 } };
	int n, shown[64] = { 0 }, seen[64] = { 0 }, j, x, a, tried = 0;
	bool same = true;
	struct sums s;
	long t;

	add(&lib, shape_room(kind, 5, 6), "room", false);
	set = setting(&lib);
	set.verify = 0;
	n = lib.room[0]->n_nodes;
	s = play(lib.room[0], 0, &serve, &set, 1, 2000, &kept);
	for (t = 0; t + 1 < stage.n; t++)
		did[stage.z[t]][stage.a[t]] = 1;
	for (j = 0; j < n; j++)
		for (a = 0; a < 4; a++)
			tried += did[j][a];
	ok(s.reached == 1 && tried == 4 * n && s.steps < 2000,
	    "a single schema is verified until all actions are tried: %d of "
	    "%d in %ld steps",
	    tried, 4 * n, s.steps);
	/* Each symbol has as many states as nodes. */
	for (j = 0; j < n; j++)
		for (x = 0; x < kept->n_obs; x++)
			shown[x] += cscg_model_E(kept, j, x) > .5;
	for (j = 0; j < n; j++)
		seen[lib.room[0]->obs[j]]++;
	/*
	 * Symbols were permuted: compare the sorted numbers of states per
	 * symbol.
	 */
	for (a = 1; a < n; a++) {
		int had = 0, has = 0;

		for (x = 0; x < kept->n_obs; x++) {
			has += shown[x] == a;
			had += seen[x] == a;
		}
		same &= has == had;
	}
	ok(kept->kind == CSCG_GROUNDED && same,
	    "all groups of the saved model are bound");
	cscg_model_free(kept);
	library_free(&lib);
}

/* ---- goals ---- */

static void
test_goals(void)
{
	struct library lib = { 0 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_goal start = { .kind = CSCG_GOAL_START, .state = -1 };
	struct cscg_goal three = {
		.kind = CSCG_GOAL_SYMBOL, .symbol = "3", .state = -1
	};
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 300,
		.start = CSCG_START_UNIQUE,
		.seed = 5 };
	struct cscg_agent_match_options set;
	struct sums s;

	add(&lib, shape_room(CSCG_RECTANGLE, 6, 7), "old", true);
	set = setting(&lib);
	set.goal = &env;
	s = play(lib.room[0], 0, &serve, &set, 5, 0, NULL);
	ok(s.rewards > 5 * 30 && s.late == 0,
	    "a grounded model: all %ld rewards after a shortest path",
	    s.rewards);
	add(&lib, shape_room(CSCG_RECTANGLE, 6, 7), "schema", false);
	set = setting(&lib);
	set.goal = &env;
	s = play(lib.room[0], 0, &serve, &set, 5, 0, NULL);
	ok(s.rewards > 5 * 25 && s.right == 5,
	    "a grounded model has precedence over a schema in its room (%ld "
	    "rewards)",
	    s.rewards);
	serve.permute = true;
	s = play(lib.room[1], 1, &serve, &set, 5, 0, NULL);
	ok(s.rewards > 5 * 15 && s.right == 5,
	    "in another room the schema is used and bound (%ld rewards)",
	    s.rewards);
	serve.task = CSCG_TASK_NONE;
	set.goal = &three;
	s = play(lib.room[1], 1, &serve, &set, 5, 0, NULL);
	ok(s.reached == 5, "a goal symbol is reached in an unknown room");
	serve.task = CSCG_TASK_RETURN;
	set.goal = &start;
	set.confidence = .999;
	s = play(lib.room[1], 1, &serve, &set, 5, 300, NULL);
	ok(s.reached == 5, "the start is reached in an unknown room");
	library_free(&lib);
}

/*
 * A goal that is a state: the agent ends in it, though other states emit its
 * symbol and the belief is uniform at first.
 */
static void
test_goal_state(void)
{
	static const int state[] = { 0, 5, 20 };
	struct library lib = { 0 };
	struct cscg_goal goal = { .kind = CSCG_GOAL_STATE };
	struct cscg_serve_options serve = { .start = CSCG_START_RANDOM };
	struct cscg_agent_match_options set;
	struct sums s;
	int node_of[64], reached = 0, right = 0, i;

	add(&lib, shape_room(CSCG_RECTANGLE, 6, 7), "room", true);
	cscg_model_free(
	    need(cscg_room_model(lib.room[0], 100, 1e-4, node_of, &err)));
	set = setting(&lib);
	set.goal = &goal;
	for (i = 0; i < 30; i++) {
		goal.state = state[i % 3];
		serve.seed = (uint64_t)i;
		s = play(lib.room[0], 0, &serve, &set, 1, 1000, NULL);
		reached += (int)s.reached;
		right += stage.z[s.steps] == node_of[goal.state];
	}
	ok(reached == 30 && right == 30,
	    "a state is reached in %d of 30 runs, truly in %d", reached,
	    right);
	library_free(&lib);
}

/* ---- detours ---- */

enum {
	RIGHT,
	LEFT,
	UP,   /* a wall */
	BACK, /* to the first cell */
	MOVES,
	CELLS = 40,
	DETOURS_FROM = 400, /* moves */
};

/*
 * A line of cells with symbols of their own.  Goals are the first two cells in
 * turn; after some moves, a symbol that no cell has.
 */
struct line {
	int cells, n_moves;     /* n_moves is the action that collects */
	long n, steps;          /* actions so far, and in all */
	long moves, goal_moves; /* moves so far, and with a goal */
	int cell, goal;         /* the present ones */
	bool did[CELLS][MOVES]; /* moves that were tried */
	int far;                /* cell furthest from the first */
	int walls;              /* moves up that were tried first */
	long first_detour;      /* the first move out of the first two cells */
	int before; /* the move before, -1 if it was untried until then */
	int turns;  /* ways outwards that ended without an untried move */
	int backs; /* moves back from other cells before all walls were tried */
	int frontier; /* cell whose wall is a frontier of the model; 0: none */
	int walls_first; /* of the other cells, tried before that frontier */
	long rewards;
	bool is_collected;
};

static int
line_next(const struct line *l, int cell, int a)
{
	if (a == RIGHT)
		return cell + (cell < l->cells - 1);
	return a == LEFT ? cell - (cell > 0) : a == UP ? cell : 0;
}

static int
line_observe(void *ctx, struct cscg_env_obs *obs, struct cscg_err *e)
{
	struct line *l = ctx;

	(void)e;
	if (l->n > l->steps)
		return 0;
	*obs = (struct cscg_env_obs){ .x = l->cell,
		.goal = l->moves < l->goal_moves ? l->goal : l->cells,
		.z = l->cell,
		.reward = l->is_collected,
		.distance = NAN,
		.done = l->n == l->steps };
	l->n += l->n == l->steps;
	return 1;
}

static void
note_move(struct line *l, int a)
{
	bool is_new = !l->did[l->cell][a];

	l->turns += a == LEFT && l->cell > 1 && l->before == RIGHT;
	l->backs += a == BACK && l->cell > 1 && l->walls < l->cells;
	if (a == UP && is_new && l->cell == l->frontier)
		l->walls_first = l->walls;
	l->walls += a == UP && is_new;
	l->before = is_new ? -1 : a;
	l->did[l->cell][a] = true;
	l->moves++;
}

static int
line_act(void *ctx, int a, struct cscg_err *e)
{
	struct line *l = ctx;

	(void)e;
	l->n++;
	l->is_collected = a == l->n_moves && l->cell == l->goal;
	if (l->is_collected) {
		l->rewards++;
		l->goal = 1 - l->goal;
	}
	if (a < 0 || a == l->n_moves)
		return 0;
	note_move(l, a);
	l->cell = line_next(l, l->cell, a);
	if (l->cell > l->far)
		l->far = l->cell;
	if (l->cell > 1 && !l->first_detour)
		l->first_detour = l->moves;
	return 0;
}

/* An agent that knows the line plays one episode. */
static void
play_line(struct line *l)
{
	struct library lib = { 0 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_env_header head = { .head = { .n_actions = l->n_moves + 1,
					    .n_obs = l->cells + 1 },
		.collect = l->n_moves };
	struct cscg_agent_env world = { &head, line_observe, line_act, l };
	struct cscg_agent_run_options how = { .max_steps = 0 };
	int obs[CELLS], next[MOVES * CELLS], v, a;
	struct cscg_agent_match_options set;
	struct cscg_agent *agent;
	long played, missed;

	for (v = 0; v < l->cells; v++) {
		obs[v] = v;
		for (a = 0; a < l->n_moves; a++)
			next[a * l->cells + v] = line_next(l, v, a);
	}
	add(&lib, hand_room(l->cells, l->n_moves, l->cells, obs, next), "line",
	    true);
	need(cscg_model_set_frontiers(lib.model[0],
		 &(struct cscg_frontier){ l->frontier, UP }, l->frontier > 0,
		 &err) < 0 ?
		NULL :
		l);
	set = setting(&lib);
	set.goal = &env;
	agent = need(cscg_agent_match_new(&head, &set, &err));
	need(cscg_agent_run(agent, &world, &how, &played, &missed, &err) < 0 ?
		NULL :
		agent);
	cscg_agent_free(agent);
	library_free(&lib);
}

/*
 * Goals are in the first two cells.  After 400 moves the agent explores, one
 * move in ten, the nearest untried one first.  The way to a move at distance d
 * and the move itself are d + 1 moves in a row; then the agent returns.  The moves
 * outwards from N cells are 1 + 2 + ... + N of these, and need ten times as many
 * moves in all, besides as many actions that collect.
 */
static void
test_detours(void)
{
	enum { N = 8 };
	struct line l = { .cells = N,
		.n_moves = 2,
		.steps = 2 * (DETOURS_FROM + 10 * (N * N + N) / 2),
		.goal_moves = LONG_MAX,
		.goal = 1,
		.before = -1 };
	int v, n_done = 0;

	play_line(&l);
	for (v = 0; v < N; v++)
		n_done += l.did[v][RIGHT] + l.did[v][LEFT];
	ok(l.first_detour > DETOURS_FROM,
	    "goals alone are pursued at first: the first detour is move %ld",
	    l.first_detour);
	ok(l.far == N - 1 && n_done == 2 * N,
	    "detours reach the other end: cell %d, %d moves are tried", l.far,
	    n_done);
	ok(l.turns == 0,
	    "a detour ends with the move that it is for (%d do not)", l.turns);
	/* One move to each goal, and to return from a detour as many as there. */
	ok(l.rewards > l.moves - 2 * (l.moves - DETOURS_FROM) / 10 - N,
	    "the other moves lead to goals: %ld of %ld", l.rewards, l.moves);
}

/*
 * Without a plan walls are tried first, since they may be doors, then other
 * moves; the shortest way to a wall is never back to the first cell.  A detour
 * would be for any move.
 */
static void
test_no_detour(void)
{
	struct line l = { .cells = CELLS,
		.n_moves = MOVES,
		.steps = 2 * DETOURS_FROM + 10 * CELLS,
		.goal_moves = DETOURS_FROM,
		.goal = 1,
		.before = -1 };

	play_line(&l);
	ok(l.walls == CELLS && l.backs == 0,
	    "without a plan there is no detour: %d walls are tried, after %d "
	    "moves back",
	    l.walls, l.backs);
}

/*
 * A frontier is tried before a wall that is two steps nearer at most.  From the
 * first cell the wall there and that of the second cell are nearer by three or
 * more to the frontier of the fifth.
 */
static void
test_frontier(void)
{
	static const int frontier[] = { 1, 4 };
	int i;

	for (i = 0; i < 2; i++) {
		struct line l = { .cells = CELLS,
			.n_moves = BACK,
			.steps = CELLS,
			.goal = 1,
			.before = -1,
			.frontier = frontier[i],
			.walls_first = -1 };

		play_line(&l);
		ok(i ? l.walls_first >= 2 : l.walls_first == 0,
		    "a frontier %d steps away is tried after %d walls",
		    frontier[i], l.walls_first);
	}
}

/* ---- errors ---- */

static void
test_faults(void)
{
	struct library lib = { 0 };
	struct cscg_goal state = { .kind = CSCG_GOAL_STATE, .state = 0 };
	struct cscg_goal gone = { .kind = CSCG_GOAL_SYMBOL, .symbol = "99" };
	struct cscg_env_header head = {
		.head = { .n_actions = 4, .n_obs = 31 }, .collect = -1
	};
	struct cscg_agent_match_options set;

	add(&lib, shape_room(CSCG_RECTANGLE, 4, 5), "one", false);
	add(&lib, shape_room(CSCG_TORUS, 4, 5), "two", false);
	set = setting(&lib);
	set.goal = &state;
	ok(!cscg_agent_match_new(&head, &set, &err) && err.code == CSCG_EUSAGE,
	    "a goal state is refused: %s", err.msg);
	set.goal = &gone;
	ok(!cscg_agent_match_new(&head, &set, &err) && err.code == CSCG_EUSAGE,
	    "an unknown goal symbol is refused: %s", err.msg);
	set.goal = NULL;
	set.explore = "cover";
	ok(!cscg_agent_match_new(&head, &set, &err) && err.code == CSCG_EUSAGE,
	    "exploration by cover is refused: %s", err.msg);
	set.explore = NULL;
	cscg_model_unground(lib.model[1], CSCG_SCHEMA);
	ok(!cscg_agent_match_new(&head, &set, &err) &&
		err.code == CSCG_EMISMATCH &&
		!strcmp(err.msg,
		    "'two': no clone structure, which tracking bindings "
		    "requires"),
	    "a schema without clones is refused: %s", err.msg);
	library_free(&lib);
}

int
main(void)
{
	test_find();
	test_ring();
	test_doubt();
	test_verify(CSCG_RECTANGLE);
	test_verify(CSCG_TORUS);
	test_goals();
	test_goal_state();
	test_detours();
	test_no_detour();
	test_frontier();
	test_faults();
	return done();
}
