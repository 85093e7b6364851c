/*
 * trans.h - the transition matrix T as sparse plus rank one, with views for
 * the passes and for SIMD
 *
 * T from its stored counts, each row as a few entries above the level that the
 * pseudocount gives to all entries (sparse plus rank one), so that the cost of
 * a step is proportional to counts and states; or one dense matrix per action,
 * which EM on T by the plain loops needs.  And for every symbol the range of
 * states that can emit it.  Clones are adjacent, so with emissions by clone
 * the range is the group of the symbol and the weights are ones; with emission
 * rows the range is all states, weighted by P(x | state).  A step without
 * observation (-1) allows every state.
 */
#ifndef CSCG_TRANS_H
#define CSCG_TRANS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "kernel/plain.h"
#include "kernel/simd.h"

struct cscg_trans {
	const struct cscg_kernel *kern;
	int n_states, n_actions, n_obs;
	int widest;   /* states of the widest range of a symbol */
	void *T;      /* [n_actions][n_states][n_states] if dense, or NULL */
	long *first;  /* [n_actions * n_states + 1], like the model's ... */
	int *to;      /* ... their entries ... */
	void *excess; /* ... above the level of their row */
	void *level;  /* [n_actions * n_states] */
	void *pi;     /* [n_states] */
	int *group;   /* [n_obs + 1], or NULL with emission rows */
	void *E;      /* [n_obs][n_states], or NULL with emission by clone */
};

/* States lo..hi-1 may emit the symbol; weight is NULL for ones. */
struct cscg_span {
	int lo, hi;
	const void *weight; /* of state lo, ... */
};

/*
 * Build from a grounded model; CSCG_EMISMATCH for a schema, CSCG_ENOMEM if the
 * matrices do not fit.
 */
struct cscg_trans *cscg_trans_new(const struct cscg_model *m,
    const struct cscg_kernel *kern, struct cscg_err *err);
struct cscg_trans *cscg_trans_dense(const struct cscg_model *m,
    const struct cscg_kernel *kern, struct cscg_err *err);

/*
 * The transitions of any model; cscg_trans_set_E() must set emissions before
 * use.
 */
struct cscg_trans *cscg_trans_schema(const struct cscg_model *m,
    const struct cscg_kernel *kern, struct cscg_err *err);

void cscg_trans_free(struct cscg_trans *tr);

/*
 * For dense T: T from counts [a][j][k] and a pseudocount; a row without either
 * is uniform.  Returns the sum of log T over all entries, the log prior per
 * unit of pseudocount (0 where the pseudocount is 0).
 */
double cscg_trans_set(struct cscg_trans *tr, const double *counts,
    double pseudocount);

void cscg_trans_set_pi(struct cscg_trans *tr, const double *pi);

/*
 * Emission rows instead of emission by clone: every state j has P(x | j) = E[j
 * * n_obs + x].  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_trans_set_E(struct cscg_trans *tr, const double *E, int n_obs,
    struct cscg_err *err);

struct cscg_span cscg_trans_span(const struct cscg_trans *tr, int x);

/*
 * Propagate a message through action a, from the states of one span to those
 * of another: out[k] = sum_j in[j] T[j][k] forward, out[j] = sum_k T[j][k]
 * in[k] backward, and out[k] = max_j in[j] T[j][k] with arg[k] the maximising
 * j - from->lo.
 */
void cscg_trans_push(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to, const void *in,
    void *out);
void cscg_trans_pull(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to, const void *in,
    void *out);
void cscg_trans_push_max(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to, const void *in,
    void *out, int *arg);

/* For dense T: counts[a][j][k] += scale * alpha[j] T[j][k] beta[k]. */
void cscg_trans_count(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to,
    const void *alpha, const void *beta, double scale, double *counts);

/* T[a][j][k] for all k into p. */
void cscg_trans_row(const struct cscg_trans *tr, int a, int j, double *p);

/*
 * T of a schema for the SIMD passes of binding
 *
 * Each action forward and backward, over all states: a few entries for each
 * column and a matrix of rank one, as the chains of simd.h take them.  It is
 * independent of walks and emissions, so a schema that is bound repeatedly
 * needs only one.
 */

/* T of one action, in one direction. */
struct cscg_trans_columns {
	float *value; /* depth x pad */
	int32_t *index;
	uint32_t depth;
	struct cscg_sparse_entry *entry;
	long n_entries;
};

struct cscg_trans_simd {
	int n_states, n_actions;
	size_t pad;                           /* n_states, padded */
	struct cscg_trans_columns *fwd, *bwd; /* [n_actions] */
	float *level; /* [n_actions][pad] the level, due to p */
	float *ones;  /* [pad], zeros behind n_states */
};

/*
 * The tables of m for one SIMD kernel, which must not be NULL.  They hold no
 * pointer to m.  Threads may share them.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_trans_simd *cscg_trans_simd_new(const struct cscg_model *m,
    const struct cscg_simd *simd, struct cscg_err *err);
void cscg_trans_simd_free(struct cscg_trans_simd *view);

/*
 * Set up step to propagate a message through action a, without weights and
 * endpoints.
 */
void cscg_trans_simd_forward(const struct cscg_trans_simd *view, int a,
    struct cscg_chain_step *step);
void cscg_trans_simd_backward(const struct cscg_trans_simd *view, int a,
    struct cscg_chain_step *step);

#endif
