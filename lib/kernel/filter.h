/*
 * filter.h - online filter, prediction and online Viterbi: the belief over
 * states, step by step
 *
 * Keeps the filter message of the walk so far, P(state now | all
 * observations), predicts the next symbol from it and, with option path, keeps
 * the Viterbi message: the probability of the likeliest path that ends in each
 * state.  The cost of a step is proportional to the counts and states of T and
 * does not depend on the length of the walk.
 */
#ifndef CSCG_FILTER_H
#define CSCG_FILTER_H

#include <stdbool.h>

#include "base/error.h"
#include "kernel/simd.h"
#include "kernel/trans.h"

enum { CSCG_UNKNOWN = -2 }; /* a symbol that the model lacks */

/*
 * The escape probability of symbols and transitions that a model gives
 * probability 0.  With probability unseen a step is not predicted by the
 * model, and its symbol is any of the n_obs symbols or the one unknown symbol,
 * uniformly:
 *
 *	P(x | before) = (1 - unseen) P(x | before, model) + unseen / (n_obs + 1)
 *
 * A misreading probability of the model is part of P(x | before, model), so
 * both add to one emission floor, and the probabilities of all symbols and of
 * the unknown symbol sum to one.  A step costs -log(1 - unseen) more at most.
 * The escape does not enter the belief, which is that of the model alone and
 * restarts after an impossible step (option restart below).
 */
#define CSCG_UNSEEN 1e-6 /* the default */

/* The floor of each symbol, and P(x | before) from that of the model. */
static inline double
cscg_escape_floor(double unseen, int n_obs)
{
	return unseen / (n_obs + 1.0);
}

static inline double
cscg_escape(double unseen, int n_obs, double p)
{
	return (1 - unseen) * p + cscg_escape_floor(unseen, n_obs);
}

struct cscg_filter_options {
	/* Predict by the blocks of T (trans_blocks.h) where they suit T. */
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool path;                    /* also Viterbi; without restart */
	/*
	 * After an impossible symbol the belief is that of a relocation to a
	 * random state: P(state | x) under uniform P(state).  After a symbol
	 * that no state emits, it is that after a missing observation.
	 * Without restart the belief is then lost.
	 */
	bool restart;
};

struct cscg_filter;

/*
 * A filter without observations.  Borrows tr, whose E and pi may change if the
 * belief is then reset.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_filter *cscg_filter_new(const struct cscg_trans *tr,
    const struct cscg_filter_options *set, struct cscg_err *err);
void cscg_filter_free(struct cscg_filter *b);

/* Discard all observations. */
void cscg_filter_reset(struct cscg_filter *b);

/* Change the option restart. */
void cscg_filter_set_restart(struct cscg_filter *b, bool restart);

/*
 * Update the belief by action a and observation x (-1: none, or CSCG_UNKNOWN).
 * a is -1 in the first step and after a reset of the agent.  Returns P(x |
 * steps before); if that is 0 the belief restarts, or is lost until
 * cscg_filter_reset() or a step with a = -1.
 */
double cscg_filter_observe(struct cscg_filter *b, int a, int x);

/*
 * P(next symbol = x | all observations, action a) into p[n_obs]; a = -1: of a
 * step that starts from pi.  False, and zeros, if the belief is lost.  The
 * prediction is reused by cscg_filter_observe() with the same action.
 */
bool cscg_filter_predict(struct cscg_filter *b, int a, double *p);

/*
 * P(next state | all observations, action a), [n_states] reals of tr; NULL if
 * the belief is lost.  Valid until the filter changes.
 */
const void *cscg_filter_ahead(struct cscg_filter *b, int a);

/*
 * P(next symbol) from P(next state) q, [n_states] reals of tr, into p[n_obs].
 */
void cscg_filter_emit(const struct cscg_trans *tr, const void *q, double *p);

/*
 * With the option path: the last and the first state of the likeliest path,
 * the same as those of cscg_viterbi(); -1 without observations or if the
 * belief is lost.
 */
int cscg_filter_state(const struct cscg_filter *b);
int cscg_filter_first_state(const struct cscg_filter *b);

/* P(state now = j | all observations), for one state and for all. */
double cscg_filter_prob(const struct cscg_filter *b, int j);
void cscg_filter_probs(const struct cscg_filter *b, double *p);

/*
 * The likeliest n states (fewer if fewer have P > 0), likeliest first, ties by
 * state number; returns their number.
 */
int cscg_filter_top(const struct cscg_filter *b, int n, int *state, double *p);

#endif
