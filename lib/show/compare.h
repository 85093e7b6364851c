/*
 * compare.h - comparison of a model's graph with the true room
 */
#ifndef CSCG_COMPARE_H
#define CSCG_COMPARE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "io/stream.h"

/* The labels that an isomorphism must preserve besides the edges. */
enum cscg_compare_labels {
	CSCG_COMPARE_AUTO,    /* the strictest that the model has */
	CSCG_COMPARE_SYMBOLS, /* the same symbol, by name or else by number */
	CSCG_COMPARE_GROUPS,  /* the partition into equal labels */
	CSCG_COMPARE_UNLABELLED,
};

struct cscg_compare_result {
	int states, nodes; /* of the model, of the room */
	int used, visited; /* states decoded, nodes visited; -1: no walk */
	long steps;        /* with a known node and a state; -1: no walk */
	double purity;     /* NaN: no walk, or no such step */
	long missing, spurious; /* edges; -1: unknown */
	bool isomorphic;
};

/*
 * Compare the graph of a model with that of the true room.
 *
 * With a walk, state[t] and node z[t] for n steps (negative: unknown), each
 * state maps to the node at which it is decoded most often (the lowest of
 * equals):
 *   purity    the fraction of steps whose node is that of their state
 *   missing   true edges between nodes that have a state, without an edge
 *             between states of these nodes
 *   spurious  edges between used states without a true edge of their nodes and
 * an isomorphism must map each state to that node.  Without a walk (state
 * NULL) purity is unknown, and missing and spurious are known (0) only if the
 * graphs are isomorphic.
 *
 * The graphs are isomorphic if a bijection of all states and all nodes
 * preserves every edge of every action, in both directions, and the requested
 * labels.  Actions are matched by name.  map (NULL, or one int per state) gets
 * the node of each state: by the isomorphism, or else by the walk, or -1.
 *
 * Returns 0, or -1 with err filled:
 *   CSCG_EMISMATCH  actions that the other graph lacks, or labels that the
 *                   model does not have
 *   CSCG_ERANGE     a node that the room does not have; or the search for an
 *                   isomorphism, which is fast for deterministic transitions,
 *                   reached its limit
 *   CSCG_ENOMEM
 */
int cscg_compare(const struct cscg_graph *model,
    const struct cscg_graph *truth, enum cscg_compare_labels labels,
    const int *state, const int *z, long n, struct cscg_compare_result *out,
    int *map, struct cscg_err *err);

/* The result as a table of keys and values, or as a line of JSON. */
int cscg_compare_write(const struct cscg_compare_result *c, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
