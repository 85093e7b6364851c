/*
 * tab_columns.h - which column of a table is which, by the names in its head
 */
#ifndef CSCG_TAB_COLUMNS_H
#define CSCG_TAB_COLUMNS_H

#include "base/err.h"
#include "core/tab.h"

/* Which field of a record is which; -1: there is none. */
struct cscg_walk_table_columns {
	int x, a, z, reset, r, goal;
	int episode[CSCG_WALK_TABLE_EPISODE_MAX], n_episode;
	int n;
};

/*
 * Find the columns of how among the n names in field.  A name is matched as it
 * is spelt, else in another case; z and r, which others use for measurements,
 * only as they are spelt.  A column that how names has no other meaning.
 * Returns 0, or -1 with err filled: CSCG_EFORMAT (a column that must be there
 * is not, two for one thing), CSCG_EUSAGE (one for two things).
 */
int cscg_walk_table_find_columns(const struct cscg_walk_table_options *opt, char **field, int n,
    struct cscg_walk_table_columns *c, struct cscg_err *err);

#endif
