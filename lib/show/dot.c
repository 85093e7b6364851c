/* dot.c - graphs as Graphviz */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "io/table.h"
#include "show/colours.h"
#include "show/dot.h"
#include "show/drawing.h"
#include "show/layout.h"

#define FACE "fontname=\"Helvetica,Arial,sans-serif\""

enum { NAMED_MAX = 60 }; /* one-way edges up to which edges are labelled */

struct dot_writer {
	struct cscg_drawing d;
	struct cscg_printer put;
	/* [n_nodes * 2] row and column: of the graph, or of the layout. */
	const double *coords;
	double scale; /* points per unit of coordinates */
	long n_stubs, n_one_way;
};

/* Coordinates of v: 0 row or y, 1 column or x. */
static double
coord(const struct dot_writer *p, int v, int axis)
{
	return p->coords[2 * (size_t)v + axis];
}

/* Make the median edge one unit long. */
static int
find_scale(struct dot_writer *p)
{
	const struct cscg_drawing *d = &p->d;
	double *length, l;
	long i, n = 0;

	p->scale = CSCG_DRAWING_UNIT;
	length = cscg_alloc(d->n_lines, sizeof *length, p->put.err);
	if (!length)
		return -1;
	for (i = 0; i < d->n_lines; i++) {
		l = hypot(coord(p, d->line[i].lo, 0) -
			coord(p, d->line[i].hi, 0),
		    coord(p, d->line[i].lo, 1) - coord(p, d->line[i].hi, 1));
		if (l > 0)
			length[n++] = l;
	}
	cscg_sort_doubles(length, n);
	if (n)
		p->scale = CSCG_DRAWING_UNIT / length[n / 2];
	free(length);
	return 0;
}

/* Colour, text and tooltip of node v, which has a label. */
static void
write_node_attributes(struct dot_writer *p, int v)
{
	const struct cscg_graph *g = p->d.g;
	char buf[CSCG_DRAWING_TEXT], tip[96];

	snprintf(tip, sizeof tip, "%s %d, %s %.60s",
	    g->count ? "state" : "node", v, g->grounded ? "symbol" : "group",
	    cscg_name_or_number(g->grounded ? g->symbols : NULL, g->label[v],
		buf));
	cscg_colour_hue(p->d.rank[g->label[v]], p->d.n_ranks, buf);
	cscg_print(&p->put, " fillcolor=\"%s\" tooltip=", buf);
	cscg_print_dot(&p->put, tip);
	cscg_print(&p->put, " label=");
	cscg_print_dot(&p->put, cscg_drawing_text(&p->d, v, buf));
}

static void
write_nodes(struct dot_writer *p)
{
	int v;

	for (v = 0; v < p->d.g->n_nodes; v++) {
		cscg_print(&p->put, "\t%d [", v);
		if (!isnan(coord(p, v, 0)))
			cscg_print(&p->put, "pos=\"%.2f,%.2f!\"",
			    coord(p, v, 1) * p->scale,
			    -coord(p, v, 0) * p->scale);
		if (p->d.g->label)
			write_node_attributes(p, v);
		cscg_print(&p->put, "];\n");
	}
}

/* "[color=... ]" for the lines i..end-1, in one or both directions. */
static void
write_line_attributes(struct dot_writer *p, long i, long end, bool arrows)
{
	const struct cscg_drawing *d = &p->d;
	bool arrow = arrows && cscg_drawing_one_way(d, i, end);
	char buf[CSCG_DRAWING_TEXT];
	double most = 0;
	long j;

	for (j = i; j < end; j++)
		most = d->line[j].share > most ? d->line[j].share : most;
	cscg_print(&p->put, " [color=\"");
	for (j = i; j < end; j++)
		if (cscg_drawing_is_new_colour(d, i, j))
			cscg_print(&p->put, "%s%s", j > i ? ":" : "",
			    cscg_drawing_colour(d, d->line[j].a, buf));
	cscg_print(&p->put, "\" penwidth=%.2f%s tooltip=\"", 0.5 + 1.3 * most,
	    !arrow              ? " dir=none" :
		d->line[i].back ? " dir=back" :
				  "");
	cscg_drawing_tooltip(d, i, end, &p->put);
	cscg_print(&p->put, "\"%s",
	    cscg_drawing_is_uncertain(d, i, end) ? " style=dashed" : "");
	/* Two actions may share a colour: label the edge. */
	if (arrow && p->n_one_way <= NAMED_MAX && !d->no_legend) {
		cscg_print(&p->put, " label=");
		cscg_print_dot(&p->put,
		    cscg_name_or_number(d->g->actions, d->line[i].a, buf));
	}
	cscg_print(&p->put, "];\n");
}

/* A short line from v across the border, away from the other end. */
static void
write_stub(struct dot_writer *p, int v, int other, long i, long end)
{
	const double stub = CSCG_DRAWING_STUB;
	double at[2];
	int axis;

	for (axis = 0; axis < 2; axis++) {
		double l = coord(p, v, axis) - coord(p, other, axis);

		at[axis] = coord(p, v, axis) * p->scale;
		if (cscg_drawing_wraps(&p->d, i, axis))
			at[axis] += l > 0 ? stub * CSCG_DRAWING_UNIT :
					    -stub * CSCG_DRAWING_UNIT;
		else
			at[axis] -= l * p->scale * stub;
	}
	cscg_print(&p->put,
	    "\tw%ld [pos=\"%.2f,%.2f!\" shape=point width=0 "
	    "style=invis];\n\t%d -> w%ld",
	    p->n_stubs, at[1], -at[0], v, p->n_stubs);
	p->n_stubs++;
	write_line_attributes(p, i, end, false);
}

static void
write_lines(struct dot_writer *p)
{
	const struct cscg_drawing *d = &p->d;
	long i, end;

	for (i = 0; i < d->n_lines; i = end) {
		end = cscg_drawing_bundle_end(d, i);
		p->n_one_way += cscg_drawing_one_way(d, i, end);
	}
	for (i = 0; i < d->n_lines; i = end) {
		const struct cscg_drawing_line *l = &d->line[i];

		end = cscg_drawing_bundle_end(d, i);
		if (cscg_drawing_wraps(d, i, 0) ||
		    cscg_drawing_wraps(d, i, 1)) {
			write_stub(p, l->lo, l->hi, i, end);
			write_stub(p, l->hi, l->lo, i, end);
		} else {
			cscg_print(&p->put, "\t%d -> %d", l->lo, l->hi);
			write_line_attributes(p, i, end, true);
		}
	}
}

/* Title, and legend of the actions' colours. */
static void
write_legend(struct dot_writer *p, const char *title)
{
	const struct cscg_drawing *d = &p->d;
	char buf[CSCG_DRAWING_TEXT];
	int a;

	cscg_print(&p->put, "\tlabelloc=b fontsize=12 label=<");
	cscg_print_xml(&p->put, title ? title : "");
	for (a = 0; a < d->g->n_actions && !d->no_legend; a++) {
		if (d->inverse[a] < a)
			continue;
		cscg_print(&p->put, "%s<font color=\"%s\">&#8212; ",
		    title || a ? " &#160; " : "",
		    cscg_drawing_colour(d, a, buf));
		cscg_drawing_action(d, a, &p->put);
		cscg_print(&p->put, "</font>");
	}
	cscg_print(&p->put, ">;\n");
}

/* Rows and columns of a graph without coordinates, by the layout: new. */
static double *
layout_coords(const struct cscg_graph *g, struct cscg_err *err)
{
	struct cscg_layout at;
	double *coords;
	int v;

	if (cscg_layout_new(&at, g, err) < 0)
		return NULL;
	coords = cscg_alloc((size_t)g->n_nodes, 2 * sizeof *coords, err);
	for (v = 0; coords && v < g->n_nodes; v++) {
		coords[2 * (size_t)v] = at.flat[2 * (size_t)v + 1];
		coords[2 * (size_t)v + 1] = at.flat[2 * (size_t)v];
	}
	cscg_layout_free(&at);
	return coords;
}

static void
write_all(struct dot_writer *p, const char *title)
{
	cscg_print(&p->put,
	    "digraph cscg {\n"
	    "\tgraph [layout=neato inputscale=72 splines=line "
	    "outputorder=edgesfirst pad=0.2 bgcolor=white " FACE "];\n");
	cscg_print(&p->put,
	    "\tnode [shape=circle style=filled fixedsize=true width=%.3f "
	    "fillcolor=\"#dddddd\" color=\"#333333\" penwidth=0.7 "
	    "fontsize=%.3g " FACE "];\n",
	    CSCG_DRAWING_NODE / 72, p->d.font);
	cscg_print(&p->put,
	    "\tedge [arrowsize=0.6 fontsize=8 len=%.3f " FACE "];\n",
	    CSCG_DRAWING_UNIT / 72);
	write_legend(p, title);
	write_nodes(p);
	write_lines(p);
	cscg_print(&p->put, "}\n");
}

int
cscg_dot_write(const struct cscg_graph *g, const char *title,
    struct cscg_out *out, struct cscg_err *err)
{
	struct dot_writer p = { .put = { out, err, 0 } };
	double *laid_out = NULL;
	int rc = -1;

	if (!g->coords && !(laid_out = layout_coords(g, err)))
		return -1;
	p.coords = g->coords ? g->coords : laid_out;
	if (cscg_drawing_init(&p.d, g, err) == 0 && find_scale(&p) == 0) {
		write_all(&p, title);
		rc = p.put.rc;
	}
	cscg_drawing_free(&p.d);
	free(laid_out);
	return rc;
}
