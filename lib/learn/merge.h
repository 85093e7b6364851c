/*
 * merge.h - evidence-driven state merging (EDSM) of a deterministic walk, with
 * inverse actions
 *
 * In a deterministic world two moments in the same place have the same future
 * under the same actions.  So a walk can be folded onto itself: call two
 * moments the same place, and whatever followed the same actions must be the
 * same place too, until either nothing is left to say or two moments that look
 * different fall together and the idea was wrong.  See merge.c for how ideas
 * are found and when they are believed.
 */
#ifndef CSCG_MERGE_H
#define CSCG_MERGE_H

#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"

struct cscg_merge {
	int n_states;
	int *symbol;     /* [n_states] ascending */
	int *state;      /* [n_steps] of each step, -1: not settled */
	double assigned; /* share of the steps that have a state */
};

/*
 * Returns 1 with *out new, 0 if the walk shows no deterministic world (chance,
 * or too little experience to tell), -1 with err filled (CSCG_ENOMEM).
 */
int cscg_merge(const struct cscg_walk *w, struct cscg_merge **out,
    struct cscg_err *err);

/*
 * The same where one action undoes another, as far as the walk tells: such a law
 * says more than agreement alone, so shorter walks fold, and more uniform ones.
 * What is open then is guessed and, where a guess ends in contradiction, guessed
 * anew; seed is for that.  The states are those of the smallest graph found.
 * Returns as above; 0 also if there is no such law, or no graph was found.
 */
int cscg_merge_by_inverses(const struct cscg_walk *w, uint64_t seed,
    struct cscg_merge **out, struct cscg_err *err);
void cscg_merge_free(struct cscg_merge *f);

#endif
