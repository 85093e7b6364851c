/*
 * merge.h - evidence-driven state merging (EDSM) of a deterministic walk, with
 * inverse actions
 *
 * In a deterministic environment two steps in the same state have the same
 * future under the same actions.  So assuming that two steps have the same
 * state implies that all pairs of their successors under the same actions do.
 * The merge is propagated until no pair is left, or until two steps with
 * different symbols would be merged, which refutes the assumption.  merge.c
 * describes how candidate merges are found and when they are accepted.
 */
#ifndef CSCG_MERGE_H
#define CSCG_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/poll.h"
#include "core/walk.h"

struct cscg_merge {
	int n_states;
	int *symbol;     /* [n_states] ascending */
	int *state;      /* [n_steps] of each step, -1: not assigned */
	int *next;       /* [n_states * n_actions] cscg_merge_pairs(): the
	                    successor, also inferred from an inverse action,
	                    -1: unknown; else NULL */
	double assigned; /* share of the steps that have a state */
	double cost;     /* description length of the symbols, in nats:
	                    ln(steps)/2 for each state, and the entropy given
	                    the previous symbol and action for each step
	                    without a state */
	bool complete;   /* nearly all steps have a state, and no two states
	                    contradict the inverse actions */
};

/*
 * State merging from landmarks, from at most n_starts starts (SIZE_MAX: all)
 * until a graph is complete.  Of several graphs the one of least cost is the
 * result.  Returns 1 with *out new, 0 if no deterministic graph was found (the
 * walk is stochastic or too short), -1 with err filled (CSCG_ENOMEM).  poll
 * may be NULL; if it stops the search, the best graph so far is the result.
 */
int cscg_merge(const struct cscg_walk *w, size_t n_starts,
    struct cscg_poll *poll, struct cscg_merge **out, struct cscg_err *err);

/*
 * The same for walks in which the data show one action to be the inverse of
 * another.  Merges that remain undecided are guessed at random, and guessed
 * again after a contradiction; seed seeds these guesses.  The states are those
 * of the smallest graph found.  Returns as above; 0 also if no action has an
 * inverse or no graph was found.
 */
int cscg_merge_by_inverses(const struct cscg_walk *w, uint64_t seed,
    struct cscg_poll *poll, struct cscg_merge **out, struct cscg_err *err);

/*
 * State merging of a short walk, in an environment that is still being
 * explored: pairs of states are merged in the order of their evidence.  Every
 * step has a state; several states may be the same one.  before: states,
 * below n_before, of the first n_before steps in an earlier result, which remain
 * merged.  Returns 1
 * with *out new; 0 if an observation is missing, or if the walk contradicts
 * `before`; -1 with err filled (CSCG_ENOMEM).
 */
int cscg_merge_pairs(const struct cscg_walk *w, const int *before,
    long n_before, struct cscg_merge **out, struct cscg_err *err);
void cscg_merge_free(struct cscg_merge *f);

#endif
