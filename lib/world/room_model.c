/*
 * room_model.c - a room as a model, as a graph and as dense matrices
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/dense.h"
#include "core/graph.h"
#include "core/model.h"
#include "world/room.h"
#include "world/voxel.h"

/* order: the nodes by symbol, equal ones by number; at has n_obs + 1 items. */
static void
sort_by_symbol(const struct cscg_room *room, int *at, int *order)
{
	int v;

	for (v = 0; v < room->n_nodes; v++)
		at[room->obs[v] + 1]++;
	for (v = 0; v < room->n_obs; v++)
		at[v + 1] += at[v];
	for (v = 0; v < room->n_nodes; v++)
		order[at[room->obs[v]]++] = v;
}

static int
model_counts(struct cscg_model *m, const struct cscg_room *room,
    const int *order, double count, struct cscg_err *err)
{
	long n = room->first[(long)room->n_actions * room->n_nodes], k = 0, i;
	struct cscg_count *c = cscg_alloc(n, sizeof *c, err);
	int *state = c ? cscg_alloc(room->n_nodes, sizeof *state, err) : NULL;
	int a, j, rc = -1;

	if (!state)
		goto out;
	for (j = 0; j < room->n_nodes; j++)
		state[order[j]] = j;
	for (a = 0; a < room->n_actions; a++)
		for (j = 0; j < room->n_nodes; j++) {
			const long *f = room->first +
			    (long)a * room->n_nodes + order[j];

			for (i = f[0]; i < f[1]; i++)
				c[k++] = (struct cscg_count){ a, j,
				    state[room->to[i]], count * room->p[i] };
		}
	rc = cscg_model_set_counts(m, c, n, err);
out:
	free(state);
	free(c);
	return rc;
}

static int
model_coords(struct cscg_model *m, const struct cscg_room *room,
    const int *order, struct cscg_err *err)
{
	int j;

	if (!room->coords)
		return 0;
	m->coords = cscg_alloc(2 * (size_t)m->n_states, sizeof *m->coords, err);
	if (!m->coords)
		return -1;
	for (j = 0; j < m->n_states; j++) {
		m->coords[2 * j] = room->coords[2 * order[j]];
		m->coords[2 * j + 1] = room->coords[2 * order[j] + 1];
	}
	return 0;
}

/*
 * Frontiers; and in a 3D room one leaves looking out and enters looking in, so
 * that entries are the same places turned around.
 */
static int
model_frontiers(struct cscg_model *m, const struct cscg_room *room,
    const int *order, struct cscg_err *err)
{
	struct cscg_model_frontier *f = cscg_alloc(room->n_frontiers, sizeof *f, err);
	int *state = f ? cscg_alloc(room->n_nodes, sizeof *state, err) : NULL;
	int *in = state ? cscg_alloc(room->n_frontiers, sizeof *in, err) :
	    NULL;
	int j, rc = -1;
	long i;

	if (!in)
		goto out;
	for (j = 0; j < room->n_nodes; j++)
		state[order[j]] = j;
	for (i = 0; i < room->n_frontiers; i++) {
		int v = room->frontier[i].node;
		int h = v % CSCG_HEADINGS;

		f[i] = (struct cscg_model_frontier){ state[v], room->frontier[i].a };
		in[i] = state[!room->voxel ? v : v - h +
		    (h + CSCG_HEADINGS / 2) % CSCG_HEADINGS];
	}
	rc = cscg_model_set_frontiers(m, f, room->n_frontiers, err);
	if (rc == 0 && room->voxel)
		rc = cscg_model_set_entries(m, in, room->n_frontiers, err);
out:
	free(state);
	free(in);
	free(f);
	return rc;
}

struct cscg_model *
cscg_room_model(const struct cscg_room *room, double count, double pseudocount,
    int *node_of, struct cscg_err *err)
{
	struct cscg_model *m = NULL;
	int *at = NULL, *order = NULL;
	int j, rc = -1;

	at = cscg_alloc((size_t)room->n_obs + 1, sizeof *at, err);
	order = at ? cscg_alloc(room->n_nodes, sizeof *order, err) : NULL;
	if (!order)
		goto out;
	sort_by_symbol(room, at, order);
	m = cscg_model_new(CSCG_GROUNDED, room->n_nodes, room->n_actions,
	    room->n_obs, err);
	if (!m)
		goto out;
	m->pseudocount = pseudocount;
	for (j = 0; j < room->n_nodes; j++)
		m->clone[j] = room->obs[order[j]];
	if (model_counts(m, room, order, count, err) < 0 ||
	    model_coords(m, room, order, err) < 0 ||
	    model_frontiers(m, room, order, err) < 0 ||
	    cscg_names_copy(&m->actions, &room->actions, err) < 0 ||
	    cscg_names_copy(&m->symbols, &room->symbols, err) < 0 ||
	    cscg_history_copy(&m->history, &room->history, err) < 0)
		goto out;
	if (node_of)
		memcpy(node_of, order, room->n_nodes * sizeof *order);
	rc = 0;
out:
	free(at);
	free(order);
	if (rc < 0) {
		cscg_model_free(m);
		m = NULL;
	}
	return m;
}

struct cscg_graph *
cscg_graph_of_room(const struct cscg_room *room, double min_share,
    struct cscg_err *err)
{
	long rows = (long)room->n_actions * room->n_nodes, row, i, n = 0;
	struct cscg_graph *g;

	g = cscg_graph_new(room->n_nodes, room->n_actions, room->first[rows], true,
	    false, err);
	if (!g)
		return NULL;
	for (row = 0; row < rows; row++) {
		for (i = room->first[row]; i < room->first[row + 1]; i++) {
			if (room->p[i] < min_share)
				continue;
			g->to[n] = room->to[i];
			g->share[n] = g->p[n] = room->p[i];
			n++;
		}
		g->first[row + 1] = n;
	}
	memcpy(g->label, room->obs, room->n_nodes * sizeof(*g->label));
	g->n_labels = room->n_obs;
	g->grounded = true;
	g->part = room->part;
	g->coords = room->coords;
	g->actions = &room->actions;
	g->symbols = &room->symbols;
	g->rows = room->rows;
	g->cols = room->cols;
	g->wrap_rows = room->wrap_rows;
	g->wrap_cols = room->wrap_cols;
	return g;
}

double *
cscg_room_to_dense(const struct cscg_room *room, struct cscg_err *err)
{
	double *dense = cscg_dense_new(room->n_actions, room->n_nodes, err);
	long row, i, n = room->n_nodes, rows = (long)room->n_actions * n;

	for (row = 0; dense && row < rows; row++)
		for (i = room->first[row]; i < room->first[row + 1]; i++)
			dense[row * n + room->to[i]] = room->p[i];
	return dense;
}
