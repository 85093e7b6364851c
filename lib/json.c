/*
 * json.c - Jansson over stream; getters that name the place of a fault
 *
 * One value a line and json_loadb() for each: Jansson's stream readers read
 * ahead and cannot stop at the end of a value.
 */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mem.h"

/*
 * When memory is short Jansson 2.14 drops bytes of long tokens in silence,
 * reading and writing, calls a failed string "invalid token", and may decode
 * an escaped string past the end of what it kept of it.  So we watch its
 * allocations, and leave a parse at the first that fails; what it had built is
 * lost.  This is the only static data of the library, and each thread's own.
 */
static _Thread_local bool starved;
static _Thread_local jmp_buf *way_out;

static void *
watched_malloc(size_t n)
{
	void *p = malloc(n);

	if (!p) {
		starved = true;
		if (way_out)
			longjmp(*way_out, 1);
	}
	return p;
}

static void
watch(void)
{
	json_malloc_t m;
	json_free_t f;

	json_get_alloc_funcs(&m, &f);
	if (m == malloc)	/* a program with its own allocator keeps it */
		json_set_alloc_funcs(watched_malloc, f);
	starved = false;
}

static int
no_memory(struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ENOMEM, "out of memory (JSON)");
}

int
cscg_json_at(struct cscg_in *in, struct cscg_err *err)
{
	if (err->code != CSCG_ENOMEM && cscg_in_verify(in, err) < 0)
		return -1;
	return cscg_fail_at(err, "%s: line %ld", cscg_in_name(in),
	    cscg_in_lineno(in));
}

static bool
blank(const char *s, size_t n)
{
	return strspn(s, " \t\r") == n;
}

json_t *
cscg_json_parse(const char *text, size_t len, struct cscg_err *err)
{
	json_error_t why = { 0 };
	jmp_buf here;
	json_t *v;

	watch();
	if (setjmp(here)) {
		way_out = NULL;
		no_memory(err);
		return NULL;
	}
	way_out = &here;
	v = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	way_out = NULL;
	if (starved || (!v && !why.text[0])) {
		json_decref(v);
		no_memory(err);
		return NULL;
	}
	if (!v) {
		cscg_fail(err, CSCG_EFORMAT, "invalid JSON: column %d: %s",
		    why.column, why.text);
		return NULL;
	}
	if (!json_is_object(v)) {
		json_decref(v);
		cscg_fail(err, CSCG_EFORMAT, "invalid JSON: not an object");
		return NULL;
	}
	return v;
}

int
cscg_json_read(struct cscg_in *in, json_t **obj, struct cscg_err *err)
{
	char *line;
	size_t len;
	int rc;

	do {
		rc = cscg_in_line(in, &line, &len, err);
		if (rc <= 0)
			return rc;
	} while (blank(line, len));
	*obj = cscg_json_parse(line, len, err);
	return *obj ? 1 : cscg_json_at(in, err);
}

struct sink {
	struct cscg_out *out;
	struct cscg_err *err;
};

static int
to_sink(const char *buf, size_t n, void *data)
{
	struct sink *s = data;

	return cscg_out_write(s->out, buf, n, s->err);
}

int
cscg_json_write(json_t *obj, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	struct sink s = { out, err };
	int rc;

	if (!obj)
		return no_memory(err);
	err->code = CSCG_OK;
	watch();
	rc = json_dump_callback(obj, to_sink, &s, JSON_COMPACT |
	    JSON_REAL_PRECISION((size_t)digits));
	json_decref(obj);
	if (rc < 0 || starved)
		return err->code ? -1 : no_memory(err);
	return cscg_out_write(out, "\n", 1, err);
}

char *
cscg_json_text(json_t *v, struct cscg_err *err)
{
	char *s;

	watch();
	s = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(17));
	if (s && !starved)
		return s;
	free(s);
	no_memory(err);
	return NULL;
}

int
cscg_json_only(json_t *obj, const char *const *keys, struct cscg_err *err)
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
struct place {
	const char *where;
	long i;		/* -1: where is the key itself, without its slash */
};

static int
fail_in(const struct place *p, struct cscg_err *err)
{
	if (p->i < 0)
		return cscg_fail_at(err, "/%s", p->where);
	return cscg_fail_at(err, "%s/%ld", p->where, p->i);
}

static int
fail_type(const json_t *v, const char *want, const struct place *p,
    struct cscg_err *err)
{
	cscg_fail(err, CSCG_EFORMAT, "%s is not %s", type_name(v), want);
	return fail_in(p, err);
}

static int
get(json_t *obj, const char *key, json_t **v, struct cscg_err *err)
{
	*v = json_object_get(obj, key);
	if (!*v)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: missing", key);
	return 0;
}

static int
to_long(const json_t *v, const struct place *p, long lo, long hi, long *out,
    struct cscg_err *err)
{
	char text[32];
	long x;

	if (json_is_real(v)) {
		/* 2.5, and 2.0 rather than 2 */
		snprintf(text, sizeof text, "%.9g", json_real_value(v));
		cscg_fail(err, CSCG_EFORMAT, "%s%s is not an integer", text,
		    strpbrk(text, ".e") ? "" : ".0");
		return fail_in(p, err);
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
		return fail_in(p, err);
	}
	*out = x;
	return 0;
}

static int
to_double(const json_t *v, const struct place *p, double lo, double hi,
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
		return fail_in(p, err);
	}
	*out = x;
	return 0;
}

int
cscg_json_format(json_t *obj, const char *format, int max,
    struct cscg_err *err)
{
	json_t *v;
	int version;

	if (get(obj, "format", &v, err) < 0)
		return -1;
	if (!json_is_string(v))
		return fail_type(v, "a string", &(struct place){ "format", -1 },
		    err);
	if (strcmp(json_string_value(v), format))
		return cscg_fail(err, CSCG_EFORMAT,
		    "this is a %.64s file, not a %s", json_string_value(v),
		    format);
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

	if (get(obj, key, &v, err) < 0)
		return -1;
	return to_long(v, &(struct place){ key, -1 }, lo, hi, out, err);
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

	if (get(obj, key, &v, err) < 0)
		return -1;
	return to_double(v, &(struct place){ key, -1 }, lo, hi, out, err);
}

int
cscg_json_bool(json_t *obj, const char *key, bool *out, struct cscg_err *err)
{
	json_t *v;

	if (get(obj, key, &v, err) < 0)
		return -1;
	if (!json_is_boolean(v))
		return fail_type(v, "true or false",
		    &(struct place){ key, -1 }, err);
	*out = json_is_true(v);
	return 0;
}

int
cscg_json_string(json_t *obj, const char *key, char **out,
    struct cscg_err *err)
{
	json_t *v;

	if (get(obj, key, &v, err) < 0)
		return -1;
	if (!json_is_string(v))
		return fail_type(v, "a string", &(struct place){ key, -1 },
		    err);
	*out = cscg_copy(json_string_value(v), json_string_length(v) + 1, 1,
	    err);
	return *out ? 0 : -1;
}

int
cscg_json_array(json_t *obj, const char *key, long n, json_t **out,
    struct cscg_err *err)
{
	json_t *v;

	if (get(obj, key, &v, err) < 0)
		return -1;
	if (!json_is_array(v))
		return fail_type(v, "an array", &(struct place){ key, -1 },
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
	struct place p = { where, 0 };
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
	struct place p = { where, 0 };
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
distinct(const struct cscg_names *names, const char *key, struct cscg_err *err)
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
	struct place p = { NULL, 0 };
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
			fail_in(&p, err);
			goto fail;
		}
	}
	if (distinct(names, key, err) == 0)
		return 0;
fail:
	cscg_names_free(names);
	return -1;
}

/* Append v (stolen) to arr; NULL for either frees the other. */
static json_t *
push(json_t *arr, json_t *v)
{
	if (arr && json_array_append_new(arr, v) == 0)
		return arr;
	if (!arr)
		json_decref(v);
	json_decref(arr);
	return NULL;
}

json_t *
cscg_json_new_ints(const int *v, long n, bool null_negative)
{
	json_t *arr = json_array();
	long i;

	for (i = 0; i < n && arr; i++)
		arr = push(arr, null_negative && v[i] < 0 ? json_null() :
		    json_integer(v[i]));
	return arr;
}

json_t *
cscg_json_new_doubles(const double *v, long n)
{
	json_t *arr = json_array();
	long i;

	/* Below 1e15 a whole number is exact as an integer. */
	for (i = 0; i < n && arr; i++)
		arr = push(arr, v[i] == floor(v[i]) && fabs(v[i]) < 1e15 ?
		    json_integer((json_int_t)v[i]) : json_real(v[i]));
	return arr;
}

json_t *
cscg_json_new_names(const struct cscg_names *names)
{
	json_t *arr = json_array();
	int i;

	for (i = 0; i < names->n && arr; i++)
		arr = push(arr, json_string(names->v[i]));
	return arr;
}

int
cscg_json_set(json_t *obj, const char *key, json_t *value,
    struct cscg_err *err)
{
	if (json_object_set_new(obj, key, value) < 0)
		return no_memory(err);
	return 0;
}
