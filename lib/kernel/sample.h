/*
 * sample.h - walks drawn from a grounded model, step by step
 */
#ifndef CSCG_KERNEL_SAMPLE_H
#define CSCG_KERNEL_SAMPLE_H

#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"
#include "kernel/trans.h"

struct cscg_sampler;

/*
 * A sampler of walks of m with random actions; the same seed gives the same
 * steps.  Borrows m and tr, which belong together.  NULL with err filled
 * (CSCG_ENOMEM).
 */
struct cscg_sampler *cscg_sampler_new(const struct cscg_model *m,
    const struct cscg_trans *tr, uint64_t seed, struct cscg_err *err);
void cscg_sampler_free(struct cscg_sampler *s);

/* The next step, with its state as true node; the action of the last is -1. */
void cscg_sampler_next(struct cscg_sampler *s, bool last,
    struct cscg_step *step);

#endif
