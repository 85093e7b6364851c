/*
 * restarts.h - several starts of a search over threads; the best is kept
 *
 * The best start is that with the highest value, the first of equals, and the
 * error returned is that of the first start that fails: neither depends on the
 * number of threads.  Memory does not grow with the number of starts: a result
 * lives in the state of its thread until finish() keeps or drops it.
 */
#ifndef CSCG_RESTARTS_H
#define CSCG_RESTARTS_H

#include <stdbool.h>

#include "base/error.h"
#include "learn/em.h"

struct cscg_restarts {
	/*
	 * Run start i with the result in state, which belongs to the thread,
	 * and set *value; NaN counts as -INFINITY.  Starts run concurrently.
	 * 0, or -1 with err filled.
	 */
	int (*run)(void *ctx, long i, void *state, double *value,
	    struct cscg_err *err);
	/*
	 * Start i has finished; if better, it is the best so far, and its
	 * result is to be kept.  best and value are those before this start.
	 * Calls do not overlap.  0, or -1 with err filled.
	 */
	int (*finish)(void *ctx, long i, void *state, bool better,
	    struct cscg_err *err);
	/*
	 * The state of a thread has this number of bytes, above 0, all zero before
	 * state_init: 0, or -1 with err filled.  state_clear frees what the
	 * state holds, also if state_init failed.  Both may be NULL.
	 */
	size_t state_size;
	int (*state_init)(void *ctx, void *state, struct cscg_err *err);
	void (*state_clear)(void *state);
	void *ctx;

	/*
	 * finish() is called in the order of starts: a start waits for those
	 * before.  finish() may then return 1: no later start is needed, and
	 * those that have begun are ignored.
	 */
	bool in_order;

	/* The result: */
	bool is_found; /* a start has finished */
	long best;     /* the start ... */
	double value;  /* ... and its value */
};

/*
 * Run n starts, those in which[n] or, if which is NULL, 0..n-1, on at most the
 * given number of threads.  May be called several times; best is that of all
 * calls.  0, or -1 with err filled.
 */
int cscg_restarts_run(struct cscg_restarts *r, const long *which, long n,
    int threads, struct cscg_err *err);

/*
 * Add start i, which was run by another process, with this value; calls
 * finish().  Returns what finish() does.
 */
int cscg_restarts_add(struct cscg_restarts *r, long i, double value,
    void *state, struct cscg_err *err);

/*
 * Progress lines of a start, to be reported later in the order of starts.  An
 * all-zero struct is empty.
 */
struct cscg_em_log {
	struct cscg_em_log_line {
		const char *stage; /* borrowed */
		struct cscg_em_progress progress;
	} * lines;
	size_t n, cap;
	struct cscg_err err; /* if a line could not be added */
	int rc;
};

/* 0, or -1 if out of memory, also at an earlier call: see rc and err. */
int cscg_em_log_add(struct cscg_em_log *log, const char *stage,
    const struct cscg_em_progress *line);
void cscg_em_log_free(struct cscg_em_log *log);

#endif
