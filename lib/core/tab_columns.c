/*
 * tab_columns.c - which column of a table is which
 *
 * What an option names is found first, so that a column "node" can be what was
 * seen; the usual names are looked for among the others.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/tab_columns.h"

/* The names in the head, and those that options have spoken for. */
struct column_names {
	char **field;
	int n;
	struct {
		int column;
		const char *option;
	} taken[2 + CSCG_WALK_TABLE_EPISODE_MAX];
	int n_taken;
};

/* The option that names column i, or NULL. */
static const char *
option_of(const struct column_names *h, int i)
{
	int k;

	for (k = 0; k < h->n_taken; k++)
		if (h->taken[k].column == i)
			return h->taken[k].option;
	return NULL;
}

/* The column called by one of the NULL-terminated names; -1 none, -2 fault. */
static int
find_exact(const struct column_names *h, const char *const *names,
    int compare(const char *, const char *), struct cscg_err *err)
{
	int i, k, found = -1;

	for (i = 0; i < h->n; i++)
		for (k = 0; names[k]; k++) {
			if (compare(h->field[i], names[k]) || option_of(h, i))
				continue;
			if (found >= 0) {
				cscg_fail(err, CSCG_EFORMAT, "columns '%.64s' "
				    "and '%.64s' are the same thing",
				    h->field[found], h->field[i]);
				return -2;
			}
			found = i;
		}
	return found;
}

static int
find_column(const struct column_names *h, const char *const *names, struct cscg_err *err)
{
	int i = find_exact(h, names, strcmp, err);

	return i == -1 ? find_exact(h, names, strcasecmp, err) : i;
}

/* How often c stands in the names. */
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

/* What may part the fields, if the wrong thing was taken for it. */
static const char *
suggest_separator(const struct column_names *h, char *buf, size_t size)
{
	static const struct {
		char c;
		const char *what, *word;
	} of[] = { { ';', "';'", "';'" }, { '\t', "tab", "tab" },
	    { ',', "','", "','" }, { '|', "'|'", "'|'" },
	    { ' ', "space", "space" } };
	size_t i;
	int n;

	*buf = '\0';
	for (i = 0; i < sizeof of / sizeof *of && !*buf; i++) {
		n = count_char(h, of[i].c);
		/* Names of several words are common, so only for want of all. */
		if (n && (of[i].c != ' ' || h->n == 1))
			snprintf(buf, size, "; with %d %s%s in the first "
			    "line, is it --delimiter %s?", n, of[i].what,
			    n > 1 && of[i].what[0] != '\'' ? "s" : "",
			    of[i].word);
	}
	return buf;
}

/* Is the first line a row like all others? */
static bool
is_data_row(const struct column_names *h)
{
	int i;

	for (i = 0; i < h->n; i++)
		if (!h->field[i][0] || h->field[i][strspn(h->field[i],
		    "+-.0123456789eE")])
			return false;
	return true;
}

/* Say which columns there are, as far as a line has room for them. */
static int
fail_no_column(const struct column_names *h, const char *name, const char *or,
    struct cscg_err *err)
{
	char list[200] = "", sep[80];
	size_t at = 0;
	int i;

	for (i = 0; i < h->n && at < sizeof list - 50; i++)
		at += (size_t)snprintf(list + at, sizeof list - at, "%s'%.32s'",
		    i ? ", " : "", h->field[i]);
	return cscg_fail(err, CSCG_EFORMAT, "no column '%.64s'%s; there %s "
	    "%s%s%s", name, or, h->n == 1 ? "is" : "are", list,
	    i < h->n ? ", ..." : "", is_data_row(h) ? "; the first line must name "
	    "the columns" : suggest_separator(h, sep, sizeof sep));
}

/* The column that an option names, -1 if it names none; -2 with err filled. */
static int
find_option_column(struct column_names *h, const char *name, const char *option,
    struct cscg_err *err)
{
	const char *const names[] = { name, NULL };
	const struct column_names all = { .field = h->field, .n = h->n };
	int i;

	/* An empty name is for none, but something must be seen. */
	if (!name || (!*name && strcmp(option, "--x")))
		return -1;
	i = find_column(&all, names, err);
	if (i == -2)
		return -2;
	if (i < 0) {
		fail_no_column(h, name, "", err);
		return -2;
	}
	if (option_of(h, i)) {
		cscg_fail(err, CSCG_EUSAGE, "column '%.64s' cannot be both %s "
		    "and %s", h->field[i], option_of(h, i), option);
		return -2;
	}
	h->taken[h->n_taken].column = i;
	h->taken[h->n_taken++].option = option;
	return i;
}

/* A column that must be there, by its usual names; -2 with err filled. */
static int
find_required_column(const struct column_names *h, const char *const *names, const char *or,
    const char *option, struct cscg_err *err)
{
	const struct column_names all = { .field = h->field, .n = h->n };
	int i = find_column(h, names, err);

	if (i != -1)
		return i;
	i = find_column(&all, names, err);
	if (i >= 0)
		cscg_fail(err, CSCG_EUSAGE, "column '%.64s' is %s now: %s "
		    "must name another", h->field[i], option_of(h, i), option);
	else if (i == -1)
		fail_no_column(h, names[0], or, err);
	return -2;
}

/* One that may be there; the first name, a letter, only as it is spelt. */
static int
find_case_sensitive(const struct column_names *h, const char *const *names,
    struct cscg_err *err)
{
	int i = find_exact(h, names, strcmp, err);

	return i == -1 ? find_column(h, names + 1, err) : i;
}

/* The columns that options name, -1 for those they do not. */
static int
find_option_columns(struct column_names *h, const struct cscg_walk_table_options *opt,
    struct cscg_walk_table_columns *c, struct cscg_err *err)
{
	int i;

	c->n_episode = 0;
	if ((c->x = find_option_column(h, opt->x, "--x", err)) == -2 ||
	    (c->a = find_option_column(h, opt->a, "--a", err)) == -2)
		return -1;
	for (i = 0; i < opt->n_episode; i++) {
		c->episode[i] = find_option_column(h, opt->episode[i], "--episode", err);
		if (c->episode[i] == -2)
			return -1;
		c->n_episode += c->episode[i] >= 0;
	}
	return 0;
}

int
cscg_walk_table_find_columns(const struct cscg_walk_table_options *opt, char **field, int n,
    struct cscg_walk_table_columns *c, struct cscg_err *err)
{
	static const char *const xs[] = { "x", "obs", "observation", NULL };
	static const char *const as[] = { "a", "action", NULL };
	static const char *const es[] = { "episode", NULL };
	static const char *const zs[] = { "z", "node", NULL };
	static const char *const resets[] = { "reset", NULL };
	static const char *const rs[] = { "r", "reward", NULL };
	static const char *const goals[] = { "goal", NULL };
	struct column_names h = { .field = field, .n = n };

	c->n = n;
	if (find_option_columns(&h, opt, c, err) < 0)
		return -1;
	if (!opt->x)
		c->x = find_required_column(&h, xs, " (or 'obs', 'observation'; --x names "
		    "another)", "--x", err);
	if (!opt->a && c->x != -2)
		c->a = find_required_column(&h, as, " (or 'action'; --a names another, or '' "
		    "for none)", "--a", err);
	if (c->x == -2 || c->a == -2)
		return -1;
	if (!opt->n_episode) {
		c->episode[0] = find_column(&h, es, err);
		if (c->episode[0] == -2)
			return -1;
		c->n_episode = c->episode[0] >= 0;
	}
	if ((c->z = find_case_sensitive(&h, zs, err)) == -2 ||
	    (c->reset = find_column(&h, resets, err)) == -2 ||
	    (c->r = find_case_sensitive(&h, rs, err)) == -2 ||
	    (c->goal = find_column(&h, goals, err)) == -2)
		return -1;
	return 0;
}
