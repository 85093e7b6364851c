/*
 * rng.c - random number generator xoshiro256**, keyed by seed and purpose
 *
 * xoshiro256** by Blackman and Vigna (public domain algorithm): 256 bits of
 * state, passes the usual batteries, about 1 ns per number.  Seeding goes
 * through SplitMix64, which turns neighbouring keys into unrelated states and
 * in practice never gives the invalid state, all zero; the code checks anyway.
 */
#include "base/rng.h"

/* Step x and return the mixed value. */
static uint64_t
splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void
cscg_rng_seed(struct cscg_rng *r, uint64_t seed, enum cscg_rng_purpose what,
    uint64_t i, uint64_t j)
{
	uint64_t key[3] = { what, i, j }, x = seed;
	int k;

	/*
	 * Each part of the key is mixed before the next is added, so that (1,
	 * 2) and (2, 1) give different states.
	 */
	for (k = 0; k < 3; k++)
		x = splitmix(&x) ^ key[k];
	for (k = 0; k < 4; k++)
		r->s[k] = splitmix(&x);
	if (!(r->s[0] | r->s[1] | r->s[2] | r->s[3]))
		r->s[0] = 1;
}

long
cscg_rng_below(struct cscg_rng *r, long n)
{
	uint64_t m = (uint64_t)n, x;

	/*
	 * The last, incomplete run of m numbers would favour small results: the
	 * first (2^64 - m) % m numbers are rejected.
	 */
	do {
		x = cscg_rng_next(r);
	} while (x < -m % m);
	return (long)(x % m);
}

bool
cscg_rng_tie(struct cscg_rng *r, bool is_better, long *n)
{
	*n = is_better ? 1 : *n + 1;
	return cscg_rng_below(r, *n) == 0;
}

void
cscg_rng_shuffle(struct cscg_rng *r, int *v, long n)
{
	long i, j;
	int t;

	for (i = n - 1; i > 0; i--) {
		j = cscg_rng_below(r, i + 1);
		t = v[i];
		v[i] = v[j];
		v[j] = t;
	}
}

long
cscg_rng_pick(struct cscg_rng *r, const double *w, long n, double sum)
{
	double u = cscg_rng_uniform(r) * sum;
	long i, last = 0;

	/*
	 * Rounding may leave u above the computed sum; then the last item with
	 * a positive weight is drawn.
	 */
	for (i = 0; i < n; i++) {
		if (w[i] <= 0)
			continue;
		if (u < w[i])
			return i;
		u -= w[i];
		last = i;
	}
	return last;
}
