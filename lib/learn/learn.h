/*
 * learn.h - learning of a model from a walk: clones per symbol (given or by
 * BIC), initialisation, EM, structure
 *
 * Stages, each reported: an initial model (given clones and random counts, a
 * given model, or a model found by state merging), EM on T, Viterbi training,
 * and merging of states with indistinguishable successors.  A stochastic result
 * is compared with plain EM (em_select.h) and with automata of many episodes
 * (alergia.h) by held-out likelihood (holdout.h).
 */
#ifndef CSCG_LEARN_H
#define CSCG_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/poll.h"
#include "core/codebook.h"
#include "core/model.h"
#include "core/walk.h"
#include "dist/checkpoint.h"
#include "kernel/estep_ranks.h"
#include "kernel/simd.h"
#include "learn/gaussian.h"

/* One progress line, for reports and statistics. */
struct cscg_learn_progress {
	/*
	 * "outward", "misread", "context", "edsm", "inverse", "em" (an
	 * E-step), "restart" (its end), "best", "viterbi", "split", "merge", "tied-noise", "final",
	 * "select", "holdout", "automaton": see cscg-learn(1)
	 */
	const char *stage;
	long restart, iteration;
	int n_states;
	double loglik;    /* natural log, all steps */
	double objective; /* penalised; NAN where undefined */
};

struct cscg_learn {
	const int *clones; /* [n_obs]; NULL: chosen from the walk */
	const struct cscg_model *init; /* initial model, to whose alphabet
	                                  the walk is mapped (walk.h); NULL:
	                                  none */
	long iterations, restarts;
	double tolerance, pseudocount;
	uint64_t seed;
	bool learn_pi, raw, is_double, low_memory;
	bool untied_noise; /* estimate the transition noise of each row
	                      separately (tied_noise.h) */
	bool split;        /* split states with ambiguous successors
	                      (split.h) */
	bool noisy;        /* score structures by cscg_bic_noise() */
	const struct cscg_simd *simd; /* NULL: the plain loops */
	int threads;
	struct cscg_estep_ranks
	    *estep_ranks; /* ranks that share the E-step, or NULL: this process
	                     only */
	struct cscg_checkpoint *save; /* checkpoint: results are stored here,
	                                 and stored results are not computed
	                                 again; or NULL */

	/* May be NULL; calls never overlap.  Not 0: EM stops. */
	int (*report)(void *ctx, const struct cscg_learn_progress *line);
	void *ctx;

	/*
	 * May be NULL.  When it stops the computation, the result is the best
	 * model so far: at least EM from one clone of each symbol.
	 */
	struct cscg_poll *poll;

	bool assess; /* assess the result (assess.h), unless raw */
	bool
	    mixture; /* of a short walk learn a mixture of models that predicts
	                 best (em_select.h), not one model to plan by */
};

/*
 * A new grounded model of walk w.  *last is the final progress line.  The true
 * nodes of the walk are not used.  The result depends on walk and settings,
 * not on threads.
 *
 * NULL with err filled:
 *   CSCG_EMISMATCH  init is not a grounded model with emissions by clone, or
 *                   the walk does not fit it
 *   CSCG_ERANGE     the walk has no observation, or an observed symbol has no
 *                   clone, or the number of clones is 0 or too large
 *   CSCG_ENOMEM, CSCG_EBUG (see em.h)
 */
struct cscg_model *cscg_learn(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_learn_progress *last,
    struct cscg_err *err);

/*
 * Continue EM on T of a model of w, whose symbols are those of the codebook,
 * from frames (gaussian.h), with the centroids of the codebook and its sigma2,
 * which is above 0.  The set of states does not change; the centroids become
 * the emissions of the model.  Every field of set except sigma2 is used.  0,
 * or -1 with err filled as by cscg_gaussian_learn().
 */
int cscg_gaussian_learn_frames(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const struct cscg_codebook *book,
    double pseudocount, struct cscg_em_progress *last, struct cscg_err *err);

#endif
