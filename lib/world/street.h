/*
 * street.h - street networks and neighbourhoods as rooms
 *
 * A network is what a map has: points, of which many only shape a street, and
 * links between them.  A town is what one gets lost in: junctions and dead
 * ends, and the streets between them.  A point of degree 2 is neither and is
 * gone there: the links on both sides become parts of one street.  Junctions
 * keep their degree, so a street may lead back to where it began, and two
 * streets may join the same junctions.
 */
#ifndef CSCG_STREET_H
#define CSCG_STREET_H

#include <stddef.h>

#include "base/error.h"
#include "base/rng.h"
#include "world/room.h"

enum {
	CSCG_POINT_MAX = 1000000,
	CSCG_LINK_MAX = 4000000,
};

/* Points in metres to the east and north of somewhere. */
struct cscg_streets {
	long n_points, n_links;
	double *east, *north; /* [n_points] */
	int (*link)[2];       /* [n_links] two points each */
	size_t cap_east, cap_north, cap_link;
};

struct cscg_streets *cscg_streets_new(struct cscg_err *err);
void cscg_streets_free(struct cscg_streets *net);

/* Append a point or a link; -1 with err filled (CSCG_ERANGE: too many). */
int cscg_streets_add_point(struct cscg_streets *net, double east, double north,
    struct cscg_err *err);
int cscg_streets_add_link(struct cscg_streets *net, int a, int b,
    struct cscg_err *err);

/*
 * A network of our own, drawn by rng: blocks of uneven size, streets left out
 * so that there are T-junctions and dead ends, a few diagonals that make
 * crossings of five, and bends.  In its neighbourhoods of five junctions there
 * is about as much to see and as far to go as in those of Manhattan.
 */
struct cscg_streets *cscg_streets_generate(struct cscg_rng *rng,
    struct cscg_err *err);

/*
 * A street seen from one of its ends.  bearing is where one looks then, in
 * radians clockwise from north, in [0, 2 pi).
 */
struct cscg_street {
	int node, twin; /* where; the same street from its other end */
	double bearing;
};

struct cscg_town {
	int n_nodes;
	double *east, *north;       /* [n_nodes] */
	int *first;                 /* [n_nodes + 1] into street */
	struct cscg_street *street; /* those of a node clockwise */
	int *size; /* [n_nodes] junctions in its connected part */
};

/*
 * The town of a network; NULL with err filled: CSCG_EFORMAT if it has no
 * junction.
 */
struct cscg_town *cscg_town_new(const struct cscg_streets *net,
    struct cscg_err *err);
void cscg_town_free(struct cscg_town *town);

/*
 * A neighbourhood as a room: from a junction drawn by rng breadth first, the
 * streets of a node clockwise, until that many junctions (degree 3 or more)
 * have been reached; all streets of the nodes reached belong to it.
 *
 * Its nodes are views: a place and a street to look along, each with a symbol
 * of its own.  Left and right turn to the next street at this place,
 * counterclockwise and clockwise; forward goes to the other end and looks along
 * the street closest to the direction of arrival (of two as close, the one to
 * the right).  Coordinates are in units of 50 m, beside the place in the
 * direction of the view.
 *
 * Returns NULL with err filled: CSCG_EMISMATCH if no connected part of the
 * town has so many junctions.
 */
struct cscg_room *cscg_town_room(const struct cscg_town *town, int junctions,
    struct cscg_rng *rng, struct cscg_err *err);

/*
 * street networks as text: roomgen(1)
 */

/*
 * The network that the files of path hold together, in any order; "-" is
 * standard input, and a directory stands for its nodes.txt and links.txt.
 * Each file has lines of one of two kinds:
 *
 *	N,id,latitude,longitude[,degree]	L,id,id
 *	id,yaw,latitude,longitude		id,heading,id
 *
 * Links go both ways; of the second kind each may also be given once each way.
 *
 * Returns NULL with err filled and file and line named: CSCG_EFORMAT for a
 * line of another kind, an id not known or known twice, a link of a point
 * with itself or twice; CSCG_ERANGE for a number out of range; CSCG_EREAD.
 */
struct cscg_streets *cscg_streets_read(char *const *path, int n,
    struct cscg_err *err);

#endif
