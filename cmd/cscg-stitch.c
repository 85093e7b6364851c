/* cscg-stitch - join schemas to one model of a walk through several of them */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tool.h"
#include "options.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "core/walk_io.h"
#include "schema/library.h"
#include "schema/partition.h"
#include "schema/stitch.h"

/*
 * Put the schemas that are found in the models of b in their place.  A schema
 * stands for as many blocks as there are rooms of it in a model, or as the
 * operand of the model says with "*N"; those of several models add up.
 */
static int stitch_discover(struct cscg_blocks *b, char **operands,
    const struct cscg_partition_options *cut, struct cscg_err *err);

/* Prepend the name of an operand's file; returns -1. */
static int stitch_blame(const char *operand, struct cscg_err *err);

/* a library of the rooms of whole worlds */

/* Does an operand say how many, with "*N"? */
static bool
is_counted(const char *operand)
{
	char name[1];

	return cscg_blocks_file(operand, name, sizeof name) !=
	    strlen(cscg_schemas_file(operand));
}

/* How many blocks schema i of the library stands for. */
static long
copies(const struct cscg_library *lib, int i, const struct cscg_blocks *worlds,
    char **operands)
{
	struct cscg_err err;
	long n = 0, times;
	int w;

	for (w = 0; w < lib->n_worlds; w++) {
		const char *operand = operands[worlds->operand[w]];

		times = lib->n_found[i * lib->n_worlds + w];
		if (times)
			n += is_counted(operand) ? cscg_blocks_copies(operand,
			    &err) : times;
	}
	return n;
}

/* The world's name, and a number if more than one schema is from there. */
static int
add_name(struct cscg_names *names, const struct cscg_library *lib, int i,
    const struct cscg_names *worlds, struct cscg_err *err)
{
	const char *world = worlds->v[lib->world[i]];
	size_t size = strlen(world) + 16;
	char *name = cscg_alloc(size, 1, err);
	int j, all = 0, before = 0, rc;

	if (!name)
		return -1;
	for (j = 0; j < lib->n; j++) {
		all += lib->world[j] == lib->world[i];
		before += j < i && lib->world[j] == lib->world[i];
	}
	snprintf(name, size, all > 1 ? "%s-%d" : "%s", world, before + 1);
	rc = cscg_names_add(names, name, err);
	free(name);
	return rc;
}

/* n blocks of schema i of b. */
static int
add_blocks(struct cscg_blocks *b, int i, long n, struct cscg_err *err)
{
	size_t need = (size_t)b->n + (size_t)n;

	if (need > CSCG_BLOCKS_MAX)
		return cscg_fail(err, CSCG_EUSAGE, "more than %d schemas",
		    CSCG_BLOCKS_MAX);
	if (cscg_grow(&b->m, &b->cap_m, need, sizeof *b->m, err) < 0 ||
	    cscg_grow(&b->schema, &b->cap_schema, need, sizeof *b->schema,
	    err) < 0)
		return -1;
	for (; n > 0; n--) {
		if (cscg_names_add(&b->names, b->schemas.names.v[i], err) < 0)
			return -1;
		b->schema[b->n] = i;
		b->m[b->n++] = b->schemas.m[i];
	}
	return 0;
}

/* Schema i of the library, taken from there. */
static int
add_schema_take(struct cscg_blocks *to, struct cscg_library *lib, int i,
    const struct cscg_blocks *worlds, char **operands, struct cscg_err *err)
{
	struct cscg_schemas *s = &to->schemas;
	size_t need = (size_t)s->n + 1;
	long n = copies(lib, i, worlds, operands);

	if (cscg_grow(&s->m, &s->cap, need, sizeof *s->m, err) < 0 ||
	    cscg_grow(&to->operand, &to->cap_operand, need,
	    sizeof *to->operand, err) < 0 ||
	    add_name(&s->names, lib, i, &worlds->schemas.names, err) < 0)
		return -1;
	to->operand[s->n] = worlds->operand[lib->world[i]];
	s->m[s->n++] = lib->m[i];
	lib->m[i] = NULL;
	cmd_verbose("found %s: %d states, %ld frontiers; %ld of it may be there",
	    s->names.v[i], s->m[i]->n_states, s->m[i]->n_frontiers, n);
	return add_blocks(to, i, n, err);
}

static int
stitch_discover(struct cscg_blocks *b, char **operands,
    const struct cscg_partition_options *cut, struct cscg_err *err)
{
	const struct cscg_model *const *worlds =
	    (const struct cscg_model *const *)b->schemas.m;
	struct cscg_blocks found = { .n = 0 };
	struct cscg_library lib;
	int i, which, rc;

	rc = cscg_library_discover(worlds, b->schemas.n, cut, CSCG_PARTITION_MIN_PROB, &lib,
	    &which, err);
	if (rc < 0 && which >= 0)
		stitch_blame(operands[b->operand[which]], err);
	for (i = 0; rc == 0 && i < lib.n; i++)
		rc = add_schema_take(&found, &lib, i, b, operands, err);
	cscg_library_free(&lib);
	cscg_blocks_free(rc < 0 ? &found : b);
	if (rc == 0)
		*b = found;
	return rc;
}

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
	CMD_JSON(&set.json, " (--report)"),
	CMD_WRITES(0, "prior", &set.prior, "FILE",
	    "write the schema with all connections that may be"),
	CMD_ISA(&set.isa),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-stitch", "[NAME=]SCHEMA[*N]...",
	"join schemas to one model of a walk through several", opts, 1, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_GZIP |
	    CMD_USES_STATS,
	"cscg-stitch a.gz 'b.gz*2' -w walk.gz --report report.tsv -o world.gz"
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
		cmd_verbose("%s %ld: %d states, %ld updates, %.6f nats a step",
		    l->stage, l->restart, l->n_states, l->iteration, nats);
	else if (strcmp(l->stage, "bind") && strcmp(l->stage, "mend") &&
	    strcmp(l->stage, "em"))
		cmd_verbose("%s: %d states, %.6f nats a step", l->stage,
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
		cmd_verbose("block %d, %s: %d of %d states, %.1f %% of the steps, "
		    "%ld by an unknown move, %ld with unlikely looks", k,
		    names->v[k], sum.used, sum.states, 100.0 *
		    (double)sum.n_visits / (double)s->n_steps, sum.n_jumps,
		    sum.n_unlikely);
	}
	sum = cscg_stitch_result_totals(s, -1);
	cmd_verbose("%ld connections; %ld of %ld moves are unknown to the "
	    "schemas, %ld of %ld steps have unlikely looks", s->n_links,
	    sum.n_jumps, s->n_moves, sum.n_unlikely, s->n_steps);
	if (100 * (sum.n_jumps + sum.n_unlikely) > s->n_steps)
		cmd_warn("%.1f %% of the steps fit none of the schemas: see "
		    "--report", 100.0 * (double)(sum.n_jumps + sum.n_unlikely) /
		    (double)s->n_steps);
}

/* ---- schemas and blocks ---- */

static int
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

	/* One is there, or check() would have said so. */
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
	cmd_verbose("prior: %d schemas, %d states, %ld frontiers, %ld moves",
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
check(char **operands, int n)
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
	check(operands, n);
	simd = cmd_isa(set.isa);
	cmd_history_arg("isa", simd ? simd->name : "plain");
	return cmd_end(run(operands, n, &err) < 0 ? -1 : 1, &err);
}
