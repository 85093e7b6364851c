/*
 * changes.h - rows of a model that have changed: Bayesian change points from
 * their outcomes
 *
 * A row is a state and an action, whose outcome is the next state, or a state,
 * whose outcome is the symbol.  At each use a row changes with probability
 * change_rate: half of the changes are back to the model's row, the others to
 * one fixed outcome.  The posterior over these hypotheses (the model's row, or
 * one outcome) is filtered exactly over the uses of a row.  Between two uses a
 * changed row returns to the model's with probability change_rate / 4 per
 * step, so that a closed door is eventually tried again.
 *
 * Only rows with an outcome other than the model's are stored.
 */
#ifndef CSCG_CHANGES_H
#define CSCG_CHANGES_H

#include <stddef.h>

#include "base/error.h"

enum { CSCG_CHANGES_OUTCOMES = 3 }; /* kept for a row */

struct cscg_change {
	long row;
	long last;    /* step of its last use */
	double model; /* P(the row is the model's) */
	int n;
	int outcome[CSCG_CHANGES_OUTCOMES];
	double p[CSCG_CHANGES_OUTCOMES]; /* P(this is the outcome) */
};

struct cscg_changes {
	double change_rate;
	struct cscg_change *v; /* [n] ascending by row */
	size_t n, cap;
};

void cscg_changes_free(struct cscg_changes *c);  /* c is empty afterwards */
void cscg_changes_clear(struct cscg_changes *c); /* resets every row to the
                                                    model's */

/*
 * At the given step a use of this row had outcome k.  p_model is the
 * probability of k by the model's row, with noise; p_noise its probability by
 * noise if the row has another outcome; p_change is the prior probability of k
 * as the outcome of a row that changed.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_changes_observe(struct cscg_changes *c, long row, int k,
    double p_model, double p_noise, double p_change, long step,
    struct cscg_err *err);

/*
 * The probability at this step that the row is the model's, and the likeliest
 * other outcome (-1: none) with its probability.
 */
double cscg_changes_get(const struct cscg_changes *c, long row, long step,
    int *outcome, double *p);

#endif
