/*
 * plan_graph.h - T without smoothing, with in-edges: what planning and exact
 * tracking use
 *
 * T by its counts alone: each count's share of its row.  The pseudocount gives
 * every transition a chance, and a planner that took that for a door would find
 * every goal one step away.  A row without counts leads nowhere.
 *
 * Smoothing is that of the paper: lambda * max(T) is added to the diagonal, for
 * every action, and rows are scaled to one again.  It says that a move may leave
 * the agent where it was, as in a room that is larger than the schema.  A row
 * that leads nowhere still does.
 */
#ifndef CSCG_PLAN_GRAPH_H
#define CSCG_PLAN_GRAPH_H

#include "base/error.h"
#include "core/model.h"

/* A way into a state: from state `from` by action a, with probability p. */
struct cscg_plan_in_edge {
	int from, a;
	double p;
};

struct cscg_plan_graph {
	int n_states, n_actions;
	long *first; /* [n_actions * n_states + 1], as in a model */
	int *to;
	double *p;      /* > 0; those of a row sum to one */
	long *in_first; /* [n_states + 1] the ways into each state */
	struct cscg_plan_in_edge *in;
};

/* NULL with err filled (CSCG_ENOMEM).  lambda >= 0. */
struct cscg_plan_graph *cscg_plan_graph_new(const struct cscg_model *m,
    double lambda, struct cscg_err *err);
void cscg_plan_graph_free(struct cscg_plan_graph *graph);

/*
 * The likeliest next state of state j by action a (the lowest of equals), or
 * -1 if nothing is known.
 */
int cscg_plan_graph_next(const struct cscg_plan_graph *graph, int a, int j);

/*
 * A copy of m with the same smoothing, for all else that is done with T: counts
 * are added to the diagonal until T is as above.  The pseudocount stays; a row
 * without counts and pseudocount stays uniform.
 */
struct cscg_model *cscg_plan_smooth(const struct cscg_model *m, double lambda,
    struct cscg_err *err);

#endif
