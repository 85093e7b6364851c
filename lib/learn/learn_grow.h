/*
 * learn_grow.h - the start of learn.c where no clones are given: a folded walk,
 * or as many clones as pay
 */
#ifndef CSCG_LEARN_GROW_H
#define CSCG_LEARN_GROW_H

#include "base/error.h"
#include "learn/learn.h"
#include "core/model.h"
#include "core/walk.h"

/*
 * A model without counts for so many clones of each symbol.  NULL with err
 * filled: CSCG_ERANGE for none or too many, CSCG_ENOMEM.
 */
struct cscg_model *cscg_learn_new_model(const struct cscg_walk *w,
    const struct cscg_learn *set, const int *clones, struct cscg_err *err);

/*
 * 1 with the model of a walk that folds, 0 if it does not, -1.  *settled is the
 * share of its steps that do.
 */
int cscg_learn_by_merging(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, double *assigned, struct cscg_err *err);

/*
 * 1 with the new model of a walk that folds by a law of its moves (fold.h), if
 * only in part, as cleaned; 0 if it does not, -1.
 */
int cscg_learn_by_inverses(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last, struct cscg_err *err);

/* Add clones until it stops paying: *m is new, as cleaned, or raw. */
int cscg_learn_select_clones(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, struct cscg_learn_progress *last, struct cscg_err *err);

/*
 * One clone of each symbol, and splits from there on: instead of *m, if that is
 * worth more.  Where there is hardly any chance it mostly is, for doubt is then
 * a sure sign of places that are taken for one.
 */
int cscg_learn_by_splits(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

#endif
