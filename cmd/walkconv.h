/* walkconv.h - what the parts of walkconv share */
#ifndef WALKCONV_H
#define WALKCONV_H

#include "base/error.h"
#include "io/stream.h"
#include "core/walk_table.h"
#include "core/walk.h"

/* What a file holds, in the order of --from and --to. */
enum walkconv_form {
	WALKCONV_AUTO, WALKCONV_WALK, WALKCONV_CSV, WALKCONV_TSV, WALKCONV_NPY
};

/* What the name of a file says, with or without .gz; WALKCONV_AUTO: nothing. */
enum walkconv_form walkconv_by_name(const char *path);

/*
 * What in, opened from path, holds, if form (--from) leaves it open;
 * WALKCONV_AUTO with err filled if it cannot be read.
 */
enum walkconv_form walkconv_form(struct cscg_in *in, const char *path,
    enum walkconv_form form, struct cscg_err *err);

/* The character that --delimiter names, '\0' for NULL; exits if it is none. */
char walkconv_delimiter(const char *word);

/*
 * What parts the fields of in, a table, which is not moved: the delimiter, or
 * what its first line tells; '\0' with err filled.
 */
char walkconv_sep(struct cscg_in *in, enum walkconv_form form,
    const char *delimiter, struct cscg_err *err);

/* What the options say of the input. */
struct walkconv_source {
	enum walkconv_form from;
	const char *delimiter;	/* of tables; NULL: as their first line tells */
	const char *alphabet_from;	/* a walk that has the names, or NULL */
	struct cscg_walk_table_options how;	/* like is filled in */
};

/*
 * The files, or standard input if n is 0, as one new walk; what is odd about
 * tables is said.  NULL with err filled.
 */
struct cscg_walk *walkconv_read(const struct walkconv_source *source,
    char **paths, int n, struct cscg_err *err);

/* Is list (NULL: none) one for --episodes?  Exits if not. */
void walkconv_judge_list(const char *list);

/*
 * Leave what --episodes (list, judged; NULL: all) and --head (0: all) say, in
 * the place of *walk.  -1 with err filled and *walk as it was.
 */
int walkconv_choose(struct cscg_walk **walk, const char *list, long head,
    struct cscg_err *err);

/*
 * If the table at path has no column "episode", but one that counts steps and
 * does not count on, or one of trials that changes, and no reset is told there,
 * ask: whoever forgets --episode makes one long episode of many.  The table has
 * been read before, so faults are not looked for; what is no regular file
 * cannot be read again.  x and a are the columns of these names if they are not
 * called as usual, else NULL.
 */
void walkconv_steps(const char *path, char sep, const char *x, const char *a);

/* Say what looks odd in a walk that was a table: names for what is none. */
void walkconv_wonder(const struct cscg_walk *walk);

#endif
