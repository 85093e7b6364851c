/*
 * json_parse.h - JSON parser: the text of an object to Jansson values
 */
#ifndef CSCG_JSON_PARSE_H
#define CSCG_JSON_PARSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/*
 * Parse text (len bytes, no NUL needed) as an object, new: json_decref() it.
 *
 * Returns NULL with err filled:
 *   CSCG_EFORMAT  not JSON, not an object, a key given twice, a \u0000, text
 *                 after the object, or more than 2048 levels of nesting
 *   CSCG_ENOMEM   memory is short
 *
 * Threads may parse at the same time.
 */
json_t *cscg_json_parse(const char *text, size_t len, struct cscg_err *err);

/*
 * The same, but arrays of numbers anywhere below the key `packed` of the
 * object become packed arrays: strings that begin with NUL, as no string of a
 * text does.  An array with an item that is not a number in JSON syntax is
 * parsed as by cscg_json_parse().  text[len] must be NUL.
 */
json_t *cscg_json_parse_packed(const char *text, size_t len,
    const char *packed, struct cscg_err *err);

/*
 * Items of a packed array: integers before first_real, then reals.  Arrays whose
 * integers all fit an int have them as such.
 */
struct cscg_json_numbers {
	long n, first_real; /* first_real: n if all are integers */
	bool is_narrow;     /* all are integers of 4 bytes */
	const char *items;  /* [n] of 4 bytes, or of 8: int64_t or double */
};

/* Item i, an integer. */
static inline int64_t
cscg_json_integer_at(const struct cscg_json_numbers *numbers, long i)
{
	int32_t narrow;
	int64_t wide;

	if (numbers->is_narrow) {
		memcpy(&narrow, numbers->items + 4 * i, sizeof narrow);
		return narrow;
	}
	memcpy(&wide, numbers->items + 8 * i, sizeof wide);
	return wide;
}

/* Item i as a real, whatever it is. */
static inline double
cscg_json_real_at(const struct cscg_json_numbers *numbers, long i)
{
	double v;

	if (i < numbers->first_real)
		return (double)cscg_json_integer_at(numbers, i);
	memcpy(&v, numbers->items + 8 * i, sizeof v);
	return v;
}

/* Whether v is a packed array; then *numbers, borrowed from v. */
bool cscg_json_is_packed(const json_t *v, struct cscg_json_numbers *numbers);

#endif
