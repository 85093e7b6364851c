/* agent_match.c - find out by acting which of several models explains the world */
#include <math.h>
#include <stdlib.h>

#include "plan/agent_match.h"
#include "plan/explore.h"
#include "base/mem.h"
#include "plan/probe.h"
#include "plan/refute.h"
#include "base/rng.h"
#include "plan/trail.h"

enum {
	GUESSES = 30,
	DOUBT = 100		/* turns in a row: see doubt() */
};

static const double CONFIDENCE = .95;
static const double SUCCESS = .5;	/* chance of a plan to be followed */
/*
 * How often a move is one too many or too few, while it is asked what a place is:
 * it may be of another size.  Who plans ways must not be so generous.
 */
static const double STRETCH = .05;

/* Nats that the others must be behind, or cost more: not worth a doubt. */
static const double LEAD = 20, COST = 10;

struct agent {
	struct cscg_agent part;	/* first: what the world is played with */
	struct cscg_agent_match set;
	int n, n_actions, collect;
	int wanted;		/* symbol that the goal names, or -1 */
	struct cscg_rival **rival;
	struct cscg_probe *probe;
	struct cscg_refute *refute;
	struct cscg_explore *explore;	/* or NULL */
	struct cscg_known *known;
	double *posterior;
	double *doubted;	/* [n] posteriors, were it not so sure */
	struct cscg_rng rng;
	bool begun;

	/* the likeliest model, and its likeliest bindings */
	int best;
	struct cscg_guess guess[GUESSES];
	int n_guess;
	struct cscg_trail trail;	/* on the first of those */

	/* this episode */
	int now, goal;		/* symbol seen last, asked for; -1: none */
	long stayed;		/* turns in a row that it was likely enough */
	bool done;		/* at the goal */
	long plans, left;
	int next;		/* where the plan leads by its next action; -1 */
	double success;
};

static struct agent *
self(struct cscg_agent *part)
{
	return (struct agent *)part;
}

/* ---- what is believed ---- */

/* Posteriors; none has any if each lacks a symbol that was seen. */
static void
weigh(struct agent *g)
{
	double most = -INFINITY, sum = 0;
	int i;

	for (i = 0; i < g->n; i++) {
		g->posterior[i] = cscg_rival_score(g->rival[i]);
		most = fmax(most, g->posterior[i]);
	}
	for (i = 0; i < g->n; i++) {
		g->posterior[i] = isinf(most) ? 0 : exp(g->posterior[i] - most);
		sum += g->posterior[i];
	}
	for (i = 0; i < g->n && sum > 0; i++)
		g->posterior[i] /= sum;
}

static int
likeliest(const struct agent *g)
{
	int i, best = 0;

	for (i = 1; i < g->n; i++)
		if (g->posterior[i] > g->posterior[best])
			best = i;
	return best;
}

static bool
sure(const struct agent *g)
{
	return g->posterior[g->best] >= g->set.confidence;
}

/* The likeliest schema besides the best model; -1: there is none. */
static int
runner_up(const struct agent *g)
{
	double score, most = -INFINITY;
	int i, second = -1;

	/* By scores: posteriors may be too small to differ. */
	for (i = 0; i < g->n; i++) {
		score = cscg_rival_score(g->rival[i]);
		if (i == g->best || cscg_rival_is_memory(g->rival[i]) ||
		    score <= most)
			continue;
		second = i;
		most = score;
	}
	return second;
}

/* ---- where to ---- */

static bool
has_goal(const struct agent *g)
{
	return g->set.goal != NULL;
}

/* Is a in state j worth a try?  Who looks for something goes where it is new. */
static bool
worth_trying(const struct agent *g, int j, int a, bool seek)
{
	const struct cscg_rival *r = g->trail.rival;
	int to = a == g->collect ? -1 : cscg_rival_to(r, j, a);

	if (to < 0 || cscg_trail_tried(&g->trail, j, a))
		return false;
	return !seek || cscg_rival_look(r, &g->guess[0], to) < 0;
}

/* Go on to the nearest action that is worth it; -1: there is none. */
static int
go_on(struct agent *g, bool seek)
{
	struct cscg_trail *t = &g->trail;
	int n = cscg_rival_states(t->rival), j, a, near = n, state = -1;
	int choice = -1;
	long equal = 0;

	cscg_trail_search(t, (int)cscg_rng_below(&g->rng, g->n_actions));
	for (j = 0; j < n; j++)
		for (a = 0; a < g->n_actions && t->far[j] >= 0 &&
		    t->far[j] <= near; a++) {
			if (!worth_trying(g, j, a, seek))
				continue;
			equal = t->far[j] < near ? 1 : equal + 1;
			near = t->far[j];
			if (cscg_rng_below(&g->rng, equal) == 0) {
				state = j;
				choice = a;
			}
		}
	if (state < 0 || near == 0)
		return choice;
	cscg_trail_way(t, state);
	return t->plan[0];
}

static int
verify(struct agent *g)
{
	int a = has_goal(g) ? go_on(g, true) : -1;

	return a < 0 ? go_on(g, false) : a;
}

/* ---- doubts ---- */

/* What would tell the best from the runner-up, were both as likely; or -1. */
static int
compare(struct agent *g, int second)
{
	double gain;
	int i;

	for (i = 0; i < g->n; i++)
		g->doubted[i] = i == g->best || i == second ? .5 : 0;
	return cscg_probe_choose(g->probe, g->rival, g->doubted, &g->rng,
	    &gain);
}

/*
 * Who is sure doubts it for a while.  A tracker is soon sure, and may be so by a
 * length that fits a wrong kind by chance; so what it is sure of should hold
 * where the runner-up says otherwise, more than once.  And as it binds one to
 * one, it is sure before who has the walk alone and binds by EM could be; so what
 * the others can only explain by looks that change is shown, too.  *a is -1 if
 * all is beyond doubt, or was doubted long enough.
 */
static int
doubt(struct agent *g, int *a, struct cscg_err *err)
{
	int second = g->stayed > DOUBT ? -1 : runner_up(g);

	*a = -1;
	if (second < 0)
		return 0;
	if (cscg_rival_score(g->rival[g->best]) -
	    cscg_rival_score(g->rival[second]) < LEAD)
		*a = compare(g, second);
	return *a >= 0 ? 0 : cscg_refute_choose(g->refute, g->rival,
	    &g->trail, g->best, COST, &g->rng, a, err);
}

/* ---- the goal ---- */

/* The symbol that is looked for, or -1. */
static int
goal_symbol(const struct agent *g)
{
	if (!has_goal(g) || g->set.goal->kind == CSCG_GOAL_START)
		return -1;
	return g->set.goal->kind == CSCG_GOAL_ENV ? g->goal : g->wanted;
}

static bool
arrived(const struct agent *g)
{
	int x = goal_symbol(g);

	if (has_goal(g) && g->set.goal->kind == CSCG_GOAL_START)
		return sure(g) && g->trail.state == g->trail.origin;
	return x >= 0 && x == g->now;
}

/* Chance that the plan leads to the goal (-1: where it does), for all guesses. */
static double
chance(const struct agent *g, int length, int goal)
{
	const struct cscg_rival *r = g->trail.rival;
	double p = 0;
	int i, k, j, to;

	for (i = 0; i < g->n_guess; i++) {
		j = g->guess[i].state;
		for (k = 0; k < length; k++) {
			to = cscg_rival_to(r, j, g->trail.plan[k]);
			j = to < 0 ? j : to;
		}
		if (goal < 0 ? i == 0 :
		    cscg_rival_look(r, &g->guess[i], j) == goal)
			p += g->guess[i].p;
	}
	return p;
}

/* The nearest state that is a goal, of equals any; -1: it is not known. */
static int
nearest(struct agent *g)
{
	struct cscg_trail *t = &g->trail;
	int n = cscg_rival_states(t->rival), x = goal_symbol(g), j, near = -1;
	bool back = g->set.goal->kind == CSCG_GOAL_START, there;
	long equal = 0;

	cscg_trail_search(t, (int)cscg_rng_below(&g->rng, g->n_actions));
	for (j = 0; j < n; j++) {
		there = back ? j == t->origin : x >= 0 &&
		    cscg_rival_look(t->rival, &g->guess[0], j) == x;
		if (!there || t->far[j] < 0 ||
		    (near >= 0 && t->far[j] > t->far[near]))
			continue;
		equal = near >= 0 && t->far[j] == t->far[near] ? equal + 1 : 1;
		if (cscg_rng_below(&g->rng, equal) == 0)
			near = j;
	}
	return near;
}

/* A plan to the goal: true if it is known where that is, and surely enough. */
static bool
make_plan(struct agent *g)
{
	struct cscg_trail *t = &g->trail;
	int to = nearest(g), n;

	if (to < 0 || to == t->state)
		return false;
	n = cscg_trail_way(t, to);
	g->success = g->posterior[g->best] * chance(g, n, goal_symbol(g));
	if (g->success < SUCCESS)
		return false;
	g->plans += g->next != t->state;
	g->next = cscg_rival_to(t->rival, t->state, t->plan[0]);
	g->left = n - 1;
	return true;
}

/* ---- the part ---- */

static int
on_begin(struct cscg_agent *part, long episode, struct cscg_err *err)
{
	struct agent *g = self(part);
	int i;

	(void)err;
	if (g->set.forget || !g->begun) {
		for (i = 0; i < g->n; i++)
			cscg_rival_begin(g->rival[i]);
		cscg_trail_begin(&g->trail);
		g->best = -1;
	}
	g->begun = true;
	cscg_trail_mark(&g->trail);
	cscg_rng_seed(&g->rng, g->set.seed, CSCG_RNG_PLAN, (uint64_t)episode,
	    3);
	if (g->explore)
		cscg_explore_begin(g->explore, g->set.seed, episode);
	g->now = g->goal = g->next = -1;
	g->plans = g->left = g->stayed = 0;
	g->done = false;
	g->success = NAN;
	return 0;
}

static int
on_see(struct cscg_agent *part, int a, const struct cscg_env_obs *obs,
    struct cscg_err *err)
{
	struct agent *g = self(part);
	int i;

	if (obs->reset || obs->goal != g->goal)
		g->next = -1;
	g->now = obs->x;
	g->goal = obs->goal;
	/* Who collects stays where it is, unless it is put elsewhere. */
	if (a >= 0 && a == g->collect && !obs->reset)
		return 0;
	a = obs->reset ? -1 : a;
	for (i = 0; i < g->n; i++)
		if (cscg_rival_see(g->rival[i], a, obs->x, err) < 0)
			return -1;
	weigh(g);
	g->best = likeliest(g);
	g->n_guess = cscg_rival_guess(g->rival[g->best], g->guess, GUESSES);
	if (cscg_trail_add(&g->trail, a, obs->x, g->rival[g->best], g->guess,
	    err) < 0)
		return -1;
	g->stayed = sure(g) ? g->stayed + 1 : 0;
	return 0;
}

/* At the goal: collect where that is possible, and go on. */
static int
enjoy(struct agent *g, int *a)
{
	g->next = -1;
	if (g->set.goal->kind == CSCG_GOAL_ENV && g->collect >= 0) {
		*a = g->collect;
		return 1;
	}
	g->done = true;
	return 0;
}

/* Any action but the one that collects. */
static int
any(struct agent *g)
{
	int a;

	do
		a = (int)cscg_rng_below(&g->rng, g->n_actions);
	while (a == g->collect && g->n_actions > 1);
	return a;
}

/*
 * What tells rivals apart or, if nothing does or needs to, verifies.  Who has a
 * goal and is sure looks for that instead.
 */
static int
find_out(struct agent *g, int *a, struct cscg_err *err)
{
	double gain;

	if (g->explore)
		return cscg_explore_next(g->explore, NULL, a, err);
	*a = -1;
	if (!sure(g))
		*a = cscg_probe_choose(g->probe, g->rival, g->posterior,
		    &g->rng, &gain);
	else if (!has_goal(g) && doubt(g, a, err) < 0)
		return -1;
	if (*a < 0)
		*a = verify(g);
	return 0;
}

static int
on_choose(struct cscg_agent *part, int *a, struct cscg_err *err)
{
	struct agent *g = self(part);

	if (arrived(g))
		return enjoy(g, a);
	if (has_goal(g) && sure(g) && make_plan(g)) {
		*a = g->trail.plan[0];
		return 1;
	}
	g->next = -1;
	g->success = NAN;
	if (!has_goal(g) && g->set.verify && g->stayed > g->set.verify)
		return 0;
	if (find_out(g, a, err) < 0)
		return -1;
	if (*a >= 0)
		return 1;
	if (!has_goal(g))
		return 0;
	/* All was tried, and the goal was not met: this is not the place. */
	*a = any(g);
	return 1;
}

static void
on_tell(const struct cscg_agent *part, struct cscg_thought *thought)
{
	const struct agent *g = (const struct agent *)part;
	bool goes = g->next >= 0;

	thought->state = g->trail.state;
	thought->p = g->guess[0].p;
	thought->plan = goes ? g->plans : 0;
	thought->left = goes ? g->left : 0;
	thought->success = g->success;
}

/*
 * Where there is something to collect, an episode has no other end.  Without a
 * goal it counts what is believed then, verified as long as was asked or not; a
 * place that is unknown is none of the models, however much likelier one is.
 */
static bool
on_reached(const struct cscg_agent *part)
{
	const struct agent *g = (const struct agent *)part;

	struct cscg_match_verdict v;

	if (!has_goal(g)) {
		cscg_agent_match_verdict(part, &v);
		return v.sure && v.known != CSCG_UNKNOWN;
	}
	return g->done || arrived(g) ||
	    (g->set.goal->kind == CSCG_GOAL_ENV && g->collect >= 0);
}

static struct cscg_model *
on_model(const struct cscg_agent *part, struct cscg_err *err)
{
	const struct agent *g = (const struct agent *)part;

	if (g->best < 0) {
		cscg_fail(err, CSCG_ERANGE, "nothing was learned");
		return NULL;
	}
	return cscg_rival_model(g->rival[g->best], err);
}

static void
on_free(struct cscg_agent *part)
{
	struct agent *g = self(part);
	int i;

	for (i = 0; g->rival && i < g->n; i++)
		cscg_rival_free(g->rival[i]);
	free(g->rival);
	cscg_probe_free(g->probe);
	cscg_refute_free(g->refute);
	cscg_known_free(g->known);
	cscg_explore_free(g->explore);
	free(g->posterior);
	free(g->doubted);
	cscg_trail_free(&g->trail);
	free(g);
}

void
cscg_agent_match_verdict(const struct cscg_agent *agent,
    struct cscg_match_verdict *verdict)
{
	const struct agent *g = (const struct agent *)agent;
	int i = g->best < 0 ? 0 : g->best;

	*verdict = (struct cscg_match_verdict){ .best = i,
	    .posterior = g->posterior[i], .sure = sure(g),
	    .memory = cscg_rival_is_memory(g->rival[i]) };
	verdict->margin = cscg_rival_known(g->rival[i], g->known, i,
	    &verdict->known);
}

/* ---- making ---- */

static int
set_goal(struct agent *g, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	const struct cscg_goal *goal = g->set.goal;

	g->wanted = -1;
	if (!goal || goal->kind == CSCG_GOAL_ENV ||
	    goal->kind == CSCG_GOAL_START)
		return 0;
	if (goal->kind == CSCG_GOAL_STATE)
		return cscg_fail(err, CSCG_EUSAGE, "--goal: a state is one of "
		    "one model, and it is not known which model is right");
	g->wanted = cscg_goal_symbol(goal, &world->head.symbols,
	    world->head.n_obs, err);
	return g->wanted < 0 ? cscg_fail_at(err, "--goal") : 0;
}

static int
set_rivals(struct agent *g, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	int i;

	for (i = 0; i < g->n; i++) {
		g->rival[i] = cscg_rival_new(world, g->set.model[i],
		    &g->set.track, has_goal(g) ? 0 : STRETCH, err);
		if (!g->rival[i])
			return err->code == CSCG_ENOMEM ? -1 :
			    cscg_fail_at(err, "'%s'", g->set.name[i]);
		g->posterior[i] = 1.0 / g->n;
	}
	return 0;
}

static int
set_explore(struct agent *g, const struct cscg_env_head *world,
    struct cscg_err *err)
{
	const char *how = g->set.explore;

	if (!how)
		return 0;
	if (cscg_explore_looks(how))
		return cscg_fail(err, CSCG_EUSAGE, "--explore: '%s' needs one "
		    "model", how);
	g->explore = cscg_explore_new(how, &world->head, world->collect, err);
	return g->explore ? 0 : cscg_fail_at(err, "--explore");
}

struct cscg_agent *
cscg_agent_match_new(const struct cscg_env_head *world,
    const struct cscg_agent_match *set, struct cscg_err *err)
{
	struct agent *g = cscg_alloc(1, sizeof *g, err);
	struct cscg_probe_set probe = { .n_actions = world->head.n_actions,
	    .apart = world->collect, .n = set->n };
	struct cscg_known_set known = { .track = set->track };

	if (!g)
		return NULL;
	g->part = (struct cscg_agent){ on_begin, on_see, on_choose, on_tell,
	    on_reached, on_model, on_free };
	g->set = *set;
	if (set->confidence < 0)
		g->set.confidence = CONFIDENCE;
	g->n = set->n;
	g->n_actions = world->head.n_actions;
	g->collect = world->collect;
	g->best = -1;
	g->trail.n_actions = g->n_actions;
	g->trail.apart = g->collect;
	g->rival = cscg_alloc((size_t)g->n, sizeof *g->rival, err);
	g->posterior = cscg_alloc((size_t)g->n, sizeof *g->posterior, err);
	g->doubted = cscg_alloc((size_t)g->n, sizeof *g->doubted, err);
	g->known = cscg_known_new(&known, set->model, set->n, err);
	if (g->rival && g->posterior && g->doubted && g->known &&
	    (g->probe = cscg_probe_new(&probe, err)) &&
	    (g->refute = cscg_refute_new(g->n, g->n_actions,
	    world->head.n_obs, g->collect, err)) &&
	    set_goal(g, world, err) == 0 && set_explore(g, world, err) == 0 &&
	    set_rivals(g, world, err) == 0)
		return &g->part;
	on_free(&g->part);
	return NULL;
}
