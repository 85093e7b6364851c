/* cscg-stitch - join schemas to one model of a walk through several of them */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model_io.h"
#include "cmd.h"
#include "cmd_isa.h"
#include "cscg-stitch.h"
#include "core/walk.h"
#include "schema/stitch.h"
#include "core/walk_io.h"

enum { GIVEN, BOUNDARY, BOTTLENECK };

static const char *const frontier_words[] = { "given", "boundary",
    "bottleneck", NULL };

static struct {
	int frontiers;
	double prior_weight, self_loop, jitter, tolerance, e_pseudocount, pseudocount, e_tolerance;
	long restarts, reset_rounds, e_iterations, iterations, viterbi_rounds;
	const char *report, *prior, *isa;
	bool json, discover;
	struct cscg_partition_options cut;
} set = { .prior_weight = 1, .self_loop = 0.5, .jitter = 0.01, .tolerance = 1e-5,
	.e_pseudocount = 1e-7, .pseudocount = 2e-3, .e_tolerance = 1e-5,
	.restarts = 4, .reset_rounds = 20, .e_iterations = 100, .iterations = 30, .viterbi_rounds = 5,
	.cut = CSCG_PARTITION_DEFAULTS };

static const struct cmd_opt opts[] = {
	CMD_TITLE("which schemas there are:"),
	CMD_FLAG(0, "discover", &set.discover,
	    "operands are models of worlds; schemas are the rooms found there"),
	CMD_DOUBLE(0, "conductance", &set.cut.max_conductance, 0, 1, "X",
	    "a cut between rooms has less than this share of a side's moves"),
	CMD_DOUBLE(0, "narrow", &set.cut.max_cut_ratio, 0, 1e6, "X",
	    "... and less than this of the square root of them"),
	CMD_LONG(0, "min-states", &set.cut.min_size, 1, CSCG_STATE_MAX, "N",
	    "... and leaves so many states on each side"),
	CMD_TITLE("how schemas may be connected:"),
	CMD_CHOICE(0, "frontiers", &set.frontiers, frontier_words,
	    "where: at the frontiers that schemas have, at all walls, or at "
	    "doors inside them"),
	CMD_DOUBLE(0, "stay", &set.self_loop, 0, 1, "P",
	    "chance that a frontier leads nowhere else"),
	CMD_TITLE("what states look like (EM on E):"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the best is kept"),
	CMD_LONG(0, "mend", &set.reset_rounds, 0, 1000000, "N",
	    "times after each to bind anew where looks are unclear, at most"),
	CMD_DOUBLE(0, "jitter", &set.jitter, 0, 1e6, "X",
	    "starts are 1 + X * U(0, 1), normalised; 0: uniform"),
	CMD_LONG(0, "e-iterations", &set.e_iterations, 0, 1000000, "N",
	    "updates at most"),
	CMD_DOUBLE(0, "e-tolerance", &set.e_tolerance, 0, 1, "X",
	    "stop when the objective gains less than this share twice; 0: "
	    "never"),
	CMD_DOUBLE(0, "e-pseudocount", &set.e_pseudocount, 0, 1e6, "X",
	    "added to every symbol of a state"),
	CMD_TITLE("where moves lead (EM on T, and Viterbi training):"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "updates at most"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop when the objective gains less than this share; 0: never"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "added to every transition count"),
	CMD_DOUBLE(0, "trust", &set.prior_weight, 0, 1e6, "X",
	    "what a schema says of a move is worth so many steps"),
	CMD_LONG(0, "rounds", &set.viterbi_rounds, 1, 1000, "N",
	    "rounds of Viterbi training at most"),
	CMD_TITLE("what is told:"),
	CMD_WRITES(0, "report", &set.report, "FILE",
	    "tables of the schemas used and their connections"),
	{ 0, "json", CMD_T_FLAG, &set.json, 0, 0, NULL, NULL,
	    "--report: JSON Lines instead of TSV", CMD_QUIET_HISTORY },
	CMD_WRITES(0, "prior", &set.prior, "FILE",
	    "write the schema with all connections that may be"),
	CMD_ISA(&set.isa),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-stitch", "[NAME=]SCHEMA[*N]...",
	"join schemas to one model of a walk through several", opts, 1, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_GZIP |
	    CMD_USES_STATS
};

static const struct cscg_simd *simd;	/* chosen by --isa */

/* ---- telling ---- */

struct talk {
	long n_visits;
	struct cscg_err *err;
	bool failed;
};

static int
on_line(void *ctx, const struct cscg_stitch_progress *l)
{
	struct talk *t = ctx;
	double nats = -l->loglik / (double)t->n_visits;
	char objective[40] = "null", at[40] = "null";

	if (isfinite(l->objective))
		snprintf(objective, sizeof objective, "%.17g", l->objective);
	if (isfinite(nats))
		snprintf(at, sizeof at, "%.17g", nats);
	if (cmd_stats(t->err, "{\"stage\":\"%s\",\"restart\":%ld,"
	    "\"iteration\":%ld,\"states\":%d,\"nats_per_step\":%s,"
	    "\"objective\":%s}", l->stage, l->restart, l->iteration,
	    l->n_states, at, objective) < 0)
		t->failed = true;
	if (!strcmp(l->stage, "restart") || !strcmp(l->stage, "best"))
		cmd_talk("%s %ld: %d states, %ld updates, %.6f nats a step",
		    l->stage, l->restart, l->n_states, l->iteration, nats);
	else if (strcmp(l->stage, "bind") && strcmp(l->stage, "mend") &&
	    strcmp(l->stage, "em"))
		cmd_talk("%s: %d states, %.6f nats a step", l->stage,
		    l->n_states, nats);
	return t->failed;
}

static void
tell_result(const struct cscg_stitch_result *s, const struct cscg_names *names)
{
	struct cscg_stitch_totals sum;
	int k;

	for (k = 0; k < s->n_blocks; k++) {
		sum = cscg_stitch_result_totals(s, k);
		cmd_talk("block %d, %s: %d of %d states, %.1f %% of the steps, "
		    "%ld by an unknown move, %ld with unlikely looks", k,
		    names->v[k], sum.used, sum.states, 100.0 *
		    (double)sum.n_visits / (double)s->n_steps, sum.n_jumps,
		    sum.n_unlikely);
	}
	sum = cscg_stitch_result_totals(s, -1);
	cmd_talk("%ld connections; %ld of %ld moves are unknown to the "
	    "schemas, %ld of %ld steps have unlikely looks", s->n_links,
	    sum.n_jumps, s->n_moves, sum.n_unlikely, s->n_steps);
	if (100 * (sum.n_jumps + sum.n_unlikely) > s->n_steps)
		cmd_say("%.1f %% of the steps fit none of the schemas: see "
		    "--report", 100.0 * (double)(sum.n_jumps + sum.n_unlikely) /
		    (double)s->n_steps);
}

/* ---- schemas and blocks ---- */

int
stitch_blame(const char *operand, struct cscg_err *err)
{
	char name[256];

	cscg_blocks_file(operand, name, sizeof name);
	return cmd_fail_in(name, err);
}

static int
check_frontiers(struct cscg_model *m, struct cscg_err *err)
{
	static const char *const none[] = {
		[GIVEN] = "the schema has no frontiers (roomgen --door marks "
		    "some, --frontiers boundary takes all walls)",
		[BOUNDARY] = "the schema has no walls that could be frontiers",
		[BOTTLENECK] = "the schema has no doors inside that could be "
		    "frontiers",
	};

	if (set.frontiers == BOUNDARY && cscg_frontier_boundary(m, err) < 0)
		return -1;
	if (set.frontiers == BOTTLENECK && cscg_frontier_bottleneck(m,
	    &set.cut, CSCG_PARTITION_MIN_PROB, err) < 0)
		return -1;
	/* A room that one enters and never leaves is one, too. */
	if (m->n_frontiers || m->n_entries)
		return 0;
	if (set.discover && set.frontiers == GIVEN)
		return cscg_fail(err, CSCG_EMISMATCH, "a room of %d states has "
		    "no doors (--frontiers boundary takes all walls)",
		    m->n_states);
	return cscg_fail(err, CSCG_EMISMATCH, "%s", none[set.frontiers]);
}

static int
read_blocks(struct cscg_blocks *b, char **operands, int n,
    struct cscg_err *err)
{
	int i = 0;

	/* One is there, or judge() would have said so. */
	do {
		if (cscg_blocks_read(b, operands[i], i, err) < 0)
			return -1;
	} while (++i < n);
	if (set.discover && stitch_discover(b, operands, &set.cut, err) < 0)
		return -1;
	/* One block alone has nowhere to go. */
	for (i = 0; i < b->schemas.n && b->n > 1; i++)
		if (check_frontiers(b->schemas.m[i], err) < 0)
			return stitch_blame(operands[b->operand[i]], err);
	return 0;
}

/* ---- the work ---- */

/* Opened before any input is read; NULL: not asked for. */
static struct {
	struct cscg_out *result, *report, *prior;
} outs;

static int
open_outs(struct cscg_err *err)
{
	outs.result = cmd_out(err);
	if (!outs.result)
		return -1;
	if (set.report)
		outs.report = cmd_out_also(set.report, 0, err);
	if (set.report && !outs.report)
		return -1;
	if (set.prior)
		outs.prior = cmd_out_also(set.prior, cmd.no_gzip ? 0 :
		    CSCG_OUT_GZIP, err);
	return set.prior && !outs.prior ? -1 : 0;
}

static int
write_prior(const struct cscg_blocks *b, char **operands, struct cscg_err *err)
{
	struct cscg_model *prior;
	int which, i, rc = 0;

	prior = cscg_stitch_prior(b->m, b->n, set.self_loop, &which, err);
	if (!prior)
		return which < 0 ? -1 : stitch_blame(operands[b->operand[b->schema[which]]],
		    err);
	for (i = 0; i < b->schemas.n && rc == 0 && outs.prior; i++)
		rc = cscg_history_join(&prior->history,
		    &b->schemas.m[i]->history, err);
	if (rc == 0 && outs.prior && (cmd_history(&prior->history, err) < 0 ||
	    cscg_model_write(prior, outs.prior, err) < 0))
		rc = -1;
	cmd_talk("prior: %d schemas, %d states, %ld frontiers, %ld moves",
	    b->n, prior->n_states, prior->n_frontiers,
	    prior->first[(long)prior->n_actions * prior->n_states]);
	cscg_model_free(prior);
	return rc;
}

static int
write_result(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct cscg_stitch_result *s, struct cscg_err *err)
{
	struct cscg_model *m = s->model;
	int i;

	tell_result(s, &b->names);
	if (outs.report && cscg_stitch_result_write(s, &b->names, set.json,
	    outs.report, err) < 0)
		return -1;
	for (i = 0; i < b->schemas.n; i++)
		if (cscg_history_join(&m->history, &b->schemas.m[i]->history,
		    err) < 0)
			return -1;
	if (cscg_history_join(&m->history, &w->head.history, err) < 0 ||
	    cmd_history(&m->history, err) < 0)
		return -1;
	return cscg_model_write(m, outs.result, err);
}

static int
stitch(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct talk talk = { .n_visits = w->n_steps, .err = err };
	struct cscg_stitch how = {
		.self_loop = set.self_loop, .prior_weight = set.prior_weight,
		.bind = { .iterations = set.e_iterations,
		    .tolerance = set.e_tolerance,
		    .pseudocount = set.e_pseudocount, .simd = simd },
		.starts = { .restarts = set.restarts, .jitter = set.jitter,
		    .seed = (uint64_t)cmd.seed, .threads = (int)cmd.threads },
		.reset_rounds = set.reset_rounds,
		.iterations = set.iterations, .tolerance = set.tolerance,
		.pseudocount = set.pseudocount, .viterbi_rounds = (int)set.viterbi_rounds,
		.report = on_line, .ctx = &talk
	};
	struct cscg_stitch_result s;
	int rc = -1;

	if (cscg_stitch(b->m, b->n, w, &how, &s, err) == 0 && !talk.failed)
		rc = write_result(b, w, &s, err);
	cscg_stitch_result_free(&s);
	return rc;
}

/* Actions of the walk get the schemas' numbers; symbols stay. */
static int
fit_actions(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_model names = { .kind = CSCG_SCHEMA,
	    .n_actions = m->n_actions, .actions = m->actions };

	return cscg_alphabet_map_walk(w, &names, err);
}

static int
run(char **operands, int n, struct cscg_err *err)
{
	struct cscg_blocks b = { .n = 0 };
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (open_outs(err) < 0)
		return -1;
	if (read_blocks(&b, operands, n, err) < 0 ||
	    write_prior(&b, operands, err) < 0)
		goto out;
	w = cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (w && fit_actions(w, b.m[0], err) == 0)
		rc = stitch(&b, w, err);
out:
	cscg_walk_free(w);
	cscg_blocks_free(&b);
	return rc;
}

static void
judge(char **operands, int n)
{
	int i, dashes = !cmd.walks.n;
	struct cscg_err err;
	char name[2];

	for (i = 0; i < n; i++) {
		if (cscg_blocks_copies(operands[i], &err) < 0)
			cmd_usage("%s", err.msg);
		dashes += cscg_blocks_file(operands[i], name, sizeof name) ==
		    1 && name[0] == '-';
	}
	for (i = 0; i < cmd.walks.n; i++)
		dashes += !strcmp(cmd.walks.v[i], "-");
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
	if (set.prior_weight > 0 && !(set.pseudocount > 0))
		cmd_usage("--trust above 0 needs a --pseudocount above 0");
	if (set.discover && set.frontiers == BOTTLENECK)
		cmd_usage("--discover cuts at bottlenecks, none are left for "
		    "--frontiers");
	if (!set.discover && set.frontiers != BOTTLENECK &&
	    (cmd_given(&set.cut.max_conductance) || cmd_given(&set.cut.max_cut_ratio) ||
	    cmd_given(&set.cut.min_size)))
		cmd_usage("--conductance, --narrow and --min-states go with "
		    "--discover or --frontiers bottleneck only");
	if (set.json && !set.report)
		cmd_usage("--json goes with --report only");
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **operands;
	int n;

	operands = cmd_begin(&info, argc, argv, &n);
	judge(operands, n);
	simd = cmd_isa(set.isa);
	cmd_history_arg("isa", simd ? simd->name : "plain");
	return cmd_end(run(operands, n, &err) < 0 ? -1 : 1, &err);
}
