/*
 * merge_beam.c - state merging with inverse actions by a beam of partial
 * graphs
 *
 * The first graph has a state for each symbol of which all occurrences can be
 * one state: the landmarks.
 *
 * A partial graph has states, of which each has one symbol, and transitions,
 * of which some are unknown.  The walk is located in it: forwards from the
 * steps of landmarks, until it takes an unknown transition, and backwards,
 * since a step before state k by action a was either in the state to which the
 * inverse of a leads from k, or in k, if a is blocked there.
 *
 * An unknown transition that the walk takes from a known state leads to this
 * state (a wall), to another known state or to a new one.  Each is tried: the
 * walk is followed from there until it takes an unknown transition, or until
 * its state is known, which refutes the trial if it is another state.  A
 * single remaining possibility is accepted, none refutes the graph.
 *
 * If all unknown transitions have several possibilities, the graph is replaced
 * by one graph for each possibility of one transition: that of most visits per
 * possibility, which is refuted soonest.  Of all graphs with as many such
 * choices those with the best scores are kept.  A graph without unknown
 * transitions is a result; later ones must be smaller.
 *
 * Steps before the first landmark of an episode may begin in a state that is
 * not visited again.  When the other transitions are known, the state before
 * the first located step is chosen in the same way.
 *
 * A walk may have too few visits to some states to distinguish them.  But if
 * the transitions that are certain show that the order of actions does not
 * matter, as in rooms, or that states with some symbol have no walls, this
 * holds for the others as well: a contradiction counts as two states.
 *
 * Where nearly all states have the same symbol, the evidence for one
 * transition is weak: the walk meets many unknown ones before it meets a
 * landmark.  The beam decides about many of them together.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "learn/constants.h"
#include "learn/merge_beam.h"
#include "learn/merge_sets.h"

static const struct cscg_beam_constants *const limits =
    &cscg_learn_constants.beam;

typedef uint64_t set; /* of states */

static const set ANYWHERE = ~(set)0; /* known and unknown states */

/* A transition of which the walk does not say where it leads, or begins. */
struct open {
	bool begins;
	int state, action;            /* at its other end; its action */
	int symbol;                   /* of the state at this end */
	int n;                        /* possibilities */
	int to[CSCG_BEAM_STATES + 1]; /* -1: a new state */
};

struct graph {
	int n;
	int label[CSCG_BEAM_STATES];
	signed char next[CSCG_BEAM_STATES]
			[CSCG_BEAM_ACTIONS]; /* -1: unknown */
	struct open open; /* the transition to choose; n is 0: none */
	int size;         /* states, and contradictions of compare_orders() */
	double score;
	uint64_t hash;
};

/* The steps that take an unknown transition. */
struct exits {
	int n, first; /* the first step; -1: none */
	int symbol;   /* after it; -1: none observed, -2: several */
	set allowed;
};

struct beam {
	struct cscg_merge_sets *f;
	const struct cscg_walk *w;
	long n;
	int A, n_first;   /* states of the first graph */
	signed char *red; /* [n] state of a step in the first graph, or -1 */
	set *here;        /* [n] possible states of a step in the graph ... */
	set *later;       /* [n] ... by the steps after it alone */
	int predicted; /* arrivals at landmarks that the steps before predict
	                   */
	struct exits out[CSCG_BEAM_STATES][CSCG_BEAM_ACTIONS];
	struct exits in[CSCG_BEAM_STATES][CSCG_BEAM_ACTIONS]; /* backwards */
	int *next_out, *next_in; /* [n] the next step of the same exits, -1 */
	bool closed;             /* the walk takes no unknown transition, and
	                            begins in a known state */
	bool may_commute;        /* the order of actions may not matter */
	bool commute;            /* it does not matter ... */
	bool *open; /* [n_obs] ... and states with this symbol have no walls,
	                 where it is known */
	double state_cost;
	double work; /* steps located and followed so far */
	struct graph best;
	struct graph *now,
	    *then; /* [limits->width], and [n_then] their successors */
	size_t cap_now, cap_then;
	int n_now, n_then;
	struct cscg_bfs bfs; /* scratch: [CSCG_BEAM_STATES] */
};

static set
one(int k)
{
	return (set)1 << k;
}

static bool
is_one(set m)
{
	return m && !(m & (m - 1));
}

static int
first_of(set m)
{
	return __builtin_ctzll(m);
}

/* True if a transition leads from step t to step t + 1. */
static bool
goes_on(const struct beam *s, long t)
{
	return t + 1 < s->n && cscg_walk_continues(s->w, t + 1);
}

static set
with_symbol(const struct graph *g, int x)
{
	set m = 0;
	int k;

	for (k = 0; k < g->n; k++)
		if (x < 0 || g->label[k] == x)
			m |= one(k);
	return m;
}

/* ---- locating the walk ---- */

/* The states after those of m by action a. */
static set
after(const struct beam *s, const struct graph *g, set m, int a)
{
	set to = 0;
	int k;

	for (; m; m &= m - 1) {
		k = g->next[first_of(m)][a];
		if (k >= 0)
			to |= one(k);
		else if (!s->closed)
			return ANYWHERE;
	}
	return to;
}

/* The states before those of m by action a. */
static set
before(const struct beam *s, const struct graph *g, set m, int a)
{
	int b = s->f->inverse[a], j, k;
	set from = 0;

	if (b < 0)
		return ANYWHERE;
	for (; m; m &= m - 1) {
		k = first_of(m);
		j = g->next[k][b];
		if (j < 0 && !s->closed)
			return ANYWHERE;
		if (j >= 0 && j != k)
			from |= one(j);
		if (g->next[k][a] == k || (g->next[k][a] < 0 && !s->closed))
			from |= one(k);
	}
	return from;
}

/* All states from which the walk may begin. */
static set
anywhere(const struct beam *s, const struct graph *g)
{
	return s->closed ? with_symbol(g, -1) : ANYWHERE;
}

/* Those of m that step t can have, by its symbol and as a landmark. */
static set
fitting(const struct beam *s, const struct graph *g, long t, set m)
{
	int k;

	if (s->red[t] >= 0)
		return m & one(s->red[t]);
	if (m == ANYWHERE || s->w->x[t] < 0)
		return m;
	if (is_one(m)) {
		k = first_of(m);
		return g->label[k] == s->w->x[t] ? m : 0;
	}
	return m & with_symbol(g, s->w->x[t]);
}

/* later[], and the steps at which it ends: false on a contradiction. */
static bool
locate_backwards(struct beam *s, const struct graph *g)
{
	set m = ANYWHERE, old;
	long t;

	for (t = s->n - 1; t >= 0; t--) {
		old = goes_on(s, t) ? m : ANYWHERE;
		m = old == ANYWHERE ? anywhere(s, g) :
				      before(s, g, old, s->w->a[t]);
		if (m == ANYWHERE && old != ANYWHERE && is_one(old) &&
		    s->f->inverse[s->w->a[t]] >= 0) {
			struct exits *e =
			    &s->in[first_of(old)][s->f->inverse[s->w->a[t]]];

			s->next_in[t] = e->first;
			e->first = (int)t;
		}
		m = fitting(s, g, t, m);
		if (!m)
			return false;
		s->later[t] = m;
	}
	return true;
}

static void
add_exit(struct beam *s, const struct graph *g, int k, long t)
{
	struct exits *e = &s->out[k][s->w->a[t]];
	int x = s->w->x[t + 1];

	s->next_out[t] = e->first;
	e->first = (int)t;
	e->n++;
	if (x >= 0 && e->symbol == -1) {
		e->symbol = x;
		e->allowed &= with_symbol(g, x);
	} else if (x >= 0 && e->symbol != x) {
		e->symbol = -2;
	}
	e->allowed &= s->later[t + 1];
}

/* Locate the walk in g: false on a contradiction. */
static bool
locate(struct beam *s, const struct graph *g)
{
	set m = ANYWHERE, past = ANYWHERE, old;
	int k, a;
	long t;

	s->work += 3 * (double)s->n;
	s->predicted = 0;
	for (k = 0; k < g->n; k++)
		for (a = 0; a < s->A; a++) {
			s->in[k][a].first = -1;
			s->out[k][a] = (struct exits){ .first = -1,
				.symbol = -1,
				.allowed = with_symbol(g, -1) };
		}
	if (!locate_backwards(s, g))
		return false;
	for (t = 0; t < s->n; t++) {
		old = t && goes_on(s, t - 1) ? m : ANYWHERE;
		m = old == ANYWHERE ? anywhere(s, g) :
				      after(s, g, old, s->w->a[t - 1]);
		if (m == ANYWHERE && old != ANYWHERE && is_one(old))
			add_exit(s, g, first_of(old), t - 1);
		past = t && goes_on(s, t - 1) && past != ANYWHERE ?
		    after(s, g, past, s->w->a[t - 1]) :
		    ANYWHERE;
		s->predicted += past != ANYWHERE && s->red[t] >= 0 &&
		    s->red[t - 1] != s->red[t];
		past = fitting(s, g, t, past);
		m = fitting(s, g, t, m & s->later[t]);
		if (!m)
			return false;
		s->here[t] = m;
	}
	return true;
}

/* ---- trials ---- */

/* Follow the walk from state k at step t: false on a contradiction. */
static bool
follow(struct beam *s, const struct graph *g, long t, int k)
{
	for (;; t++) {
		s->work++;
		if (!fitting(s, g, t, one(k) & s->here[t]))
			return false;
		if (is_one(s->here[t]) || !goes_on(s, t))
			return true;
		k = g->next[k][s->w->a[t]];
		if (k < 0)
			return true;
	}
}

/* The same backwards, from state k at step t + 1. */
static bool
follow_back(struct beam *s, const struct graph *g, long t, int k)
{
	set m = one(k);

	for (;; t--) {
		s->work++;
		m = before(s, g, m, s->w->a[t]);
		if (m == ANYWHERE)
			return true;
		m = fitting(s, g, t, m & s->here[t]);
		if (!m)
			return false;
		if (is_one(s->here[t]) || t == 0 || !goes_on(s, t - 1))
			return true;
	}
}

/* Follow the walk from all its steps that took transition (j, a). */
static bool
follow_all(struct beam *s, const struct graph *g, int j, int a)
{
	long t;

	for (t = s->out[j][a].first; t >= 0; t = s->next_out[t])
		if (!follow(s, g, t + 1, g->next[j][a]))
			return false;
	for (t = s->in[j][a].first; t >= 0; t = s->next_in[t])
		if (!follow_back(s, g, t, j))
			return false;
	return true;
}

/* A state more with this symbol: its number. */
static int
add_state(const struct beam *s, struct graph *g, int symbol)
{
	int a;

	g->label[g->n] = symbol;
	for (a = 0; a < s->A; a++)
		g->next[g->n][a] = -1;
	return g->n++;
}

/* Let a lead from j to k, and its inverse back: false if that is known not to.
 */
static bool
set_transition(const struct beam *s, struct graph *g, int j, int a, int k)
{
	int b = s->f->inverse[a];

	if (k != j && b >= 0) {
		if (g->next[k][b] >= 0 && g->next[k][b] != j)
			return false;
		g->next[k][b] = (signed char)j;
	}
	g->next[j][a] = (signed char)k;
	return true;
}

/* Whether a can lead from j to k, -1: to a new state; g is left as it was. */
static bool
can_lead(struct beam *s, struct graph *g, int j, int a, int k)
{
	int b = s->f->inverse[a], n = g->n, to = k;
	bool ok;

	if (k < 0) {
		if (n == CSCG_BEAM_STATES || s->out[j][a].symbol < 0)
			return false;
		to = add_state(s, g, s->out[j][a].symbol);
		s->out[to][b < 0 ? a : b].first = -1;
		s->in[to][b < 0 ? a : b].first = -1;
	}
	ok = set_transition(s, g, j, a, to);
	if (!ok)
		return false; /* nothing was set */
	ok = follow_all(s, g, j, a) &&
	    (to == j || b < 0 || follow_all(s, g, to, b));
	g->next[j][a] = -1;
	if (to != j && b >= 0)
		g->next[to][b] = -1;
	g->n = n;
	return ok;
}

/* The possibilities of transition (j, a), which the walk takes. */
static void
list_possible(struct beam *s, struct graph *g, int j, int a, struct open *o)
{
	set m = s->out[j][a].allowed;

	*o = (struct open){
		.state = j, .action = a, .symbol = s->out[j][a].symbol
	};
	if (s->out[j][a].symbol == -2)
		return;
	for (; m; m &= m - 1)
		if (can_lead(s, g, j, a, first_of(m)))
			o->to[o->n++] = first_of(m);
	if (can_lead(s, g, j, a, -1))
		o->to[o->n++] = -1;
}

/* Accept a possibility of a transition. */
static void
accept(const struct beam *s, struct graph *g, const struct open *o, int to)
{
	if (to < 0)
		to = add_state(s, g, o->symbol);
	if (o->begins)
		set_transition(s, g, to, o->action, o->state);
	else
		set_transition(s, g, o->state, o->action, to);
}

/*
 * The possible states before the first located step of an episode, t + 1, in
 * state k.  None if it may have been k, by a known wall.
 */
static void
list_before(struct beam *s, struct graph *g, int k, long t, struct open *o)
{
	int a = s->w->a[t], j;

	*o = (struct open){
		.begins = true, .state = k, .action = a, .symbol = s->w->x[t]
	};
	if (o->symbol < 0 || g->next[k][a] == k)
		return;
	for (j = 0; j < g->n; j++)
		if (g->label[j] == o->symbol && g->next[j][a] < 0 &&
		    can_lead(s, g, j, a, k))
			o->to[o->n++] = j;
	if (g->n < CSCG_BEAM_STATES)
		o->to[o->n++] = -1;
}

/*
 * The steps before the first landmark of an episode may be in states that it
 * does not visit again: true if g->open is the transition from such a state.
 */
static bool
find_start(struct beam *s, struct graph *g)
{
	int k, b;

	for (k = 0; k < g->n; k++)
		for (b = 0; b < s->A; b++) {
			if (g->next[k][b] >= 0 || s->in[k][b].first < 0)
				continue;
			list_before(s, g, k, s->in[k][b].first, &g->open);
			if (g->open.n)
				return true;
		}
	return false;
}

/* ---- the search ---- */

/* Independent of the numbers of states: in the order of their discovery. */
static uint64_t
hash_graph(struct beam *s, const struct graph *g)
{
	struct cscg_bfs *b = &s->bfs; /* labels: the order of discovery */
	int j, a, k;
	uint64_t h = 0xcbf29ce484222325u;

	cscg_bfs_clear(b);
	for (k = 0; k < s->n_first; k++)
		cscg_bfs_reach(b, k, -1, k);
	while ((j = cscg_bfs_next(b)) >= 0)
		for (a = 0; a < s->A; a++) {
			k = g->next[j][a];
			if (k >= 0)
				cscg_bfs_reach(b, k, j, b->n_reached);
			h = (h ^ (uint64_t)(k < 0 ? 255 : b->label[k])) *
			    0x100000001b3u;
		}
	return h;
}

/*
 * Accept the transitions with one possibility, up to the first that needs a
 * new state, and find the one to choose.  CHANGED if any was accepted,
 * REFUTED if one has no possibility, SETTLED.
 */
enum { REFUTED, CHANGED, SETTLED };

static int
sweep(struct beam *s, struct graph *g)
{
	int n = g->n, j, a, rc = SETTLED;
	const struct exits *e;
	double most = 0;
	struct open o;

	g->open.n = 0;
	for (j = 0; j < g->n; j++)
		for (a = 0; a < s->A; a++) {
			e = &s->out[j][a];
			if (g->next[j][a] >= 0 || e->symbol == -1)
				continue;
			list_possible(s, g, j, a, &o);
			if (!o.n)
				return REFUTED;
			if (o.n == 1) {
				accept(s, g, &o, o.to[0]);
				rc = CHANGED;
				if (g->n > n)
					return rc;
			} else if ((double)e->n / o.n > most) {
				most = (double)e->n / o.n;
				g->open = o;
			}
		}
	if (rc == SETTLED && !g->open.n && find_start(s, g) &&
	    g->open.n == 1) {
		accept(s, g, &g->open, g->open.to[0]);
		rc = CHANGED;
	}
	return rc;
}

/* Coordinates: the numbers of moves by each action and its inverse. */
typedef signed char place[CSCG_BEAM_ACTIONS];

/* The coordinates after a move by a from a place. */
static void
move(const struct beam *s, const place from, int a, place at)
{
	int b = s->f->inverse[a];

	memcpy(at, from, sizeof(place));
	at[a < b ? a : b] = (signed char)(at[a < b ? a : b] +
	    (a < b ? 1 : -1));
}

/* The state other than j to which a leads from it and its inverse back; or -1. */
static int
moved(const struct beam *s, const struct graph *g, int j, int a)
{
	int k = g->next[j][a], b = s->f->inverse[a];

	return k == j || b < 0 || b == a ? -1 : k;
}

/*
 * Whether the order of actions matters: moves between states whose coordinates
 * are those of other moves as well, and contradictions: moves between states
 * with other coordinates, and states with the coordinates of another.
 */
static void
compare_orders(struct beam *s, const struct graph *g, int *agreeing,
    int *contradictions)
{
	struct cscg_bfs *b = &s->bfs; /* labels: states connected by moves */
	place at[CSCG_BEAM_STATES], to;
	int j, a, k, start;

	*agreeing = *contradictions = 0;
	cscg_bfs_clear(b);
	for (start = 0; start < g->n; start++) {
		if (!cscg_bfs_reach(b, start, -1, start))
			continue;
		memset(at[start], 0, sizeof to);
		while ((j = cscg_bfs_next(b)) >= 0)
			for (a = 0; a < s->A; a++) {
				k = moved(s, g, j, a);
				if (k < 0)
					continue;
				move(s, at[j], a, to);
				if (cscg_bfs_reach(b, k, j, start)) {
					memcpy(at[k], to, sizeof to);
					--*agreeing; /* the move back */
				} else if (memcmp(at[k], to, sizeof to)) {
					++*contradictions;
				} else {
					++*agreeing;
				}
			}
	}
	*contradictions /= 2;
	*agreeing /= 2;
	for (j = 0; j < g->n; j++)
		for (k = 0; k < j; k++)
			*contradictions += b->label[j] == b->label[k] &&
			    !memcmp(at[j], at[k], sizeof to);
}

/* Pairs of actions that are inverse to each other: the axes of coordinates. */
static int
count_axes(const struct beam *s)
{
	int n = 0, a;

	for (a = 0; a < s->A; a++)
		n += s->f->inverse[a] > a;
	return n;
}

/* The least numbers of moves from a state to each state, in s->bfs. */
static void
find_distances(struct beam *s, const struct graph *g, int from)
{
	int j, a, k;

	cscg_bfs_clear(&s->bfs);
	cscg_bfs_reach(&s->bfs, from, -1, -1);
	while ((j = cscg_bfs_next(&s->bfs)) >= 0)
		for (a = 0; a < s->A; a++) {
			k = moved(s, g, j, a);
			if (k >= 0)
				cscg_bfs_reach(&s->bfs, k, j, a);
		}
}

/*
 * How many pairs of states would have the same coordinates if the order of
 * actions mattered, and the moves from one state to another were drawn at
 * random, except that none is undone by the next.
 */
static double
expected_coincidences(struct beam *s, const struct graph *g)
{
	int j, k, d;
	double sum = 0;

	if (count_axes(s) != 2)
		return 0;
	for (j = 0; j < g->n; j++) {
		find_distances(s, g, j);
		for (k = 0; k < j; k++) {
			d = s->bfs.distance[k];
			if (d >= 0 && d % 2 == 0 && d / 2 < CSCG_BEAM_CLOSED)
				sum += limits->closed[d / 2];
		}
	}
	return sum;
}

/* The transitions of g that are walls of states with symbol x, and the others. */
static void
count_walls(const struct beam *s, const struct graph *g, int x, int *walls,
    int *others)
{
	int j, a;

	*walls = *others = 0;
	for (j = 0; j < g->n; j++)
		for (a = 0; a < s->A && g->label[j] == x; a++) {
			*walls += g->next[j][a] == j;
			*others += g->next[j][a] >= 0 && g->next[j][a] != j;
		}
}

/* Learn from g, of which all is certain, what later graphs should not contradict. */
static void
find_properties(struct beam *s, const struct graph *g)
{
	int x, yes, no;

	compare_orders(s, g, &yes, &no);
	s->may_commute = !no && count_axes(s) > 1;
	s->commute = !no &&
	    (yes >= limits->min_agreeing ||
		expected_coincidences(s, g) >= limits->min_coincidences);
	for (x = 0; x < s->w->head.n_obs; x++) {
		count_walls(s, g, x, &no, &yes);
		s->open[x] = yes >= limits->min_agreeing && !no;
	}
}

/* The size of g by which graphs are compared: states and contradictions. */
static int
size_of(struct beam *s, const struct graph *g)
{
	int size = g->n, x, walls, others;

	if (s->commute) {
		compare_orders(s, g, &others, &walls);
		size += limits->contradiction * walls;
	}
	for (x = 0; x < s->w->head.n_obs; x++)
		if (s->open[x]) {
			count_walls(s, g, x, &walls, &others);
			size += limits->contradiction * walls;
		}
	return size;
}

/*
 * Accept all transitions with one possibility: false if g is refuted, or not
 * smaller than the best.
 */
static bool
settle(struct beam *s, struct graph *g)
{
	int rc = CHANGED;

	while (rc == CHANGED) {
		g->size = size_of(s, g);
		if ((s->best.n && g->size >= s->best.size) || !locate(s, g))
			return false;
		rc = sweep(s, g);
	}
	g->score = s->predicted - s->state_cost * g->size;
	g->hash = hash_graph(s, g);
	return rc == SETTLED;
}

static bool
is_listed(const struct beam *s, const struct graph *g)
{
	int i;

	for (i = 0; i < s->n_then; i++)
		if (s->then[i].hash == g->hash)
			return true;
	return false;
}

/* One graph for each possibility of the open transition of g. */
static int
branch(struct beam *s, const struct graph *g, struct cscg_err *err)
{
	struct graph h;
	int i;

	for (i = 0; i < g->open.n; i++) {
		h = *g;
		accept(s, &h, &g->open, g->open.to[i]);
		if (!settle(s, &h) || is_listed(s, &h))
			continue;
		if (!h.open.n) {
			s->best = h;
			continue;
		}
		if (cscg_grow(&s->then, &s->cap_then, (size_t)s->n_then + 1,
			sizeof *s->then, err) < 0)
			return -1;
		s->then[s->n_then++] = h;
	}
	return 0;
}

static int
by_score(const void *p, const void *q)
{
	const struct graph *g = p, *h = q;

	if (g->score != h->score)
		return g->score > h->score ? -1 : 1;
	return g->hash < h->hash ? -1 : g->hash > h->hash;
}

/* From the graph now[0] until no graph is left. */
static int
search(struct beam *s, struct cscg_err *err)
{
	struct graph *swap;
	size_t cap;
	int i;

	while (s->n_now && s->work < limits->max_work) {
		s->n_then = 0;
		for (i = 0; i < s->n_now && s->work < limits->max_work; i++) {
			if (cscg_poll(s->f->poll, "inverse-action merging",
				s->work, limits->max_work))
				return 0;
			if (branch(s, &s->now[i], err) < 0)
				return -1;
		}
		qsort(s->then, (size_t)s->n_then, sizeof *s->then, by_score);
		swap = s->now;
		s->now = s->then;
		s->then = swap;
		cap = s->cap_now;
		s->cap_now = s->cap_then;
		s->cap_then = cap;
		s->n_now = s->n_then < limits->width ? s->n_then :
						       limits->width;
	}
	return 0;
}

/* The graph of the red states: false if there are too many, or none. */
static bool
first_graph(struct beam *s, struct graph *g)
{
	struct cscg_merge_sets *f = s->f;
	int number, a, to;
	long t;
	size_t i;

	if (!f->reds.n || f->reds.n >= CSCG_BEAM_STATES)
		return false;
	for (t = 0; t < s->n; t++)
		s->red[t] = -1;
	*g = (struct graph){ 0 };
	for (i = 0; i < f->reds.n; i++) {
		to = cscg_merge_sets_find(f, f->reds.v[i]);
		s->red[to] = (signed char)add_state(s, g, f->label[to]);
	}
	for (i = 0; i < f->reds.n; i++)
		for (a = 0; a < s->A; a++) {
			to = cscg_merge_sets_successor(f,
			    cscg_merge_sets_find(f, f->reds.v[i]), a);
			number = to < 0 ? -1 : s->red[to];
			if (number >= 0 &&
			    !set_transition(s, g, (int)i, a, number))
				return false;
		}
	for (t = 0; t < s->n; t++)
		if (f->parent[t] != (int)t)
			s->red[t] = s->red[cscg_merge_sets_find(f, (int)t)];
	s->n_first = g->n;
	return true;
}

/* The best graph as a result: 1 with *out new, 0, or -1. */
static int
number_best(struct beam *s, struct cscg_merge **out, struct cscg_err *err)
{
	int first[CSCG_BEAM_STATES], k, rc = 1, *to;
	struct cscg_merge_sets *f = s->f;
	long t;

	s->closed = true;
	if (!s->best.n || !locate(s, &s->best))
		return 0;
	f->reds_merged = false;
	memset(first, -1, sizeof first);
	for (t = 0; t < s->n && rc > 0; t++) {
		if (!is_one(s->here[t]))
			continue; /* before the first landmark */
		to = &first[first_of(s->here[t])];
		if (*to < 0)
			*to = (int)t;
		else
			rc = cscg_merge_sets_union(f, *to, (int)t, NULL, err);
	}
	for (k = 0; k < s->best.n && rc > 0; k++)
		if (first[k] >= 0 &&
		    !f->red[cscg_merge_sets_find(f, first[k])] &&
		    cscg_merge_sets_add_red(f, first[k], err) < 0)
			rc = -1;
	if (f->reds_merged)
		rc = rc < 0 ? -1 : 0; /* not different */
	if (rc > 0) {
		*out = cscg_merge_sets_number(f, err);
		rc = *out ? 1 : -1;
	}
	return rc;
}

/* How often b led back (yes) from where a had led in g, or did not (no). */
static void
count_returns(const struct beam *s, const struct graph *g, long *yes, long *no)
{
	int j, k, a, b;

	memset(yes, 0, (size_t)(s->A * s->A) * sizeof *yes);
	memset(no, 0, (size_t)(s->A * s->A) * sizeof *no);
	for (j = 0; j < g->n; j++)
		for (a = 0; a < s->A; a++) {
			k = g->next[j][a];
			for (b = 0; b < s->A && k >= 0 && k != j; b++)
				if (g->next[k][b] >= 0)
					(g->next[k][b] == j ?
						yes :
						no)[a * s->A + b]++;
		}
}

/*
 * If two actions are left of which the inverse is unknown, let them be inverse
 * if each led back from the other, and always did.
 */
static void
pair_last(const struct beam *s, const long *yes, const long *no, int *inverse)
{
	int left[2], n = 0, a, b;

	for (a = 0; a < s->A; a++)
		if (inverse[a] < 0 && n++ < 2)
			left[n - 1] = a;
	if (n != 2 || s->A == 2)
		return;
	a = left[0] * s->A + left[1];
	b = left[1] * s->A + left[0];
	if (yes[a] && yes[b] && !no[a] && !no[b]) {
		inverse[left[0]] = left[1];
		inverse[left[1]] = left[0];
	}
}

/*
 * Find inverse actions by the transitions of g, of which all is certain; the
 * walk shows those that change the symbol (inverse.h).  False if g contradicts
 * them.
 */
static bool
complete_inverses(struct beam *s, struct graph *g, bool *any)
{
	long yes[CSCG_BEAM_ACTIONS * CSCG_BEAM_ACTIONS];
	long no[CSCG_BEAM_ACTIONS * CSCG_BEAM_ACTIONS];
	int found[CSCG_BEAM_ACTIONS], *inverse = s->f->inverse, j, a;

	*any = false;
	count_returns(s, g, yes, no);
	cscg_inverse_decide(yes, no, s->A, 0, found);
	for (a = 0; a < s->A; a++)
		if (inverse[a] >= 0)
			found[a] = inverse[a];
	pair_last(s, yes, no, found);
	for (a = 0; a < s->A; a++)
		if (found[a] != inverse[a] && found[found[a]] == a) {
			inverse[a] = found[a];
			*any = true;
		}
	for (j = 0; j < g->n && *any; j++)
		for (a = 0; a < s->A; a++)
			if (g->next[j][a] >= 0 &&
			    !set_transition(s, g, j, a, g->next[j][a]))
				return false;
	return true;
}

/* The first graph with all certain transitions: false if these contradict. */
static bool
settle_first(struct beam *s, struct graph *g)
{
	bool any = true;

	if (!first_graph(s, g))
		return false;
	while (any)
		if (!settle(s, g) || !complete_inverses(s, g, &any))
			return false;
	return true;
}

/* A search for each cost: 0, or -1. */
static int
search_all(struct beam *s, struct cscg_err *err)
{
	struct graph g;
	bool commute;
	size_t i;
	int rc = 0;

	if (!settle_first(s, &g))
		return 0;
	if (!g.open.n)
		s->best = g;
	find_properties(s, &g);
	commute = s->commute;
	for (i = 0; i < CSCG_BEAM_SEARCHES && rc == 0 && g.open.n &&
	     !cscg_poll_stopped(s->f->poll);
	     i++) {
		/* Coordinates that are not certain guide every other search. */
		s->commute = commute || (s->may_commute && i % 2 == 0);
		s->state_cost = limits->state_cost[i];
		s->work = 0;
		s->now[0] = g;
		s->n_now = 1;
		rc = search(s, err);
		s->commute = commute;
		s->best.size = size_of(s, &s->best);
	}
	return rc;
}

/* The searches from the red states of f: 1 with *out new, 0, or -1. */
static int
search_from(struct cscg_merge_sets *f, struct cscg_merge **out,
    struct cscg_err *err)
{
	struct cscg_pool mem = { .err = err };
	struct beam s = { .f = f, .w = f->w, .n = f->n, .A = f->A };
	size_t n = (size_t)f->n;
	int rc = -1;

	s.red = cscg_pool_add(&mem, n, sizeof *s.red);
	s.here = cscg_pool_add(&mem, n, sizeof *s.here);
	s.later = cscg_pool_add(&mem, n, sizeof *s.later);
	s.next_out = cscg_pool_add(&mem, n, sizeof *s.next_out);
	s.next_in = cscg_pool_add(&mem, n, sizeof *s.next_in);
	s.open = cscg_pool_add(&mem, (size_t)f->w->head.n_obs, sizeof *s.open);
	if (!mem.failed && cscg_bfs_fit(&s.bfs, CSCG_BEAM_STATES, err) == 0 &&
	    cscg_grow(&s.now, &s.cap_now, 1, sizeof *s.now, err) == 0 &&
	    cscg_grow(&s.then, &s.cap_then, 1, sizeof *s.then, err) == 0)
		rc = search_all(&s, err);
	if (rc == 0)
		rc = number_best(&s, out, err);
	cscg_pool_free(&mem);
	cscg_bfs_free(&s.bfs);
	free(s.now);
	free(s.then);
	return rc;
}

/* The share of the steps in states with few visits. */
static double
rare_share(const struct cscg_merge_sets *f)
{
	long visits, n = 0;
	size_t i;

	for (i = 0; i < f->reds.n; i++) {
		visits = f->size[cscg_merge_sets_find(f, f->reds.v[i])];
		if (visits < (long)cscg_learn_constants.merge.visits * f->A)
			n += visits;
	}
	return (double)n / (double)f->n;
}

int
cscg_merge_beam(const struct cscg_walk *w, struct cscg_poll *poll,
    struct cscg_merge **out, struct cscg_err *err)
{
	struct cscg_merge_sets f = { .poll = poll };
	int rc;

	*out = NULL;
	if (!cscg_merge_sets_fits(w) || cscg_poll_stopped(poll) ||
	    w->head.n_actions > CSCG_BEAM_ACTIONS)
		return 0;
	rc = cscg_merge_sets_new(&f, w, err);
	f.has_blocked = false; /* symbols of few states mislead */
	if (rc == 0 && f.has_inverses &&
	    (cscg_merge_sets_apply_inverses(&f, err) < 0 ||
		cscg_merge_sets_landmarks(&f, 0, 0, err) < 0))
		rc = -1;
	if (rc == 0 && f.has_inverses)
		rc = search_from(&f, out, err);
	if (rc > 0)
		(*out)->complete = (cscg_merge_sets_is_supported(&f) ||
				       rare_share(&f) <= limits->max_rare) &&
		    (*out)->assigned >=
			cscg_learn_constants.merge.nearly_complete;
	cscg_merge_sets_free(&f);
	return rc;
}
