/*
 * fold.h - the graph behind a walk in a world without chance
 *
 * In a deterministic world two moments in the same place have the same future
 * under the same actions.  So a walk can be folded onto itself: call two
 * moments the same place, and whatever followed the same actions must be the
 * same place too, until either nothing is left to say or two moments that look
 * different fall together and the idea was wrong.  See fold.c for how ideas
 * are found and when they are believed.
 */
#ifndef CSCG_FOLD_H
#define CSCG_FOLD_H

#include "err.h"
#include "walk.h"

struct cscg_fold {
	int n_states;
	int *symbol;	/* [n_states] ascending */
	int *state;	/* [n_steps] of each step, -1: not settled */
	double settled;	/* share of the steps that have a state */
};

/*
 * Returns 1 with *out new, 0 if the walk shows no deterministic world (chance,
 * or too little experience to tell), -1 with err filled (CSCG_ENOMEM).
 */
int cscg_fold(const struct cscg_walk *w, struct cscg_fold **out,
    struct cscg_err *err);
void cscg_fold_free(struct cscg_fold *f);

#endif
