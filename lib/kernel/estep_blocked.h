/*
 * estep_blocked.h - fast E-step of EM on T: blocked messages with SIMD
 */
#ifndef CSCG_ESTEP_BLOCKED_H
#define CSCG_ESTEP_BLOCKED_H

#include "base/mem.h"
#include "kernel/estep.h"
#include "kernel/pack.h"

/* The steps from..to-1 of a run that are in one unit. */
struct cscg_run_part {
	int unit;
	long run, from, to;
	bool begins_run, ends_run; /* whether the run begins and ends in this
	                              part */
};

/*
 * A double and its bits: an integer sum of one double's bits and zeros is
 * exact.
 */
union cscg_double_bits {
	double v;
	int64_t bits;
};

/* Parts of the rows of T that threads read at a time. */
enum { CSCG_BLOCKED_PARTS = 16 };

struct cscg_blocked {
	struct cscg_estep base;
	const struct cscg_walk *w; /* all of it, or this rank's part */
	struct cscg_ranks *ranks;
	const struct cscg_simd *simd;
	struct cscg_pack *pack;
	int S, A, threads;
	bool learn_pi, low_memory;
	int *clones; /* [n_obs + 1] */
	int *symbol; /* [n_states] */

	float *T, *transposed;    /* blocks, and transposed */
	struct cscg_block *block; /* [n_groups][2] forward, backward */
	float *bundles;           /* vectors of sparse blocks, forward */
	uint16_t *row;   /* their columns and rows, in both directions */
	float *level;    /* [a][pi_at] value of T where the count is 0 */
	float *ones;     /* [pi_at] padded with zeros */
	size_t n_pi;     /* floats of pi, ones, and level for an action */
	int64_t *counts; /* like T, integers in multiples of unit */
	bool is_far;     /* whether the blocks exceed the inner caches */
	bool pending;    /* whether counts are still to be computed from
	                    messages */
	double unit;
	double min_count; /* counts up to this do not change T */
	int bits;
	uint64_t *live;      /* [n_live] vectors of T that are stored ... */
	uint64_t *live_next; /* ... and of the counts being computed */
	long *n_counts;      /* [n_groups] number of counts above min_count */
	int64_t *row_sum;    /* [A * S] and their sums */
	double *row_add, *row_by; /* [A * S] T = (count + add) * by */
	double *rest, *rest_log;  /* [A * S] counts outside all blocks */
	bool as_loaded;           /* whether the counts are unchanged since
	                             load() */
	const struct cscg_model *loaded; /* from this model, or ... */
	/* ... at random: the generator before each part of the rows. */
	struct cscg_rng rng[CSCG_BLOCKED_PARTS];
	double *row_scratch; /* [threads][2][n_states] */
	double pseudocount;
	int *panel;    /* [A * n_obs + 1] first group of (a, symbol) */
	double *prior; /* [A * n_obs] sum of log T */

	float *pi;      /* [n_states], each symbol's padded: pi_at */
	size_t *pi_at;  /* [n_obs] */
	double *pi_d;   /* [n_states] */
	int64_t *start; /* [n_states] expected starts, in units */

	float *alpha, *beta;  /* messages of all units, or of one */
	size_t *left, *right; /* [n_units] offsets of the messages of a unit */
	float *tail_alpha;    /* the last forward message of each run ... */
	float *tail_beta;     /* ... and the first backward one */
	size_t *tail, *head;  /* [n_runs] their offsets */
	struct cscg_run_part *part; /* [n_parts] runs cut at units, in order */
	long n_parts;
	long *part_of_unit;  /* [n_units + 1] first part of each unit */
	long *part_of_run;   /* [n_runs + 1] and of each run */
	size_t *edge;        /* [n_units] offset in the next three of ... */
	float *check;        /* ... the forward message into the unit */
	float *begin;        /* ... the message with which its chain started */
	float *backward;     /* ... the backward message to the unit before */
	bool in_order;       /* compute parts in order, without initial
	                        guesses */
	long passes, misses; /* passes; wrong guesses of initial messages */
	int64_t all_misses;  /* the latter on all ranks */
	float *scratch;      /* [threads][3][widest] */
	size_t widest;       /* reals of the widest message */
	int current_unit;    /* the unit whose counts are added */
	int16_t *shift;      /* [n_steps] powers of two put into alpha ... */
	int16_t *shift_back; /* ... and into beta */
	float *factor;       /* [transitions] of all units, or of one */
	double *loglik;      /* [n_parts] */
	union cscg_double_bits
	    *sum;               /* [all_units] log-likelihood of each unit */
	long all_units, before; /* of all ranks, and of those before */
	struct cscg_pool mem;   /* all arrays */
};

/* Floats of a message over the clones of x. */
static inline uint32_t
cscg_blocked_width(const struct cscg_blocked *f, int x)
{
	return cscg_pack_pad(f->pack,
	    (uint32_t)(f->clones[x + 1] - f->clones[x]));
}

/* Mark all vectors of the rows of a group as stored, or none. */
static inline void
cscg_blocked_set_live(const struct cscg_blocked *f,
    const struct cscg_pack_group *g, bool all, uint64_t *live)
{
	uint32_t n = g->cols_pad / (uint32_t)f->pack->width, j;

	for (j = 0; g->max_bundles && j < g->rows; j++)
		live[g->live + j] = all ? ~(uint64_t)0 >> (64 - n) : 0;
}

/* ---- where messages are ---- */

/* The forward message at the left of transition t -> t+1, in its unit u. */
static inline float *
cscg_blocked_left(const struct cscg_blocked *f, int u, long t)
{
	return f->alpha + f->left[u] +
	    (size_t)f->pack->left[t] * (size_t)f->pack->width;
}

/* The backward message at the right of transition t -> t+1. */
static inline float *
cscg_blocked_right(const struct cscg_blocked *f, int u, long t)
{
	return f->beta + f->right[u] +
	    (size_t)f->pack->right[t] * (size_t)f->pack->width;
}

/* The forward message of step t of run r, in unit u. */
static inline float *
cscg_blocked_alpha(const struct cscg_blocked *f, int u, long r, long t)
{
	return f->pack->of[t] < 0 ? f->tail_alpha + f->tail[r] :
				    cscg_blocked_left(f, u, t);
}

#endif
