/*
 * scene.c - 3D rooms with textures and light, ready to render
 *
 * Walls stand on the sides of cells and have the same height above the floor
 * throughout a theme, also on platforms.  Solid cells are as high as the
 * highest adjacent wall and have a roof; outside the map there is ground, so
 * that a camera on a high platform sees it over the walls.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "world/paint.h"
#include "world/render.h"
#include "world/scene.h"

#define EYE 0.9     /* metres over the floor */
#define BEHIND 0.3  /* metres behind the middle of the cell */
#define LAMP 1.7    /* metres above the floor */
#define POSTER 0.45 /* metres over the floor: its lower edge */

#define WALL_POSTERS 0.34  /* share of walls that have one */
#define FLOOR_POSTERS 0.16 /* share of floors */

/* Streams of CSCG_RNG_THEME, i = theme; STREAM_THEME is 0. */
enum { STREAM_SCENE = 1 };

static struct cscg_theme *theme_new(int number, struct cscg_err *err);

static void theme_free(struct cscg_theme *theme);

/* The highest point of a floor. */
static double
floor_top(const struct cscg_plane *p)
{
	return p->z + 0.5 * (fabs(p->east) + fabs(p->south));
}

static double
plane_at(const struct cscg_scene *s, int cell, double x, double y)
{
	const struct cscg_plane *p = s->plane + cell;

	return p->z + p->east * (x - cell % s->cols - 0.5) +
	    p->south * (y - cell / s->cols - 0.5);
}

/* Floors as the map has them, roofs and ground. */
static void
set_planes(struct cscg_scene *s)
{
	const struct cscg_voxel *map = s->map;
	int n = s->rows * s->cols, i, h, other;
	double top;

	s->ground = 1e9;
	for (i = 0; i < map->n_cells; i++) {
		const struct cscg_plane *p = map->plane + map->floor_cell[i];
		double low = p->z - (floor_top(p) - p->z);

		s->ground = low < s->ground ? low : s->ground;
	}
	for (i = 0; i < n; i++) {
		s->plane[i] = map->plane[i];
		if (cscg_voxel_has_floor(map, i))
			continue;
		s->plane[i].z = top = s->ground;
		for (h = 0; h < CSCG_HEADINGS && map->cell[i] == '#'; h++) {
			other = cscg_voxel_neighbour(map, i, h);
			if (other >= 0 && cscg_voxel_has_floor(map, other))
				top = fmax(top, floor_top(map->plane + other));
		}
		if (map->cell[i] == '#')
			s->plane[i].z = top + (double)s->theme->wall_height;
	}
}

/* The top of the wall between two cells; other may be -1. */
static float
wall_top(const struct cscg_scene *s, int cell, int side, int other)
{
	const struct cscg_voxel *map = s->map;
	bool here = cscg_voxel_has_floor(map, cell);
	bool there = other >= 0 && cscg_voxel_has_floor(map, other);
	bool out = other < 0 || map->cell[other] == ' ';
	double top = -1000;

	if (!(map->wall[cell] >> side & 1) && !(here && out) &&
	    !(map->cell[cell] == ' ' && there))
		return CSCG_NO_WALL;
	if (here)
		top = floor_top(map->plane + cell);
	if (there)
		top = fmax(top, floor_top(map->plane + other));
	if (!here && !there)
		return CSCG_NO_WALL;
	return (float)top + s->theme->wall_height;
}

double
cscg_scene_top(const struct cscg_scene *s, int cell, int side, double x,
    double y)
{
	int other = cscg_voxel_neighbour(s->map, cell, side);
	double top = other < 0 ? s->ground : plane_at(s, other, x, y);
	double wall = (double)s->face[cell * CSCG_HEADINGS + side].top;

	return wall > top ? wall : top;
}

/* Whether anything lies between p and p + t d, 0 < t < most. */
static bool
scene_occludes(const struct cscg_scene *s, const double p[3],
    const double d[3], double most)
{
	struct cscg_dda dda;
	double t, x, y, z;
	int axis, cell, side;

	cscg_dda_init(&dda, p[0], p[1], d[0], d[1]);
	for (;;) {
		if (dda.cell[0] < 0 || dda.cell[0] >= s->cols ||
		    dda.cell[1] < 0 || dda.cell[1] >= s->rows)
			return false;
		cell = dda.cell[1] * s->cols + dda.cell[0];
		axis = cscg_dda_axis(&dda);
		side = cscg_dda_side(&dda, axis);
		t = dda.next[axis];
		x = p[0] + t * d[0];
		y = p[1] + t * d[1];
		z = p[2] + t * d[2];
		if (t >= most)
			return p[2] + most * d[2] < plane_at(s, cell,
							p[0] + most * d[0],
							p[1] + most * d[1]);
		if (z >= s->highest && d[2] >= 0)
			return false;
		if (z < plane_at(s, cell, x, y) ||
		    z < cscg_scene_top(s, cell, side, x, y))
			return true;
		cscg_dda_step(&dda, axis);
	}
}

void
cscg_scene_eye(const struct cscg_scene *s, int node, double eye[3])
{
	int cell = s->map->floor_cell[node / CSCG_HEADINGS];
	int h = node % CSCG_HEADINGS;

	eye[0] = cell % s->cols + 0.5 - BEHIND * cscg_heading_col[h];
	eye[1] = cell / s->cols + 0.5 - BEHIND * cscg_heading_row[h];
	eye[2] = s->plane[cell].z + EYE;
}

static void
draw_tint(struct cscg_rng *rng, double most, float tint[3])
{
	double all = most * (2 * cscg_rng_uniform(rng) - 1);
	int i;

	for (i = 0; i < 3; i++)
		tint[i] = (float)(1 + all +
		    0.08 * (2 * cscg_rng_uniform(rng) - 1));
}

/* The texture of a floor at this height: one per metre, cyclically. */
static short
floor_surface(const struct cscg_voxel *map, int cell)
{
	char c = map->cell[cell];

	if (c == ' ')
		return CSCG_GROUND;
	if (c == '#')
		return CSCG_ROOF;
	if (c < '0' || c > '9')
		return CSCG_RAMP;
	return (short)(CSCG_FLOOR + (c - '0' + 1) / 2 % 3);
}

/* A straight wall has one texture along its length. */
static short
wall_surface(const struct cscg_scene *s, int cell, int side)
{
	int line = side % 2 ? cell % s->cols : cell / s->cols;

	return (short)(CSCG_WALL + (line + side) % 3);
}

static void
set_face(struct cscg_scene *s, int cell, int side, struct cscg_rng *rng)
{
	struct cscg_face *f = s->face + cell * CSCG_HEADINGS + side;
	int other = cscg_voxel_neighbour(s->map, cell, side);
	int picture = (int)cscg_rng_below(rng, CSCG_POSTERS);
	bool wall, poster = cscg_rng_uniform(rng) < WALL_POSTERS;

	draw_tint(rng, 0.12, f->tint);
	f->light = -1;
	f->top = wall_top(s, cell, side, other);
	wall = f->top > CSCG_NO_WALL ||
	    (other >= 0 && s->map->cell[other] == '#');
	f->surface = wall ? wall_surface(s, cell, side) : CSCG_RISER;
	if (!cscg_voxel_has_floor(s->map, cell))
		return;
	if (wall && poster)
		f->poster = (short)(1 + picture);
	f->poster_z = (float)(cscg_voxel_edge_height(s->map, cell, side) +
	    POSTER);
}

static void
set_appearance(struct cscg_scene *s)
{
	int n = s->rows * s->cols, i, h, k;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 0, CSCG_RNG_THEME, (uint64_t)s->map->theme,
	    STREAM_SCENE);
	for (k = 0; k < s->theme->n_lamps; k++) {
		i = s->map->floor_cell[cscg_rng_below(&rng, s->map->n_cells)];
		s->lamp[k][0] = i % s->cols + 0.5;
		s->lamp[k][1] = i / s->cols + 0.5;
		s->lamp[k][2] = s->plane[i].z + LAMP;
	}
	for (i = 0; i < n; i++) {
		k = (int)cscg_rng_below(&rng, CSCG_POSTERS);
		s->surface[i] = floor_surface(s->map, i);
		if (cscg_rng_uniform(&rng) < FLOOR_POSTERS &&
		    s->map->cell[i] >= '0' && s->map->cell[i] <= '9')
			s->poster[i] = (short)(1 + k);
		draw_tint(&rng, 0.15, s->tint[i]);
		s->lit[i] = -1;
		for (h = 0; h < CSCG_HEADINGS; h++)
			set_face(s, i, h, &rng);
	}
	for (i = 0; i < n; i++) {
		s->highest = fmax(s->highest, floor_top(s->plane + i));
		for (h = 0; h < CSCG_HEADINGS; h++)
			s->highest = fmax(s->highest,
			    (double)s->face[i * CSCG_HEADINGS + h].top);
	}
}

/* Light that arrives at p on a surface with this normal; shade is 0 to 1. */
static void
light_at(const struct cscg_scene *s, const double p[3], const double normal[3],
    double sun, double shade, double light[3])
{
	const struct cscg_theme *t = s->theme;
	double to[3], dot, far, lamp;
	int i, k;

	for (i = 0; i < 3; i++)
		light[i] = (double)t->ambient[i] * shade *
			(0.85 + 0.15 * normal[2]) +
		    (double)t->sun[i] * sun;
	for (k = 0; k < t->n_lamps; k++) {
		far = 0;
		for (i = 0; i < 3; i++) {
			to[i] = s->lamp[k][i] - p[i];
			far += to[i] * to[i];
		}
		dot = to[0] * normal[0] + to[1] * normal[1] +
		    to[2] * normal[2];
		if (dot <= 0 || far > 64 || scene_occludes(s, p, to, 1))
			continue;
		lamp = dot / sqrt(far) / (0.5 + far) * shade;
		for (i = 0; i < 3; i++)
			light[i] += (double)t->lamp[k][i] * lamp;
	}
}

static void
store_light(const double light[3], unsigned short square[3])
{
	int i;

	for (i = 0; i < 3; i++) {
		double v = light[i] * CSCG_LIGHTMAP_SCALE + 0.5;

		square[i] = v > 65535 ? 65535 : (unsigned short)v;
	}
}

/*
 * Sunlight on a square with corner p and sides a, b: the share of four sample
 * points that see the sun, times the cosine of the incidence angle.
 */
static double
sun_on(const struct cscg_scene *s, const double p[3], const double a[3],
    const double b[3], const double normal[3])
{
	double d[3], q[3], dot = 0;
	int i, k, seen = 0;

	for (i = 0; i < 3; i++) {
		d[i] = (double)s->theme->to_sun[i];
		dot += d[i] * normal[i];
	}
	if (dot <= 0)
		return 0;
	for (k = 0; k < 4; k++) {
		for (i = 0; i < 3; i++)
			q[i] = p[i] + a[i] * (k % 2 ? 0.75 : 0.25) +
			    b[i] * (k < 2 ? 0.25 : 0.75);
		seen += !scene_occludes(s, q, d, 1e9);
	}
	return dot * seen / 4;
}

/*
 * Ambient occlusion: the share of light left beside an object of this height
 * at this distance.
 */
static double
ambient_occlusion(double height, double far)
{
	if (height <= 0)
		return 1;
	height = height > 1 ? 1 : height;
	return 1 - 0.4 * height / (1 + far * far * 14);
}

static void
light_floor(struct cscg_scene *s, int cell)
{
	const struct cscg_plane *pl = s->plane + cell;
	double x0 = cell % s->cols, y0 = cell / s->cols,
	       e = 1.0 / CSCG_LIGHTMAP_SIZE;
	double a[3] = { e, 0, e * pl->east }, b[3] = { 0, e, e * pl->south };
	double n = sqrt(1 + pl->east * pl->east + pl->south * pl->south);
	double normal[3] = { -pl->east / n, -pl->south / n, 1 / n };
	double rise[CSCG_HEADINGS], p[3], light[3];
	int i, j, h;

	for (h = 0; h < CSCG_HEADINGS; h++) {
		double x = x0 + 0.5 + 0.5 * cscg_heading_col[h];
		double y = y0 + 0.5 + 0.5 * cscg_heading_row[h];

		rise[h] = cscg_scene_top(s, cell, h, x, y) -
		    plane_at(s, cell, x, y);
	}
	for (i = 0; i < CSCG_LIGHTMAP_SIZE * CSCG_LIGHTMAP_SIZE; i++) {
		double u = (i % CSCG_LIGHTMAP_SIZE + 0.5) * e;
		double v = ((double)(i / CSCG_LIGHTMAP_SIZE) + 0.5) * e;
		double far[CSCG_HEADINGS] = { v, 1 - u, 1 - v, u }, shade = 1;

		for (h = 0; h < CSCG_HEADINGS; h++)
			shade *= ambient_occlusion(rise[h], far[h]);
		p[0] = x0 + u - e / 2;
		p[1] = y0 + v - e / 2;
		p[2] = plane_at(s, cell, p[0], p[1]) + 0.004;
		light_at(s,
		    (double[]){ p[0] + e / 2, p[1] + e / 2,
			plane_at(s, cell, p[0] + e / 2, p[1] + e / 2) +
			    0.004 },
		    normal, sun_on(s, p, a, b, normal), shade, light);
		for (j = 0; j < 3; j++)
			light[j] *= 0.4 + 0.6 * shade;
		store_light(light, s->light[s->lit[cell] + i]);
	}
}

/* One end of a side, and the direction along it. */
static void
side_of(int cell, int cols, int side, double p[2], double along[2])
{
	p[0] = cell % cols + (side == CSCG_EAST);
	p[1] = cell / cols + (side == CSCG_SOUTH);
	along[0] = side % 2 == 0;
	along[1] = side % 2;
}

static void
light_face(struct cscg_scene *s, int cell, int side)
{
	struct cscg_face *f = s->face + cell * CSCG_HEADINGS + side;
	double e = 1.0 / CSCG_LIGHTMAP_SIZE, corner_p[2], along[2], p[3],
	       light[3];
	double normal[3] = { -cscg_heading_col[side], -cscg_heading_row[side],
		0 };
	double a[3], b[3] = { 0, 0, e };
	int i, k, u, v;

	side_of(cell, s->cols, side, corner_p, along);
	a[0] = e * along[0];
	a[1] = e * along[1];
	a[2] = 0;
	for (i = 0; i < f->up * CSCG_LIGHTMAP_SIZE; i++) {
		u = i % CSCG_LIGHTMAP_SIZE;
		v = i / CSCG_LIGHTMAP_SIZE;
		for (k = 0; k < 2; k++)
			p[k] = corner_p[k] + u * a[k] + 0.004 * normal[k];
		p[2] = (double)f->foot + v * e + 0.004;
		light_at(s,
		    (double[]){
			p[0] + a[0] / 2, p[1] + a[1] / 2, p[2] + e / 2 },
		    normal, sun_on(s, p, a, b, normal),
		    ambient_occlusion(1, v * e), light);
		for (k = 0; k < 3; k++)
			light[k] *= 0.4 + 0.6 * ambient_occlusion(1, v * e);
		store_light(light, s->light[f->light + i]);
	}
}

/* Count the light-map squares; faces that cannot be approached have none. */
static int
count_squares(struct cscg_scene *s)
{
	int n = s->rows * s->cols, i, h, squares = 0;

	for (i = 0; i < n; i++) {
		if (!cscg_voxel_has_floor(s->map, i))
			continue;
		s->lit[i] = squares;
		squares += CSCG_LIGHTMAP_SIZE * CSCG_LIGHTMAP_SIZE;
		for (h = 0; h < CSCG_HEADINGS; h++) {
			struct cscg_face *f = s->face + i * CSCG_HEADINGS + h;
			double p[2], along[2], q[2], top;

			side_of(i, s->cols, h, p, along);
			q[0] = p[0] + along[0];
			q[1] = p[1] + along[1];
			f->foot = (float)fmin(plane_at(s, i, p[0], p[1]),
			    plane_at(s, i, q[0], q[1]));
			top = fmax(cscg_scene_top(s, i, h, p[0], p[1]),
			    cscg_scene_top(s, i, h, q[0], q[1]));
			if (top <= (double)f->foot)
				continue;
			f->up = (int)((top - (double)f->foot) *
				    CSCG_LIGHTMAP_SIZE) +
			    1;
			f->light = squares;
			squares += f->up * CSCG_LIGHTMAP_SIZE;
		}
	}
	return squares;
}

static int
set_light(struct cscg_scene *s, struct cscg_err *err)
{
	int n = s->rows * s->cols, i, h, k;

	for (k = 0; k < 3; k++)
		s->uniform_light[k] = s->theme->ambient[k] +
		    s->theme->sun[k] * s->theme->to_sun[2];
	for (i = 0; i < n * CSCG_HEADINGS; i++)
		for (k = 0; k < 3; k++)
			s->face[i].uniform_light[k] = s->theme->ambient[k];
	s->light = cscg_alloc((size_t)count_squares(s), sizeof *s->light, err);
	if (!s->light)
		return -1;
	for (i = 0; i < n; i++) {
		if (s->lit[i] >= 0)
			light_floor(s, i);
		for (h = 0; h < CSCG_HEADINGS; h++)
			if (s->face[i * CSCG_HEADINGS + h].light >= 0)
				light_face(s, i, h);
	}
	return 0;
}

struct cscg_scene *
cscg_scene_new(const struct cscg_voxel *map, struct cscg_err *err)
{
	struct cscg_scene *s = cscg_alloc(1, sizeof *s, err);
	size_t n = (size_t)map->rows * map->cols;

	if (!s)
		return NULL;
	s->map = map;
	s->rows = map->rows;
	s->cols = map->cols;
	s->theme = theme_new(map->theme, err);
	s->plane = s->theme ? cscg_alloc(n, sizeof *s->plane, err) : NULL;
	s->surface = s->plane ? cscg_alloc(n, sizeof *s->surface, err) : NULL;
	s->poster = s->surface ? cscg_alloc(n, sizeof *s->poster, err) : NULL;
	s->tint = s->poster ? cscg_alloc(n, sizeof *s->tint, err) : NULL;
	s->lit = s->tint ? cscg_alloc(n, sizeof *s->lit, err) : NULL;
	s->face = s->lit ?
	    cscg_alloc(n * CSCG_HEADINGS, sizeof *s->face, err) :
	    NULL;
	if (!s->face)
		goto fail;
	set_planes(s);
	set_appearance(s);
	if (set_light(s, err) < 0)
		goto fail;
	return s;
fail:
	cscg_scene_free(s);
	return NULL;
}

void
cscg_scene_free(struct cscg_scene *s)
{
	if (!s)
		return;
	theme_free(s->theme);
	free(s->plane);
	free(s->surface);
	free(s->poster);
	free(s->tint);
	free(s->lit);
	free(s->face);
	free(s->light);
	free(s);
}

/*
 * themes of 3D rooms: lighting, and matching colours
 *
 * Walls take a hue and its neighbours, floors the opposite side of the colour
 * wheel, and the light is one of day, evening, overcast, night and mist,
 * cyclically.  Pictures on walls and floors may be saturated: they distinguish
 * positions.
 */

enum lighting { DAY, EVENING, OVERCAST, NIGHT, MIST, N_LIGHTINGS };

/* Streams of CSCG_RNG_THEME, i = theme; STREAM_SCENE is 1. */
enum { STREAM_THEME = 0 };

static float
uniform_between(struct cscg_rng *rng, double lo, double hi)
{
	return (float)(lo + (hi - lo) * cscg_rng_uniform(rng));
}

static void
set_colour(float c[3], double r, double g, double b)
{
	c[0] = (float)r;
	c[1] = (float)g;
	c[2] = (float)b;
}

/* Conversion of hue 0..1, saturation and value without trigonometry. */
static void
hsv(double h, double s, double v, float c[3])
{
	static const int shift[] = { 0, 4, 2 }; /* sixths to each channel */
	int i;

	h -= (int)h;
	if (h < 0)
		h += 1;
	for (i = 0; i < 3; i++) {
		double k = h * 6 + shift[i], d;

		k -= k >= 6 ? 6 : 0;
		d = k < 3 ? 3 - k : k - 3; /* 3 at 0, 0 at 3 */
		d = d < 1 ? 0 : d > 2 ? 1 : d - 1;
		c[i] = (float)(v * (1 - s + s * d));
	}
}

/* Ranges of saturation, of value, and of the offset of the hue. */
struct hsv_range {
	double h[2], s[2], v[2];
};

/* A random colour.  The order of the draws, value first, is part of a theme. */
static void
draw_hsv(struct cscg_rng *rng, double hue, struct hsv_range range, float c[3])
{
	double v = uniform_between(rng, range.v[0], range.v[1]);
	double s = uniform_between(rng, range.s[0], range.s[1]);

	hsv(hue + uniform_between(rng, range.h[0], range.h[1]), s, v, c);
}

/* Direction to a sun at this height per metre of distance. */
static void
set_sun_direction(struct cscg_theme *t, struct cscg_rng *rng, double height)
{
	double x = 2 * cscg_rng_uniform(rng) - 1;
	double y = 2 * cscg_rng_uniform(rng) - 1, n;

	/* Not along the axes, so that walls differ in brightness. */
	x += x < 0 ? -0.35 : 0.35;
	y += y < 0 ? -0.35 : 0.35;
	n = sqrt(x * x + y * y);
	x /= n;
	y /= n;
	n = sqrt(1 + height * height);
	set_colour(t->to_sun, x / n, y / n, height / n);
}

static void
set_lamps(struct cscg_theme *t, struct cscg_rng *rng, int n, double power)
{
	double saturation;
	int i, k;

	t->n_lamps = n;
	for (k = 0; k < n; k++) {
		saturation = uniform_between(rng, 0.35, 0.8);
		hsv(uniform_between(rng, 0, 1), saturation, power, t->lamp[k]);
		for (i = 0; i < 3; i++)
			t->lamp[k][i] += (float)(0.1 * power);
	}
}

static void
set_lighting(struct cscg_theme *t, enum lighting lighting,
    struct cscg_rng *rng)
{
	double hue;

	t->haze = uniform_between(rng, 0.03, 0.06);
	switch (lighting) {
	case DAY:
		set_sun_direction(t, rng, uniform_between(rng, 0.9, 1.6));
		set_colour(t->sun, 0.95, 0.9, 0.8);
		set_colour(t->ambient, 0.44, 0.47, 0.53);
		hue = uniform_between(rng, 0.53, 0.64);
		hsv(hue, uniform_between(rng, 0.5, 0.75), 0.85, t->zenith);
		hsv(hue, uniform_between(rng, 0.12, 0.25), 0.96, t->horizon);
		set_colour(t->glow, 0.16, 0.14, 0.08);
		t->cloud = uniform_between(rng, 0.2, 0.8);
		set_lamps(t, rng, 1, 0.35);
		break;
	case EVENING:
		set_sun_direction(t, rng, uniform_between(rng, 0.45, 0.75));
		hsv(uniform_between(rng, 0.03, 0.1), 0.55, 1.25, t->sun);
		hsv(uniform_between(rng, 0.66, 0.82), 0.25, 0.46, t->ambient);
		hsv(uniform_between(rng, 0.6, 0.75), 0.55, 0.55, t->zenith);
		hsv(uniform_between(rng, 0.0, 0.11), 0.55, 0.95, t->horizon);
		set_colour(t->glow, 0.3, 0.16, 0);
		t->cloud = uniform_between(rng, 0.3, 0.9);
		set_lamps(t, rng, 2, 0.5);
		break;
	case OVERCAST:
		set_sun_direction(t, rng, 2);
		set_colour(t->sun, 0.25, 0.25, 0.27);
		hue = uniform_between(rng, 0, 1);
		hsv(hue, 0.1, 0.72, t->ambient);
		hsv(hue, 0.12, 0.6, t->zenith);
		hsv(hue, 0.06, 0.84, t->horizon);
		t->cloud = 1;
		set_lamps(t, rng, 2, 0.6);
		break;
	case NIGHT:
		set_sun_direction(t, rng, uniform_between(rng, 0.8, 1.4));
		set_colour(t->sun, 0.3, 0.36, 0.5);
		hsv(uniform_between(rng, 0.58, 0.75), 0.3, 0.5, t->ambient);
		hsv(uniform_between(rng, 0.6, 0.75), 0.7, 0.16, t->zenith);
		hsv(uniform_between(rng, 0.55, 0.85), 0.5, 0.34, t->horizon);
		set_colour(t->glow, 0.06, 0.08, 0.12);
		t->cloud = uniform_between(rng, 0, 0.5);
		set_lamps(t, rng, 3, 1.5);
		break;
	default:
		set_sun_direction(t, rng, uniform_between(rng, 0.6, 1.2));
		hue = uniform_between(rng, 0, 1);
		hsv(hue, 0.25, 0.6, t->sun);
		hsv(hue, 0.15, 0.55, t->ambient);
		hsv(hue + 0.05, 0.3, 0.75, t->zenith);
		hsv(hue, 0.2, 0.85, t->horizon);
		set_colour(t->glow, 0.1, 0.1, 0.1);
		t->haze = uniform_between(rng, 0.08, 0.11);
		t->cloud = 0.3f;
		set_lamps(t, rng, 2, 0.7);
		break;
	}
}

/* The k-th kind from the one drawn on, among first..last. */
static enum cscg_paint
pick_kind(enum cscg_paint first, enum cscg_paint last, long drawn, int k)
{
	return first +
	    (enum cscg_paint)((drawn + k) % ((long)last - first + 1));
}

static void
set_surfaces(struct cscg_theme *t, struct cscg_rng *rng)
{
	static const struct hsv_range
	    walls = { { -0.09, 0.09 }, { 0.2, 0.6 }, { 0.55, 0.9 } },
	    floors = { { -0.09, 0.09 }, { 0.15, 0.5 }, { 0.45, 0.8 } },
	    ramps = { { 0.1, 0.2 }, { 0.3, 0.6 }, { 0.55, 0.75 } },
	    risers = { { 0.4, 0.6 }, { 0.1, 0.35 }, { 0.5, 0.7 } },
	    grass = { { 0.15, 0.4 }, { 0.2, 0.5 }, { 0.4, 0.6 } };
	double hue = cscg_rng_uniform(rng);
	double other = hue + uniform_between(rng, 0.3, 0.7);
	long wall = cscg_rng_below(rng, 60), floor = cscg_rng_below(rng, 60);
	float c[3];
	int k;

	for (k = 0; k < 3; k++) {
		draw_hsv(rng, hue, walls, c);
		cscg_paint_surface(rng,
		    pick_kind(CSCG_PAINT_BRICKS, CSCG_PAINT_STRIPES, wall, k),
		    c, &t->surface[CSCG_WALL + k]);
		draw_hsv(rng, other, floors, c);
		cscg_paint_surface(rng,
		    pick_kind(CSCG_PAINT_CHECKS, CSCG_PAINT_SQUARES, floor, k),
		    c, &t->surface[CSCG_FLOOR + k]);
	}
	draw_hsv(rng, other, ramps, c);
	cscg_paint_surface(rng, CSCG_PAINT_BOARDS, c, &t->surface[CSCG_RAMP]);
	draw_hsv(rng, hue, risers, c);
	cscg_paint_surface(rng, CSCG_PAINT_BLOCKS, c, &t->surface[CSCG_RISER]);
	hsv(hue, 0.25, uniform_between(rng, 0.35, 0.5), c);
	cscg_paint_surface(rng, CSCG_PAINT_SLAB, c, &t->surface[CSCG_ROOF]);
	draw_hsv(rng, 0, grass, c);
	cscg_paint_surface(rng, CSCG_PAINT_GRASS, c, &t->surface[CSCG_GROUND]);
}

static struct cscg_theme *
theme_new(int number, struct cscg_err *err)
{
	static const struct hsv_range second = { { 0.25, 0.75 }, { 0.4, 0.9 },
		{ 0.6, 1 } },
				      third = { { 0, 1 }, { 0, 0.4 },
					      { 0.1, 1 } };
	struct cscg_theme *t = cscg_alloc(1, sizeof *t, err);
	struct cscg_rng rng;
	float a[3], b[3], c[3];
	double hue, value;
	int k;

	if (!t)
		return NULL;
	cscg_rng_seed(&rng, 0, CSCG_RNG_THEME, (uint64_t)number, STREAM_THEME);
	set_lighting(t, (enum lighting)(number % N_LIGHTINGS), &rng);
	t->wall_height = uniform_between(&rng, 1.9, 2.4);
	set_surfaces(t, &rng);
	for (k = 0; k < CSCG_POSTERS; k++) {
		hue = cscg_rng_uniform(&rng);
		value = uniform_between(&rng, 0.5, 1);
		hsv(hue, uniform_between(&rng, 0.4, 0.9), value, a);
		draw_hsv(&rng, hue, second, b);
		draw_hsv(&rng, hue, third, c);
		cscg_paint_poster(&rng, k, a, b, c, &t->poster[k]);
	}
	cscg_paint_clouds(&rng, t->clouds);
	return t;
}

static void
theme_free(struct cscg_theme *theme)
{
	free(theme);
}
