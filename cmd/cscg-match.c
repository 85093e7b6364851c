/* cscg-match - a walk against several schemas: which explains it, how well */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "tool.h"
#include "options.h"
#include "jobs.h"
#include "core/model.h"
#include "core/model_io.h"
#include "core/walk_io.h"
#include "io/table.h"
#include "kernel/simd.h"
#include "schema/match.h"
#include "schema/match_table.h"
#include "schema/novelty.h"
#include "schema/switch.h"
#include "schema/track.h"

/* The options of --switching, and those of others that it heeds. */
struct match_switch {
	bool on, online, segments;
	double jump, min_coverage;
	long memory;

	long every, steps;	/* steps 0: all */
	enum cscg_multi_table_form form;
	const char *truth;
	double min_posterior;
	struct cscg_switch_options how;	/* but for what is above */
};

#define MATCH_SWITCH_DEFAULTS { .jump = .01, .memory = 10000 }
#define MATCH_SWITCH_OPTS(set) \
	CMD_TITLE("one model over all schemas:"), \
	CMD_FLAG(0, "switching", &(set).on, \
	    "for each step, which schema is it?"), \
	CMD_FLAG(0, "online", &(set).online, \
	    "tell of each step when it comes, by what came before"), \
	CMD_LONG(0, "memory", &(set).memory, 1024, 1000000000, "N", \
	    "with --online: steps that are remembered"), \
	CMD_DOUBLE(0, "jump", &(set).jump, 1e-9, .5, "P", \
	    "chance that a move leads anywhere"), \
	CMD_DOUBLE(0, "cover", &(set).min_coverage, 0, 1, "P", \
	    "bind once more without schemas of which less than this share of " \
	    "the states was visited"), \
	CMD_FLAG(0, "segments", &(set).segments, \
	    "a line for each stretch in one schema instead of each step")

/* Options that exclude each other: a fault exits with 2. */
void match_switch_check(const struct match_switch *set, bool every);

/*
 * Read schemas from paths and walks, and tell.  1 if a schema stands out at
 * any step, 0 if not, -1 with err filled.
 */
static int match_switch(const struct match_switch *set, char **paths,
    struct cscg_err *err);

/* Choices, as their words are ordered. */
enum { MATCH_EM, MATCH_TRACK };
enum { MATCH_TIE_AUTO, MATCH_TIE_CLONES, MATCH_TIE_NONE };
enum { MATCH_PI_AUTO, MATCH_PI_UNIFORM, MATCH_PI_LEARN };
enum { MATCH_LABEL_END, MATCH_LABEL_CENTRE };

/* The options of --score track. */
struct match_track {
	long beam, calibrate;
	double slip;
	const char *binding;
};

struct match_set {
	long every, steps, window, stride, restarts, iterations, warm_iterations;
	int score, label, tie, pi;
	double jitter, tolerance, pseudocount, alpha, min_posterior;
	bool bits, wide, json, summary, is_double, keep_best;
	const char *truth, *isa;
	struct match_track track;
	struct match_switch sw;

	/* Not set by options. */
	const struct cscg_simd *simd;	/* chosen by isa */
	bool together;			/* ranks share the scores */
};

/*
 * Which of the schemas explains the walks?  1 if one stands out, 0 if none
 * does, -1 with err filled.
 */
static int match_run(const struct match_set *set, char **paths, struct cscg_err *err);

/* The schema that --truth names; -1: it was not given. */
static int match_find_truth(const struct cscg_names *names, const char *truth,
    int *which, struct cscg_err *err);

static struct cscg_track_options match_track_set(const struct match_track *set);

/* How well schemas know places, if they can be tracked (CSCG_EMISMATCH). */
static int match_track_know(const struct match_track *set,
    const struct cscg_schemas *c, struct cscg_novelty **known,
    struct cscg_err *err);

/* Write m as the tracker has bound it to out, a struct cscg_out. */
static int match_track_bound(void *out, const struct cscg_model *m,
    const void *episode, struct cscg_err *err);

/* cscg-match by one model over all schemas */

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
match_switch_check(const struct match_switch *set, bool every)
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
	cmd_verbose("episode %ld: bound to %ld steps by %ld updates, %.4f nats "
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
			return cmd_fail_in_input(path, err);
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
			rc = cmd_fail_in_input(paths[i], err);
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
		return cmd_fail_in_input(paths[n - 1], err);
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
	cmd_verbose("%d schemas as one model, %s, %ld starts, at most %ld "
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
	if (sw && tell.cells && cmd_walks_check(err) == 0)
		rc = follow_walks(set, sw, &tell, err);
out:
	cscg_switch_free(sw);
	free(tell.cells);
	return rc;
}

static int
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
			cmd_verbose("schema '%s' is grounded: how it looked is "
			    "ignored", c.names.v[i]);
	rc = switch_schemas(set, &c, out, err);
out:
	cscg_schemas_free(&c);
	return rc;
}

/* cscg-match by a track of bindings */

static struct cscg_track_options
match_track_set(const struct match_track *set)
{
	return (struct cscg_track_options){ .beam = (int)set->beam,
	    .slip = set->slip };
}

static int
match_track_know(const struct match_track *set, const struct cscg_schemas *c,
    struct cscg_novelty **known, struct cscg_err *err)
{
	const struct cscg_novelty_options how = { .track = match_track_set(set),
	    .walks = set->calibrate, .seed = (uint64_t)cmd.seed,
	    .threads = (int)cmd.threads };
	int i;

	for (i = 0; i < c->n; i++)
		if (!c->m[i]->clone)
			return cscg_fail(err, CSCG_EMISMATCH, "schema '%s' has "
			    "no clone structure to track bindings by (only "
			    "--score em does without)", c->names.v[i]);
	cmd_verbose("%d schemas, tracked, moves go wrong with %g, bounds %s", c->n,
	    set->slip, set->calibrate ? "by walks" : "by rule");
	*known = cscg_novelty_new(&how, c->m, c->n, err);
	return *known ? 0 : -1;
}

static int
match_track_bound(void *out, const struct cscg_model *m, const void *episode,
    struct cscg_err *err)
{
	struct cscg_model *bound = cscg_model_copy(m, err);
	int rc = -1;

	if (bound && cscg_track_ground(episode, bound, .01, NULL, err) == 0 &&
	    cmd_history(&bound->history, err) == 0)
		rc = cscg_model_write(bound, out, err);
	cscg_model_free(bound);
	return rc;
}

/* schemas are read, and scored as the walk comes */

static int
match_file(struct cscg_match *match, struct cscg_match_table *put,
    const char *path, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	struct cscg_step step;
	int rc = -1;

	if (!r)
		return -1;
	if (cscg_match_begin_walk(match, cscg_walk_reader_header(r), err) < 0) {
		cmd_fail_in_input(path, err);
		goto out;
	}
	if (cscg_match_table_write_header(put, err) < 0)
		goto out;
	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
		if (cscg_match_step(match, &step, cscg_walk_reader_pending(r),
		    err) < 0) {
			rc = cmd_fail_in_input(path, err);
			break;
		}
out:
	cscg_walk_reader_close(r);
	return rc;
}

static int
match_files(struct cscg_match *match, struct cscg_match_table *put,
    struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc;

	if (cmd_walks_check(err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (match_file(match, put, paths[i], err) < 0)
			return -1;
	rc = cscg_match_table_finish(put, err);
	return rc < 0 ? cmd_fail_in_input(paths[n - 1], err) : rc;
}

/* What stands in set, and what follows from the schemas if it does not. */
static void
fill_em(const struct match_set *set, struct cscg_match_em_options *em,
    const struct cscg_schemas *c)
{
	bool tied = set->tie != MATCH_TIE_NONE;
	int i;

	for (i = 0; i < c->n && set->tie == MATCH_TIE_AUTO; i++)
		tied &= c->m[i]->clone != NULL;
	*em = (struct cscg_match_em_options){ .warm_iterations = set->warm_iterations,
	    .keep_best = set->keep_best };
	em->bind.tied = tied;
	em->bind.learn_pi = set->pi == MATCH_PI_LEARN ||
	    (set->pi == MATCH_PI_AUTO && tied);
	em->bind.iterations = set->iterations >= 0 ? set->iterations :
	    tied ? 30 : 100;
	em->bind.tolerance = set->tolerance;
	em->bind.pseudocount = set->pseudocount;
	em->bind.simd = set->simd;
	em->bind.is_double = set->is_double;
	em->starts.restarts = set->restarts;
	em->starts.jitter = set->jitter >= 0 ? set->jitter : tied ? .001 : .01;
	em->starts.wide_jitter = set->jitter < 0 && tied ? 1 : 0;
	em->starts.seed = (uint64_t)cmd.seed;
	cmd_verbose("%d schemas, %s, pi %s, %ld starts with jitter %g, at most "
	    "%ld updates, kernel %s", c->n, tied ? "clones tied" : "not tied",
	    em->bind.learn_pi ? "learned" : "uniform", set->restarts,
	    em->starts.jitter, em->bind.iterations,
	    set->simd && !set->is_double ? set->simd->name : "plain");
}

/* What stands out is a schema among these: 1, 0 if none does, -1 with err. */
static int
match_schemas(const struct match_set *set, struct cscg_schemas *c,
    struct cscg_match_table *put, struct cscg_out *binding, struct cscg_err *err)
{
	struct cscg_track_options track = match_track_set(&set->track);
	struct cscg_match_em_options em = { .bind = { .tied = true } };
	bool tracks = set->score == MATCH_TRACK;
	struct cscg_match_options how = {
		.score = tracks ? &cscg_match_score_track : &cscg_match_score_em,
		.score_set = tracks ? (const void *)&track : &em,
		.threads = (int)cmd.threads, .steps = set->steps,
		.ranks = set->together ? cmd.ranks : NULL,
		.every = set->window ? set->stride : set->every,
		.window = set->window,
		.centre = set->label == MATCH_LABEL_CENTRE,
		.row = cscg_match_table_write_row, .ctx = put,
		.end_episode = binding ? match_track_bound : NULL, .end_ctx = binding
	};
	struct cscg_match *match;
	int i, rc = 0;

	if (!tracks)
		fill_em(set, &em, c);
	how.by_clones = em.bind.tied;
	match = cscg_match_new(&how, err);
	if (!match)
		return -1;
	for (i = 0; i < c->n && rc == 0; i++) {
		struct cscg_model *m = c->m[i];

		c->m[i] = NULL;
		rc = cscg_match_take_schema(match, c->names.v[i], m, err);
	}
	if (rc == 0)
		rc = match_files(match, put, err);
	if (set->together && !cscg_match_rank_failed(match))
		rc = cmd_agree(rc, err);
	cscg_match_free(match);
	return rc;
}

static int
match_find_truth(const struct cscg_names *names, const char *truth, int *which,
    struct cscg_err *err)
{
	*which = truth ? cscg_names_find(names, truth) : -1;
	if (!truth || *which >= 0)
		return 0;
	return cscg_fail(err, CSCG_EUSAGE, "--truth: no schema is called '%s' "
	    "(%d are there, '%s' first)", truth, names->n, names->v[0]);
}

static int
match_run(const struct match_set *set, char **paths, struct cscg_err *err)
{
	struct cscg_match_table_options tell = {
		.out = cmd_out(err), .summary = set->summary,
		.form = set->json ? CSCG_MULTI_TABLE_JSON : set->wide ?
		    CSCG_MULTI_TABLE_WIDE : CSCG_MULTI_TABLE_LONG,
		.window = set->window > 0, .bits = set->bits,
		.alpha = set->alpha, .min_posterior = set->min_posterior
	};
	struct cscg_match_table *put = NULL;
	struct cscg_schemas c = { .n = 0 };
	struct cscg_novelty *known = NULL;
	struct cscg_out *binding = NULL;
	int i = 0, rc = -1;

	if (tell.out && set->track.binding)
		binding = cmd_out_also(set->track.binding, CSCG_OUT_GZIP, err);
	if (!tell.out || (set->track.binding && !binding))
		goto out;
	/* One is there, or main() would have said so. */
	do {
		if (cscg_schemas_read(&c, paths[i], err) < 0)
			goto out;
	} while (paths[++i]);
	for (i = 0; i < c.n; i++) {
		if (c.m[i]->kind == CSCG_GROUNDED)
			cmd_verbose("schema '%s' is grounded: how it looked is "
			    "ignored", c.names.v[i]);
		cscg_model_unground(c.m[i], CSCG_CLONES);
	}
	tell.names = &c.names;
	if (match_find_truth(&c.names, set->truth, &tell.truth, err) < 0 ||
	    (set->score == MATCH_TRACK && match_track_know(&set->track,
	    &c, &known, err) < 0))
		goto out;
	tell.novelty = known;
	put = cscg_match_table_new(&tell, err);
out:
	rc = put ? 0 : -1;
	if (set->together)
		rc = cmd_agree(rc, err);
	if (rc == 0)
		rc = match_schemas(set, &c, put, binding, err);
	cscg_match_table_free(put);
	cscg_novelty_free(known);
	cscg_schemas_free(&c);
	return rc;
}

static const char *const scores[] = { "em", "track", NULL };
static const char *const ties[] = { "auto", "clones", "none", NULL };
static const char *const pis[] = { "auto", "uniform", "learn", NULL };
static const char *const labels[] = { "end", "centre", NULL };

static struct match_set set = { .every = 5, .stride = 5, .restarts = 4,
	.iterations = -1, .jitter = -1, .tolerance = 1e-5,
	.pseudocount = 1e-7, .alpha = .05, .min_posterior = .95,
	.sw = MATCH_SWITCH_DEFAULTS };

static const struct cmd_opt opts[] = {
	CMD_TITLE("what is looked at:"),
	CMD_LONG(0, "every", &set.every, 1, 1000000000, "N",
	    "look at the walk so far after every N steps"),
	CMD_LONG(0, "steps", &set.steps, 1, 1000000000, "N",
	    "look at the first N steps of an episode alone"),
	CMD_LONG(0, "window", &set.window, 1, 1000000000, "N",
	    "look at the last N steps instead"),
	CMD_LONG(0, "stride", &set.stride, 1, 1000000000, "N",
	    "with --window: so many steps from one to the next"),
	CMD_CHOICE(0, "label", &set.label, labels,
	    "with --window: the step that stands for it"),
	CMD_TITLE("how schemas are scored:"),
	CMD_CHOICE(0, "score", &set.score, scores,
	    "by the binding that EM finds, or by a track of all likely ones"),
	CMD_TITLE("with --score track:"),
	CMD_DOUBLE(0, "slip", &set.track.slip, 0, .9, "P",
	    "chance that a move goes wrong"),
	CMD_LONG(0, "beam", &set.track.beam, 1, 1000000, "N",
	    "hypotheses kept (default: 200, or as many as states)"),
	CMD_LONG(0, "calibrate", &set.track.calibrate, 0, 1000000, "N",
	    "what fits and resembles is found by N walks in each schema; 0: by "
	    "rule"),
	CMD_WRITES(0, "binding", &set.track.binding, "FILE",
	    "write the best schema as it is bound at the end of each episode"),
	CMD_TITLE("with --score em:"),
	CMD_CHOICE(0, "tie", &set.tie, ties,
	    "clones look alike, or each state for itself"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the best is kept"),
	CMD_DOUBLE(0, "jitter", &set.jitter, 0, 1e6, "X",
	    "spread of the starts; 0: uniform (default: 0.001 and 1 by "
	    "turns if tied, else 0.01)"),
	CMD_CHOICE(0, "pi", &set.pi, pis,
	    "where episodes begin; auto: learned if tied"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM updates at most (default: 30 if tied, else 100)"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop EM when the objective gains less than this share twice; 0: "
	    "never"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "added to every emission count"),
	CMD_LONG(0, "warm", &set.warm_iterations, 0, 1000000, "N",
	    "go on from the last binding with N updates; 0: always anew"),
	CMD_FLAG(0, "keep", &set.keep_best,
	    "the last binding is one more start, the others are new ones"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	MATCH_SWITCH_OPTS(set.sw),
	CMD_TITLE("what is told:"),
	CMD_FLAG(0, "bits", &set.bits, "bits instead of nats"),
	CMD_FLAG(0, "wide", &set.wide,
	    "one line for all schemas, with columns for each"),
	CMD_JSON(&set.json, ""),
	CMD_FLAG(0, "summary", &set.summary,
	    "means over the episodes instead of each"),
	CMD_STRING(0, "truth", &set.truth, "NAME",
	    "the schema that should be found"),
	CMD_DOUBLE(0, "alpha", &set.alpha, 0, 1, "P",
	    "many episodes: the best stands out if the t-test is below"),
	CMD_DOUBLE(0, "min-posterior", &set.min_posterior, 0, 1, "P",
	    "one episode: it stands out if its posterior is this at least"),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-match", "[NAME=]SCHEMA...",
	"find the schema that explains a walk", opts, 1, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_RANKS,
	"cscg-match --every 20 torus.gz cylinder.gz hole.gz -w walk.gz"
};

/* How many walks are standard input. */
static int
stdin_walks(void)
{
	int i, n = cmd.walks.n == 0;

	for (i = 0; i < cmd.walks.n; i++)
		n += !strcmp(cmd.walks.v[i], "-");
	return n;
}

/*
 * Begin with the other ranks, if there are any.  Every one reads all that is
 * named; what is not shared out is rank 0's alone.
 */
static int
begin_ranks(char **paths, bool alone, struct cscg_err *err)
{
	int i, dashes = stdin_walks();

	set.together = cscg_ranks_size(cmd.ranks) > 1 && !alone;
	for (i = 0; paths[i]; i++)
		dashes += !strcmp(cscg_schemas_file(paths[i]), "-");
	return set.together && dashes ? cmd_share_stdin(err) : 0;
}

/* Options that the score does not look at. */
static void
check_score(void)
{
	static const struct {
		const void *var;
		const char *word;
		int score;
	} of[] = {
		{ &set.track.slip, "slip", MATCH_TRACK },
		{ &set.track.beam, "beam", MATCH_TRACK },
		{ &set.track.calibrate, "calibrate", MATCH_TRACK },
		{ &set.track.binding, "binding", MATCH_TRACK },
		{ &set.tie, "tie", MATCH_EM }, { &set.pi, "pi", MATCH_EM },
		{ &set.restarts, "restarts", MATCH_EM },
		{ &set.jitter, "jitter", MATCH_EM },
		{ &set.iterations, "iterations", MATCH_EM },
		{ &set.tolerance, "tolerance", MATCH_EM },
		{ &set.pseudocount, "pseudocount", MATCH_EM },
		{ &set.warm_iterations, "warm", MATCH_EM },
		{ &set.keep_best, "keep", MATCH_EM },
		{ &set.is_double, "double", MATCH_EM },
		{ &set.isa, "isa", MATCH_EM }
	};
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++)
		if (cmd_given(of[i].var) && set.score != of[i].score)
			cmd_usage("--%s goes with --score %s", of[i].word,
			    scores[of[i].score]);
	if (set.track.binding && set.window)
		cmd_usage("--binding is for whole episodes, not for --window");
	if (set.track.binding && !strcmp(set.track.binding, "-"))
		cmd_usage("--binding: standard output is taken by the table");
}

/* What --switching needs and does not look at, and what it takes over. */
static void
check_switch(void)
{
	static const struct {
		const void *var;
		const char *word;
		bool on;
	} of[] = {
		{ &set.sw.online, "online", true },
		{ &set.sw.memory, "memory", true },
		{ &set.sw.jump, "jump", true },
		{ &set.sw.min_coverage, "cover", true },
		{ &set.sw.segments, "segments", true },
		{ &set.score, "score", false },
		{ &set.window, "window", false }, { &set.tie, "tie", false },
		{ &set.pi, "pi", false }, { &set.warm_iterations, "warm", false },
		{ &set.keep_best, "keep", false }, { &set.bits, "bits", false },
		{ &set.summary, "summary", false },
		{ &set.alpha, "alpha", false }
	};
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++)
		if (cmd_given(of[i].var) && set.sw.on != of[i].on)
			cmd_usage(of[i].on ? "--%s needs --switching" :
			    "--%s does not go with --switching", of[i].word);
	if (!set.sw.on)
		return;
	set.sw.every = cmd_given(&set.every) ? set.every : 1;
	set.sw.steps = set.steps;
	set.sw.form = set.json ? CSCG_MULTI_TABLE_JSON : set.wide ?
	    CSCG_MULTI_TABLE_WIDE : CSCG_MULTI_TABLE_LONG;
	set.sw.truth = set.truth;
	set.sw.min_posterior = set.min_posterior;
	set.sw.how = (struct cscg_switch_options){ .restarts =
	    cmd_given(&set.restarts) ? set.restarts : 2,
	    .jitter = set.jitter >= 0 ? set.jitter : .01,
	    .iterations = set.iterations >= 0 ? set.iterations : 40,
	    .tolerance = set.tolerance, .pseudocount =
	    cmd_given(&set.pseudocount) ? set.pseudocount : 1e-3,
	    .seed = (uint64_t)cmd.seed, .threads = (int)cmd.threads,
	    .simd = set.simd, .is_double = set.is_double };
	match_switch_check(&set.sw, cmd_given(&set.every));
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);
	bool alone;
	int rc = 1;

	cmd_check_schemas(paths, stdin_walks());
	check_score();
	if (set.window && cmd_given(&set.every))
		cmd_usage("--every is for prefixes, --window has --stride");
	if (!set.window && (cmd_given(&set.stride) || cmd_given(&set.label)))
		cmd_usage("--stride and --label need --window");
	if (set.window && set.summary)
		cmd_usage("--summary is for prefixes, not for --window");
	if (set.window && set.steps && set.steps < set.window)
		cmd_usage("--steps %ld is less than the window of %ld",
		    set.steps, set.window);
	if (set.wide && set.json)
		cmd_usage("--wide and --json exclude each other");
	if (set.keep_best && set.warm_iterations)
		cmd_usage("--keep and --warm exclude each other");
	cmd_ranks();
	set.simd = cmd_isa(set.isa);
	check_switch();
	/* A row is told when it is known: somebody may be waiting. */
	cmd.live = true;
	alone = set.sw.on || set.track.binding;
	if (begin_ranks(paths, alone, &err) < 0)
		rc = -1;
	else if (!alone || cmd_is_first())
		rc = set.sw.on ? match_switch(&set.sw, paths, &err) :
		    match_run(&set, paths, &err);
	return cmd_end(rc, &err);
}
