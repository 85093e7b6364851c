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

enum { BEAM_MIN = 200 };

/* ---- the tables ---- */

/* The likeliest, the first of equals; -1 if there is no count. */
static int
likeliest_next(const struct cscg_model *m, long row)
{
	long i, best = -1;

	for (i = m->first[row]; i < m->first[row + 1]; i++)
		if (best < 0 || m->count[i] > m->count[best])
			best = i;
	return best < 0 ? -1 : m->to[best];
}

static void
fill_tables(struct cscg_track_tables *tables, const struct cscg_model *m)
{
	long row, rows = (long)m->n_actions * m->n_states;
	struct cscg_rng rng;
	int j;

	for (row = 0; row < rows; row++)
		tables->to[row] = likeliest_next(m, row);
	for (j = 0; j < m->n_states; j++) {
		tables->group[j] = m->clone[j];
		tables->first[m->clone[j] + 1] = j + 1;
		tables->shuffled[j] = j;
		tables->state_hash[j] = cscg_track_mix64((uint64_t)j + 1);
	}
	/* A group without states begins and ends where the last one ended. */
	for (j = 0; j < tables->n_groups; j++)
		if (tables->first[j + 1] < tables->first[j])
			tables->first[j + 1] = tables->first[j];
	cscg_rng_seed(&rng, 0, CSCG_RNG_TIES, (uint64_t)m->n_states, 0);
	cscg_rng_shuffle(&rng, tables->shuffled, m->n_states);
}

static void
fill_options(struct cscg_track_tables *tables, const struct cscg_track_options *options)
{
	tables->options = *options;
	if (options->beam <= 0)
		tables->options.beam = tables->n_states > BEAM_MIN ? tables->n_states : BEAM_MIN;
	if (options->jump <= 0)
		tables->options.jump = 1e-2;
	if (options->rebind <= 0)
		tables->options.rebind = 1e-4;
}

struct cscg_track_tables *
cscg_track_tables_new(const struct cscg_model *m,
    const struct cscg_track_options *options, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, A = (size_t)m->n_actions;
	struct cscg_track_tables *tables;

	if (!m->clone) {
		cscg_fail(err, CSCG_EMISMATCH, "there is no clone structure to "
		    "track bindings by");
		return NULL;
	}
	tables = cscg_alloc(1, sizeof *tables, err);
	if (!tables)
		return NULL;
	tables->n_states = m->n_states;
	tables->n_actions = m->n_actions;
	tables->n_groups = cscg_model_n_groups(m);
	fill_options(tables, options);
	tables->to = cscg_alloc(S * A, sizeof *tables->to, err);
	tables->group = cscg_alloc(S, sizeof *tables->group, err);
	tables->first = cscg_alloc((size_t)tables->n_groups + 1, sizeof *tables->first,
	    err);
	tables->shuffled = cscg_alloc(S, sizeof *tables->shuffled, err);
	tables->state_hash = cscg_alloc(S, sizeof *tables->state_hash, err);
	if (!tables->to || !tables->group || !tables->first || !tables->shuffled ||
	    !tables->state_hash) {
		cscg_track_tables_free(tables);
		return NULL;
	}
	fill_tables(tables, m);
	return tables;
}

void
cscg_track_tables_free(struct cscg_track_tables *tables)
{
	if (!tables)
		return;
	free(tables->to);
	free(tables->group);
	free(tables->first);
	free(tables->shuffled);
	free(tables->state_hash);
	free(tables);
}

int
cscg_track_next(const struct cscg_track_tables *tables, int j, int a)
{
	return tables->to[(long)a * tables->n_states + j];
}

int
cscg_track_group(const struct cscg_track_tables *tables, int j)
{
	return tables->group[j];
}

/* ---- the tracker ---- */

int
cscg_track_hash_new(struct cscg_track_hash *hash, size_t n,
    struct cscg_err *err)
{
	size_t size = 64;

	while (size < 4 * n)
		size *= 2;
	hash->mask = size - 1;
	hash->v = cscg_alloc(size, sizeof *hash->v, err);
	return hash->v ? 0 : -1;
}

static int
alloc_beam(struct cscg_track *t, struct cscg_err *err)
{
	size_t n = (size_t)t->beam;

	t->h = cscg_alloc(n, sizeof *t->h, err);
	t->next = cscg_alloc(n, sizeof *t->next, err);
	t->bindings = cscg_alloc(2 * n, t->stride * sizeof *t->bindings, err);
	t->refs = cscg_alloc(2 * n, sizeof *t->refs, err);
	t->n_unbound = cscg_alloc(2 * n, sizeof *t->n_unbound, err);
	t->free_slots = cscg_alloc(2 * n, sizeof *t->free_slots, err);
	t->blocks = cscg_alloc(n, sizeof *t->blocks, err);
	t->ranking = cscg_alloc(1, sizeof *t->ranking, err);
	if (t->ranking)
		t->ranking->v = cscg_alloc(n, sizeof *t->ranking->v, err);
	if (!t->h || !t->next || !t->bindings || !t->refs || !t->n_unbound ||
	    !t->free_slots || !t->blocks || !t->ranking || !t->ranking->v)
		return -1;
	/* A hypothesis that moves, or fails to, leaves two at most. */
	if (cscg_grow(&t->succ, &t->cap_succ, 2 * n, sizeof *t->succ,
	    err) < 0 || cscg_grow(&t->weights, &t->cap_weights, 3 * n, sizeof *t->weights,
	    err) < 0 || cscg_track_hash_new(&t->block_hash, n, err) < 0)
		return -1;
	return cscg_track_hash_new(&t->succ_hash, t->cap_succ, err);
}

struct cscg_track *
cscg_track_new(const struct cscg_track_tables *tables, int n_obs,
    struct cscg_err *err)
{
	struct cscg_track *t = cscg_alloc(1, sizeof *t, err);

	if (!t)
		return NULL;
	t->tables = tables;
	t->n_obs = n_obs;
	t->beam = tables->options.beam;
	t->stride = (size_t)tables->n_groups + (size_t)n_obs;
	if (alloc_beam(t, err) < 0) {
		cscg_track_free(t);
		return NULL;
	}
	cscg_track_reset(t);
	return t;
}

void
cscg_track_free(struct cscg_track *t)
{
	if (!t)
		return;
	free(t->h);
	free(t->next);
	free(t->bindings);
	free(t->refs);
	free(t->n_unbound);
	free(t->free_slots);
	free(t->succ);
	free(t->blocks);
	free(t->weights);
	free(t->succ_hash.v);
	free(t->block_hash.v);
	if (t->ranking)
		free(t->ranking->v);
	free(t->ranking);
	free(t);
}

/* One hypothesis, which binds nothing and is nowhere. */
void
cscg_track_reset(struct cscg_track *t)
{
	int i, slot;

	t->n_free_slots = 0;
	for (i = 2 * t->beam - 1; i >= 0; i--)
		t->free_slots[t->n_free_slots++] = i;
	slot = cscg_track_take_slot(t);
	memset(cscg_track_symbols(t, slot), -1, t->stride * sizeof *t->bindings);
	t->n_unbound[slot] = t->tables->n_states;
	t->h[0] = (struct cscg_track_beam_item){ .w = 1, .state = -1,
	    .slot = slot };
	t->n = 1;
	t->score = 0;
	t->is_new = true;
	t->ranking->ready = false;
}

double
cscg_track_score(const struct cscg_track *t)
{
	return t->score;
}

int
cscg_track_count(const struct cscg_track *t)
{
	return t->is_new ? 0 : t->n;
}

static int
by_weight(const void *a, const void *b)
{
	const struct cscg_track_ranked *p = a, *q = b;

	if (p->w != q->w)
		return p->w < q->w ? 1 : -1;
	if (p->state != q->state)
		return p->state < q->state ? -1 : 1;
	return (p->binding > q->binding) - (p->binding < q->binding);
}

static void
sort_ranking(const struct cscg_track *t)
{
	struct cscg_track_ranked *v = t->ranking->v;
	int i;

	for (i = 0; i < t->n; i++)
		v[i] = (struct cscg_track_ranked){ t->h[i].w, t->h[i].binding,
		    t->h[i].state, i };
	qsort(v, (size_t)t->n, sizeof *v, by_weight);
	t->ranking->ready = true;
}

struct cscg_track_hypothesis
cscg_track_get(const struct cscg_track *t, int i)
{
	const struct cscg_track_beam_item *h;

	if (!t->ranking->ready)
		sort_ranking(t);
	h = &t->h[t->ranking->v[i].i];
	return (struct cscg_track_hypothesis){ h->w, h->state,
	    cscg_track_symbols(t, h->slot), cscg_track_groups(t, h->slot) };
}
