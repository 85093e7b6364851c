/*
 * assess.c - assessment of a learned model: support and confidence of its
 * edges, noise, sufficiency of the walk, and whether the map is likely wrong
 *
 * Everything is computed from the states of the steps: the unique path of a
 * deterministic model, else the Viterbi path.
 *
 * Confidence of an edge.  In row (j, a) let c be the number of transitions to
 * k, and d the number to the most frequent other state.  With a Beta(s, s)
 * prior for the share of k among the two, the posterior probability that k is
 * the likelier one is P(X > 1/2) for X ~ Beta(c + s, d + s).  The prior is the
 * same for all rows and is estimated from them: s/(2s + 1) is the probability
 * that a second transition differs from the first.  In a deterministic
 * environment s is near 0, and one transition makes an edge nearly certain.
 *
 * Memory.  In a correct map the next state depends on state and action alone
 * (Markov property).  If a state merges several true nodes, it also depends on
 * the predecessor of the state.  So for every row with several successors the
 * likelihood of "the likeliest or another" is compared with and without
 * knowledge of the previous state and action, less ln(steps)/2 for each
 * further parameter.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "kernel/decoder.h"
#include "learn/assess.h"
#include "learn/constants.h"
#include "learn/inverse.h"
#include "learn/learn_model.h"
#include "learn/merge.h"
#include "learn/merge_beam.h"
#include "learn/structure.h"

static const struct cscg_assess_constants *const limits =
    &cscg_learn_constants.assess;

struct assessment {
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	struct cscg_learned *l;
	int *path;    /* [n_steps] state of each step, -1: unknown */
	long *count;  /* [edges] transitions along the path, ... */
	long *early;  /* ... and those of its first half */
	long others;  /* transitions that the model has no edge for */
	int uneven;   /* rows with more noise than that of all rows explains */
	bool refuted; /* the first half of the walk gives a graph that the
	                 other half contradicts */
};

/* ---- the states of the steps ---- */

/* The only successor of state j, or -1. */
static int
successor(const struct cscg_model *m, int j, int a)
{
	long r = (long)a * m->n_states + j;

	return m->first[r + 1] == m->first[r] + 1 ? m->to[m->first[r]] : -1;
}

/* The set of possible states of a step, in a deterministic model. */
struct belief {
	int *state, n;
	long *mark; /* [n_states] the step whose list has a state */
};

/* All states of the symbol of step t. */
static void
reset_belief(const struct assessment *s, const int *group, long t,
    struct belief *b)
{
	int j, x = s->w->x[t];

	b->n = 0;
	for (j = x < 0 ? 0 : group[x];
	     j < (x < 0 ? s->m->n_states : group[x + 1]); j++)
		b->state[b->n++] = j;
}

/*
 * The successors of the states consistent with step t; duplicates are removed.
 * Returns the number of states without a known successor.
 */
static int
propagate_belief(const struct assessment *s, long t, struct belief *b)
{
	int i, n = 0, to, n_unknown = 0, x = s->w->x[t];

	for (i = 0; i < b->n; i++) {
		to = successor(s->m, b->state[i], s->w->a[t - 1]);
		n_unknown += to < 0;
		if (to < 0 || b->mark[to] == t ||
		    (x >= 0 && s->m->clone[to] != x))
			continue;
		b->mark[to] = t;
		b->state[n++] = to;
	}
	b->n = n;
	return n_unknown;
}

/*
 * Follow the edges of a deterministic model: the number of steps without a
 * state, or -1 with err filled.  *contradicted counts the steps whose symbol the
 * edges of all possible states exclude; NULL: the model has an edge for every step.
 */
static long
follow(struct assessment *s, long *contradicted, struct cscg_err *err)
{
	const struct cscg_walk *w = s->w;
	struct belief b = { .n = 0 };
	int *group, n_before, n_unknown;
	long t, unknown = 0;

	b.state = cscg_alloc((size_t)s->m->n_states, sizeof *b.state, err);
	b.mark = cscg_alloc((size_t)s->m->n_states, sizeof *b.mark, err);
	group = cscg_alloc((size_t)s->m->n_obs + 1, sizeof *group, err);
	if (!b.state || !b.mark || !group) {
		unknown = -1;
		goto out;
	}
	cscg_model_groups(s->m, group);
	for (t = 0; t < w->n_steps; t++) {
		n_before = !cscg_walk_continues(w, t) ? 0 : b.n;
		n_unknown = n_before ? propagate_belief(s, t, &b) : 0;
		if (contradicted && n_unknown)
			b.n = 0; /* the step may come from any of them */
		else if (contradicted && n_before && !b.n)
			++*contradicted;
		if (!b.n || !cscg_walk_continues(w, t))
			reset_belief(s, group, t, &b);
		s->path[t] = b.n == 1 ? b.state[0] : -1;
		unknown += b.n != 1;
	}
out:
	free(b.state);
	free(b.mark);
	free(group);
	return unknown;
}

static int
find_path(struct assessment *s, struct cscg_err *err)
{
	const struct cscg_kernel *kernel = s->set->is_double ?
	    &cscg_plain_double :
	    &cscg_plain_float;
	double logp;
	long unknown = s->l->deterministic && !(s->m->misread > 0) ?
	    follow(s, NULL, err) :
	    s->w->n_steps;

	if (unknown < 0)
		return -1;
	if ((double)unknown <= limits->unsynced * (double)s->w->n_steps)
		return 0;
	return cscg_decode_viterbi(s->m, s->w, kernel, s->set->simd, s->path,
	    &logp, err);
}

/* ---- counts along the path ---- */

static void
count_edges(struct assessment *s)
{
	const struct cscg_walk *w = s->w;
	long t, e;

	for (t = 1; t < w->n_steps; t++) {
		if (!cscg_walk_continues(w, t) || s->path[t - 1] < 0 ||
		    s->path[t] < 0)
			continue;
		e = cscg_model_find_count(s->m, w->a[t - 1], s->path[t - 1],
		    s->path[t]);
		if (e < 0) {
			s->others++;
			continue;
		}
		s->count[e]++;
		s->early[e] += t < w->n_steps / 2;
	}
}

/* The edge of row r with the largest count; n is their sum.  -1: no count. */
static long
main_edge(const struct assessment *s, const long *count, long r, long *n)
{
	long i, best = -1;

	*n = 0;
	for (i = s->m->first[r]; i < s->m->first[r + 1]; i++) {
		*n += count[i];
		if (count[i] > 0 && (best < 0 || count[i] > count[best]))
			best = i;
	}
	return best;
}

static long
n_rows(const struct cscg_model *m)
{
	return (long)m->n_actions * m->n_states;
}

/*
 * The number of transitions from rows without a main successor: its share is
 * less than the noise of the other rows explains.
 */
static double
count_mixed(const struct assessment *s)
{
	double other = 0, all = 0, mixed = 0, q, k, total;
	long r, best, n;

	for (r = 0; r < n_rows(s->m); r++) {
		best = main_edge(s, s->count, r, &n);
		if (best < 0 ||
		    (double)s->count[best] < limits->main * (double)n)
			continue;
		other += (double)(n - s->count[best]);
		all += (double)n;
	}
	q = all > 0 ? other / all : 0;
	for (r = 0; r < n_rows(s->m); r++) {
		best = main_edge(s, s->count, r, &n);
		if (best < 0)
			continue;
		k = (double)s->count[best];
		total = (double)n;
		if (k < limits->main * total &&
		    k < (1 - q) * total -
			    limits->deviations * sqrt(q * (1 - q) * total))
			mixed += total;
	}
	return mixed;
}

/* Noise, and the parameter s of the prior of all rows. */
static double
estimate_noise(struct assessment *s)
{
	double again = 0, all = 0, other = (double)s->others, differ;
	long r, best, n;

	for (r = 0; r < n_rows(s->m); r++) {
		best = main_edge(s, s->count, r, &n);
		if (best < 0)
			continue;
		other += (double)(n - s->count[best]);
		all += (double)n;
		again += (double)(n - 1);
	}
	all += (double)s->others;
	s->l->mixed = all > 0 ? (count_mixed(s) + (double)s->others) / all : 0;
	s->l->noise = all > 0 ? other / all : 0;
	differ = fmin((other + 0.5) / (again + (double)s->others + 1),
	    limits->differ_max);
	return differ / (1 - 2 * differ);
}

/* The log-likelihood of k of n by their share. */
static double
binary_loglik(double k, double n)
{
	return (k > 0 ? k * log(k / n) : 0) +
	    (k < n ? (n - k) * log((n - k) / n) : 0);
}

/*
 * Count the rows with more noise than that of all rows explains: the likelihood
 * ratio of their own noise exceeds what one of all rows reaches by chance, twice
 * those in which it is much larger.  A state that merges several nodes has such
 * rows, and a wrong transition is one.
 */
static void
count_uneven(struct assessment *s)
{
	double q = s->l->noise, ratio, k, all,
	       limit = 2 * log((double)(n_rows(s->m) + 1)) + 20;
	long r, best, n;

	for (r = 0; r < n_rows(s->m) && q > 0 && q < 1; r++) {
		best = main_edge(s, s->count, r, &n);
		if (best < 0)
			continue;
		all = (double)n;
		k = all - (double)s->count[best];
		ratio = 2 *
		    (binary_loglik(k, all) - k * log(q) -
			(all - k) * log(1 - q));
		if (k > q * all && ratio > limit)
			s->uneven += ratio > limits->certain * limit ? 2 : 1;
	}
}

/* Confidence of the edges, and support of the rows. */
static void
weigh_edges(struct assessment *s, double prior)
{
	struct cscg_learned *l = s->l;
	long r, i, best, second, n, k;
	double p;

	for (r = 0; r < n_rows(s->m); r++) {
		best = main_edge(s, s->count, r, &n);
		if (best < 0)
			continue;
		second = 0;
		for (i = s->m->first[r]; i < s->m->first[r + 1]; i++)
			if (i != best && s->count[i] > second)
				second = s->count[i];
		for (i = s->m->first[r]; i < s->m->first[r + 1]; i++) {
			k = i == best ? second : s->count[best];
			p = 1 -
			    cscg_beta_cdf(0.5, (double)s->count[i] + prior,
				(double)k + prior);
			/* Three digits, rounded down: 1 is certainty. */
			l->edge[i] = floor(fmax(p, 0) * 1000 + 1e-6) / 1000;
		}
		l->rows++;
		l->supported += l->edge[best] >= limits->min_confidence &&
		    n >= limits->visits;
	}
}

/*
 * The overfit of the log-likelihood, in nats: the gain of each transition by
 * being part of the counts that predict it (leave one out).  Rows whose counts
 * are not those of the path have tied noise, estimated from all rows, and are
 * not corrected, nor is a transition seen once if there is no pseudocount: it would
 * be impossible.
 */
static double
overfit(const struct assessment *s)
{
	const struct cscg_model *m = s->m;
	double p = m->pseudocount, S = m->n_states, sum = 0, c, total;
	long r, i, n;

	for (r = 0; r < n_rows(m); r++) {
		main_edge(s, s->count, r, &n);
		total = (double)n;
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			c = (double)s->count[i];
			if (c < 1 || fabs(m->count[i] - c) > 0.5 ||
			    c - 1 + p <= 0)
				continue;
			sum += c *
			    log((c + p) / (total + p * S) *
				(total - 1 + p * S) / (c - 1 + p));
		}
	}
	return sum;
}

/* ---- memory beyond the state ---- */

/* A transition of a row with several successors. */
struct visit {
	long row, before; /* (action, state) of this step and the previous */
	int is_main;
};

static int
by_row_and_before(const void *p, const void *q)
{
	const struct visit *u = p, *v = q;

	if (u->row != v->row)
		return u->row < v->row ? -1 : 1;
	if (u->before != v->before)
		return u->before < v->before ? -1 : 1;
	return u->is_main - v->is_main;
}

/*
 * The gain of knowing the predecessor of the state, over the rows of n visits.
 */
static double
sum_memory(const struct visit *v, long n, double param_cost)
{
	double gain, sum = 0, all_main, main;
	long i, j, k, ways;

	for (i = 0; i < n; i = j) {
		gain = all_main = 0;
		ways = 0;
		for (j = i; j < n && v[j].row == v[i].row; j = k) {
			main = 0;
			for (k = j; k < n && v[k].row == v[j].row &&
			     v[k].before == v[j].before;
			     k++)
				main += v[k].is_main;
			gain += binary_loglik(main, (double)(k - j));
			all_main += main;
			ways++;
		}
		gain -= binary_loglik(all_main, (double)(j - i)) +
		    param_cost * (double)(ways - 1);
		sum += fmax(gain, 0);
	}
	return sum;
}

static int
measure_memory(struct assessment *s, struct cscg_err *err)
{
	const struct cscg_walk *w = s->w;
	struct visit *v = cscg_alloc((size_t)w->n_steps, sizeof *v, err);
	long t, r, n, m = 0, S = s->m->n_states;

	if (!v)
		return -1;
	for (t = 2; t < w->n_steps; t++) {
		if (!cscg_walk_continues(w, t) ||
		    !cscg_walk_continues(w, t - 1) || s->path[t - 2] < 0 ||
		    s->path[t - 1] < 0 || s->path[t] < 0)
			continue;
		r = w->a[t - 1] * S + s->path[t - 1];
		if (s->m->first[r + 1] - s->m->first[r] < 2)
			continue;
		v[m].row = r;
		v[m].before = w->a[t - 2] * S + s->path[t - 2];
		v[m++].is_main = cscg_model_find_count(s->m, w->a[t - 1],
				     s->path[t - 1], s->path[t]) ==
		    main_edge(s, s->count, r, &n);
	}
	qsort(v, (size_t)m, sizeof *v, by_row_and_before);
	s->l->memory = sum_memory(v, m, log((double)w->n_steps) / 2) /
	    (double)w->n_steps;
	free(v);
	return 0;
}

/* ---- sufficiency of the walk ---- */

/* True if the first half shows the likeliest successor of every row. */
static bool
rows_known_early(const struct assessment *s)
{
	long r, n, best, early;

	for (r = 0; r < n_rows(s->m); r++) {
		best = main_edge(s, s->count, r, &n);
		early = main_edge(s, s->early, r, &n);
		if (best >= 0 &&
		    (early < 0 || s->early[early] != s->early[best]))
			return false;
	}
	return true;
}

/*
 * True if the states of f, of the first steps, are those of the path, one to
 * one; seen is scratch [n_states], all 0.
 */
static bool
same_states(const struct assessment *s, const struct cscg_merge *f, long n,
    int *seen, int *back)
{
	long t;
	int i, j;

	if (f->n_states != s->m->n_states)
		return false;
	for (t = 0; t < n; t++) {
		i = f->state[t];
		j = s->path[t];
		if (i < 0 || j < 0)
			continue;
		if (!seen[i] && !back[j]) {
			seen[i] = j + 1;
			back[j] = i + 1;
		}
		if (seen[i] != j + 1 || back[j] != i + 1)
			return false;
	}
	return true;
}

/*
 * 1 if the edges of f, the graph of the first half, agree with the whole walk, 0,
 * or -1.
 */
static int
agrees(const struct assessment *s, const struct cscg_merge *f,
    const struct cscg_walk *half, struct cscg_err *err)
{
	struct cscg_model *m = cscg_learn_model_merged(f, half, s->set, err);
	struct assessment other = { .m = m, .w = s->w };
	long contradicted = 0, unknown = -1;

	other.path = cscg_alloc((size_t)s->w->n_steps, sizeof *other.path,
	    err);
	if (m && other.path)
		unknown = follow(&other, &contradicted, err);
	cscg_model_free(m);
	free(other.path);
	return unknown < 0 ? -1 : contradicted == 0;
}

/* 1 if the states of f are those of the path, 0, or -1. */
static int
is_same(const struct assessment *s, const struct cscg_merge *f, long n,
    struct cscg_err *err)
{
	size_t S = (size_t)s->m->n_states;
	int *seen = cscg_alloc(S, sizeof *seen, err);
	int *back = cscg_alloc(S, sizeof *back, err);
	int rc = seen && back ? same_states(s, f, n, seen, back) : -1;

	free(seen);
	free(back);
	return rc;
}

/*
 * True if the beam may have found the graph: it guesses, where the evidence of a
 * larger graph decides.
 */
static bool
may_be_guessed(const struct cscg_model *m)
{
	return m->n_states <= CSCG_BEAM_STATES && !(m->misread > 0);
}

/* 1 if evidence alone gives the graph of the whole walk, without guesses; 0, -1. */
static int
is_evident(const struct assessment *s, struct cscg_err *err)
{
	struct cscg_merge *f = NULL;
	int rc = cscg_merge(s->w, SIZE_MAX, s->set->poll, &f, err);

	if (rc > 0)
		rc = f->complete;
	cscg_merge_free(f);
	return rc;
}

/*
 * The complete graph of the first half, as learn_merge.c would find it; by a beam only
 * if the whole walk needs it as well: 1 with *f new, 0, or -1.
 */
static int
merge_half(const struct assessment *s, const struct cscg_walk *half,
    struct cscg_merge **f, struct cscg_err *err)
{
	int rc = cscg_merge(half, may_be_guessed(s->m) ? SIZE_MAX : 1,
	    s->set->poll, f, err);

	if (rc > 0 && (*f)->complete)
		return 1;
	cscg_merge_free(*f);
	*f = NULL;
	if (rc < 0 || !may_be_guessed(s->m))
		return rc < 0 ? -1 : 0;
	rc = is_evident(s, err);
	if (rc == 0)
		rc = cscg_merge_beam(half, s->set->poll, f, err);
	else if (rc > 0)
		rc = 0;
	if (rc > 0 && !(*f)->complete) {
		cscg_merge_free(*f);
		*f = NULL;
		rc = 0;
	}
	return rc;
}

/*
 * Learn the first half alone: whether its graph is the same, and whether the other
 * half refutes it.  The latter only for a graph that is guessed: the evidence of
 * the whole walk for another one is larger than that of its half was.
 */
static int
judge_half(struct assessment *s, bool rows_known, struct cscg_err *err)
{
	bool guessed = may_be_guessed(s->m);
	struct cscg_walk half = *s->w;
	struct cscg_merge *f = NULL;
	int rc, same = 0;

	half.n_steps /= 2;
	if (half.n_steps < 2 || (!guessed && !rows_known))
		return 0;
	rc = merge_half(s, &half, &f, err);
	if (rc > 0 && rows_known)
		rc = same = is_same(s, f, half.n_steps, err);
	if (rc >= 0 && f && guessed && !same) {
		rc = agrees(s, f, &half, err);
		if (rc == 0) {
			rc = is_evident(s, err);
			s->refuted = rc == 0;
		}
	}
	if (cscg_poll_stopped(s->set->poll))
		s->refuted = false; /* its search has not ended */
	cscg_merge_free(f);
	return rc < 0 ? -1 : same;
}

static int
judge_length(struct assessment *s, struct cscg_err *err)
{
	int rc = rows_known_early(s);

	if (s->l->deterministic && !cscg_poll_stopped(s->set->poll))
		rc = judge_half(s, rc, err);
	s->l->enough = rc > 0;
	return rc < 0 ? -1 : 0;
}

/* ---- the whole assessment ---- */

/*
 * True if rows have several likely successors.  Without actions to choose from
 * (one action), that is the behaviour observed, such as a choice of left or
 * right, and no sign of merged nodes.
 */
static bool
has_uncertain_rows(const struct assessment *s)
{
	const struct cscg_learned *l = s->l;

	return s->w->head.n_actions > 1 &&
	    ((double)l->supported < limits->supported * (double)l->rows ||
		l->mixed > limits->mixed || s->uneven >= limits->uneven);
}

/* True if two states have the same symbol. */
static bool
has_clones(const struct cscg_model *m)
{
	int j;

	for (j = 1; j < m->n_states; j++)
		if (m->clone[j] == m->clone[j - 1])
			return true;
	return false;
}

/*
 * True if the walk is too short to tell which visits of a symbol are of the
 * same node: few steps, or the graph of half of it is refuted by the rest.  Not
 * if each symbol has one state and its rows are deterministic.
 */
static bool
is_sparse(const struct assessment *s)
{
	const struct cscg_learned *l = s->l;

	return !l->enough && l->rows >= limits->sparse_rows &&
	    (s->refuted ||
		(double)l->steps < limits->sparse * (double)l->rows) &&
	    (!l->deterministic || has_clones(s->m));
}

static bool
is_doubtful(const struct assessment *s)
{
	const struct cscg_learned *l = s->l;

	return has_uncertain_rows(s) ||
	    l->memory > fmax(limits->memory, limits->memory_share * l->nats) ||
	    is_sparse(s);
}

static int
assess(struct assessment *s, double loglik, struct cscg_err *err)
{
	double steps = (double)s->w->n_steps;

	s->l->steps = s->w->n_steps;
	s->l->deterministic = cscg_learn_is_deterministic(s->m);
	if (find_path(s, err) < 0)
		return -1;
	count_edges(s);
	weigh_edges(s, estimate_noise(s));
	s->l->nats = -loglik / steps;
	s->l->left_out = s->l->nats + overfit(s) / steps;
	if (!s->l->deterministic && measure_memory(s, err) < 0)
		return -1;
	if (judge_length(s, err) < 0)
		return -1;
	count_uneven(s);
	s->l->doubtful = is_doubtful(s);
	return 0;
}

int
cscg_assess(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double loglik, struct cscg_err *err)
{
	size_t edges = (size_t)m->first[n_rows(m)];
	struct assessment s = { .m = m, .w = w, .set = set };
	int rc = -1;

	s.l = cscg_learned_new((long)edges, err);
	s.path = cscg_alloc((size_t)w->n_steps, sizeof *s.path, err);
	s.count = cscg_alloc(edges, sizeof *s.count, err);
	s.early = cscg_alloc(edges, sizeof *s.early, err);
	if (s.l && s.path && s.count && s.early)
		rc = assess(&s, loglik, err);
	if (rc == 0) {
		cscg_learned_free(m->learned);
		m->learned = s.l;
		s.l = NULL;
	}
	cscg_learned_free(s.l);
	free(s.path);
	free(s.count);
	free(s.early);
	return rc;
}
