/* rooms_web.c - how strongly the nodes of a graph hang together */
#include <stdlib.h>

#include "base/mem.h"
#include "schema/rooms_web.h"

struct weighted_edge {
	int from, to;
	double w;
};

void
cscg_wgraph_free(struct cscg_wgraph *w)
{
	if (!w)
		return;
	free(w->first);
	free(w->to);
	free(w->w);
	free(w->degree);
	free(w);
}

/* With room for n_edges weights. */
static struct cscg_wgraph *
wgraph_new(int n, long n_edges, struct cscg_err *err)
{
	struct cscg_wgraph *w = cscg_alloc(1, sizeof *w, err);

	if (!w)
		return NULL;
	w->n = n;
	w->first = cscg_alloc((size_t)n + 1, sizeof *w->first, err);
	w->to = cscg_alloc((size_t)n_edges, sizeof *w->to, err);
	w->w = cscg_alloc((size_t)n_edges, sizeof *w->w, err);
	w->degree = cscg_alloc((size_t)n, sizeof *w->degree, err);
	if (!w->first || !w->to || !w->w || !w->degree) {
		cscg_wgraph_free(w);
		return NULL;
	}
	return w;
}

/* The weight completes the pair: equal sums on both sides of the diagonal. */
static int
by_ends(const void *pa, const void *pb)
{
	const struct weighted_edge *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->w > b->w) - (a->w < b->w);
}

static struct weighted_edge *
collect_edges(const struct cscg_graph *g, long *n, struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;
	struct weighted_edge *t = cscg_alloc(2 * (size_t)g->first[rows], sizeof *t,
	    err);

	*n = 0;
	for (row = 0; t && row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int u = (int)(row % g->n_nodes), v = g->to[i];

			if (u == v || !(g->share[i] > 0))
				continue;
			t[(*n)++] = (struct weighted_edge){ u, v, g->share[i] };
			t[(*n)++] = (struct weighted_edge){ v, u, g->share[i] };
		}
	if (t)
		qsort(t, (size_t)*n, sizeof *t, by_ends);
	return t;
}

struct cscg_wgraph *
cscg_wgraph_of_graph(const struct cscg_graph *g, struct cscg_err *err)
{
	long n, i, kept = 0;
	struct weighted_edge *t = collect_edges(g, &n, err);
	struct cscg_wgraph *w = t ? wgraph_new(g->n_nodes, n, err) : NULL;
	int v;

	for (i = 0; w && i < n; i++) {
		if (i && t[i].from == t[i - 1].from && t[i].to == t[i - 1].to) {
			w->w[kept - 1] += t[i].w;
		} else {
			w->to[kept] = t[i].to;
			w->w[kept++] = t[i].w;
		}
		w->first[t[i].from + 1] = kept;
		w->degree[t[i].from] += t[i].w;
	}
	/* Nodes without any end where the one before does. */
	for (v = 0; w && v < w->n; v++)
		if (w->first[v + 1] < w->first[v])
			w->first[v + 1] = w->first[v];
	free(t);
	return w;
}

struct cscg_wgraph *
cscg_wgraph_subgraph(const struct cscg_wgraph *w, const int *node, int n, int *index,
    struct cscg_err *err)
{
	struct cscg_wgraph *part;
	long most = 0, kept = 0, i;
	int v;

	for (v = 0; v < n; v++)
		most += w->first[node[v] + 1] - w->first[node[v]];
	part = wgraph_new(n, most, err);
	if (!part)
		return NULL;
	for (v = 0; v < n; v++)
		index[node[v]] = v;
	for (v = 0; v < n; v++) {
		for (i = w->first[node[v]]; i < w->first[node[v] + 1]; i++) {
			if (index[w->to[i]] < 0)
				continue;
			part->to[kept] = index[w->to[i]];
			part->w[kept++] = w->w[i];
			part->degree[v] += w->w[i];
		}
		part->first[v + 1] = kept;
	}
	for (v = 0; v < n; v++)
		index[node[v]] = -1;
	return part;
}

int
cscg_wgraph_components(const struct cscg_wgraph *w, const char *side, int *component,
    struct cscg_err *err)
{
	int *stack = cscg_alloc((size_t)w->n, sizeof *stack, err);
	int v, u, depth, n = 0;
	long i;

	if (!stack)
		return -1;
	for (v = 0; v < w->n; v++)
		component[v] = -1;
	for (v = 0; v < w->n; v++) {
		if (component[v] >= 0)
			continue;
		component[v] = n;
		stack[0] = v;
		for (depth = 1; depth; ) {
			u = stack[--depth];
			for (i = w->first[u]; i < w->first[u + 1]; i++) {
				if (component[w->to[i]] >= 0 ||
				    (side && side[w->to[i]] != side[u]))
					continue;
				component[w->to[i]] = n;
				stack[depth++] = w->to[i];
			}
		}
		n++;
	}
	free(stack);
	return n;
}
