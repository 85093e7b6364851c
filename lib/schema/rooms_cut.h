/*
 * rooms_cut.h - where a graph is easiest to cut in two
 */
#ifndef CSCG_ROOMS_CUT_H
#define CSCG_ROOMS_CUT_H

#include "base/error.h"
#include "schema/rooms.h"
#include "schema/rooms_web.h"

/*
 * Cut w, which is in one piece, if there is a narrow cut.  Each side is then
 * made of pieces of at least set->min_size nodes.  piece has room for an int a
 * node.
 *
 * Returns 1 with side[v] 0 or 1 for each node, 0 if there is none, -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_partition_cut(const struct cscg_wgraph *w, const struct cscg_partition_options *set,
    char *side, int *component, struct cscg_err *err);

#endif
