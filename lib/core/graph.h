/*
 * graph.h - labelled directed graphs of models and rooms: components,
 * isomorphism
 *
 * A graph here is a set of nodes and, for each action, directed edges between
 * them: a room's nodes and moves, or a model's states and the transitions it
 * has counts for.  Smoothing mass is no edge: an edge of a model weighs
 * C[a][j][k] / sum_k C[a][j][k], its share.
 */
#ifndef CSCG_GRAPH_H
#define CSCG_GRAPH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"

struct cscg_graph {
	int n_nodes, n_actions;
	int n_labels;  /* symbols, or groups of clones */
	int *label;    /* [n_nodes] symbol or group, or NULL */
	bool grounded; /* labels are symbols, not mere groups */
	long *first;   /* [n_actions * n_nodes + 1] as in room.h */
	int *to;
	double *share;      /* of the counts of its row, or probability */
	double *p;          /* probability, a model's smoothing included */
	double *count;      /* NULL for a room */
	double *own_coords; /* coordinates given by cscg_graph_set_coords() */
	/* Borrowed from the model or room, which must live as long: */
	const double *coords; /* [n_nodes * 2] or NULL; NaN: not known */
	const int *part;      /* [n_nodes] as in room.h, or NULL */
	const struct cscg_names *actions, *symbols;
	int rows, cols; /* as in room.h */
	bool wrap_rows, wrap_cols;
};

/*
 * A graph with space for n_edges edges, all zero; labels and counts are there
 * if asked for.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_graph *cscg_graph_new(int n_nodes, int n_actions, long n_edges,
    bool labels, bool counts, struct cscg_err *err);

/*
 * The edges of a share of at least min_share (0: all that are there).  The
 * label of a state with several symbols is its likeliest one.  NULL with err
 * filled (CSCG_ENOMEM).
 */
struct cscg_graph *cscg_graph_of_model(const struct cscg_model *m,
    double min_share, struct cscg_err *err);
void cscg_graph_free(struct cscg_graph *g);

/*
 * Put each node v of g where node map[v] of truth stands, on the same grid; a
 * negative map[v] leaves it without a place.  Nodes with a place in common
 * stand in a small circle around it.
 *
 * Returns 0, or -1 with err filled: CSCG_EMISMATCH if truth has no coordinates,
 * CSCG_ENOMEM.
 */
int cscg_graph_set_coords(struct cscg_graph *g, const struct cscg_graph *truth,
    const int *map, struct cscg_err *err);

/*
 * The number of components, and the nodes of the largest in *largest (may be
 * NULL): weakly connected ones, or strongly (each node can reach each other).
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_graph_components(const struct cscg_graph *g, bool strong,
    int *largest, struct cscg_err *err);

/*
 * are two graphs with named edges the same but for their numbering?
 */

struct cscg_arc {
	int a, from, to; /* kind (action), 0 <= from, to < n */
};

/* One of the two graphs: n nodes with a label each, and its arcs, all
 * different, in any order. */
struct cscg_iso_graph {
	const int *label;
	const struct cscg_arc *arc;
	long n_arcs;
};

/*
 * Look for a bijection of the n nodes of left and right that keeps labels and
 * arcs, both ways.  map[v] for each node v of left is -1, or a node of right
 * that v must go to.
 *
 * Returns 1 with map filled; 0 with map untouched if there is none; -1 with
 * err filled (CSCG_ERANGE if the search took too long and was given up, the
 * same on every machine; CSCG_ENOMEM).
 */
int cscg_graph_isomorphism(int n, const struct cscg_iso_graph *left,
    const struct cscg_iso_graph *right, int *map, struct cscg_err *err);

#endif
