/*
 * stats.h - means, confidence intervals, Student's t and the paired t-test, the
 * beta distribution, sorted values, distributions
 */
#ifndef CSCG_STATS_H
#define CSCG_STATS_H

#include <stdint.h>

struct cscg_mean {
	long n;
	double mean, sd, sem; /* sd with n-1; 0 for n = 1 */
	double lo, hi; /* 95 % interval by Student's t; mean for n = 1 */
};

/* n >= 1 values. */
void cscg_mean(const double *v, long n, struct cscg_mean *out);

struct cscg_ttest {
	double diff, t, df, p; /* mean of a - b; p is one-sided: a < b */
};

/*
 * Paired t-test of n >= 2 pairs.  p is the probability of a mean difference
 * this low or lower under the null hypothesis of equal means, so a small p
 * supports a < b.  If all differences are equal, p is 0, 0.5 or 1 by their
 * sign.
 */
void cscg_paired_t(const double *a, const double *b, long n,
    struct cscg_ttest *out);

/* P(T <= t) for Student's t with df degrees of freedom. */
double cscg_student_cdf(double t, double df);

/*
 * P(X <= x) for X ~ Beta(a, b), a and b above 0, 0 <= x <= 1: the regularised
 * incomplete beta function.
 */
double cscg_beta_cdf(double x, double a, double b);

/* t with P(T <= t) = p, 0 < p < 1. */
double cscg_student_quantile(double p, double df);

/* Ascending order; no value is NaN.  v may be NULL if n is 0. */
void cscg_sort_doubles(double *v, long n);
void cscg_sort_ints(int *v, long n);
void cscg_sort_keys(uint64_t *v, long n);

/* The same, and each value is kept once; the number of values kept. */
long cscg_unique_ints(int *v, long n);
long cscg_unique_keys(uint64_t *v, long n);

/* Ascending order of two int, for qsort() and bsearch(). */
int cscg_compare_ints(const void *left, const void *right);

/*
 * The index of the largest of v[from .. to - 1], the first of equals; -1 if there is
 * none.
 */
long cscg_largest(const double *v, long from, long to);

/* p[n] = v[n] / the sum of v, which may be p. */
void cscg_normalise(const double *v, long n, double *p);

#endif
