/*
 * voxel.c - 3D rooms of 1 m cells with floors, ramps, ledges and walls
 *
 * One-way transitions follow from the heights.  A mistake in a map can
 * therefore make a pit without an exit; so every floor must be reachable from
 * every other.  Turning is always possible, so that checking cells suffices.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "world/grid.h"
#include "world/room.h"
#include "world/voxel.h"
#include "world/voxel_io.h"

#define STEP 0.5      /* height in metres per digit */
#define CLIMB 0.3     /* largest step up, in metres */
#define ROUNDING 1e-9 /* tolerance: thirds of a metre are not exact */

const char *const cscg_voxel_actions[] = {
	[CSCG_FORWARD] = "forward",
	[CSCG_TURN_LEFT] = "left",
	[CSCG_TURN_RIGHT] = "right",
	NULL,
};

const char *const cscg_headings[] = {
	[CSCG_NORTH] = "north",
	[CSCG_EAST] = "east",
	[CSCG_SOUTH] = "south",
	[CSCG_WEST] = "west",
	NULL,
};

const int cscg_heading_row[] = { -1, 0, 1, 0 };
const int cscg_heading_col[] = { 0, 1, 0, -1 };

static const char ramps[] = "^>v<"; /* by heading */

struct cscg_voxel *
cscg_voxel_new(int rows, int cols, struct cscg_err *err)
{
	struct cscg_voxel *v = cscg_alloc(1, sizeof *v, err);
	size_t n = (size_t)rows * cols;

	if (!v)
		return NULL;
	v->rows = rows;
	v->cols = cols;
	v->cell = cscg_alloc(n, 1, err);
	v->wall = v->cell ? cscg_alloc(n, 1, err) : NULL;
	if (!v->wall) {
		cscg_voxel_free(v);
		return NULL;
	}
	memset(v->cell, ' ', n);
	return v;
}

void
cscg_voxel_free(struct cscg_voxel *v)
{
	if (!v)
		return;
	free(v->cell);
	free(v->wall);
	free(v->floor_cell);
	free(v->index);
	free(v->plane);
	free(v->part);
	free(v->exit);
	cscg_names_free(&v->parts);
	free(v);
}

bool
cscg_voxel_is_cell(char c)
{
	return c && strchr("0123456789^>v<# ", c);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
cscg_voxel_has_floor(const struct cscg_voxel *v, int cell)
{
	return v->cell[cell] != ' ' && v->cell[cell] != '#';
}

int
cscg_voxel_neighbour(const struct cscg_voxel *v, int cell, int heading)
{
	int row = cell / v->cols + cscg_heading_row[heading];
	int col = cell % v->cols + cscg_heading_col[heading];

	if (row < 0 || row >= v->rows || col < 0 || col >= v->cols)
		return -1;
	return row * v->cols + col;
}

void
cscg_voxel_set_wall(struct cscg_voxel *v, int cell, int heading, bool there)
{
	int other = cscg_voxel_neighbour(v, cell, heading);
	int back = (heading + 2) % CSCG_HEADINGS;

	if (other < 0)
		return;
	if (there) {
		v->wall[cell] |= (unsigned char)(1 << heading);
		v->wall[other] |= (unsigned char)(1 << back);
	} else {
		v->wall[cell] &= (unsigned char)~(1 << heading);
		v->wall[other] &= (unsigned char)~(1 << back);
	}
}

double
cscg_voxel_edge_height(const struct cscg_voxel *v, int cell, int heading)
{
	const struct cscg_plane *p = v->plane + cell;

	return p->z +
	    0.5 *
	    (p->east * cscg_heading_col[heading] +
		p->south * cscg_heading_row[heading]);
}

int
cscg_voxel_successor(const struct cscg_voxel *v, int cell, int heading)
{
	int other = cscg_voxel_neighbour(v, cell, heading);
	double rise;

	if (other < 0 || !cscg_voxel_has_floor(v, other) ||
	    v->wall[cell] >> heading & 1)
		return -1;
	rise = cscg_voxel_edge_height(v, other,
		   (heading + 2) % CSCG_HEADINGS) -
	    cscg_voxel_edge_height(v, cell, heading);
	return rise <= CLIMB + ROUNDING ? other : -1;
}

/* Follow a ramp to its end; *n counts its cells.  -1: no floor. */
static int
ramp_end(const struct cscg_voxel *v, int cell, int heading, int *n)
{
	char ramp = v->cell[cell];

	while (cell >= 0 && v->cell[cell] == ramp) {
		cell = cscg_voxel_neighbour(v, cell, heading);
		++*n;
	}
	return cell >= 0 && is_digit(v->cell[cell]) ? cell : -1;
}

static int
set_ramp(struct cscg_voxel *v, int cell, int heading, struct cscg_err *err)
{
	int ahead = 0, behind = 0;
	int top = ramp_end(v, cell, heading, &ahead);
	int foot = ramp_end(v, cell, (heading + 2) % CSCG_HEADINGS, &behind);
	struct cscg_plane *p = v->plane + cell;
	double low, rise;

	if (top < 0 || foot < 0)
		return cscg_fail(err, CSCG_EFORMAT,
		    "a ramp needs a floor before it and one behind it");
	low = STEP * (v->cell[foot] - '0');
	rise = STEP * (v->cell[top] - '0') - low;
	if (rise <= 0)
		return cscg_fail(err, CSCG_EFORMAT,
		    "a ramp rises to the %s, but the floor there is no higher",
		    cscg_headings[heading]);
	rise /= ahead + behind - 1; /* this cell was counted twice */
	p->z = low + rise * (behind - 0.5);
	p->east = rise * cscg_heading_col[heading];
	p->south = rise * cscg_heading_row[heading];
	return 0;
}

static int
set_floors(struct cscg_voxel *v, int *at, struct cscg_err *err)
{
	int n = v->rows * v->cols, i, h;

	for (i = 0; i < n; i++) {
		*at = i;
		if (is_digit(v->cell[i]))
			v->plane[i].z = STEP * (v->cell[i] - '0');
		for (h = 0; h < CSCG_HEADINGS; h++)
			if (v->cell[i] == ramps[h] &&
			    set_ramp(v, i, h, err) < 0)
				return -1;
	}
	return 0;
}

static int
number_cells(struct cscg_voxel *v, int *at, struct cscg_err *err)
{
	int n = v->rows * v->cols, i;

	*at = -1;
	for (i = 0; i < n; i++)
		v->n_cells += cscg_voxel_has_floor(v, i);
	if (v->n_cells == 0)
		return cscg_fail(err, CSCG_EFORMAT, "no floor");
	if (v->n_cells > CSCG_VOXEL_CELLS)
		return cscg_fail(err, CSCG_ERANGE,
		    "%d cells with a floor, more than %d", v->n_cells,
		    CSCG_VOXEL_CELLS);
	v->floor_cell = cscg_alloc((size_t)v->n_cells, sizeof *v->floor_cell,
	    err);
	if (!v->floor_cell)
		return -1;
	v->n_cells = 0;
	for (i = 0; i < n; i++) {
		v->index[i] = -1;
		if (cscg_voxel_has_floor(v, i)) {
			v->index[i] = v->n_cells;
			v->floor_cell[v->n_cells++] = i;
		}
	}
	return 0;
}

typedef bool passable_fn(const struct cscg_voxel *v, int cell, int heading);

/* Search from the cells reached so far, as far as edges are passable. */
static void
flood_fill(const struct cscg_voxel *v, passable_fn *passable,
    struct cscg_bfs *search)
{
	int cell, h, other;

	while ((cell = cscg_bfs_next(search)) >= 0)
		for (h = 0; h < CSCG_HEADINGS; h++) {
			other = cscg_voxel_neighbour(v, cell, h);
			if (other >= 0 && passable(v, cell, h))
				cscg_bfs_reach(search, other, cell, h);
		}
}

static bool
can_leave(const struct cscg_voxel *v, int cell, int heading)
{
	return cscg_voxel_successor(v, cell, heading) >= 0;
}

static bool
can_enter(const struct cscg_voxel *v, int cell, int heading)
{
	int other = cscg_voxel_neighbour(v, cell, heading);

	return cscg_voxel_has_floor(v, other) &&
	    cscg_voxel_successor(v, other, (heading + 2) % CSCG_HEADINGS) >= 0;
}

static bool
is_outside(const struct cscg_voxel *v, int cell, int heading)
{
	return v->cell[cscg_voxel_neighbour(v, cell, heading)] == ' ';
}

static int
check_holes(const struct cscg_voxel *v, struct cscg_bfs *search, int *at,
    struct cscg_err *err)
{
	int cells = v->rows * v->cols, i, h;

	for (i = 0; i < cells; i++)
		for (h = 0; h < CSCG_HEADINGS; h++)
			if (v->cell[i] == ' ' &&
			    cscg_voxel_neighbour(v, i, h) < 0)
				cscg_bfs_reach(search, i, -1, -1);
	flood_fill(v, is_outside, search);
	for (i = 0; i < cells; i++)
		if (v->cell[i] == ' ' && search->distance[i] < 0) {
			*at = i;
			return cscg_fail(err, CSCG_EFORMAT,
			    "a hole in the floor: draw '#' if it is solid");
		}
	return 0;
}

static int
check_reach(const struct cscg_voxel *v, passable_fn *passable, const char *why,
    struct cscg_bfs *search, int *at, struct cscg_err *err)
{
	int start = v->floor_cell[0], i;

	cscg_bfs_clear(search);
	cscg_bfs_reach(search, start, -1, -1);
	flood_fill(v, passable, search);
	for (i = 0; i < v->n_cells; i++)
		if (search->distance[v->floor_cell[i]] < 0) {
			*at = v->floor_cell[i];
			return cscg_fail(err, CSCG_EFORMAT, "%s %d,%d", why,
			    start / v->cols, start % v->cols);
		}
	return 0;
}

int
cscg_voxel_compute_floors(struct cscg_voxel *v, int *at, struct cscg_err *err)
{
	size_t n = (size_t)v->rows * v->cols;
	struct cscg_bfs search = { 0 };
	int rc = -1;

	*at = -1;
	if (cscg_bfs_fit(&search, (int)n, err) < 0)
		return -1;
	v->index = cscg_alloc(n, sizeof *v->index, err);
	v->plane = v->index ? cscg_alloc(n, sizeof *v->plane, err) : NULL;
	if (!v->plane)
		goto out;
	if (number_cells(v, at, err) < 0 || set_floors(v, at, err) < 0 ||
	    check_holes(v, &search, at, err) < 0 ||
	    check_reach(v, can_leave, "this floor cannot be reached from",
		&search, at, err) < 0 ||
	    check_reach(v, can_enter, "no path leads from here to", &search,
		at, err) < 0)
		goto out;
	rc = 0;
out:
	cscg_bfs_free(&search);
	return rc;
}

int
cscg_heading_parse(const char *word)
{
	int h;

	for (h = 0; h < CSCG_HEADINGS; h++)
		if (!strcmp(word, cscg_headings[h]))
			return h;
	return -1;
}

/*
 * built-in maps of 3D rooms
 *
 * They are compiled in as well as in data/rooms, so that an installed tool has
 * them.  Six rooms of different topology, and four of them joined.  Ramps are
 * wide and ledges few, since a state that is rarely reached is rarely learned.
 */

/* clang-format off */
static const struct layout {
	const char *name, *text;
} layouts[] = {
	{ "room1",
	"; hall: flat, with two pillars\n"
	"000000000\n"
	"000000000\n"
	"00#000#00\n"
	"000000000\n"
	"000000000\n" },
	{ "room2",
	"; ell: flat, L-shaped, with a pillar\n"
	"0000000\n"
	"0000000\n"
	"00#0000\n"
	"0000\n"
	"0000\n"
	"0000\n"
	"0000\n" },
	{ "room3",
	"; podium: 1 m high in a corner, two wide ramps, drops between them\n"
	"0>>2222\n"
	"0>>2222\n"
	"0000222\n"
	"0000^^0\n"
	"0000^^0\n"
	"0000000\n" },
	{ "room4",
	"; terrace: 1 m above the court, a wide ramp, ledges beside it\n"
	"2222222\n"
	"2222222\n"
	"00^^^00\n"
	"00^^^00\n"
	"0000000\n" },
	{ "room5",
	"; bridge: 1 m high and two cells wide, ramps at both ends\n"
	"00000000\n"
	"00000000\n"
	"0>>22<<0\n"
	"0>>22<<0\n"
	"00000000\n" },
	{ "room6",
	"; tower: two ramps wind up to a 2 m deck, from which one can drop\n"
	"0>>2222\n"
	"0>>2222\n"
	"00###vv\n"
	"0000#vv\n"
	"0000444\n"
	"0000444\n" },
	{ "compose4",
	"; rooms 3, 4, 1 and 6 side by side with six doors, two of them one-way\n"
	"0>>22222222222\n"
	"0>>22222222222\n"
	"000022200^^^00\n"
	"0000^^000^^^00\n"
	"0000^^00000000\n"
	"0000000##0>>2222\n"
	"0000000000>>2222\n"
	"00000000000###vv\n"
	"00#000#000000#vv\n"
	"0000000000000444\n"
	"0000000000000444\n"
	"\n"
	"part room3 0,0 6x7\n"
	"part room4 0,7 5x7\n"
	"part room1 6,0 5x9\n"
	"part room6 5,9 6x7\n"
	"door 2,6 east\n"
	"door 4,6 east\n"
	"door 5,3 south\n"
	"door 4,9 south\n"
	"door 5,12 north\n"
	"door 8,8 east\n" },
	{ NULL, NULL },
};
/* clang-format on */

const char *
cscg_voxel_layout_name(int i)
{
	return layouts[i].name;
}

const char *
cscg_voxel_layout_text(int i)
{
	return layouts[i].text;
}

/*
 * the room of a map of cells with heights
 */

#define BESIDE 0.25 /* metres from the centre, for drawing headings apart */

int
cscg_voxel_parse_pose(const char *word, int *row, int *col, int *heading)
{
	const char *comma = strchr(word, ',');
	char pair[32];

	comma = comma ? strchr(comma + 1, ',') : NULL;
	if (!comma || (size_t)(comma - word) >= sizeof pair)
		return -1;
	memcpy(pair, word, (size_t)(comma - word));
	pair[comma - word] = '\0';
	*heading = cscg_heading_parse(comma + 1);
	return *heading < 0 ? -1 : cscg_grid_parse_pair(pair, ',', row, col);
}

static int
set_edges(const struct cscg_voxel *v, struct cscg_room *room,
    struct cscg_err *err)
{
	struct cscg_edge *e = cscg_alloc(
	    (size_t)room->n_nodes * CSCG_VOXEL_ACTIONS, sizeof *e, err);
	int node, i, h, next, rc;
	long n = 0;

	if (!e)
		return -1;
	for (node = 0; node < room->n_nodes; node++) {
		i = node / CSCG_HEADINGS;
		h = node % CSCG_HEADINGS;
		next = cscg_voxel_successor(v, v->floor_cell[i], h);
		e[n++] = (struct cscg_edge){ CSCG_FORWARD, node,
			next < 0 ? node : CSCG_HEADINGS * v->index[next] + h,
			1 };
		e[n++] = (struct cscg_edge){ CSCG_TURN_LEFT, node,
			CSCG_HEADINGS * i + (h + 3) % CSCG_HEADINGS, 1 };
		e[n++] = (struct cscg_edge){ CSCG_TURN_RIGHT, node,
			CSCG_HEADINGS * i + (h + 1) % CSCG_HEADINGS, 1 };
	}
	rc = cscg_room_set_edges(room, e, n, err);
	free(e);
	return rc;
}

static void
set_coords(const struct cscg_voxel *v, struct cscg_room *room)
{
	int node;

	for (node = 0; node < room->n_nodes; node++) {
		int cell = v->floor_cell[node / CSCG_HEADINGS];
		int h = node % CSCG_HEADINGS;

		room->coords[2 * node] = cell / v->cols +
		    BESIDE * cscg_heading_row[h];
		room->coords[2 * node + 1] = cell % v->cols +
		    BESIDE * cscg_heading_col[h];
	}
}

static int
set_parts(const struct cscg_voxel *v, struct cscg_room *room,
    struct cscg_err *err)
{
	int node;
	long i;

	for (i = 0; i < v->n_exits; i++)
		if (cscg_room_add_frontier(room,
			CSCG_HEADINGS * v->index[v->exit[i].cell] +
			    v->exit[i].heading,
			CSCG_FORWARD, err) < 0)
			return -1;
	if (!v->part)
		return 0;
	room->part = cscg_alloc((size_t)room->n_nodes, sizeof *room->part,
	    err);
	if (!room->part || cscg_names_copy(&room->parts, &v->parts, err) < 0)
		return -1;
	for (node = 0; node < room->n_nodes; node++)
		room->part[node] =
		    v->part[v->floor_cell[node / CSCG_HEADINGS]];
	return 0;
}

struct cscg_room *
cscg_voxel_room_take(struct cscg_voxel *v, struct cscg_err *err)
{
	int n = CSCG_HEADINGS * v->n_cells;
	struct cscg_room *room = cscg_room_new(n, CSCG_VOXEL_ACTIONS, n, err);

	if (!room) {
		cscg_voxel_free(v);
		return NULL;
	}
	room->voxel = v;
	cscg_room_label_unique(room);
	room->coords = cscg_alloc(2 * (size_t)n, sizeof *room->coords, err);
	if (!room->coords || set_edges(v, room, err) < 0 ||
	    set_parts(v, room, err) < 0 ||
	    cscg_names_set(&room->actions, cscg_voxel_actions, err) < 0) {
		cscg_room_free(room);
		return NULL;
	}
	set_coords(v, room);
	return room;
}

int
cscg_voxel_node(const struct cscg_room *room, const char *word,
    struct cscg_err *err)
{
	const struct cscg_voxel *v = room->voxel;
	int row, col, h, cell;

	if (cscg_voxel_parse_pose(word, &row, &col, &h) < 0)
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not a row, a column and a heading like "
		    "3,4,north",
		    word);
	if (!v)
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is a position in a 3D room, which this room is "
		    "not",
		    word);
	if (row >= v->rows || col >= v->cols)
		return cscg_fail(err, CSCG_EUSAGE, "%d,%d is outside the room",
		    row, col);
	cell = row * v->cols + col;
	if (!cscg_voxel_has_floor(v, cell))
		return cscg_fail(err, CSCG_EUSAGE, "%d,%d is %s", row, col,
		    v->cell[cell] == '#' ? "inside a wall" :
					   "outside the room");
	return CSCG_HEADINGS * v->index[cell] + h;
}

int
cscg_voxel_add_frontier(struct cscg_room *room, const char *word,
    struct cscg_err *err)
{
	int node = cscg_voxel_node(room, word, err);

	if (node < 0)
		return -1;
	if (cscg_room_successor(room, CSCG_FORWARD, node) != node)
		return cscg_fail(err, CSCG_EUSAGE, "%.40s is not a wall",
		    word);
	return cscg_room_add_frontier(room, node, CSCG_FORWARD, err);
}
