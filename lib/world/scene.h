/*
 * scene.h - 3D rooms with textures and light, ready to render
 *
 * A scene is a field of heights: every cell, outside and solid ones too, has a
 * plane on top, and every side of a cell may have a face that stands up from
 * it: a wall, or the higher floor behind it.  What light falls where is worked
 * out once, for squares of a sixteenth of a metre, with shadows.
 *
 * x is metres east, y metres south, z metres up; cell (row, col) lies between
 * x = col and col + 1 and y = row and row + 1.
 */
#ifndef CSCG_SCENE_H
#define CSCG_SCENE_H

#include <stdbool.h>

#include "base/error.h"
#include "world/voxel.h"

/*
 * what 3D rooms look like: colours, textures, pictures and light
 *
 * Everything follows from the number of the theme, by sums, products, divisions
 * and square roots alone: no other function of the C library has a say, so a
 * theme is the same on every machine.
 *
 * Colours are red, green and blue from 0 to 1; light may be brighter.
 * Directions are east, south, up.
 */

enum {
	CSCG_TEXELS = 32, /* along a metre, a power of two */
	CSCG_LEVELS = 6,  /* 32, 16, 8, 4, 2, 1: for things far away */
};

enum cscg_surface {
	CSCG_FLOOR, /* three kinds, by height */
	CSCG_RAMP = CSCG_FLOOR + 3,
	CSCG_WALL, /* three kinds, by wall */
	CSCG_RISER = CSCG_WALL + 3,
	CSCG_ROOF,
	CSCG_GROUND,
	CSCG_SURFACES,
};

enum { CSCG_POSTERS = 24, CSCG_LAMPS = 3 };

/* Each level row by row, the largest first; red, green, blue and nothing. */
struct cscg_texture {
	unsigned char texel[CSCG_LEVELS][CSCG_TEXELS * CSCG_TEXELS][4];
};

struct cscg_theme {
	float sun[3], to_sun[3]; /* colour; direction, length 1 */
	float ambient[3];
	float zenith[3], horizon[3]; /* of the sky */
	float glow[3];               /* added to the sky round the sun */
	float cloud;                 /* how much of the sky, 0 to 1 */
	float haze;                  /* share of it per metre */
	float lamp[CSCG_LAMPS][3];   /* colours of lamps */
	int n_lamps;
	float wall_height;                       /* metres above the floor */
	float clouds[CSCG_TEXELS * CSCG_TEXELS]; /* 0 to 1 */
	struct cscg_texture surface[CSCG_SURFACES];
	struct cscg_texture poster[CSCG_POSTERS];
};

enum {
	CSCG_LIGHTMAP_SIZE = 16,    /* squares of light along a metre */
	CSCG_LIGHTMAP_SCALE = 8192, /* stands for light 1 */
};

#define CSCG_NO_WALL (-1000.0f) /* as the top of a wall: there is none */

struct cscg_face {
	float top;  /* of its wall, or CSCG_NO_WALL */
	float foot; /* where its light begins */
	float tint[3];
	float uniform_light[3]; /* light, where there are no squares */
	short surface;          /* enum cscg_surface */
	short poster;           /* 1 + which; 0: none */
	float poster_z;         /* its lower edge */
	int light;              /* its first square, row by row upwards; -1 */
	int up;                 /* rows of them */
};

struct cscg_scene {
	const struct cscg_voxel *map;
	struct cscg_theme *theme;
	int rows, cols;
	struct cscg_plane *plane;   /* [rows * cols] */
	short *surface;             /* [rows * cols] enum cscg_surface */
	short *poster;              /* [rows * cols] in the floor: 1 + which */
	float (*tint)[3];           /* [rows * cols] */
	int *lit;                   /* [rows * cols] first square, or -1 */
	struct cscg_face *face;     /* [rows * cols * 4] */
	unsigned short (*light)[3]; /* all squares */
	float uniform_light[3];     /* light on open ground */
	double ground, highest;     /* z outside, and of all there is */
	double lamp[CSCG_LAMPS][3]; /* where lamps hang */
};

/* Borrows map, which must live as long.  NULL with err filled (CSCG_ENOMEM). */
struct cscg_scene *cscg_scene_new(const struct cscg_voxel *map,
    struct cscg_err *err);
void cscg_scene_free(struct cscg_scene *scene);

/* What stands on the side of a cell: the top of its wall or of what is behind. */
double cscg_scene_top(const struct cscg_scene *scene, int cell, int side,
    double x, double y);

/* Where a walker's eye is, standing at node. */
void cscg_scene_eye(const struct cscg_scene *scene, int node, double eye[3]);

#endif
