/*
 * fold_place.h - the moments of a walk, and which of them are one place: what
 * fold.c and fold_law.c work on
 */
#ifndef CSCG_FOLD_PLACE_H
#define CSCG_FOLD_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "learn/fold.h"
#include "core/walk.h"

enum { CSCG_MERGE_LANDMARK_MAX = 3 };	/* moves in a landmark's stretch */

struct cscg_merge_undo {
	int *cell, old;
};

struct cscg_merge_sets {
	const struct cscg_walk *w;
	int A;
	long n;
	int *parent, *size, *label;	/* [n] union-find; label of the root */
	int *next;		/* [n * A] a step in the successor, of the root */
	float *evidence;		/* [n] nats for meeting at this step's symbol */
	bool reds_distinct;		/* red places stay apart, and likely symbols
				   count, too (fold_law.c) */
	long n_pairs;		/* pairs looked at so far */
	float *nats;		/* [n] best evidence when last compared */
	char *red, *deferred;	/* [n] flags, of the root */
	char *listed;		/* [n] flags while blue places are listed */
	int *blues;		/* blue places */
	size_t n_blues, cap_blues;
	int *stamp, trial;	/* [n] the trial in which it was absorbed */
	struct cscg_merge_undo *log;
	size_t n_log, cap_log;
	int (*todo)[2];
	size_t cap_todo;
	double min_nats, min_nats_weak;	/* nats to believe a merge, and in need */
	int *reds;		/* one step of each settled place */
	size_t n_reds, cap_reds;
	long *order;		/* [n] scratch */
	uint64_t *key;		/* [n] scratch */
};

/* Is the walk short enough to hold all its moments? */
bool cscg_merge_sets_fits(const struct cscg_walk *w);

/* Every step a place of its own.  cscg_merge_sets_free() frees, after failure too. */
int cscg_merge_sets_new(struct cscg_merge_sets *f, const struct cscg_walk *w,
    struct cscg_err *err);
void cscg_merge_sets_free(struct cscg_merge_sets *f);

/* The step that speaks for the place of step v. */
int cscg_merge_sets_find(const struct cscg_merge_sets *f, int v);

/* Can nothing be said about the move into step t? */
bool cscg_merge_starts_run(const struct cscg_walk *w, long t);

/*
 * Merge the places of u and v and all that follows.  1 with the evidence added
 * to *nats, 0 if two symbols clash (the log then holds what to take back), -1
 * on failure.
 */
int cscg_merge_sets_union(struct cscg_merge_sets *f, int u, int v, double *nats,
    struct cscg_err *err);

/* Set a number of f, and log what it was. */
int cscg_merge_sets_assign(struct cscg_merge_sets *f, int *cell, int value,
    struct cscg_err *err);

/* Undo all that was logged since the log had this length. */
void cscg_merge_sets_undo(struct cscg_merge_sets *f, size_t log_mark);

/* The place of step v is settled. */
int cscg_merge_sets_add_red(struct cscg_merge_sets *f, int v, struct cscg_err *err);

/* Merges may have moved the roots, or made two red places one. */
void cscg_merge_sets_refresh(struct cscg_merge_sets *f);

/* Try all occurrences of each stretch of `moves` moves as one place. */
int cscg_merge_sets_landmarks(struct cscg_merge_sets *f, int moves,
    struct cscg_err *err);

/*
 * From landmarks outward as far as agreement tells (fold.c): 1, 0 if places are
 * none or too many, -1 on failure.
 */
int cscg_merge_sets_blue_fringe(struct cscg_merge_sets *f, struct cscg_err *err);

/* Number the red places by symbol and tell every step its own. */
int cscg_merge_sets_number(struct cscg_merge_sets *f, struct cscg_merge *out,
    struct cscg_err *err);

#endif
