/*
 * stroll.h - short plans that are easily compared
 *
 * Straight runs, one action again and again, and those with one turn; behind
 * them longer runs.  They are listed so that all but the last action of each is
 * the beginning of the one before it, and can be played by going back and on.
 */
#ifndef CSCG_STROLL_H
#define CSCG_STROLL_H

#include "base/error.h"

/* a `run` times, then b `turn` times. */
struct cscg_action_sequence {
	int a, n_a, b, n_b;
};

struct cscg_action_sequences {
	struct cscg_action_sequence *v;
	int n_short, n;		/* behind n_short: longer runs */
	int longest;		/* run of all */
};

/*
 * All of n_actions but `stationary` (-1: none), of this length at most, or of less if
 * there are many actions; longer runs are so many times as long.  -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_action_sequences_new(struct cscg_action_sequences *s, int n_actions, int stationary,
    int length, int longer, struct cscg_err *err);
void cscg_action_sequences_free(struct cscg_action_sequences *s);

static inline int
cscg_action_sequence_length(const struct cscg_action_sequence *p)
{
	return p->n_a + p->n_b;
}

#endif
