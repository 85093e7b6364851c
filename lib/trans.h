/*
 * trans.h - a grounded model as the passes want it
 *
 * T as one dense matrix per action, and for every symbol the range of states
 * that can emit it.  Clones are neighbours, so with emissions by clone the
 * range is the symbol's group and the weights are ones; with emission rows it
 * is all states, weighted by P(x | state).  No observation (-1) allows every
 * state.
 */
#ifndef CSCG_TRANS_H
#define CSCG_TRANS_H

#include "err.h"
#include "kern.h"
#include "model.h"

struct cscg_trans {
	const struct cscg_kern *kern;
	int n_states, n_actions, n_obs;
	int widest;	/* states of the widest range but that of no symbol */
	void *T;	/* [n_actions][n_states][n_states] */
	void *pi;	/* [n_states] */
	int *group;	/* [n_obs + 1], or NULL with emission rows */
	void *E;	/* [n_obs][n_states], or NULL with emission by clone */
};

/* States lo..hi-1 may emit the symbol; weight is NULL for ones. */
struct cscg_span {
	int lo, hi;
	const void *weight;	/* of state lo, ... */
};

/*
 * Build from a grounded model; CSCG_EMISMATCH for a schema, CSCG_ENOMEM if the
 * matrices do not fit.
 */
struct cscg_trans *cscg_trans_new(const struct cscg_model *m,
    const struct cscg_kern *kern, struct cscg_err *err);
void cscg_trans_free(struct cscg_trans *tr);

/*
 * T from dense counts [a][j][k] and a pseudocount; a row without either is
 * uniform.  Returns the sum of log T over all entries, the log prior per unit
 * of pseudocount (0 where the pseudocount is 0).
 */
double cscg_trans_set(struct cscg_trans *tr, const double *counts,
    double pseudocount);

void cscg_trans_set_pi(struct cscg_trans *tr, const double *pi);

struct cscg_span cscg_trans_span(const struct cscg_trans *tr, int x);

/* The matrix of action a from state j on to state k on. */
const void *cscg_trans_at(const struct cscg_trans *tr, int a, int j, int k);

#endif
