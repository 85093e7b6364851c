/*
 * plans.h - every action sequence of a tiny model and every path under it
 *
 * Uses neither messages nor layers: the success probability of a sequence of
 * actions is the largest product over all paths of states.
 */
#ifndef BRUTE_PLANS_H
#define BRUTE_PLANS_H

/* T[a][j][k] of n_states; start and goal weigh the ends of a path. */
struct brute_world {
	int n_states, n_actions;
	const double *T, *start, *goal;
};

/* The largest probability of a path under n given actions. */
double brute_success(const struct brute_world *w, const int *a, int n);

/* The largest over all sequences of exactly n actions, n <= 8. */
double brute_plan(const struct brute_world *w, int n);

#endif
