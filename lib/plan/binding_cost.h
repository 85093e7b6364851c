/*
 * binding_cost.h - action sequences by what they cost a wrong schema under its
 * best binding
 *
 * A tracker binds one to one (track.h).  EM is more generous: groups may look
 * alike, and one may look now so and now so, at a price.  Where moves are certain
 * the path follows from where it begins, and the best looks for it are those that
 * were counted: a walk costs a schema the sum of n_g * H_g over its groups, which
 * were met n_g times with looks of entropy H_g, from the beginning where that is
 * least.  EM on looks and on where it begins can find no less.  Here it is taken
 * on likeliest moves.
 *
 * A plan (discriminate.h) is worth what the other schemas would come to cost by it,
 * less what it would cost the one that is believed, if things are as its
 * likeliest guesses say: the loss of their evidence, summed over all beginnings.
 * The best one is worth most by (length + 2).
 */
#ifndef CSCG_BINDING_COST_H
#define CSCG_BINDING_COST_H

#include "base/error.h"
#include "base/rng.h"
#include "plan/candidate.h"

struct cscg_binding_cost;

/*
 * For n rivals, in a world with so many actions and symbols, where action
 * `stationary` does not move (-1: none).  NULL with err filled (CSCG_ENOMEM).
 */
struct cscg_binding_cost *cscg_binding_cost_new(int n, int n_actions,
    int n_obs, int stationary, struct cscg_err *err);
void cscg_binding_cost_free(struct cscg_binding_cost *r);

/*
 * What the walk of the trail, since the agent was last put somewhere, costs
 * each rival, in nats; INFINITY for a memory, which has its looks, and for a
 * schema of more than 2^24 pairs of a group and a symbol.  Something was seen.
 * [n], until the next call; NULL with err filled (CSCG_ENOMEM).
 */
const double *cscg_binding_cost_walk(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, struct cscg_err *err);

/*
 * The first action of the best plan into *a, of equals any; -1 if none is worth
 * it, or if all others cost this much more already.  Rival `best` is believed; if
 * it has no cost, there is nothing to be shown.  0, or -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_binding_cost_choose(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, int best, double min_lead,
    struct cscg_rng *rng, int *a, struct cscg_err *err);

#endif
