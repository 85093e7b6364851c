/*
 * voxel.h - 3D rooms of 1 m cells with floors, ramps, ledges and walls
 *
 * A map has a character for each cell:
 *   0..9      a flat floor, half a metre up for each
 *   ^ > v <   a ramp that rises this way (north is the first row); ramps one
 *             behind the other are one slope from the floor below it to the
 *             one above it
 *   #         solid
 *   a blank   outside
 * and there may be thin walls between cells.  A walker stands in the middle of
 * a cell and looks north, east, south or west.  It goes forward unless a wall
 * is there or the floor rises by more than 0.3 m where the cells meet; it may
 * drop from any height.
 *
 * What is always true of a voxel that cscg_voxel_compute_floors() was content with:
 *   - 1 <= rows, cols <= CSCG_VOXEL_SIDE, 1 <= n_cells <= CSCG_VOXEL_CELLS
 *   - floor_cell[i] is the i-th cell with a floor, row by row; index[floor_cell[i]] = i,
 *     and index is -1 elsewhere
 *   - plane tells the floor of each of them
 *   - a wall is there from both of its sides
 *   - each floor can be reached from each other
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

/* Rows and columns that one step with heading h is. */
extern const int cscg_heading_row[CSCG_HEADINGS];
extern const int cscg_heading_col[CSCG_HEADINGS];

/* A floor: metres up in the middle of the cell, and its rise per metre. */
struct cscg_plane {
	double z, east, south;
};

/* A way through a wall of the map, for cscg_voxel_room() to mark. */
struct cscg_exit {
	int cell, heading;
};

struct cscg_voxel {
	int rows, cols;
	char *cell;          /* [rows * cols] as above */
	unsigned char *wall; /* [rows * cols] bit h: a thin wall there */
	int theme;           /* what it looks like: scene.h */

	/* By cscg_voxel_compute_floors(): */
	int n_cells;
	int *floor_cell;          /* [n_cells] */
	int *index;               /* [rows * cols] */
	struct cscg_plane *plane; /* [rows * cols] */

	/* What a text map may say besides; a room keeps it in its own way. */
	struct cscg_names parts;
	int *part; /* [rows * cols] or NULL */
	struct cscg_exit *exit;
	long n_exits;
};

/* All cells outside; cscg_voxel_compute_floors() comes when they are set. */
struct cscg_voxel *cscg_voxel_new(int rows, int cols, struct cscg_err *err);
void cscg_voxel_free(struct cscg_voxel *v);

/*
 * Work out floors and who can reach whom.  Returns -1 with err filled: if it
 * is CSCG_EFORMAT or CSCG_ERANGE the map is at fault, at the cell *at (-1: as
 * a whole): no floor or too many, a ramp without a floor at either end or one
 * that does not rise, a hole in the floor (an outside cell that is not next to
 * the outside), a floor that cannot be reached or that there is no way back
 * from.
 */
int cscg_voxel_compute_floors(struct cscg_voxel *v, int *at,
    struct cscg_err *err);

/* Is c one of the characters above?  Is there a floor at this cell? */
bool cscg_voxel_is_cell(char c);
bool cscg_voxel_has_floor(const struct cscg_voxel *v, int cell);

/* The cell beside this one, or -1: beyond the map. */
int cscg_voxel_neighbour(const struct cscg_voxel *v, int cell, int heading);

/* Put up a thin wall on a side of a cell, or take it away. */
void cscg_voxel_set_wall(struct cscg_voxel *v, int cell, int heading,
    bool there);

/* How high the floor is at the middle of a side of its cell; fitted. */
double cscg_voxel_edge_height(const struct cscg_voxel *v, int cell,
    int heading);

/* The cell that forward leads to, or -1: it stays.  Planes must be known. */
int cscg_voxel_successor(const struct cscg_voxel *v, int cell, int heading);

/* "north" as a heading, or -1. */
int cscg_heading_parse(const char *word);

/* "3,4,north" as a row, a column and a heading; -1 if word is none. */
int cscg_voxel_parse_pose(const char *word, int *row, int *col, int *heading);

struct cscg_room;

/*
 * The room of a map: a node for each cell and heading with a symbol of its
 * own, at a quarter of a metre from the middle of its cell in drawings.  Its
 * parts and exits are those of the map.  Takes v, also when it fails.
 */
struct cscg_room *cscg_voxel_room_take(struct cscg_voxel *v,
    struct cscg_err *err);

/*
 * The node at "3,4,north" of a room made so.  -1 with err filled (CSCG_EUSAGE)
 * if word is no such spot, or there is no floor.
 */
int cscg_voxel_node(const struct cscg_room *room, const char *word,
    struct cscg_err *err);

/* Mark a frontier there: forward must stay.  -1 with err filled as above. */
int cscg_voxel_add_frontier(struct cscg_room *room, const char *word,
    struct cscg_err *err);

#endif
