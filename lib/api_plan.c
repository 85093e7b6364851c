/*
 * api_plan.c - cscg.h: partition, planning, agents
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/mem.h"
#include "core/graph.h"
#include "kernel/cpu.h"
#include "plan/agent_plan.h"
#include "plan/agent_match.h"
#include "plan/plan.h"
#include "schema/partition.h"

/* ---- partition ---- */

struct cscg_partition_settings
cscg_partition_defaults(void)
{
	static const struct cscg_partition_options defaults =
	    CSCG_PARTITION_DEFAULTS;

	return (struct cscg_partition_settings){ defaults.max_conductance,
		defaults.max_cut_ratio, defaults.min_size,
		CSCG_PARTITION_MIN_PROB };
}

struct cscg_partition *
cscg_model_partition(const struct cscg_model *m,
    const struct cscg_partition_settings *set, struct cscg_err *err)
{
	struct cscg_partition_settings copy = set ? *set :
						    cscg_partition_defaults();
	struct cscg_partition_options how = { copy.max_conductance,
		copy.max_cut_ratio, copy.min_size };
	struct cscg_partition *p = NULL;
	struct cscg_graph *g;

	if (!(how.max_conductance >= 0) || !(how.max_cut_ratio >= 0) ||
	    how.min_size < 1 || !(copy.min_prob >= 0)) {
		cscg_fail(err, CSCG_EUSAGE,
		    "conductance %g, cut ratio %g, %ld states, probability %g",
		    how.max_conductance, how.max_cut_ratio, how.min_size,
		    copy.min_prob);
		return NULL;
	}
	g = cscg_graph_of_model(m, copy.min_prob, err);
	if (g)
		p = cscg_partition_new(g, &how, err);
	cscg_graph_free(g);
	return p;
}

int
cscg_partition_n_rooms(const struct cscg_partition *p)
{
	return p->n;
}

const int *
cscg_partition_room_of(const struct cscg_partition *p)
{
	return p->room;
}

const int *
cscg_partition_class_of(const struct cscg_partition *p)
{
	return p->class_of;
}

/* ---- planning ---- */

struct cscg_plan_settings
cscg_plan_defaults(void)
{
	return (struct cscg_plan_settings){ .goal = CSCG_GOAL_SYMBOL,
		.goal_number = -1,
		.start = -1,
		.confidence = .5,
		.max_steps = -1,
		.seed = 42 };
}

static int
check_plan(const struct cscg_model *m, const struct cscg_walk *walk,
    const struct cscg_plan_settings *set, struct cscg_err *err)
{
	bool needs_walk = set->start < 0 || set->goal == CSCG_GOAL_START;
	int end = set->goal == CSCG_GOAL_STATE ? m->n_states : m->n_obs;

	if (set->start < -1 || set->start >= m->n_states)
		return cscg_fail(err, CSCG_EUSAGE,
		    "start: state %d is outside 0..%d", set->start,
		    m->n_states - 1);
	if (set->goal > CSCG_GOAL_START)
		return cscg_fail(err, CSCG_EUSAGE,
		    "goal: a symbol, a state or the start; others are for "
		    "agents");
	if (set->goal != CSCG_GOAL_START &&
	    (set->goal_number < 0 || set->goal_number >= end))
		return cscg_fail(err, CSCG_EUSAGE,
		    "goal: %s %d is outside 0..%d",
		    set->goal == CSCG_GOAL_STATE ? "state" : "symbol",
		    set->goal_number, end - 1);
	if (!(set->confidence >= 0 && set->confidence <= 1) ||
	    !(set->smooth >= 0))
		return cscg_fail(err, CSCG_EUSAGE, "confidence %g, smooth %g",
		    set->confidence, set->smooth);
	if (needs_walk && !walk)
		return cscg_fail(err, CSCG_EUSAGE,
		    "a walk is required to determine the %s state",
		    set->start < 0 ? "current" : "first");
	if ((needs_walk || set->goal == CSCG_GOAL_SYMBOL) &&
	    m->kind != CSCG_GROUNDED)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "%s has no emissions: bind it to a walk first",
		    cscg_model_kind_text(m->kind));
	return 0;
}

/* First and last state of the walk, if they are needed; belief has space for
 * n_states. */
static int
locate(const struct cscg_model *m, const struct cscg_walk *walk,
    const struct cscg_plan_settings *set, int *from, int *first,
    double *belief, struct cscg_err *err)
{
	struct cscg_walk *w;
	int last, rc = -1;

	*from = set->start;
	*first = -1;
	if (set->start >= 0 && set->goal != CSCG_GOAL_START)
		return 0;
	w = cscg_api_align(walk, m, true, err);
	if (w)
		rc = cscg_plan_locate(m, set->smooth, w, &last, first, belief,
		    err);
	if (rc == 0 && *from < 0)
		*from = last;
	cscg_walk_free(w);
	return rc;
}

int
cscg_model_plan(const struct cscg_model *m, const struct cscg_walk *walk,
    const struct cscg_plan_settings *set, struct cscg_plan *plan, double *best,
    struct cscg_err *err)
{
	struct cscg_plan_settings defaults = cscg_plan_defaults();
	struct cscg_plan_query query = { .start = NULL };
	struct cscg_plan_graph *graph = NULL;
	double *goal;
	int first, rc = -1;

	set = set ? set : &defaults;
	if (check_plan(m, walk, set, err) < 0)
		return -1;
	goal = cscg_alloc((size_t)m->n_states, sizeof *goal, err);
	if (!goal || locate(m, walk, set, &query.from, &first, goal, err) < 0)
		goto out;
	memset(goal, 0, (size_t)m->n_states * sizeof *goal);
	if (set->goal == CSCG_GOAL_SYMBOL)
		cscg_goal_weigh_symbol(m, set->goal_number, goal);
	else
		goal[set->goal == CSCG_GOAL_START ? first : set->goal_number] =
		    1;
	query.goal = goal;
	query.confidence = set->confidence;
	query.best = set->best;
	query.max_steps = set->max_steps;
	query.seed = set->seed;
	graph = cscg_plan_graph_new(m, set->smooth, err);
	if (graph)
		rc = cscg_plan(graph, &query, plan, best, err);
out:
	cscg_plan_graph_free(graph);
	free(goal);
	return rc;
}

/* ---- agents ---- */

/*
 * The agent that a caller holds, with the objects that the agent of plan/
 * borrows.
 */
struct owner {
	struct cscg_agent base; /* only for cscg_agent_free() */
	struct cscg_agent *agent;
	struct cscg_env_header world;
	struct cscg_goal goal;
	char number[16];           /* of a goal symbol without a name */
	struct cscg_model **model; /* [n_models] borrowed */
	char (*name)[16];
	char **names;
};

struct cscg_agent_settings
cscg_agent_defaults(void)
{
	return (struct cscg_agent_settings){ .goal = CSCG_GOAL_ENV,
		.goal_number = -1,
		.collect = -1,
		.explore = "random",
		.confidence = -1,
		.surprise = 1e-4,
		.seed = 42,
		.threads = 1 };
}

static void
owner_free(struct cscg_agent *agent)
{
	struct owner *o = (struct owner *)agent;

	cscg_agent_free(o->agent);
	cscg_env_header_free(&o->world);
	free(o->model);
	free(o->name);
	free(o->names);
}

static const struct cscg_agent_kind owner_kind = { .free = owner_free };

static const struct cscg_agent *
inner(const struct cscg_agent *agent)
{
	return ((const struct owner *)agent)->agent;
}

static int
set_goal(struct owner *o, const struct cscg_agent_settings *set,
    struct cscg_err *err)
{
	const struct cscg_walk_header *head = &o->world.head;

	o->goal.kind = set->goal;
	o->goal.state = set->goal_number;
	if (set->goal == CSCG_GOAL_MATCH && set->n_models < 1)
		return cscg_fail(err, CSCG_EUSAGE,
		    "goal: no model is given to identify");
	if (set->goal == CSCG_GOAL_STATE && set->goal_number < 0)
		return cscg_fail(err, CSCG_EUSAGE, "goal: state %d",
		    set->goal_number);
	if (set->goal != CSCG_GOAL_SYMBOL)
		return 0;
	if (set->goal_number < 0 || set->goal_number >= head->n_obs)
		return cscg_fail(err, CSCG_EUSAGE,
		    "goal: symbol %d is outside 0..%d", set->goal_number,
		    head->n_obs - 1);
	snprintf(o->number, sizeof o->number, "%d", set->goal_number);
	o->goal.symbol = head->symbols.n ? head->symbols.v[set->goal_number] :
					   o->number;
	return 0;
}

static struct cscg_agent *
new_planner(const struct owner *o, const struct cscg_agent_settings *set,
    const struct cscg_simd *simd, struct cscg_err *err)
{
	struct cscg_agent_plan_options how = {
		.knowledge = { .model = set->n_models ? set->model[0] : NULL,
		    .seed = set->seed,
		    .threads = set->threads < 1 ? 1 : set->threads,
		    .simd = simd },
		.goal = &o->goal,
		.explore = set->explore,
		.confidence = set->confidence < 0 ? .5 : set->confidence,
		.best = set->best,
		.surprise = set->surprise,
		.new_world = set->new_world
	};

	return cscg_agent_plan_new(&o->world, &how, err);
}

static struct cscg_agent *
new_matcher(struct owner *o, const struct cscg_agent_settings *set,
    struct cscg_err *err)
{
	struct cscg_agent_match_options how = { .n = set->n_models,
		.goal = set->goal == CSCG_GOAL_MATCH ? NULL : &o->goal,
		.confidence = set->confidence,
		.verify = 20,
		.explore = strcmp(set->explore, "random") ? set->explore :
							    NULL,
		.track = { .slip = set->slip },
		.new_world = set->new_world,
		.seed = set->seed };
	size_t n = (size_t)set->n_models;
	int i;

	o->model = cscg_copy(set->model, n, sizeof *o->model, err);
	o->name = cscg_api_names(set->n_models, err);
	o->names = cscg_alloc(n, sizeof *o->names, err);
	if (!o->model || !o->name || !o->names)
		return NULL;
	for (i = 0; i < set->n_models; i++)
		o->names[i] = o->name[i];
	how.model = o->model;
	how.name = o->names;
	return cscg_agent_match_new(&o->world, &how, err);
}

struct cscg_agent *
cscg_agent_new(const struct cscg_alphabet *alphabet,
    const struct cscg_agent_settings *set, struct cscg_err *err)
{
	struct cscg_agent_settings copy = set ? *set : cscg_agent_defaults();
	const struct cscg_simd *simd;
	struct owner *o = cscg_alloc(1, sizeof *o, err);

	if (!o)
		return NULL;
	o->base.kind = &owner_kind;
	o->world.collect = copy.collect;
	if (cscg_cpu_choose_simd(copy.isa ? copy.isa : "auto", &simd, err) ==
		0 &&
	    cscg_api_header(alphabet, &o->world.head, err) == 0 &&
	    cscg_api_check_index("collect", copy.collect, -1,
		alphabet->n_actions, err) == 0 &&
	    set_goal(o, &copy, err) == 0)
		o->agent = copy.n_models > 1 || copy.goal == CSCG_GOAL_MATCH ||
			copy.goal == CSCG_GOAL_REWARD ?
		    new_matcher(o, &copy, err) :
		    new_planner(o, &copy, simd, err);
	if (o->agent)
		return &o->base;
	cscg_agent_free(&o->base);
	return NULL;
}

int
cscg_agent_begin(struct cscg_agent *agent, long episode, struct cscg_err *err)
{
	return cscg_agent_start(((struct owner *)agent)->agent, episode, err);
}

int
cscg_agent_observe(struct cscg_agent *agent, int a, int x, int goal,
    bool reset, struct cscg_err *err)
{
	struct owner *o = (struct owner *)agent;
	const struct cscg_walk_header *head = &o->world.head;
	struct cscg_env_obs obs = { .x = x,
		.goal = goal,
		.z = -1,
		.distance = NAN,
		.episode = -1,
		.reset = reset };

	if (cscg_api_check_index("action", a, -1, head->n_actions, err) < 0 ||
	    cscg_api_check_index("symbol", x, -1, head->n_obs, err) < 0 ||
	    cscg_api_check_index("goal", goal, -1, head->n_obs, err) < 0)
		return -1;
	return cscg_agent_update(o->agent, a, &obs, err);
}

int
cscg_agent_choose(struct cscg_agent *agent, int *a, struct cscg_err *err)
{
	return cscg_agent_decide(((struct owner *)agent)->agent, a, err);
}

int
cscg_agent_state(const struct cscg_agent *agent, double *p)
{
	struct cscg_agent_status status = { .state = -1, .p = NAN };

	cscg_agent_report(inner(agent), &status);
	if (p)
		*p = status.p;
	return status.state;
}

bool
cscg_agent_reached(const struct cscg_agent *agent)
{
	return cscg_agent_has_reached(inner(agent));
}

struct cscg_model *
cscg_agent_model(const struct cscg_agent *agent, struct cscg_err *err)
{
	return cscg_agent_ground(inner(agent), err);
}
