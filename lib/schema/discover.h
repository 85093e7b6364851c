/*
 * discover.h - schemas from the rooms of several models ("worlds")
 *
 * Partitions every world into rooms (partition.h) and compares the rooms.
 * Equal rooms, of one world or several, become one schema.
 */
#ifndef CSCG_DISCOVER_H
#define CSCG_DISCOVER_H

#include "base/error.h"
#include "core/model.h"
#include "schema/partition.h"

struct cscg_discovery {
	int n, n_worlds;
	int n_rooms, n_doubtful; /* of all worlds; of these, those that
	                            cscg_partition_is_doubtful() */
	struct cscg_model **m;   /* [n] the caller may take a model: set its
	                            pointer to NULL */
	int *world;              /* [n] the first world that contains the
	                            schema */
	long *n_found;           /* [n * n_worlds] occurrences of the schema in
	                            each world */
};

/*
 * The schemas of n worlds, in the order in which they are found.  Actions are
 * matched by name with those of the first world.  Transitions of probability
 * below min_p are ignored.  Each schema has the history of the first world
 * that contains it, and the pseudocount of world 0.  Free out with
 * cscg_discovery_free(), also on failure.
 *
 * Returns 0, or -1 with err filled: CSCG_EMISMATCH if actions differ or there
 * are too many states, CSCG_ERANGE as cscg_partition_new(), CSCG_ENOMEM.
 * which (may be NULL) then receives the world at fault, or -1.
 */
int cscg_discover(const struct cscg_model *const *world, int n,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_discovery *out, int *which, struct cscg_err *err);

/*
 * All worlds side by side as one CSCG_SCHEMA, without transitions between
 * them: the states of the first world, then of the second, and so on.  Actions
 * are those of the first world.  Coordinates are kept if all worlds have them.
 * NULL with err filled, and *which (may be NULL) set, as above.
 */
struct cscg_model *cscg_discover_union(const struct cscg_model *const *world,
    int n, int *which, struct cscg_err *err);

void cscg_discovery_free(
    struct cscg_discovery *lib); /* lib is empty afterwards */

#endif
