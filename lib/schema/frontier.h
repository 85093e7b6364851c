/*
 * frontier.h - where one may leave what a model or room knows
 */
#ifndef CSCG_FRONTIER_H
#define CSCG_FRONTIER_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "world/room.h"
#include "schema/rooms.h"
#include "io/stream.h"

/*
 * Replace the frontiers of m by its boundary: all moves that stay put, by more
 * than half of their counts.  Behind each of these walls there may be a door
 * elsewhere.  An action that stays everywhere is no move and is left out.
 * Entries are forgotten.
 */
int cscg_frontier_boundary(struct cscg_model *m, struct cscg_err *err);

/*
 * Replace them by its bottlenecks: the moves between rooms that are found in it
 * (rooms.h), by moves of at least the share min_p.  What lies behind a door may
 * be another place elsewhere.  Entries are where these moves lead, if that is
 * not where they start.
 */
int cscg_frontier_bottleneck(struct cscg_model *m,
    const struct cscg_partition_options *set, double min_p, struct cscg_err *err);

/*
 * The frontiers as a table: where, the action, and where it leads here: to
 * itself at a wall; not known if it leads to several places, or none.  Entries
 * of a model follow, without action.
 */
int cscg_frontier_write_model(const struct cscg_model *m, bool json,
    struct cscg_out *out, struct cscg_err *err);
int cscg_frontier_write_room(const struct cscg_room *room, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
