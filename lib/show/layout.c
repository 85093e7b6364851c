/* layout.c - coordinates of the nodes of a graph for drawing */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "core/graph.h"
#include "schema/spectral.h"
#include "show/directions.h"
#include "show/stress.h"
#include "show/layout.h"

struct cscg_layout_component {
	const struct cscg_graph *g;
	const int *node;  /* [m] nodes of the component */
	const int *index; /* [n_nodes] their indices in that list */
	int m;
};

/* The index of the most likely successor of index k under action a, or -1. */
static int
layout_next(const struct cscg_layout_component *t, int a, int k)
{
	const struct cscg_graph *g = t->g;
	long row = (long)a * g->n_nodes + t->node[k];
	long best = cscg_largest(g->share, g->first[row], g->first[row + 1]);

	return best < 0 ? -1 : t->index[g->to[best]];
}

/*
 * Layout of environments with egocentric actions (turn, go forward)
 *
 * There a state is a cell and a heading, and the direction of an action
 * depends on the heading.  An action is a rotation if taking it four times
 * returns to the state and taking it twice does not; other actions keep the
 * heading.
 */

#define TURN_SHARE_MIN 0.9      /* share of states where a rotation rotates */
#define CONTRADICTIONS_MAX 0.05 /* share of edges with a wrong heading */
#define CELL_SPACING 3.0        /* distance of neighbouring cells */
#define HEADING_RADIUS 0.75     /* distance of a heading from its cell */

struct heading_layout {
	const struct cscg_layout_component *t;
	const struct cscg_directions *directions;
	int *quarter_turns; /* [n_actions] 0: not a rotation */
	int *heading;       /* [m] 0..3, -1: unknown */
};

/* The state after taking action a `times` times. */
static int
repeat_action(const struct heading_layout *w, int a, int k, int times)
{
	while (times-- > 0 && k >= 0)
		k = layout_next(w->t, a, k);
	return k;
}

/* Whether b reverses a in at least TURN_SHARE_MIN of the states. */
static bool
is_inverse_turn(const struct heading_layout *w, int a, int b)
{
	int k, j, n = 0;

	for (k = 0; k < w->t->m; k++) {
		j = layout_next(w->t, a, k);
		n += j >= 0 && j != k && layout_next(w->t, b, j) == k;
	}
	return n >= TURN_SHARE_MIN * w->t->m;
}

static bool
is_rotation(const struct heading_layout *w, int a)
{
	int k, n = 0;

	for (k = 0; k < w->t->m; k++)
		n += repeat_action(w, a, k, 4) == k &&
		    repeat_action(w, a, k, 2) != k;
	return n >= TURN_SHARE_MIN * w->t->m;
}

/* The first rotation is one quarter turn; its inverse is three. */
static int
find_rotations(struct heading_layout *w)
{
	int a, first = -1;

	for (a = 0; a < w->directions->n_actions; a++) {
		if (!is_rotation(w, a))
			continue;
		if (first < 0)
			first = a;
		w->quarter_turns[a] =
		    a != first && is_inverse_turn(w, first, a) ? 3 : 1;
	}
	return first;
}

/* Propagate headings along the edges; true if few edges contradict them. */
static bool
find_headings(struct heading_layout *w)
{
	long i, wrong = 0;
	bool more = true;
	int k;

	for (k = 0; k < w->t->m; k++)
		w->heading[k] = -1;
	w->heading[0] = 0;
	while (more)
		for (more = false, i = 0; i < w->directions->n; i++) {
			const struct cscg_directions_edge *v =
			    &w->directions->edge[i];
			int *from = &w->heading[v->from];
			int *to = &w->heading[v->to],
			    by = w->quarter_turns[v->a];

			if ((*from < 0) == (*to < 0))
				continue;
			if (*to < 0)
				*to = (*from + by) % 4;
			else
				*from = (*to + 4 - by) % 4;
			more = true;
		}
	for (i = 0; i < w->directions->n; i++) {
		const struct cscg_directions_edge *v = &w->directions->edge[i];

		wrong += w->heading[v->to] !=
		    (w->heading[v->from] + w->quarter_turns[v->a]) % 4;
	}
	return (double)wrong <= CONTRADICTIONS_MAX * (double)w->directions->n;
}

/* The direction of each action at each heading: direction[a * 4 + heading]. */
static void
set_directions(const struct heading_layout *w, bool clockwise,
    cscg_point *direction)
{
	const cscg_point side = clockwise ? 1 : -1;
	const cscg_point heading[4] = { -I, side, I, -side };
	int a, h, to;

	for (a = 0; a < w->directions->n_actions; a++)
		for (h = 0; h < 4; h++) {
			to = (h + w->quarter_turns[a]) % 4;
			direction[4 * a + h] = w->quarter_turns[a] ?
			    HEADING_RADIUS * (heading[to] - heading[h]) :
			    CELL_SPACING * heading[h];
		}
}

/* The same edges, with one action for each pair of action and heading. */
static int
layout_headings(const struct heading_layout *w, int first, double *at,
    struct cscg_err *err)
{
	const struct cscg_names *names = w->t->g->actions;
	size_t classes = 4 * (size_t)w->directions->n_actions;
	struct cscg_directions by_heading = *w->directions;
	cscg_point *direction = cscg_alloc(classes, sizeof *direction, err);
	int rc = -1;
	long i;

	by_heading.n_actions = (int)classes;
	by_heading.direction = cscg_alloc(classes,
	    sizeof *by_heading.direction, err);
	by_heading.edge = cscg_copy(w->directions->edge,
	    (size_t)w->directions->n + 1, sizeof *by_heading.edge, err);
	if (direction && by_heading.direction && by_heading.edge) {
		for (i = 0; i < by_heading.n; i++)
			by_heading.edge[i].a = 4 * by_heading.edge[i].a +
			    w->heading[by_heading.edge[i].from];
		set_directions(w,
		    names && names->n && !strcmp(names->v[first], "right"),
		    direction);
		rc = cscg_directions_fit(&by_heading, direction,
		    CONTRADICTIONS_MAX, at, err);
	}
	free(direction);
	cscg_directions_free(&by_heading);
	return rc;
}

/*
 * Put the four headings of a cell around its centre, and neighbouring cells
 * where going forward leads: at[m * 2] becomes a map of the environment, whose
 * cells are 3 apart.
 *
 * Returns 1; 0 with at unchanged if the actions are not egocentric or the
 * graph does not fit the plane; -1 with err filled (CSCG_ENOMEM).
 */
static int
layout_egocentric(const struct cscg_layout_component *t,
    const struct cscg_directions *directions, double *at, struct cscg_err *err)
{
	struct heading_layout w = { .t = t, .directions = directions };
	int first, rc = -1;

	w.quarter_turns = cscg_alloc((size_t)directions->n_actions,
	    sizeof *w.quarter_turns, err);
	w.heading = cscg_alloc((size_t)t->m, sizeof *w.heading, err);
	if (w.quarter_turns && w.heading) {
		first = directions->n > 0 ? find_rotations(&w) : -1;
		rc = first < 0 || !find_headings(&w) ?
		    0 :
		    layout_headings(&w, first, at, err);
	}
	free(w.quarter_turns);
	free(w.heading);
	return rc;
}

/*
 * Embedding of a torus.
 *
 * Minimal stress does not determine which of two equal cycles is the outer
 * one, and yields a twisted ball.
 *
 * Sines may differ in their last digit between machines; pages are written
 * with two decimals.
 */

#define TORUS_SHARE_MIN 0.95 /* share of edges as on a torus */
#define HOLE_RATIO_MIN 2.1   /* minimum ratio of ring radius to tube radius */

enum {
	RING_MIN = 3,
	ACTIONS_MAX = 16, /* actions among which a pair is searched */
};

/* The length of the cycle of action a through index 0; 0: none. */
static int
cycle_length(const struct cscg_layout_component *t, int a)
{
	int j = 0, n = 0;

	do {
		j = layout_next(t, a, j);
		if (j < 0 || ++n > t->m)
			return 0;
	} while (j);
	return n;
}

/*
 * Number the nodes: grid_index[k] = i * across + j if action a taken i times
 * and then b taken j times lead from index 0 to k.  False if this does not
 * reach each node once.
 */
static bool
number_nodes(const struct cscg_layout_component *t, int a, int b, int across,
    int *grid_index)
{
	int i, j, k, from = 0;

	for (k = 0; k < t->m; k++)
		grid_index[k] = -1;
	for (i = 0; i < t->m / across; i++) {
		for (k = from, j = 0; j < across; j++) {
			if (k < 0 || grid_index[k] >= 0)
				return false;
			grid_index[k] = i * across + j;
			k = layout_next(t, b, k);
		}
		from = layout_next(t, a, from);
		if (k < 0 || from < 0)
			return false;
	}
	return true;
}

/* Whether a mostly leads to the same index of the next ring. */
static bool
actions_commute(const struct cscg_layout_component *t, int a, int across,
    const int *grid_index)
{
	int k, to, n = 0;

	for (k = 0; k < t->m; k++) {
		to = layout_next(t, a, k);
		n += to >= 0 &&
		    grid_index[to] == (grid_index[k] + across) % t->m;
	}
	return n >= TORUS_SHARE_MIN * t->m;
}

/* grid_index is i * across + j: the longer of the cycles becomes the ring. */
static void
bend_into_torus(int m, int across, const int *grid_index, double *at)
{
	int down = m / across, k;
	bool wide = across >= down;
	double tube = (wide ? down : across) / (2 * M_PI);
	double hole = fmax((wide ? across : down) / (2 * M_PI),
	    HOLE_RATIO_MIN * tube);

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

/*
 * If one action cycles through rings of the component, and another leads from
 * ring to ring and back to the first, at[m * 3] becomes positions on a torus
 * around the z axis.
 *
 * Returns 1; 0 with at unchanged if the component is not a torus; -1 with err
 * filled (CSCG_ENOMEM).
 */
static int
layout_torus(const struct cscg_layout_component *t, double *at,
    struct cscg_err *err)
{
	int n = t->g->n_actions, a, b, across, rc = 0, *grid_index;

	grid_index = cscg_alloc((size_t)t->m, sizeof *grid_index, err);
	if (!grid_index)
		return -1;
	for (a = 0; a < n && n <= ACTIONS_MAX && rc == 0; a++)
		for (b = a + 1; b < n && rc == 0; b++) {
			across = cycle_length(t, b);
			if (across < RING_MIN || t->m % across ||
			    t->m / across < RING_MIN ||
			    cycle_length(t, a) * across != t->m ||
			    !number_nodes(t, a, b, across, grid_index) ||
			    !actions_commute(t, a, across, grid_index))
				continue;
			bend_into_torus(t->m, across, grid_index, at);
			rc = 1;
		}
	free(grid_index);
	return rc;
}

/*
 * Rotation, reflection and straightening of a component.
 *
 * Angles are halved by square roots, which are exact on all machines, unlike
 * trigonometric functions.
 */

#define MEAN_SHARE_MIN \
	0.6 /* share of squared offsets explained by the actions' means */
#define AXIS_ALIGNMENT_MIN 0.35 /* of edges to two axes, 0..1 */
#define AXIS_SINE_MAX 0.26      /* sine of the angle to snap to an axis */
#define OUTLIERS_MAX_GRID 0.05  /* share of outliers in a grid */
#define OUTLIERS_MAX_LOOSE 0.2  /* in a near grid */

enum { INVERSE_ACTIONS_MAX = 16 }; /* actions that are searched for inverses */

struct orientation {
	const struct cscg_layout_component *t;
	struct cscg_directions directions;
	cscg_point *direction; /* [n_actions] target direction */
	double *at;
};

/* The direction at half the angle to the x axis. */
static cscg_point
half_angle(cscg_point p)
{
	double c = creal(p) / cscg_point_norm(p);
	double s = sqrt(fmax(0, (1 - c) / 2));

	return sqrt(fmax(0, (1 + c) / 2)) + (cimag(p) < 0 ? -s : s) * I;
}

/* Multiply all positions by a direction, after an optional reflection. */
static void
rotate(struct orientation *p, cscg_point by, bool mirror)
{
	cscg_point q;
	int i;

	for (i = 0; i < p->t->m; i++) {
		q = cscg_point_at(p->at, i);
		cscg_point_set(p->at, i, (mirror ? conj(q) : q) * by);
	}
	cscg_directions_measure(&p->directions, p->at);
}

/*
 * Rotate so that actions point in the directions of their names; false if
 * impossible.
 */
static bool
orient_by_names(struct orientation *p)
{
	cscg_point plain = 0, mirrored = 0, best;
	double all = 0;
	int a;

	for (a = 0; a < p->directions.n_actions; a++) {
		const struct cscg_directions_action *w =
		    &p->directions.direction[a];

		if (w->named == 0)
			continue;
		plain += w->n * conj(w->mean) * w->named;
		mirrored += w->n * w->mean * w->named;
		all += w->n;
	}
	best = cscg_point_norm(mirrored) > 1.000001 * cscg_point_norm(plain) ?
	    mirrored :
	    plain;
	if (all <= 0 || cscg_point_norm(best) < all / 2)
		return false;
	rotate(p, best / cscg_point_norm(best), best != plain);
	return true;
}

/* Rotate by 90 degrees if the height exceeds the width. */
static void
orient_landscape(struct orientation *p)
{
	double low[2] = { INFINITY, INFINITY };
	double high[2] = { -INFINITY, -INFINITY };
	int i;

	for (i = 0; i < 2 * p->t->m; i++) {
		low[i % 2] = fmin(low[i % 2], p->at[i]);
		high[i % 2] = fmax(high[i % 2], p->at[i]);
	}
	if (high[1] - low[1] > high[0] - low[0])
		rotate(p, I, false);
}

/* Rotate so that most edges, or else the long side, align with an axis. */
static void
orient_by_shape(struct orientation *p)
{
	cscg_point four = 0, mean = 0, two = 0, z;
	long i;
	int k;

	for (i = 0; i < p->directions.n; i++) {
		z = p->directions.edge[i].offset;
		if (cscg_point_norm(z) > 0) {
			z /= cscg_point_norm(z);
			four += z * z * z * z;
		}
	}
	for (k = 0; k < p->t->m; k++)
		mean += cscg_point_at(p->at, k) / p->t->m;
	for (k = 0; k < p->t->m; k++) {
		z = cscg_point_at(p->at, k) - mean;
		two += z * z;
	}
	if (p->directions.n &&
	    cscg_point_norm(four) >
		AXIS_ALIGNMENT_MIN * (double)p->directions.n)
		rotate(p, conj(half_angle(half_angle(four))), false);
	else if (cscg_point_norm(two) > 0)
		rotate(p, conj(half_angle(two)), false);
	orient_landscape(p);
}

/* The unit vector of the nearest axis within AXIS_SINE_MAX, or mean. */
static cscg_point
snap_to_axis(cscg_point mean)
{
	cscg_point z = mean / cscg_point_norm(mean);

	if (fabs(cimag(z)) < AXIS_SINE_MAX)
		return creal(z) < 0 ? -1 : 1;
	if (fabs(creal(z)) < AXIS_SINE_MAX)
		return cimag(z) < 0 ? -I : I;
	return mean;
}

/* Use mean directions; false if the means explain too little. */
static bool
directions_by_mean(struct orientation *p)
{
	double explained = 0, all = 0;
	long i;
	int a;

	for (i = 0; i < p->directions.n; i++)
		all += cscg_point_norm2(p->directions.edge[i].offset);
	for (a = 0; a < p->directions.n_actions; a++) {
		const struct cscg_directions_action *w =
		    &p->directions.direction[a];

		explained += w->n * cscg_point_norm2(w->mean);
		p->direction[a] = cscg_point_norm(w->mean) > 0 ?
		    snap_to_axis(w->mean) :
		    0;
	}
	return p->directions.n > 0 && explained >= MEAN_SHARE_MIN * all;
}

/* Use named directions; false if an action with edges has none. */
static bool
directions_by_name(struct orientation *p)
{
	bool all = true;
	int a;

	for (a = 0; a < p->directions.n_actions; a++) {
		p->direction[a] = p->directions.direction[a].named;
		all &= p->directions.direction[a].n == 0 ||
		    p->direction[a] != 0;
	}
	return all;
}

/* Whether b reverses more than half of the edges of a. */
static bool
is_inverse_action(const struct orientation *p, int a, int b)
{
	const struct cscg_graph *g = p->t->g;
	long i, k, row, back = 0;

	for (i = 0; i < p->directions.n; i++) {
		const struct cscg_directions_edge *v = &p->directions.edge[i];

		row = (long)b * g->n_nodes + p->t->node[v->to];
		for (k = g->first[row]; v->a == a && k < g->first[row + 1];
		     k++)
			back += g->to[k] == p->t->node[v->from];
	}
	return (double)back > p->directions.direction[a].n / 2;
}

/* Whether the name of any action is a direction along this axis. */
static bool
has_axis(const struct orientation *p, cscg_point axis)
{
	int a;

	for (a = 0; a < p->directions.n_actions; a++)
		if (p->directions.direction[a].named == axis ||
		    p->directions.direction[a].named == -axis)
			return true;
	return false;
}

/*
 * Use two axes if the actions are exactly two pairs of inverses, else false.
 * The axes are those of the names, or else up and then left.
 */
static bool
directions_by_inverse(struct orientation *p)
{
	cscg_point free_axis = has_axis(p, I) ? -1 : -I;
	int a, b, n = p->directions.n_actions, axes = 0;

	for (a = 0; a < n; a++)
		p->direction[a] = 0;
	for (a = 0; a < n && n <= INVERSE_ACTIONS_MAX; a++) {
		if (p->direction[a] != 0 || p->directions.direction[a].n == 0)
			continue;
		for (b = a + 1; b < n; b++)
			if (p->direction[b] == 0 &&
			    p->directions.direction[b].n > 0 &&
			    is_inverse_action(p, a, b) &&
			    is_inverse_action(p, b, a))
				break;
		if (b == n || ++axes > 2)
			return false;
		p->direction[a] = p->directions.direction[a].named;
		if (p->direction[a] == 0)
			p->direction[a] = -p->directions.direction[b].named;
		if (p->direction[a] == 0) {
			p->direction[a] = free_axis;
			free_axis = -1;
		}
		p->direction[b] = -p->direction[a];
	}
	return axes == 2;
}

/* Make a grid: 1, 0 if the component is not one, -1 with err filled. */
static int
snap_to_grid(struct orientation *p, struct cscg_err *err)
{
	long all = p->directions.n;
	int rc = layout_egocentric(p->t, &p->directions, p->at, err);

	if (rc != 0)
		return rc;
	if (directions_by_name(p) || directions_by_inverse(p))
		rc = cscg_directions_fit(&p->directions, p->direction,
		    OUTLIERS_MAX_GRID, p->at, err);
	if (rc != 0)
		return rc;
	p->directions.n = all;
	cscg_directions_measure(&p->directions, p->at);
	if (directions_by_mean(p))
		rc = cscg_directions_fit(&p->directions, p->direction,
		    OUTLIERS_MAX_LOOSE, p->at, err);
	return rc;
}

/*
 * Orient the positions at[m * 2] as described in layout.h, and make nearly
 * regular grids exact.  0, or -1 with err filled (CSCG_ENOMEM).
 */
static int
layout_orient_flat(const struct cscg_layout_component *t, double *at,
    struct cscg_err *err)
{
	struct orientation p = { .t = t, .at = at };
	int rc = -1;

	if (cscg_directions_new(&p.directions, t->g, t->node, t->index, t->m,
		err) < 0)
		return -1;
	p.direction = cscg_alloc((size_t)t->g->n_actions, sizeof *p.direction,
	    err);
	if (p.direction) {
		cscg_directions_measure(&p.directions, at);
		if (!orient_by_names(&p))
			orient_by_shape(&p);
		rc = snap_to_grid(&p, err);
		if (rc > 0 && !has_axis(&p, 1) && !has_axis(&p, I))
			orient_landscape(&p);
	}
	free(p.direction);
	cscg_directions_free(&p.directions);
	return rc < 0 ? -1 : 0;
}

/* ---- solid ---- */

/* The principal axes about the origin by descending variance, columns of v. */
static void
find_axes(const double *at, int m, double (*v)[CSCG_EIGEN_MAX], int order[3])
{
	double c[3][CSCG_EIGEN_MAX] = { { 0 } };
	int i, x, y;

	for (i = 0; i < m; i++)
		for (x = 0; x < 3; x++)
			for (y = 0; y < 3; y++)
				c[x][y] += at[3 * (size_t)i + x] *
				    at[3 * (size_t)i + y];
	cscg_eigen(c, v, 3);
	for (x = 0; x < 3; x++)
		order[x] = x;
	for (x = 0; x < 2; x++)
		for (y = x + 1; y < 3; y++)
			if (c[order[y]][order[y]] > c[order[x]][order[x]]) {
				i = order[x];
				order[x] = order[y];
				order[y] = i;
			}
}

/* Rotate at[m * 3]: largest variance along x, smallest along z. */
static void
layout_orient_solid(const struct cscg_layout_component *t, double *at)
{
	double v[3][CSCG_EIGEN_MAX], q[3], mean[3] = { 0 };
	int i, x, y, order[3];

	for (i = 0; i < 3 * t->m; i++)
		mean[i % 3] += at[i] / t->m;
	for (i = 0; i < 3 * t->m; i++)
		at[i] -= mean[i % 3];
	find_axes(at, t->m, v, order);
	for (i = 0; i < t->m; i++) {
		double *p = at + 3 * (size_t)i;

		for (x = 0; x < 3; x++)
			for (q[x] = 0, y = 0; y < 3; y++)
				q[x] += p[y] * v[y][order[x]];
		memcpy(p, q, sizeof q);
	}
}

/* ---- the whole graph ---- */

#define COMPONENT_GAP 2.0 /* between components */
#define LONG_EDGE 6.0     /* longer edges contradict the coordinates ... */
#define WRAP_SHARE \
	0.6 /* ... unless they span this share of the layout: they wrap */
#define MIN_SEPARATION 0.6 /* nodes nearer than this are crowded */

struct layout_job {
	const struct cscg_graph *g;
	struct cscg_layout *l;
	struct cscg_adjacency adjacency;
	int *node, *first, n; /* components */
	int *index;           /* [n_nodes] index of a node in its component */
	double *at;           /* [n_nodes * 3] positions in a component */
};

/* ---- coordinates that the graph has ---- */

struct point {
	double y, x;
};

static int
by_point(const void *pa, const void *pb)
{
	const struct point *a = pa, *b = pb;

	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	return (a->x > b->x) - (a->x < b->x);
}

/* 1 if all nodes have distinct coordinates, 0 if not, -1 with err filled. */
static int
has_distinct_coords(const struct cscg_graph *g, struct cscg_err *err)
{
	struct point *point;
	int v, is_distinct = 1;

	if (!g->coords)
		return 0;
	point = cscg_copy(g->coords, (size_t)g->n_nodes, sizeof *point, err);
	if (!point)
		return -1;
	for (v = 0; v < g->n_nodes; v++)
		is_distinct &= isfinite(point[v].x) && isfinite(point[v].y);
	if (is_distinct)
		qsort(point, (size_t)g->n_nodes, sizeof *point, by_point);
	for (v = 1; is_distinct && v < g->n_nodes; v++)
		is_distinct = by_point(&point[v - 1], &point[v]) != 0;
	free(point);
	return is_distinct;
}

/* The median length of an edge between neighbours, or 1. */
static int
median_edge(const struct layout_job *job, double *unit, struct cscg_err *err)
{
	const double *c = job->g->coords;
	size_t n = 0;
	double *length;
	long i;
	int v;

	length = cscg_alloc((size_t)job->adjacency.first[job->adjacency.n] + 1,
	    sizeof *length, err);
	if (!length)
		return -1;
	for (v = 0; v < job->adjacency.n; v++)
		for (i = job->adjacency.first[v];
		     i < job->adjacency.first[v + 1]; i++) {
			int u = job->adjacency.to[i];
			double y = c[2 * u] - c[2 * v];
			double x = c[2 * u + 1] - c[2 * v + 1];

			length[n++] = sqrt(x * x + y * y);
		}
	cscg_sort_doubles(length, n);
	*unit = n && length[n / 2] > 0 ? length[n / 2] : 1;
	free(length);
	return 0;
}

/*
 * Whether edges of a model are too long for its coordinates to be used.  Those
 * of a stitched map are, since its parts keep the coordinates of their
 * schemas.
 */
static bool
has_long_edges(const struct layout_job *job)
{
	const double *flat = job->l->flat;
	double high[2] = { 0, 0 }, offset;
	int v, x;
	long i;

	for (v = 0; v < job->g->n_nodes; v++)
		for (x = 0; x < 2; x++)
			high[x] = fmax(high[x], flat[2 * (size_t)v + x]);
	for (v = 0; job->g->count && v < job->adjacency.n; v++)
		for (i = job->adjacency.first[v];
		     i < job->adjacency.first[v + 1]; i++)
			for (x = 0; x < 2; x++) {
				offset = fabs(flat[2 * (size_t)v + x] -
				    flat[2 * (size_t)job->adjacency.to[i] +
					x]);
				if (offset > LONG_EDGE &&
				    offset < WRAP_SHARE * high[x])
					return true;
			}
	return false;
}

static int
use_coords(struct layout_job *job, struct cscg_err *err)
{
	double unit = 1, low_x = INFINITY, low_y = INFINITY;
	const double *c = job->g->coords;
	int v;

	if (median_edge(job, &unit, err) < 0)
		return -1;
	for (v = 0; v < job->g->n_nodes; v++) {
		low_y = fmin(low_y, c[2 * (size_t)v]);
		low_x = fmin(low_x, c[2 * (size_t)v + 1]);
	}
	for (v = 0; v < job->g->n_nodes; v++) {
		double *p = job->l->flat + 2 * (size_t)v;

		p[0] = (c[2 * (size_t)v + 1] - low_x) / unit;
		p[1] = (c[2 * (size_t)v] - low_y) / unit;
	}
	job->l->has_coords = !has_long_edges(job);
	return 0;
}

/* ---- components side by side ---- */

struct box {
	int comp, m;
	double low[2], size[2], at[2];
};

static int
by_size(const void *pa, const void *pb)
{
	const struct box *a = pa, *b = pb;

	if (a->m != b->m)
		return a->m > b->m ? -1 : 1;
	return (a->comp > b->comp) - (a->comp < b->comp);
}

static void
bounding_box(const struct layout_job *job, const double *position, int dim,
    int c, struct box *b)
{
	double high[2] = { -INFINITY, -INFINITY };
	int i, x;

	b->comp = c;
	b->m = job->first[c + 1] - job->first[c];
	b->low[0] = b->low[1] = INFINITY;
	for (i = job->first[c]; i < job->first[c + 1]; i++)
		for (x = 0; x < 2; x++) {
			double v = position[(size_t)job->node[i] * dim + x];

			b->low[x] = fmin(b->low[x], v);
			high[x] = fmax(high[x], v);
		}
	for (x = 0; x < 2; x++)
		b->size[x] = high[x] - b->low[x] + COMPONENT_GAP;
}

/*
 * Rows of boxes, the largest first, with a width of about 1.5 times the
 * height.
 */
static int
pack_components(const struct layout_job *job, double *position, int dim,
    struct cscg_err *err)
{
	double area = 0, width = 0, x = 0, y = 0, high = 0;
	struct box *box;
	int c, i, k;

	box = cscg_alloc((size_t)job->n, sizeof *box, err);
	if (!box)
		return -1;
	for (c = 0; c < job->n; c++) {
		bounding_box(job, position, dim, c, &box[c]);
		area += box[c].size[0] * box[c].size[1];
		width = fmax(width, box[c].size[0]);
	}
	width = fmax(width, sqrt(1.5 * area)) * 1.0001;
	qsort(box, (size_t)job->n, sizeof *box, by_size);
	for (c = 0; c < job->n; c++) {
		if (x + box[c].size[0] > width) {
			y += high;
			x = high = 0;
		}
		for (k = job->first[box[c].comp];
		     k < job->first[box[c].comp + 1]; k++)
			for (i = 0; i < 2; i++)
				position[(size_t)job->node[k] * dim + i] +=
				    (i ? y : x) - box[c].low[i];
		x += box[c].size[0];
		high = fmax(high, box[c].size[1]);
	}
	free(box);
	return 0;
}

/* ---- one component ---- */

static void
store_component(const struct layout_job *job, int c, int dim, double *position)
{
	int i, first = job->first[c], m = job->first[c + 1] - first;

	for (i = 0; i < m; i++)
		memcpy(position + (size_t)job->node[first + i] * dim,
		    job->at + (size_t)i * dim, (size_t)dim * sizeof *position);
}

/* Whether u and v are neighbours in the graph. */
static bool
adjacent(const struct layout_job *job, int u, int v)
{
	long i;

	for (i = job->adjacency.first[u]; i < job->adjacency.first[u + 1]; i++)
		if (job->adjacency.to[i] == v)
			return true;
	return false;
}

/* The number of nodes of the component too near to a non-neighbour. */
static int
count_crowded(const struct layout_job *job, int c, int dim,
    const double *position)
{
	int i, j, x, n = 0;
	double d, offset;

	for (i = job->first[c]; i < job->first[c + 1]; i++)
		for (j = job->first[c]; j < job->first[c + 1]; j++) {
			int u = job->node[i], v = job->node[j];

			for (d = 0, x = 0; x < dim; x++) {
				offset = position[(size_t)u * dim + x] -
				    position[(size_t)v * dim + x];
				d += offset * offset;
			}
			if (d < MIN_SEPARATION * MIN_SEPARATION && u != v &&
			    !adjacent(job, u, v)) {
				n++;
				break;
			}
		}
	return n;
}

static int
place_component(struct layout_job *job, int c, struct cscg_err *err)
{
	struct cscg_layout_component component = { job->g,
		job->node + job->first[c], job->index,
		job->first[c + 1] - job->first[c] };
	struct cscg_stress s;
	int i, rc = -1;

	for (i = 0; i < component.m; i++)
		job->index[component.node[i]] = i;
	if (cscg_stress_new(&s, &job->adjacency, component.node, component.m,
		err) < 0)
		goto out;
	if (!job->l->has_coords) {
		cscg_stress_minimise(&s, 2, job->at);
		if (layout_orient_flat(&component, job->at, err) < 0)
			goto out;
		store_component(job, c, 2, job->l->flat);
	}
	rc = layout_torus(&component, job->at, err);
	if (rc < 0)
		goto out;
	if (rc == 0) {
		cscg_stress_minimise(&s, 3, job->at);
		layout_orient_solid(&component, job->at);
	}
	store_component(job, c, 3, job->l->solid);
	job->l->flat_crowding += count_crowded(job, c, 2, job->l->flat);
	job->l->solid_crowding += count_crowded(job, c, 3, job->l->solid);
	rc = 0;
out:
	cscg_stress_free(&s);
	return rc;
}

static int
layout_graph(struct layout_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->g->n_nodes;
	int c, has_coords;

	job->node = cscg_alloc(n, sizeof *job->node, err);
	job->first = cscg_alloc(n + 1, sizeof *job->first, err);
	job->index = cscg_alloc(n, sizeof *job->index, err);
	job->at = cscg_alloc(3 * n, sizeof *job->at, err);
	job->l->flat = cscg_alloc(2 * n, sizeof *job->l->flat, err);
	job->l->solid = cscg_alloc(3 * n, sizeof *job->l->solid, err);
	if (job->node && job->first)
		job->n = cscg_adjacency_components(&job->adjacency, job->node,
		    job->first, err);
	if (job->n < 1 || !job->index || !job->at || !job->l->flat ||
	    !job->l->solid)
		return -1;
	has_coords = has_distinct_coords(job->g, err);
	if (has_coords < 0 || (has_coords && use_coords(job, err) < 0))
		return -1;
	for (c = 0; c < job->n; c++)
		if (place_component(job, c, err) < 0)
			return -1;
	job->l->flat_crowding /= (double)n;
	job->l->solid_crowding /= (double)n;
	if (!job->l->has_coords &&
	    pack_components(job, job->l->flat, 2, err) < 0)
		return -1;
	return pack_components(job, job->l->solid, 3, err);
}

int
cscg_layout_new(struct cscg_layout *l, const struct cscg_graph *g,
    struct cscg_err *err)
{
	struct layout_job job = { .g = g, .l = l };
	int rc = -1;

	*l = (struct cscg_layout){ 0 };
	if (cscg_adjacency_new(&job.adjacency, g, err) == 0)
		rc = layout_graph(&job, err);
	cscg_adjacency_free(&job.adjacency);
	free(job.node);
	free(job.first);
	free(job.index);
	free(job.at);
	if (rc < 0)
		cscg_layout_free(l);
	return rc;
}

void
cscg_layout_free(struct cscg_layout *l)
{
	free(l->flat);
	free(l->solid);
	*l = (struct cscg_layout){ 0 };
}
