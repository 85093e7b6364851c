/*
 * json.h - JSON values over streams: typed getters that name the position of
 * an error, arrays as base64
 *
 * tests/lint/library.sh lists the files that may include it.  Positions are
 * JSON pointers ("/x/17").  Every getter returns 0, or -1 with err filled
 * (CSCG_EFORMAT for a missing key or wrong type, CSCG_ERANGE for a number
 * outside lo..hi; the message states the permitted values).
 */
#ifndef CSCG_JSON_H
#define CSCG_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/names.h"
#include "io/stream.h"

/*
 * The object on the next line of in: 1 with *obj new (json_decref it), 0 at a
 * clean end, -1 with err filled ("'f': line 3: ...").  Duplicate keys, values
 * other than objects, and text after the object are errors; blank lines are
 * skipped.
 */
int cscg_json_read(struct cscg_in *in, json_t **obj, struct cscg_err *err);

/*
 * The same, with arrays of numbers below the key `packed` (NULL: none) packed:
 * scanned into one block, not as a value each.  Of the functions below
 * cscg_json_size(), _array(), _ints() and _doubles() accept packed arrays;
 * Jansson's own take them for strings.
 */
int cscg_json_read_packed(struct cscg_in *in, const char *packed, json_t **obj,
    struct cscg_err *err);

/*
 * The new item that get makes from the object on the next line, with packed and
 * *rc as above: NULL at a clean end, and with err filled if get or reading
 * fails.
 */
typedef void *cscg_json_get_fn(json_t *obj, struct cscg_err *err);
void *cscg_json_read_item(struct cscg_in *in, const char *packed,
    cscg_json_get_fn *get, int *rc, struct cscg_err *err);

/*
 * The item on the first line of a file, which is read to its end, with packed
 * and get as above.  *rc is 0, or -1 with err filled; an item may then be
 * returned all the same, to free.
 */
void *cscg_json_read_file(const char *path, const char *packed,
    cscg_json_get_fn *get, const char *format, int *rc, struct cscg_err *err);

/* The error of a file without an object of this format; returns -1. */
int cscg_json_fail_empty(struct cscg_in *in, const char *format,
    struct cscg_err *err);

/*
 * Prepend the pointer of an object to the error of a getter on it, which has
 * the pointer within the object; returns -1.  ENOMEM is left as it is.
 */
int cscg_json_fail_below(const char *where, struct cscg_err *err);

/*
 * Prepend "'f': line 3: " to the error of a getter on the last object read;
 * returns -1.  If the stream itself is damaged, err reports that instead.
 */
int cscg_json_fail_at(struct cscg_in *in, struct cscg_err *err);

/* The compact text of v, new: free() it; NULL with err filled (ENOMEM). */
char *cscg_json_text(json_t *v, struct cscg_err *err);

/* Every key of obj must be in the NULL-terminated list. */
int cscg_json_check_keys(json_t *obj, const char *const *keys,
    struct cscg_err *err);

/*
 * "format" must be format and "version" at most max.  The hint for another
 * format is "cscg-walk for cscg-model".
 */
int cscg_json_check_format(json_t *obj, const char *format, int max,
    struct cscg_err *err);

/* Whether an optional key is present; null counts as absent. */
bool cscg_json_has(json_t *obj, const char *key);

int cscg_json_long(json_t *obj, const char *key, long lo, long hi, long *out,
    struct cscg_err *err);
int cscg_json_int(json_t *obj, const char *key, int lo, int hi, int *out,
    struct cscg_err *err);
int cscg_json_double(json_t *obj, const char *key, double lo, double hi,
    double *out, struct cscg_err *err);
int cscg_json_bool(json_t *obj, const char *key, bool *out,
    struct cscg_err *err);
/* *out is new: free() it. */
int cscg_json_string(json_t *obj, const char *key, char **out,
    struct cscg_err *err);

/*
 * The index of the value of key in the NULL-terminated list of words, or -1
 * with err filled.
 */
int cscg_json_enum(json_t *obj, const char *key, const char *const *words,
    struct cscg_err *err);

/* The array under key with n items (n < 0: any number); borrowed. */
int cscg_json_array(json_t *obj, const char *key, long n, json_t **out,
    struct cscg_err *err);

/* The number of items of an array, packed or not. */
size_t cscg_json_size(const json_t *arr);

/*
 * Items of an array into out (room for cscg_json_size() items).  where is the
 * pointer of the array itself, for messages.
 */
int cscg_json_ints(json_t *arr, const char *where, int lo, int hi, int *out,
    struct cscg_err *err);
int cscg_json_doubles(json_t *arr, const char *where, double lo, double hi,
    double *out, struct cscg_err *err);

/* Optional list of n distinct strings into names (left unnamed if absent). */
int cscg_json_names(json_t *obj, const char *key, int n,
    struct cscg_names *names, struct cscg_err *err);

/*
 * bytes as text (RFC 4648, section 4)
 *
 * Padded, without line breaks, canonical: encoding a decoded text yields the
 * same text.
 */

/* Number of characters for n bytes. */
size_t cscg_base64_length(size_t n);

/* Encode n bytes to cscg_base64_length(n) characters, without NUL. */
void cscg_base64_encode(const void *from, size_t n, char *to);

/*
 * Decode len characters into to, which has room for len / 4 * 3 bytes.
 * Returns the number of bytes, or -1 with *fault (may be NULL) set to the
 * position of the first invalid character, or to len if the text is truncated.
 */
long cscg_base64_decode(const char *text, size_t len, void *to, size_t *fault);

/*
 * arrays of numbers in JSON, as base64
 *
 * Parsing base64 is faster than parsing JSON numbers.  Each number is IEEE
 * 754, little-endian, of 4 bytes if single, else of 8.
 */

/* The n numbers of the string under key into out; 0, or -1 with err filled. */
int cscg_json_reals(json_t *obj, const char *key, size_t n, bool single,
    double *out, struct cscg_err *err);

/*
 * Check that the string under key is long enough for n * dim numbers.  Call it
 * before allocating memory for them.
 */
int cscg_json_check_reals(json_t *obj, const char *key, int n, long dim,
    struct cscg_err *err);

#endif
