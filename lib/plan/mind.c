/*
 * mind.c - what an agent knows of its world
 *
 * The episode at hand is always kept as if it had just ended, so that the
 * passes can run over it; the next step opens it again.  When the binding or
 * the model changes, the belief is made anew by following the episode from its
 * beginning.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/belief.h"
#include "schema/bind.h"
#include "learn/learn.h"
#include "base/mem.h"
#include "plan/mind.h"
#include "kernel/viterbi.h"
#include "kernel/work.h"

static const double DOUBT = .5;	/* below this x was not expected */

enum {
	LEARN_ITERATIONS = 200,
	/* How much more must be seen, as a part of all, */
	BIND_PART = 64, BIND_DEEP = 4,	/* to bind lightly, or deeply */
	LEARN_PART = 4, LEARN_DEEP = 16	/* to learn, light or deep */
};

struct cscg_mind {
	struct cscg_mind_set set;
	struct cscg_head head;	/* of what was seen, by the model's numbers */
	int n_world;		/* symbols of the world */
	int *to_model, *to_world;	/* numbers of actions */
	int *look;		/* [n_world] the model's symbol, or NULL */
	struct cscg_walk *walk;
	unsigned char *seen;	/* [head.n_obs] since it last forgot */
	bool fresh;		/* the next step begins an episode */
	bool doubts;		/* something was not expected since it thought */
	long seen_by;		/* steps that the last thought had, */
	long deep_by;		/* and the last that was not light */
	long thoughts, age;
	long runs;		/* beginnings since it last forgot */

	struct cscg_model *learned;	/* or NULL */
	struct cscg_model *smooth;	/* T to bind and decode with */
	struct cscg_map *map;
	struct cscg_trans *tr;
	struct cscg_belief *belief;
	bool ready;		/* the above know what things look like */

	/* binding */
	struct cscg_ways *ways;
	struct cscg_bind_work memory;
	double *E, *pi, *try_E, *try_pi;
	bool bound;		/* E and pi are of use */

	struct cscg_work work;	/* of Viterbi */
};

/* ---- making ---- */

static bool
binds(const struct cscg_mind *mind)
{
	return mind->set.model && mind->set.model->kind != CSCG_GROUNDED;
}

void
cscg_mind_defaults(struct cscg_mind_set *set)
{
	const struct cscg_model *m = set->model;

	if (m && !m->clone)
		set->untied = true;
	if (!set->iterations)
		set->iterations = m && set->untied ? 80 : 50;
	if (!set->light)
		set->light = 3;
	if (!set->restarts)
		set->restarts = 3;
	if (set->jitter <= 0)
		set->jitter = set->untied ? .01 : 1;
	if (set->pseudocount <= 0)
		set->pseudocount = m ? 1e-7 : 2e-3;
}

/* How the actions of the two sides are numbered by the other. */
static int
map_actions(struct cscg_mind *mind, const struct cscg_head *world,
    struct cscg_err *err)
{
	const struct cscg_model *m = mind->set.model;
	int n = m ? m->n_actions : world->n_actions, a, b, others;
	int apart = mind->set.apart;

	mind->to_model = cscg_alloc((size_t)world->n_actions,
	    sizeof *mind->to_model, err);
	mind->to_world = cscg_alloc((size_t)n, sizeof *mind->to_world, err);
	if (!mind->to_model || !mind->to_world)
		return -1;
	for (b = 0; b < n; b++)
		mind->to_world[b] = -1;
	others = apart >= 0 ? world->n_actions - 1 : world->n_actions;
	for (a = 0, b = 0; a < world->n_actions; a++) {
		int to = -1;

		if (m && m->actions.n && world->actions.n)
			to = cscg_names_find(&m->actions, world->actions.v[a]);
		else if (n == world->n_actions)
			to = a;
		else if (n == others && a != apart)
			to = b++;
		if (to < 0 && a != apart)
			return world->actions.n && m->actions.n ?
			    cscg_fail(err, CSCG_EMISMATCH, "the model does not "
			    "know the action '%s'", world->actions.v[a]) :
			    cscg_fail(err, CSCG_EMISMATCH, "the environment "
			    "has %d actions, the model has %d",
			    world->n_actions, n);
		mind->to_model[a] = to;
		if (to >= 0)
			mind->to_world[to] = a;
	}
	for (b = 0; b < n; b++)
		if (mind->to_world[b] < 0)
			return cscg_fail(err, CSCG_EMISMATCH, "the environment "
			    "does not know the action '%s' of the model",
			    m->actions.v[b]);
	return 0;
}

/* A grounded model has symbols of its own. */
static int
map_symbols(struct cscg_mind *mind, const struct cscg_head *world,
    struct cscg_err *err)
{
	const struct cscg_model *m = mind->set.model;
	int x, y;

	mind->n_world = world->n_obs;
	mind->head.n_obs = world->n_obs;
	if (!m || binds(mind))
		return cscg_names_copy(&mind->head.symbols, &world->symbols,
		    err);
	mind->head.n_obs = m->n_obs;
	mind->look = cscg_alloc((size_t)world->n_obs, sizeof *mind->look, err);
	if (!mind->look ||
	    cscg_names_copy(&mind->head.symbols, &m->symbols, err) < 0)
		return -1;
	for (x = 0; x < world->n_obs; x++) {
		y = m->symbols.n && world->symbols.n ?
		    cscg_names_find(&m->symbols, world->symbols.v[x]) : x;
		mind->look[x] = y < m->n_obs ? y : -1;
	}
	return 0;
}

/* T of model m, smoothed, to decode with and to plan on. */
static int
set_model(struct cscg_mind *mind, const struct cscg_model *m,
    struct cscg_err *err)
{
	cscg_map_free(mind->map);
	cscg_belief_free(mind->belief);
	cscg_trans_free(mind->tr);
	cscg_model_free(mind->smooth);
	mind->belief = NULL;
	mind->tr = NULL;
	mind->smooth = cscg_map_smooth(m, mind->set.smooth, err);
	mind->map = cscg_map_new(m, mind->set.smooth, err);
	if (!mind->smooth || !mind->map)
		return -1;
	mind->tr = m->kind == CSCG_GROUNDED ?
	    cscg_trans_new(mind->smooth, &cscg_kern_plain64, err) :
	    cscg_trans_schema(mind->smooth, &cscg_kern_plain64, err);
	if (mind->tr)
		mind->belief = cscg_belief_new(mind->tr, err);
	return mind->belief ? 0 : -1;
}

static int
prepare_binding(struct cscg_mind *mind, struct cscg_err *err)
{
	const struct cscg_model *m = mind->set.model;
	size_t S = (size_t)m->n_states, K = (size_t)mind->n_world;

	if (!mind->set.untied && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH, "this schema has no "
		    "clone structure to tie emissions by");
	if (K > SIZE_MAX / S)
		return cscg_fail(err, CSCG_ENOMEM, "out of memory (%d symbols "
		    "for %d states)", mind->n_world, m->n_states);
	mind->E = cscg_alloc(S * K, sizeof *mind->E, err);
	mind->try_E = cscg_alloc(S * K, sizeof *mind->try_E, err);
	mind->pi = cscg_alloc(S, sizeof *mind->pi, err);
	mind->try_pi = cscg_alloc(S, sizeof *mind->try_pi, err);
	if (!mind->E || !mind->try_E || !mind->pi || !mind->try_pi)
		return -1;
	if (mind->set.simd)
		mind->ways = cscg_ways_new(mind->smooth, mind->set.simd, err);
	return mind->set.simd && !mind->ways ? -1 : 0;
}

struct cscg_mind *
cscg_mind_new(const struct cscg_head *world, const struct cscg_mind_set *set,
    struct cscg_err *err)
{
	struct cscg_mind *mind = cscg_alloc(1, sizeof *mind, err);
	const struct cscg_model *m = set->model;

	if (!mind)
		return NULL;
	mind->set = *set;
	mind->head.n_actions = m ? m->n_actions : world->n_actions;
	if (map_actions(mind, world, err) < 0 ||
	    map_symbols(mind, world, err) < 0 ||
	    (m && set_model(mind, m, err) < 0) ||
	    (binds(mind) && prepare_binding(mind, err) < 0) ||
	    cscg_names_copy(&mind->head.actions, m ? &m->actions :
	    &world->actions, err) < 0)
		goto fail;
	mind->ready = m && !binds(mind);
	mind->walk = cscg_walk_new(&mind->head, err);
	mind->seen = cscg_alloc((size_t)mind->head.n_obs, 1, err);
	if (mind->walk && mind->seen)
		return mind;
fail:
	cscg_mind_free(mind);
	return NULL;
}

void
cscg_mind_free(struct cscg_mind *mind)
{
	if (!mind)
		return;
	cscg_head_free(&mind->head);
	free(mind->to_model);
	free(mind->to_world);
	free(mind->look);
	cscg_walk_free(mind->walk);
	free(mind->seen);
	cscg_map_free(mind->map);
	cscg_belief_free(mind->belief);
	cscg_trans_free(mind->tr);
	cscg_model_free(mind->smooth);
	cscg_model_free(mind->learned);
	cscg_ways_free(mind->ways);
	cscg_bind_work_free(&mind->memory);
	free(mind->E);
	free(mind->pi);
	free(mind->try_E);
	free(mind->try_pi);
	cscg_work_free(&mind->work);
	free(mind);
}

/* ---- seeing ---- */

int
cscg_mind_begin(struct cscg_mind *mind, bool forget, struct cscg_err *err)
{
	struct cscg_walk *walk;

	mind->fresh = true;
	if (mind->belief)
		cscg_belief_start(mind->belief);
	if (!forget)
		return 0;
	walk = cscg_walk_new(&mind->head, err);
	if (!walk)
		return -1;
	cscg_walk_free(mind->walk);
	mind->walk = walk;
	memset(mind->seen, 0, (size_t)mind->head.n_obs);
	mind->runs = 0;
	mind->ready = mind->set.model && !binds(mind);
	mind->bound = false;
	mind->seen_by = mind->deep_by = 0;
	mind->age++;
	return 0;
}

/* The belief takes a step; lost, it may be wherever it looks like this. */
static double
follow(struct cscg_mind *mind, int a, int x)
{
	double p = cscg_belief_step(mind->belief, a, x);

	if (p <= 0)
		cscg_belief_step(mind->belief, -1, x);
	return p;
}

int
cscg_mind_see(struct cscg_mind *mind, int a, int x, bool reset, double *p,
    struct cscg_err *err)
{
	struct cscg_step step = { .x = x, .a = -1, .z = -1, .goal = -1,
	    .r = NAN, .reset = reset && !mind->fresh };
	struct cscg_walk *w = mind->walk;

	if (x >= 0 && mind->look) {
		step.x = mind->look[x];
		if (step.x < 0)
			return cscg_fail(err, CSCG_EMISMATCH, "symbol %d of "
			    "the environment is not one of the model's", x);
	}
	a = a < 0 || mind->fresh || reset ? -1 : mind->to_model[a];
	if (!mind->fresh) {
		/* Open the episode again; no move led to where it was put. */
		w->a[w->n_steps - 1] = a < 0 ? 0 : a;
		w->n_episodes--;
	}
	if (cscg_walk_add(w, &step, err) < 0)
		return -1;
	mind->runs += mind->fresh || step.reset;
	mind->fresh = false;
	if (step.x >= 0)
		mind->seen[step.x] = 1;
	*p = mind->ready ? follow(mind, a, step.x) : NAN;
	mind->doubts |= !(*p >= DOUBT);
	return 0;
}

/* Follow the episode at hand from its beginning. */
static void
follow_all(struct cscg_mind *mind)
{
	const struct cscg_walk *w = mind->walk;
	int e = w->n_episodes - 1;
	long t;

	cscg_belief_start(mind->belief);
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		follow(mind, cscg_walk_fresh(w, e, t) ? -1 : w->a[t - 1],
		    w->x[t]);
}

/* ---- thinking ---- */

/* Is it a fault, or just a walk that the schema cannot produce? */
static int
fault(const struct cscg_err *err)
{
	return err->code != CSCG_ERANGE;
}

/*
 * Bind from the last binding and, unless that is all, from new starts; the
 * best by objective stays.  1, or 0 if none is possible.
 */
static int
bind(struct cscg_mind *mind, bool light, struct cscg_err *err)
{
	const struct cscg_model *m = mind->smooth;
	size_t S = (size_t)m->n_states, n = S * (size_t)mind->n_world;
	struct cscg_bind how = {
		.tied = !mind->set.untied, .learn_pi = mind->runs == 1,
		.iterations = light ? mind->set.light : mind->set.iterations,
		.tolerance = light ? 0 : 1e-5,
		.pseudocount = mind->set.pseudocount, .simd = mind->set.simd,
		.ways = mind->ways, .work = &mind->memory
	};
	struct cscg_starts starts = { .restarts = mind->set.restarts,
	    .jitter = mind->set.jitter, .seed = mind->set.seed,
	    .key = (uint64_t)mind->thoughts, .threads = mind->set.threads };
	struct cscg_em_line last = { 0 }, other;
	int j;

	/* Several beginnings are not in the same place: pi is uniform again. */
	for (j = 0; j < m->n_states && !how.learn_pi; j++)
		mind->pi[j] = 1.0 / m->n_states;
	if (mind->bound && cscg_bind(m, mind->walk, &how, mind->E, mind->pi,
	    &last, err) < 0) {
		if (fault(err))
			return -1;
		mind->bound = false;
	}
	if (mind->bound && light)
		return 1;
	how.iterations = mind->set.iterations;
	how.tolerance = 1e-5;
	if (cscg_bind_best(m, mind->walk, &how, &starts, mind->try_E,
	    mind->try_pi, &other, NULL, err) < 0)
		return fault(err) ? -1 : 0;
	if (mind->bound && last.objective >= other.objective)
		return 1;
	memcpy(mind->E, mind->try_E, n * sizeof *mind->E);
	memcpy(mind->pi, mind->try_pi, S * sizeof *mind->pi);
	mind->bound = true;
	mind->age++;
	return 1;
}

/* A model of all that was seen. */
static int
learn(struct cscg_mind *mind, struct cscg_err *err)
{
	struct cscg_learn how = {
		.iterations = LEARN_ITERATIONS,
		.restarts = mind->set.restarts, .tolerance = 1e-5,
		.pseudocount = mind->set.pseudocount,
		.seed = mind->set.seed, .simd = mind->set.simd,
		.threads = mind->set.threads
	};
	struct cscg_learn_line last;
	struct cscg_model *m = cscg_learn(mind->walk, &how, &last, err);

	if (!m)
		return fault(err) ? -1 : 0;
	cscg_model_free(mind->learned);
	mind->learned = m;
	mind->age++;
	return set_model(mind, m, err) < 0 ? -1 : 1;
}

/* Is there too little news to think again? */
static bool
too_soon(const struct cscg_mind *mind, bool light)
{
	long more = mind->walk->n_steps - mind->seen_by;

	if (!mind->ready)
		return false;
	if (mind->set.model)
		return light && !mind->doubts &&
		    more <= mind->seen_by / BIND_PART;
	return more <= mind->seen_by / (light ? LEARN_PART : LEARN_DEEP);
}

int
cscg_mind_think(struct cscg_mind *mind, bool light, struct cscg_err *err)
{
	int rc;

	if (mind->fresh || mind->walk->n_steps == mind->seen_by ||
	    (mind->set.model && !binds(mind)) || too_soon(mind, light))
		return 0;
	/* A binding that began wrongly is not mended by going on from it. */
	if (mind->walk->n_steps - mind->deep_by >
	    mind->deep_by / BIND_DEEP)
		light = false;
	rc = mind->set.model ? bind(mind, light, err) : learn(mind, err);
	if (rc < 0)
		return -1;
	if (!light)
		mind->deep_by = mind->walk->n_steps;
	mind->ready = rc > 0;
	mind->seen_by = mind->walk->n_steps;
	mind->thoughts++;
	mind->doubts = false;
	if (!mind->ready)
		return 0;
	if (mind->set.model) {
		if (cscg_trans_set_E(mind->tr, mind->E, mind->n_world,
		    err) < 0)
			return -1;
		cscg_trans_set_pi(mind->tr, mind->pi);
	}
	follow_all(mind);
	return 0;
}

/* ---- knowing ---- */

const struct cscg_map *
cscg_mind_map(const struct cscg_mind *mind)
{
	return mind->ready ? mind->map : NULL;
}

int
cscg_mind_now(const struct cscg_mind *mind)
{
	return mind->ready ? cscg_belief_now(mind->belief) : -1;
}

int
cscg_mind_origin(const struct cscg_mind *mind)
{
	return mind->ready ? cscg_belief_origin(mind->belief) : -1;
}

double
cscg_mind_p(const struct cscg_mind *mind)
{
	return mind->ready ? cscg_belief_p(mind->belief,
	    cscg_belief_now(mind->belief)) : 0;
}

void
cscg_mind_looks(const struct cscg_mind *mind, int x, double *weight)
{
	const struct cscg_model *m = mind->smooth;
	int j;

	if (mind->look)
		x = mind->look[x];
	for (j = 0; j < m->n_states; j++)
		weight[j] = x < 0 ? 0 : mind->set.model && binds(mind) ?
		    mind->E[(size_t)j * (size_t)mind->n_world + (size_t)x] :
		    cscg_model_E(m, j, x);
}

bool
cscg_mind_saw(const struct cscg_mind *mind, int x)
{
	if (mind->look)
		x = mind->look[x];
	return x >= 0 && mind->seen[x];
}

int
cscg_mind_action(const struct cscg_mind *mind, int a)
{
	return mind->to_world[a];
}

bool
cscg_mind_learns(const struct cscg_mind *mind)
{
	return !mind->set.model;
}

const struct cscg_walk *
cscg_mind_walk(const struct cscg_mind *mind)
{
	return mind->walk;
}

int
cscg_mind_path(struct cscg_mind *mind, int **states, size_t *cap,
    struct cscg_err *err)
{
	const struct cscg_walk *w = mind->walk;
	int e = w->n_episodes - 1;
	long n = e < 0 ? 0 : w->start[e + 1] - w->start[e], t;
	double logp;

	if (cscg_grow(states, cap, (size_t)n, sizeof **states, err) < 0)
		return -1;
	for (t = 0; t < n; t++)
		(*states)[t] = -1;
	return mind->ready && n ? cscg_viterbi(mind->tr, w, e, &mind->work,
	    *states, &logp, err) : 0;
}

long
cscg_mind_age(const struct cscg_mind *mind)
{
	return mind->age;
}

struct cscg_model *
cscg_mind_model(const struct cscg_mind *mind, struct cscg_err *err)
{
	const struct cscg_model *from = mind->set.model ? mind->set.model :
	    mind->learned;
	struct cscg_model *m;

	if (!mind->ready) {
		cscg_fail(err, CSCG_ERANGE, "nothing was learned");
		return NULL;
	}
	m = cscg_model_copy(from, err);
	if (!m || !binds(mind))
		return m;
	if (cscg_model_set_E(m, mind->E, mind->n_world, err) < 0 ||
	    cscg_names_copy(&m->symbols, &mind->head.symbols, err) < 0) {
		cscg_model_free(m);
		return NULL;
	}
	return m;
}
