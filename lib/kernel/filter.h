/*
 * filter.h - online filter and online Viterbi: the belief over states, step by
 * step
 *
 * Keeps two messages for the walk so far: the filter, P(state now | all
 * observations), and that of Viterbi, the likeliest path that ends in each
 * state.  The cost of a step is proportional to the counts and states of T and
 * does not depend on the length of the walk.
 */
#ifndef CSCG_FILTER_H
#define CSCG_FILTER_H

#include "base/error.h"
#include "kernel/trans.h"

struct cscg_filter;

/*
 * A filter without observations.  Borrows tr, whose E and pi may change if the
 * belief is then reset.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_filter *cscg_filter_new(const struct cscg_trans *tr,
    struct cscg_err *err);
void cscg_filter_free(struct cscg_filter *b);

/* Discard all observations. */
void cscg_filter_reset(struct cscg_filter *b);

/*
 * Update the belief by action a and observation x (-1: none).  a is -1 in the
 * first step and after a reset of the agent.  Returns P(x | steps before); if
 * that is 0 the belief is lost, until cscg_filter_reset() or a step with a =
 * -1.
 */
double cscg_filter_observe(struct cscg_filter *b, int a, int x);

/*
 * The last and the first state of the likeliest path, the same as those of
 * cscg_viterbi(); -1 without observations or if the belief is lost.
 */
int cscg_filter_state(const struct cscg_filter *b);
int cscg_filter_first_state(const struct cscg_filter *b);

/* P(state now = j | all observations), for one state and for all. */
double cscg_filter_prob(const struct cscg_filter *b, int j);
void cscg_filter_probs(const struct cscg_filter *b, double *p);

#endif
