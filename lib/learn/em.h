/*
 * em.h - EM (Baum-Welch) on T with emissions fixed
 *
 * Maximises the penalised log-likelihood L + p * sum log T, which no iteration
 * lowers: T = (C + p) / (sum_k C + p * n_states), C the expected transitions,
 * normalised per action.
 */
#ifndef CSCG_EM_H
#define CSCG_EM_H

#include "kernel/estep.h"
#include "base/error.h"

/* Progress after an E-step. */
struct cscg_em_progress {
	long iteration;   /* updates made so far */
	double loglik;    /* natural log, under the current T */
	double objective; /* penalised */
};

struct cscg_em {
	long iterations;  /* at most */
	double tolerance; /* stop when the objective's relative gain is less;
	                     0: make all iterations */
	double pseudocount;

	/*
	 * Called after each E-step; may be NULL.  A result other than 0 stops
	 * EM.
	 */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;

	/*
	 * Called after each update, when the engine can be saved; may be NULL.
	 * -1 with err filled: EM stops and fails.
	 */
	int (*checkpoint)(void *ctx, const struct cscg_em_progress *line,
	    struct cscg_err *err);
	/*
	 * Resume from what checkpoint() was given: the number of updates made,
	 * and the objective before the last.  The engine has been restored.
	 */
	long done;
	double last_objective;
};

/*
 * Run EM from the counts of the engine, which belongs to a walk of `steps`
 * steps.
 *
 * On return *last is the progress after the last update: the likelihood is
 * evaluated once more, so that the reported value belongs to the model that
 * the engine's store() writes.
 *
 * Returns 0, or -1 with err filled:
 *   CSCG_ERANGE  the walk has probability 0 (a symbol without clones)
 *   CSCG_ENOMEM
 *   CSCG_EBUG    the objective fell by more than the rounding error: a
 *                fraction of the objective and, for each step, the rounding
 *                of T and of a sum, which does not shrink with the
 *                log-likelihood
 */
int cscg_em(struct cscg_estep *estep, long steps, const struct cscg_em *set,
    struct cscg_em_progress *last, struct cscg_err *err);

#endif
