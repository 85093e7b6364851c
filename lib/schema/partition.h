/*
 * partition.h - partition of a graph into rooms and doors
 *
 * A room is a set of nodes with many transitions among them and few to other
 * nodes.  A transition from one room into another is an exit, and its target
 * an entry.  The graph is cut in two where that costs least, and its parts
 * again, until no cut is narrow enough.  Emissions are not used.
 *
 * kind.h determines which rooms are equal.
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
 * Criteria of a narrow cut. c is the weight of the transitions cut
 * (spectral.h).  V is the weight of all transitions of the nodes on one side,
 * those cut counted once and the others from both ends, on the side where it
 * is less.
 */
struct cscg_partition_options {
	double max_conductance; /* c / V is below this */
	double max_cut_ratio;   /* and c / sqrt(V) is below this: for large V
	                           every c / V is small */
	long min_size;          /* and each side has at least this number of
	                           nodes */
};

/* The defaults of the tools. */
#define CSCG_PARTITION_DEFAULTS \
	{ \
		0.02, 0.3, 8 \
	}
#define CSCG_PARTITION_MIN_PROB 0.05 /* minimum transition probability */
/*
 * A room whose narrowest cut is below this may be several rooms with wide
 * doors.  The cut of a rectangle of sides 1:2 in the middle is 1/sqrt(2) at
 * least, whatever its size.
 */
#define CSCG_PARTITION_DOUBT 0.6

struct cscg_partition {
	int n, n_nodes;
	int *room;          /* [n_nodes] rooms are numbered in the order of
	                       their first nodes */
	int *size;          /* [n] nodes */
	int *class_of;      /* [n] the first room that is equal to this one */
	int *same_node;     /* [n_nodes] the corresponding node of that room;
	                       -1: a doorway that it lacks */
	char *is_ambiguous; /* [n_nodes] whether the node may merge several
	                       true states */
	char *is_doorway;   /* [n_nodes] whether it has an exit and one
	                       neighbour in its room, which has three or
	                       more */
	double *cut;        /* [n] c / sqrt(V) of the narrowest cut found that
	                       was not made; INFINITY: none */
	struct cscg_arc *exit; /* by from, a and to */
	long n_exits;
};

/*
 * The rooms of g.  Nodes that no transitions connect are in different rooms,
 * also if these are smaller than min_size.
 *
 * A node is ambiguous if it has an action none of whose transitions has a
 * probability of 3/4 or more: in a learned graph it may merge several true
 * states.  If at most a tenth of all nodes are ambiguous, cuts are found
 * without them, each is then assigned to the room with the largest total
 * weight to it, and transitions from and to them are not exits.
 *
 * Returns NULL with err filled: CSCG_ERANGE if the comparison of two rooms
 * exceeded its limit of work, CSCG_ENOMEM.
 */
struct cscg_partition *cscg_partition_new(const struct cscg_graph *g,
    const struct cscg_partition_options *set, struct cscg_err *err);

/*
 * The partition into n given rooms: room[v] of each node, numbered in the order
 * of their first nodes.  Exits, doorways and classes are found as above.
 */
struct cscg_partition *cscg_partition_given(const struct cscg_graph *g,
    const int *room, int n, struct cscg_err *err);

/*
 * Whether a room may be several rooms, with doors too wide or sides too small
 * for a cut.
 */
bool cscg_partition_is_doubtful(const struct cscg_partition *r, int room);

/*
 * Three tables, TSV with an empty line between, or JSON Lines: the rooms, the
 * exits and the states.  what: "state" for the graph of a model, "node" for
 * that of a room.
 */
int cscg_partition_write(const struct cscg_partition *r,
    const struct cscg_names *actions, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err);

/*
 * cscg_partition_room_model() gives one room of a model as a separate model of
 * the same kind; the partition is that of the model's graph.  Exits become
 * walls, with the counts that they had, and frontiers; other transitions out
 * of the room are dropped.  Frontiers of the model inside the room stay.  The
 * room has entries if the states by which it is entered differ from those by
 * which it is left.
 */

/*
 * All rooms that are equal to room, which is the first of them, as one model,
 * a CSCG_SCHEMA: states are those of room without its doorways, counts add up,
 * and a door of any of the rooms is a frontier of the result.
 */
struct cscg_model *cscg_partition_class_model(const struct cscg_model *m,
    const struct cscg_partition *r, int room, struct cscg_err *err);

/*
 * The narrowest cut of a graph in two
 */

/*
 * Cut w, which is connected, if there is a narrow cut.  Each side then
 * consists of components of at least set->min_size nodes.  component has an
 * int for each node.  *ratio is c / sqrt(V) of the narrowest cut found, also if
 * it is not narrow; INFINITY: none.
 *
 * Returns 1 with side[v] 0 or 1 for each node, 0 if there is no narrow cut, -1
 * with err filled (CSCG_ENOMEM).
 */
int cscg_partition_cut(const struct cscg_wgraph *w,
    const struct cscg_partition_options *set, char *side, int *component,
    double *ratio, struct cscg_err *err);

#endif
