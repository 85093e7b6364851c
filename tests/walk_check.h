/*
 * walk_check.h - whether a walk has the invariants of core/walk.h
 */
#ifndef WALK_CHECK_H
#define WALK_CHECK_H

#include <math.h>
#include <stdbool.h>

#include "core/walk.h"

/* last: t is the last step of its episode. */
static bool
step_is_valid(const struct cscg_walk *w, long t, bool last)
{
	const struct cscg_walk_header *h = &w->head;
	int a = w->a[t];

	return w->x[t] >= -1 && w->x[t] < h->n_obs &&
	    (last ? a == -1 : a >= 0 && a < h->n_actions) &&
	    (!w->z || w->z[t] >= -1) &&
	    (!w->goal || (w->goal[t] >= -1 && w->goal[t] < h->n_obs)) &&
	    (!w->r || !isinf(w->r[t])) && (!w->view || w->view[t] >= 0);
}

static bool
walk_is_valid(const struct cscg_walk *w)
{
	const struct cscg_walk_header *h = &w->head;
	bool valid = h->n_actions >= 1 && h->n_obs >= 1 &&
	    (!h->actions.n || h->actions.n == h->n_actions) &&
	    (!h->symbols.n || h->symbols.n == h->n_obs) && w->start[0] == 0 &&
	    w->start[w->n_episodes] == w->n_steps;
	long t;
	int e;

	for (e = 0; valid && e < w->n_episodes; e++) {
		valid = w->start[e] < w->start[e + 1];
		for (t = w->start[e]; valid && t < w->start[e + 1]; t++)
			valid = step_is_valid(w, t, t == w->start[e + 1] - 1);
	}
	return valid;
}

#endif
