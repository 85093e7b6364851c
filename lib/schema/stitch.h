/*
 * stitch.h - stitching: one model of a place composed of known schemas
 *
 * Algorithm 2 of the paper.  The schemas stand side by side as blocks of one
 * prior; from each frontier of a block one may go to the entries of all others.
 * EM on E with this T fixed says what the states look like, EM on T with that E
 * fixed says which connections there are, and Viterbi training makes the counts
 * whole.  Only moves that the prior has can get counts (where a block has a row
 * without counts, all): the steps that need another are told, not made to fit.
 */
#ifndef CSCG_STITCH_H
#define CSCG_STITCH_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "io/stream.h"
#include "schema/bind.h"
#include "schema/partition.h"
#include "world/room.h"

/* What a row of the prior is worth, in counts. */
#define CSCG_STITCH_ROW_COUNT 100.0

/*
 * The prior of n blocks: a CSCG_SCHEMA whose states are those of the first
 * block, then of the second, and so on.  A row is worth 100 counts and the
 * pseudocount is 1e-4, whatever the blocks have; a row that a block has no
 * counts for stays without.  At a frontier (s, a) the counts go to the entries
 * of all other blocks in equal parts, but for a share of stay, by which the
 * move does what it does in the block, or stays at s if that is not known.
 * If that is more than 32 ways for each state (cscg_stitch_is_implicit()), they
 * lead to all states in equal parts instead, by the pseudocount, so that nothing
 * of it is stored.
 * Actions are matched by name with those of the first block.  Frontiers are
 * all of the blocks', and so are entries if any block has some; coordinates put
 * blocks side by side if all have some.
 *
 * NULL with err filled: CSCG_EMISMATCH if actions differ or there are too many
 * states, CSCG_ENOMEM; which (may be NULL) is the block at fault then, or -1.
 */
struct cscg_model *cscg_stitch_prior(const struct cscg_model *const *block,
    int n, double self_loop, int *which, struct cscg_err *err);

bool cscg_stitch_is_implicit(const struct cscg_model *const *block, int n);

/* What happened, for progress and statistics. */
struct cscg_stitch_progress {
	/*
	 * "bind" (an E-step on E), "mend" (a round of it), "restart" (the end
	 * of one; the best of its rounds), "best",
	 * "em" (an E-step on T), "learn" (the last of these), "refine" (a
	 * round; the path's log-probability), "final" (the result)
	 */
	const char *stage;
	long restart, iteration;
	int n_states;
	double loglik, objective; /* objective: NAN where there is none */
};

struct cscg_stitch {
	double self_loop;
	double prior_weight;   /* what schemas say of a move that is no
	                          frontier is worth so many steps; above 0
	                          pseudocount must be, too */
	struct cscg_bind bind; /* EM on E; neither tied nor its report */
	struct cscg_bind_starts starts;
	long reset_rounds; /* rounds after each start at most in which schemas
	                      of unclear looks are bound anew
	                      (stitch_bind.h) */
	long iterations;   /* EM on T: at most */
	double tolerance, pseudocount;
	int viterbi_rounds; /* of Viterbi training at most; at least 1 */

	/* May be NULL.  Not 0: stop EM as it is. */
	int (*report)(void *ctx, const struct cscg_stitch_progress *line);
	void *ctx;
};

#define CSCG_STITCH_DEFAULTS \
	{ \
		.self_loop = .5, .prior_weight = 1, \
		.bind = CSCG_BIND_DEFAULTS, \
		.starts = { .restarts = 4, .jitter = .01, .threads = 1 }, \
		.reset_rounds = 20, .iterations = 30, .tolerance = 1e-5, \
		.pseudocount = 2e-3, .viterbi_rounds = 5 \
	}

/* A move from one block to another, states as in the prior. */
struct cscg_stitch_link {
	int from, a, to;
	long n_visits;
};

struct cscg_stitch_result {
	struct cscg_model *model; /* grounded; of the states visited */
	int n_blocks, n_states;   /* of the prior */
	int *base;                /* [n_blocks + 1] the first state of each */
	int *state_of;         /* [model's states] which of the prior it is */
	long n_steps, n_moves; /* of the walk; moves: that count as such */
	long *n_visits;        /* [n_states] of the prior, ... */
	long *n_jumps;         /* ... arrived there by a move it lacks, ... */
	long *n_unlikely;      /* ... and saw what is unlikely there (< 1/2) */
	struct cscg_stitch_link *link; /* by from, a and to */
	long n_links;
	double loglik; /* of the walk under the model */
};

/*
 * Stitch n blocks by walk w, whose actions are those of the first block.  The
 * model's pseudocount is set->pseudocount, its frontiers are those of the
 * visited states that the walk never tried, its confidence that of the states
 * on the likeliest path.  Free out with cscg_stitch_result_free(), also on failure.
 *
 * Returns 0, or -1 with err filled: CSCG_ERANGE (no steps, or impossible
 * whatever the looks are), CSCG_EMISMATCH, CSCG_ENOMEM, CSCG_EBUG.  The result
 * does not depend on the number of threads.
 */
int cscg_stitch(const struct cscg_model *const *block, int n,
    const struct cscg_walk *w, const struct cscg_stitch *set,
    struct cscg_stitch_result *out, struct cscg_err *err);
void cscg_stitch_result_free(
    struct cscg_stitch_result *s); /* empties it, too */

/* What one block, or all of them (k = -1), came to. */
struct cscg_stitch_totals {
	int states, used;
	long n_visits, n_jumps, n_unlikely;
};
struct cscg_stitch_totals cscg_stitch_result_totals(
    const struct cscg_stitch_result *s, int k);

/*
 * The report: the whole, the blocks, their connections and the model's states,
 * as four tables, TSV with an empty line between, or JSON Lines.  names are
 * those of the blocks' schemas.
 */
int cscg_stitch_result_write(const struct cscg_stitch_result *s,
    const struct cscg_names *names, bool json, struct cscg_out *out,
    struct cscg_err *err);

/*
 * where one may leave what a model or room knows
 */

/*
 * Replace the frontiers of m by its boundary: all moves that stay put, by more
 * than half of their counts.  Behind each of these walls there may be a door
 * elsewhere.  An action that stays everywhere is no move and is left out.
 * Entries are forgotten.
 */
int cscg_frontier_boundary(struct cscg_model *m, struct cscg_err *err);

/*
 * Replace them by its bottlenecks: the moves between rooms that are found in it
 * (partition.h), by moves of at least the share min_p.  What lies behind a door may
 * be another place elsewhere.  Entries are where these moves lead, if that is
 * not where they start.
 */
int cscg_frontier_bottleneck(struct cscg_model *m,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_err *err);

/*
 * The frontiers as a table: where, the action, and where it leads here: to
 * itself at a wall; not known if it leads to several places, or none.  Entries
 * of a model follow, without action.
 */
int cscg_frontier_write_model(const struct cscg_model *m, bool json,
    struct cscg_out *out, struct cscg_err *err);
int cscg_frontier_write_room(const struct cscg_room *room, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
