/*
 * residual.h - stitching of walks with rooms that no schema explains, which
 * are learned
 *
 * If the walk is deterministic and merging finds its graph, schemas are placed
 * on that graph.  Else, in steps that schemas explain (explain.h), the state of
 * the schema replaces the symbol; other steps keep their symbols.  The states of
 * the whole walk are then those of a graph with noise, found from contexts
 * (refine.h), or, if many steps contradict it, those of the learner (learn.h):
 * known rooms are already disambiguated, and their states identify those of a
 * new room between them.  States of one
 * room that correspond to the same state of its schema are merged, and
 * transitions that the walk did not visit there are those of the schema.  If
 * few are unvisited, those of new rooms are inferred from inverse actions.
 * A walk with noise that schemas explain in part is also learned without their
 * labels, and the pieces found are compared with the schemas; the result of the
 * smaller description length (BIC) is kept.
 * New rooms become schemas with the clone structure of their symbols.  Without
 * schemas, the whole walk is learned.
 */
#ifndef CSCG_RESIDUAL_H
#define CSCG_RESIDUAL_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "learn/learn.h"
#include "schema/stitch.h"

/* The pieces of a result: its blocks. */
struct cscg_residual {
	int n;
	int *schema;              /* [n] of each block; -1: it was learned */
	struct cscg_model **room; /* [n] the schema of a new kind of room, with
	                             frontiers, at its first block; else NULL */
	long n_explained;         /* steps */
	long n_noisy; /* transitions besides those of the graph, if there are
	                 any: slips and misread symbols */
	int *path;    /* [n_steps] the model's state at each step */
};

/*
 * Learn walk w, whose actions are numbered as those of every schema, with n
 * schemas.  Blocks of out are rooms of schemas, in states of these, and
 * learned pieces; it has no jumps.  Of set, clones and init are ignored.
 * Pieces of fewer than 8 states, such as doorways, are not rooms.
 *
 * quick: by merging only, which costs little; CSCG_ERANGE if it finds no graph.
 * 0, or -1 with err filled as by cscg_learn().  Free out and rest in any case.
 */
int cscg_residual_learn(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *w, const struct cscg_learn *set, bool quick,
    struct cscg_stitch_result *out, struct cscg_residual *rest,
    struct cscg_err *err);

/*
 * The number of parameters of the result: the rows with counts of learned pieces,
 * and the symbols of states of known rooms.
 */
long cscg_residual_parameters(const struct cscg_stitch_result *s,
    const struct cscg_residual *rest);
void cscg_residual_free(
    struct cscg_residual *rest); /* rest is empty afterwards */

#endif
