/* walkconv_steps.c - tables that begin anew: is --episode missing? */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cmd.h"
#include "io/csv.h"
#include "walkconv.h"

/* A table that is read row by row. */
struct steps {
	const char *x, *a;	/* columns that do not tell episodes */
	int n;			/* columns, and of these, or -1: */
	int column;		/* the one that counts */
	int trial;		/* the one called trial or so */
	int reset;
	bool clock;		/* it may count by anything */
	char **first;		/* [n] the first row, or what a reset made of
				   it; NULL: not always so */
	char **name;		/* [n] */
	long rows, last, stride;
};

/* Has a column of this name a meaning that is not episodes? */
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

/* Is it one of the words for a count of steps?  time may count by anything. */
static bool
is_count(const char *name, bool *clock)
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

/* Find the columns; false if there are none, or episodes are told. */
static bool
find_columns(struct steps *s, char **field)
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
		if (s->column < 0 && is_count(field[i], &s->clock))
			s->column = i;
		else if (s->trial < 0 && !strncasecmp(field[i], "trial", 5))
			s->trial = i;
	}
	return s->column >= 0 || s->trial >= 0;
}

static bool
whole(const char *s, long *v)
{
	char *end;

	*v = strtol(s, &end, 10);
	return strspn(s, "0123456789") == strlen(s) && end > s &&
	    end - s < 18;
}

static void
free_row(char **v, int n)
{
	int i;

	for (i = 0; v && i < n; i++)
		free(v[i]);
	free(v);
}

static char **
copy_row(char **field, int n)
{
	char **v = calloc((size_t)n, sizeof *v);
	bool good = true;
	int i;

	if (!v)
		return NULL;
	for (i = 0; good && i < n; i++)
		good = (v[i] = strdup(field[i])) != NULL;
	if (good)
		return v;
	free_row(v, n);
	return NULL;
}

/* The only column that was the same in all rows before this one, or NULL. */
static const char *
changes(const struct steps *s, char **field)
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

/* Is it told here that the agent was put elsewhere? */
static bool
is_reset(const struct steps *s, char **field)
{
	return s->reset >= 0 && (!strcmp(field[s->reset], "1") ||
	    !strcasecmp(field[s->reset], "true"));
}

/* Is v what must follow?  The first two rows tell by how much it grows. */
static bool
goes_on(struct steps *s, long v)
{
	if (s->rows == 1)
		s->stride = v - s->last;
	return v > s->last && (s->clock || v - s->last == s->stride);
}

/* Ask about a row at which the count does not go on to v. */
static void
ask_count(const struct steps *s, char **field, const char *path, long line,
    long v)
{
	const char *name = changes(s, field);

	if (name)
		cmd_say("'%s': line %ld: '%s' goes from %ld to %ld, and '%s' "
		    "changes: does another episode begin there? (--episode "
		    "%s)", path, line, s->name[s->column], s->last, v, name,
		    name);
	else
		cmd_say("'%s': line %ld: '%s' goes from %ld to %ld: does "
		    "another episode begin there? (--episode names the column "
		    "that tells)", path, line, s->name[s->column], s->last, v);
}

/*
 * Forget what was the same in all rows and is not in this one.  At a reset it
 * may well be another, which then is what must stay.
 */
static bool
keep_first(struct steps *s, char **field, bool reset)
{
	int i;

	if (!s->first)
		s->first = copy_row(field, s->n);
	for (i = 0; s->first && i < s->n; i++)
		if (s->first[i] && strcmp(s->first[i], field[i])) {
			free(s->first[i]);
			s->first[i] = reset ? strdup(field[i]) : NULL;
			if (reset && !s->first[i])
				return false;
		}
	return s->first;
}

/* Look at a row: true to go on, false if there is no more to learn. */
static bool
see(struct steps *s, char **field, const char *path, long line)
{
	long v = 0;

	if (s->column >= 0 && !whole(field[s->column], &v))
		s->column = -1;
	if (s->column < 0 && s->trial < 0)
		return false;
	if (is_reset(s, field)) {
		s->last = v;
		return keep_first(s, field, true);
	}
	if (s->column >= 0 && s->rows && !goes_on(s, v)) {
		if (s->stride > 0)
			ask_count(s, field, path, line, v);
		if (s->stride > 0 || s->trial < 0)
			return false;
		s->column = -1;	/* it did not count from the first */
	}
	if (s->trial >= 0 && s->first && s->first[s->trial] &&
	    strcmp(s->first[s->trial], field[s->trial])) {
		cmd_say("'%s': line %ld: '%s' changes: does another episode "
		    "begin there? (--episode %s)", path, line,
		    s->name[s->trial], s->name[s->trial]);
		return false;
	}
	s->rows++;
	s->last = v;
	return keep_first(s, field, false);
}

void
walkconv_steps(const char *path, char sep, const char *x, const char *a)
{
	struct cscg_in *in = NULL;
	struct cscg_csv *csv = NULL;
	struct steps s = { .x = x, .a = a };
	struct cscg_err err;
	struct stat st;
	char **field;
	int n;

	/* A pipe has nothing more to say, but would keep us waiting. */
	if (!strcmp(path, "-") || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	in = cscg_in_open(path, &err);
	csv = in ? cscg_csv_new(in, sep, &err) : NULL;
	if (!csv || cscg_csv_head(csv, &field, &s.n, &err) <= 0)
		goto out;
	if (!find_columns(&s, field))
		goto out;
	s.name = copy_row(field, s.n);
	while (s.name && cscg_csv_next(csv, &field, &n, &err) > 0 &&
	    n == s.n && see(&s, field, path, cscg_csv_line(csv)))
		;
out:
	free_row(s.first, s.n);
	free_row(s.name, s.n);
	cscg_csv_free(csv);
	cscg_in_close(in);
}
