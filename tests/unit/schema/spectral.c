/* spectral.c - eigenvectors of small symmetric matrices against closed forms */
#include <math.h>

#include "schema/spectral.h"
#include "tap.h"

static double h[CSCG_EIGEN_MAX][CSCG_EIGEN_MAX];
static double q[CSCG_EIGEN_MAX][CSCG_EIGEN_MAX];

/* The i-th smallest diagonal entry. */
static double
value(int n, int i)
{
	double v[CSCG_EIGEN_MAX], t;
	int a, b;

	for (a = 0; a < n; a++) {
		v[a] = h[a][a];
		for (b = a; b > 0 && v[b - 1] > v[b]; b--) {
			t = v[b];
			v[b] = v[b - 1];
			v[b - 1] = t;
		}
	}
	return v[i];
}

/* Deviation of q from orthonormal, and of m q from q h. */
static double
worst(double (*m)[CSCG_EIGEN_MAX], int n)
{
	double most = 0, s, d;
	int i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			for (s = d = 0, k = 0; k < n; k++) {
				s += q[k][i] * q[k][j];
				d += m[i][k] * q[k][j];
			}
			most = fmax(most, fabs(s - (i == j)));
			most = fmax(most, fabs(d - q[i][j] * h[j][j]));
		}
	return most;
}

static void
copy(double (*m)[CSCG_EIGEN_MAX], int n)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			h[i][j] = m[i][j];
	cscg_eigen(h, q, n);
}

int
main(void)
{
	double two[2][CSCG_EIGEN_MAX] = { { 2, 1 }, { 1, 2 } };
	double diagonal[3][CSCG_EIGEN_MAX] = { { 3 }, { 0, -1 }, { 0, 0, 2 } };
	double none[3][CSCG_EIGEN_MAX] = { { 0 } };
	double path[CSCG_EIGEN_MAX][CSCG_EIGEN_MAX] = { { 0 } };
	double off = 0;
	int i, n = CSCG_EIGEN_MAX;

	copy(two, 2);
	ok(fabs(value(2, 0) - 1) < 1e-14 && fabs(value(2, 1) - 3) < 1e-14,
	    "the matrix 2 1 1 2 has eigenvalues 1 and 3");
	ok(worst(two, 2) < 1e-14, "its eigenvectors are orthogonal");
	copy(diagonal, 3);
	ok(h[0][0] == 3 && h[1][1] == -1 && h[2][2] == 2 && q[0][0] == 1 &&
		q[1][1] == 1 && q[2][2] == 1 && q[0][1] == 0,
	    "a diagonal matrix is unchanged");
	copy(none, 3);
	ok(value(3, 0) == 0 && q[2][2] == 1,
	    "the zero matrix has eigenvalue 0");
	h[0][0] = 5;
	q[0][0] = 7;
	cscg_eigen(h, q, 0);
	ok(h[0][0] == 5 && q[0][0] == 7, "a matrix of 0 rows is unchanged");

	/* A path of n nodes: 2 cos(pi k / (n + 1)), k = 1..n. */
	for (i = 0; i + 1 < n; i++)
		path[i][i + 1] = path[i + 1][i] = 1;
	copy(path, n);
	for (i = 0; i < n; i++)
		off = fmax(off,
		    fabs(value(n, i) + 2 * cos(M_PI * (i + 1) / (n + 1))));
	ok(off < 1e-13, "a path has the known eigenvalues");
	ok(worst(path, n) < 1e-13,
	    "the eigenvectors of a path are orthogonal");
	return done();
}
