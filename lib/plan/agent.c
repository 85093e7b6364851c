/* agent.c - act in a live world, turn by turn */
#include <math.h>

#include "plan/agent.h"

/* Play one episode whose first observation is in turn. */
static int
run_episode(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, struct cscg_agent_step *step,
    struct cscg_agent_episode *episode, struct cscg_err *err)
{
	struct cscg_env_obs *obs = &step->obs;
	int rc, last = -1;

	if (agent->begin(agent, obs->episode, err) < 0)
		return -1;
	for (step->t = 0;; step->t++) {
		if (agent->observe(agent, last, obs, err) < 0)
			return -1;
		episode->reward += obs->reward;
		episode->rewards += obs->reward > 0;
		episode->distance = obs->distance;
		episode->steps = step->t;
		step->a = -1;
		rc = 0;
		if (!obs->done && (!options->max_steps ||
		    step->t < options->max_steps))
			rc = agent->choose(agent, &step->a, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			step->a = -1;
		agent->report(agent, &step->status);
		if (step->status.plan > episode->plans)
			episode->plans = step->status.plan;
		if (options->on_step && options->on_step(options->ctx, step, err) < 0)
			return -1;
		if (obs->done)
			break;
		if (env->act(env->ctx, step->a, err) < 0)
			return -1;
		if (rc == 0)
			break;
		last = step->a;
		rc = env->observe(env->ctx, obs, err);
		if (rc <= 0)
			return rc < 0 ? -1 : cscg_fail(err, CSCG_ECUT,
			    "the environment ended in the middle of an "
			    "episode");
	}
	episode->reached = agent->reached(agent);
	return 0;
}

int
cscg_agent_run(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, long *n_episodes, long *n_failed,
    struct cscg_err *err)
{
	int rc = 1;

	*n_episodes = *n_failed = 0;
	while (!options->episodes || *n_episodes < options->episodes) {
		struct cscg_agent_step step = { 0 };
		struct cscg_agent_episode episode = { .distance = NAN };

		rc = env->observe(env->ctx, &step.obs, err);
		if (rc <= 0)
			break;
		episode.episode = step.obs.episode;
		rc = run_episode(agent, env, options, &step, &episode, err);
		if (rc < 0)
			break;
		++*n_episodes;
		*n_failed += !episode.reached;
		if (options->on_episode &&
		    options->on_episode(options->ctx, &episode, err) < 0)
			return -1;
	}
	return rc < 0 ? -1 : 0;
}

void
cscg_agent_free(struct cscg_agent *agent)
{
	if (agent)
		agent->free(agent);
}
