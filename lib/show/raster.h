/*
 * raster.h - states over time: the posterior of each state at each step, as SVG
 *
 * A row is a state, a column a step, darker is more probable.  If a walk has
 * more steps than the drawing has columns, a column is the mean of several.
 */
#ifndef CSCG_RASTER_H
#define CSCG_RASTER_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "io/stream.h"
#include "kernel/trans.h"

/*
 * w has the symbols and actions of m, tr its transitions.  0, or -1 with err
 * filled: CSCG_EMISMATCH (an episode that the model cannot produce, no steps),
 * CSCG_ERANGE (underflow), CSCG_ENOMEM, or as cscg_out_write() does.
 */
int cscg_raster_write_svg(const struct cscg_model *m,
    const struct cscg_trans *tr, const struct cscg_walk *w, const char *title,
    struct cscg_out *out, struct cscg_err *err);

#endif
