/*
 * eigen.c - the axes of a small symmetric matrix, by Jacobi's rotations
 *
 * Nothing but roots and the four operations, so that the result is the same on
 * all machines.
 */
#include <math.h>

#include "schema/eigen.h"

enum { SWEEPS_MAX = 50 };

#define OFF_DIAGONAL_MAX 1e-30	/* of the squares may be left beside the diagonal */

/* Turn rows and columns a and b of h until h[a][b] is 0; q goes along. */
static void
jacobi_rotate(double (*h)[CSCG_EIGEN_MAX], double (*q)[CSCG_EIGEN_MAX], int n, int a,
    int b)
{
	double theta, t, c, s, f, g;
	int i;

	if (h[a][b] == 0)
		return;
	theta = (h[b][b] - h[a][a]) / (2 * h[a][b]);
	t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
	c = 1 / sqrt(t * t + 1);
	s = t * c;
	for (i = 0; i < n; i++) {
		f = h[i][a];
		g = h[i][b];
		h[i][a] = c * f - s * g;
		h[i][b] = s * f + c * g;
	}
	for (i = 0; i < n; i++) {
		f = h[a][i];
		g = h[b][i];
		h[a][i] = c * f - s * g;
		h[b][i] = s * f + c * g;
		f = q[i][a];
		g = q[i][b];
		q[i][a] = c * f - s * g;
		q[i][b] = s * f + c * g;
	}
}

void
cscg_eigen(double (*h)[CSCG_EIGEN_MAX], double (*q)[CSCG_EIGEN_MAX], int n)
{
	double off, all;
	int a, b, sweep;

	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			q[a][b] = a == b;
	for (sweep = 0; sweep < SWEEPS_MAX; sweep++) {
		off = all = 0;
		for (a = 0; a < n; a++)
			for (b = 0; b < n; b++) {
				all += h[a][b] * h[a][b];
				off += a == b ? 0 : h[a][b] * h[a][b];
			}
		if (off <= OFF_DIAGONAL_MAX * all)
			return;
		for (a = 0; a < n; a++)
			for (b = a + 1; b < n; b++)
				jacobi_rotate(h, q, n, a, b);
	}
}
