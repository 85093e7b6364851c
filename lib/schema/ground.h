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
	 * Start once, from the emissions of this grounded model of as many
	 * states, as if each state had been seen once with each of its symbols
	 * by their probability; NULL: from starts.  It may be m itself.  Symbols
	 * of the walk are its own by name if both have names, otherwise by
	 * number; those that it lacks start at the pseudocount.  If clones are
	 * tied, those of a group start at their mean.
	 */
	const struct cscg_model *init;
};

/*
 * Bind m, of any kind, to walk w, whose actions are the model's (walk.h), and
 * make it the grounded model of that place: emissions, names of symbols, pi if
 * it is learned, confidence and fit are those of w.  What m knew of another
 * place is not used but for init.  *last and *which (may be NULL; 0 with init)
 * are as in bind.h.
 *
 * Returns 0, or -1 with err filled and m of no more use: CSCG_EMISMATCH (no
 * clones to tie by; init is not grounded or has other states), CSCG_ERANGE (no
 * steps; a walk that cannot be under the emissions of init), CSCG_ENOMEM,
 * CSCG_EBUG.
 */
int cscg_ground(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, struct cscg_em_progress *last, long *which,
    struct cscg_err *err);

/*
 * The same with frames as evidence (gaussian.h).  label[frame] is the
 * codebook's symbol of each frame, and symbols of w are those of its views.
 * Symbols are bound first, as above; the centroid of a
 * state, or of a group if clones are tied, then starts as the mean of the
 * codebook's, weighed by its emissions, and EM goes on from there with sigma2
 * of the codebook, which is above 0, the number of updates and the tolerance of soft.  Of soft,
 * frames, iterations, tolerance, threads and report count.
 *
 * The model gets its centroids as looks.  Its emissions are how often, by the
 * frames, each state was seen with each symbol, so that it is of use for walks
 * of symbols, too; confidence and fit are about these.  *last is of the binding
 * by symbols, *gaussian_last of that by frames.
 *
 * Fails as above.
 */
int cscg_ground_gaussian(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *set, const struct cscg_gaussian *gaussian,
    const struct cscg_codebook *book, const int *label,
    struct cscg_em_progress *last, long *which,
    struct cscg_em_progress *gaussian_last, struct cscg_err *err);

/*
 * How sure state j is to look as E says: (n[x] + 1/K) / (sum of n + 1), where n
 * are the K visits of a state with each symbol and x is the likeliest of E's
 * row.
 */
double cscg_ground_confidence(const double *n, const double *row, int K);

#endif
