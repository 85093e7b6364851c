/*
 * candidate.h - candidate models of an environment: schema tracker, also in
 * exact mode, grounded filter, or smoothed model
 *
 * A schema explains an environment by all its bindings (track.h), or exactly by
 * those that the observations leave (exact mode).  A grounded
 * model has one fixed binding: it is a filter over its states, with the same
 * probabilities of a slip, a jump and a rebound symbol.  Both give the
 * likelihood of all observations, so that they can be compared.  The
 * environment may have another size than the schema, so a schema is compared
 * with a jump probability ten times that of the options and a slip probability
 * of at least min_slip.  When a group is observed for the first time, a schema
 * gives the same probability to each symbol not observed before, while a
 * grounded model predicts the symbol.  So a correct grounded model has the
 * highest likelihood within a few steps, and an incorrect one is excluded as
 * fast.
 *
 * Actions and symbols are the environment's in all calls.
 */
#ifndef CSCG_CANDIDATE_H
#define CSCG_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/plan_graph.h"
#include "schema/novelty.h"
#include "schema/track.h"
#include "schema/track_exact.h"
#include "world/serve.h"

struct cscg_candidate;

/*
 * Noise of a candidate.  The probabilities of a slip and of a misread symbol
 * are given or, if they are negative in the options, estimated: the expected
 * number of noisy steps so far, with a prior of mean -p and a weight of 25
 * steps, where p is the negative option; CSCG_NOISE_ESTIMATED is a mean of
 * 0.02.
 */
#define CSCG_NOISE_ESTIMATED (-.02)

struct cscg_candidate_noise {
	double slip, misread;       /* posterior means, as used */
	double slip_sd, misread_sd; /* standard deviations; 0 if given */
	double n_steps, n_slips,
	    n_misreads; /* expected numbers, if estimated */
};

/*
 * NULL with err filled: CSCG_EMISMATCH if the model's actions are not the
 * environment's or it has neither emissions nor clone structure; CSCG_ENOMEM.
 * Borrows m.
 */
struct cscg_candidate *cscg_candidate_new(const struct cscg_env_header *world,
    const struct cscg_model *m, const struct cscg_track_options *set,
    double min_slip, struct cscg_err *err);
void cscg_candidate_free(struct cscg_candidate *c);

/*
 * Exact mode: a schema whose transitions are deterministic and whose states all
 * emit different symbols, with the exact posterior over its bindings
 * (track_exact.h), of which at most max_hypotheses are kept, drawn with rng
 * (borrowed).  Every step needs an observation.  If no hypothesis remains, all
 * are possible again.  Likelihood, noise, novelty, changes and the path are not
 * available.  NULL with err filled, as above, and as
 * cscg_track_exact_graph_new() does.
 */
struct cscg_candidate *cscg_candidate_new_exact(
    const struct cscg_env_header *world, const struct cscg_model *m,
    long max_hypotheses, struct cscg_rng *rng, struct cscg_err *err);

/* All hypotheses of exact mode; borrowed. */
const struct cscg_track_exact *cscg_candidate_exact(
    const struct cscg_candidate *c);

/*
 * A smoothed model: T smoothed by lambda (plan_graph.h), and the emissions of a
 * grounded model, or of a schema after cscg_candidate_bind(): distributions, as
 * EM estimates them, of each state.  The belief is a filter (filter.h) that
 * restarts from the symbol alone if that is impossible; the one hypothesis is
 * the last state of the likeliest path.  A symbol that a grounded model lacks
 * counts as no observation.  Noise, novelty, changes, successors and the path
 * under a hypothesis are not available.  NULL with err filled, as above.
 */
struct cscg_candidate *cscg_candidate_new_smoothed(
    const struct cscg_env_header *world, const struct cscg_model *m,
    double lambda, struct cscg_err *err);

/*
 * Set the emissions E[n_states * symbols], borrowed, and the start
 * probabilities pi[n_states] of a smoothed schema, and discard all
 * observations.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_candidate_bind(struct cscg_candidate *c, const double *E,
    const double *pi, struct cscg_err *err);

/*
 * Of a smoothed model: P(last symbol | steps before); the first state of the
 * likeliest path, -1 without observations; the graph to plan on, and the model
 * itself, borrowed.
 */
double cscg_candidate_prob(const struct cscg_candidate *c);
int cscg_candidate_origin(const struct cscg_candidate *c);
const struct cscg_plan_graph *cscg_candidate_graph(
    const struct cscg_candidate *c);
const struct cscg_model *cscg_candidate_smoothed(
    const struct cscg_candidate *c);

/*
 * The likeliest states of an episode of walk w, which has the model's actions
 * and symbols, into state[steps of the episode].  -1 with err filled.
 */
int cscg_candidate_decode(struct cscg_candidate *c, const struct cscg_walk *w,
    int episode, int *state, struct cscg_err *err);

/* Discard all observations. */
void cscg_candidate_reset(struct cscg_candidate *c);

/*
 * Action a was taken (-1: reset) and symbol x was observed (-1: no
 * observation).  Returns 0, or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_candidate_observe(struct cscg_candidate *c, int a, int x,
    struct cscg_err *err);

/*
 * Discard all observations.  Set the binding symbol[n_groups] (-1: unbound;
 * NULL: none), the state (-1: any) in which the next observation is made, and
 * the noise estimates of candidate from.
 */
void cscg_candidate_enter(struct cscg_candidate *c, const int *symbol,
    int state, const struct cscg_candidate *from);

void cscg_candidate_get_noise(const struct cscg_candidate *c,
    struct cscg_candidate_noise *noise);

/*
 * Record, where the states are certain, that action a led from state i to
 * state j, which emitted x (-1: no observation); i or a may be -1.  Outcomes
 * other than the model's change the rows concerned (changes.h), and the
 * emissions of a grounded model; predictions and edges use the changed rows.
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_candidate_count(struct cscg_candidate *c, int i, int a, int j, int x,
    struct cscg_err *err);

/* Whether a row differs from that of the model. */
bool cscg_candidate_is_changed(const struct cscg_candidate *c);

/* Reset all rows to those of the model. */
void cscg_candidate_clear_counts(struct cscg_candidate *c);

/*
 * The successors of state j by action a: at most two states, each with the
 * expected number of attempts, from 1 to 50.  Returns their number.
 */
struct cscg_candidate_edge {
	int to, cost;
};
int cscg_candidate_edges(const struct cscg_candidate *c, int j, int a,
    struct cscg_candidate_edge edge[2]);

/* log P(observations), natural. */
double cscg_candidate_loglik(const struct cscg_candidate *c);

/*
 * Novelty of the environment to this candidate, which is model i of novelty,
 * independent of the other candidates.  Returns the margin; *kind is its class
 * (novelty.h).
 */
double cscg_candidate_novelty(const struct cscg_candidate *c,
    const struct cscg_novelty *novelty, int i, enum cscg_novelty_class *kind);

bool cscg_candidate_is_grounded(const struct cscg_candidate *c);
int cscg_candidate_n_states(const struct cscg_candidate *c);

/* One hypothesis of a candidate: a state and a binding. */
struct cscg_candidate_hypothesis {
	double p; /* P(hypothesis | candidate) */
	int state;
	const int *symbol; /* of each group, valid until the next step; or
	                      NULL */
};

/*
 * The likeliest hypotheses, at most max, in descending order.  Returns their
 * number, at least one if there was an observation.
 */
int cscg_candidate_top(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis, int max);

/* The symbol of state j under a hypothesis; -1 - group of j: unknown. */
int cscg_candidate_symbol(const struct cscg_candidate *c,
    const struct cscg_candidate_hypothesis *hypothesis, int j);

/*
 * P(x | state j) of a grounded or bound model, after changes, with the misreading
 * probability of the model.
 */
double cscg_candidate_emission(const struct cscg_candidate *c, int j, int x);

/* The model's number of action a; -1: the model lacks it. */
int cscg_candidate_model_action(const struct cscg_candidate *c, int a);

/* The environment's number of the model's action a. */
int cscg_candidate_world_action(const struct cscg_candidate *c, int a);

/* The number of symbol x in a grounded model, -1: it lacks it; else x. */
int cscg_candidate_model_symbol(const struct cscg_candidate *c, int x);

/* The successor by the model alone, without changes; -1: unknown. */
int cscg_candidate_model_next(const struct cscg_candidate *c, int j, int a);

/* The number of clone groups of a schema, and the group of state j. */
int cscg_candidate_n_groups(const struct cscg_candidate *c);
int cscg_candidate_group(const struct cscg_candidate *c, int j);

/*
 * The most likely successor of state j under action a, after changes; -1:
 * unknown.
 */
int cscg_candidate_next(const struct cscg_candidate *c, int j, int a);

/*
 * A copy of a grounded model, or a schema grounded by its likeliest binding,
 * which needs an observation: groups not observed may emit any symbol not
 * observed.  The caller owns the result; NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_model *cscg_candidate_ground(const struct cscg_candidate *c,
    struct cscg_err *err);

/*
 * The path of the walk under one hypothesis.
 *
 * For agents that follow the likeliest hypothesis of the likeliest candidate:
 * the actions tried in its states, and the state where the episode began.
 */

struct cscg_candidate_path {
	int n_actions;

	/* the walk, or its last steps if it is very long */
	int *a, *x; /* a[t] led to x[t]; a[t] -1: reset */
	long n;
	long first; /* step at which the episode began */
	size_t cap_a, cap_x;

	/* the hypothesis under which the walk was decoded */
	struct cscg_candidate *candidate; /* or NULL */
	int state, origin;    /* current, at step first; -1: unknown */
	double p;             /* of the current state */
	unsigned char *tried; /* [states * n_actions], see below */
	double *cost, *next_cost;
	int *back;
	int *symbol; /* [groups] of its binding, -1: unbound */
	size_t cap_tried, cap_cost, cap_next_cost, cap_back, cap_symbol;
};

/*
 * Clear the path for a new environment.  Set n_actions before.
 */
void cscg_candidate_path_reset(struct cscg_candidate_path *t);
void cscg_candidate_path_free(
    struct cscg_candidate_path *t); /* t is empty afterwards */

/*
 * Action a (-1: reset) led to symbol x (-1: no observation), after which
 * hypothesis is the likeliest.  If it continues the previous hypothesis, the
 * path is extended; otherwise the walk is decoded again under the new
 * hypothesis (Viterbi).  Transitions of the path are counted in the candidate,
 * as long as the hypothesis has a probability above 1/2.  0, or -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_candidate_path_add(struct cscg_candidate_path *t, int a, int x,
    struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err);

/*
 * Add a step without decoding, for a candidate that is improbable: the path is
 * undefined until cscg_candidate_path_decode() or the next step.
 */
int cscg_candidate_path_skip(struct cscg_candidate_path *t, int a, int x,
    struct cscg_err *err);
int cscg_candidate_path_decode(struct cscg_candidate_path *t,
    struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err);

/* The next step is the first of an episode. */
void cscg_candidate_path_begin_episode(struct cscg_candidate_path *t);

/*
 * Whether a was tried in state j and led to the state that the candidate
 * predicts.
 */
bool cscg_candidate_path_tried(const struct cscg_candidate_path *t, int j,
    int a);

#endif
