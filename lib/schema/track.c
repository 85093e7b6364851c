/*
 * track.c - which bindings of a schema explain what was seen so far
 *
 * The tables of a schema, the memory of a tracker, and what can be asked of it;
 * track_step.c moves it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "schema/track_beam.h"

enum { BEAM = 200 };

/* ---- the tables ---- */

/* The likeliest, the first of equals; -1 if there is no count. */
static int
likeliest(const struct cscg_model *m, long row)
{
	long i, best = -1;

	for (i = m->first[row]; i < m->first[row + 1]; i++)
		if (best < 0 || m->count[i] > m->count[best])
			best = i;
	return best < 0 ? -1 : m->to[best];
}

static void
fill_map(struct cscg_track_map *map, const struct cscg_model *m)
{
	long row, rows = (long)m->n_actions * m->n_states;
	struct cscg_rng rng;
	int j;

	for (row = 0; row < rows; row++)
		map->to[row] = likeliest(m, row);
	for (j = 0; j < m->n_states; j++) {
		map->group[j] = m->clone[j];
		map->first[m->clone[j] + 1] = j + 1;
		map->spread[j] = j;
		map->salt[j] = cscg_track_mix((uint64_t)j + 1);
	}
	/* A group without states begins and ends where the last one ended. */
	for (j = 0; j < map->n_groups; j++)
		if (map->first[j + 1] < map->first[j])
			map->first[j + 1] = map->first[j];
	cscg_rng_seed(&rng, 0, CSCG_RNG_TIES, (uint64_t)m->n_states, 0);
	cscg_rng_shuffle(&rng, map->spread, m->n_states);
}

static void
fill_set(struct cscg_track_map *map, const struct cscg_track_set *set)
{
	map->set = *set;
	if (set->beam <= 0)
		map->set.beam = map->n_states > BEAM ? map->n_states : BEAM;
	if (set->jump <= 0)
		map->set.jump = 1e-2;
	if (set->rebind <= 0)
		map->set.rebind = 1e-4;
}

struct cscg_track_map *
cscg_track_map_new(const struct cscg_model *m,
    const struct cscg_track_set *set, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, A = (size_t)m->n_actions;
	struct cscg_track_map *map;

	if (!m->clone) {
		cscg_fail(err, CSCG_EMISMATCH, "there is no clone structure to "
		    "track bindings by");
		return NULL;
	}
	map = cscg_alloc(1, sizeof *map, err);
	if (!map)
		return NULL;
	map->n_states = m->n_states;
	map->n_actions = m->n_actions;
	map->n_groups = cscg_model_n_groups(m);
	fill_set(map, set);
	map->to = cscg_alloc(S * A, sizeof *map->to, err);
	map->group = cscg_alloc(S, sizeof *map->group, err);
	map->first = cscg_alloc((size_t)map->n_groups + 1, sizeof *map->first,
	    err);
	map->spread = cscg_alloc(S, sizeof *map->spread, err);
	map->salt = cscg_alloc(S, sizeof *map->salt, err);
	if (!map->to || !map->group || !map->first || !map->spread ||
	    !map->salt) {
		cscg_track_map_free(map);
		return NULL;
	}
	fill_map(map, m);
	return map;
}

void
cscg_track_map_free(struct cscg_track_map *map)
{
	if (!map)
		return;
	free(map->to);
	free(map->group);
	free(map->first);
	free(map->spread);
	free(map->salt);
	free(map);
}

int
cscg_track_to(const struct cscg_track_map *map, int j, int a)
{
	return map->to[(long)a * map->n_states + j];
}

int
cscg_track_group(const struct cscg_track_map *map, int j)
{
	return map->group[j];
}

/* ---- the tracker ---- */

int
cscg_track_index_new(struct cscg_track_index *ix, size_t n,
    struct cscg_err *err)
{
	size_t size = 64;

	while (size < 4 * n)
		size *= 2;
	ix->mask = size - 1;
	ix->v = cscg_alloc(size, sizeof *ix->v, err);
	return ix->v ? 0 : -1;
}

static int
alloc_beam(struct cscg_track *t, struct cscg_err *err)
{
	size_t n = (size_t)t->beam;

	t->h = cscg_alloc(n, sizeof *t->h, err);
	t->next = cscg_alloc(n, sizeof *t->next, err);
	t->pool = cscg_alloc(2 * n, t->stride * sizeof *t->pool, err);
	t->refs = cscg_alloc(2 * n, sizeof *t->refs, err);
	t->open = cscg_alloc(2 * n, sizeof *t->open, err);
	t->idle = cscg_alloc(2 * n, sizeof *t->idle, err);
	t->block = cscg_alloc(n, sizeof *t->block, err);
	t->order = cscg_alloc(1, sizeof *t->order, err);
	if (t->order)
		t->order->v = cscg_alloc(n, sizeof *t->order->v, err);
	if (!t->h || !t->next || !t->pool || !t->refs || !t->open ||
	    !t->idle || !t->block || !t->order || !t->order->v)
		return -1;
	/* A hypothesis that moves, or fails to, leaves two at most. */
	if (cscg_grow(&t->cand, &t->cap_cand, 2 * n, sizeof *t->cand,
	    err) < 0 || cscg_grow(&t->lot, &t->cap_lot, 3 * n, sizeof *t->lot,
	    err) < 0 || cscg_track_index_new(&t->blocks, n, err) < 0)
		return -1;
	return cscg_track_index_new(&t->cands, t->cap_cand, err);
}

struct cscg_track *
cscg_track_new(const struct cscg_track_map *map, int n_obs,
    struct cscg_err *err)
{
	struct cscg_track *t = cscg_alloc(1, sizeof *t, err);

	if (!t)
		return NULL;
	t->map = map;
	t->n_obs = n_obs;
	t->beam = map->set.beam;
	t->stride = (size_t)map->n_groups + (size_t)n_obs;
	if (alloc_beam(t, err) < 0) {
		cscg_track_free(t);
		return NULL;
	}
	cscg_track_begin(t);
	return t;
}

void
cscg_track_free(struct cscg_track *t)
{
	if (!t)
		return;
	free(t->h);
	free(t->next);
	free(t->pool);
	free(t->refs);
	free(t->open);
	free(t->idle);
	free(t->cand);
	free(t->block);
	free(t->lot);
	free(t->cands.v);
	free(t->blocks.v);
	if (t->order)
		free(t->order->v);
	free(t->order);
	free(t);
}

/* One hypothesis, which binds nothing and is nowhere. */
void
cscg_track_begin(struct cscg_track *t)
{
	int i, slot;

	t->n_idle = 0;
	for (i = 2 * t->beam - 1; i >= 0; i--)
		t->idle[t->n_idle++] = i;
	slot = cscg_track_take_slot(t);
	memset(cscg_track_symbols(t, slot), -1, t->stride * sizeof *t->pool);
	t->open[slot] = t->map->n_states;
	t->h[0] = (struct cscg_track_one){ .w = 1, .state = -1,
	    .slot = slot };
	t->n = 1;
	t->score = 0;
	t->fresh = true;
	t->order->ready = false;
}

double
cscg_track_score(const struct cscg_track *t)
{
	return t->score;
}

int
cscg_track_count(const struct cscg_track *t)
{
	return t->fresh ? 0 : t->n;
}

static int
by_weight(const void *a, const void *b)
{
	const struct cscg_track_rank *p = a, *q = b;

	if (p->w != q->w)
		return p->w < q->w ? 1 : -1;
	if (p->state != q->state)
		return p->state < q->state ? -1 : 1;
	return (p->bound > q->bound) - (p->bound < q->bound);
}

static void
sort(const struct cscg_track *t)
{
	struct cscg_track_rank *v = t->order->v;
	int i;

	for (i = 0; i < t->n; i++)
		v[i] = (struct cscg_track_rank){ t->h[i].w, t->h[i].bound,
		    t->h[i].state, i };
	qsort(v, (size_t)t->n, sizeof *v, by_weight);
	t->order->ready = true;
}

struct cscg_track_hypo
cscg_track_get(const struct cscg_track *t, int i)
{
	const struct cscg_track_one *h;

	if (!t->order->ready)
		sort(t);
	h = &t->h[t->order->v[i].i];
	return (struct cscg_track_hypo){ h->w, h->state,
	    cscg_track_symbols(t, h->slot), cscg_track_groups(t, h->slot) };
}
