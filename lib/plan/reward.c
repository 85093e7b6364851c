/*
 * reward.c - mean rewards of states and actions, and the discounted value of
 * states
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/reward.h"

enum { COUNT_MAX = 10, SWEEPS_MAX = 500 };

static const double DISCOUNT = .95, TOLERANCE = 1e-6;

void
cscg_reward_free(struct cscg_reward *r)
{
	free(r->mean);
	free(r->n);
	free(r->value);
	*r = (struct cscg_reward){ 0 };
}

void
cscg_reward_clear(struct cscg_reward *r)
{
	r->n_nodes = 0;
}

int
cscg_reward_fit(struct cscg_reward *r, int n, struct cscg_err *err)
{
	size_t size = (size_t)n * (size_t)r->n_actions, i;

	if (n < r->n_nodes)
		r->n_nodes = 0;
	if (cscg_grow(&r->mean, &r->cap_mean, size, sizeof *r->mean, err) <
		0 ||
	    cscg_grow(&r->n, &r->cap_n, size, sizeof *r->n, err) < 0 ||
	    cscg_grow(&r->value, &r->cap_value, (size_t)n, sizeof *r->value,
		err) < 0)
		return -1;
	for (i = (size_t)r->n_nodes * (size_t)r->n_actions; i < size; i++)
		r->mean[i] = r->n[i] = 0;
	r->n_nodes = n;
	return 0;
}

void
cscg_reward_add(struct cscg_reward *r, int node, int a, double reward)
{
	int i = node * r->n_actions + a;

	r->n[i] = fmin(r->n[i] + 1, COUNT_MAX);
	r->mean[i] += (reward - r->mean[i]) / r->n[i];
}

bool
cscg_reward_is_tried(const struct cscg_reward *r, int node, int a)
{
	return r->n[node * r->n_actions + a] > 0;
}

/* The value of action a at a node: NAN if its outcome is unknown. */
static double
action_value(const struct cscg_reward *r, const struct cscg_places *p,
    int node, int a)
{
	struct cscg_candidate_edge edge[2] = { { node, 1 } };
	double now = r->mean[node * r->n_actions + a], q;
	int n = a == r->stationary ? 1 : cscg_places_edges(p, node, a, edge);

	if (n == 0)
		return cscg_reward_is_tried(r, node, a) ?
		    now + DISCOUNT * r->value[node] :
		    NAN;
	if (n > 1 && edge[1].cost < edge[0].cost)
		edge[0] = edge[1];
	/*
	 * With the remaining probability the attempt fails, and the state
	 * stays.
	 */
	q = 1.0 / edge[0].cost;
	return now +
	    DISCOUNT * (q * r->value[edge[0].to] + (1 - q) * r->value[node]);
}

static void
iterate(struct cscg_reward *r, const struct cscg_places *p)
{
	double change = 1, best, v;
	int sweep, node, a;

	memset(r->value, 0, (size_t)r->n_nodes * sizeof *r->value);
	for (sweep = 0; sweep < SWEEPS_MAX && change > TOLERANCE; sweep++)
		for (change = 0, node = 0; node < r->n_nodes; node++) {
			best = 0;
			for (a = 0; a < r->n_actions; a++) {
				v = action_value(r, p, node, a);
				if (v > best)
					best = v;
			}
			change = fmax(change, fabs(best - r->value[node]));
			r->value[node] = best;
		}
}

int
cscg_reward_choose(struct cscg_reward *r, struct cscg_places *p)
{
	const struct cscg_places_world *w = cscg_places_best(p);
	double best = 0, q, v;
	int a, i, choice = -1;

	iterate(r, p);
	for (a = 0; a < r->n_actions; a++) {
		for (q = 0, i = 0; i < w->n_top; i++) {
			v = action_value(r, p,
			    cscg_places_node(p, w->now, w->top[i].state), a);
			q += isnan(v) ? 0 : w->top[i].p * v;
		}
		/* The first of equals, up to rounding. */
		if (q > best * (1 + 1e-9)) {
			best = q;
			choice = a;
		}
	}
	return choice;
}
