/*
 * simd_bytes.c - scalar products of bytes, compiled once for each kind of CPU
 *
 * The Makefile says which instructions may be used.  A few of x and a few of r
 * are multiplied at a time, all pairs, with the sums in registers, so that each
 * byte is loaded once for several products; and all of it for one block of
 * columns after the other, so that the rows r stay in the cache.  There is no
 * way to ask for products of bytes summed in fours, or of pairs, other than by
 * name, so this file names instructions where simd.c does not.
 */
#include "bytes.h"

#define INLINE static inline __attribute__((always_inline))

/*
 * TX, TR: the tile, no larger than gcc can keep in registers; STEP: bytes
 * multiplied at a time.
 */
#if defined(__AVX512VNNI__)
#include <immintrin.h>
enum { TX = 4, TR = 4, STEP = 64 };
typedef __m512i sum, part;
#define ZERO _mm512_setzero_si512()
#define LOAD_X(p) _mm512_loadu_si512(p)
#define LOAD_R(p) _mm512_loadu_si512(p)
#define MADD(s, x, r) _mm512_dpbusd_epi32(s, x, r)
#define TOTAL(s) _mm512_reduce_add_epi32(s)
#elif defined(__AVX512BW__)
#include <immintrin.h>
enum { TX = 4, TR = 4, STEP = 32 };
typedef __m512i sum, part;
#define ZERO _mm512_setzero_si512()
#define LOAD_X(p) _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(p)))
#define LOAD_R(p) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)(p)))
#define MADD(s, x, r) _mm512_add_epi32(s, _mm512_madd_epi16(x, r))
#define TOTAL(s) _mm512_reduce_add_epi32(s)
#elif defined(__AVX2__)
#include <immintrin.h>
enum { TX = 2, TR = 4, STEP = 16 };
typedef __m256i sum, part;
#define ZERO _mm256_setzero_si256()
#define LOAD_X(p) _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(p)))
#define LOAD_R(p) _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(p)))
#define MADD(s, x, r) _mm256_add_epi32(s, _mm256_madd_epi16(x, r))
#define TOTAL(s) add_up(s)
static inline int32_t
add_up(__m256i s)
{
	int32_t v[8];

	_mm256_storeu_si256((__m256i *)(void *)v, s);
	return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}
#else
enum { TX = 1, TR = 1, STEP = 1 };
typedef int32_t sum, part;
#define ZERO 0
#define LOAD_X(p) (*(p))
#define LOAD_R(p) (*(p))
#define MADD(s, x, r) ((s) + (x) * (r))
#define TOTAL(s) (s)
#endif

/* Columns of a block: sums of so many fit 32 bits, and rows r the cache. */
enum { BLOCK = 4096 };

/* out[i * ld + k] += products of columns from..to-1 of nx rows and nr rows. */
INLINE void
tile(const uint8_t *const *x, const int8_t *const *r, size_t from, size_t to,
    int64_t *out, long ld, const int nx, const int nr)
{
	sum acc[TX][TR];
	part one, b[TR];
	size_t j;
	int i, k;

	for (i = 0; i < nx; i++)
		for (k = 0; k < nr; k++)
			acc[i][k] = ZERO;
	for (j = from; j < to; j += STEP) {
		for (k = 0; k < nr; k++)
			b[k] = LOAD_R(r[k] + j);
		for (i = 0; i < nx; i++) {
			one = LOAD_X(x[i] + j);
			for (k = 0; k < nr; k++)
				acc[i][k] = MADD(acc[i][k], one, b[k]);
		}
	}
	for (i = 0; i < nx; i++)
		for (k = 0; k < nr; k++)
			out[i * ld + k] += TOTAL(acc[i][k]);
}

/* nx rows x with all rows r. */
INLINE void
strip(const uint8_t *const *x, const int8_t *const *r, long nr, size_t from,
    size_t to, int64_t *out, const int nx)
{
	long k = 0;

	for (; k + TR <= nr; k += TR)
		tile(x, r + k, from, to, out + k, nr, nx, TR);
#if defined(__AVX2__)
	for (; k + 2 <= nr; k += 2)
		tile(x, r + k, from, to, out + k, nr, nx, 2);
#endif
	for (; k < nr; k++)
		tile(x, r + k, from, to, out + k, nr, nx, 1);
}

static void
dots(const uint8_t *const *x, long nx, const int8_t *const *r, long nr,
    size_t n, int64_t *out)
{
	size_t from, to;
	long i;

	for (i = 0; i < nx * nr; i++)
		out[i] = 0;
	for (from = 0; from < n; from = to) {
		to = n - from < BLOCK ? n : from + BLOCK;
		for (i = 0; i + TX <= nx; i += TX)
			strip(x + i, r, nr, from, to, out + i * nr, TX);
		for (; i < nx; i++)
			strip(x + i, r, nr, from, to, out + i * nr, 1);
	}
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

extern const struct cscg_bytes JOIN(cscg_bytes_, ISA);
const struct cscg_bytes JOIN(cscg_bytes_, ISA) = { TEXT(ISA), dots,
	add };
