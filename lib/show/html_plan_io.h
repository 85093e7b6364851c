/*
 * html_plan_io.h - a plan that cscg-plan wrote, read again
 */
#ifndef CSCG_HTML_PLAN_IO_H
#define CSCG_HTML_PLAN_IO_H

#include "base/error.h"
#include "kernel/map.h"
#include "core/model.h"
#include "plan/plan.h"

/*
 * Read a plan on m, whose map is given: a line of JSON, or a line for each
 * action, by name or number.  The second does not tell where it starts: that is
 * start then (-1: not known), and the states are the likeliest.  p is that of
 * the path so far.
 *
 * Returns 0 with *plan new (cscg_plan_free() it), or -1 with err filled, file
 * and place named: CSCG_EFORMAT, CSCG_ERANGE, CSCG_EMISMATCH (an action that m
 * lacks, a move that it does not know, start not known), CSCG_ENOMEM.
 */
int cscg_html_plan_read(const char *path, const struct cscg_model *m,
    const struct cscg_plan_graph *graph, int start, struct cscg_plan *plan,
    struct cscg_err *err);

#endif
