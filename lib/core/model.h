/*
 * model.h - the model: clones C, transition counts T, emissions E, and its
 * invariants
 *
 *   - 1 <= n_states, n_actions, n_obs
 *   - T[a][j][k] = (C[a][j][k] + p) / (sum_k C[a][j][k] + p * n_states) with
 *     counts C and pseudocount p, and 1 / n_states for 0/0: rows sum to one
 *   - counts are stored by row (a, j) = a * n_states + j, columns ascending
 *     strictly, each finite and > 0
 *   - clone (absent in a schema without clone structure, and in a grounded
 *     model made from one) ascends: the clones of a group are consecutive
 *     states; a group may be empty.  Without emission rows, groups are symbols
 *     0..n_obs-1; with emission rows, groups are numbered independently of
 *     symbols, and there may be more groups than symbols, or fewer
 *   - pi (absent: uniform) sums to one; emission rows (absent: state j emits
 *     symbol clone[j]) sum to one, to 1e-9, or 1e-5 in single precision;
 *     symbols of a row ascend strictly and have p > 0
 *   - misread is 0 to 1; P(x | j) = (1 - misread) E[j][x] + misread / n_obs, E
 *     being one-hot or a row.  A schema keeps the misreading probability of
 *     its model, as a property of the sensor
 *   - only a grounded model has emissions, names of symbols and frame
 *     emissions; a grounded model has clone or emissions, or both; only a
 *     model with emissions has confidence and a fit
 *   - learned (absent: unknown) has a confidence for each stored count; new
 *     counts remove it
 *   - frontiers ascend strictly by state, then action; entries by state
 *
 * Three kinds, as in the paper: grounded {T, C, E} or {T, E}, schema with
 * clone structure {T, C}, schema {T}.
 */
#ifndef CSCG_MODEL_H
#define CSCG_MODEL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"
#include "core/learned.h"
#include "core/limits.h"
#include "io/history.h"

/*
 * A state and action that may lead out of the modelled part (stitch.h), or a
 * node of a room and an action that leads out of it: a door.
 */
struct cscg_frontier {
	int state, a;
};

/* By state, then action; for qsort(). */
int cscg_frontier_compare(const void *a, const void *b);

/*
 * Check that n frontiers ascend strictly and exist; what: "state" or "node".
 * 0, or -1 with err filled (CSCG_ERANGE, CSCG_EFORMAT).
 */
int cscg_frontiers_check(const struct cscg_frontier *f, long n,
    const char *what, int n_states, int n_actions, struct cscg_err *err);

struct cscg_frame_emission;

struct cscg_model {
	enum cscg_model_kind kind;
	bool is_double; /* written with 17 digits instead of 9 */
	int n_states, n_actions, n_obs; /* n_obs: groups, if not grounded */
	int *clone; /* [n_states] group of each state, or NULL */
	double pseudocount;
	long *first; /* [n_actions * n_states + 1] */
	int *to;
	double *count;
	double *pi;    /* [n_states] or NULL */
	long *e_first; /* [n_states + 1] sparse emissions, or NULL */
	int *e_obs;
	double *e_p;
	double misread;     /* misreading probability; 0: none */
	double *confidence; /* [n_states] of the most probable symbol, 0..1:
	                       cscg-model(5); or NULL */
	double *coords;     /* [n_states * 2] for drawing, or NULL */
	struct cscg_frontier *frontier; /* [n_frontiers]; or NULL */
	long n_frontiers;
	int *entry; /* [n_entries] states reached from other blocks, ascending;
	               or NULL: those that have frontiers */
	long n_entries;
	long fit_steps;  /* of the walk it was bound to; 0: unknown */
	double fit_nats; /* nats per step on that walk, if known */
	struct cscg_learned *learned; /* assessment of T (learned.h), or
	                                 NULL */
	struct cscg_frame_emission
	    *frame_emission; /* Gaussian emissions of frames
	                        (codebook.h), or NULL */
	struct cscg_names actions, symbols;
	struct cscg_history history;
};

/* A model with no counts, clone zeroed unless the kind is CSCG_SCHEMA. */
struct cscg_model *cscg_model_new(enum cscg_model_kind kind, int n_states,
    int n_actions, int n_obs, struct cscg_err *err);

/*
 * Replace the counts by the entries of dense [n_actions][n_states][n_states]
 * that are above floor.
 */
int cscg_model_set_dense(struct cscg_model *m, const double *dense,
    double floor, struct cscg_err *err);

/*
 * Replace the counts by n entries in any order; counts of the same (a, from,
 * to) are added.
 */
struct cscg_count {
	int a, from, to;
	double c;
};
int cscg_model_set_counts(struct cscg_model *m, const struct cscg_count *c,
    long n, struct cscg_err *err);

/*
 * Check the invariants above.  -1 with err filled if one is violated;
 * positions are named as in the file: "/counts/0/to/3".
 */
int cscg_model_check(const struct cscg_model *m, struct cscg_err *err);

/* P(x | j) without misreading: the symbol of the clone, or the row. */
double cscg_model_E_unmixed(const struct cscg_model *m, int j, int x);

/* The index of the count of the transition from j to k by a, or -1. */
long cscg_model_find_count(const struct cscg_model *m, int a, int j, int k);

/* Sum of the counts of row (a, j). */
double cscg_model_row_sum(const struct cscg_model *m, int a, int j);

/* The state that more than half of the counts of (a, j) lead to, or -1. */
int cscg_model_likely_successor(const struct cscg_model *m, int a, int j);

/*
 * The inverse of action a: it undoes at least 0.8 of the likely transitions of
 * a to another state.  -1: none.
 */
int cscg_model_inverse(const struct cscg_model *m, int a);

/*
 * The state that most counts of each row lead to, the lowest of equals, -1 without
 * counts: to[n_actions * n_states].
 */
void cscg_model_successors(const struct cscg_model *m, int *to);

/* The likeliest symbol of state j, the lowest of equals; -1: none is known. */
int cscg_model_best_symbol(const struct cscg_model *m, int j);

/*
 * The share of the counts of action a (-1: of all) that are the largest of
 * their row; 1 without counts.  Less than 1: transition noise, or a state that
 * merges several true states.
 */
double cscg_model_main_share(const struct cscg_model *m, int a);

/*
 * Replace the emissions by rows of n_obs probabilities; zeros are not stored.
 * The model becomes grounded.  Names of symbols are kept if their number is
 * n_obs; confidence and fit are unchanged, frame emissions are dropped.
 */
int cscg_model_set_E(struct cscg_model *m, const double *E, int n_obs,
    struct cscg_err *err);

/*
 * Replace the frontiers by n frontiers in any order; duplicates are removed.
 * The caller guarantees that all are in range.
 */
int cscg_model_set_frontiers(struct cscg_model *m,
    const struct cscg_frontier *f, long n, struct cscg_err *err);

/* The same for entries. */
int cscg_model_set_entries(struct cscg_model *m, const int *state, long n,
    struct cscg_err *err);

/*
 * Number the states of n models in their order: those of model k are base[k] ..
 * base[k + 1] - 1.  -1 with err filled if they are too many (CSCG_EMISMATCH).
 */
int cscg_models_number_states(const struct cscg_model *const *m, int n,
    int *base, struct cscg_err *err);

/* Largest group of clone plus one; 0 without clone structure. */
int cscg_model_n_groups(const struct cscg_model *m);

/*
 * Fill first[n_obs + 1]: first[g] .. first[g+1]-1 are the states of group g.
 * Only for models without emission rows.
 */
void cscg_model_groups(const struct cscg_model *m, int *first);

/*
 * cscg_model_unground() removes E (CSCG_CLONES: n_obs becomes the number of
 * groups), or E and the clone structure (CSCG_SCHEMA: n_obs becomes 1).  Names
 * of symbols, confidence, fit, learned and frame emissions are removed with E, and so
 * is the pi of a grounded model, which is specific to its environment.  A
 * grounded model without clone structure always becomes a CSCG_SCHEMA.
 * Frontiers, entries and the misreading probability are kept.
 */

/*
 * A new model of n states in which state j of m is merged into state into[j]
 * (-1: removed, with the counts from and to state j).  Merged states must be
 * of one group, groups must ascend, and every new state must have a member
 * (CSCG_ERANGE).  Counts and pi are summed (pi is rescaled to one); emissions,
 * confidence and coordinates are means weighted by the counts into each state.
 * A merged state has the frontiers and entries of all its members.  fit,
 * learned and frame emissions are dropped.
 */
struct cscg_model *cscg_model_merge_states(const struct cscg_model *m,
    const int *into, int n, struct cscg_err *err);

/* The kind as in a file, "clones"; as in a message, "a schema with clones". */
const char *cscg_model_kind_name(enum cscg_model_kind kind);
const char *cscg_model_kind_text(enum cscg_model_kind kind);

#endif
