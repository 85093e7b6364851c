/* decimal.c - numbers as decimal text */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum {
	EXACT_DIGITS = 15, /* integers of up to 15 digits are exact doubles */
	EXACT_POWER = 22,  /* 10 to the power of this is an exact double */
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

/*
 * v > 0 times ten to the power of power, rounded once to the 64 bits or more of
 * a long double: powers up to 27 are exact there.
 */
static long double
scale_long(double v, int power)
{
	static const long double of_ten[] = { 1e0L, 1e1L, 1e2L, 1e3L, 1e4L,
		1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L,
		1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L,
		1e23L, 1e24L, 1e25L, 1e26L, 1e27L };

	return power < 0 ? v / of_ten[-power] : v * of_ten[power];
}

/*
 * The first digits of v > 0 as an integer, 10^(digits-1) <= *m < 10^digits, and
 * the power of ten of the first one; false if rounding is not certain.
 */
static bool
first_digits(double v, int digits, uint64_t *m, int *power)
{
	static const double of_ten[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6,
		1e7, 1e8, 1e9 };
	long double scaled, rest;
	int e, k;

	frexp(v, &e);
	/* log10(v) is at least this, and less than 1.4 above. */
	*power = (int)floor((e - 1) * M_LN2 / M_LN10);
	k = digits - 1 - *power;
	if (k > 27 || k < -26)
		return false;
	scaled = scale_long(v, k);
	if (scaled >= of_ten[digits]) {
		++*power;
		scaled = scale_long(v, k - 1);
	}
	*m = (uint64_t)scaled;
	rest = scaled - (long double)*m;
	/* The error of scaled is at most 2^-31. */
	if (rest > 0.5L - 0x1p-20L && rest < 0.5L + 0x1p-20L)
		return false;
	*m += rest > 0.5L;
	if (*m == (uint64_t)of_ten[digits]) {
		*m /= 10;
		++*power;
	}
	return true;
}

char *
cscg_decimal_put_digits(char *to, double v, int digits)
{
	enum { MOST = 9 };
	char text[MOST];
	int power, n, i, point;
	uint64_t m;

	if (digits > MOST || LDBL_MANT_DIG < 64 || !(fabs(v) > 0) ||
	    !first_digits(fabs(v), digits, &m, &power))
		return NULL;
	for (i = digits; i-- > 0; m /= 10)
		text[i] = (char)('0' + m % 10);
	for (n = digits; text[n - 1] == '0'; n--)
		;
	if (v < 0)
		*to++ = '-';
	point = power < -4 || power >= digits ? 1 : power + 1;
	if (point <= 0) {
		*to++ = '0';
		*to++ = '.';
		for (i = point; i < 0; i++)
			*to++ = '0';
	}
	for (i = 0; i < n || i < point; i++) {
		if (i == point && i)
			*to++ = '.';
		*to++ = i < n ? text[i] : '0';
	}
	if (point == power + 1) {
		if (n <= point) {
			*to++ = '.';
			*to++ = '0';
		}
		return to;
	}
	*to++ = 'e';
	if (power < 0)
		*to++ = '-';
	return cscg_decimal_put(to, labs(power));
}

/*
 * Return the position after the digits at s; add their value to *v, modulo
 * 2^64.
 */
static const char *
parse_digits(const char *s, uint64_t *v)
{
	for (; *s >= '0' && *s <= '9'; s++)
		*v = *v * 10 + (uint64_t)(*s - '0');
	return s;
}

/*
 * Return the position after the exponent at s and add the exponent to *power; s
 * if there is no exponent, NULL if it has no digits.
 */
static const char *
parse_exponent(const char *s, long *power)
{
	const char *digits;
	uint64_t v = 0;

	if (*s != 'e' && *s != 'E')
		return s;
	digits = s + 1 + (s[1] == '+' || s[1] == '-');
	s = parse_digits(digits, &v);
	if (s - digits > EXACT_DIGITS)
		*power = LONG_MAX;
	else
		*power += digits[-1] == '-' ? -(long)v : (long)v;
	return s > digits ? s : NULL;
}

/*
 * m and the power of ten are exact, so that product or quotient is rounded
 * once: as by strtod().
 */
static double
scale(uint64_t m, long power)
{
	static const double of_ten[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6,
		1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
		1e18, 1e19, 1e20, 1e21, 1e22 };

	return power < 0 ? (double)m / of_ten[-power] :
			   (double)m * of_ten[power];
}

bool
cscg_decimal_parse(const char **text, double *v)
{
	bool minus = **text == '-';
	const char *first = *text + minus, *point, *end, *s;
	long digits, power = 0;
	uint64_t m = 0;
	char *stop;

	s = point = parse_digits(first, &m);
	digits = point - first;
	if (!digits || (*first == '0' && digits > 1))
		return false;
	if (*point == '.') {
		s = parse_digits(point + 1, &m);
		power = point + 1 - s;
		if (!power)
			return false;
		digits -= power;
	}
	end = parse_exponent(s, &power);
	if (!end || (end == point && (digits > EXACT_DIGITS || (minus && !m))))
		return false;
	if (digits <= EXACT_DIGITS && power >= -EXACT_POWER &&
	    power <= EXACT_POWER && FLT_EVAL_METHOD == 0) {
		*v = scale(m, power);
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
	/* Keys such as 0.1, 0.2, ... differ mostly in the upper half. */
	bits ^= bits >> 32;
	return (bits * 0x9e3779b97f4a7c15) >> 48 & (CSCG_DECIMAL_SLOTS - 1);
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
