/* cscg-plan.h - what the parts of cscg-plan share */
#ifndef CSCG_PLAN_CMD_H
#define CSCG_PLAN_CMD_H

#include <stdbool.h>

#include "agent.h"
#include "cmd.h"
#include "goal.h"
#include "simd.h"

enum plan_agent { PLAN_AGENT_PLAN, PLAN_AGENT_TRACKER, PLAN_AGENT_INFORMED };
extern const char *const plan_agents[];

struct plan_set {
	struct cmd_list goals;
	double confidence, smooth;
	bool best, json;

	/* without an environment */
	const char *from;
	long max_length;

	/* with one */
	int agent, until;
	bool pass_by;
	struct cmd_list inverse;
	long detour;
	const char *explore, *save, *isa;
	long explore_steps, max_plans, max_steps, episodes;
	long iterations, restarts;
	int replan;
	double surprise, timeout;
	bool forget, untied, summary;
	const struct cscg_simd *simd;	/* chosen by isa */
};

/*
 * Act in the environment that command starts, with the model in file path
 * (NULL: none).  1 if all episodes reached the goal, 0 if not, -1 with err
 * filled.
 */
int plan_live(const struct plan_set *set, const struct cscg_goal *goal,
    const char *path, char **command, struct cscg_err *err);

/* Refuse options (var ends in NULL) that were given, and why. */
void plan_refuse(const void *const *var, const char *const *word,
    const char *why);

/* Do the options fit the agent, the goal and the model at path (NULL: none)? */
void plan_agent_judge(const struct plan_set *set, const struct cscg_goal *goal,
    const char *path);

/* The agent that set asks for; NULL with err filled. */
struct cscg_agent *plan_agent_new(const struct plan_set *set,
    const struct cscg_goal *goal, const struct cscg_model *m,
    const struct cscg_env_head *world, struct cscg_err *err);

#endif
