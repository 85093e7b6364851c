/* base64.c - bytes as text (RFC 4648, section 4) */
#include <stdint.h>

#include "io/base64.h"

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "abcdefghijklmnopqrstuvwxyz0123456789+/";

size_t
cscg_base64_length(size_t n)
{
	return (n + 2) / 3 * 4;
}

void
cscg_base64_encode(const void *from, size_t n, char *to)
{
	const unsigned char *p = from;
	uint32_t v;

	for (; n >= 3; n -= 3, p += 3) {
		v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
		*to++ = base64_digits[v >> 18];
		*to++ = base64_digits[v >> 12 & 63];
		*to++ = base64_digits[v >> 6 & 63];
		*to++ = base64_digits[v & 63];
	}
	if (!n)
		return;
	v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0);
	*to++ = base64_digits[v >> 18];
	*to++ = base64_digits[v >> 12 & 63];
	*to++ = n > 1 ? base64_digits[v >> 6 & 63] : '=';
	*to = '=';
}

enum { INVALID = 64 };	/* no letter of ours: more than six bits */

/* What each character stands for, 1 more than it is so that 0 is INVALID. */
static const unsigned char base64_values[256] = {
	['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
	19, 20, 21, 22, 23, 24, 25, 26,
	['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
	43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
	['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	['+'] = 63, ['/'] = 64
};

/* 0..63, or far above for anything else. */
static uint32_t
base64_value(char c)
{
	return (uint32_t)base64_values[(unsigned char)c] - 1;
}

/* The last four characters: 1 to 3 bytes, or -1 with *fault set. */
static long
decode_last(const char *s, unsigned char *to, size_t at, size_t *fault)
{
	int pad = s[3] != '=' ? 0 : s[2] != '=' ? 1 : 2;
	uint32_t v = 0, one;
	int i;

	for (i = 0; i < 4 - pad; i++) {
		one = base64_value(s[i]);
		if (one >= INVALID) {
			*fault = at + (size_t)i;
			return -1;
		}
		v |= one << (18 - 6 * i);
	}
	/* Bits that stand for nothing must be 0. */
	if ((pad == 1 && v & 0xff) || (pad == 2 && v & 0xffff)) {
		*fault = at + (size_t)(3 - pad);
		return -1;
	}
	for (i = 0; i < 3 - pad; i++)
		to[i] = (unsigned char)(v >> (16 - 8 * i));
	return 3 - pad;
}

long
cscg_base64_decode(const char *text, size_t len, void *to, size_t *fault)
{
	unsigned char *out = to;
	const char *s = text;
	size_t i, dummy;
	uint32_t a, b, c, d;
	long last;

	if (!fault)
		fault = &dummy;
	for (i = 0; i + 4 < len; i += 4, s += 4, out += 3) {
		a = base64_value(s[0]);
		b = base64_value(s[1]);
		c = base64_value(s[2]);
		d = base64_value(s[3]);
		if ((a | b | c | d) >= INVALID) {
			*fault = i + (a >= INVALID ? 0 : b >= INVALID ? 1 :
			    c >= INVALID ? 2 : 3);
			return -1;
		}
		a = a << 18 | b << 12 | c << 6 | d;
		out[0] = (unsigned char)(a >> 16);
		out[1] = (unsigned char)(a >> 8);
		out[2] = (unsigned char)a;
	}
	if (len % 4) {
		*fault = len;
		return -1;
	}
	if (!len)
		return 0;
	last = decode_last(s, out, i, fault);
	return last < 0 ? -1 : (long)(out - (unsigned char *)to) + last;
}
