/* positions.c - recorded positions and the steps of a walk they belong to */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "core/positions.h"
#include "io/csv.h"
#include "io/sniff.h"

enum { X, Y, STEP, COLUMNS };
static const char *const names[COLUMNS] = { "x", "y", "step" };

int
cscg_positions_add(struct cscg_positions *p, long step, double x, double y,
    struct cscg_err *err)
{
	size_t n = (size_t)p->n + 1;

	if (cscg_grow(&p->step, &p->cap_step, n, sizeof *p->step, err) < 0 ||
	    cscg_grow(&p->x, &p->cap_x, n, sizeof *p->x, err) < 0 ||
	    cscg_grow(&p->y, &p->cap_y, n, sizeof *p->y, err) < 0)
		return -1;
	p->step[p->n] = step;
	p->x[p->n] = x;
	p->y[p->n++] = y;
	return 0;
}

void
cscg_positions_free(struct cscg_positions *p)
{
	free(p->step);
	free(p->x);
	free(p->y);
	*p = (struct cscg_positions){ 0 };
}

/* The columns, -1: absent. */
static int
read_head(struct cscg_csv *csv, int *column, int *n, struct cscg_err *err)
{
	char **field;
	int i, k, rc = cscg_csv_head(csv, &field, n, err);

	if (rc < 0)
		return -1;
	for (k = 0; k < COLUMNS; k++) {
		column[k] = -1;
		for (i = 0; i < *n && column[k] < 0; i++)
			if (!strcasecmp(field[i], names[k]))
				column[k] = i;
	}
	if (column[X] >= 0)
		return 0;
	cscg_fail(err, CSCG_EFORMAT, "no column 'x'");
	return cscg_csv_fail_at(csv, err);
}

/* Add the position of a row, unless it is missing. */
static int
add_row(struct cscg_positions *p, char **field, const int *column,
    struct cscg_err *err)
{
	double v[COLUMNS] = { 0, 0, (double)p->n_rows };
	int k;

	for (k = 0; k < COLUMNS; k++)
		if (column[k] >= 0 &&
		    !cscg_csv_parse_real(field[column[k]], &v[k]))
			return cscg_fail(err, CSCG_EFORMAT,
			    "'%.64s' is not a number", field[column[k]]);
	p->n_rows++;
	if (isnan(v[X]) || isnan(v[Y]) || isnan(v[STEP]))
		return 0;
	if (!(v[STEP] >= 0 && v[STEP] < 1e15) || v[STEP] != floor(v[STEP]))
		return cscg_fail(err, CSCG_EFORMAT,
		    "step %g is not a whole number from 0", v[STEP]);
	return cscg_positions_add(p, (long)v[STEP], v[X], v[Y], err);
}

static int
read_rows(struct cscg_positions *p, struct cscg_csv *csv, const int *column,
    int n_fields, struct cscg_err *err)
{
	char **field;
	int rc;

	while ((rc = cscg_csv_row(csv, n_fields, &field, err)) > 0)
		if (add_row(p, field, column, err) < 0)
			return cscg_csv_fail_at(csv, err);
	return rc;
}

int
cscg_positions_read(struct cscg_positions *p, const char *path,
    struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	struct cscg_csv *csv = NULL;
	int column[COLUMNS], n = 0, rc = -1;
	char sep = '\0';

	if (in)
		sep = cscg_sniff_in_separator(in, ',', err);
	if (sep)
		csv = cscg_csv_new(in, sep, err);
	if (!csv)
		goto out;
	rc = read_head(csv, column, &n, err);
	if (rc == 0)
		rc = read_rows(p, csv, column, n, err);
	if (rc == 0 && column[STEP] >= 0)
		p->n_rows = -1;
out:
	cscg_csv_free(csv);
	cscg_in_close(in);
	return rc;
}

int
cscg_positions_write(const struct cscg_positions *p, long n_steps,
    struct cscg_out *out, struct cscg_err *err)
{
	long i;

	if (cscg_out_printf(out, err, "step,x,y\n") < 0)
		return -1;
	for (i = 0; i < p->n; i++)
		if (p->step[i] < n_steps &&
		    cscg_out_printf(out, err, "%ld,%.15g,%.15g\n", p->step[i],
			p->x[i], p->y[i]) < 0)
			return -1;
	return cscg_out_flush(out, err);
}
