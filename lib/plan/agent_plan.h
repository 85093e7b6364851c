/*
 * agent_plan.h - the agent that explores until it knows enough, plans, acts, and
 * plans again
 *
 * In each turn: if it is at the goal, it is done (or collects, where the world
 * has an action for that, and goes on).  Otherwise it goes on with its plan,
 * unless that has failed; makes a plan, if one is good enough; or explores.
 */
#ifndef CSCG_AGENT_PLAN_H
#define CSCG_AGENT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/agent.h"
#include "plan/goal.h"
#include "plan/mind.h"

/* When is a plan given up for a new one? */
enum cscg_agent_replan {
	CSCG_AGENT_REPLAN_FAIL,	/* when it seems to fail: what is seen is too
				   improbable, or the belief leaves its path */
	CSCG_AGENT_REPLAN_END,	/* never: the whole plan is carried out, then
				   all is bound anew */
	CSCG_AGENT_REPLAN_STEP	/* after each action */
};

/* When has it explored enough to look at anything else? */
enum cscg_agent_until {
	CSCG_AGENT_UNTIL_STEPS,	/* after explore_steps */
	CSCG_AGENT_UNTIL_SEEN,	/* and when all symbols of the world were seen */
	CSCG_AGENT_UNTIL_TRIED	/* and when each action was tried after each
				   symbol that was seen, as far as it can be
				   reached; what is learned is learned then */
};

struct cscg_agent_plan_options {
	struct cscg_knowledge_options knowledge;	/* its seed is that of all choices */
	const struct cscg_goal *goal;	/* borrowed */
	const char *explore;	/* see explore.h; borrowed */
	long explore_steps;	/* so many actions first, without a look at
				   anything else */
	enum cscg_agent_until until;	/* and until this */
	bool no_collect;		/* until then collect nothing */
	double confidence;	/* success probability, with that of being
				   where it thinks it is, that is enough */
	bool best;		/* or the likeliest plan, however unlikely */
	enum cscg_agent_replan replan;
	double surprise;	/* a plan fails at what is less probable */
	long max_plans;		/* in an episode; then it gives up; 0: any */
	bool new_world;		/* each episode is another world */
};

/*
 * Fails as cscg_knowledge_new() and cscg_explore_new() do, and with CSCG_EUSAGE if
 * the goal is not a symbol or state that there is.
 */
struct cscg_agent *cscg_agent_plan_new(const struct cscg_env_header *world,
    const struct cscg_agent_plan_options *set, struct cscg_err *err);

/* What it knows; borrowed. */
struct cscg_knowledge *cscg_agent_plan_knowledge(struct cscg_agent *agent);

#endif
