/*
 * multi.h - one T and one E per episode, learned together
 *
 * The same T, a new binding for each episode: what a player of many games on
 * one board can learn.  For worlds without aliasing or chance: as many states
 * as symbols, and in an episode the same action after the same symbol leads to
 * the same symbol.
 *
 * EM is anchored and sequential, since from random starts it fails: the states
 * are the symbols of the first episode; each further episode draws a binding,
 * fits it with T fixed, and then T and all bindings are fitted together.  A
 * self-test that needs no truth says whether the graph is whole; if not, the
 * whole fit is drawn again, a few times.
 */
#ifndef CSCG_MULTI_H
#define CSCG_MULTI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/* What is known after an episode. */
struct cscg_multi_progress {
	int episode; /* from 0 */
	long draws;  /* fits made for it */
	long rows, tried,
	    deterministic; /* (action, state) rows; how many were tried; how
	                      many lead to one state alone */
	bool complete;     /* the self-test passed */
	bool predicted;    /* the graph before it foretold this episode */
	double loglik;     /* natural log, all episodes so far */
};

enum { CSCG_MULTI_DRAWS = 50 }; /* default of draws */

struct cscg_multi {
	long draws;         /* at most, after each episode */
	long iterations;    /* of each EM */
	double pseudocount; /* of T */
	uint64_t seed;
	/*
	 * The self-test: all rows were tried and are sure; and, if reversible,
	 * no two states lead to the same one by the same action; otherwise the
	 * graph of some episodes foretells further ones until each of its rows
	 * has foretold something right.
	 */
	bool reversible;
	bool until_complete; /* do not look at what follows */

	/* After each episode; may be NULL.  Not 0: stop there. */
	int (*report)(void *ctx, const struct cscg_multi_progress *line);
	void *ctx;
};

/*
 * A schema (kind CSCG_CLONES, every state a group of its own) of the episodes
 * of w; *last is its last line.  Actions that are never taken need not be
 * tried.
 *
 * NULL with err filled: CSCG_EMISMATCH (the walk has aliasing, chance or a
 * dropout: the place is named), CSCG_ERANGE (too many symbols for dense
 * counts), CSCG_ENOMEM.
 */
struct cscg_model *cscg_multi(const struct cscg_walk *w,
    const struct cscg_multi *set, struct cscg_multi_progress *last,
    struct cscg_err *err);

/*
 * Can schema m produce episode e of w if every move goes where its row's
 * largest count says and states have symbols one to one?  Exact: all ways to
 * begin are tried.  symbol (room for n_states, may be NULL) gets the binding
 * found, -1 where a state was not seen.  Returns 1, 0 or -1 (CSCG_ENOMEM).
 */
int cscg_multi_can_produce(const struct cscg_model *m,
    const struct cscg_walk *w, int e, int *symbol, struct cscg_err *err);

#endif
