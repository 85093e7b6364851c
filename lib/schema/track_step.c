/*
 * track_step.c - from the bindings that are likely to those after a step
 *
 * Weights are linear and sum to one after each step; the logs of what they were
 * scaled by add up to the score, so that a step takes one logarithm.  The hash
 * of a binding is the exclusive or of its pairs', so that a child's follows
 * from its parent's.
 *
 * Jumps would multiply hypotheses by states.  But those with the same binding
 * jump to the same places, each with the same weight: they are one block.  Two
 * blocks meet only where one lacks just the pair that is seen.  So the weight
 * below which nothing is kept follows from blocks and their sizes, and only what
 * is above it is written out.  Of equals, those that did not jump come first,
 * and then blocks take turns.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/track_beam.h"

/* Less than this share of all adds nothing to the sum: it is dropped. */
static const double least = 1e-16;

/* ---- bindings ---- */

/* The hash of a pair. */
static uint64_t
pair(int g, int x)
{
	return cscg_track_mix(((uint64_t)g << 32 | (uint64_t)x) +
	    0x9e3779b97f4a7c15u);
}

static int
size_of(const struct cscg_track *t, int g)
{
	return t->map->first[g + 1] - t->map->first[g];
}

/* Is it as it should be, or can it be bound, that k shows x? */
static bool
fits(const struct cscg_track *t, int slot, int k, int x)
{
	int s = cscg_track_symbols(t, slot)[t->map->group[k]];

	return x < 0 || s == x ||
	    (s < 0 && cscg_track_groups(t, slot)[x] < 0);
}

/* What the hash of a binding changes by when g is bound to x. */
static uint64_t
change(const struct cscg_track *t, int slot, int g, int x)
{
	int s = cscg_track_symbols(t, slot)[g];
	int other = cscg_track_groups(t, slot)[x];
	uint64_t h = pair(g, x);

	if (s >= 0)
		h ^= pair(g, s);
	if (other >= 0)
		h ^= pair(other, x);
	return h;
}

/* Bind g to x, and nothing else to either. */
static void
rebind(struct cscg_track *t, int slot, int g, int x)
{
	int *symbol = cscg_track_symbols(t, slot);
	int *group = cscg_track_groups(t, slot);

	if (group[x] >= 0) {
		symbol[group[x]] = -1;
		t->open[slot] += size_of(t, group[x]);
	}
	if (symbol[g] >= 0)
		group[symbol[g]] = -1;
	else
		t->open[slot] -= size_of(t, g);
	symbol[g] = x;
	group[x] = g;
}

/* ---- candidates ---- */

static size_t
first_place(const struct cscg_track_index *ix, uint64_t key)
{
	return (size_t)(key ^ key >> 32) & ix->mask;
}

/* Where the candidate is, or should be; it is there if its stamp says so. */
static struct cscg_track_entry *
find_cand(const struct cscg_track *t, uint64_t bound, int state)
{
	const struct cscg_track_index *ix = &t->cands;
	size_t i = first_place(ix, bound ^ t->map->salt[state]);

	for (; ix->v[i].stamp == t->stamp; i = (i + 1) & ix->mask) {
		const struct cscg_track_one *h = &t->cand[ix->v[i].at].h;

		if (h->bound == bound && h->state == state)
			break;
	}
	return &ix->v[i];
}

static struct cscg_track_entry *
find_block(const struct cscg_track *t, uint64_t bound)
{
	const struct cscg_track_index *ix = &t->blocks;
	size_t i = first_place(ix, bound);

	for (; ix->v[i].stamp == t->stamp; i = (i + 1) & ix->mask)
		if (t->block[ix->v[i].at].bound == bound)
			break;
	return &ix->v[i];
}

/* The block with this binding, or NULL. */
static struct cscg_track_block *
get_block(const struct cscg_track *t, uint64_t bound)
{
	const struct cscg_track_entry *e = find_block(t, bound);

	return e->stamp == t->stamp ? &t->block[e->at] : NULL;
}

/* Twice the room for candidates, and a table of them that is not crowded. */
static int
grow_cands(struct cscg_track *t, struct cscg_err *err)
{
	struct cscg_track_index ix;
	long k;

	if (cscg_grow(&t->cand, &t->cap_cand, t->cap_cand + 1,
	    sizeof *t->cand, err) < 0 ||
	    cscg_track_index_new(&ix, t->cap_cand, err) < 0)
		return -1;
	free(t->cands.v);
	t->cands = ix;
	for (k = 0; k < t->n_cand; k++)
		*find_cand(t, t->cand[k].h.bound, t->cand[k].h.state) =
		    (struct cscg_track_entry){ t->stamp, (int)k };
	return 0;
}

/* Hypothesis h comes to state k, with weight w, and x is seen. */
static int
add_cand(struct cscg_track *t, const struct cscg_track_one *h, int k, int x,
    double w, struct cscg_err *err)
{
	struct cscg_track_cand c = { { w, h->bound, k, h->slot }, false };
	struct cscg_track_entry *e;
	int g = t->map->group[k];

	c.binds = x >= 0 && cscg_track_symbols(t, h->slot)[g] != x;
	if (c.binds)
		c.h.bound ^= change(t, h->slot, g, x);
	e = find_cand(t, c.h.bound, k);
	if (e->stamp == t->stamp) {
		t->cand[e->at].h.w += w;
		return 0;
	}
	if ((size_t)t->n_cand == t->cap_cand) {
		if (grow_cands(t, err) < 0)
			return -1;
		e = find_cand(t, c.h.bound, k);
	}
	*e = (struct cscg_track_entry){ t->stamp, (int)t->n_cand };
	t->cand[t->n_cand++] = c;
	return 0;
}

/* Hypothesis h may be anywhere, with weight w for each place. */
static void
add_block(struct cscg_track *t, const struct cscg_track_one *h, double w,
    bool must)
{
	struct cscg_track_entry *e = find_block(t, h->bound);
	struct cscg_track_block *b;

	if (e->stamp != t->stamp) {
		*e = (struct cscg_track_entry){ t->stamp, (int)t->n_block };
		t->block[t->n_block++] = (struct cscg_track_block){
		    .bound = h->bound, .slot = h->slot };
	}
	b = &t->block[e->at];
	b->w += w;
	if (must)
		b->must += w;
}

/* Hypothesis h fails to take action a: it stays, or takes another. */
static int
slip(struct cscg_track *t, const struct cscg_track_one *h, int a, int x,
    struct cscg_err *err)
{
	const struct cscg_track_map *map = t->map;
	double w = h->w * map->set.slip / 2;
	int b, q;

	if (fits(t, h->slot, h->state, x) &&
	    add_cand(t, h, h->state, x, w, err) < 0)
		return -1;
	for (b = 0; b < map->n_actions; b++) {
		q = map->to[(long)b * map->n_states + h->state];
		if (b != a && q >= 0 && fits(t, h->slot, q, x) &&
		    add_cand(t, h, q, x, w / (map->n_actions - 1), err) < 0)
			return -1;
	}
	return 0;
}

/* Where hypothesis h may be after action a, if x is seen there. */
static int
move(struct cscg_track *t, const struct cscg_track_one *h, int a, int x,
    struct cscg_err *err)
{
	const struct cscg_track_map *map = t->map;
	const struct cscg_track_set *set = &map->set;
	double w = h->w;
	int q;

	if (a < 0 || t->fresh) {
		add_block(t, h, w / map->n_states, true);
		return 0;
	}
	q = map->to[(long)a * map->n_states + h->state];
	if (set->slip > 0) {
		w *= 1 - set->slip;
		if (slip(t, h, a, x, err) < 0)
			return -1;
	}
	if (q < 0) {
		add_block(t, h, w / map->n_states, true);
		return 0;
	}
	if (fits(t, h->slot, q, x))
		return add_cand(t, h, q, x, w, err);
	add_block(t, h, w * set->jump / map->n_states, false);
	return add_cand(t, h, q, x, w * set->rebind, err);
}

/* ---- blocks ---- */

/* How many places fit x. */
static int
places(const struct cscg_track *t, const struct cscg_track_block *b, int x)
{
	int g = x < 0 ? -1 : cscg_track_groups(t, b->slot)[x];

	return x < 0 ? t->map->n_states : g >= 0 ? size_of(t, g) :
	    t->open[b->slot];
}

/* Who must be elsewhere, but fits nowhere, binds anew. */
static int
add_lost(struct cscg_track *t, int x, struct cscg_err *err)
{
	long i;
	int k;

	for (i = 0; i < t->n_block; i++) {
		const struct cscg_track_block *b = &t->block[i];
		const struct cscg_track_one h = { .bound = b->bound,
		    .slot = b->slot };

		if (b->must <= 0 || places(t, b, x))
			continue;
		for (k = 0; k < t->map->n_states; k++)
			if (add_cand(t, &h, k, x, b->must *
			    t->map->set.rebind, err) < 0)
				return -1;
	}
	return 0;
}

static void
join(struct cscg_track_cand *c, struct cscg_track_block *b)
{
	if (!b)
		return;
	c->h.w += b->w;
	b->taken++;
}

/*
 * Candidates are also jumped to: by who has their binding, or has it but for
 * the pair that is seen.
 */
static void
join_blocks(struct cscg_track *t, int x)
{
	long i;

	for (i = 0; i < t->n_cand; i++) {
		struct cscg_track_cand *c = &t->cand[i];

		join(c, get_block(t, c->h.bound));
		if (x >= 0)
			join(c, get_block(t, c->h.bound ^
			    pair(t->map->group[c->h.state], x)));
	}
}

/*
 * Where x is bound, it may also be jumped to by who has no more than that to
 * bind: such places are left to the block that has it bound.
 */
static void
meet_blocks(struct cscg_track *t, int x)
{
	long i;

	for (i = 0; i < t->n_block && x >= 0; i++) {
		struct cscg_track_block *b = &t->block[i], *other;
		int g = cscg_track_groups(t, b->slot)[x];

		other = g < 0 ? NULL : get_block(t, b->bound ^ pair(g, x));
		if (!other)
			continue;
		b->w += other->w;
		other->taken += size_of(t, g) - b->taken;
	}
}

/* Has a candidate or another block the place k of block b? */
static bool
is_taken(const struct cscg_track *t, const struct cscg_track_block *b, int k,
    int x)
{
	bool binds = x >= 0 && cscg_track_groups(t, b->slot)[x] < 0;
	uint64_t bound = b->bound;

	if (binds)
		bound ^= pair(t->map->group[k], x);
	return find_cand(t, bound, k)->stamp == t->stamp ||
	    (binds && get_block(t, bound));
}

/*
 * The next place of block b that fits x, -1 if there is no more.  Where each
 * begins depends on its binding, so that none is preferred.
 */
static int
next_place(const struct cscg_track *t, struct cscg_track_block *b, int x)
{
	int g = x < 0 ? -1 : cscg_track_groups(t, b->slot)[x];
	int k, n = g >= 0 ? size_of(t, g) : t->map->n_states;

	if (!b->seen)
		b->from = (int)(b->bound % (uint64_t)n);
	while (b->seen < n) {
		k = b->from + b->seen++;
		k = k < n ? k : k - n;
		k = g >= 0 ? t->map->first[g] + k : t->map->spread[k];
		if (fits(t, b->slot, k, x) &&
		    (!b->taken || !is_taken(t, b, k, x)))
			return k;
	}
	return -1;
}

/* ---- who is kept ---- */

/* Candidate c becomes a hypothesis. */
static void
keep(struct cscg_track *t, const struct cscg_track_cand *c, int x)
{
	struct cscg_track_one *h = &t->next[t->n_next++];
	int slot;

	*h = c->h;
	if (!c->binds) {
		t->refs[h->slot]++;
		return;
	}
	slot = cscg_track_take_slot(t);
	memcpy(cscg_track_symbols(t, slot), cscg_track_symbols(t, h->slot),
	    t->stride * sizeof *t->pool);
	t->open[slot] = t->open[h->slot];
	rebind(t, slot, t->map->group[h->state], x);
	h->slot = slot;
}

/* The next place of block b; false if there is none. */
static bool
keep_place(struct cscg_track *t, struct cscg_track_block *b, int x)
{
	struct cscg_track_cand c = { { b->w, b->bound, next_place(t, b, x),
	    b->slot }, false };

	if (c.h.state < 0)
		return false;
	c.binds = x >= 0 && cscg_track_groups(t, b->slot)[x] < 0;
	if (c.binds)
		c.h.bound ^= pair(t->map->group[c.h.state], x);
	keep(t, &c, x);
	return true;
}

/*
 * What candidates and blocks weigh together, and how many hypotheses they are;
 * as lots, too.  Returns how many lots there are, or -1 with err filled.
 */
static long
weigh(struct cscg_track *t, int x, double *mass, long *many,
    struct cscg_err *err)
{
	long i, n = 0;

	if (cscg_grow(&t->lot, &t->cap_lot, (size_t)(t->n_cand + t->n_block),
	    sizeof *t->lot, err) < 0)
		return -1;
	*mass = 0;
	*many = t->n_cand;
	for (i = 0; i < t->n_cand; i++) {
		t->lot[n++] = (struct cscg_track_lot){ t->cand[i].h.w, 1 };
		*mass += t->cand[i].h.w;
	}
	for (i = 0; i < t->n_block; i++) {
		const struct cscg_track_block *b = &t->block[i];
		long left = places(t, b, x) - b->taken;

		if (left <= 0)
			continue;
		t->lot[n++] = (struct cscg_track_lot){ b->w, left };
		*mass += b->w * (double)left;
		*many += left;
	}
	return n;
}

/* Of those at the cut as many as there is room for. */
static void
fill_up(struct cscg_track *t, double cut, int x)
{
	bool more = true;
	long i;

	for (i = 0; i < t->n_cand && t->n_next < t->beam; i++)
		if (t->cand[i].h.w == cut)
			keep(t, &t->cand[i], x);
	while (more && t->n_next < t->beam)
		for (more = false, i = 0; i < t->n_block &&
		    t->n_next < t->beam; i++)
			if (t->block[i].w == cut)
				more |= keep_place(t, &t->block[i], x);
}

static int
choose(struct cscg_track *t, int x, struct cscg_err *err)
{
	double mass, cut = 0;
	long i, many, n = weigh(t, x, &mass, &many, err);

	if (n < 0)
		return -1;
	if (many > t->beam)
		cut = cscg_track_cut(t->lot, n, t->beam);
	if (cut < least * mass)
		cut = least * mass;
	t->n_next = 0;
	for (i = 0; i < t->n_cand; i++)
		if (t->cand[i].h.w > cut)
			keep(t, &t->cand[i], x);
	for (i = 0; i < t->n_block; i++)
		while (t->block[i].w > cut && keep_place(t, &t->block[i], x))
			;
	if (cut > 0)
		fill_up(t, cut, x);
	return 0;
}

/* The kept ones become the present ones, and sum to one. */
static void
go_on(struct cscg_track *t)
{
	struct cscg_track_one *h = t->h;
	double sum = 0, scale;
	int i;

	for (i = 0; i < t->n; i++)
		if (--t->refs[h[i].slot] == 0)
			t->idle[t->n_idle++] = h[i].slot;
	t->h = t->next;
	t->n = t->n_next;
	t->next = h;
	for (i = 0; i < t->n; i++)
		sum += t->h[i].w;
	scale = 1 / sum;
	for (i = 0; i < t->n; i++)
		t->h[i].w *= scale;
	/* What rounding leaves of certainty would only make equals unequal. */
	if (fabs(sum - 1) > 1e-13)
		t->score += log(sum);
	t->fresh = false;
	t->order->ready = false;
}

/* Stamps begin again before they repeat. */
static void
next_stamp(struct cscg_track *t)
{
	if (++t->stamp)
		return;
	memset(t->cands.v, 0, (t->cands.mask + 1) * sizeof *t->cands.v);
	memset(t->blocks.v, 0, (t->blocks.mask + 1) * sizeof *t->blocks.v);
	t->stamp = 1;
}

int
cscg_track_step(struct cscg_track *t, int a, int x, struct cscg_err *err)
{
	int i;

	next_stamp(t);
	t->n_cand = t->n_block = 0;
	for (i = 0; i < t->n; i++)
		if (move(t, &t->h[i], a, x, err) < 0)
			return -1;
	if (t->n_block) {
		if (x >= 0 && add_lost(t, x, err) < 0)
			return -1;
		join_blocks(t, x);
		meet_blocks(t, x);
	}
	if (choose(t, x, err) < 0)
		return -1;
	go_on(t);
	return 0;
}
