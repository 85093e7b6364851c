/*
 * alergia.c - state merging on the prefix tree of many episodes without
 * actions: Alergia
 *
 * Red states are those of the automaton; blue states are their successors that
 * are not red.  The blue state with the most visits is merged with the red state
 * that loses the least likelihood of those that the test does not distinguish from
 * it, or becomes red if there is none.  A merge adds the subtree of the blue state
 * to that of the red one (folding).  EM from the automaton (tied_em.h) then finds
 * transitions that merging could not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/alergia.h"
#include "learn/clones.h"
#include "learn/constants.h"
#include "learn/learn_model.h"
#include "learn/structure.h"
#include "learn/tied_em.h"

/* A symbol that follows a node; to is -1 for a symbol without successors. */
struct edge {
	int symbol, to, next; /* next: edge of the same node, or -1 */
	long n;
};

struct pair {
	int red, blue;
};

struct tree {
	const struct cscg_walk *w;
	bool *is_final; /* [n_obs] symbols that never have a successor */
	int *first;     /* [n_nodes] first edge of each node, or -1 */
	long *total;    /* [n_nodes] visits */
	int n_nodes, n_edges;
	long n_done;       /* nodes that are red or folded */
	struct edge *edge; /* one more than steps, at most */
	int *red;          /* [n_red] nodes of the automaton */
	int *number;       /* [n_nodes] index in red, or -1 */
	int n_red;
	struct pair *stack;
	size_t cap;
	struct cscg_pool mem;
};

static int
find_edge(const struct tree *p, int node, int symbol)
{
	int i = p->first[node];

	while (i >= 0 && p->edge[i].symbol != symbol)
		i = p->edge[i].next;
	return i;
}

static int
add_node(struct tree *p)
{
	p->first[p->n_nodes] = -1;
	p->number[p->n_nodes] = -1;
	return p->n_nodes++;
}

/* The edge of node by symbol, new if there is none. */
static int
get_edge(struct tree *p, int node, int symbol)
{
	int i = find_edge(p, node, symbol);

	if (i >= 0)
		return i;
	i = p->n_edges++;
	p->edge[i] = (struct edge){ .symbol = symbol,
		.to = p->is_final[symbol] ? -1 : add_node(p),
		.next = p->first[node] };
	p->first[node] = i;
	return i;
}

static void
add_episodes(struct tree *p)
{
	const struct cscg_walk *w = p->w;
	int e, i, node;
	long t;

	for (t = 0; t < w->n_steps; t++)
		p->is_final[w->x[t]] = true;
	for (t = 0; t < w->n_steps; t++)
		if (w->a[t] >= 0)
			p->is_final[w->x[t]] = false;
	add_node(p);
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e], node = 0; t < w->start[e + 1]; t++) {
			p->total[node]++;
			i = get_edge(p, node, w->x[t]);
			p->edge[i].n++;
			node = p->edge[i].to;
		}
}

static void
tree_free(struct tree *p)
{
	cscg_pool_free(&p->mem);
	free(p->stack);
}

static int
tree_new(struct tree *p, const struct cscg_walk *w, struct cscg_err *err)
{
	struct cscg_pool *mem = &p->mem;
	size_t n = (size_t)w->n_steps + 1;

	*p = (struct tree){ .w = w, .mem.err = err };
	p->is_final = cscg_pool_add(mem, (size_t)w->head.n_obs,
	    sizeof *p->is_final);
	p->first = cscg_pool_add(mem, n, sizeof *p->first);
	p->total = cscg_pool_add(mem, n, sizeof *p->total);
	p->edge = cscg_pool_add(mem, n, sizeof *p->edge);
	p->red = cscg_pool_add(mem,
	    (size_t)cscg_learn_constants.automaton_states, sizeof *p->red);
	p->number = cscg_pool_add(mem, n, sizeof *p->number);
	if (mem->failed) {
		tree_free(p);
		return -1;
	}
	add_episodes(p);
	return 0;
}

static int
push(struct tree *p, size_t *n, int red, int blue, struct cscg_err *err)
{
	if (cscg_grow(&p->stack, &p->cap, *n + 1, sizeof *p->stack, err) < 0)
		return -1;
	p->stack[(*n)++] = (struct pair){ red, blue };
	return 0;
}

/* Fold the subtree of blue into red. */
static int
fold(struct tree *p, int red, int blue, struct cscg_err *err)
{
	size_t n = 0;
	struct pair q;
	int i, j, next;

	if (push(p, &n, red, blue, err) < 0)
		return -1;
	while (n) {
		q = p->stack[--n];
		p->n_done++;
		p->total[q.red] += p->total[q.blue];
		for (j = p->first[q.blue]; j >= 0; j = next) {
			next = p->edge[j].next;
			i = find_edge(p, q.red, p->edge[j].symbol);
			if (i < 0) {
				p->edge[j].next = p->first[q.red];
				p->first[q.red] = j;
				continue;
			}
			p->edge[i].n += p->edge[j].n;
			if (p->edge[i].to >= 0 &&
			    push(p, &n, p->edge[i].to, p->edge[j].to, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* The edge to the blue node with the most visits, or -1. */
static int
most_visited(const struct tree *p)
{
	int r, i, best = -1;

	for (r = 0; r < p->n_red; r++)
		for (i = p->first[p->red[r]]; i >= 0; i = p->edge[i].next) {
			int to = p->edge[i].to;

			if (to < 0 || p->number[to] >= 0)
				continue;
			if (best < 0 ||
			    p->total[to] > p->total[p->edge[best].to])
				best = i;
		}
	return best;
}

/* The comparison of a blue subtree with that of a red node. */
struct ratio {
	double loss;  /* of log-likelihood by the merge */
	double g, df; /* twice that of the nodes tested, and its degrees of
	                 freedom */
};

/* Twice the gain in log-likelihood of counts k of n and l of m apart. */
static double
gain(double k, double n, double l, double m)
{
	double all = (k + l) / (n + m);

	return 2 *
	    ((k > 0 ? k * log(k / n / all) : 0) +
		(l > 0 ? l * log(l / m / all) : 0));
}

/* Add the next symbols of two nodes to the ratio. */
static void
add_pair(const struct tree *p, int red, int blue, struct ratio *r)
{
	double n = (double)p->total[red], m = (double)p->total[blue], k, l,
	       g = 0, tested = 0, df = -1, rest[2] = { n, m };
	int i, j;

	for (j = p->first[blue]; j >= 0; j = p->edge[j].next) {
		i = find_edge(p, red, p->edge[j].symbol);
		g += gain(i < 0 ? 0 : (double)p->edge[i].n, n,
		    (double)p->edge[j].n, m);
	}
	for (i = p->first[red]; i >= 0; i = p->edge[i].next) {
		j = find_edge(p, blue, p->edge[i].symbol);
		k = (double)p->edge[i].n;
		l = j < 0 ? 0 : (double)p->edge[j].n;
		if (j < 0)
			g += gain(k, n, l, m);
		if ((k + l) * fmin(n, m) >=
		    cscg_learn_constants.ratio_expected * (n + m)) {
			tested += gain(k, n, l, m);
			rest[0] -= k;
			rest[1] -= l;
			df++;
		}
	}
	for (j = p->first[blue]; j >= 0; j = p->edge[j].next) {
		l = (double)p->edge[j].n;
		if (find_edge(p, red, p->edge[j].symbol) < 0 &&
		    l * fmin(n, m) >=
			cscg_learn_constants.ratio_expected * (n + m)) {
			tested += gain(0, n, l, m);
			rest[1] -= l;
			df++;
		}
	}
	if (rest[0] + rest[1] > 0) {
		tested += gain(rest[0], n, rest[1], m);
		df++;
	}
	r->loss += g / 2;
	if (p->total[red] >= cscg_learn_constants.ratio_visits &&
	    p->total[blue] >= cscg_learn_constants.ratio_visits) {
		r->g += tested;
		r->df += df;
	}
}

/* The ratio of the subtrees of red and blue, without their rare nodes. */
static int
compare(struct tree *p, int red, int blue, struct ratio *r,
    struct cscg_err *err)
{
	long least = p->total[blue] >= cscg_learn_constants.ratio_visits ?
	    cscg_learn_constants.ratio_visits :
	    1;
	size_t n = 0;
	struct pair q;
	int i, j;

	*r = (struct ratio){ 0 };
	if (push(p, &n, red, blue, err) < 0)
		return -1;
	while (n) {
		q = p->stack[--n];
		if (!p->total[q.red] || !p->total[q.blue])
			continue;
		add_pair(p, q.red, q.blue, r);
		for (j = p->first[q.blue]; j >= 0; j = p->edge[j].next) {
			if (p->edge[j].n < least)
				continue;
			i = find_edge(p, q.red, p->edge[j].symbol);
			if (i >= 0 && p->edge[i].to >= 0 &&
			    push(p, &n, p->edge[i].to, p->edge[j].to, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* P(chi-squared > r->g), by the cube root's normal distribution (Wilson, Hilferty). */
static double
chance(const struct ratio *r)
{
	double v;

	if (r->df <= 0)
		return 1;
	v = 2 / (9 * r->df);
	return .5 * erfc((cbrt(r->g / r->df) - 1 + v) / sqrt(2 * v));
}

enum { NO_RED = -1, STOPPED = -2, FAILED = -3 };

/*
 * The red node, by its number, whose merge with blue loses the least likelihood
 * of those that are not distinguished; NO_RED: none; STOPPED: by poll; FAILED:
 * err filled.
 */
static int
likeliest_red(struct tree *p, int blue, double alpha, struct cscg_poll *poll,
    struct cscg_err *err)
{
	struct ratio r;
	double least = INFINITY;
	int k, best = NO_RED;

	for (k = 0; k < p->n_red; k++) {
		if (cscg_poll(poll, "prefix tree", (double)p->n_done,
			(double)p->n_nodes))
			return STOPPED;
		if (compare(p, p->red[k], blue, &r, err) < 0)
			return FAILED;
		if (r.loss < least && chance(&r) >= alpha) {
			least = r.loss;
			best = k;
		}
	}
	return best;
}

static void
add_red(struct tree *p, int node)
{
	p->number[node] = p->n_red;
	p->red[p->n_red++] = node;
	p->n_done++;
}

/* Merge until no node is blue: 1; 0 if poll stops it; -1 with err filled. */
static int
merge_all(struct tree *p, double alpha, struct cscg_poll *poll,
    struct cscg_err *err)
{
	int i, k, blue;

	add_red(p, 0);
	while ((i = most_visited(p)) >= 0) {
		blue = p->edge[i].to;
		k = likeliest_red(p, blue, alpha, poll, err);
		if (k == STOPPED || k == FAILED)
			return k == STOPPED ? 0 : -1;
		if (k >= 0) {
			p->edge[i].to = p->red[k];
			if (fold(p, p->red[k], blue, err) < 0)
				return -1;
			continue;
		}
		if (p->n_red == cscg_learn_constants.automaton_states)
			return cscg_fail(err, CSCG_ERANGE,
			    "an automaton of more than %d states",
			    cscg_learn_constants.automaton_states);
		add_red(p, blue);
	}
	return 1;
}

/* ---- the automaton as a model ---- */

/* state[x * n_red + s]: the state of symbol x that leads to s, or -1. */
static int
number_states(const struct tree *p, int *state, int *clones)
{
	int n_obs = p->w->head.n_obs, x, s, r, i, n = 0;

	for (i = 0; i < n_obs * p->n_red; i++)
		state[i] = -1;
	for (r = 0; r < p->n_red; r++)
		for (i = p->first[p->red[r]]; i >= 0; i = p->edge[i].next) {
			s = p->edge[i].to < 0 ? 0 : p->number[p->edge[i].to];
			state[p->edge[i].symbol * p->n_red + s] = 0;
		}
	for (x = 0; x < n_obs; x++) {
		clones[x] = 0;
		for (s = 0; s < p->n_red; s++)
			if (state[x * p->n_red + s] == 0) {
				state[x * p->n_red + s] = n++;
				clones[x]++;
			}
		if (!clones[x]) {
			clones[x] = 1;
			n++;
		}
	}
	return n;
}

static int
target(const struct tree *p, const int *state, const struct edge *e)
{
	return state[e->symbol * p->n_red +
	    (e->to < 0 ? 0 : p->number[e->to])];
}

/* Counts of every state (x, s), and pi. */
static int
set_counts(const struct tree *p, const int *state, struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_count *c = NULL;
	size_t cap = 0;
	long n = 0;
	int x, r, i, rc = 0;

	m->pi = cscg_alloc((size_t)m->n_states, sizeof *m->pi, err);
	if (!m->pi)
		return -1;
	for (x = 0; x < m->n_obs && rc == 0; x++)
		for (r = 0; r < p->n_red && rc == 0; r++) {
			int from = state[x * p->n_red + r];

			if (from < 0 || p->is_final[x])
				continue;
			for (i = p->first[p->red[r]]; i >= 0 && rc == 0;
			     i = p->edge[i].next) {
				rc = cscg_grow(&c, &cap, (size_t)n + 1,
				    sizeof *c, err);
				if (rc == 0)
					c[n++] = (struct cscg_count){ 0, from,
						target(p, state, &p->edge[i]),
						(double)p->edge[i].n };
			}
		}
	if (rc == 0)
		rc = cscg_model_set_counts(m, c, n, err);
	free(c);
	return rc;
}

/* Start probabilities: the symbols that follow the root. */
static void
set_pi(const struct tree *p, const int *state, struct cscg_model *m)
{
	int i;

	for (i = p->first[0]; i >= 0; i = p->edge[i].next)
		m->pi[target(p, state, &p->edge[i])] = (double)p->edge[i].n /
		    (double)p->total[0];
}

/* group[j]: the automaton state of state j, -1 without successors. */
static void
set_groups(const struct tree *p, const int *state, int n_states, int *group)
{
	int x, r, j;

	for (j = 0; j < n_states; j++)
		group[j] = -1;
	for (x = 0; x < p->w->head.n_obs; x++)
		for (r = 0; r < p->n_red && !p->is_final[x]; r++)
			if (state[x * p->n_red + r] >= 0)
				group[state[x * p->n_red + r]] = r;
}

static struct cscg_model *
automaton_model(const struct tree *p, const struct cscg_learn *set,
    int **group, struct cscg_err *err)
{
	size_t n_obs = (size_t)p->w->head.n_obs;
	int *state = cscg_alloc(n_obs * (size_t)p->n_red, sizeof *state, err);
	int *clones = cscg_alloc(n_obs, sizeof *clones, err);
	struct cscg_model *m = NULL;
	int n = 0;

	*group = NULL;
	if (state && clones) {
		n = number_states(p, state, clones);
		*group = cscg_alloc((size_t)n, sizeof **group, err);
	}
	if (*group)
		m = cscg_learn_model_new(p->w, set, clones, err);
	if (m && set_counts(p, state, m, err) < 0) {
		cscg_model_free(m);
		m = NULL;
	}
	if (m) {
		set_pi(p, state, m);
		set_groups(p, state, n, *group);
	} else {
		free(*group);
		*group = NULL;
	}
	free(state);
	free(clones);
	return m;
}

bool
cscg_alergia_applies(const struct cscg_walk *w)
{
	long t;

	if (w->head.n_actions > 1 ||
	    w->n_episodes < cscg_learn_constants.automaton_episodes)
		return false;
	for (t = 0; t < w->n_steps; t++)
		if (w->x[t] < 0 || (w->reset && w->reset[t]))
			return false;
	return true;
}

int
cscg_alergia(const struct cscg_walk *w, const struct cscg_learn *set,
    double alpha, struct cscg_model **m, int **group, struct cscg_err *err)
{
	struct tree p;
	int rc;

	*m = NULL;
	*group = NULL;
	if (tree_new(&p, w, err) < 0)
		return -1;
	rc = merge_all(&p, alpha, set->poll, err);
	if (rc > 0) {
		*m = automaton_model(&p, set, group, err);
		rc = *m ? 1 : -1;
	}
	tree_free(&p);
	return rc;
}

/* ---- the choice by held-out likelihood ---- */

/* An automaton as a model; group as by cscg_alergia(). */
struct automaton {
	struct cscg_model *m;
	int *group;
};

/* The automata of all folds; kept: that of the first as it was chosen. */
struct folds {
	struct automaton of[CSCG_HOLDOUT_FOLDS_MAX];
	struct cscg_model *kept;
};

/* Options of learning an automaton, and its held-out log-likelihood. */
struct choice {
	double alpha, pseudocount, held;
	long updates;
};

static void
automaton_free(struct automaton *a)
{
	cscg_model_free(a->m);
	free(a->group);
	*a = (struct automaton){ NULL, NULL };
}

static void
folds_free(struct folds *f)
{
	int i;

	for (i = 0; i < CSCG_HOLDOUT_FOLDS_MAX; i++)
		automaton_free(&f->of[i]);
	cscg_model_free(f->kept);
	f->kept = NULL;
}

/* Keep the automaton of the first fold. */
static int
keep_first(struct folds *f, struct cscg_err *err)
{
	cscg_model_free(f->kept);
	f->kept = cscg_model_copy(f->of[0].m, err);
	return f->kept ? 0 : -1;
}

/* Automata of significance level alpha: 1; 0 if poll stops; -1 with err filled. */
static int
merge_folds(const struct cscg_holdout *h, const struct cscg_learn *set,
    double alpha, struct folds *folds, struct cscg_err *err)
{
	int f, rc = 1;

	for (f = 0; f < h->n_folds && rc > 0; f++)
		rc = cscg_alergia(h->train[f], set, alpha, &folds->of[f].m,
		    &folds->of[f].group, err);
	return rc;
}

/* The best pseudocount of the automata by held-out likelihood; -1 with err filled. */
static int
score(const struct cscg_holdout *h, const struct cscg_learn *set,
    const struct folds *folds, struct choice *one, struct cscg_err *err)
{
	double held[CSCG_HOLDOUT_SMOOTHINGS] = { 0 }, loglik;
	int f, k;

	for (f = 0; f < h->n_folds; f++)
		for (k = 0; k < CSCG_HOLDOUT_SMOOTHINGS; k++) {
			if (cscg_holdout_smoothed_loglik(h, f, folds->of[f].m,
				cscg_holdout_pseudocount(set, k), set, &loglik,
				err) < 0)
				return -1;
			held[k] += loglik;
		}
	one->held = -INFINITY;
	for (k = 0; k < CSCG_HOLDOUT_SMOOTHINGS; k++)
		if (held[k] > one->held) {
			one->held = held[k];
			one->pseudocount = cscg_holdout_pseudocount(set, k);
		}
	return 0;
}

/*
 * The significance level, from few states to many, as more of them must predict
 * better; *folds has its automata.  1; 0 if poll stops before the automata of a
 * level are complete; -1 with err filled.
 */
static int
choose_level(const struct cscg_holdout *h, const struct cscg_learn *set,
    struct folds *folds, struct choice *best, struct cscg_err *err)
{
	struct folds some;
	struct choice one;
	int i, rc;

	for (i = 0; i < CSCG_ALERGIA_LEVELS; i++) {
		some = (struct folds){ 0 };
		one =
		    (struct choice){ .alpha = cscg_learn_constants.levels[i] };
		rc = merge_folds(h, set, one.alpha, &some, err);
		if (rc > 0 && score(h, set, &some, &one, err) < 0)
			rc = -1;
		if (rc <= 0) {
			folds_free(&some);
			if (i == 0 || (rc < 0 && err->code != CSCG_ERANGE))
				return rc;
			*err = (struct cscg_err){ 0 }; /* too many states */
			break;
		}
		if (i == 0 ||
		    one.held > best->held + cscg_learn_constants.min_gain) {
			folds_free(folds);
			*folds = some;
			*best = one;
		} else {
			folds_free(&some);
		}
	}
	return 1;
}

/*
 * Give a share of every transition to the other states of its symbol, so that EM
 * can find them.
 */
static int
open_rows(struct cscg_model *m, struct cscg_err *err)
{
	const double share = cscg_learn_constants.automaton_open;
	size_t S = (size_t)m->n_states;
	double *dense = cscg_alloc(S * S, sizeof *dense, err), *row;
	int *first = cscg_alloc((size_t)m->n_obs + 1, sizeof *first, err);
	int j, k, x, rc = -1;
	long i;

	if (dense && first) {
		cscg_model_groups(m, first);
		for (j = 0; j < m->n_states; j++)
			for (i = m->first[j]; i < m->first[j + 1]; i++) {
				row = dense + (size_t)j * S;
				x = m->clone[m->to[i]];
				row[m->to[i]] += (1 - share) * m->count[i];
				for (k = first[x]; k < first[x + 1]; k++)
					row[k] += share * m->count[i] /
					    (first[x + 1] - first[x]);
			}
		rc = cscg_model_set_dense(m, dense, 0, err);
	}
	free(dense);
	free(first);
	return rc;
}

/* Some updates of EM. */
static int
update(struct automaton *a, const struct cscg_walk *w,
    const struct cscg_learn *set, long updates,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct cscg_learn how = *set;

	how.iterations = updates;
	return cscg_em_tied(a->m, a->group, w, &how, last, err);
}

/* The number of updates of EM on all automata that are affordable; -1: err. */
static long
most_updates(const struct cscg_holdout *h, const struct cscg_learn *set,
    const struct folds *folds, struct cscg_err *err)
{
	const struct cscg_learn_constants *c = &cscg_learn_constants;
	size_t n_obs = (size_t)h->w->head.n_obs;
	int *clones = cscg_alloc(n_obs, sizeof *clones, err), f, j;
	const struct cscg_model *m;
	double work = 0;

	if (!clones)
		return -1;
	for (f = 0; f < h->n_folds && !isinf(work); f++) {
		m = folds->of[f].m;
		memset(clones, 0, n_obs * sizeof *clones);
		for (j = 0; j < m->n_states; j++)
			clones[m->clone[j]]++;
		work += m->n_states > c->automaton_em_states ?
		    INFINITY :
		    cscg_clones_work(clones, h->train[f]);
	}
	free(clones);
	return (long)fmin((double)set->iterations, c->automaton_work / work);
}

/*
 * Whether EM from the automata predicts better, and after how many updates: their
 * number doubles until held-out steps are predicted worse or EM converges.
 */
static int
choose_updates(const struct cscg_holdout *h, const struct cscg_learn *set,
    struct folds *folds, struct choice *best, struct cscg_err *err)
{
	const struct cscg_learn_constants *c = &cscg_learn_constants;
	struct choice one = *best;
	struct cscg_learn_progress line;
	double before = -INFINITY;
	long more = c->first_updates, most = most_updates(h, set, folds, err);
	bool active = true;
	int f;

	if (most < 0 || keep_first(folds, err) < 0)
		return -1;
	if (cscg_poll_stopped(set->poll))
		return 0;
	for (f = 0; f < h->n_folds && most >= more; f++)
		if (open_rows(folds->of[f].m, err) < 0)
			return -1;
	for (one.updates = more; active && one.updates <= most;
	     one.updates += more) {
		active = false;
		for (f = 0; f < h->n_folds; f++) {
			if (update(&folds->of[f], h->train[f], set, more,
				&line, err) < 0)
				return -1;
			active |= line.iteration == more;
		}
		if (cscg_poll_stopped(set->poll))
			return 0; /* not all updates were made */
		if (score(h, set, folds, &one, err) < 0)
			return -1;
		if (one.held > best->held + c->min_gain) {
			*best = one;
			if (keep_first(folds, err) < 0)
				return -1;
		}
		if (one.held < before)
			return 0;
		before = one.held;
		more = one.updates;
	}
	return 0;
}

/*
 * EM as chosen on the automaton of the whole walk, unless it has more states than
 * those of the folds were allowed.
 */
static int
fit(struct automaton *a, const struct cscg_walk *w,
    const struct cscg_learn *set, long updates,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	if (updates &&
	    a->m->n_states <= cscg_learn_constants.automaton_em_states)
		return open_rows(a->m, err) < 0 ?
		    -1 :
		    update(a, w, set, updates, last, err);
	*last = (struct cscg_learn_progress){ .stage = "em",
		.n_states = a->m->n_states };
	if (cscg_learn_loglik(a->m, w, set, &last->loglik, err) < 0)
		return -1;
	last->objective = last->loglik;
	return 0;
}

/* The automaton of the whole walk, as chosen; that of the first fold if poll stops. */
static struct cscg_model *
fit_all(const struct cscg_holdout *h, const struct cscg_learn *set,
    struct folds *folds, const struct choice *best,
    struct cscg_learn_progress *last, struct cscg_err *err)
{
	struct automaton a = { 0 };
	struct cscg_model *m = NULL;
	int rc = cscg_alergia(h->w, set, best->alpha, &a.m, &a.group, err);

	if (rc > 0) {
		rc = fit(&a, h->w, set, best->updates, last, err);
		if (rc == 0)
			cscg_holdout_smooth(a.m, h->w->n_episodes,
			    best->pseudocount);
	} else if (rc == 0) {
		a.m = folds->kept;
		folds->kept = NULL;
		cscg_holdout_smooth(a.m, h->train[0]->n_episodes,
		    best->pseudocount);
		rc = fit(&a, h->w, set, 0, last, err);
		last->iteration = best->updates;
	}
	if (rc == 0) {
		m = a.m;
		a.m = NULL;
		cscg_learn_report_stage(set, "automaton", 0, last->iteration,
		    m->n_states,
		    best->held / (double)h->n_held * (double)h->w->n_steps,
		    best->alpha, NULL);
	}
	automaton_free(&a);
	return m;
}

int
cscg_alergia_select(const struct cscg_holdout *h, const struct cscg_learn *set,
    double *held, struct cscg_model **m, struct cscg_learn_progress *last,
    struct cscg_err *err)
{
	struct cscg_learn quiet = *set;
	struct folds folds = { 0 };
	struct choice best;
	int rc;

	*m = NULL;
	quiet.report = NULL;
	rc = choose_level(h, &quiet, &folds, &best, err);
	if (rc > 0)
		rc = choose_updates(h, &quiet, &folds, &best, err) < 0 ?
		    -1 :
		    best.held > *held;
	if (rc > 0) {
		*held = best.held;
		*m = fit_all(h, set, &folds, &best, last, err);
		rc = *m ? 1 : -1;
	}
	folds_free(&folds);
	if (rc < 0 && err->code == CSCG_ERANGE) {
		*err = (struct cscg_err){ 0 }; /* too many states */
		return 0;
	}
	return rc;
}
