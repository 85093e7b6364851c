/* walkconv - convert tables to walks and back; select and split walks */
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tool.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "core/walk_table.h"
#include "core/walk_text.h"
#include "io/csv.h"
#include "io/sniff.h"
#include "io/stream.h"

/* Settings and options. */

/* Contents of a file. */
enum form { FORM_AUTO, FORM_WALK, FORM_CSV, FORM_TSV, FORM_NPY, FORM_TEXT };
static const char *const forms[] = { "auto", "walk", "csv", "tsv", "npy",
	"text", NULL };

enum { TEXT_NONE, TEXT_CHARS, TEXT_WORDS };
static const char *const texts[] = { "none", "chars", "words", NULL };

static struct {
	int from, as;
	const char *x, *a, *delimiter, *select, *alphabet_from, *test;
	const char *bin, *cell, *grid, *time, *xy;
	struct cmd_list episode, missing, see;
	int text;
	long min_count;
	bool lower, lines;
	bool numbers, no_header, y_down, moves;
	int derive; /* enum cscg_derive */
	long head, quantile, thin, episode_length;
	double fraction, min_likelihood, thin_time, gap, episode_gap;
} set = {
	.fraction = 0.2, .min_likelihood = 0.6, .gap = -1, .episode_gap = -1
};

/* In the order of enum cscg_derive. */
static const char *const derivations[] = { "column", "none", "compass4",
	"compass8", "egocentric", "turns", NULL };

static const struct cmd_opt opts[] = { CMD_INPUT,
	CMD_CHOICE(0, "from", &set.from, forms,
	    "input format; auto: by file name or first byte"),
	CMD_STRING(0, "x", &set.x, "NAME",
	    "column of observations (default: x, obs or observation)"),
	CMD_STRING(0, "a", &set.a, "NAME",
	    "column of actions (default: a or action; '': none)"),
	CMD_LIST(0, "episode", &set.episode, "NAME",
	    "column of episode numbers (default: episode; '': none); may be "
	    "repeated"),
	CMD_STRING(0, "delimiter", &set.delimiter, "C",
	    "field separator: a character, tab or space (default: detected in "
	    "the first line)"),
	CMD_LIST(0, "missing", &set.missing, "WORD",
	    "value that marks a missing observation, such as NaN; may be "
	    "repeated"),
	CMD_FLAG(0, "no-header", &set.no_header,
	    "the first line is a row; columns are called 1, 2, ..."),
	CMD_FILE(0, "alphabet-from", &set.alphabet_from, "WALK",
	    "use the symbol and action numbers of this walk"),
	CMD_CHOICE(0, "text", &set.text, texts,
	    "the input is text: symbols are its characters, or its words"),
	CMD_FLAG(0, "lower", &set.lower, "--text: in lower case"),
	CMD_FLAG(0, "lines", &set.lines, "--text: each line is an episode"),
	CMD_LONG(0, "min-count", &set.min_count, 1, 1000000000, "N",
	    "--text: symbols that occur less often are <unk> (0: none)"),
	CMD_STRING(0, "select", &set.select, "LIST",
	    "keep these episodes, from 0: 3,7-9,20-"),
	CMD_LONG(0, "head", &set.head, 1, 1000000000000, "N",
	    "keep the first N steps of each episode"),
	CMD_ALGORITHM,
	CMD_STRING(0, "bin", &set.bin, "X[,Y]",
	    "columns of positions, which become cells"),
	CMD_STRING(0, "cell", &set.cell, "W[,H]",
	    "size of a cell, in the unit of the columns"),
	CMD_STRING(0, "grid", &set.grid, "ROWSxCOLS",
	    "cells of equal size from the least to the largest value"),
	CMD_LONG(0, "quantile", &set.quantile, 1, 10000, "K",
	    "K bins of equally many rows along each axis (0: off)"),
	CMD_FLAG(0, "y-down", &set.y_down,
	    "y grows downwards, as in images: smaller is north"),
	CMD_DOUBLE(0, "min-likelihood", &set.min_likelihood, 0, 1, "P",
	    "a position with a smaller value in its likelihood column is "
	    "lost"),
	CMD_LIST(0, "see", &set.see, "NAME",
	    "column that is observed instead of the cell; may be repeated"),
	CMD_STRING(0, "time", &set.time, "NAME",
	    "column of times (default: t, time, timestamp, seconds or frame, "
	    "else the row)"),
	CMD_LONG(0, "thin", &set.thin, 1, 1000000000, "N",
	    "keep one of N rows (0: all)"),
	CMD_DOUBLE(0, "thin-time", &set.thin_time, 0, 1e18, "D",
	    "keep rows at least D apart in time (0: all)"),
	CMD_FLAG(0, "moves", &set.moves,
	    "keep one row for each change of the cell, or of the observation"),
	CMD_CHOICE(0, "derive-actions", &set.derive, derivations,
	    "actions from the displacement to the next cell"),
	CMD_DOUBLE(0, "gap", &set.gap, 0, 1e18, "D",
	    "a reset where rows are more than D apart in time (-1: where a "
	    "position is lost)"),
	CMD_DOUBLE(0, "episode-gap", &set.episode_gap, 0, 1e18, "D",
	    "an episode begins where rows are more than D apart in time (-1: "
	    "off)"),
	CMD_LONG(0, "episode-length", &set.episode_length, 1, 1000000000, "N",
	    "an episode ends after N steps (0: off)"),
	CMD_OUTPUT,
	CMD_CHOICE(0, "as", &set.as, forms,
	    "output format; auto: by the name after -o, else walk"),
	CMD_FLAG(0, "numbers", &set.numbers,
	    "write numbers of symbols and actions even if they have names"),
	CMD_PART(0, "test", &set.test, "FILE",
	    "write the last episodes or steps to this file as a test set"),
	CMD_DOUBLE(0, "test-fraction", &set.fraction, 0, 1, "F",
	    "fraction of the data in the test set, 0..1"),
	CMD_PART(0, "xy", &set.xy, "FILE",
	    "write the positions of each step to this CSV file, for cscg-show "
	    "--fields"),
	CMD_END };

static const struct cmd_info info = { .name = "walkconv",
	.operands = "[FILE...]",
	.purpose = "convert tables to walks and back; select and split walks",
	.opts = opts,
	.max = -1,
	.uses = CMD_USES_GZIP,
	.example = "walkconv --episode trial --x zone --a turn --test test.gz "
		   "table.csv -o train.gz" };

/* The form by the name of a file, with or without .gz; FORM_AUTO: unknown. */
static enum form
form_by_name(const char *path)
{
	static const char *const ends[] = { ".csv", ".tsv", ".npy" };
	size_t n = strlen(path), i;

	if (n > 3 && !strcmp(path + n - 3, ".gz"))
		n -= 3;
	for (i = 0; i < 3; i++)
		if (n > 4 && !strncmp(path + n - 4, ends[i], 4))
			return FORM_CSV + i;
	return FORM_AUTO;
}

/*
 * The file does not begin as text: -2 with its type in err, if that is known.
 * Advice for tables takes precedence over advice for other files.
 */
static int
refuse_binary(struct cscg_in *in, struct cscg_err *err)
{
	const char *what, *hint = "";
	char *line;
	size_t len;

	if (cscg_in_line(in, &line, &len, err) <= 0)
		return -2;
	what = cscg_sniff_csv(line, len);
	if (!what)
		what = cscg_sniff_json(line, len, &hint);
	cscg_fail(err, CSCG_EFORMAT, "%s: line 1: %s", cscg_in_name(in),
	    what ? what : "this is not text");
	if (what)
		cscg_fail_hint(err, hint);
	return -2;
}

/*
 * The form of in, opened from path, if form (--from) is FORM_AUTO; FORM_AUTO
 * with err filled if in cannot be read.
 */
static enum form
input_form(struct cscg_in *in, const char *path, enum form form,
    struct cscg_err *err)
{
	int c;

	if (form == FORM_AUTO)
		form = form_by_name(path);
	if (form == FORM_WALK || form == FORM_NPY)
		return form;
	c = cscg_in_peek(in, err);
	if (c > 0 && strchr("\x1f\x89\xfd\xfe\xff", c))
		c = refuse_binary(in, err);
	if (c == -2)
		return FORM_AUTO;
	if (form != FORM_AUTO)
		return form;
	return c == '{' || c == -1 ? FORM_WALK :
	    c == 0x93              ? FORM_NPY :
				     FORM_CSV;
}

/*
 * The character of --delimiter, '\0' for NULL; exits if it is not a character.
 */
static char
parse_delimiter(const char *word)
{
	if (!word)
		return '\0';
	if (!strcmp(word, "tab") || !strcmp(word, "\\t"))
		return '\t';
	if (!strcmp(word, "space"))
		return ' ';
	if (!*word || word[1] ||
	    (!ispunct((unsigned char)*word) && *word != ' ' &&
		*word != '\t') ||
	    *word == '"')
		cmd_usage("--delimiter: '%s' is not a character like ';', nor "
			  "tab or space",
		    word);
	return *word;
}

/*
 * The field separator of the table in: the delimiter, or that of its first
 * line, which is not consumed; '\0' with err filled.
 */
static char
separator(struct cscg_in *in, enum form form, const char *delimiter,
    struct cscg_err *err)
{
	return delimiter ?
	    parse_delimiter(delimiter) :
	    cscg_sniff_in_separator(in, form == FORM_TSV ? '\t' : ',', err);
}

static enum form
output_form(void)
{
	enum form form = (enum form)set.as;

	if (form == FORM_AUTO && cmd.out)
		form = form_by_name(cmd.out);
	return form == FORM_AUTO ? FORM_WALK : form;
}

/*
 * Walks are compressed unless --no-gzip is given, tables if the name ends in
 * .gz.
 */
static bool
gzipped(const char *path)
{
	size_t n = path ? strlen(path) : 0;

	if (output_form() == FORM_WALK)
		return !cmd.no_gzip;
	return n > 3 && !strcmp(path + n - 3, ".gz");
}

/* --select and --head: parts of a walk. */

/* The last episode of a range; LONG_MAX if it is open. */
static long
end_of_range(const char *p, char **end)
{
	long to = strtol(p, end, 10);

	return to < LONG_MAX ? to : LONG_MAX - 1;
}

/* One range of list, at p; returns the position after it. */
static const char *
next_range(const char *list, const char *p, long *from, long *to)
{
	char *end;

	if (!isdigit((unsigned char)*p))
		goto bad;
	*from = *to = strtol(p, &end, 10);
	if (*end == '-' && !isdigit((unsigned char)*++end))
		*to = LONG_MAX;
	else if (end[-1] == '-')
		*to = end_of_range(end, &end);
	if ((*end && *end != ',') || (*end == ',' && !end[1]) || *from > *to ||
	    *from > INT_MAX)
		goto bad;
	return *end ? end + 1 : end;
bad:
	cmd_usage("--select: '%s' is not a list such as 3,7-9,20-", list);
}

/* Check the list of --select (NULL: none); exits if it is invalid. */
static void
check_list(const char *list)
{
	const char *p = list;
	long from, to;

	if (!list)
		return;
	do
		p = next_range(list, p, &from, &to);
	while (*p);
}

/*
 * Replace *walk by its part selected by --select (list, checked; NULL: all)
 * and --head (0: all). -1 with err filled and *walk unchanged.
 */
static int
select_steps(struct cscg_walk **walk, const char *list, long head,
    struct cscg_err *err)
{
	struct cscg_walk *w = *walk, *part;
	const char *p = list ? list : "0-";
	long from, to;
	int rc = 0;

	if (!list && !head)
		return 0;
	part = cscg_walk_new(&w->head, err);
	if (!part)
		return -1;
	while (*p && rc == 0) {
		p = next_range(list, p, &from, &to);
		if (to == LONG_MAX && (from < w->n_episodes || !list))
			to = w->n_episodes - 1;
		if (to >= w->n_episodes)
			rc = cscg_fail(err, CSCG_EUSAGE,
			    "--select %s: the input has %d episodes", list,
			    w->n_episodes);
		else
			rc = cscg_walk_add_episodes(part, w, (int)from,
			    (int)to + 1, head, err);
	}
	if (rc < 0) {
		cscg_walk_free(part);
		return -1;
	}
	cscg_walk_free(w);
	*walk = part;
	return 0;
}

/* Options that exclude each other. */

/* One column for two roles is probably a mistake. */
static void
check_same(const char *first, const char *column, const char *second,
    const char *other)
{
	if (column && other && *column && !strcmp(column, other))
		cmd_usage("--%s and --%s both name column '%s'", first, second,
		    column);
}

static void
check_columns(void)
{
	int i, k;

	check_same("x", set.x, "a", set.a);
	for (i = 0; i < set.episode.n; i++) {
		check_same("x", set.x, "episode", set.episode.v[i]);
		check_same("a", set.a, "episode", set.episode.v[i]);
		for (k = 0; k < i; k++)
			check_same("episode", set.episode.v[k], "episode",
			    set.episode.v[i]);
		if (!*set.episode.v[i] && set.episode.n > 1)
			cmd_usage("--episode '' cannot be combined with "
				  "another --episode");
	}
	if (set.episode.n > CSCG_WALK_TABLE_EPISODE_MAX)
		cmd_usage("--episode: more than %d columns",
		    CSCG_WALK_TABLE_EPISODE_MAX);
	if (set.delimiter && (set.from == FORM_WALK || set.from == FORM_NPY))
		cmd_usage("--delimiter cannot be combined with --from %s",
		    forms[set.from]);
	parse_delimiter(set.delimiter);
}

/* Measurements. */

/* The columns of --bin, and how rows become steps. */
struct measurement {
	struct cscg_measure_options how;
	char *bin[CSCG_MEASURE_AXES];
	char names[256]; /* text of bin */
	bool active;     /* rows are samples */
};

/* The n = 1 or 2 numbers above 0 of an option; exits if invalid. */
static void
parse_sizes(const char *option, const char *text, char sep, bool whole, int n,
    double *v)
{
	const char *p = text;
	bool good = true;
	char *end;
	int k;

	for (k = 0; k < n && good; k++) {
		v[k] = strtod(p, &end);
		good = end > p && v[k] > 0 && v[k] <= (whole ? 10000 : 1e18) &&
		    (!whole || v[k] == (long)v[k]) &&
		    *end == (k + 1 < n ? sep : '\0');
		p = end + 1;
	}
	if (!good && n == 1)
		cmd_usage("%s: '%s' is not a number above 0, for one column "
			  "of --bin",
		    option, text);
	if (!good)
		cmd_usage("%s: '%s' is not two numbers above 0 with '%c' "
			  "between them, for two columns of --bin",
		    option, text, sep);
}

/* --bin: its columns. */
static void
parse_bin(struct measurement *m)
{
	char *comma;

	snprintf(m->names, sizeof m->names, "%s", set.bin);
	m->bin[0] = m->names;
	m->how.n_axes = 1;
	comma = strchr(m->names, ',');
	if (comma) {
		*comma = '\0';
		m->bin[m->how.n_axes++] = comma + 1;
	}
	if (!*m->names || strlen(set.bin) >= sizeof m->names ||
	    (comma && (!comma[1] || strchr(comma + 1, ','))))
		cmd_usage("--bin: '%s' is not one or two names of columns",
		    set.bin);
}

/* --cell, --grid, --quantile: exactly one of them with --bin. */
static void
parse_bins(struct measurement *m)
{
	double v[CSCG_MEASURE_AXES];
	int given = (set.cell != NULL) + (set.grid != NULL) +
	    (set.quantile > 0);
	int n = m->how.n_axes, k;

	if (given != (set.bin != NULL))
		cmd_usage(set.bin ?
			"--bin requires one of --cell, --grid and --quantile" :
			"--cell, --grid and --quantile require --bin");
	if (set.cell && n == 2 && !strchr(set.cell, ',')) {
		parse_sizes("--cell", set.cell, ',', false, 1, v);
		v[1] = v[0];
	} else if (set.cell)
		parse_sizes("--cell", set.cell, ',', false, n, v);
	if (set.grid)
		parse_sizes("--grid", set.grid, 'x', true, n, v);
	m->how.bins = set.cell ? CSCG_BINS_CELL :
	    set.grid           ? CSCG_BINS_GRID :
				 CSCG_BINS_QUANTILE;
	for (k = 0; k < n; k++) {
		m->how.cell[k] = set.cell ? v[k] : 0;
		/* The rows of a grid are along y, the second column. */
		m->how.n_bins[k] = set.grid ? (int)v[n - 1 - k] :
					      (int)set.quantile;
	}
}

/* The options of measurements; exits if they contradict each other. */
static void
parse_measurement(struct measurement *m)
{
	bool timed = set.thin_time > 0 || set.gap >= 0 || set.episode_gap >= 0;

	*m =
	    (struct measurement){ .how = { .y_down = set.y_down,
				      .thin = set.thin,
				      .thin_time = set.thin_time,
				      .moves = set.moves,
				      .derive = (enum cscg_derive)set.derive,
				      .gap = set.gap,
				      .episode_gap = set.episode_gap,
				      .episode_length = set.episode_length } };
	if (set.bin)
		parse_bin(m);
	parse_bins(m);
	if (set.derive > CSCG_DERIVE_NONE && m->how.n_axes != 2)
		cmd_usage("--derive-actions %s requires two columns of --bin",
		    derivations[set.derive]);
	if (set.derive && set.a)
		cmd_usage("--derive-actions and --a both define the actions");
	if (set.see.n && set.x)
		cmd_usage("--see and --x both define the observation");
	if (set.see.n > CSCG_WALK_TABLE_SEE_MAX)
		cmd_usage("--see: more than %d columns",
		    CSCG_WALK_TABLE_SEE_MAX);
	if (set.time && !timed)
		cmd_usage(
		    "--time requires --thin-time, --gap or --episode-gap");
	m->active = set.bin || set.see.n || set.thin || timed || set.moves ||
	    set.derive || set.episode_length;
}

/* Warn of lost displacements, and of a walk that is trivial to predict. */
static void
warn_measured(const struct measurement *m,
    const struct cscg_measure_report *report)
{
	if (cscg_measure_is_compass(m->how.derive) && !set.x && !set.see.n)
		cmd_warn("cell and direction determine the next cell, "
			 "so the walk is trivial to learn; use --see for the "
			 "observation in a cell");
	if (report->skipped > report->transitions / 10)
		cmd_warn("%ld of %ld displacements do not lead to a "
			 "neighbouring cell and become resets; use larger "
			 "cells, or thin less",
		    report->skipped, report->transitions);
}

/* An option that was given and has no meaning for a walk, or NULL. */
static const char *
table_option(void)
{
	return set.bin           ? "--bin" :
	    set.see.n            ? "--see" :
	    set.thin             ? "--thin" :
	    set.thin_time > 0    ? "--thin-time" :
	    set.moves            ? "--moves" :
	    set.derive           ? "--derive-actions" :
	    set.gap >= 0         ? "--gap" :
	    set.episode_gap >= 0 ? "--episode-gap" :
	    set.episode_length   ? "--episode-length" :
	    set.no_header        ? "--no-header" :
	    set.x                ? "--x" :
	    set.a                ? "--a" :
	    set.episode.n        ? "--episode" :
	    set.delimiter        ? "--delimiter" :
	    set.missing.n        ? "--missing" :
				   NULL;
}

/* Check the options of --text, which tables do not have. */
static void
check_text(void)
{
	if (!set.text && (set.lower || set.lines || set.min_count))
		cmd_usage("--lower, --lines and --min-count require --text");
	if (!set.text && set.from == FORM_TEXT)
		cmd_usage(
		    "--from text requires --text with the kind of symbols, "
		    "chars or words");
	if (set.text && set.from != FORM_AUTO && set.from != FORM_TEXT)
		cmd_usage("--text cannot be combined with --from %s",
		    forms[set.from]);
	if (set.text && table_option())
		cmd_usage(
		    "--text cannot be combined with %s, which is for tables",
		    table_option());
	if (set.min_count && set.alphabet_from)
		cmd_usage("--min-count and --alphabet-from exclude each "
			  "other");
}

/* Invalid combinations of options, before any input is read. */
static void
check(int n)
{
	check_list(set.select);
	cmd_check_stdin(n == 0);
	if (set.test &&
	    (!strcmp(set.test, "-") ||
		(cmd.out && !strcmp(set.test, cmd.out))))
		cmd_usage("--test requires a separate file");
	if (set.xy &&
	    (!strcmp(set.xy, "-") || (cmd.out && !strcmp(set.xy, cmd.out)) ||
		(set.test && !strcmp(set.xy, set.test))))
		cmd_usage("--xy requires a separate file");
	if (set.xy && !set.bin)
		cmd_usage("--xy requires --bin");
	if (set.xy && (set.select || set.head))
		cmd_usage("--xy cannot be combined with --select or --head");
	if (!set.test && set.fraction != 0.2)
		cmd_usage("--test-fraction requires --test");
	check_columns();
	check_text();
	cmd.no_gzip = !gzipped(cmd.out);
}

/* Warnings: a table whose step count starts over, without --episode. */

/* A table, read row by row. */
struct episode_check {
	const char *x, *a; /* columns that do not identify episodes */
	int n;             /* columns, and of these, or -1: */
	int column;        /* the one that counts steps */
	int trial;         /* the one named trial or similar */
	int reset;
	bool clock;   /* whether it may count in any unit */
	char **first; /* [n] value of all rows since a reset; NULL: varies */
	char **name;  /* [n] */
	long rows, last, stride;
};

/* Whether a column of this name has a role other than episodes. */
static bool
is_known(const char *name, const char *x, const char *a)
{
	static const char *const words[] = { "x", "obs", "observation", "a",
		"action", "z", "node", "reset", "r", "reward", "goal", NULL };
	int k;

	for (k = 0; words[k] && strcasecmp(words[k], name); k++)
		;
	return words[k] || (x && !strcasecmp(x, name)) ||
	    (a && !strcasecmp(a, name));
}

/* Whether the name means a count of steps.  time may count in any unit. */
static bool
is_step_count(const char *name, bool *clock)
{
	static const char *const words[] = { "t", "step", "steps", "timestep",
		"time_step", "index", "frame", "time", NULL };
	int k;

	for (k = 0; words[k] && strcasecmp(words[k], name); k++)
		;
	if (words[k])
		*clock = !strcmp(words[k], "time");
	return words[k];
}

/* Find the columns; false if there are none, or an episode column exists. */
static bool
find_columns(struct episode_check *s, char **field)
{
	int i;

	s->column = s->trial = s->reset = -1;
	for (i = 0; i < s->n; i++) {
		if (!strcasecmp(field[i], "episode"))
			return false;
		if (!strcasecmp(field[i], "reset"))
			s->reset = i;
		if (is_known(field[i], s->x, s->a))
			continue;
		if (s->column < 0 && is_step_count(field[i], &s->clock))
			s->column = i;
		else if (s->trial < 0 && !strncasecmp(field[i], "trial", 5))
			s->trial = i;
	}
	return s->column >= 0 || s->trial >= 0;
}

static bool
parse_count(const char *s, long *v)
{
	char *end;

	*v = strtol(s, &end, 10);
	return strspn(s, "0123456789") == strlen(s) && end > s && end - s < 18;
}

/* The only column that was constant before this row, or NULL. */
static const char *
changed_column(const struct episode_check *s, char **field)
{
	const char *name = NULL;
	int i;

	for (i = 0; i < s->n; i++) {
		if (!s->first[i] || !strcmp(s->first[i], field[i]) ||
		    i == s->column || is_known(s->name[i], s->x, s->a))
			continue;
		if (name)
			return NULL;
		name = s->name[i];
	}
	return name;
}

/* Whether this row has a reset. */
static bool
is_reset(const struct episode_check *s, char **field)
{
	return s->reset >= 0 &&
	    (!strcmp(field[s->reset], "1") ||
		!strcasecmp(field[s->reset], "true"));
}

/* Whether v continues the count.  The first two rows define the stride. */
static bool
continues(struct episode_check *s, long v)
{
	if (s->rows == 1)
		s->stride = v - s->last;
	return v > s->last && (s->clock || v - s->last == s->stride);
}

/* Warn of a row at which the step count does not continue to v. */
static void
warn_count(const struct episode_check *s, char **field, const char *path,
    long line, long v)
{
	const char *name = changed_column(s, field);

	if (name)
		cmd_warn("'%s': line %ld: '%s' goes from %ld to %ld, and '%s' "
			 "changes: does another episode begin there? "
			 "(--episode %s)",
		    path, line, s->name[s->column], s->last, v, name, name);
	else
		cmd_warn("'%s': line %ld: '%s' goes from %ld to %ld: does "
			 "another episode begin there? (--episode names its "
			 "column)",
		    path, line, s->name[s->column], s->last, v);
}

/*
 * Clear the columns whose value changes in this row.  At a reset the new value
 * replaces the old one.
 */
static bool
update_first(struct episode_check *s, char **field, bool reset)
{
	struct cscg_err err; /* without memory the check is given up */
	int i;

	if (!s->first)
		s->first = cscg_csv_copy_row(field, s->n, &err);
	for (i = 0; s->first && i < s->n; i++)
		if (s->first[i] && strcmp(s->first[i], field[i])) {
			free(s->first[i]);
			s->first[i] = reset ? strdup(field[i]) : NULL;
			if (reset && !s->first[i])
				return false;
		}
	return s->first;
}

/* Check a row; false ends the check. */
static bool
observe_row(struct episode_check *s, char **field, const char *path, long line)
{
	long v = 0;

	if (s->column >= 0 && !parse_count(field[s->column], &v))
		s->column = -1;
	if (s->column < 0 && s->trial < 0)
		return false;
	if (is_reset(s, field)) {
		s->last = v;
		return update_first(s, field, true);
	}
	if (s->column >= 0 && s->rows && !continues(s, v)) {
		if (s->stride > 0)
			warn_count(s, field, path, line, v);
		if (s->stride > 0 || s->trial < 0)
			return false;
		s->column = -1; /* the column does not count steps */
	}
	if (s->trial >= 0 && s->first && s->first[s->trial] &&
	    strcmp(s->first[s->trial], field[s->trial])) {
		cmd_warn("'%s': line %ld: '%s' changes: does another episode "
			 "begin there? (--episode %s)",
		    path, line, s->name[s->trial], s->name[s->trial]);
		return false;
	}
	s->rows++;
	s->last = v;
	return update_first(s, field, false);
}

/*
 * Warn if the table at path has no column "episode", but one that counts steps
 * and does not continue, or one of trials that changes, where no reset is:
 * without --episode many episodes become one.  The table has been read before,
 * so errors are ignored; a file that is not regular cannot be read again.  x
 * and a are the columns of these names if they are not the usual ones, else
 * NULL.
 */
static void
warn_missing_episodes(const char *path, char sep, const char *x, const char *a)
{
	struct cscg_in *in = NULL;
	struct cscg_csv *csv = NULL;
	struct episode_check s = { .x = x, .a = a };
	struct cscg_err err;
	struct stat st;
	char **field;
	int n;

	/* A pipe has no further data, and reading it could block. */
	if (!strcmp(path, "-") || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	in = cscg_in_open(path, &err);
	csv = in ? cscg_csv_new(in, sep, &err) : NULL;
	if (!csv || cscg_csv_head(csv, &field, &s.n, &err) <= 0)
		goto out;
	if (!find_columns(&s, field))
		goto out;
	s.name = cscg_csv_copy_row(field, s.n, &err);
	while (s.name && cscg_csv_next(csv, &field, &n, &err) > 0 &&
	    n == s.n && observe_row(&s, field, path, cscg_csv_line(csv)))
		;
out:
	cscg_csv_free_row(s.first, s.n);
	cscg_csv_free_row(s.name, s.n);
	cscg_csv_free(csv);
	cscg_in_close(in);
}

/* Warnings: names that may be missing values or measurements. */

/* In fewer steps, distinct symbols are plausible. */
enum { FEW_STEPS = 50 };

/* Usual marks of a missing value. */
static bool
is_missing_word(const char *name)
{
	static const char *const words[] = { "NaN", "nan", "NAN", "NA", "<NA>",
		"N/A", "n/a", "null", "NULL", "None", "-1", "-1.0", NULL };
	int k;

	for (k = 0; words[k] && strcmp(words[k], name); k++)
		;
	return words[k];
}

/* Warn of symbols of a table that mark missing values or are measurements. */
static void
warn_symbols(const struct cscg_walk *walk)
{
	const struct cscg_names *names = &walk->head.symbols;
	int i;

	for (i = 0; i < names->n; i++)
		if (is_missing_word(names->v[i]))
			cmd_warn(
			    "'%s' is used as a symbol; if it marks a missing "
			    "value, use --missing %s",
			    names->v[i], names->v[i]);
	if (walk->n_steps >= FEW_STEPS && names->n > walk->n_steps / 2)
		cmd_warn("%d different symbols in %ld steps, '%.40s' first: "
			 "measurements must be quantised to symbols that "
			 "recur, see walkconv(1)",
		    names->n, walk->n_steps, names->v[0]);
}

/* Input: walks or tables, joined to one walk. */

/* Input read so far: tables, or a walk. */
struct input {
	struct cscg_walk_header alphabet_from;
	struct cscg_walk_table *tab;
	bool tables;                 /* table has rows */
	struct cscg_walk_text *text; /* --text */
	const struct measurement *measurement;
	struct cscg_walk *walk;
	struct cscg_positions positions; /* for --xy */
};

/* The header of --alphabet-from; the rest is read to check that it is complete. */
static int
read_alphabet(struct input *input, struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	struct cscg_step step;
	int rc;

	if (!set.alphabet_from)
		return 0;
	r = cscg_walk_reader_open(set.alphabet_from, err);
	if (!r)
		return -1;
	rc = cscg_walk_header_copy(&input->alphabet_from,
	    cscg_walk_reader_header(r), err);
	if (rc == 0)
		while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
			continue;
	cscg_walk_reader_close(r);
	return rc;
}

/* Append a walk (taking in) or a table to the input. */
static int
read_walk_take(struct input *input, struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open_take(in, err);
	const char *option = table_option();
	int rc = -1;

	/* The reader holds in, and with it the name. */
	if (r && option)
		cscg_fail(err, CSCG_EUSAGE,
		    "%s: this is a walk, but %s is for tables",
		    cscg_in_name(in), option);
	else if (r)
		rc = cscg_walk_append(&input->walk, r, err);
	cscg_walk_reader_close(r);
	return rc;
}

/* The rows of a table, with warnings about it. */
static int
read_table(struct input *input, struct cscg_in *in, const char *path,
    enum form form, struct cscg_err *err)
{
	char sep = ',';
	int rc;

	input->tables = true;
	if (form == FORM_NPY && input->measurement->active)
		return cscg_fail(err, CSCG_EUSAGE,
		    "%s: this is an array, but %s is for tables with names of "
		    "columns",
		    cscg_in_name(in), table_option());
	if (form == FORM_NPY) {
		rc = cscg_walk_table_read_npy(input->tab, in, err);
	} else {
		sep = separator(in, form, set.delimiter, err);
		rc = sep ? cscg_walk_table_read_csv(input->tab, in, sep, err) :
			   -1;
	}
	if (rc < 0)
		return -1;
	if (!cscg_walk_table_n_rows(input->tab))
		cmd_warn("%s: no rows: there are no steps in it",
		    cscg_in_name(in));
	if (form != FORM_NPY && !set.episode.n && !set.no_header &&
	    set.episode_gap < 0)
		warn_missing_episodes(path, sep, set.x, set.a);
	return 0;
}

static int
read_one(struct input *input, const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum form form = FORM_AUTO;
	int rc = -1;

	if (in && set.text) {
		rc = cscg_walk_text_read(input->text, in, err);
		goto out;
	}
	if (in)
		form = input_form(in, path, (enum form)set.from, err);
	if (form == FORM_AUTO)
		goto out;
	if (form == FORM_WALK ? input->tables : input->walk != NULL) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "%s: walks and tables cannot be joined", cscg_in_name(in));
		goto out;
	}
	if (form == FORM_WALK)
		return read_walk_take(input, in, err);
	rc = read_table(input, in, path, form, err);
out:
	cscg_in_close(in);
	return rc;
}

static int
read_all(struct input *input, char **paths, int n, struct cscg_err *err)
{
	struct cscg_walk_table_options options = { .x = set.x,
		.a = set.a,
		.episode = set.episode.v,
		.n_episode = set.episode.n,
		.missing = set.missing.v,
		.n_missing = set.missing.n,
		.no_header = set.no_header,
		.bin = input->measurement->bin,
		.see = set.see.v,
		.n_see = set.see.n,
		.time = set.time,
		.min_likelihood = set.min_likelihood,
		.positions = set.xy ? &input->positions : NULL };
	const struct cscg_walk_text_options text = {
		.words = set.text == TEXT_WORDS,
		.lower = set.lower,
		.lines = set.lines,
		.min_count = set.min_count,
		.vocabulary = set.alphabet_from ? &input->alphabet_from : NULL
	};
	const struct measurement *m = input->measurement;
	int i;

	if (read_alphabet(input, err) < 0)
		return -1;
	if (set.text && !(input->text = cscg_walk_text_new(&text, err)))
		return -1;
	if (m->active)
		options.measure = &m->how;
	if (set.alphabet_from)
		options.alphabet_from = &input->alphabet_from;
	input->tab = cscg_walk_table_new(&options, err);
	if (!input->tab)
		return -1;
	for (i = 0; i < n || i == 0; i++)
		if (read_one(input, n ? paths[i] : "-", err) < 0)
			return -1;
	if (set.text) {
		input->walk = cscg_walk_text_to_walk(input->text, err);
		return input->walk ? 0 : -1;
	}
	if (input->tables)
		input->walk = cscg_walk_table_to_walk(input->tab, err);
	else if (options.alphabet_from)
		return cscg_walk_align(input->walk, options.alphabet_from,
		    err);
	if (!input->walk)
		return -1;
	if (input->tables && !options.alphabet_from)
		warn_symbols(input->walk);
	if (m->active)
		warn_measured(m, cscg_walk_table_report(input->tab));
	return 0;
}

/*
 * The files, or standard input if n is 0, as one new walk; NULL with err
 * filled.  Their positions, with --xy, go to *positions.
 */
static struct cscg_walk *
read_input(char **paths, int n, const struct measurement *m,
    struct cscg_positions *positions, struct cscg_err *err)
{
	struct input input = { .measurement = m };

	if (read_all(&input, paths, n, err) < 0) {
		cscg_walk_free(input.walk);
		input.walk = NULL;
	}
	cscg_walk_table_free(input.tab);
	cscg_walk_text_free(input.text);
	cscg_walk_header_free(&input.alphabet_from);
	*positions = input.positions;
	return input.walk;
}

/* Output. */

static int
write_walk(const struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err)
{
	enum form form = output_form();

	if (form == FORM_WALK)
		return cscg_walk_write(w, out, err);
	if (form == FORM_NPY)
		return cscg_walk_table_write_npy(w, out, err);
	if (form == FORM_TEXT)
		return cscg_walk_text_write(w, out, err);
	return cscg_walk_table_write_csv(w, out, form == FORM_CSV ? ',' : '\t',
	    set.numbers, err);
}

/* Write the test set to its file; *walk becomes the rest. */
static int
write_test(struct cscg_walk **walk, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk *train = NULL, *test = NULL;
	int rc;

	rc = cscg_walk_split(*walk, set.fraction, &train, &test, err);
	if (rc == 0)
		rc = write_walk(test, out, err);
	cscg_walk_free(test);
	if (rc < 0) {
		cscg_walk_free(train);
		return -1;
	}
	cscg_walk_free(*walk);
	*walk = train;
	return 0;
}

static int
run(char **paths, int n, const struct measurement *m, struct cscg_err *err)
{
	struct cscg_out *out, *test = NULL, *xy = NULL;
	struct cscg_positions positions = { 0 };
	struct cscg_walk *walk = NULL;
	int rc = -1;

	out = cmd_out(err);
	if (!out)
		return -1;
	if (set.xy) {
		xy = cmd_out_also(set.xy, 0, err);
		if (!xy)
			return -1;
	}
	if (set.test) {
		test = cscg_out_open(set.test,
		    gzipped(set.test) ? CSCG_OUT_GZIP : 0, err);
		if (!test)
			return -1;
	}
	walk = read_input(paths, n, m, &positions, err);
	if (!walk || select_steps(&walk, set.select, set.head, err) < 0 ||
	    cmd_history(&walk->head.history, err) < 0 ||
	    (test && write_test(&walk, test, err) < 0) ||
	    (xy &&
		cscg_positions_write(&positions, walk->n_steps, xy, err) <
		    0) ||
	    write_walk(walk, out, err) < 0)
		goto out;
	rc = test ? cscg_out_close(test, err) : 0;
	test = NULL;
out:
	cscg_out_abort(test);
	cscg_walk_free(walk);
	cscg_positions_free(&positions);
	return rc;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	struct measurement measurement;
	int n;
	char **paths = cmd_begin(&info, argc, argv, &n);

	check(n);
	parse_measurement(&measurement);
	return cmd_end(run(paths, n, &measurement, &err) < 0 ? -1 : 1, &err);
}
