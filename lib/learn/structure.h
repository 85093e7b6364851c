/*
 * structure.h - Viterbi training, partition refinement and merging of states by
 * BIC
 */
#ifndef CSCG_STRUCTURE_H
#define CSCG_STRUCTURE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/passes.h"
#include "kernel/plain.h"
#include "learn/learn.h"

/*
 * Viterbi training of grounded model m (emissions by clone) on w: decode,
 * count, repeat until the path stays or `most` rounds are done.  Counts become
 * whole numbers.  states (an item for every step) is the last path, *logp its
 * log-probability.
 */
int cscg_viterbi_train(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, int max_rounds, struct cscg_work *work,
    int *states, double *logp, struct cscg_err *err);

/*
 * Which states of m can be told apart by what follows them?  path is the state
 * of each of n steps, m has its counts.  States of one group that lead, action
 * by action, to the same merged states as far as n steps of experience can
 * tell get one number: into[j] ascending with the groups, -1 for a state that
 * is not on the path.  Returns how many are left, or -1 with err filled.
 */
int cscg_structure_refine_partition(const struct cscg_model *m,
    const int *path, long n, int *into, struct cscg_err *err);

/*
 * What a model is worth: log-likelihood less ln(n)/2 for every edge (an edge:
 * a stored count) beyond the first of a row and for every state.
 */
double cscg_bic(const struct cscg_model *m, long n, double loglik);

/*
 * The pair of states of one group that could be merged at the least expense,
 * judged by their rows alone, among those not yet tried (tried[i * n_states +
 * j], i < j, is set for the answer).  Returns 1, 0 if there is none, -1 with
 * err filled.
 */
int cscg_merge_candidate(const struct cscg_model *m, long n, bool *tried,
    int *i, int *j, struct cscg_err *err);

/*
 * what learn.c does with what EM found: Viterbi refinement,
 * merging, splits, and how well the graph that is left explains the walk
 */

/* Report that a stage is done; *last is its line, if not NULL. */
int cscg_learn_report_stage(const struct cscg_learn *set, const char *stage,
    long restart, long iteration, int n_states, double loglik,
    double objective, struct cscg_learn_progress *last);

/* The log-likelihood of w under m. */
int cscg_learn_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

/* Does no action ever lead to two places? */
bool cscg_learn_is_deterministic(const struct cscg_model *m);

/*
 * From what EM found to a clean graph.  Whole counts along the likeliest path
 * are tried first; where they show chance, expected counts are tried, too, and
 * the model that is worth more (structure.h) is kept.  *loglik is its
 * log-likelihood.
 */
int cscg_structure_clean(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

#endif
