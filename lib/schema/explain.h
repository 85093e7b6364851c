/*
 * explain.h - which steps of a walk known schemas explain
 *
 * A schema whose transitions are nearly deterministic fixes the states of a
 * stretch of the walk from its first state on, and each state has one symbol.
 * So a hypothesis (schema, first state, first step) is followed until a symbol
 * contradicts it or a wall is passed: the wall is then a door.  Stretches of
 * one schema whose symbols agree have one binding.  A binding is kept if at
 * least half of the schema's states and walls were met and doors are rare
 * among its walls: a schema that fits inside a larger room is left on all
 * sides.  With these bindings, the states of all steps are decoded (Viterbi):
 * states of bindings, and one state for steps that no schema explains.  A door
 * that was passed before has a symbol on its other side; steps at which another
 * symbol is there are not explained by passing this door.
 *
 * Two rooms with the same schema and the same symbols share one binding.
 *
 * If a map of the walk is known, a schema is placed on it instead: one pair of
 * states fixes the others by the transitions.  The placement of the most states
 * by which no transition differs, no two clone groups share a symbol and the
 * conditions above hold is a room; others follow among the states left.
 */
#ifndef CSCG_EXPLAIN_H
#define CSCG_EXPLAIN_H

#include "base/error.h"
#include "base/poll.h"
#include "core/model.h"
#include "core/walk.h"

struct cscg_explain {
	int n;        /* bindings */
	int *schema;  /* [n] of each binding */
	int *base;    /* [n + 1] the first state of each in symbol[] */
	int *symbol;  /* [base[n]] of each state; -1: not met */
	int *binding; /* [n_steps] of each step; -1: not explained */
	int *state;   /* [n_steps] of the schema */
	long n_explained;
};

/*
 * Explain walk w, whose actions are numbered as those of every schema, by n
 * schemas; map (NULL: unknown) is a grounded model with these actions, of
 * which path[n_steps] are the states.  0 with out filled, also if nothing is
 * explained; -1 with err filled (CSCG_ENOMEM).  Free out with
 * cscg_explain_free() in any case.
 */
int cscg_explain(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *w, const struct cscg_model *map, const int *path,
    struct cscg_explain *out, struct cscg_err *err);

/*
 * Explain piece k of a map with noise, whose states j have piece[j] == k, by
 * one of the schemas, if that explains the walk there better (BIC): it may
 * predict fewer steps, but the rows of the map are parameters.  A schema is
 * placed as above, frequent transitions first, and the steps are decoded by it
 * with the symbols found there (Viterbi).  If no schema explains all of it, one
 * may explain a part with few ways out: the piece has several rooms then.  1
 * with the binding appended to out, 0 if no schema does, if poll (may be NULL)
 * stops the search or if the table of Viterbi would have more than 2^28 entries,
 * -1 with err filled (CSCG_ENOMEM).  out is of cscg_explain().
 */
int cscg_explain_piece(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *w, const struct cscg_model *map, const int *path,
    const int *piece, int k, struct cscg_poll *poll, struct cscg_explain *out,
    struct cscg_err *err);
void cscg_explain_free(struct cscg_explain *e); /* e is empty afterwards */

#endif
