/* decimal.c - numbers as decimal text */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum {
	EXACT_DIGITS = 15, /* integers of up to 15 digits are exact doubles */
	EXACT_POWER = 22,  /* 10 to the power of this is a double, too */
};

static const double whole_max = 1e15;

char *
cscg_decimal_put(char *to, long v)
{
	char digits[CSCG_DECIMAL_INT];
	int n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* Behind the digits at s; their value is added to *v, modulo 2^64. */
static const char *
parse_digits(const char *s, uint64_t *v)
{
	for (; *s >= '0' && *s <= '9'; s++)
		*v = *v * 10 + (uint64_t)(*s - '0');
	return s;
}

/* Behind the exponent at s, or s if there is none; NULL if it has no digits. */
static const char *
skip_exponent(const char *s)
{
	const char *digits;
	uint64_t v = 0;

	if (*s != 'e' && *s != 'E')
		return s;
	digits = s + 1 + (s[1] == '+' || s[1] == '-');
	s = parse_digits(digits, &v);
	return s > digits ? s : NULL;
}

bool
cscg_decimal_parse(const char **text, double *v)
{
	static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };
	bool minus = **text == '-';
	const char *first = *text + minus, *point, *end, *s;
	uint64_t m = 0;
	long digits, decimals = 0;
	char *stop;

	s = point = parse_digits(first, &m);
	digits = point - first;
	if (!digits || (*first == '0' && digits > 1))
		return false;
	if (*point == '.') {
		s = parse_digits(point + 1, &m);
		decimals = s - point - 1;
		if (!decimals)
			return false;
	}
	end = skip_exponent(s);
	if (!end || (end == point && (digits > EXACT_DIGITS || (minus && !m))))
		return false;
	/* Both are exact, so that the quotient is rounded once. */
	if (end == s && digits + decimals <= EXACT_DIGITS &&
	    decimals <= EXACT_POWER && FLT_EVAL_METHOD == 0) {
		*v = (double)m / power[decimals];
		*v = minus ? -*v : *v;
	} else {
		*v = strtod(*text, &stop);
		if (stop != end || isinf(*v))
			return false;
	}
	*text = end;
	return true;
}

static size_t
find_slot(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return (bits * 0x9e3779b97f4a7c15) >> 32 & (CSCG_DECIMAL_SLOTS - 1);
}

char *
cscg_decimal_put_real(struct cscg_decimal_cache *cache, char *to, double v)
{
	size_t i, n;

	if (fabs(v) < whole_max && v == (double)(long)v &&
	    !(v == 0 && signbit(v))) {
		if (v < 0)
			*to++ = '-';
		return cscg_decimal_put(to, labs((long)v));
	}
	i = find_slot(v);
	if (!*cache->slot[i].text || cache->slot[i].v != v) {
		cache->slot[i].v = v;
		cache->format(v, cache->slot[i].text,
		    sizeof cache->slot[i].text);
	}
	n = strlen(cache->slot[i].text);
	memcpy(to, cache->slot[i].text, n);
	return to + n;
}
