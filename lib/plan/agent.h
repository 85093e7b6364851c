/*
 * agent.h - perceive-act loop: an agent is a belief and a list of strategies
 *
 * cscg_agent_run() runs an agent in an environment and reports each step.  An
 * agent updates its belief by each observation; then its strategies are asked
 * in order, and the first one that has an action decides: collect at the goal,
 * plan, act to identify the model, explore, or follow the highest expected
 * reward.  Goals, arrival and the report are the same for all agents.
 *
 * agent_plan.h has the agent that binds one schema or learns a model, plans
 * and replans; agent_match.h one for several models, places and doors;
 * agent_game.h those for games without aliasing.
 */
#ifndef CSCG_AGENT_H
#define CSCG_AGENT_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "plan/plan.h"
#include "world/serve.h"

/* An environment as the agent uses it; implemented by env.h and by tests. */
struct cscg_agent_env {
	const struct cscg_env_header *head;
	/* As cscg_env_observe() and cscg_env_act() do. */
	int (*observe)(void *ctx, struct cscg_env_obs *obs,
	    struct cscg_err *err);
	int (*act)(void *ctx, int a, struct cscg_err *err);
	void *ctx;
};

/* An agent's belief and plan at one step. */
struct cscg_agent_status {
	int state; /* believed current state; -1: unknown */
	double p;  /* probability of that state; NaN: unknown */
	long plan; /* number of the plan in this episode, from 1; 0: the
	              agent explores */
	long left; /* remaining actions of the plan */
};

struct cscg_agent;

/*
 * A strategy: 1 with the action to take, 0 if the next strategy decides,
 * CSCG_AGENT_LEAVE to leave the episode, -1 with err filled.
 */
enum { CSCG_AGENT_LEAVE = 2 };
struct cscg_agent_strategy {
	int (*choose)(struct cscg_agent *agent, int *a, struct cscg_err *err);
};

/* The belief and the strategies of a kind of agents. */
struct cscg_agent_kind {
	bool needs_symbols; /* a step without an observation is an error */
	const struct cscg_agent_strategy *strategy; /* ends with { NULL } */

	/* An episode begins. */
	int (*begin)(struct cscg_agent *agent, long episode,
	    struct cscg_err *err);
	/*
	 * Action a (-1: the episode began, or the agent was moved to another
	 * state) led from symbol before (-1: none) to agent->x.  Not called
	 * after an action that collects, which leaves the state unchanged.
	 */
	int (*observe)(struct cscg_agent *agent, int before, int a,
	    struct cscg_err *err);
	/* May be NULL: action a (-1: none) was followed by this reward. */
	int (*reward)(struct cscg_agent *agent, int a, double reward,
	    struct cscg_err *err);

	/* The believed state, -1: unknown, and its probability. */
	int (*state)(const struct cscg_agent *agent, double *p);
	/*
	 * Whether the believed state is that of a goal that is a state, and
	 * whether state j emits x.  NULL: no goal is a state.
	 */
	bool (*is_at)(const struct cscg_agent *agent,
	    const struct cscg_goal *goal);
	bool (*emits)(const struct cscg_agent *agent, int j, int x);

	/* Whether an agent without a goal has succeeded; may be NULL. */
	bool (*reached)(const struct cscg_agent *agent);
	/*
	 * The reason why the goal is not reached, as a clause; NULL: unknown.
	 * May be NULL.
	 */
	const char *(*failure)(const struct cscg_agent *agent);
	/* As cscg_agent_ground(). */
	struct cscg_model *(*model)(const struct cscg_agent *agent,
	    struct cscg_err *err);
	/* Free all but the agent itself. */
	void (*free)(struct cscg_agent *agent);
};

/* What all agents have; the first member of each. */
struct cscg_agent {
	const struct cscg_agent_kind *kind;
	int n_actions;
	int collect; /* the action that collects a goal; -1: none */
	const struct cscg_goal *goals; /* [n_goals] borrowed */
	int n_goals;                   /* 0: the agent has no goal */
	int *goal_symbols;             /* [n_goals] that a goal names, or -1 */
	int selected;                  /* the goal that is planned for */

	/* this episode */
	int x, start_x; /* last observed, and in the first step; -1: nothing */
	int requested;  /* goal of the environment; -1: none */
	long steps;     /* actions */
	long n_rewards;
	bool is_done;      /* the goal is reached */
	long plans, left;  /* plans made; actions left of the present one */
	bool follows_plan; /* the last action is of a plan */
	bool is_planned;   /* so is the one that is being chosen */
};

/*
 * Begin an agent: n goals (borrowed), of which states are those of m (NULL:
 * without_model is the reason why no state can be a goal).  -1 with err
 * filled, and the agent is to be freed: CSCG_EUSAGE with hint "goal" if a goal
 * is not an existing symbol or state, or is CSCG_GOAL_MATCH; CSCG_ENOMEM.
 */
int cscg_agent_init(struct cscg_agent *agent,
    const struct cscg_agent_kind *kind, const struct cscg_env_header *world,
    const struct cscg_goal *goals, int n, const struct cscg_model *m,
    const char *without_model, struct cscg_err *err);

/*
 * An episode begins.  Action a (-1 in the first step) was followed by obs.
 * Choose an action: 1, or 0 to leave the episode.  -1 with err filled.
 */
int cscg_agent_start(struct cscg_agent *agent, long episode,
    struct cscg_err *err);
int cscg_agent_update(struct cscg_agent *agent, int a,
    const struct cscg_env_obs *obs, struct cscg_err *err);
int cscg_agent_decide(struct cscg_agent *agent, int *a, struct cscg_err *err);

void cscg_agent_report(const struct cscg_agent *agent,
    struct cscg_agent_status *status);

/*
 * Whether the agent reached the episode's goal, as it believes; if goals are
 * collected, always.  failure: the reason why not, as a clause; NULL: unknown.
 */
bool cscg_agent_has_reached(const struct cscg_agent *agent);
const char *cscg_agent_failure(const struct cscg_agent *agent);

/*
 * The agent's current grounded model of the environment; the caller owns it.
 * NULL with err filled: CSCG_ERANGE as long as there is none; CSCG_ENOMEM.
 */
struct cscg_model *cscg_agent_ground(const struct cscg_agent *agent,
    struct cscg_err *err);

/* For strategies. */

/* The selected goal (NULL: none), and its symbol; -1: none, or a state. */
const struct cscg_goal *cscg_agent_goal(const struct cscg_agent *agent);
int cscg_agent_goal_symbol(const struct cscg_agent *agent);
bool cscg_agent_goal_is_state(const struct cscg_agent *agent);

/*
 * Whether the agent observes one of its goals, or believes that it is there
 * and the last observation agrees.
 */
bool cscg_agent_at_goal(const struct cscg_agent *agent);

/* At the goal: collect if there is an action for it, or leave the episode. */
int cscg_agent_collect(struct cscg_agent *agent, int *a, struct cscg_err *err);

/* The action is of a plan, which is new or not; left: actions after it. */
void cscg_agent_follow(struct cscg_agent *agent, bool is_new, long left);

/* One step: observation, belief, and the action taken. */
struct cscg_agent_step {
	long t; /* from 0 in each episode */
	struct cscg_env_obs obs;
	struct cscg_agent_status status;
	int a; /* -1: none, the episode ends here */
};

/* One episode. */
struct cscg_agent_episode {
	long episode;
	long steps; /* actions */
	long plans, rewards;
	double reward;       /* sum */
	bool reached;        /* as the agent believes */
	double distance;     /* true distance at the end; NaN: not reported */
	const char *failure; /* reason why the goal is not reached; or NULL */
};

struct cscg_agent_run_options {
	long episodes;  /* maximum number; 0: all of the environment's */
	long max_steps; /* maximum actions per episode; 0: no limit */

	/* May be NULL.  True ends the run after this step, as max_steps does. */
	bool (*stop)(void *ctx);
	/* Both may be NULL.  -1 with err filled ends the run. */
	int (*on_step)(void *ctx, const struct cscg_agent_step *turn,
	    struct cscg_err *err);
	int (*on_episode)(void *ctx, const struct cscg_agent_episode *played,
	    struct cscg_err *err);
	void *ctx;
};

/*
 * Run the agent until the environment ends or options->episodes are done.
 * *n_episodes is the number of episodes run, *n_failed the number of those
 * whose goal the agent does not believe it reached.  Returns 0, or -1 with err
 * filled by the agent, the environment or a callback.
 */
int cscg_agent_run(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, long *n_episodes,
    long *n_failed, struct cscg_err *err);

#endif
