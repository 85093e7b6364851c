/*
 * update.h - update of a model by a new walk, with change detection
 *
 * What the walk does not touch stays as it was.  A move that was made again is
 * judged by what came of it: either as before, and the counts are added, or it
 * has changed, and what was known of this move is forgotten.
 *
 * The path of the walk is found by EM on T, with what was known of a move worth
 * a few steps, so that a few steps can speak against it; then by Viterbi.  How
 * many steps is tried out: the likeliest path is kept.
 */
#ifndef CSCG_UPDATE_H
#define CSCG_UPDATE_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/em.h"

struct cscg_update {
	double change_rate; /* the chance, each time a move is made, that it
	                       has changed since the last time; 0: never */
	long iterations;    /* of EM, at most */
	double tolerance, pseudocount; /* p above 0 */

	/* Called after each E-step; may be NULL.  Not 0: stop EM there. */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;
};

struct cscg_update_result {
	double before, loglik; /* of the walk under the old and new model */
	long rows;    /* rows (state and action) that were made, ... */
	long added;   /* ... of them without counts before, ... */
	long changed; /* ... and those whose old counts are gone */
};

/*
 * A new model: m, which is grounded, by clone or by rows, after walk w that
 * speaks its language (walk.h).  States and looks are those of m; its fit is
 * dropped.  NULL with err filled: CSCG_EMISMATCH (m is not grounded),
 * CSCG_ERANGE (the walk is impossible), CSCG_ENOMEM, CSCG_EBUG.
 */
struct cscg_model *cscg_update(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_update *set,
    struct cscg_update_result *out, struct cscg_err *err);

/*
 * What became of a move with counts old[S], by its n outcomes k[] in their
 * order; p is the pseudocount, forget as above.  The likeliest of all moments is
 * taken: with P(k... | C) the chance of a sequence if each outcome has
 * (C + p) / (sum C + p * S), its own counts being added as it goes on, a change
 * before outcome i has
 *
 *     forget * (1 - forget)^i * P(k[0 .. i-1] | old) * P(k[i .. n-1] | 0)
 *
 * and none (1 - forget)^n * P(k[0 .. n-1] | old).  *late is how many outcomes
 * came after the change, 0 if there was none; *value the log of the above.
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_update_change_point(const double *old, int S, double p,
    double change_rate, const int *k, long n, long *n_after, double *value,
    struct cscg_err *err);

#endif
