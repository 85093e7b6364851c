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

struct cscg_track_map {
	struct cscg_track_set set;	/* all told */
	int n_states, n_actions, n_groups;
	int *to;		/* [n_actions][n_states], -1: not known */
	int *group;		/* [n_states] */
	int *first;		/* [n_groups + 1] states of each group */
	int *spread;		/* [n_states] states in no order */
	uint64_t *salt;		/* [n_states] hash of each state */
};

/* A hypothesis. */
struct cscg_track_one {
	double w;
	uint64_t bound;		/* hash of the binding */
	int state, slot;
};

/*
 * A hypothesis to be: its slot is the parent's, and if it binds, its group is to
 * be bound to what is seen.
 */
struct cscg_track_cand {
	struct cscg_track_one h;
	bool binds;
};

/* Jumps of all hypotheses with one binding, to each place that fits. */
struct cscg_track_block {
	double w;		/* to each */
	double must;		/* of that, what cannot stay where it was */
	uint64_t bound;
	int slot;
	int taken;		/* places that candidates or other blocks have */
	int seen, from;		/* places that were looked at, and the first */
};

/*
 * A hash table of numbers.  Those that were put there in another step do not
 * count, so that nothing has to be cleared.
 */
struct cscg_track_index {
	struct cscg_track_entry {
		unsigned stamp;
		int at;
	} *v;
	size_t mask;
};

/* Hypotheses from the likeliest on; made when somebody asks. */
struct cscg_track_order {
	bool ready;
	struct cscg_track_rank {
		double w;
		uint64_t bound;
		int state, i;
	} *v;
};

struct cscg_track {
	const struct cscg_track_map *map;
	int n_obs, beam;
	bool fresh;		/* nothing was seen yet */
	double score;
	struct cscg_track_one *h, *next;	/* [beam] */
	int n, n_next;
	struct cscg_track_order *order;

	/*
	 * Bindings are slots of the pool, the symbol of each group and then the
	 * group of each symbol, and hypotheses share them.
	 */
	size_t stride;
	int *pool;		/* [2 * beam][stride] */
	int *refs, *open;	/* [2 * beam] who has it; states not bound */
	int *idle, n_idle;	/* slots that nobody has */

	/* During a step. */
	unsigned stamp;
	struct cscg_track_cand *cand;
	struct cscg_track_block *block;	/* [beam] */
	struct cscg_track_lot *lot;
	long n_cand, n_block;
	size_t cap_cand, cap_lot;
	struct cscg_track_index cands, blocks;
};

static inline int *
cscg_track_symbols(const struct cscg_track *t, int slot)
{
	return t->pool + (size_t)slot * t->stride;
}

static inline int *
cscg_track_groups(const struct cscg_track *t, int slot)
{
	return cscg_track_symbols(t, slot) + t->map->n_groups;
}

static inline uint64_t
cscg_track_mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A slot that nobody has, and now one has. */
static inline int
cscg_track_take_slot(struct cscg_track *t)
{
	int slot = t->idle[--t->n_idle];

	t->refs[slot] = 1;
	return slot;
}

/* An empty table with room for n; 0, or -1 with err filled. */
int cscg_track_index_new(struct cscg_track_index *ix, size_t n,
    struct cscg_err *err);

#endif
