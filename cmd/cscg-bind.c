/* cscg-bind - give a schema the looks of a new place */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "options.h"
#include "core/walk.h"
#include "schema/ground.h"
#include "core/model_io.h"
#include "learn/quantize.h"
#include "schema/track.h"
#include "core/walk_io.h"

enum { TIE_AUTO, TIE_CLONES, TIE_NONE };
enum { PI_AUTO, PI_UNIFORM, PI_LEARN };

static const char *const tie_words[] = { "auto", "clones", "none", NULL };
static const char *const pi_words[] = { "auto", "uniform", "learn", NULL };

static struct {
	int tie, pi;
	long restarts, iterations;
	double jitter, tolerance, pseudocount;
	const char *init, *isa, *soft, *frames;
	bool warm, from_track, is_double;
	double slip;
} set = { .restarts = 10, .iterations = 100, .jitter = -1, .tolerance = 1e-5,
	.pseudocount = 1e-7 };

static const struct cmd_opt opts[] = {
	CMD_CHOICE(0, "tie", &set.tie, tie_words,
	    "which states share their looks: clones of a group, none; auto: "
	    "clones if the schema has them"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the best is kept"),
	CMD_DOUBLE(0, "jitter", &set.jitter, 0, 1e6, "X",
	    "starts are 1 + X * U(0, 1), normalised; 0: uniform (default: "
	    "0.001 and 1 by turns if tied, else 0.01)"),
	CMD_CHOICE(0, "pi", &set.pi, pi_words,
	    "where walks begin: anywhere, or learned; auto: learned if tied"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM updates at most"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop EM when the objective gains less than this share twice; 0: "
	    "never"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "added to every symbol of a state, or of a group if tied"),
	CMD_FLAG(0, "warm", &set.warm, "start from the looks that SCHEMA has"),
	CMD_FILE(0, "init", &set.init, "MODEL",
	    "start from the looks of this model"),
	CMD_FLAG(0, "from-track", &set.from_track,
	    "start from the likeliest binding that a tracker finds"),
	CMD_DOUBLE(0, "slip", &set.slip, 0, .9, "P",
	    "--from-track: chance that a move goes wrong"),
	CMD_FILE(0, "soft", &set.soft, "CODEBOOK",
	    "then bind by frames, with a Gaussian about each centroid"),
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "--soft: frames are the rows of this .npy array"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-bind", "SCHEMA", "give a schema the looks of a new place", opts,
	1, 1, CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS |
	    CMD_USES_GZIP | CMD_USES_STATS,
	"cscg-bind schema.gz -w walk.gz -o bound.gz"
};

static const struct cscg_simd *simd;	/* chosen by --isa */

/* ---- telling ---- */

struct talk {
	long steps, restart;	/* restart: which start, from -1 */
	struct cscg_em_progress last;
	struct cscg_err *err;
	bool failed;
};

static void
tell(struct talk *t, const char *stage, long restart,
    const struct cscg_em_progress *l)
{
	double nats = -l->loglik / (double)t->steps;
	char objective[40] = "null";

	if (isfinite(l->objective))
		snprintf(objective, sizeof objective, "%.17g", l->objective);
	if (cmd_stats(t->err, "{\"stage\":\"%s\",\"restart\":%ld,"
	    "\"iteration\":%ld,\"nats_per_step\":%.17g,"
	    "\"bits_per_step\":%.17g,\"objective\":%s}", stage, restart,
	    l->iteration, nats, nats / M_LN2, objective) < 0)
		t->failed = true;
	if (strcmp(stage, "em") && strcmp(stage, "soft"))
		cmd_verbose("%s %ld: %ld updates, %.6f nats a step", stage,
		    restart, l->iteration, nats);
}

/* Iteration 0 says that another start has begun. */
static int
on_line(void *ctx, const struct cscg_em_progress *l)
{
	struct talk *t = ctx;

	if (l->iteration == 0) {
		if (t->restart >= 0)
			tell(t, "restart", t->restart, &t->last);
		t->restart++;
	}
	t->last = *l;
	tell(t, "em", t->restart, l);
	return t->failed;
}

/* The same of EM by frames. */
static int
on_soft(void *ctx, const struct cscg_em_progress *l)
{
	struct talk *t = ctx;

	tell(t, "soft", 0, l);
	return t->failed;
}

/* ---- the work ---- */

/* The settings, with what the schema decides. */
static struct cscg_ground
settings(const struct cscg_model *m, struct talk *talk)
{
	bool tied = set.tie == TIE_AUTO ? m->clone != NULL :
	    set.tie == TIE_CLONES;
	struct cscg_ground g = {
		.bind = { .tied = tied,
		    .learn_pi = set.pi == PI_AUTO ? tied :
		    set.pi == PI_LEARN, .iterations = set.iterations,
		    .tolerance = set.tolerance,
		    .pseudocount = set.pseudocount, .simd = simd,
		    .is_double = set.is_double, .report = on_line,
		    .ctx = talk },
		.starts = { .restarts = set.restarts,
		    .jitter = set.jitter >= 0 ? set.jitter : tied ? 0.001 :
		    0.01, .wide_jitter = set.jitter < 0 && tied ? 1 : 0,
		    .seed = (uint64_t)cmd.seed, .threads = (int)cmd.threads },
	};

	return g;
}

/* By symbols alone, or, if there is more to see, by frames, too. */
static int
ground(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_ground *how, const struct cscg_frame_walk *sight,
    struct talk *talk, struct cscg_err *err)
{
	struct cscg_gaussian soft = { .frames = sight->q.frames,
	    .iterations = set.iterations, .tolerance = set.tolerance,
	    .threads = (int)cmd.threads, .report = on_soft, .ctx = talk };
	struct cscg_em_progress last, seen;
	long which;

	if (sight->book ? cscg_ground_gaussian(m, w, how, &soft, sight->book,
	    sight->label, &last, &which, &seen, err) < 0 :
	    cscg_ground(m, w, how, &last, &which, err) < 0)
		return -1;
	tell(talk, "restart", talk->restart, &talk->last);
	tell(talk, "best", which, &last);
	if (sight->book)
		cmd_verbose("frames: %ld updates, %.6f nats a step",
		    seen.iteration, -seen.loglik / (double)w->n_steps);
	return 0;
}

/*
 * The schema with the likeliest binding of clone groups to the symbols of the
 * walk, in some doubt: EM can then put right what is wrong in it.
 */
static struct cscg_model *
track(const struct cscg_model *m, const struct cscg_walk *w,
    struct cscg_err *err)
{
	const struct cscg_track_options how = { .slip = set.slip };
	struct cscg_track_tables *map = cscg_track_tables_new(m, &how, err);
	struct cscg_track *t = map ? cscg_track_new(map, w->head.n_obs, err) :
	    NULL;
	struct cscg_model *bound = NULL;

	if (t && cscg_track_walk(t, w, err) == 0)
		bound = cscg_model_copy(m, err);
	if (bound && cscg_track_ground(t, bound, .1, &w->head.symbols,
	    err) < 0) {
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

static int
bind_to(struct cscg_model *m, const char *path, const struct cscg_walk *w,
    const struct cscg_model *init, const struct cscg_frame_walk *sight,
    struct cscg_out *out, struct cscg_err *err)
{
	struct talk talk = { .steps = w->n_steps, .restart = -1, .err = err };
	struct cscg_ground how = settings(m, &talk);

	how.init = init ? init : set.warm ? m : NULL;
	if (ground(m, w, &how, sight, &talk, err) < 0)
		return err->code == CSCG_EMISMATCH ?
		    cmd_fail_in(set.init ? set.init : path, err) : -1;
	if (talk.failed)
		return -1;
	m->is_double |= set.is_double;
	if (cscg_history_join(&m->history, &w->head.history, err) < 0 ||
	    cmd_history(&m->history, err) < 0)
		return -1;
	return cscg_model_write(m, out, err);
}

/* Actions of the walk get the schema's numbers; symbols stay. */
static int
fit_actions(struct cscg_walk *w, const struct cscg_model *m,
    struct cscg_err *err)
{
	struct cscg_model names = { .kind = CSCG_SCHEMA,
	    .n_actions = m->n_actions, .actions = m->actions };

	return cscg_alphabet_map_walk(w, &names, err);
}

/* The walk, with what was seen on it if that is asked for. */
static struct cscg_walk *
get_walk(struct cscg_frame_walk *sight, struct cscg_err *err)
{
	if (!set.soft)
		return cscg_walk_read(cmd.walks.v, cmd.walks.n, err);
	if (cscg_frame_walk_read(sight, set.soft, set.frames, cmd.walks.v,
	    cmd.walks.n, (int)cmd.threads, err) < 0 ||
	    cscg_history_join(&sight->q.walk->head.history,
	    &sight->book->history, err) < 0)
		return NULL;
	return sight->q.walk;
}

static int
run(const char *path, struct cscg_err *err)
{
	struct cscg_out *out = cmd_out(err);
	struct cscg_model *m = NULL, *init = NULL;
	struct cscg_frame_walk sight = { .book = NULL };
	struct cscg_walk *w = NULL;
	int rc = -1;

	if (!out)
		return -1;
	m = cscg_model_read_file(path, err);
	if (!m)
		goto out;
	if (m->kind == CSCG_GROUNDED && !set.warm)
		cmd_verbose("the schema is a grounded model: what it knows of "
		    "looks is not used");
	if (set.init) {
		init = cscg_model_read_file(set.init, err);
		if (!init)
			goto out;
	}
	w = get_walk(&sight, err);
	if (!w)
		goto out;
	if (fit_actions(w, m, err) < 0) {
		cmd_fail_in_walks(err);
		goto out;
	}
	if (set.from_track && w->n_steps) {
		init = track(m, w, err);
		if (!init) {
			if (err->code == CSCG_EMISMATCH)
				cmd_fail_in(path, err);
			goto out;
		}
	}
	rc = bind_to(m, path, w, init, &sight, out, err);
out:
	if (!set.soft)
		cscg_walk_free(w);
	cscg_frame_walk_free(&sight);
	cscg_model_free(init);
	cscg_model_free(m);
	return rc;
}

static void
check(const char *path)
{
	int i, dashes = !cmd.walks.n + !strcmp(path, "-");

	if (set.warm && set.init)
		cmd_usage("--warm and --init exclude each other");
	if (set.from_track && (set.warm || set.init))
		cmd_usage("--from-track and --%s exclude each other",
		    set.warm ? "warm" : "init");
	if ((set.warm || set.init || set.from_track) &&
	    (cmd_given(&set.restarts) || cmd_given(&set.jitter)))
		cmd_usage("--%s starts once: --restarts and --jitter do not "
		    "go with it", set.warm ? "warm" : set.init ? "init" :
		    "from-track");
	if (cmd_given(&set.slip) && !set.from_track)
		cmd_usage("--slip goes with --from-track");
	if (set.frames && !set.soft)
		cmd_usage("--frames goes with --soft");
	dashes += set.soft && !strcmp(set.soft, "-");
	dashes += set.frames && !strcmp(set.frames, "-");
	for (i = 0; i < cmd.walks.n; i++)
		dashes += !strcmp(cmd.walks.v[i], "-");
	dashes += set.init && !strcmp(set.init, "-");
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths = cmd_begin(&info, argc, argv, NULL);

	check(paths[0]);
	simd = cmd_isa(set.isa);
	cmd_history_arg("isa", simd && !set.is_double ? simd->name : "plain");
	return cmd_end(run(paths[0], &err) < 0 ? -1 : 1, &err);
}
