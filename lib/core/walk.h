/*
 * walk.h - sequences of observations and actions
 *
 * What is always true of a walk:
 *   - episode e is the steps start[e] .. start[e+1]-1, at least one
 *   - x[t] is -1 (no observation) or 0 <= x[t] < n_obs
 *   - a[t] was taken after x[t]: 0 <= a[t] < n_actions, and -1 on the last
 *     step of each episode
 *   - z, reset, r and goal are NULL or have an item for every step; reset[t]
 *     says that the agent was put elsewhere just before x[t]: nothing may be
 *     learned from the move t-1 -> t
 *   - view[t] is 0 (none) or 1 + the number of the view that x[t] stands for:
 *     1 + v of cscg-walk(5), so that a step of zeros has none
 */
#ifndef CSCG_WALK_H
#define CSCG_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "io/history.h"
#include "base/names.h"

/* What a walk says before its first step. */
struct cscg_walk_header {
	int n_actions, n_obs;
	struct cscg_names actions, symbols;
	struct cscg_history history;
	int frame[2];		/* rows and columns of pixels of the views that
				   come with the steps; 0: none do, and views
				   are numbers of something elsewhere */
	double *priors;		/* how likely each symbol is, or NULL */
	int n_priors;		/* written only if this is still n_obs */
};

int cscg_walk_header_copy(struct cscg_walk_header *to, const struct cscg_walk_header *from,
    struct cscg_err *err);
void cscg_walk_header_free(struct cscg_walk_header *head);	/* empties it, too */

struct cscg_walk {
	struct cscg_walk_header head;
	long n_steps;
	int n_episodes;
	long *start;		/* [n_episodes + 1] */
	int *x, *a;
	int *z;			/* true nodes, or NULL; -1: not known */
	unsigned char *reset;	/* or NULL */
	double *r;		/* reward for the action just taken, or NULL;
				   NaN: not known */
	int *goal;		/* symbol asked for, or NULL; -1: none */
	int *view;		/* or NULL */
	size_t cap, cap_z, cap_reset, cap_r, cap_goal, cap_view, cap_start;
};

/* One step as readers and writers pass it. */
struct cscg_step {
	int x, a, z, goal;	/* a = -1: the episode ends here; z, goal -1: none */
	double r;		/* NaN: not known */
	bool reset;
	int view;		/* 1 + its number; 0: none */
};

struct cscg_walk *cscg_walk_new(const struct cscg_walk_header *head,
    struct cscg_err *err);
void cscg_walk_free(struct cscg_walk *walk);

/*
 * Append a step; a = -1 ends the episode.  Trusts its input.  Until then the
 * episode is not counted in n_episodes.
 */
int cscg_walk_add(struct cscg_walk *walk, const struct cscg_step *step,
    struct cscg_err *err);

/* Step t as a struct. */
void cscg_walk_get_step(const struct cscg_walk *walk, long t,
    struct cscg_step *step);

/* Does every promise above hold?  -1 with err filled if not. */
int cscg_walk_check(const struct cscg_walk *walk, struct cscg_err *err);

/* A new walk of episodes from..to-1, each cut after head steps (0: whole). */
struct cscg_walk *cscg_walk_subset(const struct cscg_walk *walk, int from,
    int to, long head, struct cscg_err *err);

/*
 * Steps from..to-1 of episode e (counted from its start) as a walk of one
 * episode that borrows from walk, for reading only and not to be freed; start
 * is room for two.  Its last action is the one that was taken there, not -1.
 */
void cscg_walk_slice(const struct cscg_walk *walk, int e, long from, long to,
    struct cscg_walk *view, long start[2]);

#endif
