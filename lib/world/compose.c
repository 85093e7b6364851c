/*
 * compose.c - two rooms cut from grids as one room, overlapping
 *
 * A room that is drawn on the same picture twice could overlap in many ways.
 * Shifting along the row puts digits side by side, as one writes them, and the
 * largest shift makes the overlap as small as it is asked to be.
 */
#include <stdlib.h>
#include <string.h>

#include "world/compose.h"
#include "world/grid.h"
#include "base/mem.h"
#include "world/parts.h"

/* The two grids, and the second's place: column c of b is column c + shift. */
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

/* The column of the union that column 0 of a becomes. */
static int
left_edge(const struct pair *p)
{
	return p->shift < 0 ? -p->shift : 0;
}

/* Copy cells of from to column col on; what one keeps shut stays shut. */
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
			to->blocked[at] |= from->blocked[(long)r * from->cols + c];
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
		cscg_fail(err, CSCG_EMISMATCH, "together they have more than "
		    "%d cells", CSCG_NODE_MAX);
		return NULL;
	}
	grid = cscg_grid_new(rows, (int)cols, false, err);
	if (grid) {
		copy_cells(p->a, left, grid);
		copy_cells(p->b, left + p->shift, grid);
	}
	return grid;
}

/* Can every cell be reached from every other?  1, 0, or -1 with err filled. */
static int
is_connected(const struct cscg_grid *grid, struct cscg_err *err)
{
	static const int dr[] = { -1, 1, 0, 0 }, dc[] = { 0, 0, -1, 1 };
	long n = (long)grid->rows * grid->cols, i, head = 0, tail = 0, open = 0;
	long *queue = cscg_alloc(n, sizeof *queue, err);
	char *seen = queue ? cscg_alloc(n, 1, err) : NULL;
	int a;

	for (i = 0; seen && i < n; i++) {
		if (grid->cell[i] == '.')
			continue;
		if (!open++) {
			queue[tail++] = i;
			seen[i] = 1;
		}
	}
	for (; head < tail; head++)
		for (a = 0; a < 4; a++) {
			int r = (int)(queue[head] / grid->cols) + dr[a];
			int c = (int)(queue[head] % grid->cols) + dc[a];
			long at = (long)r * grid->cols + c;

			if (!open_at(grid, r, c) || seen[at])
				continue;
			seen[at] = 1;
			queue[tail++] = at;
		}
	free(queue);
	a = !seen ? -1 : tail == open;
	free(seen);
	return a;
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
	cscg_fail(err, CSCG_EMISMATCH, "no shift along the row makes the rooms "
	    "share %d cells in one piece", shared);
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
		cscg_fail(err, CSCG_EMISMATCH, "its edges are joined");
		return NULL;
	}
	return cscg_grid_from_room(room, NULL, err);
}

struct cscg_room *
cscg_compose_overlap(const struct cscg_room *a, const struct cscg_room *b, int shared,
    struct cscg_err *err)
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
