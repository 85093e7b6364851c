/*
 * simd.h - the fast loops, compiled once for each kind of CPU
 *
 * simd.c is built several times with its own flags; each build gives one table
 * of functions, and isa.c chooses among them when the program runs.  A real is
 * a float.  Rows of matrices and messages are padded with zeros to a multiple
 * of `width` and aligned to CSCG_ALIGN bytes, so that a loop needs no tail.
 */
#ifndef CSCG_SIMD_H
#define CSCG_SIMD_H

#include <stddef.h>
#include <stdint.h>

enum { CSCG_ALIGN = 64 };

/* out[to] += in[from] * value */
struct cscg_extra {
	int32_t from, to;
	float value;
};

/*
 * One step of a chain: next = message * block (a row vector times a matrix).
 *
 * A thin block is given as its few entries beside a matrix of rank one:
 * out[k] = sum_l value[l][k] in[index[l][k]] + up[k] * sum_j down[j] in[j],
 * l < depth; entries that would make it too deep are extra, one by one.  There
 * the message may be weighed first: in[j] * weight[j].
 */
struct cscg_link {
	const float *block;	/* rows x cols, row after row */
	uint32_t rows, cols;	/* rows that count; cols is padded */
	float *to;		/* where the next message goes */
	const float *value, *up, *down;	/* depth x cols, cols, rows (padded) */
	const int32_t *index;	/* depth x cols */
	uint32_t depth, rows_pad;
	int thin;
	const float *weight;	/* [rows_pad], or NULL */
	float *scratch;		/* [rows_pad], with weight */
	const struct cscg_extra *extra;
	long n_extra;
};

/* One matrix product of the count update. */
struct cscg_gram {
	const float *left, *right;	/* n rows each, one after the other */
	const float *factor;	/* [n] */
	const float *block;	/* T, rows x cols */
	uint32_t rows, left_cols, cols;	/* left_cols: rows, padded */
	long n;
	int64_t *sum;		/* like block */
	int first;		/* is sum to be set, not added to? */
};

/* Where the entries of a thin block go; see cscg_link. */
struct cscg_thin {
	const float *block;	/* T, rows x cols_pad */
	const float *level;	/* [rows] what does not stand out */
	uint32_t rows, cols, rows_pad, cols_pad;
	uint32_t most;		/* entries a column or row may have */
	float *value, *value_back;	/* most x cols_pad, most x rows_pad */
	int32_t *index, *index_back;
	uint16_t *have;		/* [cols] scratch */
	uint32_t depth, depth_back;	/* out: most in a column, in a row */
	int thin, thin_back;	/* out: are there no more than that? */
};

struct cscg_simd {
	const char *name;
	int width;		/* floats in a vector */
	const struct cscg_simd *narrow;	/* with shorter vectors, or NULL */

	/*
	 * Follow n links from message `from`.  When a message grows small it
	 * is multiplied by a power of two; shift[i] is that power for link i.
	 * Returns the sum of the last message.
	 */
	double (*chain)(const float *from, const struct cscg_link *links,
	    long n, int16_t *shift);

	/* sum_i a[i] b[i] over n floats, n padded */
	float (*dot)(const float *a, const float *b, uint32_t n);

	/*
	 * sum[j][k] += unit * T[j][k] * sum_i factor[i] left[i][j] right[i][k],
	 * rounded to whole numbers after every few hundred i.
	 */
	void (*gram)(const struct cscg_gram *g, double unit);

	/* sum of the c[k] above low, k < n */
	int64_t (*sum)(const int64_t *c, int64_t low, uint32_t n);

	/*
	 * A row of T from its counts, c[k] units each: with v = c[k] * unit,
	 * or 0 where that is at most `least`, out[k] = (v + p) * by, k < n;
	 * out is padded with zeros to cols.  Returns sum_k log(v + p), exactly
	 * enough, or 0 where p is 0.
	 */
	double (*row)(const int64_t *c, double unit, double least, double p,
	    double by, float *out, uint32_t n, uint32_t cols);

	/* Gather what stands out, by columns and by rows. */
	void (*gather)(struct cscg_thin *t);

	/*
	 * alpha[j] = alpha[j] beta[j] weight[j], scaled to sum to one, and
	 * seen[j] += alpha[j], over n floats, n padded.
	 */
	void (*posterior)(float *alpha, const float *beta, const float *weight,
	    uint32_t n, double *seen);

	/* sum of log v[i], v[i] > 0 and normal */
	double (*log_sum)(const double *v, long n);

	/* to[k][j] = from[j][k] */
	void (*turn)(const float *from, uint32_t rows, uint32_t cols_pad,
	    uint32_t cols, float *to, uint32_t rows_pad);
};

#endif
