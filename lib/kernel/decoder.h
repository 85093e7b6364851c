/*
 * decoder.h - likelihood, filter and Viterbi path of walks under a given
 * model, by SIMD or by the plain loops
 *
 * With emissions by clone, single precision and a SIMD kernel, messages pass
 * through the blocks of T (trans_blocks.h); else passes.c computes.  Both give
 * the same log-likelihoods up to rounding.  A Viterbi path may differ between
 * them where paths are equally likely up to rounding.  The result depends on
 * the input and the kernel alone.
 *
 * Memory: a filter holds the messages of a few steps, Viterbi those of about
 * twice the square root of the steps of a run (with the plain loops, all of an
 * episode).  Threads never share a decoder.
 */
#ifndef CSCG_DECODER_H
#define CSCG_DECODER_H

#include "base/error.h"
#include "core/walk.h"
#include "kernel/simd.h"
#include "kernel/trans.h"

struct cscg_decoder;

/*
 * A decoder for tr, which is borrowed.  simd NULL: the plain loops.  NULL with
 * err filled (CSCG_ENOMEM).
 */
struct cscg_decoder *cscg_decoder_new(const struct cscg_trans *tr,
    const struct cscg_simd *simd, struct cscg_err *err);
void cscg_decoder_free(struct cscg_decoder *d);

/*
 * Set the escape probability (filter.h), initially 0: *loglik of the filter
 * then includes the escape, and after an impossible step the belief restarts.
 * Symbols of the filter may then be CSCG_UNKNOWN.
 */
void cscg_decoder_set_unseen(struct cscg_decoder *d, double unseen);

/*
 * Filter n more steps: x[t], a[t] the action after it (-1: the episode ends),
 * reset[t] as in a walk (reset may be NULL).  p[t] = P(x[t] | steps before) (p
 * may be NULL), without the escape; 0 from an impossible step on, up to the
 * next reset or episode, or with an escape 0 of that step alone.  *loglik is
 * the sum of log p[t], with the escape.  A new decoder expects the first step of an
 * episode.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_decoder_filter(struct cscg_decoder *d, long n, const int *x,
    const int *a, const unsigned char *reset, double *p, double *loglik,
    struct cscg_err *err);

/*
 * The log-likelihood of all of w, -INFINITY if the model cannot produce it.
 * Discards the state of the filter.
 */
int cscg_decoder_loglik(struct cscg_decoder *d, const struct cscg_walk *w,
    double *loglik, struct cscg_err *err);

/*
 * The likeliest states of every step of w, and the log of their joint
 * probability with the walk: see cscg_viterbi_all() in passes.h.
 */
int cscg_decoder_viterbi(struct cscg_decoder *d, const struct cscg_walk *w,
    int *states, double *logp, struct cscg_err *err);

/* The two functions above for a model, whose T is built for this call. */
int cscg_decode_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd,
    double *loglik, struct cscg_err *err);
int cscg_decode_viterbi(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd, int *states,
    double *logp, struct cscg_err *err);

#endif
