/* sheet.c - a table in which each row is about several candidates */
#include "io/sheet.h"

/* The name of a column, after what came before it. */
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
cscg_multi_table_write_head(const struct cscg_multi_table *s, struct cscg_err *err)
{
	bool wide = s->form == CSCG_MULTI_TABLE_WIDE;
	int i, j;

	if (s->form == CSCG_MULTI_TABLE_JSON)
		return cscg_out_flush(s->out, err);
	for (j = 0; j < s->n_row; j++)
		if (write_name(s, j == 0, s->row[j].name, NULL, err) < 0)
			return -1;
	if (write_name(s, s->n_row == 0, wide ? "best" : s->what, NULL, err) < 0)
		return -1;
	for (i = 0; i < (wide ? s->n : 1); i++)
		for (j = 0; j < s->n_item; j++)
			if (write_name(s, false, s->item[j].name, wide ?
			    s->names[i] : NULL, err) < 0)
				return -1;
	if (cscg_out_write(s->out, "\n", 1, err) < 0)
		return -1;
	return cscg_out_flush(s->out, err);
}

/* Cells with a tab behind each. */
static int
write_cells(const struct cscg_multi_table *s, const struct cscg_col *cols, int n,
    const union cscg_cell *cells, bool last, struct cscg_err *err)
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
    const char *name, const union cscg_cell *item, int n,
    struct cscg_err *err)
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
	    cscg_table_write_json_string(s->out, name, err) < 0 ||
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
cscg_multi_table_write_row(const struct cscg_multi_table *s, const union cscg_cell *row,
    int best, const union cscg_cell *item, struct cscg_err *err)
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
