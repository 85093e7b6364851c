/*
 * learn_merge.h - models of walks by state merging: by evidence, by inverse
 * actions
 */
#ifndef CSCG_LEARN_MERGE_H
#define CSCG_LEARN_MERGE_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"
#include "learn/merge.h"

/* Graphs found by state merging; each may be NULL. */
struct cscg_learn_merges {
	struct cscg_merge *evidence, *inverses;
};
void cscg_learn_merges_free(struct cscg_learn_merges *found);

/*
 * Merge the states of the walk, by inverse actions as well if the graph found
 * by evidence is not complete (a beam, then guesses): 1 with *m, the new model
 * of the graph of less cost, 0 if neither has nearly all steps, -1 with err
 * filled (CSCG_ENOMEM).  found, of which both graphs are NULL before, has the
 * graphs in any case: free them.
 */
int cscg_learn_merge(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_learn_merges *found, struct cscg_model **m,
    struct cscg_err *err);

/*
 * EM and reduction of the model *m of merged states, which may be replaced,
 * also by that of a graph of the beam, if there is none by inverse actions; *last is its progress line.  0, or -1 with err filled as by
 * cscg_em_restarts(); *m is still the caller's.
 */
int cscg_learn_merge_finish(const struct cscg_walk *w,
    const struct cscg_learn *set, const struct cscg_learn_merges *found,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err);

/*
 * 1 with *m, the new, reduced model of a graph f found by merging with inverse
 * actions, possibly of a part of the walk, and its progress line; 0 if f is
 * NULL; -1 with err filled.
 */
int cscg_learn_merge_by_inverses(const struct cscg_walk *w,
    const struct cscg_learn *set, const struct cscg_merge *f,
    struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err);

/*
 * The model of a deterministic walk by merging, which costs little: 1 with *m
 * new if a graph is found whose rows have one successor, else 0 and *m is NULL;
 * -1 with err filled as by cscg_learn().  *m is NULL before.
 */
int cscg_learn_merge_deterministic(const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_model **m, struct cscg_err *err);

#endif
