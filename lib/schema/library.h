/*
 * library.h - library of schemas from models of several worlds
 *
 * Partitions every world into rooms (partition.h) and compares the rooms.
 * Equal rooms, in one world or in several, become one schema.
 */
#ifndef CSCG_LIBRARY_H
#define CSCG_LIBRARY_H

#include "base/error.h"
#include "core/model.h"
#include "schema/partition.h"

struct cscg_library {
	int n, n_worlds;
	struct cscg_model **m; /* [n] the caller may take a model: set its
	                          pointer to NULL */
	int *world;            /* [n] the first world that contains the
	                          schema */
	long *n_found;         /* [n * n_worlds] occurrences of the schema in
	                          each world */
};

/*
 * The schemas of n worlds, in the order in which they are found.  Actions are
 * matched by name with those of the first world.  Transitions of probability
 * below min_p are ignored.  Each schema has the history of the first world
 * that contains it, and the pseudocount of world 0.  Free out with
 * cscg_library_free(), also on failure.
 *
 * Returns 0, or -1 with err filled: CSCG_EMISMATCH if actions differ or there
 * are too many states, CSCG_ERANGE as cscg_partition_new(), CSCG_ENOMEM.
 * which (may be NULL) then receives the world at fault, or -1.
 */
int cscg_library_discover(const struct cscg_model *const *world, int n,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_library *out, int *which, struct cscg_err *err);
void cscg_library_free(struct cscg_library *lib); /* leaves it empty */

#endif
