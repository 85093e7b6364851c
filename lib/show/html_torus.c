/*
 * html_torus.c - a torus as a doughnut
 *
 * Sines may differ in their last digit between machines; a page has hundredths.
 */
#include <math.h>
#include <stdlib.h>

#include "show/html_torus.h"
#include "base/mem.h"

#define MOST 0.95	/* of the moves, that must go as on a torus */
#define HOLE 2.1	/* least radius of the ring, by that of its tube */

enum {
	RING_MIN = 3,
	ACTIONS_MAX = 16	/* among which two are looked for */
};

/* How often a leads on from place k until it is back there; 0: never. */
static int
ring(const struct cscg_html_turn *t, int a, int k)
{
	int j = k, n = 0;

	do {
		j = cscg_html_turn_next(t, a, j);
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
number(const struct cscg_html_turn *t, int a, int b, int across, int *spot)
{
	int i, j, k, from = 0;

	for (k = 0; k < t->m; k++)
		spot[k] = -1;
	for (i = 0; i < t->m / across; i++) {
		for (k = from, j = 0; j < across; j++) {
			if (k < 0 || spot[k] >= 0)
				return false;
			spot[k] = i * across + j;
			k = cscg_html_turn_next(t, b, k);
		}
		from = cscg_html_turn_next(t, a, from);
		if (k < 0 || from < 0)
			return false;
	}
	return true;
}

/* Does a lead from ring to ring at the same place of the ring, mostly? */
static bool
commute(const struct cscg_html_turn *t, int a, int across, const int *spot)
{
	int k, to, n = 0;

	for (k = 0; k < t->m; k++) {
		to = cscg_html_turn_next(t, a, k);
		n += to >= 0 && spot[to] == (spot[k] + across) % t->m;
	}
	return n >= MOST * t->m;
}

/* spot is i * across + j: bend the longer of the two into the ring. */
static void
bend(int m, int across, const int *spot, double *at)
{
	int down = m / across, k;
	bool wide = across >= down;
	double tube = (wide ? down : across) / (2 * M_PI);
	double hole = fmax((wide ? across : down) / (2 * M_PI), HOLE * tube);

	for (k = 0; k < m; k++) {
		double i = 2 * M_PI * (spot[k] / across) / down;
		double j = 2 * M_PI * (spot[k] % across) / across;
		double out = hole + tube * cos(wide ? i : j);
		double *p = at + 3 * (size_t)k;

		p[0] = out * cos(wide ? j : i);
		p[1] = out * sin(wide ? j : i);
		p[2] = tube * sin(wide ? i : j);
	}
}

int
cscg_html_torus(const struct cscg_html_turn *t, double *at,
    struct cscg_err *err)
{
	int n = t->g->n_actions, a, b, across, rc = 0, *spot;

	spot = cscg_alloc((size_t)t->m, sizeof *spot, err);
	if (!spot)
		return -1;
	for (a = 0; a < n && n <= ACTIONS_MAX && rc == 0; a++)
		for (b = a + 1; b < n && rc == 0; b++) {
			across = ring(t, b, 0);
			if (across < RING_MIN || t->m % across ||
			    t->m / across < RING_MIN ||
			    ring(t, a, 0) * across != t->m ||
			    !number(t, a, b, across, spot) ||
			    !commute(t, a, across, spot))
				continue;
			bend(t->m, across, spot, at);
			rc = 1;
		}
	free(spot);
	return rc;
}
