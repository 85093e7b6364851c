/*
 * switch.h - switching HMM over several schemas, batch and online
 *
 * One hidden Markov model over the states of all schemas: a transition is the
 * schema's own or, with the small probability jump, leads to any state of the
 * union.  The model thus explains a walk through several connected known
 * environments as a whole.  EM on E binds each state to the walk separately.
 * The result is, for each step, the posterior of each schema and the
 * probability of a switch from another schema.
 */
#ifndef CSCG_SWITCH_H
#define CSCG_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/simd.h"

/*
 * The union model for walks with this header: a CSCG_SCHEMA with the actions
 * of the walk whose states are those of the first schema, then of the second,
 * and so on.  base[n + 1] receives the first state of each schema.  With S
 * states in all, the transition probability is
 *
 *     T = (1 - jump) * C / sum C + jump / S
 *
 * where C are the counts of the schema and 0 between schemas; a row without
 * counts is uniform over all states.  The schemas' own pseudocounts are
 * ignored.
 *
 * NULL with err filled: CSCG_EMISMATCH (a schema lacks an action of the walk;
 * too many states), CSCG_ENOMEM.  which (may be NULL) then receives the schema
 * at fault, or -1.
 */
struct cscg_model *cscg_switch_union(const struct cscg_model *const *schema,
    int n, const struct cscg_walk_header *head, double jump, int *base,
    int *which, struct cscg_err *err);

/* The result for one step. */
struct cscg_switch_row {
	long episode; /* from 0, over all walks */
	long step;    /* from 1 */
	int node;     /* the true node, or -1 */
	int n, best;  /* schemas; the most probable, the first among equals */
	const double *posterior; /* [n] */
	double p_switch;         /* probability that the schema differs from
	                            that of the step before; 0 at the first
	                            step of an episode */
};

struct cscg_switch_options {
	double jump;                   /* probability per transition, above 0
	                                  and below 1 */
	long restarts;                 /* random starts, at least 1 */
	double jitter;                 /* E starts as 1 + jitter * U(0, 1) */
	long iterations;               /* maximum of EM */
	double tolerance, pseudocount; /* as in bind.h; pseudocount above 0 */
	uint64_t seed;
	int threads;                  /* rows do not depend on it */
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool is_double;               /* double precision, plain loops */

	/*
	 * false: each episode is bound as a whole, and the rows of its steps
	 * are smoothed (given the whole episode).  true: the row of each step
	 * is given when the step arrives, from the steps before it; see
	 * cscg-match(1).  At most memory steps are stored.
	 */
	bool online;
	long memory;

	/*
	 * Not online: bind a second time without the schemas of which less
	 * than this share of the states was visited, unless that would exclude
	 * all schemas.
	 */
	double min_visited;

	/* Called for each step, in order; -1 with err filled stops. */
	int (*row)(void *ctx, const struct cscg_switch_row *row,
	    struct cscg_err *err);
	void *ctx;

	/*
	 * Called when an episode was bound: the number of steps, the number of
	 * EM updates, and nats per step.  May be NULL.
	 */
	void (*on_bound)(void *ctx, long episode, long steps, long iterations,
	    double nats);
};

#define CSCG_SWITCH_DEFAULTS \
	{ \
		.jump = .01, .restarts = 2, .jitter = .01, .iterations = 40, \
		.tolerance = 1e-5, .pseudocount = 1e-3, .threads = 1, \
		.memory = 10000 \
	}

struct cscg_switch;

struct cscg_switch *cscg_switch_new(const struct cscg_switch_options *set,
    struct cscg_err *err);
void cscg_switch_free(struct cscg_switch *sw);

/*
 * Add a schema, before the first walk; borrows m, and name for messages.  -1
 * with err filled: CSCG_EMISMATCH if m equals a schema added before,
 * CSCG_ENOMEM.
 */
int cscg_switch_add(struct cscg_switch *sw, const char *name,
    const struct cscg_model *m, struct cscg_err *err);

/*
 * Begin a walk with this header; may be called again between two episodes.  -1
 * with err filled: CSCG_EMISMATCH (a schema lacks an action; too many symbols
 * to hold E), CSCG_ENOMEM.
 */
int cscg_switch_begin_walk(struct cscg_switch *sw,
    const struct cscg_walk_header *head, struct cscg_err *err);

/*
 * Process the next step of the walk, in the numbering of the header.  -1 with
 * err filled: CSCG_ENOMEM, CSCG_ERANGE (underflow), CSCG_EBUG, or an error of
 * row.
 */
int cscg_switch_step(struct cscg_switch *sw, const struct cscg_step *step,
    struct cscg_err *err);

#endif
