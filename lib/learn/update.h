/*
 * update.h - update of a model by a new walk, with change detection
 *
 * Rows (state and action) that do not occur in the walk are unchanged.  A row
 * that occurs is tested against its outcomes: either it is unchanged, and the
 * new counts are added, or it has changed, and its old counts are discarded.
 *
 * The path of the walk is found by EM on T, with the old counts of a row
 * scaled down to a total of a few steps, so that a few new steps can outweigh
 * them; then by Viterbi.  Several totals are tried, and the likeliest path is
 * kept.
 */
#ifndef CSCG_UPDATE_H
#define CSCG_UPDATE_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/em.h"

struct cscg_update {
	double change_rate; /* the probability, at each use of a row, that the
	                       row has changed since its last use; 0: never */
	long iterations;    /* of EM, at most */
	double tolerance, pseudocount; /* p above 0 */

	/*
	 * Called after each E-step; may be NULL.  A result other than 0 stops
	 * EM.
	 */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;
};

struct cscg_update_result {
	double before, loglik; /* of the walk under the old and new model */
	long rows;             /* rows (state and action) that occur, ... */
	long added;            /* ... of them without counts before, ... */
	long changed; /* ... and those whose old counts were discarded */
};

/*
 * A new model: grounded model m (emissions by clone or by rows) updated by
 * walk w, whose alphabet is that of m (walk.h).  States and emissions are
 * those of m; its fit is dropped.  NULL with err filled: CSCG_EMISMATCH (m is
 * not grounded), CSCG_ERANGE (the walk is impossible), CSCG_ENOMEM, CSCG_EBUG.
 */
struct cscg_model *cscg_update(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_update *set,
    struct cscg_update_result *out, struct cscg_err *err);

/*
 * Maximum-likelihood change point of a row with counts old[S], from its n
 * outcomes k[] in order; p is the pseudocount, c the change_rate.  P(k... | C)
 * is the probability of a sequence of outcomes if outcome k has probability
 * (C[k] + p) / (sum C + p * S) and is then added to C.  A change before
 * outcome i has the probability
 *
 *     c * (1 - c)^i * P(k[0 .. i-1] | old) * P(k[i .. n-1] | 0)
 *
 * and no change (1 - c)^n * P(k[0 .. n-1] | old).  *n_after is the number of
 * outcomes after the change, 0 for no change; *value the log of the largest
 * probability.  0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_update_change_point(const double *old, int S, double p,
    double change_rate, const int *k, long n, long *n_after, double *value,
    struct cscg_err *err);

#endif
