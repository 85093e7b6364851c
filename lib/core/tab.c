/*
 * tab.c - walks from tables
 *
 * Whether a column holds numbers or names is known only at its end, so steps
 * are kept with the numbers of a dictionary and renumbered then.  A row waits
 * for the next one, which tells whether its action counts.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "base/dict.h"
#include "base/mem.h"
#include "io/npy.h"
#include "core/limits.h"
#include "core/tab.h"
#include "core/tab_columns.h"
#include "core/tab_field.h"
#include "core/walk_line.h"

/* The symbols, or the actions. */
struct alphabet {
	const char *what;
	int max;		/* how many there may be */
	int n;			/* like: how many there are; 0: open */
	bool numbered;		/* like: numbers only */
	struct cscg_dict dict;
};

/* A row as it stands in the table; NULL: no such column. */
struct row {
	const char *x, *a, *episode, *goal;
	int z;
	double r;
	bool reset;
};

struct cscg_walk_table {
	struct cscg_walk_table_options opt;
	struct alphabet sym, act;
	struct cscg_walk *walk;
	/* The row that waits, and where it stands. */
	bool waiting;
	struct cscg_step step;
	char *action;
	size_t cap_action;
	long position;
	/* The file being read. */
	struct cscg_in *in;
	const char *unit;	/* "line" or "row" */
	long n_rows;
	char *key;		/* the values that tell an episode, as one */
	size_t cap_key;
	struct cscg_dict episodes;
	int episode;
};

/* Is s a name, but for control characters?  Else err is filled. */
static bool
is_utf8(const char *s, struct cscg_err *err)
{
	char *p, *copy = cscg_copy(s, strlen(s) + 1, 1, err);
	struct cscg_names name = { 0 };
	bool good;

	for (p = copy; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	good = copy && cscg_names_add(&name, copy, err) == 0;
	cscg_names_free(&name);
	free(copy);
	return good;
}

/* A name into its dictionary; what is no UTF-8 is most often Latin-1. */
static int
add_name(struct cscg_dict *dict, const char *s, struct cscg_err *err)
{
	int i = cscg_dict_add(dict, s, err);
	struct cscg_err why = { 0 };

	if (i < 0 && err->code == CSCG_EFORMAT && !is_utf8(s, &why) &&
	    why.code == CSCG_EFORMAT)
		return cscg_fail(err, CSCG_EFORMAT, "a name is not valid "
		    "UTF-8; is it Latin-1? (iconv -f LATIN1 -t UTF-8)");
	return i;
}

static int
find_symbol(struct alphabet *al, const char *s, struct cscg_err *err)
{
	int i;

	if (!al->n)
		return add_name(&al->dict, s, err);
	i = al->numbered ? cscg_walk_table_parse_number(s, al->n) :
	    cscg_dict_find(&al->dict, s);
	if (i < 0 && al->numbered)
		return cscg_fail(err, CSCG_EMISMATCH, "%s '%.64s' is not a "
		    "number 0..%d", al->what, s, al->n - 1);
	if (i < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "%s '%.64s' is not known "
		    "(%d %ss, '%.64s' first)", al->what, s, al->n, al->what,
		    al->dict.names.v[0]);
	return i;
}

static int
set_alphabet(struct alphabet *al, const struct cscg_names *names, int n,
    struct cscg_err *err)
{
	int i;

	al->n = n;
	al->numbered = !names->n;
	for (i = 0; i < names->n; i++)
		if (cscg_dict_add(&al->dict, names->v[i], err) < 0)
			return -1;
	return 0;
}

struct cscg_walk_table *
cscg_walk_table_new(const struct cscg_walk_table_options *opt, struct cscg_err *err)
{
	struct cscg_walk_header none = { 0 };
	struct cscg_walk_table *table = cscg_alloc(1, sizeof *table, err);
	const struct cscg_walk_header *alphabet_from = opt->alphabet_from;

	if (!table)
		return NULL;
	table->opt = *opt;
	table->sym.what = "symbol";
	table->sym.max = CSCG_OBS_MAX;
	table->act.what = "action";
	table->act.max = CSCG_ACTION_MAX;
	table->walk = cscg_walk_new(&none, err);
	if (!table->walk || (alphabet_from && (set_alphabet(&table->sym, &alphabet_from->symbols,
	    alphabet_from->n_obs, err) < 0 || set_alphabet(&table->act, &alphabet_from->actions,
	    alphabet_from->n_actions, err) < 0))) {
		cscg_walk_table_free(table);
		return NULL;
	}
	return table;
}

void
cscg_walk_table_free(struct cscg_walk_table *table)
{
	if (!table)
		return;
	cscg_dict_free(&table->sym.dict);
	cscg_dict_free(&table->act.dict);
	cscg_dict_free(&table->episodes);
	cscg_walk_free(table->walk);
	free(table->action);
	free(table->key);
	free(table);
}

/* Where a fault lies; one of the stream itself is the better reason. */
static int
fail_at_row(const struct cscg_walk_table *table, long position, struct cscg_err *err)
{
	if (err->code != CSCG_ENOMEM && cscg_in_verify(table->in, err) < 0)
		return -1;
	return cscg_fail_at(err, "%s: %s %ld", cscg_in_name(table->in),
	    table->unit, position);
}

/* The row that waits goes into the walk, as the last of its episode or not. */
static int
add_waiting_row(struct cscg_walk_table *table, bool last, struct cscg_err *err)
{
	if (!table->waiting)
		return 0;
	table->waiting = false;
	table->step.a = -1;
	if (!last && !*table->action) {
		/* An array has no columns with names. */
		cscg_fail(err, CSCG_EFORMAT, "no action, but the episode goes "
		    "on%s", table->opt.n_episode || strcmp(table->unit, "line") ? "" :
		    "; if another begins here, --episode names the column that "
		    "tells");
		return fail_at_row(table, table->position, err);
	}
	if (!last) {
		table->step.a = find_symbol(&table->act, table->action, err);
		if (table->step.a < 0)
			return fail_at_row(table, table->position, err);
	}
	return cscg_walk_add(table->walk, &table->step, err);
}

/* Is this row the first of an episode?  1, 0, -1. */
static int
starts_episode(struct cscg_walk_table *table, const char *episode, struct cscg_err *err)
{
	int i, n = table->episodes.names.n;

	if (!episode)
		return table->episode < 0 ? (table->episode = 0, 1) : 0;
	i = add_name(&table->episodes, episode, err);
	if (i < 0)
		return -1;
	if (i == table->episode)
		return 0;
	if (i < n)
		return cscg_fail(err, CSCG_EFORMAT, "episode '%.64s' goes on "
		    "after another began%s", episode,
		    strcmp(table->unit, "line") ? "" : " (--episode may be "
		    "repeated, to name all columns that tell)");
	table->episode = i;
	return 1;
}

static int
add_row(struct cscg_walk_table *table, const struct row *row, long position,
    struct cscg_err *err)
{
	const char *action = row->a ? row->a : "0";
	int first = starts_episode(table, row->episode, err);

	if (first < 0)
		return fail_at_row(table, position, err);
	if (add_waiting_row(table, first, err) < 0)
		return -1;
	table->step.x = table->step.goal = -1;
	if (*row->x) {
		table->step.x = find_symbol(&table->sym, row->x, err);
		if (table->step.x < 0)
			return fail_at_row(table, position, err);
	}
	if (row->goal && *row->goal) {
		table->step.goal = find_symbol(&table->sym, row->goal, err);
		if (table->step.goal < 0)
			return fail_at_row(table, position, err);
	}
	table->step.z = row->z;
	table->step.r = row->r;
	table->step.reset = row->reset;
	if (cscg_grow(&table->action, &table->cap_action, strlen(action) + 1, 1,
	    err) < 0)
		return -1;
	memcpy(table->action, action, strlen(action) + 1);
	table->waiting = true;
	table->position = position;
	table->n_rows++;
	return 0;
}

static void
start_file(struct cscg_walk_table *table, struct cscg_in *in, const char *unit)
{
	table->in = in;
	table->unit = unit;
	table->n_rows = 0;
	cscg_dict_free(&table->episodes);
	table->episode = -1;
}

/*
 * The values of the columns that tell episodes as one, with commas between; a
 * backslash tells those apart that are in a value.  NULL with err filled.
 */
static const char *
episode_key(struct cscg_walk_table *table, char **field,
    const struct cscg_walk_table_columns *c, struct cscg_err *err)
{
	size_t n = 1;
	const char *p;
	char *to;
	int i;

	if (c->n_episode == 1)
		return field[c->episode[0]];
	for (i = 0; i < c->n_episode; i++)
		n += 2 * strlen(field[c->episode[i]]) + 1;
	if (cscg_grow(&table->key, &table->cap_key, n, 1, err) < 0)
		return NULL;
	to = table->key;
	for (i = 0; i < c->n_episode; i++) {
		if (i)
			*to++ = ',';
		for (p = field[c->episode[i]]; *p; p++) {
			if (*p == ',' || *p == '\\')
				*to++ = '\\';
			*to++ = *p;
		}
	}
	*to = '\0';
	return table->key;
}

static int
get_row(struct cscg_walk_table *table, char **field, int n,
    const struct cscg_walk_table_columns *c, struct row *row, struct cscg_err *err)
{
	if (n != c->n)
		return cscg_fail(err, CSCG_EFORMAT, "%d field%s, but the first "
		    "line has %d", n, n == 1 ? "" : "s", c->n);
	cscg_walk_table_blank_missing(&table->opt, c, field);
	row->x = field[c->x];
	row->a = c->a < 0 ? NULL : field[c->a];
	row->episode = c->n_episode ? episode_key(table, field, c, err) : NULL;
	if (c->n_episode && !row->episode)
		return -1;
	row->goal = c->goal < 0 ? NULL : field[c->goal];
	row->z = -1;
	if (c->z >= 0 && *field[c->z]) {
		row->z = cscg_walk_table_parse_number(field[c->z], CSCG_TRUE_STATE_MAX);
		if (row->z < 0)
			return cscg_fail(err, CSCG_EFORMAT, "node '%.64s' is "
			    "not a number 0..%d", field[c->z],
			    CSCG_TRUE_STATE_MAX - 1);
	}
	if (cscg_walk_table_parse_reward(c->r < 0 ? "" : field[c->r], &row->r, err) < 0)
		return -1;
	return cscg_walk_table_parse_reset(c->reset < 0 ? "" : field[c->reset], &row->reset,
	    err);
}

/*
 * The next row, past lines at the end that are empty: 1, 0, -1.  With a single
 * column an empty line is a dropout.
 */
static int
next_row(struct cscg_walk_table *table, struct cscg_csv *csv,
    const struct cscg_walk_table_columns *c, struct row *row, struct cscg_err *err)
{
	long empty = 0;
	char **field;
	int n, rc;

	while ((rc = cscg_csv_next(csv, &field, &n, err)) > 0) {
		if (n > 1 || c->n == 1 || *field[0])
			break;
		empty = empty ? empty : cscg_csv_line(csv);
	}
	if (rc <= 0)
		return rc;
	if (empty) {
		cscg_fail(err, CSCG_EFORMAT, "an empty line inside the table");
		return fail_at_row(table, empty, err);
	}
	if (get_row(table, field, n, c, row, err) < 0)
		return fail_at_row(table, cscg_csv_line(csv), err);
	return 1;
}

int
cscg_walk_table_read_csv(struct cscg_walk_table *table, struct cscg_in *in, char sep,
    struct cscg_err *err)
{
	struct cscg_csv *csv = cscg_csv_new(in, sep, err);
	struct cscg_walk_table_columns c;
	struct row row;
	char **field;
	int n, rc = -1;

	if (!csv)
		return -1;
	start_file(table, in, "line");
	rc = cscg_csv_head(csv, &field, &n, err);
	if (rc == 0)
		rc = cscg_fail(err, CSCG_ECUT, "%s: unexpected end: no names "
		    "of columns", cscg_in_name(in));
	if (rc < 0)
		goto out;
	if (cscg_walk_table_find_columns(&table->opt, field, n, &c, err) < 0) {
		rc = fail_at_row(table, 1, err);
		goto out;
	}
	while ((rc = next_row(table, csv, &c, &row, err)) > 0) {
		rc = add_row(table, &row, cscg_csv_line(csv), err);
		if (rc < 0)
			goto out;
	}
	if (rc == 0)
		rc = add_waiting_row(table, true, err);
out:
	cscg_csv_free(csv);
	return rc;
}

/* A number of an array as text, "" for -1. */
static int
format_number(double v, const char *what, char *buf, size_t size,
    struct cscg_err *err)
{
	if (v < -1)
		return cscg_fail(err, CSCG_ERANGE, "%s %.0f is negative", what,
		    v);
	if (v < 0)
		*buf = '\0';
	else
		snprintf(buf, size, "%.0f", v);
	return 0;
}

int
cscg_walk_table_read_npy(struct cscg_walk_table *table, struct cscg_in *in, struct cscg_err *err)
{
	char x[32], a[32], e[32];
	struct row row = { .x = x, .z = -1, .r = NAN };
	struct cscg_npy arr = { 0 };
	long t, cols;
	double *v;
	int rc = -1;

	if (cscg_npy_read(in, &arr, err) < 0)
		return -1;
	start_file(table, in, "row");
	cols = arr.ndim == 1 ? 1 : arr.shape[1];
	if (!arr.is_int || arr.ndim < 1 || arr.ndim > 2 || cols < 1 ||
	    cols > 3) {
		cscg_fail(err, CSCG_EFORMAT, "%s: not an array of integers of "
		    "shape (N,), (N, 2) or (N, 3)", cscg_in_name(in));
		goto out;
	}
	row.a = cols > 1 ? a : NULL;
	row.episode = cols > 2 ? e : NULL;
	for (t = 0; t < arr.shape[0]; t++) {
		v = arr.data + t * cols;
		if (format_number(v[0], "symbol", x, sizeof x, err) < 0 ||
		    (cols > 1 && format_number(v[1], "action", a, sizeof a, err) < 0) ||
		    (cols > 2 && format_number(v[2], "episode", e, sizeof e,
		    err) < 0)) {
			fail_at_row(table, t, err);
			goto out;
		}
		if (add_row(table, &row, t, err) < 0)
			goto out;
	}
	rc = add_waiting_row(table, true, err);
out:
	cscg_npy_free(&arr);
	return rc;
}

long
cscg_walk_table_n_rows(const struct cscg_walk_table *table)
{
	return table->n_rows;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * What the numbers of the dictionary become: *map new, the size of the
 * alphabet, and its names unless they are numbers.
 */
static int
number_names(struct alphabet *al, bool sorted, int **map, int *n,
    struct cscg_names *names, struct cscg_err *err)
{
	struct cscg_names *seen = &al->dict.names;
	struct cscg_dict order = { 0 };
	char **v;
	int i, rc = 0;

	*map = cscg_alloc((size_t)(seen->n > al->n ? seen->n : al->n),
	    sizeof **map, err);
	if (!*map)
		return -1;
	for (*n = 1, i = 0; i < seen->n && !al->n; i++) {
		(*map)[i] = cscg_walk_table_parse_number(seen->v[i], al->max);
		if ((*map)[i] < 0)
			break;
		*n = (*map)[i] >= *n ? (*map)[i] + 1 : *n;
	}
	if (i == seen->n && !al->n)
		return 0;
	*n = al->n ? al->n : seen->n;
	for (i = 0; i < *n; i++)
		(*map)[i] = i;
	if (*n > al->max)
		return cscg_fail(err, CSCG_ERANGE, "%d different %ss, more "
		    "than %d", *n, al->what, al->max);
	if (!sorted || al->n)
		return cscg_names_copy(names, seen, err);
	v = cscg_copy(seen->v, (size_t)*n, sizeof *v, err);
	if (!v)
		return -1;
	qsort(v, (size_t)*n, sizeof *v, by_name);
	for (i = 0; i < *n && rc >= 0; i++)
		rc = cscg_dict_add(&order, v[i], err);
	for (i = 0; i < *n && rc >= 0; i++)
		(*map)[i] = cscg_dict_find(&order, seen->v[i]);
	if (rc >= 0)
		rc = cscg_names_copy(names, &order.names, err);
	cscg_dict_free(&order);
	free(v);
	return rc < 0 ? -1 : 0;
}

struct cscg_walk *
cscg_walk_table_to_walk(struct cscg_walk_table *table, struct cscg_err *err)
{
	struct cscg_walk *w = table->walk;
	struct cscg_walk_header *h = &w->head;
	int *sym = NULL, *act = NULL;
	long t;

	table->walk = NULL;
	if (number_names(&table->sym, table->opt.sorted, &sym, &h->n_obs,
	    &h->symbols, err) < 0 ||
	    number_names(&table->act, table->opt.sorted, &act, &h->n_actions,
	    &h->actions, err) < 0) {
		cscg_walk_free(w);
		w = NULL;
	}
	for (t = 0; w && t < w->n_steps; t++) {
		if (w->x[t] >= 0)
			w->x[t] = sym[w->x[t]];
		if (w->a[t] >= 0)
			w->a[t] = act[w->a[t]];
		if (w->goal && w->goal[t] >= 0)
			w->goal[t] = sym[w->goal[t]];
	}
	free(sym);
	free(act);
	return w;
}
