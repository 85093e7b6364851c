/*
 * theme.c - what 3D rooms look like: moods of light, and colours that fit
 *
 * A place needs a few colours that go together, not many that do not: walls
 * take a hue and its neighbours, floors the other side of the wheel, and the
 * light a mood: day, evening, overcast, night and mist, in turn.  Pictures on
 * the walls and in floors may be loud; they are what tells one place from
 * another.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "world/paint.h"
#include "base/rng.h"
#include "world/theme.h"

enum lighting { DAY, EVENING, OVERCAST, NIGHT, MIST, N_LIGHTINGS };

/* Streams of CSCG_RNG_THEME, i = theme; scene.c has 1. */
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

/* Hue round the wheel 0..1, saturation, value: no trigonometry in it. */
static void
hsv(double h, double s, double v, float c[3])
{
	static const int shift[] = { 0, 4, 2 };	/* sixths to each channel */
	int i;

	h -= (int)h;
	if (h < 0)
		h += 1;
	for (i = 0; i < 3; i++) {
		double k = h * 6 + shift[i], d;

		k -= k >= 6 ? 6 : 0;
		d = k < 3 ? 3 - k : k - 3;	/* 3 at 0, 0 at 3 */
		d = d < 1 ? 0 : d > 2 ? 1 : d - 1;
		c[i] = (float)(v * (1 - s + s * d));
	}
}

/* Towards a sun that stands so high over a metre. */
static void
set_sun_direction(struct cscg_theme *t, struct cscg_rng *rng, double height)
{
	double x = 2 * cscg_rng_uniform(rng) - 1;
	double y = 2 * cscg_rng_uniform(rng) - 1, n;

	/* Off the axes, so that every wall catches some or none of it. */
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
	int i, k;

	t->n_lamps = n;
	for (k = 0; k < n; k++) {
		hsv(uniform_between(rng, 0, 1), uniform_between(rng, 0.35, 0.8), power,
		    t->lamp[k]);
		for (i = 0; i < 3; i++)
			t->lamp[k][i] += (float)(0.1 * power);
	}
}

static void
set_lighting(struct cscg_theme *t, enum lighting lighting, struct cscg_rng *rng)
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
	return first + (enum cscg_paint)((drawn + k) % ((long)last - first + 1));
}

static void
set_surfaces(struct cscg_theme *t, struct cscg_rng *rng)
{
	double hue = cscg_rng_uniform(rng);
	double other = hue + uniform_between(rng, 0.3, 0.7);
	long wall = cscg_rng_below(rng, 60), floor = cscg_rng_below(rng, 60);
	float c[3];
	int k;

	for (k = 0; k < 3; k++) {
		hsv(hue + uniform_between(rng, -0.09, 0.09), uniform_between(rng, 0.2, 0.6),
		    uniform_between(rng, 0.55, 0.9), c);
		cscg_paint_surface(rng, pick_kind(CSCG_PAINT_BRICKS,
		    CSCG_PAINT_STRIPES, wall, k), c,
		    &t->surface[CSCG_WALL + k]);
		hsv(other + uniform_between(rng, -0.09, 0.09), uniform_between(rng, 0.15, 0.5),
		    uniform_between(rng, 0.45, 0.8), c);
		cscg_paint_surface(rng, pick_kind(CSCG_PAINT_CHECKS,
		    CSCG_PAINT_SQUARES, floor, k), c,
		    &t->surface[CSCG_FLOOR + k]);
	}
	hsv(other + uniform_between(rng, 0.1, 0.2), uniform_between(rng, 0.3, 0.6),
	    uniform_between(rng, 0.55, 0.75), c);
	cscg_paint_surface(rng, CSCG_PAINT_BOARDS, c, &t->surface[CSCG_RAMP]);
	hsv(hue + uniform_between(rng, 0.4, 0.6), uniform_between(rng, 0.1, 0.35),
	    uniform_between(rng, 0.5, 0.7), c);
	cscg_paint_surface(rng, CSCG_PAINT_BLOCKS, c,
	    &t->surface[CSCG_RISER]);
	hsv(hue, 0.25, uniform_between(rng, 0.35, 0.5), c);
	cscg_paint_surface(rng, CSCG_PAINT_SLAB, c, &t->surface[CSCG_ROOF]);
	hsv(uniform_between(rng, 0.15, 0.4), uniform_between(rng, 0.2, 0.5),
	    uniform_between(rng, 0.4, 0.6), c);
	cscg_paint_surface(rng, CSCG_PAINT_GRASS, c,
	    &t->surface[CSCG_GROUND]);
}

struct cscg_theme *
cscg_theme_new(int number, struct cscg_err *err)
{
	struct cscg_theme *t = cscg_alloc(1, sizeof *t, err);
	struct cscg_rng rng;
	float a[3], b[3], c[3];
	double hue;
	int k;

	if (!t)
		return NULL;
	cscg_rng_seed(&rng, 0, CSCG_RNG_THEME, (uint64_t)number,
	    STREAM_THEME);
	set_lighting(t, (enum lighting)(number % N_LIGHTINGS), &rng);
	t->wall_height = uniform_between(&rng, 1.9, 2.4);
	set_surfaces(t, &rng);
	for (k = 0; k < CSCG_POSTERS; k++) {
		hue = cscg_rng_uniform(&rng);
		hsv(hue, uniform_between(&rng, 0.4, 0.9), uniform_between(&rng, 0.5, 1), a);
		hsv(hue + uniform_between(&rng, 0.25, 0.75), uniform_between(&rng, 0.4, 0.9),
		    uniform_between(&rng, 0.6, 1), b);
		hsv(hue + uniform_between(&rng, 0, 1), uniform_between(&rng, 0, 0.4),
		    uniform_between(&rng, 0.1, 1), c);
		cscg_paint_poster(&rng, k, a, b, c, &t->poster[k]);
	}
	cscg_paint_clouds(&rng, t->clouds);
	return t;
}

void
cscg_theme_free(struct cscg_theme *theme)
{
	free(theme);
}
