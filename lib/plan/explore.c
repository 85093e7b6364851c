/*
 * explore.c - exploration policies and the table of transitions seen
 *
 * For cover and frontier, the actions tried at each node (state or symbol) are
 * counted.  The counts are updated with each step, and recomputed from the
 * walk whenever the version of the knowledge changes.  A breadth-first search
 * along the most likely transitions then finds the nearest node of the highest
 * priority.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/passes.h"
#include "plan/explore.h"

/* ---- the table of transitions seen ---- */

int
cscg_transitions_seen_init(struct cscg_transitions_seen *f, int n_obs,
    int n_actions, struct cscg_err *err)
{
	size_t n = (size_t)n_obs, actions = (size_t)n_actions;
	int a;

	*f = (struct cscg_transitions_seen){ .n_obs = n_obs,
		.n_actions = n_actions };
	/* 10^7 symbols of 10^4 actions at most: no overflow in size_t. */
	f->next = cscg_alloc(n * actions, sizeof *f->next, err);
	f->tried = cscg_alloc(n * actions, 1, err);
	f->inverse = cscg_alloc(actions, sizeof *f->inverse, err);
	if (!f->next || !f->tried || !f->inverse ||
	    cscg_bfs_fit(&f->search, n_obs, err) < 0) {
		cscg_transitions_seen_free(f);
		return -1;
	}
	for (a = 0; a < n_actions; a++)
		f->inverse[a] = -1;
	cscg_transitions_seen_clear(f);
	return 0;
}

void
cscg_transitions_seen_free(struct cscg_transitions_seen *f)
{
	free(f->next);
	free(f->tried);
	free(f->inverse);
	cscg_bfs_free(&f->search);
	*f = (struct cscg_transitions_seen){ 0 };
}

void
cscg_transitions_seen_set_inverse(struct cscg_transitions_seen *f, int a,
    int b)
{
	f->inverse[a] = b;
	f->inverse[b] = a;
}

void
cscg_transitions_seen_clear(struct cscg_transitions_seen *f)
{
	size_t i, n = (size_t)f->n_obs * (size_t)f->n_actions;

	for (i = 0; i < n; i++) {
		f->next[i] = -1;
		f->tried[i] = 0;
	}
}

bool
cscg_transitions_seen_drop_inferred(struct cscg_transitions_seen *f)
{
	size_t i, n = (size_t)f->n_obs * (size_t)f->n_actions;
	bool any = false;
	int a;

	for (i = 0; i < n; i++) {
		if (f->tried[i] || f->next[i] < 0)
			continue;
		f->next[i] = -1;
		any = true;
	}
	for (a = 0; a < f->n_actions; a++)
		f->inverse[a] = -1;
	return any;
}

static size_t
pair_index(const struct cscg_transitions_seen *f, int x, int a)
{
	return (size_t)x * (size_t)f->n_actions + (size_t)a;
}

void
cscg_transitions_seen_add(struct cscg_transitions_seen *f, int x, int a, int y)
{
	size_t i = pair_index(f, x, a);

	f->next[i] = y;
	f->tried[i] = 1;
	if (f->inverse[a] < 0)
		return;
	i = pair_index(f, y, f->inverse[a]);
	if (!f->tried[i])
		f->next[i] = x;
}

int
cscg_transitions_seen_next(const struct cscg_transitions_seen *f, int x, int a)
{
	return f->next[pair_index(f, x, a)];
}

void
cscg_transitions_seen_search(struct cscg_transitions_seen *f, int x)
{
	int a, y, z;

	cscg_bfs_clear(&f->search);
	cscg_bfs_reach(&f->search, x, -1, -1);
	while ((z = cscg_bfs_next(&f->search)) >= 0)
		for (a = 0; a < f->n_actions; a++) {
			y = f->next[pair_index(f, z, a)];
			if (y >= 0)
				cscg_bfs_reach(&f->search, y, z, a);
		}
}

int
cscg_transitions_seen_untried(const struct cscg_transitions_seen *f,
    int stationary, int *x, int *a)
{
	int i, b, z, found = -1;

	for (i = 0; i < f->search.n_reached; i++) {
		z = f->search.queue[i];
		if (found >= 0 && f->search.distance[z] > found)
			break;
		for (b = 0; b < f->n_actions; b++) {
			if (b == stationary ||
			    f->next[pair_index(f, z, b)] >= 0 ||
			    (found >= 0 && f->inverse[b] < 0))
				continue;
			*x = z;
			*a = b;
			found = f->search.distance[z];
			if (f->inverse[b] >= 0)
				return found;
		}
	}
	return found;
}

enum kind { RANDOM, COVER, FRONTIER, GIVEN };

enum { RUN_MAX = 4 }; /* longest random run of one action */

struct cscg_explore {
	enum kind kind;
	int *list;     /* actions to choose from, or to take in order */
	long n, k;     /* their number; each is taken k times */
	long at, left; /* index of the next; repetitions left of the last */
	int last;
	struct cscg_rng rng;

	/* actions tried at each node, by the model's numbers */
	bool by_symbol;
	int n_nodes, actions;
	int *tried;             /* [nodes * actions] */
	int *next;              /* [nodes * actions] or -1; symbols only */
	unsigned char *visited; /* [nodes] */
	size_t cap_tried, cap_next, cap_visited;
	long version, n_counted; /* version and steps that were counted */
	int last_node; /* node of the last step when it was counted */
	int *path;
	size_t cap_path;

	struct cscg_bfs search;
};

/* ---- parsing ---- */

static bool
is_repeat(const char *text, long *k)
{
	char *end;

	if (strncmp(text, "repeat:", 7) || !isdigit((unsigned char)text[7]))
		return false;
	*k = strtol(text + 7, &end, 10);
	return !*end && *k >= 1 && *k <= INT_MAX;
}

int
cscg_explore_check(const char *text, struct cscg_err *err)
{
	long k;

	if (!*text || (!strncmp(text, "repeat:", 7) && !is_repeat(text, &k)) ||
	    !strcmp(text, "random:"))
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not one of random, random:ACTION,..., "
		    "repeat:K, "
		    "cover, frontier, ACTION,...",
		    text);
	return 0;
}

bool
cscg_explore_needs_belief(const char *text)
{
	return !strcmp(text, "cover") || !strcmp(text, "frontier");
}

int
cscg_explore_parse_actions(const char *text,
    const struct cscg_walk_header *world, int **list, long *n,
    struct cscg_err *err)
{
	char *copy = strdup(text), *item, *save = NULL, *end;
	size_t cap = 0;
	long a;
	int rc = -1;

	*list = NULL;
	*n = 0;
	if (!copy)
		return cscg_fail(err, CSCG_ENOMEM, "out of memory");
	for (item = strtok_r(copy, ",", &save); item;
	     item = strtok_r(NULL, ",", &save)) {
		a = cscg_names_find(&world->actions, item);
		if (a < 0 && isdigit((unsigned char)*item)) {
			a = strtol(item, &end, 10);
			a = *end || a >= world->n_actions ? -1 : a;
		}
		if (a < 0) {
			cscg_fail(err, CSCG_EUSAGE,
			    "'%.40s' is not an action of the environment, nor "
			    "a number in 0..%d",
			    item, world->n_actions - 1);
			goto out;
		}
		if (cscg_grow(list, &cap, (size_t)*n + 1, sizeof **list, err) <
		    0)
			goto out;
		(*list)[(*n)++] = (int)a;
	}
	rc = *n ? 0 :
		  cscg_fail(err, CSCG_EUSAGE, "no action in '%.40s'", text);
out:
	if (rc < 0) {
		free(*list);
		*list = NULL;
	}
	free(copy);
	return rc;
}

/* All actions but the stationary one. */
static int
list_all(struct cscg_explore *ex, const struct cscg_walk_header *world,
    int stationary, struct cscg_err *err)
{
	int a;

	ex->list = cscg_alloc((size_t)world->n_actions, sizeof *ex->list, err);
	if (!ex->list)
		return -1;
	for (a = 0; a < world->n_actions; a++)
		if (a != stationary || world->n_actions == 1)
			ex->list[ex->n++] = a;
	return 0;
}

struct cscg_explore *
cscg_explore_new(const char *text, const struct cscg_walk_header *world,
    int stationary, struct cscg_err *err)
{
	struct cscg_explore *ex = cscg_alloc(1, sizeof *ex, err);
	const char *list = NULL;

	if (!ex)
		return NULL;
	ex->k = 1;
	ex->version = -1;
	if (!strcmp(text, "cover"))
		ex->kind = COVER;
	else if (!strcmp(text, "frontier"))
		ex->kind = FRONTIER;
	else if (!strncmp(text, "random:", 7))
		list = text + 7;
	else if (strcmp(text, "random") && !is_repeat(text, &ex->k)) {
		ex->kind = GIVEN;
		list = text;
	}
	if ((list ? cscg_explore_parse_actions(list, world, &ex->list, &ex->n,
			err) :
		    list_all(ex, world, stationary, err)) < 0) {
		cscg_explore_free(ex);
		return NULL;
	}
	return ex;
}

void
cscg_explore_free(struct cscg_explore *ex)
{
	if (!ex)
		return;
	free(ex->list);
	free(ex->tried);
	free(ex->next);
	free(ex->visited);
	free(ex->path);
	cscg_bfs_free(&ex->search);
	free(ex);
}

void
cscg_explore_begin_episode(struct cscg_explore *ex, uint64_t seed,
    long episode)
{
	cscg_rng_seed(&ex->rng, seed, CSCG_RNG_PLAN, (uint64_t)episode, 1);
	ex->at = ex->left = 0;
	ex->version = -1;
}

/* ---- counts of tried actions ---- */

static int
reset_counts(struct cscg_explore *ex, int n_nodes, int actions,
    struct cscg_err *err)
{
	size_t n = (size_t)n_nodes, pairs = n * (size_t)actions, i;

	if (cscg_grow(&ex->tried, &ex->cap_tried, pairs, sizeof *ex->tried,
		err) < 0 ||
	    cscg_grow(&ex->next, &ex->cap_next, pairs, sizeof *ex->next, err) <
		0 ||
	    cscg_grow(&ex->visited, &ex->cap_visited, n, 1, err) < 0 ||
	    cscg_bfs_fit(&ex->search, n_nodes, err) < 0)
		return -1;
	memset(ex->tried, 0, pairs * sizeof *ex->tried);
	memset(ex->visited, 0, n);
	for (i = 0; i < pairs; i++)
		ex->next[i] = -1;
	ex->n_nodes = n_nodes;
	ex->actions = actions;
	ex->n_counted = 0;
	return 0;
}

/* Step t of the current episode was at node z, and the next at node to. */
static void
count_step(struct cscg_explore *ex, const struct cscg_walk *w, long t, int z,
    int to)
{
	int e = w->n_episodes - 1, a = w->a[w->start[e] + t];

	if (z < 0)
		return;
	ex->visited[z] = 1;
	/* After a reset, the next node is not the result of a. */
	if (a < 0 || cscg_walk_starts_run(w, e, w->start[e] + t + 1))
		return;
	ex->tried[(size_t)z * (size_t)ex->actions + (size_t)a]++;
	if (ex->by_symbol && to >= 0)
		ex->next[(size_t)z * (size_t)ex->actions + (size_t)a] = to;
}

/* The node of step t of the current episode. */
static int
node_at(const struct cscg_explore *ex, const struct cscg_walk *w, long t)
{
	if (ex->by_symbol)
		return w->x[w->start[w->n_episodes - 1] + t];
	return ex->path[t];
}

/*
 * Update the counts; the action of the last step is still unknown.  A single
 * new step is counted without decoding the path.
 */
static int
update_counts(struct cscg_explore *ex, struct cscg_knowledge *knowledge,
    int now, struct cscg_err *err)
{
	const struct cscg_plan_graph *graph = cscg_knowledge_graph(knowledge);
	const struct cscg_walk *w = cscg_knowledge_walk(knowledge);
	int e = w->n_episodes - 1;
	long n = w->start[e + 1] - w->start[e], t;

	if (ex->version != cscg_knowledge_version(knowledge) ||
	    ex->by_symbol != !graph) {
		ex->by_symbol = !graph;
		ex->version = cscg_knowledge_version(knowledge);
		if (reset_counts(ex, graph ? graph->n_states : w->head.n_obs,
			w->head.n_actions, err) < 0)
			return -1;
	} else if (ex->n_counted == n - 2) {
		count_step(ex, w, n - 2, ex->last_node, now);
		ex->n_counted++;
	}
	if (ex->n_counted < n - 1) {
		if (graph &&
		    cscg_knowledge_path(knowledge, &ex->path, &ex->cap_path,
			err) < 0)
			return -1;
		for (; ex->n_counted < n - 1; ex->n_counted++) {
			t = ex->n_counted;
			count_step(ex, w, t, node_at(ex, w, t),
			    node_at(ex, w, t + 1));
		}
	}
	ex->last_node = now;
	if (now >= 0)
		ex->visited[now] = 1;
	return 0;
}

static int
next_place(const struct cscg_explore *ex, const struct cscg_plan_graph *graph,
    int z, int a)
{
	return graph ? cscg_plan_graph_next(graph, a, z) :
		       ex->next[(size_t)z * (size_t)ex->actions + (size_t)a];
}

/* The least tried allowed action at z; ties: the first from first_tried on. */
static int
least_tried(const struct cscg_explore *ex, const int *allowed, int z,
    int first_tried)
{
	const int *tried = ex->tried + (size_t)z * (size_t)ex->actions;
	int i, a, best = -1;

	for (i = 0; i < ex->actions; i++) {
		a = (first_tried + i) % ex->actions;
		if (allowed[a] && (best < 0 || tried[a] < tried[best]))
			best = a;
	}
	return best;
}

/*
 * Priority of a node, lower is better: how often its least tried action was
 * tried, plus 1 for a visited node with the frontier policy.
 */
static long
priority(const struct cscg_explore *ex, const int *allowed, int z,
    int first_tried)
{
	int a = least_tried(ex, allowed, z, first_tried);

	return ex->tried[(size_t)z * (size_t)ex->actions + (size_t)a] +
	    (ex->kind == FRONTIER && ex->visited[z]);
}

/*
 * The first action, by the model's number, of a shortest path from node now to
 * the nearest node of the best priority, which is *least.
 */
static int
search(struct cscg_explore *ex, const struct cscg_plan_graph *graph,
    const int *allowed, int now, long *least)
{
	int first_tried = (int)cscg_rng_below(&ex->rng, ex->actions);
	struct cscg_bfs *b = &ex->search;
	int i, a, z, to, best = now;
	long w;

	*least = priority(ex, allowed, now, first_tried);
	cscg_bfs_clear(b);
	cscg_bfs_reach(b, now, -1, -1);
	while (*least > 0 && (z = cscg_bfs_next(b)) >= 0)
		for (i = 0; i < ex->actions; i++) {
			a = (first_tried + i) % ex->actions;
			to = allowed[a] ? next_place(ex, graph, z, a) : -1;
			if (to < 0 || !cscg_bfs_reach(b, to, z, a))
				continue;
			w = priority(ex, allowed, to, first_tried);
			if (w < *least) {
				*least = w;
				best = to;
			}
		}
	return best == now ? least_tried(ex, allowed, now, first_tried) :
			     cscg_bfs_first_label(b, best);
}

/* ---- the choice ---- */

static int
random_action(struct cscg_explore *ex)
{
	return ex->list[cscg_rng_below(&ex->rng, ex->n)];
}

/* A random action, repeated k times. */
static int
random_run(struct cscg_explore *ex, long k)
{
	if (ex->left-- > 0)
		return ex->last;
	ex->left = k - 1;
	ex->last = random_action(ex);
	return ex->last;
}

static int
choose_by_search(struct cscg_explore *ex, struct cscg_knowledge *knowledge,
    int *a, struct cscg_err *err)
{
	const struct cscg_walk *w = cscg_knowledge_walk(knowledge);
	const struct cscg_plan_graph *graph = cscg_knowledge_graph(knowledge);
	int now = graph ? cscg_knowledge_state(knowledge) :
			  w->x[w->n_steps - 1],
	    b, found;
	int *allowed;
	long least = 1, i;

	if (update_counts(ex, knowledge, now, err) < 0)
		return -1;
	allowed = cscg_alloc((size_t)ex->actions, sizeof *allowed, err);
	if (!allowed)
		return -1;
	for (b = 0; b < ex->actions; b++)
		for (i = 0; i < ex->n; i++)
			allowed[b] |= cscg_knowledge_action(knowledge, b) ==
			    ex->list[i];
	*a = -1;
	if (now >= 0 && least_tried(ex, allowed, now, 0) >= 0) {
		found = search(ex, graph, allowed, now, &least);
		if (least == 0 || !cscg_knowledge_learns(knowledge)) {
			*a = cscg_knowledge_action(knowledge, found);
			ex->left = 0;
		}
	}
	if (*a < 0)
		*a = random_run(ex, 1 + cscg_rng_below(&ex->rng, RUN_MAX));
	free(allowed);
	return 0;
}

int
cscg_explore_next(struct cscg_explore *ex, struct cscg_knowledge *knowledge,
    int *a, struct cscg_err *err)
{
	switch (ex->kind) {
	case COVER:
	case FRONTIER:
		return choose_by_search(ex, knowledge, a, err);
	case GIVEN:
		*a = ex->list[ex->at++ % ex->n];
		break;
	case RANDOM:
		*a = random_run(ex, ex->k);
		break;
	}
	return 0;
}
