/*
 * options.c - option rows: parsing and --help
 *
 * The rows of a tool and the common rows it uses are processed as one list;
 * the value each variable has before parsing is its default, for --help and
 * history.
 */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "suggest.h"
#include "jobs.h"
#include "core/model_io.h"
#include "kernel/cpu.h"
#include "options.h"

/* the value of an option from its text, and back */

union cmd_value
cmd_value_of(const struct cmd_opt *o)
{
	union cmd_value v = { .s = NULL };

	switch (o->type) {
	case CMD_T_FLAG:
		v.b = *(bool *)o->var;
		break;
	case CMD_T_LONG:
		v.l = *(long *)o->var;
		break;
	case CMD_T_DOUBLE:
		v.d = *(double *)o->var;
		break;
	case CMD_T_STRING:
		v.s = *(const char **)o->var;
		break;
	case CMD_T_CHOICE:
		v.i = *(int *)o->var;
		break;
	default:
		break;
	}
	return v;
}

/* The shortest decimal that reads back as x. */
static void
print_double(char *buf, size_t size, double x)
{
	int digits;

	for (digits = 6; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			return;
	}
}

const char *
cmd_value_text(const struct cmd_opt *o, union cmd_value v, char *buf,
    size_t size)
{
	buf[0] = '\0';
	switch (o->type) {
	case CMD_T_FLAG:
		return v.b ? "true" : "";
	case CMD_T_LONG:
		if ((double)v.l >= o->lo && (double)v.l <= o->hi)
			snprintf(buf, size, "%ld", v.l);
		return buf;
	case CMD_T_DOUBLE:
		if (v.d >= o->lo && v.d <= o->hi)
			print_double(buf, size, v.d);
		return buf;
	case CMD_T_STRING:
		return v.s ? v.s : "";
	case CMD_T_CHOICE:
		return v.i >= 0 ? o->words[v.i] : "";
	default: /* a list, a title */
		return "";
	}
}

const char *
cmd_value_words(const char *const *words, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (; *words && n < size; words++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "|" : "",
		    *words);
	return buf;
}

bool
cmd_value_is_word(const struct cmd_opt *o, const char *s)
{
	const char *const *word;

	for (word = o->words; word && *word; word++)
		if (!strcmp(*word, s))
			return true;
	return false;
}

static bool
all_of(const char *s, const char *chars)
{
	return *s && !s[strspn(s, chars)];
}

static void
out_of_range(const struct cmd_opt *o, const char *s)
{
	char lo[32], hi[32];

	print_double(lo, sizeof lo, o->lo);
	print_double(hi, sizeof hi, o->hi);
	if (o->type == CMD_T_LONG) {
		snprintf(lo, sizeof lo, "%.0f", o->lo);
		snprintf(hi, sizeof hi, "%.0f", o->hi);
	}
	if (o->hi < DBL_MAX && (o->type != CMD_T_LONG || o->hi < 9e18))
		cmd_usage("--%s: %s is outside %s..%s", o->word, s, lo, hi);
	if (strtod(s, NULL) > o->lo)
		cmd_usage("--%s: %s is too large", o->word, s);
	cmd_usage("--%s: %s is outside %s and up", o->word, s, lo);
}

static void
set_number(const struct cmd_opt *o, const char *s)
{
	char *end;
	double d;
	long l = 0;

	errno = 0;
	d = strtod(s, &end);
	/*
	 * strtod() also accepts nan, infinity, hexadecimal numbers and leading
	 * blanks.
	 */
	if (!all_of(s, "0123456789+-.eE") || *end)
		cmd_usage("--%s: '%s' is not a number", o->word, s);
	if (o->type == CMD_T_LONG) {
		/*
		 * 1e6 is a whole number; a double below 2^53 can represent
		 * any.
		 */
		if (d != floor(d))
			cmd_usage("--%s: '%s' is not a whole number", o->word,
			    s);
		if (!all_of(s, "0123456789+-") && fabs(d) > 9e15)
			out_of_range(o, s);
		errno = 0;
		l = all_of(s, "0123456789+-") ? strtol(s, NULL, 10) : (long)d;
		d = (double)l;
	}
	if ((errno == ERANGE && (o->type == CMD_T_LONG || d > 1 || d < -1)) ||
	    d < o->lo || d > o->hi)
		out_of_range(o, s);
	if (o->type == CMD_T_LONG)
		*(long *)o->var = l;
	else
		*(double *)o->var = d;
}

/*
 * Where numbers or a file name are allowed, a word that begins like a number
 * and is not an existing file is an invalid number.  Valid numbers are checked
 * by the tool.
 */
static void
check_numbers(const struct cmd_opt *o, const char *s)
{
	const char *p = s + strspn(s, " \t");

	p += *p == '+' || *p == '-';
	p += *p == '.';
	if (!isdigit((unsigned char)*p) || all_of(s, "0123456789,"))
		return;
	if (access(s, F_OK) < 0 && errno != EACCES)
		cmd_usage("--%s: '%s' is neither a plain number nor a file",
		    o->word, s);
}

static void
set_string(const struct cmd_opt *o, const char *s)
{
	if (o->flags & CMD_OR_NUMBERS)
		check_numbers(o, s);
	*(const char **)o->var = s;
}

static void
set_choice(const struct cmd_opt *o, const char *s)
{
	struct cmd_suggest near = { .word = s, .n = strlen(s) };
	char words[256], hint[CMD_SUGGEST_TEXT];
	const char *text;
	int i;

	for (i = 0; o->words[i]; i++) {
		if (!strcmp(o->words[i], s)) {
			*(int *)o->var = i;
			return;
		}
		cmd_suggest_add(&near, o->words[i]);
	}
	text = cmd_suggest_meaning(cmd_opt_rows()->info->name, o->word,
	    strlen(o->word), s, NULL);
	if (text)
		snprintf(hint, sizeof hint, ": %s", text);
	else
		cmd_suggest_hint(&near, "", hint);
	cmd_usage("--%s: '%s' is not one of %s%s", o->word, s,
	    cmd_value_words(o->words, words, sizeof words), hint);
}

static void
set_list(struct cmd_list *list, char *s)
{
	char **v = realloc(list->v, ((size_t)list->n + 1) * sizeof *v);
	struct cscg_err err;

	if (!v) {
		cscg_fail(&err, CSCG_ENOMEM, "out of memory");
		exit(cmd_fail(&err));
	}
	list->v = v;
	list->v[list->n++] = s;
}

static void
value_set(const struct cmd_opt *o, char *s)
{
	switch (o->type) {
	case CMD_T_FLAG:
		*(bool *)o->var = true;
		break;
	case CMD_T_LONG:
	case CMD_T_DOUBLE:
		set_number(o, s);
		break;
	case CMD_T_STRING:
		set_string(o, s);
		break;
	case CMD_T_CHOICE:
		set_choice(o, s);
		break;
	case CMD_T_LIST:
		set_list(o->var, s);
		break;
	default: /* a title has no word */
		break;
	}
}

struct cmd_common cmd = { .seed = 42 };

static bool want_help, want_version;

static const char *const progress_words[] = { "auto", "always", "never",
	NULL };

enum { HELP_COLUMN = 30, N_GROUPS = 5 };

/* The headings of --help that all tools share, in their order. */
static const char *const groups[N_GROUPS] = {
	"Input:", "Model:", "Algorithm:", "Output:", "General:"
};
enum { G_INPUT, G_MODEL, G_ALGORITHM, G_OUTPUT, G_GENERAL };

/*
 * Common rows, each with the uses flag of the tools that have it (0: all
 * tools) and its heading.
 */
static const struct {
	unsigned uses;
	int group;
	struct cmd_opt opt;
} common[] = {
	{ 0, G_OUTPUT,
	    CMD_WRITES('o', "output", &cmd.out, "FILE",
		"output file, replaced when complete (default: standard "
		"output)") },
	{ CMD_USES_WALKS, G_INPUT,
	    CMD_FILES('w', "walk", &cmd.walks, "FILE",
		"input walk; may be repeated (default: standard input)") },
	{ CMD_USES_SEED, G_ALGORITHM,
	    CMD_LONG('s', "seed", &cmd.seed, 0, 9e18, "N",
		"seed of the random number generator") },
	{ CMD_USES_THREADS, G_ALGORITHM,
	    CMD_LONG('j', "threads", &cmd.threads, 1, CMD_THREADS_MAX, "N",
		"threads; default OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, or "
		"the number of cores") },
	{ CMD_USES_GZIP, G_OUTPUT,
	    CMD_FLAG(0, "no-gzip", &cmd.no_gzip, "write plain JSON") },
	{ CMD_USES_GZIP, G_OUTPUT,
	    CMD_FLAG('f', "force", &cmd.force,
		"write compressed data even to a terminal") },
	{ CMD_USES_GZIP, G_OUTPUT,
	    CMD_FLAG(0, "live", &cmd.live,
		"flush the output after every line") },
	{ CMD_USES_STATS, G_OUTPUT,
	    CMD_WRITES(0, "stats", &cmd.stats, "FILE",
		"write one JSON line per iteration to this file") },
	{ CMD_USES_PROGRESS, G_GENERAL,
	    CMD_CHOICE(0, "progress", &cmd.progress, progress_words,
		"show a progress bar on standard error") },
	{ 0, G_GENERAL,
	    CMD_STRING(0, "max-memory", &cmd.max_memory, "SIZE",
		"memory limit, as 500M or 4G, or none; default 80 % of the "
		"machine's") },
	{ 0, G_GENERAL,
	    CMD_FLAG('q', "quiet", &cmd.quiet, "print errors only") },
	{ 0, G_GENERAL,
	    CMD_FLAG('v', "verbose", &cmd.verbose,
		"print progress messages") },
	{ 0, G_GENERAL,
	    CMD_FLAG('h', "help", &want_help, "print this help and exit") },
	{ 0, G_GENERAL,
	    CMD_FLAG('V', "version", &want_version,
		"print the version and exit") },
};

static struct cmd_rows self;

/* The rows */

static void
add_row(const struct cmd_opt *o)
{
	if (self.n == CMD_ROWS_MAX)
		abort(); /* capacity of the table */
	self.was[self.n] = cmd_value_of(o);
	self.row[self.n++] = o;
}

static void
collect_rows(const struct cmd_info *info)
{
	const struct cmd_opt *o;
	size_t i;

	memset(&self, 0, sizeof self);
	want_help = want_version = false;
	self.info = info;
	for (o = info->opts; o && o->type != CMD_T_END; o++)
		add_row(o);
	self.n_own = self.n;
	for (i = 0; i < sizeof common / sizeof *common; i++)
		if (!common[i].uses || (common[i].uses & info->uses)) {
			self.group[self.n] = common[i].group;
			add_row(&common[i].opt);
		}
}

/* --help and --version: cscg_out_close() fails if one of the calls has. */

static void
help_row(struct cscg_out *out, int i, struct cscg_err *err)
{
	const struct cmd_opt *o = self.row[i];
	char left[256], arg[160] = "", text[64], letter[8] = "    ";
	const char *def;
	bool fits;

	if (o->letter)
		snprintf(letter, sizeof letter, "-%c, ", o->letter);
	if (o->type == CMD_T_CHOICE)
		cmd_value_words(o->words, arg, sizeof arg);
	else if (o->arg)
		snprintf(arg, sizeof arg, "%s", o->arg);
	snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->word,
	    *arg ? " " : "", arg);
	/* A help that describes the default itself needs no value after it. */
	def = o->type == CMD_T_FLAG || strstr(o->help, "(default") ?
	    "" :
	    cmd_value_text(o, self.was[i], text, sizeof text);
	/* At least two blanks: completion separates help from value by them. */
	fits = strlen(left) < HELP_COLUMN - 1;
	cscg_out_printf(out, err, "%-*s%s%*s%s%s%s%s\n",
	    fits ? HELP_COLUMN : 0, left, fits ? "" : "\n",
	    fits ? 0 : HELP_COLUMN, "", o->help, *def ? " [" : "", def,
	    *def ? "]" : "");
}

/* The rows of the tool under this heading. */
static void
write_own_rows(struct cscg_out *out, const char *title, struct cscg_err *err)
{
	const char *now = "";
	int i;

	for (i = 0; i < self.n_own; i++)
		if (self.row[i]->type == CMD_T_TITLE)
			now = self.row[i]->help;
		else if (!strcmp(now, title))
			help_row(out, i, err);
}

static bool
has_title(const char *title)
{
	int i;

	for (i = 0; i < self.n_own; i++)
		if (self.row[i]->type == CMD_T_TITLE &&
		    !strcmp(self.row[i]->help, title))
			return true;
	return false;
}

/*
 * A heading shared by all tools, with the rows of the tool and the common ones.
 */
static void
write_group(struct cscg_out *out, int g, struct cscg_err *err)
{
	bool any = has_title(groups[g]);
	int i;

	for (i = self.n_own; i < self.n && !any; i++)
		any = self.group[i] == g;
	if (!any)
		return;
	cscg_out_printf(out, err, "\n%s\n", groups[g]);
	write_own_rows(out, groups[g], err);
	for (i = self.n_own; i < self.n; i++)
		if (self.group[i] == g)
			help_row(out, i, err);
}

/* Headings of the tool come first, such as the kinds of roomgen. */
static void
write_own_groups(struct cscg_out *out, struct cscg_err *err)
{
	const char *title;
	int i, g;

	for (i = 0; i < self.n_own; i++) {
		if (self.row[i]->type != CMD_T_TITLE)
			continue;
		title = self.row[i]->help;
		for (g = 0; g < N_GROUPS && strcmp(groups[g], title); g++)
			;
		if (g == N_GROUPS) {
			cscg_out_printf(out, err, "\n%s\n", title);
			write_own_rows(out, title, err);
		}
	}
}

static void
write_help(struct cscg_out *out, struct cscg_err *err)
{
	const struct cmd_info *info = self.info;
	int g;

	cscg_out_printf(out, err, "usage: %s [OPTION]...%s%s\n%s - %s\n",
	    info->name, *info->operands ? " " : "", info->operands, info->name,
	    info->purpose);
	write_own_groups(out, err);
	for (g = 0; g < N_GROUPS; g++)
		write_group(out, g, err);
	if (info->example)
		cscg_out_printf(out, err, "\nExample:\n  %s\n", info->example);
	cscg_out_printf(out, err, "\nManual page: %s(1)\n", info->name);
}

/* Print the help or version and exit. */
static void
answer(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open("-", 0, &err);

	if (!out)
		exit(cmd_fail(&err));
	/* Only one rank prints it. */
	if ((self.info->uses & CMD_USES_RANKS) && cscg_ranks_supported() &&
	    cscg_ranks_env_rank() > 0)
		exit(0);
	if (want_help)
		write_help(out, &err);
	else
		cscg_out_printf(out, &err, "%s (cscg) %s\n", self.info->name,
		    CSCG_VERSION);
	exit(cscg_out_close(out, &err) < 0 ? cmd_fail(&err) : 0);
}

/* Parsing */

/* Record that o was given. */
static void
mark_given(const struct cmd_opt *o)
{
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i] == o)
			self.given[i] = true;
}

/* The number of the row that sets var; -1: none. */
static int
row_of(const void *var)
{
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i]->var == var)
			return i;
	return -1;
}

bool
cmd_given(const void *var)
{
	int i = row_of(var);

	return i >= 0 && self.given[i];
}

void
cmd_refuse(const char *why, const void *const *vars)
{
	for (; *vars; vars++)
		if (cmd_given(*vars))
			cmd_usage("--%s %s", self.row[row_of(*vars)]->word,
			    why);
}

static int
n_dashes(const char *const *v, int n)
{
	int i, dashes = 0;

	for (i = 0; i < n; i++)
		dashes += v[i] && !strcmp(v[i], "-");
	return dashes;
}

int
cmd_n_stdin(void)
{
	const struct cmd_list *list;
	int i, n = 0;

	for (i = 0; i < self.n; i++) {
		if ((self.row[i]->flags & (CMD_NAMES_FILE | CMD_WRITTEN)) !=
		    CMD_NAMES_FILE)
			continue;
		list = self.row[i]->var;
		n += self.row[i]->type == CMD_T_LIST ?
		    n_dashes((const char *const *)list->v, list->n) :
		    n_dashes(self.row[i]->var, 1);
	}
	return n;
}

void
cmd_check_stdin(int more)
{
	if (cmd_n_stdin() + more > 1)
		cmd_usage("standard input can be read only once");
}

/* s is the value; it is unused for a flag. */
static void
set_option(const struct cmd_opt *o, char *s)
{
	mark_given(o);
	value_set(o, s);
	if (want_help || want_version)
		answer();
}

/* The option that n bytes of word probably mean, as a hint in buf, or "". */
static const char *
near_word(const char *word, size_t n, char buf[CMD_SUGGEST_TEXT])
{
	struct cmd_suggest near = { .word = word, .n = n };
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i]->type != CMD_T_TITLE)
			cmd_suggest_add(&near, self.row[i]->word);
	return cmd_suggest_hint(&near, "--", buf);
}

static bool
has_row(const char *word, size_t n)
{
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i]->type != CMD_T_TITLE &&
		    !strncmp(self.row[i]->word, word, n) &&
		    !self.row[i]->word[n])
			return true;
	return false;
}

/*
 * The equivalent of an option of other programs or of an earlier version, in
 * buf.  An equivalent that is common to all tools counts if this tool has it.
 */
static bool
by_meaning(const char *word, size_t n, char buf[CMD_SUGGEST_TEXT])
{
	const char *text, *option;
	bool any_tool;

	text = cmd_suggest_meaning(self.info->name, word, n, NULL, &any_tool);
	if (!text)
		return false;
	option = strstr(text, "--");
	if (any_tool && option &&
	    !has_row(option + 2,
		strspn(option + 2, "abcdefghijklmnopqrstuvwxyz-")))
		return false;
	snprintf(buf, CMD_SUGGEST_TEXT, ": %s", text);
	return true;
}

/* A hint where -w is not an option: the operands of the tool are walks. */
static void
no_walk(char hint[CMD_SUGGEST_TEXT])
{
	snprintf(hint, CMD_SUGGEST_TEXT, ": files are operands here, %s",
	    self.info->operands);
}

static const struct cmd_opt *
find_word(const char *word, size_t n)
{
	char hint[CMD_SUGGEST_TEXT];
	int i;

	for (i = 0; n && i < self.n; i++)
		if (!strncmp(self.row[i]->word, word, n) &&
		    !self.row[i]->word[n])
			return self.row[i];
	if (!by_meaning(word, n, hint))
		near_word(word, n, hint);
	if (n == 4 && !memcmp(word, "walk", 4))
		no_walk(hint);
	cmd_usage("unknown option '--%.*s'%s", (int)n, word, hint);
}

/* letters is the text after the dash: a long option with a missing dash. */
static const struct cmd_opt *
find_letter(char c, const char *letters)
{
	char hint[CMD_SUGGEST_TEXT] = "";
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i]->letter == c)
			return self.row[i];
	if (strlen(letters) > 2)
		near_word(letters, strcspn(letters, "="), hint);
	else if (c == 'w')
		no_walk(hint);
	cmd_usage("unknown option '-%c'%s", c, hint);
}

/* --word, --word=value, --word value.  next is the argument that follows, or
 * NULL; returns how many arguments were used. */
static int
parse_word(char *arg, char *next)
{
	char *eq = strchr(arg, '=');
	const struct cmd_opt *o = find_word(arg + 2,
	    eq ? (size_t)(eq - arg) - 2 : strlen(arg) - 2);

	if (o->type == CMD_T_FLAG && eq)
		cmd_usage("--%s takes no value", o->word);
	if (o->type == CMD_T_FLAG || eq) {
		set_option(o, eq ? eq + 1 : arg);
		return 1;
	}
	if (!next)
		cmd_usage("--%s needs a value", o->word);
	set_option(o, next);
	return 2;
}

/* -x, -xyz for flags, -ovalue, -o value. */
static int
parse_letters(char *arg, char *next)
{
	const struct cmd_opt *o;
	char *p;

	for (p = arg + 1; *p; p++) {
		if (*p == '=' && p > arg + 1)
			cmd_usage("-%c takes no value", p[-1]);
		o = find_letter(*p, arg + 1);
		if (o->type == CMD_T_FLAG) {
			set_option(o, p);
			continue;
		}
		if (!p[1] && !next)
			cmd_usage("-%c needs a value", *p);
		/* Otherwise --output=x and -o=x would be two files. */
		if (p[1] == '=')
			cmd_usage("-%c takes its value without '='", *p);
		set_option(o, p[1] ? p + 1 : next);
		return p[1] ? 1 : 2;
	}
	return 1;
}

/*
 * A document may have replaced "-" by another dash: U+2010 to U+2015 and
 * U+2212.
 */
static void
check_dash(const char *arg)
{
	const unsigned char *p = (const unsigned char *)arg;

	if (p[0] == 0xe2 &&
	    ((p[1] == 0x80 && p[2] >= 0x90 && p[2] <= 0x95) ||
		(p[1] == 0x88 && p[2] == 0x92)) &&
	    access(arg, F_OK) < 0)
		cmd_usage("'%s' begins with a dash that is not '-': type '-'",
		    arg);
}

/* Remove options from argv; operands move up behind argv[0]. */
int
cmd_opt_parse(const struct cmd_info *info, int argc, char **argv)
{
	int i = 1, n = 0;

	collect_rows(info);
	while (i < argc) {
		char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(arg, "--")) {
			for (i++; i < argc; i++)
				argv[1 + n++] = argv[i];
		} else if (arg[0] != '-' || !arg[1]) {
			check_dash(arg);
			argv[1 + n++] = arg;
			i++;
		} else {
			i += arg[1] == '-' ? parse_word(arg, next) :
					     parse_letters(arg, next);
		}
	}
	argv[1 + n] = NULL;
	self.operand = argv + 1;
	return n;
}

struct cmd_rows *
cmd_opt_rows(void)
{
	return &self;
}

void
cmd_opt_free(void)
{
	struct cmd_list *list;
	int i;

	for (i = 0; i < self.n; i++) {
		if (self.row[i]->type != CMD_T_LIST)
			continue;
		list = self.row[i]->var;
		free(list->v);
		*list = (struct cmd_list){ 0, NULL };
	}
}

/*
 * conflicts between files of the command line
 *
 * Results replace existing files, so a mistake such as "-o w.gz -w w.gz" would
 * lose a walk.  Existing files are compared by device and inode, others by
 * directory and name; a file that is not regular cannot be lost.
 */

/* An output file. */
struct target {
	const struct cmd_opt *row;
	const char *path;
	bool there; /* whether it exists as a regular file, st */
	struct stat st;
};

static bool
is_it(const struct target *t, const struct stat *st)
{
	return t->there && S_ISREG(st->st_mode) &&
	    st->st_dev == t->st.st_dev && st->st_ino == t->st.st_ino;
}

static bool
names_it(const struct target *t, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && is_it(t, &st);
}

/* The last component of path, or NULL if it has none. */
static const char *
last_component(const char *path, struct stat *dir)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;
	char name[PATH_MAX] = ".";

	if (n >= sizeof name)
		return NULL;
	if (n) {
		memcpy(name, path, n);
		name[n] = '\0';
	}
	return stat(name, dir) == 0 ? path + n : NULL;
}

/* Whether path will be the same file as output t. */
static bool
is_same_output(const struct target *t, const char *path)
{
	struct stat here, there;
	const char *a, *b;

	if (t->there)
		return names_it(t, path);
	a = last_component(t->path, &here);
	b = last_component(path, &there);
	return a && b && !strcmp(a, b) && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino;
}

static int
fail(const struct target *t, const char *other, const char *name,
    struct cscg_err *err)
{
	return cscg_fail(err, CSCG_EUSAGE,
	    "--%s and %s%s%s%s are the same file, which would be overwritten",
	    t->row->word, other, name ? " '" : "", name ? name : "",
	    name ? "'" : "");
}

/* Check output t against the file of another option. */
static int
check_target_row(const struct target *t, const struct cmd_opt *o,
    struct cscg_err *err)
{
	const struct cmd_list one = { 1, o->var };
	const struct cmd_list *list = o->type == CMD_T_LIST ? o->var : &one;
	char word[64];
	int i;

	if (!(o->flags & CMD_NAMES_FILE) || o == t->row)
		return 0;
	for (i = 0; i < list->n; i++) {
		const char *path = list->v[i];

		if (!path || !strcmp(path, "-") ||
		    cmd_value_is_word(o, path) ||
		    ((o->flags & CMD_OR_NUMBERS) &&
			!path[strspn(path, "0123456789,")]))
			continue;
		if (!(o->flags & CMD_WRITTEN ? is_same_output(t, path) :
					       names_it(t, path)))
			continue;
		snprintf(word, sizeof word, "--%s", o->word);
		return fail(t, word, NULL, err);
	}
	return 0;
}

/*
 * Whether the operand is recorded in the history, such as the kind of a room:
 * compared as a pointer, since a file may have any name.
 */
static bool
is_word(const struct cmd_rows *rows, const char *operand)
{
	int i;

	for (i = 0; i < rows->n_extra; i++)
		if (rows->extra[i][1] == operand)
			return true;
	return false;
}

/*
 * Check output t against an operand: FILE, or NAME=FILE*N with or without name
 * and number.
 */
static int
check_target_operand(const struct target *t, const char *operand,
    struct cscg_err *err)
{
	const char *file = cscg_schemas_file(operand);
	char *copy;
	bool hit;

	if (access(operand, F_OK) == 0) {
		hit = names_it(t, operand);
	} else {
		copy = cscg_copy(file, strlen(file) + 1, 1, err);
		if (!copy)
			return -1;
		copy[strcspn(copy, "*")] = '\0';
		hit = names_it(t, copy);
		free(copy);
	}
	return hit ? fail(t, "operand", operand, err) : 0;
}

static int
look_around(const struct cmd_rows *rows, const struct target *t,
    struct cscg_err *err)
{
	struct stat st;
	char **p;
	int i;

	for (i = 0; i < rows->n; i++)
		if (check_target_row(t, rows->row[i], err) < 0)
			return -1;
	for (p = rows->operand; *p; p++)
		if (!is_word(rows, *p) && check_target_operand(t, *p, err) < 0)
			return -1;
	if (fstat(STDIN_FILENO, &st) == 0 && is_it(t, &st))
		return fail(t, "standard input", NULL, err);
	return 0;
}

/* A descriptor opened by the shell, which is not checked. */
static bool
is_open(const char *path)
{
	return !strcmp(path, "-") || !strncmp(path, "/dev/std", 8) ||
	    !strncmp(path, "/dev/fd/", 8);
}

int
cmd_check_overlap(struct cscg_err *err)
{
	const struct cmd_rows *rows = cmd_opt_rows();
	struct target t;
	int i;

	for (i = 0; i < rows->n; i++) {
		t.row = rows->row[i];
		if (!(t.row->flags & CMD_WRITTEN))
			continue;
		t.path = *(const char **)t.row->var;
		if (!t.path || is_open(t.path))
			continue;
		t.there = stat(t.path, &t.st) == 0;
		if (t.there && !S_ISREG(t.st.st_mode))
			continue;
		if (look_around(rows, &t, err) < 0)
			return -1;
	}
	return 0;
}

/* the compute kernel: --isa, CSCG_ISA, or the fastest available */

const char *
cmd_isa_word(const char *given)
{
	const char *word = given ? given : getenv("CSCG_ISA");

	return word ? word : "auto";
}

const struct cscg_simd *
cmd_isa(const char *given)
{
	const char *word = cmd_isa_word(given);
	const struct cscg_simd *simd;
	struct cscg_err err = { 0 };
	int64_t lacks = 0;
	int n;

	if (cmd_agree(cscg_cpu_choose_simd(word, &simd, &err), &err) < 0)
		cmd_usage("--isa: %s", err.msg);
	if (strcmp(word, "auto"))
		return simd;
	/*
	 * Ranks use the fastest kernel that all of them support.  Kernels are
	 * ordered by speed and each CPU supports all slower ones, so comparing
	 * their numbers suffices.
	 */
	for (n = 0; cscg_cpu_simd(n); n++)
		;
	lacks = -n;
	cscg_ranks_max(cmd.ranks, &lacks, 1);
	return cscg_cpu_simd(n + (int)lacks);
}
