/*
 * rival.h - one of several explanations of what an agent sees
 *
 * A schema explains it by all its bindings (track.h).  A memory, which is a
 * grounded model, has its one binding, and must look so: it is a filter over its
 * states, with the same chances to slip and to look new.  Both give the
 * probability of all that was seen, so that they can be compared; a schema, whose
 * place may be of another size, has larger chances then: to jump ten times that
 * of the set, and to slip `stretch` at least.  A schema
 * must guess how a symbol looks that it meets for the first time, any of those
 * not seen before being as likely; a memory knows it.  So a memory that fits
 * wins within a few steps, and one that does not is out as soon.
 *
 * Actions and symbols are the world's in all calls.
 */
#ifndef CSCG_RIVAL_H
#define CSCG_RIVAL_H

#include <stdbool.h>

#include "world/serve.h"
#include "base/error.h"
#include "schema/match_known.h"
#include "core/model.h"
#include "schema/track.h"

struct cscg_candidate;

/*
 * NULL with err filled: CSCG_EMISMATCH if its actions are not the world's or it
 * has neither looks nor clone structure; CSCG_ENOMEM.  Borrows m.
 */
struct cscg_candidate *cscg_candidate_new(const struct cscg_env_header *world,
    const struct cscg_model *m, const struct cscg_track_options *set,
    double min_slip, struct cscg_err *err);
void cscg_candidate_free(struct cscg_candidate *c);

/* Nothing was seen yet. */
void cscg_candidate_reset(struct cscg_candidate *c);

/*
 * Action a was taken (-1: the agent was put somewhere) and x was seen (-1:
 * nothing).  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_candidate_observe(struct cscg_candidate *c, int a, int x, struct cscg_err *err);

/* log P(what was seen); -INFINITY where a memory lacks a symbol. */
double cscg_candidate_loglik(const struct cscg_candidate *c);

/*
 * How well the place is known to it, whatever its rivals are: the margin, and
 * what follows from it (match_known.h).  It is model i of known.
 */
double cscg_candidate_novelty(const struct cscg_candidate *c,
    const struct cscg_novelty *novelty, int i, enum cscg_novelty_class *class);

bool cscg_candidate_is_grounded(const struct cscg_candidate *c);
int cscg_candidate_n_states(const struct cscg_candidate *c);

/* How a schema is followed, or NULL if it is a memory; borrowed. */
const struct cscg_track *cscg_candidate_track(const struct cscg_candidate *c);

/* One way how things may be. */
struct cscg_candidate_hypothesis {
	double p;		/* that it is this one, if the rival is right */
	int state;
	const int *symbol;	/* of groups, until the next step; or NULL */
};

/*
 * The likeliest ways, at most so many, best first.  Their number, at least one
 * if anything was seen.
 */
int cscg_candidate_top(const struct cscg_candidate *c, struct cscg_candidate_hypothesis *hypothesis,
    int max);

/* What state j shows if it is so; -1 - its group: nothing is known yet. */
int cscg_candidate_symbol(const struct cscg_candidate *c,
    const struct cscg_candidate_hypothesis *hypothesis, int j);

/* Clone groups of a schema, and that of state j. */
int cscg_candidate_n_groups(const struct cscg_candidate *c);
int cscg_candidate_group(const struct cscg_candidate *c, int j);

/* Where a leads from state j, by the likeliest move; -1: not known. */
int cscg_candidate_next(const struct cscg_candidate *c, int j, int a);

/*
 * A memory as it is; a schema grounded by its likeliest binding, once something
 * was seen: what was not may look like anything that was not.  New; NULL with
 * err filled (CSCG_ENOMEM).
 */
struct cscg_model *cscg_candidate_ground(const struct cscg_candidate *c,
    struct cscg_err *err);

#endif
