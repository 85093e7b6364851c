/*
 * bind.h - binding a schema to a walk: EM on E with T fixed
 *
 * Maximises log P(x | a) + p * sum log E over the emissions E[state][symbol],
 * free or tied within clone groups.  If the schema has a misreading
 * probability, P(x | j) = (1 - misread) E[j][x] + misread / symbols, and E is
 * the part without misreading.  With tied clones the expected emission
 * counts of a group are summed, the pseudocount p is added once, and all
 * states of the group share the row.  pi stays fixed, or becomes the posterior
 * over the first states of the runs.
 */
#ifndef CSCG_BIND_H
#define CSCG_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "core/model.h"
#include "core/walk.h"
#include "kernel/simd.h"
#include "kernel/passes.h"
#include "kernel/trans.h"
#include "learn/em.h"

/*
 * Scratch memory, grown on demand and reused when many walks are bound.  An
 * all-zero struct is empty.  Threads never share one.
 */
struct cscg_bind_work {
	void *block;
	size_t size;
	struct cscg_work passes;
};
void cscg_bind_work_free(
    struct cscg_bind_work *work); /* work is empty afterwards */

struct cscg_bind {
	bool tied, learn_pi;
	long iterations;  /* at most */
	double tolerance; /* stop when two successive updates each gain less
	                     than this share of the objective and the second
	                     gains no more than the first; 0: run all
	                     iterations */
	double pseudocount;
	const bool *keep; /* [n_states] rows of E that stay fixed, equal within
	                     a group if tied; requires pseudocount 0. NULL:
	                     none */
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool is_double;               /* double precision, plain loops only */
	const struct cscg_trans *tr; /* T of this schema for simd and is_double
	                                (cscg_trans_select()); NULL: created
	                                here */
	struct cscg_bind_work *work; /* NULL: allocated here */

	/*
	 * Called after each E-step; may be NULL.  A nonzero return stops EM.
	 */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;
};

/* Default iterations, tolerance and pseudocount. */
#define CSCG_BIND_DEFAULTS \
	{ \
		.iterations = 100, .tolerance = 1e-5, .pseudocount = 1e-7 \
	}

/*
 * Bind schema m to walk w, whose actions are numbered as the model's (see
 * walk.h).  E (n_states rows of w->head.n_obs, each summing to one; equal
 * within a group if tied) is the initial value and receives the result.  pi
 * (n_states, never NULL) is the distribution of the first state of a run; it
 * receives the result if learn_pi is set.  A schema without clone structure
 * cannot be tied (CSCG_EMISMATCH).
 *
 * *last is measured under the E that is returned.  Returns 0, or -1 with err
 * filled: CSCG_ENOMEM, CSCG_ERANGE (the walk has probability 0 under every E),
 * CSCG_EBUG (the objective decreased).  All episodes of w share one binding.
 */
int cscg_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, double *E, double *pi,
    struct cscg_em_progress *last, struct cscg_err *err);

/*
 * Expected visits of each state with each symbol, under E and pi:
 * visits[n_states][n_obs].  Of set, only simd, is_double, tr and work are
 * used.  Fails as cscg_bind() does.
 */
int cscg_bind_visits(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, const double *E, const double *pi,
    double *visits, struct cscg_err *err);

/* Random starts of EM; the result with the best objective is kept. */
struct cscg_bind_starts {
	long restarts;      /* at least 1 */
	double jitter;      /* rows start as 1 + jitter * U(0, 1), normalised;
	                       0: uniform, where EM cannot break the symmetries
	                       of a schema */
	double wide_jitter; /* if above 0: the jitter of every other start.
	                       Nearly uniform starts work best for symmetric
	                       schemas, widely spread ones for environments
	                       that no schema matches */
	uint64_t seed;      /* random stream of start i: (seed, BIND, i,
	                       key) */
	uint64_t key;       /* such as the number of the episode */
	int threads;        /* parallel starts; the result does not depend on
	                       the number */
};

/*
 * Bind from starts->restarts starts and keep the best (the first among
 * equals).  E and pi are outputs only: pi starts as the schema's or uniform.
 * *which (may be NULL) receives the number of the best start.  set->report is
 * called for all starts in order, each from its iteration 0 on.  If threads is
 * above 1, it is called when a start has ended and cannot stop it.
 * set->work is used if threads is 1.
 */
int cscg_bind_restarts(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, const struct cscg_bind_starts *starts,
    double *E, double *pi, struct cscg_em_progress *last, long *which,
    struct cscg_err *err);

/*
 * Set the default jitter.  Tied: small and wide alternately, since the
 * expected counts of a group add up and small differences grow.  Free: small.
 */
static inline void
cscg_bind_starts_default_jitter(struct cscg_bind_starts *starts, bool tied)
{
	starts->jitter = tied ? 0.001 : 0.01;
	starts->wide_jitter = tied ? 1 : 0;
}

static inline double
cscg_bind_starts_jitter(const struct cscg_bind_starts *starts, long i)
{
	return i % 2 && starts->wide_jitter > 0 ? starts->wide_jitter :
						  starts->jitter;
}

/* Draw one random start E, tied or free. */
void cscg_bind_random_E(const struct cscg_model *m, int n_obs, bool tied,
    double jitter, struct cscg_rng *rng, double *E);

#endif
