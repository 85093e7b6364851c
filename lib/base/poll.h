/*
 * poll.h - a long computation reports its progress, and is told when to stop
 *
 * The caller of a long computation may set a time limit or take a signal.  The
 * computation polls at every unit of work that takes long enough to matter.
 * After the first answer that ends it, every stage gives the best result it
 * has, and later stages do the least that makes a valid result.
 */
#ifndef CSCG_POLL_H
#define CSCG_POLL_H

#include <stdbool.h>

struct cscg_poll {
	/*
	 * Called with the name of the stage, and how much of it is done; total
	 * is 0 if it is not known.  Calls never overlap.  A result other than
	 * 0 stops the computation.
	 */
	int (*call)(void *ctx, const char *stage, double done, double total);
	void *ctx;
	bool stopped; /* call() said so once; it is not called again */
};

/* True if the computation is to stop; p may be NULL: never. */
bool cscg_poll(struct cscg_poll *p, const char *stage, double done,
    double total);

/* The same without a call. */
static inline bool
cscg_poll_stopped(const struct cscg_poll *p)
{
	return p && p->stopped;
}

/* Seconds on a clock that only goes forward, for time limits. */
double cscg_clock(void);

#endif
