/*
 * stitch: the prior by hand, the E-step on stored entries against enumeration,
 * frontiers, and small worlds composed again
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "brute/paths.h"
#include "file_text.h"
#include "show/compare.h"
#include "learn/em.h"
#include "schema/stitch.h"
#include "schema/stitch_bind.h"
#include "kernel/cpu.h"
#include "world/compose.h"
#include "kernel/estep_sparse.h"
#include "tap.h"
#include "walker.h"

/* ---- the prior ---- */

static struct cscg_model *
schema(const char *first, const char *second, const struct cscg_count *c,
    long n, const struct cscg_frontier *f, long n_f)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 2, 2, 1,
	    &err));
	const char *words[] = { first, second, NULL };

	need(cscg_names_set(&m->actions, words, &err) < 0 ||
		    cscg_model_set_counts(m, c, n, &err) < 0 ||
		    cscg_model_set_frontiers(m, f, n_f, &err) < 0 ?
		NULL :
		m);
	return m;
}

static double
count_at(const struct cscg_model *m, int a, int j, int k)
{
	long r = (long)a * m->n_states + j, i;

	for (i = m->first[r]; i < m->first[r + 1]; i++)
		if (m->to[i] == k)
			return m->count[i];
	return 0;
}

/*
 * A: go leads from 0 to 1 (3 of 4 times; else it stays), and at 1 stays: the
 * frontier. back leads from 1 to 0; back at 0 has no counts.  B has its actions
 * in the other order: back (0) leads 1 -> 0, go (1) leads 0 -> 1; its frontiers
 * are (0, back), which has no counts, and (1, go).
 */
static const struct cscg_count count_a[] = { { 0, 0, 1, 3 }, { 0, 0, 0, 1 },
	{ 0, 1, 1, 5 }, { 1, 1, 0, 2 } };
static const struct cscg_frontier gate_a[] = { { 1, 0 } };
static const struct cscg_count count_b[] = { { 0, 1, 0, 7 }, { 1, 0, 1, 7 } };
static const struct cscg_frontier gate_b[] = { { 0, 0 }, { 1, 1 } };

static void
prior(void)
{
	struct cscg_model *a = schema("go", "back", count_a, 4, gate_a, 1);
	struct cscg_model *b = schema("back", "go", count_b, 2, gate_b, 2);
	const struct cscg_model *two[] = { a, b }, *three[] = { a, b, a };
	struct cscg_model *p = need(cscg_stitch_prior(two, 2, .25, NULL,
	    &err));

	/* States: A is 0 and 1, B is 2 and 3; actions: go 0, back 1. */
	ok(p->n_states == 4 && p->n_actions == 2 && p->kind == CSCG_SCHEMA &&
		!strcmp(p->actions.v[1], "back") && p->n_entries == 0,
	    "the prior has all states and the actions of the first schema");
	ok(count_at(p, 0, 0, 1) == 75 && count_at(p, 0, 0, 0) == 25 &&
		count_at(p, 1, 1, 0) == 100 && count_at(p, 1, 3, 2) == 100 &&
		count_at(p, 0, 2, 3) == 100,
	    "rows within a block have 100 counts by share");
	ok(count_at(p, 0, 1, 1) == 25 && count_at(p, 0, 1, 2) == 37.5 &&
		count_at(p, 0, 1, 3) == 37.5,
	    "a frontier stays, or leads to the entries of the other block");
	ok(count_at(p, 1, 2, 1) == 75 && count_at(p, 1, 2, 2) == 25,
	    "the first frontier of the second block leads to the first block");
	ok(count_at(p, 0, 3, 1) == 75 && count_at(p, 0, 3, 3) == 25,
	    "the second frontier of the second block leads to the first "
	    "block");
	ok(p->first[8] == 12, "there are no other transitions");
	ok(p->n_frontiers == 3 && p->frontier[0].state == 1 &&
		p->frontier[0].a == 0 && p->frontier[1].state == 2 &&
		p->frontier[1].a == 1 && p->frontier[2].state == 3 &&
		p->frontier[2].a == 0,
	    "frontiers of the prior are those of the blocks");
	cscg_model_free(p);
	/* Two copies of A are different pieces: each leads to the other. */
	p = need(cscg_stitch_prior(three, 3, 0, NULL, &err));
	ok(near(count_at(p, 0, 1, 5), 100. / 3, 1e-15) &&
		near(count_at(p, 0, 1, 2), 100. / 3, 1e-15) &&
		count_at(p, 0, 1, 1) == 0 && count_at(p, 1, 2, 5) == 50 &&
		count_at(p, 1, 2, 3) == 0,
	    "self-loop 0, three blocks, one of them twice");
	cscg_model_free(p);
	p = need(cscg_stitch_prior(two, 1, .25, NULL, &err));
	ok(count_at(p, 0, 1, 1) == 100 && p->first[4] == 4,
	    "the prior of a single block is unchanged");
	cscg_model_free(p);
	cscg_model_free(a);
	cscg_model_free(b);
}

/* B is entered by its state 0 alone, whatever leads out of it. */
static void
prior_entries(void)
{
	struct cscg_model *a = schema("go", "back", count_a, 4, gate_a, 1);
	struct cscg_model *b = schema("back", "go", count_b, 2, gate_b, 2);
	const struct cscg_model *two[] = { a, b };
	const int in[] = { 0, 0 };
	struct cscg_model *p;

	need(cscg_model_set_entries(b, in, 2, &err) < 0 ? NULL : b);
	ok(b->n_entries == 1, "an entry given twice is stored once");
	p = need(cscg_stitch_prior(two, 2, .25, NULL, &err));
	ok(count_at(p, 0, 1, 2) == 75 && count_at(p, 0, 1, 3) == 0 &&
		count_at(p, 1, 2, 1) == 75 && count_at(p, 0, 3, 1) == 75 &&
		p->n_frontiers == 3,
	    "frontiers lead to entries only");
	ok(p->n_entries == 2 && p->entry[0] == 1 && p->entry[1] == 2 &&
		cscg_model_check(p, &err) == 0,
	    "the prior has the entries of all blocks");
	cscg_model_free(p);
	cscg_model_free(a);
	cscg_model_free(b);
}

/*
 * n copies of B have 2 frontiers and 2 entries each: 2 (n - 1) transitions for
 * each state.  Those of 17 are listed; 18 have 34 and are not.
 */
static void
prior_loose(void)
{
	struct cscg_model *b = schema("back", "go", count_b, 2, gate_b, 2);
	const struct cscg_model *all[18];
	struct cscg_model *p;
	int i;

	for (i = 0; i < 18; i++)
		all[i] = b;
	ok(!cscg_stitch_is_implicit(all, 17) &&
		cscg_stitch_is_implicit(all, 18),
	    "more than 32 transitions for each state are not stored");
	p = need(cscg_stitch_prior(all, 17, .25, NULL, &err));
	ok(count_at(p, 0, 0, 2) == 75. / 32 && p->first[68] == 17 * (2 + 66),
	    "32 transitions for each state are stored");
	cscg_model_free(p);
	p = need(cscg_stitch_prior(all, 18, .25, NULL, &err));
	ok(p->first[72] == 72 && p->n_frontiers == 36,
	    "implicit: a frontier stores its own transition only");
	/* a quarter, minus the share of all 36 states */
	ok(near(cscg_model_T(p, 0, 0, 35), .75 / 36, 1e-12) &&
		near(cscg_model_T(p, 0, 0, 0), .25 + .75 / 36, 1e-12),
	    "implicit: a frontier leads to all states with equal probability");
	ok(near(cscg_model_T(p, 0, 1, 0), 1, 1e-4),
	    "implicit: other transitions are kept");
	cscg_model_free(p);
	cscg_model_free(b);
}

static void
prior_actions(void)
{
	struct cscg_model *a = schema("go", "back", count_a, 4, gate_a, 1);
	struct cscg_model *b = schema("go", "jump", count_b, 2, gate_b, 2);
	struct cscg_model *c = need(cscg_model_new(CSCG_SCHEMA, 2, 3, 1,
	    &err));
	const struct cscg_model *ab[] = { a, b }, *ac[] = { a, c };
	struct cscg_err e = { 0 };
	int which;

	ok(!cscg_stitch_prior(ab, 2, .5, &which, &e) && which == 1 &&
		e.code == CSCG_EMISMATCH,
	    "another name of an action is refused: %s", e.msg);
	ok(!cscg_stitch_prior(ac, 2, .5, &which, &e) && which == 1 &&
		e.code == CSCG_EMISMATCH,
	    "more actions are refused: %s", e.msg);
	cscg_model_free(a);
	cscg_model_free(b);
	cscg_model_free(c);
}

/* ---- the E-step ---- */

enum { S = 3, A = 2, K = 2, N = 6 };

/* A model with few entries, emission rows, and a pi; D is added to counts. */
static struct cscg_model *
tiny(double p, const double *D)
{
	struct cscg_count c[] = { { 0, 0, 1, 4 }, { 0, 1, 0, 1 },
		{ 0, 1, 2, 2 }, { 1, 0, 0, 3 }, { 1, 2, 0, 1 }, { 1, 2, 1, 1 },
		{ 1, 2, 2, 5 } };
	static const double E[] = { .7, .3, .2, .8, 0, 1 };
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, S, A, 1,
	    &err));
	int i;

	for (i = 0; D && i < 7; i++)
		c[i].c += D[i];
	m->pi = need(calloc(S, sizeof *m->pi));
	m->pi[0] = .5;
	m->pi[1] = .3;
	m->pi[2] = .2;
	m->pseudocount = p;
	need(cscg_model_set_counts(m, c, 7, &err) < 0 ||
		    cscg_model_set_E(m, E, K, &err) < 0 ?
		NULL :
		m);
	return m;
}

/* Two episodes, a dropout and a reset. */
static struct cscg_walk *
tiny_walk(void)
{
	static const int x[2][N] = { { 0, 1, -1, 1, 0, 1 },
		{ 1, 0, 1, 1, 0, 0 } };
	static const int a[2][N] = { { 0, 1, 0, 0, 1 }, { 1, 0, 1, 0, 0 } };
	struct cscg_walk_header head = { .n_actions = A, .n_obs = K };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	int e, t;

	for (e = 0; e < 2; e++)
		for (t = 0; t < N; t++) {
			struct cscg_step s = { .x = x[e][t],
				.z = -1,
				.goal = -1,
				.r = NAN,
				.reset = e && t == 3 };

			s.a = t + 1 < N ? a[e][t] : -1;
			need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
		}
	return w;
}

/* Both episodes, path by path. */
static double
by_paths(const struct cscg_model *m, const struct cscg_walk *w, double *xi)
{
	double gamma[N * S], one[A * S * S], loglik = 0;
	struct brute b = { .gamma = gamma, .xi = one };
	int e, i;

	memset(xi, 0, A * S * S * sizeof *xi);
	for (e = 0; e < 2; e++) {
		brute_paths(m, w, e, &b);
		loglik += log(b.lik);
		for (i = 0; i < A * S * S; i++)
			xi[i] += one[i];
	}
	return loglik;
}

/*
 * The T of an engine after an update, by the formula of estep_sparse.h from the
 * enumeration, as a model with all entries and no pseudocount.
 */
static struct cscg_model *
updated(const struct cscg_model *m, const double *xi, const double *D,
    double p)
{
	double dense[A * S * S], sum, rest;
	struct cscg_model *next = need(cscg_model_copy(m, &err));
	int r, k, u;
	long i;

	for (r = 0; r < A * S; r++) {
		bool stored[S] = { false };
		double extra[S] = { 0 };

		for (i = m->first[r]; i < m->first[r + 1]; i++) {
			stored[m->to[i]] = true;
			extra[m->to[i]] = D ? D[i] : 0;
		}
		for (k = 0, sum = p * S, rest = 0, u = 0; k < S; k++) {
			sum += xi[r * S + k] + extra[k];
			rest += stored[k] ? 0 : xi[r * S + k];
			u += !stored[k];
		}
		for (k = 0; k < S; k++)
			dense[r * S + k] =
			    (p +
				(stored[k] ? xi[r * S + k] + extra[k] :
					     rest / u)) /
			    sum;
	}
	need(cscg_model_set_dense(next, dense, 0, &err) < 0 ? NULL : next);
	next->pseudocount = 0;
	return next;
}

static void
against_paths(double p, const double *D, const char *what)
{
	struct cscg_model *m = tiny(p, NULL), *with = tiny(p, D);
	struct cscg_model *got = need(cscg_model_copy(m, &err)), *next;
	struct cscg_walk *w = tiny_walk();
	struct cscg_estep *e = need(cscg_estep_sparse(m, w, D, &err));
	double xi[A * S * S], want, loglik, rest = 0;
	int r, k, same = 1;
	long i;

	want = by_paths(with, w, xi);
	e->set(e, p);
	need(e->expect(e, true, &loglik, &err) < 0 ? NULL : e);
	ok(near(loglik, want, 1e-12),
	    "%s: the likelihood is the sum over all paths", what);
	for (r = 0; r < A * S; r++)
		for (k = 0; k < S; k++)
			rest += count_at(m, r / S, r % S, k) > 0 ?
			    0 :
			    xi[r * S + k];
	ok(rest > .1, "%s: some transitions have no entry", what);
	e->accept(e);
	need(e->store(e, got, 0, &err) < 0 ? NULL : got);
	for (r = 0; r < A * S; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			same &= near(count_at(got, r / S, r % S, m->to[i]),
			    xi[r * S + m->to[i]] + (D ? D[i] : 0), 1e-12);
	ok(same && got->first[A * S] == 7,
	    "%s: expected counts of the entries", what);
	next = updated(m, xi, D, p);
	want = by_paths(next, w, xi);
	e->set(e, p);
	need(e->expect(e, false, &loglik, &err) < 0 ? NULL : e);
	ok(near(loglik, want, 1e-12),
	    "%s: the likelihood after an update is the sum over all paths",
	    what);
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_model_free(with);
	cscg_model_free(got);
	cscg_model_free(next);
	cscg_walk_free(w);
}

/* The log prior that set() gives: sum (p + D) log T / p over all entries. */
static void
objective(void)
{
	static const double D[7] = { 1, 0, 2, 0, .5, 0, 1 };
	struct cscg_model *m = tiny(.3, NULL), *with = tiny(.3, D);
	struct cscg_walk *w = tiny_walk();
	struct cscg_estep *e = need(cscg_estep_sparse(m, w, D, &err));
	struct cscg_em em = { .iterations = 200 };
	struct cscg_em_progress last;
	double sum = 0;
	long i;
	int r, k;

	for (r = 0; r < A * S; r++)
		for (k = 0; k < S; k++)
			sum += log(cscg_model_T(with, r / S, r % S, k));
	for (r = 0; r < A * S; r++)
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			sum += D[i] / .3 *
			    log(cscg_model_T(with, r / S, r % S, m->to[i]));
	ok(near(e->set(e, .3), sum, 1e-12),
	    "the log prior equals the sum by hand");
	ok(cscg_em_T(e, w->n_steps, .3, &em, &last, &err) == 0 &&
		last.iteration == 200,
	    "200 updates never decrease the objective");
	cscg_estep_free(e);
	cscg_model_free(m);
	cscg_model_free(with);
	cscg_walk_free(w);
}

/* ---- frontiers ---- */

static void
frontiers(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 4);
	struct cscg_model *m, *copy, *merged;
	struct cscg_frontier f[] = { { 2, 1 }, { 0, 3 }, { 2, 1 }, { 2, 0 } };
	const int in[] = { 7, 0, 4 };
	int into[12], j;

	m = need(cscg_room_model(room, 100, 1e-4, NULL, &err));
	need(cscg_model_set_frontiers(m, f, 4, &err) < 0 ? NULL : m);
	ok(m->n_frontiers == 3 && m->frontier[0].a == 3 &&
		m->frontier[1].a == 0 && m->frontier[2].a == 1,
	    "frontiers are sorted, each once");
	need(cscg_model_set_entries(m, in, 3, &err) < 0 ? NULL : m);
	copy = need(cscg_model_copy(m, &err));
	cscg_model_unground(copy, CSCG_SCHEMA);
	ok(copy->n_entries == 3 && copy->entry[0] == 0 &&
		copy->entry[1] == 4 && copy->entry[2] == 7,
	    "entries are sorted");
	ok(copy->n_frontiers == 3 &&
		!memcmp(copy->frontier, m->frontier, 3 * sizeof *f),
	    "a copy and a schema keep frontiers");
	for (j = 0; j < 12; j++)
		into[j] = j ? j - 1 : -1;
	merged = need(cscg_model_merge_states(copy, into, 11, &err));
	ok(merged->n_frontiers == 2 && merged->frontier[0].state == 1 &&
		merged->frontier[1].state == 1,
	    "merging states maps frontiers");
	ok(merged->n_entries == 2 && merged->entry[0] == 3 &&
		merged->entry[1] == 6,
	    "merging states maps entries");
	cscg_model_free(merged);
	/* 2 * 4 walls above and below, 2 * 3 at the sides */
	need(cscg_frontier_boundary(copy, &err) < 0 ? NULL : copy);
	ok(copy->n_frontiers == 14 && copy->n_entries == 0 &&
		cscg_model_check(copy, &err) == 0,
	    "the boundary of 3 x 4 cells is 14 walls");
	cscg_model_free(copy);
	cscg_model_free(m);
	cscg_room_free(room);
	room = shape_room(CSCG_TORUS, 3, 4);
	m = need(cscg_room_model(room, 100, 1e-4, NULL, &err));
	need(cscg_room_add_frontier(room, 5, 2, &err) < 0 ? NULL : room);
	copy = need(cscg_room_model(room, 100, 1e-4, into, &err));
	ok(copy->n_frontiers == 1 && into[copy->frontier[0].state] == 5 &&
		copy->frontier[0].a == 2,
	    "an exact schema has the frontiers of the room");
	need(cscg_frontier_boundary(m, &err) < 0 ? NULL : m);
	ok(m->n_frontiers == 0, "a torus has no boundary");
	/* An action that never moves is no frontier. */
	for (j = 0; j < 4 * 12; j++)
		if (j < 12)
			m->to[m->first[j]] = j;
	need(cscg_frontier_boundary(m, &err) < 0 ? NULL : m);
	ok(m->n_frontiers == 0, "a model of self-transitions has no boundary");
	m->frontier = need(calloc(2, sizeof *m->frontier));
	m->n_frontiers = 2;
	ok(cscg_model_check(m, &err) < 0,
	    "frontiers out of order are refused: %s", err.msg);
	m->frontier[1].a = 4;
	ok(cscg_model_check(m, &err) < 0,
	    "a frontier action out of range is refused: %s", err.msg);
	m->n_frontiers = 0;
	m->entry = need(calloc(2, sizeof *m->entry));
	m->n_entries = 2;
	ok(cscg_model_check(m, &err) < 0,
	    "entries out of order are refused: %s", err.msg);
	m->entry[1] = 12;
	ok(cscg_model_check(m, &err) < 0,
	    "an entry out of range is refused: %s", err.msg);
	cscg_model_free(m);
	cscg_model_free(copy);
	cscg_room_free(room);
}

/* ---- transitions between blocks ---- */

/* The same by scanning: stored, or a row without counts. */
static bool
plain_stored(const struct cscg_model *p, int a, int j, int k)
{
	long row = (long)a * p->n_states + j;

	return p->first[row] == p->first[row + 1] || count_at(p, a, j, k) > 0;
}

/* From a frontier to an entry, which without a list is a state of a frontier. */
static bool
plain_link(const struct cscg_model *p, const int *base, int a, int j, int k)
{
	bool leaves = false, enters = false;
	int from = 0, to = 0;
	long i;

	for (i = 0; i < p->n_frontiers; i++) {
		leaves |= p->frontier[i].state == j && p->frontier[i].a == a;
		enters |= !p->n_entries && p->frontier[i].state == k;
	}
	for (i = 0; i < p->n_entries; i++)
		enters |= p->entry[i] == k;
	while (base[from + 1] <= j)
		from++;
	while (base[to + 1] <= k)
		to++;
	return leaves && enters && from != to;
}

static void
transitions(const struct cscg_model *const *all, int n, const char *name)
{
	struct cscg_model *p = need(cscg_stitch_prior(all, n, .25, NULL,
	    &err));
	bool implicit = cscg_stitch_is_implicit(all, n);
	int base[20], a, j, k, wrong = 0, links = 0;
	struct cscg_stitch_blocks blocks = { p, n, base, implicit };

	for (j = 0; j <= n; j++)
		base[j] = 2 * j;
	for (a = 0; a < p->n_actions; a++)
		for (j = 0; j < p->n_states; j++)
			for (k = 0; k < p->n_states; k++) {
				bool link = plain_link(p, base, a, j, k);

				links += link;
				wrong += cscg_stitch_is_link(&blocks, a, j,
					     k) != link;
				wrong += cscg_stitch_has_transition(&blocks, a,
					     j, k) !=
				    (plain_stored(p, a, j, k) ||
					(implicit && link));
			}
	ok(!wrong && links, "%s: %d links as by scanning", name, links);
	cscg_model_free(p);
}

static void
between_blocks(void)
{
	struct cscg_model *a = schema("go", "back", count_a, 4, gate_a, 1);
	struct cscg_model *b = schema("back", "go", count_b, 2, gate_b, 2);
	struct cscg_model *c = schema("back", "go", count_b, 2, gate_b, 2);
	const struct cscg_model *all[18];
	const int in[] = { 1 };
	int i;

	need(cscg_model_set_entries(c, in, 1, &err) < 0 ? NULL : c);
	for (i = 0; i < 18; i++)
		all[i] = i % 3 ? b : a;
	transitions(all, 3, "three blocks");
	for (i = 0; i < 18; i++)
		all[i] = b;
	transitions(all, 18, "links that are not stored");
	all[7] = all[9] = c;
	transitions(all, 18, "links to some entries");
	cscg_model_free(a);
	cscg_model_free(b);
	cscg_model_free(c);
}

/* ---- worlds ---- */

/* A 3 x 4 and a 4 x 3 room with two doors each, one of which joins them. */
struct place {
	struct cscg_room *part[2], *whole;
	struct cscg_model *schema[2];
	struct cscg_walk *w;
};

static void
place_new(struct place *p, long steps)
{
	static const double at[] = { 0, 0, 0, 5 };
	struct cscg_door door[] = { { 0, 7, CSCG_RIGHT, 1, 3 },
		{ 1, 3, CSCG_LEFT, 0, 7 } };
	struct walker how = { .n = steps, .seed = 3 };
	int k;

	p->part[0] = shape_room(CSCG_RECTANGLE, 3, 4);
	p->part[1] = shape_room(CSCG_RECTANGLE, 4, 3);
	cscg_room_add_frontier(p->part[0], 7, CSCG_RIGHT, &err);
	cscg_room_add_frontier(p->part[0], 4, CSCG_LEFT, &err);
	cscg_room_add_frontier(p->part[1], 3, CSCG_LEFT, &err);
	cscg_room_add_frontier(p->part[1], 10, CSCG_DOWN, &err);
	p->whole = need(
	    cscg_compose_join((const struct cscg_room *const *)p->part, 2, at,
		door, 2, CSCG_COMPOSE_BORDER, &err));
	for (k = 0; k < 2; k++)
		p->schema[k] = need(cscg_room_model(p->part[k], 100, 1e-4,
		    NULL, &err));
	p->w = walk_in(p->whole, &how);
}

static void
place_free(struct place *p)
{
	int k;

	for (k = 0; k < 2; k++) {
		cscg_room_free(p->part[k]);
		cscg_model_free(p->schema[k]);
	}
	cscg_room_free(p->whole);
	cscg_walk_free(p->w);
}

/* Does the model have the graph and the emissions of the room? */
static bool
is_room(const struct cscg_model *m, const struct cscg_room *room)
{
	struct cscg_graph *g = need(cscg_graph_of_model(m, .05, &err));
	struct cscg_graph *truth = need(cscg_graph_of_room(room, .05, &err));
	struct cscg_compare_result c;

	need(cscg_compare(g, truth, CSCG_COMPARE_SYMBOLS, NULL, NULL, 0, &c,
		 NULL, &err) < 0 ?
		NULL :
		g);
	cscg_graph_free(g);
	cscg_graph_free(truth);
	return c.isomorphic;
}

/*
 * Where every state is a node, it shows one symbol: its confidence follows from
 * its visits.  And a door is used as often as the walk changes the room.
 */
static void
counts(const struct cscg_stitch_result *s, const struct place *p,
    const char *name)
{
	const struct cscg_walk *w = p->w;
	long cross[2] = { 0 }, used[2] = { 0 }, t, i;
	int e, j, good = 1;
	double n;

	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e] + 1; t < w->start[e + 1]; t++)
			if (p->whole->part[w->z[t]] !=
			    p->whole->part[w->z[t - 1]])
				cross[p->whole->part[w->z[t - 1]]]++;
	for (i = 0; i < s->n_links; i++)
		used[s->link[i].arc.from >= s->base[1]] += s->link[i].n_visits;
	ok(cross[0] > 0 && cross[0] == used[0] && cross[1] == used[1],
	    "%s: %ld and %ld transitions through doors", name, used[0],
	    used[1]);
	for (j = 0; j < s->model->n_states; j++) {
		n = (double)s->n_visits[s->state_of[j]];
		good &= near(s->model->confidence[j],
		    (n + 1. / w->head.n_obs) / (n + 1), 1e-9);
	}
	ok(good, "%s: confidence increases with visits", name);
}

/* The same walk, in episodes of this many steps. */
static void
cut(struct place *p, long steps)
{
	struct cscg_walk *w = need(cscg_walk_new(&p->w->head, &err));
	struct cscg_step step;
	long t;

	for (t = 0; t < p->w->n_steps; t++) {
		cscg_walk_get_step(p->w, t, &step);
		if (t % steps == steps - 1)
			step.a = -1;
		need(cscg_walk_add(w, &step, &err) < 0 ? NULL : w);
	}
	cscg_walk_free(p->w);
	p->w = w;
}

static struct cscg_stitch
settings(void)
{
	struct cscg_stitch set = { .self_loop = .5,
		.prior_weight = 1,
		.bind = { .iterations = 60,
		    .tolerance = 1e-5,
		    .pseudocount = 1e-7 },
		.starts = { .restarts = 3,
		    .jitter = .01,
		    .seed = 42,
		    .threads = 1 },
		.iterations = 30,
		.tolerance = 1e-5,
		.pseudocount = 2e-3,
		.viterbi_rounds = 5 };

	return set;
}

static void
places(void)
{
	struct cscg_stitch set = settings();
	struct cscg_stitch_result s, again;
	struct cscg_stitch_totals sum;
	struct place p;

	place_new(&p, 1500);
	cscg_cpu_choose_simd("auto", &set.bind.simd, &err);
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 2, p.w,
		 &set, &s, &err) < 0 ?
		NULL :
		p.w);
	ok(is_room(s.model, p.whole) && cscg_model_check(s.model, &err) == 0,
	    "a world of two rooms is stitched exactly");
	ok(s.n_links == 2 && s.link[0].arc.from != s.link[1].arc.from &&
		s.link[0].arc.from == s.link[1].arc.to &&
		s.link[0].n_visits > 0,
	    "one door in both directions is found");
	sum = cscg_stitch_result_totals(&s, -1);
	ok(sum.used == 24 && sum.n_visits == 1500 && s.n_transitions == 1499 &&
		!sum.n_jumps && !sum.n_unlikely,
	    "all steps are explained");
	counts(&s, &p, "one episode");
	ok(s.model->n_frontiers == 0, "no frontier is left untried");
	ok(s.model->fit_steps == 1500 &&
		near(s.model->fit_nats * 1500, -s.loglik, 1e-12),
	    "the fit is that of the walk");
	set.starts.threads = 2;
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 2, p.w,
		 &set, &again, &err) < 0 ?
		NULL :
		p.w);
	ok(again.loglik == s.loglik && again.model->n_states == 24 &&
		!memcmp(again.model->e_p, s.model->e_p,
		    (size_t)s.model->e_first[24] * sizeof *s.model->e_p) &&
		!memcmp(again.model->to, s.model->to,
		    (size_t)s.model->first[4 * 24] * sizeof *s.model->to),
	    "two threads give the same model");
	cscg_stitch_result_free(&again);
	cscg_stitch_result_free(&s);
	cut(&p, 500);
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 2, p.w,
		 &set, &s, &err) < 0 ?
		NULL :
		p.w);
	ok(is_room(s.model, p.whole) && s.n_transitions == 1497,
	    "three episodes give the exact world");
	counts(&s, &p, "three episodes");
	cscg_stitch_result_free(&s);
	place_free(&p);
}

/* Steps in a missing piece are reported; a superfluous piece is not used. */
static void
wrong(void)
{
	struct cscg_stitch set = settings();
	const struct cscg_model *two[2], *three[3];
	struct cscg_stitch_result s;
	struct cscg_stitch_totals sum;
	struct place p;
	long true_steps = 0, t;

	place_new(&p, 1500);
	for (t = 0; t < p.w->n_steps; t++)
		true_steps += p.whole->part[p.w->z[t]] == 1;
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 1, p.w,
		 &set, &s, &err) < 0 ?
		NULL :
		p.w);
	sum = cscg_stitch_result_totals(&s, -1);
	ok(sum.n_unlikely + sum.n_jumps > true_steps / 3 && sum.used <= 12,
	    "a missing room: %ld steps are unexplained, %ld are in it",
	    sum.n_unlikely + sum.n_jumps, true_steps);
	cscg_stitch_result_free(&s);
	three[0] = three[2] = p.schema[0];
	three[1] = p.schema[1];
	need(cscg_stitch(three, 3, p.w, &set, &s, &err) < 0 ? NULL : p.w);
	sum = cscg_stitch_result_totals(&s, -1);
	ok(is_room(s.model, p.whole) && !sum.n_jumps && !sum.n_unlikely &&
		(cscg_stitch_result_totals(&s, 0).used == 0) +
			(cscg_stitch_result_totals(&s, 2).used == 0) ==
		    1,
	    "an additional schema is not used");
	cscg_stitch_result_free(&s);
	two[0] = p.schema[1];
	two[1] = p.schema[0];
	set.prior_weight = 0;
	set.bind.is_double = true;
	need(cscg_stitch(two, 2, p.w, &set, &s, &err) < 0 ? NULL : p.w);
	ok(is_room(s.model, p.whole),
	    "another order, prior weight 0 and plain loops in double "
	    "precision give the exact world");
	for (t = 0; t < s.model->first[4 * 24]; t++)
		if (s.model->count[t] != floor(s.model->count[t]))
			break;
	ok(t == s.model->first[4 * 24],
	    "with prior weight 0 counts are integers");
	cscg_stitch_result_free(&s);
	set.pseudocount = 0;
	need(cscg_stitch(two, 2, p.w, &set, &s, &err) < 0 ? NULL : p.w);
	ok(cscg_model_check(s.model, &err) == 0 && s.model->pseudocount == 0 &&
		isfinite(s.loglik),
	    "without a pseudocount the model is valid: %.1f nats", -s.loglik);
	cscg_stitch_result_free(&s);
	place_free(&p);
}

/* ---- a result counted again ---- */

/*
 * Counts of the walk along the true nodes, which are the states one to one: symbols,
 * transitions, and the prior in rows that are not frontiers.
 */
static bool
is_counted(const struct cscg_stitch_result *s, const struct place *p,
    double weight)
{
	enum { NODES = 24, ACTIONS = 4, MOST = 32 };
	double n[NODES][MOST] = { { 0 } },
	       T[ACTIONS][NODES][NODES] = { { { 0 } } };
	const struct cscg_walk *w = p->w;
	const struct cscg_model *m = s->model;
	int of[NODES], visits[NODES] = { 0 }, j, k, a, x, e,
		       right = m->n_states == NODES;
	struct cscg_work work = { 0 };
	int *path = need(calloc((size_t)w->n_steps, sizeof *path));
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	double logp, sum = 0;
	long t;

	need(cscg_viterbi_all(tr, w, &work, path, &logp, &err) < 0 ? NULL :
								     tr);
	for (j = 0; j < NODES; j++)
		of[j] = -1;
	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++) {
			j = path[t];
			right &= of[j] < 0 || of[j] == w->z[t];
			of[j] = w->z[t];
			visits[j]++;
			if (w->x[t] >= 0)
				n[j][w->x[t]]++;
			if (t > w->start[e] && !w->reset[t])
				T[w->a[t - 1]][path[t - 1]][j]++;
		}
	for (j = 0; j < NODES; j++) {
		int best = 0, seen = 0, block = s->state_of[j] >= s->base[1],
		    z = s->state_of[j] - s->base[block];

		for (x = 0; x < w->head.n_obs; x++) {
			best = n[j][x] > n[j][best] ? x : best;
			seen += (int)n[j][x];
		}
		sum += seen;
		right &= s->n_visits[s->state_of[j]] == visits[j];
		right &= near(m->confidence[j],
		    (n[j][best] + 1. / w->head.n_obs) / (seen + 1), 1e-9);
		for (a = 0; a < ACTIONS; a++) {
			const struct cscg_model *part = p->schema[block];
			int to = cscg_model_likely_successor(part, a, z), f;

			for (f = 0; f < part->n_frontiers; f++)
				if (part->frontier[f].state == z &&
				    part->frontier[f].a == a)
					to = INT_MIN;
			for (k = 0; k < NODES; k++)
				right &= near(count_at(m, a, j, k),
				    T[a][j][k] +
					(s->state_of[k] - s->base[block] ==
						    to ?
						weight :
						0),
				    1e-9);
		}
	}
	cscg_trans_free(tr);
	cscg_work_free(&work);
	free(path);
	return right && sum < (double)w->n_steps;
}

/*
 * Missing and wrong symbols, and resets: of each state the steps, wrong symbols and
 * transitions are those of the walk, plus the weight of the schema's transitions.
 */
static void
counted(void)
{
	struct cscg_stitch set = settings();
	struct walker how = { .n = 500,
		.episodes = 4,
		.seed = 5,
		.dropout = .05,
		.reset = .01 };
	struct cscg_stitch_result s;
	struct cscg_stitch_totals sum;
	struct place p;
	long t, n_wrong = 0, moves = 0;
	int e;

	place_new(&p, 1);
	cscg_walk_free(p.w);
	p.w = walk_in(p.whole, &how);
	for (t = 40; t < p.w->n_steps; t += 90)
		if (p.w->x[t] >= 0) {
			p.w->x[t] = (p.w->x[t] + 1) % p.w->head.n_obs;
			n_wrong++;
		}
	for (e = 0; e < p.w->n_episodes; e++)
		for (t = p.w->start[e] + 1; t < p.w->start[e + 1]; t++)
			moves += !p.w->reset[t];
	set.prior_weight = 2.5;
	set.bind.pseudocount = 1e-3;
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 2, p.w,
		 &set, &s, &err) < 0 ?
		NULL :
		p.w);
	sum = cscg_stitch_result_totals(&s, -1);
	ok(sum.n_unlikely == n_wrong && !sum.n_jumps && sum.used == 24 &&
		s.n_transitions == moves && sum.n_visits == p.w->n_steps,
	    "%ld wrong symbols are unlikely: %ld", n_wrong, sum.n_unlikely);
	ok(is_counted(&s, &p, 2.5),
	    "counts are those of the walk and the weighted schemas");
	cscg_stitch_result_free(&s);
	place_free(&p);
}

/*
 * Five rooms, each of whose walls may be a door: more than 32 connections for each
 * state, which are not stored.  The walk uses two of the rooms and one door.
 */
static void
many_doors(void)
{
	struct cscg_stitch set = settings();
	const struct cscg_model *five[5];
	struct cscg_stitch_result s;
	struct cscg_stitch_totals sum;
	struct place p;
	int k, used = 0;

	place_new(&p, 1500);
	for (k = 0; k < 2; k++)
		need(cscg_frontier_boundary(p.schema[k], &err) < 0 ? NULL :
								     p.w);
	for (k = 0; k < 5; k++)
		five[k] = p.schema[k % 2];
	need(cscg_stitch(five, 5, p.w, &set, &s, &err) < 0 ? NULL : p.w);
	sum = cscg_stitch_result_totals(&s, -1);
	for (k = 0; k < 5; k++)
		used += cscg_stitch_result_totals(&s, k).used > 0;
	ok(cscg_stitch_is_implicit(five, 5) && is_room(s.model, p.whole) &&
		!sum.n_jumps && !sum.n_unlikely && used == 2,
	    "connections that are not stored: %d states of %d rooms",
	    s.model->n_states, used);
	ok(s.n_links == 2 && s.link[0].n_visits + s.link[1].n_visits > 10 &&
		s.model->n_frontiers == 0,
	    "one door is found, every other wall was tried");
	cscg_stitch_result_free(&s);
	place_free(&p);
}

/* ---- rounds of resets ---- */

/* What was reported of the starts. */
struct said {
	long restart, rounds, last_round, same;
	double best;
	bool right;
	int ends;
};

/*
 * Rounds are numbered upwards, the objective never falls, and the end of a start
 * has the best one.  same: rounds in a row without a gain.
 */
static int
hear(void *ctx, const struct cscg_stitch_progress *line)
{
	struct said *s = ctx;

	if (!strcmp(line->stage, "reset")) {
		if (line->restart != s->restart)
			*s = (struct said){ .restart = line->restart,
				.best = -INFINITY,
				.right = s->right,
				.ends = s->ends };
		s->right &= line->iteration > s->last_round &&
		    line->objective >= s->best;
		s->same = line->objective == s->best ? s->same + 1 : 1;
		s->best = line->objective;
		s->last_round = line->iteration;
		s->rounds++;
	} else if (!strcmp(line->stage, "restart")) {
		s->ends++;
		if (line->restart == s->restart)
			s->right &= line->objective == s->best;
	}
	return 0;
}

static void
rounds(void)
{
	struct cscg_stitch set = settings();
	struct said s = { .restart = -1, .right = true };
	struct cscg_stitch_result got;
	struct place p;
	int right = 0, better = 0;

	place_new(&p, 1500);
	set.report = hear;
	set.ctx = &s;
	/* One schema for two rooms: its block stays ambiguous. */
	set.starts.restarts = 1;
	set.reset_rounds = 20;
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 1, p.w,
		 &set, &got, &err) < 0 ?
		NULL :
		p.w);
	cscg_stitch_result_free(&got);
	/* The first of the equal ones had a gain, or is the first of all. */
	ok(s.right && s.ends == 1 && s.rounds >= 3 &&
		(s.last_round == 20 || s.same == 3 + (s.rounds > 3)),
	    "a missing room: %ld rounds, the last %ld without a gain",
	    s.rounds, s.same);
	s = (struct said){ .restart = -1, .right = true };
	set.reset_rounds = 2;
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 1, p.w,
		 &set, &got, &err) < 0 ?
		NULL :
		p.w);
	cscg_stitch_result_free(&got);
	ok(s.right && s.rounds == 2 && s.last_round == 2,
	    "as many rounds as are allowed");
	/* Schemas of both rooms: a start without ambiguous blocks is enough. */
	s = (struct said){ .restart = -1, .right = true };
	set.starts.restarts = 8;
	set.reset_rounds = 20;
	need(cscg_stitch((const struct cscg_model *const *)p.schema, 2, p.w,
		 &set, &got, &err) < 0 ?
		NULL :
		p.w);
	ok(s.right && is_room(got.model, p.whole) && s.ends < 8,
	    "the first start that is clear is the last (%d of 8)", s.ends);
	cscg_stitch_result_free(&got);
	place_free(&p);
	/*
	 * In a short walk EM leaves a block ambiguous.  A round without
	 * ambiguous blocks is the last, though it is not the third without a gain.
	 */
	place_new(&p, 150);
	set.starts.restarts = 1;
	for (set.starts.seed = 0; set.starts.seed < 8; set.starts.seed++) {
		struct cscg_stitch_totals sum;

		s = (struct said){ .restart = -1, .right = true };
		need(cscg_stitch((const struct cscg_model *const *)p.schema, 2,
			 p.w, &set, &got, &err) < 0 ?
			NULL :
			p.w);
		sum = cscg_stitch_result_totals(&got, -1);
		right += s.right && !sum.n_jumps && !sum.n_unlikely;
		better += s.rounds > 0 && s.same < 3;
		cscg_stitch_result_free(&got);
	}
	ok(right == 8 && better == 8, "150 steps: a round makes %d of 8 clear",
	    better);
	place_free(&p);
}

/* The frontiers of states on the path whose action was never taken there. */
static bool
frontiers_right(const struct cscg_stitch_result *s,
    const struct cscg_model *const *block)
{
	const struct cscg_model *m = s->model;
	int j, k;
	long i, n = 0;

	for (j = 0; j < m->n_states; j++) {
		for (k = 0; s->state_of[j] >= s->base[k + 1]; k++)
			;
		for (i = 0; i < block[k]->n_frontiers; i++) {
			const struct cscg_frontier *f = &block[k]->frontier[i];

			if (s->base[k] + f->state != s->state_of[j] ||
			    cscg_model_row_sum(m, f->a, j) > 0)
				continue;
			if (n >= m->n_frontiers || m->frontier[n].state != j ||
			    m->frontier[n].a != f->a)
				return false;
			n++;
		}
	}
	return n == m->n_frontiers;
}

static int
count_rounds(void *ctx, const struct cscg_stitch_progress *line)
{
	long *n = ctx;

	n[0] += !strcmp(line->stage, "reset");
	n[1] += !strcmp(line->stage, "restart");
	n[2] += !strcmp(line->stage, "bind");
	if (!strcmp(line->stage, "viterbi"))
		n[3] = line->iteration + 1;
	/* The stages after the starts are those of one model. */
	n[4] += line->restart > 1 ||
	    (line->restart &&
		(!strcmp(line->stage, "em") || !strcmp(line->stage, "learn") ||
		    !strcmp(line->stage, "viterbi") ||
		    !strcmp(line->stage, "final")));
	return 0;
}

/*
 * Short walks with resets, missing and wrong symbols, where rounds decide: their number
 * and the likelihood are those of version 2.0.0: a seed has the same result in later versions.
 */
static void
kept_rounds(void)
{
	static const struct {
		struct walker how;
		int n_blocks;
		long want[3]; /* rounds, starts, iterations */
		double nats;
	} row[] = {
		{ { .n = 150 }, 2, { 26, 8, 296 }, 42.0424017145 },
		{ { .n = 250, .episodes = 2 }, 2, { 26, 8, 348 },
		    163.097451636 },
		{ { .n = 300, .reset = .05, .dropout = .1 }, 2, { 24, 8, 296 },
		    272.21005419 },
		{ { .n = 200 }, 3, { 26, 8, 380 }, 60.5325509003 },
	};
	struct cscg_stitch set = settings();
	size_t k;

	set.starts.restarts = 2;
	set.reset_rounds = 8;
	set.viterbi_rounds = 1;
	set.bind.is_double = true;
	set.report = count_rounds;
	for (k = 0; k < sizeof row / sizeof *row; k++) {
		long n[5] = { 0 }, t;
		double nats = 0;
		int seed, wrong = 0;

		set.ctx = n;
		for (seed = 1; seed <= 4; seed++) {
			struct walker how = row[k].how;
			const struct cscg_model *block[3];
			struct cscg_stitch_result s;
			struct place p;

			place_new(&p, 1);
			cscg_walk_free(p.w);
			how.seed = (uint64_t)seed;
			p.w = walk_in(p.whole, &how);
			for (t = 40; t < p.w->n_steps; t += 60)
				p.w->x[t] = (int)t % p.w->head.n_obs;
			for (t = 0; t < 3; t++)
				block[t] = p.schema[t % 2];
			need(cscg_stitch(block, row[k].n_blocks, p.w, &set, &s,
				 &err) < 0 ?
				NULL :
				p.w);
			nats -= s.loglik;
			wrong += n[3] != 1 || n[4] ||
			    !frontiers_right(&s, block);
			cscg_stitch_result_free(&s);
			wrong += s.n_blocks || s.base || s.model || s.link;
			place_free(&p);
		}
		if (!ok(!wrong &&
			    !memcmp(n, row[k].want, sizeof row[k].want) &&
			    near(nats, row[k].nats, 1e-8),
			"walk %zu: %ld rounds of %ld starts as in version "
			"2.0.0",
			k, n[0], n[1]))
			printf("# { %ld, %ld, %ld }, %.12g\n", n[0], n[1],
			    n[2], nats);
	}
}

static void
no_steps(void)
{
	struct cscg_stitch set = settings();
	struct cscg_walk_header head = { .n_actions = 4, .n_obs = 2 };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	struct cscg_stitch_result s;
	struct place p;

	place_new(&p, 10);
	ok(cscg_stitch((const struct cscg_model *const *)p.schema, 2, w, &set,
	       &s, &err) < 0 &&
		err.code == CSCG_ERANGE,
	    "a walk without steps is refused: %s", err.msg);
	cscg_stitch_result_free(&s);
	cscg_walk_free(w);
	place_free(&p);
}

/* ---- the report ---- */

static char path[] = "/tmp/cscg-stitch.XXXXXX";

static const char *
report(const struct cscg_stitch_result *s, bool json)
{
	static const char *const words[] = { "hall", "room", NULL };
	struct cscg_names names = { 0 };
	struct cscg_out *out = need(cscg_out_open(path, 0, &err));

	need(cscg_names_set(&names, words, &err) < 0 ||
		    cscg_stitch_result_write(s, &names, json, out, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		out);
	cscg_names_free(&names);
	return file_text(path);
}

/*
 * Blocks of two and of three states, of which states 0, 2 and 4 were used, in a
 * walk of ten steps and two nats.
 */
static void
reports(void)
{
	static const char *const go[] = { "go", "back", NULL };
	int base[] = { 0, 2, 5 }, state_of[] = { 0, 2, 4 };
	long visits[] = { 5, 0, 2, 0, 3 }, jumps[] = { 1, 0, 0, 0, 2 },
	     unlikely[] = { 0, 0, 1, 0, 0 };
	struct cscg_stitch_link link[] = { { { 1, 0, 4 }, 3 },
		{ { 0, 4, 0 }, 2 } };
	struct cscg_stitch_result s = { .n_blocks = 2,
		.n_states = 5,
		.base = base,
		.state_of = state_of,
		.n_steps = 10,
		.n_transitions = 9,
		.n_visits = visits,
		.n_jumps = jumps,
		.n_unlikely = unlikely,
		.link = link,
		.n_links = 2,
		.loglik = -2 };
	int fd = mkstemp(path);

	need(fd < 0 || close(fd) < 0 ? NULL : path);
	s.model = need(cscg_model_new(CSCG_GROUNDED, 3, 2, 2, &err));
	same_text(report(&s, false),
	    "#key\tvalue\nsteps\t10\nmoves\t9\nblocks\t2\nstates\t5\nused\t3\n"
	    "connections\t2\njumps\t3\nunlikely\t1\nnats_per_step\t0.2\n\n"
	    "#block\tschema\tstates\tused\tsteps\tshare\tjumps\tunlikely\n"
	    "0\thall\t2\t1\t5\t0.5\t1\t0\n1\troom\t3\t2\t5\t0.5\t2\t1\n\n"
	    "#from_block\tfrom_state\taction\tto_block\tto_state\tsteps\n"
	    "0\t0\t1\t1\t2\t3\n1\t2\t0\t0\t0\t2\n\n"
	    "#state\tblock\tschema_state\tsteps\tjumps\tunlikely\n"
	    "0\t0\t0\t5\t1\t0\n1\t1\t0\t2\t0\t1\n2\t1\t2\t3\t2\t0\n",
	    "a report");
	need(cscg_names_set(&s.model->actions, go, &err) < 0 ? NULL : &s);
	ok(strstr(report(&s, false), "\n0\t0\tback\t1\t2\t3\n") != NULL,
	    "actions by name");
	ok(!strncmp(report(&s, true), "{\"steps\":10,\"moves\":9,", 22) &&
		strstr(file_text(path),
		    "0.2}\n{\"block\":0,\"schema\":\"hall\",\"states\":2,") &&
		strstr(file_text(path),
		    "\n{\"from_block\":0,\"from_state\":0,\"action\":\"back\","
		    "\"to_block\":1,\"to_state\":2,\"steps\":3}\n"),
	    "as JSON");
	cscg_model_free(s.model);
	unlink(path);
}

/* Frontiers with their own successors, then entries; rooms alike. */
static void
frontier_tables(void)
{
	struct cscg_model *b = schema("back", "go", count_b, 2, gate_b, 2);
	static const int obs[] = { 0, 1 }, next[] = { 1, 1 };
	struct cscg_room *room = hand_room(2, 1, 2, obs, next);
	struct cscg_out *out = need(cscg_out_open(path, 0, &err));
	const int in[] = { 1 };

	need(cscg_model_set_entries(b, in, 1, &err) < 0 ||
		    cscg_frontier_write_model(b, false, out, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		b);
	/* Action back of state 0 and action go of state 1 have no counts. */
	same_text(file_text(path),
	    "#state\taction\tto\n0\tback\t-\n1\tgo\t-\n1\t-\t-\n",
	    "frontiers of a schema");
	out = need(cscg_out_open(path, 0, &err));
	need(cscg_room_add_frontier(room, 0, 0, &err) < 0 ||
		    cscg_frontier_write_room(room, true, out, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		b);
	same_text(file_text(path), "{\"node\":0,\"action\":\"0\",\"to\":1}\n",
	    "of a room");
	unlink(path);
	cscg_model_free(b);
	cscg_room_free(room);
}

/*
 * Coordinates of the prior: blocks stand side by side, two columns from one to
 * the next, and keep their rows.
 */
static void
coordinates(void)
{
	static const double at_a[] = { 3, 5, 4, 7 }, at_b[] = { 1, 9, 2, 8 },
			    want[] = { 3, 0, 4, 2, 1, 5, 2, 4 };
	struct cscg_model *a = schema("go", "back", count_a, 4, gate_a, 1);
	struct cscg_model *b = schema("back", "go", count_b, 2, gate_b, 2);
	const struct cscg_model *two[] = { a, b };
	struct cscg_model *p;

	a->coords = need(malloc(sizeof at_a));
	memcpy(a->coords, at_a, sizeof at_a);
	p = need(cscg_stitch_prior(two, 2, .25, NULL, &err));
	ok(!p->coords, "a schema without coordinates");
	cscg_model_free(p);
	b->coords = need(malloc(sizeof at_b));
	memcpy(b->coords, at_b, sizeof at_b);
	p = need(cscg_stitch_prior(two, 2, .25, NULL, &err));
	ok(p->coords && !memcmp(p->coords, want, sizeof want),
	    "blocks stand side by side");
	cscg_model_free(p);
	cscg_model_free(a);
	cscg_model_free(b);
}

int
main(void)
{
	static const double D[7] = { 1, 0, 2, 0, .5, 0, 1 };

	prior();
	prior_entries();
	prior_loose();
	prior_actions();
	between_blocks();
	against_paths(.1, NULL, "p = 0.1");
	against_paths(.02, D, "with extra counts");
	objective();
	frontiers();
	places();
	wrong();
	counted();
	many_doors();
	rounds();
	kept_rounds();
	reports();
	frontier_tables();
	coordinates();
	no_steps();
	return done();
}
