/*
 * em.h - the EM loop, and EM (Baum-Welch) on T with emissions fixed
 *
 * Every EM of the library runs in one loop: EM on T, on the emissions of a
 * schema (schema/bind, schema/switch_pass), with Gaussian emissions
 * (learn/gaussian), with a prior of old counts (learn/update), with one E per
 * episode (learn/multi), and of a mixture of frames (learn/kmeans).  The loop
 * holds what they share: the order of E-step, check, report, stopping rule,
 * M-step and checkpoint.
 *
 * EM maximises an objective, the log-likelihood plus the log prior, which no
 * iteration lowers.  The loop checks that.
 */
#ifndef CSCG_EM_H
#define CSCG_EM_H

#include "kernel/estep.h"
#include "base/error.h"

/* Progress after an E-step. */
struct cscg_em_progress {
	long iteration;   /* updates made so far */
	double loglik;    /* natural log, under the current parameters */
	double objective; /* penalised; -INFINITY: unknown */
	double gain;      /* of the last update; INFINITY: unknown */
};

/* What is maximised. */
struct cscg_em_problem {
	/*
	 * The E-step: set line->loglik, -INFINITY if the data are impossible,
	 * and line->objective.  line->iteration is given.  If update is false,
	 * no M-step follows, and expected counts are not needed.  0, or -1
	 * with err filled.
	 */
	int (*expect)(void *ctx, bool update, struct cscg_em_progress *line,
	    struct cscg_err *err);
	/* The M-step, from the last E-step.  0, or -1 with err filled. */
	int (*maximise)(void *ctx, struct cscg_err *err);
	void *ctx;

	/*
	 * Rounding error of the objective: a fraction of the objective and,
	 * for each step, the rounding of the parameters and of a sum, which
	 * does not shrink with the log-likelihood.  INFINITY: no check.
	 */
	double slack_relative, slack_per_step;
	long steps;
	const char *impossible; /* message if the data are impossible */
};

/* Set the rounding error of messages in float or double. */
void cscg_em_set_slack(struct cscg_em_problem *problem, bool is_double);

struct cscg_em {
	long iterations; /* updates, at most */

	/*
	 * EM stops when the gain of an update is less than tolerance times the
	 * absolute value of the objective; 0: make all iterations.
	 */
	double tolerance;
	bool per_step;   /* the scale is the number of steps instead */
	bool by_loglik;  /* gain and scale are those of the log-likelihood */
	bool successive; /* two successive gains must be less, and the second
	                    no more than the first: near a symmetric start the
	                    gains are tiny but increase from update to
	                    update */

	/*
	 * Called after each E-step; may be NULL.  A result other than 0 stops
	 * EM.
	 */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;

	/*
	 * Called after each update, when the parameters can be saved; may be
	 * NULL.  line has the number of updates, and likelihood, objective and
	 * gain before the last one.  -1 with err filled: EM stops and fails.
	 */
	int (*checkpoint)(void *ctx, const struct cscg_em_progress *line,
	    struct cscg_err *err);
	/*
	 * If its iteration is above 0: resume from this line of checkpoint(),
	 * with the parameters restored.
	 */
	struct cscg_em_progress resume;
};

/*
 * Run EM from the current parameters.
 *
 * On return *last is the progress after the last update: the likelihood is
 * evaluated once more, so that the reported value belongs to the parameters.
 *
 * Returns 0, or -1 with err filled:
 *   CSCG_ERANGE  the data have probability 0
 *   CSCG_EBUG    the objective fell by more than the rounding error, or is
 *                not a number
 * or as expect(), maximise() and checkpoint() do.
 */
int cscg_em(const struct cscg_em_problem *problem, const struct cscg_em *set,
    struct cscg_em_progress *last, struct cscg_err *err);

/*
 * EM on T from the counts of the engine, which belongs to a walk of `steps`
 * steps.  Maximises L + p * sum log T, p the pseudocount:
 * T = (C + p) / (sum_k C + p * n_states), C the expected transitions,
 * normalised per action.  Fails as cscg_em(); CSCG_ERANGE: a symbol without
 * clones, or a transition of probability zero.
 */
int cscg_em_T(struct cscg_estep *estep, long steps, double pseudocount,
    const struct cscg_em *set, struct cscg_em_progress *last,
    struct cscg_err *err);

#endif
