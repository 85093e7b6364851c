/*
 * outward.c - the graph of a walk with noise, from landmarks outward
 *
 *  1. Landmarks.  A symbol is a landmark if the contexts of context.h do not
 *     distinguish most of its steps: it belongs to one node.  It becomes a
 *     known state.  All steps with any other symbol have one unknown state
 *     for each symbol, which stands for all of its nodes.  Or the search
 *     starts from a rough model: its states whose rows have a main successor
 *     are known.
 *  2. A transition of a known state that leads to an unknown state is open.
 *     Its steps are compared with the known states of the symbol by the
 *     likelihood of what follows in the walk, all of it: each step has a
 *     backward message, of which the unknown state is the reference.  If a
 *     known state predicts what follows much better than the unknown state and
 *     than any other, it is the successor.  If none predicts it better than
 *     the unknown state, the successor is a new state.  Otherwise the decision
 *     waits until more of the graph is known.
 *  3. In the same way known states are merged, and decided transitions are
 *     changed.  If the actions have inverses and their order does not matter,
 *     as in rooms, states have coordinates.  Then transitions lead to the
 *     state with the coordinates that they should lead to, one new state at
 *     most, and states with the same coordinates are merged, unless what
 *     follows contradicts.  Far from landmarks what follows says little.  As
 *     soon as the known states have coordinates that agree, there is a new
 *     state at each of those between them, and EM finds the steps of all: the
 *     graph need not grow state by state.  Where coordinates keep disagreeing
 *     after that, the search fails.
 *     An action that stays at an obstacle may lead to a state outside: it has
 *     the other successors of the state before, and is merged into it.
 *  4. EM on T, with noise tied, and on the misreading probability locates the
 *     steps in the graph found so far.  Then 2 follows again, until no
 *     transition is open.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/poll.h"
#include "base/stats.h"
#include "kernel/passes.h"
#include "kernel/trans.h"
#include "learn/clones.h"
#include "learn/constants.h"
#include "learn/context.h"
#include "learn/learn_model.h"
#include "learn/merge.h"
#include "learn/noisy_em.h"
#include "learn/outward.h"
#include "learn/structure.h"

static const struct cscg_outward_constants *const limits =
    &cscg_learn_constants.outward;

struct outward {
	struct cscg_pool mem; /* all arrays */
	struct cscg_noisy_em em;
	const struct cscg_walk *w;
	const struct cscg_learn *set;
	bool only_distinct; /* a graph without coordinates is not wanted */
	int A;
	bool *landmark;   /* [n_obs] */
	int S;            /* states of em.m */
	bool *unknown;    /* [S] */
	int *path;        /* [n_steps] state; from S on: new states */
	int *target;      /* [S * A] the most frequent successor, or -1 */
	long *visits;     /* [S * A] steps that lead to it */
	double *nats;     /* [S * A + S][S] log-likelihood of what follows the
	                   steps of a transition, then of a state, from each
	                   state */
	int *members;     /* [S * A + S] steps in it */
	bool grid;        /* the states have coordinates ... */
	long disagreeing; /* ... with which this many transitions disagree, */
	bool *placed;     /* [S] except these that are not set: */
	int *at;          /* [S][A] steps by each action and its inverse */
	int *new_at;      /* [n_new][A] of new states, if p->grid */
	int *inverse;     /* [A] action that leads back, -1: none */
	int *here, *there, *low, *high; /* [A] scratch */
	bool decoded;                   /* em.r.state is that of em.m */
	bool filled;    /* there is a state for all coordinates, ... */
	bool *replaced; /* [S] ... instead of these unknown ones */
	int n_checks;   /* rounds after the last unknown state */
	double loglik;  /* of the last round */
	bool repeated;  /* the rounds repeat themselves */
	int *symbol;    /* [n_new] of new states */
	int n_new;
};

/* ---- the steps of transitions ---- */

/* The transition of a known state that leads to step t, or -1. */
static long
transition(const struct outward *p, long t)
{
	return cscg_walk_continues(p->w, t) && !p->unknown[p->path[t - 1]] ?
	    (long)p->path[t - 1] * p->A + p->w->a[t - 1] :
	    -1;
}

/* The state of each step, and the most frequent successors. */
static int
locate(struct outward *p, struct cscg_err *err)
{
	size_t S = (size_t)p->em.m->n_states, rows = S * (size_t)p->A, k;
	long *count, t, row;

	p->S = (int)S;
	if ((!p->decoded && cscg_noisy_em_decode(&p->em, err) < 0) ||
	    cscg_pool_grow(&p->mem, &p->target, rows, sizeof *p->target) < 0 ||
	    cscg_pool_grow(&p->mem, &p->visits, rows, sizeof *p->visits) < 0)
		return -1;
	p->decoded = true;
	memcpy(p->path, p->em.r.state,
	    (size_t)p->w->n_steps * sizeof *p->path);
	count = cscg_alloc(rows * S, sizeof *count, err);
	if (!count)
		return -1;
	for (t = 1; t < p->w->n_steps; t++)
		if ((row = transition(p, t)) >= 0)
			count[(size_t)row * S + (size_t)p->path[t]]++;
	for (row = 0; row < (long)rows; row++) {
		p->target[row] = -1;
		p->visits[row] = 0;
		for (k = 0; k < S; k++)
			if (count[(size_t)row * S + k] > p->visits[row]) {
				p->visits[row] = count[(size_t)row * S + k];
				p->target[row] = (int)k;
			}
	}
	free(count);
	return 0;
}

static bool
is_open(const struct outward *p, long row)
{
	return p->target[row] >= 0 && p->unknown[p->target[row]] &&
	    p->visits[row] >= limits->min_visits;
}

/* ---- what follows each step ---- */

/*
 * The message of step t from that of step t + 1, scaled to a maximum of 1.
 * States that cannot emit the symbol of step t are 0.
 */
static void
step_back(const struct outward *p, const struct cscg_trans *tr, long t,
    double *beta, double *value)
{
	struct cscg_span from = cscg_trans_span(tr, p->w->x[t]);
	struct cscg_span to = cscg_trans_span(tr, p->w->x[t + 1]);
	double most;
	int j;

	memcpy(value, beta + to.lo, (size_t)(to.hi - to.lo) * sizeof *value);
	cscg_observe_step(tr, &to, value);
	memset(beta, 0, (size_t)p->S * sizeof *beta);
	cscg_trans_pull(tr, p->w->a[t], &from, &to, value, beta + from.lo);
	most = beta[cscg_largest(beta, 0, p->S)];
	for (j = 0; j < p->S; j++)
		beta[j] = most > 0 ? beta[j] / most : 1;
}

/* Add the logarithms of message to the sums of a group of steps. */
static void
add_member(struct outward *p, long group, const double *log_beta, int lo,
    int hi)
{
	double *nats = p->nats + (size_t)group * (size_t)p->S;
	int j;

	if (p->members[group]++ < limits->max_members)
		for (j = lo; j < hi; j++)
			nats[j] += log_beta[j];
}

/* Sum what the backward messages say of transitions and of states. */
static int
compare_futures(struct outward *p, struct cscg_err *err)
{
	const struct cscg_model *m = p->em.m;
	size_t S = (size_t)p->S, groups = S * (size_t)p->A + S;
	struct cscg_trans *tr = cscg_trans_new(m, &cscg_plain_double, err);
	struct cscg_pool mem = { .err = err };
	double *beta = cscg_pool_add(&mem, S, sizeof *beta);
	double *value = cscg_pool_add(&mem, S, sizeof *value);
	int j, k, x, rc = -1;
	long t, row;

	if (!tr || mem.failed ||
	    cscg_pool_grow(&p->mem, &p->nats, groups * S, sizeof *p->nats) <
		0 ||
	    cscg_pool_grow(&p->mem, &p->members, groups, sizeof *p->members) <
		0)
		goto out;
	memset(p->nats, 0, groups * S * sizeof *p->nats);
	memset(p->members, 0, groups * sizeof *p->members);
	if (m->misread < cscg_learn_constants.min_misread)
		cscg_trans_set_misread(tr, 0);
	for (t = p->w->n_steps - 1; t >= 0; t--) {
		if (cscg_walk_has_transition(p->w, t))
			step_back(p, tr, t, beta, value);
		else
			for (j = 0; j < p->S; j++)
				beta[j] = 1;
		x = p->w->x[t];
		row = transition(p, t);
		j = p->path[t];
		if (x < 0 || m->clone[j] != x || p->landmark[x])
			continue;
		for (k = tr->group[x]; k < tr->group[x + 1]; k++)
			value[k] = log(beta[k] + 1e-12);
		if (row >= 0 && p->target[row] == j)
			add_member(p, row, value, tr->group[x],
			    tr->group[x + 1]);
		if (!p->unknown[j])
			add_member(p, (long)p->S * p->A + j, value,
			    tr->group[x], tr->group[x + 1]);
	}
	rc = 0;
out:
	cscg_trans_free(tr);
	cscg_pool_free(&mem);
	return rc;
}

/* ---- coordinates ---- */

/*
 * In many worlds each action has an inverse and the order of actions does not
 * matter, except at obstacles.  Then the number of steps by each pair of
 * inverse actions is a vector that says where a state is.
 */

/* The decided successor of state j by action a, or -1. */
static int
decided(const struct outward *p, int j, int a)
{
	long row = (long)j * p->A + a;
	int k = p->target[row];

	return !p->unknown[j] && k >= 0 && !p->unknown[k] &&
		p->visits[row] >= limits->min_visits ?
	    k :
	    -1;
}

/* Find the action that leads back, for each; false if one has none. */
static bool
find_inverses(struct outward *p)
{
	int A = p->A, a, b, j, k, back, found = 0;
	long n, yes;

	for (a = 0; a < A; a++) {
		p->inverse[a] = -1;
		for (b = 0; b < A && p->inverse[a] < 0; b++) {
			for (n = yes = 0, j = 0; j < p->S; j++) {
				k = decided(p, j, a);
				back = k < 0 || k == j ? -1 : decided(p, k, b);
				n += back >= 0;
				yes += back == j;
			}
			if (a != b && n >= limits->min_agreeing &&
			    (double)yes >= limits->agreeing_share * (double)n)
				p->inverse[a] = b;
		}
		found += p->inverse[a] >= 0;
	}
	return found == A;
}

/* Change coordinates by action a, or (sign -1) to those before it. */
static void
move_by(const struct outward *p, int a, int sign, int *at)
{
	if (a < p->inverse[a])
		at[a] += sign;
	else
		at[p->inverse[a]] -= sign;
}

/* The coordinates of state j, after action a (-1: none) or before it. */
static void
move_to(const struct outward *p, int j, int a, int sign, int *at)
{
	memcpy(at, p->at + (size_t)j * (size_t)p->A,
	    (size_t)p->A * sizeof *at);
	if (a >= 0)
		move_by(p, a, sign, at);
}

/* True if state j has these coordinates. */
static bool
is_at(const struct outward *p, int j, const int *at)
{
	return p->placed[j] &&
	    !memcmp(p->at + (size_t)j * (size_t)p->A, at,
		(size_t)p->A * sizeof *at);
}

/* Coordinates along the most frequent transitions; parent[] is their tree. */
static void
place_states(struct outward *p, int *parent)
{
	long rows = (long)p->S * p->A, row, best;
	int j, k, from;

	memset(p->at, 0, (size_t)rows * sizeof *p->at);
	memset(p->placed, 0, (size_t)p->S * sizeof *p->placed);
	for (best = 0, row = 0; row < rows; row++)
		if (p->visits[row] > p->visits[best] &&
		    decided(p, (int)(row / p->A), (int)(row % p->A)) >= 0)
			best = row;
	j = (int)(best / p->A);
	parent[j] = -1;
	while (best >= 0) {
		p->placed[j] = true;
		for (best = -1, row = 0; row < rows; row++) {
			from = (int)(row / p->A);
			k = decided(p, from, (int)(row % p->A));
			if (k >= 0 && p->placed[from] != p->placed[k] &&
			    (best < 0 || p->visits[row] > p->visits[best]))
				best = row;
		}
		if (best < 0)
			break;
		from = (int)(best / p->A);
		k = p->target[best];
		j = p->placed[from] ? k : from;
		parent[j] = p->placed[from] ? from : k;
		move_to(p, parent[j], (int)(best % p->A), j == k ? 1 : -1,
		    p->at + (size_t)j * (size_t)p->A);
	}
}

/*
 * The decided transition `row` is one of state j: p->here becomes the
 * coordinates of j by the other state.
 */
static bool
place_by(const struct outward *p, long row, int j)
{
	int from = (int)(row / p->A), a = (int)(row % p->A),
	    k = decided(p, from, a);

	if (k < 0 || from == k || (from != j && k != j) ||
	    !p->placed[from == j ? k : from])
		return false;
	move_to(p, from == j ? k : from, a, from == j ? -1 : 1, p->here);
	return true;
}

/* The visits of the transitions of state j that agree with coordinates. */
static long
agreement(const struct outward *p, int j, const int *at)
{
	long rows = (long)p->S * p->A, row, n = 0;

	for (row = 0; row < rows; row++)
		if (place_by(p, row, j) &&
		    !memcmp(p->here, at, (size_t)p->A * sizeof *at))
			n += p->visits[row];
	return n;
}

/* Move states to the coordinates with which most of their visits agree. */
static void
move_states(struct outward *p)
{
	long rows = (long)p->S * p->A, row, n, best;
	size_t size = (size_t)p->A * sizeof *p->at;
	int j, *at;

	for (j = 0; j < p->S; j++) {
		if (!p->placed[j])
			continue;
		at = p->at + (size_t)j * (size_t)p->A;
		best = agreement(p, j, at);
		for (row = 0; row < rows; row++) {
			if (!place_by(p, row, j) || !memcmp(p->here, at, size))
				continue;
			memcpy(p->there, p->here, size);
			n = agreement(p, j, p->there);
			if (n > best) {
				best = n;
				memcpy(at, p->there, size);
			}
		}
	}
}

/*
 * Find coordinates, and whether the decided transitions agree with them:
 * p->grid.
 */
static int
find_coordinates(struct outward *p, struct cscg_err *err)
{
	int *parent = cscg_alloc((size_t)p->S, sizeof *parent, err), j, k, a;
	long n = 0, yes = 0;
	size_t A = (size_t)p->A, S = (size_t)p->S;

	if (!parent ||
	    cscg_pool_grow(&p->mem, &p->at, S * A, sizeof *p->at) < 0 ||
	    cscg_pool_grow(&p->mem, &p->placed, S, sizeof *p->placed) < 0) {
		free(parent);
		return -1;
	}
	p->grid = false;
	if (find_inverses(p)) {
		place_states(p, parent);
		move_states(p);
		for (j = 0; j < p->S; j++)
			for (a = 0; a < p->A; a++) {
				k = decided(p, j, a);
				if (k < 0 || k == j || parent[k] == j ||
				    parent[j] == k || !p->placed[j])
					continue;
				n++;
				move_to(p, j, a, 1, p->here);
				yes += is_at(p, k, p->here);
			}
		p->disagreeing = n - yes;
		p->grid = n >= limits->min_loops &&
		    (double)yes >= limits->agreeing_share * (double)n;
	}
	free(parent);
	return 0;
}

/*
 * The known state of symbol x where action a leads to from j, by coordinates;
 * or -1.
 */
static int
expected_state(const struct outward *p, int j, int a, int x)
{
	int k;

	if (!p->grid || !p->placed[j])
		return -1;
	move_to(p, j, a, 1, p->here);
	for (k = 0; k < p->S; k++)
		if (!p->unknown[k] && p->em.m->clone[k] == x &&
		    is_at(p, k, p->here))
			return k;
	return -1;
}

/* ---- decisions ---- */

/*
 * The known state of the symbol of state u that predicts a group best, other
 * than `not`, or -1.  *nats: by how much better than state u does; *margin:
 * than any other and than u.
 */
static int
best_state(const struct outward *p, long group, int u, int not, double *nats,
    double *margin)
{
	const struct cscg_model *m = p->em.m;
	const double *sum = p->nats + (size_t)group * (size_t)p->S;
	double second = sum[u];
	int best = -1, k;

	for (k = 0; k < p->S; k++) {
		if (m->clone[k] != m->clone[u] || p->unknown[k] || k == not )
			continue;
		if (best < 0 || sum[k] > sum[best]) {
			if (best >= 0)
				second = fmax(second, sum[best]);
			best = k;
		} else {
			second = fmax(second, sum[k]);
		}
	}
	*nats = best < 0 ? -INFINITY : sum[best] - sum[u];
	*margin = best < 0 ? -INFINITY : sum[best] - second;
	return best;
}

static bool
is_enough(double nats, double margin)
{
	return nats > limits->enough || (nats > 0 && margin > limits->margin);
}

/* A new state of symbol x; its number, or -1. */
static int
add_state(struct outward *p, int x)
{
	if (cscg_pool_grow(&p->mem, &p->symbol, (size_t)p->n_new + 1,
		sizeof *p->symbol) < 0 ||
	    cscg_pool_grow(&p->mem, &p->new_at,
		((size_t)p->n_new + 1) * (size_t)p->A, sizeof *p->new_at) < 0)
		return -1;
	/* Coordinates that no state has. */
	memset(p->new_at + (size_t)p->n_new * (size_t)p->A, 0x7f,
	    (size_t)p->A * sizeof *p->new_at);
	p->symbol[p->n_new] = x;
	return p->S + p->n_new++;
}

/* The new state of a transition: one for all that lead to its coordinates. */
static int
new_state(struct outward *p, long row)
{
	int x = p->em.m->clone[p->target[row]], j = (int)(row / p->A), k;
	size_t A = (size_t)p->A;

	if (!p->grid || !p->placed[j])
		return add_state(p, x);
	move_to(p, j, (int)(row % p->A), 1, p->here);
	for (k = 0; k < p->n_new; k++)
		if (p->symbol[k] == x &&
		    !memcmp(p->new_at + (size_t)k * A, p->here,
			A * sizeof *p->here))
			return p->S + k;
	k = add_state(p, x);
	if (k >= 0)
		memcpy(p->new_at + (size_t)(p->n_new - 1) * A, p->here,
		    A * sizeof *p->here);
	return k;
}

/* Mark the unknown states that have many steps in p->replaced; their number, or -1. */
static int
mark_replaced(struct outward *p, struct cscg_err *err)
{
	long *steps = cscg_alloc((size_t)p->S, sizeof *steps, err), t;
	int j, n = 0;

	if (!steps ||
	    cscg_pool_grow(&p->mem, &p->replaced, (size_t)p->S,
		sizeof *p->replaced) < 0) {
		free(steps);
		return -1;
	}
	for (t = 0; t < p->w->n_steps; t++)
		steps[p->path[t]]++;
	for (j = 0; j < p->S; j++) {
		p->replaced[j] = p->unknown[j] &&
		    (double)steps[j] >=
			limits->fill_share * (double)p->w->n_steps;
		n += p->replaced[j];
	}
	free(steps);
	return n;
}

/*
 * New states at the coordinates between those of known states that have none,
 * instead of unknown states of many steps: 1, 0 if the coordinates do not agree
 * or are too many, or -1.
 */
static int
fill_grid(struct outward *p, struct cscg_err *err)
{
	size_t A = (size_t)p->A, size = A * sizeof *p->here;
	int *lo = p->low, *hi = p->high, j, a, k;
	double all = 1;

	if (!p->grid || p->disagreeing || p->filled)
		return 0;
	memset(lo, 0, size);
	memset(hi, 0, size);
	for (j = 0; j < p->S; j++)
		for (a = 0; a < p->A && p->placed[j]; a++) {
			k = p->at[(size_t)j * A + (size_t)a];
			lo[a] = k < lo[a] ? k : lo[a];
			hi[a] = k > hi[a] ? k : hi[a];
		}
	for (a = 0; a < p->A; a++)
		all *= hi[a] - lo[a] + 1;
	k = mark_replaced(p, err);
	if (k <= 0 || all * k > limits->max_states)
		return k < 0 ? -1 : 0;
	for (memcpy(p->there, lo, size);;) {
		for (j = 0; j < p->S && !is_at(p, j, p->there); j++)
			;
		for (k = 0; k < p->S && j == p->S; k++) {
			if (!p->replaced[k])
				continue;
			if (add_state(p, p->em.m->clone[k]) < 0)
				return -1;
			memcpy(p->new_at + (size_t)(p->n_new - 1) * A,
			    p->there, size);
		}
		for (a = 0; a < p->A && p->there[a] == hi[a]; a++)
			p->there[a] = lo[a];
		if (a == p->A)
			break;
		p->there[a]++;
	}
	p->filled = true;
	return 1;
}

/*
 * The known state where coordinates say that a transition leads to, unless
 * what follows contradicts: state `now` predicts it better, or another one.
 * Or -1.
 */
static int
agreed_state(const struct outward *p, long row, int now)
{
	const double *sum = p->nats + (size_t)row * (size_t)p->S;
	int d = expected_state(p, (int)(row / p->A), (int)(row % p->A),
	    p->em.m->clone[now]);
	double nats, margin;
	int steps;

	if (d < 0)
		return -1;
	best_state(p, row, now, -1, &nats, &margin);
	steps = p->members[row] < limits->max_members ? p->members[row] :
							limits->max_members;
	return sum[d] - sum[now] >= fmax(nats, 0) -
		    fmax(limits->contradiction,
			p->unknown[now] ? 0 : limits->against * steps) ?
	    d :
	    -1;
}

/* Successors of the open transitions into `to`: 1 if any is decided, 0, -1. */
static int
decide_open(struct outward *p, int *to)
{
	long rows = (long)p->S * p->A, row, best;
	int n_open = 0, n = 0, k;
	double nats, margin;

	for (row = 0; row < rows; row++) {
		to[row] = -1;
		if (!is_open(p, row))
			continue;
		n_open++;
		to[row] = agreed_state(p, row, p->target[row]);
		k = best_state(p, row, p->target[row], -1, &nats, &margin);
		if (to[row] < 0 && is_enough(nats, margin))
			to[row] = k;
		else if (to[row] < 0 && nats < limits->little &&
		    (to[row] = new_state(p, row)) < 0)
			return -1;
		n += to[row] >= 0;
	}
	/* Too few: those with the most visits are new states. */
	while (n < (p->filled ? 1 : limits->hurry) * n_open) {
		for (best = -1, row = 0; row < rows; row++)
			if (is_open(p, row) && to[row] < 0 &&
			    (best < 0 || p->visits[row] > p->visits[best]))
				best = row;
		to[best] = new_state(p, best);
		if (to[best] < 0)
			return -1;
		n++;
	}
	return n > 0;
}

/* True if a decided transition leads to other coordinates than it should. */
static bool
is_misplaced(const struct outward *p, long row)
{
	int j = (int)(row / p->A), a = (int)(row % p->A), k = decided(p, j, a);

	if (!p->grid || k < 0 || k == j || !p->placed[j] || !p->placed[k] ||
	    p->landmark[p->em.m->clone[k]])
		return false;
	move_to(p, j, a, 1, p->here);
	return !is_at(p, k, p->here);
}

/*
 * True if no state has the coordinates that a misplaced transition should lead
 * to, and another misplaced transition should lead there as well.
 */
static bool
lacks_state(struct outward *p, long row)
{
	long rows = (long)p->S * p->A, other;
	int x = p->em.m->clone[p->target[row]];
	size_t size = (size_t)p->A * sizeof *p->there;

	if (!is_misplaced(p, row) ||
	    expected_state(p, (int)(row / p->A), (int)(row % p->A), x) >= 0)
		return false;
	memcpy(p->there, p->here, size);
	for (other = 0; other < rows; other++)
		if (other != row && is_misplaced(p, other) &&
		    p->em.m->clone[p->target[other]] == x &&
		    !memcmp(p->here, p->there, size))
			return true;
	return false;
}

/*
 * Change decided transitions that another state predicts better, or that
 * disagree with coordinates.  Returns their number, or -1.
 */
static int
revise(struct outward *p, int *to)
{
	long rows = (long)p->S * p->A, row;
	double nats, margin;
	int k, j, best, n = 0;

	for (row = 0; row < rows; row++) {
		k = p->target[row];
		j = (int)(row / p->A);
		if (k < 0 || p->unknown[k] ||
		    p->visits[row] < limits->min_visits ||
		    p->landmark[p->em.m->clone[k]] || p->unknown[j])
			continue;
		best = best_state(p, row, k, k, &nats, &margin);
		if (lacks_state(p, row)) {
			to[row] = new_state(p, row);
			if (to[row] < 0)
				return -1;
		} else if (p->grid && p->placed[j]) {
			to[row] = agreed_state(p, row, k);
			if (to[row] < 0 && is_misplaced(p, row) &&
			    p->em.m->clone[k] == p->em.m->clone[j])
				to[row] = j; /* an obstacle */
		} else if (best >= 0 && nats > limits->enough) {
			to[row] = best;
		}
		n += to[row] >= 0 && to[row] != k;
	}
	return n;
}

/* The unknown state of a symbol, or -1. */
static int
unknown_of(const struct outward *p, int x)
{
	int k;

	for (k = 0; k < p->S; k++)
		if (p->unknown[k] && p->em.m->clone[k] == x)
			return k;
	return -1;
}

/* State j and those merged into it are merged into state k. */
static void
merge_pair(const struct outward *p, int *into, int j, int k)
{
	int i;

	for (i = 0; i < p->S; i++)
		if (into[i] == j)
			into[i] = k;
}

/* Another state with the symbol and the coordinates of state j, or -1. */
static int
same_place(const struct outward *p, int j, const int *into)
{
	int k;

	for (k = 0; k < p->S; k++)
		if (k != j && !p->unknown[k] && into[k] == k &&
		    p->em.m->clone[k] == p->em.m->clone[j] &&
		    is_at(p, k, p->at + (size_t)j * (size_t)p->A))
			return k;
	return -1;
}

/*
 * The steps of state j whose successors are also those of state i, less the
 * steps of rows of both that lead elsewhere.
 */
static long
common_steps(const struct outward *p, int i, int j)
{
	long row, other, n = 0;
	int a, k, l;

	for (a = 0; a < p->A; a++) {
		row = (long)j * p->A + a;
		other = (long)i * p->A + a;
		k = p->target[row];
		l = p->target[other];
		if (k < 0 || l < 0 || p->unknown[k] || k == i || k == j ||
		    l == i || l == j)
			continue;
		if (k == l)
			n += p->visits[row];
		else if (p->visits[row] >= limits->min_visits &&
		    p->visits[other] >= limits->min_visits)
			n -= p->visits[row];
	}
	return n;
}

/*
 * A state with the symbol of state j that an action leads from to j, though it
 * stays, since all other actions lead from both to the same states; or -1.
 */
static int
stays_at(const struct outward *p, int j, const int *into)
{
	int i, a;

	for (i = 0; i < p->S && p->grid; i++) {
		if (i == j || p->unknown[i] || into[i] != i ||
		    p->em.m->clone[i] != p->em.m->clone[j])
			continue;
		for (a = 0; a < p->A; a++)
			if (p->target[(long)i * p->A + a] == j &&
			    common_steps(p, i, j) >= limits->min_common)
				return i;
	}
	return -1;
}

/*
 * The state that state j is merged into, or -1: one that predicts the steps of
 * j as well.  With coordinates it is in the same place, unless what follows
 * contradicts: then one of the two is elsewhere.
 */
static int
merge_into(const struct outward *p, int j, const int *into)
{
	long group = (long)p->S * p->A + j;
	const double *sum = p->nats + (size_t)group * (size_t)p->S;
	int u = unknown_of(p, p->em.m->clone[j]), k = -1;
	double own = u < 0 ? 0 : sum[j] - sum[u], nats, margin;

	if (p->grid && p->placed[j]) {
		k = same_place(p, j, into);
		if (k < 0 ||
		    sum[k] > sum[j] - fmax(limits->contradiction, .5 * own))
			return k;
	}
	k = best_state(p, group, u < 0 ? j : u, j, &nats, &margin);
	return k >= 0 && into[k] == k &&
		(u < 0 ? p->grid : is_enough(nats, margin)) &&
		sum[k] > sum[j] - fmax(6, .1 * own) ?
	    k :
	    -1;
}

/* Merge known states: into[].  Returns the number of merges. */
static int
merge_known(const struct outward *p, int *into)
{
	int j, k, n = 0;

	for (j = 0; j < p->S; j++)
		into[j] = j;
	for (j = 0; j < p->S; j++) {
		if (p->unknown[j])
			continue;
		k = stays_at(p, j, into);
		if (k < 0 &&
		    p->members[(long)p->S * p->A + j] >= limits->min_visits)
			k = merge_into(p, j, into);
		if (k >= 0) {
			merge_pair(p, into, j, k);
			n++;
		}
	}
	return n;
}

/* ---- the next model ---- */

/* The symbol of a state, new or not. */
static int
symbol_of(const struct outward *p, int state)
{
	return state < p->S ? p->em.m->clone[state] : p->symbol[state - p->S];
}

/*
 * The model of the states of the path: number[] are their new numbers, -1 if
 * they have no steps.
 */
static struct cscg_model *
number_states(const struct outward *p, bool fresh, int *number,
    struct cscg_err *err)
{
	int *clones = cscg_alloc((size_t)p->w->head.n_obs, sizeof *clones,
	    err);
	struct cscg_model *m = NULL;
	int n = p->S + p->n_new, i, x, at = 0;
	long t;

	for (i = 0; i < n; i++)
		number[i] = -1;
	for (t = 0; t < p->w->n_steps; t++)
		number[p->path[t]] = 0;
	for (i = 0; i < n && fresh; i++)
		if (i >= p->S || p->replaced[i])
			number[i] = i < p->S ? -1 : 0;
	for (i = 0; clones && i < n; i++)
		clones[symbol_of(p, i)] += number[i] == 0;
	if (clones)
		m = cscg_learn_model_new(p->w, p->set, clones, err);
	for (x = 0; m && x < p->w->head.n_obs; x++)
		for (i = 0; i < n; i++)
			if (number[i] >= 0 && symbol_of(p, i) == x)
				number[i] = at++;
	free(clones);
	return m;
}

/*
 * A part of the transitions from an unknown state to another leads to the new
 * states of its symbol instead.
 */
static long
spread(const struct outward *p, struct cscg_count *c, long n, long most,
    const int *number)
{
	long i, all = n;
	int k, x, to, fresh;

	for (i = 0; i < n; i++) {
		if (c[i].from >= p->S || !p->unknown[c[i].from] ||
		    c[i].to >= p->S || !p->unknown[c[i].to])
			continue;
		x = p->em.m->clone[c[i].to];
		for (fresh = 0, k = 0; k < p->n_new; k++)
			fresh += p->symbol[k] == x && number[p->S + k] >= 0;
		if (!fresh || all + fresh > most)
			continue;
		for (k = 0; k < p->n_new; k++) {
			to = p->S + k;
			if (p->symbol[k] == x && number[to] >= 0)
				c[all++] = (struct cscg_count){ c[i].a,
					c[i].from, to,
					limits->spread * c[i].c / fresh };
		}
		c[i].c *= 1 - limits->spread;
	}
	return all;
}

static int
by_transition(const void *a, const void *b)
{
	const struct cscg_count *p = a, *q = b;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

/* The counts of the path, each transition once; their number. */
static long
count_path(const struct outward *p, struct cscg_count *c)
{
	long i, n = cscg_walk_count_path(p->w, p->path, c), all = 0;

	qsort(c, (size_t)n, sizeof *c, by_transition);
	for (i = 0; i < n; i++)
		if (all && !by_transition(&c[all - 1], &c[i]))
			c[all - 1].c++;
		else
			c[all++] = c[i];
	return all;
}

/* The coordinates of a state, new or not. */
static const int *
coordinates(const struct outward *p, int state)
{
	size_t A = (size_t)p->A;

	return state < p->S ? p->at + (size_t)state * A :
			      p->new_at + (size_t)(state - p->S) * A;
}

static bool
has_coordinates(const struct outward *p, int state)
{
	return state >= p->S || (p->placed[state] && !p->unknown[state]);
}

/*
 * Add transitions of states that have few to those where coordinates say that
 * they lead to; the number of counts, at most `most`.
 */
static long
expect_moves(const struct outward *p, struct cscg_count *c, long n, long most)
{
	int all = p->S + p->n_new, j, k, a;
	size_t size = (size_t)p->A * sizeof *p->here;

	for (j = 0; j < all; j++)
		for (a = 0; a < p->A && has_coordinates(p, j) && n < most;
		     a++) {
			if (j < p->S &&
			    p->visits[(long)j * p->A + a] >=
				limits->min_visits)
				continue;
			c[n++] = (struct cscg_count){ a, j, j,
				limits->blocked };
			memcpy(p->here, coordinates(p, j), size);
			move_by(p, a, 1, p->here);
			for (k = 0; k < all && n < most; k++)
				if (has_coordinates(p, k) &&
				    !memcmp(coordinates(p, k), p->here, size))
					c[n++] = (struct cscg_count){ a, j, k,
						limits->expected };
		}
	return n;
}

/*
 * Replace the model by that of the path; fresh: new states have been made for all
 * coordinates.
 */
static int
rebuild(struct outward *p, bool fresh, struct cscg_err *err)
{
	size_t n_all = (size_t)(p->S + p->n_new), unknowns;
	long most, n = 0, i, all = 0;
	struct cscg_pool mem = { .err = err };
	int *number = cscg_pool_add(&mem, n_all, sizeof *number), j, rc = -1;
	struct cscg_model *m = number ? number_states(p, fresh, number, err) :
					NULL;
	struct cscg_count *c = NULL;
	bool *unknown = NULL;

	unknowns = (size_t)p->w->head.n_obs;
	most = p->w->n_steps +
	    (long)((size_t)p->A * unknowns * (size_t)(p->n_new + 1));
	if (fresh) /* ... of each unknown symbol */
		most += (long)p->A * (p->S + p->n_new) * (long)(unknowns + 1);
	if (m) {
		c = cscg_pool_add(&mem, (size_t)most, sizeof *c);
		unknown = cscg_pool_add(&mem, (size_t)m->n_states,
		    sizeof *unknown);
	}
	if (m && !mem.failed) {
		n = count_path(p, c);
		n = fresh ? expect_moves(p, c, n, most) :
			    spread(p, c, n, most, number);
		for (i = all = 0; i < n; i++) {
			c[all].a = c[i].a;
			c[all].from = number[c[i].from];
			c[all].to = number[c[i].to];
			c[all].c = c[i].c;
			all += c[all].from >= 0 && c[all].to >= 0;
		}
		for (j = 0; j < p->S; j++)
			if (number[j] >= 0)
				unknown[number[j]] = p->unknown[j];
		m->misread = p->em.m->misread;
		m->pseudocount = p->em.m->pseudocount;
		rc = cscg_model_set_counts(m, c, all, err);
	}
	if (rc == 0)
		rc = cscg_pool_grow(&p->mem, &p->unknown, (size_t)m->n_states,
		    sizeof *p->unknown);
	if (rc == 0)
		memcpy(p->unknown, unknown,
		    (size_t)m->n_states * sizeof *unknown);
	cscg_pool_free(&mem);
	if (rc < 0) {
		cscg_model_free(m);
		return -1;
	}
	p->em.unknown = p->unknown;
	cscg_model_free(p->em.m);
	p->em.m = m;
	p->S = m->n_states;
	p->n_new = 0;
	return 0;
}

/* ---- rounds ---- */

/* Assign the steps of transitions and states as decided. */
static void
reassign(struct outward *p, const int *to, const int *into)
{
	long t, row;
	int before = p->path[0], now;

	/* The state before is that of the old model. */
	for (t = 0; t < p->w->n_steps; t++) {
		now = p->path[t];
		row = cscg_walk_continues(p->w, t) && !p->unknown[before] ?
		    (long)before * p->A + p->w->a[t - 1] :
		    -1;
		if (row >= 0 && to[row] >= 0 && now == p->target[row] &&
		    p->w->x[t] == p->em.m->clone[now])
			p->path[t] = to[row] < p->S ? into[to[row]] : to[row];
		else
			p->path[t] = into[now];
		before = now;
	}
}

/* The share of the steps with an unknown state. */
static double
unknown_share(const struct outward *p)
{
	long t, n = 0;

	for (t = 0; t < p->w->n_steps; t++)
		n += p->unknown[p->path[t]];
	return (double)n / (double)p->w->n_steps;
}

/* One round: 1 if transitions were open, 0 at the end, or -1. */
static int
round_outward(struct outward *p, struct cscg_err *err)
{
	int *to, *into, rc = -1;
	bool all_known;
	int fresh = 0;

	if (locate(p, err) < 0 || find_coordinates(p, err) < 0)
		return -1;
	all_known = unknown_share(p) < limits->max_unknown;
	if (all_known && (!p->grid || p->n_checks++ == limits->max_checks))
		return 0;
	to = cscg_alloc((size_t)p->S * (size_t)p->A, sizeof *to, err);
	into = cscg_alloc((size_t)p->S, sizeof *into, err);
	if (to && into && compare_futures(p, err) == 0 &&
	    (fresh = fill_grid(p, err)) >= 0)
		rc = decide_open(p, to);
	/* Without an open transition, only changes are left. */
	if (rc == 0 && !all_known && p->grid &&
	    p->n_checks++ < limits->max_checks)
		all_known = true;
	if (rc > 0 || (rc == 0 && all_known)) {
		int changes = revise(p, to);

		rc = changes < 0 ?
		    -1 :
		    merge_known(p, into) + changes > 0 || !all_known;
	}
	if (rc > 0) {
		reassign(p, to, into);
		if (rebuild(p, fresh > 0, err) < 0 ||
		    cscg_noisy_em_run(&p->em, limits->iterations,
			limits->min_count, &p->loglik, err) < 0)
			rc = -1;
	}
	if (rc > 0)
		cscg_learn_report_stage(p->set, "outward", 0, 0, p->S,
		    p->loglik, NAN, NULL);
	free(to);
	free(into);
	return rc;
}

/* The symbols of w that are landmarks into landmark[]; 0, or -1. */
static int
mark_landmarks(const struct cscg_walk *w, const long *seen, bool *landmark,
    struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(w, err);
	long *visits = NULL, t;
	int j, rc = -1;

	if (f && cscg_context_round(w, f, err) == 0)
		visits = cscg_alloc((size_t)f->n_states, sizeof *visits, err);
	if (visits) {
		for (t = 0; t < w->n_steps; t++)
			if (f->state[t] >= 0)
				visits[f->state[t]]++;
		for (j = 0; j < f->n_states; j++)
			if ((double)visits[j] > limits->landmark_share *
				(double)seen[f->symbol[j]])
				landmark[f->symbol[j]] = true;
		rc = 0;
	}
	cscg_merge_free(f);
	free(visits);
	return rc;
}

/*
 * Landmarks: the number of states if every state has as many steps as they
 * have.  0 if fewer than half of the symbols are landmarks, or all.  With few,
 * most steps are far from them, and contexts find more.  -1 with err filled.
 */
static long
find_landmarks(const struct cscg_walk *w, bool *landmark, struct cscg_err *err)
{
	long *seen = cscg_clones_count_symbols(w, err), states = -1;
	double steps = 0, all = 0;
	int x, n = 0, others = 0;

	if (seen && mark_landmarks(w, seen, landmark, err) == 0) {
		for (x = 0; x < w->head.n_obs; x++) {
			n += landmark[x];
			others += seen[x] && !landmark[x];
			steps += landmark[x] ? (double)seen[x] : 0;
			all += (double)seen[x];
		}
		states = others > 0 && n >= others ?
		    (long)ceil(n * all / steps) :
		    0;
	}
	free(seen);
	return states;
}

long
cscg_outward_states(const struct cscg_walk *w, struct cscg_err *err)
{
	bool *landmark = cscg_alloc((size_t)w->head.n_obs, sizeof *landmark,
	    err);
	long states = landmark ? find_landmarks(w, landmark, err) : -1;

	free(landmark);
	return states;
}

/* The first model: one state of each symbol, known if it is a landmark. */
static int
start(struct outward *p, struct cscg_err *err)
{
	struct cscg_merge *f = cscg_context_symbols(p->w, err);
	int j;

	if (!f)
		return -1;
	p->em.m = cscg_learn_model_merged(f, p->w, p->set, err);
	cscg_merge_free(f);
	if (!p->em.m ||
	    cscg_pool_grow(&p->mem, &p->unknown, (size_t)p->em.m->n_states,
		sizeof *p->unknown) < 0)
		return -1;
	for (j = 0; j < p->em.m->n_states; j++)
		p->unknown[j] = !p->landmark[p->em.m->clone[j]];
	p->em.unknown = p->unknown;
	p->em.tied = true;
	p->em.m->misread = cscg_learn_constants.misread_start;
	return 0;
}

/* True if each row of state j has a main successor. */
static bool
is_clean(const struct cscg_model *m, int j)
{
	double most, sum;
	long r, i;
	int a;

	for (a = 0; a < m->n_actions; a++) {
		r = (long)a * m->n_states + j;
		most = sum = 0;
		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			most = fmax(most, m->count[i]);
			sum += m->count[i];
		}
		if (most < limits->main * sum)
			return false;
	}
	return true;
}

/*
 * The first model from another one: its states are known if their rows have
 * main successors; those of a symbol that are not become one unknown state.
 */
static int
start_from(struct outward *p, const struct cscg_model *from,
    struct cscg_err *err)
{
	size_t S = (size_t)from->n_states;
	int *into = cscg_alloc(S, sizeof *into, err);
	int j, n = 0, u = -1;

	if (!into ||
	    cscg_pool_grow(&p->mem, &p->unknown, S, sizeof *p->unknown) < 0) {
		free(into);
		return -1;
	}
	for (j = 0; j < from->n_states; j++) {
		if (j && from->clone[j] != from->clone[j - 1])
			u = -1;
		if (is_clean(from, j)) {
			p->unknown[n] = false;
			into[j] = n++;
			continue;
		}
		if (u < 0) {
			p->unknown[n] = true;
			u = n++;
		}
		into[j] = u;
	}
	p->em.m = cscg_model_merge_states(from, into, n, err);
	free(into);
	if (!p->em.m)
		return -1;
	p->em.unknown = p->unknown;
	p->em.tied = true;
	p->em.m->misread = fmax(from->misread,
	    cscg_learn_constants.misread_start);
	return 0;
}

/* Remove unknown states. */
static int
finish(struct outward *p, double *loglik, struct cscg_err *err)
{
	int *into = cscg_alloc((size_t)p->em.m->n_states, sizeof *into, err);
	struct cscg_model *m = NULL;
	int j, n = 0;

	if (!into)
		return -1;
	for (j = 0; j < p->em.m->n_states; j++)
		into[j] = p->unknown[j] ? -1 : n++;
	m = cscg_model_merge_states(p->em.m, into, n, err);
	free(into);
	if (!m)
		return -1;
	cscg_model_free(p->em.m);
	p->em.m = m;
	p->decoded = false;
	memset(p->unknown, 0, (size_t)n * sizeof *p->unknown);
	/* EM may leave states without transitions. */
	return cscg_noisy_em_drop_unused(&p->em.m, err) < 0 ||
		cscg_noisy_em_run(&p->em, limits->iterations,
		    limits->min_count, loglik, err) < 0 ||
		cscg_noisy_em_drop_unused(&p->em.m, err) < 0 ?
	    -1 :
	    0;
}

/*
 * True if all states have coordinates, each its own, with which all transitions
 * agree, so that no two stand for one node.  The few steps of states without them become unknown.
 */
static bool
all_distinct(struct outward *p)
{
	long t, n = 0;
	int j, k;

	for (t = 0; t < p->w->n_steps && p->grid; t++)
		n += !p->placed[p->path[t]];
	if (!p->grid || p->disagreeing ||
	    (double)n > limits->max_unknown * (double)p->w->n_steps)
		return false;
	for (j = 0; j < p->S; j++)
		for (k = 0; k < j && p->placed[j]; k++)
			if (is_at(p, k, p->at + (size_t)j * (size_t)p->A))
				return false;
	for (j = 0; j < p->S; j++)
		if (!p->placed[j])
			p->unknown[j] = true;
	return true;
}

/*
 * True if the log-likelihood of the last round is that of an earlier one, and the
 * highest since: the same changes are made and undone.
 */
static bool
is_repeated(const double *loglik, int round)
{
	double last = loglik[round];

	while (--round >= 0 &&
	    loglik[round] <= last + limits->same * fabs(last))
		if (loglik[round] >= last - limits->same * fabs(last))
			return true;
	return false;
}

/* Rounds until no transition is open; then remove unknown states: 1, 0, -1. */
static int
run_rounds(struct outward *p, bool *distinct, double *loglik,
    struct cscg_err *err)
{
	double logliks[CSCG_OUTWARD_ROUNDS];
	int round, n_wrong = 0, rc = 1;
	bool wrong;

	for (round = 0; rc > 0 && round < CSCG_OUTWARD_ROUNDS && !p->repeated;
	     round++) {
		rc = round_outward(p, err);
		wrong = p->filled && p->disagreeing > limits->max_disagreeing;
		n_wrong = wrong ? n_wrong + 1 : 0;
		if (rc > 0 &&
		    (p->S > limits->max_states ||
			n_wrong == limits->max_wrong ||
			(p->only_distinct && !p->grid &&
			    round >= limits->grid_rounds) ||
			cscg_poll(p->set->poll, "landmarks", round,
			    CSCG_OUTWARD_ROUNDS)))
			return 0;
		logliks[round] = p->loglik;
		p->repeated = rc > 0 && is_repeated(logliks, round);
	}
	if (rc < 0 || locate(p, err) < 0 || find_coordinates(p, err) < 0)
		return -1;
	*distinct = all_distinct(p);
	if (unknown_share(p) > limits->unknown_left)
		return 0;
	return finish(p, loglik, err) < 0 ? -1 : 1;
}

/* cscg_outward(), or only a graph of distinct states. */
static int
find_graph(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_model *from, bool only_distinct, struct cscg_model **m,
    bool *distinct, double *loglik, struct cscg_err *err)
{
	struct outward p = { .mem = { .err = err },
		.w = w,
		.set = set,
		.A = w->head.n_actions,
		.only_distinct = only_distinct };
	int rc = -1;
	long states;

	*m = NULL;
	*distinct = false;
	p.landmark = cscg_pool_add(&p.mem, (size_t)w->head.n_obs,
	    sizeof *p.landmark);
	p.path = cscg_pool_add(&p.mem, (size_t)w->n_steps, sizeof *p.path);
	p.inverse = cscg_pool_add(&p.mem, (size_t)p.A, sizeof *p.inverse);
	p.here = cscg_pool_add(&p.mem, (size_t)p.A, sizeof *p.here);
	p.there = cscg_pool_add(&p.mem, (size_t)p.A, sizeof *p.there);
	p.low = cscg_pool_add(&p.mem, (size_t)p.A, sizeof *p.low);
	p.high = cscg_pool_add(&p.mem, (size_t)p.A, sizeof *p.high);
	if (!p.mem.failed &&
	    cscg_noisy_em_new(&p.em, w, limits->beam_share, err) == 0) {
		states = from ? 1 : find_landmarks(w, p.landmark, err);
		rc = states < 0 ? -1 : states > 0;
	}
	if (rc > 0 && (from ? start_from(&p, from, err) : start(&p, err)) < 0)
		rc = -1;
	if (rc > 0) {
		p.em.m->pseudocount *= limits->pseudocount;
		rc = run_rounds(&p, distinct, loglik, err);
	}
	/* Without unknown states, more transitions are decided. */
	if (rc > 0 && p.grid && !*distinct && !p.repeated) {
		p.n_checks = 0;
		rc = run_rounds(&p, distinct, loglik, err);
	}
	if (rc > 0 && only_distinct)
		rc = *distinct;
	if (rc > 0) {
		*m = p.em.m;
		(*m)->pseudocount = set->pseudocount;
		if ((*m)->misread < cscg_learn_constants.min_misread)
			(*m)->misread = 0;
		p.em.m = NULL;
	}
	cscg_noisy_em_free(&p.em);
	cscg_pool_free(&p.mem);
	return rc;
}

int
cscg_outward(const struct cscg_walk *w, const struct cscg_learn *set,
    struct cscg_model **m, bool *distinct, double *loglik,
    struct cscg_err *err)
{
	return find_graph(w, set, NULL, false, m, distinct, loglik, err);
}

int
cscg_outward_distinct(const struct cscg_walk *w, const struct cscg_learn *set,
    const struct cscg_model *from, struct cscg_model **m, struct cscg_err *err)
{
	double loglik;
	bool distinct;

	return find_graph(w, set, from, true, m, &distinct, &loglik, err);
}
