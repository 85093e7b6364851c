/*
 * track_exact.h - exact posterior over bindings of a deterministic schema
 *
 * For a graph without chance whose places all look different: once it is said
 * where the agent was put, each move says where the next symbol belongs.  So
 * what an agent knows is a set of hypotheses, each a binding of symbols to
 * states and the state the agent is in.  A step drops those that it
 * contradicts.  Where the agent is put elsewhere, one that knows the symbol knows
 * the state; otherwise it splits, one for each state that has no symbol yet.
 *
 * If all places to begin at and all bindings are as likely, hypotheses have
 * exactly the probabilities that are told here.  Beginnings that a symmetry of
 * the graph maps to each other cannot be told apart by anything that may follow,
 * so there is one hypothesis for all of them.
 */
#ifndef CSCG_TRACK_EXACT_H
#define CSCG_TRACK_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/rng.h"

/* Where every action leads from every state: to[a * n_states + j]. */
struct cscg_track_exact_graph {
	int n_states, n_actions;
	int *to;
	int *distance;      /* [n_states * n_states] fewest moves from j to k,
	                       at j * n_states + k; -1: no way */
	double *start_prob; /* [n_states] chance that the first beginning is
	                       one that a symmetry maps to this one; 0: a lower
	                       state stands for it */
};

struct cscg_plan_graph;

/*
 * The likeliest moves of a map; the action stationary (-1: none) stays everywhere,
 * whatever the map says.  NULL with err filled: CSCG_EMISMATCH if a row
 * leads nowhere or any of its moves has less than half of it, CSCG_ERANGE (too
 * many states for a table of distances), CSCG_ENOMEM.
 */
struct cscg_track_exact_graph *cscg_track_exact_graph_new(
    const struct cscg_plan_graph *map, int stationary, struct cscg_err *err);
void cscg_track_exact_graph_free(struct cscg_track_exact_graph *m);

/* One way how things may be. */
struct cscg_track_exact_hypothesis {
	double p;
	int state;
	const int *symbol;   /* [n_states] what it shows, -1: not known */
	const int *state_of; /* [n_obs] where that is, -1: not known */
};

struct cscg_track_exact {
	const struct cscg_track_exact_graph *graph; /* borrowed */
	int n_obs;
	long max_hypotheses; /* hypotheses kept */
	long n;              /* there are, probabilities sum to one */
	long n_bound;        /* symbols that have a state, in all of them */
	bool is_new;         /* nothing was seen yet */
	double *p;
	int *v; /* state, symbols, places of each */
	size_t cap_p, cap_v;
};

/* None; borrows moves. */
void cscg_track_exact_init(struct cscg_track_exact *h,
    const struct cscg_track_exact_graph *graph, int n_obs,
    long max_hypotheses);
void cscg_track_exact_free(struct cscg_track_exact *h); /* empties it, too */

/* The i-th, until the set is changed. */
struct cscg_track_exact_hypothesis cscg_track_exact_get(
    const struct cscg_track_exact *h, long i);

/*
 * The agent was put somewhere and sees x.  If there are more than most
 * hypotheses then, so many are drawn and the others are lost: rng is used for
 * that alone.  0, or -1 with err filled (CSCG_ENOMEM).  h->n = 0: x cannot be.
 */
int cscg_track_exact_reset(struct cscg_track_exact *h, int x,
    struct cscg_rng *rng, struct cscg_err *err);

/* It took action a and sees x.  h->n = 0: that cannot be. */
void cscg_track_exact_step(struct cscg_track_exact *h, int a, int x);

/* Make to a copy of from; 0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_track_exact_copy(struct cscg_track_exact *to,
    const struct cscg_track_exact *from, struct cscg_err *err);

#endif
