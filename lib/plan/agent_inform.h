/*
 * agent_inform.h - agent that explores an unknown deterministic environment
 * while it collects rewards
 *
 * For deterministic environments without aliasing that are new in each
 * episode, such as One-Shot StreetLearn.  The agent keeps the table of
 * transitions seen (explore.h).  If the shortest known path to the goal has at
 * most `detour` actions more than the shortest path to a state with an untried
 * action, it goes to the goal; otherwise it tries that action.  Transitions
 * found on the way are used later in the episode.
 *
 * Pairs of inverse actions may be given.  Each transition then implies the
 * reverse transition, and actions that have an inverse are tried first.  If
 * all actions were tried and no path to the goal is known, the agent drops all
 * inferred transitions and all inverses.  If there is still no path, the agent
 * leaves the episode.
 */
#ifndef CSCG_AGENT_INFORM_H
#define CSCG_AGENT_INFORM_H

#include <stdbool.h>

#include "plan/agent.h"

struct cscg_agent_informed_options {
	long detour;                /* see above; < 0: 3 */
	const char *const *inverse; /* [n_inverse] pairs of inverse actions,
	                               "left,right", by name or number;
	                               borrowed during the call */
	int n_inverse;
	bool new_world; /* each episode is a different environment */
};

/*
 * The environment must request goals and have an action to collect them.  NULL
 * with err filled: CSCG_EMISMATCH if it does not; CSCG_EUSAGE if a pair is not
 * a pair of the environment's actions; CSCG_ENOMEM.
 */
struct cscg_agent *cscg_agent_informed_new(const struct cscg_env_header *world,
    const struct cscg_agent_informed_options *set, struct cscg_err *err);

#endif
