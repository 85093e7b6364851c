/*
 * scene.h - 3D rooms with textures and light, ready to render
 *
 * A scene is a height field: every cell, outside and solid cells included, has
 * a plane on top, and every side of a cell may have a vertical face: a wall,
 * or the higher floor behind it.  Light, with shadows, is precomputed for
 * squares of a sixteenth of a metre.
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
 * themes of 3D rooms: colours, textures, pictures and light
 *
 * The number of a theme determines it, by sums, products, divisions and square
 * roots only; no other mathematical function is used, so a theme is the same
 * on every machine.
 *
 * Colours are red, green and blue from 0 to 1; light may be brighter.
 * Directions are east, south, up.
 */

enum {
	CSCG_TEXELS = 32, /* per metre, a power of two */
	CSCG_LEVELS = 6,  /* mipmap levels: 32, 16, 8, 4, 2, 1 texels */
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

/* Each level row by row, the largest first; red, green, blue and padding. */
struct cscg_texture {
	unsigned char texel[CSCG_LEVELS][CSCG_TEXELS * CSCG_TEXELS][4];
};

struct cscg_theme {
	float sun[3], to_sun[3]; /* colour; direction, length 1 */
	float ambient[3];
	float zenith[3], horizon[3]; /* of the sky */
	float glow[3];               /* added to the sky around the sun */
	float cloud;                 /* cloud cover, 0 to 1 */
	float haze;                  /* fraction per metre */
	float lamp[CSCG_LAMPS][3];   /* colours of lamps */
	int n_lamps;
	float wall_height;                       /* metres above the floor */
	float clouds[CSCG_TEXELS * CSCG_TEXELS]; /* 0 to 1 */
	struct cscg_texture surface[CSCG_SURFACES];
	struct cscg_texture poster[CSCG_POSTERS];
};

enum {
	CSCG_LIGHTMAP_SIZE = 16,    /* squares of light per metre */
	CSCG_LIGHTMAP_SCALE = 8192, /* value of light 1 */
};

#define CSCG_NO_WALL (-1000.0f) /* top of an absent wall */

struct cscg_face {
	float top;  /* of its wall, or CSCG_NO_WALL */
	float foot; /* z of the lowest light square */
	float tint[3];
	float uniform_light[3]; /* light of a face without squares */
	short surface;          /* enum cscg_surface */
	short poster;           /* 1 + poster; 0: none */
	float poster_z;         /* z of its lower edge */
	int light;              /* first square, rows upwards; -1: none */
	int up;                 /* rows of squares */
};

struct cscg_scene {
	const struct cscg_voxel *map;
	struct cscg_theme *theme;
	int rows, cols;
	struct cscg_plane *plane;   /* [rows * cols] */
	short *surface;             /* [rows * cols] enum cscg_surface */
	short *poster;              /* [rows * cols] on the floor; 1 + index */
	float (*tint)[3];           /* [rows * cols] */
	int *lit;                   /* [rows * cols] first square, or -1 */
	struct cscg_face *face;     /* [rows * cols * 4] */
	unsigned short (*light)[3]; /* all squares */
	float uniform_light[3];     /* light on open ground */
	double ground, highest;     /* z outside; largest z of the scene */
	double lamp[CSCG_LAMPS][3]; /* positions of lamps */
};

/* Borrows map for the life of the scene.  NULL with err filled (ENOMEM). */
struct cscg_scene *cscg_scene_new(const struct cscg_voxel *map,
    struct cscg_err *err);
void cscg_scene_free(struct cscg_scene *scene);

/* Top of the face on a side of a cell: of its wall or of the cell behind. */
double cscg_scene_top(const struct cscg_scene *scene, int cell, int side,
    double x, double y);

/* Position of the camera at node. */
void cscg_scene_eye(const struct cscg_scene *scene, int node, double eye[3]);

#endif
