/*
 * learn_structure.h - the structure of a walk without given clones: contexts,
 * state merging, or clones chosen by BIC
 */
#ifndef CSCG_LEARN_STRUCTURE_H
#define CSCG_LEARN_STRUCTURE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/* True for a long walk without actions: text, strings. */
bool cscg_learn_structure_is_text(const struct cscg_walk *w);

/*
 * Contexts if the walk is noisy, state merging, or model selection by BIC.  *m
 * is new, or NULL if the walk has no actions and state merging assigns few of
 * its steps; *last is its progress line.  *settled: plain EM need not be tried,
 * since the model explains the walk, or contexts of a noisy walk have converged.
 * 0, or -1 with err filled as by cscg_learn(), and *m is NULL.
 */
int cscg_learn_structure(const struct cscg_walk *w,
    const struct cscg_learn *set, bool noisy, struct cscg_model **m,
    struct cscg_learn_progress *last, bool *settled, struct cscg_err *err);

#endif
