/*
 * knowledge.h - an agent's model, walk and belief, with rebinding when needed
 *
 * Three kinds, by what it is given: a grounded model is used as it is; a
 * schema is bound to what was seen (EM on E with T fixed, and on pi as long as
 * there is one beginning); without a model one is learned.  Seeing costs a
 * step of the filter (filter.h); the rest is done when the agent thinks.
 *
 * Actions and symbols are the world's in all calls, states and the map's
 * actions the model's.
 */
#ifndef CSCG_KNOWLEDGE_H
#define CSCG_KNOWLEDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/plan_graph.h"
#include "kernel/simd.h"

struct cscg_knowledge_options {
	const struct cscg_model *model; /* borrowed; NULL: none */
	double smooth;                  /* lambda of plan_graph.h */
	int stationary;        /* an action of the world that does not move,
	                          and that the model need not have; -1: none */
	bool untied;           /* clones of a schema are bound one by one */
	long iterations;       /* of a binding */
	long quick_iterations; /* of one that goes on from the last */
	long restarts;         /* of a binding, or of learning */
	double jitter;         /* of the starts of a binding */
	double pseudocount;    /* of E when binding, of T when learning */
	uint64_t seed;
	int threads;
	const struct cscg_simd *simd; /* NULL: the plain loops */
};

/* What is good for the model that set has, where it says nothing (0). */
void cscg_knowledge_defaults(struct cscg_knowledge_options *set);

struct cscg_knowledge;

/*
 * For a world with this header.  NULL with err filled: CSCG_EMISMATCH if its
 * actions are not the model's, or clones are to be tied and there are none;
 * CSCG_ENOMEM.
 */
struct cscg_knowledge *cscg_knowledge_new(const struct cscg_walk_header *world,
    const struct cscg_knowledge_options *set, struct cscg_err *err);
void cscg_knowledge_free(struct cscg_knowledge *knowledge);

/*
 * An episode begins.  Forget: the world is another one, so that what was bound
 * or learned is of no use.
 */
int cscg_knowledge_begin_episode(struct cscg_knowledge *knowledge,
    bool is_new_world, struct cscg_err *err);

/*
 * Action a was taken (-1 in the first step of an episode) and x was seen (-1:
 * nothing); reset: the agent was put elsewhere.  *p is P(x | what came before),
 * NaN as long as nothing is known.  Where that is 0 the agent may be anywhere
 * that looks like x.  -1 with err filled: CSCG_ENOMEM, or CSCG_EMISMATCH if a
 * grounded model does not know x.
 */
int cscg_knowledge_observe(struct cscg_knowledge *knowledge, int a, int x,
    bool reset, double *p, struct cscg_err *err);

/*
 * Bind or learn from all that was seen.  Light: the binding goes on from the
 * last one with a few iterations, if anything was not expected or enough is new.
 * Otherwise, and when a quarter more was seen, from several starts, the last
 * one being another.  A model is learned again when a quarter more was seen, or a
 * sixteenth if the thought is not light.
 * Does nothing if nothing new was seen or the model is grounded.  -1 with err
 * filled (CSCG_ENOMEM, CSCG_EBUG).
 */
int cscg_knowledge_bind(struct cscg_knowledge *knowledge, bool quick,
    struct cscg_err *err);

/*
 * Ways to plan on; NULL as long as nothing is known: a schema before the
 * first thought, or one that cannot produce what was seen.
 */
const struct cscg_plan_graph *cscg_knowledge_graph(
    const struct cscg_knowledge *knowledge);

/*
 * Where the agent is, where the episode began (as in filter.h; -1: not known),
 * and how surely it is there.
 */
int cscg_knowledge_state(const struct cscg_knowledge *knowledge);
int cscg_knowledge_origin(const struct cscg_knowledge *knowledge);
double cscg_knowledge_state_prob(const struct cscg_knowledge *knowledge);

/* weight[j] = P(x | state j). */
void cscg_knowledge_emission(const struct cscg_knowledge *knowledge, int x,
    double *weight);

/* Was x seen since the mind last forgot? */
bool cscg_knowledge_has_seen(const struct cscg_knowledge *knowledge, int x);

/* The world's number of the map's action a. */
int cscg_knowledge_action(const struct cscg_knowledge *knowledge, int a);

/* Was it given no model, so that it learns one? */
bool cscg_knowledge_learns(const struct cscg_knowledge *knowledge);

/* What was seen, actions and symbols by the model's numbers; borrowed. */
const struct cscg_walk *cscg_knowledge_walk(
    const struct cscg_knowledge *knowledge);

/*
 * The likeliest states of the episode at hand, one for each of its steps, into
 * *states (grown; -1: not known).  How many times the agent changed its mind
 * about what it had seen is cscg_knowledge_version(): if it is as before, earlier states
 * are, too, as far as they matter.
 */
int cscg_knowledge_path(struct cscg_knowledge *knowledge, int **states,
    size_t *cap, struct cscg_err *err);
long cscg_knowledge_version(const struct cscg_knowledge *knowledge);

/*
 * The model as the agent sees it now, grounded and not smoothed; new.  NULL
 * with err filled: CSCG_ERANGE as long as nothing is known; CSCG_ENOMEM.
 */
struct cscg_model *cscg_knowledge_model(const struct cscg_knowledge *knowledge,
    struct cscg_err *err);

#endif
