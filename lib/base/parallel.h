/*
 * parallel.h - parallel for loop over threads, with a result that does not
 * depend on their number
 *
 * The one place of the library that creates threads.  The loop guarantees:
 *
 * - Results.  Every iteration runs once, on some thread, and the error that is
 *   returned is that of the first iteration that fails; a body that writes
 *   only what belongs to its iteration, or combines results in a way that no
 *   order changes, gives the same bytes for any number of threads.
 * - Errors.  When try_body fails, no further iteration is begun; those before
 *   it have been begun and are completed.
 * - State.  A thread has a state of its own from its first iteration to its
 *   last.  A thread that cannot make its state leaves its iterations to the
 *   others; the loop fails if no thread is left.
 * - Threads.  Never more than asked for, and no more than can be created:
 *   before the first loop that asks for so many, base/parallel creates and joins
 *   them (RLIMIT_NPROC, control groups), as many as fit into half of the memory
 *   left (RLIMIT_AS, RLIMIT_DATA).  If there are none, the loop runs on the
 *   thread of the caller, and so it does, without OpenMP and at no cost, when
 *   one thread is asked for.
 * - Nesting.  A loop within an iteration of a loop on several threads runs on
 *   the thread of the caller.
 *
 * A body that writes what others write, too, locks a mutex in ctx.
 */
#ifndef CSCG_PARALLEL_H
#define CSCG_PARALLEL_H

#include <stddef.h>

#include "base/error.h"

struct cscg_parallel {
	/* Iteration i; state is that of the thread, or NULL. */
	void (*body)(void *ctx, long i, void *state);
	/* Make the state of a thread, NULL with err filled; both may be NULL. */
	void *(*thread_new)(void *ctx, struct cscg_err *err);
	void (*thread_free)(void *state);
	void *ctx;
	/* In place of thread_new: [threads] states of so many bytes. */
	void *states;
	size_t state_size;
	/* In place of body, an iteration that can fail: 0, or -1 with err filled. */
	int (*try_body)(void *ctx, long i, void *state, struct cscg_err *err);
	/*
	 * After the body of i, by the same thread, and after in_order of i - 1:
	 * one at a time.  Returns 0, or 1 to end the loop: what other threads
	 * have begun after i is then ignored, failures as well.  May be NULL.
	 */
	int (*in_order)(void *ctx, long i, void *state);
};

/*
 * Iterations 0..n-1, begun in this order, on so many threads at most.  0, or -1
 * with err filled: by try_body, or by thread_new where no thread has a state.
 * err may be NULL where nothing can fail.
 */
int cscg_parallel_for(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err);

/*
 * Call report, once, when a loop of this thread gets fewer threads than it asks
 * for; NULL: do not.  The library prints nothing.
 */
void cscg_parallel_on_shortage(void (*report)(int wanted, int got));

#endif
