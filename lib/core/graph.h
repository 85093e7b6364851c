/*
 * graph.h - labelled directed graphs of models and rooms: breadth-first
 * search, components, isomorphism
 *
 * A graph here is a set of nodes and, for each action, directed edges between
 * them: a room's nodes and transitions, or a model's states and the
 * transitions with counts.  Smoothing mass adds no edges: the share of an edge
 * of a model is C[a][j][k] / sum_k C[a][j][k].
 */
#ifndef CSCG_GRAPH_H
#define CSCG_GRAPH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"

struct cscg_arc {
	int a, from, to; /* label (action), nodes */
};

/* By from, a, to: for qsort() and bsearch() of structs that begin with an arc. */
int cscg_arc_compare(const void *left, const void *right);

struct cscg_graph {
	int n_nodes, n_actions;
	int n_labels;  /* symbols, or groups of clones */
	int *label;    /* [n_nodes] symbol or group, or NULL */
	bool grounded; /* labels are symbols, not groups of clones */
	long *first;   /* [n_actions * n_nodes + 1] as in room.h */
	int *to;
	double *share;      /* model: fraction of the counts of its row;
	                       room: probability */
	double *p;          /* probability; of a model with smoothing */
	double *count;      /* NULL for a room */
	double *confidence; /* of learned edges (learned.h), or NULL */
	double *own_coords; /* coordinates given by cscg_graph_set_coords() */
	/* Borrowed from the model or room, which must live as long: */
	const double *coords; /* [n_nodes * 2] or NULL; NaN: unknown */
	const int *part;      /* [n_nodes] as in room.h, or NULL */
	const struct cscg_names *actions, *symbols;
	int rows, cols; /* as in room.h */
	bool wrap_rows, wrap_cols;
};

/*
 * A graph with space for n_edges edges, all zero; label and count are
 * allocated if requested.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_graph *cscg_graph_new(int n_nodes, int n_actions, long n_edges,
    bool labels, bool counts, struct cscg_err *err);

/*
 * The graph of the transitions with a share of at least min_share (0: all).
 * The label of a state with several symbols is the most probable symbol.  NULL
 * with err filled (CSCG_ENOMEM).
 */
struct cscg_graph *cscg_graph_of_model(const struct cscg_model *m,
    double min_share, struct cscg_err *err);
void cscg_graph_free(struct cscg_graph *g);

/*
 * Give each node v of g the coordinates of node map[v] of truth, on the same
 * grid; a negative map[v] leaves v without coordinates.  Nodes mapped to the
 * same node are placed on a small circle around its coordinates.
 *
 * Returns 0, or -1 with err filled: CSCG_EMISMATCH if truth has no
 * coordinates, CSCG_ENOMEM.
 */
int cscg_graph_set_coords(struct cscg_graph *g, const struct cscg_graph *truth,
    const int *map, struct cscg_err *err);

/*
 * The edges of a graph or room by target: from[in_first[v]] ... are the nodes of
 * those that lead to v, in the order of to, and edge[] their numbers there (edge
 * may be NULL).  Edges of action `without` are left out (-1: none).  in_first has
 * n_nodes + 1 items, from and edge one for each edge.
 */
void cscg_edges_by_target(int n_nodes, int n_actions, const long *first,
    const int *to, int without, long *in_first, int *from, long *edge);

/*
 * The number of weakly or strongly connected components; *largest (may be
 * NULL) is the number of nodes of the largest one.  -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_graph_components(const struct cscg_graph *g, bool strong,
    int *largest, struct cscg_err *err);

/*
 * Breadth-first search, in any graph whose nodes are numbers: the caller
 * enumerates edges, and so decides which there are and in which order, and
 * when the search ends.
 *
 *	cscg_bfs_clear(b);
 *	cscg_bfs_reach(b, start, -1, -1);
 *	while ((v = cscg_bfs_next(b)) >= 0)
 *		for (a = 0; a < n_actions; a++)
 *			cscg_bfs_reach(b, successor(v, a), v, a);
 *
 * An all-zero struct is empty.
 */
struct cscg_bfs {
	int n;         /* nodes */
	int *distance; /* [n] edges from the nearest source; -1: not reached */
	int *previous; /* [n] node before on a shortest path; -1: a source */
	int *label;    /* [n] label of that edge, as given to
	                  cscg_bfs_reach() */
	int *queue;    /* [n_reached] in the order reached: nearest first */
	int n_reached, n_expanded;
	int cap;
	struct cscg_bfs_edge *waiting; /* [n_waiting] of cscg_bfs_wait() */
	size_t n_waiting, cap_waiting;
};

/* An edge to v that is longer than one: v is at this distance by it. */
struct cscg_bfs_edge {
	int v, previous, label, distance;
};

/* Room for n nodes, none reached.  -1 with err filled (CSCG_ENOMEM). */
int cscg_bfs_fit(struct cscg_bfs *b, int n, struct cscg_err *err);
void cscg_bfs_free(struct cscg_bfs *b); /* b is empty afterwards */

/* Make all nodes unreached, in time proportional to those reached. */
void cscg_bfs_clear(struct cscg_bfs *b);

/* Reach v from node previous, -1: v is a source.  True if v is new. */
static inline bool
cscg_bfs_reach(struct cscg_bfs *b, int v, int previous, int label)
{
	if (b->distance[v] >= 0)
		return false;
	b->distance[v] = previous < 0 ? 0 : b->distance[previous] + 1;
	b->previous[v] = previous;
	b->label[v] = label;
	b->queue[b->n_reached++] = v;
	return true;
}

/*
 * Reach v by an edge of length >= 1, unless a shorter path exists: at once, as
 * cscg_bfs_reach(), for length 1, otherwise when nodes at that distance are
 * expanded.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_bfs_wait(struct cscg_bfs *b, int v, int previous, int label,
    int length, struct cscg_err *err);
void cscg_bfs_end_waiting(struct cscg_bfs *b); /* of cscg_bfs_next() */

/* The next node to expand, in order of distance; -1: the queue is empty. */
static inline int
cscg_bfs_next(struct cscg_bfs *b)
{
	if (b->n_waiting)
		cscg_bfs_end_waiting(b);
	return b->n_expanded < b->n_reached ? b->queue[b->n_expanded++] : -1;
}

/*
 * The labels of a shortest path to v, which was reached, from its source.
 * Returns the number of edges; labels has room for them.
 */
int cscg_bfs_path(const struct cscg_bfs *b, int v, int *labels);

/* The label of the first edge of that path; that of v if v is a source. */
int cscg_bfs_first_label(const struct cscg_bfs *b, int v);

/*
 * The connected component of each of n nodes: components are numbered from 0
 * in the order of their first nodes.  to[first[v]] .. to[first[v + 1] - 1] are
 * the neighbours of v, and v is a neighbour of each.  side[n], if not NULL:
 * edges between nodes of different sides are ignored.  Returns the number of
 * components, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_connected_components(int n, const long *first, const int *to,
    const char *side, int *component, struct cscg_err *err);

/*
 * Disjoint sets of nodes (union-find): a forest in which a root is its own
 * parent.  cscg_sets_join() makes the smaller number the root, so that the
 * result does not depend on the order of calls; a caller that chooses the root
 * itself sets the parent of the other root.
 */
void cscg_sets_init(int *parent, int n);        /* n sets of one node */
int cscg_sets_root(int *parent, int v);         /* of the set of v */
void cscg_sets_join(int *parent, int u, int v); /* the sets of both */

/*
 * isomorphism of two graphs with labelled nodes and edges
 */

/* One of the two graphs: a label for each of n nodes, and distinct arcs in any
 * order. */
struct cscg_iso_graph {
	const int *label;
	const struct cscg_arc *arc;
	long n_arcs;
};

/*
 * Find an isomorphism: a bijection from the n nodes of left to those of right
 * that preserves labels, arcs and the absence of arcs.  On entry map[v] is a
 * node of right that node v of left must map to, or -1.
 *
 * Returns 1 with map filled; 0 with map untouched if no isomorphism exists; -1
 * with err filled (CSCG_ERANGE if the search exceeds its limit of work, which
 * is the same on every machine; CSCG_ENOMEM).
 */
int cscg_graph_isomorphism(int n, const struct cscg_iso_graph *left,
    const struct cscg_iso_graph *right, int *map, struct cscg_err *err);

#endif
