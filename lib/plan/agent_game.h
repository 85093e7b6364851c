/*
 * agent_game.h - agents that collect requested symbols in a deterministic
 * environment without aliasing
 *
 * With a model, for environments whose graph is given as a schema, such as the
 * Memory & Planning Game.  The observations leave a set of hypotheses
 * (track_exact.h) with exact probabilities.  The agent takes the action that
 * minimises the expected number of remaining actions over all hypotheses: to
 * the goal if the hypothesis has bound the symbol of the goal, where among
 * equally short paths one through unobserved states is preferred; otherwise to
 * the nearest unobserved state, which may hold the goal.
 *
 * Without a model, for environments that are new in each episode, such as
 * One-Shot StreetLearn.  The agent keeps the table of transitions seen
 * (explore.h).  If the shortest known path to the goal has at most `detour`
 * actions more than the shortest path to a state with an untried action, it
 * goes to the goal; otherwise it tries that action.  Transitions found on the
 * way are used later in the episode.  Pairs of inverse actions may be given.
 * Each transition then implies the reverse transition, and actions that have
 * an inverse are tried first.  If all actions were tried and no path to the
 * goal is known, the agent drops all inferred transitions and all inverses.  If
 * there is still no path, the agent leaves the episode.
 *
 * The agent collects the requested symbol wherever it observes it.
 */
#ifndef CSCG_AGENT_GAME_H
#define CSCG_AGENT_GAME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model.h"
#include "plan/agent.h"

struct cscg_agent_game_options {
	const struct cscg_model *model; /* borrowed; NULL: none */
	bool new_world; /* each episode is a different environment */

	/* with a model */
	long max_hypotheses; /* hypotheses kept; 0: 4096 */
	uint64_t seed;

	/* without a model */
	long detour;                /* see above; < 0: 3 */
	const char *const *inverse; /* [n_inverse] pairs of inverse actions,
	                               "left,right", by name or number;
	                               borrowed during the call */
	int n_inverse;
};

/*
 * The environment must request goals and have an action to collect them.  NULL
 * with err filled: CSCG_EMISMATCH if it does not, if its actions are not the
 * model's, or if the model is grounded or stochastic; CSCG_EUSAGE if a pair is
 * not a pair of the environment's actions; CSCG_ERANGE (too many states),
 * CSCG_ENOMEM.
 */
struct cscg_agent *cscg_agent_game_new(const struct cscg_env_header *world,
    const struct cscg_agent_game_options *set, struct cscg_err *err);

#endif
