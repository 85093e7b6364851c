/* inflate - the same text and the same faults as zlib, in pieces of any size */
#include <stdlib.h>

#include "tap.h"
#include "zlib_pair.h"

enum { MOST = 1 << 19, PACKED = MOST + MOST / 8 + 1024 };

static uint8_t text[MOST], packed[PACKED], a[2 * MOST], b[2 * MOST];

/* Texts with short and long matches, near and far, or none. */
static size_t
make_text(struct cscg_rng *rng, size_t bits)
{
	size_t size = below(rng, 1u << (2 + below(rng, bits - 1)));
	size_t letters = (size_t)1 << below(rng, 9);
	size_t n = 0, length, distance;

	while (n < size) {
		length = 1 + below(rng, 1u << below(rng, 10));
		distance = 1 + below(rng, 1u << below(rng, 17));
		for (; length && n < size; length--, n++)
			text[n] = distance <= n && distance % 3 ?
			    text[n - distance] :
			    (uint8_t)below(rng, letters);
	}
	return size;
}

/* A member of size bytes of text, perhaps with all fields of a header. */
static size_t
pack(size_t size, struct cscg_rng *rng)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED,
		Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
	uint8_t extra[300] = { 1, 2, 3 };
	gz_header head = { .extra = extra,
		.extra_len = (uInt)below(rng, 300),
		.name = (Bytef *)(uintptr_t) "a name",
		.comment = (Bytef *)(uintptr_t) "a comment",
		.hcrc = (int)below(rng, 2) };
	z_stream z = { 0 };
	size_t n;

	if (deflateInit2(&z, (int)below(rng, 10), Z_DEFLATED, 15 + 16,
		1 + (int)below(rng, 9), strategies[below(rng, 5)]) != Z_OK)
		abort();
	if (below(rng, 3) == 0)
		deflateSetHeader(&z, &head);
	z.next_in = text;
	z.next_out = packed;
	z.avail_out = PACKED;
	z.avail_in = (uInt)(size / 2);
	deflate(&z, below(rng, 2) ? Z_SYNC_FLUSH : Z_NO_FLUSH);
	z.avail_in = (uInt)(size - size / 2);
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	n = z.total_out;
	deflateEnd(&z);
	return n;
}

/* Change a few bits, bytes or the length; most near the start. */
static size_t
damage(size_t n, struct cscg_rng *rng)
{
	size_t range = below(rng, 2) && n > 80 ? 80 : n, i;
	int times = 1 + (int)below(rng, 3);

	while (times-- > 0) {
		i = below(rng, range);
		packed[i] = below(rng, 2) ?
		    (uint8_t)below(rng, 256) :
		    packed[i] ^ (uint8_t)(1u << below(rng, 8));
	}
	return below(rng, 4) ? n : 1 + below(rng, n);
}

static void
same_text_as_packed(struct cscg_rng *rng)
{
	long i, bad = 0;

	for (i = 0; i < 400; i++) {
		size_t size = make_text(rng, 19), n = pack(size, rng);
		struct inflated got = by_pieces(packed, n, a, sizeof a, rng);

		bad += strcmp(got.end, "end") || got.n != size ||
		    got.used != n || memcmp(a, text, size);
	}
	ok(bad == 0, "400 texts come back, in pieces of any size (%ld differ)",
	    bad);
}

static void
same_faults_as_zlib(struct cscg_rng *rng)
{
	const char *seen[32], *why, *end;
	long i, n_seen = 0, k, bad = 0, ended = 0;

	for (i = 0; i < 20000; i++) {
		size_t n = pack(make_text(rng, 12), rng);

		n = damage(n, rng);
		why = differs(packed, n, a, b, sizeof a, rng);
		if (why && bad++ < 5)
			printf("# %ld: %s here, %s by zlib\n", i, why,
			    by_zlib(packed, n, a, sizeof a).end);
		end = by_pieces(packed, n, b, sizeof b, rng).end;
		ended += !strcmp(end, "end");
		for (k = 0; k < n_seen && seen[k] != end; k++)
			;
		if (k == n_seen && n_seen < 32)
			seen[n_seen++] = end;
	}
	ok(bad == 0, "20000 damaged members: what zlib finds (%ld differ)",
	    bad);
	ok(n_seen == 19,
	    "all seventeen faults, cut off, or unharmed (%ld of 19)", n_seen);
	ok(ended > 100 && ended < 10000, "most of the damage is noticed (%ld)",
	    20000 - ended);
	for (k = 0; k < n_seen; k++)
		printf("# %s\n", seen[k]);
}

/* A live writer flushes: its text must come without the bytes behind it. */
static void
flushed_text_comes_at_once(void)
{
	struct cscg_err err = { 0 };
	struct cscg_inflate *z = cscg_inflate_new(&err);
	const unsigned char *at = packed;
	z_stream d = { 0 };
	char out[64], line[32];
	size_t n, used = 0, bad = 0;
	int i, length;

	if (!z || deflateInit2(&d, 6, Z_DEFLATED, 15 + 16, 8, 0) != Z_OK)
		abort();
	d.next_out = packed;
	for (i = 0; i < 2000; i++) {
		length = sprintf(line, "step %d\n", i * i);
		d.next_in = (Bytef *)line;
		d.avail_in = (uInt)length;
		d.avail_out = (uInt)(PACKED - used);
		deflate(&d, Z_SYNC_FLUSH);
		used = d.total_out;
		bad += cscg_inflate(z, &at, packed + used, out, sizeof out,
			   &n) != CSCG_INFLATE_OK ||
		    n != (size_t)length || memcmp(out, line, n) ||
		    cscg_inflate(z, &at, packed + used, out, sizeof out, &n) !=
			CSCG_INFLATE_INPUT;
	}
	ok(bad == 0, "each flushed line comes at once");
	deflateEnd(&d);
	free(z);
}

int
main(void)
{
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	same_text_as_packed(&rng);
	same_faults_as_zlib(&rng);
	flushed_text_comes_at_once();
	return done();
}
