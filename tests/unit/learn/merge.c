/*
 * merge.c - state merging (EDSM) gives the graph that generated the walk, or
 * none
 *
 * The true nodes are in the walk (z), which merging does not use.  A result is
 * exact if its states correspond to the nodes one to one; it is pure if no
 * state has steps of two nodes.  An impure result must never happen: later
 * stages can merge states but not undo a merge.
 */
#include <string.h>

#include "learn/merge.h"
#include "tap.h"
#include "walker.h"

enum { SEEDS = 5 };

/*
 * The fraction of steps that must have a state for cscg_learn() to accept the
 * result.
 */
static const double ENOUGH = 0.9;

struct verdict {
	int rc, states, mixed, doubled; /* doubled: nodes of several states */
	double assigned;
};

static struct verdict
judge(const struct cscg_walk *w, int n_nodes)
{
	struct verdict v = { 0, 0, 0, 0, 0 };
	struct cscg_merge *f = NULL;
	int *node, *state, i;
	long t;

	v.rc = cscg_merge(w, SIZE_MAX, NULL, &f, &err);
	if (v.rc <= 0)
		return v;
	v.states = f->n_states;
	v.assigned = f->assigned;
	node = need(malloc((size_t)f->n_states * sizeof *node));
	state = need(malloc((size_t)n_nodes * sizeof *state));
	for (i = 0; i < f->n_states; i++)
		node[i] = -1;
	for (i = 0; i < n_nodes; i++)
		state[i] = -1;
	for (t = 0; t < w->n_steps; t++) {
		int s = f->state[t], z = w->z[t];

		if (s < 0)
			continue;
		v.mixed += node[s] >= 0 && node[s] != z;
		v.doubled += state[z] >= 0 && state[z] != s;
		node[s] = z;
		state[z] = s;
	}
	free(node);
	free(state);
	cscg_merge_free(f);
	return v;
}

static int
exact(struct verdict v, int n_nodes)
{
	return v.rc == 1 && v.states == n_nodes && !v.mixed && !v.doubled &&
	    v.assigned >= ENOUGH;
}

/* Number of exact results over SEEDS walks; frees room. */
static void
always(const char *name, struct cscg_room *room, struct walker how)
{
	struct verdict v = { 0 };
	struct cscg_walk *w;
	int i, good = 0;

	for (i = 0; i < SEEDS; i++) {
		how.seed = (uint64_t)i + 1;
		w = walk_in(room, &how);
		v = judge(w, room->n_nodes);
		if (exact(v, room->n_nodes))
			good++;
		else
			printf("# seed %d: rc %d, %d states for %d nodes, %d "
			       "mixed, %d doubled, %.3f settled\n",
			    i + 1, v.rc, v.states, room->n_nodes, v.mixed,
			    v.doubled, v.assigned);
		cscg_walk_free(w);
	}
	ok(good == SEEDS, "%s: %d of %d seeds exact", name, good, SEEDS);
	cscg_room_free(room);
}

/*
 * A ring of n with two actions, back and forth.  Symbols are 0 and 1 in an
 * order without symmetry, so that a sequence of several symbols identifies
 * every node.
 */
static struct cscg_room *
ring(int n, const char *pattern)
{
	int *obs = need(calloc((size_t)n, sizeof *obs)), v;
	int *next = need(calloc(2 * (size_t)n, sizeof *next));
	struct cscg_room *room;

	for (v = 0; v < n; v++) {
		obs[v] = pattern[v] - '0';
		next[v] = (v + 1) % n;
		next[n + v] = (v + n - 1) % n;
	}
	room = hand_room(n, 2, 2, obs, next);
	free(obs);
	free(next);
	return room;
}

/*
 * One-way transitions: a cycle of 6 nodes where action 0 leads to the next
 * node, and action 1 does so from even nodes but leads to node 0 from odd ones.
 * Nodes 1..5 are aliased in pairs.
 */
static struct cscg_room *
one_way(void)
{
	static const int obs[6] = { 0, 1, 2, 1, 2, 1 };
	static const int next[12] = { 1, 2, 3, 4, 5, 0, 1, 0, 3, 0, 5, 0 };

	return hand_room(6, 2, 3, obs, next);
}

/*
 * De Bruijn graph: a node is the last n bits, action b shifts b in, and the
 * symbol is the oldest bit.  No symbol and no pair of symbols is a landmark.
 */
static struct cscg_room *
de_bruijn(int n)
{
	int size = 1 << n, obs[64], next[128], v;

	for (v = 0; v < size; v++) {
		obs[v] = v >> (n - 1);
		next[v] = 2 * v % size;
		next[size + v] = 2 * v % size + 1;
	}
	return hand_room(size, 2, 2, obs, next);
}

/* A rectangle whose symbols are wall patterns. */
static struct cscg_room *
walls(int rows, int cols)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, rows, cols);
	struct cscg_room *fresh = need(cscg_room_new(room->n_nodes, 4, 16,
	    &err));
	struct cscg_edge *e = need(calloc(4 * (size_t)room->n_nodes,
	    sizeof *e));
	int v, a, n = 0;

	for (v = 0; v < room->n_nodes; v++)
		for (a = 0; a < 4; a++) {
			int to = cscg_room_successor(room, a, v);

			e[n++] = (struct cscg_edge){ a, v, to, 1 };
			fresh->obs[v] |= (to == v) << a;
		}
	need(cscg_room_set_edges(fresh, e, n, &err) < 0 ? NULL : fresh);
	free(e);
	cscg_room_free(room);
	return fresh;
}

static void
aliased(void)
{
	struct walker how = { .n = 20000 };
	char name[64];
	int n;

	for (n = 3; n <= 6; n++) {
		snprintf(name, sizeof name, "De Bruijn graph of order %d", n);
		always(name, de_bruijn(n), how);
	}
	always("wall patterns 6x7", walls(6, 7), how);
	how.run = 6;
	always("straight runs in a hole", shape_room(CSCG_HOLE, 7, 7), how);
	how = (struct walker){ .n = 100000 };
	always("20x20 with 4 symbols", random_symbols(20, 20, 4), how);
	how.n = 60000;
	always("24x24 with 100 symbols", random_symbols(24, 24, 100), how);
}

static void
worlds(void)
{
	struct walker how = { .n = 10000 };

	always("rectangle 5x6", shape_room(CSCG_RECTANGLE, 5, 6), how);
	always("hole 7x7", shape_room(CSCG_HOLE, 7, 7), how);
	always("u shape 6x9", shape_room(CSCG_USHAPE, 6, 9), how);
	always("cylinder 5x6", shape_room(CSCG_CYLINDER, 5, 6), how);
	always("torus 6x6", shape_room(CSCG_TORUS, 6, 6), how);
	how.n = 5000;
	always("a ring of 11 with 2 symbols", ring(11, "00010110011"), how);
	always("a world with one-way transitions", one_way(), how);
}

static void
troubles(void)
{
	struct walker how = { .n = 10000, .dropout = 0.05 };

	always("dropouts of 5 %", shape_room(CSCG_RECTANGLE, 5, 6), how);
	how = (struct walker){ .n = 10000, .reset = 0.01 };
	always("a reset every 100 steps", shape_room(CSCG_RECTANGLE, 5, 6),
	    how);
	how = (struct walker){ .n = 500, .episodes = 20 };
	always("20 episodes", shape_room(CSCG_RECTANGLE, 5, 6), how);
	how = (struct walker){
		.n = 500, .episodes = 24, .dropout = 0.03, .reset = 0.005
	};
	always("all of it", shape_room(CSCG_TORUS, 5, 6), how);
}

/* Stochastic worlds: no graph may be accepted. */
static void
chance(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct cscg_walk *w;
	struct verdict v;
	int i, believed = 0;

	need(cscg_room_slip(room, 0.1, &err) < 0 ? NULL : room);
	for (i = 0; i < SEEDS; i++) {
		struct walker how = { .n = 5000, .seed = (uint64_t)i + 1 };

		w = walk_in(room, &how);
		v = judge(w, room->n_nodes);
		believed += v.rc != 0 && v.assigned >= ENOUGH;
		cscg_walk_free(w);
	}
	ok(believed == 0, "with 10 %% slips no walk is merged completely");
	cscg_room_free(room);
}

/* Short walks: no result or a partial one, but always pure. */
static void
short_walks(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 6, 7);
	static const long n[] = { 1, 2, 3, 10, 100, 300, 1000, 2000 };
	struct cscg_walk *w;
	struct verdict v;
	size_t i;
	int seed, mixed, bad, partial = 0;

	for (i = 0; i < sizeof n / sizeof *n; i++) {
		for (mixed = bad = 0, seed = 1; seed <= SEEDS; seed++) {
			struct walker how = { .n = n[i],
				.seed = (uint64_t)seed };

			w = walk_in(room, &how);
			v = judge(w, room->n_nodes);
			mixed += v.mixed;
			bad += v.rc < 0 || v.rc > 1;
			partial += v.rc == 1 && v.assigned < 1;
			cscg_walk_free(w);
		}
		ok(!mixed && !bad, "%ld steps: each state has one true node",
		    n[i]);
	}
	ok(partial > 0, "%d of the results were partial", partial);
	cscg_room_free(room);
}

/* A walk whose table would be too large is not merged, nor one after a stop. */
static void
too_long(void)
{
	struct cscg_walk w = { .n_steps = (1L << 28) / 3 + 1,
		.head = { .n_actions = 3, .n_obs = 2 } };
	struct cscg_poll poll = { .stopped = true };
	struct cscg_merge *f = NULL;

	ok(cscg_merge(&w, SIZE_MAX, NULL, &f, &err) == 0 && !f &&
		cscg_merge_by_inverses(&w, 1, NULL, &f, &err) == 0 && !f,
	    "a walk that is too long has no result");
	w.n_steps = 1;
	ok(cscg_merge(&w, SIZE_MAX, &poll, &f, &err) == 0 && !f &&
		cscg_merge_by_inverses(&w, 1, &poll, &f, &err) == 0 && !f,
	    "nor has a search that was stopped before");
}

/* No symbols at all, or a single one, which is uninformative. */
static void
nothing_to_see(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 3, 3);
	struct walker how = { .n = 500, .seed = 1 };
	struct cscg_merge *f = NULL;
	struct cscg_walk *w = walk_in(room, &how);
	long t;
	int rc;

	for (t = 0; t < w->n_steps; t++)
		w->x[t] = -1;
	rc = cscg_merge(w, SIZE_MAX, NULL, &f, &err);
	ok(rc == 0 && !f, "a walk without observations has no result");
	cscg_merge_free(f);
	for (t = 0; t < w->n_steps; t++)
		w->x[t] = 0;
	rc = cscg_merge(w, SIZE_MAX, NULL, &f, &err);
	ok(rc == 0 ? !f : rc == 1 && f->n_states == 1,
	    "a walk of one symbol has no result or one state");
	cscg_merge_free(f);
	cscg_merge_free(NULL);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* The fields of a result are consistent, and true nodes are not used. */
static void
invariants(void)
{
	struct cscg_room *room = shape_room(CSCG_TORUS, 5, 6);
	struct walker how = { .n = 8000, .seed = 9, .dropout = 0.02 };
	struct cscg_walk *w = walk_in(room, &how);
	struct cscg_merge *f = NULL, *blind = NULL, *shuffled = NULL;
	struct cscg_rng rng;
	int i, bad = 0, rc;
	int *z = w->z;
	long t, settled = 0;

	rc = cscg_merge(w, SIZE_MAX, NULL, &f, &err);
	ok(rc == 1, "a torus is merged");
	for (i = 1; rc == 1 && i < f->n_states; i++)
		bad += f->symbol[i] < f->symbol[i - 1];
	ok(!bad, "its states are sorted by symbol");
	for (t = 0; rc == 1 && t < w->n_steps; t++) {
		settled += f->state[t] >= 0;
		bad += f->state[t] < -1 || f->state[t] >= f->n_states ||
		    (f->state[t] >= 0 && w->x[t] >= 0 &&
			f->symbol[f->state[t]] != w->x[t]);
	}
	ok(!bad, "every step is in a state of its symbol, or in none");
	ok(f->assigned == (double)settled / (double)w->n_steps,
	    "assigned is the fraction of steps with a state");

	w->z = NULL;
	rc = cscg_merge(w, SIZE_MAX, NULL, &blind, &err);
	ok(rc == 1 && blind->n_states == f->n_states &&
		!memcmp(blind->symbol, f->symbol,
		    (size_t)f->n_states * sizeof *f->symbol) &&
		!memcmp(blind->state, f->state,
		    (size_t)w->n_steps * sizeof *f->state),
	    "true nodes are not used");
	w->z = z;
	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	cscg_rng_shuffle(&rng, w->z, w->n_steps);
	rc = cscg_merge(w, SIZE_MAX, NULL, &shuffled, &err);
	ok(rc == 1 && shuffled->n_states == f->n_states &&
		!memcmp(shuffled->state, f->state,
		    (size_t)w->n_steps * sizeof *f->state),
	    "shuffled true nodes are not used");
	cscg_merge_free(f);
	cscg_merge_free(blind);
	cscg_merge_free(shuffled);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/*
 * A walk that can be merged with its resets contradicts every graph without
 * them.
 */
static void
resets(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 5, 6);
	struct walker how = { .n = 10000, .seed = 3, .reset = 0.02 };
	struct cscg_walk *w = walk_in(room, &how);
	struct verdict v = judge(w, room->n_nodes);

	ok(exact(v, room->n_nodes),
	    "a step across a reset is not a transition");
	memset(w->reset, 0, (size_t)w->n_steps);
	v = judge(w, room->n_nodes);
	ok(v.rc == 0 || v.assigned < ENOUGH,
	    "without resets there is no result");
	cscg_walk_free(w);
	cscg_room_free(room);
}

/* ---- short walks, where every rule of the search decides something ---- */

/* Eight nodes with three symbols, and two actions that lead anywhere. */
static struct cscg_room *
random_graph(void)
{
	int obs[8], next[16], i;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 2);
	for (i = 0; i < 16; i++) {
		obs[i / 2] = i / 2 % 3;
		next[i] = (int)cscg_rng_below(&rng, 8);
	}
	return hand_room(8, 2, 3, obs, next);
}

static struct cscg_room *
slippery(void)
{
	struct cscg_room *room = shape_room(CSCG_RECTANGLE, 3, 4);

	return need(cscg_room_slip(room, .01, &err) < 0 ? NULL : room);
}

/* Sums over walks and numbers of starts. */
struct sums {
	int states, complete;
	long steps; /* that have a state */
	long polls; /* pairs of states compared, and contexts */
};

static int
count_poll(void *ctx, const char *stage, double done, double total)
{
	long *n = ctx;

	/* Far from the numbers of the tables, if the share is none. */
	*n += strcmp(stage, "state merging") || done < 0 || done > 1 ||
		total != 1 ?
	    1000000 :
	    1;
	return 0;
}

/* The walks of ten seeds, from one start, two, and all. */
static struct sums
add_up(struct cscg_room *room, struct walker how)
{
	static const size_t starts[] = { 1, 2, SIZE_MAX };
	struct sums sum = { 0 };
	struct cscg_merge *f;
	struct cscg_walk *w;
	int i;

	for (i = 0; i < 30; i++) {
		struct cscg_poll poll = { .call = count_poll,
			.ctx = &sum.polls };

		how.seed = (uint64_t)(i / 3 + 1);
		w = walk_in(room, &how);
		need(cscg_merge(w, starts[i % 3], &poll, &f, &err) < 0 ? NULL :
									 w);
		if (f) {
			sum.states += f->n_states;
			sum.complete += f->complete;
			sum.steps += lround(f->assigned * (double)w->n_steps);
		}
		cscg_merge_free(f);
		cscg_walk_free(w);
	}
	cscg_room_free(room);
	return sum;
}

static int
stop_at(void *ctx, const char *stage, double done, double total)
{
	long *left = ctx;

	(void)stage;
	(void)done;
	(void)total;
	return --*left < 0;
}

/* A search that is stopped anywhere has a graph so far, or none. */
static void
stopped(void)
{
	struct cscg_room *room = random_symbols(3, 4, 4);
	struct walker how = { .n = 1500, .seed = 3 };
	struct cscg_walk *w = walk_in(room, &how);
	int mixed = 0, none = 0, part = 0;
	struct cscg_merge *f = NULL;
	long n, t, left = -1;

	for (n = 0; left < 0; n += n < 20 ? 1 : 7) {
		struct cscg_poll poll = { .call = stop_at, .ctx = &left };
		int node[100];

		left = n;
		need(cscg_merge(w, SIZE_MAX, &poll, &f, &err) < 0 ? NULL : w);
		memset(node, -1, sizeof node);
		none += !f;
		for (t = 0; f && t < w->n_steps; t++) {
			int s = f->state[t];

			mixed += s >= 100 ||
			    (s >= 0 && node[s] >= 0 && node[s] != w->z[t]);
			if (s >= 0)
				node[s] = w->z[t];
		}
		part += f && left < 0 && !f->complete;
		cscg_merge_free(f);
	}
	ok(!mixed && none > 0 && part > 0 && n > 40,
	    "stopped at any of %ld polls: %d times without a graph", n, none);
	cscg_walk_free(w);
	cscg_room_free(room);
}

/*
 * A walk in a random automaton, of which one symbol in fifty is misread: it has no
 * deterministic graph, and there is weak evidence for many merges.
 */
static struct cscg_walk *
misread_walk(void)
{
	enum { NODES = 60, N = 16000 };
	static int x[N], a[N];
	int obs[NODES], next[2 * NODES], v = 0, i;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 2);
	for (i = 0; i < 2 * NODES; i++) {
		obs[i / 2] = (int)cscg_rng_below(&rng, 4);
		next[i] = (int)cscg_rng_below(&rng, NODES);
	}
	for (i = 0; i < N; i++) {
		a[i] = (int)cscg_rng_below(&rng, 2);
		x[i] = cscg_rng_uniform(&rng) < .02 ?
		    (int)cscg_rng_below(&rng, 4) :
		    obs[v];
		v = next[2 * v + a[i]];
	}
	return hand_walk(2, 4, N, x, a);
}

/* The search has a limit of work. */
static void
endless(void)
{
	struct cscg_walk *w = misread_walk();
	struct cscg_merge *f = NULL;
	long polls = 0;
	struct cscg_poll poll = { .call = count_poll, .ctx = &polls };

	need(cscg_merge(w, SIZE_MAX, &poll, &f, &err) < 0 ? NULL : w);
	/* 427 a step without a limit. */
	ok(!(f && f->complete) && polls < 250 * w->n_steps,
	    "a search for a graph that does not exist ends (%ld comparisons)",
	    polls);
	cscg_merge_free(f);
	cscg_walk_free(w);
}

/*
 * The results and the numbers of comparisons of version 2.0.0, and since then of
 * starts that undo merges which inverse transitions contradict.  A walk has the same
 * result in later versions; who changes the search renews this table and says so in
 * NEWS.
 */
static void
kept_results(void)
{
	struct {
		const char *name;
		struct cscg_room *room;
		struct walker how;
		struct sums want;
	} row[] = {
		{ "3x4 of 500 steps", shape_room(CSCG_RECTANGLE, 3, 4),
		    { .n = 500 }, { 95, 0, 1731, 1071 } },
		{ "3x4 of 700 steps", shape_room(CSCG_RECTANGLE, 3, 4),
		    { .n = 700 }, { 168, 3, 7709, 1436 } },
		{ "4x5 with 3 symbols", random_symbols(4, 5, 3), { .n = 1200 },
		    { 541, 11, 26230, 20278 } },
		{ "wall patterns", walls(4, 4), { .n = 800 },
		    { 317, 10, 14760, 3071 } },
		{ "De Bruijn graph", de_bruijn(3), { .n = 300 },
		    { 160, 8, 5401, 4284 } },
		{ "ring", ring(9, "000101100"), { .n = 400 },
		    { 189, 18, 8261, 887 } },
		{ "one-way transitions", one_way(), { .n = 200 },
		    { 12, 1, 394, 704 } },
		{ "any transitions", random_graph(), { .n = 250 },
		    { 140, 10, 4953, 4660 } },
		{ "a hole, missing symbols", shape_room(CSCG_HOLE, 7, 7),
		    { .n = 100, .episodes = 12, .dropout = .1 },
		    { 612, 0, 8251, 39094 } },
		{ "resets", random_symbols(3, 4, 4),
		    { .n = 900, .reset = .03 }, { 249, 0, 16285, 5616 } },
		{ "straight runs", random_symbols(4, 4, 4),
		    { .n = 1800, .run = 4 }, { 506, 7, 39387, 76740 } },
		{ "slips of 1 %", slippery(), { .n = 600 },
		    { 81, 0, 690, 890 } },
	};
	size_t i;

	for (i = 0; i < sizeof row / sizeof *row; i++) {
		struct sums s = add_up(row[i].room, row[i].how);

		if (!ok(s.states == row[i].want.states &&
			    s.complete == row[i].want.complete &&
			    s.steps == row[i].want.steps &&
			    s.polls == row[i].want.polls,
			"%s: the results of version 2.0.0", row[i].name))
			printf("# { %d, %d, %ld, %ld }\n", s.states,
			    s.complete, s.steps, s.polls);
	}
}

int
main(void)
{
	worlds();
	aliased();
	troubles();
	chance();
	short_walks();
	nothing_to_see();
	too_long();
	invariants();
	resets();
	stopped();
	endless();
	kept_results();
	return done();
}
