/*
 * explain.c - which steps of a walk known schemas explain
 *
 * Costs of decoding are in nats, rounded: results depend on their order, not
 * on their exact values.  A step inside a binding costs nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "schema/explain.h"

enum {
	MIN_CONFIRMED = 12, /* symbols that a stretch must have predicted */
	MIN_AGREE = 6,      /* common states by which stretches share a
	                       binding */
	ROUNDS = 3,         /* of decoding and binding again */
	MAX_WRONG = 3,      /* transitions of a map that contradict a schema */
	MAX_DOORS = 2,      /* ways out of a room that is part of a piece, */
	DOUBTFUL = 2,       /* which have more visits than this */
	MAX_BACK = 1 << 28, /* entries of the table of Viterbi: 1 GB */
};

#define MAX_FAULTS 0.15  /* largest share of slips and misread symbols */
#define MAX_EXITS 0.3    /* largest number of doors per wall visited */
#define MIN_MET 0.5      /* least share of visited states of a schema */
#define MIN_PART 0.8     /* the same of a room that is part of a piece */
#define COST_UNKNOWN 8   /* a step that no schema explains */
#define COST_NEW_STATE 1 /* a state not visited before */
#define COST_MISREAD 30  /* a symbol other than that of the state */
#define COST_SLIP 30     /* a transition other than that of the action */
#define COST_DOOR 2      /* in or out by a door that was passed before */
#define COST_NEW_DOOR 12 /* by another wall */
#define COST_JUMP 40     /* from anywhere to anywhere */
#define MAX_CELLS 4e8    /* back pointers of decoding */

/* One schema as a table: the likely successor of each state, or -1. */
struct table {
	int n, A;
	int *next; /* [A * n] */
};

/* A stretch of the walk: schema, first state, steps from .. to - 1. */
struct stretch {
	int schema, state;
	long from, to;
	long confirmed;
	int exit_a; /* it ends by this action at a wall; -1: otherwise */
};

/* A binding and the walls that were tried in it. */
struct binding {
	int schema;
	int *symbol, *vote;      /* [n] majority vote */
	int *bumps, *exits;      /* [A * n] */
	int *outside, *out_vote; /* [A * n] the symbol behind a door by which
	                            the room was left, and ... */
	int *before, *in_vote;   /* ... the one before a door by which it was
	                            entered: by action a into state s */
	long n_steps;            /* decoded as its states, and of these ... */
	long n_faults;           /* ... slips and misread symbols */
};

struct explain_job {
	struct cscg_pool mem; /* all arrays but those of bindings */
	const struct cscg_walk *w;
	int n, A;
	struct table *table;
	struct stretch *stretch;
	long n_stretches;
	struct binding *binding;
	int n_bindings;
	int *bound;   /* [most states] symbol of a state under a hypothesis */
	long *stamp;  /* [most states] the hypothesis that bound it */
	long n_tried; /* hypotheses */
	struct cscg_poll *poll; /* of the placement on a piece, or NULL */
};

void
cscg_explain_free(struct cscg_explain *e)
{
	free(e->schema);
	free(e->base);
	free(e->symbol);
	free(e->binding);
	free(e->state);
	*e = (struct cscg_explain){ .n = 0 };
}

static int
fill_table(struct table *t, const struct cscg_model *m, struct cscg_pool *mem)
{
	int a, j;

	t->n = m->n_states;
	t->A = m->n_actions;
	t->next = cscg_pool_add(mem, (size_t)t->n * (size_t)t->A,
	    sizeof *t->next);
	if (!t->next)
		return -1;
	for (a = 0; a < t->A; a++)
		for (j = 0; j < t->n; j++)
			t->next[a * t->n + j] = cscg_model_likely_successor(m,
			    a, j);
	return 0;
}

/* ---- hypotheses ---- */

/*
 * Bind state s to symbol x under the present hypothesis.  1: already bound to
 * x; 0: was unbound, or x is missing; -1: bound to another symbol.
 */
static int
bind_state(struct explain_job *job, int s, int x)
{
	if (x < 0)
		return 0;
	if (job->stamp[s] != job->n_tried) {
		job->stamp[s] = job->n_tried;
		job->bound[s] = x;
		return 0;
	}
	return job->bound[s] == x ? 1 : -1;
}

/* Follow a hypothesis to its end. */
static struct stretch
follow(struct explain_job *job, int k, int s, long t)
{
	const struct table *tab = &job->table[k];
	const struct cscg_walk *w = job->w;
	struct stretch at = { k, s, t, t + 1, 0, -1 };
	struct stretch last_wall = at; /* before the last wall */
	int next, agrees;
	long u;

	job->n_tried++;
	bind_state(job, s, w->x[t]);
	last_wall.to = t;
	for (u = t; cscg_walk_has_transition(w, u); u++) {
		next = tab->next[w->a[u] * tab->n + s];
		if (next < 0)
			break;
		if (next == s)
			last_wall = at;
		agrees = bind_state(job, next, w->x[u + 1]);
		if (agrees < 0 && next == s) {
			at.exit_a = w->a[u];
			return at;
		}
		/*
		 * The walk left the room earlier, through a wall at which it
		 * seemed to stay.
		 */
		if (agrees < 0)
			return last_wall;
		at.confirmed += agrees;
		at.to = u + 2;
		s = next;
	}
	return at;
}

static int
find_stretches(struct explain_job *job)
{
	struct stretch best, one;
	long t = 0;
	int k, s;

	while (t < job->w->n_steps) {
		best.confirmed = -1;
		for (k = 0; k < job->n; k++)
			for (s = 0; s < job->table[k].n; s++) {
				one = follow(job, k, s, t);
				if (one.confirmed > best.confirmed)
					best = one;
			}
		if (best.confirmed < MIN_CONFIRMED) {
			t++;
			continue;
		}
		if (cscg_pool_grow(&job->mem, &job->stretch,
			(size_t)job->n_stretches + 1,
			sizeof *job->stretch) < 0)
			return -1;
		job->stretch[job->n_stretches++] = best;
		t = best.to;
	}
	return 0;
}

/* ---- bindings ---- */

static int
add_binding(struct explain_job *job, int schema, struct cscg_err *err)
{
	size_t n = (size_t)job->table[schema].n, A = (size_t)job->A;
	struct binding b = { .schema = schema };
	size_t i;

	if (cscg_pool_grow(&job->mem, &job->binding,
		(size_t)job->n_bindings + 1, sizeof *job->binding) < 0)
		return -1;
	b.symbol = cscg_alloc(2 * n + 6 * A * n, sizeof *b.symbol, err);
	if (!b.symbol)
		return -1;
	b.vote = b.symbol + n;
	b.bumps = b.vote + n;
	b.exits = b.bumps + A * n;
	b.outside = b.exits + A * n;
	b.out_vote = b.outside + A * n;
	b.before = b.out_vote + A * n;
	b.in_vote = b.before + A * n;
	for (i = 0; i < n; i++)
		b.symbol[i] = -1;
	job->binding[job->n_bindings++] = b;
	return 0;
}

/* Update the most frequent symbol (Boyer-Moore majority vote). */
static void
vote(int *symbol, int *votes, int x)
{
	if (x < 0)
		return;
	if (*symbol == x)
		++*votes;
	else if (*votes > 0)
		--*votes;
	else {
		*symbol = x;
		*votes = 1;
	}
}

/* Count the steps of a stretch as those of a binding. */
static void
count_stretch(const struct explain_job *job, const struct stretch *at,
    struct binding *b)
{
	const struct table *tab = &job->table[at->schema];
	const struct cscg_walk *w = job->w;
	int s = at->state, row, next;
	long t;

	for (t = at->from; t < at->to; t++) {
		vote(&b->symbol[s], &b->vote[s], w->x[t]);
		if (t + 1 == at->to)
			break;
		row = w->a[t] * tab->n + s;
		next = tab->next[row];
		b->bumps[row] += next == s;
		s = next;
	}
	if (at->exit_a >= 0) {
		row = at->exit_a * tab->n + s;
		b->exits[row]++;
		vote(&b->outside[row], &b->out_vote[row], w->x[at->to]);
	}
}

/* Common states with the same symbol less ten times those with another one. */
static long
agreement(struct explain_job *job, const struct stretch *at,
    const struct binding *b)
{
	const struct table *tab = &job->table[at->schema];
	const struct cscg_walk *w = job->w;
	int s = at->state;
	long t, same = 0;

	job->n_tried++;
	for (t = at->from; t < at->to; t++) {
		if (w->x[t] >= 0 && job->stamp[s] != job->n_tried &&
		    b->symbol[s] >= 0)
			same += b->symbol[s] == w->x[t] ? 1 : -10;
		job->stamp[s] = job->n_tried;
		if (t + 1 < at->to)
			s = tab->next[w->a[t] * tab->n + s];
	}
	return same;
}

static int
by_confirmed(const void *pa, const void *pb)
{
	const struct stretch *a = pa, *b = pb;

	if (a->confirmed != b->confirmed)
		return a->confirmed > b->confirmed ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

/* Each stretch joins the binding with which it agrees most, or makes one. */
static int
find_bindings(struct explain_job *job, struct cscg_err *err)
{
	long i, best_agrees, agrees;
	int k, best;

	if (job->n_stretches > 0)
		qsort(job->stretch, (size_t)job->n_stretches,
		    sizeof *job->stretch, by_confirmed);
	for (i = 0; i < job->n_stretches; i++) {
		best = -1;
		best_agrees = MIN_AGREE - 1;
		for (k = 0; k < job->n_bindings; k++) {
			if (job->binding[k].schema != job->stretch[i].schema)
				continue;
			agrees = agreement(job, &job->stretch[i],
			    &job->binding[k]);
			if (agrees > best_agrees) {
				best_agrees = agrees;
				best = k;
			}
		}
		if (best < 0) {
			best = job->n_bindings;
			if (add_binding(job, job->stretch[i].schema, err) < 0)
				return -1;
		}
		count_stretch(job, &job->stretch[i], &job->binding[best]);
	}
	return 0;
}

/* Whether these states, walls and doors of a schema are a plausible room. */
static bool
is_room(const struct table *tab, long met, long hit, long exits)
{
	long walls = 0;
	int i;

	for (i = 0; i < tab->A * tab->n; i++)
		walls += tab->next[i] == i % tab->n;
	return (double)met >= MIN_MET * tab->n &&
	    (double)(hit + exits) >= MIN_MET * (double)walls &&
	    (double)exits <= MAX_EXITS * (double)hit;
}

/* Whether the binding is plausible as a room of its schema. */
static bool
is_plausible(const struct explain_job *job, const struct binding *b)
{
	const struct table *tab = &job->table[b->schema];
	long met = 0, hit = 0, exits = 0;
	int i;

	for (i = 0; i < tab->n; i++)
		met += b->symbol[i] >= 0;
	for (i = 0; i < tab->A * tab->n; i++) {
		exits += b->exits[i] > b->bumps[i];
		hit += b->bumps[i] > 0 && b->exits[i] <= b->bumps[i];
	}
	return (double)b->n_faults <= MAX_FAULTS * (double)b->n_steps &&
	    is_room(tab, met, hit, exits);
}

/* Returns whether any was dropped. */
static bool
drop_implausible(struct explain_job *job)
{
	int k, n = 0, before = job->n_bindings;

	for (k = 0; k < job->n_bindings; k++)
		if (is_plausible(job, &job->binding[k]))
			job->binding[n++] = job->binding[k];
		else
			free(job->binding[k].symbol);
	job->n_bindings = n;
	return n < before;
}

/* ---- decoding ---- */

/* State N: no schema explains the step. */
struct decode {
	struct cscg_pool mem; /* all arrays */
	const struct explain_job *job;
	int N;
	int *base;           /* [bindings + 1] */
	int *of;             /* [N] binding of each state */
	double *cost, *next; /* [N + 1] */
	int *back;           /* [n_steps * (N + 1)] */
};

static void
relax(struct decode *d, int *back, int from, int to, double cost)
{
	if (cost < d->next[to]) {
		d->next[to] = cost;
		back[to] = from;
	}
}

static double
emission_cost(const struct decode *d, int v, int x)
{
	const struct binding *b;
	int symbol;

	if (v == d->N)
		return COST_UNKNOWN;
	b = &d->job->binding[d->of[v]];
	symbol = b->symbol[v - d->base[d->of[v]]];
	return x < 0 || symbol == x ? 0 :
	    symbol < 0              ? COST_NEW_STATE :
				      COST_MISREAD;
}

/* Whether x is the symbol on the other side of a door. */
static bool
is_beyond(int symbol, int votes, int x)
{
	return votes > 0 && (x < 0 || x == symbol);
}

/*
 * Propagate costs from state v of a binding by action a, before symbol x;
 * returns the cost of leaving the binding there.
 */
static double
push_state(struct decode *d, int *back, int v, int a, int x)
{
	const struct binding *b = &d->job->binding[d->of[v]];
	const struct table *tab = &d->job->table[b->schema];
	int base = d->base[d->of[v]], s = v - base, to, other, row;

	to = tab->next[a * tab->n + s];
	if (to >= 0)
		relax(d, back, v, base + to, d->cost[v]);
	relax(d, back, v, v, d->cost[v] + COST_SLIP);
	for (other = 0; other < tab->A; other++)
		if (tab->next[other * tab->n + s] >= 0)
			relax(d, back, v, base + tab->next[other * tab->n + s],
			    d->cost[v] + COST_SLIP);
	if (to != s && to >= 0)
		return COST_JUMP;
	row = a * tab->n + s;
	return b->exits[row] > b->bumps[row] &&
		is_beyond(b->outside[row], b->out_vote[row], x) ?
	    COST_DOOR :
	    b->bumps[row] ? COST_JUMP :
			    COST_NEW_DOOR;
}

/* The cost of entering the binding of v there by action a, after symbol x. */
static double
enter_cost(const struct decode *d, int v, int a, int x)
{
	const struct binding *b = &d->job->binding[d->of[v]];
	int row = a * d->job->table[b->schema].n + v - d->base[d->of[v]];

	return is_beyond(b->before[row], b->in_vote[row], x) ? COST_DOOR :
							       COST_NEW_DOOR;
}

/* One step: from all states at t - 1 to all at t. */
static void
push_step(struct decode *d, long t)
{
	int *back = d->back + t * (d->N + 1), N = d->N, v, from = N;
	const struct cscg_walk *w = d->job->w;
	double least = d->cost[N], out, *swap;
	bool is_connected = cscg_walk_continues(w, t);

	for (v = 0; v <= N; v++)
		d->next[v] = INFINITY;
	relax(d, back, N, N, d->cost[N]);
	for (v = 0; v < N; v++) {
		out = d->cost[v] +
		    (is_connected ?
			    push_state(d, back, v, w->a[t - 1], w->x[t]) :
			    0);
		relax(d, back, v, N, out);
		/*
		 * Directly into another room: a door, without an unexplained
		 * step.
		 */
		if (out < least) {
			least = out;
			from = v;
		}
	}
	for (v = 0; v < N; v++)
		relax(d, back, from, v,
		    least +
			(is_connected ?
				enter_cost(d, v, w->a[t - 1], w->x[t - 1]) :
				0));
	for (v = 0; v <= N; v++)
		d->next[v] += emission_cost(d, v, w->x[t]);
	swap = d->cost;
	d->cost = d->next;
	d->next = swap;
}

/* Binding and state of each step, along the path of least cost. */
static void
trace_back(struct decode *d, struct cscg_explain *out)
{
	long t = d->job->w->n_steps - 1;
	int v, best = d->N;

	for (v = 0; v < d->N; v++)
		if (d->cost[v] < d->cost[best])
			best = v;
	out->n_explained = 0;
	for (; t >= 0; t--) {
		out->binding[t] = best == d->N ? -1 : d->of[best];
		out->state[t] = best == d->N ? -1 :
					       best - d->base[d->of[best]];
		out->n_explained += best != d->N;
		best = d->back[t * (d->N + 1) + best];
	}
}

static int
decode_open(struct decode *d)
{
	const struct explain_job *job = d->job;
	size_t n;
	int k, s;

	d->base = cscg_pool_add(&d->mem, (size_t)job->n_bindings + 1,
	    sizeof *d->base);
	if (!d->base)
		return -1;
	for (k = 0; k < job->n_bindings; k++)
		d->base[k + 1] = d->base[k] +
		    job->table[job->binding[k].schema].n;
	d->N = d->base[job->n_bindings];
	n = (size_t)d->N + 1;
	d->of = cscg_pool_add(&d->mem, n, sizeof *d->of);
	d->cost = cscg_pool_add(&d->mem, n, sizeof *d->cost);
	d->next = cscg_pool_add(&d->mem, n, sizeof *d->next);
	d->back = cscg_pool_add(&d->mem, (size_t)job->w->n_steps,
	    n * sizeof *d->back);
	if (d->mem.failed)
		return -1;
	for (k = 0; k < job->n_bindings; k++)
		for (s = d->base[k]; s < d->base[k + 1]; s++)
			d->of[s] = k;
	return 0;
}

static int
decode(const struct explain_job *job, struct cscg_explain *out,
    struct cscg_err *err)
{
	struct decode d = { .mem.err = err, .job = job };
	long t;
	int rc = decode_open(&d);

	for (t = 0; rc == 0 && t < job->w->n_steps; t++)
		push_step(&d, t);
	if (rc == 0)
		trace_back(&d, out);
	cscg_pool_free(&d.mem);
	return rc;
}

static void
clear_counts(struct explain_job *job)
{
	int k, i;

	for (k = 0; k < job->n_bindings; k++) {
		struct binding *b = &job->binding[k];
		int n = job->table[b->schema].n;

		for (i = 0; i < n; i++) {
			b->symbol[i] = -1;
			b->vote[i] = 0;
		}
		memset(b->bumps, 0,
		    6 * (size_t)(job->A * n) * sizeof *b->bumps);
		b->n_steps = b->n_faults = 0;
	}
}

/* The transition after step t of binding b: a wall, a door, or a slip. */
static void
count_transition(const struct explain_job *job, const struct cscg_explain *e,
    struct binding *b, long t)
{
	int n = job->table[b->schema].n, s = e->state[t];
	int row = job->w->a[t] * n + s, to = job->table[b->schema].next[row];
	bool stays = e->binding[t + 1] == e->binding[t];

	if (to == s && stays && e->state[t + 1] == s)
		b->bumps[row]++;
	else if (to == s || !stays) {
		b->exits[row]++;
		if (!stays)
			vote(&b->outside[row], &b->out_vote[row],
			    job->w->x[t + 1]);
	} else
		b->n_faults += e->state[t + 1] != to;
}

/* The symbol of step t of binding b, and the door by which it was entered. */
static void
count_entry(const struct explain_job *job, const struct cscg_explain *e,
    struct binding *b, long t)
{
	const struct cscg_walk *w = job->w;
	int s = e->state[t], row;

	vote(&b->symbol[s], &b->vote[s], w->x[t]);
	if (!cscg_walk_continues(w, t) || e->binding[t - 1] == e->binding[t])
		return;
	row = w->a[t - 1] * job->table[b->schema].n + s;
	vote(&b->before[row], &b->in_vote[row], w->x[t - 1]);
}

/* Count bindings and walls again by the decoded states of all steps. */
static void
count_decoded(struct explain_job *job, const struct cscg_explain *e)
{
	const struct cscg_walk *w = job->w;
	struct binding *b;
	long t;

	clear_counts(job);
	for (t = 0; t < w->n_steps; t++)
		if (e->binding[t] >= 0)
			count_entry(job, e, &job->binding[e->binding[t]], t);
	for (t = 0; t < w->n_steps; t++) {
		if (e->binding[t] < 0)
			continue;
		b = &job->binding[e->binding[t]];
		b->n_steps++;
		b->n_faults += w->x[t] >= 0 &&
		    b->symbol[e->state[t]] != w->x[t];
		if (cscg_walk_has_transition(w, t))
			count_transition(job, e, b, t);
	}
}

/* ---- the whole explanation ---- */

static int
fill_bindings(const struct explain_job *job, struct cscg_explain *out,
    struct cscg_err *err)
{
	int k, i, n = 0;

	for (k = 0; k < job->n_bindings; k++)
		n += job->table[job->binding[k].schema].n;
	out->n = job->n_bindings;
	out->schema = cscg_alloc((size_t)out->n, sizeof *out->schema, err);
	out->base = cscg_alloc((size_t)out->n + 1, sizeof *out->base, err);
	out->symbol = cscg_alloc((size_t)n, sizeof *out->symbol, err);
	if (!out->schema || !out->base || !out->symbol)
		return -1;
	for (k = 0; k < out->n; k++) {
		const struct binding *b = &job->binding[k];

		n = job->table[b->schema].n;
		out->schema[k] = b->schema;
		out->base[k + 1] = out->base[k] + n;
		for (i = 0; i < n; i++)
			out->symbol[out->base[k] + i] = b->symbol[i];
	}
	return 0;
}

static int
explain(struct explain_job *job, struct cscg_explain *out,
    struct cscg_err *err)
{
	double cells;
	int k, round;
	long t;

	if (find_stretches(job) < 0 || find_bindings(job, err) < 0)
		return -1;
	drop_implausible(job);
	for (t = 0; t < job->w->n_steps; t++)
		out->binding[t] = out->state[t] = -1;
	for (k = 0, cells = 1; k < job->n_bindings; k++)
		cells += job->table[job->binding[k].schema].n;
	if (cells * (double)job->w->n_steps > MAX_CELLS)
		job->n_bindings = 0;
	for (round = 0; round < ROUNDS && job->n_bindings; round++) {
		if (decode(job, out, err) < 0)
			return -1;
		count_decoded(job, out);
		/* Steps of a binding that is dropped are decoded again. */
		if (drop_implausible(job))
			round = -1;
	}
	if (!job->n_bindings) {
		out->n_explained = 0;
		for (t = 0; t < job->w->n_steps; t++)
			out->binding[t] = out->state[t] = -1;
	}
	return fill_bindings(job, out, err);
}

/* ---- rooms of a map ---- */

/*
 * The placement of a schema on a map: the state of the schema that states of
 * the map correspond to.  Several may correspond to one, since learning may
 * have found a state twice.
 */
struct placement {
	struct table map;
	int *symbol;      /* [map.n] */
	int *owner;       /* [map.n] the binding that has the state; -1 */
	int *place;       /* [map.n] and its state there */
	const int *clone; /* [states] of the schema, or NULL */
	int *back;        /* [map.n] state of the schema; -1: not placed */
	int *count;       /* [states] of states of the map placed there */
	int *group_symbol, *symbol_group; /* -1: unbound */
	int *placed, n; /* states of the map, in the order of placement */
	int met;        /* states of the schema */
};

/*
 * State j of the map corresponds to state z of the schema: false if that
 * contradicts the states placed before, or the one-to-one binding of clone
 * groups.
 */
static bool
assign(struct placement *p, int z, int j)
{
	int g = p->clone ? p->clone[z] : z, x = p->symbol[j];

	if (p->back[j] >= 0)
		return p->back[j] == z;
	if (p->owner[j] >= 0 ||
	    (p->group_symbol[g] >= 0 ? p->group_symbol[g] != x :
		    p->clone         ? p->symbol_group[x] >= 0 :
				       false))
		return false;
	p->group_symbol[g] = x;
	p->symbol_group[x] = g;
	p->back[j] = z;
	p->met += p->count[z]++ == 0;
	p->placed[p->n++] = j;
	return true;
}

static void
clear_placement(struct placement *p)
{
	int z, j;

	while (p->n) {
		j = p->placed[--p->n];
		z = p->back[j];
		p->group_symbol[p->clone ? p->clone[z] : z] = -1;
		p->symbol_group[p->symbol[j]] = -1;
		p->back[j] = -1;
		p->count[z] = 0;
	}
	p->met = 0;
}

/*
 * Place a schema with state z at state j of the map, and all states that its
 * transitions reach, up to a few wrong transitions of the map.  Returns the
 * number of the schema's states placed, less the wrong transitions, if that is
 * a plausible room; else 0.
 */
static int
place_schema(struct placement *p, const struct table *tab, int z, int j)
{
	long hit = 0, exits = 0;
	int q, a, next, to, faults = 0;

	clear_placement(p);
	if (!assign(p, z, j))
		return 0;
	for (q = 0; q < p->n && faults <= MAX_WRONG; q++)
		for (a = 0; a < tab->A; a++) {
			j = p->placed[q];
			z = p->back[j];
			next = tab->next[a * tab->n + z];
			to = p->map.next[a * p->map.n + j];
			if (next >= 0 && to >= 0 && next != z)
				faults += !assign(p, next, to);
		}
	for (q = 0; q < p->n; q++)
		for (a = 0; a < tab->A; a++) {
			j = p->placed[q];
			z = p->back[j];
			to = p->map.next[a * p->map.n + j];
			if (tab->next[a * tab->n + z] != z || to < 0)
				continue;
			/* A door does not lead back into its room. */
			faults += p->back[to] >= 0 && p->back[to] != z;
			hit += p->back[to] == z;
			exits += p->back[to] < 0;
		}
	return faults <= MAX_WRONG && is_room(tab, p->met, hit, exits) ?
	    p->met - faults :
	    0;
}

/* The plausible placement of the most states becomes a binding; 1, 0, -1. */
static int
add_room(struct explain_job *job, const struct cscg_model *const *schema,
    struct placement *p, struct cscg_err *err)
{
	int k, z, j, q, best_k = -1, best_z = 0, best_j = 0, most = 0, n;
	struct binding *b;

	for (k = 0; k < job->n; k++) {
		p->clone = schema[k]->clone;
		for (z = 0; z < job->table[k].n; z++)
			for (j = 0; j < p->map.n; j++) {
				n = place_schema(p, &job->table[k], z, j);
				if (n <= most)
					continue;
				most = n;
				best_k = k;
				best_z = z;
				best_j = j;
			}
		clear_placement(p);
	}
	if (best_k < 0)
		return 0;
	if (add_binding(job, best_k, err) < 0)
		return -1;
	p->clone = schema[best_k]->clone;
	place_schema(p, &job->table[best_k], best_z, best_j);
	b = &job->binding[job->n_bindings - 1];
	for (q = 0; q < p->n; q++) {
		j = p->placed[q];
		b->symbol[p->back[j]] = p->symbol[j];
		p->owner[j] = job->n_bindings - 1;
		p->place[j] = p->back[j];
	}
	clear_placement(p);
	return 1;
}

static int
placement_open(struct placement *p, struct explain_job *job,
    const struct cscg_model *m, const int *path, size_t most)
{
	size_t n = (size_t)m->n_states, K = (size_t)job->w->head.n_obs, i;
	int *votes = cscg_pool_add(&job->mem, n, sizeof *votes);
	long t;

	p->count = cscg_pool_add(&job->mem, 2 * most + 5 * n + K,
	    sizeof *p->count);
	if (job->mem.failed || fill_table(&p->map, m, &job->mem) < 0)
		return -1;
	p->group_symbol = p->count + most;
	p->symbol_group = p->group_symbol + most;
	p->back = p->symbol_group + K;
	p->owner = p->back + n;
	p->place = p->owner + n;
	p->symbol = p->place + n;
	p->placed = p->symbol + n;
	for (i = 0; i < most + K + 3 * n; i++)
		p->group_symbol[i] = -1;
	/* Of a state that is not visited: the map's, if that is a symbol. */
	for (i = 0; i < n; i++) {
		int x = cscg_model_best_symbol(m, (int)i);

		p->symbol[i] = (size_t)x < K ? x : 0;
	}
	for (t = 0; t < job->w->n_steps; t++)
		vote(&p->symbol[path[t]], &votes[path[t]], job->w->x[t]);
	return 0;
}

static int
explain_map(struct explain_job *job, const struct cscg_model *const *schema,
    const struct cscg_model *m, const int *path, size_t most,
    struct cscg_explain *out, struct cscg_err *err)
{
	struct placement p = { .n = 0 };
	int rc = placement_open(&p, job, m, path, most);
	long t;

	while (rc == 0 && (rc = add_room(job, schema, &p, err)) > 0)
		rc = 0;
	for (t = 0; t < job->w->n_steps && rc == 0; t++) {
		out->binding[t] = p.owner[path[t]];
		out->state[t] = p.place[path[t]];
		out->n_explained += out->binding[t] >= 0;
	}
	return rc < 0 ? -1 : fill_bindings(job, out, err);
}

/* ---- rooms of a map with noise ---- */

/* A transition of the walk within a piece of the map, or out of it. */
struct visits {
	struct cscg_arc arc;
	long n;
	bool is_refused; /* the schema's state there has another symbol */
};

/* A piece of the map: the states that no binding owns. */
struct piece {
	const int *path;          /* [n_steps] of the walk */
	unsigned char *is_inside; /* [states of the map] */
	struct visits *v;
	long n;
	int *back;  /* [n_steps * most states] of decoding */
	int *state; /* [n_steps] decoded */
	int *cost, *next;
};

static int
by_visits(const void *pa, const void *pb)
{
	const struct visits *x = pa, *y = pb;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return cscg_arc_compare(&x->arc, &y->arc);
}

/* Count the transitions from states of the piece, most visits first. */
static int
count_visits(struct explain_job *job, const struct placement *p,
    struct piece *c)
{
	const struct cscg_walk *w = job->w;
	long t, i, n = 0;

	c->v = cscg_pool_add(&job->mem, (size_t)w->n_steps, sizeof *c->v);
	if (!c->v)
		return -1;
	for (t = 0; t < w->n_steps; t++)
		if (cscg_walk_has_transition(w, t) && p->owner[c->path[t]] < 0)
			c->v[n++] = (struct visits){ { w->a[t], c->path[t],
							 c->path[t + 1] },
				1, false };
	if (n)
		qsort(c->v, (size_t)n, sizeof *c->v, cscg_arc_compare);
	for (i = 0; i < n; i++) {
		if (c->n && !cscg_arc_compare(&c->v[i], &c->v[c->n - 1]))
			c->v[c->n - 1].n++;
		else
			c->v[c->n++] = c->v[i];
	}
	if (c->n)
		qsort(c->v, (size_t)c->n, sizeof *c->v, by_visits);
	return 0;
}

/* The next state by the transition of most visits that leads to one. */
static bool
assign_next(struct placement *p, const struct table *tab, struct piece *c)
{
	long i;
	int z, next;

	for (i = 0; i < c->n; i++) {
		const struct cscg_arc *arc = &c->v[i].arc;

		z = p->back[arc->from];
		if (c->v[i].is_refused || z < 0 || p->back[arc->to] >= 0)
			continue;
		next = tab->next[arc->a * tab->n + z];
		if (next >= 0 && next != z && !p->count[next] &&
		    assign(p, next, arc->to))
			return true;
		c->v[i].is_refused = true;
	}
	return false;
}

/*
 * Place a schema with state z at state j of the piece.  Returns the number of
 * visits that it predicts; 0 if it has too few of its states there.  A wall may
 * be a door out of the piece.
 */
static long
place_on_piece(struct placement *p, const struct table *tab, struct piece *c,
    int z, int j)
{
	long i, n = 0;
	int to;

	clear_placement(p);
	for (i = 0; i < c->n; i++)
		c->v[i].is_refused = false;
	if (!assign(p, z, j))
		return 0;
	while (assign_next(p, tab, c))
		;
	for (i = 0; i < c->n; i++) {
		const struct cscg_arc *arc = &c->v[i].arc;

		z = p->back[arc->from];
		to = z < 0 ? -1 : tab->next[arc->a * tab->n + z];
		if (to >= 0 &&
		    (p->owner[arc->to] >= 0 ? to == z :
					      to == p->back[arc->to]))
			n += c->v[i].n;
	}
	return (double)p->met < MIN_MET * tab->n ? 0 : n;
}

/*
 * Decode the steps in the piece by a graph whose states have these symbols (-1:
 * unknown), into c->state, with the fewest faults: a fault is a transition other
 * than the graph's, or another symbol.  Returns their number.
 */
static long
decode_piece(const struct explain_job *job, const struct placement *p,
    const struct table *tab, const int *symbol, struct piece *c)
{
	const struct cscg_walk *w = job->w;
	long t, first, faults = 0;
	int s, to, least, *swap;

	for (t = 0; t < w->n_steps; t++) {
		if (p->owner[c->path[t]] >= 0)
			continue;
		memset(c->cost, 0, (size_t)tab->n * sizeof *c->cost);
		for (first = t;; t++) {
			int *back = c->back + t * tab->n;

			for (s = 0; s < tab->n; s++)
				c->cost[s] += w->x[t] >= 0 &&
				    symbol[s] != w->x[t];
			for (s = 1, least = 0; s < tab->n; s++)
				least = c->cost[s] < c->cost[least] ? s :
								      least;
			if (!cscg_walk_has_transition(w, t) ||
			    p->owner[c->path[t + 1]] >= 0)
				break;
			for (s = 0; s < tab->n; s++) {
				c->next[s] = c->cost[least] + 1;
				back[s] = least;
			}
			for (s = 0; s < tab->n; s++) {
				to = tab->next[w->a[t] * tab->n + s];
				if (to >= 0 && c->cost[s] < c->next[to]) {
					c->next[to] = c->cost[s];
					back[to] = s;
				}
			}
			swap = c->cost;
			c->cost = c->next;
			c->next = swap;
		}
		faults += c->cost[least];
		c->state[t] = least;
		for (; first < t; t--)
			c->state[t - 1] =
			    c->back[(t - 1) * tab->n + c->state[t]];
		while (t + 1 < w->n_steps && cscg_walk_has_transition(w, t) &&
		    p->owner[c->path[t + 1]] < 0)
			t++;
	}
	return faults;
}

/* The symbols of a schema's states as it is placed; -1: unknown. */
static void
read_symbols(const struct placement *p, int n, int *symbol)
{
	int z;

	for (z = 0; z < n; z++)
		symbol[z] = p->group_symbol[p->clone ? p->clone[z] : z];
}

/* Append a binding of schema k, as decoded, to what was explained. */
static int
append_binding(const struct explain_job *job, const struct placement *p,
    const struct piece *c, int k, const int *bound, struct cscg_explain *out,
    struct cscg_err *err)
{
	size_t b = (size_t)out->n, from = (size_t)out->base[b];
	size_t n = (size_t)job->table[k].n;
	int *schema = cscg_alloc(b + 1, sizeof *schema, err);
	int *base = cscg_alloc(b + 2, sizeof *base, err);
	int *symbol = cscg_alloc(from + n, sizeof *symbol, err);
	long t;

	if (!schema || !base || !symbol) {
		free(schema);
		free(base);
		free(symbol);
		return -1;
	}
	memcpy(base, out->base, (b + 1) * sizeof *base);
	if (b)
		memcpy(schema, out->schema, b * sizeof *schema);
	if (from)
		memcpy(symbol, out->symbol, from * sizeof *symbol);
	schema[b] = k;
	base[b + 1] = base[b] + (int)n;
	memcpy(symbol + from, bound, n * sizeof *symbol);
	for (t = 0; t < job->w->n_steps; t++)
		if (p->owner[c->path[t]] < 0) {
			out->n_explained += out->binding[t] < 0;
			out->binding[t] = out->n;
			out->state[t] = c->state[t];
		}
	free(out->schema);
	free(out->base);
	free(out->symbol);
	out->schema = schema;
	out->base = base;
	out->symbol = symbol;
	out->n++;
	return 1;
}

/*
 * Place schema k where it predicts most visits; false: it fits nowhere, or the
 * caller stops the search.
 */
static bool
place_best(const struct explain_job *job, struct placement *p, int k,
    struct piece *c)
{
	int z, j, best_z = 0, best_j = 0;
	long n, most = 0;

	for (z = 0; z < job->table[k].n; z++) {
		if (cscg_poll(job->poll, "schemas placed", z, job->table[k].n))
			return false;
		for (j = 0; j < p->map.n; j++) {
			n = p->owner[j] < 0 ?
			    place_on_piece(p, &job->table[k], c, z, j) :
			    0;
			if (n <= most)
				continue;
			most = n;
			best_z = z;
			best_j = j;
		}
	}
	if (most)
		place_on_piece(p, &job->table[k], c, best_z, best_j);
	return most;
}

/*
 * By how many nats schema k, as placed, explains the piece better than the rows
 * of the map, which are parameters.  The steps are decoded.
 */
static double
gain_of(const struct explain_job *job, const struct placement *p,
    struct piece *c, int k)
{
	long own = decode_piece(job, p, &p->map, p->symbol, c), faults, i;
	double n = 0, rows = 0, nats;

	for (i = 0; i < c->n; i++) {
		const struct cscg_arc *arc = &c->v[i].arc;

		if (p->owner[arc->from] >= 0)
			continue;
		n += (double)c->v[i].n;
		rows += p->map.next[arc->a * p->map.n + arc->from] == arc->to;
	}
	read_symbols(p, job->table[k].n, job->bound);
	faults = decode_piece(job, p, &job->table[k], job->bound, c);
	nats = log((n + 1) * p->map.n / (double)(own + 1));
	return .5 * log((double)job->w->n_steps) * rows -
	    nats * (double)(faults - own);
}

/* Exclude the states of the piece that are not placed, or include all. */
static void
restrict_piece(struct placement *p, const struct piece *c, bool part)
{
	int j;

	for (j = 0; j < p->map.n; j++)
		p->owner[j] = c->is_inside[j] && (!part || p->back[j] >= 0) ?
		    -1 :
		    0;
}

/*
 * Whether the states that are placed may be a room of which the piece is a
 * part: nearly all states of the schema, and few ways out.
 */
static bool
is_part(const struct placement *p, const struct table *tab,
    const struct piece *c)
{
	int exits = 0;
	long i;

	for (i = 0; i < c->n; i++) {
		const struct cscg_arc *arc = &c->v[i].arc;

		exits += c->v[i].n > DOUBTFUL && p->back[arc->from] >= 0 &&
		    p->back[arc->to] < 0 &&
		    p->map.next[arc->a * p->map.n + arc->from] == arc->to;
	}
	return exits <= MAX_DOORS && (double)p->met >= MIN_PART * tab->n;
}

/*
 * As cscg_explain_piece(): all of the piece or, if it may have several rooms, a
 * part.
 */
static int
explain_piece(const struct explain_job *job,
    const struct cscg_model *const *schema, struct placement *p,
    struct piece *c, bool part, struct cscg_explain *out, struct cscg_err *err)
{
	double gain, most = 0;
	int k, best = -1, rc = 0;

	for (k = 0; k < job->n; k++) {
		p->clone = schema[k]->clone;
		if (place_best(job, p, k, c) &&
		    (!part || is_part(p, &job->table[k], c))) {
			restrict_piece(p, c, part);
			gain = gain_of(job, p, c, k);
			if (gain > most) {
				most = gain;
				best = k;
			}
		}
		clear_placement(p);
		restrict_piece(p, c, false);
	}
	if (best >= 0) {
		p->clone = schema[best]->clone;
		if (place_best(job, p, best, c)) {
			restrict_piece(p, c, part);
			gain_of(job, p, c, best);
			rc = append_binding(job, p, c, best, job->bound, out,
			    err);
		}
		clear_placement(p);
		restrict_piece(p, c, false);
	}
	return rc;
}

/* Tables of the schemas; *most is the largest number of states. */
static int
job_open(struct explain_job *job, const struct cscg_model *const *schema,
    size_t *most)
{
	int k;

	*most = 0;
	job->table = cscg_pool_add(&job->mem, (size_t)job->n,
	    sizeof *job->table);
	if (!job->table)
		return -1;
	for (k = 0; k < job->n; k++) {
		if (fill_table(&job->table[k], schema[k], &job->mem) < 0)
			return -1;
		job->A = job->table[k].A;
		if ((size_t)job->table[k].n > *most)
			*most = (size_t)job->table[k].n;
	}
	job->bound = cscg_pool_add(&job->mem, *most, sizeof *job->bound);
	job->stamp = cscg_pool_add(&job->mem, *most, sizeof *job->stamp);
	return job->mem.failed ? -1 : 0;
}

static void
job_close(struct explain_job *job)
{
	int k;

	for (k = 0; k < job->n_bindings; k++)
		free(job->binding[k].symbol);
	cscg_pool_free(&job->mem);
}

int
cscg_explain(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *w, const struct cscg_model *map, const int *path,
    struct cscg_explain *out, struct cscg_err *err)
{
	struct explain_job job = { .mem.err = err, .w = w, .n = n };
	size_t most;
	int rc = -1;

	*out = (struct cscg_explain){ .n = 0 };
	out->binding = cscg_alloc((size_t)w->n_steps, sizeof *out->binding,
	    err);
	out->state = cscg_alloc((size_t)w->n_steps, sizeof *out->state, err);
	if (out->binding && out->state && job_open(&job, schema, &most) == 0)
		rc = map ?
		    explain_map(&job, schema, map, path, most, out, err) :
		    explain(&job, out, err);
	job_close(&job);
	return rc;
}

int
cscg_explain_piece(const struct cscg_model *const *schema, int n,
    const struct cscg_walk *w, const struct cscg_model *map, const int *path,
    const int *piece, int k, struct cscg_poll *poll, struct cscg_explain *out,
    struct cscg_err *err)
{
	struct explain_job job = {
		.mem.err = err, .w = w, .n = n, .poll = poll
	};
	struct placement p = { .n = 0 };
	struct piece c = { .path = path };
	size_t most, T = (size_t)w->n_steps;
	bool fits = false;
	int j, rc = -1;

	if (job_open(&job, schema, &most) == 0 &&
	    placement_open(&p, &job, map, path, most) == 0) {
		c.is_inside = cscg_pool_add(&job.mem, (size_t)map->n_states,
		    1);
		for (j = 0; c.is_inside && j < map->n_states; j++)
			c.is_inside[j] = piece[j] == k;
		if (c.is_inside) {
			restrict_piece(&p, &c, false);
			rc = count_visits(&job, &p, &c);
		}
	}
	if (rc == 0) {
		if ((size_t)map->n_states > most)
			most = (size_t)map->n_states;
		fits = T <= (size_t)MAX_BACK / most;
	}
	if (rc == 0 && fits) {
		c.state = cscg_pool_add(&job.mem, T, sizeof *c.state);
		c.back = cscg_pool_add(&job.mem, T * most, sizeof *c.back);
		c.cost = cscg_pool_add(&job.mem, most, sizeof *c.cost);
		c.next = cscg_pool_add(&job.mem, most, sizeof *c.next);
		rc = job.mem.failed ?
		    -1 :
		    explain_piece(&job, schema, &p, &c, false, out, err);
		if (rc == 0)
			rc = explain_piece(&job, schema, &p, &c, true, out,
			    err);
	}
	job_close(&job);
	return rc;
}
