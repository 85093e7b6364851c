/*
 * agent.h - perceive-act loop, and the agent that explores, binds, plans and
 * replans
 *
 * An agent is a part that can be replaced: it is told what was seen and says
 * what to do.  cscg_agent_run() plays it against a world and reports each turn.
 * agent.h has the one that explores, plans and plans again, agent_track.h
 * one for worlds whose graph is known, agent_inform.h one for new worlds.
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

/* What an agent needs of a world: env.h gives it, or a test. */
struct cscg_agent_env {
	const struct cscg_env_header *head;
	/* As cscg_env_observe() and cscg_env_act() do. */
	int (*observe)(void *ctx, struct cscg_env_obs *obs,
	    struct cscg_err *err);
	int (*act)(void *ctx, int a, struct cscg_err *err);
	void *ctx;
};

/* What an agent thinks in a turn, as far as it does. */
struct cscg_agent_status {
	int state;      /* where it is; -1: not known */
	double p;       /* how surely; NaN: not known */
	long plan;      /* number of its plan in this episode, from 1; 0: it
	                   explores */
	long left;      /* actions of the plan that are left */
	double success; /* of the plan when it was made; NaN: none */
};

struct cscg_agent {
	/* An episode begins. */
	int (*begin)(struct cscg_agent *agent, long episode,
	    struct cscg_err *err);
	/* Action a (-1 at first) led to this. */
	int (*observe)(struct cscg_agent *agent, int a,
	    const struct cscg_env_obs *obs, struct cscg_err *err);
	/* 1 with the action to take, 0 to leave the episode, -1. */
	int (*choose)(struct cscg_agent *agent, int *a, struct cscg_err *err);
	/* What it thinks after that. */
	void (*report)(const struct cscg_agent *agent,
	    struct cscg_agent_status *status);
	/* Has it done in this episode what it was to do, as it believes? */
	bool (*reached)(const struct cscg_agent *agent);
	/*
	 * The world as it sees it now, grounded; new.  NULL with err filled:
	 * CSCG_ERANGE as long as nothing is known; CSCG_ENOMEM.
	 */
	struct cscg_model *(*model)(const struct cscg_agent *agent,
	    struct cscg_err *err);
	void (*free)(struct cscg_agent *agent);
};

/* One turn: what was seen, thought, and done then. */
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
	double reward;   /* sum */
	bool reached;    /* as the agent believes */
	double distance; /* at its end, true; NaN: not told */
};

struct cscg_agent_run_options {
	long episodes;  /* at most; 0: as many as there are */
	long max_steps; /* actions in an episode; 0: any number */

	/* Both may be NULL.  -1 with err filled ends the run. */
	int (*on_step)(void *ctx, const struct cscg_agent_step *turn,
	    struct cscg_err *err);
	int (*on_episode)(void *ctx, const struct cscg_agent_episode *played,
	    struct cscg_err *err);
	void *ctx;
};

/*
 * Play until the world ends or enough is played.  Returns how many episodes
 * did not reach their end as the agent sees it, into *missed, and how many were
 * played into *played.  -1 with err filled by whoever failed.
 */
int cscg_agent_run(struct cscg_agent *agent, const struct cscg_agent_env *env,
    const struct cscg_agent_run_options *options, long *n_episodes,
    long *n_failed, struct cscg_err *err);

/*
 * the agent that explores until it knows enough, plans, acts, and
 * plans again
 *
 * In each turn: if it is at the goal, it is done (or collects, where the world
 * has an action for that, and goes on).  Otherwise it goes on with its plan,
 * unless that has failed; makes a plan, if one is good enough; or explores.
 */

/* When is a plan given up for a new one? */
enum cscg_agent_replan {
	CSCG_AGENT_REPLAN_FAIL, /* when it seems to fail: what is seen is too
				   improbable, or the belief leaves its path */
	CSCG_AGENT_REPLAN_END,  /* never: the whole plan is carried out, then
				   all is bound anew */
	CSCG_AGENT_REPLAN_STEP, /* after each action */
};

/* When has it explored enough to look at anything else? */
enum cscg_agent_until {
	CSCG_AGENT_UNTIL_STEPS, /* after explore_steps */
	CSCG_AGENT_UNTIL_SEEN, /* and when all symbols of the world were seen */
	CSCG_AGENT_UNTIL_TRIED, /* and when each action was tried after each
				   symbol that was seen, as far as it can be
				   reached; what is learned is learned then */
};

struct cscg_agent_plan_options {
	struct cscg_knowledge_options
	    knowledge;                /* its seed is that of all choices */
	const struct cscg_goal *goal; /* borrowed */
	const char *explore;          /* see explore.h; borrowed */
	long explore_steps; /* so many actions first, without a look at
	                       anything else */
	enum cscg_agent_until until; /* and until this */
	bool no_collect;             /* until then collect nothing */
	double confidence;           /* success probability, with that of being
	                                where it thinks it is, that is
	                                enough */
	bool best; /* or the likeliest plan, however unlikely */
	enum cscg_agent_replan replan;
	double surprise; /* a plan fails at an observation that is less
	                    probable; < 0: 1e-4 */
	long max_plans;  /* in an episode; then it gives up; 0: any */
	bool new_world;  /* each episode is another world */
};

/*
 * Fails as cscg_knowledge_new() and cscg_explore_new() do, and with CSCG_EUSAGE if
 * the goal is not a symbol or state that there is, or is CSCG_GOAL_MATCH.
 * The hint is "goal" or "explore" if that is at fault.
 */
struct cscg_agent *cscg_agent_plan_new(const struct cscg_env_header *world,
    const struct cscg_agent_plan_options *set, struct cscg_err *err);

/* What it knows; borrowed. */
struct cscg_knowledge *cscg_agent_plan_knowledge(struct cscg_agent *agent);

#endif
