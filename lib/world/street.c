/*
 * street.c - street networks, and towns made of them
 *
 * A link has two sides; side 2 l + 1 looks along link l from its second point.
 * A street of a town is a chain of links; we know its ends by the sides they
 * leave by, so finding the twin of a street is following the chain once.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "world/street.h"

struct cscg_streets *
cscg_streets_new(struct cscg_err *err)
{
	return cscg_alloc(1, sizeof(struct cscg_streets), err);
}

void
cscg_streets_free(struct cscg_streets *net)
{
	if (!net)
		return;
	free(net->east);
	free(net->north);
	free(net->link);
	free(net);
}

int
cscg_streets_add_point(struct cscg_streets *net, double east, double north,
    struct cscg_err *err)
{
	if (net->n_points == CSCG_POINT_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d points",
		    CSCG_POINT_MAX);
	if (cscg_grow(&net->east, &net->cap_east, net->n_points + 1,
	    sizeof *net->east, err) < 0 ||
	    cscg_grow(&net->north, &net->cap_north, net->n_points + 1,
	    sizeof *net->north, err) < 0)
		return -1;
	net->east[net->n_points] = east;
	net->north[net->n_points++] = north;
	return 0;
}

int
cscg_streets_add_link(struct cscg_streets *net, int a, int b, struct cscg_err *err)
{
	if (net->n_links == CSCG_LINK_MAX)
		return cscg_fail(err, CSCG_ERANGE, "more than %d links",
		    CSCG_LINK_MAX);
	if (cscg_grow(&net->link, &net->cap_link, net->n_links + 1,
	    sizeof *net->link, err) < 0)
		return -1;
	net->link[net->n_links][0] = a;
	net->link[net->n_links++][1] = b;
	return 0;
}

/* The sides that leave each point, clockwise. */
struct side {
	double bearing;
	int id;
};

struct sides {
	long *first;		/* [n_points + 1] */
	struct side *side;	/* [2 n_links] */
	int *street;		/* [2 n_links] its number in the town, or -1 */
	int *node;		/* [n_points] its number in the town, or -1 */
};

static void
free_sides(struct sides *s)
{
	free(s->first);
	free(s->side);
	free(s->street);
	free(s->node);
}

static double
bearing(const struct cscg_streets *net, long side)
{
	int a = net->link[side / 2][side % 2];
	int b = net->link[side / 2][1 - side % 2];
	double angle = atan2(net->east[b] - net->east[a],
	    net->north[b] - net->north[a]);

	return angle < 0 ? angle + 2 * M_PI : angle;
}

static int
by_bearing(const void *pa, const void *pb)
{
	const struct side *a = pa, *b = pb;

	if (a->bearing != b->bearing)
		return a->bearing < b->bearing ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int
sort_sides(const struct cscg_streets *net, struct sides *s,
    struct cscg_err *err)
{
	long n = 2 * net->n_links, i, p;

	s->first = cscg_alloc(net->n_points + 2, sizeof *s->first, err);
	s->side = s->first ? cscg_alloc(n, sizeof *s->side, err) : NULL;
	s->street = s->side ? cscg_alloc(n, sizeof *s->street, err) : NULL;
	s->node = s->street ? cscg_alloc(net->n_points, sizeof *s->node, err) :
	    NULL;
	if (!s->node)
		return -1;
	/* Counted two places up, so that filling leaves first as it should be. */
	for (i = 0; i < n; i++)
		s->first[net->link[i / 2][i % 2] + 2]++;
	for (p = 2; p < net->n_points + 2; p++)
		s->first[p] += s->first[p - 1];
	for (i = 0; i < n; i++)
		s->side[s->first[net->link[i / 2][i % 2] + 1]++] =
		    (struct side){ bearing(net, i), (int)i };
	for (p = 0; p < net->n_points; p++)
		qsort(s->side + s->first[p], s->first[p + 1] - s->first[p],
		    sizeof *s->side, by_bearing);
	return 0;
}

/* Number the points that are places, and the sides that leave them. */
static void
number_nodes(const struct cscg_streets *net, struct sides *s, int *n_nodes,
    int *n_streets)
{
	long p, i, degree;

	*n_nodes = *n_streets = 0;
	for (i = 0; i < 2 * net->n_links; i++)
		s->street[i] = -1;
	for (p = 0; p < net->n_points; p++) {
		degree = s->first[p + 1] - s->first[p];
		s->node[p] = -1;
		if (degree == 0 || degree == 2)
			continue;
		s->node[p] = (*n_nodes)++;
		for (i = s->first[p]; i < s->first[p + 1]; i++)
			s->street[s->side[i].id] = (*n_streets)++;
	}
}

/* The side that leaves the far end of the street that side begins. */
static int
far_side(const struct cscg_streets *net, const struct sides *s, int side)
{
	for (;;) {
		int back = side ^ 1, end = net->link[back / 2][back % 2];
		const struct side *two = s->side + s->first[end];

		if (s->node[end] >= 0)
			return back;
		side = two[0].id == back ? two[1].id : two[0].id;
	}
}

static void
set_streets(struct cscg_town *town, const struct cscg_streets *net,
    const struct sides *s)
{
	int n = 0, v = 0;
	long p, i;

	for (p = 0; p < net->n_points; p++) {
		if (s->node[p] < 0)
			continue;
		town->east[v] = net->east[p];
		town->north[v] = net->north[p];
		for (i = s->first[p]; i < s->first[p + 1]; i++)
			town->street[n++] = (struct cscg_street){ v, s->street[
			    far_side(net, s, s->side[i].id)],
			    s->side[i].bearing };
		town->first[++v] = n;
	}
}

static bool
is_junction(const struct cscg_town *town, int v)
{
	return town->first[v + 1] - town->first[v] > 2;
}

/* Junctions of the connected part that v is in, told to all of it. */
static void
count_junctions(struct cscg_town *town, int v, int *queue)
{
	int head = 0, tail = 0, n = 0, i;

	queue[tail++] = v;
	town->size[v] = -1;
	for (; head < tail; head++) {
		n += is_junction(town, queue[head]);
		for (i = town->first[queue[head]];
		    i < town->first[queue[head] + 1]; i++) {
			int w = town->street[town->street[i].twin].node;

			if (town->size[w])
				continue;
			town->size[w] = -1;
			queue[tail++] = w;
		}
	}
	/* A part without junctions must not look as if it were not done. */
	for (i = 0; i < tail; i++)
		town->size[queue[i]] = n ? n : -1;
}

static int
set_sizes(struct cscg_town *town, struct cscg_err *err)
{
	int *queue = cscg_alloc(town->n_nodes, sizeof *queue, err);
	bool any = false;
	int v;

	if (!queue)
		return -1;
	for (v = 0; v < town->n_nodes; v++)
		if (!town->size[v])
			count_junctions(town, v, queue);
	free(queue);
	for (v = 0; v < town->n_nodes; v++) {
		if (town->size[v] < 0)
			town->size[v] = 0;
		any |= town->size[v] > 0;
	}
	if (!any)
		return cscg_fail(err, CSCG_EFORMAT, "no junction: no point has "
		    "three links");
	return 0;
}

struct cscg_town *
cscg_town_new(const struct cscg_streets *net, struct cscg_err *err)
{
	struct cscg_town *town = cscg_alloc(1, sizeof *town, err);
	struct sides s = { NULL, NULL, NULL, NULL };
	int n_streets, rc = -1;

	if (!town || sort_sides(net, &s, err) < 0)
		goto out;
	number_nodes(net, &s, &town->n_nodes, &n_streets);
	town->east = cscg_alloc(town->n_nodes, sizeof *town->east, err);
	town->north = cscg_alloc(town->n_nodes, sizeof *town->north, err);
	town->first = cscg_alloc(town->n_nodes + 1, sizeof *town->first, err);
	town->size = cscg_alloc(town->n_nodes, sizeof *town->size, err);
	town->street = cscg_alloc(n_streets, sizeof *town->street, err);
	if (!town->east || !town->north || !town->first || !town->size ||
	    !town->street)
		goto out;
	set_streets(town, net, &s);
	rc = set_sizes(town, err);
out:
	free_sides(&s);
	if (rc < 0) {
		cscg_town_free(town);
		town = NULL;
	}
	return town;
}

void
cscg_town_free(struct cscg_town *town)
{
	if (!town)
		return;
	free(town->east);
	free(town->north);
	free(town->first);
	free(town->street);
	free(town->size);
	free(town);
}
