/*
 * parallel.c - parallel for loop over threads, with a result that does not
 * depend on their number
 *
 * OpenMP ends the program when it has no memory for its own affairs, so it is
 * left alone where there is one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/parallel.h"

/*
 * a loop whose turns are shared out to threads
 *
 * OpenMP ends the program when it has no memory for its own affairs, so it is
 * left alone where there is one thread.
 */

struct loop_state {
	const struct cscg_parallel *loop;
	long n, next;
	bool failed;
};

static void
run_iterations(struct loop_state *t)
{
	struct cscg_err none;
	void *thread_data = NULL;
	long i;

	if (t->loop->thread_new) {
		thread_data = t->loop->thread_new(t->loop->ctx, &none);
		if (!thread_data) {
#pragma omp atomic write
			t->failed = true;
			return;
		}
	}
	for (;;) {
#pragma omp atomic capture
		i = t->next++;
		if (i >= t->n)
			break;
		t->loop->body(t->loop->ctx, i, thread_data);
	}
	if (t->loop->thread_free)
		t->loop->thread_free(thread_data);
}

int
cscg_parallel_for(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err)
{
	struct loop_state t = { .loop = each, .n = n };

	if (threads > 1 && n > 1) {
#pragma omp parallel num_threads(threads)
		run_iterations(&t);
	} else {
		run_iterations(&t);
	}
	if (t.failed && err)
		cscg_fail(err, CSCG_ENOMEM, "out of memory");
	return t.failed ? -1 : 0;
}
