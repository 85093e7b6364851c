/*
 * switch.h - switching HMM over several schemas, batch and online
 *
 * One model over the states of all schemas: a move does what the schema says,
 * or, rarely, one is suddenly anywhere.  So a walk through several known places
 * that hang together somehow is explained as a whole.  What the states look
 * like is bound to the walk by EM on E, each state for itself, and says then for
 * each step how likely each schema is, and whether one came from another.
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
 * That model for walks with this header: a CSCG_SCHEMA with the actions of the
 * walk whose states are those of the first schema, then of the second, and so
 * on; base[n + 1] becomes where each begins.  With S states in all, a move has
 *
 *     T = (1 - jump) * C / sum C + jump / S
 *
 * where C are the counts of its schema and 0 between schemas; if a row has no
 * counts it is uniform over all states.  The schemas' own pseudocounts are not
 * looked at.
 *
 * NULL with err filled: CSCG_EMISMATCH (a schema lacks an action of the walk;
 * too many states), CSCG_ENOMEM; which (may be NULL) is the schema at fault
 * then, or -1.
 */
struct cscg_model *cscg_switch_union(const struct cscg_model *const *schema,
    int n, const struct cscg_walk_header *head, double jump, int *base,
    int *which, struct cscg_err *err);

/* What is known of one step. */
struct cscg_switch_row {
	long episode; /* from 0, over all walks */
	long step;    /* from 1 */
	int node;     /* the true one, or -1 */
	int n, best;  /* schemas; the likeliest, the first of equals */
	const double *posterior; /* [n] */
	double p_switch;         /* that the schema is not that of the step
	                            before; 0 where an episode begins */
};

struct cscg_switch_options {
	double jump;                   /* of each move, above 0 and below 1 */
	long restarts;                 /* random starts, at least 1 */
	double jitter;                 /* E starts as 1 + jitter * U(0, 1) */
	long iterations;               /* of EM, at most */
	double tolerance, pseudocount; /* of bind.h; p above 0 */
	uint64_t seed;
	int threads;                  /* any number gives the same rows */
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool is_double; /* by the plain loops in double precision */

	/*
	 * false: each episode is bound as a whole, and then tells of its steps
	 * by all of it.  true: each step is told when it comes, by what came
	 * before it; see cscg-match(1).  At most memory steps are remembered.
	 */
	bool online;
	long memory;

	/*
	 * Not online: bind once more without the schemas of which less than
	 * this share of the states was visited, unless that is all of them.
	 */
	double min_visited;

	/* Called for each step, in order; -1 with err filled stops. */
	int (*row)(void *ctx, const struct cscg_switch_row *row,
	    struct cscg_err *err);
	void *ctx;

	/*
	 * Called when an episode was bound: to how many steps, by how many
	 * updates, with so many nats per step.  May be NULL.
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
 * with err filled: CSCG_EMISMATCH if it equals one that is there, CSCG_ENOMEM.
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
 * The next step of the walk, as the header numbers it.  -1 with err filled:
 * CSCG_ENOMEM, CSCG_ERANGE (numbers too small), CSCG_EBUG, or what row says.
 */
int cscg_switch_step(struct cscg_switch *sw, const struct cscg_step *step,
    struct cscg_err *err);

#endif
