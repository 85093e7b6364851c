/*
 * html_turn.h - turn, mirror and straighten the picture of a component
 */
#ifndef CSCG_HTML_TURN_H
#define CSCG_HTML_TURN_H

#include "base/error.h"
#include "core/graph.h"

struct cscg_layout_component {
	const struct cscg_graph *g;
	const int *node;	/* [m] nodes of the component */
	const int *index;	/* [n_nodes] their places in that list */
	int m;
};

/*
 * Turn the places at[m * 2] as html_layout.h says, and make a grid of what is
 * nearly one.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_layout_orient_flat(const struct cscg_layout_component *t, double *at,
    struct cscg_err *err);

/* The place in the list where action a most likely leads from place k, or -1. */
int cscg_layout_next(const struct cscg_layout_component *t, int a, int k);

/* Turn at[m * 3] so that it is widest in x and thinnest in z. */
void cscg_layout_orient_solid(const struct cscg_layout_component *t, double *at);

#endif
