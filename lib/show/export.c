/* export.c - graphs as Graphviz, SVG, GraphML and TSV */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/table.h"
#include "show/colours.h"
#include "show/export.h"
#include "show/layout.h"

enum {
	GRID_WIDTH_MAX = 200, /* characters in a line of a drawn grid */
};

/* The name of an action, or its number in buf. */
static const char *
action_name(const struct cscg_graph *g, int a, char buf[16])
{
	if (g->actions->n)
		return g->actions->v[a];
	snprintf(buf, 16, "%d", a);
	return buf;
}

static const char *
label_name(const struct cscg_graph *g, int v)
{
	return g->label && g->grounded && g->symbols->n ?
	    g->symbols->v[g->label[v]] :
	    NULL;
}

static void
write_graphml_keys(const struct cscg_graph *g, struct cscg_printer *p)
{
	cscg_print(p,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
	if (g->label)
		cscg_print(p,
		    "<key id=\"l\" for=\"node\" attr.name=\"%s\" "
		    "attr.type=\"int\"/>\n",
		    g->grounded ? "symbol" : "group");
	if (g->grounded && g->symbols->n)
		cscg_print(p,
		    "<key id=\"n\" for=\"node\" attr.name=\"name\" "
		    "attr.type=\"string\"/>\n");
	if (g->coords)
		cscg_print(p,
		    "<key id=\"y\" for=\"node\" attr.name=\"y\" "
		    "attr.type=\"double\"/>\n<key id=\"x\" for=\"node\" "
		    "attr.name=\"x\" attr.type=\"double\"/>\n");
	cscg_print(p,
	    "<key id=\"a\" for=\"edge\" attr.name=\"action\" "
	    "attr.type=\"string\"/>\n<key id=\"p\" for=\"edge\" "
	    "attr.name=\"p\" attr.type=\"double\"/>\n");
	if (g->count)
		cscg_print(p,
		    "<key id=\"c\" for=\"edge\" attr.name=\"count\" "
		    "attr.type=\"double\"/>\n");
}

static void
write_graphml_node(const struct cscg_graph *g, int v, int digits,
    struct cscg_printer *p)
{
	const char *name = label_name(g, v);

	cscg_print(p, "<node id=\"%d\">", v);
	if (g->label)
		cscg_print(p, "<data key=\"l\">%d</data>", g->label[v]);
	if (name) {
		cscg_print(p, "<data key=\"n\">");
		cscg_print_xml(p, name);
		cscg_print(p, "</data>");
	}
	if (g->coords && !isnan(g->coords[2 * (size_t)v]))
		cscg_print(p,
		    "<data key=\"y\">%.*g</data>"
		    "<data key=\"x\">%.*g</data>",
		    digits, g->coords[2 * (size_t)v], digits,
		    g->coords[2 * (size_t)v + 1]);
	cscg_print(p, "</node>\n");
}

int
cscg_export_write_graphml(const struct cscg_graph *g, int digits,
    struct cscg_out *out, struct cscg_err *err)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	struct cscg_printer p = { out, err, 0 };
	char buf[16];
	int v;

	write_graphml_keys(g, &p);
	cscg_print(&p, "<graph id=\"cscg\" edgedefault=\"directed\">\n");
	for (v = 0; v < g->n_nodes; v++)
		write_graphml_node(g, v, digits, &p);
	for (row = 0; row < rows && p.rc == 0; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			cscg_print(&p,
			    "<edge id=\"e%ld\" source=\"%d\" "
			    "target=\"%d\"><data key=\"a\">",
			    i, (int)(row % g->n_nodes), g->to[i]);
			cscg_print_xml(&p,
			    action_name(g, (int)(row / g->n_nodes), buf));
			cscg_print(&p, "</data><data key=\"p\">%.*g</data>",
			    digits, g->p[i]);
			if (g->count)
				cscg_print(&p, "<data key=\"c\">%.*g</data>",
				    digits, g->count[i]);
			cscg_print(&p, "</edge>\n");
		}
	cscg_print(&p, "</graph>\n</graphml>\n");
	return p.rc;
}

int
cscg_export_write_edges(const struct cscg_graph *g, int digits, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ "action", CSCG_COL_STRING, 0 },
		{ "from", CSCG_COL_LONG, 0 },
		{ "to", CSCG_COL_LONG, 0 },
		{ "p", CSCG_COL_DOUBLE, digits },
		{ "count", CSCG_COL_DOUBLE, digits },
	};
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	struct cscg_table t;
	char buf[16];

	if (cscg_table_init(&t, out, cols, 5, json, err) < 0)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++)
			if (cscg_table_write_row(&t,
				(union cscg_cell[]){
				    { .s = action_name(g,
					  (int)(row / g->n_nodes), buf) },
				    { .l = row % g->n_nodes },
				    { .l = g->to[i] }, { .d = g->p[i] },
				    { .d = g->count ? g->count[i] : NAN } },
				err) < 0)
				return -1;
	return 0;
}

int
cscg_export_write_nodes(const struct cscg_graph *g, int digits, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ "node", CSCG_COL_LONG, 0 },
		{ g->grounded ? "symbol" : "group", CSCG_COL_LONG, 0 },
		{ "name", CSCG_COL_STRING, 0 },
		{ "y", CSCG_COL_DOUBLE, digits },
		{ "x", CSCG_COL_DOUBLE, digits },
		{ "part", CSCG_COL_LONG, 0 },
	};
	const double *at = g->coords;
	struct cscg_table t;
	int v;

	if (cscg_table_init(&t, out, cols, g->part ? 6 : 5, json, err) < 0)
		return -1;
	for (v = 0; v < g->n_nodes; v++)
		if (cscg_table_write_row(&t,
			(union cscg_cell[]){ { .l = v },
			    { .l = g->label ? g->label[v] : CSCG_CELL_NONE },
			    { .s = label_name(g, v) },
			    { .d = at ? at[2 * (size_t)v] : NAN },
			    { .d = at ? at[2 * (size_t)v + 1] : NAN },
			    { .l = g->part ? g->part[v] : 0 } },
			err) < 0)
			return -1;
	return 0;
}

/* The node of each cell, -1: none; NULL if the room is not a grid. */
static int *
grid_cells(const struct cscg_room *room, struct cscg_err *err)
{
	size_t n = (size_t)room->rows * room->cols;
	int *cell = cscg_alloc(n, sizeof(*cell), err), v;

	if (!cell)
		return NULL;
	memset(cell, -1, n * sizeof(*cell));
	for (v = 0; v < room->n_nodes; v++) {
		double y = room->coords[2 * (size_t)v];
		double x = room->coords[2 * (size_t)v + 1];

		if (!(y >= 0 && y < room->rows && x >= 0 && x < room->cols) ||
		    y != floor(y) || x != floor(x) ||
		    cell[(int)y * room->cols + (int)x] >= 0) {
			free(cell);
			return NULL;
		}
		cell[(int)y * room->cols + (int)x] = v;
	}
	return cell;
}

/* Names of symbols, if all are short, else numbers. */
static bool
short_names(const struct cscg_room *room, int *width)
{
	int x, n, most = 0;

	for (x = 0; x < room->symbols.n; x++) {
		n = (int)strlen(room->symbols.v[x]);
		most = n > most ? n : most;
	}
	if (most > 0 && most <= 3) {
		*width = most;
		return true;
	}
	*width = snprintf(NULL, 0, "%d", room->n_obs - 1);
	return false;
}

static void
write_rim(struct cscg_printer *p, int width, int cols)
{
	int i;

	cscg_print(p, " ");
	for (i = 0; i < cols; i++)
		cscg_print(p, " %*s", width, "~");
	cscg_print(p, "\n");
}

int
cscg_export_write_grid(const struct cscg_room *room, struct cscg_out *out,
    struct cscg_err *err)
{
	const char *side = room->wrap_cols ? "~" : " ";
	struct cscg_printer p = { out, err, 0 };
	int *cell, width, r, c;
	bool names;

	if (!room->coords || room->rows < 1 || room->cols < 1)
		return 0;
	names = short_names(room, &width);
	if ((width + 1) * (long)room->cols > GRID_WIDTH_MAX ||
	    room->rows > GRID_WIDTH_MAX)
		return 0;
	err->code = CSCG_OK;
	cell = grid_cells(room, err);
	if (!cell)
		return err->code ? -1 : 0;
	if (room->wrap_rows)
		write_rim(&p, width, room->cols);
	for (r = 0; r < room->rows; r++) {
		cscg_print(&p, "%s", side);
		for (c = 0; c < room->cols; c++) {
			int v = cell[r * room->cols + c];

			if (v < 0)
				cscg_print(&p, " %*s", width, ".");
			else if (names)
				cscg_print(&p, " %*s", width,
				    room->symbols.v[room->obs[v]]);
			else
				cscg_print(&p, " %*d", width, room->obs[v]);
		}
		cscg_print(&p, "%s\n", room->wrap_cols ? " ~" : "");
	}
	if (room->wrap_rows)
		write_rim(&p, width, room->cols);
	free(cell);
	return p.rc < 0 ? -1 : 1;
}

/* Graphviz. */

/* Sizes of nodes and lines, in points. */
#define UNIT 42.0 /* between neighbours */
#define NODE 27.0
#define STUB 0.72 /* of UNIT, from the middle of a node */
#define FONT "fontname=\"Helvetica,Arial,sans-serif\""

enum {
	INVERSE_ACTIONS_MAX = 256, /* actions that are searched for inverses */
	LEGEND_MAX = 16,           /* actions in the legend */
	NAMED_MAX = 60,            /* one-way edges there is room to label */
};

/* Edges of less confidence are drawn dashed. */
static const double CONFIDENCE_MIN = 0.95;

/* Colours for colour-blind readers (Okabe and Ito). */
static const char *const action_colour[] = {
	"#0072b2",
	"#d55e00",
	"#009e73",
	"#cc79a7",
	"#e69f00",
	"#56b4e9",
	"#555555",
};

struct line {
	int lo, hi, back, a; /* back: goes from hi to lo */
	double share, confidence;
};

struct dot_writer {
	const struct cscg_graph *g;
	struct cscg_printer put;
	struct line *line;
	long n_lines;
	int *inverse; /* [n_actions] the inverse action, or itself */
	/* [n_nodes * 2] row and column: of the graph, or of the layout. */
	const double *coords;
	double scale; /* points per unit of coordinates */
	long n_stubs, n_one_way;
};

/* The name of an action or symbol, or its number in buf. */
static const char *
name_of(const struct cscg_names *names, int i, char buf[16])
{
	if (names && names->n)
		return names->v[i];
	snprintf(buf, 16, "%d", i);
	return buf;
}

static int
by_line(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->hi != b->hi)
		return a->hi < b->hi ? -1 : 1;
	if (a->back != b->back)
		return a->back - b->back;
	return (a->a > b->a) - (a->a < b->a);
}

static int
collect_lines(struct dot_writer *p, bool loops)
{
	const struct cscg_graph *g = p->g;
	long row, i, rows = (long)g->n_actions * g->n_nodes;

	p->line = cscg_alloc(g->first[rows], sizeof(*p->line), p->put.err);
	if (!p->line)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int u = (int)(row % g->n_nodes), v = g->to[i];

			if (u == v && !loops)
				continue;
			p->line[p->n_lines++] = (struct line){ u < v ? u : v,
				u < v ? v : u, u > v, (int)(row / g->n_nodes),
				g->share[i],
				g->confidence ? g->confidence[i] : 1 };
		}
	qsort(p->line, p->n_lines, sizeof(*p->line), by_line);
	return 0;
}

/* One past the lines between the nodes of line i. */
static long
bundle_end(const struct dot_writer *p, long i)
{
	long j = i;

	while (j < p->n_lines && p->line[j].lo == p->line[i].lo &&
	    p->line[j].hi == p->line[i].hi)
		j++;
	return j;
}

/* Do the lines i..end-1 go one way only? */
static bool
one_way(const struct dot_writer *p, long i, long end)
{
	return p->line[i].lo != p->line[i].hi &&
	    p->line[i].back == p->line[end - 1].back;
}

/* Whether one of the lines i..end-1 has low confidence: it is drawn dashed. */
static bool
is_unsure(const struct dot_writer *p, long i, long end)
{
	for (; i < end; i++)
		if (p->line[i].confidence < CONFIDENCE_MIN)
			return true;
	return false;
}

/* The tooltip of the lines i..end-1. */
static void
write_tooltip(struct dot_writer *p, long i, long end)
{
	char buf[16];
	long j;

	for (j = i; j < end; j++) {
		const struct line *l = &p->line[j];

		cscg_print(&p->put, "%s%d to %d: ", j > i ? "; " : "",
		    l->back ? l->hi : l->lo, l->back ? l->lo : l->hi);
		cscg_print_xml(&p->put, name_of(p->g->actions, l->a, buf));
		cscg_print(&p->put, " %.3g", l->share);
		if (l->confidence < CONFIDENCE_MIN)
			cscg_print(&p->put, ", confidence %.3g",
			    l->confidence);
	}
}

/* The action that usually reverses an action. */
static int
find_inverses(struct dot_writer *p)
{
	int n = p->g->n_actions, a, b;
	long *seen = NULL, i, j, k, end;

	p->inverse = cscg_alloc(n, sizeof(*p->inverse), p->put.err);
	if (!p->inverse)
		return -1;
	for (a = 0; a < n; a++)
		p->inverse[a] = a;
	if (n > INVERSE_ACTIONS_MAX)
		return 0;
	seen = cscg_alloc((size_t)n * n, sizeof(*seen), p->put.err);
	if (!seen)
		return -1;
	for (i = 0; i < p->n_lines; i = end) {
		end = bundle_end(p, i);
		for (j = i; j < end; j++)
			for (k = i; k < end; k++)
				if (p->line[j].back != p->line[k].back)
					seen[p->line[j].a * n +
					    p->line[k].a]++;
	}
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			if (seen[a * n + b] > seen[a * n + p->inverse[a]])
				p->inverse[a] = b;
	/* Inverses must be mutual. */
	for (a = 0; a < n; a++)
		if (p->inverse[p->inverse[a]] != a)
			p->inverse[a] = a;
	free(seen);
	return 0;
}

/* The colour index of a, shared by an action and its inverse. */
static int
colour_class(const struct dot_writer *p, int a)
{
	int i, n = 0, c = p->inverse[a] < a ? p->inverse[a] : a;

	for (i = 0; i < c; i++)
		n += p->inverse[i] >= i;
	return n;
}

static const char *
colour_of(const struct dot_writer *p, int a, char buf[16])
{
	int n = sizeof(action_colour) / sizeof(*action_colour);
	int c = colour_class(p, a);

	if (c < n)
		return action_colour[c];
	cscg_colour_hue(2 * c + 1, 2 * p->g->n_actions, buf);
	return buf;
}

/* Coordinates of v: 0 row or y, 1 column or x. */
static double
coord(const struct dot_writer *p, int v, int axis)
{
	return p->coords[2 * (size_t)v + axis];
}

/* Whether the line crosses a border that wraps, along the axis. */
static bool
wraps(const struct dot_writer *p, const struct line *l, int axis)
{
	int size = axis ? p->g->cols : p->g->rows;

	if (!p->g->coords || !(axis ? p->g->wrap_cols : p->g->wrap_rows))
		return false;
	return size > 2 &&
	    fabs(coord(p, l->lo, axis) - coord(p, l->hi, axis)) > size / 2.0;
}

static int
by_double(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* Make the median edge UNIT points long. */
static int
find_scale(struct dot_writer *p)
{
	double *length, d;
	long i, n = 0;

	p->scale = UNIT;
	length = cscg_alloc(p->n_lines, sizeof(*length), p->put.err);
	if (!length)
		return -1;
	for (i = 0; i < p->n_lines; i++) {
		d = hypot(coord(p, p->line[i].lo, 0) -
			coord(p, p->line[i].hi, 0),
		    coord(p, p->line[i].lo, 1) - coord(p, p->line[i].hi, 1));
		if (d > 0)
			length[n++] = d;
	}
	qsort(length, n, sizeof(*length), by_double);
	if (n)
		p->scale = UNIT / length[n / 2];
	free(length);
	return 0;
}

/* Colour, text and tooltip of node v, whose label is number rank of n. */
static void
write_node_attributes(struct dot_writer *p, int v, int rank, int n)
{
	const struct cscg_graph *g = p->g;
	char number[16], buf[16], tip[96];
	const char *name = name_of(g->grounded ? g->symbols : NULL,
	    g->label[v], number);

	snprintf(tip, sizeof(tip), "%s %d, %s %.60s",
	    g->count ? "state" : "node", v, g->grounded ? "symbol" : "group",
	    name);
	cscg_colour_hue(rank, n, buf);
	cscg_print(&p->put, " fillcolor=\"%s\" tooltip=", buf);
	cscg_print_dot(&p->put, tip);
	cscg_print(&p->put, " label=");
	/* A circle holds four letters; the tooltip has the rest. */
	cscg_print_dot(&p->put,
	    strlen(name) <= 4 ? name : name_of(NULL, g->label[v], number));
}

/* The labels in use, numbered: new [n_labels + 1], -1 for others; *n of them. */
static int *
rank_labels(const struct cscg_graph *g, int *n, struct cscg_err *err)
{
	int v, *rank = cscg_alloc((size_t)g->n_labels + 1, sizeof(*rank), err);

	*n = 0;
	for (v = 0; rank && g->label && v < g->n_nodes; v++)
		rank[g->label[v]] = 1;
	for (v = 0; rank && v < g->n_labels; v++)
		rank[v] = rank[v] ? (*n)++ : -1;
	return rank;
}

static int
write_nodes(struct dot_writer *p)
{
	const struct cscg_graph *g = p->g;
	int v, n, *rank = rank_labels(g, &n, p->put.err);

	if (!rank)
		return -1;
	for (v = 0; v < g->n_nodes; v++) {
		cscg_print(&p->put, "\t%d [", v);
		if (!isnan(coord(p, v, 0)))
			cscg_print(&p->put, "pos=\"%.2f,%.2f!\"",
			    coord(p, v, 1) * p->scale,
			    -coord(p, v, 0) * p->scale);
		if (g->label)
			write_node_attributes(p, v, rank[g->label[v]], n);
		cscg_print(&p->put, "];\n");
	}
	free(rank);
	return p->put.rc;
}

/* The colours of lines i..end-1, each once. */
static void
write_line_colours(struct dot_writer *p, long i, long end)
{
	char buf[16];
	long j, k;

	for (j = i; j < end; j++) {
		for (k = i; k < j &&
		     colour_class(p, p->line[k].a) !=
			 colour_class(p, p->line[j].a);
		     k++)
			;
		if (k == j)
			cscg_print(&p->put, "%s%s", j > i ? ":" : "",
			    colour_of(p, p->line[j].a, buf));
	}
}

/* "[color=... ]" for the lines i..end-1, which may be there and back. */
static void
write_line_attributes(struct dot_writer *p, long i, long end, bool arrows)
{
	bool arrow = arrows && one_way(p, i, end);
	double most = 0;
	char buf[16];
	long j;

	for (j = i; j < end; j++)
		most = p->line[j].share > most ? p->line[j].share : most;
	cscg_print(&p->put, " [color=\"");
	write_line_colours(p, i, end);
	cscg_print(&p->put, "\" penwidth=%.2f%s tooltip=\"", 0.5 + 1.3 * most,
	    !arrow              ? " dir=none" :
		p->line[i].back ? " dir=back" :
				  "");
	write_tooltip(p, i, end);
	cscg_print(&p->put, "\"%s",
	    is_unsure(p, i, end) ? " style=dashed" : "");
	/* Two actions may share a colour: label the edge. */
	if (arrow && p->n_one_way <= NAMED_MAX) {
		cscg_print(&p->put, " label=");
		cscg_print_dot(&p->put,
		    name_of(p->g->actions, p->line[i].a, buf));
	}
	cscg_print(&p->put, "];\n");
}

/* A short line from v across the border, away from the other end. */
static void
write_stub(struct dot_writer *p, int v, int other, long i, long end)
{
	double at[2];
	int axis;

	for (axis = 0; axis < 2; axis++) {
		double d = coord(p, v, axis) - coord(p, other, axis);

		at[axis] = coord(p, v, axis) * p->scale;
		if (wraps(p, &p->line[i], axis))
			at[axis] += d > 0 ? STUB * UNIT : -STUB * UNIT;
		else
			at[axis] -= d * p->scale * STUB;
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
	long i, end;

	for (i = 0; i < p->n_lines; i = end) {
		end = bundle_end(p, i);
		p->n_one_way += one_way(p, i, end);
	}
	for (i = 0; i < p->n_lines; i = end) {
		const struct line *l = &p->line[i];

		end = bundle_end(p, i);
		if (wraps(p, l, 0) || wraps(p, l, 1)) {
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
	int a, n = p->g->n_actions;
	char buf[16];

	cscg_print(&p->put, "\tlabelloc=b fontsize=12 label=<");
	cscg_print_xml(&p->put, title ? title : "");
	for (a = 0; a < n && n <= LEGEND_MAX; a++) {
		if (p->inverse[a] < a)
			continue;
		cscg_print(&p->put, "%s<font color=\"%s\">&#8212; ",
		    title || a ? " &#160; " : "", colour_of(p, a, buf));
		cscg_print_xml(&p->put, name_of(p->g->actions, a, buf));
		if (p->inverse[a] > a) {
			cscg_print(&p->put, " / ");
			cscg_print_xml(&p->put,
			    name_of(p->g->actions, p->inverse[a], buf));
		}
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
	coords = cscg_alloc((size_t)g->n_nodes, 2 * sizeof(*coords), err);
	for (v = 0; coords && v < g->n_nodes; v++) {
		coords[2 * (size_t)v] = at.flat[2 * (size_t)v + 1];
		coords[2 * (size_t)v + 1] = at.flat[2 * (size_t)v];
	}
	cscg_layout_free(&at);
	return coords;
}

int
cscg_export_write_dot(const struct cscg_graph *g, const char *title,
    bool loops, struct cscg_out *out, struct cscg_err *err)
{
	struct dot_writer p = { .g = g, .put = { out, err, 0 } };
	double *laid_out = NULL;
	int rc = -1;

	if (!g->coords && !(laid_out = layout_coords(g, err)))
		return -1;
	p.coords = g->coords ? g->coords : laid_out;
	if (collect_lines(&p, loops) < 0 || find_inverses(&p) < 0 ||
	    find_scale(&p) < 0)
		goto out;
	cscg_print(&p.put,
	    "digraph cscg {\n"
	    "\tgraph [layout=neato inputscale=72 splines=line "
	    "outputorder=edgesfirst pad=0.2 bgcolor=white " FONT "];\n");
	cscg_print(&p.put,
	    "\tnode [shape=circle style=filled fixedsize=true width=%.3f "
	    "fillcolor=\"#dddddd\" color=\"#333333\" penwidth=0.7 "
	    "fontsize=9 " FONT "];\n",
	    NODE / 72);
	cscg_print(&p.put,
	    "\tedge [arrowsize=0.6 fontsize=8 len=%.3f " FONT "];\n",
	    UNIT / 72);
	write_legend(&p, title);
	if (write_nodes(&p) < 0)
		goto out;
	write_lines(&p);
	cscg_print(&p.put, "}\n");
	rc = p.put.rc;
out:
	free(laid_out);
	free(p.line);
	free(p.inverse);
	return rc;
}

/*
 * SVG.
 *
 * Positions are those of the HTML page.  Lines of one pair of nodes with
 * several colours are drawn side by side.
 */

enum {
	SVG_MARGIN = 30,
	SVG_LINE = 16,        /* height of a line of text */
	SVG_COLUMN = 150,     /* width of an entry of the legend, at least */
	SVG_LETTERS = 40,     /* of a name in the legend */
	SVG_SWATCH = 9,       /* side of a colour in the legend */
	SVG_CROWD_MAX = 4000, /* nodes whose distances are computed */
	SVG_NAMES_MAX = 64,   /* symbols in the legend */
	SVG_SHORT = 4,        /* letters that a node has room for */
};

struct svg_writer {
	struct dot_writer d;
	struct cscg_layout at;
	int *rank, n_ranks;
	double left, top, width, height; /* of the drawing */
	double unit;                     /* points per unit of the layout */
	double column;                   /* width of an entry of the legend */
	bool numbers; /* nodes show numbers, the legend names */
};

static double
svg_x(const struct svg_writer *w, int v)
{
	return SVG_MARGIN + w->unit * (w->at.flat[2 * (size_t)v] - w->left);
}

static double
svg_y(const struct svg_writer *w, int v)
{
	return SVG_MARGIN + w->unit * (w->at.flat[2 * (size_t)v + 1] - w->top);
}

/* Distance from node v to the nearest other node, in units of the layout. */
static double
svg_nearest(const struct svg_writer *w, int v)
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
svg_scale(struct svg_writer *w)
{
	int v, n = w->d.g->n_nodes;
	double *near, d;

	w->unit = UNIT;
	if (n < 2 || n > SVG_CROWD_MAX)
		return 0;
	near = cscg_alloc((size_t)n, sizeof *near, w->d.put.err);
	if (!near)
		return -1;
	for (v = 0; v < n; v++)
		near[v] = svg_nearest(w, v);
	qsort(near, (size_t)n, sizeof *near, by_double);
	d = near[n / 20];
	free(near);
	if (d * UNIT < 1.1 * NODE)
		w->unit = d > 0 ? fmin(1.1 * NODE / d, 4 * UNIT) : 4 * UNIT;
	return 0;
}

/* The width of an entry of the legend, by the longest name. */
static void
svg_measure_legend(struct svg_writer *w)
{
	const struct cscg_graph *g = w->d.g;
	int x, longest = 0, n;

	for (x = 0; w->numbers && x < g->n_labels; x++) {
		n = (int)strlen(g->symbols->v[x]);
		longest = w->rank[x] >= 0 && n > longest ? n : longest;
	}
	longest = longest > SVG_LETTERS ? SVG_LETTERS : longest;
	w->column = fmax(SVG_COLUMN, 6.2 * longest + 50);
}

/* The extent of the drawing, and whether all names are short. */
static void
svg_measure(struct svg_writer *w)
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
		w->numbers |= label_name(g, v) &&
		    strlen(label_name(g, v)) > SVG_SHORT;
	}
	w->width = 2 * SVG_MARGIN + w->unit * (right - w->left);
	w->height = 2 * SVG_MARGIN + w->unit * (bottom - w->top);
	svg_measure_legend(w);
}

/* The tooltip of the lines i..end-1. */
static void
svg_line_title(struct svg_writer *w, long i, long end)
{
	cscg_print(&w->d.put, "<title>");
	write_tooltip(&w->d, i, end);
	cscg_print(&w->d.put, "</title>");
}

/* The arrow at the end (x, y) of a line of direction (dx, dy). */
static void
svg_arrow(struct svg_writer *w, double x, double y, double dx, double dy,
    const char *colour)
{
	cscg_print(&w->d.put,
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
svg_bundle(struct svg_writer *w, long i, long end, const double from[2],
    const double to[2], bool arrows)
{
	struct dot_writer *d = &w->d;
	double dx = to[0] - from[0], dy = to[1] - from[1];
	double length = hypot(dx, dy), shift = 0;
	bool arrow = arrows && one_way(d, i, end);
	char buf[16];
	const char *colour;
	long j, k;

	dx = length > 0 ? dx / length : 1;
	dy = length > 0 ? dy / length : 0;
	cscg_print(&d->put, "<g>");
	svg_line_title(w, i, end);
	for (j = i; j < end; j++) {
		for (k = i; k < j &&
		     colour_class(d, d->line[k].a) !=
			 colour_class(d, d->line[j].a);
		     k++)
			;
		if (k < j)
			continue;
		colour = colour_of(d, d->line[j].a, buf);
		cscg_print(&d->put,
		    "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" "
		    "stroke-width=\"%.2f\"%s/>",
		    from[0] - shift * dy, from[1] + shift * dx,
		    to[0] - shift * dy, to[1] + shift * dx, colour,
		    0.5 + 1.3 * d->line[j].share,
		    is_unsure(d, i, end) ? " stroke-dasharray=\"4 3\"" : "");
		if (arrow && d->line[j].back)
			svg_arrow(w, from[0] + NODE / 2 * dx,
			    from[1] + NODE / 2 * dy, -dx, -dy, colour);
		else if (arrow)
			svg_arrow(w, to[0] - NODE / 2 * dx,
			    to[1] - NODE / 2 * dy, dx, dy, colour);
		shift += 2.5;
	}
	cscg_print(&d->put, "</g>\n");
}

/*
 * Half of an edge that wraps: a short line from v towards the border, away
 * from the other end.
 */
static void
svg_half_edge(struct svg_writer *w, int v, int other, long i, long end)
{
	double from[2] = { svg_x(w, v), svg_y(w, v) }, to[2];
	int axis;

	for (axis = 0; axis < 2; axis++) {
		double d = w->at.flat[2 * (size_t)v + axis] -
		    w->at.flat[2 * (size_t)other + axis];

		/* The first coordinate of a node is its row. */
		to[axis] = from[axis];
		if (wraps(&w->d, &w->d.line[i], !axis))
			to[axis] += d > 0 ? STUB * w->unit : -STUB * w->unit;
		else
			to[axis] -= d * w->unit * STUB;
	}
	svg_bundle(w, i, end, from, to, false);
}

static void
svg_lines(struct svg_writer *w)
{
	struct dot_writer *d = &w->d;
	double from[2], to[2];
	long i, end;

	cscg_print(&d->put, "<g fill=\"none\">\n");
	for (i = 0; i < d->n_lines; i = end) {
		const struct line *l = &d->line[i];

		end = bundle_end(d, i);
		if (w->at.has_coords && (wraps(d, l, 0) || wraps(d, l, 1))) {
			svg_half_edge(w, l->lo, l->hi, i, end);
			svg_half_edge(w, l->hi, l->lo, i, end);
			continue;
		}
		from[0] = svg_x(w, l->lo);
		from[1] = svg_y(w, l->lo);
		to[0] = svg_x(w, l->hi);
		to[1] = svg_y(w, l->hi);
		svg_bundle(w, i, end, from, to, true);
	}
	cscg_print(&d->put, "</g>\n");
}

/* The text of a node: the name of its label, or the number of label or node. */
static const char *
svg_text(const struct svg_writer *w, int v, char buf[16])
{
	const struct cscg_graph *g = w->d.g;
	const char *name = label_name(g, v);

	return name && !w->numbers ?
	    name :
	    name_of(NULL, g->label ? g->label[v] : v, buf);
}

static void
svg_nodes(struct svg_writer *w)
{
	const struct cscg_graph *g = w->d.g;
	struct cscg_printer *put = &w->d.put;
	char colour[16] = "#dddddd", buf[16];
	const char *name;
	int v;

	for (v = 0; v < g->n_nodes; v++) {
		if (g->label)
			cscg_colour_hue(w->rank[g->label[v]], w->n_ranks,
			    colour);
		name = label_name(g, v);
		cscg_print(put, "<g><title>%s %d", g->count ? "state" : "node",
		    v);
		if (name) {
			cscg_print(put, ", ");
			cscg_print_xml(put, name);
		}
		cscg_print(put,
		    "</title><circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\" "
		    "fill=\"%s\"/><text x=\"%.2f\" y=\"%.2f\">",
		    svg_x(w, v), svg_y(w, v), NODE / 2, colour, svg_x(w, v),
		    svg_y(w, v) + 3);
		cscg_print_xml(put, svg_text(w, v, buf));
		cscg_print(put, "</text></g>\n");
	}
}

/* Columns of the legend that fit into the width of the drawing. */
static int
svg_columns(const struct svg_writer *w)
{
	int n = (int)((w->width - SVG_MARGIN) / w->column);

	return n < 1 ? 1 : n;
}

/* Position of entry i of a legend that begins at y. */
static void
svg_entry(const struct svg_writer *w, int i, double y, double at[2])
{
	int n = svg_columns(w);

	at[0] = SVG_MARGIN / 2.0 + w->column * (i % n);
	at[1] = y + SVG_LINE * (double)(i / n);
}

/* Numbers of symbols with their colours and names.  Returns the lower end. */
static double
svg_symbols(struct svg_writer *w, double y, bool draw)
{
	const struct cscg_graph *g = w->d.g;
	struct cscg_printer *put = &w->d.put;
	double at[2] = { 0, y };
	char colour[CSCG_COLOUR_TEXT];
	int x, i = 0;

	for (x = 0; w->numbers && x < g->n_labels; x++) {
		if (w->rank[x] < 0)
			continue;
		svg_entry(w, i++, y, at);
		if (i > SVG_NAMES_MAX) {
			if (draw)
				cscg_print(put,
				    "<text x=\"%.2f\" y=\"%.2f\">and %d "
				    "more</text>\n",
				    at[0], at[1], w->n_ranks - SVG_NAMES_MAX);
			break;
		}
		if (!draw)
			continue;
		cscg_colour_hue(w->rank[x], w->n_ranks, colour);
		cscg_print(put,
		    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%d\" height=\"%d\" "
		    "fill=\"%s\" stroke=\"#333333\" stroke-width=\"0.5\"/>"
		    "<text x=\"%.2f\" y=\"%.2f\">%d ",
		    at[0], at[1] - SVG_SWATCH, SVG_SWATCH, SVG_SWATCH, colour,
		    at[0] + SVG_SWATCH + 4, at[1], x);
		cscg_print_xml_short(put, g->symbols->v[x], SVG_LETTERS);
		cscg_print(put, "</text>\n");
	}
	return i ? at[1] + SVG_LINE : y;
}

/* Actions, then symbols.  Returns the lower end. */
static double
svg_legend(struct svg_writer *w, double y, bool draw)
{
	const struct cscg_graph *g = w->d.g;
	struct cscg_printer *put = &w->d.put;
	int a, i = 0, n = g->n_actions <= LEGEND_MAX ? g->n_actions : 0;
	double at[2] = { 0, y };
	char buf[16];

	for (a = 0; a < n; a++) {
		if (w->d.inverse[a] < a)
			continue;
		svg_entry(w, i++, y, at);
		if (!draw)
			continue;
		cscg_print(put, "<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">",
		    at[0], at[1], colour_of(&w->d, a, buf));
		cscg_print(put, "\xe2\x80\x94 ");
		cscg_print_xml(put, name_of(g->actions, a, buf));
		if (w->d.inverse[a] > a) {
			cscg_print(put, " / ");
			cscg_print_xml(put,
			    name_of(g->actions, w->d.inverse[a], buf));
		}
		cscg_print(put, "</text>\n");
	}
	return svg_symbols(w, at[1] + SVG_LINE, draw);
}

static void
svg_write(struct svg_writer *w, const char *title)
{
	struct cscg_printer *put = &w->d.put;
	double under = w->height + SVG_LINE / 2.0; /* stubs end above it */
	double y = under + (title && *title ? SVG_LINE : 0), full;

	w->width = fmax(w->width, w->column);
	full = svg_legend(w, y, false);
	cscg_print(put,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
	    "font-family=\"Helvetica,Arial,sans-serif\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
	    w->width, full, w->width, full);
	svg_lines(w);
	cscg_print(put,
	    "<g stroke=\"#333333\" stroke-width=\"0.7\" font-size=\"9\" "
	    "text-anchor=\"middle\">\n<style>text{stroke:none}</style>\n");
	svg_nodes(w);
	cscg_print(put, "</g>\n<g font-size=\"11\">\n");
	if (title && *title) {
		cscg_print(put,
		    "<text x=\"%.1f\" y=\"%.2f\" font-size=\"12\">",
		    SVG_MARGIN / 2.0, under);
		cscg_print_xml(put, title);
		cscg_print(put, "</text>\n");
	}
	svg_legend(w, y, true);
	cscg_print(put, "</g>\n</svg>\n");
}

int
cscg_export_write_svg(const struct cscg_graph *g, const char *title,
    struct cscg_out *out, struct cscg_err *err)
{
	struct svg_writer w = {
		.d = { .g = g, .put = { out, err, 0 }, .coords = g->coords }
	};
	int rc = -1;

	if (cscg_layout_new(&w.at, g, err) == 0 && svg_scale(&w) == 0 &&
	    collect_lines(&w.d, false) == 0 && find_inverses(&w.d) == 0 &&
	    (w.rank = rank_labels(g, &w.n_ranks, err)) != NULL) {
		svg_measure(&w);
		svg_write(&w, title);
		rc = w.d.put.rc;
	}
	free(w.rank);
	free(w.d.line);
	free(w.d.inverse);
	cscg_layout_free(&w.at);
	return rc;
}
