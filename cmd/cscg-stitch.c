/*
 * cscg-stitch - compose schemas to one model of a walk through several
 *
 * The schemas are blocks of one prior; EM on emissions, EM on transitions and
 * Viterbi training determine which of them occur, their emissions and their
 * connections (stitch.h).  With --partition the schemas are the rooms that
 * spectral partitions of whole models find (discover.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tool.h"
#include "options.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "io/table.h"
#include "schema/discover.h"
#include "schema/library.h"
#include "learn/structure.h"
#include "schema/partition.h"
#include "schema/residual.h"
#include "schema/stitch.h"

enum { REST_AUTO, REST_NEVER, REST_ALWAYS };

static const char *const rest_words[] = { "auto", "never", "always", NULL };

enum { AUTO = -1, GIVEN, BOUNDARY, BOTTLENECK };

static const char *const frontier_words[] = { "given", "boundary",
	"bottleneck", NULL };

static struct {
	bool partition;
	struct cscg_partition_options cut;
	int frontiers, rest;
	struct cscg_stitch how;
	long iterations; /* of EM on emissions and transitions; -1: by
	                    default */
	const char *report, *prior, *isa, *library;
	bool json;
} set = { .cut = CSCG_PARTITION_DEFAULTS,
	.frontiers = AUTO,
	.how = CSCG_STITCH_DEFAULTS,
	.iterations = -1 };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_FLAG(0, "partition", &set.partition,
	    "operands are models of worlds; use the rooms of their partition "
	    "as schemas"),
	CMD_FILE(0, "library", &set.library, "DIR",
	    "also use the schemas of this library; schemas that the walk "
	    "visits are added to it"),
	CMD_MODEL,
	CMD_CHOICE(0, "frontiers", &set.frontiers, frontier_words,
	    "where schemas may connect: at their stored frontiers, at all "
	    "walls, or at doors inside them (default: given; with "
	    "--partition and --library boundary if that fits better)"),
	CMD_DOUBLE(0, "self-loop", &set.how.self_loop, 0, 1, "P",
	    "prior probability that a frontier is not a door, 0..1"),
	CMD_DOUBLE(0, "prior-weight", &set.how.prior_weight, 0, 1e6, "X",
	    "weight of a schema's transitions, in steps; 0: none"),
	CMD_ALGORITHM,
	CMD_CHOICE(0, "learn-rest", &set.rest, rest_words,
	    "learn rooms that no schema explains: if more than 1 % of the "
	    "steps are unexplained and the model is better by BIC, never, or "
	    "in any case"),
	CMD_LONG(0, "restarts", &set.how.starts.restarts, 1, 1000000, "N",
	    "random initialisations; the one with the highest likelihood is "
	    "kept"),
	CMD_LONG(0, "reset-rounds", &set.how.reset_rounds, 0, 1000000, "N",
	    "rounds, per restart, of re-initialising states with ambiguous "
	    "emissions, at most"),
	CMD_DOUBLE(0, "jitter", &set.how.starts.jitter, 0, 1e6, "X",
	    "spread of random initial emissions, 1 + X * U(0,1) normalised; "
	    "0: uniform"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM iterations at most (default: 100 on emissions, 30 on "
	    "transitions)"),
	CMD_ISA(&set.isa),
	CMD_OUTPUT,
	CMD_WRITES(0, "report", &set.report, "FILE",
	    "write tables of the schemas used and of their connections"),
	CMD_WRITES(0, "prior", &set.prior, "FILE",
	    "write the prior: all schemas with all possible connections"),
	CMD_JSON(&set.json, " (--report)"),
	CMD_END,
};

static const struct cmd_info info = {
	"cscg-stitch",
	"[[NAME=]SCHEMA[*N]]...",
	"compose schemas to one model of a walk through several",
	opts,
	0,
	-1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_GZIP |
	    CMD_USES_STATS,
	"cscg-stitch a.gz 'b.gz*2' -w walk.gz --report report.tsv -o world.gz",
};

static const struct cscg_simd *simd; /* chosen by --isa */

/* Prepend the name of an operand's file; returns -1. */
static int
fail_in_operand(const char *operand, struct cscg_err *err)
{
	char name[256];

	cscg_blocks_file(operand, name, sizeof name);
	return cmd_fail_in(name, err);
}

/* Prepend the file of schema i, or its name in the library; returns -1. */
static int
fail_in_schema(const struct cscg_blocks *b, int i, char **operands,
    struct cscg_err *err)
{
	if (b->operand[i] >= 0)
		return fail_in_operand(operands[b->operand[i]], err);
	return cscg_fail_at(err, "'%s': %s", set.library,
	    b->schemas.names.v[i]);
}

/* ---- --partition: the rooms of whole worlds ---- */

/* Whether an operand has a number of copies, "*N". */
static bool
is_counted(const char *operand)
{
	char name[1];

	return cscg_blocks_file(operand, name, sizeof name) !=
	    strlen(cscg_schemas_file(operand));
}

/* The number of blocks of schema i of the library. */
static long
copies(const struct cscg_discovery *lib, int i,
    const struct cscg_blocks *worlds, char **operands)
{
	struct cscg_err err;
	long n = 0, times;
	int w;

	for (w = 0; w < lib->n_worlds; w++) {
		const char *operand = operands[worlds->operand[w]];

		times = lib->n_found[i * lib->n_worlds + w];
		if (times)
			n += is_counted(operand) ?
			    cscg_blocks_copies(operand, &err) :
			    times;
	}
	return n;
}

/* The name of the world, with a number if several schemas are from it. */
static int
add_name(struct cscg_names *names, const struct cscg_discovery *lib, int i,
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
add_schema_take(struct cscg_blocks *to, struct cscg_discovery *lib, int i,
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
	cmd_verbose("found %s: %d states, %ld frontiers; up to %ld copies",
	    s->names.v[i], s->m[i]->n_states, s->m[i]->n_frontiers, n);
	return add_blocks(to, i, n, err);
}

/*
 * Replace the models of b by the schemas that are found in them.  A schema
 * gives as many blocks as there are rooms of it in a model, or as the
 * operand of the model says with "*N"; those of several models add up.
 */
static int
partition_worlds(struct cscg_blocks *b, char **operands, struct cscg_err *err)
{
	const struct cscg_model *const *worlds =
	    (const struct cscg_model *const *)b->schemas.m;
	struct cscg_blocks found = { .n = 0 };
	struct cscg_discovery lib;
	int i, which, rc;

	rc = cscg_discover(worlds, b->schemas.n, &set.cut,
	    CSCG_PARTITION_MIN_PROB, &lib, &which, err);
	if (rc < 0 && which >= 0)
		fail_in_operand(operands[b->operand[which]], err);
	if (rc == 0 && lib.n_doubtful)
		cmd_warn(
		    "%d of %d rooms may be several rooms: no cut is narrow "
		    "enough, but one is narrower than in an open room",
		    lib.n_doubtful, lib.n_rooms);
	for (i = 0; rc == 0 && i < lib.n; i++)
		rc = add_schema_take(&found, &lib, i, b, operands, err);
	cscg_discovery_free(&lib);
	cscg_blocks_free(rc < 0 ? &found : b);
	if (rc == 0)
		*b = found;
	return rc;
}

/* ---- --library ---- */

static struct {
	struct cscg_library *lib; /* NULL: not given */
	struct cscg_model **m;    /* [n] the schemas as they were given */
	int n;
} library;

/* Add a block for each schema of the library that equals no operand. */
static int
read_library(struct cscg_blocks *b, struct cscg_err *err)
{
	int n = b->schemas.n, i;

	library.lib = cscg_library_open_writable(set.library, err);
	if (!library.lib ||
	    cscg_library_schemas(library.lib, CSCG_LIBRARY_SCHEMA, &b->schemas,
		err) < 0 ||
	    cscg_grow(&b->operand, &b->cap_operand, (size_t)b->schemas.n,
		sizeof *b->operand, err) < 0)
		return -1;
	for (i = n; i < b->schemas.n; i++) {
		b->operand[i] = -1;
		if (add_blocks(b, i, 1, err) < 0)
			return -1;
	}
	if (!b->n)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "'%s': the library has no schema", set.library);
	return 0;
}

/* A result, and the schemas of its blocks. */
struct stitched {
	struct cscg_stitch_result s;
	struct cscg_residual rest;      /* n > 0: rooms were learned */
	struct cscg_names learned;      /* names of its blocks */
	const int *schema;              /* [blocks] or -1: learned */
	const struct cscg_names *names; /* [blocks] */
};

/* The steps that the walk spends in blocks of schema i. */
static long
steps_in_schema(const struct stitched *r, int i)
{
	long n = 0;
	int k;

	for (k = 0; k < r->s.n_blocks; k++)
		if (r->schema[k] == i)
			n += cscg_stitch_result_totals(&r->s, k).n_visits;
	return n;
}

/* Copy the schemas before their frontiers change. */
static int
keep_schemas(const struct cscg_blocks *b, struct cscg_err *err)
{
	library.m = cscg_alloc((size_t)b->schemas.n, sizeof *library.m, err);
	if (!library.m)
		return -1;
	for (; library.n < b->schemas.n; library.n++) {
		library.m[library.n] = cscg_model_copy(b->schemas.m[library.n],
		    err);
		if (!library.m[library.n])
			return -1;
	}
	return 0;
}

static void
close_library(void)
{
	while (library.n)
		cscg_model_free(library.m[--library.n]);
	free(library.m);
	cscg_library_free(library.lib);
}

/* Add doors that the walk passed to the frontiers of schema i. */
static int
add_doors(const struct cscg_blocks *b, const struct stitched *r, int i,
    struct cscg_err *err)
{
	const struct cscg_stitch_result *s = &r->s;
	struct cscg_model *m = library.m[i];
	long n = m->n_frontiers, l;
	struct cscg_frontier *f = cscg_alloc((size_t)(n + s->n_links),
	    sizeof *f, err);
	int *action = cscg_alloc((size_t)m->n_actions, sizeof *action, err);
	int k, rc = -1;

	if (f && action)
		rc = cscg_names_map(&b->m[0]->actions, b->m[0]->n_actions,
		    &m->actions, m->n_actions, "action", action, err);
	for (l = 0; rc == 0 && l < n; l++)
		f[l] = m->frontier[l];
	for (l = 0; rc == 0 && l < s->n_links; l++)
		for (k = 0; k < s->n_blocks; k++)
			if (r->schema[k] == i &&
			    s->link[l].arc.from >= s->base[k] &&
			    s->link[l].arc.from < s->base[k + 1])
				f[n++] = (struct cscg_frontier){
					s->link[l].arc.from - s->base[k],
					action[s->link[l].arc.a]
				};
	if (rc == 0)
		rc = cscg_model_set_frontiers(m, f, n, err);
	free(f);
	free(action);
	return rc;
}

/* Add schema m to the library, called name here; -1 on failure. */
static int
add_to_library(const struct cscg_model *m, const char *name, long n_steps,
    struct cscg_err *err)
{
	int id, rc;

	rc = cscg_library_add_schema(library.lib, m, true, n_steps, &id, err);
	if (rc >= 0)
		cmd_verbose("library: %s is %sschema-%d", name,
		    rc ? "new, " : "", id);
	return rc < 0 ? -1 : 0;
}

/*
 * Add the schemas that the walk visits, and new rooms, or count the encounter.
 */
static int
update_library(const struct cscg_blocks *b, const struct stitched *r,
    struct cscg_err *err)
{
	int i, rc = 0;
	long n;

	if (cscg_library_begin(library.lib, err) < 0)
		return -1;
	for (i = 0; i < b->schemas.n && rc == 0; i++) {
		n = steps_in_schema(r, i);
		if (n)
			rc = add_doors(b, r, i, err);
		if (n && rc == 0)
			rc = add_to_library(library.m[i],
			    b->schemas.names.v[i], n, err);
	}
	for (i = 0; i < r->rest.n && rc == 0; i++)
		if (r->rest.room[i])
			rc = add_to_library(r->rest.room[i], r->names->v[i],
			    cscg_stitch_result_totals(&r->s, i).n_visits, err);
	if (rc == 0)
		return cscg_library_commit(library.lib, err);
	cscg_library_abort(library.lib);
	return -1;
}

/* ---- schemas and blocks ---- */

/*
 * Whether schema i may connect at states other than its frontiers.  By default
 * this holds for schemas of partitions and libraries, since a room may have
 * other doors in another world.  A room with separate entries (a 3D room is
 * entered with the back to the door) is not entered at the states by which it
 * is left, so its boundary is not used.
 */
static bool
is_movable(const struct cscg_blocks *b, int i)
{
	return set.frontiers == AUTO && (set.partition || b->operand[i] < 0) &&
	    !b->schemas.m[i]->n_entries;
}

/* The first choice of states at which schema i may connect. */
static int
frontiers_of(const struct cscg_blocks *b, int i)
{
	if (set.frontiers != AUTO)
		return set.frontiers;
	return is_movable(b, i) && !b->schemas.m[i]->n_frontiers ? BOUNDARY :
								   GIVEN;
}

static int
check_frontiers(struct cscg_model *m, int frontiers, struct cscg_err *err)
{
	static const char *const none[] = {
		[GIVEN] = ("the schema has no frontiers (roomgen --door marks "
			   "some, --frontiers boundary takes all walls)"),
		[BOUNDARY] = "the schema has no walls that could be frontiers",
		[BOTTLENECK] =
		    "the schema has no doors inside that could be frontiers",
	};

	if (frontiers == BOUNDARY && cscg_frontier_boundary(m, err) < 0)
		return -1;
	if (frontiers == BOTTLENECK &&
	    cscg_frontier_bottleneck(m, &set.cut, CSCG_PARTITION_MIN_PROB,
		err) < 0)
		return -1;
	/* A room that is entered and never left counts as well. */
	if (m->n_frontiers || m->n_entries)
		return 0;
	if (set.partition && frontiers == GIVEN)
		return cscg_fail(err, CSCG_EMISMATCH,
		    "a room of %d states has no doors (--frontiers boundary "
		    "takes all walls)",
		    m->n_states);
	return cscg_fail(err, CSCG_EMISMATCH, "%s", none[frontiers]);
}

static int
read_blocks(struct cscg_blocks *b, char **operands, int n,
    struct cscg_err *err)
{
	int i;

	for (i = 0; i < n; i++)
		if (cscg_blocks_read(b, operands[i], i, err) < 0)
			return -1;
	if (set.partition && n && partition_worlds(b, operands, err) < 0)
		return -1;
	if (set.library &&
	    (read_library(b, err) < 0 || keep_schemas(b, err) < 0))
		return -1;
	/* A single block has no connections. */
	for (i = 0; i < b->schemas.n && b->n > 1; i++)
		if (check_frontiers(b->schemas.m[i], frontiers_of(b, i), err) <
		    0)
			return fail_in_schema(b, i, operands, err);
	return 0;
}

/* ---- statistics and messages ---- */

struct report {
	long steps;
	struct cscg_err *err;
	bool failed;
};

static int
on_progress(void *ctx, const struct cscg_stitch_progress *l)
{
	struct report *r = ctx;
	double nats = -l->loglik / (double)r->steps;
	const struct cmd_stat row[] = {
		CMD_STAT_TEXT("stage", l->stage),
		CMD_STAT_LONG("restart", l->restart),
		CMD_STAT_LONG("iteration", l->iteration),
		CMD_STAT_LONG("states", l->n_states),
		CMD_STAT_REAL("nats_per_step", nats),
		CMD_STAT_REAL("objective", l->objective),
	};

	if (CMD_STATS(row, r->err) < 0)
		r->failed = true;
	if (!strcmp(l->stage, "restart") || !strcmp(l->stage, "best"))
		cmd_verbose("%s %ld: %d states, %ld updates, %.6f nats a step",
		    l->stage, l->restart, l->n_states, l->iteration, nats);
	else if (strcmp(l->stage, "bind") && strcmp(l->stage, "reset") &&
	    strcmp(l->stage, "em"))
		cmd_verbose("%s: %d states, %.6f nats a step", l->stage,
		    l->n_states, nats);
	return r->failed;
}

static void
report_result(const struct cscg_stitch_result *s,
    const struct cscg_names *names)
{
	struct cscg_stitch_totals sum;
	int k;

	for (k = 0; k < s->n_blocks; k++) {
		sum = cscg_stitch_result_totals(s, k);
		cmd_verbose(
		    "block %d, %s: %d of %d states, %.1f %% of the steps, %ld "
		    "by a transition that no schema has, %ld with an unlikely "
		    "observation",
		    k, names->v[k], sum.used, sum.states,
		    100.0 * (double)sum.n_visits / (double)s->n_steps,
		    sum.n_jumps, sum.n_unlikely);
	}
	sum = cscg_stitch_result_totals(s, -1);
	cmd_verbose("%ld connections; %ld of %ld transitions are in no "
		    "schema, %ld of %ld observations are unlikely",
	    s->n_links, sum.n_jumps, s->n_transitions, sum.n_unlikely,
	    s->n_steps);
	if (100 * (sum.n_jumps + sum.n_unlikely) > s->n_steps)
		cmd_warn("no schema explains %.1f %% of the steps: see "
			 "--report",
		    100.0 * (double)(sum.n_jumps + sum.n_unlikely) /
			(double)s->n_steps);
}

/* ---- stitching ---- */

/* Opened before any input is read; NULL: not requested. */
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
		outs.prior = cmd_out_also(set.prior,
		    cmd.no_gzip ? 0 : CSCG_OUT_GZIP, err);
	return set.prior && !outs.prior ? -1 : 0;
}

static int
write_prior(const struct cscg_blocks *b, char **operands, struct cscg_err *err)
{
	struct cscg_model *prior;
	int which, i, rc = 0;

	prior = cscg_stitch_prior(b->m, b->n, set.how.self_loop, &which, err);
	if (!prior)
		return which < 0 ?
		    -1 :
		    fail_in_schema(b, b->schema[which], operands, err);
	for (i = 0; i < b->schemas.n && rc == 0 && outs.prior; i++)
		rc = cscg_history_join(&prior->history,
		    &b->schemas.m[i]->history, err);
	if (rc == 0 && outs.prior &&
	    (cmd_history(&prior->history, err) < 0 ||
		cscg_model_write(prior, outs.prior, err) < 0))
		rc = -1;
	cmd_verbose(
	    "prior: %d schemas, %d states, %ld frontiers, %ld transitions",
	    b->n, prior->n_states, prior->n_frontiers,
	    prior->first[(long)prior->n_actions * prior->n_states]);
	cscg_model_free(prior);
	return rc;
}

static int
write_result(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct stitched *r, struct cscg_err *err)
{
	struct cscg_model *m = r->s.model;
	int i;

	report_result(&r->s, r->names);
	if (outs.report &&
	    cscg_stitch_result_write(&r->s, r->names, set.json, outs.report,
		err) < 0)
		return -1;
	for (i = 0; i < b->schemas.n; i++)
		if (cscg_history_join(&m->history, &b->schemas.m[i]->history,
			err) < 0)
			return -1;
	if (cscg_history_join(&m->history, &w->head.history, err) < 0 ||
	    cmd_history(&m->history, err) < 0 ||
	    cscg_model_write(m, outs.result, err) < 0)
		return -1;
	return library.lib ? update_library(b, r, err) : 0;
}

/* Steps that no schema explains. */
static long
misfit(const struct cscg_stitch_result *s)
{
	struct cscg_stitch_totals sum = cscg_stitch_result_totals(s, -1);

	return sum.n_jumps + sum.n_unlikely;
}

static int
stitch_once(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct cscg_stitch_result *s, struct cscg_err *err)
{
	struct report report = { .steps = w->n_steps, .err = err };
	struct cscg_stitch how = set.how;
	int rc;

	how.bind.simd = simd;
	how.starts.seed = (uint64_t)cmd.seed;
	how.starts.threads = (int)cmd.threads;
	if (set.iterations >= 0)
		how.bind.iterations = how.iterations = set.iterations;
	how.report = on_progress;
	how.ctx = &report;
	rc = cscg_stitch(b->m, b->n, w, &how, s, err);
	return rc < 0 || report.failed ? -1 : 0;
}

/*
 * Again with doors at all walls; the result with fewer steps that no schema
 * explains is kept.
 */
static int
stitch_boundary(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct cscg_stitch_result *s, struct cscg_err *err)
{
	struct cscg_stitch_result again, worse;
	int i, n = 0;

	for (i = 0; i < b->schemas.n; i++)
		if (is_movable(b, i)) {
			if (cscg_frontier_boundary(b->schemas.m[i], err) < 0)
				return -1;
			n++;
		}
	if (!n)
		return 0;
	cmd_verbose("no schema explains %ld steps: trying again with doors at "
		    "all walls",
	    misfit(s));
	if (stitch_once(b, w, &again, err) < 0) {
		cscg_stitch_result_free(&again);
		return -1;
	}
	worse = misfit(&again) < misfit(s) ? *s : again;
	*s = misfit(&again) < misfit(s) ? again : *s;
	cscg_stitch_result_free(&worse);
	return 0;
}

/* ---- rooms that no schema explains ---- */

/* Whether all schemas number the actions as the walk does. */
static bool
is_numbered_alike(const struct cscg_blocks *b)
{
	const struct cscg_names *first = &b->schemas.m[0]->actions;
	int i, a;

	for (i = 1; i < b->schemas.n; i++) {
		const struct cscg_names *names = &b->schemas.m[i]->actions;

		for (a = 0; first->n && names->n && a < first->n; a++)
			if (strcmp(first->v[a], names->v[a]))
				return false;
	}
	return true;
}

/* Name blocks by their schemas, learned ones by number. */
static int
name_blocks(const struct cscg_blocks *b, struct stitched *r,
    struct cscg_err *err)
{
	char text[32];
	int k, n = 0;

	for (k = 0; k < r->rest.n; k++) {
		int i = r->rest.schema[k];

		snprintf(text, sizeof text, "learned-%d", i < 0 ? ++n : 0);
		if (cscg_names_add(&r->learned,
			i < 0 ? text : b->schemas.names.v[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Replace r by the model with learned rooms, if it is requested or better. */
static int
learn_rest(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct stitched *r, struct cscg_err *err)
{
	struct cscg_learn how = { .iterations = 200,
		.restarts = set.how.starts.restarts,
		.tolerance = set.how.tolerance,
		.pseudocount = set.how.pseudocount,
		.seed = (uint64_t)cmd.seed,
		.simd = simd,
		.threads = (int)cmd.threads };
	struct stitched new = { .schema = NULL }, old = *r;
	bool better;

	if (cscg_residual_learn((const struct cscg_model *const *)b->schemas.m,
		b->schemas.n, w, &how, false, &new.s, &new.rest, err) < 0 ||
	    name_blocks(b, &new, err) < 0) {
		cscg_stitch_result_free(&new.s);
		cscg_residual_free(&new.rest);
		cscg_names_free(&new.learned);
		return -1;
	}
	better = set.rest == REST_ALWAYS ||
	    cscg_bic(new.s.model, w->n_steps, new.s.loglik) >
		cscg_bic(r->s.model, w->n_steps, r->s.loglik);
	cmd_verbose("schemas explain %ld of %ld steps; with the rest learned: "
		    "%d states, %.6f nats a step%s",
	    new.rest.n_explained, w->n_steps, new.s.model->n_states,
	    -new.s.loglik / (double)w->n_steps, better ? "" : ": not better");
	if (better)
		*r = new;
	cscg_stitch_result_free(better ? &old.s : &new.s);
	if (!better) {
		cscg_residual_free(&new.rest);
		cscg_names_free(&new.learned);
	}
	return 0;
}

static int
stitch(const struct cscg_blocks *b, const struct cscg_walk *w,
    struct cscg_err *err)
{
	struct stitched r = { .schema = NULL };
	int rc = stitch_once(b, w, &r.s, err);

	if (rc == 0 && b->n > 1 && misfit(&r.s))
		rc = stitch_boundary(b, w, &r.s, err);
	if (rc == 0 && set.rest != REST_NEVER && is_numbered_alike(b) &&
	    (set.rest == REST_ALWAYS || 100 * misfit(&r.s) > w->n_steps))
		rc = learn_rest(b, w, &r, err);
	r.schema = r.rest.n ? r.rest.schema : b->schema;
	r.names = r.rest.n ? &r.learned : &b->names;
	if (rc == 0)
		rc = write_result(b, w, &r, err);
	cscg_stitch_result_free(&r.s);
	cscg_residual_free(&r.rest);
	cscg_names_free(&r.learned);
	return rc;
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
	if (w && cscg_alphabet_map_actions(w, b.m[0], err) == 0)
		rc = stitch(&b, w, err);
out:
	cscg_walk_free(w);
	cscg_blocks_free(&b);
	close_library();
	return rc;
}

/* ---- options that exclude each other ---- */

static void
check_options(char **operands, int n)
{
	int i, dashes = !cmd.walks.n;
	struct cscg_err err;
	char name[2];

	if (!n && !set.library)
		cmd_usage("too few operands, expected: %s", info.operands);
	for (i = 0; i < n; i++) {
		if (cscg_blocks_copies(operands[i], &err) < 0)
			cmd_usage("%s", err.msg);
		dashes += cscg_blocks_file(operands[i], name, sizeof name) ==
			1 &&
		    name[0] == '-';
	}
	cmd_check_stdin(dashes);
	if (set.partition && set.frontiers == BOTTLENECK)
		cmd_usage(
		    "--partition cuts at bottlenecks, so none are left for "
		    "--frontiers");
	if (set.json && !set.report)
		cmd_usage("--json requires --report");
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **operands;
	int n;

	operands = cmd_begin(&info, argc, argv, &n);
	check_options(operands, n);
	simd = cmd_isa(set.isa);
	cmd_history_arg("isa", simd ? simd->name : "plain");
	return cmd_end(run(operands, n, &err) < 0 ? -1 : 1, &err);
}
