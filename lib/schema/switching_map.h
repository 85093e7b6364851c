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

struct cscg_switching_map {
	int n, S;		/* schemas, states of all of them */
	int *base;		/* [n + 1] the first state of each */
	struct cscg_model *m;	/* the union */
	const struct cscg_kern *kern;	/* of the plain loops */
	const struct cscg_simd *simd;	/* NULL: the plain loops */
	struct cscg_ways *ways;	/* fast */
	struct cscg_trans *tr;	/* plain */
	size_t stride, bytes;	/* reals of a message, padded; its size */
};

/* Of union m, which it takes, also when it fails; copies base. */
struct cscg_switching_map *cscg_switching_map_take(struct cscg_model *m,
    const int *base, int n, const struct cscg_simd *simd, bool is_double,
    struct cscg_err *err);
void cscg_switching_map_free(struct cscg_switching_map *map);

/* All states alike; pads are zero. */
void cscg_switching_fill(const struct cscg_switching_map *map, double with,
    void *message);

/*
 * out = (in * weight) T[a], and out = T[a] (in * weight): on and back.  scratch
 * is a message, too.  Both set the lift, and return false if nothing is left:
 * then numbers were too small for these reals.
 */
bool cscg_switching_on(const struct cscg_switching_map *map, int a,
    const void *in, const void *weight, void *scratch, void *out,
    double *lift);
bool cscg_switching_back(const struct cscg_switching_map *map, int a,
    const void *in, const void *weight, void *scratch, void *out,
    double *lift);

/*
 * alpha becomes alpha * beta * weight, scaled to sum to one, and is added to
 * seen[stride].  line is room for [stride].
 */
void cscg_switching_meet(const struct cscg_switching_map *map, void *alpha,
    const void *beta, const void *weight, double *line, double *seen);

/* sum over its states of in * weight, and of that * T's level, by schemas. */
void cscg_switching_sums(const struct cscg_switching_map *map, const void *in,
    const void *weight, double *sum);
void cscg_switching_leave(const struct cscg_switching_map *map, int a,
    const void *in, const void *weight, double *sum);

#endif
