/*
 * agent_inform.h - agent that explores an unknown deterministic world while it
 * collects rewards
 *
 * For worlds without chance or aliasing that are new in each episode, such as
 * One-Shot StreetLearn.  It keeps what each action did after each symbol
 * (explore.h).  It goes to the goal if it knows a way that is not much longer than
 * that to the nearest action it has not tried; otherwise it tries that action.
 * What it learns on the way pays later in the episode.  It may be told which
 * moves undo each other, and tries those first: each tells it two things.  If
 * there is no way to the goal in what it knows then, they do not, and it believes
 * in what it has tried alone.  If there is none in that either, it leaves.
 */
#ifndef CSCG_AGENT_INFORM_H
#define CSCG_AGENT_INFORM_H

#include <stdbool.h>

#include "plan/agent.h"

struct cscg_agent_informed_options {
	long detour; /* moves that the way to the goal may be longer; < 0: 3 */
	const char *const *inverse; /* [n_inverse] pairs of actions that undo
	                               each other, "left,right", by name or
	                               number; borrowed while it is made */
	int n_inverse;
	bool new_world; /* each episode is another world */
};

/*
 * For a world that asks for goals and has an action to collect them.  NULL with
 * err filled: CSCG_EMISMATCH if there is none; CSCG_EUSAGE if a pair is none of
 * the world's; CSCG_ENOMEM.
 */
struct cscg_agent *cscg_agent_informed_new(const struct cscg_env_header *world,
    const struct cscg_agent_informed_options *set, struct cscg_err *err);

#endif
