/*
 * learn.h - cscg-learn at the top: clones per symbol (given or by BIC),
 * initialisation, EM, structure
 *
 * Stages, each reported: a start (given clones and random counts, a given
 * model, or one found from the walk), EM on T, Viterbi refinement, and merging
 * of states that cannot be told apart.
 */
#ifndef CSCG_LEARN_H
#define CSCG_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/codebook.h"
#include "core/model.h"
#include "core/walk.h"
#include "dist/checkpoint.h"
#include "kernel/estep_ranks.h"
#include "kernel/simd.h"
#include "learn/gaussian.h"

/* What happened, for progress and statistics. */
struct cscg_learn_progress {
	/*
	 * "fold", "law", "em" (an E-step), "restart" (the end of one), "best",
	 * "refine", "split", "merge", "pool", "final", "grow": see cscg-learn(1)
	 */
	const char *stage;
	long restart, iteration;
	int n_states;
	double loglik;    /* natural log, all steps */
	double objective; /* penalised; NAN where it means nothing */
};

struct cscg_learn {
	const int *clones; /* [n_obs]; NULL: chosen from the walk */
	const struct cscg_model *init; /* start here, the walk being fitted to
	                                  it (walk.h); NULL: do not */
	long iterations, restarts;
	double tolerance, pseudocount;
	uint64_t seed;
	bool learn_pi, raw, is_double, low_memory;
	bool untied_noise; /* chance is not shared by rows (tied_noise.h) */
	bool split;        /* states in doubt are taken apart (split.h) */
	const struct cscg_simd *simd; /* NULL: the plain loops */
	int threads;
	struct cscg_estep_ranks
	    *estep_ranks; /* ranks that share the work, or NULL: alone */
	struct cscg_checkpoint *save; /* what was done is kept here, and what
	                                 is there already is not done again; or
	                                 NULL */

	/* May be NULL; calls never overlap.  Not 0: stop EM as it is. */
	int (*report)(void *ctx, const struct cscg_learn_progress *line);
	void *ctx;

	bool *ambiguous; /* may be NULL; true: the walk did not fold, clones
	                    were chosen, and the walk shows hardly any chance,
	                    but the model does */
};

/*
 * A new grounded model of walk w.  *last is the final line.  The walk's true
 * nodes are not looked at.  The result depends on walk and settings, not on
 * threads.
 *
 * NULL with err filled:
 *   CSCG_EMISMATCH  init is no grounded model with emissions by clone, or the
 *                   walk does not fit it
 *   CSCG_ERANGE     no symbol is seen, or one is seen that has no clone, or
 *                   there are no or too many clones
 *   CSCG_ENOMEM, CSCG_EBUG (see em.h)
 */
struct cscg_model *cscg_learn(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_learn_progress *last,
    struct cscg_err *err);

/*
 * Go on from a model of w, whose symbols are those of the codebook, by frames
 * (gaussian.h): EM on T with the centroids of the codebook and its sigma2, above 0.
 * The states stay as they are; the model gets the centroids as looks.  Of set,
 * all but sigma2 counts.  0, or -1 with err filled, as cscg_gaussian_learn() says.
 */
int cscg_gaussian_learn_frames(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_gaussian *set, const struct cscg_codebook *book,
    double pseudocount, struct cscg_em_progress *last, struct cscg_err *err);

/*
 * how many clones each symbol gets, as asked for in words
 *
 * The words are a number (so many of each), a list "N,N,..." of one number for
 * each symbol, "proportional[:TOTAL[,floor=F][,power=P]]" (see
 * cscg_clones_proportional(); TOTAL is 4 for each symbol of the alphabet, F and P are
 * 1 unless told), or else the name of a file with one number for each symbol,
 * separated by commas or white space.
 */

/*
 * -1 with err filled if the words make no sense for any walk: CSCG_EUSAGE, or
 * CSCG_EREAD for the name of a file that is not there.
 */
int cscg_clones_check(const char *how, struct cscg_err *err);

/*
 * The number for each symbol of w, new: free() it.  The words have been judged.
 * NULL with err filled: CSCG_EMISMATCH if there are more or fewer numbers than
 * symbols, CSCG_EFORMAT for a file of anything else, or as the reader says.
 */
int *cscg_clones_choose(const char *how, const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * What a history should say, new: the words, or the numbers where the words
 * are a file's name, which would mean nothing to others.
 */
char *cscg_clones_text(const char *how, const int *clones, int n,
    struct cscg_err *err);

/* How often each symbol of w is seen, new: [n_obs], or NULL with err filled. */
long *cscg_clones_count_symbols(const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * Spread total clones over symbols in proportion to how often each is seen to
 * the given power, at least floor each (0 for symbols never seen), into
 * clones[n_obs].
 */
int cscg_clones_proportional(const struct cscg_walk *w, long total, long floor,
    double power, int *clones, struct cscg_err *err);

#endif
