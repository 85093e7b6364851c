/*
 * walk.h - walks: sequences of observations and actions in episodes
 *
 * Invariants of a walk:
 *   - episode e is the steps start[e] .. start[e+1]-1, at least one
 *   - x[t] is -1 (no observation) or 0 <= x[t] < n_obs
 *   - a[t] was taken after x[t]: 0 <= a[t] < n_actions, and -1 on the last
 *     step of each episode
 *   - z, reset, r and goal are NULL or have an item for every step; reset[t]
 *     is set if the agent was relocated just before x[t]: the transition
 *     t-1 -> t carries no information
 *   - view[t] is 0 (no view) or 1 + v, where v is the number of the view of
 *     x[t] in cscg-walk(5); an all-zero step has no view
 */
#ifndef CSCG_WALK_H
#define CSCG_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"
#include "io/history.h"

/* The header of a walk file. */
struct cscg_walk_header {
	int n_actions, n_obs;
	struct cscg_names actions, symbols;
	struct cscg_history history;
	int frame[2];   /* rows and columns of pixels of the frames in the
	                   file; 0: the file has no frames, and views refer to
	                   external data */
	double *priors; /* prior probability of each symbol, or NULL */
	int n_priors;   /* priors are written only if n_priors == n_obs */
};

int cscg_walk_header_copy(struct cscg_walk_header *to,
    const struct cscg_walk_header *from, struct cscg_err *err);
void cscg_walk_header_free(
    struct cscg_walk_header *head); /* head is empty afterwards */

struct cscg_walk {
	struct cscg_walk_header head;
	long n_steps;
	int n_episodes;
	long *start; /* [n_episodes + 1] */
	int *x, *a;
	int *z;               /* true nodes, or NULL; -1: unknown */
	unsigned char *reset; /* or NULL */
	double *r;            /* reward for the action just taken, or NULL;
	                         NaN: unknown */
	int *goal;            /* goal symbol, or NULL; -1: no goal */
	int *view;            /* or NULL */
	size_t cap, cap_z, cap_reset, cap_r, cap_goal, cap_view, cap_start;
};

struct cscg_walk *cscg_walk_new(const struct cscg_walk_header *head,
    struct cscg_err *err);

/*
 * Append a step, which is not checked; a = -1 ends the episode.  n_episodes
 * does not count an episode that has not ended.
 */
int cscg_walk_add(struct cscg_walk *walk, const struct cscg_step *step,
    struct cscg_err *err);

/* Whether the steps have only x, a and z: the walk is plain. */
bool cscg_walk_is_plain(const struct cscg_walk *walk);

/*
 * Append n >= 1 steps of x, a and z (NULL: unknown) to a plain walk.  Only the
 * last item of a may be -1.
 */
int cscg_walk_add_plain(struct cscg_walk *walk, const int *x, const int *a,
    const int *z, long n, struct cscg_err *err);

/* Step t as a struct. */
void cscg_walk_get_step(const struct cscg_walk *walk, long t,
    struct cscg_step *step);

/* Whether a transition of one episode leads into step t of the walk. */
static inline bool
cscg_walk_continues(const struct cscg_walk *walk, long t)
{
	return t > 0 && walk->a[t - 1] >= 0 &&
	    !(walk->reset && walk->reset[t]);
}

/* Whether one leads from step t (-1: no step) to step t + 1. */
static inline bool
cscg_walk_has_transition(const struct cscg_walk *walk, long t)
{
	return t + 1 < walk->n_steps && cscg_walk_continues(walk, t + 1);
}

/*
 * A count of 1 for each transition between two states of a path, in the order of
 * the steps; state[t] is -1 where the path has none.  c has room for n_steps.
 * Returns the number of counts.
 */
long cscg_walk_count_path(const struct cscg_walk *walk, const int *state,
    struct cscg_count *c);

/* A new walk of episodes from..to-1, each truncated to head steps (0: not). */
struct cscg_walk *cscg_walk_subset(const struct cscg_walk *walk, int from,
    int to, long head, struct cscg_err *err);

/*
 * Steps from..to-1 of episode e (counted from its start) as a walk of one
 * episode that borrows from walk: read-only, not to be freed.  start provides
 * the storage of view->start.  The last action is that of step to-1 of walk,
 * not -1.
 */
void cscg_walk_slice(const struct cscg_walk *walk, int e, long from, long to,
    struct cscg_walk *view, long start[2]);

/*
 * training and test parts of walks; renumbering of alphabets
 */

/*
 * Append episodes from..to-1 of walk, each truncated to head steps (0: not).
 * The alphabets must be equal, which is not checked.
 */
int cscg_walk_add_episodes(struct cscg_walk *part,
    const struct cscg_walk *walk, int from, int to, long head,
    struct cscg_err *err);

/*
 * Two new walks: *test is the last fraction of the episodes, *train the rest.
 * A walk of one episode is split within the episode, and the transition at the
 * split is lost.  Each part has at least one episode.  -1 with err filled
 * (CSCG_EMISMATCH for fewer than two steps); free both in any case.
 */
int cscg_walk_split(const struct cscg_walk *walk, double fraction,
    struct cscg_walk **train, struct cscg_walk **test, struct cscg_err *err);

/* Replace each symbol x by sym[x], goals included, and each action a by act[a]. */
void cscg_walk_renumber(struct cscg_walk *walk, const int *sym,
    const int *act);

/*
 * Renumber symbols and actions to the alphabets of like: by name if both have
 * names; otherwise the numbers are kept and the sizes must be equal.  -1 with
 * err filled (CSCG_EMISMATCH).
 */
int cscg_walk_align(struct cscg_walk *walk,
    const struct cscg_walk_header *like, struct cscg_err *err);

/*
 * map the alphabets of a walk to those of a model
 */

/*
 * The numbers in the model of the actions and symbols of a walk with this
 * header: actions[i] for action i of the walk and, for a grounded model,
 * symbols[x] for symbol x of the walk (NULL otherwise).  Both map by name if
 * walk and model have names, else by index.  A symbol that the model lacks
 * maps to -2; it is an error only if it is observed.  Header and model are
 * borrowed for the messages of cscg_alphabet_map_step().
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
    struct cscg_alphabet_map *map); /* map is empty afterwards */

/*
 * Renumber one step in place; CSCG_EMISMATCH names a symbol that the model
 * lacks.  A goal that the model lacks becomes -1.
 */
int cscg_alphabet_map_step(const struct cscg_alphabet_map *map,
    struct cscg_step *step, struct cscg_err *err);

/*
 * The same for n steps of which only x and a matter, into to_x and to_a, which
 * may be x and a.  n, or the first step whose symbol the model lacks, with err
 * filled.
 */
long cscg_alphabet_map_steps(const struct cscg_alphabet_map *map, long n,
    const int *x, const int *a, int *to_x, int *to_a, struct cscg_err *err);

/*
 * Renumber a whole walk in place; its header takes the alphabets of the model,
 * but keeps names if the model has none.  On failure (as above, with episode
 * and step) the walk is partly renumbered: free it.
 */
int cscg_alphabet_map_walk(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err);

/* The same for the actions alone; symbols and their alphabet stay. */
int cscg_alphabet_map_actions(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err);

#endif
