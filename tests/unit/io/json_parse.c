/* json_parse - the same language and values as json_loadb(); messages; memory */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "io/json_parse.h"
#include "tap.h"

/* Initial texts, which are mutated. */
static const char *const seeds[] = {
	"{}",
	" {\t\"a\" : [ ] }\r ",
	"{\"a\":1,\"b\":[true,false,null]}",
	"{\"x\":[0,-0,1,-1,17,9223372036854775807,-9223372036854775808]}",
	"{\"r\":[0.5,-0.0,1e5,1E+5,1e-400,2.5e-7,123456789.123456789e-3]}",
	"{\"s\":[\"\",\"plain\",\"\\\"\\\\\\/"
	"\\b\\f\\n\\r\\t\",\"\\u00e9\\u20AC\"]}",
	"{\"s\":\"\\ud83d\\udc1d\",\"\\u0061\":1,\"b\":{\"a\":{\"a\":{}}}}",
	"{\"\xc3\xa9\":\"\xe2\x82\xac\xf0\x9f\x90\x9d\",\"long\":"
	"\"a string of more than twenty characters\"}",
	"{\"n\":12345678901234567890123456789.5,\"m\":100000000000000000000."
	"0}",
};

static const struct {
	const char *text, *say;
} bad[] = {
	{ "", "column 0: '[' or '{' expected near end of file" },
	{ "x", "column 1: '[' or '{' expected near 'x'" },
	{ "{", "column 1: string or '}' expected near end of file" },
	{ "{\"a\"}", "column 5: ':' expected near '}'" },
	{ "{\"a\":}", "column 6: unexpected token near '}'" },
	{ "{\"a\":1,}", "column 8: string or '}' expected near '}'" },
	{ "{\"a\":[1,]}", "column 9: unexpected token near ']'" },
	{ "{\"a\":[1}", "column 8: ']' expected near '}'" },
	{ "{\"a\":1", "column 6: '}' expected near end of file" },
	{ "{\"a\":1}x", "column 8: end of file expected near 'x'" },
	{ "{\"\xc3\xa9\":1,\"\xc3\xa9\":2}",
	    "column 10: duplicate object key near '\"\xc3\xa9\"'" },
	{ "{\"a\":01}", "column 6: invalid token near '0'" },
	{ "{\"a\":1.}", "column 7: invalid token near '1.'" },
	{ "{\"a\":-}", "column 6: invalid token near '-'" },
	{ "{\"a\":True}", "column 9: invalid token near 'True'" },
	{ "{\"a\":9223372036854775808}",
	    "column 24: too big integer near '9223372036854775808'" },
	{ "{\"a\":-9223372036854775809}",
	    "column 25: too big negative integer near "
	    "'-9223372036854775809'" },
	{ "{\"a\":-1e400}", "column 11: real number overflow near '-1e400'" },
	{ "{\"a\":\"b", "column 7: premature end of input near '\"b'" },
	{ "{\"a\":\"\\x\"}", "column 8: invalid escape near '\"\\x'" },
	{ "{\"a\":\"\x1f\"}", "column 6: control character 0x1f near '\"'" },
	{ "{\"a\":\"\\ud800\"}",
	    "column 13: invalid Unicode '\\uD800' near '\"\\ud800\"'" },
	{ "{\"a\":\"\\ud800\\u0041\"}",
	    "column 19: invalid Unicode '\\uD800\\u0041' near "
	    "'\"\\ud800\\u0041\"'" },
	{ "{\"a\":\"\\u0000\"}",
	    "column 13: \\u0000 is not allowed near '\"\\u0000\"'" },
	{ "{\"a\":\xff}", "column 5: unable to decode byte 0xff" },
};

static void
messages(void)
{
	struct cscg_err err = { 0 };
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!cscg_json_parse(bad[i].text, strlen(bad[i].text), &err) &&
			err.code == CSCG_EFORMAT &&
			!strncmp(err.msg, "invalid JSON: ", 14) &&
			!strcmp(err.msg + 14, bad[i].say),
		    "%s: %s", bad[i].text, err.msg);
	ok(!cscg_json_parse("[]", 2, &err) &&
		!strcmp(err.msg, "invalid JSON: not an object"),
	    "an array instead of an object is refused");
	ok(!cscg_json_parse("{\"a\":1\0}", 8, &err) &&
		err.code == CSCG_EFORMAT,
	    "a NUL byte is refused");
	ok(!cscg_json_parse("{\"a\":\"bcd\"}", 8, &err) &&
		strstr(err.msg, "premature end"),
	    "no byte after the text is read");
}

/* Change, insert, remove or repeat some bytes of text; its new length. */
static size_t
change(char *text, size_t n, size_t cap, struct cscg_rng *rng)
{
	static const char bytes[] = "{}[]:,\"\\u0123456789eE+-. \tnulltruefals"
				    "/bfr\x01\x7f\x80\xc3\xa9\xed\xa0\xff";
	int times = (int)cscg_rng_below(rng, 4) + 1;
	size_t at, m;

	while (times-- > 0) {
		at = (size_t)cscg_rng_below(rng, (long)n + 1);
		switch (cscg_rng_below(rng, 4)) {
		case 0:
			if (at < n)
				text[at] = bytes[cscg_rng_below(rng,
				    sizeof bytes - 1)];
			break;
		case 1:
			memmove(text + at + 1, text + at, n - at);
			text[at] =
			    bytes[cscg_rng_below(rng, sizeof bytes - 1)];
			n++;
			break;
		case 2:
			m = (size_t)cscg_rng_below(rng, (long)(n - at) + 1);
			m = m > 3 ? 3 : m;
			memmove(text + at, text + at + m, n - at - m);
			n -= m;
			break;
		default:
			m = (size_t)cscg_rng_below(rng, (long)(n - at) + 1);
			if (n + m > cap - 8)
				break;
			memmove(text + at + m, text + at, n - at);
			n += m;
		}
	}
	return n;
}

/* Does Jansson parse text with the same result? *good: it is an object. */
static bool
agrees(const char *text, size_t n, bool *good)
{
	struct cscg_err err = { 0 };
	json_t *v = cscg_json_parse(text, n, &err),
	       *want = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	bool same;

	*good = v != NULL;
	if (json_is_object(want))
		same = v && json_equal(v, want);
	else
		same = !v && err.code == CSCG_EFORMAT;
	if (!same)
		printf("# %.*s: %s\n", (int)n, text, err.msg);
	json_decref(v);
	json_decref(want);
	return same;
}

static void
as_jansson(void)
{
	struct cscg_rng rng;
	char text[1024];
	long good = 0, differ = 0, i;
	size_t n;
	bool is;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 200000; i++) {
		const char *s =
		    seeds[cscg_rng_below(&rng, sizeof seeds / sizeof *seeds)];

		n = strlen(s);
		memcpy(text, s, n);
		n = change(text, n, sizeof text, &rng);
		differ += !agrees(text, n, &is);
		good += is;
	}
	ok(!differ,
	    "of 200000 texts %ld are JSON, and Jansson disagrees on %ld", good,
	    differ);
	ok(good > 20000 && good < 180000,
	    "between 10 and 90 %% of the texts are accepted");
}

/* Does the packed array have the values of the plain one? */
static bool
same_numbers(const struct cscg_json_numbers *got, json_t *plain)
{
	long n = (long)json_array_size(plain), first_real = n, i;
	bool same = json_is_array(plain) && got->n == n && n > 0;

	for (i = n - 1; i >= 0; i--)
		if (json_is_real(json_array_get(plain, (size_t)i)))
			first_real = i;
	same = same && got->first_real == first_real;
	for (i = 0; same && i < n; i++) {
		json_t *v = json_array_get(plain, (size_t)i);
		json_int_t integer = json_integer_value(v);
		double real = json_number_value(v);

		same = json_is_number(v) &&
		    (i < first_real ?
			    cscg_json_integer_at(got, i) == integer :
			    !memcmp(got->items + 8 * i, &real, sizeof real));
	}
	return same;
}

/*
 * Is v equal to plain, except that arrays are packed? Counts the packed arrays.
 */
static bool
same_but_packed(json_t *v, json_t *plain, long *n_packed)
{
	struct cscg_json_numbers numbers;
	bool same = json_object_size(v) == json_object_size(plain) &&
	    json_array_size(v) == json_array_size(plain);
	const char *key;
	json_t *item;
	size_t i;

	if (cscg_json_is_packed(v, &numbers)) {
		++*n_packed;
		return same_numbers(&numbers, plain);
	}
	if (!json_is_object(v) && !json_is_array(v))
		return json_equal(v, plain);
	json_object_foreach(v, key, item)
	{
		same = same &&
		    same_but_packed(item, json_object_get(plain, key),
			n_packed);
	}
	json_array_foreach(v, i, item)
	{
		same = same &&
		    same_but_packed(item, json_array_get(plain, i), n_packed);
	}
	return same;
}

/* The same values and the same errors, with and without packing. */
static void
packed(void)
{
	static const char *const texts[] = {
		"{\"a\":[1,2],\"c\":[{\"from\":[0,1,22],\"count\":[0.5,2,1e-7]"
		"}]}",
		"{\"c\" : [ 17 , -3,0 ,\t-0, 123456789012345678 ] }",
		"{\"c\":[9223372036854775807,1],\"d\":[1234567890123456789]}",
		"{\"c\":{\"c\":[],\"e\":[[1],[2.25,-0.0],[1e400]]},\"f\":[7]}",
		"{\"c\":[8.14586292e-6,0.340891033,1.5e22,1e23,2.5E+3,3]}",
	};
	struct cscg_err err, other;
	struct cscg_rng rng;
	char text[1024];
	long good = 0, differ = 0, n_packed = 0, i;
	json_t *v, *plain;
	size_t n;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 1);
	for (i = 0; i < 200000; i++) {
		const char *s =
		    texts[cscg_rng_below(&rng, sizeof texts / sizeof *texts)];

		n = strlen(s);
		memcpy(text, s, n);
		if (i >= 10)
			n = change(text, n, sizeof text, &rng);
		text[n] = '\0';
		err = other = (struct cscg_err){ 0 };
		v = cscg_json_parse_packed(text, n, "c", &err);
		plain = cscg_json_parse(text, n, &other);
		if (!v || !plain ? v || plain || strcmp(err.msg, other.msg) :
				   !same_but_packed(v, plain, &n_packed)) {
			printf("# %s: %s, %s\n", text, err.msg, other.msg);
			differ++;
		}
		good += v != NULL;
		json_decref(v);
		json_decref(plain);
	}
	ok(!differ && good > 10000 && good < 180000,
	    "of 200000 texts %ld are JSON, and packing changes %ld", good,
	    differ);
	ok(n_packed > 10000, "%ld arrays were packed", n_packed);
	v = cscg_json_parse_packed("{\"b\":[1],\"c\":[1],\"d\":[1]}", 25, "c",
	    &err);
	ok(json_is_array(json_object_get(v, "b")) &&
		json_is_string(json_object_get(v, "c")) &&
		json_is_array(json_object_get(v, "d")),
	    "only the array of the given key is packed");
	json_decref(v);
}

static void
nesting(void)
{
	static char text[5000];
	struct cscg_err err = { 0 };
	bool is, same;
	int levels;

	for (levels = 2046; levels < 2050; levels++) {
		memcpy(text, "{\"a\":", 5);
		memset(text + 5, '[', (size_t)levels);
		memset(text + 5 + levels, ']', (size_t)levels);
		text[5 + 2 * levels] = '}';
		same = agrees(text, (size_t)levels * 2 + 6, &is);
		ok(same && is == (levels < 2048), "%d levels are %s",
		    levels + 1, is ? "read" : "refused");
	}
	memset(text, '[', sizeof text);
	ok(!cscg_json_parse(text, sizeof text, &err) &&
		strstr(err.msg, "maximum parsing depth reached"),
	    "5000 open brackets are refused");
}

/* allocations that fail */

static long calls, fail_at, held;

static void *
count_malloc(size_t n)
{
	if (++calls == fail_at)
		return NULL;
	held++;
	return malloc(n);
}

static void
count_free(void *p)
{
	held -= p != NULL;
	free(p);
}

/* This program sets Jansson's allocator; the library never does. */
static void
no_memory(void)
{
	struct cscg_err err = { 0 };
	long n_failed = 0, n_bad = 0;
	json_malloc_t m;
	json_free_t f;
	json_t *v;
	char *text;
	size_t i;

	json_set_alloc_funcs(count_malloc, count_free);
	for (i = 0; i < sizeof seeds / sizeof *seeds; i++) {
		fail_at = 0;
		do {
			fail_at++;
			calls = 0;
			v = cscg_json_parse(seeds[i], strlen(seeds[i]), &err);
			n_failed += !v;
			n_bad += !v &&
			    (err.code != CSCG_ENOMEM || calls != fail_at);
			json_decref(v);
			n_bad += held != 0;
		} while (calls >= fail_at);
	}
	ok(!n_bad && n_failed > 50,
	    "%ld allocations of Jansson fail: each is CSCG_ENOMEM, and "
	    "nothing leaks",
	    n_failed);
	json_get_alloc_funcs(&m, &f);
	ok(m == count_malloc && f == count_free,
	    "the library keeps the program's allocator");
	json_set_alloc_funcs(malloc, free);
	v = cscg_json_parse("{\"a\":\"b\"}", 9, &err);
	text = v ? json_dumps(v, JSON_COMPACT) : NULL;
	ok(text && !strcmp(text, "{\"a\":\"b\"}"),
	    "text is parsed again with malloc()");
	free(text);
	json_decref(v);
}

int
main(void)
{
	messages();
	as_jansson();
	packed();
	nesting();
	no_memory();
	return done();
}
