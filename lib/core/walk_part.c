/* walk_part.c - parts of walks: for training and test, in other numbers */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/walk_part.h"

/* Steps from..to-1 of w become an episode of part. */
static int
add_steps(struct cscg_walk *part, const struct cscg_walk *w, long from,
    long to, struct cscg_err *err)
{
	struct cscg_step step;
	long t;

	for (t = from; t < to; t++) {
		cscg_walk_get_step(w, t, &step);
		if (t == to - 1)
			step.a = -1;
		if (cscg_walk_add(part, &step, err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_walk_add_episodes(struct cscg_walk *part, const struct cscg_walk *walk,
    int from, int to, long head, struct cscg_err *err)
{
	long end;
	int e;

	for (e = from; e < to; e++) {
		end = walk->start[e + 1];
		if (head > 0 && end - walk->start[e] > head)
			end = walk->start[e] + head;
		if (add_steps(part, walk, walk->start[e], end, err) < 0)
			return -1;
	}
	return 0;
}

struct cscg_walk *
cscg_walk_subset(const struct cscg_walk *walk, int from, int to, long head,
    struct cscg_err *err)
{
	struct cscg_walk *part = cscg_walk_new(&walk->head, err);

	if (part && cscg_walk_add_episodes(part, walk, from, to, head, err) < 0) {
		cscg_walk_free(part);
		return NULL;
	}
	return part;
}

/* The fraction of n >= 2 things, rounded, with one left on each side. */
static long
round_share(double fraction, long n)
{
	long k = lround(fraction * (double)n);

	return k < 1 ? 1 : k > n - 1 ? n - 1 : k;
}

int
cscg_walk_split(const struct cscg_walk *walk, double fraction,
    struct cscg_walk **train, struct cscg_walk **test, struct cscg_err *err)
{
	int e = walk->n_episodes;
	long t;

	*train = *test = NULL;
	if (walk->n_steps < 2)
		return cscg_fail(err, CSCG_EMISMATCH, "a walk of %ld steps "
		    "cannot be split", walk->n_steps);
	*train = cscg_walk_new(&walk->head, err);
	*test = cscg_walk_new(&walk->head, err);
	if (!*train || !*test)
		return -1;
	if (e == 1) {
		t = walk->n_steps - round_share(fraction, walk->n_steps);
		if (add_steps(*train, walk, 0, t, err) < 0)
			return -1;
		return add_steps(*test, walk, t, walk->n_steps, err);
	}
	e -= (int)round_share(fraction, e);
	if (cscg_walk_add_episodes(*train, walk, 0, e, 0, err) < 0)
		return -1;
	return cscg_walk_add_episodes(*test, walk, e, walk->n_episodes, 0, err);
}

int
cscg_walk_align(struct cscg_walk *w, const struct cscg_walk_header *like,
    struct cscg_err *err)
{
	struct cscg_walk_header *h = &w->head;
	int *sym = cscg_alloc((size_t)h->n_obs, sizeof *sym, err);
	int *act = cscg_alloc((size_t)h->n_actions, sizeof *act, err);
	int rc = -1;
	long t;

	if (!sym || !act || cscg_names_map(&h->symbols, h->n_obs,
	    &like->symbols, like->n_obs, "symbol", sym, err) < 0 ||
	    cscg_names_map(&h->actions, h->n_actions, &like->actions,
	    like->n_actions, "action", act, err) < 0)
		goto out;
	for (t = 0; t < w->n_steps; t++) {
		if (w->x[t] >= 0)
			w->x[t] = sym[w->x[t]];
		if (w->a[t] >= 0)
			w->a[t] = act[w->a[t]];
		if (w->goal && w->goal[t] >= 0)
			w->goal[t] = sym[w->goal[t]];
	}
	if (h->n_obs != like->n_obs || h->symbols.n) {
		free(h->priors);	/* they were of other symbols */
		h->priors = NULL;
		h->n_priors = 0;
	}
	h->n_obs = like->n_obs;
	h->n_actions = like->n_actions;
	cscg_names_free(&h->symbols);
	cscg_names_free(&h->actions);
	if (cscg_names_copy(&h->symbols, &like->symbols, err) == 0)
		rc = cscg_names_copy(&h->actions, &like->actions, err);
out:
	free(sym);
	free(act);
	return rc;
}
