/*
 * spectral.h - normalised Laplacian of a weighted graph and its smallest
 * eigenvectors
 */
#ifndef CSCG_SPECTRAL_H
#define CSCG_SPECTRAL_H

#include "base/error.h"
#include "core/graph.h"

enum { CSCG_EIGEN_MAX = 16 }; /* rows */

/*
 * Turn the symmetric h, of n rows, until it is diagonal: its diagonal then has
 * the eigenvalues, in no order, and column i of q the eigenvector of length one
 * that belongs to the i-th.  Cannot fail; n is 0 to CSCG_EIGEN_MAX.
 */
void cscg_eigen(double (*h)[CSCG_EIGEN_MAX], double (*q)[CSCG_EIGEN_MAX],
    int n);

/*
 * how strongly the nodes of a graph hang together
 *
 * The weight between two nodes is the sum, over all actions and both ways, of
 * the shares of the moves between them.  A move that stays has no weight.
 */

/* Weights by row, columns ascending; symmetric, > 0, nothing on the diagonal. */
struct cscg_wgraph {
	int n;
	long *first; /* [n + 1] */
	int *to;
	double *w;
	double *degree; /* [n] sum of a row */
};

/* NULL with err filled (CSCG_ENOMEM). */
struct cscg_wgraph *cscg_wgraph_of_graph(const struct cscg_graph *g,
    struct cscg_err *err);

/*
 * The weights among n nodes, which ascend; they are numbered in their order.
 * place has a -1 for each node of w, and has so again at the end.
 */
struct cscg_wgraph *cscg_wgraph_subgraph(const struct cscg_wgraph *w,
    const int *node, int n, int *index, struct cscg_err *err);
void cscg_wgraph_free(struct cscg_wgraph *w);

/*
 * The pieces that hang together among nodes of the same side (side NULL: all
 * are): piece[v] counts from 0, by their first node.  Returns how many, or -1
 * with err filled (CSCG_ENOMEM).
 */
int cscg_wgraph_components(const struct cscg_wgraph *w, const char *side,
    int *component, struct cscg_err *err);

/*
 * the slowest ways in which a graph evens out
 *
 * Eigenvectors of the normalised Laplacian L = I - D^-1/2 W D^-1/2 of the
 * smallest eigenvalues.  The smallest of all, 0, belongs to D^1/2 1 and is left
 * out.
 */

/*
 * The first k of them, ascending, to about 1e-5 of an eigenvalue: v[i * n + j],
 * of length one, and lambda[i].  w is in one piece and has more than k nodes.
 * The same numbers give the same result; there is no chance in it.
 *
 * Returns 0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_spectral_vectors(const struct cscg_wgraph *w, int k, double *v,
    double *lambda, struct cscg_err *err);

#endif
