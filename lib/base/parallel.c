/*
 * parallel.c - parallel for loop over threads, with a result that does not
 * depend on their number
 *
 * Iterations are taken from a shared counter, so that a thread with short ones
 * does more of them.
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/parallel.h"

/* This thread runs iterations beside other threads. */
static _Thread_local bool is_shared;

/* A loop on several threads. */
struct loop {
	const struct cscg_parallel *each;
	long n, next;         /* next: atomic */
	bool is_stopped;      /* atomic */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t turn_ended;
	long turn;   /* in_order is done for those before */
	long failed; /* iteration, LONG_MAX: none */
	struct cscg_err *body_err, *state_err;
};

static int
run_alone(const struct cscg_parallel *each, long n, struct cscg_err *err)
{
	void *state = each->states;
	int rc = 0;
	long i;

	if (n > 0 && each->thread_new) {
		state = each->thread_new(each->ctx, err);
		if (!state)
			return -1;
	}
	for (i = 0; i < n; i++) {
		if (each->try_body)
			rc = each->try_body(each->ctx, i, state, err);
		else
			each->body(each->ctx, i, state);
		if (rc < 0 ||
		    (each->in_order && each->in_order(each->ctx, i, state)))
			break;
	}
	if (n > 0 && each->thread_free)
		each->thread_free(state);
	return rc < 0 ? -1 : 0;
}

static void
stop(struct loop *t)
{
	__atomic_store_n(&t->is_stopped, true, __ATOMIC_RELAXED);
}

static bool
is_stopped(struct loop *t)
{
	return __atomic_load_n(&t->is_stopped, __ATOMIC_RELAXED);
}

static void
record_failure(struct loop *t, long i, const struct cscg_err *err)
{
	pthread_mutex_lock(&t->lock);
	if (i < t->failed) {
		t->failed = i;
		*t->body_err = *err;
	}
	stop(t);
	pthread_mutex_unlock(&t->lock);
}

/* Wait for the turn of iteration i, and end it. */
static void
take_turn(struct loop *t, long i, void *state, int rc,
    const struct cscg_err *err)
{
	pthread_mutex_lock(&t->lock);
	while (t->turn < i)
		pthread_cond_wait(&t->turn_ended, &t->lock);
	pthread_mutex_unlock(&t->lock);
	/* Only a turn before this one can have stopped the loop. */
	if (!is_stopped(t)) {
		if (rc < 0)
			record_failure(t, i, err);
		else if (t->each->in_order(t->each->ctx, i, state))
			stop(t);
	}
	pthread_mutex_lock(&t->lock);
	t->turn++;
	pthread_cond_broadcast(&t->turn_ended);
	pthread_mutex_unlock(&t->lock);
}

static void
run_iterations(struct loop *t, void *state)
{
	const struct cscg_parallel *each = t->each;
	struct cscg_err err;
	int rc = 0;
	long i;

	err.code = CSCG_OK;
	err.msg[0] = '\0';
	while (!is_stopped(t)) {
		i = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED);
		if (i >= t->n)
			break;
		if (each->try_body)
			rc = each->try_body(each->ctx, i, state, &err);
		else
			each->body(each->ctx, i, state);
		if (each->in_order)
			take_turn(t, i, state, rc, &err);
		else if (rc < 0)
			record_failure(t, i, &err);
	}
}

/* The part of one thread, with a state of its own. */
static void
run_thread(struct loop *t, int number)
{
	const struct cscg_parallel *each = t->each;
	void *state = each->states ?
	    (char *)each->states + each->state_size * (size_t)number :
	    NULL;
	struct cscg_err err;

	if (each->thread_new) {
		if (__atomic_load_n(&t->next, __ATOMIC_RELAXED) >= t->n)
			return;
		state = each->thread_new(each->ctx, &err);
		if (!state) {
			pthread_mutex_lock(&t->lock);
			*t->state_err = err;
			pthread_mutex_unlock(&t->lock);
			return;
		}
	}
	is_shared = true;
	run_iterations(t, state);
	is_shared = false;
	if (each->thread_free)
		each->thread_free(state);
}

static void
run_threads(struct loop *t, int threads)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
	run_thread(t, omp_get_thread_num());
#else
	(void)threads;
	run_thread(t, 0);
#endif
}

static int
run_shared(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err)
{
	/* Not zeroed: they are long, and a loop may be short. */
	struct cscg_err body_err, state_err;
	const struct cscg_err *why = NULL;
	struct loop t = { .each = each,
		.n = n,
		.failed = LONG_MAX,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turn_ended = PTHREAD_COND_INITIALIZER,
		.body_err = &body_err,
		.state_err = &state_err };

	run_threads(&t, threads);
	pthread_cond_destroy(&t.turn_ended);
	pthread_mutex_destroy(&t.lock);
	if (t.failed < LONG_MAX)
		why = &body_err;
	else if (!t.is_stopped && t.next < n)
		why = &state_err;
	if (why && err)
		*err = *why;
	return why ? -1 : 0;
}

int
cscg_parallel_for(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err)
{
	if (threads > 1 && n > 1 && !is_shared)
		return run_shared(each, n, threads, err);
	return run_alone(each, n, err);
}
