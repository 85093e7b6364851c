/*
 * stitch_bind.h - EM on E for the blocks of a stitched prior
 *
 * EM on E from a random start often finds the correct emissions of some blocks
 * and assigns the rest of the walk to the other blocks, correctly or not.
 * Instead of a new start for all blocks, each round resets the emissions of
 * ambiguous blocks to random ones, mixes some noise into those of the others,
 * and runs EM again.  The result is kept if the objective improves.
 *
 * A block is ambiguous if, on the most probable path, more than a share of its
 * steps (1/20, 1/100 and 0 in alternation) observe a symbol other than the
 * most frequent one of their state, or arrive or leave by a transition that
 * the prior lacks; or if the path visits some of its states, but less than
 * half.  At share 0 only some ambiguous blocks are reset: one drawn at random,
 * and each other with probability 1/2.  A start that ends without ambiguous
 * blocks is accepted, and no further start is made.
 */
#ifndef CSCG_STITCH_BIND_H
#define CSCG_STITCH_BIND_H

#include <stdbool.h>

#include "schema/bind.h"
#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/* Blocks and the transitions between them. */
struct cscg_stitch_blocks {
	const struct cscg_model *prior;
	int n_blocks;
	const int *base;  /* [n_blocks + 1] the first state of each */
	bool is_implicit; /* transitions from frontiers are not stored */
};

struct cscg_stitch_bind {
	struct cscg_stitch_blocks blocks;
	const struct cscg_walk *w;
	struct cscg_bind bind; /* tied, learn_pi and report are ignored */
	struct cscg_bind_starts starts;
	long reset_rounds; /* maximum number of rounds after each start; three
	                      successive rounds without improvement also end
	                      the start */

	/*
	 * May be NULL.  Called in the order of starts, also where these run in
	 * parallel: "bind" (an E-step), "reset" (the end of a round; iteration
	 * is the number of the round, from 1, the other fields are of the best
	 * result so far), "restart" (the end of a start).  A nonzero return:
	 * make no further start.
	 */
	int (*report)(void *ctx, const char *stage, long restart,
	    const struct cscg_em_progress *line);
	void *ctx;
};

/* The block of state j, of blocks that begin at base[0] = 0, base[1], ... */
int cscg_stitch_block_of(const int *base, int j);

/*
 * Whether action a has a transition from j to k: one that the prior stores (or
 * the row has no counts), or, where transitions from frontiers are not stored,
 * one from a frontier to an entry of another block.
 */
bool cscg_stitch_has_transition(const struct cscg_stitch_blocks *blocks, int a,
    int j, int k);

/*
 * Whether it is a transition from a frontier to an entry of another block,
 * stored or not.
 */
bool cscg_stitch_is_link(const struct cscg_stitch_blocks *blocks, int a, int j,
    int k);

/*
 * Returns in E the emissions of the first start that ends without ambiguous
 * blocks, or else of the start with the best objective (the first among
 * equals), in pi the initial distribution used with E, and in which the number
 * of the start.  Returns 0, or -1 with err filled: CSCG_ENOMEM, CSCG_ERANGE,
 * CSCG_EBUG.  The result does not depend on the number of threads.
 */
int cscg_stitch_bind(const struct cscg_stitch_bind *options, double *E,
    double *pi, struct cscg_em_progress *last, long *which,
    struct cscg_err *err);

#endif
