/*
 * kind.c - kinds of rooms: which rooms are equal except for their doors
 *
 * A room becomes a separate graph in which exits are self-loops, like walls.
 * graph.c tests two such graphs for isomorphism: transitions are mostly
 * deterministic, so that one pair of nodes determines all others.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "schema/kind.h"

/* A transition of this share of its row is the only one; as in partition.c. */
#define CERTAIN_SHARE 0.75

/* One room, nodes numbered in their order. */
struct room_graph {
	int n;
	const int *node; /* [n] of the graph */
	struct cscg_arc *arc;
	long n_arcs;
};

struct classify_job {
	const struct cscg_graph *g;
	struct cscg_partition *r;
	int *node;  /* [n_nodes] room by room, doorways of a room last */
	int *first; /* [n + 1] offset of each room in node */
	int *index; /* [n_nodes] the number of a node in its room */
	int *label; /* [n_nodes] all equal: symbols are not compared */
	int *map;   /* [n_nodes] scratch */
};

static int
by_arc(const void *pa, const void *pb)
{
	const struct cscg_arc *x = pa, *y = pb;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Sort n arcs and keep each once; returns their number. */
static long
unique_arcs(struct cscg_arc *arc, long n)
{
	long i, kept = 0;

	qsort(arc, (size_t)n, sizeof *arc, by_arc);
	for (i = 0; i < n; i++)
		if (!i || by_arc(&arc[i], &arc[i - 1]))
			arc[kept++] = arc[i];
	return kept;
}

/*
 * All arcs of a room, each once: two exits of a node are one wall.  core:
 * without its doorways, so that transitions into these are exits.
 */
static int
extract_arcs(const struct classify_job *job, int room, bool core,
    struct room_graph *p, struct cscg_err *err)
{
	const struct cscg_graph *g = job->g;
	long i, row, n = 0;
	int a, j, v;

	p->n = job->first[room + 1] - job->first[room];
	p->node = job->node + job->first[room];
	while (core && job->r->is_doorway[p->node[p->n - 1]])
		p->n--;
	for (a = 0; a < g->n_actions; a++)
		for (j = 0; j < p->n; j++) {
			row = (long)a * g->n_nodes + p->node[j];
			n += g->first[row + 1] - g->first[row];
		}
	p->arc = cscg_alloc((size_t)n, sizeof *p->arc, err);
	if (!p->arc)
		return -1;
	for (a = 0, n = 0; a < g->n_actions; a++)
		for (j = 0; j < p->n; j++) {
			row = (long)a * g->n_nodes + p->node[j];
			for (i = g->first[row]; i < g->first[row + 1]; i++) {
				v = g->to[i];
				p->arc[n++] = (struct cscg_arc){ a, j,
					job->r->room[v] == room &&
						job->index[v] < p->n ?
					    job->index[v] :
					    j };
			}
		}
	p->n_arcs = unique_arcs(p->arc, n);
	return 0;
}

/* Whether a and b are isomorphic; then job->map maps b's nodes to a's. */
static int
is_isomorphic(const struct classify_job *job, const struct room_graph *a,
    const struct room_graph *b, struct cscg_err *err)
{
	struct cscg_iso_graph left = { job->label, b->arc, b->n_arcs };
	struct cscg_iso_graph right = { job->label, a->arc, a->n_arcs };
	int j;

	if (a->n != b->n)
		return 0;
	for (j = 0; j < b->n; j++)
		job->map[j] = -1;
	return cscg_graph_isomorphism(b->n, &left, &right, job->map, err);
}

/* One room as a whole, and without its doorways (possibly empty). */
struct room_forms {
	struct room_graph form[2];
};

/*
 * Find the class of a room among those of the rooms before it: equal as a
 * whole, or without doorways.
 */
static int
classify_room(const struct classify_job *job, struct room_forms *p, int room,
    struct cscg_err *err)
{
	const struct room_graph *whole = &p[room].form[0];
	struct cscg_partition *r = job->r;
	int c, j, f = 0, rc = 0, n;

	for (c = 0; c < room; c++) {
		for (f = 0; f < 2 && r->class_of[c] == c && !rc; f++)
			rc = is_isomorphic(job, &p[c].form[f],
			    &p[room].form[f], err);
		if (rc)
			break;
	}
	if (rc < 0)
		return cscg_fail_at(err, "rooms %d and %d", c, room);
	r->class_of[room] = c;
	n = rc ? p[room].form[f - 1].n : whole->n;
	for (j = 0; j < whole->n; j++)
		r->same_node[whole->node[j]] = j >= n ?
		    -1 :
		    p[c].form[0].node[rc ? job->map[j] : j];
	return 0;
}

/* The nodes of each room, one after the other; doorways last. */
static void
sort_nodes(struct classify_job *job)
{
	struct cscg_partition *r = job->r;
	int v, k;

	for (k = 0; k < r->n; k++)
		job->first[k + 1] = job->first[k] + r->size[k];
	for (k = 0; k < 2; k++)
		for (v = 0; v < r->n_nodes; v++)
			if (r->is_doorway[v] == k)
				job->node[job->first[r->room[v]]++] = v;
	for (k = r->n; k > 0; k--)
		job->first[k] = job->first[k - 1];
	job->first[0] = 0;
	for (v = 0; v < r->n_nodes; v++)
		job->index[job->node[v]] = v -
		    job->first[r->room[job->node[v]]];
}

static int
classify_all(struct classify_job *job, struct cscg_err *err)
{
	struct room_forms *p = cscg_alloc((size_t)job->r->n, sizeof *p, err);
	int k, rc = p ? 0 : -1;

	for (k = 0; rc == 0 && k < job->r->n; k++) {
		rc = extract_arcs(job, k, false, &p[k].form[0], err);
		if (rc == 0)
			rc = extract_arcs(job, k, true, &p[k].form[1], err);
		if (rc == 0)
			rc = classify_room(job, p, k, err);
	}
	for (k = 0; p && k < job->r->n; k++) {
		free(p[k].form[0].arc);
		free(p[k].form[1].arc);
	}
	free(p);
	return rc;
}

int
cscg_kind_classify(const struct cscg_graph *g, struct cscg_partition *r,
    struct cscg_err *err)
{
	size_t n = (size_t)r->n_nodes;
	struct classify_job job = { .g = g, .r = r };
	int rc = -1;

	r->class_of = cscg_alloc((size_t)r->n, sizeof *r->class_of, err);
	r->same_node = cscg_alloc(n, sizeof *r->same_node, err);
	job.first = cscg_alloc((size_t)r->n + 1, sizeof *job.first, err);
	job.node = cscg_alloc(4 * n, sizeof *job.node, err);
	if (r->class_of && r->same_node && job.first && job.node) {
		job.index = job.node + n;
		job.label = job.index + n;
		job.map = job.label + n;
		sort_nodes(&job);
		rc = classify_all(&job, err);
	}
	free(job.first);
	free(job.node);
	return rc;
}

/* ---- two models ---- */

/* The arcs of a whole model; action[a] is the number of its action a. */
static int
model_arcs(const struct cscg_model *m, const struct cscg_graph *g,
    const int *action, struct room_graph *p, struct cscg_err *err)
{
	long rows = (long)g->n_actions * g->n_nodes, row, i, n = 0;

	p->n = g->n_nodes;
	p->arc = cscg_alloc((size_t)(g->first[rows] + m->n_frontiers),
	    sizeof *p->arc, err);
	if (!p->arc)
		return -1;
	for (row = 0; row < rows; row++) {
		int a = action[row / g->n_nodes];
		int j = (int)(row % g->n_nodes);
		double most = 0;

		for (i = g->first[row]; i < g->first[row + 1]; i++)
			most = g->share[i] > most ? g->share[i] : most;
		for (i = g->first[row]; i < g->first[row + 1]; i++)
			if (most < CERTAIN_SHARE || g->share[i] == most)
				p->arc[n++] = (struct cscg_arc){ a, j,
					g->to[i] };
	}
	for (i = 0; i < m->n_frontiers; i++) {
		const struct cscg_frontier *f = &m->frontier[i];

		if (!(cscg_model_row_sum(m, f->a, f->state) > 0))
			p->arc[n++] = (struct cscg_arc){ action[f->a],
				f->state, f->state };
	}
	p->n_arcs = unique_arcs(p->arc, n);
	return 0;
}

/*
 * Map the actions of b to those of a, and symbols to labels.  Returns 1, or
 * 0 if a name of b is missing in a.
 */
static int
match_alphabets(const struct cscg_model *a, const struct cscg_model *b,
    bool symbols, int *action, int *symbol)
{
	struct cscg_err differ = { 0 };

	if (a->n_actions != b->n_actions ||
	    cscg_names_map(&b->actions, b->n_actions, &a->actions,
		a->n_actions, "action", action, &differ) < 0)
		return 0;
	if (symbols &&
	    cscg_names_map(&b->symbols, b->n_obs, &a->symbols, a->n_obs,
		"symbol", symbol, &differ) < 0)
		return 0;
	return 1;
}

struct same_job {
	struct cscg_graph *g[2];
	struct room_graph room[2];
	int *action[2], *label[2], *symbol;
};

static int
same_open(struct same_job *job, const struct cscg_model *const *m,
    struct cscg_err *err)
{
	size_t actions = (size_t)m[0]->n_actions;
	int i, a;

	job->symbol = cscg_alloc((size_t)m[1]->n_obs, sizeof(int), err);
	if (!job->symbol)
		return -1;
	for (i = 0; i < 2; i++) {
		job->g[i] = cscg_graph_of_model(m[i], CSCG_PARTITION_MIN_PROB,
		    err);
		job->action[i] = cscg_alloc(actions, sizeof(int), err);
		job->label[i] = cscg_alloc((size_t)m[i]->n_states, sizeof(int),
		    err);
		if (!job->g[i] || !job->action[i] || !job->label[i])
			return -1;
	}
	for (a = 0; a < m[0]->n_actions; a++)
		job->action[0][a] = a;
	return 0;
}

static void
same_close(struct same_job *job)
{
	int i;

	for (i = 0; i < 2; i++) {
		cscg_graph_free(job->g[i]);
		free(job->room[i].arc);
		free(job->action[i]);
		free(job->label[i]);
	}
	free(job->symbol);
}

/* The most probable symbols become labels, in a's numbers. */
static void
same_labels(struct same_job *job)
{
	int j;

	for (j = 0; j < job->g[0]->n_nodes; j++)
		job->label[0][j] = job->g[0]->label[j];
	for (j = 0; j < job->g[1]->n_nodes; j++)
		job->label[1][j] = job->symbol[job->g[1]->label[j]];
}

int
cscg_kind_is_same(const struct cscg_model *a, const struct cscg_model *b,
    bool symbols, int *map, struct cscg_err *err)
{
	const struct cscg_model *m[2] = { a, b };
	struct same_job job = { .symbol = NULL };
	int i, rc = -1;

	if (a->n_states != b->n_states || a->n_actions != b->n_actions)
		return 0;
	if (same_open(&job, m, err) == 0)
		rc = match_alphabets(a, b, symbols, job.action[1], job.symbol);
	if (rc > 0 && symbols)
		same_labels(&job);
	for (i = 0; i < 2 && rc > 0; i++)
		if (model_arcs(m[i], job.g[i], job.action[i], &job.room[i],
			err) < 0)
			rc = -1;
	if (rc > 0) {
		struct cscg_iso_graph left = { job.label[1], job.room[1].arc,
			job.room[1].n_arcs };
		struct cscg_iso_graph right = { job.label[0], job.room[0].arc,
			job.room[0].n_arcs };

		for (i = 0; i < b->n_states; i++)
			map[i] = -1;
		rc = cscg_graph_isomorphism(b->n_states, &left, &right, map,
		    err);
	}
	same_close(&job);
	return rc;
}
