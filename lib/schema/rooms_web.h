/*
 * rooms_web.h - how strongly the nodes of a graph hang together
 *
 * The weight between two nodes is the sum, over all actions and both ways, of
 * the shares of the moves between them.  A move that stays has no weight.
 */
#ifndef CSCG_ROOMS_WEB_H
#define CSCG_ROOMS_WEB_H

#include "base/error.h"
#include "core/graph.h"

/* Weights by row, columns ascending; symmetric, > 0, nothing on the diagonal. */
struct cscg_wgraph {
	int n;
	long *first;		/* [n + 1] */
	int *to;
	double *w;
	double *degree;		/* [n] sum of a row */
};

/* NULL with err filled (CSCG_ENOMEM). */
struct cscg_wgraph *cscg_wgraph_of_graph(const struct cscg_graph *g,
    struct cscg_err *err);

/*
 * The weights among n nodes, which ascend; they are numbered in their order.
 * place has a -1 for each node of w, and has so again at the end.
 */
struct cscg_wgraph *cscg_wgraph_subgraph(const struct cscg_wgraph *w, const int *node,
    int n, int *index, struct cscg_err *err);
void cscg_wgraph_free(struct cscg_wgraph *w);

/*
 * The pieces that hang together among nodes of the same side (side NULL: all
 * are): piece[v] counts from 0, by their first node.  Returns how many, or -1
 * with err filled (CSCG_ENOMEM).
 */
int cscg_wgraph_components(const struct cscg_wgraph *w, const char *side, int *component,
    struct cscg_err *err);

#endif
