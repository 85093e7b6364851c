/*
 * plain_log.c - the plain kernel on natural logs in double precision
 *
 * For evidence beyond the range of floating point, such as densities of frames
 * of thousands of numbers: a path that is less likely than another by a factor
 * of e^-1000 may become the likelier one at later steps.  Rows of T have no
 * negative excess.
 */
#include <float.h>
#include <math.h>

#include "kernel/plain.h"

/* Terms that are smaller by this factor are lost in rounding. */
static const double CUT = 40;

/* Expected counts below e^-80 are negligible. */
static const double LEAST_COUNT = -80;

/* log(exp(x) + exp(y)) */
static double
add_logs(double x, double y)
{
	double hi = x > y ? x : y, d = fabs(x - y);

	return d < CUT ? hi + log1p(exp(-d)) : hi;
}

/* log(sum_i exp(v[i] + w[i])); w may be NULL. */
static double
sum_logs(const double *v, const double *w, int n)
{
	double top = -INFINITY, sum = 0, d;
	int i;

	for (i = 0; i < n; i++)
		top = fmax(top, v[i] + (w ? w[i] : 0));
	for (i = 0; i < n && top > -INFINITY; i++) {
		d = v[i] + (w ? w[i] : 0) - top;
		sum += d > -CUT ? exp(d) : 0;
	}
	return top > -INFINITY ? top + log(sum) : top;
}

static void
sparse_push(const struct cscg_sparse_rows *T, int nj, int k0, int nk,
    const void *in, void *out)
{
	const double *v = in, *excess = T->excess;
	double *o = out, flat = sum_logs(v, T->level, nj);
	int j, k;
	long i;

	for (k = 0; k < nk; k++)
		o[k] = flat;
	for (j = 0; j < nj; j++)
		for (i = T->first[j]; v[j] > -INFINITY && i < T->first[j + 1];
		     i++) {
			k = T->to[i] - k0;
			if (k >= 0 && k < nk)
				o[k] = add_logs(o[k], v[j] + excess[i]);
		}
}

static void
sparse_pull(const struct cscg_sparse_rows *T, int nj, int k0, int nk,
    const void *in, void *out)
{
	const double *v = in, *level = T->level, *excess = T->excess;
	double *o = out, all = sum_logs(v, NULL, nk);
	int j, k;
	long i;

	for (j = 0; j < nj; j++) {
		o[j] = level[j] + all;
		for (i = T->first[j]; i < T->first[j + 1]; i++) {
			k = T->to[i] - k0;
			if (k >= 0 && k < nk)
				o[j] = add_logs(o[j], excess[i] + v[k]);
		}
	}
}

static void
sparse_push_max(const struct cscg_sparse_rows *T, int nj, int k0, int nk,
    const void *in, void *out, int *arg)
{
	const double *v = in, *level = T->level, *excess = T->excess;
	double *o = out, p;
	int j, k, best = 0;
	long i;

	for (j = 1; j < nj; j++)
		if (v[j] + level[j] > v[best] + level[best])
			best = j;
	for (k = 0; k < nk; k++) {
		o[k] = nj ? v[best] + level[best] : -INFINITY;
		arg[k] = best;
	}
	for (j = 0; j < nj; j++)
		for (i = T->first[j]; v[j] > -INFINITY && i < T->first[j + 1];
		     i++) {
			k = T->to[i] - k0;
			if (k < 0 || k >= nk)
				continue;
			p = v[j] + add_logs(excess[i], level[j]);
			if (p > o[k] || (p == o[k] && j < arg[k])) {
				o[k] = p;
				arg[k] = j;
			}
		}
}

static double
max(const void *v, int n, int *arg)
{
	const double *u = v;
	int i, best = 0;

	for (i = 1; i < n; i++)
		if (u[i] > u[best])
			best = i;
	*arg = best;
	return n ? u[best] : -INFINITY;
}

static void
sparse_count(const struct cscg_sparse_rows *T, int nj, int k0, int nk,
    const void *a, const void *b, double scale, double *C, long ld)
{
	const double *u = a, *v = b, *level = T->level, *excess = T->excess;
	double most, f;
	int j, k;
	long i;

	most = max(v, nk, &k);
	for (j = 0; j < nj; j++, C += ld) {
		f = u[j] + scale;
		if (f + most < LEAST_COUNT)
			continue;
		for (i = T->first[j]; i < T->first[j + 1]; i++) {
			k = T->to[i] - k0;
			if (k >= 0 && k < nk)
				C[k] += exp(f + excess[i] + v[k]);
		}
		f += level[j];
		for (k = 0; k < nk && f + most > LEAST_COUNT; k++)
			if (f + v[k] > LEAST_COUNT)
				C[k] += exp(f + v[k]);
	}
}

static void
entry_count(const struct cscg_sparse_rows *T, int nj, int k0, int nk,
    const void *a, const void *b, double scale, double *C, double *rest)
{
	const double *u = a, *v = b, *level = T->level, *excess = T->excess;
	double all = sum_logs(v, NULL, nk), f, others;
	int j, k;
	long i;

	for (j = 0; j < nj; j++) {
		f = u[j] + scale;
		if (f + all < LEAST_COUNT)
			continue;
		others = 1;
		for (i = T->first[j]; i < T->first[j + 1]; i++) {
			k = T->to[i] - k0;
			if (k < 0 || k >= nk)
				continue;
			others -= exp(v[k] - all);
			C[i] += exp(f + add_logs(level[j], excess[i]) + v[k]);
		}
		if (others > 0)
			rest[j] += exp(f + level[j] + all) * others;
	}
}

static double
weigh(void *v, const void *w, int n)
{
	double *u = v;
	const double *f = w;
	int i;

	for (i = 0; i < n; i++)
		u[i] += f[i];
	return sum_logs(u, NULL, n);
}

static double
sum(const void *v, int n)
{
	return sum_logs(v, NULL, n);
}

static double
dot(const void *a, const void *b, int n)
{
	return sum_logs(a, b, n);
}

static void
scale_by(void *v, double by, int n)
{
	double *u = v;
	int i;

	for (i = 0; i < n; i++)
		u[i] += by;
}

static void
fill(void *v, double with, int n)
{
	double *u = v;
	int i;

	for (i = 0; i < n; i++)
		u[i] = with;
}

static void
add(const void *v, double *to, int n)
{
	const double *u = v;
	int i;

	for (i = 0; i < n; i++)
		to[i] += exp(u[i]);
}

/* Logs need no scale. */
static double
exponential(void *w, const double *log_w, const void *v, int n)
{
	double *f = w;
	int i;

	(void)v;
	for (i = 0; i < n; i++)
		f[i] = log_w[i];
	return 0;
}

static void
combine(void *alpha, void *u, double by, int n)
{
	double *f = alpha, *b = u;
	int i;

	for (i = 0; i < n; i++) {
		b[i] = f[i] > -DBL_MAX ? b[i] + by : -INFINITY;
		f[i] += b[i];
	}
}

static void
set(void *v, const double *from, long n)
{
	double *u = v;
	long i;

	for (i = 0; i < n; i++)
		u[i] = log(from[i]);
}

static void
get(const void *v, double *to, long n)
{
	const double *u = v;
	long i;

	for (i = 0; i < n; i++)
		to[i] = exp(u[i]);
}

const struct cscg_kernel cscg_plain_log = {
	.name = "plain, logs",
	.size = sizeof(double),
	.epsilon = DBL_EPSILON,
	.is_log = 1,
	.sparse_push = sparse_push,
	.sparse_pull = sparse_pull,
	.sparse_push_max = sparse_push_max,
	.sparse_count = sparse_count,
	.entry_count = entry_count,
	.weigh = weigh,
	.sum = sum,
	.dot = dot,
	.max = max,
	.scale = scale_by,
	.fill = fill,
	.add = add,
	.exponential = exponential,
	.combine = combine,
	.set = set,
	.get = get,
};
