/*
 * knowledge.c - an agent's model, walk and belief, with rebinding when needed
 *
 * The current episode is always stored as if it had ended, so that forward and
 * backward passes can run over it; the next step opens it again.  When the
 * binding or the model changes, the candidate observes the episode again from
 * its first step.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/learn.h"
#include "plan/knowledge.h"
#include "schema/bind.h"

static const double EXPECTED_PROB =
    .5; /* an x of lower probability is a surprise */

enum {
	LEARN_ITERATIONS = 200,
	/* Growth of the walk, as 1/divisor of its length, that triggers */
	BIND_QUICK_DIVISOR = 64,
	BIND_FULL_DIVISOR = 4, /* a quick or a full binding */
	LEARN_QUICK_DIVISOR = 4,
	LEARN_FULL_DIVISOR = 16, /* learning, if quick or not */
};

struct cscg_knowledge {
	struct cscg_knowledge_options set;
	struct cscg_env_header world;
	struct cscg_walk_header head; /* of the walk, by the model's numbers */
	struct cscg_walk *walk;
	unsigned char *seen; /* [head.n_obs] symbols observed */
	bool is_new_episode; /* the next step begins an episode */
	bool is_surprised;   /* a surprise since the last binding */
	long n_bound_steps;  /* steps of the walk at the last binding, */
	long n_full_steps;   /* and at the last full binding */
	long n_bindings, version;
	long n_starts; /* starts of episodes and resets in this environment */

	struct cscg_model *learned;       /* or NULL */
	struct cscg_candidate *candidate; /* or NULL: no model yet */
	bool ready;                       /* it has emissions */

	/* binding */
	struct cscg_trans *bind_tr;
	struct cscg_bind_work bind_work;
	double *E, *pi, *trial_E, *trial_pi;
	bool bound; /* E and pi hold a binding */
};

/* ---- construction ---- */

static bool
needs_binding(const struct cscg_knowledge *knowledge)
{
	return knowledge->set.model &&
	    knowledge->set.model->kind != CSCG_GROUNDED;
}

void
cscg_knowledge_defaults(struct cscg_knowledge_options *set)
{
	const struct cscg_model *m = set->model;

	if (m && !m->clone)
		set->untied = true;
	if (!set->iterations)
		set->iterations = m && set->untied ? 80 : 50;
	if (!set->quick_iterations)
		set->quick_iterations = 3;
	if (!set->restarts)
		set->restarts = 3;
	if (set->jitter <= 0)
		set->jitter = set->untied ? .01 : 1;
	if (set->pseudocount <= 0)
		set->pseudocount = m ? 1e-7 : 2e-3;
}

/* The belief by model m. */
static int
set_model(struct cscg_knowledge *knowledge, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_candidate *c = cscg_candidate_new_smoothed(
	    &knowledge->world, m, knowledge->set.smooth, err);

	if (!c)
		return -1;
	cscg_candidate_free(knowledge->candidate);
	knowledge->candidate = c;
	return 0;
}

/* The actions and symbols of the walk: those of the model, if it has them. */
static int
set_head(struct cscg_knowledge *knowledge, struct cscg_err *err)
{
	const struct cscg_walk_header *world = &knowledge->world.head;
	const struct cscg_model *m = knowledge->set.model;
	bool has_symbols = m && !needs_binding(knowledge);

	knowledge->head.n_actions = m ? m->n_actions : world->n_actions;
	knowledge->head.n_obs = has_symbols ? m->n_obs : world->n_obs;
	return cscg_names_copy(&knowledge->head.actions,
		   m ? &m->actions : &world->actions, err) < 0 ?
	    -1 :
	    cscg_names_copy(&knowledge->head.symbols,
		has_symbols ? &m->symbols : &world->symbols, err);
}

static int
prepare_binding(struct cscg_knowledge *knowledge, struct cscg_err *err)
{
	const struct cscg_model *m = knowledge->set.model;
	size_t S = (size_t)m->n_states,
	       K = (size_t)knowledge->world.head.n_obs;

	if (!knowledge->set.untied && !m->clone)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "tied emissions need clone structure, which this schema "
		    "lacks");
	if (K > SIZE_MAX / S)
		return cscg_fail(err, CSCG_ENOMEM,
		    "out of memory (%d symbols for %d states)",
		    knowledge->world.head.n_obs, m->n_states);
	knowledge->E = cscg_alloc(S * K, sizeof *knowledge->E, err);
	knowledge->trial_E = cscg_alloc(S * K, sizeof *knowledge->trial_E,
	    err);
	knowledge->pi = cscg_alloc(S, sizeof *knowledge->pi, err);
	knowledge->trial_pi = cscg_alloc(S, sizeof *knowledge->trial_pi, err);
	if (!knowledge->E || !knowledge->trial_E || !knowledge->pi ||
	    !knowledge->trial_pi)
		return -1;
	knowledge->bind_tr = cscg_trans_select(
	    cscg_candidate_smoothed(knowledge->candidate), knowledge->set.simd,
	    false, err);
	return knowledge->bind_tr ? 0 : -1;
}

struct cscg_knowledge *
cscg_knowledge_new(const struct cscg_walk_header *world,
    const struct cscg_knowledge_options *set, struct cscg_err *err)
{
	struct cscg_knowledge *knowledge = cscg_alloc(1, sizeof *knowledge,
	    err);
	const struct cscg_model *m = set->model;

	if (!knowledge)
		return NULL;
	knowledge->set = *set;
	knowledge->world.head.n_actions = world->n_actions;
	knowledge->world.head.n_obs = world->n_obs;
	knowledge->world.collect = set->stationary;
	if (cscg_names_copy(&knowledge->world.head.actions, &world->actions,
		err) < 0 ||
	    cscg_names_copy(&knowledge->world.head.symbols, &world->symbols,
		err) < 0 ||
	    set_head(knowledge, err) < 0 ||
	    (m && set_model(knowledge, m, err) < 0) ||
	    (needs_binding(knowledge) && prepare_binding(knowledge, err) < 0))
		goto fail;
	knowledge->ready = m && !needs_binding(knowledge);
	knowledge->walk = cscg_walk_new(&knowledge->head, err);
	knowledge->seen = cscg_alloc((size_t)knowledge->head.n_obs, 1, err);
	if (knowledge->walk && knowledge->seen)
		return knowledge;
fail:
	cscg_knowledge_free(knowledge);
	return NULL;
}

void
cscg_knowledge_free(struct cscg_knowledge *knowledge)
{
	if (!knowledge)
		return;
	cscg_env_header_free(&knowledge->world);
	cscg_walk_header_free(&knowledge->head);
	cscg_walk_free(knowledge->walk);
	free(knowledge->seen);
	cscg_candidate_free(knowledge->candidate);
	cscg_model_free(knowledge->learned);
	cscg_trans_free(knowledge->bind_tr);
	cscg_bind_work_free(&knowledge->bind_work);
	free(knowledge->E);
	free(knowledge->pi);
	free(knowledge->trial_E);
	free(knowledge->trial_pi);
	free(knowledge);
}

/* ---- observations ---- */

int
cscg_knowledge_begin_episode(struct cscg_knowledge *knowledge,
    bool is_new_world, struct cscg_err *err)
{
	struct cscg_walk *walk;

	knowledge->is_new_episode = true;
	if (knowledge->candidate)
		cscg_candidate_reset(knowledge->candidate);
	if (!is_new_world)
		return 0;
	walk = cscg_walk_new(&knowledge->head, err);
	if (!walk)
		return -1;
	cscg_walk_free(knowledge->walk);
	knowledge->walk = walk;
	memset(knowledge->seen, 0, (size_t)knowledge->head.n_obs);
	knowledge->n_starts = 0;
	knowledge->ready = knowledge->set.model && !needs_binding(knowledge);
	knowledge->bound = false;
	knowledge->n_bound_steps = knowledge->n_full_steps = 0;
	knowledge->version++;
	return 0;
}

/* The model's numbers of an action and a symbol. */
static int
model_action(const struct cscg_knowledge *knowledge, int a)
{
	return knowledge->candidate ?
	    cscg_candidate_model_action(knowledge->candidate, a) :
	    a;
}

static int
model_symbol(const struct cscg_knowledge *knowledge, int x)
{
	return knowledge->candidate ?
	    cscg_candidate_model_symbol(knowledge->candidate, x) :
	    x;
}

int
cscg_knowledge_observe(struct cscg_knowledge *knowledge, int a, int x,
    double *p, struct cscg_err *err)
{
	struct cscg_step step = { .x = model_symbol(knowledge, x),
		.a = -1,
		.z = -1,
		.goal = -1,
		.r = NAN,
		.reset = a < 0 && !knowledge->is_new_episode };
	struct cscg_walk *w = knowledge->walk;
	int b = a < 0 ? -1 : model_action(knowledge, a);

	if (!knowledge->is_new_episode) {
		/* Open the episode again; after a reset the action is 0. */
		w->a[w->n_steps - 1] = b < 0 ? 0 : b;
		w->n_episodes--;
	}
	if (cscg_walk_add(w, &step, err) < 0)
		return -1;
	if (knowledge->ready &&
	    cscg_candidate_observe(knowledge->candidate,
		knowledge->is_new_episode ? -1 : a, x, err) < 0)
		return -1;
	knowledge->n_starts += knowledge->is_new_episode || step.reset;
	knowledge->is_new_episode = false;
	if (step.x >= 0)
		knowledge->seen[step.x] = 1;
	*p = knowledge->ready ? cscg_candidate_prob(knowledge->candidate) :
				NAN;
	knowledge->is_surprised |= !(*p >= EXPECTED_PROB);
	return 0;
}

/*
 * Observe the current episode from its first step.  Its symbols are the
 * environment's: the model is learned or bound.
 */
static int
observe_episode(struct cscg_knowledge *knowledge, struct cscg_err *err)
{
	const struct cscg_walk *w = knowledge->walk;
	struct cscg_candidate *c = knowledge->candidate;
	int e = w->n_episodes - 1, rc = 0;
	long t;

	for (t = w->start[e]; t < w->start[e + 1] && rc == 0; t++)
		rc = cscg_candidate_observe(c,
		    cscg_walk_starts_run(w, e, t) ?
			-1 :
			cscg_candidate_world_action(c, w->a[t - 1]),
		    w->x[t], err);
	return rc;
}

/* ---- binding and learning ---- */

/* Whether err is a fault, and not a walk that the schema cannot produce. */
static int
is_fault(const struct cscg_err *err)
{
	return err->code != CSCG_ERANGE;
}

/*
 * Continue EM from the last binding and, unless quick, run EM from other
 * starts and keep the best objective.  1, or 0 if the schema cannot produce
 * the walk.
 */
static int
bind_walk(struct cscg_knowledge *knowledge, bool quick, struct cscg_err *err)
{
	const struct cscg_model *m = cscg_candidate_smoothed(
	    knowledge->candidate);
	size_t S = (size_t)m->n_states;
	size_t n = S * (size_t)knowledge->world.head.n_obs;
	struct cscg_bind how = {
		.tied = !knowledge->set.untied,
		.learn_pi = knowledge->n_starts == 1,
		.iterations = quick ? knowledge->set.quick_iterations :
				      knowledge->set.iterations,
		.tolerance = quick ? 0 : 1e-5,
		.pseudocount = knowledge->set.pseudocount,
		.simd = knowledge->set.simd,
		.tr = knowledge->bind_tr,
		.work = &knowledge->bind_work,
	};
	struct cscg_bind_starts starts = { .restarts = knowledge->set.restarts,
		.jitter = knowledge->set.jitter,
		.seed = knowledge->set.seed,
		.key = (uint64_t)knowledge->n_bindings,
		.threads = knowledge->set.threads };
	struct cscg_em_progress last = { 0 }, other;
	int j;

	/* Several starts need not share a state: pi is uniform again. */
	for (j = 0; j < m->n_states && !how.learn_pi; j++)
		knowledge->pi[j] = 1.0 / m->n_states;
	if (knowledge->bound &&
	    cscg_bind(m, knowledge->walk, &how, knowledge->E, knowledge->pi,
		&last, err) < 0) {
		if (is_fault(err))
			return -1;
		knowledge->bound = false;
	}
	if (knowledge->bound && quick)
		return 1;
	how.iterations = knowledge->set.iterations;
	how.tolerance = 1e-5;
	if (cscg_bind_restarts(m, knowledge->walk, &how, &starts,
		knowledge->trial_E, knowledge->trial_pi, &other, NULL,
		err) < 0)
		return is_fault(err) ? -1 : 0;
	if (knowledge->bound && last.objective >= other.objective)
		return 1;
	memcpy(knowledge->E, knowledge->trial_E, n * sizeof *knowledge->E);
	memcpy(knowledge->pi, knowledge->trial_pi, S * sizeof *knowledge->pi);
	knowledge->bound = true;
	knowledge->version++;
	return 1;
}

/* Learn a model from the whole walk. */
static int
learn_walk(struct cscg_knowledge *knowledge, struct cscg_err *err)
{
	struct cscg_learn how = {
		.iterations = LEARN_ITERATIONS,
		.restarts = knowledge->set.restarts,
		.tolerance = 1e-5,
		.pseudocount = knowledge->set.pseudocount,
		.seed = knowledge->set.seed,
		.simd = knowledge->set.simd,
		.threads = knowledge->set.threads,
	};
	struct cscg_learn_progress last;
	struct cscg_model *m = cscg_learn(knowledge->walk, &how, &last, err);

	if (!m)
		return is_fault(err) ? -1 : 0;
	cscg_model_free(knowledge->learned);
	knowledge->learned = m;
	knowledge->version++;
	return set_model(knowledge, m, err) < 0 ? -1 : 1;
}

/* Whether the walk has grown too little to bind or learn again. */
static bool
too_soon(const struct cscg_knowledge *knowledge, bool quick)
{
	long more = knowledge->walk->n_steps - knowledge->n_bound_steps;

	if (!knowledge->ready)
		return false;
	if (knowledge->set.model)
		return quick && !knowledge->is_surprised &&
		    more <= knowledge->n_bound_steps / BIND_QUICK_DIVISOR;
	return more <= knowledge->n_bound_steps /
	    (quick ? LEARN_QUICK_DIVISOR : LEARN_FULL_DIVISOR);
}

int
cscg_knowledge_bind(struct cscg_knowledge *knowledge, bool quick,
    struct cscg_err *err)
{
	int rc;

	if (knowledge->is_new_episode ||
	    knowledge->walk->n_steps == knowledge->n_bound_steps ||
	    (knowledge->set.model && !needs_binding(knowledge)) ||
	    too_soon(knowledge, quick))
		return 0;
	/* EM does not leave a bad local optimum: use other starts. */
	if (knowledge->walk->n_steps - knowledge->n_full_steps >
	    knowledge->n_full_steps / BIND_FULL_DIVISOR)
		quick = false;
	rc = knowledge->set.model ? bind_walk(knowledge, quick, err) :
				    learn_walk(knowledge, err);
	if (rc < 0)
		return -1;
	if (!quick)
		knowledge->n_full_steps = knowledge->walk->n_steps;
	knowledge->ready = rc > 0;
	knowledge->n_bound_steps = knowledge->walk->n_steps;
	knowledge->n_bindings++;
	knowledge->is_surprised = false;
	if (!knowledge->ready)
		return 0;
	if (knowledge->set.model &&
	    cscg_candidate_bind(knowledge->candidate, knowledge->E,
		knowledge->pi, err) < 0)
		return -1;
	return observe_episode(knowledge, err);
}

/* ---- queries ---- */

const struct cscg_plan_graph *
cscg_knowledge_graph(const struct cscg_knowledge *knowledge)
{
	return knowledge->ready ? cscg_candidate_graph(knowledge->candidate) :
				  NULL;
}

/* The current state; -1, of probability 0: unknown. */
static struct cscg_candidate_hypothesis
present(const struct cscg_knowledge *knowledge)
{
	struct cscg_candidate_hypothesis h = { 0, -1, NULL };

	if (knowledge->ready)
		cscg_candidate_top(knowledge->candidate, &h, 1);
	return h;
}

int
cscg_knowledge_state(const struct cscg_knowledge *knowledge)
{
	return present(knowledge).state;
}

int
cscg_knowledge_origin(const struct cscg_knowledge *knowledge)
{
	return knowledge->ready ? cscg_candidate_origin(knowledge->candidate) :
				  -1;
}

double
cscg_knowledge_state_prob(const struct cscg_knowledge *knowledge)
{
	return present(knowledge).p;
}

void
cscg_knowledge_emission(const struct cscg_knowledge *knowledge, int x,
    double *weight)
{
	int j, n = cscg_candidate_n_states(knowledge->candidate);

	for (j = 0; j < n; j++)
		weight[j] = cscg_candidate_emission(knowledge->candidate, j,
		    x);
}

bool
cscg_knowledge_emits(const struct cscg_knowledge *knowledge, int j, int x)
{
	const struct cscg_candidate *c = knowledge->candidate;
	double most = 0, p;
	int y;

	if (!knowledge->ready)
		return true;
	for (y = 0; y < knowledge->world.head.n_obs; y++)
		most = fmax(most, cscg_candidate_emission(c, j, y));
	p = cscg_candidate_emission(c, j, x);
	/* A state may emit only symbols that the environment lacks. */
	return p > 0 && 2 * p >= most;
}

bool
cscg_knowledge_has_seen(const struct cscg_knowledge *knowledge, int x)
{
	x = model_symbol(knowledge, x);
	return x >= 0 && knowledge->seen[x];
}

int
cscg_knowledge_action(const struct cscg_knowledge *knowledge, int a)
{
	return knowledge->candidate ?
	    cscg_candidate_world_action(knowledge->candidate, a) :
	    a;
}

bool
cscg_knowledge_learns(const struct cscg_knowledge *knowledge)
{
	return !knowledge->set.model;
}

const struct cscg_walk *
cscg_knowledge_walk(const struct cscg_knowledge *knowledge)
{
	return knowledge->walk;
}

int
cscg_knowledge_path(struct cscg_knowledge *knowledge, int **states,
    size_t *cap, struct cscg_err *err)
{
	const struct cscg_walk *w = knowledge->walk;
	int e = w->n_episodes - 1;
	long n = e < 0 ? 0 : w->start[e + 1] - w->start[e], t;

	if (cscg_grow(states, cap, (size_t)n, sizeof **states, err) < 0)
		return -1;
	for (t = 0; t < n; t++)
		(*states)[t] = -1;
	return knowledge->ready && n ?
	    cscg_candidate_decode(knowledge->candidate, w, e, *states, err) :
	    0;
}

long
cscg_knowledge_version(const struct cscg_knowledge *knowledge)
{
	return knowledge->version;
}

struct cscg_model *
cscg_knowledge_model(const struct cscg_knowledge *knowledge,
    struct cscg_err *err)
{
	if (knowledge->ready)
		return cscg_candidate_ground(knowledge->candidate, err);
	cscg_fail(err, CSCG_ERANGE, "no model is known yet");
	return NULL;
}
