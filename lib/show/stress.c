/* stress.c - stress majorisation */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "show/stress.h"

enum {
	ALL_PAIRS = 600,      /* nodes up to which every pair counts */
	PIVOTS_MIN = 50,      /* of a larger graph ... */
	PIVOT_PAIRS = 250000, /* ... or as many as give this number of pairs */
	ROUNDS = 32,          /* a power of two */
};

#define LAST_STEP 0.01 /* step size of the last round, times the weight */

/* Sort the neighbours of each node and keep each once. */
static void
sort_neighbours(struct cscg_adjacency *adjacency)
{
	long n = 0, kept;
	int v, *to;

	for (v = 0; v < adjacency->n; v++) {
		to = adjacency->to + adjacency->first[v];
		kept = cscg_unique_ints(to,
		    adjacency->first[v + 1] - adjacency->first[v]);
		memmove(adjacency->to + n, to, (size_t)kept * sizeof *to);
		adjacency->first[v] = n;
		n += kept;
	}
	adjacency->first[adjacency->n] = n;
}

int
cscg_adjacency_new(struct cscg_adjacency *adjacency,
    const struct cscg_graph *g, struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i, *fill;
	int u, v;

	*adjacency = (struct cscg_adjacency){ .n = g->n_nodes };
	adjacency->first = cscg_alloc((size_t)g->n_nodes + 1,
	    sizeof *adjacency->first, err);
	fill = cscg_alloc((size_t)g->n_nodes + 1, sizeof *fill, err);
	adjacency->to = cscg_alloc(2 * (size_t)g->first[rows],
	    sizeof *adjacency->to, err);
	if (!adjacency->first || !fill || !adjacency->to) {
		free(fill);
		cscg_adjacency_free(adjacency);
		return -1;
	}
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			u = (int)(row % g->n_nodes);
			adjacency->first[u + 1] += u != g->to[i];
			adjacency->first[g->to[i] + 1] += u != g->to[i];
		}
	for (v = 0; v < g->n_nodes; v++)
		fill[v + 1] = adjacency->first[v + 1] += adjacency->first[v];
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			u = (int)(row % g->n_nodes);
			if (u == g->to[i])
				continue;
			adjacency->to[fill[u]++] = g->to[i];
			adjacency->to[fill[g->to[i]]++] = u;
		}
	free(fill);
	sort_neighbours(adjacency);
	return 0;
}

void
cscg_adjacency_free(struct cscg_adjacency *adjacency)
{
	free(adjacency->first);
	free(adjacency->to);
	*adjacency = (struct cscg_adjacency){ 0 };
}

int
cscg_adjacency_components(const struct cscg_adjacency *adjacency, int *node,
    int *first, struct cscg_err *err)
{
	struct cscg_bfs search = { 0 };
	int u, v, n = 0;
	long i;

	if (cscg_bfs_fit(&search, adjacency->n, err) < 0)
		return -1;
	for (v = 0; v < adjacency->n; v++) {
		if (search.distance[v] >= 0)
			continue;
		first[n++] = search.n_reached;
		cscg_bfs_reach(&search, v, -1, -1);
		while ((u = cscg_bfs_next(&search)) >= 0)
			for (i = adjacency->first[u];
			     i < adjacency->first[u + 1]; i++)
				cscg_bfs_reach(&search, adjacency->to[i], u,
				    -1);
	}
	first[n] = search.n_reached;
	memcpy(node, search.queue, (size_t)adjacency->n * sizeof *node);
	cscg_bfs_free(&search);
	return n;
}

/* Data for the search of pairs. */
struct pair_finder {
	const struct cscg_adjacency *adjacency;
	const int *node;       /* [m] */
	int m, k;              /* k: pivots */
	int *index;            /* [adjacency->n] index in node */
	int *d;                /* [k][m] distance from each pivot */
	int *pivot;            /* [k] indices */
	int *nearest_pivot;    /* [m] the nearest pivot, the first of equals */
	int *nearest_distance; /* [m] distance from that pivot */
	struct cscg_bfs search; /* indices */
	int *within;            /* [m + 1] */
};

/* Distances from index p to all nodes. */
static void
set_distances(struct pair_finder *f, int p, int *d)
{
	int i, u;
	long e;

	cscg_bfs_clear(&f->search);
	cscg_bfs_reach(&f->search, p, -1, -1);
	while ((i = cscg_bfs_next(&f->search)) >= 0) {
		u = f->node[i];
		for (e = f->adjacency->first[u];
		     e < f->adjacency->first[u + 1]; e++)
			cscg_bfs_reach(&f->search,
			    f->index[f->adjacency->to[e]], i, -1);
	}
	memcpy(d, f->search.distance, (size_t)f->m * sizeof *d);
}

/* Each pivot has the maximum distance from the previous ones. */
static void
choose_pivots(struct pair_finder *f)
{
	int c, i, far = 0, *d;

	for (i = 0; i < f->m; i++)
		f->nearest_distance[i] = f->m;
	for (c = 0; c < f->k; c++) {
		d = f->d + (size_t)c * f->m;
		f->pivot[c] = far;
		set_distances(f, far, d);
		for (i = 0; i < f->m; i++)
			if (d[i] < f->nearest_distance[i]) {
				f->nearest_distance[i] = d[i];
				f->nearest_pivot[i] = c;
			}
		for (far = i = 0; i < f->m; i++)
			if (f->nearest_distance[i] > f->nearest_distance[far])
				far = i;
	}
}

static int
pair_finder_new(struct pair_finder *f, struct cscg_err *err)
{
	size_t m = (size_t)f->m;

	f->index = cscg_alloc((size_t)f->adjacency->n, sizeof(int), err);
	f->d = cscg_alloc((size_t)f->k * m, sizeof(int), err);
	f->pivot = cscg_alloc((size_t)f->k, sizeof(int), err);
	f->nearest_pivot = cscg_alloc(3 * m + 1, sizeof(int), err);
	if (!f->index || !f->d || !f->pivot || !f->nearest_pivot)
		return -1;
	f->nearest_distance = f->nearest_pivot + m;
	f->within = f->nearest_pivot + 2 * m;
	return cscg_bfs_fit(&f->search, f->m, err);
}

static void
pair_finder_free(struct pair_finder *f)
{
	free(f->index);
	free(f->d);
	free(f->pivot);
	free(f->nearest_pivot);
	cscg_bfs_free(&f->search);
}

static void
add_pair(struct cscg_stress *s, int i, int j, double d, double wi, double wj)
{
	s->pair[s->n_pairs++] = (struct cscg_stress_pair){ i, j, d, wi, wj };
}

static void
all_pairs(struct cscg_stress *s, const struct pair_finder *f)
{
	int c, i, d;

	for (c = 0; c < f->k; c++)
		for (i = 0; i < f->m; i++) {
			d = f->d[(size_t)c * f->m + i];
			if (i > f->pivot[c])
				add_pair(s, i, f->pivot[c], d, 1.0 / d / d,
				    1.0 / d / d);
		}
}

/*
 * The weight of a pivot at distance d is the number of nodes of its region
 * within d / 2 of it, over d^2.
 */
static void
pivot_pairs(struct cscg_stress *s, const struct pair_finder *f)
{
	int c, i, d;
	long e;

	for (i = 0; i < f->m; i++)
		for (e = f->adjacency->first[f->node[i]];
		     e < f->adjacency->first[f->node[i] + 1]; e++)
			if (f->index[f->adjacency->to[e]] > i)
				add_pair(s, i, f->index[f->adjacency->to[e]],
				    1, 1, 1);
	for (c = 0; c < f->k; c++) {
		memset(f->within, 0, ((size_t)f->m + 1) * sizeof *f->within);
		for (i = 0; i < f->m; i++)
			if (f->nearest_pivot[i] == c)
				f->within[f->nearest_distance[i]]++;
		for (i = 1; i <= f->m; i++)
			f->within[i] += f->within[i - 1];
		for (i = 0; i < f->m; i++) {
			d = f->d[(size_t)c * f->m + i];
			if (d > 1)
				add_pair(s, i, f->pivot[c], d,
				    (double)f->within[d / 2] / d / d, 0);
		}
	}
}

int
cscg_stress_new(struct cscg_stress *s, const struct cscg_adjacency *adjacency,
    const int *node, int m, struct cscg_err *err)
{
	struct pair_finder f = {
		.adjacency = adjacency, .node = node, .m = m, .k = m
	};
	size_t pairs;
	int i, rc = -1;

	*s = (struct cscg_stress){ .m = m };
	if (m > ALL_PAIRS) {
		f.k = PIVOT_PAIRS / m > PIVOTS_MIN ? PIVOT_PAIRS / m :
						     PIVOTS_MIN;
		pairs = (size_t)f.k * (size_t)m +
		    (size_t)adjacency->first[adjacency->n] / 2;
	} else {
		pairs = (size_t)m * (size_t)m / 2;
	}
	if (pair_finder_new(&f, err) < 0)
		goto out;
	s->pair = cscg_alloc(pairs + 1, sizeof *s->pair, err);
	if (!s->pair)
		goto out;
	for (i = 0; i < m; i++)
		f.index[node[i]] = i;
	choose_pivots(&f);
	if (f.k < m)
		pivot_pairs(s, &f);
	else
		all_pairs(s, &f);
	rc = 0;
out:
	pair_finder_free(&f);
	return rc;
}

void
cscg_stress_free(struct cscg_stress *s)
{
	free(s->pair);
	*s = (struct cscg_stress){ 0 };
}

static void
shuffle(struct cscg_stress *s, struct cscg_rng *rng)
{
	struct cscg_stress_pair swap;
	long i, j;

	for (i = s->n_pairs - 1; i > 0; i--) {
		j = cscg_rng_below(rng, i + 1);
		swap = s->pair[i];
		s->pair[i] = s->pair[j];
		s->pair[j] = swap;
	}
}

/* Correct the distance of a pair by step size eta. */
static void
correct_pair(const struct cscg_stress_pair *p, int dim, double eta, double *at)
{
	double *a = at + (size_t)p->i * dim, *b = at + (size_t)p->j * dim;
	double offset[3], length = 0, r;
	double mi = fmin(1, p->wi * eta), mj = fmin(1, p->wj * eta);
	int x;

	for (x = 0; x < dim; x++) {
		offset[x] = a[x] - b[x];
		length += offset[x] * offset[x];
	}
	length = sqrt(length);
	if (length < 1e-9) /* no direction is defined */
		return;
	r = (length - p->d) / 2 / length;
	for (x = 0; x < dim; x++) {
		a[x] -= mi * r * offset[x];
		b[x] += mj * r * offset[x];
	}
}

void
cscg_stress_minimise(struct cscg_stress *s, int dim, double *at)
{
	double least = INFINITY, most = 0, eta, last, decay;
	struct cscg_rng rng;
	long i;
	int t;

	cscg_rng_seed(&rng, 0, CSCG_RNG_TIES, (uint64_t)s->m, (uint64_t)dim);
	for (i = 0; i < (long)s->m * dim; i++)
		at[i] = cscg_rng_uniform(&rng);
	for (i = 0; i < s->n_pairs; i++) {
		least = fmin(least, s->pair[i].wi);
		most = fmax(most, s->pair[i].wi);
	}
	if (!s->n_pairs)
		return;
	/* Geometrically from 1 / least weight to LAST_STEP / largest. */
	eta = 1 / least;
	last = LAST_STEP / most;
	/* The ROUNDS-th root by square roots, exact on all machines. */
	decay = last / eta;
	for (t = 1; t < ROUNDS; t *= 2)
		decay = sqrt(decay);
	for (t = 0; t < ROUNDS; t++) {
		shuffle(s, &rng);
		for (i = 0; i < s->n_pairs; i++)
			correct_pair(&s->pair[i], dim, eta, at);
		eta *= decay;
	}
}
