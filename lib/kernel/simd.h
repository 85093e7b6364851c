/*
 * simd.h - vector inner loops, compiled once for each instruction set
 *
 * simd.c is built several times with different flags; each build provides one
 * table of functions, and cpu.c selects one at run time.  A real is a float.
 * Rows of matrices and messages are padded with zeros to a multiple of `width`
 * and aligned to CSCG_ALIGN bytes, so that a loop needs no tail.
 */
#ifndef CSCG_SIMD_H
#define CSCG_SIMD_H

#include <stddef.h>
#include <stdint.h>

enum {
	CSCG_ALIGN = 64,
	CSCG_SPARSE_ROWS_MAX = 1024,  /* rows of a sparse block ... */
	CSCG_SPARSE_VECTORS_MAX = 64, /* ... and columns, in vectors */
	CSCG_BUNDLE = 4,              /* vectors */
	CSCG_RIGHT_MAX = 8,           /* vectors of a column vector */
};

/* out[to] += in[from] * value */
struct cscg_sparse_entry {
	int32_t from, to;
	float value;
};

/*
 * Two pairs of adjacent vectors of a message, at offsets first and second,
 * that contain all elements to be gathered for one vector of indices: lanes (a
 * bit mask) are taken from the second pair, the others from the first.
 * first < 0: the indices are spread over more vectors.
 */
enum { CSCG_WINDOW_LANES = 16 };
struct cscg_window {
	int32_t first, second;
	uint32_t lanes, none;          /* none: the struct has 32 bytes */
	uint8_t at[CSCG_WINDOW_LANES]; /* index of each lane in its pair */
};

/*
 * One step of a chain: next = message * block (a row vector times a matrix).
 *
 * The block is given as a few entries plus a matrix of rank one:
 *
 *   out[k] = sum_l value[l][k] in[index[l][k]]
 *            + col_factor[k] * sum_j row_factor[j] in[j],  l < depth
 *
 * Entries of columns with more than depth entries are in `entry`, one by one.
 * The message may be weighted first: in[j] * weight[j].
 */
struct cscg_chain_step {
	uint32_t cols; /* padded */
	float *to;     /* destination of the next message */
	const float *value, *col_factor,
	    *row_factor;      /* depth x cols, cols, rows (padded); one of the
	                    factors may be NULL: ones, without padding */
	const int32_t *index; /* depth x cols */
	const struct cscg_window *window; /* depth x cols / width */
	uint32_t depth, rows_pad;
	const float *weight; /* [rows_pad], or NULL */
	float *scratch;      /* [rows_pad], with weight */
	const struct cscg_sparse_entry *entry;
	long n_entries;
};

/*
 * The vectors of a block that differ from its rank-one part, in bundles:
 * CSCG_BUNDLE vectors of the same columns, their row numbers, and their
 * excess.  A bundle that is not full is padded with vectors of zeros.
 */
struct cscg_bundles {
	float *value;  /* [max_bundles][CSCG_BUNDLE][width] */
	uint16_t *col; /* [max_bundles] columns, in vectors ... */
	uint16_t *row; /* ... then [max_bundles][CSCG_BUNDLE] rows */
	uint32_t max_bundles;
};

/*
 * A block for follow(): dense, or sparse, as vectors added to the rank-one
 * part col_factor[k] * row_factor[j].  The struct fills one cache line, since
 * consecutive blocks are not adjacent in memory.
 */
struct cscg_block {
	const float *dense; /* rows x cols, row after row; NULL: sparse */
	const float *value, *col_factor, *row_factor;
	const uint16_t *col, *row;
	/*
	 * Bundles.  Of a dense block 0, or 1 if a column vector of rows_pad, at
	 * most CSCG_RIGHT_MAX vectors, is multiplied: dense is then rows x
	 * rows_pad, and zeros make cols of its rows.
	 */
	uint32_t n_bundles;
	uint32_t rows, rows_pad, cols;
} __attribute__((aligned(64)));

/*
 * T of one action from the states of one symbol to those of the next: all rows,
 * or level[j] * weight[k] in column k of row j plus a list of rows (for sums
 * only), or plus the values of entries, which are sorted by row and column.
 */
struct cscg_trans_block {
	const float *dense;  /* rows x cols_pad; NULL: entries */
	const uint32_t *row; /* [rows] a list: their numbers; NULL: all */
	const struct cscg_sparse_entry *entry;
	const float *level;  /* [rows_pad], at any address */
	const float *weight; /* [cols_pad] states of each column, usually 1 */
	uint32_t n_entries, n_states;      /* n_states: the sum of weights */
	uint32_t rows;                     /* of dense, or of the block */
	uint32_t cols, rows_pad, cols_pad; /* of the block */
};

/*
 * A chain of messages through block[of[0]], block[of[1]], ... of a given T.
 * Where the message becomes zero the chain ends: n is then the number of steps
 * before that.
 */
struct cscg_block_chain {
	const int *of; /* [n] */
	long n;
	const float *at; /* in: the message before of[0]; out: the last one */
	float *to;       /* of the next message; adjacent if flip is 0, ... */
	long flip;       /* ... else at to and to + flip in turns */
	double *p;   /* [n] size of each message by that before it, or NULL */
	double size; /* sum (or maximum) of the message `at` */
	long shift;  /* exponents of the powers of two that were multiplied */
	int is_far;  /* whether the blocks exceed the inner caches */
};

/* One matrix product of the count update. */
struct cscg_gram {
	const float *left, *right;      /* n rows each, one after the other */
	const float *factor;            /* [n] */
	const float *block;             /* T, rows x cols */
	uint32_t rows, left_cols, cols; /* left_cols: rows, padded */
	long n;
	int64_t *sum; /* like block */
	int first;    /* true: set sum instead of adding to it */

	/* For a sparse block: */
	const uint64_t *live; /* [rows] which vectors of T are stored; ... */
	const float *level;   /* [rows_pad] ... others are level * ones */
	const float *ones;    /* [cols] */
	uint64_t *live_sum;   /* [rows] which vectors of sum are stored */
	double drop;          /* error of a sum allowed per step */
};

/* Parameters for computing rows of T from their counts. */
struct cscg_count_rows {
	const int64_t *count;   /* rows x cols, in multiples of unit */
	double unit, min_count; /* counts up to min_count are taken as 0 */
	const double *add, *by; /* [rows] */
	const float *ones;      /* [cols] 0 where padded */
	float *out;             /* rows x cols */
	uint32_t rows, cols;
	int logs;             /* whether the sum of logs is computed */
	const uint64_t *live; /* [rows] which vectors are stored; NULL: all */
	long n;               /* out: numbers in these vectors */
};

/* A block to be made sparse, and the destination; see cscg_bundles. */
struct cscg_sparsify {
	const float *block; /* T, rows x cols_pad */
	const float *level; /* [rows_pad] value of entries without excess */
	uint32_t rows, rows_pad, cols_pad;
	uint64_t *live; /* [rows] which vectors are stored; out: kept */
	struct cscg_bundles forward,
	    backward;   /* of the block, and transposed */
	long n, n_back; /* out: bundles kept; -1: more than max_bundles */
};

struct cscg_simd {
	const char *name;
	int width;                      /* floats in a vector */
	const struct cscg_simd *narrow; /* with shorter vectors, or NULL */

	/*
	 * Compute a chain step from message `from`.  A message that becomes
	 * small is multiplied by a power of two; *shift is its exponent.
	 * Returns the sum of the message.
	 */
	double (*chain)(const float *from, const struct cscg_chain_step *link,
	    int16_t *shift);

	/*
	 * The same through blocks[2 * of[0]], blocks[2 * of[step]], ...; `to`
	 * are the destinations of the messages, shift[i] the exponents.  is_far: the blocks exceed the
	 * inner caches, and are prefetched.
	 */
	double (*follow)(const float *from, const struct cscg_block *blocks,
	    const int *of, int step, float *const *to, long n, int16_t *shift,
	    bool is_far);

	/* A chain of sums, or of maxima (Viterbi), through blocks of T. */
	void (*sum_chain)(const struct cscg_trans_block *block,
	    struct cscg_block_chain *chain);
	void (*max_chain)(const struct cscg_trans_block *block,
	    struct cscg_block_chain *chain);

	/* The lowest j with the largest in[j] T[j][k]: the back pointer. */
	uint32_t (*back)(const struct cscg_trans_block *block, const float *in,
	    uint32_t k);

	/* sum_i a[i] b[i] over n floats, n padded */
	float (*dot)(const float *a, const float *b, uint32_t n);

	/*
	 * sum[j][k] +=
	 *   unit * T[j][k] * sum_i factor[i] left[i][j] right[i][k],
	 * rounded to integers after every few hundred i.
	 */
	void (*gram)(const struct cscg_gram *g, double unit);

	/*
	 * The same for sparse T.  Vectors of the sum that cannot exceed n *
	 * drop may be omitted.
	 */
	void (*gram_sparse)(const struct cscg_gram *g, double unit);

	/*
	 * sum[j] += all c[j][k] above low, over rows x cols, or over the live
	 * vectors of them; returns their number.
	 */
	long (*sums)(const int64_t *c, int64_t low, uint32_t rows,
	    uint32_t cols, const uint64_t *live, int64_t *sum);

	/*
	 * With v = count[j][k] * unit, or 0 where that is at most min_count,
	 * out[j][k] = (v + add[j]) * by[j] * ones[k].  If logs is set, returns
	 * the sum of log(v + add[j]) over all, to sufficient accuracy.
	 */
	double (*rows)(struct cscg_count_rows *r);

	/*
	 * Keep the vectors with excess over the rank-one part, by columns and
	 * by rows.
	 */
	void (*sparsify)(struct cscg_sparsify *s);

	/*
	 * alpha[j] = alpha[j] beta[j] weight[j], scaled to sum to one, and
	 * seen[j] += alpha[j], over n floats, n padded.  Without keep, alpha is
	 * undefined after it.  Returns whether the sum is above 0.
	 */
	bool (*posterior)(float *alpha, const float *beta, const float *weight,
	    uint32_t n, double *seen, bool keep);

	/* sum of log v[i], v[i] > 0 and normal */
	double (*log_sum)(const double *v, long n);

	/* to[k][j] = from[j][k] */
	void (*transpose)(const float *from, uint32_t rows, uint32_t cols_pad,
	    uint32_t cols, float *to, uint32_t rows_pad);
};

#endif
