/*
 * assess.h - assessment of a learned model: support and confidence of its
 * edges, noise, sufficiency of the walk, and whether the map is likely wrong
 *
 * The quantities are defined in cscg-model(5), "learned".
 */
#ifndef CSCG_ASSESS_H
#define CSCG_ASSESS_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * Set m->learned, for a model that was learned from w with these settings;
 * loglik is the log-likelihood of w under m.  0, or -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_assess(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double loglik, struct cscg_err *err);

#endif
