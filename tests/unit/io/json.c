/* json - values that getters accept and refuse, their messages; history */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "io/history.h"
#include "io/json.h"
#include "io/json_write.h"
#include "tap.h"

static const char *const path = "json-test";

static void
spit(const void *buf, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(buf, 1, n, f) != n || fclose(f))
		abort();
}

/* The message of reading text as one object of a file; "" if it is accepted. */
static const char *
reads(const char *text)
{
	static struct cscg_err err;
	struct cscg_in *in;
	json_t *obj = NULL;
	int rc;

	spit(text, strlen(text));
	in = cscg_in_open(path, &err);
	rc = cscg_json_read(in, &obj, &err);
	cscg_in_close(in);
	if (rc > 0)
		json_decref(obj);
	if (rc >= 0)
		return rc ? "" : "end";
	return err.code == CSCG_EFORMAT ? err.msg : "wrong code";
}

/* Input of another format is refused, and the message names the format. */
static void
guessing(void)
{
	static const struct {
		const char *text, *say;
	} is[] = {
		{ "x,a\n1,2\n", "this looks like CSV" },
		{ "\"x\",\"a\"\r\n", "this looks like CSV" },
		{ "1,2,3\n", "this looks like CSV" },
		{ "x\ta\n", "this looks like TSV" },
		{ "#t\tx\n", "this looks like a table of results" },
		{ "x;a\n", "this looks like CSV with semicolons" },
		{ "##.##\n", "this looks like a text map" },
		{ "hello\n", "this looks like text" },
		{ "\x93NUMPY\x01{}\n", "this is a .npy array" },
		{ "\x89PNG\r\n", "this is a PNG picture" },
		{ "P6\n64 64\n", "this is a PPM picture" },
		{ "P5\n64 64\n", "this is a PGM picture" },
		{ "PK\x03\x04\x14", "this is a zip archive, or .npz" },
		{ "\xfd"
		  "7zXZ",
		    "this is compressed by xz" },
		{ "\x28\xb5\x2f\xfd", "this is compressed by zstd" },
		{ "BZh91AY", "this is compressed by bzip2" },
		{ "\xef\xbb\xbf{}\n", "this begins with a byte order mark" },
		{ "<html>\n", "this looks like HTML or XML" },
		{ "\x01\x02\n", "this is binary" },
	};
	static const char *const maybe[] = { "x\n", "-1\n", "7\n",
		"note: {\"a\":1}\n", "x, {\"a\":1}\n", " [1,2\n",
		"{\"a\":1,\n", "caf\xe9\n" };
	char want[128];
	size_t i;

	for (i = 0; i < sizeof is / sizeof *is; i++) {
		const char *say = reads(is[i].text);

		snprintf(want, sizeof want, "'%s': line 1: %s", path,
		    is[i].say);
		ok(!strncmp(say, want, strlen(want)), "%s", say);
	}
	for (i = 0; i < sizeof maybe / sizeof *maybe; i++)
		ok(strstr(reads(maybe[i]), "line 1: invalid JSON: ") != NULL,
		    "not identified as another format: %s", reads(maybe[i]));
	ok(strstr(reads("\nx,a\n"), "line 2: invalid JSON: ") != NULL,
	    "only the first line is used to identify another format");
}

static void
reading(void)
{
	static const struct {
		const char *text, *say;
	} bad[] = {
		{ "{\"a\":1,\"a\":2}\n", "line 1: invalid JSON: " },
		{ "[1,2]\n", "line 1: invalid JSON: not an object" },
		{ "7\n", "line 1: invalid JSON: " },
		{ "{\"a\":1} x\n", "line 1: invalid JSON: " },
		{ "{\"a\":1}{\"b\":2}\n", "line 1: invalid JSON: " },
		{ "{\"a\":\n1}\n", "line 1: invalid JSON: " },
		{ "\n{\"a\":NaN}\n", "line 2: invalid JSON: " },
		{ "{\"a\":Infinity}\n", "line 1: invalid JSON: " },
		{ "{\"a\":1e999}\n", "line 1: invalid JSON: " },
		{ "{\"a\":9223372036854775808}\n", "line 1: invalid JSON: " },
		{ "{\"a\":\"\xff\"}\n", "line 1: invalid JSON: " },
		{ "{\"a\":\"\\u0000\"}\n", "line 1: invalid JSON: " },
		{ "{\"a\":01}\n", "line 1: invalid JSON: " },
		{ "{\"a\":1,}\n", "line 1: invalid JSON: " },
	};
	char want[128], deep[10000];
	size_t i;

	ok(!*reads("{\"a\":1}\n"), "an object is read");
	ok(!*reads(" {\"a\":1} \r\n"),
	    "an object is read with blanks around it");
	ok(!*reads("{\"a\":1}"), "an object is read without a newline");
	ok(!strcmp(reads(""), "end"), "empty input is the end");
	ok(!strcmp(reads("\n \n"), "end"), "blank lines are the end");
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *say = reads(bad[i].text);

		snprintf(want, sizeof want, "'%s': %s", path, bad[i].say);
		ok(!strncmp(say, want, strlen(want)), "refused: %s", say);
	}
	memset(deep, '[', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	ok(strstr(reads(deep), "depth") != NULL,
	    "deeply nested brackets are refused");
	ok(strstr(reads("{\"a\":\"\x01\"}\n"), "control character") != NULL,
	    "control characters in a string are refused");
}

/* A NUL byte within a line. */
static void
nul_byte(void)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in;
	json_t *obj;

	spit("{\"a\":1}\0{\"b\"\n", 13);
	in = cscg_in_open(path, &err);
	ok(cscg_json_read(in, &obj, &err) == -1 && err.code == CSCG_EFORMAT,
	    "a NUL byte within a line is refused: %s", err.msg);
	cscg_in_close(in);
}

/* The parser fails in the middle of a file whose checksum is wrong as well. */
static void
fault_wins(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(path, CSCG_OUT_GZIP, &err);
	static char gz[1 << 20];
	struct cscg_in *in;
	json_t *obj;
	FILE *f;
	size_t n, i;

	cscg_out_printf(out, &err, "{\"a\":nonsense}\n");
	for (i = 0; i < 50000; i++)
		cscg_out_printf(out, &err, "%zu", i * i * i);
	cscg_out_close(out, &err);
	in = cscg_in_open(path, &err);
	ok(cscg_json_read(in, &obj, &err) == -1 && err.code == CSCG_EFORMAT &&
		strstr(err.msg, "line 1: invalid JSON"),
	    "invalid JSON in gzip is refused");
	cscg_in_close(in);
	f = fopen(path, "r");
	n = fread(gz, 1, sizeof gz, f);
	fclose(f);
	gz[n - 6] ^= 4;
	spit(gz, n);
	in = cscg_in_open(path, &err);
	ok(n > 100000 && cscg_json_read(in, &obj, &err) == -1 &&
		err.code == CSCG_ECUT &&
		strstr(err.msg, "damaged gzip data (incorrect data check)"),
	    "the error of the stream has precedence over that of the parser");
	cscg_in_close(in);
	gz[n - 6] ^= 4;
	spit(gz, n - 1);
	in = cscg_in_open(path, &err);
	ok(cscg_json_read(in, &obj, &err) == -1 && err.code == CSCG_ECUT &&
		strstr(err.msg, "unexpected end of gzip data"),
	    "a truncated stream has precedence over the error of the parser");
	cscg_in_close(in);
}

static json_t *
obj_of(const char *text)
{
	json_error_t e;
	json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (!v)
		abort();
	return v;
}

static void
numbers(void)
{
	static const struct {
		const char *text, *say;
		int code;
	} bad[] = {
		{ "{}", "/k: missing", CSCG_EFORMAT },
		{ "{\"k\":2.5}", "/k: 2.5 is not an integer", CSCG_EFORMAT },
		{ "{\"k\":2.0}", "/k: 2.0 is not an integer", CSCG_EFORMAT },
		{ "{\"k\":1e300}", "/k: 1e+300 is not an integer",
		    CSCG_EFORMAT },
		{ "{\"k\":\"2\"}", "/k: a string is not an integer",
		    CSCG_EFORMAT },
		{ "{\"k\":null}", "/k: null is not an integer", CSCG_EFORMAT },
		{ "{\"k\":true}", "/k: true is not an integer", CSCG_EFORMAT },
		{ "{\"k\":[1]}", "/k: an array is not an integer",
		    CSCG_EFORMAT },
		{ "{\"k\":0}", "/k: 0 is outside 1..10", CSCG_ERANGE },
		{ "{\"k\":11}", "/k: 11 is outside 1..10", CSCG_ERANGE },
		{ "{\"k\":4294967297}", "/k: 4294967297 is outside 1..10",
		    CSCG_ERANGE },
	};
	struct cscg_err err = { 0 };
	json_t *obj = obj_of("{\"k\":7,\"d\":0.25,\"b\":true,\"s\":\"text\","
			     "\"n\":null,\"v\":[1,2]}");
	double d = 0;
	bool b = false;
	char *s = NULL;
	long l = 0;
	int x = 0;
	size_t i;

	ok(cscg_json_int(obj, "k", 1, 10, &x, &err) == 0 && x == 7,
	    "get an int");
	ok(cscg_json_long(obj, "k", 7, 7, &l, &err) == 0 && l == 7,
	    "get a long");
	ok(cscg_json_double(obj, "d", 0, 1, &d, &err) == 0 && d == .25 &&
		cscg_json_double(obj, "k", 0, 9, &d, &err) == 0 && d == 7,
	    "get a double, also from an integer");
	ok(cscg_json_bool(obj, "b", &b, &err) == 0 && b, "get a bool");
	ok(cscg_json_string(obj, "s", &s, &err) == 0 && !strcmp(s, "text"),
	    "get a string");
	free(s);
	ok(cscg_json_has(obj, "k") && !cscg_json_has(obj, "n") &&
		!cscg_json_has(obj, "z"),
	    "null counts as absent");
	ok(cscg_json_double(obj, "k", 0, 1, &d, &err) == -1 &&
		err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "/k: 7 is outside 0..1"),
	    "a double out of range is refused");
	ok(cscg_json_double(obj, "k", 8, INFINITY, &d, &err) == -1 &&
		!strcmp(err.msg, "/k: 7 is below 8"),
	    "a double below an open range is refused");
	ok(cscg_json_double(obj, "s", 0, 1, &d, &err) == -1 &&
		!strcmp(err.msg, "/s: a string is not a number"),
	    "a string is not a double");
	ok(cscg_json_bool(obj, "k", &b, &err) == -1 &&
		!strcmp(err.msg, "/k: an integer is not true or false"),
	    "an integer is not a bool");
	ok(cscg_json_string(obj, "k", &s, &err) == -1 &&
		!strcmp(err.msg, "/k: an integer is not a string"),
	    "an integer is not a string");
	json_decref(obj);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		obj = obj_of(bad[i].text);
		x = -5;
		ok(cscg_json_int(obj, "k", 1, 10, &x, &err) == -1 && x == -5 &&
			(int)err.code == bad[i].code &&
			!strcmp(err.msg, bad[i].say),
		    "%s", bad[i].say);
		json_decref(obj);
	}
}

static void
arrays(void)
{
	struct cscg_err err = { 0 };
	json_t *obj = obj_of(
		   "{\"x\":[3,null,5],\"i\":[3,0,5],\"p\":[0.5,2],\"o\":{},"
		   "\"big\":[1,99],\"neg\":[-1]}"),
	       *arr;
	double p[2];
	int x[3];

	ok(cscg_json_array(obj, "i", 3, &arr, &err) == 0 &&
		cscg_json_ints(arr, "/i", 0, 9, x, &err) == 0 && x[0] == 3 &&
		x[1] == 0 && x[2] == 5,
	    "an array of ints");
	cscg_json_array(obj, "x", 3, &arr, &err);
	ok(cscg_json_ints(arr, "/x", 0, 9, x, &err) == -1 &&
		!strcmp(err.msg, "/x/1: null is not an integer"),
	    "%s", err.msg);
	ok(cscg_json_array(obj, "x", 4, &arr, &err) == -1 &&
		!strcmp(err.msg, "/x: has 3 items, not 4"),
	    "%s", err.msg);
	ok(cscg_json_array(obj, "o", -1, &arr, &err) == -1 &&
		!strcmp(err.msg, "/o: an object is not an array"),
	    "%s", err.msg);
	cscg_json_array(obj, "big", -1, &arr, &err);
	ok(cscg_json_ints(arr, "/big", 0, 35, x, &err) == -1 &&
		err.code == CSCG_ERANGE &&
		!strcmp(err.msg, "/big/1: 99 is outside 0..35"),
	    "%s", err.msg);
	cscg_json_array(obj, "neg", -1, &arr, &err);
	ok(cscg_json_ints(arr, "/neg", 0, 35, x, &err) == -1,
	    "-1 is refused where null is allowed");
	cscg_json_array(obj, "p", 2, &arr, &err);
	ok(cscg_json_doubles(arr, "/p", 0, 2, p, &err) == 0 && p[0] == .5 &&
		p[1] == 2,
	    "an array of doubles");
	ok(cscg_json_doubles(arr, "/p", 0, 1, p, &err) == -1 &&
		!strcmp(err.msg, "/p/1: 2 is outside 0..1"),
	    "%s", err.msg);
	json_decref(obj);
}

static void
shape(void)
{
	static const char *const keys[] = { "format", "version", NULL };
	static const struct {
		const char *text, *say;
	} bad[] = {
		{ "{\"version\":1}", "/format: missing" },
		{ "{\"format\":3}", "/format: an integer is not a string" },
		{ "{\"format\":\"cscg-walk\",\"version\":1}",
		    "this is a cscg-walk file, not a cscg-model" },
		{ "{\"format\":\"cscg-model\"}", "/version: missing" },
		{ "{\"format\":\"cscg-model\",\"version\":0}",
		    "/version: 0 is outside 1..2147483647" },
		{ "{\"format\":\"cscg-model\",\"version\":2}",
		    "version 2 is newer than the latest supported (1)" },
	};
	struct cscg_err err = { 0 };
	json_t *obj = obj_of("{\"format\":\"cscg-model\",\"version\":1}");
	size_t i;

	ok(cscg_json_check_format(obj, "cscg-model", 1, &err) == 0 &&
		cscg_json_check_keys(obj, keys, &err) == 0,
	    "format and keys of an object");
	json_object_set_new(obj, "odd", json_null());
	ok(cscg_json_check_keys(obj, keys, &err) == -1 &&
		err.code == CSCG_EFORMAT &&
		!strcmp(err.msg, "/odd: unknown key"),
	    "unknown keys are refused");
	json_decref(obj);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		obj = obj_of(bad[i].text);
		ok(cscg_json_check_format(obj, "cscg-model", 1, &err) == -1 &&
			!strcmp(err.msg, bad[i].say),
		    "%s", bad[i].say);
		json_decref(obj);
	}
}

static void
names(void)
{
	static const struct {
		const char *text, *say;
	} bad[] = {
		{ "{\"k\":[\"a\"]}", "/k: has 1 items, not 2" },
		{ "{\"k\":[\"a\",1]}", "/k/1: an integer is not a string" },
		{ "{\"k\":[\"a\",\"a\"]}", "/k: 'a' appears twice" },
		{ "{\"k\":[\"a\",\"b\\n\"]}",
		    "/k/1: a name holds a control character" },
		{ "{\"k\":[\"a\",\"\\u009b\"]}",
		    "/k/1: a name holds a control character" },
	};
	struct cscg_err err = { 0 };
	struct cscg_names n = { 0, NULL }, m = { 0, NULL };
	json_t *obj = obj_of("{\"k\":[\"up\",\"d\xc3\xb6wn\"],\"z\":null}");
	int map[2];
	size_t i;

	ok(cscg_json_names(obj, "k", 2, &n, &err) == 0 && n.n == 2 &&
		!strcmp(n.v[1], "d\xc3\xb6wn"),
	    "names are read");
	ok(cscg_names_find(&n, "up") == 0 && cscg_names_find(&n, "no") == -1,
	    "names are found by text");
	ok(cscg_json_names(obj, "z", 2, &m, &err) == 0 && !m.n && !m.v &&
		cscg_json_names(obj, "none", 2, &m, &err) == 0 && !m.v,
	    "missing names and null are an empty list");
	ok(cscg_names_set(&m,
	       (const char *const[]){ "x", "d\xc3\xb6wn", "up", NULL },
	       &err) == 0 &&
		cscg_names_map(&n, 2, &m, 3, "action", map, &err) == 0 &&
		map[0] == 2 && map[1] == 1,
	    "names are mapped by text");
	ok(cscg_names_map(&m, 3, &n, 2, "action", (int[3]){ 0 }, &err) == -1 &&
		err.code == CSCG_EMISMATCH && strstr(err.msg, "action 'x'"),
	    "a name that the other list lacks is refused: %s", err.msg);
	ok(cscg_names_map(&n, 2, &(struct cscg_names){ 0, NULL }, 2, "action",
	       map, &err) == 0 &&
		map[0] == 0 && map[1] == 1,
	    "a list without names is mapped by number");
	ok(cscg_names_map(&n, 2, &(struct cscg_names){ 0, NULL }, 3, "action",
	       map, &err) == -1 &&
		!strcmp(err.msg, "2 actions do not fit 3"),
	    "a list without names must have the same number");
	ok(cscg_names_add(&n, "\xc3(", &err) == -1 &&
		cscg_names_add(&n, "\xed\xa0\x80", &err) == -1 &&
		cscg_names_add(&n, "\xc0\x80", &err) == -1 &&
		cscg_names_add(&n, "\xf4\x90\x80\x80", &err) == -1 &&
		cscg_names_add(&n, "\x80", &err) == -1 && n.n == 2 &&
		cscg_names_add(&n, "\xf0\x9f\x90\x9d\xe2\x82\xac", &err) == 0,
	    "names must be UTF-8");
	cscg_names_free(&n);
	cscg_names_free(&m);
	json_decref(obj);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		obj = obj_of(bad[i].text);
		ok(cscg_json_names(obj, "k", 2, &n, &err) == -1 && !n.v &&
			!strcmp(err.msg, bad[i].say),
		    "%s", bad[i].say);
		json_decref(obj);
	}
}

static void
writing(void)
{
	static const double d[] = { 1, .1, -3, 1e-7, 123456.75 };
	static const int x[] = { 4, -1, 6 };
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(path, 0, &err);
	struct cscg_json_writer w = { .out = out, .digits = 9, .err = &err },
				refused = { .digits = 9, .err = &err };
	char buf[256] = "";
	FILE *f;
	int good;

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_doubles(&w, "z", d, 5);
	cscg_json_put_ints(&w, "a", x, 3);
	cscg_json_open(&w, "o", '{');
	cscg_json_put_real(&w, "r", 2);
	cscg_json_close(&w, '}');
	cscg_json_put_string(&w, "s", "\x7f\x1b\xc2\x85\xff\xc3\xa4");
	cscg_json_close(&w, '}');
	ok(cscg_json_end(&w) == 0 && cscg_out_close(out, &err) == 0,
	    "an object with arrays is written");
	f = fopen(path, "r");
	good = fread(buf, 1, sizeof buf - 1, f) > 0;
	fclose(f);
	ok(good &&
		!strcmp(buf,
		    "{\"z\":[1,0.1,-3,1e-7,123456.75],\"a\":[4,-1,6],"
		    "\"o\":{\"r\":2.0},"
		    "\"s\":\"\\u007f\\u001b\\u0085\xef\xbf\xbd\xc3\xa4\"}\n"),
	    "output is compact and in the order of insertion");
	cscg_json_put_doubles(&refused, NULL, (double[]){ 1, NAN }, 2);
	ok(refused.rc == -1 && err.code == CSCG_ERANGE, "NaN is refused");
	cscg_json_put_int(&refused, NULL, 1);
	ok(!strcmp(refused.text, "["), "nothing is written after an error");
	free(refused.text);
	refused = (struct cscg_json_writer){ .digits = 17, .err = &err };
	cscg_json_put_double(&refused, NULL, -INFINITY);
	ok(refused.rc == -1 && err.code == CSCG_ERANGE,
	    "an infinite number is refused");
	free(refused.text);
}

/* Numbers that are rounded to nine digits are then written as when read again. */
static void
rounding(void)
{
	static const double d[] = { 670469.9995811372, 1234567890.5,
		-0.99999999999, 999999999.7, 99999999.25, 123456789.25,
		1e14 + .5, 1e15 + .5, .5, 2.0000000001, 1e-9 };
	static const char want[] =
	    "[670470,1234567890,-1,1000000000,99999999.2,123456789,"
	    "100000000000000,1e15,0.5,2,1e-9]";
	struct cscg_err err = { 0 };
	char buf[512], whole[512];
	size_t n, i;
	struct cscg_out *out = cscg_out_open(path, 0, &err);
	struct cscg_json_writer w = { .out = out, .digits = 9, .err = &err };
	FILE *f;

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_doubles(&w, "d", d, sizeof d / sizeof *d);
	for (i = 0; i < sizeof d / sizeof *d; i++) {
		snprintf(buf, sizeof buf, "k%zu", i);
		cscg_json_put_double(&w, buf, d[i]);
	}
	cscg_json_close(&w, '}');
	cscg_json_end(&w);
	cscg_out_close(out, &err);
	f = fopen(path, "r");
	n = fread(buf, 1, sizeof buf - 1, f);
	fclose(f);
	buf[n] = '\0';
	snprintf(whole, sizeof whole,
	    "{\"d\":%s,\"k0\":670470,\"k1\":1234567890,\"k2\":-1,"
	    "\"k3\":1000000000,\"k4\":99999999.2,\"k5\":123456789,"
	    "\"k6\":100000000000000,\"k7\":1e15,\"k8\":0.5,\"k9\":2,"
	    "\"k10\":1e-9}\n",
	    want);
	same_text(buf, whole, "rounded to a whole number");
}

/* The file at path is text, as Jansson writes v; v is freed. */
static bool
same_as_jansson(json_t *v, int digits, const char *text)
{
	char *want = json_dumps(v,
	    JSON_COMPACT | JSON_REAL_PRECISION((size_t)digits));
	bool same = want && !strncmp(text, want, strlen(want)) &&
	    !strcmp(text + strlen(want), "\n");

	free(want);
	json_decref(v);
	return same;
}

/* Arrays of many numbers, strings and all kinds of values. */
static void
writing_much(void)
{
	enum { N = 5000, SIZE = 1 << 20 };
	struct cscg_err err = { 0 };
	struct cscg_json_writer w = { .digits = 9, .err = &err };
	struct cscg_rng rng;
	json_t *obj, *whole = json_array(), *real = json_array(), *v;
	char *buf = calloc(1, SIZE), *values, *want, text[32];
	double d[N], rounded;
	int x[N], i;
	FILE *f;

	cscg_rng_seed(&rng, 4, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < N; i++) {
		x[i] = (int)(uint32_t)cscg_rng_next(&rng);
		d[i] = i % 7 ? x[i] * pow(10, i % 50 - 30) : x[i];
		json_array_append_new(whole, json_integer(x[i]));
		/* What is whole, or rounded to a whole number, is an integer. */
		snprintf(text, sizeof text, "%.9g", d[i]);
		rounded = d[i] == floor(d[i]) ? d[i] : atof(text);
		json_array_append_new(real,
		    rounded == floor(rounded) && fabs(rounded) < 1e15 ?
			json_integer((json_int_t)rounded) :
			json_real(d[i]));
	}
	v = json_pack("{s:[i,b,n,f,f,s],s:{},s:[],s:s,s:I}", "\"k\\\n", -3, 1,
	    0.0, 1e300, "\x01/\xc3\xa4", "o", "a", "t", "plain", "min",
	    (json_int_t)INT64_MIN);
	values = cscg_json_text(v, &err);
	want = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(17));
	same_text(values, want, "each value is written as Jansson writes it");
	free(values);
	free(want);
	json_decref(v);
	obj = json_object();
	json_object_set_new(obj, "x", whole);
	json_object_set_new(obj, "d", real);
	w.out = cscg_out_open(path, 0, &err);
	cscg_json_open(&w, NULL, '{');
	cscg_json_put_ints(&w, "x", x, N);
	cscg_json_put_doubles(&w, "d", d, N);
	cscg_json_close(&w, '}');
	ok(cscg_json_end(&w) == 0 && cscg_out_close(w.out, &err) == 0,
	    "long arrays are written");
	f = fopen(path, "r");
	ok(fread(buf, 1, SIZE - 1, f) > 0 && same_as_jansson(obj, 9, buf),
	    "each number is written as Jansson writes it");
	fclose(f);
	free(buf);
	w = (struct cscg_json_writer){ .digits = 9, .err = &err };
	cscg_json_put_ints(&w, NULL, x, 0);
	ok(w.rc == 0 && !strcmp(w.text, "[]"), "an empty array is written");
	free(w.text);
}

static void
history(void)
{
	static const char *const args[][2] = { { "steps", "300" },
		{ "policy", "cover" } };
	static const char want[] =
	    "{\"program\":\"roomwalk\",\"version\":"
	    "\"0.1.0\",\"args\":{\"steps\":\"300\",\"policy\":\"cover\"},"
	    "\"seed\":7}";
	struct cscg_history h = { 0, NULL }, g = { 0, NULL }, k = { 0, NULL };
	struct cscg_err err = { 0 };
	struct cscg_json_writer w = { .digits = 17, .err = &err };
	json_t *obj;

	ok(cscg_history_add(&h, "roomwalk", "0.1.0", args, 2, 7, &err) == 0 &&
		h.n == 1 && !strcmp(h.entry[0], want),
	    "an entry of the history");
	ok(cscg_history_add(&h, "tool", "1", NULL, 0, -1, &err) == 0 &&
		!strcmp(h.entry[1],
		    "{\"program\":\"tool\",\"version\":\"1\",\"args\":{}}"),
	    "an entry without a seed");
	cscg_json_open(&w, NULL, '{');
	cscg_history_write_json(&w, &h);
	cscg_json_close(&w, '}');
	obj = obj_of(w.text);
	ok(cscg_history_from_json(obj, &g, &err) == 0 && g.n == 2 &&
		!strcmp(g.entry[0], h.entry[0]) &&
		!strcmp(g.entry[1], h.entry[1]),
	    "a history is read back as it was written");
	cscg_history_add(&g, "learn", "1", NULL, 0, -1, &err);
	/* h is "roomwalk, tool"; k "tool, learn": tool is common. */
	cscg_history_add(&k, "tool", "1", NULL, 0, -1, &err);
	cscg_history_add(&k, "learn", "1", NULL, 0, -1, &err);
	ok(cscg_history_join(&h, &k, &err) == 0 && h.n == 3 &&
		!strcmp(h.entry[2], g.entry[2]),
	    "two histories are joined at their common entry");
	ok(cscg_history_join(&h, &g, &err) == 0 && h.n == 3,
	    "joining the same history adds nothing");
	cscg_history_free(&k);
	ok(cscg_history_copy(&k, &g, &err) == 0 && k.n == 3 &&
		k.entry[0] != g.entry[0],
	    "a history is copied");
	cscg_history_free(&g);
	free(w.text);
	json_decref(obj);
	obj = obj_of("{\"history\":[{},3]}");
	ok(cscg_history_from_json(obj, &g, &err) == -1 && g.n == 0 &&
		!strcmp(err.msg, "/history/1: not an object"),
	    "%s", err.msg);
	json_decref(obj);
	cscg_history_free(&h);
	cscg_history_free(&k);
}

/*
 * The message of a getter about /c, an array, packed or not; "" if it accepts
 * it.
 */
static const char *
gets(const char *text, const char *packed, bool is_int, double *out)
{
	static struct cscg_err err;
	int ints[8] = { 0 }, rc, i;
	json_t *obj = NULL, *arr = NULL;
	struct cscg_in *in;

	spit(text, strlen(text));
	in = cscg_in_open(path, &err);
	rc = cscg_json_read_packed(in, packed, &obj, &err);
	cscg_in_close(in);
	if (rc < 0 || cscg_json_array(obj, "c", 3, &arr, &err) < 0)
		rc = -1;
	else if (!is_int)
		rc = cscg_json_doubles(arr, "/c", 0, 100, out, &err);
	else
		rc = cscg_json_ints(arr, "/c", 0, 35, ints, &err);
	for (i = 0; i < 3 && is_int; i++)
		out[i] = ints[i];
	json_decref(obj);
	return rc < 0 ? err.msg : "";
}

static void
packed_arrays(void)
{
	static const char *const texts[] = { "{\"c\":[1,2,35]}\n",
		"{\"c\":[1,2,36]}\n", "{\"c\":[1,-2,3]}\n",
		"{\"c\":[1,2.5,3]}\n", "{\"c\":[1,2,3.0]}\n",
		"{\"c\":[0.25,2,1e2]}\n", "{\"c\":[0.5,2,101]}\n",
		"{\"c\":[1,-0.5,3]}\n", "{\"c\":[1,2]}\n",
		"{\"c\":[1,2,\"3\"]}\n", "{\"c\":[1,2,null]}\n", "{\"c\":7}\n",
		"{\"c\":\"x\"}\n", "{\"c\":[123456789012345678,2,0.5]}\n" };
	char said[200];
	size_t i;

	for (i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
		double plain[3] = { 0 }, packed[3] = { 0 };

		snprintf(said, sizeof said, "%s",
		    gets(texts[i / 2], NULL, i & 1, plain));
		ok(!strcmp(said, gets(texts[i / 2], "c", i & 1, packed)) &&
			!memcmp(plain, packed, sizeof plain),
		    "packed %s give the same result (%s)",
		    i & 1 ? "integers" : "reals", said);
	}
}

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Section 10 of RFC 4648, and texts that are not canonical. */
static void
base64_vectors(void)
{
	static const struct {
		const char *bytes, *text;
	} good[] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" } };
	static const struct {
		const char *text;
		size_t fault;
	} bad[] = { { "Zm9", 3 }, { "Z", 1 }, { "Zm9vYg", 6 }, { "Zh==", 1 },
		{ "Zm9=", 2 }, { "Zm9vYh==", 5 }, { "Zg==Zg==", 2 },
		{ "Zm9v\nYmFy", 4 }, { "Zm9vYm-y", 6 }, { "====", 0 } };
	char text[16], bytes[16];
	size_t i, n, fault;

	for (i = 0; i < sizeof good / sizeof *good; i++) {
		n = strlen(good[i].bytes);
		memset(text, 0, sizeof text);
		cscg_base64_encode(good[i].bytes, n, text);
		ok(!strcmp(text, good[i].text) &&
			cscg_base64_length(n) == strlen(text) &&
			cscg_base64_decode(text, strlen(text), bytes, NULL) ==
			    (long)n &&
			!memcmp(bytes, good[i].bytes, n),
		    "base64 of '%s'", good[i].bytes);
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		fault = 99;
		if (!ok(cscg_base64_decode(bad[i].text, strlen(bad[i].text),
			    bytes, &fault) == -1 &&
			    fault == bad[i].fault,
			"no base64: %s", bad[i].text))
			printf("# fault at %zu\n", fault);
	}
}

/*
 * Each byte value at each position of two groups: its value, or the position of
 * the error.
 */
static void
base64_characters(void)
{
	unsigned char out[6];
	char text[9];
	const char *at;
	unsigned c, v, bad = 0;
	size_t place, fault;
	long n;

	for (place = 0; place < 8; place++)
		for (c = 1; c < 256; c++) {
			/* '=' has a meaning at the end. */
			if (c == '=' && place >= 6)
				continue;
			strcpy(text, "AAAAAAAA");
			text[place] = (char)c;
			fault = 99;
			n = cscg_base64_decode(text, 8, out, &fault);
			at = strchr(letters, (int)c);
			v = (unsigned)(out[place / 4 * 3] << 16 |
			    out[place / 4 * 3 + 1] << 8 |
			    out[place / 4 * 3 + 2]);
			bad += at ? n != 6 ||
				v !=
				    (unsigned)(at - letters)
					<< (18 - 6 * (place % 4)) :
				    n != -1 || fault != place;
		}
	ok(bad == 0, "base64: every character at every position: %u bad", bad);
}

int
main(void)
{
	char dir[] = "/tmp/cscg-json.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	reading();
	base64_vectors();
	base64_characters();
	guessing();
	nul_byte();
	fault_wins();
	numbers();
	arrays();
	packed_arrays();
	shape();
	names();
	writing();
	rounding();
	writing_much();
	history();
	unlink(path);
	ok(chdir("/") == 0 && rmdir(dir) == 0, "cleaned up");
	return done();
}
