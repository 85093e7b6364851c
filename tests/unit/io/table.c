/* table: TSV and JSON Lines, and values that must be escaped or refused */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/table.h"
#include "tap.h"

static char path[] = "/tmp/cscg-table.XXXXXX";

static const struct cscg_col cols[] = {
	{ "n", CSCG_COL_LONG, 0 },
	{ "x", CSCG_COL_DOUBLE, 3 },
	{ "y \"q\"", CSCG_COL_DOUBLE, 17 },
	{ "s", CSCG_COL_STRING, 0 },
	{ "b", CSCG_COL_BOOL, 0 },
};

/* The contents of a file to which one row (or pairs) was written. */
static const char *
written(const union cscg_cell *cells, bool json, bool pairs)
{
	static char text[4096];
	static struct cscg_err err;
	struct cscg_out *out = cscg_out_open(path, 0, &err);
	struct cscg_table t;
	FILE *f;
	size_t n = 0;

	text[0] = '\0';
	if (!out)
		return err.msg;
	if (pairs ? cscg_table_write_pairs(&(struct cscg_table){ out,
					       CSCG_COLS(cols), json },
			false, cells, &err) < 0 :
		    cscg_table_init(&t, out, cols, 5, json, &err) < 0 ||
		    cscg_table_write_row(&t, cells, &err) < 0) {
		cscg_out_abort(out);
		return err.msg;
	}
	if (cscg_out_close(out, &err) < 0)
		return err.msg;
	f = fopen(path, "r");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

static void
plain_cells(void)
{
	const union cscg_cell row[] = { { .l = -7 }, { .d = 3.14159 },
		{ .d = 0.1 }, { .s = "up" }, { .l = 1 } };

	same_text(written(row, false, false),
	    "#n\tx\ty \"q\"\ts\tb\n"
	    "-7\t3.14\t0.10000000000000001\tup\tyes\n",
	    "a row as TSV");
	same_text(written(row, true, false),
	    "{\"n\":-7,\"x\":3.14,\"y \\\"q\\\"\":"
	    "0.10000000000000001,\"s\":\"up\",\"b\":true}\n",
	    "a row as JSON");
	same_text(written(row, false, true),
	    "#key\tvalue\nn\t-7\nx\t3.14\n"
	    "y \"q\"\t0.10000000000000001\ns\tup\nb\tyes\n",
	    "pairs as TSV");
	same_text(written(row, true, true),
	    "{\"n\":-7,\"x\":3.14,\"y \\\"q\\\"\":"
	    "0.10000000000000001,\"s\":\"up\",\"b\":true}\n",
	    "pairs as JSON are a row");
}

static void
unknown_cells(void)
{
	const union cscg_cell row[] = { { .l = CSCG_CELL_NONE }, { .d = NAN },
		{ .d = -INFINITY }, { .s = NULL }, { .l = CSCG_CELL_NONE } };

	same_text(written(row, false, false),
	    "#n\tx\ty \"q\"\ts\tb\n"
	    "-\t-\t-inf\t-\t-\n",
	    "TSV: unknown is -, infinite is inf");
	same_text(written(row, true, false),
	    "{\"n\":null,\"x\":null,\"y \\\"q\\\"\":"
	    "\"-inf\",\"s\":null,\"b\":null}\n",
	    "JSON: unknown is null, infinite is a string");
}

static void
odd_cells(void)
{
	union cscg_cell row[] = { { .l = 0 }, { .d = -0.0 }, { .d = INFINITY },
		{ .s = "a\tb\nc\\d\"e\r" }, { .l = 0 } };

	same_text(written(row, false, false),
	    "#n\tx\ty \"q\"\ts\tb\n"
	    "0\t0\tinf\ta\\tb\\nc\\\\d\"e\\r\tno\n",
	    "TSV: tabs and newlines do not break a row; no minus zero");
	same_text(written(row, true, false),
	    "{\"n\":0,\"x\":0,\"y \\\"q\\\"\":"
	    "\"inf\",\"s\":\"a\\tb\\nc\\\\d\\\"e\\r\",\"b\":false}\n",
	    "JSON: characters are escaped");
	row[3].s = "\x01\x1f\x7f\xc2\x80\xc2\x9f\xc2\xa0";
	ok(strstr(written(row, true, false),
	       "\"\\u0001\\u001f\\u007f\\u0080\\u009f\xc2\xa0\"") != NULL,
	    "JSON: control characters are escaped");
	ok(strstr(written(row, false, false), "\t?????\xc2\xa0\t") != NULL,
	    "TSV: control characters become '?'");
	row[3].s = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80";
	ok(strstr(written(row, true, false), row[3].s) != NULL,
	    "JSON: UTF-8 of two, three and four bytes is kept");
	/* A lone byte, an overlong slash, a surrogate, past U+10FFFF, a cut
	 * character at the end: one U+FFFD a byte. */
	row[3].s = "\xff|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82";
	ok(strstr(written(row, true, false),
	       "\"\xef\xbf\xbd|"
	       "\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
	       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
	       "\xef\xbf\xbd\xef\xbf\xbd\"") != NULL,
	    "JSON: bytes that are not UTF-8 are replaced");
}

static void
full(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open("/dev/full", 0, &err);
	struct cscg_table t;
	const union cscg_cell row[] = { { .l = 1 }, { .d = 1 }, { .d = 1 },
		{ .s = "s" }, { .l = 1 } };
	int i, rc;

	if (!out) {
		ok(0, "/dev/full: %s", err.msg);
		return;
	}
	rc = cscg_table_init(&t, out, cols, 5, true, &err);
	for (i = 0; rc == 0 && i < 100000; i++)
		rc = cscg_table_write_row(&t, row, &err);
	ok(rc < 0 && err.code == CSCG_EIO, "a full disk is an error");
	cscg_out_abort(out);
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	plain_cells();
	unknown_cells();
	odd_cells();
	full();
	unlink(path);
	return done();
}
