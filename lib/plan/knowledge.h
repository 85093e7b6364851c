/*
 * knowledge.h - an agent's model, walk and belief, with rebinding when needed
 *
 * There are three kinds.  A grounded model is used unchanged.  A schema is
 * bound to the observations: EM on E with T fixed, and on pi as long as there
 * is one start (no second episode or reset).  Without a model one is learned.
 * The belief is a smoothed candidate (candidate.h): an observation costs one
 * step of its filter; binding and learning are done in cscg_knowledge_bind()
 * only.
 *
 * Actions and symbols are the environment's in all calls; states, and the
 * actions of the planning graph, are the model's.
 */
#ifndef CSCG_KNOWLEDGE_H
#define CSCG_KNOWLEDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/simd.h"
#include "plan/candidate.h"

struct cscg_knowledge_options {
	const struct cscg_model *model; /* borrowed; NULL: none */
	double smooth;                  /* lambda of plan_graph.h */
	int stationary;        /* an action of the environment that never
	                          changes the state; the model need not have
	                          it; -1: none */
	bool untied;           /* bind each clone of a schema separately */
	long iterations;       /* of EM, to bind */
	long quick_iterations; /* of EM, to continue the last binding */
	long restarts;         /* of EM, to bind or learn */
	double jitter;         /* of the initial E, to bind */
	double pseudocount;    /* of E when binding, of T when learning */
	uint64_t seed;
	int threads;
	const struct cscg_simd *simd; /* NULL: scalar loops */
};

/* Replace options that are 0 by the defaults for the kind of set->model. */
void cscg_knowledge_defaults(struct cscg_knowledge_options *set);

struct cscg_knowledge;

/*
 * For an environment with this header.  NULL with err filled: CSCG_EMISMATCH
 * if its actions are not the model's, or if clones are to be tied and the
 * schema has no clone structure; CSCG_ENOMEM.
 */
struct cscg_knowledge *cscg_knowledge_new(const struct cscg_walk_header *world,
    const struct cscg_knowledge_options *set, struct cscg_err *err);
void cscg_knowledge_free(struct cscg_knowledge *knowledge);

/*
 * Begin an episode.  is_new_world: the environment is a different one, so drop
 * the walk and the binding or model derived from it.  0, or -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_knowledge_begin_episode(struct cscg_knowledge *knowledge,
    bool is_new_world, struct cscg_err *err);

/*
 * Action a was taken (-1 in the first step of an episode, and if the agent was
 * moved to another state) and symbol x was observed (-1: no observation).
 * *p is P(x | previous steps), or NaN as long as there is no grounded model.
 * If *p is 0, the belief restarts from x alone.  A symbol that a grounded
 * model lacks counts as no observation.  Returns 0, or -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_knowledge_observe(struct cscg_knowledge *knowledge, int a, int x,
    double *p, struct cscg_err *err);

/*
 * Bind the schema, or learn a model, from the whole walk.
 *
 * A schema: quick continues EM from the last binding for quick_iterations, if
 * an observation was improbable or the walk is sufficiently longer.  If not
 * quick, or when the walk grew by a quarter since the last full binding, EM
 * runs from the last binding and from several other starts, and the result
 * with the best objective is kept.  A model is learned again when the walk
 * grew by a quarter (quick) or by a sixteenth (not quick).  Does nothing if
 * there are no new observations or the given model is grounded.
 *
 * Returns 0, or -1 with err filled (CSCG_ENOMEM, CSCG_EBUG).
 */
int cscg_knowledge_bind(struct cscg_knowledge *knowledge, bool quick,
    struct cscg_err *err);

/*
 * The graph to plan on; NULL as long as there is no grounded model: before the
 * first cscg_knowledge_bind(), or if the schema cannot produce the walk.
 */
const struct cscg_plan_graph *cscg_knowledge_graph(
    const struct cscg_knowledge *knowledge);

/*
 * The current state and the state where the episode began (as in filter.h; -1:
 * unknown), and the probability of the current state.
 */
int cscg_knowledge_state(const struct cscg_knowledge *knowledge);
int cscg_knowledge_origin(const struct cscg_knowledge *knowledge);
double cscg_knowledge_state_prob(const struct cscg_knowledge *knowledge);

/* weight[j] = P(x | state j). */
void cscg_knowledge_emission(const struct cscg_knowledge *knowledge, int x,
    double *weight);

/*
 * Whether state j emits x: at least half as probably as its likeliest symbol.
 * True as long as there is no grounded model.
 */
bool cscg_knowledge_emits(const struct cscg_knowledge *knowledge, int j,
    int x);

/* Whether x was observed in this environment. */
bool cscg_knowledge_has_seen(const struct cscg_knowledge *knowledge, int x);

/* The environment's number of the model's action a. */
int cscg_knowledge_action(const struct cscg_knowledge *knowledge, int a);

/* Whether no model was given, so that one is learned. */
bool cscg_knowledge_learns(const struct cscg_knowledge *knowledge);

/* The walk, with the model's numbers of actions and symbols; borrowed. */
const struct cscg_walk *cscg_knowledge_walk(
    const struct cscg_knowledge *knowledge);

/*
 * The likeliest states of the current episode (Viterbi), one for each of its
 * steps, into *states (grown; -1: unknown).  cscg_knowledge_version() changes
 * when the model, the binding or the environment is replaced; while it is the
 * same, the states of earlier steps may be reused.
 */
int cscg_knowledge_path(struct cscg_knowledge *knowledge, int **states,
    size_t *cap, struct cscg_err *err);
long cscg_knowledge_version(const struct cscg_knowledge *knowledge);

/*
 * The agent's current model, grounded and not smoothed; the caller owns it.
 * NULL with err filled: CSCG_ERANGE as long as there is none; CSCG_ENOMEM.
 */
struct cscg_model *cscg_knowledge_model(const struct cscg_knowledge *knowledge,
    struct cscg_err *err);

#endif
