/* fuzz_inflate.c - a gzip member, inflated here and by zlib */
#include "fuzz.h"
#include "zlib_pair.h"

void
fuzz_one(const uint8_t *data, size_t size)
{
	static uint8_t a[1 << 20], b[1 << 20];
	struct cscg_rng rng;

	cscg_rng_seed(&rng, size ? data[size / 2] : 0, CSCG_RNG_TEST, 0, 0);
	fuzz_must(!differs(data, size, a, b, sizeof a, &rng),
	    "the text and the faults are zlib's");
}
