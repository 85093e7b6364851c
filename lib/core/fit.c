/* fit.c - make a walk speak a model's language */
#include <stdbool.h>
#include <stdlib.h>

#include "core/fit.h"
#include "base/mem.h"

int
cscg_fit_new(struct cscg_fit *fit, const struct cscg_head *head,
    const struct cscg_model *m, struct cscg_err *err)
{
	int x;

	fit->head = head;
	fit->model = m;
	fit->symbols = NULL;
	fit->actions = cscg_alloc((size_t)head->n_actions,
	    sizeof *fit->actions, err);
	if (!fit->actions || cscg_names_map(&head->actions, head->n_actions,
	    &m->actions, m->n_actions, "action", fit->actions, err) < 0)
		goto fail;
	if (m->kind != CSCG_GROUNDED)
		return 0;
	fit->symbols = cscg_alloc((size_t)head->n_obs, sizeof *fit->symbols,
	    err);
	if (!fit->symbols)
		goto fail;
	for (x = 0; x < head->n_obs; x++) {
		int y = x;

		if (head->symbols.n && m->symbols.n)
			y = cscg_names_find(&m->symbols, head->symbols.v[x]);
		fit->symbols[x] = y >= 0 && y < m->n_obs ? y : -2;
	}
	return 0;
fail:
	cscg_fit_free(fit);
	return -1;
}

void
cscg_fit_free(struct cscg_fit *fit)
{
	free(fit->actions);
	free(fit->symbols);
	fit->actions = fit->symbols = NULL;
}

/* Names, where there are some, tell what was mixed up. */
static int
unknown(const struct cscg_fit *fit, int x, struct cscg_err *err)
{
	const struct cscg_names *ours = &fit->head->symbols,
	    *theirs = &fit->model->symbols;

	if (ours->n && theirs->n)
		return cscg_fail(err, CSCG_EMISMATCH, "symbol '%.64s' is not "
		    "one of the model's %d, '%.64s' first", ours->v[x],
		    theirs->n, theirs->v[0]);
	if (ours->n)
		return cscg_fail(err, CSCG_EMISMATCH, "symbol %d, '%.64s', is "
		    "not one of the model's 0..%d, which have no names", x,
		    ours->v[x], fit->model->n_obs - 1);
	if (theirs->n)
		return cscg_fail(err, CSCG_EMISMATCH, "symbol %d is not one of "
		    "the model's %d, '%.64s' first; the walk has no names", x,
		    theirs->n, theirs->v[0]);
	return cscg_fail(err, CSCG_EMISMATCH, "symbol %d is not one of the "
	    "model's 0..%d", x, fit->model->n_obs - 1);
}

int
cscg_fit_step(const struct cscg_fit *fit, struct cscg_step *step,
    struct cscg_err *err)
{
	if (step->a >= 0)
		step->a = fit->actions[step->a];
	if (step->goal >= 0 && fit->symbols) {
		step->goal = fit->symbols[step->goal];
		if (step->goal < 0)
			step->goal = -1;
	}
	if (step->x >= 0 && fit->symbols) {
		if (fit->symbols[step->x] < 0)
			return unknown(fit, step->x, err);
		step->x = fit->symbols[step->x];
	}
	return 0;
}

/* Names for n things: theirs, or ours if they have none and n is the same. */
static int
fit_names(struct cscg_names *names, int *n, const struct cscg_names *theirs,
    int n_theirs, struct cscg_err *err)
{
	bool keep = !theirs->n && *n == n_theirs;

	*n = n_theirs;
	if (keep)
		return 0;
	cscg_names_free(names);
	return cscg_names_copy(names, theirs, err);
}

static int
fit_head(struct cscg_head *head, const struct cscg_model *m,
    struct cscg_err *err)
{
	if (fit_names(&head->actions, &head->n_actions, &m->actions,
	    m->n_actions, err) < 0)
		return -1;
	return m->kind != CSCG_GROUNDED ? 0 : fit_names(&head->symbols,
	    &head->n_obs, &m->symbols, m->n_obs, err);
}

int
cscg_fit_walk(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_fit fit = { 0 };
	struct cscg_step step;
	int rc = -1, e = 0;
	long t;

	if (cscg_fit_new(&fit, &w->head, m, err) < 0)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		e += t == w->start[e + 1];
		cscg_walk_step(w, t, &step);
		if (cscg_fit_step(&fit, &step, err) < 0) {
			cscg_fail_at(err, "episode %d, step %ld", e,
			    t - w->start[e]);
			goto out;
		}
		w->a[t] = step.a;
		w->x[t] = step.x;
		if (w->goal)
			w->goal[t] = step.goal;
	}
	rc = fit_head(&w->head, m, err);
out:
	cscg_fit_free(&fit);
	return rc;
}
