/*
 * plan - the likeliest path to a goal, against enumeration of all plans and
 * against BFS
 */
#include <stdbool.h>
#include <string.h>

#include "brute/plans.h"
#include "kernel/plan_graph.h"
#include "plan/plan.h"
#include "tap.h"
#include "walker.h"

enum { S_MAX = 4, A_MAX = 2 };

/* ---- random small models ---- */

struct world {
	struct cscg_model *m;
	double T[A_MAX * S_MAX * S_MAX]; /* shares, smoothed */
	double start[S_MAX], goal[S_MAX];
	struct brute_world brute;
};

/*
 * Integer counts from 1 to 4 in about half of the entries; some rows have none.
 */
static void
random_counts(struct cscg_model *m, struct cscg_rng *rng)
{
	struct cscg_count c[A_MAX * S_MAX * S_MAX];
	int a, j, k;
	long n = 0;

	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < m->n_states; j++) {
			if (cscg_rng_below(rng, 6) == 0)
				continue;
			for (k = 0; k < m->n_states; k++)
				if (cscg_rng_below(rng, 2))
					c[n++] = (struct cscg_count){
						a,
						j,
						k,
						1 +
						    (double)cscg_rng_below(rng,
							4),
					};
		}
	need(cscg_model_set_counts(m, c, n, &err) < 0 ? NULL : m);
}

/* T by the definition. */
static void
plain_T(struct world *w, double lambda)
{
	const struct cscg_model *m = w->m;
	int S = m->n_states, a, j, k;
	double most = 0, sum, *row;
	long i;

	memset(w->T, 0, sizeof w->T);
	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < S; j++) {
			row = w->T + (a * S + j) * S;
			sum = 0;
			for (i = m->first[a * S + j];
			     i < m->first[a * S + j + 1]; i++)
				row[m->to[i]] = m->count[i];
			for (k = 0; k < S; k++)
				sum += row[k];
			for (k = 0; k < S && sum > 0; k++) {
				row[k] /= sum;
				most = fmax(most, row[k]);
			}
		}
	for (a = 0; a < m->n_actions; a++)
		for (j = 0; j < S; j++) {
			row = w->T + (a * S + j) * S;
			for (sum = 0, k = 0; k < S; k++)
				sum += row[k];
			if (sum <= 0)
				continue;
			row[j] += lambda * most;
			for (k = 0; k < S; k++)
				row[k] /= 1 + lambda * most;
		}
}

static void
random_world(struct world *w, double lambda, struct cscg_rng *rng)
{
	int S = 2 + (int)cscg_rng_below(rng, S_MAX - 1), j;
	bool soft = cscg_rng_below(rng, 2), spread = cscg_rng_below(rng, 2);

	w->m = need(cscg_model_new(CSCG_SCHEMA, S,
	    1 + (int)cscg_rng_below(rng, A_MAX), 1, &err));
	w->m->pseudocount = 2e-3;
	random_counts(w->m, rng);
	plain_T(w, lambda);
	memset(w->start, 0, sizeof w->start);
	memset(w->goal, 0, sizeof w->goal);
	w->start[cscg_rng_below(rng, S)] = 1;
	for (j = 0; j < S; j++) {
		if (spread)
			w->start[j] = cscg_rng_uniform(rng);
		w->goal[j] = soft ? cscg_rng_uniform(rng) :
				    cscg_rng_below(rng, 3) == 0;
	}
	w->brute = (struct brute_world){ S, w->m->n_actions, w->T, w->start,
		w->goal };
}

/*
 * Is the plan consistent: a path in T whose product is its success probability,
 * and no other path under its actions is likelier?
 */
static bool
honest(const struct world *w, const struct cscg_plan *plan)
{
	int S = w->m->n_states;
	double p = w->start[plan->z[0]];
	bool right = plan->p[0] == p;
	long t;

	for (t = 0; t < plan->n; t++) {
		p *= w->T[(plan->a[t] * S + plan->z[t]) * S + plan->z[t + 1]];
		right &= near(plan->p[t + 1], p, 1e-12);
	}
	p *= w->goal[plan->z[plan->n]];
	return right && p > 0 && near(plan->success, p, 1e-12) &&
	    near(p, brute_success(&w->brute, plan->a, (int)plan->n), 1e-12);
}

/* One model, one goal: is the plan that of the enumeration? */
static bool
agrees(const struct world *w, double confidence, bool best, long limit,
    uint64_t seed)
{
	struct cscg_plan_graph *map = need(cscg_plan_graph_new(w->m, 0, &err));
	struct cscg_plan_query ask = { .start = w->start,
		.goal = w->goal,
		.confidence = confidence,
		.best = best,
		.max_steps = limit,
		.seed = seed };
	double top = 0, one[S_MAX + 2], got;
	double least = confidence * (1 - 1e-12); /* but for rounding */
	struct cscg_plan plan;
	int n, want = -1, rc;
	bool right;

	/*
	 * A likeliest path visits no state twice: it has at most n_states - 1
	 * transitions.
	 */
	for (n = 0; n < w->m->n_states && (limit < 0 || n <= limit); n++) {
		one[n] = brute_plan(&w->brute, n);
		if (one[n] > top * (1 + 1e-12)) {
			top = one[n];
			if (best || want < 0 || one[want] < least)
				want = n;
		}
	}
	if (!best && want >= 0 && one[want] < least)
		want = -1;
	rc = cscg_plan(map, &ask, &plan, &got, &err);
	right = rc == (want >= 0);
	if (rc == 1)
		right &= plan.n == want &&
		    near(plan.success, one[want], 1e-12) && honest(w, &plan) &&
		    near(got, plan.success, 1e-12);
	else
		right &= near(got, top, 1e-12);
	cscg_plan_free(&plan);
	cscg_plan_graph_free(map);
	return right;
}

static void
test_brute(void)
{
	static const double confidence[] = { 0, .1, .3, .5, .9, 1 };
	struct cscg_rng rng;
	struct world w;
	int i, c, bad = 0, bad_best = 0, bad_limit = 0;

	for (i = 0; i < 500; i++) {
		cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, (uint64_t)i, 0);
		random_world(&w, 0, &rng);
		for (c = 0; c < 6; c++)
			bad += !agrees(&w, confidence[c], false, -1,
			    (uint64_t)i);
		bad_best += !agrees(&w, 0, true, -1, (uint64_t)i);
		bad_limit += !agrees(&w, .2, false, 1, (uint64_t)i);
		cscg_model_free(w.m);
	}
	ok(!bad,
	    "500 models, six thresholds: length and probability equal those "
	    "of enumeration");
	ok(!bad_best,
	    "the most probable plan of any length equals that of enumeration");
	ok(!bad_limit,
	    "plans of at most one action equal those of enumeration");
}

/* ---- smoothing ---- */

static void
test_smooth(void)
{
	static const double lambda[] = { .01, .2, 1, 3 };
	struct cscg_rng rng;
	struct world w;
	int i, l, a, j, k, rows = 0;
	double worst = 0, worst_T = 0, most, T, p;
	bool nowhere = true;
	long e;

	for (i = 0; i < 200; i++) {
		struct cscg_model *smooth;
		struct cscg_plan_graph *map;
		int S;

		l = i % 4;
		cscg_rng_seed(&rng, 2, CSCG_RNG_TEST, (uint64_t)i, 0);
		random_world(&w, lambda[l], &rng);
		S = w.m->n_states;
		map = need(cscg_plan_graph_new(w.m, lambda[l], &err));
		smooth = need(cscg_plan_smooth(w.m, lambda[l], &err));
		for (most = 0, e = 0; e < (long)w.m->n_actions * S * S; e++) {
			T = cscg_model_T(w.m, (int)(e / S / S),
			    (int)(e / S % S), (int)(e % S));
			most = fmax(most, T);
		}
		for (a = 0; a < w.m->n_actions; a++)
			for (j = 0; j < S; j++) {
				e = map->first[a * S + j];
				if (w.m->first[a * S + j] ==
				    w.m->first[a * S + j + 1])
					nowhere &= e ==
					    map->first[a * S + j + 1];
				rows++;
				for (k = 0; k < S; k++) {
					p = 0;
					if (e < map->first[a * S + j + 1] &&
					    map->to[e] == k)
						p = map->p[e++];
					worst = fmax(worst,
					    fabs(p -
						w.T[(a * S + j) * S + k]));
					T = (cscg_model_T(w.m, a, j, k) +
						(j == k) * lambda[l] * most) /
					    (1 + lambda[l] * most);
					worst_T = fmax(worst_T,
					    fabs(T -
						cscg_model_T(smooth, a, j,
						    k)));
				}
			}
		cscg_model_free(smooth);
		cscg_plan_graph_free(map);
		cscg_model_free(w.m);
	}
	ok(worst < 1e-15,
	    "%d rows of plan graphs are shares and the diagonal (%g)", rows,
	    worst);
	ok(nowhere, "rows without counts have no transitions");
	ok(worst_T < 1e-12, "smoothed models have the T of the paper (%g)",
	    worst_T);
}

/* Edges by target are the edges by source, in the same order. */
static void
test_in_edges(void)
{
	struct cscg_rng rng;
	struct world w;
	int i, k, bad = 0;
	long r, e, at, rows;

	for (i = 0; i < 100; i++) {
		struct cscg_plan_graph *g;

		cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, (uint64_t)i, 0);
		random_world(&w, 0, &rng);
		g = need(cscg_plan_graph_new(w.m, i % 2 * .5, &err));
		rows = (long)g->n_actions * g->n_states;
		for (k = 0, at = 0; k < g->n_states; k++) {
			bad += g->in_first[k] != at;
			for (r = 0; r < rows; r++)
				for (e = g->first[r]; e < g->first[r + 1];
				     e++) {
					if (g->to[e] != k)
						continue;
					bad += g->in_from[at] !=
						r % g->n_states ||
					    g->in_edge[at] != e;
					at++;
				}
		}
		bad += g->in_first[k] != at || at != g->first[rows];
		cscg_plan_graph_free(g);
		cscg_model_free(w.m);
	}
	ok(!bad, "edges by target");
}

/* ---- rooms ---- */

/* Distance from every node to `to`, -1: unreachable; by backward search. */
static void
distances(const struct cscg_room *room, int to, int *d)
{
	int v, a, changed = 1, round;

	for (v = 0; v < room->n_nodes; v++)
		d[v] = v == to ? 0 : -1;
	for (round = 0; changed; round++) {
		changed = 0;
		for (v = 0; v < room->n_nodes; v++)
			for (a = 0; a < room->n_actions && d[v] < 0; a++)
				if (d[room->to[room->first[a * room->n_nodes +
					v]]] == round) {
					d[v] = round + 1;
					changed = 1;
				}
	}
}

/* Plans between all pairs of nodes; returns how many are wrong. */
static int
wrong_plans(const struct cscg_room *room, double pseudocount, int *none)
{
	int n = room->n_nodes, from, to, bad = 0, rc;
	int *node_of = need(calloc((size_t)n, sizeof *node_of));
	int *d = need(calloc((size_t)n, sizeof *d));
	double *goal = need(calloc((size_t)n, sizeof *goal));
	struct cscg_model *m = need(cscg_room_model(room, 100, pseudocount,
	    node_of, &err));
	struct cscg_plan_graph *map = need(cscg_plan_graph_new(m, 0, &err));
	struct cscg_plan plan;
	double best;
	long t;
	int v;

	*none = 0;
	for (to = 0; to < n; to++) {
		distances(room, node_of[to], d);
		goal[to] = 1;
		for (from = 0; from < n; from++) {
			struct cscg_plan_query ask = { .from = from,
				.goal = goal,
				.confidence = .5,
				.max_steps = -1,
				.seed = (uint64_t)from };

			rc = cscg_plan(map, &ask, &plan, &best, &err);
			*none += rc == 0;
			if (rc == 0) {
				bad += d[node_of[from]] >= 0 || best != 0;
				continue;
			}
			bad += plan.n != d[node_of[from]] || plan.success != 1;
			for (v = node_of[from], t = 0; t < plan.n; t++)
				v = room->to[room->first[plan.a[t] * n + v]];
			bad += v != node_of[to];
			cscg_plan_free(&plan);
		}
		goal[to] = 0;
	}
	cscg_plan_graph_free(map);
	cscg_model_free(m);
	free(goal);
	free(d);
	free(node_of);
	return bad;
}

static void
test_rooms(void)
{
	static const char *const names[] = {
		"rectangle",
		"hole",
		"ushape",
		"cylinder",
		"torus",
	};
	struct cscg_room *room;
	struct cscg_grid *g;
	int kind, none, bad, i;

	for (kind = CSCG_RECTANGLE; kind <= CSCG_TORUS; kind++) {
		room = shape_room(kind, 9, 9);
		bad = wrong_plans(room, 1e-4, &none);
		ok(!bad && !none,
		    "%s: all pairs of %d nodes at their distance", names[kind],
		    room->n_nodes);
		cscg_room_free(room);
	}
	room = shape_room(CSCG_RECTANGLE, 5, 6);
	bad = wrong_plans(room, 100, &none);
	ok(!bad && !none, "a large pseudocount adds no transitions");
	cscg_room_free(room);

	/*
	 * Two halves; transitions lead from the left one to the right one only.
	 */
	g = need(cscg_grid_new(5, 6, true, &err));
	for (i = 0; i < 5; i++)
		g->blocked[i * 6 + 3] |= 1 << CSCG_LEFT;
	room = need(cscg_grid_to_room(g, false, &err));
	bad = wrong_plans(room, 1e-4, &none);
	ok(!bad && none == 15 * 15,
	    "a one-way drop: %d pairs without a path, those from right to "
	    "left",
	    none);
	cscg_room_free(room);

	/* One-way rings around a grid: paths in the two directions differ. */
	for (i = 0; i < 30; i++)
		g->blocked[i] = (unsigned char)((i / 6 % 2 ? 1 << CSCG_LEFT :
							     1 << CSCG_RIGHT) |
		    (i % 2 ? 1 << CSCG_UP : 1 << CSCG_DOWN));
	room = need(cscg_grid_to_room(g, false, &err));
	bad = wrong_plans(room, 1e-4, &none);
	ok(!bad, "one-way transitions (%d pairs without a path)", none);
	cscg_room_free(room);
	cscg_grid_free(g);
}

/* ---- ties and ends ---- */

static void
test_ties(void)
{
	/* From 0 to 3 through 1 or 2, each by its own action. */
	static const int obs[] = { 0, 1, 2, 3 };
	static const int next[] = { 1, 3, 3, 3, 2, 3, 3, 3 };
	struct cscg_room *room = hand_room(4, 2, 4, obs, next);
	struct cscg_model *m = need(cscg_room_model(room, 1, 0, NULL, &err));
	struct cscg_plan_graph *map = need(cscg_plan_graph_new(m, 0, &err));
	double goal[4] = { 0, 0, 0, 1 }, none[4] = { 0 }, best = -1;
	struct cscg_plan_query ask = {
		.goal = goal, .confidence = 1, .max_steps = -1
	};
	struct cscg_plan plan, again;
	int by[3] = { 0, 0, 0 }, moves[2] = { 0, 0 }, seed, same = 0;

	for (seed = 0; seed < 1000; seed++) {
		ask.seed = (uint64_t)seed;
		need(cscg_plan(map, &ask, &plan, NULL, &err) != 1 ? NULL :
								    map);
		need(cscg_plan(map, &ask, &again, NULL, &err) != 1 ? NULL :
								     map);
		same += plan.n == 2 &&
		    !memcmp(plan.a, again.a, 2 * sizeof *plan.a);
		by[plan.z[1]]++;
		moves[plan.a[1]]++;
		cscg_plan_free(&plan);
		cscg_plan_free(&again);
	}
	ok(same == 1000, "a seed fixes the plan");
	/* 500 expected, standard deviation 16: seven of them. */
	ok(by[1] + by[2] == 1000 && abs(by[1] - 500) < 112,
	    "equal paths are chosen equally often (%d, %d)", by[1], by[2]);
	ok(abs(moves[0] - 500) < 112,
	    "equal actions are chosen equally often (%d, %d)", moves[0],
	    moves[1]);

	ask.from = 3;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 1 && plan.n == 0 &&
		plan.z[0] == 3 && plan.success == 1 && best == 1,
	    "at the goal the plan is empty");
	cscg_plan_free(&plan);
	ask.from = 0;
	ask.max_steps = 1;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 0 && best == 0,
	    "a plan longer than the limit is not returned");
	ask.max_steps = -1;
	ask.goal = none;
	ask.confidence = 0;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 0 && best == 0,
	    "without a goal there is no plan, with any confidence");
	ok(cscg_plan_graph_next(map, 0, 0) == 1 &&
		cscg_plan_graph_next(map, 1, 0) == 2,
	    "most probable successors of actions");
	cscg_plan_graph_free(map);
	cscg_model_free(m);
	cscg_room_free(room);
}

/*
 * Slips: from a to c by one action of probability .6, or through b by two of .9
 * each (.81).
 */
static void
test_weighing(void)
{
	static const struct cscg_count c[] = {
		{ 0, 0, 2, 6 },
		{ 0, 0, 0, 4 },
		{ 1, 0, 1, 9 },
		{ 1, 0, 0, 1 },
		{ 0, 1, 2, 9 },
		{ 0, 1, 1, 1 },
	};
	struct cscg_model *m = need(cscg_model_new(CSCG_SCHEMA, 3, 2, 1,
	    &err));
	double goal[3] = { 0, 0, 1 }, best;
	struct cscg_plan_query ask = { .goal = goal, .max_steps = -1 };
	struct cscg_plan plan;
	struct cscg_plan_graph *map;

	need(cscg_model_set_counts(m, c, 6, &err) < 0 ? NULL : m);
	map = need(cscg_plan_graph_new(m, 0, &err));
	ok(cscg_plan_graph_next(map, 0, 0) == 2 &&
		cscg_plan_graph_next(map, 1, 0) == 1 &&
		cscg_plan_graph_next(map, 0, 1) == 2 &&
		cscg_plan_graph_next(map, 1, 1) == -1,
	    "an action leads to its likeliest state, or nowhere");
	ask.confidence = .5;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 1 && plan.n == 1 &&
		near(plan.success, .6, 1e-15),
	    "the short path reaches the confidence");
	cscg_plan_free(&plan);
	ask.confidence = .7;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 1 && plan.n == 2 &&
		near(plan.success, .81, 1e-15) && plan.a[0] == 1 &&
		plan.a[1] == 0,
	    "a higher confidence needs the longer path");
	cscg_plan_free(&plan);
	ask.confidence = .9;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 0 &&
		near(best, .81, 1e-15),
	    "too high a confidence: the largest probability is reported");
	ask.best = true;
	ok(cscg_plan(map, &ask, &plan, &best, &err) == 1 && plan.n == 2,
	    "best returns the most probable plan, with any confidence");
	cscg_plan_free(&plan);
	cscg_plan_graph_free(map);
	cscg_model_free(m);
}

int
main(void)
{
	test_brute();
	test_smooth();
	test_in_edges();
	test_rooms();
	test_ties();
	test_weighing();
	return done();
}
