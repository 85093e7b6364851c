/*
 * spectral.c - normalised Laplacian of a weighted graph and its smallest
 * eigenvectors
 *
 * cscg_eigen() uses only square roots and the four operations, so that its
 * result is the same on all machines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/spectral.h"

enum { SWEEPS_MAX = 50 };

#define OFF_DIAGONAL_MAX \
	1e-30 /* share of the sum of squares allowed off the diagonal */

/* Rotate rows and columns a and b of h so that h[a][b] = 0; update q. */
static void
jacobi_rotate(double (*h)[CSCG_EIGEN_MAX], double (*q)[CSCG_EIGEN_MAX], int n,
    int a, int b)
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

/* The weighted undirected graph of a transition graph */

struct weighted_edge {
	int from, to;
	double w;
};

void
cscg_wgraph_free(struct cscg_wgraph *w)
{
	if (!w)
		return;
	free(w->first);
	free(w->to);
	free(w->w);
	free(w->degree);
	free(w);
}

/* Allocate a graph of n nodes and n_edges weights. */
static struct cscg_wgraph *
wgraph_new(int n, long n_edges, struct cscg_err *err)
{
	struct cscg_wgraph *w = cscg_alloc(1, sizeof *w, err);

	if (!w)
		return NULL;
	w->n = n;
	w->first = cscg_alloc((size_t)n + 1, sizeof *w->first, err);
	w->to = cscg_alloc((size_t)n_edges, sizeof *w->to, err);
	w->w = cscg_alloc((size_t)n_edges, sizeof *w->w, err);
	w->degree = cscg_alloc((size_t)n, sizeof *w->degree, err);
	if (!w->first || !w->to || !w->w || !w->degree) {
		cscg_wgraph_free(w);
		return NULL;
	}
	return w;
}

/* Weight breaks ties, so that sums on both sides of the diagonal are equal. */
static int
by_ends(const void *pa, const void *pb)
{
	const struct weighted_edge *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->w > b->w) - (a->w < b->w);
}

static struct weighted_edge *
collect_edges(const struct cscg_graph *g, long *n, struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;
	struct weighted_edge *t = cscg_alloc(2 * (size_t)g->first[rows],
	    sizeof *t, err);

	*n = 0;
	for (row = 0; t && row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int u = (int)(row % g->n_nodes), v = g->to[i];

			if (u == v || !(g->share[i] > 0))
				continue;
			t[(*n)++] = (struct weighted_edge){ u, v,
				g->share[i] };
			t[(*n)++] = (struct weighted_edge){ v, u,
				g->share[i] };
		}
	if (t)
		qsort(t, (size_t)*n, sizeof *t, by_ends);
	return t;
}

struct cscg_wgraph *
cscg_wgraph_of_graph(const struct cscg_graph *g, struct cscg_err *err)
{
	long n, i, kept = 0;
	struct weighted_edge *t = collect_edges(g, &n, err);
	struct cscg_wgraph *w = t ? wgraph_new(g->n_nodes, n, err) : NULL;
	int v;

	for (i = 0; w && i < n; i++) {
		if (i && t[i].from == t[i - 1].from &&
		    t[i].to == t[i - 1].to) {
			w->w[kept - 1] += t[i].w;
		} else {
			w->to[kept] = t[i].to;
			w->w[kept++] = t[i].w;
		}
		w->first[t[i].from + 1] = kept;
		w->degree[t[i].from] += t[i].w;
	}
	/* The row of a node without edges ends where the row before ends. */
	for (v = 0; w && v < w->n; v++)
		if (w->first[v + 1] < w->first[v])
			w->first[v + 1] = w->first[v];
	free(t);
	return w;
}

struct cscg_wgraph *
cscg_wgraph_subgraph(const struct cscg_wgraph *w, const int *node, int n,
    int *index, struct cscg_err *err)
{
	struct cscg_wgraph *part;
	long most = 0, kept = 0, i;
	int v;

	for (v = 0; v < n; v++)
		most += w->first[node[v] + 1] - w->first[node[v]];
	part = wgraph_new(n, most, err);
	if (!part)
		return NULL;
	for (v = 0; v < n; v++)
		index[node[v]] = v;
	for (v = 0; v < n; v++) {
		for (i = w->first[node[v]]; i < w->first[node[v] + 1]; i++) {
			if (index[w->to[i]] < 0)
				continue;
			part->to[kept] = index[w->to[i]];
			part->w[kept++] = w->w[i];
			part->degree[v] += w->w[i];
		}
		part->first[v + 1] = kept;
	}
	for (v = 0; v < n; v++)
		index[node[v]] = -1;
	return part;
}

/*
 * The smallest eigenvectors of the normalised Laplacian
 *
 * Inverse iteration on several vectors at once: the smallest eigenvectors grow
 * most under L^-1.  A few extra vectors are iterated, since the rate of
 * convergence is the ratio of the last requested eigenvalue to the first one
 * beyond the iterated vectors.  L x = b is solved by conjugate gradients from
 * the start x / lambda, which is close to the solution as soon as x is nearly
 * an eigenvector; a fixed tolerance for each solution is therefore enough.
 * The diagonal of L is one, so that no preconditioning is needed.
 */

enum {
	EXTRA_VECTORS = 4,            /* extra vectors */
	VECTORS_MAX = CSCG_EIGEN_MAX, /* vectors in all */
	ROUNDS_MAX = 60,
	CG_MAX = 2000,
};

#define CG_TOLERANCE 1e-2    /* of a solution */
#define EIGEN_TOLERANCE 1e-5 /* |L x - lambda x| / lambda */

struct eigen_job {
	const struct cscg_wgraph *w;
	int n, p;
	double *sqrt_degree; /* [n] D^1/2 */
	double *null_vector; /* [n] the vector of eigenvalue 0 */
	double *x, *y;       /* [p * n] */
	double *r, *d, *Ld;  /* [n] of conjugate gradients */
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
			s += w->w[i] * x[w->to[i]] /
			    job->sqrt_degree[w->to[i]];
		to[v] = x[v] - s / job->sqrt_degree[v];
	}
}

/* Project out the vector of eigenvalue 0. */
static void
project_out_null(const struct eigen_job *job, double *x)
{
	axpy(x, -dot(x, job->null_vector, job->n), job->null_vector, job->n);
}

/* y = L^-1 x, started from x / lambda, to CG_TOLERANCE. */
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
	for (i = 0; i < CG_MAX && rr > CG_TOLERANCE * CG_TOLERANCE * first;
	     i++) {
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

/* A deterministic pseudo-random start vector. */
static void
init_vector(double *x, int n, int which)
{
	double step = sqrt(2 + which + which / 2 * 3);
	int v;

	for (v = 0; v < n; v++) {
		x[v] = fmod((v + 1) * step * (1 + which), 1) - 0.5;
		/* The smallest eigenvectors are smooth: add a smooth part. */
		x[v] += cos(M_PI * (which + 1) * (v + 0.5) / n);
	}
}

/* Orthonormalise the vectors of x (Gram-Schmidt, twice for accuracy). */
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

/* x: the eigenvectors of L within the span of y (Rayleigh-Ritz). */
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

/* Whether the first k vectors of x have converged. */
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
		if (rr > EIGEN_TOLERANCE * EIGEN_TOLERANCE * job->lambda[i] *
			job->lambda[i])
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
cscg_spectral_vectors(const struct cscg_wgraph *w, int k, double *v,
    double *lambda, struct cscg_err *err)
{
	int p = k + EXTRA_VECTORS < w->n - 1 ? k + EXTRA_VECTORS : w->n - 1, i,
	    round, rc;
	struct eigen_job job = {
		.w = w, .n = w->n, .p = p < VECTORS_MAX ? p : VECTORS_MAX
	};

	rc = alloc_vectors(&job, err);
	for (i = 0; rc == 0 && i < job.p; i++)
		init_vector(job.y + (size_t)i * job.n, job.n, i);
	if (rc == 0)
		rayleigh_ritz(&job);
	for (round = 0;
	     rc == 0 && round < ROUNDS_MAX && !has_converged(&job, k);
	     round++) {
		for (i = 0; i < job.p; i++)
			solve_cg(&job, job.x + (size_t)i * job.n,
			    job.lambda[i], job.y + (size_t)i * job.n);
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
