/*
 * trail.h - where a walk leads on one explanation of it, and where one may go
 * from there
 *
 * For agents that follow the likeliest guess of the likeliest rival (rival.h):
 * what was tried in its states, where the walk began, and the shortest ways to
 * all other states.
 */
#ifndef CSCG_TRAIL_H
#define CSCG_TRAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plan/rival.h"

struct cscg_candidate_path {
	int n_actions;
	int stationary;		/* an action that does not move; -1: none */

	/* the walk, or the end of one that is very long */
	int *a, *x;		/* a[t] led to x[t]; -1: put there */
	long n;
	long first;		/* step at which the episode began */
	size_t cap_a, cap_x;

	/* the guess that it was laid onto */
	const struct cscg_candidate *candidate;	/* or NULL */
	int state, origin;	/* now, and at that step; -1: nowhere yet */
	unsigned char *tried;	/* [states * n_actions], see below */
	double *cost, *next_cost;
	int *back;
	size_t cap_tried, cap_cost, cap_next_cost, cap_back;

	/* the ways from state */
	int *distance;		/* [states] moves; -1: there is no way */
	int *via_action, *previous, *queue;
	int *plan;		/* actions of one way */
	size_t cap_distance, cap_via_action, cap_previous, cap_queue, cap_plan;
};

/* Empty it: another world.  Set n_actions and stationary before. */
void cscg_candidate_path_reset(struct cscg_candidate_path *t);
void cscg_candidate_path_free(struct cscg_candidate_path *t);	/* empties it, too */

/*
 * Action a (-1: put elsewhere) led to x (-1: nothing seen), and this is the
 * likeliest guess now.  If it goes on from the one before, so does the trail;
 * otherwise the walk is laid onto the new one by the likeliest path.  0, or -1
 * with err filled (CSCG_ENOMEM).
 */
int cscg_candidate_path_add(struct cscg_candidate_path *t, int a, int x,
    const struct cscg_candidate *candidate, const struct cscg_candidate_hypothesis *hypothesis,
    struct cscg_err *err);

/* The next step is the first of an episode. */
void cscg_candidate_path_begin_episode(struct cscg_candidate_path *t);

/* Was a tried in state j, with the outcome that the rival says? */
bool cscg_candidate_path_tried(const struct cscg_candidate_path *t, int j, int a);

/*
 * Find the shortest ways from the state; of ways as short one by turn, a number
 * below n_actions.  Then the actions of the way to state j, which there is,
 * into t->plan; their number.
 */
void cscg_candidate_path_search(struct cscg_candidate_path *t, int first_action);
int cscg_candidate_path_actions(struct cscg_candidate_path *t, int j);

#endif
