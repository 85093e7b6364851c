/*
 * agent_match.h - agent that acts to identify which of several models explains
 * the world
 *
 * Models are schemas with clone structure, or memories, which are grounded
 * (candidate.h).  As long as none of them is likely enough, it takes the actions
 * that tell them apart (discriminate.h).  Then it verifies the likeliest.  Without a
 * goal it first doubts it, for a hundred turns at most: it takes the actions that
 * would tell it from the runner-up if both were as likely, until that is 20 nats
 * behind; then those that all others could explain least (binding_cost.h), until they
 * cost 10 nats more.  Then, or if there is nothing of that kind, it goes on to
 * the nearest action that it has not tried in the likeliest of its bindings,
 * since a rival that is alike where it has been is not alike everywhere.  With a
 * goal it does that at once and, as soon as it knows where the goal is, goes
 * there.
 */
#ifndef CSCG_AGENT_MATCH_H
#define CSCG_AGENT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/agent.h"
#include "plan/plan.h"
#include "plan/candidate.h"

struct cscg_agent_match_options {
	struct cscg_model *const *model; /* [n] borrowed */
	char *const *name;               /* [n] for messages; borrowed */
	int n;
	const struct cscg_goal *goal; /* borrowed; NULL: CSCG_GOAL_MATCH */
	double confidence;   /* the posterior that is enough; < 0: .95 */
	long verify;         /* steps in a row that it must stay so, without a
	                        goal; 0: until all was tried */
	const char *explore; /* do this instead until there is a plan: random
	                        or given actions, see explore.h; borrowed;
	                        NULL: as above */
	struct cscg_track_options track;
	bool new_world; /* each episode is another world */
	uint64_t seed;
};

/*
 * NULL with err filled: as cscg_candidate_new() does, with the name of the model;
 * CSCG_EUSAGE if the goal is not a symbol that there is, or is a state, which
 * only one of the models has; if explore is not as above.  The hint is "goal"
 * or "explore" then.
 */
struct cscg_agent *cscg_agent_match_new(const struct cscg_env_header *world,
    const struct cscg_agent_match_options *set, struct cscg_err *err);

/* What it thinks of the world. */
struct cscg_agent_match_result {
	int best;          /* the likeliest model, the first of equals */
	double posterior;  /* all models being as likely before */
	bool is_confident; /* is that enough? */
	bool is_grounded;  /* is it one? */
	enum cscg_novelty_class
	    novelty;   /* how well the place is known to it, */
	double margin; /* and by how much: see novelty.h */
};

void cscg_agent_match_get_result(const struct cscg_agent *agent,
    struct cscg_agent_match_result *result);

#endif
