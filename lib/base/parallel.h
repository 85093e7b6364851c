/*
 * parallel.h - parallel for loop over threads, with a result that does not
 * depend on their number
 */
#ifndef CSCG_PARALLEL_H
#define CSCG_PARALLEL_H

#include "base/error.h"

struct cscg_parallel {
	/* Turn i; mine is what make() gave this thread, or NULL. */
	void (*body)(void *ctx, long i, void *mine);
	/* What a thread needs for itself, and its end; both may be NULL. */
	void *(*thread_new)(void *ctx, struct cscg_err *err);
	void (*thread_free)(void *mine);
	void *ctx;
};

/*
 * Turns 0..n-1 in any order, on so many threads at most.  0, or -1 with err
 * filled (CSCG_ENOMEM) if a thread could not make what it needs; turns may then
 * be missing.  err may be NULL where nothing is made.  One thread is the
 * caller's own, and OpenMP is not asked.
 */
int cscg_parallel_for(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err);

#endif
