/*
 * blob.c - numbers, texts and models as bytes: the same after reading, refused after
 * each cut, with other numbers, and without memory
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dist/blob.h"
#include "fail_alloc.h"
#include "walker.h"

static struct cscg_model *model;

static int
write_read(void)
{
	struct cscg_blob b = { 0 }, outer = { 0 }, inner = { 0 };
	struct cscg_model *m = NULL;
	char *text = NULL;

	if (cscg_blob_write_string(&b, "text", &err) == 0 &&
	    cscg_blob_write_model(&b, model, &err) == 0 &&
	    cscg_blob_write_blob(&outer, &b, &err) == 0 &&
	    cscg_blob_read_blob(&outer, &inner, &err) == 0 &&
	    cscg_blob_read_string(&inner, &text, &err) == 0)
		m = cscg_blob_read_model(&inner, &err);
	if (m)
		fail_value = m->n_states + m->count[0] + text[0];
	cscg_blob_free(&b);
	cscg_blob_free(&outer);
	cscg_blob_free(&inner);
	cscg_model_free(m);
	free(text);
	return m ? 0 : -1;
}

static void
test_cuts(struct cscg_blob *b)
{
	size_t n, whole = b->n;
	long good = 0, right = 0;

	for (n = 0; n < whole; n++) {
		struct cscg_model *m;

		b->n = n;
		cscg_blob_rewind(b);
		m = cscg_blob_read_model(b, &err);
		good += m != NULL;
		right += !m && err.code == CSCG_ECUT;
		cscg_model_free(m);
	}
	b->n = whole;
	ok(good == 0 && right == (long)whole,
	    "a model is refused after each of %zu cuts", whole);
}

/* The number at a byte of the blob is another one. */
static void
test_number(struct cscg_blob *b, size_t at, int64_t v, enum cscg_code code,
    const char *text)
{
	int64_t before;
	struct cscg_model *m;

	memcpy(&before, b->p + at, sizeof before);
	memcpy(b->p + at, &v, sizeof v);
	cscg_blob_rewind(b);
	m = cscg_blob_read_model(b, &err);
	if (!ok(!m && err.code == code && strstr(err.msg, text),
		"%lld at byte %zu: %s", (long long)v, at, text))
		printf("# code %d '%s'\n", (int)err.code, err.msg);
	cscg_model_free(m);
	memcpy(b->p + at, &before, sizeof before);
}

/*
 * Four numbers, two doubles, then arrays, each after its number of items: clones (6),
 * first (25), to, count and pi.
 */
static void
test_numbers(struct cscg_blob *b)
{
	size_t clone = 48, first = clone + 8 + 6 * sizeof *model->clone;
	size_t to = first + 8 + 25 * sizeof *model->first;

	test_number(b, 0, 0, CSCG_EFORMAT, "byte 0: 0 is outside 1..");
	test_number(b, 0, INT64_MAX, CSCG_EFORMAT, "byte 0: ");
	test_number(b, 8, -1, CSCG_EFORMAT, "byte 8: -1 is outside 1..");
	test_number(b, 8, INT_MAX, CSCG_ERANGE, "/n_actions: 2147483647");
	test_number(b, 16, 0, CSCG_EFORMAT, "byte 16: 0 is outside 1..");
	test_number(b, 24, 2, CSCG_EFORMAT, "byte 24: 2 is outside 0..1");
	test_number(b, clone, 5, CSCG_EFORMAT, "byte 48: 5 items, not 6");
	test_number(b, clone, -1, CSCG_EFORMAT, "no clones");
	test_number(b, clone, -2, CSCG_EFORMAT, "byte 48: -2 is outside -1..");
	test_number(b, first, 24, CSCG_EFORMAT, "24 items, not 25");
	test_number(b, first + 8, 1, CSCG_EFORMAT, "no counts");
	test_number(b, to - 8, 23, CSCG_EFORMAT, "no counts");
	test_number(b, to, INT64_MAX, CSCG_ECUT, "unexpected end at byte");
}

static void
test_text(const char *v, size_t n, const char *name)
{
	struct cscg_blob b = { 0 };
	char *text;
	int rc;

	need(cscg_blob_write_array(&b, v, n, 1, &err) < 0 ? NULL : &b);
	rc = cscg_blob_read_string(&b, &text, &err);
	ok(rc < 0 && !text && err.code == CSCG_EFORMAT &&
		strstr(err.msg, "byte 0: not a text"),
	    "%s is not a text", name);
	cscg_blob_free(&b);
}

/* What follows a failed read can be read only after cscg_blob_rewind(). */
static void
test_sequence(void)
{
	struct cscg_blob b = { 0 }, in = { 0 };
	struct cscg_err first = { 0 }, later = { 0 };
	double real = 7;
	char *text = NULL;
	long v, n = -1, bad = 0;

	cscg_blob_write_long(&b, 9, &err);
	cscg_blob_write_double(&b, .5, &err);
	need(cscg_blob_write_string(&b, "text", &err) < 0 ? NULL : &b);
	ok(cscg_blob_read_long(&b, 3, 8, &v, &first) < 0 && v == 3 &&
		first.code == CSCG_EFORMAT,
	    "a number outside its range is refused, and is the lowest");
	bad += cscg_blob_read_double(&b, &real, &later) < 0 && real == 0;
	bad += cscg_blob_read_long(&b, 1, 9, &v, &later) < 0 && v == 1;
	bad += cscg_blob_read_string(&b, &text, &later) < 0 && !text;
	bad += cscg_blob_read_array(&b, &text, &n, 1, &later) < 0 && !text;
	bad += cscg_blob_read_blob(&b, &in, &later) < 0 && !in.p;
	bad += cscg_blob_write_long(&b, 1, &later) < 0;
	ok(bad == 6 && later.code == CSCG_OK,
	    "after it every call fails without a message: %ld of 6", bad);
	cscg_blob_rewind(&b);
	cscg_blob_read_long(&b, 0, 9, &v, &err);
	cscg_blob_read_double(&b, &real, &err);
	ok(cscg_blob_read_string(&b, &text, &err) == 0 && v == 9 &&
		real == .5 && !strcmp(text, "text") && b.at == b.n,
	    "all is read from the beginning, and nothing was added");
	free(text);
	cscg_blob_free(&b);
}

int
main(void)
{
	struct cscg_blob b = { 0 };

	model = grid_model(2, 3);
	need(cscg_blob_write_model(&b, model, &err) < 0 ? NULL : &b);
	test_cuts(&b);
	test_numbers(&b);
	test_text(NULL, 0, "no array");
	test_text("", 0, "an empty array");
	test_text("ab", 2, "an array that does not end with 0");
	test_sequence();
	fail_each("a model written and read", write_read);
	cscg_blob_free(&b);
	cscg_model_free(model);
	return done();
}
