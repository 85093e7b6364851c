/* stitch_put.c - what was used of which schema, and how it is connected */
#include <math.h>
#include <stdio.h>

#include "schema/stitch.h"
#include "io/table.h"

int
cscg_stitch_result_block(const struct cscg_stitch_result *s, int j)
{
	int k = 0;

	while (j >= s->base[k + 1])
		k++;
	return k;
}

struct cscg_stitch_totals
cscg_stitch_result_totals(const struct cscg_stitch_result *s, int k)
{
	int from = k < 0 ? 0 : s->base[k];
	int to = k < 0 ? s->n_states : s->base[k + 1], j;
	struct cscg_stitch_totals sum = { to - from, 0, 0, 0, 0 };

	for (j = from; j < to; j++) {
		sum.used += s->n_visits[j] > 0;
		sum.n_visits += s->n_visits[j];
		sum.n_jumps += s->n_jumps[j];
		sum.n_unlikely += s->n_unlikely[j];
	}
	return sum;
}

/* An empty line between tables of TSV, as gnuplot and people like it. */
static int
write_gap(struct cscg_out *out, bool json, struct cscg_err *err)
{
	return json ? 0 : cscg_out_write(out, "\n", 1, err);
}

static int
write_totals(const struct cscg_stitch_result *s, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "steps", CSCG_COL_LONG, 0 }, { "moves", CSCG_COL_LONG, 0 },
		{ "blocks", CSCG_COL_LONG, 0 }, { "states", CSCG_COL_LONG, 0 },
		{ "used", CSCG_COL_LONG, 0 },
		{ "connections", CSCG_COL_LONG, 0 },
		{ "jumps", CSCG_COL_LONG, 0 }, { "odd", CSCG_COL_LONG, 0 },
		{ "nats_per_step", CSCG_COL_DOUBLE, 9 },
	};
	struct cscg_stitch_totals sum = cscg_stitch_result_totals(s, -1);
	union cscg_cell cells[] = { { .l = s->n_steps }, { .l = s->n_moves },
	    { .l = s->n_blocks }, { .l = sum.states }, { .l = sum.used },
	    { .l = s->n_links }, { .l = sum.n_jumps }, { .l = sum.n_unlikely },
	    { .d = -s->loglik / (double)s->n_steps } };

	return cscg_table_write_pairs(out, cols, cells,
	    (int)(sizeof cols / sizeof *cols), json, err);
}

static int
write_blocks(const struct cscg_stitch_result *s, const struct cscg_names *names,
    bool json, struct cscg_out *out, struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "block", CSCG_COL_LONG, 0 }, { "schema", CSCG_COL_STRING, 0 },
		{ "states", CSCG_COL_LONG, 0 }, { "used", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 }, { "share", CSCG_COL_DOUBLE, 6 },
		{ "jumps", CSCG_COL_LONG, 0 }, { "odd", CSCG_COL_LONG, 0 },
	};
	struct cscg_table t;
	int n = (int)(sizeof cols / sizeof *cols), k;

	if (cscg_table_init(&t, out, cols, n, json, err) < 0)
		return -1;
	for (k = 0; k < s->n_blocks; k++) {
		struct cscg_stitch_totals sum = cscg_stitch_result_totals(s, k);
		union cscg_cell cells[] = { { .l = k }, { .s = names->v[k] },
		    { .l = sum.states }, { .l = sum.used }, { .l = sum.n_visits },
		    { .d = (double)sum.n_visits / (double)s->n_steps },
		    { .l = sum.n_jumps }, { .l = sum.n_unlikely } };

		if (cscg_table_write_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}

static int
write_links(const struct cscg_stitch_result *s, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "from_block", CSCG_COL_LONG, 0 },
		{ "from_state", CSCG_COL_LONG, 0 },
		{ "action", CSCG_COL_STRING, 0 },
		{ "to_block", CSCG_COL_LONG, 0 },
		{ "to_state", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 },
	};
	const struct cscg_names *actions = &s->model->actions;
	int n = (int)(sizeof cols / sizeof *cols);
	struct cscg_table t;
	long i;

	if (cscg_table_init(&t, out, cols, n, json, err) < 0)
		return -1;
	for (i = 0; i < s->n_links; i++) {
		const struct cscg_stitch_link *l = &s->link[i];
		int from = cscg_stitch_result_block(s, l->from);
		int to = cscg_stitch_result_block(s, l->to);
		char number[16];
		union cscg_cell cells[] = { { .l = from },
		    { .l = l->from - s->base[from] }, { .s = number },
		    { .l = to }, { .l = l->to - s->base[to] },
		    { .l = l->n_visits } };

		snprintf(number, sizeof number, "%d", l->a);
		if (actions->n)
			cells[2].s = actions->v[l->a];
		if (cscg_table_write_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}

static int
write_states(const struct cscg_stitch_result *s, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	static const struct cscg_col cols[] = {
		{ "state", CSCG_COL_LONG, 0 }, { "block", CSCG_COL_LONG, 0 },
		{ "schema_state", CSCG_COL_LONG, 0 },
		{ "steps", CSCG_COL_LONG, 0 }, { "jumps", CSCG_COL_LONG, 0 },
		{ "odd", CSCG_COL_LONG, 0 },
	};
	int n = (int)(sizeof cols / sizeof *cols), i;
	struct cscg_table t;

	if (cscg_table_init(&t, out, cols, n, json, err) < 0)
		return -1;
	for (i = 0; i < s->model->n_states; i++) {
		int j = s->state_of[i], k = cscg_stitch_result_block(s, j);
		union cscg_cell cells[] = { { .l = i }, { .l = k },
		    { .l = j - s->base[k] }, { .l = s->n_visits[j] },
		    { .l = s->n_jumps[j] }, { .l = s->n_unlikely[j] } };

		if (cscg_table_write_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_stitch_result_write(const struct cscg_stitch_result *s,
    const struct cscg_names *names, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	if (write_totals(s, json, out, err) < 0 || write_gap(out, json, err) < 0 ||
	    write_blocks(s, names, json, out, err) < 0 ||
	    write_gap(out, json, err) < 0 || write_links(s, json, out, err) < 0 ||
	    write_gap(out, json, err) < 0)
		return -1;
	return write_states(s, json, out, err);
}
