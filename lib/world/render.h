/*
 * render.h - first-person views of a 3D room by ray casting
 *
 * The view is 90 degrees wide, level, from 0.9 m over the floor and 0.3 m
 * behind the middle of the cell.  An image is rows of pixels from the top,
 * pixels from the left, red, green, blue.  Map, theme and size determine every
 * byte of an image.
 */
#ifndef CSCG_RENDER_H
#define CSCG_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "world/scene.h"
#include "world/voxel.h"

/*
 * grid traversal (DDA): the cells on a straight line, in order
 */

/* Axis 0 is x, east; axis 1 is y, south. */
struct cscg_dda {
	int cell[2]; /* column and row */
	int step[2];
	double next[2]; /* t where the line leaves the cell, by axis */
	double delta[2];
};

/* The line x + t dx, y + t dy, t >= 0. */
static inline void
cscg_dda_init(struct cscg_dda *d, double x, double y, double dx, double dy)
{
	const double from[2] = { x, y }, dir[2] = { dx, dy };
	int i;

	for (i = 0; i < 2; i++) {
		d->cell[i] = (int)from[i] - (from[i] < (int)from[i]);
		d->step[i] = dir[i] > 0 ? 1 : -1;
		if (dir[i] == 0) {
			d->next[i] = d->delta[i] = 1e30;
			continue;
		}
		d->delta[i] = 1 / (dir[i] > 0 ? dir[i] : -dir[i]);
		d->next[i] = (dir[i] > 0 ? d->cell[i] + 1 - from[i] :
					   from[i] - d->cell[i]) *
		    d->delta[i];
	}
}

/* Which axis is crossed next, and on which side of the cell. */
static inline int
cscg_dda_axis(const struct cscg_dda *d)
{
	return d->next[1] < d->next[0];
}

static inline int
cscg_dda_side(const struct cscg_dda *d, int axis)
{
	if (axis)
		return d->step[1] > 0 ? CSCG_SOUTH : CSCG_NORTH;
	return d->step[0] > 0 ? CSCG_EAST : CSCG_WEST;
}

static inline void
cscg_dda_step(struct cscg_dda *d, int axis)
{
	d->cell[axis] += d->step[axis];
	d->next[axis] += d->delta[axis];
}

/*
 * the colour of a point of a scene, inlined for the renderers
 *
 * Colours are linear in light and unbounded; cscg_shade_byte() maps them to
 * bytes.
 */

#define CSCG_SHADE_TEXELS 1.4f /* largest width of a sample, in texels */

/* Mipmap level for a sample that is texels wide at level 0. */
static inline int
cscg_shade_level(float texels)
{
	int level = 0;

	while (texels > CSCG_SHADE_TEXELS && level < CSCG_LEVELS - 1) {
		texels *= 0.5f;
		level++;
	}
	return level;
}

/* The texel at u, v, both 0 to 1; outside this range the texture repeats. */
static inline const unsigned char *
cscg_shade_texel(const struct cscg_texture *tex, float u, float v, int level)
{
	int size = CSCG_TEXELS >> level, mask = size - 1;
	int x = (int)(u * (float)size) & mask,
	    y = (int)(v * (float)size) & mask;

	return tex->texel[level][y * size + x];
}

static inline int
cscg_shade_square(float u)
{
	int i = (int)(u * CSCG_LIGHTMAP_SIZE);

	return i < 0                ? 0 :
	    i >= CSCG_LIGHTMAP_SIZE ? CSCG_LIGHTMAP_SIZE - 1 :
				      i;
}

/* The top of a cell at u, v from its north-western corner. */
static inline void
cscg_shade_top(const struct cscg_scene *s, int cell, float u, float v,
    int level, float c[3])
{
	const struct cscg_texture *tex = s->theme->surface + s->surface[cell];
	const unsigned char *texel;
	const unsigned short *light;
	float scale = 1 / 255.0f;
	int i;

	/* Boards are perpendicular to the slope of a ramp. */
	texel = s->plane[cell].east != 0 ? cscg_shade_texel(tex, v, u, level) :
					   cscg_shade_texel(tex, u, v, level);
	if (s->poster[cell] && u > 0.2f && u < 0.8f && v > 0.2f && v < 0.8f)
		texel = cscg_shade_texel(s->theme->poster + s->poster[cell] -
			1,
		    (u - 0.2f) / 0.6f, (v - 0.2f) / 0.6f, level);
	if (s->lit[cell] < 0) {
		for (i = 0; i < 3; i++)
			c[i] = (float)texel[i] * scale * s->uniform_light[i];
		return;
	}
	light = s->light[s->lit[cell] +
	    cscg_shade_square(v) * CSCG_LIGHTMAP_SIZE + cscg_shade_square(u)];
	scale /= CSCG_LIGHTMAP_SCALE;
	for (i = 0; i < 3; i++)
		c[i] = (float)texel[i] * s->tint[cell][i] * (float)light[i] *
		    scale;
}

/* A face at u along it (west to east, north to south) and height z. */
static inline void
cscg_shade_face(const struct cscg_scene *s, const struct cscg_face *f, float u,
    float z, int level, float c[3])
{
	const unsigned char *texel = cscg_shade_texel(
	    s->theme->surface + f->surface, u, 64 - z, level);
	const unsigned short *light;
	float over = z - f->foot, scale = 1 / 255.0f, v;
	int i, row;

	if (f->poster) {
		v = (z - f->poster_z) / 0.8f;
		if (v >= 0 && v < 1 && u > 0.1f && u < 0.9f)
			texel = cscg_shade_texel(s->theme->poster + f->poster -
				1,
			    (u - 0.1f) / 0.8f, 1 - v, level);
	}
	/* A skirting board. */
	if (f->surface != CSCG_RISER && over < 0.09f)
		scale *= 0.6f;
	if (f->light < 0) {
		for (i = 0; i < 3; i++)
			c[i] = (float)texel[i] * scale * f->uniform_light[i];
		return;
	}
	row = (int)(over * CSCG_LIGHTMAP_SIZE);
	row = row < 0 ? 0 : row >= f->up ? f->up - 1 : row;
	light = s->light[f->light + row * CSCG_LIGHTMAP_SIZE +
	    cscg_shade_square(u)];
	scale /= CSCG_LIGHTMAP_SCALE;
	for (i = 0; i < 3; i++)
		c[i] = (float)texel[i] * f->tint[i] * (float)light[i] * scale;
}

/* Tone mapping: values above 0.75 approach 1 smoothly instead of clipping. */
static inline unsigned char
cscg_shade_byte(float v)
{
	if (v > 0.75f)
		v = 1 - 0.0625f / (v - 0.5f);
	return (unsigned char)(v * 255 + 0.5f);
}

struct cscg_render;

/*
 * A renderer for images of rows by cols pixels.  Borrows scene.  NULL with err
 * filled (CSCG_ENOMEM).  Threads may share a scene, but not a renderer.
 */
struct cscg_render *cscg_render_new(const struct cscg_scene *scene, int rows,
    int cols, struct cscg_err *err);
void cscg_render_free(struct cscg_render *r);

/* Render the view at node into rgb[rows * cols * 3]. */
void cscg_render_view(struct cscg_render *r, int node, unsigned char *rgb);

/*
 * The same with a cache, which holds at most one image per node.  NULL with
 * err filled (CSCG_ENOMEM).
 */
const unsigned char *cscg_render_cached(struct cscg_render *r, int node,
    struct cscg_err *err);

/*
 * Add noise of standard deviation sd to n bytes; seed, i and j are the key of
 * the random stream.  The noise is approximately normal (the sum of four
 * uniform numbers); results are rounded and clipped to 0..255.
 */
void cscg_render_noise(const unsigned char *from, size_t n, double sd,
    uint64_t seed, uint64_t i, uint64_t j, unsigned char *to);

#endif
