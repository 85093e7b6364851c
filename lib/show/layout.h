/*
 * layout.h - coordinates of the nodes of a graph for drawing
 *
 * Two pictures: a flat one, and a solid one that can be turned, in which a torus
 * is a doughnut.  The unit is the length of a move.  x goes right, y down and z
 * towards the beholder.
 *
 * Flat places are the graph's own coordinates if it has them and no two nodes
 * share theirs.  Others have low stress (stress.h), and where each action
 * goes about the same way everywhere, it is made to go exactly that way: so a
 * grid is a grid.  Actions that are called up, down, left and right, or by the
 * points of the compass, go there as far as turning and mirroring the picture
 * can do it.  Components stand beside each other.
 */
#ifndef CSCG_LAYOUT_H
#define CSCG_LAYOUT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"

struct cscg_layout {
	double *flat;  /* [n_nodes * 2] x, y */
	double *solid; /* [n_nodes * 3] x, y, z */
	/* Share of nodes that one they are not next to stands in the way of. */
	double flat_crowding, solid_crowding;
	bool has_coords; /* flat is where the coordinates say */
};

/* 0, or -1 with err filled (CSCG_ENOMEM).  The graph alone decides. */
int cscg_layout_new(struct cscg_layout *l, const struct cscg_graph *g,
    struct cscg_err *err);
void cscg_layout_free(struct cscg_layout *l); /* empties it, too */

#endif
