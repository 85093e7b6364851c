/*
 * learn_model.h - the models that learning begins with: of given clones, of
 * merged states, or a copy of a given model
 *
 * A model has the alphabet and the names of the walk, and pseudocount and
 * precision of the settings.  All models are new: cscg_model_free().
 */
#ifndef CSCG_LEARN_MODEL_H
#define CSCG_LEARN_MODEL_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"
#include "learn/merge.h"

/*
 * A model without counts with clones[x] clones of symbol x of w.  NULL with
 * err filled: CSCG_ERANGE for no clones or too many, CSCG_ENOMEM.
 */
struct cscg_model *cscg_learn_model_new(const struct cscg_walk *w,
    const struct cscg_learn *set, const int *clones, struct cscg_err *err);

/*
 * A model of the states of f, counted along w; an observed symbol without a
 * state gets one.  NULL with err filled, as above.
 */
struct cscg_model *cscg_learn_model_merged(const struct cscg_merge *f,
    const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err);

/*
 * A copy of set->init, with its names if it has any.  NULL with err filled:
 * CSCG_EMISMATCH if it is not a grounded model with emissions by clone, or
 * walk w has another alphabet; CSCG_ENOMEM.
 */
struct cscg_model *cscg_learn_model_copy(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err);

/*
 * A state without counts for each symbol that has none.  *m is replaced; its
 * pseudocount is kept.  0, or -1 with err filled as above and *m unchanged.
 */
int cscg_learn_model_add_symbols(struct cscg_model **m,
    const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err);

/* True if every symbol of w has a state of m, or may be a misread one. */
bool cscg_learn_model_has_symbols(const struct cscg_model *m,
    const struct cscg_walk *w);

#endif
