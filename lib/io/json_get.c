/* json_get.c - getters that name the place of a fault */
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/json_guess.h"
#include "base/mem.h"

int
cscg_json_check_keys(json_t *obj, const char *const *keys, struct cscg_err *err)
{
	const char *key;
	json_t *value;
	int i;

	json_object_foreach(obj, key, value) {
		for (i = 0; keys[i] && strcmp(keys[i], key); i++)
			;
		if (!keys[i])
			return cscg_fail(err, CSCG_EFORMAT,
			    "/%.64s: unknown key", key);
	}
	return 0;
}

/* "a string" and so on, for messages. */
static const char *
type_name(const json_t *v)
{
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

/* Where a value stands: a key of an object, or an item of an array. */
struct json_path {
	const char *where;
	long i;		/* -1: where is the key itself, without its slash */
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

static int
to_long(const json_t *v, const struct json_path *p, long lo, long hi, long *out,
    struct cscg_err *err)
{
	char text[32];
	long x;

	if (json_is_real(v)) {
		/* 2.5, and 2.0 rather than 2 */
		snprintf(text, sizeof text, "%.9g", json_real_value(v));
		cscg_fail(err, CSCG_EFORMAT, "%s%s is not an integer", text,
		    strpbrk(text, ".e") ? "" : ".0");
		return fail_at_path(p, err);
	}
	if (!json_is_integer(v))
		return fail_type(v, "an integer", p, err);
	x = (long)json_integer_value(v);
	if (x < lo || x > hi) {
		if (hi == LONG_MAX)
			cscg_fail(err, CSCG_ERANGE, "%ld is below %ld", x, lo);
		else
			cscg_fail(err, CSCG_ERANGE, "%ld is outside %ld..%ld",
			    x, lo, hi);
		return fail_at_path(p, err);
	}
	*out = x;
	return 0;
}

static int
to_double(const json_t *v, const struct json_path *p, double lo, double hi,
    double *out, struct cscg_err *err)
{
	double x;

	if (!json_is_number(v))
		return fail_type(v, "a number", p, err);
	x = json_number_value(v);
	if (x < lo || x > hi) {
		if (hi >= DBL_MAX)
			cscg_fail(err, CSCG_ERANGE, "%.9g is below %.9g", x,
			    lo);
		else
			cscg_fail(err, CSCG_ERANGE, "%.9g is outside "
			    "%.9g..%.9g", x, lo, hi);
		return fail_at_path(p, err);
	}
	*out = x;
	return 0;
}

int
cscg_json_check_format(json_t *obj, const char *format, int max,
    struct cscg_err *err)
{
	json_t *v;
	int version;

	if (get_member(obj, "format", &v, err) < 0)
		return -1;
	if (!json_is_string(v))
		return fail_type(v, "a string", &(struct json_path){ "format", -1 },
		    err);
	if (strcmp(json_string_value(v), format))
		return cscg_fail(err, CSCG_EFORMAT,
		    "this is a %.64s file, not a %s%s", json_string_value(v),
		    format, cscg_sniff_hint(json_string_value(v),
		    format));
	if (cscg_json_int(obj, "version", 1, INT_MAX, &version, err) < 0)
		return -1;
	if (version > max)
		return cscg_fail(err, CSCG_EFORMAT, "version %d is newer than "
		    "this program knows (%d)", version, max);
	return 0;
}

bool
cscg_json_has(json_t *obj, const char *key)
{
	json_t *v = json_object_get(obj, key);

	return v && !json_is_null(v);
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
	long x;

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
	if (!json_is_boolean(v))
		return fail_type(v, "true or false",
		    &(struct json_path){ key, -1 }, err);
	*out = json_is_true(v);
	return 0;
}

int
cscg_json_string(json_t *obj, const char *key, char **out,
    struct cscg_err *err)
{
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	if (!json_is_string(v))
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
	if (!json_is_string(v))
		return fail_type(v, "a string", &(struct json_path){ key, -1 },
		    err);
	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], json_string_value(v)))
			return i;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n,
			    "%s%s", i ? ", " : "", words[i]);
	}
	return cscg_fail(err, CSCG_EFORMAT, "/%s: '%.64s' is none of %s", key,
	    json_string_value(v), list);
}

int
cscg_json_array(json_t *obj, const char *key, long n, json_t **out,
    struct cscg_err *err)
{
	json_t *v;

	if (get_member(obj, key, &v, err) < 0)
		return -1;
	if (!json_is_array(v))
		return fail_type(v, "an array", &(struct json_path){ key, -1 },
		    err);
	if (n >= 0 && json_array_size(v) != (size_t)n)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: has %zu items, not "
		    "%ld", key, json_array_size(v), n);
	*out = v;
	return 0;
}

int
cscg_json_ints(json_t *arr, const char *where, int lo, int hi, bool null_ok,
    int *out, struct cscg_err *err)
{
	struct json_path p = { where, 0 };
	long n = (long)json_array_size(arr), x = -1;
	json_t *v;

	for (p.i = 0; p.i < n; p.i++) {
		v = json_array_get(arr, (size_t)p.i);
		if (null_ok && json_is_null(v))
			x = -1;
		else if (to_long(v, &p, lo, hi, &x, err) < 0)
			return -1;
		out[p.i] = (int)x;
	}
	return 0;
}

int
cscg_json_doubles(json_t *arr, const char *where, double lo, double hi,
    double *out, struct cscg_err *err)
{
	struct json_path p = { where, 0 };
	long n = (long)json_array_size(arr);

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
check_distinct(const struct cscg_names *names, const char *key, struct cscg_err *err)
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
