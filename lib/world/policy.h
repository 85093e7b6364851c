/*
 * policy.h - policies that choose a walker's next action
 */
#ifndef CSCG_POLICY_H
#define CSCG_POLICY_H

#include "base/error.h"
#include "base/rng.h"
#include "world/room.h"

enum cscg_policy_kind {
	CSCG_RANDOM, /* actions uniformly at random */
	CSCG_REPEAT, /* the same, but each choice is taken k times */
	CSCG_RUNS,   /* the same, but each choice is taken 2 to k times */
	CSCG_BIAS,   /* the first action is k times as likely as any other */
	CSCG_FOLLOW_WALL, /* along the wall at the right, with random turns */
	CSCG_COVER,       /* go to the nearest of the least tried actions */
};

struct cscg_policy;

/*
 * "random", "repeat:K", "runs:K", "bias:K", "wall" or "cover" as a kind and k.
 * Returns -1 with err filled (CSCG_EUSAGE) if word is anything else.
 */
int cscg_policy_parse(const char *word, enum cscg_policy_kind *kind, long *k,
    struct cscg_err *err);

/*
 * A policy with all counts of tried actions 0.  Borrows room.  k is that of the
 * word: at least 1, for CSCG_RUNS at least 2.  NULL with err filled:
 * CSCG_ENOMEM, CSCG_EMISMATCH for CSCG_FOLLOW_WALL in a room whose actions are not up,
 * down, left and right.
 */
struct cscg_policy *cscg_policy_new(enum cscg_policy_kind kind, long k,
    const struct cscg_room *room, struct cscg_err *err);
void cscg_policy_free(struct cscg_policy *policy);

/* The action to take at node; it counts as tried there. */
int cscg_policy_next(struct cscg_policy *policy, int node,
    struct cscg_rng *rng);

#endif
