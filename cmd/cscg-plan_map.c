/* cscg-plan_map.c - a plan on a map, without an environment */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/filter.h"
#include "cmd_walks.h"
#include "cscg-plan.h"
#include "core/walk.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "plan/plan.h"
#include "core/walk_io.h"
#include "kernel/passes.h"

/* What the options come to. */
struct job {
	const struct plan_set *set;
	const struct cscg_goal *goal;	/* [set->goals.n] */
	bool walk, posterior;	/* is a walk needed? all places of it? */
	int from;		/* -1: where the walk ends */
};

/* ---- where we are, and where to ---- */

/* Put the last episode of the walk into the belief. */
static int
follow(struct cscg_filter *b, const struct cscg_walk *w, struct cscg_err *err)
{
	int e = w->n_episodes - 1;
	long t;

	if (e < 0)
		return cscg_fail(err, CSCG_EMISMATCH, "a walk without "
		    "episodes ends nowhere");
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		if (cscg_filter_observe(b, cscg_walk_starts_run(w, e, t) ? -1 :
		    w->a[t - 1], w->x[t]) <= 0)
			return cscg_fail(err, CSCG_EMISMATCH, "episode %d, "
			    "step %ld: the model cannot produce this walk", e,
			    t - w->start[e]);
	return 0;
}

static int
check_state(const char *option, int state, const struct cscg_model *m,
    struct cscg_err *err)
{
	return state < m->n_states ? 0 : cscg_fail(err, CSCG_EUSAGE,
	    "--%s: state %d is outside 0..%d", option, state, m->n_states - 1);
}

/* Weights of the states that are a goal; origin is where the walk began. */
/*
 * How likely each state shows x.  What EM left in a group that was met less than
 * once is no more than a guess, however sure it looks.
 */
static void
weigh_symbol(const struct cscg_model *m, int x, double *weight)
{
	int first, last, j;

	for (first = 0; first < m->n_states; first = last) {
		double seen = 0;

		for (last = first; last < m->n_states && (last == first ||
		    (m->clone && m->clone[last] == m->clone[first])); last++)
			seen = fmax(seen, m->confidence ? m->confidence[last] :
			    1);
		for (j = first; j < last; j++)
			weight[j] = fmax(weight[j], fmin(seen < .5 ? seen : 1,
			    cscg_model_E(m, j, x)));
	}
}

static int
weigh_goal(const struct cscg_goal *goal, const struct cscg_model *m,
    int origin, double *weight, struct cscg_err *err)
{
	int x;

	switch (goal->kind) {
	case CSCG_GOAL_START:
		weight[origin] = 1;
		break;
	case CSCG_GOAL_STATE:
		if (check_state("goal", goal->state, m, err) < 0)
			return -1;
		weight[goal->state] = 1;
		break;
	case CSCG_GOAL_SYMBOL:
		if (m->kind != CSCG_GROUNDED)
			return cscg_fail(err, CSCG_EMISMATCH, "--goal: this "
			    "model does not know what its states look like");
		x = cscg_goal_symbol(goal, &m->symbols, m->n_obs, err);
		if (x < 0)
			return cscg_fail_at(err, "--goal");
		weigh_symbol(m, x, weight);
		break;
	case CSCG_GOAL_ENV:
		break;
	}
	return 0;
}

/* ---- a plan ---- */

/* Returns 1 with a plan written, 0 if there is none, -1 with err filled. */
static int
plan(const struct job *job, const struct cscg_model *m, int now, int origin,
    const double *start, struct cscg_err *err)
{
	double *goal = cscg_alloc((size_t)m->n_states, sizeof *goal, err);
	struct cscg_plan_graph *map = cscg_plan_graph_new(m, job->set->smooth, err);
	struct cscg_plan found = { 0 };
	struct cscg_plan_query ask = { .start = job->posterior ? start : NULL,
	    .from = now, .goal = goal, .confidence = job->set->confidence,
	    .best = job->set->best, .max_length = job->set->max_length,
	    .seed = (uint64_t)cmd.seed };
	double best = 0;
	int i, rc = -1;

	for (i = 0; goal && i < job->set->goals.n; i++)
		if (weigh_goal(&job->goal[i], m, origin, goal, err) < 0)
			goto out;
	if (!goal || !map)
		goto out;
	rc = cscg_plan(map, &ask, &found, &best, err);
	if (rc == 0)
		cmd_say("no plan: the best found succeeds with probability "
		    "%.6g%s", best, best > 0 ? "" : ask.max_length < 0 ?
		    ", the goal cannot be reached" : ", the goal cannot be "
		    "reached by so few actions");
	if (rc <= 0)
		goto out;
	cmd_talk("plan: %ld actions from state %d to state %d, probability "
	    "%.6g%s", found.n, found.z[0], found.z[found.n], found.success,
	    found.n ? "" : ": already there");
	if ((job->set->json ? cscg_plan_write_json(&found, m,
	    start ? start[found.z[0]] : NAN, cmd_out(err), err) :
	    cscg_plan_write(&found, m, cmd_out(err), err)) < 0)
		rc = -1;
out:
	cscg_plan_free(&found);
	cscg_plan_graph_free(map);
	free(goal);
	return rc;
}

/* Decode the walk, if there must be one, and plan. */
static int
decode(const struct job *job, const struct cscg_model *m,
    const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_model *smooth = cscg_plan_smooth(m, job->set->smooth, err);
	struct cscg_trans *tr = NULL;
	struct cscg_filter *belief = NULL;
	double *p = NULL;
	int rc = -1, now = job->from, origin;

	if (!smooth)
		return -1;
	tr = cscg_trans_new(smooth, &cscg_plain_double, err);
	if (!tr)
		goto out;
	belief = cscg_filter_new(tr, err);
	p = cscg_alloc((size_t)m->n_states, sizeof *p, err);
	if (!belief || !p)
		goto out;
	if (follow(belief, w, err) < 0) {
		cmd_walks_blame(err);
		goto out;
	}
	origin = cscg_filter_first_state(belief);
	cmd_talk("the walk goes from state %d to state %d, where it ends with "
	    "probability %.6g", origin, cscg_filter_state(belief),
	    cscg_filter_prob(belief, cscg_filter_state(belief)));
	cscg_filter_probs(belief, p);
	if (now < 0)
		now = cscg_filter_state(belief);
	rc = plan(job, m, now, origin, job->from < 0 ? p : NULL, err);
out:
	free(p);
	cscg_filter_free(belief);
	cscg_trans_free(tr);
	cscg_model_free(smooth);
	return rc;
}

static int
run(const struct job *job, const char *path, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!cmd_out(err))
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m || (job->from >= 0 && check_state("from", job->from, m, err) < 0))
		goto out;
	if (!job->walk) {
		rc = plan(job, m, job->from, -1, NULL, err);
		goto out;
	}
	if (m->kind != CSCG_GROUNDED) {
		cscg_fail(err, CSCG_EMISMATCH, "a walk can be followed on a "
		    "grounded model alone, and this is %s: see cscg-bind(1)",
		    cscg_model_kind_text(m->kind));
		cmd_fail_in(path, err);
		goto out;
	}
	w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (w && cscg_alphabet_map_walk(w, m, err) < 0)
		cmd_walks_blame(err);
	else if (w)
		rc = decode(job, m, w, err);
out:
	cscg_walk_free(w);
	cscg_model_free(m);
	return rc;
}

/* ---- the options ---- */

static void
judge_from(struct job *job)
{
	const char *from = job->set->from;
	struct cscg_err err;

	if (!strcmp(from, "posterior"))
		job->posterior = true;
	else if (!strncmp(from, "state:", 6)) {
		if (cscg_goal_parse_state(from + 6, &job->from, &err) < 0)
			cmd_usage("--from: %s", err.msg);
	} else if (strcmp(from, "walk"))
		cmd_usage("--from: '%s' is none of walk, posterior, state:N",
		    from);
}

static void
judge(struct job *job, char **paths)
{
	const struct plan_set *set = job->set;
	const void *const live[] = { &set->task, &set->agent, &set->explore,
	    &set->explore_steps, &set->until, &set->no_collect, &set->detour,
	    &set->inverse, &set->replan, &set->surprise, &set->verify,
	    &set->slip, &set->max_plans, &set->max_steps, &set->episodes,
	    &set->new_world, &set->untied, &set->iterations, &set->restarts,
	    &set->summary, &set->save, &set->timeout, NULL };
	static const char *const words[] = { "task", "agent", "explore",
	    "explore-steps", "explore-until", "pass-by", "detour", "inverse",
	    "replan", "surprise", "verify", "slip", "max-plans", "max-steps",
	    "episodes", "forget", "untied", "iterations", "restarts",
	    "summary", "save", "timeout" };
	int i;

	plan_refuse(live, words, "needs an environment: -- COMMAND...");
	if (paths[0] && paths[1])
		cmd_usage("several models need an environment: -- COMMAND...; "
		    "a walk goes after -w");
	for (i = 0; i < set->goals.n; i++) {
		if (job->goal[i].kind == CSCG_GOAL_ENV)
			cmd_usage("--goal env needs an environment: -- "
			    "COMMAND...");
		job->walk |= job->goal[i].kind == CSCG_GOAL_START;
	}
	judge_from(job);
	job->walk |= job->from < 0;
	if (!job->walk && cmd.walks.n)
		cmd_usage("-w: no walk is needed from state:N to such a goal");
	if (job->walk && !cmd.walks.n && (!paths[0] || !strcmp(paths[0], "-")))
		cmd_usage("standard input can be read only once");
}

int
plan_map(const struct plan_set *set, const struct cscg_goal *goal,
    char **paths, struct cscg_err *err)
{
	struct job job = { .set = set, .goal = goal, .from = -1 };

	judge(&job, paths);
	return run(&job, paths[0] ? paths[0] : "-", err);
}
