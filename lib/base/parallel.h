/*
 * parallel.h - parallel for loop over threads, with a result that does not
 * depend on their number; one thread that processes a queue in order
 *
 * No other module of the library creates threads.  The loop guarantees:
 *
 * - Results.  Every iteration runs once, on some thread, and the error
 *   returned is that of the first iteration that fails; a body that writes
 *   only data of its iteration, or combines results independently of their
 *   order, gives the same bytes for any number of threads.
 * - Errors.  When try_body fails, no further iteration starts; all earlier
 *   iterations have started and are completed.
 * - State.  A thread has a private state from its first iteration to its last.
 *   A thread that cannot create its state leaves its iterations to the other
 *   threads; the loop fails if no thread is left.
 * - Threads.  At most as many as requested, and at most as many as can be
 *   created: before the first loop that requests a number of threads, the
 *   module creates and joins that number (RLIMIT_NPROC, control groups),
 *   limited to those that fit into half of the memory left (RLIMIT_AS,
 *   RLIMIT_DATA).  If no thread can be created, the loop runs on the thread of
 *   the caller.  A loop with one thread also runs there, without OpenMP and
 *   without overhead.
 * - Nesting.  A loop within an iteration of a loop on several threads runs on
 *   the thread of the caller.
 *
 * A body that writes data shared by iterations locks a mutex in ctx.
 */
#ifndef CSCG_PARALLEL_H
#define CSCG_PARALLEL_H

#include <stddef.h>

#include "base/error.h"

struct cscg_parallel {
	/* Run iteration i; state belongs to the thread, or is NULL. */
	void (*body)(void *ctx, long i, void *state);
	/* Create and free the state of a thread; NULL with err filled.  Both
	 * callbacks may be NULL. */
	void *(*thread_new)(void *ctx, struct cscg_err *err);
	void (*thread_free)(void *state);
	void *ctx;
	/* Instead of thread_new: [threads] states of state_size bytes. */
	void *states;
	size_t state_size;
	/* Instead of body, an iteration that can fail: 0, or -1 with err
	 * filled. */
	int (*try_body)(void *ctx, long i, void *state, struct cscg_err *err);
	/*
	 * Called by the same thread after the body of i, and after in_order of
	 * i - 1; never concurrently.  Returns 0, or 1 to end the loop: later
	 * iterations that have started are then ignored, and so are their
	 * errors.  May be NULL.
	 */
	int (*in_order)(void *ctx, long i, void *state);
};

/*
 * Run iterations 0..n-1, started in this order, on at most the given number of
 * threads.  0, or -1 with err filled: by try_body, or by thread_new if no
 * thread has a state.  err may be NULL if neither can fail.
 */
int cscg_parallel_for(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err);

/*
 * Call report, once, when a loop of this thread gets fewer threads than it
 * requests; NULL: do not.  The library prints nothing.
 */
void cscg_parallel_on_shortage(void (*report)(int wanted, int got));

/*
 * A thread that processes items 0, 1, 2, ... of a queue in order while the
 * caller prepares the next ones, such as blocks of output.  An item is a
 * number: the caller keeps item i in slot i % depth of an array.
 *
 * No signal is delivered to the thread.
 */
struct cscg_worker;

/*
 * work: process item i; 0, or -1 after which no further item is processed.
 * NULL if no thread can be created: the caller then does the work itself.
 */
struct cscg_worker *cscg_worker_new(int (*work)(void *ctx, long i), void *ctx,
    int depth);

/*
 * Append the next item, and wait until the slot of the one after it is free.
 * 0, or -1 if work has failed: ctx is then the caller's alone.
 */
int cscg_worker_push(struct cscg_worker *worker);

/* Wait until all items have been processed: 0, or -1 as above. */
int cscg_worker_wait(struct cscg_worker *worker);

/* Drops items that have not been started.  Accepts NULL. */
void cscg_worker_free(struct cscg_worker *worker);

#endif
