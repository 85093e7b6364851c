/*
 * json_write.c - JSON values as text, and new values from arrays and names
 *
 * Numbers are written here; arrays of them are packed (json_parse.h), since
 * millions of Jansson's values and printf() would take most of the time of
 * writing a model.  Strings with characters to escape are left to Jansson.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "io/json.h"
#include "io/json_parse.h"

/*
 * Destination of text: out, or buf.  Jansson 2.14 ignores a failed write of a
 * key, so the sink records it.
 */
struct json_sink {
	struct cscg_out *out;
	char *buf;
	size_t n, cap;
	int digits; /* of reals */
	bool failed;
	struct cscg_err *err;
};

static int
json_no_memory(struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ENOMEM, "out of memory (JSON)");
}

static int
write_bytes(struct json_sink *s, const char *buf, size_t n)
{
	if (s->failed)
		return -1;
	if (s->out)
		s->failed = cscg_out_write(s->out, buf, n, s->err) < 0;
	else
		s->failed = cscg_grow(&s->buf, &s->cap, s->n + n + 1, 1,
				s->err) < 0;
	if (s->failed)
		return -1;
	if (!s->out)
		memcpy(s->buf + s->n, buf, n);
	s->n += n;
	return 0;
}

/* Jansson escapes C0 controls; DEL and C1 controls are escaped here. */
static int
write_to_sink(const char *buf, size_t n, void *data)
{
	size_t i = 0, done = 0;
	char escaped[8];
	int len;

	if (!memchr(buf, 0x7f, n) && !memchr(buf, 0xc2, n))
		return write_bytes(data, buf, n);
	/* A piece consists of whole characters. */
	for (; i < n; i += (size_t)len) {
		len = cscg_utf8_step(buf + i);
		if (!cscg_utf8_is_control(buf + i))
			continue;
		snprintf(escaped, sizeof escaped, "\\u%04x",
		    (unsigned char)buf[i + (size_t)len - 1]);
		if (write_bytes(data, buf + done, i - done) < 0 ||
		    write_bytes(data, escaped, strlen(escaped)) < 0)
			return -1;
		done = i + (size_t)len;
	}
	return write_bytes(data, buf + done, n - done);
}

/* Write v, which is not an object or array, by Jansson. */
static int
dump_by_jansson(const json_t *v, struct json_sink *s)
{
	int rc = json_dump_callback(v, write_to_sink, s,
	    JSON_COMPACT | JSON_ENCODE_ANY |
		JSON_REAL_PRECISION((size_t)s->digits));

	if (s->failed)
		return -1;
	return rc < 0 ? json_no_memory(s->err) : 0;
}

/* The same for a new value, which is freed; NULL: memory is short. */
static int
dump_new(json_t *v, struct json_sink *s)
{
	int rc = v ? dump_by_jansson(v, s) : json_no_memory(s->err);

	json_decref(v);
	return rc;
}

/* Room for the longest number and a comma. */
enum { LONGEST = CSCG_DECIMAL_REAL + 1, CHUNK = 4096 };

static char *
put_integer(char *to, int64_t v)
{
	/* The smallest one has no positive counterpart. */
	if (v < -INT64_MAX)
		return to + sprintf(to, "%lld", (long long)v);
	if (v < 0)
		*to++ = '-';
	return cscg_decimal_put(to, v < 0 ? -v : v);
}

/* Below 1e15 a whole number is exact as an integer. */
static bool
is_whole(double v)
{
	return v == floor(v) && fabs(v) < 1e15;
}

/*
 * A real by cscg_decimal_put_digits(), or NULL.  A real that is rounded to a
 * whole number is written as an integer, as it would be after reading it
 * again.
 */
static char *
put_real(char *to, double v, int digits)
{
	char *end = cscg_decimal_put_digits(to, v, digits), text[32];
	double rounded;

	/* A number with a fraction, or without rounding, is unchanged. */
	if (is_whole(v) || fabs(v) < .5 || digits >= DBL_DECIMAL_DIG ||
	    (end && memcmp(end - 2, ".0", 2) &&
		!memchr(to, 'e', (size_t)(end - to))))
		return end;
	snprintf(text, sizeof text, "%.*g", digits, v);
	rounded = strtod(text, NULL);
	return is_whole(rounded) ? put_integer(to, (int64_t)rounded) : end;
}

static int
dump_packed(const struct cscg_json_numbers *numbers, struct json_sink *s)
{
	char text[CHUNK], *at = text, *end;
	double real;
	long i;

	for (i = 0; i < numbers->n; i++) {
		if (at > text + CHUNK - 2 * LONGEST) {
			if (write_bytes(s, text, (size_t)(at - text)) < 0)
				return -1;
			at = text;
		}
		*at++ = i ? ',' : '[';
		if (i < numbers->first_real) {
			at = put_integer(at, cscg_json_integer_at(numbers, i));
			continue;
		}
		real = cscg_json_real_at(numbers, i);
		end = is_whole(real) ? put_integer(at, (int64_t)real) :
				       put_real(at, real, s->digits);
		if (!end &&
		    (write_bytes(s, text, (size_t)(at - text)) < 0 ||
			dump_new(json_real(real), s) < 0))
			return -1;
		at = end ? end : text;
	}
	if (!numbers->n)
		*at++ = '[';
	*at++ = ']';
	return write_bytes(s, text, (size_t)(at - text));
}

static int
dump_string(const char *text, struct json_sink *s)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p >= ' ' && *p < 0x7f && *p != '"' && *p != '\\')
		p++;
	if (*p)
		return dump_new(json_string_nocheck(text), s);
	return write_bytes(s, "\"", 1) < 0 ||
		write_bytes(s, text, strlen(text)) < 0 ||
		write_bytes(s, "\"", 1) < 0 ?
	    -1 :
	    0;
}

static int dump(json_t *v, struct json_sink *s);

static int
dump_array(const json_t *v, struct json_sink *s)
{
	size_t i, n = json_array_size(v);

	if (write_bytes(s, "[", 1) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if ((i && write_bytes(s, ",", 1) < 0) ||
		    dump(json_array_get(v, i), s) < 0)
			return -1;
	return write_bytes(s, "]", 1);
}

/* Keys in the order they were set. */
static int
dump_object(json_t *v, struct json_sink *s)
{
	const char *key, *before = "{";
	json_t *item;

	json_object_foreach(v, key, item)
	{
		if (write_bytes(s, before, 1) < 0 || dump_string(key, s) < 0 ||
		    write_bytes(s, ":", 1) < 0 || dump(item, s) < 0)
			return -1;
		before = ",";
	}
	return *before == '{' ? write_bytes(s, "{}", 2) :
				write_bytes(s, "}", 1);
}

static int
dump_integer(const json_t *v, struct json_sink *s)
{
	char text[LONGEST], *end = put_integer(text, json_integer_value(v));

	return write_bytes(s, text, (size_t)(end - text));
}

static int
dump_real(const json_t *v, struct json_sink *s)
{
	char text[LONGEST],
	    *end = put_real(text, json_real_value(v), s->digits);

	return end ? write_bytes(s, text, (size_t)(end - text)) :
		     dump_by_jansson(v, s);
}

/* 0, or -1 with err filled. */
static int
dump(json_t *v, struct json_sink *s)
{
	struct cscg_json_numbers numbers;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return dump_object(v, s);
	case JSON_ARRAY:
		return dump_array(v, s);
	case JSON_STRING:
		return cscg_json_is_packed(v, &numbers) ?
		    dump_packed(&numbers, s) :
		    dump_string(json_string_value(v), s);
	case JSON_INTEGER:
		return dump_integer(v, s);
	case JSON_REAL:
		return dump_real(v, s);
	default:
		return dump_by_jansson(v, s);
	}
}

int
cscg_json_write(json_t *obj, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	struct json_sink s = { .out = out, .digits = digits, .err = err };
	int rc;

	if (!obj)
		return json_no_memory(err);
	rc = dump(obj, &s);
	json_decref(obj);
	return rc < 0 ? -1 : cscg_out_write(out, "\n", 1, err);
}

char *
cscg_json_text(json_t *v, struct cscg_err *err)
{
	struct json_sink s = { .digits = 17, .err = err };

	/*
	 * An array or object has at least two bytes, and zeros follow the text.
	 */
	if (dump(v, &s) == 0)
		return s.buf;
	free(s.buf);
	return NULL;
}

/*
 * Append v (stolen) to arr.  If one of them is NULL, the other is freed, and
 * the result is NULL.
 */
static json_t *
append_item(json_t *arr, json_t *v)
{
	if (arr && json_array_append_new(arr, v) == 0)
		return arr;
	if (!arr)
		json_decref(v);
	json_decref(arr);
	return NULL;
}

/* A packed array of n items from integer or, if that is NULL, from real. */
static json_t *
new_packed(const int *integer, const double *real, long n)
{
	struct cscg_err err = { 0 };
	size_t bytes = (size_t)n * (integer ? sizeof *integer : sizeof *real);
	char *buf = cscg_alloc(CSCG_JSON_PACKED_HEAD + bytes, 1, &err);
	json_t *v;

	if (!buf)
		return NULL;
	if (n)
		memcpy(buf + CSCG_JSON_PACKED_HEAD,
		    integer ? (const void *)integer : real, bytes);
	v = integer ? cscg_json_pack_ints(buf, n) :
		      cscg_json_pack_reals(buf, n);
	free(buf);
	return v;
}

json_t *
cscg_json_new_ints(const int *v, long n, bool null_negative)
{
	json_t *arr;
	long i;

	if (!null_negative)
		return new_packed(v, NULL, n);
	arr = json_array();
	for (i = 0; i < n && arr; i++)
		arr = append_item(arr,
		    v[i] < 0 ? json_null() : json_integer(v[i]));
	return arr;
}

json_t *
cscg_json_new_doubles(const double *v, long n)
{
	long i;

	for (i = 0; i < n; i++)
		if (!isfinite(v[i]))
			return NULL;
	return new_packed(NULL, v, n);
}

json_t *
cscg_json_new_double(double v)
{
	return is_whole(v) ? json_integer((json_int_t)v) : json_real(v);
}

json_t *
cscg_json_new_names(const struct cscg_names *names)
{
	json_t *arr = json_array();
	int i;

	for (i = 0; i < names->n && arr; i++)
		arr = append_item(arr, json_string(names->v[i]));
	return arr;
}

int
cscg_json_set(json_t *obj, const char *key, json_t *value,
    struct cscg_err *err)
{
	if (json_object_set_new(obj, key, value) < 0)
		return json_no_memory(err);
	return 0;
}
