/*
 * layout.h - coordinates of the nodes of a graph for drawing
 *
 * Two layouts: a flat one (2D), and a solid one (3D) that can be rotated, in
 * which a torus is embedded as a torus.  The unit is the length of an edge.  x
 * points right, y down and z towards the viewer.
 *
 * Flat positions are the coordinates of the graph if it has any and they are
 * distinct.  Otherwise positions have low stress (stress.h), and if each
 * action has about the same direction everywhere, its edges get exactly this
 * direction: so a grid is drawn as a grid.  Actions that are called up, down,
 * left and right, or by compass directions, point there as far as rotation and
 * reflection allow.  Components are placed side by side.
 */
#ifndef CSCG_LAYOUT_H
#define CSCG_LAYOUT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"

struct cscg_layout {
	double *flat;  /* [n_nodes * 2] x, y */
	double *solid; /* [n_nodes * 3] x, y, z */
	/* Fraction of nodes that are too near to a non-neighbour. */
	double flat_crowding, solid_crowding;
	bool has_coords; /* flat holds the graph's coordinates */
};

/* 0, or -1 with err filled (CSCG_ENOMEM).  Deterministic: no seed. */
int cscg_layout_new(struct cscg_layout *l, const struct cscg_graph *g,
    struct cscg_err *err);
void cscg_layout_free(struct cscg_layout *l); /* l is empty afterwards */

#endif
