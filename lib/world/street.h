/*
 * street.h - street networks and neighbourhoods as rooms
 *
 * A network is the data of a map: points, of which many only give a street its
 * shape, and links between points.  A town is the graph of junctions and dead
 * ends with the streets between them.  A point of degree 2 is neither and is
 * contracted: the links on both sides become parts of one street.  Junctions
 * keep their degree, so a street may be a loop, and two streets may join the
 * same junctions.
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

/* Points in metres east and north of an arbitrary origin. */
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
 * A synthetic network drawn by rng: blocks of uneven size, omitted streets
 * that give T-junctions and dead ends, a few diagonals that give junctions of
 * degree 5, and bends.  Neighbourhoods of five junctions have about as many
 * views and distances as large as those of Manhattan.
 */
struct cscg_streets *cscg_streets_generate(struct cscg_rng *rng,
    struct cscg_err *err);

/*
 * One end of a street.  bearing is the direction of the street at this end, in
 * radians clockwise from north, in [0, 2 pi).
 */
struct cscg_street {
	int node, twin; /* node of this end; index of the other end */
	double bearing;
};

struct cscg_town {
	int n_nodes;
	double *east, *north;       /* [n_nodes] */
	int *first;                 /* [n_nodes + 1] into street */
	struct cscg_street *street; /* ends by node, clockwise */
	int *size;                  /* [n_nodes] junctions in its component */
};

/*
 * The town of a network; NULL with err filled: CSCG_EFORMAT if it has no
 * junction.
 */
struct cscg_town *cscg_town_new(const struct cscg_streets *net,
    struct cscg_err *err);
void cscg_town_free(struct cscg_town *town);

/*
 * A neighbourhood as a room: breadth-first search from a junction drawn by
 * rng, the streets of a node clockwise, until the given number of junctions
 * (degree 3 or more) is reached; all streets of the nodes reached belong to
 * it.
 *
 * The nodes of the room are views: a junction or dead end and the street that
 * the agent faces, each with a unique symbol.  Left and right turn to the next
 * street, counterclockwise and clockwise; forward goes to the other end and
 * faces the street closest to the direction of arrival (of two as close, the
 * one to the right).  Coordinates are in units of 50 m, displaced in the
 * direction of the view.
 *
 * Returns NULL with err filled: CSCG_EMISMATCH if no component of the town has
 * enough junctions.
 */
struct cscg_room *cscg_town_room(const struct cscg_town *town, int junctions,
    struct cscg_rng *rng, struct cscg_err *err);

/*
 * street networks as text: roomgen(1)
 */

/*
 * Read a network from the n files of path, in any order; "-" is standard
 * input, and a directory stands for its nodes.txt and links.txt.  Each file
 * has lines of one of two kinds:
 *
 *	N,id,latitude,longitude[,degree]	L,id,id
 *	id,yaw,latitude,longitude		id,heading,id
 *
 * Links go both ways; of the second kind each may also be given once each way.
 *
 * Returns NULL with err filled and file and line named: CSCG_EFORMAT for a
 * line of another kind, an unknown or duplicate id, a self-loop or duplicate
 * link; CSCG_ERANGE for a number out of range; CSCG_EREAD.
 */
struct cscg_streets *cscg_streets_read(char *const *path, int n,
    struct cscg_err *err);

#endif
