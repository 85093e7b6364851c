/*
 * dot.h - graphs as Graphviz
 *
 * The file names its layout engine, so that dot -Tsvg uses it.  Nodes are
 * coloured by label and placed at their coordinates, or by the flat layout of
 * layout.h.  Edges across the border of a room that wraps are drawn as stubs.
 * Self-loops are omitted.
 */
#ifndef CSCG_DOT_H
#define CSCG_DOT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "io/stream.h"

/* Returns 0, or -1 with err filled (as cscg_out_write() does, CSCG_ENOMEM). */
int cscg_dot_write(const struct cscg_graph *g, const char *title,
    struct cscg_out *out, struct cscg_err *err);

#endif
