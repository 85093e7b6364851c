/*
 * json_parse.h - JSON parser: the text of an object to Jansson values
 */
#ifndef CSCG_JSON_PARSE_H
#define CSCG_JSON_PARSE_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/*
 * The object that text (len bytes, no NUL needed) is, new: json_decref() it.
 *
 * Returns NULL with err filled:
 *   CSCG_EFORMAT  not JSON, not an object, a key given twice, a \u0000, text
 *                 after the object, or more than 2048 levels of nesting
 *   CSCG_ENOMEM   memory is short
 *
 * Threads may parse at the same time.
 */
json_t *cscg_json_parse(const char *text, size_t len, struct cscg_err *err);

#endif
