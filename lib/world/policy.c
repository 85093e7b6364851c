/*
 * policy.c - policies that choose a walker's next action
 *
 * The policy cover tries every action of every node once, then a second time,
 * and so on.  At each step it searches breadth-first, along the likeliest
 * outcome of each action, for the nearest node with an action tried at most
 * `level` times, and takes the first action of that path.  The search is
 * repeated at each step, since a slip may have changed the node.  When no
 * reachable node has such an action, level becomes the least number of tries
 * found; in a connected deterministic room this is the number of complete
 * rounds.
 */
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "core/graph.h"
#include "world/policy.h"

struct cscg_policy {
	enum cscg_policy_kind kind;
	const struct cscg_room *room;
	int n_actions;
	long k, left; /* repeat, runs: length, and remaining repetitions */
	int last;
	int turn[4]; /* wall: the actions, each the right turn of the last */
	int heading; /* wall: index into turn */
	bool
	    beside; /* wall: whether there was a wall to the right of the last action */
	/* cover: */
	int *tried;  /* [n_nodes * n_actions] */
	int *likely; /* [n_nodes * n_actions] likeliest next node */
	struct cscg_bfs search;
	int level;
};

int
cscg_policy_parse(const char *word, enum cscg_policy_kind *kind, long *k,
    struct cscg_err *err)
{
	static const struct {
		const char *word;
		enum cscg_policy_kind kind;
		long least;
	} counted[] = {
		{ "repeat:", CSCG_REPEAT, 1 },
		{ "runs:", CSCG_RUNS, 2 },
		{ "bias:", CSCG_BIAS, 1 },
	};
	const char *number;
	char *end;
	size_t i;

	*k = 1;
	if (!strcmp(word, "random"))
		*kind = CSCG_RANDOM;
	else if (!strcmp(word, "cover"))
		*kind = CSCG_COVER;
	else if (!strcmp(word, "wall"))
		*kind = CSCG_FOLLOW_WALL;
	else {
		for (i = 0; i < sizeof counted / sizeof *counted; i++) {
			number = word + strlen(counted[i].word);
			if (strncmp(word, counted[i].word,
				strlen(counted[i].word)) ||
			    !isdigit((unsigned char)*number))
				continue;
			*kind = counted[i].kind;
			*k = strtol(number, &end, 10);
			if (*end || *k < counted[i].least || *k > INT_MAX)
				return cscg_fail(err, CSCG_EUSAGE,
				    "'%.40s' is outside %ld..%d", number,
				    counted[i].least, INT_MAX);
			return 0;
		}
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not random, repeat:K, runs:K, bias:K, wall or "
		    "cover",
		    word);
	}
	return 0;
}

static int
likeliest_successor(const struct cscg_room *room, int node, int a)
{
	long l = (long)a * room->n_nodes + node;

	return room
	    ->to[cscg_largest(room->p, room->first[l], room->first[l + 1])];
}

static int
prepare_cover(struct cscg_policy *p, struct cscg_err *err)
{
	const struct cscg_room *room = p->room;
	size_t n = room->n_nodes, pairs = n * room->n_actions;
	int v, a;

	p->tried = cscg_alloc(pairs, sizeof *p->tried, err);
	p->likely = cscg_alloc(pairs, sizeof *p->likely, err);
	if (!p->tried || !p->likely ||
	    cscg_bfs_fit(&p->search, room->n_nodes, err) < 0)
		return -1;
	for (v = 0; v < room->n_nodes; v++)
		for (a = 0; a < room->n_actions; a++)
			p->likely[(size_t)v * room->n_actions + a] =
			    likeliest_successor(room, v, a);
	return 0;
}

static int
prepare_wall(struct cscg_policy *p, struct cscg_err *err)
{
	static const char *const turn[4] = { "up", "right", "down", "left" };
	int i;

	for (i = 0; i < 4; i++) {
		p->turn[i] = cscg_names_find(&p->room->actions, turn[i]);
		if (p->turn[i] < 0 || p->n_actions != 4)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "the policy 'wall' needs the actions up, down, "
			    "left and right");
	}
	return 0;
}

struct cscg_policy *
cscg_policy_new(enum cscg_policy_kind kind, long k,
    const struct cscg_room *room, struct cscg_err *err)
{
	struct cscg_policy *p = cscg_alloc(1, sizeof *p, err);

	if (!p)
		return NULL;
	p->kind = kind;
	p->room = room;
	p->n_actions = room->n_actions;
	p->k = k;
	if ((kind == CSCG_COVER && prepare_cover(p, err) < 0) ||
	    (kind == CSCG_FOLLOW_WALL && prepare_wall(p, err) < 0)) {
		cscg_policy_free(p);
		return NULL;
	}
	return p;
}

void
cscg_policy_free(struct cscg_policy *p)
{
	if (!p)
		return;
	free(p->tried);
	free(p->likely);
	cscg_bfs_free(&p->search);
	free(p);
}

/* An action of v tried at most level times, the first from offset on; or -1. */
static int
least_tried_action(const struct cscg_policy *p, int v, int offset, int *least)
{
	const int *tried = p->tried + (size_t)v * p->n_actions;
	int i, a;

	for (i = 0; i < p->n_actions; i++) {
		a = (offset + i) % p->n_actions;
		if (tried[a] <= p->level)
			return a;
		if (tried[a] < *least)
			*least = tried[a];
	}
	return -1;
}

/*
 * The first action of the shortest path to the nearest action tried at most
 * level times, or -1 with *least the smallest number of tries of a reachable
 * action.  Ties are broken by offset.
 */
static int
search_least_tried(struct cscg_policy *p, int node, int offset, int *least)
{
	int i, a, v, w;

	*least = INT_MAX;
	a = least_tried_action(p, node, offset, least);
	if (a >= 0)
		return a;
	cscg_bfs_clear(&p->search);
	cscg_bfs_reach(&p->search, node, -1, -1);
	while ((v = cscg_bfs_next(&p->search)) >= 0)
		for (i = 0; i < p->n_actions; i++) {
			a = (offset + i) % p->n_actions;
			w = p->likely[(size_t)v * p->n_actions + a];
			if (cscg_bfs_reach(&p->search, w, v, a) &&
			    least_tried_action(p, w, offset, least) >= 0)
				return cscg_bfs_first_label(&p->search, w);
		}
	return -1;
}

static int
cover(struct cscg_policy *p, int node, struct cscg_rng *rng)
{
	int offset = (int)cscg_rng_below(rng, p->n_actions), least, a;

	while ((a = search_least_tried(p, node, offset, &least)) < 0)
		p->level = least;
	p->tried[(size_t)node * p->n_actions + a]++;
	return a;
}

/* The first action is k times as likely as any other. */
static int
biased(const struct cscg_policy *p, struct cscg_rng *rng)
{
	double u = cscg_rng_uniform(rng) * (double)(p->k + p->n_actions - 1);

	return u < (double)p->k ? 0 : 1 + (int)(u - (double)p->k);
}

/* True if the action after `turns` right turns changes the node. */
static bool
is_free(const struct cscg_policy *p, int node, int turns)
{
	int a = p->turn[(p->heading + turns + 4) % 4];

	return likeliest_successor(p->room, node, a) != node;
}

/*
 * Turn right where the wall at the right ends, else go straight on, or turn
 * left or back where that is blocked; every tenth heading is random.
 */
static int
follow_wall(struct cscg_policy *p, int node, struct cscg_rng *rng)
{
	long random = (long)cscg_rng_below(rng, 40);
	int turns = 0;

	if (random < 4)
		turns = (int)random;
	else if (p->beside && is_free(p, node, 1))
		turns = 1;
	else if (!is_free(p, node, 0))
		turns = is_free(p, node, -1) ? -1 : 2;
	p->heading = (p->heading + turns + 4) % 4;
	p->beside = !is_free(p, node, 1);
	return p->turn[p->heading];
}

int
cscg_policy_next(struct cscg_policy *p, int node, struct cscg_rng *rng)
{
	switch (p->kind) {
	case CSCG_COVER:
		return cover(p, node, rng);
	case CSCG_REPEAT:
		if (p->left-- > 0)
			return p->last;
		p->left = p->k - 1;
		break;
	case CSCG_RUNS:
		if (p->left-- > 0)
			return p->last;
		p->left = 1 + (long)cscg_rng_below(rng, p->k - 1);
		break;
	case CSCG_BIAS:
		return biased(p, rng);
	case CSCG_FOLLOW_WALL:
		return follow_wall(p, node, rng);
	case CSCG_RANDOM:
		break;
	}
	p->last = (int)cscg_rng_below(rng, p->n_actions);
	return p->last;
}
