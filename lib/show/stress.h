/*
 * stress.h - stress majorisation
 *
 * Stress is the sum over pairs of nodes of (distance - d)^2 / d^2, where d is
 * the graph distance between them.  It is minimised by stochastic gradient
 * descent: pairs are taken in random order, and the distance of each is
 * corrected by a decreasing step size (Zheng, Pawar, Goodman 2018).  In a
 * large graph a node is paired with its neighbours and with some pivots that
 * represent all others (Ortmann, Klimenta, Brandes 2016).  The order comes
 * from a fixed seed and only +, -, *, / and sqrt are used, so that positions
 * are the same on all machines.
 */
#ifndef CSCG_STRESS_H
#define CSCG_STRESS_H

#include "base/error.h"
#include "core/graph.h"

/* Undirected adjacency by any action, without self-loops. */
struct cscg_adjacency {
	int n;
	long *first; /* [n + 1] */
	int *to;     /* ascending */
};

/* -1 with err filled (CSCG_ENOMEM). */
int cscg_adjacency_new(struct cscg_adjacency *adjacency,
    const struct cscg_graph *g, struct cscg_err *err);
void cscg_adjacency_free(
    struct cscg_adjacency *adjacency); /* adjacency is empty afterwards */

/*
 * The nodes by component: component c is node[first[c]] ..
 * node[first[c + 1] - 1], in the order of a search from its lowest node.
 * node has room for n, first for n + 1.  Returns the number of components, or
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_adjacency_components(const struct cscg_adjacency *adjacency,
    int *node, int *first, struct cscg_err *err);

/*
 * A pair with target distance d, and the weights of the displacements of i and
 * j.
 */
struct cscg_stress_pair {
	int i, j;
	double d, wi, wj;
};

struct cscg_stress {
	int m; /* nodes of the component */
	long n_pairs;
	struct cscg_stress_pair *pair;
};

/*
 * The pairs of the component of m nodes that node lists; i and j of a pair are
 * indices into that list.  0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_stress_new(struct cscg_stress *s,
    const struct cscg_adjacency *adjacency, const int *node, int m,
    struct cscg_err *err);
void cscg_stress_free(struct cscg_stress *s); /* s is empty afterwards */

/* Positions at[m * dim] of low stress, dim 2 or 3.  Reorders the pairs. */
void cscg_stress_minimise(struct cscg_stress *s, int dim, double *at);

#endif
