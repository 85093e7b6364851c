/*
 * street_room.c - a neighbourhood of a town as a room
 *
 * The streets of the nodes reached belong to the neighbourhood whole: one can
 * walk to their other end and back.  So a view is kept if the place at either
 * end of its street was reached.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "world/street.h"

enum { FORWARD, LEFT, RIGHT, N_ACTIONS };

static const char *const actions[] = { "forward", "left", "right", NULL };

#define METRES 50.		/* of a unit of coordinates */
#define BESIDE .3		/* a view's distance from its place, in units */

/* The neighbourhood as far as it is known. */
struct neighbourhood {
	const struct cscg_town *town;
	int *queue;		/* places, those reached first */
	int n_reached, n_queued;
	bool *reached;		/* [n_nodes of town] */
	bool *queued;
	int *view;		/* [streets of town] its node in the room, or -1 */
	int *street;		/* [n_views] and back */
	int n_views;
};

static void
neighbourhood_free(struct neighbourhood *h)
{
	free(h->queue);
	free(h->reached);
	free(h->queued);
	free(h->view);
	free(h->street);
}

static int
neighbourhood_new(struct neighbourhood *h, const struct cscg_town *town, struct cscg_err *err)
{
	int n = town->n_nodes, n_streets = town->first[n], i;

	*h = (struct neighbourhood){ .town = town };
	h->queue = cscg_alloc(n, sizeof *h->queue, err);
	h->reached = cscg_alloc(n, sizeof *h->reached, err);
	h->queued = cscg_alloc(n, sizeof *h->queued, err);
	h->view = cscg_alloc(n_streets, sizeof *h->view, err);
	h->street = cscg_alloc(n_streets, sizeof *h->street, err);
	if (!h->queue || !h->reached || !h->queued || !h->view || !h->street)
		return -1;
	for (i = 0; i < n_streets; i++)
		h->view[i] = -1;
	return 0;
}

static int
far_end(const struct cscg_town *town, int street)
{
	return town->street[town->street[street].twin].node;
}

/* Could a neighbourhood start here? */
static bool
can_start(const struct cscg_town *town, int v, int junctions)
{
	return town->size[v] >= junctions &&
	    town->first[v + 1] - town->first[v] > 2;
}

/* A junction in a part that has enough of them, or -1. */
static int
draw_start(const struct cscg_town *town, int junctions, struct cscg_rng *rng)
{
	long n = 0, pick;
	int v;

	for (v = 0; v < town->n_nodes; v++)
		n += can_start(town, v, junctions);
	if (!n)
		return -1;
	pick = cscg_rng_below(rng, n);
	for (v = 0; !can_start(town, v, junctions) || pick-- > 0; v++)
		;
	return v;
}

static void
enqueue(struct neighbourhood *h, int place)
{
	if (!h->queued[place])
		h->queue[h->n_queued++] = place;
	h->queued[place] = true;
}

static void
breadth_first(struct neighbourhood *h, int start, int junctions)
{
	const struct cscg_town *town = h->town;
	int i, v;

	enqueue(h, start);
	while (junctions > 0 && h->n_reached < h->n_queued) {
		v = h->queue[h->n_reached++];
		h->reached[v] = true;
		junctions -= town->first[v + 1] - town->first[v] > 2;
		for (i = town->first[v]; i < town->first[v + 1]; i++)
			enqueue(h, far_end(town, i));
	}
}

static void
number_views(struct neighbourhood *h)
{
	const struct cscg_town *town = h->town;
	int p, i, v;

	for (p = 0; p < h->n_queued; p++) {
		v = h->queue[p];
		for (i = town->first[v]; i < town->first[v + 1]; i++)
			if (h->reached[v] || h->reached[far_end(town, i)]) {
				h->view[i] = h->n_views;
				h->street[h->n_views++] = i;
			}
	}
}

/* The next street of the neighbourhood at this place, round by step. */
static int
next_street(const struct neighbourhood *h, int street, int step)
{
	int v = h->town->street[street].node;
	int from = h->town->first[v], n = h->town->first[v + 1] - from;
	int i = street - from;

	do
		i = (i + step + n) % n;
	while (h->view[from + i] < 0);
	return from + i;
}

/* How far right of heading a bearing is, in (-pi, pi]. */
static double
relative_bearing(double bearing, double heading)
{
	double d = remainder(bearing - heading, 2 * M_PI);

	return d <= -M_PI ? d + 2 * M_PI : d;
}

/* Arriving by street at its far end: which one to look along? */
static int
arrival_street(const struct neighbourhood *h, int street)
{
	const struct cscg_street *s = h->town->street;
	int back = s[street].twin, v = s[back].node, i, best = back;
	double heading = s[back].bearing + M_PI, d, least = M_PI;

	for (i = h->town->first[v]; i < h->town->first[v + 1]; i++) {
		if (h->view[i] < 0 || i == back)
			continue;
		d = relative_bearing(s[i].bearing, heading);
		/* Rounding must not decide between left and right. */
		if (best == back || fabs(d) < least - 1e-9 ||
		    (fabs(d) < least + 1e-9 && d > 0)) {
			best = i;
			least = fabs(d);
		}
	}
	return best;
}

static int
set_edges(const struct neighbourhood *h, struct cscg_room *room, struct cscg_err *err)
{
	struct cscg_edge *e = cscg_alloc((size_t)N_ACTIONS * h->n_views,
	    sizeof *e, err);
	long n = 0;
	int i, rc;

	if (!e)
		return -1;
	for (i = 0; i < h->n_views; i++) {
		int street = h->street[i];

		e[n++] = (struct cscg_edge){ FORWARD, i,
		    h->view[arrival_street(h, street)], 1 };
		e[n++] = (struct cscg_edge){ LEFT, i,
		    h->view[next_street(h, street, -1)], 1 };
		e[n++] = (struct cscg_edge){ RIGHT, i,
		    h->view[next_street(h, street, 1)], 1 };
	}
	rc = cscg_room_set_edges(room, e, n, err);
	free(e);
	return rc;
}

static void
set_coords(const struct neighbourhood *h, struct cscg_room *room)
{
	int o = h->queue[0], i;

	for (i = 0; i < h->n_views; i++) {
		const struct cscg_street *s = h->town->street + h->street[i];

		room->coords[2 * i] = -BESIDE * cos(s->bearing) -
		    (h->town->north[s->node] - h->town->north[o]) / METRES;
		room->coords[2 * i + 1] = BESIDE * sin(s->bearing) +
		    (h->town->east[s->node] - h->town->east[o]) / METRES;
	}
}

static struct cscg_room *
new_room(const struct neighbourhood *h, struct cscg_err *err)
{
	struct cscg_room *room;

	if (h->n_views > CSCG_NODE_MAX) {
		cscg_fail(err, CSCG_EMISMATCH, "the neighbourhood has %d "
		    "views, more than %d", h->n_views, CSCG_NODE_MAX);
		return NULL;
	}
	room = cscg_room_new(h->n_views, N_ACTIONS, h->n_views, err);
	if (!room)
		return NULL;
	cscg_room_label_unique(room);
	room->coords = cscg_alloc(2 * (size_t)h->n_views, sizeof *room->coords,
	    err);
	if (!room->coords || set_edges(h, room, err) < 0 ||
	    cscg_names_set(&room->actions, actions, err) < 0) {
		cscg_room_free(room);
		return NULL;
	}
	set_coords(h, room);
	return room;
}

struct cscg_room *
cscg_town_room(const struct cscg_town *town, int junctions,
    struct cscg_rng *rng, struct cscg_err *err)
{
	int start = draw_start(town, junctions, rng), most = 0, v;
	struct cscg_room *room = NULL;
	struct neighbourhood h;

	if (start < 0) {
		for (v = 0; v < town->n_nodes; v++)
			if (town->size[v] > most)
				most = town->size[v];
		cscg_fail(err, CSCG_EMISMATCH, "%d junctions are wanted, but "
		    "the largest connected part has %d", junctions, most);
		return NULL;
	}
	if (neighbourhood_new(&h, town, err) == 0) {
		breadth_first(&h, start, junctions);
		number_views(&h);
		room = new_room(&h, err);
	}
	neighbourhood_free(&h);
	return room;
}
