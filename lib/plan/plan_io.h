/*
 * plan_io.h - plans as lines of actions, or as a line of JSON: cscg-plan(1)
 */
#ifndef CSCG_PLAN_IO_H
#define CSCG_PLAN_IO_H

#include "core/model.h"
#include "plan/plan.h"
#include "io/stream.h"

/* One action a line, by name, or by number if m has no names for them. */
int cscg_plan_write(const struct cscg_plan *plan, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/*
 * One object: actions, states, probabilities and, if m is grounded, the
 * likeliest symbols.  now_p is the probability of the first state; NaN: not
 * known.
 */
int cscg_plan_write_json(const struct cscg_plan *plan,
    const struct cscg_model *m, double now_p, struct cscg_out *out,
    struct cscg_err *err);

#endif
