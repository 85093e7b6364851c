/*
 * split.h - split of states with ambiguous successors by BIC
 *
 * In a nearly deterministic environment, a state whose next symbol is
 * ambiguous is probably a merge of two true states, and EM alone rarely leaves
 * such a local optimum.  Such a state gets a second clone, the visits to it
 * are distributed over both clones, and the model is fitted again.  Ambiguity
 * of the next symbol is treated first: once states with ambiguous symbols are
 * split, their neighbours have ambiguous successor states, and are split next.
 */
#ifndef CSCG_SPLIT_H
#define CSCG_SPLIT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/poll.h"
#include "kernel/plain.h"
#include "kernel/simd.h"
#include "core/model.h"
#include "core/walk.h"

struct cscg_split {
	const struct cscg_kernel *kern; /* for Viterbi paths; ... */
	const struct cscg_simd *simd;   /* ... NULL: the plain loops */

	/*
	 * Fit *m to the walk from its counts and reduce it; *m may then be
	 * another model. *loglik is the log-likelihood of the walk.  0, or -1
	 * with err filled.
	 */
	int (*refit)(void *ctx, struct cscg_model **m, double *loglik,
	    struct cscg_err *err);

	/*
	 * Called whenever a split is kept; tried is the number of splits tried
	 * by then.
	 */
	void (*report)(void *ctx, const struct cscg_model *m, long tried,
	    double loglik);
	void *ctx;
	struct cscg_poll *poll; /* may be NULL; may stop the search */
};

/*
 * Split states of grounded model *m (emissions by clone, already reduced) as
 * long as that raises the log-likelihood *loglik of w by more than ln(steps)/2
 * for each edge (a stored count) that it adds, and for at least one edge.  *m
 * and *loglik become those of the best model.  0, or -1 with err filled and *m
 * valid: the best model so far.
 */
int cscg_split(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_split *set, double *loglik, struct cscg_err *err);

/*
 * The entropy, in nats over all visits, of the successor of state j, by symbol
 * or by state; *a is the action with the largest entropy.
 */
double cscg_split_entropy(const struct cscg_model *m, int j, bool by_state,
    int *a);

/*
 * A new model in which each state with which[j] set has a second clone right
 * behind it.  Counts are those of path, the states of the steps of w.  A visit
 * after which the most ambiguous action was taken goes to the second clone if
 * its outcome was not the most frequent one; any other visit goes to the clone
 * of the majority of the decided visits with the same predecessor state and
 * action.  NULL with err filled: CSCG_ENOMEM, CSCG_ERANGE for too many states.
 */
struct cscg_model *cscg_split_states(const struct cscg_model *m,
    const struct cscg_walk *w, const int *path, const bool *which,
    bool by_state, struct cscg_err *err);

#endif
