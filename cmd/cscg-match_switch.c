/* cscg-match_switch.c - cscg-match by one model over all schemas */
#include <stdlib.h>
#include <string.h>

#include "cmd_walks.h"
#include "cscg-match.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "io/table.h"
#include "core/walk_io.h"

static const struct cscg_col row_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "step", CSCG_COL_LONG, 0 },
	{ "node", CSCG_COL_LONG, 0 }, { "switch", CSCG_COL_DOUBLE, 6 }
};
static const struct cscg_col each_cols[] = {
	{ "posterior", CSCG_COL_DOUBLE, 6 }
};
static const struct cscg_col segment_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 }, { "first", CSCG_COL_LONG, 0 },
	{ "last", CSCG_COL_LONG, 0 }, { "schema", CSCG_COL_STRING, 0 },
	{ "posterior", CSCG_COL_DOUBLE, 6 }, { "switch", CSCG_COL_DOUBLE, 6 }
};
enum {
	N_ROW = sizeof row_cols / sizeof *row_cols,
	N_SEGMENT = sizeof segment_cols / sizeof *segment_cols
};

/* A stretch of steps in which one schema is the likeliest. */
struct segment {
	long episode, first, last;
	int schema;
	double sum, p_switch;	/* of its posteriors; that of its first step */
};

struct tell {
	const struct match_switch *set;
	const struct cscg_names *names;
	int truth;		/* -1: not known */
	struct cscg_out *out;
	struct cscg_multi_table sheet;
	struct cscg_table table;
	union cscg_cell *cells;	/* [schemas] */
	struct segment now;	/* first 0: none yet */
	struct cscg_switch_row last;	/* not its posterior */
	bool due, stands_out;	/* due: last was not told */
	long rows;
};

void
match_switch_judge(const struct match_switch *set, bool every)
{
	if (set->how.iterations < 1)
		cmd_usage("--switching needs --iterations of at least 1");
	if (set->how.pseudocount <= 0)
		cmd_usage("--switching needs a --pseudocount above 0");
	if (!set->online && cmd_given(&set->memory))
		cmd_usage("--memory needs --online");
	if (set->online && set->min_coverage > 0)
		cmd_usage("--cover and --online exclude each other");
	if (set->segments && (every || set->form == CSCG_MULTI_TABLE_WIDE))
		cmd_usage("--segments goes neither with --every nor with "
		    "--wide");
}

static int
begin_table(struct tell *tell, struct cscg_err *err)
{
	bool json = tell->set->form == CSCG_MULTI_TABLE_JSON;

	if (tell->set->segments)
		return cscg_table_init(&tell->table, tell->out, segment_cols,
		    N_SEGMENT, json, err);
	tell->sheet = (struct cscg_multi_table){ .out = tell->out,
	    .form = tell->set->form, .what = "schema",
	    .names = (const char *const *)tell->names->v,
	    .n = tell->names->n, .row = row_cols, .n_row = N_ROW,
	    .item = each_cols, .n_item = 1 };
	return cscg_multi_table_write_head(&tell->sheet, err);
}

static int
put_segment(struct tell *tell, struct cscg_err *err)
{
	const struct segment *s = &tell->now;
	union cscg_cell row[N_SEGMENT];

	if (!s->first)
		return 0;
	row[0].l = s->episode;
	row[1].l = s->first;
	row[2].l = s->last;
	row[3].s = tell->names->v[s->schema];
	row[4].d = s->sum / (double)(s->last - s->first + 1);
	row[5].d = s->p_switch;
	return cscg_table_write_row(&tell->table, row, err);
}

static int
add_to_segment(struct tell *tell, const struct cscg_switch_row *row,
    struct cscg_err *err)
{
	struct segment *s = &tell->now;

	if (!s->first || row->episode != s->episode ||
	    row->best != s->schema) {
		if (put_segment(tell, err) < 0)
			return -1;
		*s = (struct segment){ .episode = row->episode,
		    .first = row->step, .schema = row->best,
		    .p_switch = row->p_switch };
	}
	s->last = row->step;
	s->sum += row->posterior[row->best];
	return 0;
}

static int
put_row(struct tell *tell, struct cscg_err *err)
{
	const struct cscg_switch_row *row = &tell->last;
	union cscg_cell head[N_ROW];

	tell->due = false;
	head[0].l = row->episode;
	head[1].l = row->step;
	head[2].l = row->node < 0 ? CSCG_CELL_NONE : row->node;
	head[3].d = row->p_switch;
	return cscg_multi_table_write_row(&tell->sheet, head, row->best, tell->cells, err);
}

/* Every so many steps, and the last of an episode. */
static int
on_row(void *ctx, const struct cscg_switch_row *row, struct cscg_err *err)
{
	struct tell *tell = ctx;
	int i;

	tell->rows++;
	tell->stands_out |= row->posterior[row->best] >=
	    tell->set->min_posterior &&
	    (tell->truth < 0 || row->best == tell->truth);
	if (tell->set->segments)
		return add_to_segment(tell, row, err);
	if (tell->due && row->episode != tell->last.episode &&
	    put_row(tell, err) < 0)
		return -1;
	tell->last = *row;
	tell->due = true;
	for (i = 0; i < row->n; i++)
		tell->cells[i].d = row->posterior[i];
	return row->step % tell->set->every ? 0 : put_row(tell, err);
}

static void
on_bound(void *ctx, long episode, long steps, long iterations, double nats)
{
	(void)ctx;
	cmd_talk("episode %ld: bound to %ld steps by %ld updates, %.4f nats "
	    "per step", episode, steps, iterations, nats);
}

/* The steps of a walk, of each episode the first ones alone. */
static int
follow_steps(const struct match_switch *set, struct cscg_switch *sw,
    struct cscg_walk_reader *r, const char *path, struct cscg_err *err)
{
	struct cscg_step step;
	bool last;
	long n = 0;
	int rc;

	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0) {
		last = step.a < 0;
		n++;
		if (set->steps && n == set->steps)
			step.a = -1;
		if ((!set->steps || n <= set->steps) &&
		    cscg_switch_step(sw, &step, err) < 0)
			return cmd_blame(path, err);
		if (last)
			n = 0;
	}
	return rc;
}

static int
follow_walks(const struct match_switch *set, struct cscg_switch *sw,
    struct tell *tell, struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc = 0;

	for (i = 0; i < n && rc == 0; i++) {
		struct cscg_walk_reader *r = cscg_walk_reader_open(paths[i], err);

		if (!r)
			return -1;
		if (cscg_switch_begin_walk(sw, cscg_walk_reader_header(r), err) < 0)
			rc = cmd_blame(paths[i], err);
		else if (i == 0)
			rc = begin_table(tell, err);
		if (rc == 0)
			rc = follow_steps(set, sw, r, paths[i], err);
		cscg_walk_reader_close(r);
	}
	if (rc < 0)
		return -1;
	if (!tell->rows) {
		cscg_fail(err, CSCG_EFORMAT, "there is no step to look at");
		return cmd_blame(paths[n - 1], err);
	}
	if (set->segments ? put_segment(tell, err) < 0 :
	    tell->due && put_row(tell, err) < 0)
		return -1;
	return tell->stands_out;
}

static int
switch_schemas(const struct match_switch *set, const struct cscg_schemas *c,
    struct cscg_out *out, struct cscg_err *err)
{
	struct tell tell = { .set = set, .names = &c->names, .out = out };
	struct cscg_switch_options how = set->how;
	struct cscg_switch *sw = NULL;
	int i, rc = -1;

	how.jump = set->jump;
	how.min_coverage = set->min_coverage;
	how.online = set->online;
	how.memory = set->memory;
	how.row = on_row;
	how.on_bound = on_bound;
	how.ctx = &tell;
	cmd_talk("%d schemas as one model, %s, %ld starts, at most %ld "
	    "updates, kernel %s", c->n, how.online ? "online" : "as a batch",
	    how.restarts, how.iterations, how.simd && !how.is_double ?
	    how.simd->name : "plain");
	if (match_find_truth(&c->names, set->truth, &tell.truth, err) < 0)
		return -1;
	sw = cscg_switch_new(&how, err);
	for (i = 0; sw && i < c->n; i++)
		if (cscg_switch_add(sw, c->names.v[i], c->m[i], err) < 0)
			goto out;
	tell.cells = cscg_alloc((size_t)c->n, sizeof *tell.cells, err);
	if (sw && tell.cells && cmd_walks_look(err) == 0)
		rc = follow_walks(set, sw, &tell, err);
out:
	cscg_switch_free(sw);
	free(tell.cells);
	return rc;
}

int
match_switch(const struct match_switch *set, char **paths,
    struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_schemas c = { .n = 0 };
	int i, rc = -1;

	if (!out)
		return -1;
	for (i = 0; paths[i]; i++)
		if (cscg_schemas_read(&c, paths[i], err) < 0)
			goto out;
	for (i = 0; i < c.n; i++)
		if (c.m[i]->kind == CSCG_GROUNDED)
			cmd_talk("schema '%s' is grounded: how it looked is "
			    "ignored", c.names.v[i]);
	rc = switch_schemas(set, &c, out, err);
out:
	cscg_schemas_free(&c);
	return rc;
}
