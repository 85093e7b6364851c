/*
 * plan_graph.c - T without smoothing, with in-edges, for planning and exact
 * tracking
 *
 * The search for a plan runs backwards from the goal, so edges are also stored
 * by target.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "core/graph.h"
#include "kernel/plan_graph.h"

static double
largest_share(const struct cscg_model *m)
{
	long rows = (long)m->n_actions * m->n_states, r, i;
	double most = 0, sum;

	for (r = 0; r < rows; r++) {
		sum = cscg_model_row_sum(m, (int)(r / m->n_states),
		    (int)(r % m->n_states));
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if (m->count[i] / sum > most)
				most = m->count[i] / sum;
	}
	return most;
}

/* Append row (a, j) of the shares at index at, with s on the diagonal. */
static long
fill_row(struct cscg_plan_graph *graph, const struct cscg_model *m, int a,
    int j, double s, long at)
{
	long r = (long)a * m->n_states + j, i = m->first[r];
	double sum = cscg_model_row_sum(m, a, j);
	bool stays = s <= 0 || i == m->first[r + 1];

	for (; i < m->first[r + 1]; i++) {
		double share = m->count[i] / sum;

		if (!stays && m->to[i] >= j) {
			stays = true;
			if (m->to[i] > j) {
				graph->to[at] = j;
				graph->p[at++] = s / (1 + s);
			} else {
				share += s;
			}
		}
		graph->to[at] = m->to[i];
		graph->p[at++] = share / (1 + (s > 0 ? s : 0));
	}
	if (!stays) {
		graph->to[at] = j;
		graph->p[at++] = s / (1 + s);
	}
	return at;
}

struct cscg_plan_graph *
cscg_plan_graph_new(const struct cscg_model *m, double lambda,
    struct cscg_err *err)
{
	size_t rows = (size_t)m->n_actions * (size_t)m->n_states, most, r;
	struct cscg_plan_graph *graph = cscg_alloc(1, sizeof *graph, err);
	double s = lambda > 0 ? lambda * largest_share(m) : 0;

	if (!graph)
		return NULL;
	graph->n_states = m->n_states;
	graph->n_actions = m->n_actions;
	most = (size_t)m->first[rows] + (s > 0 ? rows : 0);
	graph->first = cscg_alloc(rows + 1, sizeof *graph->first, err);
	graph->to = cscg_alloc(most, sizeof *graph->to, err);
	graph->p = cscg_alloc(most, sizeof *graph->p, err);
	graph->in_first = cscg_alloc((size_t)m->n_states + 1,
	    sizeof *graph->in_first, err);
	graph->in_from = cscg_alloc(most, sizeof *graph->in_from, err);
	graph->in_edge = cscg_alloc(most, sizeof *graph->in_edge, err);
	if (!graph->first || !graph->to || !graph->p || !graph->in_first ||
	    !graph->in_from || !graph->in_edge) {
		cscg_plan_graph_free(graph);
		return NULL;
	}
	for (r = 0; r < rows; r++)
		graph->first[r + 1] = fill_row(graph, m,
		    (int)(r / (size_t)m->n_states),
		    (int)(r % (size_t)m->n_states), s, graph->first[r]);
	cscg_edges_by_target(m->n_states, m->n_actions, graph->first,
	    graph->to, -1, graph->in_first, graph->in_from, graph->in_edge);
	return graph;
}

void
cscg_plan_graph_free(struct cscg_plan_graph *graph)
{
	if (!graph)
		return;
	free(graph->first);
	free(graph->to);
	free(graph->p);
	free(graph->in_first);
	free(graph->in_from);
	free(graph->in_edge);
	free(graph);
}

int
cscg_plan_graph_next(const struct cscg_plan_graph *graph, int a, int j)
{
	long r = (long)a * graph->n_states + j;
	long best = cscg_largest(graph->p, graph->first[r],
	    graph->first[r + 1]);

	return best < 0 ? -1 : graph->to[best];
}

/* max(T), including the pseudocount. */
static double
largest_T(const struct cscg_model *m)
{
	long rows = (long)m->n_actions * m->n_states, r, i;
	double p = m->pseudocount, most = 1.0 / m->n_states, norm;

	/* A row without counts is uniform. */
	for (r = 0; r < rows; r++) {
		norm = cscg_model_row_sum(m, (int)(r / m->n_states),
			   (int)(r % m->n_states)) +
		    p * m->n_states;
		for (i = m->first[r]; i < m->first[r + 1]; i++)
			if ((m->count[i] + p) / norm > most)
				most = (m->count[i] + p) / norm;
	}
	return most;
}

/*
 * T' = (C + p + s * norm on the diagonal) / (norm * (1 + s)): the counts added
 * to the diagonal are s * norm, and the new norm is that of the sum.
 */
struct cscg_model *
cscg_plan_smooth(const struct cscg_model *m, double lambda,
    struct cscg_err *err)
{
	long rows = (long)m->n_actions * m->n_states, n = m->first[rows], r, i;
	struct cscg_count *c = cscg_alloc((size_t)(n + rows), sizeof *c, err);
	struct cscg_model *smooth = c ? cscg_model_copy(m, err) : NULL;
	double s = lambda * largest_T(m), add;
	long at = 0;

	if (!smooth)
		goto out;
	for (r = 0; r < rows; r++) {
		int a = (int)(r / m->n_states), j = (int)(r % m->n_states);

		for (i = m->first[r]; i < m->first[r + 1]; i++)
			c[at++] = (struct cscg_count){ a, j, m->to[i],
				m->count[i] };
		add = s *
		    (cscg_model_row_sum(m, a, j) +
			m->pseudocount * m->n_states);
		if (add > 0)
			c[at++] = (struct cscg_count){ a, j, j, add };
	}
	if (cscg_model_set_counts(smooth, c, at, err) < 0) {
		cscg_model_free(smooth);
		smooth = NULL;
	}
out:
	free(c);
	return smooth;
}
