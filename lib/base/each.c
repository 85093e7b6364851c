/*
 * each.c - a loop whose turns are shared out to threads
 *
 * OpenMP ends the program when it has no memory for its own affairs, so it is
 * left alone where there is one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/each.h"

struct turns {
	const struct cscg_each *each;
	long n, next;
	bool failed;
};

static void
take_turns(struct turns *t)
{
	struct cscg_err none;
	void *mine = NULL;
	long i;

	if (t->each->make) {
		mine = t->each->make(t->each->ctx, &none);
		if (!mine) {
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
		t->each->turn(t->each->ctx, i, mine);
	}
	if (t->each->drop)
		t->each->drop(mine);
}

int
cscg_each(const struct cscg_each *each, long n, int threads,
    struct cscg_err *err)
{
	struct turns t = { .each = each, .n = n };

	if (threads > 1 && n > 1) {
#pragma omp parallel num_threads(threads)
		take_turns(&t);
	} else {
		take_turns(&t);
	}
	if (t.failed && err)
		cscg_fail(err, CSCG_ENOMEM, "out of memory");
	return t.failed ? -1 : 0;
}
