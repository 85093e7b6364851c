/*
 * stitch_bind.h - EM on E for the blocks of a stitched prior
 *
 * EM on E from a random start often finds the looks of some blocks, and lays
 * what is left of the walk over others, right or wrong.  Rather than to begin
 * all anew it is mended: blocks whose looks are unclear forget them, the others
 * keep theirs, if less surely, and EM is run again; what gains is kept.
 *
 * A block is unclear if on the likeliest path a share of its steps (above 1/20,
 * 1/100 and 0 by turns) saw what is not the usual look of their state, or came
 * or went by a move that the prior lacks; or if less than half of its states are
 * used, but some.  Above 0 not all of the unclear forget: chance leaves some.  A
 * start after which no block is unclear is taken, and no further one is needed.
 */
#ifndef CSCG_STITCH_BIND_H
#define CSCG_STITCH_BIND_H

#include <stdbool.h>

#include "schema/bind.h"
#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/* Blocks and the ways between them. */
struct cscg_stitch_blocks {
	const struct cscg_model *prior;
	int n_blocks;
	const int *base;  /* [n_blocks + 1] the first state of each */
	bool is_implicit; /* ways from frontiers are not listed */
};

struct cscg_stitch_bind {
	struct cscg_stitch_blocks blocks;
	const struct cscg_walk *w;
	struct cscg_bind bind; /* neither tied, nor pi learned, nor its report
	                          used */
	struct cscg_bind_starts starts;
	long reset_rounds; /* rounds at most after each start; three of them
	                      that gain nothing, one after the other, end it,
	                      too */

	/*
	 * May be NULL.  Called start by start, also where these run side by
	 * side: "bind" (an E-step), "mend" (the end of a round, iteration is
	 * its number from 1, the rest is of the best so far), "restart" (the
	 * end of one).  Not 0: begin no further start.
	 */
	int (*report)(void *ctx, const char *stage, long restart,
	    const struct cscg_em_progress *line);
	void *ctx;
};

/*
 * Is there a move by action a from j to k: one of the prior's own, or, where
 * ways are not listed, from a frontier to an entry of another block?
 */
bool cscg_stitch_has_transition(const struct cscg_stitch_blocks *blocks, int a,
    int j, int k);

/* The latter alone, listed or not. */
bool cscg_stitch_is_link(const struct cscg_stitch_blocks *blocks, int a, int j,
    int k);

/*
 * The E of the first start that leaves nothing unclear, or else of the best one,
 * the first of equals, and the pi they began with; which says which it is.
 * Returns 0, or -1 with err filled: CSCG_ENOMEM, CSCG_ERANGE, CSCG_EBUG.  The
 * result does not depend on the number of threads.
 */
int cscg_stitch_bind(const struct cscg_stitch_bind *options, double *E,
    double *pi, struct cscg_em_progress *last, long *which,
    struct cscg_err *err);

#endif
