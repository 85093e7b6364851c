/*
 * rooms_spectral.c - the slowest ways in which a graph evens out
 *
 * Inverse iteration on a few vectors at once: what evens out slowly grows most
 * under L^-1.  A few vectors more than asked for are carried along, since the
 * rate is that of the last one asked for against the first one left out.  L x =
 * b is solved by conjugate gradients, from x / lambda on, where little is left
 * to do as soon as x is nearly an eigenvector; so a fixed gain of each solution
 * is enough.  Its diagonal is one, which is all the scaling it needs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/eigen.h"
#include "base/mem.h"
#include "schema/rooms_spectral.h"

enum {
	EXTRA_VECTORS = 4,		/* vectors carried along */
	VECTORS_MAX = CSCG_EIGEN_MAX,	/* vectors in all */
	ROUNDS_MAX = 60,
	CG_MAX = 2000
};

#define CG_TOLERANCE 1e-2	/* of a solution */
#define EIGEN_TOLERANCE 1e-5	/* |L x - lambda x| / lambda */

struct eigen_job {
	const struct cscg_wgraph *w;
	int n, p;
	double *sqrt_degree;		/* [n] D^1/2 */
	double *null_vector;		/* [n] the vector of eigenvalue 0 */
	double *x, *y;		/* [p * n] */
	double *r, *d, *Ld;	/* [n] of conjugate gradients */
	double lambda[VECTORS_MAX];
};

static double
dot(const double *a, const double *b, int n)
{
	double s = 0;
	int i;

	for (i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

/* a += f b */
static void
axpy(double *a, double f, const double *b, int n)
{
	int i;

	for (i = 0; i < n; i++)
		a[i] += f * b[i];
}

/* to = L x */
static void
apply_laplacian(const struct eigen_job *job, const double *x, double *to)
{
	const struct cscg_wgraph *w = job->w;
	double s;
	long i;
	int v;

	for (v = 0; v < job->n; v++) {
		s = 0;
		for (i = w->first[v]; i < w->first[v + 1]; i++)
			s += w->w[i] * x[w->to[i]] / job->sqrt_degree[w->to[i]];
		to[v] = x[v] - s / job->sqrt_degree[v];
	}
}

/* Without its share of the vector of eigenvalue 0. */
static void
project_out_null(const struct eigen_job *job, double *x)
{
	axpy(x, -dot(x, job->null_vector, job->n), job->null_vector, job->n);
}

/* y = L^-1 x from x / lambda on, as far as CG_TOLERANCE asks for. */
static void
solve_cg(struct eigen_job *job, const double *x, double lambda, double *y)
{
	double rr, first, alpha, next;
	int n = job->n, i, v;

	for (v = 0; v < n; v++)
		y[v] = x[v] / lambda;
	apply_laplacian(job, y, job->r);
	for (v = 0; v < n; v++)
		job->d[v] = job->r[v] = x[v] - job->r[v];
	first = rr = dot(job->r, job->r, n);
	for (i = 0; i < CG_MAX && rr > CG_TOLERANCE * CG_TOLERANCE * first; i++) {
		apply_laplacian(job, job->d, job->Ld);
		alpha = dot(job->d, job->Ld, n);
		if (!(alpha > 0))
			break;
		alpha = rr / alpha;
		axpy(y, alpha, job->d, n);
		axpy(job->r, -alpha, job->Ld, n);
		project_out_null(job, job->r);
		next = dot(job->r, job->r, n);
		for (v = 0; v < n; v++)
			job->d[v] = job->r[v] + next / rr * job->d[v];
		rr = next;
	}
}

/* Something that is not special, the same each time. */
static void
init_vector(double *x, int n, int which)
{
	double step = sqrt(2 + which + which / 2 * 3);
	int v;

	for (v = 0; v < n; v++) {
		x[v] = fmod((v + 1) * step * (1 + which), 1) - 0.5;
		/* Slow ways are smooth: so begin, in part. */
		x[v] += cos(M_PI * (which + 1) * (v + 0.5) / n);
	}
}

/* Make the vectors of x orthonormal; twice is enough. */
static void
orthonormalise(const struct eigen_job *job, double *x)
{
	int n = job->n, i, j, again, fresh;
	double *v, length;

	for (i = 0; i < job->p; i++) {
		v = x + (size_t)i * n;
		for (again = 0, fresh = 0; again < 2; again++) {
			length = sqrt(dot(v, v, n));
			if (!(length > 0) || !isfinite(length)) {
				init_vector(v, n, i + job->p * ++fresh);
				again = 0;
			}
			project_out_null(job, v);
			for (j = 0; j < i; j++)
				axpy(v, -dot(v, x + (size_t)j * n, n),
				    x + (size_t)j * n, n);
			length = sqrt(dot(v, v, n));
			for (j = 0; j < n; j++)
				v[j] = length > 0 ? v[j] / length : 0;
		}
	}
}

/* x: the eigenvectors of L as far as they lie among the vectors of y. */
static void
rayleigh_ritz(struct eigen_job *job)
{
	double h[VECTORS_MAX][VECTORS_MAX], q[VECTORS_MAX][VECTORS_MAX];
	int n = job->n, p = job->p, i, j, order[VECTORS_MAX], k;

	orthonormalise(job, job->y);
	for (i = 0; i < p; i++) {
		apply_laplacian(job, job->y + (size_t)i * n, job->Ld);
		for (j = 0; j < p; j++)
			h[i][j] = dot(job->Ld, job->y + (size_t)j * n, n);
	}
	for (i = 0; i < p; i++)
		for (j = 0; j < i; j++)
			h[i][j] = h[j][i] = (h[i][j] + h[j][i]) / 2;
	cscg_eigen(h, q, p);
	for (i = 0; i < p; i++) {
		for (k = i; k > 0 && h[order[k - 1]][order[k - 1]] > h[i][i];
		    k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	memset(job->x, 0, (size_t)p * n * sizeof *job->x);
	for (i = 0; i < p; i++) {
		job->lambda[i] = h[order[i]][order[i]];
		for (j = 0; j < p; j++)
			axpy(job->x + (size_t)i * n, q[j][order[i]],
			    job->y + (size_t)j * n, n);
	}
}

/* Are the first k vectors of x what they should be? */
static int
has_converged(struct eigen_job *job, int k)
{
	double *x, rr;
	int i;

	for (i = 0; i < k; i++) {
		x = job->x + (size_t)i * job->n;
		apply_laplacian(job, x, job->r);
		axpy(job->r, -job->lambda[i], x, job->n);
		rr = dot(job->r, job->r, job->n);
		if (rr > EIGEN_TOLERANCE * EIGEN_TOLERANCE * job->lambda[i] * job->lambda[i])
			return 0;
	}
	return 1;
}

static int
alloc_vectors(struct eigen_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->n, p = (size_t)job->p;
	double sum = 0;
	int v;

	job->sqrt_degree = cscg_alloc(2 * n, sizeof *job->sqrt_degree, err);
	job->x = cscg_alloc(2 * p, n * sizeof *job->x, err);
	job->r = cscg_alloc(3 * n, sizeof *job->r, err);
	if (!job->sqrt_degree || !job->x || !job->r)
		return -1;
	job->null_vector = job->sqrt_degree + n;
	job->y = job->x + p * n;
	job->d = job->r + n;
	job->Ld = job->d + n;
	for (v = 0; v < job->n; v++) {
		job->sqrt_degree[v] = sqrt(job->w->degree[v]);
		sum += job->w->degree[v];
	}
	for (v = 0; v < job->n; v++)
		job->null_vector[v] = job->sqrt_degree[v] / sqrt(sum);
	return 0;
}

int
cscg_spectral_vectors(const struct cscg_wgraph *w, int k, double *v, double *lambda,
    struct cscg_err *err)
{
	int p = k + EXTRA_VECTORS < w->n - 1 ? k + EXTRA_VECTORS : w->n - 1, i, round, rc;
	struct eigen_job job = { .w = w, .n = w->n, .p = p < VECTORS_MAX ? p :
	    VECTORS_MAX };

	rc = alloc_vectors(&job, err);
	for (i = 0; rc == 0 && i < job.p; i++)
		init_vector(job.y + (size_t)i * job.n, job.n, i);
	if (rc == 0)
		rayleigh_ritz(&job);
	for (round = 0; rc == 0 && round < ROUNDS_MAX && !has_converged(&job, k);
	    round++) {
		for (i = 0; i < job.p; i++)
			solve_cg(&job, job.x + (size_t)i * job.n, job.lambda[i],
			    job.y + (size_t)i * job.n);
		rayleigh_ritz(&job);
	}
	if (rc == 0) {
		memcpy(v, job.x, (size_t)k * (size_t)job.n * sizeof *v);
		memcpy(lambda, job.lambda, (size_t)k * sizeof *lambda);
	}
	free(job.sqrt_degree);
	free(job.x);
	free(job.r);
	return rc;
}
