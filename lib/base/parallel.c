/*
 * parallel.c - parallel for loop over threads, with a result that does not
 * depend on their number; one thread that processes a queue in order
 *
 * Iterations are taken from a shared counter, so that a thread with short ones
 * does more of them.
 *
 * OpenMP ends the process if it cannot create its threads or runs out of
 * memory.  So this module requests at most as many threads as it has just
 * created and joined itself, and always the same number: OpenMP then keeps the
 * threads and allocates nothing in later loops.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/parallel.h"

/* Per calling thread: OpenMP has a team for each of them. */
static _Thread_local struct {
	bool is_shared; /* this thread runs iterations of a parallel loop */
	bool is_reported;
	int wanted; /* threads requested last, ... */
	int team;   /* ... and the size of OpenMP's team for them */
	void (*report)(int wanted, int got);
} self;

/* A loop on several threads. */
struct loop {
	const struct cscg_parallel *each;
	long n, next;         /* next: atomic */
	bool is_stopped;      /* atomic */
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t turn_ended;
	long turn;   /* in_order has run for all smaller iterations */
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

/* Wait until in_order of iteration i - 1 has run, then run that of i. */
static void
take_turn(struct loop *t, long i, void *state, int rc,
    const struct cscg_err *err)
{
	pthread_mutex_lock(&t->lock);
	while (t->turn < i)
		pthread_cond_wait(&t->turn_ended, &t->lock);
	pthread_mutex_unlock(&t->lock);
	/* Only an earlier iteration can have stopped the loop. */
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

/* The iterations of one thread, with its private state. */
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
	self.is_shared = true;
	run_iterations(t, state);
	self.is_shared = false;
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
	/* Not zeroed: the array is long, and a loop may be short. */
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

/* ---- how many threads can be created ---- */

#ifdef _OPENMP

/* Address space that malloc takes for a thread (glibc: HEAP_MAX_SIZE). */
static const double HEAP = sizeof(long) > 4 ? 64 << 20 : 1 << 20;

struct probe {
	pthread_t thread;
	pid_t tid;
	pthread_mutex_t *gate;
};

/* The test threads exist until all have been created. */
static void *
wait_at_gate(void *ctx)
{
	struct probe *p = ctx;

	p->tid = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(p->gate);
	pthread_mutex_unlock(p->gate);
	return NULL;
}

/* A thread that was joined counts as a process until the kernel releases it. */
static void
wait_until_released(pid_t tid)
{
	int i;

	for (i = 0; i < 2000 && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
	     i++) {
		if (i < 1000)
			sched_yield();
		else
			usleep(100);
	}
}

/* Stack of a thread of OpenMP: "size", "sizeB", K, M, G; 0: not set. */
static double
stack_variable(const char *name, double unit)
{
	const char *s = getenv(name);
	char *end;
	double v;

	if (!s)
		return 0;
	v = strtod(s, &end);
	while (*end == ' ')
		end++;
	switch (*end) {
	case 'b':
	case 'B':
		unit = 1;
		break;
	case 'k':
	case 'K':
		unit = 1 << 10;
		break;
	case 'm':
	case 'M':
		unit = 1 << 20;
		break;
	case 'g':
	case 'G':
		unit = 1 << 30;
		break;
	}
	return v > 0 ? v * unit : 0;
}

static void
set_stack(pthread_attr_t *attr)
{
	double v = stack_variable("OMP_STACKSIZE", 1 << 10);

	if (!(v > 0))
		v = stack_variable("GOMP_STACKSIZE", 1 << 10);
	if (!(v > 0))
		v = stack_variable("KMP_STACKSIZE", 1);
	/*
	 * OpenMP ignores a value that it cannot parse; so does this function.
	 */
	if (v > 0 && v < (double)LONG_MAX)
		pthread_attr_setstacksize(attr, (size_t)v);
}

/*
 * How many of n threads, each of `each` bytes, fit into half of the remaining
 * limit.
 */
static int
fit_limit(int resource, double used, double each, int n)
{
	struct rlimit limit;
	double most;

	if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return n;
	most = ((double)limit.rlim_cur - used) / 2 / each;
	return most < 1 ? 0 : most < n ? (int)most : n;
}

static int
fit_memory(const pthread_attr_t *attr, int n)
{
	double size = 0, data = 0, page = (double)sysconf(_SC_PAGESIZE);
	FILE *f = fopen("/proc/self/statm", "r");
	size_t stack = 0;

	if (f) {
		if (fscanf(f, "%lf %*s %*s %*s %*s %lf", &size, &data) < 2)
			size = data = 0;
		fclose(f);
	}
	pthread_attr_getstacksize(attr, &stack);
	n = fit_limit(RLIMIT_AS, size * page, (double)stack + HEAP, n);
	return fit_limit(RLIMIT_DATA, data * page, (double)stack, n);
}

/* How many of n threads can be created beside the existing ones. */
static int
count_creatable(int n)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	struct probe *p = NULL;
	pthread_attr_t attr;
	int made = 0, i;

	if (pthread_attr_init(&attr))
		return 0;
	set_stack(&attr);
	n = fit_memory(&attr, n);
	if (n > 0)
		p = calloc((size_t)n, sizeof *p);
	pthread_mutex_lock(&gate);
	for (; p && made < n; made++) {
		p[made].gate = &gate;
		if (pthread_create(&p[made].thread, &attr, wait_at_gate,
			&p[made]))
			break;
	}
	pthread_mutex_unlock(&gate);
	for (i = 0; i < made; i++)
		pthread_join(p[i].thread, NULL);
	for (i = 0; i < made; i++)
		wait_until_released(p[i].tid);
	pthread_attr_destroy(&attr);
	free(p);
	return made;
}

/* Let OpenMP create its threads now, while they are known to be possible. */
static int
start_team(int threads)
{
	int team = 1;

#pragma omp parallel num_threads(threads)
	if (omp_get_thread_num() == 0)
		team = omp_get_num_threads();
	return team;
}

/* The number of threads for a loop that requests `threads`. */
static int
team_of(int threads)
{
	int team = threads, now = self.team > 1 ? self.team : 1;

	if (self.is_shared)
		return 1;
	if (threads == self.wanted)
		return self.team;
	if (threads > now)
		team = now + count_creatable(threads - now);
	if (team > 1)
		team = start_team(team);
	self.wanted = threads;
	self.team = team;
	if (team < threads && self.report && !self.is_reported) {
		self.is_reported = true;
		self.report(threads, team);
	}
	return team;
}

#else

static int
team_of(int threads)
{
	(void)threads;
	return 1;
}

#endif

void
cscg_parallel_on_shortage(void (*report)(int wanted, int got))
{
	self.report = report;
}

int
cscg_parallel_for(const struct cscg_parallel *each, long n, int threads,
    struct cscg_err *err)
{
	if (threads > 1 && n > 1)
		threads = team_of(threads);
	if (threads > 1 && n > 1)
		return run_shared(each, n, threads, err);
	return run_alone(each, n, err);
}

/* ---- one thread that processes a queue ---- */

enum { WORKER_STACK = 1 << 18 };

struct cscg_worker {
	int (*work)(void *ctx, long i);
	void *ctx;
	long depth;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t changed;
	long pushed, done; /* items */
	bool is_ended;     /* set by the caller, or because work has failed */
	bool has_failed;
};

/* Wait for item i: false if no further item will come. */
static bool
await_item(struct cscg_worker *w, long i)
{
	while (w->pushed == i && !w->is_ended)
		pthread_cond_wait(&w->changed, &w->lock);
	return !w->is_ended;
}

static void *
run_worker(void *ctx)
{
	struct cscg_worker *w = ctx;
	int rc;

	pthread_mutex_lock(&w->lock);
	while (await_item(w, w->done)) {
		pthread_mutex_unlock(&w->lock);
		rc = w->work(w->ctx, w->done);
		pthread_mutex_lock(&w->lock);
		w->done++;
		if (rc < 0)
			w->has_failed = w->is_ended = true;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* All signals are blocked in the thread, so that the caller receives them. */
static int
start_worker(struct cscg_worker *w)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int rc;

	if (pthread_attr_init(&attr))
		return -1;
	sigfillset(&all);
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, &attr, run_worker, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc ? -1 : 0;
}

struct cscg_worker *
cscg_worker_new(int (*work)(void *ctx, long i), void *ctx, int depth)
{
	struct cscg_worker *w = malloc(sizeof *w);

	if (!w)
		return NULL;
	*w = (struct cscg_worker){ .work = work,
		.ctx = ctx,
		.depth = depth,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };
	if (start_worker(w) == 0)
		return w;
	free(w);
	return NULL;
}

/* Wait until at most `most` items are unprocessed. */
static int
await_done(struct cscg_worker *w, long most)
{
	while (w->pushed - w->done > most && !w->has_failed)
		pthread_cond_wait(&w->changed, &w->lock);
	return w->has_failed ? -1 : 0;
}

int
cscg_worker_push(struct cscg_worker *w)
{
	int rc;

	pthread_mutex_lock(&w->lock);
	w->pushed++;
	pthread_cond_signal(&w->changed);
	rc = await_done(w, w->depth - 1);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int
cscg_worker_wait(struct cscg_worker *w)
{
	int rc;

	pthread_mutex_lock(&w->lock);
	rc = await_done(w, 0);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void
cscg_worker_free(struct cscg_worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_ended = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
