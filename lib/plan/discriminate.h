/*
 * discriminate.h - action sequences by expected information gain between
 * candidates
 *
 * An action sequence is a run of one action, or a run followed by a run of
 * another action; longer runs of one action come last in the list.  The list
 * is ordered so that each sequence without its last action is a prefix of the
 * sequence before it.  So all of them can be simulated by undoing and
 * appending actions.
 */
#ifndef CSCG_DISCRIMINATE_H
#define CSCG_DISCRIMINATE_H

#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "plan/candidate.h"

/* Action a n_a times, then action b n_b times. */
struct cscg_action_sequence {
	int a, n_a, b, n_b;
};

struct cscg_action_sequences {
	struct cscg_action_sequence *v;
	int n_short, n; /* from n_short on: longer runs */
	int longest;    /* length of the longest run */
};

/*
 * All sequences of the n_actions actions except `stationary` (-1: none), of at
 * most `length` actions, or fewer if there are many actions; longer runs are
 * `longer` times as long.  Returns 0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_action_sequences_new(struct cscg_action_sequences *s, int n_actions,
    int stationary, int length, int longer, struct cscg_err *err);
void cscg_action_sequences_free(struct cscg_action_sequences *s);

/*
 * The sequence from..to-1 of the highest gain / (length + 2) among those of at
 * least min_gain, ties broken at random; -1: none.  gain is that of each
 * sequence in nats.
 */
int cscg_action_sequences_best(const struct cscg_action_sequences *s,
    const double *gain, double min_gain, int from, int to,
    struct cscg_rng *rng);

static inline int
cscg_action_sequence_length(const struct cscg_action_sequence *p)
{
	return p->n_a + p->n_b;
}

/*
 * Choice of the action sequence that discriminates candidates best.
 *
 * Plans are the short sequences above or, if none of them has an information
 * gain, the longer runs.  Each plan is simulated under the likeliest
 * hypotheses of every candidate.  Its outcome is the string of symbols that
 * would be observed, where unknown symbols are numbered in order of
 * appearance.  The best plan maximises I(outcome; candidate) / (length + 2),
 * where I is the mutual information.
 */

struct cscg_discriminate_options {
	int n_actions;  /* of the environment */
	int stationary; /* an action that never changes the state; -1: none */
	int n;          /* candidates */
	int n_hypotheses; /* of each; 0: 100 */
	int length;       /* maximum length of short plans; 0: 6; less if there
	                     are many actions */
};

struct cscg_discriminate;

/* NULL with err filled (CSCG_ENOMEM). */
struct cscg_discriminate *cscg_discriminate_new(
    const struct cscg_discriminate_options *set, struct cscg_err *err);
void cscg_discriminate_free(struct cscg_discriminate *d);

/*
 * Returns the first action of the best plan, ties broken at random, or -1 if
 * no plan has an information gain.  posterior, [n], is that of the candidates.
 * *gain is the plan's mutual information in nats.  Plans that begin with action
 * `avoid` are left out (-1: none).
 */
int cscg_discriminate_choose(struct cscg_discriminate *d,
    struct cscg_candidate *const *candidate, const double *posterior,
    int avoid, struct cscg_rng *rng, double *gain);

/*
 * The mutual information of outcomes and candidates, in nats.  Each entry has
 * an outcome (any number) and a weight.  The entries of candidate i are
 * first[i] .. first[i+1]-1, and their weights sum to its probability.  Public
 * for tests.
 */
double cscg_discriminate_information(struct cscg_discriminate *d,
    const uint64_t *outcome, const double *weight, const int *first);

#endif
