/*
 * zlib_pair.h - cscg_inflate() beside inflate() of zlib, on the same bytes
 */
#ifndef ZLIB_PAIR_H
#define ZLIB_PAIR_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/rng.h"
#include "io/inflate.h"

/* A number below n. */
static size_t
below(struct cscg_rng *rng, size_t n)
{
	return (size_t)cscg_rng_below(rng, (long)n);
}

/* The result of inflating one member. */
struct inflated {
	const char *end; /* "end", "input", or a fault in zlib's words */
	size_t n, used;  /* bytes written; bytes read, after "end" */
};

__attribute__((unused)) static struct inflated
by_zlib(const uint8_t *data, size_t size, uint8_t *out, size_t room)
{
	static char fault[80];
	struct inflated got = { "input", 0, 0 };
	z_stream z = { 0 };
	int rc;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		abort();
	z.next_in = (uint8_t *)data;
	z.avail_in = (uInt)size;
	z.next_out = out;
	z.avail_out = (uInt)room;
	rc = inflate(&z, Z_SYNC_FLUSH);
	got.n = z.total_out;
	got.used = z.total_in;
	if (rc == Z_STREAM_END) {
		got.end = "end";
	} else if (rc == Z_DATA_ERROR) {
		/* inflateEnd() may free the text. */
		strncpy(fault, z.msg, sizeof fault - 1);
		got.end = fault;
	}
	inflateEnd(&z);
	return got;
}

/* The same by cscg_inflate(), with pieces of input and room from rng. */
__attribute__((unused)) static struct inflated
by_pieces(const uint8_t *data, size_t size, uint8_t *out, size_t room,
    struct cscg_rng *rng)
{
	struct inflated got = { "input", 0, 0 };
	struct cscg_err err = { 0 };
	struct cscg_inflate *z = cscg_inflate_new(&err);
	const unsigned char *at = data, *end = data, *p;
	size_t most = (size_t)1 << below(rng, 18);
	enum cscg_inflate_rc rc = CSCG_INFLATE_INPUT;
	unsigned char *piece;
	size_t n, want;

	if (!z)
		abort();
	while (got.n < room) {
		if (rc == CSCG_INFLATE_INPUT) {
			if (end == data + size)
				break;
			end += 1 + below(rng, most);
			end = end > data + size ? data + size : end;
		}
		want = 1 + below(rng, most);
		want = want < room - got.n ? want : room - got.n;
		/* A copy, behind which nothing may be read. */
		n = (size_t)(end - at);
		piece = malloc(n ? n : 1);
		if (!piece)
			abort();
		memcpy(piece, at, n);
		p = piece;
		rc = cscg_inflate(z, &p, piece + n, (char *)out + got.n, want,
		    &n);
		at += p - piece;
		free(piece);
		got.n += n;
		if (rc == CSCG_INFLATE_FAULT)
			got.end = cscg_inflate_fault(z);
		if (rc == CSCG_INFLATE_END) {
			got.end = "end";
			got.used = (size_t)(at - data);
		}
		if (rc == CSCG_INFLATE_FAULT || rc == CSCG_INFLATE_END)
			break;
	}
	free(z);
	return got;
}

/*
 * What differs, or NULL.  Of damaged bytes the fault must be the same; of others
 * also the text, whose size must be less than room.
 */
__attribute__((unused)) static const char *
differs(const uint8_t *data, size_t size, uint8_t *a, uint8_t *b, size_t room,
    struct cscg_rng *rng)
{
	struct inflated zlib = by_zlib(data, size, a, room);
	struct inflated own = by_pieces(data, size, b, room, rng);

	if (zlib.n >= room || own.n >= room)
		return NULL;
	if (strcmp(zlib.end, own.end))
		return own.end;
	if (strcmp(own.end, "end") && strcmp(own.end, "input"))
		return NULL;
	if (zlib.n != own.n || memcmp(a, b, own.n))
		return "text";
	return !strcmp(own.end, "end") && zlib.used != own.used ?
	    "bytes read" :
	    NULL;
}

#endif
