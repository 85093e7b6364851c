/* frontier.c - where one may leave what a model or room knows */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/frontier.h"
#include "base/mem.h"
#include "io/table.h"

/* The state that more than half of the counts of (a, j) lead to, or -1. */
static int
likely_next(const struct cscg_model *m, int a, int j)
{
	long row = (long)a * m->n_states + j, i;
	double all = cscg_model_row_sum(m, a, j);

	for (i = m->first[row]; i < m->first[row + 1]; i++)
		if (m->count[i] > all / 2)
			return m->to[i];
	return -1;
}

int
cscg_frontier_boundary(struct cscg_model *m, struct cscg_err *err)
{
	struct cscg_model_frontier *f = cscg_alloc((size_t)m->n_actions *
	    (size_t)m->n_states, sizeof *f, err);
	long n = 0, before;
	int a, j, rc;

	if (!f)
		return -1;
	for (a = 0; a < m->n_actions; a++) {
		before = n;
		for (j = 0; j < m->n_states; j++)
			if (likely_next(m, a, j) == j)
				f[n++] = (struct cscg_model_frontier){ j, a };
		if (n - before == m->n_states)
			n = before;
	}
	rc = cscg_model_set_frontiers(m, f, n, err);
	free(f);
	return rc < 0 ? -1 : cscg_model_set_entries(m, NULL, 0, err);
}

/* The ends of exits become gates of m. */
static int
set_from_exits(struct cscg_model *m, const struct cscg_partition *r,
    struct cscg_err *err)
{
	size_t n = (size_t)r->n_exits, states = (size_t)m->n_states;
	struct cscg_model_frontier *f = cscg_alloc(n, sizeof *f, err);
	int *in = cscg_alloc(n, sizeof *in, err), rc = -1;
	char *mark = cscg_alloc(2 * states, 1, err);
	long i;

	for (i = 0; f && in && mark && i < r->n_exits; i++) {
		const struct cscg_partition_exit *e = &r->exit[i];

		f[i] = (struct cscg_model_frontier){ e->from, e->a };
		in[i] = e->to;
		mark[e->from] = mark[states + (size_t)e->to] = 1;
	}
	if (f && in && mark)
		rc = cscg_model_set_frontiers(m, f, r->n_exits, err);
	if (rc == 0)
		rc = cscg_model_set_entries(m, in, memcmp(mark, mark + states,
		    states) ? r->n_exits : 0, err);
	free(f);
	free(in);
	free(mark);
	return rc;
}

int
cscg_frontier_bottleneck(struct cscg_model *m,
    const struct cscg_partition_options *set, double min_p, struct cscg_err *err)
{
	struct cscg_graph *g = cscg_graph_of_model(m, min_p, err);
	struct cscg_partition *r = g ? cscg_partition_new(g, set, err) : NULL;
	int rc = r ? set_from_exits(m, r, err) : -1;

	cscg_partition_free(r);
	cscg_graph_free(g);
	return rc;
}

/* The columns of both; what: "node" or "state". */
static int
write_header(struct cscg_table *t, struct cscg_col *cols, const char *what,
    bool json, struct cscg_out *out, struct cscg_err *err)
{
	cols[0] = (struct cscg_col){ what, CSCG_COL_LONG, 0 };
	cols[1] = (struct cscg_col){ "action", CSCG_COL_STRING, 0 };
	cols[2] = (struct cscg_col){ "to", CSCG_COL_LONG, 0 };
	return cscg_table_init(t, out, cols, 3, json, err);
}

static int
write_row(const struct cscg_table *t, const struct cscg_names *actions, int at,
    int a, int to, struct cscg_err *err)
{
	char number[16];
	union cscg_cell cells[3];

	snprintf(number, sizeof number, "%d", a);
	cells[0].l = at;
	cells[1].s = a < 0 ? NULL : actions->n ? actions->v[a] : number;
	cells[2].l = to < 0 ? CSCG_CELL_NONE : to;
	return cscg_table_write_row(t, cells, err);
}

int
cscg_frontier_write_model(const struct cscg_model *m, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_col cols[3];
	struct cscg_table t;
	int rc = write_header(&t, cols, "state", json, out, err);
	long i;

	for (i = 0; rc == 0 && i < m->n_frontiers; i++) {
		const struct cscg_model_frontier *f = &m->frontier[i];

		rc = write_row(&t, &m->actions, f->state, f->a,
		    likely_next(m, f->a, f->state), err);
	}
	for (i = 0; rc == 0 && i < m->n_entries; i++)
		rc = write_row(&t, &m->actions, m->entry[i], -1, -1, err);
	return rc;
}

int
cscg_frontier_write_room(const struct cscg_room *room, bool json,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_col cols[3];
	struct cscg_table t;
	int rc = write_header(&t, cols, "node", json, out, err);
	long i;

	for (i = 0; rc == 0 && i < room->n_frontiers; i++) {
		const struct cscg_room_frontier *f = &room->frontier[i];

		rc = write_row(&t, &room->actions, f->node, f->a,
		    cscg_room_successor(room, f->a, f->node), err);
	}
	return rc;
}
