/*
 * json_parse.h - JSON parser: the text of an object to Jansson values
 */
#ifndef CSCG_JSON_PARSE_H
#define CSCG_JSON_PARSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

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

/* Items of a packed array: integers before first_real, then reals. */
struct cscg_json_numbers {
	long n, first_real; /* first_real: n if all are integers */
	const char *items;  /* [n] of 8 bytes: int64_t or double */
};

/* Whether v is a packed array; then *numbers, borrowed from v. */
bool cscg_json_is_packed(const json_t *v, struct cscg_json_numbers *numbers);

/*
 * A new packed array of the n items that follow CSCG_JSON_PACKED_HEAD bytes of
 * buf, which are overwritten; NULL if memory is short.
 */
enum { CSCG_JSON_PACKED_HEAD = 16, CSCG_JSON_PACKED_ITEM = 8 };
json_t *cscg_json_pack(char *buf, long n, long first_real);

#endif
