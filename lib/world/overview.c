/*
 * overview.c - top-down and isometric views of a 3D room
 *
 * Both use parallel rays: vertical, or from the south-east and above.  A ray
 * starts above the scene and descends cell by cell until it meets a floor or a
 * face.
 */
#include <math.h>
#include <stdlib.h>

#include "world/render.h"
#include "world/overview.h"

#define MARGIN 0.35 /* metres of margin */
#define ACROSS \
	0.70710678118654752 /* isometric: pixels per metre, horizontally, */
#define DEEP 0.4            /* in depth, */
#define HIGH 0.78           /* and in height */
#define FOOT 0.12           /* height at which a near wall is cut off */
#define INNER 0.45          /* the same of a wall within the room */
#define STUMP 0.8           /* the same of a solid cell */
#define THICK 0.05          /* half the thickness of a wall, from above */

enum { SAMPLES = 2, PAPER = 244 };

static const unsigned char path_colour[3] = { 255, 64, 48 };
static const unsigned char start_colour[3] = { 40, 200, 90 };
static const unsigned char rim_colour[3] = { 20, 20, 30 };

struct view {
	const struct cscg_scene *s;
	const struct cscg_overview_options *opt;
	double top, left; /* row and column of the origin, in pixels */
	int rows, cols;
};

/* Row and column of a point in the image. */
static void
project(const struct view *v, const double p[3], double at[2])
{
	double scale = v->opt->scale;

	if (v->opt->iso) {
		at[0] = v->top + ((p[0] + p[1]) * DEEP - p[2] * HIGH) * scale;
		at[1] = v->left + (p[0] - p[1]) * ACROSS * scale;
	} else {
		at[0] = v->top + p[1] * scale;
		at[1] = v->left + p[0] * scale;
	}
}

/* Size of the image: the bounding box of the room, and a margin. */
static void
set_view_size(struct view *v)
{
	const struct cscg_scene *s = v->s;
	double lo[2] = { 1e9, 1e9 }, hi[2] = { -1e9, -1e9 }, p[3], at[2];
	double margin = MARGIN * v->opt->scale;
	int i, k;

	for (i = 0; i < 8; i++) {
		p[0] = i & 1 ? s->cols : 0;
		p[1] = i & 2 ? s->rows : 0;
		p[2] = i & 4 ? s->highest : s->ground;
		project(v, p, at);
		for (k = 0; k < 2; k++) {
			lo[k] = fmin(lo[k], at[k]);
			hi[k] = fmax(hi[k], at[k]);
		}
	}
	v->top = margin - lo[0];
	v->left = margin - lo[1];
	v->rows = (int)ceil(hi[0] - lo[0] + 2 * margin);
	v->cols = (int)ceil(hi[1] - lo[1] + 2 * margin);
}

static double
plane_at(const struct cscg_scene *s, int cell, double x, double y)
{
	const struct cscg_plane *p = s->plane + cell;
	double z = p->z + p->east * (x - cell % s->cols - 0.5) +
	    p->south * (y - cell / s->cols - 0.5);

	/* A solid cell is drawn up to STUMP only. */
	if (s->map->cell[cell] == '#')
		z += STUMP - (double)s->theme->wall_height;
	return z;
}

static bool
is_floor(const struct cscg_scene *s, int cell)
{
	return cell >= 0 && cscg_voxel_has_floor(s->map, cell);
}

/* Height of the near side of a cell, seen from cell (-1: outside). */
static double
face_top(const struct cscg_scene *s, int cell, int side, int other, double x,
    double y)
{
	double here = cell < 0 ? s->ground : plane_at(s, cell, x, y);
	double top = other < 0 ? s->ground : plane_at(s, other, x, y), wall;

	if (!is_floor(s, cell) && !is_floor(s, other))
		return top;
	wall = cell >= 0 ?
	    (double)s->face[cell * CSCG_HEADINGS + side].top :
	    (double)s->face[other * CSCG_HEADINGS + (side + 2) % CSCG_HEADINGS]
		.top;
	if (wall <= (double)CSCG_NO_WALL)
		return top;
	if (!is_floor(s, cell))
		return top + FOOT;
	if (is_floor(s, other))
		return fmax(here, top) + INNER;
	return wall;
}

static void
paper_colour(float c[3])
{
	/* The colour that cscg_shade_byte() gives for PAPER. */
	c[0] = c[1] = c[2] = 0.5f + 0.0625f / (1 - PAPER / 255.0f);
}

static void
shade_side(const struct cscg_scene *s, int cell, int side, int other, double x,
    double y, double z, int level, float c[3])
{
	const struct cscg_face *f = cell >= 0 ?
	    s->face + cell * CSCG_HEADINGS + side :
	    s->face + other * CSCG_HEADINGS + (side + 2) % CSCG_HEADINGS;
	double u = side % 2 ? y : x;

	cscg_shade_face(s, f, (float)(u - floor(u)), (float)z, level, c);
}

static void
shade_cell(const struct cscg_scene *s, int cell, double x, double y, int level,
    float c[3])
{
	int i;

	if (s->map->cell[cell] == ' ') {
		paper_colour(c);
		return;
	}
	cscg_shade_top(s, cell, (float)(x - cell % s->cols),
	    (float)(y - cell / s->cols), level, c);
	for (i = 0; i < 3 && s->map->cell[cell] == '#'; i++)
		c[i] *= 0.6f;
}

static int
cell_at(const struct cscg_scene *s, int col, int row)
{
	if (col < 0 || row < 0 || col >= s->cols || row >= s->rows)
		return -1;
	return row * s->cols + col;
}

/* The colour at the first hit of a ray from p in direction d. */
static void
trace_ray(const struct cscg_scene *s, const double p[3], const double d[3],
    int level, float c[3])
{
	double t0 = 0, t, x, y, z, a, b, q;
	struct cscg_dda dda;
	int axis, side, cell, other;

	cscg_dda_init(&dda, p[0], p[1], d[0], d[1]);
	for (;;) {
		cell = cell_at(s, dda.cell[0], dda.cell[1]);
		axis = cscg_dda_axis(&dda);
		side = cscg_dda_side(&dda, axis);
		t = dda.next[axis];
		x = p[0] + t * d[0];
		y = p[1] + t * d[1];
		z = p[2] + t * d[2];
		/*
		 * Height above the top of the cell: a at the entry of the ray,
		 * b at its exit.
		 */
		a = p[2] + t0 * d[2] -
		    (cell < 0 ? s->ground :
				plane_at(s, cell, p[0] + t0 * d[0],
				    p[1] + t0 * d[1]));
		b = z - (cell < 0 ? s->ground : plane_at(s, cell, x, y));
		if (b < 0) {
			q = a > 0 ? t0 + (t - t0) * a / (a - b) : t0;
			if (cell < 0)
				paper_colour(c);
			else
				shade_cell(s, cell, p[0] + q * d[0],
				    p[1] + q * d[1], level, c);
			return;
		}
		cscg_dda_step(&dda, axis);
		other = cell_at(s, dda.cell[0], dda.cell[1]);
		if ((cell >= 0 || other >= 0) &&
		    z < face_top(s, cell, side, other, x, y)) {
			shade_side(s, cell, side, other, x, y, z, level, c);
			return;
		}
		t0 = t;
	}
}

/* Distance of the point from the nearest wall or step of its cell. */
static void
edge_distances(const struct cscg_scene *s, int cell, double u, double v,
    double *wall, double *step)
{
	double far[CSCG_HEADINGS] = { v, 1 - u, 1 - v, u }, rise;
	int h, other;

	*wall = *step = 9;
	for (h = 0; h < CSCG_HEADINGS; h++) {
		other = cscg_voxel_neighbour(s->map, cell, h);
		if (s->face[cell * CSCG_HEADINGS + h].top > CSCG_NO_WALL) {
			*wall = fmin(*wall, far[h]);
		} else if (is_floor(s, other)) {
			rise = cscg_voxel_edge_height(s->map, other,
				   (h + 2) % CSCG_HEADINGS) -
			    cscg_voxel_edge_height(s->map, cell, h);
			if (rise > 0.3)
				*step = fmin(*step, far[h]);
		}
	}
}

/* A map: higher floors are brighter, walls and steps are lines. */
static void
sample_map(const struct cscg_scene *s, double x, double y, int level,
    float c[3])
{
	int cell = cell_at(s, (int)floor(x), (int)floor(y)), i;
	double wall, step, z;
	float bright;

	if (cell < 0 || s->map->cell[cell] == ' ') {
		paper_colour(c);
		return;
	}
	shade_cell(s, cell, x, y, level, c);
	if (s->map->cell[cell] == '#') {
		for (i = 0; i < 3; i++)
			c[i] *= 0.3f;
		return;
	}
	z = plane_at(s, cell, x, y) - s->ground;
	bright = (float)(0.85 + 0.2 * z);
	edge_distances(s, cell, x - cell % s->cols, y - cell / s->cols, &wall,
	    &step);
	if (wall < THICK)
		bright = 0.12f;
	else if (step < 2 * THICK)
		bright *= 0.35f;
	for (i = 0; i < 3; i++)
		c[i] *= bright;
}

static void
sample(const struct view *v, double row, double col, int level, float c[3])
{
	const double down[3] = { -1, -1, -2 * DEEP / HIGH };
	double scale = v->opt->scale, across, along, p[3];

	if (!v->opt->iso) {
		sample_map(v->s, (col - v->left) / scale,
		    (row - v->top) / scale, level, c);
		return;
	}
	/* Start above the scene, slightly off the lines of the grid. */
	p[2] = v->s->highest + 0.01;
	across = (col - v->left) / (ACROSS * scale);
	along = ((row - v->top) / scale + p[2] * HIGH) / DEEP;
	p[0] = (along + across) / 2 + 1e-7;
	p[1] = (along - across) / 2 + 3e-7;
	trace_ray(v->s, p, down, level, c);
}

static void
draw_pixels(const struct view *v, struct cscg_image *image)
{
	int level = cscg_shade_level((float)CSCG_TEXELS /
		(float)(SAMPLES * v->opt->scale)),
	    x, y, i, k;
	float c[3], sum[3];

	for (y = 0; y < image->rows; y++)
		for (x = 0; x < image->cols; x++) {
			sum[0] = sum[1] = sum[2] = 0;
			for (k = 0; k < SAMPLES * SAMPLES; k++) {
				sample(v,
				    y +
					((double)(k / SAMPLES) + 0.5) /
					    SAMPLES,
				    x + (k % SAMPLES + 0.5) / SAMPLES, level,
				    c);
				for (i = 0; i < 3; i++)
					sum[i] += c[i];
			}
			for (i = 0; i < 3; i++)
				image->rgb[((size_t)y * (size_t)image->cols +
					       (size_t)x) *
					3 +
				    (size_t)i] = cscg_shade_byte(sum[i] /
				    (SAMPLES * SAMPLES));
		}
}

/* The centre of the cell of a node, slightly above the floor. */
static void
project_node(const struct view *v, int node, double at[2])
{
	int cell = v->s->map->floor_cell[node / CSCG_HEADINGS];
	double p[3] = { cell % v->s->cols + 0.5, cell / v->s->cols + 0.5,
		v->s->plane[cell].z + 0.1 };

	project(v, p, at);
}

/* A line with a dark outline; a rotation draws nothing. */
static void
draw_path(const struct view *v, struct cscg_image *image)
{
	const struct cscg_overview_options *opt = v->opt;
	double from[2], to[2], width = opt->scale * 0.1;
	int rim;
	long i;

	for (rim = 1; rim >= 0; rim--)
		for (i = 1; i < opt->n_path; i++) {
			if (opt->path[i] < 0 || opt->path[i - 1] < 0 ||
			    opt->path[i] / CSCG_HEADINGS ==
				opt->path[i - 1] / CSCG_HEADINGS)
				continue;
			project_node(v, opt->path[i - 1], from);
			project_node(v, opt->path[i], to);
			cscg_image_line(image, from, to,
			    width * (1 + 0.7 * rim),
			    rim ? rim_colour : path_colour);
		}
	for (i = 0; i < opt->n_path; i++) {
		if (opt->path[i] < 0 ||
		    (i && opt->path[i - 1] >= 0 && i + 1 < opt->n_path &&
			opt->path[i + 1] >= 0))
			continue;
		project_node(v, opt->path[i], to);
		cscg_image_line(image, to, to, width * 3.4, rim_colour);
		cscg_image_line(image, to, to, width * 2.6,
		    i && opt->path[i - 1] >= 0 ? path_colour : start_colour);
	}
}

struct cscg_image *
cscg_overview_render(const struct cscg_scene *scene,
    const struct cscg_overview_options *opt, struct cscg_err *err)
{
	struct view v = { .s = scene, .opt = opt };
	struct cscg_image *image;

	set_view_size(&v);
	image = cscg_image_new(v.rows, v.cols, PAPER, err);
	if (!image)
		return NULL;
	draw_pixels(&v, image);
	draw_path(&v, image);
	return image;
}
