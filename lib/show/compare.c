/*
 * compare.c - comparison of a model's graph with the true room
 *
 * States of the learned graph are mapped to the nodes they are decoded at, and
 * its edges to edges between those nodes.  graph.c tests whether the two
 * graphs are isomorphic.
 */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "show/compare.h"
#include "core/graph.h"
#include "base/mem.h"
#include "base/stats.h"
#include "io/table.h"

/*
 * Set map to the majority node of each state (-1: state not used), and the
 * counts and purity of the walk in out.
 */
static int
majority(const int *state, const int *z, long n, int n_states, int n_nodes,
    int *map, struct cscg_compare_result *out, struct cscg_err *err)
{
	uint64_t *pair = cscg_alloc(n, sizeof(*pair), err);
	unsigned char *seen = cscg_alloc(n_nodes, 1, err);
	long i, j, m = 0, best = 0, right = 0;
	int s, last = -1, rc = -1;

	if (!pair || !seen)
		goto out;
	for (i = 0; i < n; i++) {
		if (z[i] >= n_nodes) {
			cscg_fail(err, CSCG_ERANGE,
			    "node %d of the walk is outside 0..%d of the room",
			    z[i], n_nodes - 1);
			goto out;
		}
		if (z[i] >= 0 && state[i] >= 0 && state[i] < n_states)
			pair[m++] = (uint64_t)state[i] * n_nodes + z[i];
	}
	cscg_sort_keys(pair, m);
	memset(map, -1, n_states * sizeof(*map));
	out->used = out->visited = 0;
	for (i = 0; i < m; i = j) {
		for (j = i; j < m && pair[j] == pair[i]; j++)
			;
		s = (int)(pair[i] / (uint64_t)n_nodes);
		if (s != last)
			out->used++;
		if (s != last || j - i > best) {
			/* A more frequent node replaces the previous one. */
			right += j - i - (s == last ? best : 0);
			best = j - i;
			map[s] = (int)(pair[i] % (uint64_t)n_nodes);
		}
		last = s;
		if (!seen[pair[i] % n_nodes]++)
			out->visited++;
	}
	out->steps = m;
	out->purity = m ? (double)right / (double)m : NAN;
	rc = 0;
out:
	free(pair);
	free(seen);
	return rc;
}

/*
 * The edges of g as sorted distinct numbers, with both ends mapped by map and
 * actions by act (NULL: unchanged).  Edges with an end at a node that map or
 * keep (NULL: all) excludes are omitted.
 */
static uint64_t *
edge_set(const struct cscg_graph *g, const int *map, const int *act,
    const unsigned char *keep, int n_nodes, long *n, struct cscg_err *err)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes;
	uint64_t *set = cscg_alloc(g->first[rows], sizeof(*set), err);

	*n = 0;
	for (row = 0; set && row < rows; row++) {
		int a = (int)(row / g->n_nodes);
		int from = (int)(row % g->n_nodes);

		if (map)
			from = map[from];
		if (from < 0 || (keep && !keep[from]))
			continue;
		if (act)
			a = act[a];
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int to = map ? map[g->to[i]] : g->to[i];

			if (to >= 0 && !(keep && !keep[to]))
				set[(*n)++] = ((uint64_t)a * n_nodes + from) *
					n_nodes +
				    to;
		}
	}
	if (set)
		*n = cscg_unique_keys(set, *n);
	return set;
}

/* Missing and spurious edges under map. */
static int
count_edges(const struct cscg_graph *model, const struct cscg_graph *truth,
    const int *map, const int *act, struct cscg_compare_result *out,
    struct cscg_err *err)
{
	unsigned char *keep = cscg_alloc(truth->n_nodes, 1, err);
	uint64_t *have = NULL, *want = NULL;
	long i, j, both = 0, n_have, n_want;
	int s, rc = -1;

	if (!keep)
		goto out;
	for (s = 0; s < model->n_nodes; s++)
		if (map[s] >= 0)
			keep[map[s]] = 1;
	have = edge_set(model, map, NULL, NULL, truth->n_nodes, &n_have, err);
	want = edge_set(truth, NULL, act, keep, truth->n_nodes, &n_want, err);
	if (!have || !want)
		goto out;
	for (i = j = 0; i < n_have && j < n_want;) {
		both += have[i] == want[j];
		if (have[i] == want[j]) {
			i++;
			j++;
		} else if (have[i] < want[j]) {
			i++;
		} else {
			j++;
		}
	}
	out->missing = n_want - both;
	out->spurious = n_have - both;
	rc = 0;
out:
	free(keep);
	free(have);
	free(want);
	return rc;
}

/*
 * The arcs of g for graph.c.  With groups, every group in use becomes an
 * additional node, and an arc of an additional kind connects each node with
 * its group: then an isomorphism that preserves arcs preserves groups.
 */
static struct cscg_arc *
iso_arcs(const struct cscg_graph *g, const int *act, const int *group,
    int n_groups, long *n_arcs, struct cscg_err *err)
{
	long row, i, rows = (long)g->n_actions * g->n_nodes, n = 0;
	struct cscg_arc *arc;
	int v;

	arc = cscg_alloc(g->first[rows] + (n_groups ? g->n_nodes : 0),
	    sizeof(*arc), err);
	if (!arc)
		return NULL;
	for (row = 0; row < rows; row++)
		for (i = g->first[row]; i < g->first[row + 1]; i++) {
			int a = (int)(row / g->n_nodes);

			arc[n++] = (struct cscg_arc){ act ? act[a] : a,
				(int)(row % g->n_nodes), g->to[i] };
		}
	for (v = 0; n_groups && v < g->n_nodes; v++)
		arc[n++] = (struct cscg_arc){ INT_MAX, v,
			g->n_nodes + group[g->label[v]] };
	*n_arcs = n;
	return arc;
}

/* Number the groups in use from 0 in group[n_labels]; returns their number. */
static int
number_groups(const struct cscg_graph *g, int *group)
{
	int v, n = 0;

	memset(group, -1, g->n_labels * sizeof(*group));
	for (v = 0; v < g->n_nodes; v++)
		if (group[g->label[v]] < 0)
			group[g->label[v]] = n++;
	return n;
}

/* The symbol of node v of truth in the numbering of model, or -1. */
static int
common_label(const struct cscg_graph *truth, int v,
    const struct cscg_graph *model)
{
	int x = truth->label[v];

	if (!truth->symbols->n || !model->symbols->n)
		return x;
	return cscg_names_find(model->symbols, truth->symbols->v[x]);
}

/*
 * Search for an isomorphism that agrees with map: 1 with map filled, 0 if
 * there is none, or -1 with err filled.  Both graphs have the same number of
 * nodes.
 */
static int
isomorphic(const struct cscg_graph *model, const struct cscg_graph *truth,
    const int *act, enum cscg_compare_labels labels, int *map,
    struct cscg_err *err)
{
	const struct cscg_graph *g[2] = { model, truth };
	struct cscg_iso_graph side[2] = { { 0 } };
	struct cscg_arc *arc[2] = { NULL, NULL };
	int *label[2] = { NULL, NULL }, *group[2] = { NULL, NULL };
	int n_groups[2] = { 0, 0 }, *full = NULL, s, v, n = model->n_nodes;
	int rc = -1;

	for (s = 0; s < 2 && labels == CSCG_COMPARE_GROUPS; s++) {
		group[s] = cscg_alloc(g[s]->n_labels, sizeof(**group), err);
		if (!group[s])
			goto out;
		n_groups[s] = number_groups(g[s], group[s]);
	}
	if (n_groups[0] != n_groups[1]) {
		rc = 0;
		goto out;
	}
	for (s = 0; s < 2; s++) {
		arc[s] = iso_arcs(g[s], s ? act : NULL, group[s], n_groups[s],
		    &side[s].n_arcs, err);
		label[s] = cscg_alloc((size_t)n + n_groups[s], sizeof(**label),
		    err);
		if (!arc[s] || !label[s])
			goto out;
		for (v = 0; v < n && labels == CSCG_COMPARE_SYMBOLS; v++)
			label[s][v] = s ? common_label(truth, v, model) :
					  model->label[v];
		for (v = n; v < n + n_groups[s]; v++)
			label[s][v] = 1;
		side[s].arc = arc[s];
		side[s].label = label[s];
	}
	full = cscg_alloc((size_t)n + n_groups[0], sizeof(*full), err);
	if (!full)
		goto out;
	memcpy(full, map, n * sizeof(*map));
	memset(full + n, -1, n_groups[0] * sizeof(*full));
	rc = cscg_graph_isomorphism(n + n_groups[0], &side[0], &side[1], full,
	    err);
	if (rc > 0)
		memcpy(map, full, n * sizeof(*map));
out:
	for (s = 0; s < 2; s++) {
		free(arc[s]);
		free(label[s]);
		free(group[s]);
	}
	free(full);
	return rc;
}

/* The labels to preserve, given those of the model; -1 with err filled. */
static int
choose_labels(const struct cscg_graph *model, enum cscg_compare_labels labels,
    struct cscg_err *err)
{
	if (labels == CSCG_COMPARE_SYMBOLS && !model->grounded)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the model is not grounded: its states have no symbols");
	if (labels == CSCG_COMPARE_GROUPS && !model->label)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "the model is a schema without clone structure");
	if (labels != CSCG_COMPARE_AUTO)
		return labels;
	return model->grounded ? CSCG_COMPARE_SYMBOLS :
	    model->label       ? CSCG_COMPARE_GROUPS :
				 CSCG_COMPARE_UNLABELLED;
}

int
cscg_compare(const struct cscg_graph *model, const struct cscg_graph *truth,
    enum cscg_compare_labels labels, const int *state, const int *z, long n,
    struct cscg_compare_result *out, int *map, struct cscg_err *err)
{
	int *act = cscg_alloc(truth->n_actions, sizeof(*act), err);
	int *own = cscg_alloc(model->n_nodes, sizeof(*own), err);
	int rc = -1, keep, same = 0;

	if (!act || !own)
		goto out;
	*out = (struct cscg_compare_result){ model->n_nodes, truth->n_nodes,
		-1, -1, -1, NAN, -1, -1, false };
	keep = choose_labels(model, labels, err);
	if (keep < 0 ||
	    cscg_names_map(truth->actions, truth->n_actions, model->actions,
		model->n_actions, "action", act, err) < 0)
		goto out;
	memset(own, -1, model->n_nodes * sizeof(*own));
	if (state &&
	    (majority(state, z, n, model->n_nodes, truth->n_nodes, own, out,
		 err) < 0 ||
		count_edges(model, truth, own, act, out, err) < 0))
		goto out;
	if (model->n_nodes == truth->n_nodes)
		same = isomorphic(model, truth, act, keep, own, err);
	if (same < 0)
		goto out;
	out->isomorphic = same;
	if (same && !state)
		out->missing = out->spurious = 0;
	if (map)
		memcpy(map, own, model->n_nodes * sizeof(*map));
	rc = 0;
out:
	free(act);
	free(own);
	return rc;
}

int
cscg_compare_write(const struct cscg_compare_result *c, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "states", CSCG_COL_LONG, 0 },
		{ "nodes", CSCG_COL_LONG, 0 },
		{ "states_used", CSCG_COL_LONG, 0 },
		{ "nodes_visited", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 },
		{ "purity", CSCG_COL_DOUBLE, 6 },
		{ "missing", CSCG_COL_LONG, 0 },
		{ "spurious", CSCG_COL_LONG, 0 },
		{ "isomorphic", CSCG_COL_BOOL, 0 },
	};
	const union cscg_cell cells[] = { { .l = c->states },
		{ .l = c->nodes }, { .l = cscg_cell_known(c->used) },
		{ .l = cscg_cell_known(c->visited) },
		{ .l = cscg_cell_known(c->steps) }, { .d = c->purity },
		{ .l = cscg_cell_known(c->missing) },
		{ .l = cscg_cell_known(c->spurious) },
		{ .l = c->isomorphic } };
	const struct cscg_table t = { out, CSCG_COLS(cols), json };

	return cscg_table_write_pairs(&t, false, cells, err);
}
