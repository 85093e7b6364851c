/*
 * tied_noise.h - transition noise shared by all states of an action
 *
 * Where moves go wrong, they do so much alike wherever they are made: they lead
 * to where another move leads, or stay.  A row of T by itself knows as much as
 * its own steps say; all rows of an action together know it better.
 *
 * The common law of action a is a share w(a, c) for each thing that can happen:
 * to come to where action c mostly leads from there, to stay, or to come anywhere
 * else.  A row keeps to it unless its counts say otherwise, by more than BIC
 * asks of a row of its own.
 */
#ifndef CSCG_TIED_NOISE_H
#define CSCG_TIED_NOISE_H

#include "base/error.h"
#include "core/model.h"

enum {
	CSCG_NOISE_BY_BIC, /* as BIC says of its counts */
	CSCG_NOISE_TIED,   /* by the law of its action */
	CSCG_NOISE_UNTIED, /* on its own */
};

/*
 * Replace the counts of the rows that keep to the law of their action by what
 * the law expects of as many steps.  mode[a * n_states + j] says it of each row;
 * of those that are to be asked it becomes what they do.  Rows that
 * lead to several places and mostly to none have no law; an action without
 * chance stays as it is.  Counts of a row by law that no other move explains
 * are taken for errors.
 *
 * Returns how many rows have a chance by law now, or -1 with err filled
 * (CSCG_ENOMEM), the model being as it was.
 */
long cscg_tied_noise(struct cscg_model *m, unsigned char *mode,
    struct cscg_err *err);

/*
 * The same, judged by the walk behind the counts, of so many steps: measure
 * gives its log-likelihood.  Counts of hidden states were expected, not seen, so
 * each row that wants to be on its own must show there that it is worth its
 * numbers.  1: *m was replaced, and *loglik is what it makes of the walk; 0: it
 * stays; -1 with err filled.
 */
struct cscg_tied_noise_walk {
	long steps;
	int (*measure)(void *ctx, const struct cscg_model *m, double *loglik,
	    struct cscg_err *err);
	void *ctx;
};
int cscg_tied_noise_fit(struct cscg_model **m,
    const struct cscg_tied_noise_walk *walk, double *loglik,
    struct cscg_err *err);

#endif
