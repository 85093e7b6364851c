/*
 * learn_and_score.c - learn a model from one walk, score it on another
 *
 *     cc learn_and_score.c $(pkg-config --cflags --libs cscg) -o learn_and_score
 *     ./learn_and_score train.gz test.gz model.gz
 *
 * Learns as cscg-learn does with its defaults, writes the model, and prints the
 * number of states, the negative log-likelihood per step of both walks as
 * cscg-score does, and how often the last state of the test walk is visited in
 * its most likely state sequence.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cscg.h>

/* Print a line of results; 0, or -1 with err filled. */
static int
score(const struct cscg_model *m, const struct cscg_walk *walk,
    const char *name, struct cscg_err *err)
{
	struct cscg_walk_arrays w;
	double loglik;

	cscg_walk_get_arrays(walk, &w);
	if (w.n_steps == 0) {
		err->code = CSCG_ERANGE;
		snprintf(err->msg, sizeof err->msg, "the %s walk has no steps",
		    name);
		return -1;
	}
	if (cscg_model_loglik(m, walk, &loglik, NULL, err) < 0)
		return -1;
	printf("%s: %ld steps, %.6f nats per step\n", name, w.n_steps,
	    -loglik / (double)w.n_steps);
	return 0;
}

/* The most likely last state, and how often the walk is there. */
static int
decode(const struct cscg_model *m, const struct cscg_walk *walk,
    struct cscg_err *err)
{
	struct cscg_walk_arrays w;
	long t, n = 0;
	double logp;
	int *state;

	cscg_walk_get_arrays(walk, &w);
	state = malloc((size_t)w.n_steps * sizeof *state);
	if (!state) {
		err->code = CSCG_ENOMEM;
		snprintf(err->msg, sizeof err->msg, "out of memory");
		return -1;
	}
	if (cscg_model_viterbi(m, walk, state, &logp, err) < 0) {
		free(state);
		return -1;
	}
	for (t = 0; t < w.n_steps; t++)
		n += state[t] == state[w.n_steps - 1];
	printf("last state: %d, visited %ld times\n", state[w.n_steps - 1], n);
	free(state);
	return 0;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { .code = CSCG_OK };
	struct cscg_walk *train = NULL, *test = NULL;
	struct cscg_model *m = NULL;
	int rc = -1;

	if (argc != 4) {
		fprintf(stderr, "usage: %s TRAIN TEST MODEL\n", argv[0]);
		return 2;
	}
	train = cscg_walk_read_file(argv[1], &err);
	if (train)
		test = cscg_walk_read_file(argv[2], &err);
	if (test)
		m = cscg_model_learn(train, NULL, NULL, &err);
	if (m) {
		printf("%d states\n", cscg_model_n_states(m));
		if (score(m, train, "training", &err) == 0 &&
		    score(m, test, "test", &err) == 0 &&
		    decode(m, test, &err) == 0)
			rc = cscg_model_write_file(m, argv[3], &err);
	}
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
	cscg_model_free(m);
	cscg_walk_free(test);
	cscg_walk_free(train);
	return cscg_err_status(err.code);
}
