/*
 * tab_field.h - what the fields of a row of a table say
 */
#ifndef CSCG_TAB_FIELD_H
#define CSCG_TAB_FIELD_H

#include <stdbool.h>

#include "base/err.h"
#include "core/tab.h"
#include "core/tab_columns.h"

/* A number as we write it, below max; -1 for anything else. */
int cscg_walk_table_parse_number(const char *s, int max);

/* A reward, NaN for an empty field; -1 with err filled (CSCG_EFORMAT). */
int cscg_walk_table_parse_reward(const char *s, double *r, struct cscg_err *err);

/* 0 or 1, false or true, or empty; -1 with err filled (CSCG_EFORMAT). */
int cscg_walk_table_parse_reset(const char *s, bool *reset, struct cscg_err *err);

/*
 * Make the fields of a row empty that say in the words of opt->missing that
 * there is nothing: what is seen, and goals, always; others only if the word
 * could not be a value there.  So -1 stays an action and a reward, 0 a node,
 * and 1 a reset.  Columns of episodes are left as they are: two words would
 * make one episode of two.
 */
void cscg_walk_table_blank_missing(const struct cscg_walk_table_options *opt,
    const struct cscg_walk_table_columns *c, char **field);

#endif
