/*
 * inverse.h - inverse actions of a deterministic walk, and the symbols at which
 * actions are blocked
 *
 * In most environments one action is the inverse of another: wherever the
 * first changed the symbol, the second restored the previous one.  Where the
 * symbol does not change, the action may have led to another state of the same
 * symbol, or may have been blocked.  If the action of the next step is the
 * inverse, its outcome decides: after a blocked action the inverse leads
 * elsewhere, and mostly to another symbol; after a transition the inverse
 * leads back.  In many environments the symbol determines which actions are
 * blocked.
 */
#ifndef CSCG_INVERSE_H
#define CSCG_INVERSE_H

#include <stdbool.h>

#include "base/error.h"
#include "core/walk.h"

enum { CSCG_INVERSE_ACTIONS_MAX = 64 }; /* actions with inverses */

/* What a symbol implies for an action. */
enum { CSCG_BLOCKED_UNKNOWN, CSCG_BLOCKED_NEVER, CSCG_BLOCKED_ALWAYS };

/*
 * The inverse of each action into inverse[n_actions], or -1, from counts
 * [a * n_actions + b]: how often b restored (yes) what a had changed, or did
 * not (no).  An inverse restored often enough for 7 nats of evidence, and at
 * most a share of exceptions it did not.  1 if any action has an inverse, else
 * 0.
 */
int cscg_inverse_decide(const long *yes, const long *no, int n_actions,
    double exceptions, int *inverse);

/*
 * The inverse of each action into inverse[n_actions], or -1: it restored the
 * symbol without exception, and often enough for 7 nats of evidence.  1 if any
 * action has one, 0, or -1 with err filled.
 */
int cscg_inverse_find(const struct cscg_walk *w, int *inverse,
    struct cscg_err *err);

/*
 * What each symbol implies for each action, into blocked[n_obs * n_actions]: 1
 * if, in this walk, the symbol determines whether an action is blocked; 0 if
 * they do not, and blocked is all CSCG_BLOCKED_UNKNOWN; -1 with err filled.
 */
int cscg_inverse_find_blocked(const struct cscg_walk *w, const int *inverse,
    char *blocked, struct cscg_err *err);

#endif
