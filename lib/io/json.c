/*
 * json.c - Jansson over stream: reading and writing
 *
 * One value a line and json_loadb() for each: Jansson's stream readers read
 * ahead and cannot stop at the end of a value.
 */
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/json_guess.h"

/*
 * When memory is short Jansson 2.14 drops bytes of long tokens in silence,
 * reading and writing, calls a failed string "invalid token", and may decode
 * an escaped string past the end of what it kept of it.  So we watch its
 * allocations, and leave a parse at the first that fails; what it had built is
 * lost.  This is the only static data of the library, and each thread's own.
 */
static _Thread_local bool alloc_failed;
static _Thread_local jmp_buf *parse_exit;

static void *
watched_malloc(size_t n)
{
	void *p = malloc(n);

	if (!p) {
		alloc_failed = true;
		if (parse_exit)
			longjmp(*parse_exit, 1);
	}
	return p;
}

static void
watch_allocations(void)
{
	json_malloc_t m;
	json_free_t f;

	json_get_alloc_funcs(&m, &f);
	if (m == malloc)	/* a program with its own allocator keeps it */
		json_set_alloc_funcs(watched_malloc, f);
	alloc_failed = false;
}

static int
json_no_memory(struct cscg_err *err)
{
	return cscg_fail(err, CSCG_ENOMEM, "out of memory (JSON)");
}

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

json_t *
cscg_json_parse(const char *text, size_t len, struct cscg_err *err)
{
	json_error_t why = { 0 };
	jmp_buf here;
	json_t *v;

	watch_allocations();
	if (setjmp(here)) {
		parse_exit = NULL;
		json_no_memory(err);
		return NULL;
	}
	parse_exit = &here;
	v = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	parse_exit = NULL;
	if (alloc_failed || (!v && !why.text[0])) {
		json_decref(v);
		json_no_memory(err);
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
	const char *what = NULL;
	char *line;
	size_t len;
	int rc;

	do {
		rc = cscg_in_line(in, &line, &len, err);
		if (rc <= 0)
			return rc;
	} while (is_blank(line, len));
	*obj = cscg_json_parse(line, len, err);
	if (*obj)
		return 1;
	if (err->code == CSCG_EFORMAT && cscg_in_lineno(in) == 1)
		what = cscg_sniff_json(line, len);
	if (what)
		cscg_fail(err, CSCG_EFORMAT, "%s", what);
	return cscg_json_fail_at(in, err);
}

void *
cscg_json_read_item(struct cscg_in *in, cscg_json_get_fn *get, int *rc,
    struct cscg_err *err)
{
	json_t *obj = NULL;
	void *item;

	*rc = cscg_json_read(in, &obj, err);
	if (*rc <= 0)
		return NULL;
	item = get(obj, err);
	json_decref(obj);
	if (!item)
		*rc = cscg_json_fail_at(in, err);
	return item;
}

struct json_sink {
	struct cscg_out *out;
	struct cscg_err *err;
};

static int
write_to_sink(const char *buf, size_t n, void *data)
{
	struct json_sink *s = data;

	return cscg_out_write(s->out, buf, n, s->err);
}

int
cscg_json_write(json_t *obj, int digits, struct cscg_out *out,
    struct cscg_err *err)
{
	struct json_sink s = { out, err };
	int rc;

	if (!obj)
		return json_no_memory(err);
	err->code = CSCG_OK;
	watch_allocations();
	rc = json_dump_callback(obj, write_to_sink, &s, JSON_COMPACT |
	    JSON_REAL_PRECISION((size_t)digits));
	json_decref(obj);
	if (rc < 0 || alloc_failed)
		return err->code ? -1 : json_no_memory(err);
	return cscg_out_write(out, "\n", 1, err);
}

char *
cscg_json_text(json_t *v, struct cscg_err *err)
{
	char *s;

	watch_allocations();
	s = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(17));
	if (s && !alloc_failed)
		return s;
	free(s);
	json_no_memory(err);
	return NULL;
}

/* Append v (stolen) to arr; NULL for either frees the other. */
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

json_t *
cscg_json_new_ints(const int *v, long n, bool null_negative)
{
	json_t *arr = json_array();
	long i;

	for (i = 0; i < n && arr; i++)
		arr = append_item(arr, null_negative && v[i] < 0 ? json_null() :
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
		arr = append_item(arr, v[i] == floor(v[i]) && fabs(v[i]) < 1e15 ?
		    json_integer((json_int_t)v[i]) : json_real(v[i]));
	return arr;
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
