/*
 * join_plan.c - places and doors for rooms cut from grids
 *
 * Rooms side by side meet in lines: rows if one is left of the other, columns
 * if one is above.  On each line the last cell of the first room faces the
 * first cell of the second.  A room need not be a rectangle, so only the lines
 * on which they are closest are borders.
 */
#include <stdlib.h>
#include <string.h>

#include "world/grid.h"
#include "world/join.h"
#include "base/mem.h"

/* One room of the plan. */
struct block {
	const struct cscg_room *room;
	struct cscg_grid *grid;
	int *node;		/* of each cell */
	int row, col;		/* where its first cell goes */
	int way[CSCG_GRID_ACTIONS];	/* what it calls up, down, ... */
};

struct layout {
	const struct cscg_compose_plan *plan;
	struct block *block;
	int n;
	struct cscg_door *door;
	size_t n_doors, cap_doors;
	bool *used;		/* [n_ways] */
};

/* Two neighbours; the second is to the right of the first, or below it. */
struct neighbours {
	int a, b;
	bool below;
};

/* Where two blocks face each other. */
struct facing {
	int a, b;		/* nodes */
	int line, distance;		/* on this line, so many cells apart */
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

/* Rows are as high as their highest room, columns as wide as their widest. */
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
		long *h = high + k / plan->cols + 1, *w = wide +
		    k % plan->cols + 1;
		struct cscg_grid *grid = job->block[k].grid;

		*h = grid->rows + plan->gap > *h ? grid->rows + plan->gap : *h;
		*w = grid->cols + plan->gap > *w ? grid->cols + plan->gap : *w;
	}
	for (k = 0; k < plan->rows; k++)
		high[k + 1] += high[k];
	for (k = 0; k < plan->cols; k++)
		wide[k + 1] += wide[k];
	if (high[plan->rows] > CSCG_NODE_MAX ||
	    wide[plan->cols] > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_EMISMATCH, "together they have more than "
		    "%d rows or columns", CSCG_NODE_MAX);
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
		if (room->frontier[i].node == node && room->frontier[i].a == a)
			return true;
	return false;
}

/*
 * The outermost cell of a block on a line, seen by move a: its node, and *at,
 * its place along the line; -1 if there is none, no wall, or no door is
 * allowed there.  Lines and places are those of the whole.
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

/* All lines on which the blocks face each other as closely as anywhere. */
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
		f[*n].line = i;
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

/* Which ways may one go?  Bit 0: from a to b, bit 1: back. */
static int
directions(struct layout *job, const struct neighbours *m)
{
	int both = job->plan->one_way ? 1 : 3;
	long i;

	for (i = 0; i < job->plan->n_ways; i++) {
		const int *w = job->plan->way[i];

		if ((w[0] != m->a || w[1] != m->b) &&
		    (w[0] != m->b || w[1] != m->a))
			continue;
		both = w[0] == m->a ? 1 : 2;
		job->used[i] = true;
	}
	return both;
}

static int
add_door(struct layout *job, const struct neighbours *m, int node_a, int node_b,
    struct cscg_err *err)
{
	const struct block *a = job->block + m->a, *b = job->block + m->b;
	int open = directions(job, m);

	if (cscg_grow(&job->door, &job->cap_doors, job->n_doors + 2,
	    sizeof *job->door, err) < 0)
		return -1;
	if (open & 1)
		job->door[job->n_doors++] = (struct cscg_door){ m->a, node_a,
		    a->way[m->below ? CSCG_DOWN : CSCG_RIGHT], m->b, node_b };
	if (open & 2)
		job->door[job->n_doors++] = (struct cscg_door){ m->b, node_b,
		    b->way[m->below ? CSCG_UP : CSCG_LEFT], m->a, node_a };
	return 0;
}

static int
fail_no_door(const struct neighbours *m, int width, struct cscg_err *err)
{
	return cscg_fail(err, CSCG_EMISMATCH, "there is no place for a door %d "
	    "wide between room %d and room %d, which is %s", width, m->a, m->b,
	    m->below ? "below it" : "to its right");
}

/* A door of width lines one after the other, among those that face. */
static int
choose_door(struct layout *job, const struct neighbours *m, struct cscg_err *err)
{
	int width = job->plan->width, n, n_starts = 0, i, pick, rc = 0;
	struct facing *f;

	if (find_facing(job, m, &f, &n, err) < 0)
		return -1;
	/* Keep in far of each whether a door can start here. */
	for (i = 0; i < n; i++) {
		f[i].distance = i + width <= n &&
		    f[i + width - 1].line - f[i].line == width - 1;
		n_starts += f[i].distance;
	}
	if (!n_starts) {
		free(f);
		return fail_no_door(m, width, err);
	}
	pick = job->plan->rng ? (int)cscg_rng_below(job->plan->rng, n_starts) :
	    n_starts / 2;
	for (i = 0; !f[i].distance || pick-- > 0; i++)
		;
	for (n = i; n < i + width && rc == 0; n++)
		rc = add_door(job, m, f[n].a, f[n].b, err);
	free(f);
	return rc;
}

/* The next frontier of a room by move a, from i on; n_frontiers: none. */
static long
next_frontier(const struct cscg_room *room, int a, long i)
{
	while (i < room->n_frontiers && room->frontier[i].a != a)
		i++;
	return i;
}

/* Both rooms know where their doors are: join them in order. */
static int
join_frontiers(struct layout *job, const struct neighbours *m, struct cscg_err *err)
{
	const struct block *a = job->block + m->a, *b = job->block + m->b;
	int there = a->way[m->below ? CSCG_DOWN : CSCG_RIGHT];
	int back = b->way[m->below ? CSCG_UP : CSCG_LEFT], n = 0;
	long i = next_frontier(a->room, there, 0);
	long j = next_frontier(b->room, back, 0);

	while (i < a->room->n_frontiers && j < b->room->n_frontiers) {
		if (add_door(job, m, a->room->frontier[i].node,
		    b->room->frontier[j].node, err) < 0)
			return -1;
		i = next_frontier(a->room, there, i + 1);
		j = next_frontier(b->room, back, j + 1);
		n++;
	}
	return n ? 0 : fail_no_door(m, 1, err);
}

static int
connect_neighbours(struct layout *job, int a, int b, bool below, struct cscg_err *err)
{
	struct neighbours m = { a, b, below };

	if (b >= job->n)
		return 0;
	if (job->block[a].room->n_frontiers && job->block[b].room->n_frontiers)
		return join_frontiers(job, &m, err);
	return choose_door(job, &m, err);
}

static int
check_one_way_doors(const struct layout *job, struct cscg_err *err)
{
	long i;

	for (i = 0; i < job->plan->n_ways; i++)
		if (!job->used[i])
			return cscg_fail(err, CSCG_EUSAGE, "there is no door "
			    "from room %d to room %d", job->plan->way[i][0],
			    job->plan->way[i][1]);
	return 0;
}

static int
lay_out(struct layout *job, const struct cscg_room *const *room, double *offset,
    struct cscg_err *err)
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
	return check_one_way_doors(job, err);
}

int
cscg_compose_layout(const struct cscg_room *const *room, int n,
    const struct cscg_compose_plan *plan, double *offset, struct cscg_door **door,
    long *n_doors, struct cscg_err *err)
{
	struct layout job = { .plan = plan, .n = n };
	int k, rc = -1;

	job.block = cscg_alloc(n, sizeof *job.block, err);
	job.used = job.block ? cscg_alloc(plan->n_ways, sizeof *job.used, err) :
	    NULL;
	if (job.used)
		rc = lay_out(&job, room, offset, err);
	for (k = 0; job.block && k < n; k++) {
		cscg_grid_free(job.block[k].grid);
		free(job.block[k].node);
	}
	free(job.block);
	free(job.used);
	if (rc < 0) {
		free(job.door);
		return -1;
	}
	*door = job.door;
	*n_doors = (long)job.n_doors;
	return 0;
}
