/* cscg-plan.h - what the parts of cscg-plan share */
#ifndef CSCG_PLAN_CMD_H
#define CSCG_PLAN_CMD_H

#include <stdbool.h>

#include "plan/agent.h"
#include "cmd.h"
#include "plan/plan.h"
#include "core/model_io.h"
#include "kernel/simd.h"
#include "io/table.h"

/* The last is no word: it acts where there are several models. */
enum plan_agent {
	PLAN_AGENT_PLAN, PLAN_AGENT_TRACKER, PLAN_AGENT_INFORMED,
	PLAN_AGENT_MATCH
};
extern const char *const plan_agents[];
enum plan_task { PLAN_TASK_GOAL, PLAN_TASK_MATCH };

struct plan_set {
	struct cmd_list goals;
	double confidence, smooth;
	bool best, json;

	/* without an environment */
	const char *from;
	long max_length;

	/* with one */
	int task, agent, until;
	bool no_collect;
	struct cmd_list inverse;
	long detour;
	const char *explore, *save, *isa;
	long explore_steps, max_plans, max_steps, episodes;
	long iterations, restarts;
	int replan;
	double surprise, timeout, slip;
	long verify;
	bool new_world, untied, summary;
	const struct cscg_simd *simd;	/* chosen by isa */
	enum plan_agent who;	/* acts: that of the option, or the last */
};

/*
 * Write a plan on the map at paths (one at most; none: standard input).  1, 0
 * if there is none, -1 with err filled.
 */
int plan_map(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, struct cscg_err *err);

/*
 * Act in the environment that command starts, with the models in the files of
 * paths, if any.  1 if all episodes reached the goal, 0 if not, -1 with err
 * filled.
 */
int plan_live(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, char **command, struct cscg_err *err);

/* Refuse options (var ends in NULL) that were given, and why. */
void plan_refuse(const void *const *var, const char *const *word,
    const char *why);

/*
 * Who acts?  Ends the program if options do not fit the agent, the goal (NULL:
 * none) or the models.
 */
enum plan_agent plan_agent_judge(const struct plan_set *set,
    const struct cscg_goal *goal, char **paths);

/* The agent that set asks for; NULL with err filled.  Borrows the models. */
struct cscg_agent *plan_agent_new(const struct plan_set *set,
    const struct cscg_goal *goal, const struct cscg_schemas *models,
    const struct cscg_env_header *world, struct cscg_err *err);

/* The agent for several models: the same, and what its rows say more. */
void plan_match_judge(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths);
struct cscg_agent *plan_match_new(const struct plan_set *set,
    const struct cscg_goal *goal, const struct cscg_schemas *models,
    const struct cscg_env_header *world, struct cscg_err *err);

enum { PLAN_MATCH_TURN = 2, PLAN_MATCH_EPISODE = 5 };
extern const struct cscg_col plan_match_cols[PLAN_MATCH_EPISODE];
void plan_match_cells(const struct cscg_agent *agent,
    const struct cscg_schemas *models, union cscg_cell *cell);

#endif
