/*
 * learn_contexts.h - states of a walk with noise from contexts, alternated with
 * EM
 */
#ifndef CSCG_LEARN_CONTEXTS_H
#define CSCG_LEARN_CONTEXTS_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * For a walk with noise: states from contexts (context.h) and EM alternately,
 * as long as BIC improves.  1 if the states converged and transitions are
 * nearly deterministic: *m is the new, reduced model, and *last its progress
 * line.  0 if not, and *m is NULL; -1 with err filled as by
 * cscg_em_restarts(), and *m is NULL.  A rough model is not reduced, its states
 * need not converge, and it has no progress line.
 */
int cscg_learn_contexts(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, bool rough, struct cscg_err *err);

/*
 * Reduce a rough model of w and tie its noise; *m may be replaced, and *last is
 * its progress line.  0, or -1 with err filled; *m is still the caller's.
 */
int cscg_learn_contexts_finish(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

#endif
