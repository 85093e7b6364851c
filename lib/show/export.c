/* export.c - graphs as Graphviz, GraphML and TSV */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/table.h"
#include "show/export.h"

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

/*
 * Graphviz.
 *
 * Node colours have hues spread evenly over the labels in use and alternating
 * lightness, so that neighbouring hues also differ without colour vision.
 * They are computed in Oklab, a perceptually uniform colour space.
 */

/* Sizes of nodes and lines, in points. */
#define UNIT 42.0 /* between neighbours */
#define NODE 27.0
#define STUB 0.72 /* of UNIT, from the middle of a node */
#define FONT "fontname=\"Helvetica,Arial,sans-serif\""

enum {
	STRESS_MAX = 600, /* nodes; neato's time grows with the square */
	INVERSE_ACTIONS_MAX = 256, /* actions that are searched for inverses */
	LEGEND_MAX = 16,           /* actions in the legend */
	NAMED_MAX = 60,            /* one-way edges there is room to label */
};

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
	double share;
};

struct dot_writer {
	const struct cscg_graph *g;
	struct cscg_printer put;
	struct line *line;
	long n_lines;
	int *inverse; /* [n_actions] the inverse action, or itself */
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
srgb_byte(double linear)
{
	double c = linear <= 0.0031308 ? 12.92 * linear :
					 1.055 * pow(linear, 1 / 2.4) - 0.055;

	return (int)lround(255 * (c < 0 ? 0 : c > 1 ? 1 : c));
}

/* Colour i of n as #rrggbb. */
static void
write_hue(int i, int n, char buf[16])
{
	double L = i % 2 ? 0.70 : 0.88, C = i % 2 ? 0.13 : 0.09;
	/* Hue is circular: first and last must differ in lightness. */
	double h = 2 * M_PI * (i + 0.35) / (n + n % 2);
	double a = C * cos(h), b = C * sin(h);
	double l = L + 0.3963377774 * a + 0.2158037573 * b;
	double m = L - 0.1055613458 * a - 0.0638541728 * b;
	double s = L - 0.0894841775 * a - 1.2914855480 * b;

	l = l * l * l;
	m = m * m * m;
	s = s * s * s;
	snprintf(buf, 16, "#%02x%02x%02x",
	    srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
	    srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
	    srgb_byte(-0.0041960863 * l - 0.7034186147 * m +
		1.7076147010 * s));
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
				g->share[i] };
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
	write_hue(2 * c + 1, 2 * p->g->n_actions, buf);
	return buf;
}

/* Coordinates of v: 0 row or y, 1 column or x. */
static double
coord(const struct dot_writer *p, int v, int axis)
{
	return p->g->coords[2 * (size_t)v + axis];
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
	if (!p->g->coords)
		return 0;
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
	write_hue(rank, n, buf);
	cscg_print(&p->put, " fillcolor=\"%s\" tooltip=", buf);
	cscg_print_dot(&p->put, tip);
	cscg_print(&p->put, " label=");
	/* A circle holds four letters; the tooltip has the rest. */
	cscg_print_dot(&p->put,
	    strlen(name) <= 4 ? name : name_of(NULL, g->label[v], number));
}

static int
write_nodes(struct dot_writer *p)
{
	const struct cscg_graph *g = p->g;
	int v, n = 0, *rank;

	rank = cscg_alloc((size_t)g->n_labels + 1, sizeof(*rank), p->put.err);
	if (!rank)
		return -1;
	for (v = 0; g->label && v < g->n_nodes; v++)
		rank[g->label[v]] = 1;
	for (v = 0; v < g->n_labels; v++)
		rank[v] = rank[v] ? n++ : -1;
	for (v = 0; v < g->n_nodes; v++) {
		cscg_print(&p->put, "\t%d [", v);
		if (g->coords && !isnan(coord(p, v, 0)))
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
	for (j = i; j < end; j++) {
		const struct line *l = &p->line[j];

		cscg_print(&p->put, "%s%d to %d: ", j > i ? "; " : "",
		    l->back ? l->hi : l->lo, l->back ? l->lo : l->hi);
		cscg_print_xml(&p->put, name_of(p->g->actions, l->a, buf));
		cscg_print(&p->put, " %.3g", l->share);
	}
	cscg_print(&p->put, "\"");
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

int
cscg_export_write_dot(const struct cscg_graph *g, const char *title,
    bool loops, struct cscg_out *out, struct cscg_err *err)
{
	struct dot_writer p = { .g = g, .put = { out, err, 0 } };
	int rc = -1;

	if (collect_lines(&p, loops) < 0 || find_inverses(&p) < 0 ||
	    find_scale(&p) < 0)
		goto out;
	cscg_print(&p.put,
	    "digraph cscg {\n"
	    "\tgraph [layout=%s inputscale=72 splines=line "
	    "outputorder=edgesfirst pad=0.2 bgcolor=white%s " FONT "];\n",
	    g->coords || g->n_nodes <= STRESS_MAX ? "neato" : "sfdp",
	    g->coords ? "" : " pack=true overlap=prism K=0.5");
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
	free(p.line);
	free(p.inverse);
	return rc;
}
