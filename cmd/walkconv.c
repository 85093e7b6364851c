/* walkconv - walks from tables, tables from walks, and parts of either */
#include <string.h>

#include "cmd.h"
#include "core/walk_table.h"
#include "core/walk_io.h"
#include "core/walk.h"
#include "walkconv.h"

static const char *const froms[] = {
	"auto", "walk", "csv", "tsv", "npy", NULL
};

static struct {
	int from, to;
	const char *x, *a, *delimiter, *episodes, *alphabet_from, *test;
	struct cmd_list episode, missing;
	bool sorted, numbers;
	long head;
	double fraction;
} set = { .fraction = 0.2 };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "from", &set.from, froms,
	    "what is read (auto: by the file's name or first byte)"),
	CMD_CHOICE(0, "to", &set.to, froms,
	    "what is written (auto: by the name after -o, else walk)"),
	CMD_STRING(0, "x", &set.x, "NAME",
	    "column of observations (default: x, obs or observation)"),
	CMD_STRING(0, "a", &set.a, "NAME",
	    "column of actions (default: a or action; '': none)"),
	CMD_LIST(0, "episode", &set.episode, "NAME",
	    "column of episodes (default: episode, if there; '': none); may "
	    "be repeated, if several tell"),
	CMD_STRING(0, "delimiter", &set.delimiter, "C",
	    "what parts fields: a character, tab or space (default: as the "
	    "first line has it)"),
	CMD_LIST(0, "missing", &set.missing, "WORD",
	    "what says that nothing was seen: NaN, NA, -1; may be repeated"),
	CMD_FLAG(0, "sorted", &set.sorted,
	    "number names by their spelling, not as they appear"),
	CMD_FILE(0, "like", &set.alphabet_from, "WALK",
	    "use the numbers and names of this walk"),
	CMD_FLAG(0, "numbers", &set.numbers,
	    "write numbers even where names are known"),
	CMD_STRING(0, "episodes", &set.episodes, "LIST",
	    "keep these, from 0: 3,7-9,20-"),
	CMD_LONG(0, "head", &set.head, 1, 1000000000000, "N",
	    "keep the first N steps of each episode"),
	CMD_PART(0, "test", &set.test, "FILE",
	    "set the end aside as a test set in FILE"),
	CMD_DOUBLE(0, "test-fraction", &set.fraction, 0, 1, "F",
	    "how much of it"),
	CMD_END
};

static const struct cmd_info info = {
	.name = "walkconv",
	.operands = "[FILE...]",
	.purpose = "walks from tables, tables from walks, and parts of either",
	.opts = opts,
	.max = -1,
	.uses = CMD_USES_GZIP
};

static enum walkconv_form
form_out(void)
{
	enum walkconv_form form = (enum walkconv_form)set.to;

	if (form == WALKCONV_AUTO && cmd.out)
		form = walkconv_by_name(cmd.out);
	return form == WALKCONV_AUTO ? WALKCONV_WALK : form;
}

/* Walks are compressed unless asked otherwise, tables if so called. */
static bool
gzipped(const char *path)
{
	size_t n = path ? strlen(path) : 0;

	if (form_out() == WALKCONV_WALK)
		return !cmd.no_gzip;
	return n > 3 && !strcmp(path + n - 3, ".gz");
}

/* A column that is two things at once is a slip. */
static void
judge_same(const char *first, const char *column, const char *second,
    const char *other)
{
	if (column && other && *column && !strcmp(column, other))
		cmd_usage("--%s and --%s both name column '%s'", first, second,
		    column);
}

static void
judge_columns(void)
{
	int i, k;

	judge_same("x", set.x, "a", set.a);
	for (i = 0; i < set.episode.n; i++) {
		judge_same("x", set.x, "episode", set.episode.v[i]);
		judge_same("a", set.a, "episode", set.episode.v[i]);
		for (k = 0; k < i; k++)
			judge_same("episode", set.episode.v[k], "episode",
			    set.episode.v[i]);
		if (!*set.episode.v[i] && set.episode.n > 1)
			cmd_usage("--episode '' does not go with another");
	}
	if (set.episode.n > CSCG_WALK_TABLE_EPISODE_MAX)
		cmd_usage("--episode: more than %d columns",
		    CSCG_WALK_TABLE_EPISODE_MAX);
	if (set.delimiter && (set.from == WALKCONV_WALK ||
	    set.from == WALKCONV_NPY))
		cmd_usage("--delimiter does not go with --from %s",
		    froms[set.from]);
	walkconv_delimiter(set.delimiter);
}

/* Options that make no sense, before anything is read. */
static void
judge(char **paths, int n)
{
	bool from_stdin = n == 0;
	int i;

	walkconv_judge_list(set.episodes);
	for (i = 0; i < n; i++)
		from_stdin |= !strcmp(paths[i], "-");
	if (set.alphabet_from && !strcmp(set.alphabet_from, "-") && from_stdin)
		cmd_usage("--like and the input cannot both be standard input");
	if (set.alphabet_from && set.sorted)
		cmd_usage("--sorted does not go with --like");
	if (set.test && (!strcmp(set.test, "-") ||
	    (cmd.out && !strcmp(set.test, cmd.out))))
		cmd_usage("--test wants a file of its own");
	if (!set.test && set.fraction != 0.2)
		cmd_usage("--test-fraction goes with --test");
	judge_columns();
	cmd.no_gzip = !gzipped(cmd.out);
}

static int
write_walk(const struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err)
{
	enum walkconv_form form = form_out();

	if (form == WALKCONV_WALK)
		return cscg_walk_write(w, out, err);
	if (form == WALKCONV_NPY)
		return cscg_walk_table_write_npy(w, out, err);
	return cscg_walk_table_write_csv(w, out, form == WALKCONV_CSV ? ',' : '\t',
	    set.numbers, err);
}

/* The test set to its file, the rest in the place of *walk. */
static int
set_aside(struct cscg_walk **walk, struct cscg_out *out, struct cscg_err *err)
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
run(char **paths, int n, struct cscg_err *err)
{
	const struct walkconv_source source = {
		.from = (enum walkconv_form)set.from,
		.delimiter = set.delimiter, .alphabet_from = set.alphabet_from,
		.how = { .x = set.x, .a = set.a, .episode = set.episode.v,
		    .n_episode = set.episode.n, .missing = set.missing.v,
		    .n_missing = set.missing.n, .sorted = set.sorted }
	};
	struct cscg_out *out, *test = NULL;
	struct cscg_walk *walk = NULL;
	int rc = -1;

	out = cmd_out(err);
	if (!out)
		return -1;
	if (set.test) {
		test = cscg_out_open(set.test, gzipped(set.test) ?
		    CSCG_OUT_GZIP : 0, err);
		if (!test)
			return -1;
	}
	walk = walkconv_read(&source, paths, n, err);
	if (!walk ||
	    walkconv_choose(&walk, set.episodes, set.head, err) < 0 ||
	    cmd_history(&walk->head.history, err) < 0 ||
	    (test && set_aside(&walk, test, err) < 0) ||
	    write_walk(walk, out, err) < 0)
		goto out;
	rc = test ? cscg_out_close(test, err) : 0;
	test = NULL;
out:
	cscg_out_abort(test);
	cscg_walk_free(walk);
	return rc;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	int n;
	char **paths = cmd_begin(&info, argc, argv, &n);

	judge(paths, n);
	return cmd_end(run(paths, n, &err) < 0 ? -1 : 1, &err);
}
