/*
 * track.h - beam search over (state, binding) pairs of a schema, with slips
 * and jumps, step by step
 *
 * For schemas with clone structure.  A hypothesis is a state and a partial
 * one-to-one binding of clone groups to symbols.  A step updates the state of
 * each hypothesis by the action.  If the group of the new state is bound to
 * the observed symbol, or neither is bound yet, the hypothesis continues with
 * the two bound; otherwise it continues at a cost, with a changed binding or
 * at another state.  Equal hypotheses are merged, and the hypotheses of the
 * highest weights are kept (a beam).  The sum of the weights is the marginal
 * likelihood of the observations, prequential at every step: there are no
 * restarts, and memory does not grow with the walk.
 *
 * In full, with Z states, for a hypothesis of weight w at state z, action a,
 * and observation x; a state fits x if its group is bound to x, or both are
 * unbound:
 *   - the state becomes q, the most probable of T[a][z], first among equals
 *   - with slip it does so with w * (1 - slip); besides it stays with
 *     w * slip / 2 if z fits x, and follows each of the other A - 1 actions,
 *     if the target is known and fits x, with w * slip / 2 / (A - 1)
 *   - if q fits x, that is all, and its group is then bound to x; with misread
 *     the weight is multiplied by 1 - misread
 *   - with misread, every transition above also leads to its state, whether or
 *     not the state fits x, with weight * misread / K for K symbols and the
 *     binding unchanged
 *   - otherwise it binds q's group to x, and removes earlier bindings of
 *     either, with w * rebind; and jumps to each state that fits, with
 *     w * jump / Z
 *   - if a has no counts at z, or in the first step, or at a reset, every
 *     state that fits has w / Z; if none fits, every state, with its group
 *     bound to x, has w * rebind / Z
 *   - without an observation, all states fit, and no group is bound
 * Hypotheses with less than 1e-16 of the total weight are dropped.
 */
#ifndef CSCG_TRACK_H
#define CSCG_TRACK_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/*
 * The k-th largest weight of a weighted multiset
 */

/* n hypotheses of weight w each. */
struct cscg_track_weight {
	double w;
	long n;
};

/*
 * The largest weight that at least k hypotheses reach: the n items of weights
 * have more than k hypotheses in total, k > 0.  Reorders weights.
 */
double cscg_track_kth_weight(struct cscg_track_weight *weights, long n,
    long k);

struct cscg_track_options {
	int beam;       /* hypotheses kept; 0: the larger of 200 and the number
	                   of states */
	double jump;    /* probability of a jump to another state; 0: 1e-2 */
	double rebind;  /* probability that a group changes its symbol; 0:
	                   1e-4 */
	double slip;    /* probability of transition noise: the state stays, or
	                   follows another action */
	double misread; /* probability of observation noise: the symbol is
	                   drawn uniformly, and the binding is unchanged; 0:
	                   that of the schema */
};

/* The transition tables of a schema, which threads may share. */
struct cscg_track_tables;

/*
 * NULL with err filled: CSCG_EMISMATCH if m has no clone structure,
 * CSCG_ENOMEM.  Borrows m.
 */
struct cscg_track_tables *cscg_track_tables_new(const struct cscg_model *m,
    const struct cscg_track_options *options, struct cscg_err *err);
void cscg_track_tables_free(struct cscg_track_tables *tables);

/* Replace slip and misread, for all trackers of these tables. */
void cscg_track_tables_set_noise(struct cscg_track_tables *tables, double slip,
    double misread);

/* Set the successor of state j by action a to state k (-1: unknown). */
void cscg_track_tables_set_next(struct cscg_track_tables *tables, int j, int a,
    int k);

struct cscg_track;

/*
 * A tracker without observations; symbols are 0 to n_obs - 1.  Borrows tables.
 */
struct cscg_track *cscg_track_new(const struct cscg_track_tables *tables,
    int n_obs, struct cscg_err *err);
void cscg_track_free(struct cscg_track *t);

/* Return to the state without observations. */
void cscg_track_reset(struct cscg_track *t);

/*
 * The agent took action a (in the schema's numbering; -1 in the first step and
 * at a reset) and observed x (-1: no observation).  -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_track_step(struct cscg_track *t, int a, int x, struct cscg_err *err);

/*
 * Replace all hypotheses by one: a binding (symbol[n_groups], -1: unbound) and
 * a state, -1: any.  The next step must be one with action CSCG_TRACK_STAY,
 * which leaves the state unchanged, or with -1 if the state is unknown.
 */
enum { CSCG_TRACK_STAY = -2 };
void cscg_track_enter(struct cscg_track *t, const int *symbol, int state);

/*
 * The probabilities, given all observations so far, that the last step had
 * transition noise and observation noise.
 */
void cscg_track_noise(const struct cscg_track *t, double *slip,
    double *misread);

/*
 * Process every step of w, whose actions are numbered as the schema's and
 * whose symbols are below n_obs.  The first step of an episode and a step
 * marked by reset are resets: the state is unknown, but the environment, and
 * so the binding, is the same.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_track_walk(struct cscg_track *t, const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * log P(observations), natural, total.  The first observation of a symbol
 * costs nothing.  In a room with the schema's own graph, the score is
 * therefore at least -log of the number of states, if no transition is noisy.
 */
double cscg_track_score(const struct cscg_track *t);

/*
 * The number of hypotheses, and the i-th most probable, valid until the next
 * step.  They are sorted on demand: threads do not share a tracker.
 */
struct cscg_track_hypothesis {
	double p; /* share of the total weight */
	int state;
	const int *symbol; /* [n_groups] the symbol of each group, -1:
	                      unbound */
	const int *group;  /* [n_obs] the group of each symbol, -1: unbound */
};
int cscg_track_count(const struct cscg_track *t);
struct cscg_track_hypothesis cscg_track_get(const struct cscg_track *t, int i);

/*
 * The emissions E[n_states * n_obs] of a binding: symbol of each group (NULL:
 * none is bound) and group of each symbol, -1: unbound.  clone is the group of
 * each state; NULL: every state is a group.  A state emits the symbol that its
 * group is bound to; if the group is unbound, it emits the symbols that no
 * group has, with equal probability.  The share noise, 0 <= noise < 1, is
 * spread over all symbols.
 */
void cscg_track_emissions(int n_states, const int *clone, int n_obs,
    const int *symbol, const int *group, double noise, double *E);

/*
 * Turn m, the schema that is tracked, into the grounded model of the most
 * probable hypothesis, with these emissions.  Earlier emissions of m are removed.  Symbol names (may be NULL) are copied
 * if there are n_obs.  There was at least one observation.  0, or -1 with err
 * filled (CSCG_ENOMEM) and m no longer usable.
 */
int cscg_track_ground(const struct cscg_track *t, struct cscg_model *m,
    double noise, const struct cscg_names *symbols, struct cscg_err *err);

/* The most probable successor of state j under action a; -1: unknown. */
int cscg_track_next(const struct cscg_track_tables *tables, int j, int a);
int cscg_track_group(const struct cscg_track_tables *tables, int j);

#endif
