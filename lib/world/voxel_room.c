/*
 * voxel_room.c - the room of a map of cells with heights
 */
#include <stdlib.h>
#include <string.h>

#include "world/grid.h"
#include "base/mem.h"
#include "world/room.h"
#include "world/voxel.h"

#define BESIDE 0.25	/* metres from the middle, for drawing headings apart */

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
	struct cscg_edge *e = cscg_alloc((size_t)room->n_nodes *
	    CSCG_VOXEL_ACTIONS, sizeof *e, err);
	int node, i, h, next, rc;
	long n = 0;

	if (!e)
		return -1;
	for (node = 0; node < room->n_nodes; node++) {
		i = node / CSCG_HEADINGS;
		h = node % CSCG_HEADINGS;
		next = cscg_voxel_successor(v, v->floor_cell[i], h);
		e[n++] = (struct cscg_edge){ CSCG_FORWARD, node, next < 0 ?
		    node : CSCG_HEADINGS * v->index[next] + h, 1 };
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
		if (cscg_room_add_frontier(room, CSCG_HEADINGS *
		    v->index[v->exit[i].cell] + v->exit[i].heading,
		    CSCG_FORWARD, err) < 0)
			return -1;
	if (!v->part)
		return 0;
	room->part = cscg_alloc((size_t)room->n_nodes, sizeof *room->part,
	    err);
	if (!room->part || cscg_names_copy(&room->parts, &v->parts, err) < 0)
		return -1;
	for (node = 0; node < room->n_nodes; node++)
		room->part[node] = v->part[v->floor_cell[node / CSCG_HEADINGS]];
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
		return cscg_fail(err, CSCG_EUSAGE, "'%.40s' is not a row, a "
		    "column and a heading like 3,4,north", word);
	if (!v)
		return cscg_fail(err, CSCG_EUSAGE, "'%.40s' is a place in a "
		    "3D room, and the room is none", word);
	if (row >= v->rows || col >= v->cols)
		return cscg_fail(err, CSCG_EUSAGE, "%d,%d is outside the "
		    "room", row, col);
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
		return cscg_fail(err, CSCG_EUSAGE, "%.40s is no wall", word);
	return cscg_room_add_frontier(room, node, CSCG_FORWARD, err);
}
