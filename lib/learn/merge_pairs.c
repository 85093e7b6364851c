/*
 * merge_pairs.c - state merging of a short deterministic walk
 *
 * The graph of an environment that is still being explored has few visits to
 * each state, and many transitions that were never tried.  Landmarks (merge.c)
 * need more.  So all pairs of states with the same symbol are compared, and
 * those with the most evidence are merged first.  An action may have a finite
 * order, as a turn has: then few repetitions show all states of its cycle.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/merge.h"
#include "learn/merge_sets.h"

static const struct cscg_pairs_constants *const limits =
    &cscg_learn_constants.pairs;

struct pair {
	int u, v;
	double nats;
};

struct pairs {
	struct pair *v;
	size_t n, cap;
	int *root; /* [n_steps] scratch */
	double min_nats;
};

static int
by_evidence(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	if (p->nats != q->nats)
		return p->nats > q->nats ? -1 : 1;
	return p->u != q->u ? (p->u < q->u ? -1 : 1) : p->v - q->v;
}

/* List the pairs of states with sufficient evidence. */
static int
list_pairs(struct cscg_merge_sets *f, struct pairs *l, struct cscg_err *err)
{
	double nats;
	int i, j, rc, n = 0;
	long t;

	l->n = 0;
	for (t = 0; t < f->n; t++)
		if (f->parent[t] == t)
			l->root[n++] = (int)t;
	l->min_nats = log(n) + limits->nats;
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++) {
			if (f->label[l->root[i]] != f->label[l->root[j]])
				continue;
			rc = cscg_merge_sets_agreement(f, l->root[j],
			    l->root[i], limits->pairs, &nats, err);
			if (rc < 0)
				return -1;
			if (!rc || nats < l->min_nats)
				continue;
			if (cscg_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v,
				err) < 0)
				return -1;
			l->v[l->n++] = (struct pair){ l->root[j], l->root[i],
				nats };
		}
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_evidence);
	return 0;
}

/*
 * Merge the states of two steps if no symbol contradicts: 1, 0, or -1 with err
 * filled.
 */
static int
try_merge(struct cscg_merge_sets *f, int u, int v, struct cscg_err *err)
{
	int rc = cscg_merge_sets_union(f, u, v, NULL, err);

	if (rc == 0)
		cscg_merge_sets_undo(f, 0);
	f->n_log = 0;
	return rc;
}

/*
 * Merge the listed pairs whose evidence still suffices: 1 if any was merged, 0,
 * or -1.
 */
static int
merge_listed(struct cscg_merge_sets *f, const struct pairs *l,
    struct cscg_err *err)
{
	double nats;
	int any = 0, u, v, rc;
	size_t i;

	for (i = 0; i < l->n; i++) {
		u = cscg_merge_sets_find(f, l->v[i].u);
		v = cscg_merge_sets_find(f, l->v[i].v);
		if (u == v)
			continue;
		rc = cscg_merge_sets_agreement(f, u, v, limits->pairs, &nats,
		    err);
		if (rc > 0 && nats >= l->min_nats)
			rc = try_merge(f, u, v, err);
		else if (rc > 0)
			rc = 0;
		if (rc < 0)
			return -1;
		any |= rc;
	}
	return any;
}

/* ---- actions of finite order ---- */

/* The number of equal actions in a row from step t on, at most n. */
static int
run_length(const struct cscg_walk *w, long t, int n)
{
	int k;

	for (k = 0; k < n && t + k + 1 < w->n_steps &&
	     cscg_walk_continues(w, t + k + 1) && w->a[t + k] == w->a[t];
	     k++)
		;
	return k;
}

/*
 * The order of action a: the least k such that, wherever the action changed
 * the symbol, k repetitions restored it, as turns by 90 degrees do; 0: none.
 */
static int
find_order(const struct cscg_walk *w, int a)
{
	int k, n;
	long t;

	for (k = 2; k <= limits->max_order; k++) {
		for (n = 0, t = 0; t < w->n_steps && n >= 0; t++) {
			if (w->a[t] != a || run_length(w, t, k) < k)
				continue;
			if (w->x[t + k] != w->x[t])
				n = -1;
			else
				n += w->x[t + 1] != w->x[t];
		}
		if (n >= limits->order_runs)
			return k;
	}
	return 0;
}

/*
 * Merge steps by the orders of actions: after k - 1 repetitions the next one
 * leads to the first state.  1, 0 on a contradiction, or -1.
 */
static int
apply_orders(struct cscg_merge_sets *f, struct cscg_err *err)
{
	const struct cscg_walk *w = f->w;
	int a, k, rc = 1, *to;
	long t;

	for (a = 0; a < f->A && rc > 0; a++) {
		k = find_order(w, a);
		for (t = 0; k && t < f->n && rc > 0; t++) {
			if (w->a[t] != a || run_length(w, t, k - 1) < k - 1)
				continue;
			to = &f->next[(size_t)cscg_merge_sets_find(f,
					  (int)t + k - 1) *
				(size_t)f->A +
			    (size_t)a];
			if (*to >= 0)
				rc = try_merge(f, *to, (int)t, err);
			else
				*to = (int)t;
		}
	}
	return rc;
}

/*
 * Merge the steps that had the same state before: 1, 0 on a contradiction, or
 * -1.
 */
static int
merge_as_before(struct cscg_merge_sets *f, const int *before, long n,
    struct cscg_err *err)
{
	int *first = cscg_alloc((size_t)n + 1, sizeof *first, err);
	int rc = first ? 1 : -1;
	long t;

	for (t = 0; t < n && rc > 0; t++) {
		if (first[before[t]])
			rc = try_merge(f, first[before[t]] - 1, (int)t, err);
		else
			first[before[t]] = (int)t + 1;
	}
	free(first);
	return rc;
}

/* The successors of all states. */
static int
set_next(struct cscg_merge_sets *f, struct cscg_merge *out,
    struct cscg_err *err)
{
	size_t A = (size_t)f->A, n = (size_t)out->n_states * A, i;
	int a, r, to;
	long t;

	out->next = cscg_alloc(n, sizeof *out->next, err);
	if (!out->next)
		return -1;
	for (i = 0; i < n; i++)
		out->next[i] = -1;
	for (t = 0; t < f->n; t++) {
		r = cscg_merge_sets_find(f, (int)t);
		for (a = 0; a < f->A && r == t; a++) {
			to = cscg_merge_sets_successor(f, r, a);
			if (to >= 0)
				out->next[(size_t)out->state[t] * A +
				    (size_t)a] = out->state[to];
		}
	}
	return 0;
}

/* The graph of the merged states: 1 with *out new, or -1. */
static int
make_graph(struct cscg_merge_sets *f, struct cscg_merge **out,
    struct cscg_err *err)
{
	long t;

	for (t = 0; t < f->n; t++)
		if (f->parent[t] == t &&
		    cscg_merge_sets_add_red(f, (int)t, err) < 0)
			return -1;
	*out = cscg_merge_sets_number(f, err);
	if (*out && set_next(f, *out, err) == 0)
		return 1;
	cscg_merge_free(*out);
	*out = NULL;
	return -1;
}

int
cscg_merge_pairs(const struct cscg_walk *w, const int *before, long n_before,
    struct cscg_merge **out, struct cscg_err *err)
{
	struct cscg_merge_sets f = { .pseudocount = limits->pseudocount };
	struct pairs l = { .n = 0 };
	int rc = 1;
	long t;

	*out = NULL;
	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] < 0)
			return 0;
	l.root = cscg_alloc((size_t)w->n_steps, sizeof *l.root, err);
	if (!l.root || cscg_merge_sets_new(&f, w, err) < 0)
		rc = -1;
	if (rc > 0 &&
	    (cscg_merge_sets_apply_inverses(&f, err) < 0 ||
		apply_orders(&f, err) < 0))
		rc = -1;
	if (rc > 0 && n_before)
		rc = merge_as_before(&f, before, n_before, err);
	while (rc > 0) {
		rc = list_pairs(&f, &l, err);
		if (rc == 0)
			rc = merge_listed(&f, &l, err);
		if (rc == 0) {
			rc = make_graph(&f, out, err);
			break;
		}
	}
	cscg_merge_sets_free(&f);
	free(l.v);
	free(l.root);
	return rc;
}
