/*
 * explore.h - exploration policies and the table of transitions seen
 */
#ifndef CSCG_EXPLORE_H
#define CSCG_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/walk.h"
#include "plan/knowledge.h"

/*
 * what each action did after each symbol
 *
 * Where every place looks different and nothing is left to chance, this is the
 * graph itself, as far as it was seen.  Moves may be known to undo each other:
 * then each tells another one.
 */

struct cscg_transitions_seen {
	int n_obs, n_actions;
	int *next;            /* [n_obs * n_actions] x * n_actions + a leads to
	                         this symbol; -1: not known */
	unsigned char *tried; /* [n_obs * n_actions] was it, or is it only told
	                         by what undoes it? */
	int *inverse;         /* [n_actions] the action that takes it back,
	                         itself perhaps; -1: none is known */

	/* filled by cscg_transitions_seen_search() */
	int *distance;     /* [n_obs] fewest moves to get there; -1: no way is
	                      known */
	int *first_action; /* [n_obs] the first of them; -1: none */
	int *queue;        /* [n_reached] what can be reached, nearest first */
	int n_reached;
};

/* Nothing is known; 0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_transitions_seen_init(struct cscg_transitions_seen *f, int n_obs,
    int n_actions, struct cscg_err *err);
void cscg_transitions_seen_free(
    struct cscg_transitions_seen *f); /* empties it, too */

/* Actions a and b undo each other.  Stays when facts are forgotten. */
void cscg_transitions_seen_set_inverse(struct cscg_transitions_seen *f, int a,
    int b);

void cscg_transitions_seen_clear(struct cscg_transitions_seen *f);

/* Action a led from x to y. */
void cscg_transitions_seen_add(struct cscg_transitions_seen *f, int x, int a,
    int y);

/*
 * Actions may not undo each other after all: forget what was not tried itself,
 * and conclude nothing any more.  Returns whether anything was forgotten.
 */
bool cscg_transitions_seen_drop_inferred(struct cscg_transitions_seen *f);

int cscg_transitions_seen_next(const struct cscg_transitions_seen *f, int x,
    int a);

/* Known ways from x to all symbols. */
void cscg_transitions_seen_search(struct cscg_transitions_seen *f, int x);

/*
 * After a search: the nearest symbol, and an action of it that was never
 * tried, any but stationary (-1: none).  Of those as near one that can be undone
 * goes first.  Returns how many moves there are to it, -1 if all was tried.
 */
int cscg_transitions_seen_untried(const struct cscg_transitions_seen *f,
    int stationary, int *x, int *a);

/*
 * How to explore, as a word:
 *   random        any action, each as likely as the others
 *   random:A,...  any of these
 *   repeat:K      as random, but each choice is taken K times
 *   cover         on to the nearest of the least tried actions
 *   frontier      on to the nearest place that was never visited; when there is
 *                 none, cover
 *   A,B,...       these actions, again and again
 * Places are the states that the agent believes in, or the symbols as long as
 * it believes in none.  While a model is learned, states may stand for many
 * places, so that when all has been tried there cover takes random actions, each
 * up to four times, which lead far.
 */
struct cscg_explore;

/* Is word one of these, actions aside?  -1 with err filled (CSCG_EUSAGE). */
int cscg_explore_check(const char *text, struct cscg_err *err);

/* Does it look at where the agent is? */
bool cscg_explore_needs_belief(const char *text);

/*
 * For a world with this header; the action stationary (-1: none) is never taken
 * unless it is listed.  NULL with err filled: CSCG_EUSAGE if an action is not
 * the world's, CSCG_ENOMEM.
 */
struct cscg_explore *cscg_explore_new(const char *text,
    const struct cscg_walk_header *world, int stationary,
    struct cscg_err *err);
void cscg_explore_free(struct cscg_explore *ex);

/*
 * The actions of "a,b,c", by name or number, into *list (new, free() it) and
 * *n.  -1 with err filled (CSCG_EUSAGE, CSCG_ENOMEM).
 */
int cscg_explore_parse_actions(const char *text,
    const struct cscg_walk_header *world, int **list, long *n,
    struct cscg_err *err);

/* An episode begins; its choices depend on (seed, PLAN, episode, 1). */
void cscg_explore_begin_episode(struct cscg_explore *ex, uint64_t seed,
    long episode);

/* The next action of the world into *a; 0, or -1 (CSCG_ENOMEM). */
int cscg_explore_next(struct cscg_explore *ex,
    struct cscg_knowledge *knowledge, int *a, struct cscg_err *err);

#endif
