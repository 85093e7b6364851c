/*
 * eigen.h - the axes of a small symmetric matrix
 */
#ifndef CSCG_EIGEN_H
#define CSCG_EIGEN_H

enum { CSCG_EIGEN_MAX = 16 };	/* rows */

/*
 * Turn the symmetric h, of n rows, until it is diagonal: its diagonal then has
 * the eigenvalues, in no order, and column i of q the eigenvector of length one
 * that belongs to the i-th.  Cannot fail; n is 0 to CSCG_EIGEN_MAX.
 */
void cscg_eigen(double (*h)[CSCG_EIGEN_MAX], double (*q)[CSCG_EIGEN_MAX],
    int n);

#endif
