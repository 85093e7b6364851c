/* cscg-plan_agent.c - the agents that can act in an environment */
#include "plan/agent_inform.h"
#include "plan/agent.h"
#include "plan/agent_track.h"
#include "cscg-plan.h"

const char *const plan_agents[] = { "plan", "tracker", "informed", NULL };

enum plan_agent
plan_agent_judge(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths)
{
	const void *const plans[] = { &set->confidence, &set->best,
	    &set->smooth, &set->explore, &set->explore_steps, &set->until,
	    &set->no_collect, &set->replan, &set->surprise, &set->max_plans,
	    &set->untied, &set->iterations, &set->restarts, NULL };
	static const char *const plan_words[] = { "confidence", "best",
	    "smooth", "explore", "explore-steps", "explore-until", "pass-by",
	    "replan", "surprise", "max-plans", "untied", "iterations",
	    "restarts" };
	const void *const inform[] = { &set->detour, &set->inverse, NULL };
	static const char *const inform_words[] = { "detour", "inverse" };
	const void *const match[] = { &set->verify, &set->slip, NULL };
	static const char *const match_words[] = { "verify", "slip" };

	if (set->task == PLAN_TASK_MATCH || (paths[0] && paths[1])) {
		plan_match_judge(set, goal, paths);
		return PLAN_AGENT_MATCH;
	}
	plan_refuse(match, match_words, "goes with several models, or --task "
	    "match");
	if (set->agent != PLAN_AGENT_INFORMED)
		plan_refuse(inform, inform_words, "goes with --agent informed "
		    "alone");
	if (set->agent == PLAN_AGENT_PLAN)
		return PLAN_AGENT_PLAN;
	plan_refuse(plans, plan_words, "goes with --agent plan alone");
	if (goal->kind != CSCG_GOAL_ENV)
		cmd_usage("--agent %s knows no other goal than env",
		    plan_agents[set->agent]);
	if (set->agent == PLAN_AGENT_TRACKER && !paths[0])
		cmd_usage("--agent tracker needs a model");
	if (set->agent == PLAN_AGENT_INFORMED && paths[0])
		cmd_usage("--agent informed takes no model");
	return set->agent;
}

static struct cscg_agent *
new_planner(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_model *m, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	struct cscg_agent_plan_options how = {
		.knowledge = { .model = m, .smooth = set->smooth,
		    .untied = set->untied, .iterations = set->iterations,
		    .restarts = set->restarts, .seed = (uint64_t)cmd.seed,
		    .threads = (int)cmd.threads, .simd = set->simd },
		.goal = goal, .explore = set->explore,
		.explore_steps = set->explore_steps,
		.until = (enum cscg_agent_until)set->until,
		.no_collect = set->no_collect,
		.confidence = set->confidence, .best = set->best,
		.replan = (enum cscg_agent_replan)set->replan,
		.surprise = set->surprise, .max_plans = set->max_plans,
		.new_world = set->new_world
	};

	return cscg_agent_plan_new(world, &how, err);
}

struct cscg_agent *
plan_agent_new(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_schemas *models, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	const struct cscg_model *m = models->n ? models->m[0] : NULL;
	struct cscg_agent_track_options track = { .model = m, .new_world = set->new_world,
	    .seed = (uint64_t)cmd.seed };
	struct cscg_agent_informed_options inform = { .detour = set->detour,
	    .inverse = (const char *const *)set->inverse.v,
	    .n_inverse = set->inverse.n, .new_world = set->new_world };
	struct cscg_agent *agent;

	switch (set->who) {
	case PLAN_AGENT_MATCH:
		return plan_match_new(set, goal, models, world, err);
	case PLAN_AGENT_TRACKER:
		return cscg_agent_track_new(world, &track, err);
	case PLAN_AGENT_INFORMED:
		agent = cscg_agent_informed_new(world, &inform, err);
		if (!agent && err->code == CSCG_EUSAGE)
			cscg_fail_at(err, "--inverse");
		return agent;
	default:
		return new_planner(set, goal, m, world, err);
	}
}
