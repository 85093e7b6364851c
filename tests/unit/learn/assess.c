/*
 * assess.c - confidence of a learned map
 *
 * Expected values are worked out by hand from the counts along the path.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/model_io.h"
#include "io/stream.h"
#include "learn/assess.h"
#include "learn/learn.h"
#include "tap.h"
#include "walker.h"

static const struct cscg_learn usual = { .iterations = 200,
	.restarts = 2,
	.tolerance = 1e-5,
	.pseudocount = 2e-3,
	.seed = 42,
	.threads = 1,
	.assess = true };

/* A model of the walk of n nodes, of which each symbol has `clones`. */
static struct cscg_model *
nodes_model(const struct cscg_walk *w, const int *node, int n, int clones)
{
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, n,
	    w->head.n_actions, w->head.n_obs, &err));
	struct cscg_count *c = need(malloc((size_t)w->n_steps * sizeof *c));
	long t, k = 0;
	int j;

	for (j = 0; j < n; j++)
		m->clone[j] = j / clones;
	m->pseudocount = 0.5;
	for (t = 1; t < w->n_steps; t++)
		c[k++] = (struct cscg_count){ w->a[t - 1], node[t - 1],
			node[t], 1 };
	need(cscg_model_set_counts(m, c, k, &err) < 0 ? NULL : m);
	free(c);
	return m;
}

/* A model with one state for each symbol and the counts of the walk. */
static struct cscg_model *
symbols_model(const struct cscg_walk *w)
{
	return nodes_model(w, w->x, w->head.n_obs, 1);
}

/*
 * One action, two symbols: 0 0 0 0 0 1 0 0 0 0 0.  Row 0 goes to 0 eight
 * times and to 1 once, row 1 to 0 once.
 */
static void
small_walk(void)
{
	static const int x[11] = { 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 },
			 a[11] = { 0 };
	struct cscg_walk *w = hand_walk(2, 2, 11, x, a);
	struct cscg_model *m = symbols_model(w);
	const struct cscg_learned *l;
	/*
	 * 1 of 10 transitions does not lead to the main successor; 8 are not
	 * the first of a row.
	 */
	double differ = 1.5 / 9, s = differ / (1 - 2 * differ), left_out;

	need(cscg_assess(m, w, &usual, -3.0, &err) < 0 ? NULL : m);
	l = m->learned;
	need(cscg_model_check(m, &err) < 0 ? NULL : m);
	ok(l->steps == 11 && near(l->nats, 3.0 / 11, 1e-12),
	    "steps and nats per step");
	ok(!l->deterministic && near(l->noise, 0.1, 1e-12),
	    "a tenth of the transitions is noise");
	ok(l->mixed == 0, "a share of 8/9 is a main successor");
	ok(l->n_edges == 3 && l->rows == 2, "edges and rows with counts");
	/* P(X > 1/2), X ~ Beta(1 + s, s), s = 1/4: numerically integrated. */
	ok(near(s, 0.25, 1e-12) && near(l->edge[2], 0.8810, 0.0011),
	    "confidence of an edge with one visit: %.3f", l->edge[2]);
	ok(l->edge[0] > 0.98 && l->edge[1] < 0.02,
	    "confidence of the most probable successor and the other: %.3f, "
	    "%.3f",
	    l->edge[0], l->edge[1]);
	ok(l->supported == 1, "a row with one visit is not supported");
	/* c ln of (c + p)/(n + 2p) against (c - 1 + p)/(n - 1 + 2p). */
	left_out = 8 * log((8.5 / 10) / (7.5 / 9)) +
	    log((1.5 / 10) / (0.5 / 9)) + log((1.5 / 2) / (0.5 / 1));
	ok(near(l->left_out, (3 + left_out) / 11, 1e-9),
	    "log-likelihood with each transition left out: %.6f", l->left_out);
	ok(!l->enough, "the first half does not give the whole graph");
	ok(l->doubtful, "with half of the rows supported the map is doubtful");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * A state that stands for two nodes: 0 leads to 1 and to 2 alternately,
 * depending on the state before it.
 */
static void
remembers(void)
{
	enum { N = 400 };
	int x[N], a[N] = { 0 }, t;
	struct cscg_walk *w;
	struct cscg_model *m;

	for (t = 0; t < N; t++)
		x[t] = t % 2 ? 0 : 1 + t / 2 % 2;
	w = hand_walk(1, 3, N, x, a);
	m = symbols_model(w);
	need(cscg_assess(m, w, &usual, -100.0, &err) < 0 ? NULL : m);
	/* About 199 decisions of ln 2 each, minus ln(400)/2 for a parameter. */
	ok(near(m->learned->memory, (198 * log(2) - log(400) / 2) / N, 0.01),
	    "nats per step gained by the previous state as context: %.4f",
	    m->learned->memory);
	ok(near(m->learned->mixed, 0.5, 0.01) && m->learned->doubtful,
	    "half of the transitions have no main successor");
	/* .34 nats per step of memory: 1.1 and .8 % of those not predicted. */
	need(cscg_assess(m, w, &usual, -30.0 * N, &err) < 0 ? NULL : m);
	ok(m->learned->doubtful,
	    "memory of 1.1 %% of the nats per step is a doubt");
	need(cscg_assess(m, w, &usual, -40.0 * N, &err) < 0 ? NULL : m);
	ok(!m->learned->doubtful, "less than 1 %% is none");
	cscg_model_free(m);
	/* Without memory: drawn at random. */
	{
		struct cscg_rng rng;

		cscg_rng_seed(&rng, 7, CSCG_RNG_TEST, 0, 0);
		for (t = 0; t < N; t += 2)
			w->x[t] = 1 + (cscg_rng_uniform(&rng) < 0.5);
	}
	m = symbols_model(w);
	need(cscg_assess(m, w, &usual, -100.0, &err) < 0 ? NULL : m);
	ok(m->learned->memory < 0.002,
	    "random successors gain nothing by the previous state: %.4f",
	    m->learned->memory);
	ok(m->learned->mixed > .4 && !m->learned->doubtful,
	    "without actions they are no reason to doubt the map");
	cscg_model_free(m);
	w->head.n_actions = 2;
	m = symbols_model(w);
	need(cscg_assess(m, w, &usual, -100.0, &err) < 0 ? NULL : m);
	ok(m->learned->doubtful, "with actions they are");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/* The model after it was written and read. */
static struct cscg_model *
written(const struct cscg_model *m)
{
	char path[] = "/tmp/cscg-assess.XXXXXX";
	int fd = mkstemp(path);
	struct cscg_out *out;
	struct cscg_model *copy;

	need(fd < 0 ? NULL : path);
	close(fd);
	out = need(cscg_out_open(path, 0, &err));
	need(cscg_model_write(m, out, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		path);
	copy = need(cscg_model_read_file(path, &err));
	unlink(path);
	return copy;
}

/* Learned rooms: right ones are not doubtful, with slips or without. */
static void
rooms(void)
{
	static const double slip[] = { 0, 0.05 };
	struct cscg_learn_progress last;
	struct cscg_model *m, *copy;
	const struct cscg_learned *l;
	int i;

	for (i = 0; i < 2; i++) {
		struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
		struct walker how = { .n = 20000, .seed = 3, .episodes = 1 };
		struct cscg_walk *w;

		if (i)
			need(cscg_room_slip(room, slip[i], &err) < 0 ? NULL :
								       room);
		w = walk_in(room, &how);
		m = need(cscg_learn(w, &usual, &last, &err));
		l = m->learned;
		ok(l && m->n_states == 30 && l->rows == 120 &&
			l->supported == 120,
		    "slip probability %g: all rows are supported", slip[i]);
		ok(!l->doubtful && l->enough, "the map is not doubtful");
		ok(l->deterministic == !i && l->noise < 0.06 &&
			(i ? l->noise > 0.01 : l->noise == 0),
		    "noise %.4f", l->noise);
		copy = need(cscg_model_copy(m, &err));
		ok(copy->learned && copy->learned->rows == 120 &&
			!memcmp(copy->learned->edge, l->edge,
			    (size_t)l->n_edges * sizeof *l->edge),
		    "a copy keeps the assessment");
		cscg_model_free(copy);
		copy = written(m);
		ok(copy->learned && copy->learned->rows == 120 &&
			copy->learned->enough == l->enough &&
			copy->learned->steps == 20000 &&
			!memcmp(copy->learned->edge, l->edge,
			    (size_t)l->n_edges * sizeof *l->edge),
		    "a file keeps the assessment");
		need(cscg_model_set_counts(copy, NULL, 0, &err) < 0 ? NULL :
								      copy);
		ok(!copy->learned,
		    "a change of the counts removes the assessment");
		cscg_model_free(copy);
		cscg_model_free(m);
		/* A short walk is not enough. */
		w->n_steps = w->start[1] = 300;
		w->a[299] = -1;
		m = need(cscg_learn(w, &usual, &last, &err));
		ok(m->learned->doubtful && !m->learned->enough,
		    "a map of 300 steps is doubtful");
		cscg_model_free(m);
		cscg_walk_free(w);
		cscg_room_free(room);
	}
}

/*
 * Forty nodes in a ring with a symbol each, and an action that leads to the
 * next, of n_actions.  It stays with probability .02, at some nodes with more, whatever came
 * before: each row has a main successor and there is no memory, but those rows
 * have more noise than the others.
 */
static void
uneven_noise(int n_actions, int n_noisy, double noise, bool doubtful)
{
	enum { NODES = 40, STEPS = 20000 };
	static int x[STEPS], a[STEPS];
	struct cscg_rng rng;
	struct cscg_walk *w;
	struct cscg_model *m;
	int t, v = 0;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 8);
	for (t = 0; t < STEPS; t++) {
		x[t] = v;
		if (cscg_rng_uniform(&rng) >= (v < n_noisy ? noise : .02))
			v = (v + 1) % NODES;
	}
	w = hand_walk(n_actions, NODES, STEPS, x, a);
	m = symbols_model(w);
	need(cscg_assess(m, w, &usual, -3.0, &err) < 0 ? NULL : m);
	ok(m->learned->mixed == 0 && m->learned->memory < 1e-3 &&
		m->learned->supported == NODES,
	    "%d actions, %d rows with more noise: a main successor each, "
	    "no memory",
	    n_actions, n_noisy);
	ok(m->learned->doubtful == doubtful, "... %s",
	    doubtful ? "nodes may be merged" : "no doubt");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * The same ring; the action stays with probability .2, at one node of it, if
 * one is mixed, half the time.  With some 80 steps, the main successor of a row
 * has less than three quarters of them by chance.
 */
static void
much_noise(bool mixed)
{
	enum { NODES = 40, STEPS = 4000 };
	static int x[STEPS], a[STEPS];
	struct cscg_rng rng;
	struct cscg_walk *w;
	struct cscg_model *m;
	int t, v = 0;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 9);
	for (t = 0; t < STEPS; t++) {
		x[t] = v;
		if (cscg_rng_uniform(&rng) >= (mixed && !v ? .5 : .2))
			v = (v + 1) % NODES;
	}
	w = hand_walk(2, NODES, STEPS, x, a);
	m = symbols_model(w);
	need(cscg_assess(m, w, &usual, -3.0, &err) < 0 ? NULL : m);
	ok(mixed ? m->learned->mixed > 0 && m->learned->mixed < .06 :
		   m->learned->mixed == 0,
	    "noise of .2%s: %g of the transitions without a main successor",
	    mixed ? ", .5 in one row" : "", m->learned->mixed);
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * A ring of 24 nodes, twice forwards, then twice backwards: two transitions in
 * each of the 48 rows, half of them in the second half.  The state of the first
 * step is unknown if its symbol has several.
 */
static void
short_walk(int clones, bool doubtful)
{
	enum { NODES = 24, STEPS = 4 * NODES + 1 };
	int node[STEPS], x[STEPS], a[STEPS], t;
	struct cscg_walk *w;
	struct cscg_model *m;

	for (t = 0; t < STEPS; t++) {
		node[t] = (t <= 2 * NODES ? t : 4 * NODES - t) % NODES;
		x[t] = node[t] / clones;
		a[t] = t >= 2 * NODES;
	}
	w = hand_walk(2, NODES / clones, STEPS, x, a);
	m = nodes_model(w, node, NODES, clones);
	need(cscg_assess(m, w, &usual, -3.0, &err) < 0 ? NULL : m);
	ok(m->learned->rows == 2 * NODES &&
		m->learned->supported >= 2 * NODES - 1 && !m->learned->enough,
	    "%d states per symbol, two transitions in each row", clones);
	ok(m->learned->doubtful == doubtful, "... %s",
	    doubtful ? "too few to distinguish clones" : "no doubt");
	cscg_model_free(m);
	cscg_walk_free(w);
}

/*
 * A ring of twelve nodes with a symbol each, but two have the same: action 0 leads
 * to the next node, and action 1 stays, but at node 3 it leads to a copy of it, and
 * back.  Nodes 3 and 4 have copies, the copy of 4 leads to another node than node 4, by action 0, and
 * back by action 1.  While action 0 is not taken there (late: in the first half of
 * the walk), the ring without copies explains every step, and the second half refutes
 * it.  The evidence of the whole walk decides all the same (a graph of the beam would
 * be in doubt: cli cscg-learn, a quarter of the walk in a maze).
 */
static void
hidden_copy(bool late)
{
	enum { NODES = 15, SYMBOLS = 11, STEPS = 6000, COPY = 6 };
	static const int symbol[NODES] = { 0, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7,
		8, 9, 10 };
	static const int next[2][NODES] = { { 1, 2, 3, 5, 6, 7, 11, 8, 10, 13,
						12, 8, 9, 14, 0 },
		{ 0, 1, 2, 4, 3, 5, 5, 7, 8, 9, 10, 11, 12, 13, 14 } };
	static int node[STEPS], x[STEPS], a[STEPS];
	struct cscg_rng rng;
	struct cscg_walk *w;
	struct cscg_model *m;
	int t, v = 0;

	cscg_rng_seed(&rng, 7, CSCG_RNG_TEST, 0, 9);
	for (t = 0; t < STEPS; t++) {
		node[t] = v;
		x[t] = symbol[v];
		a[t] = cscg_rng_uniform(&rng) < .3 ||
		    (v == COPY && late && t < STEPS / 2);
		v = next[a[t]][v];
	}
	w = hand_walk(2, SYMBOLS, STEPS, x, a);
	m = nodes_model(w, node, NODES, 1);
	memcpy(m->clone, symbol, sizeof symbol);
	need(cscg_assess(m, w, &usual, -3.0, &err) < 0 ? NULL : m);
	ok(m->learned->deterministic && m->learned->rows == 2 * NODES &&
		m->learned->supported == 2 * NODES,
	    "%s: a deterministic graph, each row supported",
	    late ? "a copy shown late" : "a copy shown from the start");
	ok(m->learned->enough == !late && !m->learned->doubtful,
	    "... no doubt, by evidence");
	cscg_model_free(m);
	cscg_walk_free(w);
}

int
main(void)
{
	small_walk();
	hidden_copy(false);
	hidden_copy(true);
	uneven_noise(2, 0, 0, false);
	uneven_noise(2, 1, .1, false);
	uneven_noise(2, 2, .1, true);
	uneven_noise(2, 1, .2, true);
	uneven_noise(1, 2, .1, false);
	much_noise(false);
	much_noise(true);
	short_walk(1, false);
	short_walk(2, true);
	remembers();
	rooms();
	return done();
}
