/*
 * graph.c - what a model and a room have in common
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph.h"
#include "base/mem.h"

void
cscg_graph_free(struct cscg_graph *g)
{
	if (!g)
		return;
	free(g->label);
	free(g->first);
	free(g->to);
	free(g->share);
	free(g->p);
	free(g->count);
	free(g->own_coords);
	free(g);
}

struct cscg_graph *
cscg_graph_new(int n_nodes, int n_actions, long n_edges, bool labels, bool counts,
    struct cscg_err *err)
{
	struct cscg_graph *g = cscg_alloc(1, sizeof(*g), err);

	if (!g)
		return NULL;
	g->n_nodes = n_nodes;
	g->n_actions = n_actions;
	g->first = cscg_alloc((size_t)n_actions * n_nodes + 1,
	    sizeof(*g->first), err);
	g->to = cscg_alloc(n_edges, sizeof(*g->to), err);
	g->share = cscg_alloc(n_edges, sizeof(*g->share), err);
	g->p = cscg_alloc(n_edges, sizeof(*g->p), err);
	if (labels)
		g->label = cscg_alloc(n_nodes, sizeof(*g->label), err);
	if (counts)
		g->count = cscg_alloc(n_edges, sizeof(*g->count), err);
	if (!g->first || !g->to || !g->share || !g->p ||
	    (labels && !g->label) || (counts && !g->count)) {
		cscg_graph_free(g);
		return NULL;
	}
	return g;
}

/* What state j looks like: the likeliest symbol, the first of equals. */
static int
state_label(const struct cscg_model *m, int j)
{
	long i, best;

	if (!m->e_first)
		return m->clone[j];
	best = m->e_first[j];
	if (best == m->e_first[j + 1])
		return m->clone ? m->clone[j] : -1;
	for (i = best; i < m->e_first[j + 1]; i++)
		if (m->e_p[i] > m->e_p[best])
			best = i;
	return m->e_obs[best];
}

struct cscg_graph *
cscg_graph_of_model(const struct cscg_model *m, double min_share,
    struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;
	struct cscg_graph *g;
	bool labels = m->clone || m->e_first;
	double sum, norm;
	int j;

	g = cscg_graph_new(m->n_states, m->n_actions, m->first[rows], labels, true,
	    err);
	if (!g)
		return NULL;
	for (row = 0; row < rows; row++) {
		sum = cscg_model_row_sum(m, (int)(row / m->n_states),
		    (int)(row % m->n_states));
		norm = sum + m->pseudocount * m->n_states;
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			if (m->count[i] / sum < min_share)
				continue;
			g->to[n] = m->to[i];
			g->share[n] = m->count[i] / sum;
			g->p[n] = (m->count[i] + m->pseudocount) / norm;
			g->count[n++] = m->count[i];
		}
		g->first[row + 1] = n;
	}
	for (j = 0; labels && j < m->n_states; j++)
		g->label[j] = state_label(m, j);
	g->n_labels = m->n_obs;
	g->grounded = m->kind == CSCG_GROUNDED;
	g->coords = m->coords;
	g->actions = &m->actions;
	g->symbols = &m->symbols;
	return g;
}

/* The root of v in a forest of parents, halving the way there. */
static int
root(int *parent, int v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

static void
weak_components(const struct cscg_graph *g, int *comp)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	int v;

	for (v = 0; v < g->n_nodes; v++)
		comp[v] = v;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int a = root(comp, (int)(row % g->n_nodes));
			int b = root(comp, g->to[i]);

			comp[a > b ? a : b] = a > b ? b : a;
		}
	for (v = 0; v < g->n_nodes; v++)
		comp[v] = root(comp, v);
}

/* Tarjan's walk without recursion: rooms may have a million nodes. */
struct tarjan {
	const struct cscg_graph *g;
	int *comp;		/* result: some node of the component, or -1 */
	int *order, *low;	/* 0: not seen */
	int *stack, *path;	/* open nodes; the way from the root */
	int *action;		/* where we are in the edges of a node */
	long *edge;
	int n_stack, n_path, clock;
};

static void
tarjan_enter(struct tarjan *t, int v)
{
	t->order[v] = t->low[v] = ++t->clock;
	t->stack[t->n_stack++] = v;
	t->path[t->n_path++] = v;
	t->action[v] = 0;
	t->edge[v] = t->g->first[v];
}

/* The next node along the edges of v, or -1. */
static int
tarjan_next(struct tarjan *t, int v)
{
	const struct cscg_graph *g = t->g;
	long row;

	for (; t->action[v] < g->n_actions; t->action[v]++) {
		row = (long)t->action[v] * g->n_nodes + v;
		if (t->edge[v] < g->first[row])
			t->edge[v] = g->first[row];
		if (t->edge[v] < g->first[row + 1])
			return g->to[t->edge[v]++];
	}
	return -1;
}

static void
tarjan_leave(struct tarjan *t, int v)
{
	int w;

	t->n_path--;
	if (t->n_path && t->low[t->path[t->n_path - 1]] > t->low[v])
		t->low[t->path[t->n_path - 1]] = t->low[v];
	if (t->low[v] != t->order[v])
		return;
	do {
		w = t->stack[--t->n_stack];
		t->comp[w] = v;
	} while (w != v);
}

static int
strong_components(const struct cscg_graph *g, int *comp, struct cscg_err *err)
{
	struct tarjan t = { .g = g, .comp = comp };
	int v, w, root_v, n = g->n_nodes, *ints;

	ints = cscg_alloc(5 * (size_t)n, sizeof(*ints), err);
	t.edge = cscg_alloc(n, sizeof(*t.edge), err);
	if (!ints || !t.edge) {
		free(ints);
		free(t.edge);
		return -1;
	}
	t.order = ints;
	t.low = ints + n;
	t.stack = ints + 2 * (size_t)n;
	t.path = ints + 3 * (size_t)n;
	t.action = ints + 4 * (size_t)n;
	memset(comp, -1, n * sizeof(*comp));
	for (root_v = 0; root_v < n; root_v++) {
		if (t.order[root_v])
			continue;
		tarjan_enter(&t, root_v);
		while (t.n_path) {
			v = t.path[t.n_path - 1];
			w = tarjan_next(&t, v);
			if (w < 0)
				tarjan_leave(&t, v);
			else if (!t.order[w])
				tarjan_enter(&t, w);
			else if (comp[w] < 0 && t.low[v] > t.order[w])
				t.low[v] = t.order[w];
		}
	}
	free(ints);
	free(t.edge);
	return 0;
}

int
cscg_graph_components(const struct cscg_graph *g, bool strong, int *largest,
    struct cscg_err *err)
{
	int v, n = -1, most = 0, *comp, *size;

	comp = cscg_alloc(g->n_nodes, sizeof(*comp), err);
	size = cscg_alloc(g->n_nodes, sizeof(*size), err);
	if (!comp || !size)
		goto out;
	if (!strong)
		weak_components(g, comp);
	else if (strong_components(g, comp, err) < 0)
		goto out;
	n = 0;
	for (v = 0; v < g->n_nodes; v++) {
		n += size[comp[v]]++ == 0;
		if (size[comp[v]] > most)
			most = size[comp[v]];
	}
	if (largest)
		*largest = most;
out:
	free(comp);
	free(size);
	return n;
}

/* The length of the shortest edge of g between two places, or 1. */
static double
shortest_edge(const struct cscg_graph *g)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	double d, best = INFINITY;

	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			const double *u = g->coords + row % g->n_nodes * 2;
			const double *v = g->coords + 2 * (size_t)g->to[i];

			d = hypot(u[0] - v[0], u[1] - v[1]);
			if (d > 0 && d < best)
				best = d;
		}
	return isinf(best) ? 1 : best;
}

int
cscg_graph_set_coords(struct cscg_graph *g, const struct cscg_graph *truth,
    const int *map, struct cscg_err *err)
{
	double *at = NULL, spacing, angle;
	int *n_same = NULL, *nth = NULL, v, rc = -1;

	if (!truth->coords)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the room has no coordinates");
	at = cscg_alloc(g->n_nodes, 2 * sizeof(*at), err);
	n_same = cscg_alloc(truth->n_nodes, sizeof(*n_same), err);
	nth = cscg_alloc(g->n_nodes, sizeof(*nth), err);
	if (!at || !n_same || !nth)
		goto out;
	for (v = 0; v < g->n_nodes; v++)
		if (map[v] >= 0)
			nth[v] = n_same[map[v]]++;
	spacing = shortest_edge(truth);
	for (v = 0; v < g->n_nodes; v++) {
		double *p = at + 2 * (size_t)v;

		p[0] = p[1] = NAN;
		if (map[v] < 0)
			continue;
		p[0] = truth->coords[2 * (size_t)map[v]];
		p[1] = truth->coords[2 * (size_t)map[v] + 1];
		if (n_same[map[v]] < 2)
			continue;
		angle = 2 * M_PI * nth[v] / n_same[map[v]];
		p[0] -= spacing / 4 * sin(angle);
		p[1] -= spacing / 4 * cos(angle);
	}
	free(g->own_coords);
	g->coords = g->own_coords = at;
	at = NULL;
	g->rows = truth->rows;
	g->cols = truth->cols;
	g->wrap_rows = truth->wrap_rows;
	g->wrap_cols = truth->wrap_cols;
	rc = 0;
out:
	free(at);
	free(n_same);
	free(nth);
	return rc;
}
