/* Scalar products of bytes: every kernel against plain sums in long. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cpu.h"
#include "base/rng.h"
#include "tap.h"

enum { MOST = 11, LONG = 12352 };

static struct cscg_err err;
static uint8_t x[MOST * LONG + CSCG_SIMD_BYTES_PAD];
static int8_t r[MOST * LONG];
static int16_t words[MOST * LONG];

/* x unaligned and unpadded, n numbers apart, as frames are. */
static bool
agrees(const struct cscg_simd_bytes *b, size_t n, long nx, long nr)
{
	size_t pad = cscg_simd_bytes_pad(n), j;
	const uint8_t *px[MOST];
	const void *pr[MOST], *pw[MOST];
	int64_t out[MOST * MOST], wide[MOST * MOST];
	long i, k, sum, wsum;

	for (i = 0; i < nx; i++)
		px[i] = x + (size_t)i * n;
	for (k = 0; k < nr; k++) {
		pr[k] = r + (size_t)k * pad;
		pw[k] = words + (size_t)k * pad;
		memset(r + (size_t)k * pad + n, 0, pad - n);
		memset(words + (size_t)k * pad + n, 0, 2 * (pad - n));
	}
	b->dots(px, nx, pr, nr, pad, out);
	b->dots16(px, nx, pw, nr, pad, wide);
	for (i = 0; i < nx; i++)
		for (k = 0; k < nr; k++) {
			sum = wsum = 0;
			for (j = 0; j < n; j++) {
				sum += px[i][j] * r[(size_t)k * pad + j];
				wsum += px[i][j] * words[(size_t)k * pad + j];
			}
			if (sum != out[i * nr + k] || wsum != wide[i * nr + k])
				return false;
		}
	return true;
}

static void
fill(struct cscg_rng *rng, int how)
{
	size_t i;

	for (i = 0; i < sizeof x; i++)
		x[i] = how ? 255 : (uint8_t)cscg_rng_below(rng, 256);
	for (i = 0; i < sizeof r; i++)
		r[i] = (int8_t)(how == 0 ? cscg_rng_below(rng, 256) - 128 :
			how == 1         ? -128 :
					   127);
	for (i = 0; i < sizeof words / sizeof *words; i++)
		words[i] = (int16_t)(how == 0 ?
			cscg_rng_below(rng, 65536) - 32768 :
			how == 1 ? -32768 :
				   32767);
}

static bool
adds(const struct cscg_simd_bytes *b, int64_t w)
{
	int64_t total[77], want[77];
	int j;

	for (j = 0; j < 77; j++) {
		total[j] = j * 1000000007L;
		want[j] = total[j] + w * x[j + 1];
	}
	b->add(x + 1, w, 77, total);
	return !memcmp(total, want, sizeof want);
}

static void
test_build(const struct cscg_simd_bytes *b)
{
	static const size_t sizes[] = { 1, 3, 63, 64, 65, 1000, 4096, 4097,
		12288 };
	struct cscg_rng rng;
	bool good = true;
	long nx, nr;
	size_t i;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	fill(&rng, 0);
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
		good &= agrees(b, sizes[i], 5, 7);
	ok(good, "%s: rows of every length", b->name);
	good = true;
	for (nx = 1; nx <= MOST; nx++)
		for (nr = 1; nr <= MOST; nr++)
			good &= agrees(b, 130, nx, nr);
	ok(good, "%s: any number of rows", b->name);
	ok(adds(b, 1) && adds(b, -1) && adds(b, 1L << 40), "%s: sums",
	    b->name);
	fill(&rng, 1);
	good = agrees(b, 12288, 4, 4);
	fill(&rng, 2);
	ok(good && agrees(b, 12288, 4, 4), "%s: the largest products of all",
	    b->name);
}

int
main(void)
{
	const struct cscg_simd_bytes *b;
	int i;

	for (i = 0; (b = cscg_cpu_bytes(i)) != NULL; i++)
		test_build(b);
	ok(i > 0 && cscg_cpu_choose_bytes("auto", &b, &err) == 0 &&
		b == cscg_cpu_bytes(0),
	    "auto selects the best kernel");
	ok(cscg_cpu_choose_bytes("plain", &b, &err) == 0 &&
		!strcmp(b->name, "c"),
	    "plain selects C");
	ok(cscg_cpu_choose_bytes("mmx", &b, &err) < 0 &&
		err.code == CSCG_EUSAGE &&
		strstr(err.msg,
		    "'mmx' is not one of the kernels this machine can run: "
		    "auto, plain"),
	    "unknown kernels are refused");
	return done();
}
