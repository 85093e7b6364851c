/*
 * novelty.h - does a schema fit a place, resemble it, or is the place unknown?
 *
 * For scores by track.h.  A binding that explains a walk in a schema's own room
 * costs no more than to say where the walk began, log Z for Z states, and again
 * wherever the agent was put elsewhere.  So
 *
 * 	margin = score + log Z * (how often it began)
 *
 * is 0 or more there, if no move fails, and every surprise lowers it.  A schema
 * fits as long as its margin is above a bound; it resembles the place, as a room
 * of another size may, as long as the margin is above a lower one; otherwise the
 * place is unknown to it.  A place is known as well as it is to any schema.
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
	 * 0: bounds by rule, -3 for what fits (with slip less what moves that
	 * go wrong cost after n steps in the mean, and 2.33 standard deviations
	 * of it, as if all were of the rarest kind), and n / 5 below that for
	 * what resembles.  Otherwise they are found by so many walks in each
	 * schema, whose moves go wrong with slip: what fits is not more than 3
	 * below the lowest margin of a schema's own walks; what resembles is
	 * above three in four of the margins that such walks have in the best
	 * of all other schemas, or not more than n / 10 below what fits.
	 */
	long walks;
	long steps; /* of each walk; 0: 200.  Beyond, bounds go on as they did
	               in the second half */
	uint64_t seed;
	int threads; /* any number gives the same bounds */
};

struct cscg_novelty;

/*
 * The n schemas m, with clone structure; they are not kept.  NULL with err
 * filled: CSCG_EMISMATCH (no clone structure), CSCG_ENOMEM.
 */
struct cscg_novelty *cscg_novelty_new(const struct cscg_novelty_options *set,
    struct cscg_model *const *m, int n, struct cscg_err *err);
void cscg_novelty_free(struct cscg_novelty *novelty);

/* Of schema i, after a walk that began so often. */
double cscg_novelty_margin(const struct cscg_novelty *novelty, int i,
    double score, long n_starts);

/* After so many steps. */
enum cscg_novelty_class cscg_novelty_classify(
    const struct cscg_novelty *novelty, int i, double margin, long steps);

/* The bounds themselves, of schema i after so many steps. */
void cscg_novelty_thresholds(const struct cscg_novelty *novelty, int i,
    double steps, double *fits, double *resembles);

#endif
