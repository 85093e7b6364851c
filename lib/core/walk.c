/*
 * walk.c - sequences of observations and actions
 *
 * Optional fields cost nothing until a step brings one: the array appears
 * then, with "not known" for the steps before.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/walk.h"

int
cscg_walk_header_copy(struct cscg_walk_header *to, const struct cscg_walk_header *from,
    struct cscg_err *err)
{
	struct cscg_walk_header new = { 0 };

	new.n_actions = from->n_actions;
	new.n_obs = from->n_obs;
	memcpy(new.frame, from->frame, sizeof new.frame);
	if (from->priors) {
		new.priors = cscg_copy(from->priors, (size_t)from->n_priors,
		    sizeof *new.priors, err);
		if (!new.priors)
			return -1;
		new.n_priors = from->n_priors;
	}
	if (cscg_names_copy(&new.actions, &from->actions, err) < 0 ||
	    cscg_names_copy(&new.symbols, &from->symbols, err) < 0 ||
	    cscg_history_copy(&new.history, &from->history, err) < 0) {
		cscg_walk_header_free(&new);
		return -1;
	}
	*to = new;
	return 0;
}

void
cscg_walk_header_free(struct cscg_walk_header *head)
{
	cscg_names_free(&head->actions);
	cscg_names_free(&head->symbols);
	cscg_history_free(&head->history);
	free(head->priors);
	head->priors = NULL;
	head->n_actions = head->n_obs = head->n_priors = 0;
	head->frame[0] = head->frame[1] = 0;
}

struct cscg_walk *
cscg_walk_new(const struct cscg_walk_header *head, struct cscg_err *err)
{
	struct cscg_walk *w = cscg_alloc(1, sizeof *w, err);

	if (!w)
		return NULL;
	if (cscg_walk_header_copy(&w->head, head, err) < 0 ||
	    cscg_grow(&w->start, &w->cap_start, 2, sizeof *w->start, err) < 0) {
		cscg_walk_free(w);
		return NULL;
	}
	return w;
}

void
cscg_walk_free(struct cscg_walk *walk)
{
	if (!walk)
		return;
	cscg_walk_header_free(&walk->head);
	free(walk->start);
	free(walk->x);
	free(walk->a);
	free(walk->z);
	free(walk->reset);
	free(walk->r);
	free(walk->goal);
	free(walk->view);
	free(walk);
}

/* Room for one more pair (x, a); both arrays share one capacity. */
static int
grow_steps(struct cscg_walk *w, struct cscg_err *err)
{
	size_t cap = w->cap, need = (size_t)w->n_steps + 1;

	if (need <= w->cap)
		return 0;
	if (cscg_grow(&w->x, &cap, need, sizeof *w->x, err) < 0)
		return -1;
	cap = w->cap;
	if (cscg_grow(&w->a, &cap, need, sizeof *w->a, err) < 0)
		return -1;
	w->cap = cap;
	return 0;
}

/* Room for step n in an optional array of ints; -1 for the steps before. */
static int
grow_ints(int **v, size_t *cap, long n, struct cscg_err *err)
{
	bool new = !*v;
	long t;

	if (cscg_grow(v, cap, (size_t)n + 1, sizeof **v, err) < 0)
		return -1;
	if (new)
		for (t = 0; t < n; t++)
			(*v)[t] = -1;
	return 0;
}

static int
grow_rewards(struct cscg_walk *w, struct cscg_err *err)
{
	bool new = !w->r;
	long t;

	if (cscg_grow(&w->r, &w->cap_r, (size_t)w->n_steps + 1, sizeof *w->r,
	    err) < 0)
		return -1;
	if (new)
		for (t = 0; t < w->n_steps; t++)
			w->r[t] = NAN;
	return 0;
}

int
cscg_walk_add(struct cscg_walk *walk, const struct cscg_step *step,
    struct cscg_err *err)
{
	long t = walk->n_steps;

	if (grow_steps(walk, err) < 0)
		return -1;
	if ((walk->z || step->z >= 0) &&
	    grow_ints(&walk->z, &walk->cap_z, t, err) < 0)
		return -1;
	if ((walk->goal || step->goal >= 0) &&
	    grow_ints(&walk->goal, &walk->cap_goal, t, err) < 0)
		return -1;
	if ((walk->r || !isnan(step->r)) && grow_rewards(walk, err) < 0)
		return -1;
	if ((walk->reset || step->reset) && cscg_grow(&walk->reset,
	    &walk->cap_reset, (size_t)t + 1, sizeof *walk->reset, err) < 0)
		return -1;
	if ((walk->view || step->view) && cscg_grow(&walk->view,
	    &walk->cap_view, (size_t)t + 1, sizeof *walk->view, err) < 0)
		return -1;
	if (step->a < 0) {
		if (walk->n_episodes == INT_MAX - 1)
			return cscg_fail(err, CSCG_ERANGE,
			    "more than %d episodes", INT_MAX - 1);
		if (cscg_grow(&walk->start, &walk->cap_start,
		    (size_t)walk->n_episodes + 2, sizeof *walk->start, err) < 0)
			return -1;
	}
	walk->x[t] = step->x;
	walk->a[t] = step->a;
	if (walk->z)
		walk->z[t] = step->z;
	if (walk->goal)
		walk->goal[t] = step->goal;
	if (walk->r)
		walk->r[t] = step->r;
	if (walk->reset)
		walk->reset[t] = step->reset;
	if (walk->view)
		walk->view[t] = step->view;
	walk->n_steps++;
	if (step->a < 0)
		walk->start[++walk->n_episodes] = walk->n_steps;
	return 0;
}

void
cscg_walk_get_step(const struct cscg_walk *walk, long t, struct cscg_step *step)
{
	step->x = walk->x[t];
	step->a = walk->a[t];
	step->z = walk->z ? walk->z[t] : -1;
	step->goal = walk->goal ? walk->goal[t] : -1;
	step->r = walk->r ? walk->r[t] : NAN;
	step->reset = walk->reset && walk->reset[t];
	step->view = walk->view ? walk->view[t] : 0;
}

static int
check_head(const struct cscg_walk_header *h, struct cscg_err *err)
{
	if (h->n_actions < 1)
		return cscg_fail(err, CSCG_ERANGE, "%d actions", h->n_actions);
	if (h->n_obs < 1)
		return cscg_fail(err, CSCG_ERANGE, "%d symbols", h->n_obs);
	if (h->actions.n && h->actions.n != h->n_actions)
		return cscg_fail(err, CSCG_EFORMAT, "%d names for %d actions",
		    h->actions.n, h->n_actions);
	if (h->symbols.n && h->symbols.n != h->n_obs)
		return cscg_fail(err, CSCG_EFORMAT, "%d names for %d symbols",
		    h->symbols.n, h->n_obs);
	return 0;
}

static int
check_step(const struct cscg_walk *w, long t, bool last, struct cscg_err *err)
{
	const struct cscg_walk_header *h = &w->head;

	if (w->x[t] < -1 || w->x[t] >= h->n_obs)
		return cscg_fail(err, CSCG_ERANGE, "step %ld: symbol %d is "
		    "outside 0..%d", t, w->x[t], h->n_obs - 1);
	if (last && w->a[t] != -1)
		return cscg_fail(err, CSCG_EFORMAT, "step %ld: an action on "
		    "the last step of an episode", t);
	if (!last && (w->a[t] < 0 || w->a[t] >= h->n_actions))
		return cscg_fail(err, CSCG_ERANGE, "step %ld: action %d is "
		    "outside 0..%d", t, w->a[t], h->n_actions - 1);
	if (w->z && w->z[t] < -1)
		return cscg_fail(err, CSCG_ERANGE, "step %ld: node %d is "
		    "negative", t, w->z[t]);
	if (w->goal && (w->goal[t] < -1 || w->goal[t] >= h->n_obs))
		return cscg_fail(err, CSCG_ERANGE, "step %ld: goal %d is "
		    "outside 0..%d", t, w->goal[t], h->n_obs - 1);
	if (w->r && isinf(w->r[t]))
		return cscg_fail(err, CSCG_ERANGE, "step %ld: the reward is "
		    "infinite", t);
	if (w->view && w->view[t] < 0)
		return cscg_fail(err, CSCG_ERANGE, "step %ld: view %d is "
		    "negative", t, w->view[t]);
	return 0;
}

int
cscg_walk_check(const struct cscg_walk *walk, struct cscg_err *err)
{
	long t;
	int e;

	if (check_head(&walk->head, err) < 0)
		return -1;
	if (walk->start[0] != 0 ||
	    walk->start[walk->n_episodes] != walk->n_steps)
		return cscg_fail(err, CSCG_EFORMAT, "the last episode has not "
		    "ended");
	for (e = 0; e < walk->n_episodes; e++) {
		if (walk->start[e + 1] <= walk->start[e])
			return cscg_fail(err, CSCG_EFORMAT, "episode %d is "
			    "empty", e);
		for (t = walk->start[e]; t < walk->start[e + 1]; t++)
			if (check_step(walk, t, t == walk->start[e + 1] - 1,
			    err) < 0)
				return cscg_fail_at(err, "episode %d", e);
	}
	return 0;
}

void
cscg_walk_slice(const struct cscg_walk *walk, int e, long from, long to,
    struct cscg_walk *view, long start[2])
{
	long at = walk->start[e] + from;

	*view = *walk;
	view->n_episodes = 1;
	view->n_steps = to - from;
	view->start = start;
	start[0] = 0;
	start[1] = to - from;
	view->x += at;
	view->a += at;
	if (walk->z)
		view->z += at;
	if (walk->reset)
		view->reset += at;
	if (walk->r)
		view->r += at;
	if (walk->goal)
		view->goal += at;
	if (walk->view)
		view->view += at;
}
