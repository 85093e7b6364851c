/*
 * agent_track.h - agent that plans on the exact posterior over bindings
 *
 * For deterministic environments without aliasing whose graph is given as a
 * schema, such as the Memory & Planning Game.  The observations leave a set of
 * hypotheses (track_exact.h) with exact probabilities.  The agent takes the
 * action that minimises the expected number of remaining actions over all
 * hypotheses: to the goal if the hypothesis has bound the symbol of the goal,
 * where among equally short paths one through unobserved states is preferred;
 * otherwise to the nearest unobserved state, which may hold the goal.  The
 * agent collects the requested symbol wherever it observes it.
 */
#ifndef CSCG_AGENT_TRACK_H
#define CSCG_AGENT_TRACK_H

#include <stdint.h>

#include "plan/agent.h"
#include "core/model.h"

struct cscg_agent_track_options {
	const struct cscg_model *model; /* borrowed */
	long max_hypotheses;            /* hypotheses kept; 0: 4096 */
	bool new_world; /* each episode is a different environment */
	uint64_t seed;
};

/*
 * The environment must request goals and have an action to collect them.  NULL
 * with err filled: CSCG_EMISMATCH if it does not, if its actions are not the
 * model's, or if the model is grounded or stochastic; CSCG_ERANGE (too many
 * states), CSCG_ENOMEM.
 */
struct cscg_agent *cscg_agent_track_new(const struct cscg_env_header *world,
    const struct cscg_agent_track_options *set, struct cscg_err *err);

#endif
