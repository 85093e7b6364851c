/*
 * merge_sets.h - the partition of the steps of a walk into states, as state
 * merging (merge.h) changes it
 *
 * States are merged by union-find, and a merge is propagated along equal
 * actions (a congruence): every successor and every inverse transition that
 * two merged states share is merged as well.  Every change is logged, so that
 * a merge can be tried and undone.
 *
 * A state is red if it is accepted as a state of the graph.
 */
#ifndef CSCG_MERGE_SETS_H
#define CSCG_MERGE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "core/walk.h"
#include "learn/inverse.h"
#include "learn/merge.h"

/* A step and its sort key. */
struct cscg_merge_item {
	uint64_t key;
	long t;
};

struct cscg_merge_undo {
	int *cell, old;
};

/* Steps of red states. */
struct cscg_merge_reds {
	int *v;
	size_t n, cap;
};

struct cscg_merge_sets {
	struct cscg_pool mem; /* arrays of [n] and [n_obs] */
	const struct cscg_walk *w;
	struct cscg_poll *poll; /* may be NULL */
	double pseudocount;     /* of the next symbol in the evidence, for each
	                       symbol of the walk; set it before
	                       cscg_merge_sets_new() */
	int A;
	long n;
	int *parent, *size, *label; /* [n] union-find; label of the root */
	int *next;       /* [n * A] a step of the successor; at the root */
	float *evidence; /* [n] nats for agreement on the symbol of a
	                    step */
	double entropy;  /* their mean */
	double min_nats; /* evidence to accept a merge */
	int inverse[CSCG_INVERSE_ACTIONS_MAX]; /* of each action, or -1 */
	bool has_inverses;
	char *blocked;      /* [n_obs * A] (inverse.h), ... */
	bool has_blocked;   /* ... if it is used */
	bool reds_distinct; /* red states are never merged with each other, and
	                       agreement on likely symbols counts */
	bool reds_merged;   /* since the list of red states was refreshed */
	long n_pairs;       /* pairs of steps merged so far, or already */
	long n_compared;    /* other pairs compared so far */
	char *red;          /* [n] flags, of the root */
	struct cscg_merge_reds reds;      /* a step of each red state */
	struct cscg_merge_reds *by_label; /* [n_obs + 1] the same by label,
	                                     first those without; may list a
	                                     state twice */
	int *stamp, trial;  /* [n] the trial in which a root was merged into
	                       another */
	int *left, *right;  /* [n] the trial in which a root was compared */
	int *scan, n_scans; /* [n] the scan of by_label that met a root */
	struct cscg_merge_undo *log;
	size_t n_log, cap_log;
	int (*todo)[2];
	size_t cap_todo;
	long *order;                  /* [n] scratch */
	struct cscg_merge_item *item; /* [2 * n] scratch */
	uint64_t *key;                /* [n] scratch */
	uint64_t *context; /* [n] hash of the context of a step, 0: none */
};

/* Whether the table of successors of all steps fits into memory. */
bool cscg_merge_sets_fits(const struct cscg_walk *w);

/*
 * Makes every step a separate state and finds the inverse actions: 0, or -1
 * with err filled.  Call cscg_merge_sets_free() after failure as well.
 */
int cscg_merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
    struct cscg_err *err);
void cscg_merge_sets_free(struct cscg_merge_sets *f);

/*
 * Apply the merges implied by inverse actions where the symbol changes or
 * shows that the action is not blocked: the inverse of such a transition leads
 * back.  A blocked action leads to the same state.  1; 0 on a contradiction
 * (inverse actions are then no longer used); -1 on failure.  Call it before
 * any other merge.
 */
int cscg_merge_sets_apply_inverses(struct cscg_merge_sets *f,
    struct cscg_err *err);

/*
 * The representative step (root) of the state of step v.  Paths are not
 * shortened as by cscg_sets_root(): each write would be an entry of the log,
 * and was_red() needs the path that the merges of a trial made.
 */
static inline int
cscg_merge_sets_find(const struct cscg_merge_sets *f, int v)
{
	while (f->parent[v] != v)
		v = f->parent[v];
	return v;
}

/* The root of the successor of root v under a, or -1. */
static inline int
cscg_merge_sets_successor(const struct cscg_merge_sets *f, int v, int a)
{
	int to = f->next[(size_t)v * (size_t)f->A + (size_t)a];

	return to < 0 ? -1 : cscg_merge_sets_find(f, to);
}

/* True if both have symbols, and different ones. */
static inline bool
cscg_merge_sets_differ(const struct cscg_merge_sets *f, int u, int v)
{
	return f->label[u] >= 0 && f->label[v] >= 0 &&
	    f->label[u] != f->label[v];
}

/* What symbol x implies for action a (inverse.h). */
static inline int
cscg_merge_sets_blocked(const struct cscg_merge_sets *f, int x, int a)
{
	return f->has_blocked && x >= 0 ?
	    f->blocked[(size_t)x * (size_t)f->A + (size_t)a] :
	    CSCG_BLOCKED_UNKNOWN;
}

/*
 * Merge the states of u and v and propagate.  1 with the evidence added to
 * *nats (may be NULL), 0 if two symbols differ (the log then holds the changes
 * to undo), -1 on failure.
 */
int cscg_merge_sets_union(struct cscg_merge_sets *f, int u, int v,
    double *nats, struct cscg_err *err);

/* The same as a trial, undone: 1 if the states can be merged, 0, or -1. */
int cscg_merge_sets_can_merge(struct cscg_merge_sets *f, int u, int v,
    struct cscg_err *err);

/*
 * Compare the states of u and v along equal sequences of actions, at most
 * `pairs` pairs of states.  0 if two symbols differ, else 1 with the evidence
 * in *nats: one agreement for each state on either side, -1 on failure.
 *
 * A trial of cscg_merge_sets_union() finds more contradictions, but its
 * agreements are not evidence for the merge: they include agreements of states
 * reached from one of the two states only.
 */
int cscg_merge_sets_agreement(struct cscg_merge_sets *f, int u, int v,
    long pairs, double *nats, struct cscg_err *err);

/* Set a cell of f, and log its old value. */
int cscg_merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
    struct cscg_err *err);

/* Undo all changes logged since the log had this length. */
void cscg_merge_sets_undo(struct cscg_merge_sets *f, size_t log_mark);

/* The state of step v becomes red. */
int cscg_merge_sets_add_red(struct cscg_merge_sets *f, int v,
    struct cscg_err *err);

/*
 * Update the list of red states after merges, which may have changed roots or
 * merged two red states.
 */
void cscg_merge_sets_refresh(struct cscg_merge_sets *f);

/* The fraction of steps that have a red state. */
double cscg_merge_sets_assigned(const struct cscg_merge_sets *f);

/*
 * True if three quarters of the red states have enough visits, or the graph is
 * small and may have few at its border.  State merging also finds a graph for
 * a stochastic walk, but with many states that few steps support.
 */
bool cscg_merge_sets_is_supported(const struct cscg_merge_sets *f);

/*
 * Number the red states by symbol and assign the states of all steps: a new
 * result, or NULL with err filled.
 */
struct cscg_merge *cscg_merge_sets_number(struct cscg_merge_sets *f,
    struct cscg_err *err);

/*
 * Accept the states of landmarks: contexts of n_actions actions all of whose
 * occurrences can be one state, with `factor` times the evidence of a merge.
 * Call it with n_actions = 0, 1, 2, ... in turn.  Returns the number of
 * occurrences of the most frequent context, or -1.
 */
long cscg_merge_sets_landmarks(struct cscg_merge_sets *f, int n_actions,
    double factor, struct cscg_err *err);

/*
 * From the landmarks with this factor outward, as far as merges with at least
 * the largest threshold of evidence lead: 0, or -1.
 */
int cscg_merge_sets_settle(struct cscg_merge_sets *f, double factor,
    struct cscg_err *err);

#endif
