/* cscg-learn - walks in, model out */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clones.h"
#include "cmd.h"
#include "cmd_isa.h"
#include "cmd_keep.h"
#include "cmd_ranks.h"
#include "cscg-learn_rebind.h"
#include "cscg-learn_talk.h"
#include "cscg-learn_update.h"
#include "fit.h"
#include "learn_run.h"
#include "model_io.h"
#include "ranks_walk.h"
#include "sight.h"
#include "walk_io.h"

static struct {
	const char *clones, *init, *isa, *soft, *frames;
	long iterations, restarts;
	double tolerance, pseudocount, forget;
	bool learn_pi, raw, own_rows, split, is_double, low_memory;
	bool rebind, reversible, until_complete;
	long draws;
	struct cmd_keep keep;
} set = { .iterations = 200, .restarts = 4, .tolerance = 1e-5,
	.pseudocount = 2e-3, .draws = 50 };

static const struct cmd_opt opts[] = {
	/* It may be a file; learn() tells history what was in it. */
	CMD_FILE(0, "clones", &set.clones, "HOW",
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
	CMD_FLAG(0, "own-rows", &set.own_rows,
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
	CMD_FLAG(0, "double", &set.is_double, "compute in double precision"),
	CMD_ISA(&set.isa),
	{ 0, "low-memory", CMD_T_FLAG, &set.low_memory, 0, 0, NULL, NULL,
	    "compute messages twice instead of keeping them",
	    CMD_QUIET_HISTORY },
	CMD_KEEP(set.keep),
	CMD_KEEP_EVERY(set.keep),
	CMD_END
};

static const struct cmd_info info = {
	"cscg-learn", "[WALK...]", "learn the graph behind walks", opts, 0, -1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_GZIP | CMD_USES_STATS |
	    CMD_USES_PROGRESS | CMD_USES_RANKS
};

static const struct cscg_simd *simd;	/* chosen by --isa */

/* If more is to be seen than symbols, go on with that. */
static int
learn_frames(struct cscg_model *m, const struct cscg_walk *w,
    const struct cscg_sight *sight, struct learn_talk *talk,
    struct cscg_err *err)
{
	struct learn_frames_talk f = { talk, m->n_states };
	struct cscg_soft soft = { .frames = sight->q.frames,
	    .learn_pi = set.learn_pi, .iterations = set.iterations,
	    .tolerance = set.tolerance, .threads = (int)cmd.threads,
	    .report = learn_on_frames, .ctx = &f };
	struct cscg_em_line last;

	if (!sight->book)
		return 0;
	if (cscg_learn_frames(m, w, &soft, sight->book, set.pseudocount,
	    &last, err) < 0)
		return -1;
	cmd_talk("frames: %ld updates, %.6f nats a step", last.iteration,
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
learn(const struct cscg_walk *w, const struct cscg_model *init,
    const struct cscg_sight *sight, struct cscg_crew *crew,
    struct cscg_out *out, struct cscg_err *err)
{
	struct learn_talk talk = { .steps = w->n_steps, .err = err,
	    .most = (double)set.iterations *
	    (double)(set.init ? 1 : set.restarts) };
	bool unsure = false;
	struct cscg_learn_line last;
	struct cscg_model *m = NULL;
	struct cscg_learn job = {
		.init = init, .iterations = set.iterations,
		.restarts = set.restarts, .tolerance = set.tolerance,
		.pseudocount = set.pseudocount, .seed = (uint64_t)cmd.seed,
		.learn_pi = set.learn_pi, .raw = set.raw, .split = set.split,
		.own_rows = set.own_rows,
		.is_double = set.is_double, .threads = (int)cmd.threads,
		.low_memory = set.low_memory, .simd = simd, .crew = crew,
		.report = learn_on_line, .ctx = &talk, .unsure = &unsure
	};
	int *clones = NULL, rc = -1;
	char *text = NULL;

	if (set.clones) {
		job.clones = clones = cscg_clones_choose(set.clones, w, err);
		if (!clones)
			return cscg_fail_at(err, "--clones");
		text = cscg_clones_text(set.clones, clones, w->head.n_obs,
		    err);
		if (!text)
			goto out;
		cmd_history_arg("clones", text);
	}
	if (cmd_keep_begin(&set.keep, digest(w, init), crew, err) < 0)
		goto out;
	job.save = set.keep.c;
	m = cmd_given(&set.forget) ? learn_update(w, &job, set.forget, err) :
	    cscg_learn(w, &job, &last, err);
	if (m && !talk.failed &&
	    learn_frames(m, w, sight, &talk, err) == 0 && !talk.failed &&
	    cscg_history_join(&m->history, &w->head.history, err) == 0 &&
	    cmd_history(&m->history, err) == 0)
		rc = cscg_model_write(m, out, err);
	if (rc == 0 && unsure)
		cmd_say("moves in this map have chance, though the walk hardly "
		    "shows any: if there is none it is wrong, and a longer "
		    "walk or more --clones may help");
out:
	cmd_keep_end(&set.keep);
	cscg_model_free(m);
	free(clones);
	free(text);
	return rc;
}

static void
tell_shares(const struct cscg_crew *crew)
{
	long episodes, steps;
	int i;

	for (i = 0; i < cscg_crew_size(crew); i++) {
		cscg_crew_share(crew, i, &episodes, &steps);
		cmd_talk("rank %d: %ld episodes of %ld steps in all", i,
		    episodes, steps);
	}
}

/* One of several ranks: the first learns, the others do what it says. */
static int
learn_together(const struct cscg_walk *w, const struct cscg_model *init,
    const struct cscg_sight *sight, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_crew *crew = cscg_crew_new(cmd.ranks, w, err);
	struct cscg_engine_set how = { .simd = simd,
	    .threads = (int)cmd.threads };
	int rc = 0, sig = 0;

	if (!crew)
		return -1;
	if (set.keep.file)
		cscg_crew_watch(crew, &cmd_signals);
	if (cmd_is_first()) {
		tell_shares(crew);
		rc = learn(w, init, sight, crew, out, err);
		cscg_crew_dismiss(crew, 0);
	} else {
		if (set.keep.file)
			cmd_hold(true);
		sig = cscg_crew_serve(crew, &how, cscg_learn_job);
	}
	cscg_crew_free(crew);
	if (sig)
		cmd_die(sig);
	cmd_hold(false);
	return rc;
}

/* One graph for all episodes: 0 if it is not known to be complete. */
static int
rebind(const struct cscg_walk *w, struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_rebind job = {
		.draws = set.draws, .iterations = set.iterations,
		.pseudocount = set.pseudocount, .seed = (uint64_t)cmd.seed,
		.reversible = set.reversible,
		.until_complete = set.until_complete
	};

	return learn_rebind(w, &job, out, err);
}

/* The walk with what was seen on it. */
static struct cscg_walk *
get_sight(char **paths, int n, struct cscg_sight *sight, struct cscg_err *err)
{
	if (cscg_sight_read(sight, set.soft, set.frames, paths, n,
	    (int)cmd.threads, err) < 0 ||
	    cscg_history_join(&sight->q.walk->head.history,
	    &sight->book->history, err) < 0)
		return NULL;
	return sight->q.walk;
}

/* What is read, and where to write: rank 0 has it all. */
struct job {
	struct cscg_out *out;
	struct cscg_model *init;
	struct cscg_sight sight;
	struct cscg_walk *w;
};

/* Every rank may read walks; the rest is rank 0's. */
static int
prepare(struct job *job, char **paths, int n, struct cscg_err *err)
{
	int rc = 0;

	if (cmd_is_first()) {
		job->out = cmd_out(err);
		if (!job->out || (set.init &&
		    !(job->init = cscg_model_read_file(set.init, err))))
			rc = -1;
		if (rc == 0 && set.soft &&
		    !(job->w = get_sight(paths, n, &job->sight, err)))
			rc = -1;
	}
	if (cmd_agree(rc, err) < 0)
		return -1;
	if (!set.soft)
		job->w = cscg_ranks_walk_read(cmd.ranks, paths, n, err);
	if (!set.soft && !job->w)
		return -1;
	if (job->init && cscg_fit_walk(job->w, job->init, err) < 0)
		rc = cscg_fail_at(err, "--init");
	return cmd_agree(rc, err);
}

static int
run(char **paths, int n, struct cscg_err *err)
{
	struct job job = { .out = NULL };
	int rc = prepare(&job, paths, n, err);

	if (rc == 0 && set.rebind)
		rc = cmd_is_first() ? rebind(job.w, job.out, err) : 1;
	else if (rc == 0)
		rc = (cscg_ranks_size(cmd.ranks) > 1 ?
		    learn_together(job.w, job.init, &job.sight, job.out, err) :
		    learn(job.w, job.init, &job.sight, NULL, job.out, err)) <
		    0 ? -1 : 1;
	if (!set.soft)
		cscg_walk_free(job.w);
	cscg_sight_free(&job.sight);
	cscg_model_free(job.init);
	return rc;
}

/* At most one of all that is read may be standard input. */
static void
judge_inputs(char **paths, int n)
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

int
main(int argc, char **argv)
{
	struct cscg_err err = { 0 };
	char **paths;
	int n;

	paths = cmd_begin(&info, argc, argv, &n);
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
	if (cmd_given(&set.forget) && (set.raw || set.split || set.own_rows ||
	    set.learn_pi || set.soft || set.keep.file))
		cmd_usage("--forget does not go with --raw, --split, "
		    "--own-rows, --learn-pi, --soft or --checkpoint");
	if (cmd_given(&set.forget) && set.pseudocount <= 0)
		cmd_usage("--forget needs a --pseudocount above 0");
	if (set.frames && !set.soft)
		cmd_usage("--frames goes with --soft");
	if (!set.rebind && (set.reversible || set.until_complete))
		cmd_usage("--reversible and --until-complete go with --rebind");
	if (set.clones && cscg_clones_judge(set.clones, &err) < 0)
		cmd_usage("--clones: %s", err.msg);
	if (set.rebind && set.keep.file)
		cmd_usage("--rebind does not go with --checkpoint");
	cmd_keep_judge(&set.keep);
	judge_inputs(paths, n);
	if (set.keep.file)
		cmd_hold(false);
	cmd_ranks();
	simd = cmd_isa(set.isa);
	cmd_history_arg("isa", simd && !set.is_double ? simd->name : "plain");
	return cmd_end(run(paths, n, &err), &err);
}
