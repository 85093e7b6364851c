/* Keys numbered in the order of their first occurrence. */
#include <stdlib.h>

#include "base/keys.h"
#include "base/rng.h"
#include "tap.h"

/* The number of key among the n keys so far, by search; n: it is new. */
static long
search(const uint64_t *key, long n, uint64_t k)
{
	long i;

	for (i = 0; i < n && key[i] != k; i++)
		;
	return i;
}

/* Draw keys below n_keys, 0: any multiple of 2^20; numbers as by search. */
static void
test_numbers(uint64_t n_keys, long draws)
{
	struct cscg_keys keys = { 0 };
	struct cscg_err err = { 0 };
	uint64_t *seen = calloc((size_t)draws, sizeof *seen), k;
	long n = 0, i, at, wrong = 0, missed = 0;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, n_keys);
	if (n_keys && cscg_keys_init(&keys, n_keys, &err) < 0)
		abort();
	for (i = 0; i < draws; i++) {
		k = cscg_rng_next(&rng);
		k = n_keys ? k % n_keys : k % 3000 << 20;
		at = search(seen, n, k);
		if (keys.n_slots)
			missed += cscg_keys_find(&keys, k) !=
			    (at < n ? at : -1);
		wrong += cscg_keys_add(&keys, k, &err) != at;
		if (at == n)
			seen[n++] = k;
	}
	ok(!wrong && !missed && keys.n == n,
	    "%ld of %llu keys: %ld wrong, %ld missed", n,
	    (unsigned long long)n_keys, wrong, missed);
	for (i = 0, wrong = 0; i < n; i++)
		wrong += keys.key[i] != seen[i];
	ok(!wrong && (keys.is_direct || 2 * (size_t)n <= keys.n_slots),
	    "keys are kept in the order of first occurrence, and half of the "
	    "slots are free");
	cscg_keys_free(&keys);
	ok(!keys.key && !keys.slot && !keys.n, "no keys after free");
	free(seen);
}

int
main(void)
{
	test_numbers(0, 20000);
	test_numbers(1, 10);
	test_numbers(4096, 20000);
	test_numbers(4097, 20000);
	test_numbers(UINT64_MAX, 5000);
	return done();
}
