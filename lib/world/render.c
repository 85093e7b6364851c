/*
 * render.c - first-person views of a 3D room by ray casting
 *
 * The camera is level, so all pixels of a column cross the same cells, and near
 * surfaces hide far ones from below: one traversal of the grid fills the column
 * from the bottom up, each sample once.  A sample of slope s is at height
 * eye + s t at depth t; a floor q below the eye that rises by b per metre is hit
 * at t = q / (b - s).
 *
 * A pixel is the mean of four samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "world/render.h"

enum { SAMPLES = 2 }; /* each way */

struct cscg_render {
	const struct cscg_scene *scene;
	int rows, cols;
	float *slope;          /* [samples of a column], from the bottom */
	float (*colour)[3];    /* the same */
	float (*sum)[3];       /* [rows] */
	unsigned char **cache; /* [nodes], NULL: not rendered yet */
};

/* A column being rendered. */
struct column {
	const struct cscg_scene *s;
	const float *slope;
	float (*colour)[3];
	int n, at;             /* number of samples, and of those rendered */
	double eye[3], dir[2]; /* dir advances one metre in depth */
	float texels;          /* width of a sample at a depth of one metre */
};

struct cscg_render *
cscg_render_new(const struct cscg_scene *scene, int rows, int cols,
    struct cscg_err *err)
{
	struct cscg_render *r = cscg_alloc(1, sizeof *r, err);
	size_t n = (size_t)rows * SAMPLES;

	if (!r)
		return NULL;
	r->scene = scene;
	r->rows = rows;
	r->cols = cols;
	r->slope = cscg_alloc(n, sizeof *r->slope, err);
	r->colour = r->slope ? cscg_alloc(n, sizeof *r->colour, err) : NULL;
	r->sum = r->colour ? cscg_alloc((size_t)rows, sizeof *r->sum, err) :
			     NULL;
	if (!r->sum) {
		cscg_render_free(r);
		return NULL;
	}
	for (n = 0; n < (size_t)rows * SAMPLES; n++)
		r->slope[n] =
		    (float)((2 * ((double)n + 0.5) / SAMPLES - rows) / cols);
	return r;
}

void
cscg_render_free(struct cscg_render *r)
{
	int i;

	if (!r)
		return;
	for (i = 0; r->cache && i < r->scene->map->n_cells * CSCG_HEADINGS;
	     i++)
		free(r->cache[i]);
	free(r->cache);
	free(r->slope);
	free(r->colour);
	free(r->sum);
	free(r);
}

/* The share of its colour that an object at this depth keeps in the haze. */
static float
visibility(const struct cscg_theme *t, float depth)
{
	return 1 / (1 + t->haze * depth);
}

/* Distant objects take the colour of the horizon. */
static void
haze(const struct cscg_theme *t, float clear, float c[3])
{
	int i;

	for (i = 0; i < 3; i++)
		c[i] = t->horizon[i] + (c[i] - t->horizon[i]) * clear;
}

/* The floor of a cell, from slope below on up to where it ends at depth t1. */
static void
paint_floor(struct column *k, int cell, int cx, int cy, double t0, double t1)
{
	const struct cscg_plane *p = k->s->plane + cell;
	float b = (float)(p->east * k->dir[0] + p->south * k->dir[1]);
	float q = (float)(k->eye[2] - p->z - p->east * (k->eye[0] - cx - 0.5) -
	    p->south * (k->eye[1] - cy - 0.5));
	float end = b - q / (float)t1, near = (float)t0, far = (float)t1, t;
	float x = (float)(k->eye[0] - cx), y = (float)(k->eye[1] - cy);
	float dx = (float)k->dir[0], dy = (float)k->dir[1];
	float limit = CSCG_SHADE_TEXELS;
	int level = 0;

	if (q <= 0)
		return; /* not visible from this side */
	for (; k->at < k->n && k->slope[k->at] < end; k->at++) {
		t = q / (b - k->slope[k->at]);
		t = t < near ? near : t > far ? far : t;
		/* Depth grows with height, so mipmap levels only rise. */
		while (k->texels * t * (0.5f + 0.5f * t) > limit &&
		    level < CSCG_LEVELS - 1) {
			limit *= 2;
			level++;
		}
		cscg_shade_top(k->s, cell, x + t * dx, y + t * dy, level,
		    k->colour[k->at]);
		haze(k->s->theme, visibility(k->s->theme, t),
		    k->colour[k->at]);
	}
}

/* The face at a side of the cell, at depth t. */
static void
paint_face(struct column *k, int cell, int side, double t)
{
	const struct cscg_scene *s = k->s;
	const struct cscg_face *f = s->face + cell * CSCG_HEADINGS + side;
	double x = k->eye[0] + t * k->dir[0], y = k->eye[1] + t * k->dir[1];
	double top = cscg_scene_top(s, cell, side, x, y);
	float end = (float)((top - k->eye[2]) / t), depth = (float)t;
	float u = (float)(side % 2 ? y - cell / s->cols : x - cell % s->cols);
	float eye = (float)k->eye[2], clear = visibility(s->theme, depth);
	int level = cscg_shade_level(k->texels * depth);

	u = u < 0 ? 0 : u > 0.9999f ? 0.9999f : u;
	for (; k->at < k->n && k->slope[k->at] < end; k->at++) {
		cscg_shade_face(s, f, u, eye + k->slope[k->at] * depth, level,
		    k->colour[k->at]);
		haze(s->theme, clear, k->colour[k->at]);
	}
}

/* Open ground to the horizon. */
static void
paint_ground(struct column *k)
{
	const struct cscg_texture *tex = k->s->theme->surface + CSCG_GROUND;
	float q = (float)(k->eye[2] - k->s->ground), t;
	int i;

	for (; k->at < k->n && k->slope[k->at] < -0.001f; k->at++) {
		t = q / -k->slope[k->at];
		for (i = 0; i < 3; i++)
			k->colour[k->at][i] =
			    (float)tex->texel[CSCG_LEVELS - 1][0][i] / 255 *
			    k->s->uniform_light[i];
		haze(k->s->theme, visibility(k->s->theme, t),
		    k->colour[k->at]);
	}
}

/* Density of clouds at x, y: interpolated between four points. */
static float
cloud_at(const struct cscg_theme *t, float x, float y)
{
	int ix = (int)x - (x < 0), iy = (int)y - (y < 0), m = CSCG_TEXELS - 1;
	float fx = x - (float)ix, fy = y - (float)iy, a, b;
	const float *up = t->clouds + (iy & m) * CSCG_TEXELS;
	const float *down = t->clouds + ((iy + 1) & m) * CSCG_TEXELS;

	a = up[ix & m] + fx * (up[(ix + 1) & m] - up[ix & m]);
	b = down[ix & m] + fx * (down[(ix + 1) & m] - down[ix & m]);
	return a + fy * (b - a);
}

static void
paint_sky(struct column *k)
{
	const struct cscg_theme *t = k->s->theme;
	float dx = (float)k->dir[0], dy = (float)k->dir[1];
	float towards = (dx * t->to_sun[0] + dy * t->to_sun[1]) /
	    (float)sqrt((double)(dx * dx + dy * dy));
	float s, up, glow, cloud, white;
	int i;

	for (; k->at < k->n; k->at++) {
		s = k->slope[k->at];
		s = s < 0 ? 0 : s;
		up = s / (s + 0.7f);
		glow = (1 + towards) * (1 - up);
		cloud = cloud_at(t, 3 * dx / (s + 0.12f),
			    3 * dy / (s + 0.12f)) -
		    0.85f + 0.6f * t->cloud;
		cloud = cloud < 0 ? 0 : cloud > 0.35f ? 0.7f : 2 * cloud;
		for (i = 0; i < 3; i++) {
			float c = t->horizon[i] +
			    up * (t->zenith[i] - t->horizon[i]) +
			    glow * t->glow[i];

			white = 0.25f * c + 0.75f * t->horizon[i] + 0.06f;
			k->colour[k->at][i] = c + cloud * (white - c);
		}
		/* The sky is smooth: every other sample suffices. */
		if (k->at + 1 < k->n) {
			memcpy(k->colour[k->at + 1], k->colour[k->at],
			    sizeof *k->colour);
			k->at++;
		}
	}
}

static void
paint_column(struct column *k)
{
	const struct cscg_scene *s = k->s;
	struct cscg_dda dda;
	double t0 = 0, t1;
	int axis, cell;

	cscg_dda_init(&dda, k->eye[0], k->eye[1], k->dir[0], k->dir[1]);
	while (k->at < k->n) {
		if (dda.cell[0] < 0 || dda.cell[0] >= s->cols ||
		    dda.cell[1] < 0 || dda.cell[1] >= s->rows)
			break;
		cell = dda.cell[1] * s->cols + dda.cell[0];
		axis = cscg_dda_axis(&dda);
		t1 = dda.next[axis];
		paint_floor(k, cell, dda.cell[0], dda.cell[1], t0, t1);
		paint_face(k, cell, cscg_dda_side(&dda, axis), t1);
		cscg_dda_step(&dda, axis);
		t0 = t1;
	}
	paint_ground(k);
	paint_sky(k);
}

/* Samples of a column to its pixels. */
static void
add_samples(struct cscg_render *r)
{
	int y, i;

	for (y = 0; y < r->rows; y++)
		for (i = 0; i < 3; i++)
			r->sum[y][i] += r->colour[SAMPLES * y][i] +
			    r->colour[SAMPLES * y + 1][i];
}

void
cscg_render_view(struct cscg_render *r, int node, unsigned char *rgb)
{
	int h = node % CSCG_HEADINGS, right = (h + 1) % CSCG_HEADINGS;
	struct column k = { .s = r->scene,
		.slope = r->slope,
		.colour = r->colour,
		.n = r->rows * SAMPLES,
		.texels = 2.0f * CSCG_TEXELS / (float)(r->cols * SAMPLES) };
	int x, y, i, sub;
	double u;

	cscg_scene_eye(r->scene, node, k.eye);
	for (x = 0; x < r->cols; x++) {
		memset(r->sum, 0, (size_t)r->rows * sizeof *r->sum);
		for (sub = 0; sub < SAMPLES; sub++) {
			u = 2 * (x + (sub + 0.5) / SAMPLES) / r->cols - 1;
			k.dir[0] = cscg_heading_col[h] +
			    u * cscg_heading_col[right];
			k.dir[1] = cscg_heading_row[h] +
			    u * cscg_heading_row[right];
			k.at = 0;
			paint_column(&k);
			add_samples(r);
		}
		for (y = 0; y < r->rows; y++)
			for (i = 0; i < 3; i++)
				rgb[((size_t)(r->rows - 1 - y) * r->cols + x) *
					3 +
				    i] = cscg_shade_byte(r->sum[y][i] /
				    (SAMPLES * SAMPLES));
	}
}

const unsigned char *
cscg_render_cached(struct cscg_render *r, int node, struct cscg_err *err)
{
	int n = r->scene->map->n_cells * CSCG_HEADINGS;

	if (!r->cache)
		r->cache = cscg_alloc((size_t)n, sizeof *r->cache, err);
	if (!r->cache)
		return NULL;
	if (!r->cache[node]) {
		r->cache[node] = cscg_alloc((size_t)r->rows * r->cols, 3, err);
		if (!r->cache[node])
			return NULL;
		cscg_render_view(r, node, r->cache[node]);
	}
	return r->cache[node];
}

void
cscg_render_noise(const unsigned char *from, size_t n, double sd,
    uint64_t seed, uint64_t i, uint64_t j, unsigned char *to)
{
	/*
	 * The sum of four random bytes has mean 510 and this standard
	 * deviation.
	 */
	const double four = sqrt(4 * 65535.0 / 12);
	float scale = (float)(sd / four), v;
	struct cscg_rng rng;
	uint64_t bits = 0;
	size_t k;
	int sum;

	cscg_rng_seed(&rng, seed, CSCG_RNG_NOISE, i, j);
	for (k = 0; k < n; k++) {
		bits = k % 2 ? bits >> 32 : cscg_rng_next(&rng);
		sum = (int)((bits & 255) + (bits >> 8 & 255) +
			  (bits >> 16 & 255) + (bits >> 24 & 255)) -
		    510;
		v = (float)from[k] + (float)sum * scale + 0.5f;
		to[k] = v < 0 ? 0 : v > 255 ? 255 : (unsigned char)v;
	}
}
