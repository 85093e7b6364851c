/*
 * split.h - split of states with ambiguous successors by BIC
 *
 * Where there is little chance in a world, a state whose next symbol is in doubt
 * is likely to be two places that EM took for one, and EM alone rarely leaves
 * such a fit.  Such states are given a second clone, the visits to them are
 * shared out, and the model is fitted again.  Symbols come first: once states
 * with doubtful symbols are taken apart, their neighbours show doubt about
 * states, and are next.
 */
#ifndef CSCG_SPLIT_H
#define CSCG_SPLIT_H

#include <stdbool.h>

#include "base/error.h"
#include "kernel/plain.h"
#include "core/model.h"
#include "core/walk.h"

struct cscg_split {
	const struct cscg_kernel *kern; /* to find paths with */

	/*
	 * Fit *m to the walk from its counts and clean it; it may be another
	 * model then.  *loglik is that of the walk.  0, or -1 with err filled.
	 */
	int (*refit)(void *ctx, struct cscg_model **m, double *loglik,
	    struct cscg_err *err);

	/* Called whenever a split is kept, with how many were tried by then. */
	void (*report)(void *ctx, const struct cscg_model *m, long tried,
	    double loglik);
	void *ctx;
};

/*
 * Split states of grounded model *m (emissions by clone, as settled) as long as
 * that raises the log-likelihood *loglik of w by more than ln(steps)/2 for each
 * edge (a stored count) that it adds, and for at least one.  *m and *loglik are
 * those of the best then.  0, or -1 with err filled and *m as good as before.
 */
int cscg_split(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_split *set, double *loglik, struct cscg_err *err);

/*
 * How many nats would be saved if it were known which of its successors follows
 * state j, by symbol or by state; *a is the action that is most in doubt.
 */
double cscg_split_entropy(const struct cscg_model *m, int j, bool by_state,
    int *a);

/*
 * A new model in which each state with which[j] set has a second clone right
 * behind it.  Counts are those of path, the states behind the steps of w.  A
 * visit after which the doubtful action was taken goes to the second clone if
 * what followed was not what follows most often; another visit goes where most
 * of those go that came by the same move.  NULL with err filled: CSCG_ENOMEM,
 * CSCG_ERANGE for too many states.
 */
struct cscg_model *cscg_split_states(const struct cscg_model *m,
    const struct cscg_walk *w, const int *path, const bool *which,
    bool by_state, struct cscg_err *err);

#endif
