/*
 * cscg-bind - bind a schema to a walk: estimate emissions, transitions fixed
 *
 * EM starts from random emissions, from the binding of the tracker, or from
 * the emissions of a model; with a codebook, EM by frames follows
 * (gaussian.h).  With --rebind the emissions of a grounded model change only
 * where the walk contradicts them (rebind.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "options.h"
#include "core/walk.h"
#include "schema/ground.h"
#include "core/model_io.h"
#include "learn/quantize.h"
#include "schema/rebind.h"
#include "schema/track.h"
#include "io/table.h"

enum { TIE_AUTO, TIE_CLONES, TIE_NONE };

static const char *const tie_words[] = { "auto", "clones", "none", NULL };
static const char *const init_words[] = { "random", "track", "schema", NULL };

static struct {
	int tie;
	struct cscg_bind bind; /* settings of EM; iterations is set by an
	                          option */
	double jitter;         /* < 0: by default */
	long restarts;
	const char *init, *isa, *gaussian, *frames;
	bool is_double;
	struct cscg_rebind_options rebind; /* .rebind 0: bind all rows */
} set = { .bind = CSCG_BIND_DEFAULTS,
	.rebind = CSCG_REBIND_DEFAULTS,
	.jitter = -1,
	.restarts = 10,
	.init = "random" };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "frames of the walk: rows of this .npy array (default: frames "
	    "stored in the walk)"),
	CMD_MODEL,
	CMD_CHOICE(0, "tie", &set.tie, tie_words,
	    "tied emissions: states of a clone group share one emission row, "
	    "or each state has a separate row; auto: tied if the schema has "
	    "clone groups"),
	CMD_FILE(0, "gaussian", &set.gaussian, "CODEBOOK",
	    "then bind by frames: Gaussian emissions with the means and the "
	    "variance of this codebook"),
	CMD_ALGORITHM,
	CMD_WORD_OR_FILE(0, "init", &set.init, init_words,
	    "random|track|schema|MODEL",
	    "initial emissions: random, from the tracker's most probable "
	    "binding, from SCHEMA itself, or from another model"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random initialisations; the one with the highest likelihood is "
	    "kept"),
	CMD_DOUBLE(0, "jitter", &set.jitter, 0, 1e6, "X",
	    "spread of random initial emissions, 1 + X * U(0,1) normalised; "
	    "0: uniform (default: 0.01; tied: 0.001 and 1 alternately)"),
	CMD_DOUBLE(0, "rebind", &set.rebind.rebind, 0, 1, "P",
	    "keep the emissions of SCHEMA, a grounded model, where they "
	    "predict; rebind slots where a symbol has a lower probability "
	    "than by rebinding, which has probability P per step; 0: bind "
	    "all"),
	CMD_DOUBLE(0, "unseen", &set.rebind.unseen, 0, 1, "P",
	    "--rebind: probability that a state emits a symbol drawn "
	    "uniformly"),
	CMD_LONG(0, "iterations", &set.bind.iterations, 0, 1000000, "N",
	    "EM iterations at most"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	CMD_END,
};

static const struct cmd_info info = {
	"cscg-bind",
	"SCHEMA",
	"bind a schema to a new environment: EM on emissions",
	opts,
	1,
	1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_GZIP |
	    CMD_USES_STATS,
	"cscg-bind schema.gz -w walk.gz -o bound.gz",
};

static const struct cscg_simd *simd; /* chosen by --isa */

static bool
starts_from(const char *word)
{
	return !strcmp(set.init, word);
}

/* The file of --init, or NULL if it is one of the words. */
static const char *
init_file(void)
{
	return starts_from("random") || starts_from("track") ||
		starts_from("schema") ?
	    NULL :
	    set.init;
}

/* ---- statistics and messages ---- */

struct report {
	long steps, restart; /* restart: its number, from -1 */
	struct cscg_em_progress last;
	struct cscg_err *err;
	bool failed;
};

static void
report_line(struct report *r, const char *stage, long restart,
    const struct cscg_em_progress *l)
{
	double nats = -l->loglik / (double)r->steps;
	const struct cmd_stat row[] = {
		CMD_STAT_TEXT("stage", stage),
		CMD_STAT_LONG("restart", restart),
		CMD_STAT_LONG("iteration", l->iteration),
		CMD_STAT_REAL("nats_per_step", nats),
		CMD_STAT_REAL("bits_per_step", nats / M_LN2),
		CMD_STAT_REAL("objective", l->objective),
	};

	if (CMD_STATS(row, r->err) < 0)
		r->failed = true;
	if (strcmp(stage, "em") && strcmp(stage, "gaussian"))
		cmd_verbose("%s %ld: %ld updates, %.6f nats a step", stage,
		    restart, l->iteration, nats);
}

/* Iteration 0 begins another restart. */
static int
on_iteration(void *ctx, const struct cscg_em_progress *l)
{
	struct report *r = ctx;

	if (l->iteration == 0) {
		if (r->restart >= 0)
			report_line(r, "restart", r->restart, &r->last);
		r->restart++;
	}
	r->last = *l;
	report_line(r, "em", r->restart, l);
	return r->failed;
}

static int
on_frame_iteration(void *ctx, const struct cscg_em_progress *l)
{
	struct report *r = ctx;

	report_line(r, "gaussian", 0, l);
	return r->failed;
}

/* ---- binding ---- */

/* The settings, with those that depend on the schema. */
static struct cscg_ground
settings(const struct cscg_model *m, struct report *report)
{
	bool tied = set.tie == TIE_AUTO ? m->clone != NULL :
					  set.tie == TIE_CLONES;
	struct cscg_ground g = {
		.bind = set.bind,
		.starts = { .restarts = set.restarts,
		    .seed = (uint64_t)cmd.seed,
		    .threads = (int)cmd.threads },
	};

	g.bind.tied = g.bind.learn_pi = tied;
	g.bind.simd = simd;
	g.bind.is_double = set.is_double;
	g.bind.report = on_iteration;
	g.bind.ctx = report;
	if (set.jitter >= 0)
		g.starts.jitter = set.jitter;
	else
		cscg_bind_starts_default_jitter(&g.starts, tied);
	return g;
}

/* Bind by symbols and, if there is a codebook, by frames after that. */
static int
bind_model(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *how, const struct cscg_frame_walk *frames,
    struct report *report, struct cscg_err *err)
{
	struct cscg_gaussian gaussian = { .frames = frames->q.frames,
		.iterations = how->bind.iterations,
		.tolerance = how->bind.tolerance,
		.threads = (int)cmd.threads,
		.report = on_frame_iteration,
		.ctx = report };
	struct cscg_em_progress last, last_frames;
	long which;

	if (frames->book ?
		cscg_ground_gaussian(m, w, how, &gaussian, frames->book,
		    frames->label, &last, &which, &last_frames, err) < 0 :
		cscg_ground(m, w, how, &last, &which, err) < 0)
		return -1;
	report_line(report, "restart", report->restart, &report->last);
	report_line(report, "best", which, &last);
	if (frames->book)
		cmd_verbose("frames: %ld updates, %.6f nats a step",
		    last_frames.iteration,
		    -last_frames.loglik / (double)w->n_steps);
	return 0;
}

/* --rebind: emissions change only where observations contradict them. */
static int
rebind_model(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *how, struct report *report, struct cscg_err *err)
{
	struct cscg_rebind_options options = set.rebind;
	struct cscg_em_progress last;
	int changed;

	options.tied = how->bind.tied;
	if (cscg_rebind_walk(m, w, &options, &how->bind, &last, &changed,
		err) < 0)
		return -1;
	report_line(report, "best", 0, &last);
	cmd_verbose("rebound %d of the %s", changed,
	    options.tied ? "clone groups" : "states");
	return 0;
}

/*
 * --init track: the schema with the tracker's most probable binding of clone
 * groups to symbols.  A part of each emission row is uniform, so that EM can
 * correct the binding.
 */
static struct cscg_model *
track(const struct cscg_model *m, const struct cscg_walk *w,
    struct cscg_err *err)
{
	const struct cscg_track_options how = { .slip = 0 };
	struct cscg_track_tables *map = cscg_track_tables_new(m, &how, err);
	struct cscg_track *t = map ? cscg_track_new(map, w->head.n_obs, err) :
				     NULL;
	struct cscg_model *bound = NULL;

	if (t && cscg_track_walk(t, w, err) == 0)
		bound = cscg_model_copy(m, err);
	if (bound &&
	    cscg_track_ground(t, bound, .1, &w->head.symbols, err) < 0) {
		cscg_model_free(bound);
		bound = NULL;
	}
	if (bound)
		cmd_verbose("track: %.6f nats a step",
		    -cscg_track_score(t) / (double)w->n_steps);
	cscg_track_free(t);
	cscg_track_tables_free(map);
	return bound;
}

/* init: a model to start from, or NULL. */
static int
bind_and_write(struct cscg_model *m, const char *path,
    const struct cscg_walk *w, const struct cscg_model *init,
    const struct cscg_frame_walk *frames, struct cscg_out *out,
    struct cscg_err *err)
{
	struct report report = {
		.steps = w->n_steps, .restart = -1, .err = err
	};
	struct cscg_ground how = settings(m, &report);

	how.init = starts_from("schema") ? m : init;
	if (set.rebind.rebind > 0 ?
		rebind_model(m, w, &how, &report, err) < 0 :
		bind_model(m, w, &how, frames, &report, err) < 0)
		return err->code == CSCG_EMISMATCH ?
		    cmd_fail_in(init_file() ? init_file() : path, err) :
		    -1;
	if (report.failed)
		return -1;
	m->is_double |= set.is_double;
	if (cscg_history_join(&m->history, &w->head.history, err) < 0 ||
	    cmd_history(&m->history, err) < 0)
		return -1;
	return cscg_model_write(m, out, err);
}

/* ---- input ---- */

/* The walk, with its frames if there is a codebook; then frames owns it. */
static struct cscg_walk *
read_walk(struct cscg_frame_walk *frames, struct cscg_err *err)
{
	if (!set.gaussian)
		return cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (cscg_frame_walk_read(frames, set.gaussian, set.frames, cmd.walks.v,
		cmd.walks.n, (int)cmd.threads, err) < 0 ||
	    cscg_history_join(&frames->q.walk->head.history,
		&frames->book->history, err) < 0)
		return NULL;
	return frames->q.walk;
}

static int
run(const char *path, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *m = NULL, *init = NULL;
	struct cscg_frame_walk frames = { .book = NULL };
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!out)
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m)
		goto out;
	if (m->kind == CSCG_GROUNDED && !starts_from("schema") &&
	    set.rebind.rebind <= 0)
		cmd_verbose("the schema is a grounded model: its "
			    "emissions are not used");
	if (init_file()) {
		init = cscg_model_read_file(init_file(), err);
		if (!init)
			goto out;
	}
	w = read_walk(&frames, err);
	if (!w)
		goto out;
	if (cscg_alphabet_map_actions(w, m, err) < 0) {
		cmd_fail_in_walks(err);
		goto out;
	}
	if (starts_from("track") && w->n_steps) {
		init = track(m, w, err);
		if (!init) {
			if (err->code == CSCG_EMISMATCH)
				cmd_fail_in(path, err);
			goto out;
		}
	}
	rc = bind_and_write(m, path, w, init, &frames, out, err);
out:
	if (!set.gaussian)
		cscg_walk_free(w);
	cscg_frame_walk_free(&frames);
	cscg_model_free(init);
	cscg_model_free(m);
	return rc;
}

/* ---- options that exclude each other ---- */

static void
check_rebind(void)
{
	const struct cscg_rebind_options *r = &set.rebind;

	if (r->rebind <= 0 && cmd_given(&r->unseen))
		cmd_usage("--unseen requires --rebind");
	if (r->rebind <= 0)
		return;
	if (r->rebind >= 1)
		cmd_usage("--rebind: must be below 1");
	if (r->unseen <= 0 || r->unseen >= 1)
		cmd_usage("--unseen: must be above 0 and below 1");
	if (cmd_given(&set.init) || cmd_given(&set.restarts) ||
	    cmd_given(&set.jitter) || set.gaussian)
		cmd_usage("--rebind starts from the emissions of the model: "
			  "it cannot be combined with --init, --restarts, "
			  "--jitter or --gaussian");
}

static void
check_options(const char *path)
{
	if (!starts_from("random") &&
	    (cmd_given(&set.restarts) || cmd_given(&set.jitter)))
		cmd_usage("--restarts and --jitter require --init random");
	check_rebind();
	if (set.frames && !set.gaussian)
		cmd_usage("--frames requires --gaussian");
	cmd_check_stdin(!cmd.walks.n + !strcmp(path, "-"));
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;

	set.rebind.rebind = 0; /* unless it is given */
	paths = cmd_begin(&info, argc, argv, NULL);
	check_options(paths[0]);
	simd = cmd_isa(set.isa);
	cmd_history_arg("isa", simd && !set.is_double ? simd->name : "plain");
	return cmd_end(run(paths[0], &err) < 0 ? -1 : 1, &err);
}
