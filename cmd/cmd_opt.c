/*
 * cmd_opt.c - option rows: parsing and --help
 *
 * A tool's rows and the common rows it uses are walked as one list; the value
 * each variable has before parsing is its default, for --help and history.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd_near.h"
#include "cmd_opt.h"
#include "cmd_value.h"

enum { HELP_COLUMN = 30 };

struct cmd_common cmd = { .seed = 42 };

static bool want_help, want_version;

static const char *const progress_words[] = { "auto", "always", "never", NULL };

/* Common rows, each with what a tool must use to have it; 0: always there. */
static const struct {
	unsigned uses;
	struct cmd_opt opt;
} common[] = {
	{ 0, CMD_WRITES('o', "output", &cmd.out, "FILE",
	    "write here, whole or not at all, not to standard output") },
	{ CMD_USES_WALKS, CMD_FILES('w', "walk", &cmd.walks, "FILE",
	    "read this walk, not standard input; may be repeated") },
	{ CMD_USES_SEED, CMD_LONG('s', "seed", &cmd.seed, 0, 9e18, "N",
	    "seed of all random choices") },
	{ CMD_USES_THREADS, CMD_LONG('j', "threads", &cmd.threads, 1,
	    CMD_THREADS_MAX, "N", "threads; default OMP_NUM_THREADS, "
	    "SLURM_CPUS_PER_TASK, or the cores there are") },
	{ CMD_USES_GZIP, CMD_FLAG(0, "no-gzip", &cmd.no_gzip,
	    "write plain JSON") },
	{ CMD_USES_GZIP, CMD_FLAG('f', "force", &cmd.force,
	    "write compressed data even to a terminal") },
	{ CMD_USES_GZIP, CMD_FLAG(0, "live", &cmd.live,
	    "pass every line on at once") },
	{ CMD_USES_STATS, CMD_WRITES(0, "stats", &cmd.stats, "FILE",
	    "write a line of JSON per iteration here") },
	{ CMD_USES_PROGRESS, CMD_CHOICE(0, "progress", &cmd.progress,
	    progress_words, "show a bar on standard error") },
	{ 0, CMD_STRING(0, "max-memory", &cmd.max_memory, "SIZE",
	    "use no more memory, as 500M or 4G, or none; default 80 % of the "
	    "machine's") },
	{ 0, CMD_FLAG('q', "quiet", &cmd.quiet, "say nothing but errors") },
	{ 0, CMD_FLAG('v', "verbose", &cmd.verbose, "say more") },
	{ 0, CMD_FLAG('h', "help", &want_help, "show this help and exit") },
	{ 0, CMD_FLAG('V', "version", &want_version,
	    "show the version and exit") },
};

static struct cmd_rows self;

/* The rows */

static void
add_row(const struct cmd_opt *o)
{
	if (self.n == CMD_ROWS_MAX)
		abort();	/* a tool with that many options is a mistake */
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
		if (!common[i].uses || (common[i].uses & info->uses))
			add_row(&common[i].opt);
}

/* --help and --version */

static int
help_row(struct cscg_out *out, int i, struct cscg_err *err)
{
	const struct cmd_opt *o = self.row[i];
	char left[256], arg[160] = "", text[64], letter[8] = "    ";
	const char *def;
	bool fits;

	if (o->type == CMD_T_TITLE)
		return cscg_out_printf(out, err, "%s%s\n", i ? "\n" : "",
		    o->help);
	if (o->letter)
		snprintf(letter, sizeof letter, "-%c, ", o->letter);
	if (o->type == CMD_T_CHOICE)
		cmd_value_words(o->words, arg, sizeof arg);
	else if (o->arg)
		snprintf(arg, sizeof arg, "%s", o->arg);
	snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->word,
	    *arg ? " " : "", arg);
	def = o->type == CMD_T_FLAG ? "" :
	    cmd_value_text(o, self.was[i], text, sizeof text);
	/* At least two blanks, by which completion tells help from value. */
	fits = strlen(left) < HELP_COLUMN - 1;
	return cscg_out_printf(out, err, "%-*s%s%*s%s%s%s%s\n",
	    fits ? HELP_COLUMN : 0, left, fits ? "" : "\n",
	    fits ? 0 : HELP_COLUMN, "", o->help, *def ? " [" : "", def,
	    *def ? "]" : "");
}

static int
write_help(struct cscg_out *out, struct cscg_err *err)
{
	const struct cmd_info *info = self.info;
	int i;

	if (cscg_out_printf(out, err, "usage: %s [OPTION]...%s%s\n%s - %s\n\n",
	    info->name, *info->operands ? " " : "", info->operands,
	    info->name, info->purpose) < 0)
		return -1;
	for (i = 0; i < self.n; i++) {
		if (i && i == self.n_own &&
		    cscg_out_write(out, "\n", 1, err) < 0)
			return -1;
		if (help_row(out, i, err) < 0)
			return -1;
	}
	return 0;
}

/* Answer and exit. */
static void
answer(void)
{
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open("-", 0, &err);
	int rc = -1;

	if (!out)
		exit(cmd_fail(&err));
	/* All ranks know the answer, and one gives it. */
	if ((self.info->uses & CMD_USES_RANKS) && cscg_ranks_supported() &&
	    cscg_ranks_env_rank() > 0)
		exit(0);
	rc = want_help ? write_help(out, &err) : cscg_out_printf(out, &err,
	    "%s (cscg) %s\n", self.info->name, CSCG_VERSION);
	if (rc < 0)
		cscg_out_abort(out);
	else
		rc = cscg_out_close(out, &err);
	exit(rc < 0 ? cmd_fail(&err) : 0);
}

/* Parsing */

/* Remember that o was given. */
static void
tick(const struct cmd_opt *o)
{
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i] == o)
			self.given[i] = true;
}

bool
cmd_given(const void *var)
{
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i]->var == var)
			return self.given[i];
	return false;
}

/* s is the value; a flag has none and looks at nothing. */
static void
set_option(const struct cmd_opt *o, char *s)
{
	tick(o);
	cmd_value_set(o, s);
	if (want_help || want_version)
		answer();
}

/* The option that was meant by n bytes of word, as a hint in buf, or "". */
static const char *
near_word(const char *word, size_t n, char buf[CMD_NEAR_TEXT])
{
	struct cmd_near near = { .word = word, .n = n };
	int i;

	for (i = 0; i < self.n; i++)
		if (self.row[i]->type != CMD_T_TITLE)
			cmd_near_look(&near, self.row[i]->word);
	return cmd_near_hint(&near, "--", buf);
}

/* -w is an option of tools whose operands are something else. */
static void
no_walk(char hint[CMD_NEAR_TEXT])
{
	snprintf(hint, CMD_NEAR_TEXT, ": files are operands here, %s",
	    self.info->operands);
}

static const struct cmd_opt *
find_word(const char *word, size_t n)
{
	char hint[CMD_NEAR_TEXT];
	int i;

	for (i = 0; n && i < self.n; i++)
		if (!strncmp(self.row[i]->word, word, n) &&
		    !self.row[i]->word[n])
			return self.row[i];
	near_word(word, n, hint);
	if (n == 4 && !memcmp(word, "walk", 4))
		no_walk(hint);
	cmd_usage("unknown option '--%.*s'%s", (int)n, word, hint);
}

/* letters is all that stands behind the dash: a word, if one is missing. */
static const struct cmd_opt *
find_letter(char c, const char *letters)
{
	char hint[CMD_NEAR_TEXT] = "";
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
		/* Else --output=x and -o=x would be two files. */
		if (p[1] == '=')
			cmd_usage("-%c takes its value without '='", *p);
		set_option(o, p[1] ? p + 1 : next);
		return p[1] ? 1 : 2;
	}
	return 1;
}

/*
 * A page or a mail may have made another dash of "-": U+2010 to U+2015 and
 * U+2212.
 */
static void
judge_dash(const char *arg)
{
	const unsigned char *p = (const unsigned char *)arg;

	if (p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0x90 && p[2] <= 0x95) ||
	    (p[1] == 0x88 && p[2] == 0x92)) && access(arg, F_OK) < 0)
		cmd_usage("'%s' begins with a dash that is not '-': type it "
		    "anew", arg);
}

/* Options are taken out of argv; operands close up behind argv[0]. */
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
			judge_dash(arg);
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
