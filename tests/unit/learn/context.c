/*
 * context.c - states from contexts: rounds worked out by hand, the test for
 * noise, and rooms with slips learned exactly
 */
#include <math.h>
#include <string.h>

#include "learn/context.h"
#include "learn/learn.h"
#include "kernel/cpu.h"
#include "kernel/passes.h"
#include "tap.h"
#include "walker.h"

/* A walk of n steps whose symbols repeat a pattern, all by action 0. */
static struct cscg_walk *
periodic(const int *pattern, int period, int n_obs, int n)
{
	int *x = need(calloc((size_t)n, sizeof *x));
	int *a = need(calloc((size_t)n, sizeof *a)), t;
	struct cscg_walk *w;

	for (t = 0; t < n; t++)
		x[t] = pattern[t % period];
	w = hand_walk(1, n_obs, n, x, a);
	free(x);
	free(a);
	return w;
}

/* True if the states of f are the phases of the period, one to one. */
static int
is_phase(const struct cscg_merge *f, const struct cscg_walk *w, int period)
{
	int phase[16];
	long t;

	memset(phase, -1, sizeof phase);
	for (t = period; t + 1 < w->n_steps; t++) {
		int *p = &phase[f->state[t]];

		if (*p >= 0 && *p != t % period)
			return 0;
		*p = (int)(t % period);
	}
	return f->n_states == period;
}

/*
 * 0 0 1 0 0 1 ...: the second 0 follows a 0 and precedes a 1, so its context
 * has other successors than that of the first.
 */
static void
splits(void)
{
	static const int three[] = { 0, 0, 1 };
	struct cscg_walk *w = periodic(three, 3, 2, 300);
	struct cscg_merge *f = need(cscg_context_symbols(w, &err));

	ok(f->n_states == 2 && f->symbol[0] == 0 && f->symbol[1] == 1,
	    "before the first round each symbol is a state");
	ok(cscg_context_round(w, f, &err) == 0 && is_phase(f, w, 3),
	    "a round splits a symbol by its predecessor");
	ok(f->symbol[0] == 0 && f->symbol[1] == 0 && f->symbol[2] == 1,
	    "states are sorted by symbol");
	ok(cscg_context_round(w, f, &err) == 0 && is_phase(f, w, 3),
	    "the next round changes no state");
	cscg_merge_free(f);
	cscg_walk_free(w);
}

/*
 * From node 0, action 0 leads to node 1 and action 1 to node 2, and both lead
 * back: two contexts of node 0 with the same successors.
 */
static void
joins(void)
{
	static const int obs[3] = { 0, 1, 2 };
	static const int next[6] = { 1, 0, 0, 2, 0, 0 };
	struct cscg_room *room = hand_room(3, 2, 3, obs, next);
	struct walker how = { .n = 2000, .seed = 5 };
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_merge *f = need(cscg_context_symbols(w, &err));

	ok(cscg_context_round(w, f, &err) == 0 && f->n_states == 3,
	    "contexts with the same successors are one state");
	cscg_merge_free(f);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* Steps without observation have no state; resets end a context. */
static void
gaps(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 4);
	struct walker how = { .n = 3000,
		.episodes = 2,
		.dropout = .1,
		.reset = .05,
		.seed = 3 };
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_merge *f = need(cscg_context_symbols(w, &err));
	int i, rc = 0, good = 1;
	long t;

	for (i = 0; i < 3; i++)
		rc |= cscg_context_round(w, f, &err);
	for (t = 0; t < w->n_steps; t++)
		good &= w->x[t] < 0 ?
		    f->state[t] < 0 :
		    f->state[t] >= 0 && f->state[t] < f->n_states &&
			f->symbol[f->state[t]] == w->x[t];
	ok(rc == 0 && good,
	    "a dropout has no state, every other step one of its symbol");
	cscg_merge_free(f);
	cscg_walk_free(w);
	cscg_room_free(room);
}

static struct cscg_poll *stop; /* of is_noisy_in() */
static uint64_t walk_seed = 9; /* of its walks */

static int
is_noisy_in(enum cscg_shape_kind kind, int rows, int columns, double slip,
    long n)
{
	struct cscg_room *room = shape_room(kind, rows, columns);
	struct walker how = { .n = n, .seed = walk_seed };
	struct cscg_walk *w;
	int noisy;

	need(cscg_room_slip(room, slip, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	noisy = cscg_context_is_noisy(w, stop, &err);
	cscg_walk_free(w);
	cscg_room_free(room);
	return noisy;
}

static int
is_noisy(enum cscg_shape_kind kind, double slip, long n)
{
	return is_noisy_in(kind, 5, 6, slip, n);
}

static int
stop_at_once(void *ctx, const char *stage, double done, double total)
{
	(void)stage;
	(void)done;
	(void)total;
	++*(int *)ctx;
	return 1;
}

static void
noise(void)
{
	int calls = 0;
	struct cscg_poll poll = { .call = stop_at_once, .ctx = &calls };

	ok(is_noisy(CSCG_RECTANGLE, 0, 20000) == 0 &&
		is_noisy(CSCG_TORUS, 0, 20000) == 0,
	    "a deterministic walk is not noisy");
	ok(is_noisy(CSCG_RECTANGLE, .02, 20000) == 1 &&
		is_noisy(CSCG_TORUS, .05, 20000) == 1,
	    "a walk with slips is noisy");
	ok(is_noisy(CSCG_RECTANGLE, .01, 8000) == 1 &&
		is_noisy(CSCG_RECTANGLE, .05, 3000) == 1,
	    "shorter walks with slips are noisy");
	ok(is_noisy(CSCG_RECTANGLE, 0, 8000) == 0 &&
		is_noisy(CSCG_RECTANGLE, 0, 3000) == 0,
	    "shorter walks without slips are not noisy");
	ok(is_noisy(CSCG_RECTANGLE, .1, 300) == 0,
	    "300 steps are too few to detect noise");
	/* 156 of its 210 nodes emit one symbol: contexts of one step have rare
	   outcomes without noise, in this walk more than the rules allow. */
	walk_seed = 2;
	ok(is_noisy_in(CSCG_RECTANGLE, 14, 15, 0, 100000) == 0 &&
		is_noisy_in(CSCG_RECTANGLE, 14, 15, .02, 100000) == 1,
	    "a large room with one symbol inside is noisy only with slips");
	stop = &poll;
	ok(is_noisy_in(CSCG_RECTANGLE, 14, 15, 0, 100000) == 1 && calls == 1,
	    "state merging ends when the caller stops it");
	stop = NULL;
	walk_seed = 9;
}

/*
 * Noise in a random walk of n steps in a random automaton of 100 states, 4
 * symbols and n_actions actions: one step determines about a twelfth of the
 * states, so that no context of one step has a nearly certain outcome.
 */
static int
is_noisy_automaton(int n_actions, double slip, long n, uint64_t seed)
{
	enum { N = 100, SYMBOLS = 4, ACTIONS = 2 };
	int obs[N], next[ACTIONS * N], i, noisy;
	struct walker how = { .n = n, .slip = slip, .seed = seed };
	struct cscg_room *room;
	struct cscg_walk *w;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 2);
	for (i = 0; i < N; i++)
		obs[i] = (int)cscg_rng_below(&rng, SYMBOLS);
	for (i = 0; i < n_actions * N; i++)
		next[i] = n_actions > 1 ? (int)cscg_rng_below(&rng, N) :
					  (i + 1) % N;
	room = hand_room(N, n_actions, SYMBOLS, obs, next);
	w = walk_in(room, &how);
	noisy = cscg_context_is_noisy(w, NULL, &err);
	cscg_walk_free(w);
	cscg_room_free(room);
	return noisy;
}

static void
automata(void)
{
	uint64_t seed;
	int noisy = 0, clean = 0;

	for (seed = 1; seed <= 5; seed++) {
		noisy += is_noisy_automaton(2, .02, 50000, seed) == 1;
		clean += is_noisy_automaton(2, 0, 50000, seed) == 0;
	}
	ok(noisy == 5, "noise shows in contexts of several steps");
	ok(clean == 5, "without noise they have one outcome");
	ok(is_noisy_automaton(2, .02, 1000, 1) == 0,
	    "1000 steps are too few for contexts of several steps");
	ok(is_noisy_automaton(1, .02, 50000, 1) == 0,
	    "without actions only contexts of one step are tested");
}

/* The Viterbi states of w under m are its nodes, nearly one to one. */
static int
is_room(const struct cscg_model *m, const struct cscg_walk *w, int n_nodes)
{
	struct cscg_trans *tr = need(cscg_trans_new(m, &cscg_plain_double,
	    &err));
	struct cscg_work work = { 0 };
	int *state = need(calloc((size_t)w->n_steps, sizeof *state));
	long *both = need(calloc((size_t)(m->n_states * n_nodes),
	    sizeof *both));
	long t, right = 0, most;
	double logp;
	int j, z, best, seen = 0;
	char *taken = need(calloc((size_t)n_nodes, 1));

	need(cscg_viterbi_all(tr, w, &work, state, &logp, &err) < 0 ? NULL :
								      tr);
	for (t = 0; t < w->n_steps; t++)
		both[state[t] * n_nodes + w->z[t]]++;
	for (j = 0; j < m->n_states; j++) {
		for (most = best = z = 0; z < n_nodes; z++)
			if (both[j * n_nodes + z] > most)
				most = both[j * n_nodes + (best = z)];
		right += most;
		seen += !taken[best];
		taken[best] = 1;
	}
	free(taken);
	free(both);
	free(state);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	return m->n_states == n_nodes && seen == n_nodes &&
	    (double)right > .95 * (double)w->n_steps;
}

/* Redraw symbols with probability p. */
static void
misread(struct cscg_walk *w, double p, struct cscg_rng *rng)
{
	double u;
	long t;

	for (t = 0; t < w->n_steps; t++) {
		u = cscg_rng_uniform(rng);
		if (u < p)
			w->x[t] = (int)cscg_rng_below(rng, w->head.n_obs);
	}
}

/*
 * A 5x6 room with 6 random symbols, slips and misread symbols, learned by the
 * defaults.
 */
static void
learns(double slip, double eps, uint64_t seed)
{
	const struct cscg_simd *simd = NULL;
	struct cscg_learn set = { .iterations = 200,
		.restarts = 4,
		.tolerance = 1e-5,
		.pseudocount = 2e-3,
		.seed = 42,
		.threads = 1 };
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct walker how = { .n = 20000, .seed = seed };
	struct cscg_learn_progress last;
	struct cscg_model *m;
	struct cscg_walk *w;
	struct cscg_rng rng;
	int v;

	need(cscg_cpu_choose_simd("auto", &simd, &err) < 0 ? NULL : room);
	set.simd = simd;
	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 0, 8);
	for (v = 0; v < room->n_nodes; v++)
		room->obs[v] = (int)cscg_rng_below(&rng, 6);
	need(cscg_room_slip(room, slip, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	misread(w, eps, &rng);
	m = need(cscg_learn(w, &set, &last, &err));
	ok(is_room(m, w, room->n_nodes),
	    "seed %d, %g slips, %g misread: %d states for 30 nodes", (int)seed,
	    slip, eps, m->n_states);
	/* Three standard deviations of a share of 20,000 steps. */
	ok(eps > 0 ? near(m->misread, eps, 3 * sqrt(eps / 20000) + .002) :
		     m->misread == 0,
	    "the misreading probability is %g", m->misread);
	ok(near(1 - cscg_model_main_share(m, -1), slip, .02),
	    "the transition noise is %g", 1 - cscg_model_main_share(m, -1));
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
}

int
main(void)
{
	splits();
	joins();
	gaps();
	noise();
	automata();
	learns(.05, 0, 1);
	learns(.05, 0, 2);
	learns(.1, 0, 3);
	learns(0, .05, 4);
	learns(0, .1, 5);
	learns(0, .01, 6);
	return done();
}
