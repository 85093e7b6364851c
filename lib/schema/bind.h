/*
 * bind.h - binding a schema to a walk: EM on E with T fixed
 *
 * Maximises log P(x | a) + p * sum log E over the emissions E[state][symbol],
 * free or tied within clone groups: with tied clones the expected emissions of
 * a group are summed, the pseudocount is added once, and all its states share
 * the row.  pi stays as it is, or becomes the posterior of the first steps.
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
#include "kernel/trans.h"
#include "learn/em.h"

/*
 * Scratch memory, grown once and reused where many walks are bound; an
 * all-zero struct is empty.  Threads never share one.
 */
struct cscg_bind_work {
	void *block;
	size_t size;
};
void cscg_bind_work_free(struct cscg_bind_work *work); /* empties it, too */

struct cscg_bind {
	bool tied, learn_pi;
	long iterations;  /* at most */
	double tolerance; /* stop when two updates in a row gain less than this
	                     share of the objective, the second no more than
	                     the first; 0: make all */
	double pseudocount;
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool is_double;               /* in double precision: plain only */
	const struct cscg_trans_simd
	    *trans_simd;             /* of this schema and simd (trans.h);
				   NULL: made here, or not needed by the plain
				   loops */
	struct cscg_bind_work *work; /* NULL: made here */

	/* Called after each E-step; may be NULL.  Not 0: stop there. */
	int (*report)(void *ctx, const struct cscg_em_progress *line);
	void *ctx;
};

/* Iterations, tolerance and pseudocount, if nothing else is known. */
#define CSCG_BIND_DEFAULTS \
	{ \
		.iterations = 100, .tolerance = 1e-5, .pseudocount = 1e-7 \
	}

/*
 * Bind schema m to walk w, whose actions are the model's (see walk.h).  E
 * (n_states rows of w->head.n_obs, each summing to one; equal within a group if
 * tied) is the start and becomes the result.  pi (n_states, never NULL) says
 * where runs begin and becomes the result, too, if it is learned.  A schema
 * without clone structure cannot be tied (CSCG_EMISMATCH).
 *
 * *last is measured under the E that is returned.  Returns 0, or -1 with err
 * filled: CSCG_ENOMEM, CSCG_ERANGE (the walk is impossible whatever E is),
 * CSCG_EBUG (the objective fell).  Episodes of w share one binding.
 */
int cscg_bind(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, double *E, double *pi,
    struct cscg_em_progress *last, struct cscg_err *err);

/*
 * How often each state was seen with each symbol, as far as E and pi tell:
 * visits[n_states][n_obs].  Of set, the kernel and memory count.  Fails as
 * cscg_bind() does.
 */
int cscg_bind_visits(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, const double *E, const double *pi,
    double *visits, struct cscg_err *err);

/* Where EM begins, several times: the best by objective is kept. */
struct cscg_bind_starts {
	long restarts;      /* at least 1 */
	double jitter;      /* rows are 1 + jitter * U(0, 1), normalised; 0:
	                       uniform, where symmetric schemas stay */
	double wide_jitter; /* if above 0: that of every other start.  Near
	                       uniform finds its way in symmetric schemas, wide
	                       where a place is like no schema */
	uint64_t seed;      /* stream of start i: (seed, BIND, i, key) */
	uint64_t key;       /* of the episode, say */
	int threads;        /* starts side by side; any number gives the same
	                       result */
};

/*
 * Bind from starts->restarts starts and keep the best (the first of equals).  E
 * and pi are results alone: pi starts as the schema's or uniform.  *which (may
 * be NULL) says which start it was.  set->report is called for all of them in
 * order, each from its iteration 0 on; if threads is above 1, when all is done,
 * and it cannot stop them then.  set->work serves if threads is 1.
 */
int cscg_bind_restarts(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_bind *set, const struct cscg_bind_starts *starts,
    double *E, double *pi, struct cscg_em_progress *last, long *which,
    struct cscg_err *err);

/*
 * The jitter by default: tied, small and wide alternately, since the expected
 * counts of a group add up and small differences grow; free, small.
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

/* One such start, tied or free. */
void cscg_bind_random_E(const struct cscg_model *m, int n_obs, bool tied,
    double jitter, struct cscg_rng *rng, double *E);

#endif
