/*
 * em_restarts.c - EM on T from several starts, over threads and ranks, with
 * checkpoints
 *
 * The result of a run is serialised: its progress line, and the counts if they
 * are the best so far.  So it can come from this thread, from another rank, or
 * from a checkpoint of an interrupted job.
 */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "dist/checkpoint.h"
#include "learn/em_restarts.h"
#include "learn/restarts.h"

enum { NAME = 64 }; /* name of a checkpoint entry */

/* A set of starts and the best of them. */
struct starts {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	bool random;
	double floor;
	long step;   /* number of this set of starts within
	                the job */
	int threads; /* within a start */
	struct cscg_restarts restarts;
	struct cscg_em_progress line; /* of the best, ... */
	struct cscg_blob counts;      /* ... and its counts */
	const long *which;            /* [n_which] or NULL: starts whose ... */
	long n_which;
	struct cscg_em_progress *lines; /* ... lines are kept here */
	long updates;                   /* E-steps of all starts */
	pthread_mutex_t report_lock;
	pthread_mutex_t lock; /* of the checkpoint */
};

/* One start; the state of a thread. */
struct em_run {
	struct starts *s;
	long restart;
	struct cscg_estep *estep;
	struct cscg_em_progress line;
	struct cscg_blob counts;
	bool stopped;  /* by the report */
	bool restored; /* from the checkpoint */
};

int
cscg_learn_report_progress(const struct cscg_learn *set,
    const struct cscg_learn_progress *line, struct cscg_learn_progress *last)
{
	int rc = 0;

	if (last)
		*last = *line;
	if (set->report)
		rc = set->report(set->ctx, line);
	return rc;
}

static int
report(struct starts *s, const char *stage, long restart,
    const struct cscg_em_progress *line, struct cscg_learn_progress *last)
{
	struct cscg_learn_progress l = { stage, restart, line->iteration,
		s->m->n_states, line->loglik, line->objective };
	int rc;

	pthread_mutex_lock(&s->report_lock);
	rc = cscg_learn_report_progress(s->set, &l, last);
	pthread_mutex_unlock(&s->report_lock);
	return rc;
}

/*
 * Poll after an E-step: true if EM is to stop.  The first update is always
 * made, since the initial counts may be random.
 */
static bool
must_stop(struct starts *s, const struct cscg_em_progress *line)
{
	const struct cscg_learn *set = s->set;
	char stage[40];
	bool stop;

	snprintf(stage, sizeof stage, "EM, %d states", s->m->n_states);
	pthread_mutex_lock(&s->report_lock);
	stop = cscg_poll(set->poll, stage, (double)s->updates++,
	    (double)set->iterations * (double)(s->random ? set->restarts : 1));
	pthread_mutex_unlock(&s->report_lock);
	return stop && line->iteration > 0;
}

static int
on_progress(void *ctx, const struct cscg_em_progress *line)
{
	struct em_run *run = ctx;

	if (report(run->s, "em", run->restart, line, NULL) == 0 &&
	    !must_stop(run->s, line))
		return 0;
	run->stopped = true;
	return 1;
}

/* ---- checkpoints ---- */

static const char *
name_of(char *buf, const char *what, const struct starts *s, long restart)
{
	snprintf(buf, NAME, "%s %ld.%ld", what, s->step, restart);
	return buf;
}

/* The state of an unfinished run. */
static int
checkpoint_state(struct em_run *run, const struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct cscg_checkpoint *save = run->s->set->save;
	struct cscg_blob b = { 0 };
	char name[NAME];
	int rc = -1;

	cscg_blob_write_long(&b, line->iteration, err);
	cscg_blob_write_double(&b, line->objective, err);
	if (run->estep->save(run->estep, &b, err) == 0 &&
	    cscg_checkpoint_take(save,
		name_of(name, "run", run->s, run->restart), &b, err) == 0)
		rc = cscg_checkpoint_save(save, err);
	cscg_blob_free(&b);
	return rc;
}

static int
on_checkpoint(void *ctx, const struct cscg_em_progress *line,
    struct cscg_err *err)
{
	struct em_run *run = ctx;
	int rc = 0;

	if (!cscg_checkpoint_due(run->s->set->save, line->iteration))
		return 0;
	pthread_mutex_lock(&run->s->lock);
	rc = checkpoint_state(run, line, err);
	pthread_mutex_unlock(&run->s->lock);
	return rc;
}

/* Resume from the checkpointed state, if there is one. */
static int
restore_state(struct em_run *run, struct cscg_em *em, struct cscg_err *err)
{
	struct cscg_blob *b, state = { 0 };
	char name[NAME];
	int rc = 0;

	/* Other threads may add entries and move the memory. */
	pthread_mutex_lock(&run->s->lock);
	b = cscg_checkpoint_get(run->s->set->save,
	    name_of(name, "run", run->s, run->restart));
	if (b)
		cscg_blob_write(&state, b->p, b->n, err);
	pthread_mutex_unlock(&run->s->lock);
	if (!b)
		return 0;
	cscg_blob_read_long(&state, 1, LONG_MAX, &em->resume.iteration, err);
	cscg_blob_read_double(&state, &em->resume.objective, err);
	if (run->estep->restore(run->estep, &state, err) < 0)
		rc = cscg_fail_at(err, "checkpoint: %s", name);
	cscg_blob_free(&state);
	return rc;
}

/* ---- serialisation ---- */

static int
put_line(struct cscg_blob *b, const struct cscg_em_progress *line,
    struct cscg_err *err)
{
	cscg_blob_write_long(b, line->iteration, err);
	cscg_blob_write_double(b, line->loglik, err);
	return cscg_blob_write_double(b, line->objective, err);
}

static int
get_line(struct cscg_blob *b, struct cscg_em_progress *line,
    struct cscg_err *err)
{
	cscg_blob_read_long(b, 0, LONG_MAX, &line->iteration, err);
	cscg_blob_read_double(b, &line->loglik, err);
	return cscg_blob_read_double(b, &line->objective, err);
}

/* The progress line, and then the counts if there are any. */
static int
put_run(struct cscg_blob *b, const struct cscg_em_progress *line,
    const struct cscg_blob *counts, struct cscg_err *err)
{
	put_line(b, line, err);
	return cscg_blob_write(b, counts ? counts->p : NULL,
	    counts ? counts->n : 0, err);
}

/* The counts of an engine, above the floor. */
static int
put_counts(struct em_run *run, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_copy(run->s->m, err);
	int rc = -1;

	if (m && run->estep->store(run->estep, m, run->s->floor, err) == 0)
		rc = cscg_blob_write_counts(&run->counts, m, err);
	cscg_model_free(m);
	return rc;
}

/* ---- one run ---- */

static int
run_em(struct em_run *run, struct cscg_err *err)
{
	struct starts *s = run->s;
	const struct cscg_learn *set = s->set;
	struct cscg_estep_options how = { .simd = set->simd,
		.is_double = set->is_double,
		.learn_pi = set->learn_pi,
		.low_memory = set->low_memory,
		.threads = s->threads,
		.estep_ranks = set->estep_ranks };
	struct cscg_em em = { .iterations = set->iterations,
		.tolerance = set->tolerance,
		.report = on_progress,
		.ctx = run,
		.checkpoint = set->save ? on_checkpoint : NULL };
	struct cscg_rng rng;
	int rc = -1;

	run->estep = cscg_estep_new(s->m, s->w, &how, err);
	if (!run->estep)
		return -1;
	cscg_rng_seed(&rng, set->seed, CSCG_RNG_INIT, (uint64_t)run->restart,
	    (uint64_t)s->m->n_states);
	if (run->estep->load(run->estep, s->m, s->random ? &rng : NULL, err) ==
		0 &&
	    restore_state(run, &em, err) == 0 &&
	    cscg_em_T(run->estep, s->w->n_steps, set->pseudocount, &em,
		&run->line, err) == 0)
		rc = put_counts(run, err);
	cscg_estep_free(run->estep);
	run->estep = NULL;
	return rc;
}

/* ---- the best start ---- */

/* Write the result of a start to the checkpoint, in place of its state. */
static int
checkpoint_result(struct em_run *run, bool better, struct cscg_err *err)
{
	struct starts *s = run->s;
	struct cscg_checkpoint *save = s->set->save;
	bool had_best = better && s->restarts.is_found;
	struct cscg_blob b = { 0 }, old = { 0 };
	char name[NAME];
	int rc = put_run(&b, &run->line, better ? &run->counts : NULL, err);

	if (rc == 0 && had_best)
		rc = put_run(&old, &s->line, NULL, err);
	if (rc == 0)
		rc = cscg_checkpoint_take(save,
		    name_of(name, "done", s, run->restart), &b, err);
	if (rc == 0 && had_best)
		rc = cscg_checkpoint_take(save,
		    name_of(name, "done", s, s->restarts.best), &old, err);
	cscg_checkpoint_drop(save, name_of(name, "run", s, run->restart));
	cscg_blob_free(&b);
	cscg_blob_free(&old);
	return rc;
}

/* A start is done.  Only the counts of the best are kept. */
static int
finish_start(void *ctx, long r, void *state, bool better, struct cscg_err *err)
{
	struct starts *s = ctx;
	struct em_run *run = state;
	int rc = 0;
	long i;

	for (i = 0; i < s->n_which; i++)
		if (s->which[i] == r)
			s->lines[i] = run->line;
	if (s->set->save && !run->restored) {
		pthread_mutex_lock(&s->lock);
		rc = checkpoint_result(run, better, err);
		pthread_mutex_unlock(&s->lock);
	}
	if (better) {
		cscg_blob_free(&s->counts);
		s->counts = run->counts;
		run->counts = (struct cscg_blob){ 0 };
		s->line = run->line;
	}
	return rc;
}

/* Restore a start from the checkpoint: 1, 0 if it is absent, or -1. */
static int
restore_run(struct em_run *run, struct cscg_err *err)
{
	struct starts *s = run->s;
	struct cscg_blob *b;
	char name[NAME];
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	b = cscg_checkpoint_get(s->set->save,
	    name_of(name, "done", s, run->restart));
	if (b &&
	    (get_line(b, &run->line, err) < 0 ||
		cscg_blob_write(&run->counts, b->p + b->at, b->n - b->at,
		    err) < 0))
		rc = cscg_fail_at(err, "checkpoint: %s", name);
	else if (b)
		rc = 1;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static int
run_start(void *ctx, long r, void *state, double *value, struct cscg_err *err)
{
	struct starts *s = ctx;
	struct em_run *run = state;
	bool skip;
	int rc;

	cscg_blob_free(&run->counts);
	*run = (struct em_run){ .s = s, .restart = r };
	/* The first start alone suffices for a valid result. */
	pthread_mutex_lock(&s->report_lock);
	skip = r > 0 && cscg_poll_stopped(s->set->poll);
	pthread_mutex_unlock(&s->report_lock);
	*value = -INFINITY;
	if (skip) {
		cscg_checkpoint_invalidate(s->set->save);
		return 0;
	}
	rc = restore_run(run, err);
	run->restored = rc > 0;
	if (rc == 0)
		rc = run_em(run, err);
	if (run->stopped)
		cscg_checkpoint_invalidate(s->set->save);
	if (rc < 0)
		return -1;
	if (s->random)
		report(s, "restart", r, &run->line, NULL);
	*value = run->line.loglik;
	return 0;
}

static void
clear_run(void *state)
{
	struct em_run *run = state;

	cscg_blob_free(&run->counts);
}

static void
starts_init(struct starts *s)
{
	s->restarts = (struct cscg_restarts){ .run = run_start,
		.finish = finish_start,
		.state_size = sizeof(struct em_run),
		.state_clear = clear_run,
		.ctx = s };
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->report_lock, NULL);
}

static void
starts_free(struct starts *s)
{
	cscg_blob_free(&s->counts);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->report_lock);
}

/* Some starts in parallel; a single start uses all threads. */
static int
run_starts(struct starts *s, const long *which, long n, struct cscg_err *err)
{
	int threads = s->threads, rc;

	if (n > 1)
		s->threads = 1;
	rc = cscg_restarts_run(&s->restarts, which, n, threads, err);
	s->threads = threads;
	return rc;
}

/* ---- distribution over ranks ---- */

/* Starts for a rank, with model and settings. */
static int
put_job(const struct starts *s, const long *which, long n, struct cscg_blob *b,
    struct cscg_err *err)
{
	const struct cscg_learn *set = s->set;
	const long words[] = { set->iterations, set->learn_pi, set->is_double,
		set->low_memory, s->random };

	cscg_blob_write_array(b, which, (size_t)n, sizeof *which, err);
	cscg_blob_write(b, words, sizeof words, err);
	cscg_blob_write(b, &set->seed, sizeof set->seed, err);
	cscg_blob_write_double(b, set->tolerance, err);
	cscg_blob_write_double(b, set->pseudocount, err);
	cscg_blob_write_double(b, s->floor, err);
	return cscg_blob_write_model(b, s->m, err);
}

/* The start numbers, their progress lines, and the counts of the best. */
static int
put_results(const struct starts *s, const long *which, long n,
    struct cscg_blob *to, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = 0;
	long i;

	for (i = 0; i < n && rc == 0; i++) {
		b.n = 0;
		cscg_blob_write_long(&b, which[i], err);
		rc = put_run(&b, &s->lines[i],
		    which[i] == s->restarts.best ? &s->counts : NULL, err);
		if (rc == 0)
			rc = cscg_blob_write_blob(to, &b, err);
	}
	cscg_blob_free(&b);
	return rc;
}

/* The settings of a job, and its model, new. */
static struct cscg_model *
get_job(struct cscg_blob *job, struct cscg_learn *set, struct starts *s,
    struct cscg_err *err)
{
	long words[5];

	cscg_blob_read(job, words, sizeof words, err);
	cscg_blob_read(job, &set->seed, sizeof set->seed, err);
	cscg_blob_read_double(job, &set->tolerance, err);
	cscg_blob_read_double(job, &set->pseudocount, err);
	cscg_blob_read_double(job, &s->floor, err);
	set->iterations = words[0];
	set->learn_pi = words[1];
	set->is_double = words[2];
	set->low_memory = words[3];
	s->random = words[4];
	return cscg_blob_read_model(job, err);
}

int
cscg_em_restarts_job(void *ctx, const struct cscg_walk *w,
    const struct cscg_estep_options *how, struct cscg_blob *job,
    struct cscg_blob *result, struct cscg_err *err)
{
	struct starts *mine = ctx, s = { .w = w, .threads = how->threads };
	struct cscg_learn set = { .simd = how->simd, .threads = how->threads };
	struct cscg_model *m = NULL;
	long *which = NULL, n = -1;
	int rc = -1;

	if (cscg_blob_read_array(job, &which, &n, sizeof *which, err) < 0)
		return -1;
	starts_init(&s);
	if (mine) {
		rc = run_starts(mine, which, n, err);
		goto out;
	}
	m = get_job(job, &set, &s, err);
	s.lines = cscg_alloc((size_t)n, sizeof *s.lines, err);
	if (!m || !s.lines)
		goto out;
	s.m = m;
	s.set = &set;
	s.which = which;
	s.n_which = n;
	if (run_starts(&s, which, n, err) == 0)
		rc = put_results(&s, which, n, result, err);
out:
	starts_free(&s);
	free(s.lines);
	free(which);
	cscg_model_free(m);
	return rc;
}

/* Add the results of a rank. */
static int
add_results(struct starts *s, struct cscg_blob *all, struct cscg_err *err)
{
	struct em_run run = { .s = s };
	struct cscg_blob b = { 0 };
	int rc = 0;

	while (all->at < all->n && rc == 0) {
		cscg_blob_read_blob(all, &b, err);
		cscg_blob_read_long(&b, 0, LONG_MAX, &run.restart, err);
		rc = get_line(&b, &run.line, err);
		if (rc == 0)
			rc = cscg_blob_write(&run.counts, b.p + b.at,
			    b.n - b.at, err);
		if (rc == 0) {
			report(s, "restart", run.restart, &run.line, NULL);
			rc = cscg_restarts_add(&s->restarts, run.restart,
			    run.line.loglik, &run, err);
		}
		cscg_blob_free(&run.counts);
		cscg_blob_free(&b);
	}
	return rc;
}

/* Distribute n starts over at most n ranks, and collect the results. */
static int
distribute_round(struct starts *s, const long *which, long n,
    struct cscg_err *err)
{
	int size = cscg_estep_ranks_size(s->set->estep_ranks), i, rc = 0;
	struct cscg_blob *b = cscg_alloc(2 * (size_t)size, sizeof *b, err);
	struct cscg_estep_options how = { .simd = s->set->simd,
		.threads = s->threads };

	for (i = 0; b && i < size && rc == 0; i++) {
		long from = (n * i + size - 1) / size;
		long to = (n * (i + 1) + size - 1) / size;

		if (to > from)
			rc = put_job(s, which + from, to - from, &b[i], err);
	}
	if (!b || rc < 0)
		rc = -1;
	else
		rc = cscg_estep_ranks_run_jobs(s->set->estep_ranks, &how,
		    cscg_em_restarts_job, s, b, size, b + size, err);
	for (i = 1; b && i < size && rc == 0; i++)
		rc = add_results(s, &b[size + i], err);
	for (i = 0; b && i < 2 * size; i++)
		cscg_blob_free(&b[i]);
	free(b);
	return rc;
}

/*
 * Distribute whole starts over ranks, if the E-step of a run cannot be
 * distributed.  Between two rounds all results can be checkpointed; within a
 * round, only those of this rank.
 */
static int
distribute(struct starts *s, const long *which, long n, struct cscg_err *err)
{
	long each = (long)cscg_estep_ranks_size(s->set->estep_ranks) *
	    (s->threads > 1 ? s->threads : 1),
	     some;
	char name[NAME];

	for (; n > 0; n -= some, which += some) {
		/* Finished starts need no rank. */
		if (cscg_checkpoint_get(s->set->save,
			name_of(name, "done", s, *which))) {
			if (run_starts(s, which, 1, err) < 0)
				return -1;
			some = 1;
			continue;
		}
		some = n < each ? n : each;
		if (distribute_round(s, which, some, err) < 0 ||
		    cscg_checkpoint_save(s->set->save, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- entry points ---- */

static int
run_all(struct starts *s, struct cscg_err *err)
{
	const struct cscg_learn *set = s->set;
	struct cscg_estep_options how = { .simd = set->simd,
		.is_double = set->is_double,
		.estep_ranks = set->estep_ranks };
	long n = s->random ? set->restarts : 1, i;
	long *which = cscg_alloc((size_t)n, sizeof *which, err);
	int rc = 0;

	if (!which)
		return -1;
	for (i = 0; i < n; i++)
		which[i] = i;
	if (cscg_estep_is_shared(s->m, s->w, &how))
		for (i = 0; i < n && rc == 0; i++)
			rc = run_starts(s, which + i, 1, err);
	else if (set->estep_ranks && n > 1)
		rc = distribute(s, which, n, err);
	else
		rc = run_starts(s, which, n, err);
	free(which);
	return rc;
}

int
cscg_em_restarts(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, bool random, double floor,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct starts s = { .m = m,
		.w = w,
		.set = set,
		.random = random,
		.floor = floor,
		.step = cscg_checkpoint_next_id(set->save),
		.threads = set->threads };
	int rc;

	starts_init(&s);
	cscg_checkpoint_hold(set->save, true);
	rc = run_all(&s, err);
	if (rc == 0) {
		report(&s, "best", s.restarts.best, &s.line, last);
		rc = cscg_blob_read_counts(&s.counts, m, err);
	}
	starts_free(&s);
	return rc;
}
