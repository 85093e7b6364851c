/* walkconv - walks from tables, tables from walks, and parts of either */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json_guess.h"
#include "tab.h"
#include "walk_io.h"
#include "walk_part.h"
#include "walkconv.h"

enum form { AUTO, WALK, CSV, TSV, NPY };

static const char *const froms[] = {
	"auto", "walk", "csv", "tsv", "npy", NULL
};

static struct {
	int from, to;
	const char *x, *a, *episode, *episodes, *like, *test;
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
	CMD_STRING(0, "episode", &set.episode, "NAME",
	    "column of episodes (default: episode, if there)"),
	CMD_FLAG(0, "sorted", &set.sorted,
	    "number names by their spelling, not as they appear"),
	CMD_FILE(0, "like", &set.like, "WALK",
	    "use the numbers and names of this walk"),
	CMD_FLAG(0, "numbers", &set.numbers,
	    "write numbers even where names are known"),
	CMD_STRING(0, "episodes", &set.episodes, "LIST",
	    "keep these, from 0: 3,7-9,20-"),
	CMD_LONG(0, "head", &set.head, 1, 1000000000000, "N",
	    "keep the first N steps of each episode"),
	CMD_FILE(0, "test", &set.test, "FILE",
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

/* What the name of a file says it holds, with or without .gz. */
static enum form
by_name(const char *path)
{
	static const char *const ends[] = { ".csv", ".tsv", ".npy" };
	size_t n = strlen(path), i;

	if (n > 3 && !strcmp(path + n - 3, ".gz"))
		n -= 3;
	for (i = 0; i < 3; i++)
		if (n > 4 && !strncmp(path + n - 4, ends[i], 4))
			return CSV + i;
	return AUTO;
}

/* No text begins like this: -2 with what it is in err, if that is known. */
static int
refuse(struct cscg_in *in, struct cscg_err *err)
{
	const char *what;
	char *line;
	size_t len;

	if (cscg_in_line(in, &line, &len, err) <= 0)
		return -2;
	what = cscg_json_guess(line, len);
	cscg_fail(err, CSCG_EFORMAT, "%s: line 1: %s", cscg_in_name(in),
	    what ? what : "this is no text");
	return -2;
}

/* What in holds; AUTO with err filled if it cannot be read. */
static enum form
form_of(struct cscg_in *in, const char *path, struct cscg_err *err)
{
	enum form form = (enum form)set.from;
	int c;

	if (form == AUTO)
		form = by_name(path);
	if (form != AUTO)
		return form;
	c = cscg_in_peek(in, err);
	if (c > 0 && memchr("\x1f\x89\xfd\xfe\xff", c, 5))
		c = refuse(in, err);
	if (c == -2)
		return AUTO;
	return c == '{' || c == -1 ? WALK : c == 0x93 ? NPY : CSV;
}

static enum form
form_out(void)
{
	enum form form = (enum form)set.to;

	if (form == AUTO && cmd.out)
		form = by_name(cmd.out);
	return form == AUTO ? WALK : form;
}

/* Walks are compressed unless asked otherwise, tables if so called. */
static bool
gzipped(const char *path)
{
	size_t n = path ? strlen(path) : 0;

	if (form_out() == WALK)
		return !cmd.no_gzip;
	return n > 3 && !strcmp(path + n - 3, ".gz");
}

/* The last episode of a range; LONG_MAX is for those without one. */
static long
end_of_range(const char *p, char **end)
{
	long to = strtol(p, end, 10);

	return to < LONG_MAX ? to : LONG_MAX - 1;
}

/* One range of --episodes; returns what follows it. */
static const char *
next_range(const char *p, long *from, long *to)
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
	cmd_usage("--episodes: '%s' is not a list such as 3,7-9,20-",
	    set.episodes);
}

/* Options that make no sense, before anything is read. */
static void
judge(char **paths, int n)
{
	const char *p = set.episodes;
	bool from_stdin = n == 0;
	long from, to;
	int i;

	if (p && !*p)
		next_range(p, &from, &to);
	while (p && *p)
		p = next_range(p, &from, &to);
	for (i = 0; i < n; i++)
		from_stdin |= !strcmp(paths[i], "-");
	if (set.like && !strcmp(set.like, "-") && from_stdin)
		cmd_usage("--like and the input cannot both be standard input");
	if (set.like && set.sorted)
		cmd_usage("--sorted does not go with --like");
	if (set.test && (!strcmp(set.test, "-") ||
	    (cmd.out && !strcmp(set.test, cmd.out))))
		cmd_usage("--test wants a file of its own");
	if (!set.test && set.fraction != 0.2)
		cmd_usage("--test-fraction goes with --test");
	cmd.no_gzip = !gzipped(cmd.out);
}

/* What was read: tables, or a walk. */
struct job {
	struct cscg_head like;
	struct cscg_tab *tab;
	bool tables;		/* tab has the rows of some */
	struct cscg_walk *walk;
};

/* The header of --like; the rest is read, too, to see that it is whole. */
static int
read_like(struct job *job, struct cscg_tab_how *how, struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	struct cscg_step step;
	int rc;

	if (!set.like)
		return 0;
	r = cscg_walk_open(set.like, err);
	if (!r)
		return -1;
	rc = cscg_head_copy(&job->like, cscg_walk_head(r), err);
	if (rc == 0)
		while ((rc = cscg_walk_next(r, &step, err)) > 0)
			continue;
	cscg_walk_close(r);
	how->like = &job->like;
	return rc;
}

/* Append a walk (taking in) or a table to what there is. */
static int
read_walk_take(struct job *job, struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_open_take(in, err);
	int rc = r ? cscg_walk_append(&job->walk, r, err) : -1;

	cscg_walk_close(r);
	return rc;
}

static int
read_one(struct job *job, const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum form form = in ? form_of(in, path, err) : AUTO;
	int rc = -1;

	if (form == AUTO)
		goto out;
	if (form == WALK ? job->tables : job->walk != NULL) {
		cscg_fail(err, CSCG_EMISMATCH, "%s: walks and tables cannot be "
		    "joined in one go", cscg_in_name(in));
		goto out;
	}
	if (form == WALK)
		return read_walk_take(job, in, err);
	job->tables = true;
	if (form == NPY)
		rc = cscg_tab_npy(job->tab, in, err);
	else
		rc = cscg_tab_csv(job->tab, in, form == CSV ? ',' : '\t', err);
	if (rc == 0 && form != NPY && !set.episode)
		walkconv_steps(path, form == CSV ? ',' : '\t', set.x, set.a);
out:
	cscg_in_close(in);
	return rc;
}

static int
read_all(struct job *job, char **paths, int n, struct cscg_err *err)
{
	struct cscg_tab_how how = { .x = set.x, .a = set.a,
	    .episode = set.episode, .sorted = set.sorted };
	int i;

	if (read_like(job, &how, err) < 0)
		return -1;
	job->tab = cscg_tab_new(&how, err);
	if (!job->tab)
		return -1;
	for (i = 0; i < n || i == 0; i++)
		if (read_one(job, n ? paths[i] : "-", err) < 0)
			return -1;
	if (job->tables)
		job->walk = cscg_tab_walk(job->tab, err);
	else if (set.like)
		return cscg_walk_align(job->walk, &job->like, err);
	return job->walk ? 0 : -1;
}

/* What --episodes and --head leave, in the place of the walk. */
static int
choose(struct job *job, struct cscg_err *err)
{
	struct cscg_walk *w = job->walk, *part;
	const char *p = set.episodes ? set.episodes : "0-";
	long from, to;
	int rc = 0;

	if (!set.episodes && !set.head)
		return 0;
	part = cscg_walk_new(&w->head, err);
	if (!part)
		return -1;
	while (*p && rc == 0) {
		p = next_range(p, &from, &to);
		if (to == LONG_MAX && (from < w->n_episodes || !set.episodes))
			to = w->n_episodes - 1;
		if (to >= w->n_episodes)
			rc = cscg_fail(err, CSCG_EUSAGE, "--episodes %s: the "
			    "input has %d episodes", set.episodes,
			    w->n_episodes);
		else
			rc = cscg_walk_add_part(part, w, (int)from,
			    (int)to + 1, set.head, err);
	}
	if (rc < 0) {
		cscg_walk_free(part);
		return -1;
	}
	cscg_walk_free(w);
	job->walk = part;
	return 0;
}

static int
write_walk(const struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err)
{
	enum form form = form_out();

	if (form == WALK)
		return cscg_walk_write(w, out, err);
	if (form == NPY)
		return cscg_tab_put_npy(w, out, err);
	return cscg_tab_put_csv(w, out, form == CSV ? ',' : '\t', set.numbers,
	    err);
}

/* The test set to its file, the rest in the place of the walk. */
static int
set_aside(struct job *job, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_walk *train = NULL, *test = NULL;
	int rc;

	rc = cscg_walk_split(job->walk, set.fraction, &train, &test, err);
	if (rc == 0)
		rc = write_walk(test, out, err);
	cscg_walk_free(test);
	if (rc < 0) {
		cscg_walk_free(train);
		return -1;
	}
	cscg_walk_free(job->walk);
	job->walk = train;
	return 0;
}

static int
run(char **paths, int n, struct cscg_err *err)
{
	struct cscg_out *out, *test = NULL;
	struct job job = { 0 };
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
	if (read_all(&job, paths, n, err) < 0 || choose(&job, err) < 0 ||
	    cmd_history(&job.walk->head.history, err) < 0 ||
	    (test && set_aside(&job, test, err) < 0) ||
	    write_walk(job.walk, out, err) < 0)
		goto out;
	rc = test ? cscg_out_close(test, err) : 0;
	test = NULL;
out:
	cscg_out_abort(test);
	cscg_walk_free(job.walk);
	cscg_tab_free(job.tab);
	cscg_head_free(&job.like);
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
