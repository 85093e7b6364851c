/*
 * simd.c - vector inner loops, compiled once for each instruction set
 *
 * Vectors are the vector types of GCC and Clang: WIDTH floats, chosen by the
 * Makefile to match the instruction set, since vectors wider than those of the
 * machine are slow.  WIDTH 1 is plain C.
 *
 * The bytes of a result depend on the instruction set, not on the compiler or
 * its optimisation: sums have a fixed order, compilers do not contract, and
 * products are fused with sums only in multiply_add().
 *
 * This file has the chains and small functions; the .inc files have the rest.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "kernel/simd.h"

#define INLINE static inline __attribute__((always_inline))

#if WIDTH > 1
typedef float vf __attribute__((vector_size(4 * WIDTH)));
enum { HALF = WIDTH / 2 }; /* doubles in a vector */
typedef int32_t vi __attribute__((vector_size(4 * WIDTH)));
typedef float vh __attribute__((vector_size(4 * HALF)));
typedef double vd __attribute__((vector_size(8 * HALF)));
typedef int64_t vl __attribute__((vector_size(8 * HALF)));
typedef uint64_t vu __attribute__((vector_size(8 * HALF)));
#define CONVERT(v, type) __builtin_convertvector(v, type)
#else
enum { HALF = 1 };
typedef float vf;
typedef float vh;
typedef double vd;
typedef int64_t vl;
typedef uint64_t vu;
#define CONVERT(v, type) ((type)(v))
#endif

/*
 * Messages whose sum is below 2^-RESCALE_BITS are multiplied by
 * 2^RESCALE_BITS.
 */
enum { RESCALE_BITS = 32 };

/* Products summed in single precision before they are added to integers. */
enum { STEPS_PER_SUM = 512 };

INLINE vf
load(const float *p)
{
	return *(const vf *)__builtin_assume_aligned(p, sizeof(vf));
}

INLINE void
store(float *p, vf v)
{
	*(vf *)__builtin_assume_aligned(p, sizeof(vf)) = v;
}

/* All lanes x. */
INLINE vf
splat(float x)
{
#if WIDTH > 1
	return x - (vf){ 0 };
#else
	return x;
#endif
}

/* a * b + c, with one rounding where the instruction set has that. */
INLINE vf
multiply_add(vf a, vf b, vf c)
{
#if defined(__FMA__) && WIDTH == 16
	return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && WIDTH == 8
	return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
	return a * b + c;
#endif
}

#if defined(__AVX__) && WIDTH >= 8
INLINE float
sum_8(__m256 v)
{
	__m128 q, two;

	q = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
	two = _mm_add_ps(q, _mm_movehl_ps(q, q));
	return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
#endif

INLINE float
sum_lanes(vf v)
{
	/* The same sums in registers where possible. */
#if defined(__AVX__) && WIDTH == 16
	return sum_8(_mm256_add_ps(_mm512_castps512_ps256((__m512)v),
	    _mm512_extractf32x8_ps((__m512)v, 1)));
#elif defined(__AVX__) && WIDTH == 8
	return sum_8((__m256)v);
#elif WIDTH > 1
	vh half[2], h;
	float f[HALF];
	int i, n;

	memcpy(half, &v, sizeof half);
	h = half[0] + half[1];
	memcpy(f, &h, sizeof f);
	for (n = HALF / 2; n; n /= 2)
		for (i = 0; i < n; i++)
			f[i] += f[i + n];
	return f[0];
#else
	return v;
#endif
}

/*
 * out[0 .. nv-1] = sum_j in[j] block[j][0 .. nv-1] for nv vectors held in
 * registers.  Several sums, of every n_acc-th j, reduce the latency of
 * additions.  With a list of rows, a multiple of four, block[j] is row row[j],
 * and add * weight is added.  The sum of out, in groups of 8 vectors, is added
 * to *total.
 */
INLINE void
panel(const float *in, const uint32_t *row, const float *block, uint32_t rows,
    uint32_t cols, const float *weight, float add, float *out, const int nv,
    const int n_acc, vf *total)
{
	const float *end = in + rows;
	const uint32_t *last = row + (row ? rows : 0);
	vf acc[4][16], sum[2] = { { 0 } };
	int v, w;

	for (w = 0; w < n_acc; w++)
		for (v = 0; v < nv; v++)
			acc[w][v] = (vf){ 0 };
	for (; row && row < last; row += n_acc)
		for (w = 0; w < n_acc; w++, block += cols)
			for (v = 0; v < nv; v++)
				acc[w][v] = multiply_add(splat(in[row[w]]),
				    load(block + v * WIDTH), acc[w][v]);
	for (; !row && in + n_acc <= end; in += n_acc)
		for (w = 0; w < n_acc; w++, block += cols)
			for (v = 0; v < nv; v++)
				acc[w][v] = multiply_add(splat(in[w]),
				    load(block + v * WIDTH), acc[w][v]);
	for (; !row && in < end; in++, block += cols)
		for (v = 0; v < nv; v++)
			acc[0][v] = multiply_add(splat(*in),
			    load(block + v * WIDTH), acc[0][v]);
	for (v = 0; v < nv; v++) {
		if (n_acc == 4)
			acc[0][v] += acc[1][v] + (acc[2][v] + acc[3][v]);
		else if (n_acc == 2)
			acc[0][v] += acc[1][v];
		if (row)
			acc[0][v] = multiply_add(splat(add),
			    load(weight + v * WIDTH), acc[0][v]);
		store(out + v * WIDTH, acc[0][v]);
		sum[v / 8] += acc[0][v];
	}
	*total += sum[0];
	if (nv > 8)
		*total += sum[1];
}

#if defined(__FMA__) && WIDTH >= 8
/*
 * panel() and its sum for 16 x 16 floats, without a loop: the same sums of the
 * same lanes.  Vectors of 8 floats are faster than of 16 where the processor
 * splits those in two, and no slower elsewhere, since each product waits for
 * the one before it.
 */
INLINE float
multiply_16(const float *in, const float *block, float *out)
{
	__m256 acc[4][2], x;
	int j, v;

#pragma GCC unroll 16
	for (j = 0; j < 16; j++) {
		x = _mm256_broadcast_ss(in + j);
		for (v = 0; v < 2; v++)
			acc[j % 4][v] = _mm256_fmadd_ps(x,
			    _mm256_load_ps(block + 16 * j + 8 * v),
			    j < 4 ? _mm256_setzero_ps() : acc[j % 4][v]);
	}
	for (v = 0; v < 2; v++) {
		acc[0][v] = _mm256_add_ps(acc[0][v],
		    _mm256_add_ps(acc[1][v],
			_mm256_add_ps(acc[2][v], acc[3][v])));
		_mm256_store_ps(out + 8 * v, acc[0][v]);
	}
	return sum_8(_mm256_add_ps(acc[0][0], acc[0][1]));
}
#endif

/* A row vector times a block; returns the sum of the result: see panel(). */
INLINE float
multiply(const float *in, const uint32_t *row, const float *block,
    uint32_t rows, uint32_t cols, const float *weight, float add, float *out)
{
	uint32_t left = cols / WIDTH;
	vf total = { 0 };

#define PANEL(nv, n_acc) \
	panel(in, row, block, rows, cols, weight, add, out, nv, n_acc, &total)
#define NEXT(nv) \
	(block += nv * WIDTH, out += nv * WIDTH, \
	    weight = row ? weight + nv * WIDTH : NULL, left -= nv)
#if defined(__FMA__) && WIDTH >= 8
	if (!row && rows == 16 && cols == 16)
		return multiply_16(in, block, out);
#endif
#if WIDTH == 16
	/* 32 registers: fewer passes over a block from the outer caches. */
	for (; left >= 16; NEXT(16))
		PANEL(16, 1);
#endif
	for (; left >= 8; NEXT(8))
		PANEL(8, 1);
	switch (left) {
	case 7:
		PANEL(7, 1);
		break;
	case 6:
		PANEL(6, 2);
		break;
	case 5:
		PANEL(5, 2);
		break;
	case 4:
		PANEL(4, 2);
		break;
	case 3:
		PANEL(3, 2);
		break;
	case 2:
		PANEL(2, 4);
		break;
	case 1:
		PANEL(1, 4);
		break;
	}
#undef NEXT
#undef PANEL
	return sum_lanes(total);
}

/*
 * out[j] = sum_k block[j][k] in[k] for rows of nv vectors; in stays in
 * registers.
 */
INLINE float
row_products(const float *in, const float *block, uint32_t rows, float *out,
    const int nv)
{
	float total = 0;
	vf x[8], sum;
	uint32_t j;
	int v;

	for (v = 0; v < nv; v++)
		x[v] = load(in + v * WIDTH);
	for (j = 0; j < rows; j++, block += nv * WIDTH) {
		sum = x[0] * load(block);
		for (v = 1; v < nv; v++)
			sum = multiply_add(x[v], load(block + v * WIDTH), sum);
		out[j] = sum_lanes(sum);
		total += out[j];
	}
	return total;
}

/* A block times a column vector, to which zeros are added; returns the sum. */
INLINE float
multiply_right(const float *in, const struct cscg_block *b, float *out)
{
	uint32_t k;

	for (k = b->rows; k < b->cols; k++)
		out[k] = 0;
	switch (b->rows_pad / WIDTH) {
	case 1:
		return row_products(in, b->dense, b->rows, out, 1);
	case 2:
		return row_products(in, b->dense, b->rows, out, 2);
	case 3:
		return row_products(in, b->dense, b->rows, out, 3);
	case 4:
		return row_products(in, b->dense, b->rows, out, 4);
	case 5:
		return row_products(in, b->dense, b->rows, out, 5);
	case 6:
		return row_products(in, b->dense, b->rows, out, 6);
	case 7:
		return row_products(in, b->dense, b->rows, out, 7);
	default:
		return row_products(in, b->dense, b->rows, out, 8);
	}
}

/*
 * WIDTH numbers at the given indices.  Since CPUs gather lane by lane,
 * elements within two pairs of vectors (struct cscg_window) are permuted
 * instead.
 */
INLINE vf
gather(const float *in, const int32_t *index, const struct cscg_window *w)
{
#if defined(__AVX512F__) && WIDTH == 16
	__m512 v;
	__m512i at;

	if (w->first < 0)
		return (vf)_mm512_i32gather_ps(_mm512_loadu_si512(index), in,
		    4);
	at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)w->at));
	v = _mm512_permutex2var_ps(_mm512_load_ps(in + w->first), at,
	    _mm512_load_ps(in + w->first + WIDTH));
	if (w->lanes)
		v = _mm512_mask_blend_ps((__mmask16)w->lanes, v,
		    _mm512_permutex2var_ps(_mm512_load_ps(in + w->second), at,
			_mm512_load_ps(in + w->second + WIDTH)));
	return (vf)v;
#else
	float f[WIDTH];
	vf v;
	int i;

	(void)w;
	for (i = 0; i < WIDTH; i++)
		f[i] = in[index[i]];
	memcpy(&v, f, sizeof v);
	return v;
#endif
}

/*
 * The same for a block given as entries by column.  row_factor or col_factor may
 * be NULL: then all are ones.
 */
INLINE float
sparse_sums(const float *in, const struct cscg_chain_step *l,
    const float *row_factor, const float *col_factor, const uint32_t depth)
{
	/* Copies, since a store might change *l as far as a compiler knows. */
	const float *weight = l->weight, *value = l->value;
	const struct cscg_window *window = l->window;
	const int32_t *index = l->index;
	uint32_t cols = l->cols, rows = l->rows_pad, d, k;
	float add, more = 0, *scratch = l->scratch, *to = l->to;
	vf both = { 0 }, total = { 0 };
	size_t at;
	long i;

	for (k = 0; k < rows; k += WIDTH) {
		vf v = load(in + k);

		if (weight) {
			v *= load(weight + k);
			store(scratch + k, v);
		}
		both = row_factor ?
		    multiply_add(v, load(row_factor + k), both) :
		    v + both;
	}
	if (weight)
		in = scratch;
	add = sum_lanes(both);
	for (k = 0; k < cols; k += WIDTH) {
		vf v = col_factor ? add * load(col_factor + k) : splat(add);

		for (d = 0, at = k; d < depth; d++, at += cols)
			v = multiply_add(load(value + at),
			    gather(in, index + at, &window[at / WIDTH]), v);
		store(to + k, v);
		total += v;
	}
	for (i = 0; i < l->n_entries; i++) {
		float v = l->entry[i].value * in[l->entry[i].from];

		l->to[l->entry[i].to] += v;
		more += v;
	}
	return sum_lanes(total) + more;
}

INLINE float
sparse_step(const float *in, const struct cscg_chain_step *l)
{
	const float *row = l->row_factor, *col = l->col_factor;

	/* The most common depth, without a loop. */
	if (l->depth == 1 && !row)
		return sparse_sums(in, l, NULL, col, 1);
	if (l->depth == 1 && !col)
		return sparse_sums(in, l, row, NULL, 1);
	return sparse_sums(in, l, row, col, l->depth);
}

/*
 * The same for a sparse block.  All bundles have the same size, so that there
 * is no branch on the number of vectors of a column.
 */
INLINE float
sparse_block(const float *in, const struct cscg_block *b, float *out)
{
	const float *value = b->value;
	const uint16_t *row = b->row;
	vf both = { 0 }, total = { 0 };
	uint32_t k, i;
	float add;

	for (k = 0; k < b->rows_pad; k += WIDTH)
		both = multiply_add(load(in + k), load(b->row_factor + k),
		    both);
	add = sum_lanes(both);
	for (k = 0; k < b->cols; k += WIDTH)
		store(out + k, (vf){ 0 });
	for (i = 0; i < b->n_bundles; i++) {
		float *to = out + (size_t)b->col[i] * WIDTH;
		vf u = in[row[0]] * load(value);
		vf v = in[row[2]] * load(value + 2 * WIDTH);

		u = multiply_add(splat(in[row[1]]), load(value + WIDTH), u);
		v = multiply_add(splat(in[row[3]]), load(value + 3 * WIDTH),
		    v);
		store(to, load(to) + (u + v));
		row += CSCG_BUNDLE;
		value += CSCG_BUNDLE * WIDTH;
	}
	for (k = 0; k < b->cols; k += WIDTH) {
		vf v = multiply_add(splat(add), load(b->col_factor + k),
		    load(out + k));

		store(out + k, v);
		total += v;
	}
	return sum_lanes(total);
}

/*
 * Prefetch up to a limit, beyond which other data would be evicted: to the
 * first-level cache, and what is beyond that limit to the second.
 */
INLINE void
prefetch(const void *p, size_t bytes)
{
	enum { LINE = 64, NEAR = 32 * LINE, MOST = 128 * LINE };
	const char *at = p, *end = at + (bytes < NEAR ? bytes : NEAR);

	for (; at < end; at += 4 * LINE) {
		__builtin_prefetch(at);
		__builtin_prefetch(at + LINE);
		__builtin_prefetch(at + 2 * LINE);
		__builtin_prefetch(at + 3 * LINE);
	}
	for (end = (const char *)p + (bytes < MOST ? bytes : MOST); at < end;
	     at += 2 * LINE) {
		__builtin_prefetch(at, 0, 2);
		__builtin_prefetch(at + LINE, 0, 2);
	}
}

INLINE void
prefetch_block(const struct cscg_block *b)
{
	if (b->dense) {
		prefetch(b->dense, b->cols * sizeof(float) * b->rows);
	} else {
		prefetch(b->row, b->n_bundles * CSCG_BUNDLE * sizeof *b->row);
		prefetch(b->col, b->n_bundles * sizeof *b->col);
		prefetch(b->value, b->n_bundles * CSCG_BUNDLE * sizeof(vf));
	}
}

/*
 * Keep a message from underflow; returns the exponent of the power of two
 * applied.
 */
INLINE int16_t
rescale(float *at, uint32_t n, float *sum)
{
	const float threshold = 0x1p-32f, by = 0x1p32f;
	int16_t shift = 0;
	uint32_t k;

	/* A sum of zero is not rescaled: the walk is impossible. */
	while (*sum<threshold && * sum> 0) {
		for (k = 0; k < n; k++)
			at[k] *= by;
		*sum *= by;
		shift += RESCALE_BITS;
	}
	return shift;
}

static double
chain(const float *from, const struct cscg_chain_step *link, int16_t *shift)
{
	float sum = sparse_step(from, link);

	*shift = rescale(link->to, link->cols, &sum);
	return sum;
}

static double
follow(const float *from, const struct cscg_block *blocks, const int *of,
    int step, float *const *to, long n, int16_t *shift, bool is_far)
{
	enum { AHEAD = 2 };
	const struct cscg_block *b;
	float sum = 0;
	uint32_t k;
	long i;

	for (i = 0; i < n; i++, of += step) {
		if (is_far && i + 2 * AHEAD < n)
			__builtin_prefetch(
			    &blocks[2 * (size_t)of[2 * AHEAD * step]]);
		if (i + AHEAD < n) {
			b = &blocks[2 * (size_t)of[AHEAD * step]];
			if (is_far)
				prefetch_block(b);
			for (k = 0; k < b->cols; k += 16)
				__builtin_prefetch(to[i + AHEAD] + k, 1);
		}
		b = &blocks[2 * (size_t)*of];
		sum = !b->dense  ? sparse_block(from, b, to[i]) :
		    b->n_bundles ? multiply_right(from, b, to[i]) :
				   multiply(from, NULL, b->dense, b->rows,
				       b->cols, NULL, 0, to[i]);
		shift[i] = rescale(to[i], b->cols, &sum);
		from = to[i];
	}
	return sum;
}

static float
dot(const float *a, const float *b, uint32_t n)
{
	vf s = { 0 };
	uint32_t k;

	for (k = 0; k < n; k += WIDTH)
		s = multiply_add(load(a + k), load(b + k), s);
	return sum_lanes(s);
}

#include "kernel/simd_paths.inc"
#include "kernel/simd_gram.inc"
#include "kernel/simd_rows.inc"

static bool
posterior(float *restrict alpha, const float *restrict beta,
    const float *restrict weight, uint32_t n, double *restrict seen, bool keep)
{
	vf total = { 0 };
	uint32_t k;
	float one, v;

	for (k = 0; k < n; k += WIDTH) {
		vf p = load(alpha + k) * load(beta + k) * load(weight + k);

		store(alpha + k, p);
		total += p;
	}
	one = 1 / sum_lanes(total);
	if (keep)
		for (k = 0; k < n; k++)
			alpha[k] *= one;
	v = keep ? 1 : one;
	for (k = 0; k < n; k++)
		seen[k] += alpha[k] * v;
	return !isnan(alpha[0] * v);
}

#define TABLE_NAME(isa) cscg_simd_##isa
#define TABLE(isa) TABLE_NAME(isa)
#define STRING_OF(s) #s
#define STRING(s) STRING_OF(s)

#ifdef NARROW /* the same instructions with shorter vectors */
extern const struct cscg_simd TABLE(NARROW);
#define NARROW_TABLE &TABLE(NARROW)
#else
#define NARROW_TABLE NULL
#endif

extern const struct cscg_simd TABLE(ISA);
const struct cscg_simd TABLE(ISA) = {
	STRING(ISA),
	WIDTH,
	NARROW_TABLE,
	chain,
	follow,
	sum_chain,
	max_chain,
	back,
	dot,
	gram,
	gram_sparse,
	sums,
	rows,
	sparsify,
	posterior,
	log_sum,
	transpose,
};
