/*
 * plan_graph.h - T without smoothing, with in-edges, for planning and exact
 * tracking
 *
 * T from counts alone: each count divided by the sum of its row.  The
 * pseudocount gives every transition a positive probability, and a planner
 * that used it would find every goal one step away.  A row without counts has
 * no successors.
 *
 * Smoothing is that of the paper: lambda * max(T) is added to the diagonal,
 * for every action, and rows are normalised again.  It models that an action
 * may leave the agent in the same state, as in a room that is larger than the
 * schema.  A row without successors stays so.
 */
#ifndef CSCG_PLAN_GRAPH_H
#define CSCG_PLAN_GRAPH_H

#include "base/error.h"
#include "core/model.h"

struct cscg_plan_graph {
	int n_states, n_actions;
	long *first; /* [n_actions * n_states + 1], as in a model */
	int *to;
	double *p;      /* > 0; those of a row sum to one */
	long *in_first; /* [n_states + 1] in-edges of each state: ... */
	int *in_from;   /* ... the states before it, ... */
	long *in_edge;  /* ... the items of p */
};

/* NULL with err filled (CSCG_ENOMEM).  lambda >= 0. */
struct cscg_plan_graph *cscg_plan_graph_new(const struct cscg_model *m,
    double lambda, struct cscg_err *err);
void cscg_plan_graph_free(struct cscg_plan_graph *graph);

/*
 * The likeliest next state of state j by action a (the lowest of equals), or
 * -1 for a row without successors.
 */
int cscg_plan_graph_next(const struct cscg_plan_graph *graph, int a, int j);

/*
 * A copy of m with the same smoothing, for all other uses of T: counts are
 * added to the diagonal until T is as above.  The pseudocount is unchanged; a
 * row without counts and pseudocount stays uniform.
 */
struct cscg_model *cscg_plan_smooth(const struct cscg_model *m, double lambda,
    struct cscg_err *err);

#endif
