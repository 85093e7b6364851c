/*
 * random_walk.h - walks through rooms: the loop of roomwalk(1)
 *
 * An episode begins at a node, observes its symbol, chooses an action by a
 * policy or from a given sequence, and follows a transition of the room.  Each
 * episode has separate random streams, so that episodes are independent of
 * each other.
 */
#ifndef CSCG_RANDOM_WALK_H
#define CSCG_RANDOM_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"
#include "world/policy.h"
#include "world/room.h"

struct cscg_random_walk {
	const struct cscg_room *const *room; /* [n_rooms], same alphabet;
	                                        borrowed.  Episode e is in room
	                                        e modulo n_rooms */
	long n_rooms;
	enum cscg_policy_kind policy;
	long repeat;      /* K of the policy */
	long steps;       /* observations per episode */
	int start;        /* node; -1: random */
	const char *pose; /* "ROW,COL,HEADING" of a voxel room, which replaces
	                     start; or NULL */
	bool permute;     /* permute the symbols in each episode */
	double misread;   /* probability that a symbol is drawn uniformly */
	bool blind;       /* no true nodes */
	uint64_t seed;

	/*
	 * Given actions, instead of policy and steps; or NULL: 1 with *a, 0 at
	 * the end of the sequence, -1 with err filled.
	 */
	int (*next_action)(void *ctx, int *a, struct cscg_err *err);
	/*
	 * Called for step t of an episode at a node; may set step->view.  -1
	 * with err filled ends the walk.
	 */
	int (*on_step)(void *ctx, long episode, long t, int node,
	    struct cscg_step *step, struct cscg_err *err);
	void *ctx;
};

/* Alphabet and history of walks through these rooms; 0, or -1 with err filled
 * (CSCG_ENOMEM).  head is empty before; free it also on failure. */
int cscg_random_walk_header(const struct cscg_room *const *room, long n_rooms,
    struct cscg_walk_header *head, struct cscg_err *err);

/*
 * Episodes 0..episodes-1.  0, or -1 with err filled: CSCG_ENOMEM, CSCG_EUSAGE
 * or CSCG_EMISMATCH (a pose that is not a node of a room), or as a callback
 * does.
 */
int cscg_random_walk_run(const struct cscg_random_walk *walk, long episodes,
    struct cscg_err *err);

#endif
