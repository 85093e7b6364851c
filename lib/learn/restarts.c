/* restarts.c - several starts of a search over threads; the best is kept */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "learn/restarts.h"

/* The starts being run. */
struct starts {
	struct cscg_restarts *r;
	const long *which;
	pthread_mutex_t lock; /* of r, if starts finish in any order */
	struct cscg_err *err; /* of finish() in order, ... */
	bool failed;          /* ... if it failed */
};

/* A thread. */
struct runner {
	const struct cscg_restarts *r;
	void *state;
	double value; /* of the start that has just run */
};

static long
start_of(const struct starts *s, long i)
{
	return s->which ? s->which[i] : i;
}

int
cscg_restarts_add(struct cscg_restarts *r, long i, double value, void *state,
    struct cscg_err *err)
{
	bool better;
	int rc;

	if (isnan(value))
		value = -INFINITY;
	better = !r->is_found || value > r->value ||
	    (value == r->value && i < r->best);
	rc = r->finish(r->ctx, i, state, better, err);

	if (rc >= 0 && better) {
		r->is_found = true;
		r->best = i;
		r->value = value;
	}
	return rc;
}

static int
run_one(void *ctx, long i, void *mine, struct cscg_err *err)
{
	struct starts *s = ctx;
	struct runner *runner = mine;
	long start = start_of(s, i);
	int rc = s->r->run(s->r->ctx, start, runner->state, &runner->value,
	    err);

	if (rc < 0 || s->r->in_order)
		return rc;
	pthread_mutex_lock(&s->lock);
	rc = cscg_restarts_add(s->r, start, runner->value, runner->state, err);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static int
finish_in_order(void *ctx, long i, void *mine)
{
	struct starts *s = ctx;
	const struct runner *runner = mine;
	int rc = cscg_restarts_add(s->r, start_of(s, i), runner->value,
	    runner->state, s->err);

	s->failed = rc < 0;
	return rc != 0;
}

static void
runner_free(void *mine)
{
	struct runner *runner = mine;

	if (runner->state && runner->r->state_clear)
		runner->r->state_clear(runner->state);
	free(runner->state);
	free(runner);
}

static void *
runner_new(void *ctx, struct cscg_err *err)
{
	const struct cscg_restarts *r = ((const struct starts *)ctx)->r;
	struct runner *runner = cscg_alloc(1, sizeof *runner, err);

	if (!runner)
		return NULL;
	runner->r = r;
	runner->state = cscg_alloc(1, r->state_size, err);
	if (runner->state &&
	    (!r->state_init || r->state_init(r->ctx, runner->state, err) == 0))
		return runner;
	runner_free(runner);
	return NULL;
}

int
cscg_restarts_run(struct cscg_restarts *r, const long *which, long n,
    int threads, struct cscg_err *err)
{
	struct starts s = { .r = r,
		.which = which,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.err = err };
	const struct cscg_parallel each = { .try_body = run_one,
		.thread_new = runner_new,
		.thread_free = runner_free,
		.ctx = &s,
		.in_order = r->in_order ? finish_in_order : NULL };

	if (cscg_parallel_for(&each, n, threads, err) < 0)
		return -1;
	return s.failed ? -1 : 0;
}

/* ---- reports ---- */

int
cscg_em_log_add(struct cscg_em_log *log, const char *stage,
    const struct cscg_em_progress *line)
{
	if (log->rc == 0)
		log->rc = cscg_grow(&log->lines, &log->cap, log->n + 1,
		    sizeof *log->lines, &log->err);
	if (log->rc == 0)
		log->lines[log->n++] = (struct cscg_em_log_line){ stage,
			*line };
	return log->rc;
}

void
cscg_em_log_free(struct cscg_em_log *log)
{
	free(log->lines);
	*log = (struct cscg_em_log){ 0 };
}
