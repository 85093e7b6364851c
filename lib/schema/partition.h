/*
 * partition.h - partition of a graph into rooms and doors
 *
 * A room is a set of nodes that hang together by many moves and with the others
 * by few; a move from one room into another is an exit, and where it leads an
 * entry.  The graph is cut in two where that costs least, and its parts again,
 * until no cut is narrow enough.  What nodes look like plays no part.
 *
 * Two rooms are equal if one-to-one all moves of one are moves of the other,
 * action by action, with an exit taken for a wall: whether there is a door does
 * not matter, nor what is behind it.
 */
#ifndef CSCG_PARTITION_H
#define CSCG_PARTITION_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "core/model.h"
#include "io/stream.h"
#include "schema/spectral.h"

/*
 * Which cuts are narrow.  With c the weight of the moves cut (spectral.h) and
 * V that of all moves of the nodes on one side, those cut counted once and the
 * others from both ends, on the side where it is less:
 */
struct cscg_partition_options {
	double max_conductance; /* c / V is less */
	double max_cut_ratio;   /* and so is c / sqrt(V): where V is large, any
				   cut is small beside it */
	long min_size;          /* and each side has so many nodes */
};

/* What the tools do if they are not told otherwise. */
#define CSCG_PARTITION_DEFAULTS \
	{ \
		0.02, 0.3, 8 \
	}
#define CSCG_PARTITION_MIN_PROB 0.05 /* share of a move that counts at all */

struct cscg_partition_exit {
	int from, a, to;
};

struct cscg_partition {
	int n, n_nodes;
	int *room;          /* [n_nodes] counted by their first node */
	int *size;          /* [n] nodes */
	int *class_of;      /* [n] the first room that it is equal to */
	int *same_node;     /* [n_nodes] the node of that room that it is */
	char *is_ambiguous; /* [n_nodes] does it stand for several places? */
	struct cscg_partition_exit *exit; /* by from, a and to */
	long n_exits;
};

/*
 * The rooms of g.  Nodes that no move connects are in different rooms, however
 * few they are.
 *
 * A node is in doubt if a move of it leads to no place with a share of 3/4 or
 * more: in a learned graph it may stand for several.  If no more than a tenth
 * of all are, cuts are found without them, each then goes to the room it hangs
 * on most, and moves from and to them are no exits.
 *
 * Returns NULL with err filled: CSCG_ERANGE if the comparison of two rooms took
 * too long and was given up, CSCG_ENOMEM.
 */
struct cscg_partition *cscg_partition_new(const struct cscg_graph *g,
    const struct cscg_partition_options *set, struct cscg_err *err);

/*
 * Three tables, TSV with an empty line between, or JSON Lines: the rooms, the
 * exits and the states.  what: "state", or "node" for a room's.
 */
int cscg_partition_write(const struct cscg_partition *r,
    const struct cscg_names *actions, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err);

/*
 * cscg_partition_room_model() gives one room of a model as a model of its own,
 * of the same kind; p are the rooms of its graph.  Its exits are walls, with the
 * counts that they had, and frontiers; moves out that are no exits are dropped.
 * Frontiers that the model had in it stay.  It has entries if one enters it
 * elsewhere than where one leaves.
 */

/*
 * The same of all rooms that are equal to room, which is the first of them, as
 * one, a CSCG_SCHEMA: states are those of room, counts add up, and where one of
 * them has a door all have.
 */
struct cscg_model *cscg_partition_class_model(const struct cscg_model *m,
    const struct cscg_partition *r, int room, struct cscg_err *err);

/*
 * where a graph is easiest to cut in two
 */

/*
 * Cut w, which is in one piece, if there is a narrow cut.  Each side is then
 * made of pieces of at least set->min_size nodes.  piece has room for an int a
 * node.
 *
 * Returns 1 with side[v] 0 or 1 for each node, 0 if there is none, -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_partition_cut(const struct cscg_wgraph *w,
    const struct cscg_partition_options *set, char *side, int *component,
    struct cscg_err *err);

#endif
