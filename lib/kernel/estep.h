/*
 * estep.h - the E-step of EM on T behind one interface; the plain
 * implementation
 *
 * An engine belongs to one walk and the clones of one model.  It holds counts,
 * the T they make, and the expected counts of the last E-step.  EM (em.h)
 * drives it and does not know how it computes.
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
	/* Counts from the model; from rng, uniform on [0, 1), if not NULL. */
	int (*load)(struct cscg_estep *e, const struct cscg_model *m,
	    struct cscg_rng *rng, struct cscg_err *err);

	/*
	 * T from the counts and a pseudocount; returns the sum of log T over
	 * all entries, 0 if the pseudocount is 0.
	 */
	double (*set)(struct cscg_estep *e, double pseudocount);

	/*
	 * The log-likelihood under T, -INFINITY if impossible; with counts,
	 * the expected counts, too.
	 */
	int (*expect)(struct cscg_estep *e, bool counts, double *loglik,
	    struct cscg_err *err);

	/* The expected counts become the counts (and the starts pi). */
	void (*accept)(struct cscg_estep *e);

	/* Counts above floor, and pi if it is learned, into a model. */
	int (*store)(struct cscg_estep *e, struct cscg_model *m, double floor,
	    struct cscg_err *err);

	void (*free)(struct cscg_estep *e);

	const char *name;      /* of the kernel */
	double slack_relative; /* how far the objective may seem to fall: */
	double slack_per_step; /* a share of itself, and for each step */

	/*
	 * Counts that were just accepted as bytes, and back: EM goes on from
	 * them as if it had never stopped.  NULL: this kind cannot.
	 */
	int (*save)(struct cscg_estep *e, struct cscg_blob *to,
	    struct cscg_err *err);
	int (*restore)(struct cscg_estep *e, struct cscg_blob *from,
	    struct cscg_err *err);
};

struct cscg_estep_ranks;

/* What an engine is made with. */
struct cscg_estep_options {
	const struct cscg_simd *simd; /* NULL: the plain loops */
	bool is_double;               /* in double precision: plain only */
	bool learn_pi;
	bool low_memory; /* forward messages computed twice */
	int threads;
	struct cscg_estep_ranks *
	    estep_ranks; /* ranks that share the work (estep_ranks.h), or NULL */

	/*
	 * For the fast engine of a rank whose walk is its part of the whole:
	 * all ranks make theirs and call the same functions in the same
	 * order, but for store() and save(), which rank 0 may call alone.
	 */
	struct cscg_ranks *ranks;
};

/* Will its E-steps be shared out to ranks? */
bool cscg_estep_is_shared(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_estep_options *set);

/*
 * For grounded model m with emissions by clone.  The plain loops serve where
 * the fast ones do not: double precision, and walks with dropouts.  Borrows m
 * and w.  NULL with err filled: CSCG_ENOMEM, CSCG_EMISMATCH.
 */
struct cscg_estep *cscg_estep_new(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_estep_options *set,
    struct cscg_err *err);

void cscg_estep_free(struct cscg_estep *e);

/* The two kinds, for cscg_estep_new() and tests. */
struct cscg_estep *cscg_estep_blocked(const struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_estep_options *set,
    struct cscg_err *err);

#endif
