/*
 * rooms.c - rooms and doors, found in a graph by themselves
 *
 * Pieces are cut in two until no cut is narrow enough.  In a graph that was
 * learned, a state may stand for two places at once: its moves lead to either,
 * and it joins rooms that have nothing to do with each other.  Such states are
 * set aside and given to a room in the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/rooms.h"
#include "schema/rooms_cut.h"

/* A move is in doubt if no place it leads to has such a share. */
#define CERTAIN_SHARE 0.75
/* In a world of chance so many are in doubt that it means nothing. */
#define AMBIGUOUS_SHARE_MAX 0.1

struct split_job {
	const struct cscg_partition_options *set;
	const struct cscg_wgraph *graph;
	struct cscg_partition *r;
	bool any_ambiguous;
	int n_rooms;		/* numbers given so far */
	int *size;		/* [3 * n_nodes] of the rooms with a number */
	int *index, *node;	/* [n_nodes] scratch */
};

void
cscg_partition_free(struct cscg_partition *r)
{
	if (!r)
		return;
	free(r->room);
	free(r->size);
	free(r->class_of);
	free(r->same_node);
	free(r->is_ambiguous);
	free(r->exit);
	free(r);
}

/* ---- states in doubt ---- */

/* Mark them; are there any? */
static bool
find_ambiguous(const struct cscg_graph *g, char *is_ambiguous)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;
	int v, n = 0;

	for (row = 0; row < rows; row++) {
		double most = 0;

		for (i = g->first[row]; i < g->first[row + 1]; i++)
			most = g->share[i] > most ? g->share[i] : most;
		if (g->first[row] < g->first[row + 1] && most < CERTAIN_SHARE)
			is_ambiguous[row % g->n_nodes] = 1;
	}
	for (v = 0; v < g->n_nodes; v++)
		n += is_ambiguous[v];
	if (n <= AMBIGUOUS_SHARE_MAX * g->n_nodes)
		return n > 0;
	memset(is_ambiguous, 0, (size_t)g->n_nodes);
	return false;
}

/*
 * What hangs together is a room to begin with.  But where something large is
 * left of it without the states in doubt, each such piece is, and all else is
 * set aside (-1).
 */
static int
init_rooms(struct split_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->graph->n;
	int *component = cscg_alloc(4 * n, sizeof *component, err), v, rc;
	int *room = job->r->room, *size, *number, *large;

	if (!component)
		return -1;
	size = component + n;
	number = size + n;
	large = number + n;
	rc = job->n_rooms = cscg_wgraph_components(job->graph, NULL, room, err);
	if (rc >= 0 && job->any_ambiguous)
		rc = cscg_wgraph_components(job->graph, job->r->is_ambiguous, component, err);
	if (rc < 0 || !job->any_ambiguous)
		goto out;
	for (v = 0; v < job->graph->n; v++)
		size[component[v]] += !job->r->is_ambiguous[v];
	for (v = 0; v < job->graph->n; v++)
		large[room[v]] |= size[component[v]] >= job->set->min_size;
	for (v = 0; v < job->graph->n; v++) {
		if (!large[room[v]])
			continue;
		if (size[component[v]] >= job->set->min_size && !number[component[v]])
			number[component[v]] = ++job->n_rooms;
		room[v] = number[component[v]] - 1;
	}
out:
	free(component);
	return rc < 0 ? -1 : 0;
}

/* The room that v hangs on most, of those it hangs on at all; or -1. */
static int
nearest_room(const struct split_job *job, int v, double *attachment)
{
	const struct cscg_wgraph *w = job->graph;
	int best = -1;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++) {
		int r = job->r->room[w->to[i]];

		if (r < 0)
			continue;
		attachment[r] += w->w[i];
		if (best < 0 || attachment[r] > attachment[best] ||
		    (attachment[r] == attachment[best] && r < best))
			best = r;
	}
	for (i = w->first[v]; i < w->first[v + 1]; i++)
		if (job->r->room[w->to[i]] >= 0)
			attachment[job->r->room[w->to[i]]] = 0;
	return best;
}

/* What was set aside goes to a room; it hangs on one, or on what does. */
static int
assign_ambiguous(struct split_job *job, struct cscg_err *err)
{
	double *attachment = cscg_alloc((size_t)job->n_rooms, sizeof *attachment, err);
	int v, changed = 1;

	if (!attachment)
		return -1;
	while (changed)
		for (v = 0, changed = 0; v < job->graph->n; v++)
			if (job->r->room[v] < 0) {
				job->r->room[v] = nearest_room(job, v, attachment);
				changed |= job->r->room[v] >= 0;
			}
	free(attachment);
	return 0;
}

/* ---- rooms ---- */

/*
 * Divide room r, if it can be: it keeps its first piece, the others become
 * rooms of their own.  Returns 1 if it was, 0 if not.
 */
static int
split_room(struct split_job *job, int r, struct cscg_err *err)
{
	struct cscg_wgraph *part;
	int *component = NULL, *room = job->r->room, n = 0, v, n_components, rc = -1;
	char *side = NULL;

	if (job->size[r] < 2 * job->set->min_size)
		return 0;
	for (v = 0; v < job->graph->n; v++)
		if (room[v] == r)
			job->node[n++] = v;
	part = cscg_wgraph_subgraph(job->graph, job->node, n, job->index, err);
	if (part) {
		side = cscg_alloc((size_t)n, 1, err);
		component = cscg_alloc((size_t)n, sizeof *component, err);
	}
	if (side && component)
		rc = cscg_partition_cut(part, job->set, side, component, err);
	if (rc > 0) {
		n_components = cscg_wgraph_components(part, side, component, err);
		job->size[r] = 0;
		for (v = 0; v < n && n_components > 0; v++) {
			if (component[v])
				room[job->node[v]] = job->n_rooms + component[v] -
				    1;
			job->size[room[job->node[v]]]++;
		}
		job->n_rooms += n_components - 1;
		rc = n_components < 0 ? -1 : 1;
	}
	free(side);
	free(component);
	cscg_wgraph_free(part);
	return rc;
}

/* Number rooms by their first node; some numbers may have none. */
static int
renumber(struct split_job *job, struct cscg_err *err)
{
	int *number = cscg_alloc((size_t)job->n_rooms, sizeof *number, err);
	int v, n = 0, *room = job->r->room;

	if (!number)
		return -1;
	for (v = 0; v < job->graph->n; v++) {
		if (!number[room[v]])
			number[room[v]] = ++n;
		room[v] = number[room[v]] - 1;
	}
	job->r->n = n;
	free(number);
	return 0;
}

static int
split_all(struct split_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->graph->n;
	int r, rc, v;

	job->index = cscg_alloc(n, sizeof *job->index, err);
	job->node = cscg_alloc(n, sizeof *job->node, err);
	job->size = cscg_alloc(3 * n, sizeof *job->size, err);
	if (!job->index || !job->node || !job->size)
		return -1;
	memset(job->index, -1, n * sizeof *job->index);
	if (init_rooms(job, err) < 0)
		return -1;
	for (v = 0; v < job->graph->n; v++)
		if (job->r->room[v] >= 0)
			job->size[job->r->room[v]]++;
	/* A room stays in hand until it can be divided no more. */
	for (r = 0; r < job->n_rooms; ) {
		rc = split_room(job, r, err);
		if (rc < 0)
			return -1;
		r += !rc;
	}
	if (assign_ambiguous(job, err) < 0)
		return -1;
	return renumber(job, err);
}

int
cscg_partition_exit_compare(const void *pa, const void *pb)
{
	const struct cscg_partition_exit *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* A state that may be elsewhere opens no door. */
static int
find_exits(const struct cscg_graph *g, struct cscg_partition *r,
    struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;

	r->exit = cscg_alloc((size_t)g->first[rows], sizeof *r->exit, err);
	if (!r->exit)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int from = (int)(row % g->n_nodes), to = g->to[i];

			if (r->room[from] != r->room[to] && !r->is_ambiguous[from] &&
			    !r->is_ambiguous[to])
				r->exit[r->n_exits++] = (struct cscg_partition_exit){
				    from, (int)(row / g->n_nodes), to };
		}
	qsort(r->exit, (size_t)r->n_exits, sizeof *r->exit, cscg_partition_exit_compare);
	return 0;
}

static int
find_rooms(const struct cscg_graph *g, const struct cscg_partition_options *set,
    struct cscg_partition *r, struct cscg_err *err)
{
	struct cscg_wgraph *graph = cscg_wgraph_of_graph(g, err);
	struct split_job job = { .set = set, .graph = graph, .r = r };
	int v, rc = -1;

	job.any_ambiguous = find_ambiguous(g, r->is_ambiguous);
	if (graph)
		rc = split_all(&job, err);
	free(job.index);
	free(job.node);
	free(job.size);
	cscg_wgraph_free(graph);
	if (rc < 0)
		return -1;
	r->size = cscg_alloc((size_t)r->n, sizeof *r->size, err);
	if (!r->size)
		return -1;
	for (v = 0; v < r->n_nodes; v++)
		r->size[r->room[v]]++;
	return find_exits(g, r, err);
}

struct cscg_partition *
cscg_partition_new(const struct cscg_graph *g, const struct cscg_partition_options *set,
    struct cscg_err *err)
{
	struct cscg_partition *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->n_nodes = g->n_nodes;
	r->room = cscg_alloc((size_t)g->n_nodes, sizeof *r->room, err);
	r->is_ambiguous = cscg_alloc((size_t)g->n_nodes, 1, err);
	if (!r->room || !r->is_ambiguous || find_rooms(g, set, r, err) < 0 ||
	    cscg_partition_classify(g, r, err) < 0) {
		cscg_partition_free(r);
		return NULL;
	}
	return r;
}
