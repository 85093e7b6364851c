/*
 * Breadth-first search and components, against all-pairs shortest paths
 * (Floyd-Warshall) of small random graphs
 */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "core/graph.h"
#include "need.h"
#include "tap.h"

enum { MAX = 9, ACTIONS = 3, FAR = 1000, ROUNDS = 400 };

/* Successors by action, -1: none; and distances by Floyd-Warshall. */
struct graph {
	int n;
	int to[MAX][ACTIONS];
	int d[MAX][MAX];
};

static struct graph
draw(struct cscg_rng *rng)
{
	struct graph g = { .n = 1 + (int)cscg_rng_below(rng, MAX) };
	double density = cscg_rng_uniform(rng);
	int u, v, w, a;

	for (u = 0; u < g.n; u++)
		for (a = 0; a < ACTIONS; a++)
			g.to[u][a] = cscg_rng_uniform(rng) < density ?
			    (int)cscg_rng_below(rng, g.n) :
			    -1;
	for (u = 0; u < g.n; u++)
		for (v = 0; v < g.n; v++) {
			g.d[u][v] = u == v ? 0 : FAR;
			for (a = 0; a < ACTIONS && u != v; a++)
				if (g.to[u][a] == v)
					g.d[u][v] = 1;
		}
	for (w = 0; w < g.n; w++)
		for (u = 0; u < g.n; u++)
			for (v = 0; v < g.n; v++)
				if (g.d[u][w] + g.d[w][v] < g.d[u][v])
					g.d[u][v] = g.d[u][w] + g.d[w][v];
	return g;
}

static void
search(const struct graph *g, struct cscg_bfs *b, const int *source, int n)
{
	int v, a, i;

	cscg_bfs_clear(b);
	for (i = 0; i < n; i++)
		cscg_bfs_reach(b, source[i], -1, -1);
	while ((v = cscg_bfs_next(b)) >= 0)
		for (a = 0; a < ACTIONS; a++)
			if (g->to[v][a] >= 0)
				cscg_bfs_reach(b, g->to[v][a], v, a);
}

/* The path to v is one of the graph, from a source, and has its length. */
static int
path_is_wrong(const struct graph *g, const struct cscg_bfs *b, int v)
{
	int labels[MAX], n = cscg_bfs_path(b, v, labels), u = v, i;

	while (b->previous[u] >= 0)
		u = b->previous[u];
	if (b->distance[u] != 0 || n != b->distance[v] ||
	    cscg_bfs_first_label(b, v) != (n ? labels[0] : -1))
		return 1;
	for (i = 0; i < n; i++)
		u = g->to[u][labels[i]];
	return u != v;
}

/* Position of the node in the queue. */
static int
turn_of(const struct cscg_bfs *b, int v)
{
	int i;

	for (i = 0; b->queue[i] != v; i++)
		;
	return i;
}

/*
 * A node is reached by the first edge in the order of nodes, then of actions.
 */
static int
tie_is_wrong(const struct graph *g, const struct cscg_bfs *b, int v)
{
	int i, a;

	if (b->previous[v] < 0)
		return 0;
	for (i = 0; i < b->n_reached; i++)
		for (a = 0; a < ACTIONS; a++)
			if (g->to[b->queue[i]][a] == v)
				return b->previous[v] != b->queue[i] ||
				    b->label[v] != a;
	return 1;
}

static void
test_search(void)
{
	int bad_distance = 0, bad_order = 0, bad_path = 0, bad_tie = 0;
	int round, v, i, source[2], n, least, several = 0;
	struct cscg_bfs b = { 0 };
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 1, CSCG_RNG_TEST, 0, 0);
	for (round = 0; round < ROUNDS; round++) {
		struct graph g = draw(&rng);

		need(cscg_bfs_fit(&b, g.n, &err) < 0 ? NULL : &b);
		n = 1 + (int)cscg_rng_below(&rng, 2);
		for (i = 0; i < n; i++)
			source[i] = (int)cscg_rng_below(&rng, g.n);
		search(&g, &b, source, n);
		for (v = 0; v < g.n; v++) {
			for (least = FAR, i = 0; i < n; i++)
				if (g.d[source[i]][v] < least)
					least = g.d[source[i]][v];
			bad_distance += b.distance[v] !=
			    (least == FAR ? -1 : least);
			if (least == FAR)
				continue;
			several += least > 1;
			bad_path += path_is_wrong(&g, &b, v);
			bad_tie += tie_is_wrong(&g, &b, v);
			i = turn_of(&b, v);
			bad_order += i >= b.n_reached ||
			    (i && b.distance[b.queue[i - 1]] > b.distance[v]);
		}
		bad_order += b.n_expanded != b.n_reached || b.n != g.n;
	}
	ok(!bad_distance, "distances from one and from several sources");
	ok(!bad_order, "the queue holds the nodes reached, nearest first");
	ok(!bad_path && several > ROUNDS / 2, "paths and their first edges");
	ok(!bad_tie, "of equal paths, the one with the first edge is kept");
	cscg_bfs_free(&b);
	ok(!b.n && !b.cap && !b.distance, "a freed search is empty");
}

static void
test_by_hand(void)
{
	struct cscg_bfs b = { 0 };
	int i, bad = 0;

	need(cscg_bfs_fit(&b, 5, &err) < 0 ? NULL : &b);
	ok(cscg_bfs_next(&b) == -1, "initially no node is reached");
	ok(cscg_bfs_reach(&b, 3, -1, 7) && !cscg_bfs_reach(&b, 3, -1, 8) &&
		b.label[3] == 7 && b.distance[3] == 0,
	    "a node is reached once");
	ok(cscg_bfs_next(&b) == 3 && cscg_bfs_reach(&b, 1, 3, 5) &&
		b.n_expanded == 1 && b.n_reached == 2,
	    "a search that ends early: one of two nodes is expanded");
	cscg_bfs_clear(&b);
	for (i = 0; i < 5; i++)
		bad += b.distance[i] != -1;
	ok(!bad && cscg_bfs_next(&b) == -1,
	    "a search is reset for the same number of nodes");
	cscg_bfs_reach(&b, 2, -1, -1);
	need(cscg_bfs_fit(&b, 9, &err) < 0 ? NULL : &b);
	for (i = 0; i < 9; i++)
		bad += b.distance[i] != -1;
	cscg_bfs_reach(&b, 8, -1, -1);
	need(cscg_bfs_fit(&b, 4, &err) < 0 ? NULL : &b);
	need(cscg_bfs_fit(&b, 9, &err) < 0 ? NULL : &b);
	for (i = 0; i < 9; i++)
		bad += b.distance[i] != -1;
	ok(!bad && b.n == 9 && b.cap == 9,
	    "a search is reset for another number of nodes");
	cscg_bfs_free(&b);
}

/* ---- components ---- */

/* Components from the reachability matrix, numbered by their first nodes. */
static int
by_force(int n, int same[MAX][MAX], int *component)
{
	int u, v, k = 0;

	for (v = 0; v < n; v++) {
		component[v] = -1;
		for (u = 0; u < v && component[v] < 0; u++)
			if (same[u][v])
				component[v] = component[u];
		if (component[v] < 0)
			component[v] = k++;
	}
	return k;
}

/* Nodes connected by edges of any direction, within a side. */
static void
connect(const struct graph *g, const char *side, int same[MAX][MAX])
{
	int u, v, w, a;

	for (u = 0; u < g->n; u++)
		for (v = 0; v < g->n; v++)
			same[u][v] = u == v;
	for (u = 0; u < g->n; u++)
		for (a = 0; a < ACTIONS; a++) {
			v = g->to[u][a];
			if (v >= 0 && (!side || side[u] == side[v]))
				same[u][v] = same[v][u] = 1;
		}
	for (w = 0; w < g->n; w++)
		for (u = 0; u < g->n; u++)
			for (v = 0; v < g->n; v++)
				same[u][v] |= same[u][w] && same[w][v];
}

/* Both directions of each edge, as lists. */
static void
undirected(const struct graph *g, long *first, int *to)
{
	int u, v, a;
	long n = 0;

	for (u = 0; u < g->n; u++) {
		first[u] = n;
		for (v = 0; v < g->n; v++)
			for (a = 0; a < ACTIONS; a++) {
				if (g->to[u][a] == v)
					to[n++] = v;
				if (g->to[v][a] == u)
					to[n++] = v;
			}
	}
	first[g->n] = n;
}

static void
test_connected(void)
{
	int bad = 0, bad_side = 0, split = 0, round, v, k;
	int same[MAX][MAX], want[MAX], got[MAX], to[2 * MAX * ACTIONS];
	long first[MAX + 1];
	char side[MAX];
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 2, CSCG_RNG_TEST, 0, 0);
	for (round = 0; round < ROUNDS; round++) {
		struct graph g = draw(&rng);

		undirected(&g, first, to);
		connect(&g, NULL, same);
		k = by_force(g.n, same, want);
		bad += cscg_connected_components(g.n, first, to, NULL, got,
			   &err) != k ||
		    memcmp(got, want, (size_t)g.n * sizeof *got);
		split += k > 1;
		for (v = 0; v < g.n; v++)
			side[v] = (char)cscg_rng_below(&rng, 2);
		connect(&g, side, same);
		k = by_force(g.n, same, want);
		bad_side += cscg_connected_components(g.n, first, to, side,
				got, &err) != k ||
		    memcmp(got, want, (size_t)g.n * sizeof *got);
	}
	ok(!bad && split > ROUNDS / 8, "connected components");
	ok(!bad_side, "connected components within a side");
}

/* The graph in the form of the library. */
static struct cscg_graph *
graph_of(const struct graph *g)
{
	struct cscg_graph *h = need(cscg_graph_new(g->n, ACTIONS,
	    MAX * ACTIONS, false, false, &err));
	long row, n = 0;

	for (row = 0; row < (long)ACTIONS * g->n; row++) {
		int to = g->to[row % g->n][row / g->n];

		if (to >= 0)
			h->to[n++] = to;
		h->first[row + 1] = n;
	}
	return h;
}

static int
largest_of(const int *component, int n)
{
	int size[MAX] = { 0 }, most = 0, v;

	for (v = 0; v < n; v++)
		if (++size[component[v]] > most)
			most = size[component[v]];
	return most;
}

static void
test_graph_components(void)
{
	int bad_weak = 0, bad_strong = 0, differ = 0, round, u, v, k, most;
	int same[MAX][MAX], component[MAX];
	struct cscg_rng rng;

	cscg_rng_seed(&rng, 3, CSCG_RNG_TEST, 0, 0);
	for (round = 0; round < ROUNDS; round++) {
		struct graph g = draw(&rng);
		struct cscg_graph *h = graph_of(&g);
		int weak, strong;

		connect(&g, NULL, same);
		weak = by_force(g.n, same, component);
		k = cscg_graph_components(h, false, &most, &err);
		bad_weak += k != weak || most != largest_of(component, g.n);
		for (u = 0; u < g.n; u++)
			for (v = 0; v < g.n; v++)
				same[u][v] = g.d[u][v] < FAR &&
				    g.d[v][u] < FAR;
		strong = by_force(g.n, same, component);
		k = cscg_graph_components(h, true, &most, &err);
		bad_strong += k != strong ||
		    most != largest_of(component, g.n);
		differ += weak != strong;
		cscg_graph_free(h);
	}
	ok(!bad_weak, "weakly connected components, and the largest");
	ok(!bad_strong && differ > ROUNDS / 4,
	    "strongly connected components, and the largest");
}

int
main(void)
{
	test_search();
	test_by_hand();
	test_connected();
	test_graph_components();
	return done();
}
