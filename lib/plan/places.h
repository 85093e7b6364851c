/*
 * places.h - environments composed of several models: places, doors between
 * them, and hypotheses about the location of the agent
 *
 * A place is an instance of a model: a grounded model, or a schema with one
 * binding.  A hypothesis is a list of places, doors between them, the place
 * where the agent is, and the belief over its states (a candidate).  At first
 * there is one hypothesis for each model.
 *
 * The agent may leave a place at any state and action whose outcome
 * contradicts the model: if an observation is improbable although the state
 * was known, the hypothesis also continues in each of its other places, at any
 * state, and in a new place of each model, with a door from the old state to
 * the new one.  It does so, too, at a wall that is tried for the first time,
 * since the cell beyond a door may have the symbol of the cell before it; later
 * observations decide.  A door that was passed is expected from then on.  Where an
 * action has an inverse in a model, the door is assumed to lead back by the
 * inverse action.  The likeliest hypotheses are kept.
 *
 * Actions and symbols are the environment's in all calls.
 */
#ifndef CSCG_PLACES_H
#define CSCG_PLACES_H

#include <stdbool.h>

#include "base/error.h"
#include "core/graph.h"
#include "plan/candidate.h"
#include "world/serve.h"

enum { CSCG_PLACES_HYPOTHESES = 20 }; /* of a candidate, that are examined */

/*
 * A place: its binding and the actions tried, as of the agent's last
 * departure.
 */
struct cscg_place {
	int model;
	int *symbol;          /* [groups] -1: unbound; NULL: grounded */
	unsigned char *tried; /* [states * actions]; NULL: none */
	long n_steps;         /* steps before the last arrival */
};

/* Action a in a state of a place leads to a state of another place. */
struct cscg_place_door {
	int from, state, a, to;
	int to_state;     /* -1: unknown */
	int x;            /* then: the symbol observed there, -1: none */
	long n, n_failed; /* passages; attempts that did not pass */
};

/* A hypothesis. */
struct cscg_places_world {
	struct cscg_place *place;
	struct cscg_place_door *door;
	int n_places, n_doors;
	size_t cap_places, cap_doors;
	int now; /* present place */
	struct cscg_candidate *candidate;
	struct cscg_candidate_path path; /* since the arrival there */
	double before;                   /* log-likelihood at the arrival */
	double loglik;
	struct cscg_candidate_hypothesis top[CSCG_PLACES_HYPOTHESES];
	int n_top;
	long n_steps; /* since the arrival */
	/*
	 * The place where the episode began, -1: the present one, on its path;
	 * and the state there, if the agent has left it: -1: unknown.
	 */
	int start_place, start_state;
};

struct cscg_places;

struct cscg_places_options {
	const struct cscg_env_header *world; /* borrowed during the call */
	struct cscg_model *const *model;     /* [n] borrowed */
	char *const *name;                   /* [n] for messages; borrowed */
	int n;                               /* 0: there are no hypotheses */
	struct cscg_track_options track;     /* slip, misread < 0: estimated */
	double min_slip;
	bool one_place; /* the agent never leaves a place */
};

/* NULL with err filled, as cscg_candidate_new() does. */
struct cscg_places *cscg_places_new(const struct cscg_places_options *set,
    struct cscg_err *err);
void cscg_places_free(struct cscg_places *p);

/* Discard all observations. */
int cscg_places_reset(struct cscg_places *p, struct cscg_err *err);

/*
 * Discard all observations; the agent is probably in this state of this model,
 * where it observed x (-1: no observation), and the episode began in state
 * start.  The model is a map of the
 * environment, in which actions tried[states * the model's actions] were tried.
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_places_enter(struct cscg_places *p, int model, int state, int start,
    int x, const unsigned char *tried, struct cscg_err *err);

/* The next step is the first of an episode. */
void cscg_places_begin_episode(struct cscg_places *p);

/*
 * Action a (-1: reset) led to symbol x (-1: no observation).  -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_places_observe(struct cscg_places *p, int a, int x,
    struct cscg_err *err);

/*
 * The likeliest hypothesis (NULL without models), its posterior probability,
 * and log P(observations).
 */
struct cscg_places_world *cscg_places_best(struct cscg_places *p);
double cscg_places_posterior(const struct cscg_places *p);
double cscg_places_loglik(const struct cscg_places *p);

/*
 * The posterior probability of all hypotheses with the present model and state
 * of the likeliest one: they may differ in places and doors elsewhere.
 */
double cscg_places_agreement(const struct cscg_places *p);

/* The steps of the likeliest hypothesis in places of a model. */
long cscg_places_steps(const struct cscg_places *p, int model);

/* The action of a model that is action a of the environment. */
int cscg_places_model_action(const struct cscg_places *p, int model, int a);

/*
 * The likeliest hypothesis as a grounded model: all its places and doors, and
 * the rows of a grounded model that changed; a single place without these as
 * cscg_candidate_ground() gives it.  Actions are
 * those of the first place, symbols the environment's, whose names are copied.
 * The caller owns the result; NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_model *cscg_places_ground(const struct cscg_places *p,
    const struct cscg_names *symbols, struct cscg_err *err);

/*
 * For each model the candidate of its likeliest hypothesis and its posterior
 * probability, summed over hypotheses; arrays [n].
 */
void cscg_places_by_model(const struct cscg_places *p,
    struct cscg_candidate **candidate, double *posterior);

/*
 * The state where the episode began, by the likeliest hypothesis, and its
 * place; -1: unknown, or it has another symbol than x, observed there (-1: no
 * observation).
 */
int cscg_places_start(const struct cscg_places *p, int x, int *place);

/*
 * The action that leads back through the door by which the likeliest hypothesis
 * entered its place a few steps ago; -1: none, or unknown.
 */
int cscg_places_way_back(const struct cscg_places *p);

/* The model of the present place of the likeliest hypothesis. */
int cscg_places_model(const struct cscg_places *p);

/*
 * Shortest paths from the state of the likeliest hypothesis through all its
 * places; nodes are states of places in order.  first_action decides between
 * equally short paths.
 */
int cscg_places_search(struct cscg_places *p, int first_action,
    struct cscg_err *err);
const struct cscg_bfs *cscg_places_paths(const struct cscg_places *p);
int cscg_places_n_nodes(const struct cscg_places *p);

/* The node of a state of a place, and back. */
int cscg_places_node(const struct cscg_places *p, int place, int state);
int cscg_places_state(const struct cscg_places *p, int node, int *place);

/* The edges of a node by action a, as cscg_candidate_edges() gives them. */
int cscg_places_edges(const struct cscg_places *p, int node, int a,
    struct cscg_candidate_edge edge[2]);

/* The symbol of a node; negative: unknown. */
int cscg_places_symbol(const struct cscg_places *p, int node);

/*
 * The class of action a of a node as one to be tried: 0: already tried, or its
 * outcome is unknown; 1: predicted to lead to another state; 2: the same, to a
 * state of unknown symbol; 3: predicted to leave the state unchanged, so that
 * there may be a door; 4: a frontier of the model.
 */
int cscg_places_untried(const struct cscg_places *p, int node, int a);

/*
 * Count all walls of the likeliest hypothesis as untried again: a door that an
 * agent tried while its state was uncertain, or by an action that failed, looks
 * as a wall.
 */
void cscg_places_retry_walls(struct cscg_places *p);

/* Write the actions of the path to a node into *plan; returns their number. */
int cscg_places_path(struct cscg_places *p, int node, const int **plan,
    struct cscg_err *err);

#endif
