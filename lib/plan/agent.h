/*
 * agent.h - perceive-act loop, and the agent that explores, binds, plans and
 * replans
 *
 * An agent is a set of functions that receives observations and chooses
 * actions.  cscg_agent_run() runs an agent in an environment and reports each
 * step.  This header has the agent that explores, plans and replans.
 * agent_track.h has one for environments whose graph is known, agent_inform.h
 * one for unknown environments, and agent_match.h one that identifies the
 * model of an environment.
 */
#ifndef CSCG_AGENT_H
#define CSCG_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "plan/knowledge.h"
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
	int state;      /* believed current state; -1: unknown */
	double p;       /* probability of that state; NaN: unknown */
	long plan;      /* number of the plan in this episode, from 1; 0: the
	                   agent explores */
	long left;      /* remaining actions of the plan */
	double success; /* success probability of the plan when it was made;
	                   NaN: no plan */
};

struct cscg_agent {
	/* An episode begins. */
	int (*begin)(struct cscg_agent *agent, long episode,
	    struct cscg_err *err);
	/* Action a (-1 in the first step) was followed by observation obs. */
	int (*observe)(struct cscg_agent *agent, int a,
	    const struct cscg_env_obs *obs, struct cscg_err *err);
	/*
	 * 1 with the action to take, 0 to leave the episode, -1 with err
	 * filled.
	 */
	int (*choose)(struct cscg_agent *agent, int *a, struct cscg_err *err);
	/* Belief and plan after choose(). */
	void (*report)(const struct cscg_agent *agent,
	    struct cscg_agent_status *status);
	/* Whether the agent believes that it reached the episode's goal. */
	bool (*reached)(const struct cscg_agent *agent);
	/*
	 * The agent's current grounded model of the environment; the caller
	 * owns it.  NULL with err filled: CSCG_ERANGE as long as there is
	 * none; CSCG_ENOMEM.
	 */
	struct cscg_model *(*model)(const struct cscg_agent *agent,
	    struct cscg_err *err);
	void (*free)(struct cscg_agent *agent);
	/*
	 * The reason why the goal is not reached, as a clause; NULL: unknown.
	 * May be NULL.
	 */
	const char *(*failure)(const struct cscg_agent *agent);
};

/* Text of failure() that several agents share. */
extern const char cscg_agent_contradicted[];

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

/*
 * The agent that explores, plans, acts and replans.
 *
 * In each step: at the goal the episode is finished (or, if the environment
 * has an action to collect, the agent collects and continues).  Otherwise the
 * agent continues its plan unless the plan has failed; else it makes a plan if
 * one has sufficient success probability; else it explores.
 */

/* When a plan is replaced by a new one. */
enum cscg_agent_replan {
	CSCG_AGENT_REPLAN_FAIL, /* when the plan fails: the observation is too
	                           improbable, or the believed state is not on
	                           its path */
	CSCG_AGENT_REPLAN_END,  /* never: the whole plan is executed, then the
	                           schema is bound again */
	CSCG_AGENT_REPLAN_STEP, /* after each action */
};

/* When the initial exploration ends. */
enum cscg_agent_until {
	CSCG_AGENT_UNTIL_STEPS, /* after explore_steps */
	CSCG_AGENT_UNTIL_SEEN,  /* and all symbols were observed */
	CSCG_AGENT_UNTIL_TRIED, /* and each action was tried after each
	                           observed symbol that can be reached; a model
	                           is not learned before */
};

struct cscg_agent_plan_options {
	struct cscg_knowledge_options
	    knowledge;                /* its seed is used for all choices */
	const struct cscg_goal *goal; /* borrowed */
	const char *explore;          /* see explore.h; borrowed */
	long explore_steps; /* number of actions of initial exploration */
	enum cscg_agent_until until; /* further condition for its end */
	bool no_collect;             /* collect nothing before its end */
	double confidence;           /* minimum success probability of a plan,
	                                including the probability of the start
	                                state */
	bool best; /* take the likeliest plan, regardless of confidence */
	enum cscg_agent_replan replan;
	double surprise; /* a plan fails at an observation with lower
	                    probability; < 0: 1e-4 */
	long max_plans;  /* per episode, then the agent leaves; 0: no limit */
	bool new_world;  /* each episode is a different environment */
};

/*
 * Fails as cscg_knowledge_new() and cscg_explore_new() do, and with
 * CSCG_EUSAGE if the goal is not an existing symbol or state, or is
 * CSCG_GOAL_MATCH.  The hint is "goal" or "explore" if that option is invalid.
 */
struct cscg_agent *cscg_agent_plan_new(const struct cscg_env_header *world,
    const struct cscg_agent_plan_options *set, struct cscg_err *err);

/* The agent's model, walk and belief; borrowed. */
struct cscg_knowledge *cscg_agent_plan_knowledge(struct cscg_agent *agent);

#endif
