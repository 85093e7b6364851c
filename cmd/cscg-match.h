/* cscg-match.h - what the parts of cscg-match share */
#ifndef CSCG_MATCH_CMD_H
#define CSCG_MATCH_CMD_H

#include <stdbool.h>

#include "cscg-match_switch.h"
#include "base/error.h"
#include "schema/novelty.h"
#include "core/model.h"
#include "core/model_io.h"
#include "kernel/simd.h"
#include "schema/track.h"

/* Choices, as their words are ordered. */
enum { MATCH_EM, MATCH_TRACK };
enum { MATCH_TIE_AUTO, MATCH_TIE_CLONES, MATCH_TIE_NONE };
enum { MATCH_PI_AUTO, MATCH_PI_UNIFORM, MATCH_PI_LEARN };
enum { MATCH_LABEL_END, MATCH_LABEL_CENTRE };

/* The options of --score track. */
struct match_track {
	long beam, calibrate;
	double slip;
	const char *binding;
};

struct match_set {
	long every, steps, window, stride, restarts, iterations, warm_iterations;
	int score, label, tie, pi;
	double jitter, tolerance, pseudocount, alpha, min_posterior;
	bool bits, wide, json, summary, is_double, keep_best;
	const char *truth, *isa;
	struct match_track track;
	struct match_switch sw;

	/* Not set by options. */
	const struct cscg_simd *simd;	/* chosen by isa */
	bool together;			/* ranks share the scores */
};

/*
 * Which of the schemas explains the walks?  1 if one stands out, 0 if none
 * does, -1 with err filled.
 */
int match_run(const struct match_set *set, char **paths, struct cscg_err *err);

/* The schema that --truth names; -1: it was not given. */
int match_find_truth(const struct cscg_names *names, const char *truth,
    int *which, struct cscg_err *err);

struct cscg_track_options match_track_set(const struct match_track *set);

/* How well schemas know places, if they can be tracked (CSCG_EMISMATCH). */
int match_track_know(const struct match_track *set,
    const struct cscg_schemas *c, struct cscg_novelty **known,
    struct cscg_err *err);

/* Write m as the tracker has bound it to out, a struct cscg_out. */
int match_track_bound(void *out, const struct cscg_model *m,
    const void *episode, struct cscg_err *err);

#endif
