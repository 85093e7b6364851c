/*
 * paint.h - procedural textures for scenes
 */
#ifndef CSCG_PAINT_H
#define CSCG_PAINT_H

#include "base/rng.h"
#include "world/scene.h"

enum cscg_paint {
	/* Walls */
	CSCG_PAINT_BRICKS,
	CSCG_PAINT_PANELS,
	CSCG_PAINT_PLASTER,
	CSCG_PAINT_BLOCKS,
	CSCG_PAINT_TILES,
	CSCG_PAINT_STRIPES,
	/* Floors */
	CSCG_PAINT_CHECKS,
	CSCG_PAINT_PLANKS,
	CSCG_PAINT_SLAB,
	CSCG_PAINT_COBBLES,
	CSCG_PAINT_SQUARES,
	/* Others */
	CSCG_PAINT_BOARDS,
	CSCG_PAINT_GRASS,
};

/* A texture of this kind and colour that tiles without seams. */
void cscg_paint_surface(struct cscg_rng *rng, enum cscg_paint kind,
    const float colour[3], struct cscg_texture *tex);

/* A framed picture; which selects the composition. */
void cscg_paint_poster(struct cscg_rng *rng, int which, const float a[3],
    const float b[3], const float c[3], struct cscg_texture *tex);

/* Clouds that tile without seams. */
void cscg_paint_clouds(struct cscg_rng *rng, float clouds[]);

#endif
