/*
 * places.c - environments composed of several models: places, doors between
 * them, and hypotheses about the location of the agent
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/places.h"

enum {
	WORLDS_MAX = 48, /* hypotheses kept after a step */
	MIN_STEPS = 3,   /* least stay in a place before a new door is
	                    assumed */
};

/* Probability of an observation below which the agent may have left. */
static const double LEAVE_OBSERVATION = .02;
/*
 * Prior probability of leaving there, where the model predicts a wall or has a
 * frontier, and where it predicts another state.
 */
static const double LEAVE_PRIOR = .02, LEAVE_INSIDE = .002;
/* Probability of the same symbol behind a door that is passed again. */
static const double SAME_SYMBOL = .95;
/* Doors of a lower probability are ignored. */
static const double MIN_DOOR = .15;
/* A hypothesis this many nats below the best one is dropped. */
static const double DROP_NATS = 25;
/* A hypothesis of a lower posterior probability has no successors. */
static const double MIN_POSTERIOR = 1e-3;

struct cscg_places {
	struct cscg_places_options set;
	int n_actions, stationary;
	struct cscg_env_header header; /* shallow: names are not used */
	struct cscg_candidate **root;  /* [n] for tables; never stepped */
	struct cscg_candidate **spare; /* unused candidates */
	int *spare_model;
	size_t n_spare, cap_spare, cap_spare_model;
	int *inverse;            /* [n * n_actions] -1: none */
	unsigned char *frontier; /* by model, offsets in frontier_first */
	size_t *frontier_first;
	struct cscg_places_world **v;
	int n;
	size_t cap;
	double posterior; /* of v[0], the best */

	struct cscg_bfs paths;
	int *first; /* [places + 1] nodes of each place */
	size_t cap_first;
	int *plan;
	size_t cap_plan;
};

/* ---- construction ---- */

/* The action that undoes a by model i; or -1. */
static int
find_inverse(const struct cscg_places *p, int i, int a)
{
	const struct cscg_candidate *c = p->root[i];
	int of = cscg_candidate_model_action(c, a), b, inverse;

	inverse = of < 0 ? -1 : cscg_model_inverse(p->set.model[i], of);
	for (b = 0; b < p->n_actions && inverse >= 0; b++)
		if (cscg_candidate_model_action(c, b) == inverse)
			return b;
	return -1;
}

/* Which (state, action) pairs of the models are frontiers. */
static int
set_frontiers(struct cscg_places *p, struct cscg_err *err)
{
	size_t n = 0;
	int i, a;
	long k;

	p->frontier_first = cscg_alloc((size_t)p->set.n,
	    sizeof *p->frontier_first, err);
	if (!p->frontier_first)
		return -1;
	for (i = 0; i < p->set.n; i++) {
		p->frontier_first[i] = n;
		n += (size_t)p->set.model[i]->n_states * (size_t)p->n_actions;
	}
	p->frontier = cscg_alloc(n, 1, err);
	if (!p->frontier)
		return -1;
	for (i = 0; i < p->set.n; i++)
		for (k = 0; k < p->set.model[i]->n_frontiers; k++)
			for (a = 0; a < p->n_actions; a++)
				if (cscg_candidate_model_action(p->root[i],
					a) == p->set.model[i]->frontier[k].a)
					p->frontier[p->frontier_first[i] +
					    (size_t)p->set.model[i]
						    ->frontier[k]
						    .state *
						(size_t)p->n_actions +
					    (size_t)a] = 1;
	return 0;
}

/* Whether action a of state j is a frontier of a model. */
static bool
is_frontier(const struct cscg_places *p, int model, int j, int a)
{
	return p->frontier[p->frontier_first[model] +
	    (size_t)j * (size_t)p->n_actions + (size_t)a];
}

static struct cscg_candidate *
new_candidate(struct cscg_places *p, int i, struct cscg_err *err)
{
	struct cscg_candidate *c = cscg_candidate_new(&p->header,
	    p->set.model[i], &p->set.track, p->set.min_slip, err);

	if (!c && err->code != CSCG_ENOMEM)
		cscg_fail_at(err, "'%s'", p->set.name[i]);
	return c;
}

struct cscg_places *
cscg_places_new(const struct cscg_places_options *set, struct cscg_err *err)
{
	struct cscg_places *p = cscg_alloc(1, sizeof *p, err);
	int i, a;

	if (!p)
		return NULL;
	p->set = *set;
	p->header = *set->world;
	p->n_actions = set->world->head.n_actions;
	p->stationary = set->world->collect;
	p->root = cscg_alloc((size_t)set->n, sizeof *p->root, err);
	p->inverse = cscg_alloc((size_t)set->n * (size_t)p->n_actions,
	    sizeof *p->inverse, err);
	if (!p->root || !p->inverse)
		goto fail;
	for (i = 0; i < set->n; i++) {
		p->root[i] = new_candidate(p, i, err);
		if (!p->root[i])
			goto fail;
		for (a = 0; a < p->n_actions; a++)
			p->inverse[i * p->n_actions + a] = find_inverse(p, i,
			    a);
	}
	if (set_frontiers(p, err) == 0 && cscg_places_reset(p, err) == 0)
		return p;
fail:
	cscg_places_free(p);
	return NULL;
}

/* ---- hypotheses ---- */

static void
place_free(struct cscg_place *place)
{
	free(place->symbol);
	free(place->tried);
}

/* Free a hypothesis; its candidate is kept for reuse. */
static void
world_free(struct cscg_places *p, struct cscg_places_world *w)
{
	struct cscg_err err;
	int i;

	if (!w)
		return;
	if (w->candidate) {
		if (cscg_grow(&p->spare, &p->cap_spare, p->n_spare + 1,
			sizeof *p->spare, &err) == 0 &&
		    cscg_grow(&p->spare_model, &p->cap_spare_model,
			p->n_spare + 1, sizeof *p->spare_model, &err) == 0) {
			p->spare[p->n_spare] = w->candidate;
			p->spare_model[p->n_spare++] = w->place[w->now].model;
		} else {
			cscg_candidate_free(w->candidate);
		}
	}
	for (i = 0; i < w->n_places; i++)
		place_free(&w->place[i]);
	free(w->place);
	free(w->door);
	cscg_candidate_path_free(&w->path);
	free(w);
}

void
cscg_places_free(struct cscg_places *p)
{
	int i;
	size_t k;

	if (!p)
		return;
	for (i = 0; i < p->n; i++)
		world_free(p, p->v[i]);
	free(p->v);
	for (i = 0; p->root && i < p->set.n; i++)
		cscg_candidate_free(p->root[i]);
	for (k = 0; k < p->n_spare; k++)
		cscg_candidate_free(p->spare[k]);
	free(p->root);
	free(p->spare);
	free(p->spare_model);
	free(p->inverse);
	free(p->frontier);
	free(p->frontier_first);
	cscg_bfs_free(&p->paths);
	free(p->first);
	free(p->plan);
	free(p);
}

static struct cscg_candidate *
take_candidate(struct cscg_places *p, int model, struct cscg_err *err)
{
	struct cscg_candidate *c;
	size_t k;

	for (k = 0; k < p->n_spare; k++) {
		if (p->spare_model[k] != model)
			continue;
		c = p->spare[k];
		p->spare[k] = p->spare[--p->n_spare];
		p->spare_model[k] = p->spare_model[p->n_spare];
		cscg_candidate_reset(c);
		return c;
	}
	return new_candidate(p, model, err);
}

static int
add_place(struct cscg_places_world *w, const struct cscg_place *place,
    struct cscg_err *err)
{
	if (cscg_grow(&w->place, &w->cap_places, (size_t)w->n_places + 1,
		sizeof *w->place, err) < 0)
		return -1;
	w->place[w->n_places++] = *place;
	return 0;
}

static int
add_door(struct cscg_places_world *w, const struct cscg_place_door *door,
    struct cscg_err *err)
{
	if (cscg_grow(&w->door, &w->cap_doors, (size_t)w->n_doors + 1,
		sizeof *w->door, err) < 0)
		return -1;
	w->door[w->n_doors++] = *door;
	return 0;
}

/* A hypothesis with the places and doors of w (may be NULL). */
static struct cscg_places_world *
world_copy(const struct cscg_places *p, const struct cscg_places_world *w,
    struct cscg_err *err)
{
	struct cscg_places_world *c = cscg_alloc(1, sizeof *c, err);
	int i;

	if (!c)
		return NULL;
	c->path.n_actions = p->n_actions;
	cscg_candidate_path_reset(&c->path);
	c->start_place = w ? w->start_place : -1;
	c->start_state = w ? w->start_state : -1;
	for (i = 0; w && i < w->n_places; i++) {
		const struct cscg_place *from = &w->place[i];
		const struct cscg_candidate *root = p->root[from->model];
		struct cscg_place to = { .model = from->model,
			.n_steps = from->n_steps };
		size_t n = from->symbol ?
		    (size_t)cscg_candidate_n_groups(root) :
		    0;

		if (add_place(c, &to, err) < 0)
			goto fail;
		if (from->symbol) {
			c->place[i].symbol = cscg_copy(from->symbol, n,
			    sizeof *from->symbol, err);
			if (!c->place[i].symbol)
				goto fail;
		}
		n = (size_t)cscg_candidate_n_states(root) *
		    (size_t)p->n_actions;
		if (from->tried) {
			c->place[i].tried = cscg_copy(from->tried, n, 1, err);
			if (!c->place[i].tried)
				goto fail;
		}
	}
	for (i = 0; w && i < w->n_doors; i++)
		if (add_door(c, &w->door[i], err) < 0)
			goto fail;
	return c;
fail:
	for (i = 0; i < c->n_places; i++)
		place_free(&c->place[i]);
	free(c->place);
	free(c->door);
	free(c);
	return NULL;
}

static int
append(struct cscg_places *p, struct cscg_places_world *w,
    struct cscg_err *err)
{
	if (cscg_grow(&p->v, &p->cap, (size_t)p->n + 1, sizeof *p->v, err) <
	    0) {
		world_free(p, w);
		return -1;
	}
	p->v[p->n++] = w;
	return 0;
}

int
cscg_places_reset(struct cscg_places *p, struct cscg_err *err)
{
	struct cscg_place place = { 0 };
	struct cscg_places_world *w;
	int i;

	while (p->n)
		world_free(p, p->v[--p->n]);
	for (i = 0; i < p->set.n; i++) {
		w = world_copy(p, NULL, err);
		if (!w)
			return -1;
		place.model = i;
		if (add_place(w, &place, err) < 0 ||
		    !(w->candidate = take_candidate(p, i, err))) {
			world_free(p, w);
			return -1;
		}
		if (append(p, w, err) < 0)
			return -1;
	}
	p->posterior = p->n ? 1.0 / p->n : 0;
	return 0;
}

/* ---- a step ---- */

/* The step of one hypothesis in its place. */
static int
world_observe(struct cscg_places_world *w, int a, int x, double share,
    struct cscg_err *err)
{
	if (cscg_candidate_observe(w->candidate, a, x, err) < 0)
		return -1;
	w->loglik = w->before + cscg_candidate_loglik(w->candidate);
	w->n_top = cscg_candidate_top(w->candidate, w->top,
	    CSCG_PLACES_HYPOTHESES);
	w->n_steps++;
	return share < MIN_POSTERIOR ?
	    cscg_candidate_path_skip(&w->path, a, x, err) :
	    cscg_candidate_path_add(&w->path, a, x, w->candidate, w->top, err);
}

/* Whether the state of w is known. */
static bool
is_located(const struct cscg_places_world *w)
{
	return w->path.state >= 0 && w->path.p > .5;
}

/* Whether it has been known for long enough to assume a new door there. */
static bool
is_certain(const struct cscg_places_world *w)
{
	return is_located(w) && w->n_steps >= MIN_STEPS;
}

/*
 * The state of w at its arrival in the present place; -1: unknown.  Later
 * episodes have an origin of their own.
 */
static int
arrival(const struct cscg_places_world *w)
{
	return w->path.first == 0 ? w->path.origin : -1;
}

/* The doors of c by which w arrived lead to the state of its arrival. */
static void
set_door_ends(const struct cscg_places_world *w, struct cscg_places_world *c)
{
	int i;

	for (i = 0; i < c->n_doors; i++)
		if (c->door[i].to == w->now && c->door[i].to_state < 0)
			c->door[i].to_state = arrival(w);
}

void
cscg_places_begin_episode(struct cscg_places *p)
{
	struct cscg_places_world *w;
	int i;

	for (i = 0; i < p->n; i++) {
		w = p->v[i];
		if (is_certain(w))
			set_door_ends(w, w);
		cscg_candidate_path_begin_episode(&w->path);
		w->start_place = w->start_state = -1;
	}
}

/*
 * Store the binding, tried actions and steps of the present place of w, before
 * a step, in its copy c.
 */
static int
leave_place(const struct cscg_places *p, const struct cscg_places_world *w,
    struct cscg_places_world *c, struct cscg_err *err)
{
	struct cscg_place *place = &c->place[w->now];
	const struct cscg_candidate *root = p->root[place->model];
	size_t n = (size_t)cscg_candidate_n_states(root) *
	    (size_t)p->n_actions;

	place->n_steps += w->n_steps;
	/* At the first step of an episode the start is beyond the door. */
	if (c->start_place < 0 && w->path.first < w->path.n) {
		c->start_place = w->now;
		c->start_state = is_certain(w) ? w->path.origin : -1;
	}
	/* With an uncertain state, binding and origin are not stored. */
	if (!is_certain(w))
		return 0;
	free(place->tried);
	place->tried = cscg_copy(w->path.tried, n, 1, err);
	if (!place->tried)
		return -1;
	set_door_ends(w, c);
	if (cscg_candidate_is_grounded(root))
		return 0;
	free(place->symbol);
	place->symbol = cscg_copy(w->path.symbol,
	    (size_t)cscg_candidate_n_groups(root), sizeof *place->symbol, err);
	return place->symbol ? 0 : -1;
}

/*
 * Hypothesis c has entered a place at an unknown state, the one where it observed
 * this symbol before, or another symbol.  What a schema predicts there, any
 * symbol, is replaced by the former symbol; else a hypothesis that knows the
 * state would gain by each passage of the door.
 */
static void
repeat_symbol(struct cscg_places_world *c, bool is_same)
{
	double loglik = cscg_candidate_loglik(c->candidate);

	c->before += is_same ? log(SAME_SYMBOL) - loglik :
			       log(1 - SAME_SYMBOL);
	c->loglik = c->before + loglik;
}

/*
 * Hypothesis w continues in place `to` (the number of places: a new one of this
 * model), at this state (-1: any), with log prior; by a door if a >= 0.
 */
static int
add_entry(struct cscg_places *p, const struct cscg_places_world *w, int to,
    int model, int state, int a, double log_prior, int x, struct cscg_err *err)
{
	struct cscg_places_world *c = world_copy(p, w, err);
	struct cscg_place place = { .model = model };
	struct cscg_place_door door = { w->now, w->path.state, a, to, state,
		state < 0 ? x : -1, 1, 0 };
	/* A return by a door whose other end is unknown adds no door. */
	bool is_return = w->n_steps == 1 && !is_certain(w);
	int i, seen = -1;

	if (!c)
		return -1;
	c->now = to;
	if ((to == w->n_places && add_place(c, &place, err) < 0) ||
	    leave_place(p, w, c, err) < 0)
		goto fail;
	for (i = 0; i < c->n_doors && a >= 0; i++)
		if (c->door[i].from == door.from &&
		    c->door[i].state == door.state && c->door[i].a == a)
			break;
	if (a >= 0 && i < c->n_doors && c->door[i].to == to &&
	    c->door[i].to_state == state) {
		c->door[i].n++;
		seen = c->door[i].x;
	} else if (a >= 0 && !is_return && i < c->n_doors) {
		c->door[i] = door;
	} else if (a >= 0 && !is_return && add_door(c, &door, err) < 0) {
		goto fail;
	}
	c->candidate = take_candidate(p, model, err);
	if (!c->candidate)
		goto fail;
	cscg_candidate_enter(c->candidate, c->place[to].symbol, state,
	    w->candidate);
	c->before = w->loglik + log_prior;
	if (world_observe(c, -1, x, 1, err) < 0)
		goto fail;
	if (seen >= 0 && x >= 0)
		repeat_symbol(c, x == seen);
	if (c->place[to].tried)
		memcpy(c->path.tried, c->place[to].tried,
		    (size_t)cscg_candidate_n_states(c->candidate) *
			(size_t)p->n_actions);
	return append(p, c, err);
fail:
	c->now = c->now < c->n_places ? c->now : 0;
	world_free(p, c);
	return -1;
}

/* The probability that a door leads to its target; .5 if it is only assumed. */
static double
door_prob(const struct cscg_place_door *d)
{
	return fmax((double)d->n + .5, .5) /
	    ((double)d->n + 2 * (double)d->n_failed + (d->n ? .525 : 1));
}

/* The door by which action a leaves the state of w; NULL: no door. */
static struct cscg_place_door *
find_door(struct cscg_places_world *w, int state, int a)
{
	int i;

	for (i = 0; i < w->n_doors; i++)
		if (w->door[i].from == w->now && w->door[i].state == state &&
		    w->door[i].a == a && door_prob(&w->door[i]) >= MIN_DOOR)
			return &w->door[i];
	return NULL;
}

/*
 * Set *back to the door by which action a leads back through a door to this
 * state.  In the first step after a door the state may be unknown.
 */
static bool
door_back(const struct cscg_places *p, const struct cscg_places_world *w,
    int state, int a, struct cscg_place_door *back)
{
	const struct cscg_place_door *d;
	int i, to_state;

	for (i = 0; i < w->n_doors; i++) {
		d = &w->door[i];
		to_state = d->to_state < 0 ? arrival(w) : d->to_state;
		if (w->n_steps == 1 && i == w->n_doors - 1)
			to_state = state;
		if (d->to == w->now && to_state == state && d->n > 0 &&
		    p->inverse[w->place[d->from].model * p->n_actions +
			d->a] == a) {
			*back = (struct cscg_place_door){ w->now, state, a,
				d->from, d->state, -1, 0, 0 };
			return true;
		}
	}
	return false;
}

/*
 * Whether a door of w at its state by action a may have been taken for a wall:
 * the model predicts no change of state, or is unknown.
 */
static bool
is_wall(const struct cscg_places *p, const struct cscg_places_world *w, int a)
{
	int model = w->place[w->now].model, j = w->path.state;
	int to = cscg_candidate_model_next(w->candidate, j, a);

	return to < 0 || to == j || is_frontier(p, model, j, a);
}

/*
 * Whether w may have a new place of model i: a grounded model stands for one
 * place, which w may have already.
 */
static bool
may_add_place(const struct cscg_places *p, const struct cscg_places_world *w,
    int i)
{
	int k;

	if (!cscg_candidate_is_grounded(p->root[i]))
		return true;
	for (k = 0; k < w->n_places; k++)
		if (w->place[k].model == i)
			return false;
	return true;
}

/* Continue in every present or possible place of w, at any state. */
static int
leave_anywhere(struct cscg_places *p, const struct cscg_places_world *w, int a,
    int x, bool new_places, struct cscg_err *err)
{
	int i, n = w->n_places - 1 + (new_places ? p->set.n : 0);
	double prior = a < 0 ? 1 :
	    is_wall(p, w, a) ? LEAVE_PRIOR :
			       LEAVE_INSIDE;

	prior = log(prior) - log(n ? n : 1);
	for (i = 0; i < w->n_places; i++)
		if (i != w->now &&
		    add_entry(p, w, i, w->place[i].model, -1, a, prior, x,
			err) < 0)
			return -1;
	for (i = 0; i < p->set.n && new_places; i++)
		if (may_add_place(p, w, i) &&
		    add_entry(p, w, w->n_places, i, -1, a, prior, x, err) < 0)
			return -1;
	return 0;
}

/*
 * Whether a door by action a from the known state of w, before the step, would
 * look as the wall that the model predicts there: the agent observes the same
 * symbol x again, and has not tried the wall before.  Then both explanations
 * are kept, since only later steps decide between them.
 */
static bool
may_be_door(const struct cscg_places *p, const struct cscg_places_world *w,
    int a)
{
	return is_wall(p, w, a) && w->path.candidate &&
	    !cscg_candidate_path_tried(&w->path, w->path.state, a);
}

/*
 * An agent with an uncertain state may have left its place at an unknown
 * state: the place is dropped, and a new place of each model begins.
 */
static int
restart_places(struct cscg_places *p, const struct cscg_places_world *w, int x,
    struct cscg_err *err)
{
	double prior = log(LEAVE_PRIOR) - log(p->set.n);
	struct cscg_place place = { 0 };
	struct cscg_places_world *c;

	for (place.model = 0; place.model < p->set.n; place.model++) {
		c = world_copy(p, NULL, err);
		if (!c)
			return -1;
		if (add_place(c, &place, err) < 0)
			goto fail;
		c->candidate = take_candidate(p, place.model, err);
		if (!c->candidate)
			goto fail;
		cscg_candidate_enter(c->candidate, NULL, -1, w->candidate);
		c->start_place = 0;
		c->before = w->loglik + prior;
		if (world_observe(c, -1, x, 1, err) < 0)
			goto fail;
		if (append(p, c, err) < 0)
			return -1;
	}
	return 0;
fail:
	world_free(p, c);
	return -1;
}

/*
 * Whether the likeliest hypothesis of w, with a probability above 1/2, predicts
 * x after action a.  Then x is not improbable, and w has no reason to leave.
 */
static bool
is_predicted(const struct cscg_places_world *w, int a, int x)
{
	int to = w->n_top && w->top[0].p > .5 && a >= 0 ?
	    cscg_candidate_next(w->candidate, w->top[0].state, a) :
	    -1;

	return to >= 0 && x >= 0 &&
	    cscg_candidate_symbol(w->candidate, &w->top[0], to) == x;
}

/*
 * The step of hypothesis i.  The successors that leave its place need its
 * state before the step: they are created first, and dropped if the
 * observation was probable.
 */
static int
step_world(struct cscg_places *p, int i, int a, int x, double share,
    struct cscg_err *err)
{
	struct cscg_places_world *w = p->v[i];
	struct cscg_place_door *known, door;
	bool is_probable = share >= MIN_POSTERIOR && !p->set.one_place;
	bool is_known = is_probable && is_certain(w);
	bool is_at_door = is_probable && w->n_steps == 1 && w->n_doors;
	bool expected;
	int before = p->n;
	double loglik, prior;

	if (is_probable && a >= 0) {
		known = is_located(w) ? find_door(w, w->path.state, a) : NULL;
		if (known)
			door = *known;
		if (known ||
		    ((is_known || is_at_door) &&
			door_back(p, w, w->path.state, a, &door))) {
			prior = door_prob(&door);
			if (add_entry(p, w, door.to, w->place[door.to].model,
				door.to_state, a, log(prior), x, err) < 0)
				return -1;
			w->before += log1p(-prior);
			w->loglik += log1p(-prior);
			before = p->n;
			if (known)
				known->n_failed++;
			else if (is_known) {
				door.n_failed = 1;
				if (add_door(w, &door, err) < 0)
					return -1;
			}
		}
	}
	expected = is_predicted(w, a, x);
	if ((is_known || (a < 0 && w->n_places > 1)) && w->n_steps &&
	    (!expected || may_be_door(p, w, a)) &&
	    leave_anywhere(p, w, a, x, a >= 0, err) < 0)
		return -1;
	if (expected)
		before = p->n;
	if (!is_known && is_probable && a >= 0 && w->n_steps >= MIN_STEPS &&
	    w->n_places == 1 && !is_predicted(w, a, x) &&
	    restart_places(p, w, x, err) < 0)
		return -1;
	w = p->v[i];
	loglik = w->loglik;
	if (world_observe(w, a, x, share, err) < 0)
		return -1;
	while (a >= 0 && p->n > before &&
	    w->loglik - loglik > log(LEAVE_OBSERVATION))
		world_free(p, p->v[--p->n]);
	return 0;
}

static int
by_loglik(const void *a, const void *b)
{
	const struct cscg_places_world *v = *(
					   struct cscg_places_world *const *)a,
				       *w = *(
					   struct cscg_places_world *const *)b;

	if (v->loglik != w->loglik)
		return v->loglik < w->loglik ? 1 : -1;
	return v->place[v->now].model - w->place[w->now].model;
}

/*
 * Sort the hypotheses, drop improbable ones, and set the posterior of the
 * best.
 */
static void
prune(struct cscg_places *p)
{
	int i, keep = p->set.n > WORLDS_MAX ? p->set.n : WORLDS_MAX;
	double sum = 0;

	if (!p->n)
		return;
	qsort(p->v, (size_t)p->n, sizeof *p->v, by_loglik);
	while (p->n > 1 &&
	    (p->n > keep ||
		(!p->set.one_place && p->n > p->set.n &&
		    p->v[p->n - 1]->loglik < p->v[0]->loglik - DROP_NATS)))
		world_free(p, p->v[--p->n]);
	for (i = 0; i < p->n; i++)
		sum += exp(p->v[i]->loglik - p->v[0]->loglik);
	p->posterior = 1 / sum;
}

int
cscg_places_observe(struct cscg_places *p, int a, int x, struct cscg_err *err)
{
	struct cscg_places_world *w;
	int i, n = p->n;
	double share, best;

	if (!n)
		return 0;
	best = p->v[0]->loglik;
	for (i = 0; i < n; i++) {
		share = exp(p->v[i]->loglik - best) * p->posterior;
		if (step_world(p, i, a, x, share, err) < 0)
			return -1;
	}
	prune(p);
	w = p->v[0];
	return w->path.candidate ?
	    0 :
	    cscg_candidate_path_decode(&w->path, w->candidate, w->top, err);
}

/* Mark the actions of a model of w, [states * the model's actions], as tried. */
static void
mark_tried(const struct cscg_places *p, struct cscg_places_world *w,
    const unsigned char *tried, int n_model_actions)
{
	int j, a, b, n = cscg_candidate_n_states(w->candidate);

	for (a = 0; a < p->n_actions; a++) {
		b = cscg_candidate_model_action(w->candidate, a);
		for (j = 0; j < n && b >= 0; j++)
			w->path.tried[j * p->n_actions + a] |=
			    tried[j * n_model_actions + b];
	}
}

int
cscg_places_enter(struct cscg_places *p, int model, int state, int start,
    int x, const unsigned char *tried, struct cscg_err *err)
{
	struct cscg_places_world *w;
	int i;

	if (cscg_places_reset(p, err) < 0)
		return -1;
	for (i = 0; i < p->n; i++) {
		w = p->v[i];
		w->start_place = 0;
		w->start_state = i == model ? start : -1;
		if (i == model)
			cscg_candidate_enter(w->candidate, NULL, state,
			    w->candidate);
		else
			w->before = log(LEAVE_PRIOR) - log(p->n);
		if (world_observe(w, -1, x, 1, err) < 0)
			return -1;
		if (i == model)
			mark_tried(p, w, tried,
			    p->set.model[model]->n_actions);
	}
	prune(p);
	return 0;
}

/* ---- queries ---- */

struct cscg_places_world *
cscg_places_best(struct cscg_places *p)
{
	return p->n ? p->v[0] : NULL;
}

double
cscg_places_loglik(const struct cscg_places *p)
{
	return p->n ? p->v[0]->loglik - log(p->posterior) : 0;
}

long
cscg_places_steps(const struct cscg_places *p, int model)
{
	const struct cscg_places_world *w = p->n ? p->v[0] : NULL;
	long n = 0;
	int i;

	for (i = 0; w && i < w->n_places; i++)
		if (w->place[i].model == model)
			n += w->place[i].n_steps +
			    (i == w->now ? w->n_steps : 0);
	return n;
}

int
cscg_places_model_action(const struct cscg_places *p, int model, int a)
{
	return cscg_candidate_model_action(p->root[model], a);
}

double
cscg_places_posterior(const struct cscg_places *p)
{
	return p->posterior;
}

double
cscg_places_agreement(const struct cscg_places *p)
{
	const struct cscg_places_world *v, *w = p->n ? p->v[0] : NULL;
	double sum = 0;
	int i;

	for (i = 0; i < p->n; i++) {
		v = p->v[i];
		if (i == 0 ||
		    (v->place[v->now].model == w->place[w->now].model &&
			v->n_top && w->n_top &&
			v->top[0].state == w->top[0].state))
			sum += exp(v->loglik - w->loglik) * p->posterior;
	}
	return sum;
}

int
cscg_places_way_back(const struct cscg_places *p)
{
	const struct cscg_places_world *w = p->n ? p->v[0] : NULL;
	const struct cscg_place_door *d;
	int i;

	for (i = w && w->n_steps < MIN_STEPS ? w->n_doors - 1 : -1; i >= 0;
	     i--) {
		d = &w->door[i];
		if (d->to == w->now && d->n > 0)
			return p
			    ->inverse[w->place[d->from].model * p->n_actions +
				d->a];
	}
	return -1;
}

int
cscg_places_model(const struct cscg_places *p)
{
	return p->n ? p->v[0]->place[p->v[0]->now].model : -1;
}

void
cscg_places_by_model(const struct cscg_places *p,
    struct cscg_candidate **candidate, double *posterior)
{
	int i, m;

	for (i = 0; i < p->set.n; i++) {
		candidate[i] = p->root[i];
		posterior[i] = 0;
	}
	for (i = p->n - 1; i >= 0; i--) {
		m = p->v[i]->place[p->v[i]->now].model;
		candidate[m] = p->v[i]->candidate;
		posterior[m] += exp(p->v[i]->loglik - p->v[0]->loglik) *
		    p->posterior;
	}
}

/* ---- paths through places ---- */

int
cscg_places_n_nodes(const struct cscg_places *p)
{
	return p->first[p->v[0]->n_places];
}

int
cscg_places_node(const struct cscg_places *p, int place, int state)
{
	return p->first[place] + state;
}

int
cscg_places_state(const struct cscg_places *p, int node, int *place)
{
	for (*place = 0; node >= p->first[*place + 1]; ++*place)
		;
	return node - p->first[*place];
}

/*
 * The tables of a place in the best hypothesis: with the changes that were
 * observed in the present place, as the model has them elsewhere.
 */
static const struct cscg_candidate *
tables_of(const struct cscg_places *p, int place)
{
	const struct cscg_places_world *w = p->v[0];

	return place == w->now ? w->candidate : p->root[w->place[place].model];
}

/* The actions tried in a place of the best hypothesis; NULL: none. */
static unsigned char *
tried_of(const struct cscg_places *p, int place)
{
	const struct cscg_places_world *w = p->v[0];

	return place == w->now ? w->path.tried : w->place[place].tried;
}

/* The symbol of state j of a place; negative: unknown. */
static int
symbol_of(const struct cscg_places *p, int place, int j)
{
	const struct cscg_places_world *w = p->v[0];
	struct cscg_candidate_hypothesis h = { 0 };
	const struct cscg_candidate *c = tables_of(p, place);

	if (place == w->now)
		return cscg_candidate_symbol(c, &w->top[0], j);
	h.symbol = w->place[place].symbol;
	if (!h.symbol && !cscg_candidate_is_grounded(c))
		return -1;
	return cscg_candidate_symbol(c, &h, j);
}

int
cscg_places_symbol(const struct cscg_places *p, int node)
{
	int place, j = cscg_places_state(p, node, &place);

	return symbol_of(p, place, j);
}

int
cscg_places_start(const struct cscg_places *p, int x, int *place)
{
	const struct cscg_places_world *w = p->v[0];
	bool is_here = w->start_place < 0;
	int j = is_here ? w->path.origin : w->start_state, symbol;

	*place = is_here ? w->now : w->start_place;
	if (j < 0 || x < 0)
		return j;
	symbol = symbol_of(p, *place, j);
	return symbol < 0 || symbol == x ? j : -1;
}

/* The door of a node and action in the best hypothesis; false: none. */
static bool
node_door(const struct cscg_places *p, int place, int j, int a,
    struct cscg_place_door *door)
{
	const struct cscg_places_world *w = p->v[0];
	const struct cscg_place_door *d;
	bool is_back = false;
	int i, to_state;

	for (i = 0; i < w->n_doors; i++) {
		d = &w->door[i];
		to_state = d->to_state >= 0 ? d->to_state :
		    d->to == w->now         ? arrival(w) :
					      -1;
		if (d->from == place && d->state == j && d->a == a) {
			*door = *d;
			door->to_state = to_state;
			return door_prob(d) >= MIN_DOOR;
		}
		if (d->to == place && to_state == j && d->n > 0 &&
		    door_prob(d) >= MIN_DOOR &&
		    p->inverse[w->place[d->from].model * p->n_actions +
			d->a] == a) {
			*door = (struct cscg_place_door){ place, j, a, d->from,
				d->state, -1, 0, 0 };
			is_back = true;
		}
	}
	return is_back;
}

int
cscg_places_untried(const struct cscg_places *p, int node, int a)
{
	int place, j = cscg_places_state(p, node, &place), to;
	const unsigned char *tried = tried_of(p, place);
	struct cscg_place_door door;

	if (a == p->stationary)
		return 0;
	if (node_door(p, place, j, a, &door))
		return door.to_state < 0 ? 4 : 0;
	if (tried && tried[(size_t)j * (size_t)p->n_actions + (size_t)a])
		return 0;
	if (is_frontier(p, p->v[0]->place[place].model, j, a))
		return 4;
	to = cscg_candidate_next(tables_of(p, place), j, a);
	if (to < 0)
		return 0;
	if (to == j)
		return 3;
	return cscg_places_symbol(p, cscg_places_node(p, place, to)) < 0 ? 2 :
									   1;
}

void
cscg_places_retry_walls(struct cscg_places *p)
{
	const struct cscg_places_world *w = p->v[0];
	const struct cscg_candidate *c;
	unsigned char *tried;
	int place, j, a;

	for (place = 0; place < w->n_places; place++) {
		c = tables_of(p, place);
		tried = tried_of(p, place);
		for (j = 0; tried && j < cscg_candidate_n_states(c); j++)
			for (a = 0; a < p->n_actions; a++, tried++)
				if (cscg_candidate_next(c, j, a) == j)
					*tried = 0;
	}
}

/* Set the numbers of the nodes of the best hypothesis. */
static int
number_nodes(struct cscg_places *p, struct cscg_err *err)
{
	const struct cscg_places_world *w = p->v[0];
	int i;

	if (cscg_grow(&p->first, &p->cap_first, (size_t)w->n_places + 1,
		sizeof *p->first, err) < 0)
		return -1;
	p->first[0] = 0;
	for (i = 0; i < w->n_places; i++)
		p->first[i + 1] = p->first[i] +
		    cscg_candidate_n_states(p->root[w->place[i].model]);
	return 0;
}

int
cscg_places_edges(const struct cscg_places *p, int node, int a,
    struct cscg_candidate_edge edge[2])
{
	const struct cscg_places_world *w = p->v[0];
	int place, j = cscg_places_state(p, node, &place), i, n;
	struct cscg_place_door door;

	if (w->n_doors && node_door(p, place, j, a, &door)) {
		if (door.to_state < 0)
			return 0;
		/* Its expected attempts, at most 1 / MIN_DOOR. */
		edge[0] = (struct cscg_candidate_edge){
			cscg_places_node(p, door.to, door.to_state),
			(int)round(1 / door_prob(&door))
		};
		return 1;
	}
	n = cscg_candidate_edges(tables_of(p, place), j, a, edge);
	for (i = 0; i < n; i++)
		edge[i].to += p->first[place];
	return n;
}

int
cscg_places_search(struct cscg_places *p, int first_action,
    struct cscg_err *err)
{
	const struct cscg_places_world *w = p->v[0];
	struct cscg_candidate_edge edge[2];
	int v, i, k, n, a;

	if (number_nodes(p, err) < 0 ||
	    cscg_bfs_fit(&p->paths, cscg_places_n_nodes(p), err) < 0)
		return -1;
	cscg_bfs_clear(&p->paths);
	cscg_bfs_reach(&p->paths, cscg_places_node(p, w->now, w->path.state),
	    -1, -1);
	while ((v = cscg_bfs_next(&p->paths)) >= 0)
		for (i = 0; i < p->n_actions; i++) {
			a = (first_action + i) % p->n_actions;
			if (a == p->stationary)
				continue;
			n = cscg_places_edges(p, v, a, edge);
			for (k = 0; k < n; k++)
				if (cscg_bfs_wait(&p->paths, edge[k].to, v, a,
					edge[k].cost, err) < 0)
					return -1;
		}
	return 0;
}

const struct cscg_bfs *
cscg_places_paths(const struct cscg_places *p)
{
	return &p->paths;
}

int
cscg_places_path(struct cscg_places *p, int node, const int **plan,
    struct cscg_err *err)
{
	if (cscg_grow(&p->plan, &p->cap_plan, (size_t)cscg_places_n_nodes(p),
		sizeof *p->plan, err) < 0)
		return -1;
	*plan = p->plan;
	return cscg_bfs_path(&p->paths, node, p->plan);
}

/* ---- a model of all places ---- */

struct ground_job {
	const struct cscg_places *p;
	struct cscg_model *m;
	struct cscg_count *count;
	struct cscg_frontier *frontier;
	long n_counts, n_frontiers;
	double *E;
	int *group;       /* [n_obs] the group of each symbol, -1: unbound */
	const int *first; /* [places + 1] the first state of each place */
};

/* The row of a state of a place by action a: a door, a change, or the model's. */
static void
ground_row(struct ground_job *job, int place, int j, int a)
{
	const struct cscg_places_world *w = job->p->v[0];
	int model = w->place[place].model;
	const struct cscg_candidate *root = job->p->root[model];
	const struct cscg_model *m = job->p->set.model[model];
	int b = cscg_candidate_model_action(root, a), from, to;
	int into = cscg_candidate_model_action(job->p->root[w->place[0].model],
	    a);
	struct cscg_place_door door;
	long row, i;

	if (b < 0 || into < 0)
		return;
	from = job->first[place] + j;
	row = (long)b * m->n_states + j;
	if (node_door(job->p, place, j, a, &door) && door.to_state >= 0) {
		job->count[job->n_counts++] = (struct cscg_count){ into, from,
			job->first[door.to] + door.to_state,
			(double)door.n + 1 };
		return;
	}
	if (is_frontier(job->p, model, j, a))
		job->frontier[job->n_frontiers++] =
		    (struct cscg_frontier){ from, into };
	to = cscg_candidate_next(tables_of(job->p, place), j, a);
	if (to >= 0 && to != cscg_candidate_model_next(root, j, a)) {
		job->count[job->n_counts++] = (struct cscg_count){ into, from,
			job->first[place] + to, 1 };
		return;
	}
	for (i = m->first[row]; i < m->first[row + 1]; i++)
		job->count[job->n_counts++] = (struct cscg_count){ into, from,
			job->first[place] + m->to[i], m->count[i] };
}

/* The emissions of a place: its binding, or those of its grounded model. */
static void
ground_emissions(struct ground_job *job, int place)
{
	const struct cscg_places_world *w = job->p->v[0];
	int model = w->place[place].model;
	const struct cscg_candidate *c = tables_of(job->p, place);
	const int *symbol = place == w->now ? w->top[0].symbol :
					      w->place[place].symbol;
	int K = job->p->header.head.n_obs, j, g, x;
	int n = cscg_candidate_n_states(c);
	double *E = job->E + (size_t)job->first[place] * (size_t)K;

	if (!cscg_candidate_is_grounded(c)) {
		for (x = 0; x < K; x++)
			job->group[x] = -1;
		for (g = 0; symbol && g < cscg_candidate_n_groups(c); g++)
			if (symbol[g] >= 0)
				job->group[symbol[g]] = g;
		cscg_track_emissions(n, job->p->set.model[model]->clone, K,
		    symbol, job->group, 0, E);
		return;
	}
	for (j = 0; j < n; j++)
		for (x = 0; x < K; x++)
			*E++ = cscg_candidate_emission(c, j, x);
}

/* Rows of E sum to one: a grounded model may lack symbols of the environment. */
static void
normalize_rows(double *E, int n, int K)
{
	double sum;
	int j, x;

	for (j = 0; j < n; j++, E += K) {
		for (x = 0, sum = 0; x < K; x++)
			sum += E[x];
		for (x = 0; x < K; x++)
			E[x] = sum > 0 ? E[x] / sum : 1.0 / K;
	}
}

static int
ground_all(struct ground_job *job, const struct cscg_names *symbols,
    struct cscg_err *err)
{
	const struct cscg_places_world *w = job->p->v[0];
	int place, j, a, K = job->p->header.head.n_obs;

	for (place = 0; place < w->n_places; place++) {
		for (a = 0; a < job->p->n_actions; a++)
			for (j = 0;
			     j < job->first[place + 1] - job->first[place];
			     j++)
				ground_row(job, place, j, a);
		ground_emissions(job, place);
	}
	normalize_rows(job->E, job->m->n_states, K);
	return cscg_model_set_counts(job->m, job->count, job->n_counts, err) <
		    0 ||
		cscg_model_set_frontiers(job->m, job->frontier,
		    job->n_frontiers, err) < 0 ||
		cscg_model_set_E(job->m, job->E, K, err) < 0 ||
		cscg_names_copy(&job->m->symbols, symbols, err) < 0 ||
		cscg_names_copy(&job->m->actions,
		    &job->p->set.model[w->place[0].model]->actions, err) < 0 ?
	    -1 :
	    0;
}

struct cscg_model *
cscg_places_ground(const struct cscg_places *p,
    const struct cscg_names *symbols, struct cscg_err *err)
{
	const struct cscg_places_world *w = p->v[0];
	struct ground_job job = { .p = p };
	size_t n_counts = 0, rows, K = (size_t)p->header.head.n_obs;
	const struct cscg_model *m = p->set.model[w->place[0].model];
	int *first, i;

	if (w->n_places == 1 &&
	    !(cscg_candidate_is_grounded(w->candidate) &&
		cscg_candidate_is_changed(w->candidate)))
		return cscg_candidate_ground(w->candidate, err);
	first = cscg_alloc((size_t)w->n_places + 1, sizeof *first, err);
	job.first = first;
	for (i = 0; first && i < w->n_places; i++) {
		const struct cscg_model *of = p->set.model[w->place[i].model];

		first[i + 1] = first[i] + of->n_states;
		n_counts +=
		    (size_t)of->first[(long)of->n_actions * of->n_states] +
		    (size_t)of->n_states * (size_t)p->n_actions;
	}
	if (first)
		job.m = cscg_model_new(CSCG_SCHEMA, first[w->n_places],
		    m->n_actions, 1, err);
	rows = first ? (size_t)first[w->n_places] * (size_t)p->n_actions : 0;
	job.count = cscg_alloc(n_counts, sizeof *job.count, err);
	job.frontier = cscg_alloc(rows, sizeof *job.frontier, err);
	job.E = first ?
	    cscg_alloc((size_t)first[w->n_places] * K, sizeof *job.E, err) :
	    NULL;
	job.group = cscg_alloc(K, sizeof *job.group, err);
	if (!job.m || !job.count || !job.frontier || !job.E || !job.group ||
	    ground_all(&job, symbols, err) < 0) {
		cscg_model_free(job.m);
		job.m = NULL;
	}
	free(job.count);
	free(job.frontier);
	free(job.E);
	free(job.group);
	free(first);
	return job.m;
}
