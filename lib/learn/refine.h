/*
 * refine.h - from a fuzzy fit to a clean graph: Viterbi training, then states
 * that nobody needs are dropped and states that are the same are merged
 */
#ifndef CSCG_REFINE_H
#define CSCG_REFINE_H

#include <stdbool.h>

#include "base/error.h"
#include "kernel/kern.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/work.h"

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
int cscg_structure_refine_partition(const struct cscg_model *m, const int *path, long n, int *into,
    struct cscg_err *err);

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
int cscg_merge_candidate(const struct cscg_model *m, long n, bool *tried, int *i,
    int *j, struct cscg_err *err);

#endif
