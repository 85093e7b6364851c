/*
 * estep.h - the E-step of EM on T behind one interface; the plain
 * implementation
 *
 * An engine is an implementation of the E-step for one walk and the clones of
 * one model.  It holds counts, T computed from them, and the expected counts
 * of the last E-step.  The EM loop (learn/em.h) is independent of the
 * implementation.
 */
#ifndef CSCG_ESTEP_H
#define CSCG_ESTEP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/rng.h"
#include "core/model.h"
#include "core/walk.h"
#include "dist/blob.h"
#include "dist/ranks.h"
#include "kernel/plain.h"
#include "kernel/simd.h"

struct cscg_estep {
	/*
	 * Counts from the model, or from rng, uniform on [0, 1), if not NULL;
	 * pi from the model, if it has one.
	 */
	int (*load)(struct cscg_estep *e, const struct cscg_model *m,
	    struct cscg_rng *rng, struct cscg_err *err);

	/*
	 * T from the counts and a pseudocount; returns the sum of log T over
	 * all entries, 0 if the pseudocount is 0.
	 */
	double (*set)(struct cscg_estep *e, double pseudocount);

	/*
	 * The log-likelihood under T, -INFINITY if the walk is impossible; if
	 * counts is set, also the expected counts.
	 */
	int (*expect)(struct cscg_estep *e, bool counts, double *loglik,
	    struct cscg_err *err);

	/* Replace the counts (and pi) by the expected ones. */
	void (*accept)(struct cscg_estep *e);

	/* Counts above floor, and pi if it is learned, into a model. */
	int (*store)(struct cscg_estep *e, struct cscg_model *m, double floor,
	    struct cscg_err *err);

	void (*free)(struct cscg_estep *e);

	const char *name;      /* of the kernel */
	double slack_relative; /* rounding error of the objective: */
	double slack_per_step; /* relative part, and absolute part of each
	                          step */

	/*
	 * Serialise the counts after accept(), and restore them: EM continues
	 * as without interruption.  NULL: not supported by this kind of
	 * engine.
	 */
	int (*save)(struct cscg_estep *e, struct cscg_blob *to,
	    struct cscg_err *err);
	int (*restore)(struct cscg_estep *e, struct cscg_blob *from,
	    struct cscg_err *err);
};

struct cscg_estep_ranks;

/* Options of an engine. */
struct cscg_estep_options {
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool is_double;               /* double precision: plain loops only */
	bool learn_pi;
	bool low_memory; /* forward messages computed twice */
	int threads;
	struct cscg_estep_ranks
	    *estep_ranks; /* ranks that share the E-step (estep_ranks.h), or
	                     NULL */

	/*
	 * For the blocked engine of a rank whose walk is a part of the whole:
	 * all ranks create theirs and call the same functions in the same
	 * order, except store() and save(), which rank 0 may call alone.
	 */
	struct cscg_ranks *ranks;
};

/* True if the E-steps will be distributed over ranks. */
bool cscg_estep_is_shared(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_estep_options *set);

/*
 * For grounded model m with emissions by clone.  The plain loops are used
 * where the SIMD loops are not supported: double precision, and walks with
 * dropouts.  Borrows m and w.  NULL with err filled: CSCG_ENOMEM,
 * CSCG_EMISMATCH.
 */
struct cscg_estep *cscg_estep_new(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_estep_options *set,
    struct cscg_err *err);

void cscg_estep_free(struct cscg_estep *e);

/* The blocked engine, for cscg_estep_new() and tests. */
struct cscg_estep *cscg_estep_blocked(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_estep_options *set,
    struct cscg_err *err);

#endif
