/* CSV after RFC 4180: fields that are parsed, written and refused. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/csv.h"
#include "io/sniff.h"
#include "base/names.h"
#include "base/rng.h"
#include "tap.h"

static char dir[] = "/tmp/cscg-csv.XXXXXX", file[64];

static void
put(const char *text, size_t n)
{
	FILE *f = fopen(file, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		perror(file);
}

typedef int next_fn(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err);

/*
 * All records as "[a|b][c]" into buf, or the message of the fault without the
 * name of the file; returns its code.  The first is read by first.
 */
static enum cscg_code
take_apart_by(next_fn *first, char sep, char *buf, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = cscg_in_open(file, &err);
	struct cscg_csv *csv = cscg_csv_new(in, sep, &err);
	char **field;
	size_t k = 0;
	int i, n, rc;

	buf[0] = '\0';
	for (rc = first(csv, &field, &n, &err); rc > 0;
	     rc = cscg_csv_next(csv, &field, &n, &err))
		for (i = 0; i < n; i++)
			k += (size_t)snprintf(buf + k, size - k, "%s%s%s",
			    i ? "|" : "[", field[i], i == n - 1 ? "]" : "");
	if (rc < 0)
		snprintf(buf, size, "%s", err.msg + strlen(file) + 4);
	cscg_csv_free(csv);
	cscg_in_close(in);
	return err.code;
}

static enum cscg_code
take_apart(char sep, char *buf, size_t size)
{
	return take_apart_by(cscg_csv_next, sep, buf, size);
}

static const struct {
	const char *text, *want;
	enum cscg_code code;
	char sep;
} cases[] = {
	{ "", "", CSCG_OK, ',' },
	{ "a,b\n1,2\n", "[a|b][1|2]", CSCG_OK, ',' },
	{ "a,b\n1,2", "[a|b][1|2]", CSCG_OK, ',' },
	{ "a,b\r\n1,2\r\n", "[a|b][1|2]", CSCG_OK, ',' },
	{ "\xef\xbb\xbf"
	  "a\n",
	    "[a]", CSCG_OK, ',' },
	{ "\n,\n", "[][|]", CSCG_OK, ',' },
	{ "a\tb,c\n", "[a|b,c]", CSCG_OK, '\t' },
	{ "\"a,b\",\"\"\n", "[a,b|]", CSCG_OK, ',' },
	{ "\"say \"\"hi\"\"\"\n", "[say \"hi\"]", CSCG_OK, ',' },
	{ "\"two\nlines\",x\r\n3,4\n", "[two\nlines|x][3|4]", CSCG_OK, ',' },
	{ "\"a\r\nb\"\n", "[a\r\nb]", CSCG_OK, ',' },
	{ "\"a\"\r\n", "[a]", CSCG_OK, ',' },
	{ " a,b\t, c d \n,  ,\n", "[a|b|c d][||]", CSCG_OK, ',' },
	{ "a \r\n b\r\n", "[a][b]", CSCG_OK, ',' },
	{ "\" a \", \"b\" ,\t\"c,\"\r\n", "[ a |b|c,]", CSCG_OK, ',' },
	{ " a\t b \t\"\tc\"\n", "[a|b|\tc]", CSCG_OK, '\t' },
	{ "a  b\n", "[a||b]", CSCG_OK, ' ' },
	{ "'=a,''=a,'b,'-5,\"'@x\",','', '+a\n", "[=a|'=a|'b|-5|@x|'|''|+a]",
	    CSCG_OK, ',' },
	{ "\"'\ta\",\"'\r\"\n", "[\ta|\r]", CSCG_OK, ',' },
	{ "\"a\" b,c\n", "line 1: field 1: text behind the closing quote",
	    CSCG_EFORMAT, ',' },
	{ "a\nb\"c\n", "line 2: field 1: a quote inside a plain field",
	    CSCG_EFORMAT, ',' },
	{ "a,\"b\"c\n", "line 1: field 2: text behind the closing quote",
	    CSCG_EFORMAT, ',' },
	{ "PK\3\4\n",
	    "line 1: this is a zip archive, such as .xlsx and .ods; save the "
	    "sheet as CSV",
	    CSCG_EFORMAT, ',' },
	{ "a\nPK\3\4\n", "[a][PK\3\4]", CSCG_OK, ',' },
	{ "\xef\xbb\xbfPK\3\4\n",
	    "line 1: this is a zip archive, such as .xlsx and .ods; save the "
	    "sheet as CSV",
	    CSCG_EFORMAT, ',' },
	{ "a\rb\n", "line 1: field 1: a carriage return inside a line",
	    CSCG_EFORMAT, ',' },
	{ "a\nb,\"c\nd\n",
	    "unexpected end inside the quotes that field 2 of line 2 begins "
	    "with",
	    CSCG_ECUT, ',' },
};

static void
test_reader(void)
{
	char buf[256];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum cscg_code code;

		put(cases[i].text, strlen(cases[i].text));
		code = take_apart(cases[i].sep, buf, sizeof buf);
		if (!ok(code == cases[i].code && !strcmp(buf, cases[i].want),
			"record %zu", i))
			printf("# %d %s\n", code, buf);
	}
	put("a,b\nc,\0\n", 8);
	ok(take_apart(',', buf, sizeof buf) == CSCG_EFORMAT &&
		!strcmp(buf, "line 2: a NUL byte"),
	    "a NUL byte is refused");
}

/* The line of column names may begin with '#', which may also be a name. */
static void
test_head(void)
{
	static const struct {
		const char *text;
		char sep;
		const char *want; /* the names, and the next record */
	} of[] = {
		{ "x,a\n1,2\n", ',', "[x|a][1|2]" },
		{ "#x,a\n1,2\n", ',', "[x|a][1|2]" },
		{ "\xef\xbb\xbf # \tx,a\n1,2\n", ',', "[x|a][1|2]" },
		{ "# \"x\",a\n1,2\n", ',', "[x|a][1|2]" },
		{ "# x a\n1 2\n", ' ', "[x|a][1|2]" },
		{ "#  x a\n1 2", ' ', "[x|a][1|2]" },
		{ "#\tx\ta\n1\t2\n", '\t', "[x|a][1|2]" },
		{ "#\tx\ta\n0\t1\t2\n", '\t', "[#|x|a][0|1|2]" },
		{ "#,x,a\n0,\"1,1\",2\n", ',', "[#|x|a][0|1,1|2]" },
		{ "#,x,a\n", ',', "[#|x|a]" },
		{ "#,x,a\n1\n", ',', "[#|x|a][1]" },
		{ "#\n1\n", ',', "[#][1]" },
		{ "# #x,a\n#1,2\n", ',', "[#x|a][#1|2]" },
	};
	char buf[256];
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++) {
		put(of[i].text, strlen(of[i].text));
		take_apart_by(cscg_csv_head, of[i].sep, buf, sizeof buf);
		if (!ok(!strcmp(buf, of[i].want), "head %zu", i))
			printf("# %s\n", buf);
	}
}

/* Text as gzip that lacks its last byte. */
static void
put_cut(const char *text)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(file, CSCG_OUT_GZIP, &err);
	struct stat st;

	cscg_out_write(out, text, strlen(text), &err);
	cscg_out_close(out, &err);
	if (stat(file, &st) < 0 || truncate(file, st.st_size - 1) < 0)
		perror(file);
}

/* A truncated stream is reported, whatever other error there is. */
static void
test_cut(void)
{
	char buf[256];

	put_cut("a\nb\"c\nd\n");
	take_apart(',', buf, sizeof buf);
	same_text(buf, "unexpected end of gzip data",
	    "a truncated stream is reported after a CSV error");
	put_cut("#,x,a\n");
	take_apart_by(cscg_csv_head, ',', buf, sizeof buf);
	same_text(buf, "unexpected end of gzip data",
	    "a truncated stream is reported after an error in the header");
	put_cut("x,a\n");
	take_apart_by(cscg_csv_head, ',', buf, sizeof buf);
	same_text(buf, "unexpected end of gzip data",
	    "a truncated stream is reported after a valid header");
}

/*
 * An error message has the line of the error; a record has the line on which it
 * begins.
 */
static void
test_lines(void)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in;
	struct cscg_csv *csv;
	char **field;
	long line[3];
	int i, n;

	put("a\n\"b\nb\"\nc\n", 10);
	in = cscg_in_open(file, &err);
	csv = cscg_csv_new(in, ',', &err);
	for (i = 0; i < 3; i++) {
		cscg_csv_next(csv, &field, &n, &err);
		line[i] = cscg_csv_line(csv);
	}
	ok(line[0] == 1 && line[1] == 2 && line[2] == 4,
	    "a record has the line on which it begins");
	cscg_csv_free(csv);
	cscg_in_close(in);
}

/* The result of the last of `rows` calls of cscg_csv_row() with two fields. */
static int
last_row(const char *text, int rows, struct cscg_err *err)
{
	struct cscg_in *in;
	struct cscg_csv *csv;
	char **field;
	int rc = 0;

	put(text, strlen(text));
	in = cscg_in_open(file, err);
	csv = cscg_csv_new(in, ',', err);
	while (rows-- > 0)
		rc = cscg_csv_row(csv, 2, &field, err);
	cscg_csv_free(csv);
	cscg_in_close(in);
	return rc;
}

static void
test_rows(void)
{
	struct cscg_err err = { 0 };

	ok(last_row("a,b\n\n\nc,d\n", 2, &err) == 1 &&
		last_row("a,b\n\n\nc,d\n\n", 3, &err) == 0,
	    "empty lines of a table are skipped");
	ok(last_row("a,b\n\nc\n", 2, &err) < 0 && err.code == CSCG_EFORMAT &&
		strstr(err.msg, "line 3: 1 field, but the first line has 2"),
	    "a row with too few fields is refused");
	ok(last_row("a,b,c\n", 1, &err) < 0 && err.code == CSCG_EFORMAT &&
		strstr(err.msg, "line 1: 3 fields, but the first line has 2"),
	    "a row with too many fields is refused");
}

static void
test_writer(void)
{
	static const char *const hard[] = { "plain", "a,b", "q\"q", "", "x\ny",
		" x", "x\t", " " };
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(file, 0, &err);
	char buf[256] = "";
	FILE *f;

	cscg_csv_write(out, ',', hard, 8, &err);
	cscg_csv_write(out, '\t', hard, 2, &err);
	cscg_out_close(out, &err);
	f = fopen(file, "r");
	buf[fread(buf, 1, sizeof buf - 1, f)] = '\0';
	fclose(f);
	ok(!strcmp(buf,
	       "plain,\"a,b\",\"q\"\"q\",,\"x\ny\",\" x\",\"x\t\","
	       "\" \"\nplain\ta,b\n"),
	    "fields are quoted only if necessary");
	out = cscg_out_open(file, 0, &err);
	cscg_csv_write(out, ',', hard, 8, &err);
	cscg_out_close(out, &err);
	take_apart(',', buf, sizeof buf);
	ok(!strcmp(buf, "[plain|a,b|q\"q||x\ny| x|x\t| ]"),
	    "quoted fields are read back");
}

/*
 * Text that a spreadsheet would take for a formula is escaped; numbers are not.
 */
static void
test_formulas(void)
{
	static const char *const field[] = { "=1+1", "+5", "-1.5e3", "-5+1",
		"@a", "'=a", "'b", "=a,b", "-", "\ta", "''", "+", "-x\"" };
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(file, 0, &err);
	char buf[256] = "";
	FILE *f;

	cscg_csv_write(out, ',', field, 13, &err);
	cscg_out_close(out, &err);
	f = fopen(file, "r");
	buf[fread(buf, 1, sizeof buf - 1, f)] = '\0';
	fclose(f);
	same_text(buf,
	    "'=1+1,+5,-1.5e3,'-5+1,'@a,''=a,'b,\"'=a,b\",'-,\"'\ta\",'','+,"
	    "\"'-x\"\"\"\n",
	    "text that a spreadsheet evaluates is prefixed with an "
	    "apostrophe");
	take_apart(',', buf, sizeof buf);
	same_text(buf, "[=1+1|+5|-1.5e3|-5+1|@a|'=a|'b|=a,b|-|\ta|''|+|-x\"]",
	    "the apostrophe is removed by reading");
}

/* The delimiter detected in a first line. */
static void
test_sep(void)
{
	static const struct {
		const char *line;
		char usual, want;
	} of[] = {
		{ "x,a", ',', ',' },
		{ "x;a,b", ',', ',' },
		{ "x;a", ',', ';' },
		{ "x\ta;b", ',', '\t' },
		{ "x;a", '\t', ';' },
		{ "x,a;b", '\t', ';' },
		{ "x,a", '\t', ',' },
		{ "\"x,a\";b", ',', ';' },
		{ "\"x;a\"", ',', ',' },
		{ "\"say \"\";\"\"\",x", '\t', ',' },
		{ "x", ',', ',' },
		{ "x", '\t', '\t' },
		{ "", ',', ',' },
		{ "#\tx;a", ',', ';' },
		{ "#\tx\ta", ',', '\t' },
		{ "# \tx", ',', ',' },
		{ "#", ',', ',' },
	};
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++)
		ok(cscg_sniff_separator(of[i].line, strlen(of[i].line),
		       of[i].usual) == of[i].want,
		    "the delimiter of %s", of[i].line);
}

/* Binary input is refused, and the message names its format. */
static void
test_guess(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char
		    *want; /* the message begins with this; NULL: no error */
	} of[] = {
		{ "x,a", 3, NULL },
		{ "", 0, NULL },
		{ "PK", 2, NULL },
		{ "P\0", 2, NULL },
		{ "\xff\xfex\0", 4,
		    "this is UTF-16; convert it (iconv -f UTF-16 " },
		{ "\xfe\xff\0x", 4,
		    "this is UTF-16; convert it (iconv -f UTF-16 " },
		{ "x\0,\0", 4,
		    "this is UTF-16; convert it (iconv -f UTF-16LE" },
		{ "\0x\0,", 4,
		    "this is UTF-16; convert it (iconv -f UTF-16BE" },
		{ "PK\3\4", 4, "this is a zip archive" },
		{ "\xd0\xcf\x11\xe0", 4, "this is an .xls file" },
		{ "MATLAB 5.0 MAT-file", 19, "this is a .mat file" },
		{ "\x89HDF", 4, "this is an HDF5 file" },
		{ "PAR1\x15\4", 6, "this is a Parquet file" },
		{ "PAR1", 4, NULL },
		{ "PAR1,x,a", 8, NULL },
		{ "PAR1\tx\r", 7, NULL },
		{ "MATLAB 5.0,x", 12, NULL },
	};
	const char *what;
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++) {
		what = cscg_sniff_csv(of[i].bytes, of[i].n);
		ok(of[i].want ? what &&
			    !strncmp(what, of[i].want, strlen(of[i].want)) :
				!what,
		    "format detected from the first bytes, case %zu", i);
	}
}

/*
 * A table of n records, at most size bytes; one of `rare` is of any kind, the others
 * have fields without quotes, blanks and CR.
 */
static size_t
make_table(struct cscg_rng *rng, long n, long rare, char *text)
{
	static const char *const fields[] = { "up", "", "12", "0.5",
		"\xc3\xa4", "\"a,b\"", "\"two\nlines\"", "\"say \"\"x\"\"\"",
		" blank ", "'=1", "o'clock", "\"\"" };
	size_t k = 0;
	int i, columns;
	bool any;

	while (n-- > 0) {
		columns = 1 + (int)cscg_rng_below(rng, 5);
		any = cscg_rng_below(rng, rare) == 0;
		for (i = 0; i < columns; i++)
			k += (size_t)sprintf(text + k, "%s%s", i ? "," : "",
			    fields[cscg_rng_below(rng, any ? 12 : 5)]);
		k += (size_t)sprintf(text + k, "%s",
		    any && !cscg_rng_below(rng, 3) ? "\r\n" : "\n");
	}
	return k;
}

/* Cut a number at its point. */
static void
cut_fields(void *ctx, char **field, int n)
{
	int i;

	(void)ctx;
	for (i = 0; i < n; i++)
		if (!strcmp(field[i], "0.5"))
			*strchr(field[i], '.') = '\0';
}

/*
 * A digest of all fields, lines and the error of the table; the first `most`
 * records only, after which the stream is used by the caller.
 */
static uint64_t
digest(bool ahead, bool all, long most, char *message)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = cscg_in_open(file, &err);
	struct cscg_csv *csv = cscg_csv_new(in, ',', &err);
	uint64_t sum = 0;
	const char *p;
	char **field;
	int n, i, rc = 0;

	if (ahead)
		rc = cscg_csv_read_ahead(csv, cut_fields, all, NULL, &err);
	while (rc >= 0 && most-- > 0 &&
	    (rc = cscg_csv_next(csv, &field, &n, &err)) > 0) {
		sum = sum * 31 + (uint64_t)cscg_csv_line(csv);
		if (!ahead)
			cut_fields(NULL, field, n);
		for (i = 0; i < n; i++)
			for (p = field[i];; p++) {
				sum = sum * 31 + (unsigned char)*p;
				if (!*p)
					break;
			}
	}
	cscg_csv_stop(csv);
	if (rc > 0)
		rc = cscg_in_verify(in, &err);
	strcpy(message, rc < 0 ? err.msg : "");
	cscg_csv_free(csv);
	cscg_in_close(in);
	return sum;
}

static void
test_ahead(void)
{
	enum { RECORDS = 250000 };
	static char text[RECORDS * 80], a[1024], b[1024];
	struct cscg_rng rng;
	long bad = 0, faults = 0, i, most;
	size_t n, at;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (i = 0; i < 16; i++) {
		n = make_table(&rng, cscg_rng_below(&rng, RECORDS),
		    (long[]){ 1, 20, 300, 1000000 }[i / 4], text);
		if (i % 2 && n) {
			at = (size_t)cscg_rng_below(&rng, (long)n);
			text[at] = "\"\r"[i / 2 % 3];
		}
		put(text, n);
		most = i % 3 ? RECORDS + 1 : cscg_rng_below(&rng, RECORDS);
		bad += digest(false, false, most, a) !=
			digest(true, i % 4 < 2, most, b) ||
		    strcmp(a, b);
		faults += *a != 0;
	}
	ok(bad == 0 && faults > 4,
	    "records split ahead are the same, and so are faults (%ld, %ld)",
	    bad, faults);
}

/* More blank lines than a reader skips. */
static void
test_blank(void)
{
	enum { LINES = 1000100 };
	static char text[LINES + 2], a[1024], b[1024];

	memset(text, '\n', sizeof text);
	memcpy(text, "a\n", 2);
	put(text, sizeof text);
	digest(false, false, LINES, a);
	digest(true, false, LINES, b);
	ok(*a && !strcmp(a, b), "blank lines are counted ahead: %s", b);
}

static void
test_dict(void)
{
	struct cscg_dict d = { 0 };
	struct cscg_err err = { 0 };
	char name[16];
	int i, good = cscg_dict_find(&d, "0") == -1;

	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "n%d", i * 7);
		good &= cscg_dict_add(&d, name, &err) == i;
	}
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "n%d", i * 7);
		good &= cscg_dict_find(&d, name) == i &&
		    cscg_dict_add(&d, name, &err) == i;
	}
	ok(good && d.names.n == 5000, "5000 names keep their numbers");
	ok(cscg_dict_find(&d, "n1") == -1 && cscg_dict_find(&d, "") == -1,
	    "names that were not added are not found");
	ok(cscg_dict_add(&d, "\x80", &err) < 0 && err.code == CSCG_EFORMAT &&
		d.names.n == 5000,
	    "a name that is not UTF-8 is refused");
	cscg_dict_free(&d);
}

/* Collisions of names mispredict a branch of each lookup. */
static void
test_few_names(void)
{
	struct cscg_dict d = { 0 };
	struct cscg_err err = { 0 };
	char name[16];
	int i;

	for (i = 0; i < 50; i++) {
		snprintf(name, sizeof name, "%d", i);
		cscg_dict_add(&d, name, &err);
	}
	ok(d.names.n == 50 && d.n_slots >= (size_t)16 * 50,
	    "most slots of a small table of names are free");
	cscg_dict_free(&d);
}

/* Names of every length, followed by any bytes. */
static void
test_padded(void)
{
	struct cscg_dict d = { 0 };
	struct cscg_err err = { 0 };
	char name[16 + CSCG_DICT_PADDING];
	int i, bad = 0;

	for (i = 0; i < 16; i++) {
		memset(name, 'a', sizeof name);
		name[i] = '\0';
		bad += cscg_dict_find_padded(&d, name) != -1 ||
		    cscg_dict_add(&d, name, &err) != i;
		memset(name + i + 1, i % 3 ? '\0' : 0xff,
		    sizeof name - 1 - (size_t)i);
		bad += cscg_dict_find_padded(&d, name) != i ||
		    cscg_dict_find(&d, name) != i;
	}
	ok(bad == 0, "the bytes behind a padded name do not matter");
	cscg_dict_free(&d);
}

int
main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof file, "%s/f", dir);
	test_reader();
	test_head();
	test_cut();
	test_lines();
	test_rows();
	test_writer();
	test_formulas();
	test_sep();
	test_guess();
	test_ahead();
	test_blank();
	test_dict();
	test_few_names();
	test_padded();
	return remove(file) != 0 || remove(dir) != 0 || done();
}
