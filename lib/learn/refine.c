/*
 * refine.c - from a fuzzy fit to a clean graph
 *
 * Merging goes from coarse to fine, as one minimises an automaton: states of a
 * group start as one, and a class is taken apart as long as its members lead
 * to different classes.  So two whole copies of a graph that lead into each
 * other are found to be one, which no pairwise test from below would see.
 *
 * "Different" is a question of evidence.  Pooling the rows of two states costs
 * a log-likelihood of G/2 nats and saves some parameters; they are the same
 * unless the cost is above ln(n)/2 for each (the BIC rule).  A state that was
 * hardly visited is the same as any other by that rule, so the states visited
 * most speak for their classes, and each other joins the one it fits best.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/refine.h"
#include "kernel/viterbi.h"

static int
count_path(struct cscg_model *m, const struct cscg_walk *w, const int *states,
    struct cscg_count *buf, struct cscg_err *err)
{
	long t, n = 0;
	int e;

	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e] + 1; t < w->start[e + 1]; t++) {
			if (cscg_walk_starts_run(w, e, t) || states[t - 1] < 0 ||
			    states[t] < 0)
				continue;
			buf[n].a = w->a[t - 1];
			buf[n].from = states[t - 1];
			buf[n].to = states[t];
			buf[n++].c = 1;
		}
	return cscg_model_set_counts(m, buf, n, err);
}

int
cscg_viterbi_train(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_kernel *kern, int max_rounds, struct cscg_work *work,
    int *states, double *logp, struct cscg_err *err)
{
	struct cscg_trans *tr = NULL;
	struct cscg_count *buf = NULL;
	int *old = NULL, i, rc = -1;
	size_t n = (size_t)w->n_steps;

	buf = cscg_alloc(n, sizeof *buf, err);
	old = cscg_alloc(n, sizeof *old, err);
	if (!buf || !old)
		goto out;
	for (i = 0; i < max_rounds; i++) {
		cscg_trans_free(tr);
		tr = cscg_trans_new(m, kern, err);
		if (!tr || cscg_viterbi_all(tr, w, work, states, logp,
		    err) < 0 || count_path(m, w, states, buf, err) < 0)
			goto out;
		if (i && !memcmp(old, states, n * sizeof *old))
			break;
		memcpy(old, states, n * sizeof *old);
	}
	rc = 0;
out:
	cscg_trans_free(tr);
	free(buf);
	free(old);
	return rc;
}

/* A row of counts summed by class: sorted by class, as pairs. */
struct cell {
	int class;
	double c;
};

struct state_visits {
	int state, group;
	double visits;
};

struct refinement {
	const struct cscg_model *m;
	double param_cost;		/* nats a parameter is worth */
	int *class, *next;	/* [n_states] */
	int *leader;		/* [n_states] a state of each class */
	struct state_visits *order;	/* [n_states] by group, most visited first */
	struct cell *u, *v;	/* [n_states] */
};

static int
by_class(const void *a, const void *b)
{
	const struct cell *p = a, *q = b;

	return p->class < q->class ? -1 : p->class > q->class;
}

static int
class_row(const struct refinement *l, int a, int j, struct cell *out, double *sum)
{
	const struct cscg_model *m = l->m;
	long r = (long)a * m->n_states + j, i;
	int n = 0, k, last = -1;

	*sum = 0;
	for (i = m->first[r]; i < m->first[r + 1]; i++) {
		if (l->class[m->to[i]] < 0)
			continue;
		out[n].class = l->class[m->to[i]];
		out[n++].c = m->count[i];
		*sum += m->count[i];
	}
	qsort(out, (size_t)n, sizeof *out, by_class);
	for (k = 0; k < n; k++) {
		if (last >= 0 && out[last].class == out[k].class)
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

/* What pooling the rows of i and j costs, less what edges saved are worth. */
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

			if (q == nj || (p < ni &&
			    l->u[p].class <= l->v[q].class))
				c = l->u[p].c;
			if (p == ni || (q < nj &&
			    l->v[q].class <= l->u[p].class))
				d = l->v[q].c;
			cost -= xlogx(c + d) - xlogx(c) - xlogx(d);
			p += c > 0;
			q += d > 0;
		}
		saved += cells - 1;
	}
	return cost - l->param_cost * saved;
}

/* Take classes apart once; returns how many there are then. */
static int
refine_once(struct refinement *l)
{
	int S = l->m->n_states, i, j, c, best, n = 0, first = 0, last = -1;
	double e, least;

	for (i = 0; i < S; i++) {
		j = l->order[i].state;
		if (l->class[j] < 0) {
			l->next[j] = -1;
			continue;
		}
		/* Leaders of this group start anew. */
		if (last < 0 || l->m->clone[j] != l->m->clone[last])
			first = n;
		last = j;
		best = -1;
		least = 1e-9;
		for (c = first; c < n; c++) {
			if (l->class[l->leader[c]] != l->class[j])
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
	memcpy(l->class, l->next, (size_t)S * sizeof *l->class);
	return n;
}

static double
param_cost(long n)
{
	return log((double)(n > 1 ? n : 2)) / 2;
}

static void
refinement_free(struct refinement *l)
{
	free(l->next);
	free(l->leader);
	free(l->order);
	free(l->u);
	free(l->v);
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
refinement_new(struct refinement *l, const struct cscg_model *m, long n, int *class,
    struct cscg_err *err)
{
	size_t S = (size_t)m->n_states;

	memset(l, 0, sizeof *l);
	l->m = m;
	l->class = class;
	l->param_cost = param_cost(n);
	l->next = cscg_alloc(S, sizeof *l->next, err);
	l->leader = cscg_alloc(S, sizeof *l->leader, err);
	l->order = cscg_alloc(S, sizeof *l->order, err);
	l->u = cscg_alloc(S, sizeof *l->u, err);
	l->v = cscg_alloc(S, sizeof *l->v, err);
	if (l->next && l->leader && l->order && l->u && l->v) {
		sort_states(l);
		return 0;
	}
	refinement_free(l);
	return -1;
}

int
cscg_structure_refine_partition(const struct cscg_model *m, const int *path, long n, int *into,
    struct cscg_err *err)
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
	refinement_free(&l);
	return has;
}

double
cscg_bic(const struct cscg_model *m, long n, double loglik)
{
	long r, edges = m->n_states;

	for (r = 0; r < (long)m->n_actions * m->n_states; r++)
		if (m->first[r + 1] > m->first[r])
			edges += m->first[r + 1] - m->first[r] - 1;
	return loglik - param_cost(n) * (double)edges;
}

int
cscg_merge_candidate(const struct cscg_model *m, long n, bool *tried, int *i, int *j,
    struct cscg_err *err)
{
	size_t S = (size_t)m->n_states;
	int *class = cscg_alloc(S, sizeof *class, err), p, q, found = 0;
	struct refinement l;
	double e, least = 0;

	if (!class || refinement_new(&l, m, n, class, err) < 0) {
		free(class);
		return -1;
	}
	for (p = 0; p < m->n_states; p++)
		class[p] = p;
	for (p = 0; p < m->n_states; p++)
		for (q = p + 1; q < m->n_states &&
		    m->clone[q] == m->clone[p]; q++) {
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
	refinement_free(&l);
	free(class);
	return found;
}
