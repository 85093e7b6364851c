/* cscg-learn - learn a model from walks: EM and structure search */
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "options.h"
#include "jobs.h"
#include "base/poll.h"
#include "core/model_io.h"
#include "core/walk.h"
#include "dist/ranks_walk.h"
#include "io/stream.h"
#include "io/table.h"
#include "kernel/simd.h"
#include "learn/clones.h"
#include "learn/learn.h"
#include "learn/multi.h"
#include "learn/quantize.h"
#include "learn/em_restarts.h"
#include "learn/update.h"

enum { STRUCTURE_AUTO, STRUCTURE_SPLIT, STRUCTURE_NONE };

static const char *const structures[] = { "auto", "split", "none", NULL };

static struct {
	const char *init, *frames;
	const char *clones;
	double pseudocount;
	bool learn_pi, untied_noise;
	const char *gaussian;
	bool shared_graph, reversible, until_complete;
	double change_rate; /* < 0: not given */
	long iterations, restarts;
	double tolerance;
	int structure;
	bool low_memory, is_double;
	const char *isa;
	double max_time, deadline; /* seconds, 0: no limit */
	bool write_on_signal;
	struct cmd_checkpoint checkpoint;
	const struct cscg_simd *simd; /* chosen by isa */
} set = { .pseudocount = 2e-3,
	.change_rate = -1,
	.iterations = 200,
	.restarts = 4,
	.tolerance = 1e-5 };

static const struct cmd_opt opts[] = {
	CMD_INPUT,
	CMD_FILE(0, "init", &set.init, "MODEL",
	    "start EM from the counts of this model instead of random ones"),
	CMD_FILE(0, "frames", &set.frames, "FILE",
	    "frames of the walk: rows of this .npy array (default: frames "
	    "stored in the walk)"),
	CMD_MODEL,
	/* It may be a file; learn() writes its numbers to the history. */
	CMD_NUMBERS(0, "clones", &set.clones, "SPEC",
	    "clones per symbol: N, a list N,N,..., a file of numbers, or "
	    "proportional[:TOTAL[,floor=F][,power=P]] (default: chosen by "
	    "BIC)"),
	CMD_DOUBLE(0, "pseudocount", &set.pseudocount, 0, 1e6, "X",
	    "Dirichlet pseudocount added to every transition count"),
	CMD_FLAG(0, "learn-pi", &set.learn_pi,
	    "learn the initial state distribution (default: uniform)"),
	CMD_FLAG(0, "untied-noise", &set.untied_noise,
	    "estimate each state's transition noise separately (default: tied "
	    "over the states of an action)"),
	CMD_FILE(0, "gaussian", &set.gaussian, "CODEBOOK",
	    "then learn by frames: Gaussian emissions with the means and the "
	    "variance of this codebook"),
	CMD_FLAG(0, "shared-graph", &set.shared_graph,
	    "one transition graph for all episodes, separate emissions for "
	    "each; write the schema"),
	CMD_FLAG(0, "reversible", &set.reversible,
	    "--shared-graph: every action permutes the states, so the graph "
	    "is complete once all do"),
	CMD_DOUBLE(0, "change-rate", &set.change_rate, 0, .5, "P",
	    "--init: update that model; prior probability, per visit, that a "
	    "transition has changed (default: learn from this walk alone)"),
	CMD_ALGORITHM,
	CMD_FLAG(0, "until-complete", &set.until_complete,
	    "--shared-graph: stop at the episode that completes the graph"),
	CMD_LONG(0, "iterations", &set.iterations, 0, 1000000, "N",
	    "EM iterations at most, per restart"),
	CMD_DOUBLE(0, "tolerance", &set.tolerance, 0, 1, "X",
	    "stop EM when the objective gains less than this fraction; 0: "
	    "never"),
	CMD_LONG(0, "restarts", &set.restarts, 1, 1000000, "N",
	    "random initialisations; the one with the highest likelihood is "
	    "kept"),
	CMD_CHOICE(0, "structure", &set.structure, structures,
	    "structure search after EM: auto (merge states, split if nearly "
	    "deterministic), split (always split states with ambiguous "
	    "successors if BIC improves), none (result of EM, all states)"),
	{ 0, "low-memory", CMD_T_FLAG, &set.low_memory, 0, 0, NULL, NULL,
	    "recompute forward messages instead of storing them: less memory, "
	    "same result",
	    CMD_NOT_IN_HISTORY },
	CMD_DOUBLE_PRECISION(&set.is_double),
	CMD_ISA(&set.isa),
	{ 0, "max-time", CMD_T_DOUBLE, &set.max_time, 0, 1e9, NULL, "SECONDS",
	    "after this time write the best model so far; 0: no limit",
	    CMD_NOT_IN_HISTORY },
	{ 0, "write-on-signal", CMD_T_FLAG, &set.write_on_signal, 0, 0, NULL,
	    NULL,
	    "on SIGINT or SIGTERM write the best model so far, then end by "
	    "that signal",
	    CMD_NOT_IN_HISTORY },
	CMD_CHECKPOINT(set.checkpoint),
	CMD_CHECKPOINT_EVERY(set.checkpoint),
	CMD_END,
};

static const struct cmd_info info = {
	"cscg-learn",
	"[WALK...]",
	"learn a model from walks: EM (Baum-Welch) on transitions",
	opts,
	0,
	-1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_GZIP | CMD_USES_STATS |
	    CMD_USES_PROGRESS | CMD_USES_RANKS,
	"cscg-learn --clones 20 --restarts 8 walk.gz -o model.gz",
};

/* ---- progress and statistics ---- */

/* Context of the callbacks of EM. */
struct progress {
	long steps; /* of the walk */
	struct cscg_err *err;
	bool failed;
	bool stopped; /* by --max-time or a signal */
};

/* The signal that --write-on-signal deferred, or 0. */
static int
deferred_signal(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	for (i = 0; i < sizeof ends / sizeof *ends; i++)
		if (set.write_on_signal &&
		    (cmd_signals & cmd_signal_bit(ends[i])))
			return ends[i];
	return 0;
}

/* True if --max-time or a signal ends learning; a second signal kills. */
static bool
must_stop(struct progress *p)
{
	if (deferred_signal())
		cmd_defer_signals(false);
	else if (set.max_time <= 0 || cscg_clock() < set.deadline)
		return false;
	p->stopped = true;
	return true;
}

/* For poll.h; ctx is a struct progress. */
static int
on_poll(void *ctx, const char *stage, double done, double total)
{
	cmd_progress(stage, done, total);
	return must_stop(ctx);
}

/* For cscg_learn(); ctx is a struct progress. */
static int
report_learn(void *ctx, const struct cscg_learn_progress *l)
{
	struct progress *p = ctx;
	double nats = -l->loglik / (double)p->steps;
	const struct cmd_stat row[] = {
		CMD_STAT_TEXT("stage", l->stage),
		CMD_STAT_LONG("restart", l->restart),
		CMD_STAT_LONG("iteration", l->iteration),
		CMD_STAT_LONG("states", l->n_states),
		CMD_STAT_REAL("nats_per_step", nats),
		CMD_STAT_REAL("bits_per_step", nats / M_LN2),
		CMD_STAT_REAL("objective", l->objective),
	};

	if (CMD_STATS(row, p->err) < 0) {
		p->failed = true;
		return 1;
	}
	if (!strcmp(l->stage, "em") || !strcmp(l->stage, "gaussian"))
		return 0;
	if (isnan(nats))
		cmd_verbose("%s: %d states", l->stage, l->n_states);
	else if (!strcmp(l->stage, "restart") || !strcmp(l->stage, "best"))
		cmd_verbose("%s %ld: %d states, %ld updates, %.6f nats a step",
		    l->stage, l->restart, l->n_states, l->iteration, nats);
	else
		cmd_verbose("%s: %d states, %.6f nats a step", l->stage,
		    l->n_states, nats);
	return 0;
}

/* A progress line of EM without the name of a stage. */
struct em_progress {
	struct progress *progress;
	const char *stage;
	int n_states;
};

/* For EM by frames and for cscg_update(); ctx is a struct em_progress. */
static int
report_em(void *ctx, const struct cscg_em_progress *l)
{
	struct em_progress *p = ctx;
	struct cscg_learn_progress line = { .stage = p->stage,
		.iteration = l->iteration,
		.n_states = p->n_states,
		.loglik = l->loglik,
		.objective = l->objective };

	char what[40];
	int rc = report_learn(p->progress, &line);

	snprintf(what, sizeof what, "EM, %d states", p->n_states);
	cmd_progress(what, (double)l->iteration, (double)set.iterations);
	return rc || (l->iteration > 0 && must_stop(p->progress));
}

/* ---- update of a model: --change-rate ---- */

/* Update model init by walk w (update.h).  NULL with err filled. */
static struct cscg_model *
update(const struct cscg_walk *w, const struct cscg_model *init,
    struct progress *progress, struct cscg_err *err)
{
	struct em_progress em = { progress, "em", init->n_states };
	struct cscg_update how = { .change_rate = set.change_rate,
		.iterations = set.iterations,
		.tolerance = set.tolerance,
		.pseudocount = set.pseudocount,
		.report = report_em,
		.ctx = &em };
	struct cscg_learn_progress line = { .stage = "final",
		.objective = NAN };
	struct cscg_update_result out;
	struct cscg_model *m = cscg_update(init, w, &how, &out, err);

	if (!m)
		return NULL;
	cmd_verbose(
	    "update: %ld rows visited, %ld of them for the first time, "
	    "%ld have changed; %.6f nats a step before",
	    out.rows, out.added, out.changed,
	    -out.before / (double)w->n_steps);
	line.n_states = m->n_states;
	line.loglik = out.loglik;
	report_learn(progress, &line);
	return m;
}

/* ---- one graph for all episodes: --shared-graph ---- */

struct multi_progress {
	struct cscg_err *err;
	bool failed;
};

static int
report_episode(void *ctx, const struct cscg_multi_progress *l)
{
	const struct cmd_stat row[] = {
		CMD_STAT_TEXT("stage", "shared-graph"),
		CMD_STAT_LONG("episode", l->episode),
		CMD_STAT_LONG("draws", l->draws),
		CMD_STAT_LONG("rows", l->rows),
		CMD_STAT_LONG("tried", l->tried),
		CMD_STAT_LONG("sure", l->deterministic),
		CMD_STAT_BOOL("predicted", l->predicted),
		CMD_STAT_BOOL("complete", l->complete),
	};
	struct multi_progress *p = ctx;

	cmd_verbose("episode %d: %ld of %ld rows visited, %ld deterministic, "
		    "%ld draws%s: %s",
	    l->episode, l->tried, l->rows, l->deterministic, l->draws,
	    l->predicted ? ", predicted" : "",
	    l->complete ? "complete" : "not complete");
	p->failed = CMD_STATS(row, p->err) < 0;
	return p->failed;
}

/*
 * Learn one graph for all episodes of w and write its schema: 1, 0 if the
 * self-test fails, -1 with err filled.
 */
static int
learn_shared(const struct cscg_walk *w, struct cscg_out *out,
    struct cscg_err *err)
{
	struct multi_progress progress = { .err = err };
	struct cscg_multi job = {
		.draws = CSCG_MULTI_DRAWS,
		.iterations = set.iterations,
		.pseudocount = set.pseudocount,
		.seed = (uint64_t)cmd.seed,
		.reversible = set.reversible,
		.until_complete = set.until_complete,
		.report = report_episode,
		.ctx = &progress,
	};
	struct cscg_multi_progress last;
	struct cscg_model *m = cscg_multi(w, &job, &last, err);
	int rc = -1;

	if (m && !progress.failed &&
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

/* ---- EM and structure search ---- */

/* Inputs and outputs; only rank 0 has all of them. */
struct job {
	struct cscg_out *out;
	struct cscg_model *init;
	struct cscg_frame_walk frames;
	struct cscg_walk *w;
};

/* With --gaussian, continue EM with frames as observations. */
static int
learn_frames(struct cscg_model *m, const struct job *in,
    struct progress *progress, struct cscg_err *err)
{
	struct em_progress em = { progress, "gaussian", m->n_states };
	struct cscg_gaussian how = { .frames = in->frames.q.frames,
		.learn_pi = set.learn_pi,
		.iterations = set.iterations,
		.tolerance = set.tolerance,
		.threads = (int)cmd.threads,
		.report = report_em,
		.ctx = &em };
	struct cscg_em_progress last;

	if (!in->frames.book)
		return 0;
	if (cscg_gaussian_learn_frames(m, in->w, &how, in->frames.book,
		set.pseudocount, &last, err) < 0)
		return -1;
	cmd_verbose("frames: %ld updates, %.6f nats a step", last.iteration,
	    -last.loglik / (double)in->w->n_steps);
	return 0;
}

/*
 * Besides the options, a checkpoint depends on the walk and the initial model.
 */
static uint64_t
digest(const struct cscg_walk *w, const struct cscg_model *init)
{
	uint64_t h = cscg_digest_walk(0, w);

	return init ? cscg_digest_model(h, init) : h;
}

/*
 * The numbers of --clones, NULL with err filled; the history gets *text, which
 * is the caller's to free.
 */
static int *
choose_clones(const struct cscg_walk *w, char **text, struct cscg_err *err)
{
	int *clones = cscg_clones_choose(set.clones, w, err);

	if (!clones) {
		cscg_fail_at(err, "--clones");
		return NULL;
	}
	*text = cscg_clones_text(set.clones, clones, w->head.n_obs, err);
	if (!*text) {
		free(clones);
		return NULL;
	}
	cmd_history_arg("clones", *text);
	return clones;
}

/*
 * If learning was stopped, warn and record the cause in the history, since the
 * model differs from that of a run without limits.
 */
static void
report_end(const struct progress *p, char *text, size_t n)
{
	if (!p->stopped)
		return;
	if (deferred_signal()) {
		cmd_history_arg("write-on-signal", "true");
		cmd_warn("ended by a signal: this is the best model so far");
	} else {
		snprintf(text, n, "%g", set.max_time);
		cmd_history_arg("max-time", text);
		cmd_warn("ended after %s seconds (--max-time): this is the "
			 "best model so far",
		    text);
	}
}

/* The assessment of the learned model, in --stats and with -v. */
static int
report_learned(const struct cscg_model *m, const struct progress *p,
    struct cscg_err *err)
{
	const struct cscg_learned *l = m->learned;

	if (!l)
		return 0;
	if (l->doubtful && !p->stopped && !set.clones && !set.init)
		cmd_warn(
		    "the map is likely wrong: %s%ld of %ld transitions are "
		    "supported by the walk, %.1f %% of the steps are "
		    "ambiguous; a longer walk or more --clones may help",
		    l->deterministic && !l->enough ?
			"half the walk gives another graph, " :
			"",
		    l->supported, l->rows, 100 * l->mixed);
	cmd_verbose("learned: %s, %ld of %ld rows supported, %.6f nats a step "
		    "with each transition left out, noise %.4f; %s",
	    l->deterministic ? "deterministic" : "stochastic", l->supported,
	    l->rows, l->left_out, l->noise,
	    l->enough ? "half the walk gives the same graph" :
			"half the walk does not give the same graph");
	return CMD_STATS(
	    ((const struct cmd_stat[]){ CMD_STAT_TEXT("stage", "learned"),
		CMD_STAT_LONG("states", m->n_states),
		CMD_STAT_LONG("steps", l->steps),
		CMD_STAT_REAL("nats_per_step", l->nats),
		CMD_STAT_REAL("left_out_nats_per_step", l->left_out),
		CMD_STAT_LONG("rows", l->rows),
		CMD_STAT_LONG("rows_supported", l->supported),
		CMD_STAT_REAL("noise", l->noise),
		CMD_STAT_REAL("mixed", l->mixed),
		CMD_STAT_REAL("memory", l->memory),
		CMD_STAT_BOOL("deterministic", l->deterministic),
		CMD_STAT_BOOL("enough_data", l->enough),
		CMD_STAT_BOOL("doubtful", l->doubtful) }),
	    err);
}

/* EM by frames if requested, history, output. */
static int
finish(struct cscg_model *m, const struct job *in, struct progress *progress,
    struct cscg_err *err)
{
	char text[32];

	if (learn_frames(m, in, progress, err) < 0 || progress->failed)
		return -1;
	report_end(progress, text, sizeof text);
	if (report_learned(m, progress, err) < 0 ||
	    cscg_history_join(&m->history, &in->w->head.history, err) < 0 ||
	    cmd_history(&m->history, err) < 0)
		return -1;
	return cscg_model_write(m, in->out, err);
}

static int
learn(const struct job *in, struct cscg_estep_ranks *estep_ranks,
    struct cscg_err *err)
{
	const struct cscg_walk *w = in->w;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): rank 0 has w */
	struct progress progress = { .steps = w->n_steps, .err = err };
	struct cscg_poll poll = { .call = on_poll, .ctx = &progress };
	struct cscg_learn_progress last;
	struct cscg_model *m = NULL;
	struct cscg_learn job = {
		.init = in->init,
		.iterations = set.iterations,
		.restarts = set.restarts,
		.tolerance = set.tolerance,
		.pseudocount = set.pseudocount,
		.seed = (uint64_t)cmd.seed,
		.learn_pi = set.learn_pi,
		.raw = set.structure == STRUCTURE_NONE,
		.split = set.structure == STRUCTURE_SPLIT,
		.untied_noise = set.untied_noise,
		.is_double = set.is_double,
		.threads = (int)cmd.threads,
		.low_memory = set.low_memory,
		.simd = set.simd,
		.estep_ranks = estep_ranks,
		.report = report_learn,
		.ctx = &progress,
		.poll = &poll,
		.assess = true,
		.mixture = true,
	};
	int *clones = NULL, rc = -1;
	char *text = NULL;

	if (set.clones) {
		job.clones = clones = choose_clones(w, &text, err);
		if (!clones)
			goto out;
	}
	if (cmd_checkpoint_open(&set.checkpoint, digest(w, in->init),
		estep_ranks, err) < 0)
		goto out;
	job.save = set.checkpoint.c;
	if (set.write_on_signal)
		cmd_defer_signals(true);
	m = set.change_rate >= 0 ? update(w, in->init, &progress, err) :
				   cscg_learn(w, &job, &last, err);
	if (m && !progress.failed)
		rc = finish(m, in, &progress, err);
out:
	cmd_checkpoint_close(&set.checkpoint);
	cscg_model_free(m);
	free(clones);
	free(text);
	return rc;
}

/* ---- several ranks ---- */

static void
report_shares(const struct cscg_estep_ranks *estep_ranks)
{
	long episodes, steps;
	int i;

	for (i = 0; i < cscg_estep_ranks_size(estep_ranks); i++) {
		cscg_estep_ranks_part_size(estep_ranks, i, &episodes, &steps);
		cmd_verbose("rank %d: %ld episodes of %ld steps in all", i,
		    episodes, steps);
	}
}

/* One of several ranks: rank 0 learns, the others serve its requests. */
static int
learn_together(const struct job *in, struct cscg_err *err)
{
	struct cscg_estep_ranks *estep_ranks = cscg_estep_ranks_new(cmd.ranks,
	    in->w, err);
	struct cscg_estep_options how = { .simd = set.simd,
		.threads = (int)cmd.threads };
	int rc = 0, sig = 0;

	if (!estep_ranks)
		return -1;
	if (set.checkpoint.file)
		cscg_estep_ranks_watch_signals(estep_ranks, &cmd_signals);
	if (cmd_is_first()) {
		report_shares(estep_ranks);
		rc = learn(in, estep_ranks, err);
		cscg_estep_ranks_stop(estep_ranks, 0);
	} else {
		if (set.checkpoint.file)
			cmd_defer_signals(true);
		sig = cscg_estep_ranks_serve(estep_ranks, &how,
		    cscg_em_restarts_job);
	}
	cscg_estep_ranks_free(estep_ranks);
	if (sig)
		cmd_exit_by_signal(sig);
	if (set.checkpoint.file)
		cmd_defer_signals(false);
	return rc;
}

/* ---- inputs ---- */

/* The walk with the symbols of its frames. */
static struct cscg_walk *
read_frames(char **paths, int n, struct cscg_frame_walk *frames,
    struct cscg_err *err)
{
	if (cscg_frame_walk_read(frames, set.gaussian, set.frames, paths, n,
		(int)cmd.threads, err) < 0 ||
	    cscg_history_join(&frames->q.walk->head.history,
		&frames->book->history, err) < 0)
		return NULL;
	return frames->q.walk;
}

/* Open and read the files that only rank 0 needs. */
static int
prepare_first(struct job *job, char **paths, int n, struct cscg_err *err)
{
	job->out = cmd_out(err);
	if (!job->out)
		return -1;
	if (set.clones && cscg_clones_check(set.clones, err) < 0)
		return cscg_fail_at(err, "--clones");
	if (set.init && !(job->init = cscg_model_read_file(set.init, err)))
		return -1;
	if (set.gaussian &&
	    !(job->w = read_frames(paths, n, &job->frames, err)))
		return -1;
	return 0;
}

/* Every rank may read walks. */
static int
prepare(struct job *job, char **paths, int n, struct cscg_err *err)
{
	int rc = cmd_is_first() ? prepare_first(job, paths, n, err) : 0;

	if (cmd_agree(rc, err) < 0)
		return -1;
	if (!set.gaussian)
		job->w = cscg_ranks_walk_read(cmd.ranks, paths, n, err);
	if (!set.gaussian && !job->w)
		return -1;
	if (job->init && cscg_alphabet_map_walk(job->w, job->init, err) < 0)
		rc = cscg_fail_at(err, "--init");
	return cmd_agree(rc, err);
}

/*
 * Learn from the walks of n paths (none: standard input) and write the model.
 * 1, 0 if the graph of --shared-graph fails its self-test, -1 with err filled.
 */
static int
run(char **paths, int n, struct cscg_err *err)
{
	struct job job = { .out = NULL };
	int rc = prepare(&job, paths, n, err);

	if (rc == 0 && set.shared_graph)
		rc = cmd_is_first() ? learn_shared(job.w, job.out, err) : 1;
	else if (rc == 0)
		rc = (cscg_ranks_size(cmd.ranks) > 1 ?
			     learn_together(&job, err) :
			     learn(&job, NULL, err)) < 0 ?
		    -1 :
		    1;
	if (!set.gaussian)
		cscg_walk_free(job.w);
	cscg_frame_walk_free(&job.frames);
	cscg_model_free(job.init);
	return rc;
}

/* Options that --shared-graph excludes, or that need it. */
static void
check_shared_graph(void)
{
	if (!set.shared_graph) {
		if (set.reversible || set.until_complete)
			cmd_usage("--reversible and --until-complete require "
				  "--shared-graph");
		return;
	}
	if (set.clones || set.init || set.structure != STRUCTURE_AUTO ||
	    set.learn_pi || set.is_double)
		cmd_usage("--shared-graph cannot be combined with --clones, "
			  "--init, --structure, --learn-pi or --double");
	if (set.gaussian)
		cmd_usage("--shared-graph and --gaussian exclude each other");
	if (cmd_given(&set.restarts) || cmd_given(&set.tolerance))
		cmd_usage("--shared-graph cannot be combined with --restarts "
			  "or --tolerance");
	if (set.checkpoint.file)
		cmd_usage(
		    "--shared-graph cannot be combined with --checkpoint");
	if (set.max_time > 0 || set.write_on_signal)
		cmd_usage("--shared-graph cannot be combined with --max-time "
			  "or --write-on-signal");
}

/* Options that --change-rate excludes or needs. */
static void
check_change_rate(void)
{
	if (set.change_rate < 0)
		return;
	if (!set.init)
		cmd_usage("--change-rate needs --init");
	if (set.structure != STRUCTURE_AUTO || set.untied_noise ||
	    set.learn_pi || set.gaussian || set.checkpoint.file)
		cmd_usage(
		    "--change-rate cannot be combined with --structure, "
		    "--untied-noise, --learn-pi, --gaussian or --checkpoint");
	if (set.pseudocount <= 0)
		cmd_usage("--change-rate needs a --pseudocount above 0");
}

/* Options that exclude or need each other. */
static void
check_options(void)
{
	struct cscg_err err = { 0 };

	if (set.clones && set.init)
		cmd_usage("--clones and --init exclude each other");
	check_shared_graph();
	check_change_rate();
	if (set.write_on_signal && set.checkpoint.file)
		cmd_usage("--write-on-signal and --checkpoint exclude each "
			  "other");
	if (set.frames && !set.gaussian)
		cmd_usage("--frames requires --gaussian");
	/*
	 * The file of --clones may exist on rank 0 only: prepare_first() reads
	 * it.
	 */
	if (set.clones && cscg_clones_check(set.clones, &err) < 0 &&
	    err.code == CSCG_EUSAGE)
		cmd_usage("--clones: %s", err.msg);
}

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;
	int n, status, sig;

	paths = cmd_begin(&info, argc, argv, &n);
	set.deadline = cscg_clock() + set.max_time;
	check_options();
	cmd_checkpoint_check(&set.checkpoint);
	cmd_check_stdin(n == 0);
	if (set.checkpoint.file)
		cmd_defer_signals(false);
	cmd_ranks();
	set.simd = cmd_isa(set.isa);
	cmd_history_arg("isa",
	    set.simd && !set.is_double ? set.simd->name : "plain");
	status = cmd_end(run(paths, n, &err), &err);
	sig = deferred_signal();
	if (sig)
		cmd_exit_by_signal(sig);
	return status;
}
