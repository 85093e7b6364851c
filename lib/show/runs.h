/*
 * runs.h - walks and plans as runs of the HTML page
 *
 * An all-zero struct with end = -1 is empty.  The functions that add return 0,
 * or -1 with err filled (CSCG_ENOMEM, and as stated below).
 */
#ifndef CSCG_RUNS_H
#define CSCG_RUNS_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/simd.h"
#include "plan/plan.h"
#include "show/html.h"
#include "world/room.h"

struct cscg_runs {
	struct cscg_html_run *run;
	size_t cap;
	int n;
	long steps, left_out; /* steps in the page, and steps omitted */
	int end;              /* the last state of the walks, -1: none */
};

void cscg_runs_free(struct cscg_runs *r);

/*
 * A walk of the symbols and actions of m: the most likely path (by this kernel,
 * or NULL), and the belief at each step.
 */
int cscg_runs_add_walk(struct cscg_runs *r, const struct cscg_walk *w,
    const struct cscg_model *m, const struct cscg_simd *simd,
    struct cscg_err *err);

/*
 * A walk by its true nodes; CSCG_EMISMATCH if it has no true nodes, or is of
 * another room.
 */
int cscg_runs_add_true_walk(struct cscg_runs *r, const struct cscg_walk *w,
    const struct cscg_room *room, struct cscg_err *err);

/* A plan; CSCG_ERANGE if it is too long for a page. */
int cscg_runs_add_plan(struct cscg_runs *r, const struct cscg_plan *plan,
    struct cscg_err *err);

#endif
