/*
 * trans_blocks.h - T in blocks of (action, symbol, next symbol) for the SIMD
 * passes
 *
 * With emissions by clone a message covers the states of one symbol, so a step
 * needs only the block of T from the states of one symbol to those of the
 * next.  A block is built when it is first needed.  Missing observations (-1)
 * are one more symbol, which every state emits.
 *
 * For sums the states of a symbol whose rows of T are equal can be merged into
 * one lane: the message need only have their sum.  EM leaves many of them.
 */
#ifndef CSCG_TRANS_BLOCKS_H
#define CSCG_TRANS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/keys.h"
#include "kernel/simd.h"
#include "kernel/trans.h"

/* The entries of a row above its level, of all in struct cscg_trans. */
struct cscg_row_entries {
	long first, n;
};

struct cscg_trans_blocks {
	const struct cscg_trans *tr;
	const struct cscg_simd *simd; /* its width is that of the padding */
	uint64_t n_symbols;           /* with that of missing observations */
	bool merge;
	int n_lanes;
	int *lane;      /* [n_states] of each state */
	int *state;     /* [n_lanes] the first state of each lane */
	float *n_equal; /* [n_lanes] the number of its states */
	struct cscg_row_entries
	    *found;    /* [n_lanes] of the block being built */
	float *weight; /* n_equal of the lanes of each symbol, padded: ... */
	size_t *weight_at; /* [n_symbols + 1] ... of symbol x - 1 */
	int *lo; /* [n_symbols + 1] first lane of symbol x - 1; lo[0] is 0 */
	uint32_t *width; /* [n_symbols] floats of a message of symbol x - 1 */
	struct cscg_trans_block *block;
	void **data; /* dense rows or entries of each block */
	int n;
	size_t bytes; /* of all dense rows and entries */
	size_t cap, cap_data;
	float *level;          /* [n_actions][n_lanes], padded */
	struct cscg_keys keys; /* (action, symbol, next symbol) of each */
};

/* Whether tr has single precision and exact emissions by clone. */
bool cscg_trans_blocks_suit(const struct cscg_trans *tr);

/*
 * Blocks of tr, which is borrowed and must satisfy cscg_trans_blocks_suit();
 * no block is built yet.  Unless merge is set, each state has a lane.  NULL
 * with err filled (CSCG_ENOMEM).
 */
struct cscg_trans_blocks *cscg_trans_blocks_new(const struct cscg_trans *tr,
    const struct cscg_simd *simd, bool merge, struct cscg_err *err);
void cscg_trans_blocks_free(struct cscg_trans_blocks *b);

/* Build the block of cscg_trans_blocks_find(), whose key is new. */
int cscg_trans_blocks_add(struct cscg_trans_blocks *b, uint64_t key, int a,
    int x, int y, struct cscg_err *err);

/*
 * The number of the block of action a from symbol x to symbol y; -1 with err
 * filled (CSCG_ENOMEM).  The array b->block may move.
 */
static inline int
cscg_trans_blocks_find(struct cscg_trans_blocks *b, int a, int x, int y,
    struct cscg_err *err)
{
	uint64_t K = b->n_symbols;
	uint64_t key = ((uint64_t)a * K + (uint64_t)(x + 1)) * K +
	    (uint64_t)(y + 1);
	long i = cscg_keys_find(&b->keys, key);

	return i >= 0 ? (int)i : cscg_trans_blocks_add(b, key, a, x, y, err);
}

#endif
