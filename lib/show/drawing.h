/*
 * drawing.h - common parts of the drawings of a graph: lines, colours, labels
 *
 * The edges between two nodes are a bundle: adjacent entries i..end-1 of line.
 * Opposite edges are one line without arrows, and an action and its usual
 * inverse share a colour.  Borrows the graph, which must live as long.
 */
#ifndef CSCG_DRAWING_H
#define CSCG_DRAWING_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "io/table.h"

/* Sizes, in points. */
#define CSCG_DRAWING_UNIT 42.0 /* between neighbours */
#define CSCG_DRAWING_NODE 27.0
#define CSCG_DRAWING_STUB 0.72 /* of the unit, from the middle of a node */

enum {
	CSCG_DRAWING_TEXT = 16,       /* bytes of a number or colour */
	CSCG_DRAWING_LEGEND_MAX = 16, /* actions in the legend */
};

struct cscg_drawing_line {
	int lo, hi, back, a; /* back: goes from hi to lo */
	double share, confidence;
};

struct cscg_drawing {
	const struct cscg_graph *g;
	struct cscg_drawing_line *line;
	long n_lines;
	int *inverse; /* [n_actions] the inverse action, or itself */
	int *rank;    /* [n_labels] among the labels in use; -1: not in use */
	int n_ranks;  /* labels in use */
	bool numbers; /* nodes show numbers, because a name is long */
	double font;  /* size of the text of nodes */
	bool no_legend; /* a single action without a name, or too many */
};

/*
 * The lines and labels of g, without self-loops.  Returns 0, or -1
 * with err filled (CSCG_ENOMEM); free it in both cases.
 */
int cscg_drawing_init(struct cscg_drawing *d, const struct cscg_graph *g,
    struct cscg_err *err);
void cscg_drawing_free(struct cscg_drawing *d);

/* One past the lines between the nodes of line i. */
long cscg_drawing_bundle_end(const struct cscg_drawing *d, long i);

/* Whether the lines i..end-1 have one direction only. */
bool cscg_drawing_one_way(const struct cscg_drawing *d, long i, long end);

/* Whether one of the lines i..end-1 has low confidence and is drawn dashed. */
bool cscg_drawing_is_uncertain(const struct cscg_drawing *d, long i, long end);

/* Whether no line of i..j-1 has the colour of line j. */
bool cscg_drawing_is_new_colour(const struct cscg_drawing *d, long i, long j);

/* Whether line i crosses a border that wraps, along the axis (0: rows). */
bool cscg_drawing_wraps(const struct cscg_drawing *d, long i, int axis);

/* The tooltip of the lines i..end-1, as text of XML. */
void cscg_drawing_tooltip(const struct cscg_drawing *d, long i, long end,
    struct cscg_printer *put);

/* The colour of action a, in buf or static. */
const char *cscg_drawing_colour(const struct cscg_drawing *d, int a,
    char buf[CSCG_DRAWING_TEXT]);

/* Names of action a and its inverse, as text of XML: "left / right". */
void cscg_drawing_action(const struct cscg_drawing *d, int a,
    struct cscg_printer *put);

/* The text of node v: the name of its label, or the number of label or node. */
const char *cscg_drawing_text(const struct cscg_drawing *d, int v,
    char buf[CSCG_DRAWING_TEXT]);

/* The name of the symbol of node v, or NULL. */
const char *cscg_drawing_symbol(const struct cscg_graph *g, int v);

#endif
