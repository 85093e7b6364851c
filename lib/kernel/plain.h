/*
 * plain.h - plain inner loops on arrays, the reference for every faster kernel
 *
 * A kernel is a table of functions for one kind of real number, so that a pass
 * is written once, independent of the implementation of its loops.  Vectors
 * and matrices of reals are passed as void pointers to arrays of `size`-byte
 * reals; a matrix is nj rows of nk columns, ld reals apart.
 *
 * Sums run in index order, so a result depends on its input alone.
 */
#ifndef CSCG_PLAIN_H
#define CSCG_PLAIN_H

#include <math.h>
#include <stddef.h>

/* Rows of T, each as a few entries above a constant level. */
struct cscg_sparse_rows {
	const long *first; /* [nj + 1] */
	const int *to;
	const void *excess; /* reals like to */
	const void *level;  /* [nj] reals */
	int is_signed;      /* whether an excess may be negative */
};

struct cscg_kernel {
	const char *name;
	size_t size;    /* of a real: 4 or 8 */
	double epsilon; /* 2^-23 or 2^-52 */
	int is_log;     /* whether reals are natural logs */

	/* out[k] = sum_j in[j] T[j][k] */
	void (*push)(const void *T, long ld, int nj, int nk, const void *in,
	    void *out);

	/* out[j] = sum_k T[j][k] in[k] */
	void (*pull)(const void *T, long ld, int nj, int nk, const void *in,
	    void *out);

	/* out[k] = max_j in[j] T[j][k]; arg[k] is the lowest such j */
	void (*push_max)(const void *T, long ld, int nj, int nk,
	    const void *in, void *out, int *arg);

	/* C[j][k] += scale * a[j] T[j][k] b[k]; C has the ld of T */
	void (*count)(const void *T, long ld, int nj, int nk, const void *a,
	    const void *b, double scale, double *C);

	/*
	 * The same three where T[j][k] = level[j] + excess, given by rows:
	 * entries first[j] .. first[j+1]-1 of to (ascending) and excess.
	 * Columns are k0 .. k0+nk-1.
	 */
	void (*sparse_push)(const struct cscg_sparse_rows *T, int nj, int k0,
	    int nk, const void *in, void *out);
	void (*sparse_pull)(const struct cscg_sparse_rows *T, int nj, int k0,
	    int nk, const void *in, void *out);
	void (*sparse_push_max)(const struct cscg_sparse_rows *T, int nj,
	    int k0, int nk, const void *in, void *out, int *arg);

	/* The same as count; C is dense, ld reals a row, from column k0 on. */
	void (*sparse_count)(const struct cscg_sparse_rows *T, int nj, int k0,
	    int nk, const void *a, const void *b, double scale, double *C,
	    long ld);

	/*
	 * The same for the entries: C[i] += scale * a[j] T[j][k] b[k] of entry
	 * i, and rest[j] += that of all k without an entry.
	 */
	void (*entry_count)(const struct cscg_sparse_rows *T, int nj, int k0,
	    int nk, const void *a, const void *b, double scale, double *C,
	    double *rest);

	/*
	 * Sums, maxima and the arguments by, with and scale are of the same
	 * kind as reals: logs if is_log is set.
	 */

	/* v[i] *= w[i]; returns the sum of the products */
	double (*weigh)(void *v, const void *w, int n);
	double (*sum)(const void *v, int n);
	double (*dot)(const void *a, const void *b, int n);
	double (*max)(const void *v, int n, int *arg);
	void (*scale)(void *v, double by, int n);
	void (*fill)(void *v, double with, int n);
	void (*add)(const void *v, double *to, int n); /* to[i] += v[i] */

	/*
	 * w[i] = exp(log_w[i] - c) where v[i] > 0, else 0; c, the largest
	 * log_w[i] of these, is returned (-INFINITY: no v[i] > 0).
	 */
	double (*exponential)(void *w, const double *log_w, const void *v,
	    int n);

	/*
	 * Combine forward alpha with backward u: u *= by, alpha *= u.  Where
	 * alpha is nearly zero u becomes zero: the posterior of such a state
	 * is zero, and its backward message could overflow.
	 */
	void (*combine)(void *alpha, void *u, double by, int n);

	/* Conversion between reals and doubles. */
	void (*set)(void *v, const double *from, long n);
	void (*get)(const void *v, double *to, long n);
};

/* The readable loops, single and double precision. */
extern const struct cscg_kernel cscg_plain_float, cscg_plain_double;

/*
 * The same on natural logs in double precision, for evidence beyond the range
 * of floating point; without push, pull, push_max and count for dense T.
 */
extern const struct cscg_kernel cscg_plain_log;

/*
 * x as a real of kernel k: its log if is_log is set; and the log of such a
 * real.
 */
static inline double
cscg_kernel_real(const struct cscg_kernel *k, double x)
{
	return k->is_log ? log(x) : x;
}

static inline double
cscg_kernel_log(const struct cscg_kernel *k, double real)
{
	return k->is_log ? real : log(real);
}

/* 1 / x, and whether x > 0, of such a real x. */
static inline double
cscg_kernel_inverse(const struct cscg_kernel *k, double real)
{
	return k->is_log ? -real : 1 / real;
}

static inline int
cscg_kernel_positive(const struct cscg_kernel *k, double real)
{
	return k->is_log ? real > -INFINITY : real > 0;
}

#endif
