/*
 * agent.c - perceive-act loop: an agent is a belief and a list of strategies
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/agent.h"

/* ---- goals ---- */

const struct cscg_goal *
cscg_agent_goal(const struct cscg_agent *agent)
{
	return agent->n_goals ? &agent->goals[agent->selected] : NULL;
}

static bool
is_state(const struct cscg_goal *goal)
{
	return goal->kind == CSCG_GOAL_START || goal->kind == CSCG_GOAL_STATE;
}

bool
cscg_agent_goal_is_state(const struct cscg_agent *agent)
{
	return agent->n_goals && is_state(cscg_agent_goal(agent));
}

static int
symbol_of(const struct cscg_agent *agent, int i)
{
	return agent->goals[i].kind == CSCG_GOAL_ENV ? agent->requested :
						       agent->goal_symbols[i];
}

int
cscg_agent_goal_symbol(const struct cscg_agent *agent)
{
	return agent->n_goals ? symbol_of(agent, agent->selected) : -1;
}

/*
 * Whether the last observation agrees with a goal that is a state: it is the
 * symbol of the start, or one that the state emits.  A missing observation
 * also agrees.
 */
static bool
observation_agrees(const struct cscg_agent *agent,
    const struct cscg_goal *goal)
{
	if (agent->x < 0)
		return true;
	return goal->kind == CSCG_GOAL_START ?
	    agent->start_x < 0 || agent->x == agent->start_x :
	    agent->kind->emits(agent, goal->state, agent->x);
}

bool
cscg_agent_at_goal(const struct cscg_agent *agent)
{
	const struct cscg_goal *goal;
	int i;

	for (i = 0; i < agent->n_goals; i++) {
		goal = &agent->goals[i];
		if (is_state(goal) ?
			agent->kind->is_at(agent, goal) &&
			    observation_agrees(agent, goal) :
			agent->x >= 0 && symbol_of(agent, i) == agent->x)
			return true;
	}
	return false;
}

static int
set_goal(struct cscg_agent *agent, const struct cscg_env_header *world, int i,
    const struct cscg_model *m, const char *without_model,
    struct cscg_err *err)
{
	const struct cscg_goal *goal = &agent->goals[i];

	agent->goal_symbols[i] = -1;
	if (goal->kind == CSCG_GOAL_SYMBOL)
		agent->goal_symbols[i] = cscg_goal_symbol(goal,
		    &world->head.symbols, world->head.n_obs, err);
	else if (goal->kind == CSCG_GOAL_MATCH)
		cscg_fail(err, CSCG_EUSAGE, "match is not a goal of planning");
	else if (goal->kind != CSCG_GOAL_STATE ||
	    (m && goal->state < m->n_states))
		return 0;
	else if (!m)
		cscg_fail(err, CSCG_EUSAGE, "%s", without_model);
	else
		cscg_fail(err, CSCG_EUSAGE, "state %d is outside 0..%d",
		    goal->state, m->n_states - 1);
	return agent->goal_symbols[i] < 0 ? cscg_fail_hint(err, "goal") : 0;
}

int
cscg_agent_init(struct cscg_agent *agent, const struct cscg_agent_kind *kind,
    const struct cscg_env_header *world, const struct cscg_goal *goals, int n,
    const struct cscg_model *m, const char *without_model,
    struct cscg_err *err)
{
	int i;

	*agent = (struct cscg_agent){ .kind = kind,
		.n_actions = world->head.n_actions,
		.collect = world->collect,
		.goals = goals,
		.n_goals = n };
	agent->goal_symbols = cscg_alloc((size_t)n,
	    sizeof *agent->goal_symbols, err);
	if (!agent->goal_symbols)
		return -1;
	for (i = 0; i < n; i++)
		if (set_goal(agent, world, i, m, without_model, err) < 0)
			return -1;
	return 0;
}

void
cscg_agent_free(struct cscg_agent *agent)
{
	if (!agent)
		return;
	agent->kind->free(agent);
	free(agent->goal_symbols);
	free(agent);
}

/* ---- a step ---- */

int
cscg_agent_start(struct cscg_agent *agent, long episode, struct cscg_err *err)
{
	agent->x = agent->start_x = agent->requested = -1;
	agent->steps = agent->n_rewards = agent->plans = agent->left = 0;
	agent->is_done = agent->follows_plan = false;
	return agent->kind->begin(agent, episode, err);
}

int
cscg_agent_update(struct cscg_agent *agent, int a,
    const struct cscg_env_obs *obs, struct cscg_err *err)
{
	int before = agent->x;

	if (obs->x < 0 && agent->kind->needs_symbols)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "missing observation: this agent needs one at each step");
	agent->follows_plan &= obs->goal == agent->requested && !obs->reset;
	agent->x = obs->x;
	agent->requested = obs->goal;
	if (a < 0)
		agent->start_x = obs->x;
	agent->steps += a >= 0;
	agent->n_rewards += obs->reward > 0;
	if (agent->kind->reward &&
	    agent->kind->reward(agent, a, obs->reward, err) < 0)
		return -1;
	/* Collecting does not change the state, unless there is a reset. */
	if (a >= 0 && a == agent->collect && !obs->reset)
		return 0;
	return agent->kind->observe(agent, before, obs->reset ? -1 : a, err);
}

int
cscg_agent_collect(struct cscg_agent *agent, int *a, struct cscg_err *err)
{
	(void)err;
	if (!cscg_agent_at_goal(agent))
		return 0;
	if (cscg_agent_goal(agent)->kind == CSCG_GOAL_ENV &&
	    agent->collect >= 0) {
		*a = agent->collect;
		return 1;
	}
	agent->is_done = true;
	return CSCG_AGENT_LEAVE;
}

void
cscg_agent_follow(struct cscg_agent *agent, bool is_new, long left)
{
	agent->plans += is_new;
	agent->left = left;
	agent->is_planned = true;
}

int
cscg_agent_decide(struct cscg_agent *agent, int *a, struct cscg_err *err)
{
	const struct cscg_agent_strategy *s = agent->kind->strategy;
	int rc = 0;

	agent->is_planned = false;
	for (; s->choose && rc == 0; s++)
		rc = s->choose(agent, a, err);
	agent->follows_plan = agent->is_planned;
	return rc == CSCG_AGENT_LEAVE ? 0 : rc;
}

void
cscg_agent_report(const struct cscg_agent *agent,
    struct cscg_agent_status *status)
{
	status->state = agent->kind->state(agent, &status->p);
	status->plan = agent->follows_plan ? agent->plans : 0;
	status->left = agent->follows_plan ? agent->left : 0;
}

bool
cscg_agent_has_reached(const struct cscg_agent *agent)
{
	const struct cscg_goal *goal = cscg_agent_goal(agent);

	if (!goal)
		return agent->kind->reached && agent->kind->reached(agent);
	if (goal->kind == CSCG_GOAL_REWARD)
		return agent->n_rewards > 0;
	return agent->is_done || cscg_agent_at_goal(agent) ||
	    (goal->kind == CSCG_GOAL_ENV && agent->collect >= 0);
}

const char *
cscg_agent_failure(const struct cscg_agent *agent)
{
	const struct cscg_goal *goal = cscg_agent_goal(agent);

	if (!goal)
		return NULL;
	if (goal->kind == CSCG_GOAL_REWARD)
		return "no reward was observed";
	if (is_state(goal) && agent->kind->is_at(agent, goal))
		return "the last symbol is not the one of the believed state";
	return agent->kind->failure ? agent->kind->failure(agent) : NULL;
}

struct cscg_model *
cscg_agent_ground(const struct cscg_agent *agent, struct cscg_err *err)
{
	return agent->kind->model(agent, err);
}

/* ---- the loop ---- */

/*
 * Why an episode ended on the way to the goal: by the environment, by the stop
 * of the run, or by the limit of steps; NULL: the agent left it.
 */
static const char *
end_text(bool is_done, bool is_stopped, bool is_at_limit)
{
	return is_done  ? "the environment ended the episode" :
	    is_stopped  ? "the run was ended" :
	    is_at_limit ? "the limit of steps was reached" :
			  NULL;
}

/* Run one episode whose first observation is in turn. */
static int
run_episode(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, struct cscg_agent_step *step,
    struct cscg_agent_episode *episode, bool *stopped, struct cscg_err *err)
{
	struct cscg_env_obs *obs = &step->obs;
	int rc, last = -1;

	if (cscg_agent_start(agent, obs->episode, err) < 0)
		return -1;
	for (step->t = 0;; step->t++) {
		if (cscg_agent_update(agent, last, obs, err) < 0)
			return -1;
		episode->reward += obs->reward;
		episode->rewards += obs->reward > 0;
		episode->distance = obs->distance;
		episode->steps = step->t;
		step->a = -1;
		rc = 0;
		*stopped = options->stop && options->stop(options->ctx);
		if (!obs->done && !*stopped &&
		    (!options->max_steps || step->t < options->max_steps))
			rc = cscg_agent_decide(agent, &step->a, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			step->a = -1;
		cscg_agent_report(agent, &step->status);
		if (step->status.plan > episode->plans)
			episode->plans = step->status.plan;
		if (options->on_step &&
		    options->on_step(options->ctx, step, err) < 0)
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
			return rc < 0 ? -1 :
					cscg_fail(err, CSCG_ECUT,
					    "the environment ended in the "
					    "middle of an episode");
	}
	episode->reached = cscg_agent_has_reached(agent);
	if (episode->reached || !cscg_agent_goal(agent))
		return 0;
	/* A run that was ended early says nothing of the agent. */
	episode->failure = *stopped ? NULL : cscg_agent_failure(agent);
	if (!episode->failure)
		episode->failure = end_text(obs->done, *stopped,
		    options->max_steps && step->t >= options->max_steps);
	return 0;
}

int
cscg_agent_run(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, long *n_episodes,
    long *n_failed, struct cscg_err *err)
{
	bool stopped = false;
	int rc = 1;

	*n_episodes = *n_failed = 0;
	while (!stopped &&
	    (!options->episodes || *n_episodes < options->episodes)) {
		struct cscg_agent_step step = { 0 };
		struct cscg_agent_episode episode = { .distance = NAN };

		rc = env->observe(env->ctx, &step.obs, err);
		if (rc <= 0)
			break;
		episode.episode = step.obs.episode;
		rc = run_episode(agent, env, options, &step, &episode,
		    &stopped, err);
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
