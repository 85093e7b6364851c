/*
 * html_torus.c - a torus as a doughnut
 *
 * Sines may differ in their last digit between machines; a page has hundredths.
 */
#include <math.h>
#include <stdlib.h>

#include "show/html_torus.h"
#include "base/mem.h"

#define TORUS_SHARE_MIN 0.95	/* of the moves, that must go as on a torus */
#define HOLE_RATIO_MIN 2.1	/* least radius of the ring, by that of its tube */

enum {
	RING_MIN = 3,
	ACTIONS_MAX = 16	/* among which two are looked for */
};

/* How often a leads on from place k until it is back there; 0: never. */
static int
cycle_length(const struct cscg_layout_component *t, int a, int k)
{
	int j = k, n = 0;

	do {
		j = cscg_layout_next(t, a, j);
		if (j < 0 || ++n > t->m)
			return 0;
	} while (j != k);
	return n;
}

/*
 * Number the places: spot[k] = i * across + j if action a, i times, and then b,
 * j times, lead to k from place 0.  False if that is not each place once.
 */
static bool
number_nodes(const struct cscg_layout_component *t, int a, int b, int across, int *grid_index)
{
	int i, j, k, from = 0;

	for (k = 0; k < t->m; k++)
		grid_index[k] = -1;
	for (i = 0; i < t->m / across; i++) {
		for (k = from, j = 0; j < across; j++) {
			if (k < 0 || grid_index[k] >= 0)
				return false;
			grid_index[k] = i * across + j;
			k = cscg_layout_next(t, b, k);
		}
		from = cscg_layout_next(t, a, from);
		if (k < 0 || from < 0)
			return false;
	}
	return true;
}

/* Does a lead from ring to ring at the same place of the ring, mostly? */
static bool
actions_commute(const struct cscg_layout_component *t, int a, int across, const int *grid_index)
{
	int k, to, n = 0;

	for (k = 0; k < t->m; k++) {
		to = cscg_layout_next(t, a, k);
		n += to >= 0 && grid_index[to] == (grid_index[k] + across) % t->m;
	}
	return n >= TORUS_SHARE_MIN * t->m;
}

/* spot is i * across + j: bend the longer of the two into the ring. */
static void
bend_into_torus(int m, int across, const int *grid_index, double *at)
{
	int down = m / across, k;
	bool wide = across >= down;
	double tube = (wide ? down : across) / (2 * M_PI);
	double hole = fmax((wide ? across : down) / (2 * M_PI), HOLE_RATIO_MIN * tube);

	for (k = 0; k < m; k++) {
		double i = 2 * M_PI * (grid_index[k] / across) / down;
		double j = 2 * M_PI * (grid_index[k] % across) / across;
		double out = hole + tube * cos(wide ? i : j);
		double *p = at + 3 * (size_t)k;

		p[0] = out * cos(wide ? j : i);
		p[1] = out * sin(wide ? j : i);
		p[2] = tube * sin(wide ? i : j);
	}
}

int
cscg_layout_torus(const struct cscg_layout_component *t, double *at,
    struct cscg_err *err)
{
	int n = t->g->n_actions, a, b, across, rc = 0, *grid_index;

	grid_index = cscg_alloc((size_t)t->m, sizeof *grid_index, err);
	if (!grid_index)
		return -1;
	for (a = 0; a < n && n <= ACTIONS_MAX && rc == 0; a++)
		for (b = a + 1; b < n && rc == 0; b++) {
			across = cycle_length(t, b, 0);
			if (across < RING_MIN || t->m % across ||
			    t->m / across < RING_MIN ||
			    cycle_length(t, a, 0) * across != t->m ||
			    !number_nodes(t, a, b, across, grid_index) ||
			    !actions_commute(t, a, across, grid_index))
				continue;
			bend_into_torus(t->m, across, grid_index, at);
			rc = 1;
		}
	free(grid_index);
	return rc;
}
