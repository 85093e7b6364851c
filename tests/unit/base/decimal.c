/* Numbers as decimal text, compared with printf() and strtod(). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/rng.h"
#include "tap.h"

static void
format(double v, char *buf, size_t size)
{
	snprintf(buf, size, "%.17g", v);
}

/*
 * A finite random double: whole, with few digits, with many digits, or of
 * random bits.
 */
static double
draw(struct cscg_rng *rng)
{
	uint64_t bits = cscg_rng_next(rng);
	double v;

	switch (bits % 4) {
	case 0:
		return (double)((long)(bits >> 40) - (1 << 23));
	case 1:
		return (double)(bits >> 44) / 1000;
	case 2:
		return (double)(bits >> 11) * 0x1p-53;
	default:
		memcpy(&v, &bits, sizeof v);
		return isfinite(v) ? v : 0.25;
	}
}

/* Is text parsed to the value of strtod(), up to its end? */
static bool
same_value(const char *text)
{
	const char *p = text;
	double v = -1, w = strtod(text, NULL);

	return cscg_decimal_parse(&p, &v) && !*p && !memcmp(&v, &w, sizeof v);
}

static bool
is_refused(const char *text)
{
	const char *p = text;
	double v = 7;

	return !cscg_decimal_parse(&p, &v) && p == text;
}

static void
test_reals(void)
{
	struct cscg_decimal_cache *cache = calloc(1, sizeof *cache);
	struct cscg_rng rng;
	char text[CSCG_DECIMAL_REAL], expected[CSCG_DECIMAL_REAL];
	bool written = true, read = true;
	double v;
	int i;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	cache->format = format;
	for (i = 0; i < 100000; i++) {
		v = draw(&rng);
		*cscg_decimal_put_real(cache, text, v) = '\0';
		format(v, expected, sizeof expected);
		written &= !strcmp(text, expected);
		/* Long integers are not parsed by this function. */
		read &= strcspn(text, ".e") == strlen(text) ||
		    same_value(text);
	}
	ok(written, "doubles are written as printf() writes them");
	ok(read, "doubles are read as strtod() reads them");
	*cscg_decimal_put_real(cache, text, -0.0) = '\0';
	ok(!strcmp(text, "-0"), "minus zero keeps its sign");
	free(cache);
}

/* Few digits and any exponent: exact up to 10^22, rounded once beyond. */
static void
test_exponents(void)
{
	struct cscg_rng rng;
	char text[64];
	long differ = 0, i;

	cscg_rng_seed(&rng, 2, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 200000; i++) {
		uint64_t bits = cscg_rng_next(&rng);
		int exponent = (int)(bits % 71) - 35;

		snprintf(text, sizeof text, "%.*e", (int)(bits >> 8) % 17,
		    (double)(bits >> 12) * 1e-15);
		snprintf(strchr(text, 'e'), 8, "e%d", exponent);
		differ += !same_value(text);
	}
	ok(!differ, "of 200000 numbers with an exponent %ld differ", differ);
}

/* "%.*g" as JSON writes it. */
static void
expect_digits(char *text, size_t size, double v, int digits)
{
	char *e, *from;

	snprintf(text, size, "%.*g", digits, v);
	e = strchr(text, 'e');
	if (!e && !strchr(text, '.'))
		strcat(text, ".0");
	if (!e)
		return;
	e += 1 + (e[1] == '-');
	for (from = e + (*e == '+'); *from == '0'; from++)
		;
	memmove(e, from, strlen(from) + 1);
}

/* Numbers near the midpoint of two decimal numbers, and others. */
static void
test_digits(void)
{
	struct cscg_rng rng;
	char text[CSCG_DECIMAL_REAL], expected[CSCG_DECIMAL_REAL], *end;
	long differ = 0, left = 0, i, n = 400000;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < n; i++) {
		uint64_t bits = cscg_rng_next(&rng);
		int digits = 1 + (int)(bits % 9);
		double v = (double)(int64_t)cscg_rng_next(&rng) *
		    pow(10, (int)(bits >> 8 & 31) - 30);

		if (bits >> 16 & 1)
			v = (double)(bits >> 40) + .5;
		if (bits >> 17 & 1)
			v = nextafter(v, bits & 1 << 18 ? 0 : HUGE_VAL);
		end = cscg_decimal_put_digits(text, v, digits);
		left += !end;
		if (!end)
			continue;
		*end = '\0';
		expect_digits(expected, sizeof expected, v, digits);
		differ += strcmp(text, expected) != 0;
	}
	ok(!differ, "of %ld numbers with few digits %ld differ", n, differ);
	ok(left < n / 3, "%ld numbers are left to printf()", left);
	ok(!cscg_decimal_put_digits(text, 0, 9) &&
		!cscg_decimal_put_digits(text, .1, 10) &&
		!cscg_decimal_put_digits(text, 1e300, 9) &&
		!cscg_decimal_put_digits(text, 1e-300, 9),
	    "zero, more digits and far exponents are left to printf()");
}

static void
test_parse(void)
{
	static const char *const good[] = { "0", "7", "-12", "0.5", "-0.0",
		"0.1", "123456789012345", "1e5", "1E-3", "2.5e+10", "4.9e-324",
		"0.10000000000000001", "1e-400", "9007199254740993.0", "1e22",
		"1e23", "1.5e-22", "1e-23", "1e-00000000000000000005",
		"1e-99999999999999999999", "123456789012345e22" };
	static const char *const bad[] = { "", "-", "+1", ".5", "1.", "01",
		"1e", "1e+", "-0", "1234567890123456", "1e400", "nan", "inf",
		"--1", "1.e5" };
	const char *p = "3.25,4";
	double v = 0;
	size_t i;

	for (i = 0; i < sizeof good / sizeof *good; i++)
		ok(same_value(good[i]), "'%s' is read", good[i]);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(is_refused(bad[i]), "'%s' is left to strtod()", bad[i]);
	ok(cscg_decimal_parse(&p, &v) && v == 3.25 && !strcmp(p, ",4"),
	    "reading stops after the number");
	p = "0x10";
	ok(cscg_decimal_parse(&p, &v) && v == 0 && !strcmp(p, "x10"),
	    "a hexadecimal number is not parsed");
}

static void
test_ints(void)
{
	static const long v[] = { 0, 9, 10, 99, 100, 2147483647,
		1234567890123 };
	char text[32], expected[32];
	size_t i;

	for (i = 0; i < sizeof v / sizeof *v; i++) {
		*cscg_decimal_put(text, v[i]) = '\0';
		snprintf(expected, sizeof expected, "%ld", v[i]);
		ok(!strcmp(text, expected), "%ld is written", v[i]);
	}
}

int
main(void)
{
	test_ints();
	test_parse();
	test_exponents();
	test_reals();
	test_digits();
	return done();
}
