/* cscg-plan_match.c - the agent for several models, and what it says of them */
#include <string.h>

#include "plan/agent_match.h"
#include "cscg-plan.h"

const struct cscg_col plan_match_cols[PLAN_MATCH_EPISODE] = {
	{ "model", CSCG_COL_STRING, 0 }, { "posterior", CSCG_COL_DOUBLE, 0 },
	{ "memory", CSCG_COL_BOOL, 0 }, { "verdict", CSCG_COL_STRING, 0 },
	{ "margin", CSCG_COL_DOUBLE, 0 }
};

static void
judge_files(char **paths)
{
	if (!paths[0])
		cmd_usage("--task match needs models");
	cmd_judge_schemas(paths, 0);
}

void
plan_match_judge(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths)
{
	const void *const others[] = { &set->agent, &set->best, &set->smooth,
	    &set->explore_steps, &set->until, &set->no_collect, &set->replan,
	    &set->surprise, &set->max_plans, &set->untied, &set->iterations,
	    &set->restarts, &set->detour, &set->inverse, &set->isa, NULL };
	static const char *const words[] = { "agent", "best", "smooth",
	    "explore-steps", "explore-until", "pass-by", "replan", "surprise",
	    "max-plans", "untied", "iterations", "restarts", "detour",
	    "inverse", "isa" };
	const void *const verify[] = { &set->verify, NULL };
	static const char *const verify_word[] = { "verify" };

	judge_files(paths);
	plan_refuse(others, words, "does not go with several models, or "
	    "--task match");
	if (set->task == PLAN_TASK_MATCH && goal)
		cmd_usage("--task match has no goal");
	if (set->task != PLAN_TASK_MATCH)
		plan_refuse(verify, verify_word, "goes with --task match "
		    "alone");
	if (goal && goal->kind == CSCG_GOAL_STATE)
		cmd_usage("--goal state:N needs one model");
}

struct cscg_agent *
plan_match_new(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_schemas *models, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	struct cscg_agent_match_options how = {
		.model = models->m, .name = models->names.v, .n = models->n,
		.goal = goal, .verify = set->verify,
		.confidence = cmd_given(&set->confidence) ? set->confidence :
		    -1,
		.explore = cmd_given(&set->explore) ? set->explore : NULL,
		.track = { .slip = set->slip }, .new_world = set->new_world,
		.seed = (uint64_t)cmd.seed
	};

	return cscg_agent_match_new(world, &how, err);
}

void
plan_match_cells(const struct cscg_agent *agent,
    const struct cscg_schemas *models, union cscg_cell *cell)
{
	struct cscg_agent_match_result v;

	cscg_agent_match_get_result(agent, &v);
	cell[0].s = models->names.v[v.best];
	cell[1].d = v.posterior;
	cell[2].l = v.is_grounded;
	cell[3].s = cscg_novelty_text(v.novelty);
	cell[4].d = v.margin;
}
