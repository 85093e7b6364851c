/*
 * library.h - library of schemas from models of several worlds
 *
 * The rooms of all worlds are found (partition.h) and compared; rooms that are
 * equal, in one world or in several, become one schema.
 */
#ifndef CSCG_LIBRARY_H
#define CSCG_LIBRARY_H

#include "base/error.h"
#include "core/model.h"
#include "schema/partition.h"

struct cscg_library {
	int n, n_worlds;
	struct cscg_model **m; /* [n] an item may be taken: set it to NULL */
	int *world;            /* [n] the first in which it was found */
	long *n_found;         /* [n * n_worlds] how often in each */
};

/*
 * The schemas of n worlds, in the order in which they are found.  Actions are
 * matched by name with those of the first world.  A move counts from a share of
 * min_p on.  Each schema has the history of its first world, and the
 * pseudocount of the first world of all.  Free out with cscg_library_free(),
 * also on failure.
 *
 * Returns 0, or -1 with err filled: CSCG_EMISMATCH if actions differ or there
 * are too many states, CSCG_ERANGE as cscg_partition_new(), CSCG_ENOMEM; which (may
 * be NULL) is the world at fault then, or -1.
 */
int cscg_library_discover(const struct cscg_model *const *world, int n,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_library *out, int *which, struct cscg_err *err);
void cscg_library_free(struct cscg_library *lib); /* empties it, too */

#endif
