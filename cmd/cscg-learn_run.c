/* cscg-learn_run.c - walks are read, and a model is learned from them */
#include <stdlib.h>

#include "learn/learn.h"
#include "cmd.h"
#include "cmd_ranks.h"
#include "cscg-learn.h"
#include "cscg-learn_rebind.h"
#include "cscg-learn_talk.h"
#include "cscg-learn_update.h"
#include "core/walk.h"
#include "learn/restarts.h"
#include "core/model_io.h"
#include "dist/ranks_walk.h"
#include "learn/quantize.h"

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
	if (cmd_keep_begin(&set->keep, digest(w, in->init), estep_ranks, err) < 0)
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
		cmd_say("moves in this map have chance, though the walk hardly "
		    "shows any: if there is none it is wrong, and a longer "
		    "walk or more --clones may help");
out:
	cmd_keep_end(&set->keep);
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
		cmd_talk("rank %d: %ld episodes of %ld steps in all", i,
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
			cmd_hold(true);
		sig = cscg_estep_ranks_serve(estep_ranks, &how, cscg_restarts_job);
	}
	cscg_estep_ranks_free(estep_ranks);
	if (sig)
		cmd_die(sig);
	cmd_hold(false);
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

int
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
