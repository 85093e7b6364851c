/*
 * env_bench.c - steps per second of an environment through pipes
 *
 *	env_bench STEPS COMMAND...   take STEPS random actions in COMMAND and
 *	                             print steps, seconds and steps per second
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/poll.h"
#include "plan/env.h"
#include "io/stream.h"
#include "base/rng.h"

/*
 * Act until this number of actions or the end of the environment; returns the
 * number of actions.
 */
static long
walk(struct cscg_env *env, long steps, struct cscg_err *err)
{
	const struct cscg_env_header *head = cscg_env_header(env);
	struct cscg_env_obs obs;
	struct cscg_rng rng;
	long t = 0;
	int rc;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	while (t < steps && (rc = cscg_env_observe(env, &obs, err)) != 0) {
		if (rc > 0 && !obs.done) {
			rc = cscg_env_act(env,
			    (int)cscg_rng_below(&rng, head->head.n_actions),
			    err);
			t++;
		}
		if (rc < 0)
			return -1;
	}
	return t;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	struct cscg_env *env;
	long steps;
	double began;

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	env = cscg_env_start(argv + 2, 10, &err);
	if (!env)
		goto fail;
	began = cscg_clock();
	steps = walk(env, atol(argv[1]), &err);
	began = cscg_clock() - began;
	if (cscg_env_stop(env, &err) < 0 || steps < 0)
		goto fail;
	printf("%ld\t%.3f\t%.0f\n", steps, began, (double)steps / began);
	return 0;
fail:
	fprintf(stderr, "env_bench: %s\n", err.msg);
	return 1;
}
