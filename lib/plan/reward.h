/*
 * reward.h - which states and actions pay, and the discounted value of states
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
	double *n;      /* how often; at most 10 count */
	double *value;  /* [n_nodes] */
	size_t cap_mean, cap_n, cap_value;
};

void cscg_reward_free(struct cscg_reward *r);  /* also empties it */
void cscg_reward_clear(struct cscg_reward *r); /* no node is known */

/* There are n nodes: new ones are unknown, fewer than before all. */
int cscg_reward_fit(struct cscg_reward *r, int n, struct cscg_err *err);

/* Action a of a node was rewarded so. */
void cscg_reward_add(struct cscg_reward *r, int node, int a, double reward);

/* Was action a of a node taken? */
bool cscg_reward_is_tried(const struct cscg_reward *r, int node, int a);

/*
 * The action of the highest value for the likeliest hypothesis of p, whose
 * paths were searched; -1: no node is known to pay.
 */
int cscg_reward_choose(struct cscg_reward *r, struct cscg_places *p);

#endif
