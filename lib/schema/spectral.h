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
 * Diagonalise the symmetric matrix h of n rows by rotations.  Its diagonal
 * then holds the eigenvalues, unordered, and column i of q the i-th
 * eigenvector, of length one.  Cannot fail; n is 0 to CSCG_EIGEN_MAX.
 */
void cscg_eigen(double (*h)[CSCG_EIGEN_MAX], double (*q)[CSCG_EIGEN_MAX],
    int n);

/*
 * The weighted undirected graph of a transition graph
 *
 * The weight between two nodes is the sum of the probabilities of the
 * transitions between them, over all actions and both directions.  Self-loops
 * have no weight.
 */

/* Weights by row, columns ascending; symmetric, > 0, no diagonal. */
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
 * The subgraph of n nodes, in ascending order, which are numbered in that
 * order. index holds -1 for each node of w, before and after the call.
 */
struct cscg_wgraph *cscg_wgraph_subgraph(const struct cscg_wgraph *w,
    const int *node, int n, int *index, struct cscg_err *err);
void cscg_wgraph_free(struct cscg_wgraph *w);

/*
 * The smallest eigenvectors of the normalised Laplacian
 *
 * L = I - D^-1/2 W D^-1/2.  The smallest eigenvalue, 0, belongs to D^1/2 1 and
 * is excluded.
 */

/*
 * The eigenvectors of the k smallest eigenvalues above that, ascending, to a
 * relative error of about 1e-5 in the eigenvalue: v[i * n + j], of length one,
 * and lambda[i].  w is connected and has more than k nodes.  The result is
 * deterministic.
 *
 * Returns 0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_spectral_vectors(const struct cscg_wgraph *w, int k, double *v,
    double *lambda, struct cscg_err *err);

#endif
