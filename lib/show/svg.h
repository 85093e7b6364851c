/*
 * svg.h - graphs as SVG
 *
 * Nodes are placed by the flat layout of layout.h, which the HTML page also
 * uses; colours are those of Graphviz.  A node shows the name of its symbol if
 * all names are short, else its number, which the legend lists with the name.
 */
#ifndef CSCG_SVG_H
#define CSCG_SVG_H

#include "base/error.h"
#include "core/graph.h"
#include "io/stream.h"

/* Returns 0, or -1 with err filled (as cscg_out_write() does, CSCG_ENOMEM). */
int cscg_svg_write(const struct cscg_graph *g, const char *title,
    struct cscg_out *out, struct cscg_err *err);

#endif
