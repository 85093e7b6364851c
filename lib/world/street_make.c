/*
 * street_make.c - a street network of our own
 *
 * Real towns are neither grids nor random graphs: most junctions join three or
 * four streets, blocks are longer one way than the other, some streets end.
 * We lay an uneven grid, leave streets out, let some end inside a block, cut
 * corners with a few diagonals, and bend streets with points of degree 2.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "world/street.h"

enum { LINES = 24 };	/* streets each way */

#define LEFT_OUT .06	/* share of the streets between crossings */
#define ENDING .08	/* ... that a street into the block leaves midway */
#define BENT .3		/* ... with a bend */
#define DIAGONAL .01	/* share of the blocks with a way across */

/* Uniform on lo..hi. */
static double
between(struct cscg_rng *rng, double lo, double hi)
{
	return lo + (hi - lo) * cscg_rng_uniform(rng);
}

/* Lines at uneven distances, most blocks near the shorter end of lo..hi. */
static void
draw_lines(double *at, double lo, double hi, struct cscg_rng *rng)
{
	int i;

	at[0] = 0;
	for (i = 1; i < LINES; i++) {
		double u = cscg_rng_uniform(rng);

		at[i] = at[i - 1] + lo + (hi - lo) * u * u;
	}
}

/* The crossings, each a little off the lines. */
static int
draw_crossings(struct cscg_streets *net, struct cscg_rng *rng,
    struct cscg_err *err)
{
	double east[LINES], north[LINES];
	int r, c;

	draw_lines(east, 90, 260, rng);
	draw_lines(north, 60, 130, rng);
	for (r = 0; r < LINES; r++)
		for (c = 0; c < LINES; c++)
			if (cscg_streets_add_point(net,
			    east[c] + between(rng, -15, 15),
			    north[r] + between(rng, -12, 12), err) < 0)
				return -1;
	return 0;
}

/* A point between a and b, off the straight way by a share of its length. */
static int
draw_midway(struct cscg_streets *net, int a, int b, double off,
    struct cscg_err *err)
{
	double de = net->east[b] - net->east[a];
	double dn = net->north[b] - net->north[a];

	return cscg_streets_add_point(net, net->east[a] + de / 2 + off * dn,
	    net->north[a] + dn / 2 - off * de, err);
}

/* A street from a to b: straight, bent, or with one that ends beside it. */
static int
draw_street(struct cscg_streets *net, int a, int b, struct cscg_rng *rng,
    struct cscg_err *err)
{
	bool ending = cscg_rng_uniform(rng) < ENDING;
	bool bent = cscg_rng_uniform(rng) < BENT;
	double bend = between(rng, -.08, .08);
	double out = cscg_rng_uniform(rng) < .5 ? -.3 : .3;
	int mid = (int)net->n_points;

	if (!ending && !bent)
		return cscg_streets_add_link(net, a, b, err);
	if (draw_midway(net, a, b, bend, err) < 0 ||
	    cscg_streets_add_link(net, a, mid, err) < 0 ||
	    cscg_streets_add_link(net, mid, b, err) < 0)
		return -1;
	if (!ending)
		return 0;
	if (draw_midway(net, a, b, bend + out, err) < 0)
		return -1;
	return cscg_streets_add_link(net, mid, mid + 1, err);
}

static int
draw_streets(struct cscg_streets *net, struct cscg_rng *rng,
    struct cscg_err *err)
{
	int v, w, direction;

	for (v = 0; v < LINES * LINES; v++) {
		for (direction = 0; direction < 2; direction++) {
			if (direction ? v / LINES == LINES - 1 :
			    v % LINES == LINES - 1)
				continue;
			w = v + (direction ? LINES : 1);
			if (cscg_rng_uniform(rng) >= LEFT_OUT &&
			    draw_street(net, v, w, rng, err) < 0)
				return -1;
		}
		if (v % LINES < LINES - 1 && v / LINES < LINES - 1 &&
		    cscg_rng_uniform(rng) < DIAGONAL &&
		    cscg_streets_add_link(net, v, v + LINES + 1, err) < 0)
			return -1;
	}
	return 0;
}

struct cscg_streets *
cscg_streets_generate(struct cscg_rng *rng, struct cscg_err *err)
{
	struct cscg_streets *net = cscg_streets_new(err);

	if (net && (draw_crossings(net, rng, err) < 0 ||
	    draw_streets(net, rng, err) < 0)) {
		cscg_streets_free(net);
		net = NULL;
	}
	return net;
}
