/*
 * export.h - graphs as Graphviz, GraphML and TSV
 *
 * Every function writes the edges the graph has; which those are was decided
 * by the least share it was made with.  Each returns 0, or -1 with err filled
 * (as cscg_out_write() does, or CSCG_ENOMEM).
 */
#ifndef CSCG_EXPORT_H
#define CSCG_EXPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "io/stream.h"
#include "world/room.h"

/*
 * For Graphviz; the layout to use is named inside, so dot -Tsvg does the right
 * thing.  Nodes are coloured by label and stand where their coordinates say,
 * if they have any.  Moves there and back are one line without arrows; a move
 * and its usual way back share a colour.  Edges over the rim of a room that
 * wraps are drawn as stubs.  Without loops, moves that stay are left out.
 */
int cscg_export_write_dot(const struct cscg_graph *g, const char *title,
    bool loops, struct cscg_out *out, struct cscg_err *err);

/* GraphML, one edge per (action, from, to); reals with so many digits. */
int cscg_export_write_graphml(const struct cscg_graph *g, int digits,
    struct cscg_out *out, struct cscg_err *err);

/* Tables: action, from, to, p, count; and node, symbol, name, y, x. */
int cscg_export_write_edges(const struct cscg_graph *g, int digits, bool json,
    struct cscg_out *out, struct cscg_err *err);
int cscg_export_write_nodes(const struct cscg_graph *g, int digits, bool json,
    struct cscg_out *out, struct cscg_err *err);

/*
 * The room as rows of symbols with "." where nothing is and "~" along rims
 * that wrap.  Returns 1, or 0 with nothing written if the room is no grid, or
 * one too large to look at (more than 200 characters wide).
 */
int cscg_export_write_grid(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err);

#endif
