/*
 * inflate.c - gzip members inflated as their bytes arrive (RFC 1951, RFC 1952)
 *
 * A short code is found by one access to a table, a longer one by a second access
 * to a subtable of its first bits.  Where eight bytes can be read and
 * a whole match written, the loop needs no other check; the last bytes of
 * the input are decoded bit by bit, since a live writer may wait for the answer
 * to them.
 *
 * Between two calls less than a byte is held: whole bytes are given back, and the
 * header of a block is decoded again from its start if it was cut off.
 */
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#ifdef CSCG_SIMD_X86
#include <immintrin.h>
#endif

#include "base/features.h"
#include "base/mem.h"
#include "io/inflate.h"

enum {
	WINDOW = 1 << 15,  /* greatest distance of a match */
	SPAN = 1 << 16,    /* bytes inflated by a call, and at most ... */
	MATCH = 258,       /* ... a match more */
	SLOP = 64,         /* bytes written behind a match */
	LITERALS = 288,    /* literals, end of block, lengths */
	DISTANCES = 32,    /* symbols of distances */
	LENGTH_CODES = 19, /* symbols of the lengths of codes */
	CODE_MAX = 15,     /* bits of a code */
	LITERAL_BITS = 11, /* of the first access */
	DISTANCE_BITS = 8,
	LENGTH_BITS = 7,
	/* Entries of complete codes of 288 and 32 symbols, by enough.c of zlib. */
	LITERAL_TABLE = 2400,
	DISTANCE_TABLE = 416,
};

/*
 * An entry: bits 0-5 the number of bits of the code and its extra bits, 6-11 that of
 * the code, 12-15 its kind, 16-31 its value.  Of a subtable: bits 6-11 the number
 * of bits of its index, value its first entry.  Without a kind it is a length or
 * a distance, to which the extra bits are added.
 */
enum {
	LITERAL = 1 << 12,
	SUBTABLE = 1 << 13,
	BLOCK_END = 1 << 14,
	NO_CODE = 1 << 15,
	SPECIAL = SUBTABLE | BLOCK_END | NO_CODE,
};

enum phase {
	MAGIC,
	FIELDS,
	EXTRA_LENGTH,
	EXTRA,
	NAME,
	COMMENT,
	HEADER_CRC,
	BLOCK,
	STORED,
	CODES,
	CRC,
	SIZE,
	ENDED,
};

struct cscg_inflate {
	enum phase phase;
	bool is_last; /* the block */
	int flags;    /* of the header */
	size_t skip; /* bytes of the header's extra field, of a stored block */
	uint32_t header_crc;
	uint64_t bits; /* not consumed yet, lowest first */
	unsigned n_bits;
	uint32_t crc;
	uint64_t total; /* bytes of the member */
	const char *fault;
	size_t at, given; /* in window: end, bytes returned */
	uint32_t literal[LITERAL_TABLE], distance[DISTANCE_TABLE];
	unsigned char window[WINDOW + SPAN + MATCH + SLOP];
};

struct cscg_inflate *
cscg_inflate_new(struct cscg_err *err)
{
	struct cscg_inflate *z = NULL;
	size_t cap = 0;

	/* Bytes: a short stream never touches most of the window. */
	if (cscg_grow_unset(&z, &cap, sizeof *z, 1, err) < 0)
		return NULL;
	z->at = z->given = 0;
	cscg_inflate_reset(z);
	return z;
}

void
cscg_inflate_reset(struct cscg_inflate *z)
{
	z->phase = MAGIC;
	z->is_last = false;
	z->flags = 0;
	z->header_crc = 0;
	z->bits = 0;
	z->n_bits = 0;
	z->crc = 0;
	z->total = 0;
	z->fault = NULL;
}

const char *
cscg_inflate_fault(const struct cscg_inflate *z)
{
	return z->fault;
}

bool
cscg_inflate_is_headless(const struct cscg_inflate *z)
{
	return z->fault && z->phase == MAGIC;
}

static enum cscg_inflate_rc
fail(struct cscg_inflate *z, const char *why)
{
	z->fault = why;
	return CSCG_INFLATE_FAULT;
}

/* ---- input ---- */

struct input {
	const unsigned char *at, *end;
};

static uint32_t
little(const unsigned char *p, int n)
{
	uint32_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* Take bytes as long as there are some and they fit. */
static void
take_bytes(struct cscg_inflate *z, struct input *in)
{
	while (z->n_bits <= 56 && in->at < in->end) {
		z->bits |= (uint64_t)*in->at++ << z->n_bits;
		z->n_bits += 8;
	}
}

/* Give whole bytes back. */
static void
return_bytes(struct cscg_inflate *z, struct input *in)
{
	in->at -= z->n_bits >> 3;
	z->n_bits &= 7;
	z->bits &= (1u << z->n_bits) - 1;
}

static void
drop(struct cscg_inflate *z, unsigned n)
{
	z->bits >>= n;
	z->n_bits -= n;
}

/* The next n bits, which must be available. */
static unsigned
pull(struct cscg_inflate *z, unsigned n)
{
	unsigned v = (unsigned)z->bits & ((1u << n) - 1);

	drop(z, n);
	return v;
}

/* ---- tables of codes ---- */

/* The next code of len bits in the order of its bits in the stream. */
static unsigned
next_code(unsigned code, int len)
{
	unsigned bit = 1u << (len - 1);

	/* Add one from the other end. */
	while (code & bit)
		bit >>= 1;
	return bit ? (code & (bit - 1)) + bit : 0;
}

/*
 * Bits of the subtable whose first code has len bits: as many as make it
 * complete; left: the codes of each length that are still to come.
 */
static int
subtable_bits(const int *left, int len, int primary)
{
	int bits = len - primary, room = 1 << bits;

	while (bits + primary < CODE_MAX) {
		room -= left[bits + primary];
		if (room <= 0)
			break;
		bits++;
		room <<= 1;
	}
	return bits;
}

/* Check the number of codes of each length, from 1: 0, or -1. */
static int
check_codes(const int *count, bool may_be_single)
{
	int len, left = 1, most = 0;

	for (len = 1; len <= CODE_MAX; len++) {
		left = 2 * left - count[len];
		if (left < 0)
			return -1;
		most = count[len] ? len : most;
	}
	return left > 0 && most && !(may_be_single && most == 1) ? -1 : 0;
}

/*
 * The table of n symbols with codes of these lengths, 0: none.  entry[s]: of
 * symbol s without the bits of its code.  Returns 0, or -1 if the code is over-full or
 * incomplete; a single code of one bit is allowed where may_be_single says so.
 */
static int
set_table(uint32_t *table, int primary, const uint8_t *lengths, int n,
    const uint32_t *entry, bool may_be_single)
{
	int count[CODE_MAX + 1] = { 0 }, first[CODE_MAX + 2], len, s, i;
	int sub = 0, n_codes;
	uint16_t sorted[LITERALS];
	unsigned code = 0, k, prefix = ~0u, start = 0, top = 1u << primary;

	for (s = 0; s < n; s++)
		count[lengths[s]]++;
	count[0] = 0;
	if (check_codes(count, may_be_single) < 0)
		return -1;
	first[1] = 0;
	for (len = 1; len <= CODE_MAX; len++)
		first[len + 1] = first[len] + count[len];
	n_codes = first[CODE_MAX + 1];
	for (s = 0; s < n; s++)
		if (lengths[s])
			sorted[first[lengths[s]]++] = (uint16_t)s;
	if (n_codes < 2)
		for (k = 0; k < top; k++)
			table[k] = NO_CODE | 1;
	for (i = 0; i < n_codes; i++) {
		uint32_t e = entry[sorted[i]];

		len = lengths[sorted[i]];
		if (len <= primary) {
			e += (uint32_t)len << 6 | (uint32_t)len;
			for (k = code; k < 1u << primary; k += 1u << len)
				table[k] = e;
		} else {
			unsigned low = code & ((1u << primary) - 1);

			if (low != prefix) {
				prefix = low;
				start = top;
				sub = subtable_bits(count, len, primary);
				top += 1u << sub;
				table[low] = SUBTABLE | start << 16 |
				    (uint32_t)sub << 6 | (uint32_t)primary;
			}
			e += (uint32_t)(len - primary) << 6 |
			    (uint32_t)(len - primary);
			for (k = code >> primary; k < 1u << sub;
			     k += 1u << (len - primary))
				table[start + k] = e;
		}
		count[len]--;
		/* A longer code has zeros behind it. */
		code = next_code(code, len);
	}
	return 0;
}

/* Entries of the symbols, without the bits of their codes. */
static void
set_entries(uint32_t *literal, uint32_t *distance)
{
	unsigned s, extra, base;

	for (s = 0; s < 256; s++)
		literal[s] = LITERAL | s << 16;
	literal[256] = BLOCK_END;
	for (s = 257, base = 3; s < 285; s++) {
		extra = s < 265 ? 0 : (s - 261) / 4;
		literal[s] = base << 16 | extra;
		base += 1u << extra;
	}
	literal[285] = 258u << 16;
	literal[286] = literal[287] = NO_CODE;
	for (s = 0, base = 1; s < 30; s++) {
		extra = s < 4 ? 0 : s / 2 - 1;
		distance[s] = base << 16 | extra;
		base += 1u << extra;
	}
	distance[30] = distance[31] = NO_CODE;
}

static int
set_codes(struct cscg_inflate *z, const uint8_t *lengths, int n_literals,
    int n_distances)
{
	uint32_t literal[LITERALS], distance[DISTANCES];

	set_entries(literal, distance);
	if (set_table(z->literal, LITERAL_BITS, lengths, n_literals, literal,
		true) < 0) {
		z->fault = "invalid literal/lengths set";
		return -1;
	}
	if (set_table(z->distance, DISTANCE_BITS, lengths + n_literals,
		n_distances, distance, true) < 0) {
		z->fault = "invalid distances set";
		return -1;
	}
	return 0;
}

static void
set_fixed_codes(struct cscg_inflate *z)
{
	uint8_t lengths[LITERALS + DISTANCES];

	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	memset(lengths + LITERALS, 5, DISTANCES);
	set_codes(z, lengths, LITERALS, DISTANCES);
}

/* ---- the header of a block ---- */

/* The lengths of the codes of n symbols; 1, 0 if bytes are missing, -1. */
static int
read_lengths(struct cscg_inflate *z, struct input *in, const uint32_t *table,
    uint8_t *lengths, int n)
{
	static const struct {
		unsigned bits;
		int base;
	} repeat[] = { { 2, 3 }, { 3, 3 }, { 7, 11 } };
	int have = 0, times;
	unsigned s, extra;
	uint32_t e;

	while (have < n) {
		take_bytes(z, in);
		e = table[z->bits & ((1u << LENGTH_BITS) - 1)];
		s = e >> 16;
		extra = s < 16 ? 0 : repeat[s - 16].bits;
		if ((e & 63) + extra > z->n_bits)
			return 0;
		drop(z, e & 63);
		if (s < 16) {
			lengths[have++] = (uint8_t)s;
			continue;
		}
		times = repeat[s - 16].base + (int)pull(z, extra);
		if ((s == 16 && !have) || have + times > n) {
			z->fault = "invalid bit length repeat";
			return -1;
		}
		memset(lengths + have, s == 16 ? lengths[have - 1] : 0,
		    (size_t)times);
		have += times;
	}
	return 1;
}

/* The codes of a dynamic block; 1, 0 if bytes are missing, -1. */
static int
read_codes(struct cscg_inflate *z, struct input *in)
{
	static const uint8_t order[LENGTH_CODES] = { 16, 17, 18, 0, 8, 7, 9, 6,
		10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	uint8_t lengths[LITERALS + DISTANCES] = { 0 };
	uint32_t table[1 << LENGTH_BITS], entry[LENGTH_CODES];
	unsigned literals, distances, codes, i;
	int rc;

	take_bytes(z, in);
	if (z->n_bits < 14)
		return 0;
	literals = pull(z, 5) + 257;
	distances = pull(z, 5) + 1;
	codes = pull(z, 4) + 4;
	if (literals > 286 || distances > 30) {
		z->fault = "too many length or distance symbols";
		return -1;
	}
	for (i = 0; i < codes; i++) {
		take_bytes(z, in);
		if (z->n_bits < 3)
			return 0;
		lengths[order[i]] = (uint8_t)pull(z, 3);
	}
	for (i = 0; i < LENGTH_CODES; i++)
		entry[i] = i << 16;
	if (set_table(table, LENGTH_BITS, lengths, LENGTH_CODES, entry,
		false) < 0) {
		z->fault = "invalid code lengths set";
		return -1;
	}
	memset(lengths, 0, LENGTH_CODES);
	rc = read_lengths(z, in, table, lengths, (int)(literals + distances));
	if (rc <= 0)
		return rc;
	if (!lengths[256]) {
		z->fault = "invalid code -- missing end-of-block";
		return -1;
	}
	return set_codes(z, lengths, (int)literals, (int)distances) < 0 ? -1 :
									  1;
}

/* LEN and NLEN; 1, 0 if bytes are missing, -1. */
static int
read_stored(struct cscg_inflate *z, struct input *in)
{
	uint32_t v;

	return_bytes(z, in);
	drop(z, z->n_bits);
	if (in->end - in->at < 4)
		return 0;
	v = little(in->at, 4);
	if ((v & 0xffff) != (~v >> 16)) {
		z->fault = "invalid stored block lengths";
		return -1;
	}
	z->skip = v & 0xffff;
	in->at += 4;
	return 1;
}

static enum cscg_inflate_rc
read_block(struct cscg_inflate *z, struct input *in)
{
	const struct input before = *in;
	uint64_t bits = z->bits;
	unsigned n_bits = z->n_bits, type;
	int rc = 0;

	if (z->is_last) {
		return_bytes(z, in);
		drop(z, z->n_bits);
		z->phase = CRC;
		return CSCG_INFLATE_OK;
	}
	take_bytes(z, in);
	if (z->n_bits >= 3) {
		bool is_last = pull(z, 1);

		type = pull(z, 2);
		if (type == 3)
			return fail(z, "invalid block type");
		rc = type == 0 ? read_stored(z, in) :
		    type == 2  ? read_codes(z, in) :
				 1;
		if (rc > 0) {
			if (type == 1)
				set_fixed_codes(z);
			z->is_last = is_last;
			z->phase = type == 0 ? STORED : CODES;
		}
	}
	if (rc == 0) { /* again, when there is more */
		*in = before;
		z->bits = bits;
		z->n_bits = n_bits;
	}
	return rc < 0 ? CSCG_INFLATE_FAULT :
	    rc == 0   ? CSCG_INFLATE_INPUT :
			CSCG_INFLATE_OK;
}

/* ---- literals and matches ---- */

/* The second access, where the first gave a subtable. */
static inline uint32_t
second_entry(const uint32_t *table, uint32_t e, uint64_t bits, int primary)
{
	return table[(e >> 16) +
	    ((bits >> primary) & ((1u << (e >> 6 & 63)) - 1))];
}

/* Base and extra bits of the entry whose code is at the lowest bit. */
static inline unsigned
value_of(uint32_t e, uint64_t bits)
{
	return (e >> 16) +
	    (unsigned)((bits & (((uint64_t)1 << (e & 63)) - 1)) >>
		(e >> 6 & 63));
}

static inline void
copy8(unsigned char *to, const unsigned char *from)
{
	memcpy(to, from, 8);
}

static inline void
copy16(unsigned char *to, const unsigned char *from)
{
	unsigned char part[16];

	memcpy(part, from, 16);
	memcpy(to, part, 16);
}

/* Copy a match; up to SLOP bytes behind it are overwritten. */
static inline void
copy_match(unsigned char *to, size_t distance, size_t n)
{
	const unsigned char *from = to - distance;
	unsigned char *end = to + n;

	if (distance >= 16) {
		/* Most matches are short: the loop is seldom mispredicted. */
		copy16(to, from);
		copy16(to + 16, from + 16);
		for (to += 32, from += 32; to < end; to += 16, from += 16)
			copy16(to, from);
	} else if (distance >= 8) {
		do {
			copy8(to, from);
			from += 8;
			to += 8;
		} while (to < end);
	} else if (distance == 1) {
		memset(to, *from, n);
	} else {
		/* The first bytes of each copy are those of the match. */
		do {
			unsigned char part[8];

			memcpy(part, from, 8);
			memcpy(to, part, 8);
			from += distance;
			to += distance;
		} while (to < end);
	}
}

enum {
	LITERAL_MASK = (1 << LITERAL_BITS) - 1,
	DISTANCE_MASK = (1 << DISTANCE_BITS) - 1,
	FAST = 32,  /* bytes of input that decode_fast() needs */
	AGAIN = 24, /* for another round of it: two loads, each 7 bytes on */
};

enum found {
	BLOCK_ENDS,
	IS_FULL, /* the span of the window */
	NEEDS_INPUT,
	IS_WRONG, /* z->fault */
};

static enum found
wrong(struct cscg_inflate *z, const char *why)
{
	z->fault = why;
	return IS_WRONG;
}

static uint64_t
load64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

/* At least 56 bits; those above n_bits are right already. */
#define REFILL() \
	(bits |= load64(in) << n_bits, in += (63 - n_bits) >> 3, n_bits |= 56)
#define DROP(n) (bits >>= (n), n_bits -= (n))
#define PUT_LITERAL() \
	do { \
		*to++ = (unsigned char)(e >> 16); \
		DROP(e & 63); \
		e = literal[bits & LITERAL_MASK]; \
	} while (0)

/*
 * Decode up to `stop`, or a match more, as long as FAST bytes can be read.  Codes
 * have at most 15 bits, with extra bits 20 (lengths) and 28 (distances): a load of
 * 64 bits is enough for a length, a distance and an access, or for three literals
 * of one access each and another.
 */
static inline __attribute__((always_inline)) enum found
decode_loop(struct cscg_inflate *z, struct input *input, unsigned char *stop)
{
	const uint32_t *literal = z->literal;
	const unsigned char *in = input->at, *last = input->end - AGAIN;
	unsigned char *to = z->window + z->at, *first = to;
	uint64_t bits = z->bits;
	unsigned n_bits = z->n_bits, length, distance;
	enum found found = IS_FULL;
	uint32_t e;

	REFILL();
	e = literal[bits & LITERAL_MASK];
	while (to < stop && in <= last) {
		REFILL();
		if (e & LITERAL) {
			PUT_LITERAL();
			if (e & LITERAL) {
				PUT_LITERAL();
				if (e & LITERAL) {
					PUT_LITERAL();
					continue;
				}
			}
			REFILL();
		}
		if (e & SPECIAL) {
			if (e & SUBTABLE) {
				e = second_entry(literal, e, bits,
				    LITERAL_BITS);
				DROP(LITERAL_BITS);
			}
			if (e & LITERAL) {
				PUT_LITERAL();
				continue;
			}
			if (e & SPECIAL) {
				DROP(e & 63);
				found = e & BLOCK_END ?
				    BLOCK_ENDS :
				    wrong(z, "invalid literal/length code");
				break;
			}
		}
		length = value_of(e, bits);
		DROP(e & 63);
		e = z->distance[bits & DISTANCE_MASK];
		if (e & SUBTABLE) {
			e = second_entry(z->distance, e, bits, DISTANCE_BITS);
			DROP(DISTANCE_BITS);
		}
		if (e & SPECIAL) {
			found = wrong(z, "invalid distance code");
			break;
		}
		distance = value_of(e, bits);
		DROP(e & 63);
		if (distance > z->total + (uint64_t)(to - first)) {
			found = wrong(z, "invalid distance too far back");
			break;
		}
		e = literal[bits & LITERAL_MASK];
		copy_match(to, distance, length);
		to += length;
	}
	input->at = in;
	z->bits = bits;
	z->n_bits = n_bits;
	z->total += (uint64_t)(to - first);
	z->at += (size_t)(to - first);
	return_bytes(z, input);
	return found;
}

#undef REFILL
#undef DROP
#undef PUT_LITERAL

#ifdef CSCG_SIMD_X86
/* Shifts by a number of bits in any register. */
static __attribute__((target("bmi2"))) enum found
decode_bmi2(struct cscg_inflate *z, struct input *input, unsigned char *stop)
{
	return decode_loop(z, input, stop);
}
#endif

static enum found
decode_fast(struct cscg_inflate *z, struct input *input, unsigned char *stop)
{
#ifdef CSCG_SIMD_X86
	if (CSCG_HAS(bmi2, BMI2))
		return decode_bmi2(z, input, stop);
#endif
	return decode_loop(z, input, stop);
}

/*
 * The entry of the code at the lowest bit; *n: its bits with the extra ones, *shift:
 * those of the first access, if there was a second.
 */
static uint32_t
find_entry(const uint32_t *table, int primary, uint64_t bits, unsigned *n,
    unsigned *shift)
{
	uint32_t e = table[bits & ((1u << primary) - 1)];

	*shift = 0;
	if (e & SUBTABLE) {
		e = second_entry(table, e, bits, primary);
		*shift = (unsigned)primary;
	}
	*n = *shift + (e & 63);
	return e;
}

/* One literal or match, if all its bits are there. */
static enum found
decode_one(struct cscg_inflate *z)
{
	unsigned n, more, shift, length, distance;
	uint32_t e = find_entry(z->literal, LITERAL_BITS, z->bits, &n, &shift);
	unsigned char *to = z->window + z->at;

	if (n > z->n_bits)
		return NEEDS_INPUT;
	if (e & NO_CODE)
		return wrong(z, "invalid literal/length code");
	if (e & BLOCK_END) {
		drop(z, n);
		return BLOCK_ENDS;
	}
	if (e & LITERAL) {
		drop(z, n);
		*to = (unsigned char)(e >> 16);
		z->at++;
		z->total++;
		return IS_FULL;
	}
	length = value_of(e, z->bits >> shift);
	e = find_entry(z->distance, DISTANCE_BITS, z->bits >> n, &more,
	    &shift);
	if (n + more > z->n_bits)
		return NEEDS_INPUT;
	if (e & NO_CODE)
		return wrong(z, "invalid distance code");
	distance = value_of(e, z->bits >> (n + shift));
	if (distance > z->total)
		return wrong(z, "invalid distance too far back");
	drop(z, n + more);
	copy_match(to, distance, length);
	z->at += length;
	z->total += length;
	return IS_FULL;
}

static enum found
decode(struct cscg_inflate *z, struct input *in, size_t limit)
{
	enum found found = IS_FULL;

	while (z->at < limit && found == IS_FULL) {
		if (in->end - in->at >= FAST) {
			found = decode_fast(z, in, z->window + limit);
			continue;
		}
		take_bytes(z, in);
		found = decode_one(z);
	}
	return_bytes(z, in);
	return found;
}

/* ---- the checksum ---- */

#ifdef CSCG_SIMD_X86
/* The product of each half of a with a half of k, added, and b. */
static __attribute__((target("pclmul,sse2"))) inline __m128i
fold(__m128i a, __m128i k, __m128i b)
{
	return _mm_xor_si128(b,
	    _mm_xor_si128(_mm_clmulepi64_si128(a, k, 0x00),
		_mm_clmulepi64_si128(a, k, 0x11)));
}

/*
 * The CRC register before n bytes, a multiple of 64, and those bytes as the
 * sixteen bytes that have the same remainder behind a register of 0.
 */
static __attribute__((target("pclmul,sse2"))) void
fold_crc(uint32_t start, const unsigned char *p, size_t n, unsigned char *rest)
{
	/* x to the power of 512 + 32, 512 - 32, 128 + 32, 128 - 32. */
	const __m128i far = _mm_set_epi64x(0x1c6e41596, 0x154442bd4),
		      near = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	__m128i v[4];
	int i;

	for (i = 0; i < 4; i++)
		v[i] = _mm_loadu_si128((const __m128i *)p + i);
	v[0] = _mm_xor_si128(v[0], _mm_cvtsi32_si128((int)start));
	for (p += 64, n -= 64; n; p += 64, n -= 64)
		for (i = 0; i < 4; i++)
			v[i] = fold(v[i], far,
			    _mm_loadu_si128((const __m128i *)p + i));
	for (i = 1; i < 4; i++)
		v[i] = fold(v[i - 1], near, v[i]);
	_mm_storeu_si128((__m128i *)rest, v[3]);
}
#endif

static uint32_t
add_crc(uint32_t crc, const unsigned char *p, size_t n)
{
#ifdef CSCG_SIMD_X86
	unsigned char rest[16];
	size_t whole = n / 64 * 64;

	if (whole && CSCG_HAS(pclmul, PCLMULQDQ)) {
		fold_crc(~crc, p, whole, rest);
		/* crc32() begins and ends with an inverted register. */
		crc = (uint32_t)crc32(0xffffffff, rest, sizeof rest);
		p += whole;
		n -= whole;
	}
#endif
	return (uint32_t)crc32(crc, p, (uInt)n);
}

/* ---- the member ---- */

/* Past n bytes of the header. */
static void
skip_header(struct cscg_inflate *z, struct input *in, size_t n)
{
	z->header_crc = (uint32_t)crc32(z->header_crc, in->at, (uInt)n);
	in->at += n;
}

enum { HAS_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16 };

static enum cscg_inflate_rc
read_fields(struct cscg_inflate *z, struct input *in)
{
	size_t n = (size_t)(in->end - in->at);

	if (n < 4)
		return CSCG_INFLATE_INPUT;
	if (in->at[2] != 8)
		return fail(z, "unknown compression method");
	if (in->at[3] & 0xe0)
		return fail(z, "unknown header flags set");
	if (n < 10)
		return CSCG_INFLATE_INPUT;
	z->flags = in->at[3];
	skip_header(z, in, 10);
	z->phase = EXTRA_LENGTH;
	return CSCG_INFLATE_OK;
}

/* Past a text with its NUL. */
static enum cscg_inflate_rc
skip_text(struct cscg_inflate *z, struct input *in, enum phase next)
{
	size_t n = (size_t)(in->end - in->at);
	const unsigned char *nul = memchr(in->at, '\0', n);

	skip_header(z, in, nul ? (size_t)(nul - in->at) + 1 : n);
	if (!nul)
		return CSCG_INFLATE_INPUT;
	z->phase = next;
	return CSCG_INFLATE_OK;
}

/* One part of the header; OK: on to the next. */
static enum cscg_inflate_rc
read_header(struct cscg_inflate *z, struct input *in)
{
	size_t n = (size_t)(in->end - in->at);

	switch (z->phase) {
	case MAGIC:
		if (n < 2)
			return CSCG_INFLATE_INPUT;
		if (little(in->at, 2) != 0x8b1f)
			return fail(z, "incorrect header check");
		z->phase = FIELDS;
		return CSCG_INFLATE_OK;
	case FIELDS:
		return read_fields(z, in);
	case EXTRA_LENGTH:
		z->phase = NAME;
		if (!(z->flags & HAS_EXTRA))
			return CSCG_INFLATE_OK;
		z->phase = EXTRA_LENGTH;
		if (n < 2)
			return CSCG_INFLATE_INPUT;
		z->skip = little(in->at, 2);
		skip_header(z, in, 2);
		z->phase = EXTRA;
		return CSCG_INFLATE_OK;
	case EXTRA:
		n = n < z->skip ? n : z->skip;
		skip_header(z, in, n);
		z->skip -= n;
		if (z->skip)
			return CSCG_INFLATE_INPUT;
		z->phase = NAME;
		return CSCG_INFLATE_OK;
	case NAME:
		if (z->flags & HAS_NAME)
			return skip_text(z, in, COMMENT);
		z->phase = COMMENT;
		return CSCG_INFLATE_OK;
	case COMMENT:
		if (z->flags & HAS_COMMENT)
			return skip_text(z, in, HEADER_CRC);
		z->phase = HEADER_CRC;
		return CSCG_INFLATE_OK;
	default:
		if (z->flags & HAS_CRC) {
			if (n < 2)
				return CSCG_INFLATE_INPUT;
			if (little(in->at, 2) != (z->header_crc & 0xffff))
				return fail(z, "header crc mismatch");
			in->at += 2;
		}
		z->phase = BLOCK;
		return CSCG_INFLATE_OK;
	}
}

static enum cscg_inflate_rc
copy_stored(struct cscg_inflate *z, struct input *in, size_t limit)
{
	size_t n = (size_t)(in->end - in->at), room = limit - z->at;

	n = n < z->skip ? n : z->skip;
	n = n < room ? n : room;
	memcpy(z->window + z->at, in->at, n);
	in->at += n;
	z->at += n;
	z->total += n;
	z->skip -= n;
	if (z->skip && n < room)
		return CSCG_INFLATE_INPUT;
	if (!z->skip)
		z->phase = BLOCK;
	return CSCG_INFLATE_OK;
}

static enum cscg_inflate_rc
read_trailer(struct cscg_inflate *z, struct input *in)
{
	bool is_crc = z->phase == CRC;

	if (in->end - in->at < 4)
		return CSCG_INFLATE_INPUT;
	if (little(in->at, 4) != (is_crc ? z->crc : (uint32_t)z->total))
		return fail(z,
		    is_crc ? "incorrect data check" :
			     "incorrect length check");
	in->at += 4;
	z->phase = is_crc ? SIZE : ENDED;
	return CSCG_INFLATE_OK;
}

/* Inflate until the window is full, the input used up or the member at its end. */
static enum cscg_inflate_rc
fill_window(struct cscg_inflate *z, struct input *in)
{
	static const enum cscg_inflate_rc rc_of[] = {
		[BLOCK_ENDS] = CSCG_INFLATE_OK,
		[IS_FULL] = CSCG_INFLATE_OK,
		[NEEDS_INPUT] = CSCG_INFLATE_INPUT,
		[IS_WRONG] = CSCG_INFLATE_FAULT,
	};
	size_t limit = z->at + SPAN, summed = z->at;
	enum cscg_inflate_rc rc = CSCG_INFLATE_OK;
	enum found found;

	while (rc == CSCG_INFLATE_OK && z->at < limit) {
		switch (z->phase) {
		case BLOCK:
			rc = read_block(z, in);
			break;
		case STORED:
			rc = copy_stored(z, in, limit);
			break;
		case CODES:
			found = decode(z, in, limit);
			if (found == BLOCK_ENDS)
				z->phase = BLOCK;
			rc = rc_of[found];
			break;
		case CRC:
			z->crc = add_crc(z->crc, z->window + summed,
			    z->at - summed);
			summed = z->at;
			/* Fall through. */
		case SIZE:
			rc = read_trailer(z, in);
			break;
		case ENDED:
			rc = CSCG_INFLATE_END;
			break;
		default:
			rc = read_header(z, in);
			break;
		}
	}
	z->crc = add_crc(z->crc, z->window + summed, z->at - summed);
	return rc;
}

enum cscg_inflate_rc
cscg_inflate(struct cscg_inflate *z, const unsigned char **in,
    const unsigned char *end, char *out, size_t room, size_t *n)
{
	struct input input = { *in, end };
	enum cscg_inflate_rc rc = CSCG_INFLATE_OK;

	*n = 0;
	if (z->fault)
		return CSCG_INFLATE_FAULT;
	if (z->given == z->at) {
		if (z->at > WINDOW) {
			memmove(z->window, z->window + z->at - WINDOW, WINDOW);
			z->at = z->given = WINDOW;
		}
		rc = fill_window(z, &input);
		*in = input.at;
		if (rc == CSCG_INFLATE_FAULT)
			return rc;
	}
	*n = z->at - z->given < room ? z->at - z->given : room;
	memcpy(out, z->window + z->given, *n);
	z->given += *n;
	return *n ? CSCG_INFLATE_OK : rc;
}
