/*
 * stitch.h - stitching: one model of an environment composed of known schemas
 *
 * Algorithm 2 of the paper.  The schemas are the blocks of one prior; from
 * each frontier of a block there are transitions to the entries of all other
 * blocks.  EM on E with this T fixed estimates the emissions.  EM on T with
 * that E fixed estimates the connections.  Viterbi training turns the expected
 * counts into integer counts.  Only transitions of the prior can get counts
 * (all transitions, where a block has a row without counts): steps that need
 * another transition are reported as jumps.
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

/* Total counts of a row of the prior. */
#define CSCG_STITCH_ROW_COUNT 100.0

/*
 * The prior of n blocks: a CSCG_SCHEMA whose states are those of the first
 * block, then of the second, and so on.  A row has 100 counts in total and the
 * pseudocount is 1e-4, whatever the blocks have; a row without counts in its
 * block stays without.  At a frontier (s, a) the counts go to the entries of
 * all other blocks in equal parts, except for a share self_loop, which follows
 * the transition of the block, or stays at s if the block has no counts there.
 * If that makes more than 32 transitions for each state
 * (cscg_stitch_is_implicit()), they lead to all states in equal parts instead,
 * through the pseudocount, and are not stored.  Actions are matched by name
 * with those of the first block.  Frontiers are those of all blocks, and so
 * are entries if any block has some.  Coordinates put blocks side by side if
 * all blocks have coordinates.
 *
 * NULL with err filled: CSCG_EMISMATCH if actions differ or there are too many
 * states, CSCG_ENOMEM.  which (may be NULL) then receives the block at fault,
 * or -1.
 */
struct cscg_model *cscg_stitch_prior(const struct cscg_model *const *block,
    int n, double self_loop, int *which, struct cscg_err *err);

bool cscg_stitch_is_implicit(const struct cscg_model *const *block, int n);

/* One progress report. */
struct cscg_stitch_progress {
	/*
	 * "bind" (an E-step on E), "reset" (a round of it), "restart" (the end
	 * of one; the best of its rounds), "best",
	 * "em" (an E-step on T), "learn" (the last of these), "viterbi" (a
	 * round; the path's log-probability), "final" (the result)
	 */
	const char *stage;
	long restart, iteration;
	int n_states;
	double loglik, objective; /* objective: NAN if undefined */
};

struct cscg_stitch {
	double self_loop;
	double prior_weight;   /* weight, in steps, of the schemas' transitions
	                          at rows that are not frontiers; above 0
	                          requires pseudocount > 0 */
	struct cscg_bind bind; /* EM on E; tied and report are ignored */
	struct cscg_bind_starts starts;
	long reset_rounds; /* maximum number of rounds after each start that
	                      reset unclear blocks and bind them again
	                      (stitch_bind.h) */
	long iterations;   /* maximum of EM on T */
	double tolerance, pseudocount;
	int viterbi_rounds; /* maximum of Viterbi training; at least 1 */

	/* May be NULL.  A nonzero return stops EM with the values reached. */
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

/* A transition from one block to another, states as in the prior. */
struct cscg_stitch_link {
	struct cscg_arc arc;
	long n_visits;
};

struct cscg_stitch_result {
	struct cscg_model *model; /* grounded; of the states visited */
	int n_blocks, n_states;   /* of the prior */
	int *base;                /* [n_blocks + 1] the first state of each */
	int *state_of;            /* [model's states] its state in the prior */
	long n_steps, n_transitions; /* of the walk */
	long *n_visits;              /* [n_states] of the prior, ... */
	long *n_jumps;    /* ... arrivals by a transition that the prior
	                     lacks, ... */
	long *n_unlikely; /* ... and observations of emission probability
	                     < 1/2 */
	struct cscg_stitch_link *link; /* by from, a and to */
	long n_links;
	double loglik; /* of the walk under the model */
};

/*
 * Stitch n blocks by walk w, whose actions are numbered as those of the first
 * block.  The model's pseudocount is set->pseudocount.  Its frontiers are
 * those of visited states whose action the walk never took.  Its confidence is
 * that of the states on the most probable path.  Free out with
 * cscg_stitch_result_free(), also on failure.
 *
 * Returns 0, or -1 with err filled: CSCG_ERANGE (no steps, or probability 0
 * under every E), CSCG_EMISMATCH, CSCG_ENOMEM, CSCG_EBUG.  The result does not
 * depend on the number of threads.
 */
int cscg_stitch(const struct cscg_model *const *block, int n,
    const struct cscg_walk *w, const struct cscg_stitch *set,
    struct cscg_stitch_result *out, struct cscg_err *err);
void cscg_stitch_result_free(
    struct cscg_stitch_result *s); /* s is empty afterwards */

/* Totals of block k, or of all blocks (k = -1). */
struct cscg_stitch_totals {
	int states, used;
	long n_visits, n_jumps, n_unlikely;
};
struct cscg_stitch_totals cscg_stitch_result_totals(
    const struct cscg_stitch_result *s, int k);

/*
 * Write the report: totals, blocks, connections and the model's states, as
 * four tables, TSV with an empty line between, or JSON Lines.  names are those
 * of the blocks' schemas.
 */
int cscg_stitch_result_write(const struct cscg_stitch_result *s,
    const struct cscg_names *names, bool json, struct cscg_out *out,
    struct cscg_err *err);

/*
 * Frontiers: (state, action) pairs that may lead out of a model or room
 */

/*
 * Replace the frontiers of m by its boundary: all (state, action) pairs that
 * stay in the state by more than half of their counts.  Each of these walls
 * may be a door in another environment.  An action that stays in all states is
 * ignored.  Entries are removed.
 */
int cscg_frontier_boundary(struct cscg_model *m, struct cscg_err *err);

/*
 * Replace the frontiers of m by its bottlenecks: the transitions between the
 * rooms of its partition (partition.h), ignoring transitions of probability
 * below min_p.  In another environment a door may lead to another room.
 * Entries are the targets of these transitions, if they differ from the
 * sources.
 */
int cscg_frontier_bottleneck(struct cscg_model *m,
    const struct cscg_partition_options *set, double min_p,
    struct cscg_err *err);

/*
 * Write the frontiers as a table: state, action, and target: the state itself
 * at a wall; unknown if there are several targets, or none.  Entries of a
 * model follow, without action.
 */
int cscg_frontier_write_model(const struct cscg_model *m, bool json,
    struct cscg_out *out, struct cscg_err *err);
int cscg_frontier_write_room(const struct cscg_room *room, bool json,
    struct cscg_out *out, struct cscg_err *err);

#endif
