/*
 * track_exact.h - exact posterior over bindings of a deterministic schema
 *
 * For a deterministic graph whose states all emit different symbols: given the
 * start state, each transition determines the state of the next symbol.  The
 * belief is therefore a set of hypotheses, each a binding of symbols to states
 * and the current state.  A step drops the hypotheses that it contradicts.  At
 * a reset, a hypothesis that has bound the symbol determines the state;
 * otherwise it splits into one hypothesis for each unbound state.
 *
 * If all start states and all bindings are equally probable a priori, the
 * probabilities given here are exact.  Start states that an automorphism of
 * the graph maps to each other cannot be distinguished by later observations,
 * so one hypothesis represents all of them.
 */
#ifndef CSCG_TRACK_EXACT_H
#define CSCG_TRACK_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/rng.h"

/* The successor of every state under every action: to[a * n_states + j]. */
struct cscg_track_exact_graph {
	int n_states, n_actions;
	int *to;
	int *distance;      /* [n_states * n_states] length of the shortest
	                       path from j to k, at j * n_states + k; -1: no
	                       path */
	double *start_prob; /* [n_states] probability that the first start
	                       state is equivalent to this one under
	                       automorphisms; 0: a lower state represents it */
};

struct cscg_plan_graph;

/*
 * The most probable transitions of a map; the action stationary (-1: none)
 * stays in every state, whatever the transitions of the map.  NULL with err
 * filled: CSCG_EMISMATCH if a row is empty or none of its transitions has more
 * than half of it, CSCG_ERANGE (too many states for a table of distances),
 * CSCG_ENOMEM.
 */
struct cscg_track_exact_graph *cscg_track_exact_graph_new(
    const struct cscg_plan_graph *map, int stationary, struct cscg_err *err);
void cscg_track_exact_graph_free(struct cscg_track_exact_graph *m);

/* One hypothesis. */
struct cscg_track_exact_hypothesis {
	double p;
	int state;
	const int *symbol;   /* [n_states] the symbol of each state, -1:
	                        unbound */
	const int *state_of; /* [n_obs] the state of each symbol, -1:
	                        unbound */
};

struct cscg_track_exact {
	const struct cscg_track_exact_graph *graph; /* borrowed */
	int n_obs;
	long max_hypotheses; /* maximum number of hypotheses */
	long n;              /* number of hypotheses; probabilities sum to
	                        one */
	long n_bound;        /* bound symbols, the same number in all
	                        hypotheses */
	bool is_new;         /* no observation yet */
	double *p;
	int *v; /* state, symbol and state_of of each */
	size_t cap_p, cap_v;
};

/* An empty set of hypotheses; borrows graph. */
void cscg_track_exact_init(struct cscg_track_exact *h,
    const struct cscg_track_exact_graph *graph, int n_obs,
    long max_hypotheses);
void cscg_track_exact_free(
    struct cscg_track_exact *h); /* h is empty afterwards */

/* The i-th hypothesis, valid until the set changes. */
struct cscg_track_exact_hypothesis cscg_track_exact_get(
    const struct cscg_track_exact *h, long i);

/*
 * Reset: the agent is at an unknown state and observes x.  If there are then
 * more than max_hypotheses hypotheses, at most max_hypotheses of them are
 * sampled and the others are lost; rng is used only for that.  0, or -1 with
 * err filled (CSCG_ENOMEM).  h->n = 0: x contradicts all hypotheses.
 */
int cscg_track_exact_reset(struct cscg_track_exact *h, int x,
    struct cscg_rng *rng, struct cscg_err *err);

/*
 * The agent took action a and observes x.  h->n = 0: that contradicts all
 * hypotheses.
 */
void cscg_track_exact_step(struct cscg_track_exact *h, int a, int x);

#endif
