/*
 * multi.h - one T and one E per episode, learned together
 *
 * All episodes share T, and each episode has its own binding of states to
 * symbols, as in many games on one board.  For environments without aliasing
 * in which few actions slip: the number of states is the number of symbols,
 * and within an episode the same action after the same symbol usually leads to
 * the same symbol.
 *
 * EM is anchored and sequential, since it fails from random starts: the states
 * are the symbols of the first episode; the E of each further episode is
 * initialised at random and fitted with T fixed, and then T and all E are
 * fitted together.  A self-test that needs no ground truth decides whether the
 * graph is complete; if not, the whole fit is repeated from another random
 * draw, up to a limit.
 */
#ifndef CSCG_MULTI_H
#define CSCG_MULTI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/* Progress after an episode. */
struct cscg_multi_progress {
	int episode; /* from 0 */
	long draws;  /* fits made for this episode */
	long rows, tried,
	    deterministic; /* (action, state) rows; those with counts; those
	                      with one successor state */
	bool complete;     /* the self-test passed */
	bool predicted;    /* the graph of the episodes before predicted this
	                      episode */
	double loglik;     /* natural log, all episodes so far */
};

enum { CSCG_MULTI_DRAWS = 50 }; /* default of draws */

struct cscg_multi {
	long draws;         /* at most, after each episode */
	long iterations;    /* of each EM */
	double pseudocount; /* of T */
	uint64_t seed;
	/*
	 * The self-test: all rows have counts, and are deterministic unless an
	 * episode showed that actions slip (then at most 0.1 of all
	 * transitions differ from the usual one of their row); and
	 *   - if reversible, no two states lead to the same state by the same
	 *     action;
	 *   - if the episodes show an inverse of each action, the graph agrees
	 *     with it;
	 *   - if neither holds, the graph of some episodes must predict
	 *     further episodes until each of its rows has made a correct
	 *     prediction; if actions slip, 0.85 of the episodes must agree on
	 *     each row, and at least two more than do not.
	 */
	bool reversible;
	bool until_complete; /* stop at the first complete graph */

	/*
	 * Called after each episode; may be NULL.  A result other than 0 stops
	 * the fit.
	 */
	int (*report)(void *ctx, const struct cscg_multi_progress *line);
	void *ctx;
};

/*
 * A schema (kind CSCG_CLONES, each state a separate group) of the episodes of
 * w; *last is the last progress line.  Rows of actions that never occur are
 * not required.
 *
 * NULL with err filled: CSCG_EMISMATCH (the walk is aliased or stochastic, or
 * has a dropout), CSCG_ERANGE (too many symbols for
 * dense counts), CSCG_ENOMEM.
 */
struct cscg_model *cscg_multi(const struct cscg_walk *w,
    const struct cscg_multi *set, struct cscg_multi_progress *last,
    struct cscg_err *err);

/*
 * Whether schema m can produce episode e of w if every transition goes to the
 * successor with the largest count and the binding of states to symbols is one
 * to one.  Exact: all start states are tried.  symbol (room for n_states, may
 * be NULL) gets the binding found, -1 for a state that was not visited.
 * Returns 1, 0 or -1 (CSCG_ENOMEM).
 */
int cscg_multi_can_produce(const struct cscg_model *m,
    const struct cscg_walk *w, int e, int *symbol, struct cscg_err *err);

#endif
