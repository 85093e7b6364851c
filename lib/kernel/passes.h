/*
 * passes.h - forward, backward, Viterbi and expected counts of a walk, one
 * implementation in plain C
 *
 * struct cscg_work holds the messages of one episode.  The message of step t
 * of the episode (from 0) starts at work->off[t] and has one real for each
 * state of its span.  Threads never share a struct cscg_work.
 */
#ifndef CSCG_PASSES_H
#define CSCG_PASSES_H

#include <stddef.h>

#include "base/error.h"
#include "core/walk.h"
#include "kernel/trans.h"

struct cscg_work {
	long n;        /* steps of the current episode */
	size_t *off;   /* [n + 1] in reals */
	double *p;     /* [n] P(x[t] | steps before) */
	char *message; /* forward, then posterior */
	int *back;     /* Viterbi: best predecessor, like message */
	void *u, *v;   /* [n_states] each */
	size_t cap_off, cap_p, cap_message, cap_back, cap_u, cap_v;
};

/* The message of step t. */
void *cscg_work_message(const struct cscg_work *work,
    const struct cscg_trans *tr, long t);

void cscg_work_free(struct cscg_work *work); /* and empties it */

/* True if step t starts a run: no transition leads into it. */
static inline int
cscg_walk_starts_run(const struct cscg_walk *w, int e, long t)
{
	return t == w->start[e] || (w->reset && w->reset[t]);
}

/* Likelihood of a walk under a model */

/*
 * One step of the filter: from the belief alpha over span from, through action
 * a (a < 0: from pi instead), to the belief over the span of symbol x in out,
 * which has room for n_states and does not overlap alpha.
 *
 * Returns P(x | steps before) and scales out to sum to one; 0 if the model
 * cannot produce x here, and then out is zero.
 */
double cscg_forward_step(const struct cscg_trans *tr,
    const struct cscg_span *from, const void *alpha, int a, int x, void *out);

/*
 * Pass messages forward along episode e of walk w.
 *
 * Returns 0 and sets *loglik (natural log); the scaled messages and P(x[t] |
 * ...) stay in work, where cscg_backward() expects them.  A walk the model
 * cannot produce is an answer, not a failure: *loglik is then -INFINITY, and
 * work->p is 0 from the first impossible step on.
 *
 * Returns -1 with err filled (CSCG_ENOMEM).  Symbols and actions of the walk
 * must be the model's: see walk.h.  Threads may share tr and w, never work.
 */
int cscg_forward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *loglik, struct cscg_err *err);

/* Posterior of each step given the whole walk */

/*
 * Pass messages backward along episode e of w, after cscg_forward() with the
 * same work and a finite log-likelihood.
 *
 * Turns the forward message of each step into the posterior over its states
 * (P(z[t] | whole walk), summing to one), and adds the expected transitions
 * P(z[t] = j, z[t+1] = k | whole walk) to counts[a[t]][j][k] (dense, which
 * requires dense T in tr; NULL: not wanted).
 */
void cscg_backward(const struct cscg_trans *tr, const struct cscg_walk *w,
    int e, struct cscg_work *work, double *counts);

/* Viterbi: the likeliest path of hidden states of a walk */

/*
 * The likeliest states of episode e of w into states[0 .. its length - 1] and
 * the log of their joint probability with the walk into *logp.  Of equal
 * paths the one with the lower states from the end backwards is taken, so the
 * answer depends on the input alone.
 *
 * A walk the model cannot produce: 0 is returned, *logp is -INFINITY and
 * states are -1 from the first impossible step on.  Returns -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_viterbi(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err);

/* All episodes: states has an item for every step, *logp is the sum. */
int cscg_viterbi_all(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err);

/* The plain E-step: expected counts over all episodes */

/*
 * The log-likelihood of all of w, -INFINITY if impossible.  counts (dense
 * [a][j][k], zeroed here) and start (posterior at each beginning, summed) may
 * be NULL.
 */
int cscg_expect(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, double *counts, double *start, double *loglik,
    struct cscg_err *err);

#endif
