/*
 * outward.h - the graph of a walk with noise, from landmarks outward
 *
 * State merging as in merge.h, but by likelihood instead of contradictions, so
 * that transition noise and misread symbols cost evidence and do not refute a
 * merge.  outward.c describes the algorithm.
 */
#ifndef CSCG_OUTWARD_H
#define CSCG_OUTWARD_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"

/*
 * The number of states of w by the steps of landmarks, 0 if there are few of
 * them, or -1 with err filled.
 */
long cscg_outward_states(const struct cscg_walk *w, struct cscg_err *err);

/*
 * Find the graph of w from landmarks: *m is new, with tied noise and a
 * misreading probability, *loglik a lower bound of its log-likelihood.  Several
 * states may stand for one node, unless *distinct.  Returns 1, 0 if there are
 * few landmarks or no graph was found (*m is NULL), -1 with err filled.
 */
int cscg_outward(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, bool *distinct, double *loglik,
    struct cscg_err *err);

/*
 * The same from landmarks or, unless NULL, from the rough model `from` of w;
 * only a graph with one state for each node.
 */
int cscg_outward_distinct(const struct cscg_walk *w,
    const struct cscg_learn *set, const struct cscg_model *from,
    struct cscg_model **m, struct cscg_err *err);

#endif
