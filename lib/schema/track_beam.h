/*
 * track_beam.h - the beam that track.c keeps and track_step.c moves
 */
#ifndef CSCG_TRACK_BEAM_H
#define CSCG_TRACK_BEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/track.h"
#include "schema/track_cut.h"

struct cscg_track_tables {
	struct cscg_track_options options;	/* all told */
	int n_states, n_actions, n_groups;
	int *to;		/* [n_actions][n_states], -1: not known */
	int *group;		/* [n_states] */
	int *first;		/* [n_groups + 1] states of each group */
	int *shuffled;		/* [n_states] states in no order */
	uint64_t *state_hash;		/* [n_states] hash of each state */
};

/* A hypothesis. */
struct cscg_track_beam_item {
	double w;
	uint64_t binding;		/* hash of the binding */
	int state, slot;
};

/*
 * A hypothesis to be: its slot is the parent's, and if it binds, its group is to
 * be bound to what is seen.
 */
struct cscg_track_successor {
	struct cscg_track_beam_item h;
	bool is_new_binding;
};

/* Jumps of all hypotheses with one binding, to each place that fits. */
struct cscg_track_jump_block {
	double w;		/* to each */
	double forced;		/* of that, what cannot stay where it was */
	uint64_t binding;
	int slot;
	int n_taken;		/* places that candidates or other blocks have */
	int n_visited, from;		/* places that were looked at, and the first */
};

/*
 * A hash table of numbers.  Those that were put there in another step do not
 * count, so that nothing has to be cleared.
 */
struct cscg_track_hash {
	struct cscg_track_hash_entry {
		unsigned stamp;
		int at;
	} *v;
	size_t mask;
};

/* Hypotheses from the likeliest on; made when somebody asks. */
struct cscg_track_ranking {
	bool ready;
	struct cscg_track_ranked {
		double w;
		uint64_t binding;
		int state, i;
	} *v;
};

struct cscg_track {
	const struct cscg_track_tables *tables;
	int n_obs, beam;
	bool is_new;		/* nothing was seen yet */
	double score;
	struct cscg_track_beam_item *h, *next;	/* [beam] */
	int n, n_next;
	struct cscg_track_ranking *ranking;

	/*
	 * Bindings are slots of the pool, the symbol of each group and then the
	 * group of each symbol, and hypotheses share them.
	 */
	size_t stride;
	int *bindings;		/* [2 * beam][stride] */
	int *refs, *n_unbound;	/* [2 * beam] who has it; states not bound */
	int *free_slots, n_free_slots;	/* slots that nobody has */

	/* During a step. */
	unsigned stamp;
	struct cscg_track_successor *succ;
	struct cscg_track_jump_block *blocks;	/* [beam] */
	struct cscg_track_weight *weights;
	long n_succ, n_blocks;
	size_t cap_succ, cap_weights;
	struct cscg_track_hash succ_hash, block_hash;
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

/* A slot that nobody has, and now one has. */
static inline int
cscg_track_take_slot(struct cscg_track *t)
{
	int slot = t->free_slots[--t->n_free_slots];

	t->refs[slot] = 1;
	return slot;
}

/* An empty table with room for n; 0, or -1 with err filled. */
int cscg_track_hash_new(struct cscg_track_hash *hash, size_t n,
    struct cscg_err *err);

#endif
