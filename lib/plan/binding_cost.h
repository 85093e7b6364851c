/*
 * binding_cost.h - action sequences by the cost they add to wrong schemas
 * under their best binding
 *
 * A tracker binds clone groups to symbols one to one (track.h).  EM is less
 * restrictive: several groups may emit the same symbol, and one group may emit
 * several symbols, at a cost.  With deterministic transitions the first state
 * determines the path, and the maximum-likelihood emissions are the relative
 * frequencies.  The cost of a walk under a schema is then the sum over its
 * groups of n_g * H_g, where group g was visited n_g times with symbols of
 * empirical entropy H_g, minimised over the first state.  EM on E and pi
 * cannot find a lower cost.  This module uses the most likely successor of
 * each state and action.
 *
 * The gain of a plan (discriminate.h) is the loss of evidence of the other
 * schemas minus the loss of evidence of the best schema, averaged over the
 * likeliest hypotheses of the best schema; evidence is exp(-cost) summed over
 * all first states.  The best plan maximises gain / (length + 2).
 */
#ifndef CSCG_BINDING_COST_H
#define CSCG_BINDING_COST_H

#include "base/error.h"
#include "base/rng.h"
#include "plan/candidate.h"

struct cscg_binding_cost;

/*
 * For n candidates in an environment with n_actions actions and n_obs symbols,
 * where action `stationary` never changes the state (-1: no such action).
 * NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_binding_cost *cscg_binding_cost_new(int n, int n_actions,
    int n_obs, int stationary, struct cscg_err *err);
void cscg_binding_cost_free(struct cscg_binding_cost *r);

/*
 * The cost in nats, for each candidate, of the walk in path since the last
 * reset.  INFINITY for a grounded model, whose emissions are fixed, and for a
 * schema of more than 2^24 pairs of a group and a symbol.  The walk must have
 * at least one step.  The result, [n], is valid until the next call; NULL with
 * err filled (CSCG_ENOMEM).
 */
const double *cscg_binding_cost_walk(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, struct cscg_err *err);

/*
 * Set *a to the first action of the best plan; ties are broken at random.
 * Candidate `best` is the one to be verified.  *a is -1 if no plan gains
 * enough, if the cost of all other candidates is at least min_lead higher
 * already, or if the cost of `best` is INFINITY.  Returns 0, or -1 with err
 * filled (CSCG_ENOMEM).
 */
int cscg_binding_cost_choose(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, int best, double min_lead,
    struct cscg_rng *rng, int *a, struct cscg_err *err);

#endif
