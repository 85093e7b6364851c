/* serve - goals, rewards and distances against an independent implementation */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world/serve.h"
#include "tap.h"
#include "walker.h"

enum { FAR = 1000000 };

/* Distances between all pairs of nodes by Floyd-Warshall; free() it. */
static int *
all_pairs(const struct cscg_room *room)
{
	int n = room->n_nodes, a, i, j, k,
	    *d = need(calloc((size_t)(n * n), sizeof *d));
	long e;

	for (i = 0; i < n * n; i++)
		d[i] = i / n == i % n ? 0 : FAR;
	for (a = 0; a < room->n_actions; a++)
		for (i = 0; i < n; i++)
			for (e = room->first[a * n + i];
			     e < room->first[a * n + i + 1]; e++)
				if (room->to[e] != i)
					d[i * n + room->to[e]] = 1;
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				if (d[i * n + k] + d[k * n + j] < d[i * n + j])
					d[i * n + j] = d[i * n + k] +
					    d[k * n + j];
	return d;
}

/* Distance to the nearest node that emits the goal symbol. */
static int
nearest(const struct cscg_room *room, const int *d, const int *label, int z,
    int goal)
{
	int v, best = FAR;

	for (v = 0; v < room->n_nodes; v++)
		if (label[room->obs[v]] == goal &&
		    d[z * room->n_nodes + v] < best)
			best = d[z * room->n_nodes + v];
	return best;
}

/* The permutation of symbols that roomwalk would draw, or none. */
static void
labels(const struct cscg_serve_options *set, long episode, int n, int *label)
{
	struct cscg_rng rng;
	int i;

	for (i = 0; i < n; i++)
		label[i] = i;
	cscg_rng_seed(&rng, set->seed, CSCG_RNG_LABELS, (uint64_t)episode, 0);
	if (set->permute)
		cscg_rng_shuffle(&rng, label, n);
}

static bool
leads(const struct cscg_room *room, int from, int a, int to)
{
	long l = (long)a * room->n_nodes + from, e;

	for (e = room->first[l]; e < room->first[l + 1]; e++)
		if (room->to[e] == to)
			return true;
	return false;
}

struct tally {
	long wins, misses, moves, wrong;
};

/* Is `now` the correct observation after `was` and action a? */
static bool
follows(const struct cscg_room *room, const struct cscg_serve_options *set,
    const struct cscg_env_obs *was, int a, const struct cscg_env_obs *now,
    struct tally *t)
{
	if (a < room->n_actions) {
		t->moves++;
		return leads(room, was->z, a, now->z) && now->reward == 0 &&
		    !now->reset && now->goal == was->goal;
	}
	if (was->x != was->goal) {
		t->misses++;
		return now->z == was->z && now->x == was->x &&
		    now->reward == 0 && !now->reset && now->goal == was->goal;
	}
	t->wins++;
	return now->reward == 1 && now->reset == set->respawn &&
	    (set->respawn || now->z == was->z);
}

/* Random actions; collects at the goal, and sometimes elsewhere. */
static void
play(const struct cscg_room *room, const struct cscg_serve_options *set,
    const char *name)
{
	struct cscg_room *rooms[] = { (struct cscg_room *)room };
	struct cscg_serve *s = need(cscg_serve_new(rooms, 1, room->n_actions,
	    set, &err));
	int *d = all_pairs(room),
	    *label = need(calloc((size_t)room->n_obs, sizeof *label));
	struct cscg_env_obs was, now;
	struct tally t = { 0 };
	struct cscg_rng rng;
	long e, i;
	int a;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 0);
	for (e = 0; e < 20; e++) {
		labels(set, e, room->n_obs, label);
		need(cscg_serve_reset(s, e, &now, &err) < 0 ? NULL : s);
		t.wrong += now.reward != 0 || now.reset;
		for (i = 0;; i++) {
			t.wrong += now.x != label[room->obs[now.z]] ||
			    now.goal < 0 || now.episode != e ||
			    now.done != (i == set->steps) ||
			    now.distance !=
				nearest(room, d, label, now.z, now.goal);
			/* A goal just drawn is not here. */
			t.wrong += (i == 0 || now.reward == 1) &&
			    now.goal == now.x;
			if (now.done)
				break;
			a = now.x == now.goal || cscg_rng_below(&rng, 9) == 0 ?
			    room->n_actions :
			    (int)cscg_rng_below(&rng, room->n_actions);
			was = now;
			need(cscg_serve_step(s, a, &now, &err) < 0 ? NULL : s);
			t.wrong += !follows(room, set, &was, a, &now, &t);
		}
	}
	ok(!t.wrong && t.wins > 20 && t.misses > 50 && t.moves > 1000,
	    "%s: %ld wins, %ld misses, %ld moves, %ld wrong", name, t.wins,
	    t.misses, t.moves, t.wrong);
	cscg_serve_free(s);
	free(label);
	free(d);
}

static void
test_goals(void)
{
	struct cscg_serve_options set = { .task = CSCG_TASK_GOALS,
		.steps = 300,
		.start = CSCG_START_RANDOM,
		.seed = 5 };
	struct cscg_room *torus = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_room *hole = shape_room(CSCG_HOLE, 7, 7);

	cscg_room_label_unique(torus);
	play(torus, &set, "goals");
	set.respawn = true;
	play(torus, &set, "with respawn");
	set.permute = true;
	play(torus, &set, "with new symbols");
	play(hole, &set, "with aliases");
	need(cscg_room_slip(hole, .2, &err) < 0 ? NULL : hole);
	play(hole, &set, "with slips");
	set.respawn = false;
	play(hole, &set, "and without respawn");
	cscg_room_free(torus);
	cscg_room_free(hole);
}

/* Pearson's statistic of n counts that should be equal. */
static double
chi2(const long *count, int n, long total)
{
	double want = (double)total / n, sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += (count[i] - want) * (count[i] - want) / want;
	return sum;
}

/* 99.9 % of chi-squared: 36.1 for 14 degrees of freedom, 37.7 for 15. */
static void
test_chance(void)
{
	struct cscg_serve_options set = {
		.task = CSCG_TASK_GOALS, .start = 5, .respawn = true, .seed = 1
	};
	struct cscg_room *room = shape_room(CSCG_TORUS, 4, 4);
	struct cscg_serve *s;
	long goal[16] = { 0 }, spawn[16] = { 0 }, begin[16] = { 0 }, e;
	struct cscg_env_obs obs;
	int a;

	cscg_room_label_unique(room);
	s = need(cscg_serve_new(&room, 1, 4, &set, &err));
	for (e = 0; e < 15000; e++) {
		cscg_serve_reset(s, e, &obs, &err);
		goal[obs.goal]++;
		/*
		 * Shortest path to the goal: any action that decreases the
		 * distance.
		 */
		while (obs.distance > 0) {
			double was = obs.distance;
			int z = obs.z;

			for (a = 0; a < 4; a++) {
				int to = cscg_room_successor(room, a, z);
				int d = abs(to / 4 - obs.goal / 4);
				int c = abs(to % 4 - obs.goal % 4);

				d = d > 2 ? 4 - d : d;
				c = c > 2 ? 4 - c : c;
				if (d + c < was)
					break;
			}
			cscg_serve_step(s, a, &obs, &err);
		}
		cscg_serve_step(s, 4, &obs, &err);
		spawn[obs.z]++;
	}
	ok(goal[5] == 0, "the observed symbol is never the goal");
	goal[5] = goal[15];
	ok(chi2(goal, 15, 15000) < 36.1,
	    "all other symbols are goals equally often (%.1f)",
	    chi2(goal, 15, 15000));
	ok(chi2(spawn, 16, 15000) < 37.7,
	    "a respawn is uniform over the nodes (%.1f)",
	    chi2(spawn, 16, 15000));
	cscg_serve_free(s);
	set.start = CSCG_START_RANDOM;
	s = need(cscg_serve_new(&room, 1, 4, &set, &err));
	for (e = 0; e < 15000; e++) {
		cscg_serve_reset(s, e, &obs, &err);
		begin[obs.z]++;
	}
	ok(chi2(begin, 16, 15000) < 37.7,
	    "a start is uniform over the nodes (%.1f)",
	    chi2(begin, 16, 15000));
	cscg_serve_free(s);
	cscg_room_free(room);
}

/* Distances back to the start, by hand. */
static void
test_return(void)
{
	struct cscg_serve_options set = { .task = CSCG_TASK_RETURN,
		.start = 0 };
	struct cscg_room *room = shape_room(CSCG_TORUS, 5, 6);
	struct cscg_env_obs obs;
	struct cscg_serve *s;
	int i, wrong = 0;
	/* Rows from 0 upward, then columns to the right: both wrap. */
	static const int up[] = { 1, 2, 2, 1, 0 },
			 right[] = { 1, 2, 3, 2, 1, 0 };

	s = need(cscg_serve_new(&room, 1, -1, &set, &err));
	cscg_serve_reset(s, 0, &obs, &err);
	ok(obs.goal == obs.x && obs.distance == 0,
	    "return: the goal is the start");
	for (i = 0; i < 5; i++) {
		cscg_serve_step(s, 0, &obs, &err);
		wrong += obs.distance != up[i] || obs.reward != 0 || obs.done;
	}
	for (i = 0; i < 6; i++) {
		cscg_serve_step(s, 3, &obs, &err);
		wrong += obs.distance != right[i];
	}
	ok(!wrong, "the distance on a torus is that of the shorter direction");
	cscg_serve_free(s);
	cscg_room_free(room);

	/*
	 * Nine by nine with a hole of 3 x 3 in the middle: from (4, 2), its
	 * left side, to (4, 6), its right, are 4 columns; on foot 8 moves.
	 */
	room = shape_room(CSCG_HOLE, 9, 9);
	for (i = 0; i < room->n_nodes; i++)
		if (room->coords[2 * i] == 4 && room->coords[2 * i + 1] == 2)
			set.start = i;
	s = need(cscg_serve_new(&room, 1, -1, &set, &err));
	cscg_serve_reset(s, 0, &obs, &err);
	for (i = 0; i < 8; i++)
		cscg_serve_step(s, i < 2 ? 0 : i < 6 ? 3 : 1, &obs, &err);
	ok(room->coords[2 * obs.z] == 4 && room->coords[2 * obs.z + 1] == 6 &&
		obs.distance == 4,
	    "the distance in a grid ignores walls");
	room->rows = room->cols = 0;
	cscg_serve_reset(s, 0, &obs, &err);
	for (i = 0; i < 8; i++)
		cscg_serve_step(s, i < 2 ? 0 : i < 6 ? 3 : 1, &obs, &err);
	ok(obs.distance == 8,
	    "without a grid the distance is the path length");
	cscg_serve_free(s);

	set.start = CSCG_START_UNIQUE;
	s = need(cscg_serve_new(&room, 1, -1, &set, &err));
	for (i = wrong = 0; i < 500; i++) {
		int v, same = 0;

		cscg_serve_reset(s, i, &obs, &err);
		for (v = 0; v < room->n_nodes; v++)
			same += room->obs[v] == room->obs[obs.z];
		wrong += same != 1;
	}
	ok(!wrong, "a unique start has a symbol of its own");
	cscg_serve_free(s);
	cscg_room_free(room);
}

/* 0 -> 1 -> 2, which is absorbing. */
static void
test_one_way(void)
{
	static const int obs_of[] = { 0, 1, 2, 3 }, next[] = { 1, 2, 2, 0 };
	struct cscg_serve_options set = { .task = CSCG_TASK_GOALS,
		.start = 0 };
	struct cscg_room *room = hand_room(4, 1, 4, obs_of, next);
	struct cscg_serve *s = need(cscg_serve_new(&room, 1, 1, &set, &err));
	struct cscg_env_obs obs;
	long n[4] = { 0 }, e;

	for (e = 0; e < 200; e++) {
		cscg_serve_reset(s, e, &obs, &err);
		n[obs.goal]++;
	}
	ok(!n[0] && n[1] && n[2] && !n[3], "only reachable symbols are goals");
	for (e = 0;; e++) {
		cscg_serve_reset(s, e, &obs, &err);
		if (obs.goal == 2)
			break;
	}
	cscg_serve_step(s, 0, &obs, &err);
	cscg_serve_step(s, 0, &obs, &err);
	ok(cscg_serve_step(s, 1, &obs, &err) < 0 && err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "room 0: no goal can be reached from node 2"),
	    "in an absorbing node there is no goal");
	cscg_serve_free(s);
	set.task = CSCG_TASK_RETURN;
	s = need(cscg_serve_new(&room, 1, -1, &set, &err));
	cscg_serve_reset(s, 0, &obs, &err);
	cscg_serve_step(s, 0, &obs, &err);
	ok(isnan(obs.distance), "without a path back the distance is unknown");
	cscg_serve_free(s);
	cscg_room_free(room);
}

/* An action of the room that is called collect is the action that collects. */
static void
test_own_collect(void)
{
	static const int obs_of[] = { 0, 1, 2 }, next[] = { 1, 2, 0, 2, 0, 1 };
	struct cscg_serve_options set = { .task = CSCG_TASK_GOALS,
		.start = 0 };
	struct cscg_room *room = hand_room(3, 2, 3, obs_of, next);
	struct cscg_serve *s = need(cscg_serve_new(&room, 1, 1, &set, &err));
	struct cscg_env_obs obs;

	do
		cscg_serve_reset(s, set.seed++, &obs, &err);
	while (obs.goal != 2);
	ok(obs.distance == 2,
	    "the distance excludes the action that collects");
	cscg_serve_step(s, 1, &obs, &err);
	ok(obs.z == 0 && obs.reward == 0, "collect does not change the node");
	cscg_serve_free(s);
	cscg_room_free(room);
}

static void
test_rooms(void)
{
	struct cscg_serve_options set = { .task = CSCG_TASK_GOALS,
		.steps = 3,
		.start = CSCG_START_RANDOM,
		.permute = true,
		.seed = 8 };
	static const int obs_of[] = { 0, 1, 0, 1 }, next[] = { 1, 0, 3, 2 };
	struct cscg_room *room[] = { hand_room(2, 1, 2, obs_of, next),
		hand_room(4, 1, 2, obs_of, next) };
	struct cscg_serve *s = need(cscg_serve_new(room, 2, 1, &set, &err));
	struct cscg_serve *t = need(cscg_serve_new(room, 2, 1, &set, &err));
	struct cscg_env_obs a, b;
	int e, i, beyond[2] = { 0 }, differ = 0;

	for (e = 0; e < 50; e++) {
		cscg_serve_reset(s, e, &a, &err);
		beyond[e % 2] += a.z > 1;
		for (i = 0; i < e % 3; i++)
			cscg_serve_step(s, 0, &a, &err);
	}
	ok(!beyond[0] && beyond[1], "episodes take the rooms in turn");
	cscg_serve_reset(s, 7, &a, &err);
	cscg_serve_reset(t, 7, &b, &err);
	for (i = 0; i < 3; i++) {
		differ += a.x != b.x || a.z != b.z || a.goal != b.goal;
		cscg_serve_step(s, i % 2, &a, &err);
		cscg_serve_step(t, i % 2, &b, &err);
	}
	ok(!differ && a.done, "an episode does not depend on earlier ones");
	cscg_serve_free(s);
	cscg_serve_free(t);

	set.start = 2;
	ok(!cscg_serve_new(room, 2, 1, &set, &err) &&
		err.code == CSCG_EUSAGE &&
		!strcmp(err.msg, "room 0: the start 2 is outside 0..1"),
	    "a start that a room lacks is refused");
	set.start = CSCG_START_UNIQUE;
	ok(!cscg_serve_new(room, 2, 1, &set, &err) &&
		err.code == CSCG_EUSAGE &&
		!strcmp(err.msg,
		    "room 1: no start node: every symbol is emitted by "
		    "several nodes"),
	    "a unique start that a room lacks is refused");
	set.start = CSCG_START_RANDOM;
	room[1]->obs[1] = room[1]->obs[3] = 0;
	ok(!cscg_serve_new(room, 2, 1, &set, &err) &&
		err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "room 1: no goals: all nodes emit the same symbol"),
	    "a room without goals is refused");
	set.task = CSCG_TASK_NONE;
	s = need(cscg_serve_new(room, 2, -1, &set, &err));
	cscg_serve_reset(s, 0, &a, &err);
	ok(a.goal == -1 && isnan(a.distance), "a walk has no goal");
	cscg_serve_free(s);
	cscg_room_free(room[0]);
	cscg_room_free(room[1]);
}

int
main(void)
{
	test_goals();
	test_chance();
	test_return();
	test_one_way();
	test_own_collect();
	test_rooms();
	return done();
}
