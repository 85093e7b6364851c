/*
 * theme.h - what 3D rooms look like: colours, textures, pictures and light
 *
 * Everything follows from the number of the theme, by sums, products, divisions
 * and square roots alone: no other function of the C library has a say, so a
 * theme is the same on every machine.
 *
 * Colours are red, green and blue from 0 to 1; light may be brighter.
 * Directions are east, south, up.
 */
#ifndef CSCG_THEME_H
#define CSCG_THEME_H

#include "base/err.h"

enum {
	CSCG_TEXELS = 32,	/* along a metre, a power of two */
	CSCG_LEVELS = 6		/* 32, 16, 8, 4, 2, 1: for things far away */
};

enum cscg_surface {
	CSCG_FLOOR,		/* three kinds, by height */
	CSCG_RAMP = CSCG_FLOOR + 3,
	CSCG_WALL,		/* three kinds, by wall */
	CSCG_RISER = CSCG_WALL + 3,
	CSCG_ROOF,
	CSCG_GROUND,
	CSCG_SURFACES
};

enum { CSCG_POSTERS = 24, CSCG_LAMPS = 3 };

/* Each level row by row, the largest first; red, green, blue and nothing. */
struct cscg_texture {
	unsigned char texel[CSCG_LEVELS][CSCG_TEXELS * CSCG_TEXELS][4];
};

struct cscg_theme {
	float sun[3], to_sun[3];	/* colour; direction, length 1 */
	float ambient[3];
	float zenith[3], horizon[3];	/* of the sky */
	float glow[3];			/* added to the sky round the sun */
	float cloud;			/* how much of the sky, 0 to 1 */
	float haze;			/* share of it per metre */
	float lamp[CSCG_LAMPS][3];	/* colours of lamps */
	int n_lamps;
	float wall_height;		/* metres above the floor */
	float clouds[CSCG_TEXELS * CSCG_TEXELS];	/* 0 to 1 */
	struct cscg_texture surface[CSCG_SURFACES];
	struct cscg_texture poster[CSCG_POSTERS];
};

struct cscg_theme *cscg_theme_new(int number, struct cscg_err *err);
void cscg_theme_free(struct cscg_theme *theme);

#endif
