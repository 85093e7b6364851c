/*
 * cmd_history.c - what history records of a command line
 *
 * An entry should repeat what was called, so it has each option of the tool
 * that is not at its default.  Names of files mean nothing to others: that one
 * was given is told, and what was in it has a history of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd_opt.h"
#include "base/mem.h"

typedef const char *pair[2];	/* an argument: name and value */

void
cmd_history_arg(const char *name, const char *value)
{
	struct cmd_rows *rows = cmd_opt_rows();

	if (rows->n_extra == CMD_ROWS_MAX)
		abort();
	rows->extra[rows->n_extra][0] = name;
	rows->extra[rows->n_extra++][1] = value;
}

static bool
told_otherwise(const struct cmd_rows *rows, const char *word)
{
	int i;

	for (i = 0; i < rows->n_extra; i++)
		if (!strcmp(rows->extra[i][0], word))
			return true;
	return false;
}

/* A string that is empty is not one that is missing. */
static bool
is_default(const struct cmd_rows *rows, int i, const char *text)
{
	const struct cmd_opt *o = rows->row[i];
	char was[64];

	if (o->type == CMD_T_STRING)
		return !cmd_value_of(o).s || (rows->was[i].s &&
		    !strcmp(text, rows->was[i].s));
	return !strcmp(text, cmd_value_text(o, rows->was[i], was, sizeof was));
}

/* The arguments of row i to args, with room for a number in text. */
static int
add_row(const struct cmd_rows *rows, int i, char text[64], pair *args)
{
	const struct cmd_opt *o = rows->row[i];
	const struct cmd_list *list = o->var;
	int k;

	if ((o->flags & CMD_QUIET_HISTORY) || o->type == CMD_T_TITLE ||
	    told_otherwise(rows, o->word))
		return 0;
	args[0][0] = o->word;
	if (o->flags & CMD_NAMES_FILE) {
		args[0][1] = "given";
		return rows->given[i];
	}
	if (o->type == CMD_T_LIST) {
		for (k = 0; k < list->n; k++) {
			args[k][0] = o->word;
			args[k][1] = list->v[k];
		}
		return list->n;
	}
	args[0][1] = cmd_value_text(o, cmd_value_of(o), text, 64);
	return !is_default(rows, i, args[0][1]);
}

/* How many arguments there can be. */
static size_t
count(const struct cmd_rows *rows)
{
	size_t n = (size_t)rows->n_extra + (size_t)rows->n_own;
	int i;

	for (i = 0; i < rows->n_own; i++)
		if (rows->row[i]->type == CMD_T_LIST)
			n += (size_t)((struct cmd_list *)rows->row[i]->var)->n;
	return n;
}

int
cmd_history(struct cscg_history *h, struct cscg_err *err)
{
	const struct cmd_rows *rows = cmd_opt_rows();
	char text[CMD_ROWS_MAX][64];
	pair *args = cscg_alloc(count(rows), sizeof *args, err);
	int i, n = 0, rc;

	if (!args)
		return -1;
	for (i = 0; i < rows->n_extra; i++, n++) {
		args[n][0] = rows->extra[i][0];
		args[n][1] = rows->extra[i][1];
	}
	for (i = 0; i < rows->n_own; i++)
		n += add_row(rows, i, text[i], args + n);
	rc = cscg_history_add(h, rows->info->name, CSCG_VERSION,
	    (const char *const (*)[2])args, n,
	    rows->info->uses & CMD_USES_SEED ? cmd.seed : -1, err);
	free(args);
	return rc;
}
