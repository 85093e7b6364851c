/* cscg-plan_agent.c - the agents that can act in an environment */
#include "agent_inform.h"
#include "agent_plan.h"
#include "agent_track.h"
#include "cscg-plan.h"

const char *const plan_agents[] = { "plan", "tracker", "informed", NULL };

void
plan_agent_judge(const struct plan_set *set, const struct cscg_goal *goal,
    const char *path)
{
	const void *const plans[] = { &set->confidence, &set->best,
	    &set->smooth, &set->explore, &set->explore_steps, &set->until,
	    &set->pass_by, &set->replan, &set->surprise, &set->max_plans,
	    &set->untied, &set->iterations, &set->restarts, NULL };
	static const char *const plan_words[] = { "confidence", "best",
	    "smooth", "explore", "explore-steps", "explore-until", "pass-by",
	    "replan", "surprise", "max-plans", "untied", "iterations",
	    "restarts" };
	const void *const inform[] = { &set->detour, &set->inverse, NULL };
	static const char *const inform_words[] = { "detour", "inverse" };

	if (set->agent != PLAN_AGENT_INFORMED)
		plan_refuse(inform, inform_words, "goes with --agent informed "
		    "alone");
	if (set->agent == PLAN_AGENT_PLAN)
		return;
	plan_refuse(plans, plan_words, "goes with --agent plan alone");
	if (goal->kind != CSCG_GOAL_ENV)
		cmd_usage("--agent %s knows no other goal than env",
		    plan_agents[set->agent]);
	if (set->agent == PLAN_AGENT_TRACKER && !path)
		cmd_usage("--agent tracker needs a model");
	if (set->agent == PLAN_AGENT_INFORMED && path)
		cmd_usage("--agent informed takes no model");
}

static struct cscg_agent *
new_planner(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_model *m, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	struct cscg_agent_plan how = {
		.mind = { .model = m, .smooth = set->smooth,
		    .untied = set->untied, .iterations = set->iterations,
		    .restarts = set->restarts, .seed = (uint64_t)cmd.seed,
		    .threads = (int)cmd.threads, .simd = set->simd },
		.goal = goal, .explore = set->explore,
		.explore_steps = set->explore_steps,
		.until = (enum cscg_until)set->until,
		.pass_by = set->pass_by,
		.confidence = set->confidence, .best = set->best,
		.replan = (enum cscg_replan)set->replan,
		.surprise = set->surprise, .max_plans = set->max_plans,
		.forget = set->forget
	};

	return cscg_agent_plan_new(world, &how, err);
}

struct cscg_agent *
plan_agent_new(const struct plan_set *set, const struct cscg_goal *goal,
    const struct cscg_model *m, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	struct cscg_agent_track track = { .model = m, .forget = set->forget,
	    .seed = (uint64_t)cmd.seed };
	struct cscg_agent_inform inform = { .detour = set->detour,
	    .inverse = (const char *const *)set->inverse.v,
	    .n_inverse = set->inverse.n, .forget = set->forget };
	struct cscg_agent *agent;

	switch (set->agent) {
	case PLAN_AGENT_TRACKER:
		return cscg_agent_track_new(world, &track, err);
	case PLAN_AGENT_INFORMED:
		agent = cscg_agent_inform_new(world, &inform, err);
		if (!agent && err->code == CSCG_EUSAGE)
			cscg_fail_at(err, "--inverse");
		return agent;
	default:
		return new_planner(set, goal, m, world, err);
	}
}
