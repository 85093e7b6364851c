/*
 * graph, iso, compare: the graph of a model against that of a room, by hand and
 * by enumeration
 */
#include <stdlib.h>
#include <string.h>

#include "show/compare.h"
#include "core/graph.h"
#include "world/room.h"
#include "base/rng.h"
#include "tap.h"

static struct cscg_err err;

/* A line of n nodes with two actions, left and right, blocked at the ends. */
static struct cscg_room *
corridor(int n)
{
	struct cscg_room *room = cscg_room_new(n, 2, n, &err);
	struct cscg_edge e[64];
	int v;

	for (v = 0; v < n; v++) {
		room->obs[v] = v;
		e[2 * v] = (struct cscg_edge){ 0, v, v ? v - 1 : 0, 1 };
		e[2 * v + 1] = (struct cscg_edge){ 1, v, v < n - 1 ? v + 1 : v,
			1 };
	}
	if (cscg_room_set_edges(room, e, 2 * n, &err) < 0)
		printf("# %s\n", err.msg);
	return room;
}

/* The same as a ring, all nodes with one symbol. */
static struct cscg_room *
rings(int n_rings, int size)
{
	int n = n_rings * size, v;
	struct cscg_room *room = cscg_room_new(n, 2, 1, &err);
	struct cscg_edge e[256];

	for (v = 0; v < n; v++) {
		int base = v / size * size, at = v % size;

		e[2 * v] = (struct cscg_edge){ 0, v,
			base + (at + size - 1) % size, 1 };
		e[2 * v + 1] = (struct cscg_edge){ 1, v,
			base + (at + 1) % size, 1 };
	}
	if (cscg_room_set_edges(room, e, 2 * n, &err) < 0)
		printf("# %s\n", err.msg);
	return room;
}

static void
building(void)
{
	struct cscg_model *m = cscg_model_new(CSCG_GROUNDED, 3, 1, 2, &err);
	const struct cscg_count c[] = { { 0, 0, 1, 97 }, { 0, 0, 2, 3 },
		{ 0, 1, 2, 1 } };
	struct cscg_graph *all, *most;

	m->clone[0] = 0;
	m->clone[1] = m->clone[2] = 1;
	m->pseudocount = 0.1;
	cscg_model_set_counts(m, c, 3, &err);
	all = cscg_graph_of_model(m, 0, &err);
	most = cscg_graph_of_model(m, 0.05, &err);
	ok(all->first[3] == 3 && all->first[1] == 2 && all->first[2] == 3,
	    "counts of a model become edges, in the order of rows");
	ok(near(all->share[1], 0.03, 1e-12) && all->count[1] == 3,
	    "the share of an edge excludes smoothing");
	/* (3 + 0.1) / (100 + 3 * 0.1) */
	ok(near(all->p[1], 3.1 / 100.3, 1e-12),
	    "the probability of an edge includes smoothing");
	ok(most->first[3] == 2 && most->to[0] == 1 && most->to[1] == 2,
	    "edges below the minimum probability are left out");
	ok(all->label[0] == 0 && all->label[2] == 1 && all->grounded,
	    "states are labelled by their symbol");
	cscg_model_unground(m, CSCG_CLONES);
	cscg_graph_free(all);
	all = cscg_graph_of_model(m, 0, &err);
	ok(all->label && !all->grounded,
	    "states of a schema are labelled by their clone group");
	cscg_model_unground(m, CSCG_SCHEMA);
	cscg_graph_free(most);
	most = cscg_graph_of_model(m, 0, &err);
	ok(!most->label, "states of a schema without clones have no label");
	cscg_graph_free(all);
	cscg_graph_free(most);
	cscg_model_free(m);
}

static void
components(void)
{
	/* 0 <-> 1 -> 2 <-> 3, and 4 alone */
	const struct cscg_count c[] = { { 0, 0, 1, 1 }, { 1, 1, 0, 1 },
		{ 1, 1, 2, 1 }, { 0, 2, 3, 1 }, { 0, 3, 2, 1 },
		{ 0, 4, 4, 1 } };
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, 5, 2, 1, &err);
	struct cscg_room *room = corridor(6);
	struct cscg_graph *g;
	int most = 0;

	cscg_model_set_counts(m, c, 6, &err);
	g = cscg_graph_of_model(m, 0, &err);
	ok(cscg_graph_components(g, false, &most, &err) == 2 && most == 4,
	    "weakly connected components of a model");
	ok(cscg_graph_components(g, true, &most, &err) == 3 && most == 2,
	    "strongly connected components of a model");
	cscg_graph_free(g);
	g = cscg_graph_of_room(room, 0, &err);
	ok(cscg_graph_components(g, true, &most, &err) == 1 && most == 6,
	    "a corridor is one strongly connected component");
	cscg_graph_free(g);
	cscg_room_free(room);
	cscg_model_free(m);
}

/* Compare a model with a room, with or without a walk. */
static int
compare(const struct cscg_model *m, const struct cscg_room *room,
    enum cscg_compare_labels labels, const int *state, const int *z, long n,
    struct cscg_compare_result *c, int *map)
{
	struct cscg_graph *mg = cscg_graph_of_model(m, 0.05, &err);
	struct cscg_graph *rg = cscg_graph_of_room(room, 0.05, &err);
	int rc = cscg_compare(mg, rg, labels, state, z, n, c, map, &err);

	cscg_graph_free(mg);
	cscg_graph_free(rg);
	return rc;
}

static void
walks(void)
{
	struct cscg_room *room = corridor(4);
	/*
	 * States 0 1 2 are nodes 0 1 2; 3 and 4 both node 3.  State 0 has one
	 * spurious edge (right to 2), state 1 lacks right.
	 */
	const struct cscg_count c[] = { { 0, 0, 0, 9 }, { 1, 0, 1, 8 },
		{ 1, 0, 2, 2 }, { 0, 1, 0, 9 }, { 0, 2, 1, 9 }, { 1, 2, 3, 5 },
		{ 1, 2, 4, 5 }, { 0, 3, 2, 9 }, { 1, 3, 3, 9 }, { 0, 4, 2, 9 },
		{ 1, 4, 4, 9 } };
	const int state[] = { 0, 0, 0, 1, 2, 3, 4, 4, 2, -1, 1 };
	const int z[] = { 0, 0, 1, 1, 2, 3, 3, 3, 2, 1, -1 };
	struct cscg_model *m = cscg_model_new(CSCG_SCHEMA, 5, 2, 1, &err);
	struct cscg_compare_result r;
	int map[5];

	cscg_model_set_counts(m, c, 11, &err);
	ok(compare(m, room, CSCG_COMPARE_AUTO, state, z, 11, &r, map) == 0 &&
		!r.isomorphic,
	    "a graph with a wrong edge is not isomorphic");
	ok(r.states == 5 && r.nodes == 4 && r.used == 5 && r.visited == 4 &&
		r.steps == 9,
	    "steps without node or state do not count");
	ok(near(r.purity, 8.0 / 9, 1e-12),
	    "purity counts one of nine steps as wrong");
	ok(r.missing == 1 && r.spurious == 1,
	    "one missing and one spurious edge; two states of a node add "
	    "none");
	ok(map[0] == 0 && map[3] == 3 && map[4] == 3,
	    "each state is mapped to its node");
	/*
	 * Only nodes 0 and 1 are visited: edges of other nodes are not counted.
	 */
	ok(compare(m, room, CSCG_COMPARE_AUTO, state, z, 4, &r, map) == 0 &&
		r.used == 2 && r.visited == 2 && r.missing == 0 &&
		r.spurious == 0 && map[2] == -1,
	    "only edges between visited nodes are compared");
	ok(compare(m, room, CSCG_COMPARE_AUTO, state, (int[]){ 4 }, 1, &r,
	       NULL) < 0 &&
		err.code == CSCG_ERANGE &&
		!strcmp(err.msg,
		    "node 4 of the walk is outside 0..3 of the room"),
	    "a node outside the room is refused");
	cscg_model_free(m);
	/*
	 * An exact model and a walk that visits half of it: the isomorphism
	 * determines the rest.
	 */
	m = cscg_room_model(room, 10, 0, NULL, &err);
	ok(compare(m, room, CSCG_COMPARE_AUTO, (int[]){ 0, 1 },
	       (int[]){ 0, 1 }, 2, &r, map) == 0 &&
		r.isomorphic && map[3] == 3,
	    "an isomorphism maps states that the walk does not visit");
	ok(compare(m, room, CSCG_COMPARE_AUTO, (int[]){ 0, 1 },
	       (int[]){ 1, 0 }, 2, &r, map) == 0 &&
		!r.isomorphic,
	    "an isomorphism must agree with the walk");
	ok(compare(m, room, CSCG_COMPARE_UNLABELLED, NULL, NULL, 0, &r, map) ==
		    0 &&
		r.isomorphic && isnan(r.purity) && r.used == -1 &&
		r.steps == -1 && r.missing == 0,
	    "without a walk there is no purity");
	cscg_model_free(m);
	cscg_room_free(room);
}

static void
labels(void)
{
	struct cscg_room *a = rings(1, 4), *b = rings(1, 4);
	struct cscg_room *c = rings(2, 3), *d = rings(1, 6);
	struct cscg_model *m = NULL, *n = NULL;
	struct cscg_compare_result r;

	a->n_obs = b->n_obs = 2;
	a->obs[0] = a->obs[2] = 1;
	b->obs[1] = b->obs[3] = 1;
	m = cscg_room_model(a, 10, 0, NULL, &err);
	ok(compare(m, b, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) == 0 &&
		r.isomorphic,
	    "a rotated ring is isomorphic");
	b->obs[1] = b->obs[2] = b->obs[3] = 1;
	ok(compare(m, b, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) == 0 &&
		!r.isomorphic,
	    "a ring with other symbols is not isomorphic");
	ok(compare(m, b, CSCG_COMPARE_UNLABELLED, NULL, NULL, 0, &r, NULL) ==
		    0 &&
		r.isomorphic,
	    "symbols can be ignored");
	b->n_obs = 8;
	b->obs[0] = b->obs[2] = 7;
	b->obs[1] = b->obs[3] = 5;
	ok(compare(m, b, CSCG_COMPARE_SYMBOLS, NULL, NULL, 0, &r, NULL) == 0 &&
		!r.isomorphic,
	    "renamed symbols are not isomorphic by symbol");
	ok(compare(m, b, CSCG_COMPARE_GROUPS, NULL, NULL, 0, &r, NULL) == 0 &&
		r.isomorphic,
	    "renamed symbols are isomorphic by group");
	b->obs[2] = b->obs[1];
	b->obs[1] = 7;
	ok(compare(m, b, CSCG_COMPARE_GROUPS, NULL, NULL, 0, &r, NULL) == 0 &&
		!r.isomorphic,
	    "other groups of the same size are not isomorphic");
	cscg_model_unground(m, CSCG_SCHEMA);
	ok(compare(m, b, CSCG_COMPARE_SYMBOLS, NULL, NULL, 0, &r, NULL) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "a schema has no symbols to compare");
	/*
	 * In both graphs all nodes have the same symbols and degrees around
	 * them.
	 */
	n = cscg_room_model(c, 10, 0, NULL, &err);
	ok(compare(n, d, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) == 0 &&
		!r.isomorphic && r.missing == -1,
	    "two rings of three are not a ring of six");
	ok(compare(n, c, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) == 0 &&
		r.isomorphic,
	    "two rings of three are isomorphic to themselves");
	cscg_model_free(m);
	cscg_model_free(n);
	cscg_room_free(a);
	cscg_room_free(b);
	cscg_room_free(c);
	cscg_room_free(d);
}

static void
actions(void)
{
	struct cscg_room *room = corridor(3), *other = corridor(3);
	static const char *const lr[] = { "left", "right", NULL };
	static const char *const rl[] = { "right", "left", NULL };
	struct cscg_model *m;
	struct cscg_compare_result r;
	struct cscg_edge e[6];
	int v;

	cscg_names_set(&room->actions, lr, &err);
	m = cscg_room_model(room, 10, 0, NULL, &err);
	cscg_names_set(&other->actions, rl, &err);
	ok(compare(m, other, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) ==
		    0 &&
		!r.isomorphic,
	    "exchanged actions are not isomorphic");
	for (v = 0; v < 3; v++) {
		e[2 * v] = (struct cscg_edge){ 1, v, v ? v - 1 : 0, 1 };
		e[2 * v + 1] = (struct cscg_edge){ 0, v, v < 2 ? v + 1 : v,
			1 };
	}
	cscg_room_set_edges(other, e, 6, &err);
	ok(compare(m, other, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) ==
		    0 &&
		r.isomorphic,
	    "actions are matched by name");
	cscg_names_free(&other->actions);
	cscg_names_set(&other->actions,
	    (const char *const[]){ "left", "up", NULL }, &err);
	ok(compare(m, other, CSCG_COMPARE_AUTO, NULL, NULL, 0, &r, NULL) < 0 &&
		err.code == CSCG_EMISMATCH,
	    "an action that the model lacks is refused");
	cscg_model_free(m);
	cscg_room_free(room);
	cscg_room_free(other);
}

enum { N_MAX = 6, A_MAX = 2 };

/* A random room; transitions have one or two outcomes. */
static struct cscg_room *
random_room(struct cscg_rng *rng, int n, int n_actions, int n_obs, bool sure)
{
	struct cscg_room *room = cscg_room_new(n, n_actions, n_obs, &err);
	struct cscg_edge e[2 * N_MAX * A_MAX];
	int a, v, k = 0;

	for (v = 0; v < n; v++)
		room->obs[v] = cscg_rng_below(rng, n_obs);
	for (a = 0; a < n_actions; a++)
		for (v = 0; v < n; v++) {
			int to = cscg_rng_below(rng, n);

			e[k++] = (struct cscg_edge){ a, v, to, 0.5 };
			if (!sure)
				to = cscg_rng_below(rng, n);
			e[k++] = (struct cscg_edge){ a, v, to, 0.5 };
		}
	cscg_room_set_edges(room, e, k, &err);
	return room;
}

/* room with its nodes in another order, and perhaps one edge moved. */
static struct cscg_room *
shuffled(struct cscg_rng *rng, const struct cscg_room *room, bool change)
{
	struct cscg_room *to = cscg_room_new(room->n_nodes, room->n_actions,
	    room->n_obs, &err);
	struct cscg_edge e[2 * N_MAX * A_MAX];
	int order[N_MAX], v, n = room->n_nodes, k = 0;
	long row, i;

	for (v = 0; v < n; v++)
		order[v] = v;
	cscg_rng_shuffle(rng, order, n);
	for (v = 0; v < n; v++)
		to->obs[order[v]] = room->obs[v];
	for (row = 0; row < (long)n * room->n_actions; row++)
		for (i = room->first[row]; i < room->first[row + 1]; i++)
			e[k++] = (struct cscg_edge){ row / n, order[row % n],
				order[room->to[i]], room->p[i] };
	if (change)
		e[cscg_rng_below(rng, k)].to = cscg_rng_below(rng, n);
	cscg_room_set_edges(to, e, k, &err);
	return to;
}

static bool
has_edge(const struct cscg_room *room, int a, int u, int v)
{
	long i, row = (long)a * room->n_nodes + u;

	for (i = room->first[row]; i < room->first[row + 1]; i++)
		if (room->to[i] == v)
			return true;
	return false;
}

/* Does this permutation map a to b? */
static bool
turns(const struct cscg_room *a, const struct cscg_room *b, const int *order,
    enum cscg_compare_labels keep)
{
	int x, u, v, n = a->n_nodes;

	for (u = 0; u < n; u++)
		for (v = 0; v < n; v++) {
			for (x = 0; x < a->n_actions; x++)
				if (has_edge(a, x, u, v) !=
				    has_edge(b, x, order[u], order[v]))
					return false;
			if (keep == CSCG_COMPARE_GROUPS &&
			    (a->obs[u] == a->obs[v]) !=
				(b->obs[order[u]] == b->obs[order[v]]))
				return false;
		}
	for (u = 0; keep == CSCG_COMPARE_SYMBOLS && u < n; u++)
		if (a->obs[u] != b->obs[order[u]])
			return false;
	return true;
}

/* Is there such a permutation? Tries all. */
static bool
brute(const struct cscg_room *a, const struct cscg_room *b, int *order, int k,
    enum cscg_compare_labels keep)
{
	int i, t, n = a->n_nodes;

	if (k == n)
		return turns(a, b, order, keep);
	for (i = k; i < n; i++) {
		t = order[k], order[k] = order[i], order[i] = t;
		if (brute(a, b, order, k + 1, keep))
			return true;
		t = order[k], order[k] = order[i], order[i] = t;
	}
	return false;
}

static void
by_force(void)
{
	int trial, yes = 0, wrong = 0, bad_map = 0, n_trials = 1500;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 0, 0);
	for (trial = 0; trial < n_trials; trial++) {
		int n = 1 + cscg_rng_below(&rng, N_MAX), order[N_MAX], v;
		int n_actions = 1 + cscg_rng_below(&rng, A_MAX), map[N_MAX];
		enum cscg_compare_labels keep = CSCG_COMPARE_SYMBOLS +
		    trial % 3;
		struct cscg_room *a = random_room(&rng, n, n_actions,
		    1 + cscg_rng_below(&rng, 3), trial % 2);
		struct cscg_room *b = shuffled(&rng, a, trial % 5 > 1);
		int node_of[N_MAX];
		struct cscg_model *m = cscg_room_model(a, 10, 0, node_of,
		    &err);
		struct cscg_compare_result c;
		bool want;

		for (v = 0; v < n; v++)
			order[v] = v;
		want = brute(a, b, order, 0, keep);
		if (compare(m, b, keep, NULL, NULL, 0, &c, map) < 0 ||
		    c.isomorphic != want)
			wrong++;
		else if (want) {
			yes++;
			for (v = 0; v < n; v++)
				order[node_of[v]] = map[v];
			bad_map += !turns(a, b, order, keep);
		}
		cscg_model_free(m);
		cscg_room_free(a);
		cscg_room_free(b);
	}
	ok(wrong == 0,
	    "%d random pairs: isomorphic if and only if a permutation is "
	    "found by enumeration (%d wrong)",
	    n_trials, wrong);
	ok(bad_map == 0 && yes > n_trials / 5 && yes < n_trials * 4 / 5,
	    "the map found is an isomorphism (%d isomorphic)", yes);
}

/* Each of the three numbers decides where the ones before it are equal. */
static void
arc_order(void)
{
	static const struct cscg_arc sorted[] = {
		{ 2, 0, 9 },
		{ 0, 1, 5 },
		{ 0, 1, 6 },
		{ 1, 1, 0 },
	};
	int n = (int)(sizeof sorted / sizeof *sorted), i, k, wrong = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			wrong += cscg_arc_compare(&sorted[i], &sorted[k]) !=
			    (i > k) - (i < k);
	ok(wrong == 0, "arcs are ordered by from, action, to (%d wrong)",
	    wrong);
}

/*
 * The edges into each node of random graphs: each edge once, at its target and in
 * the order of the edges, without those of one action.
 */
static void
by_target(void)
{
	enum { NODES = 7, ACTIONS = 3, EDGES = NODES * ACTIONS * 4 };
	long first[NODES * ACTIONS + 1] = { 0 }, in_first[NODES + 1];
	long edge[EDGES], i, r, n, kept, bad = 0;
	int to[EDGES], from[EDGES], from_alone[EDGES], without, v, k;
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 5, CSCG_RNG_TEST, 1, 0);
	for (k = 0; k < 40; k++) {
		without = k % (ACTIONS + 1) - 1;
		for (r = n = kept = 0; r < NODES * ACTIONS; r++) {
			first[r] = n;
			for (i = cscg_rng_below(&rng, 5); i > 0; i--) {
				kept += r / NODES != without;
				to[n++] = (int)cscg_rng_below(&rng, NODES);
			}
		}
		first[r] = n;
		cscg_edges_by_target(NODES, ACTIONS, first, to, without,
		    in_first, from, edge);
		bad += in_first[0] != 0 || in_first[NODES] != kept;
		for (v = 0; v < NODES; v++)
			for (i = in_first[v]; i < in_first[v + 1]; i++) {
				for (r = 0; first[r + 1] <= edge[i];)
					r++;
				bad += to[edge[i]] != v ||
				    from[i] != r % NODES ||
				    r / NODES == without ||
				    (i > in_first[v] &&
					edge[i] <= edge[i - 1]);
			}
		cscg_edges_by_target(NODES, ACTIONS, first, to, without,
		    in_first, from_alone, NULL);
		bad += memcmp(from, from_alone, (size_t)kept * sizeof *from) !=
		    0;
	}
	ok(bad == 0, "edges by target are those of the graph, in order");
}

int
main(void)
{
	arc_order();
	by_target();
	building();
	components();
	walks();
	labels();
	actions();
	by_force();
	return done();
}
