/*
 * agent_plan.c - explore, plan, act, plan again
 *
 * Thinking, which is binding or learning, is what costs.  It is done when it
 * can change what is done next: lightly in each turn of exploring for
 * confidence, thoroughly at the end of exploring by number, when a plan has
 * failed, and when one is at its end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/agent_plan.h"
#include "plan/explore.h"
#include "plan/facts.h"
#include "base/mem.h"
#include "plan/plan.h"

struct agent {
	struct cscg_agent part;	/* first: what the world is played with */
	struct cscg_agent_plan set;
	struct cscg_mind *mind;
	struct cscg_explore *explore;
	int collect;		/* or -1 */
	int wanted;		/* symbol or state that the goal names, or -1 */
	double *weight;		/* [states] of the goal */
	size_t cap_weight;
	struct cscg_facts facts;	/* what was tried; until tried only */
	unsigned char *saw;	/* [n_obs] symbols seen; until seen only */
	int n_obs, n_saw;

	/* this episode */
	int x, goal;		/* seen last, asked for; -1: none */
	double p;		/* P(x | what came before), NaN: not known */
	long steps, plans, thorough;	/* thorough: step of such a thought */
	struct cscg_plan plan;
	long at;		/* actions of it that were taken */
	bool active;		/* the plan is being carried out */
	long mistrust;		/* age of the learned model that failed it */
	bool explored;		/* enough, or nothing was asked for */
	bool reached;
};

static struct agent *
self(struct cscg_agent *part)
{
	return (struct agent *)part;
}

/* ---- the goal ---- */

/* The symbol that is looked for, or -1. */
static int
goal_symbol(const struct agent *g)
{
	switch (g->set.goal->kind) {
	case CSCG_GOAL_SYMBOL:
		return g->wanted;
	case CSCG_GOAL_ENV:
		return g->goal;
	default:
		return -1;
	}
}

/* Is the agent there, as far as it sees or believes? */
static bool
arrived(const struct agent *g)
{
	int now = cscg_mind_now(g->mind), x = goal_symbol(g);

	switch (g->set.goal->kind) {
	case CSCG_GOAL_START:
		return now >= 0 && now == cscg_mind_origin(g->mind);
	case CSCG_GOAL_STATE:
		return now >= 0 && now == g->wanted;
	default:
		return x >= 0 && x == g->x;
	}
}

/* Is there anything to plan for, or must it be found first? */
static bool
worth_planning(const struct agent *g)
{
	const struct cscg_model *m = g->set.mind.model;
	int x = goal_symbol(g);

	if (!cscg_mind_map(g->mind) || cscg_mind_now(g->mind) < 0)
		return false;
	if (g->set.goal->kind == CSCG_GOAL_START ||
	    g->set.goal->kind == CSCG_GOAL_STATE)
		return true;
	return x >= 0 && ((m && m->kind == CSCG_GROUNDED) ||
	    cscg_mind_saw(g->mind, x));
}

static int
weigh_goal(struct agent *g, struct cscg_err *err)
{
	int n = cscg_mind_map(g->mind)->n_states, x = goal_symbol(g), j;

	if (cscg_grow(&g->weight, &g->cap_weight, (size_t)n,
	    sizeof *g->weight, err) < 0)
		return -1;
	if (x >= 0) {
		cscg_mind_looks(g->mind, x, g->weight);
		return 0;
	}
	for (j = 0; j < n; j++)
		g->weight[j] = 0;
	g->weight[g->set.goal->kind == CSCG_GOAL_START ?
	    cscg_mind_origin(g->mind) : g->wanted] = 1;
	return 0;
}

/* ---- what a turn may be ---- */

static void
drop_plan(struct agent *g)
{
	cscg_plan_free(&g->plan);
	g->active = false;
	g->at = 0;
}

/* Has the plan failed, by what was seen after its last action? */
static bool
fails(const struct agent *g)
{
	if (g->set.replan == CSCG_REPLAN_END || g->at == 0)
		return false;
	return g->p < g->set.surprise ||
	    cscg_mind_now(g->mind) != g->plan.z[g->at];
}

/* Think; a thorough thought of this step is not repeated. */
static int
think(struct agent *g, bool light, struct cscg_err *err)
{
	if (g->thorough == g->steps)
		return 0;
	if (!light)
		g->thorough = g->steps;
	return cscg_mind_think(g->mind, light, err);
}

/*
 * Look for a plan: 1 if there is one that is good enough and not empty, 0 if
 * not.
 */
static int
make_plan(struct agent *g, struct cscg_err *err)
{
	struct cscg_ask ask = { .best = g->set.best, .max_length = -1,
	    .seed = g->set.mind.seed, .key = (uint64_t)g->steps };
	int rc;

	drop_plan(g);
	if (!worth_planning(g))
		return 0;
	if (weigh_goal(g, err) < 0)
		return -1;
	ask.from = cscg_mind_now(g->mind);
	ask.goal = g->weight;
	ask.confidence = g->set.confidence / cscg_mind_p(g->mind);
	if (!ask.best && ask.confidence > 1)
		return 0;
	rc = cscg_plan(cscg_mind_map(g->mind), &ask, &g->plan, NULL, err);
	g->active = rc > 0 && g->plan.n > 0;
	return rc < 0 ? -1 : g->active;
}

/* Take the next action of the plan. */
static int
follow_plan(struct agent *g, int *a)
{
	*a = cscg_mind_action(g->mind, g->plan.a[g->at++]);
	return 1;
}

static int
explore(struct agent *g, int *a, struct cscg_err *err)
{
	return cscg_explore_next(g->explore, g->mind, a, err) < 0 ? -1 : 1;
}

/*
 * At the goal: collect where that is possible, and go on; otherwise this was
 * it.
 */
static int
enjoy(struct agent *g, int *a)
{
	drop_plan(g);
	if (g->set.goal->kind == CSCG_GOAL_ENV && g->collect >= 0) {
		*a = g->collect;
		return 1;
	}
	g->reached = true;
	return 0;
}

/* ---- how long to explore ---- */

/* Remember that a (-1: none) led from g->x to x. */
static void
remember(struct agent *g, int a, int x)
{
	if (x < 0)
		return;
	if (g->set.until == CSCG_UNTIL_TRIED && a >= 0 && g->x >= 0)
		cscg_facts_add(&g->facts, g->x, a, x);
	if (g->set.until == CSCG_UNTIL_SEEN && !g->saw[x]) {
		g->saw[x] = 1;
		g->n_saw++;
	}
}

static void
forget(struct agent *g)
{
	if (g->set.until == CSCG_UNTIL_TRIED)
		cscg_facts_forget(&g->facts);
	if (g->set.until == CSCG_UNTIL_SEEN)
		memset(g->saw, 0, (size_t)g->n_obs);
	g->n_saw = 0;
}

static bool
exploring(struct agent *g)
{
	int x, a;

	if (g->steps < g->set.explore_steps)
		return true;
	if (g->set.until == CSCG_UNTIL_SEEN)
		return g->n_saw < g->n_obs;
	if (g->set.until != CSCG_UNTIL_TRIED || g->x < 0)
		return false;
	cscg_facts_search(&g->facts, g->x);
	return cscg_facts_untried(&g->facts, g->collect, &x, &a) >= 0;
}

static int
set_until(struct agent *g, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	g->n_obs = world->head.n_obs;
	if (g->set.until == CSCG_UNTIL_TRIED)
		return cscg_facts_init(&g->facts, g->n_obs,
		    world->head.n_actions, err);
	g->saw = cscg_alloc((size_t)g->n_obs, 1, err);
	return g->saw ? 0 : -1;
}

/* ---- the part ---- */

static int
on_begin(struct cscg_agent *part, long episode, struct cscg_err *err)
{
	struct agent *g = self(part);

	drop_plan(g);
	g->x = g->goal = -1;
	g->p = NAN;
	g->steps = g->plans = 0;
	g->thorough = -1;
	g->mistrust = -1;
	g->reached = false;
	g->explored = false;
	if (g->set.forget)
		forget(g);
	cscg_explore_begin(g->explore, g->set.mind.seed, episode);
	return cscg_mind_begin(g->mind, g->set.forget, err);
}

static int
on_see(struct cscg_agent *part, int a, const struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	struct agent *g = self(part);

	g->steps += a >= 0;
	remember(g, obs->reset || a == g->collect ? -1 : a, obs->x);
	g->x = obs->x;
	g->goal = obs->goal;
	/* Who collects stays where it is, unless it is put elsewhere. */
	if (a >= 0 && a == g->collect && !obs->reset)
		return 0;
	if (obs->reset)
		drop_plan(g);
	return cscg_mind_see(g->mind, a, obs->x, obs->reset, &g->p, err);
}

/* A goal that is seen needs no thought; one that is believed in does. */
static bool
is_seen(const struct agent *g)
{
	return g->set.goal->kind == CSCG_GOAL_SYMBOL ||
	    g->set.goal->kind == CSCG_GOAL_ENV;
}

/*
 * Explore without a look at anything else.  Until all was tried after what is
 * seen, what is to be learned can wait.
 */
static int
go_on_exploring(struct agent *g, int *a, struct cscg_err *err)
{
	bool waits = g->set.until == CSCG_UNTIL_TRIED &&
	    cscg_mind_learns(g->mind);

	if (is_seen(g) && arrived(g) && g->collect >= 0 && !g->set.pass_by)
		return enjoy(g, a);
	if (cscg_explore_looks(g->set.explore) && !waits &&
	    think(g, true, err) < 0)
		return -1;
	return explore(g, a, err);
}

static int
on_choose(struct cscg_agent *part, int *a, struct cscg_err *err)
{
	struct agent *g = self(part);
	bool light = true, failed;
	int rc;

	if (exploring(g)) {
		g->explored = false;
		drop_plan(g);
		return go_on_exploring(g, a, err);
	}
	if (is_seen(g) && arrived(g))
		return enjoy(g, a);
	if (g->active) {
		failed = fails(g);
		if (!failed && g->at < g->plan.n &&
		    g->set.replan != CSCG_REPLAN_STEP)
			return follow_plan(g, a);
		light = !failed && g->at < g->plan.n;
		if (!light && cscg_mind_learns(g->mind))
			g->mistrust = cscg_mind_age(g->mind);
	} else if (!g->explored) {
		light = false;
	}
	g->explored = true;
	if (think(g, light, err) < 0)
		return -1;
	if (arrived(g))
		return enjoy(g, a);
	/* A learned model that has misled is not used again. */
	rc = g->mistrust == cscg_mind_age(g->mind) ? 0 : make_plan(g, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		drop_plan(g);
		return explore(g, a, err);
	}
	if (g->set.max_plans && g->plans == g->set.max_plans) {
		drop_plan(g);
		return 0;
	}
	g->plans++;
	return follow_plan(g, a);
}

static void
on_tell(const struct cscg_agent *part, struct cscg_thought *thought)
{
	const struct agent *g = (const struct agent *)part;

	thought->state = cscg_mind_now(g->mind);
	thought->p = thought->state < 0 ? NAN : cscg_mind_p(g->mind);
	thought->plan = g->active ? g->plans : 0;
	thought->left = g->active ? g->plan.n - g->at : 0;
	thought->success = g->active ? g->plan.success : NAN;
}

/* Where there is something to collect, an episode has no other end. */
static bool
on_reached(const struct cscg_agent *part)
{
	const struct agent *g = (const struct agent *)part;

	return g->reached || (is_seen(g) && arrived(g)) ||
	    (g->set.goal->kind == CSCG_GOAL_ENV && g->collect >= 0);
}

static struct cscg_model *
on_model(const struct cscg_agent *part, struct cscg_err *err)
{
	return cscg_mind_model(((const struct agent *)part)->mind, err);
}

static void
on_free(struct cscg_agent *part)
{
	struct agent *g = self(part);

	cscg_plan_free(&g->plan);
	cscg_mind_free(g->mind);
	cscg_explore_free(g->explore);
	cscg_facts_free(&g->facts);
	free(g->saw);
	free(g->weight);
	free(g);
}

/* ---- making ---- */

static int
set_goal(struct agent *g, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	const struct cscg_goal *goal = g->set.goal;
	const struct cscg_model *m = g->set.mind.model;

	g->wanted = -1;
	if (goal->kind == CSCG_GOAL_SYMBOL) {
		g->wanted = cscg_goal_symbol(goal, &world->head.symbols,
		    world->head.n_obs, err);
		return g->wanted < 0 ? cscg_fail_at(err, "--goal") : 0;
	}
	if (goal->kind != CSCG_GOAL_STATE)
		return 0;
	g->wanted = goal->state;
	if (!m)
		return cscg_fail(err, CSCG_EUSAGE, "--goal: without a model "
		    "there are no states to name");
	if (goal->state >= m->n_states)
		return cscg_fail(err, CSCG_EUSAGE, "--goal: state %d is "
		    "outside 0..%d", goal->state, m->n_states - 1);
	return 0;
}

struct cscg_agent *
cscg_agent_plan_new(const struct cscg_env_head *world,
    const struct cscg_agent_plan *set, struct cscg_err *err)
{
	struct agent *g = cscg_alloc(1, sizeof *g, err);

	if (!g)
		return NULL;
	g->part = (struct cscg_agent){ on_begin, on_see, on_choose, on_tell,
	    on_reached, on_model, on_free };
	g->set = *set;
	g->collect = world->collect;
	g->set.mind.apart = world->collect;
	cscg_mind_defaults(&g->set.mind);
	if (set_goal(g, world, err) < 0 || set_until(g, world, err) < 0)
		goto fail;
	g->explore = cscg_explore_new(set->explore, &world->head,
	    world->collect, err);
	if (!g->explore) {
		cscg_fail_at(err, "--explore");
		goto fail;
	}
	g->mind = cscg_mind_new(&world->head, &g->set.mind, err);
	if (!g->mind)
		goto fail;
	return &g->part;
fail:
	on_free(&g->part);
	return NULL;
}

struct cscg_mind *
cscg_agent_plan_mind(struct cscg_agent *agent)
{
	return self(agent)->mind;
}
