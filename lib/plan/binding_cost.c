/*
 * binding_cost.c - action sequences by the cost they add to wrong schemas
 * under their best binding
 *
 * One table of counts serves all first states: the walk is replayed from each,
 * the plans are simulated from its last state, and all counts are undone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/binding_cost.h"
#include "plan/discriminate.h"

enum {
	HYPOTHESES_MAX = 5,
	LENGTH_MAX = 8,
	LONG_FACTOR = 4,     /* of long runs: multiple of LENGTH_MAX */
	PAIRS_MAX = 1 << 24, /* of groups and symbols */
};

static const double COST_WINDOW =
    12; /* nats above the least cost within which first states are used */
static const double MIN_GAIN = .3; /* nats: threshold of a plan's gain */

struct cscg_binding_cost {
	int n, n_obs;
	struct cscg_action_sequences plans;
	double **cost;   /* [n][states] by first state of the walk */
	double *least;   /* [n] */
	double *n_log_n; /* [n_logs] n log n */
	long n_logs;
	int *count, *total; /* [groups * n_obs], [groups] emission counts */
	double *evidence;   /* [HYPOTHESES_MAX][plans] remaining evidence */
	double *gain;       /* [plans] */
	size_t cap_n_log_n, cap_count, cap_total;
};

/* ---- construction ---- */

struct cscg_binding_cost *
cscg_binding_cost_new(int n, int n_actions, int n_obs, int stationary,
    struct cscg_err *err)
{
	struct cscg_binding_cost *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->n = n;
	r->n_obs = n_obs;
	r->cost = cscg_alloc((size_t)n, sizeof *r->cost, err);
	r->least = cscg_alloc((size_t)n, sizeof *r->least, err);
	if (r->cost && r->least &&
	    cscg_action_sequences_new(&r->plans, n_actions, stationary,
		LENGTH_MAX, LONG_FACTOR, err) == 0) {
		r->evidence = cscg_alloc(HYPOTHESES_MAX * (size_t)r->plans.n,
		    sizeof *r->evidence, err);
		r->gain = cscg_alloc((size_t)r->plans.n, sizeof *r->gain, err);
	}
	if (r->evidence && r->gain)
		return r;
	cscg_binding_cost_free(r);
	return NULL;
}

void
cscg_binding_cost_free(struct cscg_binding_cost *r)
{
	int i;

	if (!r)
		return;
	for (i = 0; r->cost && i < r->n; i++)
		free(r->cost[i]);
	cscg_action_sequences_free(&r->plans);
	free(r->cost);
	free(r->least);
	free(r->n_log_n);
	free(r->count);
	free(r->total);
	free(r->evidence);
	free(r->gain);
	free(r);
}

/* n log n for walks of n steps followed by a simulated plan. */
static int
grow_log_table(struct cscg_binding_cost *r, long n, struct cscg_err *err)
{
	n += r->plans.longest + 1;
	if (cscg_grow(&r->n_log_n, &r->cap_n_log_n, (size_t)n,
		sizeof *r->n_log_n, err) < 0)
		return -1;
	for (; r->n_logs < n; r->n_logs++)
		r->n_log_n[r->n_logs] = r->n_logs ?
		    (double)r->n_logs * log((double)r->n_logs) :
		    0;
	return 0;
}

static size_t
count_pairs(const struct cscg_binding_cost *r,
    const struct cscg_candidate *candidate)
{
	return (size_t)cscg_candidate_n_groups(candidate) * (size_t)r->n_obs;
}

/* Allocate the counts.  They are all 0 except while a walk is replayed. */
static int
reserve_counts(struct cscg_binding_cost *r,
    const struct cscg_candidate *candidate, struct cscg_err *err)
{
	size_t groups = (size_t)cscg_candidate_n_groups(candidate);

	return cscg_grow(&r->count, &r->cap_count, count_pairs(r, candidate),
		   sizeof *r->count, err) < 0 ||
		cscg_grow(&r->total, &r->cap_total, groups, sizeof *r->total,
		    err) < 0 ?
	    -1 :
	    0;
}

/* ---- cost of the walk ---- */

/* Count one emission of x by group g; returns the increase of n_g * H_g. */
static double
count_emission(struct cscg_binding_cost *r, int g, int x)
{
	int *n = &r->count[(size_t)g * (size_t)r->n_obs + (size_t)x];
	int *all = &r->total[g];

	++*n;
	++*all;
	return r->n_log_n[*all] - r->n_log_n[*all - 1] - r->n_log_n[*n] +
	    r->n_log_n[*n - 1];
}

static void
uncount_emission(struct cscg_binding_cost *r, int g, int x)
{
	r->count[(size_t)g * (size_t)r->n_obs + (size_t)x]--;
	r->total[g]--;
}

/* The successor of j under a; j itself if unknown. */
static int
next_state(const struct cscg_candidate *candidate, int j, int a)
{
	int to = cscg_candidate_next(candidate, j, a);

	return to < 0 ? j : to;
}

/* The step of the last reset. */
static long
last_reset(const struct cscg_candidate_path *t)
{
	long s = t->n - 1;

	while (s > 0 && t->a[s] >= 0)
		s--;
	return s;
}

/* Count the walk from first state j; returns its last state and *cost. */
static int
replay_walk(struct cscg_binding_cost *r,
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_path *t, int j, double *cost)
{
	long from = last_reset(t), s;

	*cost = 0;
	for (s = from; s < t->n; s++) {
		if (s > from)
			j = next_state(candidate, j, t->a[s]);
		if (t->x[s] >= 0)
			*cost += count_emission(r,
			    cscg_candidate_group(candidate, j), t->x[s]);
	}
	return j;
}

static void
undo_walk(struct cscg_binding_cost *r, const struct cscg_candidate *candidate,
    const struct cscg_candidate_path *t, int j)
{
	long from = last_reset(t), s;

	for (s = from; s < t->n; s++) {
		if (s > from)
			j = next_state(candidate, j, t->a[s]);
		if (t->x[s] >= 0)
			uncount_emission(r, cscg_candidate_group(candidate, j),
			    t->x[s]);
	}
}

static int
set_costs(struct cscg_binding_cost *r, int i,
    const struct cscg_candidate *candidate,
    const struct cscg_candidate_path *t, struct cscg_err *err)
{
	int j, n = cscg_candidate_n_states(candidate);

	if (!r->cost[i])
		r->cost[i] = cscg_alloc((size_t)n, sizeof **r->cost, err);
	if (!r->cost[i] || reserve_counts(r, candidate, err) < 0)
		return -1;
	for (j = 0; j < n; j++) {
		replay_walk(r, candidate, t, j, &r->cost[i][j]);
		undo_walk(r, candidate, t, j);
		r->least[i] = fmin(r->least[i], r->cost[i][j]);
	}
	return 0;
}

const double *
cscg_binding_cost_walk(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, struct cscg_err *err)
{
	int i;

	if (grow_log_table(r, path->n, err) < 0)
		return NULL;
	for (i = 0; i < r->n; i++) {
		r->least[i] = INFINITY;
		if (!cscg_candidate_is_grounded(candidate[i]) &&
		    count_pairs(r, candidate[i]) <= PAIRS_MAX &&
		    set_costs(r, i, candidate[i], path, err) < 0)
			return NULL;
	}
	return r->least;
}

/* ---- cost of plans ---- */

/* Simulation of a plan in the best candidate and in another one. */
struct rollout {
	const struct cscg_candidate *believed, *candidate;
	const struct cscg_candidate_hypothesis *guess;
	int at, state;   /* state of the best candidate, of the other */
	bool is_unknown; /* a symbol of the path is unknown */
	double cost;
};

/* The simulation before an action, to undo it. */
struct rollout_mark {
	int at, state;
	bool is_unknown;
	double cost;
	int g, x; /* emission counted; g < 0: none */
};

/*
 * Simulate action a.  From the first unknown symbol on, a plan adds no cost:
 * if the size of the environment differs from that of the correct schema, the
 * symbol may be any.
 */
static struct rollout_mark
rollout_step(struct cscg_binding_cost *r, struct rollout *m, int a)
{
	struct rollout_mark k = { m->at, m->state, m->is_unknown, m->cost, -1,
		-1 };

	m->at = next_state(m->believed, m->at, a);
	m->state = next_state(m->candidate, m->state, a);
	if (!m->is_unknown)
		k.x = cscg_candidate_symbol(m->believed, m->guess, m->at);
	m->is_unknown = k.x < 0;
	if (!m->is_unknown) {
		k.g = cscg_candidate_group(m->candidate, m->state);
		m->cost += count_emission(r, k.g, k.x);
	}
	return k;
}

static void
rollout_undo(struct cscg_binding_cost *r, struct rollout *m,
    const struct rollout_mark *k)
{
	if (k->g >= 0)
		uncount_emission(r, k->g, k->x);
	m->at = k->at;
	m->state = k->state;
	m->is_unknown = k->is_unknown;
	m->cost = k->cost;
}

/* Simulate plans from..to-1 and add the remaining evidence of each. */
static void
rollout_plans(struct cscg_binding_cost *r, struct rollout *m, double base,
    double *evidence, int from, int to)
{
	struct rollout_mark k[LONG_FACTOR * LENGTH_MAX] = { { 0 } };
	int i, n = 0;

	m->at = m->guess->state;
	for (i = from; i < to; i++) {
		const struct cscg_action_sequence *p = &r->plans.v[i];

		while (n >= cscg_action_sequence_length(p))
			rollout_undo(r, m, &k[--n]);
		k[n++] = rollout_step(r, m, p->n_b ? p->b : p->a);
		evidence[i] += exp(base - m->cost);
	}
	while (n > 0)
		rollout_undo(r, m, &k[--n]);
}

/*
 * Add to r->evidence the evidence for candidate i that remains after each plan
 * under each hypothesis, from all first states whose cost is at most base +
 * COST_WINDOW.  Returns the evidence before the plans.
 */
static double
rollout_candidate(struct cscg_binding_cost *r, struct rollout *m,
    const struct cscg_candidate_hypothesis *hypothesis, int n_hypotheses,
    int i, double base, const struct cscg_candidate_path *t, int from, int to)
{
	double sum = 0;
	int j, k;

	for (j = 0; j < cscg_candidate_n_states(m->candidate); j++) {
		if (r->cost[i][j] > base + COST_WINDOW)
			continue;
		m->state = replay_walk(r, m->candidate, t, j, &m->cost);
		sum += exp(base - m->cost);
		for (k = 0; k < n_hypotheses; k++) {
			m->guess = &hypothesis[k];
			rollout_plans(r, m, base,
			    r->evidence + (size_t)k * (size_t)r->plans.n, from,
			    to);
		}
		undo_walk(r, m->candidate, t, j);
	}
	return sum;
}

/*
 * Add to r->gain the loss of evidence of the other candidates (sign 1), or
 * subtract that of the best one (sign -1).  The remaining evidence is never 0:
 * a plan cannot add so much cost to a first state within COST_WINDOW.
 */
static void
add_evidence(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *t, int best,
    const struct cscg_candidate_hypothesis *hypothesis, int n_hypotheses,
    int sign, int from, int to)
{
	size_t plans = (size_t)r->plans.n;
	double base = INFINITY, sum = 0;
	int i, k;

	for (i = 0; i < r->n; i++)
		if ((i == best) == (sign < 0))
			base = fmin(base, r->least[i]);
	memset(r->evidence, 0,
	    (size_t)n_hypotheses * plans * sizeof *r->evidence);
	for (i = 0; i < r->n; i++) {
		struct rollout m = { .believed = candidate[best],
			.candidate = candidate[i] };

		if ((i == best) == (sign < 0) && !isinf(r->least[i]))
			sum += rollout_candidate(r, &m, hypothesis,
			    n_hypotheses, i, base, t, from, to);
	}
	for (k = 0; k < n_hypotheses && sum > 0; k++)
		for (i = from; i < to; i++)
			r->gain[i] += sign * hypothesis[k].p *
			    log(sum /
				r->evidence[(size_t)k * plans + (size_t)i]);
}

static int
choose_plan(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, int best, int from, int to,
    struct cscg_rng *rng)
{
	struct cscg_candidate_hypothesis hypothesis[HYPOTHESES_MAX];
	int n = cscg_candidate_top(candidate[best], hypothesis,
	    HYPOTHESES_MAX);

	memset(r->gain, 0, (size_t)r->plans.n * sizeof *r->gain);
	add_evidence(r, candidate, path, best, hypothesis, n, 1, from, to);
	add_evidence(r, candidate, path, best, hypothesis, n, -1, from, to);
	n = cscg_action_sequences_best(&r->plans, r->gain, MIN_GAIN, from, to,
	    rng);
	return n < 0 ? -1 : r->plans.v[n].a;
}

int
cscg_binding_cost_choose(struct cscg_binding_cost *r,
    struct cscg_candidate *const *candidate,
    const struct cscg_candidate_path *path, int best, double min_lead,
    struct cscg_rng *rng, int *a, struct cscg_err *err)
{
	double least = INFINITY;
	int i;

	*a = -1;
	if (!cscg_binding_cost_walk(r, candidate, path, err))
		return -1;
	for (i = 0; i < r->n; i++)
		if (i != best)
			least = fmin(least, r->least[i]);
	if (isinf(r->least[best]) || least - r->least[best] >= min_lead)
		return 0;
	*a = choose_plan(r, candidate, path, best, 0, r->plans.n_short, rng);
	if (*a < 0)
		*a = choose_plan(r, candidate, path, best, r->plans.n_short,
		    r->plans.n, rng);
	return 0;
}
