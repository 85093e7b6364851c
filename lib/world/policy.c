/*
 * policy.c - policies that choose a walker's next action
 *
 * To cover a room is to try every action of every node, then every one a
 * second time, and so on.  The walker searches breadth-first for the nearest
 * node with an action tried at most level times, along the likeliest outcome
 * of each move, and takes the first step there.  It searches again at
 * each step: a slip may have moved it elsewhere, and the nearest such node cannot
 * have moved away.  When no node within reach has one, level rises to the
 * least that was seen; in a connected room without chance this is exactly the
 * number of rounds done.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "world/policy.h"

struct cscg_policy {
	enum cscg_policy_kind kind;
	const struct cscg_room *room;
	int n_actions;
	long k, left; /* repeat: how often, and how often still */
	int last;
	/* cover: */
	int *tried;  /* [n_nodes * n_actions] */
	int *likely; /* [n_nodes * n_actions] likeliest next node */
	int *queue;  /* [n_nodes] */
	int *by;     /* [n_nodes] first action of the way there */
	long *seen;  /* [n_nodes] number of the search it was in */
	long search;
	int level;
};

int
cscg_policy_parse(const char *word, enum cscg_policy_kind *kind, long *k,
    struct cscg_err *err)
{
	char *end;

	*k = 1;
	if (!strcmp(word, "random"))
		*kind = CSCG_RANDOM;
	else if (!strcmp(word, "cover"))
		*kind = CSCG_COVER;
	else if (!strncmp(word, "repeat:", 7) &&
	    isdigit((unsigned char)word[7])) {
		*kind = CSCG_REPEAT;
		*k = strtol(word + 7, &end, 10);
		if (*end || *k < 1 || *k > INT_MAX)
			return cscg_fail(err, CSCG_EUSAGE,
			    "'%.40s' is outside 1..%d", word + 7, INT_MAX);
	} else
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not random, repeat:K or cover", word);
	return 0;
}

static int
likeliest_successor(const struct cscg_room *room, int node, int a)
{
	long l = (long)a * room->n_nodes + node, i, best = room->first[l];

	for (i = best + 1; i < room->first[l + 1]; i++)
		if (room->p[i] > room->p[best])
			best = i;
	return room->to[best];
}

static int
prepare_cover(struct cscg_policy *p, struct cscg_err *err)
{
	const struct cscg_room *room = p->room;
	size_t n = room->n_nodes, pairs = n * room->n_actions;
	int v, a;

	p->tried = cscg_alloc(pairs, sizeof *p->tried, err);
	p->likely = cscg_alloc(pairs, sizeof *p->likely, err);
	p->queue = cscg_alloc(n, sizeof *p->queue, err);
	p->by = cscg_alloc(n, sizeof *p->by, err);
	p->seen = cscg_alloc(n, sizeof *p->seen, err);
	if (!p->tried || !p->likely || !p->queue || !p->by || !p->seen)
		return -1;
	for (v = 0; v < room->n_nodes; v++)
		for (a = 0; a < room->n_actions; a++)
			p->likely[(size_t)v * room->n_actions + a] =
			    likeliest_successor(room, v, a);
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
	if (kind == CSCG_COVER && prepare_cover(p, err) < 0) {
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
	free(p->queue);
	free(p->by);
	free(p->seen);
	free(p);
}

/* An action of v tried at most level times, from turn on; or -1. */
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
 * The first action of the way to the nearest fresh one, or -1 with *least the
 * fewest tries within reach.  Ties go by turn.
 */
static int
search_least_tried(struct cscg_policy *p, int node, int offset, int *least)
{
	int head = 0, tail = 0, i, a, v, w;

	*least = INT_MAX;
	a = least_tried_action(p, node, offset, least);
	if (a >= 0)
		return a;
	p->seen[node] = ++p->search;
	p->queue[tail++] = node;
	while (head < tail) {
		v = p->queue[head++];
		for (i = 0; i < p->n_actions; i++) {
			a = (offset + i) % p->n_actions;
			w = p->likely[(size_t)v * p->n_actions + a];
			if (p->seen[w] == p->search)
				continue;
			p->seen[w] = p->search;
			p->by[w] = v == node ? a : p->by[v];
			if (least_tried_action(p, w, offset, least) >= 0)
				return p->by[w];
			p->queue[tail++] = w;
		}
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
	case CSCG_RANDOM:
		break;
	}
	p->last = (int)cscg_rng_below(rng, p->n_actions);
	return p->last;
}
