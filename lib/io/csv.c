/*
 * csv.c - CSV and TSV records (RFC 4180)
 *
 * A record is gathered in one buffer, fields behind each other and NUL after
 * each, while starts remembers where they begin: the buffer may move as it
 * grows, so pointers are made at the end.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "io/sniff.h"
#include "base/mem.h"

enum { FIELDS_MAX = 1000000 };

/* The first bytes of a text in UTF-8, for those who want to be told. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

struct cscg_csv {
	struct cscg_in *in;
	char sep;
	long line; /* where the record began */
	char *text;
	size_t len, cap;
	size_t *start;
	size_t n, cap_start;
	char **field;
	size_t cap_field;
};

struct cscg_csv *
cscg_csv_new(struct cscg_in *in, char sep, struct cscg_err *err)
{
	struct cscg_csv *c = cscg_alloc(1, sizeof *c, err);

	if (c) {
		c->in = in;
		c->sep = sep;
	}
	return c;
}

void
cscg_csv_free(struct cscg_csv *csv)
{
	if (!csv)
		return;
	free(csv->text);
	free(csv->start);
	free(csv->field);
	free(csv);
}

long
cscg_csv_line(const struct cscg_csv *csv)
{
	return csv->line;
}

static int
fail_field(struct cscg_csv *c, const char *what, struct cscg_err *err)
{
	/* A damaged stream is the better reason. */
	if (cscg_in_verify(c->in, err) < 0)
		return -1;
	return cscg_fail(err, CSCG_EFORMAT, "%s: line %ld: field %zu: %s",
	    cscg_in_name(c->in), cscg_in_lineno(c->in), c->n, what);
}

static int
append_text(struct cscg_csv *c, const char *s, size_t n, struct cscg_err *err)
{
	if (!n)
		return 0;
	if (cscg_grow(&c->text, &c->cap, c->len + n, 1, err) < 0)
		return -1;
	memcpy(c->text + c->len, s, n);
	c->len += n;
	return 0;
}

/* The next line of the input: 1, 0 at the end, -1. */
static int
next_line(struct cscg_csv *c, char **p, size_t *len, struct cscg_err *err)
{
	int rc = cscg_in_line(c->in, p, len, err);
	const char *what;

	if (rc <= 0)
		return rc;
	if (cscg_in_lineno(c->in) == 1 && !strncmp(*p, byte_order_mark, 3)) {
		*p += 3;
		*len -= 3;
	}
	what = cscg_in_lineno(c->in) == 1 ? cscg_sniff_csv(*p, *len) : NULL;
	if (what)
		return cscg_fail(err, CSCG_EFORMAT, "%s: line 1: %s",
		    cscg_in_name(c->in), what);
	if (memchr(*p, '\0', *len))
		return cscg_fail(err, CSCG_EFORMAT, "%s: line %ld: a NUL byte",
		    cscg_in_name(c->in), cscg_in_lineno(c->in));
	return 1;
}

/* The end of a line: nothing more, or the CR of CR LF. */
static bool
at_end(const char *p)
{
	return !*p || (*p == '\r' && !p[1]);
}

/* What may stand around a field without being part of it. */
static bool
is_blank(const struct cscg_csv *c, char ch)
{
	return (ch == ' ' || ch == '\t') && ch != c->sep;
}

static char *
skip_blanks(const struct cscg_csv *c, char *p)
{
	while (is_blank(c, *p))
		p++;
	return p;
}

/* Text up to the closing quote; *p moves behind it, over lines if need be. */
static int
read_quoted(struct cscg_csv *c, char **p, struct cscg_err *err)
{
	size_t n, len;
	int rc;

	++*p;
	for (;;) {
		n = strcspn(*p, "\"");
		if (append_text(c, *p, n, err) < 0)
			return -1;
		*p += n;
		if (!**p) {
			rc = next_line(c, p, &len, err);
			if (rc < 0)
				return -1;
			if (rc == 0)
				return cscg_fail(err, CSCG_ECUT,
				    "%s: unexpected end inside the quotes "
				    "that field %zu of line %ld begins with",
				    cscg_in_name(c->in), c->n, c->line);
			if (append_text(c, "\n", 1, err) < 0)
				return -1;
			continue;
		}
		if ((*p)[1] != '"')
			break;
		if (append_text(c, "\"", 1, err) < 0)
			return -1;
		*p += 2;
	}
	*p = skip_blanks(c, *p + 1);
	if (**p != c->sep && !at_end(*p))
		return fail_field(c, "text behind the closing quote", err);
	return 0;
}

static int
read_plain(struct cscg_csv *c, char **p, struct cscg_err *err)
{
	char *s = *p, *end;

	while (*s != c->sep && !at_end(s)) {
		if (*s == '"')
			return fail_field(c, "a quote inside a plain field",
			    err);
		if (*s == '\r')
			return fail_field(c, "a carriage return inside a line",
			    err);
		s++;
	}
	for (end = s; end > *p && is_blank(c, end[-1]); end--)
		;
	if (append_text(c, *p, (size_t)(end - *p), err) < 0)
		return -1;
	*p = s;
	return 0;
}

/* The fields of the record whose first line is at p. */
static int
split_record(struct cscg_csv *csv, char *p, char ***field, int *n,
    struct cscg_err *err)
{
	size_t i;
	int rc;

	csv->line = cscg_in_lineno(csv->in);
	csv->n = csv->len = 0;
	for (;; p++) {
		if (csv->n == FIELDS_MAX)
			return fail_field(csv, "one too many", err);
		if (cscg_grow(&csv->start, &csv->cap_start, csv->n + 1,
			sizeof *csv->start, err) < 0)
			return -1;
		csv->start[csv->n++] = csv->len;
		p = skip_blanks(csv, p);
		rc = *p == '"' ? read_quoted(csv, &p, err) :
				 read_plain(csv, &p, err);
		if (rc < 0 || append_text(csv, "", 1, err) < 0)
			return -1;
		if (*p != csv->sep)
			break;
	}
	if (cscg_grow(&csv->field, &csv->cap_field, csv->n, sizeof *csv->field,
		err) < 0)
		return -1;
	for (i = 0; i < csv->n; i++)
		csv->field[i] = csv->text + csv->start[i];
	*field = csv->field;
	*n = (int)csv->n;
	return 1;
}

int
cscg_csv_next(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err)
{
	size_t len;
	char *p;
	int rc = next_line(csv, &p, &len, err);

	return rc <= 0 ? rc : split_record(csv, p, field, n, err);
}

/* Behind a '#' that marks the line at p, unless it is a field of its own. */
static char *
skip_mark(const struct cscg_csv *c, char *p)
{
	char *q;

	p = skip_blanks(c, p);
	if (*p != '#')
		return p;
	q = skip_blanks(c, p + 1);
	return *q == c->sep || at_end(q) ? p : q;
}

/*
 * How many fields a '#' makes that is one of its own: it may be the name of a
 * column, but not if the next line has no field for it.  -1 with err filled.
 */
static int
count_marks(struct cscg_csv *c, char **field, int n, struct cscg_err *err)
{
	size_t len;
	char *line;
	int k = 1, rc;
	long seps;

	if (n == 1 || strcmp(field[0], "#"))
		return 0;
	while (k < n - 1 && !*field[k])
		k++;
	rc = cscg_in_line(c->in, &line, &len, err);
	if (rc <= 0)
		return rc;
	seps = cscg_sniff_count_separators(line, len, c->sep);
	cscg_in_unread_line(c->in);
	return seps + 1 == n - k ? k : 0;
}

int
cscg_csv_head(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err)
{
	size_t len;
	char *p;
	int k, rc = next_line(csv, &p, &len, err);

	if (rc > 0)
		rc = split_record(csv, skip_mark(csv, p), field, n, err);
	if (rc <= 0)
		return rc;
	k = count_marks(csv, *field, *n, err);
	if (k < 0)
		return -1;
	*field += k;
	*n -= k;
	return 1;
}

static int
write_quoted(struct cscg_out *out, const char *s, struct cscg_err *err)
{
	size_t n;

	if (cscg_out_write(out, "\"", 1, err) < 0)
		return -1;
	while (*s) {
		n = strcspn(s, "\"");
		if (cscg_out_write(out, s, n, err) < 0)
			return -1;
		s += n;
		if (*s == '"') {
			if (cscg_out_write(out, "\"\"", 2, err) < 0)
				return -1;
			s++;
		}
	}
	return cscg_out_write(out, "\"", 1, err);
}

/* Would it be read as something else if it stood without quotes? */
static bool
needs_quotes(const char *s, char sep)
{
	char special[] = { '"', '\n', '\r', sep, '\0' };
	size_t n = strlen(s);

	/*
	 * A mark at the beginning would be taken for the file's, and what some
	 * other file begins with for one.
	 */
	return strpbrk(s, special) ||
	    !strncmp(s, byte_order_mark, sizeof byte_order_mark - 1) ||
	    !strncmp(s, "PAR1", 4) || !strncmp(s, "MATLAB", 6) ||
	    cscg_sniff_csv(s, n) ||
	    (n && (strchr(" \t", s[0]) || strchr(" \t", s[n - 1])));
}

int
cscg_csv_write(struct cscg_out *out, char sep, const char *const *field, int n,
    struct cscg_err *err)
{
	int i, rc;

	for (i = 0; i < n; i++) {
		if (i && cscg_out_write(out, &sep, 1, err) < 0)
			return -1;
		if (needs_quotes(field[i], sep))
			rc = write_quoted(out, field[i], err);
		else
			rc = cscg_out_write(out, field[i], strlen(field[i]),
			    err);
		if (rc < 0)
			return -1;
	}
	return cscg_out_write(out, "\n", 1, err);
}
