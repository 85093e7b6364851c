/*
 * bind_bench.c - EM on E, timed
 *
 *	bind_bench MODEL WALK ITERATIONS CHECK
 *
 * Binds the model, clones free, to the walk from emissions that are 1 to 2
 * by a rule that numba_cscg.py has as well.  Prints the best and the mean CPU
 * seconds of an iteration and the log-likelihood after CHECK - 1 updates.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "schema/bind.h"
#include "kernel/cpu.h"
#include "core/model_io.h"
#include "core/walk_io.h"

struct clock {
	double last, best, sum, loglik;
	long n, check;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From one E-step to the next is one iteration. */
static int
on_line(void *ctx, const struct cscg_em_progress *line)
{
	struct clock *c = ctx;
	double t = now();

	if (line->iteration > 0) {
		c->best = fmin(c->best, t - c->last);
		c->sum += t - c->last;
		c->n++;
	}
	if (line->iteration == c->check - 1)
		c->loglik = line->loglik;
	c->last = t;
	return 0;
}

/* Rows that sum to one. */
static double *
first_looks(int n_states, int n_obs)
{
	double *E = malloc((size_t)n_states * (size_t)n_obs * sizeof *E), sum;
	uint64_t i = 0;
	int j, x;

	for (j = 0; j < n_states && E; j++) {
		double *row = E + (size_t)j * (size_t)n_obs;

		for (sum = 0, x = 0; x < n_obs; x++, i++) {
			row[x] = 1 +
			    (double)(i * 2654435761u % 4294967296u) /
				4294967296.0;
			sum += row[x];
		}
		for (x = 0; x < n_obs; x++)
			row[x] /= sum;
	}
	return E;
}

static int
run(char *model, char *walk, struct cscg_bind *set, struct cscg_err *err)
{
	struct cscg_model *m = cscg_model_read_file(model, err);
	struct cscg_walk *w = m ? cscg_walk_read(&walk, 1, err) : NULL;
	struct cscg_em_progress last;
	double *E = NULL, *pi = NULL;
	int rc = -1, j;

	if (!w)
		goto out;
	E = first_looks(m->n_states, w->head.n_obs);
	pi = malloc((size_t)m->n_states * sizeof *pi);
	for (j = 0; j < m->n_states && pi; j++)
		pi[j] = 1.0 / m->n_states;
	if (E && pi)
		rc = cscg_bind(m, w, set, E, pi, &last, err);
out:
	free(pi);
	free(E);
	cscg_walk_free(w);
	cscg_model_free(m);
	return rc;
}

int
main(int argc, char **argv)
{
	struct clock clock = { .best = INFINITY };
	struct cscg_bind set = {
		.pseudocount = 1e-7, .report = on_line, .ctx = &clock
	};
	struct cscg_err err = { 0 };

	if (argc != 5 || (set.iterations = atol(argv[3])) < 1 ||
	    (clock.check = atol(argv[4])) < 1) {
		fprintf(stderr,
		    "usage: bind_bench MODEL WALK ITERATIONS CHECK\n");
		return 2;
	}
	if (cscg_cpu_choose_simd("auto", &set.simd, &err) < 0 ||
	    run(argv[1], argv[2], &set, &err) < 0) {
		fprintf(stderr, "bind_bench: %s\n", err.msg);
		return 3;
	}
	printf("%.6f %.6f %.9g\n", clock.best,
	    clock.sum / (double)(clock.n ? clock.n : 1), clock.loglik);
	return 0;
}
