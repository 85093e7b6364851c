/*
 * learn_noisy.h - graphs of walks with noise: of a part of the walk, from
 * landmarks outward, with misread symbols replaced
 *
 * Each search returns 1 with *m new and its progress line *last, 0 if there is
 * no such graph, or -1 with err filled as by cscg_learn(); *m is NULL then.  *m
 * is NULL before.
 */
#ifndef CSCG_LEARN_NOISY_H
#define CSCG_LEARN_NOISY_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * The graph of a walk with noise by a part of its steps: the first ones, half
 * as many more each time.  It is assessed (assess.h); 1 only if it is sure.
 */
int cscg_learn_noisy_parts(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

/* The graph of all of the walk, from landmarks outward (outward.h). */
int cscg_learn_noisy_outward(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

/*
 * A model with a misreading probability, if the walk shows that symbols are
 * misread (noisy.h): the structure of the walk with misread symbols replaced.
 * Otherwise the rough model of the walk, if there is no doubt.
 */
int cscg_learn_noisy_misread(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m,
    struct cscg_learn_progress *last, struct cscg_err *err);

/*
 * True if an assessed graph needs no comparison with others: no doubt, or only
 * a few rows with more noise than others, which the others would have as well.
 * With misread symbols and without transition noise, a state for two nodes
 * shows in its transitions.
 */
bool cscg_learn_noisy_is_sure(const struct cscg_model *m);

#endif
