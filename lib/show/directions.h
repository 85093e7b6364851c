/*
 * directions.h - directions of actions in a layout
 *
 * Places and ways are complex numbers, x right and y down.
 */
#ifndef CSCG_DIRECTIONS_H
#define CSCG_DIRECTIONS_H

#include <complex.h>

#include "base/error.h"
#include "core/graph.h"

typedef double complex cscg_point;

/* What the moves of an action are like. */
struct cscg_directions_action {
	double n; /* of them, without those that stay */
	cscg_point mean;
	cscg_point named; /* where its name says; 0: anywhere */
};

struct cscg_directions_move {
	int from, to, a; /* places in the component, and the action */
	cscg_point offset;
};

struct cscg_directions {
	int m, n_actions;
	struct cscg_directions_action *direction; /* [n_actions] */
	struct cscg_directions_move *move; /* [n]; those that stay are none */
	long n;
};

/* Of the m nodes listed, node v being where[v] in the list.  -1: ENOMEM. */
int cscg_directions_new(struct cscg_directions *v, const struct cscg_graph *g,
    const int *node, const int *index, int m, struct cscg_err *err);
void cscg_directions_free(struct cscg_directions *v); /* empties it, too */

/* Look where each move leads if places are at[m * 2], and each action. */
void cscg_directions_measure(struct cscg_directions *v, const double *at);

/*
 * Make each action a go by direction[a] everywhere, as nearly as that can be, without
 * the moves that then go another way after all: n becomes less, and they stand
 * behind the others.  Nodes that share a place are put side by side.
 *
 * Returns 1 with at changed; 0 with at as it was if more than the share strays
 * of moves go another way, or too many nodes share a place; -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_directions_fit(struct cscg_directions *v, const cscg_point *direction,
    double strays, double *at, struct cscg_err *err);

/* Length and its square. */
double cscg_point_norm(cscg_point p);
double cscg_point_norm2(cscg_point p);

/* Place i of at. */
cscg_point cscg_point_at(const double *at, int i);
void cscg_point_set(double *at, int i, cscg_point p);

#endif
