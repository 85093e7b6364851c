/*
 * stroll.h - short plans that are easily compared
 *
 * Straight runs, one action again and again, and those with one turn; behind
 * them longer runs.  They are listed so that all but the last action of each is
 * the beginning of the one before it, and can be played by going back and on.
 */
#ifndef CSCG_STROLL_H
#define CSCG_STROLL_H

#include "base/err.h"

/* a `run` times, then b `turn` times. */
struct cscg_stroll {
	int a, run, b, turn;
};

struct cscg_strolls {
	struct cscg_stroll *v;
	int n_near, n;		/* behind n_near: longer runs */
	int longest;		/* run of all */
};

/*
 * All of n_actions but `apart` (-1: none), of this length at most, or of less if
 * there are many actions; longer runs are so many times as long.  -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_strolls_new(struct cscg_strolls *s, int n_actions, int apart,
    int length, int longer, struct cscg_err *err);
void cscg_strolls_free(struct cscg_strolls *s);

static inline int
cscg_stroll_length(const struct cscg_stroll *p)
{
	return p->run + p->turn;
}

#endif
