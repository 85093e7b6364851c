/*
 * html_turn.h - turn, mirror and straighten the picture of a component
 */
#ifndef CSCG_HTML_TURN_H
#define CSCG_HTML_TURN_H

#include "base/err.h"
#include "core/graph.h"

struct cscg_html_turn {
	const struct cscg_graph *g;
	const int *node;	/* [m] nodes of the component */
	const int *where;	/* [n_nodes] their places in that list */
	int m;
};

/*
 * Turn the places at[m * 2] as html_layout.h says, and make a grid of what is
 * nearly one.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_html_turn_flat(const struct cscg_html_turn *t, double *at,
    struct cscg_err *err);

/* The place in the list where action a most likely leads from place k, or -1. */
int cscg_html_turn_next(const struct cscg_html_turn *t, int a, int k);

/* Turn at[m * 3] so that it is widest in x and thinnest in z. */
void cscg_html_turn_solid(const struct cscg_html_turn *t, double *at);

#endif
