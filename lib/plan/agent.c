/* agent.c - act in a live world, turn by turn */
#include <math.h>

#include "plan/agent.h"

/* Play one episode whose first observation is in turn. */
static int
play_episode(struct cscg_agent *agent, const struct cscg_world *world,
    const struct cscg_play *play, struct cscg_turn *turn,
    struct cscg_played *all, struct cscg_err *err)
{
	struct cscg_env_obs *obs = &turn->obs;
	int rc, last = -1;

	if (agent->begin(agent, obs->episode, err) < 0)
		return -1;
	for (turn->t = 0;; turn->t++) {
		if (agent->see(agent, last, obs, err) < 0)
			return -1;
		all->reward += obs->reward;
		all->rewards += obs->reward > 0;
		all->distance = obs->distance;
		all->steps = turn->t;
		turn->a = -1;
		rc = 0;
		if (!obs->done && (!play->max_steps ||
		    turn->t < play->max_steps))
			rc = agent->choose(agent, &turn->a, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			turn->a = -1;
		agent->tell(agent, &turn->thought);
		if (turn->thought.plan > all->plans)
			all->plans = turn->thought.plan;
		if (play->on_turn && play->on_turn(play->ctx, turn, err) < 0)
			return -1;
		if (obs->done)
			break;
		if (world->act(world->ctx, turn->a, err) < 0)
			return -1;
		if (rc == 0)
			break;
		last = turn->a;
		rc = world->observe(world->ctx, obs, err);
		if (rc <= 0)
			return rc < 0 ? -1 : cscg_fail(err, CSCG_ECUT,
			    "the environment ended in the middle of an "
			    "episode");
	}
	all->reached = agent->reached(agent);
	return 0;
}

int
cscg_agent_run(struct cscg_agent *agent, const struct cscg_world *world,
    const struct cscg_play *play, long *played, long *missed,
    struct cscg_err *err)
{
	int rc = 1;

	*played = *missed = 0;
	while (!play->episodes || *played < play->episodes) {
		struct cscg_turn turn = { 0 };
		struct cscg_played all = { .distance = NAN };

		rc = world->observe(world->ctx, &turn.obs, err);
		if (rc <= 0)
			break;
		all.episode = turn.obs.episode;
		rc = play_episode(agent, world, play, &turn, &all, err);
		if (rc < 0)
			break;
		++*played;
		*missed += !all.reached;
		if (play->on_episode &&
		    play->on_episode(play->ctx, &all, err) < 0)
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
