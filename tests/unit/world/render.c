/* render - images of 3D rooms against stepwise tracing of every ray */
#include <stdlib.h>
#include <string.h>

#include "need.h"
#include "world/overview.h"
#include "world/render.h"
#include "world/room.h"
#include "tap.h"
#include "world/voxel_io.h"

/*
 * The room that is traced. Its heights are repeated here by hand: the ramp of
 * row 0 rises from x = 1 to x = 3 by 1 m.
 */
enum { ROWS = 4, COLS = 4 };
static const char map_text[ROWS][COLS + 1] = {
	"0>>2",
	"0002",
	"0#02",
	"000 ",
};

static struct cscg_voxel *
the_map(void)
{
	struct cscg_voxel *v = need(cscg_voxel_new(ROWS, COLS, &err));
	int r, at;

	for (r = 0; r < ROWS; r++)
		memcpy(v->cell + r * COLS, map_text[r], COLS);
	if (cscg_voxel_compute_floors(v, &at, &err) < 0)
		need(NULL);
	return v;
}

static char
cell_at(int row, int col)
{
	if (row < 0 || col < 0 || row >= ROWS || col >= COLS)
		return ' ';
	return map_text[row][col];
}

static bool
is_floor(char c)
{
	return c != ' ' && c != '#';
}

/*
 * Height of the floor at a point; the pillar, like all walls, begins at height
 * 0.
 */
static double
height(int row, int col, double x, double wall)
{
	switch (cell_at(row, col)) {
	case '>':
		return (x - 1) * 0.5;
	case '2':
		return 1;
	case '#':
		return wall;
	default:
		return 0;
	}
}

/* The highest point of the floor of a cell. */
static double
floor_top(int row, int col)
{
	char c = cell_at(row, col);

	return c == '2' ? 1 : c == '>' ? (col == 1 ? 0.5 : 1) : 0;
}

/* The surface, cell and side that a ray hits; surface -1 is the sky. */
struct hit {
	int surface, cell, side;
};

static bool
same_hit(struct hit a, struct hit b)
{
	return a.surface == b.surface && a.cell == b.cell && a.side == b.side;
}

static int
top_surface(char c)
{
	return c == ' ' ? CSCG_GROUND :
	    c == '#'    ? CSCG_ROOF :
	    c == '>'    ? CSCG_RAMP :
	    c == '2'    ? CSCG_FLOOR + 1 :
			  CSCG_FLOOR;
}

/* The top of the wall between two cells, or below everything. */
static double
wall_between(int r0, int c0, int r1, int c1, double wall)
{
	char a = cell_at(r0, c0), b = cell_at(r1, c1);

	if (is_floor(a) && b == ' ')
		return floor_top(r0, c0) + wall;
	if (a == ' ' && is_floor(b))
		return floor_top(r1, c1) + wall;
	return -9;
}

/* Trace in small steps from p in direction d. */
static struct hit
march(const double p[3], const double d[3], double wall)
{
	const double step = 0.004;
	int row = (int)p[1], col = (int)p[0], r, c;
	double t, x, y, z, top;

	for (t = 0; t < 14; t += step) {
		x = p[0] + t * d[0];
		y = p[1] + t * d[1];
		z = p[2] + t * d[2];
		r = (int)floor(y);
		c = (int)floor(x);
		if (r != row || c != col) {
			struct hit face = { 0, row * COLS + col,
				r < row     ? CSCG_NORTH :
				    r > row ? CSCG_SOUTH :
				    c > col ? CSCG_EAST :
					      CSCG_WEST };

			top = wall_between(row, col, r, c, wall);
			if (z < top ||
			    (z < height(r, c, x, wall) &&
				cell_at(r, c) == '#')) {
				face.surface = CSCG_WALL;
				return face;
			}
			if (z < height(r, c, x, wall)) {
				face.surface = CSCG_RISER;
				return face;
			}
			row = r;
			col = c;
		}
		if (z < height(row, col, x, wall))
			return (struct hit){ top_surface(cell_at(row, col)),
				cell_at(row, col) == ' ' ? -1 :
							   row * COLS + col,
				-1 };
	}
	/* Outside of the map the ground has height 0. */
	return (struct hit){ d[2] < -0.001 ? CSCG_GROUND : -1, -1, -1 };
}

enum {
	RED = 10,
	RED_STEP = 15,
	GREEN = 4,
	GREEN_STEP = 8,
	BLUE = 10,
	BLUE_STEP = 40,
	FULL = 150
};

/* Colours that encode surface (red), cell (green) and side (blue). */
static void
make_plain(struct cscg_scene *s)
{
	int i, k, level, texel;
	size_t n = 0, j;

	for (k = 0; k < CSCG_SURFACES; k++)
		for (level = 0; level < CSCG_LEVELS; level++)
			for (texel = 0; texel < CSCG_TEXELS * CSCG_TEXELS;
			     texel++) {
				unsigned char *c =
				    s->theme->surface[k].texel[level][texel];
				int code = k >= CSCG_WALL && k < CSCG_RISER ?
				    CSCG_WALL :
				    k;

				c[0] = (unsigned char)(RED + RED_STEP * code);
				c[1] = c[2] = FULL;
			}
	for (i = 0; i < s->rows * s->cols; i++) {
		s->poster[i] = 0;
		s->tint[i][0] = 1;
		s->tint[i][1] = (float)(GREEN + GREEN_STEP * i) / FULL;
		s->tint[i][2] = 0;
		n += s->lit[i] >= 0 ? CSCG_LIGHTMAP_SIZE * CSCG_LIGHTMAP_SIZE :
				      0;
		for (k = 0; k < 4; k++) {
			struct cscg_face *f = s->face + i * 4 + k;

			f->poster = 0;
			f->foot = -1000; /* no skirting board */
			f->tint[0] = 1;
			f->tint[1] = s->tint[i][1];
			f->tint[2] = (float)(BLUE + BLUE_STEP * k) / FULL;
			memcpy(f->uniform_light, f->tint,
			    sizeof f->uniform_light);
			n += f->light >= 0 ?
			    (size_t)f->up * CSCG_LIGHTMAP_SIZE :
			    0;
		}
	}
	for (j = 0; j < n; j++)
		s->light[j][0] = s->light[j][1] = s->light[j][2] =
		    CSCG_LIGHTMAP_SCALE;
	for (k = 0; k < 3; k++) {
		s->uniform_light[k] = k ? 0 : 1;
		s->theme->zenith[k] = s->theme->horizon[k] =
		    s->theme->glow[k] = 0;
	}
	s->theme->haze = 0;
	memset(s->theme->clouds, 0, sizeof s->theme->clouds);
}

static int
code(int byte, int base, int step)
{
	return byte < base - 1 ? -1 : (byte - base + step / 2) / step;
}

static struct hit
decode(const unsigned char *rgb)
{
	struct hit hit = { code(rgb[0], RED, RED_STEP),
		code(rgb[1], GREEN, GREEN_STEP),
		code(rgb[2], BLUE, BLUE_STEP) };

	if (hit.surface == CSCG_ROOF || hit.surface == CSCG_GROUND)
		hit.cell = hit.side = -1;
	return hit;
}

enum { SIDE = 16, SAMPLES = 2 };

/*
 * All images of the room, pixel by pixel. Where the four rays of a pixel hit
 * the same surface, the pixel must show it, except within one step of the
 * border of another surface.
 */
static void
test_march(void)
{
	struct cscg_voxel *v = the_map();
	struct cscg_scene *s = need(cscg_scene_new(v, &err));
	struct cscg_render *r = need(cscg_render_new(s, SIDE, SIDE, &err));
	static unsigned char rgb[SIDE * SIDE * 3];
	static struct hit want[SIDE * SAMPLES][SIDE * SAMPLES];
	double wall = (double)s->theme->wall_height, eye[3], d[3], u;
	long compared = 0, wrong = 0, edge = 0;
	int node, x, y, i, j, kinds[CSCG_SURFACES + 1] = { 0 };

	make_plain(s);
	for (node = 0; node < 4 * v->n_cells; node++) {
		int h = node % 4, right = (h + 1) % 4;

		cscg_scene_eye(s, node, eye);
		cscg_render_view(r, node, rgb);
		for (y = 0; y < SIDE * SAMPLES; y++)
			for (x = 0; x < SIDE * SAMPLES; x++) {
				u = 2 * (x + 0.5) / (SIDE * SAMPLES) - 1;
				d[0] = cscg_heading_col[h] +
				    u * cscg_heading_col[right];
				d[1] = cscg_heading_row[h] +
				    u * cscg_heading_row[right];
				d[2] = 1 - 2 * (y + 0.5) / (SIDE * SAMPLES);
				want[y][x] = march(eye, d, wall);
			}
		for (y = 1; y < SIDE - 1; y++)
			for (x = 1; x < SIDE - 1; x++) {
				struct hit is = decode(rgb +
					       (y * SIDE + x) * 3),
					   w = want[2 * y][2 * x];
				bool all = true, near_by = false;

				for (i = -1; i < 3; i++)
					for (j = -1; j < 3; j++) {
						struct hit o =
						    want[2 * y + i][2 * x + j];

						near_by |= same_hit(o, is);
						all &= i < 0 || i > 1 ||
						    j < 0 || j > 1 ||
						    same_hit(o, w);
					}
				if (w.surface == CSCG_ROOF ||
				    w.surface == CSCG_GROUND)
					w.cell = w.side = -1;
				if (!all)
					continue;
				compared++;
				kinds[w.surface + 1]++;
				if (same_hit(is, w))
					continue;
				edge += near_by;
				wrong += !near_by;
				if (!near_by && wrong < 5)
					printf("# node %d, %d,%d: is "
					       "%d/%d/%d, not %d/%d/%d\n",
					    node, y, x, is.surface, is.cell,
					    is.side, w.surface, w.cell,
					    w.side);
			}
	}
	ok(wrong == 0 && edge < compared / 200,
	    "%ld pixels equal a march along their rays; %ld differ at edges",
	    compared, edge);
	ok(kinds[0] && kinds[CSCG_FLOOR + 1] && kinds[CSCG_FLOOR + 2] &&
		kinds[CSCG_RAMP + 1] && kinds[CSCG_WALL + 1] &&
		kinds[CSCG_RISER + 1],
	    "sky, floors, ramp, walls and risers occur");
	cscg_render_free(r);
	cscg_scene_free(s);
	cscg_voxel_free(v);
}

/*
 * One cell: the wall is 0.8 m away, so floor would begin 0.9 / 0.8 below the
 * middle, out of a picture that ends at 1; and a wall of 1.9 m or more rises
 * to 1.0 / 0.8 above it.  All that is seen ahead is the wall.
 */
static void
test_wall_ahead(void)
{
	struct cscg_voxel *v = need(cscg_voxel_new(1, 1, &err));
	static unsigned char rgb[SIDE * SIDE * 3];
	struct cscg_render *r;
	struct cscg_scene *s;
	int at, h, y, good = 1;

	v->cell[0] = '0';
	if (cscg_voxel_compute_floors(v, &at, &err) < 0)
		need(NULL);
	s = need(cscg_scene_new(v, &err));
	ok(s->theme->wall_height >= 1.9f, "walls are 1.9 m or higher");
	make_plain(s);
	r = need(cscg_render_new(s, SIDE, SIDE, &err));
	for (h = 0; h < 4; h++) {
		cscg_render_view(r, h, rgb);
		for (y = 0; y < SIDE; y++) {
			struct hit hit = decode(rgb +
			    (y * SIDE + SIDE / 2) * 3);

			good &= same_hit(hit, (struct hit){ CSCG_WALL, 0, h });
		}
	}
	ok(good, "a wall ahead fills the middle of the image");
	cscg_render_free(r);
	cscg_scene_free(s);
	cscg_voxel_free(v);
}

/* All views of a layout in a theme, one after the other; free() them. */
static unsigned char *
views(const char *layout, int theme, int rows, int cols, int *n)
{
	struct cscg_voxel *v = need(cscg_voxel_layout(layout, &err));
	size_t size = (size_t)rows * (size_t)cols * 3;
	struct cscg_render *r;
	struct cscg_scene *s;
	unsigned char *rgb;
	int i;

	v->theme = theme;
	s = need(cscg_scene_new(v, &err));
	r = need(cscg_render_new(s, rows, cols, &err));
	*n = 4 * v->n_cells;
	rgb = need(malloc((size_t)*n * size));
	for (i = 0; i < *n; i++)
		cscg_render_view(r, i, rgb + (size_t)i * size);
	cscg_render_free(r);
	cscg_scene_free(s);
	cscg_voxel_free(v);
	return rgb;
}

/* Mean absolute difference of bytes. */
static double
difference(const unsigned char *a, const unsigned char *b, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += abs(a[i] - b[i]);
	return sum / (double)n;
}

static void
test_themes(void)
{
	enum { S = 32, SIZE = S * S * 3 };
	int n, m, i, j, theme, twins = 0, same = 0;
	unsigned char *a = views("room3", 5, S, S, &n), *b;
	double least = 255, d;

	b = views("room3", 5, S, S, &m);
	ok(n == m && !memcmp(a, b, (size_t)n * SIZE),
	    "map and theme fix every byte of a view");
	free(b);
	for (theme = 6; theme < 11; theme++) { /* one of each mood */
		b = views("room3", theme, S, S, &m);
		for (i = 0; i < n; i++) {
			d = difference(a + i * SIZE, b + i * SIZE, SIZE);
			least = d < least ? d : least;
		}
		for (i = 0; i < n; i++)
			for (j = 0; j < i; j++)
				twins += !memcmp(b + i * SIZE, b + j * SIZE,
				    SIZE);
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				same += !memcmp(a + i * SIZE, b + j * SIZE,
				    SIZE);
		free(b);
	}
	/* The difference that noise of this size gives. */
	ok(least > 5 && same == 0,
	    "another theme changes every view, by %.1f at least", least);
	ok(twins == 0, "all views differ");
	free(a);
}

static void
test_turns(void)
{
	struct cscg_voxel *v = need(cscg_voxel_layout("room6", &err));
	struct cscg_room *room = need(cscg_voxel_room_take(v, &err));
	struct cscg_scene *s = need(cscg_scene_new(room->voxel, &err));
	struct cscg_render *r = need(cscg_render_new(s, SIDE, SIDE, &err));
	static unsigned char rgb[5][SIDE * SIDE * 3];
	int node = 30, i;

	for (i = 0; i < 5; i++) {
		cscg_render_view(r, node, rgb[i]);
		node = cscg_room_successor(room, CSCG_TURN_RIGHT, node);
	}
	ok(!memcmp(rgb[0], rgb[4], sizeof *rgb),
	    "four turns give the same view");
	ok(memcmp(rgb[0], rgb[1], sizeof *rgb) &&
		memcmp(rgb[0], rgb[2], sizeof *rgb),
	    "one or two turns give another view");
	ok(cscg_render_cached(r, 30, &err) ==
		    cscg_render_cached(r, 30, &err) &&
		!memcmp(cscg_render_cached(r, 30, &err), rgb[0], sizeof *rgb),
	    "a view is rendered once and cached");
	cscg_render_free(r);
	cscg_scene_free(s);
	cscg_room_free(room);
}

/* The width is 90 degrees whatever the height: rows are cut off or added. */
static void
test_sizes(void)
{
	int n, i, bad = 0;
	unsigned char *square = views("room5", 3, 32, 32, &n);
	unsigned char *flat = views("room5", 3, 16, 32, &n);
	unsigned char *large = views("room5", 3, 64, 64, &n);
	unsigned char small[32 * 32 * 3];
	double worst = 0, d;
	int x, y, k;

	for (i = 0; i < n; i++)
		bad += memcmp(flat + i * 16 * 32 * 3,
			   square + (i * 32 + 8) * 32 * 3, 16 * 32 * 3) != 0;
	ok(bad == 0, "a wide view is the middle of a square one");
	for (i = 0; i < n; i++) {
		for (y = 0; y < 32; y++)
			for (x = 0; x < 32; x++)
				for (k = 0; k < 3; k++) {
					const unsigned char *p = large +
					    ((i * 64 + 2 * y) * 64 + 2 * x) *
						3 +
					    k;

					small[(y * 32 + x) * 3 + k] =
					    (unsigned char)((p[0] + p[3] +
								p[64 * 3] +
								p[65 * 3]) /
						4);
				}
		d = difference(small, square + i * 32 * 32 * 3, sizeof small);
		worst = d > worst ? d : worst;
	}
	ok(worst < 8,
	    "a view of twice the size differs by %.1f of 255 at most", worst);
	free(square);
	free(flat);
	free(large);
}

static void
test_noise(void)
{
	enum { N = 200001 }; /* odd: the last has no partner */
	unsigned char *from = need(malloc(N)), *to = need(malloc(N));
	unsigned char *other = need(malloc(N));
	double sum = 0, square = 0, sd;
	int i, moved = 0, outside = 0;

	memset(from, 128, N);
	cscg_render_noise(from, N, 8, 1, 2, 3, to);
	for (i = 0; i < N; i++) {
		sum += to[i] - 128;
		square += (to[i] - 128) * (to[i] - 128);
	}
	sd = sqrt(square / N);
	/* Rounding adds 1/12; the mean has an error of 8 / sqrt(N) = 0.018. */
	ok(fabs(sum / N) < 4 * 0.018, "noise has mean 0: %.3f", sum / N);
	ok(fabs(sd - sqrt(64 + 1.0 / 12)) < 0.05,
	    "noise has the given standard deviation: %.3f", sd);
	cscg_render_noise(from, N, 8, 1, 2, 3, other);
	ok(!memcmp(to, other, N), "a key fixes every byte of the noise");
	cscg_render_noise(from, N, 8, 2, 2, 3, other);
	moved += memcmp(to, other, N) != 0;
	cscg_render_noise(from, N, 8, 1, 3, 3, other);
	moved += memcmp(to, other, N) != 0;
	cscg_render_noise(from, N, 8, 1, 2, 4, other);
	moved += memcmp(to, other, N) != 0;
	ok(moved == 3, "noise depends on seed, frame and episode");
	memset(from, 0, N);
	cscg_render_noise(from, N, 100, 1, 2, 3, to);
	for (i = 0; i < N; i++)
		outside += to[i] == 0;
	ok(outside > N * 0.45 && outside < N * 0.55,
	    "noisy values below 0 are 0");
	memset(from, 77, N);
	cscg_render_noise(from, N, 0, 1, 2, 3, to);
	ok(!memcmp(from, to, N), "noise 0 changes nothing");
	free(from);
	free(to);
	free(other);
}

static void
test_overview(void)
{
	struct cscg_voxel *v = the_map();
	struct cscg_scene *s = need(cscg_scene_new(v, &err));
	int way[] = { 0, 4, 8 }; /* 0,0 to 0,1 to 0,2 */
	struct cscg_overview_options how = {
		.scale = 20, .path = way, .n_path = 3
	};
	struct cscg_image *pic = need(cscg_overview_render(s, &how, &err));
	const unsigned char *p;
	double light[2] = { 0, 0 };
	int x, y;

	/* 4 m and a margin of 0.35 m on either side, at 20 pixels a metre. */
	ok(pic->rows == 94 && pic->cols == 94,
	    "the overview from above has its size");
	p = pic->rgb;
	ok(p[0] > 235 && p[1] == p[0] && p[2] == p[0],
	    "the overview has a margin");
	/* Row 3, column 3 is outside, row 2, column 1 the pillar. */
	p = pic->rgb + ((7 + 70) * 94 + 7 + 70) * 3;
	ok(p[0] > 235, "the overview has background outside the room");
	for (y = 42; y < 58; y++)
		for (x = 2; x < 18; x++) {
			light[0] += pic->rgb[((7 + y) * 94 + 27 + x) * 3 + 1];
			light[1] += pic->rgb[((7 + y) * 94 + 7 + x) * 3 + 1];
		}
	ok(light[0] < 0.7 * light[1], "a pillar is darker than a floor");
	p = pic->rgb + ((7 + 10) * 94 + 7 + 30) * 3;
	ok(p[0] == 255 && p[1] == 64 && p[2] == 48, "the path is drawn");
	cscg_image_free(pic);
	how.iso = true;
	pic = need(cscg_overview_render(s, &how, &err));
	/* Across: 8 half diagonals; the corners are empty. */
	ok(pic->cols == (int)ceil(8 * sqrt(0.5) * 20 + 14),
	    "the overview at an angle has its size");
	ok(pic->rgb[0] > 235 &&
		pic->rgb[(pic->cols * pic->rows - 1) * 3] > 235,
	    "the overview at an angle has background in its corners");
	cscg_image_free(pic);
	how.scale = 100000;
	ok(!cscg_overview_render(s, &how, &err) && err.code == CSCG_EUSAGE &&
		!strcmp(err.msg,
		    "the picture would have more than 100000000 pixels"),
	    "an overview that is too large is refused");
	cscg_scene_free(s);
	cscg_voxel_free(v);
}

int
main(void)
{
	test_march();
	test_wall_ahead();
	test_themes();
	test_turns();
	test_sizes();
	test_noise();
	test_overview();
	return done();
}
