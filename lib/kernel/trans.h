/*
 * trans.h - the transition matrix T as sparse plus rank one, with its views,
 * and emissions by symbol
 *
 * T from its stored counts, each row as a few entries above the level that the
 * pseudocount gives to all entries (sparse plus rank one), so that the cost of
 * a step is proportional to counts and states.  All loops read this one struct
 * through the view that suits them: rows (plain loops, forward and backward),
 * one dense matrix per action (EM on T by the plain loops), columns (SIMD).
 *
 * And for every symbol the range of states that can emit it.  Clones are
 * adjacent, so with emissions by clone the range is the group of the symbol and
 * the weights are ones; with emission rows the range is all states, weighted by
 * P(x | state).  A step without observation (-1) allows every state.
 */
#ifndef CSCG_TRANS_H
#define CSCG_TRANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "kernel/plain.h"
#include "kernel/simd.h"

/*
 * The SIMD view of one action in one direction, as the chains of simd.h take
 * it: up to depth entries of each column, and the others one by one.
 */
struct cscg_trans_columns {
	float *value; /* depth x stride */
	int32_t *index;
	struct cscg_window *window;
	uint32_t depth;
	struct cscg_sparse_entry *entry;
	long n_entries;
};

struct cscg_trans {
	const struct cscg_kernel *kern;
	const struct cscg_simd *simd; /* NULL: no SIMD view */
	int n_states, n_actions, n_obs;
	size_t stride; /* of vectors over states: n_states, padded if simd */
	int widest;    /* states of the widest range of a symbol */

	long *first;    /* [n_actions * n_states + 1], like the model's ... */
	int *to;        /* ... their entries ... */
	void *excess;   /* ... above the level of their row */
	void *level;    /* [n_actions][stride] */
	bool is_signed; /* some excess is negative: not for Viterbi */
	void *T;        /* [n_actions][n_states][n_states] if dense, or NULL */
	struct cscg_trans_columns *fwd, *bwd; /* [n_actions], or NULL */
	float *ones; /* [stride] zeros behind n_states, or NULL */

	void *pi;       /* [stride] */
	int *group;     /* [n_obs + 1], or NULL with emission rows */
	void *E;        /* [n_obs][stride], or NULL with emission by clone */
	double misread; /* of clones, or mixed into E; see
	                   cscg_trans_set_misread() */
};

/*
 * The evidence of one step: states lo..hi-1 are possible.  Their weights
 * P(x | state) are given in one of four forms:
 *
 *   weight      [hi - lo] reals; with a SIMD view [stride], padded with zeros
 *               and aligned, of all states
 *   log_weight  [hi - lo] natural logs; messages are scaled by the largest
 *   top > 0     top for states inner_lo..inner_hi-1, floor for the others
 *   none        ones
 */
struct cscg_span {
	int lo, hi;
	const void *weight;
	const double *log_weight;
	int inner_lo, inner_hi;
	double top, floor;
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

/*
 * The same with the SIMD view for one kernel, or, if simd is NULL or is_double
 * is set, for the plain loops.  It holds no pointer to m.  Threads may share
 * it, as long as no function changes it.
 */
struct cscg_trans *cscg_trans_select(const struct cscg_model *m,
    const struct cscg_simd *simd, bool is_double, struct cscg_err *err);

void cscg_trans_free(struct cscg_trans *tr);

/*
 * For dense T: T from counts [a][j][k] and a pseudocount; a row without either
 * is uniform.  Returns the sum of log T over all entries, the log prior per
 * unit of pseudocount (0 where the pseudocount is 0).
 */
double cscg_trans_set(struct cscg_trans *tr, const double *counts,
    double pseudocount);

void cscg_trans_set_pi(struct cscg_trans *tr, const double *pi);

/* The sum of log v[n], by the SIMD loops of tr if it has them. */
double cscg_trans_log_sum(const struct cscg_trans *tr, const double *v, int n);

/*
 * Emission rows instead of emission by clone: every state j has P(x | j) = (1 -
 * misread) E[j * n_obs + x] + misread / n_obs.  -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_trans_set_E(struct cscg_trans *tr, const double *E, int n_obs,
    struct cscg_err *err);

/*
 * A misreading probability, instead of that of the model: P(x | j) = (1 -
 * misread) E[j][x] + misread / n_obs, E being the row of j or 1 for the symbol
 * of its clone.  0: none.
 */
void cscg_trans_set_misread(struct cscg_trans *tr, double misread);

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

/* counts[a][j][k] += scale * alpha[j] T[j][k] beta[k], dense. */
void cscg_trans_count(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to,
    const void *alpha, const void *beta, double scale, double *counts);

/*
 * The same for entries alone: entries[i] like tr->to, and rest[a * n_states +
 * j] of all k without an entry.  Not for dense T.
 */
void cscg_trans_count_entries(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const struct cscg_span *to,
    const void *alpha, const void *beta, double scale, double *entries,
    double *rest);

/* T[a][j][k] for all k into p. */
void cscg_trans_row(const struct cscg_trans *tr, int a, int j, double *p);

/*
 * Set up step to propagate a message of all states through action a by the
 * SIMD view, without weights and endpoints.
 */
void cscg_trans_chain(const struct cscg_trans *tr, int a, bool forward,
    struct cscg_chain_step *step);

#endif
