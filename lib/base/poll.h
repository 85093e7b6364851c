/*
 * poll.h - progress reports of a long computation, and its end by a time limit
 *
 * The caller of a long computation may set a time limit or handle a signal.
 * The computation polls at every unit of work that takes long enough to
 * matter.  Once call() has returned nonzero, the current stage returns its
 * best result so far, and each later stage does the minimum for a valid
 * result.
 */
#ifndef CSCG_POLL_H
#define CSCG_POLL_H

#include <stdbool.h>

struct cscg_poll {
	/*
	 * Called with the name of the stage, and the amounts of work done and
	 * in total; total is 0 if unknown.  Calls never overlap.  A result
	 * other than 0 stops the computation.
	 */
	int (*call)(void *ctx, const char *stage, double done, double total);
	void *ctx;
	bool stopped; /* call() has returned nonzero: not called again */
};

/* True if the computation is to stop; p may be NULL: never. */
bool cscg_poll(struct cscg_poll *p, const char *stage, double done,
    double total);

/* Whether an earlier cscg_poll() returned true; does not call call(). */
static inline bool
cscg_poll_stopped(const struct cscg_poll *p)
{
	return p && p->stopped;
}

/* Seconds of a monotonic clock, for time limits. */
double cscg_clock(void);

#endif
