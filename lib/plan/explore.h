/*
 * explore.h - exploration policies and the table of transitions seen
 */
#ifndef CSCG_EXPLORE_H
#define CSCG_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/graph.h"
#include "core/walk.h"
#include "plan/knowledge.h"

/*
 * Table of the transitions seen: the symbol that each action led to after each
 * symbol.
 *
 * In a deterministic environment without aliasing this table is the observed
 * part of the transition graph.  Pairs of inverse actions may be given; each
 * transition then implies the reverse transition.
 */

struct cscg_transitions_seen {
	int n_obs, n_actions;
	int *next;            /* [n_obs * n_actions] symbol after action a at
	                         x, at x * n_actions + a; -1: unknown */
	unsigned char *tried; /* [n_obs * n_actions] 1: observed; 0: unknown,
	                         or inferred from the inverse action */
	int *inverse;         /* [n_actions] the inverse action, possibly the
	                         action itself; -1: none */

	struct cscg_bfs search; /* of cscg_transitions_seen_search(): nodes are
	                           symbols, labels are actions */
};

/* An empty table; 0, or -1 with err filled (CSCG_ENOMEM). */
int cscg_transitions_seen_init(struct cscg_transitions_seen *f, int n_obs,
    int n_actions, struct cscg_err *err);
void cscg_transitions_seen_free(
    struct cscg_transitions_seen *f); /* f is empty afterwards */

/* Actions a and b are inverse.  cscg_transitions_seen_clear() keeps this. */
void cscg_transitions_seen_set_inverse(struct cscg_transitions_seen *f, int a,
    int b);

void cscg_transitions_seen_clear(struct cscg_transitions_seen *f);

/* Action a led from x to y. */
void cscg_transitions_seen_add(struct cscg_transitions_seen *f, int x, int a,
    int y);

/*
 * Drop all inferred transitions and all pairs of inverse actions.  Returns
 * whether a transition was dropped.
 */
bool cscg_transitions_seen_drop_inferred(struct cscg_transitions_seen *f);

int cscg_transitions_seen_next(const struct cscg_transitions_seen *f, int x,
    int a);

/* Breadth-first search for the shortest known paths from x to all symbols. */
void cscg_transitions_seen_search(struct cscg_transitions_seen *f, int x);

/*
 * After a search: set *x and *a to the nearest symbol and an action whose
 * successor there is unknown; `stationary` (-1: none) is excluded.  Among
 * equally near pairs an action that has an inverse is preferred.  Returns the
 * distance to *x, or -1 if all reachable successors are known.
 */
int cscg_transitions_seen_untried(const struct cscg_transitions_seen *f,
    int stationary, int *x, int *a);

/*
 * Exploration policies, as text:
 *   random        actions drawn uniformly
 *   random:A,...  actions drawn uniformly from these
 *   repeat:K      as random, but each drawn action is taken K times
 *   cover         go to the nearest of the least tried actions
 *   frontier      go to the nearest node that was never visited; if there is
 *                 none, as cover
 *   A,B,...       these actions, repeated
 *
 * Nodes are the states of the agent's model, or the symbols as long as there
 * is no model.  While a model is being learned, one of its states may merge
 * several true states.  Therefore, when all actions were tried in all
 * reachable states, cover then takes random actions, each repeated up to four
 * times.
 */
struct cscg_explore;

/*
 * Check text without the names of its actions: 0, or -1 with err filled
 * (CSCG_EUSAGE).
 */
int cscg_explore_check(const char *text, struct cscg_err *err);

/* Whether the policy depends on the agent's belief. */
bool cscg_explore_needs_belief(const char *text);

/*
 * For an environment with this header; the action stationary (-1: none) is
 * never taken unless it is listed.  NULL with err filled: CSCG_EUSAGE if an
 * action is not the environment's, CSCG_ENOMEM.
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

/*
 * Set *a to the next action, by the environment's number; 0, or -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_explore_next(struct cscg_explore *ex,
    struct cscg_knowledge *knowledge, int *a, struct cscg_err *err);

#endif
