/*
 * decimal.h - numbers as decimal text, without printf and scanf where the
 * result is the same
 */
#ifndef CSCG_DECIMAL_H
#define CSCG_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	CSCG_DECIMAL_INT = 20,  /* bytes that a long takes at most, unsigned */
	CSCG_DECIMAL_REAL = 32, /* bytes that a double takes, with NUL */
	CSCG_DECIMAL_SLOTS = 64,
};

/* Write the digits of v >= 0 at to, without NUL; returns the end. */
char *cscg_decimal_put(char *to, long v);

/*
 * The number at *text as JSON spells it: true with *v as strtod() has it and
 * *text moved behind.  False if there is none, if it is infinite, and for
 * integers that are -0 or have more than 15 digits, which readers differ on.
 */
bool cscg_decimal_parse(const char **text, double *v);

/*
 * Text of doubles, of which most have occurred before: those that are whole are
 * written as integers, others are kept in a table.  format() writes v to buf.
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
