/*
 * cmd_clash.c - no file that is written is another of the command line
 *
 * Results replace what was there, so a slip such as "-o w.gz -w w.gz" would
 * lose a walk.  Files are compared by device and inode, whatever they are
 * called, and those that are not there yet by their directory and name; what is
 * not a regular file cannot be lost.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd_opt.h"
#include "base/mem.h"
#include "core/model_io.h"

/* A file that is to be written. */
struct target {
	const struct cmd_opt *row;
	const char *path;
	bool there;	/* as a regular file, st; or not at all */
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

/* What path is called in its directory, or NULL if there is no such. */
static const char *
place(const char *path, struct stat *dir)
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

/* Will both, which are written, be the same file? */
static bool
will_be_it(const struct target *t, const char *path)
{
	struct stat here, there;
	const char *a, *b;

	if (t->there)
		return names_it(t, path);
	a = place(t->path, &here);
	b = place(path, &there);
	return a && b && !strcmp(a, b) && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino;
}

static int
fail(const struct target *t, const char *other, const char *name,
    struct cscg_err *err)
{
	return cscg_fail(err, CSCG_EUSAGE, "--%s and %s%s%s%s are the same "
	    "file, which would be overwritten", t->row->word, other,
	    name ? " '" : "", name ? name : "", name ? "'" : "");
}

/* Another option's file. */
static int
look_at_row(const struct target *t, const struct cmd_opt *o,
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

		if (!path || !strcmp(path, "-") || ((o->flags &
		    CMD_OR_NUMBERS) && !path[strspn(path, "0123456789,")]))
			continue;
		if (!(o->flags & CMD_WRITTEN ? will_be_it(t, path) :
		    names_it(t, path)))
			continue;
		snprintf(word, sizeof word, "--%s", o->word);
		return fail(t, word, NULL, err);
	}
	return 0;
}

/*
 * Is it the kind of a room, say, which history is told of?  It is that very
 * argument: a file may be called like any word.
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

/* FILE, or NAME=FILE*N with or without name and number. */
static int
look_at_operand(const struct target *t, const char *operand,
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
		if (look_at_row(t, rows->row[i], err) < 0)
			return -1;
	for (p = rows->operand; *p; p++)
		if (!is_word(rows, *p) && look_at_operand(t, *p, err) < 0)
			return -1;
	if (fstat(STDIN_FILENO, &st) == 0 && is_it(t, &st))
		return fail(t, "standard input", NULL, err);
	return 0;
}

/* What the shell has opened, and has seen to. */
static bool
is_open(const char *path)
{
	return !strcmp(path, "-") || !strncmp(path, "/dev/std", 8) ||
	    !strncmp(path, "/dev/fd/", 8);
}

int
cmd_clash(struct cscg_err *err)
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
