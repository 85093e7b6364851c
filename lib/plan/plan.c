/*
 * plan.c - max-product planning: score and actions of the likeliest path to a
 * goal
 *
 * W_t(j), the highest probability of a path of at most t transitions from
 * state j to the goal, is max(goal(j), max_{a,k} T_a(j,k) W_{t-1}(k)).  Layer
 * t holds the states whose W_t is above W_{t-1}.  Only transitions into those
 * states can change the next layer, so with deterministic T this is a
 * breadth-first search, and when a layer is empty, no longer plan is better.
 *
 * A path of t transitions whose value is new in layer t passes through values
 * that are new in layers t-1, t-2, ..., 0: if one were older, there would be a
 * shorter path of the same probability.  So the plan is read from the layers,
 * forwards.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "io/json_write.h"
#include "kernel/filter.h"
#include "kernel/passes.h"
#include "plan/plan.h"

static const double EQUAL_RTOL = 1e-12; /* rounding of a product of factors */

/* A value that was new in a layer. */
struct layer_value {
	int state;
	long layer;
	double w;
	long previous; /* value of the same state before, or -1 */
};

struct search {
	const struct cscg_plan_graph *graph;
	const struct cscg_plan_query *query;
	struct layer_value *v;
	size_t n, cap;
	long *latest;    /* [n_states] value of the state, or -1 */
	double best;     /* success of the best start so far, */
	long best_layer; /* new in this layer; -1: none */
};

static double
start_weight(const struct search *s, int j)
{
	return s->query->start ? s->query->start[j] : j == s->query->from;
}

/* Set W(j) = w in layer t, if w is larger. */
static int
raise_value(struct search *s, int j, double w, long t, struct cscg_err *err)
{
	long at = s->latest[j];

	if (w <= (at < 0 ? 0 : s->v[at].w * (1 + EQUAL_RTOL)))
		return 0;
	if (at < 0 || s->v[at].layer < t) {
		if (cscg_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, err) < 0)
			return -1;
		s->v[s->n] = (struct layer_value){ j, t, w, at };
		s->latest[j] = (long)s->n++;
	} else {
		s->v[at].w = w;
	}
	return 0;
}

/* Update the best start from the values of layer t, from index first on. */
static void
update_best(struct search *s, size_t first, long t)
{
	double p;

	for (; first < s->n; first++) {
		p = start_weight(s, s->v[first].state) * s->v[first].w;
		if (p > s->best * (1 + EQUAL_RTOL)) {
			s->best = p;
			s->best_layer = t;
		}
	}
}

static bool
is_confident(const struct search *s)
{
	return !s->query->best && s->best > 0 &&
	    s->best >= s->query->confidence * (1 - EQUAL_RTOL);
}

static int
search(struct search *s, struct cscg_err *err)
{
	const struct cscg_plan_graph *graph = s->graph;
	long limit = s->query->max_steps, t, i;
	size_t from = 0, to, at;
	int j;

	for (j = 0; j < graph->n_states; j++)
		if (raise_value(s, j, s->query->goal[j], 0, err) < 0)
			return -1;
	update_best(s, 0, 0);
	for (t = 1;
	     !is_confident(s) && from < s->n && (limit < 0 || t <= limit);
	     t++) {
		to = s->n;
		for (at = from; at < to; at++) {
			double w = s->v[at].w;
			int k = s->v[at].state;

			for (i = graph->in_first[k];
			     i < graph->in_first[k + 1]; i++)
				if (raise_value(s, graph->in_from[i],
					graph->p[graph->in_edge[i]] * w, t,
					err) < 0)
					return -1;
		}
		from = to;
		update_best(s, from, t);
	}
	return 0;
}

/* W of state k if it was new in layer t, else 0. */
static double
value_in_layer(const struct search *s, int k, long t)
{
	long at = s->latest[k];

	while (at >= 0 && s->v[at].layer > t)
		at = s->v[at].previous;
	return at >= 0 && s->v[at].layer == t ? s->v[at].w : 0;
}

/* Whether p equals the best and is drawn among the *n equal ones so far. */
static bool
pick_equal(double p, double best, long *n, struct cscg_rng *rng)
{
	return p >= best * (1 - 10 * EQUAL_RTOL) && p > 0 &&
	    cscg_rng_below(rng, ++*n) == 0;
}

static int
first_state(const struct search *s, struct cscg_rng *rng)
{
	int j, from = -1;
	long n = 0;

	for (j = 0; j < s->graph->n_states; j++)
		if (pick_equal(start_weight(s, j) *
			    value_in_layer(s, j, s->best_layer),
			s->best, &n, rng))
			from = j;
	return from;
}

/* Choose the transition from plan->z[t], with `left` more to follow. */
static void
choose_transition(const struct search *s, struct cscg_plan *plan, long t,
    long left, struct cscg_rng *rng)
{
	const struct cscg_plan_graph *graph = s->graph;
	int a, j = plan->z[t];
	double w = value_in_layer(s, j, left + 1);
	long n = 0, r, i;

	for (a = 0; a < graph->n_actions; a++) {
		r = (long)a * graph->n_states + j;
		for (i = graph->first[r]; i < graph->first[r + 1]; i++) {
			if (!pick_equal(graph->p[i] *
				    value_in_layer(s, graph->to[i], left),
				w, &n, rng))
				continue;
			plan->a[t] = a;
			plan->z[t + 1] = graph->to[i];
			plan->p[t + 1] = plan->p[t] * graph->p[i];
		}
	}
}

static int
extract_plan(const struct search *s, struct cscg_plan *plan,
    struct cscg_err *err)
{
	size_t n = (size_t)s->best_layer;
	struct cscg_rng rng;
	long t;

	plan->n = (long)n;
	plan->a = cscg_alloc(n, sizeof *plan->a, err);
	plan->z = cscg_alloc(n + 1, sizeof *plan->z, err);
	plan->p = cscg_alloc(n + 1, sizeof *plan->p, err);
	if (!plan->a || !plan->z || !plan->p) {
		cscg_plan_free(plan);
		return -1;
	}
	cscg_rng_seed(&rng, s->query->seed, CSCG_RNG_PLAN, s->query->key, 0);
	plan->z[0] = first_state(s, &rng);
	plan->p[0] = start_weight(s, plan->z[0]);
	for (t = 0; t < plan->n; t++)
		choose_transition(s, plan, t, plan->n - t - 1, &rng);
	plan->success = plan->p[plan->n] * s->query->goal[plan->z[plan->n]];
	return 1;
}

int
cscg_plan(const struct cscg_plan_graph *graph,
    const struct cscg_plan_query *query, struct cscg_plan *plan, double *best,
    struct cscg_err *err)
{
	struct search s = { .graph = graph, .query = query, .best_layer = -1 };
	int j, rc = -1;

	*plan = (struct cscg_plan){ 0 };
	s.latest = cscg_alloc((size_t)graph->n_states, sizeof *s.latest, err);
	if (!s.latest)
		return -1;
	for (j = 0; j < graph->n_states; j++)
		s.latest[j] = -1;
	if (search(&s, err) < 0)
		goto out;
	if (best)
		*best = s.best;
	rc = is_confident(&s) || (query->best && s.best > 0) ?
	    extract_plan(&s, plan, err) :
	    0;
out:
	free(s.latest);
	free(s.v);
	return rc;
}

void
cscg_plan_free(struct cscg_plan *plan)
{
	free(plan->a);
	free(plan->z);
	free(plan->p);
	*plan = (struct cscg_plan){ 0 };
}

/* ---- plans as lines of actions or as a line of JSON ---- */

int
cscg_plan_write(const struct cscg_plan *plan, const struct cscg_model *m,
    struct cscg_out *out, struct cscg_err *err)
{
	long t;
	int rc = 0;

	for (t = 0; t < plan->n && rc == 0; t++)
		rc = m->actions.n ?
		    cscg_out_printf(out, err, "%s\n",
			m->actions.v[plan->a[t]]) :
		    cscg_out_printf(out, err, "%d\n", plan->a[t]);
	return rc;
}

/* The names of n items, or their numbers if they have none. */
static void
write_names(struct cscg_json_writer *w, const char *key,
    const struct cscg_names *names, const int *v, long n)
{
	long i;

	cscg_json_open(w, key, '[');
	for (i = 0; i < n; i++)
		if (names->n)
			cscg_json_put_string(w, NULL, names->v[v[i]]);
		else if (v[i] < 0)
			cscg_json_put_text(w, NULL, "null");
		else
			cscg_json_put_int(w, NULL, v[i]);
	cscg_json_close(w, ']');
}

/* The most likely symbols along the path and their probabilities. */
static int
write_symbols(struct cscg_json_writer *w, const struct cscg_plan *plan,
    const struct cscg_model *m)
{
	size_t n = (size_t)plan->n + 1, t;
	int *x = cscg_alloc(n, sizeof *x, w->err);
	double *p = cscg_alloc(n, sizeof *p, w->err);
	bool ok = x && p;

	for (t = 0; ok && t < n; t++) {
		x[t] = cscg_model_best_symbol(m, plan->z[t]);
		p[t] = cscg_model_E(m, plan->z[t], x[t]);
	}
	if (ok) {
		write_names(w, "x", &m->symbols, x, (long)n);
		cscg_json_put_doubles(w, "x_p", p, (long)n);
	}
	free(x);
	free(p);
	return ok ? 0 : -1;
}

int
cscg_plan_write_json(const struct cscg_plan *plan, const struct cscg_model *m,
    double now_p, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_json_writer w = { .out = out, .digits = 9, .err = err };

	cscg_json_open(&w, NULL, '{');
	cscg_json_put_int(&w, "length", plan->n);
	cscg_json_put_real(&w, "probability", plan->success);
	if (isnan(now_p))
		cscg_json_put_text(&w, "now_p", "null");
	else
		cscg_json_put_real(&w, "now_p", now_p);
	write_names(&w, "actions", &m->actions, plan->a, plan->n);
	cscg_json_put_ints(&w, "states", plan->z, plan->n + 1);
	cscg_json_put_doubles(&w, "p", plan->p, plan->n + 1);
	if (m->kind == CSCG_GROUNDED && write_symbols(&w, plan, m) < 0)
		return -1;
	cscg_json_close(&w, '}');
	return cscg_json_end(&w);
}

/* ---- goals ---- */

/* Parse a number in 0..INT_MAX; -1 if text is anything else. */
static int
parse_number(const char *text)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtol(text, &end, 10);
	return *end || errno || n > INT_MAX ? -1 : (int)n;
}

int
cscg_goal_parse_state(const char *text, int *n, struct cscg_err *err)
{
	*n = parse_number(text);
	return *n >= 0 ? 0 :
			 cscg_fail(err, CSCG_EUSAGE,
			     "'%.40s' is not the number of a state", text);
}

int
cscg_goal_parse(const char *text, struct cscg_goal *goal, struct cscg_err *err)
{
	*goal = (struct cscg_goal){ .state = -1 };
	if (!strcmp(text, "start")) {
		goal->kind = CSCG_GOAL_START;
	} else if (!strcmp(text, "env")) {
		goal->kind = CSCG_GOAL_ENV;
	} else if (!strcmp(text, "match")) {
		goal->kind = CSCG_GOAL_MATCH;
	} else if (!strcmp(text, "reward")) {
		goal->kind = CSCG_GOAL_REWARD;
	} else if (!strncmp(text, "symbol:", 7) && text[7]) {
		goal->kind = CSCG_GOAL_SYMBOL;
		goal->symbol = text + 7;
	} else if (!strncmp(text, "state:", 6)) {
		goal->kind = CSCG_GOAL_STATE;
		return cscg_goal_parse_state(text + 6, &goal->state, err);
	} else {
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not one of symbol:X, state:N, start, env, "
		    "reward, match",
		    text);
	}
	return 0;
}

int
cscg_goal_symbol(const struct cscg_goal *goal, const struct cscg_names *names,
    int n_obs, struct cscg_err *err)
{
	int x = cscg_names_find(names, goal->symbol);

	if (x < 0)
		x = parse_number(goal->symbol);
	if (x < 0 || x >= n_obs)
		return cscg_fail(err, CSCG_EUSAGE,
		    "'%.40s' is not %s"
		    "the number of a symbol in 0..%d",
		    goal->symbol, names->n ? "the name of a symbol, nor " : "",
		    n_obs - 1);
	return x;
}

void
cscg_goal_weigh_symbol(const struct cscg_model *m, int x, double *weight)
{
	int first, last, j;

	for (first = 0; first < m->n_states; first = last) {
		double seen = 0;

		for (last = first; last < m->n_states &&
		     (last == first ||
			 (m->clone && m->clone[last] == m->clone[first]));
		     last++)
			seen = fmax(seen,
			    m->confidence ? m->confidence[last] : 1);
		for (j = first; j < last; j++)
			weight[j] = fmax(weight[j],
			    fmin(seen < .5 ? seen : 1, cscg_model_E(m, j, x)));
	}
}

/* Filter the last episode of the walk. */
static int
filter_last_episode(struct cscg_filter *b, const struct cscg_walk *w,
    struct cscg_err *err)
{
	int e = w->n_episodes - 1;
	long t;

	if (e < 0)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the walk has no episode, so its last state is undefined");
	for (t = w->start[e]; t < w->start[e + 1]; t++)
		if (cscg_filter_observe(b,
			cscg_walk_starts_run(w, e, t) ? -1 : w->a[t - 1],
			w->x[t]) <= 0)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "episode %d, step %ld: the model cannot produce "
			    "this walk",
			    e, t - w->start[e]);
	return 0;
}

int
cscg_plan_locate(const struct cscg_model *m, double lambda,
    const struct cscg_walk *w, int *last, int *first, double *p,
    struct cscg_err *err)
{
	struct cscg_model *smooth = cscg_plan_smooth(m, lambda, err);
	struct cscg_trans *tr = NULL;
	const struct cscg_filter_options path = { .path = true };
	struct cscg_filter *belief = NULL;
	int rc = -1;

	if (smooth)
		tr = cscg_trans_new(smooth, &cscg_plain_double, err);
	if (tr)
		belief = cscg_filter_new(tr, &path, err);
	if (belief && filter_last_episode(belief, w, err) == 0) {
		*last = cscg_filter_state(belief);
		*first = cscg_filter_first_state(belief);
		cscg_filter_probs(belief, p);
		rc = 0;
	}
	cscg_filter_free(belief);
	cscg_trans_free(tr);
	cscg_model_free(smooth);
	return rc;
}
