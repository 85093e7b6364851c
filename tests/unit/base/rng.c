/* rng - published sequences, moments, independence of streams */
#include <string.h>

#include "base/rng.h"
#include "tap.h"

enum { N = 1000000 };

/*
 * The first numbers of xoshiro256** from the state 1, 2, 3, 4, as given by the
 * authors' C code and used by every port of it.
 */
static void
reference(void)
{
	static const uint64_t want[] = { 11520u, 0u, 1509978240u,
		1215971899390074240u, 1216172134540287360u,
		607988272756665600u, 16172922978634559625u,
		8476171486693032832u, 10595114339597558777u,
		2904607092377533576u };
	struct cscg_rng r = { { 1, 2, 3, 4 } };
	int i, good = 1;

	for (i = 0; i < 10; i++)
		good &= cscg_rng_next(&r) == want[i];
	ok(good, "xoshiro256** gives its published sequence");
}

/*
 * Seeding must be the same on every machine. The figures come from a
 * transcription of the rule in rng.h into Python, whose SplitMix64 gives the
 * published 6457827717110365317, 3203168211198807973, ... for the seed 1234567.
 */
static void
seeding(void)
{
	struct cscg_rng r;

	cscg_rng_seed(&r, 42, CSCG_RNG_WALK, 0, 0);
	ok(cscg_rng_next(&r) == 9161589392870193269u &&
		cscg_rng_next(&r) == 16288425164418765483u &&
		cscg_rng_next(&r) == 14177957466718114473u,
	    "key (42, walk, 0, 0) starts as documented");
	cscg_rng_seed(&r, 42, CSCG_RNG_INIT, 3, 7);
	ok(cscg_rng_next(&r) == 1113503661929909754u &&
		cscg_rng_next(&r) == 8313924438460246623u &&
		cscg_rng_next(&r) == 6694352582576579355u,
	    "key (42, init, 3, 7) starts as documented");
}

static uint64_t
first(uint64_t seed, int what, uint64_t i, uint64_t j)
{
	struct cscg_rng r;

	cscg_rng_seed(&r, seed, (enum cscg_rng_purpose)what, i, j);
	return cscg_rng_next(&r);
}

/* Of 4^4 neighbouring keys all 256 first numbers differ (by chance two would
 * be equal once in 10^14 such tests). */
static void
keys(void)
{
	uint64_t v[256];
	int i, j, equal = 0;

	for (i = 0; i < 256; i++)
		v[i] = first((uint64_t)(i & 3), 1 + (i >> 2 & 3),
		    (uint64_t)(i >> 4 & 3), (uint64_t)(i >> 6));
	for (i = 0; i < 256; i++)
		for (j = 0; j < i; j++)
			equal += v[i] == v[j];
	ok(equal == 0, "neighbouring keys give different streams");
	ok(first(1, 2, 3, 4) == first(1, 2, 3, 4),
	    "equal keys give equal streams");
}

/* Mean 1/2, variance 1/12, neighbours uncorrelated; 5 standard errors. */
static void
uniform(void)
{
	double sum = 0, sq = 0, lag = 0, x, last = .5, min = 1, max = 0;
	struct cscg_rng r;
	int i;

	cscg_rng_seed(&r, 1, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < N; i++) {
		x = cscg_rng_uniform(&r);
		sum += x;
		sq += (x - .5) * (x - .5);
		lag += (x - .5) * (last - .5);
		last = x;
		min = x < min ? x : min;
		max = x > max ? x : max;
	}
	ok(fabs(sum / N - .5) < 5 * sqrt(1. / 12 / N),
	    "mean of uniform numbers %.5f", sum / N);
	/* var of (x-1/2)^2 is 1/80 - 1/144 = 1/180 */
	ok(fabs(sq / N - 1. / 12) < 5 * sqrt(1. / 180 / N),
	    "variance of uniform numbers %.6f", sq / N);
	ok(fabs(lag / N) < 5 * (1. / 12) / sqrt(N),
	    "autocorrelation at lag one %.6f", lag / N);
	ok(min >= 0 && max < 1 && min < 1e-4 && max > 1 - 1e-4,
	    "uniform numbers fill 0 <= x < 1");
}

static void
below(void)
{
	/* 2^64 / n is 8/3: taking the remainder alone would put 3/4 of the
	 * results below 2/3 n. */
	const long n = 3L << 61;
	long count[7] = { 0 }, low = 0;
	double chi = 0;
	struct cscg_rng r;
	int i, good = 1;

	cscg_rng_seed(&r, 2, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < N; i++)
		count[cscg_rng_below(&r, 7)]++;
	for (i = 0; i < 7; i++)
		chi += pow((double)count[i] - N / 7., 2) / (N / 7.);
	/* chi^2 with 6 degrees exceeds 33.1 once in 100000 */
	ok(chi < 33.1, "below(7) is uniform (chi^2 %.1f)", chi);
	for (i = 0; i < N; i++)
		low += cscg_rng_below(&r, n) < n / 3 * 2;
	ok(fabs((double)low / N - 2. / 3) < 5 * sqrt(2. / 9 / N),
	    "below(3 * 2^61) has no bias (%.4f)", (double)low / N);
	for (i = 0; i < 100; i++)
		good &= cscg_rng_below(&r, 1) == 0;
	ok(good, "below(1) is 0");
}

static void
shuffles(void)
{
	long count[24] = { 0 };
	struct cscg_rng r;
	double chi = 0;
	int i, v[4], seen = 0;

	cscg_rng_seed(&r, 3, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 240000; i++) {
		memcpy(v, (int[]){ 0, 1, 2, 3 }, sizeof v);
		cscg_rng_shuffle(&r, v, 4);
		seen |= 1 << v[0] | 1 << v[1] | 1 << v[2] | 1 << v[3];
		/* rank of the permutation */
		count[6 * v[0] + 2 * (v[1] - (v[1] > v[0])) + (v[2] > v[3])]++;
	}
	for (i = 0; i < 24; i++)
		chi += pow((double)count[i] - 10000, 2) / 10000;
	/* chi^2 with 23 degrees exceeds 65.6 about once in 200000 */
	ok(chi < 65.6, "all 24 orders are equally likely (chi^2 %.1f)", chi);
	ok(seen == 15, "a shuffle keeps all items");
}

static void
picks(void)
{
	static const double w[] = { 0, 1, 0, 3, 0 };
	long count[5] = { 0 };
	struct cscg_rng r;
	int i;

	cscg_rng_seed(&r, 4, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < N; i++)
		count[cscg_rng_pick(&r, w, 5, 4)]++;
	ok(count[0] + count[2] + count[4] == 0, "weight 0 is never drawn");
	ok(fabs((double)count[3] / N - .75) < 5 * sqrt(.1875 / N),
	    "weights 1 and 3 give %.4f", (double)count[3] / N);
	/*
	 * If rounding makes the sum too large, the last index with a weight is
	 * drawn.
	 */
	for (i = 0; i < 1000; i++)
		if (cscg_rng_pick(&r, w, 5, 1e9) > 3)
			break;
	ok(i == 1000,
	    "a sum of weights that rounding made too large gives the last "
	    "index");
}

/* Of 5, 7, 7, 2, 7 one of the three 7 is chosen, each as often. */
static void
ties(void)
{
	static const int v[] = { 5, 7, 7, 2, 7 };
	struct cscg_rng r;
	int count[5] = { 0 }, i, k, best, choice;
	long n;

	cscg_rng_seed(&r, 3, CSCG_RNG_WALK, 0, 0);
	for (k = 0; k < 3000; k++) {
		for (best = choice = -1, n = 0, i = 0; i < 5; i++) {
			if (v[i] < best)
				continue;
			if (cscg_rng_tie(&r, v[i] > best, &n))
				choice = i;
			best = v[i];
		}
		count[choice]++;
	}
	ok(!count[0] && !count[3] && count[1] > 900 && count[2] > 900 &&
		count[4] > 900,
	    "equally good items are equally frequent: %d, %d, %d", count[1],
	    count[2], count[4]);
}

int
main(void)
{
	reference();
	seeding();
	keys();
	uniform();
	below();
	shuffles();
	picks();
	ties();
	return done();
}
