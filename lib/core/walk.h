/*
 * walk.h - walks: sequences of observations and actions in episodes
 *
 * What is always true of a walk:
 *   - episode e is the steps start[e] .. start[e+1]-1, at least one
 *   - x[t] is -1 (no observation) or 0 <= x[t] < n_obs
 *   - a[t] was taken after x[t]: 0 <= a[t] < n_actions, and -1 on the last
 *     step of each episode
 *   - z, reset, r and goal are NULL or have an item for every step; reset[t]
 *     says that the agent was put elsewhere just before x[t]: nothing may be
 *     learned from the move t-1 -> t
 *   - view[t] is 0 (none) or 1 + the number of the view that x[t] stands for:
 *     1 + v of cscg-walk(5), so that a step of zeros has none
 */
#ifndef CSCG_WALK_H
#define CSCG_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"
#include "io/history.h"

/* What a walk says before its first step. */
struct cscg_walk_header {
	int n_actions, n_obs;
	struct cscg_names actions, symbols;
	struct cscg_history history;
	int frame[2];   /* rows and columns of pixels of the views that come
	                   with the steps; 0: none do, and views are numbers of
	                   something elsewhere */
	double *priors; /* how likely each symbol is, or NULL */
	int n_priors;   /* written only if this is still n_obs */
};

int cscg_walk_header_copy(struct cscg_walk_header *to,
    const struct cscg_walk_header *from, struct cscg_err *err);
void cscg_walk_header_free(
    struct cscg_walk_header *head); /* empties it, too */

struct cscg_walk {
	struct cscg_walk_header head;
	long n_steps;
	int n_episodes;
	long *start; /* [n_episodes + 1] */
	int *x, *a;
	int *z;               /* true nodes, or NULL; -1: not known */
	unsigned char *reset; /* or NULL */
	double *r;            /* reward for the action just taken, or NULL;
	                         NaN: not known */
	int *goal;            /* symbol asked for, or NULL; -1: none */
	int *view;            /* or NULL */
	size_t cap, cap_z, cap_reset, cap_r, cap_goal, cap_view, cap_start;
};

struct cscg_walk *cscg_walk_new(const struct cscg_walk_header *head,
    struct cscg_err *err);

/*
 * Append a step; a = -1 ends the episode.  Trusts its input.  Until then the
 * episode is not counted in n_episodes.
 */
int cscg_walk_add(struct cscg_walk *walk, const struct cscg_step *step,
    struct cscg_err *err);

/* Have its steps no more than x, a and z? */
bool cscg_walk_is_plain(const struct cscg_walk *walk);

/*
 * Append n >= 1 steps with no more than x, a and z (NULL: not known) to a walk
 * that is plain.  Only the last of a may be -1.
 */
int cscg_walk_add_plain(struct cscg_walk *walk, const int *x, const int *a,
    const int *z, long n, struct cscg_err *err);

/* Step t as a struct. */
void cscg_walk_get_step(const struct cscg_walk *walk, long t,
    struct cscg_step *step);

/* Does every promise above hold?  -1 with err filled if not. */
int cscg_walk_check(const struct cscg_walk *walk, struct cscg_err *err);

/* A new walk of episodes from..to-1, each cut after head steps (0: whole). */
struct cscg_walk *cscg_walk_subset(const struct cscg_walk *walk, int from,
    int to, long head, struct cscg_err *err);

/*
 * Steps from..to-1 of episode e (counted from its start) as a walk of one
 * episode that borrows from walk, for reading only and not to be freed; start
 * is room for two.  Its last action is the one that was taken there, not -1.
 */
void cscg_walk_slice(const struct cscg_walk *walk, int e, long from, long to,
    struct cscg_walk *view, long start[2]);

/*
 * parts of walks: for training and test, in other numbers
 */

/*
 * Append episodes from..to-1 of walk, each cut after head steps (0: whole).
 * The alphabets must be the same: this is not checked.
 */
int cscg_walk_add_episodes(struct cscg_walk *part,
    const struct cscg_walk *walk, int from, int to, long head,
    struct cscg_err *err);

/*
 * Two new walks: *test is the last fraction of the episodes, *train the rest.
 * A walk of one episode is cut in two instead, and the move between is lost.
 * Each side has at least one episode.  -1 with err filled (CSCG_EMISMATCH if
 * there are fewer than two steps); free both whatever happens.
 */
int cscg_walk_split(const struct cscg_walk *walk, double fraction,
    struct cscg_walk **train, struct cscg_walk **test, struct cscg_err *err);

/*
 * Renumber symbols and actions as like has them: by name if both have names,
 * else by number with equal count.  -1 with err filled (CSCG_EMISMATCH).
 */
int cscg_walk_align(struct cscg_walk *walk,
    const struct cscg_walk_header *like, struct cscg_err *err);

/*
 * make a walk speak a model's language
 */

/*
 * How the model numbers what a walk with this header says: actions[i] for the
 * walk's action i, and for a grounded model symbols[x] for its symbol x (NULL
 * otherwise; by name where both are named, else by index).  A symbol that the
 * model lacks is -2: it may be in the alphabet as long as it is not seen.
 * Header and model are borrowed, for what cscg_alphabet_map_step() has to say.
 */
struct cscg_alphabet_map {
	const struct cscg_walk_header *head;
	const struct cscg_model *model;
	int *actions, *symbols;
};

/* -1 with err filled (CSCG_EMISMATCH: other actions; CSCG_ENOMEM). */
int cscg_alphabet_map_new(struct cscg_alphabet_map *map,
    const struct cscg_walk_header *head, const struct cscg_model *m,
    struct cscg_err *err);
void cscg_alphabet_map_free(
    struct cscg_alphabet_map *map); /* empties it, too */

/*
 * Renumber one step in place; CSCG_EMISMATCH names a symbol that the model
 * lacks.  A goal that it lacks becomes none.
 */
int cscg_alphabet_map_step(const struct cscg_alphabet_map *map,
    struct cscg_step *step, struct cscg_err *err);

/*
 * Renumber a whole walk in place; its header becomes the model's, but keeps
 * names that the model lacks.  On failure (as above, with episode and step) the
 * walk is of no more use.
 */
int cscg_alphabet_map_walk(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err);

#endif
