/*
 * rooms_spectral.h - the slowest ways in which a graph evens out
 *
 * Eigenvectors of the normalised Laplacian L = I - D^-1/2 W D^-1/2 of the
 * smallest eigenvalues.  The smallest of all, 0, belongs to D^1/2 1 and is left
 * out.
 */
#ifndef CSCG_ROOMS_SPECTRAL_H
#define CSCG_ROOMS_SPECTRAL_H

#include "base/error.h"
#include "schema/rooms_web.h"

/*
 * The first k of them, ascending, to about 1e-5 of an eigenvalue: v[i * n + j],
 * of length one, and lambda[i].  w is in one piece and has more than k nodes.
 * The same numbers give the same result; there is no chance in it.
 *
 * Returns 0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_spectral_vectors(const struct cscg_wgraph *w, int k, double *v, double *lambda,
    struct cscg_err *err);

#endif
