/*
 * em_select.h - plain EM on T, with the number of clones, the number of
 * updates and the pseudocount chosen by held-out likelihood
 *
 * A dense source (text, a general HMM) has no sparse transition graph: its
 * model is the result of EM with enough clones, stopped before it overfits.
 * The numbers of clones double as long as the held-out likelihood (holdout.h)
 * improves.
 *
 * Steps held out of a short walk with actions are too few, and too near to the
 * others, to tell which number of clones predicts other walks: if set->mixture is
 * set, its model is the mixture of EM from all starts with clones in proportion to
 * the counts of symbols, to their square root, and equal.  The states of the models
 * are those of the mixture; smoothing leads from one to another.  A model has the
 * weight of its initial probabilities: without a learned pi, its share of the
 * states.
 */
#ifndef CSCG_EM_SELECT_H
#define CSCG_EM_SELECT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "learn/holdout.h"
#include "learn/learn.h"

/* True if the model of w is a mixture. */
bool cscg_em_select_mixes(const struct cscg_walk *w,
    const struct cscg_learn *set);

/*
 * 1 with *m, a new model of the whole walk of h, every symbol of whose alphabet has
 * a state, if the held-out log-likelihood, over all folds, of models fitted in
 * the same way is above *held, which it replaces; *last is the progress line of the
 * model.  0 with *m NULL if it is not.  Of set, iterations is the largest number of
 * updates.  Start probabilities are learned if set->learn_pi is set or the walk has
 * many episodes.  -1 with err filled as by cscg_em_restarts().
 */
int cscg_em_select(const struct cscg_holdout *h, const struct cscg_learn *set,
    double *held, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err);

#endif
