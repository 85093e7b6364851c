/*
 * split.c - split of states with ambiguous successors by BIC
 *
 * All ambiguous states are split together first, since neighbours often mix
 * the same true states and only their joint split improves the fit; useless
 * splits are merged again when the model is reduced.  If BIC does not improve,
 * states are split one by one, the most ambiguous first, until several in a
 * row have failed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/constants.h"
#include "learn/split.h"
#include "kernel/decoder.h"
#include "kernel/passes.h"

static double
xlogx(double x)
{
	return x > 0 ? x * log(x) : 0;
}

static double
param_cost(long n)
{
	return log((double)(n > 1 ? n : 2)) / 2;
}

/* The outcome of a transition: the next state, or its symbol. */
static int
outcome(const struct cscg_model *m, int to, bool by_state)
{
	return by_state ? to : m->clone[to];
}

/*
 * The entropy of one row, in nats over all visits, and its most frequent
 * outcome.
 */
static double
row_entropy(const struct cscg_model *m, int a, int j, bool by_state, int *most)
{
	long i = m->first[(long)a * m->n_states + j];
	long end = m->first[(long)a * m->n_states + j + 1];
	double sum = 0, entropy = 0, c, best = 0;

	/* States ascend by symbol: equal outcomes are adjacent. */
	while (i < end) {
		int out = outcome(m, m->to[i], by_state);

		for (c = 0; i < end && outcome(m, m->to[i], by_state) == out;
		     i++)
			c += m->count[i];
		if (c > best) {
			best = c;
			*most = out;
		}
		sum += c;
		entropy -= xlogx(c);
	}
	return sum > best ? xlogx(sum) + entropy : 0;
}

double
cscg_split_entropy(const struct cscg_model *m, int j, bool by_state, int *a)
{
	double sum = 0, d, best = -1;
	int b, most;

	for (b = 0; b < m->n_actions; b++) {
		d = row_entropy(m, b, j, by_state, &most);
		sum += d;
		if (d > best) {
			best = d;
			*a = b;
		}
	}
	return sum;
}

/* ---- assigning visits to clones ---- */

/* A visit to state j at step t after action a in state from. */
struct visit {
	int j, from, a;
	long t;
};

static int
by_predecessor(const void *p, const void *q)
{
	const struct visit *u = p, *v = q;

	if (u->j != v->j)
		return u->j < v->j ? -1 : 1;
	if (u->from != v->from)
		return u->from < v->from ? -1 : 1;
	if (u->a != v->a)
		return u->a < v->a ? -1 : 1;
	return u->t < v->t ? -1 : u->t > v->t;
}

struct assignment {
	struct cscg_pool mem; /* all arrays */
	const struct cscg_model *m;
	const struct cscg_walk *w;
	const int *path;
	const bool *which;
	bool by_state;
	int *a, *most;       /* [n_states] the ambiguous action, its outcome */
	signed char *side;   /* [n_steps] 1: the second clone; -1: undecided */
	struct visit *visit; /* [n_steps] */
	long n;
};

/* True if a transition leads from step t to the next. */
static bool
has_transition(const struct cscg_walk *w, const int *path, long t)
{
	return cscg_walk_has_transition(w, t) && path[t] >= 0 &&
	    path[t + 1] >= 0;
}

/* Assign the visits followed by the ambiguous action, by outcome. */
static void
assign_by_outcome(struct assignment *s)
{
	long t;
	int j;

	for (t = 0; t < s->w->n_steps; t++) {
		bool came = t && has_transition(s->w, s->path, t - 1);

		j = s->path[t];
		s->side[t] = -1;
		if (j < 0 || !s->which[j])
			continue;
		if (s->w->a[t] == s->a[j] && has_transition(s->w, s->path, t))
			s->side[t] = outcome(s->m, s->path[t + 1],
					 s->by_state) != s->most[j];
		s->visit[s->n++] = (struct visit){ j,
			came ? s->path[t - 1] : -1, came ? s->w->a[t - 1] : -1,
			t };
	}
}

/*
 * Assign all other visits, by the majority of visits with the same
 * predecessor.
 */
static void
assign_by_predecessor(struct assignment *s)
{
	long i, k, end, second, known;
	struct visit *v = s->visit;

	qsort(v, (size_t)s->n, sizeof *v, by_predecessor);
	for (i = 0; i < s->n; i = end) {
		second = known = 0;
		for (end = i; end < s->n && v[end].j == v[i].j &&
		     v[end].from == v[i].from && v[end].a == v[i].a;
		     end++) {
			known += s->side[v[end].t] >= 0;
			second += s->side[v[end].t] > 0;
		}
		for (k = i; k < end; k++)
			if (s->side[v[k].t] < 0)
				s->side[v[k].t] = 2 * second > known;
	}
}

static int
assign_visits(struct assignment *s)
{
	size_t S = (size_t)s->m->n_states, n = (size_t)s->w->n_steps;
	int j;

	s->a = cscg_pool_add(&s->mem, S, sizeof *s->a);
	s->most = cscg_pool_add(&s->mem, S, sizeof *s->most);
	s->side = cscg_pool_add(&s->mem, n, sizeof *s->side);
	s->visit = cscg_pool_add(&s->mem, n, sizeof *s->visit);
	if (s->mem.failed)
		return -1;
	for (j = 0; j < s->m->n_states; j++) {
		cscg_split_entropy(s->m, j, s->by_state, &s->a[j]);
		row_entropy(s->m, s->a[j], j, s->by_state, &s->most[j]);
	}
	assign_by_outcome(s);
	assign_by_predecessor(s);
	return 0;
}

/* ---- the model with more states ---- */

/* Counts along the path; number[j] is the new number of state j. */
static int
set_counts(const struct assignment *s, const int *number,
    struct cscg_model *fresh, struct cscg_err *err)
{
	struct cscg_count *c = cscg_alloc((size_t)s->w->n_steps, sizeof *c,
	    err);
	long t, n = 0;
	int rc;

	if (!c)
		return -1;
	for (t = 0; t < s->w->n_steps; t++)
		if (has_transition(s->w, s->path, t))
			c[n++] = (struct cscg_count){ s->w->a[t],
				number[s->path[t]] + (s->side[t] > 0),
				number[s->path[t + 1]] + (s->side[t + 1] > 0),
				1 };
	rc = cscg_model_set_counts(fresh, c, n, err);
	free(c);
	return rc;
}

/*
 * A copy of m without counts, with a second clone after each state of which.
 */
static struct cscg_model *
add_clones(const struct cscg_model *m, const bool *which, int *number,
    struct cscg_err *err)
{
	struct cscg_model *fresh;
	int j, n = 0;

	for (j = 0; j < m->n_states; j++) {
		number[j] = n;
		n += 1 + which[j];
	}
	if (n > CSCG_STATE_MAX) {
		cscg_fail(err, CSCG_ERANGE, "%d states are more than %d", n,
		    CSCG_STATE_MAX);
		return NULL;
	}
	fresh = cscg_model_new(m->kind, n, m->n_actions, m->n_obs, err);
	if (!fresh)
		return NULL;
	fresh->is_double = m->is_double;
	fresh->pseudocount = m->pseudocount;
	if (m->pi)
		fresh->pi = cscg_alloc((size_t)n, sizeof *fresh->pi, err);
	for (j = 0; j < m->n_states; j++) {
		fresh->clone[number[j]] = m->clone[j];
		if (which[j])
			fresh->clone[number[j] + 1] = m->clone[j];
		if (!m->pi || !fresh->pi)
			continue;
		/* EM will learn how pi is divided between the two clones. */
		fresh->pi[number[j]] = m->pi[j] / (1 + which[j]);
		if (which[j])
			fresh->pi[number[j] + 1] = m->pi[j] / 2;
	}
	if ((m->pi && !fresh->pi) ||
	    cscg_names_copy(&fresh->actions, &m->actions, err) < 0 ||
	    cscg_names_copy(&fresh->symbols, &m->symbols, err) < 0 ||
	    cscg_history_copy(&fresh->history, &m->history, err) < 0) {
		cscg_model_free(fresh);
		return NULL;
	}
	return fresh;
}

struct cscg_model *
cscg_split_states(const struct cscg_model *m, const struct cscg_walk *w,
    const int *path, const bool *which, bool by_state, struct cscg_err *err)
{
	struct assignment s = { .mem.err = err,
		.m = m,
		.w = w,
		.path = path,
		.which = which,
		.by_state = by_state };
	int *number = cscg_pool_add(&s.mem, (size_t)m->n_states,
	    sizeof *number);
	struct cscg_model *fresh = NULL;

	if (number && assign_visits(&s) == 0)
		fresh = add_clones(m, which, number, err);
	if (fresh && set_counts(&s, number, fresh, err) < 0) {
		cscg_model_free(fresh);
		fresh = NULL;
	}
	cscg_pool_free(&s.mem);
	return fresh;
}

/* ---- trial splits ---- */

struct rank {
	int state;
	double entropy;
};

struct job {
	struct cscg_model **m;
	const struct cscg_walk *w;
	const struct cscg_split *set;
	double *loglik, param_cost;
	long tried;
	/* of the current *m, [n_states] or [n_steps] */
	int *path, n;
	struct rank *rank; /* n ambiguous states, the most ambiguous first */
	bool *which;
};

static int
by_entropy(const void *p, const void *q)
{
	const struct rank *u = p, *v = q;

	if (u->entropy != v->entropy)
		return u->entropy > v->entropy ? -1 : 1;
	return u->state < v->state ? -1 : u->state > v->state;
}

static void
job_free(struct job *job)
{
	free(job->path);
	free(job->rank);
	free(job->which);
	job->path = NULL;
	job->rank = NULL;
	job->which = NULL;
}

/*
 * Find the Viterbi path of *m, and the states whose entropy exceeds the cost
 * of an edge.
 */
static int
rank_by_entropy(struct job *job, bool by_state, struct cscg_err *err)
{
	const struct cscg_model *m = *job->m;
	double logp, entropy;
	int j, a;

	job_free(job);
	job->n = 0;
	job->path = cscg_alloc((size_t)job->w->n_steps, sizeof *job->path,
	    err);
	job->rank = cscg_alloc((size_t)m->n_states, sizeof *job->rank, err);
	job->which = cscg_alloc((size_t)m->n_states, sizeof *job->which, err);
	if (!job->path || !job->rank || !job->which)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		entropy = cscg_split_entropy(m, j, by_state, &a);
		if (entropy > job->param_cost)
			job->rank[job->n++] = (struct rank){ j, entropy };
	}
	qsort(job->rank, (size_t)job->n, sizeof *job->rank, by_entropy);
	if (!job->n)
		return 0;
	return cscg_decode_viterbi(m, job->w, job->set->kern, job->set->simd,
	    job->path, &logp, err);
}

static long
edges(const struct cscg_model *m)
{
	return m->first[(long)m->n_actions * m->n_states];
}

/* Split states first..last of the ranking: 1 if that is kept, 0, or -1. */
static int
try_split(struct job *job, int first, int last, bool by_state,
    struct cscg_err *err)
{
	struct cscg_model *m;
	double loglik;
	long more;
	int i;

	memset(job->which, 0,
	    (size_t)(*job->m)->n_states * sizeof *job->which);
	for (i = first; i <= last; i++)
		job->which[job->rank[i].state] = true;
	m = cscg_split_states(*job->m, job->w, job->path, job->which, by_state,
	    err);
	if (!m || job->set->refit(job->set->ctx, &m, &loglik, err) < 0) {
		cscg_model_free(m);
		return -1;
	}
	job->tried++;
	more = edges(m) - edges(*job->m);
	if (!(loglik - *job->loglik >
		job->param_cost * (double)(more > 1 ? more : 1))) {
		cscg_model_free(m);
		return 0;
	}
	cscg_model_free(*job->m);
	*job->m = m;
	*job->loglik = loglik;
	if (job->set->report)
		job->set->report(job->set->ctx, m, job->tried, loglik);
	return 1;
}

/* Split once, by symbol or by state: 1 if something was kept, 0, or -1. */
static int
split_once(struct job *job, bool by_state, struct cscg_err *err)
{
	int i, rc;

	if (rank_by_entropy(job, by_state, err) < 0)
		return -1;
	rc = job->n > 1 ? try_split(job, 0, job->n - 1, by_state, err) : 0;
	for (i = 0;
	     rc == 0 && i < job->n && i < cscg_learn_constants.failed_splits &&
	     !cscg_poll(job->set->poll, "splitting", i,
		 cscg_learn_constants.failed_splits);
	     i++)
		rc = try_split(job, i, i, by_state, err);
	return rc;
}

int
cscg_split(struct cscg_model **m, const struct cscg_walk *w,
    const struct cscg_split *set, double *loglik, struct cscg_err *err)
{
	struct job job = { .m = m,
		.w = w,
		.set = set,
		.loglik = loglik,
		.param_cost = param_cost(w->n_steps) };
	int rc;

	do {
		rc = split_once(&job, false, err);
		if (rc == 0)
			rc = split_once(&job, true, err);
	} while (rc > 0 && !cscg_poll_stopped(set->poll));
	job_free(&job);
	return rc < 0 ? -1 : 0;
}
