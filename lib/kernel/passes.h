/*
 * passes.h - forward, backward, Viterbi, posterior and expected counts: each
 * pass once, over the evidence of each step
 *
 * A pass runs along the steps of one struct cscg_evidence, which gives the
 * states possible at each step and their weights (struct cscg_span in
 * trans.h): symbols by clone, symbols with a misreading probability, emission
 * rows, densities of frames.  It uses the view of T that struct cscg_trans
 * holds: the SIMD view if there is one, else the plain loops in single or
 * double precision or on logs.
 *
 * struct cscg_work holds the messages.  Their contents are private to the
 * passes, except where stated below.  Threads never share a struct cscg_work;
 * they may share the rest.
 */
#ifndef CSCG_PASSES_H
#define CSCG_PASSES_H

#include <stddef.h>

#include "base/error.h"
#include "core/walk.h"
#include "kernel/trans.h"

/* Steps 0..n-1, actions between them, and the evidence of each. */
struct cscg_evidence {
	long n;
	const int *a;               /* [n] the action after each step */
	const unsigned char *reset; /* [n] whether a run starts here; NULL:
	                               only step 0 */

	/*
	 * P(state) at the start of a run, [stride] reals of tr; NULL: pi of
	 * tr.  first replaces it at step 0 if it is not NULL.
	 */
	const void *pi, *first;

	/*
	 * Set *s, all zero before, for step t.  The arrays of s stay unchanged
	 * during a pass.
	 */
	void (*at)(const struct cscg_evidence *ev, long t,
	    struct cscg_span *s);
	const void *ctx; /* for at() ... */
	const int *x;    /* ... and a symbol for each step */
};

/* Episode e of w with the emissions of tr. */
struct cscg_evidence cscg_evidence_walk(const struct cscg_trans *tr,
    const struct cscg_walk *w, int e);

/* An all-zero struct is empty; chunk may be set before the first pass. */
struct cscg_work {
	/*
	 * Forward messages kept at once, in steps; 0: those of all steps.
	 * Otherwise only the message at the start of each chunk is stored, and
	 * the other messages are computed again by the backward pass (and by
	 * Viterbi for its path): more time, memory for steps / chunk messages
	 * instead of steps.
	 */
	long chunk;

	long n;          /* steps of the last forward pass */
	long n_possible; /* steps before the first impossible one */
	double *p;       /* [n] P(x[t] | steps before), relative to the largest
	                    weight where weights are logs; not set with SIMD */

	/* Private: */
	long at;          /* first step of the chunk in message */
	size_t *off;      /* [steps of a chunk + 1] in reals */
	char *message;    /* forward, then posterior ... */
	char *base;       /* ... aligned */
	char *checkpoint; /* [n / chunk] messages without own evidence */
	int *back;        /* Viterbi: best predecessor, like message ... */
	int *first_back;  /* ... and [n / chunk][stride] of first steps */
	char *lines;      /* scratch vectors, [LINES][stride] ... */
	char *line;       /* ... aligned */
	struct cscg_chain_step *links; /* [n_actions], with SIMD */
	size_t cap_off, cap_p, cap_message, cap_checkpoint, cap_back,
	    cap_first_back, cap_lines, cap_links;
};

/*
 * Set chunk for n steps: 0 if all messages fit into 256 MB, otherwise about the
 * square root of n.
 */
void cscg_work_limit(struct cscg_work *work, const struct cscg_trans *tr,
    long n);

void cscg_work_free(struct cscg_work *work); /* work is empty afterwards */

/*
 * The message of step t by the plain loops: after the forward pass P(z[t] |
 * steps 0..t) over the states of its span, after the backward pass the
 * posterior, as long as all steps are kept.
 */
void *cscg_work_message(const struct cscg_work *work,
    const struct cscg_trans *tr, long t);

/*
 * After a forward pass: messages without the evidence of their own step, that
 * is P(z[t] | steps 0..t-1) times a constant, [stride] with SIMD, else over
 * the span of the step: of the last step, and of the first step of chunk i.
 */
const void *cscg_work_last(const struct cscg_work *work,
    const struct cscg_trans *tr);
const void *cscg_work_checkpoint(const struct cscg_work *work,
    const struct cscg_trans *tr, long i);

/* True if step t of w starts a run: no transition leads into it. */
static inline int
cscg_walk_starts_run(const struct cscg_walk *w, int e, long t)
{
	return t == w->start[e] || (w->reset && w->reset[t]);
}

/* Forward: likelihood */

/*
 * One step of the filter: from the belief alpha over span from, through action
 * a (a < 0: from pi instead), to the belief over the span of symbol x in out,
 * which has room for n_states and does not overlap alpha.  Plain loops.
 *
 * Returns P(x | steps before) and scales out to sum to one; 0 if the model
 * cannot produce x here, and then out is zero.
 */
double cscg_forward_step(const struct cscg_trans *tr,
    const struct cscg_span *from, const void *alpha, int a, int x, void *out);

/*
 * The second half of cscg_forward_step(): multiply the predicted message v
 * over span s by the weights of s.  The same result and scale.
 */
double cscg_observe_step(const struct cscg_trans *tr,
    const struct cscg_span *s, void *v);

/*
 * The same for Viterbi: alpha and out are probabilities of the likeliest path
 * to each state, relative to the largest; arg[k] is the state before, less
 * from->lo (a >= 0), and *best the likeliest state, less the start of its
 * span.  Returns the factor, 0 if the model cannot produce x here.
 */
double cscg_viterbi_step(const struct cscg_trans *tr,
    const struct cscg_span *from, const void *alpha, int a, int x, void *out,
    int *arg, int *best);

/*
 * The filter for messages of all states without the evidence of their own
 * step: out = (in * weights of from) T[a] / exp(*log_scale), of [stride] each.
 * from allows all states.  1; 0 if all of out is zero; -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_pass_predict(const struct cscg_trans *tr, int a,
    const struct cscg_span *from, const void *in, struct cscg_work *work,
    void *out, double *log_scale, struct cscg_err *err);

/*
 * Pass messages forward.
 *
 * Returns 0 and sets *loglik (natural log); the messages stay in work, where
 * cscg_pass_backward() expects them.  Evidence that the model cannot produce
 * is not an error: *loglik is then -INFINITY, work->n_possible is the first
 * impossible step (with SIMD at most one too late) and work->p is 0 from there
 * on.
 *
 * Returns -1 with err filled (CSCG_ENOMEM).
 */
int cscg_pass_forward(const struct cscg_trans *tr,
    const struct cscg_evidence *ev, struct cscg_work *work, double *loglik,
    struct cscg_err *err);

/* Backward: posterior and expected counts */

/*
 * Outputs of the backward pass.  It adds to the arrays; NULL: not computed.
 * Steps come in descending order.
 */
struct cscg_sink {
	double *counts;  /* [a][j][k] expected transitions, dense */
	double *entries; /* of the stored entries of T, like tr->to, and ... */
	double *rest;    /* ... [a * n_states + j] of all others of a row */
	double *start;   /* [n_states] posterior of each start of a run */

	/*
	 * The array [n_states] to which the posterior of step t is added;
	 * NULL: none.
	 */
	double *(*visits)(void *ctx, long t);
	bool visits_only; /* the messages need not become posteriors */

	/* gamma[j - s->lo] = P(z[t] = j | all steps), reals of tr. */
	void (*posterior)(void *ctx, long t, const struct cscg_span *s,
	    const void *gamma);

	/*
	 * P(z[t] = j, z[t+1] = k | all steps) = alpha[j - lo] T[a[t]][j][k]
	 * v[k - lo] * scale, each over the span of its step; all are reals of
	 * the kernel.
	 */
	void (*pair)(void *ctx, long t, const void *alpha, const void *v,
	    double scale);
	void *ctx; /* passed to the functions */
};

/*
 * Pass messages backward, after cscg_pass_forward() with the same arguments
 * and a finite log-likelihood.  Returns -1, or the step at which messages
 * underflow.
 */
long cscg_pass_backward(const struct cscg_trans *tr,
    const struct cscg_evidence *ev, struct cscg_work *work,
    const struct cscg_sink *sink);

/* Fill err for such an underflow at step t (CSCG_ERANGE); returns -1. */
int cscg_pass_underflow(long t, struct cscg_err *err);

/* Viterbi: the likeliest path of hidden states */

/*
 * The likeliest states into states[n] and the log of their joint probability
 * with the evidence into *logp, by the plain loops.  Ties: of equally likely
 * paths the one whose states, compared from the end backwards, are lower, so
 * the result depends on the input alone.
 *
 * If the model cannot produce the evidence, 0 is returned, *logp is -INFINITY
 * and states are -1 from the first impossible step on.  Returns -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_pass_viterbi(const struct cscg_trans *tr,
    const struct cscg_evidence *ev, struct cscg_work *work, int *states,
    double *logp, struct cscg_err *err);

/* The same passes for episode e of walk w with the emissions of tr */

/*
 * Symbols and actions of the walk must be the model's: see walk.h.
 * cscg_backward() leaves the posterior of each step in work
 * (cscg_work_message()); sink may be NULL.
 */
int cscg_forward(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, double *loglik, struct cscg_err *err);
long cscg_backward(const struct cscg_trans *tr, const struct cscg_walk *w,
    int e, struct cscg_work *work, const struct cscg_sink *sink);
int cscg_viterbi(const struct cscg_trans *tr, const struct cscg_walk *w, int e,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err);

/* All episodes: states has an item for every step, *logp is the sum. */
int cscg_viterbi_all(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, int *states, double *logp, struct cscg_err *err);

/*
 * Forward, and if sink is not NULL backward, over all episodes: *loglik is the
 * sum, -INFINITY if an episode is impossible, which then adds nothing to sink.
 * Steps of sink functions count from the start of the episode.  -1 with err
 * filled: CSCG_ENOMEM, CSCG_ERANGE (underflow).
 */
int cscg_expect(const struct cscg_trans *tr, const struct cscg_walk *w,
    struct cscg_work *work, const struct cscg_sink *sink, double *loglik,
    struct cscg_err *err);

#endif
