/*
 * ground.h - grounded models from a schema and its binding
 */
#ifndef CSCG_GROUND_H
#define CSCG_GROUND_H

#include "core/codebook.h"
#include "learn/gaussian.h"
#include "schema/bind.h"

struct cscg_ground {
	struct cscg_bind bind;
	struct cscg_bind_starts starts;

	/*
	 * Start EM once, from the emissions of this grounded model with the
	 * same number of states, as if each state had been visited once, with
	 * its symbols in proportion to their emission probabilities; NULL: use
	 * starts.  init may be m itself.  Symbols of the walk are matched with
	 * those of init by name if both have names, otherwise by number.
	 * Symbols that init lacks start at the pseudocount.  If clones are
	 * tied, the states of a group start at the group's mean.
	 */
	const struct cscg_model *init;
};

/*
 * Bind m, of any kind, to walk w, whose actions are numbered as the model's
 * (walk.h), and turn m into the grounded model of that environment: emissions,
 * symbol names, pi (if learn_pi), confidence and fit are those of w.
 * Emissions that m had before are used only through init.  *last and *which
 * (may be NULL; 0 with init) are as in bind.h.
 *
 * Returns 0, or -1 with err filled and m no longer usable: CSCG_EMISMATCH (no
 * clone structure to tie by; init is not grounded or has a different number of
 * states), CSCG_ERANGE (no steps; the walk has probability 0 under the
 * emissions of init), CSCG_ENOMEM, CSCG_EBUG.
 */
int cscg_ground(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, struct cscg_em_progress *last, long *which,
    struct cscg_err *err);

/*
 * cscg_ground() with frames as observations (gaussian.h).  label[frame] is the
 * codebook's symbol of each frame; the symbols of w are the labels of its
 * frames.
 *
 * Symbols are bound first, as by cscg_ground().  The centroid of a state, or
 * of a group if clones are tied, then starts as the mean of the codebook's
 * centroids, weighted by the emissions.  EM continues from there with the
 * codebook's sigma2, which is above 0.  Of gaussian, frames, iterations,
 * tolerance, threads and report are used.
 *
 * The model receives its centroids as Gaussian emissions.  Its emissions over
 * symbols are the expected visits of each state with each symbol under the
 * frames, so that the model also applies to walks of symbols; confidence and
 * fit refer to these.  *last describes the binding by symbols, *gaussian_last
 * the binding by frames.
 *
 * Fails as cscg_ground() does.
 */
int cscg_ground_gaussian(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, const struct cscg_gaussian *gaussian,
    const struct cscg_codebook *book, const int *label,
    struct cscg_em_progress *last, long *which,
    struct cscg_em_progress *gaussian_last, struct cscg_err *err);

/*
 * Confidence in the emission of a state: (n[x] + 1/K) / (sum of n + 1), where
 * n are the visits of the state with each of the K symbols and x is the most
 * probable symbol of E's row.
 */
double cscg_ground_confidence(const double *n, const double *row, int K);

#endif
