/*
 * compose.c - several rooms as one: overlapping, or side by side with doors
 *
 * Of the possible overlaps of two rooms, only shifts of the second along the
 * row are used, as in a written number, and of these the largest with the
 * requested overlap.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "core/graph.h"
#include "world/compose.h"
#include "world/grid.h"
#include "world/room.h"

/*
 * The two grids and the offset of the second: column c of b is column c +
 * shift.
 */
struct pair {
	struct cscg_grid *a, *b;
	int shift;
};

static bool
open_at(const struct cscg_grid *grid, int r, int c)
{
	return r >= 0 && r < grid->rows && c >= 0 && c < grid->cols &&
	    grid->cell[(long)r * grid->cols + c] != '.';
}

static long
count_shared(const struct pair *p)
{
	long n = 0;
	int r, c;

	for (r = 0; r < p->a->rows; r++)
		for (c = 0; c < p->a->cols; c++)
			n += open_at(p->a, r, c) &&
			    open_at(p->b, r, c - p->shift);
	return n;
}

/* The column of the union that is column 0 of a. */
static int
left_edge(const struct pair *p)
{
	return p->shift < 0 ? -p->shift : 0;
}

/*
 * Copy the cells of from to column col on; a cell blocked in either grid stays
 * blocked.
 */
static void
copy_cells(const struct cscg_grid *from, int col, struct cscg_grid *to)
{
	int r, c;

	for (r = 0; r < from->rows; r++)
		for (c = 0; c < from->cols; c++) {
			long at = (long)r * to->cols + c + col;

			if (!open_at(from, r, c))
				continue;
			to->cell[at] = '#';
			to->blocked[at] |=
			    from->blocked[(long)r * from->cols + c];
		}
}

static struct cscg_grid *
overlay(const struct pair *p, struct cscg_err *err)
{
	int left = left_edge(p);
	int rows = p->a->rows > p->b->rows ? p->a->rows : p->b->rows;
	long right_a = (long)left + p->a->cols;
	long right_b = (long)left + p->shift + p->b->cols;
	long cols = right_a > right_b ? right_a : right_b;
	struct cscg_grid *grid;

	if (rows * cols > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "together they have more than %d cells", CSCG_NODE_MAX);
		return NULL;
	}
	grid = cscg_grid_new(rows, (int)cols, false, err);
	if (grid) {
		copy_cells(p->a, left, grid);
		copy_cells(p->b, left + p->shift, grid);
	}
	return grid;
}

/*
 * Whether every cell can be reached from every other: 1, 0, or -1 with err
 * filled.
 */
static int
is_connected(const struct cscg_grid *grid, struct cscg_err *err)
{
	static const int dr[] = { -1, 1, 0, 0 }, dc[] = { 0, 0, -1, 1 };
	int n = grid->rows * grid->cols, n_open = 0, v, a, r, c, all;
	struct cscg_bfs search = { 0 };

	if (cscg_bfs_fit(&search, n, err) < 0)
		return -1;
	for (v = 0; v < n; v++)
		if (grid->cell[v] != '.' && !n_open++)
			cscg_bfs_reach(&search, v, -1, -1);
	while ((v = cscg_bfs_next(&search)) >= 0)
		for (a = 0; a < 4; a++) {
			r = v / grid->cols + dr[a];
			c = v % grid->cols + dc[a];
			if (open_at(grid, r, c))
				cscg_bfs_reach(&search, r * grid->cols + c, v,
				    a);
		}
	all = search.n_reached == n_open;
	cscg_bfs_free(&search);
	return all;
}

/* The union at the best shift, or NULL with err filled. */
static struct cscg_grid *
find_union(struct pair *p, int shared, struct cscg_err *err)
{
	struct cscg_grid *grid;
	int connected;

	for (p->shift = p->a->cols; p->shift >= -p->b->cols; p->shift--) {
		if (count_shared(p) < shared)
			continue;
		grid = overlay(p, err);
		connected = grid ? is_connected(grid, err) : -1;
		if (connected > 0)
			return grid;
		cscg_grid_free(grid);
		if (connected < 0)
			return NULL;
	}
	cscg_fail(err, CSCG_EMISMATCH,
	    "no shift along the row makes the rooms share %d cells in one "
	    "piece",
	    shared);
	return NULL;
}

static void
mark_parts(struct cscg_room *room, const struct pair *p)
{
	int v, left = left_edge(p);

	for (v = 0; v < room->n_nodes; v++) {
		int r = (int)room->coords[2 * v];
		int c = (int)room->coords[2 * v + 1] - left;
		bool in_a = open_at(p->a, r, c);
		bool in_b = open_at(p->b, r, c - p->shift);

		room->part[v] = in_a && in_b ? -1 : in_b;
	}
}

static struct cscg_grid *
get_grid(const struct cscg_room *room, struct cscg_err *err)
{
	if (room->wrap_rows || room->wrap_cols) {
		cscg_fail(err, CSCG_EMISMATCH, "its edges wrap");
		return NULL;
	}
	return cscg_grid_from_room(room, NULL, err);
}

struct cscg_room *
cscg_compose_overlap(const struct cscg_room *a, const struct cscg_room *b,
    int shared, struct cscg_err *err)
{
	const struct cscg_room *const both[] = { a, b };
	struct cscg_room *room = NULL;
	struct cscg_grid *grid = NULL;
	struct pair p = { NULL, NULL, 0 };
	int rc = -1;

	p.a = get_grid(a, err);
	if (!p.a) {
		cscg_fail_at(err, "the first room");
		goto out;
	}
	p.b = get_grid(b, err);
	if (!p.b) {
		cscg_fail_at(err, "the second room");
		goto out;
	}
	grid = find_union(&p, shared, err);
	room = grid ? cscg_grid_to_room(grid, false, err) : NULL;
	if (!room || cscg_room_init_parts(room, both, 2, err) < 0)
		goto out;
	mark_parts(room, &p);
	rc = 0;
out:
	cscg_grid_free(p.a);
	cscg_grid_free(p.b);
	cscg_grid_free(grid);
	if (rc < 0) {
		cscg_room_free(room);
		room = NULL;
	}
	return room;
}

/*
 * rooms side by side as one room
 */

/* The rooms, and the numbers of their nodes and actions in the joined room. */
struct joining {
	const struct cscg_room *const *room;
	int n;
	int *base; /* [n + 1] the first node of each part */
	int *
	    action; /* [n * n_actions] action of the joined room for each action */
	bool *
	    door; /* [n_actions * all nodes] whether a door replaces the transition */
	struct cscg_room *whole;
};

static int
count_nodes(struct joining *job, struct cscg_err *err)
{
	long n = 0;
	int k;

	for (k = 0; k < job->n; k++) {
		job->base[k] = (int)n;
		n += job->room[k]->n_nodes;
		if (n > CSCG_NODE_MAX)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "together they have more than %d nodes",
			    CSCG_NODE_MAX);
	}
	job->base[job->n] = (int)n;
	return 0;
}

static int
match_actions(struct joining *job, struct cscg_err *err)
{
	const struct cscg_room *like = job->room[0];
	int k;

	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];

		if (r->n_actions != like->n_actions)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "room %d has %d actions, but room 0 has %d", k,
			    r->n_actions, like->n_actions);
		if (cscg_names_map(&r->actions, r->n_actions, &like->actions,
			like->n_actions, "action",
			job->action + (size_t)k * like->n_actions, err) < 0)
			return cscg_fail_at(err, "room %d", k);
	}
	return 0;
}

/* All transitions except those that doors replace, then the doors. */
static int
set_edges(struct joining *job, const struct cscg_door *door, long n_doors,
    struct cscg_err *err)
{
	int n_actions = job->room[0]->n_actions, n_nodes = job->base[job->n];
	struct cscg_edge *e;
	long max = n_doors, n = 0, i;
	int k, a, v, rc;

	for (k = 0; k < job->n; k++)
		max += job->room[k]
			   ->first[(long)n_actions * job->room[k]->n_nodes];
	e = cscg_alloc(max, sizeof *e, err);
	if (!e)
		return -1;
	for (i = 0; i < n_doors; i++) {
		struct cscg_edge to = {
			job->action[door[i].part * n_actions + door[i].a],
			job->base[door[i].part] + door[i].node,
			job->base[door[i].to_part] + door[i].to, 1
		};

		/*
		 * Of two doors with the same node and action the first one is
		 * used.
		 */
		if (!job->door[(long)to.a * n_nodes + to.from])
			e[n++] = to;
		job->door[(long)to.a * n_nodes + to.from] = true;
	}
	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];

		for (a = 0; a < n_actions; a++)
			for (v = 0; v < r->n_nodes; v++) {
				const long *f = r->first +
				    (long)a * r->n_nodes + v;
				int as = job->action[k * n_actions + a];
				int from = job->base[k] + v;

				if (job->door[(long)as * n_nodes + from])
					continue;
				for (i = f[0]; i < f[1]; i++)
					e[n++] = (struct cscg_edge){ as, from,
						job->base[k] + r->to[i],
						r->p[i] };
			}
	}
	rc = cscg_room_set_edges(job->whole, e, n, err);
	free(e);
	return rc;
}

static int
set_frontiers(struct joining *job, struct cscg_err *err)
{
	int a, v;

	for (v = 0; v < job->whole->n_nodes; v++)
		for (a = 0; a < job->whole->n_actions; a++)
			if (job->door[(long)a * job->whole->n_nodes + v] &&
			    cscg_room_add_frontier(job->whole, v, a, err) < 0)
				return -1;
	return 0;
}

/* Coordinates, and the common grid if every room has one. */
static int
set_coords(struct joining *job, const double *offset, struct cscg_err *err)
{
	struct cscg_room *whole = job->whole;
	double rows = 0, cols = 0;
	bool grid = true;
	int k, v;

	for (k = 0; k < job->n; k++)
		if (!job->room[k]->coords)
			return 0;
	whole->coords = cscg_alloc(2 * (size_t)whole->n_nodes,
	    sizeof *whole->coords, err);
	if (!whole->coords)
		return -1;
	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];
		double *to = whole->coords + 2 * (size_t)job->base[k];
		double dr = offset[2 * k], dc = offset[2 * k + 1];

		for (v = 0; v < r->n_nodes; v++) {
			to[2 * v] = r->coords[2 * v] + dr;
			to[2 * v + 1] = r->coords[2 * v + 1] + dc;
		}
		grid &= r->rows > 0 && dr >= 0 && dc >= 0;
		rows = r->rows + dr > rows ? r->rows + dr : rows;
		cols = r->cols + dc > cols ? r->cols + dc : cols;
	}
	if (grid && rows <= CSCG_NODE_MAX && cols <= CSCG_NODE_MAX) {
		whole->rows = (int)rows;
		whole->cols = (int)cols;
	}
	return 0;
}

static void
set_parts(struct joining *job)
{
	int k, v;

	for (k = 0; k < job->n; k++)
		for (v = job->base[k]; v < job->base[k + 1]; v++)
			job->whole->part[v] = k;
}

/*
 * Symbol 0 for the interiors; other symbols start at 1, or at 0 without
 * interiors.
 */
static int
label_border(struct joining *job, struct cscg_err *err)
{
	int k, v, own = 0, inside = 0;

	for (k = 0; k < job->n; k++) {
		const struct cscg_room *r = job->room[k];
		struct cscg_grid *grid = cscg_grid_from_room(r, NULL, err);
		int *obs = job->whole->obs + job->base[k];

		if (!grid)
			return cscg_fail_at(err, "room %d", k);
		for (v = 0; v < r->n_nodes; v++) {
			bool in = cscg_grid_is_interior(grid,
			    (int)r->coords[2 * v], (int)r->coords[2 * v + 1]);

			obs[v] = in ? -1 : own++;
			inside |= in;
		}
		cscg_grid_free(grid);
	}
	for (v = 0; v < job->whole->n_nodes; v++)
		job->whole->obs[v] = job->whole->obs[v] < 0 ?
		    0 :
		    job->whole->obs[v] + inside;
	job->whole->n_obs = own + inside;
	return 0;
}

static int
label_distinct(struct joining *job, struct cscg_err *err)
{
	long n = 0;
	int k, v;

	for (k = 0; k < job->n; k++) {
		for (v = 0; v < job->room[k]->n_nodes; v++)
			job->whole->obs[job->base[k] + v] =
			    job->room[k]->obs[v] + (int)n;
		n += job->room[k]->n_obs;
		if (n > CSCG_OBS_MAX)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "together they have more than %d symbols",
			    CSCG_OBS_MAX);
	}
	job->whole->n_obs = (int)n;
	return 0;
}

static int
label_shared(struct joining *job, struct cscg_err *err)
{
	struct cscg_dict dict = { .slot = NULL };
	bool named = true;
	int k, v, x, n = 0, rc = 0;

	for (k = 0; k < job->n; k++) {
		named &= job->room[k]->symbols.n > 0;
		n = job->room[k]->n_obs > n ? job->room[k]->n_obs : n;
	}
	for (k = 0; named && rc >= 0 && k < job->n; k++)
		for (x = 0; rc >= 0 && x < job->room[k]->n_obs; x++)
			rc = cscg_dict_add(&dict, job->room[k]->symbols.v[x],
			    err);
	for (k = 0; rc >= 0 && k < job->n; k++)
		for (v = 0; v < job->room[k]->n_nodes; v++) {
			x = job->room[k]->obs[v];
			job->whole->obs[job->base[k] + v] = !named ?
			    x :
			    cscg_dict_find(&dict, job->room[k]->symbols.v[x]);
		}
	job->whole->n_obs = named ? dict.names.n : n;
	if (named && rc >= 0)
		rc = cscg_names_copy(&job->whole->symbols, &dict.names, err);
	cscg_dict_free(&dict);
	return rc < 0 ? -1 : 0;
}

static int
assign_symbols(struct joining *job, enum cscg_compose_symbols symbols,
    struct cscg_err *err)
{
	switch (symbols) {
	case CSCG_COMPOSE_BORDER:
		return label_border(job, err);
	case CSCG_COMPOSE_DISTINCT:
		return label_distinct(job, err);
	case CSCG_COMPOSE_SHARED:
		break;
	}
	return label_shared(job, err);
}

static int
init_joining(struct joining *job, struct cscg_err *err)
{
	int n_actions = job->room[0]->n_actions;

	job->base = cscg_alloc((size_t)job->n + 1, sizeof *job->base, err);
	job->action = cscg_alloc((size_t)job->n * n_actions,
	    sizeof *job->action, err);
	if (!job->base || !job->action || count_nodes(job, err) < 0 ||
	    match_actions(job, err) < 0)
		return -1;
	job->door = cscg_alloc((size_t)n_actions * job->base[job->n],
	    sizeof *job->door, err);
	job->whole = job->door ?
	    cscg_room_new(job->base[job->n], n_actions, 1, err) :
	    NULL;
	if (!job->whole)
		return -1;
	if (cscg_names_copy(&job->whole->actions, &job->room[0]->actions,
		err) < 0)
		return -1;
	return cscg_room_init_parts(job->whole, job->room, job->n, err);
}

struct cscg_room *
cscg_compose_join(const struct cscg_room *const *room, int n,
    const double *offset, const struct cscg_door *door, long n_doors,
    enum cscg_compose_symbols symbols, struct cscg_err *err)
{
	struct joining job = { .room = room, .n = n };
	int rc = -1;

	if (init_joining(&job, err) < 0 ||
	    set_edges(&job, door, n_doors, err) < 0 ||
	    set_frontiers(&job, err) < 0 ||
	    set_coords(&job, offset, err) < 0 ||
	    assign_symbols(&job, symbols, err) < 0)
		goto out;
	set_parts(&job);
	rc = 0;
out:
	free(job.base);
	free(job.action);
	free(job.door);
	if (rc < 0) {
		cscg_room_free(job.whole);
		job.whole = NULL;
	}
	return job.whole;
}

/*
 * positions and doors of rooms cut from grids
 *
 * Rooms side by side meet in lines: rows if one is left of the other, columns
 * if one is above the other.  On each line the last cell of the first room
 * faces the first cell of the second.  A room need not be a rectangle, so only
 * the lines with the smallest distance are borders.
 */

enum { GAP = 1 }; /* empty rows and columns between rooms */

/* One room of the layout. */
struct block {
	const struct cscg_room *room;
	struct cscg_grid *grid;
	int *node;                  /* node of each cell */
	int row, col;               /* position of its first cell */
	int way[CSCG_GRID_ACTIONS]; /* its numbers of the actions up, down,
	                               ... */
};

struct layout {
	const struct cscg_compose_plan *plan;
	struct block *block;
	int n;
	struct cscg_door *door;
	size_t n_doors, cap_doors;
};

/* Two neighbours; the second is to the right of the first, or below it. */
struct neighbours {
	int a, b;
	bool below;
};

/* A pair of cells that face each other. */
struct facing {
	int a, b;     /* nodes */
	int distance; /* number of cells between them */
};

static int
get_block(struct block *b, const struct cscg_room *room, int k,
    struct cscg_err *err)
{
	int a;

	b->room = room;
	b->grid = cscg_grid_from_room(room, &b->node, err);
	if (!b->grid)
		return cscg_fail_at(err, "room %d", k);
	for (a = 0; a < CSCG_GRID_ACTIONS; a++)
		b->way[a] = cscg_names_find(&room->actions,
		    cscg_grid_actions[a]);
	return 0;
}

/* A row is as high as its highest room, a column as wide as its widest. */
static int
set_offsets(struct layout *job, double *offset, struct cscg_err *err)
{
	const struct cscg_compose_plan *plan = job->plan;
	long *high = cscg_alloc((size_t)plan->rows + 1, sizeof *high, err);
	long *wide = cscg_alloc((size_t)plan->cols + 1, sizeof *wide, err);
	int k, rc = -1;

	if (!high || !wide)
		goto out;
	for (k = 0; k < job->n; k++) {
		long *h = high + k / plan->cols + 1,
		     *w = wide + k % plan->cols + 1;
		struct cscg_grid *grid = job->block[k].grid;

		*h = grid->rows + GAP > *h ? grid->rows + GAP : *h;
		*w = grid->cols + GAP > *w ? grid->cols + GAP : *w;
	}
	for (k = 0; k < plan->rows; k++)
		high[k + 1] += high[k];
	for (k = 0; k < plan->cols; k++)
		wide[k + 1] += wide[k];
	if (high[plan->rows] > CSCG_NODE_MAX ||
	    wide[plan->cols] > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "together they have more than %d rows or columns",
		    CSCG_NODE_MAX);
		goto out;
	}
	for (k = 0; k < job->n; k++) {
		offset[2 * k] = job->block[k].row = (int)high[k / plan->cols];
		offset[2 * k + 1] = job->block[k].col =
		    (int)wide[k % plan->cols];
	}
	rc = 0;
out:
	free(high);
	free(wide);
	return rc;
}

static bool
is_frontier(const struct cscg_room *room, int node, int a)
{
	long i;

	for (i = 0; i < room->n_frontiers; i++)
		if (room->frontier[i].state == node &&
		    room->frontier[i].a == a)
			return true;
	return false;
}

/*
 * The outermost cell of a block on a line in the direction of action a: its
 * node, and *at, its position along the line; -1 if the block has no such
 * cell, or no wall there, or a door is not permitted there.  Lines and
 * positions are those of the joined room.
 */
static int
outermost(const struct block *b, bool below, int a, int line, int *at)
{
	const struct cscg_grid *grid = b->grid;
	int n = below ? grid->rows : grid->cols, i, j, r, c;

	line -= below ? b->col : b->row;
	if (line < 0 || line >= (below ? grid->cols : grid->rows))
		return -1;
	for (i = 0; i < n; i++) {
		j = a == CSCG_RIGHT || a == CSCG_DOWN ? n - 1 - i : i;
		r = below ? j : line;
		c = below ? line : j;
		if (grid->cell[(long)r * grid->cols + c] == '.')
			continue;
		*at = j + (below ? b->row : b->col);
		j = b->node[(long)r * grid->cols + c];
		if (cscg_room_successor(b->room, b->way[a], j) != j ||
		    (b->room->n_frontiers &&
			!is_frontier(b->room, j, b->way[a])))
			return -1;
		return j;
	}
	return -1;
}

/* All lines on which the blocks face each other at the smallest distance. */
static int
find_facing(const struct layout *job, const struct neighbours *m,
    struct facing **facing, int *n, struct cscg_err *err)
{
	const struct block *a = job->block + m->a, *b = job->block + m->b;
	int there = m->below ? CSCG_DOWN : CSCG_RIGHT;
	int back = m->below ? CSCG_UP : CSCG_LEFT;
	int from = m->below ? a->col : a->row, at_a, at_b, i, kept = 0;
	int lines = m->below ? a->grid->cols : a->grid->rows, least = 0;
	struct facing *f = cscg_alloc(lines, sizeof *f, err);

	*n = 0;
	if (!f)
		return -1;
	for (i = from; i < from + lines; i++) {
		f[*n].a = outermost(a, m->below, there, i, &at_a);
		f[*n].b = outermost(b, m->below, back, i, &at_b);
		if (f[*n].a < 0 || f[*n].b < 0)
			continue;
		f[*n].distance = at_b - at_a;
		if (!*n || f[*n].distance < least)
			least = f[*n].distance;
		++*n;
	}
	for (i = 0; i < *n; i++)
		if (f[i].distance == least)
			f[kept++] = f[i];
	*n = kept;
	*facing = f;
	return 0;
}

static int
add_door(struct layout *job, const struct neighbours *m, int node_a,
    int node_b, struct cscg_err *err)
{
	const struct block *a = job->block + m->a, *b = job->block + m->b;

	if (cscg_grow(&job->door, &job->cap_doors, job->n_doors + 2,
		sizeof *job->door, err) < 0)
		return -1;
	job->door[job->n_doors++] = (struct cscg_door){ m->a, node_a,
		a->way[m->below ? CSCG_DOWN : CSCG_RIGHT], m->b, node_b };
	job->door[job->n_doors++] = (struct cscg_door){ m->b, node_b,
		b->way[m->below ? CSCG_UP : CSCG_LEFT], m->a, node_a };
	return 0;
}

static int
fail_no_door(const struct neighbours *m, struct cscg_err *err)
{
	return cscg_fail(err, CSCG_EMISMATCH,
	    "no position for a door of width 1 between room %d and room %d, "
	    "the latter %s",
	    m->a, m->b, m->below ? "below it" : "to its right");
}

/* A door on one of the lines on which the rooms face each other. */
static int
choose_door(struct layout *job, const struct neighbours *m,
    struct cscg_err *err)
{
	struct cscg_rng *rng = job->plan->rng;
	struct facing *f;
	int n, i, rc;

	if (find_facing(job, m, &f, &n, err) < 0)
		return -1;
	i = rng && n ? (int)cscg_rng_below(rng, n) : n / 2;
	rc = n ? add_door(job, m, f[i].a, f[i].b, err) : fail_no_door(m, err);
	free(f);
	return rc;
}

/*
 * The next frontier of a room with action a, from i on; n_frontiers if there is
 * no further one.
 */
static long
next_frontier(const struct cscg_room *room, int a, long i)
{
	while (i < room->n_frontiers && room->frontier[i].a != a)
		i++;
	return i;
}

/* Both rooms have frontiers: join them in order. */
static int
join_frontiers(struct layout *job, const struct neighbours *m,
    struct cscg_err *err)
{
	const struct block *a = job->block + m->a, *b = job->block + m->b;
	int there = a->way[m->below ? CSCG_DOWN : CSCG_RIGHT];
	int back = b->way[m->below ? CSCG_UP : CSCG_LEFT], n = 0;
	long i = next_frontier(a->room, there, 0);
	long j = next_frontier(b->room, back, 0);

	while (i < a->room->n_frontiers && j < b->room->n_frontiers) {
		if (add_door(job, m, a->room->frontier[i].state,
			b->room->frontier[j].state, err) < 0)
			return -1;
		i = next_frontier(a->room, there, i + 1);
		j = next_frontier(b->room, back, j + 1);
		n++;
	}
	return n ? 0 : fail_no_door(m, err);
}

static int
connect_neighbours(struct layout *job, int a, int b, bool below,
    struct cscg_err *err)
{
	struct neighbours m = { a, b, below };

	if (b >= job->n)
		return 0;
	if (job->block[a].room->n_frontiers && job->block[b].room->n_frontiers)
		return join_frontiers(job, &m, err);
	return choose_door(job, &m, err);
}

static int
lay_out(struct layout *job, const struct cscg_room *const *room,
    double *offset, struct cscg_err *err)
{
	int cols = job->plan->cols, k;

	for (k = 0; k < job->n; k++)
		if (get_block(job->block + k, room[k], k, err) < 0)
			return -1;
	if (set_offsets(job, offset, err) < 0)
		return -1;
	for (k = 0; k < job->n; k++)
		if ((k % cols < cols - 1 &&
			connect_neighbours(job, k, k + 1, false, err) < 0) ||
		    connect_neighbours(job, k, k + cols, true, err) < 0)
			return -1;
	return 0;
}

int
cscg_compose_layout(const struct cscg_room *const *room, int n,
    const struct cscg_compose_plan *plan, double *offset,
    struct cscg_door **door, long *n_doors, struct cscg_err *err)
{
	struct layout job = { .plan = plan, .n = n };
	int k, rc = -1;

	job.block = cscg_alloc(n, sizeof *job.block, err);
	if (job.block)
		rc = lay_out(&job, room, offset, err);
	for (k = 0; job.block && k < n; k++) {
		cscg_grid_free(job.block[k].grid);
		free(job.block[k].node);
	}
	free(job.block);
	if (rc < 0) {
		free(job.door);
		return -1;
	}
	*door = job.door;
	*n_doors = (long)job.n_doors;
	return 0;
}
