/*
 * svg.c - graphs as SVG
 *
 * Lines of one pair of nodes with several colours are drawn side by side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "io/table.h"
#include "show/colours.h"
#include "show/drawing.h"
#include "show/layout.h"
#include "show/svg.h"

#define UNIT CSCG_DRAWING_UNIT
#define NODE CSCG_DRAWING_NODE
#define STUB CSCG_DRAWING_STUB

enum {
	MARGIN = 30,
	LINE = 16,        /* height of a line of text */
	COLUMN = 150,     /* width of an entry of the legend, at least */
	LETTERS = 40,     /* of a name in the legend */
	SWATCH = 9,       /* side of a colour in the legend */
	CROWD_MAX = 4000, /* nodes whose distances are computed */
	NAMES_MAX = 64,   /* symbols in the legend */
};

struct svg_writer {
	struct cscg_drawing d;
	struct cscg_printer put;
	struct cscg_layout at;
	double left, top, width, height; /* of the drawing */
	double unit;                     /* points per unit of the layout */
	double column;                   /* width of an entry of the legend */
};

static double
node_x(const struct svg_writer *w, int v)
{
	return MARGIN + w->unit * (w->at.flat[2 * (size_t)v] - w->left);
}

static double
node_y(const struct svg_writer *w, int v)
{
	return MARGIN + w->unit * (w->at.flat[2 * (size_t)v + 1] - w->top);
}

/* Distance from node v to the nearest other node, in units of the layout. */
static double
nearest(const struct svg_writer *w, int v)
{
	const double *at = w->at.flat, *here = at + 2 * (size_t)v;
	double best = INFINITY, d;
	int u;

	for (u = 0; u < w->d.g->n_nodes; u++) {
		d = hypot(at[2 * (size_t)u] - here[0],
		    at[2 * (size_t)u + 1] - here[1]);
		best = u != v && d < best ? d : best;
	}
	return best;
}

/*
 * The scale: an edge is UNIT long, or up to four times as long if nineteen of
 * twenty nodes then do not overlap.
 */
static int
find_scale(struct svg_writer *w)
{
	int v, n = w->d.g->n_nodes;
	double *near, d;

	w->unit = UNIT;
	if (n < 2 || n > CROWD_MAX)
		return 0;
	near = cscg_alloc((size_t)n, sizeof *near, w->put.err);
	if (!near)
		return -1;
	for (v = 0; v < n; v++)
		near[v] = nearest(w, v);
	cscg_sort_doubles(near, n);
	d = near[n / 20];
	free(near);
	if (d * UNIT < 1.1 * NODE)
		w->unit = d > 0 ? fmin(1.1 * NODE / d, 4 * UNIT) : 4 * UNIT;
	return 0;
}

/* The width of an entry of the legend, by the longest name. */
static void
measure_legend(struct svg_writer *w)
{
	const struct cscg_graph *g = w->d.g;
	int x, longest = 0, n;

	for (x = 0; w->d.numbers && x < g->n_labels; x++) {
		n = (int)strlen(g->symbols->v[x]);
		longest = w->d.rank[x] >= 0 && n > longest ? n : longest;
	}
	longest = longest > LETTERS ? LETTERS : longest;
	w->column = fmax(COLUMN, 6.2 * longest + 50);
}

/* The extent of the drawing. */
static void
measure(struct svg_writer *w)
{
	const struct cscg_graph *g = w->d.g;
	double right = 0, bottom = 0, x, y;
	int v;

	for (v = 0; v < g->n_nodes; v++) {
		x = w->at.flat[2 * (size_t)v];
		y = w->at.flat[2 * (size_t)v + 1];
		w->left = v && w->left < x ? w->left : x;
		w->top = v && w->top < y ? w->top : y;
		right = v && right > x ? right : x;
		bottom = v && bottom > y ? bottom : y;
	}
	w->width = 2 * MARGIN + w->unit * (right - w->left);
	w->height = 2 * MARGIN + w->unit * (bottom - w->top);
	measure_legend(w);
}

/* The arrow at the end (x, y) of a line of direction (dx, dy). */
static void
write_arrow(struct svg_writer *w, double x, double y, double dx, double dy,
    const char *colour)
{
	cscg_print(&w->put,
	    "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fZ\" fill=\"%s\" "
	    "stroke=\"none\"/>",
	    x, y, x - 7 * dx - 3 * dy, y - 7 * dy + 3 * dx,
	    x - 7 * dx + 3 * dy, y - 7 * dy - 3 * dx, colour);
}

/*
 * Lines i..end-1 from (x, y) to (u, v), one for each colour; a single one-way
 * line ends in an arrow.
 */
static void
write_bundle(struct svg_writer *w, long i, long end, const double from[2],
    const double to[2], bool arrows)
{
	const struct cscg_drawing *d = &w->d;
	double dx = to[0] - from[0], dy = to[1] - from[1];
	double length = hypot(dx, dy), shift = 0;
	bool arrow = arrows && cscg_drawing_one_way(d, i, end);
	bool dashed = cscg_drawing_is_uncertain(d, i, end);
	char buf[CSCG_DRAWING_TEXT];
	const char *colour;
	long j;

	dx = length > 0 ? dx / length : 1;
	dy = length > 0 ? dy / length : 0;
	cscg_print(&w->put, "<g><title>");
	cscg_drawing_tooltip(d, i, end, &w->put);
	cscg_print(&w->put, "</title>");
	for (j = i; j < end; j++) {
		if (!cscg_drawing_is_new_colour(d, i, j))
			continue;
		colour = cscg_drawing_colour(d, d->line[j].a, buf);
		cscg_print(&w->put,
		    "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" "
		    "stroke-width=\"%.2f\"%s/>",
		    from[0] - shift * dy, from[1] + shift * dx,
		    to[0] - shift * dy, to[1] + shift * dx, colour,
		    0.5 + 1.3 * d->line[j].share,
		    dashed ? " stroke-dasharray=\"4 3\"" : "");
		if (arrow && d->line[j].back)
			write_arrow(w, from[0] + NODE / 2 * dx,
			    from[1] + NODE / 2 * dy, -dx, -dy, colour);
		else if (arrow)
			write_arrow(w, to[0] - NODE / 2 * dx,
			    to[1] - NODE / 2 * dy, dx, dy, colour);
		shift += 2.5;
	}
	cscg_print(&w->put, "</g>\n");
}

/*
 * Half of an edge that wraps: a short line from v towards the border, away
 * from the other end.
 */
static void
write_half_edge(struct svg_writer *w, int v, int other, long i, long end)
{
	double from[2] = { node_x(w, v), node_y(w, v) }, to[2];
	int axis;

	for (axis = 0; axis < 2; axis++) {
		double d = w->at.flat[2 * (size_t)v + axis] -
		    w->at.flat[2 * (size_t)other + axis];

		/* The first coordinate of a node is its row. */
		to[axis] = from[axis];
		if (cscg_drawing_wraps(&w->d, i, !axis))
			to[axis] += d > 0 ? STUB * w->unit : -STUB * w->unit;
		else
			to[axis] -= d * w->unit * STUB;
	}
	write_bundle(w, i, end, from, to, false);
}

static void
write_lines(struct svg_writer *w)
{
	const struct cscg_drawing *d = &w->d;
	double from[2], to[2];
	long i, end;

	cscg_print(&w->put, "<g fill=\"none\">\n");
	for (i = 0; i < d->n_lines; i = end) {
		const struct cscg_drawing_line *l = &d->line[i];

		end = cscg_drawing_bundle_end(d, i);
		if (w->at.has_coords &&
		    (cscg_drawing_wraps(d, i, 0) ||
			cscg_drawing_wraps(d, i, 1))) {
			write_half_edge(w, l->lo, l->hi, i, end);
			write_half_edge(w, l->hi, l->lo, i, end);
			continue;
		}
		from[0] = node_x(w, l->lo);
		from[1] = node_y(w, l->lo);
		to[0] = node_x(w, l->hi);
		to[1] = node_y(w, l->hi);
		write_bundle(w, i, end, from, to, true);
	}
	cscg_print(&w->put, "</g>\n");
}

static void
write_nodes(struct svg_writer *w)
{
	const struct cscg_graph *g = w->d.g;
	struct cscg_printer *put = &w->put;
	char colour[CSCG_COLOUR_TEXT] = "#dddddd", buf[CSCG_DRAWING_TEXT];
	const char *name;
	int v;

	for (v = 0; v < g->n_nodes; v++) {
		if (g->label)
			cscg_colour_hue(w->d.rank[g->label[v]], w->d.n_ranks,
			    colour);
		name = cscg_drawing_symbol(g, v);
		cscg_print(put, "<g><title>%s %d", g->count ? "state" : "node",
		    v);
		if (name) {
			cscg_print(put, ", ");
			cscg_print_xml(put, name);
		}
		cscg_print(put,
		    "</title><circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\" "
		    "fill=\"%s\" stroke=\"#333333\" stroke-width=\"0.7\"/>"
		    "<text x=\"%.2f\" y=\"%.2f\">",
		    node_x(w, v), node_y(w, v), NODE / 2, colour, node_x(w, v),
		    node_y(w, v) + w->d.font / 3);
		cscg_print_xml(put, cscg_drawing_text(&w->d, v, buf));
		cscg_print(put, "</text></g>\n");
	}
}

/* Columns of the legend that fit into the width of the drawing. */
static int
columns(const struct svg_writer *w)
{
	int n = (int)((w->width - MARGIN) / w->column);

	return n < 1 ? 1 : n;
}

/* Position of entry i of a legend that begins at y. */
static void
entry_at(const struct svg_writer *w, int i, double y, double at[2])
{
	int n = columns(w);

	at[0] = MARGIN / 2.0 + w->column * (i % n);
	at[1] = y + LINE * (double)(i / n);
}

/* Numbers of symbols with their colours and names.  Returns the lower end. */
static double
write_symbols(struct svg_writer *w, double y, bool draw)
{
	const struct cscg_graph *g = w->d.g;
	struct cscg_printer *put = &w->put;
	double at[2] = { 0, y };
	char colour[CSCG_COLOUR_TEXT];
	int x, i = 0;

	for (x = 0; w->d.numbers && x < g->n_labels; x++) {
		if (w->d.rank[x] < 0)
			continue;
		entry_at(w, i++, y, at);
		if (i > NAMES_MAX) {
			if (draw)
				cscg_print(put,
				    "<text x=\"%.2f\" y=\"%.2f\">and %d "
				    "more</text>\n",
				    at[0], at[1], w->d.n_ranks - NAMES_MAX);
			break;
		}
		if (!draw)
			continue;
		cscg_colour_hue(w->d.rank[x], w->d.n_ranks, colour);
		cscg_print(put,
		    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%d\" height=\"%d\" "
		    "fill=\"%s\" stroke=\"#333333\" stroke-width=\"0.5\"/>"
		    "<text x=\"%.2f\" y=\"%.2f\">%d ",
		    at[0], at[1] - SWATCH, SWATCH, SWATCH, colour,
		    at[0] + SWATCH + 4, at[1], x);
		cscg_print_xml_short(put, g->symbols->v[x], LETTERS);
		cscg_print(put, "</text>\n");
	}
	return i ? at[1] + LINE : y;
}

/* Actions, then symbols.  Returns the lower end. */
static double
write_legend(struct svg_writer *w, double y, bool draw)
{
	const struct cscg_drawing *d = &w->d;
	int a, i = 0, n = d->no_legend ? 0 : d->g->n_actions;
	double at[2] = { 0, y };
	char buf[CSCG_DRAWING_TEXT];

	for (a = 0; a < n; a++) {
		if (d->inverse[a] < a)
			continue;
		entry_at(w, i++, y, at);
		if (!draw)
			continue;
		cscg_print(&w->put,
		    "<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">\xe2\x80\x94 ",
		    at[0], at[1], cscg_drawing_colour(d, a, buf));
		cscg_drawing_action(d, a, &w->put);
		cscg_print(&w->put, "</text>\n");
	}
	return write_symbols(w, i ? at[1] + LINE : y, draw);
}

static void
write_all(struct svg_writer *w, const char *title)
{
	struct cscg_printer *put = &w->put;
	double under = w->height + LINE / 2.0; /* stubs end above it */
	double y = under + (title && *title ? LINE : 0), full;

	w->width = fmax(w->width, w->column);
	full = write_legend(w, y, false);
	cscg_print(put,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
	    "font-family=\"Helvetica,Arial,sans-serif\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
	    w->width, full, w->width, full);
	write_lines(w);
	cscg_print(put, "<g font-size=\"%.3g\" text-anchor=\"middle\">\n",
	    w->d.font);
	write_nodes(w);
	cscg_print(put, "</g>\n<g font-size=\"11\">\n");
	if (title && *title) {
		cscg_print(put,
		    "<text x=\"%.1f\" y=\"%.2f\" font-size=\"12\">",
		    MARGIN / 2.0, under);
		cscg_print_xml(put, title);
		cscg_print(put, "</text>\n");
	}
	write_legend(w, y, true);
	cscg_print(put, "</g>\n</svg>\n");
}

int
cscg_svg_write(const struct cscg_graph *g, const char *title,
    struct cscg_out *out, struct cscg_err *err)
{
	struct svg_writer w = { .put = { out, err, 0 } };
	int rc = -1;

	if (cscg_drawing_init(&w.d, g, err) == 0 &&
	    cscg_layout_new(&w.at, g, err) == 0 && find_scale(&w) == 0) {
		measure(&w);
		write_all(&w, title);
		rc = w.put.rc;
	}
	cscg_layout_free(&w.at);
	cscg_drawing_free(&w.d);
	return rc;
}
