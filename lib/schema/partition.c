/*
 * partition.c - partition of a graph into rooms and doors
 *
 * Components are cut in two until no cut is narrow enough.  In a learned graph
 * a state may merge two states of the environment: its transitions lead to the
 * successors of either, and it joins unrelated rooms.  Such ambiguous states
 * are removed before the cuts and assigned to a room at the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/graph.h"
#include "io/table.h"
#include "schema/kind.h"
#include "schema/partition.h"
#include "schema/spectral.h"

/* An action is ambiguous at a state if no transition has this probability. */
#define CERTAIN_SHARE 0.75
/*
 * Above this share of ambiguous states the graph is stochastic: they are then
 * not treated separately.
 */
#define AMBIGUOUS_SHARE_MAX 0.1

struct split_job {
	const struct cscg_partition_options *set;
	const struct cscg_wgraph *graph;
	struct cscg_partition *r;
	bool any_ambiguous;
	int n_rooms;       /* rooms so far */
	int *size;         /* [3 * n_nodes] sizes of these rooms */
	double *cut;       /* [3 * n_nodes] narrowest cuts not made */
	int *index, *node; /* [n_nodes] scratch */
};

void
cscg_partition_free(struct cscg_partition *r)
{
	if (!r)
		return;
	free(r->room);
	free(r->size);
	free(r->class_of);
	free(r->same_node);
	free(r->is_ambiguous);
	free(r->is_doorway);
	free(r->cut);
	free(r->exit);
	free(r);
}

/* ---- ambiguous states ---- */

/* Mark the ambiguous states; returns whether there are any. */
static bool
find_ambiguous(const struct cscg_graph *g, char *is_ambiguous)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;
	int v, n = 0;

	for (row = 0; row < rows; row++) {
		double most = 0;

		for (i = g->first[row]; i < g->first[row + 1]; i++)
			most = g->share[i] > most ? g->share[i] : most;
		if (g->first[row] < g->first[row + 1] && most < CERTAIN_SHARE)
			is_ambiguous[row % g->n_nodes] = 1;
	}
	for (v = 0; v < g->n_nodes; v++)
		n += is_ambiguous[v];
	if (n <= AMBIGUOUS_SHARE_MAX * g->n_nodes)
		return n > 0;
	memset(is_ambiguous, 0, (size_t)g->n_nodes);
	return false;
}

/* Connected components among nodes of the same side; side NULL: all nodes. */
static int
components(const struct cscg_wgraph *w, const char *side, int *component,
    struct cscg_err *err)
{
	return cscg_connected_components(w->n, w->first, w->to, side,
	    component, err);
}

/*
 * Initially each connected component is a room.  But if a component has large
 * parts left without its ambiguous states, each of these parts is a room, and
 * all other states of the component are unassigned (-1).
 */
static int
init_rooms(struct split_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->graph->n;
	int *component = cscg_alloc(4 * n, sizeof *component, err), v, rc;
	int *room = job->r->room, *size, *number, *large;

	if (!component)
		return -1;
	size = component + n;
	number = size + n;
	large = number + n;
	rc = job->n_rooms = components(job->graph, NULL, room, err);
	if (rc >= 0 && job->any_ambiguous)
		rc = components(job->graph, job->r->is_ambiguous, component,
		    err);
	if (rc < 0 || !job->any_ambiguous)
		goto out;
	for (v = 0; v < job->graph->n; v++)
		size[component[v]] += !job->r->is_ambiguous[v];
	for (v = 0; v < job->graph->n; v++)
		large[room[v]] |= size[component[v]] >= job->set->min_size;
	for (v = 0; v < job->graph->n; v++) {
		if (!large[room[v]])
			continue;
		if (size[component[v]] >= job->set->min_size &&
		    !number[component[v]])
			number[component[v]] = ++job->n_rooms;
		room[v] = number[component[v]] - 1;
	}
out:
	free(component);
	return rc < 0 ? -1 : 0;
}

/*
 * The room with the largest total weight to v, or -1 if v has no room next to
 * it.
 */
static int
nearest_room(const struct split_job *job, int v, double *attachment)
{
	const struct cscg_wgraph *w = job->graph;
	int best = -1;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++) {
		int r = job->r->room[w->to[i]];

		if (r < 0)
			continue;
		attachment[r] += w->w[i];
		if (best < 0 || attachment[r] > attachment[best] ||
		    (attachment[r] == attachment[best] && r < best))
			best = r;
	}
	for (i = w->first[v]; i < w->first[v + 1]; i++)
		if (job->r->room[w->to[i]] >= 0)
			attachment[job->r->room[w->to[i]]] = 0;
	return best;
}

/*
 * Assign the unassigned states to rooms.  Each is connected to a room,
 * possibly through others.
 */
static int
assign_ambiguous(struct split_job *job, struct cscg_err *err)
{
	double *attachment = cscg_alloc((size_t)job->n_rooms,
	    sizeof *attachment, err);
	int v, changed = 1;

	if (!attachment)
		return -1;
	while (changed)
		for (v = 0, changed = 0; v < job->graph->n; v++)
			if (job->r->room[v] < 0) {
				job->r->room[v] = nearest_room(job, v,
				    attachment);
				changed |= job->r->room[v] >= 0;
			}
	free(attachment);
	return 0;
}

/* ---- rooms ---- */

/*
 * Split room r, if there is a narrow cut: r keeps the first component, the
 * others become new rooms.  Returns 1 if it was split, 0 if not.
 */
static int
split_room(struct split_job *job, int r, struct cscg_err *err)
{
	struct cscg_wgraph *part;
	int *component = NULL, *room = job->r->room, n = 0, v, n_components,
	    rc = -1;
	char *side = NULL;

	if (job->size[r] < 2 * job->set->min_size)
		return 0;
	for (v = 0; v < job->graph->n; v++)
		if (room[v] == r)
			job->node[n++] = v;
	part = cscg_wgraph_subgraph(job->graph, job->node, n, job->index, err);
	if (part) {
		side = cscg_alloc((size_t)n, 1, err);
		component = cscg_alloc((size_t)n, sizeof *component, err);
	}
	if (side && component)
		rc = cscg_partition_cut(part, job->set, side, component,
		    &job->cut[r], err);
	if (rc > 0) {
		n_components = components(part, side, component, err);
		job->size[r] = 0;
		for (v = 0; v < n && n_components > 0; v++) {
			if (component[v])
				room[job->node[v]] = job->n_rooms +
				    component[v] - 1;
			job->size[room[job->node[v]]]++;
		}
		job->n_rooms += n_components - 1;
		rc = n_components < 0 ? -1 : 1;
	}
	free(side);
	free(component);
	cscg_wgraph_free(part);
	return rc;
}

/* Number rooms by their first node; some numbers may be unused. */
static int
renumber(struct split_job *job, struct cscg_err *err)
{
	int *number = cscg_alloc((size_t)job->n_rooms, sizeof *number, err);
	int v, n = 0, *room = job->r->room;

	job->r->cut = cscg_alloc((size_t)job->n_rooms, sizeof *job->r->cut,
	    err);
	if (!number || !job->r->cut) {
		free(number);
		return -1;
	}
	for (v = 0; v < job->graph->n; v++) {
		if (!number[room[v]]) {
			job->r->cut[n] = job->cut[room[v]];
			number[room[v]] = ++n;
		}
		room[v] = number[room[v]] - 1;
	}
	job->r->n = n;
	free(number);
	return 0;
}

static int
split_all(struct split_job *job, struct cscg_err *err)
{
	size_t n = (size_t)job->graph->n;
	int r, rc, v;

	job->index = cscg_alloc(n, sizeof *job->index, err);
	job->node = cscg_alloc(n, sizeof *job->node, err);
	job->size = cscg_alloc(3 * n, sizeof *job->size, err);
	job->cut = cscg_alloc(3 * n, sizeof *job->cut, err);
	if (!job->index || !job->node || !job->size || !job->cut)
		return -1;
	for (r = 0; r < 3 * job->graph->n; r++)
		job->cut[r] = INFINITY;
	memset(job->index, -1, n * sizeof *job->index);
	if (init_rooms(job, err) < 0)
		return -1;
	for (v = 0; v < job->graph->n; v++)
		if (job->r->room[v] >= 0)
			job->size[job->r->room[v]]++;
	/* Split a room until it has no narrow cut. */
	for (r = 0; r < job->n_rooms;) {
		rc = split_room(job, r, err);
		if (rc < 0)
			return -1;
		r += !rc;
	}
	if (assign_ambiguous(job, err) < 0)
		return -1;
	return renumber(job, err);
}

/* Transitions from and to ambiguous states are not exits. */
static int
find_exits(const struct cscg_graph *g, struct cscg_partition *r,
    struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i;

	r->exit = cscg_alloc((size_t)g->first[rows], sizeof *r->exit, err);
	if (!r->exit)
		return -1;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int from = (int)(row % g->n_nodes), to = g->to[i];

			if (r->room[from] != r->room[to] &&
			    !r->is_ambiguous[from] && !r->is_ambiguous[to])
				r->exit[r->n_exits++] = (struct cscg_arc){
					(int)(row / g->n_nodes), from, to
				};
		}
	qsort(r->exit, (size_t)r->n_exits, sizeof *r->exit, cscg_arc_compare);
	return 0;
}

/*
 * The number of other nodes of its room that node v is connected with; *last
 * is one of them.
 */
static int
neighbours_inside(const struct cscg_wgraph *w, const int *room, int v,
    int *last)
{
	int n = 0;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++)
		if (room[w->to[i]] == room[v]) {
			n++;
			*last = w->to[i];
		}
	return n;
}

/*
 * A cell in the wall between two rooms is assigned to either room arbitrarily:
 * it has an exit and one neighbour in its room.  So does the last cell of a
 * corridor, but there the neighbour has only one further neighbour.
 */
static void
find_doorways(const struct cscg_wgraph *w, struct cscg_partition *r)
{
	int v, next = 0, none;

	for (v = 0; v < w->n; v++)
		r->is_doorway[v] = !r->is_ambiguous[v] &&
		    neighbours_inside(w, r->room, v, &next) == 1 &&
		    w->first[v + 1] - w->first[v] > 1 &&
		    neighbours_inside(w, r->room, next, &none) >= 3;
}

static int
find_rooms(const struct cscg_graph *g,
    const struct cscg_partition_options *set, struct cscg_partition *r,
    struct cscg_err *err)
{
	struct cscg_wgraph *graph = cscg_wgraph_of_graph(g, err);
	struct split_job job = { .set = set, .graph = graph, .r = r };
	int v, rc = -1;

	job.any_ambiguous = find_ambiguous(g, r->is_ambiguous);
	if (graph)
		rc = split_all(&job, err);
	free(job.index);
	free(job.node);
	free(job.size);
	free(job.cut);
	if (rc == 0)
		find_doorways(graph, r);
	cscg_wgraph_free(graph);
	if (rc < 0)
		return -1;
	r->size = cscg_alloc((size_t)r->n, sizeof *r->size, err);
	if (!r->size)
		return -1;
	for (v = 0; v < r->n_nodes; v++)
		r->size[r->room[v]]++;
	return find_exits(g, r, err);
}

/* A partition whose nodes have no rooms yet. */
static struct cscg_partition *
empty_partition(const struct cscg_graph *g, struct cscg_err *err)
{
	struct cscg_partition *r = cscg_alloc(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->n_nodes = g->n_nodes;
	r->room = cscg_alloc((size_t)g->n_nodes, sizeof *r->room, err);
	r->is_ambiguous = cscg_alloc((size_t)g->n_nodes, 1, err);
	r->is_doorway = cscg_alloc((size_t)g->n_nodes, 1, err);
	if (r->room && r->is_ambiguous && r->is_doorway)
		return r;
	cscg_partition_free(r);
	return NULL;
}

struct cscg_partition *
cscg_partition_new(const struct cscg_graph *g,
    const struct cscg_partition_options *set, struct cscg_err *err)
{
	struct cscg_partition *r = empty_partition(g, err);

	if (!r)
		return NULL;
	if (find_rooms(g, set, r, err) < 0 ||
	    cscg_kind_classify(g, r, err) < 0) {
		cscg_partition_free(r);
		return NULL;
	}
	return r;
}

static int
set_rooms(const struct cscg_graph *g, const int *room, int n,
    struct cscg_partition *r, struct cscg_err *err)
{
	struct cscg_wgraph *w = cscg_wgraph_of_graph(g, err);
	int v;

	r->size = cscg_alloc((size_t)n, sizeof *r->size, err);
	r->cut = cscg_alloc((size_t)n, sizeof *r->cut, err);
	if (!w || !r->size || !r->cut) {
		cscg_wgraph_free(w);
		return -1;
	}
	r->n = n;
	for (v = 0; v < n; v++)
		r->cut[v] = INFINITY;
	for (v = 0; v < g->n_nodes; v++) {
		r->room[v] = room[v];
		r->size[room[v]]++;
	}
	find_doorways(w, r);
	cscg_wgraph_free(w);
	return find_exits(g, r, err);
}

struct cscg_partition *
cscg_partition_given(const struct cscg_graph *g, const int *room, int n,
    struct cscg_err *err)
{
	struct cscg_partition *r = empty_partition(g, err);

	if (!r)
		return NULL;
	if (set_rooms(g, room, n, r, err) < 0 ||
	    cscg_kind_classify(g, r, err) < 0) {
		cscg_partition_free(r);
		return NULL;
	}
	return r;
}

/*
 * The narrowest cut of a graph in two
 *
 * Spectral cuts: the second and third eigenvectors of the normalised Laplacian
 * are nearly constant in a room and differ between rooms.  For eight linear
 * combinations of the two (a ring of rooms has no preferred one), nodes are
 * sorted and the best threshold of the order is taken (sweep cut).  Nodes on
 * the wrong side of it are then moved to the other side.
 */

enum { ANGLES = 8, VECTORS = 2 };

struct node_value {
	double value;
	int v;
};

/* A cut of a weighted graph in two. */
struct cut {
	char *side;            /* [n] 0 or 1 */
	double weight, volume; /* cut; of the smaller side */
};

static int
by_value(const void *pa, const void *pb)
{
	const struct node_value *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->v > b->v) - (a->v < b->v);
}

/* The weight between v and the nodes on a side. */
static double
weight_to_side(const struct cscg_wgraph *w, const char *side, int v, int which)
{
	double s = 0;
	long i;

	for (i = w->first[v]; i < w->first[v + 1]; i++)
		s += side[w->to[i]] == which ? w->w[i] : 0;
	return s;
}

static double
total_weight(const struct cscg_wgraph *w)
{
	double s = 0;
	int v;

	for (v = 0; v < w->n; v++)
		s += w->degree[v];
	return s;
}

/* Weight and volume of a cut by its sides. */
static void
measure_cut(const struct cscg_wgraph *w, struct cut *cut)
{
	double one = 0;
	int v;

	cut->weight = 0;
	for (v = 0; v < w->n; v++)
		if (cut->side[v]) {
			one += w->degree[v];
			cut->weight += weight_to_side(w, cut->side, v, 0);
		}
	cut->volume = one < total_weight(w) - one ? one :
						    total_weight(w) - one;
}

/*
 * Cut the order of nodes where the conductance is least; *best is the least so
 * far, and side is set if there is a better cut.
 */
static void
sweep_cut(const struct cscg_wgraph *w, const struct node_value *order,
    long min_size, char *in, char *side, double *best)
{
	double all = total_weight(w), cut = 0, volume = 0, phi, smaller;
	int i, cut_at = -1;

	memset(in, 0, (size_t)w->n);
	for (i = 0; i < w->n - min_size; i++) {
		int v = order[i].v;

		cut += w->degree[v] - 2 * weight_to_side(w, in, v, 1);
		volume += w->degree[v];
		in[v] = 1;
		smaller = volume < all - volume ? volume : all - volume;
		phi = cut / smaller;
		if (i + 1 >= min_size && phi < *best) {
			*best = phi;
			cut_at = i;
		}
	}
	if (cut_at < 0)
		return;
	memset(side, 0, (size_t)w->n);
	for (i = 0; i <= cut_at; i++)
		side[order[i].v] = 1;
}

/* Returns 1 with side set, 0 if no cut leaves enough on both sides. */
static int
best_sweep_cut(const struct cscg_wgraph *w, long min_size, char *side,
    struct cscg_err *err)
{
	size_t n = (size_t)w->n;
	double *v = cscg_alloc(VECTORS * n, sizeof *v, err);
	struct node_value *order = cscg_alloc(n, sizeof *order, err);
	char *in = cscg_alloc(n, 1, err);
	double lambda[VECTORS], best = INFINITY;
	int k = VECTORS < w->n - 1 ? VECTORS : w->n - 1, i, j, rc = -1;

	if (!v || !order || !in ||
	    cscg_spectral_vectors(w, k, v, lambda, err) < 0)
		goto out;
	for (i = 0; i < ANGLES; i++) {
		double c = cos(M_PI * i / ANGLES), s = sin(M_PI * i / ANGLES);

		for (j = 0; j < w->n; j++)
			order[j] = (struct node_value){
				(c * v[j] + s * v[n + (size_t)j]) /
				    sqrt(w->degree[j]),
				j
			};
		qsort(order, n, sizeof *order, by_value);
		sweep_cut(w, order, min_size, in, side, &best);
	}
	rc = isfinite(best);
out:
	free(v);
	free(order);
	free(in);
	return rc;
}

/*
 * Move nodes to the side to which they have more weight; the weight of the cut
 * only decreases.
 */
static void
refine_cut(const struct cscg_wgraph *w, long min_size, char *side)
{
	int count[2] = { 0, 0 }, v, moved;

	for (v = 0; v < w->n; v++)
		count[(int)side[v]]++;
	do {
		moved = 0;
		for (v = 0; v < w->n; v++) {
			double own = weight_to_side(w, side, v, side[v]);

			if (count[(int)side[v]] <= min_size ||
			    !(w->degree[v] - own > own * (1 + 1e-9)))
				continue;
			count[(int)side[v]]--;
			side[v] = !side[v];
			count[(int)side[v]]++;
			moved = 1;
		}
	} while (moved);
}

/*
 * Components of a side that are too small for a room move to the other side,
 * so that each side consists of components that are large enough.
 */
static int
absorb_small(const struct cscg_wgraph *w, long min_size, char *side,
    int *component, struct cscg_err *err)
{
	int *size = cscg_alloc((size_t)w->n, sizeof *size, err);
	int which, v, n = 0;

	for (which = 0; size && which < 2; which++) {
		n = components(w, side, component, err);
		if (n < 0)
			break;
		memset(size, 0, (size_t)w->n * sizeof *size);
		for (v = 0; v < w->n; v++)
			size[component[v]]++;
		for (v = 0; v < w->n; v++)
			if (side[v] == which && size[component[v]] < min_size)
				side[v] = !side[v];
	}
	free(size);
	return size && n >= 0 ? 0 : -1;
}

int
cscg_partition_cut(const struct cscg_wgraph *w,
    const struct cscg_partition_options *set, char *side, int *component,
    double *ratio, struct cscg_err *err)
{
	struct cut cut = { .side = side };
	int rc;

	*ratio = INFINITY;

	if (w->n < 2 * set->min_size || w->n < 2)
		return 0;
	rc = best_sweep_cut(w, set->min_size, side, err);
	if (rc <= 0)
		return rc;
	refine_cut(w, set->min_size, side);
	if (absorb_small(w, set->min_size, side, component, err) < 0)
		return -1;
	measure_cut(w, &cut);
	if (cut.volume > 0)
		*ratio = cut.weight / sqrt(cut.volume);
	return cut.volume > 0 &&
	    cut.weight < set->max_conductance * cut.volume &&
	    cut.weight < set->max_cut_ratio * sqrt(cut.volume);
}

/*
 * Rooms of a model as separate models
 *
 * States are extracted with their emissions.  Counts, frontiers and entries
 * are set separately, since they depend on transitions to states outside the
 * room.
 */

/* The new number of each state of the model; -1: dropped. */
struct extract_job {
	const struct cscg_model *m;
	const struct cscg_partition *r;
	int *into;
};

/* Whether this frontier of the model is an exit of the partition. */
static bool
is_known_exit(const struct cscg_partition *r, const struct cscg_frontier *f)
{
	long lo = 0, hi = r->n_exits, mid;

	while (lo < hi) {
		const struct cscg_arc *e = &r->exit[mid = (lo + hi) / 2];

		if (e->from == f->state && e->a == f->a)
			return true;
		if (e->from < f->state || (e->from == f->state && e->a < f->a))
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static bool
is_exit(const struct cscg_partition *r, int a, int from, int to)
{
	struct cscg_arc e = { a, from, to };

	return bsearch(&e, r->exit, (size_t)r->n_exits, sizeof e,
	    cscg_arc_compare);
}

/*
 * Whether a transition from j, which is in the model, leaves it: by an exit,
 * or into a doorway that the model lacks.
 */
static bool
leaves_model(const struct extract_job *job, int a, int j, int k)
{
	return is_exit(job->r, a, j, k) ||
	    (job->r->room[j] == job->r->room[k] && job->into[k] < 0);
}

/* Transitions within the room stay, exits become walls, others are dropped. */
static int
set_counts(const struct extract_job *job, struct cscg_model *to,
    struct cscg_err *err)
{
	const struct cscg_model *m = job->m;
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;
	struct cscg_count *c = cscg_alloc((size_t)m->first[rows], sizeof *c,
	    err);
	int rc = -1;

	for (row = 0; c && row < rows; row++) {
		int j = (int)(row % m->n_states), a = (int)(row / m->n_states);

		if (job->into[j] < 0)
			continue;
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			int k = m->to[i];

			if (job->r->room[k] == job->r->room[j] &&
			    job->into[k] >= 0)
				c[n++] = (struct cscg_count){ a, job->into[j],
					job->into[k], m->count[i] };
			else if (leaves_model(job, a, j, k))
				c[n++] = (struct cscg_count){ a, job->into[j],
					job->into[j], m->count[i] };
		}
	}
	if (c)
		rc = cscg_model_set_counts(to, c, n, err);
	free(c);
	return rc;
}

/*
 * Transitions into doorways that the model lacks become frontiers, those out
 * of them entries.  Returns the number of frontiers, at most one for each
 * transition of the model.
 */
static long
add_doorways(const struct extract_job *job, struct cscg_frontier *f, char *in)
{
	const struct cscg_model *m = job->m;
	long rows = (long)m->n_actions * m->n_states, row, i, n = 0;

	for (row = 0; row < rows; row++)
		for (i = m->first[row]; i < m->first[row + 1]; i++) {
			int j = (int)(row % m->n_states), k = m->to[i];

			if (job->r->room[j] != job->r->room[k] ||
			    (job->into[j] < 0) == (job->into[k] < 0))
				continue;
			if (job->into[j] < 0)
				in[job->into[k]] = 1;
			else
				f[n++] = (struct cscg_frontier){ job->into[j],
					(int)(row / m->n_states) };
		}
	return n;
}

/* Exits, and the frontiers of the model. */
static int
set_frontiers(const struct extract_job *job, struct cscg_model *to, char *in,
    struct cscg_err *err)
{
	const struct cscg_model *m = job->m;
	long n_counts = m->first[(long)m->n_actions * m->n_states], i, n;
	struct cscg_frontier *f = cscg_alloc(
	    (size_t)(job->r->n_exits + m->n_frontiers + n_counts), sizeof *f,
	    err);
	int rc, j;

	if (!f)
		return -1;
	n = add_doorways(job, f, in);
	for (i = 0; i < job->r->n_exits; i++) {
		const struct cscg_arc *e = &job->r->exit[i];

		if (job->into[e->from] >= 0)
			f[n++] = (struct cscg_frontier){ job->into[e->from],
				e->a };
		if (job->into[e->to] >= 0)
			in[job->into[e->to]] = 1;
	}
	for (i = 0; i < m->n_frontiers; i++) {
		j = job->into[m->frontier[i].state];
		if (j < 0)
			continue;
		f[n++] = (struct cscg_frontier){ j, m->frontier[i].a };
		/*
		 * A frontier that is not an exit of the partition is also an
		 * entry, if the model lists no entries.
		 */
		in[j] |= !m->n_entries &&
		    !is_known_exit(job->r, &m->frontier[i]);
	}
	for (i = 0; i < m->n_entries; i++)
		if (job->into[m->entry[i]] >= 0)
			in[job->into[m->entry[i]]] = 1;
	rc = cscg_model_set_frontiers(to, f, n, err);
	free(f);
	return rc;
}

/* Set entries only if they differ from the states with frontiers. */
static int
set_exits(const struct extract_job *job, struct cscg_model *to,
    struct cscg_err *err)
{
	size_t n = (size_t)to->n_states;
	char *in = cscg_alloc(2 * n, 1, err);
	int *entry = cscg_alloc(n, sizeof *entry, err);
	int rc = -1, j, n_in = 0;
	long i;

	if (!in || !entry || set_frontiers(job, to, in, err) < 0)
		goto out;
	for (i = 0; i < to->n_frontiers; i++)
		in[n + (size_t)to->frontier[i].state] = 1;
	for (j = 0; j < to->n_states; j++)
		if (in[j])
			entry[n_in++] = j;
	rc = cscg_model_set_entries(to, entry,
	    memcmp(in, in + n, n) ? n_in : 0, err);
out:
	free(in);
	free(entry);
	return rc;
}

/*
 * from (grounded or a schema) restricted to the states of a room, of its
 * doorways only if core is false.
 */
static struct cscg_model *
extract_room(const struct cscg_model *from, const struct cscg_partition *r,
    int room, bool core, int *into, struct cscg_err *err)
{
	int j, n = 0;

	for (j = 0; j < from->n_states; j++)
		into[j] = r->room[j] == room && !(core && r->is_doorway[j]) ?
		    n++ :
		    -1;
	return cscg_model_merge_states(from, into, n, err);
}

static struct cscg_model *
finish_room(const struct extract_job *job, struct cscg_model *to,
    struct cscg_err *err)
{
	if (to &&
	    (set_counts(job, to, err) < 0 || set_exits(job, to, err) < 0)) {
		cscg_model_free(to);
		to = NULL;
	}
	return to;
}

struct cscg_model *
cscg_partition_room_model(const struct cscg_model *m,
    const struct cscg_partition *r, int room, struct cscg_err *err)
{
	struct extract_job job = { m, r, NULL };
	struct cscg_model *to = NULL;

	job.into = cscg_alloc((size_t)m->n_states, sizeof *job.into, err);
	if (job.into)
		to = finish_room(&job,
		    extract_room(m, r, room, false, job.into, err), err);
	free(job.into);
	return to;
}

struct cscg_model *
cscg_partition_class_model(const struct cscg_model *m,
    const struct cscg_partition *r, int room, struct cscg_err *err)
{
	struct extract_job job = { m, r, NULL };
	struct cscg_model *to = NULL, *schema;
	int j;

	job.into = cscg_alloc((size_t)m->n_states, sizeof *job.into, err);
	schema = job.into ? cscg_model_copy(m, err) : NULL;
	if (schema) {
		cscg_model_unground(schema, CSCG_SCHEMA);
		to = extract_room(schema, r, room, true, job.into, err);
	}
	/* States of equal rooms map to the corresponding states of room. */
	for (j = 0; to && j < m->n_states; j++)
		if (r->class_of[r->room[j]] == room && r->room[j] != room &&
		    r->same_node[j] >= 0 && !r->is_doorway[j])
			job.into[j] = job.into[r->same_node[j]];
	to = finish_room(&job, to, err);
	cscg_model_free(schema);
	free(job.into);
	return to;
}

/* rooms and doors as tables */

/* The number of exits and entries of each room: a node counts once. */
static int
count_exits(const struct cscg_partition *r, long *exits, long *entries,
    struct cscg_err *err)
{
	char *seen = cscg_alloc((size_t)r->n_nodes, 1, err);
	const struct cscg_arc *e = r->exit;
	long i;

	if (!seen)
		return -1;
	for (i = 0; i < r->n_exits; i++) {
		/* One (state, action) pair may have several targets. */
		if (!i || e[i].from != e[i - 1].from || e[i].a != e[i - 1].a)
			exits[r->room[e[i].from]]++;
		if (!seen[e[i].to])
			entries[r->room[e[i].to]]++;
		seen[e[i].to] = 1;
	}
	free(seen);
	return 0;
}

bool
cscg_partition_is_doubtful(const struct cscg_partition *r, int room)
{
	return r->cut[room] < CSCG_PARTITION_DOUBT;
}

static int
write_rooms(const struct cscg_partition *r, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ "room", CSCG_COL_LONG, 0 },
		{ "class", CSCG_COL_LONG, 0 },
		{ *what == 's' ? "states" : "nodes", CSCG_COL_LONG, 0 },
		{ "exits", CSCG_COL_LONG, 0 },
		{ "entries", CSCG_COL_LONG, 0 },
		{ "doorways", CSCG_COL_LONG, 0 },
		{ "cut", CSCG_COL_DOUBLE, 4 },
		{ "doubtful", CSCG_COL_BOOL, 0 },
	};
	size_t n = (size_t)r->n;
	long *exits = cscg_alloc(3 * n, sizeof *exits, err), *doorways;
	struct cscg_table t;
	int k, rc = -1;

	if (exits && count_exits(r, exits, exits + n, err) == 0)
		rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err);
	if (rc < 0) {
		free(exits);
		return -1;
	}
	doorways = exits + 2 * n;
	for (k = 0; k < r->n_nodes; k++)
		doorways[r->room[k]] += r->is_doorway[k];
	for (k = 0; rc == 0 && k < r->n; k++)
		rc = cscg_table_write_row(&t,
		    (union cscg_cell[]){ { .l = k }, { .l = r->class_of[k] },
			{ .l = r->size[k] }, { .l = exits[k] },
			{ .l = exits[n + (size_t)k] }, { .l = doorways[k] },
			{ .d = isfinite(r->cut[k]) ? r->cut[k] : NAN },
			{ .l = cscg_partition_is_doubtful(r, k) } },
		    err);
	free(exits);
	return rc;
}

static int
write_exits(const struct cscg_partition *r, const struct cscg_names *actions,
    const char *what, bool json, struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ "from_room", CSCG_COL_LONG, 0 },
		{ *what == 's' ? "from_state" : "from_node", CSCG_COL_LONG,
		    0 },
		{ "action", CSCG_COL_STRING, 0 },
		{ "to_room", CSCG_COL_LONG, 0 },
		{ *what == 's' ? "to_state" : "to_node", CSCG_COL_LONG, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err);
	long i;

	for (i = 0; rc == 0 && i < r->n_exits; i++) {
		const struct cscg_arc *e = &r->exit[i];
		char number[CSCG_NUMBER_TEXT];

		rc = cscg_table_write_row(&t,
		    (union cscg_cell[]){ { .l = r->room[e->from] },
			{ .l = e->from },
			{ .s = cscg_name_or_number(actions, e->a, number) },
			{ .l = r->room[e->to] }, { .l = e->to } },
		    err);
	}
	return rc;
}

static int
write_states(const struct cscg_partition *r, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	const struct cscg_col cols[] = {
		{ what, CSCG_COL_LONG, 0 },
		{ "room", CSCG_COL_LONG, 0 },
		{ "same_as", CSCG_COL_LONG, 0 },
		{ "doubtful", CSCG_COL_BOOL, 0 },
	};
	struct cscg_table t;
	int rc = cscg_table_init(&t, out, CSCG_COLS(cols), json, err), v;

	for (v = 0; rc == 0 && v < r->n_nodes; v++)
		rc = cscg_table_write_row(&t,
		    (union cscg_cell[]){ { .l = v }, { .l = r->room[v] },
			{ .l = cscg_cell_known(r->same_node[v]) },
			{ .l = r->is_ambiguous[v] } },
		    err);
	return rc;
}

int
cscg_partition_write(const struct cscg_partition *r,
    const struct cscg_names *actions, const char *what, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	if (write_rooms(r, what, json, out, err) < 0 ||
	    cscg_table_write_gap(out, json, err) < 0 ||
	    write_exits(r, actions, what, json, out, err) < 0 ||
	    cscg_table_write_gap(out, json, err) < 0)
		return -1;
	return write_states(r, what, json, out, err);
}
