/*
 * learn_select.h - the number of clones of each symbol, chosen by BIC
 */
#ifndef CSCG_LEARN_SELECT_H
#define CSCG_LEARN_SELECT_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * Add clones until BIC no longer improves: *m is new, reduced or raw, and *last
 * its progress line.  0, or -1 with err filled as by cscg_em_restarts(), *m
 * being unchanged.
 */
int cscg_learn_select_clones(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

/*
 * Start with one clone of each symbol and split states; replaces *m, with the
 * progress line *last, if its BIC is better.  In a nearly deterministic
 * environment it mostly is, since an ambiguous successor then implies that
 * states are wrongly merged.  0, or -1 with err filled, *m being unchanged.
 */
int cscg_learn_select_splits(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

#endif
