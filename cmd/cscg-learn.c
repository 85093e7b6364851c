/* cscg-learn - walks in, model out */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "options.h"
#include "jobs.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "dist/ranks_walk.h"
#include "io/stream.h"
#include "kernel/simd.h"
#include "learn/learn.h"
#include "learn/multi.h"
#include "learn/quantize.h"
#include "learn/restarts.h"
#include "learn/update.h"

struct learn_talk {
	long steps;
	struct cscg_err *err;
	double most;		/* updates of all starts */
	bool failed;
	int n_states;		/* of the bar, */
	long updates;		/* and how far it is, all starts together */
};

/* For cscg_learn(); ctx is a struct learn_talk. */
static int learn_on_line(void *ctx, const struct cscg_learn_progress *l);

/* An E-step of EM by frames, as one of any other. */
struct learn_frames_talk {
	struct learn_talk *talk;
	int n_states;
};

/* For cscg_gaussian_learn_frames(); ctx is a struct learn_frames_talk. */
static int learn_on_frames(void *ctx, const struct cscg_em_progress *l);

/*
 * The model that job starts from after walk w, which forgets with this chance
 * (update.h).  Of job, init, iterations, tolerance, pseudocount and report
 * count.  NULL with err filled.
 */
static struct cscg_model *learn_update(const struct cscg_walk *w,
    const struct cscg_learn *job, double forget, struct cscg_err *err);

/*
 * Learn one graph for all episodes of w and write its schema: 1, 0 if it is not
 * known to be complete, -1 with err filled.  Of set, all but report and ctx
 * counts.
 */
static int learn_rebind(const struct cscg_walk *w, const struct cscg_multi *set,
    struct cscg_out *out, struct cscg_err *err);

struct learn_set {
	const char *clones, *init, *isa, *soft, *frames;
	long iterations, restarts;
	double tolerance, pseudocount, forget;
	bool learn_pi, raw, untied_noise, split, is_double, low_memory;
	bool rebind, reversible, until_complete;
	long draws;
	struct cmd_checkpoint keep;
	const struct cscg_simd *simd;	/* chosen by isa */
};

/*
 * Learn from the walks of n paths (none: standard input) and write the model.
 * 1, 0 if a graph of --rebind is not known to be complete, -1 with err filled.
 */
static int learn_run(struct learn_set *set, char **paths, int n,
    struct cscg_err *err);

/* what cscg-learn says of its work */

/* Models of one size share a bar; EM may be done before it is full. */
static void
show_bar(struct learn_talk *t, int n_states)
{
	char what[64];

	if (t->n_states != n_states)
		t->updates = 0;
	t->n_states = n_states;
	t->updates++;
	snprintf(what, sizeof what, "EM, %d states", n_states);
	cmd_progress(what, (double)t->updates, t->most);
}

static int
learn_on_line(void *ctx, const struct cscg_learn_progress *l)
{
	struct learn_talk *t = ctx;
	double nats = -l->loglik / (double)t->steps;
	char a[40], b[40], c[40];

	if (cmd_stats(t->err, "{\"stage\":\"%s\",\"restart\":%ld,"
	    "\"iteration\":%ld,\"states\":%d,\"nats_per_step\":%s,"
	    "\"bits_per_step\":%s,\"objective\":%s}", l->stage, l->restart,
	    l->iteration, l->n_states, cmd_real(a, sizeof a, nats),
	    cmd_real(b, sizeof b, nats / M_LN2),
	    cmd_real(c, sizeof c, l->objective)) < 0) {
		t->failed = true;
		return 1;
	}
	if (!strcmp(l->stage, "em") || !strcmp(l->stage, "soft"))
		show_bar(t, l->n_states);
	else if (isnan(nats))
		cmd_verbose("%s: %d states", l->stage, l->n_states);
	else if (!strcmp(l->stage, "restart") || !strcmp(l->stage, "best"))
		cmd_verbose("%s %ld: %d states, %ld updates, %.6f nats a step",
		    l->stage, l->restart, l->n_states, l->iteration, nats);
	else
		cmd_verbose("%s: %d states, %.6f nats a step", l->stage,
		    l->n_states, nats);
	return 0;
}

static int
learn_on_frames(void *ctx, const struct cscg_em_progress *l)
{
	struct learn_frames_talk *f = ctx;
	struct cscg_learn_progress line = { .stage = "soft",
	    .iteration = l->iteration, .n_states = f->n_states,
	    .loglik = l->loglik, .objective = l->objective };

	return learn_on_line(f->talk, &line);
}

/* cscg-learn --forget: a model kept up to date */

static int
on_em(void *ctx, const struct cscg_em_progress *l)
{
	const struct cscg_learn *job = ctx;
	struct cscg_learn_progress line = { .stage = "em",
	    .iteration = l->iteration, .n_states = job->init->n_states,
	    .loglik = l->loglik, .objective = l->objective };

	return job->report(job->ctx, &line);
}

static struct cscg_model *
learn_update(const struct cscg_walk *w, const struct cscg_learn *job,
    double forget, struct cscg_err *err)
{
	struct cscg_learn copy = *job;
	struct cscg_update how = { .change_rate = forget,
	    .iterations = job->iterations, .tolerance = job->tolerance,
	    .pseudocount = job->pseudocount, .report = on_em, .ctx = &copy };
	struct cscg_learn_progress line = { .stage = "final", .objective = NAN };
	struct cscg_update_result out;
	struct cscg_model *m = cscg_update(job->init, w, &how, &out, err);

	if (!m)
		return NULL;
	cmd_verbose("update: %ld moves made, %ld of them for the first time, "
	    "%ld have changed; %.6f nats a step before", out.rows, out.added,
	    out.changed, -out.before / (double)w->n_steps);
	line.n_states = m->n_states;
	line.loglik = out.loglik;
	job->report(job->ctx, &line);
	return m;
}

/* cscg-learn --rebind: one graph, many looks */

struct rebind_talk {
	struct cscg_err *err;
	bool failed;
};

static int
on_episode(void *ctx, const struct cscg_multi_progress *l)
{
	struct rebind_talk *t = ctx;

	cmd_verbose("episode %d: %ld of %ld rows tried, %ld sure, %ld draws%s: %s",
	    l->episode, l->tried, l->rows, l->deterministic, l->draws,
	    l->predicted ? ", foretold" : "",
	    l->complete ? "complete" : "not complete");
	t->failed = cmd_stats(t->err, "{\"stage\":\"rebind\",\"episode\":%d,"
	    "\"draws\":%ld,\"rows\":%ld,\"tried\":%ld,\"sure\":%ld,"
	    "\"predicted\":%s,\"complete\":%s}", l->episode, l->draws, l->rows,
	    l->tried, l->deterministic, l->predicted ? "true" : "false",
	    l->complete ? "true" : "false") < 0;
	return t->failed;
}

static int
learn_rebind(const struct cscg_walk *w, const struct cscg_multi *set,
    struct cscg_out *out, struct cscg_err *err)
{
	struct rebind_talk talk = { .err = err };
	struct cscg_multi job = *set;
	struct cscg_multi_progress last;
	struct cscg_model *m;
	int rc = -1;

	job.report = on_episode;
	job.ctx = &talk;
	m = cscg_multi(w, &job, &last, err);
	if (m && !talk.failed &&
	    cscg_history_join(&m->history, &w->head.history, err) == 0 &&
	    cmd_history(&m->history, err) == 0 &&
	    cscg_model_write(m, out, err) == 0)
		rc = last.complete;
	if (rc == 0)
		cmd_warn("the graph is not complete after %d episode%s",
		    last.episode + 1, last.episode ? "s" : "");
	cscg_model_free(m);
	return rc;
}

/* walks are read, and a model is learned from them */

/* What is read, and where to write: rank 0 has it all. */
struct job {
	struct cscg_out *out;
	struct cscg_model *init;
	struct cscg_frame_walk sight;
	struct cscg_walk *w;
};

/* If more is to be seen than symbols, go on with that. */
static int
learn_frames(const struct learn_set *set, struct cscg_model *m,
    const struct cscg_walk *w, const struct cscg_frame_walk *sight,
    struct learn_talk *talk, struct cscg_err *err)
{
	struct learn_frames_talk f = { talk, m->n_states };
	struct cscg_gaussian soft = { .frames = sight->q.frames,
	    .learn_pi = set->learn_pi, .iterations = set->iterations,
	    .tolerance = set->tolerance, .threads = (int)cmd.threads,
	    .report = learn_on_frames, .ctx = &f };
	struct cscg_em_progress last;

	if (!sight->book)
		return 0;
	if (cscg_gaussian_learn_frames(m, w, &soft, sight->book, set->pseudocount,
	    &last, err) < 0)
		return -1;
	cmd_verbose("frames: %ld updates, %.6f nats a step", last.iteration,
	    -last.loglik / (double)w->n_steps);
	return 0;
}

/* What a checkpoint is of, besides options. */
static uint64_t
digest(const struct cscg_walk *w, const struct cscg_model *init)
{
	uint64_t h = cscg_digest_walk(0, w);

	return init ? cscg_digest_model(h, init) : h;
}

static int
learn(struct learn_set *set, const struct job *in, struct cscg_estep_ranks *estep_ranks,
    struct cscg_err *err)
{
	const struct cscg_walk *w = in->w;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): rank 0 has w */
	struct learn_talk talk = { .steps = w->n_steps, .err = err,
	    .most = (double)set->iterations *
	    (double)(set->init ? 1 : set->restarts) };
	bool unsure = false;
	struct cscg_learn_progress last;
	struct cscg_model *m = NULL;
	struct cscg_learn job = {
		.init = in->init, .iterations = set->iterations,
		.restarts = set->restarts, .tolerance = set->tolerance,
		.pseudocount = set->pseudocount, .seed = (uint64_t)cmd.seed,
		.learn_pi = set->learn_pi, .raw = set->raw, .split = set->split,
		.untied_noise = set->untied_noise,
		.is_double = set->is_double, .threads = (int)cmd.threads,
		.low_memory = set->low_memory, .simd = set->simd, .estep_ranks = estep_ranks,
		.report = learn_on_line, .ctx = &talk, .ambiguous = &unsure
	};
	int *clones = NULL, rc = -1;
	char *text = NULL;

	if (set->clones) {
		job.clones = clones = cscg_clones_choose(set->clones, w, err);
		if (!clones)
			return cscg_fail_at(err, "--clones");
		text = cscg_clones_text(set->clones, clones, w->head.n_obs,
		    err);
		if (!text)
			goto out;
		cmd_history_arg("clones", text);
	}
	if (cmd_checkpoint_open(&set->keep, digest(w, in->init), estep_ranks, err) < 0)
		goto out;
	job.save = set->keep.c;
	m = cmd_given(&set->forget) ? learn_update(w, &job, set->forget, err) :
	    cscg_learn(w, &job, &last, err);
	if (m && !talk.failed &&
	    learn_frames(set, m, w, &in->sight, &talk, err) == 0 &&
	    !talk.failed &&
	    cscg_history_join(&m->history, &w->head.history, err) == 0 &&
	    cmd_history(&m->history, err) == 0)
		rc = cscg_model_write(m, in->out, err);
	if (rc == 0 && unsure)
		cmd_warn("moves in this map have chance, though the walk hardly "
		    "shows any: if there is none it is wrong, and a longer "
		    "walk or more --clones may help");
out:
	cmd_checkpoint_close(&set->keep);
	cscg_model_free(m);
	free(clones);
	free(text);
	return rc;
}

static void
tell_shares(const struct cscg_estep_ranks *estep_ranks)
{
	long episodes, steps;
	int i;

	for (i = 0; i < cscg_estep_ranks_size(estep_ranks); i++) {
		cscg_estep_ranks_part_size(estep_ranks, i, &episodes, &steps);
		cmd_verbose("rank %d: %ld episodes of %ld steps in all", i,
		    episodes, steps);
	}
}

/* One of several ranks: the first learns, the others do what it says. */
static int
learn_together(struct learn_set *set, const struct job *in,
    struct cscg_err *err)
{
	struct cscg_estep_ranks *estep_ranks = cscg_estep_ranks_new(cmd.ranks, in->w, err);
	struct cscg_estep_options how = { .simd = set->simd,
	    .threads = (int)cmd.threads };
	int rc = 0, sig = 0;

	if (!estep_ranks)
		return -1;
	if (set->keep.file)
		cscg_estep_ranks_watch_signals(estep_ranks, &cmd_signals);
	if (cmd_is_first()) {
		tell_shares(estep_ranks);
		rc = learn(set, in, estep_ranks, err);
		cscg_estep_ranks_stop(estep_ranks, 0);
	} else {
		if (set->keep.file)
			cmd_defer_signals(true);
		sig = cscg_estep_ranks_serve(estep_ranks, &how, cscg_restarts_job);
	}
	cscg_estep_ranks_free(estep_ranks);
	if (sig)
		cmd_exit_by_signal(sig);
	cmd_defer_signals(false);
	return rc;
}

/* One graph for all episodes: 0 if it is not known to be complete. */
static int
rebind(const struct learn_set *set, const struct job *in,
    struct cscg_err *err)
{
	struct cscg_multi job = {
		.draws = set->draws, .iterations = set->iterations,
		.pseudocount = set->pseudocount, .seed = (uint64_t)cmd.seed,
		.reversible = set->reversible,
		.until_complete = set->until_complete
	};

	return learn_rebind(in->w, &job, in->out, err);
}

/* The walk with what was seen on it. */
static struct cscg_walk *
get_sight(const struct learn_set *set, char **paths, int n,
    struct cscg_frame_walk *sight, struct cscg_err *err)
{
	if (cscg_frame_walk_read(sight, set->soft, set->frames, paths, n,
	    (int)cmd.threads, err) < 0 ||
	    cscg_history_join(&sight->q.walk->head.history,
	    &sight->book->history, err) < 0)
		return NULL;
	return sight->q.walk;
}

static int
prepare_first(const struct learn_set *set, struct job *job, char **paths,
    int n, struct cscg_err *err)
{
	job->out = cmd_out(err);
	if (!job->out)
		return -1;
	if (set->clones && cscg_clones_check(set->clones, err) < 0)
		return cscg_fail_at(err, "--clones");
	if (set->init && !(job->init = cscg_model_read_file(set->init, err)))
		return -1;
	if (set->soft && !(job->w = get_sight(set, paths, n, &job->sight,
	    err)))
		return -1;
	return 0;
}

/* Every rank may read walks; the rest is rank 0's. */
static int
prepare(const struct learn_set *set, struct job *job, char **paths, int n,
    struct cscg_err *err)
{
	int rc = cmd_is_first() ? prepare_first(set, job, paths, n, err) : 0;

	if (cmd_agree(rc, err) < 0)
		return -1;
	if (!set->soft)
		job->w = cscg_ranks_walk_read(cmd.ranks, paths, n, err);
	if (!set->soft && !job->w)
		return -1;
	if (job->init && cscg_alphabet_map_walk(job->w, job->init, err) < 0)
		rc = cscg_fail_at(err, "--init");
	return cmd_agree(rc, err);
}

static int
learn_run(struct learn_set *set, char **paths, int n, struct cscg_err *err)
{
	struct job job = { .out = NULL };
	int rc = prepare(set, &job, paths, n, err);

	if (rc == 0 && set->rebind)
		rc = cmd_is_first() ? rebind(set, &job, err) : 1;
	else if (rc == 0)
		rc = (cscg_ranks_size(cmd.ranks) > 1 ?
		    learn_together(set, &job, err) :
		    learn(set, &job, NULL, err)) < 0 ? -1 : 1;
	if (!set->soft)
		cscg_walk_free(job.w);
	cscg_frame_walk_free(&job.sight);
	cscg_model_free(job.init);
	return rc;
}

static struct learn_set set = { .iterations = 200, .restarts = 4,
	.tolerance = 1e-5, .pseudocount = 2e-3, .draws = 50 };

static const struct cmd_opt opts[] = {
	/* It may be a file; learn_run() tells history what was in it. */
	CMD_NUMBERS(0, "clones", &set.clones, "HOW",
	    "clones of a symbol: N, a list N,N,..., a file of numbers, or "
	    "proportional[:TOTAL[,floor=F][,power=P]] (default: chosen from "
	    "the walk)"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM updates at most"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop EM when the objective gains less than this share; 0: never"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random starts; the likeliest is kept"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "added to every transition count"),
	CMD_FILE(0, "init", &set.init, "MODEL",
	    "start from the counts of a model"),
	CMD_DOUBLE(0, "forget", &set.forget, 0, .5, "P",
	    "keep that model and bring it up to date: each time a move is made, "
	    "chance that it has changed (default: learn from this walk alone)"),
	CMD_FLAG(0, "learn-pi", &set.learn_pi,
	    "learn where walks start, too"),
	CMD_FLAG(0, "raw", &set.raw,
	    "keep what EM found: no refinement, all states"),
	CMD_FLAG(0, "own-rows", &set.untied_noise,
	    "let no chance be the same for all moves of an action"),
	CMD_FLAG(0, "split", &set.split,
	    "take states apart whose next symbol is in doubt, if that pays"),
	CMD_FLAG(0, "rebind", &set.rebind,
	    "one graph for all episodes, new looks for each: write its schema"),
	CMD_LONG(0, "draws", &set.draws, 1, 1000000, "N",
	    "--rebind: fits at most after each episode"),
	CMD_FLAG(0, "reversible", &set.reversible,
	    "--rebind: every move can be undone, so the graph is complete when "
	    "all moves permute its states"),
	CMD_FLAG(0, "until-complete", &set.until_complete,
	    "--rebind: stop at the episode that completes the graph"),
	CMD_FILE(0, "soft", &set.soft, "CODEBOOK",
	    "then learn by frames, with a Gaussian about each centroid"),
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "--soft: frames are the rows of this .npy array"),
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	{ 0, "low-memory", CMD_T_FLAG, &set.low_memory, 0, 0, NULL, NULL,
	    "compute messages twice instead of keeping them",
	    CMD_NOT_IN_HISTORY },
	CMD_CHECKPOINT(set.keep),
	CMD_CHECKPOINT_EVERY(set.keep),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-learn", "[WALK...]", "learn the graph behind walks", opts, 0, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_GZIP | CMD_USES_STATS |
	    CMD_USES_PROGRESS | CMD_USES_RANKS,
	"cscg-learn --clones 20 --restarts 8 walk.gz -o model.gz"
};

/* At most one of all that is read may be standard input. */
static void
check_inputs(char **paths, int n)
{
	int i, dashes = n == 0;

	for (i = 0; i < n; i++)
		dashes += !strcmp(paths[i], "-");
	dashes += set.clones && !strcmp(set.clones, "-");
	dashes += set.init && !strcmp(set.init, "-");
	dashes += set.soft && !strcmp(set.soft, "-");
	dashes += set.frames && !strcmp(set.frames, "-");
	if (dashes > 1)
		cmd_usage("standard input can be read only once");
}

/* Options that do not go together. */
static void
check_options(void)
{
	struct cscg_err err = { 0 };

	if (set.clones && set.init)
		cmd_usage("--clones and --init exclude each other");
	if (set.rebind && (set.clones || set.init || set.raw || set.learn_pi ||
	    set.is_double))
		cmd_usage("--rebind does not go with --clones, --init, --raw, "
		    "--learn-pi or --double");
	if (set.rebind && set.soft)
		cmd_usage("--rebind and --soft exclude each other");
	if (set.split && (set.raw || set.rebind))
		cmd_usage("--split does not go with --%s", set.raw ? "raw" :
		    "rebind");
	if (cmd_given(&set.forget) && !set.init)
		cmd_usage("--forget needs --init");
	if (cmd_given(&set.forget) && (set.raw || set.split || set.untied_noise ||
	    set.learn_pi || set.soft || set.keep.file))
		cmd_usage("--forget does not go with --raw, --split, "
		    "--own-rows, --learn-pi, --soft or --checkpoint");
	if (cmd_given(&set.forget) && set.pseudocount <= 0)
		cmd_usage("--forget needs a --pseudocount above 0");
	if (set.frames && !set.soft)
		cmd_usage("--frames goes with --soft");
	if (!set.rebind && (set.reversible || set.until_complete))
		cmd_usage("--reversible and --until-complete go with --rebind");
	if (!set.rebind && cmd_given(&set.draws))
		cmd_usage("--draws goes with --rebind");
	if (set.rebind && (cmd_given(&set.restarts) ||
	    cmd_given(&set.tolerance)))
		cmd_usage("--rebind looks at --draws, not at --restarts or "
		    "--tolerance");
	if (set.rebind && set.keep.file)
		cmd_usage("--rebind does not go with --checkpoint");
	/* A file may be rank 0's alone: learn_run() looks for it. */
	if (set.clones && cscg_clones_check(set.clones, &err) < 0 &&
	    err.code == CSCG_EUSAGE)
		cmd_usage("--clones: %s", err.msg);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;
	int n;

	paths = cmd_begin(&info, argc, argv, &n);
	check_options();
	cmd_checkpoint_check(&set.keep);
	check_inputs(paths, n);
	if (set.keep.file)
		cmd_defer_signals(false);
	cmd_ranks();
	set.simd = cmd_isa(set.isa);
	cmd_history_arg("isa", set.simd && !set.is_double ? set.simd->name :
	    "plain");
	return cmd_end(learn_run(&set, paths, n, &err), &err);
}
