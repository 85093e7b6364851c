/*
 * agent_match.c - agent that acts to identify which of several models explains
 * the environment
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/agent_match.h"
#include "plan/explore.h"
#include "base/mem.h"
#include "plan/discriminate.h"
#include "plan/binding_cost.h"
#include "base/rng.h"
#include "plan/candidate.h"
#include "plan/places.h"
#include "plan/reward.h"

enum {
	VERIFY_STEPS_MAX = 100, /* consecutive steps: see test_best() */
	EXPLORE_ONE_IN = 10,    /* with rewards as the goal, one step in this
	                           number explores */
	ATTEMPT = 16,           /* weight of an attempt at an action; that of
	                           a step on the way there that came no nearer
	                           is 1 */
	ATTEMPTS_MAX = 3 * ATTEMPT, /* of an action whose outcome stays
	                           ambiguous, or that is not reached */
	DETOUR = 3,           /* steps to an untried action of a learned map */
	WALL_LATER = 2,       /* steps that a wall may be nearer than a
	                         frontier that is tried before it (fig-life:
	                         step of the first correct plan) */
	RANDOM_ONE_IN = 6,    /* of the untried actions of a state of a partial
	                      map, one in this number is random */
	VISITS_IN_ORDER = 16, /* visits to a symbol in which these actions are
	                      tried in the same order */
	EXPLORE_FIRST = 3000, /* steps in which a partial map is completed, or
	                       a goal sought by a random walk */
	EXPLORE_AFTER = 400,  /* steps in one environment, from which on one in
	                        EXPLORE_ONE_IN explores between goals, */
	MAP_ONE_IN = 4,       /* or one in this number, if a map was learned */
	EXPLORE_MAX =
	    100, /* consecutive steps without a plan, after which some
	                      are random: hypotheses that alternate may each
	                      explore the same action repeatedly */
};

/*
 * Classes of cscg_places_untried(), as bits: actions that lead to unknown
 * symbols, those that may be doors, and all.
 */
static const unsigned UNKNOWN = 1u << 2, DOORS = 1u << 3 | 1u << 4,
		      UNTRIED = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4;

static const double CONFIDENCE_DEFAULT = .95;
/* Least probability of success of a plan, and of the state at arrival. */
static const double MIN_SUCCESS = .5;
/*
 * Slip probability of schemas without a goal, since the environment may have
 * another size than the schema.  With a goal it is not raised, because plans
 * need exact paths.
 */
static const double SIZE_SLIP = .05;

/* Nats of lead in log-likelihood and in binding cost that end test_best(). */
static const double MIN_LEAD = 20, MIN_COST = 10;

struct match_agent {
	struct cscg_agent base; /* first member */
	struct cscg_agent_match_options set;
	struct cscg_env_header header;      /* shallow */
	struct cscg_experience *experience; /* NULL: the agent learns no map */
	struct cscg_model **model; /* [n] those of set, learned rooms, map */
	struct cscg_names names;   /* [n] */
	int n;
	struct cscg_places *places;
	struct cscg_candidate **candidate; /* [n] the likeliest of a model */
	struct cscg_discriminate *discriminate;
	struct cscg_binding_cost *binding_cost;
	struct cscg_explore *explore; /* or NULL */
	struct cscg_novelty *novelty;
	double *posterior;
	double *even_posterior; /* [n] best and runner-up as equally likely */
	struct cscg_rng rng;
	bool begun;

	int best; /* the model of the likeliest hypothesis, world; or -1 */
	struct cscg_places_world *world; /* or NULL */
	bool was_confident;              /* in this environment */
	long n_detours;                  /* steps, since the map was learned */
	long n_explored;                 /* steps in this environment */
	bool is_exploring; /* on the way to an untried action, which the agent
	                      tries before it pursues its goal again */
	struct cscg_reward reward; /* of the nodes of the best hypothesis */
	unsigned char
	    *n_attempts; /* [n_nodes * n_actions] of untried actions */
	int n_nodes;
	size_t cap_attempts;
	long *n_visits; /* [n_obs] steps that observed a symbol */
	int distance;   /* of the untried action that was chosen last */

	/* this episode */
	long n_confident; /* consecutive steps above the threshold */
	long n_unplanned; /* consecutive steps without a plan */
	long episode;     /* its number */
	int next;         /* state after the plan's next action, or -1, */
	int next_place;   /* unless it leaves this place */
	int last;         /* the last random action, or -1 */
	int unchanged;    /* the last action, if the symbol after it is that
	                     before it, or -1 */
	int node; /* where the last action was taken, if certain, or -1 */
};

static struct match_agent *
self(struct cscg_agent *base)
{
	return (struct match_agent *)base;
}

/* ---- posteriors ---- */

static bool
is_confident(const struct match_agent *g)
{
	return g->best >= 0 && g->posterior[g->best] >= g->set.confidence;
}

/* Whether no model explains the observations. */
static bool
is_lost(const struct match_agent *g)
{
	return !g->world ||
	    (g->experience && cscg_experience_is_lost(g->experience));
}

/*
 * Whether the posterior of the hypotheses that agree on model and state suffices
 * to act: once the agent was confident, 1/2 does.
 */
static bool
can_act(const struct match_agent *g)
{
	double p = g->world ? cscg_places_agreement(g->places) : 0;

	return p >= g->set.confidence || (g->was_confident && p >= .5);
}

/* The likeliest schema besides the best model; -1: none. */
static int
runner_up(const struct match_agent *g)
{
	double score, most = -INFINITY;
	int i, second = -1;

	/* By log-likelihood: posteriors may underflow and be equal. */
	for (i = 0; i < g->n; i++) {
		score = cscg_candidate_loglik(g->candidate[i]);
		if (i == g->best ||
		    cscg_candidate_is_grounded(g->candidate[i]) ||
		    score <= most)
			continue;
		second = i;
		most = score;
	}
	return second;
}

/* ---- untried actions ---- */

/* Whether the map is that of an environment that is being explored. */
static bool
has_partial_map(const struct match_agent *g)
{
	return g->world && g->experience && g->experience->is_partial;
}

static bool
has_goal(const struct match_agent *g)
{
	return g->base.n_goals > 0;
}

static bool
goal_is_reward(const struct match_agent *g)
{
	return has_goal(g) &&
	    cscg_agent_goal(&g->base)->kind == CSCG_GOAL_REWARD;
}

/*
 * Whether the first third of the steps that the environment announces is over;
 * false: it announces none.
 */
static bool
third_is_over(const struct match_agent *g)
{
	double n = (double)g->header.steps *
	    (g->set.new_world ? 1 : fmax((double)g->header.episodes, 1));

	return n > 0 && 3. * (double)g->experience->n_total >= n;
}

/*
 * Whether the agent, whose map is partial, tries all actions before it goes to
 * the goal: in the first third of the episodes, for the sake of later ones; if
 * rewards are the goal, in the first third of the steps, since a partial map of
 * few steps has several states for one, and more rewards may be elsewhere.
 */
static bool
explores_first(const struct match_agent *g)
{
	if (!has_partial_map(g) || g->experience->n_total >= EXPLORE_FIRST)
		return false;
	if (goal_is_reward(g))
		return !third_is_over(g);
	return g->base.collect < 0 && g->header.episodes > 1 &&
	    g->episode < (g->header.episodes + 2) / 3;
}

/*
 * The number of attempts of each node and action, 0 for new nodes.  Hypotheses
 * that alternate may have different numbers of places, but the first ones in
 * common.
 */
static int
fit_attempts(struct match_agent *g, int n, struct cscg_err *err)
{
	size_t A = (size_t)g->base.n_actions, before = (size_t)g->n_nodes * A;

	if (n <= g->n_nodes)
		return 0;
	if (cscg_grow(&g->n_attempts, &g->cap_attempts, (size_t)n * A, 1,
		err) < 0)
		return -1;
	memset(g->n_attempts + before, 0, (size_t)n * A - before);
	g->n_nodes = n;
	return 0;
}

/*
 * The first of the actions to be tried in the present state of a partial map,
 * before the others in cyclic order.  The order is the same for some visits to
 * a symbol, so that visits to one state are comparable, and then another one:
 * the agent could follow the same few actions from each new state to the next.
 * An action that seems to have met a wall is the last one, since the state after
 * it is a new one on that map, and would meet the wall again.
 */
static int
first_in_order(const struct match_agent *g)
{
	if (g->unchanged >= 0)
		return g->unchanged + 1;
	return g->base.x < 0 ? 0 :
			       (int)(g->n_visits[g->base.x] / VISITS_IN_ORDER %
				   g->base.n_actions);
}

/*
 * Set *choice to the first action of a path to the nearest action, at most max
 * steps away, whose class by cscg_places_untried() is in the set of bits
 * `classes`; -1: none.  On a partial map the actions of a state are mostly
 * tried in an order of its symbol (first_in_order()).  Of DOORS, a wall counts as
 * WALL_LATER steps farther away than a frontier.
 */
static int
next_untried(struct match_agent *g, unsigned classes, int max, int *choice,
    struct cscg_err *err)
{
	const struct cscg_bfs *paths = cscg_places_paths(g->places);
	int n, j, k, a, class, cost, least = max, node = -1;
	int here, order;
	unsigned char *tries;
	const int *plan;
	long n_equal = 0;
	bool is_nearer;
	bool is_ordered = has_partial_map(g) &&
	    cscg_rng_below(&g->rng, RANDOM_ONE_IN) > 0;

	*choice = -1;
	if (cscg_places_search(g->places,
		(int)cscg_rng_below(&g->rng, g->base.n_actions), err) < 0)
		return -1;
	n = cscg_places_n_nodes(g->places);
	here = cscg_places_node(g->places, g->world->now,
	    g->world->path.state);
	order = is_ordered ? first_in_order(g) : 0;
	if (fit_attempts(g, n, err) < 0)
		return -1;
	for (j = 0; j < n; j++) {
		for (k = 0; k < g->base.n_actions && paths->distance[j] >= 0 &&
		     paths->distance[j] <= least;
		     k++) {
			a = (k + (j == here ? order : 0)) % g->base.n_actions;
			class = cscg_places_untried(g->places, j, a);
			cost = paths->distance[j] +
			    (classes == DOORS && class == 3 ? WALL_LATER : 0);
			if (!(classes >> class & 1) || cost > least ||
			    g->n_attempts[j * g->base.n_actions + a] >=
				ATTEMPTS_MAX ||
			    (is_ordered && j == node))
				continue;
			is_nearer = node < 0 || cost < least;
			least = cost;
			if (cscg_rng_tie(&g->rng, is_nearer, &n_equal)) {
				node = j;
				*choice = a;
			}
		}
	}
	if (node < 0)
		return 0;
	tries = &g->n_attempts[node * g->base.n_actions + *choice];
	if (paths->distance[node] == 0)
		*tries = (unsigned char)(*tries + ATTEMPT);
	else if (paths->distance[node] >= g->distance)
		++*tries;
	g->distance = paths->distance[node];
	if (g->distance == 0)
		return 0;
	if (cscg_places_path(g->places, node, &plan, err) < 0)
		return -1;
	*choice = plan[0];
	return 0;
}

/*
 * Verify the best hypothesis.  With a goal at an unknown state: first actions
 * that lead to unknown symbols, then the nearest frontiers and walls, which may
 * be doors, then all others, then all walls again.
 */
static int
verify_best(struct match_agent *g, int *a, struct cscg_err *err)
{
	const unsigned classes[] = { UNKNOWN, DOORS, UNTRIED };
	size_t i = has_goal(g) ? 0 : 2;

	for (*a = -1; i < 3 && *a < 0; i++)
		if (next_untried(g, classes[i], INT_MAX, a, err) < 0)
			return -1;
	if (*a >= 0 || !has_goal(g))
		return 0;
	cscg_places_retry_walls(g->places);
	g->n_nodes = 0;
	return next_untried(g, DOORS, INT_MAX, a, err);
}

/* ---- tests of the best candidate ---- */

/*
 * The action that discriminates best and runner-up as if both were equally
 * likely; or -1.
 */
static int
compare_runner_up(struct match_agent *g, int second)
{
	double gain;
	int i;

	for (i = 0; i < g->n; i++)
		g->even_posterior[i] = i == g->best || i == second ? .5 : 0;
	return cscg_discriminate_choose(g->discriminate, g->candidate,
	    g->even_posterior, -1, &g->rng, &gain);
}

/*
 * Test the best candidate.  The posterior of a tracker concentrates early,
 * sometimes on a wrong schema in which one distance happens to agree.  So the
 * best candidate must predict correctly, several times, where the runner-up
 * predicts another symbol.  A tracker binds one to one and therefore decides
 * earlier than EM on the same walk can.  So the agent also takes actions that
 * the other schemas can explain only by groups that emit several symbols.  *a
 * is -1 if both leads are reached, there is no such action, or
 * VERIFY_STEPS_MAX steps have passed.
 */
static int
test_best(struct match_agent *g, int *a, struct cscg_err *err)
{
	int second = g->n_confident > VERIFY_STEPS_MAX ? -1 : runner_up(g);

	*a = -1;
	if (second < 0)
		return 0;
	if (cscg_candidate_loglik(g->candidate[g->best]) -
		cscg_candidate_loglik(g->candidate[second]) <
	    MIN_LEAD)
		*a = compare_runner_up(g, second);
	return *a >= 0 ?
	    0 :
	    cscg_binding_cost_choose(g->binding_cost, g->candidate,
		&g->world->path, g->best, MIN_COST, &g->rng, a, err);
}

/* ---- the goal ---- */

/*
 * The state that is a goal, -1: unknown, and its place.  A state with a number is
 * one of the only model that was given, also after a map was learned.
 */
static int
goal_state(const struct match_agent *g, const struct cscg_goal *goal,
    int *place)
{
	const struct cscg_places_world *w = g->world;

	if (goal->kind == CSCG_GOAL_START)
		return cscg_places_start(g->places, g->base.start_x, place);
	for (*place = 0; *place < w->n_places; ++*place)
		if (w->place[*place].model == 0)
			return goal->state;
	return -1;
}

static bool
is_at(const struct cscg_agent *base, const struct cscg_goal *goal)
{
	const struct match_agent *g = (const struct match_agent *)base;
	const struct cscg_places_world *w = g->world;
	int place;

	return can_act(g) && w->path.state >= 0 &&
	    w->top[0].p >= MIN_SUCCESS &&
	    w->path.state == goal_state(g, goal, &place) && w->now == place;
}

static bool
emits(const struct cscg_agent *base, int j, int x)
{
	const struct cscg_places_world *w =
	    ((const struct match_agent *)base)->world;
	int symbol = cscg_candidate_symbol(w->candidate, &w->top[0], j);

	return symbol < 0 || symbol == x;
}

/*
 * Probability over the hypotheses of the present place that a plan within it
 * ends at symbol goal; goal -1, or through doors: that of the first hypothesis.
 */
static double
plan_success(const struct match_agent *g, const int *plan, int length,
    int goal, bool within)
{
	const struct cscg_places_world *w = g->world;
	double p = 0;
	int i, k, j, to;

	if (goal < 0 || !within)
		return w->top[0].p;
	for (i = 0; i < w->n_top; i++) {
		j = w->top[i].state;
		for (k = 0; k < length; k++) {
			to = cscg_candidate_next(w->candidate, j, plan[k]);
			j = to < 0 ? j : to;
		}
		if (cscg_candidate_symbol(w->candidate, &w->top[i], j) == goal)
			p += w->top[i].p;
	}
	return p;
}

/* Set *to to the nearest goal node, ties broken at random; -1: unknown. */
static int
nearest_goal(struct match_agent *g, int *to, struct cscg_err *err)
{
	const struct cscg_bfs *paths = cscg_places_paths(g->places);
	int n, x = cscg_agent_goal_symbol(&g->base), j, place = 0, wanted = -1;
	bool is_state = cscg_agent_goal_is_state(&g->base), there;
	long n_equal = 0;

	*to = -1;
	if (cscg_places_search(g->places,
		(int)cscg_rng_below(&g->rng, g->base.n_actions), err) < 0)
		return -1;
	n = cscg_places_n_nodes(g->places);
	if (is_state)
		wanted = goal_state(g, cscg_agent_goal(&g->base), &place);
	if (wanted >= 0)
		wanted = cscg_places_node(g->places, place, wanted);
	for (j = 0; j < n; j++) {
		there = is_state ?
		    j == wanted :
		    x >= 0 && cscg_places_symbol(g->places, j) == x;
		if (!there || paths->distance[j] < 0 ||
		    (*to >= 0 && paths->distance[j] > paths->distance[*to]))
			continue;
		if (cscg_rng_tie(&g->rng,
			*to < 0 || paths->distance[j] < paths->distance[*to],
			&n_equal))
			*to = j;
	}
	return 0;
}

/* The same for the nearest of several goals, which is then selected. */
static int
nearest_of_goals(struct match_agent *g, int *to, struct cscg_err *err)
{
	int i, node, least = INT_MAX, best = 0;

	*to = -1;
	for (i = 0; i < g->base.n_goals; i++) {
		g->base.selected = i;
		if (nearest_goal(g, &node, err) < 0)
			return -1;
		if (node < 0 ||
		    cscg_places_paths(g->places)->distance[node] >= least)
			continue;
		least = cscg_places_paths(g->places)->distance[node];
		*to = node;
		best = i;
	}
	g->base.selected = best;
	return 0;
}

/*
 * Make a plan to the goal: 1 with its first action, or 0 if the goal's state is
 * unknown or the success probability is below MIN_SUCCESS.
 */
static int
make_plan(struct match_agent *g, int *a, struct cscg_err *err)
{
	const struct cscg_places_world *w = g->world;
	const int *plan;
	int to, n, place, state;
	bool is_new;

	if (nearest_of_goals(g, &to, err) < 0)
		return -1;
	if (to < 0)
		return 0;
	state = cscg_places_state(g->places, to, &place);
	if (place == w->now && state == w->path.state)
		return 0;
	n = cscg_places_path(g->places, to, &plan, err);
	if (n < 0)
		return -1;
	/* The state on a partial map becomes certain on the way. */
	if (!has_partial_map(g) &&
	    cscg_places_agreement(g->places) *
		    plan_success(g, plan, n, cscg_agent_goal_symbol(&g->base),
			place == w->now) <
		MIN_SUCCESS)
		return 0;
	is_new = !g->base.follows_plan || n != g->base.left ||
	    (g->next_place == w->now && g->next != w->path.state);
	g->next = cscg_candidate_next(w->candidate, w->path.state, plan[0]);
	g->next_place = w->now;
	cscg_agent_follow(&g->base, is_new, n - 1);
	*a = plan[0];
	return 1;
}

/* ---- models, given and learned ---- */

static void
free_models(struct match_agent *g)
{
	cscg_places_free(g->places);
	g->places = NULL;
	free(g->candidate);
	g->candidate = NULL;
	cscg_discriminate_free(g->discriminate);
	g->discriminate = NULL;
	cscg_binding_cost_free(g->binding_cost);
	g->binding_cost = NULL;
	cscg_novelty_free(g->novelty);
	g->novelty = NULL;
	free(g->posterior);
	g->posterior = NULL;
	free(g->even_posterior);
	g->even_posterior = NULL;
	free(g->model);
	g->model = NULL;
	cscg_names_free(&g->names);
}

static void
read_belief(struct match_agent *g)
{
	g->world = cscg_places_best(g->places);
	g->best = cscg_places_model(g->places);
	cscg_places_by_model(g->places, g->candidate, g->posterior);
}

/* The models of the options, rooms that were learned, and the map. */
static int
list_models(struct match_agent *g, struct cscg_err *err)
{
	const struct cscg_experience *e = g->experience;
	int n_rooms = e ? e->n_rooms : 0, i;
	char name[32];

	g->n = g->set.n + n_rooms + (e && e->map);
	g->model = cscg_alloc((size_t)g->n, sizeof *g->model, err);
	if (!g->model)
		return -1;
	for (i = 0; i < g->n; i++) {
		g->model[i] = i < g->set.n ? g->set.model[i] :
		    i < g->set.n + n_rooms ? e->room[i - g->set.n] :
					     e->map;
		snprintf(name, sizeof name,
		    i < g->set.n + n_rooms ? "room-%d" : "map",
		    i - g->set.n + 1);
		if (cscg_names_add(&g->names,
			i < g->set.n ? g->set.name[i] : name, err) < 0)
			return -1;
	}
	return 0;
}

static int
set_models(struct match_agent *g, struct cscg_err *err)
{
	struct cscg_discriminate_options discriminate = {
		.n_actions = g->base.n_actions,
		.stationary = g->base.collect,
	};
	struct cscg_novelty_options novelty = { .track = g->set.track };
	struct cscg_places_options places = { .world = &g->header,
		.track = g->set.track,
		.min_slip = has_goal(g) ? 0 : SIZE_SLIP,
		.one_place = !has_goal(g) ||
		    (g->experience && g->experience->is_partial) };
	size_t n;

	free_models(g);
	if (list_models(g, err) < 0)
		return -1;
	n = (size_t)g->n;
	discriminate.n = g->n;
	places.model = g->model;
	places.name = g->names.v;
	places.n = g->n;
	g->world = NULL;
	g->n_nodes = 0;
	g->node = -1;
	cscg_reward_clear(&g->reward);
	g->candidate = cscg_alloc(n, sizeof *g->candidate, err);
	g->posterior = cscg_alloc(n, sizeof *g->posterior, err);
	g->even_posterior = cscg_alloc(n, sizeof *g->even_posterior, err);
	g->novelty = cscg_novelty_new(&novelty, g->model, g->n, err);
	g->discriminate = cscg_discriminate_new(&discriminate, err);
	g->binding_cost = cscg_binding_cost_new(g->n, g->base.n_actions,
	    g->header.head.n_obs, g->base.collect, err);
	g->places = cscg_places_new(&places, err);
	if (!g->candidate || !g->posterior || !g->even_posterior ||
	    !g->novelty || !g->discriminate || !g->binding_cost || !g->places)
		return -1;
	cscg_places_by_model(g->places, g->candidate, g->posterior);
	return 0;
}

/*
 * Rewards of the walk, on the map that was learned from it, whose states are
 * the first nodes.
 */
static int
replay_rewards(struct match_agent *g, struct cscg_err *err)
{
	const struct cscg_experience *e = g->experience;
	const struct cscg_experience_reward *r;
	long i;

	if (!e->map || g->best != g->n - 1 || g->world->n_places > 1)
		return 0;
	if (cscg_reward_fit(&g->reward, e->map->n_states, err) < 0)
		return -1;
	for (i = 0; i < e->n_rewards; i++) {
		r = &e->reward[i];
		if (r->t < e->n_path)
			cscg_reward_add(&g->reward, e->path[r->t], r->a,
			    r->value);
	}
	return 0;
}

/* Learn a map of the environment, and continue with it as a model. */
static int
learn(struct match_agent *g, bool is_last, struct cscg_err *err)
{
	struct cscg_experience *e = g->experience;
	int rc = cscg_experience_learn(e, g->set.model, g->set.n, is_last,
	    err);

	if (rc <= 0)
		return rc;
	if (set_models(g, err) < 0)
		return -1;
	/* A map that was refuted is dropped without a new one. */
	rc = e->map ? cscg_places_enter(g->places, g->n - 1, e->state,
			  e->origin, g->base.x, e->tried, err) :
		      cscg_places_observe(g->places, -1, g->base.x, err);
	if (rc < 0)
		return -1;
	read_belief(g);
	if (replay_rewards(g, err) < 0)
		return -1;
	g->n_detours = 0;
	g->base.follows_plan = false;
	return 0;
}

/* The environment is a new one: only rooms of earlier ones are known. */
static int
discard_environment(struct match_agent *g, struct cscg_err *err)
{
	if (!g->experience || !g->begun)
		return cscg_places_reset(g->places, err);
	cscg_experience_reset(g->experience);
	g->experience->is_partial = g->set.partial_map;
	g->n_explored = 0;
	g->is_exploring = false;
	memset(g->n_visits, 0,
	    (size_t)g->header.head.n_obs * sizeof *g->n_visits);
	return set_models(g, err);
}

/* ---- belief ---- */

static int
begin(struct cscg_agent *base, long episode, struct cscg_err *err)
{
	struct match_agent *g = self(base);

	if (g->set.new_world || !g->begun) {
		if (discard_environment(g, err) < 0)
			return -1;
		g->best = -1;
		g->world = NULL;
		g->was_confident = false;
	}
	g->begun = true;
	g->episode = episode;
	cscg_places_begin_episode(g->places);
	if (g->experience)
		cscg_experience_begin_episode(g->experience);
	cscg_rng_seed(&g->rng, g->set.seed, CSCG_RNG_PLAN, (uint64_t)episode,
	    3);
	if (g->explore)
		cscg_explore_begin_episode(g->explore, g->set.seed, episode);
	g->last = g->node = g->unchanged = -1;
	g->n_unplanned = g->n_confident = g->n_nodes = 0;
	return 0;
}

static int
reward(struct cscg_agent *base, int a, double value, struct cscg_err *err)
{
	struct match_agent *g = self(base);

	if (a < 0 || !goal_is_reward(g))
		return 0;
	if (g->node >= 0)
		cscg_reward_add(&g->reward, g->node, a, value);
	g->node = -1;
	return cscg_experience_add_reward(g->experience, a, value, err);
}

/* Whether the map does not have the outcome of action a in the present state. */
static bool
is_first_outcome(const struct match_agent *g, int a)
{
	const struct cscg_places_world *w = g->world;

	return a >= 0 && w->top[0].p > .5 &&
	    cscg_candidate_next(w->candidate, w->top[0].state, a) < 0;
}

static int
observe(struct cscg_agent *base, int before, int a, struct cscg_err *err)
{
	struct match_agent *g = self(base);
	double loglik = cscg_places_loglik(g->places);
	bool is_unknown = !g->world ||
	    (has_partial_map(g) && is_first_outcome(g, a));

	g->unchanged = a >= 0 && base->x >= 0 && base->x == before ? a : -1;
	if (base->x >= 0)
		g->n_visits[base->x]++;
	if (cscg_places_observe(g->places, a, base->x, err) < 0)
		return -1;
	read_belief(g);
	g->was_confident |= g->world &&
	    cscg_places_agreement(g->places) >= g->set.confidence;
	g->n_confident = is_confident(g) ? g->n_confident + 1 : 0;
	if (!g->experience)
		return 0;
	if (cscg_experience_add(g->experience, a, base->x,
		is_unknown ? NAN : exp(cscg_places_loglik(g->places) - loglik),
		err) < 0)
		return -1;
	cscg_experience_note_places(g->experience,
	    g->world ? g->world->n_places : 0);
	return cscg_experience_is_due(g->experience, false) ?
	    learn(g, false, err) :
	    0;
}

static int
state(const struct cscg_agent *base, double *p)
{
	const struct match_agent *g = (const struct match_agent *)base;

	*p = g->world ? g->world->top[0].p : NAN;
	return g->world ? g->world->path.state : -1;
}

/* ---- strategies ---- */

/*
 * A random action except the one that collects; the last one is repeated
 * often.
 */
static int
random_action(struct match_agent *g)
{
	int a = g->last;

	if (a >= 0 && cscg_rng_below(&g->rng, 2))
		return a;
	do
		a = (int)cscg_rng_below(&g->rng, g->base.n_actions);
	while (a == g->base.collect && g->base.n_actions > 1);
	g->last = a;
	return a;
}

/*
 * The action that discriminates candidates or, if there is none or the
 * posterior reaches the threshold, one that verifies the best candidate.  With
 * a goal, verification is by untried actions only.
 */
static int
choose_informative(struct match_agent *g, int *a, struct cscg_err *err)
{
	double gain;

	if (g->explore)
		return cscg_explore_next(g->explore, NULL, a, err);
	*a = -1;
	if (!is_confident(g) && !(has_goal(g) && can_act(g)))
		*a = cscg_discriminate_choose(g->discriminate, g->candidate,
		    g->posterior, cscg_places_way_back(g->places), &g->rng,
		    &gain);
	else if (!has_goal(g) && test_best(g, a, err) < 0)
		return -1;
	return *a < 0 ? verify_best(g, a, err) : 0;
}

/*
 * Whether the agent should complete the learned map before it goes to the
 * goal.  A new room becomes a schema only if most of its actions were tried.
 */
static bool
completes_map(const struct match_agent *g)
{
	const struct cscg_model *map = g->experience->map;

	return map && g->model[g->best] == map &&
	    g->n_detours < DETOUR * map->n_frontiers;
}

/*
 * Whether the agent, which collects goal after goal, should explore: rooms
 * that it passes on shortest paths only are neither recognised nor learned.
 */
static bool
may_explore(const struct match_agent *g)
{
	return g->base.collect >= 0 &&
	    g->n_explored *
		(g->experience->map ? MAP_ONE_IN : EXPLORE_ONE_IN) <
	    g->experience->n_total - EXPLORE_AFTER;
}

/*
 * After a search: the node of a reward for the next action, if the state is
 * likely.
 */
static int
note_node(struct match_agent *g, struct cscg_err *err)
{
	const struct cscg_places_world *w = g->world;

	if (cscg_reward_fit(&g->reward, cscg_places_n_nodes(g->places), err) <
	    0)
		return -1;
	if (w->top[0].p > .5)
		g->node = cscg_places_node(g->places, w->now, w->path.state);
	return 0;
}

/* Complete a partial map, also if the goal is observed meanwhile. */
static int
explore_first(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct match_agent *g = self(base);

	if (!explores_first(g) || !can_act(g))
		return 0;
	if (next_untried(g, 1u << 4, INT_MAX, a, err) < 0 ||
	    (goal_is_reward(g) && note_node(g, err) < 0))
		return -1;
	return *a >= 0;
}

/* Go to an untried action near the agent, or explore between goals. */
static int
make_detour(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct match_agent *g = self(base);

	if (!has_goal(g) || !can_act(g) || is_lost(g))
		return 0;
	if (has_partial_map(g))
		return 0;
	if (completes_map(g)) {
		if (next_untried(g, 1u << 4, DETOUR, a, err) < 0)
			return -1;
		g->n_detours += *a >= 0;
		if (*a >= 0)
			return 1;
	}
	if (!g->is_exploring && (g->n_unplanned || !may_explore(g)))
		return 0;
	if (next_untried(g, UNTRIED, INT_MAX, a, err) < 0)
		return -1;
	g->n_explored += *a >= 0;
	g->is_exploring = *a >= 0 && g->distance > 0;
	return *a >= 0;
}

/*
 * Take the action of the highest value, if any reward is known; 1, or 0 if the
 * agent should explore.  The action that collects is tried once in each state,
 * and one step in EXPLORE_ONE_IN explores, since other rewards may be higher.
 */
static int
seek_reward(struct match_agent *g, int *a, struct cscg_err *err)
{
	if (cscg_places_search(g->places,
		(int)cscg_rng_below(&g->rng, g->base.n_actions), err) < 0 ||
	    note_node(g, err) < 0)
		return -1;
	if (g->base.collect >= 0 && g->node >= 0 &&
	    !cscg_reward_is_tried(&g->reward, g->node, g->base.collect)) {
		*a = g->base.collect;
		return 1;
	}
	if (cscg_rng_below(&g->rng, EXPLORE_ONE_IN) == 0)
		return 0;
	*a = cscg_reward_choose(&g->reward, g->places);
	return *a >= 0;
}

/* Follow the highest expected reward, or a plan to the goal. */
static int
pursue_goal(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct match_agent *g = self(base);
	int rc = 0;

	if (has_goal(g) && can_act(g) && !is_lost(g))
		rc = goal_is_reward(g) ? seek_reward(g, a, err) :
					 make_plan(g, a, err);
	g->n_unplanned = rc > 0 ? 0 : g->n_unplanned + 1;
	return rc;
}

/*
 * Without a goal, an episode counts if a model is confident at its end,
 * whether or not it was verified for the requested number of steps, and if the
 * environment is not classified as unknown.
 */
static bool
reached(const struct cscg_agent *base)
{
	struct cscg_agent_match_result v;

	cscg_agent_match_get_result(base, &v);
	return v.is_confident && v.novelty != CSCG_NOVELTY_UNKNOWN;
}

/*
 * Whether a model has kept its posterior for long enough, and the environment
 * is not classified as unknown: misread symbols may come together, and a few
 * more steps then tell them from another environment.
 */
static bool
is_verified(const struct match_agent *g)
{
	return !has_goal(g) && g->set.verify &&
	    g->n_confident > g->set.verify && reached(&g->base);
}

/*
 * Whether the map is partial and one goal is enough, but none was observed yet.
 * In the first steps, as long as few states of the map are merged, a random walk
 * finds it sooner than untried actions do (cli agent_worlds).
 */
static bool
must_find_goal(const struct match_agent *g)
{
	const struct cscg_agent *base = &g->base;
	int i, x;

	if (!has_partial_map(g) || base->collect >= 0 ||
	    g->experience->n_total >= EXPLORE_FIRST)
		return false;
	for (i = 0; i < base->n_goals; i++) {
		x = base->goals[i].kind == CSCG_GOAL_ENV ?
		    base->requested :
		    base->goal_symbols[i];
		if (x < 0 || g->n_visits[x])
			return false;
	}
	return true;
}

/* Act to identify the model, and to verify it. */
static int
identify(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	struct match_agent *g = self(base);

	if (is_verified(g))
		return CSCG_AGENT_LEAVE;
	if (must_find_goal(g))
		return 0;
	if (has_goal(g) && g->n_unplanned > EXPLORE_MAX &&
	    cscg_rng_below(&g->rng, EXPLORE_ONE_IN) == 0)
		return 0;
	*a = -1;
	if (!is_lost(g) && choose_informative(g, a, err) < 0)
		return -1;
	return *a >= 0;
}

/*
 * No model fits, or all actions were tried without reaching the goal, or it was
 * never observed; without a goal the episode ends.
 */
static int
explore(struct cscg_agent *base, int *a, struct cscg_err *err)
{
	(void)err;
	if (!base->n_goals)
		return CSCG_AGENT_LEAVE;
	*a = random_action(self(base));
	return 1;
}

static const struct cscg_agent_strategy strategies[] = { { explore_first },
	{ cscg_agent_collect }, { make_detour }, { pursue_goal }, { identify },
	{ explore }, { NULL } };

/* ---- results ---- */

static const char *
failure(const struct cscg_agent *base)
{
	const struct match_agent *g = (const struct match_agent *)base;
	const struct cscg_goal *goal = cscg_agent_goal(base);
	int place;

	if (!can_act(g))
		return "no model reaches the confidence threshold";
	if (is_lost(g))
		return "no model explains the environment";
	if (goal->kind == CSCG_GOAL_START && goal_state(g, goal, &place) < 0)
		return "the state where the episode began is unknown";
	return g->n_unplanned ? "no path to the goal is known" : NULL;
}

static struct cscg_model *
model(const struct cscg_agent *base, struct cscg_err *err)
{
	const struct match_agent *g = (const struct match_agent *)base;

	if (g->best < 0) {
		cscg_fail(err, CSCG_ERANGE, "no model is known yet");
		return NULL;
	}
	return cscg_places_ground(g->places, &g->header.head.symbols, err);
}

static void
release(struct cscg_agent *base)
{
	struct match_agent *g = self(base);

	free_models(g);
	free(g->n_attempts);
	free(g->n_visits);
	cscg_reward_free(&g->reward);
	cscg_experience_free(g->experience);
	cscg_explore_free(g->explore);
}

static const struct cscg_agent_kind kind = {
	.strategy = strategies,
	.begin = begin,
	.observe = observe,
	.reward = reward,
	.state = state,
	.is_at = is_at,
	.emits = emits,
	.reached = reached,
	.failure = failure,
	.model = model,
	.free = release,
};

void
cscg_agent_match_get_result(const struct cscg_agent *agent,
    struct cscg_agent_match_result *result)
{
	const struct match_agent *g = (const struct match_agent *)agent;
	int i = g->best < 0 ? 0 : g->best;

	*result = (struct cscg_agent_match_result){
		.best = -1, .name = "-", .novelty = CSCG_NOVELTY_UNKNOWN
	};
	if (!g->n)
		return;
	*result = (struct cscg_agent_match_result){ .best = i,
		.name = g->names.v[i],
		.posterior = g->posterior[i],
		.is_confident = is_confident(g),
		.is_grounded = cscg_candidate_is_grounded(g->candidate[i]) };
	result->margin = cscg_candidate_novelty(g->candidate[i], g->novelty, i,
	    &result->novelty);
}

const struct cscg_experience *
cscg_agent_match_experience(const struct cscg_agent *agent)
{
	return ((const struct match_agent *)agent)->experience;
}

int
cscg_agent_match_learn_last(struct cscg_agent *agent, struct cscg_err *err)
{
	struct match_agent *g = self(agent);

	return g->experience && cscg_experience_is_due(g->experience, true) ?
	    learn(g, true, err) :
	    0;
}

long
cscg_agent_match_steps(const struct cscg_agent *agent, int i)
{
	const struct match_agent *g = (const struct match_agent *)agent;
	const struct cscg_experience *e = g->experience;

	return (e && i < e->n_known ? e->n_steps[i] : 0) +
	    cscg_places_steps(g->places, i);
}

int
cscg_agent_match_model_action(const struct cscg_agent *agent, int i, int a)
{
	return cscg_places_model_action(
	    ((const struct match_agent *)agent)->places, i, a);
}

const struct cscg_places_world *
cscg_agent_match_world(const struct cscg_agent *agent)
{
	const struct match_agent *g = (const struct match_agent *)agent;

	return !is_lost(g) &&
		cscg_places_posterior(g->places) >= g->set.confidence ?
	    g->world :
	    NULL;
}

/* ---- construction ---- */

static int
set_explore(struct match_agent *g, const struct cscg_env_header *world,
    struct cscg_err *err)
{
	const char *how = g->set.explore;

	if (!how)
		return 0;
	if (cscg_explore_needs_belief(how))
		cscg_fail(err, CSCG_EUSAGE, "'%s' requires a single model",
		    how);
	else
		g->explore = cscg_explore_new(how, &world->head,
		    world->collect, err);
	return g->explore ? 0 : cscg_fail_hint(err, "explore");
}

struct cscg_agent *
cscg_agent_match_new(const struct cscg_env_header *world,
    const struct cscg_agent_match_options *set, struct cscg_err *err)
{
	struct match_agent *g = cscg_alloc(1, sizeof *g, err);
	bool has_goals = set->goal && set->goal->kind != CSCG_GOAL_MATCH;

	if (!g)
		return NULL;
	g->set = *set;
	g->set.partial_map &= !set->n;
	if (set->confidence < 0)
		g->set.confidence = CONFIDENCE_DEFAULT;
	g->header = *world;
	g->reward.n_actions = world->head.n_actions;
	g->reward.stationary = world->collect;
	g->best = -1;
	if (cscg_agent_init(&g->base, &kind, world, set->goal,
		!has_goals           ? 0 :
		    set->n_goals > 1 ? set->n_goals :
				       1,
		set->n == 1 ? set->model[0] : NULL,
		"a state is specific to one model, and which model applies is "
		"unknown",
		err) == 0 &&
	    set_explore(g, world, err) == 0 &&
	    (g->n_visits = cscg_alloc((size_t)world->head.n_obs,
		 sizeof *g->n_visits, err)) &&
	    (!has_goals ||
		(g->experience = cscg_experience_new(world, set->seed,
		     err))) &&
	    set_models(g, err) == 0) {
		if (g->experience) {
			g->experience->poll = set->poll;
			g->experience->is_partial = g->set.partial_map;
		}
		return &g->base;
	}
	cscg_agent_free(&g->base);
	return NULL;
}
