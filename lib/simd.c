/*
 * simd.c - the fast loops, compiled once for each kind of CPU
 *
 * Vectors are GCC's and Clang's own (no intrinsics): WIDTH floats, chosen by
 * the Makefile to match the instruction set, since wider vectors than the
 * machine has are slow.  WIDTH 1 is plain C.  Which instructions may be used
 * is the Makefile's matter, too; fused multiply-add is allowed here.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "simd.h"

#define INLINE static inline __attribute__((always_inline))

#if WIDTH > 1
typedef float vf __attribute__((vector_size(4 * WIDTH)));
typedef double vd __attribute__((vector_size(4 * WIDTH)));
typedef int64_t vl __attribute__((vector_size(4 * WIDTH)));
enum { HALF = WIDTH / 2 };	/* doubles in a vector */
#else
typedef float vf;
typedef double vd;
typedef int64_t vl;
enum { HALF = 1 };
#endif

/* Messages whose sum falls below 2^-LIFT are multiplied by 2^LIFT. */
enum { LIFT = 32 };

/* Products summed in single precision before they are put away. */
enum { PIECE = 512 };

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

INLINE float
add_up(vf v)
{
#if WIDTH > 1
	float f[WIDTH];
	int i, n;

	memcpy(f, &v, sizeof f);
	for (n = WIDTH / 2; n; n /= 2)
		for (i = 0; i < n; i++)
			f[i] += f[i + n];
	return f[0];
#else
	return v;
#endif
}

/*
 * out[0 .. nv-1] = sum_j in[j] block[j][0 .. nv-1] for nv vectors held in
 * registers.  Several sums, of every ways-th j, shorten the wait for each
 * addition.
 */
INLINE vf
panel(const float *in, const float *block, uint32_t rows, uint32_t cols,
    float *out, const int nv, const int ways)
{
	vf acc[4][8], total = { 0 };
	uint32_t j;
	int v, w;

	for (w = 0; w < ways; w++)
		for (v = 0; v < nv; v++)
			acc[w][v] = (vf){ 0 };
	for (j = 0; j + (uint32_t)ways <= rows; j += (uint32_t)ways)
		for (w = 0; w < ways; w++, block += cols)
			for (v = 0; v < nv; v++)
				acc[w][v] += in[j + (uint32_t)w] *
				    load(block + v * WIDTH);
	for (; j < rows; j++, block += cols)
		for (v = 0; v < nv; v++)
			acc[0][v] += in[j] * load(block + v * WIDTH);
	for (v = 0; v < nv; v++) {
		if (ways == 4)
			acc[0][v] += acc[1][v] + (acc[2][v] + acc[3][v]);
		else if (ways == 2)
			acc[0][v] += acc[1][v];
		store(out + v * WIDTH, acc[0][v]);
		total += acc[0][v];
	}
	return total;
}

/* A row vector times a block; returns the sum of the result. */
INLINE float
times(const float *in, const struct cscg_link *l)
{
	const float *block = l->block;
	uint32_t left = l->cols / WIDTH;
	float *out = l->to;
	vf total = { 0 };

	while (left >= 8) {
		total += panel(in, block, l->rows, l->cols, out, 8, 1);
		block += 8 * WIDTH;
		out += 8 * WIDTH;
		left -= 8;
	}
	switch (left) {
	case 7:
		total += panel(in, block, l->rows, l->cols, out, 7, 1);
		break;
	case 6:
		total += panel(in, block, l->rows, l->cols, out, 6, 2);
		break;
	case 5:
		total += panel(in, block, l->rows, l->cols, out, 5, 2);
		break;
	case 4:
		total += panel(in, block, l->rows, l->cols, out, 4, 2);
		break;
	case 3:
		total += panel(in, block, l->rows, l->cols, out, 3, 2);
		break;
	case 2:
		total += panel(in, block, l->rows, l->cols, out, 2, 4);
		break;
	case 1:
		total += panel(in, block, l->rows, l->cols, out, 1, 4);
		break;
	}
	return add_up(total);
}

/* The same for a thin block.  The compiler makes gathers of the inner loop. */
INLINE float
thin(const float *in, const struct cscg_link *l)
{
	float *restrict out = l->to;
	const float *restrict value = l->value, *restrict up = l->up;
	const int32_t *restrict index = l->index;
	int k, cols = (int)l->cols, rows = (int)l->rows_pad;
	vf both = { 0 };
	uint32_t d;
	float add;
	long i;

	if (l->weight) {
		for (k = 0; k < rows; k += WIDTH)
			store(l->scratch + k, load(in + k) *
			    load(l->weight + k));
		in = l->scratch;
	}
	for (k = 0; k < rows; k += WIDTH)
		both += load(in + k) * load(l->down + k);
	add = add_up(both);
	for (k = 0; k < cols; k++)
		out[k] = add * up[k];
	for (d = 0; d < l->depth; d++, value += cols, index += cols)
		for (k = 0; k < cols; k++)
			out[k] += value[k] * in[index[k]];
	for (i = 0; i < l->n_extra; i++)
		out[l->extra[i].to] += l->extra[i].value *
		    in[l->extra[i].from];
	both = (vf){ 0 };
	for (k = 0; k < cols; k += WIDTH)
		both += load(out + k);
	return add_up(both);
}

static double
chain(const float *from, const struct cscg_link *links, long n, int16_t *shift)
{
	const float low = 0x1p-32f, lift = 0x1p32f;
	float sum = 0;
	uint32_t k;
	long i;

	for (i = 0; i < n; i++) {
		sum = links[i].thin ? thin(from, &links[i]) :
		    times(from, &links[i]);
		shift[i] = 0;
		/* A sum of zero stays: the walk is impossible. */
		while (sum < low && sum > 0) {
			for (k = 0; k < links[i].cols; k++)
				links[i].to[k] *= lift;
			sum *= lift;
			shift[i] += LIFT;
		}
		from = links[i].to;
	}
	return sum;
}

static float
dot(const float *a, const float *b, uint32_t n)
{
	vf s = { 0 };
	uint32_t k;

	for (k = 0; k < n; k += WIDTH)
		s += load(a + k) * load(b + k);
	return add_up(s);
}

/*
 * sum += whole(unit * acc * T) for one vector of a tile.  Adding 1.5 * 2^52
 * leaves the rounded number in the low bits of the double, on every machine;
 * it must be below 2^51.
 */
INLINE void
put_away(vf acc, const float *T, double unit, int64_t *sum, bool first)
{
	const double magic = 0x1.8p52;
	double v[WIDTH];
	int64_t bits[WIDTH], base;
	float f[WIDTH];
	int i;

	acc *= load(T);
	memcpy(f, &acc, sizeof f);
	memcpy(&base, &magic, sizeof base);
	for (i = 0; i < WIDTH; i++)
		v[i] = (double)f[i] * unit + magic;
	memcpy(bits, v, sizeof bits);
	if (first)
		for (i = 0; i < WIDTH; i++)
			sum[i] = bits[i] - base;
	else
		for (i = 0; i < WIDTH; i++)
			sum[i] += bits[i] - base;
}

/* A tile of `rows` rows and two vectors (or one) of columns, i0 .. i1-1. */
INLINE void
tile(const struct cscg_gram *g, double unit, uint32_t j, uint32_t k, long i0,
    long i1, const int rows, const int nv)
{
	vf acc[8][2];
	long i;
	int r, v;

	for (r = 0; r < rows; r++)
		for (v = 0; v < nv; v++)
			acc[r][v] = (vf){ 0 };
	for (i = i0; i < i1; i++) {
		const float *left = g->left + (size_t)i * g->left_cols + j;
		const float *right = g->right + (size_t)i * g->cols + k;
		vf b[2];

		for (v = 0; v < nv; v++)
			b[v] = load(right + v * WIDTH) * g->factor[i];
		for (r = 0; r < rows; r++)
			for (v = 0; v < nv; v++)
				acc[r][v] += left[r] * b[v];
	}
	for (r = 0; r < rows; r++)
		for (v = 0; v < nv; v++) {
			size_t at = (size_t)(j + (uint32_t)r) * g->cols + k +
			    (size_t)v * WIDTH;

			put_away(acc[r][v], g->block + at, unit, g->sum + at,
			    g->first && i0 == 0);
		}
}

static void
gram(const struct cscg_gram *g, double unit)
{
	uint32_t j, k;
	long i, end;

	for (i = 0; i < g->n; i = end) {
		end = i + PIECE < g->n ? i + PIECE : g->n;
		for (k = 0; k + 2 * WIDTH <= g->cols; k += 2 * WIDTH) {
			for (j = 0; j + 8 <= g->rows; j += 8)
				tile(g, unit, j, k, i, end, 8, 2);
			for (; j + 4 <= g->rows; j += 4)
				tile(g, unit, j, k, i, end, 4, 2);
			for (; j < g->rows; j++)
				tile(g, unit, j, k, i, end, 1, 2);
		}
		for (; k < g->cols; k += WIDTH) {
			for (j = 0; j + 8 <= g->rows; j += 8)
				tile(g, unit, j, k, i, end, 8, 1);
			for (; j + 4 <= g->rows; j += 4)
				tile(g, unit, j, k, i, end, 4, 1);
			for (; j < g->rows; j++)
				tile(g, unit, j, k, i, end, 1, 1);
		}
	}
}

static int64_t
sum(const int64_t *c, int64_t low, uint32_t n)
{
	int64_t s = 0;
	uint32_t k;

	for (k = 0; k < n; k++)
		s += c[k] > low ? c[k] : 0;
	return s;
}

/* Does anything in the vector at p stand out of level? */
INLINE bool
any_above(const float *p, float level)
{
	float m = p[0];
	int i;

	for (i = 1; i < WIDTH; i++)
		m = m > p[i] ? m : p[i];
	return m > level;
}

static void
gather(struct cscg_thin *t)
{
	uint32_t j, k, k0, n;

	t->depth = t->depth_back = 0;
	t->thin = t->thin_back = 1;
	memset(t->have, 0, t->cols * sizeof *t->have);
	memset(t->value, 0, (size_t)t->most * t->cols_pad * sizeof *t->value);
	memset(t->index, 0, (size_t)t->most * t->cols_pad * sizeof *t->index);
	memset(t->value_back, 0,
	    (size_t)t->most * t->rows_pad * sizeof *t->value);
	memset(t->index_back, 0,
	    (size_t)t->most * t->rows_pad * sizeof *t->index);
	for (j = 0; j < t->rows && (t->thin || t->thin_back); j++) {
		const float *row = t->block + (size_t)j * t->cols_pad;
		float level = t->level[j];

		for (n = 0, k0 = 0; k0 < t->cols; k0 += WIDTH) {
			if (!any_above(row + k0, level))
				continue;
			for (k = k0; k < t->cols && k < k0 + WIDTH; k++) {
				size_t at;

				if (row[k] <= level)
					continue;
				if (n == t->most) {
					t->thin_back = 0;
				} else {
					at = (size_t)n++ * t->rows_pad + j;
					t->value_back[at] = row[k] - level;
					t->index_back[at] = (int32_t)k;
				}
				if (t->have[k] == t->most) {
					t->thin = 0;
				} else {
					at = (size_t)t->have[k]++ *
					    t->cols_pad + k;
					t->value[at] = row[k] - level;
					t->index[at] = (int32_t)j;
				}
			}
		}
		t->depth_back = n > t->depth_back ? n : t->depth_back;
	}
	for (k = 0; k < t->cols; k++)
		t->depth = t->have[k] > t->depth ? t->have[k] : t->depth;
}

/* Tiles that stay in the nearest cache. */
static void
turn(const float *restrict from, uint32_t rows, uint32_t cols_pad,
    uint32_t cols, float *restrict to, uint32_t rows_pad)
{
	enum { TILE = 16 };
	uint32_t j, k, j0, k0;

	for (j0 = 0; j0 < rows; j0 += TILE)
		for (k0 = 0; k0 < cols; k0 += TILE)
			for (k = k0; k < cols && k < k0 + TILE; k++)
				for (j = j0; j < rows && j < j0 + TILE; j++)
					to[(size_t)k * rows_pad + j] =
					    from[(size_t)j * cols_pad + k];
}

/* Multiply v > 0 into *prod, its exponent apart. */
INLINE void
times_log(double v, double *prod, int64_t *exponent)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	*exponent += (int64_t)(bits >> 52);
	bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
	memcpy(&v, &bits, sizeof v);
	*prod *= v;
}

/*
 * Logs are added as the log of a product: exponents as whole numbers, and the
 * rest, in [1, 2), multiplied; a double holds the product of a thousand.
 */
static double
log_sum(const double *v, long n)
{
	double prod[8], logs = 0;
	int64_t exponent[8];
	long k, end, done;
	int i;

	for (done = 0; done < n; done = end) {
		end = done + 960 < n ? done + 960 : n;
		for (i = 0; i < 8; i++) {
			prod[i] = 1;
			exponent[i] = 0;
		}
		for (k = done; k + 8 <= end; k += 8)
			for (i = 0; i < 8; i++)
				times_log(v[k + i], &prod[i], &exponent[i]);
		for (; k < end; k++)
			times_log(v[k], &prod[0], &exponent[0]);
		for (i = 1; i < 8; i++) {
			prod[0] *= prod[i];
			exponent[0] += exponent[i];
		}
		logs += log(prod[0]) +
		    M_LN2 * (double)(exponent[0] - 1023 * (end - done));
	}
	return logs;
}

static double
row(const int64_t *c, double unit, double least, double p, double by,
    float *out, uint32_t n, uint32_t cols)
{
	enum { STRETCH = 192 };
	double v[STRETCH], logs = 0;
	uint32_t k, done, m;

	for (done = 0; done < n; done += m) {
		m = n - done < STRETCH ? n - done : STRETCH;
		for (k = 0; k < m; k++) {
			v[k] = (double)c[done + k] * unit;
			v[k] = (v[k] > least ? v[k] : 0) + p;
			out[done + k] = (float)(v[k] * by);
		}
		if (p > 0)
			logs += log_sum(v, m);
	}
	for (k = n; k < cols; k++)
		out[k] = 0;
	return logs;
}

static void
posterior(float *restrict alpha, const float *restrict beta,
    const float *restrict weight, uint32_t n, double *restrict seen)
{
	vf total = { 0 };
	uint32_t k;
	float one;

	for (k = 0; k < n; k += WIDTH) {
		vf v = load(alpha + k) * load(beta + k) * load(weight + k);

		store(alpha + k, v);
		total += v;
	}
	one = 1 / add_up(total);
	for (k = 0; k < n; k++) {
		alpha[k] *= one;
		seen[k] += alpha[k];
	}
}

#define TABLE_NAME(isa) cscg_simd_##isa
#define TABLE(isa) TABLE_NAME(isa)
#define STRING_OF(s) #s
#define STRING(s) STRING_OF(s)

#ifdef NARROW	/* the same instructions with shorter vectors */
extern const struct cscg_simd TABLE(NARROW);
#define NARROW_TABLE &TABLE(NARROW)
#else
#define NARROW_TABLE NULL
#endif

extern const struct cscg_simd TABLE(ISA);
const struct cscg_simd TABLE(ISA) = {
	STRING(ISA), WIDTH, NARROW_TABLE, chain, dot, gram, sum, row,
	gather, posterior, log_sum, turn
};
