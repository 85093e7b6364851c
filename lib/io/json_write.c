/*
 * json_write.c - JSON text, written value by value
 *
 * Numbers are formatted here, arrays of them in blocks: printf() would take
 * most of the time of writing a model.  Reals that base/decimal does not format
 * are left to Jansson.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "io/json.h"
#include "io/json_write.h"

/* Room for the longest number and a comma. */
enum { LONGEST = CSCG_DECIMAL_REAL + 1, CHUNK = 4096 };

static void
put_bytes(struct cscg_json_writer *w, const char *s, size_t n)
{
	if (w->rc < 0)
		return;
	if (w->out) {
		w->rc = cscg_out_write(w->out, s, n, w->err);
		return;
	}
	w->rc = cscg_grow(&w->text, &w->cap, w->n + n + 1, 1, w->err);
	if (w->rc < 0)
		return;
	memcpy(w->text + w->n, s, n);
	w->n += n;
	w->text[w->n] = '\0';
}

/*
 * Write the character at s (n bytes, 0: not UTF-8) into buf; returns its
 * length.
 */
static int
escape(const char *s, int n, char buf[8])
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = strchr(from, *s);

	if (n == 0)
		return snprintf(buf, 8, "\xef\xbf\xbd");
	if (at)
		return snprintf(buf, 8, "\\%c", to[at - from]);
	if (cscg_utf8_is_control(s))
		return snprintf(buf, 8, "\\u%04x", (unsigned char)s[n - 1]);
	memcpy(buf, s, (size_t)n);
	return n;
}

static void
put_quoted(struct cscg_json_writer *w, const char *s)
{
	const char *from = s;
	char buf[8];
	int n;

	put_bytes(w, "\"", 1);
	for (; *s && w->rc == 0; from = s) {
		while (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\')
			s++;
		put_bytes(w, from, (size_t)(s - from));
		if (!*s)
			break;
		n = cscg_utf8_length(s, CSCG_UTF8_MAX);
		put_bytes(w, buf, (size_t)escape(s, n, buf));
		s += n ? n : 1;
	}
	put_bytes(w, "\"", 1);
}

/* The text before a value. */
static void
begin_value(struct cscg_json_writer *w, const char *key)
{
	if (w->has_items)
		put_bytes(w, ",", 1);
	w->has_items = true;
	if (!key)
		return;
	put_quoted(w, key);
	put_bytes(w, ":", 1);
}

void
cscg_json_open(struct cscg_json_writer *w, const char *key, char bracket)
{
	begin_value(w, key);
	put_bytes(w, &bracket, 1);
	w->has_items = false;
}

void
cscg_json_close(struct cscg_json_writer *w, char bracket)
{
	put_bytes(w, &bracket, 1);
	w->has_items = true;
}

int
cscg_json_end(struct cscg_json_writer *w)
{
	put_bytes(w, "\n", 1);
	w->has_items = false;
	return w->rc;
}

void
cscg_json_put_text(struct cscg_json_writer *w, const char *key,
    const char *text)
{
	begin_value(w, key);
	put_bytes(w, text, strlen(text));
}

void
cscg_json_put_bool(struct cscg_json_writer *w, const char *key, bool v)
{
	cscg_json_put_text(w, key, v ? "true" : "false");
}

void
cscg_json_put_string(struct cscg_json_writer *w, const char *key,
    const char *s)
{
	begin_value(w, key);
	put_quoted(w, s);
}

/* ---- numbers ---- */

static char *
format_integer(char *to, int64_t v)
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

/* By Jansson; NULL with an error in w. */
static char *
format_by_jansson(struct cscg_json_writer *w, char *to, double v)
{
	json_t *real = json_real(v);
	size_t n = real ?
	    json_dumpb(real, to, LONGEST,
		JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)w->digits)) :
	    0;

	json_decref(real);
	if (n && n <= LONGEST)
		return to + n;
	w->rc = isfinite(v) ?
	    cscg_fail(w->err, CSCG_ENOMEM, "out of memory (JSON)") :
	    cscg_fail(w->err, CSCG_ERANGE, "JSON has no number %g", v);
	return NULL;
}

/*
 * A real with a point or an exponent.  A real that is rounded to a whole
 * number is written as an integer, as it would be after reading it again.
 */
static char *
format_real(struct cscg_json_writer *w, char *to, double v)
{
	char *end = cscg_decimal_put_digits(to, v, w->digits), text[32];
	double rounded;

	/* A number with a fraction, or without rounding, is unchanged. */
	if (is_whole(v) || fabs(v) < .5 || w->digits >= DBL_DECIMAL_DIG ||
	    (end && memcmp(end - 2, ".0", 2) &&
		!memchr(to, 'e', (size_t)(end - to))))
		return end ? end : format_by_jansson(w, to, v);
	snprintf(text, sizeof text, "%.*g", w->digits, v);
	rounded = strtod(text, NULL);
	if (is_whole(rounded))
		return format_integer(to, (int64_t)rounded);
	return end ? end : format_by_jansson(w, to, v);
}

static char *
format_double(struct cscg_json_writer *w, char *to, double v)
{
	return is_whole(v) ? format_integer(to, (int64_t)v) :
			     format_real(w, to, v);
}

/* The number formatted into text, up to end; NULL: after an error. */
static void
put_number(struct cscg_json_writer *w, const char *key, const char *text,
    const char *end)
{
	begin_value(w, key);
	if (end)
		put_bytes(w, text, (size_t)(end - text));
}

void
cscg_json_put_int(struct cscg_json_writer *w, const char *key, int64_t v)
{
	char text[LONGEST];

	put_number(w, key, text, format_integer(text, v));
}

void
cscg_json_put_real(struct cscg_json_writer *w, const char *key, double v)
{
	char text[LONGEST];

	put_number(w, key, text, format_real(w, text, v));
}

void
cscg_json_put_double(struct cscg_json_writer *w, const char *key, double v)
{
	char text[LONGEST];

	put_number(w, key, text, format_double(w, text, v));
}

/* An array of n integers or, if that is NULL, of reals. */
static void
put_numbers(struct cscg_json_writer *w, const char *key, const int *integer,
    const double *real, long n)
{
	char text[CHUNK], *at = text;
	long i;

	cscg_json_open(w, key, '[');
	for (i = 0; i < n && w->rc == 0; i++) {
		if (at > text + CHUNK - 2 * LONGEST) {
			put_bytes(w, text, (size_t)(at - text));
			at = text;
		}
		if (i)
			*at++ = ',';
		at = integer ? format_integer(at, integer[i]) :
		    real     ? format_double(w, at, real[i]) :
			       NULL;
		if (!at)
			return;
	}
	put_bytes(w, text, (size_t)(at - text));
	cscg_json_close(w, ']');
}

void
cscg_json_put_ints(struct cscg_json_writer *w, const char *key, const int *v,
    long n)
{
	put_numbers(w, key, v, NULL, n);
}

void
cscg_json_put_doubles(struct cscg_json_writer *w, const char *key,
    const double *v, long n)
{
	put_numbers(w, key, NULL, v, n);
}

void
cscg_json_put_names(struct cscg_json_writer *w, const char *key,
    const struct cscg_names *names)
{
	int i;

	cscg_json_open(w, key, '[');
	for (i = 0; i < names->n; i++)
		cscg_json_put_string(w, NULL, names->v[i]);
	cscg_json_close(w, ']');
}

/* ---- values of Jansson ---- */

static void
put_value(struct cscg_json_writer *w, const char *key, json_t *v)
{
	const char *name;
	json_t *item;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		cscg_json_open(w, key, '{');
		json_object_foreach(v, name, item)
		{
			put_value(w, name, item);
		}
		cscg_json_close(w, '}');
		break;
	case JSON_ARRAY:
		cscg_json_open(w, key, '[');
		json_array_foreach(v, i, item)
		{
			put_value(w, NULL, item);
		}
		cscg_json_close(w, ']');
		break;
	case JSON_STRING:
		cscg_json_put_string(w, key, json_string_value(v));
		break;
	case JSON_INTEGER:
		cscg_json_put_int(w, key, json_integer_value(v));
		break;
	case JSON_REAL:
		cscg_json_put_real(w, key, json_real_value(v));
		break;
	default:
		cscg_json_put_text(w, key,
		    json_is_null(v)     ? "null" :
			json_is_true(v) ? "true" :
					  "false");
	}
}

char *
cscg_json_text(json_t *v, struct cscg_err *err)
{
	struct cscg_json_writer w = { .digits = 17, .err = err };

	put_value(&w, NULL, v);
	if (w.rc == 0)
		return w.text;
	free(w.text);
	return NULL;
}
