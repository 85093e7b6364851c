/*
 * track.c - beam search over (state, binding) pairs of a schema, with slips and
 * jumps, step by step
 *
 * This file has the tables of a schema, the memory of a tracker, its results,
 * and the step from one beam to the next.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "schema/track.h"

/* the beam, its memory and its results */

struct cscg_track_tables {
	struct cscg_track_options options; /* defaults filled in */
	int n_states, n_actions, n_groups;
	int *to; /* [n_actions][n_states] likeliest successor, -1: no counts */
	int *group;           /* [n_states] */
	int *first;           /* [n_groups + 1] states of each group */
	int *shuffled;        /* [n_states] states in random order */
	uint64_t *state_hash; /* [n_states] hash of each state */
};

/* A hypothesis. */
struct cscg_track_beam_item {
	double w;
	uint64_t binding; /* hash of the binding */
	int state, slot;
};

/*
 * A candidate for the next beam: its slot is that of its parent, and if it
 * binds, its group is bound to the observed symbol.
 */
struct cscg_track_successor {
	struct cscg_track_beam_item h;
	double slip, misread; /* share of the weight by noise */
	bool is_new_binding;
};

/* Jumps of all hypotheses with one binding, to each consistent state. */
struct cscg_track_jump_block {
	double w; /* to each */
	double
	    forced; /* the part of it from hypotheses that cannot keep their state */
	uint64_t binding;
	int slot;
	int n_taken;         /* states already taken by candidates or other
	                        blocks */
	int n_visited, from; /* states enumerated, and the first */
};

/*
 * A hash table of numbers.  Entries of other steps are invalid by their stamp,
 * so that the table is never cleared.
 */
struct cscg_track_hash {
	struct cscg_track_hash_entry {
		unsigned stamp;
		int at;
	} * v;
	size_t mask;
};

/* Hypotheses sorted by weight; computed on request. */
struct cscg_track_ranking {
	bool ready;
	struct cscg_track_ranked {
		double w;
		uint64_t binding;
		int state, i;
	} * v;
};

struct cscg_track {
	const struct cscg_track_tables *tables;
	int n_obs, beam;
	bool is_new; /* no observation yet */
	double score;
	struct cscg_track_beam_item *h, *next; /* [beam] */
	int n, n_next;
	struct cscg_track_ranking *ranking;

	/*
	 * Bindings are slots of the pool, the symbol of each group and then the
	 * group of each symbol, and hypotheses share them.
	 */
	size_t stride;
	int *bindings; /* [2 * beam][stride] */
	int *refs,
	    *n_unbound; /* [2 * beam] reference counts; unbound states */
	int *free_slots, n_free_slots; /* unused slots */

	/* During a step. */
	unsigned stamp;
	struct cscg_track_successor *succ;
	struct cscg_track_jump_block *blocks; /* [beam] */
	struct cscg_track_weight *weights;
	long n_succ, n_blocks;
	size_t cap_succ, cap_weights;
	struct cscg_track_hash succ_hash, block_hash;
	double kept_slip, kept_misread; /* weight by noise of the hypotheses
	                                   kept */
	double slip, misread;           /* the same, as probabilities */
};

static inline int *
cscg_track_symbols(const struct cscg_track *t, int slot)
{
	return t->bindings + (size_t)slot * t->stride;
}

static inline int *
cscg_track_groups(const struct cscg_track *t, int slot)
{
	return cscg_track_symbols(t, slot) + t->tables->n_groups;
}

static inline uint64_t
cscg_track_mix64(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Take an unused slot. */
static inline int
cscg_track_take_slot(struct cscg_track *t)
{
	int slot = t->free_slots[--t->n_free_slots];

	t->refs[slot] = 1;
	return slot;
}

/* An empty table with room for n; 0, or -1 with err filled. */
static int track_hash_new(struct cscg_track_hash *hash, size_t n,
    struct cscg_err *err);

/*
 * the n-th largest weight, where some entries have a multiplicity
 *
 * Quickselect with three parts, since equal weights are frequent: equal
 * bindings and jumps have equal weights.
 */

static void
swap(struct cscg_track_weight *a, struct cscg_track_weight *b)
{
	struct cscg_track_weight c = *a;

	*a = *b;
	*b = c;
}

double
cscg_track_kth_weight(struct cscg_track_weight *weights, long n, long k)
{
	long lo = 0, hi = n, i, above, equal, end, begin;
	double p;

	for (;;) {
		p = weights[(lo + hi) / 2].w;
		above = equal = 0;
		/* lo..end-1 are above, end..i-1 equal, begin..hi-1 below. */
		for (end = i = lo, begin = hi; i < begin;) {
			if (weights[i].w > p) {
				above += weights[i].n;
				swap(&weights[i++], &weights[end++]);
			} else if (weights[i].w < p) {
				swap(&weights[i], &weights[--begin]);
			} else {
				equal += weights[i++].n;
			}
		}
		if (k > above && k <= above + equal)
			return p;
		if (k <= above) {
			hi = end;
		} else {
			k -= above + equal;
			lo = begin;
		}
	}
}

enum { BEAM_MIN = 200 };

/* ---- the tables ---- */

static void
fill_tables(struct cscg_track_tables *tables, const struct cscg_model *m)
{
	struct cscg_rng rng;
	int j;

	cscg_model_successors(m, tables->to);
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

/* misread is that of the schema. */
static void
fill_options(struct cscg_track_tables *tables,
    const struct cscg_track_options *options, double misread)
{
	tables->options = *options;
	if (options->beam <= 0)
		tables->options.beam = tables->n_states > BEAM_MIN ?
		    tables->n_states :
		    BEAM_MIN;
	if (options->jump <= 0)
		tables->options.jump = 1e-2;
	if (options->rebind <= 0)
		tables->options.rebind = 1e-4;
	if (options->misread <= 0)
		tables->options.misread = misread;
}

struct cscg_track_tables *
cscg_track_tables_new(const struct cscg_model *m,
    const struct cscg_track_options *options, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states, A = (size_t)m->n_actions;
	struct cscg_track_tables *tables;

	if (!m->clone) {
		cscg_fail(err, CSCG_EMISMATCH,
		    "no clone structure, which tracking bindings requires");
		return NULL;
	}
	tables = cscg_alloc(1, sizeof *tables, err);
	if (!tables)
		return NULL;
	tables->n_states = m->n_states;
	tables->n_actions = m->n_actions;
	tables->n_groups = cscg_model_n_groups(m);
	fill_options(tables, options, m->misread);
	tables->to = cscg_alloc(S * A, sizeof *tables->to, err);
	tables->group = cscg_alloc(S, sizeof *tables->group, err);
	tables->first = cscg_alloc((size_t)tables->n_groups + 1,
	    sizeof *tables->first, err);
	tables->shuffled = cscg_alloc(S, sizeof *tables->shuffled, err);
	tables->state_hash = cscg_alloc(S, sizeof *tables->state_hash, err);
	if (!tables->to || !tables->group || !tables->first ||
	    !tables->shuffled || !tables->state_hash) {
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

void
cscg_track_tables_set_noise(struct cscg_track_tables *tables, double slip,
    double misread)
{
	tables->options.slip = slip;
	tables->options.misread = misread;
}

void
cscg_track_tables_set_next(struct cscg_track_tables *tables, int j, int a,
    int k)
{
	tables->to[(long)a * tables->n_states + j] = k;
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

static uint64_t pair_hash(int g, int x);
static void bind_group(struct cscg_track *t, int slot, int g, int x);

static int
track_hash_new(struct cscg_track_hash *hash, size_t n, struct cscg_err *err)
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
	/* Two successors per hypothesis at first; grow_succ() adds more. */
	if (cscg_grow(&t->succ, &t->cap_succ, 2 * n, sizeof *t->succ, err) <
		0 ||
	    cscg_grow(&t->weights, &t->cap_weights, 3 * n, sizeof *t->weights,
		err) < 0 ||
	    track_hash_new(&t->block_hash, n, err) < 0)
		return -1;
	return track_hash_new(&t->succ_hash, t->cap_succ, err);
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

/* One hypothesis without bindings and without a state. */
void
cscg_track_reset(struct cscg_track *t)
{
	int i, slot;

	t->n_free_slots = 0;
	for (i = 2 * t->beam - 1; i >= 0; i--)
		t->free_slots[t->n_free_slots++] = i;
	slot = cscg_track_take_slot(t);
	memset(cscg_track_symbols(t, slot), -1,
	    t->stride * sizeof *t->bindings);
	t->n_unbound[slot] = t->tables->n_states;
	t->h[0] =
	    (struct cscg_track_beam_item){ .w = 1, .state = -1, .slot = slot };
	t->n = 1;
	t->score = t->slip = t->misread = 0;
	t->is_new = true;
	t->ranking->ready = false;
}

void
cscg_track_enter(struct cscg_track *t, const int *symbol, int state)
{
	struct cscg_track_beam_item *h = t->h;
	double score = t->score;
	int g;

	cscg_track_reset(t);
	t->score = score;
	for (g = 0; g < t->tables->n_groups; g++)
		if (symbol && symbol[g] >= 0) {
			h->binding ^= pair_hash(g, symbol[g]);
			bind_group(t, h->slot, g, symbol[g]);
		}
	h->state = state;
	t->is_new = state < 0;
}

void
cscg_track_noise(const struct cscg_track *t, double *slip, double *misread)
{
	*slip = t->slip;
	*misread = t->misread;
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
		cscg_track_symbols(t, h->slot),
		cscg_track_groups(t, h->slot) };
}

/*
 * from one beam to the next
 *
 * Weights are linear and sum to one after each step; the logs of their scale
 * factors add up to the score, so that a step takes one logarithm.  The hash of
 * a binding is the exclusive or of its pairs', so that a child's follows from
 * its parent's.
 *
 * Jumps would multiply hypotheses by states.  But hypotheses with the same
 * binding jump to the same states, each with the same weight: they are one
 * block.  Two blocks overlap only if the binding of one lacks just the
 * observed pair.  So the weight threshold of the beam follows from blocks and
 * their sizes, and only hypotheses above it are enumerated.  Ties: hypotheses
 * that did not jump come first, then blocks alternate.
 */

/*
 * Hypotheses below this fraction of the total do not change the sum, and are
 * dropped.
 */
static const double MIN_SHARE = 1e-16;

/* ---- bindings ---- */

/* The hash of a pair. */
static uint64_t
pair_hash(int g, int x)
{
	return cscg_track_mix64(((uint64_t)g << 32 | (uint64_t)x) +
	    0x9e3779b97f4a7c15u);
}

static int
group_size(const struct cscg_track *t, int g)
{
	return t->tables->first[g + 1] - t->tables->first[g];
}

/* Whether state k is consistent with symbol x: bound to it, or both unbound. */
static bool
fits(const struct cscg_track *t, int slot, int k, int x)
{
	int s = cscg_track_symbols(t, slot)[t->tables->group[k]];

	return x < 0 || s == x || (s < 0 && cscg_track_groups(t, slot)[x] < 0);
}

/* The change of the hash of a binding when g is bound to x. */
static uint64_t
hash_change(const struct cscg_track *t, int slot, int g, int x)
{
	int s = cscg_track_symbols(t, slot)[g];
	int other = cscg_track_groups(t, slot)[x];
	uint64_t h = pair_hash(g, x);

	if (s >= 0)
		h ^= pair_hash(g, s);
	if (other >= 0)
		h ^= pair_hash(other, x);
	return h;
}

/* Bind g to x, and remove all other bindings of both. */
static void
bind_group(struct cscg_track *t, int slot, int g, int x)
{
	int *symbol = cscg_track_symbols(t, slot);
	int *group = cscg_track_groups(t, slot);

	if (group[x] >= 0) {
		symbol[group[x]] = -1;
		t->n_unbound[slot] += group_size(t, group[x]);
	}
	if (symbol[g] >= 0)
		group[symbol[g]] = -1;
	else
		t->n_unbound[slot] -= group_size(t, g);
	symbol[g] = x;
	group[x] = g;
}

/* ---- candidates ---- */

static size_t
first_bucket(const struct cscg_track_hash *hash, uint64_t key)
{
	return (size_t)(key ^ key >> 32) & hash->mask;
}

/*
 * The slot of the candidate in the table; it is occupied if its stamp is
 * current.
 */
static struct cscg_track_hash_entry *
find_succ(const struct cscg_track *t, uint64_t binding, int state)
{
	const struct cscg_track_hash *hash = &t->succ_hash;
	size_t i = first_bucket(hash, binding ^ t->tables->state_hash[state]);

	for (; hash->v[i].stamp == t->stamp; i = (i + 1) & hash->mask) {
		const struct cscg_track_beam_item *h =
		    &t->succ[hash->v[i].at].h;

		if (h->binding == binding && h->state == state)
			break;
	}
	return &hash->v[i];
}

static struct cscg_track_hash_entry *
find_block(const struct cscg_track *t, uint64_t binding)
{
	const struct cscg_track_hash *hash = &t->block_hash;
	size_t i = first_bucket(hash, binding);

	for (; hash->v[i].stamp == t->stamp; i = (i + 1) & hash->mask)
		if (t->blocks[hash->v[i].at].binding == binding)
			break;
	return &hash->v[i];
}

/* The block with this binding, or NULL. */
static struct cscg_track_jump_block *
get_block(const struct cscg_track *t, uint64_t binding)
{
	const struct cscg_track_hash_entry *e = find_block(t, binding);

	return e->stamp == t->stamp ? &t->blocks[e->at] : NULL;
}

/* Double the capacity of candidates, and of their table. */
static int
grow_succ(struct cscg_track *t, struct cscg_err *err)
{
	struct cscg_track_hash hash;
	long k;

	if (cscg_grow(&t->succ, &t->cap_succ, t->cap_succ + 1, sizeof *t->succ,
		err) < 0 ||
	    track_hash_new(&hash, t->cap_succ, err) < 0)
		return -1;
	free(t->succ_hash.v);
	t->succ_hash = hash;
	for (k = 0; k < t->n_succ; k++)
		*find_succ(t, t->succ[k].h.binding, t->succ[k].h.state) =
		    (struct cscg_track_hash_entry){ t->stamp, (int)k };
	return 0;
}

/*
 * Hypothesis h arrives in state k with weight w, and x is observed; slip and
 * misread are the parts of w by noise.
 */
static int
add_noisy(struct cscg_track *t, const struct cscg_track_beam_item *h, int k,
    int x, double w, double slip, double misread, struct cscg_err *err)
{
	struct cscg_track_successor c = { { w, h->binding, k, h->slot }, slip,
		misread, false };
	struct cscg_track_hash_entry *e;
	int g = t->tables->group[k];

	c.is_new_binding = x >= 0 && cscg_track_symbols(t, h->slot)[g] != x;
	if (c.is_new_binding)
		c.h.binding ^= hash_change(t, h->slot, g, x);
	e = find_succ(t, c.h.binding, k);
	if (e->stamp == t->stamp) {
		t->succ[e->at].h.w += w;
		t->succ[e->at].slip += slip;
		t->succ[e->at].misread += misread;
		return 0;
	}
	if ((size_t)t->n_succ == t->cap_succ) {
		if (grow_succ(t, err) < 0)
			return -1;
		e = find_succ(t, c.h.binding, k);
	}
	*e = (struct cscg_track_hash_entry){ t->stamp, (int)t->n_succ };
	t->succ[t->n_succ++] = c;
	return 0;
}

static int
add_succ(struct cscg_track *t, const struct cscg_track_beam_item *h, int k,
    int x, double w, struct cscg_err *err)
{
	return add_noisy(t, h, k, x, w, 0, 0, err);
}

/*
 * Hypothesis h arrives in state k: if k is consistent with x, x is read
 * correctly; besides, x may be misread. slip is 1 if this is transition noise,
 * else 0.
 */
static int
add_arrival(struct cscg_track *t, const struct cscg_track_beam_item *h, int k,
    int x, double w, double slip, struct cscg_err *err)
{
	double e = t->tables->options.misread, r = e * w / t->n_obs;

	if (fits(t, h->slot, k, x)) {
		w = x < 0 ? w : (1 - e) * w;
		if (add_noisy(t, h, k, x, w, slip * w, 0, err) < 0)
			return -1;
	}
	return x < 0 || e <= 0 ? 0 :
				 add_noisy(t, h, k, -1, r, slip * r, r, err);
}

/* Hypothesis h may be in any state, with weight w for each. */
static void
add_block(struct cscg_track *t, const struct cscg_track_beam_item *h, double w,
    bool forced)
{
	struct cscg_track_hash_entry *e = find_block(t, h->binding);
	struct cscg_track_jump_block *b;

	if (e->stamp != t->stamp) {
		*e = (struct cscg_track_hash_entry){ t->stamp,
			(int)t->n_blocks };
		t->blocks[t->n_blocks++] = (struct cscg_track_jump_block){
			.binding = h->binding, .slot = h->slot
		};
	}
	b = &t->blocks[e->at];
	b->w += w;
	if (forced)
		b->forced += w;
}

/*
 * Action a of hypothesis h slips: the state stays, or another action takes
 * effect.
 */
static int
add_slips(struct cscg_track *t, const struct cscg_track_beam_item *h, int a,
    int x, struct cscg_err *err)
{
	const struct cscg_track_tables *tables = t->tables;
	double w = h->w * tables->options.slip / 2;
	int b, q;

	if (add_arrival(t, h, h->state, x, w, 1, err) < 0)
		return -1;
	for (b = 0; b < tables->n_actions; b++) {
		q = tables->to[(long)b * tables->n_states + h->state];
		if (b != a && q >= 0 &&
		    add_arrival(t, h, q, x, w / (tables->n_actions - 1), 1,
			err) < 0)
			return -1;
	}
	return 0;
}

/* Successors of hypothesis h after action a and symbol x. */
static int
add_successors(struct cscg_track *t, const struct cscg_track_beam_item *h,
    int a, int x, struct cscg_err *err)
{
	const struct cscg_track_tables *tables = t->tables;
	const struct cscg_track_options *options = &tables->options;
	double w = h->w;
	int q;

	if (a == -1 || t->is_new) {
		add_block(t, h, w / tables->n_states, true);
		return 0;
	}
	q = a < 0 ? h->state :
		    tables->to[(long)a * tables->n_states + h->state];
	if (options->slip > 0 && a >= 0) {
		w *= 1 - options->slip;
		if (add_slips(t, h, a, x, err) < 0)
			return -1;
	}
	if (q < 0) {
		add_block(t, h, w / tables->n_states, true);
		return 0;
	}
	if (add_arrival(t, h, q, x, w, 0, err) < 0)
		return -1;
	if (fits(t, h->slot, q, x))
		return 0;
	add_block(t, h, w * options->jump / tables->n_states, false);
	return add_succ(t, h, q, x, w * options->rebind, err);
}

/* ---- blocks ---- */

/* Number of states consistent with x. */
static int
count_fitting(const struct cscg_track *t,
    const struct cscg_track_jump_block *b, int x)
{
	int g = x < 0 ? -1 : cscg_track_groups(t, b->slot)[x];

	return x < 0 ? t->tables->n_states :
	    g >= 0   ? group_size(t, g) :
		       t->n_unbound[b->slot];
}

/* Hypotheses that are consistent with x in no state are rebound. */
static int
add_rebound(struct cscg_track *t, int x, struct cscg_err *err)
{
	long i;
	int k;

	for (i = 0; i < t->n_blocks; i++) {
		const struct cscg_track_jump_block *b = &t->blocks[i];
		const struct cscg_track_beam_item h = { .binding = b->binding,
			.slot = b->slot };

		if (b->forced <= 0 || count_fitting(t, b, x))
			continue;
		for (k = 0; k < t->tables->n_states; k++)
			if (add_succ(t, &h, k, x,
				b->forced * t->tables->options.rebind,
				err) < 0)
				return -1;
	}
	return 0;
}

static void
add_block_weight(struct cscg_track_successor *c,
    struct cscg_track_jump_block *b)
{
	if (!b)
		return;
	c->h.w += b->w;
	b->n_taken++;
}

/*
 * Jumps also lead to candidates: from hypotheses with the same binding, or
 * with that binding without the observed pair.
 */
static void
merge_blocks_into_succ(struct cscg_track *t, int x)
{
	long i;

	for (i = 0; i < t->n_succ; i++) {
		struct cscg_track_successor *c = &t->succ[i];

		/* No jump to a state where x would have to be misread. */
		if (x >= 0 && !c->is_new_binding &&
		    cscg_track_symbols(t,
			c->h.slot)[t->tables->group[c->h.state]] != x)
			continue;
		add_block_weight(c, get_block(t, c->h.binding));
		if (x >= 0)
			add_block_weight(c,
			    get_block(t,
				c->h.binding ^
				    pair_hash(t->tables->group[c->h.state],
					x)));
	}
}

/*
 * Where x is bound, jumps also come from hypotheses that lack only this pair:
 * such states belong to the block in which the pair is bound.
 */
static void
merge_blocks(struct cscg_track *t, int x)
{
	long i;

	for (i = 0; i < t->n_blocks && x >= 0; i++) {
		struct cscg_track_jump_block *b = &t->blocks[i], *other;
		int g = cscg_track_groups(t, b->slot)[x];

		other = g < 0 ? NULL :
				get_block(t, b->binding ^ pair_hash(g, x));
		if (!other)
			continue;
		b->w += other->w;
		other->n_taken += group_size(t, g) - b->n_taken;
	}
}

/* Whether a candidate or another block has state k of block b. */
static bool
is_taken(const struct cscg_track *t, const struct cscg_track_jump_block *b,
    int k, int x)
{
	bool is_new_binding = x >= 0 && cscg_track_groups(t, b->slot)[x] < 0;
	uint64_t binding = b->binding;

	if (is_new_binding)
		binding ^= pair_hash(t->tables->group[k], x);
	return find_succ(t, binding, k)->stamp == t->stamp ||
	    (is_new_binding && get_block(t, binding));
}

/*
 * The next state of block b that is consistent with x, -1 if all were
 * enumerated.  The first one depends on the hash of the binding, so that no
 * state is preferred.
 */
static int
next_state(const struct cscg_track *t, struct cscg_track_jump_block *b, int x)
{
	int g = x < 0 ? -1 : cscg_track_groups(t, b->slot)[x];
	int k, n = g >= 0 ? group_size(t, g) : t->tables->n_states;

	if (!b->n_visited)
		b->from = (int)(b->binding % (uint64_t)n);
	while (b->n_visited < n) {
		k = b->from + b->n_visited++;
		k = k < n ? k : k - n;
		k = g >= 0 ? t->tables->first[g] + k : t->tables->shuffled[k];
		if (fits(t, b->slot, k, x) &&
		    (!b->n_taken || !is_taken(t, b, k, x)))
			return k;
	}
	return -1;
}

/* ---- selection of the beam ---- */

/* Candidate c becomes a hypothesis. */
static void
keep_succ(struct cscg_track *t, const struct cscg_track_successor *c, int x)
{
	struct cscg_track_beam_item *h = &t->next[t->n_next++];
	int slot;

	*h = c->h;
	t->kept_slip += c->slip;
	t->kept_misread += c->misread;
	if (!c->is_new_binding) {
		t->refs[h->slot]++;
		return;
	}
	slot = cscg_track_take_slot(t);
	memcpy(cscg_track_symbols(t, slot), cscg_track_symbols(t, h->slot),
	    t->stride * sizeof *t->bindings);
	t->n_unbound[slot] = t->n_unbound[h->slot];
	bind_group(t, slot, t->tables->group[h->state], x);
	h->slot = slot;
}

/* The next state of block b; false if all were enumerated. */
static bool
keep_block_state(struct cscg_track *t, struct cscg_track_jump_block *b, int x)
{
	struct cscg_track_successor c = {
		{ b->w, b->binding, next_state(t, b, x), b->slot }, 0, 0, false
	};

	if (c.h.state < 0)
		return false;
	c.is_new_binding = x >= 0 && cscg_track_groups(t, b->slot)[x] < 0;
	if (c.is_new_binding)
		c.h.binding ^= pair_hash(t->tables->group[c.h.state], x);
	keep_succ(t, &c, x);
	return true;
}

/*
 * The total weight of candidates and blocks, their number of hypotheses, and
 * the list of their weights with multiplicities.  Returns the length of the
 * list, or -1 with err filled.
 */
static long
collect_weights(struct cscg_track *t, int x, double *total, long *n_total,
    struct cscg_err *err)
{
	long i, n = 0;

	if (cscg_grow(&t->weights, &t->cap_weights,
		(size_t)(t->n_succ + t->n_blocks), sizeof *t->weights,
		err) < 0)
		return -1;
	*total = 0;
	*n_total = t->n_succ;
	for (i = 0; i < t->n_succ; i++) {
		t->weights[n++] = (struct cscg_track_weight){ t->succ[i].h.w,
			1 };
		*total += t->succ[i].h.w;
	}
	for (i = 0; i < t->n_blocks; i++) {
		const struct cscg_track_jump_block *b = &t->blocks[i];
		long left = count_fitting(t, b, x) - b->n_taken;

		if (left <= 0)
			continue;
		t->weights[n++] = (struct cscg_track_weight){ b->w, left };
		*total += b->w * (double)left;
		*n_total += left;
	}
	return n;
}

/*
 * Of the candidates and jumps of weight cut, keep as many as fit into the beam.
 */
static void
fill_beam(struct cscg_track *t, double cut, int x)
{
	bool more = true;
	long i;

	for (i = 0; i < t->n_succ && t->n_next < t->beam; i++)
		if (t->succ[i].h.w == cut)
			keep_succ(t, &t->succ[i], x);
	while (more && t->n_next < t->beam)
		for (more = false, i = 0;
		     i < t->n_blocks && t->n_next < t->beam; i++)
			if (t->blocks[i].w == cut)
				more |= keep_block_state(t, &t->blocks[i], x);
}

static int
prune_beam(struct cscg_track *t, int x, struct cscg_err *err)
{
	double total, cut = 0;
	long i, n_total, n = collect_weights(t, x, &total, &n_total, err);

	if (n < 0)
		return -1;
	if (n_total > t->beam)
		cut = cscg_track_kth_weight(t->weights, n, t->beam);
	if (cut < MIN_SHARE * total)
		cut = MIN_SHARE * total;
	t->n_next = 0;
	t->kept_slip = t->kept_misread = 0;
	for (i = 0; i < t->n_succ; i++)
		if (t->succ[i].h.w > cut)
			keep_succ(t, &t->succ[i], x);
	for (i = 0; i < t->n_blocks; i++)
		while (t->blocks[i].w > cut &&
		    keep_block_state(t, &t->blocks[i], x))
			;
	if (cut > 0)
		fill_beam(t, cut, x);
	return 0;
}

/* The kept hypotheses become the beam, normalised. */
static void
swap_beams(struct cscg_track *t)
{
	struct cscg_track_beam_item *h = t->h;
	double sum = 0, scale;
	int i;

	for (i = 0; i < t->n; i++)
		if (--t->refs[h[i].slot] == 0)
			t->free_slots[t->n_free_slots++] = h[i].slot;
	t->h = t->next;
	t->n = t->n_next;
	t->next = h;
	for (i = 0; i < t->n; i++)
		sum += t->h[i].w;
	scale = 1 / sum;
	t->slip = t->kept_slip * scale;
	t->misread = t->kept_misread * scale;
	for (i = 0; i < t->n; i++)
		t->h[i].w *= scale;
	/*
	 * A sum that differs from 1 by rounding only is not added to the score,
	 * so that equal scores stay equal.
	 */
	if (fabs(sum - 1) > 1e-13)
		t->score += log(sum);
	t->is_new = false;
	t->ranking->ready = false;
}

/* Restart stamps before they wrap around. */
static void
next_stamp(struct cscg_track *t)
{
	if (++t->stamp)
		return;
	memset(t->succ_hash.v, 0,
	    (t->succ_hash.mask + 1) * sizeof *t->succ_hash.v);
	memset(t->block_hash.v, 0,
	    (t->block_hash.mask + 1) * sizeof *t->block_hash.v);
	t->stamp = 1;
}

int
cscg_track_step(struct cscg_track *t, int a, int x, struct cscg_err *err)
{
	int i;

	next_stamp(t);
	t->n_succ = t->n_blocks = 0;
	for (i = 0; i < t->n; i++)
		if (add_successors(t, &t->h[i], a, x, err) < 0)
			return -1;
	if (t->n_blocks) {
		if (x >= 0 && add_rebound(t, x, err) < 0)
			return -1;
		merge_blocks_into_succ(t, x);
		merge_blocks(t, x);
	}
	if (prune_beam(t, x, err) < 0)
		return -1;
	swap_beams(t);
	return 0;
}

/* a walk, and its best binding as a grounded model */

int
cscg_track_walk(struct cscg_track *t, const struct cscg_walk *w,
    struct cscg_err *err)
{
	long s;

	for (s = 0; s < w->n_steps; s++) {
		/* The last action of an episode is -1. */
		int a = s && !(w->reset && w->reset[s]) ? w->a[s - 1] : -1;

		if (cscg_track_step(t, a, w->x[s], err) < 0)
			return -1;
	}
	return 0;
}

void
cscg_track_emissions(int n_states, const int *clone, int n_obs,
    const int *symbol, const int *group, double noise, double *E)
{
	int x, j, s, n, n_free = 0;
	bool can;

	for (x = 0; x < n_obs; x++)
		n_free += group[x] < 0;
	for (j = 0; j < n_states; j++) {
		s = symbol ? symbol[clone ? clone[j] : j] : -1;
		n = s >= 0 ? 1 : n_free ? n_free : n_obs;
		for (x = 0; x < n_obs; x++) {
			can = s >= 0 ? x == s : group[x] < 0 || !n_free;
			*E++ = noise / n_obs + (can ? (1 - noise) / n : 0);
		}
	}
}

int
cscg_track_ground(const struct cscg_track *t, struct cscg_model *m,
    double noise, const struct cscg_names *symbols, struct cscg_err *err)
{
	struct cscg_track_hypothesis h = cscg_track_get(t, 0);
	size_t S = (size_t)m->n_states, K = (size_t)t->n_obs;
	double *E = cscg_alloc(S, K * sizeof *E, err);
	int rc;

	if (!E)
		return -1;
	cscg_track_emissions(m->n_states, m->clone, t->n_obs, h.symbol,
	    h.group, noise, E);
	cscg_model_unground(m, CSCG_CLONES);
	rc = cscg_model_set_E(m, E, t->n_obs, err);
	if (rc == 0 && symbols && symbols->n == t->n_obs)
		rc = cscg_names_copy(&m->symbols, symbols, err);
	free(E);
	return rc;
}
