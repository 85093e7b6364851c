/*
 * bind.h - give a schema new looks: EM on E with T fixed
 *
 * Maximises log P(x | a) + p * sum log E over the emissions E[state][symbol],
 * free or tied within clone groups: with tied clones the expected emissions of
 * a group are summed, the pseudocount is added once, and all its states share
 * the row.  pi stays as it is, or becomes the posterior of the first steps.
 */
#ifndef CSCG_BIND_H
#define CSCG_BIND_H

#include <stdbool.h>

#include "em.h"
#include "err.h"
#include "model.h"
#include "simd.h"
#include "walk.h"

struct cscg_bind {
	bool tied, learn_pi;
	long iterations;	/* at most */
	double tolerance;	/* as in struct cscg_em */
	double pseudocount;
	const struct cscg_simd *simd;	/* NULL: the plain loops */
	bool is_double;		/* in double precision: plain only */

	/* Called after each E-step; may be NULL.  Not 0: stop there. */
	int (*report)(void *ctx, const struct cscg_em_line *line);
	void *ctx;
};

/*
 * Bind schema m to walk w, whose actions are the model's (see fit.h).  E
 * (n_states rows of w->head.n_obs, each summing to one; equal within a group if
 * tied) is the start and becomes the result.  pi (n_states, never NULL) says
 * where runs begin and becomes the result, too, if it is learned.  A schema without clone structure cannot be tied (CSCG_EMISMATCH).
 *
 * *last is measured under the E that is returned.  Returns 0, or -1 with err
 * filled: CSCG_ENOMEM, CSCG_ERANGE (the walk is impossible whatever E is),
 * CSCG_EBUG (the objective fell).
 */
int cscg_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, double *E, double *pi,
    struct cscg_em_line *last, struct cscg_err *err);

#endif
