/*
 * graph.c - labelled directed graphs of models and rooms: breadth-first
 * search, components, isomorphism
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"

int
cscg_arc_compare(const void *left, const void *right)
{
	const struct cscg_arc *p = left, *q = right;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->to > q->to) - (p->to < q->to);
}

void
cscg_edges_by_target(int n_nodes, int n_actions, const long *first,
    const int *to, int without, long *in_first, int *from, long *edge)
{
	long rows = (long)n_actions * n_nodes, r, i;
	int v;

	memset(in_first, 0, ((size_t)n_nodes + 1) * sizeof *in_first);
	for (r = 0; r < rows; r++)
		for (i = first[r]; r / n_nodes != without && i < first[r + 1];
		     i++)
			in_first[to[i]]++;
	for (v = 0; v < n_nodes; v++)
		in_first[v + 1] += in_first[v];
	/* Each list is filled from its end, where in_first then is. */
	while (r-- > 0)
		for (i = first[r + 1];
		     r / n_nodes != without && i-- > first[r];) {
			from[--in_first[to[i]]] = (int)(r % n_nodes);
			if (edge)
				edge[in_first[to[i]]] = i;
		}
}

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
	free(g->confidence);
	free(g->own_coords);
	free(g);
}

struct cscg_graph *
cscg_graph_new(int n_nodes, int n_actions, long n_edges, bool labels,
    bool counts, struct cscg_err *err)
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

struct cscg_graph *
cscg_graph_of_model(const struct cscg_model *m, double min_share,
    struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;
	struct cscg_graph *g;
	bool labels = m->clone || m->e_first;
	double sum, norm;
	int j;

	g = cscg_graph_new(m->n_states, m->n_actions, m->first[rows], labels,
	    true, err);
	if (!g)
		return NULL;
	if (m->learned) {
		g->confidence = cscg_alloc((size_t)m->first[rows],
		    sizeof *g->confidence, err);
		if (!g->confidence) {
			cscg_graph_free(g);
			return NULL;
		}
	}
	for (row = 0; row < rows; row++) {
		sum = cscg_model_row_sum(m, (int)(row / m->n_states),
		    (int)(row % m->n_states));
		norm = sum + m->pseudocount * m->n_states;
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			if (m->count[i] / sum < min_share)
				continue;
			g->to[n] = m->to[i];
			if (m->learned)
				g->confidence[n] = m->learned->edge[i];
			g->share[n] = m->count[i] / sum;
			g->p[n] = (m->count[i] + m->pseudocount) / norm;
			g->count[n++] = m->count[i];
		}
		g->first[row + 1] = n;
	}
	for (j = 0; labels && j < m->n_states; j++)
		g->label[j] = cscg_model_best_symbol(m, j);
	g->n_labels = m->n_obs;
	g->grounded = m->kind == CSCG_GROUNDED;
	g->coords = m->coords;
	g->actions = &m->actions;
	g->symbols = &m->symbols;
	return g;
}

/* ---- breadth-first search ---- */

void
cscg_bfs_free(struct cscg_bfs *b)
{
	free(b->distance);
	free(b->waiting);
	*b = (struct cscg_bfs){ 0 };
}

int
cscg_bfs_fit(struct cscg_bfs *b, int n, struct cscg_err *err)
{
	size_t size = (size_t)n;
	int v;

	cscg_bfs_clear(b);
	if (n > b->cap) {
		cscg_bfs_free(b);
		b->distance = cscg_alloc(4 * size, sizeof *b->distance, err);
		if (!b->distance)
			return -1;
		b->previous = b->distance + size;
		b->label = b->previous + size;
		b->queue = b->label + size;
		b->cap = n;
		for (v = 0; v < n; v++)
			b->distance[v] = -1;
	}
	b->n = n;
	return 0;
}

void
cscg_bfs_clear(struct cscg_bfs *b)
{
	while (b->n_reached > 0)
		b->distance[b->queue[--b->n_reached]] = -1;
	b->n_expanded = 0;
	b->n_waiting = 0;
}

int
cscg_bfs_wait(struct cscg_bfs *b, int v, int previous, int label, int length,
    struct cscg_err *err)
{
	if (length == 1)
		cscg_bfs_reach(b, v, previous, label);
	if (b->distance[v] >= 0)
		return 0;
	if (cscg_grow(&b->waiting, &b->cap_waiting, b->n_waiting + 1,
		sizeof *b->waiting, err) < 0)
		return -1;
	b->waiting[b->n_waiting++] = (struct cscg_bfs_edge){ v, previous,
		label, b->distance[previous] + length };
	return 0;
}

/*
 * Reach the waiting nodes whose distance is at most that of the next node to
 * expand.  The queue then has all nodes of that distance and no node of a
 * larger one.
 */
void
cscg_bfs_end_waiting(struct cscg_bfs *b)
{
	struct cscg_bfs_edge e;
	size_t i, least;

	while (b->n_waiting) {
		for (least = 0, i = 1; i < b->n_waiting; i++)
			if (b->waiting[i].distance <
			    b->waiting[least].distance)
				least = i;
		e = b->waiting[least];
		if (b->n_expanded < b->n_reached &&
		    e.distance > b->distance[b->queue[b->n_expanded]])
			return;
		if (cscg_bfs_reach(b, e.v, e.previous, e.label))
			b->distance[e.v] = e.distance;
		b->waiting[least] = b->waiting[--b->n_waiting];
	}
}

int
cscg_bfs_path(const struct cscg_bfs *b, int v, int *labels)
{
	int n = 0, i, u;

	/* Edges may be longer than 1, so the distance is not their number. */
	for (u = v; b->previous[u] >= 0; u = b->previous[u])
		n++;
	for (i = n - 1; i >= 0; i--) {
		labels[i] = b->label[v];
		v = b->previous[v];
	}
	return n;
}

int
cscg_bfs_first_label(const struct cscg_bfs *b, int v)
{
	int u = b->previous[v];

	for (; u >= 0 && b->previous[u] >= 0; u = b->previous[u])
		v = u;
	return b->label[v];
}

/* ---- components ---- */

int
cscg_connected_components(int n, const long *first, const int *to,
    const char *side, int *component, struct cscg_err *err)
{
	struct cscg_bfs b = { 0 };
	int u, v, n_components = 0;
	long i;

	if (cscg_bfs_fit(&b, n, err) < 0)
		return -1;
	for (v = 0; v < n; v++) {
		if (!cscg_bfs_reach(&b, v, -1, -1))
			continue;
		while ((u = cscg_bfs_next(&b)) >= 0) {
			component[u] = n_components;
			for (i = first[u]; i < first[u + 1]; i++)
				if (!side || side[to[i]] == side[u])
					cscg_bfs_reach(&b, to[i], u, -1);
		}
		n_components++;
	}
	cscg_bfs_free(&b);
	return n_components;
}

void
cscg_sets_init(int *parent, int n)
{
	int v;

	for (v = 0; v < n; v++)
		parent[v] = v;
}

int
cscg_sets_root(int *parent, int v)
{
	/* Path halving: each node passed is attached to its grandparent. */
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

void
cscg_sets_join(int *parent, int u, int v)
{
	u = cscg_sets_root(parent, u);
	v = cscg_sets_root(parent, v);
	parent[u > v ? u : v] = u > v ? v : u;
}

static void
weak_components(const struct cscg_graph *g, int *comp)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	int v;

	cscg_sets_init(comp, g->n_nodes);
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++)
			cscg_sets_join(comp, (int)(row % g->n_nodes),
			    g->to[i]);
	for (v = 0; v < g->n_nodes; v++)
		comp[v] = cscg_sets_root(comp, v);
}

/* Tarjan's algorithm without recursion: rooms may have a million nodes. */
struct tarjan {
	const struct cscg_graph *g;
	int *comp;         /* result: some node of the component, or -1 */
	int *order, *low;  /* 0: not seen */
	int *stack, *path; /* open nodes; the path from the root */
	int *action;       /* position in the edges of each node */
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

/* Length of the shortest edge of g between distinct coordinates, or 1. */
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

/*
 * isomorphism of two graphs with labelled nodes and edges
 *
 * If a node has one arc of an action, the image of the node fixes the image of
 * the other end of the arc; so in a connected graph of deterministic
 * transitions one pair fixes the whole bijection, and there are n pairs to
 * try.  Otherwise colour refinement is used (two nodes keep the same colour
 * while the colours of their neighbours agree), with backtracking over the
 * pairs that remain open.
 *
 * Both graphs are stored as one with 2n nodes, left first, so that colours are
 * comparable.  Colours come from hashes, which may collide; a collision costs
 * time only, since a bijection is checked arc by arc.
 */

/* Limit of work, in arcs and nodes visited: some seconds. */
#define OPERATIONS_MAX 1000000000L

struct half_arc {
	int a, v; /* the other end; in the lists of right: minus n */
};

struct key {
	int colour, v;
	uint64_t hash;
};

struct iso {
	int n;
	const int *label[2];
	long *first[2];          /* [2n + 1] into out and in arcs */
	struct half_arc *end[2]; /* 0: out, 1: in; by (a, v) in each list */
	struct key *key;         /* [2n] */
	int *colour;             /* [2n] */
	int *queue;              /* [n] */
	long n_operations;
};

/* A partial bijection. */
struct pairs {
	int *map, *inv; /* [n] each, -1: open; inv is map + n */
	int n_set;
};

static int
by_end(const void *pa, const void *pb)
{
	const struct half_arc *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->v > b->v) - (a->v < b->v);
}

/* Fill the lists of direction d (0: out, 1: in) from both sides' arcs. */
static int
build_lists(struct iso *iso, int d, const struct cscg_iso_graph *const *side,
    struct cscg_err *err)
{
	long n_arcs = side[0]->n_arcs + side[1]->n_arcs, i, *first, *at = NULL;
	int s, v, n = iso->n;

	first = iso->first[d] = cscg_alloc(2 * (size_t)n + 1, sizeof(*first),
	    err);
	iso->end[d] = cscg_alloc(n_arcs, sizeof(*iso->end[d]), err);
	at = cscg_alloc(2 * (size_t)n, sizeof(*at), err);
	if (!first || !iso->end[d] || !at) {
		free(at);
		return -1;
	}
	for (s = 0; s < 2; s++)
		for (i = 0; i < side[s]->n_arcs; i++)
			first[s * n +
			    (d ? side[s]->arc[i].to : side[s]->arc[i].from) +
			    1]++;
	for (v = 0; v < 2 * n; v++) {
		at[v] = first[v];
		first[v + 1] += first[v];
	}
	for (s = 0; s < 2; s++)
		for (i = 0; i < side[s]->n_arcs; i++) {
			const struct cscg_arc *arc = &side[s]->arc[i];
			int from = d ? arc->to : arc->from;
			int to = d ? arc->from : arc->to;

			iso->end[d][at[s * n + from]++] =
			    (struct half_arc){ arc->a, to };
		}
	for (v = 0; v < 2 * n; v++)
		qsort(iso->end[d] + first[v], first[v + 1] - first[v],
		    sizeof(struct half_arc), by_end);
	free(at);
	return 0;
}

static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static int
by_key(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;

	if (a->colour != b->colour)
		return a->colour < b->colour ? -1 : 1;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->v > b->v) - (a->v < b->v);
}

/*
 * Turn the sorted keys into colours.  Returns the number of colours, or 0 if
 * the frequencies of a colour in left and right differ.
 */
static int
recolour(struct iso *iso)
{
	int i, j, balance, classes = 0, n = iso->n;

	for (i = 0; i < 2 * n; i = j) {
		balance = 0;
		for (j = i;
		     j < 2 * n && iso->key[j].colour == iso->key[i].colour &&
		     iso->key[j].hash == iso->key[i].hash;
		     j++) {
			iso->colour[iso->key[j].v] = i;
			balance += iso->key[j].v < n ? 1 : -1;
		}
		if (balance)
			return 0;
		classes++;
	}
	return classes;
}

/* Hash of the neighbourhood of v: a sum, which is independent of order. */
static uint64_t
neighbour_hash(const struct iso *iso, int v)
{
	int d, base = v < iso->n ? 0 : iso->n;
	uint64_t sum = 0;
	long i;

	for (d = 0; d < 2; d++)
		for (i = iso->first[d][v]; i < iso->first[d][v + 1]; i++) {
			const struct half_arc *e = &iso->end[d][i];

			sum += mix(mix((uint64_t)e->a * 2 + d + 1) +
			    (uint64_t)iso->colour[base + e->v]);
		}
	return sum;
}

/*
 * Refine the colours by labels and by the pairs set so far; sorts key by
 * colour.  Returns 1, or 0 if the sides differ.
 */
static int
refine(struct iso *iso, const struct pairs *p)
{
	int v, w, classes, last = 0, n = iso->n;

	for (v = 0; v < n; v++) {
		w = p->map[v];
		iso->key[v] = (struct key){ w < 0, v,
			(uint64_t)(w < 0 ? iso->label[0][v] : v) };
		w = p->inv[v];
		iso->key[n + v] = (struct key){ w < 0, n + v,
			(uint64_t)(w < 0 ? iso->label[1][v] : w) };
	}
	for (;;) {
		qsort(iso->key, 2 * (size_t)n, sizeof(*iso->key), by_key);
		classes = recolour(iso);
		if (classes == 0 || classes == last)
			return classes > 0;
		last = classes;
		for (v = 0; v < 2 * n; v++) {
			w = iso->key[v].v;
			iso->key[v].colour = iso->colour[w];
			iso->key[v].hash = neighbour_hash(iso, w);
		}
		iso->n_operations += 2 * n + iso->first[0][2 * n] +
		    iso->first[1][2 * n];
	}
}

/* Whether arc i of list lo..hi-1 is the only one of its action there. */
static int
is_only_arc(const struct half_arc *e, long i, long lo, long hi)
{
	return (i == lo || e[i - 1].a != e[i].a) &&
	    (i + 1 == hi || e[i + 1].a != e[i].a);
}

/* Set v -> w; 1 if new, 0 if already set, -1 on a contradiction. */
static int
set_pair(const struct iso *iso, struct pairs *p, int v, int w)
{
	if (p->map[v] == w)
		return 0;
	if (p->map[v] >= 0 || p->inv[w] >= 0 ||
	    iso->label[0][v] != iso->label[1][w])
		return -1;
	p->map[v] = w;
	p->inv[w] = v;
	p->n_set++;
	return 1;
}

/* Follow the arcs of v and its image; newly set nodes go to the queue. */
static int
follow(struct iso *iso, struct pairs *p, int v, int *tail)
{
	int d, rc, w = iso->n + p->map[v];

	for (d = 0; d < 2; d++) {
		const struct half_arc *e = iso->end[d];
		long lo = iso->first[d][v], hi = iso->first[d][v + 1];
		long shift = iso->first[d][w] - lo, i;

		if (iso->first[d][w + 1] - iso->first[d][w] != hi - lo)
			return -1;
		iso->n_operations += hi - lo;
		for (i = lo; i < hi; i++) {
			if (e[i].a != e[i + shift].a)
				return -1;
			if (!is_only_arc(e, i, lo, hi))
				continue;
			rc = set_pair(iso, p, e[i].v, e[i + shift].v);
			if (rc < 0)
				return -1;
			if (rc > 0)
				iso->queue[(*tail)++] = e[i].v;
		}
	}
	return 0;
}

/* Set v -> w and all implied pairs; -1 on a contradiction. */
static int
propagate(struct iso *iso, struct pairs *p, int v, int w)
{
	int head = 0, tail = 0;

	if (set_pair(iso, p, v, w) < 0)
		return -1;
	iso->queue[tail++] = v;
	while (head < tail)
		if (follow(iso, p, iso->queue[head++], &tail) < 0)
			return -1;
	return 0;
}

/* Whether the complete map preserves every arc; left and right have equally
 * many. */
static int
verify(struct iso *iso, const struct pairs *p)
{
	const struct half_arc *e = iso->end[0];
	struct half_arc want;
	long i;
	int v;

	for (v = 0; v < iso->n; v++) {
		long lo = iso->first[0][iso->n + p->map[v]];
		long n = iso->first[0][iso->n + p->map[v] + 1] - lo;

		if (iso->first[0][v + 1] - iso->first[0][v] != n)
			return 0;
		for (i = iso->first[0][v]; i < iso->first[0][v + 1]; i++) {
			want = (struct half_arc){ e[i].a, p->map[e[i].v] };
			if (!bsearch(&want, e + lo, n, sizeof(want), by_end))
				return 0;
		}
	}
	return 1;
}

/*
 * After refine(): the position in key of the smallest colour with more than
 * one open pair, and its number of nodes in *size; -1 if there is none.  Pairs
 * of colours with one open pair are set.  -2 on a contradiction.
 */
static int
smallest_class(struct iso *iso, struct pairs *p, int *size)
{
	const struct key *k = iso->key;
	int i, j, best = -1, n = iso->n;

	*size = 2 * n + 1;
	for (i = 0; i < 2 * n; i = j) {
		for (j = i;
		     j < 2 * n && iso->colour[k[j].v] == iso->colour[k[i].v];
		     j++)
			;
		if (j - i == 2) {
			/* Within a colour keys are sorted by node: left first. */
			if (set_pair(iso, p, k[i].v, k[i + 1].v - n) < 0)
				return -2;
		} else if (j - i < *size) {
			*size = j - i;
			best = i;
		}
	}
	return best;
}

/* 1 with p complete, 0 if p cannot be completed, -1 with err filled. */
static int
search(struct iso *iso, struct pairs *p, struct cscg_err *err)
{
	size_t bytes = 2 * (size_t)iso->n * sizeof(int);
	int i, at, size, v, rc = 0, *cell = NULL;
	struct pairs attempt = { NULL, NULL, 0 };

	if (p->n_set == iso->n)
		return verify(iso, p);
	if (!refine(iso, p))
		return 0;
	at = smallest_class(iso, p, &size);
	if (at < 0)
		return at == -1 && verify(iso, p);
	size /= 2;
	v = iso->key[at].v;
	cell = cscg_alloc(size, sizeof(*cell), err);
	attempt.map = cscg_alloc(2 * (size_t)iso->n, sizeof(*attempt.map),
	    err);
	if (!cell || !attempt.map) {
		rc = -1;
		goto out;
	}
	attempt.inv = attempt.map + iso->n;
	/* key is overwritten below: keep the candidates. */
	for (i = 0; i < size; i++)
		cell[i] = iso->key[at + size + i].v - iso->n;
	for (i = 0; i < size && rc == 0; i++) {
		if (iso->n_operations > OPERATIONS_MAX) {
			rc = cscg_fail(err, CSCG_ERANGE,
			    "the search for an isomorphism exceeds its limit");
			break;
		}
		memcpy(attempt.map, p->map, bytes);
		attempt.n_set = p->n_set;
		if (propagate(iso, &attempt, v, cell[i]) == 0)
			rc = search(iso, &attempt, err);
	}
	if (rc > 0) {
		memcpy(p->map, attempt.map, bytes);
		p->n_set = attempt.n_set;
	}
out:
	free(cell);
	free(attempt.map);
	return rc;
}

/* Set the pairs required by map; -1 on a contradiction. */
static int
init_pairs(struct iso *iso, struct pairs *p, const int *map)
{
	int v;

	memset(p->map, -1, 2 * (size_t)iso->n * sizeof(*p->map));
	for (v = 0; v < iso->n; v++)
		if (map[v] >= 0 && propagate(iso, p, v, map[v]) < 0)
			return -1;
	return 0;
}

int
cscg_graph_isomorphism(int n, const struct cscg_iso_graph *left,
    const struct cscg_iso_graph *right, int *map, struct cscg_err *err)
{
	const struct cscg_iso_graph *side[2] = { left, right };
	struct iso iso = { .n = n, .label = { left->label, right->label } };
	struct pairs p = { NULL, NULL, 0 };
	int rc = -1;

	if (left->n_arcs != right->n_arcs)
		return 0;
	iso.key = cscg_alloc(2 * (size_t)n, sizeof(*iso.key), err);
	iso.colour = cscg_alloc(2 * (size_t)n, sizeof(*iso.colour), err);
	iso.queue = cscg_alloc(n, sizeof(*iso.queue), err);
	p.map = cscg_alloc(2 * (size_t)n, sizeof(*p.map), err);
	if (!iso.key || !iso.colour || !iso.queue || !p.map ||
	    build_lists(&iso, 0, side, err) < 0 ||
	    build_lists(&iso, 1, side, err) < 0)
		goto out;
	p.inv = p.map + n;
	rc = init_pairs(&iso, &p, map) < 0 ? 0 : search(&iso, &p, err);
	if (rc > 0)
		memcpy(map, p.map, n * sizeof(*map));
out:
	free(iso.key);
	free(iso.colour);
	free(iso.queue);
	free(iso.first[0]);
	free(iso.first[1]);
	free(iso.end[0]);
	free(iso.end[1]);
	free(p.map);
	return rc;
}
