/* export.c - graphs as GraphML and TSV, rooms as grids of text */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/table.h"
#include "show/drawing.h"
#include "show/export.h"

enum {
	GRID_WIDTH_MAX = 200, /* characters in a line of a drawn grid */
};

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
	const char *name = cscg_drawing_symbol(g, v);

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
	char buf[CSCG_DRAWING_TEXT];
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
			    cscg_name_or_number(g->actions,
				(int)(row / g->n_nodes), buf));
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
	char buf[CSCG_DRAWING_TEXT];

	if (cscg_table_init(&t, out, cols, 5, json, err) < 0)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++)
			if (cscg_table_write_row(&t,
				(union cscg_cell[]){
				    { .s = cscg_name_or_number(g->actions,
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
			    { .s = cscg_drawing_symbol(g, v) },
			    { .d = at ? at[2 * (size_t)v] : NAN },
			    { .d = at ? at[2 * (size_t)v + 1] : NAN },
			    { .l = g->part ? g->part[v] : 0 } },
			err) < 0)
			return -1;
	return 0;
}

/* The node of each cell, -1: no node; NULL if the room is not a grid. */
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
