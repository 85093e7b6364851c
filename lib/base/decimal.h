/*
 * decimal.h - numbers as decimal text, without printf and scanf where the
 * result is the same
 */
#ifndef CSCG_DECIMAL_H
#define CSCG_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	CSCG_DECIMAL_INT = 20,  /* largest length of a long >= 0, bytes */
	CSCG_DECIMAL_REAL = 32, /* largest length of a double, with NUL */
	CSCG_DECIMAL_SLOTS = 256,
};

/* Write the digits of v >= 0 at to, without NUL; returns the end. */
char *cscg_decimal_put(char *to, long v);

/*
 * Write v at to (CSCG_DECIMAL_REAL bytes) like printf() with "%.*g" and that
 * many digits, but with a point or an exponent in any case (1.0, 2e20), and no
 * plus or leading zeros in the exponent (1e-6); without NUL.  Returns the end,
 * or NULL if the last digit cannot be rounded with certainty in long double,
 * or digits > 9: use printf() then.
 */
char *cscg_decimal_put_digits(char *to, double v, int digits);

/*
 * Parse a number in JSON syntax at *text: true with *v equal to the result of
 * strtod() and *text after the number.  False for any other text, for a number
 * that is infinite, and for an integer that is -0 or has more than 15 digits,
 * which JSON readers treat differently.
 */
bool cscg_decimal_parse(const char **text, double *v);

/*
 * A cache of the text of doubles, for data with few distinct values.  Whole
 * numbers are written as integers; the text of others is cached.  format()
 * writes v to buf.
 */
struct cscg_decimal_cache {
	void (*format)(double v, char *buf, size_t size);
	struct {
		double v;
		char text[CSCG_DECIMAL_REAL]; /* "": free */
	} slot[CSCG_DECIMAL_SLOTS];
};

/*
 * Write v, which is finite, at to (CSCG_DECIMAL_REAL bytes), without NUL;
 * returns the end.  format() must write whole numbers of up to 15 digits like
 * "%.15g".
 */
char *cscg_decimal_put_real(struct cscg_decimal_cache *cache, char *to,
    double v);

#endif
