/*
 * walk.c - walks: sequences of observations and actions in episodes
 *
 * The array of an optional field is allocated when the first step has the
 * field; earlier steps get the value "unknown".
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/walk.h"

int
cscg_walk_header_copy(struct cscg_walk_header *to,
    const struct cscg_walk_header *from, struct cscg_err *err)
{
	struct cscg_walk_header fresh = { 0 };

	fresh.n_actions = from->n_actions;
	fresh.n_obs = from->n_obs;
	memcpy(fresh.frame, from->frame, sizeof fresh.frame);
	if (from->priors) {
		fresh.priors = cscg_copy(from->priors, (size_t)from->n_priors,
		    sizeof *fresh.priors, err);
		if (!fresh.priors)
			return -1;
		fresh.n_priors = from->n_priors;
	}
	if (cscg_names_copy(&fresh.actions, &from->actions, err) < 0 ||
	    cscg_names_copy(&fresh.symbols, &from->symbols, err) < 0 ||
	    cscg_history_copy(&fresh.history, &from->history, err) < 0) {
		cscg_walk_header_free(&fresh);
		return -1;
	}
	*to = fresh;
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
	    cscg_grow(&w->start, &w->cap_start, 2, sizeof *w->start, err) <
		0) {
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

/* Reserve n more pairs (x, a); both arrays share one capacity. */
static int
grow_steps(struct cscg_walk *w, long n, struct cscg_err *err)
{
	size_t cap = w->cap, need = (size_t)w->n_steps + (size_t)n;

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

/*
 * Reserve more steps after the first n in an optional array of ints; a new
 * array has -1 for these n.
 */
static int
grow_ints(int **v, size_t *cap, long n, long more, struct cscg_err *err)
{
	bool fresh = !*v;
	long t;

	if ((size_t)n + (size_t)more <= *cap)
		return 0;
	if (cscg_grow(v, cap, (size_t)n + (size_t)more, sizeof **v, err) < 0)
		return -1;
	if (fresh)
		for (t = 0; t < n; t++)
			(*v)[t] = -1;
	return 0;
}

static int
grow_rewards(struct cscg_walk *w, struct cscg_err *err)
{
	bool fresh = !w->r;
	long t;

	if (cscg_grow(&w->r, &w->cap_r, (size_t)w->n_steps + 1, sizeof *w->r,
		err) < 0)
		return -1;
	if (fresh)
		for (t = 0; t < w->n_steps; t++)
			w->r[t] = NAN;
	return 0;
}

/* End the episode after the last step; its space is reserved. */
static void
end_episode(struct cscg_walk *w)
{
	w->start[++w->n_episodes] = w->n_steps;
}

static int
grow_episodes(struct cscg_walk *w, struct cscg_err *err)
{
	if (w->n_episodes == INT_MAX - 1)
		return cscg_fail(err, CSCG_ERANGE, "more than %d episodes",
		    INT_MAX - 1);
	return cscg_grow(&w->start, &w->cap_start, (size_t)w->n_episodes + 2,
	    sizeof *w->start, err);
}

bool
cscg_walk_is_plain(const struct cscg_walk *walk)
{
	return !walk->reset && !walk->r && !walk->goal && !walk->view;
}

int
cscg_walk_add_plain(struct cscg_walk *walk, const int *x, const int *a,
    const int *z, long n, struct cscg_err *err)
{
	long t = walk->n_steps, i;
	bool has_z = walk->z;

	for (i = 0; z && !has_z && i < n; i++)
		has_z = z[i] >= 0;
	if (grow_steps(walk, n, err) < 0 ||
	    (has_z && grow_ints(&walk->z, &walk->cap_z, t, n, err) < 0) ||
	    (a[n - 1] < 0 && grow_episodes(walk, err) < 0))
		return -1;
	memcpy(walk->x + t, x, (size_t)n * sizeof *x);
	memcpy(walk->a + t, a, (size_t)n * sizeof *a);
	for (i = 0; has_z && i < n; i++)
		walk->z[t + i] = z ? z[i] : -1;
	walk->n_steps += n;
	if (a[n - 1] < 0)
		end_episode(walk);
	return 0;
}

int
cscg_walk_add(struct cscg_walk *walk, const struct cscg_step *step,
    struct cscg_err *err)
{
	long t = walk->n_steps;

	if (grow_steps(walk, 1, err) < 0)
		return -1;
	if ((walk->z || step->z >= 0) &&
	    grow_ints(&walk->z, &walk->cap_z, t, 1, err) < 0)
		return -1;
	if ((walk->goal || step->goal >= 0) &&
	    grow_ints(&walk->goal, &walk->cap_goal, t, 1, err) < 0)
		return -1;
	if ((walk->r || !isnan(step->r)) && grow_rewards(walk, err) < 0)
		return -1;
	if ((walk->reset || step->reset) &&
	    cscg_grow(&walk->reset, &walk->cap_reset, (size_t)t + 1,
		sizeof *walk->reset, err) < 0)
		return -1;
	if ((walk->view || step->view) &&
	    cscg_grow(&walk->view, &walk->cap_view, (size_t)t + 1,
		sizeof *walk->view, err) < 0)
		return -1;
	if (step->a < 0 && grow_episodes(walk, err) < 0)
		return -1;
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
		end_episode(walk);
	return 0;
}

long
cscg_walk_count_path(const struct cscg_walk *walk, const int *state,
    struct cscg_count *c)
{
	long t, n = 0;

	for (t = 0; t < walk->n_steps; t++)
		if (cscg_walk_has_transition(walk, t) && state[t] >= 0 &&
		    state[t + 1] >= 0)
			c[n++] = (struct cscg_count){ walk->a[t], state[t],
				state[t + 1], 1 };
	return n;
}

void
cscg_walk_get_step(const struct cscg_walk *walk, long t,
    struct cscg_step *step)
{
	step->x = walk->x[t];
	step->a = walk->a[t];
	step->z = walk->z ? walk->z[t] : -1;
	step->goal = walk->goal ? walk->goal[t] : -1;
	step->r = walk->r ? walk->r[t] : NAN;
	step->reset = walk->reset && walk->reset[t];
	step->view = walk->view ? walk->view[t] : 0;
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

/* training and test parts of walks; renumbering of alphabets */

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

	if (part &&
	    cscg_walk_add_episodes(part, walk, from, to, head, err) < 0) {
		cscg_walk_free(part);
		return NULL;
	}
	return part;
}

/* The fraction of n >= 2 items, rounded, in 1..n-1. */
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
		return cscg_fail(err, CSCG_EMISMATCH,
		    "a walk of %ld steps cannot be split", walk->n_steps);
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
	return cscg_walk_add_episodes(*test, walk, e, walk->n_episodes, 0,
	    err);
}

void
cscg_walk_renumber(struct cscg_walk *w, const int *sym, const int *act)
{
	long t;

	for (t = 0; t < w->n_steps; t++) {
		if (w->x[t] >= 0)
			w->x[t] = sym[w->x[t]];
		if (w->a[t] >= 0)
			w->a[t] = act[w->a[t]];
		if (w->goal && w->goal[t] >= 0)
			w->goal[t] = sym[w->goal[t]];
	}
}

int
cscg_walk_align(struct cscg_walk *w, const struct cscg_walk_header *like,
    struct cscg_err *err)
{
	struct cscg_walk_header *h = &w->head;
	int *sym = cscg_alloc((size_t)h->n_obs, sizeof *sym, err);
	int *act = cscg_alloc((size_t)h->n_actions, sizeof *act, err);
	int rc = -1;

	if (!sym || !act ||
	    cscg_names_map(&h->symbols, h->n_obs, &like->symbols, like->n_obs,
		"symbol", sym, err) < 0 ||
	    cscg_names_map(&h->actions, h->n_actions, &like->actions,
		like->n_actions, "action", act, err) < 0)
		goto out;
	cscg_walk_renumber(w, sym, act);
	if (h->n_obs != like->n_obs || h->symbols.n) {
		free(
		    h->priors); /* priors and frames belong to the old symbols */
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

/* map the alphabets of a walk to those of a model */

int
cscg_alphabet_map_new(struct cscg_alphabet_map *map,
    const struct cscg_walk_header *head, const struct cscg_model *m,
    struct cscg_err *err)
{
	int x;

	map->head = head;
	map->model = m;
	map->symbols = NULL;
	map->actions = cscg_alloc((size_t)head->n_actions,
	    sizeof *map->actions, err);
	if (!map->actions ||
	    cscg_names_map(&head->actions, head->n_actions, &m->actions,
		m->n_actions, "action", map->actions, err) < 0)
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

/* Names, where present, show which alphabets were mixed up. */
static int
fail_unknown_symbol(const struct cscg_alphabet_map *map, int x,
    struct cscg_err *err)
{
	const struct cscg_names *walk_names = &map->head->symbols,
				*model_names = &map->model->symbols;

	if (walk_names->n && model_names->n)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "symbol '%.64s' is not one of the model's %d, '%.64s' "
		    "first",
		    walk_names->v[x], model_names->n, model_names->v[0]);
	if (walk_names->n)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "symbol %d, '%.64s', is not one of the model's 0..%d, "
		    "which have no names",
		    x, walk_names->v[x], map->model->n_obs - 1);
	if (model_names->n)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "symbol %d is not one of the model's %d, '%.64s' first; "
		    "the walk has no names",
		    x, model_names->n, model_names->v[0]);
	return cscg_fail(err, CSCG_EMISMATCH,
	    "symbol %d is not one of the model's 0..%d", x,
	    map->model->n_obs - 1);
}

long
cscg_alphabet_map_steps(const struct cscg_alphabet_map *map, long n,
    const int *x, const int *a, int *to_x, int *to_a, struct cscg_err *err)
{
	const int *actions = map->actions, *symbols = map->symbols;
	long i;
	int y;

	for (i = 0; i < n; i++) {
		y = x[i] >= 0 && symbols ? symbols[x[i]] : x[i];
		if (y < -1) {
			fail_unknown_symbol(map, x[i], err);
			break;
		}
		to_x[i] = y;
		to_a[i] = a[i] >= 0 ? actions[a[i]] : a[i];
	}
	return i;
}

/* A goal symbol that the model lacks becomes -1: no goal. */
static int
map_goal(const struct cscg_alphabet_map *map, int goal)
{
	if (goal < 0 || !map->symbols)
		return goal;
	return map->symbols[goal] < 0 ? -1 : map->symbols[goal];
}

int
cscg_alphabet_map_step(const struct cscg_alphabet_map *map,
    struct cscg_step *step, struct cscg_err *err)
{
	step->goal = map_goal(map, step->goal);
	return cscg_alphabet_map_steps(map, 1, &step->x, &step->a, &step->x,
		   &step->a, err) == 1 ?
	    0 :
	    -1;
}

/*
 * Names for n items: of the walk, or of the model if the walk has none and n is
 * the same.
 */
static int
map_names(struct cscg_names *names, int *n,
    const struct cscg_names *model_names, int n_theirs, struct cscg_err *err)
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
	return m->kind != CSCG_GROUNDED ?
	    0 :
	    map_names(&head->symbols, &head->n_obs, &m->symbols, m->n_obs,
		err);
}

int
cscg_alphabet_map_walk(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_alphabet_map map = { 0 };
	int rc = -1, e;
	long t, n;

	if (cscg_alphabet_map_new(&map, &w->head, m, err) < 0)
		return -1;
	for (e = 0; e < w->n_episodes; e++) {
		t = w->start[e];
		n = w->start[e + 1] - t;
		t = cscg_alphabet_map_steps(&map, n, w->x + t, w->a + t,
		    w->x + t, w->a + t, err);
		if (t < n) {
			cscg_fail_at(err, "episode %d, step %ld", e, t);
			goto out;
		}
	}
	for (t = 0; w->goal && t < w->n_steps; t++)
		w->goal[t] = map_goal(&map, w->goal[t]);
	rc = map_header(&w->head, m, err);
out:
	cscg_alphabet_map_free(&map);
	return rc;
}

int
cscg_alphabet_map_actions(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_model names = { .kind = CSCG_SCHEMA,
		.n_actions = m->n_actions,
		.actions = m->actions };

	return cscg_alphabet_map_walk(w, &names, err);
}
