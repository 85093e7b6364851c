/*
 * hypo.h - all ways to lay what was seen onto a graph
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
#ifndef CSCG_HYPO_H
#define CSCG_HYPO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/rng.h"

/* Where every action leads from every state: to[a * n_states + j]. */
struct cscg_moves {
	int n_states, n_actions;
	int *to;
	int *apart;		/* [n_states * n_states] fewest moves from j to
				   k, at j * n_states + k; -1: no way */
	double *begin;		/* [n_states] chance that the first beginning is
				   one that a symmetry maps to this one; 0: a
				   lower state stands for it */
};

struct cscg_map;

/*
 * The likeliest moves of a map; the action apart (-1: none) stays everywhere,
 * whatever the map says.  NULL with err filled: CSCG_EMISMATCH if a row
 * leads nowhere or any of its moves has less than half of it, CSCG_ERANGE (too
 * many states for a table of distances), CSCG_ENOMEM.
 */
struct cscg_moves *cscg_moves_new(const struct cscg_map *map, int apart,
    struct cscg_err *err);
void cscg_moves_free(struct cscg_moves *m);

/* One way how things may be. */
struct cscg_hypo {
	double p;
	int state;
	const int *symbol;	/* [n_states] what it shows, -1: not known */
	const int *place;	/* [n_obs] where that is, -1: not known */
};

struct cscg_hypos {
	const struct cscg_moves *moves;	/* borrowed */
	int n_obs;
	long most;		/* hypotheses kept */
	long n;			/* there are, probabilities sum to one */
	long known;		/* symbols that have a state, in all of them */
	bool fresh;		/* nothing was seen yet */
	double *p;
	int *v;			/* state, symbols, places of each */
	size_t cap_p, cap_v;
};

/* None; borrows moves. */
void cscg_hypos_begin(struct cscg_hypos *h, const struct cscg_moves *moves,
    int n_obs, long most);
void cscg_hypos_free(struct cscg_hypos *h);	/* empties it, too */

/* The i-th, until the set is changed. */
struct cscg_hypo cscg_hypos_get(const struct cscg_hypos *h, long i);

/* One of them, by its probability; h->n > 0. */
long cscg_hypos_draw(const struct cscg_hypos *h, struct cscg_rng *rng);

/*
 * The agent was put somewhere and sees x.  If there are more than most
 * hypotheses then, so many are drawn and the others are lost: rng is used for
 * that alone.  0, or -1 with err filled (CSCG_ENOMEM).  h->n = 0: x cannot be.
 */
int cscg_hypos_put(struct cscg_hypos *h, int x, struct cscg_rng *rng,
    struct cscg_err *err);

/* It took action a and sees x.  h->n = 0: that cannot be. */
void cscg_hypos_step(struct cscg_hypos *h, int a, int x);

/* Make to a copy of from; 0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_hypos_copy(struct cscg_hypos *to, const struct cscg_hypos *from,
    struct cscg_err *err);

#endif
