/* fit.c - make a walk speak a model's language */
#include <stdbool.h>
#include <stdlib.h>

#include "core/fit.h"
#include "base/mem.h"

int
cscg_alphabet_map_new(struct cscg_alphabet_map *map, const struct cscg_walk_header *head,
    const struct cscg_model *m, struct cscg_err *err)
{
	int x;

	map->head = head;
	map->model = m;
	map->symbols = NULL;
	map->actions = cscg_alloc((size_t)head->n_actions,
	    sizeof *map->actions, err);
	if (!map->actions || cscg_names_map(&head->actions, head->n_actions,
	    &m->actions, m->n_actions, "action", map->actions, err) < 0)
		goto fail;
	if (m->kind != CSCG_GROUNDED)
		return 0;
	map->symbols = cscg_alloc((size_t)head->n_obs, sizeof *map->symbols,
	    err);
	if (!map->symbols)
		goto fail;
	for (x = 0; x < head->n_obs; x++) {
		int y = x;

		if (head->symbols.n && m->symbols.n)
			y = cscg_names_find(&m->symbols, head->symbols.v[x]);
		map->symbols[x] = y >= 0 && y < m->n_obs ? y : -2;
	}
	return 0;
fail:
	cscg_alphabet_map_free(map);
	return -1;
}

void
cscg_alphabet_map_free(struct cscg_alphabet_map *map)
{
	free(map->actions);
	free(map->symbols);
	map->actions = map->symbols = NULL;
}

/* Names, where there are some, tell what was mixed up. */
static int
fail_unknown_symbol(const struct cscg_alphabet_map *map, int x, struct cscg_err *err)
{
	const struct cscg_names *walk_names = &map->head->symbols,
	    *model_names = &map->model->symbols;

	if (walk_names->n && model_names->n)
		return cscg_fail(err, CSCG_EMISMATCH, "symbol '%.64s' is not "
		    "one of the model's %d, '%.64s' first", walk_names->v[x],
		    model_names->n, model_names->v[0]);
	if (walk_names->n)
		return cscg_fail(err, CSCG_EMISMATCH, "symbol %d, '%.64s', is "
		    "not one of the model's 0..%d, which have no names", x,
		    walk_names->v[x], map->model->n_obs - 1);
	if (model_names->n)
		return cscg_fail(err, CSCG_EMISMATCH, "symbol %d is not one of "
		    "the model's %d, '%.64s' first; the walk has no names", x,
		    model_names->n, model_names->v[0]);
	return cscg_fail(err, CSCG_EMISMATCH, "symbol %d is not one of the "
	    "model's 0..%d", x, map->model->n_obs - 1);
}

int
cscg_alphabet_map_step(const struct cscg_alphabet_map *map, struct cscg_step *step,
    struct cscg_err *err)
{
	if (step->a >= 0)
		step->a = map->actions[step->a];
	if (step->goal >= 0 && map->symbols) {
		step->goal = map->symbols[step->goal];
		if (step->goal < 0)
			step->goal = -1;
	}
	if (step->x >= 0 && map->symbols) {
		if (map->symbols[step->x] < 0)
			return fail_unknown_symbol(map, step->x, err);
		step->x = map->symbols[step->x];
	}
	return 0;
}

/* Names for n things: theirs, or ours if they have none and n is the same. */
static int
map_names(struct cscg_names *names, int *n, const struct cscg_names *model_names,
    int n_theirs, struct cscg_err *err)
{
	bool keep = !model_names->n && *n == n_theirs;

	*n = n_theirs;
	if (keep)
		return 0;
	cscg_names_free(names);
	return cscg_names_copy(names, model_names, err);
}

static int
map_header(struct cscg_walk_header *head, const struct cscg_model *m,
    struct cscg_err *err)
{
	if (map_names(&head->actions, &head->n_actions, &m->actions,
	    m->n_actions, err) < 0)
		return -1;
	return m->kind != CSCG_GROUNDED ? 0 : map_names(&head->symbols,
	    &head->n_obs, &m->symbols, m->n_obs, err);
}

int
cscg_alphabet_map_walk(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_alphabet_map map = { 0 };
	struct cscg_step step;
	int rc = -1, e = 0;
	long t;

	if (cscg_alphabet_map_new(&map, &w->head, m, err) < 0)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		e += t == w->start[e + 1];
		cscg_walk_get_step(w, t, &step);
		if (cscg_alphabet_map_step(&map, &step, err) < 0) {
			cscg_fail_at(err, "episode %d, step %ld", e,
			    t - w->start[e]);
			goto out;
		}
		w->a[t] = step.a;
		w->x[t] = step.x;
		if (w->goal)
			w->goal[t] = step.goal;
	}
	rc = map_header(&w->head, m, err);
out:
	cscg_alphabet_map_free(&map);
	return rc;
}
