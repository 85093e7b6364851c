/*
 * filter.h - online filter and online Viterbi: the belief over states, step by
 * step
 *
 * Keeps two messages for the walk so far: the filter, P(state now | all that was
 * seen), and Viterbi's, the likeliest path that ends in each state.  A step
 * costs as much as T has counts and states, whatever came before.
 */
#ifndef CSCG_FILTER_H
#define CSCG_FILTER_H

#include "base/error.h"
#include "kernel/trans.h"

struct cscg_filter;

/*
 * Nothing seen yet.  Borrows tr, whose E and pi may change as long as the
 * belief then starts anew.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_filter *cscg_filter_new(const struct cscg_trans *tr,
    struct cscg_err *err);
void cscg_filter_free(struct cscg_filter *b);

/* Forget all. */
void cscg_filter_reset(struct cscg_filter *b);

/*
 * Action a was taken and x was seen (-1: nothing).  a is -1 in the first step
 * and where the agent was put elsewhere.  Returns P(x | what came before); if
 * that is 0 the belief is lost, and stays so until it starts anew or the agent
 * is put elsewhere.
 */
double cscg_filter_observe(struct cscg_filter *b, int a, int x);

/*
 * The last and the first state of the likeliest path, the same as those of
 * cscg_viterbi(); -1 if nothing was seen or the belief is lost.
 */
int cscg_filter_state(const struct cscg_filter *b);
int cscg_filter_first_state(const struct cscg_filter *b);

/* P(state now = j | all that was seen), for one and for all. */
double cscg_filter_prob(const struct cscg_filter *b, int j);
void cscg_filter_probs(const struct cscg_filter *b, double *p);

#endif
