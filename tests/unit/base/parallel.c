/* Turns of a loop: each once, whatever the threads, and what fails. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "tap.h"

enum { N = 1000 };

struct work {
	int done[N]; /* times that a turn was taken */
	int made, dropped;
	bool poor;     /* nothing can be made */
	bool stranger; /* a turn came with another's things */
};

static struct work *at_work; /* for drop() */

static void
turn(void *ctx, long i, void *mine)
{
	struct work *w = ctx;

	w->done[i]++;
	if (mine && *(struct work **)mine != w)
		w->stranger = true;
}

static void *
make(void *ctx, struct cscg_err *err)
{
	struct work *w = ctx, **mine = w->poor ? NULL : malloc(sizeof *mine);

	(void)err;
	if (!mine)
		return NULL;
	*mine = w;
#pragma omp atomic
	w->made++;
	return mine;
}

static void
drop(void *mine)
{
	free(mine);
#pragma omp atomic
	at_work->dropped++;
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

int
main(void)
{
	struct cscg_err err = { 0 };
	int threads;

	for (threads = 1; threads <= 5; threads += 2) {
		struct work w = { .made = 0 };
		struct cscg_parallel each = { turn, make, drop, &w };

		at_work = &w;
		ok(cscg_parallel_for(&each, N, threads, &err) == 0 &&
			all_once(&w, N),
		    "%d threads: every turn once", threads);
		ok(w.made >= 1 && w.made <= threads && w.dropped == w.made &&
			!w.stranger,
		    "with things of their own");
	}
	for (threads = 1; threads <= 2; threads++) {
		struct work w = { .poor = true };
		struct cscg_parallel each = { turn, make, drop, &w };
		struct cscg_parallel bare = { .body = turn, .ctx = &w };

		at_work = &w;
		ok(cscg_parallel_for(&each, N, threads, &err) < 0 &&
			err.code == CSCG_ENOMEM && all_once(&w, 0) &&
			w.dropped == 0,
		    "%d threads: out of memory", threads);
		ok(cscg_parallel_for(&bare, 7, threads, NULL) == 0 &&
			all_once(&w, 7) &&
			cscg_parallel_for(&bare, 0, threads, NULL) == 0,
		    "nothing to make, nothing to fail");
	}
	return done();
}
