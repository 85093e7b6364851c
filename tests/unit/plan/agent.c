/* agent - acting in rooms: plans, exploration, bindings, and end of episodes */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "plan/agent_plan.h"
#include "plan/explore.h"
#include "kernel/cpu.h"
#include "plan/plan.h"
#include "stage.h"
#include "tap.h"

/* Results of a run. */
struct sums {
	long episodes, reached, there, plans, steps, rewards;
	double distance;
	long turns, late;    /* late: rewards after the shortest path */
	long due;            /* when the next reward is due */
	clock_t last, worst; /* CPU time: of the last turn, of the longest */
};

static int
on_episode(void *ctx, const struct cscg_agent_episode *p, struct cscg_err *e)
{
	struct sums *s = ctx;

	(void)e;
	s->episodes++;
	s->reached += p->reached;
	s->there += p->distance == 0;
	s->plans += p->plans;
	s->steps += p->steps;
	s->rewards += p->rewards;
	s->distance += p->distance;
	s->due = 0;
	return 0;
}

/* A goal at distance d is collected after d steps and one more action. */
static int
on_turn(void *ctx, const struct cscg_agent_step *turn, struct cscg_err *e)
{
	struct sums *s = ctx;

	clock_t now = clock();

	(void)e;
	if (s->turns++ && now - s->last > s->worst)
		s->worst = now - s->last;
	s->last = now;
	if (turn->obs.goal < 0 || isnan(turn->obs.distance))
		return 0;
	if (turn->t == 0 || turn->obs.reward > 0) {
		s->late += turn->t > 0 && turn->t != s->due;
		s->due = turn->t + (long)turn->obs.distance + 1;
	}
	return 0;
}

static struct sums
play(struct cscg_room *room, const struct cscg_serve_options *serve,
    const struct cscg_agent_plan_options *set, long episodes, long max_steps)
{
	static struct stage stage;
	struct sums sums = { 0 };
	struct cscg_agent_run_options how = { .max_steps = max_steps,
		.on_step = on_turn,
		.on_episode = on_episode,
		.ctx = &sums };
	struct cscg_agent_env world = { &stage.head, stage_observe, stage_act,
		&stage };
	struct cscg_agent *agent;
	long played, missed;

	stage_set(&stage, room, serve, episodes);
	agent = need(cscg_agent_plan_new(&stage.head, set, &err));
	need(cscg_agent_run(agent, &world, &how, &played, &missed, &err) < 0 ?
		NULL :
		agent);
	need(played != sums.episodes ||
		    missed != sums.episodes - sums.reached ?
		NULL :
		agent);
	cscg_agent_free(agent);
	cscg_serve_free(stage.serve);
	return sums;
}

static const struct cscg_simd *
kernel(void)
{
	const struct cscg_simd *simd;

	need(cscg_cpu_choose_simd("auto", &simd, &err) < 0 ? NULL : &simd);
	return simd;
}

static struct cscg_agent_plan_options
planner(const struct cscg_model *m, const struct cscg_goal *goal)
{
	struct cscg_agent_plan_options set = {
		.knowledge = { .model = m,
		    .seed = 42,
		    .threads = 1,
		    .simd = kernel() },
		.goal = goal,
		.explore = "random",
		.confidence = .5,
		.surprise = 1e-4,
	};

	return set;
}

/* ---- a grounded model: shortest path to the goal ---- */

static void
test_grounded(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 8, 9);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 400,
		.start = CSCG_START_UNIQUE,
		.seed = 5 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_goal state = { .kind = CSCG_GOAL_STATE, .state = 71 };
	struct cscg_goal start = { .kind = CSCG_GOAL_START, .state = -1 };
	struct cscg_agent_plan_options set = planner(m, &env);
	struct sums s;

	s = play(room, &serve, &set, 5, 0);
	ok(s.rewards > 5 * 40 && s.late == 0,
	    "goals of a known room: all %ld rewards at the distance, and one "
	    "to collect",
	    s.rewards);
	set.replan = CSCG_AGENT_REPLAN_STEP;
	s = play(room, &serve, &set, 5, 0);
	ok(s.rewards > 5 * 40 && s.late == 0,
	    "planning after each step gives shortest paths");
	set.replan = CSCG_AGENT_REPLAN_END;
	s = play(room, &serve, &set, 5, 0);
	ok(s.rewards > 5 * 40 && s.late == 0,
	    "plans carried out to the end give shortest paths");
	set.replan = CSCG_AGENT_REPLAN_FAIL;

	serve.task = CSCG_TASK_RETURN;
	s = play(room, &serve, &set, 20, 0);
	ok(s.reached == 20 && s.steps == 0 && s.plans == 0,
	    "a goal at the start needs no action");
	set.explore_steps = 60;
	s = play(room, &serve, &set, 20, 0);
	ok(s.reached == 20 && s.there == 20 && s.plans <= 20 && s.plans > 10,
	    "exploration and return with one plan each (%ld), goal by "
	    "observation",
	    s.plans);
	set.goal = &start;
	s = play(room, &serve, &set, 20, 0);
	ok(s.reached == 20 && s.there == 20 && s.plans <= 20 && s.plans > 10,
	    "exploration and return with one plan each, goal by belief");
	s = play(room, &serve, &set, 20, 61);
	ok(s.reached < 10 && s.steps <= 20 * 61 && s.episodes == 20,
	    "a limit of steps ends episodes (%ld reached)", s.reached);
	set.goal = &state;
	set.explore_steps = 0;
	s = play(room, &serve, &set, 20, 0);
	ok(s.reached == 20, "a state as goal is reached");
	cscg_model_free(m);
	cscg_room_free(room);
}

/* The model has a door that the room lacks: the goal cannot be reached. */
static void
test_give_up(void)
{
	struct cscg_grid *g = need(cscg_grid_new(1, 4, true, &err));
	struct cscg_room *open = need(cscg_grid_to_room(g, false, &err)),
			 *shut;
	struct cscg_model *m = need(cscg_room_model(open, 100, 1e-2, NULL,
	    &err));
	struct cscg_serve_options serve = { .start = 0, .seed = 1 };
	struct cscg_goal goal = { .kind = CSCG_GOAL_SYMBOL, .symbol = "3" };
	struct cscg_agent_plan_options set = planner(m, &goal);
	struct sums s;

	g->blocked[1] |= 1 << CSCG_RIGHT;
	shut = need(cscg_grid_to_room(g, false, &err));
	set.max_plans = 7;
	s = play(open, &serve, &set, 1, 0);
	ok(s.reached == 1 && s.steps == 3 && s.plans == 1,
	    "a free path takes three steps");
	goal.kind = CSCG_GOAL_STATE;
	goal.state = 3;
	s = play(open, &serve, &set, 1, 3);
	ok(s.reached == 1 && s.steps == 3,
	    "the last step of a run may reach a goal that is a state");
	s = play(open, &serve, &set, 1, 2);
	ok(s.reached == 0, "the step before does not");
	goal.kind = CSCG_GOAL_SYMBOL;
	s = play(shut, &serve, &set, 1, 0);
	/* One step, then the wall, and six times more. */
	ok(s.reached == 0 && s.plans == 7 && s.steps == 8,
	    "a wall that is not on the map: %ld plans and %ld steps", s.plans,
	    s.steps);
	set.replan = CSCG_AGENT_REPLAN_END;
	s = play(shut, &serve, &set, 1, 0);
	/* Three steps; then two from the second cell, six times. */
	ok(s.reached == 0 && s.plans == 7 && s.steps == 15,
	    "plans carried out to the end: %ld plans and %ld steps", s.plans,
	    s.steps);
	cscg_room_free(open);
	cscg_room_free(shut);
	cscg_model_free(m);
	cscg_grid_free(g);
}

/* The probability of an observation below which a plan has failed. */
static void
test_surprise(void)
{
	struct cscg_grid *g = need(cscg_grid_new(1, 6, true, &err));
	struct cscg_room *room = need(cscg_grid_to_room(g, false, &err));
	struct cscg_room *slips = need(cscg_grid_to_room(g, false, &err));
	struct cscg_serve_options serve = { .start = 0, .seed = 1 };
	struct cscg_goal goal = { .kind = CSCG_GOAL_SYMBOL, .symbol = "5" };
	struct cscg_agent_plan_options set;
	struct cscg_model *m;
	struct sums s;

	/*
	 * In the model an action succeeds with probability .8; in the room,
	 * always.
	 */
	need(cscg_room_slip(slips, .2, &err) < 0 ? NULL : slips);
	m = need(cscg_room_model(slips, 100, 0, NULL, &err));
	set = planner(m, &goal);
	set.confidence = .1;
	s = play(room, &serve, &set, 1, 0);
	ok(s.reached == 1 && s.steps == 5 && s.plans == 1,
	    "transitions of probability .8 do not fail a plan: %ld plans",
	    s.plans);
	set.surprise = -1;
	s = play(room, &serve, &set, 1, 0);
	ok(s.reached == 1 && s.steps == 5 && s.plans == 1,
	    "nor do they with the default threshold");
	set.surprise = .7;
	s = play(room, &serve, &set, 1, 0);
	ok(s.reached == 1 && s.steps == 5 && s.plans == 1,
	    "nor do they with a threshold of .7");
	set.surprise = .95;
	s = play(room, &serve, &set, 1, 0);
	ok(s.reached == 1 && s.steps == 5 && s.plans == 5,
	    "with a threshold of .95 each step fails the plan: %ld plans",
	    s.plans);
	cscg_room_free(room);
	cscg_room_free(slips);
	cscg_model_free(m);
	cscg_grid_free(g);
}

/* ---- a schema: bind it, and return to the start ---- */

static struct cscg_model *
schema(int rows, int cols)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, rows, cols);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));

	cscg_model_unground(m, CSCG_CLONES);
	cscg_room_free(room);
	return m;
}

/*
 * As in the paper: 200 steps, each action three times, then back to the start.
 */
static struct sums
shortcut(struct cscg_room *room, const struct cscg_model *m, double smooth,
    long walks, int threads)
{
	struct cscg_goal start = { .kind = CSCG_GOAL_START, .state = -1 };
	struct cscg_serve_options serve = { .task = CSCG_TASK_RETURN,
		.start = CSCG_START_UNIQUE,
		.permute = true,
		.seed = 1001 };
	struct cscg_agent_plan_options set = planner(m, &start);

	set.knowledge.smooth = smooth;
	set.knowledge.restarts = 10;
	set.knowledge.threads = threads;
	set.explore = "repeat:3";
	set.explore_steps = 200;
	set.best = set.new_world = true;
	set.replan = CSCG_AGENT_REPLAN_END;
	set.max_plans = 20;
	return play(room, &serve, &set, walks, 0);
}

static void
test_shortcut(void)
{
	struct cscg_model *m = schema(8, 9);
	struct cscg_room *same = shape_room(CSCG_RECTANGLE, 8, 9);
	struct cscg_room *larger = shape_room(CSCG_RECTANGLE, 11, 12);
	struct sums s = shortcut(same, m, .2, 25, 1), t, u;

	ok(s.there >= 24 && s.plans <= 30,
	    "a room of the schema's size: %ld of 25 return, by %ld plans",
	    s.there, s.plans);
	s = shortcut(same, m, 0, 25, 1);
	ok(s.there >= 24 && s.plans <= 30,
	    "without smoothing %ld of 25 return, by %ld plans", s.there,
	    s.plans);
	t = shortcut(larger, m, .2, 15, 1);
	u = shortcut(larger, m, 0, 15, 1);
	ok(t.distance * 1.5 < u.distance,
	    "in a larger room smoothing helps: %.2f, not %.2f from the goal",
	    t.distance / 15, u.distance / 15);
	ok(t.plans > 15 * 2, "smoothing takes more plans (%ld of 15 walks)",
	    t.plans);
	s = shortcut(larger, m, .2, 15, 2);
	ok(t.steps == s.steps && t.plans == s.plans &&
		t.distance == s.distance,
	    "threads do not change the result");
	cscg_room_free(same);
	cscg_room_free(larger);
	cscg_model_free(m);
}

/* Goals in a room to which the schema is bound during the run. */
static void
test_bound(void)
{
	struct cscg_model *m = schema(10, 10);
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 10, 10);
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 200,
		.start = CSCG_START_RANDOM,
		.permute = true,
		.seed = 3 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_agent_plan_options set = planner(m, &env);
	struct sums s;
	clock_t began;
	double ms;

	set.explore = "frontier";
	set.confidence = .8;
	set.new_world = true;
	began = clock();
	s = play(room, &serve, &set, 5, 0);
	ms = 1e3 * (double)(clock() - began) / CLOCKS_PER_SEC /
	    (double)s.turns;
	/* A random walk collects one or none in an episode. */
	ok(s.rewards >= 5 * 5,
	    "a room with new symbols: %ld rewards in 5 * 200 steps",
	    s.rewards);
	ok(ms < 10,
	    "100 states, up to 200 steps: %.2f ms a step, %.2f at most", ms,
	    1e3 * (double)s.worst / CLOCKS_PER_SEC);
	serve.steps = 1000;
	serve.permute = false;
	set.new_world = false;
	s = play(room, &serve, &set, 2, 0);
	/* Later as in a known room: mean distance about 7, plus one. */
	ok(s.rewards >= 150,
	    "a binding is kept over episodes: %ld rewards in 2 * 1000",
	    s.rewards);
	cscg_model_free(m);
	cscg_room_free(room);
}

/* Untied bindings, and the number of EM updates. */
static void
test_untied(void)
{
	struct cscg_model *m = schema(4, 5);
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 5);
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 300,
		.start = CSCG_START_RANDOM,
		.permute = true,
		.seed = 3 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_agent_plan_options set = planner(m, &env);
	struct cscg_knowledge_options none = { .model = NULL };
	struct cscg_knowledge_options tied = { .model = m };
	struct cscg_knowledge_options untied = { .model = m, .untied = true };
	struct sums s, t;

	cscg_knowledge_defaults(&none);
	cscg_knowledge_defaults(&tied);
	cscg_knowledge_defaults(&untied);
	ok(none.iterations == 50 && tied.iterations == 50 && !tied.untied &&
		untied.iterations == 80,
	    "50 updates of a tied binding, 80 of an untied one");
	set.explore = "frontier";
	set.new_world = true;
	set.knowledge.untied = true;
	s = play(room, &serve, &set, 3, 0);
	ok(s.rewards >= 3 * 20, "untied binding: %ld rewards in 3 * 300 steps",
	    s.rewards);
	set.knowledge.iterations = 80;
	t = play(room, &serve, &set, 3, 0);
	ok(t.rewards == s.rewards && t.plans == s.plans && t.steps == s.steps,
	    "80 updates are the default of an untied binding");
	set.knowledge.iterations = 1;
	t = play(room, &serve, &set, 3, 0);
	ok(t.rewards != s.rewards || t.plans != s.plans,
	    "one update gives another run: %ld rewards", t.rewards);
	/* Without clone structure emissions cannot be tied. */
	cscg_model_unground(m, CSCG_SCHEMA);
	set.knowledge.untied = false;
	set.knowledge.iterations = 0;
	t = play(room, &serve, &set, 3, 0);
	ok(t.rewards == s.rewards && t.plans == s.plans,
	    "a schema without clone structure is bound untied by default");
	cscg_model_free(m);
	cscg_room_free(room);
}

/*
 * The game of the paper: a torus of 4 * 4 without aliasing, new symbols in each
 * episode, moved elsewhere after each reward, 100 steps.  With full knowledge
 * 31.6 rewards are possible on average; the paper has 17.3 with random and 26.4
 * with optimal exploration.
 */
static void
test_game(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 100,
		.start = CSCG_START_RANDOM,
		.respawn = true,
		.permute = true,
		.seed = 8 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_agent_plan_options set;
	struct cscg_model *m;
	struct sums s;

	cscg_room_label_unique(room);
	m = need(cscg_room_model(room, 100, 1e-4, NULL, &err));
	cscg_model_unground(m, CSCG_CLONES);
	set = planner(m, &env);
	set.new_world = true;
	set.confidence = .8;
	s = play(room, &serve, &set, 40, 0);
	ok(s.rewards >= 40 * 17, "the game, random exploration: %.1f rewards",
	    (double)s.rewards / 40);
	set.explore = "frontier";
	s = play(room, &serve, &set, 40, 0);
	ok(s.rewards >= 40 * 25 && s.rewards < 40 * 31.6,
	    "the game, frontier exploration: %.1f rewards",
	    (double)s.rewards / 40);
	cscg_model_free(m);
	cscg_room_free(room);
}

/* ---- no model: learn ---- */

static void
test_learning(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 4);
	struct cscg_serve_options serve = { .task = CSCG_TASK_GOALS,
		.steps = 300,
		.start = CSCG_START_RANDOM,
		.seed = 3 };
	struct cscg_goal env = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_agent_plan_options set = planner(NULL, &env);
	struct sums s, late;

	set.explore = "cover";
	set.explore_steps = 100;
	set.knowledge.restarts = 2;
	s = play(room, &serve, &set, 1, 0);
	/* 11 others, mean distance about 3.3 with the two ends, and one. */
	ok(s.rewards >= 40,
	    "a small room without a model: %ld rewards in 300 steps",
	    s.rewards);
	serve.steps = 100;
	set.explore = "random";
	set.explore_steps = 0;
	late = play(room, &serve, &set, 5, 0);
	ok(late.rewards >= 60,
	    "five short episodes without a model: %ld rewards", late.rewards);
	cscg_room_free(room);
}

/* ---- exploration ---- */

/* Act n times by an exploration policy; the stage records the actions. */
static void
wander(struct stage *stage, struct cscg_room *room, const char *word,
    const struct cscg_model *m, long n)
{
	struct cscg_serve_options serve = { .start = 0, .seed = 1 };
	struct cscg_goal goal = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_agent_plan_options set = planner(m, &goal);
	struct cscg_agent_env world = { &stage->head, stage_observe, stage_act,
		stage };
	struct cscg_agent_run_options how = { .episodes = 1, .max_steps = n };
	struct cscg_agent *agent;
	long played, missed;

	stage_set(stage, room, &serve, 1);
	set.explore = word;
	agent = need(cscg_agent_plan_new(&stage->head, &set, &err));
	need(cscg_agent_run(agent, &world, &how, &played, &missed, &err) < 0 ?
		NULL :
		agent);
	cscg_agent_free(agent);
	cscg_serve_free(stage->serve);
}

/* Steps until all nodes were visited, or all actions of all nodes tried. */
static long
covered(const struct stage *s, const struct cscg_room *room, bool pairs)
{
	int n = room->n_nodes * room->n_actions, left, *met;
	long t;

	left = pairs ? n : room->n_nodes;
	met = need(calloc((size_t)n, sizeof *met));
	for (t = 0; t < s->n && left; t++)
		left -= !met[pairs ? s->z[t] * room->n_actions + s->a[t] :
				     s->z[t]]++;
	free(met);
	return left ? -1 : t;
}

static void
test_explore(void)
{
	static const int turn[] = { 0, 0, 3, 1 };
	static struct stage s;
	struct cscg_room *room = shape_room(CSCG_TORUS, 6, 7);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	struct cscg_explore *ex;
	int seen[4] = { 0 }, right = 1, i;
	long t, pairs = 4L * room->n_nodes, nodes = room->n_nodes;

	wander(&s, room, "0,0,3,1", m, 100);
	for (t = 0; t < 100; t++)
		right &= s.a[t] == turn[t % 4];
	ok(right, "given actions are repeated");
	wander(&s, room, "repeat:3", m, 999);
	for (t = 0; t < 999; t++) {
		right &= t % 3 == 0 || s.a[t] == s.a[t - 1];
		seen[s.a[t]]++;
	}
	/* 333 choices, 83 of each, standard deviation 8: six of them. */
	for (i = 0; i < 4; i++)
		right &= abs(seen[i] / 3 - 83) < 48;
	ok(right, "repeat:K repeats each random action");
	wander(&s, room, "random:0,3", m, 999);
	memset(seen, 0, sizeof seen);
	for (t = 0; t < 999; t++)
		seen[s.a[t]]++;
	ok(!seen[1] && !seen[2] && abs(seen[0] - 499) < 100,
	    "random:ACTION,... draws only these actions");
	wander(&s, room, "cover", m, 2000);
	t = covered(&s, room, true);
	ok(t > 0 && 2 * t < 3 * pairs,
	    "cover: all %ld actions of all nodes in %ld steps", pairs, t);
	wander(&s, room, "frontier", m, 2000);
	t = covered(&s, room, false);
	ok(t > 0 && 2 * t < 3 * nodes, "frontier: all %ld nodes in %ld steps",
	    nodes, t);
	cscg_room_label_unique(room);
	wander(&s, room, "cover", NULL, 2000);
	t = covered(&s, room, true);
	ok(t > 0 && 2 * t < 3 * pairs, "cover without a model: %ld steps", t);

	ok(cscg_explore_check("repeat:x", &err) < 0 &&
		!strcmp(err.msg,
		    "'repeat:x' is not one of random, random:ACTION,..., "
		    "repeat:K, cover, frontier, ACTION,..."),
	    "repeat without a number is refused");
	ok(cscg_explore_check("repeat:0", &err) < 0 &&
		cscg_explore_check("", &err) < 0 &&
		cscg_explore_check("random:", &err) < 0,
	    "repeat:0, random: and an empty policy are refused");
	ex = cscg_explore_new("0,9", &s.head.head, -1, &err);
	ok(!ex && err.code == CSCG_EUSAGE &&
		!strcmp(err.msg,
		    "'9' is not an action of the environment, nor a number in "
		    "0..3"),
	    "an unknown action is refused");
	cscg_model_free(m);
	cscg_room_free(room);
}

/*
 * Moved from 0 to 1 after it has collected (action 2), and back to 0 by action
 * 1: nothing was tried at 0, so that either of its two actions may be next.
 */
static void
test_put_elsewhere(void)
{
	struct cscg_walk_header head = { .n_actions = 3, .n_obs = 2 };
	struct cscg_knowledge_options set = { .stationary = 2, .threads = 1 };
	struct cscg_explore *ex;
	struct cscg_knowledge *mind;
	int seen[3] = { 0 }, a;
	double p;
	long e;

	cscg_knowledge_defaults(&set);
	mind = need(cscg_knowledge_new(&head, &set, &err));
	ex = need(cscg_explore_new("cover", &head, 2, &err));
	need(cscg_knowledge_begin_episode(mind, true, &err) < 0 ||
		    cscg_knowledge_observe(mind, -1, 0, &p, &err) < 0 ||
		    cscg_knowledge_observe(mind, -1, 1, &p, &err) < 0 ||
		    cscg_knowledge_observe(mind, 1, 0, &p, &err) < 0 ?
		NULL :
		mind);
	for (e = 0; e < 50; e++) {
		cscg_explore_begin_episode(ex, 42, e);
		need(cscg_explore_next(ex, mind, &a, &err) < 0 ? NULL : ex);
		seen[a]++;
	}
	ok(seen[0] > 5 && seen[1] > 5 && !seen[2],
	    "a relocation is not counted as a transition: %d and %d", seen[0],
	    seen[1]);
	cscg_explore_free(ex);
	cscg_knowledge_free(mind);
}

/*
 * ---- environments and models that do not match, and environments that fail
 * ----
 */

static int
refused(const struct cscg_env_header *head,
    const struct cscg_agent_plan_options *set, enum cscg_code code,
    const char *message)
{
	struct cscg_agent *agent = cscg_agent_plan_new(head, set, &err);
	int right = !agent && err.code == code && !strcmp(err.msg, message);

	if (!right)
		printf("# %s\n", agent ? "accepted" : err.msg);
	cscg_agent_free(agent);
	return right;
}

static void
test_misfits(void)
{
	static const char *const four[] = { "up", "down", "left", "right",
		NULL };
	static const char *const other[] = { "right", "left", "down", "fly",
		NULL };
	static const char *const turned[] = { "right", "take", "left", "down",
		"up", NULL };
	struct cscg_model *m = schema(3, 4);
	struct cscg_env_header head = {
		.head = { .n_actions = 3, .n_obs = 12 }, .collect = -1
	};
	struct cscg_goal start = { .kind = CSCG_GOAL_START };
	struct cscg_goal state = { .kind = CSCG_GOAL_STATE, .state = 12 };
	struct cscg_goal symbol = { .kind = CSCG_GOAL_SYMBOL, .symbol = "12" };
	struct cscg_goal match = { .kind = CSCG_GOAL_MATCH };
	struct cscg_agent_plan_options set = planner(m, &start);
	struct cscg_knowledge *mind;

	cscg_names_free(&m->actions);
	ok(refused(&head, &set, CSCG_EMISMATCH,
	       "the environment has 3 actions, the model has 4"),
	    "an environment with fewer actions is refused");
	head.head.n_actions = 4;
	need(cscg_names_set(&m->actions, four, &err) < 0 ||
		    cscg_names_set(&head.head.actions, other, &err) < 0 ?
		NULL :
		m);
	ok(refused(&head, &set, CSCG_EMISMATCH,
	       "the model lacks the action 'fly'"),
	    "an environment with another action name is refused");
	cscg_names_free(&head.head.actions);
	set.goal = &state;
	ok(refused(&head, &set, CSCG_EUSAGE, "state 12 is outside 0..11") &&
		!strcmp(err.hint, "goal"),
	    "a goal state out of range is refused");
	set.goal = &symbol;
	ok(refused(&head, &set, CSCG_EUSAGE,
	       "'12' is not the number of a symbol in 0..11") &&
		!strcmp(err.hint, "goal"),
	    "a goal symbol out of range is refused");
	set.goal = &match;
	ok(refused(&head, &set, CSCG_EUSAGE,
	       "match is not a goal of planning") &&
		!strcmp(err.hint, "goal"),
	    "match as a goal of planning is refused");
	set.goal = &state;
	set.knowledge.model = NULL;
	ok(refused(&head, &set, CSCG_EUSAGE,
	       "a state cannot be the goal without a model") &&
		!strcmp(err.hint, "goal"),
	    "a goal state without a model is refused");

	/* Actions by name, with one that the model lacks. */
	set.goal = &start;
	set.knowledge.model = m;
	head.head.n_actions = 5;
	head.collect = 1;
	need(cscg_names_set(&head.head.actions, turned, &err) < 0 ? NULL : m);
	set.knowledge.stationary = head.collect;
	cscg_knowledge_defaults(&set.knowledge);
	mind = need(cscg_knowledge_new(&head.head, &set.knowledge, &err));
	ok(cscg_knowledge_action(mind, 0) == 4 &&
		cscg_knowledge_action(mind, 1) == 3 &&
		cscg_knowledge_action(mind, 2) == 2 &&
		cscg_knowledge_action(mind, 3) == 0,
	    "actions are matched by name, and collecting is apart");
	cscg_knowledge_free(mind);
	head.collect = -1;
	ok(refused(&head, &set, CSCG_EMISMATCH,
	       "the model lacks the action 'take'"),
	    "other actions that the model lacks are refused");
	cscg_walk_header_free(&head.head);
	cscg_model_free(m);
}

static void
test_death(void)
{
	static struct stage stage;
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 3);
	struct cscg_model *m = need(cscg_room_model(room, 100, 1e-4, NULL,
	    &err));
	struct cscg_serve_options serve = { .start = 0, .seed = 1 };
	struct cscg_goal goal = { .kind = CSCG_GOAL_ENV, .state = -1 };
	struct cscg_agent_plan_options set = planner(m, &goal);
	struct cscg_agent_env world = { &stage.head, stage_observe, stage_act,
		&stage };
	struct cscg_agent_run_options how = { .episodes = 0 };
	struct cscg_agent *agent;
	long played, missed;

	stage_set(&stage, room, &serve, 1);
	agent = need(cscg_agent_plan_new(&stage.head, &set, &err));
	stage.die = 5;
	ok(cscg_agent_run(agent, &world, &how, &played, &missed, &err) < 0 &&
		err.code == CSCG_ECUT && stage.n == 5,
	    "an environment that ends within an episode is an error");
	stage.die = 0;
	stage.episodes = 0;
	stage.episode = 0;
	stage.begin = true;
	ok(cscg_agent_run(agent, &world, &how, &played, &missed, &err) == 0 &&
		played == 0,
	    "an environment without episodes is played");
	cscg_agent_free(agent);
	cscg_serve_free(stage.serve);
	cscg_model_free(m);
	cscg_room_free(room);
}

int
main(void)
{
	test_grounded();
	test_give_up();
	test_surprise();
	test_shortcut();
	test_bound();
	test_untied();
	test_game();
	test_learning();
	test_explore();
	test_put_elsewhere();
	test_misfits();
	test_death();
	return done();
}
