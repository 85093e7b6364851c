/*
 * tied_em.h - EM on T with rows that several states share
 *
 * A state of an automaton of strings is represented by one state for each symbol
 * that leads to it (alergia.h), and these have the same row.  EM on each row alone
 * would give up that equality: it multiplies the parameters by the number of
 * symbols, and frequent strings are predicted worse after it than before.
 */
#ifndef CSCG_TIED_EM_H
#define CSCG_TIED_EM_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * EM on m, of one action and with pi, from its counts.  States with the same
 * group[j] share a row, which has the expected transitions of all of them; those of
 * group -1 have none.  The row of group 0 is also pi.  No pseudocount is
 * used: transitions without a count stay impossible.  Of set, iterations, tolerance
 * and how to compute are used.  Fails as cscg_em().
 */
int cscg_em_tied(struct cscg_model *m, const int *group,
    const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_progress *last, struct cscg_err *err);

#endif
