/*
 * agent_plan.h - agent that explores, binds, plans and replans
 *
 * In each step: at the goal the episode is finished (or, if the environment
 * has an action to collect, the agent collects and continues).  Otherwise the
 * agent continues its plan unless the plan has failed; else it makes a plan if
 * one has sufficient success probability; else it explores.
 */
#ifndef CSCG_AGENT_PLAN_H
#define CSCG_AGENT_PLAN_H

#include <stdbool.h>

#include "plan/agent.h"
#include "plan/knowledge.h"

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

#endif
