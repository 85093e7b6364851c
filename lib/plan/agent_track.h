/*
 * agent_track.h - agent that plans on the exact posterior over bindings
 *
 * For worlds without chance or aliasing whose graph is given as a schema, such
 * as the Memory & Planning Game.  What was seen leaves a set of hypotheses
 * (track_exact.h) with exact probabilities.  The agent takes the move after which it
 * expects to have the fewest moves left, over all of them: to the goal, if that
 * was seen, of ways as short one by places that were not; or else to the
 * nearest place that was not seen, where the goal may be.  What is asked for is
 * collected wherever it is met.
 */
#ifndef CSCG_AGENT_TRACK_H
#define CSCG_AGENT_TRACK_H

#include <stdint.h>

#include "plan/agent.h"
#include "core/model.h"

struct cscg_agent_track_options {
	const struct cscg_model *model; /* borrowed */
	long max_hypotheses;            /* hypotheses kept; 0: 4096 */
	bool new_world;                 /* each episode is another world */
	uint64_t seed;
};

/*
 * For a world that asks for goals and has an action to collect them.  NULL with
 * err filled: CSCG_EMISMATCH if there is none, if actions are not the model's,
 * or if the model is grounded or leaves anything to chance; CSCG_ERANGE (too
 * many states), CSCG_ENOMEM.
 */
struct cscg_agent *cscg_agent_track_new(const struct cscg_env_header *world,
    const struct cscg_agent_track_options *set, struct cscg_err *err);

#endif
