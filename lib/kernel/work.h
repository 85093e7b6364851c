/*
 * work.h - scratch memory for the passes, grown once and reused
 *
 * Holds one episode's messages.  Step t of the episode (from 0) has its
 * message at work->off[t], as many reals as its span has states.  Threads
 * never share one.
 */
#ifndef CSCG_WORK_H
#define CSCG_WORK_H

#include <stddef.h>

#include "base/error.h"
#include "kernel/trans.h"
#include "core/walk.h"

struct cscg_work {
	long n;			/* steps of the episode it was fitted to */
	size_t *off;		/* [n + 1] in reals */
	double *p;		/* [n] P(x[t] | what came before) */
	char *message;		/* forward, then posterior */
	int *back;		/* Viterbi: best predecessor, like message */
	void *u, *v;		/* [n_states] each */
	size_t cap_off, cap_p, cap_message, cap_back, cap_u, cap_v;
};

/* Make room for episode e of w; fills off.  An all-zero struct is empty. */
int cscg_work_reserve(struct cscg_work *work, const struct cscg_trans *tr,
    const struct cscg_walk *w, int e, struct cscg_err *err);

/* The message of step t. */
void *cscg_work_message(const struct cscg_work *work, const struct cscg_trans *tr,
    long t);

void cscg_work_free(struct cscg_work *work);	/* empties it, too */

/* Does the move into step t of the walk not count as one? */
static inline int
cscg_walk_starts_run(const struct cscg_walk *w, int e, long t)
{
	return t == w->start[e] || (w->reset && w->reset[t]);
}

#endif
