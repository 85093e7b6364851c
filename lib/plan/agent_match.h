/*
 * agent_match.h - agent that acts to identify which of several models explains
 * the environment
 *
 * The candidates are schemas with clone structure or grounded models
 * (candidate.h).  As long as no posterior reaches `confidence`, the agent
 * takes the actions with the highest information gain (discriminate.h).  Then
 * it verifies the likeliest candidate.
 *
 * Without a goal, verification begins with tests of at most 100 steps: first
 * actions that discriminate the best candidate from the runner-up as if both
 * were equally likely, until the log-likelihood of the runner-up is 20 nats
 * lower; then actions that raise the binding cost of the other schemas most
 * (binding_cost.h), until it is 10 nats higher.  After that, or if there is no
 * such action, the agent goes to the nearest action that is untried under the
 * likeliest binding, since another candidate may agree with the best one in
 * all visited states and differ elsewhere.
 *
 * With a goal the agent omits these tests, tries untried actions, and goes to
 * the goal as soon as the state of the goal is known.  Where no model explains
 * the observations, it explores, learns a map of the environment from its
 * walk, and continues with the map as a model (experience.h).
 */
#ifndef CSCG_AGENT_MATCH_H
#define CSCG_AGENT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/agent.h"
#include "plan/plan.h"
#include "plan/candidate.h"
#include "plan/experience.h"
#include "plan/places.h"

struct cscg_agent_match_options {
	struct cscg_model *const *model; /* [n] borrowed */
	char *const *name;               /* [n] for messages; borrowed */
	int n;                           /* 0: needs a goal */
	const struct cscg_goal *goal;    /* borrowed; NULL: CSCG_GOAL_MATCH */
	int n_goals; /* 0: one; more: any of these symbols, states, starts */
	double confidence;   /* threshold of the posterior; < 0: .95 */
	long verify;         /* without a goal: consecutive steps above the
	                        threshold; 0: until every action was tried */
	const char *explore; /* policy until there is a plan: random or listed
	                        actions, see explore.h; borrowed; NULL: as
	                        above */
	struct cscg_track_options track; /* slip, misread < 0: estimated, see
	                                    candidate.h */
	bool partial_map; /* without models: learn a map from the first steps
	                     on (experience.h), but no rooms */
	bool new_world;   /* each episode is a different environment */
	uint64_t seed;
	struct cscg_poll *poll; /* stops learning of maps; NULL: never */
};

/*
 * NULL with err filled: as cscg_candidate_new() does, with the name of the
 * model; CSCG_EUSAGE if the goal is not an existing symbol or state, or is a
 * state of one of several models, or if explore is not as above.  The hint is
 * "goal" or "explore" then.
 */
struct cscg_agent *cscg_agent_match_new(const struct cscg_env_header *world,
    const struct cscg_agent_match_options *set, struct cscg_err *err);

/* Which model explains the environment. */
struct cscg_agent_match_result {
	int best;          /* the likeliest model, the first of equals; -1:
	                      none */
	const char *name;  /* of that model, also of a learned one */
	double posterior;  /* of that model, from a uniform prior */
	bool is_confident; /* the posterior reaches the threshold */
	bool is_grounded;  /* that model is grounded */
	enum cscg_novelty_class
	    novelty;   /* class of the environment for that model */
	double margin; /* of the novelty class: see novelty.h */
};

void cscg_agent_match_get_result(const struct cscg_agent *agent,
    struct cscg_agent_match_result *result);

/*
 * Knowledge of the agent about its environment, for a library.  Models are
 * those of the options, then rooms that were learned.
 */

/* The walk, and the map and rooms learned from it; borrowed. */
const struct cscg_experience *cscg_agent_match_experience(
    const struct cscg_agent *agent);

/*
 * Learn the walk once more, if it is due (cscg_experience_is_due()).  -1 with
 * err filled.
 */
int cscg_agent_match_learn_last(struct cscg_agent *agent,
    struct cscg_err *err);

/* Steps of this environment in places of model i. */
long cscg_agent_match_steps(const struct cscg_agent *agent, int i);

/* The action of model i that is action a of the environment. */
int cscg_agent_match_model_action(const struct cscg_agent *agent, int i,
    int a);

/*
 * The likeliest hypothesis, if its posterior reaches the threshold and its
 * models explain the last steps; else NULL.
 */
const struct cscg_places_world *cscg_agent_match_world(
    const struct cscg_agent *agent);

#endif
