/*
 * Parallel loop: every iteration once, whatever the number of threads; states,
 * errors, order, nesting.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "tap.h"

enum { N = 1000, THREADS = 5 };

struct work {
	int done[N];         /* times that an iteration ran */
	int made, freed;     /* states; atomic */
	int states_max;      /* limit of states; further ones fail */
	bool is_wrong_state; /* an iteration had the state of another loop */
	int failing;         /* every iteration from here on fails */
	long ends_at;        /* in_order ends the loop here */
	long order[N];       /* of in_order, ... */
	int n_order;
	int nested[N]; /* iterations of a loop within i */
};

static struct work *now; /* for state_free() */

static void
iteration(void *ctx, long i, void *state)
{
	struct work *w = ctx;

	w->done[i]++;
	if (state && *(struct work **)state != w)
		w->is_wrong_state = true;
}

static void *
state_new(void *ctx, struct cscg_err *err)
{
	struct work *w = ctx, **state = NULL;

	if (__atomic_fetch_add(&w->made, 1, __ATOMIC_RELAXED) < w->states_max)
		state = malloc(sizeof *state);
	if (state) {
		*state = w;
		return state;
	}
	__atomic_fetch_sub(&w->made, 1, __ATOMIC_RELAXED);
	cscg_fail(err, CSCG_ENOMEM, "no state");
	return NULL;
}

static void
state_free(void *state)
{
	free(state);
	__atomic_fetch_add(&now->freed, 1, __ATOMIC_RELAXED);
}

static bool
all_once(const struct work *w, int n)
{
	int i;

	for (i = 0; i < N; i++)
		if (w->done[i] != (i < n))
			return false;
	return true;
}

static void
test_states(int threads)
{
	struct cscg_err err = { 0 };
	struct work w = { .states_max = threads }, none = { .states_max = 0 };
	struct work one = { .states_max = 1 };
	struct cscg_parallel each = { .body = iteration,
		.thread_new = state_new,
		.thread_free = state_free,
		.ctx = &w };
	struct cscg_parallel plain = { .body = iteration, .ctx = &none };

	now = &w;
	ok(cscg_parallel_for(&each, N, threads, &err) == 0 && all_once(&w, N),
	    "%d threads: every iteration once", threads);
	ok(w.made >= 1 && w.made <= threads && w.freed == w.made &&
		!w.is_wrong_state,
	    "each thread has its own state");
	each.ctx = now = &one;
	ok(cscg_parallel_for(&each, N, threads, &err) == 0 &&
		all_once(&one, N) && one.freed == one.made,
	    "a loop works with one state for all threads");
	each.ctx = now = &none;
	ok(cscg_parallel_for(&each, N, threads, &err) < 0 &&
		err.code == CSCG_ENOMEM && !strcmp(err.msg, "no state") &&
		all_once(&none, 0) && none.freed == 0,
	    "a loop without any state fails");
	ok(cscg_parallel_for(&plain, 7, threads, NULL) == 0 &&
		all_once(&none, 7) &&
		cscg_parallel_for(&plain, 0, threads, NULL) == 0,
	    "a loop without a state function runs");
}

/* Each thread adds to its own sum. */
static void
add(void *ctx, long i, void *state)
{
	long *sum = state;

	(void)ctx;
	*sum += i;
}

static void
test_given_states(int threads)
{
	long sum[THREADS] = { 0 }, all = 0;
	struct cscg_parallel each = {
		.body = add, .states = sum, .state_size = sizeof *sum
	};
	int i;

	cscg_parallel_for(&each, N, threads, NULL);
	for (i = 0; i < threads; i++)
		all += sum[i];
	ok(all == (long)N * (N - 1) / 2, "%d threads: states in an array",
	    threads);
}

static int
may_fail(void *ctx, long i, void *state, struct cscg_err *err)
{
	struct work *w = ctx;

	iteration(ctx, i, state);
	return i < w->failing ? 0 : cscg_fail(err, CSCG_ERANGE, "at %ld", i);
}

static int
in_order(void *ctx, long i, void *state)
{
	struct work *w = ctx;

	(void)state;
	w->order[w->n_order++] = i;
	return i == w->ends_at;
}

/* Was in_order called for 0..n-1, in this order? */
static bool
is_ordered(const struct work *w, int n)
{
	int i;

	for (i = 0; i < n && i < w->n_order; i++)
		if (w->order[i] != i)
			return false;
	return w->n_order == n;
}

static void
test_errors(int threads)
{
	struct cscg_err err = { 0 };
	struct work w = { .failing = 3, .ends_at = -1 };
	struct work ends = { .failing = 3, .ends_at = 2 };
	struct work whole = { .failing = N, .ends_at = -1 };
	struct cscg_parallel each = { .try_body = may_fail, .ctx = &w };
	struct cscg_parallel ordered = {
		.try_body = may_fail, .ctx = &whole, .in_order = in_order
	};

	ok(cscg_parallel_for(&each, N, threads, &err) < 0 &&
		err.code == CSCG_ERANGE && !strcmp(err.msg, "at 3"),
	    "%d threads: the first failure is returned", threads);
	ok(w.done[0] == 1 && w.done[3] == 1 && w.done[4 + threads] == 0,
	    "the loop ends after a failure");
	ok(cscg_parallel_for(&ordered, N, threads, &err) == 0 &&
		all_once(&whole, N) && is_ordered(&whole, N),
	    "in_order is called in order");
	ordered.ctx = &ends;
	ok(cscg_parallel_for(&ordered, N, threads, &err) == 0 &&
		is_ordered(&ends, 3),
	    "an end before a failure is returned");
	ends = (struct work){ .failing = 3, .ends_at = 3 };
	err.msg[0] = '\0';
	ok(cscg_parallel_for(&ordered, N, threads, &err) < 0 &&
		is_ordered(&ends, 3) && !strcmp(err.msg, "at 3"),
	    "a failure before an end is returned");
}

static void
nested(void *ctx, long i, void *state)
{
	struct work *w = ctx, inner = { .states_max = 1 };
	struct cscg_parallel each = { .body = iteration, .ctx = &inner };

	(void)state;
	cscg_parallel_for(&each, 10, THREADS, NULL);
	w->nested[i] = all_once(&inner, 10);
}

static void
test_nesting(int threads)
{
	struct work w = { .failing = 0 };
	struct cscg_parallel each = { .body = nested, .ctx = &w };
	int i, n = 0;

	cscg_parallel_for(&each, 20, threads, NULL);
	for (i = 0; i < 20; i++)
		n += w.nested[i];
	ok(n == 20, "%d threads: loops within a loop", threads);
}

/*
 * Items in the slots of a ring buffer: the contents of each slot when it was
 * processed.
 */
struct queue {
	int slot[3];
	int got[100];
	long n, failing; /* items processed; -1: none fails */
	int is_masked;   /* SIGTERM, in the thread */
};

static int
take_item(void *ctx, long i)
{
	struct queue *q = ctx;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	q->is_masked = sigismember(&mask, SIGTERM);
	if (i % 7 == 0)
		sched_yield();
	q->got[i] = q->slot[i % 3];
	q->n++;
	return i == q->failing ? -1 : 0;
}

static void
test_worker(void)
{
	struct queue q = { .failing = -1 };
	struct cscg_worker *w = cscg_worker_new(take_item, &q, 3);
	sigset_t mask;
	int i, bad = 0;

	for (i = 0; i < 100; i++) {
		q.slot[i % 3] = 1000 + i;
		bad |= cscg_worker_push(w) < 0;
	}
	bad |= cscg_worker_wait(w) < 0;
	for (i = 0; i < 100; i++)
		bad |= q.got[i] != 1000 + i;
	ok(!bad && q.n == 100, "a queue is processed in order");
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	ok(q.is_masked && !sigismember(&mask, SIGTERM),
	    "signals are handled by the caller's thread");
	cscg_worker_free(w);
	cscg_worker_free(NULL);

	q = (struct queue){ .failing = 5 };
	w = cscg_worker_new(take_item, &q, 3);
	for (i = 0; i < 100 && cscg_worker_push(w) == 0; i++)
		;
	/* Item 8 has the slot of item 5. */
	ok(i >= 5 && i <= 8 && q.n == 6,
	    "a failure ends the queue (%d pushed)", i);
	ok(cscg_worker_push(w) < 0 && cscg_worker_wait(w) < 0,
	    "the failure is reported again by later calls");
	cscg_worker_free(w);
}

int
main(void)
{
	int threads;

	for (threads = 1; threads <= THREADS; threads += 2) {
		test_states(threads);
		test_given_states(threads);
		test_errors(threads);
		test_nesting(threads);
	}
	test_worker();
	return done();
}
