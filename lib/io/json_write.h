/*
 * json_write.h - JSON text, written value by value
 *
 * Text is compact, and members are in the order of the calls.  A writer keeps
 * its first error: after it nothing more is written, and cscg_json_end()
 * returns it.  Start with { .out = out, .digits = 17, .err = err }.
 *
 * The key of a value is the name of a member of the open object; it is NULL
 * for an item of the open array and for the outermost value.
 */
#ifndef CSCG_JSON_WRITE_H
#define CSCG_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/names.h"
#include "io/stream.h"

struct cscg_json_writer {
	struct cscg_out *out; /* NULL: into text */
	int digits;           /* of reals: 9 for single, 17 for double */
	struct cscg_err *err;
	int rc;         /* 0, or -1 with err filled */
	bool has_items; /* whether a comma precedes the next value */
	char *text;     /* [n] and a NUL, to free() */
	size_t n, cap;
};

/* Open and close an object ('{', '}') or an array ('[', ']'). */
void cscg_json_open(struct cscg_json_writer *w, const char *key, char bracket);
void cscg_json_close(struct cscg_json_writer *w, char bracket);

/* The newline after the outermost value; 0, or -1 with err filled. */
int cscg_json_end(struct cscg_json_writer *w);

void cscg_json_put_int(struct cscg_json_writer *w, const char *key, int64_t v);
void cscg_json_put_bool(struct cscg_json_writer *w, const char *key, bool v);

/*
 * A finite number with a point or an exponent, and one that is an integer if
 * it is whole, or rounded to a whole number.
 */
void cscg_json_put_real(struct cscg_json_writer *w, const char *key, double v);
void cscg_json_put_double(struct cscg_json_writer *w, const char *key,
    double v);

/* A string; a byte that is not UTF-8 becomes U+FFFD. */
void cscg_json_put_string(struct cscg_json_writer *w, const char *key,
    const char *s);

/* A value that is JSON text already. */
void cscg_json_put_text(struct cscg_json_writer *w, const char *key,
    const char *text);

/* Arrays; doubles as by cscg_json_put_double(). */
void cscg_json_put_ints(struct cscg_json_writer *w, const char *key,
    const int *v, long n);
void cscg_json_put_doubles(struct cscg_json_writer *w, const char *key,
    const double *v, long n);
void cscg_json_put_names(struct cscg_json_writer *w, const char *key,
    const struct cscg_names *names);

/* n numbers as base64: see cscg_json_reals(). */
void cscg_json_put_reals(struct cscg_json_writer *w, const char *key,
    const double *v, size_t n, bool single);

#endif
