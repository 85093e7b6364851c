/*
 * sheet.h - a table in which each row is about several candidates
 *
 * Three forms of the same cells.  Long: a line for each candidate, with its
 * name.  Wide: one line, with a column "nll.torus" for each cell of each
 * candidate, and the name of the best.  JSON Lines: one object, with an object
 * of the candidates for each of their cells.
 */
#ifndef CSCG_SHEET_H
#define CSCG_SHEET_H

#include "base/err.h"
#include "io/stream.h"
#include "io/table.h"

enum cscg_multi_table_form {
	CSCG_MULTI_TABLE_LONG,
	CSCG_MULTI_TABLE_WIDE,
	CSCG_MULTI_TABLE_JSON
};

struct cscg_multi_table {
	struct cscg_out *out;
	enum cscg_multi_table_form form;
	const char *what;	/* one candidate: "schema" */
	const char *const *names;	/* [n] of the candidates */
	int n;
	/* What a row says once, and of each candidate: numbers alone. */
	const struct cscg_col *row, *item;
	int n_row, n_item;
};

/* The header line, if the form has one; everything is borrowed. */
int cscg_multi_table_write_head(const struct cscg_multi_table *table, struct cscg_err *err);

/*
 * row[n_row] and item[n][n_each]; best is the number of a candidate.  Flushed
 * when it is complete.
 */
int cscg_multi_table_write_row(const struct cscg_multi_table *table, const union cscg_cell *row,
    int best, const union cscg_cell *item, struct cscg_err *err);

#endif
