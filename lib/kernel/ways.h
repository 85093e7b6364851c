/*
 * ways.h - T of a schema as the fast passes of binding want it
 *
 * Each action forward and backward, over all states: a few entries a column
 * and a matrix of rank one, as the chains of simd.h take them.  It knows
 * nothing of walks and looks, so a schema that is bound again and again has
 * one.
 */
#ifndef CSCG_WAYS_H
#define CSCG_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "kernel/simd.h"

/* T of one action, one way. */
struct cscg_trans_columns {
	float *value;		/* depth x pad */
	int32_t *index;
	uint32_t depth;
	struct cscg_sparse_entry *entry;
	long n_entries;
};

struct cscg_trans_simd {
	int n_states, n_actions;
	size_t pad;		/* n_states, padded */
	struct cscg_trans_columns *fwd, *bwd;	/* [n_actions] */
	float *level;		/* [n_actions][pad] what p gives to all */
	float *ones;		/* [pad], zeros behind n_states */
};

/*
 * The tables of m for one kind of kernel, never NULL here.  They hold no
 * pointer to m.  Threads may share them.  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_trans_simd *cscg_trans_simd_new(const struct cscg_model *m,
    const struct cscg_simd *simd, struct cscg_err *err);
void cscg_trans_simd_free(struct cscg_trans_simd *view);

/* A message through action a, without weights and ends. */
void cscg_trans_simd_forward(const struct cscg_trans_simd *view, int a,
    struct cscg_chain_step *step);
void cscg_trans_simd_backward(const struct cscg_trans_simd *view, int a,
    struct cscg_chain_step *step);

#endif
