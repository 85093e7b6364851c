/*
 * voxel.h - 3D rooms of 1 m cells with floors, ramps, ledges and walls
 *
 * A map has a character for each cell:
 *   0..9      a flat floor at this height, in units of half a metre
 *   ^ > v <   a ramp that rises in this direction (north is the first row);
 *             consecutive ramps form one slope from the lower floor to the
 *             higher one
 *   #         solid
 *   a blank   outside
 * and there may be thin walls between cells.  An agent stands in the middle of
 * a cell and faces north, east, south or west.  Forward is blocked by a wall,
 * and where the floor rises by more than 0.3 m at the edge of the cells; the
 * agent may drop from any height.
 *
 * Invariants of a voxel that cscg_voxel_compute_floors() has accepted:
 *   - 1 <= rows, cols <= CSCG_VOXEL_SIDE, 1 <= n_cells <= CSCG_VOXEL_CELLS
 *   - floor_cell[i] is the i-th cell with a floor, row by row;
 *     index[floor_cell[i]] = i, and index is -1 elsewhere
 *   - plane is the floor of each of these cells
 *   - a wall is set for both cells that it separates
 *   - the cells with floors are strongly connected
 * Node 4 * i + h of its room is cell floor_cell[i] with heading h.
 */
#ifndef CSCG_VOXEL_H
#define CSCG_VOXEL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"

enum {
	CSCG_NORTH,
	CSCG_EAST,
	CSCG_SOUTH,
	CSCG_WEST,
	CSCG_HEADINGS,
};

enum {
	CSCG_FORWARD,
	CSCG_TURN_LEFT,
	CSCG_TURN_RIGHT,
	CSCG_VOXEL_ACTIONS,
};

enum {
	CSCG_VOXEL_SIDE = 128,
	CSCG_VOXEL_CELLS = 4096,
	CSCG_THEME_MAX = 1000000000,
};

extern const char *const cscg_voxel_actions[]; /* their names, and NULL */
extern const char *const cscg_headings[];      /* the same */

/* Row and column displacement of a step with heading h. */
extern const int cscg_heading_row[CSCG_HEADINGS];
extern const int cscg_heading_col[CSCG_HEADINGS];

/* A floor: height in metres in the middle of the cell, and slopes. */
struct cscg_plane {
	double z, east, south;
};

/* An exit of the map, which becomes a frontier of the room. */
struct cscg_exit {
	int cell, heading;
};

struct cscg_voxel {
	int rows, cols;
	char *cell;          /* [rows * cols] as above */
	unsigned char *wall; /* [rows * cols] bit h: a thin wall there */
	int theme;           /* number of the theme: scene.h */

	/* By cscg_voxel_compute_floors(): */
	int n_cells;
	int *floor_cell;          /* [n_cells] */
	int *index;               /* [rows * cols] */
	struct cscg_plane *plane; /* [rows * cols] */

	/* Optional data of a text map, which a room stores in its members. */
	struct cscg_names parts;
	int *part; /* [rows * cols] or NULL */
	struct cscg_exit *exit;
	long n_exits;
};

/* All cells outside; set them, then call cscg_voxel_compute_floors(). */
struct cscg_voxel *cscg_voxel_new(int rows, int cols, struct cscg_err *err);
void cscg_voxel_free(struct cscg_voxel *v);

/*
 * Compute the floors and check reachability.  Returns -1 with err filled:
 * CSCG_EFORMAT and CSCG_ERANGE are errors of the map, at the cell *at (-1: the
 * whole map): no floor or too many, a ramp without a floor at either end or
 * one that does not rise, a hole in the floor (an outside cell that is not
 * next to the outside), a floor that cannot be reached or cannot be left.
 */
int cscg_voxel_compute_floors(struct cscg_voxel *v, int *at,
    struct cscg_err *err);

/* Whether c is one of the characters above; whether a cell has a floor. */
bool cscg_voxel_is_cell(char c);
bool cscg_voxel_has_floor(const struct cscg_voxel *v, int cell);

/* The adjacent cell in the direction of heading, or -1: outside the map. */
int cscg_voxel_neighbour(const struct cscg_voxel *v, int cell, int heading);

/* Set or remove a thin wall on a side of a cell. */
void cscg_voxel_set_wall(struct cscg_voxel *v, int cell, int heading,
    bool there);

/* Height of the floor at the middle of a side of a cell; needs planes. */
double cscg_voxel_edge_height(const struct cscg_voxel *v, int cell,
    int heading);

/* The cell that forward leads to, or -1: blocked.  Needs planes. */
int cscg_voxel_successor(const struct cscg_voxel *v, int cell, int heading);

/* "north" as a heading, or -1. */
int cscg_heading_parse(const char *word);

/* Parse "3,4,north" as row, column and heading; -1 if word is not a pose. */
int cscg_voxel_parse_pose(const char *word, int *row, int *col, int *heading);

struct cscg_room;

/*
 * The room of a map: a node with a unique symbol for each cell and heading,
 * drawn a quarter of a metre from the middle of its cell.  Its parts and exits
 * are those of the map.  Takes v, also on failure.
 */
struct cscg_room *cscg_voxel_room_take(struct cscg_voxel *v,
    struct cscg_err *err);

/*
 * The node at the pose "3,4,north" of such a room.  -1 with err filled
 * (CSCG_EUSAGE) if word is not a pose, or the cell has no floor.
 */
int cscg_voxel_node(const struct cscg_room *room, const char *word,
    struct cscg_err *err);

/*
 * Mark forward at a pose as a frontier; forward must be blocked there.  -1
 * with err filled as above.
 */
int cscg_voxel_add_frontier(struct cscg_room *room, const char *word,
    struct cscg_err *err);

#endif
