/*
 * html.c - layouts: grids are drawn as grids, paths straight, turns as headings
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/layout.h"
#include "show/stress.h"
#include "need.h"
#include "world/room.h"
#include "tap.h"

static const char *const compass[] = { "north", "south", "west", "east",
	NULL };

/*
 * A grid with the actions up, down, left and right, which may wrap; with or
 * without names.
 */
static struct cscg_graph *
grid(int rows, int cols, bool wrap, bool named, struct cscg_room **room)
{
	static const int dy[] = { -1, 1, 0, 0 }, dx[] = { 0, 0, -1, 1 };
	struct cscg_edge *e = need(calloc(4 * (size_t)(rows * cols),
	    sizeof *e));
	int v, a, y, x;
	long n = 0;

	*room = need(cscg_room_new(rows * cols, 4, 1, &err));
	for (v = 0; v < rows * cols; v++)
		for (a = 0; a < 4; a++) {
			y = v / cols + dy[a];
			x = v % cols + dx[a];
			if (wrap) {
				y = (y + rows) % rows;
				x = (x + cols) % cols;
			}
			if (y < 0 || y >= rows || x < 0 || x >= cols) {
				y = v / cols;
				x = v % cols;
			}
			e[n++] = (struct cscg_edge){ a, v, y * cols + x, 1 };
		}
	cscg_room_set_edges(*room, e, n, &err);
	if (named)
		cscg_names_set(&(*room)->actions, compass, &err);
	free(e);
	return need(cscg_graph_of_room(*room, 0, &err));
}

static double
between(const double *at, int dim, int u, int v)
{
	double sum = 0;
	int x;

	for (x = 0; x < dim; x++)
		sum += (at[u * dim + x] - at[v * dim + x]) *
		    (at[u * dim + x] - at[v * dim + x]);
	return sqrt(sum);
}

static bool
all_finite(const struct cscg_layout *l, int n)
{
	bool fine = true;
	int i;

	for (i = 0; i < 2 * n; i++)
		fine &= isfinite(l->flat[i]);
	for (i = 0; i < 3 * n; i++)
		fine &= isfinite(l->solid[i]);
	return fine;
}

/* Distance of the nearest two nodes. */
static double
nearest(const double *at, int dim, int n)
{
	double best = INFINITY;
	int u, v;

	for (u = 0; u < n; u++)
		for (v = 0; v < u; v++)
			best = fmin(best, between(at, dim, u, v));
	return best;
}

static void
path(void)
{
	struct cscg_room *room;
	struct cscg_graph *g = grid(1, 30, false, false, &room);
	struct cscg_layout l;
	bool flat = true, solid = true;
	int v;

	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	for (v = 1; v < 29; v++) {
		flat &= between(l.flat, 2, 0, v + 1) >
		    between(l.flat, 2, 0, v);
		solid &= between(l.solid, 3, 0, v + 1) >
		    between(l.solid, 3, 0, v);
	}
	ok(flat,
	    "a path graph: distances in the layout increase with path length");
	ok(solid, "a path graph: distances increase with path length in 3D");
	ok(near(between(l.flat, 2, 0, 29), 29, 0.01),
	    "a path of 29 transitions has length 29");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

/* The expected position of each node of a grid, up to a translation. */
static double
worst_of_grid(const struct cscg_layout *l, int rows, int cols)
{
	double worst = 0;
	int v;

	for (v = 0; v < rows * cols; v++) {
		worst = fmax(worst,
		    fabs(l->flat[2 * v] - l->flat[0] - v % cols));
		worst = fmax(worst,
		    fabs(l->flat[2 * v + 1] - l->flat[1] - v / cols));
	}
	return worst;
}

/*
 * Replace transitions into or out of columns left..right, rows top..bottom by
 * self-loops.
 */
static void
cut(struct cscg_graph *g, int cols, int left, int right, int top, int bottom)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	int u, v;

	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			u = (int)(row % g->n_nodes);
			v = g->to[i];
			if ((u % cols >= left && u % cols <= right &&
				u / cols >= top && u / cols <= bottom) ||
			    (v % cols >= left && v % cols <= right &&
				v / cols >= top && v / cols <= bottom))
				g->to[i] = u;
		}
}

static void
grids(void)
{
	struct cscg_layout l, again;
	struct cscg_room *room;
	struct cscg_graph *g = grid(10, 10, false, true, &room);
	double longest = 0;
	int v;

	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(worst_of_grid(&l, 10, 10) < 0.05,
	    "a grid is drawn as a grid, north up and east right");
	need(cscg_layout_new(&again, g, &err) == 0 ? &again : NULL);
	ok(!memcmp(l.flat, again.flat, 200 * sizeof *l.flat) &&
		!memcmp(l.solid, again.solid, 300 * sizeof *l.solid),
	    "a layout is the same again, to the last bit");
	cscg_layout_free(&l);
	cscg_layout_free(&again);
	cscg_graph_free(g);
	cscg_room_free(room);

	/*
	 * A U, whose arms would not be parallel in a layout by distances alone.
	 */
	g = grid(9, 9, false, true, &room);
	cut(g, 9, 3, 5, 0, 6);
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	/* The left arm ends with 2 in row 0, the right one begins with 6. */
	ok(fabs(l.flat[2 * 6] - l.flat[2 * 2] - 4) < 0.05 &&
		fabs(l.flat[2 * 6 + 1] - l.flat[2 * 2 + 1]) < 0.05,
	    "the arms of a U are parallel");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);

	/* More nodes than the layout compares pair by pair. */
	g = grid(25, 40, false, true, &room);
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(worst_of_grid(&l, 25, 40) < 0.05,
	    "a grid of 1000 nodes is drawn as a grid");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);

	/*
	 * Without names the orientation is arbitrary, but rows are horizontal
	 * or vertical.
	 */
	g = grid(4, 9, false, false, &room);
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	for (v = 0; v < 35; v++)
		if (v % 9 < 8)
			longest = fmax(longest,
			    fabs(l.flat[2 * v + 1] - l.flat[2 * v + 3]));
	ok(longest < 0.05, "a grid without names lies on its long side");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

static void
torus(int rows, int cols)
{
	struct cscg_room *room;
	struct cscg_graph *g = grid(rows, cols, true, true, &room);
	struct cscg_layout l;
	double mid[3] = { 0 }, r, low = INFINITY, shortest = INFINITY;
	double longest = 0;
	int n = rows * cols, v, x, ring;

	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	for (v = 0; v < n; v++)
		for (x = 0; x < 3; x++)
			mid[x] += l.solid[3 * v + x] / n;
	for (v = 0; v < n; v++) {
		r = hypot(l.solid[3 * v] - mid[0],
		    l.solid[3 * v + 1] - mid[1]);
		low = fmin(low, r);
		ring = v - v % cols + (v + 1) % cols;
		shortest = fmin(shortest, between(l.solid, 3, v, ring));
		longest = fmax(longest, between(l.solid, 3, v, ring));
	}
	ok(low > 0.8, "a torus of %d x %d in 3D has a hole", rows, cols);
	ok(shortest > 0.4 && longest < 2,
	    "no edge of a torus in 3D is too short or too long");
	ok(l.solid_crowding == 0 && l.flat_crowding > 0.1,
	    "a torus crowds nodes in 2D, not in 3D");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

/* n nodes and one action that leads from from[i] to to[i]. */
static struct cscg_graph *
wired(int n, const int (*edge)[2], int n_edges, struct cscg_room **room)
{
	struct cscg_edge *e = need(calloc((size_t)n_edges + n, sizeof *e));
	int i;

	*room = need(cscg_room_new(n, 1, 1, &err));
	for (i = 0; i < n_edges; i++)
		e[i] = (struct cscg_edge){ 0, edge[i][0], edge[i][1], 1 };
	for (i = 0; i < n; i++)
		e[n_edges + i] = (struct cscg_edge){ 0, i, i, 1 };
	cscg_room_set_edges(*room, e, n_edges + n, &err);
	free(e);
	return need(cscg_graph_of_room(*room, 0, &err));
}

static void
parts(void)
{
	static const int edge[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 4 },
		{ 0, 5 }, { 5, 0 } };
	struct cscg_room *room;
	struct cscg_graph *g = wired(40, edge, 6, &room);
	struct cscg_layout l;
	struct cscg_adjacency web;
	int node[40], first[41], n;

	need(cscg_adjacency_new(&web, g, &err) == 0 ? &web : NULL);
	ok(web.first[1] == 3 && web.to[0] == 1 && web.to[1] == 2 &&
		web.to[2] == 5,
	    "edges in both directions give one neighbour");
	ok(web.first[40] == 10, "5 undirected edges give 10 neighbours");
	n = cscg_adjacency_components(&web, node, first, &err);
	/* 0 1 2 5; 3 4; and 34 that are alone */
	ok(n == 36 && first[1] == 4 && first[2] == 6 && first[36] == 40,
	    "connected components are found");
	ok(node[3] == 5 && node[4] == 3, "components list their nodes");
	cscg_adjacency_free(&web);
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(all_finite(&l, 40),
	    "every node of 36 components has a finite position");
	ok(nearest(l.flat, 2, 40) > 0.5,
	    "nodes of 36 components do not overlap in 2D");
	ok(nearest(l.solid, 3, 40) > 0.5,
	    "nodes of 36 components do not overlap in 3D");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);

	g = wired(1, edge, 0, &room);
	ok(cscg_layout_new(&l, g, &err) == 0 && all_finite(&l, 1),
	    "a graph of one node has a layout");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
	g = wired(2, edge, 1, &room);
	ok(cscg_layout_new(&l, g, &err) == 0 &&
		near(between(l.flat, 2, 0, 1), 1, 1e-3),
	    "two nodes are at distance 1");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

/*
 * A complete graph: distances cannot all be one, but no two nodes may coincide.
 */
static void
crowd(void)
{
	int edge[12 * 12][2], n = 0, i, j;
	struct cscg_room *room;
	struct cscg_layout l;
	struct cscg_graph *g;

	for (i = 0; i < 12; i++)
		for (j = 0; j < 12; j++) {
			edge[n][0] = i;
			edge[n++][1] = j;
		}
	g = wired(12, (const int(*)[2])edge, n, &room);
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(all_finite(&l, 12) && nearest(l.flat, 2, 12) > 0.1,
	    "nodes of a complete graph do not coincide");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

static void
coords(void)
{
	struct cscg_room *room;
	struct cscg_graph *g = grid(3, 4, false, true, &room);
	struct cscg_layout l;
	double at[24];
	int v;

	/* Two metres apart, mirrored, and not at the origin. */
	for (v = 0; v < 12; v++) {
		at[2 * v] = 5 + v / 4 * 2;
		at[2 * v + 1] = 9 - v % 4 * 2;
	}
	g->coords = at;
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(l.has_coords && l.flat[0] == 3 && l.flat[1] == 0 &&
		l.flat[22] == 0 && l.flat[23] == 2,
	    "coordinates are kept, scaled by the length of a transition");
	cscg_layout_free(&l);
	at[0] = NAN;
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(!l.has_coords && all_finite(&l, 12),
	    "coordinates are not used if one is missing");
	cscg_layout_free(&l);
	at[0] = at[2];
	at[1] = at[3];
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(!l.has_coords && nearest(l.flat, 2, 12) > 0.5,
	    "coordinates are not used if two nodes coincide");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);

	/* Two halves of a stitched path whose coordinates are 11 apart. */
	g = grid(1, 12, false, true, &room);
	for (v = 0; v < 12; v++) {
		at[2 * v] = 0;
		at[2 * v + 1] = v < 6 ? v : v + 10;
	}
	g->coords = at;
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(l.has_coords, "coordinates of a room are used");
	cscg_layout_free(&l);
	g->count = need(calloc(48, sizeof *g->count));
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	ok(!l.has_coords && near(between(l.flat, 2, 5, 6), 1, 0.05),
	    "coordinates of a model with distant parts are not used");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

/*
 * An agent in 3 x 4 cells with the actions forward, left and right: state 4 *
 * cell + heading, clockwise from up. There is a wall between cells 1 and 2.
 */
static void
facing(void)
{
	static const int dy[] = { -1, 0, 1, 0 }, dx[] = { 0, 1, 0, -1 };
	static const char *const names[] = { "forward", "left", "right",
		NULL };
	struct cscg_room *room = need(cscg_room_new(48, 3, 1, &err));
	struct cscg_edge e[3 * 48];
	struct cscg_layout l;
	struct cscg_graph *g;
	double worst = 0, x, y;
	int v, cell, h, to, n = 0;

	for (v = 0; v < 48; v++) {
		cell = v / 4;
		h = v % 4;
		to = cell + 4 * dy[h] + dx[h];
		if (cell / 4 + dy[h] < 0 || cell / 4 + dy[h] > 2 ||
		    cell % 4 + dx[h] < 0 || cell % 4 + dx[h] > 3 ||
		    cell + to == 3)
			to = cell;
		e[n++] = (struct cscg_edge){ 0, v, 4 * to + h, 1 };
		e[n++] = (struct cscg_edge){ 1, v, 4 * cell + (h + 3) % 4, 1 };
		e[n++] = (struct cscg_edge){ 2, v, 4 * cell + (h + 1) % 4, 1 };
	}
	cscg_room_set_edges(room, e, n, &err);
	cscg_names_set(&room->actions, names, &err);
	g = need(cscg_graph_of_room(room, 0, &err));
	need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
	for (v = 0; v < 48; v++) {
		x = 3 * (v / 4 % 4) + 0.75 * dx[v % 4];
		y = 3 * (v / 16) + 0.75 * dy[v % 4];
		worst = fmax(worst, fabs(l.flat[2 * v] - l.flat[0] - x));
		worst = fmax(worst,
		    fabs(l.flat[2 * v + 1] - l.flat[1] - y - 0.75));
	}
	ok(worst < 0.05, "an agent with forward and turns gives a floor plan");
	cscg_layout_free(&l);
	cscg_graph_free(g);
	cscg_room_free(room);
}

/*
 * Some names give the direction of an action; the other pair gets the other
 * axis.
 */
static void
names(void)
{
	/* the first pair leads from row to row, the other along them */
	static const char *const set[][5] = {
		{ "left", "right", "forward", "back", NULL },
		{ "left", "right", "push", "pull", NULL },
		{ "in", "out", "north", "south", NULL },
	};
	struct cscg_layout l;
	struct cscg_room *room;
	struct cscg_graph *g;
	size_t i;

	for (i = 0; i < sizeof set / sizeof *set; i++) {
		g = grid(3, 4, false, true, &room);
		cscg_graph_free(g);
		cscg_names_free(&room->actions);
		cscg_names_set(&room->actions, set[i], &err);
		g = need(cscg_graph_of_room(room, 0, &err));
		need(cscg_layout_new(&l, g, &err) == 0 ? &l : NULL);
		/* Actions without such a name may be mirrored. */
		ok((i == 2 || near(l.flat[8] - l.flat[0], 1, 1e-3)) &&
			(i == 1 || near(l.flat[3] - l.flat[1], 1, 1e-3)),
		    "%s, %s: displacements have the direction of the name",
		    set[i][0], set[i][2]);
		cscg_layout_free(&l);
		cscg_graph_free(g);
		cscg_room_free(room);
	}
}

int
main(void)
{
	path();
	names();
	grids();
	facing();
	torus(8, 20);
	torus(20, 8);
	parts();
	crowd();
	coords();
	return done();
}
