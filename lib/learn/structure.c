/*
 * structure.c - Viterbi training, partition refinement and merging of states
 * by BIC
 *
 * Merging goes from coarse to fine, like the minimisation of an automaton: the
 * states of a group start as one class, and a class is divided as long as its
 * members lead to different classes.  So two complete copies of a graph that
 * lead into each other are merged, which no pairwise test from below would
 * find.
 *
 * "Different" is a statistical decision.  Pooling the rows of two states costs
 * a log-likelihood of G/2 nats and saves some parameters; the states are equal
 * unless the cost is above ln(n)/2 for each parameter (the BIC rule).  By that
 * rule a state with few visits equals any other, so the states with the most
 * visits represent their classes, and each other state joins the class that
 * fits best.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/decoder.h"
#include "kernel/passes.h"
#include "learn/constants.h"
#include "learn/em_restarts.h"
#include "learn/split.h"
#include "learn/structure.h"

int
cscg_viterbi_train(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, const struct cscg_simd *simd,
    int max_rounds, const struct cscg_viterbi_counts *counts, int *states,
    double *logp, struct cscg_err *err)
{
	struct cscg_count *buf = NULL;
	int *old = NULL, i, rc = -1;
	size_t n = (size_t)w->n_steps;
	long n_counts;

	buf = cscg_alloc(counts ? counts->most : n, sizeof *buf, err);
	old = cscg_alloc(n, sizeof *old, err);
	if (!buf || !old)
		goto out;
	for (i = 0; i < max_rounds; i++) {
		if (cscg_decode_viterbi(m, w, kern, simd, states, logp, err) <
		    0)
			goto out;
		n_counts = counts ? counts->list(counts->ctx, i, *logp, buf) :
				    cscg_walk_count_path(w, states, buf);
		if (cscg_model_set_counts(m, buf, n_counts, err) < 0)
			goto out;
		if (i && !memcmp(old, states, n * sizeof *old))
			break;
		memcpy(old, states, n * sizeof *old);
	}
	rc = 0;
out:
	free(buf);
	free(old);
	return rc;
}

/* A row of counts summed by class: sorted by class, as pairs. */
struct cell {
	int kind, to; /* class; a state of it */
	double c;
};

struct state_visits {
	int state, group;
	double visits;
};

struct refinement {
	struct cscg_pool mem; /* all arrays but kind */
	const struct cscg_model *m;
	double param_cost; /* nats per parameter */
	int *kind, *next;  /* [n_states] */
	int *leader;       /* [n_states] a state of each class */
	struct state_visits
	    *order;         /* [n_states] by group, most visited first */
	struct cell *u, *v; /* [n_states] */
};

static int
by_class(const void *a, const void *b)
{
	const struct cell *p = a, *q = b;

	if (p->kind != q->kind)
		return p->kind < q->kind ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

static int
class_row(const struct refinement *l, int a, int j, struct cell *out,
    double *sum)
{
	const struct cscg_model *m = l->m;
	long r = (long)a * m->n_states + j, i;
	int n = 0, k, last = -1;

	*sum = 0;
	for (i = m->first[r]; i < m->first[r + 1]; i++) {
		if (l->kind[m->to[i]] < 0)
			continue;
		out[n++] = (struct cell){ l->kind[m->to[i]], m->to[i],
			m->count[i] };
		*sum += m->count[i];
	}
	qsort(out, (size_t)n, sizeof *out, by_class);
	for (k = 0; k < n; k++) {
		if (last >= 0 && out[last].kind == out[k].kind)
			out[last].c += out[k].c;
		else
			out[++last] = out[k];
	}
	return last + 1;
}

static double
xlogx(double x)
{
	return x > 0 ? x * log(x) : 0;
}

/*
 * Log-likelihood cost of pooling the rows of i and j, less the BIC penalty of
 * the edges saved.
 */
static double
merge_cost(struct refinement *l, int i, int j)
{
	double cost = 0, si, sj;
	int a, ni, nj, p, q, cells, saved = 0;

	for (a = 0; a < l->m->n_actions; a++) {
		ni = class_row(l, a, i, l->u, &si);
		nj = class_row(l, a, j, l->v, &sj);
		if (si <= 0 || sj <= 0)
			continue;
		cost += xlogx(si + sj) - xlogx(si) - xlogx(sj);
		for (p = q = cells = 0; p < ni || q < nj; cells++) {
			double c = 0, d = 0;

			if (q == nj ||
			    (p < ni && l->u[p].kind <= l->v[q].kind))
				c = l->u[p].c;
			if (p == ni ||
			    (q < nj && l->v[q].kind <= l->u[p].kind))
				d = l->v[q].c;
			cost -= xlogx(c + d) - xlogx(c) - xlogx(d);
			p += c > 0;
			q += d > 0;
		}
		saved += cells - 1;
	}
	return cost - l->param_cost * saved;
}

/* Refine the classes once; returns their number. */
static int
refine_once(struct refinement *l)
{
	int S = l->m->n_states, i, j, c, best, n = 0, first = 0, last = -1;
	double e, least;

	for (i = 0; i < S; i++) {
		j = l->order[i].state;
		if (l->kind[j] < 0) {
			l->next[j] = -1;
			continue;
		}
		/* The leaders of a new group start here. */
		if (last < 0 || l->m->clone[j] != l->m->clone[last])
			first = n;
		last = j;
		best = -1;
		least = 1e-9;
		for (c = first; c < n; c++) {
			if (l->kind[l->leader[c]] != l->kind[j])
				continue;
			e = merge_cost(l, l->leader[c], j);
			if (e <= least && (best < 0 || e < least)) {
				best = c;
				least = e;
			}
		}
		if (best < 0) {
			best = n;
			l->leader[n++] = j;
		}
		l->next[j] = best;
	}
	memcpy(l->kind, l->next, (size_t)S * sizeof *l->kind);
	return n;
}

static double
param_cost(long n)
{
	return log((double)(n > 1 ? n : 2)) / 2;
}

static int
by_visits(const void *a, const void *b)
{
	const struct state_visits *p = a, *q = b;

	if (p->group != q->group)
		return p->group < q->group ? -1 : 1;
	if (p->visits != q->visits)
		return p->visits > q->visits ? -1 : 1;
	return p->state < q->state ? -1 : p->state > q->state;
}

static void
sort_states(struct refinement *l)
{
	const struct cscg_model *m = l->m;
	int a, j;

	for (j = 0; j < m->n_states; j++) {
		l->order[j].state = j;
		l->order[j].group = m->clone[j];
		for (a = 0; a < m->n_actions; a++)
			l->order[j].visits += cscg_model_row_sum(m, a, j);
	}
	qsort(l->order, (size_t)m->n_states, sizeof *l->order, by_visits);
}

static int
refinement_new(struct refinement *l, const struct cscg_model *m, long n,
    int *kind, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states;

	*l = (struct refinement){ .mem.err = err,
		.m = m,
		.param_cost = param_cost(n),
		.kind = kind };
	l->next = cscg_pool_add(&l->mem, S, sizeof *l->next);
	l->leader = cscg_pool_add(&l->mem, S, sizeof *l->leader);
	l->order = cscg_pool_add(&l->mem, S, sizeof *l->order);
	l->u = cscg_pool_add(&l->mem, S, sizeof *l->u);
	l->v = cscg_pool_add(&l->mem, S, sizeof *l->v);
	if (!l->mem.failed) {
		sort_states(l);
		return 0;
	}
	cscg_pool_free(&l->mem);
	return -1;
}

int
cscg_structure_refine_partition(const struct cscg_model *m, const int *path,
    long n, int *into, struct cscg_err *err)
{
	struct refinement l;
	int had, has = 0, j;
	long t;

	if (refinement_new(&l, m, n, into, err) < 0)
		return -1;
	for (j = 0; j < m->n_states; j++)
		into[j] = -1;
	for (t = 0; t < n; t++)
		if (path[t] >= 0)
			into[path[t]] = m->clone[path[t]];
	do {
		had = has;
		has = refine_once(&l);
	} while (has > had);
	cscg_pool_free(&l.mem);
	return has;
}

/* Edges besides the first of each row. */
static double
further_edges(const struct cscg_model *m)
{
	long r, edges = 0;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		if (m->first[r + 1] > m->first[r])
			edges += m->first[r + 1] - m->first[r] - 1;
	return (double)edges;
}

double
cscg_bic(const struct cscg_model *m, long n, double loglik)
{
	return loglik - param_cost(n) * (m->n_states + further_edges(m));
}

double
cscg_bic_noise(const struct cscg_model *m, long n, double loglik)
{
	return loglik - param_cost(n) * m->n_states - further_edges(m);
}

int
cscg_merge_candidate(const struct cscg_model *m, long n, bool *tried, int *i,
    int *j, struct cscg_err *err)
{
	size_t S = (size_t)m->n_states;
	int *kind = cscg_alloc(S, sizeof *kind, err), p, q, found = 0;
	struct refinement l;
	double e, least = 0;

	if (!kind || refinement_new(&l, m, n, kind, err) < 0) {
		free(kind);
		return -1;
	}
	for (p = 0; p < m->n_states; p++)
		kind[p] = p;
	for (p = 0; p < m->n_states; p++)
		for (q = p + 1; q < m->n_states && m->clone[q] == m->clone[p];
		     q++) {
			if (tried[(size_t)p * S + (size_t)q])
				continue;
			e = merge_cost(&l, p, q);
			if (!found || e < least) {
				found = 1;
				least = e;
				*i = p;
				*j = q;
			}
		}
	if (found)
		tried[(size_t)*i * S + (size_t)*j] = true;
	cscg_pool_free(&l.mem);
	free(kind);
	return found;
}

struct pair {
	double cost;
	int i, j;
};

static int
by_cost(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	if (p->cost != q->cost)
		return p->cost < q->cost ? -1 : 1;
	if (p->i != q->i)
		return p->i < q->i ? -1 : 1;
	return p->j < q->j ? -1 : p->j > q->j;
}

/* The pairs of states whose merge improves BIC; their number, or -1. */
static long
merge_pairs(const struct cscg_model *m, long n, struct pair **pair,
    size_t *cap, struct cscg_err *err)
{
	int *kind = cscg_alloc((size_t)m->n_states, sizeof *kind, err), p, q;
	struct refinement l;
	long found = 0;
	double e;

	if (!kind || refinement_new(&l, m, n, kind, err) < 0) {
		free(kind);
		return -1;
	}
	for (p = 0; p < m->n_states; p++)
		kind[p] = p;
	for (p = 0; p < m->n_states && found >= 0; p++)
		for (q = p + 1; q < m->n_states && m->clone[q] == m->clone[p];
		     q++) {
			e = merge_cost(&l, p, q);
			if (e >= 0)
				continue;
			if (cscg_grow(pair, cap, (size_t)found + 1,
				sizeof **pair, err) < 0) {
				found = -1;
				break;
			}
			(*pair)[found++] = (struct pair){ e, p, q };
		}
	cscg_pool_free(&l.mem);
	free(kind);
	return found;
}

/* Merge disjoint pairs, the best first; replaces *m. */
static int
merge_disjoint(struct cscg_model **m, const struct pair *pair, long n,
    struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)(*m)->n_states, sizeof *into, err);
	bool *taken = cscg_alloc((size_t)(*m)->n_states, sizeof *taken, err);
	struct cscg_model *smaller = NULL;
	int j, states = 0;
	long k;

	for (j = 0; into && taken && j < (*m)->n_states; j++)
		into[j] = -1;
	for (k = 0; into && taken && k < n; k++)
		if (!taken[pair[k].i] && !taken[pair[k].j]) {
			taken[pair[k].i] = taken[pair[k].j] = true;
			into[pair[k].j] = pair[k].i;
		}
	for (j = 0; into && taken && j < (*m)->n_states; j++)
		into[j] = into[j] < 0 ? states++ : into[into[j]];
	if (into && taken)
		smaller = cscg_model_merge_states(*m, into, states, err);
	free(into);
	free(taken);
	if (!smaller)
		return -1;
	cscg_model_free(*m);
	*m = smaller;
	return 0;
}

int
cscg_structure_merge_rows(struct cscg_model **m, long n, struct cscg_err *err)
{
	struct pair *pair = NULL;
	size_t cap = 0;
	long found;
	int rc = 0;

	while (rc == 0) {
		found = merge_pairs(*m, n, &pair, &cap, err);
		if (found <= 0) {
			rc = found < 0 ? -1 : 0;
			break;
		}
		qsort(pair, (size_t)found, sizeof *pair, by_cost);
		rc = merge_disjoint(m, pair, found, err);
	}
	free(pair);
	return rc;
}

/* Reduction of the model found by EM */

const struct cscg_kernel *
cscg_learn_kernel(const struct cscg_learn *set)
{
	return set->is_double ? &cscg_plain_double : &cscg_plain_float;
}

int
cscg_learn_report_stage(const struct cscg_learn *set, const char *stage,
    long restart, long iteration, int n_states, double loglik,
    double objective, struct cscg_learn_progress *last)
{
	struct cscg_learn_progress line = { stage, restart, iteration,
		n_states, loglik, objective };

	return cscg_learn_report_progress(set, &line, last);
}

int
cscg_learn_loglik(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	return cscg_decode_loglik(m, w, cscg_learn_kernel(set), set->simd,
	    loglik, err);
}

/* Scratch of Viterbi training and merging. */
struct viterbi_merge {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	int *path, *into;
	long step; /* for a checkpoint */
	int round;
};

/*
 * Viterbi training of *m, then partition refinement; returns the number of
 * merged states.
 */
static int
train_round(struct viterbi_merge *h, struct cscg_model *m, double *logp,
    struct cscg_err *err)
{
	if (cscg_viterbi_train(m, h->w, cscg_learn_kernel(h->set),
		h->set->simd, cscg_learn_constants.viterbi_rounds, NULL,
		h->path, logp, err) < 0)
		return -1;
	return cscg_structure_refine_partition(m, h->path, h->w->n_steps,
	    h->into, err);
}

/* Store the result of a round, counts and map, in a checkpoint. */
static int
checkpoint_round(const struct viterbi_merge *h, const struct cscg_model *m,
    const char *name, int n, double logp, struct cscg_err *err)
{
	struct cscg_blob b = { 0 };
	int rc = -1;

	cscg_blob_write_long(&b, n, err);
	cscg_blob_write_double(&b, logp, err);
	cscg_blob_write(&b, h->into, (size_t)m->n_states * sizeof *h->into,
	    err);
	if (cscg_blob_write_counts(&b, m, err) == 0)
		rc = cscg_checkpoint_take(h->set->save, name, &b, err);
	cscg_blob_free(&b);
	return rc;
}

/* Restore a round from the checkpoint, or compute it. */
static int
checkpointed_round(struct viterbi_merge *h, struct cscg_model *m, double *logp,
    struct cscg_err *err)
{
	struct cscg_blob *b;
	char name[64];
	long n;

	if (!h->set->save)
		return train_round(h, m, logp, err);
	snprintf(name, sizeof name, "refine %ld.%d", h->step, h->round);
	b = cscg_checkpoint_get(h->set->save, name);
	if (b) {
		cscg_blob_read_long(b, 1, m->n_states, &n, err);
		cscg_blob_read_double(b, logp, err);
		cscg_blob_read(b, h->into,
		    (size_t)m->n_states * sizeof *h->into, err);
		return cscg_blob_read_counts(b, m, err) < 0 ?
		    cscg_fail_at(err, "checkpoint: %s", name) :
		    (int)n;
	}
	n = train_round(h, m, logp, err);
	return n < 0 || checkpoint_round(h, m, name, (int)n, *logp, err) < 0 ?
	    -1 :
	    (int)n;
}

/* Viterbi training and merging until no states can be merged. */
static int
viterbi_and_merge_rounds(struct viterbi_merge *h, struct cscg_model **m,
    struct cscg_err *err)
{
	struct cscg_model *smaller;
	double logp;
	int n;

	for (h->round = 0; h->round < cscg_learn_constants.merge_rounds;
	     h->round++) {
		if (cscg_poll(h->set->poll, "Viterbi training", h->round,
			cscg_learn_constants.merge_rounds) &&
		    h->round)
			return 0;
		n = checkpointed_round(h, *m, &logp, err);
		if (n < 0)
			return -1;
		cscg_learn_report_stage(h->set, "viterbi", 0, h->round,
		    (*m)->n_states, logp, NAN, NULL);
		if (n == (*m)->n_states)
			break;
		smaller = cscg_model_merge_states(*m, h->into, n, err);
		if (!smaller)
			return -1;
		cscg_model_free(*m);
		*m = smaller;
	}
	return 0;
}

static int
viterbi_and_merge(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, struct cscg_err *err)
{
	struct viterbi_merge h = {
		.w = w, .set = set, .step = cscg_checkpoint_next_id(set->save)
	};
	int rc = -1;

	/* A signal may end the process once the checkpoint is written. */
	if (cscg_checkpoint_save(set->save, err) < 0)
		return -1;
	cscg_checkpoint_hold(set->save, false);
	h.path = cscg_alloc((size_t)w->n_steps, sizeof *h.path, err);
	h.into = cscg_alloc((size_t)(*m)->n_states, sizeof *h.into, err);
	if (h.path && h.into)
		rc = viterbi_and_merge_rounds(&h, m, err);
	free(h.path);
	free(h.into);
	return rc;
}

static double
score(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double loglik)
{
	return set->noisy ? cscg_bic_noise(m, w->n_steps, loglik) :
			    cscg_bic(m, w->n_steps, loglik);
}

/*
 * A copy of m after EM from its own counts, without edges of less than one
 * expected transition; *value is its BIC score.
 */
static struct cscg_model *
em_polish(const struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *value, double *loglik,
    struct cscg_err *err)
{
	struct cscg_model *s = cscg_model_copy(m, err);
	struct cscg_learn quiet = *set;
	struct cscg_learn_progress line;

	quiet.report = NULL;
	if (!s)
		return NULL;
	if (cscg_em_restarts(s, w, &quiet, false, 1, &line, err) < 0 ||
	    cscg_learn_loglik(s, w, set, loglik, err) < 0) {
		cscg_model_free(s);
		return NULL;
	}
	*value = score(s, w, set, *loglik);
	return s;
}

/* A copy of m with state j merged into state i < j. */
static struct cscg_model *
merge_two(const struct cscg_model *m, int i, int j, struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)m->n_states, sizeof *into, err), k;
	struct cscg_model *out;

	if (!into)
		return NULL;
	for (k = 0; k < m->n_states; k++)
		into[k] = k < j ? k : k == j ? i : k - 1;
	out = cscg_model_merge_states(m, into, m->n_states - 1, err);
	free(into);
	return out;
}

/* A copy of m with states i and j merged, after EM; *value is its BIC score. */
static struct cscg_model *
polish_merged(const struct cscg_model *m, int i, int j,
    const struct cscg_walk *w, const struct cscg_learn *set, double least,
    double *value, double *loglik, struct cscg_err *err)
{
	struct cscg_model *merged = merge_two(m, i, j, err), *s = NULL;
	struct cscg_learn once = *set;

	once.iterations = 1;
	if (merged && set->noisy)
		s = em_polish(merged, w, &once, value, loglik, err);
	if (merged &&
	    (!set->noisy ||
		(s && *value >= least - cscg_learn_constants.give_up))) {
		cscg_model_free(s);
		s = em_polish(merged, w, set, value, loglik, err);
	}
	cscg_model_free(merged);
	return s;
}

/*
 * Merge states as long as BIC improves after EM: in a stochastic environment
 * the rows alone do not show which states are equal.
 */
static int
merge_greedy(struct cscg_model **m, double *value, double *loglik,
    const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_err *err)
{
	struct cscg_model *s;
	double v, l;
	bool *tried = NULL;
	int i, j, n_failed, rc = 0;

	for (n_failed = 0; n_failed < cscg_learn_constants.failed_merges &&
	     !cscg_poll(set->poll, "greedy merging", n_failed,
		 cscg_learn_constants.failed_merges);) {
		if (!tried)
			tried = cscg_alloc((size_t)(*m)->n_states *
				(size_t)(*m)->n_states,
			    sizeof *tried, err);
		rc = tried ?
		    cscg_merge_candidate(*m, w->n_steps, tried, &i, &j, err) :
		    -1;
		if (rc <= 0)
			break;
		rc = -1;
		s = polish_merged(*m, i, j, w, set, *value, &v, &l, err);
		if (!s)
			break;
		rc = 0;
		if (v > *value) {
			cscg_learn_report_stage(set, "merge", 0, 0,
			    s->n_states, l, v, NULL);
			cscg_model_free(*m);
			*m = s;
			*value = v;
			*loglik = l;
			n_failed = 0;
			free(tried);
			tried = NULL;
		} else {
			n_failed++;
			cscg_model_free(s);
		}
	}
	free(tried);
	return rc < 0 ? -1 : 0;
}

bool
cscg_learn_is_deterministic(const struct cscg_model *m)
{
	long r;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		if (m->first[r + 1] - m->first[r] > 1)
			return false;
	return true;
}

/*
 * For split.h: EM from the counts after a split, and reduction of the result.
 */
struct refit {
	const struct cscg_walk *w;
	const struct cscg_learn *set;
};

static int
refit(void *ctx, struct cscg_model **m, double *loglik, struct cscg_err *err)
{
	const struct refit *s = ctx;
	struct cscg_learn quiet = *s->set;
	struct cscg_learn_progress line;

	quiet.report = NULL;
	if (cscg_em_restarts(*m, s->w, &quiet, false, 0, &line, err) < 0 ||
	    viterbi_and_merge(m, s->w, &quiet, err) < 0)
		return -1;
	return cscg_learn_loglik(*m, s->w, &quiet, loglik, err);
}

static void
on_split(void *ctx, const struct cscg_model *m, long tried, double loglik)
{
	const struct refit *s = ctx;

	cscg_learn_report_stage(s->set, "split", 0, tried, m->n_states, loglik,
	    NAN, NULL);
}

static int
split_states(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	struct refit s = { w, set };
	struct cscg_split how = { cscg_learn_kernel(set), set->simd, refit,
		on_split, &s, set->poll };

	return set->split ? cscg_split(m, w, &how, loglik, err) : 0;
}

int
cscg_structure_clean(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_learn *set, double *loglik, struct cscg_err *err)
{
	double value, em_loglik;
	struct cscg_model *s = NULL;

	if (viterbi_and_merge(m, w, set, err) < 0 ||
	    cscg_learn_loglik(*m, w, set, loglik, err) < 0 ||
	    split_states(m, w, set, loglik, err) < 0)
		return -1;
	if (!cscg_learn_is_deterministic(*m) &&
	    !cscg_poll_stopped(set->poll)) {
		s = em_polish(*m, w, set, &value, &em_loglik, err);
		if (!s)
			return -1;
		if (merge_greedy(&s, &value, &em_loglik, w, set, err) < 0) {
			cscg_model_free(s);
			return -1;
		}
		if (value > score(*m, w, set, *loglik)) {
			cscg_model_free(*m);
			*m = s;
			*loglik = em_loglik;
		} else {
			cscg_model_free(s);
		}
	}
	return 0;
}
