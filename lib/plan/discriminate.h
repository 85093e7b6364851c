/*
 * discriminate.h - action sequences by expected information gain between
 * candidates
 *
 * Straight runs, one action again and again, and those with one turn; behind
 * them longer runs.  They are listed so that all but the last action of each is
 * the beginning of the one before it, and can be played by going back and on.
 */
#ifndef CSCG_DISCRIMINATE_H
#define CSCG_DISCRIMINATE_H

#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "plan/candidate.h"

/* a `run` times, then b `turn` times. */
struct cscg_action_sequence {
	int a, n_a, b, n_b;
};

struct cscg_action_sequences {
	struct cscg_action_sequence *v;
	int n_short, n; /* behind n_short: longer runs */
	int longest;    /* run of all */
};

/*
 * All of n_actions but `stationary` (-1: none), of this length at most, or of less if
 * there are many actions; longer runs are so many times as long.  -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_action_sequences_new(struct cscg_action_sequences *s, int n_actions,
    int stationary, int length, int longer, struct cscg_err *err);
void cscg_action_sequences_free(struct cscg_action_sequences *s);

static inline int
cscg_action_sequence_length(const struct cscg_action_sequence *p)
{
	return p->n_a + p->n_b;
}

/*
 * which actions tell rivals apart
 *
 * Plans are straight runs, one action again and again, and those with one turn;
 * if none of them tells anything, longer runs.  Each is played in mind on the
 * likeliest ways how things may be, of every rival.  What would be seen is a
 * string of symbols, where those that are not known yet are the first, the second
 * new one and so on.  The best plan is the one whose outcome tells most about
 * which rival is right, by its length: the mutual information of the two over
 * (length + 2).
 */

struct cscg_discriminate_options {
	int n_actions;    /* of the world */
	int stationary;   /* an action that does not move; -1: none */
	int n;            /* rivals */
	int n_hypotheses; /* of each; 0: 100 */
	int length;       /* of plans, if any tells something; 0: 6; less if
	                     there are many actions */
	double min_prob;  /* of the probability of a schema: what is all but
	                     ruled out is not lost sight of; 0: .02 */
};

struct cscg_discriminate;

/* NULL with err filled (CSCG_ENOMEM). */
struct cscg_discriminate *cscg_discriminate_new(
    const struct cscg_discriminate_options *set, struct cscg_err *err);
void cscg_discriminate_free(struct cscg_discriminate *d);

/*
 * The first action of the best plan; of equals any.  posterior is that of the
 * rivals.  *gain is the plan's information, in nats.  -1: nothing that can be
 * done tells anything.
 */
int cscg_discriminate_choose(struct cscg_discriminate *d,
    struct cscg_candidate *const *candidate, const double *posterior,
    struct cscg_rng *rng, double *gain);

/*
 * The information that outcomes give about rivals: of n entries each has an
 * outcome (any number) and a weight, those of rival i are first[i] ..
 * first[i+1]-1 and sum to its probability.  For tests.
 */
double cscg_discriminate_information(struct cscg_discriminate *d,
    const uint64_t *outcome, const double *weight, const int *first);

#endif
