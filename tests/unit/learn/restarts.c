/*
 * Restarts: the best start, the first of equals, the error of the first start
 * that fails, with any number of threads; starts in order; results of other
 * processes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/restarts.h"
#include "need.h"
#include "tap.h"

enum { N = 24 };

/* Values of the starts; a kept result is the number of its start. */
struct values {
	double value[N];
	int fails[N];        /* run() */
	int finish_fails[N]; /* finish() */
	int delay;           /* starts take longer the earlier they are */
	int last;            /* finish() ends the search here; -1: nowhere */
	long kept, n_better;
	long order[N], n_finished;
	int overlaps, n_inside; /* of finish() */
	int n_states;           /* made and not freed; atomic */
};

static struct values *now; /* for state_clear() */

static int
run(void *ctx, long i, void *state, double *value, struct cscg_err *e)
{
	struct values *v = ctx;

	if (v->delay)
		usleep((useconds_t)(N - i) * 50);
	if (v->fails[i])
		return cscg_fail(e, CSCG_EIO, "start %ld", i);
	*(long *)state = i;
	*value = v->value[i];
	return 0;
}

static int
finish(void *ctx, long i, void *state, bool better, struct cscg_err *e)
{
	struct values *v = ctx;

	v->overlaps += v->n_inside++;
	v->overlaps += *(long *)state != i;
	if (v->delay)
		usleep(200);
	v->order[v->n_finished++] = i;
	v->n_better += better;
	if (better)
		v->kept = *(long *)state;
	v->n_inside--;
	if (v->finish_fails[i])
		return cscg_fail(e, CSCG_EIO, "finish %ld", i);
	return i == v->last;
}

static int
state_init(void *ctx, void *state, struct cscg_err *e)
{
	(void)e;
	__atomic_fetch_add(&((struct values *)ctx)->n_states, 1,
	    __ATOMIC_RELAXED);
	return *(long *)state ? -1 : 0;
}

static void
state_clear(void *state)
{
	(void)state;
	__atomic_fetch_sub(&now->n_states, 1, __ATOMIC_RELAXED);
}

static struct cscg_restarts
restarts_of(struct values *v)
{
	struct cscg_restarts r = { .run = run,
		.finish = finish,
		.state_size = sizeof(long),
		.state_init = state_init,
		.state_clear = state_clear,
		.ctx = v };

	now = v;
	return r;
}

static struct values
values(void)
{
	struct values v = { .kept = -1, .last = -1 };
	int i;

	for (i = 0; i < N; i++)
		v.value[i] = -100 + (i * 7 % 11); /* the highest: 3, 14 */
	return v;
}

static const int threads[] = { 1, 2, 3, 7 };

/* ---- the best ---- */

static void
test_best(int in_order, int delay)
{
	int bad_best = 0, bad_kept = 0, bad_state = 0, bad_order = 0, i;
	size_t t;

	for (t = 0; t < sizeof threads / sizeof *threads; t++) {
		struct values v = values();
		struct cscg_restarts r = restarts_of(&v);

		v.delay = delay;
		r.in_order = in_order;
		bad_best += cscg_restarts_run(&r, NULL, N, threads[t], &err) !=
			0 ||
		    !r.is_found || r.best != 3 || r.value != -90;
		bad_kept += v.kept != 3 || v.n_finished != N || v.overlaps;
		bad_state += v.n_states != 0;
		for (i = 0; in_order && i < N; i++)
			bad_order += v.order[i] != i;
	}
	ok(!bad_best, "the best start is the first of equal ones");
	ok(!bad_kept,
	    "the result of the best start is kept; all starts finish, one at "
	    "a time");
	ok(!bad_state, "the states of threads are freed");
	ok(!bad_order, "with in_order starts finish in order");
}

static void
test_values(void)
{
	struct values v = values(), none = values();
	struct cscg_restarts r = restarts_of(&v);
	int i;

	for (i = 0; i < N; i++)
		v.value[i] = i == 1 ? NAN : -INFINITY;
	ok(cscg_restarts_run(&r, NULL, N, 1, &err) == 0 && r.best == 0 &&
		v.n_better == 1,
	    "-INFINITY is a valid value");
	r = restarts_of(&v);
	v.value[0] = NAN;
	v.value[5] = -1e300;
	ok(cscg_restarts_run(&r, NULL, N, 1, &err) == 0 && r.best == 5 &&
		v.kept == 5,
	    "NaN counts as -INFINITY");
	r = restarts_of(&none);
	ok(cscg_restarts_run(&r, NULL, 0, 3, &err) == 0 && !r.is_found,
	    "without starts there is no best");
}

/* ---- some starts, and results of other processes ---- */

static void
test_some(void)
{
	static const long some[] = { 14, 20, 2 }, more[] = { 3, 1 };
	struct values v = values();
	struct cscg_restarts r = restarts_of(&v);
	long state = 23;

	ok(cscg_restarts_run(&r, some, 3, 2, &err) == 0 && r.best == 14 &&
		r.value == -90 && v.n_finished == 3,
	    "starts can be given by number");
	ok(cscg_restarts_run(&r, more, 2, 2, &err) == 0 && r.best == 3 &&
		v.kept == 3 && v.n_finished == 5,
	    "a second call continues; of equal starts the first by number is "
	    "the best");
	ok(cscg_restarts_add(&r, 23, -90, &state, &err) == 0 && r.best == 3 &&
		v.kept == 3,
	    "an added result that is not better is not kept");
	ok(cscg_restarts_add(&r, 23, -89, &state, &err) == 0 && r.best == 23 &&
		r.value == -89 && v.kept == 23,
	    "an added result that is better is kept");
}

/* ---- failures ---- */

static void
test_failures(int in_order)
{
	struct values last = values();
	struct cscg_restarts r;
	int bad_run = 0, bad_finish = 0, bad_state = 0;
	size_t t;

	for (t = 0; t < sizeof threads / sizeof *threads; t++) {
		struct values v = values(), f = values();

		r = restarts_of(&v);
		v.delay = 1;
		v.fails[6] = v.fails[5] = v.fails[11] = 1;
		r.in_order = in_order;
		bad_run += cscg_restarts_run(&r, NULL, N, threads[t], &err) !=
			-1 ||
		    strcmp(err.msg, "start 5");
		bad_state += v.n_states != 0;
		r = restarts_of(&f);
		f.delay = 1;
		f.finish_fails[6] = f.finish_fails[5] = 1;
		r.in_order = in_order;
		bad_finish += cscg_restarts_run(&r, NULL, N, threads[t],
				  &err) != -1 ||
		    strcmp(err.msg, "finish 5");
	}
	ok(!bad_run, "the error is that of the first failing start");
	ok(!bad_finish, "the error of finishing a start is returned");
	ok(!bad_state, "states are freed after an error");
	last.finish_fails[3] = 1;
	r = restarts_of(&last);
	r.in_order = in_order;
	ok(cscg_restarts_run(&r, NULL, N, 1, &err) < 0 && r.best == 1,
	    "a start that cannot be finished is not the best");
}

static void
test_stop(void)
{
	int bad = 0, bad_error = 0;
	size_t t;

	for (t = 0; t < sizeof threads / sizeof *threads; t++) {
		struct values v = values(), f = values();
		struct cscg_restarts r = restarts_of(&v);

		r.in_order = true;
		v.last = 2;
		v.fails[3] = 1;
		bad += cscg_restarts_run(&r, NULL, N, threads[t], &err) != 0 ||
		    r.best != 1 || v.kept != 1 || v.n_finished != 3;
		r = restarts_of(&f);
		r.in_order = true;
		f.last = 2;
		f.fails[1] = 1;
		bad_error += cscg_restarts_run(&r, NULL, N, threads[t],
				 &err) != -1 ||
		    strcmp(err.msg, "start 1") || f.n_finished != 1;
	}
	ok(!bad,
	    "starts after the last one needed, and their errors, are ignored");
	ok(!bad_error, "errors of earlier starts are not ignored");
}

/* ---- log ---- */

static void
test_log(void)
{
	struct cscg_em_log log = { 0 };
	struct cscg_em_progress line = { 0, -1, -2, INFINITY };
	int bad = 0, i;

	for (i = 0; i < 100; i++) {
		line.iteration = i;
		bad += cscg_em_log_add(&log, i % 2 ? "odd" : "even", &line);
	}
	for (i = 0; i < 100; i++)
		bad += log.lines[i].progress.iteration != i ||
		    log.lines[i].progress.objective != -2 ||
		    strcmp(log.lines[i].stage, i % 2 ? "odd" : "even");
	ok(!bad && log.n == 100, "a log keeps lines in order");
	cscg_em_log_free(&log);
	ok(!log.lines && !log.n, "a freed log is empty");
}

int
main(void)
{
	test_best(0, 0);
	test_best(0, 1);
	test_best(1, 0);
	test_best(1, 1);
	test_values();
	test_some();
	test_failures(0);
	test_failures(1);
	test_stop();
	test_log();
	return done();
}
