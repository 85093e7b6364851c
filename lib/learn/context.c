/*
 * context.c - states from contexts: steps are clustered by their predecessor
 * and compared by their successors
 *
 * The contexts of a symbol are visited in order of their number of steps.
 * Each joins the cluster whose outcomes are most similar, or starts a cluster
 * if the test rejects all clusters and the context has enough steps for the
 * test.  Then every context is assigned again, twice, since early clusters
 * were small, and clusters that the test cannot distinguish are joined.
 * Contexts with too few steps for the test are assigned again once, at the end.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/mem.h"
#include "kernel/passes.h"
#include "learn/constants.h"
#include "learn/context.h"
#include "learn/merge_beam.h"

static const struct cscg_context_constants *const limits =
    &cscg_learn_constants.context;

/* ---- contexts and their outcomes ---- */

/* How often an outcome followed: action * n_states + next state. */
struct outcome {
	long what;
	double count;
};

struct contexts {
	struct cscg_pool mem; /* all arrays */
	const struct cscg_walk *w;
	const struct cscg_merge *f;
	long n;
	long *of;     /* [n_steps] context of each step, -1: none */
	long *visits; /* [n] steps */
	int *symbol;  /* [n] */
	int *cluster; /* [n] within the symbol, then among all; -1: none */
	long *first;  /* [n + 1] outcomes of each context */
	struct outcome *outcome;
};

/* True if a transition with a known state leads into step t of episode e. */
static bool
has_predecessor(const struct contexts *c, int e, long t)
{
	return !cscg_walk_starts_run(c->w, e, t) && c->f->state[t - 1] >= 0;
}

/* Number the contexts of all steps. */
static int
number_contexts(struct contexts *c, struct cscg_err *err)
{
	const struct cscg_walk *w = c->w;
	struct cscg_keys h = { 0 };
	uint64_t from, key;
	long t;
	int e;

	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			c->of[t] = -1;
			if (c->f->state[t] < 0)
				continue;
			from = has_predecessor(c, e, t) ? 1 +
				(uint64_t)w->a[t - 1] *
				    (uint64_t)c->f->n_states +
				(uint64_t)c->f->state[t - 1] :
							  0;
			key = from * (uint64_t)w->head.n_obs +
			    (uint64_t)w->x[t];
			c->of[t] = cscg_keys_add(&h, key, err);
			if (c->of[t] < 0) {
				cscg_keys_free(&h);
				return -1;
			}
		}
	c->n = h.n;
	cscg_keys_free(&h);
	return 0;
}

/* True if step t has an outcome: an action and a known next state. */
static bool
has_outcome(const struct contexts *c, int e, long t)
{
	return c->of[t] >= 0 && t + 1 < c->w->start[e + 1] &&
	    has_predecessor(c, e, t + 1) && c->f->state[t + 1] >= 0;
}

static long
outcome_at(const struct contexts *c, long t)
{
	return (long)c->w->a[t] * c->f->n_states + c->f->state[t + 1];
}

/* Move the outcomes of all contexts, counted by key, to their contexts. */
static int
sort_outcomes(struct contexts *c, const struct cscg_keys *h,
    const double *count, struct cscg_err *err)
{
	uint64_t n_outcomes = (uint64_t)c->w->head.n_actions *
	    (uint64_t)c->f->n_states;
	long *at, i, k;

	c->first = cscg_pool_add(&c->mem, (size_t)c->n + 1, sizeof *c->first);
	c->outcome = cscg_pool_add(&c->mem, (size_t)h->n + 1,
	    sizeof *c->outcome);
	at = cscg_alloc((size_t)c->n + 1, sizeof *at, err);
	if (c->mem.failed || !at) {
		free(at);
		return -1;
	}
	for (i = 0; i < h->n; i++)
		c->first[h->key[i] / n_outcomes + 1]++;
	for (k = 0; k < c->n; k++)
		c->first[k + 1] += c->first[k];
	memcpy(at, c->first, ((size_t)c->n + 1) * sizeof *at);
	for (i = 0; i < h->n; i++)
		c->outcome[at[h->key[i] / n_outcomes]++] = (struct outcome){
			(long)(h->key[i] % n_outcomes), count[i]
		};
	free(at);
	return 0;
}

static int
count_outcomes(struct contexts *c, struct cscg_err *err)
{
	const struct cscg_walk *w = c->w;
	uint64_t n_outcomes = (uint64_t)w->head.n_actions *
	    (uint64_t)c->f->n_states;
	struct cscg_keys h = { 0 };
	double *count = cscg_alloc((size_t)w->n_steps + 1, sizeof *count, err);
	long t, i;
	int e, rc = count ? 0 : -1;

	for (e = 0; e < w->n_episodes && rc == 0; e++)
		for (t = w->start[e]; t < w->start[e + 1] && rc == 0; t++) {
			if (!has_outcome(c, e, t))
				continue;
			i = cscg_keys_add(&h,
			    (uint64_t)c->of[t] * n_outcomes +
				(uint64_t)outcome_at(c, t),
			    err);
			if (i < 0)
				rc = -1;
			else
				count[i]++;
		}
	if (rc == 0)
		rc = sort_outcomes(c, &h, count, err);
	cscg_keys_free(&h);
	free(count);
	return rc;
}

static int
contexts_new(struct contexts *c, const struct cscg_walk *w,
    const struct cscg_merge *f, struct cscg_err *err)
{
	long t;

	*c = (struct contexts){ .mem.err = err, .w = w, .f = f };
	c->of = cscg_pool_add(&c->mem, (size_t)w->n_steps, sizeof *c->of);
	if (!c->of || number_contexts(c, err) < 0 ||
	    count_outcomes(c, err) < 0)
		return -1;
	c->visits = cscg_pool_add(&c->mem, (size_t)c->n, sizeof *c->visits);
	c->symbol = cscg_pool_add(&c->mem, (size_t)c->n, sizeof *c->symbol);
	c->cluster = cscg_pool_add(&c->mem, (size_t)c->n, sizeof *c->cluster);
	if (c->mem.failed)
		return -1;
	for (t = 0; t < w->n_steps; t++) {
		if (c->of[t] < 0)
			continue;
		c->visits[c->of[t]]++;
		c->symbol[c->of[t]] = w->x[t];
	}
	for (t = 0; t < c->n; t++)
		c->cluster[t] = -1;
	return 0;
}

/* ---- clusters of the contexts of one symbol ---- */

struct ranked {
	int symbol;
	long visits, context;
};

struct clusters {
	struct cscg_pool mem; /* all arrays */
	const struct contexts *c;
	const struct ranked *order; /* contexts of the symbol ... */
	long n_contexts;            /* ... most visited first */
	int A;
	int *cell_of; /* [A * n_states] cell of an outcome, -1: none */
	int *action;  /* [n_cells] */
	int n_cells;
	int n;          /* clusters */
	double *count;  /* [n][n_cells] */
	double *row;    /* [n][A] their sums by action */
	double *visits; /* [n] */
	double *u;      /* [n_cells] counts that are compared ... */
	double *u_row;  /* ... [A] and their sums */
	int *used;      /* [A] degrees of freedom */
	double *xlogx;  /* [n_steps + 1] x log x of counts */
};

/* x log x of a count. */
static double
xlogx(const struct clusters *s, double x)
{
	return s->xlogx[(long)x];
}

/* Add an empty cluster. */
static int
cluster_add(struct clusters *s)
{
	size_t n = (size_t)s->n + 1, cells = (size_t)s->n_cells;

	if (cscg_pool_grow(&s->mem, &s->count, n * cells, sizeof *s->count) <
		0 ||
	    cscg_pool_grow(&s->mem, &s->row, n * (size_t)s->A,
		sizeof *s->row) < 0 ||
	    cscg_pool_grow(&s->mem, &s->visits, n, sizeof *s->visits) < 0)
		return -1;
	memset(s->count + (n - 1) * cells, 0, cells * sizeof *s->count);
	memset(s->row + (n - 1) * (size_t)s->A, 0,
	    (size_t)s->A * sizeof *s->row);
	s->visits[n - 1] = 0;
	return s->n++;
}

/* The counts of context i into u. */
static void
load_context(struct clusters *s, long i)
{
	const struct contexts *c = s->c;
	long k;
	int cell;

	memset(s->u, 0, (size_t)s->n_cells * sizeof *s->u);
	memset(s->u_row, 0, (size_t)s->A * sizeof *s->u_row);
	for (k = c->first[i]; k < c->first[i + 1]; k++) {
		cell = s->cell_of[c->outcome[k].what];
		s->u[cell] = c->outcome[k].count;
		s->u_row[s->action[cell]] += c->outcome[k].count;
	}
}

/* Add u, of `visits` steps, to cluster k, or (sign -1) remove it. */
static void
cluster_update(struct clusters *s, int k, double visits, double sign)
{
	double *count = s->count + (size_t)k * (size_t)s->n_cells;
	double *row = s->row + (size_t)k * (size_t)s->A;
	int i;

	for (i = 0; i < s->n_cells; i++)
		count[i] += sign * s->u[i];
	for (i = 0; i < s->A; i++)
		row[i] += sign * s->u_row[i];
	s->visits[k] += sign * visits;
}

/*
 * The likelihood-ratio statistic of u and cluster k: twice the log-likelihood
 * lost by common distributions of outcomes, one for each action that both
 * have; as a standard normal deviate (Wilson and Hilferty).  Without a degree
 * of freedom the deviate is that of a statistic well below its mean.
 */
static double
difference(struct clusters *s, int k)
{
	const double *count = s->count + (size_t)k * (size_t)s->n_cells;
	const double *row = s->row + (size_t)k * (size_t)s->A;
	double g = 0, freedom = 0, spread;
	int i, a;

	memset(s->used, 0, (size_t)s->A * sizeof *s->used);
	for (i = 0; i < s->n_cells; i++) {
		a = s->action[i];
		if (s->u_row[a] <= 0 || row[a] <= 0)
			continue;
		if (s->u[i] > 0)
			g += xlogx(s, s->u[i]) + xlogx(s, count[i]) -
			    xlogx(s, s->u[i] + count[i]);
		s->used[a] += s->u[i] > 0 ||
		    count[i] * s->u_row[a] >= limits->min_expected * row[a];
	}
	for (a = 0; a < s->A; a++) {
		if (s->u_row[a] <= 0 || row[a] <= 0)
			continue;
		g += xlogx(s, s->u_row[a] + row[a]) - xlogx(s, s->u_row[a]) -
		    xlogx(s, row[a]);
		freedom += s->used[a] > 1 ? s->used[a] - 1 : 0;
	}
	if (freedom <= 0)
		return -2;
	spread = 2 / (9 * freedom);
	return (cbrt(fmax(2 * g, 0) / freedom) - 1 + spread) / sqrt(spread);
}

/* The cluster below n most similar to u, -1: none; *least: its difference. */
static int
most_similar(struct clusters *s, int n, double *least)
{
	double d;
	int k, best = -1;

	for (k = 0; k < n; k++) {
		if (s->visits[k] < 0.5)
			continue;
		d = difference(s, k);
		if (best < 0 || d < *least) {
			best = k;
			*least = d;
		}
	}
	return best;
}

/* Assign context i to a cluster, again if it has one. */
static int
assign_context(struct clusters *s, long i)
{
	double visits = (double)s->c->visits[i], least = 0;
	int *cluster = &s->c->cluster[i], k;

	load_context(s, i);
	if (*cluster >= 0)
		cluster_update(s, *cluster, visits, -1);
	k = most_similar(s, s->n, &least);
	if (k < 0 ||
	    (least > limits->rejection && visits >= limits->min_visits))
		k = cluster_add(s);
	if (k < 0)
		return -1;
	cluster_update(s, k, visits, 1);
	*cluster = k;
	return 0;
}

struct sized {
	double visits;
	int cluster;
};

static int
larger_first(const void *a, const void *b)
{
	const struct sized *p = a, *q = b;

	if (p->visits != q->visits)
		return p->visits > q->visits ? -1 : 1;
	return p->cluster < q->cluster ? -1 : p->cluster > q->cluster;
}

/*
 * Join clusters that the test does not distinguish, the largest first, and
 * number those that are left from *n_states on.
 */
static int
join_clusters(struct clusters *s, int *n_states, struct cscg_err *err)
{
	struct cscg_pool mem = { .err = err };
	struct sized *order = cscg_pool_add(&mem, (size_t)s->n + 1,
	    sizeof *order);
	int *into = cscg_pool_add(&mem, (size_t)s->n + 1, sizeof *into);
	int k, i, n = s->n, best;
	double least = 0;
	long j;

	if (mem.failed) {
		cscg_pool_free(&mem);
		return -1;
	}
	for (k = 0; k < n; k++)
		order[k] = (struct sized){ s->visits[k], k };
	qsort(order, (size_t)n, sizeof *order, larger_first);
	memset(s->visits, 0, (size_t)n * sizeof *s->visits);
	for (i = 0; i < n && order[i].visits >= 0.5; i++) {
		k = order[i].cluster;
		memcpy(s->u, s->count + (size_t)k * (size_t)s->n_cells,
		    (size_t)s->n_cells * sizeof *s->u);
		memcpy(s->u_row, s->row + (size_t)k * (size_t)s->A,
		    (size_t)s->A * sizeof *s->u_row);
		best = most_similar(s, n, &least);
		if (best >= 0 && least <= limits->rejection) {
			cluster_update(s, best, order[i].visits, 1);
			into[k] = into[best];
		} else {
			s->visits[k] = order[i].visits;
			into[k] = (*n_states)++;
		}
	}
	for (j = 0; j < s->n_contexts; j++) {
		int *cluster = &s->c->cluster[s->order[j].context];

		*cluster = into[*cluster];
	}
	cscg_pool_free(&mem);
	return 0;
}

/* Number the outcomes of the contexts of the symbol as cells. */
static int
number_cells(struct clusters *s)
{
	const struct contexts *c = s->c;
	long j, k;
	int *cell;

	s->n = s->n_cells = 0;
	for (j = 0; j < s->n_contexts; j++)
		for (k = c->first[s->order[j].context];
		     k < c->first[s->order[j].context + 1]; k++) {
			cell = &s->cell_of[c->outcome[k].what];
			if (*cell >= 0)
				continue;
			if (cscg_pool_grow(&s->mem, &s->action,
				(size_t)s->n_cells + 1, sizeof *s->action) < 0)
				return -1;
			s->action[s->n_cells] = (int)(c->outcome[k].what /
			    c->f->n_states);
			*cell = s->n_cells++;
		}
	return cscg_pool_grow(&s->mem, &s->u, (size_t)s->n_cells + 1,
	    sizeof *s->u);
}

static void
forget_cells(struct clusters *s)
{
	const struct contexts *c = s->c;
	long j, k;

	for (j = 0; j < s->n_contexts; j++)
		for (k = c->first[s->order[j].context];
		     k < c->first[s->order[j].context + 1]; k++)
			s->cell_of[c->outcome[k].what] = -1;
}

/* Cluster the contexts of one symbol. */
static int
cluster_symbol(struct clusters *s, int *n_states, struct cscg_err *err)
{
	long j;
	int pass;

	if (number_cells(s) < 0)
		return -1;
	for (pass = 0; pass < limits->passes; pass++)
		for (j = 0; j < s->n_contexts &&
		     (pass != 1 || s->order[j].visits >= limits->min_visits);
		     j++)
			if (assign_context(s, s->order[j].context) < 0)
				return -1;
	forget_cells(s);
	return join_clusters(s, n_states, err);
}

static int
by_rank(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;

	if (p->symbol != q->symbol)
		return p->symbol < q->symbol ? -1 : 1;
	if (p->visits != q->visits)
		return p->visits > q->visits ? -1 : 1;
	return p->context < q->context ? -1 : p->context > q->context;
}

static int
clusters_new(struct clusters *s, const struct contexts *c,
    struct cscg_err *err)
{
	size_t n = (size_t)c->w->head.n_actions * (size_t)c->f->n_states, i;
	size_t steps = (size_t)c->w->n_steps;

	*s = (struct clusters){
		.mem.err = err, .c = c, .A = c->w->head.n_actions
	};
	s->cell_of = cscg_pool_add(&s->mem, n, sizeof *s->cell_of);
	s->u_row = cscg_pool_add(&s->mem, (size_t)s->A, sizeof *s->u_row);
	s->used = cscg_pool_add(&s->mem, (size_t)s->A, sizeof *s->used);
	s->xlogx = cscg_pool_add(&s->mem, steps + 1, sizeof *s->xlogx);
	for (i = 0; s->cell_of && i < n; i++)
		s->cell_of[i] = -1;
	for (i = 1; s->xlogx && i <= steps; i++)
		s->xlogx[i] = (double)i * log((double)i);
	return s->mem.failed ? -1 : 0;
}

/* Cluster the contexts of all symbols; the number of clusters, or -1. */
static int
cluster_contexts(const struct contexts *c, struct cscg_err *err)
{
	struct ranked *order = cscg_alloc((size_t)c->n, sizeof *order, err);
	struct clusters s = { 0 };
	long i, end;
	int n = 0, rc = order ? clusters_new(&s, c, err) : -1;

	for (i = 0; i < c->n && rc == 0; i++)
		order[i] = (struct ranked){ c->symbol[i], c->visits[i], i };
	if (rc == 0)
		qsort(order, (size_t)c->n, sizeof *order, by_rank);
	for (i = 0; i < c->n && rc == 0; i = end) {
		for (end = i + 1;
		     end < c->n && order[end].symbol == order[i].symbol; end++)
			;
		s.order = order + i;
		s.n_contexts = end - i;
		rc = cluster_symbol(&s, &n, err);
	}
	cscg_pool_free(&s.mem);
	free(order);
	return rc < 0 ? -1 : n;
}

/* ---- rounds ---- */

struct cscg_merge *
cscg_context_symbols(const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_merge *f = cscg_alloc(1, sizeof *f, err);
	int *number, x;
	long t;

	if (!f)
		return NULL;
	number = cscg_alloc((size_t)w->head.n_obs, sizeof *number, err);
	f->symbol = cscg_alloc((size_t)w->head.n_obs, sizeof *f->symbol, err);
	f->state = cscg_alloc((size_t)w->n_steps, sizeof *f->state, err);
	if (!number || !f->symbol || !f->state) {
		free(number);
		cscg_merge_free(f);
		return NULL;
	}
	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] >= 0)
			number[w->x[t]] = 1;
	for (x = 0; x < w->head.n_obs; x++)
		if (number[x]) {
			f->symbol[f->n_states] = x;
			number[x] = f->n_states++;
		}
	for (t = 0; t < w->n_steps; t++)
		f->state[t] = w->x[t] < 0 ? -1 : number[w->x[t]];
	free(number);
	return f;
}

/* The steps of context i followed by each action: all, and the largest. */
static void
action_sums(const struct contexts *c, long i, double *sum, double *most)
{
	size_t A = (size_t)c->w->head.n_actions;
	long k;
	int a;

	memset(sum, 0, A * sizeof *sum);
	memset(most, 0, A * sizeof *most);
	for (k = c->first[i]; k < c->first[i + 1]; k++) {
		a = (int)(c->outcome[k].what / c->f->n_states);
		sum[a] += c->outcome[k].count;
		most[a] = fmax(most[a], c->outcome[k].count);
	}
}

struct limit {
	long left;              /* calls */
	struct cscg_poll *poll; /* of the caller, or NULL */
};

/* Stops a search after that many calls, or if the caller does. */
static int
count_down(void *ctx, const char *stage, double done, double total)
{
	struct limit *limit = ctx;

	return cscg_poll(limit->poll, stage, done, total) ||
	    limit->left-- <= 0;
}

/*
 * 1 if state merging explains the walk without noise, 0, or -1.  Without noise
 * it compares fewer pairs than the walk has steps, with noise a hundred times
 * as many.
 */
static int
merges_fully(const struct cscg_walk *w, struct cscg_poll *caller,
    struct cscg_err *err)
{
	const size_t n_starts = 2;
	struct limit limit = { limits->merge_comparisons * w->n_steps,
		caller };
	struct cscg_poll poll = { .call = count_down, .ctx = &limit };
	struct cscg_merge *m = NULL;
	int rc = cscg_merge(w, n_starts, &poll, &m, err);

	if (rc >= 0 && !(m && m->complete)) {
		cscg_merge_free(m);
		rc = cscg_merge_beam(w, caller, &m, err);
	}
	if (rc > 0)
		rc = m->complete;
	cscg_merge_free(m);
	return rc;
}

/* 1 if there is noise by this rule, 0 if not, -1: too few pairs. */
static int
apply_rule(const struct contexts *c, const struct cscg_noise_rule *rule,
    double *sum, double *most)
{
	long i, pairs = 0, exact = 0;
	int a;

	for (i = 0; i < c->n; i++) {
		action_sums(c, i, sum, most);
		for (a = 0; a < c->w->head.n_actions; a++) {
			if (sum[a] < rule->min_steps ||
			    most[a] < limits->min_share * sum[a])
				continue;
			pairs++;
			exact += most[a] >= sum[a];
		}
	}
	return pairs < rule->min_pairs ?
	    -1 :
	    (double)exact < rule->max_exact * (double)pairs;
}

/* 1 if there is noise by the first rule that decides, 0 if not, -1: none does. */
static int
apply_rules(const struct contexts *c, double *sum, double *most)
{
	size_t i;
	int found = -1;

	for (i = 0; i < CSCG_NOISE_RULES && found < 0; i++)
		found = apply_rule(c, &limits->noise_rules[i], sum, most);
	return found;
}

/*
 * Apply the rules to the contexts of one step and, while no rule decides, to
 * longer ones: the state of a step in f becomes its context.  Without actions,
 * rare outcomes of longer contexts are those of a stochastic source, not noise:
 * only contexts of one step are tested.  *found: 1, 0, or -1 if no length
 * decides.  Returns 0, or -1 with err filled.
 */
static int
find_noise(const struct cscg_walk *w, struct cscg_merge *f, int *found,
    struct cscg_err *err)
{
	size_t A = (size_t)w->head.n_actions;
	double *sum = cscg_alloc(A, sizeof *sum, err);
	double *most = cscg_alloc(A, sizeof *most, err);
	struct contexts c = { 0 };
	int length, rc = sum && most ? 0 : -1;
	bool enough = true;
	long t;

	*found = -1;
	for (length = 1; length <= limits->max_length && enough && rc == 0;
	     length++) {
		rc = contexts_new(&c, w, f, err);
		if (rc == 0)
			*found = apply_rules(&c, sum, most);
		/* Pairs with fewer steps than any rule needs are not counted. */
		enough = rc == 0 && *found < 0 && A > 1 &&
		    c.n * (long)A * limits->min_visits <= w->n_steps;
		for (t = 0; t < w->n_steps && enough; t++)
			f->state[t] = (int)c.of[t];
		f->n_states = (int)c.n;
		cscg_pool_free(&c.mem);
	}
	free(sum);
	free(most);
	return rc;
}

int
cscg_context_is_noisy(const struct cscg_walk *w, struct cscg_poll *poll,
    struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(w, err);
	int found = -1;
	int rc = f ? find_noise(w, f, &found, err) : -1;

	/*
	 * Where most nodes emit one symbol, contexts of one step mix nodes, and
	 * their rare outcomes look like noise.
	 */
	if (rc == 0 && found > 0) {
		rc = merges_fully(w, poll, err);
		found = rc == 0;
	}
	cscg_merge_free(f);
	return rc < 0 ? -1 : found > 0;
}

int
cscg_context_round(const struct cscg_walk *w, struct cscg_merge *f,
    struct cscg_err *err)
{
	struct contexts c;
	int *symbol = NULL, n = -1;
	long t;

	if (contexts_new(&c, w, f, err) == 0)
		n = cluster_contexts(&c, err);
	if (n >= 0)
		symbol = cscg_alloc((size_t)n, sizeof *symbol, err);
	if (symbol) {
		for (t = 0; t < w->n_steps; t++)
			if (c.of[t] >= 0) {
				f->state[t] = c.cluster[c.of[t]];
				symbol[f->state[t]] = w->x[t];
			}
		free(f->symbol);
		f->symbol = symbol;
		f->n_states = n;
	}
	cscg_pool_free(&c.mem);
	return symbol ? 0 : -1;
}
