/*
 * novelty.h - novelty class of an environment: a schema fits it, resembles it,
 * or it is unknown
 *
 * For scores by track.h.  In an environment with the schema's own graph, the
 * correct binding costs only the choice of the start state: log Z for Z
 * states, at the start of the walk and at every reset.  Therefore
 *
 * 	margin = score + log Z * (number of starts)
 *
 * is 0 or more there if no transition is noisy, and every unexpected
 * observation lowers it.  A schema fits while its margin is above a threshold.
 * It resembles the environment, for example as a room of another size does,
 * while the margin is above a lower threshold.  Otherwise the environment is
 * unknown to the schema.  The class of an environment is the best class over
 * all schemas.
 */
#ifndef CSCG_NOVELTY_H
#define CSCG_NOVELTY_H

#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "schema/track.h"

enum cscg_novelty_class {
	CSCG_NOVELTY_FITS,
	CSCG_NOVELTY_RESEMBLES,
	CSCG_NOVELTY_UNKNOWN,
};

/* "fits", "resembles", "unknown" */
const char *cscg_novelty_text(enum cscg_novelty_class novelty);

struct cscg_novelty_options {
	struct cscg_track_options track;

	/*
	 * 0: thresholds by rule.  The threshold of "fits" is -3; with slip it
	 * is lowered by the mean cost of noisy transitions after n steps and
	 * by 2.33 standard deviations of that cost, as if all noisy
	 * transitions were of the least probable kind.  The threshold of
	 * "resembles" is n / 5 below that.
	 *
	 * Otherwise thresholds are estimated from this number of random walks
	 * in each schema, with transition noise slip.  The threshold of "fits"
	 * is 3 below the lowest margin of a schema's own walks.  The threshold
	 * of "resembles" is the lower of two values: the 75 % quantile of the
	 * margins that such walks have in the best of all other schemas, and n
	 * / 10 below "fits".
	 */
	long walks;
	long steps; /* of each walk; 0: 200.  Beyond, thresholds are
	               extrapolated from the second half */
	uint64_t seed;
	int threads; /* thresholds do not depend on it */
};

struct cscg_novelty;

/*
 * Create the thresholds of the n schemas m, which have clone structure and are
 * not kept.  NULL with err filled: CSCG_EMISMATCH (no clone structure),
 * CSCG_ENOMEM.
 */
struct cscg_novelty *cscg_novelty_new(const struct cscg_novelty_options *set,
    struct cscg_model *const *m, int n, struct cscg_err *err);
void cscg_novelty_free(struct cscg_novelty *novelty);

/* The margin of schema i after a walk with n_starts starts. */
double cscg_novelty_margin(const struct cscg_novelty *novelty, int i,
    double score, long n_starts);

/* The class of schema i for its margin after the given number of steps. */
enum cscg_novelty_class cscg_novelty_classify(
    const struct cscg_novelty *novelty, int i, double margin, long steps);

/* The thresholds of schema i after the given number of steps. */
void cscg_novelty_thresholds(const struct cscg_novelty *novelty, int i,
    double steps, double *fits, double *resembles);

#endif
