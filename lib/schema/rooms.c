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
#define SURE 0.75
/* In a world of chance so many are in doubt that it means nothing. */
#define DOUBT_MAX 0.1

struct job {
	const struct cscg_rooms_set *set;
	const struct cscg_web *web;
	struct cscg_rooms *r;
	bool any_doubt;
	int n_rooms;		/* numbers given so far */
	int *size;		/* [3 * n_nodes] of the rooms with a number */
	int *place, *node;	/* [n_nodes] scratch */
};

void
cscg_rooms_free(struct cscg_rooms *r)
{
	if (!r)
		return;
	free(r->room);
	free(r->size);
	free(r->equal);
	free(r->same);
	free(r->doubt);
	free(r->exit);
	free(r);
}

/* ---- states in doubt ---- */

/* Mark them; are there any? */
static bool
find_doubt(const struct cscg_graph *g, char *doubt)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;
	int v, n = 0;

	for (row = 0; row < rows; row++) {
		double most = 0;

		for (i = g->first[row]; i < g->first[row + 1]; i++)
			most = g->share[i] > most ? g->share[i] : most;
		if (g->first[row] < g->first[row + 1] && most < SURE)
			doubt[row % g->n_nodes] = 1;
	}
	for (v = 0; v < g->n_nodes; v++)
		n += doubt[v];
	if (n <= DOUBT_MAX * g->n_nodes)
		return n > 0;
	memset(doubt, 0, (size_t)g->n_nodes);
	return false;
}

/*
 * What hangs together is a room to begin with.  But where something large is
 * left of it without the states in doubt, each such piece is, and all else is
 * set aside (-1).
 */
static int
begin(struct job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->web->n;
	int *piece = cscg_alloc(4 * n, sizeof *piece, err), v, rc;
	int *room = job->r->room, *size, *number, *large;

	if (!piece)
		return -1;
	size = piece + n;
	number = size + n;
	large = number + n;
	rc = job->n_rooms = cscg_web_pieces(job->web, NULL, room, err);
	if (rc >= 0 && job->any_doubt)
		rc = cscg_web_pieces(job->web, job->r->doubt, piece, err);
	if (rc < 0 || !job->any_doubt)
		goto out;
	for (v = 0; v < job->web->n; v++)
		size[piece[v]] += !job->r->doubt[v];
	for (v = 0; v < job->web->n; v++)
		large[room[v]] |= size[piece[v]] >= job->set->least;
	for (v = 0; v < job->web->n; v++) {
		if (!large[room[v]])
			continue;
		if (size[piece[v]] >= job->set->least && !number[piece[v]])
			number[piece[v]] = ++job->n_rooms;
		room[v] = number[piece[v]] - 1;
	}
out:
	free(piece);
	return rc < 0 ? -1 : 0;
}

/* The room that v hangs on most, of those it hangs on at all; or -1. */
static int
nearest(const struct job *job, int v, double *pull)
{
	const struct cscg_web *w = job->web;
	int best = -1;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++) {
		int r = job->r->room[w->to[i]];

		if (r < 0)
			continue;
		pull[r] += w->w[i];
		if (best < 0 || pull[r] > pull[best] ||
		    (pull[r] == pull[best] && r < best))
			best = r;
	}
	for (i = w->first[v]; i < w->first[v + 1]; i++)
		if (job->r->room[w->to[i]] >= 0)
			pull[job->r->room[w->to[i]]] = 0;
	return best;
}

/* What was set aside goes to a room; it hangs on one, or on what does. */
static int
take_back(struct job *job, struct cscg_err *err)
{
	double *pull = cscg_alloc((size_t)job->n_rooms, sizeof *pull, err);
	int v, changed = 1;

	if (!pull)
		return -1;
	while (changed)
		for (v = 0, changed = 0; v < job->web->n; v++)
			if (job->r->room[v] < 0) {
				job->r->room[v] = nearest(job, v, pull);
				changed |= job->r->room[v] >= 0;
			}
	free(pull);
	return 0;
}

/* ---- rooms ---- */

/*
 * Divide room r, if it can be: it keeps its first piece, the others become
 * rooms of their own.  Returns 1 if it was, 0 if not.
 */
static int
divide(struct job *job, int r, struct cscg_err *err)
{
	struct cscg_web *part;
	int *piece = NULL, *room = job->r->room, n = 0, v, pieces, rc = -1;
	char *side = NULL;

	if (job->size[r] < 2 * job->set->least)
		return 0;
	for (v = 0; v < job->web->n; v++)
		if (room[v] == r)
			job->node[n++] = v;
	part = cscg_web_part(job->web, job->node, n, job->place, err);
	if (part) {
		side = cscg_alloc((size_t)n, 1, err);
		piece = cscg_alloc((size_t)n, sizeof *piece, err);
	}
	if (side && piece)
		rc = cscg_web_cut(part, job->set, side, piece, err);
	if (rc > 0) {
		pieces = cscg_web_pieces(part, side, piece, err);
		job->size[r] = 0;
		for (v = 0; v < n && pieces > 0; v++) {
			if (piece[v])
				room[job->node[v]] = job->n_rooms + piece[v] -
				    1;
			job->size[room[job->node[v]]]++;
		}
		job->n_rooms += pieces - 1;
		rc = pieces < 0 ? -1 : 1;
	}
	free(side);
	free(piece);
	cscg_web_free(part);
	return rc;
}

/* Number rooms by their first node; some numbers may have none. */
static int
renumber(struct job *job, struct cscg_err *err)
{
	int *number = cscg_alloc((size_t)job->n_rooms, sizeof *number, err);
	int v, n = 0, *room = job->r->room;

	if (!number)
		return -1;
	for (v = 0; v < job->web->n; v++) {
		if (!number[room[v]])
			number[room[v]] = ++n;
		room[v] = number[room[v]] - 1;
	}
	job->r->n = n;
	free(number);
	return 0;
}

static int
divide_all(struct job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->web->n;
	int r, rc, v;

	job->place = cscg_alloc(n, sizeof *job->place, err);
	job->node = cscg_alloc(n, sizeof *job->node, err);
	job->size = cscg_alloc(3 * n, sizeof *job->size, err);
	if (!job->place || !job->node || !job->size)
		return -1;
	memset(job->place, -1, n * sizeof *job->place);
	if (begin(job, err) < 0)
		return -1;
	for (v = 0; v < job->web->n; v++)
		if (job->r->room[v] >= 0)
			job->size[job->r->room[v]]++;
	/* A room stays in hand until it can be divided no more. */
	for (r = 0; r < job->n_rooms; ) {
		rc = divide(job, r, err);
		if (rc < 0)
			return -1;
		r += !rc;
	}
	if (take_back(job, err) < 0)
		return -1;
	return renumber(job, err);
}

int
cscg_doorway_order(const void *pa, const void *pb)
{
	const struct cscg_doorway *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* A state that may be elsewhere opens no door. */
static int
find_exits(const struct cscg_graph *g, struct cscg_rooms *r,
    struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;

	r->exit = cscg_alloc((size_t)g->first[rows], sizeof *r->exit, err);
	if (!r->exit)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int from = (int)(row % g->n_nodes), to = g->to[i];

			if (r->room[from] != r->room[to] && !r->doubt[from] &&
			    !r->doubt[to])
				r->exit[r->n_exits++] = (struct cscg_doorway){
				    from, (int)(row / g->n_nodes), to };
		}
	qsort(r->exit, (size_t)r->n_exits, sizeof *r->exit, cscg_doorway_order);
	return 0;
}

static int
find(const struct cscg_graph *g, const struct cscg_rooms_set *set,
    struct cscg_rooms *r, struct cscg_err *err)
{
	struct cscg_web *web = cscg_web_of_graph(g, err);
	struct job job = { .set = set, .web = web, .r = r };
	int v, rc = -1;

	job.any_doubt = find_doubt(g, r->doubt);
	if (web)
		rc = divide_all(&job, err);
	free(job.place);
	free(job.node);
	free(job.size);
	cscg_web_free(web);
	if (rc < 0)
		return -1;
	r->size = cscg_alloc((size_t)r->n, sizeof *r->size, err);
	if (!r->size)
		return -1;
	for (v = 0; v < r->n_nodes; v++)
		r->size[r->room[v]]++;
	return find_exits(g, r, err);
}

struct cscg_rooms *
cscg_rooms_new(const struct cscg_graph *g, const struct cscg_rooms_set *set,
    struct cscg_err *err)
{
	struct cscg_rooms *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->n_nodes = g->n_nodes;
	r->room = cscg_alloc((size_t)g->n_nodes, sizeof *r->room, err);
	r->doubt = cscg_alloc((size_t)g->n_nodes, 1, err);
	if (!r->room || !r->doubt || find(g, set, r, err) < 0 ||
	    cscg_rooms_compare(g, r, err) < 0) {
		cscg_rooms_free(r);
		return NULL;
	}
	return r;
}
