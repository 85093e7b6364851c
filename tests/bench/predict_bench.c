/*
 * predict_bench.c - predictions a second, through the library
 *
 *	predict_bench MODEL WALK [TRIES]
 *
 * Predicts the next symbol after each step of the walk and then observes it,
 * with the predictor of cscg.h, and prints the predictions per CPU
 * second, the best of TRIES.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cscg.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	const struct cscg_model *models[1];
	struct cscg_walk_arrays w;
	struct cscg_model *m = NULL;
	struct cscg_walk *walk = NULL;
	struct cscg_predictor *p = NULL;
	double *prob = NULL, start, best = INFINITY, sum = 0, nats;
	int i, tries = argc > 3 ? atoi(argv[3]) : 3, a, rc = 1;
	long t;

	if (argc < 3) {
		fprintf(stderr, "usage: predict_bench MODEL WALK [TRIES]\n");
		return 2;
	}
	m = cscg_model_read_file(argv[1], &err);
	walk = m ? cscg_walk_read_file(argv[2], &err) : NULL;
	models[0] = m;
	p = walk ? cscg_predictor_new(models, 1, NULL, &err) : NULL;
	if (!p)
		goto out;
	prob = calloc((size_t)cscg_predictor_alphabet(p).n_symbols + 1,
	    sizeof *prob);
	cscg_walk_get_arrays(walk, &w);
	for (i = 0; i < tries && prob; i++) {
		cscg_predictor_begin(p);
		start = now();
		for (t = 0; t < w.n_steps; t++) {
			a = t ? w.a[t - 1] : -1;
			if (cscg_predictor_next(p, a, prob, &err) < 0 ||
			    cscg_predictor_observe(p, a, w.x[t], &nats, &err) <
				0)
				goto out;
			sum += nats;
		}
		best = fmin(best, now() - start);
	}
	printf("%.0f\t%.6f\n", (double)w.n_steps / best,
	    sum / (double)w.n_steps / tries);
	rc = 0;
out:
	if (rc)
		fprintf(stderr, "predict_bench: %s\n", err.msg);
	free(prob);
	cscg_predictor_free(p);
	cscg_walk_free(walk);
	cscg_model_free(m);
	return rc;
}
