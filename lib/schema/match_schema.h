/*
 * match_schema.h - schemas that are the same, or speak of actions otherwise
 *
 * For match.c.
 */
#ifndef CSCG_MATCH_SCHEMA_H
#define CSCG_MATCH_SCHEMA_H

#include <stdbool.h>

#include "core/model.h"

/*
 * Do a and b say the same of all that is looked at?  Clones are looked at if
 * by_clones says so, symbols never.
 */
bool cscg_match_same_schema(const struct cscg_model *a, const struct cscg_model *b,
    bool by_clones);

/*
 * m as a new schema of n_actions actions, of which a is map[a] of m; NULL with
 * err filled (CSCG_ENOMEM).
 */
struct cscg_model *cscg_match_permute_actions(const struct cscg_model *m, const int *map,
    int n_actions, struct cscg_err *err);

#endif
