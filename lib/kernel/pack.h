/*
 * pack.h - transitions of a walk grouped by (action, symbol, next symbol) for
 * the blocked E-step
 *
 * A transition belongs to the group (action, symbol, next symbol).  Only the
 * groups that occur have a block of T.  The steps of a walk are cut into units
 * that depend on the walk alone; within a unit the transitions of a group are
 * adjacent, so that the count update is one matrix product per group.
 *
 * A run is a segment of steps without a reset: messages restart at each run.
 */
#ifndef CSCG_PACK_H
#define CSCG_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"

enum { CSCG_PACK_UNIT = 65536 }; /* steps */

struct cscg_pack_group {
	int a, from, to;             /* action, symbol, next symbol */
	uint32_t rows, cols;         /* clones of from and to ... */
	uint32_t rows_pad, cols_pad; /* ... and padded */
	size_t block;                /* of T and counts: rows x cols_pad */
	size_t transposed;           /* of T transposed: cols x rows_pad */
	/*
	 * If sparse (see simd.h), the maximal number of bundles, and their
	 * offsets.
	 */
	uint32_t max_bundles, max_bundles_back;
	size_t bundles;       /* forward; backward: of the transposed block */
	size_t row, row_back; /* their columns and rows */
	size_t live;          /* its rows among those of all blocks */
	long n;               /* transitions in the walk */
};

/* The transitions of one group within one unit. */
struct cscg_pack_piece {
	int group;
	uint32_t first, n;  /* in the order of the unit */
	size_t left, right; /* offsets of their messages in the unit */
	int unit;
	bool last; /* whether this is the last unit with this group */
};

struct cscg_pack_unit {
	long from, to; /* steps from..to-1 */
	long run;      /* the run of step `from` */
	int n_pieces;
	struct cscg_pack_piece *piece;
	size_t left, right; /* reals its messages need, forward, backward */
	long n;             /* transitions */
	long before;        /* transitions of the units before */
};

struct cscg_pack {
	const struct cscg_walk *w;
	int width;
	const int *clones; /* [n_obs + 1] first state of each symbol */
	int n_groups;
	struct cscg_pack_group *group; /* sorted by action, from, to */
	size_t n_block, n_transposed, n_bundle_reals; /* reals in all blocks */
	size_t n_row;  /* columns and rows of the stored vectors */
	size_t n_live; /* rows of all blocks */
	long n_runs;
	long *run; /* [n_runs + 1] first step of each run */
	int n_units;
	struct cscg_pack_unit *unit;
	struct cscg_pack_piece *
	    *piece;      /* of all units, by group, last first */
	long *piece_of;  /* [n_groups + 1] the first of each group */
	int *of;         /* [n_steps] group of t -> t+1, -1: ends a run */
	uint32_t *order; /* [n_steps] index of t -> t+1 in its unit */
	uint32_t *left, *right; /* [n_steps] its messages, in vectors */
};

/*
 * clones are borrowed.  Every step must have an observation (no dropouts), and
 * every observed symbol must have clones.
 *
 * For a part of a distributed walk: the keys of the groups that occur in w,
 * ascending and new; and the pack of w with all n groups of the given keys,
 * which include those of w.  The keys are taken.
 */
uint64_t *cscg_pack_keys(const struct cscg_walk *w, size_t *n,
    struct cscg_err *err);
struct cscg_pack *cscg_pack_take(const struct cscg_walk *w, const int *clones,
    int width, uint64_t *key, size_t n, struct cscg_err *err);

void cscg_pack_free(struct cscg_pack *p);

/* Whether T and its transposed blocks exceed the inner caches. */
bool cscg_pack_is_far(const struct cscg_pack *p);

/*
 * The steps at which a walk may be cut for distribution, ascending from 0:
 * those at which both a unit and an episode begin, and the end of the walk.
 * New; *n is the maximal number of parts.
 */
long *cscg_pack_cuts(const struct cscg_walk *w, long *n, struct cscg_err *err);

/* n rounded up to a multiple of the width. */
static inline uint32_t
cscg_pack_pad(const struct cscg_pack *p, uint32_t n)
{
	return (n + (uint32_t)p->width - 1) / (uint32_t)p->width *
	    (uint32_t)p->width;
}

#endif
