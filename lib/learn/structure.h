/*
 * structure.h - Viterbi training, partition refinement and merging of states
 * by BIC
 */
#ifndef CSCG_STRUCTURE_H
#define CSCG_STRUCTURE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/plain.h"
#include "kernel/simd.h"
#include "learn/learn.h"

/* Viterbi training by other counts than those of the path alone. */
struct cscg_viterbi_counts {
	/*
	 * Lists the counts in a round (from 0), whose path is in states and has
	 * this log-probability; returns how many, at most `most`.
	 */
	long (*list)(void *ctx, int round, double logp,
	    struct cscg_count *buf);
	void *ctx;
	size_t most;
};

/*
 * Viterbi training of grounded model m on w: decode and count, until the path
 * is stable or max_rounds rounds are done.  counts NULL (then m has emissions by
 * clone): counts become whole numbers.  states[t] is the state of step t on the
 * last path, *logp the log-probability of that path.
 */
int cscg_viterbi_train(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd,
    int max_rounds, const struct cscg_viterbi_counts *counts, int *states,
    double *logp, struct cscg_err *err);

/*
 * Partition refinement: find the states of m with indistinguishable
 * successors. path is the state of each of n steps; m has its counts.  States
 * of one group that lead, action by action, to the same merged states, as far
 * as n steps of data can distinguish them, get the same number: into[j],
 * ascending with the groups, -1 for a state that is not on the path.  Returns
 * the number of merged states, or -1 with err filled.
 */
int cscg_structure_refine_partition(const struct cscg_model *m,
    const int *path, long n, int *into, struct cscg_err *err);

/*
 * The BIC score of a model: log-likelihood less ln(n)/2 for every edge (an
 * edge: a stored count) beyond the first of a row and for every state.
 */
double cscg_bic(const struct cscg_model *m, long n, double loglik);

/*
 * The same of a graph with transition noise that all states of an action will
 * share (tied_noise.h): an edge besides the first of its row costs 1 nat,
 * twice the expected gain of a superfluous edge by overfitting.
 */
double cscg_bic_noise(const struct cscg_model *m, long n, double loglik);

/*
 * The pair of states of one group whose merge costs least, estimated from
 * their rows alone, among pairs not yet tried (tried[i * n_states + j], i < j,
 * is set for the result).  Returns 1, 0 if no pair is left, -1 with err
 * filled.
 */
int cscg_merge_candidate(const struct cscg_model *m, long n, bool *tried,
    int *i, int *j, struct cscg_err *err);

/*
 * Merge states of one group as long as the estimate from their rows improves
 * BIC, without EM in between: in each pass the pairs with the best estimates,
 * each state in one pair at most.  *m may be replaced.  0, or -1 with err
 * filled.
 */
int cscg_structure_merge_rows(struct cscg_model **m, long n,
    struct cscg_err *err);

/*
 * The stages after EM: Viterbi training, merging, splits, and the
 * log-likelihood of the walk under the resulting graph
 */

/* Report the end of a stage; *last becomes its progress line, if not NULL. */
int cscg_learn_report_stage(const struct cscg_learn *set, const char *stage,
    long restart, long iteration, int n_states, double loglik,
    double objective, struct cscg_learn_progress *last);

/* The log-likelihood of w under m. */
int cscg_learn_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

/* The plain loops, in the precision of the settings. */
const struct cscg_kernel *cscg_learn_kernel(const struct cscg_learn *set);

/* True if no row has more than one successor state. */
bool cscg_learn_is_deterministic(const struct cscg_model *m);

/*
 * Reduce the model found by EM.  Integer counts along the Viterbi path are
 * tried first.  If the resulting model is stochastic, expected counts are also
 * tried, and the model with the higher BIC score (cscg_bic(), or
 * cscg_bic_noise() if set->noisy) is kept.
 * *loglik is its log-likelihood.
 */
int cscg_structure_clean(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err);

#endif
