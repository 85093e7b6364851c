/*
 * track_stream.c - track the state of an agent while its steps arrive
 *
 *     cc track_stream.c $(pkg-config --cflags --libs cscg) -o track_stream
 *     roomwalk -f room.gz | ./track_stream model.gz
 *
 * Reads a walk, cscg-walk(5), line by line from standard input and prints after
 * each step: its number, the most likely state, the probability of this state,
 * and the log-likelihood of all observations.  The model is grounded (exact
 * filter, as cscg-score) or a schema with clone structure (belief over
 * bindings, as cscg-match --method track).
 */
#include <stdio.h>
#include <stdlib.h>

#include <cscg.h>

/* Each line is flushed: the next step may be far away. */
static void
print_belief(const struct cscg_tracker *tracker, long t, double *belief)
{
	int state = cscg_tracker_state(tracker);

	cscg_tracker_get_belief(tracker, belief);
	printf("%ld\t%d\t%.6f\t%.6f\n", t, state,
	    state < 0 ? 0.0 : belief[state], cscg_tracker_loglik(tracker));
	fflush(stdout);
}

/* 0 at the end of the stream, -1 with err filled. */
static int
track(struct cscg_tracker *tracker, struct cscg_walk_reader *reader,
    double *belief, struct cscg_err *err)
{
	struct cscg_step step;
	int a = -1, rc;
	long t = 0;

	while ((rc = cscg_walk_reader_next(reader, &step, err)) > 0) {
		/* An episode that begins relocates the agent: a is -1. */
		if (cscg_tracker_observe(tracker, step.reset ? -1 : a, step.x,
			err) < 0)
			return -1;
		print_belief(tracker, t++, belief);
		a = step.a;
	}
	return rc;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { .code = CSCG_OK };
	struct cscg_model *m = NULL;
	struct cscg_walk_reader *reader = NULL;
	struct cscg_tracker *tracker = NULL;
	struct cscg_alphabet alphabet;
	double *belief = NULL;
	int rc = -1;

	if (argc != 2) {
		fprintf(stderr, "usage: %s MODEL <WALK\n", argv[0]);
		return 2;
	}
	m = cscg_model_read_file(argv[1], &err);
	if (m)
		reader = cscg_walk_reader_open("-", &err);
	if (reader) {
		alphabet = cscg_walk_reader_alphabet(reader);
		tracker = cscg_tracker_new(m, &alphabet, NULL, &err);
	}
	if (tracker) {
		belief = calloc((size_t)cscg_model_n_states(m),
		    sizeof *belief);
		if (!belief) {
			err.code = CSCG_ENOMEM;
			snprintf(err.msg, sizeof err.msg, "out of memory");
		}
	}
	if (belief)
		rc = track(tracker, reader, belief, &err);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
	free(belief);
	cscg_tracker_free(tracker);
	cscg_walk_reader_close(reader);
	cscg_model_free(m);
	return cscg_err_status(err.code);
}
