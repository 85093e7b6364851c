/*
 * rooms_same.c - which rooms of a graph are equal but for their doors
 *
 * A room becomes a graph of its own whose exits lead back to where they start,
 * as walls do.  Whether two such graphs are the same is for iso.c: moves are
 * mostly certain, so that one pair of nodes fixes all others.
 */
#include <stdlib.h>

#include "core/graph.h"
#include "base/mem.h"
#include "schema/rooms.h"

/* One room, nodes numbered in their order. */
struct room_graph {
	int n;
	const int *node;	/* [n] of the graph */
	struct cscg_arc *arc;
	long n_arcs;
};

struct classify_job {
	const struct cscg_graph *g;
	struct cscg_partition *r;
	int *node;		/* [n_nodes] room by room */
	int *first;		/* [n + 1] where those of a room begin */
	int *index;		/* [n_nodes] the number of a node in its room */
	int *label;		/* [n_nodes] none looks different */
	int *map;		/* [n_nodes] scratch */
};

static int
by_arc(const void *pa, const void *pb)
{
	const struct cscg_arc *x = pa, *y = pb;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* All arcs of a room, each once: two exits of a node are one wall. */
static int
extract_arcs(const struct classify_job *job, int room, struct room_graph *p, struct cscg_err *err)
{
	const struct cscg_graph *g = job->g;
	long i, row, n = 0, kept = 0;
	int a, j, v;

	p->n = job->first[room + 1] - job->first[room];
	p->node = job->node + job->first[room];
	for (a = 0; a < g->n_actions; a++)
		for (j = 0; j < p->n; j++) {
			row = (long)a * g->n_nodes + p->node[j];
			n += g->first[row + 1] - g->first[row];
		}
	p->arc = cscg_alloc((size_t)n, sizeof *p->arc, err);
	if (!p->arc)
		return -1;
	for (a = 0, n = 0; a < g->n_actions; a++)
		for (j = 0; j < p->n; j++) {
			row = (long)a * g->n_nodes + p->node[j];
			for (i = g->first[row]; i < g->first[row + 1]; i++) {
				v = g->to[i];
				p->arc[n++] = (struct cscg_arc){ a, j,
				    job->r->room[v] == room ? job->index[v] : j };
			}
		}
	qsort(p->arc, (size_t)n, sizeof *p->arc, by_arc);
	for (i = 0; i < n; i++)
		if (!i || by_arc(&p->arc[i], &p->arc[i - 1]))
			p->arc[kept++] = p->arc[i];
	p->n_arcs = kept;
	return 0;
}

/* Is b what a is?  Then job->map takes b's nodes to a's. */
static int
is_isomorphic(const struct classify_job *job, const struct room_graph *a, const struct room_graph *b,
    struct cscg_err *err)
{
	struct cscg_iso_graph left = { job->label, b->arc, b->n_arcs };
	struct cscg_iso_graph right = { job->label, a->arc, a->n_arcs };
	int j;

	if (a->n != b->n)
		return 0;
	for (j = 0; j < b->n; j++)
		job->map[j] = -1;
	return cscg_graph_isomorphism(b->n, &left, &right, job->map, err);
}

/* Find the class of a room among those of the rooms before it. */
static int
classify_room(const struct classify_job *job, struct room_graph *p, int room,
    struct cscg_err *err)
{
	struct cscg_partition *r = job->r;
	int c, j, rc = 0;

	for (c = 0; c < room; c++) {
		if (r->class_of[c] == c)
			rc = is_isomorphic(job, &p[c], &p[room], err);
		if (rc)
			break;
	}
	if (rc < 0)
		return cscg_fail_at(err, "rooms %d and %d", c, room);
	r->class_of[room] = c;
	for (j = 0; j < p[room].n; j++)
		r->same_node[p[room].node[j]] = p[c].node[rc ? job->map[j] : j];
	return 0;
}

/* The nodes of each room, one after the other. */
static void
sort_nodes(struct classify_job *job)
{
	struct cscg_partition *r = job->r;
	int v, k;

	for (k = 0; k < r->n; k++)
		job->first[k + 1] = job->first[k] + r->size[k];
	for (v = 0; v < r->n_nodes; v++)
		job->node[job->first[r->room[v]]++] = v;
	for (k = r->n; k > 0; k--)
		job->first[k] = job->first[k - 1];
	job->first[0] = 0;
	for (v = 0; v < r->n_nodes; v++)
		job->index[job->node[v]] = v - job->first[r->room[job->node[v]]];
}

static int
classify_all(struct classify_job *job, struct cscg_err *err)
{
	struct room_graph *p = cscg_alloc((size_t)job->r->n, sizeof *p, err);
	int k, rc = p ? 0 : -1;

	for (k = 0; rc == 0 && k < job->r->n; k++) {
		rc = extract_arcs(job, k, &p[k], err);
		if (rc == 0)
			rc = classify_room(job, p, k, err);
	}
	for (k = 0; p && k < job->r->n; k++)
		free(p[k].arc);
	free(p);
	return rc;
}

int
cscg_partition_classify(const struct cscg_graph *g, struct cscg_partition *r,
    struct cscg_err *err)
{
	size_t n = (size_t)r->n_nodes;
	struct classify_job job = { .g = g, .r = r };
	int rc = -1;

	r->class_of = cscg_alloc((size_t)r->n, sizeof *r->class_of, err);
	r->same_node = cscg_alloc(n, sizeof *r->same_node, err);
	job.first = cscg_alloc((size_t)r->n + 1, sizeof *job.first, err);
	job.node = cscg_alloc(4 * n, sizeof *job.node, err);
	if (r->class_of && r->same_node && job.first && job.node) {
		job.index = job.node + n;
		job.label = job.index + n;
		job.map = job.label + n;
		sort_nodes(&job);
		rc = classify_all(&job, err);
	}
	free(job.first);
	free(job.node);
	return rc;
}
