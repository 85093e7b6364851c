/*
 * rebind.h - rebinding: emissions of a grounded model stay where they predict,
 * and change where observations contradict them
 *
 * Slots are the clone groups of the model, or its states if there are none.
 * At each step, with probability `rebind`, the slot of the present state is
 * bound to a symbol drawn uniformly from the alphabet of K symbols, and emits
 * that symbol from then on; otherwise the state emits symbol x with
 * probability
 *
 *   e(x) = (1 - unseen) E[slot][x] + unseen / K
 *
 * where E[slot] is the row of the model, or one-hot if the slot was rebound.
 * All clones of a slot change together.  T does not change.
 *
 * A hypothesis is a set of rebound slots with the posterior over states given
 * that set, which is exact.  A step is contradicted under a hypothesis if (1 -
 * rebind) P(x) < rebind / K, where P(x) = sum over states of the prediction
 * times e(x).  Then each slot with a positive predicted probability that is
 * not bound to x gives a new hypothesis in which it is bound to x, with weight
 * rebind / K times the predicted probability of the slot.  Where a step is not
 * contradicted the emissions stay, and rebind / K is added to e(x).  Equal
 * sets are merged, and the hypotheses of the highest weights are kept: at most
 * `beam`, each with at least `share` of the total.  As long as none is
 * dropped, the sum of the weights is the probability of the observations, and
 * predictions are normalised.
 */
#ifndef CSCG_REBIND_H
#define CSCG_REBIND_H

#include <stdbool.h>

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"
#include "schema/bind.h"

struct cscg_rebind_options {
	double rebind; /* above 0, below 1 */
	double unseen; /* above 0, below 1 */
	int beam;      /* at least 1 */
	double share;  /* hypotheses below this share of the total weight are
	                  dropped; 0: none */
	bool tied;     /* slots are clone groups; false: states */
};

#define CSCG_REBIND_DEFAULTS \
	{ \
		.rebind = 1e-3, .unseen = 1e-6, .beam = 256, .share = 1e-5, \
		.tied = true \
	}

struct cscg_rebind;

/*
 * Without observations.  m is grounded; n_obs >= m->n_obs is the size K of the
 * alphabet, whose first symbols are those of m.  Borrows m.  NULL with err
 * filled: CSCG_EMISMATCH (m is not grounded), CSCG_ENOMEM.
 */
struct cscg_rebind *cscg_rebind_new(const struct cscg_model *m, int n_obs,
    const struct cscg_rebind_options *options, struct cscg_err *err);
void cscg_rebind_free(struct cscg_rebind *r);

/* Discard all observations and all changes of emissions. */
void cscg_rebind_reset(struct cscg_rebind *r);

/*
 * Action a was taken (-1: first step of a run) and x was observed (-1: no
 * observation).  Sets *p to P(x | steps before), 1 without an observation.
 * -1 with err filled (CSCG_ENOMEM).
 */
int cscg_rebind_observe(struct cscg_rebind *r, int a, int x, double *p,
    struct cscg_err *err);

/* P(next symbol | all observations, action a) into p[n_obs]; a as above. */
void cscg_rebind_predict(const struct cscg_rebind *r, int a, double *p);

/* P(state now | all observations) into p[n_states]; pi before the first. */
void cscg_rebind_states(const struct cscg_rebind *r, double *p);

/* The most probable hypothesis; valid until the next step. */
struct cscg_rebind_change {
	int slot, x; /* the slot emits x */
};
struct cscg_rebind_hypothesis {
	double p;                                 /* posterior probability */
	const struct cscg_rebind_change *changes; /* ascending by slot */
	int n_changes;
};
struct cscg_rebind_hypothesis cscg_rebind_best(const struct cscg_rebind *r);

/*
 * The union of the alphabet of m and the symbols of a walk: by name if both
 * have names, else by number.  map[head->n_obs] receives the number of each
 * symbol of the walk.  Symbols that m lacks follow those of m; *names, to be
 * freed, receives the names of all, if m has names or, m having as many
 * symbols as the walk or fewer, the walk has.  Returns the number of symbols,
 * or -1 with err filled (CSCG_ENOMEM).
 */
int cscg_rebind_alphabet(const struct cscg_model *m,
    const struct cscg_walk_header *head, int *map, struct cscg_names *names,
    struct cscg_err *err);

/*
 * Rebind m to walk w, whose actions are numbered as the model's (walk.h): find
 * the most probable set of rebound slots over all episodes, then estimate the
 * rows of these slots by EM with T and all other rows fixed, as bind says
 * (iterations and tolerance).  m receives the new rows, the union of the
 * alphabets, and the fit; its other rows are unchanged.  *changed receives the
 * number of slots that were rebound.  0, or -1 with err filled and m no longer
 * usable: CSCG_EMISMATCH (m is not grounded), CSCG_ERANGE (no steps),
 * CSCG_ENOMEM.
 */
int cscg_rebind_walk(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_rebind_options *options, const struct cscg_bind *bind,
    struct cscg_em_progress *last, int *changed, struct cscg_err *err);

#endif
