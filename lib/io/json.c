/*
 * json.c - JSON values over streams: typed getters that name the position of an
 * error, arrays as base64
 *
 * One value per line, so a reader stops at the end of a value and consumes
 * nothing after it.
 */
#include <endian.h>
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/json.h"
#include "io/json_parse.h"
#include "io/json_write.h"
#include "io/sniff.h"

int
cscg_json_fail_at(struct cscg_in *in, struct cscg_err *err)
{
	if (err->code != CSCG_ENOMEM && cscg_in_verify(in, err) < 0)
		return -1;
	return cscg_fail_at(err, "%s: line %ld", cscg_in_name(in),
	    cscg_in_lineno(in));
}

static bool
is_blank(const char *s, size_t n)
{
	return strspn(s, " \t\r") == n;
}

int
cscg_json_read_packed(struct cscg_in *in, const char *packed, json_t **obj,
    struct cscg_err *err)
{
	const char *what = NULL, *hint;
	char *line;
	size_t len;
	int rc;

	do {
		rc = cscg_in_line(in, &line, &len, err);
		if (rc <= 0)
			return rc;
	} while (is_blank(line, len));
	*obj = cscg_json_parse_packed(line, len, packed, err);
	if (*obj)
		return 1;
	if (err->code == CSCG_EFORMAT && cscg_in_lineno(in) == 1)
		what = cscg_sniff_json(line, len, &hint);
	if (what) {
		cscg_fail(err, CSCG_EFORMAT, "%s", what);
		cscg_fail_hint(err, hint);
	}
	return cscg_json_fail_at(in, err);
}

int
cscg_json_read(struct cscg_in *in, json_t **obj, struct cscg_err *err)
{
	return cscg_json_read_packed(in, NULL, obj, err);
}

void *
cscg_json_read_item(struct cscg_in *in, const char *packed,
    cscg_json_get_fn *get, int *rc, struct cscg_err *err)
{
	json_t *obj = NULL;
	void *item;

	*rc = cscg_json_read_packed(in, packed, &obj, err);
	if (*rc <= 0)
		return NULL;
	item = get(obj, err);
	json_decref(obj);
	if (!item)
		*rc = cscg_json_fail_at(in, err);
	return item;
}

void *
cscg_json_read_file(const char *path, const char *packed,
    cscg_json_get_fn *get, const char *format, int *rc, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	void *item = NULL;
	char *line;
	size_t len;

	*rc = -1;
	if (!in)
		return NULL;
	item = cscg_json_read_item(in, packed, get, rc, err);
	if (*rc == 0)
		*rc = cscg_json_fail_empty(in, format, err);
	/* A truncated or damaged stream may be noticed only at its end. */
	while (*rc > 0)
		*rc = cscg_in_line(in, &line, &len, err);
	cscg_in_close(in);
	return item;
}

int
cscg_json_fail_empty(struct cscg_in *in, const char *format,
    struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no %s",
	    cscg_in_name(in), format);
}

int
cscg_json_fail_below(const char *where, struct cscg_err *err)
{
	const struct cscg_err inner = *err;

	if (err->code == CSCG_ENOMEM)
		return -1;
	cscg_fail(err, inner.code, "%s%s%.900s", where,
	    inner.msg[0] == '/' ? "" : ": ", inner.msg);
	return cscg_fail_hint(err, inner.hint);
}

/* typed getters that name the position of an error */

int
cscg_json_check_keys(json_t *obj, const char *const *keys,
    struct cscg_err *err)
{
	const char *key;
	json_t *value;
	int i;

	json_object_foreach(obj, key, value)
	{
		for (i = 0; keys[i] && strcmp(keys[i], key); i++)
			;
		if (!keys[i])
			return cscg_fail(err, CSCG_EFORMAT,
			    "/%.64s: unknown key", key);
	}
	return 0;
}

/* The type as a noun phrase ("a string"), for messages. */
static const char *
type_name(const json_t *v)
{
	struct cscg_json_numbers numbers;

	if (cscg_json_is_packed(v, &numbers))
		return "an array";
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	case JSON_NULL:
		break;
	}
	return "null";
}

/* Position of a value: a key of an object, or an item of an array. */
struct json_path {
	const char *where;
	long i; /* -1: the key itself, without a slash */
};

static int
fail_at_path(const struct json_path *p, struct cscg_err *err)
{
	if (p->i < 0)
		return cscg_fail_at(err, "/%s", p->where);
	return cscg_fail_at(err, "%s/%ld", p->where, p->i);
}

static int
fail_type(const json_t *v, const char *want, const struct json_path *p,
    struct cscg_err *err)
{
	cscg_fail(err, CSCG_EFORMAT, "%s is not %s", type_name(v), want);
	return fail_at_path(p, err);
}

static int
get_member(json_t *obj, const char *key, json_t **v, struct cscg_err *err)
{
	*v = json_object_get(obj, key);
	if (!*v)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: missing", key);
	return 0;
}

/* 2.5 is not an integer, nor is 2.0. */
static int
fail_real(double x, const struct json_path *p, struct cscg_err *err)
{
	char text[32];

	snprintf(text, sizeof text, "%.9g", x);
	cscg_fail(err, CSCG_EFORMAT, "%s%s is not an integer", text,
	    strpbrk(text, ".e") ? "" : ".0");
	return fail_at_path(p, err);
}

static int
fail_long(long x, const struct json_path *p, long lo, long hi,
    struct cscg_err *err)
{
	if (hi == LONG_MAX)
		cscg_fail(err, CSCG_ERANGE, "%ld is below %ld", x, lo);
	else
		cscg_fail(err, CSCG_ERANGE, "%ld is outside %ld..%ld", x, lo,
		    hi);
	return fail_at_path(p, err);
}

static int
fail_double(double x, const struct json_path *p, double lo, double hi,
    struct cscg_err *err)
{
	if (hi >= DBL_MAX)
		cscg_fail(err, CSCG_ERANGE, "%.9g is below %.9g", x, lo);
	else
		cscg_fail(err, CSCG_ERANGE, "%.9g is outside %.9g..%.9g", x,
		    lo, hi);
	return fail_at_path(p, err);
}

static int
to_long(const json_t *v, const struct json_path *p, long lo, long hi,
    long *out, struct cscg_err *err)
{
	long x;

	if (json_typeof(v) == JSON_REAL)
		return fail_real(json_real_value(v), p, err);
	if (json_typeof(v) != JSON_INTEGER)
		return fail_type(v, "an integer", p, err);
	x = (long)json_integer_value(v);
	if (x < lo || x > hi)
		return fail_long(x, p, lo, hi, err);
	*out = x;
	return 0;
}

static int
to_double(const json_t *v, const struct json_path *p, double lo, double hi,
    double *out, struct cscg_err *err)
{
	double x;

	if (json_typeof(v) != JSON_INTEGER && json_typeof(v) != JSON_REAL)
		return fail_type(v, "a number", p, err);
	x = json_number_value(v);
	if (x < lo || x > hi)
		return fail_double(x, p, lo, hi, err);
	*out = x;
	return 0;
}

int
cscg_json_check_format(json_t *obj, const char *format, int max,
    struct cscg_err *err)
{
	char hint[sizeof err->hint];
	json_t *v;
	int version;

	if (get_member(obj, "format", &v, err) < 0)
		return -1;
	if (json_typeof(v) != JSON_STRING)
		return fail_type(v, "a string",
		    &(struct json_path){ "format", -1 }, err);
	if (strcmp(json_string_value(v), format)) {
		cscg_fail(err, CSCG_EFORMAT, "this is a %.64s file, not a %s",
		    json_string_value(v), format);
		snprintf(hint, sizeof hint, "%.16s for %s",
		    json_string_value(v), format);
		return cscg_fail_hint(err, hint);
	}
	if (cscg_json_int(obj, "version", 1, INT_MAX, &version, err) < 0)
		return -1;
	if (version > max)
		return cscg_fail(err, CSCG_EFORMAT,
		    "version %d is newer than the latest supported (%d)",
		    version, max);
	return 0;
}

bool
cscg_json_has(json_t *obj, const char *key)
{
	json_t *v = json_object_get(obj, key);

	return v && json_typeof(v) != JSON_NULL;
}

int
cscg_json_long(json_t *obj, const char *key, long lo, long hi, long *out,
    struct cscg_err *err)
{
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	return to_long(v, &(struct json_path){ key, -1 }, lo, hi, out, err);
}

int
cscg_json_int(json_t *obj, const char *key, int lo, int hi, int *out,
    struct cscg_err *err)
{
	long x = 0;

	if (cscg_json_long(obj, key, lo, hi, &x, err) < 0)
		return -1;
	*out = (int)x;
	return 0;
}

int
cscg_json_double(json_t *obj, const char *key, double lo, double hi,
    double *out, struct cscg_err *err)
{
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	return to_double(v, &(struct json_path){ key, -1 }, lo, hi, out, err);
}

int
cscg_json_bool(json_t *obj, const char *key, bool *out, struct cscg_err *err)
{
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	if (json_typeof(v) != JSON_TRUE && json_typeof(v) != JSON_FALSE)
		return fail_type(v, "true or false",
		    &(struct json_path){ key, -1 }, err);
	*out = json_typeof(v) == JSON_TRUE;
	return 0;
}

int
cscg_json_string(json_t *obj, const char *key, char **out,
    struct cscg_err *err)
{
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	if (json_typeof(v) != JSON_STRING)
		return fail_type(v, "a string", &(struct json_path){ key, -1 },
		    err);
	*out = cscg_copy(json_string_value(v), json_string_length(v) + 1, 1,
	    err);
	return *out ? 0 : -1;
}

int
cscg_json_enum(json_t *obj, const char *key, const char *const *words,
    struct cscg_err *err)
{
	char list[256] = "";
	size_t n = 0;
	json_t *v;
	int i;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	if (json_typeof(v) != JSON_STRING)
		return fail_type(v, "a string", &(struct json_path){ key, -1 },
		    err);
	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], json_string_value(v)))
			return i;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n,
			    "%s%s", i ? ", " : "", words[i]);
	}
	return cscg_fail(err, CSCG_EFORMAT, "/%s: '%.64s' is not one of %s",
	    key, json_string_value(v), list);
}

int
cscg_json_array(json_t *obj, const char *key, long n, json_t **out,
    struct cscg_err *err)
{
	struct cscg_json_numbers numbers;
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	if (!json_is_array(v) && !cscg_json_is_packed(v, &numbers))
		return fail_type(v, "an array", &(struct json_path){ key, -1 },
		    err);
	if (n >= 0 && cscg_json_size(v) != (size_t)n)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: has %zu items, not %ld", key, cscg_json_size(v), n);
	*out = v;
	return 0;
}

size_t
cscg_json_size(const json_t *arr)
{
	struct cscg_json_numbers numbers;

	if (cscg_json_is_packed(arr, &numbers))
		return (size_t)numbers.n;
	return json_array_size(arr);
}

static int
packed_ints(const struct cscg_json_numbers *numbers, struct json_path p,
    int lo, int hi, int *out, struct cscg_err *err)
{
	int64_t x;

	for (p.i = 0; p.i < numbers->first_real; p.i++) {
		x = cscg_json_integer_at(numbers, p.i);
		if (x < lo || x > hi)
			return fail_long((long)x, &p, lo, hi, err);
		out[p.i] = (int)x;
	}
	if (p.i == numbers->n)
		return 0;
	return fail_real(cscg_json_real_at(numbers, p.i), &p, err);
}

static int
packed_doubles(const struct cscg_json_numbers *numbers, struct json_path p,
    double lo, double hi, double *out, struct cscg_err *err)
{
	double x;

	for (p.i = 0; p.i < numbers->n; p.i++) {
		x = cscg_json_real_at(numbers, p.i);
		if (x < lo || x > hi)
			return fail_double(x, &p, lo, hi, err);
		out[p.i] = x;
	}
	return 0;
}

int
cscg_json_ints(json_t *arr, const char *where, int lo, int hi, int *out,
    struct cscg_err *err)
{
	struct json_path p = { where, 0 };
	struct cscg_json_numbers numbers;
	long n = (long)json_array_size(arr), x = 0;

	if (cscg_json_is_packed(arr, &numbers))
		return packed_ints(&numbers, p, lo, hi, out, err);
	for (p.i = 0; p.i < n; p.i++) {
		if (to_long(json_array_get(arr, (size_t)p.i), &p, lo, hi, &x,
			err) < 0)
			return -1;
		out[p.i] = (int)x;
	}
	return 0;
}

int
cscg_json_doubles(json_t *arr, const char *where, double lo, double hi,
    double *out, struct cscg_err *err)
{
	struct cscg_json_numbers numbers;
	struct json_path p = { where, 0 };
	long n = (long)json_array_size(arr);

	if (cscg_json_is_packed(arr, &numbers))
		return packed_doubles(&numbers, p, lo, hi, out, err);
	for (p.i = 0; p.i < n; p.i++)
		if (to_double(json_array_get(arr, (size_t)p.i), &p, lo, hi,
			&out[p.i], err) < 0)
			return -1;
	return 0;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, equal names are neighbours. */
static int
check_distinct(const struct cscg_names *names, const char *key,
    struct cscg_err *err)
{
	size_t n = (size_t)names->n, i;
	char **v = cscg_copy(names->v, n, sizeof *v, err);
	int rc = 0;

	if (!v)
		return names->v ? -1 : 0;
	qsort(v, n, sizeof *v, by_text);
	for (i = 1; i < n && !rc; i++)
		if (!strcmp(v[i - 1], v[i]))
			rc = cscg_fail(err, CSCG_EFORMAT,
			    "/%s: '%.64s' appears twice", key, v[i]);
	free(v);
	return rc;
}

int
cscg_json_names(json_t *obj, const char *key, int n, struct cscg_names *names,
    struct cscg_err *err)
{
	struct json_path p = { NULL, 0 };
	char where[80];
	json_t *arr, *v;

	*names = (struct cscg_names){ 0, NULL };
	if (!cscg_json_has(obj, key))
		return 0;
	if (cscg_json_array(obj, key, n, &arr, err) < 0)
		return -1;
	snprintf(where, sizeof where, "/%s", key);
	p.where = where;
	for (p.i = 0; p.i < n; p.i++) {
		v = json_array_get(arr, (size_t)p.i);
		if (!json_is_string(v)) {
			fail_type(v, "a string", &p, err);
			goto fail;
		}
		if (cscg_names_add(names, json_string_value(v), err) < 0) {
			fail_at_path(&p, err);
			goto fail;
		}
	}
	if (check_distinct(names, key, err) == 0)
		return 0;
fail:
	cscg_names_free(names);
	return -1;
}

/* bytes as text (RFC 4648, section 4) */

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";

size_t
cscg_base64_length(size_t n)
{
	return (n + 2) / 3 * 4;
}

void
cscg_base64_encode(const void *from, size_t n, char *to)
{
	const unsigned char *p = from;
	uint32_t v;

	for (; n >= 3; n -= 3, p += 3) {
		v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
		*to++ = base64_digits[v >> 18];
		*to++ = base64_digits[v >> 12 & 63];
		*to++ = base64_digits[v >> 6 & 63];
		*to++ = base64_digits[v & 63];
	}
	if (!n)
		return;
	v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0);
	*to++ = base64_digits[v >> 18];
	*to++ = base64_digits[v >> 12 & 63];
	*to++ = n > 1 ? base64_digits[v >> 6 & 63] : '=';
	*to = '=';
}

enum { INVALID = 64 }; /* not a base64 character: more than six bits */

/* Value of each character plus 1, so that 0 is INVALID. */
static const unsigned char base64_values[256] = {
	['A'] = 1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
	16,
	17,
	18,
	19,
	20,
	21,
	22,
	23,
	24,
	25,
	26,
	['a'] = 27,
	28,
	29,
	30,
	31,
	32,
	33,
	34,
	35,
	36,
	37,
	38,
	39,
	40,
	41,
	42,
	43,
	44,
	45,
	46,
	47,
	48,
	49,
	50,
	51,
	52,
	['0'] = 53,
	54,
	55,
	56,
	57,
	58,
	59,
	60,
	61,
	62,
	['+'] = 63,
	['/'] = 64,
};

/* 0..63, or a larger value for any other character. */
static uint32_t
base64_value(char c)
{
	return (uint32_t)base64_values[(unsigned char)c] - 1;
}

/* The last four characters: 1 to 3 bytes, or -1 with *fault set. */
static long
decode_last(const char *s, unsigned char *to, size_t at, size_t *fault)
{
	int pad = s[3] != '=' ? 0 : s[2] != '=' ? 1 : 2;
	uint32_t v = 0, one;
	int i;

	for (i = 0; i < 4 - pad; i++) {
		one = base64_value(s[i]);
		if (one >= INVALID) {
			*fault = at + (size_t)i;
			return -1;
		}
		v |= one << (18 - 6 * i);
	}
	/* Unused bits must be 0. */
	if ((pad == 1 && v & 0xff) || (pad == 2 && v & 0xffff)) {
		*fault = at + (size_t)(3 - pad);
		return -1;
	}
	for (i = 0; i < 3 - pad; i++)
		to[i] = (unsigned char)(v >> (16 - 8 * i));
	return 3 - pad;
}

long
cscg_base64_decode(const char *text, size_t len, void *to, size_t *fault)
{
	unsigned char *out = to;
	const char *s = text;
	size_t i, dummy;
	uint32_t a, b, c, d;
	long last;

	if (!fault)
		fault = &dummy;
	for (i = 0; i + 4 < len; i += 4, s += 4, out += 3) {
		a = base64_value(s[0]);
		b = base64_value(s[1]);
		c = base64_value(s[2]);
		d = base64_value(s[3]);
		if ((a | b | c | d) >= INVALID) {
			*fault = i +
			    (a >= INVALID        ? 0 :
				    b >= INVALID ? 1 :
				    c >= INVALID ? 2 :
						   3);
			return -1;
		}
		a = a << 18 | b << 12 | c << 6 | d;
		out[0] = (unsigned char)(a >> 16);
		out[1] = (unsigned char)(a >> 8);
		out[2] = (unsigned char)a;
	}
	if (len % 4) {
		*fault = len;
		return -1;
	}
	if (!len)
		return 0;
	last = decode_last(s, out, i, fault);
	return last < 0 ? -1 : (long)(out - (unsigned char *)to) + last;
}

/* numeric arrays in JSON, as base64 */

static void
reals_to_bytes(const double *v, size_t n, bool single, unsigned char *to)
{
	uint32_t four;
	uint64_t eight;
	size_t i;
	float f;

	for (i = 0; i < n; i++)
		if (single) {
			f = (float)v[i];
			memcpy(&four, &f, sizeof four);
			four = htole32(four);
			memcpy(to + 4 * i, &four, sizeof four);
		} else {
			memcpy(&eight, &v[i], sizeof eight);
			eight = htole64(eight);
			memcpy(to + 8 * i, &eight, sizeof eight);
		}
}

static void
reals_from_bytes(const unsigned char *from, size_t n, bool single, double *v)
{
	uint32_t four;
	uint64_t eight;
	size_t i;
	float f;

	for (i = 0; i < n; i++)
		if (single) {
			memcpy(&four, from + 4 * i, sizeof four);
			four = le32toh(four);
			memcpy(&f, &four, sizeof f);
			v[i] = (double)f;
		} else {
			memcpy(&eight, from + 8 * i, sizeof eight);
			eight = le64toh(eight);
			memcpy(&v[i], &eight, sizeof eight);
		}
}

void
cscg_json_put_reals(struct cscg_json_writer *w, const char *key,
    const double *v, size_t n, bool single)
{
	size_t size = single ? 4 : 8;
	unsigned char *raw = cscg_alloc(n, size, w->err);
	char *text = cscg_alloc(cscg_base64_length(n * size) + 1, 1, w->err);

	if (raw && text) {
		reals_to_bytes(v, n, single, raw);
		cscg_base64_encode(raw, n * size, text);
		cscg_json_put_string(w, key, text);
	} else {
		w->rc = -1;
	}
	free(raw);
	free(text);
}

int
cscg_json_reals(json_t *obj, const char *key, size_t n, bool single,
    double *out, struct cscg_err *err)
{
	json_t *v = json_object_get(obj, key);
	size_t len, fault = 0, size = single ? 4 : 8;
	unsigned char *raw;
	long got;

	if (!json_is_string(v))
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %s", key,
		    v ? "not a string" : "missing");
	len = json_string_length(v);
	if (len != cscg_base64_length(n * size))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: %zu characters, but %zu numbers of %zu bytes have "
		    "%zu",
		    key, len, n, size, cscg_base64_length(n * size));
	raw = cscg_alloc(len / 4 * 3, 1, err);
	if (!raw)
		return -1;
	got = cscg_base64_decode(json_string_value(v), len, raw, &fault);
	if (got == (long)(n * size))
		reals_from_bytes(raw, n, single, out);
	free(raw);
	if (got < 0)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: character %zu is not base64", key, fault);
	if (got != (long)(n * size))
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: %ld bytes, but %zu numbers of %zu bytes have %zu",
		    key, got, n, size, n * size);
	return 0;
}

int
cscg_json_check_reals(json_t *obj, const char *key, int n, long dim,
    struct cscg_err *err)
{
	json_t *v = json_object_get(obj, key);

	if (!json_is_string(v))
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %s", key,
		    v ? "not a string" : "missing");
	if ((double)json_string_length(v) < 4.0 * n * (double)dim)
		return cscg_fail(err, CSCG_EFORMAT,
		    "/%s: %zu characters are too few for %d %s of %ld numbers",
		    key, json_string_length(v), n, key, dim);
	return 0;
}
