/* structure.c - Viterbi training, merging and BIC, by hand */
#include <string.h>

#include "dist/blob.h"
#include "dist/checkpoint.h"
#include "kernel/plain.h"
#include "learn/constants.h"
#include "learn/em_restarts.h"
#include "learn/learn_model.h"
#include "learn/structure.h"
#include "tap.h"
#include "walker.h"

/* A grounded model of one or more actions from its groups and counts. */
static struct cscg_model *
model(int n, int n_actions, int n_obs, const int *clone,
    const struct cscg_count *c, long n_counts)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, n, n_actions,
	    n_obs, &err));

	memcpy(m->clone, clone, (size_t)n * sizeof *clone);
	need(cscg_model_set_counts(m, c, n_counts, &err) < 0 ? NULL : m);
	return m;
}

static int
is(const int *got, const int *want, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (got[i] != want[i]) {
			printf("# item %d: %d, not %d\n", i, got[i], want[i]);
			return 0;
		}
	return 1;
}

/*
 * A ring of four nodes with symbols 0 1 1 2, learned twice: the end of one copy
 * leads to the start of the other.  No pair of states has the same successor,
 * yet the copies are one ring.  The last state was never used.
 */
static void
two_copies(void)
{
	enum { ROUNDS = 20, N = 8 * ROUNDS };
	static const int clone[9] = { 0, 0, 1, 1, 1, 1, 2, 2, 2 };
	static const int ring[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	static const int want[9] = { 0, 0, 1, 1, 2, 2, 3, 3, -1 };
	struct cscg_count c[9];
	struct cscg_model *m, *one;
	int path[N], into[9], i, n;

	for (i = 0; i < 8; i++)
		c[i] = (struct cscg_count){ 0, ring[i], ring[(i + 1) % 8],
			ROUNDS };
	for (i = 0; i < N; i++)
		path[i] = ring[i % 8];
	m = model(9, 1, 3, clone, c, 8);
	n = cscg_structure_refine_partition(m, path, N, into, &err);
	ok(n == 4,
	    "two copies of a ring of four are merged to four states: %d", n);
	ok(is(into, want, 9),
	    "each state is merged with its copy; an unused state is dropped");
	one = need(cscg_model_merge_states(m, into, n, &err));
	ok(one->first[1] == 1 && one->to[0] == 1 &&
		one->count[0] == 2 * ROUNDS && one->to[3] == 0,
	    "the merged model is the ring");
	cscg_model_free(one);

	/* A step without a state is ignored. */
	path[0] = path[17] = -1;
	ok(cscg_structure_refine_partition(m, path, N, into, &err) == 4 &&
		is(into, want, 9),
	    "the partition is the same with missing states in the path");
	cscg_model_free(m);

	/*
	 * Now one copy ends in state 8, which stays.  So 6 and 8 are the same,
	 * but no other pair is: 0 and 1 differ by their successors after four
	 * steps.
	 */
	c[3].to = 8;
	c[8] = (struct cscg_count){ 0, 8, 8, ROUNDS };
	m = model(9, 1, 3, clone, c, 9);
	for (i = 0; i < N; i++)
		path[i] = i % 9;
	n = cscg_structure_refine_partition(m, path, N, into, &err);
	ok(n == 8 && into[6] == into[8],
	    "a copy with another successor is not merged: %d", n);
	cscg_model_free(m);
}

/*
 * States 0, 1 and 2 have one symbol; 3 and 4 do not.  State 0 was visited once,
 * which contradicts neither 500:500 nor 900:100 (0.7 and 0.1 nats for
 * ln(2001)/2 = 3.8), but these two contradict each other.
 */
static void
rare_state(void)
{
	static const int clone[5] = { 0, 0, 0, 1, 2 };
	static const int want[5] = { 1, 0, 1, 2, 3 };
	const struct cscg_count c[5] = { { 0, 0, 3, 1 }, { 0, 1, 3, 501 },
		{ 0, 1, 4, 500 }, { 0, 2, 3, 900 }, { 0, 2, 4, 100 } };
	struct cscg_model *m = model(5, 1, 3, clone, c, 5);
	int path[2001], into[5], i, n;

	for (i = 0; i < 2001; i++)
		path[i] = i % 5;
	n = cscg_structure_refine_partition(m, path, 2001, into, &err);
	ok(n == 4, "a rare state does not cause other merges: %d", n);
	ok(is(into, want, 5),
	    "a rare state is merged with the most similar one");
	cscg_model_free(m);
}

/*
 * States 0 and 1 have one symbol and lead to 2 and 3 (which do not) with counts
 * p, q and r, s.  Merging costs G/2 nats and saves one parameter.
 */
static int
states_left(double p, double q, double r, double s)
{
	static const int clone[4] = { 0, 0, 1, 2 }, path[4] = { 0, 1, 2, 3 };
	struct cscg_count c[4] = { { 0, 0, 2, p }, { 0, 0, 3, q },
		{ 0, 1, 2, r }, { 0, 1, 3, s } };
	struct cscg_model *m = model(4, 1, 3, clone, c, 4);
	int into[4], *long_path, n, i;
	long steps = (long)(p + q + r + s);

	long_path = need(malloc((size_t)steps * sizeof *long_path));
	for (i = 0; i < steps; i++)
		long_path[i] = path[i % 4];
	n = cscg_structure_refine_partition(m, long_path, steps, into, &err);
	free(long_path);
	cscg_model_free(m);
	return n;
}

static void
evidence(void)
{
	/* G/2 = 20.1 nats (140:60 against 50:50 and 90:10) for ln(200)/2 = 2.6 */
	ok(states_left(50, 50, 90, 10) == 4, "50:50 and 90:10 are not merged");
	/* 0.26 nats for ln(8)/2 = 1.04 */
	ok(states_left(2, 2, 3, 1) == 3, "2:2 and 3:1 are merged");
	ok(states_left(70, 30, 140, 60) == 3, "70:30 and 140:60 are merged");
	/* Whole and empty rows: 13.9 nats (20 ln 2) for ln(20)/2 = 1.5 */
	{
		static const int clone[4] = { 0, 0, 1, 2 };
		struct cscg_count c[2] = { { 0, 0, 2, 10 }, { 0, 1, 3, 10 } };
		struct cscg_model *m = model(4, 1, 3, clone, c, 2);
		int path[20], into[4], i;

		for (i = 0; i < 20; i++)
			path[i] = i % 4;
		ok(cscg_structure_refine_partition(m, path, 20, into, &err) ==
			4,
		    "states with other successors are not merged");
		cscg_model_free(m);
		m = model(4, 1, 3, clone, c, 1);
		ok(cscg_structure_refine_partition(m, path, 20, into, &err) ==
			    3 &&
			into[0] == into[1],
		    "a state without successors is merged");
		cscg_model_free(m);
	}
}

static void
worth(void)
{
	/* Rows of 3, 1 and 2 edges, two of two actions: 3 beyond the first. */
	static const int clone[3] = { 0, 0, 1 };
	struct cscg_count c[6] = { { 0, 0, 0, 1 }, { 0, 0, 1, 2 },
		{ 0, 0, 2, 3 }, { 0, 1, 2, 4 }, { 1, 2, 0, 1 },
		{ 1, 2, 1, 1 } };
	struct cscg_model *m = model(3, 2, 2, clone, c, 6);

	ok(near(cscg_bic(m, 1000, -50), -50 - log(1000) / 2 * (3 + 3), 1e-14),
	    "BIC: ln(n)/2 for three states and three more edges");
	ok(near(cscg_bic_noise(m, 1000, -50), -50 - log(1000) / 2 * 3 - 3,
	       1e-14),
	    "with noise: 1 nat for each of these edges");
	ok(cscg_bic(m, 1, 0) < 0, "BIC of a walk of one step is negative");
	ok(isinf(cscg_bic(m, 10, -INFINITY)),
	    "BIC of an impossible walk is infinite");
	cscg_model_free(m);
	m = model(1, 1, 1, clone, NULL, 0);
	ok(near(cscg_bic(m, 100, -7), -7 - log(100) / 2, 1e-14),
	    "a state without edges has one parameter");
	cscg_model_free(m);
}

static void
closest(void)
{
	/*
	 * Merging costs 0.04, 13.9 (20 ln 2), 43.2 and 45.3 nats for (0,1),
	 * (3,4), (0,2) and (1,2), less ln(320)/2 for the one edge that each
	 * saves.  States of different symbols are no candidates.
	 */
	static const int clone[5] = { 0, 0, 0, 1, 1 };
	static const int want[4][2] = { { 0, 1 }, { 3, 4 }, { 0, 2 },
		{ 1, 2 } };
	struct cscg_count c[7] = { { 0, 0, 3, 50 }, { 0, 0, 4, 50 },
		{ 0, 1, 3, 48 }, { 0, 1, 4, 52 }, { 0, 2, 3, 100 },
		{ 0, 3, 0, 10 }, { 0, 4, 1, 10 } };
	struct cscg_model *m = model(5, 1, 2, clone, c, 7);
	bool tried[25] = { false };
	int i, p = -1, q = -1, rc;

	for (i = 0; i < 4; i++) {
		rc = cscg_merge_candidate(m, 320, tried, &p, &q, &err);
		ok(rc == 1 && p == want[i][0] && q == want[i][1] &&
			tried[p * 5 + q],
		    "closest pair: %d and %d", p, q);
	}
	ok(cscg_merge_candidate(m, 320, tried, &p, &q, &err) == 0,
	    "no pair is left");
	memset(tried, 0, sizeof tried);
	tried[1] = true;
	ok(cscg_merge_candidate(m, 320, tried, &p, &q, &err) == 1 && p == 3 &&
		q == 4,
	    "a tried pair is skipped");
	cscg_model_free(m);
}

/* Random counts for two clones of every symbol of w, no pseudocount. */
static struct cscg_model *
fuzzy(const struct cscg_walk *w, uint64_t seed)
{
	int S = 2 * w->head.n_obs, A = w->head.n_actions, j;
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, A,
	    w->head.n_obs, &err));
	double *dense = need(calloc((size_t)(A * S * S), sizeof *dense));
	struct cscg_rng rng;

	cscg_rng_seed(&rng, seed, CSCG_RNG_TEST, 1, 1);
	for (j = 0; j < S; j++)
		m->clone[j] = j / 2;
	for (j = 0; j < A * S * S; j++)
		dense[j] = 0.1 + cscg_rng_uniform(&rng);
	need(cscg_model_set_dense(m, dense, 0, &err) < 0 ? NULL : m);
	m->pseudocount = 0;
	free(dense);
	return m;
}

/* The log-probability of a path by the definition. */
static double
by_hand(const struct cscg_model *m, const struct cscg_walk *w, const int *path)
{
	double sum = 0;
	long t;
	int e;

	for (e = 0; e < w->n_episodes; e++)
		for (t = w->start[e]; t < w->start[e + 1]; t++)
			sum += t == w->start[e] || w->reset[t] ?
			    -log(m->n_states) :
			    log(cscg_model_T(m, w->a[t - 1], path[t - 1],
				path[t]));
	return sum;
}

/*
 * Without a pseudocount, counting gives the best T for a path and Viterbi the
 * best path for a T: no round can lower the likelihood.
 */
static void
rounds(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 4, 4);
	struct walker how = { .n = 700,
		.episodes = 2,
		.dropout = 0.02,
		.reset = 0.01,
		.seed = 5 };
	struct cscg_model *m, *was;
	struct cscg_walk *w;
	double logp, before = -INFINITY, first = 0, sum = 0;
	int *path, *again, most, fell = 0, wrong = 0;
	long i, moves = 0, t;

	need(cscg_room_slip(room, 0.2, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	path = need(malloc((size_t)w->n_steps * sizeof *path));
	again = need(malloc((size_t)w->n_steps * sizeof *path));
	for (most = 1; most <= 12; most++) {
		m = fuzzy(w, 3);
		need(cscg_viterbi_train(m, w, &cscg_plain_double, NULL, most,
			 NULL, path, &logp, &err) < 0 ?
			NULL :
			m);
		fell += logp < before - 1e-9 * fabs(before);
		if (most == 1) {
			first = logp;
			was = fuzzy(w, 3);
			ok(near(logp, by_hand(was, w, path), 1e-9),
			    "the log-probability of the path is that "
			    "reported");
			cscg_model_free(was);
		}
		before = logp;
		cscg_model_free(m);
	}
	ok(!fell, "no round decreases the probability of the path");
	ok(before > first + 100,
	    "all rounds together increase it: %.0f to %.0f", first, before);

	m = fuzzy(w, 3);
	need(cscg_viterbi_train(m, w, &cscg_plain_double, NULL, 1000, NULL,
		 path, &logp, &err) < 0 ?
		NULL :
		m);
	was = need(cscg_model_copy(m, &err));
	need(cscg_viterbi_train(was, w, &cscg_plain_double, NULL, 1, NULL,
		 again, &logp, &err) < 0 ?
		NULL :
		was);
	ok(!memcmp(path, again, (size_t)w->n_steps * sizeof *path) &&
		near(logp, by_hand(m, w, path), 1e-9),
	    "training ends when a round changes nothing");
	for (i = 0; i < m->first[m->n_states * m->n_actions]; i++) {
		wrong += m->count[i] != floor(m->count[i]);
		sum += m->count[i];
	}
	for (t = 1; t < w->n_steps; t++)
		moves += t != w->start[1] && !w->reset[t];
	ok(!wrong && sum == (double)moves,
	    "counts are integers, one per transition; resets do not count");
	wrong = 0;
	for (t = 0; t < w->n_steps; t++)
		wrong += path[t] < 0 ||
		    (w->x[t] >= 0 && m->clone[path[t]] != w->x[t]);
	ok(!wrong, "every step has a state of its symbol");
	cscg_model_free(was);
	cscg_model_free(m);
	free(path);
	free(again);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* ---- reduction of what EM finds ---- */

struct said {
	const struct cscg_walk *w;
	int n_states, viterbi, merges, splits, wrong;
	double best;
	bool split;   /* rounds after a split are not reported */
	bool tries;   /* greedy merging has begun; ... */
	int n_failed; /* ... merges tried since the last one that was made */
};

/*
 * A merge is reported if BIC improves, with one state less.  BIC is below the
 * likelihood, as each parameter costs ln(steps) / 2.
 */
static int
hear(void *ctx, const struct cscg_learn_progress *line)
{
	struct said *s = ctx;

	s->wrong += line->loglik >= 0 || line->n_states < 1 ||
	    line->n_states > 12;
	if (!strcmp(line->stage, "viterbi")) {
		s->viterbi++;
		s->wrong += line->n_states > s->n_states;
	} else if (!strcmp(line->stage, "split")) {
		/* Of a model that may be dropped again. */
		s->splits++;
		s->n_states = 0;
		return 0;
	} else if (!strcmp(line->stage, "merge")) {
		s->merges++;
		s->wrong += (s->n_states &&
				line->n_states != s->n_states - 1) ||
		    line->objective <= s->best ||
		    line->objective >= line->loglik;
		s->best = line->objective;
		s->n_failed = -1;
	}
	s->n_states = line->n_states;
	return 0;
}

/* A merge is tried between two polls. */
static int
poll_merges(void *ctx, const char *stage, double done, double total)
{
	struct said *s = ctx;

	if (!strcmp(stage, "Viterbi training") && !s->split)
		s->wrong += done != s->viterbi ||
		    total != cscg_learn_constants.merge_rounds;
	if (strcmp(stage, "greedy merging"))
		return 0;
	s->n_failed += s->tries;
	s->tries = true;
	s->wrong += done != s->n_failed ||
	    total != cscg_learn_constants.failed_merges;
	return 0;
}

/*
 * Three columns of two cells, with a symbol for each column and slips, learned
 * with three clones of each: what is observed depends on the column alone.
 */
static void
cleaning(bool split)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 2, 3);
	struct walker how = { .n = 3000, .seed = 8 };
	struct cscg_learn set = { .iterations = 100,
		.restarts = 2,
		.tolerance = 1e-5,
		.pseudocount = 2e-3,
		.seed = 3,
		.is_double = true,
		.threads = 1,
		.split = split,
		.report = hear };
	static const int clones[] = { 3, 3, 3 };
	struct cscg_learn_progress last;
	struct said said = {
		.n_states = 9, .best = -INFINITY, .split = split
	};
	struct cscg_poll poll = { .call = poll_merges, .ctx = &said };
	struct cscg_model *m;
	struct cscg_walk *w;
	double loglik, again;
	int v;

	for (v = 0; v < 6; v++)
		room->obs[v] = v % 3;
	room->n_obs = 3;
	need(cscg_room_slip(room, .3, &err) < 0 ? NULL : room);
	w = walk_in(room, &how);
	set.ctx = &said;
	m = need(cscg_learn_model_new(w, &set, clones, &err));
	set.report = NULL;
	need(cscg_em_restarts(m, w, &set, true, 0, &last, &err) < 0 ? NULL :
								      m);
	set.report = hear;
	set.poll = &poll;
	need(cscg_structure_clean(&m, w, &set, &loglik, &err) < 0 ? NULL : m);
	ok(!said.wrong && said.viterbi > 0 && said.merges > 0 &&
		said.splits * !split == 0 && said.tries,
	    "%s: %d rounds, %d merges, %d splits are reported",
	    split ? "splitting" : "merging", said.viterbi, said.merges,
	    said.splits);
	need(cscg_learn_loglik(m, w, &set, &again, &err) < 0 ? NULL : m);
	ok(loglik == again, "the likelihood is that of the model: %.2f",
	    loglik);
	ok(m->n_states == 3 && !cscg_learn_is_deterministic(m) &&
		near(cscg_bic(m, w->n_steps, loglik), said.best, 1e-12),
	    "a state for each column: %d, BIC %.2f", m->n_states,
	    cscg_bic(m, w->n_steps, loglik));
	cscg_model_free(m);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/*
 * Two states with the rows of two others are merged with them, pairwise, and the
 * rows are added; states with other rows stay.
 */
static void
merging_rows(void)
{
	static const int clone[] = { 0, 0, 0, 1, 1, 1 };
	static const struct cscg_count c[] = { { 0, 0, 3, 20 },
		{ 0, 0, 4, 20 }, { 0, 1, 3, 15 }, { 0, 1, 4, 15 },
		{ 0, 2, 5, 50 }, { 0, 3, 0, 20 }, { 0, 3, 1, 20 },
		{ 0, 4, 0, 30 }, { 0, 4, 1, 30 }, { 0, 5, 2, 60 } };
	struct cscg_model *m = model(6, 1, 2, clone, c, 10);

	need(cscg_structure_merge_rows(&m, 280, &err) < 0 ? NULL : m);
	/* 0 and 1 are one, 3 and 4 are one: 0 -> 2, 1 -> 3, 2 -> 0, 3 -> 1. */
	ok(m->n_states == 4 && m->first[4] == 4 && m->to[0] == 2 &&
		m->count[0] == 70 && m->to[1] == 3 && m->count[1] == 50 &&
		m->to[2] == 0 && m->count[2] == 100 && m->to[3] == 1 &&
		m->count[3] == 60,
	    "equal rows are added: %d states", m->n_states);
	ok(cscg_learn_is_deterministic(m), "a successor for each");
	cscg_model_free(m);
}

/* ---- random models against plain code ---- */

enum { MOST = 7, MODELS = 400 };

/*
 * Two or three symbols, two actions, small counts, so that many rows are equal;
 * every fifth row is empty.
 */
static struct cscg_model *
random_model(struct cscg_rng *rng)
{
	int n = 3 + (int)cscg_rng_below(rng, MOST - 2), a, i, j, clone[MOST];
	struct cscg_count c[2 * MOST * MOST];
	long n_counts = 0;

	for (i = 0; i < n; i++)
		clone[i] = 3 * i / n;
	for (a = 0; a < 2; a++)
		for (i = 0; i < n; i++) {
			int scale = 1 << 2 * cscg_rng_below(rng, 3);
			bool is_empty = cscg_rng_below(rng, 5) == 0;

			for (j = 0; j < n && !is_empty; j++)
				if (cscg_rng_below(rng, 3) == 0)
					c[n_counts++] = (struct cscg_count){ a,
						i, j,
						scale *
						    (1 +
							(double)cscg_rng_below(
							    rng, 2)) };
		}
	return model(n, 2, 3, clone, c, n_counts);
}

static double
n_log_n(double n)
{
	return n > 0 ? n * log(n) : 0;
}

/*
 * The nats that pooling the rows of i and j costs, with successors by class (-1: no
 * class), less ln(n)/2 for each edge saved.
 */
static double
plain_cost(const struct cscg_model *m, const int *class, int i, int j, long n)
{
	double cost = 0, sum[2];
	int a, k, saved = 0;
	long e;

	for (a = 0; a < m->n_actions; a++) {
		double row[2][MOST] = { { 0 } };
		int cells = 0;

		sum[0] = sum[1] = 0;
		for (k = 0; k < 2; k++) {
			long r = (long)a * m->n_states + (k ? j : i);

			for (e = m->first[r]; e < m->first[r + 1]; e++)
				if (class[m->to[e]] >= 0) {
					row[k][class[m->to[e]]] += m->count[e];
					sum[k] += m->count[e];
				}
		}
		if (sum[0] == 0 || sum[1] == 0)
			continue;
		cost += n_log_n(sum[0] + sum[1]) - n_log_n(sum[0]) -
		    n_log_n(sum[1]);
		for (k = 0; k < MOST; k++) {
			cost -= n_log_n(row[0][k] + row[1][k]) -
			    n_log_n(row[0][k]) - n_log_n(row[1][k]);
			cells += row[0][k] + row[1][k] > 0;
		}
		saved += cells - 1;
	}
	return cost - log((double)n) / 2 * saved;
}

/* Whether state i comes before j: by group, then the most visited. */
static bool
is_before(const struct cscg_model *m, int i, int j)
{
	double visits = 0;
	int a;

	for (a = 0; a < m->n_actions; a++)
		visits += cscg_model_row_sum(m, a, i) -
		    cscg_model_row_sum(m, a, j);
	if (m->clone[i] != m->clone[j])
		return m->clone[i] < m->clone[j];
	return visits != 0 ? visits > 0 : i < j;
}

/*
 * Refine the classes until their number stays: a state joins the leader of its class
 * that costs least, if that improves BIC; otherwise it leads a new class.
 */
static int
plain_refine(const struct cscg_model *m, const bool *used, long n, int *class)
{
	int order[MOST], next[MOST], leader[MOST], i, j, c, had, has = 0;

	for (i = 0; i < m->n_states; i++) {
		class[i] = used[i] ? m->clone[i] : -1;
		for (j = i; j > 0 && is_before(m, i, order[j - 1]); j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	do {
		had = has;
		has = 0;
		for (i = 0; i < m->n_states; i++) {
			double cost, least = 1e-9;

			j = order[i];
			next[j] = -1;
			for (c = 0; class[j] >= 0 && c < has; c++) {
				if (m->clone[leader[c]] != m->clone[j] ||
				    class[leader[c]] != class[j])
					continue;
				cost = plain_cost(m, class, leader[c], j, n);
				if (cost > least ||
				    (next[j] >= 0 && cost == least))
					continue;
				next[j] = c;
				least = cost;
			}
			if (class[j] >= 0 && next[j] < 0) {
				leader[has] = j;
				next[j] = has++;
			}
		}
		memcpy(class, next, (size_t)m->n_states * sizeof *class);
	} while (has > had);
	return has;
}

static void
partitions(void)
{
	int seed, i, wrong = 0, fewer = 0, more = 0, unused = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < MODELS; seed++) {
		int path[50], into[MOST], want[MOST], n, k;
		bool used[MOST] = { false };
		struct cscg_model *m;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 21);
		m = random_model(&rng);
		n = 2 + (int)cscg_rng_below(&rng, 49);
		for (i = 0; i < n; i++) {
			path[i] = (int)cscg_rng_below(&rng, m->n_states + 1) -
			    1;
			if (path[i] >= 0)
				used[path[i]] = true;
		}
		k = cscg_structure_refine_partition(m, path, n, into, &err);
		wrong += k != plain_refine(m, used, n, want) ||
		    memcmp(into, want, (size_t)m->n_states * sizeof *into);
		for (i = 0; i < m->n_states; i++)
			unused += !used[i];
		fewer += k < m->n_states && k > 3;
		more += k == m->n_states;
		cscg_model_free(m);
	}
	ok(!wrong && fewer > 20 && more > 20 && unused > 20,
	    "classes of %d random models, %d of them all separate", seed,
	    more);
}

/* The pair that costs least, the first of equals. */
static bool
plain_pair(const struct cscg_model *m, long n, const bool *tried, int *p,
    int *q, double *least)
{
	int class[MOST], i, j, S = m->n_states;
	bool found = false;

	for (i = 0; i < S; i++)
		class[i] = i;
	for (i = 0; i < S; i++)
		for (j = i + 1; j < S; j++) {
			double cost = plain_cost(m, class, i, j, n);

			if (m->clone[i] != m->clone[j] || tried[i * S + j] ||
			    (found && cost >= *least))
				continue;
			found = true;
			*least = cost;
			*p = i;
			*q = j;
		}
	return found;
}

static void
pairs(void)
{
	int seed, wrong = 0, found = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < MODELS; seed++) {
		int i, j, p = -1, q = -1, more = 1;
		bool tried[MOST * MOST] = { 0 };
		struct cscg_model *m;
		double least = 0;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 22);
		m = random_model(&rng);
		while (more) {
			more = plain_pair(m, 10 + seed, tried, &p, &q, &least);
			wrong += cscg_merge_candidate(m, 10 + seed, tried, &i,
				     &j, &err) != more;
			wrong += more &&
			    (i != p || j != q || !tried[i * m->n_states + j]);
			if (wrong)
				break;
			found += more;
		}
		cscg_model_free(m);
	}
	ok(!wrong && found > MODELS, "candidates in order of their cost (%d)",
	    found);
}

/*
 * Merge the best pairs, each state in one at most, until no pair improves BIC: the
 * states and the counts of the result.
 */
static void
merged_pairs(void)
{
	int seed, i, wrong = 0, fewer = 0;
	struct cscg_rng rng;

	for (seed = 0; seed < MODELS; seed++) {
		struct cscg_model *m, *plain, *next;
		bool some = true;

		cscg_rng_seed(&rng, (uint64_t)seed, CSCG_RNG_TEST, 0, 23);
		m = random_model(&rng);
		plain = need(cscg_model_copy(m, &err));
		while (some) {
			int into[MOST], S = plain->n_states, p, q, n = 0;
			bool tried[MOST * MOST] = { 0 }, in[MOST] = { 0 };
			double cost;

			some = false;
			for (i = 0; i < S; i++)
				into[i] = -1;
			while (plain_pair(plain, 10 + seed, tried, &p, &q,
				   &cost) &&
			    cost < 0) {
				tried[p * S + q] = true;
				if (in[p] || in[q])
					continue;
				in[p] = in[q] = some = true;
				into[q] = p;
			}
			for (i = 0; i < S; i++)
				into[i] = into[i] < 0 ? n++ : into[into[i]];
			next = need(cscg_model_merge_states(plain, into, n,
			    &err));
			cscg_model_free(plain);
			plain = next;
		}
		fewer += plain->n_states < m->n_states - 1;
		need(cscg_structure_merge_rows(&m, 10 + seed, &err) < 0 ?
			NULL :
			m);
		wrong += m->n_states != plain->n_states;
		for (i = 0; !wrong && i < 2 * m->n_states; i++) {
			int a = i / m->n_states, j = i % m->n_states, k;

			for (k = 0; k < m->n_states; k++)
				wrong += cscg_model_T(m, a, j, k) !=
				    cscg_model_T(plain, a, j, k);
		}
		cscg_model_free(m);
		cscg_model_free(plain);
	}
	ok(!wrong && fewer > 20, "rows merged in pairs, best first (%d)",
	    fewer);
}

/* ---- rounds from a checkpoint ---- */

static bool
never(void *ctx)
{
	(void)ctx;
	return false;
}

static int
keep(void *ctx, struct cscg_err *e)
{
	(void)ctx;
	(void)e;
	return 0;
}

/* The first lines of Viterbi training. */
struct lines {
	int n, n_states[2];
	double logp[2];
};

static int
hear_viterbi(void *ctx, const struct cscg_learn_progress *line)
{
	struct lines *l = ctx;

	if (strcmp(line->stage, "viterbi") || l->n == 2)
		return 0;
	l->n_states[l->n] = line->n_states;
	l->logp[l->n++] = line->loglik;
	return 0;
}

/*
 * A round that a checkpoint has is not computed: its number of states, likelihood, map
 * and counts are used.  With fewer parts (0 to 3) it is an error.
 */
static void
restored(int parts)
{
	static const int clone[] = { 0, 0, 1, 1 };
	static const struct cscg_count c[] = { { 0, 0, 2, 3 }, { 0, 1, 3, 3 },
		{ 0, 2, 0, 3 }, { 0, 3, 1, 3 } };
	static const int x[] = { 0, 1, 0, 1, 0, 1 }, a[] = { 0, 0, 0, 0, 0 },
			 into[] = { 0, 0, 1, 1 };
	struct cscg_walk *w = hand_walk(1, 2, 6, x, a);
	struct cscg_model *m = model(4, 1, 2, clone, c, 4);
	const struct cscg_checkpoint_options how = { .options = "test",
		.every = 1,
		.requested = never,
		.write = keep };
	struct cscg_checkpoint *save = need(cscg_checkpoint_new(&how, &err));
	struct lines lines = { 0 };
	struct cscg_learn set = { .iterations = 5,
		.is_double = true,
		.threads = 1,
		.pseudocount = .01,
		.save = save,
		.report = hear_viterbi,
		.ctx = &lines };
	struct cscg_blob b = { 0 };
	double loglik;
	int rc;

	need(cscg_blob_write_long(&b, parts ? 2 : 5, &err) < 0 ||
		    (parts > 1 && cscg_blob_write_double(&b, -7, &err) < 0) ||
		    (parts > 2 &&
			cscg_blob_write(&b, into, sizeof into, &err) < 0) ||
		    (parts > 3 && cscg_blob_write_counts(&b, m, &err) < 0) ||
		    cscg_checkpoint_take(save, "refine 0.0", &b, &err) < 0 ?
		NULL :
		m);
	err.msg[0] = '\0';
	rc = cscg_structure_clean(&m, w, &set, &loglik, &err);
	if (parts < 4)
		ok(rc < 0 && strstr(err.msg, "checkpoint: refine 0.0"),
		    "a round with %d parts is refused", parts);
	else
		ok(rc == 0 && lines.n == 2 && lines.n_states[0] == 4 &&
			lines.logp[0] == -7 && lines.n_states[1] == 2 &&
			m->n_states == 2 && m->to[0] == 1 && m->to[1] == 0 &&
			cscg_checkpoint_get(save, "refine 0.1"),
		    "a round of a checkpoint is not computed: %d states",
		    m->n_states);
	cscg_model_free(m);
	cscg_checkpoint_free(save);
	cscg_walk_free(w);
}

int
main(void)
{
	int i;

	for (i = 0; i < 5; i++)
		restored(i);
	partitions();
	pairs();
	merged_pairs();
	cleaning(false);
	cleaning(true);
	merging_rows();
	two_copies();
	rare_state();
	evidence();
	worth();
	closest();
	rounds();
	return done();
}
