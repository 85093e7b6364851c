/*
 * cscg-match - compare schemas on a walk: log-likelihood, posterior and rank
 *
 * Three methods.  em: each schema is bound by EM to each prefix or window of
 * the walk (match.h).  track: the tracker sums over all probable bindings step
 * by step, and the novelty class tells whether a schema fits the environment
 * (track.h, novelty.h).  switching: one model over the states of all schemas,
 * smoothed, or filtered online (switch.h).
 */
#include <stdbool.h>
#include <stdio.h>
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
#include "schema/library.h"
#include "schema/match.h"
#include "schema/match_table.h"
#include "schema/novelty.h"
#include "schema/switch.h"
#include "schema/track.h"

/* Choices, as their words are ordered. */
enum { METHOD_EM, METHOD_TRACK, METHOD_SWITCHING, METHOD_ONLINE };
enum { TIE_AUTO, TIE_CLONES, TIE_NONE };
enum { AS_ROWS, AS_ONE_ROW, AS_SUMMARY, AS_SEGMENTS };

static const char *const method_words[] = { "em", "track", "switching",
	"switching-online", NULL };
static const char *const tie_words[] = { "auto", "clones", "none", NULL };
static const char *const as_words[] = { "rows", "one-row", "summary",
	"segments", NULL };

static struct {
	long every, window, calibrate; /* every 0: by default */
	long beam;                     /* 0: by default */
	long restarts, iterations;     /* 0 and -1: by default */
	int method, tie, as;
	double slip, rebind, min_visited, min_posterior;
	bool warm_start, json, is_double;
	const char *truth, *save, *isa, *library;

	/* Not set by options. */
	const struct cscg_simd *simd; /* chosen by isa */
	bool shared;                  /* ranks share the scores */
} set = { .iterations = -1, .rebind = 1e-4, .min_posterior = .95 };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_LONG(0, "every", &set.every, 1, 1000000000, "N",
	    "steps between two rows (default: 5, then more in proportion to "
	    "the length; track, windows: 5; switching: 1)"),
	CMD_LONG(0, "window", &set.window, 1, 1000000000, "N",
	    "use the last N steps of the walk instead of all so far"),
	CMD_FILE(0, "library", &set.library, "DIR",
	    "also compare the schemas of this library"),
	CMD_MODEL,
	CMD_CHOICE(0, "tie", &set.tie, tie_words,
	    "tied emissions: states of a clone group share one emission row, "
	    "or each state has a separate row; auto: tied if all schemas have "
	    "clone groups"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, .9, "P",
	    "--method track: probability that an action fails or another one "
	    "is taken, 0..0.9"),
	CMD_DOUBLE(0, "rebind", &set.rebind, 1e-12, .5, "P",
	    "--method track: probability that a clone group changes its "
	    "symbol, 1e-12..0.5"),
	CMD_DOUBLE(0, "min-visited", &set.min_visited, 0, 1, "P",
	    "--method switching: bind again without schemas of which less "
	    "than this fraction of states was visited, 0..1"),
	CMD_ALGORITHM,
	CMD_CHOICE(0, "method", &set.method, method_words,
	    "how schemas are compared: EM binding per prefix; tracker of all "
	    "probable bindings; one switching model over all schemas, "
	    "smoothed or filtered step by step"),
	CMD_LONG(0, "beam", &set.beam, 1, 1000000, "N",
	    "--method track: hypotheses kept (default: 200, or the number of "
	    "states if that is more)"),
	CMD_LONG(0, "calibrate", &set.calibrate, 0, 1000000, "N",
	    "--method track: thresholds of \"fits\" and \"resembles\" from N "
	    "simulated walks per schema; 0: closed-form thresholds"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random initialisations; the one with the highest likelihood is "
	    "kept (default: 4; switching: 2)"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM iterations at most (default: 30 if tied, else 100; switching: "
	    "40)"),
	CMD_FLAG(0, "warm-start", &set.warm_start,
	    "use the previous binding as one more initialisation"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	CMD_OUTPUT,
	CMD_CHOICE(0, "as", &set.as, as_words,
	    "form of the table: a row per step and schema, one row per step, "
	    "means over episodes, or a row per segment (switching)"),
	CMD_WRITES(0, "save", &set.save, "FILE",
	    "--method track: write the best schema, bound, at the end of each "
	    "episode"),
	CMD_STRING(0, "truth", &set.truth, "NAME",
	    "name of the true schema: report when it is identified"),
	CMD_DOUBLE(0, "min-posterior", &set.min_posterior, 0, 1, "P",
	    "one episode: exit 0 if the best posterior is at least P, else 1"),
	CMD_JSON(&set.json, ""),
	CMD_END,
};

static const struct cmd_info info = {
	"cscg-match",
	"[[NAME=]SCHEMA]...",
	"compute the posterior over schemas given a walk",
	opts,
	0,
	-1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_RANKS,
	"cscg-match --every 20 torus.gz cylinder.gz hole.gz -w walk.gz",
};

static bool
is_switching(void)
{
	return set.method == METHOD_SWITCHING || set.method == METHOD_ONLINE;
}

/*
 * EM binds every prefix separately, so by default the distance between rows
 * grows in proportion to their length: 0.
 */
static long
steps_between_rows(void)
{
	if (set.every)
		return set.every;
	return is_switching()                            ? 1 :
	    set.method == METHOD_TRACK || set.window > 0 ? 5 :
							   0;
}

static enum cscg_multi_table_form
table_form(void)
{
	return set.json          ? CSCG_MULTI_TABLE_JSON :
	    set.as == AS_ONE_ROW ? CSCG_MULTI_TABLE_WIDE :
				   CSCG_MULTI_TABLE_LONG;
}

/* ---- input ---- */

/* All models of the operands. */
static int
read_schemas(struct cscg_schemas *c, char **paths, struct cscg_err *err)
{
	struct cscg_library *lib;
	int i, rc;

	for (i = 0; paths[i]; i++)
		if (cscg_schemas_read(c, paths[i], err) < 0)
			return -1;
	if (set.library) {
		lib = cscg_library_open(set.library, err);
		rc = lib ?
		    cscg_library_schemas(lib, CSCG_LIBRARY_SCHEMA, c, err) :
		    -1;
		cscg_library_free(lib);
		if (rc == 0 && !c->n)
			rc = cscg_fail(err, CSCG_EMISMATCH,
			    "'%s': the library has no schema", set.library);
		if (rc < 0)
			return -1;
	}
	for (i = 0; i < c->n; i++)
		if (c->m[i]->kind == CSCG_GROUNDED)
			cmd_verbose("schema '%s' is grounded: its emissions "
				    "are ignored",
			    c->names.v[i]);
	return 0;
}

/* The index of the schema named by --truth; -1: not given. */
static int
find_truth(const struct cscg_names *names, int *which, struct cscg_err *err)
{
	*which = set.truth ? cscg_names_find(names, set.truth) : -1;
	if (!set.truth || *which >= 0)
		return 0;
	return cscg_fail(err, CSCG_EUSAGE,
	    "--truth: no schema is called '%s' (%d given, '%s' first)",
	    set.truth, names->n, names->v[0]);
}

/* ---- --method switching and switching-online ---- */

static const struct cscg_col row_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 },
	{ "step", CSCG_COL_LONG, 0 },
	{ "node", CSCG_COL_LONG, 0 },
	{ "switch", CSCG_COL_DOUBLE, 6 },
};
static const struct cscg_col each_cols[] = {
	{ "posterior", CSCG_COL_DOUBLE, 6 },
};
static const struct cscg_col segment_cols[] = {
	{ "episode", CSCG_COL_LONG, 0 },
	{ "first", CSCG_COL_LONG, 0 },
	{ "last", CSCG_COL_LONG, 0 },
	{ "schema", CSCG_COL_STRING, 0 },
	{ "posterior", CSCG_COL_DOUBLE, 6 },
	{ "switch", CSCG_COL_DOUBLE, 6 },
};
enum {
	N_ROW = sizeof row_cols / sizeof *row_cols,
	N_SEGMENT = sizeof segment_cols / sizeof *segment_cols,
};

/* Consecutive steps in which one schema has the highest posterior. */
struct segment {
	long episode, first, last;
	int schema;
	double sum, p_switch; /* of its posteriors; that of its first step */
};

struct switch_report {
	const struct cscg_names *names;
	int truth; /* -1: unknown */
	struct cscg_out *out;
	struct cscg_multi_table steps;
	struct cscg_table segments;
	union cscg_cell *cells;      /* [schemas] */
	struct segment now;          /* first 0: none yet */
	struct cscg_switch_row last; /* without its posterior */
	bool due, is_identified;     /* due: last was not written */
	long rows;
};

static int
begin_table(struct switch_report *r, struct cscg_err *err)
{
	if (set.as == AS_SEGMENTS)
		return cscg_table_init(&r->segments, r->out, segment_cols,
		    N_SEGMENT, set.json, err);
	r->steps = (struct cscg_multi_table){ .out = r->out,
		.form = table_form(),
		.what = "schema",
		.names = (const char *const *)r->names->v,
		.n = r->names->n,
		.row = row_cols,
		.n_row = N_ROW,
		.item = each_cols,
		.n_item = 1 };
	return cscg_multi_table_write_head(&r->steps, err);
}

static int
write_segment(struct switch_report *r, struct cscg_err *err)
{
	const struct segment *s = &r->now;
	union cscg_cell row[N_SEGMENT];

	if (!s->first)
		return 0;
	row[0].l = s->episode;
	row[1].l = s->first;
	row[2].l = s->last;
	row[3].s = r->names->v[s->schema];
	row[4].d = s->sum / (double)(s->last - s->first + 1);
	row[5].d = s->p_switch;
	return cscg_table_write_row(&r->segments, row, err);
}

static int
add_to_segment(struct switch_report *r, const struct cscg_switch_row *row,
    struct cscg_err *err)
{
	struct segment *s = &r->now;

	if (!s->first || row->episode != s->episode ||
	    row->best != s->schema) {
		if (write_segment(r, err) < 0)
			return -1;
		*s = (struct segment){ .episode = row->episode,
			.first = row->step,
			.schema = row->best,
			.p_switch = row->p_switch };
	}
	s->last = row->step;
	s->sum += row->posterior[row->best];
	return 0;
}

static int
write_row(struct switch_report *r, struct cscg_err *err)
{
	const struct cscg_switch_row *row = &r->last;
	union cscg_cell head[N_ROW];

	r->due = false;
	head[0].l = row->episode;
	head[1].l = row->step;
	head[2].l = cscg_cell_known(row->node);
	head[3].d = row->p_switch;
	return cscg_multi_table_write_row(&r->steps, head, row->best, r->cells,
	    err);
}

/* A row every --every steps, and one for the last step of an episode. */
static int
on_switch_row(void *ctx, const struct cscg_switch_row *row,
    struct cscg_err *err)
{
	struct switch_report *r = ctx;
	int i;

	r->rows++;
	r->is_identified |= row->posterior[row->best] >= set.min_posterior &&
	    (r->truth < 0 || row->best == r->truth);
	if (set.as == AS_SEGMENTS)
		return add_to_segment(r, row, err);
	if (r->due && row->episode != r->last.episode && write_row(r, err) < 0)
		return -1;
	r->last = *row;
	r->due = true;
	for (i = 0; i < row->n; i++)
		r->cells[i].d = row->posterior[i];
	return row->step % steps_between_rows() ? 0 : write_row(r, err);
}

static void
on_bound(void *ctx, long episode, long steps, long iterations, double nats)
{
	(void)ctx;
	cmd_verbose("episode %ld: bound to %ld steps by %ld updates, %.4f "
		    "nats per step",
	    episode, steps, iterations, nats);
}

static int
switch_file(struct cscg_switch *sw, struct cscg_walk_reader *r,
    const char *path, struct cscg_err *err)
{
	struct cscg_step step;
	int rc;

	while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
		if (cscg_switch_step(sw, &step, err) < 0)
			return cmd_fail_in_input(path, err);
	return rc;
}

static int
switch_files(struct cscg_switch *sw, struct switch_report *report,
    struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc = 0;

	for (i = 0; i < n && rc == 0; i++) {
		struct cscg_walk_reader *r = cscg_walk_reader_open(paths[i],
		    err);

		if (!r)
			return -1;
		if (cscg_switch_begin_walk(sw, cscg_walk_reader_header(r),
			err) < 0)
			rc = cmd_fail_in_input(paths[i], err);
		else if (i == 0)
			rc = begin_table(report, err);
		if (rc == 0)
			rc = switch_file(sw, r, paths[i], err);
		cscg_walk_reader_close(r);
	}
	if (rc < 0)
		return -1;
	if (!report->rows) {
		cscg_fail(err, CSCG_EFORMAT, "there are no steps to score");
		return cmd_fail_in_input(paths[n - 1], err);
	}
	if (set.as == AS_SEGMENTS ? write_segment(report, err) < 0 :
				    report->due && write_row(report, err) < 0)
		return -1;
	return report->is_identified;
}

static struct cscg_switch_options
switch_settings(struct switch_report *report)
{
	struct cscg_switch_options how = CSCG_SWITCH_DEFAULTS;

	if (set.restarts)
		how.restarts = set.restarts;
	if (set.iterations >= 0)
		how.iterations = set.iterations;
	how.min_visited = set.min_visited;
	how.online = set.method == METHOD_ONLINE;
	how.seed = (uint64_t)cmd.seed;
	how.threads = (int)cmd.threads;
	how.simd = set.simd;
	how.is_double = set.is_double;
	how.row = on_switch_row;
	how.on_bound = on_bound;
	how.ctx = report;
	return how;
}

/* 1 if a schema is identified at any step, 0 if not, -1 with err filled. */
static int
switch_schemas(const struct cscg_schemas *c, struct cscg_out *out,
    struct cscg_err *err)
{
	struct switch_report report = { .names = &c->names, .out = out };
	struct cscg_switch_options how = switch_settings(&report);
	struct cscg_switch *sw = NULL;
	int i, rc = -1;

	cmd_verbose("%d schemas in one switching model, %s, %ld starts, at "
		    "most %ld updates, kernel %s",
	    c->n, how.online ? "online" : "as a batch", how.restarts,
	    how.iterations,
	    how.simd && !how.is_double ? how.simd->name : "plain");
	if (find_truth(&c->names, &report.truth, err) < 0)
		return -1;
	sw = cscg_switch_new(&how, err);
	for (i = 0; sw && i < c->n; i++)
		if (cscg_switch_add(sw, c->names.v[i], c->m[i], err) < 0)
			goto out;
	report.cells = cscg_alloc((size_t)c->n, sizeof *report.cells, err);
	if (sw && report.cells && cmd_walks_check(err) == 0)
		rc = switch_files(sw, &report, err);
out:
	cscg_switch_free(sw);
	free(report.cells);
	return rc;
}

static int
run_switching(char **paths, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_schemas c = { .n = 0 };
	int rc = -1;

	if (!out)
		return -1;
	if (read_schemas(&c, paths, err) == 0)
		rc = switch_schemas(&c, out, err);
	cscg_schemas_free(&c);
	return rc;
}

/* ---- --method track ---- */

static struct cscg_track_options
track_settings(void)
{
	return (struct cscg_track_options){
		.beam = (int)set.beam, .rebind = set.rebind, .slip = set.slip
	};
}

/* Thresholds of "fits" and "resembles"; CSCG_EMISMATCH without clone groups. */
static int
calibrate(const struct cscg_schemas *c, struct cscg_novelty **novelty,
    struct cscg_err *err)
{
	const struct cscg_novelty_options how = { .track = track_settings(),
		.walks = set.calibrate,
		.seed = (uint64_t)cmd.seed,
		.threads = (int)cmd.threads };
	int i;

	for (i = 0; i < c->n; i++)
		if (!c->m[i]->clone)
			return cscg_fail(err, CSCG_EMISMATCH,
			    "schema '%s' has no clone structure, which "
			    "tracking bindings requires (--method em does "
			    "not)",
			    c->names.v[i]);
	cmd_verbose("%d schemas, tracked, slip %g, thresholds %s", c->n,
	    set.slip, set.calibrate ? "by walks" : "by rule");
	*novelty = cscg_novelty_new(&how, c->m, c->n, err);
	return *novelty ? 0 : -1;
}

/* --save: write m as the tracker has bound it to out, a struct cscg_out. */
static int
save_bound(void *out, const struct cscg_model *m, const void *episode,
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

/* ---- --method em ---- */

/* The options, with defaults that depend on the schemas. */
static struct cscg_match_em_options
em_settings(const struct cscg_schemas *c)
{
	struct cscg_match_em_options em = { .bind = CSCG_BIND_DEFAULTS,
		.starts = { .restarts = set.restarts ? set.restarts : 4,
		    .seed = (uint64_t)cmd.seed },
		.keep_best = set.warm_start };
	bool tied = set.tie != TIE_NONE;
	int i;

	for (i = 0; i < c->n && set.tie == TIE_AUTO; i++)
		tied &= c->m[i]->clone != NULL;
	em.bind.tied = em.bind.learn_pi = tied;
	em.bind.iterations = set.iterations >= 0 ? set.iterations :
	    tied                                 ? 30 :
						   100;
	em.bind.simd = set.simd;
	em.bind.is_double = set.is_double;
	cscg_bind_starts_default_jitter(&em.starts, tied);
	cmd_verbose("%d schemas, %s, pi %s, %ld starts with jitter %g, at "
		    "most %ld updates, kernel %s",
	    c->n, tied ? "clones tied" : "not tied",
	    em.bind.learn_pi ? "learned" : "uniform", em.starts.restarts,
	    em.starts.jitter, em.bind.iterations,
	    set.simd && !set.is_double ? set.simd->name : "plain");
	return em;
}

/* ---- em and track: a score per schema and prefix or window ---- */

static int
match_file(struct cscg_match *match, struct cscg_match_table *table,
    const char *path, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open(path, err);
	struct cscg_step step;
	int rc = -1;

	if (!r)
		return -1;
	if (cscg_match_begin_walk(match, cscg_walk_reader_header(r), err) <
	    0) {
		cmd_fail_in_input(path, err);
		goto out;
	}
	if (cscg_match_table_write_header(table, err) < 0)
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
match_files(struct cscg_match *match, struct cscg_match_table *table,
    struct cscg_err *err)
{
	char *const standard_input[] = { (char *)"-" };
	char *const *paths = cmd.walks.n ? cmd.walks.v : standard_input;
	int i, n = cmd.walks.n ? cmd.walks.n : 1, rc;

	if (cmd_walks_check(err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (match_file(match, table, paths[i], err) < 0)
			return -1;
	rc = cscg_match_table_finish(table, err);
	return rc < 0 ? cmd_fail_in_input(paths[n - 1], err) : rc;
}

/* 1 if a schema is identified, 0 if not, -1 with err filled. */
static int
match_schemas(struct cscg_schemas *c, struct cscg_match_table *table,
    struct cscg_out *save, struct cscg_err *err)
{
	struct cscg_track_options track = track_settings();
	struct cscg_match_em_options em = { .bind = { .tied = true } };
	bool tracks = set.method == METHOD_TRACK;
	struct cscg_match_options how = {
		.score = tracks ? &cscg_match_score_track :
				  &cscg_match_score_em,
		.score_set = tracks ? (const void *)&track : &em,
		.threads = (int)cmd.threads,
		.ranks = set.shared ? cmd.ranks : NULL,
		.every = steps_between_rows(),
		.window = set.window,
		.row = cscg_match_table_write_row,
		.ctx = table,
		.end_episode = save ? save_bound : NULL,
		.end_ctx = save,
	};
	struct cscg_match *match;
	int i, rc = 0;

	if (!tracks)
		em = em_settings(c);
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
		rc = match_files(match, table, err);
	if (set.shared && !cscg_match_rank_failed(match))
		rc = cmd_agree(rc, err);
	cscg_match_free(match);
	return rc;
}

static int
run_match(char **paths, struct cscg_err *err)
{
	struct cscg_match_table_options how = {
		.out = cmd_out(err),
		.form = table_form(),
		.summary = set.as == AS_SUMMARY,
		.window = set.window > 0,
		.alpha = CSCG_MATCH_TABLE_ALPHA,
		.min_posterior = set.min_posterior,
	};
	struct cscg_match_table *table = NULL;
	struct cscg_schemas c = { .n = 0 };
	struct cscg_novelty *novelty = NULL;
	struct cscg_out *save = NULL;
	int i, rc = -1;

	if (how.out && set.save)
		save = cmd_out_also(set.save, CSCG_OUT_GZIP, err);
	if (!how.out || (set.save && !save) ||
	    read_schemas(&c, paths, err) < 0)
		goto out;
	for (i = 0; i < c.n; i++)
		cscg_model_unground(c.m[i], CSCG_CLONES);
	how.names = &c.names;
	if (find_truth(&c.names, &how.truth, err) < 0 ||
	    (set.method == METHOD_TRACK && calibrate(&c, &novelty, err) < 0))
		goto out;
	how.novelty = novelty;
	table = cscg_match_table_new(&how, err);
out:
	rc = table ? 0 : -1;
	if (set.shared)
		rc = cmd_agree(rc, err);
	if (rc == 0)
		rc = match_schemas(&c, table, save, err);
	cscg_match_table_free(table);
	cscg_novelty_free(novelty);
	cscg_schemas_free(&c);
	return rc;
}

/* ---- options that exclude each other ---- */

/* Options that the method does not use. */
static void
check_method(void)
{
	enum {
		EM = 1 << METHOD_EM,
		TRACK = 1 << METHOD_TRACK,
		BATCH = 1 << METHOD_SWITCHING,
		SWITCH = BATCH | 1 << METHOD_ONLINE,
	};
	static const struct {
		const void *var;
		int methods;
	} of[] = {
		{ &set.window, EM | TRACK },
		{ &set.tie, EM },
		{ &set.slip, TRACK },
		{ &set.rebind, TRACK },
		{ &set.min_visited, BATCH },
		{ &set.beam, TRACK },
		{ &set.calibrate, TRACK },
		{ &set.restarts, EM | SWITCH },
		{ &set.iterations, EM | SWITCH },
		{ &set.warm_start, EM },
		{ &set.is_double, EM | SWITCH },
		{ &set.isa, EM | SWITCH },
		{ &set.save, TRACK },
	};
	char why[80];
	size_t i;
	int k;

	for (i = 0; i < sizeof of / sizeof *of; i++) {
		if (of[i].methods & 1 << set.method)
			continue;
		for (k = 0; method_words[k] && of[i].methods != 1 << k; k++)
			;
		snprintf(why, sizeof why, "%s --method %s",
		    method_words[k] ? "requires" : "cannot be combined with",
		    method_words[method_words[k] ? k : set.method]);
		CMD_REFUSE(why, of[i].var);
	}
	if (is_switching() && set.iterations == 0)
		cmd_usage("--method %s needs --iterations of at least 1",
		    method_words[set.method]);
}

static void
check_form(void)
{
	if (is_switching() && set.as == AS_SUMMARY)
		cmd_usage("--as summary cannot be combined with --method %s",
		    method_words[set.method]);
	if (!is_switching() && set.as == AS_SEGMENTS)
		cmd_usage("--as segments requires --method switching");
	if (set.as == AS_SEGMENTS && set.every)
		cmd_usage("--as segments cannot be combined with --every");
	if (set.as == AS_ONE_ROW && set.json)
		cmd_usage("--as one-row and --json exclude each other");
	if (set.as == AS_SUMMARY && set.window)
		cmd_usage("--as summary is for prefixes, not for --window");
	if (set.save && set.window)
		cmd_usage("--save is for whole episodes, not for --window");
	if (set.save && !strcmp(set.save, "-"))
		cmd_usage("--save: standard output is used by the table");
}

/*
 * Start the ranks, if there are several.  Every rank reads all inputs; tasks
 * that are not distributed run on rank 0.
 */
static int
begin_ranks(char **paths, bool alone, struct cscg_err *err)
{
	int i, dashes = cmd_n_stdin() + !cmd.walks.n;

	set.shared = cscg_ranks_size(cmd.ranks) > 1 && !alone;
	for (i = 0; paths[i]; i++)
		dashes += !strcmp(cscg_schemas_file(paths[i]), "-");
	return set.shared && dashes ? cmd_share_stdin(err) : 0;
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);
	bool alone;
	int rc = 1;

	if (!paths[0] && !set.library)
		cmd_usage("too few operands, expected: %s", info.operands);
	cmd_check_schemas(paths, !cmd.walks.n);
	check_method();
	check_form();
	cmd_ranks();
	set.simd = cmd_isa(set.isa);
	/* Flush each row: the reader may be waiting for it. */
	cmd.live = true;
	alone = is_switching() || set.save;
	if (begin_ranks(paths, alone, &err) < 0)
		rc = -1;
	else if (!alone || cmd_is_first())
		rc = is_switching() ? run_switching(paths, &err) :
				      run_match(paths, &err);
	return cmd_end(rc, &err);
}
