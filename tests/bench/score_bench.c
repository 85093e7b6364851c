/*
 * score_bench.c - likelihood and Viterbi path of a walk, timed without files
 *
 *	score_bench MODEL WALK ISA TRIES
 *
 * Prints name, tab, value: score and viterbi, the best CPU seconds of
 * TRIES passes over the walk, each with T as new; read, the seconds to read the
 * model; loglik and path, the log probabilities.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "core/model_io.h"
#include "core/walk_io.h"
#include "kernel/cpu.h"
#include "kernel/decoder.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One pass, including the construction of T; returns the seconds, -1 with err filled. */
static double
one(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_simd *simd, int *states, double *log,
    struct cscg_err *err)
{
	double start = now();
	int rc;

	if (states)
		rc = cscg_decode_viterbi(m, w, &cscg_plain_float, simd, states,
		    log, err);
	else
		rc = cscg_decode_loglik(m, w, &cscg_plain_float, simd, log,
		    err);
	return rc < 0 ? -1 : now() - start;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	const struct cscg_simd *simd = NULL;
	struct cscg_model *m = NULL;
	struct cscg_walk *w = NULL;
	double best[2] = { INFINITY, INFINITY }, log[2], read = now(), t;
	int *states = NULL, i, k, rc = 1;

	if (argc != 5) {
		fprintf(stderr, "usage: score_bench MODEL WALK ISA TRIES\n");
		return 2;
	}
	m = cscg_model_read_file(argv[1], &err);
	read = now() - read;
	w = m ? cscg_walk_read(argv + 2, 1, &err) : NULL;
	if (!w || cscg_alphabet_map_walk(w, m, &err) < 0 ||
	    cscg_cpu_choose_simd(argv[3], &simd, &err) < 0)
		goto out;
	states = cscg_alloc((size_t)w->n_steps, sizeof *states, &err);
	for (i = 0; states && i < atoi(argv[4]); i++)
		for (k = 0; k < 2; k++) {
			t = one(m, w, simd, k ? states : NULL, &log[k], &err);
			if (t < 0)
				goto out;
			best[k] = fmin(best[k], t);
		}
	if (!states)
		goto out;
	printf("score\t%.6f\nviterbi\t%.6f\nread\t%.6f\n", best[0], best[1],
	    read);
	printf("loglik\t%.9g\npath\t%.9g\n", log[0], log[1]);
	rc = 0;
out:
	if (rc)
		fprintf(stderr, "score_bench: %s\n", err.msg);
	free(states);
	cscg_walk_free(w);
	cscg_model_free(m);
	return rc;
}
