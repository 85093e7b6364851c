/*
 * walk_table.c - walks from and to CSV, TSV and .npy tables
 *
 * Whether a column holds numbers or names is known only at its end, so steps
 * hold dictionary numbers and are renumbered at the end.  Each row is kept
 * pending until the next row shows whether the episode continues: the last
 * action of an episode is not used.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/utf8.h"
#include "core/limits.h"
#include "core/walk_line.h"
#include "core/walk_table.h"
#include "io/csv.h"
#include "io/npy.h"
#include "io/sniff.h"

/* Index of the field for each role; -1: absent. */
struct columns {
	int x, a, z, reset, r, goal, time, likelihood;
	int bin[CSCG_MEASURE_AXES];
	int see[CSCG_WALK_TABLE_SEE_MAX];
	int episode[CSCG_WALK_TABLE_EPISODE_MAX], n_episode;
	int n;
};

/* values of the fields of a row */

/*
 * A decimal integer 0..max-1 without sign or leading zeros; -1 for any other
 * text.
 */
static int
parse_number(const char *s, int max)
{
	long v = 0;
	const char *p;

	if (!*s || (*s == '0' && s[1]))
		return -1;
	for (p = s; *p; p++) {
		if (*p < '0' || *p > '9' || p - s > 9)
			return -1;
		v = v * 10 + (*p - '0');
	}
	return v < max ? (int)v : -1;
}

/* Shorten 1.0 to 1: some programs write integers as reals. */
static void
trim_whole(char *s)
{
	char *point = s, *end;

	while (*point >= '0' && *point <= '9')
		point++;
	if (point == s || (*point != '.' && *point != ','))
		return;
	end = point + 1 + strspn(point + 1, "0");
	if (end > point + 1 && !*end)
		*point = '\0';
}

/*
 * A measurement, NaN for an empty field and for the usual marks of a missing
 * value; -1 with err filled (CSCG_EFORMAT).
 */
static int
parse_measurement(char *s, double *v, struct cscg_err *err)
{
	return cscg_csv_parse_real(s, v) ?
	    0 :
	    cscg_fail(err, CSCG_EFORMAT, "'%.64s' is not a number", s);
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static long
days_to(int year, int month, int day)
{
	int y = year - (month <= 2), m = (month + 9) % 12;

	return 365L * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day -
	    719469L;
}

/* Seconds east of UTC of a zone such as "Z", "+01:00", "-0330" or "". */
static bool
parse_zone(const char *s, double *seconds)
{
	int hours, minutes = 0, n = 0;

	*seconds = 0;
	if (!*s || !strcmp(s, "Z"))
		return true;
	if ((*s != '+' && *s != '-') ||
	    (sscanf(s + 1, "%2d:%2d%n", &hours, &minutes, &n) != 2 &&
		sscanf(s + 1, "%2d%2d%n", &hours, &minutes, &n) != 2) ||
	    s[1 + n])
		return false;
	*seconds = (*s == '-' ? -60 : 60) * (hours * 60.0 + minutes);
	return true;
}

/* A date and time, such as 2021-03-04T10:05:06.25+01:00, or a time alone. */
static bool
parse_clock(const char *s, double *t)
{
	int year, month, day, hour, minute, n = 0;
	double second, zone;
	long days = 0;

	if (sscanf(s, "%4d-%2d-%2d%*1[T ]%n", &year, &month, &day, &n) == 3 &&
	    n) {
		if (month < 1 || month > 12)
			return false;
		days = days_to(year, month, day);
		s += n;
	}
	if (sscanf(s, "%2d:%2d:%lf%n", &hour, &minute, &second, &n) != 3 ||
	    !parse_zone(s + n, &zone))
		return false;
	*t = 86400.0 * (double)days + 3600.0 * hour + 60.0 * minute + second -
	    zone;
	return isfinite(*t);
}

/*
 * A number, or the seconds of a date and time in ISO 8601; -1 with err filled
 * (CSCG_EFORMAT).
 */
static int
parse_time(const char *s, double *t, struct cscg_err *err)
{
	if (cscg_csv_is_real(s, t) || parse_clock(s, t))
		return 0;
	return cscg_fail(err, CSCG_EFORMAT,
	    "time '%.64s' is neither a number nor like 2021-03-04T10:05:06",
	    s);
}

/* A reward, NaN for an empty field; -1 with err filled (CSCG_EFORMAT). */
static int
parse_reward(const char *s, double *r, struct cscg_err *err)
{
	if (*s && !cscg_csv_is_real(s, r)) {
		cscg_fail(err, CSCG_EFORMAT, "'%.64s' is not a reward", s);
		return cscg_fail_hint(err, isnan(*r) ? "missing-value" : "");
	}
	if (!*s)
		*r = NAN;
	return 0;
}

/* 0 or 1, false or true, or empty; -1 with err filled (CSCG_EFORMAT). */
static int
parse_reset(const char *s, bool *reset, struct cscg_err *err)
{
	*reset = !strcmp(s, "1");
	if (*reset || !*s || !strcmp(s, "0"))
		return 0;
	*reset = !strcasecmp(s, "true");
	if (!*reset && strcasecmp(s, "false"))
		return cscg_fail(err, CSCG_EFORMAT,
		    "reset is '%.64s', neither 0 nor 1", s);
	return 0;
}

static bool
is_missing(const struct cscg_walk_table_options *opt, const char *s)
{
	int k;

	for (k = 0; k < opt->n_missing; k++)
		if (!strcmp(s, opt->missing[k]))
			return true;
	return false;
}

/* Whether s is a valid value of column i. */
static bool
is_valid_value(const struct columns *c, int i, const char *s)
{
	struct cscg_err err;
	double v;
	bool reset;

	if (i == c->a || i == c->r)
		return cscg_csv_is_real(s, &v);
	if (i == c->z)
		return parse_number(s, CSCG_TRUE_STATE_MAX) >= 0;
	return i == c->reset && parse_reset(s, &reset, &err) == 0;
}

/*
 * Make field i (-1: no field) empty if its value is missing, else normalise
 * it.
 */
static void
prepare_field(const struct cscg_walk_table_options *opt, char **field, int i,
    void change(char *))
{
	if (i < 0)
		return;
	if (is_missing(opt, field[i]))
		field[i] += strlen(field[i]);
	else
		change(field[i]);
}

/*
 * Normalise the fields of a row: 1.0 becomes 1, a decimal comma a point, and a
 * value listed in opt->missing becomes empty: always for observations and
 * goals, elsewhere only if it is not a valid value of that column.  So -1
 * stays an action and a reward, 0 a node, and 1 a reset.  Columns of episodes
 * are unchanged: two episodes identified by different missing values must not
 * become one.
 */
static void
blank_missing(const struct cscg_walk_table_options *opt,
    const struct columns *c, char **field)
{
	const int column[] = { c->x, c->goal, c->a, c->z, c->r, c->reset };
	size_t k;
	int i;

	for (k = 0; k < sizeof column / sizeof *column; k++) {
		i = column[k];
		if (i < 0)
			continue;
		if (i == c->r)
			cscg_csv_replace_comma(field[i]);
		if (opt->n_missing && is_missing(opt, field[i]) &&
		    !is_valid_value(c, i, field[i]))
			field[i] += strlen(field[i]);
		if (i != c->r)
			trim_whole(field[i]);
	}
	for (i = 0; i < opt->n_see; i++)
		prepare_field(opt, field, c->see[i], trim_whole);
	for (i = 0; opt->measure && i < opt->measure->n_axes; i++)
		prepare_field(opt, field, c->bin[i], cscg_csv_replace_comma);
	prepare_field(opt, field, c->likelihood, cscg_csv_replace_comma);
	prepare_field(opt, field, c->time, cscg_csv_replace_comma);
}

/*
 * columns of a table
 *
 * Columns named by options are found first, so that a column "node" can be the
 * observation; the usual names are searched among the remaining columns.
 */

/* The column names, and the columns that options have named. */
struct column_names {
	char **field;
	int n;
	struct {
		int column;
		const char *role;
	} taken[3 + CSCG_MEASURE_AXES + CSCG_WALK_TABLE_EPISODE_MAX];
	int n_taken;
	bool failed; /* with err filled: later searches find nothing */
};

/* Roles of columns, for messages. */
static const char role_observation[] = "observation", role_action[] = "action",
		  role_episode[] = "episode", role_position[] = "position",
		  role_time[] = "time";

/* The role for which the caller named column i, or NULL. */
static const char *
role_of(const struct column_names *h, int i)
{
	int k;

	for (k = 0; k < h->n_taken; k++)
		if (h->taken[k].column == i)
			return h->taken[k].role;
	return NULL;
}

/*
 * The column called by one of the NULL-terminated names; -1: absent, or
 * h->failed.
 */
static int
find_exact(struct column_names *h, const char *const *names,
    int compare(const char *, const char *), struct cscg_err *err)
{
	int i, k, found = -1;

	for (i = 0; i < h->n && !h->failed; i++)
		for (k = 0; names[k]; k++) {
			if (compare(h->field[i], names[k]) || role_of(h, i))
				continue;
			if (found >= 0) {
				cscg_fail(err, CSCG_EFORMAT,
				    "columns '%.64s' and '%.64s' are the same "
				    "thing",
				    h->field[found], h->field[i]);
				h->failed = true;
				return -1;
			}
			found = i;
		}
	return found;
}

static int
find_column(struct column_names *h, const char *const *names,
    struct cscg_err *err)
{
	int i = find_exact(h, names, strcmp, err);

	return i < 0 ? find_exact(h, names, strcasecmp, err) : i;
}

/* Number of occurrences of c in the names. */
static int
count_char(const struct column_names *h, char c)
{
	const char *p;
	int i, n = 0;

	for (i = 0; i < h->n; i++)
		for (p = h->field[i]; (p = strchr(p, c)) != NULL; p++)
			n++;
	return n;
}

/*
 * A suggestion of another field separator, if the names contain one; else "".
 */
static const char *
suggest_separator(const struct column_names *h, char *buf, size_t size)
{
	static const struct {
		char c;
		const char *what;
	} of[] = { { ';', "';'" }, { '\t', "tab" }, { ',', "','" },
		{ '|', "'|'" }, { ' ', "space" } };
	size_t i;
	int n;

	*buf = '\0';
	for (i = 0; i < sizeof of / sizeof *of && !*buf; i++) {
		n = count_char(h, of[i].c);
		/*
		 * Names of several words are common: suggest a space only if
		 * there is one column.
		 */
		if (n && (of[i].c != ' ' || h->n == 1))
			snprintf(buf, size,
			    "; with %d %s%s in the first line, is %s the "
			    "delimiter?",
			    n, of[i].what,
			    n > 1 && of[i].what[0] != '\'' ? "s" : "",
			    of[i].what);
	}
	return buf;
}

/* Whether the first line holds numbers only, like a row of data. */
static bool
is_data_row(const struct column_names *h)
{
	int i;

	for (i = 0; i < h->n; i++)
		if (!h->field[i][0] ||
		    h->field[i][strspn(h->field[i], "+-.0123456789eE")])
			return false;
	return true;
}

/* Report a missing column, with the columns that exist, as many as fit; -1. */
static int
fail_no_column(struct column_names *h, const char *name, const char *either,
    const char *hint, struct cscg_err *err)
{
	char list[200] = "", sep[80] = "";
	size_t at = 0;
	int i;

	for (i = 0; i < h->n && at < sizeof list - 50; i++)
		at += (size_t)snprintf(list + at, sizeof list - at,
		    "%s'%.32s'", i ? ", " : "", h->field[i]);
	cscg_fail(err, CSCG_EFORMAT, "no column '%.64s'%s; there %s %s%s%s",
	    name, either, h->n == 1 ? "is" : "are", list,
	    i < h->n ? ", ..." : "",
	    is_data_row(h) ? "; the first line must name the columns" :
			     suggest_separator(h, sep, sizeof sep));
	h->failed = true;
	return cscg_fail_hint(err, *sep ? "delimiter" : hint);
}

/* The column that the caller names, -1 if it names none, or h->failed. */
static int
find_named_column(struct column_names *h, const char *name, const char *role,
    struct cscg_err *err)
{
	const char *const names[] = { name, NULL };
	struct column_names all = {
		.field = h->field, .n = h->n, .failed = h->failed
	};
	int i;

	/* An empty name means no column, but an observation is required. */
	if (!name || (!*name && role != role_observation))
		return -1;
	i = find_column(&all, names, err);
	h->failed = all.failed;
	if (i < 0)
		return h->failed ? -1 : fail_no_column(h, name, "", "", err);
	if (role_of(h, i)) {
		cscg_fail(err, CSCG_EUSAGE,
		    "column '%.64s' cannot be both the %s and the %s",
		    h->field[i], role_of(h, i), role);
		h->failed = true;
		return cscg_fail_hint(err, "columns");
	}
	h->taken[h->n_taken].column = i;
	h->taken[h->n_taken++].role = role;
	return i;
}

/* A required column, by its usual names; -1: h->failed. */
static int
find_required_column(struct column_names *h, const char *const *names,
    const char *either, const char *role, const char *hint,
    struct cscg_err *err)
{
	struct column_names all = { .field = h->field, .n = h->n };
	int i = find_column(h, names, err);

	if (i >= 0 || h->failed)
		return i;
	i = find_column(&all, names, err);
	h->failed = true;
	if (i >= 0) {
		cscg_fail(err, CSCG_EUSAGE,
		    "column '%.64s' is the %s: the %s must be another column",
		    h->field[i], role_of(h, i), role);
		cscg_fail_hint(err, hint);
	} else if (!all.failed)
		fail_no_column(h, names[0], either, hint, err);
	return -1;
}

/* An optional column; its first name, a single letter, is case-sensitive. */
static int
find_case_sensitive(struct column_names *h, const char *const *names,
    struct cscg_err *err)
{
	int i = find_exact(h, names, strcmp, err);

	return i < 0 ? find_column(h, names + 1, err) : i;
}

/* The columns that the caller names, -1 for those it does not. */
static void
find_named_columns(struct column_names *h,
    const struct cscg_walk_table_options *opt, struct columns *c,
    struct cscg_err *err)
{
	int i;

	c->n_episode = 0;
	c->x = find_named_column(h, opt->x, role_observation, err);
	c->a = find_named_column(h, opt->a, role_action, err);
	for (i = 0; i < opt->n_episode; i++) {
		c->episode[i] = find_named_column(h, opt->episode[i],
		    role_episode, err);
		c->n_episode += c->episode[i] >= 0;
	}
}

/* The column of the likelihood of a position, or -1. */
static int
find_likelihood(struct column_names *h, const char *position,
    struct cscg_err *err)
{
	static const char word[] = "likelihood";
	const char *point = strrchr(position, '.');
	char name[256];
	const char *const names[] = { name, NULL };

	if (!point)
		return find_column(h, (const char *const[]){ word, NULL },
		    err);
	snprintf(name, sizeof name, "%.*s.%s", (int)(point - position),
	    position, word);
	return find_column(h, names, err);
}

/* The columns of measurements. */
static void
find_measured_columns(struct column_names *h,
    const struct cscg_walk_table_options *opt, struct columns *c,
    struct cscg_err *err)
{
	static const char *const ts[] = { "t", "time", "timestamp", "seconds",
		"frame", NULL };
	const struct cscg_measure_options *m = opt->measure;
	struct column_names all = { .field = h->field, .n = h->n };
	int i;

	for (i = 0; i < m->n_axes; i++)
		c->bin[i] = find_named_column(h, opt->bin[i], role_position,
		    err);
	/* The observation may also be a position. */
	all.failed = h->failed;
	for (i = 0; i < opt->n_see; i++, all.n_taken = 0)
		c->see[i] = find_named_column(&all, opt->see[i],
		    role_observation, err);
	h->failed = all.failed;
	if (m->n_axes)
		c->likelihood = find_likelihood(h, opt->bin[0], err);
	if (m->thin_time <= 0 && m->gap < 0 && m->episode_gap < 0)
		return;
	c->time = find_named_column(h, opt->time, role_time, err);
	for (i = 0; c->time < 0 && ts[i]; i++)
		c->time = find_column(h, (const char *const[]){ ts[i], NULL },
		    err);
}

/*
 * Find the columns of opt among the n names in field.  A name is matched
 * exactly, else case-insensitively; z and r, which are also common names of
 * measurements, only exactly.  A column that opt names has no other role.
 * Returns 0, or -1 with err filled: CSCG_EFORMAT (a required column is
 * missing, or two columns have one role), CSCG_EUSAGE (one column has two
 * roles).
 */
static int
find_columns(const struct cscg_walk_table_options *opt, char **field, int n,
    struct columns *c, struct cscg_err *err)
{
	static const char *const xs[] = { "x", "obs", "observation", NULL };
	static const char *const as[] = { "a", "action", NULL };
	static const char *const es[] = { "episode", NULL };
	static const char *const zs[] = { "z", "node", NULL };
	static const char *const resets[] = { "reset", NULL };
	static const char *const rs[] = { "r", "reward", NULL };
	static const char *const goals[] = { "goal", NULL };
	struct column_names h = { .field = field, .n = n };
	const struct cscg_measure_options *m = opt->measure;

	c->n = n;
	c->time = c->likelihood = -1;
	find_named_columns(&h, opt, c, err);
	if (m)
		find_measured_columns(&h, opt, c, err);
	if (!opt->x && !opt->n_see && !(m && m->n_axes))
		c->x = find_required_column(&h, xs,
		    " (or 'obs', 'observation')", role_observation, "x-column",
		    err);
	if (!opt->a && !(m && m->derive))
		c->a = find_required_column(&h, as, " (or 'action')",
		    role_action,
		    m && m->n_axes ? "a-column-or-derived" : "a-column", err);
	if (!opt->n_episode) {
		c->episode[0] = find_column(&h, es, err);
		c->n_episode = c->episode[0] >= 0;
	}
	c->z = c->r = c->goal = -1;
	c->reset = find_column(&h, resets, err);
	if (!m) {
		c->z = find_case_sensitive(&h, zs, err);
		c->r = find_case_sensitive(&h, rs, err);
		c->goal = find_column(&h, goals, err);
	}
	return h.failed ? -1 : 0;
}

/* The symbols, or the actions. */
struct alphabet {
	const char *what;
	int max;       /* largest permitted size */
	int n;         /* with alphabet_from: its size; 0: open */
	bool numbered; /* with alphabet_from: it has no names */
	bool padded;   /* names that are sought have a padding */
	struct cscg_dict dict;
};

/* The fields of a row; NULL: no such column. */
struct row {
	const char *x, *a, *episode, *goal;
	int z;
	double r;
	bool reset;
	double p[CSCG_MEASURE_AXES], t;
};

/* Text in a growing buffer. */
struct text {
	char *v;
	size_t cap;
};

/* File and line of a sample, and the action on its row. */
struct origin {
	long line;
	int file;
	int action; /* index into the names of actions; -1: none */
};

/* The samples of all files, until they become steps. */
struct samples {
	struct cscg_sample *v;
	struct origin *origin;
	size_t n, cap, cap_origin;
	int episode;
	struct cscg_dict labels, actions;
	char **file; /* names of files */
	size_t n_files, cap_files;
	struct cscg_measure_report report;
};

struct cscg_walk_table {
	struct cscg_walk_table_options opt;
	struct samples samples;
	struct alphabet sym, act;
	struct cscg_walk *walk;
	/* The pending row, and its position. */
	bool is_pending;
	struct cscg_step step;
	int action;        /* its action; -1: a name not yet in the alphabet,
	                      ... */
	char *action_name; /* ... which is this */
	size_t cap_action;
	long position;
	/* The file being read. */
	struct cscg_in *in;   /* NULL: all are read */
	struct cscg_csv *csv; /* its records; NULL: it has none */
	const char *name;
	const char *unit; /* "line" or "row" */
	long n_rows;
	bool has_action;        /* a table has a column of actions */
	struct text key, label; /* episode or observation: the joined values of
	                           its columns */
	struct cscg_dict episodes;
	int episode;
};

static bool
is_utf8(const char *s)
{
	int n;

	while (*s && (n = cscg_utf8_length(s, CSCG_UTF8_MAX)))
		s += n;
	return !*s;
}

/* Add a name to its dictionary; invalid UTF-8 is most often Latin-1. */
static int
add_name(struct cscg_dict *dict, const char *s, struct cscg_err *err)
{
	int i = cscg_dict_add(dict, s, err);

	if (i < 0 && err->code == CSCG_EFORMAT && !is_utf8(s))
		return cscg_fail(err, CSCG_EFORMAT,
		    "a name is not valid UTF-8; is it Latin-1? (iconv -f "
		    "LATIN1 -t UTF-8)");
	return i;
}

/* The number of a name that is in the alphabet, or -1. */
static int
find_known(const struct alphabet *al, const char *s)
{
	return al->numbered ? parse_number(s, al->n) :
	    al->padded      ? cscg_dict_find_padded(&al->dict, s) :
			      cscg_dict_find(&al->dict, s);
}

static int
find_symbol(struct alphabet *al, const char *s, struct cscg_err *err)
{
	int i = find_known(al, s);

	if (i >= 0)
		return i;
	if (!al->n)
		return add_name(&al->dict, s, err);
	if (al->numbered)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%s '%.64s' is not a number 0..%d", al->what, s,
		    al->n - 1);
	return cscg_fail(err, CSCG_EMISMATCH,
	    "%s '%.64s' is not known (%d %ss, '%.64s' first)", al->what, s,
	    al->n, al->what, al->dict.names.v[0]);
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
cscg_walk_table_new(const struct cscg_walk_table_options *opt,
    struct cscg_err *err)
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
	if (!table->walk ||
	    (alphabet_from &&
		(set_alphabet(&table->sym, &alphabet_from->symbols,
		     alphabet_from->n_obs, err) < 0 ||
		    set_alphabet(&table->act, &alphabet_from->actions,
			alphabet_from->n_actions, err) < 0))) {
		cscg_walk_table_free(table);
		return NULL;
	}
	return table;
}

static void
samples_free(struct samples *s)
{
	size_t i;

	for (i = 0; i < s->n_files; i++)
		free(s->file[i]);
	free(s->file);
	free(s->v);
	free(s->origin);
	cscg_dict_free(&s->labels);
	cscg_dict_free(&s->actions);
}

void
cscg_walk_table_free(struct cscg_walk_table *table)
{
	if (!table)
		return;
	cscg_dict_free(&table->sym.dict);
	cscg_dict_free(&table->act.dict);
	cscg_dict_free(&table->episodes);
	samples_free(&table->samples);
	cscg_walk_free(table->walk);
	free(table->action_name);
	free(table->key.v);
	free(table->label.v);
	free(table);
}

/* Prepend the position of an error; an error of the stream takes precedence. */
static int
fail_at_row(const struct cscg_walk_table *table, long position,
    struct cscg_err *err)
{
	if (table->csv)
		cscg_csv_stop(table->csv);
	if (err->code != CSCG_ENOMEM && table->in &&
	    cscg_in_verify(table->in, err) < 0)
		return -1;
	return cscg_fail_at(err, "%s: %s %ld", table->name, table->unit,
	    position);
}

/* Append the pending row to the walk, as the last of its episode or not. */
static int
add_pending_row(struct cscg_walk_table *table, bool last, struct cscg_err *err)
{
	if (!table->is_pending)
		return 0;
	table->is_pending = false;
	table->step.a = -1;
	if (!last && table->action < 0 && !*table->action_name) {
		cscg_fail(err, CSCG_EFORMAT,
		    "no action, but the episode continues");
		/* An array has no columns with names. */
		if (!table->opt.n_episode && !strcmp(table->unit, "line"))
			cscg_fail_hint(err, "episode-column");
		return fail_at_row(table, table->position, err);
	}
	if (!last && table->action < 0)
		table->action = find_symbol(&table->act, table->action_name,
		    err);
	if (!last && table->action < 0)
		return fail_at_row(table, table->position, err);
	if (!last)
		table->step.a = table->action;
	return cscg_walk_add(table->walk, &table->step, err);
}

/*
 * Whether two names are equal.  Most have a few bytes that were just written;
 * strcmp(), which loads whole words, would stall on these stores.
 */
static bool
is_same(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return *a == *b;
}

/* 1 if this row is the first of an episode, else 0; -1 with err filled. */
static int
starts_episode(struct cscg_walk_table *table, const char *episode,
    struct cscg_err *err)
{
	int i, n = table->episodes.names.n;

	if (!episode)
		return table->episode < 0 ? (table->episode = 0, 1) : 0;
	if (table->episode >= 0 &&
	    is_same(table->episodes.names.v[table->episode], episode))
		return 0;
	i = add_name(&table->episodes, episode, err);
	if (i < 0)
		return -1;
	if (i < n) {
		cscg_fail(err, CSCG_EFORMAT,
		    "episode '%.64s' continues after another began", episode);
		return cscg_fail_hint(err,
		    strcmp(table->unit, "line") ? "" : "episode-columns");
	}
	table->episode = i;
	return 1;
}

/*
 * Store the action of the pending row.  A new name enters the alphabet only if
 * the episode continues.
 */
static int
keep_action(struct cscg_walk_table *table, const char *action,
    struct cscg_err *err)
{
	size_t size;

	table->action = *action ? find_known(&table->act, action) : -1;
	if (table->action >= 0)
		return 0;
	size = strlen(action) + 1;
	if (cscg_grow(&table->action_name, &table->cap_action,
		size + CSCG_DICT_PADDING, 1, err) < 0)
		return -1;
	memcpy(table->action_name, action, size);
	return 0;
}

/* A row becomes a step, the first of an episode or not. */
static int
add_step(struct cscg_walk_table *table, const struct row *row, bool first,
    long position, struct cscg_err *err)
{
	static const char zero[1 + CSCG_DICT_PADDING] = "0";

	if (add_pending_row(table, first, err) < 0)
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
	if (keep_action(table, row->a ? row->a : zero, err) < 0)
		return -1;
	table->is_pending = true;
	table->position = position;
	return 0;
}

/* A row becomes a sample. */
static int
add_sample(struct cscg_walk_table *table, const struct row *row, bool first,
    long position, struct cscg_err *err)
{
	struct samples *s = &table->samples;
	struct cscg_sample sample = { .label = -1, .reset = row->reset };
	struct origin origin = { .line = position, .action = -1 };

	s->episode += first;
	sample.episode = s->episode;
	memcpy(sample.p, row->p, sizeof sample.p);
	sample.t = row->t;
	if (!first && row->t < s->v[s->n - 1].t) {
		cscg_fail(err, CSCG_EFORMAT,
		    "time goes back from %.15g to %.15g", s->v[s->n - 1].t,
		    row->t);
		return cscg_fail_hint(err, "episode-column");
	}
	origin.file = (int)s->n_files - 1;
	if (row->x && *row->x &&
	    (sample.label = add_name(&s->labels, row->x, err)) < 0)
		return -1;
	if (row->a && *row->a &&
	    (origin.action = add_name(&s->actions, row->a, err)) < 0)
		return -1;
	if (cscg_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, err) < 0 ||
	    cscg_grow(&s->origin, &s->cap_origin, s->n + 1, sizeof *s->origin,
		err) < 0)
		return -1;
	s->v[s->n] = sample;
	s->origin[s->n++] = origin;
	return 0;
}

static int
add_row(struct cscg_walk_table *table, const struct row *row, long position,
    struct cscg_err *err)
{
	int first = starts_episode(table, row->episode, err);

	if (first < 0)
		return fail_at_row(table, position, err);
	table->n_rows++;
	if (!table->opt.measure)
		return add_step(table, row, first, position, err);
	if (add_sample(table, row, first, position, err) < 0)
		return fail_at_row(table, position, err);
	return 0;
}

static void
start_file(struct cscg_walk_table *table, struct cscg_in *in, const char *unit)
{
	table->in = in;
	table->name = cscg_in_name(in);
	table->unit = unit;
	table->sym.padded = table->act.padded = false;
	table->n_rows = 0;
	cscg_dict_free(&table->episodes);
	table->episode = -1;
}

/*
 * The values of n columns joined by commas; a comma or backslash within a
 * value gets a backslash.  "" if all are empty; NULL with err filled.
 */
static const char *
join_fields(struct text *text, char **field, const int *column, int n,
    struct cscg_err *err)
{
	size_t size = 1 + CSCG_DICT_PADDING, used = 0;
	const char *p;
	char *to;
	int i;

	if (n == 1)
		return field[column[0]];
	for (i = 0; i < n; i++) {
		used += strlen(field[column[i]]);
		size += 2 * strlen(field[column[i]]) + 1;
	}
	if (cscg_grow(&text->v, &text->cap, size, 1, err) < 0)
		return NULL;
	to = text->v;
	for (i = 0; i < n && used; i++) {
		if (i)
			*to++ = ',';
		for (p = field[column[i]]; *p; p++) {
			if (*p == ',' || *p == '\\')
				*to++ = '\\';
			*to++ = *p;
		}
	}
	*to = '\0';
	return text->v;
}

/* Position and time of a row; a position of small likelihood is lost. */
static int
get_measurements(const struct cscg_walk_table *table, char **field,
    const struct columns *c, struct row *row, struct cscg_err *err)
{
	double likelihood = INFINITY;
	int k;

	if (c->likelihood >= 0 &&
	    parse_measurement(field[c->likelihood], &likelihood, err) < 0)
		return -1;
	for (k = 0; k < table->opt.measure->n_axes; k++) {
		if (parse_measurement(field[c->bin[k]], &row->p[k], err) < 0)
			return -1;
		if (!(likelihood >= table->opt.min_likelihood))
			row->p[k] = NAN;
	}
	row->t = (double)table->n_rows;
	return c->time < 0 ? 0 : parse_time(field[c->time], &row->t, err);
}

/* The observation, the action and the episode of a row. */
static int
get_names(struct cscg_walk_table *table, char **field, const struct columns *c,
    struct row *row, struct cscg_err *err)
{
	int n_see = table->opt.n_see;

	row->x = c->x < 0 ? NULL : field[c->x];
	row->a = c->a < 0 ? NULL : field[c->a];
	row->episode = NULL;
	if (n_see &&
	    !(row->x = join_fields(&table->label, field, c->see, n_see, err)))
		return -1;
	if (c->n_episode &&
	    !(row->episode = join_fields(&table->key, field, c->episode,
		  c->n_episode, err)))
		return -1;
	return 0;
}

static int
get_row(struct cscg_walk_table *table, char **field, int n,
    const struct columns *c, struct row *row, struct cscg_err *err)
{
	if (n != c->n)
		return cscg_csv_fail_fields(n, c->n, err);
	if (get_names(table, field, c, row, err) < 0)
		return -1;
	if (table->opt.measure &&
	    get_measurements(table, field, c, row, err) < 0)
		return -1;
	row->goal = c->goal < 0 ? NULL : field[c->goal];
	row->z = -1;
	if (c->z >= 0 && *field[c->z]) {
		row->z = parse_number(field[c->z], CSCG_TRUE_STATE_MAX);
		if (row->z < 0)
			return cscg_fail(err, CSCG_EFORMAT,
			    "node '%.64s' is not a number 0..%d", field[c->z],
			    CSCG_TRUE_STATE_MAX - 1);
	}
	row->r = NAN;
	row->reset = false;
	if (c->r >= 0 && parse_reward(field[c->r], &row->r, err) < 0)
		return -1;
	return c->reset < 0 ? 0 :
			      parse_reset(field[c->reset], &row->reset, err);
}

/*
 * The next row, skipping empty lines at the end of the file: 1, 0, -1.  In a
 * table of one column an empty line is a missing observation.
 */
static int
next_row(struct cscg_walk_table *table, struct cscg_csv *csv,
    const struct columns *c, struct row *row, struct cscg_err *err)
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

/* Append ".word" to *name, or replace an empty one. */
static int
extend_name(char **name, const char *word, struct cscg_err *err)
{
	size_t n = strlen(*name), m = strlen(word);
	char *text = cscg_alloc(n + m + 2, 1, err);

	if (!text)
		return -1;
	snprintf(text, n + m + 2, "%s%s%s", *name, n ? "." : "", word);
	free(*name);
	*name = text;
	return 0;
}

/*
 * The names of a table whose first line is DeepLabCut's "scorer": those of the
 * lines up to "coords", joined by points.  The first column numbers the frames.
 */
static int
read_pose_names(struct cscg_csv *csv, struct cscg_in *in, char **names, int n,
    struct cscg_err *err)
{
	bool last = false;
	char **field;
	int i, m, rc;

	for (i = 0; i < n; i++)
		names[i][0] = '\0';
	while (!last) {
		rc = cscg_csv_next(csv, &field, &m, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			return cscg_fail(err, CSCG_ECUT,
			    "%s: unexpected end: no line 'coords' after "
			    "'scorer'",
			    cscg_in_name(in));
		last = !strcmp(field[0], "coords");
		if (m != n ||
		    (!last && strcmp(field[0], "bodyparts") &&
			strcmp(field[0], "individuals")))
			return cscg_fail(err, CSCG_EFORMAT,
			    "%s: line %ld: not the header of a pose table: "
			    "after 'scorer' come 'individuals', 'bodyparts' "
			    "and 'coords'",
			    cscg_in_name(in), cscg_csv_line(csv));
		for (i = 1; i < n; i++)
			if (extend_name(&names[i], field[i], err) < 0)
				return -1;
	}
	return extend_name(&names[0], "frame", err);
}

/* The names "1", "2", ... of the columns of the next line. */
static int
number_columns(struct cscg_in *in, char sep, char ***names, int *n,
    struct cscg_err *err)
{
	char *line, number[CSCG_DECIMAL_INT + 1];
	size_t len;
	int rc = cscg_in_line(in, &line, &len, err), i;

	if (rc <= 0)
		return rc;
	*n = (int)cscg_sniff_count_separators(line, len, sep) + 1;
	cscg_in_unread_line(in);
	*names = cscg_alloc((size_t)*n, sizeof **names, err);
	for (i = 0; *names && i < *n; i++) {
		snprintf(number, sizeof number, "%d", i + 1);
		(*names)[i] = cscg_copy(number, strlen(number) + 1, 1, err);
		if (!(*names)[i])
			return -1;
	}
	return *names ? 1 : -1;
}

/* The names of the columns: 0 with *names new, or -1. */
static int
read_names(const struct cscg_walk_table_options *opt, struct cscg_csv *csv,
    struct cscg_in *in, char sep, char ***names, int *n, struct cscg_err *err)
{
	char **field;
	int rc;

	if (opt->no_header) {
		rc = number_columns(in, sep, names, n, err);
	} else {
		rc = cscg_csv_head(csv, &field, n, err);
		if (rc > 0 && !(*names = cscg_csv_copy_row(field, *n, err)))
			rc = -1;
	}
	if (rc == 0)
		return cscg_fail(err, CSCG_ECUT,
		    "%s: unexpected end: no names of columns",
		    cscg_in_name(in));
	if (rc > 0 && !strcmp((*names)[0], "scorer"))
		rc = read_pose_names(csv, in, *names, *n, err);
	return rc < 0 ? -1 : 0;
}

static int
add_file(struct samples *s, struct cscg_in *in, struct cscg_err *err)
{
	const char *name = cscg_in_name(in);

	if (cscg_grow(&s->file, &s->cap_files, s->n_files + 1, sizeof *s->file,
		err) < 0)
		return -1;
	s->file[s->n_files] = cscg_copy(name, strlen(name) + 1, 1, err);
	return s->file[s->n_files++] ? 0 : -1;
}

/*
 * What is needed to normalise the fields of a row ahead of its use: copies, on
 * cache lines to which the thread that uses rows does not write.
 */
struct prepare {
	char apart[128];
	struct cscg_walk_table_options opt;
	struct columns c;
	int trim[5],
	    n_trim;    /* columns that are trimmed if all is plain: ... */
	bool is_plain; /* ... no rewards, measurements or missing values */
	char apart_too[128];
};

static struct prepare *
prepare_new(const struct cscg_walk_table_options *opt, const struct columns *c,
    struct cscg_err *err)
{
	const int column[] = { c->x, c->goal, c->a, c->z, c->reset };
	struct prepare *p = cscg_alloc(1, sizeof *p, err);
	size_t k;

	if (!p)
		return NULL;
	p->opt = *opt;
	p->c = *c;
	p->is_plain = !opt->n_missing && !opt->measure && !opt->n_see &&
	    c->r < 0;
	for (k = 0; k < sizeof column / sizeof *column; k++)
		if (column[k] >= 0)
			p->trim[p->n_trim++] = column[k];
	return p;
}

static void
prepare_row(void *ctx, char **field, int n)
{
	const struct prepare *p = ctx;
	int k;

	if (n != p->c.n)
		return;
	if (!p->is_plain)
		blank_missing(&p->opt, &p->c, field);
	for (k = 0; k < p->n_trim && p->is_plain; k++)
		trim_whole(field[p->trim[k]]);
}

int
cscg_walk_table_read_csv(struct cscg_walk_table *table, struct cscg_in *in,
    char sep, struct cscg_err *err)
{
	struct cscg_csv *csv = cscg_csv_new(in, sep, err);
	struct columns c;
	struct prepare *prepare = NULL;
	struct row row = { 0 };
	char **names = NULL;
	int n = 0, rc = -1;

	if (!csv)
		return -1;
	start_file(table, in, "line");
	if (table->opt.measure && add_file(&table->samples, in, err) < 0)
		goto out;
	rc = read_names(&table->opt, csv, in, sep, &names, &n, err);
	if (rc < 0)
		goto out;
	rc = find_columns(&table->opt, names, n, &c, err);
	if (rc < 0) {
		fail_at_row(table, 1, err);
		goto out;
	}
	table->has_action |= c.a >= 0;
	prepare = prepare_new(&table->opt, &c, err);
	rc = prepare ? cscg_csv_read_ahead(csv, prepare_row,
			   !prepare->is_plain, prepare, err) :
		       -1;
	if (rc < 0)
		goto out;
	table->csv = csv;
	table->sym.padded = table->act.padded = true;
	while ((rc = next_row(table, csv, &c, &row, err)) > 0) {
		rc = add_row(table, &row, cscg_csv_line(csv), err);
		if (rc < 0)
			goto out;
	}
	if (rc == 0)
		rc = add_pending_row(table, true, err);
out:
	table->csv = NULL;
	cscg_csv_free_row(names, n);
	cscg_csv_free(csv);
	free(prepare);
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
cscg_walk_table_read_npy(struct cscg_walk_table *table, struct cscg_in *in,
    struct cscg_err *err)
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
		cscg_fail(err, CSCG_EFORMAT,
		    "%s: not an array of integers of shape (N,), (N, 2) or "
		    "(N, 3)",
		    cscg_in_name(in));
		goto out;
	}
	row.a = cols > 1 ? a : NULL;
	row.episode = cols > 2 ? e : NULL;
	for (t = 0; t < arr.shape[0]; t++) {
		v = arr.data + t * cols;
		if (format_number(v[0], "symbol", x, sizeof x, err) < 0 ||
		    (cols > 1 &&
			format_number(v[1], "action", a, sizeof a, err) < 0) ||
		    (cols > 2 &&
			format_number(v[2], "episode", e, sizeof e, err) <
			    0)) {
			fail_at_row(table, t, err);
			goto out;
		}
		if (add_row(table, &row, t, err) < 0)
			goto out;
	}
	rc = add_pending_row(table, true, err);
out:
	cscg_npy_free(&arr);
	return rc;
}

long
cscg_walk_table_n_rows(const struct cscg_walk_table *table)
{
	return table->n_rows;
}

/*
 * Map the numbers of the dictionary to symbols or actions: *map is new; sets
 * the size of the alphabet, and its names unless they are numbers.
 */
static int
number_names(struct alphabet *al, int **map, int *n, struct cscg_names *names,
    struct cscg_err *err)
{
	struct cscg_names *seen = &al->dict.names;
	int i;

	*map = cscg_alloc((size_t)(seen->n > al->n ? seen->n : al->n),
	    sizeof **map, err);
	if (!*map)
		return -1;
	for (*n = 1, i = 0; i < seen->n && !al->n; i++) {
		(*map)[i] = parse_number(seen->v[i], al->max);
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
		return cscg_fail(err, CSCG_ERANGE,
		    "%d different %ss, more than %d", *n, al->what, al->max);
	return cscg_names_copy(names, seen, err);
}

/* The observation of a step: its label, or its cell. */
static const char *
step_name(const struct cscg_walk_table *table, const struct cscg_measured *m,
    char *buf, size_t size)
{
	const struct cscg_walk_table_options *opt = &table->opt;
	int label = table->samples.v[m->sample].label;

	if (opt->x || opt->n_see || !opt->measure->n_axes)
		return label < 0 ? "" : table->samples.labels.names.v[label];
	if (opt->measure->n_axes == 1)
		snprintf(buf, size, "%d", m->cell[0]);
	else
		snprintf(buf, size, "%d:%d", m->cell[0], m->cell[1]);
	return buf;
}

/*
 * A measured step into the walk.  Its action leads to the next step; in a
 * table with actions it is the action on the last row of this step.
 */
static int
add_measured(struct cscg_walk_table *table, const struct cscg_measured *m,
    struct cscg_err *err)
{
	const struct samples *s = &table->samples;
	enum cscg_derive derive = table->opt.measure->derive;
	struct row row = { .z = -1, .r = NAN, .reset = m->reset };
	char cell[2 * CSCG_DECIMAL_INT + 4];
	int action = s->origin[m->last].action;

	row.x = step_name(table, m, cell, sizeof cell);
	if (derive > CSCG_DERIVE_NONE)
		row.a = cscg_measure_action(derive, m->action);
	else if (derive == CSCG_DERIVE_COLUMN && table->has_action)
		row.a = action < 0 ? "" : s->actions.names.v[action];
	table->name = s->file[s->origin[m->sample].file];
	return add_step(table, &row, m->first, s->origin[m->sample].line, err);
}

/* The positions of the samples of each step. */
static int
keep_positions(const struct samples *s, const long *step_of,
    struct cscg_positions *to, struct cscg_err *err)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (step_of[i] >= 0 &&
		    cscg_positions_add(to, step_of[i], s->v[i].p[0],
			s->v[i].p[1], err) < 0)
			return -1;
	return 0;
}

/* The samples of all files become steps. */
static int
measure(struct cscg_walk_table *table, struct cscg_err *err)
{
	struct samples *s = &table->samples;
	struct cscg_positions *positions = table->opt.positions;
	struct cscg_measured *step = NULL;
	long i, n = 0, *step_of = NULL;
	int rc = -1;

	if (positions && !(step_of = cscg_alloc(s->n, sizeof *step_of, err)))
		return -1;
	step = cscg_measure(table->opt.measure, s->v, (long)s->n, &n, step_of,
	    &s->report, err);
	if (step)
		rc = positions ? keep_positions(s, step_of, positions, err) :
				 0;
	table->in = NULL;
	for (i = 0; i < n && rc == 0; i++)
		rc = add_measured(table, &step[i], err);
	if (rc == 0)
		rc = add_pending_row(table, true, err);
	free(step_of);
	free(step);
	return rc;
}

const struct cscg_measure_report *
cscg_walk_table_report(const struct cscg_walk_table *table)
{
	return &table->samples.report;
}

struct cscg_walk *
cscg_walk_table_to_walk(struct cscg_walk_table *table, struct cscg_err *err)
{
	struct cscg_walk *w = table->walk;
	struct cscg_walk_header *h = &w->head;
	int *sym = NULL, *act = NULL;

	if (table->opt.measure && measure(table, err) < 0)
		return NULL;
	table->walk = NULL;
	if (number_names(&table->sym, &sym, &h->n_obs, &h->symbols, err) < 0 ||
	    number_names(&table->act, &act, &h->n_actions, &h->actions, err) <
		0) {
		cscg_walk_free(w);
		w = NULL;
	}
	if (w)
		cscg_walk_renumber(w, sym, act);
	free(sym);
	free(act);
	return w;
}

/*
 * walks as tables
 */

enum {
	ROW_NUMBERS = 7 * CSCG_DECIMAL_REAL, /* bytes of the numbers of a
	                                        row */
};

/* The fields of symbols or actions; n 0: they are written as numbers. */
struct name_fields {
	char **v;
	size_t *len;
	int n;
	size_t longest;
};

struct row_writer {
	char sep;
	struct name_fields symbols, actions;
	struct cscg_decimal_cache rewards;
	char *text; /* buffer for the longest row */
};

static void
name_fields_free(struct name_fields *f)
{
	int i;

	for (i = 0; f->v && i < f->n; i++)
		free(f->v[i]);
	free(f->v);
	free(f->len);
}

static int
name_fields_init(struct name_fields *f, const struct cscg_names *names,
    char sep, struct cscg_err *err)
{
	int i;

	f->n = names->n;
	f->v = cscg_alloc((size_t)f->n, sizeof *f->v, err);
	f->len = cscg_alloc((size_t)f->n, sizeof *f->len, err);
	if (!f->v || !f->len)
		return -1;
	for (i = 0; i < f->n; i++) {
		f->v[i] = cscg_csv_field(names->v[i], sep, err);
		if (!f->v[i])
			return -1;
		f->len[i] = strlen(f->v[i]);
		f->longest = f->len[i] > f->longest ? f->len[i] : f->longest;
	}
	return 0;
}

/* The number i, nothing for a negative one. */
static char *
put_number(char *to, int i)
{
	return i < 0 ? to : cscg_decimal_put(to, i);
}

/* The name of i, or the number. */
static char *
put_name(const struct name_fields *f, char *to, int i)
{
	if (i < 0 || !f->n)
		return put_number(to, i);
	memcpy(to, f->v[i], f->len[i]);
	return to + f->len[i];
}

/* The shortest text that reads back as v. */
static void
format_real(double v, char *buf, size_t size)
{
	int digits;

	for (digits = 15; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
}

static void
row_writer_free(struct row_writer *w)
{
	name_fields_free(&w->symbols);
	name_fields_free(&w->actions);
	free(w->text);
}

static int
row_writer_init(struct row_writer *w, const struct cscg_walk_header *head,
    char sep, bool numbers, struct cscg_err *err)
{
	static const struct cscg_names none;

	w->sep = sep;
	w->rewards.format = format_real;
	if (name_fields_init(&w->symbols, numbers ? &none : &head->symbols,
		sep, err) < 0 ||
	    name_fields_init(&w->actions, numbers ? &none : &head->actions,
		sep, err) < 0)
		return -1;
	w->text = cscg_alloc(
	    2 * w->symbols.longest + w->actions.longest + ROW_NUMBERS, 1, err);
	return w->text ? 0 : -1;
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
write_row(struct row_writer *w, const struct cscg_walk *walk, int episode,
    long t, struct cscg_out *out, struct cscg_err *err)
{
	char *to = put_number(w->text, episode);

	*to++ = w->sep;
	to = put_name(&w->symbols, to, walk->x[t]);
	*to++ = w->sep;
	to = put_name(&w->actions, to, walk->a[t]);
	if (walk->z) {
		*to++ = w->sep;
		to = put_number(to, walk->z[t]);
	}
	if (walk->reset) {
		*to++ = w->sep;
		*to++ = walk->reset[t] ? '1' : '0';
	}
	if (walk->r) {
		*to++ = w->sep;
		if (!isnan(walk->r[t]))
			to = cscg_decimal_put_real(&w->rewards, to,
			    walk->r[t]);
	}
	if (walk->goal) {
		*to++ = w->sep;
		to = put_name(&w->symbols, to, walk->goal[t]);
	}
	*to++ = '\n';
	return cscg_out_write(out, w->text, (size_t)(to - w->text), err);
}

/* An empty name would be read back as a missing value. */
static int
check_names(const struct cscg_names *names, const char *what,
    struct cscg_err *err)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!*names->v[i])
			return cscg_fail(err, CSCG_EMISMATCH,
			    "the name of %s %d is empty: a table needs "
			    "numbers",
			    what, i);
	return 0;
}

int
cscg_walk_table_write_csv(const struct cscg_walk *walk, struct cscg_out *out,
    char sep, bool numbers, struct cscg_err *err)
{
	struct row_writer w = { 0 };
	int e, rc;
	long t;

	if (!numbers &&
	    (check_names(&walk->head.symbols, "symbol", err) < 0 ||
		check_names(&walk->head.actions, "action", err) < 0))
		return -1;
	rc = row_writer_init(&w, &walk->head, sep, numbers, err);
	if (rc == 0)
		rc = write_names(walk, out, sep, err);
	for (e = 0; e < walk->n_episodes && rc == 0; e++)
		for (t = walk->start[e]; t < walk->start[e + 1] && rc == 0;
		     t++)
			rc = write_row(&w, walk, e, t, out, err);
	row_writer_free(&w);
	return rc < 0 ? -1 : cscg_out_flush(out, err);
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
