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

#include "base/err.h"
#include "plan/rival.h"

struct cscg_trail {
	int n_actions;
	int apart;		/* an action that does not move; -1: none */

	/* the walk, or the end of one that is very long */
	int *a, *x;		/* a[t] led to x[t]; -1: put there */
	long n;
	long first;		/* step at which the episode began */
	size_t cap_a, cap_x;

	/* the guess that it was laid onto */
	const struct cscg_rival *rival;	/* or NULL */
	int state, origin;	/* now, and at that step; -1: nowhere yet */
	unsigned char *tried;	/* [states * n_actions], see below */
	double *cost, *costs;
	int *back;
	size_t cap_tried, cap_cost, cap_costs, cap_back;

	/* the ways from state */
	int *far;		/* [states] moves; -1: there is no way */
	int *by, *from, *queue;
	int *plan;		/* actions of one way */
	size_t cap_far, cap_by, cap_from, cap_queue, cap_plan;
};

/* Empty it: another world.  Set n_actions and apart before. */
void cscg_trail_begin(struct cscg_trail *t);
void cscg_trail_free(struct cscg_trail *t);	/* empties it, too */

/*
 * Action a (-1: put elsewhere) led to x (-1: nothing seen), and this is the
 * likeliest guess now.  If it goes on from the one before, so does the trail;
 * otherwise the walk is laid onto the new one by the likeliest path.  0, or -1
 * with err filled (CSCG_ENOMEM).
 */
int cscg_trail_add(struct cscg_trail *t, int a, int x,
    const struct cscg_rival *rival, const struct cscg_guess *guess,
    struct cscg_err *err);

/* The next step is the first of an episode. */
void cscg_trail_mark(struct cscg_trail *t);

/* Was a tried in state j, with the outcome that the rival says? */
bool cscg_trail_tried(const struct cscg_trail *t, int j, int a);

/*
 * Find the shortest ways from the state; of ways as short one by turn, a number
 * below n_actions.  Then the actions of the way to state j, which there is,
 * into t->plan; their number.
 */
void cscg_trail_search(struct cscg_trail *t, int turn);
int cscg_trail_way(struct cscg_trail *t, int j);

#endif
