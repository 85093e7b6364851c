/* table.c - result tables as TSV or JSON Lines */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "io/json_write.h"
#include "io/table.h"

/* text written in parts, with the first error kept */

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

/* ---- cells ---- */

static bool
is_none(const struct cscg_col *col, const union cscg_cell *cell)
{
	return col->type == CSCG_COL_STRING ? !cell->s :
	    col->type == CSCG_COL_DOUBLE    ? isnan(cell->d) :
					      cell->l == CSCG_CELL_NONE;
}

/* An integer without printf: tables of a million rows have many of them. */
static char *
put_long(char *to, long v)
{
	if (v < 0)
		*to++ = '-';
	return cscg_decimal_put(to, labs(v));
}

enum { TEXT = 64 }; /* longest number */

static const char *
double_text(double d, int digits, char text[TEXT])
{
	if (isinf(d))
		return d < 0 ? "-inf" : "inf";
	/* Adding zero turns -0 into 0. */
	snprintf(text, TEXT, "%.*g", digits ? digits : 6, d + 0.0);
	return text;
}

/* A cell of TSV. */
static void
print_cell(struct cscg_printer *p, const struct cscg_col *col,
    const union cscg_cell *cell)
{
	static const char *const to[] = { "\\t", "\\n", "\\r", "\\\\" };
	char text[TEXT];
	const char *s = text;

	if (is_none(col, cell))
		s = "-";
	else if (col->type == CSCG_COL_LONG)
		*put_long(text, cell->l) = '\0';
	else if (col->type == CSCG_COL_DOUBLE)
		s = double_text(cell->d, col->digits, text);
	else if (col->type == CSCG_COL_BOOL)
		s = cell->l ? "yes" : "no";
	else {
		cscg_print_mapped(p, cell->s, "\t\n\r\\", to);
		return;
	}
	print_bytes(p, s, strlen(s));
}

/* A cell as a member of a JSON object. */
static void
put_cell(struct cscg_json_writer *w, const char *key,
    const struct cscg_col *col, const union cscg_cell *cell)
{
	char text[TEXT];

	if (is_none(col, cell))
		cscg_json_put_text(w, key, "null");
	else if (col->type == CSCG_COL_LONG)
		cscg_json_put_int(w, key, cell->l);
	else if (col->type == CSCG_COL_BOOL)
		cscg_json_put_bool(w, key, cell->l);
	else if (col->type == CSCG_COL_STRING)
		cscg_json_put_string(w, key, cell->s);
	else if (isinf(cell->d))
		cscg_json_put_string(w, key, double_text(cell->d, 0, text));
	else
		cscg_json_put_text(w, key,
		    double_text(cell->d, col->digits, text));
}

int
cscg_table_init(struct cscg_table *t, struct cscg_out *out,
    const struct cscg_col *cols, int n, bool json, struct cscg_err *err)
{
	struct cscg_printer p = { out, err, 0 };
	int i;

	*t = (struct cscg_table){ out, cols, n, json };
	for (i = 0; i < n && !json; i++)
		cscg_print(&p, "%s%s%s", i ? "\t" : "#", cols[i].name,
		    i == n - 1 ? "\n" : "");
	return p.rc;
}

/*
 * Write the leading integer cells of a TSV row, each followed by a tab or
 * newline, at once; returns their number.
 */
static int
print_longs(struct cscg_printer *p, const struct cscg_table *t,
    const union cscg_cell *cells)
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
	print_bytes(p, text, (size_t)(end - text));
	return i;
}

static int
write_object(const struct cscg_table *t, const union cscg_cell *cells,
    struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = t->out, .err = err };
	int i;

	cscg_json_open(&w, NULL, '{');
	for (i = 0; i < t->n; i++)
		put_cell(&w, t->cols[i].name, &t->cols[i], &cells[i]);
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

/* 0 after flushing, or -1 if anything has failed. */
static int
flush(struct cscg_out *out, int rc, struct cscg_err *err)
{
	return rc < 0 ? -1 : cscg_out_flush(out, err);
}

int
cscg_table_write_row(const struct cscg_table *t, const union cscg_cell *cells,
    struct cscg_err *err)
{
	struct cscg_printer p = { t->out, err, 0 };
	int i;

	if (t->json)
		return flush(t->out, write_object(t, cells, err), err);
	for (i = print_longs(&p, t, cells); i < t->n; i++) {
		print_cell(&p, &t->cols[i], &cells[i]);
		print_bytes(&p, i < t->n - 1 ? "\t" : "\n", 1);
	}
	return flush(t->out, p.rc, err);
}

int
cscg_table_write_pairs(const struct cscg_table *t, bool comments,
    const union cscg_cell *cells, struct cscg_err *err)
{
	struct cscg_printer p = { t->out, err, 0 };
	int i;

	if (t->json)
		return cscg_table_write_row(t, cells, err);
	if (!comments)
		cscg_print(&p, "#key\tvalue\n");
	for (i = 0; i < t->n; i++) {
		cscg_print(&p, "%s%s\t", comments ? "#" : "", t->cols[i].name);
		print_cell(&p, &t->cols[i], &cells[i]);
		print_bytes(&p, "\n", 1);
	}
	return flush(t->out, p.rc, err);
}

int
cscg_table_write_gap(struct cscg_out *out, bool json, struct cscg_err *err)
{
	return json ? 0 : cscg_out_write(out, "\n", 1, err);
}

/* ---- a table whose rows have columns for each of several candidates ---- */

static const struct cscg_col name_col = { .type = CSCG_COL_STRING };

int
cscg_multi_table_write_head(const struct cscg_multi_table *s,
    struct cscg_err *err)
{
	struct cscg_printer p = { s->out, err, 0 };
	bool wide = s->form == CSCG_MULTI_TABLE_WIDE;
	int i, j;

	if (s->form == CSCG_MULTI_TABLE_JSON)
		return cscg_out_flush(s->out, err);
	print_bytes(&p, "#", 1);
	for (j = 0; j < s->n_row; j++)
		cscg_print(&p, "%s\t", s->row[j].name);
	cscg_print(&p, "%s", wide ? "best" : s->what);
	for (i = 0; i < (wide ? s->n : 1); i++)
		for (j = 0; j < s->n_item; j++) {
			cscg_print(&p, "\t%s%s", s->item[j].name,
			    wide ? "." : "");
			if (wide)
				print_cell(&p, &name_col,
				    &(union cscg_cell){ .s = s->names[i] });
		}
	print_bytes(&p, "\n", 1);
	return flush(s->out, p.rc, err);
}

/* The cells of a row, a name, and those of n candidates. */
static void
print_line(struct cscg_printer *p, const struct cscg_multi_table *s,
    const union cscg_cell *row, const char *name, const union cscg_cell *item,
    int n)
{
	int i, j;

	for (j = 0; j < s->n_row; j++) {
		print_cell(p, &s->row[j], &row[j]);
		print_bytes(p, "\t", 1);
	}
	print_cell(p, &name_col, &(union cscg_cell){ .s = name });
	for (i = 0; i < n; i++)
		for (j = 0; j < s->n_item; j++) {
			print_bytes(p, "\t", 1);
			print_cell(p, &s->item[j], item++);
		}
	print_bytes(p, "\n", 1);
}

static int
write_candidates(const struct cscg_multi_table *s, const union cscg_cell *row,
    const char *best, const union cscg_cell *item, struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = s->out, .err = err };
	int i, j;

	cscg_json_open(&w, NULL, '{');
	for (j = 0; j < s->n_row; j++)
		put_cell(&w, s->row[j].name, &s->row[j], &row[j]);
	cscg_json_put_string(&w, "best", best);
	for (j = 0; j < s->n_item; j++) {
		cscg_json_open(&w, s->item[j].name, '{');
		for (i = 0; i < s->n; i++)
			put_cell(&w, s->names[i], &s->item[j],
			    &item[i * s->n_item + j]);
		cscg_json_close(&w, '}');
	}
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

int
cscg_multi_table_write_row(const struct cscg_multi_table *s,
    const union cscg_cell *row, int best, const union cscg_cell *item,
    struct cscg_err *err)
{
	struct cscg_printer p = { s->out, err, 0 };
	int i;

	if (s->form == CSCG_MULTI_TABLE_JSON)
		p.rc = write_candidates(s, row, s->names[best], item, err);
	else if (s->form == CSCG_MULTI_TABLE_WIDE)
		print_line(&p, s, row, s->names[best], item, s->n);
	else
		for (i = 0; i < s->n; i++)
			print_line(&p, s, row, s->names[i],
			    item + i * s->n_item, 1);
	return flush(s->out, p.rc, err);
}
