/*
 * stress.h - stress majorisation
 *
 * Stress is the sum over pairs of nodes of (distance - d)^2 / d^2, where d is
 * the number of moves between them.  It is lowered by stochastic gradient
 * descent: pairs are taken in random order and each is put right by as much as
 * a falling step size allows (Zheng, Pawar, Goodman 2018).  In a large graph a
 * node is paired with its neighbours and with some pivots that stand for all
 * others (Ortmann, Klimenta, Brandes 2016).  The order comes from a seed of its
 * own and only +, -, *, / and sqrt are used, so that places are the same
 * everywhere.
 */
#ifndef CSCG_STRESS_H
#define CSCG_STRESS_H

#include "base/error.h"
#include "core/graph.h"

/* Who is next to whom, either way and by any action; no node is its own. */
struct cscg_adjacency {
	int n;
	long *first; /* [n + 1] */
	int *to;     /* ascending */
};

/* -1 with err filled (CSCG_ENOMEM). */
int cscg_adjacency_new(struct cscg_adjacency *adjacency,
    const struct cscg_graph *g, struct cscg_err *err);
void cscg_adjacency_free(
    struct cscg_adjacency *adjacency); /* empties it, too */

/*
 * The nodes, component by component: comp c is node[first[c]] ..
 * node[first[c + 1] - 1], in the order of a search from its lowest node.
 * node has room for n, first for n + 1, seen (scratch) for n.  Returns how many
 * there are.
 */
int cscg_adjacency_components(const struct cscg_adjacency *adjacency,
    int *node, int *first, bool *seen);

/* A pair that wants to be d apart; by how much each of the two gives way. */
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
 * places in that list.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_stress_new(struct cscg_stress *s,
    const struct cscg_adjacency *adjacency, const int *node, int m,
    struct cscg_err *err);
void cscg_stress_free(struct cscg_stress *s); /* empties it, too */

/* Places at[m * dim] of low stress, dim 2 or 3; puts the pairs in other order. */
void cscg_stress_minimise(struct cscg_stress *s, int dim, double *at);

#endif
