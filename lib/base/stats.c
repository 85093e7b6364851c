/*
 * stats.c - means, confidence intervals, Student's t and the paired t-test, the
 * beta distribution, sorted values
 *
 * Student's distribution is an incomplete beta function: for t >= 0, P(T > t)
 * = I_x(df/2, 1/2) / 2 with x = df / (df + t^2), and I_x is evaluated by its
 * continued fraction, which converges fast for x < (a+1)/(a+b+2); other x are
 * reduced to these by the symmetry I_x(a, b) = 1 - I_{1-x}(b, a).
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

enum { FRACTION_MAX = 10000 };

/* A denominator of zero would stop Lentz's method; a tiny one does not. */
static double
nonzero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* Lentz's method on the continued fraction of I_x(a, b). */
static double
beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;
	double even, odd, step;
	int m;

	for (m = 1; m < FRACTION_MAX; m++) {
		even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 / nonzero(1 + even * d);
		c = nonzero(1 + even / c);
		h *= d * c;
		odd = -(a + m) * (a + b + m) * x /
		    ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / nonzero(1 + odd * d);
		c = nonzero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 4 * DBL_EPSILON)
			break;
	}
	return h;
}

/*
 * I_x(a, b), with y = 1 - x as an argument: computed from x near 1 it would
 * lose digits.
 */
static double
incomplete_beta(double a, double b, double x, double y)
{
	double front;

	if (x <= 0 || y <= 0)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	    b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double
cscg_student_cdf(double t, double df)
{
	double tail;

	if (isinf(t))
		return t > 0;
	tail = incomplete_beta(df / 2, .5, df / (df + t * t),
		   t * t / (df + t * t)) /
	    2;
	return t > 0 ? 1 - tail : tail;
}

double
cscg_beta_cdf(double x, double a, double b)
{
	return incomplete_beta(a, b, x, 1 - x);
}

double
cscg_student_quantile(double p, double df)
{
	double lo = -1, hi = 0, mid;
	int i;

	/* p <= 0.5 is precise; larger p follow by symmetry. */
	if (p > .5)
		return -cscg_student_quantile(1 - p, df);
	while (lo > -DBL_MAX / 2 && cscg_student_cdf(lo, df) > p) {
		hi = lo;
		lo *= 2;
	}
	for (i = 0; i < 200; i++) {
		mid = lo + (hi - lo) / 2;
		if (mid == lo || mid == hi)
			break;
		if (cscg_student_cdf(mid, df) > p)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

void
cscg_mean(const double *v, long n, struct cscg_mean *out)
{
	double sum = 0, squares = 0, half_width;
	long i;

	for (i = 0; i < n; i++)
		sum += v[i];
	*out = (struct cscg_mean){ .n = n, .mean = sum / (double)n };
	out->lo = out->hi = out->mean;
	if (n < 2)
		return;
	/* Two passes: the squares of large equal values would cancel. */
	for (i = 0; i < n; i++)
		squares += (v[i] - out->mean) * (v[i] - out->mean);
	out->sd = sqrt(squares / (double)(n - 1));
	out->sem = out->sd / sqrt((double)n);
	half_width = out->sem * cscg_student_quantile(.975, (double)(n - 1));
	out->lo = out->mean - half_width;
	out->hi = out->mean + half_width;
}

void
cscg_paired_t(const double *a, const double *b, long n, struct cscg_ttest *out)
{
	double sum = 0, squares = 0, d, sem;
	int equal = 1;
	long i;

	for (i = 0; i < n; i++) {
		sum += a[i] - b[i];
		equal &= a[i] - b[i] == a[0] - b[0];
	}
	*out = (struct cscg_ttest){ .diff = sum / (double)n,
		.df = (double)(n - 1) };
	for (i = 0; i < n; i++) {
		d = a[i] - b[i] - out->diff;
		squares += d * d;
	}
	sem = sqrt(squares / (double)(n - 1) / (double)n);
	/*
	 * The mean of equal differences may be off by rounding: the deviation
	 * is 0.
	 */
	if (!equal)
		out->t = out->diff / sem;
	else if (out->diff != 0)
		out->t = out->diff < 0 ? -INFINITY : INFINITY;
	out->p = cscg_student_cdf(out->t, out->df);
}

static int
by_double(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

void
cscg_sort_doubles(double *v, long n)
{
	if (n)
		qsort(v, (size_t)n, sizeof *v, by_double);
}

int
cscg_compare_ints(const void *left, const void *right)
{
	const int *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void
cscg_sort_ints(int *v, long n)
{
	if (n)
		qsort(v, (size_t)n, sizeof *v, cscg_compare_ints);
}

static int
by_key(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

void
cscg_sort_keys(uint64_t *v, long n)
{
	if (n)
		qsort(v, (size_t)n, sizeof *v, by_key);
}

long
cscg_unique_ints(int *v, long n)
{
	long i, kept = 0;

	cscg_sort_ints(v, n);
	for (i = 0; i < n; i++)
		if (!i || v[i] != v[i - 1])
			v[kept++] = v[i];
	return kept;
}

long
cscg_unique_keys(uint64_t *v, long n)
{
	long i, kept = 0;

	cscg_sort_keys(v, n);
	for (i = 0; i < n; i++)
		if (!i || v[i] != v[i - 1])
			v[kept++] = v[i];
	return kept;
}

long
cscg_largest(const double *v, long from, long to)
{
	long i, best = from;

	for (i = from + 1; i < to; i++)
		if (v[i] > v[best])
			best = i;
	return from < to ? best : -1;
}

void
cscg_normalise(const double *v, long n, double *p)
{
	double sum = 0;
	long i;

	for (i = 0; i < n; i++)
		sum += v[i];
	for (i = 0; i < n; i++)
		p[i] = v[i] / sum;
}
