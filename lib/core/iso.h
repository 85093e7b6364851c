/*
 * iso.h - are two graphs with named edges the same but for their numbering?
 */
#ifndef CSCG_ISO_H
#define CSCG_ISO_H

#include "base/err.h"

struct cscg_arc {
	int a, from, to;	/* kind (action), 0 <= from, to < n */
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
