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

/* One step of a chain: next = message * block (a row vector times a matrix). */
struct cscg_link {
	const float *block;	/* rows x cols, row after row */
	uint32_t rows, cols;	/* rows that count; cols is padded */
	float *to;		/* where the next message goes */
};

/* One matrix product of the count update. */
struct cscg_gram {
	const float *left, *right;	/* n rows each, one after the other */
	const float *factor;	/* [n] */
	const float *block;	/* T, rows x cols */
	uint32_t rows, left_cols, cols;	/* left_cols: rows, padded */
	long n;
	int64_t *sum;		/* like block */
};

struct cscg_simd {
	const char *name;
	int width;		/* floats in a vector */

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

	/*
	 * A row of T from its counts: out[k] = (c[k] + p) * by, k < n; out is
	 * padded with zeros to cols.  Returns sum_k log(c[k] + p), exactly
	 * enough, or 0 where p is 0.
	 */
	double (*row)(const double *c, double p, double by, float *out,
	    uint32_t n, uint32_t cols);
};

#endif
