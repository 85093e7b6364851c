/*
 * reward.h - mean rewards of states and actions, and the discounted value of
 * states
 *
 * Rewards are counted for the nodes of the likeliest hypothesis (places.h): a
 * state of a place and an action have the mean of their last rewards.  Values
 * are those of value iteration with a discount of 0.95 per step; the action of
 * the highest expected value over the belief within the present place is chosen
 * (QMDP).
 */
#ifndef CSCG_REWARD_H
#define CSCG_REWARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plan/places.h"

struct cscg_reward {
	int n_nodes, n_actions;
	int stationary; /* an action that never changes the state; -1: none */
	double *mean;   /* [n_nodes * n_actions] */
	double *n;      /* number of rewards; at most 10 count */
	double *value;  /* [n_nodes] */
	size_t cap_mean, cap_n, cap_value;
};

void cscg_reward_free(struct cscg_reward *r);  /* r is empty afterwards */
void cscg_reward_clear(struct cscg_reward *r); /* no rewards are known */

/*
 * Set the number of nodes to n: new nodes have no rewards; if there are fewer
 * than before, all rewards are cleared.
 */
int cscg_reward_fit(struct cscg_reward *r, int n, struct cscg_err *err);

/* Add a reward of action a at a node. */
void cscg_reward_add(struct cscg_reward *r, int node, int a, double reward);

/* Whether action a of a node was taken. */
bool cscg_reward_is_tried(const struct cscg_reward *r, int node, int a);

/*
 * The action of the highest value for the likeliest hypothesis of p, whose
 * paths were searched; -1: no reward is known.
 */
int cscg_reward_choose(struct cscg_reward *r, struct cscg_places *p);

#endif
