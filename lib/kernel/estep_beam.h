/*
 * estep_beam.h - E-step on T and the misreading probability, by a beam of
 * states
 *
 * For sparse T that is nearly deterministic, with emissions by clone.  Of each
 * forward message only states with at least `share` of the largest entry are
 * propagated, along stored counts only.  Where no stored count explains a step
 * as well as the pseudocount does, the step is a jump: the run starts again
 * from all states of the symbol.  So the log-likelihood is a lower bound; it is
 * exact if the share is 0 and the pseudocount is 0.  The cost of a step is
 * proportional to the few states that are kept.
 */
#ifndef CSCG_ESTEP_BEAM_H
#define CSCG_ESTEP_BEAM_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/*
 * Results of the E-step of a walk; arrays are the caller's, or NULL: not
 * computed.
 */
struct cscg_beam_result {
	double *counts; /* [stored counts of m] expected transitions */
	double *start; /* [n_states] posterior of the starts of runs, summed */
	double *visits;  /* [n_states] expected visits */
	int *state;      /* [n_steps] the likeliest state of each step */
	double loglik;   /* lower bound, natural log */
	double misread;  /* expected number of steps whose symbol is not that
	                    of the state */
	long n_observed; /* steps with a symbol */
};

struct cscg_beam;

/* Scratch for walk w, which is borrowed.  NULL with err filled (CSCG_ENOMEM). */
struct cscg_beam *cscg_beam_new(const struct cscg_walk *w, double share,
    struct cscg_err *err);
void cscg_beam_free(struct cscg_beam *b);

/*
 * The E-step under grounded model m with emissions by clone, and with its
 * misreading probability.  The backward pass is omitted if r has no arrays.
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_beam_expect(struct cscg_beam *b, const struct cscg_model *m,
    struct cscg_beam_result *r, struct cscg_err *err);

#endif
