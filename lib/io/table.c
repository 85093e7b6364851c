/*
 * table.c - result tables as TSV or JSON Lines
 *
 * A row is flat, so JSON is printed directly: a table of a million rows does
 * not build a million Jansson objects.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "io/table.h"

/* text written in parts, with the first error kept */

/* A quoted string with JSON escapes. */
static int table_write_json_string(struct cscg_out *out, const char *s,
    struct cscg_err *err);

static void
print_bytes(struct cscg_printer *p, const char *s, size_t n)
{
	if (p->rc == 0)
		p->rc = cscg_out_write(p->out, s, n, p->err);
}

void
cscg_print(struct cscg_printer *p, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	if (p->rc < 0)
		return;
	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		p->rc = cscg_fail(p->err, CSCG_ENOMEM, "out of memory (text)");
		return;
	}
	print_bytes(p, s, n);
	free(s);
}

void
cscg_print_mapped(struct cscg_printer *p, const char *s, const char *from,
    const char *const *to)
{
	const char *at;
	size_t n;

	while (p->rc == 0 && *s) {
		n = cscg_printable_span(s, from);
		print_bytes(p, s, n);
		s += n;
		if (!*s)
			return;
		at = strchr(from, *s);
		cscg_print(p, "%s", at ? to[at - from] : "?");
		s += at ? 1 : cscg_utf8_step(s);
	}
}

void
cscg_print_text(struct cscg_printer *p, const char *s)
{
	cscg_print_mapped(p, s, "", NULL);
}

void
cscg_print_dot(struct cscg_printer *p, const char *s)
{
	static const char *const to[] = { "\\\"", "\\\\" };

	print_bytes(p, "\"", 1);
	cscg_print_mapped(p, s, "\"\\", to);
	print_bytes(p, "\"", 1);
}

/* U+FFFE, U+FFFF and C0 controls but these three do not exist in XML 1.0. */
static bool
exists_in_xml(const char *s, int n)
{
	return n > 1 ?
	    memcmp(s, "\xef\xbf\xbe", 3) && memcmp(s, "\xef\xbf\xbf", 3) :
	    n == 1 && ((unsigned char)*s >= 0x20 || strchr("\t\n\r", *s));
}

void
cscg_print_xml(struct cscg_printer *p, const char *s)
{
	cscg_print_xml_short(p, s, INT_MAX);
}

void
cscg_print_xml_short(struct cscg_printer *p, const char *s, int max)
{
	static const char from[] = "&<>\"\t\n";
	static const char *const to[] = { "&amp;", "&lt;", "&gt;", "&quot;",
		"\t", "\n" };
	const char *at, *rest = s;
	int n;

	for (n = 0; n <= max && *rest; n++)
		rest += cscg_utf8_step(rest);
	max = n > max ? max - 1 : max; /* one is the ellipsis */
	for (; p->rc == 0 && *s; s += cscg_utf8_step(s)) {
		n = cscg_utf8_length(s, CSCG_UTF8_MAX);
		at = strchr(from, *s);
		if (max-- <= 0) {
			print_bytes(p, "\xe2\x80\xa6", 3);
			break;
		}
		if (at)
			cscg_print(p, "%s", to[at - from]);
		else if (!exists_in_xml(s, n))
			print_bytes(p, "\xef\xbf\xbd", 3);
		else if (cscg_utf8_is_control(s))
			cscg_print(p, "&#%d;", (unsigned char)s[n - 1]);
		else
			print_bytes(p, s, (size_t)n);
	}
}

/*
 * Write the character at s (n bytes, 0: not UTF-8) as JSON; returns its length.
 */
static int
json_char(const unsigned char *s, int n, char buf[8])
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at;

	if (n == 0)
		return snprintf(buf, 8, "\xef\xbf\xbd");
	if (n == 1 && (at = memchr(from, s[0], sizeof(from) - 1)))
		return snprintf(buf, 8, "\\%c", to[at - from]);
	if (cscg_utf8_is_control((const char *)s))
		return snprintf(buf, 8, "\\u%04x", s[n - 1]);
	memcpy(buf, s, n);
	return n;
}

static int
table_write_json_string(struct cscg_out *out, const char *str,
    struct cscg_err *err)
{
	const unsigned char *s = (const unsigned char *)str;
	char buf[8];
	int n;

	if (cscg_out_write(out, "\"", 1, err) < 0)
		return -1;
	while (*s) {
		n = cscg_utf8_length((const char *)s, CSCG_UTF8_MAX);
		if (cscg_out_write(out, buf, json_char(s, n, buf), err) < 0)
			return -1;
		s += n ? n : 1;
	}
	return cscg_out_write(out, "\"", 1, err);
}

static int
tsv_string(struct cscg_out *out, const char *s, struct cscg_err *err)
{
	static const char *const to[] = { "\\t", "\\n", "\\r", "\\\\" };
	struct cscg_printer p = { out, err, 0 };

	cscg_print_mapped(&p, s, "\t\n\r\\", to);
	return p.rc;
}

static int
write_none(const struct cscg_table *t, struct cscg_err *err)
{
	return t->json ? cscg_out_write(t->out, "null", 4, err) :
			 cscg_out_write(t->out, "-", 1, err);
}

/* An integer without printf: tables of a million rows have many of them. */
static char *
put_long(char *to, long v)
{
	if (v < 0)
		*to++ = '-';
	return cscg_decimal_put(to, labs(v));
}

static int
write_long(const struct cscg_table *t, long v, struct cscg_err *err)
{
	char text[1 + CSCG_DECIMAL_INT];

	return cscg_out_write(t->out, text, (size_t)(put_long(text, v) - text),
	    err);
}

static int
write_double(const struct cscg_table *t, double d, int digits,
    struct cscg_err *err)
{
	const char *quote = t->json ? "\"" : "";

	if (isnan(d))
		return write_none(t, err);
	if (isinf(d))
		return cscg_out_printf(t->out, err, "%s%s%s", quote,
		    d < 0 ? "-inf" : "inf", quote);
	/* Adding zero turns -0 into 0. */
	return cscg_out_printf(t->out, err, "%.*g", digits ? digits : 6,
	    d + 0.0);
}

int
cscg_table_write_cell(const struct cscg_table *t, const struct cscg_col *col,
    const union cscg_cell *cell, struct cscg_err *err)
{
	switch (col->type) {
	case CSCG_COL_LONG:
		if (cell->l == CSCG_CELL_NONE)
			return write_none(t, err);
		return write_long(t, cell->l, err);
	case CSCG_COL_DOUBLE:
		return write_double(t, cell->d, col->digits, err);
	case CSCG_COL_BOOL:
		if (cell->l == CSCG_CELL_NONE)
			return write_none(t, err);
		return cscg_out_printf(t->out, err, "%s",
		    t->json ? (cell->l ? "true" : "false") :
			      (cell->l ? "yes" : "no"));
	case CSCG_COL_STRING:
		break;
	}
	if (!cell->s)
		return write_none(t, err);
	return t->json ? table_write_json_string(t->out, cell->s, err) :
			 tsv_string(t->out, cell->s, err);
}

int
cscg_table_init(struct cscg_table *t, struct cscg_out *out,
    const struct cscg_col *cols, int n, bool json, struct cscg_err *err)
{
	int i;

	*t = (struct cscg_table){ out, cols, n, json };
	if (json)
		return 0;
	for (i = 0; i < n; i++)
		if (cscg_out_printf(out, err, "%s%s", i ? "\t" : "#",
			cols[i].name) < 0)
			return -1;
	return cscg_out_write(out, "\n", 1, err);
}

/*
 * Write the leading integer cells of a TSV row, each followed by a tab or
 * newline, at once; returns their number.
 */
static int
write_longs(const struct cscg_table *t, const union cscg_cell *cells,
    struct cscg_err *err)
{
	enum { MOST = 8 };
	char text[MOST * (2 + CSCG_DECIMAL_INT)], *end = text;
	int i;

	for (i = 0; i < t->n && i < MOST; i++) {
		if (t->cols[i].type != CSCG_COL_LONG)
			break;
		if (cells[i].l == CSCG_CELL_NONE)
			*end++ = '-';
		else
			end = put_long(end, cells[i].l);
		*end++ = i < t->n - 1 ? '\t' : '\n';
	}
	return cscg_out_write(t->out, text, (size_t)(end - text), err) < 0 ?
	    -1 :
	    i;
}

int
cscg_table_write_row(const struct cscg_table *t, const union cscg_cell *cells,
    struct cscg_err *err)
{
	int i = 0;

	if (!t->json && (i = write_longs(t, cells, err)) < 0)
		return -1;
	for (; i < t->n; i++) {
		if (t->json &&
		    (cscg_out_write(t->out, i ? "," : "{", 1, err) < 0 ||
			table_write_json_string(t->out, t->cols[i].name, err) <
			    0 ||
			cscg_out_write(t->out, ":", 1, err) < 0))
			return -1;
		if (cscg_table_write_cell(t, &t->cols[i], &cells[i], err) < 0)
			return -1;
		if (!t->json &&
		    cscg_out_write(t->out, i < t->n - 1 ? "\t" : "\n", 1,
			err) < 0)
			return -1;
	}
	if (t->json && cscg_out_write(t->out, "}\n", 2, err) < 0)
		return -1;
	return cscg_out_flush(t->out, err);
}

int
cscg_table_write_pairs(struct cscg_out *out, const struct cscg_col *cols,
    const union cscg_cell *cells, int n, bool json, struct cscg_err *err)
{
	struct cscg_table t = { out, cols, n, json };
	int i;

	if (json)
		return cscg_table_write_row(&t, cells, err);
	if (cscg_out_printf(out, err, "#key\tvalue\n") < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (cscg_out_printf(out, err, "%s\t", cols[i].name) < 0 ||
		    cscg_table_write_cell(&t, &cols[i], &cells[i], err) < 0 ||
		    cscg_out_write(out, "\n", 1, err) < 0)
			return -1;
	return cscg_out_flush(out, err);
}

/* a table whose rows have columns for each of several candidates */

/* Append a column name. */
static int
write_name(const struct cscg_multi_table *s, bool first, const char *name,
    const char *candidate, struct cscg_err *err)
{
	const struct cscg_table t = { .out = s->out };
	const struct cscg_col col = { .type = CSCG_COL_STRING };
	const union cscg_cell cell = { .s = candidate };

	if (cscg_out_printf(s->out, err, "%s%s%s", first ? "#" : "\t", name,
		candidate ? "." : "") < 0)
		return -1;
	return candidate ? cscg_table_write_cell(&t, &col, &cell, err) : 0;
}

int
cscg_multi_table_write_head(const struct cscg_multi_table *s,
    struct cscg_err *err)
{
	bool wide = s->form == CSCG_MULTI_TABLE_WIDE;
	int i, j;

	if (s->form == CSCG_MULTI_TABLE_JSON)
		return cscg_out_flush(s->out, err);
	for (j = 0; j < s->n_row; j++)
		if (write_name(s, j == 0, s->row[j].name, NULL, err) < 0)
			return -1;
	if (write_name(s, s->n_row == 0, wide ? "best" : s->what, NULL, err) <
	    0)
		return -1;
	for (i = 0; i < (wide ? s->n : 1); i++)
		for (j = 0; j < s->n_item; j++)
			if (write_name(s, false, s->item[j].name,
				wide ? s->names[i] : NULL, err) < 0)
				return -1;
	if (cscg_out_write(s->out, "\n", 1, err) < 0)
		return -1;
	return cscg_out_flush(s->out, err);
}

/* Cells, each followed by a tab. */
static int
write_cells(const struct cscg_multi_table *s, const struct cscg_col *cols,
    int n, const union cscg_cell *cells, bool last, struct cscg_err *err)
{
	const struct cscg_table t = { .out = s->out };
	int j;

	for (j = 0; j < n; j++)
		if (cscg_table_write_cell(&t, &cols[j], &cells[j], err) < 0 ||
		    cscg_out_write(s->out, last && j == n - 1 ? "\n" : "\t", 1,
			err) < 0)
			return -1;
	return 0;
}

static int
write_line(const struct cscg_multi_table *s, const union cscg_cell *row,
    const char *name, const union cscg_cell *item, int n, struct cscg_err *err)
{
	const struct cscg_col col = { .type = CSCG_COL_STRING };
	const union cscg_cell cell = { .s = name };
	int i;

	if (write_cells(s, s->row, s->n_row, row, false, err) < 0 ||
	    write_cells(s, &col, 1, &cell, false, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (write_cells(s, s->item, s->n_item, item + i * s->n_item,
			i == n - 1, err) < 0)
			return -1;
	return 0;
}

/* ,"name":cell */
static int
write_pair(const struct cscg_multi_table *s, bool first, const char *name,
    const struct cscg_col *col, const union cscg_cell *cell,
    struct cscg_err *err)
{
	const struct cscg_table t = { .out = s->out, .json = true };

	if ((!first && cscg_out_write(s->out, ",", 1, err) < 0) ||
	    table_write_json_string(s->out, name, err) < 0 ||
	    cscg_out_write(s->out, ":", 1, err) < 0)
		return -1;
	return cscg_table_write_cell(&t, col, cell, err);
}

static int
write_object(const struct cscg_multi_table *s, const union cscg_cell *row,
    const char *name, const union cscg_cell *item, struct cscg_err *err)
{
	const struct cscg_col col = { .type = CSCG_COL_STRING };
	const union cscg_cell cell = { .s = name };
	int i, j;

	if (cscg_out_write(s->out, "{", 1, err) < 0)
		return -1;
	for (j = 0; j < s->n_row; j++)
		if (write_pair(s, j == 0, s->row[j].name, &s->row[j], &row[j],
			err) < 0)
			return -1;
	if (write_pair(s, s->n_row == 0, "best", &col, &cell, err) < 0)
		return -1;
	for (j = 0; j < s->n_item; j++) {
		if (cscg_out_printf(s->out, err, ",\"%s\":{",
			s->item[j].name) < 0)
			return -1;
		for (i = 0; i < s->n; i++)
			if (write_pair(s, i == 0, s->names[i], &s->item[j],
				&item[i * s->n_item + j], err) < 0)
				return -1;
		if (cscg_out_write(s->out, "}", 1, err) < 0)
			return -1;
	}
	return cscg_out_write(s->out, "}\n", 2, err);
}

int
cscg_multi_table_write_row(const struct cscg_multi_table *s,
    const union cscg_cell *row, int best, const union cscg_cell *item,
    struct cscg_err *err)
{
	int i, rc = 0;

	if (s->form == CSCG_MULTI_TABLE_JSON)
		rc = write_object(s, row, s->names[best], item, err);
	else if (s->form == CSCG_MULTI_TABLE_WIDE)
		rc = write_line(s, row, s->names[best], item, s->n, err);
	else
		for (i = 0; i < s->n && rc == 0; i++)
			rc = write_line(s, row, s->names[i],
			    item + i * s->n_item, 1, err);
	return rc < 0 ? -1 : cscg_out_flush(s->out, err);
}
