/*
 * candidate.h - candidate explanations of a world: schema tracker or grounded
 * filter
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
#ifndef CSCG_CANDIDATE_H
#define CSCG_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "core/model.h"
#include "schema/novelty.h"
#include "schema/track.h"
#include "world/serve.h"

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
int cscg_candidate_observe(struct cscg_candidate *c, int a, int x,
    struct cscg_err *err);

/* log P(what was seen); -INFINITY where a memory lacks a symbol. */
double cscg_candidate_loglik(const struct cscg_candidate *c);

/*
 * How well the place is known to it, whatever its rivals are: the margin, and
 * what follows from it (novelty.h).  It is model i of known.
 */
double cscg_candidate_novelty(const struct cscg_candidate *c,
    const struct cscg_novelty *novelty, int i, enum cscg_novelty_class *kind);

bool cscg_candidate_is_grounded(const struct cscg_candidate *c);
int cscg_candidate_n_states(const struct cscg_candidate *c);

/* How a schema is followed, or NULL if it is a memory; borrowed. */
const struct cscg_track *cscg_candidate_track(const struct cscg_candidate *c);

/* One way how things may be. */
struct cscg_candidate_hypothesis {
	double p; /* that it is this one, if the rival is right */
	int state;
	const int *symbol; /* of groups, until the next step; or NULL */
};

/*
 * The likeliest ways, at most so many, best first.  Their number, at least one
 * if anything was seen.
 */
int cscg_candidate_top(const struct cscg_candidate *c,
    struct cscg_candidate_hypothesis *hypothesis, int max);

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

/*
 * where a walk leads on one explanation of it, and where one may go
 * from there
 *
 * For agents that follow the likeliest guess of the likeliest rival (candidate.h):
 * what was tried in its states, where the walk began, and the shortest ways to
 * all other states.
 */

struct cscg_candidate_path {
	int n_actions;
	int stationary; /* an action that does not move; -1: none */

	/* the walk, or the end of one that is very long */
	int *a, *x; /* a[t] led to x[t]; -1: put there */
	long n;
	long first; /* step at which the episode began */
	size_t cap_a, cap_x;

	/* the guess that it was laid onto */
	const struct cscg_candidate *candidate; /* or NULL */
	int state, origin;    /* now, and at that step; -1: nowhere yet */
	unsigned char *tried; /* [states * n_actions], see below */
	double *cost, *next_cost;
	int *back;
	size_t cap_tried, cap_cost, cap_next_cost, cap_back;

	/* the ways from state */
	int *distance; /* [states] moves; -1: there is no way */
	int *via_action, *previous, *queue;
	int *plan; /* actions of one way */
	size_t cap_distance, cap_via_action, cap_previous, cap_queue, cap_plan;
};

/* Empty it: another world.  Set n_actions and stationary before. */
void cscg_candidate_path_reset(struct cscg_candidate_path *t);
void cscg_candidate_path_free(
    struct cscg_candidate_path *t); /* empties it, too */

/*
 * Action a (-1: put elsewhere) led to x (-1: nothing seen), and this is the
 * likeliest guess now.  If it goes on from the one before, so does the trail;
 * otherwise the walk is laid onto the new one by the likeliest path.  0, or -1
 * with err filled (CSCG_ENOMEM).
 */
int cscg_candidate_path_add(struct cscg_candidate_path *t, int a, int x,
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_hypothesis *hypothesis, struct cscg_err *err);

/* The next step is the first of an episode. */
void cscg_candidate_path_begin_episode(struct cscg_candidate_path *t);

/* Was a tried in state j, with the outcome that the rival says? */
bool cscg_candidate_path_tried(const struct cscg_candidate_path *t, int j,
    int a);

/*
 * Find the shortest ways from the state; of ways as short one by turn, a number
 * below n_actions.  Then the actions of the way to state j, which there is,
 * into t->plan; their number.
 */
void cscg_candidate_path_search(struct cscg_candidate_path *t,
    int first_action);
int cscg_candidate_path_actions(struct cscg_candidate_path *t, int j);

#endif
