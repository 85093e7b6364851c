/*
 * tab_put.c - walks as tables
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/csv.h"
#include "base/mem.h"
#include "io/npy.h"
#include "core/tab.h"

/* The name of number i, or its digits in buf; "" for none. */
static const char *
format_name(int i, const struct cscg_names *names, bool numbers, char *buf,
    size_t size)
{
	if (i < 0)
		return "";
	if (names->n && !numbers)
		return names->v[i];
	snprintf(buf, size, "%d", i);
	return buf;
}

/* As few digits as give the number back. */
static const char *
format_real(double v, char *buf, size_t size)
{
	int digits;

	if (isnan(v))
		return "";
	for (digits = 15; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}

static int
write_names(const struct cscg_walk *w, struct cscg_out *out, char sep,
    struct cscg_err *err)
{
	const char *field[7] = { "episode", "x", "a" };
	int n = 3;

	if (w->z)
		field[n++] = "z";
	if (w->reset)
		field[n++] = "reset";
	if (w->r)
		field[n++] = "r";
	if (w->goal)
		field[n++] = "goal";
	return cscg_csv_write(out, sep, field, n, err);
}

static int
write_row(const struct cscg_walk *w, int episode, long t, struct cscg_out *out,
    char sep, bool numbers, struct cscg_err *err)
{
	static const struct cscg_names none;
	const struct cscg_walk_header *h = &w->head;
	char buf[6][32];
	const char *field[7];
	int n = 3;

	snprintf(buf[0], sizeof buf[0], "%d", episode);
	field[0] = buf[0];
	field[1] = format_name(w->x[t], &h->symbols, numbers, buf[1], sizeof *buf);
	field[2] = format_name(w->a[t], &h->actions, numbers, buf[2], sizeof *buf);
	if (w->z)
		field[n++] = format_name(w->z[t], &none, true, buf[3], sizeof *buf);
	if (w->reset)
		field[n++] = w->reset[t] ? "1" : "0";
	if (w->r)
		field[n++] = format_real(w->r[t], buf[4], sizeof *buf);
	if (w->goal)
		field[n++] = format_name(w->goal[t], &h->symbols, numbers, buf[5],
		    sizeof *buf);
	return cscg_csv_write(out, sep, field, n, err);
}

/* An empty name would read as none. */
static int
check_names(const struct cscg_names *names, const char *what,
    struct cscg_err *err)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!*names->v[i])
			return cscg_fail(err, CSCG_EMISMATCH, "the name of %s "
			    "%d is empty: a table needs numbers", what, i);
	return 0;
}

int
cscg_walk_table_write_csv(const struct cscg_walk *walk, struct cscg_out *out, char sep,
    bool numbers, struct cscg_err *err)
{
	long t;
	int e;

	if (!numbers && (check_names(&walk->head.symbols, "symbol", err) < 0 ||
	    check_names(&walk->head.actions, "action", err) < 0))
		return -1;
	if (write_names(walk, out, sep, err) < 0)
		return -1;
	for (e = 0; e < walk->n_episodes; e++)
		for (t = walk->start[e]; t < walk->start[e + 1]; t++)
			if (write_row(walk, e, t, out, sep, numbers, err) < 0)
				return -1;
	return cscg_out_flush(out, err);
}

int
cscg_walk_table_write_npy(const struct cscg_walk *walk, struct cscg_out *out,
    struct cscg_err *err)
{
	long shape[2] = { walk->n_steps, 3 }, t;
	int e, rc, *v;

	v = cscg_alloc((size_t)walk->n_steps, 3 * sizeof *v, err);
	if (!v)
		return -1;
	for (e = 0; e < walk->n_episodes; e++)
		for (t = walk->start[e]; t < walk->start[e + 1]; t++) {
			v[3 * t] = walk->x[t];
			v[3 * t + 1] = walk->a[t];
			v[3 * t + 2] = e;
		}
	rc = cscg_npy_write_ints(out, 2, shape, v, err);
	free(v);
	return rc;
}
