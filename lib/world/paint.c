/*
 * paint.c - procedural textures for scenes
 *
 * A texture is a colour times a brightness.  Each kind of surface is a function
 * that gives the brightness of a texel, plus noise.
 */
#include <stdbool.h>

#include "world/paint.h"

enum { SIDE = CSCG_TEXELS, GRID = 16 };

/* Random numbers on a lattice, interpolated in between. */
struct noise {
	float v[GRID][GRID];
};

/* Inputs of the brightness of a texel. */
struct paint {
	struct noise noise;
	float tint[8][8];  /* -1 to 1, per brick or stone */
	float spot[12][3]; /* cobbles: positions, and their tint */
};

static float
uniform(struct cscg_rng *rng)
{
	return (float)cscg_rng_uniform(rng);
}

static void
draw_noise(struct cscg_rng *rng, struct noise *n)
{
	int x, y;

	for (y = 0; y < GRID; y++)
		for (x = 0; x < GRID; x++)
			n->v[y][x] = 2 * uniform(rng) - 1;
}

/* At x, y in units of the whole, on a lattice of n points a side, -1 to 1. */
static float
noise_at(const struct noise *noise, float x, float y, int n)
{
	float fx = x * (float)n, fy = y * (float)n, a, b;
	int ix = (int)fx, iy = (int)fy, jx, jy;

	fx -= (float)ix;
	fy -= (float)iy;
	fx *= fx * (3 - 2 * fx);
	fy *= fy * (3 - 2 * fy);
	jx = (ix + 1) % n;
	jy = (iy + 1) % n;
	ix %= n;
	iy %= n;
	a = noise->v[iy][ix] + fx * (noise->v[iy][jx] - noise->v[iy][ix]);
	b = noise->v[jy][ix] + fx * (noise->v[jy][jx] - noise->v[jy][ix]);
	return a + fy * (b - a);
}

static float
texel_noise(const struct paint *p, int x, int y, int n)
{
	return noise_at(&p->noise, (float)x / SIDE, (float)y / SIDE, n);
}

/*
 * Stones of h by w texels, each row shifted against the one below, with joints
 * of one texel; 0 in a joint.
 */
static float
stones(const struct paint *p, int x, int y, int h, int w, float tint)
{
	int row = y / h;

	x = (x + (row % 2) * w / 2) % SIDE;
	if (x % w == 0 || y % h == 0)
		return 0;
	return 1 + tint * p->tint[row % 8][x / w % 8];
}

/* Distance to the nearest cobble relative to that to the second nearest. */
static float
cobbles(const struct paint *p, int x, int y)
{
	float best = 4, next = 4, tint = 0, dx, dy, d;
	int i;

	for (i = 0; i < 12; i++) {
		dx = (float)x / SIDE - p->spot[i][0];
		dy = (float)y / SIDE - p->spot[i][1];
		dx = dx < 0 ? -dx : dx;
		dy = dy < 0 ? -dy : dy;
		dx = dx > 0.5f ? 1 - dx : dx;
		dy = dy > 0.5f ? 1 - dy : dy;
		d = dx * dx + dy * dy;
		if (d < best) {
			next = best;
			best = d;
			tint = p->spot[i][2];
		} else if (d < next) {
			next = d;
		}
	}
	d = (next - best) * 18;
	return (d > 1 ? 1 : d) * 0.45f + 0.6f + 0.15f * tint;
}

static float
panels(int x, int y)
{
	int e = x < y ? x : y, f = SIDE - 1 - (x > y ? x : y);

	e = e < f ? e : f; /* texels from the edge */
	if (e == 0)
		return 0.6f;
	if (e == 5)
		return x > y ? 1.12f : 0.78f;
	return e < 5 ? 1 : 0.93f;
}

static float
brightness(const struct paint *p, enum cscg_paint kind, int x, int y)
{
	float v;

	switch (kind) {
	case CSCG_PAINT_BRICKS:
		v = stones(p, x, y, 8, 16, 0.13f);
		return v > 0 ? v : 0.72f;
	case CSCG_PAINT_PANELS:
		return panels(x, y);
	case CSCG_PAINT_PLASTER:
		return 1 + 0.09f * texel_noise(p, x, y, 4);
	case CSCG_PAINT_BLOCKS:
		v = stones(p, x, y, 16, 16, 0.1f);
		return v > 0 ? v + 0.06f * texel_noise(p, x, y, 8) : 0.62f;
	case CSCG_PAINT_TILES:
		if (x % 8 == 0 || y % 8 == 0)
			return 1.18f;
		return (x % 8 == 1 || y % 8 == 7 ? 1.08f : 0.96f) +
		    0.05f * p->tint[y / 8][x / 8];
	case CSCG_PAINT_STRIPES:
		return x / 8 % 2 ? 1.06f : 0.82f;
	case CSCG_PAINT_CHECKS:
		return (x / 16 + y / 16) % 2 ? 1.1f : 0.78f;
	case CSCG_PAINT_PLANKS:
		if (x % 8 == 0 || (y + 11 * (x / 8)) % SIDE == 0)
			return 0.66f;
		return 1 + 0.12f * p->tint[0][x / 8] +
		    0.06f *
		    noise_at(&p->noise, (float)x / SIDE, (float)y / SIDE / 4,
			GRID);
	case CSCG_PAINT_SLAB:
		if (x == 0 || y == 0)
			return 0.72f;
		return 1 + 0.1f * texel_noise(p, x, y, 4) +
		    0.06f * texel_noise(p, x, y, GRID);
	case CSCG_PAINT_COBBLES:
		return cobbles(p, x, y);
	case CSCG_PAINT_SQUARES:
		if (x % 8 == 0 || y % 8 == 0)
			return 0.7f;
		return 1 + 0.16f * p->tint[y / 8][x / 8];
	case CSCG_PAINT_BOARDS:
		return y % 8 == 0 ? 0.55f :
				    1 + 0.1f * p->tint[1][y / 8] +
			0.05f *
			    noise_at(&p->noise, (float)x / SIDE / 4,
				(float)y / SIDE, GRID);
	default:
		return 1 + 0.12f * texel_noise(p, x, y, GRID) +
		    0.1f * texel_noise(p, x, y, 4);
	}
}

static void
set_texel(struct cscg_texture *tex, int x, int y, const float colour[3],
    float bright)
{
	unsigned char *to = tex->texel[0][y * SIDE + x];
	int i;

	for (i = 0; i < 3; i++) {
		float v = colour[i] * bright * 255 + 0.5f;

		to[i] = v > 255 ? 255 : v < 0 ? 0 : (unsigned char)v;
	}
}

/* Each level is the one before at half the size. */
static void
set_levels(struct cscg_texture *tex)
{
	int level, size = SIDE / 2, x, y, i;

	for (level = 1; level < CSCG_LEVELS; level++, size /= 2)
		for (y = 0; y < size; y++)
			for (x = 0; x < size; x++)
				for (i = 0; i < 3; i++) {
					unsigned char(*f)[4] =
					    tex->texel[level - 1] +
					    4 * y * size + 2 * x;

					tex->texel[level][y * size + x][i] =
					    (unsigned char)((f[0][i] +
								f[1][i] +
								f[2 * size]
								 [i] +
								f[2 * size + 1]
								 [i] +
								2) /
						4);
				}
}

void
cscg_paint_surface(struct cscg_rng *rng, enum cscg_paint kind,
    const float colour[3], struct cscg_texture *tex)
{
	struct paint p;
	int x, y;

	draw_noise(rng, &p.noise);
	for (y = 0; y < 8; y++)
		for (x = 0; x < 8; x++)
			p.tint[y][x] = 2 * uniform(rng) - 1;
	for (y = 0; y < 12; y++) {
		p.spot[y][0] = uniform(rng);
		p.spot[y][1] = uniform(rng);
		p.spot[y][2] = 2 * uniform(rng) - 1;
	}
	for (y = 0; y < SIDE; y++)
		for (x = 0; x < SIDE; x++)
			set_texel(tex, x, y, colour,
			    brightness(&p, kind, x, y) +
				0.03f * (2 * uniform(rng) - 1));
	set_levels(tex);
}

/* Which of three colours a picture has at x, y, both -1 to 1 (y up). */
static int
poster_colour(int which, float x, float y, const float *r)
{
	float d = x * x + y * y;

	switch (which % 8) {
	case 0: /* a disc */
		return d < 0.3f + 0.3f * r[0] ? 1 : 0;
	case 1: /* hills and a sun */
		if ((x - r[0]) * (x - r[0]) + (y - 0.5f) * (y - 0.5f) < 0.06f)
			return 2;
		return y < 0.5f * r[1] * x * (1 - x) - 0.1f ? 1 : 0;
	case 2: /* bars */
		return (int)((x + 1) * (2 + 2 * r[0])) % 2;
	case 3: /* rings */
		return (int)(d * (3 + 2 * r[1])) % 3;
	case 4: /* a triangle */
		return y > -0.6f && y < 0.7f - 1.8f * (x < 0 ? -x : x) ? 1 : 0;
	case 5: /* a cross */
		return (x - 0.4f * r[0]) * (x - 0.4f * r[0]) < 0.06f ? 1 :
		    (y - 0.2f) * (y - 0.2f) < 0.06f                  ? 2 :
								       0;
	case 6: /* quarters */
		return x < 0 ? (y < 0 ? 0 : 1) : y < 0 ? 2 : 0;
	default: /* a slope */
		return x * (2 * r[0] - 1) + y < 0.4f * r[1] - 0.2f ? 1 : 0;
	}
}

void
cscg_paint_poster(struct cscg_rng *rng, int which, const float a[3],
    const float b[3], const float c[3], struct cscg_texture *tex)
{
	static const float wood[3] = { 0.23f, 0.16f, 0.1f };
	const float *colour[3] = { a, b, c };
	float r[2];
	int x, y;

	r[0] = uniform(rng);
	r[1] = uniform(rng);
	for (y = 0; y < SIDE; y++)
		for (x = 0; x < SIDE; x++) {
			bool frame = x < 2 || y < 2 || x >= SIDE - 2 ||
			    y >= SIDE - 2;
			int k = poster_colour(which,
			    ((float)x + 0.5f) / SIDE * 2 - 1,
			    1 - ((float)y + 0.5f) / SIDE * 2, r);

			set_texel(tex, x, y, frame ? wood : colour[k],
			    1 + 0.04f * (2 * uniform(rng) - 1));
		}
	set_levels(tex);
}

void
cscg_paint_clouds(struct cscg_rng *rng, float clouds[])
{
	struct noise n;
	int x, y;

	draw_noise(rng, &n);
	for (y = 0; y < SIDE; y++)
		for (x = 0; x < SIDE; x++) {
			float fx = (float)x / SIDE, fy = (float)y / SIDE;

			clouds[y * SIDE + x] = 0.5f +
			    0.36f * noise_at(&n, fx, fy, 4) +
			    0.2f * noise_at(&n, fx, fy, 8) +
			    0.1f * noise_at(&n, fx, fy, GRID);
		}
}
