/* walkconv_steps.c - tables whose steps do not count on: is --episode missing? */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cmd.h"
#include "csv.h"
#include "walkconv.h"

/* A table that is read row by row. */
struct steps {
	const char *x, *a;	/* columns that do not tell episodes */
	int n, column;		/* columns, and the one that counts */
	bool clock;		/* it may count by anything */
	char **first;		/* [n] the first row, NULL: not always so */
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

	for (k = 0; words[k] && strcmp(words[k], name); k++)
		;
	return words[k] || (x && !strcmp(x, name)) || (a && !strcmp(a, name));
}

/* The column that counts steps, or -1; -1 also where episodes are told. */
static int
find_column(struct steps *s, char **field)
{
	static const char *const words[] = { "t", "step", "steps", "timestep",
	    "time_step", "index", "frame", "time", NULL };
	int i, k, found = -1;

	for (i = 0; i < s->n; i++) {
		if (!strcmp(field[i], "episode"))
			return -1;
		for (k = 0; words[k] && strcasecmp(words[k], field[i]); k++)
			;
		if (!words[k] || found >= 0 ||
		    is_known(field[i], s->x, s->a))
			continue;
		found = i;
		s->clock = !strcmp(words[k], "time");
	}
	return found;
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
	int i;

	for (i = 0; v && i < n; i++) {
		v[i] = strdup(field[i]);
		if (!v[i]) {
			free_row(v, i);
			return NULL;
		}
	}
	return v;
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

/* Is v what must follow?  The first two rows tell by how much it grows. */
static bool
goes_on(struct steps *s, long v)
{
	if (s->rows == 1)
		s->stride = v - s->last;
	return v > s->last && (s->clock || v - s->last == s->stride);
}

/* Look at a row: 1 to go on, 0 if there is no more to learn. */
static int
see(struct steps *s, char **field, const char *path, long line)
{
	const char *name;
	long v;
	int i;

	if (!whole(field[s->column], &v))
		return 0;
	if (s->rows && !goes_on(s, v)) {
		name = changes(s, field);
		if (s->stride > 0 && name)
			cmd_say("'%s': line %ld: '%s' goes from %ld to %ld, "
			    "and '%s' changes: does another episode begin "
			    "there? (--episode %s)", path, line,
			    s->name[s->column], s->last, v, name, name);
		else if (s->stride > 0)
			cmd_say("'%s': line %ld: '%s' goes from %ld to %ld: "
			    "does another episode begin there? (--episode "
			    "names the column that tells)", path, line,
			    s->name[s->column], s->last, v);
		return 0;
	}
	if (!s->rows)
		s->first = copy_row(field, s->n);
	if (!s->first)
		return 0;
	for (i = 0; i < s->n; i++)
		if (s->first[i] && strcmp(s->first[i], field[i])) {
			free(s->first[i]);
			s->first[i] = NULL;
		}
	s->rows++;
	s->last = v;
	return 1;
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
	if (!csv || cscg_csv_next(csv, &field, &s.n, &err) <= 0)
		goto out;
	s.column = find_column(&s, field);
	if (s.column < 0)
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
