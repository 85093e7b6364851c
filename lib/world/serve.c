/*
 * serve.c - rooms as a live world
 *
 * Chance comes in three streams: where an episode begins and how moves end,
 * what is asked for, and where the agent is put after a reward.  So agents
 * that differ in their moves alone are asked for the same as far as can be.
 *
 * Distances are those of the graph, found backward from the goal once for each
 * goal: a move counts as a way if it can succeed at all.  In a room cut from a
 * grid the way back to the start is measured as the paper does, by rows and
 * columns.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "world/serve.h"

struct cscg_serve {
	struct cscg_serve_options set;
	struct cscg_room *const *rooms;
	int n_rooms, collect;
	/* This episode: */
	const struct cscg_room *room;
	long episode, step;
	int node, start;
	int goal;		/* symbol of the room, before it is permuted; -1 */
	struct cscg_rng world, goals, respawn;
	int *label;		/* [n_obs] symbol that stands for a symbol */
	/* Searches, as large as the largest room needs: */
	long *first;		/* [nodes + 1] edges into each node: */
	int *from;		/* [edges] */
	int *queue;		/* [nodes] */
	int *distance;		/* [nodes] moves to the goal, -1: no way */
	unsigned char *seen;	/* [nodes] */
	unsigned char *reachable;	/* [n_obs] can be reached */
	int *list;		/* [n_obs] goals to draw from */
};

/* How often is each symbol seen in the room?  Into s->list. */
static void
count_symbols(struct cscg_serve *s, const struct cscg_room *room)
{
	int v;

	memset(s->list, 0, (size_t)room->n_obs * sizeof *s->list);
	for (v = 0; v < room->n_nodes; v++)
		s->list[room->obs[v]]++;
}

static int
check_room(struct cscg_serve *s, const struct cscg_room *room,
    struct cscg_err *err)
{
	int x, v, kinds = 0, unique = 0;

	count_symbols(s, room);
	for (x = 0; x < room->n_obs; x++)
		kinds += s->list[x] > 0;
	for (v = 0; v < room->n_nodes; v++)
		unique += s->list[room->obs[v]] == 1;
	if (s->set.start >= room->n_nodes)
		return cscg_fail(err, CSCG_EUSAGE, "the start %d is outside "
		    "0..%d", s->set.start, room->n_nodes - 1);
	if (s->set.start == CSCG_START_UNIQUE && !unique)
		return cscg_fail(err, CSCG_EUSAGE, "no node to start at: each "
		    "symbol is seen at several");
	if (s->set.task == CSCG_TASK_GOALS && kinds < 2)
		return cscg_fail(err, CSCG_ERANGE, "there are no goals where "
		    "one symbol is seen everywhere");
	return 0;
}

static int
alloc_buffers(struct cscg_serve *s, struct cscg_err *err)
{
	size_t nodes = 0, edges = 0, n_obs = (size_t)s->rooms[0]->n_obs, e;
	const struct cscg_room *room;
	int i;

	for (i = 0; i < s->n_rooms; i++) {
		room = s->rooms[i];
		e = (size_t)room->first[(long)room->n_actions * room->n_nodes];
		edges = e > edges ? e : edges;
		if ((size_t)room->n_nodes > nodes)
			nodes = (size_t)room->n_nodes;
	}
	s->label = cscg_alloc(n_obs, sizeof *s->label, err);
	s->list = cscg_alloc(n_obs, sizeof *s->list, err);
	s->reachable = cscg_alloc(n_obs, 1, err);
	s->first = cscg_alloc(nodes + 1, sizeof *s->first, err);
	s->from = cscg_alloc(edges, sizeof *s->from, err);
	s->queue = cscg_alloc(nodes, sizeof *s->queue, err);
	s->distance = cscg_alloc(nodes, sizeof *s->distance, err);
	s->seen = cscg_alloc(nodes, 1, err);
	return s->label && s->list && s->reachable && s->first && s->from &&
	    s->queue && s->distance && s->seen ? 0 : -1;
}

struct cscg_serve *
cscg_serve_new(struct cscg_room *const *room, int n, int collect,
    const struct cscg_serve_options *set, struct cscg_err *err)
{
	struct cscg_serve *s = cscg_alloc(1, sizeof *s, err);
	int i;

	if (!s)
		return NULL;
	s->set = *set;
	s->rooms = room;
	s->n_rooms = n;
	s->collect = set->task == CSCG_TASK_GOALS ? collect : -1;
	if (alloc_buffers(s, err) < 0)
		goto fail;
	for (i = 0; i < n; i++)
		if (check_room(s, room[i], err) < 0) {
			cscg_fail_at(err, "room %d", i);
			goto fail;
		}
	return s;
fail:
	cscg_serve_free(s);
	return NULL;
}

void
cscg_serve_free(struct cscg_serve *s)
{
	if (!s)
		return;
	free(s->label);
	free(s->list);
	free(s->reachable);
	free(s->first);
	free(s->from);
	free(s->queue);
	free(s->distance);
	free(s->seen);
	free(s);
}

/* Searches */

/* The edges of list l of the room, none of them if it is not a move. */
static void
action_edges(const struct cscg_serve *s, long l, long *from, long *to)
{
	*from = s->room->first[l];
	*to = l / s->room->n_nodes == s->collect ? *from :
	    s->room->first[l + 1];
}

/* first and from of the room: which nodes lead to a node? */
static void
reverse_edges(struct cscg_serve *s)
{
	const struct cscg_room *room = s->room;
	long n = room->n_nodes, lists = room->n_actions * n, i, l, to;

	memset(s->first, 0, ((size_t)n + 1) * sizeof *s->first);
	for (l = 0; l < lists; l++)
		for (action_edges(s, l, &i, &to); i < to; i++)
			s->first[room->to[i]]++;
	for (i = 0; i < n; i++)
		s->first[i + 1] += s->first[i];
	/* Each list is filled from its end, so first ends at its beginning. */
	for (l = 0; l < lists; l++)
		for (action_edges(s, l, &i, &to); i < to; i++)
			s->from[--s->first[room->to[i]]] = (int)(l % n);
}

/* The number of moves from each node to the nearest of the tail in queue. */
static void
compute_distances(struct cscg_serve *s, long tail)
{
	int v, u;
	long head, i;

	for (v = 0; v < s->room->n_nodes; v++)
		s->distance[v] = -1;
	for (head = 0; head < tail; head++)
		s->distance[s->queue[head]] = 0;
	for (head = 0; head < tail; head++) {
		v = s->queue[head];
		for (i = s->first[v]; i < s->first[v + 1]; i++) {
			u = s->from[i];
			if (s->distance[u] >= 0)
				continue;
			s->distance[u] = s->distance[v] + 1;
			s->queue[tail++] = u;
		}
	}
}

/* Which symbols can be met on the way from here?  Into is_there. */
static void
find_reachable(struct cscg_serve *s)
{
	const struct cscg_room *room = s->room;
	long head = 0, tail = 0, i, to;
	int v, a;

	memset(s->seen, 0, (size_t)room->n_nodes);
	memset(s->reachable, 0, (size_t)room->n_obs);
	s->queue[tail++] = s->node;
	s->seen[s->node] = 1;
	while (head < tail) {
		v = s->queue[head++];
		s->reachable[room->obs[v]] = 1;
		for (a = 0; a < room->n_actions; a++) {
			action_edges(s, (long)a * room->n_nodes + v, &i, &to);
			for (; i < to; i++) {
				if (s->seen[room->to[i]])
					continue;
				s->seen[room->to[i]] = 1;
				s->queue[tail++] = room->to[i];
			}
		}
	}
}

/* Another symbol to ask for: any that can be reached and is not here. */
static int
draw_goal(struct cscg_serve *s, struct cscg_err *err)
{
	const struct cscg_room *room = s->room;
	long n = 0, tail = 0;
	int x, v;

	find_reachable(s);
	for (x = 0; x < room->n_obs; x++)
		if (s->reachable[x] && x != room->obs[s->node])
			s->list[n++] = x;
	if (!n)
		return cscg_fail(err, CSCG_ERANGE, "room %ld: no goal can be "
		    "reached from node %d", s->episode % s->n_rooms, s->node);
	s->goal = s->list[cscg_rng_below(&s->goals, n)];
	if (s->set.blind)
		return 0;
	for (v = 0; v < room->n_nodes; v++)
		if (room->obs[v] == s->goal)
			s->queue[tail++] = v;
	compute_distances(s, tail);
	return 0;
}

/* Distances */

static double
axis_distance(double a, double b, bool wrap, int size)
{
	double d = fabs(a - b);

	return wrap && size - d < d ? size - d : d;
}

static double
goal_distance(const struct cscg_serve *s)
{
	const struct cscg_room *room = s->room;
	const double *here, *there;

	if (s->set.blind || s->set.task == CSCG_TASK_NONE)
		return NAN;
	if (s->set.task == CSCG_TASK_GOALS || !room->coords || !room->rows)
		return s->distance[s->node] < 0 ? NAN :
		    (double)s->distance[s->node];
	here = room->coords + 2 * s->node;
	there = room->coords + 2 * s->start;
	return axis_distance(here[0], there[0], room->wrap_rows, room->rows) +
	    axis_distance(here[1], there[1], room->wrap_cols, room->cols);
}

/* Episodes */

static void
set_labels(struct cscg_serve *s)
{
	struct cscg_rng rng;
	int i;

	for (i = 0; i < s->room->n_obs; i++)
		s->label[i] = i;
	if (!s->set.permute)
		return;
	cscg_rng_seed(&rng, s->set.seed, CSCG_RNG_LABELS, (uint64_t)s->episode,
	    0);
	cscg_rng_shuffle(&rng, s->label, s->room->n_obs);
}

static int
draw_start(struct cscg_serve *s)
{
	long n = 0, k;
	int v;

	if (s->set.start >= 0)
		return s->set.start;
	if (s->set.start == CSCG_START_RANDOM)
		return (int)cscg_rng_below(&s->world, s->room->n_nodes);
	count_symbols(s, s->room);
	for (v = 0; v < s->room->n_nodes; v++)
		n += s->list[s->room->obs[v]] == 1;
	k = cscg_rng_below(&s->world, n);
	for (v = 0; k >= 0; v++)
		k -= s->list[s->room->obs[v]] == 1;
	return v - 1;
}

static void
fill_observation(const struct cscg_serve *s, struct cscg_env_obs *obs)
{
	*obs = (struct cscg_env_obs){
		.x = s->label[s->room->obs[s->node]],
		.goal = s->goal < 0 ? -1 : s->label[s->goal],
		.z = s->node,
		.distance = goal_distance(s),
		.episode = s->episode,
		.done = s->set.steps && s->step == s->set.steps
	};
}

int
cscg_serve_reset(struct cscg_serve *s, long episode, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	s->episode = episode;
	s->step = 0;
	s->room = s->rooms[episode % s->n_rooms];
	s->goal = -1;
	set_labels(s);
	cscg_rng_seed(&s->world, s->set.seed, CSCG_RNG_ENV, (uint64_t)episode,
	    0);
	cscg_rng_seed(&s->goals, s->set.seed, CSCG_RNG_ENV, (uint64_t)episode,
	    1);
	cscg_rng_seed(&s->respawn, s->set.seed, CSCG_RNG_ENV,
	    (uint64_t)episode, 2);
	s->node = s->start = draw_start(s);
	if (s->set.task != CSCG_TASK_NONE)
		reverse_edges(s);
	if (s->set.task == CSCG_TASK_RETURN) {
		s->goal = s->room->obs[s->start];
		s->queue[0] = s->start;
		compute_distances(s, 1);
	} else if (s->set.task == CSCG_TASK_GOALS && draw_goal(s, err) < 0)
		return -1;
	fill_observation(s, obs);
	return 0;
}

int
cscg_serve_step(struct cscg_serve *s, int a, struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	bool collected = a == s->collect && s->room->obs[s->node] == s->goal;

	s->step++;
	if (a != s->collect)
		s->node = cscg_room_step(s->room, s->node, a, &s->world);
	if (collected && s->set.respawn)
		s->node = (int)cscg_rng_below(&s->respawn, s->room->n_nodes);
	if (collected && draw_goal(s, err) < 0)
		return -1;
	fill_observation(s, obs);
	obs->reward = collected;
	obs->reset = collected && s->set.respawn;
	return 0;
}
