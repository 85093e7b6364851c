/*
 * export.h - graphs as GraphML and TSV, rooms as grids of text
 *
 * Every function writes all edges of the graph; the probability threshold was
 * applied when the graph was made.  Each returns 0, or -1 with err filled (as
 * cscg_out_write() does, or CSCG_ENOMEM).
 */
#ifndef CSCG_EXPORT_H
#define CSCG_EXPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "io/stream.h"
#include "world/room.h"

/* GraphML, one edge per (action, from, to); digits: of real numbers. */
int cscg_export_write_graphml(const struct cscg_graph *g, int digits,
    struct cscg_out *out, struct cscg_err *err);

/* Tables: action, from, to, p, count; and node, symbol, name, y, x. */
int cscg_export_write_edges(const struct cscg_graph *g, int digits, bool json,
    struct cscg_out *out, struct cscg_err *err);
int cscg_export_write_nodes(const struct cscg_graph *g, int digits, bool json,
    struct cscg_out *out, struct cscg_err *err);

/*
 * The room as rows of symbols with "." for empty cells and "~" along borders
 * that wrap.  Returns 1, or 0 with nothing written if the room is not a grid
 * or more than 200 characters wide.
 */
int cscg_export_write_grid(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err);

#endif
