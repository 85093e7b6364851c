/* stitch_put.c - what was used of which schema, and how it is connected */
#include <math.h>
#include <stdio.h>

#include "schema/stitch.h"
#include "io/table.h"

int
cscg_stitched_block(const struct cscg_stitched *s, int j)
{
	int k = 0;

	while (j >= s->base[k + 1])
		k++;
	return k;
}

struct cscg_stitch_sum
cscg_stitched_sum(const struct cscg_stitched *s, int k)
{
	int from = k < 0 ? 0 : s->base[k];
	int to = k < 0 ? s->n_states : s->base[k + 1], j;
	struct cscg_stitch_sum sum = { to - from, 0, 0, 0, 0 };

	for (j = from; j < to; j++) {
		sum.used += s->steps[j] > 0;
		sum.steps += s->steps[j];
		sum.jumps += s->jumps[j];
		sum.odd += s->odd[j];
	}
	return sum;
}

/* An empty line between tables of TSV, as gnuplot and people like it. */
static int
gap(struct cscg_out *out, bool json, struct cscg_err *err)
{
	return json ? 0 : cscg_out_write(out, "\n", 1, err);
}

static int
put_whole(const struct cscg_stitched *s, bool json, struct cscg_out *out,
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
	struct cscg_stitch_sum sum = cscg_stitched_sum(s, -1);
	union cscg_cell cells[] = { { .l = s->n_steps }, { .l = s->n_moves },
	    { .l = s->n_blocks }, { .l = sum.states }, { .l = sum.used },
	    { .l = s->n_links }, { .l = sum.jumps }, { .l = sum.odd },
	    { .d = -s->loglik / (double)s->n_steps } };

	return cscg_table_pairs(out, cols, cells,
	    (int)(sizeof cols / sizeof *cols), json, err);
}

static int
put_blocks(const struct cscg_stitched *s, const struct cscg_names *names,
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

	if (cscg_table_begin(&t, out, cols, n, json, err) < 0)
		return -1;
	for (k = 0; k < s->n_blocks; k++) {
		struct cscg_stitch_sum sum = cscg_stitched_sum(s, k);
		union cscg_cell cells[] = { { .l = k }, { .s = names->v[k] },
		    { .l = sum.states }, { .l = sum.used }, { .l = sum.steps },
		    { .d = (double)sum.steps / (double)s->n_steps },
		    { .l = sum.jumps }, { .l = sum.odd } };

		if (cscg_table_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}

static int
put_links(const struct cscg_stitched *s, bool json, struct cscg_out *out,
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

	if (cscg_table_begin(&t, out, cols, n, json, err) < 0)
		return -1;
	for (i = 0; i < s->n_links; i++) {
		const struct cscg_stitch_link *l = &s->link[i];
		int from = cscg_stitched_block(s, l->from);
		int to = cscg_stitched_block(s, l->to);
		char number[16];
		union cscg_cell cells[] = { { .l = from },
		    { .l = l->from - s->base[from] }, { .s = number },
		    { .l = to }, { .l = l->to - s->base[to] },
		    { .l = l->steps } };

		snprintf(number, sizeof number, "%d", l->a);
		if (actions->n)
			cells[2].s = actions->v[l->a];
		if (cscg_table_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}

static int
put_states(const struct cscg_stitched *s, bool json, struct cscg_out *out,
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

	if (cscg_table_begin(&t, out, cols, n, json, err) < 0)
		return -1;
	for (i = 0; i < s->model->n_states; i++) {
		int j = s->state_of[i], k = cscg_stitched_block(s, j);
		union cscg_cell cells[] = { { .l = i }, { .l = k },
		    { .l = j - s->base[k] }, { .l = s->steps[j] },
		    { .l = s->jumps[j] }, { .l = s->odd[j] } };

		if (cscg_table_row(&t, cells, err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_stitched_put(const struct cscg_stitched *s,
    const struct cscg_names *names, bool json, struct cscg_out *out,
    struct cscg_err *err)
{
	if (put_whole(s, json, out, err) < 0 || gap(out, json, err) < 0 ||
	    put_blocks(s, names, json, out, err) < 0 ||
	    gap(out, json, err) < 0 || put_links(s, json, out, err) < 0 ||
	    gap(out, json, err) < 0)
		return -1;
	return put_states(s, json, out, err);
}
