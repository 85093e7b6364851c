/*
 * directions.h - directions of actions in a layout
 *
 * Positions and directions are complex numbers, x right and y down.
 */
#ifndef CSCG_DIRECTIONS_H
#define CSCG_DIRECTIONS_H

#include <complex.h>

#include "base/error.h"
#include "core/graph.h"

typedef double complex cscg_point;

/* The edges of one action. */
struct cscg_directions_action {
	double n; /* number of edges without self-loops */
	cscg_point mean;
	cscg_point named; /* direction given by its name; 0: none */
};

struct cscg_directions_edge {
	int from, to, a; /* indices in the component, and the action */
	cscg_point offset;
};

struct cscg_directions {
	int m, n_actions;
	struct cscg_directions_action *direction; /* [n_actions] */
	struct cscg_directions_edge *edge; /* [n] edges without self-loops */
	long n;
};

/*
 * Of the m nodes of list node; index[v] is the index of node v in that list.
 * 0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_directions_new(struct cscg_directions *v, const struct cscg_graph *g,
    const int *node, const int *index, int m, struct cscg_err *err);
void cscg_directions_free(
    struct cscg_directions *v); /* v is empty afterwards */

/* Set the offset of each edge, and the mean of each action, from at[m * 2]. */
void cscg_directions_measure(struct cscg_directions *v, const double *at);

/*
 * Move the positions so that every edge of action a has the offset
 * direction[a], in the least-squares sense.  Outliers, edges with a different
 * offset afterwards, are excluded from the fit: v->n becomes smaller, and they
 * come after the others in v->edge.  Nodes that share a position are put side
 * by side.
 *
 * Returns 1 with at changed; 0 with at unchanged if more than a fraction
 * max_outliers of the edges are outliers, or too many nodes share a position;
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_directions_fit(struct cscg_directions *v, const cscg_point *direction,
    double max_outliers, double *at, struct cscg_err *err);

/* |p| and its square. */
double cscg_point_norm(cscg_point p);
double cscg_point_norm2(cscg_point p);

/* Position i of at. */
cscg_point cscg_point_at(const double *at, int i);
void cscg_point_set(double *at, int i, cscg_point p);

#endif
