/* cscg-learn_update.c - cscg-learn --forget: a model kept up to date */
#include <math.h>

#include "cmd.h"
#include "cscg-learn_update.h"
#include "learn/update.h"

static int
on_em(void *ctx, const struct cscg_em_progress *l)
{
	const struct cscg_learn *job = ctx;
	struct cscg_learn_progress line = { .stage = "em",
	    .iteration = l->iteration, .n_states = job->init->n_states,
	    .loglik = l->loglik, .objective = l->objective };

	return job->report(job->ctx, &line);
}

struct cscg_model *
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
	cmd_talk("update: %ld moves made, %ld of them for the first time, "
	    "%ld have changed; %.6f nats a step before", out.rows, out.added,
	    out.changed, -out.before / (double)w->n_steps);
	line.n_states = m->n_states;
	line.loglik = out.loglik;
	job->report(job->ctx, &line);
	return m;
}
