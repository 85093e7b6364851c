/*
 * track.h - beam search over (state, binding) pairs of a schema, with slips and
 * jumps, step by step
 *
 * For schemas with clone structure.  A hypothesis is a state and a partial
 * one-to-one binding of clone groups to symbols.  A step moves each by the
 * action: if the group it comes to is bound to the symbol that is seen, or
 * neither is bound yet, it goes on and is bound; otherwise it pays to bind anew
 * or to jump.  Hypotheses that have become equal are one, and the best of them
 * are kept (a beam).  The sum of their weights is the marginal likelihood of what
 * was seen, prequential at every step: there are no restarts, and memory does
 * not grow with the walk.
 *
 * In full, with Z states, for a hypothesis of weight w at z, action a, and x
 * seen; a state fits x if its group is bound to x, or both are bound to nothing:
 *   - it goes to q, the likeliest of T[a][z], the first of equals
 *   - with slip it does so with w * (1 - slip); besides it stays with
 *     w * slip / 2 if z fits x, and goes where each of the other A - 1 actions
 *     leads, if that is known and fits x, with w * slip / 2 / (A - 1)
 *   - if q fits x, that is all, and its group is bound to x now
 *   - otherwise it binds q's group to x, and unbinds what was bound to either,
 *     with w * rebind; and jumps to each state that fits, with w * jump / Z
 *   - if a has no counts at z, or in the first step, or if the agent was put
 *     elsewhere, any state that fits is as likely, with w / Z; if none does,
 *     every state, bound anew, with w * rebind / Z
 *   - if nothing is seen, all states fit, and nothing is bound
 * What has less than 1e-16 of all the weight is dropped.
 */
#ifndef CSCG_TRACK_H
#define CSCG_TRACK_H

#include "base/error.h"
#include "core/model.h"
#include "core/walk.h"

/*
 * the weight of the n-th of many, where some stand for several
 */

/* So many things of weight w each. */
struct cscg_track_weight {
	double w;
	long n;
};

/*
 * The largest weight that at least most things reach: there are more than most
 * things in the n lots, most > 0.  Shuffles lots.
 */
double cscg_track_kth_weight(struct cscg_track_weight *weights, long n,
    long k);

struct cscg_track_options {
	int beam;      /* hypotheses kept; 0: 200, or one for each state if
	                  those are more */
	double jump;   /* chance to be somewhere else; 0: 1e-2 */
	double rebind; /* chance that a group looks new; 0: 1e-4 */
	double slip;   /* chance that a move goes wrong: one stays, or goes as
	                  by another action */
};

/* The tables of a schema, which threads may share. */
struct cscg_track_tables;

/*
 * NULL with err filled: CSCG_EMISMATCH if m has no clone structure,
 * CSCG_ENOMEM.  Borrows m.
 */
struct cscg_track_tables *cscg_track_tables_new(const struct cscg_model *m,
    const struct cscg_track_options *options, struct cscg_err *err);
void cscg_track_tables_free(struct cscg_track_tables *tables);

struct cscg_track;

/* Nothing was seen yet; symbols are 0 to n_obs - 1.  Borrows map. */
struct cscg_track *cscg_track_new(const struct cscg_track_tables *tables,
    int n_obs, struct cscg_err *err);
void cscg_track_free(struct cscg_track *t);

/* Back to where nothing was seen. */
void cscg_track_reset(struct cscg_track *t);

/*
 * Action a was taken (the schema's number; -1 in the first step, and where the
 * agent was put elsewhere) and x was seen (-1: nothing).  -1 with err filled
 * (CSCG_ENOMEM).
 */
int cscg_track_step(struct cscg_track *t, int a, int x, struct cscg_err *err);

/*
 * Every step of w, whose actions are the schema's and whose symbols are below
 * n_obs: where an episode begins, or a step is marked by reset, the agent was
 * put elsewhere, but in the same place.  -1 with err filled (CSCG_ENOMEM).
 */
int cscg_track_walk(struct cscg_track *t, const struct cscg_walk *w,
    struct cscg_err *err);

/*
 * log P(what was seen), natural, total.  To see what was never seen before costs
 * nothing, so that in a room of its own kind and size a schema's score is at
 * least -log of its number of states, if no move fails.
 */
double cscg_track_score(const struct cscg_track *t);

/*
 * How many hypotheses there are, and the i-th likeliest, until the next step.
 * Their order is made when somebody asks: threads do not share a tracker.
 */
struct cscg_track_hypothesis {
	double p; /* share of the weight of all */
	int state;
	const int *symbol; /* [n_groups] bound to, -1: none yet */
	const int *group;  /* [n_obs] bound to, -1: none yet */
};
int cscg_track_count(const struct cscg_track *t);
struct cscg_track_hypothesis cscg_track_get(const struct cscg_track *t, int i);

/*
 * Make m, the schema that is tracked, the grounded model of the likeliest
 * hypothesis: a state shows the symbol that its group is bound to, or if it is
 * bound to none any symbol that no group has, each as likely; but for a doubt,
 * 0 <= doubt < 1, that is spread over all symbols.  What m knew of another place
 * is forgotten.  Names of symbols (may be NULL) are copied if there are n_obs.
 * Something was seen.  0, or -1 with err filled (CSCG_ENOMEM) and m of no more
 * use.
 */
int cscg_track_ground(const struct cscg_track *t, struct cscg_model *m,
    double noise, const struct cscg_names *symbols, struct cscg_err *err);

/* Where a leads from state j, by the likeliest move; -1: not known. */
int cscg_track_next(const struct cscg_track_tables *tables, int j, int a);
int cscg_track_group(const struct cscg_track_tables *tables, int j);

#endif
