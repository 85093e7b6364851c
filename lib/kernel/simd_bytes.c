/*
 * simd_bytes.c - dot products of byte vectors, compiled once for each
 * instruction set
 *
 * The Makefile selects the instructions.  A few rows of x and a few of r are
 * multiplied at a time, all pairs, with the sums in registers, so that each
 * byte is loaded once for several products; and block after block of columns,
 * so that the rows r stay in the cache.  Products of bytes summed in fours or
 * in pairs can only be expressed by intrinsics, so this file uses them where
 * simd.c does not.
 */
#include <stdbool.h>

#include "kernel/cpu.h"

#define INLINE static inline __attribute__((always_inline))

/*
 * TX, TR: the tile, no larger than gcc can keep in registers.  STEP columns
 * are multiplied at a time: of rows r of bytes, and of words of 16 bits.
 */
#if defined(__AVX512BW__)
#include <immintrin.h>
typedef __m512i sum, part;
#define ZERO _mm512_setzero_si512()
#define LOAD_X2(p) _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(p)))
#define LOAD_R2(p) _mm512_loadu_si512(p)
#define STORE(v, s) _mm512_storeu_si512(v, s)
#if defined(__AVX512VNNI__)
enum { TX = 4, TR = 4, STEP1 = 64, STEP2 = 32 };
#define LOAD_X1(p) _mm512_loadu_si512(p)
#define LOAD_R1(p) _mm512_loadu_si512(p)
#define MADD1(s, x, r) _mm512_dpbusd_epi32(s, x, r)
#define MADD2(s, x, r) _mm512_dpwssd_epi32(s, x, r)
#else
enum { TX = 4, TR = 4, STEP1 = 32, STEP2 = 32 };
#define LOAD_X1(p) LOAD_X2(p)
#define LOAD_R1(p) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)(p)))
#define MADD1(s, x, r) _mm512_add_epi32(s, _mm512_madd_epi16(x, r))
#define MADD2(s, x, r) MADD1(s, x, r)
#endif
#elif defined(__AVX2__)
#include <immintrin.h>
enum { TX = 4, TR = 3, STEP1 = 16, STEP2 = 16 };
typedef __m256i sum, part;
#define ZERO _mm256_setzero_si256()
#define LOAD_X1(p) _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(p)))
#define LOAD_R1(p) _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(p)))
#define MADD1(s, x, r) _mm256_add_epi32(s, _mm256_madd_epi16(x, r))
#define LOAD_X2(p) LOAD_X1(p)
#define LOAD_R2(p) _mm256_loadu_si256((const void *)(p))
#define MADD2(s, x, r) MADD1(s, x, r)
#define STORE(v, s) _mm256_storeu_si256((__m256i *)(void *)(v), s)
#else
enum { TX = 1, TR = 1, STEP1 = 1, STEP2 = 1 };
typedef int32_t sum, part;
#define ZERO 0
#define LOAD_X1(p) (*(p))
#define LOAD_R1(p) (*(p))
#define MADD1(s, x, r) ((s) + (x) * (r))
#define LOAD_X2(p) LOAD_X1(p)
#define LOAD_R2(p) LOAD_R1(p)
#define MADD2(s, x, r) MADD1(s, x, r)
#define STORE(v, s) (*(v) = (s))
#endif

/*
 * Columns of a block: the rows r of a block fit the cache, and the sums fit 32
 * bits; with words, two products are at most 2^24 in size.
 */
enum { BLOCK1 = 4096, BLOCK2 = STEP2 > 1 ? 64 * STEP2 : 128 };

INLINE int64_t
total(sum s)
{
	int32_t v[sizeof s / sizeof(int32_t)];
	int64_t all = 0;
	size_t i;

	STORE(v, s);
	for (i = 0; i < sizeof v / sizeof *v; i++)
		all += v[i];
	return all;
}

/*
 * out[i * ld + k] += products of columns from..to-1 of nx rows and nr rows, of
 * words or bytes.
 */
INLINE void
tile(const uint8_t *const *x, const void *const *r, size_t from, size_t to,
    int64_t *out, long ld, const int nx, const int nr, const bool words)
{
	const size_t step = words ? STEP2 : STEP1;
	sum acc[TX][TR];
	part one, b[TR];
	size_t j;
	int i, k;

	for (i = 0; i < nx; i++)
		for (k = 0; k < nr; k++)
			acc[i][k] = ZERO;
	for (j = from; j < to; j += step) {
		for (k = 0; k < nr; k++)
			b[k] = words ? LOAD_R2((const int16_t *)r[k] + j) :
				       LOAD_R1((const int8_t *)r[k] + j);
		for (i = 0; i < nx; i++) {
			/*
			 * NOLINTNEXTLINE(bugprone-branch-clone): equal in
			 * plain C
			 */
			one = words ? LOAD_X2(x[i] + j) : LOAD_X1(x[i] + j);
			for (k = 0; k < nr; k++)
				/*
				 * NOLINTNEXTLINE(bugprone-branch-clone): equal
				 * in plain C
				 */
				acc[i][k] = words ?
				    MADD2(acc[i][k], one, b[k]) :
				    MADD1(acc[i][k], one, b[k]);
		}
	}
	for (i = 0; i < nx; i++)
		for (k = 0; k < nr; k++)
			out[i * ld + k] += total(acc[i][k]);
}

/* nx rows x with all rows r. */
INLINE void
strip(const uint8_t *const *x, const void *const *r, long nr, size_t from,
    size_t to, int64_t *out, const int nx, const bool words)
{
	long k = 0;

	for (; k + TR <= nr; k += TR)
		tile(x, r + k, from, to, out + k, nr, nx, TR, words);
	for (; k < nr; k++)
		tile(x, r + k, from, to, out + k, nr, nx, 1, words);
}

INLINE void
dots_blocked(const uint8_t *const *x, long nx, const void *const *r, long nr,
    size_t n, int64_t *out, const bool words)
{
	const size_t block = words ? BLOCK2 : BLOCK1;
	size_t from, to;
	long i;

	for (i = 0; i < nx * nr; i++)
		out[i] = 0;
	for (from = 0; from < n; from = to) {
		to = n - from < block ? n : from + block;
		for (i = 0; i + TX <= nx; i += TX)
			strip(x + i, r, nr, from, to, out + i * nr, TX, words);
		for (; i < nx; i++)
			strip(x + i, r, nr, from, to, out + i * nr, 1, words);
	}
}

static void
dots(const uint8_t *const *x, long nx, const void *const *r, long nr, size_t n,
    int64_t *out)
{
	dots_blocked(x, nx, r, nr, n, out, false);
}

static void
dots16(const uint8_t *const *x, long nx, const void *const *r, long nr,
    size_t n, int64_t *out)
{
	dots_blocked(x, nx, r, nr, n, out, true);
}

static void
add(const uint8_t *x, int64_t w, size_t n, int64_t *total)
{
	size_t j;

	if (w == 1)
		for (j = 0; j < n; j++)
			total[j] += x[j];
	else
		for (j = 0; j < n; j++)
			total[j] += w * x[j];
}

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

extern const struct cscg_simd_bytes JOIN(cscg_simd_bytes_, ISA);
const struct cscg_simd_bytes JOIN(cscg_simd_bytes_, ISA) = { TEXT(ISA), dots,
	dots16, add };
