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

/* What is known after an E-step. */
struct cscg_em_progress {
	long iteration;   /* updates made so far */
	double loglik;    /* natural log, under T as it is now */
	double objective; /* penalised */
};

struct cscg_em {
	long iterations;  /* at most */
	double tolerance; /* stop when the objective's relative gain is less;
	                     0: make all iterations */
	double pseudocount;

	/* Called after each E-step; may be NULL.  Not 0: stop there. */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;

	/*
	 * Called after each update, when the engine can be saved; may be NULL.
	 * -1 with err filled: stop and fail.
	 */
	int (*checkpoint)(void *ctx, const struct cscg_em_progress *line,
	    struct cscg_err *err);
	/*
	 * Go on from what keep() was told: updates that were made, and the
	 * objective before the last.  The engine has been restored.
	 */
	long done;
	double last_objective;
};

/*
 * Run EM from the counts that engine holds, of a walk of so many steps.
 *
 * On return *last is the state after the last update: the likelihood is
 * measured once more, so that what is reported is what the engine's store()
 * gives.
 *
 * Returns 0, or -1 with err filled:
 *   CSCG_ERANGE  the walk cannot be produced at all (a symbol without clones)
 *   CSCG_ENOMEM
 *   CSCG_EBUG    the objective fell by more than rounding explains: a share of
 *                itself and, for each step, the rounding of T and of a sum,
 *                which is there however small the log-likelihood is
 */
int cscg_em(struct cscg_estep *estep, long steps, const struct cscg_em *set,
    struct cscg_em_progress *last, struct cscg_err *err);

#endif
