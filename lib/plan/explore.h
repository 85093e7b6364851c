/*
 * explore.h - which action to take when there is no plan
 */
#ifndef CSCG_EXPLORE_H
#define CSCG_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/mind.h"
#include "core/walk.h"

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
    const struct cscg_walk_header *world, int stationary, struct cscg_err *err);
void cscg_explore_free(struct cscg_explore *ex);

/*
 * The actions of "a,b,c", by name or number, into *list (new, free() it) and
 * *n.  -1 with err filled (CSCG_EUSAGE, CSCG_ENOMEM).
 */
int cscg_explore_parse_actions(const char *text, const struct cscg_walk_header *world,
    int **list, long *n, struct cscg_err *err);

/* An episode begins; its choices depend on (seed, PLAN, episode, 1). */
void cscg_explore_begin_episode(struct cscg_explore *ex, uint64_t seed, long episode);

/* The next action of the world into *a; 0, or -1 (CSCG_ENOMEM). */
int cscg_explore_next(struct cscg_explore *ex, struct cscg_knowledge *knowledge, int *a,
    struct cscg_err *err);

#endif
