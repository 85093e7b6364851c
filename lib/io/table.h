/*
 * table.h - result tables as TSV or JSON Lines
 *
 * TSV starts with "#" and the names of the columns and then has one line per
 * row; JSON Lines has one object per row with the names as keys.  Each
 * complete row is flushed, so that other programs can read a table while it is
 * written.
 *
 * A cell may be unknown: CSCG_CELL_NONE, NaN or NULL.  It is written as "-" in
 * TSV and null in JSON; NaN itself is never written.  Infinite numbers are
 * written inf and -inf, in JSON as the strings "inf" and "-inf" since JSON has
 * no such numbers.
 *
 * In TSV, a tab, newline, carriage return or backslash inside a string is
 * written \t, \n, \r or \\; another control character, or a byte that is not
 * UTF-8, is written as '?'.  In JSON, control characters are escaped and bytes
 * that are not UTF-8 become U+FFFD.
 */
#ifndef CSCG_TABLE_H
#define CSCG_TABLE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"
#include "io/stream.h"

/*
 * text output that keeps the first error
 *
 * For writers of many small pieces: after an error nothing more is written,
 * and rc is -1.  Start with { out, err, 0 }.
 */

struct cscg_printer {
	struct cscg_out *out;
	struct cscg_err *err;
	int rc; /* 0, or -1 with err filled */
};

void cscg_print(struct cscg_printer *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A string of an input, safe to print: see cscg_printable(). */
void cscg_print_text(struct cscg_printer *p, const char *s);

/* The same, but with to[i] for each character from[i]. */
void cscg_print_mapped(struct cscg_printer *p, const char *s, const char *from,
    const char *const *to);

/*
 * Escaped text of XML 1.0, and of an HTML-like label of DOT; U+FFFD for a
 * character that XML 1.0 does not have.
 */
void cscg_print_xml(struct cscg_printer *p, const char *s);

/* At most max characters of it, the last of them an ellipsis if more follow. */
void cscg_print_xml_short(struct cscg_printer *p, const char *s, int max);

/* A quoted string of DOT. */
void cscg_print_dot(struct cscg_printer *p, const char *s);

#define CSCG_CELL_NONE LONG_MIN

enum cscg_col_type {
	CSCG_COL_LONG,
	CSCG_COL_DOUBLE,
	CSCG_COL_STRING,
	CSCG_COL_BOOL, /* l: yes or no, in JSON true or false */
};

/* An array of columns and its length, as arguments. */
#define CSCG_COLS(cols) (cols), (int)(sizeof(cols) / sizeof *(cols))

struct cscg_col {
	const char *name;
	enum cscg_col_type type;
	int digits; /* significant digits of a double; 0: 6 */
};

/* A value; the type of the column selects the member. */
union cscg_cell {
	long l;
	double d;
	const char *s;
};

/* The cell of a number that is unknown if it is negative. */
static inline long
cscg_cell_known(long v)
{
	return v < 0 ? CSCG_CELL_NONE : v;
}

struct cscg_table {
	struct cscg_out *out;
	const struct cscg_col *cols;
	int n;
	bool json;
};

/*
 * Start a table of n >= 1 columns on out; writes the header line of TSV.
 * Borrows out and cols for the life of the table, which need not be freed.
 * Returns 0, or -1 with err filled as cscg_out_write() does.
 */
int cscg_table_init(struct cscg_table *t, struct cscg_out *out,
    const struct cscg_col *cols, int n, bool json, struct cscg_err *err);

/* Write a row of n cells; returns as cscg_table_init() does. */
int cscg_table_write_row(const struct cscg_table *t,
    const union cscg_cell *cells, struct cscg_err *err);

/*
 * A table of one row, transposed: TSV has a line "name value" for each column
 * under the header "#key value", or lines "#name value" as comments of a table
 * before; JSON is as for cscg_table_write_row().  t is not initialised by
 * cscg_table_init().
 */
int cscg_table_write_pairs(const struct cscg_table *t, bool comments,
    const union cscg_cell *cells, struct cscg_err *err);

/* An empty line between two tables of TSV, as gnuplot expects. */
int cscg_table_write_gap(struct cscg_out *out, bool json,
    struct cscg_err *err);

/*
 * a table in which each row has cells for several candidates
 *
 * Three forms of the same cells.  Long: a line for each candidate, with its
 * name.  Wide: one line, with a column "nll.torus" for each cell of each
 * candidate, and the name of the best.  JSON Lines: one object, in which each
 * cell is an object with the candidates as keys.
 */

enum cscg_multi_table_form {
	CSCG_MULTI_TABLE_LONG,
	CSCG_MULTI_TABLE_WIDE,
	CSCG_MULTI_TABLE_JSON,
};

struct cscg_multi_table {
	struct cscg_out *out;
	enum cscg_multi_table_form form;
	const char *what;         /* name of a candidate's column: "schema" */
	const char *const *names; /* [n] names of the candidates */
	int n;
	/* Columns of a row, and of each candidate: numbers only. */
	const struct cscg_col *row, *item;
	int n_row, n_item;
};

/* The header line, if the form has one; everything is borrowed. */
int cscg_multi_table_write_head(const struct cscg_multi_table *table,
    struct cscg_err *err);

/*
 * Write row[n_row] and item[n][n_item], and flush; best is the index of a
 * candidate.
 */
int cscg_multi_table_write_row(const struct cscg_multi_table *table,
    const union cscg_cell *row, int best, const union cscg_cell *item,
    struct cscg_err *err);

#endif
