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

/* Is it as it should be, or can it be bound, that k shows x? */
static bool
fits(const struct cscg_track *t, int slot, int k, int x)
{
	int s = cscg_track_symbols(t, slot)[t->tables->group[k]];

	return x < 0 || s == x ||
	    (s < 0 && cscg_track_groups(t, slot)[x] < 0);
}

/* What the hash of a binding changes by when g is bound to x. */
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

/* Bind g to x, and nothing else to either. */
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

/* Where the candidate is, or should be; it is there if its stamp says so. */
static struct cscg_track_hash_entry *
find_succ(const struct cscg_track *t, uint64_t binding, int state)
{
	const struct cscg_track_hash *hash = &t->succ_hash;
	size_t i = first_bucket(hash, binding ^ t->tables->state_hash[state]);

	for (; hash->v[i].stamp == t->stamp; i = (i + 1) & hash->mask) {
		const struct cscg_track_beam_item *h = &t->succ[hash->v[i].at].h;

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

/* Twice the room for candidates, and a table of them that is not crowded. */
static int
grow_succ(struct cscg_track *t, struct cscg_err *err)
{
	struct cscg_track_hash hash;
	long k;

	if (cscg_grow(&t->succ, &t->cap_succ, t->cap_succ + 1,
	    sizeof *t->succ, err) < 0 ||
	    cscg_track_hash_new(&hash, t->cap_succ, err) < 0)
		return -1;
	free(t->succ_hash.v);
	t->succ_hash = hash;
	for (k = 0; k < t->n_succ; k++)
		*find_succ(t, t->succ[k].h.binding, t->succ[k].h.state) =
		    (struct cscg_track_hash_entry){ t->stamp, (int)k };
	return 0;
}

/* Hypothesis h comes to state k, with weight w, and x is seen. */
static int
add_succ(struct cscg_track *t, const struct cscg_track_beam_item *h, int k, int x,
    double w, struct cscg_err *err)
{
	struct cscg_track_successor c = { { w, h->binding, k, h->slot }, false };
	struct cscg_track_hash_entry *e;
	int g = t->tables->group[k];

	c.is_new_binding = x >= 0 && cscg_track_symbols(t, h->slot)[g] != x;
	if (c.is_new_binding)
		c.h.binding ^= hash_change(t, h->slot, g, x);
	e = find_succ(t, c.h.binding, k);
	if (e->stamp == t->stamp) {
		t->succ[e->at].h.w += w;
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

/* Hypothesis h may be anywhere, with weight w for each place. */
static void
add_block(struct cscg_track *t, const struct cscg_track_beam_item *h, double w,
    bool forced)
{
	struct cscg_track_hash_entry *e = find_block(t, h->binding);
	struct cscg_track_jump_block *b;

	if (e->stamp != t->stamp) {
		*e = (struct cscg_track_hash_entry){ t->stamp, (int)t->n_blocks };
		t->blocks[t->n_blocks++] = (struct cscg_track_jump_block){
		    .binding = h->binding, .slot = h->slot };
	}
	b = &t->blocks[e->at];
	b->w += w;
	if (forced)
		b->forced += w;
}

/* Hypothesis h fails to take action a: it stays, or takes another. */
static int
add_slips(struct cscg_track *t, const struct cscg_track_beam_item *h, int a, int x,
    struct cscg_err *err)
{
	const struct cscg_track_tables *tables = t->tables;
	double w = h->w * tables->options.slip / 2;
	int b, q;

	if (fits(t, h->slot, h->state, x) &&
	    add_succ(t, h, h->state, x, w, err) < 0)
		return -1;
	for (b = 0; b < tables->n_actions; b++) {
		q = tables->to[(long)b * tables->n_states + h->state];
		if (b != a && q >= 0 && fits(t, h->slot, q, x) &&
		    add_succ(t, h, q, x, w / (tables->n_actions - 1), err) < 0)
			return -1;
	}
	return 0;
}

/* Where hypothesis h may be after action a, if x is seen there. */
static int
add_moves(struct cscg_track *t, const struct cscg_track_beam_item *h, int a, int x,
    struct cscg_err *err)
{
	const struct cscg_track_tables *tables = t->tables;
	const struct cscg_track_options *options = &tables->options;
	double w = h->w;
	int q;

	if (a < 0 || t->is_new) {
		add_block(t, h, w / tables->n_states, true);
		return 0;
	}
	q = tables->to[(long)a * tables->n_states + h->state];
	if (options->slip > 0) {
		w *= 1 - options->slip;
		if (add_slips(t, h, a, x, err) < 0)
			return -1;
	}
	if (q < 0) {
		add_block(t, h, w / tables->n_states, true);
		return 0;
	}
	if (fits(t, h->slot, q, x))
		return add_succ(t, h, q, x, w, err);
	add_block(t, h, w * options->jump / tables->n_states, false);
	return add_succ(t, h, q, x, w * options->rebind, err);
}

/* ---- blocks ---- */

/* How many places fit x. */
static int
count_fitting(const struct cscg_track *t, const struct cscg_track_jump_block *b, int x)
{
	int g = x < 0 ? -1 : cscg_track_groups(t, b->slot)[x];

	return x < 0 ? t->tables->n_states : g >= 0 ? group_size(t, g) :
	    t->n_unbound[b->slot];
}

/* Who must be elsewhere, but fits nowhere, binds anew. */
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
			if (add_succ(t, &h, k, x, b->forced *
			    t->tables->options.rebind, err) < 0)
				return -1;
	}
	return 0;
}

static void
add_block_weight(struct cscg_track_successor *c, struct cscg_track_jump_block *b)
{
	if (!b)
		return;
	c->h.w += b->w;
	b->n_taken++;
}

/*
 * Candidates are also jumped to: by who has their binding, or has it but for
 * the pair that is seen.
 */
static void
merge_blocks_into_succ(struct cscg_track *t, int x)
{
	long i;

	for (i = 0; i < t->n_succ; i++) {
		struct cscg_track_successor *c = &t->succ[i];

		add_block_weight(c, get_block(t, c->h.binding));
		if (x >= 0)
			add_block_weight(c, get_block(t, c->h.binding ^
			    pair_hash(t->tables->group[c->h.state], x)));
	}
}

/*
 * Where x is bound, it may also be jumped to by who has no more than that to
 * bind: such places are left to the block that has it bound.
 */
static void
merge_blocks(struct cscg_track *t, int x)
{
	long i;

	for (i = 0; i < t->n_blocks && x >= 0; i++) {
		struct cscg_track_jump_block *b = &t->blocks[i], *other;
		int g = cscg_track_groups(t, b->slot)[x];

		other = g < 0 ? NULL : get_block(t, b->binding ^ pair_hash(g, x));
		if (!other)
			continue;
		b->w += other->w;
		other->n_taken += group_size(t, g) - b->n_taken;
	}
}

/* Has a candidate or another block the place k of block b? */
static bool
is_taken(const struct cscg_track *t, const struct cscg_track_jump_block *b, int k,
    int x)
{
	bool is_new_binding = x >= 0 && cscg_track_groups(t, b->slot)[x] < 0;
	uint64_t binding = b->binding;

	if (is_new_binding)
		binding ^= pair_hash(t->tables->group[k], x);
	return find_succ(t, binding, k)->stamp == t->stamp ||
	    (is_new_binding && get_block(t, binding));
}

/*
 * The next place of block b that fits x, -1 if there is no more.  Where each
 * begins depends on its binding, so that none is preferred.
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

/* ---- who is kept ---- */

/* Candidate c becomes a hypothesis. */
static void
keep_succ(struct cscg_track *t, const struct cscg_track_successor *c, int x)
{
	struct cscg_track_beam_item *h = &t->next[t->n_next++];
	int slot;

	*h = c->h;
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

/* The next place of block b; false if there is none. */
static bool
keep_block_state(struct cscg_track *t, struct cscg_track_jump_block *b, int x)
{
	struct cscg_track_successor c = { { b->w, b->binding, next_state(t, b, x),
	    b->slot }, false };

	if (c.h.state < 0)
		return false;
	c.is_new_binding = x >= 0 && cscg_track_groups(t, b->slot)[x] < 0;
	if (c.is_new_binding)
		c.h.binding ^= pair_hash(t->tables->group[c.h.state], x);
	keep_succ(t, &c, x);
	return true;
}

/*
 * What candidates and blocks weigh together, and how many hypotheses they are;
 * as lots, too.  Returns how many lots there are, or -1 with err filled.
 */
static long
collect_weights(struct cscg_track *t, int x, double *total, long *n_total,
    struct cscg_err *err)
{
	long i, n = 0;

	if (cscg_grow(&t->weights, &t->cap_weights, (size_t)(t->n_succ + t->n_blocks),
	    sizeof *t->weights, err) < 0)
		return -1;
	*total = 0;
	*n_total = t->n_succ;
	for (i = 0; i < t->n_succ; i++) {
		t->weights[n++] = (struct cscg_track_weight){ t->succ[i].h.w, 1 };
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

/* Of those at the cut as many as there is room for. */
static void
fill_beam(struct cscg_track *t, double cut, int x)
{
	bool more = true;
	long i;

	for (i = 0; i < t->n_succ && t->n_next < t->beam; i++)
		if (t->succ[i].h.w == cut)
			keep_succ(t, &t->succ[i], x);
	while (more && t->n_next < t->beam)
		for (more = false, i = 0; i < t->n_blocks &&
		    t->n_next < t->beam; i++)
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
	for (i = 0; i < t->n_succ; i++)
		if (t->succ[i].h.w > cut)
			keep_succ(t, &t->succ[i], x);
	for (i = 0; i < t->n_blocks; i++)
		while (t->blocks[i].w > cut && keep_block_state(t, &t->blocks[i], x))
			;
	if (cut > 0)
		fill_beam(t, cut, x);
	return 0;
}

/* The kept ones become the present ones, and sum to one. */
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
	for (i = 0; i < t->n; i++)
		t->h[i].w *= scale;
	/* What rounding leaves of certainty would only make equals unequal. */
	if (fabs(sum - 1) > 1e-13)
		t->score += log(sum);
	t->is_new = false;
	t->ranking->ready = false;
}

/* Stamps begin again before they repeat. */
static void
next_stamp(struct cscg_track *t)
{
	if (++t->stamp)
		return;
	memset(t->succ_hash.v, 0, (t->succ_hash.mask + 1) * sizeof *t->succ_hash.v);
	memset(t->block_hash.v, 0, (t->block_hash.mask + 1) * sizeof *t->block_hash.v);
	t->stamp = 1;
}

int
cscg_track_step(struct cscg_track *t, int a, int x, struct cscg_err *err)
{
	int i;

	next_stamp(t);
	t->n_succ = t->n_blocks = 0;
	for (i = 0; i < t->n; i++)
		if (add_moves(t, &t->h[i], a, x, err) < 0)
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
