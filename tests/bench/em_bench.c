/*
 * em_bench.c - EM on T inside one process, timed part by part
 *
 *	em_bench WALK CLONES ISA THREADS ITERATIONS TRIES [io]
 *
 * EM runs TRIES times from the same random counts, so iteration i is the same
 * work each time and its best time is the least disturbed one.  Prints lines
 * of a name, a tab and a number; seconds unless said, of CPU time on one
 * thread:
 *
 *	read	reading the walk
 *	write	taking the counts and writing the model to nowhere (with io)
 *	forward	the forward pass alone, from random counts
 *	set	T from counts, after the last iteration
 *	first	the first iteration of EM, when nothing is thin yet
 *	late	the last one
 *	mean	the mean of all, each at its best
 *	block	bytes of T: blocks that occur
 *	stream	bytes of T that a pass over the walk uses
 *	flop	operations of such a pass (a multiply-add is two)
 *	need	bytes that cscg-learn --structure none -j1 should need for this,
 *		by the rule of cscg-tuning(7) (with io)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "learn/clones.h"
#include "learn/learn.h"
#include "kernel/estep.h"
#include "kernel/cpu.h"
#include "core/model_io.h"
#include "core/walk_io.h"

/* CPU time on one thread, which excludes other jobs. */
static clockid_t which_clock = CLOCK_PROCESS_CPUTIME_ID;

static double
now(void)
{
	struct timespec t;

	clock_gettime(which_clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
say(const char *name, double value)
{
	printf("%s\t%.9g\n", name, value);
}

static struct cscg_walk *
timed_read(char *path, int tries, struct cscg_err *err)
{
	struct cscg_walk *w = NULL;
	double best = INFINITY, t;
	int i;

	for (i = 0; i < tries; i++) {
		cscg_walk_free(w);
		t = now();
		w = cscg_walk_read(&path, 1, err);
		if (!w)
			return NULL;
		best = fmin(best, now() - t);
	}
	say("read", best);
	return w;
}

static int
timed_write(struct cscg_estep *e, struct cscg_model *m, int tries,
    struct cscg_err *err)
{
	double best = INFINITY, t;
	int i;

	for (i = 0; i < tries; i++) {
		struct cscg_out *out;
		int rc;

		t = now();
		/* As cscg-learn --structure none does. */
		if (e->store(e, m, 0, err) < 0)
			return -1;
		out = cscg_out_open("/dev/null", 0, err);
		if (!out)
			return -1;
		rc = cscg_model_write(m, out, err);
		if (cscg_out_close(out, err) < 0 || rc < 0)
			return -1;
		best = fmin(best, now() - t);
	}
	say("write", best);
	return 0;
}

static struct cscg_model *
empty_model(const struct cscg_walk *w, const int *clones, struct cscg_err *err)
{
	struct cscg_model *m;
	int n = 0, x, i, j = 0;

	for (x = 0; x < w->head.n_obs; x++)
		n += clones[x];
	m = cscg_model_new(CSCG_GROUNDED, n, w->head.n_actions, w->head.n_obs,
	    err);
	if (!m)
		return NULL;
	for (x = 0; x < w->head.n_obs; x++)
		for (i = 0; i < clones[x]; i++)
			m->clone[j++] = x;
	m->pseudocount = 2e-3;
	return m;
}

/* The least memory that a pass must read, without padding. */
static int
sizes(const struct cscg_walk *w, const int *clones)
{
	size_t K = (size_t)w->head.n_obs, A = (size_t)w->head.n_actions;
	char *seen = calloc(A * K, K);
	double block = 0, stream = 0, size;
	long t;

	if (!seen)
		return -1;
	for (t = 0; t + 1 < w->n_steps; t++) {
		char *s;

		if (w->a[t] < 0)
			continue;
		s = &seen[((size_t)w->a[t] * K + (size_t)w->x[t]) * K +
		    (size_t)w->x[t + 1]];
		size = 4.0 * clones[w->x[t]] * clones[w->x[t + 1]];
		stream += size;
		block += *s ? 0 : size;
		*s = 1;
	}
	free(seen);
	say("block", block);
	say("stream", stream);
	say("flop", stream / 2);
	return 0;
}

static int
timed_forward(struct cscg_estep *e, int tries, struct cscg_err *err)
{
	double best = INFINITY, loglik, t;
	int i;

	for (i = 0; i < tries; i++) {
		t = now();
		if (e->expect(e, false, &loglik, err) < 0)
			return -1;
		best = fmin(best, now() - t);
	}
	say("forward", best);
	return 0;
}

static void
timed_set(struct cscg_estep *e, double pseudocount, int tries)
{
	double best = INFINITY, t;
	int i;

	for (i = 0; i < tries; i++) {
		t = now();
		e->set(e, pseudocount);
		best = fmin(best, now() - t);
	}
	say("set", best);
}

/* From random counts, the same each time. */
static int
start(struct cscg_estep *e, const struct cscg_model *m, struct cscg_err *err)
{
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 42, CSCG_RNG_INIT, 0, (uint64_t)m->n_states);
	if (e->load(e, m, &rng, err) < 0)
		return -1;
	e->set(e, m->pseudocount);
	return 0;
}

/* n iterations; best[i] becomes the time of the i-th if that is less. */
static int
iterate(struct cscg_estep *e, double pseudocount, double *best, long n,
    struct cscg_err *err)
{
	double loglik, t;
	long i;

	for (i = 0; i < n; i++) {
		t = now();
		if (e->expect(e, true, &loglik, err) < 0)
			return -1;
		e->accept(e);
		e->set(e, pseudocount);
		best[i] = fmin(best[i], now() - t);
	}
	return 0;
}

static int
timed_em(struct cscg_estep *e, const struct cscg_model *m, long n, int tries,
    struct cscg_err *err)
{
	double *best = malloc((size_t)n * sizeof *best), sum = 0;
	long i;
	int rc = best ? 0 : -1;

	for (i = 0; i < n && best; i++)
		best[i] = INFINITY;
	while (rc == 0 && tries-- > 0) {
		rc = start(e, m, err);
		if (rc == 0)
			rc = iterate(e, m->pseudocount, best, n, err);
	}
	for (i = 0; i < n && best; i++)
		sum += best[i];
	if (rc == 0) {
		say("first", best[0]);
		say("late", best[n - 1]);
		say("mean", sum / (double)n);
	}
	free(best);
	return rc;
}

/* n floats as the kernels keep them, or nearly so. */
static double
pad(int n)
{
	return (n + 7) / 8 * 8;
}

/* The rule of cscg-tuning(7). */
static int
need(const struct cscg_walk *w, const int *clones, const struct cscg_model *m)
{
	size_t K = (size_t)w->head.n_obs, A = (size_t)w->head.n_actions;
	double entries = 0, blocks = 0, messages = 0, em, model;
	char *seen = calloc(A * K, K);
	long t;

	if (!seen)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		char *s;

		messages += 8 * pad(clones[w->x[t]]);
		if (w->a[t] < 0)
			continue;
		s = &seen[((size_t)w->a[t] * K + (size_t)w->x[t]) * K +
		    (size_t)w->x[t + 1]];
		if (!*s) {
			blocks++;
			entries += clones[w->x[t]] * pad(clones[w->x[t + 1]]);
		}
		*s = 1;
	}
	free(seen);
	em = 19 * entries + 400 * blocks + messages + 34 * (double)w->n_steps;
	model = (double)m->first[m->n_actions * m->n_states];
	say("need", 3e6 + fmax(em + 84 * model, 132 * model));
	return 0;
}

static int
run(char *path, const char *how, const struct cscg_estep_options *set, long n,
    int tries, bool io, struct cscg_err *err)
{
	struct cscg_walk *w = timed_read(path, tries, err);
	struct cscg_model *m = NULL;
	struct cscg_estep *e = NULL;
	int *clones = NULL, rc = -1;

	if (!w || !(clones = cscg_clones_choose(how, w, err)) ||
	    !(m = empty_model(w, clones, err)) || sizes(w, clones) < 0 ||
	    !(e = cscg_estep_new(m, w, set, err)) || start(e, m, err) < 0 ||
	    timed_forward(e, tries, err) < 0 ||
	    timed_em(e, m, n, tries, err) < 0)
		goto out;
	timed_set(e, m->pseudocount, tries);
	if (io &&
	    (timed_write(e, m, tries < 2 ? tries : 2, err) < 0 ||
		need(w, clones, m) < 0))
		goto out;
	rc = 0;
out:
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_walk_free(w);
	free(clones);
	return rc;
}

int
main(int argc, char **argv)
{
	struct cscg_estep_options set = { 0 };
	struct cscg_err err = { 0 };
	int tries;
	long n;

	if (argc < 7 || argc > 8 || (set.threads = atoi(argv[4])) < 1 ||
	    (n = atol(argv[5])) < 1 || (tries = atoi(argv[6])) < 1) {
		fprintf(stderr,
		    "usage: em_bench WALK CLONES ISA THREADS ITERATIONS TRIES "
		    "[io]\n");
		return 2;
	}
	if (set.threads > 1)
		which_clock = CLOCK_MONOTONIC;
	if (cscg_cpu_choose_simd(argv[3], &set.simd, &err) < 0 ||
	    run(argv[1], argv[2], &set, n, tries, argc == 8, &err) < 0) {
		fprintf(stderr, "em_bench: %s\n", err.msg);
		return 3;
	}
	return 0;
}
