/*
 * rng.h - random number generator xoshiro256**, keyed by seed and purpose
 *
 * xoshiro256** seeded through SplitMix64 from a key of (seed, purpose, i, j).
 * Streams with different keys are statistically independent, so the numbers
 * drawn do not depend on how work is distributed over threads and ranks.
 */
#ifndef CSCG_RNG_H
#define CSCG_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct cscg_rng {
	uint64_t s[4];
};

/* Purpose of a stream, part of its key.  Never renumber: results change. */
enum cscg_rng_purpose {
	CSCG_RNG_WALK = 1,    /* a walker's actions, i = episode */
	CSCG_RNG_WORLD = 2,   /* a walker's start and slip, i = episode */
	CSCG_RNG_LABELS = 3,  /* permutation of symbols, i = episode */
	CSCG_RNG_INIT = 4,    /* initial counts, i = restart */
	CSCG_RNG_TIES = 5,    /* breaking of ties, i = episode */
	CSCG_RNG_SAMPLE = 6,  /* sampling from a model, i = episode */
	CSCG_RNG_BIND = 7,    /* initial emissions, i = restart */
	CSCG_RNG_ENV = 8,     /* a live world, i = episode */
	CSCG_RNG_PLAN = 9,    /* an agent's choices, i = episode */
	CSCG_RNG_KMEANS = 10, /* initial centroids, i = restart */
	CSCG_RNG_STREET = 11, /* street networks, i = network */
	CSCG_RNG_NOISE = 12,  /* pixel noise, i = frame */
	CSCG_RNG_THEME = 13,  /* textures of a 3D room, i = theme */
	CSCG_RNG_MULTI = 14,  /* a binding for each episode, i = draw */
	CSCG_RNG_STITCH = 15, /* emissions of stitched schemas, i = restart */
	CSCG_RNG_TEST = 100,  /* tests */
};

void cscg_rng_seed(struct cscg_rng *r, uint64_t seed,
    enum cscg_rng_purpose what, uint64_t i, uint64_t j);

static inline uint64_t
cscg_rng_rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

/* 64 random bits; inline, so that a loop keeps the state in registers. */
static inline uint64_t
cscg_rng_next(struct cscg_rng *r)
{
	uint64_t *s = r->s, t = s[1] << 17;
	uint64_t out = cscg_rng_rotate(s[1] * 5, 7) * 9;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = cscg_rng_rotate(s[3], 45);
	return out;
}

/* Uniform on [0, 1), 53 bits. */
static inline double
cscg_rng_uniform(struct cscg_rng *r)
{
	return (double)(cscg_rng_next(r) >> 11) * 0x1p-53;
}

/* Uniform on 0..n-1, without bias; n > 0. */
long cscg_rng_below(struct cscg_rng *r, long n);

/*
 * Choose one of equally good items at random, in one pass: whether this item is
 * chosen instead of the one before.  It is better than all before, or equal to
 * the best, of which *n were met.
 */
bool cscg_rng_tie(struct cscg_rng *r, bool is_better, long *n);

/* Put the n ints of v in random order. */
void cscg_rng_shuffle(struct cscg_rng *r, int *v, long n);

/* Draw an index in proportion to the n weights w >= 0 with the given sum. */
long cscg_rng_pick(struct cscg_rng *r, const double *w, long n, double sum);

#endif
