/*
 * alergia.h - state merging on the prefix tree of many episodes without
 * actions: Alergia
 *
 * The source is modelled as a probabilistic deterministic finite automaton
 * (PDFA) that starts every episode in the same state.  States of the prefix
 * tree are merged as in Alergia (Carrasco and Oncina 1994), but unless a
 * likelihood ratio shows that the symbols after them differ.  EM from random counts
 * rarely finds a sparse automaton of this kind.  Candidates are compared by
 * held-out likelihood (holdout.h).
 */
#ifndef CSCG_ALERGIA_H
#define CSCG_ALERGIA_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/holdout.h"
#include "learn/learn.h"

/*
 * True if the prefix tree is informative: one action, many episodes, no resets
 * and no dropouts.
 */
bool cscg_alergia_applies(const struct cscg_walk *w);

/*
 * 1 with *m, the automaton of w as a new model: state (x, s) for each symbol x that
 * leads to automaton state s, with the counts of s, for every x; a symbol that
 * never has a successor has one state.  pi is the row of the first automaton
 * state.  alpha is the significance level of the test.  *group is new,
 * [n_states]: s of each state, from 0, the first automaton state; -1 for a symbol
 * without successors.  0 with *m and *group NULL if set->poll stops it, which is
 * asked before each comparison of two states; -1 with err filled (CSCG_ENOMEM,
 * CSCG_ERANGE for too many states).
 */
int cscg_alergia(const struct cscg_walk *w, const struct cscg_learn *set,
    double alpha, struct cscg_model **m, int **group, struct cscg_err *err);

/*
 * 1 with *m, a new model of the whole walk of h, if the held-out log-likelihood of
 * the best of several automata, with or without EM from its counts (tied_em.h), is
 * above *held, which it replaces; *last is the progress line of the model.  0 with
 * *m NULL if it is not, all automata have too many states, or set->poll stops
 * before those of all folds are complete; -1 with err filled.  If set->poll stops
 * later, *m may be the automaton of the training walk of the first fold.
 */
int cscg_alergia_select(const struct cscg_holdout *h,
    const struct cscg_learn *set, double *held, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

#endif
