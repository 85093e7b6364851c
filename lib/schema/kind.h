/*
 * kind.h - kinds of rooms: which rooms are equal except for their doors
 *
 * Two rooms are of one kind if a one-to-one map of their nodes preserves all
 * transitions, action by action, where exits count as walls: doors and the
 * rooms behind them are ignored.  Rooms that are equal without their doorways
 * (partition.h) are of one kind as well.
 */
#ifndef CSCG_KIND_H
#define CSCG_KIND_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "core/model.h"
#include "schema/partition.h"

/*
 * Fill class_of and same_node of partition r of graph g.  Returns 0, or -1
 * with err filled as cscg_partition_new() says.
 */
int cscg_kind_classify(const struct cscg_graph *g, struct cscg_partition *r,
    struct cscg_err *err);

/*
 * Whether two models are rooms of one kind.  A row with a transition of three
 * quarters or more of its counts has that transition only, so that slips are
 * ignored; other rows have all transitions of CSCG_PARTITION_MIN_PROB or more.
 * A frontier without counts is a wall.  Actions are matched by name.  With
 * symbols, both models are grounded and states must emit the same most
 * probable symbol, matched by name.
 *
 * Returns 1 with map[state of b] = state of a; 0 if they are of different
 * kinds, or their actions or symbols differ; -1 with err filled (CSCG_ERANGE:
 * the comparison exceeded its limit of work; CSCG_ENOMEM).  map has an int for
 * each state of b.
 */
int cscg_kind_is_same(const struct cscg_model *a, const struct cscg_model *b,
    bool symbols, int *map, struct cscg_err *err);

#endif
