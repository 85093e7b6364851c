/* frame_table.c - rows of a CSV or TSV table as frames */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "core/frame_table.h"
#include "io/csv.h"
#include "io/sniff.h"

/* The name of the column that is added. */
static const char added[] = "symbol";

void
cscg_frame_table_free(struct cscg_frame_table *t)
{
	cscg_frames_free(t->frames);
	free(t->text);
	free(t->end);
	*t = (struct cscg_frame_table){ 0 };
}

/* Append a record to the text; row 0 has the names of columns. */
static int
keep_row(struct cscg_frame_table *t, size_t row, char **field, int n,
    struct cscg_err *err)
{
	size_t at = row ? t->end[row - 1] : 0, size;
	char *text;
	int i;

	if (cscg_grow(&t->end, &t->cap_end, row + 1, sizeof *t->end, err) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		text = cscg_csv_field(field[i], t->sep, err);
		if (!text)
			return -1;
		size = strlen(text);
		if (cscg_grow(&t->text, &t->cap_text, at + size + 1, 1, err) <
		    0) {
			free(text);
			return -1;
		}
		memcpy(t->text + at, text, size);
		t->text[at + size] = t->sep;
		at += size + 1;
		free(text);
	}
	t->end[row] = at;
	return 0;
}

/* The number of the column of this name, or -1 with err filled. */
static int
find_column(char **field, int n, const char *name, struct cscg_err *err)
{
	int i;

	for (i = 0; i < n && strcmp(field[i], name); i++)
		;
	return i < n ? i :
		       cscg_fail(err, CSCG_EFORMAT, "no column '%.64s'", name);
}

/* Read the column names and find the columns of the frames. */
static int
read_head(struct cscg_frame_table *t, struct cscg_csv *csv, char *const *name,
    int n, int *column, int *n_fields, struct cscg_err *err)
{
	char **field;
	int i, rc = cscg_csv_head(csv, &field, n_fields, err);

	if (rc < 0)
		return -1;
	for (i = 0; rc > 0 && i < *n_fields; i++)
		if (!strcmp(field[i], added))
			rc = cscg_fail(err, CSCG_EFORMAT,
			    "there is a column '%s' already", added);
	for (i = 0; rc > 0 && i < n; i++)
		if ((column[i] = find_column(field, *n_fields, name[i], err)) <
		    0)
			rc = -1;
	if (rc < 0)
		return cscg_csv_fail_at(csv, err);
	return keep_row(t, 0, field, *n_fields, err);
}

/* The frame of a row, unless a number is missing. */
static int
add_frame(struct cscg_frame_table *t, char **field, const int *column, int n,
    double *v, struct cscg_err *err)
{
	bool missing = false;
	int i;

	for (i = 0; i < n; i++) {
		if (!cscg_csv_parse_real(field[column[i]], &v[i]))
			return cscg_fail(err, CSCG_EFORMAT,
			    "'%.64s' is not a number", field[column[i]]);
		missing |= isnan(v[i]);
	}
	return missing ? 0 : cscg_frames_add(t->frames, t->n_rows, v, err);
}

static int
read_rows(struct cscg_frame_table *t, struct cscg_csv *csv, const int *column,
    int n, int n_fields, double *v, struct cscg_err *err)
{
	char **field;
	int rc;

	while ((rc = cscg_csv_row(csv, n_fields, &field, err)) > 0) {
		if (keep_row(t, (size_t)t->n_rows + 1, field, n_fields, err) <
			0 ||
		    add_frame(t, field, column, n, v, err) < 0)
			return cscg_csv_fail_at(csv, err);
		t->n_rows++;
	}
	return rc;
}

int
cscg_frame_table_read(struct cscg_frame_table *t, const char *path,
    char *const *name, int n, struct cscg_err *err)
{
	const long shape[1] = { n };
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_csv *csv = NULL;
	double *v = cscg_alloc((size_t)n, sizeof *v, err);
	int *column = cscg_alloc((size_t)n, sizeof *column, err);
	int n_fields = 0, rc = -1;

	if (in && v && column)
		t->sep = cscg_sniff_in_separator(in, ',', err);
	if (t->sep)
		csv = cscg_csv_new(in, t->sep, err);
	if (csv)
		t->frames = cscg_frames_new(CSCG_PIXEL_DOUBLE, 1, shape, err);
	if (!t->frames)
		goto out;
	rc = read_head(t, csv, name, n, column, &n_fields, err);
	if (rc == 0)
		rc = read_rows(t, csv, column, n, n_fields, v, err);
	if (rc == 0 && !t->frames->n)
		rc = cscg_fail(err, CSCG_EFORMAT,
		    "%s: no row has all of these columns", cscg_in_name(in));
out:
	cscg_csv_free(csv);
	cscg_in_close(in);
	free(column);
	free(v);
	return rc;
}

int
cscg_frame_table_write(const struct cscg_frame_table *t, const int *label,
    struct cscg_out *out, struct cscg_err *err)
{
	char number[CSCG_DECIMAL_INT + 2];
	const struct cscg_frames *f = t->frames;
	size_t from = 0;
	long i;
	int n;

	for (i = 0; i <= t->n_rows; i++) {
		if (i == 0)
			n = snprintf(number, sizeof number, "%s\n", added);
		else if (i > f->n_views || f->frame_of[i - 1] < 0)
			n = snprintf(number, sizeof number, "\n");
		else
			n = snprintf(number, sizeof number, "%d\n",
			    label[f->frame_of[i - 1]]);
		if (cscg_out_write(out, t->text + from, t->end[i] - from,
			err) < 0 ||
		    cscg_out_write(out, number, (size_t)n, err) < 0)
			return -1;
		from = t->end[i];
	}
	return cscg_out_flush(out, err);
}
