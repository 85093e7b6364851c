/*
 * refine.c - the graph of a noisy walk, improved by local changes
 *
 * The description length of a walk is that of its likeliest path through the
 * graph, and of the graph: ln(steps)/2 for each state and each row that the
 * path visits.  A change of the graph is a change of the path: states and
 * successors are those of most steps of the new path, then the walk is decoded
 * again, and so on until the path stays the same.  The change is kept if the
 * description length falls.
 *
 * - Remove: a state that few steps visit, as a misread symbol makes them.
 * - Split: two states of the environment that the graph takes for one have
 *   different successors by some action.  Steps that arrived from the same
 *   state by the same action go to the same half, the one that predicts their
 *   successors better; or each stay is assigned by its own successor.
 * - Redirect: a row leads to another state, of the same symbol or of the one that
 *   is observed after it.
 * - Merge: two states of the same symbol, and then the pairs of their
 *   successors, as in merge.h, unless well visited rows contradict.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "learn/constants.h"
#include "learn/refine.h"

static const struct cscg_refine_constants *const limits =
    &cscg_learn_constants.refine;

struct assignment {
	int *state; /* [n_steps] -1: none */
	int n;      /* states */
	double cost;
};

/* The best path to a state at a step. */
struct entry {
	double score; /* log-probability */
	int state;
	int back; /* its entry among those of the step before */
};

/* The last step at which a state was reached, and its entry. */
struct reached {
	long t, entry;
};

struct refine_job {
	const struct cscg_walk *w;
	int A, K;
	long n; /* steps */
	struct cscg_poll *poll;
	long trials;

	/* the graph of an assignment */
	int n_states;
	int *symbol; /* [max_states + 1] */
	int *next;   /* [states * A] -1: not visited */
	int *n_row;  /* [states * A] steps */
	int *n_main; /* [states * A] of them to the successor */
	int *visits; /* [states] */
	int *count;  /* [states * A * states] */
	int *by_x;   /* [states * K] steps by symbol */
	int *first;  /* [K + 1] states of each symbol, */
	int *states; /* [states] */
	double slip, misread;

	/* decoding */
	double log_main, log_slip; /* of the successor, of another one */
	double log_any;            /* of any state */
	double log_jump;           /* of any state, whatever the graph says */
	double log_hit, log_miss;  /* of the symbol, of another one */
	struct reached *reached;   /* [states] */
	struct entry *entry;       /* of all steps */
	size_t cap_entry;
	long *begin; /* [n_steps + 1] entries of each step */

	/* a split */
	int *arrival;      /* [n_steps] of the stay that a step is in */
	signed char *half; /* [states * A + 1] by arrival */
	double *evidence;  /* [states * A + 1] */
	int *half_count;   /* [2 * A * states] */
	int *parent;       /* [states] for merges, [symbols] for counts */
	int *base;         /* [n_steps] an assignment */
	struct cscg_pool mem;
};

/* ---- the graph of an assignment ---- */

static void
count_steps(struct refine_job *job, const int *state, int n)
{
	const struct cscg_walk *w = job->w;
	size_t N = (size_t)n, A = (size_t)job->A, K = (size_t)job->K;
	size_t row;
	long t;

	memset(job->visits, 0, N * sizeof *job->visits);
	memset(job->n_row, 0, N * A * sizeof *job->n_row);
	memset(job->count, 0, N * A * N * sizeof *job->count);
	memset(job->by_x, 0, N * K * sizeof *job->by_x);
	for (t = 0; t < job->n; t++) {
		if (state[t] < 0)
			continue;
		job->visits[state[t]]++;
		if (w->x[t] >= 0)
			job->by_x[(size_t)state[t] * K + (size_t)w->x[t]]++;
		if (!cscg_walk_has_transition(job->w, t) || state[t + 1] < 0)
			continue;
		row = (size_t)state[t] * A + (size_t)w->a[t];
		job->n_row[row]++;
		job->count[row * N + (size_t)state[t + 1]]++;
	}
}

static int
largest(const int *v, int n)
{
	int i, best = 0;

	for (i = 1; i < n; i++)
		if (v[i] > v[best])
			best = i;
	return best;
}

/* States by symbol. */
static void
list_states(struct refine_job *job)
{
	int j, x, i = 0;

	for (x = 0; x < job->K; x++) {
		job->first[x] = i;
		for (j = 0; j < job->n_states; j++)
			if (job->symbol[j] == x)
				job->states[i++] = j;
	}
	job->first[job->K] = i;
}

/* Symbols, successors and noise of an assignment to n states. */
static void
estimate(struct refine_job *job, const int *state, int n)
{
	double steps = 0, slips = 0, seen = 0, misreads = 0;
	int j, a, row, best;

	count_steps(job, state, n);
	job->n_states = n;
	for (j = 0; j < n; j++) {
		const int *by_x = job->by_x + (size_t)j * (size_t)job->K;

		job->symbol[j] = largest(by_x, job->K);
		for (a = 0; a < job->K; a++)
			seen += by_x[a];
		misreads -= by_x[job->symbol[j]];
		for (a = 0; a < job->A; a++) {
			row = j * job->A + a;
			best = largest(job->count + (size_t)row * (size_t)n,
			    n);
			job->n_main[row] =
			    job->count[(size_t)row * (size_t)n + (size_t)best];
			job->next[row] = job->n_main[row] ? best : -1;
			steps += job->n_row[row];
			slips += job->n_row[row] - job->n_main[row];
		}
	}
	misreads += seen;
	job->slip = (slips + .5) / (steps + 1);
	job->misread = fmin(
	    (misreads + .5) / (seen + 1) * job->K / fmax(job->K - 1, 1), .9);
	job->log_main = log(1 - job->slip);
	job->log_slip = log(job->slip / (job->A + 1));
	job->log_any = -log(n);
	job->log_jump = log(limits->jump);
	job->log_hit = log(1 - job->misread + job->misread / job->K);
	job->log_miss = log(job->misread / job->K);
	list_states(job);
}

/* ---- decoding ---- */

/*
 * Entries of a step as they are added: best[j] is compared with the paths that
 * reached state j before.  A path more than the beam below one that is known to
 * be possible would be dropped when the step is complete, and is not added.
 * Most of the time of a search is spent here.
 */
struct arrivals {
	struct entry *entry;
	struct reached *reached;
	const int *symbol; /* of each state */
	int x;             /* the symbol of the step */
	double log_hit, log_miss;
	long t, end;  /* entries so far */
	double least; /* scores up to this one are dropped */
};

/* The log-probability of the symbol of the step in state j. */
static inline double
log_symbol(const struct arrivals *to, int j)
{
	return to->x < 0           ? 0 :
	    to->symbol[j] == to->x ? to->log_hit :
				     to->log_miss;
}

/* A path to state j with this score before the symbol, from entry back. */
static inline void
reach(struct arrivals *to, int j, double score, int back)
{
	struct reached *r = &to->reached[j];

	score += log_symbol(to, j);
	if (score <= to->least)
		return;
	if (r->t != to->t) {
		*r = (struct reached){ to->t, to->end };
		to->entry[to->end++] = (struct entry){ score, j, back };
	} else if (score > to->entry[r->entry].score) {
		to->entry[r->entry] = (struct entry){ score, j, back };
	}
}

/* All states of the symbol of step t follow entry back with this score. */
static void
reach_symbol(const struct refine_job *job, struct arrivals *to, double score,
    int back)
{
	int x = to->x, i;
	int from = x < 0 ? 0 : job->first[x];
	int end = x < 0 ? job->n_states : job->first[x + 1];

	for (i = from; i < end; i++)
		reach(to, job->states[i], score, back);
}

/* The best entry of step t, among those of the step. */
static int
best_entry(const struct refine_job *job, long t)
{
	const struct entry *e = job->entry + job->begin[t];
	int i, best = 0, n = (int)(job->begin[t + 1] - job->begin[t]);

	for (i = 1; i < n; i++)
		if (e[i].score > e[best].score)
			best = i;
	return best;
}

/* The successors of the entries of step t - 1. */
static void
continue_paths(const struct refine_job *job, struct arrivals *to)
{
	const struct entry *from = to->entry + job->begin[to->t - 1];
	int n = (int)(job->begin[to->t] - job->begin[to->t - 1]), A = job->A;
	int a = job->w->a[to->t - 1], b, i, j, unknown = -1;
	int best = best_entry(job, to->t - 1);
	double most_hit = to->x < 0 ? 0 : fmax(to->log_hit, to->log_miss);
	const int *next;
	double score;

	/* The successor of the best path is possible: a bound for the others. */
	j = job->next[(size_t)from[best].state * (size_t)A + (size_t)a];
	if (j >= 0)
		to->least = from[best].score + job->log_main +
		    log_symbol(to, j) - limits->beam;
	for (i = 0; i < n; i++) {
		score = from[i].score;
		j = from[i].state;
		next = job->next + (size_t)j * (size_t)A;
		if (next[a] >= 0)
			reach(to, next[a], score + job->log_main, i);
		else if (unknown < 0 || score > from[unknown].score)
			unknown = i;
		score += job->log_slip;
		if (score + most_hit <= to->least)
			continue;
		reach(to, j, score, i);
		for (b = 0; b < A; b++)
			if (b != a && next[b] >= 0)
				reach(to, next[b], score, i);
	}
	if (unknown >= 0)
		reach_symbol(job, to,
		    from[unknown].score + job->log_main + job->log_any,
		    unknown);
	reach_symbol(job, to, from[best].score + job->log_jump + job->log_any,
	    best);
}

/* Drop improbable paths of the step. */
static void
prune(struct refine_job *job, const struct arrivals *to)
{
	struct entry *e = to->entry;
	double most = -INFINITY;
	long i, kept = job->begin[to->t];

	for (i = kept; i < to->end; i++)
		most = e[i].score > most ? e[i].score : most;
	for (i = kept; i < to->end; i++)
		if (e[i].score > most - limits->beam)
			e[kept++] = e[i];
	job->begin[to->t + 1] = kept;
}

/*
 * The likeliest path through the graph, its log-probability, and whether it is
 * the path that state held before.
 */
static int
decode(struct refine_job *job, int *state, double *loglik, bool *same,
    struct cscg_err *err)
{
	struct arrivals to = { .reached = job->reached,
		.symbol = job->symbol,
		.log_hit = job->log_hit,
		.log_miss = job->log_miss };
	double score;
	long t;
	int j, best;

	for (j = 0; j < job->n_states; j++)
		job->reached[j].t = -1;
	job->begin[0] = 0;
	for (t = 0; t < job->n; t++) {
		if (cscg_grow(&job->entry, &job->cap_entry,
			(size_t)(job->begin[t] + job->n_states),
			sizeof *job->entry, err) < 0)
			return -1;
		to.entry = job->entry;
		to.x = job->w->x[t];
		to.t = t;
		to.end = job->begin[t];
		to.least = -INFINITY;
		if (t && cscg_walk_has_transition(job->w, t - 1)) {
			continue_paths(job, &to);
		} else {
			best = t ? best_entry(job, t - 1) : -1;
			score = job->log_any;
			if (t)
				score +=
				    job->entry[job->begin[t - 1] + best].score;
			for (j = 0; j < job->n_states; j++)
				reach(&to, j, score, best);
		}
		prune(job, &to);
	}
	best = best_entry(job, job->n - 1);
	*loglik = job->entry[job->begin[job->n - 1] + best].score;
	for (t = job->n - 1, *same = true; t >= 0; t--) {
		const struct entry *e = &job->entry[job->begin[t] + best];

		*same = *same && state[t] == e->state;
		state[t] = e->state;
		best = e->back;
	}
	return 0;
}

/* Number the states that occur from 0. */
static void
compact(struct refine_job *job, struct assignment *s)
{
	int *number = job->parent, j, n = 0;
	long t;

	memset(number, 0, (size_t)s->n * sizeof *number);
	for (t = 0; t < job->n; t++)
		if (s->state[t] >= 0)
			number[s->state[t]] = 1;
	for (j = 0; j < s->n; j++)
		number[j] = number[j] ? n++ : -1;
	for (t = 0; t < job->n; t++)
		if (s->state[t] >= 0)
			s->state[t] = number[s->state[t]];
	s->n = n;
}

/*
 * Alternate estimation and decoding until the cost stays the same, or is far
 * above the limit; the graph is then the one of s.
 */
static int
fit(struct refine_job *job, struct assignment *s, double limit,
    struct cscg_err *err)
{
	double loglik, before;
	bool same = false;
	int i, row, rows;

	job->trials++;
	for (i = 0, s->cost = INFINITY; i < limits->cycles && !same; i++) {
		before = s->cost;
		compact(job, s);
		estimate(job, s->state, s->n);
		if (decode(job, s->state, &loglik, &same, err) < 0)
			return -1;
		for (row = rows = 0; row < s->n * job->A; row++)
			rows += job->n_row[row] > 0;
		s->cost = .5 * log((double)job->n) * (double)(s->n + rows) -
		    loglik;
		if (s->cost >= before - 1e-6 ||
		    s->cost > limit + limits->max_excess / (i + 1))
			break;
	}
	compact(job, s);
	estimate(job, s->state, s->n);
	return 0;
}

/* ---- changes ---- */

static void
copy_assignment(const struct refine_job *job, struct assignment *to,
    const struct assignment *from)
{
	memcpy(to->state, from->state, (size_t)job->n * sizeof *to->state);
	to->n = from->n;
	to->cost = from->cost;
}

/*
 * Fit the changed assignment s.  1 if it is better than *best, which it then
 * replaces; 0 if not, and the graph is again that of best; -1.
 */
static int
try_change(struct refine_job *job, struct assignment *best,
    struct assignment *s, struct cscg_err *err)
{
	if (fit(job, s, best->cost, err) < 0)
		return -1;
	if (s->cost < best->cost - 1e-3) {
		copy_assignment(job, best, s);
		return 1;
	}
	estimate(job, best->state, best->n);
	return 0;
}

static bool
is_done(struct refine_job *job)
{
	return job->trials >= limits->max_trials ||
	    cscg_poll(job->poll, "refine", (double)job->trials, 0);
}

/* Remove states that few steps visit. */
static int
remove_states(struct refine_job *job, struct assignment *best,
    struct assignment *s, struct cscg_err *err)
{
	int j, rc, n = 0;
	long t, rare;

	for (j = 0; j < best->n && !is_done(job); j++) {
		rare = job->n / (limits->rare_share * best->n);
		if (job->visits[j] > rare || best->n == 1)
			continue;
		copy_assignment(job, s, best);
		for (t = 0; t < job->n; t++)
			if (s->state[t] == j)
				s->state[t] = -1;
		rc = try_change(job, best, s, err);
		if (rc < 0)
			return -1;
		n += rc;
		j -= rc; /* states are numbered again */
	}
	return n;
}

/* Arrivals of the stays in state j: previous state and action, plus 1; or 0. */
static void
find_arrivals(struct refine_job *job, const int *state, int j)
{
	long t;

	for (t = 0; t < job->n; t++) {
		if (state[t] != j)
			continue;
		if (!t || !cscg_walk_has_transition(job->w, t - 1) ||
		    state[t - 1] < 0)
			job->arrival[t] = 0;
		else
			job->arrival[t] = state[t - 1] == j ?
			    job->arrival[t - 1] :
			    state[t - 1] * job->A + job->w->a[t - 1] + 1;
	}
}

/* Assign arrivals to the half whose successors they share. */
static void
assign_halves(struct refine_job *job, const int *state, int j, int n)
{
	size_t A = (size_t)job->A, N = (size_t)n, i, row;
	const int *c = job->half_count;
	long t;
	double p[2];
	int h;

	memset(job->half_count, 0, 2 * A * (N + 1) * sizeof *job->half_count);
	for (t = 0; t < job->n; t++)
		if (state[t] == j && cscg_walk_has_transition(job->w, t) &&
		    state[t + 1] >= 0 && job->half[job->arrival[t]] >= 0) {
			row = (size_t)job->half[job->arrival[t]] * A +
			    (size_t)job->w->a[t];
			job->half_count[row * (N + 1) +
			    (size_t)state[t + 1]]++;
			job->half_count[row * (N + 1) + N]++;
		}
	memset(job->evidence, 0, (N * A + 1) * sizeof *job->evidence);
	for (t = 0; t < job->n; t++)
		if (state[t] == j && cscg_walk_has_transition(job->w, t) &&
		    state[t + 1] >= 0) {
			for (h = 0; h < 2; h++) {
				row = (size_t)h * A + (size_t)job->w->a[t];
				p[h] =
				    (c[row * (N + 1) + (size_t)state[t + 1]] +
					.2) /
				    (c[row * (N + 1) + N] + 1);
			}
			job->evidence[job->arrival[t]] += log(p[1] / p[0]);
		}
	for (i = 0; i <= N * A; i++)
		job->half[i] = job->evidence[i] > 0;
}

/*
 * Split state j, whose action a leads to `other` in some steps: the steps of
 * one half get state n.  by_stay: stays that lead there, else arrivals.  false
 * if a half is empty.
 */
static bool
split_state(struct refine_job *job, const struct assignment *best,
    struct assignment *s, int j, int a, int other, bool by_stay)
{
	size_t n_arrivals = (size_t)(best->n * job->A) + 1;
	int main = job->next[j * job->A + a], i, n[2] = { 0, 0 };
	const int *state = best->state;
	long t, begin;

	copy_assignment(job, s, best);
	find_arrivals(job, state, j);
	if (by_stay) {
		for (t = 0; t < job->n; t++)
			if (state[t] == j &&
			    cscg_walk_has_transition(job->w, t) &&
			    job->w->a[t] == a && state[t + 1] == other) {
				for (begin = t; begin > 0 &&
				     cscg_walk_has_transition(job->w,
					 begin - 1) &&
				     state[begin - 1] == j;
				     begin--)
					;
				for (; begin <= t; begin++)
					s->state[begin] = best->n;
			}
	} else {
		memset(job->evidence, 0, n_arrivals * sizeof *job->evidence);
		for (t = 0; t < job->n; t++)
			if (state[t] == j &&
			    cscg_walk_has_transition(job->w, t) &&
			    job->w->a[t] == a)
				job->evidence[job->arrival[t]] +=
				    (state[t + 1] == other) -
				    (state[t + 1] == main);
		for (i = 0; i < (int)n_arrivals; i++)
			job->half[i] = job->evidence[i] > 0 ? 1 :
			    job->evidence[i] < 0            ? 0 :
							      -1;
		for (i = 0; i < limits->split_cycles; i++)
			assign_halves(job, state, j, best->n);
		for (t = 0; t < job->n; t++)
			if (state[t] == j && job->half[job->arrival[t]] > 0)
				s->state[t] = best->n;
	}
	for (t = 0; t < job->n; t++)
		if (state[t] == j)
			n[s->state[t] != j]++;
	s->n = best->n + 1;
	return n[0] && n[1];
}

/*
 * The action of state j, and the state besides its successor, to which most
 * steps lead but for rank others; -1: fewer than min_other.
 */
static int
find_other(const struct refine_job *job, int j, int rank, int *action)
{
	int a, k, row, n = job->n_states, most, other = -1;
	int limit = INT_MAX, last = -1; /* the one of the rank before */
	const int *c;

	for (; rank >= 0; rank--) {
		most = limits->min_other - 1;
		other = -1;
		for (a = 0; a < job->A; a++) {
			c = job->count + (size_t)(j * job->A + a) * (size_t)n;
			for (k = 0; k < n; k++) {
				row = a * n + k;
				if (k == job->next[j * job->A + a] ||
				    c[k] <= most || c[k] > limit ||
				    (c[k] == limit && row <= last))
					continue;
				most = c[k];
				other = k;
				*action = a;
			}
		}
		if (other < 0)
			return -1;
		limit = most;
		last = *action * n + other;
	}
	return other;
}

/* Split states with an ambiguous action. */
static int
split_states(struct refine_job *job, struct assignment *best,
    struct assignment *s, struct cscg_err *err)
{
	int j, a = 0, other, how, rc, rank, n = 0;

	for (j = 0;
	     j < best->n && best->n < limits->max_states && !is_done(job);
	     j++) {
		for (rank = 0, rc = 0; rank < limits->max_others && !rc &&
		     (other = find_other(job, j, rank, &a)) >= 0;
		     rank++)
			for (how = 0; how < 2 && !rc; how++) {
				if (!split_state(job, best, s, j, a, other,
					how))
					continue;
				rc = try_change(job, best, s, err);
				if (rc < 0)
					return -1;
			}
		n += rc;
		j -= rc;
	}
	return n;
}

/*
 * Merge states i and j, and their successors by the same actions.  false if
 * the graph contradicts.
 */
static bool
merge_pair(struct refine_job *job, int i, int j, int *budget)
{
	int a, k, l, c;

	i = cscg_sets_root(job->parent, i);
	j = cscg_sets_root(job->parent, j);
	if (i == j)
		return true;
	job->parent[j] = i;
	for (a = 0; a < job->A; a++) {
		k = job->next[i * job->A + a];
		l = job->next[j * job->A + a];
		if (k < 0 || l < 0 ||
		    cscg_sets_root(job->parent, k) ==
			cscg_sets_root(job->parent, l))
			continue;
		c = job->n_main[i * job->A + a] < job->n_main[j * job->A + a] ?
		    job->n_main[i * job->A + a] :
		    job->n_main[j * job->A + a];
		if (job->symbol[k] != job->symbol[l])
			*budget -= c;
		else if (!merge_pair(job, k, l, budget))
			return false;
		if (*budget < 0)
			return false;
	}
	return true;
}

/* Merge states of the same symbol. */
static int
merge_states(struct refine_job *job, struct assignment *best,
    struct assignment *s, struct cscg_err *err)
{
	int i, j, rc, n = 0, budget;
	long t;

	for (i = 0; i < best->n; i++)
		for (j = i + 1; j < best->n && !is_done(job); j++) {
			if (job->symbol[i] != job->symbol[j])
				continue;
			budget = limits->contradictions;
			cscg_sets_init(job->parent, best->n);
			if (!merge_pair(job, i, j, &budget))
				continue;
			copy_assignment(job, s, best);
			for (t = 0; t < job->n; t++)
				if (s->state[t] >= 0)
					s->state[t] = cscg_sets_root(
					    job->parent, s->state[t]);
			rc = try_change(job, best, s, err);
			if (rc < 0)
				return -1;
			n += rc;
			j -= rc;
		}
	return n;
}

/*
 * The number of arrivals by row (j, a) at its successor k, after which the path
 * contradicts the graph, up to the step after k.
 */
static int
count_failures(const struct refine_job *job, const int *state, int j, int a)
{
	int k = job->next[j * job->A + a], l, n = 0;
	long t, u;

	for (t = 0; t + 1 < job->n; t++) {
		if (state[t] != j || job->w->a[t] != a ||
		    !cscg_walk_has_transition(job->w, t))
			continue;
		for (u = t + 1;
		     state[u] == k && cscg_walk_has_transition(job->w, u);
		     u++) {
			l = state[u + 1];
			if (job->next[k * job->A + job->w->a[u]] != l ||
			    (job->w->x[u + 1] >= 0 &&
				job->symbol[l] != job->w->x[u + 1])) {
				n++;
				break;
			}
		}
	}
	return n;
}

/* Let the arrivals by row (j, a) be in state k instead, until they leave. */
static void
redirect(struct refine_job *job, const struct assignment *best,
    struct assignment *s, int j, int a, int k)
{
	int before = job->next[j * job->A + a];
	long t, u;

	copy_assignment(job, s, best);
	for (t = 0; t + 1 < job->n; t++)
		if (best->state[t] == j && job->w->a[t] == a &&
		    cscg_walk_has_transition(job->w, t) &&
		    best->state[t + 1] == before)
			for (u = t + 1; u < job->n && best->state[u] == before;
			     u++) {
				s->state[u] = k;
				if (!cscg_walk_has_transition(job->w, u))
					break;
			}
}

/*
 * The symbol that most arrivals by row (j, a) at its successor observed there,
 * if it is not the one of the successor and is observed min_other times; else
 * -1.
 */
static int
misread_as(const struct refine_job *job, const int *state, int j, int a)
{
	int k = job->next[j * job->A + a], x;
	int *n = job->parent; /* [K] */
	long t;

	memset(n, 0, (size_t)job->K * sizeof *n);
	for (t = 0; t + 1 < job->n; t++)
		if (state[t] == j && job->w->a[t] == a && state[t + 1] == k &&
		    cscg_walk_has_transition(job->w, t) &&
		    job->w->x[t + 1] >= 0)
			n[job->w->x[t + 1]]++;
	x = largest(n, job->K);
	return x != job->symbol[k] && n[x] >= limits->min_other ? x : -1;
}

/*
 * Let row (j, a) lead to a state of symbol x instead: 1 if a state is better, 0
 * if none is, -1.
 */
static int
redirect_row(struct refine_job *job, struct assignment *best,
    struct assignment *s, int j, int a, int x, struct cscg_err *err)
{
	int k = job->next[j * job->A + a], i, rc = 0;

	for (i = job->first[x]; i < job->first[x + 1] && !rc && !is_done(job);
	     i++) {
		if (job->states[i] == k)
			continue;
		redirect(job, best, s, j, a, job->states[i]);
		rc = try_change(job, best, s, err);
	}
	return rc;
}

/*
 * Rows whose successor should be another state, of the same symbol or of the
 * one that is observed after this row.
 */
static int
redirect_rows(struct refine_job *job, struct assignment *best,
    struct assignment *s, struct cscg_err *err)
{
	int j, a, x, rc, n = 0;

	for (j = 0; j < best->n; j++)
		for (a = 0; a < job->A && j < best->n; a++) {
			if (job->next[j * job->A + a] < 0)
				continue;
			rc = 0;
			if (count_failures(job, best->state, j, a) >=
			    limits->min_other)
				rc = redirect_row(job, best, s, j, a,
				    job->symbol[job->next[j * job->A + a]],
				    err);
			x = rc ? -1 : misread_as(job, best->state, j, a);
			if (x >= 0)
				rc = redirect_row(job, best, s, j, a, x, err);
			if (rc < 0)
				return -1;
			n += rc;
		}
	return n;
}

/*
 * Split a state, by arrivals or by stays, although that costs more, then others:
 * two states that are confused with two others next to them are split together
 * or not at all.  Returns after the first success.
 */
static int
split_several(struct refine_job *job, struct assignment *best,
    struct assignment *s, struct cscg_err *err)
{
	struct assignment base = { .state = job->base };
	int j, a = 0, other, rc, rank;

	for (rank = 0; rank < 2 * limits->max_others; rank++)
		for (j = 0; j < best->n && best->n < limits->max_states &&
		     !is_done(job);
		     j++) {
			other = find_other(job, j, rank / 2, &a);
			if (other < 0 ||
			    !split_state(job, best, s, j, a, other, rank % 2))
				continue;
			if (fit(job, s, best->cost, err) < 0)
				return -1;
			rc = 0;
			if (s->cost < best->cost + limits->max_excess / 2) {
				copy_assignment(job, &base, s);
				if (split_states(job, &base, s, err) < 0 ||
				    redirect_rows(job, &base, s, err) < 0)
					return -1;
				if (base.cost < best->cost - 1e-3) {
					copy_assignment(job, best, &base);
					rc = 1;
				}
			}
			estimate(job, best->state, best->n);
			if (rc)
				return 1;
		}
	return 0;
}

/* ---- the search ---- */

static int
search(struct refine_job *job, struct assignment *best, struct assignment *s,
    struct cscg_err *err)
{
	int (*const change[])(struct refine_job *, struct assignment *,
	    struct assignment *, struct cscg_err *) = { remove_states,
		split_states, merge_states, redirect_rows, split_several };
	size_t i, n_changes = sizeof change / sizeof *change;
	int round, n = 1, rc;

	if (fit(job, best, INFINITY, err) < 0)
		return -1;
	for (round = 0; n && round < limits->rounds; round++)
		for (i = 0, n = 0; i < n_changes; i++) {
			/* Changes that cost much, if there are no others. */
			if (n && i == n_changes - 1)
				break;
			rc = change[i](job, best, s, err);
			if (rc < 0)
				return -1;
			n += rc;
		}
	return 0;
}

static void
job_free(struct refine_job *job)
{
	cscg_pool_free(&job->mem);
	free(job->entry);
}

static int
job_init(struct refine_job *job, const struct cscg_walk *w,
    struct cscg_poll *poll, struct cscg_err *err)
{
	struct cscg_pool *mem = &job->mem;
	size_t N = (size_t)limits->max_states + 1,
	       A = (size_t)w->head.n_actions;
	size_t K = (size_t)w->head.n_obs, n = (size_t)w->n_steps;

	*job = (struct refine_job){ .w = w,
		.A = w->head.n_actions,
		.K = w->head.n_obs,
		.n = w->n_steps,
		.poll = poll,
		.mem.err = err };
	job->symbol = cscg_pool_add(mem, N, sizeof *job->symbol);
	job->next = cscg_pool_add(mem, N * A, sizeof *job->next);
	job->n_row = cscg_pool_add(mem, N * A, sizeof *job->n_row);
	job->n_main = cscg_pool_add(mem, N * A, sizeof *job->n_main);
	job->visits = cscg_pool_add(mem, N, sizeof *job->visits);
	job->count = cscg_pool_add(mem, N * A * N, sizeof *job->count);
	job->by_x = cscg_pool_add(mem, N * K, sizeof *job->by_x);
	job->first = cscg_pool_add(mem, K + 1, sizeof *job->first);
	job->states = cscg_pool_add(mem, N, sizeof *job->states);
	job->reached = cscg_pool_add(mem, N, sizeof *job->reached);
	job->begin = cscg_pool_add(mem, n + 1, sizeof *job->begin);
	job->arrival = cscg_pool_add(mem, n, sizeof *job->arrival);
	job->half = cscg_pool_add(mem, N * A + 1, 1);
	job->evidence = cscg_pool_add(mem, N * A + 1, sizeof *job->evidence);
	job->half_count = cscg_pool_add(mem, 2 * A * (N + 1),
	    sizeof *job->half_count);
	job->base = cscg_pool_add(mem, n, sizeof *job->base);
	job->parent = cscg_pool_add(mem, N > K ? N : K, sizeof *job->parent);
	return mem->failed ? -1 : 0;
}

/* The result: states numbered by symbol. */
static struct cscg_merge *
make_result(struct refine_job *job, const struct assignment *best,
    struct cscg_err *err)
{
	struct cscg_merge *f = cscg_alloc(1, sizeof *f, err);
	int i;
	long t;

	if (!f)
		return NULL;
	f->symbol = cscg_alloc((size_t)best->n, sizeof *f->symbol, err);
	f->state = cscg_alloc((size_t)job->n, sizeof *f->state, err);
	if (!f->symbol || !f->state) {
		cscg_merge_free(f);
		return NULL;
	}
	f->n_states = best->n;
	f->assigned = 1;
	f->cost = best->cost;
	f->complete = true;
	estimate(job, best->state, best->n);
	for (i = 0; i < best->n; i++) {
		job->parent[job->states[i]] = i;
		f->symbol[i] = job->symbol[job->states[i]];
	}
	for (t = 0; t < job->n; t++)
		f->state[t] = job->parent[best->state[t]];
	return f;
}

int
cscg_refine(const struct cscg_walk *w, const int *state, int n,
    struct cscg_poll *poll, struct cscg_merge **out, struct cscg_err *err)
{
	struct refine_job job = { .n = 0 };
	struct assignment best = { .n = n }, s = { .n = 0 };
	bool any = false;
	int rc = -1;
	long t;

	*out = NULL;
	for (t = 0; t < w->n_steps && !any; t++)
		any = state[t] >= 0 && w->x[t] >= 0;
	if (!any || n > limits->max_states ||
	    w->head.n_actions > limits->max_actions ||
	    w->head.n_obs > limits->max_symbols)
		return 0;
	best.state = cscg_copy(state, (size_t)w->n_steps, sizeof *state, err);
	s.state = cscg_alloc((size_t)w->n_steps, sizeof *s.state, err);
	if (best.state && s.state && job_init(&job, w, poll, err) == 0 &&
	    search(&job, &best, &s, err) == 0 &&
	    (*out = make_result(&job, &best, err)))
		rc = 1;
	job_free(&job);
	free(best.state);
	free(s.state);
	return rc;
}
