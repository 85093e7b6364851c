/*
 * model.h - the model: clones C, transition counts T, emissions E, and its
 * invariants
 *
 *   - 1 <= n_states, n_actions, n_obs
 *   - T[a][j][k] = (C[a][j][k] + p) / (sum_k C[a][j][k] + p * n_states), and
 *     1 / n_states where that is 0/0: rows sum to one
 *   - counts are stored by row (a, j) = a * n_states + j, columns ascending
 *     strictly, each finite and > 0
 *   - clone (absent in a bare schema, and in a grounded model that was one)
 *     ascends: clones of a group are neighbours, and group g is states
 *     group_first(g) .. group_first(g+1)-1; a group may be empty.  Groups are
 *     0..n_obs-1, but with emission rows they have numbers of their own: there
 *     may be more groups than symbols, or fewer
 *   - pi (absent: uniform) sums to one; emission rows (absent: state j emits
 *     symbol clone[j]) sum to one, to 1e-9, or 1e-5 in single precision;
 *     symbols of a row ascend strictly and have p > 0
 *   - only a grounded model has emissions, names of symbols and looks, and it
 *     has clone or emissions, or both; only with emissions there is confidence and
 *     a fit
 *   - frontiers ascend strictly by state, then action; entries by state
 *
 * Three kinds, as in the paper: grounded {T, C, E} or {T, E}, schema with clone
 * structure {T, C}, schema {T}.
 */
#ifndef CSCG_MODEL_H
#define CSCG_MODEL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/names.h"
#include "core/limits.h"
#include "io/history.h"

/* A move by which one may leave what the model knows: see stitch.h. */
struct cscg_model_frontier {
	int state, a;
};

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
	double *confidence; /* [n_states] that it looks as it likeliest does,
	                       0..1, or NULL: see cscg-model(5) */
	double *coords;     /* [n_states * 2] for drawing, or NULL */
	struct cscg_model_frontier *frontier; /* [n_frontiers]; or NULL */
	long n_frontiers;
	int *entry; /* [n_entries] states to enter by, ascending; or NULL:
	               those that have frontiers */
	long n_entries;
	long fit_steps;  /* of the walk it was bound to; 0: not known */
	double fit_nats; /* its nats per step, if known */
	struct cscg_frame_emission
	    *frame_emission; /* what frames its states look like
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
 * Replace the counts by n triples in any order; equal places are added.
 */
struct cscg_count {
	int a, from, to;
	double c;
};
int cscg_model_set_counts(struct cscg_model *m, const struct cscg_count *c,
    long n, struct cscg_err *err);

/*
 * -1 with err filled if a promise is broken; places are named as in the file:
 * "/counts/0/to/3".
 */
int cscg_model_check(const struct cscg_model *m, struct cscg_err *err);

/* Sum of the counts of row (a, j). */
double cscg_model_row_sum(const struct cscg_model *m, int a, int j);

/*
 * Replace the emissions by rows of n_obs probabilities; zeros are left out.
 * The model is grounded then.  Names of symbols stay if there are as many;
 * confidence and fit are not touched, looks are dropped.
 */
int cscg_model_set_E(struct cscg_model *m, const double *E, int n_obs,
    struct cscg_err *err);

/*
 * Replace the frontiers by n in any order; one that is there twice is there
 * once.  All are in range.
 */
int cscg_model_set_frontiers(struct cscg_model *m,
    const struct cscg_model_frontier *f, long n, struct cscg_err *err);

/* The same for entries. */
int cscg_model_set_entries(struct cscg_model *m, const int *state, long n,
    struct cscg_err *err);

/* How many groups there may be: one more than the last; 0 without clones. */
int cscg_model_n_groups(const struct cscg_model *m);

/*
 * first[g] .. first[g+1]-1 are the states of group g; room for n_obs + 1.  Not
 * with emission rows.
 */
void cscg_model_groups(const struct cscg_model *m, int *first);

/*
 * cscg_model_unground() forgets E (CSCG_CLONES: n_obs is the number of groups
 * then), or E and the clone structure (CSCG_SCHEMA: n_obs becomes 1, all states
 * alike).  Names of symbols, confidence, fit and looks go with E; so does a
 * grounded model's pi, which is about its own place.  Without clone structure a
 * grounded model becomes a CSCG_SCHEMA at once.  Frontiers and entries stay.
 */

/*
 * A new model of n states with state j of m poured into state into[j] (-1:
 * dropped, with the counts from and to it).  States poured together must be of
 * one group, groups must ascend and no new state may stay empty (CSCG_ERANGE).
 * Counts and pi add up (pi is rescaled to one); emissions, confidence and
 * coordinates are means weighted by counts into the state.  A frontier of any
 * (an entry) of any is one of all that are poured together.  The fit and the looks are
 * dropped.
 */
struct cscg_model *cscg_model_merge_states(const struct cscg_model *m,
    const int *into, int n, struct cscg_err *err);

/* Its word in a file, "clones"; and in a sentence, "a schema with clones". */
const char *cscg_model_kind_name(enum cscg_model_kind kind);
const char *cscg_model_kind_text(enum cscg_model_kind kind);

#endif
