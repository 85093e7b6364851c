/*
 * switching_map.h - several schemas as one model, and messages through it
 *
 * Used by switching*.c alone.  A message is a real for each state of the
 * union, padded for the fast loops; it does not hold the weight of its own
 * step.  Forward and backward messages may be multiplied with anything: what
 * it was is told as a logarithm, the lift.
 */
#ifndef CSCG_SWITCHING_MAP_H
#define CSCG_SWITCHING_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/kern.h"
#include "schema/switching.h"
#include "kernel/trans.h"
#include "kernel/ways.h"

struct cscg_switch_trans {
	int n, S;		/* schemas, states of all of them */
	int *base;		/* [n + 1] the first state of each */
	struct cscg_model *m;	/* the union */
	const struct cscg_kernel *kern;	/* of the plain loops */
	const struct cscg_simd *simd;	/* NULL: the plain loops */
	struct cscg_trans_simd *trans_simd;	/* fast */
	struct cscg_trans *tr;	/* plain */
	size_t stride, bytes;	/* reals of a message, padded; its size */
};

/* Of union m, which it takes, also when it fails; copies base. */
struct cscg_switch_trans *cscg_switch_trans_take(struct cscg_model *m,
    const int *base, int n, const struct cscg_simd *simd, bool is_double,
    struct cscg_err *err);
void cscg_switch_trans_free(struct cscg_switch_trans *trans);

/* All states alike; pads are zero. */
void cscg_switch_fill(const struct cscg_switch_trans *trans, double with,
    void *message);

/*
 * out = (in * weight) T[a], and out = T[a] (in * weight): on and back.  scratch
 * is a message, too.  Both set the lift, and return false if nothing is left:
 * then numbers were too small for these reals.
 */
bool cscg_switch_step_forward(const struct cscg_switch_trans *trans, int a,
    const void *in, const void *weight, void *scratch, void *out,
    double *log_scale);
bool cscg_switch_step_backward(const struct cscg_switch_trans *trans, int a,
    const void *in, const void *weight, void *scratch, void *out,
    double *log_scale);

/*
 * alpha becomes alpha * beta * weight, scaled to sum to one, and is added to
 * visits[stride].  line is room for [stride].
 */
void cscg_switch_add_posterior(const struct cscg_switch_trans *trans, void *alpha,
    const void *beta, const void *weight, double *line, double *visits);

/* sum over its states of in * weight, and of that * T's level, by schemas. */
void cscg_switch_schema_sums(const struct cscg_switch_trans *trans, const void *in,
    const void *weight, double *sum);
void cscg_switch_jump_sums(const struct cscg_switch_trans *trans, int a,
    const void *in, const void *weight, double *sum);

#endif
