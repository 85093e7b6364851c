/*
 * learn_tied.h - transition noise of a learned model tied, alternated with EM
 * and reduction
 */
#ifndef CSCG_LEARN_TIED_H
#define CSCG_LEARN_TIED_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * Estimate transition noise from all rows of an action together
 * (tied_noise.h).  With it EM may find that another successor of a row is the
 * main one, and reduction that two states are one, unless the number of states
 * is given or final.  Without a pseudocount tied rows may make a transition of
 * the walk impossible, and EM cannot start from them.
 *
 * *m may be replaced, and *loglik is then its log-likelihood; both are
 * unchanged if tied noise does not improve BIC, the settings exclude it, or
 * the poll has stopped.  0, or -1 with err filled as by cscg_em_restarts().
 */
int cscg_learn_tied(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool final, double *loglik,
    struct cscg_err *err);

#endif
