/*
 * plan.h - max-product planning: score and actions of the likeliest path to a
 * goal
 *
 * A plan is a sequence of actions and the likeliest path of states under it.
 * Its success probability is the probability of that path: the weight of the
 * start, times T of each transition, times the weight of the goal at its end.
 * Max-product messages from the goal find the best over all actions and paths
 * of one length; the length grows until a plan reaches the required success
 * probability.
 */
#ifndef CSCG_PLAN_H
#define CSCG_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/names.h"
#include "core/model.h"
#include "core/walk.h"
#include "io/stream.h"
#include "kernel/plan_graph.h"

struct cscg_plan_query {
	const double *start; /* [n_states] weights of the start states; NULL:
	                        the start is state from */
	int from;
	const double *goal; /* [n_states] weights in 0..1, 0: no goal */
	double confidence;  /* find the shortest plan with at least this
	                       success probability, above 0, and the likeliest
	                       of that length; */
	bool best;          /* or the likeliest plan of any length, and the
	                       shortest of those */
	long max_steps;     /* maximum number of actions; < 0: no limit */
	uint64_t seed, key; /* ties are broken by (seed, PLAN, key) */
};

/*
 * 1 with *plan new (cscg_plan_free() it), 0 if there is no such plan; -1 with
 * err filled (CSCG_ENOMEM).  *best (may be NULL) is the success probability of
 * the likeliest plan examined; if 0 is returned, of all plans up to max_steps.
 *
 * Probabilities that differ by less than a part in 1e12 are equal.
 */
int cscg_plan(const struct cscg_plan_graph *graph,
    const struct cscg_plan_query *query, struct cscg_plan *plan, double *best,
    struct cscg_err *err);

/*
 * Plans as lines of actions or as a line of JSON: cscg-plan(1).
 */

/* One action a line, by name, or by number if m has no names for them. */
int cscg_plan_write(const struct cscg_plan *plan, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err);

/*
 * One object: actions, states, probabilities and, if m is grounded, the
 * likeliest symbols.  now_p is the probability of the first state; NaN:
 * unknown.
 */
int cscg_plan_write_json(const struct cscg_plan *plan,
    const struct cscg_model *m, double now_p, struct cscg_out *out,
    struct cscg_err *err);

/*
 * Goals: a symbol, a state, the state where the walk began, or the goal that
 * the environment requests.
 */

struct cscg_goal {
	enum cscg_goal_kind kind;
	const char *symbol; /* borrowed from the parsed text */
	int state;
};

/*
 * Parse a goal: "symbol:X" (by name or number), "state:N", "start", "env",
 * "reward" or "match".  Returns 0, or -1 with err filled (CSCG_EUSAGE).
 */
int cscg_goal_parse(const char *text, struct cscg_goal *goal,
    struct cscg_err *err);

/*
 * The symbol of goal among n_obs symbols with these names, if they have any.
 * The text is looked up as a name first, then as a number.  -1 with err filled
 * (CSCG_EUSAGE).
 */
int cscg_goal_symbol(const struct cscg_goal *goal,
    const struct cscg_names *names, int n_obs, struct cscg_err *err);

/*
 * weight[j] becomes P(x | state j) of a grounded model, if that is larger.
 * For a clone group whose confidence is below 1/2 its confidence is the upper
 * bound, since emissions that EM assigned to a group without visits are not
 * evidence.
 */
void cscg_goal_weigh_symbol(const struct cscg_model *m, int x, double *weight);

/*
 * Filter the last episode of w, whose alphabet is that of the grounded model
 * m, with T smoothed by lambda (plan_graph.h): *last and *first are the ends
 * of the most likely path, p[n_states] the belief at the last step.
 *
 * 0, or -1 with err filled: CSCG_EMISMATCH (no episode, or the model cannot
 * produce it), CSCG_ENOMEM.
 */
int cscg_plan_locate(const struct cscg_model *m, double lambda,
    const struct cscg_walk *w, int *last, int *first, double *p,
    struct cscg_err *err);

/* "N" of "state:N"; -1 with err filled (CSCG_EUSAGE). */
int cscg_goal_parse_state(const char *text, int *n, struct cscg_err *err);

#endif
