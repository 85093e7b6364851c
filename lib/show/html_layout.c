/*
 * html_layout.c - where the nodes of a graph stand in its picture
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/html_layout.h"
#include "show/html_stress.h"
#include "show/html_torus.h"
#include "show/html_turn.h"
#include "base/mem.h"

#define COMPONENT_GAP 2.0		/* between components */
#define LONG_MOVE 6.0	/* a move so long is none that coordinates show */
#define WRAP_SHARE 0.6		/* ... unless it spans so much of the picture: it wraps */
#define MIN_SEPARATION 0.6	/* nodes nearer than that are in each other's way */

struct layout_job {
	const struct cscg_graph *g;
	struct cscg_layout *l;
	struct cscg_adjacency adjacency;
	int *node, *first, n;	/* components */
	int *index;		/* [n_nodes] place of a node in its component */
	double *at;		/* [n_nodes * 3] places in a component */
};

/* ---- coordinates that the graph has ---- */

struct point {
	double y, x;
};

static int
by_point(const void *pa, const void *pb)
{
	const struct point *a = pa, *b = pb;

	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	return (a->x > b->x) - (a->x < b->x);
}

static int
by_double(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* 1 if each node has coordinates of its own, 0 if not, -1 with err filled. */
static int
has_distinct_coords(const struct cscg_graph *g, struct cscg_err *err)
{
	struct point *point;
	int v, is_distinct = 1;

	if (!g->coords)
		return 0;
	point = cscg_copy(g->coords, (size_t)g->n_nodes, sizeof *point, err);
	if (!point)
		return -1;
	for (v = 0; v < g->n_nodes; v++)
		is_distinct &= isfinite(point[v].x) && isfinite(point[v].y);
	if (is_distinct)
		qsort(point, (size_t)g->n_nodes, sizeof *point, by_point);
	for (v = 1; is_distinct && v < g->n_nodes; v++)
		is_distinct = by_point(&point[v - 1], &point[v]) != 0;
	free(point);
	return is_distinct;
}

/* The length of the median move between neighbours, or 1. */
static int
median_move(const struct layout_job *job, double *unit, struct cscg_err *err)
{
	const double *c = job->g->coords;
	size_t n = 0;
	double *length;
	long i;
	int v;

	length = cscg_alloc((size_t)job->adjacency.first[job->adjacency.n] + 1,
	    sizeof *length, err);
	if (!length)
		return -1;
	for (v = 0; v < job->adjacency.n; v++)
		for (i = job->adjacency.first[v]; i < job->adjacency.first[v + 1]; i++) {
			int u = job->adjacency.to[i];
			double y = c[2 * u] - c[2 * v];
			double x = c[2 * u + 1] - c[2 * v + 1];

			length[n++] = sqrt(x * x + y * y);
		}
	qsort(length, n, sizeof *length, by_double);
	*unit = n && length[n / 2] > 0 ? length[n / 2] : 1;
	free(length);
	return 0;
}

/*
 * Do moves of a model leap over its picture?  Those of a stitched map do: its
 * parts still stand where they stood before.
 */
static bool
has_long_moves(const struct layout_job *job)
{
	const double *flat = job->l->flat;
	double high[2] = { 0, 0 }, offset;
	int v, x;
	long i;

	for (v = 0; v < job->g->n_nodes; v++)
		for (x = 0; x < 2; x++)
			high[x] = fmax(high[x], flat[2 * (size_t)v + x]);
	for (v = 0; job->g->count && v < job->adjacency.n; v++)
		for (i = job->adjacency.first[v]; i < job->adjacency.first[v + 1]; i++)
			for (x = 0; x < 2; x++) {
				offset = fabs(flat[2 * (size_t)v + x] -
				    flat[2 * (size_t)job->adjacency.to[i] + x]);
				if (offset > LONG_MOVE && offset < WRAP_SHARE * high[x])
					return true;
			}
	return false;
}

static int
use_coords(struct layout_job *job, struct cscg_err *err)
{
	double unit = 1, low_x = INFINITY, low_y = INFINITY;
	const double *c = job->g->coords;
	int v;

	if (median_move(job, &unit, err) < 0)
		return -1;
	for (v = 0; v < job->g->n_nodes; v++) {
		low_y = fmin(low_y, c[2 * (size_t)v]);
		low_x = fmin(low_x, c[2 * (size_t)v + 1]);
	}
	for (v = 0; v < job->g->n_nodes; v++) {
		double *p = job->l->flat + 2 * (size_t)v;

		p[0] = (c[2 * (size_t)v + 1] - low_x) / unit;
		p[1] = (c[2 * (size_t)v] - low_y) / unit;
	}
	job->l->has_coords = !has_long_moves(job);
	return 0;
}

/* ---- components beside each other ---- */

struct box {
	int comp, m;
	double low[2], size[2], at[2];
};

static int
by_size(const void *pa, const void *pb)
{
	const struct box *a = pa, *b = pb;

	if (a->m != b->m)
		return a->m > b->m ? -1 : 1;
	return (a->comp > b->comp) - (a->comp < b->comp);
}

static void
bounding_box(const struct layout_job *job, const double *position, int dim, int c,
    struct box *b)
{
	double high[2] = { -INFINITY, -INFINITY };
	int i, x;

	b->comp = c;
	b->m = job->first[c + 1] - job->first[c];
	b->low[0] = b->low[1] = INFINITY;
	for (i = job->first[c]; i < job->first[c + 1]; i++)
		for (x = 0; x < 2; x++) {
			double v = position[(size_t)job->node[i] * dim + x];

			b->low[x] = fmin(b->low[x], v);
			high[x] = fmax(high[x], v);
		}
	for (x = 0; x < 2; x++)
		b->size[x] = high[x] - b->low[x] + COMPONENT_GAP;
}

/* Rows of boxes, the largest first, about half again as wide as high. */
static int
pack_components(const struct layout_job *job, double *position, int dim, struct cscg_err *err)
{
	double area = 0, width = 0, x = 0, y = 0, high = 0;
	struct box *box;
	int c, i, k;

	box = cscg_alloc((size_t)job->n, sizeof *box, err);
	if (!box)
		return -1;
	for (c = 0; c < job->n; c++) {
		bounding_box(job, position, dim, c, &box[c]);
		area += box[c].size[0] * box[c].size[1];
		width = fmax(width, box[c].size[0]);
	}
	width = fmax(width, sqrt(1.5 * area)) * 1.0001;
	qsort(box, (size_t)job->n, sizeof *box, by_size);
	for (c = 0; c < job->n; c++) {
		if (x + box[c].size[0] > width) {
			y += high;
			x = high = 0;
		}
		for (k = job->first[box[c].comp];
		    k < job->first[box[c].comp + 1]; k++)
			for (i = 0; i < 2; i++)
				position[(size_t)job->node[k] * dim + i] +=
				    (i ? y : x) - box[c].low[i];
		x += box[c].size[0];
		high = fmax(high, box[c].size[1]);
	}
	free(box);
	return 0;
}

/* ---- one component ---- */

static void
store_component(const struct layout_job *job, int c, int dim, double *position)
{
	int i, first = job->first[c], m = job->first[c + 1] - first;

	for (i = 0; i < m; i++)
		memcpy(position + (size_t)job->node[first + i] * dim,
		    job->at + (size_t)i * dim, (size_t)dim * sizeof *position);
}

/* Are u and v next to each other in the graph? */
static bool
adjacent(const struct layout_job *job, int u, int v)
{
	long i;

	for (i = job->adjacency.first[u]; i < job->adjacency.first[u + 1]; i++)
		if (job->adjacency.to[i] == v)
			return true;
	return false;
}

/* How many nodes of the component have a stranger too near. */
static int
count_crowded(const struct layout_job *job, int c, int dim, const double *position)
{
	int i, j, x, n = 0;
	double d, offset;

	for (i = job->first[c]; i < job->first[c + 1]; i++)
		for (j = job->first[c]; j < job->first[c + 1]; j++) {
			int u = job->node[i], v = job->node[j];

			for (d = 0, x = 0; x < dim; x++) {
				offset = position[(size_t)u * dim + x] -
				    position[(size_t)v * dim + x];
				d += offset * offset;
			}
			if (d < MIN_SEPARATION * MIN_SEPARATION && u != v &&
			    !adjacent(job, u, v)) {
				n++;
				break;
			}
		}
	return n;
}

static int
place_component(struct layout_job *job, int c, struct cscg_err *err)
{
	struct cscg_layout_component component = { job->g, job->node + job->first[c],
	    job->index, job->first[c + 1] - job->first[c] };
	struct cscg_stress s;
	int i, rc = -1;

	for (i = 0; i < component.m; i++)
		job->index[component.node[i]] = i;
	if (cscg_stress_new(&s, &job->adjacency, component.node, component.m, err) < 0)
		goto out;
	if (!job->l->has_coords) {
		cscg_stress_minimise(&s, 2, job->at);
		if (cscg_layout_orient_flat(&component, job->at, err) < 0)
			goto out;
		store_component(job, c, 2, job->l->flat);
	}
	rc = cscg_layout_torus(&component, job->at, err);
	if (rc < 0)
		goto out;
	if (rc == 0) {
		cscg_stress_minimise(&s, 3, job->at);
		cscg_layout_orient_solid(&component, job->at);
	}
	store_component(job, c, 3, job->l->solid);
	job->l->flat_crowding += count_crowded(job, c, 2, job->l->flat);
	job->l->solid_crowding += count_crowded(job, c, 3, job->l->solid);
	rc = 0;
out:
	cscg_stress_free(&s);
	return rc;
}

static int
layout_graph(struct layout_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->g->n_nodes;
	bool *seen;
	int c, has_coords;

	job->node = cscg_alloc(n, sizeof *job->node, err);
	job->first = cscg_alloc(n + 1, sizeof *job->first, err);
	job->index = cscg_alloc(n, sizeof *job->index, err);
	job->at = cscg_alloc(3 * n, sizeof *job->at, err);
	job->l->flat = cscg_alloc(2 * n, sizeof *job->l->flat, err);
	job->l->solid = cscg_alloc(3 * n, sizeof *job->l->solid, err);
	seen = cscg_alloc(n, sizeof *seen, err);
	if (seen && job->node && job->first)
		job->n = cscg_adjacency_components(&job->adjacency, job->node,
		    job->first, seen);
	free(seen);
	if (!job->n || !job->index || !job->at || !job->l->flat ||
	    !job->l->solid)
		return -1;
	has_coords = has_distinct_coords(job->g, err);
	if (has_coords < 0 || (has_coords && use_coords(job, err) < 0))
		return -1;
	for (c = 0; c < job->n; c++)
		if (place_component(job, c, err) < 0)
			return -1;
	job->l->flat_crowding /= (double)n;
	job->l->solid_crowding /= (double)n;
	if (!job->l->has_coords && pack_components(job, job->l->flat, 2, err) < 0)
		return -1;
	return pack_components(job, job->l->solid, 3, err);
}

int
cscg_layout_new(struct cscg_layout *l, const struct cscg_graph *g,
    struct cscg_err *err)
{
	struct layout_job job = { .g = g, .l = l };
	int rc = -1;

	*l = (struct cscg_layout){ 0 };
	if (cscg_adjacency_new(&job.adjacency, g, err) == 0)
		rc = layout_graph(&job, err);
	cscg_adjacency_free(&job.adjacency);
	free(job.node);
	free(job.first);
	free(job.index);
	free(job.at);
	if (rc < 0)
		cscg_layout_free(l);
	return rc;
}

void
cscg_layout_free(struct cscg_layout *l)
{
	free(l->flat);
	free(l->solid);
	*l = (struct cscg_layout){ 0 };
}
