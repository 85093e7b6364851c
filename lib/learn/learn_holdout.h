/*
 * learn_holdout.h - the structure of a walk compared with automata and plain EM
 * by held-out likelihood
 */
#ifndef CSCG_LEARN_HOLDOUT_H
#define CSCG_LEARN_HOLDOUT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * The best by held-out likelihood (holdout.h) of the structure *m
 * (learn_structure.h), or NULL, of automata of many episodes (alergia.h) and of
 * plain EM (em_select.h); replaces *m and its progress line *last.  Every
 * symbol of the alphabet has a state.  noisy is that of
 * cscg_learn_structure(), which is repeated in each fold.  0, or -1 with err
 * filled as by cscg_learn(); *m is still the caller's.
 */
int cscg_learn_holdout(const struct cscg_walk *w, const struct cscg_learn *set,
    bool noisy, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err);

#endif
