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
	MORE = 4,		/* vectors carried along */
	SMALL_MAX = CSCG_EIGEN_MAX,	/* vectors in all */
	ROUNDS_MAX = 60,
	CG_MAX = 2000
};

#define GAIN 1e-2	/* of a solution */
#define ENOUGH 1e-5	/* |L x - lambda x| / lambda */

struct job {
	const struct cscg_web *w;
	int n, p;
	double *root;		/* [n] D^1/2 */
	double *zero;		/* [n] the vector of eigenvalue 0 */
	double *x, *y;		/* [p * n] */
	double *r, *d, *Ld;	/* [n] of conjugate gradients */
	double lambda[SMALL_MAX];
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
add(double *a, double f, const double *b, int n)
{
	int i;

	for (i = 0; i < n; i++)
		a[i] += f * b[i];
}

/* to = L x */
static void
apply(const struct job *job, const double *x, double *to)
{
	const struct cscg_web *w = job->w;
	double s;
	long i;
	int v;

	for (v = 0; v < job->n; v++) {
		s = 0;
		for (i = w->first[v]; i < w->first[v + 1]; i++)
			s += w->w[i] * x[w->to[i]] / job->root[w->to[i]];
		to[v] = x[v] - s / job->root[v];
	}
}

/* Without its share of the vector of eigenvalue 0. */
static void
project(const struct job *job, double *x)
{
	add(x, -dot(x, job->zero, job->n), job->zero, job->n);
}

/* y = L^-1 x from x / lambda on, as far as GAIN asks for. */
static void
solve(struct job *job, const double *x, double lambda, double *y)
{
	double rr, first, alpha, next;
	int n = job->n, i, v;

	for (v = 0; v < n; v++)
		y[v] = x[v] / lambda;
	apply(job, y, job->r);
	for (v = 0; v < n; v++)
		job->d[v] = job->r[v] = x[v] - job->r[v];
	first = rr = dot(job->r, job->r, n);
	for (i = 0; i < CG_MAX && rr > GAIN * GAIN * first; i++) {
		apply(job, job->d, job->Ld);
		alpha = dot(job->d, job->Ld, n);
		if (!(alpha > 0))
			break;
		alpha = rr / alpha;
		add(y, alpha, job->d, n);
		add(job->r, -alpha, job->Ld, n);
		project(job, job->r);
		next = dot(job->r, job->r, n);
		for (v = 0; v < n; v++)
			job->d[v] = job->r[v] + next / rr * job->d[v];
		rr = next;
	}
}

/* Something that is not special, the same each time. */
static void
scatter(double *x, int n, int which)
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
straighten(const struct job *job, double *x)
{
	int n = job->n, i, j, again, fresh;
	double *v, length;

	for (i = 0; i < job->p; i++) {
		v = x + (size_t)i * n;
		for (again = 0, fresh = 0; again < 2; again++) {
			length = sqrt(dot(v, v, n));
			if (!(length > 0) || !isfinite(length)) {
				scatter(v, n, i + job->p * ++fresh);
				again = 0;
			}
			project(job, v);
			for (j = 0; j < i; j++)
				add(v, -dot(v, x + (size_t)j * n, n),
				    x + (size_t)j * n, n);
			length = sqrt(dot(v, v, n));
			for (j = 0; j < n; j++)
				v[j] = length > 0 ? v[j] / length : 0;
		}
	}
}

/* x: the eigenvectors of L as far as they lie among the vectors of y. */
static void
ritz(struct job *job)
{
	double h[SMALL_MAX][SMALL_MAX], q[SMALL_MAX][SMALL_MAX];
	int n = job->n, p = job->p, i, j, order[SMALL_MAX], k;

	straighten(job, job->y);
	for (i = 0; i < p; i++) {
		apply(job, job->y + (size_t)i * n, job->Ld);
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
			add(job->x + (size_t)i * n, q[j][order[i]],
			    job->y + (size_t)j * n, n);
	}
}

/* Are the first k vectors of x what they should be? */
static int
is_good(struct job *job, int k)
{
	double *x, rr;
	int i;

	for (i = 0; i < k; i++) {
		x = job->x + (size_t)i * job->n;
		apply(job, x, job->r);
		add(job->r, -job->lambda[i], x, job->n);
		rr = dot(job->r, job->r, job->n);
		if (rr > ENOUGH * ENOUGH * job->lambda[i] * job->lambda[i])
			return 0;
	}
	return 1;
}

static int
make_room(struct job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->n, p = (size_t)job->p;
	double sum = 0;
	int v;

	job->root = cscg_alloc(2 * n, sizeof *job->root, err);
	job->x = cscg_alloc(2 * p, n * sizeof *job->x, err);
	job->r = cscg_alloc(3 * n, sizeof *job->r, err);
	if (!job->root || !job->x || !job->r)
		return -1;
	job->zero = job->root + n;
	job->y = job->x + p * n;
	job->d = job->r + n;
	job->Ld = job->d + n;
	for (v = 0; v < job->n; v++) {
		job->root[v] = sqrt(job->w->degree[v]);
		sum += job->w->degree[v];
	}
	for (v = 0; v < job->n; v++)
		job->zero[v] = job->root[v] / sqrt(sum);
	return 0;
}

int
cscg_spectral(const struct cscg_web *w, int k, double *v, double *lambda,
    struct cscg_err *err)
{
	int p = k + MORE < w->n - 1 ? k + MORE : w->n - 1, i, round, rc;
	struct job job = { .w = w, .n = w->n, .p = p < SMALL_MAX ? p :
	    SMALL_MAX };

	rc = make_room(&job, err);
	for (i = 0; rc == 0 && i < job.p; i++)
		scatter(job.y + (size_t)i * job.n, job.n, i);
	if (rc == 0)
		ritz(&job);
	for (round = 0; rc == 0 && round < ROUNDS_MAX && !is_good(&job, k);
	    round++) {
		for (i = 0; i < job.p; i++)
			solve(&job, job.x + (size_t)i * job.n, job.lambda[i],
			    job.y + (size_t)i * job.n);
		ritz(&job);
	}
	if (rc == 0) {
		memcpy(v, job.x, (size_t)k * (size_t)job.n * sizeof *v);
		memcpy(lambda, job.lambda, (size_t)k * sizeof *lambda);
	}
	free(job.root);
	free(job.x);
	free(job.r);
	return rc;
}
